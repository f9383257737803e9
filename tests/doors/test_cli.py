"""The command line: every command, from the code and with scripted input, and what it says to bad input."""

import dataclasses
import os
import subprocess
import sys

import pytest

import pirate_envs
from pirate_envs import Replay
from pirate_envs.agents.names import USAGE
from pirate_envs.cli import main, parser
from pirate_envs.cli.describe import action_examples, answered, asked_examples, ranges

UNREADABLE = ("No such file", "Is a directory")
GAMES = pirate_envs.games()
GAME = pirate_envs.load("skull_king", players=2, last_hand=2)


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
        (["--html", "{tmp}/../{tmp.name}/match.json"], "that is the match itself"),
        (["--html", "{tmp}/match.html", "--step"], "--html goes with"),
    ],
)
def test_a_page_that_cannot_be_made_is_refused_in_a_line(more, reason, saved, run, tmp_path):
    path, *_ = saved
    status, _, err = run("replay", path, *(word.format(tmp=tmp_path) for word in more))
    assert status == (1 if reason in UNREADABLE else 2) and reason in err and err.count("\n") == 1
    assert not (tmp_path / "match.html").exists()
    assert Replay.load(path)


def test_what_a_command_writes_is_files_of_their_own(saved, run, tmp_path):
    path, *_ = saved
    out = str(tmp_path / "review")
    for more in (["--json", out, "--markdown", out], ["--html", str(tmp_path / "match.seat0.json"), "--json"]):
        status, _, err = run("coach", path, *more)
        assert status == 2 and ": that is the file of --json" in err and err.count("\n") == 1
    assert sorted(each.name for each in tmp_path.iterdir()) == ["match.json"]


def test_what_is_no_plain_file_is_neither_written_nor_read(saved, run, tmp_path):
    path, *_ = saved
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    commands = [["coach", path, f"--{kind}", str(pipe)] for kind in ("json", "markdown", "html")]
    commands += [["play", "skull_king", "--save", str(pipe)], ["replay", path, "--html", str(pipe)], ["replay", str(pipe)]]
    for command in (*commands, ["coach", str(pipe)]):
        status, out, err = run(*command)
        assert (status, out) == (1, "") and "no plain file" in err and err.count("\n") == 1
    assert pipe.is_fifo() and sorted(os.listdir(tmp_path)) == ["match.json", "pipe"]


def test_a_name_too_long_is_told_before_anything_is_played(run, tmp_path):
    status, out, err = run("play", "skull_king", "--save", str(tmp_path / ("n" * 256)))
    assert (status, out) == (1, "") and "File name too long" in err


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
        (["replay", __file__], "not JSON"),
        (["play", "skull_king", "--seat", "4"], "seat is 4"),
        (["play", "skull_king", "--seed", "-1"], "seed is -1"),
        (["play", "skull_king", "--option", "players=3", "--players", "5"], "'players' is not told among the options"),
        (["bench", "skull_king", "--option", "players=3", "--option", "players=6"], "'players' is told twice"),
        (["bench", "skull_king", "--size", "0"], "size is 0"),
        (["bench", "skull_king", "--threads", "0"], "threads is 0"),
    ],
)
def test_bad_input_is_one_line_and_status_2(arguments, message, run):
    status, out, err = run(*arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert message in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["replay", "no/such/file.json"], "No such file or directory: no/such/file.json"),
        (["play", "skull_king", "--save", "no/such/folder/match.json"], "No such file or directory: no/such/folder"),
        (["play", "skull_king", "--save", "."], "Is a directory: ."),
    ],
)
def test_a_file_that_cannot_be_read_or_written_is_one_line_and_status_1(arguments, message, run):
    status, out, err = run(*arguments)
    assert (status, out, err) == (1, "", f"pirates: {message}\n")


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


def shell(line, **environment):
    """A command as a shell runs it; `$PIRATES` is the program."""
    words = {**os.environ, **environment, "PIRATES": f"{sys.executable} -m pirate_envs"}
    return subprocess.run(line, shell=True, capture_output=True, env=words, check=False)


@pytest.mark.parametrize(
    ("line", "end"),
    [
        ("$PIRATES list >&-", b""),
        ("$PIRATES version 2>&-", f"{pirate_envs.__version__}\n".encode()),
        ("$PIRATES play skull_king <&-", b" 0.\n"),
    ],
)
def test_a_stream_that_is_closed_ends_nothing(line, end):
    done = shell(line)
    assert (done.returncode, done.stderr) == (0, b"") and done.stdout.endswith(end)


C_LOCALE = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}


@pytest.mark.parametrize("environment", [{"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "cp1252"}, C_LOCALE])
def test_a_terminal_without_the_letters_shows_question_marks(environment, tmp_path):
    path = tmp_path / "match.json"
    play = f"$PIRATES play piraten_kapern --seed 1 --opponent random --language fr --save {path}"
    done = shell(f"yes stop | head -400 | {play}", **environment)
    assert (done.returncode, done.stderr) == (0, b"") and b"   ????" in done.stdout
    assert Replay.load(path).load_game().is_over(Replay.load(path).play())


def test_what_is_no_text_is_no_action():
    done = shell("printf '\\377\\nq\\n' | $PIRATES play skull_king", PYTHONIOENCODING="utf-8:strict")
    assert (done.returncode, done.stderr) == (0, b"")
    assert "'\N{REPLACEMENT CHARACTER}' names no action".encode() in done.stdout


@pytest.mark.parametrize("seconds", ["nan", "inf", "0", "-1", "1e300"])
def test_bench_takes_a_time_that_ends(run, seconds):
    status, _, told = run("bench", "skull_king", "--size", "8", "--seconds", seconds)
    assert status == 2 and "allowed: a number above 0, up to 86400" in told
