#!/bin/sh
# The main job on real input: build a DES core, prove it, encrypt a real file through the simulated hardware both
# ways, compare with OpenSSL, place and route it, and print the report on one screen.
set -eu
: "${CIPHERWRIGHT:=cipherwright}" "${PYTHON:=python3}" "${DEMO_PRESET:=des-fast}" "${DEMO_MIB:=1}" "${DEMO_SEEDS:=1}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
key=133457799bbcdff1

echo "1. Build"
"$CIPHERWRIGHT" build "$DEMO_PRESET" -o "$work/core" --picture svg
echo "2. Verify: known answers, OpenSSL, Monte Carlo, latency, and a proof for every key and every block"
"$CIPHERWRIGHT" verify "$work/core"
echo "3. A real file of at least $DEMO_MIB MiB through the simulated hardware"
# Something real that every machine has: the standard library's sources, padded as PKCS #7 says.
"$PYTHON" examples/real_file.py "$DEMO_MIB" "$work/plain"
"$CIPHERWRIGHT" encrypt "$DEMO_PRESET" --key $key "$work/plain" "$work/cipher"
openssl enc -des-ecb -provider legacy -provider default -nopad -K $key -in "$work/plain" -out "$work/openssl"
cmp "$work/cipher" "$work/openssl" && echo "   $(wc -c < "$work/cipher") bytes: the same as OpenSSL's"
"$CIPHERWRIGHT" decrypt "$DEMO_PRESET" --key $key "$work/cipher" "$work/back"
cmp "$work/plain" "$work/back" && echo "   and back again"
echo "4. The same file once more, with key and direction changing from cycle to cycle"
"$PYTHON" examples/agile_file.py "$work/core" "$work/plain"
echo "5. Place and route"
"$CIPHERWRIGHT" implement "$work/core" --seeds "$DEMO_SEEDS"
