"""The site builds without a warning; links lead somewhere, search knows every rule, and nobody else is asked for anything."""

from __future__ import annotations

import re
import resource
from pathlib import Path
from urllib.parse import unquote

import pytest

import pirate_envs
from pirate_envs.games import shipped
from tests.docs.site import PageLinks, built, links_of, pages_indexed, pages_with, search_index

MOST_SECONDS = 60  # of processor time


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    folder = built(tmp_path_factory.mktemp("site"))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < MOST_SECONDS
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, PageLinks]:
    return {page: links_of(page) for page in sorted(site.rglob("*.html")) if page.parent.name not in ("matches", "_static")}


def is_outside(link: str) -> bool:
    return bool(re.match(r"https?:|data:|mailto:", link))


def test_no_link_is_dead(site: Path, pages: dict[Path, PageLinks]) -> None:
    dead, followed = [], 0
    for page, found in pages.items():
        for link in [*found.links, *found.loaded]:
            if is_outside(link):
                continue
            path, _, place = link.partition("#")
            there = (page.parent / unquote(path.partition("?")[0])).resolve() if path else page
            followed += 1
            if not there.is_file() or (place and there.suffix == ".html" and place not in places(there, pages)):
                dead.append(f"{page.relative_to(site)}: {link}")
    assert followed > 1000 and dead == []


def places(page: Path, pages: dict[Path, PageLinks]) -> set[str]:
    return pages[page].places if page in pages else links_of(page).places


def test_pages_load_nothing_from_elsewhere(pages: dict[Path, PageLinks]) -> None:
    """Nor from the root of a server, so that they can be read as files."""
    for page, found in pages.items():
        assert [each for each in found.loaded if is_outside(each) or each.startswith("/")] == [], page


def test_every_picture_has_words(pages: dict[Path, PageLinks]) -> None:
    assert {page.name: found.pictures_without_words for page, found in pages.items() if found.pictures_without_words} == {}


@pytest.mark.parametrize("name", shipped())
def test_search_finds_every_rule(site: Path, name: str) -> None:
    index = search_index(site)
    rules = set(re.findall(r"^  (R\d+) ", pirate_envs.load(name).manual, re.MULTILINE))
    assert len(rules) > 20
    assert {rule for rule in rules if f"games/{name}" not in pages_with(index, rule.lower())} == set()
    assert {rule for rule in rules if f"games/{name}" not in pages_indexed(index, rule)} == set()
    assert pages_with(index, "r99") == pages_indexed(index, "R99") == set()


@pytest.mark.parametrize("name", shipped())
def test_every_rule_is_a_place(site: Path, pages: dict[Path, PageLinks], name: str) -> None:
    """To which links can lead, on the page and from elsewhere."""
    told = re.findall(r"^  R(\d+) ", pirate_envs.load(name).manual, re.MULTILINE)
    assert {f"{name.replace('_', '-')}-r{number}" for number in told} <= pages[site / "games" / f"{name}.html"].places


@pytest.mark.parametrize("name", shipped())
def test_the_told_match_can_be_watched(site: Path, pages: dict[Path, PageLinks], name: str) -> None:
    assert f"../matches/{name}.html" in pages[site / "games" / f"{name}.html"].links
    assert "<script" in (site / "matches" / f"{name}.html").read_text(encoding="utf-8")
