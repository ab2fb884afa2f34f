"""Monitoring for an operator: a log line for each request, and the request's id everywhere."""
