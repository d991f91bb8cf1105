/*
 * The log of a run against the rules, one operation after the other.
 *
 * STDIN, which replay.py writes, has numbers with one character between them:
 *
 *	LINE OPERATION THREAD KEY LO HI GENERATION
 *
 * LINE is the log's, OPERATION 1.. in the order of enum ledger_op, and 0 the
 * end of a whole log, 10 the end of one that was cut.  Keys are renumbered from
 * 1 within a window; LO of a SET says that it is the first of its number.  Key
 * 0 is one that is gone.  Counters are as far from each other as in the log.
 *
 * With -DLOCKED or -DCONCURRENT the operations are also the steps of that read
 * in fortuna.pml, in its order: "step".
 */
#define COUNTER	int
#define USERS	int
#define LENGTH	int
#define NUMBER	int
#define KEYS	33
#define READERS	31
#define POOLS	32
#define RANGES	4
#ifndef MINPOOL
#define MINPOOL	64
#endif
#ifndef PACE
#define PACE	100000000
#endif
#ifndef LAG
#define LAG	0
#endif

#include "rules.pml"

chan STDIN;

int line;
bool reading[READERS];

int K, C;
/* A concurrent read's own key, and the counters that it has reserved. */
int private[READERS], from[READERS], to[READERS];

inline number(v)
{
	v = 0;
	do
	:: STDIN ? c;
		if
		:: c >= '0' && c <= '9' -> v = 10 * v + c - '0'
		:: else -> break
		fi
	od
}

#ifdef LOCKED
inline step_use()
{
	RULE(step, k == K && lo == C);
	C = hi
}
#endif
#ifdef CONCURRENT
inline step_use()
{
	if
	:: k == K ->
		RULE(step, lo >= C && private[t] == 0);
		private[t] = k;
		from[t] = C;
		to[t] = lo;
		C = hi;
		/* Nobody's until there is the next. */
		K = 0
	:: else ->
		RULE(step, k == private[t] && lo == from[t] && hi <= to[t]);
		from[t] = hi
	fi
}
#endif

#if defined(LOCKED) || defined(CONCURRENT)
inline step_install()
{
	if
	:: rule_drained > rule_reseeds ->
		/* A reseed steps C, and the first says where that began. */
		if
		:: rule_reseeds == 0 -> C = lo
		:: else -> C++
		fi
	:: else
	fi;
	RULE(step, lo == C);
	K = k
}
#else
inline step_use()
{
	skip
}

inline step_install()
{
	skip
}
#endif

inline step_end()
{
	RULE(step, private[t] == 0);
	from[t] = 0;
	to[t] = 0
}

active proctype log()
{
	int c, op, t, k, lo, hi, g;

	rule_key[0].gone = true;
	do
	:: true ->
		number(line);
		number(op);
		number(t);
		number(k);
		number(lo);
		number(hi);
		number(g);
		if
		:: op == 1 ->
			RULE(step, !reading[t]);
			reading[t] = true;
			rule_begin(t)
		:: op == 2 ->
			RULE(step, reading[t]);
			reading[t] = false;
			rule_end(t);
			step_end()
		:: op == 3 ->
			if
			:: lo == 1 -> rule_key[k].gone = false
			:: else
			fi;
			rule_set(k, g)
		:: op == 4 ->
			rule_wipe(k);
			RULE(step, hi == (rule_key[k].holders == 0));
			if
			/* A read's own copy goes last, after the state's. */
			:: private[t] == k && hi == 1 -> private[t] = 0
			:: else
			fi
		:: op == 5 ->
			rule_use(k, lo, hi);
			if
			:: reading[t] -> rule_serve(t, k)
			:: else
			fi;
			step_use()
		:: op == 6 ->
			rule_install(k, lo);
			step_install()
		:: op == 7 -> rule_event(lo, hi)
		:: op == 8 -> rule_drain(hi, lo)
		:: op == 9 -> rule_reseed(g, lo)
		:: op == 10 -> break
		:: op == 0 ->
			rule_finish();
			break
		fi
	od
}
