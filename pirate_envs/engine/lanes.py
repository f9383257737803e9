"""Lanes: matches whose seats are played inside the compiled loop, by frozen players in batches, or by a learner.

Every seat of a lane has a role, a small number: LEARNER, UNIFORM (any legal action, each with the same chance), then the
game's rule players, weakest first, then the outside players in the order given. The compiled loop plays all but the
learner and the outside players; for those a lane waits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from pirate_envs.core import verbs
from pirate_envs.core.bits import draw, padded_bytes, words_for
from pirate_envs.core.cells import expand
from pirate_envs.core.errors import BatchError, IllegalActionError, OptionError, UnknownPlayerError
from pirate_envs.core.game import Game
from pirate_envs.core.jit import compiled
from pirate_envs.core.rng import below, key, next32, seed_words
from pirate_envs.core.seeds import begin_match, next_match
from pirate_envs.engine import kernels

NOBODY, LEARNER, UNIFORM = -2, -1, 0
SEATS = 16  # room for the seats of any game
LANE_CHANCE = 0xFFFFFFFD  # the stream of a lane's own draws: seats, opponents, uniform actions
WHOLE = 1 << 32
SEATED = np.zeros(0, np.int64)  # instead of thresholds: every player stays on its seat

LANE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("points", np.int64, (SEATS,)),  # of the match that ended last
                ("winners", np.int64),  # of that match, as bits
                ("owed", np.float64, (SEATS,)),  # paid to each seat since its last move
                ("final", np.float64, (SEATS,)),  # paid to each seat between its last move and the end of the match that ended
                ("earned", np.float64, (SEATS,)),  # by each seat in this match so far
                ("reward", np.float64),  # what the learner's last move brought
                ("match_reward", np.float64),  # in the match that ended last
                ("gen", np.uint32, (4,)),
                ("moves", np.int32),  # of learners, in this match
                ("match_moves", np.int32),  # in the match that ended last
                ("stage", np.int32),  # the hand, turn or cycle of the learner's decision
                ("roles", np.int16, (SEATS,)),
                ("waiting", np.int16),  # the role that decides next, or NOBODY
                ("seat", np.int16),  # of the learner whose decision it is, or was last
                ("ended", np.int8),  # how the match came out that the last move of a learner ended, or 0
            ],
            align=True,
        ),
    )
)


class Decisions(NamedTuple):
    """A batch of decisions for one player to make."""

    observations: np.ndarray
    """float32, shape (n, layout size)."""
    action_masks: np.ndarray
    """bool, shape (n, actions)."""
    chances: np.ndarray
    """A number in [0, 1) for each decision, float64, shape (n,): the only randomness that a player may use."""
    records: np.ndarray | None
    """Redacted copies, shape (n,), where the player asks for them (`wants_records`), else None."""


class OutsidePlayer(Protocol):
    """A player that decides in batches: `act` gives one legal action id each, integers, shape (n,)."""

    wants_records: bool

    def act(self, decisions: Decisions) -> np.ndarray: ...


# -- compiled loops ----------------------------------------------------------------------------------------------------


@compiled
def draw_role(gen, thresholds):
    """A role by cumulative weights: thresholds[r] is 2**32 times the share of the roles up to r."""
    at = next32(gen)
    role = 0
    while at >= thresholds[role]:
        role += 1
    return role


@compiled
def seat_players(lane, players, thresholds, together):
    """Draw the learner's seat and who sits on the others; without thresholds all stay where they are.

    `together` is 2**32 times the share of matches in which learners sit on all seats.
    """
    if len(thresholds) == 0:
        return
    lane.seat = below(lane.gen, players)
    among_themselves = together > 0 and next32(lane.gen) < together
    for seat in range(players):
        lane.roles[seat] = LEARNER if seat == lane.seat or among_themselves else draw_role(lane.gen, thresholds)


@compiled
def vary(records, i, lane, variants):
    """Give record i the options of one of the variants, where there are any; its seed stays."""
    if len(variants) > 0:
        low, high = records[i].seed[0], records[i].seed[1]
        records[i] = variants[below(lane.gen, len(variants))]
        records[i].seed[0] = low
        records[i].seed[1] = high


@compiled
def begin_all(records, lanes, branches, thresholds, together, variants):
    """Key every lane's generator to its match seed and branch, deal its first match and seat the players."""
    for i in range(len(lanes)):
        g = records[i]
        key(lanes[i].gen, np.int64(g.seed[0]), np.int64(g.seed[1]), LANE_CHANCE - branches[i])
        vary(records, i, lanes[i], variants)
        begin_match(g)
        seat_players(lanes[i], int(g.players), thresholds, together)


@compiled
def reseat_all(records, lanes, renumbered, thresholds):
    """Give every opponent its new role number; those that are no more (negative) are replaced by a draw."""
    for i in range(len(lanes)):
        lane = lanes[i]
        for seat in range(int(records[i].players)):
            role = int(lane.roles[seat])
            if role >= 0:
                role = renumbered[role]
                lane.roles[seat] = role if role >= 0 else draw_role(lane.gen, thresholds)


@compiled
def draw_chances(lanes, turn, chances):
    """One number in [0, 1) from the generator of each lane in `turn`."""
    for k in range(len(turn)):
        chances[k] = next32(lanes[turn[k]].gen) / WHOLE


@compiled
def redact_all(records, seats):
    """Blank in place what the seat cannot know, record by record."""
    for i in range(len(records)):
        verbs.redact(records[i], seats[i])


@compiled
def finish(g, lane):
    """Note how a match ended; one in which no learner ever moved leaves no trace in the rewards."""
    lane.winners = verbs.score(g, lane.points)
    if lane.moves > 0:
        lane.ended = g.over
        lane.reward = lane.owed[lane.seat]
        lane.match_reward = lane.earned[lane.seat]
        lane.match_moves = lane.moves
        for seat in range(int(g.players)):
            lane.final[seat] = lane.owed[seat]
    for seat in range(int(g.players)):
        lane.owed[seat] = 0.0
        lane.earned[seat] = 0.0
    lane.moves = 0


@compiled
def wait(lane, role, seat, stage):
    """The lane waits for `role`; a learner is given what it was owed, unless this move has ended its match before."""
    lane.waiting = role
    if role == LEARNER:
        lane.seat = seat
        lane.stage = stage
        if lane.ended == 0:
            lane.reward += lane.owed[seat]
            lane.owed[seat] = 0.0


@compiled
def advance(
    records, lanes, turn, actions, inside, thresholds, together, variants, words, masks, observations, last, points, before,
    paid, again, earlier, counts,
):  # fmt: skip
    """Play the lanes in `turn` up to the next decision of the learner or of an outside player.

    actions[i] is lane i's next action, or -1 to begin by asking whose turn it is. Roles below `inside` are played here.
    With `again` a lane whose match ends is dealt the next one; without, it then waits for NOBODY. `last` receives what
    the learner's seat sees at the end of a match. Where `counts` has rows every decision is counted; `earlier` is room for
    one record. Each verb has one call here: every call is compiled in full.
    """
    for k in range(len(turn)):
        i = turn[k]
        g = records[i]
        lane = lanes[i]
        action = actions[i]
        while True:
            if action >= 0:
                lane.moves += 1 if lane.roles[g.to_move] == LEARNER else 0
                if len(counts) > 0:
                    earlier[0] = records[i]
                kernels.play(g, action, points, before, paid)
                if len(counts) > 0:
                    verbs.tally(earlier[0], action, g, counts[i])
                for seat in range(int(g.players)):
                    lane.owed[seat] += paid[seat]
                    lane.earned[seat] += paid[seat]
            over = g.over != 0
            role = int(lane.roles[g.to_move])
            outside = role < 0 or role >= inside
            if (over or outside) and len(observations) > 0:
                verbs.observe(g, int(lane.seat) if over else int(g.to_move), last[i] if over else observations[i])
            if over:
                finish(g, lane)
                if not again:
                    wait(lane, NOBODY, 0, 0)
                    break
                vary(records, i, lane, variants)
                next_match(g)
                seat_players(lane, int(g.players), thresholds, together)
                action = -1
                continue
            if outside or role == UNIFORM:
                verbs.legal(g, words[i])
            if outside:
                expand(words[i], masks[i])
                wait(lane, role, int(g.to_move), verbs.stage(g))
                break
            action = draw(words[i], lane.gen) if role == UNIFORM else np.int64(verbs.rule_action(g, role - 1))


@compiled
def observe_others(records, lanes, cells, row, out):
    """Write these cells of what the other seats see, in the order in which they sit after the learner, lane by lane."""
    for i in range(len(records)):
        g = records[i]
        players = int(g.players)
        out[i, :] = 0.0
        for after in range(1, players):
            verbs.observe(g, (int(lanes[i].seat) + after) % players, row)
            for k in range(len(cells)):
                out[i, (after - 1) * len(cells) + k] = row[cells[k]]


# -- who plays ---------------------------------------------------------------------------------------------------------


def inside_names(game: Game) -> list[str]:
    """Names of the players that the compiled loop plays, by role: 'random', then 'rules:NAME', weakest first."""
    return ["random", *(f"rules:{name}" for name in game.rule_players)]


def role_number(names: Sequence[str], name: str) -> int:
    """The role of that name; 'rules:strongest' is the last rule player. Raises UnknownPlayerError."""
    if name == "rules:strongest":
        rules = [i for i, known in enumerate(names) if known.startswith("rules:")]
        if rules:
            return rules[-1]
    if name not in names:
        raise UnknownPlayerError(f"unknown player {name!r}; there are: {', '.join([*names, 'rules:strongest'])}")
    return list(names).index(name)


def mix_thresholds(names: Sequence[str], mix: Mapping[str, float]) -> np.ndarray:
    """Cumulative weights of every role, scaled to 2**32, int64. Raises UnknownPlayerError or OptionError."""
    weights = np.zeros(len(names))
    for name, weight in mix.items():
        if isinstance(weight, bool) or not isinstance(weight, (int, float, np.number)) or not 0 <= weight < np.inf:
            raise OptionError(f"weight of opponent {name!r} is {weight!r}; allowed: a finite number from 0 up")
        weights[role_number(names, name)] += weight
    if not weights.sum() > 0:
        raise OptionError(f"opponents {dict(mix)!r} have no weight; at least one must be above 0")
    thresholds = np.round(np.cumsum(weights) / weights.sum() * WHOLE).astype(np.int64)
    thresholds[np.flatnonzero(weights)[-1] :] = WHOLE
    return thresholds


class Lanes:
    """`size` matches, their players' roles, and the loop that brings each to the next decision from outside."""

    def __init__(self, game: Game, size: int, *, observations: bool = True, counts: bool = False) -> None:
        """Raises BatchError for a bad size. With `observations` off no outside player can be served.

        With `counts` on, `self.counts` (int64, (size, players, tallies)) adds up what the game's figures are made of.
        """
        if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or not 1 <= size <= 1 << 24:
            raise BatchError(f"lanes is {size!r}; allowed: an integer from 1 to {1 << 24}")
        self.game = game
        self.size = int(size)
        self.inside = len(inside_names(game))
        self.outside: list[OutsidePlayer] = []
        self.together = 0
        """2**32 times the share of matches, drawn by thresholds, in which learners sit on all seats; else one learner plays."""
        self.variants = game.empty(0)
        """Records of other options (`Game.empty`), of which each match draws one; at most as many players as `game` has."""
        self.records = game.empty(self.size)
        self.lanes = np.zeros(self.size, LANE)
        self.words = np.zeros((self.size, words_for(game.actions)), np.uint64)
        mask_rows = np.zeros((self.size, padded_bytes(game.actions)), np.int8)
        self._mask_groups = mask_rows.view(np.uint64)
        self.action_masks = mask_rows[:, : game.actions].view(np.bool_)
        rows = self.size if observations else 0
        self.observations = np.zeros((rows, game.layout.size), np.float32)
        self.last_observations = np.zeros((rows, game.layout.size), np.float32)
        self.actions = np.full(self.size, -1, np.int64)
        self.counts = np.zeros((self.size if counts else 0, game.players, game.tallies), np.int64)
        self._earlier = game.empty(1)
        self._scratch = np.zeros(SEATS, np.int64), np.zeros(SEATS), np.zeros(SEATS)  # points, before, paid
        self._every = np.arange(self.size)

    def start(self, seed: int, thresholds: np.ndarray) -> None:
        """Deal lane i the match of `seed + i`, seat players drawn by `thresholds`. Raises OptionError for a bad seed."""
        low, high = seed_words(seed)
        kernels.seed_records(self.records, low, high)
        self._begin(np.zeros(self.size, np.int64), thresholds)

    def start_matches(self, seeds: np.ndarray, roles: np.ndarray, branches: np.ndarray) -> None:
        """Deal match seeds (uint64, (size,)) with these roles ((size, players)); `branches` tells equal seeds' draws apart."""
        self.records["seed"] = seeds.astype(np.uint64).view(np.uint32).reshape(-1, 2)
        self.lanes["roles"][:, : self.game.players] = roles
        self._begin(branches, SEATED)

    def _begin(self, branches: np.ndarray, thresholds: np.ndarray) -> None:
        roles = self.lanes["roles"].copy()
        self.lanes[:] = np.zeros((), LANE)
        self.lanes["roles"] = roles
        begin_all(self.records, self.lanes, branches, thresholds, self.together, self.variants)

    def play_on(self, turn: np.ndarray, thresholds: np.ndarray, *, again: bool) -> None:
        """Play self.actions in the lanes `turn`, then whatever outside players answer, until only learners are waited for."""
        while len(turn):
            advance(
                self.records, self.lanes, turn, self.actions, self.inside, thresholds, self.together, self.variants,
                self.words, self._mask_groups, self.observations, self.last_observations, *self._scratch, again,
                self._earlier, self.counts,
            )  # fmt: skip
            self.actions[turn] = -1
            turn = turn[self.lanes["waiting"][turn] >= self.inside]
            for slot, player in enumerate(self.outside):
                mine = turn[self.lanes["waiting"][turn] == self.inside + slot]
                if len(mine):
                    self.actions[mine] = self.checked(player.act(self.decisions(mine, player.wants_records)), mine)

    def settle(self, thresholds: np.ndarray, *, again: bool) -> None:
        """Bring every lane to the next decision of a learner (or its end)."""
        self.actions[:] = -1
        self.play_on(self._every, thresholds, again=again)

    def learners_act(self, actions: Any, thresholds: np.ndarray) -> None:
        """Every lane waits for its learner: play these actions. Raises IllegalActionError or BatchError; then nothing moves."""
        self.actions[:] = self.checked(actions, self._every)
        self.lanes["ended"], self.lanes["reward"] = 0, 0
        self.play_on(self._every, thresholds, again=True)

    def write_hidden(self, out: np.ndarray) -> None:
        """What a critic may see beside the learner's observation: the others' private cells, by seats after it.

        `out`: float32, shape (size, (players - 1) * len(game.layout.private)).
        """
        observe_others(self.records, self.lanes, self.game.layout.private, np.zeros(self.game.layout.size, np.float32), out)

    def decisions(self, turn: np.ndarray, with_records: bool = False) -> Decisions:
        """What the players whom the lanes `turn` wait for may know."""
        chances = np.zeros(len(turn))
        draw_chances(self.lanes, turn, chances)
        records = None
        if with_records:
            records = self.records[turn]
            redact_all(records, records["to_move"].astype(np.int64))
        return Decisions(self.observations[turn], self.action_masks[turn], chances, records)

    def checked(self, actions: Any, turn: np.ndarray) -> np.ndarray:
        """Actions for the lanes `turn` as int64. Raises BatchError (shape, dtype) or IllegalActionError."""
        array = np.asarray(actions)
        if array.shape != turn.shape or array.dtype.kind not in "iu":
            raise BatchError(f"actions have shape {array.shape} and dtype {array.dtype}; needed: {turn.shape} integers")
        array = np.ascontiguousarray(array, np.int64)
        wrong = kernels.first_illegal(array, self.words[turn], self.game.actions)
        if wrong >= 0:
            legal = self.game.legal_actions(self.records[turn[wrong]])
            raise IllegalActionError(f"action {int(array[wrong])} is not legal in lane {int(turn[wrong])}; legal: {legal}")
        return array
