"""The games as `pyspiel` games: their types and parameters, states, observers, and worlds for a search."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import secrets
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
import pyspiel

from pirate_envs.core.errors import OptionError, shown
from pirate_envs.core.game import Game
from pirate_envs.core.options import Options, whole_number
from pirate_envs.doors.openspiel.deals import SAMPLED, chance_left, deals_of
from pirate_envs.doors.openspiel.moments import Moment, seen, told
from pirate_envs.games import games
from pirate_envs.games import load as load_ours

PREFIX = "pirates_"
DEALS, SEED = "deals", "seed"
ANY_SEED = -1
NOT_OFFERED = ("rules", "pay_as_scored")  # presets become what they set; OpenSpiel's returns are paid at the end
ZERO_SUM_REWARDS = ("win", "margin")


def load(name: str, /, *, deals: str = SAMPLED, seed: int = ANY_SEED, **options: Any) -> pyspiel.Game:
    """The game of that name with these options, as a `pyspiel.Game`.

    `deals`: 'sampled', each match dealt by the engine; 'all', one chance node with every deal; or names of cards with blanks in
    between, one chance node with every deal of these. `seed`: of the first sampled match, the next has seed + 1, and so on; -1:
    seeds nobody knows. Raises UnknownGameError or OptionError.
    """
    game = load_ours(name, **options)
    if game.options.pay_as_scored:
        raise OptionError("pay_as_scored is not offered at OpenSpiel's door: allowed: False")
    if not isinstance(deals, str) or any(sign in deals for sign in ",()="):
        raise OptionError(f"deals is {shown(deals)}; allowed: {SAMPLED!r}, 'all', or names of cards with blanks in between")
    given = {DEALS: deals, SEED: whole_number(SEED, seed, ANY_SEED, 2**31 - 1)}
    return pyspiel.load_game(PREFIX + name, {**given, **_as_parameters(game.options)})


def register_all() -> None:
    """Register every game under PREFIX and its name; one whose package cannot be imported is left out with a warning."""
    for name in games():
        try:
            game = load_ours(name)
        except (ImportError, AttributeError) as error:
            warnings.warn(f"the installed game {name!r} cannot be used: {error}", stacklevel=2)
            continue
        maker = type(f"SpielGame_{name}", (SpielGame,), {"plain": game})  # a class: OpenSpiel lets go of it after Python's end
        pyspiel.register_game(_type_of(game, SAMPLED), maker)


# -- options as parameters ---------------------------------------------------------------------------------------------


def _offered(options: Options) -> Iterator[dataclasses.Field[Any]]:
    for field in dataclasses.fields(options):
        if field.name not in NOT_OFFERED and (field.metadata.get("counts") or isinstance(field.default, bool | int | str)):
            yield field


def _as_parameters(options: Options) -> dict[str, Any]:
    """Options by name; counts as text: 'parrot:3 skip:1', nothing for the usual ones."""
    values = {field.name: getattr(options, field.name) for field in _offered(options)}
    counts = {name: _counts_text(value) for name, value in values.items() if value is None or isinstance(value, Mapping)}
    return {**values, **counts}


def _counts_text(counts: Mapping[str, int] | None) -> str:
    return " ".join(f"{name}:{count}" for name, count in (counts or {}).items())


def _as_options(game: Game, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Options from parameters, all of them. Raises OptionError."""
    options = {}
    for field in _offered(game.options):
        value = parameters.get(field.name, field.default)
        options[field.name] = _counts_from(field.name, value) if field.metadata.get("counts") else value
    return options


def _counts_from(option: str, text: str | None) -> dict[str, int] | None:
    pairs = [each.rpartition(":") for each in (text or "").split()]
    if not all(name and count.isascii() and count.isdecimal() for name, _, count in pairs):
        raise OptionError(f"option {option!r} is {shown(text)}; allowed: names with their counts, as in 'parrot:3 skip:1'")
    return {name: int(count) for name, _, count in pairs} or None


def _type_of(game: Game, deals: str) -> pyspiel.GameType:
    mode = pyspiel.GameType.ChanceMode
    players = next(field.metadata for field in dataclasses.fields(game.options) if field.name == "players")
    utility = pyspiel.GameType.Utility
    return pyspiel.GameType(
        short_name=PREFIX + game.name,
        long_name=f"{game.title} ({game.id})",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=mode.SAMPLED_STOCHASTIC if deals == SAMPLED else mode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=utility.ZERO_SUM if game.options.reward in ZERO_SUM_REWARDS else utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        min_num_players=players["low"],
        max_num_players=players["high"],
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={DEALS: SAMPLED, SEED: ANY_SEED, **_as_parameters(game.with_options().options)},
    )


def _info_of(game: Game, chance_outcomes: int) -> pyspiel.GameInfo:
    most = 1.0 if game.options.reward == "win" else np.inf  # no bound on points is declared
    return pyspiel.GameInfo(
        num_distinct_actions=game.actions,
        max_chance_outcomes=chance_outcomes,
        num_players=game.players,
        min_utility=-most,
        max_utility=most,
        utility_sum=0.0 if game.options.reward in ZERO_SUM_REWARDS else None,
        max_game_length=game.max_decisions,
    )


# -- games -------------------------------------------------------------------------------------------------------------


class SpielGame(pyspiel.Game):
    """One game with its options; each game has a subclass."""

    plain: ClassVar[Game]
    """The game with its usual options."""

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        """Raises OptionError."""
        given = dict(parameters or {})
        self.rules = self.plain.with_options(**_as_options(self.plain, given))
        deals, seed = given.get(DEALS, SAMPLED), given.get(SEED, ANY_SEED)
        self.deals = [] if deals == SAMPLED else [(Moment(self.rules, g), chance) for g, chance in deals_of(self.rules, deals)]
        self._seeds = itertools.count(seed)
        self._any_seed = seed == ANY_SEED
        self._histories = functools.lru_cache(maxsize=1024)(self._find_histories)
        super().__init__(_type_of(self.rules, deals), _info_of(self.rules, max(1, len(self.deals))), given)

    def __reduce__(self) -> tuple[Callable[..., pyspiel.Game], tuple[str, dict[str, Any]]]:
        return _loaded, (self.get_type().short_name, self.get_parameters())

    def new_initial_state(self) -> SpielState:
        """A state before the deal."""
        return SpielState(self)

    def make_py_observer(self, kind: pyspiel.IIGObservationType | None = None, _: Any = None) -> SpielObserver | None:
        """What one seat sees, or remembers; there is none of what all see, or of private things alone."""
        if kind is None:
            return SpielObserver(self.rules, recalls=False)
        if kind.public_info and kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER:
            return SpielObserver(self.rules, recalls=kind.perfect_recall)
        return None

    def next_deal(self) -> Moment:
        """The next sampled match."""
        return Moment(self.rules, self.rules.new(secrets.randbits(64) if self._any_seed else next(self._seeds)))

    def history_of(self, moment: Moment, seat: int, drawn: float) -> list[int]:
        """A way, of all that the seat may think the match has come, the deal first; `drawn` (0 to 1) says which.

        Deals are as likely as they are, and so are all ways that begin with the same deal. For games with explicit deals.
        """
        histories, chances = self._histories(seat, moment.memory(seat), int(moment.record.decisions))
        return list(histories[min(int(np.searchsorted(np.cumsum(chances), drawn * sum(chances), "right")), len(histories) - 1)])

    def _find_histories(self, seat: int, memory: str, decisions: int) -> tuple[list[tuple[int, ...]], list[float]]:
        found: list[tuple[int, ...]] = []
        chances = []
        for number, (deal, chance) in enumerate(self.deals):
            ways = list(_ways_to(deal, seat, memory, decisions))
            found += [(number, *way) for way in ways]
            chances += [chance / len(ways) for _ in ways]
        return found, chances


def _loaded(short_name: str, parameters: dict[str, Any]) -> pyspiel.Game:
    """A game as it was pickled; here, so that unpickling registers the games first."""
    return pyspiel.load_game(short_name, parameters)


def _ways_to(moment: Moment, seat: int, memory: str, decisions: int) -> Iterator[tuple[int, ...]]:
    """All actions from here after which the seat remembers this, so many decisions from the deal."""
    own = moment.memory(seat)
    if not f"{memory}\n".startswith(f"{own}\n"):
        return
    if moment.record.decisions == decisions:
        if own == memory:
            yield ()
        return
    for action in moment.legal:
        for way in _ways_to(moment.after(action), seat, memory, decisions):
            yield (action, *way)


# -- states ------------------------------------------------------------------------------------------------------------


class SpielState(pyspiel.State):
    """A match before its deal (a chance node), or at one of its moments."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.moment: Moment | None = None

    def __reduce__(self) -> tuple[Callable[..., SpielState], tuple[SpielGame, str]]:
        return _deserialized, (self.get_game(), self.serialize())

    def current_player(self) -> int:
        """The seat to move, or OpenSpiel's number for chance or the end."""
        if self.moment is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.moment.over else self.moment.mover

    def is_terminal(self) -> bool:
        """Whether the match is over."""
        return self.moment is not None and self.moment.over

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The deals by number; a sampled one is number 0, whatever it will be."""
        return [(number, chance) for number, (_, chance) in enumerate(self.get_game().deals)] or [(0, 1.0)]

    def _legal_actions(self, _: int) -> list[int]:
        assert self.moment is not None  # OpenSpiel asks at decisions only
        return self.moment.legal

    def _apply_action(self, action: int) -> None:
        """Raises IllegalActionError, and OptionError where explicit deals prove not to be all the chance."""
        game: SpielGame = self.get_game()
        if self.moment is None:
            self.moment = self._dealt(game, action)
            return
        after = self.moment.after(action)
        if game.deals and chance_left(after.record) != chance_left(self.moment.record):
            raise OptionError(f"{DEALS}: {game.rules.name} draws again after its deal; allowed: {SAMPLED!r}")
        self.moment = after

    def _dealt(self, game: SpielGame, number: int) -> Moment:
        whole_number("deal", number, 0, max(0, len(game.deals) - 1))
        return game.deals[number][0] if game.deals else game.next_deal()

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE or self.moment is None:
            return f"deal {action}"
        return self.moment.game.action_name(self.moment.record, action)

    def returns(self) -> list[float]:
        """Each seat's reward for the match; zeros before its end."""
        return [0.0] * self.num_players() if self.moment is None else self.moment.rewards

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> SpielState:
        """A state that the player cannot tell from this one, drawn by `sampler`, which gives numbers from 0 to 1.

        With explicit deals it has a history of its own, drawn from all those that the player may think have come to pass. Else
        the engine imagines a world at this point: the state's history is empty, and the other seats remember nothing older.
        """
        game: SpielGame = self.get_game()
        state = game.new_initial_state()
        if self.moment is None:
            return state
        if game.deals:
            for action in game.history_of(self.moment, player, sampler()):
                state.apply_action(action)
        else:
            state.moment = self.moment.imagined(player, int(sampler() * 2**53))
        return state

    def __str__(self) -> str:
        return "before the deal" if self.moment is None else self.moment.game.render(self.moment.record)


def _deserialized(game: SpielGame, text: str) -> SpielState:
    state: SpielState = game.deserialize_state(text)
    return state


class SpielObserver:
    """What a seat sees now (the view as text, the observation as a tensor by its pieces), or all it remembers (text alone)."""

    def __init__(self, game: Game, recalls: bool) -> None:
        self.recalls = recalls
        self.tensor = None if recalls else np.zeros(game.layout.size, np.float32)
        self.dict = {} if self.tensor is None else game.layout.split(self.tensor)

    def set_from(self, state: SpielState, player: int) -> None:
        """Write the seat's observation into `tensor`, of which `dict` holds the pieces; zeros before the deal."""
        if self.tensor is not None:
            moment = state.moment
            self.tensor[:] = 0 if moment is None else moment.game.observation(moment.record, player)

    def string_from(self, state: SpielState, player: int) -> str:
        """The seat's view, or its memory."""
        if state.moment is None:
            return f"seat={player}"
        if self.recalls:
            return state.moment.memory(player)
        return f"seat={player} {told(seen(state.moment.game, state.moment.record, player))}"
