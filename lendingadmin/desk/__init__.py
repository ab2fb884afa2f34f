"""The daily work: portfolio, statements, collections, officers and sheets."""
