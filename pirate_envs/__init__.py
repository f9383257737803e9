"""Pirate card and dice games as fast, exact environments.

    import pirate_envs

    pirate_envs.games()                                        # the games' names
    game = pirate_envs.load("skull_king", players=4)           # a game with its options; game.new(seed=7) is a match
    batch = pirate_envs.Batch(game, size=4096, seed=7)         # many matches in lockstep, arrays in and out
    env = pirate_envs.make_aec("skull_king", players=4)        # one match as a PettingZoo AECEnv
    env = pettingzoo.make("aec", "pirates/skull_king-v0")      # the same in PettingZoo's usual wrappers
    from pirate_envs import skull_king_v0                      # and in its classic style: skull_king_v0.env()
    env = gymnasium.make("pirates/SkullKing-v0", ...)          # one learner's seat; gymnasium.make_vec: many
    venv = pirate_envs.make_sb3("skull_king", ...)             # a Stable-Baselines3 VecEnv (needs the extra `train`)
    env = pirate_envs.make_torchrl("skull_king", lanes=1024)   # a batched TorchRL environment (extra `torchrl`)
    env = pirate_envs.make_rllib("skull_king")                 # an RLlib MultiAgentEnv (extra `rllib`)

`python -m pirate_envs` lists, describes, plays and times the games. Bad input raises a `PirateError` that names the
value and what is allowed; `pirate_envs.testing.check_game` checks the laws that every game keeps.
"""

from typing import TYPE_CHECKING, Any

from pirate_envs.core.errors import (
    BatchError,
    BusyError,
    CheckpointError,
    ClusterError,
    IllegalActionError,
    MatchOverError,
    MissingExtraError,
    OptionError,
    PartnerVersionError,
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
    "ClusterError",
    "Game",
    "IllegalActionError",
    "MatchOverError",
    "MissingExtraError",
    "OptionError",
    "PartnerVersionError",
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
    "make_rllib",
    "make_sb3",
    "make_torchrl",
    "sentences",
]

globals().update(register_all())  # skull_king_v0 and its like


_LATER = {  # name -> its module, and the extra that it needs
    "make_rllib": ("pirate_envs.doors.rllib", "rllib"),
    "make_sb3": ("pirate_envs.doors.sb3", "train"),
    "make_torchrl": ("pirate_envs.doors.torchrl", "torchrl"),
}


def __getattr__(name: str) -> Any:
    """What needs torch, which takes seconds, is imported when it is first asked for.

    Raises MissingExtraError or PartnerVersionError.
    """
    if name in _LATER:
        module, extra = _LATER[name]
        return getattr(import_extra(module, name, extra), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
