# Every target creates the environment it needs in .venv; only Python 3.11 or newer is required.
# ARGS are passed to the program: make serve ARGS="--port 9093", make test ARGS="-k fetch".
# SUITES selects the tests: make test SUITES=tests. WORKERS=0 runs them in one process.
# BUILD=compiled tests the broker with its hot modules compiled. `make serve` compiles them if it can;
# BUILD=pure serves without. PROFILED=1 compiles them as the wheels for Linux are: that takes
# longer, and a request less time.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PACKAGES := antechamber broker pipeline protocol purgatories recorder
CODE := $(PACKAGES) compiling tests integration benchmarks demo docs hatch_build.py
# A copy of the packages with extension modules beside the source; first on the path it is the broker.
COMPILED := $(CURDIR)/build/compiled
SUITES ?= tests integration
WORKERS ?= auto
# The files of tests marked `long` take minutes; `make long` runs them, and `make test` leaves them out.
MARKED ?= not long
# Installations that take long show their progress in a terminal.
# PYTHONSAFEPATH: a broker that a test starts here would otherwise find the source first.
TESTED := $(if $(filter compiled,$(BUILD)),\
	PYTHONSAFEPATH=1 PYTHONPATH=$(COMPILED):$(CURDIR) $(BIN)/python -m pytest \
	--override-ini 'pythonpath=$(COMPILED) .',\
	$(BIN)/python -m pytest) -n $(WORKERS) -m "$(MARKED)"
PIP := $(BIN)/python -m pip --disable-pip-version-check $(shell test -t 2 || echo --quiet)

.PHONY: help serve compiled demo test suites long image simulate simulate-groups \
	simulate-share-groups fuzz check lint types types-on-windows arrows format docs docs-site \
	bench bench-purgatory atlas parity share-programs methods clients programs outside lock dist clean
.SILENT:

help:  ## list the targets
	sed -n 's/^\([a-z-]*\):.*##/make \1:/p' $(MAKEFILE_LIST)

serve: .venv/.installed  ## start a broker on 127.0.0.1:9092, compiled where that is possible
	if test "$(BUILD)" != pure && $(MAKE) compiled; then export PYTHONPATH=$(COMPILED); fi; \
		exec $(BIN)/antechamber serve $(ARGS)

compiled: .venv/.compiling  ## compile the hot modules of the broker into build/compiled
	$(BIN)/python -m compiling $(if $(PROFILED),--optimization=profiled)

demo: .venv/.developing  ## record a busy cluster and analyze with Spark why its requests waited
	$(BIN)/python -m demo $(ARGS)

# Each suite has processes of its own: Spark's Python side uses select, which allows no descriptor
# above 1023.
test: check docs-site suites  ## check, build the documentation site, run the tests that this machine can run

suites: .venv/.developing $(if $(filter compiled,$(BUILD)),compiled)
	for suite in $(SUITES); do $(TESTED) $$suite $(ARGS) || exit $$?; done

long: .venv/.developing  ## run the tests whose files take minutes, which make test leaves out
	$(MAKE) --no-print-directory suites SUITES=integration MARKED=long

# BASE is the base image, where python:3.13-slim cannot be pulled.
image:  ## build the image of the broker, antechamber, with Docker
	docker build --file docker/Dockerfile $(if $(BASE),--build-arg BASE=$(BASE)) --tag antechamber .

simulate: .venv/.developing simulate-share-groups  ## simulate clusters with faults in virtual time, from thousands of seeds
	$(BIN)/python -m tests.simulation --seeds 3000 $(ARGS)

simulate-share-groups: .venv/.developing  ## the part of make simulate that has share groups
	$(BIN)/python -m tests.simulation.share_groups --seeds 3000 $(ARGS)

# FRAMES is the number of frames; HYPOTHESIS_PROFILE=fresh draws other examples in each run.
FRAMES ?= 2000000
fuzz: .venv/.developing  ## send invalid requests, and draw fresh random examples
	HYPOTHESIS_PROFILE=fresh $(BIN)/python -m pytest tests -m hypothesis -q
	ANTECHAMBER_TRACES=4000 $(BIN)/python -m pytest integration/test_purgatory_trace.py -q
	ANTECHAMBER_FRESH=1 $(BIN)/python -m pytest -q $(addprefix integration/test_,controller_trace.py \
		assignors.py streams_assignors.py streams_reconciliation.py streams_topologies.py)
	$(BIN)/python -m integration.fuzz.stops --stops 200
	$(BIN)/python -m integration.fuzz --frames $(FRAMES) $(ARGS)

simulate-groups: .venv/.developing  ## send random requests to a group coordinator, from thousands of seeds
	$(BIN)/python -m tests.broker.groups.model $(ARGS)

check: lint types types-on-windows arrows  ## check format, lint, types and imports

lint: .venv/.developing
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --quiet --check .

types: .venv/.developing
	$(BIN)/mypy --no-error-summary $(CODE)

types-on-windows: .venv/.developing
	$(BIN)/mypy --no-error-summary --platform win32 --cache-dir .mypy_cache/windows $(PACKAGES)

arrows: .venv/.developing
	$(BIN)/lint-imports --no-logo > .venv/arrows.txt || { cat .venv/arrows.txt; exit 1; }

format: .venv/.developing  ## format the code
	$(BIN)/ruff check --quiet --fix .
	$(BIN)/ruff format --quiet .

docs: .venv/.developing  ## write the generated pages of docs/
	$(BIN)/python -m docs.generate

docs-site: .venv/.developing  ## build the documentation site in build/site; every warning is an error
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going \
		-d build/site.cache docs build/site

bench: .venv/.developing  ## compare the speed with other brokers; writes docs/reference/speed.md
	$(BIN)/python -m benchmarks --write $(ARGS)

bench-purgatory: .venv/.developing  ## measure the purgatory alone, as Kafka's own benchmark does
	$(BIN)/python -m benchmarks.purgatory $(ARGS)

atlas: .venv/.developing  ## measure where latency comes from; writes docs/explanation/atlas.md
	$(BIN)/python -m benchmarks.atlas $(ARGS)

parity: .venv/.developing  ## run every scenario on a real Kafka too; writes docs/reference/parity.md
	$(BIN)/python -m integration.parity $(ARGS)

share-programs: .venv/.developing  ## compare random programs about share groups with a real Kafka
	$(BIN)/python -m integration.parity.share_comparison $(ARGS)

methods: .venv/.developing  ## compare the methods of a client library with a real Kafka: ARGS="LIBRARY [TEXT]"
	$(BIN)/python -W ignore -m integration.methods $(ARGS)

clients: .venv/.developing  ## test with the oldest installable and the pinned client libraries
	ANTECHAMBER_REQUIRE=clients $(BIN)/python -m pytest integration/test_old_clients.py $(ARGS)

programs: .venv/.developing  ## run one small check of each program that is used with Kafka
	ANTECHAMBER_REQUIRE=programs $(BIN)/python -m pytest integration/test_programs.py -rs $(ARGS)

outside: .venv/.developing  ## run test suites of other projects on this broker and on a real Kafka
	$(BIN)/python -m integration.outside $(ARGS)

# The files name neither an index nor this machine; an index may serve another build of a version.
lock: .venv/.developing  ## write the versions and hashes of all dependencies into locks/
	for name in runtime dev; do \
		case $$name in dev) groups="--group dev --all-extras";; *) groups="";; esac; \
		$(BIN)/uv pip compile pyproject.toml $$groups --quiet --upgrade --generate-hashes \
			--universal --python-version 3.11 --native-tls \
			--no-header --no-annotate --no-emit-index-url --output-file locks/$$name.txt \
			|| exit $$?; done

# TAG, if set, must be that of the version.
dist: .venv/.developing  ## build and check the distributions in dist/, with the list of dependencies
	$(BIN)/python -m docs.release $(TAG)
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist .
	$(BIN)/twine check --strict dist/*
	$(BIN)/cyclonedx-py requirements locks/runtime.txt --pyproject pyproject.toml --mc-type library \
		--output-reproducible --output-file dist/antechamber.cdx.json

clean:  ## remove the environment and all generated files
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -prune -exec rm -rf {} +

$(BIN)/python:
	test -n "$(PYTHON)" || { echo "make: Python 3.11 or newer is required and was not found" >&2; exit 1; }
	$(PYTHON) -m venv .venv || { rm -rf .venv; \
		echo "make: '$(PYTHON) -m venv' failed; on Debian: apt-get install python3-venv" >&2; exit 1; }

.venv/.installed: pyproject.toml | $(BIN)/python
	echo "creating the environment in .venv ..." >&2
	$(PIP) install --editable .
	touch $@

.venv/.compiling: pyproject.toml | .venv/.installed
	$(BIN)/python -m compiling --check
	$(PIP) install 'pip>=25.1'
	$(PIP) install --group compile
	touch $@

# LOCKED=1 installs the versions of locks/dev.txt, and checks their hashes.
.venv/.developing: pyproject.toml | .venv/.installed
	echo "installing the development tools ..." >&2
	$(PIP) install --upgrade 'pip>=25.1'
	$(PIP) install $(if $(LOCKED),--require-hashes --requirement locks/dev.txt,--group dev)
	touch $@
