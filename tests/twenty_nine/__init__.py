"""Tests of the rules of twenty-nine."""
