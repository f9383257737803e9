"""Lucky Pirate: its rule players."""

from __future__ import annotations

import random
from typing import Any

import pytest

from pirate_envs.games.lucky_pirate.players.weighs_odds import step_after
from tests.games.lucky_pirate.story import CARDS, OPTION_SETS, OTHER, load, play, table
from tests.games.positions import random_match


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
