"""A learning rate for Lucky Pirate by Ray Tune: every rate with several seeds, a core each, on this machine or a cluster.

    python examples/ray_tune.py
    python examples/ray_tune.py --address 10.0.0.1:6379 --decisions 20000000

Needs `pip install 'pirate-envs[train,ray]'`. A trial reports its margin to three of the strongest rule player while it learns;
half of the rates, those whose margins are lowest, are stopped at a quarter and at half of the way.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ray import tune
from ray.tune.schedulers import ASHAScheduler

from pirate_envs.agents.arena.ray_cluster import connect
from pirate_envs.agents.learning import PPOSettings, Training, train

RATES, SEEDS = (3e-4, 1e-3, 2.5e-3, 8e-3, 3e-2), (0, 1)
FIELD = "rules:weighs_odds"


def trial(chosen: dict[str, float]) -> None:
    """Train with this learning rate and seed; Ray Tune calls it in a process of its own."""
    decisions, reported = int(chosen["decisions"]), 0

    def watch(training: Training, _: object) -> None:
        nonlocal reported
        quarter = 4 * training.decisions // decisions
        if quarter > reported:
            reported = quarter
            against = training.evaluate(deals=250, seed=7)[FIELD].first()
            tune.report({"quarter": quarter, "margin": against["margin"].mean, "win_share": against["win_share"].mean})

    train(
        PPOSettings(
            "lucky_pirate", decisions=decisions, learning_rate=chosen["learning_rate"], seed=int(chosen["seed"]), out=None,
            evaluate_minutes=1e6,
        ),
        watch,
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decisions", type=int, default=2_000_000, help="of each trial")
    parser.add_argument("--address", help="HOST:PORT of a Ray cluster's head")
    parser.add_argument("--out", type=Path, default=Path("runs/ray_tune"), help="where Ray Tune keeps what it does")
    given = parser.parse_args()
    connect(given.address)  # and send it this code
    tuner = tune.Tuner(
        tune.with_resources(trial, {"cpu": 1}),
        param_space={
            "learning_rate": tune.grid_search(list(RATES)),
            "seed": tune.grid_search(list(SEEDS)),
            "decisions": given.decisions,
        },
        tune_config=tune.TuneConfig(
            metric="margin",
            mode="max",
            scheduler=ASHAScheduler(time_attr="quarter", max_t=4, grace_period=1, reduction_factor=2),
        ),
        run_config=tune.RunConfig(name="lucky_pirate", storage_path=str(given.out.resolve()), verbose=0),
    )
    table = tuner.fit().get_dataframe()
    table = table[["config/learning_rate", "config/seed", "quarter", "margin", "win_share"]]
    print(table.sort_values(["quarter", "margin"], ascending=False).to_string(index=False))
    whole = table[table["quarter"] == table["quarter"].max()]
    means = whole.groupby("config/learning_rate")["margin"].mean()
    print(f"best learning rate: {means.idxmax():g}, margin {means.max():+.2f}")


if __name__ == "__main__":
    main()
