"""The client of the Lending Service. It knows no web framework."""
