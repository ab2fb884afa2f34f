# make run, make install, make web, make worker; make test, make test-all, make check, make matrix,
# make bench, make trace, make prove-money, make prove-hosts, make screenshots, make lighthouse,
# make observatory, make lock, make sbom, make audit.
# What they do is written in manage.py's commands and in pyproject.toml; here is only the
# environment that these need.

VENV ?= .venv
PYTHON ?= $(shell command -v python3.11 || command -v python3 || echo python3)
BIN := $(VENV)/bin
# Only what a .lock file names is installed, and only where its hash is the one written there.
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check --retries 2 --require-hashes
TOOLS := $(VENV)/tools

# Where Python is told to write no bytecode, each of the many processes of the tests compiles all of
# the product anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run install web worker test test-all check check-types check-rest matrix bench trace prove-money prove-hosts screenshots lighthouse observatory lock sbom audit
.DEFAULT_GOAL := run

run: $(VENV)/run.stamp
	@exec $(BIN)/python manage.py demo $(if $(FRESH),--fresh)

# What a host runs, without the demo and its data. Which files are served says no setting, so those
# of .env.example do for collecting them.
install: $(VENV)/run.stamp
	@set -a; . ./.env.example; set +a; $(BIN)/python manage.py collectstatic --no-input --verbosity 0
	@echo "Installed: $$($(BIN)/python manage.py --version), in $(VENV)."
	@if [ -e .env ]; then \
	  echo "Next: $(BIN)/python manage.py lending_check, then release (at first createsuperuser too), then make web and make worker."; \
	else \
	  echo "Next: $(BIN)/python manage.py settings --write, which asks seven questions and writes .env."; \
	  echo "With systemd the settings are elsewhere: see docs/operate.md."; \
	fi

# A process of the Procfile, with what is installed here.
web worker: $(VENV)/run.stamp
	@PATH="$(abspath $(BIN)):$$PATH" exec sh -c "exec $$(sed -n 's/^$@: //p' Procfile)"

PYTEST = $(BIN)/python -m pytest -rs -n auto --dist loadfile --no-loadscope-reorder --ignore tests/lints

# What a change needs within minutes; test-all also runs what is marked exhaustive or a drill.
# ARGS goes to pytest: make test ARGS="tests/lending -q". CHANGED=1 leaves out what the last change
# cannot break, CHANGED=REV what all since that revision cannot.
test: $(VENV)/test.stamp
	@$(PYTEST) -m "not exhaustive and not drill" $(if $(CHANGED),--changed $(CHANGED)) $(ARGS)

test-all: $(VENV)/test.stamp
	@$(PYTEST) $(ARGS)

# The same on each Python of this machine with each Django: make matrix ARGS="tests/lending"
matrix: $(VENV)/run.stamp
	@$(BIN)/python -m tests.matrix $(ARGS)

# Every tracked file, in parts, side by side; nothing is asked of a network. The words are example
# passwords, the rest are keys of .env.example: "replace-me" and "please-replace" in base64.
SCAN = xargs -0 -n 150 -P 4 $(BIN)/detect-secrets-hook --no-verify \
  --exclude-secrets '^(password|demo|sandbox-secret|Bearer|cmVwbGFjZS1tZS.*|cGxlYXNlLXJlcGxhY2.*)$$'

# Production settings are those of .env.example, with the keys that everybody makes alone.
PRODUCTION = set -a; . ./.env.example; \
  DATA_KEYS=$$($(BIN)/python manage.py new_data_key); SECRET_KEY=$$DATA_KEYS$$DATA_KEYS; PEOPLE_KEYS=$$DATA_KEYS; AUDIT_KEYS=$$DATA_KEYS;

# Two halves side by side, each with its output in one piece.
check: $(VENV)/test.stamp
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target check-types check-rest

check-types:
	$(BIN)/mypy lendingadmin
	$(BIN)/bandit --quiet --configfile pyproject.toml --recursive lendingadmin
	$(BIN)/lint-imports --no-cache --no-logo

check-rest:
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	@echo detect-secrets over all tracked files; git ls-files --error-unmatch Makefile >/dev/null
	@git ls-files -z -- . ':!tests' | $(SCAN)
	@git ls-files -z -- tests | $(SCAN) --disable-plugin KeywordDetector  # their passwords are words
	$(BIN)/djlint templates --lint --quiet
	$(BIN)/python -m pytest -q tests/lints
	@echo manage.py check --deploy; $(PRODUCTION) \
	  $(BIN)/python manage.py check --deploy --fail-level WARNING
	@echo manage.py makemigrations --check; $(PRODUCTION) DATABASE_URL=sqlite://; \
	  $(BIN)/python manage.py makemigrations --check --dry-run
	@echo the same for the sandbox; DJANGO_SETTINGS_MODULE=lendingadmin.sandbox.settings \
	  $(BIN)/python manage.py makemigrations --check --dry-run

bench: $(VENV)/test.stamp
	@$(BIN)/python -m tests.benchmarks.pages
	@$(BIN)/python -m tests.benchmarks.years
	@$(BIN)/python -m tests.benchmarks.crowd
	@$(BIN)/python -m tests.benchmarks.people
	@$(BIN)/python -m tests.benchmarks.queues

# How many functions and files one request runs through.
trace: $(VENV)/test.stamp
	@$(BIN)/python -m tests.trace

# Every page in every state, light and dark, at 1440 and 390: make screenshots FOLDER=/tmp/pictures
screenshots: $(VENV)/test.stamp
	@$(BIN)/python -m tests.browser.shoot $(or $(FOLDER),var/screenshots)

# Needs Node 18 or newer, whose client fetches Lighthouse itself: make lighthouse RUNS=5
lighthouse: $(VENV)/test.stamp
	@$(BIN)/python -m tests.lighthouse $(if $(RUNS),--runs $(RUNS))

# The grade of MDN's HTTP Observatory, and 1 below A+. Needs Node 20 or newer, whose client fetches it, and nginx.
observatory: $(VENV)/test.stamp
	@$(BIN)/python -m tests.observatory

# An hour or so; PROOF_EVERY=8 takes every eighth point. On PostgreSQL: make prove-money DATABASE_URL=postgres://user:password@host/postgres
prove-money: $(VENV)/test.stamp
	@$(BIN)/python -m tests.proof

# Some ten minutes; needs nginx and openssl, and takes redis-server where it is. Two hosts need PostgreSQL.
prove-hosts: $(VENV)/test.stamp
	@$(BIN)/python -m tests.proof.prove_hosts

# After a change of requirements.txt. What the lines do not name stays as it is; make lock
# ARGS=--upgrade takes the newest of it. Each lock has the hashes for every platform and Python.
LOCK = $(TOOLS)/bin/uv pip compile --quiet --python $(BIN)/python --no-python-downloads --universal \
  --python-version 3.11 --generate-hashes --no-emit-index-url --no-strip-extras \
  --custom-compile-command "make lock" $(ARGS)

lock: $(VENV)/tools.stamp
	@$(LOCK) requirements.txt --output-file requirements.lock
	@$(LOCK) requirements-sentry.txt --constraint requirements.lock --output-file requirements-sentry.lock
	@$(LOCK) tests/requirements.txt --constraint requirements.lock --output-file tests/requirements.lock
	@$(LOCK) tests/tools.txt --output-file tests/tools.lock

# What the product runs on, as CycloneDX: make sbom FILE=/tmp/sbom.json
sbom: $(VENV)/tools.stamp
	@mkdir -p var
	@$(TOOLS)/bin/cyclonedx-py requirements requirements.lock --output-reproducible \
	  --output-file $(or $(FILE),var/sbom.json)
	@echo written: $(or $(FILE),var/sbom.json)

# Known vulnerabilities of what the product runs on; asks the package index for them.
audit: $(VENV)/tools.stamp
	@$(TOOLS)/bin/pip-audit --requirement requirements.lock --require-hashes --disable-pip --strict \
	  --progress-spinner off >$(VENV)/audit.log 2>&1; code=$$?; cat $(VENV)/audit.log; \
	  if [ $$code -ne 0 ] && ! grep -q '^Found' $(VENV)/audit.log; then \
	    echo "Nothing is known: the data about vulnerabilities could not be had from here." >&2; fi; exit $$code

# make would pass over a PYTHON that is named once $(VENV) is there.
MADE_BY = -c 'import os, sys; print(os.path.realpath(sys._base_executable))'
ifneq ($(origin PYTHON),file)
$(VENV)/run.stamp: | named-python
endif
.PHONY: named-python
named-python:
	@[ ! -x $(BIN)/python ] || made="$$($(BIN)/python $(MADE_BY))"; [ "$${made:=}" = "" ] || \
	  [ "$$made" = "$$($(PYTHON) $(MADE_BY))" ] || \
	  { echo "$(VENV) was made by $$made, not by $(PYTHON): remove it (rm -r $(VENV)), then do this again." >&2; exit 1; }

$(VENV)/run.stamp: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "Python 3.11 or newer is needed, and $(PYTHON) is not: name one with make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@echo "Installing into $(VENV)…"
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 || \
	  { echo "$(PYTHON) cannot make $(VENV): install its venv package (Debian: apt install python3-venv)" >&2; exit 1; }
	@$(PIP) -r requirements.lock >$(VENV)/install.log 2>&1 || \
	  { echo "requirements.lock could not be installed; is there a network? Details: $(VENV)/install.log" >&2; exit 1; }
	@touch $@

$(VENV)/test.stamp: $(VENV)/run.stamp tests/requirements.lock
	@$(PIP) -r tests/requirements.lock >$(VENV)/install.log 2>&1 || \
	  { echo "tests/requirements.lock could not be installed; is there a network? Details: $(VENV)/install.log" >&2; exit 1; }
	@touch $@

$(VENV)/tools.stamp: $(VENV)/run.stamp tests/tools.lock
	@$(BIN)/python -m venv $(TOOLS)
	@$(PIP:$(BIN)/%=$(TOOLS)/bin/%) -r tests/tools.lock >$(VENV)/install.log 2>&1 || \
	  { echo "tests/tools.lock could not be installed; is there a network? Details: $(VENV)/install.log" >&2; exit 1; }
	@touch $@
