"""Collection sheets: lists on paper for cash collectors, and the grid to type the results."""
