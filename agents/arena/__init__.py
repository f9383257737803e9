"""Players against each other: duplicate matches, intervals, tournaments, ratings."""

from pirate_envs.agents.arena.duplicate import Evaluation, evaluate, versus
from pirate_envs.agents.arena.standings import Standings
from pirate_envs.agents.arena.statistics import Interval
from pirate_envs.agents.arena.tournament import Tournament, replay_of, tournament

__all__ = ["Evaluation", "Interval", "Standings", "Tournament", "evaluate", "replay_of", "tournament", "versus"]
