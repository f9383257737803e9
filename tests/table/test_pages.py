"""What the pages are made of: files with their types, words in every language, nothing from elsewhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from pirate_envs.agents.table import pages
from pirate_envs.agents.table.app import Hall, application
from pirate_envs.agents.table.store import Store
from pirate_envs.core.sentences import languages

STATIC = Path(pages.__file__).parent / "static"
HOST = "127.0.0.1:8421"
MODULES = {file.name: file.read_text(encoding="utf-8") for file in STATIC.glob("*.js")}
OWN = {name: text for name, text in MODULES.items() if name not in ("replay.js", "picture.js")}
MADE_KEYS = ("level.", "note.", "help.key.", "help.sign.", "play.speed.")
"""How keys begin that are put together where they are used."""


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(application(Hall(Store(tmp_path / "tables.sqlite"), hosts=[HOST])), base_url=f"http://{HOST}") as client:
        yield client


def words(language: str) -> dict[str, str]:
    return json.loads((STATIC / "words" / f"{language}.json").read_text(encoding="utf-8"))


# -- files -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/t/whatever",
        "/tv",
        "/tv/skull_king",
        "/rules/skull_king",
        "/?game=skull_king",
        "/puzzles",
        "/puzzles/skull_king/3",
    ],
)
def test_every_address_is_the_one_page(client: TestClient, address: str) -> None:
    answer = client.get(address)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert "/static/main.js" in answer.text


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("main.js", "text/javascript"),
        ("table.css", "text/css"),
        ("words/de.json", "application/json"),
        ("icon.svg", "image/svg+xml"),
    ],
)
def test_files_have_their_type_and_are_asked_for_anew(client: TestClient, name: str, kind: str) -> None:
    answer = client.get(f"/static/{name}")
    assert answer.headers["content-type"].startswith(kind)
    assert (answer.headers["cache-control"], answer.content) == ("no-cache", (STATIC / name).read_bytes())
    again = client.get(f"/static/{name}", headers={"if-none-match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get(f"/static/{name}", headers={"if-none-match": '"another"'}).status_code == 200


@pytest.mark.parametrize(
    "path", ["nothing.js", "../app.py", "..%2fapp.py", "words/../../app.py", "%2e%2e/store.py", "words", ""]
)
def test_nothing_else_is_served(client: TestClient, path: str) -> None:
    assert client.get(f"/static/{path}").status_code == 404


def test_nothing_comes_from_elsewhere_and_nothing_stands_in_the_page_itself() -> None:
    for file in STATIC.rglob("*"):
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        outside = [url for url in re.findall(r"https?://[\w./-]+", text) if "www.w3.org" not in url]
        assert outside == [], file.name
    page = (STATIC / "page.html").read_text(encoding="utf-8")
    assert not re.search(r"<script(?![^>]* src=)|<style| style=| on\w+=", page)


def test_modules_import_modules_that_are_there() -> None:
    for name, text in MODULES.items():
        for wanted in re.findall(r'(?:from|import\()\s*"\./([\w.]+)"', text):
            assert wanted in MODULES, f"{name} imports {wanted}"


# -- words -------------------------------------------------------------------------------------------------------------


def test_every_language_has_the_same_words_with_the_same_gaps() -> None:
    english = words("en")
    for language in languages():
        other = words(language)
        assert other.keys() == english.keys()
        for key, text in other.items():
            assert text.strip()
            assert sorted(re.findall(r"\{\w+\}", text)) == sorted(re.findall(r"\{\w+\}", english[key])), (language, key)


def test_every_word_that_is_said_is_there_and_every_one_there_is_said() -> None:
    text = "\n".join(OWN.values())
    said = set(re.findall(r'"((?:main|new|seat|play|share|end|actions|tv|puzzles|rules|help)\.[\w.]+)"', text))
    there = {key for key in words("en") if not key.startswith("replay.")}
    assert said <= there
    assert {key for key in there - said if not key.startswith(MADE_KEYS)} == {"new.practice.means", "new.hidden.means"}


def test_what_is_put_together_is_there_too() -> None:
    there = words("en")
    keys, signs = (re.search(rf"const {name} = \[(.*?)\]", MODULES["help.js"]).group(1) for name in ("KEYS", "SIGNS"))
    needed = {f"help.key.{name}{more}" for name in re.findall(r'"(\w+)"', keys) for more in ("", ".means")}
    needed |= {f"help.sign.{name}" for name in re.findall(r'"(\w+)"', signs)}
    speeds = re.search(r"SPEEDS = \{(.*?)\}", MODULES["settings.js"]).group(1)
    needed |= {f"play.speed.{name}" for name in re.findall(r"(\w+):", speeds)}
    needed |= {f"level.{name}" for name in ("easy", "fair", "strong", "best")} | {"note.failed", "note.no_answer"}
    assert {key for key in there if key.startswith(MADE_KEYS)} == needed
