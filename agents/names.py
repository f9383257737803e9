"""From a name to a player. The grammar of names stands in USAGE, which `pirates players` and `pirates play --help` print.

A folder's name is taken as it is after `policy:` and `drawn:`; within a search player's name, where ':' parts what is said, a
folder may have none in its own name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Hashable
from contextlib import suppress
from pathlib import Path

from pirate_envs.agents import search, sheets, solved
from pirate_envs.agents.baselines import Rules, Uniform
from pirate_envs.agents.guided import GuidedSearch
from pirate_envs.agents.player import Agent
from pirate_envs.agents.policy import KIND, SCHEMA, Policy
from pirate_envs.agents.sealed import left_beside, read_manifest
from pirate_envs.agents.search import Search
from pirate_envs.agents.solved import Exact
from pirate_envs.core.errors import CheckpointError, UnknownPlayerError, shown
from pirate_envs.core.extras import import_extra
from pirate_envs.core.game import Game

PRETRAINED = Path(__file__).resolve().parent / "pretrained"  # a policy's folder for each game; in vN those that came before
EARLIER = re.compile(r"pretrained-(v\d*)")  # other scripts' digits too: none of those came with a game
LEVELS = ("easy", "fair", "strong", "best")
WORLDS, ITERATIONS = 256, 4000  # of the best, for a decision
USAGE = (
    (", ".join(LEVELS), "levels, meant to grow stronger: which players they are, `pirates players GAME` tells"),
    ("random", "any legal action, each with the same chance"),
    ("rules:NAME", "a rule player of the game; rules:strongest: the last of them"),
    ("policy:pretrained", "the trained policy that comes with the game"),
    ("policy:pretrained-vN", "the N-th that came with the game, where another one has taken its place"),
    ("policy:FOLDER", "a saved policy, or the newest checkpoint of a run's folder"),
    ("drawn:NAME", "policy:NAME with its actions drawn by their probabilities, not always the likeliest"),
    *sheets.USAGE,
    *solved.USAGE,
    *search.USAGE,
)


def has_pretrained(game: Game) -> bool:
    """Whether a trained policy comes with the game."""
    return (PRETRAINED / game.name).is_dir()


def earlier_policies(game: Game) -> list[str]:
    """The names of policies that came with the game before, the first one first."""
    folders = sorted(PRETRAINED.glob(f"v*/{game.name}"), key=lambda folder: int(folder.parent.name[1:]))
    return [f"policy:pretrained-{folder.parent.name}" for folder in folders]


def meanings(game: Game) -> list[tuple[str, str]]:
    """Every name that `agent` knows for this game with a line on it; FOLDER and N stand for what is filled in."""
    usage = dict(USAGE)
    rows = [(level, f"a level: {name}") for level, name in levels(game).items()]
    rows.append(("random", usage["random"]))
    count = len(game.rule_players)
    rows += [(f"rules:{name}", f"rule player {i} of {count}, weakest first") for i, name in enumerate(game.rule_players, 1)]
    if game.rule_players:
        rows.append(("rules:strongest", f"the same as rules:{game.rule_players[-1]}"))
    rows += sheets.USAGE if sheets.has_sheet(game) else []
    rows += solved.meanings(game)
    rows += [(name, usage[name]) for name in ("search:flat:N", "search:ismcts:N")]
    if has_pretrained(game):
        rows += [(name, usage[name]) for name in ("search:guided:N", "policy:pretrained")]
        rows += [(name, "one that came with the game before") for name in earlier_policies(game)]
        rows += [("drawn:pretrained", "policy:pretrained with its actions drawn by their probabilities")]
    return [*rows, ("policy:FOLDER", usage["policy:FOLDER"]), ("drawn:FOLDER", "the same with its actions drawn")]


def agent_names(game: Game) -> list[str]:
    """The names that `agent` knows for this game; FOLDER stands for a saved policy's or a run's folder, N for a number."""
    return [name for name, _ in meanings(game)]


def strongest_name(game: Game) -> str:
    """The strongest player that decides at once: the policy that comes with the game, else a rule player, else random."""
    if has_pretrained(game):
        return "policy:pretrained"
    return "rules:strongest" if game.rule_players else "random"


def levels(game: Game) -> dict[str, str]:
    """Level -> player's name, meant to grow stronger: the words for who wants an opponent, not a player by name."""
    easy, fair = (f"rules:{game.rule_players[0]}", "rules:strongest") if game.rule_players else ("random", "random")
    return dict(zip(LEVELS, (easy, fair, strongest_name(game), _best(game)), strict=True))


def _best(game: Game) -> str:
    """Exact where the game is solved, else guided search by all that the policy knows.

    The last solution, which wins most, may hold for the usual rules alone: by others it is the first.
    """
    if game.solved:
        usual = game.options.changed().keys() <= {"players"}
        return f"exact:{list(game.solved)[-1 if usual else 0]}"
    if not has_pretrained(game):
        return f"search:ismcts:{ITERATIONS}"
    manifest = read_manifest(PRETRAINED / game.name, KIND, SCHEMA)
    heads = [head for head in ("belief", "value") if head in manifest]
    return ":".join([f"search:guided:{WORLDS}", *heads])


def level_of(game: Game, player: str | None) -> str | None:
    """The level that a player's name is, or None."""
    return next((level for level, name in levels(game).items() if name == player), None)


def models_of(game: Game, name: str) -> list[str]:
    """The players by whom a searching player draws its worlds or plays them out; none if it does not search.

    Raises UnknownPlayerError.
    """
    name = levels(game).get(name, name)
    if not name.startswith("search:"):
        return []
    wanted = search.parse(name)
    policy = f"{'drawn' if wanted.drawn else 'policy'}:{wanted.policy or 'pretrained'}"
    if wanted.kind == search.GUIDED:
        models = [policy, *([wanted.others] if wanted.others else [])]
    else:
        models = [search.playout_of(game, wanted), *([policy] if wanted.belief else [])]
    return [f"rules:{game.rule_players[-1]}" if model == "rules:strongest" else model for model in models]


def identity(game: Game, name: str) -> Hashable:
    """What two names have in common if they are of one player. Raises UnknownPlayerError or CheckpointError."""
    player = agent(game, name)
    if isinstance(player, Policy):
        return "policy", player.acts_by, player.greedy
    if not player.name.startswith("search:"):
        return player.name
    wanted = search.parse(player.name)
    how: Hashable = search.others_of(game, wanted) if wanted.kind == search.GUIDED else search.settings_of(game, wanted)
    return wanted._replace(policy=None, others=None, playout=None, exploration=None), how, player.learned


def usual_field(game: Game) -> tuple[str, ...]:
    """The players that a game's players are measured against: all of its own that do not differ by a budget alone."""
    searching = ["search:ismcts:1000", *(["search:ismcts:1000:uniform"] if game.rule_players else [])]
    learned = [*earlier_policies(game), "policy:pretrained"] if has_pretrained(game) else []
    rules = [f"rules:{name}" for name in game.rule_players]
    sheet = [sheets.NAME] if sheets.has_sheet(game) else []
    best = [] if game.solved else [_best(game)]
    return tuple(dict.fromkeys([*rules, *sheet, *(f"exact:{name}" for name in game.solved), *learned, *best, *searching]))


def agent(game: Game, name: str) -> Agent:
    """The player of that name. Raises UnknownPlayerError, or CheckpointError for a policy that cannot be loaded."""
    kind, _, which = name.partition(":") if isinstance(name, str) else ("", "", "")
    if name in LEVELS:
        name = levels(game)[name]
        kind, _, which = name.partition(":")
    if name == "random":
        return Uniform()
    if kind == "rules" and which and (game.rule_players or which != "strongest"):
        return Rules(game, which)
    if name == sheets.NAME:
        return sheets.sheet(game)
    if kind == "exact" and which:
        return Exact(game, which)
    if kind == "search":
        return _search(game, name)
    if kind in ("policy", "drawn") and which:
        return _policy(game, which, drawn=kind == "drawn")
    raise UnknownPlayerError(f"unknown player {name!r}; there are: {', '.join(agent_names(game))}")


def _policy(game: Game, which: str, *, drawn: bool = False) -> Policy:
    """The policy that comes with the game, or the one saved in that folder; its likeliest actions, or drawn ones."""
    earlier, name = EARLIER.fullmatch(which), f"{'drawn' if drawn else 'policy'}:{which}"
    if which != "pretrained" and earlier is None:
        try:
            with suppress(FileNotFoundError, NotADirectoryError, ValueError):
                os.lstat(which)  # some versions of Python's paths take what no folder can be called for one that is not there
            return Policy.load(game, which, greedy=not drawn, name=name)
        except OSError as error:  # a name that no folder can have, for one
            raise CheckpointError(f"policy {shown(which)} cannot be read: {error.strerror}") from None
    folder = PRETRAINED / (earlier[1] if earlier else "") / game.name
    if not folder.is_dir() and left_beside(folder) is None:
        raise UnknownPlayerError(f"no {name} comes with {game.name}; there are: {', '.join(agent_names(game))}")
    return Policy.load(game, folder, greedy=not drawn, name=name)


def _search(game: Game, name: str) -> Agent:
    """The searching player of that name, with worlds played out by compiled players or by a policy."""
    wanted = search.parse(name)
    if wanted.belief and not len(game.layout.private):
        raise UnknownPlayerError(f"search player {name!r}: {game.id} has no private cells: there is nothing to believe")
    if wanted.kind != search.GUIDED and not wanted.belief:
        return Search(game, name)
    policy = _policy(game, wanted.policy or "pretrained")
    if wanted.kind != search.GUIDED:
        return Search(game, name, policy)
    return GuidedSearch(
        game, name, policy, wanted.iterations, wanted.milliseconds, wanted.horizon,
        by_value=wanted.value, by_belief=wanted.belief, drawn=wanted.drawn,
        others=search.others_of(game, wanted), playing=_halved(policy, name) if wanted.bfloat16 else policy,
    )  # fmt: skip


def _halved(policy: Policy, name: str) -> Policy:
    """The same network in bfloat16. Raises MissingExtraError without torch."""
    fast = import_extra("pirate_envs.agents.learning.fast", f"search player {name!r}")
    return fast.TorchPolicy.of(policy, "bfloat16")  # type: ignore[no-any-return]
