"""python -m pirate_envs: the command `pirates`."""

from pirate_envs.cli import run

if __name__ == "__main__":
    run("python -m pirate_envs")
