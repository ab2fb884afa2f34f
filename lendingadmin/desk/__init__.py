"""The daily work: portfolio, statements, collections, officers, sheets."""
