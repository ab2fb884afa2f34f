"""Pydantic models of the wire: requests, answers, and the contract, which is part of both."""
