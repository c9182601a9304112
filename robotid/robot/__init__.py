"""Robots: a tree of bodies, read from robot files, changed, checked and written back.

tree            RobotTree: what the dynamics need to know of a robot
geometry        poses and inertial parameters of single links (numpy)
assembly        the same robot link by link, fixed joints not merged: what is read and edited
load            a robot from a path or a name, as a tree
catalog         the robots that come with the package
urdf, mjcf      readers, on xml_source, numbers, description, mjcf_text
edit            lock joints, cut out a chain, float, mount, add a payload
physical        which inequality a link's parameters break
export          identified parameters back into the file, on export_urdf, export_mjcf,
                export_shares, byte_edits
"""
