"""The sandbox's data in its database, with the functions that read and write it."""
