"""A robot on paper: its tree in a pose, and its links as ellipsoids of the same inertia."""
