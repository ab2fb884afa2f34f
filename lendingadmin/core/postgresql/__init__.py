"""Django's backend of PostgreSQL, for a server that may hang."""
