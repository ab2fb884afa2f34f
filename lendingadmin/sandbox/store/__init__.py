"""Functions that read and write the data in the sandbox's database."""
