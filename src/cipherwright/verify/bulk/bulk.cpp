// The frame of a bit-sliced evaluator. In the place of NETLIST is the text of what is evaluated: `frame_of`, and functions over slots `v`, each a vector of
// LANES independent instances of one bit. Rows of ports are bytes, the most significant first.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#if defined(__AVX512F__)
typedef uint64_t V __attribute__((vector_size(64)));
#if defined(__GNUC__) && !defined(__clang__)
// The instruction itself, without the header, whose reading takes longer than many a netlist.
typedef long long Signed __attribute__((vector_size(64)));
#define MUX(s, b, a) ((V)__builtin_ia32_pternlogq512_mask((Signed)(s), (Signed)(b), (Signed)(a), 0xca, (unsigned char)-1))
#endif
#elif defined(__AVX2__)
typedef uint64_t V __attribute__((vector_size(32)));
#else
typedef uint64_t V __attribute__((vector_size(16)));
#endif
#ifndef MUX
#define MUX(s, b, a) ((a) ^ ((s) & ((b) ^ (a))))
#endif
struct Port { uint32_t slot, width; };
// Ports and registers by their slots, and what computes the others. `spare`: slots that `evaluate` uses behind those of the registers' next values.
struct Frame {
    uint32_t slots, state, registers, outputs, spare;
    const Port *in_ports;
    const uint32_t *data_slots, *out_slots, *out_widths;
    void (*evaluate)(V *v, const uint32_t *tables);
    const uint32_t *tables;
};
#include NETLIST

static const int64_t WORDS = sizeof(V) / 8, LANES = 64 * WORDS;

// 64 by 64 bits, WORDS of them side by side: bit k of vector i goes to bit i of vector k.
static void transpose(V *a) {
    uint64_t m = 0x00000000ffffffffull;
    for (int j = 32; j; j >>= 1, m ^= m << j)
        for (int k = 0; k < 64; k = ((k | j) + 1) & ~j) {
            const V t = ((a[k] >> j) ^ a[k | j]) & m;
            a[k] ^= t << j;
            a[k | j] ^= t;
        }
}

static inline uint32_t bytes_of(uint32_t width) { return (width + 7) / 8; }

// LANES rows of a port into its slots; where there are fewer, the others are 0.
static void load(V *v, Port p, const uint8_t *rows, int64_t n) {
    const uint32_t bytes = bytes_of(p.width);
    for (uint32_t at = 0; at < bytes; at += 8) {
        const uint32_t part = bytes - at < 8 ? bytes - at : 8;
        V a[64] = {};
        uint64_t *w = reinterpret_cast<uint64_t *>(a);
        if (part == 8)
            for (int64_t i = 0; i < n; ++i) std::memcpy(w + i, rows + i * bytes + at, 8);
        else
            for (int64_t i = 0; i < n; ++i) std::memcpy(w + i, rows + i * bytes + at, part);
        transpose(a);
        for (uint32_t b = 0; b < part; ++b)
            for (uint32_t k = 0; k < 8; ++k) {
                const uint32_t bit = 8 * (bytes - 1 - at - b) + k;
                if (bit < p.width) v[p.slot + bit] = a[8 * b + k];
            }
    }
}

static void store(const V *v, const uint32_t *slots, uint32_t width, uint8_t *rows, int64_t n) {
    const uint32_t bytes = bytes_of(width);
    for (uint32_t at = 0; at < bytes; at += 8) {
        const uint32_t part = bytes - at < 8 ? bytes - at : 8;
        V a[64] = {};
        for (uint32_t b = 0; b < part; ++b)
            for (uint32_t k = 0; k < 8; ++k) {
                const uint32_t bit = 8 * (bytes - 1 - at - b) + k;
                if (bit < width) a[8 * b + k] = v[slots[bit]];
            }
        transpose(a);
        const uint64_t *w = reinterpret_cast<const uint64_t *>(a);
        if (part == 8)
            for (int64_t i = 0; i < n; ++i) std::memcpy(rows + i * bytes + at, w + i, 8);
        else
            for (int64_t i = 0; i < n; ++i) std::memcpy(rows + i * bytes + at, w + i, part);
    }
}

struct Machine {
    Frame f;
    V *v;
    void evaluate() const { f.evaluate(v, f.tables); }
    void tick() const {
        V *next = v + f.slots;
        for (uint32_t i = 0; i < f.registers; ++i) next[i] = v[f.data_slots[i]];
        std::memcpy(v + f.state, next, f.registers * sizeof(V));
    }
    const uint32_t *slots_of(int64_t port) const {
        const uint32_t *slots = f.out_slots;
        for (int64_t i = 0; i < port; ++i) slots += f.out_widths[i];
        return slots;
    }
    // Rows from number `at` on of some inputs.
    void put(int64_t count, const int64_t *ports, const uint8_t *const *rows, int64_t at, int64_t n) const {
        for (int64_t i = 0; i < count; ++i) load(v, f.in_ports[ports[i]], rows[i] + at * bytes_of(f.in_ports[ports[i]].width), n);
    }
};

// 0 or 1 where all lanes have that value, otherwise -1.
static int same(V x) {
    bool all = true, none = true;
    for (int64_t i = 0; i < WORDS; ++i) {
        all &= x[i] == ~0ull;
        none &= x[i] == 0;
    }
    return all ? 1 : none ? 0 : -1;
}

extern "C" {
int64_t bulk_lanes() { return LANES; }

// A machine of these tables, which must outlive it (a compiled netlist has none): all slots 0 but the constant 1.
void *bulk_new(const uint32_t *tables) {
    const Frame f = frame_of(tables);
    const size_t size = (f.slots + f.registers + f.spare) * sizeof(V);
    V *v = static_cast<V *>(std::aligned_alloc(sizeof(V), size));
    Machine *m = v ? static_cast<Machine *>(std::malloc(sizeof(Machine))) : nullptr;
    if (!m) {
        std::free(v);
        return nullptr;
    }
    std::memset(v, 0, size);
    v[1] = ~V{};
    *m = {f, v};
    return m;
}
void bulk_free(void *p) {
    std::free(static_cast<Machine *>(p)->v);
    std::free(p);
}

// An input's rows, one a lane; they stay.
void bulk_put(void *p, int64_t port, const uint8_t *rows) { static_cast<Machine *>(p)->put(1, &port, &rows, 0, LANES); }

// An output's rows after bulk_evaluate.
void bulk_get(void *p, int64_t port, uint8_t *rows) {
    const Machine &m = *static_cast<Machine *>(p);
    store(m.v, m.slots_of(port), m.f.out_widths[port], rows, LANES);
}

void bulk_evaluate(void *p) { static_cast<Machine *>(p)->evaluate(); }
void bulk_tick(void *p) { static_cast<Machine *>(p)->tick(); }

// Registers as wires: n rows of the given inputs to n rows of an output.
void bulk_wires(void *p, int64_t count, const int64_t *ports, const uint8_t *const *rows, int64_t out, uint8_t *results, int64_t n) {
    const Machine &m = *static_cast<Machine *>(p);
    const uint32_t *slots = m.slots_of(out), width = m.f.out_widths[out];
    for (int64_t at = 0; at < n; at += LANES) {
        const int64_t part = n - at < LANES ? n - at : LANES;
        m.put(count, ports, rows, at, part);
        m.evaluate();
        store(m.v, slots, width, results + at * bytes_of(width), part);
    }
}

// A machine with state: words of LANES rows are offered in every cycle until all are taken, for at most `cycles` cycles. `at`: ports valid_i and
// ready_o (-1: always ready), valid_o, the output. Returns the number of results, or -1 where lanes do not agree on a control bit.
int64_t bulk_feed(void *p, int64_t count, const int64_t *ports, const uint8_t *const *rows, const int64_t *at, uint8_t *results, int64_t n, int64_t cycles) {
    const Machine &m = *static_cast<Machine *>(p);
    const uint32_t *slots = m.slots_of(at[3]), width = m.f.out_widths[at[3]];
    int64_t next = 0, done = 0;
    bool loaded = false;
    for (int64_t c = 0; c < cycles && done < n; ++c) {
        if (!loaded && next < n) {
            m.put(count, ports, rows, next, n - next < LANES ? n - next : LANES);
            loaded = true;
        }
        m.v[m.f.in_ports[at[0]].slot] = next < n ? ~V{} : V{};
        m.evaluate();
        const int ready = at[1] < 0 ? 1 : same(m.v[*m.slots_of(at[1])]), valid = same(m.v[*m.slots_of(at[2])]);
        if (ready < 0 || valid < 0) return -1;
        if (valid) {
            const int64_t part = n - done < LANES ? n - done : LANES;
            store(m.v, slots, width, results + done * bytes_of(width), part);
            done += part;
        }
        if (ready && next < n) {
            next += n - next < LANES ? n - next : LANES;
            loaded = false;
        }
        m.tick();
    }
    return done;
}
}
