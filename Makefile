# Everything below sets up .venv by itself, once. Settings: make train GAME=voodoo_prince PLAYERS=3 STEPS=500000
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
# Versions to install; constraints-oldest.txt has the oldest ones that are supported.
CONSTRAINTS ?= constraints.txt

GAME ?= voodoo_prince
PLAYERS ?=
STEPS ?=
MINUTES ?= 3.5
SEED ?= 0
RESUME ?=
DEALS ?= 100
AGENTS ?= random rules search:playouts=200 ismcts:iterations=200
REPORT ?=
FOLDER ?=

.PHONY: help setup train tournament results test check lint docs notebooks bench wheel clean
.DEFAULT_GOAL := help

help:  ## show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: $(VENV)/ready  ## install everything into .venv

$(VENV)/ready: pyproject.toml $(CONSTRAINTS)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "trick-envs needs Python 3.11 or newer; $(PYTHON) is `$(PYTHON) -V`. Name another: make PYTHON=..."; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint $(CONSTRAINTS) --editable '.[dev]'
	@touch $@

$(VENV)/ready-bench: $(VENV)/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint $(CONSTRAINTS) --editable '.[bench]'
	@touch $@

train: $(VENV)/ready  ## train a policy in minutes (GAME=, PLAYERS=, STEPS=, MINUTES=, SEED=; RESUME=results/RUN goes on)
ifneq ($(RESUME),)
	@$(BIN)/trick-envs train --resume $(RESUME) $(if $(STEPS),--steps $(STEPS)) \
	    $(if $(filter command environment,$(origin MINUTES)),--minutes $(MINUTES))
else
	@$(BIN)/trick-envs train --game $(GAME) --seed $(SEED) --minutes $(MINUTES) \
	    $(if $(PLAYERS),--players $(PLAYERS)) $(if $(STEPS),--steps $(STEPS))
endif

tournament: $(VENV)/ready  ## compare agents on duplicate deals (GAME=, PLAYERS=, DEALS=, AGENTS="random rules", FOLDER= of the run, REPORT= for the tables)
	@$(BIN)/trick-envs tournament --game $(GAME) $(if $(PLAYERS),--players $(PLAYERS)) \
	    --agents $(AGENTS) --deals $(DEALS) --seed $(SEED) $(if $(REPORT),--report $(REPORT)) $(if $(FOLDER),--folder $(FOLDER))

test: $(VENV)/ready  ## run all tests
	@$(BIN)/python -m pytest -n 2 --dist loadfile

lint: $(VENV)/ready  ## look at style and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

check: lint test  ## what has to be green: style, types, tests

results: $(VENV)/ready  ## write docs/results.md from what has been measured and stored
	@$(BIN)/trick-envs results

# With --quiet, warnings wouldn't be counted.
docs: $(VENV)/ready  ## build the site into build/site; a warning or a broken link fails
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@echo "The site's start page: build/site/index.html"

notebooks: $(VENV)/ready  ## run the notebooks and store what they print and draw
	@$(BIN)/python -m tests.notebooks

bench: $(VENV)/ready-bench  ## decisions a second, beside other suites
	@$(BIN)/python -W ignore -m trick_experiments.benchmark --game $(GAME) $(if $(PLAYERS),--players $(PLAYERS))

wheel: $(VENV)/ready  ## build the package into dist/
	@$(BIN)/python -m build

clean:  ## remove .venv and what tools leave behind; results/ stays
	rm -rf $(VENV) dist .mypy_cache .pytest_cache .ruff_cache .hypothesis *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
