"""Shared parts of the views of all areas: access rules, error cards, lists, exports and more."""
