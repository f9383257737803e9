"""Goals: what was measured of them is read from the results, and what is said of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from experiments import goals
from experiments.goals import GOALS, POLICY, Goal
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.arena.statistics import Interval
from pirate_envs.agents.policy import Policy

PLAIN, MOST, FAST = (Goal("skull_king", "", goals.by_policy, 0.4, sign) for sign in ("", "+", "ms"))


@pytest.mark.parametrize(
    ("goal", "low", "mean", "high", "told"),
    [
        (PLAIN, 0.41, 0.42, 0.43, "reached"),
        (PLAIN, 0.3, 0.35, 0.39, "missed"),
        (PLAIN, 0.3, 0.35, 0.41, "within the interval"),
        (PLAIN, 0.4, 0.4, 0.4, "reached"),
        (PLAIN, 0.39, 0.39, 0.39, "missed"),
        (MOST, 0.41, 0.42, 0.43, "missed"),
        (MOST, 0.3, 0.35, 0.39, "not missed by these"),
        (MOST, 0.39, 0.42, 0.44, "within the interval"),
        (FAST, 0.41, 0.41, 0.41, "missed"),
        (FAST, 0.4, 0.4, 0.4, "reached"),
        (FAST, 0.3, 0.3, 0.3, "reached"),
    ],
)
def test_what_is_said_of_a_figure(goal: Goal, low: float, mean: float, high: float, told: str) -> None:
    assert goal.verdict(Interval(mean, low, high)) == told


def share(mean: float) -> dict[str, float]:
    return {"mean": mean, "low": mean - 0.01, "high": mean + 0.01}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Results of one game, hand-made."""
    monkeypatch.setattr(goals, "RESULTS", tmp_path)
    name = load("skull_king").id
    strongest = f"rules:{load('skull_king').rule_players[-1]}"

    def search(who: str, against: str, won: float, slow: float, seats: int = 4) -> dict[str, object]:
        figures = {who: {"win_share": share(won)}}
        line_up = [who, *[against] * (seats - 1)]
        return {"game": name, "line_up": line_up, "figures": figures, "milliseconds": slow}

    files = {
        "pretrained_skull_king": {
            "rows": [
                {"shipped": False, "won": {"rules:strongest": share(0.6)}, "exact": None},
                {"shipped": True, "won": {"rules:strongest": share(0.4)}, "exact": None},
            ]
        },
        "search_strength": [
            search("search:guided:9", strongest, 0.5, 49.0),
            search("search:guided:99", strongest, 0.6, 51.0),  # too slow
            search("search:ismcts:9", strongest, 0.7, 1.0),
            search("search:guided:9", strongest, 0.8, 1.0, seats=3),
            search("search:guided:9", POLICY, 0.3, 5.0),
            search("policy:pretrained-v1", goals.UNIFORM, 0.6, 0.1),
            search(POLICY, goals.UNIFORM, 0.45, 0.1),
            search("search:guided:9", goals.UNIFORM, 0.55, 5.0),
        ],
        "field_skull_king": {
            "rows": [
                {
                    "name": "policy:pretrained",
                    "won": {"sheet": share(0.5), "rules:a": share(0.4), "s": share(0.1)},
                    "models": [],
                },
                {"name": "rules:a", "won": {POLICY: share(0.2)}, "models": []},
                {"name": "sheet", "won": {POLICY: share(0.31)}, "models": []},
                {"name": "s", "won": {POLICY: share(0.29)}, "models": ["rules:a"]},
            ]
        },
        "table_sizes_skull_king": {
            "learned": agent(load("skull_king"), POLICY).acts_by,
            "rows": [{"seats": 3, "lost": share(-0.01)}, {"seats": 5, "lost": share(0.04)}, {"seats": 6, "policy": share(0.2)}],
        },
        "exploit_skull_king": {"rows": [{"by": "learner", "gain": {"win_share": share(0.02)}}]},
        "guided_speed": {
            "rows": [
                {"game": name, "search": search_, "tables": tables, "milliseconds": spent, "machine": "m"}
                for search_, tables, spent in (
                    ("search:guided:128", 1, [9.0]),
                    ("search:guided:384", 64, [8.0]),
                    ("search:guided:128", 64, [4.0, 8.0]),
                )
            ]
        },
    }
    for name_, content in files.items():
        (tmp_path / f"{name_}.json").write_text(json.dumps(content))
    return tmp_path


def test_figures_come_from_the_results(folder: Path) -> None:
    found = [goal.measured("skull_king") for goal in GOALS if goal.game == "skull_king"]
    told = [(round(each.figure.mean, 9), each.of) for each in found if each]
    assert told == [
        (0.4, ""),
        (0.5, "search:guided:9"),
        (0.3, "search:guided:9"),
        (0.4, "rules:a"),  # the search is left out
        (0.06, "sheet"),
        (0.04, "5 seats"),
        (0.45, ""),
        (0.55, "search:guided:9"),
        (6.0, "search:guided:128"),
        (8.0, "search:guided:384"),
    ]
    lines = [line for line in goals.table().splitlines() if line.startswith("| Skull King |")]
    assert any("at most +1% | +4.0% [+3.0%, +5.0%] | 5 seats | missed" in line for line in lines)
    assert any("at most 5 ms | 6.0 ms | `search:guided:128` | missed" in line for line in lines)
    assert sum("not measured" in line for line in lines) == 0
    policy = agent(load("skull_king"), POLICY)
    assert isinstance(policy, Policy)
    for learned, of in ((policy.acts_by, "a fresh learner"), ("of an earlier one", "sheet")):
        told = {"learned": learned, "rows": [{"by": "learner", "gain": {"win_share": share(0.07)}}]}
        (folder / "exploit_skull_king.json").write_text(json.dumps(told))
        worst = goals.exploited("skull_king")
        assert worst is not None and worst.of == of
    sizes = json.loads((folder / "table_sizes_skull_king.json").read_text())
    (folder / "table_sizes_skull_king.json").write_text(json.dumps({**sizes, "learned": "of an earlier one"}))
    assert goals.of_specialists("skull_king") is None


def test_what_is_surely_won_from_the_policy_counts(folder: Path) -> None:
    """A `+` goal is missed if any interval lies wholly above the aim, however much more a few lucky matches show."""
    wide, narrow = ({"mean": 0.4, "low": 0.4 - reach, "high": 0.4 + reach} for reach in (0.1, 0.05))
    row = {"name": "rules:a", "won": {POLICY: narrow}, "models": []}
    for others in ([{"name": "s", "won": {POLICY: wide}, "models": ["rules:a"]}, row], [row]):
        (folder / "field_skull_king.json").write_text(json.dumps({"rows": others}))
        found = goals.exploited("skull_king")
        assert found is not None and found.of == "rules:a"
        assert Goal("skull_king", "", goals.exploited, 0.08, "+").verdict(found.figure) == "missed"
    lost = [{"seats": 2, "lost": {"mean": 0.05, "low": 0.0, "high": 0.1}}, {"seats": 3, "lost": share(0.03)}]
    (folder / "table_sizes_skull_king.json").write_text(
        json.dumps({"learned": agent(load("skull_king"), POLICY).acts_by, "rows": lost})
    )
    worst = goals.of_specialists("skull_king")
    assert worst is not None and worst.of == "3 seats"


def test_of_two_searches_that_won_as_much_the_surer_is_told(folder: Path) -> None:
    rows = json.loads((folder / "search_strength.json").read_text())
    wide = {**rows[0], "line_up": ["search:guided:8", *rows[0]["line_up"][1:]]}
    wide["figures"] = {"search:guided:8": {"win_share": {"mean": 0.5, "low": 0.4, "high": 0.6}}}
    (folder / "search_strength.json").write_text(json.dumps([wide, *rows]))
    found = goals.guided("skull_king", "rules:strongest")
    assert found is not None and found.of == "search:guided:9"


@pytest.mark.parametrize(
    ("name", "measured", "change"),
    [
        ("field_skull_king", goals.worst, {"seats": 2}),
        ("field_skull_king", goals.worst, {"options": {"last_hand": 2}}),
        ("field_skull_king", goals.worst, {"learned": {POLICY: "of an earlier one"}}),
        ("pretrained_skull_king", goals.by_policy, {"players": 3}),
        ("table_sizes_skull_king", goals.of_specialists, {"options": {"last_hand": 2}}),
    ],
)
def test_other_tables_and_other_weights_do_not_count(
    folder: Path, name: str, measured: goals.Measured, change: dict[str, object]
) -> None:
    file = folder / f"{name}.json"
    weights = {POLICY: agent(load("skull_king"), POLICY).acts_by, "policy:gone": "x"}
    told = {**({"seats": 4, "learned": weights} if measured is goals.worst else {}), **json.loads(file.read_text())}
    for content, counts in ((told, True), ({**told, **change}, False)):
        file.write_text(json.dumps(content))
        assert (measured("skull_king") is not None) is counts


def test_nothing_is_won_from_a_policy_that_came_before(folder: Path) -> None:
    file = folder / "field_skull_king.json"
    content = json.loads(file.read_text())
    file.write_text(json.dumps({**content, "learned": {POLICY: "of an earlier one"}}))
    found = goals.exploited("skull_king")
    assert found is not None and found.of == "search:guided:9"


def test_searches_by_other_weights_or_options_do_not_count(folder: Path) -> None:
    file = folder / "search_strength.json"
    now, *rows = json.loads(file.read_text())
    weights = agent(load("skull_king"), "search:guided:9").acts_by
    for told, counts in (
        ({"learned": {"search:guided:9": weights}, "options": {"players": 4}}, True),
        ({"learned": {"search:guided:9": "of an earlier one"}}, False),
        ({"options": {"players": 4, "last_hand": 2}}, False),
    ):
        file.write_text(json.dumps([{**now, **told}, *rows]))
        assert (goals.guided("skull_king", "rules:strongest") is not None) is counts


def test_what_was_not_measured_is_said(folder: Path) -> None:
    for file in folder.iterdir():
        file.unlink()
    assert goals.table().count("not measured") == len(GOALS)


def test_every_goal_of_this_projects_results_has_a_figure() -> None:
    assert [(goal.game, goal.what) for goal in GOALS if goal.measured(goal.game) is None] == []


def test_the_fastest_of_the_searches_with_that_many_playouts_is_told_of_the_slowest_machine(folder: Path) -> None:
    name = load("skull_king").id
    rows = [
        {"game": name, "search": search, "tables": tables, "milliseconds": [1.0, spent], "machine": machine}
        for search, tables, spent, machine in (
            ("search:guided:128", 64, 9.0, "fast"),
            ("search:guided:128:bfloat16", 64, 5.0, "fast"),
            ("search:guided:128:bfloat16", 16, 1.0, "fast"),
            ("search:guided:128", 64, 13.0, "slow"),
            ("search:guided:128:bfloat16", 64, 15.0, "slow"),
            ("search:guided:384", 64, 2.0, "slow"),
        )
    ]
    (folder / "guided_speed.json").write_text(json.dumps({"rows": rows[:3]}))
    found = goals.of_playouts("skull_king")
    assert found is not None and (found.figure.mean, found.of) == (3.0, "search:guided:128:bfloat16")
    (folder / "guided_speed.json").write_text(json.dumps({"rows": rows}))
    found = goals.of_playouts("skull_king")
    assert found is not None and (found.figure.mean, found.of) == (7.0, "search:guided:128")
    assert goals.of_playouts("lucky_pirate") is None
