"""Lanes: matches whose seats are played inside the compiled loop, by frozen players in batches, or by a learner.

Who may sit on a seat, and how that is drawn, is told in `seating`; a lane waits for learners and outside players.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from pirate_envs.core import verbs
from pirate_envs.core.bits import draw, padded_bytes, words_for
from pirate_envs.core.cells import expand
from pirate_envs.core.errors import BatchError, MatchOverError, OptionError, SnapshotError, UnknownPlayerError, shown
from pirate_envs.core.game import Game
from pirate_envs.core.jit import compiled, entry_point
from pirate_envs.core.ranges import Use, check_records
from pirate_envs.core.record import PLAYING, TRUNCATED
from pirate_envs.core.rng import MASK, Stream, branch, key, next32, seed_words
from pirate_envs.core.seats import after
from pirate_envs.core.seeds import begin_match, next_match
from pirate_envs.engine import kernels, probes
from pirate_envs.engine.checks import (
    LARGEST,
    Snapshot,
    check_generators,
    check_snapshot,
    check_within,
    checked_actions,
    checked_game,
    checked_size,
)
from pirate_envs.engine.memory import room_for, zeros
from pirate_envs.engine.player import Decisions, OutsidePlayer, Vouched
from pirate_envs.engine.seating import (
    AS_SEATED,
    LEARNER,
    SEATS,
    UNIFORM,
    UNIT32,
    Mix,
    Seating,
    compiled_names,
    draw_options,
    mix_thresholds,
    reseat_all,
    seat_players,
)  # fmt: skip
from pirate_envs.engine.threads import Threads, ranges

_BOUND = ("action_masks", "_shown", "_scratch", "_entry")  # what `Lanes._bind` makes
MOST_PAID, MOST_MOVES = 1e9, 1 << 30  # in one match, in a snapshot
A_SHARE = 512  # lanes that take longer to advance than it takes to hand them to another thread
AT_REST = -2  # in place of a role: the lane's match is over and no other is dealt
ASK = -1  # in place of an action: begin by asking whose turn it is

LEDGER = np.dtype(
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
                ("missed_reward", np.float64),  # paid to learners in the missed matches
                ("gen", np.uint32, (4,)),
                ("moves", np.int32),  # of learners, in this match
                ("match_moves", np.int32),  # in the match that ended last
                ("stage", np.int32),  # the hand, turn or cycle of the learner's decision
                ("missed", np.int32),  # matches since the learner's last move that ended before a learner ever moved
                ("roles", np.int16, (SEATS,)),
                ("waits_for", np.int16),  # the role that decides next, or AT_REST
                ("seat", np.int16),  # of the learner whose decision it is, or was last
                ("ended", np.int8),  # how the match came out that the last move of a learner ended, or 0
                ("gap", np.uint8, (3,)),  # up to the record's end, so that equal ledgers are equal bytes
            ],
            align=True,
        ),
    )
)
"""What is known of each lane beside its record."""


class LanesShown(NamedTuple):
    """What lanes show to whom they wait for; n lanes."""

    words: np.ndarray
    """Legal actions as words (core/bits.py), uint64, shape (n, words)."""
    groups: np.ndarray
    """Legal actions as bytes, seen as groups of eight, uint64, shape (n, groups)."""
    observations: np.ndarray
    """What the seat to move sees, float32, shape (n, layout size); or no rows."""
    final_observations: np.ndarray
    """What the learner's seat saw at the end of the match that ended last, float32, shape (n, layout size); or no rows."""


class LanesScratch(NamedTuple):
    """Room for one lane's move; what it holds means nothing before and after."""

    points: np.ndarray
    """int64, shape (SEATS,)."""
    before: np.ndarray
    """float64, shape (SEATS,)."""
    paid: np.ndarray
    """float64, shape (SEATS,)."""
    earlier: np.ndarray
    """A record, shape (1,)."""


# -- compiled loops ----------------------------------------------------------------------------------------------------


@compiled
def begin_all(records, ledger, branches, seating):
    """Key every lane's generator to its match seed and branch (int64, (n,)), deal its first match and seat the players."""
    for i in range(len(ledger)):
        g = records[i]
        key(ledger[i].gen, np.int64(g.seed[0]), np.int64(g.seed[1]), branch(Stream.LANE, branches[i]))
        draw_options(records, i, ledger[i], seating.option_sets)
        begin_match(g)
        seat_players(ledger[i], int(g.players), seating)


@compiled
def draw_chances(ledger, waiting, chances):
    """One number in [0, 1) from the generator of each lane in `waiting` (int64, (k,)) into `chances` (float64, (k,))."""
    for k in range(len(waiting)):
        chances[k] = next32(ledger[waiting[k]].gen) / UNIT32


@compiled
def finish(g, lane, redeal):
    """Note how a match ended; one in which no learner ever moved, though they are waited for, counts as missed."""
    if lane.moves > 0 or not redeal:
        lane.winners = verbs.score(g, lane.points)
    else:
        lane.missed += 1
        lane.missed_reward += lane.earned[lane.seat]
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
    """The lane waits for `role`; a learner is given what it was owed, if that is for a move of learners in this match.

    What is paid before the first one stays owed, and comes with what that move brings.
    """
    lane.waits_for = role
    if role == LEARNER:
        lane.seat = seat
        lane.stage = stage
        if lane.ended == 0 and lane.moves > 0:
            lane.reward += lane.owed[seat]
            lane.owed[seat] = 0.0


@compiled
def advance(records, ledger, counts, waiting, actions, seating, shown, scratch, redeal):
    """Play the lanes in `waiting` (int64, (k,)) up to the next decision of a learner or of an outside player.

    `ledger`: LEDGER, shape (n,). `counts`: int64, (n, players, tallies), or no rows; with rows every decision is counted.
    `actions`: int64, (n,); actions[i] is lane i's next action, or ASK. `seating`: Seating;
    `shown`: LanesShown; `scratch`: LanesScratch. With `redeal` a lane whose match ends, or that is AT_REST, is dealt the next
    one; without, it is AT_REST when its match ends.

    Each verb has one call here: every call is compiled in full.
    """
    for k in range(len(waiting)):
        i = waiting[k]
        g = records[i]
        lane = ledger[i]
        action = actions[i]
        while True:
            if action >= 0:
                lane.moves += 1 if lane.roles[g.to_move] == LEARNER else 0
                if len(counts) > 0:
                    scratch.earlier[0] = records[i]
                kernels.play(g, action, scratch.points, scratch.before, scratch.paid)
                if len(counts) > 0:
                    verbs.tally(scratch.earlier[0], action, g, counts[i])
                for seat in range(int(g.players)):
                    lane.owed[seat] += scratch.paid[seat]
                    lane.earned[seat] += scratch.paid[seat]
            over = g.over != 0
            role = int(lane.roles[g.to_move])
            asked = role < 0 or role >= seating.compiled_roles
            looks = lane.moves > 0 if over else asked
            if looks and len(shown.observations) > 0:
                row = shown.final_observations[i] if over else shown.observations[i]
                verbs.observe(g, int(lane.seat) if over else int(g.to_move), row)
            if over:
                if lane.waits_for != AT_REST:
                    finish(g, lane, redeal)
                if not redeal:
                    wait(lane, AT_REST, 0, 0)
                    break
                lane.waits_for = LEARNER
                draw_options(records, i, lane, seating.option_sets)
                next_match(g)
                seat_players(lane, int(g.players), seating)
                action = ASK
                continue
            if asked or role == UNIFORM:
                verbs.legal(g, shown.words[i])
            if asked:
                expand(shown.words[i], shown.groups[i])
                wait(lane, role, int(g.to_move), verbs.stage(g))
                break
            action = draw(shown.words[i], lane.gen) if role == UNIFORM else np.int64(verbs.rule_action(g, role - 1))


@compiled
def observe_others(records, ledger, cells, row, out):
    """Write these cells (numbers) of what the other seats see, in the order in which they sit after the learner, lane by lane.

    `row`: room for one observation; `out`: float32, (n, (players - 1) * len(cells)).
    """
    for i in range(len(records)):
        g = records[i]
        players = int(g.players)
        out[i, :] = 0.0
        for steps in range(1, players):
            verbs.observe(g, after(int(ledger[i].seat), steps, players), row)
            for k in range(len(cells)):
                out[i, (steps - 1) * len(cells) + k] = row[cells[k]]


def lanes_scratch(game: Game) -> LanesScratch:
    """Room for one thread."""
    points, before, paid = (zeros((SEATS,), dtype) for dtype in (np.int64, np.float64, np.float64))
    return LanesScratch(points, before, paid, zeros((1,), game.state))


def option_records(game: Game, option_sets: Sequence[Game]) -> np.ndarray:
    """A record with each of these options, nothing dealt, shape (n,). Raises OptionError."""
    for each in option_sets:
        if each.id != game.id or each.players > game.players:
            raise OptionError(f"an option set is {each.id} for {each.players}; allowed: {game.id} for up to {game.players}")
    return np.concatenate([game.empty(0), *(each.empty(1) for each in option_sets)])


class Lanes:
    """`size` matches, their players' roles, and the loop that brings each to the next decision from outside."""

    records: np.ndarray
    """The matches themselves, dtype game.state, shape (size,)."""
    ledger: np.ndarray
    """What is known of each lane beside its record, dtype LEDGER, shape (size,)."""
    action_masks: np.ndarray
    """Legal actions of the seat to move, bool, shape (size, game.actions)."""
    observations: np.ndarray
    """What the seat to move sees, float32, shape (size, game.layout.size); no rows if not asked for."""
    final_observations: np.ndarray
    """What the learner's seat saw at the end of the match that ended last; likewise."""
    counts: np.ndarray
    """What the game's figures are made of, added up, int64, shape (size, players, tallies); no rows if not asked for."""

    def __init__(
        self,
        game: Game,
        size: int,
        *,
        seed: int = 0,
        self_play: float = 0.0,
        option_sets: Sequence[Game] = (),
        observations: bool = True,
        counts: bool = False,
        threads: int = 1,
    ) -> None:
        """Until `meet` the learner plays against uniform players.

        `self_play`: the share of matches in which learners sit on all seats. `option_sets`: the game with other options, of
        which each match draws one; at most as many players as `game` has. With `observations` off no outside player can be
        served. `threads`: how many share the lanes at most, to the same bytes; two pay from 1,024 lanes on. Raises BatchError
        for a bad size, one that there is no memory for, or a bad number of threads (1 to 256), OptionError for a bad seed or
        option set or what is no game.
        """
        self.game, self.size = checked_game(game), checked_size("lanes", size)
        seed_words(seed)
        self._seed, self._resets = int(seed), 0
        self._threads = Threads(threads)
        with room_for("lanes", self.size):
            self._make_arrays(observations, counts)
        self._names = compiled_names(game)
        self._outside: list[OutsidePlayer] = []
        thresholds = mix_thresholds(self._names, "random")
        self._seating = Seating(thresholds, len(self._names), round(self_play * UNIT32), option_records(game, option_sets))
        self._bind()

    def _make_arrays(self, observations: bool, counts: bool) -> None:
        game, rows = self.game, self.size if observations else 0
        self.records = game.empty(self.size)
        self.ledger = np.zeros(self.size, LEDGER)
        self._mask_rows = np.zeros((self.size, padded_bytes(game.actions)), np.int8)
        self._words = np.zeros((self.size, words_for(game.actions)), np.uint64)
        self.observations, self.final_observations = np.zeros((2, rows, game.layout.size), np.float32)
        self.counts = np.zeros((self.size if counts else 0, game.players, game.tallies), np.int64)
        self._actions = np.full(self.size, ASK, np.int64)
        self._every = np.arange(self.size)

    def _bind(self) -> None:
        """Make what a copy must make anew: views of the arrays, room to work in, and the loop's entry."""
        self.action_masks = self._mask_rows[:, : self.game.actions].view(np.bool_)
        groups = self._mask_rows.view(np.uint64)
        self._shown = LanesShown(self._words, groups, self.observations, self.final_observations)
        self._scratch = [lanes_scratch(self.game) for _ in range(self._threads.count)]
        self._entry: Callable[..., None] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in _BOUND}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._bind()

    # -- who plays -----------------------------------------------------------------------------------------------------

    @property
    def compiled_roles(self) -> int:
        """How many roles the compiled loop plays; the outside players' follow."""
        return self._seating.compiled_roles

    @property
    def shares(self) -> dict[str, float]:
        """The mix that opponents are drawn from: name -> share."""
        shares = np.diff(self._seating.thresholds, prepend=0) / UNIT32
        return {name: float(share) for name, share in zip(self._names, shares, strict=True) if share > 0}

    def meet(self, mix: Mix, policies: Mapping[str, OutsidePlayer] | None = None) -> None:
        """Draw opponents from this mix from now on: the game's own players and those of `policies`.

        In a running match an opponent whose name is still there plays on (with its new policy, if that has changed); one
        whose name is gone is replaced by a draw from the mix. Raises UnknownPlayerError or OptionError; then nothing has
        changed.
        """
        if policies is not None and not isinstance(policies, Mapping):
            raise OptionError(f"policies is {shown(policies)}; allowed: a mapping from names to players")
        policies = dict(policies or {})
        own = compiled_names(self.game)
        taken = [name for name in policies if name in own]
        if taken:
            raise UnknownPlayerError(f"a policy cannot be called {taken[0]!r}: that is a player of the game itself")
        names = [*own, *policies]
        thresholds = mix_thresholds(names, mix)
        if self.started:
            renumbered = np.array([names.index(name) if name in names else -1 for name in self._names], np.int64)
            reseat_all(self.records, self.ledger, renumbered, thresholds)
        self._names, self._outside = names, list(policies.values())
        self._seating = self._seating._replace(thresholds=thresholds)

    # -- playing -------------------------------------------------------------------------------------------------------

    @property
    def started(self) -> bool:
        """Whether `reset` has dealt matches for learners."""
        return self._resets > 0

    def reset(self, seed: int | None = None) -> None:
        """Deal every lane anew and bring it to its learner's first decision: lane i from match seed `seed + i`.

        Without a seed the first reset deals from the constructor's, each further one from other seeds. Raises OptionError
        for a bad seed.
        """
        if seed is not None:
            seed_words(seed)
        with self._all_or_nothing():
            if seed is not None:
                self._seed, self._resets = int(seed), 0
            kernels.seed_records(self.records, *seed_words((self._seed + (self._resets << 40)) % 2**64))
            self._resets += 1
            self._begin(np.zeros(self.size, np.int64), self._seating)
            self._settle(self._seating, redeal=True)

    def learners_act(self, actions: Any, *, redeal: bool = True) -> None:
        """Play the learners' actions (integers, (size,)) and bring every lane to the next decision of a learner.

        A match that ends in which no learner has moved is passed over and noted in the ledger's `missed`. Without `redeal` a
        lane whose match ends keeps it until `deal_next`. Raises IllegalActionError or BatchError, and what an outside player
        raises; then nothing has moved.
        """
        if not self.started:
            raise BatchError("actions before reset: no match has been dealt")
        resting = self._resting()
        if len(resting):
            raise MatchOverError(f"an action after the end of the match in lane {resting[0]}")
        self._actions[:] = self._checked(actions, self._every)
        with self._all_or_nothing():
            self._begin_move()
            self._play_on(self._every, self._seating, redeal=redeal)

    def deal_next(self) -> None:
        """Deal the next match to every lane whose match is over and bring it to its learner's first decision."""
        resting = self._resting()
        with self._all_or_nothing():
            self._begin_move()
            self._actions[resting] = ASK
            self._play_on(resting, self._seating, redeal=True)

    def _resting(self) -> np.ndarray:
        return np.flatnonzero(self.ledger["waits_for"] == AT_REST)

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Where an outside player fails, or is interrupted, in here, the lanes are again as they were before."""
        if not self._outside:
            yield
            return
        kept = [array.copy() for array in (self.records, self.ledger, self.counts)], self._seed, self._resets
        try:
            yield
        except BaseException:
            (self.records[:], self.ledger[:], self.counts[:]), self._seed, self._resets = kept
            if self.started:
                self._look_again()
            raise

    def _look_again(self) -> None:
        """Show what learners see where they are waited for."""
        waiting = np.flatnonzero(self.ledger["waits_for"] == LEARNER)
        self._actions[waiting] = ASK
        self._play_on(waiting, self._seating, redeal=True)

    def _begin_move(self) -> None:
        for name in ("ended", "reward", "missed", "missed_reward"):
            self.ledger[name] = 0

    def play_matches(
        self, seeds: np.ndarray, roles: np.ndarray, branches: np.ndarray, outside: Sequence[OutsidePlayer] = ()
    ) -> None:
        """Play a match of each of these seeds (uint64, (size,)) to its end, without learners.

        `roles`: who sits where, (size, players); those from `compiled_roles` on are the `outside` players. `branches`
        (int64, (size,)) tells the draws of equal seeds apart.
        """
        self.records["seed"] = seeds.astype(np.uint64).view(np.uint32).reshape(-1, 2)
        self.ledger["roles"][:, : self.game.players] = roles
        self._outside = list(outside)
        seating = self._seating._replace(thresholds=AS_SEATED)
        self._begin(branches, seating)
        self._settle(seating, redeal=False)

    def _begin(self, branches: np.ndarray, seating: Seating) -> None:
        roles = self.ledger["roles"].copy()
        self.ledger[:] = np.zeros((), LEDGER)
        self.ledger["roles"] = roles
        begin_all(self.records, self.ledger, branches, seating)

    def _settle(self, seating: Seating, *, redeal: bool) -> None:
        """Bring every lane to the next decision of a learner, or to its end."""
        self._actions[:] = ASK
        self._play_on(self._every, seating, redeal=redeal)

    def _play_on(self, waiting: np.ndarray, seating: Seating, *, redeal: bool) -> None:
        """Play the actions of the lanes `waiting`, then what outside players answer, until only learners are waited for."""
        while len(waiting):
            self._advance(waiting, seating, redeal)
            self._actions[waiting] = ASK
            waits_for = self.ledger["waits_for"][waiting]
            asked = waits_for >= self.compiled_roles
            waiting, waits_for = waiting[asked], waits_for[asked]
            for slot, player in enumerate(self._outside):
                mine = waiting[waits_for == self.compiled_roles + slot]
                if len(mine):
                    self._actions[mine] = self._checked(player.act(self.decisions(mine, player.wants_records)), mine)

    def _advance(self, waiting: np.ndarray, seating: Seating, redeal: bool) -> None:
        """`advance` through its own entry point: numba takes microseconds to tell the types of bundles at every call."""
        parts = ranges(len(waiting), self._threads.enough_for(len(waiting) // A_SHARE))
        work = [
            (
                self.records, self.ledger, self.counts, waiting[part], self._actions,
                seating, self._shown, self._scratch[number], redeal,
            )
            for number, part in enumerate(parts)
        ]  # fmt: skip
        self._entry = self._entry or entry_point(advance, *work[0])
        self._threads.map(self._entry, work)

    def _checked(self, actions: Any, waiting: np.ndarray) -> np.ndarray:
        words = self._words if waiting is self._every else self._words[waiting]
        return checked_actions(self.game, actions, words, self.records, waiting)

    # -- seeing --------------------------------------------------------------------------------------------------------

    def decisions(self, waiting: np.ndarray, with_records: bool = False) -> Decisions:
        """What the players may know for whom the lanes `waiting` (int64, (k,)) wait; it draws their chances."""
        chances = np.zeros(len(waiting))
        draw_chances(self.ledger, waiting, chances)
        records = None
        if with_records:
            records = self.records[waiting]
            probes.redact_rows(records, records["to_move"].astype(np.int64))
        return Vouched(self.observations[waiting], self.action_masks[waiting], chances, records)

    def write_hidden(self, out: np.ndarray) -> None:
        """What a critic may see beside the learner's observation: the others' private cells, by seats after it.

        `out`: float32, shape (size, (players - 1) * len(game.layout.private)).
        """
        row = np.zeros(self.game.layout.size, np.float32)
        observe_others(self.records, self.ledger, self.game.layout.private, row, out)

    # -- snapshots -----------------------------------------------------------------------------------------------------

    def get_state(self) -> Snapshot:
        """A snapshot to give to `set_state`: copies of records and ledger, and the seed; the policies are not in it."""
        seed = np.array([*seed_words(self._seed), self._resets], np.int64)
        return {"records": self.records.copy(), "ledger": self.ledger.copy(), "seed": seed}

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """Go back to a snapshot, taken with the same game, size and names of opponents in the same order.

        Raises SnapshotError, of its kind RecordError for what a record holds; then nothing has changed. Of lanes in which no
        match has been dealt for learners only the seed is taken.
        """
        own = {"records": self.records, "ledger": self.ledger, "seed": np.zeros(3, np.int64)}
        check_snapshot(self.game, state, own)
        check_within("seed", state["seed"], 0, [MASK, MASK, LARGEST])
        low, high, resets = (int(number) for number in state["seed"])
        if resets:
            check_records(self.game, state["records"], Use.PLAY_ON, self._seating.option_sets)
            self._check_ledger(state["ledger"], state["records"]["players"])
        with self._all_or_nothing():
            self._seed, self._resets = low | high << 32, resets
            if self.started:
                self.records[:], self.ledger[:] = state["records"], state["ledger"]
                self._settle(self._seating, redeal=True)

    def _check_ledger(self, ledger: np.ndarray, players: np.ndarray) -> None:
        """Raise SnapshotError unless lanes of so many players each (shape (size,)) may be played on by this ledger."""
        roles = np.where(np.arange(SEATS) < players[:, None], ledger["roles"], LEARNER)
        strange = (roles < LEARNER) | (roles >= len(self._names))
        if strange.any():
            raise SnapshotError(f"the snapshot seats opponent number {roles[strange][0]}; there are: {', '.join(self._names)}")
        ended = ledger["ended"] != PLAYING
        check_within("ended", ledger["ended"], PLAYING, TRUNCATED)
        check_within("seat", ledger["seat"], 0, players.astype(np.int64) - 1)
        check_within("waits_for", ledger["waits_for"], AT_REST, len(self._names) - 1)
        check_within("winners", ledger["winners"], ended.astype(np.int64), (1 << self.game.players) - 1)
        for name in ("moves", "match_moves", "missed"):
            check_within(name, ledger[name], 0, MOST_MOVES)
        for name in ("owed", "final", "earned", "reward", "match_reward", "missed_reward"):
            check_within(name, ledger[name], -MOST_PAID, MOST_PAID)
        check_generators("gen", ledger["gen"])
