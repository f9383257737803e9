"""Learning: two learners, what they meet, and runs that can be cut off and gone on with. Needs the extra `train`.

    from pirate_envs.agents.learning import PPOSettings, train

    run = train(PPOSettings("skull_king", decisions=1_000_000))
    print(run.folder, run.evaluate(deals=500)["random"].table())

A learner's libraries are imported when it is made, and only its own: PPO needs torch, MaskablePPO Stable-Baselines3 too.
"""

from pirate_envs.agents.learning.learner import LEARNERS, Learner, make_learner
from pirate_envs.agents.learning.pool import Pool
from pirate_envs.agents.learning.settings import MaskablePPOSettings, PPOSettings, TrainingSettings
from pirate_envs.agents.learning.training import Training, begin, resume, resumed, run, train

__all__ = [
    "LEARNERS",
    "Learner",
    "MaskablePPOSettings",
    "PPOSettings",
    "Pool",
    "Training",
    "TrainingSettings",
    "begin",
    "make_learner",
    "resume",
    "resumed",
    "run",
    "train",
]
