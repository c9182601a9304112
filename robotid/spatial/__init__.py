"""Rotations and inertias as batched torch functions, quaternions in numpy.

so3         rotations: about an axis, from angles, from a quaternion
quaternions orientations of a floating base, sample by sample
inertia     link parameters phi, their parts and pseudo-inertia
transport   link parameters in another frame
parametrisations    nine ways to write phi as numbers that may take any value
"""
