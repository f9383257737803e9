"""One table: a match, who sits at it, and what each viewer is sent. No sockets here, and nothing that waits."""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pirate_envs.agents.coach.hint import Adviser, Hint
from pirate_envs.agents.names import level_of
from pirate_envs.agents.player import Agent, decisions_of
from pirate_envs.agents.table.limits import NotHereError, RefusedError
from pirate_envs.agents.table.looks import USUAL_LOOK, Look, dressed
from pirate_envs.agents.table.store import Seat, Setup, Store
from pirate_envs.agents.table.worker import seated
from pirate_envs.core.errors import IllegalActionError, OptionError, PirateError, TableError
from pirate_envs.core.events import WATCHER, Event, View, Viewer
from pirate_envs.core.game import Game
from pirate_envs.engine.replay import Replay
from pirate_envs.games import load

log = logging.getLogger("pirate_envs.table")
RECENT = 40  # decisions whose events are sent to who comes back
STAND_INS = ("rules:strongest", "random")  # for a player that fails, the first that the game has


def hashed(secret: str) -> str:
    """What is kept of a secret, whatever text that is."""
    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()


@dataclass
class Standing:
    """A position of a match, and the views of it that were asked for."""

    g: np.record
    views: dict[Viewer, View] = field(default_factory=dict)

    def view(self, game: Game, viewer: Viewer) -> View:
        """What the viewer may see; not to be changed."""
        if viewer not in self.views:
            self.views[viewer] = game.view(self.g, viewer)
        return self.views[viewer]


@dataclass(frozen=True)
class Decided:
    """A decision: the position before it, and the action's id."""

    before: Standing
    action: int


class Table:
    """A match at a table. What it takes in is checked; what fails raises RefusedError or TableError and changes nothing."""

    def __init__(self, store: Store, setup: Setup, actions: Sequence[str] = ()) -> None:
        """A table of the store, its match played up to the last of `actions`."""
        self.store, self.setup = store, setup
        name, _, _ = setup.game.rpartition("-v")
        self.game: Game = load(name, **setup.options)
        if self.game.id != setup.game:
            raise TableError(f"table {setup.id} is of {setup.game}; the rules here are {self.game.id}")
        self.now = Standing(self.game.new(setup.seed))
        self.past: list[Decided] = []
        self.notes: list[dict[str, Any]] = []
        self.chance = np.random.default_rng(setup.seed ^ 0x7461626C65)
        self._players: dict[str, Agent] = {}
        self._adviser: Adviser | None = None
        self._seat(setup)
        for action in actions:
            self._play(self.game.action(self.g, action))

    def _seat(self, setup: Setup) -> None:
        self.setup = setup
        self.levels = [level_of(self.game, seat.player) for seat in setup.seats]

    @classmethod
    def made(cls, store: Store, game: Game, seats: Sequence[str | None], practice: bool) -> tuple[Table, list[str | None], str]:
        """A new table in the store; a seat is a player's name, or None for a person.

        Returns it, the secret of each person's seat, and that of the watchers. Raises OptionError or UnknownPlayerError.
        """
        if len(seats) != game.players:
            raise OptionError(f"seats are {len(seats)}; this table has {game.players}")
        for name in seats:
            if name is not None:
                seated(game, name)
        links = [secrets.token_urlsafe(16) if name is None else None for name in seats]
        watch = secrets.token_urlsafe(16)
        sitting = tuple(Seat(None if link is None else hashed(link), name) for link, name in zip(links, seats, strict=True))
        options = game.options.changed()
        setup = Setup(secrets.token_urlsafe(9), game.id, options, secrets.randbits(64), sitting, hashed(watch), practice)
        store.add(setup)
        return cls(store, setup), links, watch

    # -- who is there --------------------------------------------------------------------------------------------------

    def viewer(self, secret: str) -> Viewer:
        """The seat of a secret, or the watcher. Raises RefusedError."""
        given = hashed(secret)
        found: Viewer = None
        for number, seat in enumerate(self.setup.seats):  # all of them, so that time tells nothing
            if seat.secret is not None and hmac.compare_digest(seat.secret, given):
                found = number
        if hmac.compare_digest(self.setup.watchers, given):
            found = WATCHER
        if found is None:
            raise NotHereError("this link is not for this table")
        return found

    def sitting(self) -> list[str]:
        """Who sits on each seat, for all to see: "person", or the player's name."""
        return [seat.player or "person" for seat in self.setup.seats]

    @property
    def g(self) -> np.record:
        """The match as it is now."""
        return self.now.g

    @property
    def at(self) -> int:
        """The number of the next decision."""
        return len(self.past)

    @property
    def over(self) -> bool:
        return self.game.is_over(self.g)

    def mover(self) -> str | None:
        """The name of the player that is to decide; None if a person is, or the match is over."""
        return None if self.over else self.setup.seats[self.game.seat_to_move(self.g)].player

    # -- playing -------------------------------------------------------------------------------------------------------

    def _play(self, action: int) -> None:
        g = self.g.copy()
        self.game.apply(g, action)
        if self.past:
            self.past[-1].before.views.clear()  # nobody asks for them any more
        self.past.append(Decided(self.now, action))
        self.now = Standing(g)

    def _decide(self, action: int) -> None:
        """Keep a legal action, then play it."""
        self.store.decide(self.setup.id, self.at, self.game.action_name(self.g, action))
        self._play(action)

    def act(self, viewer: Viewer, name: str, at: int) -> bool:
        """A person's decision number `at`; False if it is there already, as after a lost answer. Raises RefusedError."""
        if not isinstance(viewer, int):
            raise RefusedError("watchers do not play")
        if at < self.at:
            done = self.past[at] if at >= 0 else None
            if (
                done
                and self.game.seat_to_move(done.before.g) == viewer
                and self.game.action_name(done.before.g, done.action) == name
            ):
                return False
            raise RefusedError(f"decision {at} has been made; now is {self.at}")
        if at > self.at or self.over:
            raise RefusedError("the match is over" if self.over else f"decision {at} is not to be made yet; now is {self.at}")
        if self.game.seat_to_move(self.g) != viewer:
            raise RefusedError("it is not your turn")
        try:
            action = self.game.check_action(self.g, self.game.action(self.g, name))
        except IllegalActionError as error:
            raise RefusedError(str(error)) from None
        self._decide(action)
        return True

    def take_back(self, viewer: Viewer) -> None:
        """Go back to the viewer's last decision: at practice tables, for people. Raises RefusedError."""
        if not self.setup.practice or not isinstance(viewer, int):
            raise RefusedError("decisions are taken back by people at practice tables only")
        made = [at for at, done in enumerate(self.past) if self.game.seat_to_move(done.before.g) == viewer]
        if not made:
            raise RefusedError("you have decided nothing yet")
        self.store.take_back(self.setup.id, made[-1])
        self.now = self.past[made[-1]].before
        del self.past[made[-1] :]

    def player_decides(self) -> None:
        """The player to move decides here; one that fails leaves its seat to a stand-in, which is noted."""
        name = self.mover()
        if name is None:
            raise TableError("no player is to decide")
        try:
            action = self.game.check_action(self.g, self.answer(name))
        except Exception as error:  # a player may be anybody's code: the match goes on without it
            log.warning("%s failed at table %s: %s", name, self.setup.id, type(error).__name__)
            self.replace_player("failed")
            action = self.game.check_action(self.g, self.answer(self.mover() or ""))
        self._decide(action)

    def answer(self, name: str) -> int:
        """What a named player would do now."""
        if name not in self._players:
            self._players[name] = seated(self.game, name)
        return int(self._players[name].act(decisions_of(self.game, self.g, self.chance.random()))[0])

    def hint(self) -> Hint:
        """What a strong player would do now, and the mover's chances."""
        if self._adviser is None:
            self._adviser = Adviser(self.game)
        return self._adviser.hint(self.g)

    def player_thought(self, action: int | None) -> None:
        """The player to move has thought elsewhere; None: it failed or took too long."""
        try:
            number = self.game.check_action(self.g, action)
        except IllegalActionError:
            self.replace_player("no_answer")
            self.player_decides()
        else:
            self._decide(number)

    def replace_player(self, why: str) -> None:
        """Give the mover's seat to the strongest stand-in, and note it."""
        seat, was = self.game.seat_to_move(self.g), self.mover()
        stand_in = STAND_INS[0] if self.game.rule_players else STAND_INS[1]
        seats = [*self.setup.seats]
        seats[seat] = Seat(None, stand_in)
        self._seat(replace(self.setup, seats=tuple(seats)))
        self.store.seat(self.setup)
        self.notes.append({"note": why, "seat": seat, "was": was, "now": stand_in})

    # -- telling -------------------------------------------------------------------------------------------------------

    def events(self, viewer: Viewer, seen: int) -> list[Event]:
        """What happened from decision `seen` on, the last RECENT decisions at most."""
        told: list[Event] = []
        decided = self.past[max(seen, self.at - RECENT) :] if seen < self.at else []
        for done, after in zip(decided, [*(next_.before for next_ in decided[1:]), self.now], strict=False):
            views = done.before.view(self.game, viewer), after.view(self.game, viewer)
            told += self.game.events(done.before.g, done.action, after.g, viewer, views)
        for done in decided[:-1]:
            done.before.views.clear()
        return told

    def message(self, viewer: Viewer, seen: int | None = None, look: Look = USUAL_LOOK) -> dict[str, Any]:
        """What a viewer is sent who has seen the match up to decision `seen` (None: nothing of it), in the look asked for."""
        since = self.at if seen is None or not 0 <= seen <= self.at else seen
        view, events = self.now.view(self.game, viewer), self.events(viewer, since)
        return {
            "at": self.at,
            "seat": viewer if isinstance(viewer, int) else None,
            "title": self.game.title,
            "players": self.sitting(),
            "levels": self.levels,
            "practice": self.setup.practice,
            "notes": self.notes,
            "view": view,
            "events": events,
            "winners": self.game.winners(self.g) if self.over else None,
            **dressed(self.game, view, events, viewer, look),
        }

    def replay(self) -> Replay:
        """The whole match, its seed too: after the end only. Raises RefusedError."""
        if not self.over:
            raise RefusedError("the replay is there when the match is over")
        names = [self.game.action_name(done.before.g, done.action) for done in self.past]
        return Replay.of(self.game, self.setup.seed, names)


def opened(store: Store, table: str) -> Table:
    """A table from the store. Raises RefusedError if there is none, TableError if it cannot be played on here."""
    kept = store.load(table)
    if kept is None:
        raise NotHereError("there is no such table")
    try:
        return Table(store, *kept)
    except TableError:
        raise
    except PirateError as error:
        raise TableError(f"table {table} cannot be opened: {error}") from error
