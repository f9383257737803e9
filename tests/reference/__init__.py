"""Slow, plain referees of the games, for comparison with the fast ones."""
