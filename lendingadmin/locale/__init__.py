"""Translations, and the formats of values in forms."""
