# Two commands set everything up on a fresh machine: `make train` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
GAME ?= skull_king
MINUTES ?= 10
RELEASE_MINUTES ?= 600
SAMPLE ?= 150

unexport PYTHONDONTWRITEBYTECODE  # tests start hundreds of processes, which would each compile what they import

DOOR ?= $(patsubst tests/outside/%/requirements.txt,%,$(wildcard tests/outside/*/requirements.txt))

.PHONY: train play table docs test test-browser test-doors test-long test-release mutants lint throughput clean

train: $(VENV)/installed  ## train a self-play agent against baselines and print how strong it is
	$(BIN)/python -m experiments.train $(GAME) --minutes $(MINUTES)

play: $(VENV)/installed  ## you against the policy that comes with the project
	$(BIN)/python -m pirate_envs play $(GAME)

table: $(VENV)/installed  ## the games in your browser
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[table]'
	$(BIN)/python -m pirate_envs table

docs: $(VENV)/installed  ## the site, in build/site
	$(BIN)/sphinx-build -W --keep-going -q docs build/site

test: $(VENV)/installed  ## lint, types, and all tests but the long ones
	$(MAKE) -j2 warm-piratenpoker lint warm-lucky_pirate warm-skull_king warm-piraten_kapern warm-kuhn_poker
	$(BIN)/python -m pytest -n 2 --dist worksteal

test-browser: $(VENV)/installed  ## the browser's pages in a real Chromium, which the system must bring
	@command -v chromium >/dev/null || { echo "test-browser needs a Chromium: install your system's package chromium"; exit 1; }
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[browser]'
	$(BIN)/python -m pytest -m browser tests/browser

test-doors: $(DOOR:%=test-door-%)  ## other libraries, each in an environment of its own; DOOR=rllib for one

test-door-%: build/doors/%/installed
	build/doors/$*/bin/python -m pytest -W default tests/outside/$*

.PRECIOUS: build/doors/%/installed
build/doors/%/installed: tests/outside/%/requirements.txt pyproject.toml
	$(PYTHON) -m venv build/doors/$*
	build/doors/$*/bin/python -m pip install --quiet torch==2.13.0
	build/doors/$*/bin/python -m pip install --quiet pytest -e . -r $<
	touch $@

test-long: $(VENV)/installed  ## what takes longer than tests may
	$(BIN)/python -m pytest -m long -n 2 --dist worksteal

test-release: $(VENV)/installed  ## the measurements behind docs/trust.md; goes on where it was
	$(BIN)/python -m tests.release --minutes $(RELEASE_MINUTES) --write

mutants: $(VENV)/installed  ## faults put into the rules and the core, one at a time: which do the tests not notice?
	$(BIN)/python -m experiments.studies.mutants --sample $(SAMPLE)

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	rm -rf build/typed && mkdir -p build/typed/pirate_envs  # the packages as they are installed
	ln -sfn $(CURDIR)/pirate_envs/* $(CURDIR)/agents build/typed/pirate_envs
	ln -sfn $(CURDIR)/experiments build/typed
	cd build/typed && $(abspath $(BIN))/mypy --config-file ../../pyproject.toml

warm-%: $(VENV)/installed  # what many tests need is compiled by one process for all
	@PYTHONPATH=tests/plug_in $(BIN)/pirates warm $* > /dev/null

throughput: $(VENV)/installed  ## the speed table
	$(BIN)/python -m experiments.throughput

$(VENV)/installed: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile -c constraints.txt torch==2.13.0
	$(BIN)/python -m pip install --quiet --no-compile -c constraints.txt -e '.[train,dev]'
	touch $@

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .mypy_cache build *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
