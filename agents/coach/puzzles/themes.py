"""What a puzzle is about: the best action beside the tempting one, and what happens after each.

A theme is a word of `THEMES`; what it teaches is said in `words/`. Games without a function of their own here have `best`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from pirate_envs.agents.coach import exact
from pirate_envs.agents.player import Agent, decisions_of
from pirate_envs.core.game import Game

TRIED = 24  # worlds in which a trick is played to its end
SURE, SELDOM = 0.6, 0.4  # shares of worlds
SPECIALS = ("skull_king", "scary_mary:pirate", "pirate", "mermaid")  # of Skull King, the dearest first
THEMES = (
    "best",
    "bid_zero", "bid_more", "bid_less", "keep_king", "two_faces", "win_now", "duck", "shed", "stay_low", "reach", "low",
    "win_cheap", "win_dear", "lead",
    "pass", "stake", "stake_more", "stake_less", "stake_other", "overboard", "below", "gift", "no_gift",
    "pick_up", "flip", "hold_special", "spend_special", "which_special", "one_by_one", "all_at_once", "play_high", "play_low",
    "stop", "roll", "dice", "race", "island",
)  # fmt: skip


class Lesson(NamedTuple):
    """A position, the best action and the tempting one: the record is redacted."""

    game: Game
    g: np.record
    best: str
    tempting: str
    policy: Agent
    """Who plays on."""
    solution: exact.Solution | None
    """The game's, in points, if there is one."""


def theme_of(lesson: Lesson) -> tuple[str, dict[str, float]]:
    """The theme, and what happens by name: shares of worlds or numbers."""
    return BY_GAME.get(lesson.game.name, lambda _: ("best", {}))(lesson)


# -- Skull King --------------------------------------------------------------------------------------------------------


def skull_king(lesson: Lesson) -> tuple[str, dict[str, float]]:
    """Bids by their size; cards by whether they win their trick, and by how high they are."""
    best, tempting = (name.partition(" ")[2] for name in (lesson.best, lesson.tempting))
    if lesson.best.startswith("bid"):
        return ("bid_zero" if best == "0" else "bid_more" if int(best) > int(tempting) else "bid_less"), {}
    facts = {"wins": wins_trick(lesson, lesson.best), "wins_tempting": wins_trick(lesson, lesson.tempting)}
    if best.split(":")[0] == tempting.split(":")[0]:
        return "two_faces", facts
    if tempting == "skull_king":
        return "keep_king", facts
    first, second = facts["wins"] >= SURE, facts["wins_tempting"] >= SURE
    higher = height(best) > height(tempting)
    if first and second:
        return ("win_dear" if higher else "win_cheap"), facts
    if first and facts["wins_tempting"] <= SELDOM:
        return "win_now", facts
    if second and facts["wins"] <= SELDOM:
        return "duck", facts
    return unsettled(lesson, facts, higher=higher), facts


def unsettled(lesson: Lesson, facts: Mapping[str, float], *, higher: bool) -> str:
    """The theme where who wins the trick is open, or is not in one's hands."""
    seat = lesson.game.seat_to_move(lesson.g)
    view = lesson.game.view(lesson.g, seat)
    if not view["trick"]:
        return "lead"
    if view["bids"][seat] <= view["tricks_won"][seat]:
        return "shed" if higher else "stay_low"
    if facts["wins"] > facts["wins_tempting"]:
        return "reach"
    return "best" if higher else "low"


def wins_trick(lesson: Lesson, name: str) -> float:
    """In which share of worlds the seat wins the trick that this card is played to."""
    game, g = lesson.game, lesson.g
    seat, won = game.seat_to_move(g), 0
    for number in range(TRIED):
        world, action, winner = game.determinized(g, seat, number), game.action(g, name), None
        while winner is None:
            before = world.copy()
            game.apply(world, action)
            events = game.events(before, action, world, seat)
            winner = next((event["winner"] for event in events if event["event"] == "trick_won"), None)
            if winner is None:
                action = int(lesson.policy.act(decisions_of(game, world))[0])
        won += winner == seat
    return won / TRIED


def height(card: str) -> float:
    """How high a card is: numbers of the usual suits, then black ones, then characters."""
    if card in SPECIALS:
        return 40 - SPECIALS.index(card)
    suit, _, number = card.rpartition("_")
    return (int(number) + (14 if suit == "black" else 0)) if number.isdecimal() else 0


# -- Piratenpoker ------------------------------------------------------------------------------------------------------


def piratenpoker(lesson: Lesson) -> tuple[str, dict[str, float]]:
    """Stakes by how many cards they are; else by the kind of action."""
    (verb, *words), (other, *more) = lesson.best.split(), lesson.tempting.split()
    if verb == "bid":
        sizes = "stake" if other != "bid" else f"stake_{_compared(len(words), len(more), 'other')}"
        return sizes, {}
    if verb == "give":
        return ("no_gift" if words == ["nothing"] else "gift"), {}
    return (verb if verb in THEMES else "best"), {}


def _compared(first: int, second: int, same: str) -> str:
    return same if first == second else "more" if first > second else "less"


# -- Lucky Pirate ------------------------------------------------------------------------------------------------------


def lucky_pirate(lesson: Lesson) -> tuple[str, dict[str, float]]:
    """Which cards are played, and how many of them."""
    (verb, *cards), (other, *more) = lesson.best.split(), lesson.tempting.split()
    if verb != "play":
        return {"pick": "pick_up", "flip": "flip", "stop": "stop"}.get(verb, "best"), {}
    if other != "play":
        return "best", {}
    if cards[0] == more[0]:
        return ("all_at_once" if len(cards) > len(more) else "one_by_one"), {}
    special, others = (not names[0].isdecimal() for names in (cards, more))
    if special != others:
        return ("spend_special" if special else "hold_special"), {}
    if special:
        return "which_special", {}
    return ("play_high" if int(cards[0]) > int(more[0]) else "play_low"), {}


# -- Piraten Kapern ----------------------------------------------------------------------------------------------------


def piraten_kapern(lesson: Lesson) -> tuple[str, dict[str, float]]:
    """Stop or roll; a race where the points alone would say otherwise."""
    game, g = lesson.game, lesson.g
    best, tempting = (game.action(g, name) for name in (lesson.best, lesson.tempting))
    if lesson.solution is None:
        return "best", {}
    points = exact.known(lesson.solution, g)
    facts = {"points": points[best][0].mean, "points_tempting": points[tempting][0].mean}
    if points[best][1].mean > 0 and facts["points"] < max(value.mean for value, _ in points.values()):
        return "race", facts
    if game.view(g, game.seat_to_move(g))["island"]:
        return "island", facts
    if lesson.best == "stop":
        return "stop", facts
    return ("roll" if lesson.tempting == "stop" else "dice"), facts


BY_GAME: dict[str, Callable[[Lesson], tuple[str, dict[str, float]]]] = {
    "skull_king": skull_king, "piratenpoker": piratenpoker, "lucky_pirate": lucky_pirate, "piraten_kapern": piraten_kapern,
}  # fmt: skip
