"""Shared parts of all areas' views: access rules, error cards, form tokens, lists, health."""
