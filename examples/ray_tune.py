"""Find a learning rate for Lucky Pirate with Ray Tune: ``python examples/ray_tune.py [DECISIONS]``.

Every learning rate is tried with two seeds, each trial on a core of its own, wherever Ray finds one; the best rate is that of
the highest mean over its seeds. Needs the extra ``train``, and Ray with its extra
``tune``. On a cluster that runs already say
``RAY_ADDRESS=HOST:PORT`` before the command.
"""

import sys
import tempfile
from collections import defaultdict
from statistics import mean
from typing import Any

import torch
from ray import tune

from pirate_envs.agents.learning import PPOSettings, Training

GAME, RATES, SEEDS = "lucky_pirate", (3e-4, 1e-3, 3e-3, 1e-2), (0, 1)


def trial(config: dict[str, Any]) -> None:
    """Train one policy and report how often it beats three of the strongest rule player; an even share is 0.25."""
    torch.set_num_threads(1)
    learning = {name: config[name] for name in ("decisions", "learning_rate", "seed", "lanes")}
    training = Training(None, PPOSettings(GAME, out=None, precision="float32", **learning))
    while training.progress < 1:
        training.iterate()
    strongest = f"rules:{training.game.rule_players[-1]}"
    tune.report({"won": training.evaluate(deals=config["deals"])[strongest].first()["win_share"].mean})


def main(decisions: int = 3_000_000, deals: int = 500, lanes: int = 1024, rates: tuple[float, ...] = RATES) -> float:
    """Try all rates, print what each has won, and return the best one."""
    with tempfile.TemporaryDirectory() as folder:
        tuner = tune.Tuner(
            tune.with_resources(trial, {"cpu": 1}),
            param_space={
                "learning_rate": tune.grid_search(list(rates)), "seed": tune.grid_search(list(SEEDS)),
                "decisions": decisions, "deals": deals, "lanes": lanes,
            },
            tune_config=tune.TuneConfig(metric="won", mode="max"),
            run_config=tune.RunConfig(storage_path=folder, verbose=0),
        )  # fmt: skip
        results = tuner.fit()
    if results.errors:
        raise results.errors[0]
    won = defaultdict(list)
    for result in results:
        won[result.config["learning_rate"]].append(result.metrics["won"])
    for rate in rates:
        print(f"learning rate {rate:g}: wins {mean(won[rate]):.1%} ({', '.join(f'{each:.1%}' for each in won[rate])})")
    best = max(rates, key=lambda rate: mean(won[rate]))
    print(f"the best is {best:g}")
    return best


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
