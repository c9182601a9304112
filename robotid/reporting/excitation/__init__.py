"""The page of a design of trajectories, and the same in a few lines."""
