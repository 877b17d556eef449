# Everything a newcomer needs. `make` alone prints the list.
# Needs only make and Python 3.11 or newer with its venv module.

PYTHON ?= python3
VENV   ?= .venv

PY     := $(VENV)/bin/python
PIP    := $(PY) -m pip --disable-pip-version-check -qq
CORTEX := $(PY) -m cortex
WORKERS ?= auto
SET    ?=
SETS   ?= $(SET)
FRAMEWORKS ?= langchain agent-framework google-adk llama-index pydantic-ai

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help try test lint bench soak e2e-openclaw e2e-hosts e2e-frameworks e2e-qmd eval recall-table docs site screenshots package models debian qmd clean

help: ## Print this list
	@echo "Cortex: long-term memory for AI agents"
	@echo
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@echo
	@echo "  PYTHON=$(PYTHON)  VENV=$(VENV)"

try: $(VENV)/.local models ## Remember and recall a bundled sample, with reasons
	@$(PY) examples/try.py --home .try

test: lint models debian ## Check style and types, then run the tests
	$(PY) -m pytest -n $(WORKERS) --dist loadgroup -m "not slow" -q

lint: $(VENV)/.dev ## Check style and types only
	$(PY) -m ruff check .
	$(PY) -m mypy

bench: $(VENV)/.dev models ## Measure speed beside plain baselines (ARGS=--quick for a minute)
	$(PY) -m bench.run $(ARGS)
	$(PY) docs/generate.py --bench

soak: $(VENV)/.dev models ## Kill 1,000 processes and count what is lost, then run the long tests (ARGS="--kills 100")
	$(PY) -m bench.soak $(ARGS)
	$(PY) -m pytest -m slow -q
	$(PY) -m pytest -n $(WORKERS) --dist loadgroup -m "hypothesis and not slow" --hypothesis-profile soak -q

eval: $(VENV)/.local models ## Measure recall on one set: make eval SET=path/to/set
	@test -n "$(SET)" || { echo "give the directory of a set: make eval SET=path/to/set (see docs/recall.md)"; exit 2; }
	@$(CORTEX) eval $(SET) $(ARGS)

recall-table: $(VENV)/.dev models ## Measure sets and write the tables of the docs: make recall-table SETS="a b"
	@test -n "$(SETS)" || { echo 'give directories of sets: make recall-table SETS="path/one path/two"'; exit 2; }
	$(PY) -m bench.recall_table $(SETS) --into docs/recall.md --cache build/vectors $(ARGS)
	$(PY) docs/generate.py

docs: $(VENV)/.dev ## Rewrite the generated parts of the docs
	$(PY) docs/generate.py

site: $(VENV)/.dev ## Build the documentation as a site, into build/site
	NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict

screenshots: $(VENV)/.dev models debian ## Take new screenshots of the dashboard for the docs
	@fc-list 2> /dev/null | grep -q NotoColorEmoji || echo "no emoji font: install fonts-noto-color-emoji and fonts-noto-cjk first"
	$(PY) docs/screenshots.py

package: $(VENV)/.dev ## Build the wheel and the source distribution, into dist
	rm -rf dist
	$(PY) -m build

debian: ## Install what the tests need from Debian, as root: Chromium and PgBouncer
	@missing=; PATH="$$PATH:/usr/sbin"; \
	  command -v chromium > /dev/null || test -n "$(CORTEX_CHROMIUM)" || missing="chromium fonts-inter"; \
	  command -v chromium-headless-shell > /dev/null || test -n "$(CORTEX_CHROMIUM)" || missing="$$missing chromium-headless-shell"; \
	  command -v pgbouncer > /dev/null || missing="$$missing pgbouncer"; \
	  test -z "$$missing" || test "$$(id -u)" != 0 || ! command -v apt-get > /dev/null \
	  || { echo "installing $$missing …"; apt-get update -qq; \
	       for each in $$missing; do DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $$each > /dev/null; done; } \
	  || true
	@command -v chromium > /dev/null || test -n "$(CORTEX_CHROMIUM)" \
	  || echo "no Chromium: the tests of the dashboard are skipped; install it, or name one with CORTEX_CHROMIUM"

models: | $(VENV)/.installed ## Download the models once (about 70 MB)
	@$(CORTEX) models fetch

e2e-openclaw: $(VENV)/.dev models ## Run OpenClaw with Cortex as its memory, end to end (650 MB, needs npm's registry)
	$(PY) plugins/openclaw/setup_host.py .openclaw $(OPENCLAW_VERSION)
	$(PY) plugins/openclaw/check_release.py --host .openclaw
	CORTEX_OPENCLAW=$(CURDIR)/.openclaw $(PY) -m pytest tests/hosts -m slow -q

e2e-hosts: $(VENV)/.dev models ## Run Claude Code, Codex, Gemini CLI and OpenCode with Cortex (1.3 GB, needs npm's registry)
	$(PY) tests/hosts/setup_agents.py .hosts
	CORTEX_HOSTS=$(CURDIR)/.hosts $(PY) -m pytest tests/hosts/test_coding_agents.py -m slow -q

e2e-frameworks: ## Run the adapters of agent frameworks and their examples against the real packages (1 GB)
	@for extra in $(FRAMEWORKS); do \
	  echo "$$extra …"; \
	  $(PYTHON) -m venv .frameworks/$$extra \
	    && .frameworks/$$extra/bin/python -m pip --disable-pip-version-check -qq install -e ".[$$extra,serve,client]" pytest hypothesis \
	    && CORTEX_FRAMEWORK=$$extra .frameworks/$$extra/bin/python -m pytest tests/integrations -q || exit 1; \
	done

e2e-qmd: $(VENV)/.dev models qmd ## Search files with the real qmd, within its limits (310 MB, needs npm's registry)
	CORTEX_QMD=$(CURDIR)/.qmd/node_modules/.bin/qmd $(PY) -m pytest tests/engine/test_qmd_real.py -m slow -q -s

qmd: ## Install qmd into .qmd, so that its tests run with the real one (needs npm, 310 MB)
	npm install --prefix .qmd --no-audit --no-fund node@22
	PATH="$(CURDIR)/.qmd/node_modules/.bin:$$PATH" npm install --prefix .qmd --ignore-scripts --omit=optional \
	  --no-audit --no-fund @tobilu/qmd@2.8.3

clean: ## Remove the environment, the sample and all caches of the checkout
	rm -rf $(VENV) .try .qmd .hosts .frameworks .mypy_cache .ruff_cache .pytest_cache .hypothesis bench/results build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- the environment: made once, and again when pyproject.toml changes ---------------------------

$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Cortex needs Python 3.11 or newer; choose one with: make PYTHON=python3.12 …"; exit 1; }
	@$(PYTHON) -m venv $(VENV) \
	  || { rm -rf $(VENV); echo "python3 cannot make environments; on Debian: apt install python3-venv"; exit 1; }

$(VENV)/.local: pyproject.toml | $(PY)
	@echo "installing into $(VENV) …"
	@$(PIP) install -e '.[all]'
	@touch $@ $(VENV)/.installed

$(VENV)/.dev: pyproject.toml | $(PY)
	@echo "installing into $(VENV), with what the tests need …"
	@$(PIP) install -e '.[dev]'
	@touch $@ $(VENV)/.local $(VENV)/.installed

$(VENV)/.installed: | $(PY)
	@$(MAKE) --no-print-directory $(VENV)/.local
