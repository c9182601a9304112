"""Rotations and inertias as batched torch functions.

so3         rotations: about an axis, from angles, from a quaternion
inertia     link parameters phi, their parts and pseudo-inertia
transport   link parameters in another frame
parametrisations    nine ways to write phi as numbers that may take any value
"""
