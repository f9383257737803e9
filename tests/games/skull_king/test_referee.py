"""The referee of Skull King alone, against numbers worked out by hand from the rules."""

import random
from typing import Any

import pytest

from tests.games.skull_king import referee as sk

# Skull King: tricks


def card(name: str) -> int:
    """Read Y7, B13, R1 or K2 (black), or a special: esc, pir, mer, king, mary, mesc."""
    specials = {"esc": 56, "pir": 57, "mer": 58, "king": 59, "mary": 60, "mesc": 61}
    return specials[name] if name in specials else sk.number("YBRK".index(name[0]), int(name[1:]))


def cards(names: str) -> list[int]:
    return [card(name) for name in names.split()]


DEFAULT = sk.Options()
LATER = sk.Options(**sk.RULES_2021)


@pytest.mark.parametrize(
    ("trick", "winner", "bonus", "bonus_2021"),
    [
        ("Y2 Y12 B13 K1", 3, 0, 0),  # the rulebook's example
        ("Y2 Y12 B13 R13", 1, 0, 0),
        ("K1 Y13 K9 B13", 2, 0, 0),
        ("esc Y3 B9 Y5", 3, 0, 0),
        ("esc mesc esc", 0, 0, 0),
        ("mesc esc R1", 2, 0, 0),
        ("K13 mer mer pir", 3, 0, 40),
        ("K13 mer mer esc", 1, 0, 0),
        ("mary pir", 0, 0, 0),
        ("pir mary", 0, 0, 0),
        ("pir king pir mary", 1, 90, 90),
        ("king mesc pir", 0, 60, 30),
        ("king mesc K13", 0, 30, 0),
        ("king pir mer mary mer", 2, 50, 40),
        ("mer king", 0, 50, 40),
        ("Y14 Y2 K14 R14", 2, 0, 40),
        ("pir mer Y14", 0, 0, 30),
        ("king Y1 K13", 0, 0, 0),
    ],
)
def test_tricks(trick: str, winner: int, bonus: int, bonus_2021: int) -> None:
    assert sk.winning_card(cards(trick)) == winner
    assert sk.trick_bonus(cards(trick), DEFAULT) == bonus
    assert sk.trick_bonus(cards(trick), LATER) == bonus_2021


@pytest.mark.parametrize(
    ("trick", "led", "led_2021"),
    [
        ("", None, None),
        ("esc", None, None),
        ("pir B4", 1, None),
        ("mary R4", 2, None),
        ("mer king Y1", 0, None),
        ("mesc Y4 B2", 0, 0),
        ("esc pir K4 B2", 3, 3),
    ],
)
def test_led_suit(trick: str, led: int | None, led_2021: int | None) -> None:
    assert sk.led_suit(cards(trick)) == led
    assert sk.led_suit(cards(trick), character_lead_frees=True) == led_2021


def test_following_suit_forbids_black_but_not_specials() -> None:
    hand = cards("Y3 B2 K1 esc king")
    assert sk.playable(hand, 0) == cards("Y3 esc king")
    assert sk.playable(hand, 3) == cards("K1 esc king")
    assert sk.playable(hand, 2) == hand
    assert sk.playable(hand, None) == hand


@pytest.mark.parametrize(
    ("n", "bid", "won", "bonus", "score"),
    [
        (4, 3, 3, 0, 60),
        (6, 5, 1, 0, -40),
        (4, 0, 0, 0, 40),
        (9, 0, 2, 0, -90),
        (9, 0, 2, 150, -90),
        (2, 1, 1, 90, 110),
        (2, 1, 2, 90, -10),
    ],
)
def test_hand_scores(n: int, bid: int, won: int, bonus: int, score: int) -> None:
    assert sk.hand_score(n, bid, won, bonus) == score


# Skull King: matches


def test_decks() -> None:
    assert len(sk.full_deck(13)) == 66
    assert len(sk.full_deck(14)) == 70
    assert sk.full_deck(5)[-14:] == [56] * 5 + [57] * 5 + [58] * 2 + [59, 60]


def test_a_hand_by_hand() -> None:
    game = sk.SkullKing(1, players=3, first_hand=2, last_hand=2)
    game.hands = [cards("Y5 mary"), cards("Y9 king"), cards("Y2 B3")]
    for bid in (1, 1, 0):
        assert game.legal() == [0, 1, 2]
        game.apply(bid)
    assert game.legal() == [11 + 4, 71, 72]
    game.apply(72)  # Scary Mary as an escape
    assert game.hands[0] == cards("Y5")
    game.apply(11 + card("king"))
    assert game.snapshot()["trick"] == [61, 59]
    assert game.legal() == [11 + card("Y2"), 11 + card("B3")]
    game.apply(11 + card("B3"))
    assert (game.leader, game.to_move, game.bonus) == (1, 1, [0, 30, 0])
    for name in ("Y9", "Y2", "Y5"):
        game.apply(11 + card(name))
    assert game.over
    assert game.legal() == []
    assert game.tricks_won == [0, 2, 0]
    assert game.scores == [-10, -10, 20]
    with pytest.raises(ValueError, match="not legal"):
        game.apply(11)


def test_the_first_leader_moves_on_and_bids_begin_there() -> None:
    game = sk.SkullKing(5, players=2, first_hand=1, last_hand=3)
    leaders = []
    while not game.over:
        if game.bids == [-1, -1]:
            leaders.append((game.hand_number, game.leader, game.to_move))
        game.apply(game.legal()[0])
    assert leaders == [(1, 0, 0), (2, 1, 1), (3, 0, 0)]


@pytest.mark.parametrize("players", [2, 4, 6])
@pytest.mark.parametrize("options", [{}, sk.RULES_2021, {"last_hand": 3, "highest": 5}])
def test_random_matches_of_skull_king(players: int, options: dict[str, Any]) -> None:
    rng = random.Random(players)
    game = sk.SkullKing(rng.getrandbits(64), players, **options)
    steps = 0
    while not game.over:
        game.apply(rng.choice(game.legal()))
        steps += 1
        played = sum(game.tricks_won) * players + len(game.trick)
        assert sum(map(len, game.hands)) + played == game.hand_number * players
    hands = game.options.last_hand
    assert steps == players * (hands + hands * (hands + 1) // 2)
    assert sum(game.tricks_won) == hands


def test_skull_king_refuses_bad_options() -> None:
    bad: list[dict[str, Any]]
    bad = [{"players": 7}, {"highest": 4}, {"first_hand": 0}, {"bidding": "loud"}]
    for options in bad:
        with pytest.raises(ValueError, match="is|are"):
            sk.SkullKing(0, **options)
    with pytest.raises(ValueError, match="too small"):
        sk.SkullKing(0, players=6, highest=5)
