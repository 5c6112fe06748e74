"""IVs of any length in a pipeline of GCM: checks hold, and faults of what makes J0 are seen."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cipherwright.errors import CheckFailed
from cipherwright.verify.forgotten import check_zeroise
from cipherwright.verify.gcm import check_packets, check_resets, published_packets
from cipherwright.verify.packets import PacketBench
from cipherwright.verify.reset import check_reset
from tests.cavp_gcm import FILES, cases, run_cases, why_left_out
from tests.conftest import QUICK_GCM, Built
from tests.faults import drop, takes, use

from .chosen_faults import faulty_bench

ANY_IV = (*QUICK_GCM, "iv_bits=any")

FAULTS = {
    "an IV's last bytes are not counted": drop("data_takes", "(keep_l13[15] & ~aad_l13)"),
    "J0 of the packet before": drop("derived_q", "~end_0"),
    "the upper digits of J0's number are not taken": takes("count_loaded", "1'b0"),
    "the last digit of J0's number is told wrongly": use("count_at_15", "4'd15", "4'd7"),
    "the first block of data has J0": use("step_3", "settle[10]", "1'b0"),
    "the tag has the number 1 of a short IV": use("chain", "initial_q", "32'd1"),
    "the number of J0 stays for the next packet": takes("fresh_4", "making"),
    "an IV makes a tag": drop("tag_v", "~derives_l32"),
    "an IV is shown": drop("text_1", "~iv_word_i"),
    "an IV is hashed as a text": drop("decrypt_1", "iv_word_i"),
    "an IV is counted as additional data": drop("aad_1", "~iv_word_i"),
    "J0 has the key stream": drop("shown", "~{16{derives_l14}}"),
    "a word before J0": takes("hold_q", "1'b0"),
    "a key between an IV and its packet": drop("inside_q", "iv_word_1"),
    "the IV of the port in place of J0": drop("load_2", "~derived_q"),
    "a counter block carries beyond 32 bits": use(
        "chain", "iv_4", "(iv_4 + {95'd0, ~blank_4[0] & (number == 32'd0)})"
    ),
}


@pytest.fixture(scope="module")
def bench(
    built: Callable[..., Built], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[int], PacketBench]:
    """The core with the fault of a number, or -1 for none."""
    folder = tmp_path_factory.mktemp("hashed_iv")
    return faulty_bench(PacketBench, built(*ANY_IV), FAULTS.values(), ("control", "gcm"), folder)


@pytest.mark.long_check
def test_packets_and_resets(bench: Callable[[int], PacketBench], built: Callable[..., Built]) -> None:
    p = built(*ANY_IV)[0].parameters
    assert published_packets(bench(-1), p).startswith("6 published packets")
    assert "IVs of 1 to 128 bytes, and numbers that wrap" in check_packets(bench(-1), p, 100)
    assert "nothing of before leaves" in check_resets(bench(-1), p)


@pytest.mark.long_check
def test_nothing_is_left_by_a_reset_and_by_zeroising(built: Callable[..., Built]) -> None:
    """The pipeline and its key unit are as without the option."""
    folder = built(*ANY_IV)[1]
    check_reset(folder)
    check_zeroise(folder)


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_seen(
    fault: str, bench: Callable[[int], PacketBench], built: Callable[..., Built]
) -> None:
    p = built(*ANY_IV)[0].parameters
    with pytest.raises(CheckFailed):
        check_packets(bench(list(FAULTS).index(fault)), p, 24)


def test_a_sample_of_nist_s_vectors(bench: Callable[[int], PacketBench]) -> None:
    """Under keys of 128 bits, with IVs of 8 and 1,024 bits: every 121st case that is encrypted, every 17th
    that is decrypted and has a tag of 128 bits, and of each length 13 that must fail.
    """
    chosen = [
        c
        for iv in (1, 128)
        for way in FILES
        for found in [[c for c in cases(128, way) if len(c.iv) == iv and not why_left_out(c, 16, True)]]
        for c in [*found[:: 121 if way == "encrypt" else 17], *[c for c in found if c.fails][:13]]
    ]
    counts = run_cases(bench(-1), chosen)
    assert counts["must fail, and fails"] >= 26
    assert counts.total() == len(chosen)
