"""The door itself: what is registered, which parameters it takes, how chance comes, copies, errors."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel's set of tests runs in its own environment: make test-doors")

import pirate_envs  # noqa: E402
from pirate_envs.core.errors import IllegalActionError, MatchOverError, OptionError, UnknownGameError  # noqa: E402
from pirate_envs.doors import openspiel  # noqa: E402
from tests.outside.openspiel.small import FIVE, KUHN, ONE_HAND, SHORT, TINY, counted, engine_deals  # noqa: E402

MODES = pyspiel.GameType.ChanceMode


def started(name: str, **options: Any) -> pyspiel.State:
    """A state after its deal."""
    state = openspiel.load(name, **options).new_initial_state()
    state.apply_action(0)
    return state


def test_every_game_is_registered_by_name() -> None:
    names = {each.short_name for each in pyspiel.registered_games()}
    assert {openspiel.PREFIX + name for name in pirate_envs.games()} <= names
    assert "pirates_kuhn_poker" in names  # another distribution's
    for name in pirate_envs.games():
        game = pyspiel.load_game(openspiel.PREFIX + name)
        ours = pirate_envs.load(name)
        assert game.get_type().chance_mode == MODES.SAMPLED_STOCHASTIC
        assert game.get_type().long_name == f"{ours.title} ({ours.id})"
        assert (game.num_distinct_actions(), game.num_players()) == (ours.actions, ours.players)
        assert game.max_game_length() == ours.max_decisions
        assert (game.min_utility(), game.max_utility(), game.utility_sum()) == (-1, 1, 0)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("skull_king", {"players": 3, "rules": "2021", "highest": 13}),
        (
            "lucky_pirate",
            {"players": 5, "deck": {"1": 7, "2": 7, "parrot": 6, "plank": 7, "reverse": 7, "skip": 7}, "early_downs": True},
        ),
        ("piratenpoker", {"players": 3, "rules": "french", "reward": "score"}),
        ("piraten_kapern", {"players": 2, "deck": {"sorceress": 1, "peace": 1}}),
    ],
)
def test_options_become_parameters_and_the_other_way_round(name: str, options: dict[str, Any]) -> None:
    game, ours = openspiel.load(name, seed=5, **options), pirate_envs.load(name, **options)
    again = pyspiel.load_game(str(game))
    for each in (game, again):
        assert each.rules.longest_match(each.rules.options) == ours.max_decisions
        state = each.new_initial_state()
        state.apply_action(0)
        assert state.moment.record.tobytes() == ours.new(5).tobytes()


def test_by_a_text_too() -> None:
    game = pyspiel.load_game(f"pirates_skull_king(players=2,first_hand=2,last_hand=2,deals={FIVE})")
    assert len(game.deals) == 30
    assert game.get_type().chance_mode == MODES.EXPLICIT_STOCHASTIC
    assert game.max_chance_outcomes() == 30


def test_what_is_paid() -> None:
    for reward, utility in (("win", "ZERO_SUM"), ("margin", "ZERO_SUM"), ("score", "GENERAL_SUM")):
        game = openspiel.load("skull_king", reward=reward)
        assert game.get_type().utility == getattr(pyspiel.GameType.Utility, utility)
        assert game.max_utility() == (1 if reward == "win" else np.inf)
    state = started("kuhn_poker", reward="score", seed=1)
    assert state.returns() == [0, 0]
    for action in (1, 1):
        state.apply_action(action)
    assert state.is_terminal() and sorted(state.returns()) == [-2, 2]
    assert state.returns() == state.moment.game.payoffs(state.moment.record).tolist()


# -- chance ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "options"), TINY)
def test_explicit_deals_are_those_of_the_engine_with_their_chances(name: str, options: dict[str, Any]) -> None:
    game = openspiel.load(name, **options)
    ours = pirate_envs.load(name, **{key: value for key, value in options.items() if key != "deals"})
    expected = counted(engine_deals(ours))
    found = counted([(moment.record, chance) for moment, chance in game.deals])
    assert found.keys() == expected.keys()
    assert all(found[each] == pytest.approx(expected[each]) for each in found)
    outcomes = game.new_initial_state().chance_outcomes()
    assert sum(chance for _, chance in outcomes) == pytest.approx(1)


def test_all_deals_of_one_card_each_come_as_often_as_the_deck_has_them() -> None:
    """34 cards of 25 kinds. One of the 5 pirates meets one of the 2 mermaids in 5 x 2 of 34 x 33 deals."""
    game = openspiel.load("skull_king", players=2, last_hand=1, highest=5, deals="all")
    chances = {tuple(map(tuple, moment.game.view(moment.record)["hands"])): chance for moment, chance in game.deals}
    assert sum(chances.values()) == pytest.approx(1)
    assert chances[("pirate",), ("mermaid",)] == pytest.approx(10 / (34 * 33))
    assert chances[("pirate",), ("pirate",)] == pytest.approx(20 / (34 * 33))
    assert chances[("yellow_1",), ("skull_king",)] == pytest.approx(1 / (34 * 33))
    assert (("skull_king",), ("skull_king",)) not in chances
    assert len(chances) == 25 * 25 - (25 - 3)  # two of a kind: escapes, pirates, mermaids alone


def test_copies_of_a_card_are_counted() -> None:
    game = openspiel.load("skull_king", players=2, last_hand=1, deals="pirate pirate mermaid")
    chances = {tuple(map(tuple, moment.game.view(moment.record)["hands"])): chance for moment, chance in game.deals}
    assert chances == pytest.approx(
        {(("pirate",), ("pirate",)): 1 / 3, (("pirate",), ("mermaid",)): 1 / 3, (("mermaid",), ("pirate",)): 1 / 3}
    )


def test_sampled_matches_follow_each_other_from_a_seed() -> None:
    game, ours = openspiel.load("skull_king", seed=11), pirate_envs.load("skull_king")
    for seed in (11, 12):
        state = game.new_initial_state()
        assert state.chance_outcomes() == [(0, 1.0)]
        state.apply_action(0)
        assert state.moment.record.tobytes() == ours.new(seed).tobytes()
    unseeded = {started("skull_king").moment.record.tobytes() for _ in range(3)}
    assert len(unseeded) == 3


def test_chance_that_comes_again_is_found() -> None:
    """Guarded twice: some deals are played through when the game is loaded, and every step of every match is watched."""
    with pytest.raises(OptionError, match="draws again after its deal"):
        openspiel.load("skull_king", players=2, last_hand=2, deals="pirate mermaid escape escape")
    game = openspiel.load("skull_king", **ONE_HAND, deals=FIVE)
    state = game.new_initial_state()
    state.apply_action(0)
    longer = pirate_envs.load("skull_king", players=2, last_hand=2)
    state.moment = type(state.moment)(longer, longer.new(1))
    for action in (0, 0):
        state.apply_action(action)
    state.apply_action(state.legal_actions()[0])
    with pytest.raises(OptionError, match="draws again after its deal"):
        state.apply_action(state.legal_actions()[0])


# -- copies ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "options"), [*SHORT, *TINY])
def test_copies_go_on_alike(name: str, options: dict[str, Any]) -> None:
    """A clone, what is serialised and what is pickled: the same match, the same memories, and each its own from then on."""
    game, choices = openspiel.load(name, **options), np.random.default_rng(1)
    state = game.new_initial_state()
    while not state.is_terminal():
        copies = [state.clone(), game.deserialize_state(state.serialize()), pickle.loads(pickle.dumps(state))]
        before = str(state)
        if state.is_chance_node():
            assert [str(each) for each in copies] == [before] * 3
            state.apply_action(0)
            continue
        action = int(choices.choice(state.legal_actions()))
        state.apply_action(action)
        for each in copies:
            assert str(each) == before
            each.apply_action(action)
            assert str(each) == str(state) and each.history() == state.history()
            for seat in range(game.num_players()):
                assert each.information_state_string(seat) == state.information_state_string(seat)
    assert pickle.loads(pickle.dumps(game)).get_parameters() == game.get_parameters()


def test_observations_are_the_layouts() -> None:
    state = started("skull_king", seed=2)
    ours = state.moment.game
    for seat in range(4):
        tensor = np.array(state.observation_tensor(seat), np.float32)
        assert np.array_equal(tensor, ours.observation(state.moment.record, seat))
    game = state.get_game()
    assert game.observation_tensor_shape() == [ours.layout.size]
    observer = game.make_py_observer()
    observer.set_from(state, 1)
    assert observer.dict.keys() == {piece.name for piece in ours.layout}
    assert np.array_equal(np.concatenate([piece.ravel() for piece in observer.dict.values()]), observer.tensor)
    observer.set_from(game.new_initial_state(), 1)
    assert not observer.tensor.any()


def test_a_pickle_is_read_by_a_process_that_knows_nothing_yet(tmp_path: Path) -> None:
    for number, options in enumerate(({"seed": 3}, KUHN)):
        state = started("kuhn_poker", **options)
        file = tmp_path / f"{number}.pickle"
        file.write_bytes(pickle.dumps(state))
        code = f"import pickle; print(pickle.load(open({str(file)!r}, 'rb')).information_state_string(0))"
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == state.information_state_string(0)


# -- bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options", "error", "said"),
    [
        ("ludo", {}, UnknownGameError, "unknown game 'ludo'; there are: kuhn_poker, lucky_pirate"),
        ("skull_king", {"players": 9}, OptionError, "an integer from 2 to 6"),
        ("skull_king", {"colour": 1}, OptionError, "unknown option 'colour'; there are: players"),
        (
            "skull_king",
            {"reward": "margin", "pay_as_scored": True},
            OptionError,
            "pay_as_scored is not offered .* allowed: False",
        ),
        ("skull_king", {"seed": -2}, OptionError, "seed is -2; allowed: an integer from -1"),
        ("skull_king", {"deals": 3}, OptionError, "deals is 3; allowed: 'sampled', 'all', or names of cards"),
        ("skull_king", {"deals": "all"}, OptionError, "more than 20,000 ways to deal; use 'sampled'"),
        ("skull_king", {**ONE_HAND, "deals": "swords mermaid pirate escape"}, OptionError, "unknown card 'swords'"),
        ("skull_king", {**ONE_HAND, "deals": "mermaid pirate escape"}, OptionError, "3 cards can be dealt in 0 ways"),
        (
            "skull_king",
            {**ONE_HAND, "deals": "skull_king skull_king escape escape"},
            OptionError,
            "no skull_king is left in the deck",
        ),
        ("piraten_kapern", {"deals": "all"}, OptionError, "deals"),
        (
            "lucky_pirate",
            {"deals": "parrot 1 2 3"},
            OptionError,
            "hands of cards are not all that is dealt; allowed: 'sampled', 'all'",
        ),
        ("kuhn_poker", {"deals": "jack queen king"}, OptionError, "hands of cards are not all that is dealt"),
    ],
)
def test_bad_input_is_told(name: str, options: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        openspiel.load(name, **options)


def test_bad_parameters_are_told_by_openspiel_or_by_the_options() -> None:
    with pytest.raises(pyspiel.SpielError, match="Unknown parameter 'colour'"):
        pyspiel.load_game("pirates_skull_king", {"colour": 1})
    with pytest.raises(OptionError, match="an integer from 2 to 6"):
        pyspiel.load_game("pirates_skull_king(players=9)")
    with pytest.raises(OptionError, match="option 'deck' is 'parrot'; allowed: names with their counts"):
        pyspiel.load_game("pirates_lucky_pirate(deck=parrot)")
    with pytest.raises(OptionError, match="option 'deck' is 'parrot:\u0663'; allowed: names with their counts"):
        pyspiel.load_game("pirates_lucky_pirate", {"deck": "parrot:\u0663"})


def test_a_wrong_action_changes_nothing() -> None:
    state = started("kuhn_poker", seed=1)
    before = str(state)
    with pytest.raises(IllegalActionError, match="action 7 is not an integer from 0 to 1"):
        state.apply_action(7)
    assert str(state) == before
    fresh = openspiel.load("kuhn_poker", **KUHN).new_initial_state()
    with pytest.raises(OptionError, match="deal is 12; allowed: an integer from 0 to 11"):
        fresh.apply_action(12)
    for action in (1, 1):
        state.apply_action(action)
    with pytest.raises(MatchOverError):
        state.apply_action(0)


ASK = """
import pirate_envs
try:
    import pirate_envs.doors.openspiel
except (pirate_envs.MissingExtraError, pirate_envs.PartnerVersionError) as error:
    print(error)
"""


def test_what_is_missing_is_named() -> None:
    """Without OpenSpiel, and with one of another generation: one sentence that says what to install."""
    without = "import sys; sys.modules['pyspiel'] = None"
    older = (
        "import importlib.metadata as m; found = m.version; m.version = lambda n: '1.6.1' if n == 'open_spiel' else found(n)"
    )
    for condition, said in ((without, "needs pyspiel"), (older, "does not fit open_spiel 1.6.1")):
        code = f"{condition}\n{ASK}"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert said in done.stdout and "pip install 'pirate-envs[openspiel]'" in done.stdout


def test_the_crashing_search_is_not_handed_on() -> None:
    """OpenSpiel's compiled ISMCTS takes the process down with a Python game: the door has no name for it."""
    assert not [name for name in vars(openspiel) if "ISMCTS" in name.upper()]
