"""Piratenpoker: the verbs deal, legal, apply, score, reopen and stage. Rule numbers are the folder's manual's."""

from __future__ import annotations

import numpy as np

from pirate_envs.core.bits import popcount
from pirate_envs.core.jit import compiled, compiled_apart
from pirate_envs.core.record import FINISHED, TRUNCATED
from pirate_envs.core.rng import key
from pirate_envs.core.seats import NO_ONE, after, following
from pirate_envs.games.piratenpoker.state import (
    BACKS,
    BELOW_ACTION,
    BELOW_DECK,
    BID,
    COLOURS,
    DECK,
    EMPTY_HAND,
    FRONTS,
    GIFT,
    GIVE,
    GIVE_NOTHING,
    HAND,
    HIGHEST_BIT,
    KINDS,
    LAST_SLOT_EMPTY,
    MAX_PLAYERS,
    NO_BID,
    NOTHING,
    NUMBERS,
    OVERBOARD,
    OVERBOARD_ACTION,
    PASS,
    POKER_CARDS,
    SHARK,
    SIDES,
    STACK,
    TURN,
    clear_offer,
    display,
    forget_reshuffle,
    offer_top,
    put_under,
    refill,
    shown,
    shuffle_stack,
)

# -- legal actions (R6-R8, R11-R13) ------------------------------------------------------------------------------------


def _bids_of(size: int, alike: int) -> int:
    """Legal bids of cards, as bits: bit i of `alike` says that slot i + 1 holds the same kind as slot i."""
    bids = 0
    for slots in range(1, 1 << size):
        if (slots >> 1) & ~slots & alike == 0:  # of equal cards the lowest slots
            bids |= 1 << slots
    return bids


BIDS = np.array([[_bids_of(size, alike) for alike in range(1 << (HAND - 1))] for size in range(HAND + 1)], np.uint64)


@compiled
def alike_slots(hand):
    """Bit i: slot i + 1 holds the same kind as slot i.

    Adding 127 sets the high bit of every byte that is not 0; the product puts the lowest bits of the five bytes side by side.
    """
    differs = ((hand ^ (hand >> 8)) & 0xFFFFFFFFFF) + 0x7F7F7F7F7F
    alike = (~differs >> 7) & 0x0101010101
    return ((alike * (1 << 32 | 1 << 25 | 1 << 18 | 1 << 11 | 1 << 4)) >> 32) & 31


@compiled
def legal_bids(g, seat):
    """The bids of a seat as a word of actions."""
    word = BIDS[int(g.sizes[seat]), alike_slots(int(g.hands[seat]))]
    return word if g.passed[seat] else word | np.uint64(1 << PASS)


@compiled
def overboard_actions(g):
    """R11."""
    players = int(g.players)
    actions = 0
    for colour in range(COLOURS):
        seats = (1 << players) - 1 if g.overboard_to == 0 else (1 << players) - 2
        if g.offer[colour] == SHARK and g.overboard_shark == 1:
            seats = 1
        if g.offer[colour] >= 0:
            actions |= seats << (OVERBOARD_ACTION + MAX_PLAYERS * colour - 64)
    return actions


@compiled
def below_actions(g):
    """R12."""
    actions = 0
    for colour in range(COLOURS):
        if g.offer[colour] >= 0:
            actions |= 1 << (BELOW_ACTION + colour - 64)
    return actions


@compiled
def gift_actions(g):
    """R13."""
    players = int(g.players)
    seats = (1 << (players - 1)) - 1
    if g.gift_to >= 0:
        on = int(g.gift_to) - int(g.to_move)
        seats = 1 << ((on + players if on < 0 else on) - 1)
    held = shown(g, int(g.to_move))
    actions = 1 << (GIVE_NOTHING - 64)
    for back in range(1, len(BACKS)):
        if (held >> (8 * (len(FRONTS) + back))) & 255 != 0:
            actions |= seats << (GIVE + (MAX_PLAYERS - 1) * (back - 1) - 64)
    return actions


@compiled
def legal(g, words):
    words[0] = np.uint64(0)
    words[1] = np.uint64(0)
    if g.phase == BID:
        words[0] = legal_bids(g, int(g.to_move))
    elif g.phase == OVERBOARD:
        words[1] = np.uint64(overboard_actions(g))
    elif g.phase == BELOW_DECK:
        words[1] = np.uint64(below_actions(g))
    else:
        words[1] = np.uint64(gift_actions(g))


# -- who wins a round (R14-R16) ----------------------------------------------------------------------------------------

# What a card adds to the standing of its bid: its worth in the high bits, and one card of that worth in a counter of three
# bits below. Standings compare as the rules do: by total, then by highest card, and so on.
TOTAL_AT = 40
WORTHS = (*range(1, NUMBERS + 1), 10, 12, 14, 16)
WORTH_AT = np.array([3 * WORTHS.index(worth) if worth in WORTHS else 0 for worth in range(2 * NUMBERS + 1)], np.int64)
PLAIN, DOUBLED, DOUBLED_PRINTED = 0, 1, 1 + COLOURS  # rows of KEYS: no colour counts twice, this one does


def _card_keys(doubled: int, printed: bool) -> list[int]:
    keys = [0] * 32
    for kind in range(KINDS):
        number = kind % NUMBERS + 1
        worth = 2 * number if kind // NUMBERS == doubled else number
        keys[kind] = worth << TOTAL_AT | 1 << int(WORTH_AT[number if printed else worth])
    return keys


KEYS = np.array(
    [_card_keys(NOTHING, False)] + [_card_keys(colour, printed) for printed in (False, True) for colour in range(COLOURS)],
    np.int64,
)


@compiled
def doubled_colour(g):
    """The colour that counts twice in this round, or NOTHING (R16)."""
    colour = NOTHING
    if g.round_number == 3:
        for other in range(COLOURS):
            if g.offer[other] >= 0:
                colour = other
    return colour


@compiled
def key_row(g, doubled):
    if doubled < 0:
        return PLAIN
    return (DOUBLED_PRINTED if g.r3_tie_value else DOUBLED) + doubled


@compiled
def highest_two(standing):
    """The standing with its two highest cards only."""
    cards = standing & ((1 << TOTAL_AT) - 1)
    kept = 0
    left = 2
    for at in range(3 * (len(WORTHS) - 1), -1, -3):
        count = min((cards >> at) & 7, left)
        kept |= count << at
        left -= count
    return standing - cards + kept


@compiled
def stake(g, seat, slots, row):
    """Move the staked cards from the hand to the discard; returns the standing of the bid."""
    hand = int(g.hands[seat])
    staked, since = int(g.staked_count[0]), int(g.reshuffled > 0)
    on = seat - int(g.first_seat)
    code = KINDS * (on + int(g.players) if on < 0 else on) + TURN * int(g.staked_turn)
    green, red, yellow, standing = 0, 0, 0, 0
    left = slots
    while left != 0:  # from the highest slot down, so that the lower ones stay where they are
        at = 8 * HIGHEST_BIT[left]
        left ^= 1 << (at >> 3)
        kind = (hand >> at) & 31
        below_it = (1 << at) - 1
        hand = (hand & below_it) | ((hand >> 8) & ~below_it) | LAST_SLOT_EMPTY
        card = 1 << (8 * (kind & 7))
        green += card if kind < NUMBERS else 0
        yellow += card if kind >= 2 * NUMBERS else 0
        red += card if NUMBERS <= kind < 2 * NUMBERS else 0
        standing += KEYS[row, kind]
        g.staked[0, min(staked, POKER_CARDS - 1)] = (code + kind) * since
        staked += since
    g.hands[seat] = hand
    g.sizes[seat] -= popcount(slots)
    g.staked_count[0] = staked
    g.most_old[seat] = min(g.most_old[seat], g.sizes[seat])
    g.last_bids[seat, 0] = green
    g.last_bids[seat, 1] = red
    g.last_bids[seat, 2] = yellow
    g.discard[0] += green
    g.discard[1] += red
    g.discard[2] += yellow
    return highest_two(standing) if g.tie_depth else standing


@compiled
def best_alone(standing):
    """The seat whose standing is the highest that nobody shares, or NO_ONE (R15)."""
    best, winner = -1, NO_ONE
    for seat in range(MAX_PLAYERS):
        sharing = 0
        for other in range(MAX_PLAYERS):
            sharing += int(standing[other] == standing[seat])
        alone = (sharing == 1) & (standing[seat] > best)
        winner = seat if alone else winner
        best = standing[seat] if alone else best
    return winner


@compiled
def takes_part(g, seat):
    """Is the seat asked in this round? (R7, R8)"""
    return g.passed[seat] == 0 or (g.pass_effect == 1 and g.sizes[seat] > 0)


@compiled
def reveal(g):
    """Uncover all bids; returns the highest standing (0: nobody staked a card)."""
    doubled = doubled_colour(g)
    row = key_row(g, doubled)
    highest = 0
    first, players = int(g.first_seat), int(g.players)
    for place in range(players):
        seat = after(first, place, players) & 7
        slots = int(g.bids[seat])
        standing = stake(g, seat, max(slots, 0), row)
        highest = max(highest, standing)
        g.standing[seat] = standing if slots >= 0 else NOTHING
        g.passed[seat] |= int(slots == PASS)
        g.bids[seat] = NO_BID
    g.last_round = g.round_number
    g.last_doubled = doubled
    g.last_winner = best_alone(g.standing) if highest > 0 else NO_ONE
    return highest


# -- rounds and cycles (R4-R20) ----------------------------------------------------------------------------------------


@compiled
def next_asked(g, seat):
    """The first seat from `seat` on, up to the last one, that takes part, or NO_ONE; the last is before the first seat."""
    players = int(g.players)
    for _ in range(players):
        if takes_part(g, seat):
            return seat
        seat = following(seat, players)
        if seat == g.first_seat:
            return NO_ONE
    return NO_ONE


@compiled_apart
def start_cycle(g):
    """R4, R5, R19. Each cycle's cards are a stream of their own."""
    key(g.gen, np.int64(g.seed[0]), np.int64(g.seed[1]), int(g.cycle))
    staked = int(g.staked_count[0])
    g.staked_turn = int(staked > 0 and g.staked[0, staked - 1] < TURN)
    refill(g, HAND if g.cycle == 1 else int(g.refill_to))
    for seat in range(MAX_PLAYERS):
        g.passed[seat] = 0
    for colour in range(COLOURS):
        offer_top(g, colour)
    g.round_number = 1
    g.phase = BID
    g.to_move = g.first_seat  # everybody takes part


@compiled
def end_cycle(g):
    """R18-R20."""
    g.phase = BID
    g.to_move = g.first_seat
    if min(g.stack_sizes[0], g.stack_sizes[1], g.stack_sizes[2]) <= g.match_end:
        g.over = FINISHED
    elif g.cycle == g.max_cycles:
        g.over = TRUNCATED
    else:
        g.cycle += 1
        start_cycle(g)


@compiled
def passed_on_leaves(g):
    """Does the loot that all have passed on leave the game? (R17)"""
    return (g.all_pass == 1) | ((g.all_pass == 2) & (g.round_number == 3))


@compiled_apart
def start_round(g, number):
    """Ask for the bids of the second or third round; if nobody has any the cycle is over (R8, R17)."""
    g.round_number = number
    g.phase = BID
    asked = next_asked(g, int(g.first_seat))
    if asked >= 0:
        g.to_move = asked
    else:
        clear_offer(g, passed_on_leaves(g))
        end_cycle(g)


@compiled_apart
def resolve(g):
    """All bids are in: name the winner, and ask what it is to decide."""
    highest = reveal(g)
    if g.last_winner < 0:  # R17
        clear_offer(g, (highest == 0) & passed_on_leaves(g))
        end_cycle(g)
    elif g.round_number == 3:  # R14
        colour = int(g.last_doubled)
        display(g, int(g.last_winner), colour, int(g.offer[colour]), 1)
        g.offer[colour] = NOTHING
        end_cycle(g)
    else:
        g.phase = OVERBOARD if g.round_number == 1 else BELOW_DECK
        g.to_move = g.last_winner


@compiled
def bid(g, action):
    """R6."""
    seat = int(g.to_move)
    g.bids[seat] = action
    other = following(seat, int(g.players))
    asked = next_asked(g, other) if other != g.first_seat else NO_ONE
    if asked >= 0:
        g.to_move = asked
    else:
        resolve(g)


@compiled
def reopen(g):
    """R6: a sealed bid can be thought anew until it is uncovered."""
    first, other = int(g.to_move), int(g.first_seat)
    while g.phase == BID and g.over == 0 and other != g.to_move:
        if g.bids[other] != NO_BID:
            g.bids[other] = NO_BID
            g.decisions -= 1
            first = other if first == g.to_move else first
        other = following(other, int(g.players))
    g.to_move = first


@compiled
def send_overboard(g, choice):
    """R11."""
    colour = choice // MAX_PLAYERS
    seat = after(int(g.to_move), choice - colour * MAX_PLAYERS, int(g.players))
    display(g, seat, colour, len(FRONTS) + int(g.offer[colour]), 1)
    g.offer[colour] = NOTHING
    start_round(g, 2)


@compiled
def can_give(g):
    """Does the mover own a negative card?"""
    return shown(g, int(g.to_move)) >> (8 * (len(FRONTS) + 1)) != 0


@compiled
def send_below(g, colour):
    """R12."""
    put_under(g, colour)
    if can_give(g):
        g.phase = GIFT
    else:
        start_round(g, 3)


@compiled
def give(g, choice):
    """R13; which colour a given card has makes no difference, so it is the first."""
    seat = int(g.to_move)
    back = choice // (MAX_PLAYERS - 1)
    to = after(seat, 1 + choice - back * (MAX_PLAYERS - 1), int(g.players))
    side = len(FRONTS) + 1 + back
    colour = 0
    while (int(g.displays[seat, colour]) >> (8 * side)) & 255 == 0:
        colour += 1
    display(g, seat, colour, side, -1)
    display(g, to, colour, side, 1)
    if g.gift_limit == 1 and can_give(g):
        g.gift_to = to
    else:
        g.gift_to = NO_ONE
        start_round(g, 3)


@compiled
def apply(g, action):
    g.decisions += 1
    if action < OVERBOARD_ACTION:
        bid(g, action)
    elif action < BELOW_ACTION:
        send_overboard(g, action - OVERBOARD_ACTION)
    elif action < GIVE_NOTHING:
        send_below(g, action - BELOW_ACTION)
    elif action > GIVE_NOTHING:
        give(g, action - GIVE)
    else:
        g.gift_to = NO_ONE
        start_round(g, 3)


# -- the match (R3, R20-R24) -------------------------------------------------------------------------------------------


@compiled_apart
def deal(g):
    g.over = 0
    g.decisions = 0
    g.first_seat = 0
    g.cycle = 1
    g.gift_to = NO_ONE
    g.last_round = 0
    g.last_winner = NO_ONE
    g.last_doubled = NOTHING
    for seat in range(MAX_PLAYERS):
        g.hands[seat] = EMPTY_HAND
        g.sizes[seat] = 0
        g.scores[seat] = 0
        g.bids[seat] = NO_BID
        g.standing[seat] = NOTHING
        for colour in range(COLOURS):
            g.last_bids[seat, colour] = 0
            g.displays[seat, colour] = 0
    key(g.gen, np.int64(g.seed[0]), np.int64(g.seed[1]), 0)
    for colour in range(COLOURS):
        g.pile[colour] = DECK
        g.discard[colour] = 0
        g.removed[colour] = 0
        shuffle_stack(g, colour)
    g.pile_size = POKER_CARDS
    forget_reshuffle(g)
    start_cycle(g)


CARDS_AT = 5  # bits for the number of cards of one side
LOWEST_SCORE = -512


@compiled
def final_standing(g, seat):
    """Compares as R23 does: score, then highest card shown, and so on."""
    held = shown(g, seat)
    standing = int(g.scores[seat]) - LOWEST_SCORE
    left = 2 if g.tie_depth else COLOURS * STACK
    for i in range(SIDES):
        side = len(FRONTS) - 1 - i if i < len(FRONTS) else i  # from 10 down to 5, the shark, -3, -4, -5
        count = min((held >> (8 * side)) & 255, left)
        standing = (standing << CARDS_AT) | count
        left -= count
    return standing


@compiled
def score(g, points):
    players = int(g.players)
    best, next_best, next_winner = 0, 0, NO_ONE
    for seat in range(players):
        points[seat] = g.scores[seat]
        best = max(best, final_standing(g, seat))
    ahead = 0
    for seat in range(players):
        standing = final_standing(g, seat)
        ahead |= int(standing == best) << seat
        sharing = 0
        for other in range(players):
            sharing += int(final_standing(g, other) == standing)
        if sharing == 1 and standing > next_best:
            next_best, next_winner = standing, seat
    return 1 << next_winner if g.final_tie == 1 and next_winner >= 0 else ahead  # R24


@compiled
def stage(g):
    return int(g.cycle)
