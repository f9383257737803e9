"""python -m pirate_envs: every command, from the code and with scripted input, and what it says to bad input."""

import io
import os
import subprocess
import sys

import pytest

import pirate_envs
from pirate_envs import Replay
from pirate_envs.cli import main, ranges

GAMES = pirate_envs.games()
SHORT = ["play", "skull_king", "--players", "2", "--option", "last_hand=2", "--seed", "3"]


@pytest.fixture
def run(capsys, monkeypatch):
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


def test_ranges_of_ids():
    assert ranges(range(11)) == "0-10"
    assert ranges([3, 4, 9]) == "3-4, 9"
    assert ranges([0, 2, 4, 6, 8, 10]) == "6 of 0-10"


# -- play ----------------------------------------------------------------------------------------------------------------


def test_play_with_hints_only_reaches_the_end(run, tmp_path):
    path = tmp_path / "match.json"
    game = pirate_envs.load("skull_king", players=2, last_hand=2)
    g, typed = game.new(3), []
    while not game.is_over(g):  # what the hints will be: both seats play the strongest rule player
        action = game.rule_action(g)
        if game.seat_to_move(g) == 0:
            typed.append(game.action_name(g, action) if len(typed) % 2 else str(action))
        game.apply(g, action)
    status, out, err = run(*SHORT, "--save", str(path), typed="".join(f"hint\n{line}\n" for line in typed))
    assert (status, err) == (0, "")
    assert out.count(f"{game.rule_players[-1]} would: ") == len(typed)
    points = ", ".join(f"player {seat} {score}" for seat, score in enumerate(game.payoffs(g)))
    verdict = "You win" if game.winners(g) == [0] else "You share the win" if 0 in game.winners(g) else "You lose"
    assert f"{verdict}. Points: {points}." in out
    assert Replay.load(path).play().tobytes() == g.tobytes()


def test_what_is_not_an_action_is_told_and_asked_again(run):
    status, out, _ = run(*SHORT, typed="\nfoo\n99\n-1\n" + "9" * 5000 + "\n?\nq\n")
    assert status == 0
    assert "'foo'" in out
    assert "action 99" in out
    assert "action -1" in out
    assert out.count("'hint' for advice") == 5  # at the start, and after each of four mistakes
    assert out.count("[0] bid 0") == 2  # at first, and after ?
    assert "You left after 0 decisions" in out


def test_a_bid_that_is_sealed_is_not_printed(run):
    status, out, _ = run(*SHORT, "--seat", "1", typed="bid 0\nq\n")
    assert status == 0
    before, after = out.split("> ", 1)
    assert "player 0: decides unseen" in before
    assert "player 0: bid" not in before
    assert "player 0: play" in after
    _, out, _ = run(*SHORT, "--seat", "1", "--option", "bidding=open", typed="q\n")
    assert "player 0: bid" in out


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


@pytest.mark.parametrize("name", GAMES)
def test_every_game_can_be_played_against_every_rule_player(name, run):
    for player in pirate_envs.load(name).rule_players:
        status, out, err = run("play", name, "--opponent", player, "--seat", "1", typed="hint\n?\nq\n")
        assert (status, err) == (0, "")
        assert "would: " in out


# -- bench ---------------------------------------------------------------------------------------------------------------


def test_bench_prints_a_rate_for_every_game(run):
    status, out, _ = run("bench", "--size", "8", "--seconds", "0.01")
    assert status == 0
    for name in GAMES:
        (line,) = [line for line in out.splitlines() if line.startswith(f"{name}-v")]
        assert int(line.split()[3].replace(",", "")) > 0
    status, out, _ = run("bench", "lucky_pirate", "--size", "8", "--seconds", "0.01", "--players", "3")
    assert out.splitlines()[-1].split()[1:3] == ["3", "8"]


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
        (["play", "skull_king", "--opponent", "nobody"], "no rule player 'nobody'"),
        (["play", "skull_king", "--seat", "4"], "seat is 4"),
        (["play", "skull_king", "--seed", "-1"], "seed is -1"),
        (["play", "skull_king", "--save", "no/such/folder/match.json"], "no folder"),
        (["bench", "skull_king", "--size", "0"], "size is 0"),
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
