# Bare `make` prints the targets. Everything runs from .venv, made by `make setup`.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PORT ?= 8000
SEED ?= 1
CLUSTERS ?= 3
MODELS ?= 24
HISTORY ?=
CASES ?=
export PORT SEED CLUSTERS MODELS HISTORY

.PHONY: help setup demo run test check format lint types contracts bench truth score shots docs lock

help: ## print the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  %-14s %s\n", $$1, $$2}'

# Installed again only when the lock file's content changes.
LOCK_SUM := $(shell sha256sum requirements.lock | cut -d' ' -f1)
setup: ## make .venv from the hash-pinned lock file
	@if [ "$$(cat $(STAMP) 2>/dev/null)" != "$(LOCK_SUM)" ]; then \
		$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
			{ echo "Python 3.11 or later is needed: make PYTHON=python3.11"; exit 1; }; \
		echo "Installing into $(VENV): once, a minute or two."; \
		[ -x $(BIN)/python ] || $(PYTHON) -m venv $(VENV); \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock; \
		echo "$(LOCK_SUM)" > $(STAMP); \
	fi

demo: setup ## everything on simulated clusters: PORT, SEED, CLUSTERS, MODELS, HISTORY=7d, WORLD=faulty
	@exec $(BIN)/python manage.py demo

run: setup ## the same against real clusters: PILOTLIGHT_CONTEXTS, KUBECONFIG, PORT
	@exec $(BIN)/python manage.py run

test: setup ## the whole suite; names what did not run for lack of a tool
	@$(BIN)/python -m tests.lanes.suite

check: lint types contracts test ## exactly what CI runs

format: setup ## format and sort
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix .

lint: setup
	@$(BIN)/ruff format --check . && $(BIN)/ruff check .

types: setup
	@$(BIN)/mypy .

contracts: setup
	@$(BIN)/lint-imports
	@$(BIN)/python manage.py makemigrations --check --dry-run

bench: setup ## benchmarks, one JSON line each
	@$(BIN)/python -m benchmarks.run

truth: setup ## starts, requests and causes against the truth of the simulator: HOURS, MINUTES
	@$(BIN)/python -m benchmarks.truth

score: setup ## the diagnosis on kept incidents, per cause: CASES=file
	@$(BIN)/python -m benchmarks.score $(CASES)

shots: setup ## retake the README's screenshots from the seeded demo
	@$(BIN)/python -m tests.lanes.shots

docs: setup ## write what the documents take from the code
	@$(BIN)/python -m tests.lanes.docs

lock: setup ## remake both lock files from pyproject.toml
	@$(BIN)/uv lock --quiet
	@$(BIN)/uv export --quiet --frozen --all-groups --no-emit-project --no-header -o requirements.lock
	@$(BIN)/uv export --quiet --frozen --no-default-groups --no-emit-project --no-header -o requirements-run.lock
