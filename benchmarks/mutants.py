"""The mutants of the mutation programme: which operators are applied to which modules of which cores, and
the faults that are written by hand.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from cipherwright.rtl import modules_in
from cipherwright.verify.operators import CLOCKING, OPERATORS, apply, edits
from tests.conftest import LIGHT_GCM, LIGHT_LOOP, LIGHT_XTS
from tests.engine.test_mars import FAULTS as ENGINE_FAULTS
from tests.engine.test_resets import LEFT, STALE
from tests.engine.test_rijndael import FAULTS as PROCESSOR_FAULTS
from tests.faults import Fault, Faults
from tests.verify.test_loops import FAULTS as LATER
from tests.verify.test_loops import SHELL, USUAL
from tests.verify.test_modes import WAYS

__all__ = ["ARGUMENTS", "SUBJECTS", "Mutant", "Scope", "Subject", "generic", "targeted"]


@dataclass(frozen=True)
class Scope:
    """Modules of one file (pattern of the name, without the top's name), and the number of places for an
    operator in all of them together.
    """

    file: str
    modules: str
    count: int
    only: tuple[str, ...] = ()
    """Operators; none: all."""

    more: Mapping[str, int] = field(default_factory=dict)
    """Operators that have another count."""


@dataclass(frozen=True)
class Subject:
    """A core, or hand-written files (preset ""), whose text is mutated. `checks`: names of the checks of
    benchmarks/mutation.py, cheapest first.
    """

    name: str
    family: str
    preset: str
    changes: tuple[str, ...]
    checks: tuple[str, ...]
    scopes: tuple[Scope, ...]
    most: int = 100
    """Mutants by operators, at most: those whose names have the least digests."""


@dataclass(frozen=True)
class Mutant:
    """A changed file of a subject."""

    name: str
    subject: Subject
    operator: str
    file: str
    change: Callable[[str], str]
    checks: tuple[str, ...] = ()
    """Where they are not the subject's."""


def _in_module(module: str, operator: str, label: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        begin, end = modules_in(text)[module]
        inside = text[begin:end]
        edit = next(e for e in edits(inside, operator) if e.label == label)
        return text[:begin] + apply(inside, edit) + text[end:]

    return change


def generic(subject: Subject, texts: Mapping[str, str], top: str) -> list[Mutant]:
    """Mutants by the operators, at places chosen by the subject's name alone. `texts`: its files; `top`:
    what their names begin with.
    """
    found: dict[str, Mutant] = {}
    for scope in subject.scopes:
        files = [n for n in texts if re.fullmatch(scope.file, n.removeprefix(top))]
        for operator in scope.only or OPERATORS:
            count = scope.more.get(operator, scope.count)
            places = [
                (file, module, e.label)
                for file in files
                for module, (begin, end) in modules_in(texts[file]).items()
                if re.fullmatch(scope.modules, module.removeprefix(top))
                for e in edits(texts[file][begin:end], operator)
            ]
            chooser = random.Random(f"{subject.name}/{subject.family}/{scope.modules}/{operator}")
            for file, module, label in sorted(chooser.sample(places, min(count, len(places)))):
                where = module.removeprefix(top).lstrip("_")
                name = f"{subject.name}/{subject.family}/{operator}/{where + ':' if where else ''}{label}"
                # What stops a clock is seen where the netlist is read, by the check of resets or the proof,
                # not by a simulation.
                checks: tuple[str, ...] = ()
                if operator in CLOCKING or (
                    operator == "reset-missing" and not subject.checks[0].startswith("sby")
                ):
                    first = [c for c in ("reset", *subject.checks) if c.split()[0] == "reset"]
                    checks = tuple(dict.fromkeys((*first, *subject.checks))) if first[1:] else ()
                found.setdefault(
                    name, Mutant(name, subject, operator, file, _in_module(module, operator, label), checks)
                )
    chosen = sorted(found, key=lambda name: hashlib.sha256(name.encode()).hexdigest())[: subject.most]
    return [m for name, m in found.items() if name in set(chosen)]


def _by_hand(old: str, new: str, every: bool = False) -> Callable[[str], str]:
    def change(text: str) -> str:
        return re.sub(old, new, text, count=0 if every else 1)

    return change


_TOP, _STAGES = r"(_core)?", r"(_core)?_stage\d+(_level\d+)?"
_BOXES = r"(_core)?_(s\d\w*|p|q|\w*sbox\w*|gf_\w+)"
_WIRES = (
    "pins-swapped",
    "pin-tied",
    "condition",
    "and-to-or",
    "or-to-and",
    "not-dropped",
    "index",
    "parts-swapped",
    "reset-missing",
    "stuck",
)

_CORE = ("proof", "reset", "simulation")
_CHAINS = tuple(
    f"sby chain.sby {t}"
    for t in (
        "cbc_both",
        "ctr_4_part",
        "cfb_both",
        "ofb",
        "cbc_encrypt",
        "cbc_decrypt",
        "cfb_encrypt",
        "cfb_decrypt",
        "ctr_8",
        "cbc_both SLOTS=1",
    )
)
_WORDS = "words=separate"
"""Every operation is a word by itself, so that a mutant is named after it."""
_QUICK_AES = ("sbox=boyar_peralta", "fuse_linear=false", "stages=5", "linear_depth=0", _WORDS)

_MESSAGES = ("messages", "reset", "zeroise", "proof")
_RESETS = {"reset-missing": 4, "stuck": 3, "condition": 3}


def _split(variant: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """The preset of a variant, and its changes."""
    return variant[0], variant[1:]


SUBJECTS = (
    Subject(
        "des-small",
        "loop",
        "des-small",
        ("stages=2",),
        _CORE,
        (
            Scope(
                r"\.v",
                _TOP,
                2,
                more={"reset-missing": 9, "constant": 3, "index": 3, "stuck": 4, "register-extra": 3},
            ),
            Scope(r"\.v", _STAGES, 3),
            Scope(r"\.v", _BOXES, 1, more={"table-bit": 4, "table-x": 2}),
        ),
    ),
    Subject(
        "aes-tiny",
        "loop",
        "aes-tiny",
        (),
        _CORE,
        (
            Scope(r"\.v", _TOP, 1, more={"reset-missing": 9}),
            Scope(r"\.v", _STAGES, 1),
            Scope(r"\.v", _BOXES, 1),
        ),
    ),
    Subject(
        "khazad-small",
        "loop",
        "khazad-small",
        (),
        _CORE,
        (
            Scope(r"\.v", _TOP, 1, more={"reset-missing": 5}),
            Scope(r"\.v", _STAGES, 1),
            Scope(r"\.v", _BOXES, 1),
        ),
        10,
    ),
    Subject(
        "misty1-small",
        "loop",
        "misty1-small",
        ("stages=2", "copies=0", "hops=[]"),
        _CORE,
        (
            Scope(r"\.v", _TOP, 1, more={"reset-missing": 9}),
            Scope(r"\.v", _STAGES, 1),
            Scope(r"\.v", _BOXES, 1),
        ),
        10,
    ),
    Subject(
        "misty1-rounds",
        "known-answers",
        "misty1-small",
        ("rounds=8", "stages=2", "copies=0", "hops=[]"),
        ("known",),
        (Scope(r"\.v", _STAGES, 1, ("table-bit", "xor-to-or", "condition", "index")),),
    ),
    Subject(
        "misty1-fast",
        "pipeline",
        "misty1-fast",
        ("rounds=2", _WORDS),
        _CORE,
        (
            Scope(r"\.v", _TOP, 1, more={"reset-missing": 6}),
            Scope(r"\.v", _STAGES, 2),
            Scope(r"\.v", _BOXES, 1, ("table-bit", "table-x", "index")),
        ),
        25,
    ),
    Subject(
        "des-fast",
        "pipeline",
        "des-fast",
        ("stages=6", "copies=0", "hops=[]", _WORDS),
        _CORE,
        (
            Scope(r"\.v", _TOP, 1, more={"reset-missing": 6}),
            Scope(r"\.v", _STAGES, 1, more={"condition": 3}),
            Scope(r"\.v", _BOXES, 1),
        ),
        14,
    ),
    Subject(
        "des-xilinx-48",
        "delay-line",
        "des-xilinx-48",
        (_WORDS,),
        ("proof", "simulation"),
        (
            Scope(r"\.v", "_delay_line", 2),
            Scope(
                r"\.v",
                "_core",
                1,
                ("register-dropped", "register-extra", "stuck", "index", "delay-longer", "delay-shorter"),
            ),
        ),
    ),
    Subject(
        "des-fast-ram",
        "delay-line",
        "des-fast",
        ("delay_lines=ram", "srl_from=4", _WORDS),
        ("reset", "proof", "simulation"),
        (
            Scope(r"\.v", "_delay_ring", 3),
            Scope(
                r"\.v", "", 1, ("register-dropped", "index", "reset-missing", "delay-longer", "delay-shorter")
            ),
        ),
        16,
    ),
    Subject(
        "des-fast-bram",
        "delay-line",
        "des-fast",
        ("delay_lines=bram", "srl_from=4", _WORDS),
        ("reset", "proof", "simulation"),
        (
            Scope(r"\.v", "_delay_block", 3),
            Scope(
                r"\.v", "", 1, ("register-dropped", "index", "reset-missing", "delay-longer", "delay-shorter")
            ),
        ),
        16,
    ),
    Subject(
        "aes128-fast",
        "key-unit",
        "aes128-fast",
        _QUICK_AES,
        ("unit", "rounds", "reset", "simulation", "zeroise"),
        (
            Scope(
                r"\.v", "_keys", 1, more={"reset-missing": 4, "constant": 3, "stuck": 2, "enable-missing": 2}
            ),
            Scope(r"\.v", "_schedule(_stage.*)?|_copy", 1, more={"reset-missing": 3}),
        ),
        26,
    ),
    Subject(
        "aes128-fast",
        "held-key",
        "aes128-fast",
        _QUICK_AES,
        ("rounds", "reset", "simulation", "zeroise"),
        (
            Scope(r"\.v", "_core", 1, more={"reset-missing": 3}),
            Scope(r"\.v", r"_core_stage\d+", 1),
        ),
        6,
    ),
    Subject(
        "mars-small",
        "control",
        "mars-small",
        ("multiplier=operator", "copies=0"),
        ("simulation", "reset", "zeroise"),
        (
            Scope(
                r"\.v",
                "",
                3,
                more={"reset-missing": 14, "not-dropped": 9, "and-to-or": 7, "or-to-and": 5, "stuck": 7},
            ),
            Scope(r"\.v", "_ecb", 2),
        ),
    ),
    Subject(
        "mars-small",
        "word-store",
        "mars-small",
        ("multiplier=operator", "copies=0"),
        ("simulation", "reset", "zeroise"),
        (
            Scope(r"\.v", "_keys(_store)?", 1, more={"reset-missing": 9, "stuck": 3, "condition": 3}),
            Scope(
                r"\.v",
                "(_mars_key_step.*|_core_stage.*)",
                1,
                ("xor-to-or", "condition", "index", "pins-swapped"),
            ),
        ),
        10,
    ),
    Subject(
        "stream",
        "stream",
        "des-small",
        ("stages=2", "interface=stream"),
        ("sby stream.sby rules DEPTH_LOG2=2 WIDTH=2", "simulation", "reset"),
        (Scope(r"_stream\.sv", "_stream", 4, more={"reset-missing": 9, "stuck": 6}),),
    ),
    Subject(
        "des-small-stream",
        "stream",
        "des-small",
        ("stages=2", "interface=stream"),
        ("reset", "simulation", "proof"),
        (Scope(r"\.v", "", 2, _WIRES, {"pin-tied": 5}),),
    ),
    Subject(
        "held-stream",
        "stream",
        "mars-small",
        ("multiplier=operator", "interface=stream", "copies=0"),
        ("simulation", "reset", "zeroise"),
        (
            Scope(r"\.v", "", 2, _WIRES),
            Scope(r"\.v", "_control", 1),
        ),
        12,
    ),
    Subject(
        "chain",
        "chain",
        "des-small",
        ("mode=ctr", "stages=2"),
        (*_CHAINS, "reset with mode=ctr stages=1", "simulation"),
        (Scope(r"_chain\.sv", "_chain(_ring)?", 4, more={"equal-inverted": 8, "condition": 8}),),
    ),
    Subject(
        "des-small-cbc",
        "mode",
        "des-small",
        ("mode=cbc", "stages=2"),
        ("reset", "simulation", "proof"),
        (Scope(r"\.v", "", 2, _WIRES, {"pin-tied": 5}),),
    ),
    Subject(
        "des-small-cfb",
        "mode",
        "des-small",
        ("mode=cfb", "direction=decrypt"),
        ("reset", "simulation", "proof"),
        (Scope(r"\.v", "", 2, _WIRES, {"pin-tied": 5}),),
    ),
    Subject(
        "khazad-small-ofb",
        "mode",
        "khazad-small",
        ("mode=ofb",),
        ("reset", "simulation", "proof"),
        (Scope(r"\.v", "", 2, _WIRES, {"pin-tied": 5}),),
    ),
    Subject(
        "aes-tiny-ctr",
        "mode",
        "aes-tiny",
        ("mode=ctr", "stages=1", "counter_bits=32"),
        ("reset", "simulation", "proof"),
        (Scope(r"\.v", "", 2, _WIRES, {"pin-tied": 5}),),
    ),
    Subject(
        "counter",
        "counter",
        "aes128-fast-ctr",
        _QUICK_AES,
        ("sby counter.sby gcm", "sby counter.sby wide", "reset", "simulation"),
        (
            Scope(
                r"_counter\.sv",
                "_counter(_copy|_move|_step)?",
                1,
                more={"reset-missing": 9, "stuck": 4, "not-dropped": 2, "and-to-or": 3},
            ),
        ),
        16,
    ),
    Subject(
        "lanes",
        "lane-counter",
        "aes128-fast-ctr",
        (*_QUICK_AES, "lanes=2"),
        (
            "sby lane_counter.sby gcm",
            "sby lane_counter.sby wide",
            "sby lane_relay.sby two",
            "reset",
            "simulation",
        ),
        (
            Scope(
                r"_lane_counter\.sv", "_lane_(counter|load|relay)", 1, more={"reset-missing": 7, "stuck": 3}
            ),
        ),
        12,
    ),
    Subject(
        "mars-engine",
        "mars-engine",
        "mars-ibm-4port",
        ("multiplier=operator",),
        ("mars simulation", "sby mars.sby", "sby mars_keys.sby", "reset", "mars proof"),
        (
            Scope(r"_mars\.sv", "_mars", 1, more={"reset-missing": 9, "and-to-or": 3, "condition": 3}),
            Scope(r"_mars_keys\.sv", "_mars_keys", 1, more={"reset-missing": 4, "constant": 4, "index": 2}),
            Scope(r"_mars_memory\.sv", r"\w+", 1, ("condition", "index", "enable-missing", "equal-inverted")),
            Scope(
                r"\.v",
                "_mars_(mixer|core|key_step|key_step_logic)",
                1,
                ("xor-to-or", "condition", "index", "parts-swapped", "plus-to-minus", "stuck"),
            ),
            Scope(r"\.v", "(_logic)?", 1, _WIRES),
        ),
        24,
    ),
    Subject(
        "rijndael",
        "processor",
        "rijndael-ucla",
        ("sbox=boyar_peralta",),
        ("rijndael simulation", "sby rijndael.sby both", "reset"),
        (
            Scope(
                r"_rijndael\.sv",
                "_rijndael",
                1,
                (
                    "and-to-or",
                    "or-to-and",
                    "condition",
                    "constant",
                    "stuck",
                    "reset-missing",
                    "equal-inverted",
                    "falling-edge",
                ),
                {"reset-missing": 6},
            ),
            Scope(
                r"_rijndael_keys\.sv",
                r"\w+",
                1,
                ("and-to-or", "condition", "stuck", "reset-missing"),
                {"reset-missing": 2},
            ),
            Scope(r"\.v", r"\w*", 1, ("xor-to-or", "condition", "index", "pins-swapped", "and-to-or")),
        ),
        10,
    ),
    Subject(
        "rijndael-buffer",
        "processor",
        "rijndael-ucla-keybuffer",
        ("sbox=boyar_peralta", "direction=encrypt"),
        ("rijndael simulation", "sby rijndael.sby encrypt", "reset"),
        (
            Scope(
                r"_rijndael_keys\.sv|_rijndael_keybuffer\.sv",
                r"\w+",
                1,
                ("condition", "equal-inverted", "stuck", "reset-missing"),
                {"reset-missing": 3},
            ),
        ),
    ),
    # Modes of whole messages, around the light cipher of the tests: what is mutated is the mode.
    Subject(
        "cmac",
        "cmac",
        "aes128-cmac-small",
        LIGHT_LOOP,
        (*_MESSAGES, "sby mac.sby wide"),
        (Scope(r"_mac\.sv", "_mac", 1, more=_RESETS), Scope(r"\.v", "_cmac|_control|", 1, _WIRES)),
        20,
    ),
    Subject(
        "ccm",
        "ccm",
        "aes128-ccm-small",
        LIGHT_LOOP,
        (*_MESSAGES, "sby ccm.sby long"),
        (Scope(r"_loop_ccm\.sv", "_loop_ccm", 2, more=_RESETS), Scope(r"\.v", "_ccm|", 1, _WIRES)),
        24,
    ),
    Subject(
        "loop-gcm",
        "gcm",
        "aes-gcm-small",
        (*LIGHT_LOOP, "iv_bits=any"),
        _MESSAGES,
        (Scope(r"_loop_gcm\.sv", "_loop_gcm", 2, more=_RESETS), Scope(r"\.v", "_gcm|", 1, _WIRES)),
        24,
    ),
    Subject(
        "gcm",
        "gcm",
        *_split(LIGHT_GCM),
        _MESSAGES,
        (
            Scope(r"\.v", "_gcm", 1, more=_RESETS),
            Scope(r"\.v", "_ghash", 1, more=_RESETS),
            Scope(r"\.v", r"_multiplier_stage\d", 1, ("xor-to-or", "and-to-or", "index")),
            Scope(r"\.v", "_ecb|", 1, _WIRES),
        ),
        30,
    ),
    Subject(
        "loop-xts",
        "xts",
        "aes128-xts-small",
        LIGHT_LOOP,
        (*_MESSAGES, "sby loop_xts.sby both"),
        (Scope(r"_loop_xts\.sv", "_loop_xts", 2, more=_RESETS), Scope(r"\.v", "_xts|", 1, _WIRES)),
        24,
    ),
    Subject(
        "xts",
        "xts",
        *_split(LIGHT_XTS),
        _MESSAGES,
        (
            Scope(r"\.v", "_xts", 2, more=_RESETS),
            Scope(r"\.v", "_xts_turns", 1, more=_RESETS),
            Scope(r"\.v", "_ecb|", 1, _WIRES),
        ),
        30,
    ),
)


_WITHIN = "It is read within a packet alone, and {} sets it."
_ANY_IV = "In this core IVs have any length: the branch is of cores with IVs of 96 bits."
_IDLE = (
    "The count of a slot that computes nothing is nobody's: busy is 0 after reset, and the count "
    "starts anew with a block."
)
_XOR = "The two are added to one another and read nowhere else: the sum is the same."
_TABLE = "The table is the sum of its four inputs (16'h9669), in any order."
_TOGETHER = "SPLIT is 0 in this engine: it has no such register, and what reads SPLIT is 0."
_EARLY_HOLD = (
    "after a reset the register that holds a counter block may take what is there once more; no load is "
    "under way then, and the next load takes its own"
)
ARGUMENTS: dict[str, str] = {
    "des-small/loop/constant/add_1_q1": _IDLE,
    "des-small/loop/constant/count_1_q2": _IDLE,
    "aes-tiny/loop/constant/count_q1": _IDLE,
    "aes-tiny/loop/pins-swapped/u_stage1.block+key": _XOR,
    "misty1-fast/pipeline/parts-swapped/stage30:d7_4-3": _TABLE,
    "misty1-small/loop/parts-swapped/stage1_level6:d7": _TABLE,
    "aes-tiny/loop/parts-swapped/stage2:sum_20-3": _TABLE,
    "lanes/lane-counter/reset-missing/lane_relay:hold_q": _EARLY_HOLD,
    "mars-engine/mars-engine/not-dropped/mars_keys:early": _TOGETHER,
    "mars-engine/mars-engine/equal-inverted/mars_keys:early-4": _TOGETHER,
    "mars-engine/mars-engine/falling-edge/mars_keys:second_q": _TOGETHER,
    "des-fast-ram/delay-line/constant/delay_ring:LAST-2": (
        "The ring may begin at any of its places: a word is read a full turn after it was written."
    ),
    "aes-tiny/loop/constant/gf_sums:u_n10.a": (
        "The two upper inputs of this table do not matter: its four parts are equal (16'h6666)."
    ),
    "aes-tiny-ctr/mode/pin-tied/u_chain.core_valid_i": (
        "In CTR a stream goes on with its counter block, whether a result leaves or not."
    ),
    "aes-tiny-ctr/mode/pin-tied/u_chain.rst_i": (
        "With one slot reset has nothing to clear in the chain: the number of the slot is the constant 0."
    ),
    "des-small-cfb/mode/pin-tied/u_chain.core_valid_i": (
        "In CFB decryption a stream goes on with the block that came in, which is in the chain already."
    ),
    "des-small-cfb/mode/pin-tied/u_chain.rst_i": (
        "With one slot reset has nothing to clear in the chain: the number of the slot is the constant 0."
    ),
    "chain/chain/and-to-or/chain:APART": (
        "The block that came in gets a ring of its own where the chain "
        "would do: more registers with the same words."
    ),
    "counter/counter/pins-swapped/counter:u_low.b+c": (
        "Both are inputs of one AND: the part moves where the step, the control and the counter are ready."
    ),
    "aes128-fast/held-key/pins-swapped/core:u_stage1.block+rk0": _XOR,
    "aes128-fast/key-unit/constant/schedule:key_6_q3": (
        "Zeroising expands another constant than zeros. "
        "Nothing depends on a key of before, and no block "
        "can be taken under that key."
    ),
    "aes128-fast/key-unit/parts-swapped/schedule:u_stage4.hop-2": "Both are copies of one signal.",
    "aes128-fast/key-unit/sources-swapped/schedule:hop_15_q2+hop_16_q2": "Both take copies of one signal.",
    "aes128-fast/key-unit/reset-missing/schedule:tag_2_1_q4": (
        "A place's number is for a word of the "
        "cycle. The unit is proven with any number "
        "in it after reset: what it may load is "
        "loaded again before key_ready_o."
    ),
    "mars-small/control/constant/match_q": (
        "A part of the time matches a cycle too early, after reset; the "
        "other parts do not, and done_q needs all."
    ),
    "mars-small/control/index/u_inner.fill_i": (
        "Blocks flow through all slots in the phase before, which "
        "ends with the key of zeros complete. All is forgotten in "
        "the promised cycles all the same."
    ),
    "cmac/cmac/or-to-and/control:kick_q": (
        "Phases of zeroising have no time of their own then. A phase ends when the key of zeros is complete, "
        "and in this loop of one register all is forgotten by that: busy_o is 0 earlier, and nothing is left."
    ),
    "ccm/ccm/reset-missing/loop_ccm:decrypt_q": _WITHIN.format("a packet's first word"),
    "gcm/gcm/reset-missing/gcm:free_q": (
        "A word is taken where the control is open, too, which reset closes for more than a cycle; free_q is "
        "made anew in the cycle after reset."
    ),
    "gcm/gcm/reset-missing/ghash:at_last_q": (
        "It is read with the last bit of turn, which reset clears, and made anew in every cycle."
    ),
    "loop-gcm/gcm/and-to-or/loop_gcm:initial_q-4": _ANY_IV,
    "loop-gcm/gcm/and-to-or/loop_gcm:tail_q-5": _ANY_IV,
    "loop-gcm/gcm/constant/loop_gcm:number_q-3": _ANY_IV,
    "loop-gcm/gcm/register-dropped/loop_gcm:aad_rest_q": (
        "rest_q took the same bytes from keep_q when the word began, and keep_q stays until the next word, "
        "which is the first of the data."
    ),
    "loop-xts/xts/constant/loop_xts:kind_q[4*n+:4]": (
        "What a place holds is read where a block leaves it. After reset none does before one went in."
    ),
}
"""Mutants that no check sees, each with the reason why it is no fault. One that is killed after all, or
that survives and is not here, is an error.
"""


def _subject(name: str) -> Subject:
    return next(s for s in SUBJECTS if f"{s.name}/{s.family}" == name)


def _edit(
    subject: str, kind: str, label: str, file: str, old: str, new: str, checks: tuple[str, ...] = ()
) -> Mutant:
    """A fault by hand: `old` is a pattern."""
    return _faulty(subject, kind, label, file, _by_hand(old, new), checks)


def _plain(
    subject: str, kind: str, label: str, file: str, old: str, new: str, checks: tuple[str, ...] = ()
) -> Mutant:
    """The same with `old` and `new` as they stand."""
    change = _by_hand(re.escape(old), new.replace("\\", r"\\"), every=True)
    return _faulty(subject, kind, label, file, change, checks)


def _faulty(
    subject: str, kind: str, label: str, file: str, fault: Fault | Faults, checks: tuple[str, ...] = ()
) -> Mutant:
    """The same with a fault by its meaning (tests/faults.py)."""
    found = _subject(subject)
    return Mutant(f"{subject}/{kind}/{label}", found, kind, file, fault, checks)


def _later(fault: str) -> Mutant:
    """A loop that is wrong only after a history: around the core a module that counts blocks, or waits for
    one (tests/verify/test_loops.py).
    """
    shell = SHELL
    for word, usual in USUAL.items():
        shell = shell.replace(f"= {word};", f"= {LATER[fault][0].get(word, usual)};")
    name = f"des-small/loop/later-blocks/{fault.replace(' ', '-')}"
    return Mutant(
        name,
        _subject("des-small/loop"),
        "later-blocks",
        "des_small.v",
        lambda text: text.replace("module des_small (", "module des_small_inside (") + shell,
    )


def targeted() -> list[Mutant]:
    """Faults that the operators do not make: those of issue 16, and those of the tests of engines."""
    held, stream, ring = "mars-small/control", "des-small-stream/stream", "delay-line"
    found = [_later(fault) for fault in LATER]
    # All resets of a kind.
    for subject, file in (("des-small/loop", "des_small.v"), ("des-fast/pipeline", "des_fast.v")):
        found.append(
            _faulty(
                subject,
                "all-resets",
                "valid-and-control",
                file,
                _by_hand(r"<= rst_i \? [^:?]+ : ", "<= ", every=True),
                ("reset", "proof"),
            )
        )
    found += [
        _plain(
            "misty1-fast/pipeline",
            "all-resets",
            "line-of-valid-bits",
            "misty1_fast.v",
            "~rst_i & left_q & line",
            "~rst_i & line",
            ("reset",),
        ),
        _plain(
            stream,
            "all-resets",
            "stream",
            "des_small_stream.sv",
            "wire clear = rst_i | ",
            "wire clear = ",
            ("reset",),
        ),
        _plain(
            stream,
            "all-resets",
            "announced",
            "des_small_stream.sv",
            "            out_valid_q <= 1'b0;\n            ready_q",
            "            out_valid_q <= 1'b1;\n            ready_q",
            ("reset",),
        ),
        _plain(
            "mars-engine/mars-engine",
            "all-resets",
            "control",
            "mars_ibm_4port_mars.sv",
            "if (rst_i)",
            "if (1'b0)",
            ("reset",),
        ),
    ]
    # A stream around a loop, by the checks of `verify` alone.
    found += [
        _plain(stream, "credits", f"{k}", "des_small_stream.sv", old, new, ("simulation",))
        for k, old, new in (
            ("2-too-many", "credit_q <= DEPTH[DEPTH_LOG2:0];", "credit_q <= DEPTH[DEPTH_LOG2:0] + 2;"),
            (
                "ready-late",
                "ready_q <= two | (one & ~accept) | taken;",
                "ready_q <= two | one | taken;",
            ),
            ("1-too-few", "credit_q <= DEPTH[DEPTH_LOG2:0];", "credit_q <= DEPTH[DEPTH_LOG2:0] - 1;"),
            ("given-twice", "credit_q <= credit;", "credit_q <= credit + {{DEPTH_LOG2{1'b0}}, load};"),
            ("not-asked", "core_valid_o = s_valid_i & ready_q;", "core_valid_o = s_valid_i;"),
            ("not-waited", "(stored_q != 0) & free;", "stored_q != 0;"),
            ("read-by-taken", "if (load) read_q <= read_q + 1'b1;", "if (taken) read_q <= read_q + 1'b1;"),
        )
    ]
    # CBC by the direction of another block.
    found += [
        _faulty(
            "des-small-cbc/mode",
            "direction",
            what.replace(" ", "-"),
            "des_small_cbc_chain.sv",
            fault,
            ("simulation",),
        )
        for what, fault in WAYS
    ]
    # Keys under traffic, and what zeroising reaches.
    found += [
        _plain(held, kind, label, "mars_small.v", old, new)
        for kind, label, old, new in (
            (
                "key-while-busy",
                "starves",
                "open_q <= held_q & ~key_valid_i & ~zeroise_i;",
                "open_q <= held_q & ~zeroise_i;",
            ),
            (
                "key-while-busy",
                "does-not-wait",
                "offer_q <= key_valid_i & quiet_q & ~open_q",
                "offer_q <= key_valid_i & ~open_q",
            ),
            ("key-while-busy", "no-time", "rest_q <= ~start_q & (rest_q | done_q);", "rest_q <= 1'b1;"),
            ("key-while-busy", "incomplete", "(expand_q & complete & ~zero_q)", "expand_q"),
            ("key-while-busy", "always", "assign key_ready_o = offer_q;", "assign key_ready_o = 1'b1;"),
            (
                "key-while-busy",
                "no-key",
                "assign ready_o = open_q & core_ready;",
                "assign ready_o = core_ready;",
            ),
            ("zeroise", "key", ".wipe_i(phase_q[0])", ".wipe_i(1'b0)"),
            ("zeroise", "block", ".fill_i(phase_q[2])", ".fill_i(1'b0)"),
            (
                "zeroise",
                "announced",
                "assign valid_o = core_valid & ~zero_q;",
                "assign valid_o = core_valid;",
            ),
        )
    ]
    found.append(
        _plain(
            "held-stream/stream",
            "credits",
            "4-too-many",
            "mars_small_deep_stream.sv",
            "room_q <= START[DEPTH_LOG2+1:0];",
            "room_q <= START[DEPTH_LOG2+1:0] + 4;",
        )
    )
    found.append(
        _plain(
            "held-stream/stream",
            "zeroise",
            "results",
            "mars_small.v",
            ".zeroise_i(zeroising)",
            ".zeroise_i(1'b0)",
        )
    )
    # Rings of RAM.
    rings = (
        ("des-fast-ram", "counter-by-2", r"at \+ 4'd1", "at + 4'd2"),
        ("des-fast-ram", "sometimes-written", r"words\[at\] <= d", "if (d[0]) words[at] <= d"),
        ("des-fast-ram", "bypass", r"behind <= words\[at\]", "behind <= at == 4'd3 ? d : words[at]"),
        ("des-fast-ram", "power-up", "initial at = 4'd0", "initial at = 4'd12"),
        ("des-fast-ram", "by-data", "at == LAST", "at == LAST && d[0]"),
        ("des-fast-ram", "no-reset", r"rst_i \|\| ", ""),
        ("des-fast-bram", "no-reset", r"rst_i \? \{BITS\{1'b0\}\} : next", "next"),
        ("des-fast-bram", "short-memory", r"\[0:TOP\]", "[0:TOP-1]"),
    )
    found += [
        _edit(f"{s}/{ring}", "ring", label, "des_fast.v", old, new, ("proof",))
        for s, label, old, new in rings
    ]
    # A unit that forgets later, or that takes in a key that is not offered.
    found += [
        _edit(
            "aes128-fast/key-unit",
            "later-keys",
            "a-thousand-cycles-later",
            "aes128_fast.v",
            r"(?s)reg  idle;(.*?)if \(rk1_load\[0\]\) rk1_o\[15:0\] <= ",
            (
                r"reg  idle;\n    reg [9:0] age;\1age <= rst_i | ~idle ? 10'd0 : age + 10'd1;\n if (age == "
                r"10'd1000) rk1_o <= 0; else if (rk1_load[0]) rk1_o[15:0] <= "
            ),
        ),
        _edit(
            "aes128-fast/key-unit",
            "later-keys",
            "another-key-not-offered",
            "aes128_fast.v",
            r"if \(rk1_load\[0\]\) rk1_o",
            "if (rk1_load[0] | (key_i[7:0] == 8'd3 & idle)) rk1_o",
        ),
    ]
    # Names, and files that were changed together with their digests.
    found += [
        _faulty(
            "des-small/loop",
            "names",
            "box",
            "des_small.v",
            _by_hand(r"\bdes_small_s1_lut4\b", "s1_lut4", every=True),
            ("names",),
        ),
        _edit(
            stream,
            "names",
            "hand-written",
            "des_small_stream.sv",
            r"module des_small_stream\b",
            "module cipherwright_stream",
            ("names",),
        ),
        _faulty(
            "des-fast-ram/delay-line",
            "names",
            "ring",
            "des_fast.v",
            _by_hand(r"\bdes_fast_delay_ring\b", "delay_ring", every=True),
            ("names",),
        ),
        _plain(
            stream,
            "digest",
            "stream",
            "des_small_stream.sv",
            "ready_q <= two | (one & ~accept) | taken;",
            "ready_q <= two | one | taken;",
            ("files",),
        ),
        _faulty("des-small-cbc/mode", "digest", "chain", "des_small_cbc_chain.sv", WAYS[0][1], ("files",)),
        _plain(
            "counter/counter",
            "digest",
            "counter",
            "aes128_fast_ctr_counter.sv",
            "(a & b & c)",
            "(a & b)",
            ("files",),
        ),
        _plain(
            "mars-engine/mars-engine",
            "digest",
            "engine",
            "mars_ibm_4port_mars.sv",
            "if (ends) turned <= decrypt;",
            "turned <= decrypt;",
            ("files",),
        ),
        _edit(
            "des-small/loop",
            "digest",
            "comment",
            "des_small.v",
            r"\nendmodule",
            "\n// nothing\nendmodule",
            ("files",),
        ),
        _edit(
            "des-small/loop",
            "digest",
            "testbench",
            "des_small_tb.v",
            r"\nendmodule",
            "\ninitial $finish;\nendmodule",
            ("files",),
        ),
    ]
    # Faults of the tests of engines.
    for n, (file, fault) in enumerate(ENGINE_FAULTS):
        found.append(
            _faulty(
                "mars-engine/mars-engine",
                "by-hand",
                f"{file.removeprefix('cipherwright_').removesuffix('.sv')}-{n}",
                file.replace("cipherwright", "mars_ibm_4port"),
                fault,
            )
        )
    for n, (file, fault) in enumerate(STALE):
        found.append(
            _faulty(
                "mars-engine/mars-engine",
                "by-hand",
                f"stale{file.removesuffix('.sv')}-{n}",
                f"mars_ibm_4port{file}",
                fault,
                ("reset", "sby mars.sby", "sby mars_keys.sby"),
            )
        )
    for n, (file, fault) in enumerate(f for f in PROCESSOR_FAULTS if f[0].startswith("cipherwright")):
        found.append(
            _faulty(
                "rijndael/processor",
                "by-hand",
                f"{file.removeprefix('cipherwright_').removesuffix('.sv')}-{n}",
                file.replace("cipherwright", "rijndael_ucla"),
                fault,
            )
        )
    for n, (file, fault) in enumerate(LEFT):
        found.append(
            _faulty(
                "rijndael/processor",
                "by-hand",
                f"left{file.removesuffix('.sv')}-{n}",
                f"rijndael_ucla{file}",
                fault,
                ("reset", "sby rijndael.sby both"),
            )
        )
    return found
