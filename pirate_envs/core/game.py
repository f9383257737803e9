"""Game: the frozen contract that every game fills in, with its verbs checked for single records."""

from __future__ import annotations

import dataclasses
import importlib
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Self

import numpy as np

from pirate_envs.core import rng
from pirate_envs.core.bits import allows, words_for
from pirate_envs.core.errors import IllegalActionError, MatchOverError, OptionError, PositionError
from pirate_envs.core.jit import register_verbs
from pirate_envs.core.layout import Layout
from pirate_envs.core.match import begin_match
from pirate_envs.core.options import Options
from pirate_envs.core.payout import value
from pirate_envs.core.weights import Weights

PLAYING, FINISHED, TRUNCATED = 0, 1, 2
COMMON_KEYS = ("game", "options", "phase", "to_move", "scores", "over", "legal")  # of every view
VERBS = ("deal", "legal", "apply", "payoff", "observe", "redact", "determinize", "reopen", "rule_action", "stage", "tally")
OPTIONAL_VERBS = ("weighted_action",)  # of games whose strongest rule player has numbers to tune

HEADER = [
    ("seed", np.uint32, (2,)),  # low, high word of the match seed
    ("gen", np.uint32, (4,)),  # the generator, keyed from the seed
    ("scale", np.float32),  # points that make a reward of 1
    ("decisions", np.int32),  # made so far in this match
    ("players", np.int8),
    ("to_move", np.int8),  # the seat to decide; meaningless after the end
    ("over", np.int8),  # PLAYING, FINISHED or TRUNCATED
    ("reward", np.int8),  # index into core.options.REWARDS
    ("pay_as_scored", np.int8),
]


def record_type(fields: Sequence[tuple[Any, ...]]) -> np.dtype:
    """The dtype of a game's record: the header that every game shares, then the game's own fields.

    Aligned, with every gap a field of its own, so that equal records are equal bytes.
    """
    aligned = np.dtype([*HEADER, *fields], align=True)
    filled: list[tuple[Any, ...]] = []
    end = 0
    for field in (*HEADER, *fields):
        offset = aligned.fields[field[0]][1]  # type: ignore[index]
        if offset > end:
            filled.append((f"gap_{end}", np.uint8, (offset - end,)))
        filled.append(field)
        end = offset + aligned.fields[field[0]][0].itemsize  # type: ignore[index]
    if aligned.itemsize > end:
        filled.append((f"gap_{end}", np.uint8, (aligned.itemsize - end,)))
    return np.dtype((np.record, np.dtype(filled, align=True)))


def seed_words(seed: int) -> tuple[int, int]:
    """Low and high word of a match seed. Raises OptionError unless it is an integer in 0..2**64-1."""
    try:
        number = operator.index(seed)
    except TypeError:
        number = -1
    if isinstance(seed, bool) or not 0 <= number < 2**64:
        raise OptionError(f"seed is {seed!r}; allowed: an integer from 0 to 2**64 - 1")
    return number & rng.MASK, number >> 32


@dataclass(frozen=True)
class Game:
    """One game with its options: what a folder of `pirate_envs.games` must provide, and the verbs for one record.

    `g` below is a record made by `new` (a NumPy record; `g.copy()` is a snapshot). All state of a match is in it.
    """

    name: str
    title: str
    version: int
    """Fixes rules, observation, action numbers and random stream; any change of them is a new version."""
    options: Options
    state: np.dtype
    actions: int
    """Number of action ids; actions are 0..actions-1."""
    layout: Layout
    scale: float
    """Points that make a reward of 1 under reward='score' and 'margin'."""
    longest_match: Callable[[Any], int]
    """Upper bound on the decisions of one match, given the options."""
    usual_length: float
    """Mean decisions of a match of 4 with usual options and uniform legal actions, as an independent referee plays it."""
    figures: Mapping[str, tuple[int, int]]
    """What a player asks of a match beside its score: name -> columns of `tally`'s counts, the first divided by the second."""
    per_seat: tuple[str, ...]
    """Record fields whose first axis is the seat."""
    seat_valued: tuple[str, ...]
    """Record fields that hold a seat (negative: none)."""
    rule_players: tuple[str, ...]
    """Names of the rule players, weakest first."""
    action_kinds: Mapping[str, Sequence[int]]
    """Groups of action ids for documentation and statistics: name -> ids."""
    verbs: Mapping[str, Callable[..., Any]]
    notation: ModuleType
    """Module with view, from_view, render, action_name and action (see `Game.view` and its neighbours)."""
    manual: str = ""
    """The rules in words: the docstring of the game's folder."""
    weights: Weights | None = None
    """The numbers of the strongest rule player, where it has any; the verb `weighted_action` plays it by others."""

    def __post_init__(self) -> None:
        missing = [name for name in VERBS if name not in self.verbs]
        if missing:
            raise TypeError(f"game {self.name!r} lacks the verbs {', '.join(missing)}")
        register_verbs(self.state, dict(self.verbs))

    def __reduce__(self) -> tuple[Callable[..., Game], tuple[str, Options]]:
        return _unpickled, (self.notation.__package__ or "", self.options)

    # -- options -----------------------------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        """Name and version, as in 'skull_king-v0'."""
        return f"{self.name}-v{self.version}"

    @property
    def players(self) -> int:
        return self.options.players

    @property
    def max_decisions(self) -> int:
        """Upper bound on the decisions of one match under these options."""
        return self.longest_match(self.options)

    @property
    def tallies(self) -> int:
        """Columns of the counts that `tally` keeps."""
        return 1 + max(column for columns in self.figures.values() for column in columns)

    def with_options(self, **options: Any) -> Self:
        """The same game with these options (others at their defaults). Raises OptionError."""
        return dataclasses.replace(self, options=type(self.options).of(**options))

    # -- records -----------------------------------------------------------------------------------------------------

    def empty(self, count: int) -> np.ndarray:
        """`count` records with the options written and nothing dealt, shape (count,), dtype `state`."""
        template = np.zeros(1, self.state)
        self.options.write(template[0])
        template[0].scale = self.scale
        return np.repeat(template, count)

    def new(self, seed: int = 0) -> np.record:
        """A dealt match (see `core.match.begin_match`); a seed plays the same everywhere. Raises OptionError for a bad seed."""
        words = seed_words(seed)
        g = self.empty(1)[0]
        g.seed[:] = words
        begin_match(g)
        return g

    def seat_to_move(self, g: np.record) -> int:
        """The seat that decides next."""
        return int(g.to_move)

    def is_over(self, g: np.record) -> bool:
        return bool(g.over)

    def is_truncated(self, g: np.record) -> bool:
        """Ended by the bound on its length rather than by the rules."""
        return int(g.over) == TRUNCATED

    def mask_words(self, g: np.record) -> np.ndarray:
        """The legal actions as uint64 words (core/bits.py); all zero after the end."""
        mask = np.zeros(words_for(self.actions), np.uint64)
        if not g.over:
            self.verbs["legal"](g, mask)
        return mask

    def action_mask(self, g: np.record) -> np.ndarray:
        """The legal actions as int8 zeros and ones, shape (actions,)."""
        mask = np.zeros(self.actions, np.int8)
        mask[self.legal_actions(g)] = 1
        return mask

    def legal_actions(self, g: np.record) -> list[int]:
        """Ids of the legal actions, ascending; empty after the end."""
        mask = self.mask_words(g)
        return [action for action in range(self.actions) if allows(mask, action)]

    def check_action(self, g: np.record, action: Any) -> int:
        """`action` as an int. Raises MatchOverError or IllegalActionError."""
        if g.over:
            raise MatchOverError(f"action {action!r} after the end of the match")
        try:
            number = operator.index(action)
        except TypeError:
            number = -1
        if isinstance(action, (bool, np.bool_)) or not 0 <= number < self.actions:
            raise IllegalActionError(f"action {action!r} is not an integer from 0 to {self.actions - 1}")
        if not allows(self.mask_words(g), number):
            names = ", ".join(f"{a} ({self.action_name(g, a)})" for a in self.legal_actions(g)[:20])
            raise IllegalActionError(f"action {number} is not legal for seat {int(g.to_move)}; legal: {names}")
        return number

    def apply(self, g: np.record, action: Any) -> None:
        """Play one decision in place. Raises IllegalActionError or MatchOverError and then leaves `g` as it was."""
        self.verbs["apply"](g, self.check_action(g, action))

    def observation(self, g: np.record, seat: int) -> np.ndarray:
        """What the seat sees, float32, shape (layout.size,)."""
        out = np.empty(self.layout.size, np.float32)
        self.verbs["observe"](g, self.check_seat(seat), out)
        return out

    def payoffs(self, g: np.record) -> np.ndarray:
        """Each seat's points so far, int64, shape (players,)."""
        points = np.zeros(self.players, np.int64)
        self.verbs["payoff"](g, points)
        return points

    def winners(self, g: np.record) -> list[int]:
        """The seats that are ahead; after the end, the winners."""
        points = np.zeros(self.players, np.int64)
        ahead = self.verbs["payoff"](g, points)
        return [seat for seat in range(self.players) if ahead >> seat & 1]

    def rewards(self, g: np.record) -> np.ndarray:
        """Each seat's reward for the match by the option `reward`, float64, shape (players,); zeros before the end."""
        out = np.zeros(self.players)
        if g.over:
            points = np.zeros(self.players, np.int64)
            ahead = self.verbs["payoff"](g, points)
            value(g, points, ahead, out)
        return out

    def redacted(self, g: np.record, seat: int) -> np.record:
        """A copy without all that the seat cannot know."""
        g = g.copy()
        self.verbs["redact"](g, self.check_seat(seat))
        return g

    def determinized(self, g: np.record, seat: int, seed: int) -> np.record:
        """A copy in which all that the seat cannot know is one random world, drawn by `seed`."""
        low, high = seed_words(seed)
        g = self.redacted(g, seat)
        g.seed[:] = low, high
        rng.key(g.gen, low, high, rng.NEXT_MATCH)
        self.verbs["determinize"](g, seat)
        return g

    def rule_action(self, g: np.record, player: int | str = -1) -> int:
        """What a rule player (name or number, weakest first) does for the seat to move."""
        if isinstance(player, str):
            if player not in self.rule_players:
                raise OptionError(f"no rule player {player!r} in {self.name}; there are: {', '.join(self.rule_players)}")
            player = self.rule_players.index(player)
        return int(self.verbs["rule_action"](g, range(len(self.rule_players))[player]))

    def check_seat(self, seat: Any) -> int:
        """`seat` as an int. Raises OptionError."""
        if isinstance(seat, (int, np.integer)) and not isinstance(seat, bool) and 0 <= seat < self.players:
            return int(seat)
        raise OptionError(f"seat is {seat!r}; allowed: an integer from 0 to {self.players - 1}")

    def rotated(self, g: np.record, by: int) -> np.record:
        """The same position with every seat s renamed (s + by) % players."""
        turned = g.copy()
        for name in self.per_seat:
            turned[name][: self.players] = np.roll(g[name][: self.players], by, axis=0)
        for name in ("to_move", *self.seat_valued):
            turned[name] = np.where(g[name] < 0, g[name], (g[name] + by) % self.players)
        return turned

    # -- notation ----------------------------------------------------------------------------------------------------

    def action_name(self, g: np.record, action: int) -> str:
        """The action in words, as in 'play yellow_5'."""
        return str(self.notation.action_name(g, action))

    def action(self, g: np.record, name: str) -> int:
        """The id of the action of that name. Raises IllegalActionError if it is no action's name."""
        return int(self.notation.action(g, name))

    def view(self, g: np.record, seat: int | None = None) -> dict[str, Any]:
        """All that the seat may see, by name, ready for JSON; None: everything."""
        shown = g if seat is None else self.redacted(g, seat)
        common = {
            "game": self.id,
            "options": self.options.changed(),
            "to_move": None if g.over else int(g.to_move),
            "scores": [int(points) for points in self.payoffs(g)],
            "over": bool(g.over),
            "legal": [self.action_name(g, action) for action in self.legal_actions(g)]
            if seat in (None, int(g.to_move))
            else [],
        }
        return {**common, **self.notation.view(shown, seat)}

    def from_view(self, view: Mapping[str, Any], seed: int = 0) -> np.record:
        """The record that a view describes; what it leaves out is usual or dealt by `seed`. Raises PositionError."""
        known = (*COMMON_KEYS, *self.notation.OWN_KEYS)
        for key in view:
            if key not in known:
                raise PositionError(f"{key}: unknown key; there are: {', '.join(known)}")
        for key, own in (("game", self.id), ("options", self.options.changed())):
            if view.get(key, own) != own:
                raise PositionError(f"{key}: {view[key]!r} is not this game's, {own!r}")
        return self.notation.from_view(self, view, seed)  # type: ignore[no-any-return]

    def render(self, g: np.record, seat: int | None = None) -> str:
        """The position as text, from one seat's view (None: everything)."""
        return str(self.notation.render(self.view(g, seat), seat))


def _unpickled(package: str, options: Options) -> Game:
    """The game of that folder with these options."""
    game: Game = importlib.import_module(package).GAME
    return dataclasses.replace(game, options=options)


def verbs_from(*modules: ModuleType) -> dict[str, Callable[..., Any]]:
    """The verbs that these modules define."""
    return {name: getattr(module, name) for module in modules for name in (*VERBS, *OPTIONAL_VERBS) if hasattr(module, name)}
