"""`play` and `replay`: a match at the terminal, and a saved one shown again."""

from __future__ import annotations

import argparse
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from pirate_envs.agents import Agent, agent
from pirate_envs.agents.coach.hint import Adviser
from pirate_envs.agents.names import strongest_name
from pirate_envs.agents.player import decisions_of
from pirate_envs.agents.table.replay_page import page
from pirate_envs.cli.bench import chosen_game
from pirate_envs.cli.outputs import check_outputs
from pirate_envs.cli.text import about, bars, fitted, listed, manual_text
from pirate_envs.core.composer import LISTED, composed, questions
from pirate_envs.core.errors import IllegalActionError, OptionError, PirateError
from pirate_envs.core.events import Event
from pirate_envs.core.files import write_text
from pirate_envs.core.game import Game
from pirate_envs.core.sentences import USUAL, seat_names, sentences
from pirate_envs.core.signals import Terminated
from pirate_envs.engine.replay import Replay
from pirate_envs.search.hidden import is_hidden

EXAMPLES = 3  # of a kind of action, in the legend
LEAVE = "q"
MEANT = {"quit": LEAVE, "exit": LEAVE}  # what people enter as well
COMMANDS = {
    "hint": "what a strong player would do, and your chances",
    "rules": "the game's rules",
    "legend": "how to read the position; legend WORD: the rules that mention it",
    "?": "the position again",
    LEAVE: "leave",
}
HELP = (
    "Enter an action by its name, the beginning of it, or its number; of many dice or cards only which ones, or keep and the "
    "others; or hint, rules, legend, help, ? or q (leave)."
)


def play(given: argparse.Namespace) -> None:
    """Play a game at the terminal."""
    game = chosen_game(given, given.game)
    seat = game.check_seat(given.seat)
    if given.save:
        check_outputs({"save": Path(given.save)})
    seed = secrets.randbits(32) if given.seed is None else given.seed
    g = game.new(seed)
    others = seated(game, seat, given.opponent)
    against = dict.fromkeys(player.name for player in others.values())
    about_it = f"{game.title}, match {seed} (--seed {seed} deals it again)"
    print(fitted(f"{about_it}: you are player {seat}, against {', '.join(against)}."))
    print(fitted(HELP))
    person = Person(game, seat, given.language)
    names: list[str] = []
    try:
        play_on(person, others, g, np.random.default_rng(seed), names)
    finally:  # whatever has ended it, and first: a terminal that is closed takes no more words
        if given.save:
            Replay.of(game, seed, names).save(given.save)
    print(f"\n{fitted(game.render(g, seat if not game.is_over(g) else None))}")
    person.show_scores(g)
    if game.is_over(g):
        print()
        person.tell([{"event": "match_over", "scores": game.payoffs(g).tolist(), "winners": game.winners(g)}])
    else:
        print(fitted(f"\nYou left after {len(names)} decisions. Points: {standing(game, g)}."))
    if given.save:
        print(f"Saved: {given.save}")


def seated(game: Game, seat: int, names: Sequence[str]) -> dict[int, Agent]:
    """The players of the other seats: one name for all of them, one for each in the order of seats, or none: the strongest."""
    others = [other for other in range(game.players) if other != seat]
    if len(names) not in (0, 1, len(others)):
        raise OptionError(f"--opponent is given {len(names)} times; needed: once, or once for each of {len(others)} seats")
    names = list(names) or [strongest_name(game)]
    players = [agent(game, name) for name in names]
    return dict(zip(others, players if len(players) > 1 else players * len(others), strict=True))


def play_on(person: Person, others: dict[int, Agent], g: np.record, chance: np.random.Generator, names: list[str]) -> None:
    """Play the match to its end, or until the person leaves; the names of the actions are added as they are played."""
    while not person.game.is_over(g):
        action = decided(person, others, g, chance)
        if action is None:
            break
        before = g.copy()
        person.game.apply(g, action)
        names.append(person.game.action_name(before, action))
        events = known(person.game, before, action, g, person.seat)
        person.tell(event for event in events if event["event"] != "match_over")


def decided(person: Person, others: dict[int, Agent], g: np.record, chance: np.random.Generator) -> int | None:
    """The action of the seat to move, or None if the person leaves."""
    mover = person.game.seat_to_move(g)
    if mover == person.seat:
        return person.decide(g)
    return int(others[mover].act(decisions_of(person.game, g, chance.random()))[0])


def known(game: Game, before: np.record, action: int, after: np.record, seat: int) -> list[Event]:
    """What a decision brought, as the seat could see it; where a game tells no events, the action unless it is hidden."""
    events = game.events(before, action, after, seat)
    if game.telling is None and game.seat_to_move(before) != seat and not is_hidden(game, before, seat):
        events[0]["action"] = game.action_name(before, action)
    return events


def standing(game: Game, g: np.record) -> str:
    """Every player's points."""
    return ", ".join(f"player {other} {score}" for other, score in enumerate(game.payoffs(g)))


# -- the prompt ------------------------------------------------------------------------------------------------------------


@dataclass
class Person:
    """Who sits at the terminal, on this seat."""

    game: Game
    seat: int
    language: str = USUAL
    """Of what is told (core/sentences.py)."""
    adviser: list[Adviser] = field(default_factory=list)
    """Who gives hints; made when the first is asked for."""
    shown_scores: list[int] = field(default_factory=list)
    """As the person has last seen them pictured."""

    def decide(self, g: np.record) -> int | None:
        """The person's action, or None to leave (q, end of input, Ctrl-C)."""
        self.show_scores(g)
        show(self.game, g, self.seat)
        doing: dict[str, Callable[[], None]] = {
            "?": lambda: show(self.game, g, self.seat),
            "hint": lambda: print(self.hint(g)),
            "help": lambda: print(fitted("\n".join([HELP, *(f"  {word:<7} {what}" for word, what in COMMANDS.items())]))),
        }
        answer = prompted(self.game, g, doing)
        return answer if isinstance(answer, int) else None

    def tell(self, events: Iterable[Event]) -> None:
        """Print what happened."""
        for sentence in sentences(self.game, list(events), self.seat, self.language):
            print(fitted(sentence))

    def show_scores(self, g: np.record) -> None:
        """Picture the points, if a hand, a turn or whatever scores has changed them since the person last saw them."""
        scores = self.game.payoffs(g).tolist()
        before = self.shown_scores or [0] * len(scores)
        if scores != before:
            print("\n" + "\n".join(bars(seat_names(self.game, self.seat, self.language), before, scores)))
        self.shown_scores = scores

    def hint(self, g: np.record) -> str:
        """What the adviser would do, or why there is none."""
        if not self.adviser:
            try:
                self.adviser.append(Adviser(self.game))
            except PirateError as error:  # a policy that does not fit, say: no reason to end the match
                return f"No advice: {error}"
        hint = self.adviser[0].hint(g)
        chance = "" if hint.win is None else f"; chance of winning about {hint.win:.0%}"
        return f"{hint.by} would: {hint.name}{chance}"


def prompted(
    game: Game, g: np.record, doing: Mapping[str, Callable[[], None]], leaving: tuple[str, ...] = (LEAVE,)
) -> int | str:
    """The legal action that a person enters, or the word of `leaving` that ends it: the first at the end of input and Ctrl-C.

    `doing`: other words, and what is done then; `legend` and `rules` are always known.
    """
    usual = {"rules": lambda: print(manual_text(game.manual.strip()))}
    known_words = {**usual, **doing}
    while True:
        try:
            answer = " ".join(input("> ").split())
            answer = MEANT.get(answer, answer)
        except Terminated:
            raise
        except (EOFError, KeyboardInterrupt):
            print()
            return leaving[0]
        if answer in leaving:
            return answer
        if answer in known_words:
            known_words[answer]()
        elif answer.split(" ")[0] == "legend":
            print(legend(game, g, answer.partition(" ")[2]))
        elif answer:
            try:
                return meant(game, g, answer)
            except ValueError as error:  # an IllegalActionError, or more digits than int() takes
                print(fitted(str(error)))


def show(game: Game, g: np.record, seat: int) -> None:
    """Print the position as the seat sees it, and its legal actions."""
    print(f"\n{fitted(game.render(g, seat))}\n")
    for question, items in questions(legal_names(game, g)):
        print(listed([f"{question} ", *items] if question else items))


def legal_names(game: Game, g: np.record) -> dict[str, int]:
    """Name -> id of every legal action."""
    return {game.action_name(g, action): action for action in game.legal_actions(g)}


def meant(game: Game, g: np.record, answer: str) -> int:
    """The legal action of that number or name; of those words alone, in any order, or of all others after `keep`; or the only
    one whose name begins so, with or without its first word.

    Raises IllegalActionError, which lists the names that it may stand for.
    """
    if answer.lstrip("-").isdecimal() and answer.count("-") <= 1:
        return game.check_action(g, int(answer))
    names = legal_names(game, g)
    if answer in names:
        return names[answer]
    wanted = answer.casefold()
    found = (
        composed(names, answer)
        or [name for name in names if name.casefold().startswith(wanted)]
        or [name for name in names if name.casefold().partition(" ")[2].startswith(wanted)]
        or composed(names, answer, short=True)
    )
    if len(found) == 1:
        return names[found[0]]
    if not found:
        return game.check_action(g, game.action(g, answer))
    more = f", and {len(found) - LISTED} more" if len(found) > LISTED else ""
    raise IllegalActionError(f"{answer!r} may be: {', '.join(found[:LISTED])}{more}")


def legend(game: Game, g: np.record, word: str = "") -> str:
    """How the position is to be read, from what the game says of its text, names and actions; or the rules on a word."""
    if word:
        return "\n".join(about(game.manual, word)) or f"The rules do not mention {word!r}."
    signs = (game.render_view.__doc__ or "" if game.render_view else "a key of the position a line.").partition("\n")[0]
    kinds = [f"  {kind:<12} {', '.join(names)}" for kind, names in _kinds_now(game, g).items()]
    parts = [
        f"The position: {signs.removeprefix('A view as text: ')}",
        "",
        "What you can do now, by kind:",
        *kinds,
        "",
        *about(game.manual, "Positions:"),
    ]
    return fitted("\n".join([*parts, "", "legend WORD prints the rules that mention a word; rules prints them all."]))


def _kinds_now(game: Game, g: np.record) -> dict[str, list[str]]:
    """Kind of action -> the names of the first few that are legal now."""
    kinds: dict[str, list[str]] = {}
    legal = game.legal_actions(g)
    for kind, ids in game.action_kinds.items():
        here = [action for action in legal if action in ids]
        if here:
            more = ["..."] if len(here) > EXAMPLES else []
            kinds[kind] = [*(game.action_name(g, action) for action in here[:EXAMPLES]), *more]
    return kinds


# -- replay ----------------------------------------------------------------------------------------------------------------


def replay(given: argparse.Namespace) -> None:
    """Show a saved match: what each decision brought, and the end; with every position on the way; or the end alone; or write
    a page for the browser that plays it with pictures.
    """
    if given.html:
        write_page(given)
        return
    saved = Replay.load(given.file)
    game = saved.load_game()
    seat = None if given.seat is None else game.check_seat(given.seat)
    print(fitted(f"{game.title} ({game.id}), match {saved.seed}, {game.players} players, {len(saved.actions)} decisions"))
    positions = saved.positions()
    g = next(positions)
    for number, (name, after) in enumerate(zip(saved.actions, positions, strict=True), 1):
        if given.positions:
            print(f"\n{fitted(game.render(g, seat))}\n")
        if not given.end:
            told = sentences(game, game.events(g, game.action(g, name), after, seat), seat, given.language)
            print(fitted("\n".join([f"{number}. {told[0]}", *(f"   {sentence}" for sentence in told[1:])])))
        if given.step and not _next_wanted():
            return
        g = after
    winners = ", ".join(f"player {winner}" for winner in game.winners(g))
    ending = f"Won by {winners}" if game.is_over(g) else "Not played to its end"
    print(f"\n{fitted(game.render(g, seat))}\n\n{fitted(f'{ending}. Points: {standing(game, g)}.')}")


def write_page(given: argparse.Namespace) -> None:
    """Write the match as one HTML file."""
    if given.positions or given.step or given.end:
        raise OptionError("--html goes with --seat and --language, not with --positions, --step or --end")
    path = Path(given.html)
    check_outputs({"html": path}, Path(given.file))
    text = page(Replay.load(given.file), given.seat, given.language)
    write_text(path, text)
    print(f"Saved: {path} ({len(text.encode()) / 1000:.0f} kB); open it in a browser")


def _next_wanted() -> bool:
    """Wait for Enter; whether the next decision is wanted (not q, the end of input or Ctrl-C)."""
    try:
        return input().strip() != "q"
    except Terminated:
        raise
    except (EOFError, KeyboardInterrupt):
        print()
        return False
