"""Statement desk: people upload statements of operators and banks, and decide on each row."""
