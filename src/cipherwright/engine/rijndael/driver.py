"""The simulated Rijndael processor, driven over its channels with the instructions of Table 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import CheckFailed
from ...verify.simulate import Model, Simulation, compile_simulation
from .interface import INSTRUCTIONS, processor_rounds

__all__ = ["ProcessorBench", "Session"]

_PATIENCE = 64
"""Idle cycles that are simulated at a time while a long instruction runs."""

_LONGEST = 20_000
"""Cycles after which an instruction is taken to hang: a feedback mode takes 14,002."""


@dataclass(frozen=True)
class Seen:
    """The processor's outputs in one cycle: `ready` for an instruction, `in_ready` for a half-word,
    `out_valid` where the half-word `out_data` is there.
    """

    ready: int
    in_ready: int
    out_valid: int
    out_data: int


@dataclass(frozen=True)
class ProcessorBench:
    """A compiled processor, `simulation`, and the parameters of its record, with the sizes that it
    asks for.
    """

    simulation: Simulation
    parameters: Mapping[str, Any]

    @staticmethod
    def compile(sources: Sequence[Path], record: Mapping[str, Any]) -> ProcessorBench:
        """The processor whose RTL files are `sources`, compiled by Verilator; `record`: its record.json.
        Raises ToolFailed where Verilator refuses the files.
        """
        return ProcessorBench(compile_simulation(sources, record["top"]), record["parameters"])

    def session(self, rate: float = 1.0, seed: int = 1) -> Session:
        """A processor out of reset; `rate`: share of cycles, above 0, in which this side offers or takes,
        drawn at random from `seed`.
        """
        return Session(self.simulation, rate, seed)

    def crypt_bulk(self, key: bytes, decrypt: bool, data: bytes, iv: bytes = b"") -> bytes:
        """`data`, whole blocks of the record's size, under `key` in ECB, encrypted, or decrypted where
        `decrypt` is true: the processor takes no `iv`. Once the key is ready every block takes the same
        cycles, so they are given without waiting; raises CheckFailed where a result does not come in its
        cycles.
        """
        size, words = int(self.parameters["block_bits"]) // 8, int(self.parameters["block_bits"]) // 16
        session = self.session()
        session.sizes(size * 8, len(key) * 8)
        session.load_key(key)
        out = [session.crypt(data[:size], decrypt)]
        if len(data) == size:
            session.close()
            return out[0]
        rounds = processor_rounds(size * 8, len(key) * 8)
        cycles = 1 + words + 1 + rounds + 1 + 1 + words
        blocks = np.frombuffer(data[size:], dtype=">u2").astype("<u2").reshape(-1, words)
        rows = np.tile(session.rows(cycles), (len(blocks), 1)).reshape(len(blocks), cycles, -1)
        put = session.put
        for at, name in (
            (0, "input_data"),
            (1 + words, "decrypt" if decrypt else "encrypt"),
            (3 + words + rounds, "output_data"),
        ):
            put(rows[:, at], "instruction_valid_i", 1)
            put(rows[:, at], "instruction_i", INSTRUCTIONS[name])
        for i in range(words):
            put(rows[:, 1 + i], "in_valid_i", 1)
            put(rows[:, 1 + i], "in_data_i", blocks[:, i])
            put(rows[:, cycles - words + i], "out_ready_i", 1)
        seen = session.model.run(rows.reshape(len(blocks) * cycles, -1)).reshape(len(blocks), cycles, -1)
        taken = seen[:, cycles - words :]
        if not session.get(taken, "out_valid_o").all():
            raise CheckFailed("a result did not come in the cycles that the record promises")
        out.append(session.get(taken, "out_data_o").astype(">u2").tobytes())
        session.close()
        return b"".join(out)


class Session:
    """One processor, cycle by cycle."""

    def __init__(self, simulation: Simulation, rate: float, seed: int) -> None:
        self.simulation, self.model, self.rate = simulation, Model(simulation), rate
        self.rng = np.random.default_rng(seed)
        self.block_bits, self.key_bits = 128, 128
        self.reset()

    def close(self) -> None:
        """Free the model."""
        self.model.close()

    # -- cycles
    # --------------------------------------------------------------------------------------------------
    def rows(self, cycles: int) -> NDArray[np.uint8]:
        """Rows of inputs for so many `cycles`, all 0: cycles, bytes of all ports."""
        return self.simulation.rows(cycles)

    def put(self, rows: NDArray[np.uint8], port: str, value: Any) -> None:
        """Set `port`, of at most 16 bits, in `rows` of inputs (last axis: bytes) to `value`, a number or an
        array of numbers, one for each row.
        """
        p = self.simulation.port(port)
        for k in range(-(-p.width // 8)):
            rows[..., p.offset + k] = np.asarray(value) >> 8 * k & 0xFF

    def get(self, rows: NDArray[np.uint8], port: str) -> NDArray[np.uint16]:
        """The values of `port`, of at most 16 bits, in `rows` of outputs (last axis: bytes)."""
        p = self.simulation.port(port)
        out = np.zeros(rows.shape[:-1], dtype=np.uint16)
        for k in range(-(-p.width // 8)):
            out |= rows[..., p.offset + k].astype(np.uint16) << np.uint16(8 * k)
        return out

    def cycle(self, **ports: int) -> Seen:
        """One cycle with some inputs set, the others 0; `ports`: their values by the port's name. Returns the
        outputs of that cycle.
        """
        row = self.rows(1)
        for name, value in ports.items():
            self.put(row, name, value)
        out = self.model.run(row)
        return Seen(
            *(int(self.get(out, n)[0]) for n in ("ready_o", "in_ready_o", "out_valid_o", "out_data_o"))
        )

    def reset(self) -> None:
        """One cycle of reset; sizes are 128 bits then."""
        self.cycle(rst_i=1)
        self.block_bits, self.key_bits = 128, 128

    def _offered(self) -> bool:
        return self.rate >= 1 or bool(self.rng.random() < self.rate)

    # -- instructions and channels
    # --------------------------------------------------------------------------------
    def wait(self) -> int:
        """Cycles until the processor is ready, for it to take an instruction in the next one. Raises
        CheckFailed where it never is.
        """
        for n in range(0, _LONGEST, _PATIENCE):
            seen = self.get(self.model.run(self.rows(_PATIENCE)), "ready_o")
            if seen.any():
                return n + int(seen.argmax())
        raise CheckFailed(f"the processor is not ready after {_LONGEST} cycles")

    def instruct(self, code: int | str) -> None:
        """Give an instruction to a processor that is ready or soon will be; `code`: a name in `INSTRUCTIONS`
        or four bits. Raises CheckFailed where it is never taken.
        """
        while not self._offered():
            self.cycle()
        value = INSTRUCTIONS[code] if isinstance(code, str) else code
        for _ in range(_LONGEST):
            if self.cycle(instruction_valid_i=1, instruction_i=value).ready:
                return
        raise CheckFailed("the processor takes no instruction")

    def give(self, data: bytes) -> None:
        """Put `data` into the input channel as half-words; the first byte of each is the most significant
        one. Raises CheckFailed where one is not taken at once.
        """
        for i in range(0, len(data), 2):
            while not self._offered():
                self.cycle()
            if not self.cycle(in_valid_i=1, in_data_i=int.from_bytes(data[i : i + 2], "big")).in_ready:
                raise CheckFailed("the input channel does not take a half-word")

    def take(self, count: int) -> bytes:
        """`count` bytes from the output channel, which must stay as they are until they are taken; the first
        byte of each half-word is the most significant one. Raises CheckFailed where a half-word is missing.
        """
        out = b""
        for _ in range(count // 2):
            while not self._offered():
                self.cycle()
            seen = self.cycle(out_ready_i=1)
            if not seen.out_valid:
                raise CheckFailed("the output channel gives no half-word")
            out += seen.out_data.to_bytes(2, "big")
        return out

    def sizes(self, block_bits: int, key_bits: int) -> None:
        """Set the sizes of block and key in bits, `block_bits` and `key_bits`; data and key of the processor
        become 0.
        """
        self.instruct(f"block_{block_bits}")
        self.instruct(f"key_{key_bits}")
        self.block_bits, self.key_bits = block_bits, key_bits

    def load_key(self, key: bytes) -> None:
        """Give `key`, of the size that was set."""
        self.instruct("input_key")
        self.give(key)

    def crypt(self, block: bytes, decrypt: bool = False, feedback: bool = False) -> bytes:
        """The result of `block`, with the sizes and key that were set. `decrypt`: the direction; `feedback`:
        the instruction that repeats it a thousand times. Raises CheckFailed where the processor hangs.
        """
        self.instruct("input_data")
        self.give(block)
        self.instruct(("decrypt" if decrypt else "encrypt") + ("_feedback" if feedback else ""))
        self.wait()
        self.instruct("output_data")
        return self.take(len(block))
