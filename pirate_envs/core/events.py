"""What happened: a decision told from a viewer's two views alone, so that nothing can be told that the viewer may not know.

An event is a dict for JSON: `event`, its name in the past tense, and what it is about in the names of the views; seats are
absolute. A game's own module (`Telling`) tells its events in order; `match_over` is added at the end of a match.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from pirate_envs.core.notation import VIEW, fitting

if TYPE_CHECKING:
    from pirate_envs.core.game import Game

Event = dict[str, Any]
View = Mapping[str, Any]
WATCHER: Literal["watcher"] = "watcher"
Viewer = int | Literal["watcher"] | None
"""Who looks: a seat; a watcher, who sees what all seats see; None: everything is open."""


class Telling(Protocol):
    """How a game tells what happened: a module with these functions."""

    @property
    def FOLDED(self) -> tuple[str, ...]:  # noqa: N802  (a constant of the module)
        """Keys of a view that its events keep up to date, beside `over`."""

    @property
    def FOLDS(self) -> Mapping[str, Callable[[dict[str, Any], Event], None]]:  # noqa: N802
        """By the name of an event, what brings a view up to date with it, in place."""

    def is_sealed(self, before: View) -> bool:
        """Is the decision made in this view hidden from the other seats, for the time being?"""

    def events(self, before: View, mover: int, action: str | None, after: View) -> list[Event]:
        """What happened between the two views of one viewer; the action is None if it is sealed and another's."""


def meet(views: Iterable[Any]) -> Any:
    """What all the values tell.

    Equal ones stay, dicts and lists of one shape go entry by entry, a list beside its length is the length, all else is None.
    """
    first, *others = views
    for other in others:
        first = _meet(first, other)
    return first


def _meet(one: Any, other: Any) -> Any:
    if type(one) is type(other) and one == other:
        return one
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return {key: _meet(value, other[key]) for key, value in one.items()}
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [_meet(*entries) for entries in zip(one, other, strict=True)]
    for entries, number in ((one, other), (other, one)):
        if isinstance(entries, list) and isinstance(number, int) and len(entries) == number:
            return number
    return None


def watched(game: Game, g: np.record) -> dict[str, Any]:
    """The watcher's view: the meet of all seats' views, without the mover's legal actions."""
    return {**meet(game.view(g, seat) for seat in range(game.players)), "legal": []}


def told(
    game: Game, before: np.record, action: int, after: np.record, viewer: Viewer, views: tuple[View, View] | None = None
) -> list[Event]:
    """See `Game.events`."""
    mover = game.seat_to_move(before)
    first, then = (game.view(before, viewer), game.view(after, viewer)) if views is None else views
    name: str | None = game.action_name(before, action)
    if game.telling is None:
        events: list[Event] = [{"event": "decided", "seat": mover, "action": name if viewer in (mover, None) else None}]
    else:
        hidden = viewer not in (mover, None) and game.telling.is_sealed(first)
        events = game.telling.events(first, mover, None if hidden else name, then)
    if game.is_over(after):
        events.append({"event": "match_over", "scores": then["scores"], "winners": game.winners(after)})
    return events


def copied(value: Any) -> Any:
    """A copy of a view or of a part of it: of what JSON has, dicts and lists are made anew."""
    if isinstance(value, dict):
        return {key: copied(entry) for key, entry in value.items()}
    return [copied(entry) for entry in value] if isinstance(value, list) else value


def folded(game: Game, view: View, events: Iterable[Event]) -> dict[str, Any]:
    """See `Game.fold`."""
    if game.telling is None:
        raise TypeError(f"{game.name} does not tell its events")
    with fitting("view", view, VIEW):
        now = copied(dict(view))
    with fitting("events", events, "a list of events"):
        events = list(events)
    for event in events:
        with fitting("events", event, "an event that fits the view, as `events` gives them"):
            if event["event"] == "match_over":
                now["over"] = True
            else:
                game.telling.FOLDS[event["event"]](now, event)
    return now
