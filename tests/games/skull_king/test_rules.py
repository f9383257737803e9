"""Skull King by the rules of its manual: small stories with numbers worked out by hand."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest

import pirate_envs
from pirate_envs.core.errors import IllegalActionError
from tests.games.positions import differing, random_match

DECK = Counter(
    {f"{suit}_{number}": 1 for suit in ("yellow", "blue", "red", "black") for number in range(1, 14)}
    | {"escape": 5, "pirate": 5, "mermaid": 2, "skull_king": 1, "scary_mary": 1}
)


def load(**options: Any) -> Any:
    return pirate_envs.load("skull_king", **options)


def play(game: Any, g: np.record, *names: str) -> None:
    for name in names:
        game.apply(g, game.action(g, name))


def cards_allowed(game: Any, g: np.record) -> set[str]:
    return {name.removeprefix("play ") for name in game.view(g)["legal"]}


def trick(*cards: str, leader: int = 0, **options: Any) -> tuple[int, int]:
    """Winner and bonus of a trick of these cards, laid in this order from the leader on."""
    players = len(cards)
    game = load(players=players, **options)
    held = [card.partition(":")[0] for card in cards]
    hands = [[held[(seat - leader) % players]] for seat in range(players)]
    g = game.from_view({"phase": "play", "hand_number": 1, "leader": leader, "hands": hands})
    play(game, g, *(f"play {card}" for card in cards))
    last = game.view(g)["last_trick"]
    assert (last["leader"], last["cards"]) == (leader, list(cards))
    return last["winner"], last["bonus"]


def orders(*cards: str) -> list[tuple[str, ...]]:
    """Every order of the cards."""
    return sorted(set(itertools.permutations(cards)))


# -- cards and dealing -------------------------------------------------------------------------------------------------


def test_r1_the_deck() -> None:
    game = load(players=6, first_hand=10)
    largest: Counter[str] = Counter()
    for seed in range(60):
        dealt = Counter(card for hand in game.view(game.new(seed))["hands"] for card in hand)
        assert dealt <= DECK
        assert dealt.total() == 60
        largest |= dealt
    assert largest == DECK
    assert DECK.total() == 66


def test_r1_the_highest_number_is_an_option() -> None:
    for highest in (5, 14):
        game = load(players=2, first_hand=10, highest=highest)
        seen = {card for seed in range(200) for hand in game.view(game.new(seed))["hands"] for card in hand}
        assert f"black_{highest}" in seen
        assert f"black_{highest + 1}" not in seen
        assert len(seen) == 4 * highest + 5


def test_r2_each_hand_is_dealt_from_the_whole_deck() -> None:
    game = load()
    sizes, hand_numbers = [], []
    for g in random_match(game, seed=5):
        shown = game.view(g)
        if shown["phase"] == "bid" and shown["hand_number"] not in hand_numbers:
            hand_numbers.append(shown["hand_number"])
            sizes.append({len(hand) for hand in shown["hands"]})
            assert shown["played"] == []
    assert sizes == [{n} for n in range(1, 11)]


def test_r3_a_match_is_ten_hands() -> None:
    game = load()
    g = [g.copy() for g in random_match(game, seed=1)]
    hands = [int(position.hand_number) for position in g]
    assert hands == sorted(hands)
    assert set(hands) == set(range(1, 11))
    assert len(g) - 1 == 4 * 65 == game.max_decisions  # ten bids and 55 cards each


def test_r3_shorter_matches() -> None:
    game = load(players=3, first_hand=4, last_hand=5)
    hands = [int(g.hand_number) for g in random_match(game, seed=1)]
    assert set(hands) == {4, 5}
    assert len(hands) - 1 == 3 * (1 + 4 + 1 + 5)


# -- bidding -----------------------------------------------------------------------------------------------------------


def test_r4_any_number_of_tricks_may_be_bid_from_the_leader_on() -> None:
    game = load()
    g = game.from_view({"hand_number": 3, "leader": 2})
    for seat in (2, 3, 0, 1):
        assert game.seat_to_move(g) == seat
        assert game.view(g)["legal"] == ["bid 0", "bid 1", "bid 2", "bid 3"]
        play(game, g, "bid 3")  # twelve tricks of three: no rule about the sum
    shown = game.view(g)
    assert (shown["phase"], shown["bids"], shown["to_move"]) == ("play", [3, 3, 3, 3], 2)


def bids_seen(game: Any, g: np.record, seat: int) -> list[float]:
    """The bids in a seat's observation, own first; -1: unknown."""
    seats = game.layout.split(game.observation(g, seat))["seats"][: game.players]
    known, bids = seats[:, 8], seats[:, 9]
    return [round(float(bid) * 10) if there else -1 for there, bid in zip(known, bids, strict=True)]


@pytest.mark.parametrize(("bidding", "third_sees"), [("sealed", [None, None, None]), ("open", [2, 0, None])])
def test_r4_sealed_bids_are_hidden_until_the_last_and_open_ones_are_not(bidding: str, third_sees: list[int | None]) -> None:
    game = load(players=3, bidding=bidding, first_hand=2)
    g = game.new(3)
    play(game, g, "bid 2", "bid 0")
    assert game.view(g)["bids"] == [2, 0, None]
    assert game.view(g, 2)["bids"] == third_sees
    assert game.view(g, 0)["bids"] == [2, third_sees[1], None]
    assert bids_seen(game, g, 2) == [-1 if third_sees[seat] is None else third_sees[seat] for seat in (2, 0, 1)]
    play(game, g, "bid 1")
    assert all(game.view(g, seat)["bids"] == [2, 0, 1] for seat in range(3))
    assert bids_seen(game, g, 2) == [1, 2, 0]


def test_r4_a_sealed_bid_does_not_show_in_anything_others_see() -> None:
    game = load()
    worlds = []
    for first in ("bid 0", "bid 4"):
        g = game.from_view({"hand_number": 4, "leader": 0}, seed=8)
        play(game, g, first)
        worlds.append(g)
    for seat in (1, 2, 3):
        assert game.view(worlds[0], seat) == game.view(worlds[1], seat)
        assert np.array_equal(game.observation(worlds[0], seat), game.observation(worlds[1], seat))
        assert not differing(game.redacted(worlds[0], seat), game.redacted(worlds[1], seat))


# -- the course of a match ---------------------------------------------------------------------------------------------


def test_r5_the_next_hand_follows_the_last_card() -> None:
    game = load(players=2)
    g = game.from_view({"phase": "play", "hands": [["pirate"], ["red_3"]], "bids": [1, 0]})
    play(game, g, "play pirate", "play red_3")
    shown = game.view(g)
    assert (shown["hand_number"], shown["phase"], shown["scores"]) == (2, "bid", [20, 10])
    assert shown["bids"] == [None, None]
    assert shown["tricks_won"] == [0, 0]
    assert [len(hand) for hand in shown["hands"]] == [2, 2]


def test_r6_the_first_leader_moves_one_seat_on_each_hand() -> None:
    game = load(players=3)
    leaders = {}
    for g in random_match(game, seed=2):
        if game.view(g)["phase"] == "bid":
            leaders.setdefault(int(g.hand_number), game.view(g)["leader"])
    assert list(leaders.values()) == [0, 1, 2, 0, 1, 2, 0, 1, 2, 0]


@pytest.mark.parametrize(
    ("scores", "winners", "rewards"),
    [
        # seat 0 keeps its bid of one in hand 1 (+20), the others their zeros (+10)
        ([0, 0, 0, 0], [0], [1, -1 / 3, -1 / 3, -1 / 3]),
        ([0, 10, 0, 5], [0, 1], [0.5, 0.5, -0.5, -0.5]),
        ([0, 10, 10, 10], [0, 1, 2, 3], [0, 0, 0, 0]),
        ([-50, 0, 1, 0], [2], [-1 / 3, -1 / 3, 1, -1 / 3]),
    ],
)
def test_r7_the_highest_total_wins_and_equal_ones_share(scores: list[int], winners: list[int], rewards: list[float]) -> None:
    game = load(last_hand=1)
    hands = [["skull_king"], ["red_3"], ["red_4"], ["red_5"]]
    g = game.from_view({"phase": "play", "hands": hands, "bids": [1, 0, 0, 0], "scores": scores})
    play(game, g, "play skull_king", "play red_3", "play red_4")
    assert not game.is_over(g)
    assert game.rewards(g).tolist() == [0, 0, 0, 0]
    play(game, g, "play red_5")
    assert game.is_over(g)
    assert game.payoffs(g).tolist() == [points + gain for points, gain in zip(scores, (20, 10, 10, 10), strict=True)]
    assert game.winners(g) == winners
    assert game.rewards(g) == pytest.approx(rewards)
    assert (game.view(g)["to_move"], game.view(g)["legal"]) == (None, [])


# -- which cards may be played -----------------------------------------------------------------------------------------


def on_table(*cards: str, hand: list[str], **options: Any) -> set[str]:
    """What the next player may play on these cards."""
    players = len(cards) + 1
    game = load(players=players, **options)
    hands: list[Any] = [len(hand) - 1] * len(cards) + [hand]
    given = {"phase": "play", "hand_number": len(hand), "leader": 0, "hands": hands, "trick": list(cards)}
    return cards_allowed(game, game.from_view(given))


def test_r8_the_first_number_is_to_be_followed_whatever_came_before() -> None:
    hand = ["yellow_1", "blue_2", "red_3"]
    assert on_table("yellow_9", "blue_9", hand=hand) == {"yellow_1"}
    assert on_table("pirate", "escape", "blue_9", "red_9", hand=hand) == {"blue_2"}
    assert on_table("skull_king", "mermaid", "scary_mary:pirate", hand=hand) == set(hand)
    assert on_table("scary_mary:escape", "red_5", hand=hand) == {"red_3"}


def test_r8_in_the_later_edition_a_character_frees_the_trick() -> None:
    hand = ["yellow_1", "blue_2", "red_3"]
    for leader in ("pirate", "mermaid", "skull_king", "scary_mary:pirate"):
        assert on_table(leader, "blue_9", hand=hand, character_lead_frees_trick=True) == set(hand)
        assert on_table(leader, "blue_9", hand=hand) == {"blue_2"}
    for leader in ("escape", "scary_mary:escape"):  # an escape is no character
        assert on_table(leader, "blue_9", hand=hand, rules="2021") == {"blue_2"}
    assert on_table("escape", "pirate", "blue_9", hand=hand, rules="2021") == {"blue_2"}  # only the lead counts


def test_r8_a_freed_trick_shows_no_void_and_no_number_wins_it() -> None:
    game = load(players=3, rules="2021")
    hands = [["mermaid", "red_1"], ["blue_9", "red_2"], ["yellow_9", "blue_1"]]
    g = game.from_view({"phase": "play", "hand_number": 2, "leader": 0, "hands": hands})
    play(game, g, "play mermaid", "play blue_9", "play yellow_9")
    shown = game.view(g)
    assert shown["voids"] == [[], [], []]
    assert shown["last_trick"]["winner"] == 0


def test_r9_who_can_follow_plays_the_suit_or_a_special() -> None:
    hand = ["yellow_1", "yellow_13", "black_13", "blue_2", "escape", "pirate", "mermaid", "skull_king"]
    specials = {"escape", "pirate", "mermaid", "skull_king"}
    assert on_table("yellow_5", hand=hand) == {"yellow_1", "yellow_13"} | specials  # no black
    assert on_table("black_5", hand=hand) == {"black_13"} | specials


def test_r10_who_cannot_follow_plays_anything() -> None:
    hand = ["yellow_1", "black_13", "blue_2", "pirate"]
    assert on_table("red_5", hand=hand) == set(hand)
    assert on_table("black_5", hand=["yellow_1", "blue_2", "pirate"]) == {"yellow_1", "blue_2", "pirate"}
    assert on_table("red_5", "black_1", hand=hand) == set(hand)  # no need to beat the black one


def test_r11_scary_mary_is_two_actions() -> None:
    both = {"scary_mary:pirate", "scary_mary:escape"}
    assert on_table("yellow_5", hand=["yellow_1", "red_2", "scary_mary"]) == {"yellow_1"} | both
    game = load(players=2)
    g = game.from_view({"phase": "play", "hand_number": 1, "hands": [["scary_mary"], ["red_2"]]})
    assert cards_allowed(game, g) == both
    play(game, g, "play scary_mary:pirate")
    assert game.view(g)["hands"] == [[], ["red_2"]]


def test_r12_cards_are_played_round_the_table() -> None:
    game = load(players=3)
    g = game.from_view({"phase": "play", "hand_number": 1, "leader": 2, "hands": [["red_1"], ["red_2"], ["red_3"]]})
    seats = []
    for card in ("red_3", "red_1"):
        seats.append(game.seat_to_move(g))
        play(game, g, f"play {card}")
    assert [*seats, game.seat_to_move(g)] == [2, 0, 1]


def test_r13_who_does_not_follow_shows_a_void() -> None:
    game = load()
    hands = [["yellow_5", "red_1"], ["black_2", "red_2"], ["escape", "yellow_1"], ["yellow_6", "red_3"]]
    g = game.from_view({"phase": "play", "hand_number": 2, "leader": 0, "hands": hands})
    play(game, g, "play yellow_5", "play black_2", "play escape", "play yellow_6")
    for seat in (None, 0, 1, 2, 3):
        shown = game.view(g, seat)
        assert shown["voids"] == [[], ["yellow"], [], []]  # the special shows nothing
        assert shown["played"] == ["yellow_5", "yellow_6", "black_2", "escape"]
    assert game.layout.split(game.observation(g, 0))["voids"][1].tolist() == [1, 0, 0, 0]


def test_r14_scary_mary_stays_what_she_was_played_as() -> None:
    game = load(players=2)
    hands = [["scary_mary", "red_1"], ["red_5", "red_6"]]
    g = game.from_view({"phase": "play", "hand_number": 2, "leader": 0, "hands": hands})
    play(game, g, "play scary_mary:escape")
    assert cards_allowed(game, g) == {"red_5", "red_6"}
    play(game, g, "play red_5")
    shown = game.view(g)
    assert shown["played"] == ["red_5", "scary_mary:escape"]
    assert shown["last_trick"]["winner"] == 1
    with pytest.raises(IllegalActionError):
        play(game, g, "play scary_mary:pirate")


def test_r15_the_winner_leads() -> None:
    game = load(players=3)
    hands = [["red_1", "blue_1"], ["red_2", "blue_2"], ["red_9", "blue_3"]]
    g = game.from_view({"phase": "play", "hand_number": 2, "leader": 0, "hands": hands})
    play(game, g, "play red_1", "play red_2", "play red_9")
    shown = game.view(g)
    assert (shown["leader"], shown["to_move"], shown["tricks_won"]) == (2, 2, [0, 0, 1])


# -- who wins a trick --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", orders("skull_king", "mermaid", "pirate", "scary_mary:pirate"))
def test_r16_the_mermaid_beats_the_king_in_every_order(order: tuple[str, ...]) -> None:
    assert trick(*order) == (order.index("mermaid"), 50)


@pytest.mark.parametrize("order", orders("skull_king", "mermaid", "mermaid", "pirate"))
def test_r16_the_first_mermaid_wins_and_is_paid_once(order: tuple[str, ...]) -> None:
    assert trick(*order) == (order.index("mermaid"), 50)


def test_r16_black_and_a_long_table_change_nothing() -> None:
    assert trick("black_13", "pirate", "skull_king", "pirate", "yellow_1", "mermaid") == (5, 50)
    assert trick("mermaid", "black_13", "skull_king", leader=1) == (1, 50)


@pytest.mark.parametrize("order", orders("skull_king", "pirate", "pirate", "black_13"))
def test_r17_the_king_beats_all_else_and_is_paid_for_each_pirate(order: tuple[str, ...]) -> None:
    assert trick(*order) == (order.index("skull_king"), 60)


@pytest.mark.parametrize("order", orders("pirate", "scary_mary:pirate", "mermaid", "black_13"))
def test_r18_the_first_pirate_wins_and_scary_mary_is_one(order: tuple[str, ...]) -> None:
    assert trick(*order) == (min(order.index("pirate"), order.index("scary_mary:pirate")), 0)


@pytest.mark.parametrize("order", orders("mermaid", "mermaid", "black_13", "escape"))
def test_r19_the_first_mermaid_beats_numbers(order: tuple[str, ...]) -> None:
    assert trick(*order) == (order.index("mermaid"), 0)


@pytest.mark.parametrize(
    ("cards", "winner"),
    [
        (("yellow_2", "yellow_12", "blue_13", "black_1"), 3),  # the booklet's example
        (("yellow_2", "yellow_12", "blue_13", "red_13"), 1),
        (("black_2", "black_9", "yellow_13", "black_10"), 3),
        (("red_5", "black_3", "black_2", "red_13"), 1),
        (("escape", "blue_3", "yellow_13", "blue_4"), 3),
        (("scary_mary:escape", "escape", "red_1", "yellow_9"), 2),
        (("red_1", "escape", "yellow_13", "blue_13"), 0),
    ],
)
def test_r20_black_then_the_suit_to_follow(cards: tuple[str, ...], winner: int) -> None:
    assert trick(*cards) == (winner, 0)
    assert trick(*cards, leader=3) == ((winner + 3) % 4, 0)


@pytest.mark.parametrize("order", orders("escape", "escape", "scary_mary:escape"))
def test_r21_of_escapes_the_first_wins(order: tuple[str, ...]) -> None:
    assert trick(*order, leader=2) == (2, 0)


def test_r21_that_trick_counts() -> None:
    game = load(players=2)
    g = game.from_view({"phase": "play", "hands": [["escape"], ["escape"]], "bids": [0, 0]})
    play(game, g, "play escape", "play escape")
    assert game.view(g)["scores"] == [-10, 10]


# -- score -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "schmidt", "later"),
    [
        (("skull_king", "red_1", "red_2", "red_3"), 0, 0),
        (("pirate", "skull_king", "red_2", "pirate"), 60, 60),
        (("skull_king", "scary_mary:pirate", "red_2", "red_3"), 30, 30),
        (("skull_king", "scary_mary:escape", "red_2", "red_3"), 30, 0),
        (("scary_mary:escape", "pirate", "skull_king", "red_3"), 60, 30),
        (("mermaid", "skull_king", "pirate", "pirate"), 50, 40),
        (("mermaid", "mermaid", "skull_king", "red_3"), 50, 40),
        (("mermaid", "pirate", "mermaid", "red_3"), 0, 40),
        (("mermaid", "scary_mary:pirate", "red_2", "red_3"), 0, 20),
        (("pirate", "pirate", "red_2", "red_3"), 0, 0),
        (("mermaid", "red_1", "red_2", "red_3"), 0, 0),
    ],
)
def test_r22_bonus_of_a_trick(cards: tuple[str, ...], schmidt: int, later: int) -> None:
    assert trick(*cards)[1] == schmidt
    assert trick(*cards, rules="2021")[1] == later


def test_r22_all_six_pirates_cannot_be_taken_by_one_king_of_six_players() -> None:
    assert trick("pirate", "pirate", "skull_king", "pirate", "pirate", "pirate") == (2, 150)
    assert trick("scary_mary:escape", "pirate", "pirate", "skull_king", "pirate", "pirate") == (3, 150)


def test_r22_fourteens_of_the_later_edition() -> None:
    assert trick("yellow_14", "blue_14", "red_14", "yellow_13", rules="2021") == (0, 30)
    assert trick("yellow_14", "black_14", "red_1", "blue_1", rules="2021") == (1, 30)
    assert trick("red_14", "escape", "skull_king", "pirate", rules="2021") == (2, 40)
    assert trick("red_14", "black_14", "mermaid", "skull_king", rules="2021") == (2, 70)
    assert trick("yellow_14", "blue_14", "red_14", "black_14", highest=14) == (3, 0)


def test_r22_every_bonus_is_an_option() -> None:
    given = {"mermaid_takes_king": 7, "king_takes_pirate": 3, "pirate_takes_mermaid": 5}
    assert trick("mermaid", "skull_king", "pirate", **given) == (0, 7)
    assert trick("pirate", "skull_king", "pirate", **given) == (1, 6)
    assert trick("mermaid", "pirate", "mermaid", **given) == (1, 10)


def test_r22_a_bonus_may_be_a_single_point() -> None:
    given = {"mermaid_takes_king": 1, "king_takes_pirate": 1, "pirate_takes_mermaid": 1, "fourteen": 1, "black_fourteen": 1}
    assert trick("mermaid", "skull_king", "pirate", **given) == (0, 1)
    assert trick("pirate", "skull_king", "pirate", **given) == (1, 2)
    assert trick("mermaid", "pirate", "mermaid", **given) == (1, 2)
    assert trick("yellow_14", "black_14", "red_1", highest=14, **given) == (1, 2)


def last_trick_of(hand: int, bids: list[int], won: list[int], bonus: list[int] | None = None) -> list[int]:
    """Scores of a hand of two that ends with seat 0's Skull King taking seat 1's pirate (30)."""
    game = load(players=2, pirate_takes_mermaid=50)
    given = {"phase": "play", "hand_number": hand, "bids": bids, "tricks_won": won, "bonus": bonus or [0, 0]}
    cards = ["skull_king", "pirate"]
    leader = 0 if won[0] else 1
    g = game.from_view({**given, "leader": leader, "hands": [[card] for card in cards]})
    play(game, g, f"play {cards[leader]}", f"play {cards[1 - leader]}")
    return [int(points) for points in game.payoffs(g)]


@pytest.mark.parametrize(
    ("hand", "bids", "won", "bonus", "scores"),
    [
        (4, [3, 1], [2, 1], [0, 0], [90, 20]),  # 20 x 3 + 30; 20
        (4, [3, 1], [2, 1], [50, 50], [140, 70]),  # bonuses of the whole hand
        (10, [10, 0], [9, 0], [0, 0], [230, 100]),
    ],
)
def test_r23_a_kept_bid(hand: int, bids: list[int], won: list[int], bonus: list[int], scores: list[int]) -> None:
    assert last_trick_of(hand, bids, won, bonus) == scores


@pytest.mark.parametrize(
    ("hand", "bids", "won", "bonus", "scores"),
    [
        (4, [2, 4], [2, 1], [0, 0], [-10, -30]),  # one too many, three too few: the king's 30 are lost
        (6, [1, 5], [4, 1], [50, 50], [-40, -40]),  # and so are earlier bonuses
        (6, [6, 1], [0, 5], [0, 0], [-50, -40]),
    ],
)
def test_r24_a_missed_bid(hand: int, bids: list[int], won: list[int], bonus: list[int], scores: list[int]) -> None:
    assert last_trick_of(hand, bids, won, bonus) == scores


@pytest.mark.parametrize(
    ("hand", "bids", "won", "bonus", "scores"),
    [
        (5, [5, 0], [4, 0], [0, 0], [130, 50]),
        (5, [0, 0], [1, 3], [50, 50], [-50, -50]),  # two tricks or three: the same
        (9, [0, 8], [0, 8], [0, 0], [-90, 160]),
    ],
)
def test_r25_a_bid_of_zero(hand: int, bids: list[int], won: list[int], bonus: list[int], scores: list[int]) -> None:
    assert last_trick_of(hand, bids, won, bonus) == scores


def test_pay_as_scored_pays_what_each_hand_scored() -> None:
    game = load(players=2, reward="score", pay_as_scored=True, last_hand=2)
    batch = pirate_envs.Batch(game, size=8, seed=4)
    paid, ended = np.zeros((8, 2)), 0
    while ended < 8:
        ended += batch.step(batch.random_actions())
        paid += batch.rewards
    assert paid == pytest.approx(batch.points / game.scale)
    assert (batch.points != 0).any()
