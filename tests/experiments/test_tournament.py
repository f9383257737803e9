"""Tournaments: what is played, what is kept, what goes on after an interruption, and whether intervals can be believed."""

from __future__ import annotations

import dataclasses
import importlib
import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import pirate_envs
from experiments.tournament import TournamentSettings, main
from pirate_envs.agents import agent
from pirate_envs.agents.arena import Standings, versus
from pirate_envs.agents.arena import tournament as played
from pirate_envs.agents.arena.duplicate import Outcomes
from pirate_envs.agents.arena.tournament import CHUNKS, Tournament, chunks_of, line_ups
from pirate_envs.agents.arena.workers import Workers
from pirate_envs.agents.policy import Policy
from pirate_envs.core.errors import CheckpointError, OptionError, PirateError, UnknownGameError, UnknownPlayerError

module = importlib.import_module("pirate_envs.agents.arena.tournament")

ROOT = Path(__file__).resolve().parents[2]
PLAYERS = ("random", "rules:simple", "rules:expected_points")
QUICK = {"tables": (2, 3), "deals": 12, "chunk": 5, "workers": 1, "options": ("last_hand=3",)}


def settings(folder: Path, **changes: object) -> TournamentSettings:
    told = {"players": PLAYERS, **QUICK, **changes}
    return TournamentSettings("skull_king", out=folder, **{**told, "workers": Workers(told["workers"])})  # type: ignore[arg-type]


def tournament(chosen: TournamentSettings) -> Standings:
    return played(chosen.plan(), chosen.out, chosen.workers)


def test_line_ups_are_all_duels_and_mixtures() -> None:
    assert line_ups(3, 2, 99, 0) == [(0, 1), (0, 2), (1, 2)]
    assert line_ups(3, 3, 99, 0) == [(0, 1, 1), (0, 2, 2), (1, 0, 0), (1, 2, 2), (2, 0, 0), (2, 1, 1), (0, 1, 2)]
    assert line_ups(2, 4, 99, 0) == [(0, 1, 1, 1), (1, 0, 0, 0), (0, 0, 1, 1)], "(0, 0, 0, 1) is the second, one seat on"
    few = line_ups(9, 4, 10, 3)
    assert len(few) == 9 * 8 + 10 and few == line_ups(9, 4, 10, 3) != line_ups(9, 4, 10, 4)


def test_the_strongest_comes_first_and_everything_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = main(settings(tmp_path))
    ratings = [result.ratings[name].mean for name in PLAYERS]
    assert ratings == sorted(ratings) and sum(ratings) == pytest.approx(3 * 1500)
    assert all(figure.low <= figure.mean <= figure.high for figure in result.ratings.values())
    assert sum(figure.mean for figure in result.alpha_rank.values()) == pytest.approx(1)
    assert set(result.figures) == {2, 3} and set(result.figures[3]) == set(PLAYERS)
    shares = [result.figures[3][name]["win_share"].mean for name in PLAYERS]
    assert sum(shares) == pytest.approx(1)
    assert 0 < result.figures[3]["rules:simple"]["bids kept"].mean < 1
    assert result.payoff[2]["random"]["rules:simple"].mean + result.payoff[2]["rules:simple"]["random"].mean == pytest.approx(1)
    assert result.matches == 12 * (3 * 2 + 7 * 3)
    written = json.loads((tmp_path / "results.json").read_text())
    command = "python -m experiments.tournament skull_king random rules:simple rules:expected_points"
    assert written["command"] == f"{command} --tables 2 3 --deals 12 --option last_hand=3 --chunk 5"
    assert (tmp_path / "payoff.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "table.md").read_text() in capsys.readouterr().out


def test_duels_are_those_of_an_evaluation(tmp_path: Path) -> None:
    result = tournament(settings(tmp_path))
    game = pirate_envs.load("skull_king", players=3, last_hand=3)
    one = versus(game, agent(game, "rules:simple"), agent(game, "random"), 12).first()["win_share"]
    assert result.payoff[3]["rules:simple"]["random"] == one


def test_an_interrupted_tournament_goes_on_and_ends_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = tournament(settings(tmp_path / "whole"))
    played: list[object] = []

    def interrupted(tables: object, seed: int, chunk: object) -> object:
        if len(played) == 7:
            raise KeyboardInterrupt
        played.append(chunk)
        return real(tables, seed, chunk)

    real = module.play_chunk
    monkeypatch.setattr(module, "play_chunk", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tournament(settings(tmp_path / "part"))
    assert len(list((tmp_path / "part" / CHUNKS).iterdir())) == 7  # nothing that was played is lost
    monkeypatch.setattr(module, "play_chunk", real)
    assert tournament(settings(tmp_path / "part")) == whole


def test_a_tournament_goes_on_to_more_deals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = main(settings(tmp_path / "whole"))
    main(settings(tmp_path / "grown", deals=7))  # of 12, in chunks of 5
    played: list[module.Chunk] = []

    def noted(tables: object, seed: int, chunk: module.Chunk) -> object:
        played.append(chunk)
        return real(tables, seed, chunk)

    real = module.play_chunk
    monkeypatch.setattr(module, "play_chunk", noted)
    assert main(settings(tmp_path / "grown")) == whole
    assert {(chunk.first, chunk.deals) for chunk in played} == {(5, 5), (10, 2)}
    files, wanted = contents(tmp_path / "grown"), contents(tmp_path / "whole")
    assert files == wanted
    with pytest.raises(CheckpointError, match="another tournament: its deals is 12, not 7"):
        main(settings(tmp_path / "grown", deals=7))
    assert contents(tmp_path / "grown") == wanted


def test_two_processes_play_the_same(tmp_path: Path) -> None:
    alone = tournament(settings(tmp_path / "alone", deals=5))
    assert tournament(settings(tmp_path / "pair", deals=5, workers=2)) == alone


FEW = {"tables": (2,), "deals": 6, "chunk": 1, "players": ("random", "rules:simple")}


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_shards_are_parts_and_gathered_they_are_the_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = main(settings(tmp_path / "whole", **FEW))
    apart = [tmp_path / "1", tmp_path / "2"]
    for number, folder in enumerate(apart, 1):
        capsys.readouterr()
        assert main(settings(folder, **FEW, shard=f"{number}/2")) is None
        assert f"shard {number}/2: its 3 chunks are played" in capsys.readouterr().out
        assert len(list((folder / CHUNKS).iterdir())) == 3
    with pytest.raises(CheckpointError, match="3 of 6 chunks are not in"):
        main(settings(tmp_path / "out", **FEW, gather=apart[:1]))
    assert not (tmp_path / "out").exists()
    gathered = main(settings(tmp_path / "out", **FEW, gather=[*apart, apart[0]]))
    assert gathered == whole
    for name in ("results.json", "table.md", "payoff.png"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    together = tmp_path / "together"  # and in one folder
    for number in (2, 1):
        main(settings(together, **FEW, shard=f"{number}/2"))
    assert main(settings(together, **FEW)) == whole and contents(together) == contents(tmp_path / "whole")


def test_folders_of_another_tournament_are_not_gathered(tmp_path: Path) -> None:
    main(settings(tmp_path / "1", **FEW))
    before = contents(tmp_path)
    for folders in ([tmp_path / "1"], [tmp_path], [tmp_path / "none"]):
        with pytest.raises(CheckpointError, match=r"holds another tournament: its seed|tournament.json is missing"):
            main(settings(tmp_path / "out", **FEW, seed=1, gather=folders))
    with pytest.raises(OptionError, match="--gather names no folder"):
        main(settings(tmp_path / "out", **FEW, gather=()))
    with pytest.raises(OptionError, match="--shard plays a part and --gather sums up"):
        main(settings(tmp_path / "out", **FEW, shard="1/2", gather=[tmp_path / "1"]))
    assert contents(tmp_path) == before


@pytest.mark.parametrize("shard", ["3/2", "0/2", "0/0", "a/b", "1", "1/", "-1/2", "1/2/3", "1/99999", "", "1.0/2", "٣/٤"])
def test_a_shard_out_of_range_is_refused(tmp_path: Path, shard: str) -> None:
    with pytest.raises(OptionError, match="needed: i/n with i from 1 to n"):
        main(settings(tmp_path / "new", **FEW, shard=shard))
    assert not (tmp_path / "new").exists()


def test_processes_that_share_a_folder_play_no_chunk_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other process is one that plays on meanwhile, and then dies over a chunk."""
    whole = tournament(settings(tmp_path / "whole", **FEW))
    plan = settings(tmp_path, **FEW).plan()
    chunks, folder = chunks_of(plan), tmp_path / "shared"
    hold = "import sys, time; from pathlib import Path; from pirate_envs.core.files import *\n"
    hold += "claims = claims_in(Path(sys.argv[1])); print([claims.take(n) for n in (1, 4)], flush=True); time.sleep(100)"
    folder.mkdir()
    command = [sys.executable, "-c", hold, str(folder / module.CLAIMS)]
    other = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert other.stdout is not None and other.stdout.readline() == "[True, True]\n"
    playing: list[object] = []

    def counted(tables: dict[int, module.Seated], seed: int, chunk: module.Chunk) -> Outcomes:
        playing.append(chunk)
        return real(tables, seed, chunk)

    def other_goes_on(_: float) -> None:
        if len(playing) == 4 and not (folder / CHUNKS / chunks[1].name).exists():
            shutil.copytree(tmp_path / "whole" / CHUNKS / chunks[1].name, folder / CHUNKS / chunks[1].name)
        else:
            other.kill()
            other.communicate()

    real = module.play_chunk
    monkeypatch.setattr(module, "play_chunk", counted)
    monkeypatch.setattr(module.time, "sleep", other_goes_on)
    assert tournament(settings(folder, **FEW)) == whole
    assert playing == [chunks[n] for n in (0, 2, 3, 5, 4)]
    assert contents(folder) == contents(tmp_path / "whole")


def test_points_that_are_lost_may_be_counted(tmp_path: Path) -> None:
    """Random players of Piraten Kapern lose points in most turns, which the game's figures count."""
    plan = Tournament("piraten_kapern", ("random", "rules:cautious"), tables=(2,), deals=4, options=("target=1000",))
    assert played(plan, tmp_path) == played(plan, tmp_path)


def test_claims_of_an_interrupted_tournament_are_given_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if somebody keeps the error, and all that it holds."""
    monkeypatch.setattr(module, "play_chunk", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError) as kept:
        tournament(settings(tmp_path, **FEW))
    monkeypatch.undo()
    assert kept.traceback and tournament(settings(tmp_path, **FEW)).matches == 12


def test_a_damaged_chunk_is_named(tmp_path: Path) -> None:
    mine = settings(tmp_path, tables=(2,))
    whole = tournament(mine)
    first, *_, last = (tmp_path / CHUNKS / chunk.name for chunk in chunks_of(mine))
    file = first / module.OUTCOMES
    for content in (b"", file.read_bytes()[:-9], b"\x80\x04K\x01.", (last / module.OUTCOMES).read_bytes()):
        file.write_bytes(content)
        with pytest.raises(CheckpointError, match=f"delete .*{first.name}"):
            tournament(mine)
    shutil.rmtree(first)
    shutil.copytree(last, first)  # another chunk's deals under this one's name
    with pytest.raises(CheckpointError, match="another chunk"):
        tournament(mine)
    shutil.rmtree(first)
    assert tournament(mine) == whole


def test_another_tournaments_folder_is_left_alone(tmp_path: Path) -> None:
    tournament(settings(tmp_path, tables=(2,)))
    before = sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*"))
    for changes in ({"seed": 1}, {"deals": 1}, {"tables": (3,)}, {"options": ()}):
        with pytest.raises(CheckpointError, match="another tournament"):
            tournament(settings(tmp_path, **{"tables": (2,), **changes}))
    (tmp_path / "tournament.json").write_text("[]")
    with pytest.raises(CheckpointError):
        tournament(settings(tmp_path, tables=(2,)))
    (tmp_path / "tournament.json").unlink()
    assert [path for path, _ in before if not path.exists()] == [tmp_path / "tournament.json"]


def test_a_policy_that_has_learned_on_is_another_player(tmp_path: Path) -> None:
    game = pirate_envs.load("skull_king", players=2)
    shape = (game.actions, game.layout.size)
    for weight in (0, 1):
        folder = tmp_path / "policy"
        shutil.rmtree(folder, ignore_errors=True)
        Policy(game, [(np.full(shape, weight, np.float32), np.zeros(game.actions, np.float32))], "relu").save(folder)
        for name in (f"policy:{folder}", f"search:guided:4:policy={folder}"):
            one = settings(tmp_path / name.replace("/", "_"), tables=(2,), deals=1, players=("random", name))
            if weight:
                with pytest.raises(CheckpointError, match="learned"):
                    tournament(one)
            else:
                assert tournament(one) == tournament(one)


@pytest.mark.parametrize(
    ("error", "name", "players", "changes"),
    [
        (UnknownPlayerError, "skull_king", ("random", "nobody"), {}),
        (UnknownPlayerError, "skull_king", ("random", "exact:turn"), {}),
        (CheckpointError, "skull_king", ("random", "policy:nowhere"), {}),
        (UnknownGameError, "whist", ("random", "rules:strongest"), {}),
        (OptionError, "skull_king", ("random",), {}),
        (OptionError, "skull_king", ("random", "random"), {}),
        (OptionError, "skull_king", ("random", "rules:simple"), {"tables": (9,)}),
        (OptionError, "skull_king", ("random", "rules:simple"), {"tables": ()}),
        (OptionError, "skull_king", ("random", "rules:simple"), {"tables": (3, 3)}),
        (OptionError, "skull_king", ("random", "rules:simple"), {"deals": 0}),
        (OptionError, "skull_king", ("random", "rules:simple"), {"workers": Workers(0)}),
        (OptionError, "skull_king", ("random", "rules:simple"), {"seed": -1}),
        (OptionError, "skull_king", ("random", "rules:simple"), {"options": ("players=3",)}),
    ],
)
def test_what_cannot_be_played_leaves_no_folder(
    tmp_path: Path, error: type[PirateError], name: str, players: tuple[str, ...], changes: dict[str, object]
) -> None:
    folder = tmp_path / "new"
    with pytest.raises(error):
        tournament(TournamentSettings(name, players, out=folder, **{"workers": Workers(1), **changes}))  # type: ignore[arg-type]
    assert not folder.exists()


@pytest.mark.long
def test_a_player_against_itself_is_level_as_often_as_its_intervals_say() -> None:
    """A thousand small tournaments: 95 % intervals hold the truth in 93 to 97 % of them."""
    game = pirate_envs.load("piraten_kapern", players=2, target=1000)
    random = agent(game, "random")
    margins = [versus(game, random, random, 100, seed).first()["margin"] for seed in range(1000)]
    assert 0.93 <= np.mean([margin.low <= 0 <= margin.high for margin in margins]) <= 0.97


LONG = ["skull_king", "random", "rules:simple", "--tables", "2", "--deals", "100000", "--chunk", "2", "--workers", "1"]


def begun(folder: Path, chunks: int) -> subprocess.Popen[str]:
    """A tournament that goes on for hours, once so many of its chunks are played."""
    command = [sys.executable, "-m", "experiments.tournament", *LONG, "--option", "last_hand=1", "--out", str(folder)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < deadline:
        if (folder / CHUNKS).is_dir() and len(list((folder / CHUNKS).glob("[0-9]*"))) >= chunks:
            return process
        time.sleep(0.02)
    process.kill()
    raise AssertionError(process.communicate())


def test_a_signal_to_end_keeps_its_chunks(tmp_path: Path) -> None:
    process = begun(tmp_path, 3)
    (tmp_path / CHUNKS / ".2-0.1-9999.part").mkdir()  # as a kill in the middle of writing leaves it
    plan = Tournament("skull_king", ("random", "rules:simple"), tables=(2,), deals=100_000, chunk=2, options=("last_hand=1",))
    module.Folder(plan, tmp_path, module.seated(plan))  # as long as another process is there, nothing of its is cleared
    assert (tmp_path / CHUNKS / ".2-0.1-9999.part").exists()
    process.send_signal(signal.SIGTERM)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 143 and "the same command goes on from here" in told and "Traceback" not in told
    folder = module.Folder(plan, tmp_path, module.seated(plan))
    assert not list((tmp_path / CHUNKS).glob(".*"))
    kept = {path.name for path in (tmp_path / CHUNKS).iterdir()}
    assert len(kept) >= 3
    assert all(folder.load(chunk) is not None for chunk in chunks_of(plan)[: len(kept)] if chunk.name in kept)


@pytest.mark.parametrize("number", [-1.0, float("nan"), float("inf"), 1e6, 2.0**40])
@pytest.mark.parametrize("name", ["points", "wins", "counts", "numbers"])
def test_a_chunk_with_numbers_that_no_match_has_is_refused(tmp_path: Path, name: str, number: float) -> None:
    plan = Tournament("skull_king", ("random", "rules:simple"), tables=(2,), deals=2, options=("last_hand=1",))
    (chunk,), folder = chunks_of(plan), module.Folder(plan, tmp_path, module.seated(plan))
    whole = Outcomes(np.zeros((2, 2, 2)), np.full((2, 2, 2), 0.5), np.zeros((2, 2, folder._games[2].tallies), np.int64), 9, 0)
    folder.save(chunk, whole)
    assert folder.load(chunk) is not None
    shutil.rmtree(tmp_path / CHUNKS / chunk.name)
    if name == "numbers":
        spoilt = dataclasses.replace(whole, decisions=int(number) if np.isfinite(number) else -5)
    else:
        array = getattr(whole, name).copy()
        fine = np.isfinite(number) or array.dtype.kind == "f"
        array[0, 0, 0] = (2**40 if name == "counts" and abs(number) <= 1e6 else number) if fine else -(2**40)
        spoilt = dataclasses.replace(whole, **{name: array})
    folder.save(chunk, spoilt)
    if name == "points" and abs(number) <= 1e6:
        assert folder.load(chunk) is not None  # points that a match may have
    else:
        with pytest.raises(CheckpointError, match=f"{name} that no match can have"):
            folder.load(chunk)
