"""Small variants for OpenSpiel's tools, and what the engine alone knows of them."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np

import pirate_envs
from pirate_envs.core.game import Game

FIVE = "yellow_1 black_1 pirate mermaid skull_king"
ONE_HAND = {"players": 2, "first_hand": 2, "last_hand": 2}
KUHN = {"deals": "all", "reward": "margin"}
TINY: list[tuple[str, dict[str, Any]]] = [("kuhn_poker", KUHN), ("skull_king", {**ONE_HAND, "reward": "margin", "deals": FIVE})]
"""Games with explicit deals, small enough for every tool."""
SHORTER: dict[str, dict[str, Any]] = {
    "lucky_pirate": {"players": 3, "max_turns": 40},
    "piraten_kapern": {"players": 2, "max_rounds": 2},
    "piratenpoker": {"players": 3, "max_cycles": 1},
    "skull_king": {"players": 3, "last_hand": 3},
}
SHORT = [(name, SHORTER.get(name, {})) for name in pirate_envs.games()]
"""Every game, with sampled deals and short matches where options make them so."""

Deals = list[tuple[np.record, float]]
Rule = Callable[[Game, np.record], dict[int, float]]
"""A player by what its seat sees at the moment: action -> probability."""


def engine_deals(game: Game) -> Deals:
    """The deals of TINY's games, found without the door: the same matches, made by the engine from seeds or from views."""
    if game.name == "kuhn_poker":
        found = {(g.first, *g.cards.tolist()): g for g in map(game.new, range(1000))}
        return [(g, 1 / 12) for g in found.values()]
    cards = FIVE.split()
    hands = [(own, other) for own in combinations(cards, 2) for other in combinations([c for c in cards if c not in own], 2)]
    views = [{"hand_number": 2, "phase": "bid", "hands": [list(hand) for hand in each]} for each in hands]
    return [(game.from_view(view), 1 / len(views)) for view in views]


def uniform(game: Game, g: np.record) -> dict[int, float]:
    legal = game.legal_actions(g)
    return dict.fromkeys(legal, 1 / len(legal))


def lopsided(game: Game, g: np.record) -> dict[int, float]:
    """Any mixture, but the same wherever the seat sees the same."""
    sight = game.observation(g, game.seat_to_move(g)).tobytes()
    weights = {a: 1 + hashlib.sha256(sight + bytes([a])).digest()[0] for a in game.legal_actions(g)}
    return {action: weight / sum(weights.values()) for action, weight in weights.items()}


def sight_of(game: Game, g: np.record, seat: int) -> bytes:
    """All that a record holds for one seat, but how many decisions have been made."""
    seen = game.redacted(g, seat)
    seen.decisions = 0
    return seen.tobytes()


def best_answer(game: Game, deals: Deals, rule: Rule, seat: int) -> float:
    """What the seat can expect by the best answer to a rule that the others play: brute force over the engine's records.

    Matches stay together for as long as the seat has seen and done the same in them; at its decision each group takes the
    action that is best for the group.
    """

    def until_own(g: np.record, weight: float, past: tuple[bytes, ...]) -> Iterator[tuple[np.record, float, tuple[bytes, ...]]]:
        past = (*past, sight_of(game, g, seat))
        if game.is_over(g) or game.seat_to_move(g) == seat:
            yield g, weight, past
            return
        for action, share in rule(game, g).items():
            after = g.copy()
            game.apply(after, action)
            yield from until_own(after, weight * share, past)

    def worth(group: list[tuple[np.record, float]]) -> float:
        total, together = 0.0, defaultdict(list)
        for g, weight in group:
            for end, reached, past in until_own(g, weight, ()):
                if game.is_over(end):
                    total += reached * float(game.rewards(end)[seat])
                else:
                    together[past].append((end, reached))
        return total + sum(max(tried(alike, a) for a in game.legal_actions(alike[0][0])) for alike in together.values())

    def tried(alike: list[tuple[np.record, float]], action: int) -> float:
        after = [(g.copy(), weight) for g, weight in alike]
        for g, _ in after:
            game.apply(g, action)
        return worth(after)

    return worth(deals)


def moments(spiel: Any) -> Iterator[Any]:
    """Every moment of a game with explicit deals."""
    waiting = [deal for deal, _ in spiel.deals]
    while waiting:
        yield (moment := waiting.pop())
        waiting += [moment.after(action) for action in moment.legal]


def policy_of(spiel: Any, rule: Rule) -> dict[str, list[tuple[int, float]]]:
    """The rule as OpenSpiel's tools take it, by information state."""
    return {m.memory(m.mover): list(rule(m.game, m.record).items()) for m in moments(spiel) if not m.over}


def counted(records: Deals) -> Counter[bytes]:
    """Probabilities by the whole record, seed and generator apart."""
    found: Counter[bytes] = Counter()
    for g, chance in records:
        plain = g.copy()
        plain.seed[:] = 0
        plain.gen[:] = 0
        found[plain.tobytes()] += chance  # type: ignore[assignment]
    return found
