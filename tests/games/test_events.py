"""Events: what each viewer is told of a decision, in stories, and on random play of every game and option."""

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

import pirate_envs
from pirate_envs.core.events import WATCHER, meet
from pirate_envs.core.game import Game
from pirate_envs.testing import GameLawError, check_events
from tests.games.setups import setup_of, table_of
from tests.games.test_referees import any_game

TELLERS = [name for name in pirate_envs.games() if pirate_envs.load(name).telling is not None]
MATCHES, MANY = 3, 200  # 2,000 in `make test-release`


def told(game: Game, view: dict[str, Any], *actions: str, to: Any) -> list[dict[str, Any]]:
    """The events of the last of these actions, played from a view, as a viewer is told them."""
    g = game.from_view(view)
    for name in actions:
        before, action = g.copy(), game.action(g, name)
        game.apply(g, action)
    return game.events(before, action, g, to)


def names(events: list[dict[str, Any]]) -> list[str]:
    return [event["event"] for event in events]


def check_match(game: Game, seed: int, share: float) -> Counter[str]:
    """Hold a share of a random match's decisions to the laws, for every viewer; how often each event was told."""
    g, chance, seen = game.new(seed), np.random.default_rng(seed), Counter[str]()
    while not game.is_over(g):
        before, action = g.copy(), int(chance.choice(game.legal_actions(g)))
        game.apply(g, action)
        if chance.random() < share or game.is_over(g):
            for viewer in (None, WATCHER, *range(game.players)):
                check_events(game, before, action, g, viewer)
            seen.update(names(game.events(before, action, g)))
    return seen


@pytest.mark.parametrize("name", TELLERS)
def test_events_keep_their_laws_under_random_options(name: str) -> None:
    chance, seen = random.Random(0), Counter[str]()
    for seed in range(MATCHES):
        game = any_game(name, setup_of(name).random_options, chance)
        seen += check_match(game, seed, 1 / 4)
    assert seen["match_over"] == MATCHES


@pytest.mark.long
@pytest.mark.parametrize("name", TELLERS)
def test_every_event_is_told_and_keeps_its_laws(name: str) -> None:
    chance, seen = random.Random(1), Counter[str]()
    for seed in range(MANY):
        seen += check_match(any_game(name, setup_of(name).random_options, chance), seed, 1.0)
    assert set(seen) == {*pirate_envs.load(name).telling.FOLDS, "match_over"}


# -- stories -----------------------------------------------------------------------------------------------------------


def test_a_sealed_bid_is_told_to_its_bidder_alone() -> None:
    game = pirate_envs.load("skull_king", players=3)
    view = {"phase": "bid", "hand_number": 1, "hands": [["pirate"], 1, 1]}
    for viewer, tricks in ((0, 1), (1, None), (WATCHER, None), (None, 1)):
        assert told(game, view, "bid 1", to=viewer) == [{"event": "bid", "seat": 0, "tricks": tricks}]
    revealed = told(game, view, "bid 1", "bid 0", "bid 1", to=1)
    assert revealed == [{"event": "bid", "seat": 2, "tricks": None}, {"event": "bids_revealed", "bids": [1, 0, 1]}]


def test_an_open_bid_is_told_to_all() -> None:
    game = pirate_envs.load("skull_king", players=3, bidding="open")
    assert told(game, {"hand_number": 1}, "bid 1", to=2) == [{"event": "bid", "seat": 0, "tricks": 1}]


def test_a_hand_of_skull_king_ends_in_order() -> None:
    game = pirate_envs.load("skull_king", players=2)
    hands = {"phase": "play", "hand_number": 1, "bids": [0, 1], "hands": [["mermaid"], ["skull_king"]]}
    events = told(game, hands, "play mermaid", "play skull_king", to=0)
    assert names(events) == ["card_played", "trick_won", "hand_scored", "dealt"]
    card, trick, hand, deal = events
    assert card == {"event": "card_played", "seat": 1, "card": "skull_king", "shows_void": None}
    assert trick == {"event": "trick_won", "leader": 0, "cards": ["mermaid", "skull_king"], "winner": 0, "bonus": 50}
    assert hand["points"] == [-10, -10]
    assert deal["hand_number"] == 2
    assert [type(hand) for hand in deal["hands"]] == [list, int]


def test_a_turn_of_piraten_kapern_that_busts_is_told_with_the_next_card() -> None:
    game = pirate_envs.load("piraten_kapern", players=2)
    dice = ["coin", "coin", "monkey", "monkey", "parrot", "sabre", "skull", "skull"]
    events = told(game, {"card": "gold", "dice": dice}, "stop", to=1)
    assert names(events)[:2] == ["turn_ended", "card_drawn"]
    ended = {"seat": 0, "card": "gold", "dice": dice, "ended_by": "stop", "points": 400, "opponents": 0}
    assert events[0] == {"event": "turn_ended", **ended, "wins_at_once": False}
    assert (events[1]["event"], events[1]["seat"]) == ("card_drawn", 1)


def test_turns_that_nobody_could_follow_lead_to_the_end() -> None:
    """All turns of the match end at their first roll but for the first one, which is stopped."""
    game = pirate_envs.load("piraten_kapern", players=2, max_rounds=3)
    g = game.new(8991)
    before, action = g.copy(), game.action(g, "stop")
    game.apply(g, action)
    events = game.events(before, action, g, 0)
    assert names(events) == ["turns_passed", "match_over"]
    assert (events[0]["turns"], events[0]["turn_of"], events[0]["card"]) == (6, 1, "captain")
    check_events(game, before, action, g, 0)


def test_a_pile_that_three_alike_clear() -> None:
    game = pirate_envs.load("lucky_pirate", players=3)
    view = {"to_move": 0, "hands": [["4", "6"], 3, 5], "pile": ["4", "4"]}
    events = told(game, view, "play 4", to=2)
    assert names(events) == ["cards_played", "pile_cleared", "played_on"]
    assert events[1] == {"event": "pile_cleared", "seat": 0, "cards": ["4", "4", "4"]}


def test_a_last_card_turns_the_direction() -> None:
    game = pirate_envs.load("lucky_pirate", players=3)
    nothing: list[None] = [None] * len(game.view(game.new(0))["ups"][0])
    view = {"to_move": 0, "hands": [["reverse"], 3, 5], "ups": [nothing] * 3, "downs": [nothing] * 3}
    events = told(game, view, "play reverse", to=2)
    assert names(events) == ["cards_played", "direction_turned", "turn_ended", "game_won", "match_over"]


def test_the_loot_of_a_third_round_goes_to_the_highest_bid() -> None:
    game = pirate_envs.load("piratenpoker", players=3)
    view = {"round": 3, "offer": ["red_+8"], "hands": [["red_4", "red_5"], ["green_8"], 2]}
    events = told(game, view, "bid red_4 red_5", "bid green_8", "pass", to=1)
    assert names(events)[:5] == ["bid_made", "revealed", "loot_won", "cycle_started", "drew"]
    assert events[0]["bid"] is None
    assert events[1]["bids"] == [["red_4", "red_5"], ["green_8"], "pass"]
    assert events[2]["card"] == "red_+8"
    assert [type(event["cards"]) for event in events if event["event"] == "drew"] == [int, list, int]


@pytest.mark.parametrize("over", [False, True])
def test_a_round_that_nobody_can_bid_in_is_told(over: bool) -> None:
    """And is in the view after it where the match ends there."""
    game = pirate_envs.load("piratenpoker", players=3, max_cycles=1 if over else 30)
    view = {"round": 2, "phase": "below", "offer": ["red_+8", "green_+5"], "hands": [[], 0, 0], "pass_in_hand": [False] * 3}
    g = game.from_view(view)
    before, action = g.copy(), game.action(g, "below red")
    game.apply(g, action)
    check_events(game, before, action, g, None)
    events = game.events(before, action, g, None)
    ended = ["match_over"] if over else ["cycle_started"]
    assert names(events)[:4] == ["sent_below", "round_started", "loot_returned", *ended]
    assert events[1]["round"] == 3


# -- what serves all games ---------------------------------------------------------------------------------------------


def test_what_all_know_is_the_meet_of_what_each_knows() -> None:
    assert meet([[1, 2, ["a", "b"]], [1, 3, 2]]) == [1, None, 2]
    assert meet([{"bids": [1, None]}, {"bids": [None, 2]}]) == {"bids": [None, None]}
    assert meet([True, 1]) is None
    assert meet([["a"], 2]) is None


def test_a_watcher_sees_no_more_than_any_seat() -> None:
    for name in TELLERS:
        game = table_of(name, 3)
        view = game.view(game.new(4), WATCHER)
        assert view["legal"] == []
        if "hands" in view:
            assert all(isinstance(hand, int) for hand in view["hands"])


def test_a_game_that_does_not_tell_names_the_action_to_its_mover_alone() -> None:
    game = pirate_envs.load("kuhn_poker")
    g = game.new(1)
    before, mover = g.copy(), game.seat_to_move(g)
    action = game.legal_actions(g)[0]
    game.apply(g, action)
    name = game.action_name(before, action)
    assert game.events(before, action, g, mover) == [{"event": "decided", "seat": mover, "action": name}]
    assert game.events(before, action, g, 1 - mover) == [{"event": "decided", "seat": mover, "action": None}]
    with pytest.raises(TypeError, match="does not tell"):
        game.fold({}, [])


def test_an_event_that_tells_too_much_or_too_little_breaks_a_law(monkeypatch: pytest.MonkeyPatch) -> None:
    game = pirate_envs.load("skull_king", players=2)
    before, g = game.new(3), game.new(3)
    game.apply(g, 1)
    check_events(game, before, 1, g, 1)
    with monkeypatch.context() as patch:
        patch.setattr(game.telling, "is_sealed", lambda _: False)
        with pytest.raises(GameLawError, match="folding the events"):
            check_events(game, before, 1, g, 1)
    with monkeypatch.context() as patch:
        patch.setattr(game.telling, "events", lambda *_: [])
        with pytest.raises(GameLawError, match="folding the events"):
            check_events(game, before, 1, g, 0)
