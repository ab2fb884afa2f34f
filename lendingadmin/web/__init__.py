"""Shared parts of all areas' views: access rules, error cards, lists, exports and health checks."""
