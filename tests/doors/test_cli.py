"""The command line: every command, from the code and with scripted input, and what it says to bad input."""

import dataclasses
import io
import os
import signal
import subprocess
import sys
import time

import pytest

import pirate_envs
from pirate_envs import Replay
from pirate_envs.agents import agent
from pirate_envs.agents.coach import hint as coach_hint
from pirate_envs.agents.coach.hint import adviser_name
from pirate_envs.agents.names import USAGE
from pirate_envs.agents.player import decisions_of
from pirate_envs.cli import main, parser
from pirate_envs.cli import play as cli_play
from pirate_envs.cli.describe import action_examples, answered, asked_examples, ranges
from pirate_envs.cli.play import Person, meant, seated
from pirate_envs.cli.text import bars, fitted, manual_text
from pirate_envs.core.composer import composed, questions
from pirate_envs.core.errors import CheckpointError, IllegalActionError

GAMES = pirate_envs.games()
SHORT = ["play", "skull_king", "--players", "2", "--option", "last_hand=2", "--seed", "3"]
GAME = pirate_envs.load("skull_king", players=2, last_hand=2)


@pytest.fixture
def run(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "128")

    def call(*arguments, typed=""):
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        status = main(list(arguments))
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


def test_list_names_every_game(run):
    status, out, err = run("list")
    assert (status, err) == (0, "")
    for name in GAMES:
        game = pirate_envs.load(name)
        assert game.id in out
        assert all(player in out for player in game.rule_players)


@pytest.mark.parametrize("name", GAMES)
def test_describe_prints_rules_options_observation_and_actions(name, run):
    status, out, _ = run("describe", name)
    game = pirate_envs.load(name)
    assert status == 0
    assert game.manual.strip() in out
    for option, default, *_ in type(game.options).table():
        assert any(line.startswith(option) and default in line for line in out.splitlines())
    for cells, piece, *_ in game.layout.table():
        assert any(line.split()[:2] == [cells, piece] for line in out.splitlines())
    assert f"Actions: {game.actions}" in out
    g = game.new(0)
    assert game.action_name(g, game.legal_actions(g)[0]) in out
    assert all(kind in out for kind in game.action_kinds)


def test_describe_compiles_nothing(tmp_path):
    """It would take ten seconds and more where nothing is compiled yet."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    environment.pop("PIRATE_ENVS_QUIET", None)
    command = [sys.executable, "-m", "pirate_envs", "describe", "skull_king"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert "play escape" in done.stdout
    assert not any(tmp_path.rglob("*.nb?"))


@pytest.mark.parametrize("name", ["kuhn_poker", "piraten_kapern"])
def test_examples_come_from_a_process_that_compiles_nothing(name):
    game = pirate_envs.load(name)
    asked = asked_examples(game)
    examples = answered(asked, game)
    assert asked.returncode == 0
    assert list(examples) == list(game.action_kinds)
    assert sum(map(len, examples.values())) > 3
    assert examples == action_examples(game)  # the same as compiled


def test_examples_of_a_game_that_another_process_does_not_know():
    game = dataclasses.replace(GAME, name="toy")
    asked = asked_examples(game)
    assert answered(asked, game)["bid"][:2] == ["bid 0", "bid 1"]
    assert asked.returncode


def test_players_tells_the_names_of_a_game_and_their_grammar(run):
    status, out, err = run("players", "piraten_kapern")
    assert (status, err) == (0, "")
    for name in ("random", "rules:exact_roll", "exact:race", "search:ismcts:N", "policy:pretrained"):
        assert any(line.startswith(f"{name} ") for line in out.splitlines())
    assert all(form.strip() in out for form, _ in USAGE)
    assert "the chance of winning" in out


def test_version(run):
    assert run("version") == (0, f"{pirate_envs.__version__}\n", "")


@pytest.mark.parametrize("program", ["pirates", "python -m pirate_envs"])
def test_help_names_the_program_the_games_and_the_players(program, capsys):
    for arguments in (["--help"], ["play", "--help"], ["bench", "--help"]):
        with pytest.raises(SystemExit) as error:
            parser(program).parse_args(arguments)
        assert error.value.code == 0
        out = capsys.readouterr().out
        assert out.startswith(f"usage: {program}")
        if arguments[0] == "play":
            assert all(name in out for name in GAMES)
            assert all(form in out and meaning in out for form, meaning in USAGE)
            assert "counted from 0 (default: 0)" in out
        if arguments[0] == "bench":
            assert "(default: 4096)" in out


def test_both_ways_to_start_are_named_in_errors():
    command = [sys.executable, "-m", "pirate_envs", "describe", "ludo"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("python -m pirate_envs: unknown game 'ludo'")


def test_ranges_of_ids():
    assert ranges(range(11)) == "0-10"
    assert ranges([3, 4, 9]) == "3-4, 9"
    assert ranges([0, 2, 4, 6, 8, 10]) == "6 of 0-10"


# -- play ----------------------------------------------------------------------------------------------------------------


def test_play_reaches_the_end_and_is_saved(run, tmp_path):
    path = tmp_path / "match.json"
    game, adviser = GAME, agent(GAME, "policy:pretrained")
    g, typed, advised = game.new(3), [], []
    while not game.is_over(g):  # both seats play the strongest rule player
        action = game.rule_action(g)
        if game.seat_to_move(g) == 0:
            advised.append(game.action_name(g, int(adviser.act(decisions_of(game, g))[0])))
            typed.append(game.action_name(g, action) if len(typed) % 2 else str(action))
        game.apply(g, action)
    arguments = [*SHORT, "--opponent", "rules:strongest", "--save", str(path)]
    status, out, err = run(*arguments, typed="".join(f"hint\n{line}\n" for line in typed))
    assert (status, err) == (0, "")
    hints = [
        line.partition(" would: ")[2].partition("; chance of winning about ") for line in out.splitlines() if " would: " in line
    ]
    assert [name for name, _, _ in hints] == advised
    assert all(chance.endswith("%") and 0 <= int(chance[:-1]) <= 100 for _, _, chance in hints)
    own, other = game.payoffs(g)
    assert game.winners(g) == [0]
    assert out.endswith(f"You win the match.\nPoints: {own} for you and {other} for player 1.\nSaved: {path}\n")
    assert Replay.load(path).play().tobytes() == g.tobytes()


def test_what_is_not_an_action_is_told_and_asked_again(run):
    status, out, _ = run(*SHORT, typed="\nfoo\n99\n-1\n" + "9" * 5000 + "\n?\nq\n")
    assert status == 0
    assert "'foo'" in out
    assert "action 99" in out
    assert "action -1" in out
    assert out.count("[0] bid 0") == 2  # at first, and after ?
    assert "You left after 0 decisions" in out


def test_a_bid_that_is_sealed_is_not_printed(run):
    status, out, _ = run(*SHORT, "--seat", "1", typed="bid 0\nq\n")
    assert status == 0
    before, after = out.split("> ", 1)
    assert "\nPlayer 0 bids face down.\n" in before
    assert "\nPlayer 0 plays the " in after
    _, out, _ = run(*SHORT, "--seat", "1", "--option", "bidding=open", typed="q\n")
    assert "\nPlayer 0 bids one trick.\n" in out or "\nPlayer 0 bids no tricks.\n" in out


def test_what_a_game_tells_no_events_of_is_hidden_only_if_it_is(run):
    _, out, _ = run("play", "kuhn_poker", "--seat", "1", "--seed", "3", "--opponent", "random", typed="q\n")
    assert "\nPlayer 0: " in out


def test_it_is_told_in_other_languages(run):
    _, out, _ = run(*SHORT, "--language", "de", typed="bid 0\nq\n")
    assert "\n> Du sagst keinen Stich an.\n" in out
    _, out, _ = run(*SHORT, "--language", "fr", typed="bid 0\nq\n")
    assert "\n> Vous annoncez zéro pli.\n" in out
    with pytest.raises(SystemExit):
        run(*SHORT, "--language", "xx")


def test_points_are_pictured_once_when_they_have_changed(run):
    _, out, _ = run(*SHORT, "--opponent", "rules:strongest", typed="bid 0\ny\nb\nr\ne\np\nm\ns\n?\nq\n")
    (line,) = [line for line in out.splitlines() if line.startswith("  you ")]
    assert line.split()[1:3] == ["10", "+10"] or line.split()[1:3] == ["-10", "-10"]
    assert bars(["you", "player 1"], [0, 10], [-5, 10]) == [
        "  you          -5     -5  " + "\N{MEDIUM SHADE}" * 16,
        "  player 1     10         " + "\N{FULL BLOCK}" * 32,
    ]


@pytest.mark.parametrize("word", ["q", "quit", " exit "])
def test_a_person_may_leave(run, word):
    status, out, _ = run(*SHORT, typed=f"{word}\nhint\n")
    assert status == 0 and out.count("> ") == 1 and "You left after" in out and "names no action" not in out


def test_end_of_input_leaves_politely_and_saves(run, tmp_path):
    path = tmp_path / "match.json"
    status, out, err = run(*SHORT, "--save", str(path), typed="bid 1\n")
    assert (status, err) == (0, "")
    assert "You left after" in out
    assert Replay.load(path).actions[0] == "bid 1"


def test_ctrl_c_leaves_politely(run, monkeypatch):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    status, out, err = run(*SHORT)
    assert (status, err) == (0, "")
    assert "You left after 0 decisions" in out


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
@pytest.mark.parametrize("where", ["at the prompt", "while another player thinks"])
def test_a_signal_saves_the_match(run, monkeypatch, tmp_path, number, status, where):
    answers = iter(["bid 1"])

    def ended(*_):
        answer = next(answers, None)
        if answer is None:
            os.kill(os.getpid(), number)
            time.sleep(10)
        return answer

    if where == "at the prompt":
        monkeypatch.setattr("builtins.input", ended)
        typed = ""
    else:
        next(answers)
        monkeypatch.setattr(cli_play, "decisions_of", ended)
        typed = "bid 1\n"
    path = tmp_path / "match.json"
    assert run(*SHORT, "--save", str(path), typed=typed)[::2] == (status, "")
    assert Replay.load(path).actions[0] == "bid 1"
    assert signal.getsignal(number) is signal.SIG_DFL


@pytest.mark.parametrize("name", GAMES)
def test_every_game_can_be_played_against_every_rule_player(name, run):
    for player in pirate_envs.load(name).rule_players:
        arguments = ["play", name, "--opponent", f"rules:{player}", "--seat", "1"]
        status, out, err = run(*arguments, typed="hint\n?\nq\n")
        assert (status, err) == (0, "")
        assert "would: " in out


def test_a_fresh_match_is_dealt_each_time_and_can_be_dealt_again(run):
    first, second = (run("play", "skull_king", typed="q\n")[1] for _ in range(2))
    seeds = [out.partition("(--seed ")[2].partition(" ")[0] for out in (first, second)]
    assert seeds[0] != seeds[1]
    assert run("play", "skull_king", "--seed", seeds[0], typed="q\n")[1] == first


def test_the_opponent_is_the_strongest_that_decides_at_once(run):
    assert "against policy:pretrained" in " ".join(run(*SHORT, typed="q\n")[1].split())


def test_an_opponent_for_each_seat(run):
    names = ["random", "rules:greedy", "policy:pretrained"]
    arguments = [part for name in names for part in ("--opponent", name)]
    _, out, _ = run("play", "lucky_pirate", *arguments, typed="q\n")
    assert f"against {', '.join(names)}." in " ".join(out.split())
    game = pirate_envs.load("lucky_pirate")
    assert {seat: player.name for seat, player in seated(game, 1, names).items()} == dict(zip((0, 2, 3), names, strict=True))
    assert {player.name for player in seated(game, 0, ["random"]).values()} == {"random"}


# -- the prompt ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "name"),
    [("bid 1", "bid 1"), ("bid 10", "bid 10"), ("1", "bid 1"), ("10", "bid 10"), ("BID 7", "bid 7")],
)
def test_names_numbers_and_whole_names_that_begin_others(answer, name):
    game = pirate_envs.load("skull_king", players=2, first_hand=10)
    g = game.new(1)
    assert game.action_name(g, meant(game, g, answer)) == name


def test_unique_beginnings():
    game = pirate_envs.load("skull_king", players=2)
    view = {
        "phase": "play",
        "hand_number": 4,
        "leader": 0,
        "bids": [1, 1],
        "hands": [["yellow_3", "blue_9", "black_2", "escape"], 4],
    }
    g = game.from_view(view)
    for answer, name in (
        ("play y", "yellow_3"),
        ("y", "yellow_3"),
        ("yellow_3", "yellow_3"),
        ("blu", "blue_9"),
        ("e", "escape"),
    ):
        assert game.action_name(g, meant(game, g, answer)) == f"play {name}"
    with pytest.raises(IllegalActionError, match="^'b' may be: play blue_9, play black_2$"):
        meant(game, g, "b")
    with pytest.raises(IllegalActionError, match="'play' may be: play yellow_3, play blue_9, play black_2, play escape$"):
        meant(game, g, "play")
    for answer in ("kraken", "play yellow_4", "--3", "3-", "٣"):
        with pytest.raises(IllegalActionError):
            meant(game, g, answer)


def test_dice_in_any_order_and_too_many_to_list():
    game = pirate_envs.load("piraten_kapern")
    g = game.from_view({"card": "gold", "dice": ["coin", "diamond", "monkey", "parrot", "sabre", "sabre", "sabre", "skull"]})
    assert game.action_name(g, meant(game, g, "reroll sabre parrot")) == "reroll parrot sabre"
    with pytest.raises(IllegalActionError, match="'reroll' may be: reroll coin diamond, .*, and [0-9]+ more$"):
        meant(game, g, "reroll")
    for answer, name in (
        ("sabre coin sabre", "reroll coin sabre sabre"),
        ("keep sabre sabre sabre", "reroll coin diamond monkey parrot"),
        ("reroll keep coin", "reroll diamond monkey parrot sabre sabre sabre"),
        ("m p c", "reroll coin monkey parrot"),
        ("keep s s s", "reroll coin diamond monkey parrot"),
        ("s", "stop"),
        ("Coin Diamond", "reroll coin diamond"),
    ):
        assert game.action_name(g, meant(game, g, answer)) == name
    for answer in ("coin coin", "keep keep", "keep skull", "keep coin diamond monkey parrot sabre sabre", "x x"):
        with pytest.raises(IllegalActionError):
            meant(game, g, answer)


def test_many_choices_are_one_question():
    game = pirate_envs.load("piraten_kapern")
    dice = ["coin", "diamond", "monkey", "parrot", "sabre", "sabre", "sabre", "skull"]
    names = cli_play.legal_names(game, game.from_view({"card": "gold", "dice": dice}))
    assert list(questions(names)) == [("", ["[0] stop"]), ("reroll: 2 or more of", dice[:-1])]
    bids = {f"bid {tricks}": tricks for tricks in range(14)}
    assert list(questions(bids)) == [("bid: one of", [str(tricks) for tricks in range(14)])]
    ways = {f"overboard {colour} to {seat}": 0 for colour in "abc" for seat in range(5)}
    assert [len(items) for _, items in questions(ways)] == [15]
    alike = {f"play {' '.join([card] * count)}": 0 for card in "abcde" for count in (1, 2, 3)}
    assert list(questions(alike)) == [("play: equal ones of", [card for card in "abcde" for _ in range(3)])]
    assert composed(alike, "a a") == ["play a a"] and composed(alike, "a b") == []


@pytest.mark.parametrize("name", GAMES)
def test_what_can_be_read_at_the_prompt_fits_the_terminal(name, run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    status, out, err = run("play", name, "--seed", "3", typed="rules\nlegend\nlegend score\nhelp\nnonsense\n?\nq\n")
    assert (status, err) == (0, "")
    lines = [line.removeprefix("> ") for line in out.splitlines()]  # nobody has pressed Enter here
    assert [line for line in lines if len(line) > 60] == []
    game = pirate_envs.load(name)
    assert " ".join(game.manual.split()) in " ".join(out.split())
    assert "The position: " in out and "What you can do now" in out
    for word in cli_play.COMMANDS:
        assert f"\n  {word} " in out


def test_a_legend_of_a_word_is_the_rules_that_mention_it(run):
    _, out, _ = run(*SHORT, typed="legend Scary_Mary\nlegend kraken\nlegend zebra\nq\n")
    assert "specials: 5 escapes" in " ".join(out.split())
    assert "The rules do not mention 'zebra'." in out


def test_a_manual_that_fits_is_left_as_it_is(monkeypatch):
    for name in GAMES:
        monkeypatch.setenv("COLUMNS", "128")
        manual = pirate_envs.load(name).manual.strip()
        assert manual_text(manual) == manual
    monkeypatch.setenv("COLUMNS", "40")
    assert (
        fitted("  a line of more than forty columns, that is so long")
        == "  a line of more than forty columns,\n    that is so long"
    )


def test_advice_comes_from_who_is_strong_and_quick():
    assert adviser_name(GAME) == "policy:pretrained"
    unknown = dataclasses.replace(GAME, name="toy")
    assert adviser_name(unknown) == "search:ismcts:1000"
    assert adviser_name(dataclasses.replace(unknown, solved={"first": lambda game: None})) == "exact:first"


def test_advice_that_cannot_be_had_does_not_end_the_match(run, monkeypatch):
    def missing(game, name):
        raise CheckpointError("weights are corrupt")

    monkeypatch.setattr(coach_hint, "agent", missing)
    assert Person(GAME, 0).hint(GAME.new(0)) == "No advice: weights are corrupt"


# -- replay ----------------------------------------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path):
    g, names = GAME.new(3), []
    while not GAME.is_over(g):
        action = GAME.rule_action(g)
        names.append(GAME.action_name(g, action))
        GAME.apply(g, action)
    Replay.of(GAME, 3, names).save(tmp_path / "match.json")
    return str(tmp_path / "match.json"), names, g


def test_a_replay_is_shown_move_by_move_and_its_end(saved, run):
    path, names, g = saved
    status, out, err = run("replay", path)
    assert (status, err) == (0, "")
    told = [line.partition(". ")[2] for line in out.splitlines() if line[0:1].isdecimal()]
    assert len(told) == len(names)
    assert told[:2] == [
        f"Player {seat} bids {'one trick' if name == 'bid 1' else 'no tricks'}." for seat, name in enumerate(names[:2])
    ]
    assert "   All bids lie open: " in out and "   Hand 2 is dealt, and player 1 leads." in out
    points = ", ".join(f"player {seat} {score}" for seat, score in enumerate(GAME.payoffs(g)))
    assert out.rstrip().endswith(f"Points: {points}.") and "Won by player" in out
    assert GAME.render(g) in out
    _, end, _ = run("replay", path, "--end")
    assert GAME.render(g) in end and "1. Player" not in end
    _, shown, _ = run("replay", path, "--positions", "--seat", "1", "--language", "de")
    assert "\n1. Spieler 0 macht verdeckt eine Ansage.\n" in shown and "\n2. Du sagst " in shown
    assert GAME.render(GAME.new(3), 1) in shown
    assert shown.count("Skull King, hand ") == len(names) + 1


def test_a_replay_becomes_a_page(saved, run, tmp_path):
    path, *_ = saved
    out = tmp_path / "match.html"
    status, said, err = run("replay", path, "--html", str(out), "--seat", "1", "--language", "fr")
    assert (status, err) == (0, "")
    assert str(out) in said and "kB" in said
    assert out.read_text().startswith("<!doctype html>") and 'lang="fr"' in out.read_text()
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".")] == []


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (["--html", "no/such/folder/match.html"], "No such file"),
        (["--html", "{tmp}"], "Is a directory"),
        (["--html", "{tmp}/match.html", "--seat", "9"], "seat is 9"),
        (["--html", "{tmp}/match.html", "--step"], "--html goes with"),
    ],
)
def test_a_page_that_cannot_be_made_is_refused_in_a_line(more, reason, saved, run, tmp_path):
    path, *_ = saved
    status, _, err = run("replay", path, *(word.format(tmp=tmp_path) for word in more))
    assert status == 2 and reason in err and err.count("\n") == 1
    assert not (tmp_path / "match.html").exists()


def test_a_replay_goes_step_by_step(saved, run):
    path, _, _ = saved
    _, out, _ = run("replay", path, "--step", typed="\n\nq\n")
    assert "\n3. Player " in out
    assert "\n4. Player" not in out and "Points" not in out
    _, out, _ = run("replay", path, "--step", typed="\n")  # the end of input
    assert "\n2. Player" in out and "\n3. Player" not in out


# -- compiling -------------------------------------------------------------------------------------------------------------


def test_the_first_compiling_is_told_and_no_later_one(tmp_path):
    code = "import pirate_envs; game = pirate_envs.load('kuhn_poker'); game.new(0); game.new(1)"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    environment.pop("PIRATE_ENVS_QUIET", None)
    told = []
    for more in ({}, {}, {"NUMBA_CACHE_DIR": str(tmp_path / "other"), "PIRATE_ENVS_QUIET": "1"}):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**environment, **more}
        )
        told.append(done.stderr)
    assert told[0].startswith("compiling kuhn_poker for this machine") and told[0].count("\n") == 1
    assert told[1:] == ["", ""]


def test_warm_tells_what_it_compiles(run):
    status, out, err = run("warm", "skull_king")
    assert (status, err) == (0, "")
    assert [line.partition(" ...")[0] for line in out.splitlines()] == [
        f"skull_king: {what}" for what in ("rules and players", "single matches", "batches", "search", "tournaments", "coach")
    ]


# -- bench ---------------------------------------------------------------------------------------------------------------


def test_bench_prints_a_rate_for_every_game(run):
    status, out, _ = run("bench", "--size", "8", "--seconds", "0.01")
    assert status == 0
    for name in GAMES:
        (line,) = [line for line in out.splitlines() if line.startswith(f"{name}-v")]
        assert all(int(speed.replace(",", "")) > 0 for speed in line.split()[4:6])
    status, out, _ = run("bench", "lucky_pirate", "--size", "8", "--seconds", "0.01", "--players", "3", "--threads", "2")
    assert out.splitlines()[-1].split()[1:4] == ["3", "8", "2"]


# -- bad input -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["describe", "ludo"], "unknown game 'ludo'"),
        (["play", "ludo"], "unknown game 'ludo'"),
        (["bench", "ludo"], "unknown game 'ludo'"),
        (["play", "skull_king", "--players", "9"], "'players' is 9"),
        (["play", "skull_king", "--option", "kraken=1"], "unknown option 'kraken'"),
        (["play", "skull_king", "--option", "highest=99"], "'highest' is 99"),
        (["play", "skull_king", "--option", "highest=many"], "'highest' is 'many'"),
        (["play", "skull_king", "--option", "mary_as_escape_counts=perhaps"], "'mary_as_escape_counts' is 'perhaps'"),
        (["play", "skull_king", "--option", "highest"], "NAME=VALUE"),
        (["play", "skull_king", "--opponent", "nobody"], "unknown player 'nobody'"),
        (["play", "skull_king", "--opponent", "search:flat:many"], "the budget is 'many'"),
        (["play", "skull_king", "--opponent", "random", "--opponent", "random"], "once for each of 3 seats"),
        (["players", "ludo"], "unknown game 'ludo'"),
        (["warm", "ludo"], "unknown game 'ludo'"),
        (["replay", "no/such/file.json"], "No such file"),
        (["replay", __file__], "not JSON"),
        (["play", "skull_king", "--seat", "4"], "seat is 4"),
        (["play", "skull_king", "--seed", "-1"], "seed is -1"),
        (["play", "skull_king", "--save", "no/such/folder/match.json"], "no folder"),
        (["bench", "skull_king", "--size", "0"], "size is 0"),
        (["bench", "skull_king", "--threads", "0"], "threads is 0"),
    ],
)
def test_bad_input_is_one_line_and_status_2(arguments, message, run):
    status, out, err = run(*arguments)
    assert status == 2
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("arguments", [[], ["dance"], ["play"], ["play", "skull_king", "--seed", "x"]])
def test_a_bad_command_line_prints_the_usage(arguments, capsys):
    with pytest.raises(SystemExit) as error:
        main(arguments)
    assert error.value.code == 2
    assert "usage" in capsys.readouterr().err


def test_as_a_module_with_a_reader_that_leaves():
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as output:
        command = [sys.executable, "-m", "pirate_envs", "describe", "skull_king"]
        done = subprocess.run(command, stdout=output, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("seconds", ["nan", "inf", "0", "-1", "1e300"])
def test_bench_takes_a_time_that_ends(run, seconds):
    status, _, told = run("bench", "skull_king", "--size", "8", "--seconds", seconds)
    assert status == 2 and "allowed: a number above 0, up to 86400" in told
