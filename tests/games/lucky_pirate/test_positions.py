"""Lucky Pirate: its options, what is hidden, the notation of positions, and its rule players."""

from __future__ import annotations

import copy
import itertools
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from pirate_envs.core.errors import IllegalActionError, OptionError, PositionError
from pirate_envs.games.lucky_pirate.heuristics import step_after
from pirate_envs.games.lucky_pirate.view import ACTION_NAMES
from tests.games.lucky_pirate import referee as reference
from tests.games.lucky_pirate.test_rules import CARDS, DECK, OTHER, all_cards, load, play, position, table
from tests.games.positions import check_seats_views_become_worlds, check_views_give_records_back, differing, random_match

OPTION_SETS: list[dict[str, Any]] = [
    {},
    {"players": 2},
    {"players": 3, "early_downs": True, "parrot_again": True, "wins_needed": 2, "max_turns": 60},
    {"players": 5, "captain_on_captain": False, "clear_again": False, "first_mate": "anywhere", "reverse_skip": "open"},
    {
        "players": 4,
        "several_reverses": "all",
        "clear_again": False,
        "parrot_again": True,
        "deck": dict.fromkeys(CARDS, 3) | {"reverse": 7},
    },
    {"players": 6, "deck": dict.fromkeys(CARDS, 3) | {"4": 7}},
]


# -- options -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 1}, "players"),
        ({"players": 7}, "players"),
        ({"max_turns": 0}, "max_turns"),
        ({"wins_needed": 0}, "wins_needed"),
        ({"first_mate": "never"}, "first_mate"),
        ({"reverse_skip": "captain"}, "reverse_skip"),
        ({"several_reverses": "one"}, "several_reverses"),
        ({"early_downs": 1}, "early_downs"),
        ({"deck": {"shark": 4}}, "shark"),
        ({"deck": {"4": -1}}, "deck"),
        ({"deck": {"4": 8}}, "deck"),
        ({"deck": {"4": 1.5}}, "deck"),
        ({"deck": {"4": True}}, "deck"),
        ({"deck": ["4", "4"]}, "deck"),
        ({"deck": {}}, "deck"),
        ({"deck": {"4": 7, "5": 7, "6": 7}}, "21 cards"),
        ({"shark": True}, "shark"),
        ({"pay_as_scored": True}, "pay_as_scored"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        load(**options)


@pytest.mark.parametrize(("players", "cards"), [(2, 27), (3, 27), (4, 28), (5, 25), (6, 30)])
def test_the_smallest_deck_leaves_a_card_for_every_hand(players: int, cards: int) -> None:
    deck = dict.fromkeys(CARDS[:5], 5) | {"8": cards - 25}
    game = load(players=players, deck=deck)
    assert [len(hand) for hand in game.view(game.new(1))["hands"]] == [1] * players
    with pytest.raises(OptionError, match=f"deck.*{cards - 1} cards"):
        load(players=players, deck=deck | {"1": 4})


def test_r19_several_reverses_is_kept_in_the_record_but_not_observed() -> None:
    pairs, every = load(), load(several_reverses="all")
    g, other = pairs.new(5), every.new(5)
    assert (g.several_reverses, other.several_reverses) == (0, 1)
    other.several_reverses = 0
    assert g.tobytes() == other.tobytes()
    other.several_reverses = 1
    for seat in range(4):
        assert np.array_equal(pairs.observation(g, seat), every.observation(other, seat))


# -- what is hidden ----------------------------------------------------------------------------------------------------


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
    game = load(**options)
    for i, g in enumerate(random_match(game, seed=6)):
        if i % 9 == 0 and not game.is_over(g):
            for seat in range(game.players):
                other = game.from_view(shifted(game.view(g), seat), seed=1)
                assert seen_by(game, g, seat)[:2] == seen_by(game, other, seat)[:2]
                if seat == game.seat_to_move(g):
                    assert seen_by(game, g, seat)[2] == seen_by(game, other, seat)[2]


def shifted(view: dict[str, Any], seat: int) -> dict[str, Any]:
    """The same position with every card that the seat does not know one hidden place further on."""
    view = copy.deepcopy(view)
    zones = [view["aside"]]
    for owner, hand in enumerate(view["hands"]):
        if owner != seat:
            unseen = list((Counter(hand) - Counter(view["known"][owner])).elements())
            hand[:] = list(view["known"][owner])
            zones.append(unseen)
    places = [(downs, slot) for downs in view["downs"] for slot, card in enumerate(downs) if card is not None]
    cards = [card for zone in zones for card in zone] + [downs[slot] for downs, slot in places]
    cards = cards[1:] + cards[:1]
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


# -- notation ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", OPTION_SETS)
def test_a_view_gives_the_record_back(options: dict[str, Any]) -> None:
    check_views_give_records_back(load(**options), every=7)


@pytest.mark.parametrize("options", OPTION_SETS)
def test_a_seats_view_becomes_a_world_that_agrees_with_it(options: dict[str, Any]) -> None:
    game = load(**options)
    for g, world in check_seats_views_become_worlds(game, every=11):
        assert all_cards(game.view(world)) == all_cards(game.view(g))


def test_the_shortest_view_is_the_start_of_a_match() -> None:
    game = load()
    shown = game.view(game.from_view({}, seed=3))
    assert [len(hand) for hand in shown["hands"]] == [9] * 4
    assert (shown["pile"], shown["wins"], shown["phase"]) == ([], [0] * 4, "hand")
    assert all_cards(shown) == DECK


def test_left_out_cards_are_dealt_by_the_seed() -> None:
    game = load()
    given = {"hands": [["captain"], 3, 5, 5], "pile": ["4", "4"]}
    worlds = [game.view(game.from_view(given, seed=seed)) for seed in range(5)]
    for shown in worlds:
        assert shown["hands"][0] == ["captain"]
        assert [len(hand) for hand in shown["hands"]] == [1, 3, 5, 5]
        assert (shown["pile"], shown["need"], shown["run"]) == (["4", "4"], 4, [4, 2])
        assert all_cards(shown) == DECK
    assert len({str(shown["hands"]) for shown in worlds}) == 5
    assert worlds[2] == game.view(game.from_view(given, seed=2))


def test_phases_are_the_zones_in_play() -> None:
    for seat, phase in (("4 / 5 / 6", "hand"), ("/ 5 / 6", "ups"), ("/ / 6", "downs")):
        game, g = table(seat, OTHER)
        assert game.view(g)["phase"] == phase


START = position("4 5 / 6 8 / 1 2", OTHER, "3 / / 3", pile="4")


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("flag", {"flag": 1}),
        ("game", {"game": "lucky_pirate-v9"}),
        ("options", {"options": {"players": 4}}),
        ("phase", {"phase": "sleep"}),
        ("phase", {"phase": "downs"}),
        ("to_move", {"to_move": 3}),
        ("to_move", {"to_move": True}),
        ("pile", {"pile": ["7"]}),
        ("pile", {"pile": "4"}),
        ("pile", {"pile": ["4", "4", "4"]}),
        ("pile", {"pile": ["plank"]}),
        ("pile", {"pile": ["skip"] * 4}),
        ("need", {"need": 5}),
        ("need", {"need": "open"}),
        ("run", {"run": [4, 2]}),
        ("run", {"run": "4"}),
        ("direction", {"direction": 0}),
        ("hands", {"hands": [["4", "5"], ["2"]]}),
        ("hands", {"hands": [["4", "shark"], ["2"], ["3"]]}),
        ("hands", {"hands": [["4"] * 5, ["2"], ["3"]]}),
        ("hands", {"hands": "4 5"}),
        ("hands", {"hands": [99, 1, 1]}),
        ("known", {"known": [["6"], [], []]}),
        ("known", {"known": [["4"], []]}),
        ("ups", {"ups": [["6", "8"], []]}),
        ("ups", {"ups": [["6", "8", "1", "1", "2"], [], []]}),
        ("ups", {"ups": [["6", "shark", None, None], [None] * 4, [None] * 4]}),
        ("ups", {"downs": [["1", "2", "3", None], [], []]}),
        ("downs", {"downs": [["1", "2", "3", "3", "5"], [], []]}),
        ("downs", {"downs": [["2"] * 4, ["2"], []]}),
        ("downs", {"downs": [["1", 5, None, None], [None] * 4, [None] * 4]}),
        ("aside", {"aside": ["4"]}),
        ("cleared", {"cleared": ["4"] * 4}),
        ("cleared", {"cleared": ["shark"]}),
        ("after_parrot", {"after_parrot": True}),
        ("turn", {"turn": -1}),
        ("turn", {"turn": 1000}),
        ("game_number", {"game_number": 2}),
        ("dealer", {"dealer": 3}),
        ("wins", {"wins": [1, 0, 0]}),
        ("wins", {"wins": [0, 0]}),
        ("last_plays", {"last_plays": [None, None]}),
        ("last_plays", {"last_plays": [{"action": "sing", "flipped": None, "result": "played"}, None, None]}),
        ("scores", {"scores": [1, 0, 0]}),
        ("over", {"over": 1}),
        ("truncated", {"truncated": True}),
        ("wins", {"over": True}),
        ("hands", {"over": True, "wins": [1, 0, 0]}),
        ("hands", {"hands": [[], ["2"], ["3"]], "ups": [[], [], []], "downs": [[], ["1"], ["3"]]}),
    ],
)
def test_positions_that_cannot_be_name_the_field(field: str, given: dict[str, Any]) -> None:
    with pytest.raises(PositionError, match=f"^{field}: "):
        load(players=3).from_view({**START, **given})


NONSENSE: list[Any] = [
    -1, 99, 1.5, True, "", "4", [], {}, [None], [[]] * 3, ["4"], [1, 1, 1], [-1, 0, 0], [99] * 3, ["x"] * 3,
    [["4"]] * 3, [{}, {}, {}], [["?"] * 4] * 3, [[None] * 4] * 3, {"action": "stop"}, 10**30,
]  # fmt: skip


@pytest.mark.parametrize(
    "field",
    ["game", "options", "phase", "to_move", "scores", "over", "pile", "need", "run", "direction", "hands", "known", "ups",
     "downs", "aside", "cleared", "after_parrot", "turn", "game_number", "dealer", "wins", "last_plays", "truncated",
     "decisions"],
)  # fmt: skip
def test_nonsense_in_any_field_is_an_error_or_a_position_that_can_be_played(field: str) -> None:
    game, refused = load(players=3, max_turns=50), 0
    middle = list(random_match(game, seed=1))[20]
    for base in ({}, START, game.view(middle)):
        for value in NONSENSE:
            try:
                g = game.from_view({**base, field: value})
            except PositionError:
                refused += 1
            else:
                while not game.is_over(g):
                    game.apply(g, game.legal_actions(g)[-1])
    assert refused >= 2 * len(NONSENSE)


def told(action: str, result: str, flipped: str | None = None, seat: int = 1, **more: Any) -> dict[str, Any]:
    """What to add to a view of three seats, of which one has played last."""
    play = {"action": action, "flipped": flipped, "result": result}
    return {"last_plays": [play if other == seat else None for other in range(3)], **more}


FLIPPED = {"hands": [["4", "5"], [], ["3"]], "downs": [["1", "2", "?", "?"], [None, "1"], ["3"]]}
PICKED = {"hands": [["4", "5"], ["2", "6"], ["3"]], "known": [[], ["6"], []]}
STOPS = {"players": 3, "parrot_again": True}


@pytest.mark.parametrize(
    ("given", "options"),
    [
        (told("play 4", "played"), {}),
        (told("play 4 4", "played"), {}),
        (told("play 5", "played"), {}),  # cleared since
        (told("play kraken kraken kraken", "cleared", seat=0, pile=[]), {}),
        (told("play plank", "cleared"), {"clear_again": False}),
        (told("flip 0", "played", "8", **FLIPPED), {}),
        (told("flip 0", "picked up", "1", **FLIPPED, known=[[], ["1", "6"], []]) | {"hands": [1, 2, 1]}, {}),
        (told("pick up", "picked up", **PICKED), {}),
        (told("stop", "stopped"), STOPS),
        (told("play parrot", "played", seat=0, pile=["4", "parrot"], after_parrot=True), STOPS),
        (told("play 4", "played", turn=1, decisions=1), {}),
        (told("play 8 8", "played", wins=[1, 0, 0]), {"wins_needed": 2}),  # in the game before this one
        (told("pick up", "picked up", wins=[1, 0, 0]), {"wins_needed": 2}),
    ],
)
def test_last_plays_that_agree_with_the_rest_come_back(given: dict[str, Any], options: dict[str, Any]) -> None:
    game = load(**{"players": 3, **options})
    shown = game.view(game.from_view({**START, **given}, seed=4))
    assert shown["last_plays"] == given["last_plays"]
    assert game.view(game.from_view(shown)) == shown
    assert all_cards(shown) == DECK


@pytest.mark.parametrize(
    ("given", "options"),
    [
        (told("play plank", "played"), {}),  # results that these cards cannot have
        (told("play 4 4 4", "played"), {}),
        (told("play skip", "cleared"), {}),
        (told("play 4", "picked up"), {}),
        (told("pick up", "played"), {}),
        (told("stop", "stopped"), {}),
        (told("play captain", "cleared"), {"captain_on_captain": False}),
        (told("flip 0", "picked up", "porthole", **FLIPPED, known=[[], ["porthole", "5"], []]) | {"hands": [1, 2, 1]}, {}),
        (told("flip 0", "picked up", "kraken", **FLIPPED, known=[[], ["kraken", "6"], []]) | {"hands": [1, 2, 1]}, {}),
        (told("flip 0", "picked up", "8", **FLIPPED, known=[[], ["8", "6"], []]) | {"hands": [1, 2, 1]}, {}),
        (told("play 1 1 1", "cleared", seat=0, pile=[]), {}),  # two of the four lie face down, all seen
        (told("play 8 8", "played", ups=[["8", "8", "8", None], [], []]), {}),
        (told("play 2 2", "played"), {"deck": dict.fromkeys(CARDS, 4) | {"2": 1}}),
        (told("play 5", "played", pile=["4"], cleared=["6"] * 3), {}),
        (told("pick up", "picked up"), {}),  # places that do not agree
        (told("pick up", "picked up", **PICKED | {"known": [[], [], []]}), {}),
        (told("pick up", "picked up", hands=[1, ["skip", "2"], 1], known=[[], ["skip"], []]), {}),
        (told("flip 0", "played", "8"), {}),
        (told("flip 1", "played", "8", **FLIPPED), {}),
        (told("flip 0", "played", "8", **FLIPPED | {"hands": [1, 1, 1]}), {}),
        (told("flip 3", "played", "8"), {"players": 4}),
        (told("play 4", "played", turn=0), {}),  # turns that do not agree
        (told("play plank", "cleared"), {}),
        (told("play plank", "cleared", seat=0), {}),
        (told("play parrot", "played"), STOPS),
        (told("play parrot", "played", seat=0, pile=["4", "parrot"]), STOPS),
        (told("play 4", "played", seat=0, pile=["4", "parrot"], after_parrot=True), STOPS),
        ({"last_plays": [None, *told("play plank plank", "cleared")["last_plays"][1:2] * 2]}, {"clear_again": False}),
        ({"last_plays": told("play 4", "played")["last_plays"][1:2] * 3}, {"max_turns": 3}),
        (told("play plank", "cleared", seat=0, pile=[], turn=2, decisions=2), {}),
    ],
)  # fmt: skip
def test_last_plays_that_cannot_be_are_refused(given: dict[str, Any], options: dict[str, Any]) -> None:
    game = load(**{"players": 3, **options})
    start = {**START, **given}
    if game.players == 4:
        start = {"last_plays": [*given["last_plays"], None]}
    with pytest.raises(PositionError, match="^last_plays: "):
        game.from_view(start)


def test_fewer_decisions_than_turns_are_refused() -> None:
    for given in ({"turn": 7, "decisions": 6}, {"turn": 7, "wins": [1, 0, 0], "decisions": 7}):
        with pytest.raises(PositionError, match="^decisions: "):
            load(players=3, wins_needed=2).from_view({**START, **given})


@pytest.mark.parametrize("options", OPTION_SETS)
def test_any_last_play_is_refused_or_comes_back(options: dict[str, Any]) -> None:
    game, chance, accepted, refused = load(**options), random.Random(6), 0, 0
    for g in itertools.islice(random_match(game, seed=8), 10, 160, 5):
        shown = game.view(g)
        for _ in range(6):
            action = chance.choice(ACTION_NAMES)
            flipped = chance.choice(CARDS) if action.startswith("flip") else None
            result = chance.choice(["played", "cleared", "picked up", "stopped"])
            plays = list(shown["last_plays"])
            plays[chance.randrange(game.players)] = {"action": action, "flipped": flipped, "result": result}
            changed = {**shown, "last_plays": plays}
            try:
                world = game.from_view(changed)
            except PositionError:
                refused += 1
            else:
                assert game.view(world) == changed
                accepted += 1
    assert refused > accepted


def mutations(value: Any, chance: random.Random) -> Any:
    """The value with something odd in it, at any depth."""
    if isinstance(value, dict | list) and value and chance.random() < 0.8:
        changed = copy.copy(value)
        key = chance.choice(list(value) if isinstance(value, dict) else range(len(value)))
        changed[key] = mutations(value[key], chance)
        return changed
    return chance.choice([
        None, [], {}, "", "?", "4", -1, 0, 1, 3, 200, 10**30, -(10**5000), 2.5, float("nan"), True, [None], [[[[[[]]]]]],
        ["4"] * 200, {"action": "stop"}, {1: 2}, {10**5000: 1}, np.array([]), np.array([1, 2]), np.array("4"),
        np.arange(6).reshape(2, 3), np.int64(1), np.int8(-1), np.float32(1), np.bool_(True), np.str_("4"), b"4", 1j, {4},
        range(3), object(), print, np.zeros(1, [("x", np.int8)])[0],
    ])  # fmt: skip


@pytest.mark.parametrize("options", OPTION_SETS)
def test_whatever_a_view_holds_it_is_refused_or_can_be_played(options: dict[str, Any]) -> None:
    game, chance, refused = load(**options), random.Random(7), 0
    for g in itertools.islice(random_match(game, seed=9), 5, 200, 20):
        shown = game.view(g, chance.choice([None, *range(game.players)]))
        for field in shown:
            if field in ("game", "options", "legal"):
                continue
            for _ in range(8):
                try:
                    world = game.from_view({**shown, field: mutations(shown[field], chance)})
                except PositionError:
                    refused += 1
                else:
                    assert game.is_over(world) or game.legal_actions(world)
    assert refused > 200


def test_positions_set_up_and_played_on_come_back() -> None:
    chance = random.Random(8)
    for options in OPTION_SETS:
        game = load(**options)
        for start in itertools.islice(random_match(game, seed=10), 3, 90, 15):
            shown = game.view(start, chance.randrange(game.players))
            kept = {key: value for key, value in shown.items() if chance.random() < 0.5 and key not in ("known", "last_plays")}
            try:
                g = game.from_view(kept, seed=3)
            except PositionError:
                continue
            while not game.is_over(g) and g.turn < 40:
                assert differing(g, game.from_view(game.view(g))) == []
                game.apply(g, chance.choice(game.legal_actions(g)))


def test_action_names() -> None:
    game = load()
    g = game.new(0)
    names = [game.action_name(g, action) for action in range(game.actions)]
    assert len(set(names)) == game.actions == 54
    assert [names[i] for i in (0, 2, 18, 21, 26, 47, 48, 51, 52, 53)] == [
        "play 1", "play 1 1 1", "play mermaid", "play 8", "play captain captain captain", "play skip skip skip",
        "flip 0", "flip 3", "pick up", "stop",
    ]  # fmt: skip
    assert [game.action(g, name) for name in names] == list(range(game.actions))
    for name in ("play 7", "play 1 2", "play 1 1 1 1", "flip 4", "flip", "play", "pick", "1", ""):
        with pytest.raises(IllegalActionError, match="names no action"):
            game.action(g, name)


def test_illegal_actions_change_nothing() -> None:
    game, g = table("4 5 / / 3", OTHER, OTHER, pile="6")
    before = g.copy()
    for name in ("play 4", "play 6", "flip 0", "stop"):
        with pytest.raises(IllegalActionError):
            game.apply(g, game.action(g, name))
    assert g.tobytes() == before.tobytes()


def test_render_hides_what_a_seat_cannot_know() -> None:
    game, g = table("kraken 5 / mermaid - / plank skip", "porthole / / first_mate", "captain / / 3", pile="4 4")
    text = game.render(g, 0)
    assert "kraken" in text
    assert "mermaid" in text
    for hidden in ("porthole", "captain", "plank", "skip", "first_mate"):
        assert hidden not in text.split("legal")[0]


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


# -- rule players ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", OPTION_SETS)
def test_rule_players_are_legal_and_blind_to_what_is_hidden(options: dict[str, Any]) -> None:
    game = load(**options)
    for i, g in enumerate(random_match(game, seed=21)):
        if game.is_over(g):
            break
        for player in game.rule_players:
            action = game.rule_action(g, player)
            assert action in game.legal_actions(g)
            if i % 5 == 0:
                assert action == game.rule_action(game.redacted(g, game.seat_to_move(g)), player)


@pytest.mark.parametrize(
    ("seat", "pile", "choice"),
    [
        ("5 5 8 / / 3", "4", "play 5 5"),
        ("5 5 8 / / 3", "6", "play 8"),
        ("5 5 5 5 / / 3", "", "play 5 5 5"),
        ("5 skip / / 3", "6", "play skip"),
        ("5 4 / / 3", "6", "pick up"),
        ("/ 8 6 6 / 3", "5", "play 6 6"),
        ("/ / - 3 3", "5", "flip 1"),
    ],
)
def test_greedy_plays_the_lowest_card_as_often_as_it_can(seat: str, pile: str, choice: str) -> None:
    game, g = table(seat, OTHER, OTHER, pile=pile)
    assert game.action_name(g, game.rule_action(g, "greedy")) == choice


@pytest.mark.parametrize("several", ["pairs", "all"])
@pytest.mark.parametrize("direction", [1, -1])
def test_r19_rule_players_foresee_the_direction(several: str, direction: int) -> None:
    reverse = CARDS.index("reverse")
    for copies in (1, 2, 3):
        hand = " ".join(["reverse"] * copies)
        game, g = story = table(
            f"{hand} 3 / / 3", OTHER, OTHER, pile="5", direction=direction, options={"several_reverses": several}
        )
        assert game.rule_action(g, "greedy") == game.action(g, f"play {hand}")
        foreseen = step_after(g, reverse, copies)
        assert play(story, f"play {hand}")["direction"] == foreseen


@pytest.mark.parametrize("several", ["pairs", "all"])
def test_r19_weighs_odds_sends_the_turn_to_whom_it_hurts(several: str) -> None:
    """The right must pick up (its hand is known), the left is about to win and all know that it can."""
    seats = ("reverse reverse reverse 5 / / 3", "kraken / / 1", "2 2 3 / / 1")
    known = [[], ["kraken"], ["2", "2", "3"]]
    for direction in (1, -1):
        game, g = table(*seats, pile="8", direction=direction, known=known, options={"several_reverses": several})
        game.apply(g, game.rule_action(g, "weighs_odds"))
        assert (game.seat_to_move(g), g.direction) == (2, -1)


@pytest.mark.parametrize("pile", ["", "3", "3 skip", "4"])
def test_every_rule_player_plays_its_last_cards_and_wins(pile: str) -> None:
    game, g = table("4 4 / /", OTHER, "/ 6 / 3 3 3 5", pile=pile)
    for player in game.rule_players:
        assert game.action_name(g, game.rule_action(g, player)) == "play 4 4"


def win_share(one: str, others: str | None, matches: int) -> float:
    """Share of the matches that `one` wins against three of `others` (None: uniform-legal), every seat in turn."""
    game, chance, won = load(), random.Random(1), 0
    for match in range(matches):
        g = game.new(match // 4)
        while not game.is_over(g):
            player = one if game.seat_to_move(g) == match % 4 else others
            game.apply(g, game.rule_action(g, player) if player else chance.choice(game.legal_actions(g)))
        won += game.winners(g) == [match % 4]
    return won / matches


def test_rule_players_are_in_order_of_strength() -> None:
    assert win_share("greedy", None, 80) > 0.4  # a quarter is equal
    assert win_share("weighs_odds", "greedy", 400) > 0.26  # 0.3 over many
