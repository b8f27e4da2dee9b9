# Everything sets itself up: `make demo` and `make test` need git, make and Python >= 3.11.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# With this variable (many container images set it) every process would compile Inspect's sources again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-long check docs format clean

demo: $(VENV)/.installed
	@$(BIN)/assay demo

test: $(VENV)/.dev
	@scripts/test

test-long: $(VENV)/.dev
	@scripts/test --long

check: $(VENV)/.dev
	@scripts/check

docs: $(VENV)/.dev
	@scripts/docs

format: $(VENV)/.dev
	@$(BIN)/ruff check --fix -q . ; $(BIN)/ruff format -q .

$(VENV)/bin/uv:
	@scripts/bootstrap "$(PYTHON)" "$(VENV)"

$(VENV)/.installed: pyproject.toml constraints.txt $(VENV)/bin/uv
	@echo "installing Assay into $(VENV)"
	@$(BIN)/uv pip install -q --python $(BIN)/python -c constraints.txt -b constraints.txt -e '.[local]'
	@touch $@

$(VENV)/.dev: $(VENV)/.installed
	@echo "installing the development tools into $(VENV)"
	@$(BIN)/uv pip install -q --python $(BIN)/python -c constraints.txt -b constraints.txt -e '.[local,dev,docs]'
	@touch $@

clean:
	@rm -rf $(VENV) site .mypy_cache .ruff_cache .import_linter_cache .hypothesis
