"""Search: Monte Carlo over determinized worlds, flat or with a tree, for any game, through the verbs alone.

The tree is that of single-observer information-set Monte Carlo tree search (Cowling, Powley and Whitehouse 2012): every
iteration draws a world that agrees with all the seat knows, walks down the tree along actions that are legal in it, adds
one node, and plays on to the horizon. An action is chosen by UCB1 with the number of times it was available in place of
its parent's visits; every node keeps the value of the seat that moved into it. With `depth` 1 the search is flat.

The n-th visit of each of the root's actions meets the same n-th world and the same chance, so that they are compared with
much of the luck taken out. Where a rule player plays out, it also names the first action to try at every node, and below
the root a node with v visits tries no more than 1 + sqrt(v) / 2 actions (progressive widening; Coulom 2007): many are not
worth a look.

A root is a redacted record, so that nothing hidden can be used. UCB1's constant is in units of the spread of the
outcomes seen so far, so that it fits every game and objective.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pirate_envs.core import verbs
from pirate_envs.core.bits import allows, count, draw, words_for
from pirate_envs.core.game import Game
from pirate_envs.core.jit import compiled, compiled_apart, kernel
from pirate_envs.core.payout import value
from pirate_envs.core.rng import key, next32

WORLD_CHANCE = 0xFFFFFFFC  # the stream of a search's worlds
TO_MATCH_END = 0  # a horizon; any other is a number of stages
UNIFORM = 0  # playouts; rule player number p (weakest first) is p + 1
UNTRIED = -1
CHUNK = 32  # iterations between two looks at the clock, or at whether all is clear
WIDENING = 4  # a node below the root tries another action when it has had this many visits for each pair of actions tried

NODE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("value", np.float64),  # sum of the outcomes of the seat that moved here
                ("visits", np.int32),
                ("available", np.int32),  # times the move here was legal when its parent was visited
                ("first", np.int32),  # child, or UNTRIED
                ("next", np.int32),  # sibling, or UNTRIED
                ("action", np.int32),
                ("mover", np.int32),
            ],
            align=True,
        ),
    )
)
TREE = np.dtype(
    (
        np.record,
        np.dtype([("low", np.float64), ("high", np.float64), ("used", np.int64), ("decisions", np.int64)], align=True),
    )
)


# -- the tree ----------------------------------------------------------------------------------------------------------


@compiled
def plant(tree, nodes):
    """A tree of its root alone."""
    tree.low = np.inf
    tree.high = -np.inf
    tree.used = 0
    tree.decisions = 0
    add_node(tree, nodes, UNTRIED, 0)


@compiled
def add_node(tree, nodes, action, mover):
    """A new node without parent; returns its number."""
    at = int(tree.used)
    node = nodes[at]
    node.value = 0.0
    node.visits = 0
    node.available = 1
    node.first = UNTRIED
    node.next = UNTRIED
    node.action = action
    node.mover = mover
    tree.used = at + 1
    return at


@compiled
def upper_bound(node, reach):
    """UCB1 of a visited node."""
    return node.value / node.visits + reach * np.sqrt(np.log(node.available) / node.visits)


@compiled
def best_child(nodes, parent, words, untried, reach):
    """(the child with the highest UCB1 among those whose action is legal, how many these are); `untried`: the other actions."""
    for i in range(len(words)):
        untried[i] = words[i]
    best, highest, children = UNTRIED, -np.inf, 0
    at = int(nodes[parent].first)
    while at != UNTRIED:
        node = nodes[at]
        if allows(words, int(node.action)):
            untried[node.action >> 6] ^= np.uint64(1) << np.uint64(node.action & 63)
            node.available += 1
            children += 1
            bound = upper_bound(node, reach)
            if bound > highest:
                best, highest = at, bound
        at = int(node.next)
    return best, children


@compiled
def widens(nodes, parent, children, untried, playout):
    """Is it time to try another action here?"""
    if count(untried) == 0:
        return False
    return playout == UNIFORM or parent == 0 or WIDENING * children * children <= nodes[parent].visits


@compiled
def grow(tree, nodes, parent, action, mover):
    """A new child of `parent`."""
    at = add_node(tree, nodes, action, mover)
    nodes[at].next = nodes[parent].first
    nodes[parent].first = at
    return at


@compiled
def credit(tree, nodes, path, length, outcome, players):
    """Give every node on the path what the seat that moved there got, and keep the spread of the outcomes."""
    for seat in range(players):
        tree.low = min(tree.low, outcome[seat])
        tree.high = max(tree.high, outcome[seat])
    nodes[0].visits += 1
    for i in range(1, length):
        node = nodes[path[i]]
        node.visits += 1
        node.value += outcome[node.mover]


# -- worlds ------------------------------------------------------------------------------------------------------------


@compiled_apart
def draw_world(world, seed, number):
    """Fill a copy of the root with one random world; chance to come is drawn anew too."""
    key(world.gen, seed, number, WORLD_CHANCE)
    world.seed[0] = next32(world.gen)
    world.seed[1] = next32(world.gen)
    verbs.determinize(world, int(world.to_move))


@compiled
def judge(world, horizon, points, before, outcome):
    """Write each seat's outcome: the match's rewards, or the points won by then above the others' mean, by the scale."""
    ahead = verbs.payoff(world, points)
    if horizon == TO_MATCH_END:
        value(world, points, ahead, outcome)
        return
    players = int(world.players)
    total = 0
    for seat in range(players):
        total += points[seat] - before[seat]
    for seat in range(players):
        gain = points[seat] - before[seat]
        outcome[seat] = (gain - (total - gain) / (players - 1)) / world.scale


@kernel
def iterate(
    root, tree, nodes, seed, start, stop, depth, playout, horizon, exploration,
    worlds, words, untried, path, points, before, outcome, gen,
):  # fmt: skip
    """Iterations start..stop-1 of the search from the one record in `root`; each verb has one call, compiled in full."""
    verbs.payoff(root[0], before)
    stage = verbs.stage(root[0])
    world = worlds[0]
    key(gen, seed, start, WORLD_CHANCE - 1)
    for _ in range(start, stop):
        worlds[0] = root[0]
        path[0] = 0
        length = 1
        growing = True
        while world.over == 0 and (horizon == TO_MATCH_END or verbs.stage(world) - stage < horizon):
            at, new, by_rule = UNTRIED, False, playout != UNIFORM
            if growing or not by_rule:
                verbs.legal(world, words)
            if growing:
                reach = exploration * (tree.high - tree.low) if tree.high > tree.low else 0.0
                at, children = best_child(nodes, path[length - 1], words, untried, reach)
                new = widens(nodes, path[length - 1], children, untried, playout)
                by_rule = by_rule and new and children == 0
            if by_rule:
                action = np.int64(verbs.rule_action(world, playout - 1))
            elif growing and not new:
                action = np.int64(nodes[at].action)
            else:
                action = draw(untried if new else words, gen)
            if growing:
                if new:
                    at = grow(tree, nodes, path[length - 1], action, int(world.to_move))
                if length == 1:
                    draw_world(world, seed, int(nodes[at].visits))
                    key(gen, seed, int(nodes[at].visits), WORLD_CHANCE - 1)
                path[length] = at
                length += 1
                growing = not new and length <= depth
            verbs.apply(world, action)
            tree.decisions += 1
        judge(world, horizon, points, before, outcome)
        credit(tree, nodes, path, length, outcome, int(world.players))


@compiled
def most_visited(nodes):
    """The root's action that was tried most often; of equals the one with the higher value."""
    best = int(nodes[0].first)
    at = int(nodes[best].next)
    while at != UNTRIED:
        node, leader = nodes[at], nodes[best]
        if node.visits > leader.visits or (node.visits == leader.visits and node.value > leader.value):
            best = at
        at = int(node.next)
    return int(nodes[best].action)


@compiled
def is_decided(nodes, left):
    """Can no other action of the root be tried as often as the leader in the iterations that are left?"""
    first, second = 0, 0
    at = int(nodes[0].first)
    while at != UNTRIED:
        visits = int(nodes[at].visits)
        second = max(second, min(visits, first))
        first = max(first, visits)
        at = int(nodes[at].next)
    return first - second > left


@kernel
def choose(
    roots, seeds, actions, iterations, tree, nodes, depth, playout, horizon, exploration,
    root, worlds, words, untried, path, points, before, outcome, gen,
):  # fmt: skip
    """One action for every root; a decision without alternative is not searched, one that is clear is not searched on."""
    for i in range(len(roots)):
        verbs.legal(roots[i], words)
        if count(words) == 1:
            actions[i] = draw(words, gen)
            continue
        root[0] = roots[i]
        plant(tree, nodes)
        for start in range(0, iterations, CHUNK):
            stop = min(start + CHUNK, iterations)
            iterate(
                root, tree, nodes, seeds[i], start, stop, depth, playout, horizon, exploration,
                worlds, words, untried, path, points, before, outcome, gen,
            )  # fmt: skip
            if is_decided(nodes, iterations - stop):
                break
        actions[i] = most_visited(nodes)


class Settings(NamedTuple):
    """How to search."""

    depth: int = 1 << 30
    """Levels of the tree; 1 is flat Monte Carlo."""
    playout: int = UNIFORM
    """UNIFORM, or 1 + a rule player's number."""
    horizon: int = TO_MATCH_END
    """Hands, turns or cycles to play and count the points of, this one included; TO_MATCH_END counts the match's rewards."""
    exploration: float = 0.3
    """UCB1's constant, in units of the spread of outcomes."""


class Tree:
    """Room for one search tree, and the search from one record or from many, one after the other."""

    def __init__(self, game: Game, iterations: int, settings: Settings) -> None:
        """`iterations`: the most of one search."""
        self._settings = tuple(settings)
        self._tree, self._nodes = np.zeros(1, TREE), np.zeros(iterations + 1, NODE)
        self._root, worlds = game.empty(1), game.empty(1)
        words, untried = np.zeros((2, words_for(game.actions)), np.uint64)
        points, before = np.zeros((2, game.players), np.int64)
        path = np.zeros(min(iterations, settings.depth) + 2, np.int32)
        self._scratch = worlds, words, untried, path, points, before, np.zeros(game.players), np.zeros(4, np.uint32)

    @property
    def decisions(self) -> int:
        """Decisions made in the worlds of the last search."""
        return int(self._tree[0]["decisions"])

    def choose(self, records: np.ndarray, seeds: np.ndarray, iterations: int) -> np.ndarray:
        """An action for each redacted record, int64, shape (n,), by this many iterations each. `seeds`: int64, (n,)."""
        actions = np.zeros(len(records), np.int64)
        tree = self._tree[0], self._nodes
        choose(records, seeds, actions, iterations, *tree, *self._settings, self._root, *self._scratch)
        return actions

    def plant(self, record: np.ndarray) -> None:
        """Begin a search that goes on by `grow`, from one redacted record, shape (1,)."""
        self._root[:] = record
        plant(self._tree[0], self._nodes)

    def grow(self, seed: int, start: int, stop: int) -> None:
        """Iterations start..stop-1."""
        iterate(self._root, self._tree[0], self._nodes, seed, start, stop, *self._settings, *self._scratch)

    def best(self) -> int:
        """The action that was tried most often."""
        return int(most_visited(self._nodes))
