"""The statement desk: an operator's or a bank's own file in, each of its rows to its end."""
