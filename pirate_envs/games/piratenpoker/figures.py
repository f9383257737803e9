"""Piratenpoker: what a player asks of a match beside its score."""

from __future__ import annotations

from pirate_envs.core.jit import compiled
from pirate_envs.core.seats import after
from pirate_envs.games.piratenpoker.rules import overboard_actions
from pirate_envs.games.piratenpoker.state import (
    BID,
    COLOURS,
    FRONTS,
    MAX_PLAYERS,
    NO_BID,
    OVERBOARD,
    OVERBOARD_ACTION,
    SHARK,
    display_score,
    shown,
    sums_up_to,
)

(
    CYCLES, FIRST, SECOND, THIRD, BIDS, PASSES, STAKED, MATCHES, FRONT_CARDS, SHARKS, NEGATIVES, COULD_HURT, HELPED,
) = range(13)  # fmt: skip
FEWEST = -(1 << 15)  # points
FIGURES = {
    "first rounds won a cycle": (FIRST, CYCLES),
    "second rounds won a cycle": (SECOND, CYCLES),
    "third rounds won a cycle": (THIRD, CYCLES),
    "cards staked a bid": (STAKED, BIDS),
    "passes, of bids": (PASSES, BIDS),
    "loot shown at the end": (FRONT_CARDS, MATCHES),
    "sharks at the end": (SHARKS, MATCHES),
    "negative cards at the end": (NEGATIVES, MATCHES),
    "overboard loot that helps a leader who could be hurt": (HELPED, COULD_HURT),
}
MISTAKES = tuple(FIGURES)[-1:]


@compiled
def tally_reveal(before, g, counts):
    """The bids that have just been uncovered, and who won with its own."""
    for seat in range(int(g.players)):
        if before.bids[seat] != NO_BID or seat == before.to_move:
            staked = 0
            for colour in range(COLOURS):
                staked += sums_up_to(int(g.last_bids[seat, colour])) >> 56
            counts[seat, BIDS] += 1
            counts[seat, STAKED] += staked
            counts[seat, PASSES] += int(staked == 0)
    if g.last_winner >= 0:
        counts[g.last_winner, FIRST + int(g.last_round) - 1] += 1


@compiled
def tally_end(g, counts):
    """What lies on display when the match is over."""
    fronts = len(FRONTS)
    for seat in range(int(g.players)):
        display = shown(g, seat)
        positive = sums_up_to(display & ((1 << (8 * fronts)) - 1)) >> 56
        sharks = (display >> (8 * (fronts + SHARK))) & 255
        counts[seat, MATCHES] += 1
        counts[seat, FRONT_CARDS] += positive
        counts[seat, SHARKS] += sharks
        counts[seat, NEGATIVES] += (sums_up_to(display) >> 56) - positive - sharks


@compiled
def gain(g, choice):
    """(seat, points) that get an overboard card: `choice` counts as its action does from OVERBOARD_ACTION on."""
    colour = choice // MAX_PLAYERS
    seat = after(int(g.to_move), choice - colour * MAX_PLAYERS, int(g.players))
    displayed = shown(g, seat)
    more = displayed + (1 << (8 * (len(FRONTS) + int(g.offer[colour]))))
    points = display_score(more, g.bonus_repeat, g.bonus_sides) - display_score(displayed, g.bonus_repeat, g.bonus_sides)
    return seat, points


@compiled
def tally_overboard(before, action, counts):
    """Whether an opponent with as many points as anybody, whom a card overboard could hurt, has been given points by one."""
    mover, most = int(before.to_move), FEWEST
    for seat in range(int(before.players)):
        most = max(most, int(before.scores[seat]))
    hurts = 0  # leaders who could be hurt, as bits
    actions = overboard_actions(before)
    for choice in range(COLOURS * MAX_PLAYERS):
        if (actions >> (OVERBOARD_ACTION - 64 + choice)) & 1 == 1:
            seat, points = gain(before, choice)
            if seat != mover and before.scores[seat] == most and points < 0:
                hurts |= 1 << seat
    if hurts != 0:
        seat, points = gain(before, action - OVERBOARD_ACTION)
        counts[mover, COULD_HURT] += 1
        counts[mover, HELPED] += int(points > 0 and (hurts >> seat) & 1 == 1)


@compiled
def tally(before, action, g, counts):
    """A round counts when its bids are uncovered, a cycle when it is over."""
    if before.phase == BID and g.bids[before.to_move] == NO_BID:
        tally_reveal(before, g, counts)
    if before.phase == OVERBOARD:
        tally_overboard(before, action, counts)
    if g.cycle != before.cycle or g.over != 0:
        for other in range(int(g.players)):
            counts[other, CYCLES] += 1
    if g.over != 0:
        tally_end(g, counts)
