"""Text for the terminal: tables, and lines no wider than it."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterable, Iterator, Sequence

PAPER = 128  # columns where there is no terminal
NARROWEST = 24  # columns that a wrapped cell keeps
BAR = 32  # columns of the longest bar
BOUND = "\N{NO-BREAK SPACE}"


def width() -> int:
    """Columns of the terminal."""
    return shutil.get_terminal_size((PAPER, 24)).columns


def print_table(rows: Sequence[Sequence[str]]) -> None:
    """Print rows with their columns aligned, the first row as a heading; the last column is wrapped."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in (rows[0], ["-" * size for size in widths], *rows[1:]):
        print_row(row, widths)


def print_row(row: Sequence[str], widths: Sequence[int]) -> None:
    """Print a row whose columns are so wide, the last one wrapped."""
    start = "".join(f"{cell.ljust(size)}  " for cell, size in zip(row[:-1], widths[:-1], strict=True))
    if set(row[-1]) == {"-"}:
        print(start + row[-1][: max(width() - len(start), NARROWEST)])
        return
    lines = textwrap.wrap(row[-1], max(width() - len(start), NARROWEST), break_long_words=False, break_on_hyphens=False)
    for number, line in enumerate(lines or [""]):
        print(f"{start if number == 0 else ' ' * len(start)}{line}".rstrip())


def bars(names: Sequence[str], before: Sequence[int], scores: Sequence[int]) -> list[str]:
    """A line a player: points, what has changed, and a bar of them; points below zero are hatched."""
    wide = max(map(len, names))
    most = max(1, *(abs(score) for score in scores))
    lines = []
    for name, then, now in zip(names, before, scores, strict=True):
        bar = ("\N{FULL BLOCK}" if now > 0 else "\N{MEDIUM SHADE}") * round(BAR * abs(now) / most)
        change = f"{now - then:+d}" if now != then else ""
        lines.append(f"  {name:<{wide}} {now:>6} {change:>6}  {bar}".rstrip())
    return lines


def fitted(text: str) -> str:
    """The text with every line that is too wide continued below, further in."""
    return "\n".join(line for whole in text.splitlines() for line in _continued(whole, len(whole) - len(whole.lstrip()) + 2))


def _continued(line: str, inset: int) -> list[str]:
    if len(line) <= width():
        return [line]
    wrapper = textwrap.TextWrapper(
        max(width(), NARROWEST), subsequent_indent=" " * inset, break_long_words=False, break_on_hyphens=False
    )
    wrapper.drop_whitespace = True
    return wrapper.wrap(line)


def listed(items: Iterable[str]) -> str:
    """Items side by side, in lines that break between them only."""
    return fitted("  ".join(item.replace(" ", BOUND) for item in items)).replace(BOUND, " ")


def paragraphs(manual: str) -> list[str]:
    """A manual cut where an item, a heading or a new sentence block begins; each piece with its own line breaks."""
    pieces: list[list[str]] = []
    hanging = -1  # the inset of lines that continue the piece
    for line in manual.strip("\n").splitlines():
        inset = len(line) - len(line.lstrip())
        item = re.match(r"\s*(R\d+|[-*])\s+", line)
        goes_on = pieces and line.strip() and not item and pieces[-1][-1].strip() and inset == hanging
        if goes_on and len(pieces[-1][-1]) >= 80:  # a full line
            pieces[-1].append(line)
        else:
            pieces.append([line])
            hanging = item.end() if item else inset
    return ["\n".join(piece) for piece in pieces]


def manual_text(manual: str) -> str:
    """A manual no wider than the terminal; where it fits it is as written."""
    return "\n".join(_reflowed(piece) for piece in paragraphs(manual))


def _reflowed(piece: str) -> str:
    lines = piece.splitlines() or [""]
    if max(map(len, lines)) <= width():
        return piece
    item = re.match(r"\s*((R\d+|[-*])\s+)?", lines[0])
    inset = item.end() if item else 0
    start, rest = lines[0][:inset], " ".join([lines[0][inset:], *(line.strip() for line in lines[1:])])
    size = max(width() - inset, NARROWEST)
    return "\n".join(
        f"{start if number == 0 else ' ' * inset}{line}"
        for number, line in enumerate(textwrap.wrap(rest, size, break_long_words=False, break_on_hyphens=False))
    )


def about(manual: str, word: str) -> Iterator[str]:
    """The paragraphs of a manual that mention the word (or begin a word with it), without regard to case."""
    wanted = re.compile(r"\b" + re.escape(word.replace("_", " ")).replace(r"\ ", r"[\s_]+"), re.IGNORECASE)
    for piece in paragraphs(manual):
        if wanted.search(piece):
            yield _reflowed(piece)
