/*
 * What must hold of keys, counters, reads, pools and reseeds, whatever the
 * locking: the rules that models assert in every state, and that the log of a
 * run is held against.  They only look on.
 *
 * An including file defines KEYS, READERS, POOLS, MINPOOL, PACE, RANGES, LAG.
 *
 * A key is a number that is never given again; 0 is none.  Its bytes are
 * nobody's business: fresh numbers stand for an ideal PRF.  A range of counters
 * is lo..hi - 1.
 */
#ifndef COUNTER
#define COUNTER	byte
#define USERS	byte
#define LENGTH	byte
#define NUMBER	byte
#endif

#include "words.pml"

hidden byte r_i, r_j;
hidden NUMBER r_k, r_g;

typedef key_rule {
	byte	holders;	/* objects that have it */
	bool	gone;		/* none has, and some had */
	COUNTER	floor;		/* of C when it became K */
	NUMBER	generation;	/* reseeds that it goes back to */
	USERS	users;		/* reads it made output for, a bit each */
	COUNTER	lo[RANGES];	/* used, apart from each other */
	COUNTER	hi[RANGES]
};

key_rule rule_key[KEYS];
NUMBER rule_reseeds;		/* that have ended */
NUMBER rule_drained;		/* number of the latest that took its pools */
LENGTH rule_pool[POOLS];	/* what is in each */
NUMBER rule_begun[READERS];	/* rule_reseeds when its read began */

#define READ_BIT(t)	(1 << (t))

inline rule_clear(k)
{
	rule_key[k].floor = 0;
	rule_key[k].generation = 0;
	rule_key[k].users = 0;
	for (r_i : 0 .. RANGES - 1) {
		rule_key[k].lo[r_i] = 0;
		rule_key[k].hi[r_i] = 0
	}
}

/* An object is given key k, made from the entropy of reseed g and before. */
inline rule_set(k, g)
{
	RULE(revived, !rule_key[k].gone);
	rule_key[k].holders++;
	rule_key[k].generation = g
}

/* An object loses k. */
inline rule_wipe(k)
{
	RULE(torn, rule_key[k].holders > 0);
	rule_key[k].holders--;
	if
	:: rule_key[k].holders == 0 ->
		rule_clear(k);
		rule_key[k].gone = true
	:: else
	fi
}

/* k becomes K; counters from c on are its. */
inline rule_install(k, c)
{
	RULE(torn, rule_key[k].holders > 0);
	rule_key[k].floor = c
}

/* Keystream of k at l..h - 1. */
inline rule_use(k, l, h)
{
	RULE(torn, rule_key[k].holders > 0 && (l) >= rule_key[k].floor);
	for (r_i : 0 .. RANGES - 1) {
		RULE(reuse, (h) <= rule_key[k].lo[r_i] ||
		    (l) >= rule_key[k].hi[r_i] ||
		    rule_key[k].lo[r_i] == rule_key[k].hi[r_i])
	}
	rule_book(k, l, h)
}

/* Enters a range: to the end of another, before one, or as a new one. */
inline rule_book(k, l, h)
{
	r_j = RANGES;
	for (r_i : 0 .. RANGES - 1) {
		if
		:: rule_key[k].lo[r_i] == rule_key[k].hi[r_i] -> r_j = r_i
		:: else
		fi
	}
	for (r_i : 0 .. RANGES - 1) {
		if
		:: rule_key[k].lo[r_i] < rule_key[k].hi[r_i] &&
		    (rule_key[k].hi[r_i] == (l) || rule_key[k].lo[r_i] == (h)) ->
			r_j = r_i
		:: else
		fi
	}
	RULE(bounds, r_j < RANGES);
	if
	:: rule_key[k].lo[r_j] == rule_key[k].hi[r_j] ->
		rule_key[k].lo[r_j] = l;
		rule_key[k].hi[r_j] = h
	:: else ->
		if
		:: rule_key[k].hi[r_j] == (l) -> rule_key[k].hi[r_j] = h
		:: else -> rule_key[k].lo[r_j] = l
		fi
	fi;
	/* What has grown may meet another now. */
	for (r_i : 0 .. RANGES - 1) {
		if
		:: r_i != r_j && rule_key[k].lo[r_i] < rule_key[k].hi[r_i] &&
		    (rule_key[k].lo[r_i] == rule_key[k].hi[r_j] ||
		    rule_key[k].hi[r_i] == rule_key[k].lo[r_j]) ->
			if
			:: rule_key[k].lo[r_i] < rule_key[k].lo[r_j] ->
				rule_key[k].lo[r_j] = rule_key[k].lo[r_i]
			:: else -> rule_key[k].hi[r_j] = rule_key[k].hi[r_i]
			fi;
			rule_key[k].lo[r_i] = 0;
			rule_key[k].hi[r_i] = 0
		:: else
		fi
	}
}

/* Reader t begins a read. */
inline rule_begin(t)
{
	rule_begun[t] = rule_reseeds
}

/* k was used within t's read. */
inline rule_serve(t, k)
{
	RULE(unseeded, rule_reseeds > 0);
	RULE(stale, rule_key[k].generation + LAG >= rule_begun[t]);
	rule_key[k].users = rule_key[k].users | READ_BIT(t)
}

/* t's read returns. */
inline rule_end(t)
{
	for (r_k : 0 .. KEYS - 1) {
		RULE(kept, (rule_key[r_k].users & READ_BIT(t)) == 0)
	}
	rule_begun[t] = 0
}

/* An event of n goes into pool p. */
inline rule_event(p, n)
{
	rule_pool[p] = rule_pool[p] + n
}

/* Reseed number g takes pools 0..n - 1: those whose 2^i divides it. */
inline rule_drain(g, n)
{
	RULE(pools, (g) == rule_drained + 1);
	RULE(pools, rule_pool[0] >= MINPOOL);
	for (r_i : 0 .. POOLS - 1) {
		RULE(pools, (r_i < (n)) ==
		    (r_i < 31 && ((g) & ((1 << r_i) - 1)) == 0));
		if
		:: r_i < (n) -> rule_pool[r_i] = 0
		:: else
		fi
	}
	rule_drained = g
}

/* And ends, that long after the one before. */
inline rule_reseed(g, gap)
{
	RULE(pools, (g) == rule_drained && (g) == rule_reseeds + 1);
	RULE(pace, rule_reseeds == 0 || (gap) > PACE);
	rule_reseeds = g
}

/* All is over: the generator was freed, its readers were. */
inline rule_finish()
{
	for (r_k : 0 .. KEYS - 1) {
		RULE(wiped, rule_key[r_k].holders == 0)
	}
}
