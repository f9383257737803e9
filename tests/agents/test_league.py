"""Leagues: who is met how often, what a round leaves behind, and which settings are refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments import league as command
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.arena.duplicate import versus
from pirate_envs.agents.learning import PPOSettings
from pirate_envs.agents.learning.league import League
from pirate_envs.agents.learning.league_jobs import judging_alone, policy_arrays
from pirate_envs.agents.learning.league_state import MAIN, Contender
from pirate_envs.agents.learning.leagues import begin_league, resumed_league
from pirate_envs.agents.learning.payoffs import PayoffMatrix, Tally
from pirate_envs.agents.learning.ppo import PPO
from pirate_envs.agents.learning.settings import LeagueSettings
from pirate_envs.agents.learning.training import games_of
from pirate_envs.core.errors import CheckpointError, OptionError, PirateError, UnknownGameError, UnknownPlayerError
from tests.agents.leagues import LEARNER, TINY, copied, play

pytestmark = pytest.mark.usefixtures("torch_settings")


# -- who is met how often ----------------------------------------------------------------------------------------------


def test_opponents_are_weighed_by_how_hard_they_are() -> None:
    """By hand: at four seats a share of 1/4 is level; 1/2 is three times each other's share, a chance of 3/4."""
    matrix = PayoffMatrix(4)
    matrix.add("me", "level", np.full(8, 0.25))
    matrix.add("me", "easy", np.array([0.5, 0.25, 0.75]))
    matrix.add("me", "hard", np.array([0.1, 0.1]))
    assert matrix.chance("me", "level") == pytest.approx(1 / 2)
    assert matrix.chance("me", "easy") == pytest.approx(3 / 4)
    assert matrix.chance("me", "hard") == pytest.approx(0.1 / (0.1 + 0.3))
    assert matrix.chance("me", "never met") == 1 / 2
    weights = matrix.weights("me", ("level", "easy", "hard", "never met"), 2.0)
    wanted = {"level": 1 / 4, "easy": 1 / 16, "hard": 9 / 16, "never met": 1 / 4}
    assert weights == pytest.approx({name: weight / sum(wanted.values()) for name, weight in wanted.items()})
    assert matrix.weights("me", ("level", "easy"), 0.0) == {"level": 0.5, "easy": 0.5}


def test_who_is_strong_alone_is_hard_too() -> None:
    """Copies of it lose to one of me, but among my copies it wins 40 %, and each of them 20."""
    matrix = PayoffMatrix(4)
    matrix.add("me", "exploiter", np.array([0.5]))
    matrix.add("exploiter", "me", np.array([0.4]))
    assert matrix.chance("me", "exploiter") == pytest.approx(1 / 3)
    assert matrix.chance("exploiter", "me") == pytest.approx(1 / 4), "the other way round the first table is the worse one"


def test_all_opponents_that_always_lose_count_alike() -> None:
    matrix = PayoffMatrix(2)
    for name in "ab":
        matrix.add("me", name, np.ones(3))
    assert matrix.weights("me", "ab", 2.0) == {"a": 0.5, "b": 0.5}
    assert matrix.share("a", "me") is not None and matrix.share("a", "me").mean == 0, "two seats: both sides at once"  # type: ignore[union-attr]
    matrix.add("me", "b", np.array([0.0]))
    assert matrix.weights("me", "ab", 2.0) == {"a": 0.0, "b": 1.0}


def test_payoffs_grow_and_are_read_back() -> None:
    matrix = PayoffMatrix(3)
    matrix.add("a", "b", np.array([0.0, 1.0]))
    matrix.add("a", "b", np.array([0.5, 0.5]))
    assert matrix.tallies == {("a", "b"): Tally(4, 2.0, 1.5)}
    share = matrix.share("a", "b")
    error = 1.96 * np.std([0.0, 1.0, 0.5, 0.5]) / np.sqrt(3)
    assert share is not None and (share.low, share.mean, share.high) == pytest.approx((0.5 - error, 0.5, 0.5 + error))
    (row,) = matrix.rows()
    assert (row["one"], row["others"], row["deals"], row["matches"], row["mean"]) == ("a", "b", 4, 12, 0.5)
    again = PayoffMatrix.of_list(3, json.loads(json.dumps(matrix.as_list())))
    assert again.tallies == matrix.tallies
    for row in (["a", "b", 0, 0.0, 0.0], ["a", "b", 2, 3.0, 3.0], ["a", "b", 2, 1.0, float("nan")], ["a", "b", 2.5, 1.0, 1.0]):
        with pytest.raises(ValueError, match="a payoff"):
            PayoffMatrix.of_list(3, [row])


# -- rounds ------------------------------------------------------------------------------------------------------------


def test_a_league_leaves_everything_behind(straight: League) -> None:
    folder = straight.folder
    assert {path.name for path in folder.iterdir()} == {
        "settings.json", "checkpoints", "players", "payoffs.csv", "payoffs.png", "league.md",
    }  # fmt: skip
    assert (folder / "payoffs.png").read_bytes().startswith(b"\x89PNG")
    assert straight.round == 3 and straight.decisions == 3 * 1024
    assert sorted(path.name for path in (folder / "checkpoints").iterdir()) == [f"{2048:012d}", f"{3072:012d}"]
    assert [challenge.round for challenge in straight.challenges] == [1, 2, 3] and all(
        t.tally.deals == 4 for t in straight.challenges
    )
    joined = [each.name for each in straight.contenders.values() if each.sort == "exploiter"]
    assert joined == [f"exploiter-1-{challenge.round}" for challenge in straight.challenges if challenge.outcome != "goes on"]
    assert {path.name for path in (folder / "players").iterdir()} == {*joined, *(f"main-{n}" for n in range(4))}
    page = (folder / "league.md").read_text()
    assert "`main-3` among 3 of it" in page and "Command: `this test`" in page
    game = load("skull_king", last_hand=2)
    latest, same = agent(game, f"policy:{folder}"), agent(game, f"policy:{folder}/players/main-3")
    assert latest.learned == same.learned != agent(game, f"policy:{folder}/players/main-2").learned
    assert versus(game, latest, agent(game, f"policy:{folder}/players/main-0"), 2).matches == 8


def test_a_league_can_be_kept_among_the_results(straight: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "RESULTS", tmp_path)
    command.publish(straight)
    assert {path.name for path in tmp_path.iterdir()} == {f"league_skull_king.{end}" for end in ("json", "md", "png")}
    kept = json.loads((tmp_path / "league_skull_king.json").read_text())
    assert kept["main"] == "main-3" and kept["payoffs"] == straight.payoffs.rows()
    page = (tmp_path / "league_skull_king.md").read_text()
    assert page.startswith(command.table(straight)) and f"Measured on {kept['machine']}." in page


def test_who_joins_is_measured_on_other_deals_than_it_was_chosen_on(straight: League) -> None:
    newcomer = straight.contenders["main-1"]
    jobs = straight._challenge_jobs(4, {"exploiter-1": policy_arrays(newcomer.player)})  # type: ignore[arg-type]
    challenges, duels = ({job.seed for job in found} for found in (jobs, [duel for duel, _ in straight._duels(4, [newcomer])]))
    assert len(challenges) == len(duels) == 1 and not challenges & duels


def test_every_newcomer_has_met_the_pool(straight: League) -> None:
    """Rule players and past selves both ways round; searching players in every second round alone, on fewer deals."""
    rules, met = ["rules:simple", "rules:expected_points"], straight.payoffs.tallies
    for number in range(4):
        for name in (*rules, *(f"main-{before}" for before in (0, number - 1) if 0 <= before < number)):
            assert met[f"main-{number}", name].deals == met[name, f"main-{number}"].deals == 4
    assert met[rules[0], rules[1]].deals == 4
    searched = {pair: tally.deals for pair, tally in met.items() if "search:flat:4" in pair}
    assert searched == {("main-2", "search:flat:4"): 2, ("search:flat:4", "main-2"): 2}
    past = [each for each in straight.contenders.values() if each.sort in ("main", "exploiter")]
    staying = [each.name for each in past if not each.left]
    assert len(past) > 3 and len(staying) == 3 and {"main-0", "main-3"} <= set(staying)
    weights = straight.payoffs.weights("main-3", [each.name for each in past], 2.0)
    (third,) = set(staying) - {"main-0", "main-3"}
    with_all = {*weights} - {"main-0", "main-3"}
    assert all(
        weights[third] >= weights[name] for name in with_all if straight.contenders[name].left and _met_last(straight, name)
    )


def _met_last(league: League, name: str) -> bool:
    return (league.main, name) in league.payoffs.tallies


def test_a_main_learner_meets_the_hardest(straight: League) -> None:
    league = League(straight.folder, replace(straight.settings, met=1, hardness=1.0))
    policy = straight.contenders["main-0"].player
    for name in ("main-0", "main-1"):
        league._join(Contender(name, MAIN, policy))
    league.round = 1
    for name, share in (("rules:simple", 0.25), ("rules:expected_points", 0.1), ("main-0", 0.5)):
        league.payoffs.add("main-1", name, np.full(4, share))
    shares = league.shares()  # 1 - the chances: rule players always, of past selves the hardest; main-1 itself is level
    assert shares == pytest.approx({"rules:simple": 0.5 / 1.75, "rules:expected_points": 0.75 / 1.75, "main-1": 0.5 / 1.75})
    first, last = (league._part(2, MAIN, part, {}) for part in (0, 1))
    assert first.mix == pytest.approx(shares) and set(first.opponents) == set(last.opponents) == {"main-1", "search:flat:4"}
    assert last.mix == pytest.approx({**{n: 0.95 * share for n, share in shares.items()}, "search:flat:4": 0.05})
    assert league._part(3, MAIN, 1, {}).mix == pytest.approx(shares), "searching players come now and then"
    exploiter = league._part(2, "exploiter-1", 1, {})
    assert exploiter.mix == {"main-1": 1.0} and exploiter.settings.self_play == 0 < first.settings.self_play
    assert len({first.settings.seed, exploiter.settings.seed, league._part(3, MAIN, 0, {}).settings.seed}) == 3


def test_exploiters_begin_anew_with_the_latest_main_player(straight: League, tmp_path: Path) -> None:
    league = resumed_league(copied(straight, tmp_path))
    league.carried.pop("exploiter-1", None)
    league.lessons["exploiter-1"] = 0
    part = league._part(4, "exploiter-1", 0, {})
    assert part.policy is league.contenders["main-3"].player and part.carried == {} and part.warm_up == 512
    assert part.rates == pytest.approx((2.5e-3, 2.5e-3 * (1 - 0.95 / 2)))
    league.lessons["exploiter-1"], league.carried["exploiter-1"] = 1, {"model.x": np.zeros(1)}
    part = league._part(4, "exploiter-1", 0, {})
    assert part.policy is None and list(part.carried) == ["model.x"] and part.warm_up == 0
    assert part.rates == pytest.approx((2.5e-3 * (1 - 0.95 / 2), 2.5e-3 / 20))
    fresh = League(straight.folder, replace(straight.settings, exploit_from="nothing"))
    fresh._join(league.contenders["main-0"])
    assert fresh._part(1, "exploiter-1", 0, {}).policy is None


def test_what_judges_learns_alone_at_first() -> None:
    settings = replace(LEARNER, game="skull_king", options={"last_hand": 2})
    learner = PPO(games_of(settings)[1], settings)
    learner.meet({"random": 1.0}, {})
    before = learner.policy(greedy=True).learned
    value = learner.network.value.weight.detach().clone()
    with judging_alone(learner):
        learner.iterate(1e-2)
    assert learner.policy(greedy=True).learned == before and not (learner.network.value.weight == value).all()
    learner.restore(learner.arrays(), learner.numbers())  # as a part that ends there leaves it
    learner.iterate(1e-2)
    assert learner.policy(greedy=True).learned != before


@pytest.mark.long
def test_a_league_from_nothing_gets_better(tmp_path: Path) -> None:
    """A single hand of Skull King, paid by margin: after 300,000 decisions the main player is ahead of its first self."""
    learner = PPOSettings(lanes=128, steps=32, batch=1024, width=32, precision="float32")
    settings = LeagueSettings(
        "skull_king", options={"last_hand": 1}, lesson=50_000, part=20_000, rounds=6, search=(), learner=learner, out=tmp_path,
    )  # fmt: skip
    league = begin_league(settings)
    assert play(league)
    for other in (league.contenders["main-0"].player, agent(league.game, "random")):
        assert versus(league.game, league.contenders[league.main].player, other, 1000).first()["margin"].low > 0


# -- bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"game": ""}, OptionError),
        ({"game": "no_such_game"}, UnknownGameError),
        ({"players": 40}, OptionError),
        ({"options": {"first_hand": 99}}, OptionError),
        ({"start": "rules:simple"}, UnknownPlayerError),
        ({"start": "policy:nowhere"}, CheckpointError),
        ({"start": 3}, OptionError),
        ({"regulars": ("rules:nobody",)}, UnknownPlayerError),
        ({"regulars": ("random", "random")}, OptionError),
        ({"regulars": ("main-3",)}, UnknownPlayerError),
        ({"regulars": "random"}, OptionError),
        ({"regulars": ("search:flat:4",)}, OptionError),
        ({"search": ("search:flat:0",)}, UnknownPlayerError),
        ({"search": (1,)}, OptionError),
        ({"rounds": 0}, OptionError),
        ({"lesson": 0}, OptionError),
        ({"part": -1}, OptionError),
        ({"deals": 0}, OptionError),
        ({"hardness": float("nan")}, OptionError),
        ({"search_share": 1.5}, OptionError),
        ({"search_every": 0}, OptionError),
        ({"exploiters": -1}, OptionError),
        ({"exploit_from": "rules"}, OptionError),
        ({"pool": True}, OptionError),
        ({"seed": -1}, OptionError),
        ({"learner": replace(LEARNER, lanes=0)}, OptionError),
        ({"learner": replace(LEARNER, on="ray")}, OptionError),
        ({"learner": "ppo"}, OptionError),
        ({"regulars": ("rules:simple", "rules:simple")}, OptionError),
        ({"regulars": ("rules:strongest", "rules:expected_points")}, OptionError),
        ({"regulars": ("rules:simple", "easy")}, OptionError),
        ({"search": ("search:flat:4", "search:flat:4:rules=strongest")}, OptionError),
        ({"search": ("rules:simple",)}, OptionError),
    ],
)
def test_bad_settings(changes: dict[str, Any], error: type[PirateError], tmp_path: Path) -> None:
    with pytest.raises(error):
        begin_league(replace(TINY, out=tmp_path, **changes))
    assert not list(tmp_path.iterdir()), "nothing is left behind"


def test_a_place_that_cannot_be_written_is_refused_before_anything_is_made(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delattr("pirate_envs.agents.learning.leagues.PPO")
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        begin_league(replace(TINY, out=tmp_path / "file" / "runs"))
