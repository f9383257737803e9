"""Lucky Pirate's cheat sheet: legal everywhere, and as its text says."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from pirate_envs.agents import agent
from pirate_envs.agents.player import Decisions, decisions_of
from pirate_envs.agents.sheets.lucky_pirate import ORDER, LuckyPirateSheet
from pirate_envs.engine.batch import Batch
from pirate_envs.engine.probes import redact_rows
from tests.games.lucky_pirate.setup import random_options
from tests.games.lucky_pirate.story import OPTION_SETS, OTHER, load, table

FAR = "2 2 / / 6"


def choice(*seats: str, pile: str = "", **more: Any) -> str:
    """What the sheet does on seat 0."""
    game, g = table(*seats, pile=pile, **more)
    return str(game.action_name(g, int(agent(game, "sheet").act(decisions_of(game, g))[0])))


def sets_of_options() -> list[dict[str, Any]]:
    rng = random.Random(3)
    return [*OPTION_SETS, *({**random_options(rng), "players": players, "deck": None} for players in range(2, 7))]


@pytest.mark.parametrize("options", sets_of_options())
def test_it_is_legal_at_every_table_and_the_same_in_whatever_batches(options: dict[str, Any]) -> None:
    game = load(**options)
    sheet, matches = agent(game, "sheet"), Batch(game, 16, seed=5)
    for step in range(150):
        records = matches.records.copy()
        redact_rows(records, records["to_move"].astype(np.int64))
        masks = matches.action_masks.astype(bool)
        asked = Decisions(matches.observations, masks, np.full(16, 0.5), records)
        actions = sheet.act(asked)
        assert masks[np.arange(16), actions].all()
        if step % 30 == 0:
            alone = [sheet.act(Decisions(*(None if part is None else part[[row]] for part in asked)))[0] for row in range(16)]
            assert actions.tolist() == alone
        matches.step(actions)


def test_the_name_finds_it_and_its_text_is_a_page() -> None:
    sheet = agent(load(), "sheet")
    assert isinstance(sheet, LuckyPirateSheet) and sheet.name == "sheet"
    assert len(sheet.text.splitlines()) <= 25
    assert ", ".join(ORDER).replace("_", " ") in sheet.text


@pytest.mark.parametrize(
    ("seat", "pile", "played"),
    [
        ("3 5 5 captain kraken plank / / 1", "", "play 3"),
        ("3 5 5 captain kraken plank / / 1", "4", "play 5 5"),
        ("5 5 5 5 captain / / 1", "4", "play 5 5 5"),
        ("8 reverse skip parrot / / 1", "6", "play 8"),
        ("reverse skip skip parrot / / 1", "8", "play reverse"),
        ("mermaid mermaid skip captain / / 1", "8", "play mermaid mermaid"),
        ("captain porthole plank plank / / 1", "8", "play captain"),
        ("first_mate porthole captain 1 1 / / 1", "captain", "play first_mate"),
        ("/ 6 6 plank / 1 1 1", "5", "play 6 6"),
    ],
)
def test_the_first_of_the_list_that_fits_and_all_of_it(seat: str, pile: str, played: str) -> None:
    assert choice(seat, FAR, FAR, pile=pile) == played


@pytest.mark.parametrize(
    ("seat", "played"),
    [("3 plank / / 1", "play plank"), ("3 4 plank / / 1", "play 3"), ("/ 3 plank / 1 1", "play 3"), ("3 / / 1", "play 3")],
)
def test_with_three_cards_left_a_plank_goes_first(seat: str, played: str) -> None:
    assert choice(seat, FAR, FAR) == played


def test_a_captain_stops_who_has_one_card_left() -> None:
    hand, one = "3 4 captain porthole / / 1", "/ / - 1"
    assert choice(hand, one, FAR, pile="2") == "play captain"
    assert choice(hand, FAR, one, pile="2") == "play 3"
    assert choice(hand, FAR, one, pile="2", direction=-1) == "play captain"


@pytest.mark.parametrize(
    ("ups", "pile", "played"),
    [
        ("3 5", "2", "play 6"),
        ("3 5 porthole", "2", "play 4"),
        ("3 5", "8", "play kraken"),
        ("3 5", "6 6", "play kraken"),
    ],
)
def test_whoever_plays_from_the_ups_is_given_what_they_cannot_answer(ups: str, pile: str, played: str) -> None:
    """A third 6 would clear the pile, which is no question to anybody."""
    assert choice("4 6 skip kraken / / 1", f"/ {ups} / 1", FAR, pile=pile) == played


def test_no_choice() -> None:
    assert choice("3 4 / / 1", OTHER, OTHER, pile="6") == "pick up"
    assert choice("/ / - 1 1", OTHER, OTHER, pile="6") == "flip 1"


def test_after_a_parrot_it_plays_on() -> None:
    assert choice("3 / / 1", OTHER, OTHER, pile="parrot", after_parrot=True, options={"parrot_again": True}) == "play 3"


def test_downs_are_flipped_early_only_when_no_up_fits() -> None:
    early = {"early_downs": True}
    assert choice("/ 4 / 1 1", OTHER, OTHER, pile="3", options=early) == "play 4"
    assert choice("/ 4 / 1 1", OTHER, OTHER, pile="6", options=early) == "flip 1"
