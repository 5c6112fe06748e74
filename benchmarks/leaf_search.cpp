// Substitution boxes of low degree as sums of functions of four input bits: few such leaves and few XOR tables.
//
// Input (stdin): n outputs seconds seed; then for each output: bits that are added to it, number of products, the products
// (digits of the input bits, "-" for one). Output: the number of LUT4s; "leaf PRODUCTS" for each leaf; "out SIGNALS" for
// each output (x3: input bit 3, g5: leaf 5). Simulated annealing: an output keeps part of its sum, takes other signals, and
// what is left must be a function of four bits; or two leaves of a sum exchange products that both may hold.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>
using namespace std;

typedef unsigned __int128 Poly;  // a set of products: bit k is product[k]
static mt19937_64 rng;
static int pick(int n) { return (int)(rng() % (uint64_t)n); }
static double uniform() { return (double)(rng() >> 11) * 0x1p-53; }

static int n, outputs;
static vector<int> product;          // masks of input bits
static map<int, int> place;          // mask -> index
static vector<int> added;            // bits added to each output
static vector<Poly> target;

static int inputs_of(Poly p) {
    int s = 0;
    for (size_t k = 0; k < product.size(); k++) if (p >> k & 1) s |= product[k];
    return s;
}
static int weight(Poly p) { return __builtin_popcountll((uint64_t)p) + __builtin_popcountll((uint64_t)(p >> 64)); }
static int four(int s) { while (__builtin_popcount(s) < 4) s |= 1 << pick(n); return s; }

struct Form {
    vector<Poly> leaf;
    vector<vector<int>> sum;  // of each output: below n an input bit, else n + leaf
    Poly value(int signal) const { return signal < n ? (Poly)1 << place[1 << signal] : leaf[signal - n]; }
    int add(Poly p) { leaf.push_back(p); return n + (int)leaf.size() - 1; }
    void tidy() {  // equal leaves become one, pairs of equal signals cancel
        vector<int> to(leaf.size(), -1);
        vector<Poly> kept;
        map<pair<uint64_t, uint64_t>, int> seen;
        for (auto &terms : sum) {
            map<int, int> count;
            for (int x : terms) {
                if (x >= n) {
                    Poly p = leaf[x - n];
                    auto found = seen.emplace(make_pair((uint64_t)p, (uint64_t)(p >> 64)), (int)kept.size());
                    if (found.second) kept.push_back(p);
                    x = n + found.first->second;
                }
                count[x] ^= 1;
            }
            terms.clear();
            for (auto &c : count) if (c.second) terms.push_back(c.first);
        }
        leaf = kept;
    }
    double cost(int &luts) const {
        set<int> used;
        int terms = 0;
        luts = 0;
        for (int o = 0; o < outputs; o++) {
            for (int x : sum[o]) if (x >= n) used.insert(x);
            int size = (int)sum[o].size();
            luts += size + added[o] > 1 ? max(1, (size + added[o] + 1) / 3) : 0;
            terms += size;
        }
        luts += (int)used.size();
        return luts + 0.02 * terms;
    }
};

static Form greedy() {
    Form f;
    f.sum.resize(outputs);
    for (int o = 0; o < outputs; o++) {
        Poly rest = target[o];
        while (rest) {
            Poly best = 0;
            for (int t = 0; t < 60; t++) {
                int s = four(0);
                Poly p = 0;
                for (size_t k = 0; k < product.size(); k++) if ((rest >> k & 1) && !(product[k] & ~s)) p |= (Poly)1 << k;
                if (weight(p) > weight(best)) best = p;
            }
            rest ^= best;
            if (best) f.sum[o].push_back(f.add(best));
        }
    }
    f.tidy();
    return f;
}

static bool exchange(Form &f, int o) {
    vector<int> leaves;
    for (int x : f.sum[o]) if (x >= n) leaves.push_back(x);
    if (leaves.size() < 2) return false;
    int a = leaves[pick((int)leaves.size())], b = leaves[pick((int)leaves.size())];
    if (a == b) return false;
    int common = four(inputs_of(f.value(a))) & four(inputs_of(f.value(b)));
    Poly moved = 0;
    for (size_t k = 0; k < product.size(); k++) if (!(product[k] & ~common) && pick(2)) moved |= (Poly)1 << k;
    if (!moved) return false;
    int new_a = f.add(f.value(a) ^ moved), new_b = f.add(f.value(b) ^ moved);
    bool everywhere = pick(2);
    for (int p = 0; p < outputs; p++) {
        auto &terms = f.sum[p];
        auto at_a = find(terms.begin(), terms.end(), a), at_b = find(terms.begin(), terms.end(), b);
        if ((p == o || everywhere) && at_a != terms.end() && at_b != terms.end()) { *at_a = new_a; *at_b = new_b; }
        for (int x : {new_a, new_b}) if (!f.value(x)) terms.erase(remove(terms.begin(), terms.end(), x), terms.end());
    }
    return true;
}

static bool rebuild(Form &f, int o) {
    auto terms = f.sum[o];
    shuffle(terms.begin(), terms.end(), rng);
    terms.resize(min<size_t>(pick(4), terms.size()));
    Poly rest = target[o];
    for (int x : terms) rest ^= f.value(x);
    int signals = n + (int)f.leaf.size();
    vector<vector<int>> ways;  // signals to add; what then remains is a leaf
    auto consider = [&](Poly left, vector<int> more) { if (__builtin_popcount(inputs_of(left)) <= 4) ways.push_back(more); };
    consider(rest, {});
    for (int i = 0; i < signals; i++) {
        Poly one = rest ^ f.value(i);
        consider(one, {i});
        for (int j = i + 1; j < signals; j++) if (weight(one ^ f.value(j)) <= 15) consider(one ^ f.value(j), {i, j});
    }
    if (ways.empty()) return false;
    auto price = [&](const vector<int> &way) {
        Poly left = rest;
        for (int x : way) left ^= f.value(x);
        return (left != 0) + 0.3 * (double)way.size();
    };
    auto chosen = ways[pick((int)ways.size())];
    for (int t = 0; t < 3; t++) { auto other = ways[pick((int)ways.size())]; if (price(other) < price(chosen)) chosen = other; }
    for (int x : chosen) { terms.push_back(x); rest ^= f.value(x); }
    if (rest) terms.push_back(f.add(rest));
    f.sum[o] = terms;
    return true;
}

int main() {
    double seconds;
    uint64_t seed;
    cin >> n >> outputs >> seconds >> seed;
    rng.seed(seed);
    int degree = n > 7 ? 2 : 3;  // what fits the products of a box into 128 bits
    for (int s = 1; s < 1 << n; s++) if (__builtin_popcount(s) <= degree) { place[s] = (int)product.size(); product.push_back(s); }
    target.assign(outputs, 0);
    added.resize(outputs);
    for (int o = 0; o < outputs; o++) {
        int count;
        cin >> added[o] >> count;
        while (count--) {
            string word;
            cin >> word;
            int s = 0;
            for (char c : word) if (c != '-') s |= 1 << (c - '0');
            if (s) target[o] ^= (Poly)1 << place.at(s);
        }
    }
    auto began = chrono::steady_clock::now();
    auto now = [&] { return chrono::duration<double>(chrono::steady_clock::now() - began).count(); };
    Form best;
    int fewest = 1 << 30;
    while (now() < seconds) {
        Form f = greedy();
        int luts;
        double cost = f.cost(luts), start = now(), span = min(40.0, seconds), heat = 0.55;
        while (now() - start < span && now() < seconds) {
            heat = 0.55 * (1 - (now() - start) / span) + 0.04;
            Form g = f;
            int o = pick(outputs);
            if (!(pick(4) ? rebuild(g, o) : exchange(g, o))) continue;
            g.tidy();
            double other = g.cost(luts);
            if (other > cost && uniform() >= exp((cost - other) / heat)) continue;
            f = g;
            cost = other;
            if (luts < fewest) { fewest = luts; best = f; fprintf(stderr, "%.0f s: %d LUT4s, %zu leaves\n", now(), luts, f.leaf.size()); }
        }
    }
    printf("%d\n", fewest);
    for (Poly p : best.leaf) {
        printf("leaf");
        for (size_t k = 0; k < product.size(); k++) if (p >> k & 1) { printf(" "); for (int v = 0; v < n; v++) if (product[k] >> v & 1) printf("%d", v); }
        printf("\n");
    }
    for (auto &terms : best.sum) { printf("out"); for (int x : terms) printf(" %s%d", x < n ? "x" : "g", x < n ? x : x - n); printf("\n"); }
}
