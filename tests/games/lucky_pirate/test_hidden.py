"""Lucky Pirate: what is hidden from a seat, what it is shown, and what it may think of the rest."""

from __future__ import annotations

import copy
import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest

from tests.games.lucky_pirate import referee as reference
from tests.games.lucky_pirate.story import CARDS, DECK, OPTION_SETS, OTHER, all_cards, load, play, table
from tests.games.positions import random_match


def seen_by(game: Any, g: np.record, seat: int) -> tuple[Any, ...]:
    """All that a seat is shown."""
    return game.view(g, seat), game.observation(g, seat).tobytes(), game.mask_words(g).tobytes()


def test_a_seats_own_downs_do_not_show_in_anything_it_sees() -> None:
    for first in ("4 / 5 - / {} {} - -", "/ 5 - / {} {} - -", "/ / {} {}"):
        worlds = []
        for mine, theirs in ((("1", "2"), "kraken"), (("2", "1"), "kraken"), (("kraken", "1"), "2")):
            game, g = table(first.format(*mine), f"3 / / {theirs}", "3 / / 6", pile="8", options={"early_downs": True})
            worlds.append([seen_by(game, g, seat) for seat in range(3)])
        assert worlds[0] == worlds[1] == worlds[2]
        assert worlds[0][0][0]["downs"] == [["?", "?", None, None], ["?", None, None, None], ["?", None, None, None]]


@pytest.mark.parametrize("options", OPTION_SETS)
def test_exchanging_what_is_hidden_shows_to_nobody_else(options: dict[str, Any]) -> None:
    """Downs of all seats, the unseen cards of the others' hands and the hand laid aside change places."""
    game, seen = load(**options), 0
    for i, g in enumerate(random_match(game, seed=6)):
        if i % 9 == 0 and not game.is_over(g):
            for seat in range(game.players):
                views = (shifted(game.view(g), seat, by) for by in range(1, 60))
                view = next((view for view in views if agrees(view) and view != game.view(g)), None)
                if view is None:
                    continue
                other, seen = game.from_view(view, seed=1), seen + 1
                assert seen_by(game, g, seat)[:2] == seen_by(game, other, seat)[:2]
                if seat == game.seat_to_move(g):
                    assert seen_by(game, g, seat)[2] == seen_by(game, other, seat)[2]
    assert seen > 10


def agrees(view: dict[str, Any]) -> bool:
    """Has no hand anything that its pick-ups have ruled out?"""
    hands = zip(view["hands"], view["known"], view["cannot_hold"], strict=True)
    return not any(set(ruled_out) & set(Counter(hand) - Counter(known)) for hand, known, ruled_out in hands)


def shifted(view: dict[str, Any], seat: int, by: int) -> dict[str, Any]:
    """The same position with every card that the seat does not know so many hidden places further on."""
    view = copy.deepcopy(view)
    zones = [view["aside"]]
    for owner, hand in enumerate(view["hands"]):
        if owner != seat:
            unseen = list((Counter(hand) - Counter(view["known"][owner])).elements())
            hand[:] = list(view["known"][owner])
            zones.append(unseen)
    places = [(downs, slot) for downs in view["downs"] for slot, card in enumerate(downs) if card is not None]
    cards = [card for zone in zones for card in zone] + [downs[slot] for downs, slot in places]
    by %= max(len(cards), 1)
    cards = cards[by:] + cards[:by]
    for zone in zones:
        zone[:] = [cards.pop(0) for _ in zone]
    for downs, slot in places:
        downs[slot] = cards.pop(0)
    for hand, unseen in zip([hand for owner, hand in enumerate(view["hands"]) if owner != seat], zones[1:], strict=True):
        hand[:] = sorted(hand + unseen, key=CARDS.index)
    return view


def test_cards_picked_up_are_known_until_they_are_played() -> None:
    story = game, g = table("2 4 / / 3", "3 8 8 / / 3", OTHER, pile="5 kraken")
    play(story, "pick up")
    for seat in (0, 1, 2):
        assert game.view(g, seat)["known"][0] == ["5", "kraken"]
    shown = game.view(g, 1)
    assert (shown["hands"], shown["known"][0]) == ([4, ["3", "8", "8"], 1], ["5", "kraken"])
    play(story, "play 8", "pick up", "play 5")
    assert game.view(g, 1)["known"] == [["kraken"], [], ["8"]]


def test_the_observation_shows_what_is_known_of_a_hand() -> None:
    game, g = story = table("2 4 / / 3", "3 8 8 / / 3", OTHER, pile="5 kraken")
    play(story, "pick up")
    for seat, place in ((1, 2), (2, 1)):
        known = game.layout.split(game.observation(g, seat))["cards"][place, 16:]
        assert {CARDS[kind]: count * 4 for kind, count in enumerate(known) if count} == {"5": 1, "kraken": 1}


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
def test_the_observation_shows_who_is_stuck_on_what(options: dict[str, Any]) -> None:
    """Worked out anew, card by card, from what the seat's view lists and by the referee's table."""
    game = load(**options)
    rules = reference.Options(**{name: value for name, value in options.items() if name != "players"})
    needs = [reference.OPEN, *range(1, 11), reference.LOCKED]

    def fits(card: str, need: reference.Need) -> bool:
        return reference.fits(CARDS.index(card), need, rules)

    for g in itertools.islice(random_match(game, seed=5), 0, 200, 5):
        for seat in range(game.players):
            shown, seen = game.view(g, seat), game.layout.split(game.observation(g, seat))
            for place in range(game.players):
                other = (seat + place * int(g.direction)) % game.players
                hand = shown["hands"][other]
                assert seen["seats"][place, 0] == (len(hand) if place == 0 else hand) / 16
                ups = [card for card in shown["ups"][other] if card is not None]
                in_play = (hand if place == 0 else shown["known"][other]) if hand not in (0, []) else ups
                expected = [not any(fits(card, need) for card in in_play) for need in needs]
                assert seen["stuck"][place].tolist() == expected
            assert not seen["stuck"][game.players :].any()
            unseen = [CARDS[kind] for kind, cells in enumerate(seen["unseen"]) for _ in range(round(4 * cells))]
            shares = [sum(fits(card, need) for card in unseen) / max(len(unseen), 1) for need in needs]
            assert seen["unseen_fit"].tolist() == pytest.approx(shares)


def test_of_equal_cards_the_known_one_is_thought_to_go_first() -> None:
    game, g = story = table("5 5 4 / / 3", OTHER, OTHER, known=[["5", "4"], [], []])
    play(story, "play 5")
    assert game.view(g, 1)["known"][0] == ["4"]
    assert game.view(g)["hands"][0] == ["4", "5"]


def test_a_seats_view_hides_hands_downs_and_the_third_hand() -> None:
    game = load(players=2)
    g = game.new(4)
    shown = game.view(g, 1)
    assert shown["hands"][0] == 12
    assert len(shown["hands"][1]) == 12
    assert shown["downs"] == [["?"] * 4] * 2
    assert shown["aside"] == 20
    assert shown["ups"] == game.view(g)["ups"]


# -- what a seat may think of the hidden cards -------------------------------------------------------------------------


def test_determinize_keeps_what_is_known_and_varies_the_rest() -> None:
    game = load(players=3)
    for start in random_match(game, seed=2):
        if start.decisions == 30:
            break
    told = game.view(start, 1)
    worlds = [game.view(game.determinized(start, 1, seed)) for seed in range(30)]
    for shown in worlds:
        assert shown["hands"][1] == told["hands"][1]
        assert (shown["ups"], shown["pile"], shown["cleared"]) == (told["ups"], told["pile"], told["cleared"])
        for hand, size, known in zip(shown["hands"], told["hands"], told["known"], strict=True):
            assert len(hand) == (size if isinstance(size, int) else len(size))
            assert not Counter(known) - Counter(hand)
        assert all_cards(shown) == DECK
    assert len({str(shown["downs"]) for shown in worlds}) == 30
    assert len({str(shown["downs"][1]) for shown in worlds}) > 15
