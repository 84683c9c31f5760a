"""Tests of belote-contree."""
