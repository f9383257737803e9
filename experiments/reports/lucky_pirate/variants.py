"""What do more players and the house rules do to a match of Lucky Pirate?"""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.reports.design import TRAINED, Course, Design, Seated
from experiments.reports.estimates import Estimate, Rows, mean, where
from experiments.reports.lockstep import Lockstep, dealt
from experiments.reports.luck import counted, margins, matches_needed, more_matches, pair
from experiments.reports.lucky_pirate.table import COLOURS, GREEDY
from experiments.reports.report import CONFIRM, EXPLORE, RULES, Findings, Registered
from pirate_envs.agents import agent
from pirate_envs.agents.arena.duplicate import play
from pirate_envs.agents.player import Agent
from pirate_envs.core.game import Game

USUAL = "the usual rules"
VARIANTS: dict[str, dict[str, Any]] = {
    **{f"{players} players": {"players": players} for players in (2, 3, 5, 6)},
    "no second turn after a clear": {"clear_again": False},
    "a second card on a parrot": {"parrot_again": True},
    "first mate anywhere": {"first_mate": "anywhere"},
    "reverse, skip on open piles only": {"reverse_skip": "open"},
    "no captain on a captain": {"captain_on_captain": False},
    "early downs": {"early_downs": True},
}
TABLES: dict[str, dict[str, Any]] = {USUAL: {}, **VARIANTS}
BY_DEAL = {
    "length": "% of moves", "skill": "points of margin", "comebacks": "points of matches", "leader": "points of wins",
}  # fmt: skip
LUCK = "luck"
MEASURES = {**BY_DEAL, LUCK: "% of matches"}
TESTS = tuple(f"{measure}: {variant}" for measure in MEASURES for variant in VARIANTS)


def matches_of(game: Game, player: Agent, deals: range) -> dict[str, np.ndarray]:
    """BY_DEAL and margins, float64, (n,): by matches of the player alone and, for skill and luck, among greedy ones in turn."""
    matches, players, every = Lockstep(game, player, dealt(game, deals)), game.players, np.arange(len(deals))
    leader = (matches.records["dealer"].astype(np.int64) + 1) % players
    first_out = np.full(len(deals), -1)
    for move in matches.moves():
        empty = matches.records["hand_sizes"][move.rows][:, :players] == 0
        new = (first_out[move.rows] < 0) & empty.any(axis=1)
        first_out[move.rows[new]] = empty[new].argmax(axis=1)
    won = matches.wins()
    line_up = [player, *[agent(game, GREEDY)] * (players - 1)]
    among_greedy = play(game, line_up, deals, 0)
    share = among_greedy.wins[:, :, 0].mean(axis=1)
    return {
        "length": matches.records["decisions"].astype(float),
        "skill": 100 * (share - (1 - share) / (players - 1)),
        "comebacks": 100 * (1 - won[every, first_out]),
        "leader": 100 * (won[every, leader] - 1 / players),
        **margins(among_greedy),
    }


class LuckyPirateVariants(Design):
    """The same players under other rules, deal by deal."""

    game = "lucky_pirate"
    name = "variants"
    tables = TABLES
    course = Course(8_000_000, {"gae_lambda": 0.8, "value_coefficient": 0.1, "entropy": 0.02})
    question = Registered(
        title="What do the house rules do to the game?",
        asked="What do the number of players and each house rule do to length, skill, luck, comebacks and the leader's edge?",
        population="Matches of four players under the usual rules, and under one change at a time. The rule player, asked "
        f"first, reckons by the rules in force; the policies learned {course.told()}.",
        estimate="A variant less the usual rules. Length: decisions in a match, in percent of the usual; skill: margin of wins "
        "in points of a hundred, own less the others' mean, of one such player among greedy ones, on every seat in turn; "
        "comebacks: matches in a hundred that the first without a hand does not win; leader: wins in a hundred of the first "
        "to play, less an even share; luck: matches of the same player among greedy ones until it is ahead of their mean in "
        "total with 97.5 %, by the mean and the spread of its margin, in percent more than under the usual rules.",
        smallest=2.0,
        deals={EXPLORE: 3_000, CONFIRM: 12_000},
        tests=TESTS,
        among=(RULES, TRAINED),
        others=0.25,
    )
    size = (12.5, 5.0)

    def at_tables(self, seated: Seated, deals: range) -> Rows:
        parts = []
        for number, table in enumerate(self.tables):
            told = matches_of(*seated[table], deals)
            parts.append({"deal": np.arange(deals.start, deals.stop), "variant": np.full(len(deals), number), **told})
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def estimates(self, rows: Rows) -> dict[str, Estimate]:
        usual = _of_variant(rows, 0)
        told = {}
        for number, variant in enumerate(VARIANTS, 1):
            other = _of_variant(rows, number)
            for measure in BY_DEAL:
                scale = 100 / usual[measure].mean() if measure == "length" else 1
                told[f"{measure}: {variant}"] = mean(scale * (other[measure] - usual[measure]), usual["deal"])
            told[f"{LUCK}: {variant}"] = more_matches([matches_needed(other)], [matches_needed(usual)])
        return told

    def nothing(self, rows: Rows, chance: np.random.Generator) -> Rows:
        """Each deal's matches dealt out anew among the variants."""
        deals = len(_of_variant(rows, 0)["deal"])
        order = chance.permuted(np.tile(np.arange(len(VARIANTS) + 1), (deals, 1)), axis=1)
        mixed = np.empty(len(rows["deal"]), np.int64)
        places = np.stack([np.flatnonzero(rows["variant"] == number) for number in range(len(VARIANTS) + 1)], axis=1)
        mixed[places.ravel()] = order.ravel()
        again = {**rows, "variant": mixed}
        return where(again, np.lexsort((again["deal"], again["variant"])))

    def describe(self, rows: Rows) -> dict[str, Any]:
        """The usual rules' own measures."""
        usual = _of_variant(rows, 0)
        return {**{measure: float(usual[measure].mean()) for measure in BY_DEAL}, LUCK: pair(matches_needed(usual))}

    def statement(self, found: Findings) -> str:
        skills = [test for test in TESTS if test.startswith("skill")]
        told = [each for sign in (1, -1) for each in found.strongest(skills, sign)[:1]]
        said = " and ".join(f"{each.test.removeprefix('skill: ')} ({each.written()} points of margin)" for each in told)
        return f"Skill changes most with {said}." if said else "No rule was found that matters for skill."

    def more(self, found: Findings) -> str:
        usual, told = found.extra, []
        for measure, unit in MEASURES.items():
            tests = [test for test in TESTS if test.startswith(measure)]
            most = found.strongest(tests)[:3]
            if measure == LUCK:  # no percentage is below -100, however much less it is
                most = [*found.strongest(tests, 1)[:2], *found.strongest(tests, -1)[:2]]
            changes = [f"{each.test.removeprefix(f'{measure}: ')} {each.written()}" for each in most]
            told.append(f"{measure} ({unit}): {'; '.join(changes) or 'nothing was found'}")
        return (
            f"A usual match of four takes {usual['length']:.0f} decisions; one such player among greedy ones has a margin of "
            f"{usual['skill']:+.1f} points of wins; in {usual['comebacks']:.0f} of 100 matches the first without a hand does "
            f"not win; the first to play wins {usual['leader']:+.1f} points more than an even share; and it takes "
            f"{counted(usual[LUCK])} to tell that player from the greedy ones. What changes most: {'. '.join(told)}."
        )

    def draw(self, found: Findings, figure: Any) -> None:
        panels = figure.subplots(1, len(MEASURES), sharey=True)
        for axes, (measure, unit), colour in zip(panels, MEASURES.items(), (*COLOURS, "#3a7d44"), strict=True):
            told = [found[f"{measure}: {variant}"] for variant in VARIANTS]
            means, reach = (np.array([getattr(each, what) for each in told]) for what in ("mean", "error"))
            usual, label = 0.0, f"{measure}\n({unit})"
            if measure == LUCK:
                means, reach, usual, label = 1 + means / 100, reach / 100, 1.0, f"{measure}\n(times as many matches)"
                axes.set_xscale("log")
                axes.xaxis.set_major_formatter("{x:g}")
            axes.barh(
                range(len(told)), means - usual, 0.62, left=usual, xerr=1.96 * reach, color=colour, alpha=0.85,
                error_kw={"lw": 1.2},
            )  # fmt: skip
            axes.axvline(usual, color="0.3", lw=0.9)
            axes.set_xlabel(label)
            axes.spines[["top", "right", "left"]].set_visible(False)
            axes.tick_params(axis="y", length=0)
        panels[0].set_yticks(range(len(VARIANTS)), list(VARIANTS))
        panels[0].invert_yaxis()


def _of_variant(rows: Rows, number: int) -> Rows:
    return where(rows, rows["variant"] == number)
