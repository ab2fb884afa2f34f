"""What an operator sees of a running dashboard: a line for each request, and its id everywhere."""
