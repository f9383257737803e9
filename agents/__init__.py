"""Players that need no knowledge of one game: they act on batches of decisions."""

from pirate_envs.agents.names import agent, agent_names
from pirate_envs.agents.player import Agent, Decisions

__all__ = ["Agent", "Decisions", "agent", "agent_names"]
