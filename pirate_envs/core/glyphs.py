"""Small pirate drawings, each within a box of 100 by 100, for cards, dice and marks. They are this project's own.

A drawing is of two colours: the ink is `currentColor`, the light parts take the `fill` of whoever uses it.
"""

from __future__ import annotations

_INK = 'fill="currentColor"'


def _line(width: float, *paths: str) -> str:
    """Strokes of the ink."""
    return f'<path fill="none" stroke="currentColor" stroke-width="{width}" stroke-linecap="round" d="{" ".join(paths)}"/>'


def _ink(*paths: str) -> str:
    return f'<path {_INK} d="{" ".join(paths)}"/>'


def _light(*paths: str) -> str:
    return f'<path d="{" ".join(paths)}"/>'


def _edged(path: str, width: float = 5) -> str:
    """A light part with an inked edge."""
    return f'<path stroke="currentColor" stroke-width="{width}" stroke-linejoin="round" d="{path}"/>'


def _dot(x: float, y: float, r: float) -> str:
    """A disc, as a piece of a path."""
    return f"M{x - r:g} {y:g}a{r:g} {r:g} 0 1 0 {2 * r:g} 0a{r:g} {r:g} 0 1 0-{2 * r:g} 0z"


_WAVES = _line(6, "M4 90q11.5-10 23 0t23 0 23 0 23 0")
_SKULL = _ink("M50 6C24 6 8 23 8 45c0 14 7 24 16 29v14q0 6 6 6h40q6 0 6-6V74c9-5 16-15 16-29C92 23 76 6 50 6z") + _light(
    _dot(32, 47, 12), _dot(68, 47, 12), "M50 58l-7 13h14zM36 78h5v16h-5zM47.5 78h5v16h-5zM59 78h5v16h-5z"
)
_BEARD = "M17 52c8 9 14 6 20 5 5-4 21-4 26 0 6 1 12 4 20-5 3 28-13 44-33 44S14 80 17 52z"
_GRIN = "M39 70q11 8 22 0-3 12-11 12t-11-12z"

GLYPHS = {
    # what suits are told by
    "star": _ink("M50 2l11 31 24-18-18 24 31 11-31 11 18 24-24-18-11 31-11-31-24 18 18-24L2 50l31-11-18-24 24 18z")
    + _light(_dot(50, 50, 8)),
    "anchor": _line(8, "M50 27v60M30 40h40M12 60c3 20 18 30 38 30s35-10 38-30")
    + _line(7, _dot(50, 16, 10))
    + _ink("M2 70 9 46 29 62zM98 70 91 46 71 62z"),
    "ruby": _ink("M27 12h46l24 28-47 52L3 40z") + _light("M12 42h76l2-3-2-3H12l-2 3zM31 42h6l13 36 13-36h6L50 88z"),
    "bones": _line(14, "M26 26 74 74M74 26 26 74")
    + _ink(*(_dot(x, y, 11) for x, y in ((13, 25), (25, 13), (75, 13), (87, 25), (87, 75), (75, 87), (25, 87), (13, 75)))),
    "leaf": _ink("M50 2c34 20 42 58 8 80l4 16H38l4-16C8 60 16 22 50 2z")
    + _light("M48 22h4v16l14-9 2 4-16 11v12l16-10 2 4-18 12v18h-4V62L30 50l2-4 16 10V44L32 33l2-4 14 9z"),
    # people and beasts
    "skull": _SKULL,
    "king": _ink("M16 34 8 2l21 15L50 0l21 17L92 2l-8 32z") + f'<g transform="translate(15 34)scale(.7)">{_SKULL}</g>',
    "pirate": _edged("M20 36h60v24H20z", 4)
    + _ink("M17 40C14 16 32 4 50 4s36 12 33 36zM80 30l18-8-5 14 6 12-19-8z", _BEARD)
    + _ink(_dot(36, 49, 5), _dot(64, 48, 9))
    + _line(4, "M22 40 80 44")
    + _light(_GRIN, _dot(34, 26, 5), _dot(52, 18, 5), _dot(67, 29, 5)),
    "mary": _ink("M26 38C20 58 18 78 6 94c18 2 28-4 34-10h20c6 6 16 12 34 10-12-16-14-36-20-56z")
    + _edged("M30 44c0 24 8 38 20 38s20-14 20-38z", 4)
    + _ink("M2 30C22 26 30 6 50 6s28 20 48 24C86 44 68 46 50 46S14 44 2 30z", _dot(41, 56, 3.5), _dot(59, 56, 3.5))
    + _ink("M41 69q9-5 18 0-9 9-18 0z")
    + _light(_dot(50, 24, 9), "M45 30h10v7H45z")
    + _ink(_dot(46.5, 24, 2.5), _dot(53.5, 24, 2.5)),
    "captain": _edged("M22 42h56v20H22z", 4)
    + _ink("M0 42C8 14 30 2 50 2s42 12 50 40c-18 6-34-2-50-2s-32 8-50 2z", _BEARD)
    + _ink(_dot(37, 52, 5), _dot(63, 52, 5))
    + _light(_GRIN, _dot(50, 19, 9), "M45 25h10v7H45z", "M22 30l14-4 1 4-14 5zM78 30l-14-4-1 4 14 5z")
    + _ink(_dot(46.5, 19, 2.5), _dot(53.5, 19, 2.5)),
    "mermaid": _ink(
        "M50 92C30 74 34 58 45 42 28 42 14 30 6 6c20 2 36 10 44 24C58 16 74 8 94 6 86 30 72 42 55 42c11 16 15 32-5 50z"
    )
    + _light("M43 56q7 8 14 0v4q-7 8-14 0zM41 68q9 8 18 0v4q-9 8-18 0z")
    + _WAVES,
    "kraken": _line(8, "M34 56C32 78 12 66 6 82M44 60c0 20-10 22-20 34M56 60c0 20 10 22 20 34M66 56c2 22 22 10 28 26")
    + _line(7, "M27 50C18 58 8 52 4 60M73 50c9 8 19 2 23 10")
    + _ink("M50 2c24 0 34 20 28 42-2 8-6 14-10 20H32c-4-6-8-12-10-20C16 22 26 2 50 2z")
    + _light(_dot(39, 40, 8), _dot(61, 40, 8))
    + _ink(_dot(40, 42, 4), _dot(60, 42, 4)),
    "parrot": _ink("M14 98C8 54 14 6 50 6c22 0 32 14 32 28L62 58c0 16 4 28 10 40z", "M48 8C40 0 30 0 22 4c6 2 8 8 8 14z")
    + _edged("M64 22c24-4 36 16 26 46-4-14-14-20-30-20z")
    + _light(_dot(50, 32, 10), "M26 94c-4-20 2-32 12-38 8 12 10 24 10 38z")
    + _ink(_dot(52, 32, 5)),
    "monkey": _ink(_dot(13, 46, 13), _dot(87, 46, 13), "M50 6c28 0 38 20 36 44-2 28-16 44-36 44S16 78 14 50C12 26 22 6 50 6z")
    + _light("M50 34c4-10 28-10 26 10-1 8-6 10-6 14 0 20-8 28-20 28s-20-8-20-28c0-4-5-6-6-14-2-20 22-20 26-10z")
    + _ink(_dot(39, 44, 5.5), _dot(61, 44, 5.5), _dot(46, 59, 2.5), _dot(54, 59, 2.5))
    + _line(4.5, "M38 70q12 10 24 0"),
    "shark": _ink("M14 80C26 42 48 18 88 8 74 30 74 54 90 80z")
    + _light("M54 50h20v4H54zM52 60h22v4H52zM50 70h26v4H50z")
    + _WAVES,
    # things
    "coin": _ink(_dot(50, 50, 46))
    + _light(_dot(50, 50, 36))
    + _ink(_dot(50, 50, 30))
    + _light("M50 25l7 17 18 1-14 12 5 18-16-10-16 10 5-18-14-12 18-1z"),
    "sabre": _ink("M95 2c0 40-22 68-58 82l-10-12C60 58 80 36 95 2z")
    + _line(8, "M12 58c4 0 8 2 12 10 6 12 14 18 24 20M26 76 8 94"),
    "chest": _ink("M8 48V38c0-16 8-24 20-24h44c12 0 20 8 20 24v10zM8 54h84v36H8z")
    + _light("M42 44h16v22H42zM20 14h6v34h-6zM74 14h6v34h-6zM20 54h6v36h-6zM74 54h6v36h-6z")
    + _ink(_dot(50, 52, 4), "M48 52h4v9h-4z"),
    "flag": _line(8, "M18 6v90")
    + _edged("M22 10c22-8 40 10 74 0v46c-34 10-52-8-74 0z", 6)
    + _line(4, "M34 26q22-4 48 4M34 40q22-4 48 4"),
    "wheel": _line(7, "M50 4v92M4 50h92M17 17l66 66M83 17 17 83")
    + _line(9, _dot(50, 50, 29))
    + _ink(_dot(50, 50, 13))
    + _light(_dot(50, 50, 5)),
    "porthole": _ink(_dot(50, 50, 47))
    + _light(
        _dot(50, 50, 31),
        *(_dot(x, y, 4) for x, y in ((50, 11), (50, 89), (11, 50), (89, 50), (22, 22), (78, 22), (22, 78), (78, 78))),
    )
    + _ink("M17 55q8-7 16 0t17 0 17 0 16 0C82 74 68 84 50 84S18 74 17 55z"),
    "plank": _ink("M0 36h74v12H0zM8 48h10v26H8z", _dot(60, 9, 8), "M54 18h12l2 18H52z")
    + _ink("M66 84c4-14 14-24 26-26-4 10-2 18 2 26z")
    + _WAVES,
    "reverse": _line(11, "M16 46C16 18 56 8 76 30M84 54c0 28-40 38-60 16") + _ink("M90 8v34H56zM10 92V58h34z"),
    "skip": _line(10, "M8 62C14 18 66 12 80 46") + _ink("M96 34 86 68 58 50z", _dot(44, 76, 15)) + _light(_dot(44, 76, 7)),
    "palm": _line(8, "M52 36c8 18 8 34 2 52")
    + _ink(
        "M52 36C40 12 18 12 6 26c16-2 22 0 28 4-14 0-22 10-22 24 12-12 24-16 40-18z",
        "M52 36C60 10 84 8 96 24c-16-4-22-2-28 4 14 0 24 8 24 22-12-10-24-14-40-14z",
    )
    + _ink("M8 96c14-16 70-16 84 0z"),
    "ball": _ink(_dot(50, 40, 38), "M24 78h52l10 20H14z")
    + _light("M50 16l6 17 17-6-9 14 14 10-18 2 2 18-12-13-12 13 2-18-18-2 14-10-9-14 17 6z"),
    "ship": _ink(
        "M2 66h96L84 92H18zM48 4h5v62h-5zM57 10c24 8 32 28 32 50H57zM44 20C24 28 14 44 14 60h30zM53 2h20l-6 5 6 5H53z"
    ),
    "storm": _ink("M24 58C6 58 2 34 20 30 22 8 52 2 60 20c18-6 32 6 28 20 14 2 12 18-4 18z")
    + _ink("M54 50 34 74h14l-8 24 28-32H54l10-16z"),
    "peace": _ink(
        "M4 62c22 4 34-8 36-24C26 32 20 18 18 4c22 6 36 18 42 32 6-10 14-14 24-10l14 4-12 8c0 30-20 48-50 48C22 86 12 76 4 62z"
    )
    + _light(_dot(80, 35, 3.5)),
    "crown": _ink("M10 84 2 26l26 24L50 10l22 40 26-24-8 58z") + _light("M14 70h72v6H14z"),
    "waves": _line(9, "M4 30q11.5-14 23 0t23 0 23 0 23 0M4 56q11.5-14 23 0t23 0 23 0 23 0M4 82q11.5-14 23 0t23 0 23 0 23 0"),
    "lead": _ink("M12 6 92 50 12 94z"),
    "back": _line(5, "M50 8v84M8 50h84M20 20l60 60M80 20 20 80")
    + _light(_dot(50, 50, 30))
    + _line(6, _dot(50, 50, 30))
    + _ink(_dot(50, 50, 11)),
}
"""Name -> drawing, without what places it."""
