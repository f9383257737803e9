"""Runs any game; names none."""
