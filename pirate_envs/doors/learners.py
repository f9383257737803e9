"""What the doors for one learner share: lanes in which it has a seat of each match, and named players have the others."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pirate_envs.agents.names import agent
from pirate_envs.agents.player import check_made_for
from pirate_envs.core.errors import OptionError, shown
from pirate_envs.core.game import Game
from pirate_envs.engine.checks import Snapshot
from pirate_envs.engine.lanes import Lanes
from pirate_envs.engine.player import OutsidePlayer
from pirate_envs.engine.seating import Mix, compiled_names


def outside_players(game: Game, mix: Mix, policies: Mapping[str, OutsidePlayer] | None) -> dict[str, OutsidePlayer]:
    """The players that the compiled loop does not play: those given, after those of the mix that `agent` knows by name.

    Raises UnknownPlayerError, CheckpointError for a policy that cannot be loaded, or OptionError.
    """
    if policies is not None and not isinstance(policies, Mapping):
        raise OptionError(f"policies is {shown(policies)}; allowed: a mapping from names to players")
    given = dict(policies or {})
    for name, player in given.items():
        if not callable(getattr(player, "act", None)) or not hasattr(player, "wants_records"):
            needed = "a player, with a method `act` and a flag `wants_records` (`pirate_envs.agents.Agent` has both)"
            raise OptionError(f"policy {shown(name)} is {shown(player)}; allowed: {needed}")
        check_made_for(game, player)
    names = [mix] if isinstance(mix, str) else list(mix) if isinstance(mix, Mapping) else []
    known = {*compiled_names(game), *given, *(["rules:strongest"] if game.rule_players else [])}
    return {**{name: agent(game, name) for name in names if name not in known}, **given}


class LearnerLanes:
    """Lanes whose opponents come by name, and what every door shows of them. A base for doors."""

    game: Game
    lanes: Lanes

    def _open(self, game: Game, lanes: Lanes, opponents: Mix, policies: Mapping[str, OutsidePlayer] | None) -> None:
        self.game, self.lanes = game, lanes
        self.set_opponents(opponents, policies)

    # -- opponents -----------------------------------------------------------------------------------------------------

    def set_opponents(self, opponents: Mix, policies: Mapping[str, OutsidePlayer] | None = None) -> None:
        """Use this mix from now on: any name that `agents.agent` knows, or a key of `policies`.

        In a running match an opponent whose name is still there plays on (with its new policy, if that has changed); one
        whose name is gone is replaced by a draw from the mix. Raises UnknownPlayerError, CheckpointError or OptionError;
        then nothing has changed.
        """
        self.lanes.meet(opponents, outside_players(self.game, opponents, policies))

    @property
    def opponents(self) -> dict[str, float]:
        """The mix in force: name -> share."""
        return self.lanes.shares

    # -- snapshots -----------------------------------------------------------------------------------------------------

    def get_state(self) -> Snapshot:
        """A snapshot for `set_state`, all arrays; the opponents' policies are not in it."""
        return self.lanes.get_state()

    def set_state(self, state: Mapping[str, np.ndarray]) -> np.ndarray:
        """Go back to a snapshot, taken with the same game, lanes and names of opponents in the same order.

        Returns the observations, as `reset` does. Raises SnapshotError if the snapshot is of another kind; then nothing has
        changed.
        """
        self.lanes.set_state(state)
        return self.lanes.observations.copy()
