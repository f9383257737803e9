"""The verbs of the contract as stubs; called on a record, each plays the function of that record's game.

`g` is one record, `seat` 0..players-1, `mask` an array of uint64 words (core/bits.py), `out` a float32 row.
"""

from pirate_envs.core.jit import verb


@verb
def deal(g):
    """Start a match from the record's options and seed, up to the first decision."""


@verb
def legal(g, mask):
    """Write the legal actions of the seat to move into `mask`; never empty before the end."""


@verb
def apply(g, action):
    """Play one legal decision and all that follows without one, up to the next decision or the end."""


@verb
def payoff(g, points):
    """Write each seat's points so far (int64) and return the bit set of the seats that are ahead (winners at the end)."""


@verb
def observe(g, seat, out):
    """Write the seat's observation, every cell of it."""


@verb
def redact(g, seat):
    """Blank in place all that the seat cannot know."""


@verb
def determinize(g, seat):
    """Fill a redacted record with one random world that agrees with all the seat knows, drawing from g.gen."""


@verb
def reopen(g):
    """Take back the sealed choices of the seats asked before the mover: the first of them is to move again, if there is any."""


@verb
def rule_action(g, player):
    """The action of rule player number `player` (weakest first) for the seat to move, from what that seat may see."""


@verb
def weighted_action(g, weights):
    """What the strongest rule player would do by other numbers (float64, as `Game.weights`); only in games that have them."""


@verb
def stage(g):
    """Number of the hand, turn or cycle that is being played: it changes when points have been scored and chance comes anew."""


@verb
def tally(before, action, g, counts):
    """Count what the action that led from `before` to `g` tells about each seat: counts (int64, (players, tallies))."""
