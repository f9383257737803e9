"""How a viewer wants the table to look: its picture, its sentences and what its buttons say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from pirate_envs.agents.table.limits import RefusedError
from pirate_envs.core.composer import grouped
from pirate_envs.core.events import Event, Viewer
from pirate_envs.core.game import Game
from pirate_envs.core.sentences import action_labels, languages, seat_names, sentences, word_labels
from pirate_envs.core.svg import THEMES, Picture


@dataclass(frozen=True)
class Look:
    """A theme of pictures, a language, whether pictures are for a tall screen, and whether every decision is shown."""

    theme: str = "light"
    language: str = "en"
    tall: bool = False
    steps: bool = True
    """Else players who decide at once are shown together, when somebody else is to decide."""

    @classmethod
    def of(cls, told: Any) -> Self:
        """From JSON; what is left out is as usual. Raises RefusedError."""
        either = (False, True)
        allowed: dict[str, tuple[Any, ...]] = {
            "theme": tuple(THEMES), "language": languages(), "tall": either, "steps": either,
        }  # fmt: skip
        if not isinstance(told, dict) or set(told) - set(allowed):
            raise RefusedError(f"a look has {', '.join(allowed)}")
        for key, value in told.items():
            if not any(type(value) is type(one) and value == one for one in allowed[key]):
                raise RefusedError(f"{key} is {value!r:.100}; allowed: {', '.join(map(str, allowed[key]))}")
        return cls(**told)


USUAL_LOOK = Look()


def drawn(game: Game, view: Mapping[str, Any], seat: int | None, look: Look) -> Picture:
    """The view as a picture."""
    return game.picture_of(view, seat, look.theme, look.language, look.tall)


def dressed(game: Game, view: Mapping[str, Any], events: Sequence[Event], viewer: Viewer, look: Look) -> dict[str, Any]:
    """What a viewer's position and the events before it are shown with: `svg`, `text`, `names` by seat, `choices`."""
    return {
        "svg": str(drawn(game, view, viewer if isinstance(viewer, int) else None, look)),
        "text": sentences(game, events, viewer, look.language),
        "names": seat_names(game, viewer, look.language),
        "choices": choices(game, view["legal"] if isinstance(viewer, int) else [], viewer, look.language),
    }


def choices(game: Game, legal: Sequence[str], viewer: Viewer, language: str) -> dict[str, Any]:
    """Legal actions for buttons: `listed`, as pairs of name and label; `asked`, the verbs whose words are to be chosen."""
    listed, asked = grouped(legal)
    return {
        "listed": list(zip(listed, action_labels(game, listed, viewer, language), strict=True)),
        "asked": [
            {
                "verb": question.verb,
                "label": action_labels(game, [f"{question.verb} …"], viewer, language)[0],
                "words": list(zip(question.words, word_labels(game, question.words, language), strict=True)),
            }
            for question in asked
        ],
    }
