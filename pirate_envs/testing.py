"""check_game: the laws that every game keeps, tried on random play.

    >>> import pirate_envs
    >>> from pirate_envs.testing import check_game
    >>> check_game(pirate_envs.load("skull_king", players=3), matches=100)

A broken law raises a GameLawError that names the match seed and the decision; `position` leads back there.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import Any
from xml.etree import ElementTree

import numpy as np

from pirate_envs.core.bits import words_for
from pirate_envs.core.errors import IllegalActionError, MatchOverError, RecordError
from pirate_envs.core.events import WATCHER, Viewer
from pirate_envs.core.game import Game
from pirate_envs.core.ranges import Use
from pirate_envs.core.rng import seed_words
from pirate_envs.engine import kernels, probes
from pirate_envs.engine.batch import Batch

LANES = 1000  # matches played in lockstep
SAMPLED_MATCHES = 6  # for the laws that are tried in Python
SAMPLED_SHARE, SAMPLED_POSITIONS = 1 / 8, 16  # of the positions of each of these matches; about so many of a long one
WORLD_SHARE = 1 / 64  # of all determinized worlds, played on to their end
SOME = 4  # one position in this many is held to the game's own laws, and looked at from another seat too


class GameLawError(AssertionError):
    """A game breaks one of its laws; the message names the law, the match seed and the decision."""


def check_game(game: Game, matches: int = 2000, seed: int = 0) -> None:
    """Try the laws on `matches` random matches of the game with its options, seeds `seed`, `seed` + 1, and so on.

    In every position of every match, in compiled loops:

    - Some action is legal before the end; a match ends within `game.max_decisions`.
    - Every cell of the mover's observation is written and lies within the layout's bounds.
    - On the record redacted for the mover, its observation, legal actions and every rule player's choice are the same
      bytes; rule players choose legal actions; looking changes nothing.
    - A determinized world has the same observation and legal actions, and redacting it gives the redacted record back.
      One world in 64 is played on to its end at random.
    - One position in four is looked at in this way from another seat too, without the laws on legal actions.
    - In one position in four, and in one world in four: what the game's own laws say, if it declares any (`Game.laws`, a
      function from records, shape (n,), to a dict of law name -> bool (n,)).

    In every match: what was paid adds up to the final rewards, which add up to zero for `win` and `margin`; all seats'
    observations of the end are written and within bounds; playing the same actions from a snapshot taken anywhere leads
    to the same bytes.

    In a few matches, through the Python interface: a lane of a batch equals the game alone; rotating the seats rotates the
    game; illegal actions raise and change nothing; actions have distinct names that lead back to them; views are JSON;
    events lead from one view to the next and tell nothing that the viewer may not know (`check_events`); pictures are XML,
    and a seat's is the same in a determinized world.

    Raises GameLawError.
    """
    for start in range(0, matches, LANES):
        _check_matches(game, seed + start, min(LANES, matches - start))
    for match in range(min(matches, SAMPLED_MATCHES)):
        _check_slowly(game, seed + match)
    _check_batch(game, seed)


def position(game: Game, seed: int, decisions: int) -> np.record:
    """The record after that many random decisions of match `seed`: where a GameLawError happened."""
    lanes = _Lanes.dealt(game, seed, 1)
    for _ in range(decisions):
        lanes.play(lanes.draw())
    return lanes.records[0]


# -- rows as bytes --------------------------------------------------------------------------------------------------------


def _bytes(rows: np.ndarray) -> np.ndarray:
    """The rows as uint8, shape (len(rows), bytes each)."""
    return rows.view(np.uint8).reshape(len(rows), rows.dtype.itemsize * math.prod(rows.shape[1:]))


def _take(records: np.ndarray, which: Any = slice(None)) -> np.ndarray:
    """A copy of some records, as bytes: a structured copy goes field by field and is slow."""
    return _bytes(records)[which].copy().reshape(-1).view(records.dtype)


def _unequal(rows: np.ndarray, others: np.ndarray) -> int:
    """The first row that is not the same bytes, or -1."""
    return int(probes.first_difference(_bytes(rows), _bytes(others)))


def _failing(kept: Any) -> int:
    """The first row of a bool array that is False, or -1."""
    return -1 if kept.all() else int(np.argmin(kept))


def _allowed(words: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """Which of the actions are in their row's mask."""
    chosen = words[np.arange(len(actions)), actions >> 6]
    return (chosen >> (actions & 63).astype(np.uint64)) & np.uint64(1) == 1


class _Lanes:
    """Random matches in lockstep: `records` of all, `rows` (copies) of those still alive, and their legal actions."""

    def __init__(self, game: Game, records: np.ndarray) -> None:
        self.game = game
        self.records = records
        self._generators = np.zeros((len(records), 4), np.uint32)
        probes.key_rows(records, self._generators)
        self._look()

    @classmethod
    def dealt(cls, game: Game, seed: int, count: int) -> _Lanes:
        """Matches `seed`, `seed` + 1, and so on, from their beginning."""
        records = game.empty(count)
        kernels.seed_records(records, *seed_words(seed))
        kernels.deal_all(records)
        return cls(game, records)

    def _look(self) -> None:
        self.alive = np.flatnonzero(self.records["over"] == 0)
        self.rows = _take(self.records, self.alive)
        self.words = np.zeros((len(self.rows), words_for(self.game.actions)), np.uint64)
        probes.legal_rows(self.rows, self.words)

    def draw(self) -> np.ndarray:
        """A random legal action for every lane alive."""
        actions = np.zeros(len(self.alive), np.int64)
        generators = self._generators[self.alive]
        kernels.draw_all(self.words, generators, actions)
        self._generators[self.alive] = generators
        return actions

    def play(self, actions: np.ndarray) -> np.ndarray:
        """Play one decision in every lane alive; returns what it paid, float64, shape (lanes alive, players)."""
        paid = _play(self.game, self.rows, actions)
        _bytes(self.records)[self.alive] = _bytes(self.rows)
        self._look()
        return paid


def _play(game: Game, rows: np.ndarray, actions: np.ndarray) -> np.ndarray:
    paid = np.zeros((len(rows), game.players))
    probes.play_rows(rows, actions, np.zeros((len(rows), game.players), np.int64), np.zeros(game.players), paid)
    return paid


# -- laws of every position -----------------------------------------------------------------------------------------------


class _Laws:
    """The laws of one game, tried on rows of records. A law is told by the first row that breaks it, -1 for none."""

    def __init__(self, game: Game, rows: int = 1) -> None:
        self.game = game
        self.low, self.high = game.layout.low, game.layout.high
        self.own = game.laws
        self._seen, self._shown = np.zeros((2, rows, game.layout.size), np.float32)

    def demand(self, law: str, broken: int, origin: np.ndarray, detail: Callable[[int], str] = lambda row: "") -> None:
        """Raise GameLawError unless `broken` is -1; it names the match of `origin` in that row, `detail` tells more."""
        if broken < 0:
            return
        low, high = (int(word) for word in origin[broken]["seed"])
        match, decisions = low | high << 32, int(origin[broken]["decisions"])
        raise GameLawError(
            f"{self.game.id} with {self.game.options}: {law}; match seed {match} after {decisions} decisions. "
            f"{detail(broken)} (pirate_envs.testing.position(game, {match}, {decisions}) leads there)"
        )

    def seen(self, rows: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """What the seats see, every cell written and within its bounds; overwritten by the next call."""
        out = self._seen[: len(rows)]
        probes.observe_rows(rows, seats, out)

        def cell(row: int) -> str:
            at = int(np.argmin((out[row] >= self.low) & (out[row] <= self.high)))
            return f"Seat {seats[row]}, cell {at}: {out[row, at]} is not within {self.low[at]}..{self.high[at]}."

        outside = int(probes.first_outside(out, self.low, self.high))
        self.demand("every observation cell is written and within its bounds", outside, rows, cell)
        return out

    def shown_alike(self, law: str, seen: np.ndarray, rows: np.ndarray, seats: np.ndarray, origin: np.ndarray) -> None:
        """The seats see the same on these rows."""
        out = self._shown[: len(rows)]
        probes.observe_rows(rows, seats, out)
        self.demand(law, _unequal(seen, out), origin)

    def masks(self, lanes: _Lanes) -> None:
        """Some action is legal, and none beyond the last; the match is not too long."""
        self.demand("some action is legal before the end", _failing(lanes.words.any(axis=1)), lanes.rows)
        beyond = self.game.actions % 64
        if beyond:
            known = lanes.words[:, -1] >> np.uint64(beyond) == 0
            self.demand("legal actions have ids below game.actions", _failing(known), lanes.rows)
        short = lanes.rows["decisions"] < self.game.max_decisions
        self.demand("a match ends within max_decisions", _failing(short), lanes.rows)

    def keep_own(self, rows: np.ndarray, origin: np.ndarray) -> None:
        """The game's own laws."""
        if self.own is not None and len(rows):
            for law, kept in self.own(rows).items():
                self.demand(law, _failing(kept), origin)

    def hide(self, rows: np.ndarray, seats: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What the seats see, and the redacted rows, on which they see the same."""
        seen, hidden = self.seen(rows, seats), _take(rows)
        probes.redact_rows(hidden, seats)
        self.shown_alike("a seat's observation is the same on its redacted record", seen, hidden, seats, rows)
        return seen, hidden

    def sight(self, rows: np.ndarray, seats: np.ndarray, salt: int) -> tuple[np.ndarray, np.ndarray]:
        """What a seat is shown comes from what it may know; returns the redacted rows and one world for each."""
        seen, hidden = self.hide(rows, seats)
        worlds = _take(hidden)
        probes.determinize_rows(worlds, seats, salt)
        self.shown_alike("a determinized world has the same observation", seen, worlds, seats, rows)
        some = slice(salt % SOME, None, SOME)
        self.keep_own(worlds[some], rows[some])
        again = _take(worlds)
        probes.redact_rows(again, seats)
        self.demand("redacting a determinized world gives the redacted record back", _unequal(hidden, again), rows)
        return hidden, worlds

    def choice(self, lanes: _Lanes, hidden: np.ndarray, worlds: np.ndarray) -> None:
        """The mover's legal actions and the rule players' choices come from what the mover may know."""
        words = np.zeros_like(lanes.words)
        for name, rows in (("its redacted record", hidden), ("a determinized world", worlds)):
            probes.legal_rows(rows, words)
            self.demand(f"the mover's legal actions are the same on {name}", _unequal(words, lanes.words), lanes.rows)
        chosen, blind = np.zeros((2, len(hidden)), np.int64)
        for player, name in enumerate(self.game.rule_players):
            probes.advise_rows(lanes.rows, player, chosen)
            probes.advise_rows(hidden, player, blind)
            self.demand(f"rule player {name!r} decides the same on its redacted record", _failing(chosen == blind), lanes.rows)
            good = (chosen >= 0) & (chosen < self.game.actions)
            good[good] = _allowed(lanes.words[good], chosen[good])
            self.demand(f"rule player {name!r} plays legal actions", _failing(good), lanes.rows)

    def end(self, records: np.ndarray, paid: np.ndarray) -> None:
        """The laws of matches that are over."""
        for seat in range(self.game.players):
            self.hide(records, np.full(len(records), seat))
        points, rewards = np.zeros(paid.shape, np.int64), np.zeros(paid.shape)
        probes.value_rows(records, points, rewards)

        def detail(row: int) -> str:
            return f"Paid {paid[row]}, points {points[row]}, rewards {rewards[row]}."

        same = np.isclose(paid, rewards, atol=1e-6).all(axis=1)
        self.demand("what was paid adds up to the rewards", _failing(same), records, detail)
        if self.game.options.reward != "score":
            balanced = np.isclose(rewards.sum(axis=1), 0, atol=1e-6)
            self.demand("rewards add up to zero", _failing(balanced), records, detail)


# -- laws of whole matches ------------------------------------------------------------------------------------------------


def _check_matches(game: Game, seed: int, count: int) -> None:
    """Play `count` matches in lockstep under the laws of every position, then try those of whole matches."""
    laws, lanes, chance = _Laws(game, count), _Lanes.dealt(game, seed, count), np.random.default_rng(seed)
    paid = np.zeros((count, game.players))
    history: list[tuple[np.ndarray, np.ndarray]] = []
    start, snapshot = 0, lanes.records
    kept: list[tuple[np.ndarray, np.ndarray]] = []
    while len(lanes.alive):
        if chance.random() * (len(history) + 1) < 1:  # every decision is the snapshot's with the same chance
            start, snapshot = len(history), _take(lanes.records)
        worlds = _check_lanes(laws, lanes, len(history))
        some = chance.random(len(worlds)) < WORLD_SHARE
        kept.append((_take(worlds, some), _take(lanes.rows, some)))
        alive, actions = lanes.alive, lanes.draw()
        history.append((alive, actions))
        paid[alive] += lanes.play(actions)
    laws.end(lanes.records, paid)
    _check_snapshot(laws, snapshot, history[start:], lanes.records)
    _check_worlds(laws, *(np.concatenate([pair[side] for pair in kept]) for side in (0, 1)))


def _check_lanes(laws: _Laws, lanes: _Lanes, step: int) -> np.ndarray:
    """The laws of every position on the lanes alive; returns a determinized world for each."""
    before = _take(lanes.rows)
    laws.masks(lanes)
    movers = lanes.rows["to_move"].astype(np.int64)
    hidden, worlds = laws.sight(lanes.rows, movers, step)
    laws.choice(lanes, hidden, worlds)
    some = _take(lanes.rows, slice(step % SOME, None, SOME))
    laws.keep_own(some, some)
    others = (some["to_move"].astype(np.int64) + 1 + step % (laws.game.players - 1)) % laws.game.players
    laws.sight(some, others, step)
    laws.demand("looking changes nothing", _unequal(before, lanes.rows), before)
    return worlds


def _check_snapshot(
    laws: _Laws, snapshot: np.ndarray, history: Sequence[tuple[np.ndarray, np.ndarray]], ends: np.ndarray
) -> None:
    """Playing the same actions from a snapshot leads to the same bytes."""
    again = _take(snapshot)
    for alive, actions in history:
        rows = _take(again, alive)
        _play(laws.game, rows, actions)
        _bytes(again)[alive] = _bytes(rows)
    laws.demand("the same actions from a snapshot lead to the same bytes", _unequal(again, ends), snapshot)


def _check_worlds(laws: _Laws, worlds: np.ndarray, origin: np.ndarray) -> None:
    """Determinized worlds can be played on to their end."""
    lanes = _Lanes(laws.game, worlds)
    while len(lanes.alive):
        source = _take(origin, lanes.alive)
        laws.demand("a determinized world can be played on", _failing(lanes.words.any(axis=1)), source)
        short = lanes.rows["decisions"] < laws.game.max_decisions
        laws.demand("a determinized world ends within max_decisions", _failing(short), source)
        lanes.play(lanes.draw())
    laws.keep_own(lanes.records, origin)


# -- laws through the Python interface ------------------------------------------------------------------------------------


def _check_batch(game: Game, seed: int) -> None:
    """Lane i of a batch equals match seed + i played alone, in what it shows, what it pays and its bytes."""
    batch = Batch(game, SAMPLED_MATCHES, seed)
    alone = [game.new(seed + lane) for lane in range(batch.size)]
    playing = set(range(batch.size))
    while playing:
        for lane in playing:
            g = alone[lane]
            same = (
                g.tobytes() == batch.records[lane].tobytes()
                and np.array_equal(game.action_mask(g), batch.action_masks[lane])
                and np.array_equal(game.observation(g, game.seat_to_move(g)), batch.observations[lane])
            )
            _demand(game, "a lane of a batch equals the game alone", same, g)
        actions = batch.random_actions()
        for lane in playing:
            game.apply(alone[lane], actions[lane])
        batch.step(actions)
        for lane in [lane for lane in playing if game.is_over(alone[lane])]:
            g = alone[lane]
            same = batch.ended[lane] == g.over and np.array_equal(batch.points[lane], game.payoffs(g))
            _demand(game, "a lane of a batch ends as the game alone", bool(same), g)
            playing.remove(lane)


def _demand(game: Game, law: str, kept: bool, g: np.record, detail: str = "") -> None:
    if not kept:
        _Laws(game).demand(law, 0, np.array([g]), lambda row: detail)


def _check_slowly(game: Game, seed: int) -> None:
    """One random match; in some of its positions the laws that are tried in Python."""
    g = game.new(seed)
    chance = np.random.default_rng(seed)
    share = min(SAMPLED_SHARE, SAMPLED_POSITIONS / (game.usual_length or 1))
    while not game.is_over(g):
        action = int(chance.choice(game.legal_actions(g)))
        sampled = chance.random() < share
        if sampled:
            _check_illegal(game, g)
            _check_names(game, g)
            _check_picture(game, g, int(chance.integers(game.players)))
            _check_rotation(game, g, action, int(chance.integers(1, game.players)))
        before = g.copy()
        game.apply(g, action)
        if sampled:
            viewers: list[Viewer] = [None, WATCHER, *range(game.players)]
            check_events(game, before, action, g, viewers[chance.integers(len(viewers))])
    _check_refused(game, g, 0, MatchOverError)


def _check_illegal(game: Game, g: np.record) -> None:
    """What is not a legal action raises and changes nothing."""
    illegal = np.flatnonzero(game.action_mask(g) == 0)[:3].tolist()
    for action in (*illegal, -1, game.actions, 2**70, True, None, 0.5, "0"):
        _check_refused(game, g, action, IllegalActionError)


def _check_refused(game: Game, g: np.record, action: Any, error: type[Exception]) -> None:
    before = g.tobytes()
    try:
        game.apply(g, action)
    except error:
        _demand(game, "an illegal action changes nothing", g.tobytes() == before, g, f"Action {action!r}.")
    else:
        _demand(game, f"an illegal action raises {error.__name__}", False, g, f"Action {action!r}.")


def _check_names(game: Game, g: np.record) -> None:
    """Every legal action has a name of its own that leads back to it; every seat's view can be written as JSON."""
    actions = game.legal_actions(g)
    names = [game.action_name(g, action) for action in actions]
    _demand(game, "legal actions have distinct names", len(set(names)) == len(names), g, f"{names}")
    back = [game.action(g, name) for name in names]
    _demand(game, "an action's name leads back to it", back == actions, g, f"{names} leads to {back}, not {actions}.")
    for seat in (None, *range(game.players)):
        view = game.view(g, seat)
        _demand(game, "a view is JSON", json.loads(json.dumps(view)) == view, g, f"Seat {seat}.")
        alike = seat is None or game.view(game.redacted(g, seat), seat) == view
        _demand(game, "a seat's view is the same on its redacted record", alike, g, f"Seat {seat}.")


def _check_picture(game: Game, g: np.record, seat: int) -> None:
    """A seat's picture is XML, and the same in another world that the seat cannot tell apart; a tall one can be drawn."""
    picture = game.picture(g, seat)
    try:
        for drawn in (picture, game.picture(g, seat, tall=True)):
            ElementTree.fromstring(drawn)
    except ElementTree.ParseError as error:
        _demand(game, "a picture is XML", False, g, f"Seat {seat}: {error}.")
    same = game.picture(game.determinized(g, seat, 1), seat) == picture
    _demand(game, "a picture is the same in every world that its seat cannot tell apart", same, g, f"Seat {seat}.")


def check_events(game: Game, before: np.record, action: int, after: np.record, viewer: Viewer) -> None:
    """The laws on the events of one decision, for one viewer (see `Game.view`). Raises GameLawError.

    They are JSON; where the game tells its events, folding them into the view before gives the view after, and they are the
    same in another world that the viewer cannot tell apart.
    """
    events, view = game.events(before, action, after, viewer), game.view(before, viewer)
    _demand(game, "events are JSON", json.loads(json.dumps(events)) == events, before, f"Viewer {viewer}: {events}.")
    if game.telling is None:
        return
    folded, expected = game.fold(view, events), game.view(after, viewer)
    wrong = [key for key in ("over", *game.telling.FOLDED) if folded[key] != expected[key]]
    _demand(game, "folding the events gives the view after", not wrong, before, f"Viewer {viewer}, {wrong}: {events}.")
    if isinstance(viewer, int):
        worlds = [game.determinized(g, viewer, seed=int(before.decisions)) for g in (before, after)]
        sealed = viewer != game.seat_to_move(before) and game.telling.is_sealed(view)
        played = game.legal_actions(worlds[0])[-1] if sealed else game.action(worlds[0], game.action_name(before, action))
        alike = game.events(worlds[0], played, worlds[1], viewer) == events
        _demand(game, "events are the same in worlds that cannot be told apart", alike, before, f"Viewer {viewer}: {events}.")


def _check_rotation(game: Game, g: np.record, action: int, by: int) -> None:
    """Renaming the seats renames what follows, and nothing that they see."""
    turned, after = game.rotated(g, by), g.copy()
    try:
        game.check_record(turned, Use.PLAY)
    except RecordError as error:
        _demand(game, "rotating the seats rotates the game", False, g, f"By {by}: {error}.")
    for seat in range(game.players):
        there = (seat + by) % game.players
        same = np.array_equal(game.observation(g, seat), game.observation(turned, there))
        _demand(game, "rotating the seats rotates the observations", same, g, f"Seat {seat}, by {by}.")
    game.apply(after, action)
    game.apply(turned, action)
    expected = game.rotated(after, by)
    other = [name for name in g.dtype.names or () if not np.array_equal(expected[name], turned[name])]
    _demand(game, "rotating the seats rotates the game", not other, g, f"By {by}, action {action}: {', '.join(other)}.")
