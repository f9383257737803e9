"""What the coach says on the replay's page, in a real browser: of a move, of the chance at every step, of the whole match."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import pirate_envs
from pirate_envs import Replay
from pirate_envs.agents.coach import Budget, Review, review
from pirate_envs.agents.coach.exact import exactly
from pirate_envs.agents.coach.telling import amount, chance, worth
from tests.browser.replays import SIZES, Opened, names_of, opened, written

__all__ = ["opened"]  # a fixture of the tests here
pytestmark = pytest.mark.browser
COACHED: dict[str, dict[str, int]] = {
    "piraten_kapern": {"players": 2, "target": 2000},
    "skull_king": {"players": 3, "last_hand": 4},
}


@pytest.fixture(scope="module")
def reviews() -> dict[str, Review]:
    """Of a random player's match: it makes mistakes."""
    found = {}
    for name, options in COACHED.items():
        game = pirate_envs.load(name, **options)
        found[name] = review(Replay.of(game, 3, names_of(game, "random")), 0, Budget(64))
    return found


@pytest.fixture(params=COACHED)
def reviewed(request: pytest.FixtureRequest, reviews: dict[str, Review]) -> Review:
    return reviews[request.param]


def advised(opened: Any, folder: Path, reviewed: Review, size: str = "desk", **context: Any) -> Opened:
    return opened(written(folder, reviewed.replay, seat=0, reviewed=reviewed), size, **context)


@pytest.mark.parametrize("size", SIZES)
def test_a_click_on_a_move_tells_what_could_have_been_done(size: str, reviewed: Review, opened: Any, tmp_path: Path) -> None:
    shown = advised(opened, tmp_path, reviewed, size)
    judged = reviewed.mistakes()[-1]
    line = shown.page.locator(f'#steps button[data-at="{judged.at + 1}"]')
    assert (
        line.locator(".lost")
        .last.inner_text()
        .endswith(f"\N{MINUS SIGN}{amount(exactly(judged.loss.mean), judged.unit, digits=reviewed.digits)}")
    )
    line.click()
    assert shown.at == judged.at + 1
    assert shown.page.inner_text("#decided") == f"Step {judged.at + 1}: what could have been done"
    rows = shown.page.locator("#rows tr")
    assert rows.count() == min(5, len(judged.choices)) + (judged.played in judged.choices[5:])
    played = shown.page.locator("#rows .played")
    cells = played.locator("td").all_inner_texts()
    assert played.locator("th").inner_text().endswith(" (played)") and cells[0] == amount(
        judged.loss, judged.unit, digits=reviewed.digits
    )
    told = [tell(judged.played) for tell in (chance, lambda choice: worth(choice, reviewed.digits))]
    assert all(told) == any(told) == reviewed.is_exact
    assert cells[1:-1] == [each for each in told if each] and not shown.page.locator("#no_choice").is_visible()
    heads = shown.page.locator("#choices thead th:visible").all_inner_texts()
    assert heads[2:-1] == (["win", "points"] if reviewed.is_exact else [])
    assert shown.violations() == []
    shown.page.click("#open")
    assert "all open" in shown.page.inner_text("#about") and shown.at == judged.at + 1 and rows.count() > 1
    own = {judged.at for judged in reviewed.judged}
    at = next(at for at in range(len(reviewed.replay.actions)) if not own & {at - 1, at})
    shown.page.locator("#scrubber").fill(str(at))
    assert shown.page.locator("#no_choice").is_visible()
    assert not any(shown.page.locator(hidden).is_visible() for hidden in ("#choices", "#before"))
    assert shown.violations() == [] and shown.complaints == []


@pytest.mark.parametrize("size", SIZES)
def test_all_that_is_told_of_an_action_fits_on_the_page(size: str, opened: Any, tmp_path: Path) -> None:
    """Where levels are told beside losses with intervals: a table of four, the usual rules."""
    game = pirate_envs.load("piratenpoker", players=4)
    reviewed = review(Replay.of(game, 3, names_of(game, "random")), 0, Budget(16))
    shown = advised(opened, tmp_path, reviewed, size)
    at = next(each.at for each in reviewed.judged if each.played.regret.low < each.played.regret.high) + 1
    shown.page.locator("#scrubber").fill(str(at))
    heads = shown.page.locator("#choices thead th:visible").all_inner_texts()
    assert heads[2:] == ["win", "points", "policy"]
    cells = shown.page.locator("#rows .played td").all_inner_texts()
    assert "[" in cells[0] and cells[1].endswith("%") and cells[2][0] in "+-" and cells[3].endswith("%")
    edges = "[...document.querySelectorAll('#choices :is(th, td)')].map((each) => each.getBoundingClientRect().right)"
    panel = "document.querySelector('#advice').getBoundingClientRect().right"
    assert max(shown.page.evaluate(edges)) <= shown.page.evaluate(panel) + 0.5
    assert shown.violations() == []


def test_before_a_decision_it_tells_what_can_be_done(reviews: dict[str, Review], opened: Any, tmp_path: Path) -> None:
    reviewed = reviews["skull_king"]
    own = {judged.at for judged in reviewed.judged}
    at = next(at for at in sorted(own) if at - 1 not in own)
    shown = advised(opened, tmp_path, reviewed)
    shown.page.locator("#scrubber").fill(str(at))
    assert shown.page.inner_text("#decided") == f"Now, before step {at + 1}: what can be done"
    assert not shown.page.locator("#before").is_visible()


def test_the_bar_tells_the_chance_at_every_step(reviewed: Review, opened: Any, tmp_path: Path) -> None:
    shown = advised(opened, tmp_path, reviewed)
    for at in range(0, len(reviewed.chances), 7):
        shown.page.locator("#scrubber").fill(str(at))
        told = reviewed.chances[at]
        said = "Chance of winning" if told.exact else "Chance of winning, estimated"
        assert shown.page.inner_text("#chance_text") == f"{said}: {int(100 * round(told.win, 4) + 0.5)} %"
        assert float(shown.page.get_attribute("#chance_bar", "value")) == round(told.win, 4)
    shown.press("End")
    won = 0 in reviewed.winners
    assert shown.page.inner_text("#chance_text") == f"Chance of winning: {100 * won / len(reviewed.winners):.0f} %"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_whole_match_is_told_and_leads_to_its_mistakes(
    scheme: str, size: str, reviewed: Review, opened: Any, tmp_path: Path
) -> None:
    """To each as it was decided: the position before it."""
    shown = advised(opened, tmp_path, reviewed, size, color_scheme=scheme, reduced_motion="reduce")
    assert shown.page.inner_text("#adviser") == "What the coach says of player 0"
    lines = shown.page.locator("#summary li").all_inner_texts()
    assert lines[0].startswith(f"{len(reviewed.judged)} decisions with a choice; {reviewed.as_good} ")
    assert [line.partition(":")[0] for line in lines[1:-1]] == ["Error rate"] * len(reviewed.rates())
    counts = [reviewed.count(grade) for grade in ("blunder", "mistake", "inaccuracy")]
    assert lines[-1] == "Blunders {}, mistakes {}, inaccuracies {}".format(*counts)
    compared = shown.page.locator("#compared li").all_inner_texts()
    assert reviewed.ladder is None and compared[0].startswith("Who plays like this: not told; at tables like this one")
    assert len(compared) == 2 and "Luck" in compared[-1]
    links = shown.page.locator("#mistakes a")
    mistakes, positions = reviewed.mistakes(), list(reviewed.replay.positions())
    assert links.count() == len(mistakes) > 1
    for place, judged in enumerate(mistakes):
        assert links.nth(place).inner_text().startswith(f"{judged.at + 1} · ")
        links.nth(place).click()
        assert shown.at == judged.at + 1 and shown.page.url.endswith(f"#{judged.at + 1}")
        assert shown.page.get_attribute("#before", "aria-pressed") == "true"
        shown.shows(reviewed.game.picture(positions[judged.at], 0, tall=size == "telephone"))
    assert shown.violations() == []
    wide = shown.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= SIZES[size][0]
    shown.page.click("#before")
    shown.shows(reviewed.game.picture(positions[mistakes[-1].at + 1], 0, tall=size == "telephone"))
    assert shown.at == mistakes[-1].at + 1


def test_a_match_without_mistakes_names_none(opened: Any, tmp_path: Path) -> None:
    game = pirate_envs.load("piraten_kapern", players=2, target=500)
    reviewed = review(Replay.of(game, 3, names_of(game, "exact:race")), 0)
    shown = advised(opened, tmp_path, reviewed)
    assert reviewed.mistakes() == [] and not shown.page.locator("#dearest").is_visible()
    assert shown.violations() == []
