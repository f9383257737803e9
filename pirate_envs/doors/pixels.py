"""Pictures as pixels, with the letters of the fonts that lie here: resvg draws no text at all where it finds no font.

The fonts are DejaVu Sans Bold and DejaVu Sans Mono, cut to the letters of European languages; fonts/LICENSE_DEJAVU is theirs.
"""

from __future__ import annotations

import functools
import io
import re
from importlib import resources
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from pirate_envs.core.errors import MissingExtraError, OptionError
from pirate_envs.core.extras import import_extra
from pirate_envs.core.options import whole_number

FONTS = ("DejaVuSans-Bold.ttf", "DejaVuSansMono.ttf")
NARROWEST, WIDEST = 16, 4096
_ROOT = re.compile(r'<svg( [^>]*?viewBox="0 0 ([\d.]+) ([\d.]+)")')


@functools.cache
def font_files() -> tuple[str, ...]:
    """Paths of the fonts. Raises MissingExtraError if one is not there, rather than to draw pictures without words."""
    folder = Path(str(resources.files(__package__) / "fonts"))
    for name in FONTS:
        if not (folder / name).is_file():
            raise MissingExtraError(f"the font {name} is missing from this installation: install pirate-envs again")
    return tuple(str(folder / name) for name in FONTS)


def pixels(picture: str, width: int | None = None) -> np.ndarray:
    """An SVG drawn `width` pixels wide (None: as wide as its own units), uint8, shape (height, width, 3).

    Raises MissingExtraError without the extra `pictures`, OptionError for a width that is not 16 to 4096, or for no such SVG.
    """
    width = None if width is None else whole_number("width", width, NARROWEST, WIDEST)
    resvg = import_extra("resvg", "a picture as pixels", "pictures")
    image = import_extra("PIL.Image", "a picture as pixels", "pictures")
    look = resvg.usvg.Options.default()  # bound to this thread, so that it cannot be kept
    for font in font_files():
        look.load_font_file(font)
    png = resvg.render(resvg.usvg.Tree.from_str(_sized(picture, width), look), (1, 0, 0, 0, 1, 0))
    with image.open(io.BytesIO(png)) as drawn:
        return np.array(drawn.convert("RGB"), dtype=np.uint8)


def _sized(picture: str, width: int | None) -> str:
    """The SVG with its size in pixels. resvg would end the process's thread over a broken one."""
    found = _ROOT.match(picture)
    try:
        ElementTree.fromstring(picture)
    except ElementTree.ParseError as error:
        raise OptionError(f"the picture is no SVG: {error}") from None
    if not found:
        raise OptionError('the picture does not begin as <svg ... viewBox="0 0 WIDTH HEIGHT"')
    across, down = float(found[2]), float(found[3])
    wide = width or round(across)
    return f'<svg width="{wide}" height="{round(wide * down / across)}"{picture[found.start(1) :]}'
