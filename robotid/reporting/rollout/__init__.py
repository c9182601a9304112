"""`rollout.html`: models left to run, as a page beside the report, and their summary."""
