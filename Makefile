# memoir: `make` lists the targets. Everything is installed into .venv, and nothing outside this folder is changed.

PYTHON := $(shell for name in python3.13 python3.12 python3.11 python3; do $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$name && break; done)
BIN := .venv/bin
# One process more than cores: many tests wait for OpenSearch's refresh.
TEST_PROCESSES = $(shell $(BIN)/python -c 'import os; print(min(4, 1 + (os.cpu_count() or 1)))')
RUN_STAMP := .venv/run.$(shell cksum < requirements.lock | tr ' ' '-')
DEV_STAMP := .venv/dev.$(shell cksum < requirements-dev.lock | tr ' ' '-')
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help install demo up test check bench lock clean

help: ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 18

install: $(DEV_STAMP) ## everything that the other targets need, into .venv

demo: $(RUN_STAMP) ## an agent's day, played on the whole system on loopback
	@$(BIN)/python -m infra.local demo $(ARGS)

up: $(RUN_STAMP) ## the whole system on loopback until Ctrl-C (ARGS="--data DIR", "--embedder NAME", …)
	@$(BIN)/python -m infra.local up $(ARGS)

invoke: $(RUN_STAMP) ## one event to a function of the running system (FN=agent_runtime EVENT=01-register-agent)
	@$(BIN)/python -m infra.local invoke $(or $(FN),agent_runtime) $(or $(EVENT),01-register-agent)

explain: $(RUN_STAMP) ## why a search of the running system finds what it finds (AGENT=id SESSION=name QUERY="…")
	@$(BIN)/python -m infra.local explain --agent "$(AGENT)" $(if $(SESSION),--session "$(SESSION)") "$(QUERY)"

check: $(DEV_STAMP) ## style, types and layers
	@echo "== ruff, mypy, import-linter"
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy shared/memoir functions infra tests
	@$(BIN)/lint-imports --no-logo >.lint-imports.log 2>&1 || { cat .lint-imports.log; rm -f .lint-imports.log; exit 1; }
	@rm -f .lint-imports.log

test: check ## the checks, then every test (ARGS="-k name" chooses)
	@echo "== pytest"
	@$(BIN)/python -m pytest -n $(TEST_PROCESSES) --dist loadscope --no-loadscope-reorder $(ARGS)

bench: $(DEV_STAMP) ## imports, speed and quality; figures, plots and JSON in build/bench (ARGS="speed", ARGS="quality", …)
	@$(BIN)/python -m tests.bench $(ARGS)

schema: $(DEV_STAMP) ## write docs/protocol.schema.json from the models
	@$(BIN)/python -m infra.protocol_schema > docs/protocol.schema.json

lock: ## compile the lock files anew (needs uv)
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --extra local pyproject.toml -o requirements.lock
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --extra local --extra dev -c requirements.lock pyproject.toml -o requirements-dev.lock

clean: ## remove what the others made
	rm -rf .venv .memoir .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "memoir needs Python 3.11 or newer on the PATH"; exit 1; }
	@echo "== making .venv with $(PYTHON)"
	@rm -rf .venv
	@$(PYTHON) -m venv .venv

$(RUN_STAMP): requirements.lock .venv/bin/python
	@echo "== installing what running needs (requirements.lock; once, about a minute)"
	@$(BIN)/python -m pip install --disable-pip-version-check --progress-bar on --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation -e .
	@touch $@

$(DEV_STAMP): requirements-dev.lock $(RUN_STAMP)
	@echo "== installing what tests and checks need (requirements-dev.lock; once, about a minute)"
	@$(BIN)/python -m pip install --disable-pip-version-check --progress-bar on --require-hashes -r requirements-dev.lock
	@touch $@
