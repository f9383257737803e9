"""The version of the package; each game has a version of its own (see `Game.version`)."""

__version__ = "0.1.0"
