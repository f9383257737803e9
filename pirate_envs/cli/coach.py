"""`coach`: a saved match reviewed for one seat."""

from __future__ import annotations

import argparse
from pathlib import Path

from pirate_envs.agents.coach import Budget, Review, review
from pirate_envs.agents.coach.telling import Block, Heading, Position, Sheet, told
from pirate_envs.agents.table.replay_page import page
from pirate_envs.cli.outputs import check_outputs
from pirate_envs.cli.text import fitted, print_table
from pirate_envs.core.files import write_text
from pirate_envs.engine.replay import Replay

WRITES = {
    "json": "write the review as data",
    "markdown": "write it as a page of text",
    "html": "write a page that plays the match in a browser with what the coach says, as --seat saw it and with all open",
}
BESIDE = ""  # an output without a name of its own
SUFFIXES = {"json": ".json", "markdown": ".md", "html": ".html"}


def add_arguments(command: argparse.ArgumentParser) -> None:
    """What can be said after `pirates coach`."""
    command.add_argument("file", metavar="FILE", help="a whole match: what `play --save` or `Replay.save` wrote")
    command.add_argument("--seat", type=int, default=0, metavar="N", help="whose decisions are judged, counted from 0")
    command.add_argument(
        "--worlds",
        type=int,
        default=Budget.worlds,
        metavar="N",
        help="imagined worlds of an action at most: more tell finer differences",
    )
    command.add_argument("--seed", type=int, default=Budget.seed, metavar="N", help="which worlds")
    command.add_argument("--policy", default=Budget.policy, metavar="NAME", help="who plays on in the worlds: policy:FOLDER")
    command.add_argument(
        "--uniform", action="store_true", help="worlds all alike, not by what the others' decisions say of them"
    )
    for kind, suffix in SUFFIXES.items():
        command.add_argument(
            f"--{kind}", nargs="?", const=BESIDE, metavar="OUT",
            help=f"{WRITES[kind]}; without OUT beside the match, as FILE.seatN{suffix}",
        )  # fmt: skip


def coach(given: argparse.Namespace) -> None:
    """Review a saved match: what one seat's decisions cost, what would have been better, and what was luck."""
    budget = Budget(given.worlds, given.seed, given.policy, belief=not given.uniform)
    outs = {kind: place for kind in SUFFIXES if (place := out(given, kind)) is not None}
    check_outputs(outs, Path(given.file))
    judged = review(Replay.load(given.file), given.seat, budget)
    for kind, place in outs.items():  # first: who reads what is printed may leave before its end
        write(judged, kind, place, given.language)
    for block in told(judged):
        show(block)
    for place in outs.values():
        print(f"Saved: {place}")


def out(given: argparse.Namespace, kind: str) -> Path | None:
    """Where the review is written in that form; None: nowhere."""
    name = getattr(given, kind)
    if name is None:
        return None
    match = Path(given.file)
    return Path(name) if name != BESIDE else match.with_name(f"{match.stem}.seat{given.seat}{SUFFIXES[kind]}")


def write(judged: Review, kind: str, place: Path, language: str) -> None:
    """Write it in that form."""
    if kind == "json":
        judged.save(place)
    else:
        write_text(place, judged.markdown() if kind == "markdown" else page(judged.replay, judged.seat, language, (), judged))


def show(block: Block) -> None:
    """Print a part of the review."""
    if isinstance(block, Heading):
        print(f"\n{fitted(block.text)}\n{'-' * len(block.text)}")
    elif isinstance(block, Sheet):
        print_table([block.head, *block.rows])
    else:
        print(fitted(block.text if isinstance(block, Position) else block))
