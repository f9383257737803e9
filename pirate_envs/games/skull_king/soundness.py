"""Skull King: what the fields of a record must say of each other so that a match can be played on from it."""

from __future__ import annotations

from pirate_envs.core.bits import popcount
from pirate_envs.core.jit import compiled
from pirate_envs.core.record import FINISHED, PLAYING
from pirate_envs.core.seats import NO_ONE, after
from pirate_envs.games.skull_king.observation import hand_size
from pirate_envs.games.skull_king.rules import fourteens_bonus, strength_of
from pirate_envs.games.skull_king.state import (
    ALL_NUMBERS,
    BIDDING,
    BLACK_FOURTEEN,
    CHARACTERS,
    COPIES,
    ESCAPE,
    ESCAPES,
    FOURTEENS,
    HIGHEST_SCORE,
    KING,
    LOWEST_SCORE,
    MARY,
    MAX_HAND,
    MAX_NUMBER,
    MAX_PLAYERS,
    MERMAID,
    MERMAIDS,
    MOST_BONUS,
    MOST_OF_A_HAND,
    NO_BID,
    NO_CARD,
    NO_SUIT,
    NUMBER_CARDS,
    NUMBERS,
    PIRATE,
    PIRATES,
    STRENGTH_MERMAID_OVER_KING,
    SUIT_CARDS,
    SUITS,
    copies,
)

FLAWS = (
    "hands: a card is there twice, or is not in the deck, or counts and gone_counts say otherwise",
    "hands: a seat holds another number of cards than tricks are left, or a suit that its voids say it does not hold",
    "tricks_won: with tricks_left they do not make the hand",
    "bids: they are not those of the seats that have bid",
    "trick: laid, on_table, leader, winning, strength, led_suit, free, voids or to_move say otherwise",
    "last_trick: it does not fit last_leader and last_winner",
    "over: it does not fit tricks_left and hand_number",
    "scores: the hands to come could lead beyond what can be shown",
    "bonus: the cards that are out of hands cannot have brought so much",
)
SINGLE = ALL_NUMBERS | (1 << KING)  # kinds with one card and one bit


@compiled
def counted(kinds, counts):
    """Do a set of kinds and the counts of its repeated ones say the same?"""
    escapes, pirates, mermaids = copies(counts, ESCAPE), copies(counts, PIRATE), copies(counts, MERMAID)
    good = (escapes > 0) == ((kinds >> ESCAPE) & 1 == 1)
    good &= (pirates > 0) == ((kinds >> PIRATE) & 1 == 1)
    return good & ((mermaids > 0) == ((kinds >> MERMAID) & 1 == 1))


@compiled
def cards_of(kinds, counts):
    """How many cards they are."""
    repeated = copies(counts, ESCAPE) + copies(counts, PIRATE) + copies(counts, MERMAID)
    return popcount(kinds & SINGLE) + repeated + int(kinds & MARY != 0)


@compiled
def cards_agree(g):
    """Every card is in one hand or gone, and in the deck; of tricks that are over a position may tell less than all cards."""
    seen, counts, marys = int(g.gone), int(g.gone_counts), int(int(g.gone) & MARY != 0)
    escapes, pirates, mermaids = copies(counts, ESCAPE), copies(counts, PIRATE), copies(counts, MERMAID)
    good = counted(seen, counts) & (seen & MARY != MARY)
    for seat in range(MAX_PLAYERS):
        kinds, counts = int(g.hands[seat]), int(g.counts[seat])
        good &= counted(kinds, counts) & (seen & kinds & SINGLE == 0)
        good &= (kinds & MARY == 0) | (kinds & MARY == MARY)
        good &= (seat < g.players) | (kinds == 0)
        escapes += copies(counts, ESCAPE)
        pirates += copies(counts, PIRATE)
        mermaids += copies(counts, MERMAID)
        marys += int(kinds & MARY != 0)
        seen |= kinds
    good &= (escapes <= ESCAPES) & (pirates <= PIRATES) & (mermaids <= MERMAIDS) & (marys <= 1)
    played = int(g.players) * (int(g.hand_number) - int(g.tricks_left)) + int(g.laid)
    good &= cards_of(int(g.gone), int(g.gone_counts)) <= played
    return good & (seen & ALL_NUMBERS & ~NUMBER_CARDS[int(g.highest)] == 0)


@compiled
def knows(g, seat):
    return cards_of(int(g.hands[seat]), int(g.counts[seat])) == hand_size(g, seat)


@compiled
def hands_agree(g, redacted):
    """A seat holds a card for every trick that is left, and no suit that it has shown not to hold."""
    good = True
    for seat in range(int(g.players)):
        kinds, held = int(g.hands[seat]), cards_of(int(g.hands[seat]), int(g.counts[seat]))
        good &= (held == hand_size(g, seat)) | (redacted & (held == 0))
        for suit in range(SUITS):
            good &= ((int(g.voids[seat]) >> suit) & 1 == 0) | (kinds & SUIT_CARDS[suit] == 0)
    return good


@compiled
def tricks_agree(g):
    tricks = int(g.tricks_left)
    for seat in range(MAX_PLAYERS):
        tricks += int(g.tricks_won[seat])
    return tricks == g.hand_number


@compiled
def place_of(g, seat, first):
    """How many seats after `first` it sits."""
    place = seat - first
    return place + int(g.players) if place < 0 else place


@compiled
def bids_agree(g, redacted):
    """The seats up to the mover have bid, or all (R4)."""
    players, first, bidding = int(g.players), int(g.first_leader), g.phase == BIDDING
    asked = place_of(g, int(g.to_move), first) if bidding else players
    good = True
    for seat in range(MAX_PLAYERS):
        made = g.bids[seat] != NO_BID
        expected = seat < players and place_of(g, seat, first) < asked
        good &= (made == expected) | (redacted & bidding & expected)
    return good


@compiled
def suit_agrees(g):
    """The first number card leads its suit unless a character has freed the trick; who laid another one has shown it (R8)."""
    led, free, good = NO_SUIT, int(g.laid) > 0 and g.character_lead_frees_trick == 1, True
    free = free and (CHARACTERS >> int(g.trick[0])) & 1 == 1
    for i in range(int(g.laid)):
        kind = int(g.trick[i])
        suit = kind // MAX_NUMBER
        if kind < NUMBERS and led == NO_SUIT and not free:
            led = suit
        elif kind < NUMBERS and led != NO_SUIT and suit != led:
            good &= (int(g.voids[after(int(g.leader), i, int(g.players))]) >> led) & 1 == 1
    return good & (g.led_suit == led) & (g.free == int(free))


@compiled
def winner_agrees(g):
    """The first of the strongest cards wins, the first mermaid a trick with a king (R16 to R21)."""
    both, winning, strongest = (1 << KING) | (1 << MERMAID), int(g.leader), -1
    captured = int(g.on_table) & both == both
    for i in range(int(g.laid)):
        kind = int(g.trick[i])
        strength = STRENGTH_MERMAID_OVER_KING if captured and kind == MERMAID else strength_of(kind, int(g.led_suit))
        if strength > strongest:
            winning, strongest = after(int(g.leader), i, int(g.players)), strength
    return (g.winning == winning) & (g.strength == strongest)


@compiled
def trick_agrees(g):
    """The cards on the table, who may win them and who is next."""
    players, laid, leader, cards = int(g.players), int(g.laid), int(g.leader), 0
    good = True
    for i in range(MAX_PLAYERS):
        kind = int(g.trick[i])
        good &= (kind != NO_CARD) == (i < laid)
        if i < laid and kind < NO_CARD:
            cards |= 1 << kind
    good &= (cards == g.on_table) & (cards & ~int(g.gone) == 0) & suit_agrees(g) & winner_agrees(g)
    if g.phase == BIDDING:
        return good & (laid == 0) & (leader == g.first_leader) & (g.tricks_left == g.hand_number) & (g.gone == 0)
    return good & ((g.to_move == after(leader, laid, players)) | (g.over != PLAYING))


@compiled
def last_trick_agrees(g):
    there = g.last_leader != NO_ONE
    good = there == (g.last_winner != NO_ONE)
    for i in range(MAX_PLAYERS):
        good &= (g.last_trick[i] != NO_CARD) == (there and i < g.players)
    return good


@compiled
def ending_agrees(g):
    """The match is over with the last trick of the last hand, and then only (R5)."""
    if g.over == PLAYING:
        return g.tricks_left > 0
    return (g.over == FINISHED) & (g.tricks_left == 0) & (g.hand_number == g.last_hand) & (g.phase != BIDDING)


@compiled
def scores_agree(g):
    """What the hands to come can bring or cost fits into what an observation shows."""
    hands = int(g.last_hand) - int(g.hand_number) + int(g.over == PLAYING)
    good = True
    for seat in range(MAX_PLAYERS):
        points = int(g.scores[seat])
        good &= points + hands * MOST_OF_A_HAND + MOST_BONUS <= HIGHEST_SCORE
        good &= points - 10 * MAX_HAND * hands >= LOWEST_SCORE
        good &= (seat < g.players) | ((points == 0) & (g.bonus[seat] == 0) & (g.voids[seat] == 0) & (g.tricks_won[seat] == 0))
    return good


@compiled
def bonus_agrees(g):
    """Together the seats have won no more than the cards bring that nobody holds (R22): so no more than can be, ever."""
    held, pirates, mermaids, won = 0, PIRATES + 1, MERMAIDS, 0
    for seat in range(int(g.players)):
        kinds, counts = int(g.hands[seat]), int(g.counts[seat])
        held |= kinds
        pirates -= copies(counts, PIRATE) + int(kinds & MARY != 0)
        mermaids -= copies(counts, MERMAID)
        won += int(g.bonus[seat])
    most = mermaids * int(g.pirate_takes_mermaid)
    if (held >> KING) & 1 == 0:
        under = int(g.king_takes_pirate) * min(pirates, int(g.players) - 1)
        most += max(under, int(g.mermaid_takes_king) if mermaids > 0 else 0)
    if g.highest == MAX_NUMBER:
        most += fourteens_bonus(g, (FOURTEENS | BLACK_FOURTEEN) & ~held)
    return won <= most


@compiled
def flaw(g, redacted):
    if not cards_agree(g):
        return 1
    if not hands_agree(g, redacted):
        return 2
    if not tricks_agree(g):
        return 3
    if not bids_agree(g, redacted):
        return 4
    if not trick_agrees(g):
        return 5
    if not last_trick_agrees(g):
        return 6
    if not ending_agrees(g):
        return 7
    if not scores_agree(g):
        return 8
    return 0 if bonus_agrees(g) else 9


assert COPIES[PIRATE] == PIRATES
