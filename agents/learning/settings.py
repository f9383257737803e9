"""What a training run may be told: one dataclass for each learner, the same names for the same things."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, ClassVar

import tyro

from pirate_envs.core.errors import OptionError


@dataclass
class Settings:
    """Train a player of GAME by self-play.

    These are the settings of MaskablePPO (--learner sb3); --learner ppo --help shows those of the other learner.
    """

    CHOICES: ClassVar[dict[str, tuple[str, ...]]] = {
        "learner": ("sb3", "ppo"),
        "activation": ("tanh", "relu"),
        "reward": ("score", "margin", "win"),
    }
    SHARES: ClassVar[tuple[str, ...]] = ("gamma", "gae_lambda")
    WEIGHTS: ClassVar[tuple[str, ...]] = ("entropy", "value_coefficient")

    game: Annotated[str, tyro.conf.Positional] = ""
    """name of the game; not needed with --resume"""
    learner: str = "sb3"
    """sb3: Stable-Baselines3's MaskablePPO on one seat; ppo: this project's own, which learns from every seat"""
    resume: Path | None = None
    """go on with this run folder; of the other flags only --minutes and --decisions then count"""
    minutes: float | None = None
    """train for this long (compiling and the last evaluation not counted); 10 if --decisions is not given either"""
    decisions: int | None = None
    """train for this many decisions of the learner"""
    players: int = 4
    """seats at the table"""
    options: tuple[str, ...] = ()
    """further options of the game, as name=value with a JSON value"""
    reward: str = "margin"
    """what the learner is paid: margin (own points less the mean of the others') or score as they come, or win at the end"""
    reward_scale: float | None = None
    """rewards are the game's times this; none given: so that those of a match of random players vary by about 2.25"""
    pool: dict[str, float] = field(default_factory=lambda: {"latest": 0.5, "older": 0.1, "rules": 0.3, "random": 0.1})
    """shares of the opponents: latest (the current policy), older (snapshots), rules (all rule players), strongest (the
    strongest of them), random"""
    older: int = 4
    """snapshots kept as older opponents"""
    snapshot_every: int = 500_000
    """decisions between two snapshots"""
    lanes: int = 1024
    """matches played at once"""
    steps: int = 32
    """decisions of each lane between two updates"""
    batch: int = 4096
    """decisions in a minibatch"""
    epochs: int = 3
    """passes over each rollout"""
    learning_rate: float = 2e-3
    """at the start; falls in a straight line to a twentieth"""
    entropy: float = 0.01
    """weight of the entropy bonus"""
    gamma: float = 0.97
    """discount of each decision; below 1 because a decision bears mostly on the points that come next"""
    gae_lambda: float = 0.95
    """lambda of the advantage estimate"""
    clip: float = 0.2
    """PPO's clip range"""
    value_coefficient: float = 0.5
    """weight of the value loss"""
    max_gradient: float = 0.5
    """largest gradient norm"""
    width: int = 128
    """units in a hidden layer"""
    layers: int = 2
    """hidden layers"""
    activation: str = "tanh"
    """tanh or relu"""
    seed: int = 0
    """of network, deals and draws"""
    evaluate_minutes: float = 2.0
    """between two evaluations"""
    evaluate_deals: int = 250
    """deals of each evaluation during the run"""
    final_deals: int = 2000
    """deals of the last evaluation"""
    checkpoint_minutes: float = 0.5
    """between two checkpoints: the most that a crash can lose"""
    keep: int = 3
    """checkpoints kept"""
    out: Path = Path("runs")
    """where run folders are made"""

    def check(self) -> None:
        """Raises OptionError for values that make no sense."""
        counts = ("lanes", "steps", "batch", "epochs", "width", "layers", "keep")
        for name in (*counts, "snapshot_every", "evaluate_deals", "final_deals"):
            if getattr(self, name) < 1:
                raise OptionError(f"--{name.replace('_', '-')} is {getattr(self, name)!r}; allowed: an integer from 1 up")
        for name in ("minutes", "decisions", "learning_rate", "reward_scale", "clip", "max_gradient"):
            value = getattr(self, name)
            if value is not None and not 0 < value < float("inf"):
                raise OptionError(f"--{name.replace('_', '-')} is {value!r}; allowed: a number above 0")
        for name in self.SHARES:
            if not 0 <= getattr(self, name) <= 1:
                raise OptionError(f"--{name.replace('_', '-')} is {getattr(self, name)!r}; allowed: a number from 0 to 1")
        for name in self.WEIGHTS:
            value = getattr(self, name)
            if value is not None and not 0 <= value < float("inf"):
                raise OptionError(f"--{name.replace('_', '-')} is {value!r}; allowed: a number from 0 up")
        for name, known in self.CHOICES.items():
            if getattr(self, name) not in known:
                raise OptionError(f"--{name} is {getattr(self, name)!r}; allowed: {', '.join(known)}")


@dataclass
class PPOSettings(Settings):
    """Train a player of GAME by self-play, with the PPO of experiments/ppo.py.

    In a share of the matches learners sit on all seats, in the others one learner meets players from the pool.
    """

    CHOICES: ClassVar[dict[str, tuple[str, ...]]] = Settings.CHOICES | {
        "credit": ("stage", "match"),
        "critic": ("own", "all_hands"),
        "precision": ("auto", "float32", "bfloat16"),
    }
    SHARES: ClassVar[tuple[str, ...]] = (*Settings.SHARES, "self_play")
    WEIGHTS: ClassVar[tuple[str, ...]] = (*Settings.WEIGHTS, "entropy_end", "kl")

    learner: str = "ppo"
    """ppo: every learner's decisions are learned from, whatever its seat"""
    start: Path | None = None
    """begin with the weights of this policy or run instead of random ones; its layers must be as wide as --width"""
    vary: tuple[str, ...] = ()
    """options that each match draws anew, as name=[value, value, ...]; starting at any hand of Skull King with the same chance,
    first_hand=[1,2,3,4,5,6,7,8,9,10], plays every hand as often as it has cards"""
    self_play: float = 0.2
    """share of the matches in which learners sit on all seats"""
    pool: dict[str, float] = field(default_factory=lambda: {"older": 0.2, "strongest": 0.6, "rules": 0.2})
    """who else sits there in the other matches, by share: latest (the current policy), older (snapshots), rules (all rule
    players), strongest (the strongest of them), random"""
    snapshot_every: int = 5_000_000
    """decisions between two snapshots"""
    credit: str = "stage"
    """stage: a decision is credited with what its seat is paid up to the end of the hand, turn or cycle; match: up to the
    end of the match, as always with --reward win, and better where what is kept counts later, as in Piratenpoker"""
    critic: str = "own"
    """own: the value of a decision is judged from what its seat sees; all_hands: from everybody's private cards too"""
    steps: int = 64
    """decisions of each lane between two updates"""
    batch: int = 4096
    """decisions in a minibatch"""
    epochs: int = 2
    """passes over each rollout"""
    width: int = 256
    """units in a hidden layer"""
    learning_rate: float = 2.5e-3
    """at the start; falls in a straight line to a twentieth"""
    gamma: float = 1.0
    """discount of each decision of a seat"""
    entropy: float = 0.01
    """weight of the entropy bonus at the start"""
    entropy_end: float | None = None
    """its weight when the learning rate has fallen to nothing, a straight line between; none given: as at the start"""
    kl: float = 0.0
    """weight of the divergence from the policy that played the rollout"""
    activation: str = "relu"
    """tanh or relu"""
    precision: str = "auto"
    """of the hidden layers while it learns: float32, or bfloat16, which is two to four times as fast on processors that
    compute with it; the last layers then multiply bfloat16 and add up float32. auto asks the processor. What is saved is
    float32"""
    device: str = "cpu"
    """where the network lives: cpu, cuda, ..."""
