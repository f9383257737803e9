"""Puzzles: those that come with the games, what is said of them, how they are found, and what bad files are told."""

from __future__ import annotations

import copy
import io
import json
import math
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pirate_envs
from pirate_envs.agents.coach import Budget, Coach, puzzles
from pirate_envs.agents.coach.choice import POINTS, WIN
from pirate_envs.agents.coach.puzzles import Puzzle, PuzzleBook, PuzzleError, load_puzzles, names_with_puzzles, telling, told
from pirate_envs.agents.coach.puzzles.mining import LIKELY, QUARRIES, Z95, Mine, Quarry, likely, line_ups, samples, weighed
from pirate_envs.agents.coach.puzzles.puzzle import brief, unpacked
from pirate_envs.agents.coach.puzzles.themes import THEMES, height
from pirate_envs.agents.names import agent
from pirate_envs.agents.policy import Policy
from pirate_envs.cli import main
from pirate_envs.core.errors import OptionError
from pirate_envs.core.sentences import languages
from pirate_envs.games import shipped

MOST_BYTES = 60_000  # of a shipped file
COUNT = 100  # puzzles of a game
ROUNDED = 0.01 + 1e-9  # two values are kept to two digits


@pytest.fixture(scope="module", params=shipped())
def book(request: pytest.FixtureRequest) -> PuzzleBook:
    return load_puzzles(request.param)


# -- those that come with the games ------------------------------------------------------------------------------------


def test_every_game_has_some() -> None:
    assert names_with_puzzles() == sorted(shipped())
    for name in shipped():
        file = telling.files(telling.PACKAGE) / f"{name}.json.gz"
        assert len(file.read_bytes()) < MOST_BYTES
        assert len(load_puzzles(name).puzzles) == COUNT


def test_each_is_the_position_that_its_seat_sees(book: PuzzleBook) -> None:
    assert book.unit in (POINTS, WIN) and book.game.id.startswith(book.game.name)
    for puzzle in book.puzzles:
        g = puzzle.position(book.game)
        seat = book.game.seat_to_move(g)
        view = book.game.view(g, seat)
        assert {key: view[key] for key in puzzle.view} == puzzle.view  # nothing but what the seat sees
        again = book.game.from_view(view, seed=5)
        assert book.game.redacted(again, seat).tobytes() == book.game.redacted(g, seat).tobytes()
        assert set(view["legal"]) == set(puzzle.values)


def test_each_has_one_answer_that_surprises(book: PuzzleBook) -> None:
    policy = agent(book.game, "policy:pretrained")
    assert isinstance(policy, Policy)
    for puzzle in book.puzzles:
        g = puzzle.position(book.game)
        answer = book.game.action(g, puzzle.answer)
        probabilities = likely(book.game, policy, g)
        assert probabilities[answer] < LIKELY
        assert book.game.rule_action(g) != answer
        assert book.game.action_name(g, next(each for each in probabilities if each != answer)) == puzzle.tempting
        leads = [puzzle.regret(name) for name in puzzle.values if name != puzzle.answer]
        assert min(lead.mean for lead in leads) >= book.gap - 1e-3
        assert all(lead.mean >= 4.9 * (lead.high - lead.low) / 2 / Z95 for lead in leads)
        assert next(iter(puzzle.values)) == puzzle.answer


def test_the_easiest_come_first_and_none_comes_twice(book: PuzzleBook) -> None:
    ratings = [puzzle.rating for puzzle in book.puzzles]
    assert ratings == sorted(ratings, reverse=True)
    assert len({json.dumps(puzzle.view) for puzzle in book.puzzles}) == len(book.puzzles)
    assert len({puzzle.theme for puzzle in book.puzzles}) > 2


def test_the_page_says_how_many_find_them() -> None:
    ratings = np.array([puzzle.rating for name in names_with_puzzles() for puzzle in load_puzzles(name).puzzles])
    page = " ".join((Path(__file__).parents[2] / "docs" / "coach.md").read_text(encoding="utf-8").split())
    told = f"more than half of them {(ratings > 0.5).sum()} of the {len(ratings)}, and the easiest {ratings.max():.0%}".replace(
        "%", " %"
    )
    assert told in page and f"{np.median(ratings):.1f}" == "0.3" and "three in ten of them the one in the middle" in page


def test_a_file_is_read_as_it_was_written(book: PuzzleBook) -> None:
    again = PuzzleBook.parse(book.text())
    assert again.puzzles == book.puzzles and again.text() == book.text()
    assert again.game.options == book.game.options


@pytest.mark.long
def test_values_come_out_again(book: PuzzleBook) -> None:
    """In a fresh run of other worlds: hardly ever outside its 99 % intervals; a puzzle's err together."""
    inside = []
    if not book.worlds:
        mine = Mine(book.game, QUARRIES[book.game.name])
        for puzzle in book.puzzles:
            g = puzzle.position(book.game)
            worths = mine.coach.solutions[book.unit].worths(g)
            for name, worth in puzzle.values.items():
                assert worths[book.game.action(g, name)] == pytest.approx(worth.value, abs=1e-4)
        return
    coach = Coach(book.game, Budget())
    for puzzle in book.puzzles:
        g = puzzle.position(book.game)
        names = list(puzzle.values)
        actions = [book.game.action(g, name) for name in names]
        *_, sample = samples(coach, book.game.redacted(g, book.game.seat_to_move(g)), actions, 77, book.worlds)
        worth = sample.points if book.unit == POINTS else sample.shares
        for row, name in zip(worth[1:], names[1:], strict=True):
            lead, before = weighed(worth[0] - row, sample.weights), puzzle.regret(name)
            assert lead.low > 0, name
            error = math.hypot(lead.high - lead.low, before.high - before.low) / 2 / Z95
            inside.append(abs(lead.mean - before.mean) <= 2.576 * error + ROUNDED)
    assert np.mean(inside) >= 0.97


# -- what is said ------------------------------------------------------------------------------------------------------


def test_no_text_is_missing_in_any_language() -> None:
    usual = telling.texts("en")
    assert {f"theme.{theme}" for theme in THEMES} | {f"why.{theme}" for theme in THEMES} <= usual.keys()
    used = {key for key in usual if key.split(".")[0] in ("theme", "why")}
    assert {key.partition(".")[2] for key in used} == set(THEMES)
    for language in languages():
        words = telling.texts(language)
        assert words.keys() == usual.keys()
        for key, text in words.items():
            assert text.strip() and set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", usual[key])), (
                language,
                key,
            )


def test_all_that_is_said_comes_from_the_words(book: PuzzleBook, monkeypatch: pytest.MonkeyPatch) -> None:
    bracketed = {key: f"⟦{text}⟧" for key, text in telling.texts("en").items()}
    monkeypatch.setattr(telling, "texts", lambda language: bracketed)
    for puzzle in book.puzzles[:5]:
        for chosen in (puzzle.answer, puzzle.tempting):
            verdict = told(book, puzzle, chosen)
            for text in (verdict.verdict, verdict.theme, verdict.note, *verdict.why, *verdict.heads):
                assert text.startswith("⟦") and text.endswith("⟧")
    assert all(text.startswith("⟦") for text in telling.asked(book, 1).values())


@pytest.mark.parametrize(
    ("language", "points", "share"),
    [("en", "1,200", "3.6\xa0%"), ("de", "1.200", "3,6\xa0%"), ("fr", "1\u202f200", "3,6\xa0%")],
)
def test_numbers_are_written_as_in_the_language(language: str, points: str, share: str) -> None:
    assert telling.in_print(f"{1200:,.0f}", language) == points
    assert telling.in_print(telling.percent(0.036, 1), language) == share
    book = load_puzzles("piraten_kapern")
    shares = [row.value for puzzle in book.puzzles for row in told(book, puzzle, puzzle.answer, language).rows]
    assert all(("." in told_of) == (language == "en") for told_of in shares)


def test_a_choice_is_judged(book: PuzzleBook) -> None:
    puzzle = book.puzzles[0]
    right, wrong = told(book, puzzle, puzzle.answer), told(book, puzzle, puzzle.tempting)
    assert right.right and not wrong.right
    assert puzzle.answer in right.verdict and puzzle.answer in wrong.verdict and puzzle.tempting in wrong.verdict
    assert [row.name for row in right.rows] == list(puzzle.values)
    assert [row.best for row in right.rows] == [True] + [False] * (len(right.rows) - 1)
    assert right.rows[0].chosen and not wrong.rows[0].chosen
    assert right.rows[0].part == 0 and max(row.part for row in right.rows) == 1
    with pytest.raises(OptionError, match="no language 'xx'"):
        told(book, puzzle, puzzle.answer, "xx")


def test_cards_by_height() -> None:
    order = ["skull_king", "scary_mary:pirate", "pirate", "mermaid", "black_13", "black_1", "yellow_13", "red_2", "escape"]
    assert sorted(order, key=height, reverse=True) == order


# -- how they are found ------------------------------------------------------------------------------------------------

RACE = Quarry("piraten_kapern", 2, WIN, 0.02, 0)


@pytest.fixture(scope="module")
def mine() -> Mine:
    return Mine(pirate_envs.load("piraten_kapern", players=2), RACE)


def test_a_match_has_a_puzzle_or_none_and_always_the_same(mine: Mine) -> None:
    found = [mine.match(seed) for seed in range(42, 49)]
    assert [puzzle is not None for puzzle in found].count(True) in (1, 2, 3)
    seed, puzzle = next((seed, puzzle) for seed, puzzle in enumerate(found, 42) if puzzle is not None)
    assert mine.match(seed) == puzzle
    assert isinstance(puzzle, Puzzle) and 0 <= puzzle.rating < 1
    assert puzzle.regret(list(puzzle.values)[1]).mean >= RACE.gap


def test_what_all_do_is_no_puzzle(mine: Mine) -> None:
    g = mine.game.from_view({"card": "captain", "dice": ["diamond"] * 8})
    assert mine.game.action_name(g, mine.game.rule_action(g)) == "stop"
    assert mine._confirmed(g, 0) is None


def test_tables_are_of_the_policy_and_of_others() -> None:
    for name in shipped():
        game = pirate_envs.load(name)
        tables = line_ups(game)
        assert all(len(table) == game.players for table in tables)
        assert set(tables[0]) == {"policy:pretrained"}
        assert {f"rules:{player}" for player in game.rule_players} <= {player for table in tables for player in table}


def test_worlds_drawn_again_are_no_new_ones() -> None:
    values = np.array([0.0, 1.0, 5.0])
    once, often = weighed(values, np.ones(3)), weighed(values, np.array([4.0, 4.0, 4.0]))
    assert once == often  # as many different worlds
    assert weighed(values, np.array([1.0, 1.0, 8.0])).mean == pytest.approx(4.1)


def test_samples_grow_and_are_the_same_by_the_same_seed() -> None:
    game = pirate_envs.load("skull_king", players=2, last_hand=3)
    coach, g = Coach(game, Budget(16)), game.redacted(game.new(3), 0)
    actions = game.legal_actions(g)
    first, second = (list(samples(coach, g, actions, seed, 40)) for seed in (1, 1))
    (other,) = samples(coach, g, actions, 2, 40)
    assert np.array_equal(first[0].points, second[0].points) and not np.array_equal(first[0].points, other.points)
    assert first[0].points.shape == (len(actions), len(first[0].weights)) and first[0].weights.sum() == 40
    assert np.isnan(first[0].shares).all()


def test_a_game_without_players_of_its_own_has_none() -> None:
    game = pirate_envs.load("kuhn_poker")
    with pytest.raises(OptionError, match="no rule players"):
        Mine(game, Quarry("kuhn_poker", 2, POINTS, 1.0, 64))


def test_a_brief_view_leads_to_the_same_position() -> None:
    game = pirate_envs.load("skull_king", players=3)
    g = game.new(4)
    for _ in range(9):
        game.apply(g, game.legal_actions(g)[-1])
    less = brief(game, g)
    seat = game.seat_to_move(g)
    assert len(less) < len(game.view(g, seat)) and "legal" not in less
    assert game.redacted(game.from_view(less, 9), seat).tobytes() == game.redacted(g, seat).tobytes()


# -- bad input ---------------------------------------------------------------------------------------------------------


def spoiled(change: Any) -> str:
    """The text of a small book after a change of its content."""
    content = json.loads(load_puzzles("skull_king").text())
    content["puzzles"] = content["puzzles"][:2]
    content = copy.deepcopy(content)
    change(content)
    return json.dumps(content)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda told: told.update(format="x"), "format is 'x'"),
        (lambda told: told.update(game="skull_king-v9"), "the rules here are skull_king-v0"),
        (lambda told: told.update(game="chess-v0"), "chess"),
        (lambda told: told.update(options={"players": 99}), "players"),
        (lambda told: told.update(unit="gold"), "unit is 'gold'; allowed: points, win"),
        (lambda told: told.update(puzzles=[]), "there are none"),
        (lambda told: told.update(more=1), "needed is an object with format"),
        (lambda told: told.update(worlds="many"), "worlds is 'many'; needed: int"),
        (
            lambda told: told["puzzles"][1].update(answer="play gold"),
            "puzzle 2: the answer 'play gold' is not clearly the best",
        ),
        (lambda told: told["puzzles"][0].update(answer=list(told["puzzles"][0]["values"])[1]), "puzzle 1: the answer"),
        (lambda told: told["puzzles"][0].update(tempting="pass"), "what tempts is 'pass'"),
        (lambda told: told["puzzles"][0].update(theme="gold"), "theme is 'gold'; allowed: best"),
        (lambda told: told["puzzles"][0].update(rating=1.5), "rating is 1.5; allowed: 0 to 1"),
        (lambda told: told["puzzles"][0].update(facts={"wins": "often"}), "the fact 'wins' is 'often'"),
        (lambda told: told["puzzles"][0]["values"].update({"play gold": [0, 0, 0]}), "values are told of"),
        (lambda told: told["puzzles"][0]["values"].update({told["puzzles"][0]["answer"]: [0, 0]}), "needed: three numbers"),
        (lambda told: told["puzzles"][0]["view"].update(to_move=7), "puzzle 1: to_move"),
        (lambda told: told["puzzles"][0].pop("view"), "puzzle 1: needed is an object with view"),
        (lambda told: told["puzzles"].append(3), "puzzle 3: needed is an object"),
    ],
)
def test_bad_files_are_refused(change: Any, message: str) -> None:
    with pytest.raises(PuzzleError, match=re.escape(message)):
        PuzzleBook.parse(spoiled(change))


def test_what_is_no_book_is_refused() -> None:
    with pytest.raises(PuzzleError, match="not JSON"):
        PuzzleBook.parse("{")
    for data in (b"plain", b"\x1f\x8b\x08\x00half"):
        with pytest.raises(PuzzleError, match="not compressed text"):
            unpacked(data)
    with pytest.raises(PuzzleError, match="no puzzles come with 'chess'; there are some for: lucky_pirate"):
        load_puzzles("chess")
    for number in (0, 1000, True, "1"):
        with pytest.raises(PuzzleError, match="there are 1 to"):
            load_puzzles("skull_king").number(number)  # type: ignore[arg-type]


# -- at the terminal ---------------------------------------------------------------------------------------------------


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    def call(*arguments: str, typed: str = "") -> tuple[int, str, str]:
        monkeypatch.setenv("COLUMNS", "128")
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        status = main(["puzzles", *arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


def test_one_solved_and_one_not(run: Any, book: PuzzleBook) -> None:
    first, second = book.puzzles[:2]
    status, out, _ = run(book.game.name, typed=f"?\n{first.answer}\n\n{second.tempting}\nq\n")
    assert status == 0
    assert "1 of 1 solved" in out and "1 of 2 solved" in out
    assert f"“{first.answer}” is the best" in out and f"The best is “{second.answer}”" in out
    assert out.index("Puzzle 2 of") > out.index("1 of 1 solved")
    assert all(name in out for name in list(first.values)[:12])


def test_the_answer_is_not_told_before(run: Any) -> None:
    book = load_puzzles("skull_king")
    status, out, _ = run("skull_king", typed="help\nlegend\nskip\n")
    say = telling.words("en")
    assert status == 0 and "Puzzle 2 of" in out and "solved" not in out
    assert say(f"why.{book.puzzles[0].theme}") not in out and "best is" not in out


def test_in_another_language_from_a_number_on(run: Any) -> None:
    book = load_puzzles("piraten_kapern")
    status, out, _ = run("piraten_kapern", "--number", "3", "--language", "de", typed=f"{book.number(3).tempting}\n")
    assert status == 0 and "Aufgabe 3 von" in out and "0 von 1 gelöst" in out and "Nein:" in out


def test_by_theme(run: Any) -> None:
    book = load_puzzles("piraten_kapern")
    status, out, _ = run("piraten_kapern", "--themes")
    assert status == 0 and "race" in out and "The race" in out
    status, out, _ = run("piraten_kapern", "--themes", "--theme", "race", "--language", "de")
    assert status == 0 and "Thema" in out and "race" in out and out.count("\n") == 3
    number = next(at for at in range(1, COUNT) if book.number(at).theme == "race")
    status, out, _ = run("piraten_kapern", "--theme", "race", typed="q\n")
    assert status == 0 and f"Puzzle {number} of" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chess"], "chess"),
        (["kuhn_poker"], "no puzzles come with 'kuhn_poker'"),
        (["skull_king", "--number", "0"], "there are 1 to"),
        (["skull_king", "--number", "101"], "there are 1 to"),
        (["skull_king", "--theme", "gold"], "is about 'gold'; there are:"),
        (["skull_king", "--theme", "gold", "--themes"], "is about 'gold'; there are:"),
    ],
)
def test_bad_commands_are_told_in_a_line(run: Any, arguments: list[str], message: str) -> None:
    status, _, err = run(*arguments)
    assert status == 2 and message in err and err.count("\n") == 1


def test_the_package_offers_them() -> None:
    assert set(puzzles.__all__) >= {"load_puzzles", "Puzzle", "told"}
