"""What the sandbox keeps in its database, and how it is read and written."""
