"""What the French rules of Piratenpoker change, together and one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from experiments.reports.estimates import Estimate, Rows, flipped, mean
from experiments.reports.lockstep import Lockstep, dealt
from experiments.reports.piratenpoker.branches import PER_CENT
from experiments.reports.report import CONFIRM, EXPLORE, POLICY, RULES, Findings, Registered, Report, Verdict
from experiments.reports.running import FIRST_DEAL, RULE_SEED
from pirate_envs.agents import agent
from pirate_envs.agents.arena.duplicate import play
from pirate_envs.agents.player import Agent
from pirate_envs.core.game import Game
from pirate_envs.games import load
from pirate_envs.games.piratenpoker.options import PiratenpokerOptions

FRENCH = PiratenpokerOptions.PRESETS["french"]
ENGLISH_RULES, FRENCH_RULES = "English rules", "French rules"
VARIANTS: dict[str, Mapping[str, Any]] = {
    FRENCH_RULES: {"rules": "french"},
    **{f"{name}={value}": {name: value} for name, value in FRENCH.items()},
}
MEASURES = SKILL, LENGTH, RUNAWAY = "skill", "length", "runaway leader"
SEAT = "first seat"
PLAYERS = 4
WEAK = "rules:plain"
HALF = 4  # cycles after which somebody leads
DEALS_A_SEED = 1 << 32  # of duplicate matches


class EnglishAndFrench(Report):
    """The same deals under every variant: how much a better player wins, how long it takes, and whether who leads wins."""

    game = "piratenpoker"
    name = "english_and_french"
    question = Registered(
        title="English or French rules?",
        asked="What do the French rules, and each of their differences alone, change in the skill that wins, in the length of "
        "a match, in how often the leader of the first half wins, and does the first seat matter?",
        population="All matches of four; the players were made for the English rules and not trained anew for any variant.",
        estimate="The variant less the English rules on the same deals, all in per cent. Skill: the win share of the player "
        f"against three of {WEAK}, in every rotation. Length: decisions of a match of equal players, of the English ones. "
        f"Runaway leader: the win share of who has most points after {HALF} cycles (shared if equal), equal players. Seat: the "
        "win share of the seat that is asked first, less a quarter.",
        smallest=2.0,
        deals={EXPLORE: 2_000, CONFIRM: 7_000},
        tests=(
            *(f"{variant}: {measure}" for variant in VARIANTS for measure in MEASURES),
            *(f"{rules}: {SEAT}" for rules in (ENGLISH_RULES, FRENCH_RULES)),
        ),
        among=(RULES, POLICY, "sheet"),
    )
    size = (10.0, 5.2)
    at_once = 500

    def sample(self, game: Game, player: Agent, deals: range, fitted: Any) -> Rows:
        every = _measured(game, player, deals)
        usual = every[ENGLISH_RULES]
        changes = {f"{name}: {measure}": every[name][measure] - usual[measure] for name in VARIANTS for measure in MEASURES}
        seats = {f"{rules}: {SEAT}": every[rules][SEAT] for rules in (ENGLISH_RULES, FRENCH_RULES)}
        return {"deal": np.arange(deals.start, deals.stop), **changes, **seats, **{name: usual[name] for name in MEASURES}}

    def estimates(self, rows: Rows) -> dict[str, Estimate]:
        whole = rows[LENGTH].mean() / PER_CENT
        return {test: mean(rows[test] / (whole if test.endswith(LENGTH) else 1), rows["deal"]) for test in self.question.tests}

    def nothing(self, rows: Rows, chance: np.random.Generator) -> Rows:
        """Which rules were played is told wrongly in half of the deals."""
        return flipped(rows, list(self.question.tests), chance)

    def describe(self, rows: Rows) -> dict[str, float]:
        """What the measures are under the English rules."""
        return {measure: float(rows[measure].mean()) for measure in MEASURES}

    def statement(self, found: Findings) -> str:
        together = [f"{measure} {told(found.verdicts[f'{FRENCH_RULES}: {measure}'])}" for measure in MEASURES]
        alone = []
        for measure in MEASURES:
            changes = [(name, found.verdicts[f"{name}: {measure}"]) for name in list(VARIANTS)[1:]]
            most = max((each for each in changes if each[1].matters), key=lambda each: abs(each[1].estimate.mean), default=None)
            alone.append(f"{measure} most by {most[0]} ({told(most[1])})" if most else f"{measure} by none that matters")
        first = [f"{told(found.verdicts[f'{rules}: {SEAT}'])} by the {rules}" for rules in (ENGLISH_RULES, FRENCH_RULES)]
        return (
            f"By the English rules {self.question.among[0]} wins {found.extra[SKILL]:.0f} % against three of {WEAK}, a match "
            f"takes {found.extra[LENGTH]:.0f} decisions, and who leads after {HALF} cycles wins {found.extra[RUNAWAY]:.0f} %. "
            f"The French rules change {', '.join(together)}, and of their differences alone {', '.join(alone)}. The first seat "
            f"wins more than its share: {', '.join(first)}. The players were not trained anew."
        )

    def draw(self, found: Findings, figure: Any) -> None:
        every = figure.subplots(1, len(MEASURES), sharey=True)
        places = np.arange(len(VARIANTS))
        for axes, measure, color in zip(every, MEASURES, ("C0", "C2", "C3"), strict=True):
            verdicts = [found.verdicts[f"{variant}: {measure}"] for variant in VARIANTS]
            for place, verdict in zip(places, verdicts, strict=True):
                shade = color if verdict.found else "0.65"
                reach = 1.96 * verdict.estimate.error
                axes.barh(place, verdict.estimate.mean, 0.7, xerr=reach, color=shade, error_kw={"lw": 1, "ecolor": "0.2"})
            usual = found.extra[measure]
            axes.set_xlabel(f"{measure}, per cent\n(English: {usual:.0f}{' decisions' if measure == LENGTH else ' % of wins'})")
            axes.axvline(0, color="0.3", lw=0.8)
            axes.axhline(0.5, color="0.8", lw=0.8)
            axes.spines[["top", "right", "left"]].set_visible(False)
            axes.tick_params(axis="y", length=0)
        every[0].set_yticks(places, list(VARIANTS))
        every[0].invert_yaxis()
        figure.supxlabel("against the English rules, 95 % intervals; grey: cannot tell", fontsize="small")


def told(verdict: Verdict) -> str:
    """A change in per cent, and whether it is one."""
    return f"{verdict.estimate.written()} %{'' if verdict.found else ' (cannot tell)'}"


def _measured(game: Game, player: Agent, deals: range) -> dict[str, dict[str, np.ndarray]]:
    """By rules, of each deal: MEASURES (the length in decisions) and SEAT, float64, (n,)."""
    games = {
        name: load("piratenpoker", players=PLAYERS, **options) for name, options in {ENGLISH_RULES: {}, **VARIANTS}.items()
    }
    # A record knows its rules, so that one lockstep plays matches by all of them.
    equal = Lockstep(game, player, np.concatenate([dealt(each, deals) for each in games.values()]))
    leads = np.zeros((len(equal.records), PLAYERS))
    for move in equal.moves():
        half = move.rows[equal.records["cycle"][move.rows] == HALF + 1]
        scores = equal.records["scores"][half, :PLAYERS]
        leads[half] = scores == scores.max(axis=1, keepdims=True)
    wins = PER_CENT * equal.wins()
    played = {
        LENGTH: equal.records["decisions"].astype(float),
        RUNAWAY: (wins * leads).sum(axis=1) / leads.sum(axis=1),
        SEAT: wins[:, 0] - PER_CENT / PLAYERS,
    }
    parts = {measure: np.split(values, len(games)) for measure, values in played.items()}
    return {
        name: {SKILL: _won(each, player.name, deals), **{measure: values[at] for measure, values in parts.items()}}
        for at, (name, each) in enumerate(games.items())
    }


def _won(game: Game, name: str, deals: range) -> np.ndarray:
    """The player's win share in per cent by deal in duplicate matches against three of WEAK, on deals that no others have."""
    line_up = [agent(game, name), *[agent(game, WEAK)] * (PLAYERS - 1)]
    seed, first = divmod(deals.start - FIRST_DEAL, DEALS_A_SEED)
    wins = play(game, line_up, range(first, first + len(deals)), 2 * RULE_SEED + seed).wins
    return PER_CENT * wins[:, :, 0].mean(axis=1)  # type: ignore[no-any-return]
