"""What lies on a table of Lucky Pirate, and positions drawn group by group: what its reports begin with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from experiments.reports.estimates import FEWEST
from experiments.reports.lockstep import Lockstep, Move, branched, coins, dealt
from experiments.reports.report import Findings, Verdict
from pirate_envs.agents.player import Agent
from pirate_envs.core.bits import padded_bytes, words_for
from pirate_envs.core.game import Game
from pirate_envs.games.lucky_pirate.state import KIND_NAMES, KINDS
from pirate_envs.search.worlds import look_at

GREEDY = "rules:greedy"
NAMES = tuple(name.replace("_", " ") for name in KIND_NAMES)
LOW = (0, 1, 2, 3, 4, 5, 7)
"""The kinds that are numbers and nothing else: 1 to 6 and 8."""
LAST_TURN = 250
"""Of those that decisions are drawn from: one match in a hundred goes on, some of them in circles, each with hundreds alike."""
COLOURS = ("#1f6f9f", "#e09f3e", "#c8553d", "#6a4c93")


class GroupedPositions(NamedTuple):
    """Decisions of several groups, a row for each group that a decision was drawn for; (n,) each."""

    records: np.ndarray
    """Whole records."""
    deal: np.ndarray
    """The match's seed, int64."""
    group: np.ndarray
    """The group's number, int64."""


def drawn(
    game: Game, player: Agent, deals: range, shares: Sequence[float], wanted: Callable[[np.ndarray, Move], np.ndarray]
) -> GroupedPositions:
    """As `each_drawn`, for several groups of decisions: all those of a group with the same chance, the group's of `shares`.

    `wanted`, by records and moves: is it of the group? bool, (k, groups). What comes after LAST_TURN is of none.
    """
    matches, chance = Lockstep(game, player, dealt(game, deals)), coins(deals)
    none = np.zeros(0, np.int64)
    kept = [GroupedPositions(matches.records[:0].copy(), none, none)]
    for move in matches.moves():
        records = matches.records[move.rows]
        asked = wanted(records, move) & (records["turn"] <= LAST_TURN)[:, None]
        at, group = np.nonzero(asked & (chance.random(asked.shape) < shares))
        kept.append(GroupedPositions(records[at], move.rows[at] + deals.start, group))
    return GroupedPositions(*(np.concatenate(column) for column in zip(*kept, strict=True)))


def masks(game: Game, records: np.ndarray) -> np.ndarray:
    """What is legal in each of these records, bool, (n, actions)."""
    count = len(records)
    told = np.zeros((count, padded_bytes(game.actions)), np.int8)
    observations = np.zeros((count, game.layout.size), np.float32)
    look_at(records, np.arange(count), np.zeros(words_for(game.actions), np.uint64), told.view(np.uint64), observations)
    return told[:, : game.actions].astype(bool)


def gain(game: Game, player: Agent, records: np.ndarray, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """How much more of the win, in points of a hundred, an action brings than another in the same position, (n,)."""
    return 100 * (branched(game, player, records, one).wins - branched(game, player, records, other).wins)


# -- positions ---------------------------------------------------------------------------------------------------------


def counts(heaps: np.ndarray) -> np.ndarray:
    """How many cards of each kind heaps have, int8, (..., 16)."""
    return (heaps[..., None] >> 4 * np.arange(KINDS) & 7).astype(np.int8)


def of_mover(records: np.ndarray, field: str) -> np.ndarray:
    """What a field that goes by seats says of the seat to move, int64, (n,)."""
    return records[field][np.arange(len(records)), records["to_move"]].astype(np.int64)  # type: ignore[no-any-return]


def cards_left(records: np.ndarray) -> np.ndarray:
    """Hand, ups and downs of every seat, int64, (n, 6)."""
    slots = np.bitwise_count(records["ups_left"]) + np.bitwise_count(records["downs_left"])
    return records["hand_sizes"].astype(np.int64) + slots


def left_to_next(records: np.ndarray) -> np.ndarray:
    """The cards left to the seat whose turn comes next, int64, (n,)."""
    following = (records["to_move"].astype(np.int64) + records["direction"]) % records["players"]
    return cards_left(records)[np.arange(len(records)), following]  # type: ignore[no-any-return]


# -- telling -----------------------------------------------------------------------------------------------------------


def listed(verdicts: Iterable[Verdict], most: int = 3) -> str:
    """Tests with their numbers, for a sentence."""
    return "; ".join(f"{each.test} {each.written()}" for each in list(verdicts)[:most])


def sentence(parts: Iterable[str]) -> str:
    """Parts of a sentence put together; empty if there are none."""
    told = "; ".join(parts)
    return f"{told[0].upper()}{told[1:]}." if told else ""


def dots(axes: Any, found: Findings, rows: Mapping[str, Sequence[str | None]], labels: Sequence[str]) -> None:
    """A ladder: `rows`: its name -> a test for each of the labels, in their colours, with 95 % intervals."""
    height = 0.8 / len(labels)
    for at, label in enumerate(labels):
        asked = ((place, tests[at]) for place, tests in enumerate(rows.values()))
        told = [(place, found[test]) for place, test in asked if test is not None and found[test].deals >= FEWEST]
        axes.errorbar(
            [each.mean for _, each in told], [place - 0.4 + height * (at + 0.5) for place, _ in told],
            xerr=[1.96 * each.error for _, each in told], fmt="o", ms=4.5, lw=1.4, color=COLOURS[at], label=label,
        )  # fmt: skip
    axes.set_yticks(range(len(rows)), list(rows))
    axes.set_ylim(len(rows) - 0.5, -0.5)
    for place in range(0, len(rows), 2):
        axes.axhspan(place - 0.5, place + 0.5, color="0.5", alpha=0.08, lw=0)
    axes.axvline(0, color="0.3", lw=0.9, zorder=1)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
