"""What a player never tries: how often it chooses each action of a kind, of the decisions where that is legal.

    python -m experiments.studies.chosen skull_king bid
    python -m experiments.studies.chosen skull_king bid --players policy:RUN policy:pretrained --deals 1000 --write

Each player sits among copies of the strongest rule player, on duplicate deals in every rotation; decisions without a choice do
not count. With --write the table is kept in experiments/results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any

import numpy as np
import tyro

from experiments.command import RESULTS, GameName, check_numbers, run_command
from pirate_envs import load
from pirate_envs.agents import Agent, agent
from pirate_envs.agents.arena.duplicate import LARGEST_SEED, MOST_DEALS, play
from pirate_envs.agents.arena.statistics import Interval, bootstrap_weights, ratio
from pirate_envs.agents.player import Decisions
from pirate_envs.agents.report import Results, command, markdown_table
from pirate_envs.core.errors import OptionError
from pirate_envs.core.game import Game

FIELD = "rules:strongest"
USUAL = 4  # seats
MOST = 16  # actions of a kind, rows of a table
MATCHES = 8  # in which their names are looked for


@dataclass
class ChosenSettings:
    """Count what players choose among the actions of a KIND in GAME."""

    game: GameName
    """name of the game"""
    kind: Annotated[str, tyro.conf.Positional]
    """of action, as the game names it"""
    players: tuple[str, ...] = ("policy:pretrained", "drawn:pretrained", FIELD)
    """whose choices"""
    seats: int = USUAL
    """at the table"""
    deals: int = 250
    """deals, each in every rotation"""
    seed: int = 5
    """of the deals"""
    write: bool = False
    """keep the table in experiments/results"""


class Counted(Agent):
    """A player, and how often each action was legal beside another one and chosen."""

    def __init__(self, player: Agent) -> None:
        self.name, self.wants_records, self._player = player.name, player.wants_records, player
        self.taken: list[tuple[np.ndarray, np.ndarray]] = []
        """(allowed, bool (n, actions); chosen, int (n,)) of each call."""

    def act(self, decisions: Decisions) -> np.ndarray:
        actions = self._player.act(decisions)
        free = decisions.action_masks.sum(axis=1) > 1
        self.taken.append((decisions.action_masks[free] > 0, np.asarray(actions)[free]))
        return actions

    def counted(self, actions: Sequence[int]) -> np.ndarray:
        """Of each of these actions how often it was chosen and how often it was legal, (2, actions); counts anew then."""
        allowed = np.concatenate([allowed for allowed, _ in self.taken])[:, actions]
        chosen = np.concatenate([chosen for _, chosen in self.taken])
        self.taken.clear()
        return np.stack([(chosen[:, None] == np.array(actions)).sum(axis=0), allowed.sum(axis=0)])


def actions_of(game: Game, kind: str) -> Sequence[int]:
    """Those of a kind. Raises OptionError."""
    few = {name: actions for name, actions in game.action_kinds.items() if len(actions) <= MOST}
    if kind not in few:
        raise OptionError(f"{game.name} has no kind of action {kind!r} with at most {MOST}; there are: {', '.join(few)}")
    return few[kind]


def names_of(game: Game, actions: Sequence[int]) -> list[str]:
    """As they are called where random matches first meet them; what MATCHES never meet has its number for a name."""
    names: dict[int, str] = {}
    for seed in range(MATCHES):
        g, chance = game.new(seed), np.random.default_rng(seed)
        while not game.is_over(g) and len(names) < len(actions):
            legal = game.legal_actions(g)
            names.update({action: game.action_name(g, action) for action in legal if action in actions and action not in names})
            game.apply(g, int(chance.choice(legal)))
    return [names.get(action, str(action)) for action in actions]


def counts(game: Game, player: str, actions: Sequence[int], deals: int, seed: int) -> np.ndarray:
    """How often each action was chosen and legal in each deal, (deals, 2, actions)."""
    watched = Counted(agent(game, player))
    line_up = [watched, *[agent(game, FIELD)] * (game.players - 1)]
    found = []
    for deal in range(deals):
        play(game, line_up, range(deal, deal + 1), seed)
        found.append(watched.counted(actions))
    return np.stack(found)


def shares(counted: np.ndarray) -> list[dict[str, Any]]:
    """Of each action: chosen, legal, and the share with its interval by deal, or None where it never was."""
    resamples = bootstrap_weights(len(counted))
    rows = []
    for chosen, legal in counted.transpose(2, 1, 0).astype(float):
        share = ratio(chosen, legal, resamples)
        rows.append({"chosen": int(chosen.sum()), "legal": int(legal.sum()), "share": share and asdict(share)})
    return rows


def page(content: dict[str, Any]) -> str:
    """The table as Markdown: an action a row, a player a column."""
    players = content["players"]
    rows = [[name, *map(cell, row)] for name, *row in zip(content["actions"], *players.values(), strict=True)]
    return (
        f"{markdown_table([content['kind'], *(f'`{player}`' for player in players)], rows, 'r')}\n"
        f"{content['game']}: how often, of the decisions with a choice where it was legal, among {content['seats'] - 1} x "
        f"`{FIELD}`; {content['deals']:,} deals, every seat rotation, intervals by deal; of what was never chosen, how many "
        f"these were. Command: `{content['command']}`.\n"
    )


def cell(row: dict[str, Any]) -> str:
    """A share; a zero with what it is of."""
    return f"0 of {row['legal']:,}" if not row["chosen"] else Interval(**row["share"]).percent()


def main(settings: ChosenSettings) -> dict[str, Any]:
    """Play, count, print and perhaps write."""
    check_numbers(settings, deals=(2, MOST_DEALS), seed=(0, LARGEST_SEED))
    game = load(settings.game, players=settings.seats)
    actions = actions_of(game, settings.kind)
    found = {player: shares(counts(game, player, actions, settings.deals, settings.seed)) for player in settings.players}
    content = {
        "game": game.id, "kind": settings.kind, "seats": game.players, "deals": settings.deals, "players": found,
        "actions": names_of(game, actions), "command": command("experiments.studies.chosen"),
    }  # fmt: skip
    print(page(content))
    if settings.write:
        where = "" if game.players == USUAL else f"_{game.players}_seats"
        Results(RESULTS).write(f"chosen_{game.name}{where}", content, page(content))
    return content


if __name__ == "__main__":
    run_command(main, ChosenSettings, __doc__)
