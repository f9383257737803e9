"""Nonsense to every method: what is refused is refused by an error of the project's own, and changes nothing."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np

import pirate_envs
from pirate_envs.core.errors import PirateError
from tests.games.setups import setup_of
from tests.games.test_referees import any_game

CALLS, MOVES = 50_000, 4  # of a chunk; and calls between two moves of the match


def nonsense(rng: random.Random) -> Any:
    """Some value: a number of some size, a wrong type, a nest of them."""
    number = rng.choice([0, 1, -1, 2, 3, 63, 64, 127, 128, 255, 2**31, 2**32, 2**63, 2**64, 10**400]) + rng.randint(-2, 2)
    plain = [
        number,
        float(number % 1000),
        math.nan,
        math.inf,
        True,
        None,
        "",
        "stop",
        "play 5",
        str(number),
        b"0",
        1j,
        object(),
    ]
    arrays = [np.int8(number % 100), np.array([number % 100]), np.zeros((2, 2)), np.array("x"), np.float32(0.5)]
    nests: list[Any] = [[], [number], {}, {"players": number}, {number: number}, ("a",), {1, 2}, [[number]], range(3)]
    return rng.choice([number, rng.choice(plain), rng.choice(arrays), rng.choice(nests)])


def fuzzed(name: str, number: int) -> dict[str, float]:
    """CALLS calls; `failed` ended by another error or changed what they should not, `refused` by the project's own."""
    rng = random.Random(f"calls {name} {number}")
    game = any_game(name, setup_of(name).random_options, rng)
    doors: list[Callable[[pirate_envs.Game, random.Random], Session]] = [OneRecord, Environment, Lanes]
    total = {"done": 0, "failed": 0, "refused": 0}
    session = rng.choice(doors)(game, rng)
    wrong: set[str] = set()
    while total["done"] < CALLS:
        if session.over() or rng.random() < 0.01:
            session = rng.choice(doors)(game, rng)
        before = session.state()
        what, call = session.call(rng)
        try:
            call()
        except PirateError:
            total["refused"] += 1
            if session.state() != before:
                wrong.add(f"{what}: changed something")
                total["failed"] += 1
        except Exception as error:  # (whatever else it is: that is what is looked for)
            wrong.add(f"{what}: {type(error).__name__}: {error}")
            total["failed"] += 1
        total["done"] += 1
        if rng.random() < 1 / MOVES and not session.over():
            session.move(rng)
    return {**total, "error": sorted(wrong)[:60]} if wrong else total  # type: ignore[dict-item]


class Session:
    """Something that is called: `call` draws one, `state` is what a refused call must leave, `move` plays on."""

    def over(self) -> bool:
        raise NotImplementedError

    def state(self) -> bytes:
        raise NotImplementedError

    def call(self, rng: random.Random) -> tuple[str, Callable[[], Any]]:
        raise NotImplementedError

    def move(self, rng: random.Random) -> None:
        raise NotImplementedError


class OneRecord(Session):
    def __init__(self, game: pirate_envs.Game, rng: random.Random) -> None:
        self.game, self.g = game, game.new(rng.getrandbits(32))

    def over(self) -> bool:
        return bool(self.game.is_over(self.g))

    def state(self) -> bytes:
        return bytes(self.g.tobytes())

    def call(self, rng: random.Random) -> tuple[str, Callable[[], Any]]:
        game, g, x = self.game, self.g, nonsense(rng)
        calls: dict[str, Callable[[], Any]] = {
            "new": lambda: game.new(x),
            "apply": lambda: game.apply(g.copy(), x),
            "observation": lambda: game.observation(g, x),
            "view": lambda: game.view(g, x),
            "render": lambda: game.render(g, x),
            "redacted": lambda: game.redacted(g, x),
            "determinized": lambda: game.determinized(g, 0, x),
            "rotated": lambda: game.rotated(g, x),
            "action_name": lambda: game.action_name(g, x),
            "action": lambda: game.action(g, x),
            "rule_action": lambda: game.rule_action(g, x),
            "from_view": lambda: game.from_view(broken(game.view(g), rng)),
            "from_view of nonsense": lambda: game.from_view(x),
            "with_options": lambda: game.with_options(**{rng.choice(["players", "reward", "name", "self"]): x}),
            "load": lambda: pirate_envs.load(x),
        }
        what = rng.choice(list(calls))
        return f"{what}({x!r:.60})", calls[what]

    def move(self, rng: random.Random) -> None:
        self.game.apply(self.g, rng.choice(self.game.legal_actions(self.g)))


class Environment(Session):
    """The PettingZoo door."""

    def __init__(self, game: pirate_envs.Game, rng: random.Random) -> None:
        self.env = pirate_envs.make_aec(game)
        self.env.reset(seed=rng.getrandbits(32))

    def over(self) -> bool:
        env = self.env
        return not env.agents or any(env.terminations.values()) or any(env.truncations.values())

    def state(self) -> bytes:
        state = self.env.get_state()
        return b"".join(np.asarray(state[key]).tobytes() for key in sorted(state) if isinstance(state[key], np.ndarray))

    def call(self, rng: random.Random) -> tuple[str, Callable[[], Any]]:
        env, x = self.env, nonsense(rng)
        while type(x) is int and 0 <= x < env.game.actions and env.infos[env.agent_selection]["action_mask"][x]:
            x = nonsense(rng)
        calls: dict[str, Callable[[], Any]] = {
            "step": lambda: env.step(x),
            "observe": lambda: env.observe(x),
            "set_state": lambda: env.set_state(broken(env.get_state(), rng)),
            "set_state of nonsense": lambda: env.set_state(x),
        }
        what = rng.choice(list(calls))
        return f"aec.{what}({x!r:.60})", calls[what]

    def move(self, rng: random.Random) -> None:
        mask = self.env.infos[self.env.agent_selection]["action_mask"]
        self.env.step(int(rng.choice(np.flatnonzero(mask))))


class Lanes(Session):
    """A small batch."""

    def __init__(self, game: pirate_envs.Game, rng: random.Random) -> None:
        self.batch, self.steps = pirate_envs.Batch(game, 3, seed=rng.getrandbits(32)), 0

    def over(self) -> bool:
        return self.steps > 50

    def state(self) -> bytes:
        return bytes(self.batch.records.tobytes())

    def call(self, rng: random.Random) -> tuple[str, Callable[[], Any]]:
        batch, x = self.batch, nonsense(rng)
        calls: dict[str, Callable[[], Any]] = {
            "step": lambda: batch.step(x),
            "step of three": lambda: batch.step([batch.game.actions, 0, x]),
            "set_state": lambda: batch.set_state(broken(batch.get_state(), rng)),
            "set_state of nonsense": lambda: batch.set_state(x),
        }
        what = rng.choice(list(calls))
        return f"batch.{what}({x!r:.60})", calls[what]

    def move(self, rng: random.Random) -> None:
        self.batch.step(self.batch.random_actions())
        self.steps += 1


def broken(mapping: Any, rng: random.Random) -> dict[Any, Any]:
    """A copy with one entry gone, replaced by nonsense, or one too many."""
    copy = dict(mapping)
    key = rng.choice(list(copy))
    change = rng.randrange(3)
    if change == 0:
        del copy[key]
    elif change == 1:
        copy[key] = nonsense(rng)
    else:
        copy["more"] = nonsense(rng)
    return copy
