# Needs Python 3.11 or newer and make, nothing else. `make help` lists what it does.
.POSIX:

# If this is left alone and `python3` is too old, a newer Python beside it is taken.
PYTHON ?= python3
# The database that `audit` fills and `serve` shows.
DB ?= audit.db
# Test processes.
WORKERS ?= 2
# Where `bench-pages` keeps its archive of 100,000 matches, half a gigabyte, and `bench-peers` other engines.
CACHE ?= .bench
# The engines that `bench-peers` measures beside this one.
PEERS = chess==1.11.2 pokerkit==0.7.7 open_spiel==2.0.2

BIN = .venv/bin
READY = .venv/.ready
PIP = $(BIN)/python -m pip --quiet --disable-pip-version-check

help: ## list the targets
	@awk -F ':.*## ' '/^[-.a-z]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' Makefile

# Exit code 1 says that findings were made. Some fixtures are faulty on purpose, so here that is a success.
audit: $(READY) ## set up, audit the fixtures, keep the verdicts in a database
	@code=0; $(BIN)/auditor audit fixtures --db '$(DB)' || code=$$?; \
	if [ $$code -gt 1 ]; then exit $$code; fi; \
	echo 'browse it with: make serve'

serve: $(READY) ## browse that database
	@test -f '$(DB)' || { echo 'there is no $(DB) yet: run make audit first' >&2; exit 1; }
	$(BIN)/auditor serve '$(DB)'

test: lint ## every check: style, types, layers, tests
	$(BIN)/pytest -n $(WORKERS)

lint: $(READY) ## style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(READY) ## put the code into the one layout, imports in order
	$(BIN)/ruff check --select I --fix .
	$(BIN)/ruff format .

bench: $(READY) ## measure the claimed numbers again
	$(BIN)/python benchmarks/bench.py

bench-peers: $(READY) ## the same, and other engines side by side on their own games, in an environment of their own
	@test -x '$(CACHE)/peers/bin/python' || $(BIN)/python -m venv '$(CACHE)/peers'
	@'$(CACHE)/peers/bin/python' -m pip install --quiet --disable-pip-version-check $(PEERS)
	$(BIN)/python benchmarks/bench.py --peers '$(CACHE)/peers/bin/python'

bench-pages: $(READY) ## measure the pages of a large archive; building it takes a quarter of an hour, once
	$(BIN)/python benchmarks/pages.py '$(CACHE)'

# Its rules are compiled from the same source; it needs a C compiler and Python's headers, and minutes.
wheel-compiled: $(READY) ## a wheel of this machine that audits faster, under dist/; the pure one gives the same verdicts
	AUDITOR_COMPILED=1 $(PIP) wheel --no-deps --no-build-isolation --wheel-dir dist .

# That wheel is unpacked among copies of all else, where it stands in for the source.
test-compiled: wheel-compiled ## the tests of the rules against that wheel
	rm -rf '$(CACHE)/compiled' && mkdir -p '$(CACHE)/compiled'
	$(PIP) install --no-deps --target '$(CACHE)/compiled' dist/auditor-*-*-*_*.whl
	cp -R README.md CHANGELOG.md docs tests fixtures schemas benchmarks pyproject.toml '$(CACHE)/compiled'
	cd '$(CACHE)/compiled' && PYTHONPATH=$$PWD && export PYTHONPATH && \
	  '$(CURDIR)/$(BIN)/python' -c 'import sys; from auditor import tricks; sys.exit(tricks.__file__.endswith(".py"))' && \
	  '$(CURDIR)/$(BIN)/python' -m pytest -n $(WORKERS) --deselect tests/test_docs.py tests/test_*.py tests/*_*/

fixtures: $(READY) ## write the expected verdicts anew; read the diff before you commit it
	$(BIN)/python tests/golden.py --write

screenshots: $(READY) ## pictures of every page, for a person to look at
	$(BIN)/python -m tests.web.screenshots screenshots

clean: ## remove all that the targets above made, database and .venv included
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .bench screenshots
	rm -f '$(DB)' '$(DB)-wal' '$(DB)-shm'
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv: $(READY) ## only set up

.PHONY: help audit serve test lint format bench bench-peers bench-pages wheel-compiled test-compiled \
	fixtures screenshots clean .venv

# A virtual environment that works is kept; only the packages are brought up to date.
$(READY): requirements-dev.txt pyproject.toml
	@usable='import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))'; \
	if ! $(BIN)/python -c 'import pip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	  case '$(PYTHON)' in \
	    python3) names='python3 python3.13 python3.12 python3.11 python3.14' ;; \
	    *) names='$(PYTHON)' ;; \
	  esac; \
	  chosen=; incomplete=; \
	  for name in $$names; do \
	    if $$name -c "$$usable" 2>/dev/null; then chosen=$$name; break; fi; \
	    if $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	      incomplete=$${incomplete:-$$name}; \
	    fi; \
	  done; \
	  if [ -z "$$chosen" ] && [ -n "$$incomplete" ]; then \
	    echo "$$incomplete cannot make virtual environments (no ensurepip): install its venv package" \
	      "(Debian, Ubuntu: apt-get install python3-venv), or name another Python: make PYTHON=..." >&2; \
	    exit 1; \
	  elif [ -z "$$chosen" ]; then \
	    version=$$($(PYTHON) --version 2>&1) || version='not there'; \
	    echo "auditor needs Python 3.11 or newer, and $(PYTHON) is $$version: name another: make PYTHON=..." >&2; \
	    exit 1; \
	  fi; \
	  echo "setting up .venv with $$($$chosen --version): a minute or so, once"; \
	  $$chosen -m venv --clear .venv; \
	fi
	@$(PIP) install -r requirements-dev.txt
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $(READY)
