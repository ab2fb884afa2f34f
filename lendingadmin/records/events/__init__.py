"""Lending events: data of a person that an app captured (Spec: Events).

They are listed, read and reported.
"""
