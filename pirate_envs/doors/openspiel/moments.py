"""Moments: points of a match that never change, so that clones share them; each knows what every seat remembers.

A seat's memory is a text, a line for the view that it had of the deal, then a line for each of its own actions and one for each
change of its view, whoever made it. So it holds all that the seat has ever seen or done, in order, and nothing else: it is made
from the seat's views alone. A step that the seat sees nothing of leaves no trace.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping
from typing import Any, Self

import numpy as np

from pirate_envs.core.game import Game

UNTOLD = ("game", "options", "legal")  # of a view: always the same, or it follows from the rest


def seen(game: Game, g: np.record, seat: int | None) -> dict[str, Any]:
    """What the seat sees now, by name (None: everything)."""
    return {key: value for key, value in game.view(g, seat).items() if key not in UNTOLD}


def told(view: Mapping[str, Any]) -> str:
    """A view as one line."""
    return " ".join(f"{key}={written(value)}" for key, value in view.items())


def written(value: Any) -> str:
    """A value as JSON, without blanks."""
    return json.dumps(value, separators=(",", ":"))


def changes(old: Any, new: Any, path: str = "") -> Iterator[str]:
    """What tells the new value from the old one, as path=value; nothing if they are equal."""
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        for key in new:
            yield from changes(old[key], new[key], f"{path}.{key}" if path else key)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for at, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from changes(one, other, f"{path}.{at}")
    elif old != new:
        yield f"{path}={written(new)}"


class Moment:
    """One point of one match. `record` is not to be written; `mover` is the seat to move, `over` says that none is."""

    def __init__(
        self, game: Game, record: np.record, before: Self | None = None, own_action: tuple[int, str] | None = None
    ) -> None:
        """`own_action`: which seat made it of the moment `before`, by an action of that name."""
        self.game = game
        self.record = record
        self._before = before
        self._own_action = own_action
        self.mover, self.over = game.seat_to_move(record), game.is_over(record)
        self._seen: dict[int, tuple[dict[str, Any], str]] = {}  # seat -> its view, and all that it remembers

    def __deepcopy__(self, _: Any) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        memories = [self.memory(seat) for seat in range(self.game.players)]
        return _restored, (self.game, self.record.tobytes(), memories)

    @functools.cached_property
    def legal(self) -> list[int]:
        """Ids of the legal actions, ascending; none after the end."""
        return self.game.legal_actions(self.record)

    @functools.cached_property
    def rewards(self) -> list[float]:
        """Each seat's reward for the match; zeros before its end."""
        rewards: list[float] = self.game.rewards(self.record).tolist()
        return rewards

    def after(self, action: int) -> Moment:
        """The moment that the action leads to. Raises IllegalActionError."""
        g = self.record.copy()
        self.game.apply(g, action)
        return Moment(self.game, g, self, (self.mover, self.game.action_name(self.record, action)))

    def imagined(self, seat: int, seed: int) -> Moment:
        """A world that the seat cannot tell from this one, drawn by `seed`; it remembers the same, others begin to now."""
        world = Moment(self.game, self.game.determinized(self.record, seat, seed))
        world._seen[seat] = self._look(seat)
        return world

    def memory(self, seat: int) -> str:
        """All that the seat has seen and done since the deal."""
        return self._look(seat)[1]

    def _look(self, seat: int) -> tuple[dict[str, Any], str]:
        """The seat's view and memory; those of earlier moments are found on the way."""
        way = [self]
        while seat not in way[-1]._seen and way[-1]._before is not None:
            way.append(way[-1]._before)
        for moment in reversed(way):
            if seat not in moment._seen:
                moment._seen[seat] = moment._remember(seat)
        return self._seen[seat]

    def _remember(self, seat: int) -> tuple[dict[str, Any], str]:
        view = seen(self.game, self.record, seat)
        if self._before is None:
            return view, f"seat={seat} {told(view)}"
        earlier, memory = self._before._seen[seat]
        lines = [memory]
        if self._own_action is not None and self._own_action[0] == seat:
            lines.append(f"> {self._own_action[1]}")
        if changed := " ".join(changes(earlier, view)):
            lines.append(changed)
        return view, "\n".join(lines)


def _restored(game: Game, record: bytes, memories: list[str]) -> Moment:
    """A moment with these memories, by seat."""
    moment = Moment(game, np.frombuffer(record, game.state)[0].copy())
    for seat, memory in enumerate(memories):
        moment._seen[seat] = seen(game, moment.record, seat), memory
    return moment
