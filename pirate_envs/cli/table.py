"""`table`: the games in the browser, for people and players."""

from __future__ import annotations

import argparse
import threading
import webbrowser
from pathlib import Path

from pirate_envs.agents.names import agent
from pirate_envs.cli.text import fitted
from pirate_envs.core.errors import OptionError, PirateError, TableError
from pirate_envs.core.extras import import_extra
from pirate_envs.games import games, load

PURPOSE = "The table in the browser"


def add_arguments(command: argparse.ArgumentParser) -> None:
    """What can be said after `pirates table`."""
    command.add_argument("--host", default="127.0.0.1", help="address to listen on: 0.0.0.0 for all of this machine's")
    command.add_argument("--port", type=int, default=8421, metavar="N", help="port to listen on; 0: any that is free")
    command.add_argument(
        "--players", nargs="+", default=[], metavar="NAME",
        help="players on offer in place of the levels easy, fair, strong and best: see below",
    )  # fmt: skip
    command.add_argument("--data", metavar="FOLDER", help="where matches are kept; a folder of your own if not given")
    command.add_argument("--pace", type=float, default=1.5, metavar="S", help="seconds between decisions of /tv's players")
    command.add_argument("--no-browser", action="store_true", help="do not open a browser")


def table(given: argparse.Namespace) -> None:
    """Play in the browser, with other people and with players."""
    for library in ("starlette", "uvicorn", "websockets"):
        import_extra(library, PURPOSE, "table")
    from pirate_envs.agents.table import serve  # noqa: PLC0415  (needs the extra)
    from pirate_envs.agents.table.halls import Hall  # noqa: PLC0415

    if not 0 <= given.port <= 65535:
        raise OptionError(f"--port is {given.port}; allowed: 0 to 65535")
    check_players(given.players)
    folder = Path(given.data) if given.data else serve.data_folder()
    store, lock = serve.opened_store(folder)
    try:
        hall = Hall(store, given.players, pace=given.pace)
        at = serve.listening(given.host, given.port)
    except PirateError:
        store.close()
        raise
    port = at.getsockname()[1]
    hall.warm()
    hall.hosts = tuple(serve.host_names(given.host, port))
    address = serve.address(given.host, port)

    def ready() -> None:
        print(fitted(f"The table is at {address}\nMatches are kept in {folder}\nCtrl-C ends it."), flush=True)
        if given.host not in serve.LOOPBACK:
            print(fitted(warning(hall.hosts)), flush=True)
        if not given.no_browser:
            threading.Thread(target=webbrowser.open, args=[address], daemon=True).start()

    serve.serve(hall, at, ready)
    del lock


def warning(hosts: tuple[str, ...]) -> str:
    """What it means to listen beyond this machine."""
    return (
        f"Anyone who reaches this machine may make tables and play, and nothing is encrypted: only for a network you trust. "
        f"Others find it at: {', '.join(host for host in hosts if not host.startswith(('127.', 'localhost', '[::1')))}"
    )


def check_players(names: list[str]) -> None:
    """Raise UnknownPlayerError or TableError unless some game has a player of each name."""
    for name in names:
        errors: list[PirateError] = []
        for game in games():
            try:
                agent(load(game), name)
                break
            except PirateError as error:
                errors.append(error)
        else:
            raise errors[0] if errors else TableError("there are no games")
