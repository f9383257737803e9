"""Piraten Kapern's cheat sheet: each of its sentences in a position, and legal at every table."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from experiments.reports.lockstep import Lockstep, dealt
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.player import decisions_of
from pirate_envs.agents.sheets.piraten_kapern import PiratenKapernSheet
from tests.games.piraten_kapern.setup import random_options
from tests.games.piraten_kapern.tables import table
from tests.games.test_referees import any_game

SENTENCES: list[tuple[str, str, str, dict[str, Any]]] = [
    # two dice, from the face that counts least
    ("captain", "CCDDMPPX", "reroll monkey parrot", {}),
    ("captain", "CCCDSSSX", "reroll sabre sabre", {}),
    ("captain", "CDMMMMPX", "reroll diamond parrot", {}),
    ("captain", "CCDDMMMM", "reroll diamond diamond", {}),
    ("gold", "CCDDDSPX", "reroll parrot sabre", {}),
    ("gold", "CCCDDDDX", "reroll diamond diamond", {}),
    ("diamond", "CCCCDDDX", "reroll coin coin", {}),
    # when to stop
    ("gold", "CCCCDDDD", "reroll diamond diamond", {}),
    ("gold", "DDDDDDDM", "stop", {}),
    ("gold", "DDDDDDMX", "stop", {}),
    ("gold", "DDDDDMPX", "reroll monkey parrot", {}),
    ("gold", "CCCMPSXX", "stop", {}),
    ("gold", "CMMPPSXX", "reroll parrot sabre", {}),
    ("captain", "CCMMPSXX", "reroll parrot sabre", {}),
    ("captain", "CCDMPSXX", "stop", {}),
    ("treasure_island", "CCCDDMXX", "reroll diamond monkey", {}),
    ("treasure_island", "CMMMMMXX", "stop", {}),
    ("treasure_island", "CCCCDDXX", "stop", {}),
    # cards
    ("skulls_1", "CCCDDDDS", "reroll coin sabre", {}),
    ("skulls_1", "CCCCDDDD", "stop", {}),
    ("skulls_1", "CCDDMMPX", "stop", {}),
    ("skulls_1", "DDDDDDMP", "reroll monkey parrot", {}),
    ("skulls_2", "CCDDMPSS", "reroll monkey parrot", {}),
    ("skulls_2", "CCCCDDSS", "stop", {}),
    ("sorceress", "CCDMMPSX", "reroll skull", {}),
    ("sorceress", "CCDDDDSX", "reroll sabre skull", {}),
    ("sorceress", "CCDDMMPS", "reroll parrot sabre", {}),
    ("sorceress", "CCDMPXXX", "reroll skull", {}),
    ("sorceress", "CCMMPSXX", "reroll parrot sabre", {"sorceress_used": True, "rolls": 2}),
    ("sorceress", "CCCMPSXX", "stop", {"sorceress_used": True, "rolls": 2}),
    ("sorceress", "CCDMMPSX", "reroll sabre skull", {"options": {"sorceress_alone": False}}),
    ("monkey_business", "CCDMMPPX", "reroll coin coin diamond", {}),
    ("monkey_business", "CMMMPPPP", "stop", {}),
    ("monkey_business", "MMMMPPPS", "reroll parrot sabre", {}),
    ("monkey_business", "MMMPPPSX", "stop", {}),
    # a tie: monkeys and parrots, three or fewer, go before coins and diamonds that count as many
    ("monkey_business", "CCCCDDMP", "reroll monkey parrot", {}),
    ("monkey_business", "CCCDDMPX", "reroll monkey parrot", {}),
    ("monkey_business", "CCDDDDMP", "reroll monkey parrot", {}),
    ("monkey_business", "CCDDDMPX", "reroll monkey parrot", {}),
    ("monkey_business", "CCMPSSSS", "reroll monkey parrot", {}),
    ("monkey_business", "DDMPSSSS", "reroll monkey parrot", {}),
    ("sea_battle_3", "CCDDSSXX", "reroll diamond diamond", {}),
    ("sea_battle_3", "CCDSSSXX", "stop", {}),
    ("sea_battle_3", "CCDDSSSX", "stop", {}),
    ("sea_battle_3", "CDMPSSSX", "reroll monkey parrot", {}),
    ("sea_battle_2", "CCDDDDSS", "stop", {}),
    ("after_the_storm", "CCDMMPSX", "reroll monkey monkey parrot sabre", {}),
    ("after_the_storm", "CCDMMPXX", "stop", {}),
    ("peace", "CCDDMSSX", "reroll sabre sabre", {}),
    ("peace", "CCDDMMSX", "reroll monkey sabre", {}),
    # the final round
    ("gold", "CCCMPSXX", "reroll parrot sabre", {"scores": [3000, 6500, 0], "final_round": {"trigger": 1, "turns_left": 1}}),
    ("gold", "CCCMPSXX", "stop", {"scores": [6000, 6500, 0], "final_round": {"trigger": 1, "turns_left": 1}}),
    ("gold", "CCDMMPPS", "reroll parrot sabre", {"scores": [5900, 6000, 0], "final_round": {"trigger": 1, "turns_left": 1}}),
    ("gold", "CCDMMPPS", "stop", {"scores": [5900, 6000, 0], "final_round": {"trigger": 1, "turns_left": 0}}),
    ("gold", "CCDMMPPS", "reroll parrot sabre", {"scores": [3000, 6000, 0], "final_round": {"trigger": 1, "turns_left": 0}}),
    # the island
    ("gold", "CCDMXXXX", "reroll coin coin diamond monkey", {}),
    ("sorceress", "CCDMXXXX", "reroll coin coin diamond monkey", {}),
    ("peace", "CCDMXXXX", "stop", {}),
    ("peace", "CDSSXXXX", "reroll sabre sabre", {}),
    ("peace", "CDSSXXXX", "stop", {"options": {"peace_rolls_sabres": False}}),
]


@pytest.mark.parametrize(("card", "dice", "does", "more"), SENTENCES)
def test_it_does_what_the_text_says(card: str, dice: str, does: str, more: dict[str, Any]) -> None:
    game, g = table(card, dice, **more)
    (action,) = PiratenKapernSheet(game).act(decisions_of(game, g)).tolist()
    assert game.action_name(g, action) == does


def test_it_is_legal_at_every_table() -> None:
    chance, sizes = random.Random(5), set()
    for first in range(0, 150, 15):
        game = any_game("piraten_kapern", random_options, chance).with_options(players=2 + len(sizes) % 4)
        matches = Lockstep(game, PiratenKapernSheet(game), dealt(game, range(first, first + 15)))
        for move in matches.moves():
            assert move.action_masks[np.arange(len(move.rows)), move.actions].all()
        sizes.add(game.players)
        assert matches.records["over"].all()
    assert sizes == {2, 3, 4, 5}


def test_it_is_found_by_name() -> None:
    found = agent(load("piraten_kapern"), "sheet")
    assert isinstance(found, PiratenKapernSheet) and found.name == "sheet"


def test_its_text_is_a_page() -> None:
    lines = PiratenKapernSheet.text.strip().splitlines()
    assert len(lines) <= 40 and max(map(len, lines)) <= 128
