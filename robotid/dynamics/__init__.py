"""Rigid-body dynamics as pure functions of batched arrays."""
