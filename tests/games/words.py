"""A language without letters, by which a word is found that comes from no file."""

from __future__ import annotations

import re
from typing import Any


def bracketed(value: Any, key: str = "") -> Any:
    """The words with every letter outside placeholders replaced, so that a letter that is left was in no file."""
    if isinstance(value, str):
        return "".join(
            part if part.startswith("{") else re.sub(r"[^\W\d_]", "¤", part) for part in re.split(r"(\{.*?\})", value)
        )
    if isinstance(value, list):
        return [bracketed(entry) for entry in value]
    if isinstance(value, dict):
        return {name: entry if name in ("when", "of", "each") else bracketed(entry, name) for name, entry in value.items()}
    return value
