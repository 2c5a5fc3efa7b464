# Every target sets up what it needs: `make run` and `make test` work on a fresh Debian machine
# with python3 (3.11 or later, with venv), git and make.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PORT ?= 8080
# The first interpreter that Lambda has too: what is built here must also run there.
PYTHON = $(shell for name in python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$name" -c 'import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' \
	2>/dev/null && echo "$$name" && break; done)
BIN := .venv/bin
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check --no-input --no-deps

# Nothing SAM CLI does here needs an account or the network: it has a region of no consequence,
# no credentials, no telemetry, and a home in which it finds that its version was just checked.
SAM_HOME := .venv-sam/home
SAM := AWS_DEFAULT_REGION=eu-west-1 AWS_EC2_METADATA_DISABLED=true SAM_CLI_TELEMETRY=0 \
	__SAM_CLI_APP_DIR=$(CURDIR)/$(SAM_HOME) PATH="$(CURDIR)/$(BIN):$$PATH" .venv-sam/bin/sam

# The built artefact is for this machine, so that the tests can run it. For a deployment give
# RUNTIME=python3.13 ARCHITECTURE=arm64 (the template's defaults); that interpreter must be on PATH.
RUNTIME ?= $(shell $(BIN)/python -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
ARCHITECTURE ?= $(if $(filter aarch64 arm64,$(shell uname -m)),arm64,x86_64)
BUILT := .aws-sam/build
EXAMPLE := examples/chat/template.yaml
SOURCES = template.yaml samconfig.toml $(shell find functions shared infra/dependencies \
	-type f -not -path '*/__pycache__/*')

.PHONY: help install run test check generate lock build bench browser chaos storm conformance clean FORCE

help:
	@echo "make run [PORT=8080] [RELOAD=1]  the whole system on this machine"
	@echo '         [FAULTS="storm" SEED=7]  ... with what AWS leaves open (docs/local.md, Switches)'
	@echo "make test [ARGS=...]             every test"
	@echo "make check                       format, lint, types, imports, template, generated files"
	@echo "make build                       what is deployed, in $(BUILT)"
	@echo "make chaos [N=10000] [SEED=1]    random histories of tables, faults and all, under a referee"
	@echo "make storm [GAMES=2000] [SEED=1] real games on the whole system while everything goes wrong"
	@echo "make bench                       speed, size and memory, measured"
	@echo "make conformance                 docs/conformance.md, from what the tests say"
	@echo "make generate                    the files that say they are generated"
	@echo "make lock [UPGRADE=1]            the lock and the layer's requirements, from pyproject.toml"
	@echo "make install | browser | clean   what the others call by themselves; and away with it all"

install: .venv/.installed

.venv/.installed: requirements.lock
	@[ -x $(BIN)/python -o -n "$(PYTHON)" ] || { echo "Tabiya needs Python 3.11 to 3.14 with venv (Debian: apt install python3-venv)." >&2; exit 1; }
	@[ -x $(BIN)/python ] || "$(PYTHON)" -m venv .venv
	$(BIN)/python $(PIP_INSTALL) -r requirements.lock
	@touch $@

.venv-sam/.installed: requirements-sam.lock .venv/.installed
	@[ -x .venv-sam/bin/python ] || $(BIN)/python -m venv .venv-sam
	.venv-sam/bin/python $(PIP_INSTALL) -r requirements-sam.lock
	@mkdir -p $(SAM_HOME)
	@echo '{"telemetryEnabled": false, "lastVersionCheck": 4102444800.0}' > $(SAM_HOME)/metadata.json
	@touch $@

# Imported once for all workers, which share the memory. Nothing of shared.runtime: it reads the
# environment of its function as it is imported. With RELOAD=1 each worker imports `shared` itself.
PRELOAD := aws_lambda_powertools.metrics chess itsdangerous msgspec pynamodb.models \
	shared.delivery.posts shared.gate.tokens shared.service.act shared.store.players shared.store.tables

run: install
	@exec $(BIN)/python -m infra.local --name Tabiya --port $(PORT) $(if $(RELOAD),--reload) \
		$(foreach one,$(FAULTS),--fault $(one)) $(if $(SEED),--seed $(SEED)) \
		$(addprefix --preload ,$(PRELOAD))

browser: install
	@$(BIN)/python -m infra.tools.browser

test: install browser build
	@$(BIN)/python -m pytest $(ARGS)

# The page says what the tests say: those that name a fact of tests/conformance/facts.
conformance: install
	@$(BIN)/python -m pytest -q -m fact --write-conformance tests/unit/local tests/integration/local

check: install .venv-sam/.installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(SAM) validate
	$(SAM) validate --lint
	$(SAM) validate --template $(EXAMPLE)
	$(SAM) validate --lint --template $(EXAMPLE)
	$(BIN)/python -m infra.tools.fresh

generate: install
	$(BIN)/python -m infra.tools.fresh --write

build: $(BUILT)/template.yaml

# SAM leaves out compiled files, and without them an import takes three times as long on Lambda.
# "unchecked-hash": Lambda's file system keeps no times that a compiled file could be compared with.
$(BUILT)/template.yaml: $(SOURCES) .venv-sam/.installed .aws-sam/built-for
	$(SAM) build --parameter-overrides PythonRuntime=$(RUNTIME) Architecture=$(ARCHITECTURE)
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(RUNTIME) -m compileall -q -j 0 --invalidation-mode unchecked-hash $(BUILT)
	@touch $@

# Changes only when the interpreter or the processor does, and then everything is built anew.
.aws-sam/built-for: .venv/.installed FORCE
	@mkdir -p .aws-sam
	@echo "$(RUNTIME) $(ARCHITECTURE)" | cmp -s - $@ || echo "$(RUNTIME) $(ARCHITECTURE)" > $@

COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-strip-extras --no-emit-index-url --no-emit-find-links \
	--custom-compile-command "make lock" $(if $(UPGRADE),--upgrade)

# The one target that may start without a lock: it installs nothing but its own tool.
lock:
	@[ -x $(BIN)/python ] || "$(PYTHON)" -m venv .venv
	@[ -x $(BIN)/uv ] || $(BIN)/python $(PIP_INSTALL) "$$(sed -n 's/.*"\(uv==[^"]*\)".*/\1/p' pyproject.toml)"
	$(COMPILE) --group local --group dev pyproject.toml -o requirements.lock
	$(COMPILE) --group sam -o requirements-sam.lock
	$(MAKE) --no-print-directory generate

chaos: install
	@$(BIN)/python -m tests.chaos $(or $(N),10000) $(or $(SEED),1)

storm: install
	@$(BIN)/python -m tests.storm $(or $(GAMES),200) $(or $(SEED),1)

bench: install build
	@$(BIN)/python -m tests.load.bench

clean:
	rm -rf .venv .venv-sam .aws-sam .local .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
