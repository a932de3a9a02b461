# make learn   the course          make test    lint, types, all tests
# make site    the web site        make bench   ratios, measured side by side
#
# Each makes .venv on its first run. Nothing to activate.

PYTHON ?= python3
# Handed to pip when it installs PyTorch: where PyPI's wheel carries CUDA, name the index of the small CPU build,
# for example  make learn TORCH_PIP_ARGS="--extra-index-url <the address that PyTorch's install page shows for CPU>"
TORCH_PIP_ARGS ?=

BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint requirements.lock
export OMP_NUM_THREADS := 1

.PHONY: learn test site serve bench lock clean

learn: .venv/learn.done
	@$(BIN)/gradclinic

test: .venv/test.done
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/gradclinic dev check --quick
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

site: .venv/test.done
	$(BIN)/python -m gradclinic.publishing
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "The site is in site/. See it with: make serve"

serve: site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve

bench: .venv/test.done
	$(BIN)/python benchmarks/verdict.py
	$(BIN)/python benchmarks/site.py
	$(BIN)/python benchmarks/trace.py
	$(BIN)/python benchmarks/reach.py
	$(BIN)/python benchmarks/diagnosis.py
	$(BIN)/python benchmarks/grade.py

.venv/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "The course needs Python 3.11 or newer; $(PYTHON) is older or missing."; \
	  echo "Name another one: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 2; }
	@echo "Making .venv ..."
	@$(PYTHON) -m venv .venv || { echo "python3 -m venv failed: on Debian or Ubuntu, apt install python3-venv"; exit 2; }
	@touch $@

.venv/torch.done: .venv/made requirements.lock
	@echo "Installing PyTorch (the largest part) ..."
	@$(PIP) $(TORCH_PIP_ARGS) torch
	@touch $@

.venv/learn.done: .venv/torch.done pyproject.toml
	@echo "Installing the course ..."
	@$(PIP) hatchling editables
	@$(PIP) --no-build-isolation --editable .
	@touch $@

.venv/test.done: .venv/learn.done
	@echo "Installing what the site and the tests need ..."
	@$(PIP) --no-build-isolation --editable ".[test]"
	@touch $@

# After a change of dependencies: pins what .venv holds now.
lock: .venv/test.done
	$(BIN)/python -m pip freeze --exclude-editable | sed 's/+cpu$$//' > requirements.lock

clean:
	rm -rf site .cache docs/lessons docs/causes docs/symptoms docs/slides docs/downloads docs/causes.md docs/claims.md docs/symptoms.md docs/why.md
