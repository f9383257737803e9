"""The referee of Piratenpoker alone, against numbers worked out by hand from the rules."""

import random
from collections import Counter
from typing import Any

import pytest

from tests.games.piratenpoker import referee as pp

ENGLISH = pp.Options()
PRINTED = pp.Options(r3_tie_value="printed")
TWO_CARDS = pp.Options(tie_depth=2)
GREEN, RED, YELLOW = range(3)


def cards(names: str) -> list[tuple[int, int]]:
    """Read "g4 r5", "y8 y-4": colour and number; "-" alone is no card."""
    return [("gry".index(name[0]), int(name[1:])) for name in names.split() if name != "-"]


def winner(bids: str, options: pp.Options = ENGLISH, doubled: int | None = None) -> int | None:
    """Who wins, of bids parted by commas from seat 0 on; "-" is the Pass, an empty one a player who is out."""
    taking_part = {seat: cards(bid) for seat, bid in enumerate(bids.split(",")) if bid.strip()}
    return pp.round_winner(taking_part, doubled, options)


# Who wins a round


@pytest.mark.parametrize(
    ("bids", "seat"),
    [
        ("g5, r4, y3", 0),  # the highest sum
        ("r8, g4 g5, y1", 1),
        ("g5 r4, g6 r3, y1", 1),  # nine each: the six
        ("r2 g6 y1, r3 y6, y1", 1),  # nine each, a six each: the three
        ("g1, r1, y5 r4 g1, y5 g4 r1", None),  # two pairs of identical bids: the colours break no tie
        ("g5, r5, y4", 2),  # the tied ones drop out
        ("g5, r5, g4, y4, g1", 4),  # and the next ones too
        ("g6 r3, y6 r3, g5 y4", 2),  # nine each, two of them identical: the third
        ("g5 y4, r5 y4, g6 r3", 2),  # or it has the better cards anyway
        ("g5, r5, -", 2),  # a single passer has a total of nothing
        ("g5, r5, -, -", None),
        ("-, -, -", None),
        ("-, , ", None),
        (", , g1", 2),  # a lone player
        (", g5, r5, y3", 3),
        ("g5, r5, y5", None),
        ("g1, -, -", 0),
    ],
)
def test_rounds_without_a_colour(bids: str, seat: int | None) -> None:
    assert winner(bids) == seat


@pytest.mark.parametrize(
    ("bids", "worth", "printed"),
    [
        ("g5, r8, y1", 0, 0),  # ten against eight
        ("g4, r8, y1", 2, 1),  # eight each, as if two equal cards; an eight is printed on the red one
        ("g4, r4 y4, y1", 0, 1),  # eight each: 8 against 4, 4; printed 4 against 4, 4: the first runs out of cards
        ("g1 r2, y4, y3", 1, 1),  # four each: 2, 2 against 4
        ("g4 r1, r5 y4, g3 y3", 0, 1),  # nine each: 8, 1 and 5, 4 and 6, 3; printed 4, 1 and 5, 4 and 3, 3
        ("g3 g1, r8, y1", 1, 1),  # eight each: 6, 2 against 8
    ],
)
def test_round_three_doubles_the_colour_of_the_loot(bids: str, worth: int, printed: int) -> None:
    assert winner(bids, doubled=GREEN) == worth
    assert winner(bids, PRINTED, doubled=GREEN) == printed


def test_printed_numbers_matter_in_no_other_round() -> None:
    assert winner("g5 r4, g6 r3, y1", PRINTED) == 1


@pytest.mark.parametrize(
    ("bids", "all_cards", "two"),
    [
        ("g5 g4 g3, r5 r4 r2 r1, y4", 0, 2),  # twelve each: the third card is not asked for
        ("g5 g4 g3, r5 r3 r3 r1, y4", 0, 0),  # the second is
        ("g5 g4 g3, r5 r4 r2 r1", 0, None),
    ],
)
def test_tie_depth(bids: str, all_cards: int, two: int | None) -> None:
    assert winner(bids) == all_cards
    assert winner(bids, TWO_CARDS) == two


# Scoring


@pytest.mark.parametrize(
    ("display", "once", "repeated"),
    [
        ("-", 0, 0),
        ("g8 r6 y-5 g4", 13, 13),
        ("g8 r8 y8", 29, 29),
        ("g4 r4 y4", 17, 17),  # three sharks
        ("g4 r4 y4 g4 r4 y4", 29, 34),
        ("g4 r4 y5", 13, 13),  # a five that shows its front is no shark
        ("g5 r5 y4", 14, 14),
        ("g-4 r-4 y-4", -12, -12),  # backs make no set
        ("g6 r6 y6 g8 r8 y8", 52, 52),  # two values, two sets
        ("g6 r6 y6 g6 r6 y6", 41, 46),
        ("g6 r6 y6 g6 r6", 35, 35),
        ("g10 r10 y10 g4 r4 y4", 52, 52),
    ],
)
def test_scores(display: str, once: int, repeated: int) -> None:
    assert pp.score(cards(display), repeat=False) == once
    assert pp.score(cards(display), repeat=True) == repeated


@pytest.mark.parametrize(
    ("display", "once", "repeated"),
    [
        ("g-4 r-4 y-4", -7, -7),
        ("g-3 r-3 y-3 g-3 r-3 y-3 g-5", -18, -13),
        ("g-3 r-3 y-4", -10, -10),
        ("g4 r4 y4", 17, 17),  # sharks are no second set
        ("g6 r6 y6", 23, 23),
    ],
)
def test_scores_with_sets_of_all_sides(display: str, once: int, repeated: int) -> None:
    assert pp.score(cards(display), False, "all") == once
    assert pp.score(cards(display), True, "all") == repeated


@pytest.mark.parametrize(
    ("displays", "shared", "runner_up"),
    [
        ("g8, r6, -", [0], [0]),
        ("g5 r5, y10, -", [1], [1]),  # ten each: the ten
        ("g10 r-3, r8 y-5 y4, g6", [0], [0]),  # seven each
        ("g6 r5, r6 y5, g8", [0, 1], [2]),  # eleven each, card for card
        ("g6 r4, y6 g4, r5 y5", [0, 1], [2]),  # ten each, the third behind on cards: it is the next
        ("g6 r4, y6 g4, g8, r8", [0, 1], [0, 1]),  # nobody left
        ("g6 r4, y6 g4, g8, r8, y5", [0, 1], [4]),
        ("-, -, -", [0, 1, 2], [0, 1, 2]),
        ("g-3, r-3, y-4", [0, 1], [2]),
    ],
)
def test_winners(displays: str, shared: list[int], runner_up: list[int]) -> None:
    lying = [cards(display) for display in displays.split(",")]
    assert pp.match_winners(lying, ENGLISH) == shared
    assert pp.match_winners(lying, pp.Options(final_tie="runner_up")) == runner_up


def test_the_third_card_breaks_a_tie_only_where_all_cards_do() -> None:
    lying = [cards("g8 r6 y5 r-5"), cards("r8 g6 y4 g-4"), cards("g5")]  # fourteen each
    assert pp.match_winners(lying, ENGLISH) == [0]
    assert pp.match_winners(lying, TWO_CARDS) == [0, 1]
    assert pp.match_winners(lying, pp.Options(tie_depth=2, final_tie="runner_up")) == [2]


# Bids


@pytest.mark.parametrize(
    ("hand", "bids"),
    [
        ("-", []),
        ("g4", [1]),
        ("g4 r4", [1, 2, 3]),
        ("g4 g4 r5", [1, 3, 4, 5, 7]),
        ("g4 g4 g4", [1, 3, 7]),
        ("g1 r5 r5", [1, 2, 3, 6, 7]),
    ],
)
def test_of_equal_cards_the_lowest_slots_are_staked(hand: str, bids: list[int]) -> None:
    assert pp.distinct_bids(cards(hand)) == bids


# The course of a cycle


def table(*hands: str, offer: str = "g8 r6 y10", number: int = 1, **options: Any) -> pp.Piratenpoker:
    """A match at a round of its first cycle with these hands and this loot on offer; the stacks are as dealt."""
    game = pp.Piratenpoker(1, len(hands), **options)
    game.hands = [sorted(cards(hand)) for hand in hands]
    game.offer = dict(cards(offer))
    game.begin_round(number)
    return game


def play(game: pp.Piratenpoker, *actions: int) -> None:
    for action in actions:
        game.apply(action)


def test_the_deal() -> None:
    for players in (3, 4, 5):
        game = pp.Piratenpoker(7, players)
        assert [len(hand) for hand in game.hands] == [6] * players
        assert all(hand == sorted(hand) for hand in game.hands)
        dealt = Counter(card for hand in (game.pile, *game.hands) for card in hand)
        assert dealt == {(c, v): n for c in range(3) for v, n in enumerate((1, 2, 4, 7, 7, 4, 2, 1), 1)}
        assert len(game.pile) == 84 - 6 * players
        for colour in range(3):
            assert sorted([game.offer[colour], *game.stacks[colour]]) == [5, 5, 6, 6, 8, 8, 10]


def test_french_players_begin_with_six_cards_and_go_on_with_five() -> None:
    game = pp.Piratenpoker(7, 3, **pp.FRENCH)
    assert [len(hand) for hand in game.hands] == [6] * 3
    play(game, 0, 0, 0)  # all pass: nobody needs a card
    assert [len(hand) for hand in game.hands] == [6] * 3
    play(game, 0, 0, 0b111111)  # the third stakes all it has and picks
    play(game, game.legal()[0])
    assert (game.round, game.to_move, game.hands[2]) == (2, 0, [])
    play(game, 1, 3, 0)  # it has only the Pass
    play(game, game.legal()[0])
    while game.cycle == 2:
        play(game, game.legal()[0])
    assert [len(hand) for hand in game.hands] == [5] * 3


def test_who_passes_is_out_in_english_and_must_stake_in_french() -> None:
    hands = ("g4 r5", "g1", "r8 y2")
    game = table(*hands)
    play(game, 0, 1, 1, 64)  # seat 0 passes; the green loot goes to the winner itself
    assert game.displays[2] == [(GREEN, -4)]
    assert (game.round, game.to_move, game.in_cycle) == (2, 1, [False, True, True])
    assert game.legal() == [0]  # no card left
    play(game, 0, 1)
    assert (game.phase, game.to_move) == ("below", 2)

    game = table(*hands, **pp.FRENCH)
    play(game, 0, 1, 1, 65)
    assert game.displays[0] == [(GREEN, -4)]  # the seat after the last is the first
    assert (game.round, game.to_move, game.in_cycle) == (2, 0, [True] * 3)
    assert game.legal() == [1, 2, 3]  # no second Pass


def test_who_has_nothing_to_stake_is_not_asked() -> None:
    game = table("g1", "r8 r1", "y7 y3", number=2, offer="g8 y10", **pp.FRENCH)
    game.pass_in_hand[0], game.hands[0] = False, []
    game.begin_round(2)
    assert game.to_move == 1
    play(game, 2, 2)  # eight against seven
    assert (game.phase, game.to_move) == ("below", 1)


def test_a_round_in_which_nobody_has_anything_to_stake_is_one_of_passes() -> None:
    game = table("g1", "r8", "y7", number=2, offer="g8 y10", **pp.FRENCH)
    game.pass_in_hand = [False, False, True]
    game.hands[2] = []
    play(game, 1, 1, 0, 79)  # the green loot goes below; nothing is left for round 3
    assert (game.cycle, game.round, game.removed) == (2, 1, [(YELLOW, 10)])


@pytest.mark.parametrize(
    ("options", "choices"),
    [
        ({}, [64, 65, 66, 69, 70, 71, 74, 75, 76]),
        ({"overboard_to": "others"}, [65, 66, 70, 71, 75, 76]),
        ({"overboard_shark": "keep"}, [64, 65, 66, 69, 74, 75, 76]),
        (pp.FRENCH, [65, 66, 69, 75, 76]),
    ],
)
def test_who_may_be_given_what(options: dict[str, Any], choices: list[int]) -> None:
    game = table("g8", "g1", "r1", offer="g8 r5 y10", **options)
    play(game, 1, 1, 1)
    assert game.legal() == choices


def below_deck(*display: str, **options: Any) -> pp.Piratenpoker:
    """Seat 1 has won round 2 and put the green 8 under its stack; this is its display."""
    game = table("g1 r1", "r8 y2", "g2 r2", number=2, offer="g8 y10", **options)
    game.displays[1] = cards(" ".join(display))
    play(game, 1, 1, 1, 79)
    assert game.stacks[GREEN][-1] == 8
    return game


def test_a_gift_needs_a_negative_card() -> None:
    assert below_deck("g8 r4").round == 3
    game = below_deck("g8 r-3 y-5 g-3")
    assert (game.phase, game.to_move) == ("gift", 1)
    assert game.legal() == [82, 83, 84, 91, 92]
    play(game, 82)
    assert (game.round, game.phase, game.displays[1]) == (3, "bid", cards("g8 r-3 y-5 g-3"))


def test_one_gift_in_english() -> None:
    game = below_deck("g8 r-3 y-5 g-3")
    play(game, 84)  # the first colour's -3 to the player two seats on
    assert (game.round, game.displays[0], game.displays[1]) == (3, [(GREEN, -3)], cards("g8 r-3 y-5"))


def test_gifts_to_one_player_in_french() -> None:
    game = below_deck("g8 r-3 y-5 g-3", gift_limit="any")
    play(game, 92)
    assert game.legal() == [82, 84]
    play(game, 84)
    assert game.legal() == [82, 84]
    play(game, 84)  # none is left
    assert game.round == 3
    assert game.displays[:2] == [[(YELLOW, -5), (GREEN, -3), (RED, -3)], [(GREEN, 8)]]


def test_the_loot_is_won_with_the_colour_doubled() -> None:
    game = table("r5", "g3 r1", "y8", number=3, offer="g8")
    play(game, 1, 0b11, 1)  # 5, 7 and 8
    assert game.displays == [[], [], [(GREEN, 8)]]
    game = table("r5", "g3 g1", "y7", number=3, offer="g8")
    play(game, 1, 0b11, 1)  # 5, 8 and 7
    assert game.displays == [[], [(GREEN, 8)], []]
    assert (game.cycle, game.round, game.to_move) == (2, 1, 0)


# Unresolved rounds


def test_in_english_an_unresolved_round_returns_the_loot_under_its_stacks() -> None:
    game = table("g5", "r5", "y1", offer="g8 r6 y10")
    before = [list(stack) for stack in game.stacks]
    play(game, 1, 1, 0, 64 + 5 + 2)  # fives drop out, the passer wins: red goes two seats on, to seat 1
    assert game.displays[1] == [(RED, -3)]
    assert game.last_bids == [[(GREEN, 5)], [(RED, 5)], []]
    play(game, 0, 0)  # the others have no card, seat 2 is out
    assert (game.cycle, game.round, game.to_move) == (2, 1, 0)
    assert game.displays[1] == [(RED, -3)]  # what happened stays
    assert game.stacks == [[*before[0][1:], 8], before[1][1:], [*before[2][1:], 10]]
    assert game.offer == {colour: before[colour][0] for colour in range(3)}
    assert game.in_cycle == game.pass_in_hand == [True] * 3
    assert [len(hand) for hand in game.hands] == [6] * 3


def test_loot_that_all_pass_on_may_leave_the_game() -> None:
    game = table("g5", "r5", "y1", all_pass="remove")
    before = [list(stack) for stack in game.stacks]
    play(game, 0, 0, 0)
    assert game.removed == [(GREEN, 8), (RED, 6), (YELLOW, 10)]
    assert game.stacks == [stack[1:] for stack in before]


@pytest.mark.parametrize("offer", ["g8 r6 y10", "r6 y10", "y10"])
def test_in_french_the_one_card_that_all_pass_on_leaves_the_game(offer: str) -> None:
    game = table("g5", "r5", "y1", offer=offer, number=4 - len(cards(offer)), **pp.FRENCH)
    play(game, 0, 0, 0)
    assert game.removed == ([(YELLOW, 10)] if offer == "y10" else [])
    returned = [] if offer == "y10" else cards(offer)
    assert all(game.stacks[colour][-1] == front for colour, front in returned)


@pytest.mark.parametrize(("left", "over"), [(0, True), (1, True), (2, False)])
def test_in_french_the_last_card_of_a_stack_is_not_played_for(left: int, over: bool) -> None:
    game = table("g5", "r4", "y1", offer="y10", number=3, **pp.FRENCH)
    del game.stacks[RED][left:]
    play(game, 1, 1, 1)
    assert (game.over, game.truncated) == (over, False)
    assert game.displays[0] == [(YELLOW, 10)]


def test_in_french_loot_of_a_tie_goes_back() -> None:
    game = table("g5", "r5", "y5", **pp.FRENCH)
    play(game, 1, 1, 1)
    assert (game.cycle, game.removed) == (2, [])
    assert [stack[-1] for stack in game.stacks] == [8, 6, 10]


# Cards drawn, the end


def test_the_discard_becomes_the_pile_when_a_card_is_needed() -> None:
    game = pp.Piratenpoker(1, 3)
    game.hands = [cards("g1 g2 g3 g4 g5"), [], cards("r1 r2 r3 r4 r5 r6")]
    game.pile, game.discard = cards("y1"), cards("y8 g8 y7 g7 r7 r8")
    game.draw_up_to(6)
    assert game.hands[0] == cards("g1 g2 g3 g4 g5 y1")
    assert game.hands[1] == cards("g7 g8 r7 r8 y7 y8")
    assert (game.pile, game.discard) == ([], [])
    game.draw_up_to(5)  # who holds more keeps them
    assert [len(hand) for hand in game.hands] == [6] * 3


@pytest.mark.parametrize(("overboard", "below", "over"), [(RED, GREEN, False), (GREEN, RED, True), (RED, YELLOW, True)])
def test_a_card_below_deck_saves_its_stack(overboard: int, below: int, over: bool) -> None:
    game = table("g8 r8 y8", "g1 r1 y1", "g2 r2 y2")
    game.stacks[GREEN] = []  # its last card is on offer
    play(game, 1, 1, 1, 64 + 5 * overboard)
    play(game, 1, 1, 1, 79 + below, 82)
    assert game.round == 3
    play(game, 1, 1, 1)
    assert game.over == over
    assert not game.truncated


def test_a_match_is_cut_short_only_if_it_would_go_on() -> None:
    game = table("g5", "r5", "y1", max_cycles=1)
    play(game, 0, 0, 0)
    assert (game.over, game.truncated, game.legal()) == (True, True, [])
    game = table("g5", "r5", "y1", max_cycles=1, all_pass="remove")
    game.stacks[RED] = []
    play(game, 0, 0, 0)
    assert (game.over, game.truncated) == (True, False)


@pytest.mark.parametrize("options", [{}, pp.FRENCH, {"loot_counts": (7, 0, 0, 0), "r3_tie_value": "printed"}])
def test_random_matches(options: dict[str, Any]) -> None:
    rng = random.Random(3)
    for players in (3, 4, 5) * 4:
        game = pp.Piratenpoker(rng.getrandbits(64), players, **options)
        while not game.over:
            staked = sum(map(len, game.bids.values()))
            assert len(game.pile) + len(game.discard) + staked + sum(map(len, game.hands)) == 84
            loot = [game.stacks, [game.offer, game.removed], game.displays]
            assert sum(len(place) for places in loot for place in places) == 21  # type: ignore[attr-defined]
            game.apply(rng.choice(game.legal()))
        early = game.options.match_end == "at_once"
        assert min(map(len, game.stacks)) == early
        assert game.cycle >= 7 - early


@pytest.mark.parametrize(
    "options",
    [
        {"players": 2},
        {"players": 6},
        {"overboard_to": "nobody"},
        {"refill_to": 7},
        {"loot_counts": (2, 2, 2, 2)},
        {"loot_counts": (7,)},
        {"max_cycles": 0},
        {"tie_depth": -1},
        {"all_pass": "remove_first"},
        {"match_end": "never"},
        {"bonus_sides": "backs"},
    ],
)
def test_bad_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="is|are"):
        pp.Piratenpoker(0, **options)
