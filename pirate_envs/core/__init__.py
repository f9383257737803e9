"""What every game is made of, and nothing about any one game."""
