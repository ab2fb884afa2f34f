"""Collection sheets: printed lists for cash collectors, and the grid to enter the results."""
