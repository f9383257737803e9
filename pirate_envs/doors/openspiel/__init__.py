"""OpenSpiel's door: every game as a `pyspiel` game of its name, `pirates_skull_king` and its like, once this is imported.

    import pyspiel
    from pirate_envs.doors import openspiel

    game = pyspiel.load_game("pirates_skull_king(players=3)")              # whole matches: sampled chance
    game = openspiel.load("kuhn_poker", deals="all", reward="margin")      # every deal in one chance node: exact
    game = openspiel.load("skull_king", players=2, first_hand=2, last_hand=2, deals="yellow_1 yellow_2 black_1 escape pirate")

The page docs/openspiel.md says which variants are exact, what an information state is, and which of OpenSpiel's tools fit.
Needs the extra `openspiel`: importing this without it is a MissingExtraError, with a version of another generation a
PartnerVersionError.
"""

from pirate_envs.core.extras import import_extra

import_extra("pyspiel", "OpenSpiel's door", "openspiel")

from pirate_envs.doors.openspiel.games import PREFIX, load, register_all  # noqa: E402  (what is missing is told first)

__all__ = ["PREFIX", "load", "register_all"]

register_all()
