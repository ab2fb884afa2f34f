"""Pydantic models of JSON: requests, answers, and contracts, which are parts of both."""
