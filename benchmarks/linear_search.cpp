// Fewest k-input XOR nodes for a GF(2)-linear map, by local search over networks.
//
// Input (stdin): k depth rows columns extra seconds seed, then one hexadecimal row a line; optionally nodes to start from
// ("node OPERANDS..." in order; a signal below `columns` is an input bit, the others count nodes), last the lines
// "out SIGNAL" for each row.  `extra`: inputs of its own that every output node takes besides (a key bit: 1).
// Output: the best network in the same form.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>
using namespace std;
typedef unsigned __int128 u128;
typedef u128 Vec;

struct Node { Vec vec; vector<int> ops; bool target; };
static int K, D, ROWS, COLS, EXTRA;
static mt19937_64 rng;
static int rnd(int n) { return (int)(rng() % (uint64_t)n); }

struct Net {
    vector<Node> n;            // COLS inputs first; dead nodes have ops empty and dead flag
    vector<char> dead;
    vector<int> out;           // row -> node
    vector<vector<int>> users;
    vector<int> asap, alap;
    int limit(int i) const { return n[i].target ? K - EXTRA : K; }
    void rebuild_users() {
        users.assign(n.size(), {});
        for (size_t i = COLS; i < n.size(); i++) if (!dead[i]) for (int o : n[i].ops) users[o].push_back((int)i);
    }
    void level() {
        asap.assign(n.size(), 0); alap.assign(n.size(), D);
        vector<int> order = topo();
        for (int i : order) for (int o : n[i].ops) asap[i] = max(asap[i], asap[o] + 1);
        for (auto it = order.rbegin(); it != order.rend(); ++it) for (int o : n[*it].ops) alap[o] = min(alap[o], alap[*it] - 1);
    }
    vector<int> topo() {
        vector<int> deg(n.size(), 0), q, order;
        for (size_t i = 0; i < n.size(); i++) { if (dead[i]) continue; deg[i] = (int)n[i].ops.size(); if (!deg[i]) q.push_back((int)i); }
        for (size_t h = 0; h < q.size(); h++) { int i = q[h]; if (i >= COLS) order.push_back(i); for (int u : users[i]) if (--deg[u] == 0) q.push_back(u); }
        return order;
    }
    bool consistent() {
        rebuild_users();
        size_t alive = 0; for (size_t i = COLS; i < n.size(); i++) alive += !dead[i];
        if (topo().size() != alive) return false;
        level();
        for (size_t i = COLS; i < n.size(); i++) if (!dead[i]) { if (asap[i] > alap[i] || (int)n[i].ops.size() > limit((int)i)) return false; }
        return true;
    }
    int sweep() {               // remove unused non-targets
        int removed = 0; bool again = true;
        while (again) {
            again = false; rebuild_users();
            for (size_t i = COLS; i < n.size(); i++) if (!dead[i] && !n[i].target && users[i].empty()) { dead[i] = 1; n[i].ops.clear(); removed++; again = true; }
        }
        return removed;
    }
    int cost() const { int c = 0; for (size_t i = COLS; i < n.size(); i++) c += !dead[i]; return c; }
    int operands() const { int c = 0; for (size_t i = COLS; i < n.size(); i++) if (!dead[i]) c += (int)n[i].ops.size(); return c; }
    void compact() {
        vector<int> order = topo(), map(n.size(), -1);
        vector<Node> m; for (int i = 0; i < COLS; i++) { map[i] = i; m.push_back(n[i]); }
        for (int i : order) { map[i] = (int)m.size(); Node x = n[i]; for (int &o : x.ops) o = map[o]; m.push_back(x); }
        for (int &o : out) o = map[o];
        n = m; dead.assign(n.size(), 0); rebuild_users(); level();
    }
    vector<char> descendants(int i) const {
        vector<char> d(n.size(), 0); vector<int> st{i}; d[i] = 1;
        while (!st.empty()) { int x = st.back(); st.pop_back(); for (int u : users[x]) if (!d[u]) { d[u] = 1; st.push_back(u); } }
        return d;
    }
};

static uint64_t mix(Vec v) { uint64_t x = (uint64_t)v ^ ((uint64_t)(v >> 64) * 0x9E3779B97F4A7C15ull); x ^= x >> 29; x *= 0xBF58476D1CE4E5B9ull; x ^= x >> 32; return x; }

// All ways (up to a cap) to write `goal` as a sum of at most `lim` of the allowed signals.
struct Finder {
    vector<int> slot; vector<pair<int,int>> pairs; vector<Vec> pv; vector<int> next;
    void find(const Net &net, const vector<int> &allowed, Vec goal, int lim, int cap, vector<vector<int>> &found) {
        int m = (int)allowed.size();
        static vector<int> table; const int BITS = 16; table.assign(1 << BITS, -1);
        auto at = [&](int a) { return net.n[allowed[a]].vec; };
        // singles and pairs by a small table of singles
        for (int a = 0; a < m; a++) if (at(a) == goal) { found.push_back({allowed[a]}); }
        unordered_map<uint64_t,int> single; single.reserve(m * 2);
        for (int a = 0; a < m; a++) single[mix(at(a))] = a;
        for (int a = 0; a < m; a++) { auto it = single.find(mix(at(a) ^ goal)); if (it != single.end() && it->second > a && at(it->second) == (at(a) ^ goal)) found.push_back({allowed[a], allowed[it->second]}); }
        if (lim < 3) return;
        for (int a = 0; a < m; a++) for (int b = a + 1; b < m; b++) {
            auto v = at(a) ^ at(b) ^ goal; auto it = single.find(mix(v));
            if (it != single.end() && it->second > b && at(it->second) == v) { found.push_back({allowed[a], allowed[b], allowed[it->second]}); if ((int)found.size() >= cap) break; }
        }
        if (lim < 4) return;
        pairs.clear(); pv.clear(); next.clear();
        int np = m * (m - 1) / 2; pairs.reserve(np); pv.reserve(np); next.reserve(np);
        for (int a = 0; a < m; a++) for (int b = a + 1; b < m; b++) {
            Vec v = at(a) ^ at(b), w = v ^ goal;
            for (int h = table[mix(w) & ((1 << BITS) - 1)]; h >= 0; h = next[h]) if (pv[h] == w) {
                auto [c, d] = pairs[h];
                if (c != a && d != b && c != b && d != a) { found.push_back({allowed[a], allowed[b], allowed[c], allowed[d]}); }
            }
            int s = (int)(mix(v) & ((1 << BITS) - 1));
            next.push_back(table[s]); table[s] = (int)pairs.size(); pairs.push_back({a, b}); pv.push_back(v);
            if ((int)found.size() >= cap) return;
        }
        if (lim < 5) return;
        for (int a = 0; a < m && (int)found.size() < cap; a++) for (int t = 0; t < 400; t++) {   // sampled: single + pair + pair
            int q = rnd((int)pairs.size()); auto [b, c] = pairs[q]; if (b == a || c == a) continue;
            Vec w = pv[q] ^ at(a) ^ goal;
            for (int h = table[mix(w) & ((1 << BITS) - 1)]; h >= 0; h = next[h]) if (pv[h] == w) {
                auto [d, e] = pairs[h]; set<int> s{a, b, c, d, e}; if (s.size() == 5) { vector<int> f; for (int x : s) f.push_back(allowed[x]); found.push_back(f); }
            }
        }
        if (lim < 6) return;
        for (int t = 0; t < 40000 && (int)found.size() < cap; t++) {
            auto [a, b] = pairs[rnd((int)pairs.size())]; auto [c, d] = pairs[rnd((int)pairs.size())];
            set<int> s{a, b, c, d}; if (s.size() < 4) continue;
            Vec w = at(a) ^ at(b) ^ at(c) ^ at(d) ^ goal;
            for (int h = table[mix(w) & ((1 << BITS) - 1)]; h >= 0; h = next[h]) if (pv[h] == w) {
                auto [e, f] = pairs[h]; set<int> z = s; z.insert(e); z.insert(f); if (z.size() == 6) { vector<int> g; for (int x : z) g.push_back(allowed[x]); found.push_back(g); }
            }
        }
    }
};
static Finder finder;

static vector<int> allowed_for(const Net &net, int u, int without) {
    vector<char> desc = net.descendants(u); vector<int> a;
    for (size_t i = 0; i < net.n.size(); i++) if (!net.dead[i] && !(EXTRA && net.n[i].target) && !desc[i] && (int)i != without && net.asap[i] <= net.alap[u] - 1) a.push_back((int)i);
    shuffle(a.begin(), a.end(), rng);
    return a;
}

static bool toggle(vector<int> &ops, int s) { auto it = find(ops.begin(), ops.end(), s); if (it != ops.end()) { ops.erase(it); return false; } ops.push_back(s); return true; }

static Net start_naive(const vector<Vec> &rows) {
    Net net; for (int c = 0; c < COLS; c++) net.n.push_back({(Vec)1 << c, {}, false});
    for (Vec r : rows) {
        vector<int> terms; for (int c = 0; c < COLS; c++) if (r >> c & 1) terms.push_back(c);
        // balanced tree of k-input nodes
        while ((int)terms.size() > K - EXTRA) {
            vector<int> nextt; size_t i = 0;
            while (i < terms.size()) {
                size_t take = min((size_t)K, terms.size() - i);
                if (take == 1) { nextt.push_back(terms[i]); i++; continue; }
                Node x{0, {}, false}; for (size_t j = i; j < i + take; j++) { x.ops.push_back(terms[j]); x.vec ^= net.n[terms[j]].vec; }
                int found = -1; for (size_t q = COLS; q < net.n.size(); q++) if (net.n[q].vec == x.vec && !net.n[q].target) found = (int)q;
                if (found < 0) { net.n.push_back(x); found = (int)net.n.size() - 1; }
                nextt.push_back(found); i += take;
            }
            terms = nextt;
        }
        Node x{r, terms, true}; net.n.push_back(x); net.out.push_back((int)net.n.size() - 1);
    }
    net.dead.assign(net.n.size(), 0);
    return net;
}

static void print(const Net &net) {
    for (size_t i = COLS; i < net.n.size(); i++) { printf("node"); for (int o : net.n[i].ops) printf(" %d", o); printf("\n"); }
    for (int o : net.out) printf("out %d\n", o);
    fflush(stdout);
}

int main() {
    double seconds; uint64_t seed; cin >> K >> D >> ROWS >> COLS >> EXTRA >> seconds >> seed; rng.seed(seed);
    vector<Vec> rows; string line;
    for (int i = 0; i < ROWS; i++) { cin >> line; Vec v = 0; for (char c : line) v = v << 4 | (Vec)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10); rows.push_back(v); }
    Net net; bool given = false; getline(cin, line);
    Net g; for (int c = 0; c < COLS; c++) g.n.push_back({(Vec)1 << c, {}, false});
    while (getline(cin, line)) { istringstream s(line); string w; s >> w; if (w == "node") { Node x{0, {}, false}; int o; while (s >> o) { x.ops.push_back(o); x.vec ^= g.n[o].vec; } g.n.push_back(x); given = true; } else if (w == "out") { int o; s >> o; g.out.push_back(o); g.n[o].target = true; } }
    if (given) { net = g; net.dead.assign(net.n.size(), 0); } else net = start_naive(rows);
    for (size_t i = 0; i < rows.size(); i++) if (net.n[net.out[i]].vec != rows[i]) { fprintf(stderr, "row %zu is wrong in the given network\n", i); return 2; }
    if (!net.consistent()) { fprintf(stderr, "the start is not consistent (depth?)\n"); return 2; }
    Net best = net; int best_cost = net.cost(); auto t0 = chrono::steady_clock::now(); double told = 0;
    long moves = 0; int cur = best_cost, curop = net.operands();
    while (true) {
        double t = chrono::duration<double>(chrono::steady_clock::now() - t0).count();
        if (t > seconds) break;
        if (t - told > 15) { told = t; fprintf(stderr, "%.0f s, %ld moves: %d now (%d operands), best %d\n", t, moves, cur, curop, best_cost); }
        moves++;
        vector<int> live; for (size_t i = COLS; i < net.n.size(); i++) if (!net.dead[i]) live.push_back((int)i);
        int kind = rnd(10); Net trial = net; bool ok = false;
        if (kind < 4) {                                    // another sum for one node
            int u = live[rnd((int)live.size())]; auto a = allowed_for(net, u, -1);
            vector<vector<int>> f; finder.find(net, a, net.n[u].vec, net.limit(u), 400, f);
            if (f.empty()) continue;
            int bestscore = -1000; vector<int> pick; int ties = 0;
            for (auto &s : f) {
                if (s.size() == 1) { bestscore = 100; pick = s; break; }
                int score = 0;
                for (int o : net.n[u].ops) if (find(s.begin(), s.end(), o) == s.end() && o >= COLS && !net.n[o].target) { if (net.users[o].size() == 1) score += 12; else if (net.users[o].size() == 2) score += 2; }
                for (int o : s) if (o >= COLS && !net.n[o].target && net.users[o].size() <= 2 && find(net.n[u].ops.begin(), net.n[u].ops.end(), o) == net.n[u].ops.end()) score -= 1;
                score -= 2 * (int)s.size(); score += rnd(4);
                if (score > bestscore) { bestscore = score; pick = s; ties = 1; } else if (score == bestscore && rnd(++ties) == 0) pick = s;
            }
            if (pick.size() == 1) {
                int o = pick[0]; if (net.n[u].target) { if (net.n[o].target || EXTRA) continue; continue; }
                for (int w : net.users[u]) { auto &ops = trial.n[w].ops; ops.erase(find(ops.begin(), ops.end(), u)); toggle(ops, o); }
            } else trial.n[u].ops = pick;
            ok = true;
        } else if (kind < 7) {                             // another value for an intermediate
            vector<int> mid; for (int i : live) if (!net.n[i].target) mid.push_back(i);
            if (mid.empty()) continue;
            int v = mid[rnd((int)mid.size())]; auto a = allowed_for(net, v, -1); if (a.empty()) continue;
            int s;
            if (rnd(2)) s = a[rnd((int)a.size())];
            else { int u = net.users[v][rnd((int)net.users[v].size())]; s = net.n[u].ops[rnd((int)net.n[u].ops.size())]; if (s == v || find(a.begin(), a.end(), s) == a.end()) continue; }
            trial.n[v].vec ^= net.n[s].vec; toggle(trial.n[v].ops, s);
            if (trial.n[v].ops.empty()) continue;
            if ((int)trial.n[v].ops.size() > K) {
                vector<vector<int>> f; finder.find(net, a, trial.n[v].vec, K, 40, f); if (f.empty()) continue; auto p = f[rnd((int)f.size())];
                trial.n[v].ops = p;
            }
            if (trial.n[v].ops.size() == 1) { int o = trial.n[v].ops[0]; for (int w : net.users[v]) { auto &ops = trial.n[w].ops; ops.erase(find(ops.begin(), ops.end(), v)); toggle(ops, o); toggle(ops, s); } trial.dead[v] = 1; trial.n[v].ops.clear(); }
            else for (int w : net.users[v]) toggle(trial.n[w].ops, s);
            ok = true;
            for (int w : net.users[v]) if ((int)trial.n[w].ops.size() > trial.limit(w) || trial.n[w].ops.empty()) {
                if (trial.dead[v]) { ok = false; break; }
                trial.rebuild_users(); if (trial.topo().size() + COLS == 0) { ok = false; break; }
                vector<int> al = allowed_for(net, w, -1); vector<vector<int>> f; finder.find(trial, al, trial.n[w].vec, trial.limit(w), 60, f);
                if (f.empty()) { ok = false; break; }
                trial.n[w].ops = f[rnd((int)f.size())];
                if (trial.n[w].ops.size() == 1) { ok = false; break; }
            }
        } else {                                           // do without one intermediate
            vector<int> mid; for (int i : live) if (!net.n[i].target && net.users[i].size() <= 4) mid.push_back(i);
            if (mid.empty()) continue;
            int v = mid[rnd((int)mid.size())]; ok = true;
            for (int w : net.users[v]) {
                vector<int> al = allowed_for(net, w, v); vector<vector<int>> f; finder.find(net, al, net.n[w].vec, net.limit(w), 30, f);
                if (f.empty()) { ok = false; break; }
                trial.n[w].ops = f[rnd((int)f.size())]; if (trial.n[w].ops.size() == 1) { ok = false; break; }
            }
        }
        if (!ok) continue;
        trial.sweep(); if (!trial.consistent()) continue;
        int c = trial.cost(), o = trial.operands();
        // plateau walk: never more nodes, operands may grow a little
        if (c < cur || (c == cur && o <= curop + rnd(3))) { net = trial; cur = c; curop = o; if (rnd(50) == 0) net.compact(); }
        if (cur < best_cost) { best_cost = cur; best = net; best.compact(); }
    }
    fprintf(stderr, "%ld moves, best %d nodes, %d operands\n", moves, best_cost, best.operands());
    best.compact(); print(best);
}
