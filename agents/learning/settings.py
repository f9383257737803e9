"""What a training may be told: settings that every learner has, and each learner's own; the same names for the same things."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

from pirate_envs.agents.arena.duplicate import LARGEST_SEED, MOST_DEALS
from pirate_envs.core.errors import OptionError, shown
from pirate_envs.core.options import checked_names
from pirate_envs.engine.seating import HEAVIEST, check_weight
from pirate_envs.engine.threads import MOST_THREADS


@dataclass(frozen=True)
class Numbers:
    """Which numbers a setting takes."""

    low: float
    high: float
    whole: bool = False
    above: bool = False
    """Without `low` itself."""

    def __str__(self) -> str:
        kind = "an integer" if self.whole else "a number"
        low, high = (f"{end:.12g}" for end in (self.low, self.high))
        return f"{kind} above {low}, up to {high}" if self.above else f"{kind} from {low} to {high}"

    def take(self, value: object) -> bool:
        """Whether this is one of them; nothing that is no number is."""
        if isinstance(value, bool) or not isinstance(value, int if self.whole else (int, float)):
            return False
        return self.low <= value <= self.high and not (self.above and value == self.low)


def count(high: float, low: int = 1) -> Numbers:
    """Integers from `low` to `high`."""
    return Numbers(low, high, whole=True)


Decisions = Annotated[int, count(1e15)]
Deals = Annotated[int, count(MOST_DEALS)]
Seed = Annotated[int, count(LARGEST_SEED, 0)]
Positive = Annotated[float, Numbers(0, HEAVIEST, above=True)]
Share = Annotated[float, Numbers(0, 1)]
Weight = Annotated[float, Numbers(0, HEAVIEST)]
HELD_UP = Numbers(0, 10, above=True)
"""Entropies in nats."""
LARGEST_ROLLOUT = 1 << 24
"""Lanes times steps: some tens of gigabytes."""
TOLD_APART = ("players", "reward", "pay_as_scored")
"""Options of a game that are settings themselves, or follow from them."""


def check_fields(settings: Any) -> None:
    """Hold a dataclass's values to what its fields' types allow. Raises OptionError."""
    for name, hint in get_type_hints(type(settings), include_extras=True).items():
        value = getattr(settings, name)
        if get_origin(hint) in (Union, types.UnionType):
            if value is None:
                continue
            hint = next(each for each in get_args(hint) if each is not type(None))
        if get_origin(hint) is Literal and value not in get_args(hint):
            raise OptionError(f"{name} is {shown(value)}; allowed: {', '.join(get_args(hint))}")
        for kind in (str, Path):
            if hint is kind and not isinstance(value, kind):
                raise OptionError(f"{name} is {shown(value)}; needed: {'a text' if kind is str else 'a path'}")
        for allowed in getattr(hint, "__metadata__", ()):
            if isinstance(allowed, Numbers) and not allowed.take(value):
                raise OptionError(f"{name} is {shown(value)}; allowed: {allowed}")
        if get_origin(hint) in (dict, Mapping) and not isinstance(value, Mapping):
            raise OptionError(f"{name} is {shown(value)}; needed: a mapping of names to values")


@dataclass
class TrainingSettings:
    """What every learner is told; give `train` those of one learner, PPOSettings or MaskablePPOSettings."""

    learner: ClassVar[str] = ""
    """The learner that these settings are for, by its name on the command line."""

    game: str = ""
    """name of the game"""
    minutes: Positive | None = None
    """train for this long (compiling, the first and the last evaluation not counted); 10 if decisions are not given either"""
    decisions: Decisions | None = None
    """train for this many decisions of the learner"""
    players: int = 4
    """seats at the table"""
    options: Mapping[str, Any] = field(default_factory=dict)
    """further options of the game, by name"""
    reward: Literal["margin", "score", "win"] = "margin"
    """what the learner is paid: margin (own points less the mean of the others') or score as they come, or win at the end"""
    reward_scale: Positive | None = None
    """rewards are the game's times this; none given: so that those of a match of random players vary by about 2.25"""
    pool: dict[str, float] = field(
        default_factory=lambda: {"latest": 0.5, "older": 0.1, "rules": 0.3, "strongest": 0.0, "random": 0.1}
    )
    """shares of the opponents: latest (the current policy), older (snapshots), rules (all rule players), strongest (the
    strongest of them), random"""
    older: Annotated[int, count(1000, 0)] = 4
    """snapshots kept as older opponents"""
    snapshot_every: Decisions = 500_000
    """decisions between two snapshots"""
    lanes: Annotated[int, count(1 << 20)] = 1024
    """matches played at once"""
    steps: Annotated[int, count(1 << 20)] = 32
    """decisions of each lane between two updates"""
    batch: Annotated[int, count(LARGEST_ROLLOUT)] = 4096
    """decisions in a minibatch"""
    epochs: Annotated[int, count(1000)] = 3
    """passes over each rollout"""
    learning_rate: Positive = 2e-3
    """at the start; falls in a straight line to a twentieth"""
    entropy: Weight = 0.01
    """weight of the entropy bonus"""
    gamma: Share = 0.97
    """discount of each decision; below 1 because a decision bears mostly on the points that come next"""
    gae_lambda: Share = 0.95
    """lambda of the advantage estimate"""
    clip: Positive = 0.2
    """PPO's clip range"""
    value_coefficient: Weight = 0.5
    """weight of the value loss"""
    max_gradient: Positive = 0.5
    """largest gradient norm"""
    width: Annotated[int, count(1 << 13)] = 128
    """units in a hidden layer"""
    layers: Annotated[int, count(15)] = 2
    """hidden layers"""
    activation: Literal["tanh", "relu"] = "tanh"
    """between the layers"""
    seed: Seed = 0
    """of network, deals and draws"""
    evaluate_minutes: Weight = 2.0
    """between two evaluations"""
    evaluate_deals: Deals = 250
    """deals of each evaluation during the run"""
    final_deals: Deals = 2000
    """deals of the last evaluation"""
    checkpoint_minutes: Weight = 0.5
    """between two checkpoints: the most that a crash can lose"""
    keep: Annotated[int, count(1000)] = 3
    """checkpoints kept"""
    out: Path | None = Path("runs")
    """where run folders are made; None writes nothing"""

    def __post_init__(self) -> None:
        if isinstance(self.out, str):
            self.out = Path(self.out)

    @property
    def first_match(self) -> int:
        """Seed of the first lane's first match; those of other seeds are far away."""
        return self.seed << 32

    def check(self) -> None:
        """Raises OptionError for values that make no sense, or that no memory holds."""
        check_fields(self)
        checked_names(self.options, TOLD_APART)
        for group, share in self.pool.items():
            check_weight(f"pool share {shown(group)}", share)
        if self.lanes * self.steps > LARGEST_ROLLOUT:
            raise OptionError(
                f"lanes x steps is {self.lanes} x {self.steps}; allowed: up to {LARGEST_ROLLOUT} decisions at once"
            )


@dataclass
class MaskablePPOSettings(TrainingSettings):
    """Train a player of GAME by self-play, with Stable-Baselines3's MaskablePPO on one seat of every match."""

    learner: ClassVar[str] = "sb3"

    def check(self) -> None:
        """Raises OptionError for values that make no sense, or that no memory holds."""
        super().check()
        if self.batch == 1 or self.lanes * self.steps % self.batch == 1:  # what it divides by, their spread, is no number
            raise OptionError(
                f"batch is {self.batch} of lanes x steps = {self.lanes} x {self.steps} decisions; "
                "allowed: a size that leaves no minibatch of a single decision"
            )


@dataclass
class PPOSettings(TrainingSettings):
    """Train a player of GAME by self-play, with the project's own PPO, which learns from every seat.

    In a share of the matches learners sit on all seats, in the others one learner meets players from the pool.
    """

    learner: ClassVar[str] = "ppo"

    start: Path | None = None
    """begin with the weights of this policy or run instead of random ones; its layers must be as many as these, and no wider: a
    wider network begins as strong and has more to learn with"""
    vary: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """options that each match draws anew, each with a list of values; starting at any hand of Skull King with the same chance,
    first_hand=[1,2,3,4,5,6,7,8,9,10], plays every hand as often as it has cards"""
    self_play: Share = 0.2
    """share of the matches in which learners sit on all seats"""
    pool: dict[str, float] = field(
        default_factory=lambda: {"latest": 0.0, "older": 0.2, "rules": 0.2, "strongest": 0.6, "random": 0.0}
    )
    """who else sits there in the other matches, by share: latest (the current policy), older (snapshots), rules (all rule
    players), strongest (the strongest of them), random"""
    snapshot_every: Decisions = 5_000_000
    """decisions between two snapshots"""
    credit: Literal["stage", "match"] = "stage"
    """stage: a decision is credited with what its seat is paid up to the end of the hand, turn or cycle; match: up to the
    end of the match, as always with the reward win, and better where what is kept counts later, as in Piratenpoker"""
    critic: Literal["shared", "separate", "all_hands"] = "shared"
    """what judges a decision: shared (the network that decides, with one output more), separate (a second network of the same
    size that sees the same), all_hands (a second network that sees everybody's private cards too)"""
    steps: Annotated[int, count(1 << 20)] = 64
    """decisions of each lane between two updates"""
    batch: Annotated[int, count(LARGEST_ROLLOUT)] = 4096
    """decisions in a minibatch"""
    epochs: Annotated[int, count(1000)] = 2
    """passes over each rollout"""
    width: Annotated[int, count(1 << 13)] = 256
    """units in a hidden layer"""
    learning_rate: Positive = 2.5e-3
    """at the start; falls in a straight line to a twentieth"""
    gamma: Share = 1.0
    """discount of each decision of a seat"""
    entropy: Weight = 0.01
    """weight of the entropy bonus at the start"""
    entropy_end: Weight | None = None
    """its weight when the learning rate has fallen to nothing, a straight line between; none given: as at the start"""
    entropy_floor: Mapping[str, float] = field(default_factory=dict)
    """kinds of the game's actions, each with the mean entropy (in nats) of its decisions below which their bonus grows, as
    bid=0.5: what is hardly ever tried is not learned from"""
    kl: Weight = 0.0
    """weight of the divergence from the policy that played the rollout"""
    activation: Literal["tanh", "relu"] = "relu"
    """between the layers"""
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    """of the hidden layers while it learns: float32, or bfloat16, which is up to four times as fast on processors made for it
    and slower on others; the last layers then multiply bfloat16 and add up float32. auto times both at the start and takes
    the faster. What is saved is float32"""
    device: str = "cpu"
    """where the network lives: cpu, cuda, ..."""
    threads: Annotated[int, count(MOST_THREADS)] = 1
    """cores that it learns and plays on; they must be free, or the threads wait for each other. A seed gives the same weights
    again with the same number of threads, others with another: sums are added up in another order"""
    on: Literal["here", "ray"] = "here"
    """where it learns: in this process, or on a Ray cluster"""
    learners: Annotated[int, count(4096)] = 1
    """on Ray: processes that learn together, each on a core with so many lanes and minibatches of its own, whose gradients are
    averaged at every step"""
    address: str | None = None
    """HOST:PORT of a Ray cluster's head; none given: the one that RAY_ADDRESS names or that runs here, else one is started"""

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.start, str):
            self.start = Path(self.start)

    def check(self) -> None:
        """Raises OptionError for values that make no sense, or that no memory holds."""
        super().check()
        if self.on == "here" and self.learners > 1:
            raise OptionError(f"learners is {self.learners}; allowed: 1, or more with --on ray")
        for kind, floor in checked_names(self.entropy_floor, ()).items():
            if not HELD_UP.take(floor):
                raise OptionError(f"entropy_floor of {kind!r} is {shown(floor)}; allowed: {HELD_UP}")
        if self.on == "here" and self.address is not None:
            raise OptionError(f"address is {shown(self.address)}, of a Ray cluster; it goes with --on ray only")


@dataclass
class LeagueSettings:
    """Train a player of GAME in a league: against its past selves, exploiters, and other players, the harder the more often."""

    game: str = ""
    """name of the game"""
    players: int = 4
    """seats at the table"""
    options: Mapping[str, Any] = field(default_factory=dict)
    """further options of the game, by name"""
    start: str | None = None
    """the policy whose weights the main learner begins with, as policy:pretrained or policy:FOLDER; none given: random ones"""
    rounds: Annotated[int, count(1 << 20)] | None = None
    """each learner learns for a lesson, then matches are played; 20 if none are given"""
    lesson: Decisions = 1_000_000
    """decisions of each learner in a round"""
    part: Decisions = 250_000
    """decisions of a learner between two saves: the most of its work that a crash can lose"""
    self_play: Share = 0.3
    """share of the main learner's matches in which it sits on all seats; in the others it meets the pool"""
    hardness: Annotated[float, Numbers(0, 100)] = 2.0
    """an opponent is met in proportion to (1 - the chance to win rather than it) to this power; 0: all alike"""
    met: Annotated[int, count(1000)] = 8
    """past selves and exploiters met in a lesson, at most: those of the greatest weights; regulars are met besides"""
    pool: Annotated[int, count(1000)] = 16
    """past selves and exploiters in the pool, at most; of more the easiest goes, but not the first self"""
    regulars: tuple[str, ...] = ()
    """players that are in the pool all along; none given: the game's rule players"""
    exploiters: Annotated[int, count(64, 0)] = 1
    """learners that meet nobody but copies of the latest main player"""
    patience: Annotated[int, count(1000)] = 3
    """lessons that an exploiter has to beat it; then, or when it has, it joins the pool and begins anew"""
    exploit_from: Literal["main", "nothing"] = "main"
    """exploiters begin with the latest main player's weights, or with random ones"""
    warm_up: Annotated[int, count(1e15, 0)] = 100_000
    """decisions in which a learner that begins with given weights learns to judge alone: its play stays"""
    search: tuple[str, ...] = ("search:ismcts:100",)
    """searching players, who are slow: met and measured now and then"""
    search_every: Annotated[int, count(1 << 20)] = 5
    """they are in every so many-th round, at the last part of the main learner's lesson"""
    search_share: Share = 0.05
    """of the opponents' seats there"""
    deals: Deals = 100
    """deals of each pair, each in every rotation"""
    search_deals: Deals = 10
    """those of pairs with a searching player"""
    seed: Seed = 0
    """of all learners, deals and draws"""
    learner: PPOSettings = field(default_factory=PPOSettings)
    """how all of them learn"""
    out: Path = Path("runs")
    """where league folders are made"""

    def __post_init__(self) -> None:
        if isinstance(self.out, str):
            self.out = Path(self.out)
        for name in ("regulars", "search"):
            if isinstance(getattr(self, name), list):
                setattr(self, name, tuple(getattr(self, name)))

    def check(self) -> None:
        """Raises OptionError for values that make no sense, or that no memory holds."""
        if not self.game:
            raise OptionError("no game given: name one")
        check_fields(self)
        if not isinstance(self.learner, PPOSettings):
            raise OptionError(f"learner is {shown(self.learner)}; needed: PPOSettings")
        for name in ("regulars", "search"):
            given = getattr(self, name)
            if not isinstance(given, tuple) or not all(isinstance(each, str) for each in given):
                raise OptionError(f"{name} is {shown(given)}; needed: players' names")
        if len({*self.regulars, *self.search}) < len(self.regulars) + len(self.search):
            raise OptionError(f"regulars are {shown(self.regulars)}, search {shown(self.search)}; needed: each player once")
        if self.learner.on != "here":
            raise OptionError("a league's learners learn where its workers are; tell those to be on ray")
        self.learner.check()
