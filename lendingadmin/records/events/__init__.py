"""Lending events: data that an app captured about a person (Spec: Events).

This area lists, shows and reports them.
"""
