"""Players' names: one grammar, read in one place, that says what is wrong with a name and what there is."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import pirate_envs
from pirate_envs import Game
from pirate_envs.agents import Decisions, agent, agent_names
from pirate_envs.agents.names import USAGE, earlier_policies, identity, levels, meanings, models_of, strongest_name
from pirate_envs.agents.search import SearchName, parse, settings_of
from pirate_envs.core.errors import BatchError, CheckpointError, UnknownPlayerError
from pirate_envs.search.tree import TO_MATCH_END, UNIFORM

GAMES = pirate_envs.games()
GAME = pirate_envs.load("skull_king")
KAPERN = pirate_envs.load("piraten_kapern")
ROOT = Path(__file__).resolve().parents[2]


def without_players() -> Game:
    """A game that brings neither rule players nor a policy nor a solution."""
    fields = [(name, *GAME.state.fields[name][:1]) for name in GAME.state.names]  # type: ignore[index, union-attr]
    verbs = {name: verb for name, verb in GAME.verbs.items() if name not in ("rule_action", "weighted_action")}
    state = np.dtype((np.record, np.dtype([*fields, ("toy", np.int8)], align=True)))
    ranges = {**GAME.ranges, "toy": (0, 0)}
    return replace(GAME, name="toy", state=state, rule_players=(), weights=None, verbs=verbs, ranges=ranges)


TOY = without_players()


# -- the grammar -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("search:flat:64", SearchName("flat", 64, None)),
        ("search:ismcts:20ms", SearchName("ismcts", None, 20)),
        ("search:guided:64", SearchName("guided", 64, None)),
        ("search:guided:50ms:policy=pretrained", SearchName("guided", None, 50, policy="pretrained")),
        ("search:guided:64:policy=pretrained:horizon=2", SearchName("guided", 64, None, horizon=2, policy="pretrained")),
        ("search:guided:64:value", SearchName("guided", 64, None, value=True)),
        ("search:guided:64:bfloat16", SearchName("guided", 64, None, bfloat16=True)),
        ("search:guided:64:rules=simple:value", SearchName("guided", 64, None, value=True, others="rules:simple")),
        (
            "search:guided:64:horizon=match:policy=runs/a=b",
            SearchName("guided", 64, None, horizon=TO_MATCH_END, policy="runs/a=b"),
        ),
        ("search:ismcts:9:belief", SearchName("ismcts", 9, None, belief=True)),
        ("search:flat:9:policy=x:belief:uniform", SearchName("flat", 9, None, "random", belief=True, policy="x")),
        ("search:ismcts:9:rules=simple:c=0.5", SearchName("ismcts", 9, None, "rules:simple", 1, 0.5)),
        ("search:ismcts:999999:uniform", SearchName("ismcts", 999_999, None, "random")),
        ("search:ismcts:20ms:threads=12:c=1", SearchName("ismcts", None, 20, None, 1, 1.0, 12)),
    ],
)
def test_search_names(name: str, meant: SearchName) -> None:
    assert parse(name) == meant


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("search", ["the kind is ''", "flat, ismcts, guided"]),
        ("search:", ["the kind is ''"]),
        ("search:deep:10", ["the kind is 'deep'", "flat, ismcts, guided"]),
        ("search:flat", ["the budget is ''", "from 1 to 999999"]),
        ("search:flat:0", ["the budget is '0'"]),
        ("search:flat:1000000", ["the budget is '1000000'"]),
        ("search:guided:1\u0663", ["the budget is '1\u0663'", "from 1 to 999999"]),
        ("search:flat:10:horizon=1\u0663", ["the part 'horizon=1\u0663'"]),
        ("search:flat:10:c=0.\u0663", ["the part 'c=0.\u0663'"]),
        ("search:flat:10:threads=1\u0663", ["the part 'threads=1\u0663'"]),
        ("search:flat:10s", ["the budget is '10s'", "Nms"]),
        ("search:flat:10:", ["the part ''"]),
        ("search:flat:10:speed=2", ["'speed=2'", "horizon=N or horizon=match"]),
        ("search:guided:10:policy=", ["'policy='", "policy=NAME"]),
        ("search:guided:10:policy=a:b", ["the part 'b'", "a NAME may hold no ':'"]),
        ("search:flat:10:horizon=0", ["'horizon=0'"]),
        ("search:flat:10:horizon=2:horizon=3", ["'horizon=3'", "once"]),
        ("search:flat:10:uniform:rules=simple", ["'rules=simple'", "once"]),
        ("search:flat:10:c=-1", ["'c=-1'", "c=NUMBER"]),
        ("search:flat:10:threads=0", ["'threads=0'", "threads=N, up to 256"]),
        ("search:flat:10:threads=257", ["'threads=257'", "threads=N, up to 256"]),
        ("search:flat:10:threads=two", ["'threads=two'"]),
        ("search:flat:10:threads=2:threads=2", ["'threads=2'", "once"]),
        ("search:guided:10:threads=2", ["'threads=2'", "policy=NAME; rules=NAME; horizon=N"]),
        ("search:guided:10:uniform", ["'uniform'"]),
        ("search:guided:10:drawn=1", ["'drawn=1'", "value; drawn; belief; bfloat16"]),
        ("search:ismcts:10:drawn", ["'drawn'", "rules=NAME"]),
        ("search:guided:10:policy=x:policy=y", ["'policy=y'", "once"]),
        ("search:ismcts:10:policy=x", ["'policy=x'", "needs belief", "rules=NAME"]),
        ("search:ismcts:10:belief=x", ["'belief=x'", "policy=NAME beside it"]),
        ("search:ismcts:10:belief:belief", ["'belief'", "once"]),
        ("search:ismcts:10:value", ["'value'", "rules=NAME"]),
        ("search:flat:10:policy=x", ["'policy=x'", "rules=NAME"]),
    ],
)
def test_a_malformed_search_name_is_told_by_its_part(name: str, says: list[str]) -> None:
    with pytest.raises(UnknownPlayerError) as error:
        agent(GAME, name)
    for part in (repr(name), *says):
        assert part in str(error.value)


@pytest.mark.parametrize("name", GAMES)
def test_every_name_that_is_told_is_a_player(name: str) -> None:
    game = pirate_envs.load(name)
    told = meanings(game)
    assert [player for player, _ in told] == agent_names(game)
    for player, meaning in told:
        assert meaning
        if not player.startswith("exact:") and "FOLDER" not in player:
            filled = player.removesuffix("N") + "4" if player.endswith(":N") else player
            called = levels(game).get(player, filled)
            assert agent(game, filled).name == (f"rules:{game.rule_players[-1]}" if called == "rules:strongest" else called)
    forms = {form for form, _ in USAGE}
    assert forms >= {
        "random",
        "rules:NAME",
        "policy:pretrained",
        "policy:FOLDER",
        "drawn:NAME",
        "search:flat:N",
        "search:ismcts:N",
        "search:guided:N",
        "exact:NAME",
    }


def test_a_drawn_policy_draws_its_actions_and_a_search_may_play_worlds_out_so(tmp_path: Path) -> None:
    likeliest = agent(GAME, "policy:pretrained")
    likeliest.save(tmp_path / "own")
    observations, action_masks = np.zeros((400, GAME.layout.size), np.float32), np.ones((400, GAME.actions), bool)
    decisions = Decisions(observations, action_masks, np.arange(400) / 400, None)
    for which in ("pretrained", "pretrained-v1", tmp_path / "own"):
        player = agent(GAME, f"drawn:{which}")
        assert player.name == f"drawn:{which}"
        assert player.acts_by == agent(GAME, f"policy:{which}").acts_by
        assert len(set(player.act(decisions))) > 1 == len(set(likeliest.act(decisions)))
    assert models_of(GAME, "search:guided:4:drawn") == ["drawn:pretrained"]
    assert not agent(GAME, "search:guided:4:drawn")._playouts.policy.greedy
    with pytest.raises(UnknownPlayerError, match="no drawn:pretrained-v99 comes with"):
        agent(GAME, "drawn:pretrained-v99")


def test_unknown_names_say_what_there_is() -> None:
    for name in ("nobody", "Random", "rules:", "policy:", "policy", "drawn:", "drawn", "exact", "exact:", "", "simple"):
        with pytest.raises(UnknownPlayerError) as error:
            agent(GAME, name)
        assert repr(name) in str(error.value) and "rules:simple" in str(error.value) and "search:flat:N" in str(error.value)
    with pytest.raises(UnknownPlayerError, match="'rules:nobody'; there are: random, rules:simple"):
        agent(GAME, "rules:nobody")
    rules = ", ".join(f"rules={name}" for name in [*GAME.rule_players, "strongest"])
    for kind, nobody in (("flat", "nobody"), ("guided", "nobody"), ("ismcts", "random"), ("guided", "random")):
        with pytest.raises(UnknownPlayerError, match=f"'rules={nobody}' of a search in {GAME.name}; there are: {rules}$"):
            agent(GAME, f"search:{kind}:10:rules={nobody}")


def test_names_of_one_player_are_known_as_such(tmp_path: Path) -> None:
    agent(GAME, "policy:pretrained").save(tmp_path / "copy")  # type: ignore[attr-defined]
    one = (
        ("rules:strongest", "fair", "rules:expected_points"),
        ("policy:pretrained", "strong", f"policy:{tmp_path / 'copy'}"),
        ("search:flat:4", "search:flat:4:rules=strongest", "search:flat:4:horizon=1:c=0.3"),
        ("search:guided:4:value:rules=strongest", "search:guided:4:rules=expected_points:value:policy=pretrained"),
    )
    for names in one:
        assert len({identity(GAME, name) for name in names}) == 1, names
    others = (
        "drawn:pretrained",
        "rules:simple",
        "search:flat:5",
        "search:ismcts:4",
        "search:guided:4:value",
        "sheet",
        "random",
    )
    assert len({identity(GAME, name) for name in (*others, *(names[0] for names in one))}) == len(others) + len(one)


def test_a_name_that_no_folder_can_have_is_refused() -> None:
    for name in (f"policy:{'x' * 5000}", f"drawn:{'x' * 300}", f"search:guided:9:policy={'x' * 5000}"):
        with pytest.raises(CheckpointError, match=r"^policy 'x{96}\.\.\. cannot be read: File name too long$"):
            agent(GAME, name)


def test_a_folder_may_have_colons_after_policy(tmp_path: Path) -> None:
    agent(GAME, "policy:pretrained").save(tmp_path / "a:horizon=2")  # type: ignore[attr-defined]
    assert agent(GAME, f"policy:{tmp_path}/a:horizon=2").name.endswith("a:horizon=2")
    with pytest.raises(CheckpointError):
        agent(GAME, f"search:guided:10:policy={tmp_path}/a:horizon=2")


# -- games that bring less -------------------------------------------------------------------------------------------------


def test_a_game_without_rule_players_has_others() -> None:
    assert agent_names(TOY) == [
        "easy",
        "fair",
        "strong",
        "best",
        "random",
        "search:flat:N",
        "search:ismcts:N",
        "policy:FOLDER",
        "drawn:FOLDER",
    ]
    for name in (
        "rules:strongest", "rules:simple", "exact:turn", "policy:pretrained", "search:guided:4", "search:ismcts:4:belief",
    ):  # fmt: skip
        with pytest.raises(UnknownPlayerError):
            agent(TOY, name)
    with pytest.raises(UnknownPlayerError, match="'rules:strongest'; there are: easy, .*best, random, search:flat:N"):
        agent(TOY, "rules:strongest")
    assert settings_of(TOY, parse("search:flat:4")).playout == UNIFORM
    assert settings_of(GAME, parse("search:flat:4")).playout == 2
    with pytest.raises(UnknownPlayerError):
        settings_of(TOY, parse("search:flat:4:rules=strongest"))


def test_the_strongest_at_once_is_what_there_is() -> None:
    assert strongest_name(GAME) == "policy:pretrained"
    assert strongest_name(replace(GAME, name="toy")) == "rules:strongest"
    assert strongest_name(TOY) == "random"


# -- exact players ---------------------------------------------------------------------------------------------------------


def test_exact_players_are_what_the_game_declares() -> None:
    asked = []

    def maker(game: Game):
        """Takes the last legal action."""
        asked.append(game.name)
        return lambda records: np.array([game.legal_actions(g)[-1] for g in records])

    game = replace(GAME, solved={"last": maker})
    assert ("exact:last", "Takes the last legal action.") in meanings(game)
    assert asked == []
    player = agent(game, "exact:last")
    assert (player.name, player.wants_records, asked) == ("exact:last", True, ["skull_king"])
    g = game.new(3)
    known = np.array([game.redacted(g, game.seat_to_move(g))])
    decisions = Decisions(np.zeros((1, 1)), game.action_mask(g)[None].astype(bool), np.zeros(1), known)
    assert player.act(decisions).tolist() == [game.legal_actions(g)[-1]]
    with pytest.raises(BatchError, match="without records"):
        player.act(decisions._replace(records=None))
    with pytest.raises(UnknownPlayerError, match="'exact:first' in skull_king; there are: exact:last"):
        agent(game, "exact:first")
    with pytest.raises(UnknownPlayerError, match="'exact:turn' in skull_king; it has none"):
        agent(GAME, "exact:turn")


def test_the_best_level_wins_most_where_that_is_solved() -> None:
    """exact:race by the usual rules at every size of table; with other options exact:turn, which holds for all of them."""
    assert {levels(pirate_envs.load("piraten_kapern", players=n))["best"] for n in KAPERN.sizes} == {"exact:race"}
    for options in ({"promo": True}, {"nine_identical": "win"}, {"battle_island": True}, {"target": 3000}):
        game = pirate_envs.load("piraten_kapern", **options)
        assert levels(game)["best"] == "exact:turn" == agent(game, "best").name


def test_the_exact_turn_plays() -> None:
    g = KAPERN.from_view({"card": "captain", "dice": ["diamond"] * 8})
    known = np.array([KAPERN.redacted(g, KAPERN.seat_to_move(g))])
    decisions = Decisions(np.zeros((1, 1)), KAPERN.action_mask(g)[None].astype(bool), np.zeros(1), known)
    for name in ("exact:turn", "exact:race"):
        assert KAPERN.action_name(g, int(agent(KAPERN, name).act(decisions)[0])) == "stop"


def test_players_come_without_torch_and_without_tables() -> None:
    code = (
        "import sys, pirate_envs\n"
        "from pirate_envs.agents import agent, agent_names\n"
        "game = pirate_envs.load('piraten_kapern')\n"
        "agent(game, 'rules:strongest'), agent(game, 'policy:pretrained'), agent_names(game)\n"
        "print([name for name in sys.modules if name == 'torch' or '.solved.' in name])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert out.stdout.strip() == "[]"


def test_policies_that_came_before_keep_a_name() -> None:
    game = pirate_envs.load("skull_king")
    names = ["policy:pretrained-v1", "policy:pretrained-v2"]
    assert earlier_policies(game) == names and set(names) < set(agent_names(game))
    players = [agent(game, name) for name in (*names, "policy:pretrained")]
    assert [player.name for player in players] == [*names, "policy:pretrained"]
    assert len({player.learned for player in players}) == 3
    for which in ("v9", "v99", "v0", "v01", "v", "v100", "v1\u0663"):
        with pytest.raises(UnknownPlayerError, match=f"^no policy:pretrained-{which} comes with skull_king; .*{names[-1]}"):
            agent(game, f"policy:pretrained-{which}")
