"""Assignments of borrowers to officers. They exist only in this dashboard."""
