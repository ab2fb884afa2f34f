"""Lending events: what an app captured of a person, listed, read and reported (Spec: Events)."""
