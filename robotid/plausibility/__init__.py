"""Whether a recording can be what it says it is: alone, and against the robot file."""
