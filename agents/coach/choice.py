"""What is said of a legal action, and how much may be spent on finding it out."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from pirate_envs.agents.arena.statistics import Interval
from pirate_envs.core.errors import OptionError, shown
from pirate_envs.core.options import whole_number

FEWEST, MOST = 16, 1 << 14  # worlds
ENOUGH = 16  # different worlds that measure a loss, from which on it is graded: see Choice.is_graded
POINTS, WIN = "points", "win"  # units


@dataclass(frozen=True)
class Budget:
    """What a judgement may cost. Equal budgets bring equal judgements."""

    worlds: int = 256
    """Imagined worlds of an action at most, 16 to 16384: half of them choose the best, half tell what the others lose."""
    seed: int = 0
    """Of the worlds, 0 to 2**32 - 1."""
    policy: str = "policy:pretrained"
    """Who plays on in the worlds: policy:NAME."""
    belief: bool = True
    """Draw worlds as likely as the policy's belief head says, if it has one; else all that can be are alike."""

    def __post_init__(self) -> None:
        """Raises OptionError."""
        whole_number("worlds of a budget", self.worlds, FEWEST, MOST)
        whole_number("seed of a budget", self.seed, 0, 2**32 - 1)
        if not isinstance(self.policy, str):
            raise OptionError(f"policy of a budget is {shown(self.policy)}; allowed: policy:NAME")
        if not isinstance(self.belief, bool):
            raise OptionError(f"belief of a budget is {shown(self.belief)}; allowed: True or False")


@dataclass(frozen=True)
class Choice:
    """A legal action as the coach sees it, from what the seat knows alone.

    Points are those to the end of the hand, turn or cycle, above the mean of the others' (exact: those of the turn). The win
    is that of the match: solved, or in worlds as it is where the match ends there and else as the policy's value head foretells
    it for the seat; None if the policy has none and the match goes on in a world.
    """

    action: int
    name: str
    policy: float | None
    """The policy's probability of it; None if the game has no policy."""
    regret: Interval
    """Points that it loses against the best, measured on worlds that did not choose the best: may come out below 0."""
    win_regret: Interval | None
    """The same as a share of the win; ends of its interval are cut at -1 and 1: nobody loses or gains more than all."""
    value: Interval
    """Points: those of the best less the regret. Worlds overrate one's hand; corrected where that is known: `calibrated`."""
    win: Interval | None
    """Share of the win, likewise: `win_calibrated`; it and the ends of its interval are cut at 0 and 1."""
    worlds: int
    """That it was tried in; 0: it is exact."""
    different: int
    """Of these, how many different ones measured it: half of them, less those that belief drew again; 0: it is exact."""
    calibrated: bool
    """Whether such values come true on average: it is exact, or corrected by what was measured at tables like this one."""
    win_calibrated: bool
    """Whether such shares of the win do; solved ones only at a table for two: at others, against the best of the rest."""

    @property
    def is_graded(self) -> bool:
        """Whether enough different worlds measured its loss to give it a grade, or it is exact.

        Intervals lean on means of many: lower ends, of which 2.5 % should lie above the truth, did so in 4.8 % of real
        differences by 8 worlds, 3.8 % by 16 and 2.9 % by 32 in Piratenpoker (in Skull King and Lucky Pirate in fewer). And of 8
        worlds that agree three in eight others may still differ, of 16 three in sixteen (racing.py).
        """
        return self.worlds == 0 or self.different >= ENOUGH

    @property
    def cannot_tell(self) -> bool:
        """Whether it may be as good as the best for all that the worlds say: they are too few, or its loss may be 0 or less."""
        return not self.is_graded or (self.worlds > 0 and loss_of(self, WIN).low <= 0)

    def content(self) -> dict[str, Any]:
        """Ready for JSON; without a `value` or a `win` that is not calibrated."""
        unsure = {"value": not self.calibrated, "win": not self.win_calibrated}
        return {key: told for key, told in asdict(self).items() if not unsure.get(key, False)}


def loss_of(choice: Choice, unit: str) -> Interval:
    """What an action loses, in that unit, or in points where the win is not known."""
    return choice.win_regret if unit == WIN and choice.win_regret else choice.regret
