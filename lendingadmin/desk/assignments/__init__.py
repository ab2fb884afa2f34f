"""Assignments of borrowers to officers. The service does not have these data."""
