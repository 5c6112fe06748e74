"""One cycle of reset at every cycle of a run of an engine: nothing of before is shown, and the next key
and block come out right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cipherwright.engine.mars import ADDRESS, MarsBench
from cipherwright.engine.mars.driver import STATUS, Access, words_of_bytes
from cipherwright.engine.rijndael import INSTRUCTIONS, ProcessorBench
from cipherwright.verify import CoreFolder
from cipherwright.verify.oracle import oracle_bulk
from cipherwright.verify.simulate import Model, Simulation
from tests.conftest import Built
from tests.faults import Fault, Faults, all_of, unreset, when
from tests.verify.test_checks import broken_file

KEYS = bytes(range(16)), bytes(range(100, 116))
BLOCKS = bytes(range(32)), bytes(range(50, 66))
IV = bytes(range(200, 216))
Rows = NDArray[np.uint8]


def put(s: Simulation, rows: Rows, port: str, values: Iterable[int]) -> None:
    """Set a port of at most 32 bits, a value a row."""
    view, column = s.view(rows, port), np.array(list(values), dtype=np.uint32)
    for k in range(view.shape[1]):
        view[:, k] = column >> np.uint32(8 * k) & np.uint32(0xFF)


def bus(s: Simulation, accesses: list[Access]) -> Rows:
    rows = s.rows(len(accesses))
    put(s, rows, "select_i", (1 for _ in accesses))
    put(s, rows, "write_i", (a.data is not None for a in accesses))
    put(s, rows, "address_i", (a.address for a in accesses))
    put(s, rows, "data_i", (a.data or 0 for a in accesses))
    return rows


def reset_row(s: Simulation) -> Rows:
    row = s.rows(1)
    s.view(row, "rst_i")[:] = 1
    return row


class MarsRuns:
    """Runs of one engine from key to results, row by row as an undisturbed run was, so that any of them
    may be broken off.
    """

    def __init__(self, folder: CoreFolder) -> None:
        bench = MarsBench.compile(folder.sources, folder.record)
        self.s, self.model = bench.simulation, Model(bench.simulation)
        self.model.run(reset_row(self.s))
        if bench.parameters["sbox_memory"] != "rom":
            from cipherwright.cipher.mars_tables import S

            self.model.run(bus(self.s, [Access(ADDRESS["s"] + i, e) for i, e in enumerate(S)]))
        self.rows, self.expanded = self._recorded(KEYS[0], BLOCKS[0], IV)
        self.next_rows, _ = self._recorded(KEYS[1], BLOCKS[1], b"")
        self.want = self._results(self.next_rows)
        assert self.want == oracle_bulk("mars", KEYS[1], BLOCKS[1], False)
        self.idle = bus(
            self.s,
            [
                STATUS,
                Access(ADDRESS["result"]),
                Access(ADDRESS["message"], 0),
                Access(ADDRESS["keys"]),
                *[STATUS] * 60,
            ],
        )
        self.after_power_up = self.probe()

    def _recorded(self, key: bytes, data: bytes, iv: bytes) -> tuple[Rows, int]:
        """The rows of a run with every wait that it has (each access shown until it is taken), and the
        cycle in which the key is there.
        """
        self.model.run(reset_row(self.s))
        words, blocks = words_of_bytes(key), words_of_bytes(data)
        made: list[Access] = []

        def until_taken(access: Access, bit: int = 0) -> None:
            while True:
                made.append(access)
                seen = self.model.run(bus(self.s, [access]))
                if self.s.view(seen, "ready_o")[0, 0] and (
                    not bit or self.s.view(seen, "data_o")[0, 0] & bit
                ):
                    return

        for i, w in enumerate(words):
            until_taken(Access(ADDRESS["keys"] + i, w))
        until_taken(Access(ADDRESS["command"], len(words) << 4 | (4 if iv else 0) | 1))
        until_taken(STATUS, 2)
        there = len(made)
        for i, w in enumerate(words_of_bytes(iv)):
            until_taken(Access(ADDRESS["result"] + i, w))
        for n in range(0, len(blocks), 4):
            for i in range(4):
                until_taken(Access(ADDRESS["message"] + i, blocks[n + i]))
        for _ in range(0, len(blocks), 4):
            for i in range(4):
                until_taken(Access(ADDRESS["result"] + i))
        self.model.run(reset_row(self.s))
        return bus(self.s, made), there

    def _results(self, rows: Rows) -> bytes:
        """The words that a run reads from the result."""
        seen = self.model.run(rows)
        address = self.s.view(rows, "address_i").astype(int)
        taken = self.s.view(seen, "ready_o")[:, 0].astype(bool) & (self.s.view(rows, "write_i")[:, 0] == 0)
        reads = (
            taken
            & (address[:, 0] + 256 * address[:, 1] >= ADDRESS["result"])
            & (address[:, 0] + 256 * address[:, 1] < ADDRESS["result"] + 4)
        )
        return self.s.view(seen, "data_o")[reads].tobytes()

    def probe(self) -> bytes:
        """What a reset engine shows: ready, done and, where a read is answered, the word."""
        self.model.run(reset_row(self.s))
        seen = self.model.run(self.idle)
        ready, done = self.s.view(seen, "ready_o").copy(), self.s.view(seen, "done_o").copy()
        return ready.tobytes() + done.tobytes() + (self.s.view(seen, "data_o") * ready).tobytes()

    def broken_off(self, at: int) -> None:
        """A run that one cycle of reset ends before row `at`; afterwards all is as after power-up. Raises
        AssertionError.
        """
        self.model.run(self.rows[:at])
        assert self.probe() == self.after_power_up, f"something is left of before a reset in cycle {at}"
        # A reset right before the next key, not only after long rest.
        self.model.run(self.rows[:at])
        self.model.run(reset_row(self.s))
        assert self._results(self.next_rows) == self.want, (
            f"the next key or block is wrong after a reset in cycle {at}"
        )


def cycles(runs: MarsRuns, step: int) -> list[int]:
    """Cycles of a run: all but those in the middle of the key's expansion, of which some are taken."""
    there = runs.expanded
    return [*range(24), *range(24, there - 24, step), *range(there - 24, len(runs.rows) + 1)]


def test_a_reset_in_every_cycle_of_the_mars_engine(built: Callable[..., Built]) -> None:
    _, folder = built("mars-ibm-4port", "multiplier=operator")
    runs = MarsRuns(folder)
    for at in cycles(runs, 53):
        runs.broken_off(at)
    runs.model.close()


STALE = [
    ("_mars.sv", unreset("key_there")),
    ("_mars.sv", unreset("result_there")),
    ("_mars.sv", unreset("core_state")),
    ("_mars.sv", unreset("written")),
    ("_mars_keys.sv", unreset("phase")),
]


@pytest.mark.long_check
@pytest.mark.parametrize(("which", "fault"), STALE, ids=str)
def test_a_missing_reset_is_seen(
    which: str, fault: Fault | Faults, built: Callable[..., Built], tmp_path: Path
) -> None:
    _, folder = built("mars-ibm-4port", "multiplier=operator")
    name = next(n for n in folder.record["files"] if n.endswith(which))
    runs = MarsRuns(broken_file(folder, name, fault, tmp_path / "b"))
    with pytest.raises(AssertionError, match="reset in cycle"):
        for at in cycles(runs, 499):
            runs.broken_off(at)
    runs.model.close()


class ProcessorRuns:
    """The same of a Rijndael processor, whose run is a list of rows."""

    def __init__(self, folder: CoreFolder, feedback: bool = False) -> None:
        self.s = ProcessorBench.compile(folder.sources, folder.record).simulation
        self.model = Model(self.s)
        self.rows = self._run(
            KEYS[0],
            BLOCKS[0][:16],
            "decrypt" if folder.record["parameters"]["direction"] == "both" else "encrypt",
        )
        self.next_rows = self._run(KEYS[1], BLOCKS[1], "encrypt")
        self.no_key = self._run(b"", BLOCKS[1], "encrypt")
        self.after_power_up = self.probe()
        self.model.run(reset_row(self.s))
        self.without_key = self.model.run(self.no_key).tobytes()  # a block under the key of zeros

    def _run(self, key: bytes, block: bytes, name: str) -> Rows:
        parts: list[dict[str, Any]] = []

        def instruct(code: str) -> None:
            parts.append({"instruction_valid_i": 1, "instruction_i": INSTRUCTIONS[code]})

        def give(data: bytes) -> None:
            parts.extend(
                {"in_valid_i": 1, "in_data_i": int.from_bytes(data[i : i + 2], "big")}
                for i in range(0, len(data), 2)
            )

        if key:
            instruct("input_key")
            give(key)
        instruct("input_data")
        give(block)
        instruct(name)
        parts.extend({} for _ in range(60))
        instruct("output_data")
        parts.extend({"out_ready_i": 1} for _ in range(8))
        rows = self.s.rows(len(parts))
        for port in ("instruction_valid_i", "instruction_i", "in_valid_i", "in_data_i", "out_ready_i"):
            put(self.s, rows, port, (p.get(port, 0) for p in parts))
        return rows

    def probe(self) -> bytes:
        """What a reset processor shows on all channels, and in its data, which reset clears."""
        self.model.run(reset_row(self.s))
        rows = self.s.rows(30)
        put(self.s, rows[20:21], "instruction_valid_i", [1])
        put(self.s, rows[20:21], "instruction_i", [INSTRUCTIONS["output_data"]])
        put(self.s, rows[21:], "out_ready_i", [1] * 9)
        return self.model.run(rows).tobytes()

    def broken_off(self, at: int) -> None:
        self.model.run(self.rows[:at])
        assert self.probe() == self.after_power_up, f"something is left of before a reset in cycle {at}"
        self.model.run(self.rows[:at])
        self.model.run(reset_row(self.s))
        assert self.model.run(self.no_key).tobytes() == self.without_key, (
            f"a key is left after a reset in cycle {at}"
        )
        self.model.run(reset_row(self.s))
        self.model.run(self.rows[:at])
        self.model.run(reset_row(self.s))
        seen = self.model.run(self.next_rows)
        taken = self.s.view(seen, "out_valid_o")[:, 0].astype(bool) & self.s.view(
            self.next_rows, "out_ready_i"
        )[:, 0].astype(bool)
        result = self.s.view(seen, "out_data_o")[taken][:, ::-1].tobytes()
        assert result == oracle_bulk("rijndael-128", KEYS[1], BLOCKS[1], False), (
            f"the next key or block is wrong after a reset in cycle {at}"
        )
        self.model.run(reset_row(self.s))


@pytest.mark.long_check
@pytest.mark.parametrize("preset", ["rijndael-ucla", "rijndael-ucla-keybuffer"])
def test_a_reset_in_every_cycle_of_the_processor(preset: str, built: Callable[..., Built]) -> None:
    _, folder = built(preset, "sbox=boyar_peralta")
    runs = ProcessorRuns(folder)
    for at in range(len(runs.rows) + 1):
        runs.broken_off(at)
    runs.model.close()


LEFT = [
    ("_rijndael.sv", unreset("state_q")),
    ("_rijndael_keys.sv", all_of(unreset("forward_q"), unreset("backward_q"))),
    ("_rijndael_keys.sv", unreset("walk_q")),
    ("_rijndael.sv", when("data_q", "clear", "clear & ~rst_i")),
]


@pytest.mark.long_check
@pytest.mark.parametrize(("which", "fault"), LEFT, ids=str)
def test_a_missing_reset_of_the_processor_is_seen(
    which: str, fault: Fault | Faults, built: Callable[..., Built], tmp_path: Path
) -> None:
    _, folder = built("rijndael-ucla", "sbox=boyar_peralta")
    name = next(n for n in folder.record["files"] if n.endswith(which))
    runs = ProcessorRuns(broken_file(folder, name, fault, tmp_path / "b"))
    with pytest.raises(AssertionError, match="reset in cycle"):
        for at in range(len(runs.rows) + 1):
            runs.broken_off(at)
    runs.model.close()
