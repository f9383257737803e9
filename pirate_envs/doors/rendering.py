"""What doors that show a match as text have in common."""

from __future__ import annotations

from typing import Any

import gymnasium

from pirate_envs.core.errors import OptionError, shown

RENDER_MODES = ("human", "ansi")


def checked_render_mode(render_mode: Any) -> str | None:
    """The mode, if it is None or one of RENDER_MODES. Raises OptionError."""
    if render_mode is None or (isinstance(render_mode, str) and render_mode in RENDER_MODES):
        return render_mode
    raise OptionError(f"render_mode is {shown(render_mode)}; allowed: None or one of {', '.join(map(repr, RENDER_MODES))}")


def rendered(text: str, render_mode: str | None) -> str | None:
    """The text in mode 'ansi'; printed, and None, in mode 'human'; without a mode a warning, and None."""
    if render_mode == "ansi":
        return text
    if render_mode == "human":
        print(text)
    else:
        gymnasium.logger.warn("render() needs a render_mode, given when the environment is made: 'human' or 'ansi'")
    return None
