"""Tunisian rami, read a second time: an oracle that shares no code with the auditor, and tests of every clause."""
