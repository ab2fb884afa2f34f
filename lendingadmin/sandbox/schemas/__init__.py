"""Pydantic models of JSON: requests, answers, and the contract, which is part of both."""
