"""A Lending Service of our own to run against: its own Django project, process and database."""
