"""The race of Piraten Kapern: the player that plays for the win, where points and the win part ways."""

import numpy as np
import pytest

import pirate_envs
from pirate_envs.agents import agent, agent_names
from pirate_envs.agents.arena import versus
from pirate_envs.agents.player import Decisions
from pirate_envs.core.errors import CheckpointError, OptionError, UnknownPlayerError
from pirate_envs.games.piraten_kapern.solved import any_worth as turns
from pirate_envs.games.piraten_kapern.solved import race

GAME = pirate_envs.load("piraten_kapern", players=2)


def decide(player, **view):
    g = GAME.from_view(view)
    seat = GAME.seat_to_move(g)
    records = np.array([GAME.redacted(g, seat)])
    mask, seen = GAME.action_mask(g)[None].astype(bool), GAME.observation(g, seat)[None]
    return GAME.action_name(g, int(agent(GAME, player).act(Decisions(seen, mask, np.array([0.5]), records))[0]))


def test_the_chances_rise_with_the_own_score_and_fall_with_the_others():
    """But not where the other crosses the target: to know what the last turn must bring can be worth more than a turn."""
    values, target = race.table(), turns.TARGET - turns.LOWEST
    assert (np.diff(values, axis=0) > -1e-3).all()
    for part in (values[:, :target], values[:, target:]):
        assert (np.diff(part, axis=1) < 1e-3).all()
    assert values[-1, target] > values[-1, target - 1]


def test_with_the_last_turn_who_is_behind_rolls_on():
    """1000 points lie there and 1500 are needed: for points one stops, for the win one may not."""
    position = {
        "card": "gold", "dice": ["coin"] * 4 + ["monkey", "parrot", "skull", "skull"], "to_move": 1, "turn": 9,
        "scores": [7500, 6000 - 100], "final_round": {"trigger": 0, "turns_left": 0},
    }  # fmt: skip
    assert decide("exact:turn", **position) == "stop"
    assert decide("exact:race", **position).startswith("reroll")


def test_with_the_last_turn_what_wins_is_enough():
    """Two coins are enough to be ahead at the end, however few points they are."""
    position = {
        "card": "gold", "dice": ["coin", "coin", "monkey", "monkey", "parrot", "parrot", "sabre", "sabre"], "to_move": 1,
        "turn": 9, "scores": [6000, 5900], "final_round": {"trigger": 0, "turns_left": 0},
    }  # fmt: skip
    assert decide("exact:turn", **position).startswith("reroll")
    assert decide("exact:race", **position) == "stop"


@pytest.mark.parametrize("deals", [500, pytest.param(100_000, marks=pytest.mark.long)])
def test_the_race_is_won_against_the_turn(deals):
    result = versus(GAME, agent(GAME, "exact:race"), agent(GAME, "exact:turn"), deals)
    won = result.first()["win_share"]
    assert won.high > 0.5
    if deals == 100_000:
        assert won.low > 0.5


@pytest.mark.parametrize(
    ("players", "deals"), [(4, 500), *(pytest.param(n, 50_000, marks=pytest.mark.long) for n in (3, 4, 5))]
)
def test_the_race_is_won_at_larger_tables(players, deals):
    game = pirate_envs.load("piraten_kapern", players=players)
    won = versus(game, agent(game, "exact:race"), agent(game, "exact:turn"), deals).first()["win_share"]
    assert won.high > 1 / players
    if deals == 50_000:
        assert won.low > 1 / players


def test_the_table_is_what_the_best_turn_makes_of_itself():
    room, values = turns.TurnRoom.empty(), race.table()
    for mine, other in ((0, 0), (55, 20), (20, 58), (30, 75), (-15, 119), (59, 59)):
        chances = [race.solve_turn(values, mine, other, card, room) for card in range(len(turns.WEIGHTS))]
        assert np.average(chances, weights=turns.WEIGHTS) == pytest.approx(values[mine + 20, other + 20], abs=1e-3)


def test_a_race_to_another_target_is_the_same_from_further_on():
    dice = ["coin"] * 4 + ["monkey", "parrot", "skull", "skull"]
    for behind in (100, 1000, 2500):
        names = []
        for target in (3000, 6000, 9050):
            game = pirate_envs.load("piraten_kapern", players=2, target=target)
            reached = -(-target // 100) * 100
            g = game.from_view(
                {"card": "gold", "dice": dice, "to_move": 0, "turn": 8, "scores": [reached - behind, reached - 200]}
            )
            seen, mask = game.observation(g, 0)[None], game.action_mask(g)[None].astype(bool)
            decisions = Decisions(seen, mask, np.array([0.5]), np.array([game.redacted(g, 0)]))
            names.append(game.action_name(g, int(agent(game, "exact:race").act(decisions)[0])))
        assert len(set(names)) == 1


def test_a_table_that_is_none_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "race.npy"
    monkeypatch.setattr(race, "TABLE", path)
    for content in (b"", b"not an array", None):
        if content is not None:
            path.write_bytes(content)
        else:
            np.save(path, np.full(race.SHAPE, 2.0))
        race.table.cache_clear()
        with pytest.raises(CheckpointError, match="race.npy"):
            agent(GAME, "exact:race")
    race.table.cache_clear()


@pytest.mark.parametrize(
    ("options", "named", "solved"),
    [
        ({"promo": True}, "promo", "False"),
        ({"deck": {"captain": 3, "peace": 1}}, "deck", "4 treasure_island, 4 captain"),
        ({"nine_identical": "win"}, "nine_identical", "'eight'"),
        ({"battle_island": True}, "battle_island", "False"),
        ({"battle_bust": "nothing"}, "battle_bust", "'lost'"),
        ({"sorceress_rescues": False}, "sorceress_rescues", "True"),
        ({"sorceress_alone": False}, "sorceress_alone", "True"),
        ({"peace_rolls_sabres": False}, "peace_rolls_sabres", "True"),
    ],
)
def test_rules_that_the_race_is_not_solved_for_are_refused(options, named, solved):
    game = pirate_envs.load("piraten_kapern", players=2, **options)
    with pytest.raises(OptionError, match=f"option '{named}' is .*exact:race is solved for .*{solved}"):
        agent(game, "exact:race")
    assert "exact:turn" in agent_names(game)


def test_a_deck_like_the_usual_one_is_raced_with():
    deck = dict(zip(race.exact.CARDS, turns.WEIGHTS, strict=True))
    game = pirate_envs.load("piraten_kapern", players=2, deck=deck, promo=True)
    assert agent(game, "exact:race").name in agent_names(game)


def test_another_game_has_no_race():
    with pytest.raises(UnknownPlayerError, match="skull_king"):
        agent(pirate_envs.load("skull_king"), "exact:race")
