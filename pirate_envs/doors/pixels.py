"""Pictures as pixels, with the letters of the fonts that lie here: resvg draws no text at all where it finds no font.

The fonts are DejaVu Sans Bold and DejaVu Sans Mono, cut to the letters of European languages; fonts/LICENSE_DEJAVU is theirs.
"""

from __future__ import annotations

import functools
import io
from importlib import resources
from pathlib import Path

import numpy as np

from pirate_envs.core.errors import MissingExtraError
from pirate_envs.core.extras import import_extra
from pirate_envs.core.options import whole_number
from pirate_envs.core.svg import WIDTH

FONTS = ("DejaVuSans-Bold.ttf", "DejaVuSansMono.ttf")
NARROWEST, WIDEST = 16, 4096


@functools.cache
def font_files() -> tuple[str, ...]:
    """Paths of the fonts. Raises MissingExtraError if one is not there, rather than to draw pictures without words."""
    folder = Path(str(resources.files(__package__) / "fonts"))
    for name in FONTS:
        if not (folder / name).is_file():
            raise MissingExtraError(f"the font {name} is missing from this installation: install pirate-envs again")
    return tuple(str(folder / name) for name in FONTS)


def pixels(picture: str, width: int = WIDTH) -> np.ndarray:
    """An SVG drawn `width` pixels wide, uint8, shape (height, width, 3).

    Raises MissingExtraError without the extra `pictures`, OptionError for a width that is not 16 to 4096.
    """
    width = whole_number("width", width, NARROWEST, WIDEST)
    resvg = import_extra("resvg_py", "a picture as pixels", "pictures")
    image = import_extra("PIL.Image", "a picture as pixels", "pictures")
    png = resvg.svg_to_bytes(svg_string=str(picture), width=width, skip_system_fonts=True, font_files=list(font_files()))
    with image.open(io.BytesIO(png)) as drawn:
        return np.array(drawn.convert("RGB"), dtype=np.uint8)
