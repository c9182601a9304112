"""Robots: a tree of bodies, read from robot files, changed, checked and written back.

tree        RobotTree: what the dynamics need to know of a robot
geometry    poses and inertial parameters of single links (numpy)
"""
