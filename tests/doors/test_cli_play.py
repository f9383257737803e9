"""``pirates play``: a match in the terminal, and what is read and typed at its prompt."""

import dataclasses
import os
import signal
import time

import pytest

import pirate_envs
from pirate_envs import Replay
from pirate_envs.agents import agent
from pirate_envs.agents.coach import hint as coach_hint
from pirate_envs.agents.coach.hint import adviser_name
from pirate_envs.agents.player import decisions_of
from pirate_envs.cli import play as cli_play
from pirate_envs.cli.play import Person, meant, seated
from pirate_envs.cli.text import bars, fitted, manual_text
from pirate_envs.core.composer import composed, questions
from pirate_envs.core.errors import CheckpointError, IllegalActionError

GAMES = pirate_envs.games()
SHORT = ["play", "skull_king", "--players", "2", "--option", "last_hand=2", "--seed", "3"]
GAME = pirate_envs.load("skull_king", players=2, last_hand=2)


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


@pytest.mark.parametrize("failing", ["tell", "decide"])
def test_whatever_ends_a_match_it_is_saved(run, monkeypatch, tmp_path, failing):
    path = tmp_path / "match.json"
    real = getattr(Person, failing)

    def fails(person, given):
        if path.with_name("bid").exists():
            raise ZeroDivisionError
        path.with_name("bid").touch()
        return real(person, given)

    monkeypatch.setattr(Person, failing, fails)
    with pytest.raises(ZeroDivisionError):
        run(*SHORT, "--save", str(path), typed="bid 1\n")
    assert Replay.load(path).actions[0] == "bid 1"


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
