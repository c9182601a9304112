"""Reading raw logs. One module per format."""
