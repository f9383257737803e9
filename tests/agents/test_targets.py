"""Search-improved targets: what a search says of its candidates, what came of its choices, and what a network learns of it."""

from __future__ import annotations

import dataclasses
import itertools
import json
import pickle
from pathlib import Path

import numpy as np
import pytest

from experiments import ship
from experiments import targets as command
from experiments.targets import TargetSettings, is_better, truly_gained
from pirate_envs import Game, load
from pirate_envs.agents.arena.chunks import ABOUT, ChunkFolder
from pirate_envs.agents.guided import CANDIDATES, GuidedSearch, Trial
from pirate_envs.agents.learning import runs
from pirate_envs.agents.learning.fast import TorchPolicy, padded
from pirate_envs.agents.learning.improving import (
    FORBIDDEN,
    Improvement,
    errors_of,
    fit,
    foretold,
    gain_by_worlds,
    log_priors_of,
    log_targets,
    shrunk,
    sureness,
)
from pirate_envs.agents.learning.searched import SearchedPositions, Searching, branched, checked, joined, margins_of
from pirate_envs.agents.policy import VALUES, Policy
from pirate_envs.agents.sealed import ARRAYS
from pirate_envs.core.errors import CheckpointError, OptionError, UnknownPlayerError
from tests.agents.test_guided import decisions_of, knows_nothing

pytestmark = pytest.mark.usefixtures("torch_settings")
GAME = load("piraten_kapern")


def some_policy(game: Game = GAME, seed: int = 0, units: int = 8) -> Policy:
    """A network that nobody has trained."""
    rng = np.random.default_rng(seed)
    sizes = [game.layout.size, units, game.actions]
    layers = [(rng.normal(0, 0.3, (b, a)), rng.normal(0, 0.1, b)) for a, b in itertools.pairwise(sizes)]
    return Policy(game, layers, "relu")


def made_up(count: int, seed: int, lead: float = 0.3, noise: float = 0.1) -> SearchedPositions:
    """Two candidates each; the second one is better by `lead` where the first cell is 1, else worse by as much."""
    rng = np.random.default_rng(seed)
    observations = np.zeros((count, GAME.layout.size), np.float16)
    observations[:, 0] = rng.random(count) < 0.5
    masks = np.zeros((count, GAME.actions), bool)
    masks[:, :3] = True
    actions = np.tile(np.array([0, 1]), (count, 1))
    leads = np.zeros((count, 2), np.float32)
    leads[:, 1] = lead * np.where(observations[:, 0] > 0, 1, -1) + rng.normal(0, noise, count)
    spreads = np.full((count, 2), noise * 4, np.float32)
    spreads[:, 0] = 0
    chosen = np.where(leads[:, 1] > 0, 1, 0)
    nothing = np.zeros(count, np.float32)
    worlds = np.full((count, 2), 16)
    wins = observations[:, 0].astype(np.float32)
    return SearchedPositions(
        observations, masks, chosen, actions, leads, spreads, worlds, nothing, nothing, wins, wins * 10, np.arange(count)
    )


# -- what a search says ------------------------------------------------------------------------------------------------


def test_leads_are_over_the_worlds_that_both_were_tried_in() -> None:
    trial = Trial.of(np.log(np.array([[0.4, 0.3, 0.2, 0.1]])), np.zeros(1, np.int64))
    trial.add(np.zeros(4, int), np.arange(4), np.array([[1.0, 3], [2, 2], [0, 8], [0, 1]]))
    trial.halve()
    assert trial.left.tolist() == [[True, False, True, False]]
    trial.add(np.zeros(2, int), np.array([0, 2]), np.array([[4.0, 4], [5, 9]]))
    mean, spread, worlds = trial.leads()
    assert worlds.tolist() == [[4, 2, 4, 2]]
    np.testing.assert_allclose(mean, [[0, 0, 2.5, -1.5]])
    np.testing.assert_allclose(spread, [[0, 1, np.std([-1, 5, 1, 5]), 0.5]])


def test_a_search_tells_of_its_candidates_what_it_plays_by() -> None:
    game = load("skull_king")
    player = GuidedSearch(game, "search", knows_nothing(game), 48)
    positions = [game.new(seed) for seed in range(4)]
    decisions = decisions_of(game, positions)
    found = player.search(decisions)
    assert found.chosen.tolist() == player.act(decisions).tolist()
    assert found.actions.shape == found.leads.shape == (4, CANDIDATES) and (found.worlds >= 0).all()
    assert not found.leads[:, 0].any() and not found.spreads[:, 0].any() and found.leads[:, 1:].any()
    for row in range(4):
        assert found.chosen[row] in found.actions[row, np.isfinite(found.priors[row])]


def test_what_a_policy_is_sure_of_is_not_searched() -> None:
    game = load("skull_king")
    layers = [(np.zeros((game.actions, game.layout.size)), np.arange(game.actions, dtype=float) * 50)]
    player = GuidedSearch(game, "search", Policy(game, layers, "relu"), 48)
    found = player.search(decisions_of(game, [game.new(1)]))
    assert not found.worlds.any() and found.chosen[0] == found.actions[0, 0]


# -- what came of it ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def searched() -> SearchedPositions:
    policy = some_policy()
    return Searching(GAME, policy, GuidedSearch(GAME, "search", policy, 16), 0.05)(range(16))


def test_positions_are_the_same_again(searched: SearchedPositions) -> None:
    policy = some_policy()
    again = Searching(GAME, policy, GuidedSearch(GAME, "search", policy, 16), 0.05)(range(16))
    for name, array in searched.arrays().items():
        np.testing.assert_array_equal(array, again.arrays()[name])
    assert len(searched) > 30 and set(searched.matches) <= set(range(16)) and len(set(searched.matches)) > 8
    assert (searched.action_masks.sum(axis=1) > 1).all()
    assert searched.action_masks[np.arange(len(searched)), searched.chosen].all()
    same = ~searched.differs
    assert same.any() and searched.differs.any()
    assert not searched.gained_points[same].any() and searched.gained_points[~same].any()


def test_a_branch_is_the_match_played_on_from_there() -> None:
    policy = some_policy()
    g = GAME.new(3)
    for _ in range(6):
        GAME.apply(g, GAME.legal_actions(g)[0])
    first = GAME.legal_actions(g)[-1]
    wins, points = branched(GAME, policy, np.array([g], GAME.state), np.array([first]))
    seat, after = GAME.seat_to_move(g), g.copy()
    GAME.apply(after, first)
    while not GAME.is_over(after):
        GAME.apply(after, int(policy.act(decisions_of(GAME, [after]))[0]))
    won = GAME.winners(after)
    assert wins[0] == (seat in won) / len(won)
    scores = np.array([int(score) for score in after["scores"][: GAME.players]])
    assert points[0] == pytest.approx(margins_of(scores[None])[0, seat])


def test_means_are_by_match(searched: SearchedPositions) -> None:
    gained = truly_gained(searched)
    assert gained["every"]["decisions"] == len(searched) and gained["matches"] == len(set(searched.matches))
    assert gained["every"]["points"]["mean"] == pytest.approx(float(searched.gained_points.mean()), rel=1e-4)
    assert sum(group["decisions"] for group in gained["groups"]) == gained["differs"]["decisions"] == searched.differs.sum()


def test_better_is_beyond_chance() -> None:
    up, down = ({"mean": sign, "low": sign * (2 - sign) / 2, "high": sign * (2 + sign) / 2} for sign in (1.0, -1.0))
    open_ = {"mean": 0.1, "low": -1.0, "high": 1.2}
    for wins, points, better in ((up, open_, True), (open_, up, True), (open_, open_, False), (up, down, False)):
        assert is_better({"every": {"wins": wins, "points": points}}) is better


# -- targets -----------------------------------------------------------------------------------------------------------


def test_targets_are_the_prior_tilted_by_what_is_not_noise() -> None:
    positions = made_up(4000, 0, lead=0.3, noise=0.2)
    errors = errors_of(positions)
    assert not errors[:, 0].any() and np.allclose(errors[:, 1], 0.2)
    factor = shrunk(positions)[:, 1] / positions.leads[:, 1]
    assert np.allclose(factor, 0.3**2 / (0.3**2 + 0.2**2), rtol=0.1)
    priors = np.full((4000, GAME.actions), -np.inf, np.float32)
    priors[:, :3] = np.log([0.6, 0.3, 0.1])
    wanted = log_targets(positions, priors, 0.5)
    assert np.allclose(np.exp(wanted).sum(axis=1), 1, atol=1e-5) and (wanted[:, 3:] < FORBIDDEN / 2).all()
    np.testing.assert_allclose(wanted[:, 1] - wanted[:, 0], np.log(0.5) + shrunk(positions)[:, 1] / 0.5, atol=1e-4)
    np.testing.assert_allclose(wanted[:, 2] - wanted[:, 0], np.log(1 / 6), atol=1e-4)


def test_sureness_is_the_chance_to_be_better_than_the_policy() -> None:
    positions = made_up(3, 0, noise=0.2)
    positions.leads[:, 1] = [0.2, -0.4, 0.0]
    positions.chosen[:] = [1, 0, 0]
    np.testing.assert_allclose(sureness(positions), [0.8413, 0.9772, 0.5], atol=1e-3)
    positions.worlds[:] = 0
    assert np.isnan(sureness(positions)).all()


def test_a_network_learns_what_holds_on_other_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pirate_envs.agents.learning.improving.ROWS", 256)
    policy = some_policy()
    known, held_out = made_up(2048, 1), made_up(1024, 2)
    losses = []
    how = Improvement(temperature=0.1, learning_rate=2e-2, epochs=8)
    improved = fit(policy, known, held_out, how, lambda epoch, now: losses.append(now))
    assert len(losses) == 9 and losses[0].gain == 0 and losses[-1].policy < losses[0].policy / 2
    new, old = (log_priors_of(each, held_out) for each in (improved, policy))
    gain = gain_by_worlds(held_out, new, old)
    assert gain.mean() > 0.05 and losses[-1].win < losses[0].win
    better = held_out.observations[:, 0] > 0
    assert (new[better, 1] - old[better, 1]).mean() > 0.3 > -0.3 > (new[~better, 1] - old[~better, 1]).mean()
    assert improved.value and not policy.value


def test_a_network_that_learns_what_held_out_positions_deny_is_not_kept() -> None:
    policy, losses = some_policy(units=64), []
    known, held_out = made_up(2048, 1, lead=0.3), made_up(512, 2, lead=-0.3)
    how = Improvement(temperature=0.1, learning_rate=1e-2, epochs=4)
    improved = fit(policy, known, held_out, how, lambda epoch, now: losses.append(now.policy))
    assert min(losses[1:]) > losses[0] + 0.05
    assert improved.acts_by == policy.acts_by


def test_leads_that_a_seat_sees_are_foretold_and_noise_is_not() -> None:
    known, held_out = made_up(3000, 0, noise=0.1), made_up(1000, 1, noise=0.1)
    seen = foretold(known, held_out)
    assert 0.8 < seen.held_out < seen.at_most + 0.05 and seen.at_most == pytest.approx(0.9, abs=0.03)
    rng = np.random.default_rng(2)
    hidden = [dataclasses.replace(each, leads=each.leads * rng.choice([-1, 1], (len(each), 1))) for each in (known, held_out)]
    unseen = foretold(*hidden)
    assert unseen.held_out < 0.05 < unseen.at_most, "the sign of every lead is drawn: there is much to know, and no way to"


def test_the_value_head_of_a_policy_goes_on_learning() -> None:
    policy = some_policy()
    first = fit(policy, made_up(2048, 1), made_up(512, 2), Improvement(0.1, 1e-2, 20))
    losses = []
    fit(first, made_up(2048, 1), made_up(512, 2), Improvement(0.1, 1e-3, 1), lambda epoch, now: losses.append(now.win))
    assert losses[0] == pytest.approx(losses[1], rel=0.1) and losses[0] < 0.6


# -- playouts ----------------------------------------------------------------------------------------------------------


def test_a_policy_in_torch_says_the_same() -> None:
    policy = some_policy()
    seen = np.random.default_rng(0).random((300, GAME.layout.size), dtype=np.float32)
    for precision, near in (("float32", 1e-5), ("bfloat16", 0.2)):
        fast = TorchPolicy.of(policy, precision)
        again = pickle.loads(pickle.dumps(fast)).drawing(greedy=True)
        assert isinstance(again, TorchPolicy) and again.precision == precision and again.learned == policy.learned
        np.testing.assert_allclose(again.logits(seen), policy.logits(seen), atol=near)
        np.testing.assert_array_equal(again.logits(seen[:7]), fast.logits(seen)[:7])
        np.testing.assert_allclose(fast.hidden(seen), policy.hidden(seen), atol=near)
        assert fast.logits(seen[:0]).shape == (0, GAME.actions)


def test_rows_are_padded_to_few_heights() -> None:
    heights = {0: 16, 1: 16, 16: 16, 17: 32, 64: 64, 255: 256, 256: 256, 257: 512, 512: 512, 513: 768}
    assert {rows: padded(rows) for rows in heights} == heights


# -- what is kept ------------------------------------------------------------------------------------------------------


def test_chunks_are_kept_and_others_refused(tmp_path: Path, searched: SearchedPositions) -> None:
    folder = ChunkFolder(tmp_path / "f", "searched positions", {"share": 0.05})
    assert folder.load("0-16") is None
    folder.save("0-16", searched.arrays())
    again = ChunkFolder(tmp_path / "f", "searched positions", {"share": 0.05}).load("0-16")
    assert again is not None
    np.testing.assert_array_equal(checked(GAME, again, tmp_path).leads, searched.leads)
    with pytest.raises(CheckpointError, match="holds other searched positions: their share is 0.05, not 0.1"):
        ChunkFolder(tmp_path / "f", "searched positions", {"share": 0.1})
    (tmp_path / "f" / "chunks" / "0-16").rename(tmp_path / "f" / "chunks" / "16-16")
    with pytest.raises(CheckpointError, match="is of other work: its chunk is .0-16., not .16-16.; delete"):
        folder.load("16-16")
    file = tmp_path / "f" / "chunks" / "16-16" / ARRAYS
    file.write_bytes(file.read_bytes()[:-3])
    with pytest.raises(CheckpointError, match="delete"):
        folder.load("16-16")
    (tmp_path / "f" / ABOUT).write_text("[]")
    with pytest.raises(CheckpointError):
        ChunkFolder(tmp_path / "f", "searched positions", {"share": 0.05})


def test_arrays_that_no_search_leaves(searched: SearchedPositions, tmp_path: Path) -> None:
    good = searched.arrays()
    for change in (
        {"leads": good["leads"].astype(np.float64)},
        {"actions": good["actions"] + GAME.actions},
        {"chosen": np.full_like(good["chosen"], -1)},
        {"observations": good["observations"][:, :-1]},
        {"leads": np.full_like(good["leads"], np.nan)},
        {"worlds": good["worlds"] - 1000},
        {"matches": good["matches"][:-1]},
    ):
        with pytest.raises(CheckpointError):
            checked(GAME, {**good, **change}, tmp_path)
    with pytest.raises(CheckpointError):
        checked(GAME, {name: array for name, array in good.items() if name != "spreads"}, tmp_path)
    assert len(joined([checked(GAME, good, tmp_path)] * 2)) == 2 * len(searched)


# -- the command -------------------------------------------------------------------------------------------------------


def test_the_command_searches_once_learns_and_leaves_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    some_policy().save(tmp_path / "p")
    monkeypatch.setattr(command, "RESULTS", tmp_path)
    monkeypatch.setattr(command, "CHUNK", 4)
    monkeypatch.setattr(command, "HELD_OUT", 4)
    monkeypatch.setattr(command, "PARTS", 2)
    monkeypatch.setattr(command, "is_better", lambda gained: True)
    settings = TargetSettings(
        "piraten_kapern", policy=f"policy:{tmp_path / 'p'}", matches=16, share=0.1, worlds=8, deals=2, precision="float32",
        learn=Improvement(0.5, 1e-3, 2), searched=tmp_path / "s", out=tmp_path / "r", write=True,
    )  # fmt: skip
    content = command.main(settings)
    told = capsys.readouterr().out
    assert content == json.loads((tmp_path / "targets_piraten_kapern.json").read_text())
    assert (tmp_path / "targets.md").read_text() in told
    assert [row["positions"] for row in content["taught"]["curve"]] == [content["positions"] // 2, content["positions"]]
    (run,) = (tmp_path / "r").iterdir()
    improved = Policy.load(GAME, run)
    assert improved.value and improved.acts_by != some_policy().acts_by
    settings_kept, _ = runs.read_settings(run)
    assert settings_kept["learner"] == "targets" and settings_kept["start"] == str(tmp_path / "p")
    assert set(content["taught"]["measured"]["start"]) == {"improved"}
    monkeypatch.setattr(Searching, "__call__", lambda self, matches: pytest.fail("searched again"))
    again = command.main(dataclasses.replace(settings, learn=Improvement(0.5, 1e-9, 1), write=False))
    assert again["gained"] == content["gained"]


def test_other_weights_or_another_precision_are_searched_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Heads count too; with auto the precision is that of what lies there, whatever is faster now."""
    monkeypatch.setattr(command, "CHUNK", 2)
    monkeypatch.setattr(command, "HELD_OUT", 2)
    done = []
    searching = Searching.__call__
    monkeypatch.setattr(Searching, "__call__", lambda self, matches: done.append(matches) or searching(self, matches))
    policy = some_policy()
    head = (np.zeros((VALUES, policy.known)), np.zeros(VALUES))
    settings = TargetSettings("piraten_kapern", matches=4, share=0.1, worlds=4, precision="float32", searched=tmp_path)
    for player, precision, more in (
        (policy, "float32", 2), (policy, "float32", 0), (policy.judging([head]), "float32", 2), (policy, "bfloat16", 2),
    ):  # fmt: skip
        before = len(done)
        command.gathered(GAME, player, dataclasses.replace(settings, precision=precision))
        assert len(done) == before + more
    monkeypatch.setattr(command, "faster_precision", lambda _: "bfloat16")
    (tmp_path / f"piraten_kapern-{policy.learned[:12]}-bfloat16").rename(tmp_path / "away")
    command.gathered(GAME, policy, dataclasses.replace(settings, precision="auto"))
    assert len(done) == 6


def test_a_run_that_began_with_what_is_shipped_tells_its_cost(tmp_path: Path) -> None:
    policy = some_policy()
    settings = TargetSettings("piraten_kapern", out=tmp_path)
    run = command.run_folder(settings, policy, 1000, 2.0)
    decisions, minutes, commands = ship.cost(run)
    before = ship.cost_of_shipped(Path(runs.read_settings(run)[0]["start"]), "piraten_kapern")
    assert (decisions, minutes) == (before[0] + 1000, before[1] + 2) and len(commands) == len(before[2]) + 1


def test_what_is_not_better_is_not_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    some_policy().save(tmp_path / "p")
    monkeypatch.setattr(command, "CHUNK", 2)
    monkeypatch.setattr(command, "HELD_OUT", 4)
    monkeypatch.setattr(command, "is_better", lambda gained: False)
    settings = TargetSettings(
        "piraten_kapern", policy=f"policy:{tmp_path / 'p'}", matches=8, share=0.1, worlds=4, searched=tmp_path / "s"
    )
    assert command.main(settings)["taught"] is None
    assert "nothing is learned" in capsys.readouterr().out


def test_a_share_that_asks_nowhere_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    some_policy().save(tmp_path / "p")
    monkeypatch.setattr(command, "CHUNK", 2)
    monkeypatch.setattr(command, "HELD_OUT", 4)
    settings = TargetSettings(
        "piraten_kapern", policy=f"policy:{tmp_path / 'p'}", matches=8, share=1e-9, worlds=4, searched=tmp_path / "s"
    )
    with pytest.raises(OptionError, match="^--share is 1e-09, --matches 8: .* at 0 positions of held-out matches; needed: 1"):
        command.main(settings)
    some, none = made_up(8, 0), made_up(0, 0)
    command.check_asked(command.Asked(some, some, 1.0), settings)
    for known, held_out, said in (
        (some.taken(slice(7)), some, "7 positions of other"),
        (some, none, "0 positions of held-out"),
    ):
        with pytest.raises(OptionError, match=said):
            command.check_asked(command.Asked(known, held_out, 1.0), settings)


def test_bad_settings(tmp_path: Path) -> None:
    for told, error in (
        ({"matches": 100}, OptionError),
        ({"matches": 1000}, OptionError),
        ({"share": 0.0}, OptionError),
        ({"worlds": 1}, OptionError),
        ({"deals": 0}, OptionError),
        ({"learn": Improvement(temperature=0.0)}, OptionError),
        ({"learn": Improvement(learning_rate=float("nan"))}, OptionError),
        ({"learn": Improvement(epochs=0)}, OptionError),
        ({"policy": "rules:strongest"}, UnknownPlayerError),
        ({"policy": "policy:nowhere"}, CheckpointError),
    ):
        with pytest.raises(error):
            command.main(TargetSettings("skull_king", searched=tmp_path, **told))  # type: ignore[arg-type]
