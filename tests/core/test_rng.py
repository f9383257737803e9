"""Streams of chance: no two meet, and nobody counts them by hand."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import pirate_envs
from pirate_envs.core import rng
from pirate_envs.core.rng import BRANCHES, BRANCHING, FIRST_RESERVED, MASK, Stream, branch, streams

ROOT = Path(__file__).resolve().parents[2]
RNG = ROOT / "pirate_envs/core/rng.py"
SOURCES = sorted(path for folder in ("pirate_envs", "agents", "experiments") for path in (ROOT / folder).rglob("*.py"))


def parsed(paths: list[Path]) -> Iterator[tuple[Path, ast.AST]]:
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            yield path, node


def test_every_stream_has_numbers_of_its_own() -> None:
    owned = streams()
    assert set(owned) == {each.name for each in Stream}
    for name, numbers in owned.items():
        assert FIRST_RESERVED <= numbers.start < numbers.stop <= MASK + 1, name
        assert len(numbers) == (BRANCHES if Stream[name] in BRANCHING else 1)
    for (one, numbers), (other, others) in combinations(owned.items(), 2):
        assert not set(numbers) & set(others), (one, other)


@pytest.mark.parametrize("stream", BRANCHING)
def test_branches_are_what_the_stream_owns(stream: Stream) -> None:
    assert sorted(branch(stream, number) for number in range(BRANCHES)) == list(streams()[stream.name])
    assert branch(stream, 0) == stream


def test_streams_that_batches_and_matches_draw_from_stay_where_they_are() -> None:
    """Another number would deal other cards for the same seed."""
    assert (Stream.NEXT_MATCH, Stream.UNIFORM_ACTIONS, Stream.LANE) == (0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD)


def test_nobody_counts_streams_by_hand() -> None:
    """Outside `core/rng.py` no sum or difference has a stream in it, and no number stands for one."""
    found = []
    for path, node in parsed([path for path in SOURCES if path != RNG]):
        if isinstance(node, ast.BinOp):
            found += [(path, ast.unparse(node)) for side in (node.left, node.right) if "Stream." in ast.unparse(side)[:11]]
        if isinstance(node, ast.Constant) and type(node.value) is int and FIRST_RESERVED <= node.value < MASK:
            found.append((path, hex(node.value)))
    assert not found


def keyed_fields(name: str) -> set[str]:
    """Fields of the record by which a game's rules key its generator; what is no field must be a constant or a Stream."""
    fields = set()
    for path, node in parsed([path for path in SOURCES if path.is_relative_to(ROOT / "pirate_envs/games" / name)]):
        if not isinstance(node, ast.Call) or ast.unparse(node.func) not in ("key", "rng.key"):
            continue
        stream = node.args[-1]
        written = ast.unparse(stream)
        if written.startswith("int(") and isinstance(stream, ast.Call) and isinstance(stream.args[0], ast.Attribute):
            fields.add(stream.args[0].attr)
        elif not written.removeprefix("rng.").startswith("Stream."):
            assert isinstance(stream, ast.Constant) and 0 <= stream.value < FIRST_RESERVED, (path, written)
    return fields


@pytest.mark.parametrize("name", pirate_envs.games())
def test_a_games_own_streams_stay_below_the_reserved_ones(name: str) -> None:
    """Hands, turns and cycles are counted from 0 up in fields that hold no reserved number, however long a match is."""
    # A game of a single deal keys its generator by a constant, which `keyed_fields` looks at.
    game = pirate_envs.load(name)
    fields = keyed_fields(name)
    for field in fields:
        kind = np.iinfo(game.state[field].base)
        assert kind.min < 0 and kind.max < FIRST_RESERVED
    batch = pirate_envs.Batch(game, 64, seed=4, observations=False, action_masks=False)
    for _ in range(200):
        assert all((batch.records[field] >= 0).all() for field in fields)
        batch.step(batch.random_actions())


def test_key_tells_streams_branches_and_seeds_apart() -> None:
    generators = np.zeros((4, 4), np.uint32)
    keys = [(0, Stream.WORLD), (1, Stream.WORLD), (0, branch(Stream.WORLD, 1)), (0, 0)]
    for gen, (low, stream) in zip(generators, keys, strict=True):
        rng.key(gen, low, 0, int(stream))
    assert len({gen.tobytes() for gen in generators}) == 4
