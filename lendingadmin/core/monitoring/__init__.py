"""Monitoring for operators: log lines with the request's id, readiness, metrics, backup, Sentry."""
