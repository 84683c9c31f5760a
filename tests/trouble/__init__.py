"""Hostile input, and machines that fail: what is told of it, and what is never lost."""
