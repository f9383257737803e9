"""A whole match, reviewed for one seat: what its decisions cost, who decides as well as that, and what was luck."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from math import ceil, log10
from typing import Any

import numpy as np

from pirate_envs.agents.arena.statistics import Interval
from pirate_envs.agents.coach import telling
from pirate_envs.agents.coach.chances import Chance, chances
from pirate_envs.agents.coach.choice import POINTS, WIN, Budget, Choice, loss_of
from pirate_envs.agents.coach.judging import Coach, points_for
from pirate_envs.agents.coach.ladder import Placed, kind_of, place
from pirate_envs.agents.coach.luck import LuckMeter, Stroke
from pirate_envs.agents.coach.yardsticks import Ladder, ladder_of, luck_weights
from pirate_envs.agents.player import check_made_for
from pirate_envs.agents.policy import Policy
from pirate_envs.core.errors import OptionError, ReplayError, shown
from pirate_envs.core.files import write_text
from pirate_envs.core.game import Game
from pirate_envs.engine.replay import Replay

FORMAT = "pirate_envs review 1"
GRADES = {"blunder": 0.08, "mistake": 0.03, "inaccuracy": 0.01}
"""Grade -> the share of the win that a decision loses at least, by the lower end of its interval."""
MOST_SHOWN = 5  # mistakes


@dataclass(frozen=True)
class Judged:
    """One decision with a choice."""

    at: int
    """Decisions of the match before it, of all seats."""
    record: np.record
    """The position, redacted."""
    played: Choice
    choices: list[Choice]
    """The best first."""
    unit: str
    """What it is graded by: "points" or "win"."""
    grade: str
    """A key of GRADES, or '': none, not for sure, or by too few worlds (Choice.is_graded)."""

    @property
    def best(self) -> Choice:
        """The coach's choice."""
        return self.choices[0]

    @property
    def loss(self) -> Interval:
        """What was lost against the coach's choice; may come out below 0 by chance."""
        return loss_of(self.played, self.unit)

    def content(self) -> dict[str, Any]:
        """Ready for JSON."""
        choices = [choice.content() for choice in self.choices]
        return {"at": self.at, "played": self.played.name, "grade": self.grade, "choices": choices}


@dataclass(frozen=True)
class Review:
    """What the coach says of one seat's match."""

    game: Game
    replay: Replay
    seat: int
    budget: Budget
    decisions: int
    """The seat's, with those that were forced."""
    judged: list[Judged]
    """The unforced ones, in order."""
    scores: list[int]
    """Points of all seats at the end."""
    winners: list[int]
    by_belief: bool
    """Whether the worlds were drawn by the policy's belief head."""
    luck: list[Any]
    """Where the game is solved: an account a turn (games/piraten_kapern/solved/account.py), points = expected + card_luck +
    dice_luck - lost to rounding. Else strokes of luck (luck.py), each of mean 0; none if the policy has no value head."""
    chances: list[Chance | None]
    """The seat's of winning, before each decision of the match and at its end (chances.py)."""
    ladder: Ladder | None = None
    """The shipped players' error rates, where they are measured for this policy and the match's options."""

    @property
    def unit(self) -> str:
        """What decisions are graded and sorted by: the "win" if that is known of all of them, else "points"."""
        return self.judged[0].unit if self.judged else POINTS

    @property
    def digits(self) -> int:
        """Of points after the dot: as many as a quarter of an inaccuracy needs, at least one."""
        return max(1, ceil(-log10(threshold(self.game, POINTS, GRADES["inaccuracy"]) / 4)))

    @property
    def is_exact(self) -> bool:
        """Whether nothing in it is estimated."""
        return all(judged.best.worlds == 0 for judged in self.judged)

    def error_rate(self, unit: str) -> Interval | None:
        """Mean loss of a decision with a choice; None if there was none or it is not known in that unit.

        The interval tells the chance of the worlds, not that of the match.
        """
        losses = [loss_of(judged.played, unit) for judged in self.judged if unit == POINTS or judged.played.win_regret]
        if len(losses) < max(1, len(self.judged)):
            return None
        mean = float(np.mean([loss.mean for loss in losses]))
        below, above = (
            float(np.sqrt(sum((loss.mean - end) ** 2 for loss, end in zip(losses, ends, strict=True)))) / len(losses)
            for ends in ([loss.low for loss in losses], [loss.high for loss in losses])
        )
        return Interval(mean, mean - below, mean + above)

    def rates(self) -> dict[str, Interval]:
        """The error rates to be told, by unit."""
        rates = {unit: self.error_rate(unit) for unit in (WIN, POINTS)}
        return {unit: rate for unit, rate in rates.items() if rate is not None}

    @property
    def as_good(self) -> int:
        """How many decisions were the coach's own choice, or surely as good."""
        return sum(
            each.played is each.best or (each.played.worlds == 0 and each.loss.mean < telling.NOTHING) for each in self.judged
        )

    def strokes(self) -> list[Stroke]:
        """Luck that is estimated; none where it is known turn by turn."""
        return [each for each in self.luck if isinstance(each, Stroke)]

    def placed(self) -> list[Placed]:
        """Where the error rates stand among the shipped players, unit by unit: of all decisions, then of each kind of them."""
        if self.ladder is None:
            return []
        kinds = [kind_of(self.game, judged.record) for judged in self.judged]
        found = []
        for unit in self.rates():
            losses = [loss_of(judged.played, unit).mean for judged in self.judged]
            found += place(self.ladder, unit, list(zip(kinds, losses, strict=True)))
        return found

    def mistakes(self, most: int = MOST_SHOWN) -> list[Judged]:
        """The decisions that surely cost something, the dearest first."""
        sure = [
            judged
            for judged in self.judged
            if judged.loss.low > 0 and judged.loss.mean > self._nothing and judged.played.is_graded
        ]
        return sorted(sure, key=lambda judged: -judged.loss.mean)[:most]

    @property
    def _nothing(self) -> float:
        """What is too little to be called a loss: a tenth of an inaccuracy."""
        return threshold(self.game, self.unit, GRADES["inaccuracy"]) / 10

    def count(self, grade: str) -> int:
        """How many decisions have that grade."""
        return sum(judged.grade == grade for judged in self.judged)

    def content(self) -> dict[str, Any]:
        """Ready for JSON."""
        rates = {unit: self.error_rate(unit) for unit in (POINTS, WIN)}
        return {
            "format": FORMAT,
            "game": self.game.id,
            "options": self.game.options.changed(),
            "seed": self.replay.seed,
            "seat": self.seat,
            "scores": self.scores,
            "winners": self.winners,
            "budget": asdict(self.budget),
            "exact": self.is_exact,
            "by_belief": self.by_belief,
            "unit": self.unit,
            "decisions": self.decisions,
            "error_rate": {unit: None if rate is None else asdict(rate) for unit, rate in rates.items()},
            "grades": {grade: self.count(grade) for grade in GRADES},
            "judged": [judged.content() for judged in self.judged],
            "chances": [None if chance is None else asdict(chance) for chance in self.chances],
            "ladder": [placed.content() for placed in self.placed()],
            "luck": [asdict(turn) for turn in self.luck],
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as JSON, whole or not at all. Raises OSError."""
        write_text(path, json.dumps(self.content()) + "\n")

    def markdown(self) -> str:
        """As a page."""
        return telling.markdown(telling.told(self))


def threshold(game: Game, unit: str, share: float) -> float:
    """A share of the win in that unit."""
    return share if unit == WIN else points_for(game, share)


def review(replay: Replay, seat: int, budget: Budget | None = None, drawn: Mapping[int, Policy] | None = None) -> Review:
    """What the coach says of the seat's decisions in a match that has been played to its end.

    `drawn`: the policies of other seats that drew their actions (`Policy.drawing`): their luck is told too. A replay does not
    name its players, so that these did is taken for granted: of a seat that played otherwise the luck's mean is not 0.

    Raises ReplayError for a replay of another version, that the rules refuse or that is not finished; OptionError for a seat
    that was not there or had nothing to decide, and for what is drawn by no policy of this game and number of seats; and what
    `judge` raises.
    """
    game = replay.load_game()
    seat = game.check_seat(seat)
    positions = list(replay.positions())
    before, end = positions[:-1], positions[-1]
    if not game.is_over(end):
        raise ReplayError(f"the match stops after {len(before)} decisions, before its end; a review needs the whole match")
    own = [at for at, g in enumerate(before) if game.seat_to_move(g) == seat]
    if not own:
        raise OptionError(f"seat {seat} decided nothing in this match; a review needs a seat that played")
    actions = [game.action(g, name) for g, name in zip(before, replay.actions, strict=True)]
    others = _checked_drawn(game, seat, {} if drawn is None else drawn)
    coach = Coach(game, budget)
    unforced = [at for at in own if len(game.legal_actions(before[at])) > 1]
    choices = coach.judge_all([before[at] for at in unforced]) if unforced else []
    records = [game.redacted(before[at], seat) for at in unforced]
    judged = graded(game, zip(unforced, records, (actions[at] for at in unforced), choices, strict=True))
    points = [int(each) for each in game.payoffs(end)]
    return Review(
        game, replay, seat, coach.budget, len(own), judged, points, game.winners(end), coach.beliefs is not None,
        _luck(coach, positions, actions, seat, others), chances(coach, positions, seat), ladder_of(game, coach.policy),
    )  # fmt: skip


def _checked_drawn(game: Game, seat: int, drawn: Mapping[int, Policy]) -> dict[int, Policy]:
    """Who drew on other seats. Raises OptionError."""
    if not isinstance(drawn, Mapping):
        raise OptionError(f"drawn is {shown(drawn)}; allowed: the policies of seats that drew their actions, by seat")
    others = {game.check_seat(other): policy for other, policy in drawn.items()}
    if seat in others:
        raise OptionError(f"drawn names seat {seat}, whose own decisions are judged; allowed: other seats")
    for other, policy in others.items():
        if not isinstance(policy, Policy):
            raise OptionError(f"drawn names {shown(policy)} for seat {other}; allowed: a Policy")
        check_made_for(game, policy)
    return others


def _luck(coach: Coach, positions: list[np.record], actions: list[int], seat: int, drawn: Mapping[int, Policy]) -> list[Any]:
    """An account of every turn where the game is solved, else strokes of luck, if the policy tells worths."""
    solution: Any = coach.solutions.get(POINTS)
    if hasattr(solution, "account"):
        return list(solution.account(positions[0], actions, seat))
    if coach.policy is None or not coach.policy.value:
        return []
    weights = luck_weights(coach.game, coach.policy)
    meter = LuckMeter(coach.game, coach.policy, seat, coach.budget.seed)
    return [moment.stroke(weights) for moment in meter.moments(positions, actions, drawn)]


def graded(game: Game, decisions: Iterable[tuple[int, np.record, int, list[Choice]]]) -> list[Judged]:
    """Decisions, each as (when, position, action, choices), with their grades, all in one unit."""
    given = list(decisions)
    in_wins = all(choice.win_regret is not None for *_, choices in given for choice in choices)
    unit = WIN if in_wins else POINTS
    limits = {grade: threshold(game, unit, share) for grade, share in GRADES.items()}
    judged = []
    for at, record, action, choices in given:
        played = next(choice for choice in choices if choice.action == action)
        low = loss_of(played, unit).low
        grade = next((grade for grade, limit in limits.items() if low >= limit and played.is_graded), "")
        judged.append(Judged(at, record, played, choices, unit, grade))
    return judged
