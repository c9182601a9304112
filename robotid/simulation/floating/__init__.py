"""Logs of robots with a floating base: what they do, what pushes them, and what a log says of it.

base_motion  how a base moves, from series of its position and angles
feet         where contacts act, and how they share the wrench that a base needs
forces       generalised forces of a motion: MuJoCo or our own recursion
prescribed   motions that are followed exactly, held at the feet
stance       what to do on a floor: sway, or step in place
floor        MuJoCo with a floor and a controller of joints
sensors      what a log says of all this
scenario     from what a user asks for to logs and the truth
log_files    the files
"""
