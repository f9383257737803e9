"""Search: Monte Carlo over determinized worlds, flat or with a tree, for any game, through the verbs alone.

Every iteration draws a world that agrees with all the seat knows and plays it to the horizon: the others by the playout's
player, the seat itself by its tree as far as that reaches. The tree is that of partially observable Monte Carlo planning
(Silver and Veness 2010) with determinized worlds for its particles: it has nodes at the seat's own decisions only, and
such a node is an information set, known by the seat's moves on the way and a hash of what it observes. So dice that fell
and cards that came up tell nodes apart, and what is hidden cannot. An action is chosen by UCB1 with the number of times
it was available in place of its parent's visits, as in single-observer information-set Monte Carlo tree search (Cowling,
Powley and Whitehouse 2012). With `depth` 1 the search is flat.

Choices that others have made under a seal are not guessed but made anew in each world, by the playout's player.

The n-th visit of each of the root's actions meets the same n-th world and the same chance, so that they are compared with
much of the luck taken out; a search may be told which worlds to meet, in place of random ones. Where a rule player plays
out, it also names the first action to try at every node, its visits at the root count twice in the final choice, and below
the root a node with v visits tries no more than 1 + sqrt(v) / 2 actions (progressive widening; Coulom 2007): many are not
worth a look.

Under reward='win' a world that is not over at the horizon is worth a share of the win: the seats' odds are as exp(points)
in units of SWING. A root is a redacted record, so that nothing hidden can be used. UCB1's constant is in units of the
spread of all seats' outcomes seen so far, so that it fits every game and objective.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from pirate_envs.core import verbs
from pirate_envs.core.bits import allows, count, draw, draw_of, words_for
from pirate_envs.core.errors import BatchError, OptionError
from pirate_envs.core.game import Game
from pirate_envs.core.jit import compiled, compiled_apart, kernel
from pirate_envs.core.rewards import WIN, write_rewards
from pirate_envs.core.rng import Stream, branch, key, next32
from pirate_envs.engine.checks import checked_size
from pirate_envs.engine.memory import zeros

ITSELF, ACTIONS, TO_COME = 0, 1, 2  # branches of Stream.WORLD: what a world is made of; what is drawn in it; what is to come
TO_MATCH_END = 0  # a horizon; any other is a number of stages
UNIFORM = 0  # playouts; rule player number p (weakest first) is p + 1
UNTRIED = -1
SWING = 0.2  # a lead of this many times the game's scale makes the odds of winning e times as good
RULE_COUNTS = 2  # how often a visit of the rule player's action counts in the final choice
RULES_MOVE = 1  # the first node after the root: where a rule player plays out, its action there
CHUNK = 32  # iterations between two looks at the clock, or at whether all is clear
WIDENING = 4  # a node below the root tries another action when it has had this many visits for each pair of actions tried
MOST_CELLS = 4096  # of an observation
FACTORS = np.array([pow(48271, cell, (1 << 31) - 1) for cell in range(1, MOST_CELLS + 1)], np.uint32)  # for its hash
LOGS = np.log(np.maximum(np.arange(1024), 1))  # of small numbers; looking one up is quicker than working it out

WhichWorlds = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Tells, of redacted records (n,) and their searches' seeds (int64, (n,)), the numbers of the worlds to meet: int64, (n, m).

Of equal records and seeds it must tell the same.
"""

NODE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("value", np.float64),  # sum of the seat's outcomes
                ("label", np.int64),  # of a move its action, of an information set its hash
                ("visits", np.int32),
                ("available", np.int32),  # times the move here was legal when its parent was visited
                ("first", np.int32),  # child, or UNTRIED
                ("next", np.int32),  # sibling, or UNTRIED
                ("lower", np.int32),  # sibling of lower hash, or UNTRIED
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


class SearchSettings(NamedTuple):
    """How to search."""

    depth: int = 1 << 30
    """Own decisions that the tree reaches; 1 is flat Monte Carlo."""
    playout: int = UNIFORM
    """UNIFORM, or 1 + a rule player's number."""
    horizon: int = 1
    """Hands, turns or cycles to play, this one included, and judge by the points then; TO_MATCH_END: by the match's rewards."""
    exploration: float = 0.3
    """UCB1's constant, in units of the spread of outcomes."""

    def checked(self, game: Game) -> SearchSettings:
        """The same, each of the type that the kernels are compiled for. Raises OptionError."""
        for name, value, low, high in (
            ("depth", self.depth, 1, 1 << 30), ("playout", self.playout, 0, len(game.rule_players)),
            ("horizon", self.horizon, TO_MATCH_END, 1 << 30),
        ):  # fmt: skip
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
                raise OptionError(f"{name} of a search is {value!r}; allowed: an integer from {low} to {high}")
        if not 0 <= self.exploration < np.inf:
            raise OptionError(f"exploration of a search is {self.exploration!r}; allowed: a finite number from 0 up")
        return SearchSettings(int(self.depth), int(self.playout), int(self.horizon), float(self.exploration))


class Room(NamedTuple):
    """What a search works in; the words, the numbers and what is seen mean nothing between two iterations."""

    root: np.ndarray
    """The redacted record to search from, shape (1,)."""
    worlds: np.ndarray
    """The world of the iteration, a record, shape (1,)."""
    words: np.ndarray
    """Legal actions of the seat to move, uint64, shape (words,)."""
    untried: np.ndarray
    """Those of them that a node has no child for, uint64, shape (words,)."""
    path: np.ndarray
    """Numbers of the nodes that the iteration visited, int32, shape (2 * depth + 1,)."""
    points: np.ndarray
    """int64, shape (players,)."""
    before: np.ndarray
    """The root's points, int64, shape (players,)."""
    outcome: np.ndarray
    """What the world was worth to each seat, float64, shape (players,)."""
    gen: np.ndarray
    """Generator of uniform actions, uint32, shape (4,)."""
    seen: np.ndarray
    """What the seat observes, float32, shape (layout size,)."""
    seen_words: np.ndarray
    """The same bytes, uint32."""


# -- the tree ----------------------------------------------------------------------------------------------------------


@compiled
def plant(tree, nodes):
    """A tree of its root alone."""
    tree.low = np.inf
    tree.high = -np.inf
    tree.used = 0
    tree.decisions = 0
    add_node(tree, nodes, UNTRIED)


@compiled
def add_node(tree, nodes, label):
    """A new node without parent; returns its number."""
    at = int(tree.used)
    node = nodes[at]
    node.value = 0.0
    node.visits = 0
    node.available = 1
    node.first = UNTRIED
    node.next = UNTRIED
    node.lower = UNTRIED
    node.label = label
    tree.used = at + 1
    return at


@compiled
def upper_bound(node, reach):
    """UCB1 of a visited node."""
    available = int(node.available)
    log = LOGS[available] if available < len(LOGS) else np.log(available)
    return node.value / node.visits + reach * np.sqrt(log / node.visits)


@compiled
def best_child(nodes, parent, words, untried, reach):
    """(the child with the highest UCB1 among those whose action is legal, how many these are); `untried`: the other actions."""
    for i in range(len(words)):
        untried[i] = words[i]
    best, highest, children = UNTRIED, -np.inf, 0
    at = int(nodes[parent].first)
    while at != UNTRIED:
        node = nodes[at]
        action = int(node.label)
        if allows(words, action):
            untried[action >> 6] ^= np.uint64(1) << np.uint64(action & 63)
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
def grow(tree, nodes, parent, label):
    """A new child of `parent`."""
    at = add_node(tree, nodes, label)
    nodes[at].next = nodes[parent].first
    nodes[parent].first = at
    return at


@compiled
def hashed(cells):
    """A number for an observation, given as uint32."""
    total = np.uint64(0)
    for i in range(len(cells)):
        total += (np.uint64(cells[i]) * np.uint64(FACTORS[i])) >> np.uint64(14)  # no overflow, and no sign: vectors
    return np.int64(total)


@compiled
def information_set(tree, nodes, move, label):
    """The node below a move where the seat observes what has this hash: these are a binary search tree, `next` the higher."""
    if nodes[move].first == UNTRIED:
        nodes[move].first = add_node(tree, nodes, label)
    at = int(nodes[move].first)
    while nodes[at].label != label:
        lower = label < nodes[at].label
        below = int(nodes[at].lower) if lower else int(nodes[at].next)
        if below == UNTRIED:
            below = add_node(tree, nodes, label)
            if lower:
                nodes[at].lower = below
            else:
                nodes[at].next = below
        at = below
    return at


@compiled
def credit(tree, nodes, path, length, outcome, seat):
    """Give every node on the path what the seat got, and keep the spread of all seats' outcomes."""
    for other in range(len(outcome)):
        tree.low = min(tree.low, outcome[other])
        tree.high = max(tree.high, outcome[other])
    for i in range(length):
        node = nodes[path[i]]
        node.visits += 1
        node.value += outcome[seat]


# -- worlds ------------------------------------------------------------------------------------------------------------


@compiled_apart
def draw_world(world, seed, number):
    """Fill a copy of the root with one random world; chance to come is drawn anew too."""
    key(world.gen, seed, number, branch(Stream.WORLD, ITSELF))
    world.seed[0] = next32(world.gen)
    world.seed[1] = next32(world.gen)
    verbs.determinize(world, int(world.to_move))


@compiled
def meet_world(world, seed, numbers, visit):
    """Fill a copy of the root with the world that an action meets when it is visited for the `visit`-th time, from 0.

    `numbers`: which worlds to meet, int64, (m,), from the first again after the last, each time with other chance to come. If
    there are none: each world once.
    """
    draw_world(world, seed, visit if len(numbers) == 0 else numbers[visit % len(numbers)])
    if len(numbers) > 0:
        key(world.gen, seed, visit, branch(Stream.WORLD, TO_COME))
        world.seed[0] = next32(world.gen)
        world.seed[1] = next32(world.gen)


@compiled
def share_win(world, points, ahead, outcome):
    """Write each seat's share of the win, or its odds of winning as the points suggest."""
    players = int(world.players)
    best = points[0]
    for seat in range(1, players):
        best = max(best, points[seat])
    total = 0.0
    for seat in range(players):
        odds = np.exp((points[seat] - best) / (SWING * world.scale))
        outcome[seat] = (ahead >> seat) & 1 if world.over != 0 else odds
        total += outcome[seat]
    for seat in range(players):
        outcome[seat] /= total


@compiled
def judge(world, horizon, points, before, outcome):
    """Write what the world is worth to each seat: the match's rewards, or by what has been scored until the horizon.

    That is the share of the win under reward='win', else the points won by then above the others' mean, by the scale.
    """
    ahead = verbs.score(world, points)
    if horizon == TO_MATCH_END:
        write_rewards(world, points, ahead, outcome)
        return
    if world.reward == WIN:
        share_win(world, points, ahead, outcome)
        return
    players = int(world.players)
    total = 0
    for seat in range(players):
        total += points[seat] - before[seat]
    for seat in range(players):
        gain = points[seat] - before[seat]
        outcome[seat] = (gain - (total - gain) / (players - 1)) / world.scale


@kernel
def iterate(tree, nodes, seed, numbers, start, stop, settings, room):
    """Iterations start..stop-1 of the search from the record in `room.root`; each verb has one call, compiled in full.

    `numbers`: see `meet_world`; `tree`: TREE, one record; `nodes`: NODE, shape (2 * iterations + 1,); `settings`:
    SearchSettings; `room`: Room.
    """
    root, worlds, words, untried, path, points, before, outcome, gen, seen, seen_words = room
    depth, playout, horizon, exploration = settings
    verbs.score(root[0], before)
    stage = verbs.stage(root[0])
    seat = int(root[0].to_move)
    world = worlds[0]
    key(gen, seed, start, branch(Stream.WORLD, ACTIONS))
    for _ in range(start, stop):
        worlds[0] = root[0]
        path[0] = 0
        length, levels, growing = 1, 0, True
        waiting = np.int64(UNTRIED)  # the root's action, while sealed choices are made anew
        while world.over == 0 and (horizon == TO_MATCH_END or verbs.stage(world) - stage < horizon):
            verbs.legal(world, words)
            own = int(world.to_move) == seat
            choices = count(words)
            free = choices > 1
            in_tree = own and growing and (free or levels == 0) and waiting == UNTRIED
            at, new, by_rule = UNTRIED, False, free and playout != UNIFORM
            if in_tree:
                if levels > 0:
                    verbs.observe(world, seat, seen)
                    path[length] = information_set(tree, nodes, path[length - 1], hashed(seen_words))
                    length += 1
                reach = exploration * (tree.high - tree.low) if tree.high > tree.low else 0.0
                at, children = best_child(nodes, path[length - 1], words, untried, reach)
                new = widens(nodes, path[length - 1], children, untried, playout)
                by_rule = by_rule and new and children == 0
            if own and waiting != UNTRIED:
                action = waiting
                waiting = np.int64(UNTRIED)
            elif by_rule:
                action = np.int64(verbs.rule_action(world, playout - 1))
            elif in_tree and not new:
                action = np.int64(nodes[at].label)
            else:
                action = draw_of(untried if new else words, count(untried) if new else choices, gen)
            if in_tree:
                if new:
                    at = grow(tree, nodes, path[length - 1], action)
                path[length] = at
                length += 1
                levels += 1
                growing = not new and levels < depth
                if levels == 1:
                    meet_world(world, seed, numbers, int(nodes[at].visits))
                    key(gen, seed, int(nodes[at].visits), branch(Stream.WORLD, ACTIONS))
                    verbs.reopen(world)
                    if int(world.to_move) != seat:
                        waiting = action
                        continue
            verbs.apply(world, action)
            tree.decisions += 1
        judge(world, horizon, points, before, outcome)
        credit(tree, nodes, path, length, outcome, seat)


@compiled
def support(nodes, at, more, playout):
    """Visits of a root's action after `more` of them, as they count in the final choice."""
    return (int(nodes[at].visits) + more) * (RULE_COUNTS if at == RULES_MOVE and playout != UNIFORM else 1)


@compiled
def most_tried(nodes, playout):
    """The node of the root's action with the most support; of equals the one with the higher value."""
    best = int(nodes[0].first)
    at = int(nodes[best].next)
    while at != UNTRIED:
        ahead = support(nodes, at, 0, playout) - support(nodes, best, 0, playout)
        if ahead > 0 or (ahead == 0 and nodes[at].value > nodes[best].value):
            best = at
        at = int(nodes[at].next)
    return best


@compiled
def is_decided(nodes, left, playout):
    """Can no other action of the root have as much support as the leader after the iterations that are left?"""
    leader = most_tried(nodes, playout)
    reached = support(nodes, leader, 0, playout)
    at = int(nodes[0].first)
    while at != UNTRIED:
        if at != leader and support(nodes, at, left, playout) >= reached:
            return False
        at = int(nodes[at].next)
    return True


@kernel
def search(root, seed, numbers, iterations, tree, nodes, settings, room):
    """Grow a new tree from a redacted record until that is clear, or by all iterations; returns how many were left.

    The rest: see `iterate`.
    """
    room.root[0] = root
    plant(tree, nodes)
    for start in range(0, iterations, CHUNK):
        stop = min(start + CHUNK, iterations)
        iterate(tree, nodes, seed, numbers, start, stop, settings, room)
        if is_decided(nodes, iterations - stop, settings.playout):
            return iterations - stop
    return 0


@kernel
def choose(roots, seeds, numbers, iterations, tree, nodes, settings, room, actions):
    """One action (int64, (n,)) for every root (a redacted record, (n,)) by its seed (int64, (n,)) and worlds (int64, (n, m)).

    A decision without alternative is not searched, one that is clear is not searched on.
    """
    for i in range(len(roots)):
        verbs.legal(roots[i], room.words)
        if count(room.words) == 1:
            actions[i] = draw(room.words, room.gen)
            continue
        search(roots[i], seeds[i], numbers[i], iterations, tree, nodes, settings, room)
        actions[i] = nodes[most_tried(nodes, settings.playout)].label


@kernel
def poll(nodes, left, playout, votes, values):
    """Add to each action's votes (int64, (actions,)) its support, and to its values (float64, likewise) what it brought.

    Iterations that were `left` when all was clear count for the leader: else the trees that are sure would count least.
    """
    leader = most_tried(nodes, playout)
    at = int(nodes[0].first)
    while at != UNTRIED:
        votes[nodes[at].label] += support(nodes, at, left if at == leader else 0, playout)
        values[nodes[at].label] += nodes[at].value
        at = int(nodes[at].next)


@kernel
def vote(roots, seeds, numbers, iterations, tree, nodes, settings, room, votes, values):
    """`choose`, but for the choice: each root's votes and values (n rows) are left to be added to those of other trees."""
    for i in range(len(roots)):
        verbs.legal(roots[i], room.words)
        if count(room.words) == 1:
            votes[i, draw(room.words, room.gen)] += 1
            continue
        left = search(roots[i], seeds[i], numbers[i], iterations, tree, nodes, settings, room)
        poll(nodes, left, settings.playout, votes[i], values[i])


class Tree:
    """Room for one search tree, and the search from one record or from many, one after the other."""

    def __init__(self, game: Game, iterations: int, settings: SearchSettings, which_worlds: WhichWorlds | None = None) -> None:
        """`iterations`: the most of one search. Raises BatchError for a bad number, OptionError for bad settings.

        `which_worlds`: what tells the worlds to meet (see `meet_world`); none: random ones, each once.

        OptionError, too, for a game whose observation has more cells than MOST_CELLS.
        """
        self._game = game
        self.most = checked_size("iterations", iterations)
        """Iterations of one search at most."""
        if game.layout.size > MOST_CELLS:
            raise OptionError(f"{game.id} shows {game.layout.size} cells; a search tells at most {MOST_CELLS} apart")
        self._settings, self._which_worlds = settings.checked(game), which_worlds
        self._numbers: np.ndarray | None = None  # of the worlds of a search that goes on by `grow`
        self._tree, self._nodes = zeros((1,), TREE), zeros((2 * self.most + 1,), NODE)
        self._nodes[0]["first"] = UNTRIED
        words, untried = (zeros((words_for(game.actions),), np.uint64) for _ in range(2))
        points, before = (zeros((game.players,), np.int64) for _ in range(2))
        path = zeros((2 * min(self.most, self._settings.depth) + 1,), np.int32)
        seen, outcome = zeros((game.layout.size,), np.float32), zeros((game.players,), np.float64)
        gen, root, world = zeros((4,), np.uint32), zeros((1,), game.state), zeros((1,), game.state)
        self._room = Room(root, world, words, untried, path, points, before, outcome, gen, seen, seen.view(np.uint32))

    @property
    def decisions(self) -> int:
        """Decisions made in the worlds of the last search."""
        return int(self._tree[0]["decisions"])

    def choose(self, records: np.ndarray, seeds: np.ndarray, iterations: int) -> np.ndarray:
        """An action for each redacted record, int64, shape (n,), by this many iterations each. `seeds`: int64, (n,).

        Raises BatchError for more iterations than there is room for.
        """
        self._check(iterations)
        actions = np.zeros(len(records), np.int64)
        numbers = self._told(records, seeds)
        choose(records, seeds, numbers, iterations, self._tree[0], self._nodes, self._settings, self._room, actions)
        return actions

    def vote(self, records: np.ndarray, seeds: np.ndarray, iterations: int, votes: np.ndarray, values: np.ndarray) -> None:
        """As `choose`, but adds each action's support, and what it brought, to these; int64 and float64, shape (n, actions)."""
        self._check(iterations)
        numbers = self._told(records, seeds)
        vote(records, seeds, numbers, iterations, self._tree[0], self._nodes, self._settings, self._room, votes, values)

    def _told(self, records: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """Which worlds to meet, int64, (n, m); m = 0: each once."""
        if self._which_worlds is None or not len(records):
            return np.zeros((len(records), 0), np.int64)
        return np.ascontiguousarray(self._which_worlds(records, seeds))

    def _check(self, iterations: int) -> None:
        if not 1 <= iterations <= self.most:
            raise BatchError(f"iterations is {iterations!r}; there is room for 1 to {self.most}")

    def plant(self, record: np.ndarray) -> None:
        """Begin a search that goes on by `grow`, from one redacted record, shape (1,)."""
        self._room.root[:] = record
        self._numbers = None
        plant(self._tree[0], self._nodes)

    def grow(self, seed: int, start: int, stop: int) -> None:
        """Iterations start..stop-1, all of one search by the same seed. Raises BatchError for more than there is room for."""
        if not 0 <= start <= stop <= self.most:
            raise BatchError(f"iterations {start} to {stop}: there is room for {self.most}")
        if self._numbers is None:
            self._numbers = self._told(self._room.root, np.array([seed]))[0]
        iterate(self._tree[0], self._nodes, seed, self._numbers, start, stop, self._settings, self._room)

    def grow_until(self, seed: int, end: float) -> None:
        """As many iterations as are made until the clock, `time.perf_counter`, shows `end`, or there is no more room."""
        for start in range(0, self.most, CHUNK):
            self.grow(seed, start, min(start + CHUNK, self.most))
            if time.perf_counter() >= end:
                break

    def best(self) -> int:
        """The action that was tried most often, the rule player's counted twice. Raises BatchError before any was tried."""
        if self._nodes[0]["first"] == UNTRIED:
            raise BatchError("best of no iterations: grow the tree first")
        return int(self._nodes[most_tried(self._nodes, self._settings.playout)]["label"])

    def poll(self, votes: np.ndarray, values: np.ndarray) -> None:
        """Add the support of each action tried, and what it brought; int64 and float64, shape (actions,)."""
        if self._nodes[0]["first"] != UNTRIED:
            poll(self._nodes, 0, self._settings.playout, votes, values)

    def __reduce__(self) -> tuple[type[Tree], tuple[Game, int, SearchSettings, WhichWorlds | None]]:
        """A copy has room of its own, and no tree in it yet."""
        return Tree, (self._game, self.most, self._settings, self._which_worlds)
