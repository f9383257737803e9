"""Readable transcripts of whole matches, replayed line by line: what they hold is the promise of a game's version.

A change of rules, observation, action names or random stream changes a line here; it needs a new version of the game. What
the rule player chose is read from the transcript, so that tuning it changes none.
Write them anew with ``pytest tests/games/test_transcripts.py --write-golden``.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator

import numpy as np
import pytest

import pirate_envs
from pirate_envs.core import bits, rng
from tests.games.setups import golden_of, setup_of

WRITE = "pytest tests/games/test_transcripts.py --write-golden"


def crc(array: np.ndarray) -> str:
    return f"{zlib.crc32(np.ascontiguousarray(array).tobytes()):08x}"


def chosen(lines: list[str]) -> Iterator[str]:
    """Names of the actions of every other decision, which were not drawn."""
    decisions = (re.fullmatch(r" *(\d+) seat \d+ of \d+ legal: (.*) \| observation \w+", line) for line in lines)
    return (found[2] for found in decisions if found and int(found[1]) % 2 == 0)


def transcript(name: str, options: dict, seed: int, choices: Iterator[str]) -> list[str]:
    """A match of uniform legal actions in turn with these choices, a line each; none left: the strongest rule player's."""
    game = pirate_envs.load(name, **options)
    g = game.new(seed)
    gen, other = np.zeros((2, 4), np.uint32)
    rng.key(gen, seed, 0, 1)
    rng.key(other, seed, 0, 2)  # apart: the choices are read from the transcript when it is played again
    lines = [f"# {game.id} {json.dumps(options)} seed {seed}", json.dumps(game.view(g))]
    scores = game.payoffs(g).tolist()
    while not game.is_over(g):
        seat = game.seat_to_move(g)
        mask = game.mask_words(g)
        choice = None if int(g.decisions) % 2 else next(choices, None)
        if choice is not None:
            action = game.action(g, choice)
        elif int(g.decisions) % 2 or not game.rule_players:
            action = int(bits.draw(mask, gen if int(g.decisions) % 2 else other))
        else:
            action = game.rule_action(g)
        lines.append(
            f"{int(g.decisions):4d} seat {seat} of {bits.count(mask)} legal: {game.action_name(g, action)}"
            f" | observation {crc(game.observation(g, seat))}"
        )
        game.apply(g, action)
        if game.payoffs(g).tolist() != scores:
            scores = game.payoffs(g).tolist()
            lines.append(f"     scores {scores}")
    lines.append(f"     winners {game.winners(g)} rewards {[round(float(reward), 6) for reward in game.rewards(g)]}")
    return [*lines, json.dumps(game.view(g)), ""]


@pytest.mark.parametrize("name", pirate_envs.games())
def test_transcript(name, request):
    path = golden_of(name)
    matches = setup_of(name).TRANSCRIPTS
    writing = request.config.getoption("--write-golden")
    choices = iter(()) if writing or not path.exists() else chosen(path.read_text(encoding="utf-8").split("\n"))
    lines = [line for seed, options in enumerate(matches, 1) for line in transcript(name, options, seed, choices)]
    if writing:
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert path.exists(), f"{name} has no transcript; write it with: {WRITE}"
    expected = path.read_text(encoding="utf-8").split("\n")[:-1]
    for number, (line, old) in enumerate(zip(lines, expected, strict=False), 1):
        assert line == old, f"{path}:{number} differs: the game's version must change, then: {WRITE}"
    assert len(lines) == len(expected)
