"""A Lending Service for tests and demos: its own Django project, process and database."""
