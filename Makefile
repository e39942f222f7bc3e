# make demo solves an instance before your eyes, make test runs the tests, make help has the rest.

PYTHON ?= python3
GPU ?=
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed-
INSTALLED := --package app --package gpu --package views --package resources
CPP = $(shell find gpu tests/emulation -name '*.cu' -o -name '*.cuh' -o -name '*.[ch]pp')

ifneq ($(filter-out cuda12 cuda13,$(GPU)),)
$(error GPU=$(GPU) is not known: say GPU=cuda12 or GPU=cuda13, or leave GPU out)
endif

.NOTPARALLEL:
.PHONY: demo test colonies lint style kernels wheel installation installed linters packer format clean system checked help folder

help:
	@echo 'make demo [GPU=cuda12|cuda13]  install into .venv and watch a bundled instance being solved'
	@echo 'make test [ARGS="-k acs"]      run the tests, with no display'
	@echo 'make colonies                  compile the CPU colonies once, before tests that need them'
	@echo 'make lint                      make style: style, types (for each system), import rules;'
	@echo '                               make kernels: every kernel compiled'
	@echo 'make folder                    build dist/formicarium, which runs without Python, with all'
	@echo '                               colonies for CPUs compiled'
	@echo 'make wheel                     build a wheel with all colonies compiled, in dist, for this'
	@echo '                               Python and system (GPU=cuda13: with kernels for GPUs, too)'
	@echo 'make installation              install the wheel into a new environment, and try it there'
	@echo 'make format                    lay out Python and CUDA sources'
	@echo 'make system                    as root: apt-get install the system libraries'
	@echo 'make clean                     remove .venv and everything else that was made'
	@echo 'PYTHON=python3.12 picks the Python that .venv is made with.'

demo: $(STAMP)app $(addprefix $(STAMP),$(GPU))
	$(BIN)/formicarium demo

installed: $(STAMP)test

linters: $(STAMP)lint

packer: $(STAMP)folder

test: $(STAMP)test
	QT_QPA_PLATFORM=offscreen $(BIN)/pytest -n auto $(ARGS)

colonies: $(STAMP)test
	$(BIN)/formicarium compile

lint: style kernels

style: $(STAMP)lint
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32 $(INSTALLED)
	$(BIN)/mypy --platform darwin --cache-dir .mypy_cache/darwin $(INSTALLED)
	$(BIN)/mypy .ci bundle docs/images docs/measurements
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run -Werror $(CPP)

kernels: $(STAMP)test
	$(BIN)/python -m tests.compile_kernels

folder: $(STAMP)folder
	$(BIN)/python bundle/build.py

wheel: $(STAMP)app $(addprefix $(STAMP),$(GPU))
	rm -rf build gpu/compiled
	$(BIN)/formicarium compile --archive gpu/compiled
	$(BIN)/pip wheel --no-deps --wheel-dir dist .

installation: $(STAMP)test $(STAMP)folder
	$(BIN)/python .ci/installation.py

format: $(STAMP)lint
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/clang-format -i $(CPP)

system:
	@$(PYTHON) .ci/system.py --install

clean:
	rm -rf $(VENV) build dist gpu/compiled formicarium-demo *.egg-info .*_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +

checked:
	@$(firstword $(wildcard $(BIN)/python) $(PYTHON)) .ci/system.py

$(VENV)/.created: | checked
	$(PYTHON) -m venv $(VENV)
	@touch $@

# One stamp for each set of packages; a changed pyproject.toml installs it again.
$(STAMP)app: pyproject.toml $(VENV)/.created | checked
	$(BIN)/pip install --editable .
	@touch $@

$(STAMP)test: pyproject.toml $(VENV)/.created | checked
	$(BIN)/pip install --editable '.[test]'
	@touch $@ $(STAMP)app

$(STAMP)lint: pyproject.toml $(VENV)/.created | checked
	$(BIN)/pip install --editable '.[test,lint]'
	@touch $@ $(STAMP)app $(STAMP)test

$(STAMP)folder: pyproject.toml $(VENV)/.created | checked
	$(BIN)/pip install --editable '.[folder]'
	@touch $@ $(STAMP)app

# The two builds of CuPy share their folders: one must go before the other comes.
$(STAMP)cuda12 $(STAMP)cuda13: $(STAMP)%: pyproject.toml $(VENV)/.created | checked
	rm -f $(STAMP)cuda12 $(STAMP)cuda13
	$(BIN)/pip uninstall --quiet --yes cupy-cuda12x cupy-cuda13x
	$(BIN)/pip install --editable '.[$*]'
	@touch $@
