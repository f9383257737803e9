"""Piratenpoker: constants, tables, the record, and the verbs deal, legal, apply, payoff. Rule numbers: the folder's manual.

Heaps of poker cards and displays of loot are packed counts: one integer a colour, byte b of it for the number b + 1 (or the
side b of a loot card). A hand is one integer too: byte i is the kind of the card in slot i, slots sorted. So drawing,
sorting and comparing are a few operations on whole integers.
"""

from __future__ import annotations

import numpy as np

from pirate_envs.core.bits import lowest_bit, popcount
from pirate_envs.core.game import FINISHED, TRUNCATED, record_type
from pirate_envs.core.jit import compiled, compiled_apart
from pirate_envs.core.rng import below, key

MIN_PLAYERS, MAX_PLAYERS, HAND, COLOURS, NUMBERS = 3, 5, 6, 3, 8
COPIES = (1, 2, 4, 7, 7, 4, 2, 1)  # of each number in each colour (R1)
POKER_CARDS = COLOURS * sum(COPIES)
DECK = sum(copies << 8 * at for at, copies in enumerate(COPIES))  # packed counts of one colour
KINDS = COLOURS * NUMBERS  # a kind of poker card is colour * 8 + number - 1
EMPTY = KINDS  # kind of an empty slot
EMPTY_HAND = sum(EMPTY << 8 * slot for slot in range(HAND))
LAST_SLOT_EMPTY = EMPTY << 8 * (HAND - 1)
HIGHEST_BIT = np.array([max(bits.bit_length() - 1, 0) for bits in range(1 << HAND)], np.int64)

STACK = 7
FRONTS, BACKS = (5, 6, 8, 10), (4, -3, -4, -5)  # of one loot card: the same index (R2)
SIDES = len(FRONTS) + len(BACKS)  # a side is a front's index, or 4 + that of a back
SHARK = 0  # index of the card with a shark on its back
LOOT_SCALE = 4.0  # cards that make an observation cell of 1
BONUS, SET_SIZE = 5, 3
NOTHING = -1

BID, OVERBOARD, BELOW_DECK, GIFT = range(4)  # phases
PASS = 0  # actions: the Pass; 1..63 the hand's slots staked, as bits; then as named here, t seats on from the mover
OVERBOARD_ACTION = 1 << HAND  # + 5 * colour + t
BELOW_ACTION = OVERBOARD_ACTION + COLOURS * MAX_PLAYERS  # + colour
GIVE_NOTHING = BELOW_ACTION + COLOURS
GIVE = GIVE_NOTHING + 1  # + 4 * (back - 1) + t - 1
ACTIONS = GIVE + (len(BACKS) - 1) * (MAX_PLAYERS - 1)
NO_BID = -1
OPTION_CELLS = 3 + 10 + len(FRONTS)

STATE = record_type(
    [
        ("hands", np.int64, (MAX_PLAYERS,)),  # kinds by slot, eight bits each; sealed bids are still in them
        ("last_bids", np.int64, (MAX_PLAYERS, COLOURS)),  # cards staked in the round revealed last, packed counts
        ("standing", np.int64, (MAX_PLAYERS,)),  # what they were worth (see KEYS); 0 the Pass, negative: took no part
        ("displays", np.int64, (MAX_PLAYERS, COLOURS)),  # loot owned, packed counts by side
        ("pile", np.int64, (COLOURS,)),
        ("discard", np.int64, (COLOURS,)),
        ("stacks", np.int32, (COLOURS,)),  # four bits a card from the top: 1 << front
        ("unseen", np.int32, (COLOURS,)),  # cards in the stack that nobody has seen, packed counts by front
        ("removed", np.int32, (COLOURS,)),  # loot that left the game, packed counts by front
        # options
        ("full_stack", np.int32),  # a whole stack, fronts ascending
        ("full_counts", np.int32),  # the same as packed counts
        ("option_cells", np.float32, (OPTION_CELLS,)),  # the options as an observation shows them
        ("max_cycles", np.int16),
        ("refill_to", np.int8),
        ("overboard_to", np.int8),  # 0 any, 1 others
        ("overboard_shark", np.int8),  # 0 give, 1 keep
        ("gift_limit", np.int8),  # 0 one, 1 any
        ("pass_effect", np.int8),  # 0 out, 1 spent
        ("all_pass", np.int8),  # 0 return, 1 remove
        ("bonus_repeat", np.int8),
        ("tie_depth", np.int8),  # 0 all, 1 two
        ("final_tie", np.int8),  # 0 shared, 1 runner_up
        ("r3_tie_value", np.int8),  # 0 worth, 1 printed
        # the match
        ("first_seat", np.int8),  # is asked first and draws first
        ("pile_size", np.int8),
        ("cycle", np.int16),
        ("scores", np.int16, (MAX_PLAYERS,)),
        ("sizes", np.int8, (MAX_PLAYERS,)),  # cards in each hand, sealed ones too
        ("stack_sizes", np.int8, (COLOURS,)),
        ("hidden", np.int8, (COLOURS,)),  # cards below the top that nobody has seen; those under them were seen
        # the cycle
        ("offer", np.int8, (COLOURS,)),  # index of the front on offer, or NOTHING
        ("round_number", np.int8),  # 1 to 3
        ("phase", np.int8),
        ("bids", np.int8, (MAX_PLAYERS,)),  # actions, sealed
        ("passed", np.int8, (MAX_PLAYERS,)),  # has used the Pass in this cycle
        ("gift_to", np.int8),  # seat that the gifts of this round go to, or NOTHING
        ("last_round", np.int8),  # the round revealed last; 0 none
        ("last_winner", np.int8),
        ("last_doubled", np.int8),  # colour that counted twice in it, or NOTHING
    ]
)


@compiled
def following(seat, players):
    """The next seat round the table."""
    after = seat + 1
    return after - players if after >= players else after


# -- poker cards (R1, R19) ---------------------------------------------------------------------------------------------

EVERY_BYTE, HIGH_BITS = 0x01010101010101, 0x80808080808080  # of seven bytes
WHOLE_HAND = (1 << 8 * HAND) - 1


@compiled
def sums_up_to(counts):
    """Byte b: how many cards the bytes 0..b hold."""
    return (counts * 0x0101010101010101) & 0x7FFFFFFFFFFFFFFF


@compiled
def bytes_up_to(packed, limit, width):
    """How many of the lowest `width` (at most 7) bytes, all below 128, are not above the limit."""
    above = ((packed & (EVERY_BYTE * 255) | HIGH_BITS) - EVERY_BYTE * (limit + 1)) & HIGH_BITS & ((1 << 8 * width) - 1)
    return width - popcount(above)


@compiled
def take_from_pile(g, place):
    """Take the card at that place of the pile, as listed by colour and number; returns its kind."""
    green, red, yellow = sums_up_to(int(g.pile[0])), sums_up_to(int(g.pile[1])), sums_up_to(int(g.pile[2]))
    greens, reds = green >> 56, red >> 56
    beyond_green, beyond_red = place >= greens, place >= greens + reds  # no branches: they could not be foretold
    sums = yellow if beyond_red else red if beyond_green else green
    place -= (greens if beyond_green else 0) + (reds if beyond_red else 0)
    colour = int(beyond_green) + int(beyond_red)
    at = bytes_up_to(sums, place, NUMBERS - 1)
    g.pile[colour] -= 1 << (8 * at)
    return colour * NUMBERS + at


@compiled
def draw_card(g):
    """Draw a card; when the pile is empty the discard becomes the pile."""
    if g.pile_size == 0:
        total = 0
        for colour in range(COLOURS):
            g.pile[colour] = g.discard[colour]
            g.discard[colour] = 0
            total += sums_up_to(int(g.pile[colour])) >> 56
        g.pile_size = total
    kind = take_from_pile(g, below(g.gen, int(g.pile_size)))
    g.pile_size -= 1
    return kind


@compiled
def with_card(hand, kind):
    """The hand with one card more, in its place."""
    at = 8 * bytes_up_to(hand, kind, HAND)
    return (hand & ((1 << at) - 1) | kind << at | (hand >> at) << (at + 8)) & WHOLE_HAND


@compiled
def refill(g, size):
    """Everybody draws up to that many cards, one seat after the other."""
    players = int(g.players)
    seat = int(g.first_seat)
    for _ in range(players):
        hand = int(g.hands[seat])
        for _ in range(int(g.sizes[seat]), size):
            hand = with_card(hand, draw_card(g))
        g.hands[seat] = hand
        g.sizes[seat] = max(int(g.sizes[seat]), size)
        seat = following(seat, players)


# -- loot (R2, R5, R12, R17) -------------------------------------------------------------------------------------------


@compiled
def shuffle_stack(g, colour):
    stack = int(g.full_stack)
    for i in range(STACK - 1):
        j = i + below(g.gen, STACK - i)
        change = ((stack >> (4 * i)) ^ (stack >> (4 * j))) & 15
        stack ^= (change << (4 * i)) | (change << (4 * j)) if i != j else 0
    g.stacks[colour] = stack
    g.stack_sizes[colour] = STACK
    g.hidden[colour] = STACK
    g.unseen[colour] = g.full_counts
    see_top(g, colour)


@compiled
def see_top(g, colour):
    """The back of a stack's top card is seen by all, and with it its front."""
    if g.hidden[colour] > 0:
        g.hidden[colour] -= 1
        g.unseen[colour] -= 1 << (8 * lowest_bit(int(g.stacks[colour])))


@compiled
def offer_top(g, colour):
    """Put the top card of a stack on offer (R5)."""
    stack = int(g.stacks[colour])
    g.offer[colour] = lowest_bit(stack)
    g.stacks[colour] = stack >> 4
    g.stack_sizes[colour] -= 1
    see_top(g, colour)


@compiled
def put_under(g, colour):
    """Put the card on offer under the stack of its colour."""
    g.stacks[colour] |= 1 << (4 * int(g.stack_sizes[colour]) + int(g.offer[colour]))
    g.stack_sizes[colour] += 1
    g.offer[colour] = NOTHING


@compiled
def clear_offer(g, removed):
    """Take back all that is on offer: out of the game, or under the stacks (R17)."""
    for colour in range(COLOURS):
        if g.offer[colour] >= 0:
            if removed:
                g.removed[colour] += 1 << (8 * int(g.offer[colour]))
                g.offer[colour] = NOTHING
            else:
                put_under(g, colour)


# -- displays and their score (R21, R22) -------------------------------------------------------------------------------

SIDE_VALUES = np.array([*FRONTS, *BACKS], np.int64)


@compiled
def shown(g, seat):
    """All colours of a display together, packed counts by side."""
    return int(g.displays[seat, 0]) + int(g.displays[seat, 1]) + int(g.displays[seat, 2])


@compiled
def display_score(display, repeat):
    """Points of a display: shown values and bonuses."""
    points = 0
    for side in range(SIDES):
        count = (display >> (8 * side)) & 255
        points += count * SIDE_VALUES[side]
        if side <= len(FRONTS):  # fronts and sharks
            sets = count // SET_SIZE
            points += BONUS * (sets if repeat else min(sets, 1))
    return points


@compiled
def display(g, seat, colour, side, change):
    """Lay a loot card into a display (change 1) or take it out (-1)."""
    g.displays[seat, colour] += change << (8 * side)
    g.scores[seat] = display_score(shown(g, seat), g.bonus_repeat)


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
    """Bit i: slot i + 1 holds the same kind as slot i."""
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
def legal(g, mask):
    mask[0] = np.uint64(0)
    mask[1] = np.uint64(0)
    if g.phase == BID:
        mask[0] = legal_bids(g, int(g.to_move))
    elif g.phase == OVERBOARD:
        mask[1] = np.uint64(overboard_actions(g))
    elif g.phase == BELOW_DECK:
        mask[1] = np.uint64(below_actions(g))
    else:
        mask[1] = np.uint64(gift_actions(g))


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
    g.hands[seat] = hand
    g.sizes[seat] -= popcount(slots)
    g.last_bids[seat, 0] = green
    g.last_bids[seat, 1] = red
    g.last_bids[seat, 2] = yellow
    g.discard[0] += green
    g.discard[1] += red
    g.discard[2] += yellow
    return highest_two(standing) if g.tie_depth else standing


@compiled
def best_alone(standing):
    """The seat whose standing is the highest that nobody shares, or NOTHING (R15)."""
    best, winner = -1, NOTHING
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
    for seat in range(int(g.players)):
        slots = int(g.bids[seat])
        standing = stake(g, seat, max(slots, 0), row)
        highest = max(highest, standing)
        g.standing[seat] = standing if slots >= 0 else NOTHING
        g.passed[seat] |= int(slots == PASS)
        g.bids[seat] = NO_BID
    g.last_round = g.round_number
    g.last_doubled = doubled
    g.last_winner = best_alone(g.standing) if highest > 0 else NOTHING
    return highest


# -- rounds and cycles (R4-R20) ----------------------------------------------------------------------------------------


@compiled
def next_asked(g, seat):
    """The first seat from `seat` on, up to the last one, that takes part, or NOTHING; the last is before the first seat."""
    players = int(g.players)
    for _ in range(players):
        if takes_part(g, seat):
            return seat
        seat = following(seat, players)
        if seat == g.first_seat:
            return NOTHING
    return NOTHING


@compiled_apart
def start_cycle(g):
    """R4, R5, R19. Each cycle's cards are a stream of their own."""
    key(g.gen, np.int64(g.seed[0]), np.int64(g.seed[1]), int(g.cycle))
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
    if min(g.stack_sizes[0], g.stack_sizes[1], g.stack_sizes[2]) == 0:
        g.over = FINISHED
    elif g.cycle == g.max_cycles:
        g.over = TRUNCATED
    else:
        g.cycle += 1
        start_cycle(g)


@compiled_apart
def start_round(g, number):
    """Ask for the bids of the second or third round; if nobody has any the cycle is over (R8, R17)."""
    g.round_number = number
    g.phase = BID
    asked = next_asked(g, int(g.first_seat))
    if asked >= 0:
        g.to_move = asked
    else:
        clear_offer(g, g.all_pass == 1)
        end_cycle(g)


@compiled_apart
def resolve(g):
    """All bids are in: name the winner, and ask what he is to decide."""
    highest = reveal(g)
    if g.last_winner < 0:  # R17
        clear_offer(g, (highest == 0) & (g.all_pass == 1))
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
    after = following(seat, int(g.players))
    asked = next_asked(g, after) if after != g.first_seat else NOTHING
    if asked >= 0:
        g.to_move = asked
    else:
        resolve(g)


@compiled
def send_overboard(g, choice):
    """R11."""
    colour = choice // MAX_PLAYERS
    seat = int(g.to_move) + choice - colour * MAX_PLAYERS
    if seat >= g.players:
        seat -= int(g.players)
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
    to = seat + 1 + choice - back * (MAX_PLAYERS - 1)
    if to >= g.players:
        to -= int(g.players)
    side = len(FRONTS) + 1 + back
    colour = 0
    while (int(g.displays[seat, colour]) >> (8 * side)) & 255 == 0:
        colour += 1
    display(g, seat, colour, side, -1)
    display(g, to, colour, side, 1)
    if g.gift_limit == 1 and can_give(g):
        g.gift_to = to
    else:
        g.gift_to = NOTHING
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
        g.gift_to = NOTHING
        start_round(g, 3)


# -- the match (R3, R20-R24) -------------------------------------------------------------------------------------------


@compiled_apart
def deal(g):
    g.over = 0
    g.decisions = 0
    g.first_seat = 0
    g.cycle = 1
    g.gift_to = NOTHING
    g.last_round = 0
    g.last_winner = NOTHING
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
def payoff(g, points):
    players = int(g.players)
    best, next_best, next_winner = 0, 0, NOTHING
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
