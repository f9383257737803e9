"""A replay to look at: a match as steps of pictures and sentences, and one file that plays it in a browser without a server.

The page of the table's server and the file are made of the same parts (`static/replay.*`). Pictures are drawn light; a style
sheet gives the colours of the theme to what has one (`colours`), so that each is there once.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import Any

from pirate_envs.agents.coach import Review
from pirate_envs.agents.coach.choice import loss_of
from pirate_envs.agents.coach.exact import exactly
from pirate_envs.agents.coach.luck import CARDS
from pirate_envs.agents.coach.reviewing import GRADES, Judged
from pirate_envs.agents.coach.telling import amount, chance, worth
from pirate_envs.agents.coach.yardsticks import UNITS
from pirate_envs.core.errors import ReplayError
from pirate_envs.core.files import parse_json
from pirate_envs.core.sentences import USUAL, action_labels, sentences
from pirate_envs.core.svg import INK, PAPER, SUITS, THEMES
from pirate_envs.engine.replay import Replay

LONGEST = 5000  # decisions of a match that a page shows
STATIC = files("pirate_envs.agents.table") / "static"
MODULES = ("picture.js", "coach.js", "replay.js")  # of the page, each after those that it imports
DRAWN, OTHER = "light", "dark"  # the theme that pictures are drawn in, and the one that the style sheet makes of it
CHOICES = 5  # of a decision that the coach shows, and the one that was played
COLOURED = ("fill", "stroke", "color")  # attributes of a picture


def steps(replay: Replay, seat: int | None = None, language: str = USUAL, names: Sequence[str] = ()) -> dict[str, Any]:
    """The match for a page, ready for JSON: as that seat saw it, or with everything open.

    `steps[0]` is the deal, each other one what a decision brought: `at`, its number; `text`, sentences; `events`; `svg`, the
    picture after it. `tall[n]` is the picture of `steps[n]` for phones. `names`: who sat there, by seat.

    Raises ReplayError for a match that the rules refuse or that is longer than a page shows, OptionError for an unknown seat or
    language.
    """
    if len(replay.actions) > LONGEST:
        raise ReplayError(f"{len(replay.actions)} decisions; a page shows at most {LONGEST}")
    game = replay.load_game()
    seat = None if seat is None else game.check_seat(seat)
    sentences(game, [], seat, language)
    positions = replay.positions()
    g = next(positions)
    told: list[dict[str, Any]] = [{"at": 0, "text": [], "events": [], "svg": game.picture(g, seat, DRAWN, language)}]
    tall = [game.picture(g, seat, DRAWN, language, tall=True)]
    for at, (name, after) in enumerate(zip(replay.actions, positions, strict=True), 1):
        events = game.events(g, game.action(g, name), after, seat)
        text = sentences(game, events, seat, language)
        told.append({"at": at, "text": text, "events": events, "svg": game.picture(after, seat, DRAWN, language)})
        tall.append(game.picture(after, seat, DRAWN, language, tall=True))
        g = after
    return {
        "title": game.title,
        "game": game.id,
        "seed": str(replay.seed),  # more digits than a number of JavaScript keeps
        "language": language,
        "seat": seat,
        "seats": [*names] or [""] * game.players,
        "over": game.is_over(g),
        "steps": told,
        "tall": tall,
    }


def packed(content: Any) -> bytes:
    """JSON, compressed: the pictures of a match are much alike."""
    return gzip.compress(json.dumps(content, separators=(",", ":")).encode(), mtime=0)


# -- colours -----------------------------------------------------------------------------------------------------------


def themed() -> dict[str, str]:
    """Name -> colour that is drawn in one theme and is to be changed in the other; what cards are made of stays."""
    fixed = {INK, PAPER, *SUITS.values()}
    return {name: colour for name, colour in THEMES[DRAWN].items() if colour not in fixed and colour != THEMES[OTHER][name]}


def colours() -> str:
    """A style sheet: the themes' colours as custom properties, and pictures' that take them.

    The theme is that of `data-theme` on the page's root, else what the reader's system prefers.
    """

    def root(theme: str, at: str) -> str:
        declared = "".join(f"--{name.replace('_', '-')}:{colour};" for name, colour in THEMES[theme].items())
        return f"{at}{{color-scheme:{theme};{declared}}}\n"

    pictures = "".join(
        f'[{attribute}="{colour}"]{{{attribute}:var(--{name.replace("_", "-")})}}\n'
        for name, colour in themed().items()
        for attribute in COLOURED
    )
    preferred = root(OTHER, f":root:not([data-theme={DRAWN}])")
    return (
        f"{root(DRAWN, ':root')}@media (prefers-color-scheme:{OTHER}){{{preferred}}}\n"
        f"{root(OTHER, f':root[data-theme={OTHER}]')}{pictures}"
    )


# -- one file ----------------------------------------------------------------------------------------------------------


def page(
    replay: Replay,
    seat: int | None = None,
    language: str = USUAL,
    names: Sequence[str] = (),
    reviewed: Review | None = None,
) -> str:
    """An HTML page that holds all it needs and may load and run nothing else. See `steps`, and what it raises.

    With the seat's review it shows what the coach says, and the match with everything open beside what the seat knew.
    """
    content = steps(replay, seat, language, names)
    more = {}
    if reviewed is not None:
        more = {"open": steps(replay, None, language, names), "coach": advice(reviewed, language)}
    kept = base64.b64encode(packed({"replay": content, "words": words(language), **more})).decode()
    style = f"{colours()}{_static('replay.css')}"
    script = "".join(_inner(_static(name)) for name in MODULES)
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; base-uri 'none'; form-action 'none'"
    )
    head = (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<title>{escape(content["title"])}</title>\n'
        f"<style>{style}</style>"
    )
    body = (
        f'<script id="kept" type="application/octet-stream">{kept}</script>\n<script type="module">{script}</script>\n</body>'
    )
    outer = re.sub(r"<title>.*</head>", lambda _: f"{head}\n</head>", _static("replay.html"), flags=re.DOTALL)
    return outer.replace("</body>", body).replace('lang="en"', f'lang="{language}"', 1)


def advice(reviewed: Review, language: str = USUAL) -> dict[str, Any]:
    """What the coach says, for the page: decision (its number in the match) -> the dearest and cheapest things to do.

    `chances[n]`: of the seat's winning at `steps[n]`, and whether it is exact; None: nothing tells it. `mistakes`: the dearest
    decisions. `ladder`: where its error rates stand, None where the shipped players' were not measured; `luck`: in all, and
    `dealt`, decision -> that of the deal before it.
    """
    strokes, digits = reviewed.strokes(), reviewed.digits
    return {
        "seat": reviewed.seat,
        "unit": reviewed.unit,
        "chances": [None if chance is None else [round(chance.win, 4), chance.exact] for chance in reviewed.chances],
        "judged": len(reviewed.judged),
        "as_good": reviewed.as_good,
        "rates": {unit: amount(rate, unit, digits=digits) for unit, rate in reviewed.rates().items()},
        "grades": {grade: reviewed.count(grade) for grade in GRADES},
        "mistakes": [judged.at for judged in reviewed.mistakes()],
        "ladder": None if reviewed.ladder is None else [placed.content() for placed in reviewed.placed()],
        "luck": _luck(reviewed),
        "dealt": {stroke.at: signed(stroke.points, f",.{digits}f") for stroke in strokes if stroke.kind == CARDS},
        "decisions": {judged.at: _judged(reviewed, judged, language) for judged in reviewed.judged},
    }


def _luck(reviewed: Review) -> dict[str, str] | None:
    """All luck of the match, in numbers; None: nothing is known of it."""
    strokes = reviewed.strokes()
    if strokes:
        points, win = (sum(getattr(stroke, unit) for stroke in strokes) for unit in UNITS)
        return {"points": signed(points, f",.{reviewed.digits}f"), "win": signed(win, ".1%")}
    if not reviewed.luck:
        return None
    return {kind: signed(sum(getattr(turn, f"{kind}_luck") for turn in reviewed.luck), ",.0f") for kind in ("card", "dice")}


def signed(number: float, form: str) -> str:
    """With its sign before it, as in print."""
    return f"{number:+{form}}".replace("-", "\N{MINUS SIGN}")


def _judged(reviewed: Review, judged: Judged, language: str) -> dict[str, Any]:
    shown = [choice for place, choice in enumerate(judged.choices) if place < CHOICES or choice is judged.played]
    labels = action_labels(reviewed.game, [choice.name for choice in shown], reviewed.seat, language)
    losses = [loss_of(choice, judged.unit) for choice in shown]
    most = max(loss.mean for loss in losses) or 1.0
    lost, digits = judged.loss, reviewed.digits
    return {
        "grade": judged.grade,
        "lost": amount(exactly(lost.mean), judged.unit, digits=digits)
        if lost.low > 0 and judged.played is not judged.best
        else "",
        "choices": [
            {
                "label": label,
                "loses": amount(loss, judged.unit, digits=digits),
                "chance": chance(choice),
                "worth": worth(choice, digits),
                "part": min(max(loss.mean / most, 0), 1),
                "policy": "" if choice.policy is None else f"{choice.policy:.0%}",
                "played": choice is judged.played,
            }
            for choice, label, loss in zip(shown, labels, losses, strict=True)
        ],
    }


def words(language: str) -> dict[str, str]:
    """What the page says itself, in a language that there is."""
    found: dict[str, str] = parse_json(_static(f"words/{language}.json"))
    return {key: text for key, text in found.items() if key.startswith("replay.")}


def _static(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def _inner(module: str) -> str:
    """A module's text to stand in one module with those that it imports."""
    return re.sub(r"^export (?=async|class|const|function)", "", re.sub(r"^import .*;\n", "", module, flags=re.M), flags=re.M)


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
