"""Trajectories that tell much about a robot's parameters and keep to its limits (docs/excitation.md)."""
