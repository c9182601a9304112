"""Reports: the facts as JSON and as one HTML page that needs nothing else."""
