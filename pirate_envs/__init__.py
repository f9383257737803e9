"""Pirate card and dice games as fast, exact environments.

    import pirate_envs

    pirate_envs.games()                                        # the games' names
    game = pirate_envs.load("skull_king", players=4)           # a game with its options; game.new(seed=7) is a match
    batch = pirate_envs.Batch(game, size=4096, seed=7)         # many matches in lockstep, arrays in and out
    env = pirate_envs.make_aec("skull_king", players=4)        # one match as a PettingZoo AECEnv
    env = pettingzoo.make("aec", "pirates/skull_king-v0")      # the same in PettingZoo's usual wrappers
    from pirate_envs import skull_king_v0                      # and in its classic style: skull_king_v0.env()
    venv = pirate_envs.make_sb3("skull_king", ...)             # a Stable-Baselines3 VecEnv (needs the extra `train`)

`python -m pirate_envs` lists, describes, plays and times the games. Bad input raises a `PirateError` that names the
value and what is allowed; `pirate_envs.testing.check_game` proves the laws that every game keeps.
"""

from typing import TYPE_CHECKING, Any

from pirate_envs.core.errors import (
    BatchError,
    BusyError,
    CheckpointError,
    IllegalActionError,
    MatchOverError,
    MissingExtraError,
    OptionError,
    PirateError,
    PositionError,
    RecordError,
    ReplayError,
    SnapshotError,
    UnknownGameError,
    UnknownPlayerError,
    WeightsError,
)
from pirate_envs.core.extras import import_extra
from pirate_envs.core.game import Game
from pirate_envs.core.sentences import sentences
from pirate_envs.doors.aec import make_aec
from pirate_envs.doors.registry import register_all
from pirate_envs.engine.batch import Batch
from pirate_envs.engine.replay import Replay
from pirate_envs.games import load
from pirate_envs.version import __version__

if TYPE_CHECKING:  # else it is the package of that name, which may be called
    from pirate_envs.games import games

__all__ = [
    "Batch",
    "BatchError",
    "BusyError",
    "CheckpointError",
    "Game",
    "IllegalActionError",
    "MatchOverError",
    "MissingExtraError",
    "OptionError",
    "PirateError",
    "PositionError",
    "RecordError",
    "Replay",
    "ReplayError",
    "SnapshotError",
    "UnknownGameError",
    "UnknownPlayerError",
    "WeightsError",
    "__version__",
    "games",
    "load",
    "make_aec",
    "make_sb3",
    "sentences",
]

globals().update(register_all())  # skull_king_v0 and its like


def __getattr__(name: str) -> Any:
    """`make_sb3` is imported when it is first asked for: it needs torch, which takes seconds. Raises MissingExtraError."""
    if name == "make_sb3":
        return import_extra("pirate_envs.doors.sb3", "make_sb3").make_sb3
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
