"""Torques as sums of parts that are learned: a body, its joints, and what both leave.

architecture    which parts a model has, and an empty model of them
bodies          links in a parametrisation; terms of joints
residuals       networks of the motion, with and without a memory
inverse         `InverseModel`, the sum
torques         the same for arrays, in the order of time
"""
