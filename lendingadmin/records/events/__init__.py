"""Lending events: data of a person that an app captured (Spec: Events).

This area lists, shows and reports them.
"""
