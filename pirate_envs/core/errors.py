"""Every error that bad input can raise; each names the offending value and what is allowed."""


def shown(value: object) -> str:
    """A value as an error shows it: as Python writes it, cut where that is long."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # thousands of digits; lists within lists
        text = f"<{type(value).__name__} too large to write down>"
    return text if len(text) <= 100 else f"{text[:97]}..."


def told(error: OSError) -> str:
    """What the system could not do, and with which file, as a sentence."""
    return f"{error.strerror}: {error.filename}" if error.filename else str(error)


class PirateError(Exception):
    """Base of all errors of this package."""


class UnknownGameError(PirateError, LookupError):
    """No game of that name."""


class OptionError(PirateError, ValueError):
    """An unknown option, a value out of range, or options that do not fit together."""


class IllegalActionError(PirateError, ValueError):
    """An action that is not legal in this position, or not an action at all. The position is left as it was."""


class MatchOverError(IllegalActionError):
    """An action after the end of the match."""


class BatchError(PirateError, ValueError):
    """A batch of the wrong size, or an array of the wrong shape or dtype."""


class PositionError(PirateError, ValueError):
    """A view that describes no possible position; the message begins with the field."""


class SnapshotError(PirateError, ValueError):
    """A snapshot that is incomplete, or of another game, of other options or of another size. Nothing has changed."""


class RecordError(SnapshotError):
    """A record of another game or of other options, with a field out of its range, or whose fields contradict each other."""


class ReplayError(PirateError, ValueError):
    """A replay that is corrupt, foreign, of another version, or holds an illegal action."""


class CheckpointError(PirateError, ValueError):
    """A saved policy or run that is corrupt, foreign, of another version, or incomplete."""


class BusyError(PirateError, RuntimeError):
    """A folder that another process works in."""


class ClusterError(PirateError, RuntimeError):
    """Workers that cannot be reached, that do not fit this process, or that die again and again."""


class WeightsError(PirateError, ValueError):
    """A rule player's numbers that are missing, corrupt, or not as many or not such as it takes."""


class UnknownPlayerError(PirateError, LookupError):
    """No player of that name."""


class MissingExtraError(PirateError, ImportError):
    """A library that an extra of this package brings is not installed; the message names the extra."""


class PartnerVersionError(PirateError, ImportError):
    """A library is installed in a version that does not fit; the message names those that do."""


class TableError(PirateError, RuntimeError):
    """A table that cannot be opened, made or played at."""
