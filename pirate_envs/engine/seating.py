"""Who sits where: players by role number, and the draws that seat them.

Every seat of a lane has a role, a small number: LEARNER, UNIFORM (any legal action, each with the same chance), then the
game's rule players, weakest first, then the outside players in the order given. Roles below `compiled_roles` are played by
the compiled loop; for the learner and the outside players a lane waits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from pirate_envs.core.errors import OptionError, UnknownPlayerError, shown
from pirate_envs.core.game import Game
from pirate_envs.core.jit import compiled
from pirate_envs.core.rng import below, next32

LEARNER, UNIFORM = -1, 0
SEATS = 16  # room for the seats of any game
HEAVIEST = 1e9  # a weight in a mix
UNIT32 = 1 << 32  # a share of 1, as the generator's 32 bits measure it
AS_SEATED = np.zeros(0, np.int64)  # instead of thresholds: every player stays on its seat

Mix = Mapping[str, float] | str
"""A player's name, or {name: weight}: 'random', 'rules:NAME', 'rules:strongest' or the name of an outside player."""


class Seating(NamedTuple):
    """How the players of a lane's next match are drawn, as the compiled loop takes it."""

    thresholds: np.ndarray
    """Cumulative weights of the roles, 2**32 in all, int64, shape (roles,); or AS_SEATED, shape (0,)."""
    compiled_roles: int
    """Roles from 0 up to this one are played by the compiled loop, the others are waited for."""
    self_play: int
    """2**32 times the share of matches in which learners sit on all seats; in the others one learner plays."""
    option_sets: np.ndarray
    """Records with other options, shape (n,), of which each match draws one; n = 0: all keep their own."""


# -- draws -------------------------------------------------------------------------------------------------------------


@compiled
def draw_role(gen, thresholds):
    """A role by cumulative weights: thresholds[r] is 2**32 times the share of the roles up to r."""
    at = next32(gen)
    role = 0
    while at >= thresholds[role]:
        role += 1
    return role


@compiled
def seat_players(lane, players, seating):
    """Draw the learner's seat and who sits on the others; without thresholds all stay where they are."""
    if len(seating.thresholds) == 0:
        return
    lane.seat = below(lane.gen, players)
    among_themselves = seating.self_play > 0 and next32(lane.gen) < seating.self_play
    for seat in range(players):
        learns = seat == lane.seat or among_themselves
        lane.roles[seat] = LEARNER if learns else draw_role(lane.gen, seating.thresholds)


@compiled
def draw_options(records, i, lane, option_sets):
    """Give record i the options of one of the sets, where there are any; its seed stays."""
    if len(option_sets) > 0:
        low, high = records[i].seed[0], records[i].seed[1]
        records[i] = option_sets[below(lane.gen, len(option_sets))]
        records[i].seed[0] = low
        records[i].seed[1] = high


@compiled
def reseat_all(records, ledger, renumbered, thresholds):
    """Give every opponent its new role number; those that are no more (negative) are replaced by a draw.

    `renumbered`: int64, shape (roles,), by old number.
    """
    for i in range(len(ledger)):
        lane = ledger[i]
        for seat in range(int(records[i].players)):
            role = int(lane.roles[seat])
            if role >= 0:
                role = renumbered[role]
                lane.roles[seat] = role if role >= 0 else draw_role(lane.gen, thresholds)


# -- names -------------------------------------------------------------------------------------------------------------


def compiled_names(game: Game) -> list[str]:
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


def check_weight(name: str, weight: object) -> None:
    """Raises OptionError unless it is a number from 0 to HEAVIEST."""
    number = isinstance(weight, (int, float, np.integer, np.floating)) and not isinstance(weight, bool)
    if not number or not 0 <= weight <= HEAVIEST:  # type: ignore[operator]
        raise OptionError(f"{name} is {shown(weight)}; allowed: a number from 0 to {HEAVIEST:g}")


def mix_thresholds(names: Sequence[str], mix: Mix) -> np.ndarray:
    """Cumulative weights of every role, scaled to 2**32, int64. Raises UnknownPlayerError or OptionError."""
    mix = {mix: 1.0} if isinstance(mix, str) else mix
    if not isinstance(mix, Mapping):
        raise OptionError(f"opponents is {shown(mix)}; allowed: a player's name, or a mapping from names to weights")
    weights = np.zeros(len(names))
    for name, weight in mix.items():
        check_weight(f"weight of opponent {shown(name)}", weight)
        weights[role_number(names, name)] += weight
    if not weights.sum() > 0:
        raise OptionError(f"opponents {dict(mix)!r} have no weight; at least one must be above 0")
    thresholds = np.round(np.cumsum(weights) / weights.sum() * UNIT32).astype(np.int64)
    thresholds[np.flatnonzero(weights)[-1] :] = UNIT32
    return thresholds
