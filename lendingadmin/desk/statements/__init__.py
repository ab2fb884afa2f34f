"""The statement desk: upload the statements of operators and banks, and decide on each row."""
