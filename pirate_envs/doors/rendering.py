"""What doors that show a match have in common: as text, or as a picture's pixels."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from pirate_envs.core.errors import OptionError, shown
from pirate_envs.core.game import Game
from pirate_envs.doors.pixels import pixels

RENDER_MODES = ("human", "ansi", "rgb_array")


def checked_render_mode(render_mode: Any) -> str | None:
    """The mode, if it is None or one of RENDER_MODES. Raises OptionError."""
    if render_mode is None or (isinstance(render_mode, str) and render_mode in RENDER_MODES):
        return render_mode
    raise OptionError(f"render_mode is {shown(render_mode)}; allowed: None or one of {', '.join(map(repr, RENDER_MODES))}")


def rendered(game: Game, g: np.record, seat: int | None, render_mode: str | None) -> str | np.ndarray | None:
    """The position as a seat (None: everything) sees it: a text in mode 'ansi', uint8 (720, 960, 3) in mode 'rgb_array'.

    In mode 'human' the text is printed, and there is None; without a mode there is a warning, and None. Raises
    MissingExtraError in mode 'rgb_array' without the extra `pictures`.
    """
    if render_mode is None:
        modes = ", ".join(map(repr, RENDER_MODES))
        gymnasium.logger.warn(f"render() needs a render_mode, given when the environment is made: {modes}")
        return None
    if render_mode == "rgb_array":
        return pixels(game.picture(g, seat))
    text = game.render(g, seat)
    if render_mode == "ansi":
        return text
    print(text)
    return None
