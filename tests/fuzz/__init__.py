"""Damaged inputs of every kind, and what holds for each of them whatever it is."""
