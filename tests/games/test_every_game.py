"""The laws that every game keeps, on every game, number of players and kind of options; and that the laws can be broken."""

import dataclasses
import itertools
import re

import numpy as np
import pytest

import pirate_envs
from pirate_envs import IllegalActionError, OptionError, testing
from pirate_envs.core.layout import Layout
from pirate_envs.core.options import Options
from pirate_envs.engine import probes
from pirate_envs.testing import GameLawError, check_game, position
from tests.games.setups import seats

GAMES = pirate_envs.games()
MATCHES = 300  # of each table; as many as one likes by ``make test-release``


def tables():
    """Every game with every number of players, by every preset."""
    for name in GAMES:
        for preset in type(pirate_envs.load(name).options).PRESETS or [None]:
            for count in seats(name):
                yield name, {"players": count, **({"rules": preset} if preset else {})}


def variants():
    """Every game with one option at another of its values: every choice, the other bool, both ends of a range."""
    for name in GAMES:
        game = pirate_envs.load(name)
        for field in dataclasses.fields(game.options):
            for value in others(field):
                options = {field.name: value}
                if field.name == "pay_as_scored":
                    yield name, {**options, "reward": "score"}
                    yield name, {**options, "reward": "margin"}
                elif field.name not in ("players", "rules") and fits(game, options):
                    yield name, options


def others(field):
    if field.metadata.get("choices"):
        values = field.metadata["choices"]
    elif isinstance(field.default, bool):
        values = (not field.default,)
    else:
        values = (field.metadata.get("low"), field.metadata.get("high"))
    return [value for value in values if value not in (None, field.default)]


def fits(game, options):
    """Do the options go together, and with matches of a usual length?"""
    try:
        return game.with_options(**options).max_decisions <= 4 * game.max_decisions
    except OptionError:
        return False


def named(cases):
    return [
        pytest.param(name, options, id="-".join([name, *(f"{option}={value}" for option, value in options.items())]))
        for name, options in cases
    ]


def test_the_cases_cover_what_the_options_say():
    for name in GAMES:
        varied = {option for game_name, options in variants() if game_name == name for option in options}
        assert varied >= {field.name for field in dataclasses.fields(Options)} - {"players"}
        assert len([case for case in tables() if case[0] == name]) >= len(seats(name)) >= 1


@pytest.mark.parametrize(("name", "options"), named(tables()))
def test_the_laws_hold_at_every_table(name, options, monkeypatch):
    monkeypatch.setattr(testing, "SAMPLED_MATCHES", 2)  # there are some ninety tables and options
    check_game(pirate_envs.load(name, **options), MATCHES)


@pytest.mark.parametrize(("name", "options"), named(variants()))
def test_the_laws_hold_with_every_option(name, options, monkeypatch):
    monkeypatch.setattr(testing, "SAMPLED_MATCHES", 1)
    in_range = any(type(value) is int for value in options.values())
    check_game(pirate_envs.load(name, **options), MATCHES // 4 if in_range else MATCHES // 2, seed=10**6)


# -- the laws can be broken ----------------------------------------------------------------------------------------------


def a_game(**changes):
    return dataclasses.replace(pirate_envs.load("skull_king", players=3, last_hand=3), **changes)


def narrower(layout):
    return Layout(*(dataclasses.replace(piece, high=piece.high / 2) for piece in layout))


class Nameless:
    """A notation in which every action has the same name."""

    def __init__(self, notation):
        self.notation = notation

    def __getattr__(self, name):
        return getattr(self.notation, name)

    def action_name(self, g, action):
        return "play"


@pytest.mark.parametrize(
    ("changes", "law"),
    [
        ({"longest_match": lambda options: 20}, "ends within max_decisions"),
        ({"layout": narrower(a_game().layout)}, "within its bounds"),
        ({"actions": 70}, "ids below game.actions"),
        ({"per_seat": tuple(name for name in a_game().per_seat if name != "bids")}, "rotating the seats rotates"),
        ({"seat_valued": tuple(name for name in a_game().seat_valued if name != "leader")}, "rotating the seats rotates"),
        ({"notation": Nameless(a_game().notation)}, "distinct names"),
    ],
)
def test_a_game_that_describes_itself_wrongly_is_found_out(changes, law):
    with pytest.raises(GameLawError, match=law):
        check_game(a_game(**changes), 50)


def lets_all_be_seen(records, seats):
    records["seed"] = 0
    records["gen"] = 0


def forgets_the_own_hand(records, seats):
    probes_redact(records, seats)
    records["hands"][np.arange(len(records)), seats] = 0


def deals_nothing(records, seats, salt):
    records["gen"] = 1


def depends_on_the_clock(records, actions, points, before, rewards):
    probes_play(records, actions, points, before, rewards)
    records["last_bonus"] = next(CLOCK)


def pays_twice(records, actions, points, before, rewards):
    probes_play(records, actions, points, before, rewards)
    rewards *= 2


def shows_the_seed(records, seats, out):
    probes_observe(records, seats, out)
    out[:, 0] = records["seed"][:, 0] != 0


def leaves_a_cell_out(records, seats, out):
    probes_observe(records, seats, out)
    out[:, -1] = np.nan


CLOCK = itertools.cycle(range(100))
probes_redact, probes_play, probes_observe = probes.redact_rows, probes.play_rows, probes.observe_rows


@pytest.mark.parametrize(
    ("loop", "fault", "law"),
    [
        ("redact_rows", lets_all_be_seen, "no card is there twice|holds a card for every trick"),
        ("redact_rows", forgets_the_own_hand, "the same on its redacted record"),
        ("determinize_rows", deals_nothing, "holds a card for every trick"),
        ("play_rows", depends_on_the_clock, "from a snapshot"),
        ("play_rows", pays_twice, "adds up to the rewards"),
        ("observe_rows", shows_the_seed, "the same on its redacted record"),
        ("observe_rows", leaves_a_cell_out, "written and within its bounds"),
    ],
)
def test_a_verb_that_does_wrong_is_found_out(loop, fault, law, monkeypatch):
    monkeypatch.setattr(probes, loop, fault)
    with pytest.raises(GameLawError, match=law):
        check_game(a_game(), 50)


def test_a_games_own_laws_count():
    def conserved(records):
        return {"nobody wins a second trick": (records["tricks_won"] < 2).all(axis=1)}

    with pytest.raises(GameLawError, match="nobody wins a second trick") as error:
        check_game(a_game(laws=conserved), 50)
    found = re.search(r"match seed (\d+) after (\d+) decisions", str(error.value))
    seed, decisions = int(found[1]), int(found[2])
    g = position(a_game(), seed, decisions)  # leads back to the position named
    assert (int(g.seed[0]) | int(g.seed[1]) << 32, int(g.decisions)) == (seed, decisions)
    assert max(g.tricks_won) >= 2


@pytest.mark.parametrize("name", GAMES)
def test_what_is_no_action_and_no_rule_player_is_told(name):
    game = pirate_envs.load(name)
    g = game.new(seed=1)
    for action in (-1, game.actions, 10**400, 0.5, "0", None, True, [0]):
        with pytest.raises(IllegalActionError, match=f"not an integer from 0 to {game.actions - 1}"):
            game.action_name(g, action)
    for text in (None, 3, [], "no action"):
        with pytest.raises(IllegalActionError):
            game.action(g, text)
    for player in (99, len(game.rule_players), -2, 0.5, True, "nobody", None):
        with pytest.raises(OptionError):
            game.rule_action(g, player)
    if game.rule_players:
        assert game.rule_action(g) == game.rule_action(g, len(game.rule_players) - 1)
