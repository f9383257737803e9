"""The site, built as `make docs` builds it, and what its pages hold."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from experiments import docs

ROOT = docs.ROOT


def built(folder: Path) -> Path:
    """Build the site there, warnings as errors. Raises AssertionError with what Sphinx says."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    command = re.search(r"^\t\S*/sphinx-build (.*) docs build/site$", makefile, re.MULTILINE)
    assert command, "make docs calls sphinx-build otherwise"
    line = [sys.executable, "-m", "sphinx", *command[1].split(), "-d", str(folder / "doctrees"), "docs", str(folder / "site")]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr, done.stdout + done.stderr
    return folder / "site"


@dataclass
class PageLinks(HTMLParser):
    """A page's links, with what it loads, and the places in it that links may lead to."""

    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    places: set[str] = field(default_factory=set)
    pictures_without_words: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.places |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif tag in ("script", "img", "source", "iframe") and "src" in found:
            self.loaded.append(found["src"])
        elif tag == "link" and "stylesheet" in found.get("rel", ""):
            self.loaded.append(found["href"])
        if tag == "img" and not found.get("alt"):
            self.pictures_without_words.append(found.get("src", ""))


def links_of(page: Path) -> PageLinks:
    found = PageLinks()
    found.feed(page.read_text(encoding="utf-8"))
    return found


def search_index(site: Path) -> dict[str, Any]:
    """What the site's search knows: `docnames`, and in `terms` each word with the numbers of its pages."""
    text = (site / "searchindex.js").read_text(encoding="utf-8")
    index: dict[str, Any] = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    return index


def pages_with(index: dict[str, Any], word: str) -> set[str]:
    """The pages on which the word stands."""
    found = index["terms"].get(word, [])
    return {index["docnames"][number] for number in (found if isinstance(found, list) else [found])}


def pages_indexed(index: dict[str, Any], entry: str) -> set[str]:
    """The pages that the index names for an entry, so that a search for it leads to a place on them."""
    return {index["docnames"][number] for number, _, _ in index["indexentries"].get(entry.lower(), [])}
