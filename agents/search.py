"""Players that think: Monte Carlo over worlds that agree with what the seat knows, flat, with a tree or guided by a policy.

search:ismcts:1000                      1,000 iterations a decision
search:flat:20ms                        20 milliseconds a decision
search:ismcts:1000:rules=simple         playouts by that rule player instead of the strongest
search:ismcts:1000:uniform              playouts by uniform legal actions
search:ismcts:1000:belief               worlds as likely as the belief head of the game's policy says (agents/beliefs.py)
search:ismcts:1000:belief:policy=FOLDER as that policy's says
search:guided:128:policy=pretrained     by a policy (agents/guided.py)
search:guided:128:bfloat16              in that precision, with torch (agents/learning/fast.py)
search:ismcts:1000:horizon=2            judge after two hands, turns or cycles; horizon=match: by the match's rewards
search:ismcts:1000:c=0.5                UCB1's constant
search:ismcts:4000:threads=2            two trees, each with half of the iterations, each on a core of its own
"""

from __future__ import annotations

import re
import time
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from pirate_envs.agents.beliefs import Beliefs
from pirate_envs.agents.player import Agent, Decisions
from pirate_envs.agents.policy import Policy
from pirate_envs.core.errors import UnknownPlayerError, shown
from pirate_envs.core.game import Game
from pirate_envs.engine.seating import compiled_names, role_number
from pirate_envs.engine.threads import MOST_THREADS
from pirate_envs.search.forest import Forest
from pirate_envs.search.tree import TO_MATCH_END, UNIFORM, SearchSettings, Tree, WhichWorlds

KINDS = {"flat": 1, "ismcts": 1 << 30}  # depth of the tree
GUIDED = "guided"
MOST = 999_999  # iterations
WEIGHED = 1024  # worlds of a tree's decision, at most: 3.5 ms in Skull King, where 1,000 iterations take 5
WEIGHED_A_MILLISECOND = 128  # by the clock: they take half of it or so
USAGE = (
    ("search:flat:N", "Monte Carlo over N imagined worlds a decision, from 1 to 999999; Nms: for N milliseconds"),
    ("search:ismcts:N", "the same with a tree of what may follow"),
    ("search:guided:N", "a policy's candidates in imagined worlds that it plays out, N playouts in all"),
    ("  ...:horizon=N", "worlds are judged after N hands, turns or cycles (usual: 1); horizon=match: at the end"),
    ("  ...:rules=NAME", "flat, ismcts: worlds are played out by that rule player (usual: by the strongest)"),
    ("  ...:uniform", "flat, ismcts: worlds are played out by uniform legal actions"),
    ("  ...:c=NUMBER", "flat, ismcts: the constant of UCB1 (usual: 0.3)"),
    ("  ...:threads=N", "flat, ismcts: N trees on as many cores, from 1 to 256, share the worlds or the time"),
    ("  ...:policy=NAME", "guided, or with belief: by policy:NAME (usual: the one that comes with the game); no ':' in NAME"),
    ("  ...:value", "guided: worlds are judged at the horizon by the policy's value head, as shares of the win"),
    ("  ...:drawn", "guided: worlds are played out with the policy's actions drawn, not always the likeliest"),
    ("  ...:bfloat16", "guided: the policy plays worlds out in that precision: faster where the processor has it; needs torch"),
    ("  ...:belief", "worlds are as likely as the policy's belief head says"),
    ("  ...:rules=NAME", "guided: in every second world the other seats play by that rule player (usual: by the policy)"),
)
PARTS = {
    "trees": "rules=NAME or uniform; horizon=N or horizon=match; c=NUMBER; threads=N, up to 256; belief; policy=NAME beside it",
    GUIDED: "policy=NAME; rules=NAME; horizon=N or horizon=match; value; drawn; belief; bfloat16",
}
"""What may follow the budget of a name."""


class SearchName(NamedTuple):
    """What a name `search:KIND:BUDGET:...` says."""

    kind: str
    iterations: int | None
    """Or None: by the clock."""
    milliseconds: int | None
    playout: str | None = None
    """'random' or 'rules:NAME'; None: the usual one."""
    horizon: int = 1
    exploration: float | None = None
    threads: int = 1
    value: bool = False
    """Guided: judge by the policy's value head."""
    belief: bool = False
    """Draw worlds by the policy's belief head."""
    drawn: bool = False
    """Guided: the policy's actions are drawn in playouts."""
    bfloat16: bool = False
    """Guided: the policy's network plays worlds out in that precision."""
    others: str | None = None
    """Guided: 'rules:NAME', who sits on the other seats of every second world; None: the policy."""
    policy: str | None = None
    """NAME of policy:NAME, by which guided search plays and by whose beliefs a tree draws; None: the game's own."""


def parse(name: str) -> SearchName:
    """Read a search player's name. Raises UnknownPlayerError that says which part is wrong and what is allowed there."""

    def wrong(what: str) -> UnknownPlayerError:
        return UnknownPlayerError(f"search player {name!r}: {what}")

    _, kind, budget, *parts = [*name.split(":"), "", ""][: max(3, name.count(":") + 1)]
    if kind not in (*KINDS, GUIDED):
        raise wrong(f"the kind is {kind!r}; allowed: {', '.join(KINDS)}, {GUIDED}")
    amount = re.fullmatch(r"([1-9][0-9]{0,5})(ms)?", budget)
    if amount is None:
        counted = "playouts" if kind == GUIDED else "worlds"
        raise wrong(f"the budget is {budget!r}; allowed: a number of {counted} from 1 to {MOST}, or Nms for milliseconds")
    allowed = PARTS[GUIDED if kind == GUIDED else "trees"]
    given: dict[str, Any] = {}
    for part in parts:
        read = _part(part, guided=kind == GUIDED)
        if read is None:
            raise wrong(f"the part {part!r} is none of: {allowed} (a NAME may hold no ':')")
        field, value = read
        if field in given:
            raise wrong(f"{part!r} says again, or otherwise, what an earlier part says; each of these once: {allowed}")
        given[field] = value
    if kind != GUIDED and "policy" in given and "belief" not in given:
        raise wrong(f"the part 'policy={given['policy']}' says whose beliefs and needs belief beside it; allowed: {allowed}")
    return SearchName(kind, None if amount[2] else int(amount[1]), int(amount[1]) if amount[2] else None, **given)


def _part(part: str, *, guided: bool) -> tuple[str, Any] | None:
    """A part after the budget as a field of SearchName and its value; None: there is no such part."""
    key, _, value = part.partition("=")
    if part == "horizon=match":
        return "horizon", TO_MATCH_END
    if key == "horizon" and re.fullmatch(r"[1-9][0-9]{0,3}", value):
        return "horizon", int(value)
    if part == "belief":
        return part, True
    if key == "policy" and value:
        return key, value
    if guided:
        if part in ("value", "drawn", "bfloat16"):
            return part, True
        return ("others", f"rules:{value}") if key == "rules" and value else None
    if part == "uniform":
        return "playout", "random"
    if key == "rules" and value:
        return "playout", f"rules:{value}"
    if key == "c" and re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", value):
        return "exploration", float(value)
    if key == "threads" and re.fullmatch(r"[1-9][0-9]{0,2}", value) and int(value) <= MOST_THREADS:
        return "threads", int(value)
    return None


class Search(Agent):
    """Chooses the action that was tried most often. Deterministic but for a budget in milliseconds."""

    wants_records = True

    def __init__(self, game: Game, name: str, policy: Policy | None = None) -> None:
        """`name` as in the module's docstring, but for guided ones; `policy`: whose beliefs it has, if it says so.

        Raises UnknownPlayerError, and CheckpointError for a policy without a belief head.
        """
        wanted = parse(name)
        if wanted.belief != (policy is not None):
            raise UnknownPlayerError(f"search player {name!r}: it has a policy if it has beliefs, and only then")
        self.game, self.name, self.learned = game, name, None if policy is None else policy.learned
        which_worlds = None if policy is None else believed(Beliefs(game, policy), wanted)
        self._milliseconds = wanted.milliseconds
        self._iterations = wanted.iterations or MOST
        settings = settings_of(game, wanted)
        self._tree = (
            Tree(game, self._iterations, settings, which_worlds)
            if wanted.threads == 1
            else Forest(game, self._iterations, settings, wanted.threads, which_worlds)
        )

    def act(self, decisions: Decisions) -> np.ndarray:
        actions = decisions.action_masks.argmax(axis=1)
        free = np.flatnonzero(decisions.action_masks.sum(axis=1) > 1)
        records = self.records_of(decisions)[free]
        seeds = (decisions.chances[free] * (1 << 32)).astype(np.int64)
        if self._milliseconds is None:
            actions[free] = self._tree.choose(records, seeds, self._iterations)
        else:
            actions[free] = [self._timed(records[i : i + 1], int(seed)) for i, seed in enumerate(seeds)]
        return actions

    def _timed(self, record: np.ndarray, seed: int) -> int:
        end = time.perf_counter() + (self._milliseconds or 0) / 1000
        self._tree.plant(record)
        self._tree.grow_until(seed, end)
        return self._tree.best()


def believed(beliefs: Beliefs, wanted: SearchName) -> WhichWorlds:
    """What tells a tree its worlds: as many as it has iterations, but WEIGHED at most, and drawn from no more than that.

    So a decision stays cheap: to weigh a world takes 3.4 us in Skull King and 4.7 us in Piratenpoker, an iteration 5 and 14.
    """
    most = WEIGHED if wanted.milliseconds is None else min(WEIGHED, WEIGHED_A_MILLISECOND * wanted.milliseconds)
    return partial(beliefs.numbers, wanted=range(min(wanted.iterations or most, most)), most=most)


def playout_of(game: Game, wanted: SearchName) -> str:
    """The compiled player that plays worlds out: what the name says, else the strongest rule player if there is one."""
    return wanted.playout or ("rules:strongest" if game.rule_players else "random")


def others_of(game: Game, wanted: SearchName) -> int | None:
    """The number of the rule player on the other seats of every second world. Raises UnknownPlayerError."""
    return None if wanted.others is None else _role(game, wanted.others) - 1


def _role(game: Game, player: str) -> int:
    """Of a rule player that a search names. Raises UnknownPlayerError."""
    try:
        return role_number(compiled_names(game), player)
    except UnknownPlayerError:
        known = [f"rules={name}" for name in [*game.rule_players, "strongest"]] if game.rule_players else ["none"]
        said = shown(player.replace("rules:", "rules=", 1))
        told = f"unknown rule player {said} of a search in {game.name}; there are: {', '.join(known)}"
        raise UnknownPlayerError(told) from None


def settings_of(game: Game, wanted: SearchName) -> SearchSettings:
    """The engine's settings of that search. Raises UnknownPlayerError."""
    playout = playout_of(game, wanted)
    role = UNIFORM if playout == "random" else _role(game, playout)
    settings = SearchSettings(KINDS[wanted.kind], role, wanted.horizon)
    return settings if wanted.exploration is None else settings._replace(exploration=wanted.exploration)
