"""How the tests that serve every game set each one up: a module a game, found by its name."""
