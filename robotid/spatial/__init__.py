"""Rotations, twists and inertias as batched torch functions.

so3         rotations: about an axis, from angles, from a quaternion
twists      6×6 maps of twists and wrenches, linear part first
inertia     link parameters phi, their parts, pseudo-inertia and spatial inertia
transport   link parameters in another frame
parametrisations    nine ways to write phi as numbers that may take any value
"""
