"""Piraten Kapern: what a throw is worth, what may be done with it, and the verbs deal, legal, apply, score, by rule number."""

from __future__ import annotations

import numpy as np

from pirate_envs.core.bits import popcount
from pirate_envs.core.jit import compiled
from pirate_envs.core.record import FINISHED, TRUNCATED
from pirate_envs.core.rewards import highest
from pirate_envs.core.rng import below, key
from pirate_envs.core.seats import NO_ONE, following
from pirate_envs.games.piraten_kapern.state import (
    ACTIONS,
    BATTLES,
    CAPTAIN,
    CARD_SKULLS,
    COIN,
    COUNTS,
    DIAMOND,
    DIAMOND_CARD,
    DICE,
    FACES,
    GOLD_CARD,
    IS_BATTLE,
    KINDS,
    MAX_PLAYERS,
    MONKEY,
    MONKEY_BUSINESS,
    MOST_ROLLS,
    NO_CARD,
    PACKED,
    PARROT,
    PEACE,
    POWERS,
    SABRE,
    SEA_BATTLE_2,
    SKULL,
    SORCERESS,
    STOP,
    STORM,
    THROWS,
    TREASURE_ISLAND,
    chosen,
    faces_of,
    number,
    sabres_on,
    skulls_on,
)

SET_POINTS = np.array([0, 0, 0, 100, 200, 500, 1000, 2000, 4000, 4000], np.int64)  # R8; nine count as eight (R12)
ALL_DICE, TREASURE, SABRE_FINE = 500, 100, 1000
FREE_BATTLES = KINDS - SEA_BATTLE_2  # from a battle's row of points to that of the same battle which costs nothing
LOSS_EACH = np.full(KINDS, 100, np.int64)  # that each opponent loses for a skull on the Island (R24)
LOSS_EACH[CAPTAIN] = 200


# -- what a throw is worth (R8-R21) ------------------------------------------------------------------------------------


def objects(card: int, counts: np.ndarray) -> np.ndarray:
    """Objects by face but skulls, int64 (n, 5), of dice with `counts` (n, 6): with the card's own, R10; as one face, R15."""
    things = counts[:, :SKULL].copy()
    if card in (GOLD_CARD, DIAMOND_CARD):
        things[:, COIN if card == GOLD_CARD else DIAMOND] += 1
    if card == MONKEY_BUSINESS:
        things[:, MONKEY] += things[:, PARROT]
        things[:, PARROT] = 0
    return things


def set_points(things: np.ndarray) -> np.ndarray:
    """Sets (R8), and 100 for each coin and diamond (R9)."""
    return SET_POINTS[things].sum(1) + TREASURE * (things[:, COIN] + things[:, DIAMOND])


def every_die_scores(card: int, counts: np.ndarray) -> np.ndarray:
    """Is each of the eight dice a treasure, in a set, or a sabre that wins the battle? (R11)"""
    things = objects(card, counts)
    smallest = np.array([3, 3, min(3, BATTLES.get(card, (3, 0))[0])])
    others = things[:, MONKEY:]
    return counts[:, COIN] + counts[:, DIAMOND] + (others * (others >= smallest)).sum(1) == DICE


def stop_points(card: int, counts: np.ndarray) -> np.ndarray:
    """Own points at a stop with fewer than three skulls, int64 (n,)."""
    points = set_points(objects(card, counts)) + ALL_DICE * every_die_scores(card, counts)
    sabres = counts[:, SABRE]
    if card == CAPTAIN:  # R14
        return 2 * points
    if card in BATTLES:  # R16
        needed, prize = BATTLES[card]
        return np.where(sabres >= needed, points + prize, -prize)
    if card == STORM:  # R20
        return 2 * set_points(counts[:, :SKULL] * (np.arange(SKULL) <= DIAMOND))
    if card == PEACE:  # R21
        return np.where(sabres > 0, -SABRE_FINE * sabres, points)
    return points


def bust_points(card: int, counts: np.ndarray) -> np.ndarray:
    """Own points at a bust, int64 (n,); on the treasure island as if no die was kept."""
    if card == PEACE:  # R21
        return -SABRE_FINE * counts[:, SABRE]
    return np.full(len(counts), -BATTLES[card][1] if card in BATTLES else 0)  # R7, R16


def _own_points(card: int, bust: np.ndarray) -> np.ndarray:
    return np.where(COUNTS[:, SKULL] + CARD_SKULLS[card] >= 3, bust, stop_points(card, COUNTS))


# By throw; rows: the cards, then once more the battles, for turns in which skulls cost nothing (R31, R32).
BUST = np.array([bust_points(card, COUNTS) for card in range(KINDS)] + [0 * COUNTS[:, 0]] * len(BATTLES), np.int16)
OWN = np.array(list(map(_own_points, (*range(KINDS), *BATTLES), BUST)), np.int16)  # at a stop or bust as it lies
NINE_COINS, NINE_DIAMONDS = (int(np.flatnonzero(COUNTS[:, face] == DICE)[0]) for face in (COIN, DIAMOND))


@compiled
def row_under(card, skulls_are_free):
    """The row of OWN and BUST for a turn under this card."""
    return card + FREE_BATTLES * (int(IS_BATTLE[card]) & skulls_are_free)


@compiled
def points_row(g):
    """The row of OWN and BUST for this turn."""
    return row_under(np.int64(g.card), int(g.battle_bust) | int(g.island))  # R31, R32


@compiled
def saved(kept):
    """What kept dice (packed counts) earn on the treasure island at a bust (R18)."""
    points = TREASURE * ((kept & 15) + ((kept >> 8) & 15))
    for face in range(SKULL):
        points += SET_POINTS[(kept >> (8 * face)) & 15]
    return points


@compiled
def own_points(g):
    """What the turn brings its player if it ends as it lies."""
    throw, card = np.int64(g.dice), np.int64(g.card)
    saves = int((card == TREASURE_ISLAND) & (g.island == 0) & (skulls_on(throw) >= 3))
    return np.int64(OWN[points_row(g), throw]) + saves * saved(int(g.kept))


@compiled
def loss_under(card, throw, island):
    """What each opponent loses if a turn under this card ends with this throw (R20, R21, R24)."""
    skulls = skulls_on(throw) + CARD_SKULLS[card]
    loses = (island != 0) | ((card == STORM) & (skulls >= 3))
    pays_alone = (card == PEACE) & (sabres_on(throw) != 0)
    return LOSS_EACH[card] * skulls * int(loses) * (1 - int(pays_alone))


@compiled
def opponents_loss(g):
    """What each opponent loses if the turn ends as it lies."""
    return loss_under(np.int64(g.card), np.int64(g.dice), g.island)


# -- legal actions (R4, R5, R17, R34, R35) -----------------------------------------------------------------------------

# What the rules allow: no skull may be re-rolled; one may, or must; the same with another die (R34); no skull, no sabre (R35).
NO_SKULL, MAY, MUST, MAY_WITH_ANOTHER, MUST_WITH_ANOTHER, NO_SABRE = range(6)


def _legal_words() -> np.ndarray:
    """Legal actions by what the rules allow and by throw, uint64 (6, 1287, 4): what is looked up most lies close together."""
    slots = np.repeat(np.tile(np.arange(len(FACES)), THROWS), COUNTS.ravel()).reshape(THROWS, DICE)
    bit = 1 << np.arange(DICE)
    like_left = ((slots[:, 1:] == slots[:, :-1]) * bit[1:]).sum(1)[:, None]
    action = np.arange(ACTIONS)
    lowest = (action & like_left) >> 1 & ~action == 0  # one action for each choice of faces: the lowest slots
    skulls = np.bitwise_count(action & ((slots == SKULL) * bit).sum(1)[:, None])
    two, alone = np.bitwise_count(action) >= 2, skulls == 1
    plain, joined = (skulls == 0) & two, alone & two
    no_sabre = plain & (action & ((slots == SABRE) * bit).sum(1)[:, None] == 0)
    may = np.stack([plain, plain | alone, alone, plain | joined, joined, no_sabre]) & lowest
    may[:, :, STOP] = True
    return np.packbits(may, axis=2, bitorder="little").view("<u8")


LEGAL = _legal_words()


@compiled
def sorceress_waits(g):
    """1 if a skull may still be re-rolled, else 0 (R17)."""
    return int((g.card == SORCERESS) & (g.sorceress_used == 0))


@compiled
def sabres_lie(g):
    """1 where no sabre may be re-rolled, else 0 (R35)."""
    return int((g.peace_rolls_sabres == 0) & (g.card == PEACE) & (g.island != 0))


@compiled
def allowed(g):
    """What the rules allow now: NO_SKULL, MAY, ..., as LEGAL counts them."""
    waits = sorceress_waits(g)
    must = waits & int(g.island == 0) & int(skulls_on(np.int64(g.dice)) == 3)
    joined = waits & (1 - int(g.sorceress_alone))
    return waits + must + (MAY_WITH_ANOTHER - MAY) * joined + NO_SABRE * sabres_lie(g)


@compiled
def legal(g, words):
    throw, row = np.int64(g.dice), allowed(g)
    for i in range(4):
        words[i] = LEGAL[row, throw, i]


# -- a turn (R2-R7, R22, R23) ------------------------------------------------------------------------------------------


@compiled
def draw_card(g):
    """R1: one of the undrawn cards; when there is none, all are shuffled first."""
    total = np.int64(g.undrawn_total)
    if total == 0:
        for kind in range(KINDS):
            g.undrawn[kind] = g.cards[kind]
            total += np.int64(g.cards[kind])
    place = below(g.gen, total)
    card, before = 0, 0
    for kind in range(KINDS):
        before += np.int64(g.undrawn[kind])
        card += int(before <= place)
    g.undrawn[card] -= 1
    g.undrawn_total = total - 1
    g.card = card


@compiled
def must_leave(g, skulls, new_skulls):
    """Does a roll on the Island end the turn? (R23)"""
    waits = sorceress_waits(g)
    lying = skulls - waits + sabres_lie(g) * sabres_on(np.int64(g.dice))  # R35
    needed = 2 - (waits & int(g.sorceress_alone))  # R34
    return (new_skulls == 0) | (DICE - lying < needed)


@compiled
def turn_ends(g, skulls, new_skulls):
    """Does a roll that leaves `skulls` skull dice on the table, `new_skulls` of them new, end the turn?"""
    card = np.int64(g.card)
    only_roll = (card == STORM) & (g.rolls > 1)  # R20
    if g.island != 0:
        return must_leave(g, skulls, new_skulls) | only_roll
    rescues = sorceress_waits(g) & int(g.sorceress_rescues)  # R33
    dead = (skulls + CARD_SKULLS[card] >= 3) & (rescues * skulls != 3)  # R3, R6, R17
    return dead | only_roll


@compiled
def first_roll(g):
    """Roll all eight dice; is the turn over already? (R3)"""
    rolled = faces_of(below(g.gen, 6**DICE), DICE)
    skulls = rolled >> (8 * SKULL)
    card = np.int64(g.card)
    g.dice = number(rolled)
    g.rolls = 1
    g.kept = g.sorceress_used = 0
    g.island = int((skulls + CARD_SKULLS[card] >= 4) & ((IS_BATTLE[card] == 0) | (g.battle_island != 0)))  # R22, R31
    return turn_ends(g, skulls, skulls)


@compiled
def start_turn(g):
    """R2. Each turn's chance is a stream of its own."""
    key(g.gen, np.int64(g.seed[0]), np.int64(g.seed[1]), int(g.turn))
    draw_card(g)
    return first_roll(g)


@compiled
def reroll(g, action):
    """Roll the dice in these slots again (none: a stop); is the turn over?"""
    throw = np.int64(g.dice)
    count = popcount(action)
    x = below(g.gen, POWERS[count])
    rolled = faces_of(x, count)
    again = chosen(throw, action)
    kept = PACKED[throw] - again
    lying = kept + rolled
    asked = again >> (8 * SKULL)
    hers = asked & int(6 * x >= 5 * POWERS[count])  # her die is the highest slot: a skull on it is no new one (R23)
    g.dice = number(lying)
    g.kept = g.kept if action == STOP else kept
    g.rolls += int((action != STOP) & (g.rolls < MOST_ROLLS))  # no rule bounds them, but what a record holds
    g.sorceress_used |= asked
    return turn_ends(g, lying >> (8 * SKULL), (rolled >> (8 * SKULL)) - hers) | (action == STOP)


# -- the end of a turn and of the match (R25-R30) ----------------------------------------------------------------------


@compiled
def note_turn(g, own, loss):
    """Remember how the mover's turn ended, for those who look on."""
    seat = int(g.to_move)
    g.last_card[seat] = g.card
    g.last_dice[seat] = g.dice
    g.last_island[seat] = g.island
    g.last_points[seat] = own
    g.last_loss[seat] = loss


@compiled
def score_turn(g):
    seat, players = int(g.to_move), int(g.players)
    own, loss = own_points(g), opponents_loss(g)
    note_turn(g, own, loss)
    for other in range(MAX_PLAYERS):
        change = own if other == seat else -loss
        g.scores[other] += change if other < players else 0


@compiled
def find_trigger(g):
    """The first seat at the target, the mover and then the seats after it (R28)."""
    players = int(g.players)
    seat = int(g.to_move)
    for _ in range(players):
        if g.scores[seat] >= g.target:
            return seat
        seat = following(seat, players)
    return NO_ONE


@compiled
def check_final_round(g):
    """Call the final round or cancel it (R26, R27)."""
    if g.trigger < 0:
        if g.scores[g.to_move] >= g.target:
            g.trigger = g.to_move
            g.turns_left = g.players - 1
    elif g.scores[g.trigger] < g.target:
        g.trigger = find_trigger(g)
        g.turns_left = g.players - 1 if g.trigger >= 0 else 0


@compiled
def pass_dice(g):
    """Name the next seat, or end the match (R26, R29)."""
    if g.trigger >= 0 and g.turns_left == 0:
        g.over = FINISHED
        return
    if g.turn + 1 == g.max_turns:
        g.over = TRUNCATED
        return
    seat = following(int(g.to_move), int(g.players))
    if g.trigger >= 0:
        g.turns_left -= 1
        if seat == g.trigger:
            seat = following(seat, int(g.players))
    g.to_move = seat
    g.turn += 1


@compiled
def end_turn(g):
    score_turn(g)
    if g.nine_identical and (
        (g.card == GOLD_CARD and g.dice == NINE_COINS) or (g.card == DIAMOND_CARD and g.dice == NINE_DIAMONDS)
    ):  # R12
        g.winner = g.to_move
        g.over = FINISHED
        return
    check_final_round(g)
    pass_dice(g)


@compiled
def settle(g, ended):
    """Play on from the end of a turn, if it has ended, to the next decision or the end of the match."""
    while ended:
        end_turn(g)
        ended = not g.over and start_turn(g)


@compiled
def clear(g):
    """Nothing has been played yet."""
    g.over = g.decisions = 0
    g.to_move = g.turn = 0
    g.trigger = g.winner = NO_ONE
    g.turns_left = g.undrawn_total = 0
    for seat in range(MAX_PLAYERS):
        g.last_card[seat] = NO_CARD
        g.scores[seat] = g.last_dice[seat] = 0
        g.last_island[seat] = g.last_points[seat] = g.last_loss[seat] = 0


@compiled
def deal(g):
    clear(g)
    settle(g, start_turn(g))


@compiled
def apply(g, action):
    g.decisions += 1
    settle(g, reroll(g, action))


@compiled
def score(g, points):
    for seat in range(int(g.players)):
        points[seat] = g.scores[seat]
    return highest(points, int(g.players)) if g.winner < 0 else 1 << int(g.winner)  # R12, R30


@compiled
def stage(g):
    return int(g.turn)


@compiled
def reopen(g):
    """Nothing is chosen under a seal."""
