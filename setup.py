"""The packages: pirate_envs as it lies, and the folder agents as pirate_envs.agents. All else stands in pyproject.toml."""

from setuptools import find_packages, setup

players = find_packages(include=["agents", "agents.*"])
setup(
    packages=[*find_packages(include=["pirate_envs", "pirate_envs.*"]), *(f"pirate_envs.{name}" for name in players)],
    package_dir={"pirate_envs.agents": "agents"},
)
