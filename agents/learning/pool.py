"""The self-play pool: whom a learner meets. The latest snapshot, older ones, and the game's own players."""

from __future__ import annotations

from collections.abc import Mapping

from pirate_envs.agents.policy import Policy
from pirate_envs.core.errors import OptionError, shown
from pirate_envs.core.game import Game
from pirate_envs.engine.seating import check_weight, compiled_names

GROUPS = ("latest", "older", "rules", "strongest", "random")


class Pool:
    """`mix` gives each group its share: 'latest', 'older' (evenly over the snapshots kept), 'rules' (evenly over the
    rule players), 'strongest' (the strongest of these) and 'random', who also stands for the rule players of a game that has
    none. While a group has no member, its share goes to the others.

    At most `keep` older snapshots are held; when there are more, the one whose neighbours in time lie closest together
    goes, so that the whole run stays represented.
    """

    def __init__(self, game: Game, mix: Mapping[str, float], latest: Policy, keep: int = 4) -> None:
        """Raises OptionError for an unknown group or a bad share."""
        for group, share in mix.items():
            if group not in GROUPS:
                raise OptionError(f"pool share {shown(group)} is unknown; there are: {', '.join(GROUPS)}")
            check_weight(f"pool share {group!r}", share)
        self._rules = [name for name in compiled_names(game) if name != "random"]
        if not any(mix.get(group, 0) > 0 for group in GROUPS if group != "older"):
            raise OptionError(
                f"pool {dict(mix)!r} is empty at the start: 'latest', 'rules', 'strongest' or 'random' must be above 0"
            )
        self.shares = dict(mix)
        self.keep = keep
        self.latest = latest
        self.older: dict[int, Policy] = {}
        """Snapshots by the number of decisions after which they were taken."""

    def keep_snapshot(self, decisions: int) -> None:
        """Put the latest policy among the older ones."""
        self.older[decisions] = self.latest
        while len(self.older) > self.keep:
            del self.older[self._most_crowded()]

    def _most_crowded(self) -> int:
        times = sorted(self.older)
        gaps = {now: after - before for before, now, after in zip([0, *times], times, times[1:], strict=False)}
        return min(gaps, key=lambda time: gaps[time]) if gaps else times[0]

    def policies(self) -> dict[str, Policy]:
        """Opponent name -> policy."""
        return {"latest": self.latest, **{f"older:{time}": self.older[time] for time in sorted(self.older)}}

    def mix(self) -> dict[str, float]:
        """Opponent name -> weight."""
        members: dict[str, list[str]] = {
            "latest": ["latest"],
            "older": [name for name in self.policies() if name != "latest"],
            "rules": self._rules or ["random"],
            "strongest": self._rules[-1:] or ["random"],
            "random": ["random"],
        }
        mix: dict[str, float] = {}
        for group, names in members.items():
            for name in names:
                mix[name] = mix.get(name, 0.0) + self.shares.get(group, 0.0) / len(names)
        return mix
