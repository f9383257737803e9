"""Search-improved targets: is guided search better than the policy that guides it, and can the policy learn what it chose?

    python -m experiments.targets skull_king                     the policy that comes with the game
    python -m experiments.targets skull_king --matches 8192      goes on: what has been searched is kept
    python -m experiments.targets skull_king --policy policy:RUN again, from what came of it

Guided search is asked at positions of the policy's own matches. First its choices and the policy's are played out from the
true positions of held-out matches: the difference says whether the targets are better than the policy. Only if it is
above 0 beyond chance, the network is trained on those of the other matches, and the outcome measured in duplicate matches.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
from tqdm import tqdm

from experiments.command import RESULTS, GameName, WorkerFlags, check_numbers, run_command
from experiments.kept import digest_of
from pirate_envs import load
from pirate_envs.agents import agent
from pirate_envs.agents.arena.chunks import Arrays, ChunkFolder, chunk_name, done_once
from pirate_envs.agents.arena.duplicate import LARGEST_SEED, MOST_DEALS, split, versus
from pirate_envs.agents.arena.statistics import Interval, bootstrap_weights, ratio
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.agents.guided import GuidedSearch
from pirate_envs.agents.learning import runs
from pirate_envs.agents.learning.fast import TorchPolicy, faster_precision
from pirate_envs.agents.learning.improving import Improvement, Losses, fit, foretold, sureness
from pirate_envs.agents.learning.searched import SearchedPositions, Searching, checked, joined
from pirate_envs.agents.names import PRETRAINED
from pirate_envs.agents.policy import Policy
from pirate_envs.agents.report import Results, command, machine, markdown_table
from pirate_envs.core.errors import OptionError, UnknownPlayerError
from pirate_envs.core.game import Game
from pirate_envs.core.jit import source_hash
from pirate_envs.core.options import whole_number

KIND, SECONDS = "searched positions", "seconds"
CHUNK = 128  # matches
HELD_OUT = 8  # of so many chunks the last one is held out
MEASURING = 5  # seed of the deals
EDGES = (0.5, 0.8, 0.95, 0.99, 1.0)  # of how sure a search is
MOST = 1 << 20  # matches
SEARCHED_BY = ("policy", "playouts", "beliefs", "guided", "learning/fast", "learning/searched")
SOURCES = tuple(f"agents/{name}.py" for name in SEARCHED_BY)
"""What is found depends on, beside all that is compiled."""
PARTS = 4  # of the curve: all positions, half of them, a quarter, an eighth


@dataclass
class TargetSettings:
    """Ask guided search at positions of a policy of GAME, and train the policy on what it chose if that is better."""

    game: GameName
    """name of the game"""
    policy: str = "policy:pretrained"
    """the policy"""
    players: int = 4
    """seats at the table"""
    matches: int = 2048
    """matches that positions are taken from, 128 a chunk; every eighth chunk is held out"""
    first: int = 0
    """number of the first match; from another one on, other matches are played"""
    share: float = 0.08
    """of the decisions with a choice, at which the search is asked"""
    worlds: int = 64
    """of a search"""
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    """of the playouts: float32, bfloat16, or auto: that of what has been searched, else which of both takes less time here"""
    learn: Improvement = field(default_factory=Improvement)
    """how the network is trained"""
    deals: int = 2000
    """of each measurement of what came of it, each in every rotation"""
    searched: Path = Path("runs/searched")
    """in a folder of the game, the policy's weights and the precision there: what the searches found"""
    out: Path = Path("runs")
    """where the run folder is made"""
    workers: WorkerFlags = field(default_factory=Workers)
    """who searches"""
    write: bool = False
    """keep the figures in experiments/results"""


# -- asking the search -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """What searches found."""

    known: SearchedPositions
    """To learn from."""
    held_out: SearchedPositions
    seconds: float
    """That it took, now and before."""


def gathered(game: Game, policy: Policy, settings: TargetSettings) -> Asked:
    """What lies in the folder, and what is missing there, searched now."""
    precision, folder = folder_of(policy, settings)
    identity = {
        "game": game.id,
        "options": game.options.changed(),
        "policy": policy.learned,
        "share": settings.share,
        "worlds": settings.worlds,
        "precision": precision,
        "engine": source_hash(),
        "sources": digest_of(SOURCES),
    }
    kept = ChunkFolder(folder, KIND, identity)
    chunks = split(range(settings.first, settings.first + settings.matches), CHUNK)
    fast = TorchPolicy.of(policy, precision)
    search = GuidedSearch(game, f"search:guided:{settings.worlds}", fast, settings.worlds, by_belief=bool(policy.belief))
    work = Searching(game, policy, search, settings.share)
    with settings.workers.doing(work) as do, tqdm(total=settings.matches, unit="match", disable=None) as bar:

        def timed(missing: Iterable[range]) -> Iterator[tuple[range, Arrays]]:
            before = time.perf_counter()
            for chunk, positions in do(missing):
                now = time.perf_counter()
                yield chunk, {**positions.arrays(), SECONDS: np.array([now - before])}
                before = now

        done = done_once(timed, chunks, kept, lambda chunk: bar.update(len(chunk)))
    seconds = sum(float(arrays.get(SECONDS, np.zeros(1)).sum()) for arrays in done)
    every = [checked(game, arrays, kept.chunks / chunk_name(chunk)) for chunk, arrays in zip(chunks, done, strict=True)]
    known = [part for number, part in enumerate(every) if number % HELD_OUT != HELD_OUT - 1]
    return Asked(joined(known), joined(every[HELD_OUT - 1 :: HELD_OUT]), seconds)


def folder_of(policy: Policy, settings: TargetSettings) -> tuple[str, Path]:
    """The precision of the playouts, and the folder of what is searched by it.

    With auto it is that of a folder which is there already, else the one that this processor takes less time for.
    """

    def folder(precision: str) -> Path:
        return settings.searched / f"{settings.game}-{policy.learned:.12}-{precision}"

    precision: str = settings.precision
    if precision == "auto":
        begun = [each for each in ("float32", "bfloat16") if folder(each).exists()]
        precision = begun[0] if begun else faster_precision(policy)
    return precision, folder(precision)


def check_asked(asked: Asked, settings: TargetSettings) -> None:
    """See that enough was asked to judge and to learn by. Raises OptionError."""
    for part, positions, least in (("held-out", asked.held_out, 1), ("other", asked.known, 1 << (PARTS - 1))):
        if len(positions) < least:
            raise OptionError(
                f"--share is {settings.share:g}, --matches {settings.matches}: the search was asked at {len(positions)} "
                f"positions of {part} matches; needed: {least} or more, which a larger --share (usual: "
                f"{TargetSettings.share:g}) or more --matches bring"
            )


# -- are they better? --------------------------------------------------------------------------------------------------


def truly_gained(positions: SearchedPositions) -> dict[str, Any]:
    """What the search's choices truly brought above the policy's: means by match with their intervals."""
    numbers = np.unique(positions.matches, return_inverse=True)[1]
    count = int(numbers.max()) + 1
    resamples = bootstrap_weights(count)

    def mean(values: np.ndarray, rows: np.ndarray) -> dict[str, float]:
        under = np.bincount(numbers[rows], minlength=count).astype(float)
        found = ratio(np.bincount(numbers[rows], values[rows], count), under, resamples)
        return asdict(found or Interval(0.0, 0.0, 0.0))

    def row(rows: np.ndarray) -> dict[str, Any]:
        gains = {"wins": mean(positions.gained_wins, rows), "points": mean(positions.gained_points, rows)}
        return {"decisions": int(rows.sum()), **gains}

    differs, sure = positions.differs, sureness(positions)
    groups = [
        {"from": low, "to": high, **row(differs & (sure >= low) & (sure < high if high < 1 else sure <= high))}
        for low, high in pairwise(EDGES)
    ]
    every = np.ones(len(positions), bool)
    return {"matches": count, "every": row(every), "differs": row(differs), "groups": groups}


def is_better(gained: dict[str, Any]) -> bool:
    """Whether the gain of wins or of points is above 0 beyond chance, and neither below."""
    told = [Interval(**gained["every"][unit]) for unit in ("wins", "points")]
    return any(each.low > 0 for each in told) and all(each.high > 0 for each in told)


# -- learning, measuring -----------------------------------------------------------------------------------------------


def trained(
    policy: Policy, known: SearchedPositions, held_out: SearchedPositions, how: Improvement
) -> tuple[Policy, list[dict[str, float]]]:
    """The improved policy, and the losses on held-out positions of the start and of each pass."""
    losses: list[dict[str, float]] = []

    def told(epoch: int, now: Losses) -> None:
        losses.append(asdict(now))
        print(f"pass {epoch}: divergence {now.policy:.5f}, win {now.win:.4f}, gain {now.gain:+.5f}", flush=True)

    return fit(policy, known, held_out, how, told), losses


def curve(
    policy: Policy, known: SearchedPositions, held_out: SearchedPositions, how: Improvement
) -> tuple[Policy, list[dict[str, Any]]]:
    """The policy improved by all positions, and what half of them, a quarter and so on would have brought."""
    rows: list[dict[str, Any]] = []
    improved = policy
    for part in reversed(range(PARTS)):
        some = known.taken(slice(len(known) >> part))
        print(f"trained on {len(some):,} positions, held out: {len(held_out):,}")
        improved, losses = trained(policy, some, held_out, how)
        kept = min(losses, key=lambda each: each["policy"])
        rows.append({"positions": len(some), "passes": losses.index(kept), "start": losses[0], "kept": kept, "end": losses[-1],
                     "foretold": asdict(foretold(some, held_out))})  # fmt: skip
    return improved, rows


def run_folder(settings: TargetSettings, improved: Policy, decisions: int, minutes: float) -> Path:
    """A run's folder with the improved policy, as `experiments.ship` takes it."""
    folder = runs.new_folder(settings.out, settings.game)
    shipped = settings.policy == "policy:pretrained"
    start = PRETRAINED / settings.game if shipped else settings.policy.removeprefix("policy:")
    told = {"learner": "targets", "game": settings.game, "start": str(start), "seed": settings.learn.seed,
            "worlds": settings.worlds, "matches": settings.matches, "share": settings.share,
            **asdict(settings.learn)}  # fmt: skip
    improved.settings = told
    runs.write_settings(folder, told, command("experiments.targets"))
    numbers = {"decisions": decisions, "seconds": 60 * minutes}
    runs.save_checkpoint(folder / "checkpoints", improved, {}, numbers, keep=1)
    Results(folder).write_json("results", {"decisions": decisions, "minutes": minutes})
    return folder


def measured(game: Game, start: Policy, improved: Policy, deals: int) -> dict[str, Any]:
    """Field -> what one improved policy does among three of it, and what the start does there."""
    fields = {"start": start, "rules:strongest": agent(game, "rules:strongest")}
    found: dict[str, Any] = {}
    for name, among in fields.items():
        found[name] = {who: _figures(game, one, among, deals) for who, one in (("improved", improved), ("start", start))
                       if name != who}  # fmt: skip
    return found


def _figures(game: Game, one: Policy, among: Any, deals: int) -> dict[str, Any]:
    first = versus(game, one, among, deals, MEASURING).first()
    return {name: asdict(first[name]) for name in ("win_share", "margin")}


# -- telling -----------------------------------------------------------------------------------------------------------


def page(contents: list[dict[str, Any]]) -> str:
    """As Markdown: were the targets better, and what came of them."""
    head = ["game", "the search", "decisions", "share of the win above the policy's choice", "points above it"]
    rows = [cells for content in contents for cells in _gain_rows(content)]
    parts = [markdown_table(head, rows, "llrrr"), _intro(contents)]
    told = [content for content in contents if content["taught"]]
    if told:
        titles = ["game", "positions", "divergence before", "least", "after so many passes", "after the last",
                  "gain of a decision", "leads foretold", "of at most"]  # fmt: skip
        learned = [cells for content in told for cells in _curve_rows(content)]
        parts.append("What a network trained on so many of the other positions makes of the held-out ones:\n")
        parts.append(markdown_table(titles, learned, "lr"))
        parts.append(
            "The policy is kept as it was after the pass with the least divergence from the targets; 0: as it began. The gain, "
            "in units of the reward, is by the searches' worlds, of what its drawn actions bring after the last pass. Leads "
            "foretold: the share of the variance of the searches' leads, each weighted by how little noise is in it, that a "
            "new network, which learned the leads themselves from the other positions, says of the held-out ones; at most is "
            "what is not noise.\n"
        )
    matches = [cells for content in told if content["taught"]["measured"] for cells in _taught_rows(content)]
    if matches:
        head = ["game", "among", "matches won by the policy it began with", "by the one trained on the targets", "its margin"]
        parts += [markdown_table(head, matches, "llr"), "Duplicate matches, 95 % intervals by deal.\n"]
    return "\n".join(parts)


def _intro(contents: list[dict[str, Any]]) -> str:
    commands = ", ".join(f"`{content['command']}`" for content in contents)
    return (
        f"Both choices played out from the true positions of held-out matches by copies of the policy, the same chance to "
        f"come; intervals by match. Command: {commands}. {contents[0]['machine']}.\n"
    )


def _gain_rows(content: dict[str, Any]) -> list[list[str]]:
    gained = content["gained"]
    named = [("asked where there is a choice", gained["every"]), ("chose otherwise", gained["differs"])]
    named += [(f"... {group['from']:.0%} to {group['to']:.0%} sure", group) for group in gained["groups"]]
    return [
        [content["game"], name, f"{row['decisions']:,}", Interval(**row["wins"]).percent("+"), _points(row["points"])]
        for name, row in named
    ]


def _points(interval: dict[str, float]) -> str:
    told = Interval(**interval)
    return told.written("+.3f" if abs(told.mean) < 1 else "+.1f")


def _curve_rows(content: dict[str, Any]) -> list[list[str]]:
    rows = []
    for row in content["taught"]["curve"]:
        start, kept, end = (f"{row[when]['policy']:.4f}" for when in ("start", "kept", "end"))
        gain = f"{row['end']['gain']:+.5f}"
        leads = [f"{row['foretold'][which]:.1%}" if "foretold" in row else "-" for which in ("held_out", "at_most")]
        rows.append([content["game"], f"{row['positions']:,}", start, kept, str(row["passes"]), end, gain, *leads])
    return rows


def _taught_rows(content: dict[str, Any]) -> list[list[str]]:
    rows, seats = [], content["players"] - 1
    for field_name, told in content["taught"]["measured"].items():
        won = {who: Interval(**figures["win_share"]).percent() for who, figures in told.items()}
        margin = _points(told["improved"]["margin"])
        among = f"{seats} x {'the same' if field_name == 'start' else f'`{field_name}`'}"
        rows.append([content["game"], among, won.get("start", f"{1 / content['players']:.1%}"), won["improved"], margin])
    return rows


def check(settings: TargetSettings) -> None:
    """Raises OptionError."""
    check_numbers(settings, matches=(HELD_OUT * CHUNK, MOST), first=(0, MOST), worlds=(2, 999_999), deals=(1, MOST_DEALS))
    whole_number("--learn.seed", settings.learn.seed, 0, LARGEST_SEED)
    if settings.matches % CHUNK:
        raise OptionError(f"--matches is {settings.matches}; allowed: a multiple of {CHUNK}")
    if not 0 < settings.share <= 1:
        raise OptionError(f"--share is {settings.share}; allowed: above 0, up to 1")
    settings.learn.check()
    settings.workers.check()


def main(settings: TargetSettings) -> dict[str, Any]:
    """Search, play out, print; where that is better: train, measure, print and perhaps write."""
    check(settings)
    game = load(settings.game, players=settings.players)
    policy = agent(game, settings.policy)
    if not isinstance(policy, Policy):
        raise UnknownPlayerError(f"{settings.policy!r} is no policy; needed: policy:pretrained or policy:FOLDER")
    asked = gathered(game, policy, settings)
    check_asked(asked, settings)
    gained = truly_gained(asked.held_out)
    content = {
        "game": game.id, "players": game.players, "policy": settings.policy, "gained": gained, "taught": None,
        "positions": len(asked.known), "machine": machine(), "command": command("experiments.targets"),
    }  # fmt: skip
    if is_better(gained):
        content["taught"] = taught(game, policy, asked, settings)
    else:
        print("the search's choices are not better than the policy's beyond chance: nothing is learned from them")
    print(page([content]))
    if settings.write:
        results = Results(RESULTS)
        results.write_json(f"targets_{game.name}", content)
        results.write_page("targets", page(results.all("targets_*")))
    return content


def taught(game: Game, policy: Policy, asked: Asked, settings: TargetSettings) -> dict[str, Any]:
    """Train, keep the policy if held-out positions say that it has learned anything, and measure it."""
    start = time.perf_counter()
    improved, learned = curve(policy, asked.known, asked.held_out, settings.learn)
    if improved.acts_by == policy.acts_by:
        print("nothing that it learned holds on held-out positions: there is no new policy")
        return {"curve": learned, "measured": None}
    minutes = (asked.seconds + time.perf_counter() - start) / 60
    folder = run_folder(settings, improved, len(asked.known) + len(asked.held_out), minutes)
    print(f"run folder: {folder}")
    return {"curve": learned, "measured": measured(game, policy, improved, settings.deals)}


if __name__ == "__main__":
    run_command(main, TargetSettings, __doc__, interrupted="interrupted: the same command goes on from here")
