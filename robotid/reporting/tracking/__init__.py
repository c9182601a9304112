"""`tracking.html`: models as inverse dynamics of a robot, as a page, and their summary."""
