"""How far the coach can be trusted: what it says against what happens, its choices played, players in order, luck, time.

python -m experiments.studies.coach                              every part and game, small (some minutes)
python -m experiments.studies.coach --parts order --matches 1000 one part at full size
python -m experiments.studies.coach --parts order luck --ship    and what it measures comes with the coach from then on
python -m experiments.studies.coach --folder runs/coach          what is measured is kept there, a file a part and game; what
                                                                 lies there of the same settings is not measured again
python -m experiments.studies.coach --write                      and keep the tables in experiments/results
"""

from __future__ import annotations

import json
import resource
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from experiments.command import RESULTS, check_numbers, run_command
from experiments.studies.coach_parts import calibration as calibrations
from experiments.studies.coach_parts import ladder as ladders
from experiments.studies.coach_parts import luck as lucks
from experiments.studies.coach_parts.matches import POLICY, by_deal, decisions, match
from experiments.studies.coach_parts.pages import page
from pirate_envs import load
from pirate_envs.agents import Agent, agent
from pirate_envs.agents.arena.duplicate import LARGEST_SEED, MOST_DEALS, versus
from pirate_envs.agents.coach import Adviser, Budget, Choice, Coach, review, yardsticks
from pirate_envs.agents.coach.choice import POINTS
from pirate_envs.agents.player import Decisions
from pirate_envs.agents.report import Results, command
from pirate_envs.core.errors import OptionError
from pirate_envs.core.files import write_text
from pirate_envs.core.game import Game
from pirate_envs.games import shipped

WORLDS_OF_THE_SEAT = 8


@dataclass
class CoachSettings:
    """Measure the coach, a part and a game at a time."""

    games: tuple[str, ...] = shipped()
    """which games"""
    parts: tuple[str, ...] = ("calibration", "peeking", "sense", "order", "luck", "speed")
    """which parts"""
    players: int = 4
    """seats at the table"""
    decisions: int = 40
    """of calibration and peeking"""
    matches: int = 4
    """of order and luck, of each player; deals of sense"""
    worlds: int = 64
    """of a judgement"""
    longer: int = 64
    """times as many worlds in the run that judgements are held against"""
    seed: int = 0
    """which matches"""
    folder: Path | None = None
    """where measurements are kept and found again"""
    ship: bool = False
    """let the ladder, and the weights of luck that fit these matches, come with the coach"""
    write: bool = False
    """keep the tables in experiments/results"""
    measured: dict[str, Any] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        """Raises OptionError."""
        for part in self.parts:
            if part not in PARTS:
                raise OptionError(f"part {part!r} of --parts is unknown; allowed: {', '.join(PARTS)}")
        check_numbers(self, decisions=(1, 10**6), matches=(1, MOST_DEALS), longer=(1, 10**4), seed=(0, LARGEST_SEED))

    @property
    def budget(self) -> Budget:
        """Of a judgement."""
        return Budget(self.worlds, self.seed)


# -- the parts ---------------------------------------------------------------------------------------------------------


def calibration(game: Game, settings: CoachSettings) -> dict[str, Any]:
    """Differences, intervals and levels against what comes true."""
    return calibrations.calibration(Coach(game, settings.budget), settings.decisions, settings.longer)


def peeking(game: Game, settings: CoachSettings) -> dict[str, Any]:
    """Judgements that differ on the redacted record or in other worlds of the seat: there should be none."""
    coach, differ, compared = Coach(game, settings.budget), 0, 0
    for g in decisions(game, settings.decisions, settings.seed):
        seat = game.seat_to_move(g)
        told = coach.judge(g, seat)
        others = [game.redacted(g, seat), *(game.determinized(g, seat, each) for each in range(WORLDS_OF_THE_SEAT))]
        differ += sum(coach.judge(other, seat) != told for other in others)
        compared += len(others)
    return {"compared": compared, "differ": differ}


class CoachPlayer(Agent):
    """Plays the coach's choice."""

    wants_records = True

    def __init__(self, coach: Coach) -> None:
        self.name, self._coach = f"coach:{coach.budget.worlds}", coach

    def act(self, decisions: Decisions) -> np.ndarray:
        free = np.flatnonzero(decisions.action_masks.sum(axis=1) > 1)
        actions = decisions.action_masks.argmax(axis=1)
        judged: list[list[Choice]] = self._coach.judge_all(list(decisions.redacted[free])) if len(free) else []
        actions[free] = [choices[0].action for choices in judged]
        return actions


def sense(game: Game, settings: CoachSettings) -> dict[str, Any]:
    """The coach's choices against copies of the policy that it plays out with, duplicate deals."""
    one = CoachPlayer(Coach(game, settings.budget))
    told = versus(game, one, agent(game, POLICY), settings.matches, settings.seed)
    figures = told.figures[one.name]
    return {"matches": told.matches, **{key: asdict(figures[key]) for key in ("win_share", "margin")}}


def order(game: Game, settings: CoachSettings) -> dict[str, Any]:
    """Error rate of each shipped player and of the coach, by kind of decision."""
    row = ladders.ladder(game, settings.matches, settings.seed, settings.budget)
    if settings.ship:
        ship(yardsticks.ladder_file(game), ladders.content(game, row))
    return row


def luck(game: Game, settings: CoachSettings) -> dict[str, Any]:
    """The mean of luck, which should be 0, and the variance of results without it: exact turn by turn, or estimated."""
    if hasattr(Coach(game, settings.budget).solutions.get(POINTS), "account"):
        return exact_luck(game, settings)
    matches = lucks.luck(game, settings.matches, settings.seed)
    row = lucks.measured(matches)
    if settings.ship:
        ship(yardsticks.luck_file(game), lucks.content(game, matches))
    return row


def exact_luck(game: Game, settings: CoachSettings) -> dict[str, Any]:
    """Its mean a turn, how far the account is off, and the variance of a turn's points without it."""
    policy, turns = agent(game, POLICY), []
    for deal in range(settings.matches):
        replay, _ = match(game, [policy] * game.players, settings.seed + deal)
        for seat in range(game.players):
            turns += review(replay, seat, settings.budget).luck
    chance = [turn.card_luck + turn.dice_luck for turn in turns]
    off = max(abs(turn.expected + lucky - turn.lost - turn.points) for turn, lucky in zip(turns, chance, strict=True))
    points = np.array([turn.points for turn in turns])
    left = float(np.var(points - chance) / np.var(points))
    return {"turns": len(turns), "mean luck": by_deal(chance), "off": off, "variance left": left}


def speed(game: Game, settings: CoachSettings) -> dict[str, Any]:
    """Processor seconds of a judgement and of a review."""
    policy = agent(game, POLICY)
    replay, positions = match(game, [policy] * game.players, settings.seed)
    coach = Coach(game, settings.budget)
    free = [g for g in positions if len(game.legal_actions(g)) > 1][:20]
    coach.judge_all(free[:2])  # compiles
    judgements = [seconds(partial(coach.judge, g, game.seat_to_move(g))) for g in free]
    adviser = Adviser(game)
    adviser.hint(free[0])
    hints = [seconds(partial(adviser.hint, g)) for g in free]
    whole = {worlds: seconds(partial(review, replay, 0, Budget(worlds))) for worlds in (64, Budget.worlds)}
    told = {"hint": float(np.median(hints)), "hint_slowest": max(hints), "judgement": float(np.median(judgements))}
    return {**told, **{f"review_{key}": own for key, own in whole.items()}}


def ship(file: Path, content: dict[str, Any]) -> None:
    """Let it come with the coach."""
    write_text(file, json.dumps({"command": command("experiments.studies.coach"), **content}, indent=1) + "\n")


def seconds(do: Callable[[], Any]) -> float:
    """Processor seconds of this process."""
    start = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    do()
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime - start


PARTS: dict[str, Callable[[Game, CoachSettings], dict[str, Any]]] = {
    "calibration": calibration, "peeking": peeking, "sense": sense, "order": order, "luck": luck, "speed": speed,
}  # fmt: skip


# -- the command -------------------------------------------------------------------------------------------------------


def measured(settings: CoachSettings) -> Iterator[dict[str, Any]]:
    """A row for each part and game; those that lie in the folder are taken from there."""
    kept = Results(settings.folder) if settings.folder else None
    sizes = {key: value for key, value in asdict(settings).items() if isinstance(value, int) and key not in ("write", "ship")}
    for part in settings.parts:
        for name in settings.games:
            row = kept.read(f"{part}_{name}") if kept else None
            if row is None or row["sizes"] != sizes:
                told = PARTS[part](load(name, players=settings.players), settings)
                row = {"part": part, "game": name, "sizes": sizes, "command": command("experiments.studies.coach"), **told}
                if kept:
                    kept.write_json(f"{part}_{name}", row)
            yield row


def joined(rows: list[dict[str, Any]], earlier: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """These rows, and of the earlier ones those of other parts and games; in the order of the parts."""
    found = {(row["part"], row["game"]): row for row in [*earlier, *rows]}
    return [found[key] for key in sorted(found, key=lambda key: (list(PARTS).index(key[0]), key[1]))]


def main(settings: CoachSettings) -> None:
    """Measure, print and perhaps write: beside what was written before of other parts and games."""
    rows = list(measured(settings))
    print(page(rows))
    if settings.write:
        results = Results(RESULTS)
        rows = joined(rows, results.read("coach", []))
        results.write("coach", rows, page(rows))


if __name__ == "__main__":
    run_command(main, CoachSettings, __doc__)
