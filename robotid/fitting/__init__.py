"""From filtered data to parameters with uncertainty."""
