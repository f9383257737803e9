"""Lucky Pirate: views and actions in names, and views that become records again."""

from __future__ import annotations

from typing import Any

import pytest

from pirate_envs.core.errors import IllegalActionError
from tests.games.lucky_pirate.story import DECK, OPTION_SETS, OTHER, all_cards, load, table
from tests.games.positions import check_seats_views_become_worlds, check_views_give_records_back


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


def test_ids_are_made_as_the_manual_says() -> None:
    game = load()
    g, formula = game.new(1), "3 * kind + m - 1"
    kinds = ["1", "2", "3", "4", "5", "6", "mermaid", "8", "captain", "kraken", "first_mate", "porthole", "parrot", "plank"]
    assert f"{formula} plays m cards of a kind ({', '.join(kinds).replace('_', ' ')}" in " ".join(game.manual.split())
    for kind, name in enumerate([*kinds, "reverse", "skip"]):
        for m in (1, 2, 3):
            assert game.action(g, "play " + " ".join([name] * m)) == eval(formula, {"kind": kind, "m": m})
