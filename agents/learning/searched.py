"""Positions that guided search was asked about: what its worlds say of each candidate, and what truly came of its choice.

Matches of copies of a policy: of two matches one by its likeliest actions, one by drawn ones. At a share of the decisions with
a choice, drawn by chance, guided search is asked. None of the worlds that it imagines is the true one: to see whether its
choice is better than the policy's, both are played out from the true position, with the same chance to come, by greedy copies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from pirate_envs.agents.guided import CANDIDATES, GuidedSearch, Searched
from pirate_envs.agents.learning.values import going_on
from pirate_envs.agents.player import Decisions
from pirate_envs.agents.policy import Policy
from pirate_envs.core.bits import padded_bytes, words_for
from pirate_envs.core.errors import CheckpointError
from pirate_envs.core.game import Game
from pirate_envs.engine import probes
from pirate_envs.search.tree import TO_MATCH_END
from pirate_envs.search.worlds import apply_all, look_at, score_all

FIRST_SEED = 3 << 61  # of these matches, apart from those of training and of evaluation


@dataclass(frozen=True)
class SearchedPositions:
    """Decisions of n movers; k is the most candidates that a search has."""

    observations: np.ndarray
    """float16, (n, layout size)."""
    action_masks: np.ndarray
    """bool, (n, actions)."""
    chosen: np.ndarray
    """By the search, int64, (n,)."""
    actions: np.ndarray
    """The candidates, the policy's likeliest first, int64, (n, k)."""
    leads: np.ndarray
    """By how much each was better than the first, in units of the game's reward, float32, (n, k)."""
    spreads: np.ndarray
    """Standard deviation of that over worlds, float32, (n, k)."""
    worlds: np.ndarray
    """In how many worlds both were tried, int64, (n, k); 0: the policy was sure, or there are fewer candidates."""
    gained_wins: np.ndarray
    """What the search's choice truly brought above the policy's, share of the win, float32, (n,); 0 where it is the same."""
    gained_points: np.ndarray
    """The same in points above the others' mean, float32, (n,)."""
    wins: np.ndarray
    """The mover's share of the win at the end of the match as it was played, float32, (n,)."""
    margins: np.ndarray
    """Its points less the mean of the others', likewise, float32, (n,)."""
    matches: np.ndarray
    """The match's number, int64, (n,)."""

    def __len__(self) -> int:
        return len(self.matches)

    def taken(self, rows: np.ndarray | slice) -> SearchedPositions:
        """These of them."""
        return SearchedPositions(*(getattr(self, each.name)[rows] for each in fields(self)))

    def arrays(self) -> dict[str, np.ndarray]:
        """By name, to be saved."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @property
    def differs(self) -> np.ndarray:
        """Where the search chose another action than the policy, bool, (n,)."""
        return self.chosen != self.actions[:, 0]


def joined(parts: Sequence[SearchedPositions]) -> SearchedPositions:
    """All of them, one after the other."""
    names = [each.name for each in fields(SearchedPositions)]
    return SearchedPositions(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


@dataclass(frozen=True)
class Searching:
    """Guided search asked in matches: work for a worker, whose chunks are ranges of match numbers."""

    game: Game
    policy: Policy
    """Plays the matches and plays them out."""
    search: GuidedSearch
    share: float
    """Of the decisions with a choice, at which it is asked."""

    def __call__(self, matches: range) -> SearchedPositions:
        """`matches`: of an even start and length."""
        halves = (matches[::2], True), (matches[1::2], False)
        return joined([self._played(numbers, greedy=greedy) for numbers, greedy in halves if len(numbers)])

    def _played(self, matches: range, *, greedy: bool) -> SearchedPositions:
        game, chance = self.game, np.random.default_rng((FIRST_SEED, matches.start, matches.step))
        records = np.array([game.new(FIRST_SEED + number) for number in matches], game.state)
        rows, kept = [], []
        for going in going_on(self.policy.drawing(greedy=greedy), game, records, None if greedy else chance):
            asked = going[chance.random(len(going)) < self.share]
            rows.append(asked)
            kept.append(records[asked])
        lanes, positions = np.concatenate(rows), np.concatenate(kept)
        seats = positions["to_move"].astype(np.int64)
        points, wins = scored(game, records)
        ends = wins[lanes, seats], margins_of(points)[lanes, seats]
        observations, masks = seen(game, positions)
        choice = masks.sum(axis=1) > 1
        asked = np.flatnonzero(choice)
        found = self._asked(positions[asked], observations[asked], masks[asked], chance)
        gained = self._gained(positions[asked], found)
        won, margins = (end[asked].astype(np.float32) for end in ends)
        return SearchedPositions(
            observations[asked].astype(np.float16), masks[asked], found.chosen, found.actions, found.leads, found.spreads,
            found.worlds, gained[0], gained[1], won, margins, np.array(matches)[lanes[asked]],
        )  # fmt: skip

    def _asked(
        self, positions: np.ndarray, observations: np.ndarray, masks: np.ndarray, chance: np.random.Generator
    ) -> Searched:
        redacted = positions.copy()
        probes.redact_rows(redacted, positions["to_move"].astype(np.int64))
        return self.search.search(Decisions(observations, masks, chance.random(len(positions)), redacted))

    def _gained(self, positions: np.ndarray, found: Searched) -> tuple[np.ndarray, np.ndarray]:
        """Shares of the win and points that the search's choice brought above the policy's, float32, (n,) each."""
        wins, points = np.zeros((2, len(positions)), np.float32)
        rows = np.flatnonzero(found.chosen != found.actions[:, 0])
        both = found.chosen[rows], found.actions[rows, 0]
        searched, usual = (branched(self.game, self.policy, positions[rows], actions) for actions in both)
        wins[rows], points[rows] = searched[0] - usual[0], searched[1] - usual[1]
        return wins, points


def seen(game: Game, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What the movers see, float32, (n, layout size), and may do, bool, (n, actions)."""
    size = len(records)
    words, masks = np.zeros(words_for(game.actions), np.uint64), np.zeros((size, padded_bytes(game.actions)), np.int8)
    observations = np.zeros((size, game.layout.size), np.float32)
    look_at(records, np.arange(size), words, masks.view(np.uint64), observations)
    return observations, masks[:, : game.actions].view(np.bool_)


def branched(game: Game, policy: Policy, records: np.ndarray, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Play action i (int64, (n,), legal) in a copy of record i, which waits for it, and on to the end by greedy copies.

    The mover's share of the win and its points above the others' mean, float64, (n,) each.
    """
    records, seats, every = records.copy(), records["to_move"].astype(np.int64), np.arange(len(records))
    size = len(records)
    apply_all(records, every, actions, np.zeros(size, np.int64), TO_MATCH_END, np.zeros(size, np.bool_))
    for _ in going_on(policy.drawing(greedy=True), game, records):
        pass
    points, wins = scored(game, records)
    return wins[every, seats], margins_of(points)[every, seats]


def scored(game: Game, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every seat's points, int64, and share of the win, float64; (n, players) each."""
    points, winners = np.zeros((len(records), game.players), np.int64), np.zeros(len(records), np.int64)
    score_all(records, points, winners)
    won = winners[:, None] >> np.arange(game.players) & 1
    return points, won / won.sum(axis=1, keepdims=True)


def margins_of(points: np.ndarray) -> np.ndarray:
    """Own points less the mean of the others', float64."""
    return points - (points.sum(axis=1, keepdims=True) - points) / (points.shape[1] - 1)


def checked(game: Game, arrays: Mapping[str, np.ndarray], where: Path) -> SearchedPositions:
    """Positions from saved arrays. Raises CheckpointError for arrays that no search of this game can have left."""
    rows, k = len(arrays.get("matches", ())), np.shape(arrays.get("actions", ()))[-1]
    like = {
        "observations": ((rows, game.layout.size), np.float16), "action_masks": ((rows, game.actions), np.bool_),
        "chosen": ((rows,), np.int64), "matches": ((rows,), np.int64),
        **dict.fromkeys(("actions", "worlds"), ((rows, k), np.int64)),
        **dict.fromkeys(("leads", "spreads"), ((rows, k), np.float32)),
        **dict.fromkeys(("gained_wins", "gained_points", "wins", "margins"), ((rows,), np.float32)),
    }  # fmt: skip
    found = {name: (array.shape, array.dtype.type) for name, array in arrays.items() if name in like}
    if found != like or not 0 < k <= CANDIDATES:
        raise CheckpointError(f"{where} does not hold searched positions of {game.id}; delete it to search them anew")
    positions = SearchedPositions(**{each.name: arrays[each.name] for each in fields(SearchedPositions)})
    finite = all(np.isfinite(array).all() for array in arrays.values() if array.dtype.kind == "f")
    actions = ((positions.actions >= 0) & (positions.actions < game.actions)).all()
    among = (positions.actions == positions.chosen[:, None]).any(axis=1).all()
    if not (finite and actions and among and (positions.worlds >= 0).all() and (positions.spreads >= 0).all()):
        raise CheckpointError(f"{where} holds positions that no search can have left; delete it to search them anew")
    return positions
