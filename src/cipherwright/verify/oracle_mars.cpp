// MARS of Crypto++ in ECB, with keys of any number of words (its SetKey takes multiples of eight bytes only).
#include <crypto++/mars.h>
#include <cstdint>

namespace {
template <class Cipher> void run(const uint8_t *key, unsigned key_bytes, const uint8_t *in, uint8_t *out, uint64_t blocks)
{
    Cipher cipher;
    cipher.UncheckedSetKey(key, key_bytes, CryptoPP::g_nullNameValuePairs);
    for (uint64_t i = 0; i < blocks; ++i) cipher.ProcessBlock(in + 16 * i, out + 16 * i);
}
}

extern "C" void mars_ecb(const uint8_t *key, unsigned key_bytes, int decrypt, const uint8_t *in, uint8_t *out, uint64_t blocks)
{
    (decrypt ? run<CryptoPP::MARS::Decryption> : run<CryptoPP::MARS::Encryption>)(key, key_bytes, in, out, blocks);
}
