"""Trajectories that tell much of a robot's parameters and keep to its limits."""
