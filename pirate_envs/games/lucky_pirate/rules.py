"""Lucky Pirate: the verbs deal, legal, apply, score, stage and reopen, by the rule numbers of the folder's manual."""

from __future__ import annotations

import numpy as np

from pirate_envs.core.bits import popcount
from pirate_envs.core.jit import compiled, compiled_apart
from pirate_envs.core.record import FINISHED, TRUNCATED
from pirate_envs.core.rewards import highest
from pirate_envs.core.rng import below, key, shuffle
from pirate_envs.core.seats import NO_ONE, after, following
from pirate_envs.games.lucky_pirate.state import (
    CAPTAIN,
    CLEARED,
    EVERY,
    FIRST_MATE,
    FLIP,
    IN_PAIRS,
    KINDS,
    KRAKEN,
    LOCKED,
    MAX_PLAYERS,
    MERMAID,
    MOST_CARDS,
    NEEDS,
    NO_CARD,
    NOTHING,
    NUMBERS,
    OPEN,
    PARROT,
    PICK_UP,
    PICKED_UP,
    PLACES,
    PLANK,
    PLAYED,
    PORTHOLE,
    REVERSE,
    SKIP,
    SLOTS,
    STOP,
    STOPPED,
    TABLE_CARDS,
    as_actions,
    heap_of,
    listed,
    size_of,
    up_to_three,
    without,
)

# -- what goes on what, and what it does (R10-R21) ---------------------------------------------------------------------


def goes_on(kind: int, need: int, captain_on_captain: bool, first_mate_anywhere: bool, reverse_skip_open: bool) -> bool:
    """May the card be played? The table of the manual."""
    if need == OPEN:
        return True
    if kind == FIRST_MATE:
        return need == LOCKED or first_mate_anywhere
    if need == LOCKED:
        return kind == PORTHOLE or (kind == CAPTAIN and captain_on_captain)
    if kind == CAPTAIN:
        return need != KRAKEN + 1
    if kind in (REVERSE, SKIP):
        return not reverse_skip_open
    return kind >= NUMBERS or kind == MERMAID or kind + 1 >= need


def need_after(kind: int, need: int) -> int:
    """What the pile asks for after this card."""
    if kind == CAPTAIN:
        return LOCKED
    if kind < NUMBERS:
        return kind + 1
    if kind == PARROT:
        return OPEN
    return CAPTAIN + 1 if kind == FIRST_MATE and need == LOCKED else need


FITS = np.array(  # plays (7 at each kind that may be played) by table and need; a table's bits are its options
    [
        [
            heap_of(7 * goes_on(kind, need, table & 1 == 1, table & 2 == 2, table & 4 == 4) for kind in range(KINDS))
            for need in range(NEEDS)
        ]
        for table in range(8)
    ],
    np.int64,
)
NEED_AFTER = np.array([[need_after(kind, need) for need in range(NEEDS)] for kind in range(KINDS)], np.int8)


@compiled
def fitting(g):
    """The plays that the pile allows."""
    return FITS[int(g.table) & 7, int(g.need) & 15]


# -- dealing (R1-R5) ---------------------------------------------------------------------------------------------------


@compiled
def open_pile(g):
    """No pile: anything may be played."""
    for i in range(MOST_CARDS):
        g.pile_cards[i] = NO_CARD
    g.pile = 0
    g.pile_size = 0
    g.need = OPEN
    g.run_value = 0
    g.run_length = 0


@compiled
def clear_table(g):
    for seat in range(MAX_PLAYERS):
        g.hands[seat] = 0
        g.ups[seat] = 0
        g.known[seat] = 0
        g.cannot_hold[seat] = 0
        g.hand_sizes[seat] = 0
        g.ups_left[seat] = 0
        g.downs_left[seat] = 0
        for slot in range(SLOTS):
            g.up_cards[seat, slot] = NO_CARD
            g.down_cards[seat, slot] = NO_CARD
    g.aside = 0
    g.aside_size = 0
    g.cleared = 0
    open_pile(g)


@compiled
def give(g, seat, kind, card, table_cards):
    """Deal a seat its card number `card`: the first go down, as many up, the rest to the hand (R4)."""
    if card < table_cards:
        g.down_cards[seat, card] = kind
        g.downs_left[seat] |= 1 << card
    elif card < 2 * table_cards:
        g.up_cards[seat, card - table_cards] = kind
        g.ups_left[seat] |= 1 << (card - table_cards)
        g.ups[seat] += 1 << (4 * kind)
    else:
        g.hands[seat] += 1 << (4 * kind)
        g.hand_sizes[seat] += 1


@compiled_apart
def deal_cards(g):
    """R3, R4. There is no pile yet: the deck is shuffled in its cells, so that no array need be made."""
    players = int(g.players)
    places, table_cards = PLACES[players], TABLE_CARDS[players]
    cards = g.pile_cards
    total = listed(int(g.whole_deck), cards)
    shuffle(g.gen, cards, total)
    for i in range(total):
        place = i % places
        if place < players:
            give(g, after(int(g.dealer), 1 + place, players), int(cards[i]), i // places, table_cards)
        else:
            g.aside += 1 << (4 * int(cards[i]))
            g.aside_size += 1
        cards[i] = NO_CARD


@compiled_apart
def start_game(g):
    """Deal the next game; each has a stream of chance of its own."""
    g.game_number += 1
    key(g.gen, np.int64(g.seed[0]), np.int64(g.seed[1]), int(g.game_number))
    if g.game_number == 1:
        g.dealer = below(g.gen, int(g.players))  # R2
    clear_table(g)
    deal_cards(g)
    g.direction = 1
    g.after_parrot = 0
    g.turn = 0
    g.to_move = following(int(g.dealer), int(g.players))  # R5


@compiled
def deal(g):
    g.over = 0
    g.decisions = 0
    g.game_number = 0
    for seat in range(MAX_PLAYERS):
        g.wins[seat] = 0
        g.last_action[seat] = -1
        g.last_flip[seat] = NO_CARD
        g.last_result[seat] = NOTHING
    start_game(g)


# -- legal actions (R6-R9, R23) ----------------------------------------------------------------------------------------


@compiled
def zone_in_play(g, seat):
    """The cards of the hand, or the ups when it is empty; none when the downs are in play (R6)."""
    return int(g.hands[seat]) if g.hand_sizes[seat] > 0 else int(g.ups[seat])


@compiled
def free_downs(g, seat):
    """The slots whose down may be flipped, as bits (R9, R24)."""
    in_play = g.hand_sizes[seat] == 0 and (g.ups_left[seat] == 0 or g.early_downs == 1)
    return int(g.downs_left[seat]) & ~int(g.ups_left[seat]) if in_play else 0


@compiled
def legal(g, words):
    seat = int(g.to_move)
    zone = zone_in_play(g, seat)
    actions = as_actions(up_to_three(zone) & fitting(g))
    picks_up = int((actions == 0) & (zone != 0))  # R8
    actions |= (free_downs(g, seat) << FLIP) | (picks_up << PICK_UP) | (int(g.after_parrot) << STOP)
    words[0] = np.uint64(actions)


# -- playing (R6-R9) ---------------------------------------------------------------------------------------------------


@compiled
def take_ups(g, seat, kind, copies):
    """Equal ups are taken from the lowest slots."""
    g.ups[seat] -= copies << (4 * kind)
    for slot in range(SLOTS):
        if copies > 0 and g.up_cards[seat, slot] == kind:
            g.up_cards[seat, slot] = NO_CARD
            g.ups_left[seat] ^= 1 << slot
            copies -= 1


@compiled
def unknown_cards(g, seat):
    """How many cards of a hand have not been seen to go there. They were dealt to it, so that they only grow fewer."""
    return int(g.hand_sizes[seat]) - size_of(int(g.known[seat]))


@compiled
def take_cards(g, seat, kind, copies):
    """Take cards out of the zone in play; those that all know of are thought to go first."""
    if g.hand_sizes[seat] > 0:
        g.hands[seat] -= copies << (4 * kind)
        g.hand_sizes[seat] -= copies
        g.known[seat] = without(int(g.known[seat]), kind, copies)
        if g.cannot_hold[seat] != 0 and unknown_cards(g, seat) == 0:
            g.cannot_hold[seat] = 0
    else:
        take_ups(g, seat, kind, copies)


@compiled
def turn_up(g, seat, slot):
    """Take the down card of a slot; returns its kind."""
    kind = int(g.down_cards[seat, slot])
    g.down_cards[seat, slot] = NO_CARD
    g.downs_left[seat] ^= 1 << slot
    return kind


@compiled
def pick_up(g, seat, flipped):
    """The pile, and a down that did not fit, go to the hand; all have seen them (R8, R9). What the hand held does not fit."""
    if unknown_cards(g, seat) > 0:
        g.cannot_hold[seat] |= fitting(g) & EVERY
    heap, size = int(g.pile), int(g.pile_size)
    if flipped >= 0:
        heap += 1 << (4 * flipped)
        size += 1
    g.hands[seat] += heap
    g.known[seat] += heap
    g.hand_sizes[seat] += size
    open_pile(g)


@compiled
def lay(g, kind, copies):
    """Put equal cards on the pile: what it asks for then, and the run of equal numbers (R11-R17)."""
    for _ in range(copies):
        g.pile_cards[g.pile_size] = kind
        g.pile_size += 1
    g.pile += copies << (4 * kind)
    g.need = NEED_AFTER[kind, int(g.need)]
    if kind >= NUMBERS:
        g.run_value = 0
        g.run_length = 0
    elif g.run_value == kind + 1:
        g.run_length += copies
    else:
        g.run_value = kind + 1
        g.run_length = copies


@compiled
def turns_round(g, kind, copies):
    """Do these cards turn the direction? Several reverses cancel each other in pairs or, by the option, altogether (R19)."""
    return kind == REVERSE and (copies == 1 or (copies == 3 and g.several_reverses == IN_PAIRS))


@compiled
def skips_by(g, kind, copies):
    """Turn the direction (R19); returns how many players are skipped (R20)."""
    if turns_round(g, kind, copies):
        g.direction = -g.direction
    return copies if kind == SKIP else 0


# -- turns, games and the match (R10, R18-R22, R25-R28) ----------------------------------------------------------------


@compiled
def end_game(g, winner):
    """Count the game for its winner (or NO_ONE), then end the match or deal the next game."""
    if winner >= 0:
        g.wins[winner] += 1
        g.dealer = winner
        if g.wins[winner] == g.wins_needed:
            g.over = FINISHED
    if g.over == 0 and g.game_number >= g.most_games:
        g.over = TRUNCATED
    if g.over == 0:
        start_game(g)
    else:
        g.to_move = g.dealer  # so that a view of the end tells all


@compiled
def next_seat(g, seat, skips):
    """R18, R20."""
    players = int(g.players)
    return (seat + int(g.direction) * (1 + skips) + 3 * players) % players


@compiled
def cards_left(g, seat):
    return int(g.hand_sizes[seat]) + popcount(int(g.ups_left[seat])) + popcount(int(g.downs_left[seat]))


@compiled
def has_won(g, seat):
    """R10."""
    return g.hand_sizes[seat] == 0 and g.ups_left[seat] == 0 and g.downs_left[seat] == 0


@compiled
def go_on(g, seat, winner, again, skips):
    """To whoever decides next: after a win, with the same player once more, or with the next turn."""
    g.after_parrot = 0
    if again and winner < 0:
        g.after_parrot = g.need == OPEN and g.pile_size > 0
        return
    g.turn += 1
    if winner < 0 and g.turn < g.max_turns:
        g.to_move = next_seat(g, seat, skips)
    else:
        end_game(g, winner)


@compiled
def apply(g, action):
    g.decisions += 1
    seat = int(g.to_move)
    kind, copies, flipped = NO_CARD, 1, NO_CARD
    if action < FLIP:
        kind = action // 3
        copies = action - 3 * kind + 1
        take_cards(g, seat, kind, copies)
    elif action < PICK_UP:
        kind = flipped = turn_up(g, seat, action - FLIP)
    again, skips, winner, result = False, 0, NO_ONE, STOPPED
    if kind >= 0 and (fitting(g) >> (4 * kind)) & 1 == 1:
        lay(g, kind, copies)
        skips = skips_by(g, kind, copies)
        result = PLAYED
        if kind == PLANK or g.run_length >= 3:  # R12, R16
            g.cleared += g.pile
            open_pile(g)
            again, result = g.clear_again == 1, CLEARED
        elif kind == PARROT:
            again = g.parrot_again == 1
        winner = seat if has_won(g, seat) else NO_ONE
    elif action != STOP:
        pick_up(g, seat, kind)
        result = PICKED_UP
    g.last_action[seat] = action
    g.last_flip[seat] = flipped
    g.last_result[seat] = result
    go_on(g, seat, winner, again, skips)


@compiled
def score(g, points):
    """Points are games won; a match cut short has no winner."""
    players = int(g.players)
    for seat in range(players):
        points[seat] = g.wins[seat]
    return (1 << players) - 1 if g.over == TRUNCATED else highest(points, players)


@compiled
def stage(g):
    return int(g.game_number)


@compiled
def reopen(g):
    """Nothing is chosen under a seal."""
