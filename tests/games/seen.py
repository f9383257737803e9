"""What of a picture's elements reaches the eye and the finger: letters and buttons with their places and sizes as drawn."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from xml.etree import ElementTree

from pirate_envs.core.svg import wide

SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Written:
    """Words on a picture, in its units."""

    words: str
    size: float
    left: float
    right: float
    base: float


@dataclass
class Seen:
    """All words, and for each action the rectangles that it is drawn with: width and height."""

    written: list[Written] = field(default_factory=list)
    pressed: dict[str, list[tuple[float, float]]] = field(default_factory=dict)


def seen(picture: str) -> Seen:
    root = ElementTree.fromstring(picture)
    shapes = {part.get("id"): part for part in root.iter() if part.get("id")}
    found = Seen()
    _look(root, root, (0.0, 0.0, 1.0), None, shapes, found)
    return found


def _look(part, around, place, action, shapes, found):
    x, y, scale = place
    moved = re.match(r"(?:translate\((\S+) ([^)]+)\))?(?:scale\(([^)]+)\))?$", part.get("transform") or "")
    if moved:
        x, y, scale = x + float(moved[1] or 0) * scale, y + float(moved[2] or 0) * scale, scale * float(moved[3] or 1)
    action = part.get("data-action") or action
    if part.tag == f"{SVG}text":
        size, anchor = (part.get(name) or around.get(name) for name in ("font-size", "text-anchor"))
        places = (part.get("x") or "0").split()
        for start, words in zip(places, part.text if len(places) > 1 else [part.text or ""], strict=True):
            across = wide(words, float(size)) * scale
            left = x + float(start) * scale - {"end": across, "middle": across / 2}.get(anchor, 0)
            found.written.append(Written(words, float(size) * scale, left, left + across, y + float(part.get("y")) * scale))
    elif part.tag == f"{SVG}rect" and action and part.get("fill") != "none":
        found.pressed.setdefault(action, []).append((float(part.get("width")) * scale, float(part.get("height")) * scale))
    elif part.tag == f"{SVG}use":
        _look(shapes[part.get("href")[1:]], part, (x + float(part.get("x") or 0) * scale, y, scale), action, shapes, found)
    for inner in part:
        if inner.tag != f"{SVG}defs":
            _look(inner, part, (x, y, scale), action, shapes, found)
