"""Kuhn poker as a tree: what any strategy is worth, and the best answer to it, by exact sums over our own engine."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import pirate_envs

GAME = pirate_envs.load("kuhn_poker", reward="score")

Strategy = dict[bytes, float]
"""What the seat to move observes -> the chance that it bets or calls."""
Worth = Callable[[np.record], float]
"""What an end is worth to the one who began; the other loses it."""


def in_order(g: np.record) -> tuple[str, ...]:
    """The cards, that of the one who begins first."""
    shown = GAME.view(g)
    return tuple(shown["cards"][(shown["first"] + place) % 2] for place in (0, 1))


def won(g: np.record) -> int:
    """Chips won by the one who began."""
    return int(GAME.payoffs(g)[GAME.view(g)["first"]])


def deals() -> list[np.record]:
    """One match of each deal, which are equally likely (`test_r1_the_deal_is_even`); seat 0 or 1 begins."""
    found: dict[tuple[object, ...], np.record] = {}
    for seed in range(1000):
        g = GAME.new(seed)
        found.setdefault((GAME.view(g)["first"], *in_order(g)), g)
    assert len(found) == 12
    return list(found.values())


def sight(g: np.record) -> bytes:
    """What the seat to move knows."""
    return GAME.observation(g, GAME.seat_to_move(g)).tobytes()


def children(g: np.record) -> list[np.record]:
    """The match after each legal action."""
    after = []
    for action in GAME.legal_actions(g):
        after.append(g.copy())
        GAME.apply(after[-1], action)
    return after


def begins(g: np.record) -> bool:
    """Is the seat to move the one who began?"""
    return GAME.seat_to_move(g) == GAME.view(g)["first"]


def by_cards(rule: Callable[[str, tuple[str, str]], float]) -> Strategy:
    """The strategy that bets or calls with the chance that `rule` gives for the own card and the names of the actions."""
    strategy: Strategy = {}
    waiting = deals()
    while waiting:
        g = waiting.pop()
        if not GAME.is_over(g):
            seat = GAME.seat_to_move(g)
            names = tuple(GAME.action_name(g, action) for action in GAME.legal_actions(g))
            strategy[sight(g)] = rule(GAME.view(g, seat)["cards"][seat], (names[0], names[1]))
            waiting += children(g)
    return strategy


def share(g: np.record) -> float:
    """What the one who began has won above an even share of the match."""
    return float(np.sign(won(g)) / 2)


def value(g: np.record, strategy: Strategy, worth: Worth = won) -> float:
    """Chips that the one who begins can expect when both play by the strategy; or of what else an end is worth to it."""
    if GAME.is_over(g):
        return worth(g)
    bets = strategy[sight(g)]
    passed, bet = (value(after, strategy, worth) for after in children(g))
    return (1 - bets) * passed + bets * bet


def best_response(strategy: Strategy, beginner: bool, worth: Worth = won) -> float:
    """Chips (or what else) that the one who begins (or the other) can expect by the best answer to the strategy.

    From the last decisions upwards: an action is as good as the matches that look alike to the seat make it together.
    """
    answer = dict(strategy)
    alike: dict[bytes, list[tuple[np.record, float]]] = {}
    depth: dict[bytes, int] = {}

    def walk(g: np.record, reached: float) -> None:
        if GAME.is_over(g):
            return
        own = begins(g) == beginner
        if own:
            alike.setdefault(sight(g), []).append((g, reached))
            depth[sight(g)] = int(g.decisions)
        shares = (1.0, 1.0) if own else (1 - strategy[sight(g)], strategy[sight(g)])
        for after, share in zip(children(g), shares, strict=True):
            walk(after, reached * share)

    for g in deals():
        walk(g, 1 / 12)
    sign = 1 if beginner else -1
    for known in sorted(alike, key=lambda known: -depth[known]):
        passed, bet = (
            sum(sign * value(children(g)[bets], answer, worth) * reached for g, reached in alike[known]) for bets in (0, 1)
        )
        answer[known] = float(bet > passed)
    return sign * sum(value(g, answer, worth) for g in deals()) / 12
