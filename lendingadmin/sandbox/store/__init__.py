"""The sandbox's data in its database, and the functions that read and write them."""
