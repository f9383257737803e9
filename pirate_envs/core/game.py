"""Game: the frozen contract that every game fills in, with its verbs checked for single records."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import json
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Protocol, Self

import numpy as np

from pirate_envs.core import rng, svg
from pirate_envs.core.bits import allows, listed, words_for
from pirate_envs.core.errors import IllegalActionError, MatchOverError, OptionError, PositionError, RecordError, shown
from pirate_envs.core.events import WATCHER, Event, Telling, Viewer, folded, told, watched
from pirate_envs.core.jit import register_verbs
from pirate_envs.core.layout import Layout
from pirate_envs.core.notation import COMMON_KEYS, VIEW, check_plain, fitting
from pirate_envs.core.options import Options, whole_number
from pirate_envs.core.ranges import ANY, MOVER, Gate, Range, Use, ranges_of
from pirate_envs.core.record import MOST_RECORDS, TRUNCATED
from pirate_envs.core.rewards import write_rewards
from pirate_envs.core.rng import seed_words
from pirate_envs.core.seeds import begin_match
from pirate_envs.core.sentences import USUAL, labels_of
from pirate_envs.core.verbs import OPTIONAL, REQUIRED
from pirate_envs.core.weights import Weights


class Notation(Protocol):
    """How a game's positions and actions are written down: a module with these functions, in names that people use."""

    def view(self, g: np.record, seat: int | None) -> dict[str, Any]:
        """The game's own keys of a view, from the seat's redacted record (None: from a whole one)."""

    def action_name(self, g: np.record, action: int) -> str:
        """The action in words; legal actions of one position have different names."""

    def action(self, g: np.record, name: str) -> int:
        """The id of the action of that name. Raises IllegalActionError."""


class Positions(Protocol):
    """How a view becomes a record again."""

    @property
    def OWN_KEYS(self) -> tuple[str, ...]:  # noqa: N802  (a constant of the module)
        """Keys of a view that are the game's own, beside COMMON_KEYS."""

    def from_view(self, game: Game, given: Mapping[str, Any], seed: int) -> np.record:
        """The record that a view describes. Raises PositionError."""


@dataclass(frozen=True)
class Game:
    """One game with its options: what a game's package must provide, and the verbs for one record.

    `g` below is a record made by `new` (a NumPy record; `g.copy()` is a snapshot). All state of a match is in it. One that
    cannot be this game's with these options is a RecordError in every method that reads more than a field of it. What has a
    default may be left out, at the loss that is told beside it.
    """

    # -- what it is

    name: str
    title: str
    version: int
    """Fixes rules, observation, action numbers and random stream; any change of them is a new version."""
    manual: str
    """The rules in words: the docstring of the game's package."""

    # -- rules

    options: Options
    state: np.dtype
    actions: int
    """Number of action ids; actions are 0..actions-1."""
    layout: Layout
    scale: float
    """Points that make a reward of 1 under reward='score' and 'margin'."""
    longest_match: Callable[[Any], int]
    """Upper bound on the decisions of one match, given the options."""
    verbs: Mapping[str, Callable[..., Any]]
    """Those of core/verbs.py, the required ones at least."""
    per_seat: tuple[str, ...]
    """Record fields whose first axis is the seat."""
    seat_valued: tuple[str, ...]
    """Record fields that hold a seat (negative: none)."""
    ranges: Mapping[str, Range]
    """The lowest and highest value of every field of the record beside the header's and the options' (core/ranges.py): what a
    record that comes from outside is held to."""

    # -- names

    notation: Notation
    action_kinds: Mapping[str, Sequence[int]]
    """Groups of action ids for documentation and statistics: name -> ids."""
    positions: Positions | None = None
    """Without it `from_view` refuses: positions cannot be set up, only played to."""
    telling: Telling | None = None
    """How decisions are told as events (core/events.py). Without it a decision is one event, `decided`, which names the action
    to who made it, and nothing can be folded."""
    render_view: Callable[[Mapping[str, Any], int | None], str] | None = None
    """A view as text for the terminal. Without it a position is printed as its title and its view, a key a line."""
    draw_view: Callable[..., svg.Picture] | None = None
    """`draw_view(view, seat, theme, labels, tall)`: a view as a picture, of that seat, in that theme, with these labels
    (core/sentences.py), wide or tall. One that takes only the first three draws all pictures alike. Without it a picture shows
    the position's text."""

    # -- players and statistics

    rule_players: tuple[str, ...] = ()
    """Names of the rule players, weakest first. Without any, `rules:` names no player and `random` is the field to beat."""
    weights: Weights | None = None
    """The numbers of the strongest rule player; without them it cannot be tuned."""
    figures: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """What a player asks of a match beside its score: name -> columns of `tally`'s counts, the first divided by the second."""
    mistakes: tuple[str, ...] = ()
    """Those of `figures` that are plain mistakes, of the decisions where one could be made: one look ahead shows the loss."""
    flaws: tuple[str, ...] = ()
    """What `flaw` can find wrong with a record, each beginning with the field."""
    laws: Callable[[np.ndarray], dict[str, np.ndarray]] | None = None
    """The game's own laws on rows of records: law -> whether each row keeps it, bool. Without it only those of every game."""
    solved: Mapping[str, Callable[[Game], Callable[[np.ndarray], np.ndarray]]] = field(default_factory=dict)
    """What is solved of the game: name -> maker of a function from redacted records, shape (n,), to their movers' actions,
    integers, shape (n,). A maker says in its docstring's first line what it plays for, imports its tables when it is called,
    and raises OptionError for options that it does not hold for. Without it the game has no `exact:` players. A function may
    have methods besides, by which `pirate_envs.agents.coach` judges decisions exactly (see its `exact`)."""
    usual_length: float | None = None
    """Mean decisions of a match with default options and uniform legal actions, as an independent referee plays it; without
    it a benchmark cannot check that the matches that it timed were whole ones."""

    def __post_init__(self) -> None:
        missing = [name for name in REQUIRED if name not in self.verbs]
        if missing:
            raise TypeError(f"game {self.name!r} lacks the verbs {', '.join(missing)}")
        declared_by = {"rule_action": self.rule_players, "weighted_action": self.weights, "tally": self.figures}
        for verb, declared in (*declared_by.items(), ("flaw", self.flaws)):
            if bool(declared) != (verb in self.verbs):
                raise TypeError(f"game {self.name!r} has the verb {verb!r} or what it is for, but not both")
        ranges_of(self)
        register_verbs(self.state, dict(self.verbs), self.name)

    def __reduce__(self) -> tuple[Callable[..., Game], tuple[str, Options]]:
        return _unpickled, (self.options.__class__.__module__.rpartition(".")[0], self.options)

    # -- options -----------------------------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        """Name and version, as in 'skull_king-v0'."""
        return f"{self.name}-v{self.version}"

    @property
    def players(self) -> int:
        return self.options.players

    @property
    def sizes(self) -> range:
        """The numbers of players that the game takes."""
        allowed = next(each.metadata for each in dataclasses.fields(self.options) if each.name == "players")
        return range(allowed["low"], allowed["high"] + 1)

    @property
    def max_decisions(self) -> int:
        """Upper bound on the decisions of one match under these options."""
        return self.longest_match(self.options)

    @property
    def tallies(self) -> int:
        """Columns of the counts that `tally` keeps."""
        return 1 + max((column for columns in self.figures.values() for column in columns), default=-1)

    def __hash__(self) -> int:
        return hash((self.id, json.dumps(self.options.changed(), sort_keys=True)))

    def with_options(self, /, **options: Any) -> Self:
        """The same game with these options (others at their defaults). Raises OptionError."""
        return dataclasses.replace(self, options=type(self.options).of(**options))

    # -- records -----------------------------------------------------------------------------------------------------

    def empty(self, count: int) -> np.ndarray:
        """`count` records with the options written and nothing dealt, shape (count,), dtype `state`. Raises OptionError."""
        template = np.zeros(1, self.state)
        self.options.write(template[0])
        template[0].scale = self.scale
        return np.repeat(template, whole_number("count", count, 0, MOST_RECORDS))

    def new(self, seed: int = 0) -> np.record:
        """A dealt match (see `core.match.begin_match`); a seed plays the same everywhere. Raises OptionError for a bad seed."""
        words = seed_words(seed)
        g = self.empty(1)[0]
        g.seed[:] = words
        begin_match(g)
        return g

    @functools.cached_property
    def gate(self) -> Gate:
        """The check that records from outside pass (core/ranges.py)."""
        return Gate(self)

    def check_record(self, g: np.record, use: Use = Use.LOOK, seat: int = ANY) -> None:
        """Raise RecordError unless `g` may be a record of this game with these options; all methods below begin with it.

        `seat`: what this seat holds (MOVER: the one to move) has to be in it; a record redacted for another one lacks it.
        """
        self.gate.check_one(g, use, seat)

    def seat_to_move(self, g: np.record) -> int:
        """The seat that decides next."""
        self.check_record(g)
        return int(g.to_move)

    def is_over(self, g: np.record) -> bool:
        """Whether nobody decides any more."""
        self.check_record(g)
        return bool(g.over)

    def is_truncated(self, g: np.record) -> bool:
        """Ended by the bound on its length rather than by the rules."""
        self.check_record(g)
        return int(g.over) == TRUNCATED

    def mask_words(self, g: np.record) -> np.ndarray:
        """The legal actions as uint64 words (core/bits.py); all zero after the end."""
        self.check_record(g, seat=MOVER)
        return self._mask_words(g)

    def _mask_words(self, g: np.record) -> np.ndarray:
        words = np.zeros(words_for(self.actions), np.uint64)
        if not g.over:
            self.verbs["legal"](g, words)
        return words

    def action_mask(self, g: np.record) -> np.ndarray:
        """The legal actions as int8 zeros and ones, shape (actions,)."""
        mask = np.zeros(self.actions, np.int8)
        mask[self.legal_actions(g)] = 1
        return mask

    def legal_actions(self, g: np.record) -> list[int]:
        """Ids of the legal actions, ascending; empty after the end."""
        return listed(self.mask_words(g))

    def check_action(self, g: np.record, action: Any) -> int:
        """`action` as an int. Raises MatchOverError or IllegalActionError, RecordError for a record that is not whole."""
        self.check_record(g, Use.PLAY)
        if g.over:
            raise MatchOverError(f"action {shown(action)} after the end of the match")
        number = self._action_number(action)
        if not allows(self.mask_words(g), number):
            names = ", ".join(f"{a} ({self.action_name(g, a)})" for a in self.legal_actions(g)[:20])
            raise IllegalActionError(f"action {number} is not legal for seat {int(g.to_move)}; legal: {names}")
        return number

    def _action_number(self, action: Any) -> int:
        try:
            number = operator.index(action)
        except TypeError:
            number = -1
        if isinstance(action, (bool, np.bool_)) or not 0 <= number < self.actions:
            raise IllegalActionError(f"action {shown(action)} is not an integer from 0 to {self.actions - 1}")
        return number

    def apply(self, g: np.record, action: Any) -> None:
        """Play one decision in place. Raises what `check_action` does, and RecordError if `g` may not be written to; then it is
        as it was.
        """
        number = self.check_action(g, action)
        if not g.flags.writeable:  # compiled code would write all the same
            raise RecordError("the record may not be written to; play on in a copy of it")
        self.verbs["apply"](g, number)

    def observation(self, g: np.record, seat: int) -> np.ndarray:
        """What the seat sees, float32, shape (layout.size,)."""
        seat = self.check_seat(seat)
        self.check_record(g, seat=seat)
        out = np.empty(self.layout.size, np.float32)
        self.verbs["observe"](g, seat, out)
        return out

    def payoffs(self, g: np.record) -> np.ndarray:
        """Each seat's points so far, int64, shape (players,)."""
        self.check_record(g)
        return self._payoffs(g)

    def _payoffs(self, g: np.record) -> np.ndarray:
        points = np.zeros(self.players, np.int64)
        self.verbs["score"](g, points)
        return points

    def winners(self, g: np.record) -> list[int]:
        """The seats that are ahead; after the end, the winners."""
        self.check_record(g)
        points = np.zeros(self.players, np.int64)
        ahead = self.verbs["score"](g, points)
        return [seat for seat in range(self.players) if ahead >> seat & 1]

    def rewards(self, g: np.record) -> np.ndarray:
        """Each seat's reward for the match by the option `reward`, float64, shape (players,); zeros before the end."""
        self.check_record(g)
        out = np.zeros(self.players)
        if g.over:
            points = np.zeros(self.players, np.int64)
            ahead = self.verbs["score"](g, points)
            write_rewards(g, points, ahead, out)
        return out

    def redacted(self, g: np.record, seat: int) -> np.record:
        """A copy without all that the seat cannot know."""
        seat = self.check_seat(seat)
        self.check_record(g, seat=seat)
        return self._redacted(g, seat)

    def _redacted(self, g: np.record, seat: int) -> np.record:
        g = g.copy()
        self.verbs["redact"](g, seat)
        return g

    def determinized(self, g: np.record, seat: int, seed: int) -> np.record:
        """A copy in which all that the seat cannot know is one random world, drawn by `seed`.

        Raises PositionError if no world was found that agrees with what it can know.
        """
        low, high = seed_words(seed)
        g = self.redacted(g, seat)
        g.seed[:] = low, high
        rng.key(g.gen, low, high, rng.Stream.IMAGINED)
        self.verbs["determinize"](g, seat)
        try:
            self.check_record(g)
        except RecordError as error:
            raise PositionError(
                f"no world was found that agrees with what seat {seat} can know; the last one tried: {error}"
            ) from None
        return g

    def rule_action(self, g: np.record, player: int | str = -1) -> int:
        """What a rule player (name or number, weakest first; -1: the strongest) does for the seat to move.

        Raises OptionError for one that is not there.
        """
        if not self.rule_players:
            raise OptionError(f"{self.name} has no rule players")
        if isinstance(player, str):
            if player not in self.rule_players:
                raise OptionError(f"no rule player {player!r} in {self.name}; there are: {', '.join(self.rule_players)}")
            player = self.rule_players.index(player)
        self.check_record(g, seat=MOVER)
        count = len(self.rule_players)
        return int(self.verbs["rule_action"](g, whole_number("rule player", player, -1, count - 1) % count))

    def check_seat(self, seat: Any) -> int:
        """`seat` as an int. Raises OptionError."""
        return whole_number("seat", seat, 0, self.players - 1)

    def rotated(self, g: np.record, by: int) -> np.record:
        """The same position with every seat s renamed (s + by) % players. Raises OptionError for a `by` of another kind."""
        self.check_record(g)
        by = whole_number("by", by, 0, self.players)
        turned = g.copy()
        for name in self.per_seat:
            turned[name][: self.players] = np.roll(g[name][: self.players], by, axis=0)
        for name in ("to_move", *self.seat_valued):
            turned[name] = np.where(g[name] < 0, g[name], (g[name] + by) % self.players)
        return turned

    # -- notation ----------------------------------------------------------------------------------------------------

    def action_name(self, g: np.record, action: int) -> str:
        """The action in words, as in 'play yellow_5'. Raises IllegalActionError for what is no action's id."""
        self.check_record(g)
        return str(self.notation.action_name(g, self._action_number(action)))

    def action(self, g: np.record, name: str) -> int:
        """The id of the action of that name. Raises IllegalActionError if it is no action's name."""
        self.check_record(g)
        if not isinstance(name, str):
            raise IllegalActionError(f"{shown(name)} is no action's name: not a text")
        return int(self.notation.action(g, name))

    def view(self, g: np.record, seat: Viewer = None) -> dict[str, Any]:
        """All that the seat may see, by name, ready for JSON; None: everything; "watcher": what all seats see."""
        if isinstance(seat, str) and seat == WATCHER:
            return watched(self, g)
        seat = None if seat is None else self.check_seat(seat)
        self.check_record(g, seat=MOVER if seat is None else seat)
        seen = g if seat is None else self._redacted(g, seat)
        over, mover = bool(g.over), int(g.to_move)
        legal = listed(self._mask_words(g)) if seat in (None, mover) else []
        common = {
            "game": self.id,
            "options": self.options.changed(),
            "to_move": None if over else mover,
            "scores": self._payoffs(g).tolist(),
            "over": over,
            "legal": [str(self.notation.action_name(g, action)) for action in legal],
        }
        return {**common, **self.notation.view(seen, seat)}

    def from_view(self, view: Mapping[str, Any], seed: int = 0) -> np.record:
        """The record that a view describes; what it leaves out is usual or dealt by `seed`. Raises PositionError."""
        if self.positions is None:
            raise PositionError(f"{self.name} cannot be set up from a view; play to the position instead")
        if not isinstance(view, Mapping):
            raise PositionError(f"view: a {type(view).__name__} is not an object with names, as `view` gives")
        known = (*COMMON_KEYS, *self.positions.OWN_KEYS)
        for key, value in view.items():
            if not isinstance(key, str) or key not in known:
                raise PositionError(f"{shown(key)}: unknown key; there are: {', '.join(known)}")
            check_plain(key, value)
        for key, own in (("game", self.id), ("options", self.options.changed())):
            if view.get(key, own) != own:
                raise PositionError(f"{key}: {view[key]!r} is not this game's, {own!r}")
        g = self.positions.from_view(self, view, seed)
        try:
            self.check_record(g, Use.PLAY)
        except RecordError as error:
            raise PositionError(str(error)) from None
        return g

    def events(
        self,
        before: np.record,
        action: int,
        after: np.record,
        seat: Viewer = None,
        views: tuple[Mapping[str, Any], Mapping[str, Any]] | None = None,
    ) -> list[Event]:
        """What a decision brought, in order, as the seat (see `view`) could see it: from its views before and after alone.

        `before` and `after` are records (copies), `action` the id of what the mover of `before` did. Told, not played again:
        nothing checks that the one leads to the other. `views`: these views, if they are at hand. Raises RecordError for what
        is no record, IllegalActionError for what is no action, PositionError where these do not fit each other.
        """
        self.check_record(before)
        self.check_record(after)
        number = self._action_number(action)
        with fitting("action", action, "what leads from `before` to `after`, or `views` are not the viewer's two"):
            return told(self, before, number, after, seat, views)

    def fold(self, view: Mapping[str, Any], events: Sequence[Event]) -> dict[str, Any]:
        """A view with these events brought in: the keys `telling.FOLDED`; others, as `legal`, are left as they were.

        Raises TypeError if the game does not tell its events, PositionError for what is none of its views or events.
        """
        return folded(self, view, events)

    def render(self, g: np.record, seat: int | None = None) -> str:
        """The position as text, from one seat's view (None: everything)."""
        return self._rendered(self.view(g, seat), seat)

    def picture(
        self, g: np.record, seat: int | None = None, theme: str = "light", language: str = USUAL, tall: bool = False
    ) -> svg.Picture:
        """The position as SVG, from one seat's view (None: everything), 960 by 720 or `tall`, 390 by 720, for phones.

        Raises OptionError for an unknown seat, theme or language.
        """
        return self._picture_of(self.view(g, seat), seat, theme, language, tall)

    def picture_of(
        self,
        view: Mapping[str, Any],
        seat: int | None = None,
        theme: str = "light",
        language: str = USUAL,
        tall: bool = False,
    ) -> svg.Picture:
        """A view, as `view` gives it, as SVG (see `picture`): nothing else is looked at. Raises PositionError for another."""
        with fitting("view", view, VIEW):
            return self._picture_of(view, seat, theme, language, tall)

    def _picture_of(self, view: Mapping[str, Any], seat: int | None, theme: str, language: str, tall: bool) -> svg.Picture:
        seat = None if seat is None else self.check_seat(seat)
        labels = labels_of(self, language)
        if self.draw_view is None:
            return svg.of_text(self._rendered(view, seat), self.title, theme, tall)
        look = {"labels": labels, "tall": bool(tall)} if self._draws_shapes else {}
        return self.draw_view(view, seat, theme, **look)

    @functools.cached_property
    def _draws_shapes(self) -> bool:
        """Whether `draw_view` takes labels and the shape."""
        taken = inspect.signature(self.draw_view).parameters if self.draw_view else {}
        return {"labels", "tall"} <= taken.keys()

    def _rendered(self, view: Mapping[str, Any], seat: int | None) -> str:
        if self.render_view is not None:
            return self.render_view(view, seat)
        lines = [f"{key}: {value}" for key, value in view.items() if key not in ("game", "options", "legal")]
        return "\n".join([self.title, *lines])


def _unpickled(package: str, options: Options) -> Game:
    """The game of that package with these options."""
    game: Game = importlib.import_module(f"{package}.game").GAME
    return dataclasses.replace(game, options=options)


def verbs_from(*modules: ModuleType) -> dict[str, Callable[..., Any]]:
    """The verbs that these modules define."""
    return {name: getattr(module, name) for module in modules for name in (*REQUIRED, *OPTIONAL) if hasattr(module, name)}
