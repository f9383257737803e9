"""A game's page: the manual as Markdown, phases, and the match that is told."""

from __future__ import annotations

import re
from collections import Counter

import pytest

import pirate_envs
from experiments import game_page
from experiments.studies import told_match
from pirate_envs.agents import agent
from pirate_envs.agents.policy import Policy
from pirate_envs.core.errors import OptionError
from pirate_envs.games import shipped


@pytest.mark.parametrize("name", shipped())
def test_the_manual_is_all_there(name: str) -> None:
    """Every word of it, as often as it is said there; titles of sections and of the page are not told again."""
    game, parts = pirate_envs.load(name), game_page.manual_parts(name)
    told = " ".join(re.sub(r"\[(R\d+)\]\(#.*?\)|<a .*?></a>", r"\1", text) for text in parts.values())
    missing = words_of(game.manual) - words_of(told)
    assert missing == words_of(f"{game.title} {' '.join(parts)}") - words_of("Rules")
    assert set(parts) == {"Rules", *game_page.SECTIONS}


def words_of(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.lower()))


def test_a_block_becomes_what_it_looks_like() -> None:
    rules = game_page._as_markdown("A turn\n  R1   Draw a card,\n       then play (R2).\n  R2   Stop.", "a_game")
    assert rules == (
        '### A turn\n\n- <a id="a-game-r1"></a>**R1** Draw a card, then play ([R2](#a-game-r2)).\n'
        '- <a id="a-game-r2"></a>**R2** Stop.'
    )
    assert (
        game_page._as_markdown("Not told:\n  - who\n    played;\n  - when.", "a_game") == "Not told:\n\n- who played;\n- when."
    )
    assert game_page._as_markdown("   a  b\n   y  n", "a_game") == "```text\na  b\ny  n\n```"
    assert game_page._as_markdown("Two\nlines.", "a_game") == "Two lines."


@pytest.mark.parametrize("name", shipped())
def test_every_phase_of_a_told_match_is_shown(name: str) -> None:
    phases = game_page.phases(name)
    told = game_page.told_match(name)
    assert told is not None and "over" in phases
    assert {told.game.view(g)["phase"] for g in told.positions[:-1]} <= phases.keys()


@pytest.mark.parametrize("name", shipped())
def test_notes_are_about_the_match(name: str) -> None:
    told = game_page.told_match(name)
    assert told is not None
    assert [note["action"] for note in told.notes["decisions"]] == list(told.replay.actions)
    for note, g in zip(told.notes["decisions"], told.positions, strict=False):
        assert (note["other"] is None) == (len(told.game.legal_actions(g)) == 1)
        if note["other"] is not None:
            told.game.check_action(g, told.game.action(g, note["other"]["action"]))
            assert 0 <= note["other"]["share"] <= note["share"] <= 1
    assert told.game.is_over(told.positions[-1]) and len(list(told.lines())) == len(told.replay.actions)


@pytest.mark.parametrize("name", shipped())
def test_a_told_match_is_of_the_policy_that_comes_with_the_game(name: str) -> None:
    told = game_page.told_match(name)
    assert told is not None and told.notes["player"] == "policy:pretrained"
    policy = agent(told.game, told.notes["player"])
    assert isinstance(policy, Policy) and told.notes["policy"] == policy.acts_by, f"play it anew: {told.notes['command']}"


def test_a_match_is_noted(capsys: pytest.CaptureFixture[str]) -> None:
    table = told_match.ToldMatchSettings("piraten_kapern", options=("players=2", "target=300"))
    told_match.main(table)
    assert "decisions, points" in capsys.readouterr().out
    with pytest.raises(OptionError, match="--player"):
        told_match.main(told_match.ToldMatchSettings("piraten_kapern", player="random"))


def test_a_match_that_is_not_kept_is_an_error() -> None:
    with pytest.raises(LookupError, match="told_match chess"):
        game_page.match("chess")
