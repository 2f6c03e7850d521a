# Every target makes the environment it needs in .venv; nothing but Python 3.11 or newer is asked
# for. ARGS reach the program: make serve ARGS="--port 9093", make test ARGS="-k fetch". SUITES says
# which tests: make test SUITES=tests.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
PACKAGES := antechamber broker pipeline protocol purgatories recorder
CODE := $(PACKAGES) tests integration benchmarks demo docs hatch_build.py
SUITES ?= tests integration
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

.PHONY: help serve demo test simulate fuzz check format docs docs-site bench bench-purgatory parity methods clients clean
.SILENT:

help:  ## list the targets
	sed -n 's/^\([a-z-]*\):.*##/make \1:/p' $(MAKEFILE_LIST)

serve: .venv/.installed  ## start a broker on 127.0.0.1:9092
	exec $(BIN)/antechamber serve $(ARGS)

demo: .venv/.developing  ## a busy cluster is recorded, and Spark says why its requests waited
	$(BIN)/python -m demo $(ARGS)

# A process a suite: Spark's Python side cannot have a descriptor above 1023 (it uses select).
test: check docs-site  ## check, build the documentation site, run every test this machine can run
	for suite in $(SUITES); do $(BIN)/python -m pytest $$suite $(ARGS) || exit $$?; done

simulate: .venv/.developing  ## a cluster in virtual time, with faults, by thousands of seeds
	$(BIN)/python -m tests.simulation --seeds 3000 $(ARGS)

# FRAMES says how many; HYPOTHESIS_PROFILE=fresh draws other examples in each run.
FRAMES ?= 2000000
fuzz: .venv/.developing  ## hostile clients beside an honest one, and fresh examples of random search
	HYPOTHESIS_PROFILE=fresh $(BIN)/python -m pytest tests -m hypothesis -q
	$(BIN)/python -m integration.fuzz --frames $(FRAMES) $(ARGS)

simulate-groups: .venv/.developing  ## random requests to a group coordinator, by thousands of seeds
	$(BIN)/python -m tests.broker.groups.model $(ARGS)

check: .venv/.developing  ## format, lint, types and arrows
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --quiet --check .
	$(BIN)/mypy --no-error-summary $(CODE)
	$(BIN)/lint-imports --no-logo > .venv/arrows.txt || { cat .venv/arrows.txt; exit 1; }

format: .venv/.developing  ## put the code into its format
	$(BIN)/ruff check --quiet --fix .
	$(BIN)/ruff format --quiet .

docs: .venv/.developing  ## write the generated pages of docs/
	$(BIN)/python -m docs.generate

docs-site: .venv/.developing  ## build the documentation site in build/site; every warning is an error
	$(BIN)/python -W ignore::DeprecationWarning -m sphinx --quiet --fail-on-warning --keep-going \
		-d build/site.cache docs build/site

bench: .venv/.developing  ## compare with librdkafka's mock and, where there is a JVM, with Kafka
	$(BIN)/python -m benchmarks $(ARGS)

bench-purgatory: .venv/.developing  ## the purgatory alone, after Kafka's own benchmark
	$(BIN)/python -m benchmarks.purgatory $(ARGS)

parity: .venv/.developing  ## play every scenario to a real Kafka, too; writes docs/reference/parity.md
	$(BIN)/python -m integration.parity $(ARGS)

methods: .venv/.developing  ## compare a library's client methods with a real Kafka: ARGS="LIBRARY [TEXT]"
	$(BIN)/python -W ignore -m integration.methods $(ARGS)

clients: .venv/.developing  ## the oldest installable and the pinned client libraries against ours
	ANTECHAMBER_REQUIRE=clients $(BIN)/python -m pytest integration/test_old_clients.py $(ARGS)

programs: .venv/.developing  ## programs that people run with Kafka, one small check each
	ANTECHAMBER_REQUIRE=programs $(BIN)/python -m pytest integration/test_programs.py -rs $(ARGS)

outside: .venv/.developing  ## test suites of other projects on ours and on a real Kafka
	$(BIN)/python -m integration.outside $(ARGS)

clean:  ## remove the environment and everything made by tools
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -prune -exec rm -rf {} +

.venv/bin/python:
	test -n "$(PYTHON)" || { echo "make: Python 3.11 or newer is needed; none was found" >&2; exit 1; }
	$(PYTHON) -m venv .venv || { rm -rf .venv; \
		echo "make: '$(PYTHON) -m venv' failed; on Debian: apt-get install python3-venv" >&2; exit 1; }

.venv/.installed: pyproject.toml | .venv/bin/python
	echo "making the environment in .venv ..." >&2
	$(PIP) install --editable .
	touch $@

.venv/.developing: pyproject.toml | .venv/.installed
	echo "adding the tools of developers ..." >&2
	$(PIP) install --upgrade 'pip>=25.1'
	$(PIP) install --group dev
	touch $@
