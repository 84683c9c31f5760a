"""Importers: what platforms write comes out as the match logs that it was made from, and nothing is lost silently."""
