"""Monitoring for operators: a log line for each request, with the id of the request."""
