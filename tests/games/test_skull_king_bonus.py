"""Skull King: a bonus of one point is a bonus."""

from tests.games.skull_king.test_rules import trick


def test_a_pirate_that_takes_a_mermaid_for_a_single_point() -> None:
    assert trick("pirate", "mermaid", pirate_takes_mermaid=1) == (0, 1)
    assert trick("mermaid", "pirate", "mermaid", pirate_takes_mermaid=1) == (1, 2)
    assert trick("pirate", "mermaid", pirate_takes_mermaid=0) == (0, 0)
