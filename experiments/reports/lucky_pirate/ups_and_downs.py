"""Where is a card of Lucky Pirate best to have: in the hand, among the ups or among the downs?"""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.reports.estimates import Estimate, Rows, flipped, mean, regression
from experiments.reports.lockstep import Lockstep, Move, dealt, each_drawn
from experiments.reports.lucky_pirate.table import GREEDY, NAMES, counts, dots, gain, listed, masks, sentence
from experiments.reports.report import CONFIRM, EXPLORE, POLICY, RULES, Findings, Registered, Report
from pirate_envs.agents.player import Agent
from pirate_envs.core.game import Game
from pirate_envs.games.lucky_pirate.state import FLIP, KINDS, SLOTS

ZONES = ("hand", "ups", "downs")
REFERENCE = "4"
KNOWN = [kind for kind in range(KINDS) if NAMES[kind] != REFERENCE]
CARDS = {f"{NAMES[kind]} in the {zone}": (at, kind) for at, zone in enumerate(ZONES) for kind in KNOWN}
PLACES = {f"{name} to play": place for place, name in enumerate(("second", "third", "last"), 1)}
LAST_DOWN = "the last down flipped first"
FLIPPED = 8  # one deal in so many is asked which down to flip


def zones(records: np.ndarray, players: int) -> np.ndarray:
    """How many cards of each kind every seat has in each of ZONES, int8, (n, players, 3, 16)."""
    downs = (records["down_cards"][:, :players, :, None] == np.arange(KINDS)).sum(axis=2)
    return np.stack([counts(records["hands"][:, :players]), counts(records["ups"][:, :players]), downs.astype(np.int8)], axis=2)


def flips(action_masks: np.ndarray) -> np.ndarray:
    """The downs that may be flipped, bool, (n, slots)."""
    return action_masks[:, FLIP : FLIP + SLOTS]


class UpsAndDowns(Report):
    """Regression of the win on what was dealt where: the deal is the experiment."""

    game = "lucky_pirate"
    name = "ups_and_downs"
    question = Registered(
        title="What is a card worth in the hand, among the ups and among the downs?",
        asked="How much of the win is each card worth where it was dealt; does the place at the table matter, and which down "
        "is flipped first?",
        population="All seats of matches of four equal players; for the flips, all decisions with two downs or more of every "
        f"{FLIPPED}th match.",
        estimate="Points of a hundred of the win, against a 4 in the card's place and against the first to play: least squares "
        "on the cards in hand, ups and downs and the place. Of flips: the last slot less the first, in the same position.",
        smallest=1.0,
        deals={EXPLORE: 30_000, CONFIRM: 110_000},
        tests=(*CARDS, *PLACES, LAST_DOWN),
        among=(POLICY, RULES, GREEDY),
    )
    size = (9.0, 7.5)

    def sample(self, game: Game, player: Agent, deals: range, fitted: Any) -> Rows:
        matches = Lockstep(game, player, dealt(game, deals))
        held = zones(matches.records, game.players)
        place = (np.arange(game.players) - matches.records["dealer"][:, None] - 1) % game.players
        matches.play()
        flip = np.full((len(deals), game.players, SLOTS - 1), np.nan)
        found = each_drawn(game, player, deals[: len(deals) // FLIPPED], _may_choose)
        free = flips(masks(game, found.records))
        first, last = FLIP + free.argmax(axis=1), FLIP + SLOTS - 1 - free[:, ::-1].argmax(axis=1)
        flip[found.deal - deals.start, found.records["to_move"], free.sum(axis=1) - 2] = gain(
            game, player, found.records, last, first
        )
        return {
            "deal": np.repeat(np.arange(deals.start, deals.stop), game.players), "place": place.ravel(),
            "held": held.reshape(-1, *held.shape[2:]), "won": 100 * matches.wins().ravel(), "flip": flip.reshape(-1, SLOTS - 1),
        }  # fmt: skip

    def estimates(self, rows: Rows) -> dict[str, Estimate]:
        columns = {name: rows["held"][:, zone, kind] for name, (zone, kind) in CARDS.items()}
        places = {name: rows["place"] == place for name, place in PLACES.items()}
        row, number = np.nonzero(~np.isnan(rows["flip"]))
        told = regression({**columns, **places}, rows["won"], rows["deal"])
        return {**told, LAST_DOWN: mean(rows["flip"][row, number], rows["deal"][row])}

    def nothing(self, rows: Rows, chance: np.random.Generator) -> Rows:
        signs = flipped({"deal": rows["deal"], "sign": np.ones(len(rows["deal"]))}, ["sign"], chance)["sign"]
        return {**rows, "flip": rows["flip"] * signs[:, None], "won": chance.permutation(rows["won"])}

    def statement(self, found: Findings) -> str:
        told = listed(each for sign in (1, -1) for each in found.strongest(CARDS, sign)[:1])
        return f"The best and the worst to be dealt, in points of the win against a 4 in its place: {told or 'none was found'}."

    def more(self, found: Findings) -> str:
        best, worst = (found.strongest(CARDS, sign) for sign in (1, -1))
        downs = found.verdicts[LAST_DOWN]
        seats = [found.verdicts[name] for name in PLACES]
        return (
            f"Best: {listed(best, 4) or 'none was found'}. Worst: {listed(worst, 4) or 'none was found'}. Against the first to "
            f"play: {listed(seats)}. To flip the last down first, not the first: {downs.written()}."
        )

    def advice(self, found: Findings) -> str:
        ups = [test for test in CARDS if test.endswith("ups")]
        parts = []
        if best := found.strongest(ups, 1):
            parts.append(f"fear a player whose ups are good (points of the win: {listed(best)})")
        if worst := found.strongest(ups, -1):
            parts.append(f"those whose ups are poor often get stuck ({listed(worst, 2)})")
        return sentence(parts)

    def draw(self, found: Findings, figure: Any) -> None:
        axes = figure.subplots()
        order = sorted(KNOWN, key=lambda kind: -found[f"{NAMES[kind]} in the ups"].mean)
        dots(axes, found, {NAMES[kind]: [f"{NAMES[kind]} in the {zone}" for zone in ZONES] for kind in order}, list(ZONES))
        axes.set_xlabel("points of the win against a 4 in its place (95 % intervals)")
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False)


def _may_choose(records: np.ndarray, move: Move) -> np.ndarray:
    return flips(move.action_masks).sum(axis=1) > 1  # type: ignore[no-any-return]
