"""Sealed choices that are taken back leave nothing behind: the record is what it was before the first of them."""

from __future__ import annotations

import pytest

import pirate_envs
from tests.games.positions import random_match
from tests.games.setups import setup_of

SEALING = ("piratenpoker", "skull_king")


@pytest.mark.parametrize("name", SEALING)
def test_a_reopened_record_is_the_one_before_the_sealed_choices(name: str) -> None:
    taken_back = 0
    for options in setup_of(name).TRANSCRIPTS:
        game = pirate_envs.load(name, **options)
        before = b""
        for g in random_match(game, seed=7):
            reopened = g.copy()
            game.verbs["reopen"](reopened)
            if reopened == g:
                before = g.tobytes()
            else:
                taken_back += 1
                assert reopened.tobytes() == before, game.view(g)
    assert taken_back > 10
