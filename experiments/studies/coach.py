"""How far the coach can be trusted: what it says against what happens, its choices played, players in order, luck, time.

python -m experiments.studies.coach                              every part and game, small (some minutes)
python -m experiments.studies.coach --parts order --matches 1000 one part at full size
python -m experiments.studies.coach --folder runs/coach          what is measured is kept there, a file a part and game; what
                                                                 lies there of the same settings is not measured again
python -m experiments.studies.coach --write                      and keep the tables in experiments/results
"""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from experiments.command import RESULTS, run_command
from pirate_envs import Replay, load
from pirate_envs.agents import Agent, agent
from pirate_envs.agents.arena.duplicate import versus
from pirate_envs.agents.arena.statistics import Interval, bootstrap_weights, interval
from pirate_envs.agents.coach import Budget, Choice, Coach, review
from pirate_envs.agents.coach.choice import POINTS
from pirate_envs.agents.player import Decisions, decisions_of
from pirate_envs.agents.report import Results, command, machine, markdown_table
from pirate_envs.core.errors import OptionError
from pirate_envs.core.game import Game
from pirate_envs.games import shipped

POLICY = "policy:pretrained"
WORLDS_OF_THE_SEAT = 8
OTHER_WORLDS = 1 << 20  # their seed above that of the judgements


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
    """of order, luck and speed; deals of sense"""
    worlds: int = 64
    """of a judgement"""
    longer: int = 16
    """times as many worlds in the run that judgements are held against (64 at full size)"""
    seed: int = 0
    """which matches"""
    folder: Path | None = None
    """where measurements are kept and found again"""
    write: bool = False
    """keep the tables in experiments/results"""
    measured: dict[str, Any] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        """Raises OptionError."""
        for part in self.parts:
            if part not in PARTS:
                raise OptionError(f"part {part!r} of --parts is unknown; allowed: {', '.join(PARTS)}")

    @property
    def budget(self) -> Budget:
        """Of a judgement."""
        return Budget(self.worlds, self.seed)


# -- matches -----------------------------------------------------------------------------------------------------------


def match(game: Game, line_up: Sequence[Agent], seed: int) -> tuple[Replay, list[np.record]]:
    """A match of these players, and its positions before each decision."""
    g, chance = game.new(seed), np.random.default_rng(seed)
    names, positions = [], []
    while not game.is_over(g):
        positions.append(g.copy())
        action = int(line_up[game.seat_to_move(g)].act(decisions_of(game, g, chance.random()))[0])
        names.append(game.action_name(g, action))
        game.apply(g, action)
    return Replay.of(game, seed, names), positions


def decisions(game: Game, settings: CoachSettings) -> list[np.record]:
    """Decisions with a choice, up to ten of each match of the policy with itself, spread over it at random."""
    policy, chance, found = agent(game, POLICY), np.random.default_rng(settings.seed), list[np.record]()
    seed = settings.seed
    while len(found) < settings.decisions:
        _, positions = match(game, [policy] * game.players, seed)
        free = [g for g in positions if len(game.legal_actions(g)) > 1]
        chosen = chance.choice(len(free), min(10, len(free)), replace=False)
        found += [free[at] for at in sorted(chosen)]
        seed += 1
    return found[: settings.decisions]


def margin(game: Game, policy: Agent, g: np.record, action: int) -> float:
    """What the seat gains on the others' mean to the end of the stage, in the true world, if all play on by the policy."""
    seat, stage, before = game.seat_to_move(g), game.verbs["stage"](g), game.payoffs(g)
    g = g.copy()
    game.apply(g, action)
    while not game.is_over(g) and game.verbs["stage"](g) == stage:
        game.apply(g, int(policy.act(decisions_of(game, g))[0]))
    gain = game.payoffs(g) - before
    return float(gain[seat] - (gain.sum() - gain[seat]) / (game.players - 1))


def by_deal(values: Sequence[float]) -> dict[str, float]:
    """Mean and interval of values that are drawn one by one."""
    return asdict(interval(np.array(values, float), bootstrap_weights(len(values))))


# -- the parts ---------------------------------------------------------------------------------------------------------


def calibration(game: Game, settings: CoachSettings) -> dict[str, Any]:
    """Differences between the policy's action and another one: as judged, as they come in the true world, as a longer run says.

    `error`: real less judged, points; `slope`: of the real on the judged ones; `covered`: regrets whose 95 % interval holds
    what a run of `longer` times as many other worlds says. Where the game is solved there is nothing to calibrate.
    """
    coach = Coach(game, settings.budget)
    if coach.is_exact:
        return {}
    policy, chance = agent(game, POLICY), np.random.default_rng(settings.seed)
    judged, real, covered = [], [], []
    for g in decisions(game, settings):
        choices = {choice.action: choice for choice in coach.judge(g, game.seat_to_move(g))}
        own = int(policy.act(decisions_of(game, g))[0])
        other = int(chance.choice([action for action in choices if action != own]))
        judged.append(choices[own].value.mean - choices[other].value.mean)
        real.append(margin(game, policy, g, own) - margin(game, policy, g, other))
        best, *others = choices.values()
        some = others[int(chance.integers(len(others)))]
        roots = np.array([game.redacted(g, game.seat_to_move(g))] * 2)
        numbers, seeds = range(settings.worlds * settings.longer), np.full(2, settings.seed + OTHER_WORLDS)
        points, _ = coach.play(roots, np.array([best.action, some.action]), seeds, numbers)
        regret = float(points[0].mean() - points[1].mean())
        covered.append(some.regret.low - 1e-9 <= regret <= some.regret.high + 1e-9)
    errors = np.array(real) - np.array(judged)
    spread = float(np.var(judged))
    slope = float(np.cov(judged, real)[0, 1] / np.var(judged, ddof=1)) if spread else None
    return {"decisions": len(judged), "error": by_deal(errors), "slope": slope, "covered": by_deal(covered)}


def peeking(game: Game, settings: CoachSettings) -> dict[str, Any]:
    """Judgements that differ on the redacted record or in other worlds of the seat: there should be none."""
    coach, differ, compared = Coach(game, settings.budget), 0, 0
    for g in decisions(game, settings):
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
    """Error rate of each shipped player and of the coach, one against policies: mean over matches, points."""
    coach = CoachPlayer(Coach(game, Budget(settings.worlds, settings.seed + 1)))
    weakest, *_, strongest = [*game.rule_players, *game.rule_players]
    names = dict.fromkeys(["random", f"rules:{weakest}", f"rules:{strongest}", POLICY])
    rates = {}
    for player in [*(agent(game, name) for name in names), coach]:
        line_up = [player, *[agent(game, POLICY)] * (game.players - 1)]
        told = [review(match(game, line_up, settings.seed + deal)[0], 0, settings.budget) for deal in range(settings.matches)]
        each = [rate.mean for one in told if (rate := one.error_rate(POINTS)) is not None]
        rates[player.name] = by_deal(each)
    return {"matches": settings.matches, "error_rates": rates}


def luck(game: Game, settings: CoachSettings) -> dict[str, Any]:
    """Where luck is exact: its mean a turn, which should be 0, how far the account is off, and the variance without it."""
    policy = agent(game, POLICY)
    coach = Coach(game, settings.budget)
    if not hasattr(coach.solutions.get(POINTS), "account"):
        return {}
    turns = []
    for deal in range(settings.matches):
        replay, _ = match(game, [policy] * game.players, settings.seed + deal)
        for seat in range(game.players):
            turns += review(replay, seat, settings.budget).luck
    lucks = [turn.card_luck + turn.dice_luck for turn in turns]
    off = max(abs(turn.expected + lucky - turn.lost - turn.points) for turn, lucky in zip(turns, lucks, strict=True))
    points = np.array([turn.points for turn in turns])
    left = float(np.var(points - lucks) / np.var(points))
    return {"turns": len(turns), "luck": by_deal(lucks), "off": off, "variance_left": left}


def speed(game: Game, settings: CoachSettings) -> dict[str, Any]:
    """Processor seconds of a judgement and of a review."""
    policy = agent(game, POLICY)
    replay, positions = match(game, [policy] * game.players, settings.seed)
    coach = Coach(game, settings.budget)
    free = [g for g in positions if len(game.legal_actions(g)) > 1][:20]
    coach.judge_all(free[:2])  # compiles
    hints = [seconds(partial(coach.judge, g, game.seat_to_move(g))) for g in free]
    whole = {worlds: seconds(partial(review, replay, 0, Budget(worlds))) for worlds in (64, Budget.worlds)}
    return {"hint": float(np.median(hints)), "hint_slowest": max(hints), **{f"review_{key}": own for key, own in whole.items()}}


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
    sizes = {key: value for key, value in asdict(settings).items() if isinstance(value, int) and key != "write"}
    for part in settings.parts:
        for name in settings.games:
            row = kept.read(f"{part}_{name}") if kept else None
            if row is None or row["sizes"] != sizes:
                told = PARTS[part](load(name, players=settings.players), settings)
                row = {"part": part, "game": name, "sizes": sizes, "command": command("experiments.studies.coach"), **told}
                if kept:
                    kept.write_json(f"{part}_{name}", row)
            yield row


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Every figure a row, as Markdown."""
    cells = [[row["part"], row["game"], *figure] for row in rows for figure in figures_of(row)]
    commands = ", ".join(f"`{each}`" for each in dict.fromkeys(row["command"] for row in rows))
    return f"{markdown_table(['part', 'game', 'what', 'figure'], cells, 'lllr')}\nMeasured by {commands} on {machine()}.\n"


def figures_of(row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What a row tells beside what it is."""
    told = {key: value for key, value in row.items() if key not in ("part", "game", "sizes", "command")}
    for key, value in (told | told.pop("error_rates", {})).items():
        if isinstance(value, dict):
            yield key.replace("_", " "), Interval(**value).written(".3f")
        elif value is not None:
            yield key.replace("_", " "), f"{value:,}" if isinstance(value, int) else f"{value:.4g}"


def main(settings: CoachSettings) -> None:
    rows = list(measured(settings))
    print(table(rows))
    if settings.write:
        Results(RESULTS).write("coach", rows, table(rows))


if __name__ == "__main__":
    run_command(main, CoachSettings, __doc__)
