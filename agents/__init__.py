"""Players that need no knowledge of one game: they act on batches of decisions."""

from agents.base import Agent, Decisions
from agents.named import agent, agent_names

__all__ = ["Agent", "Decisions", "agent", "agent_names"]
