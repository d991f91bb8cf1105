/*
 * Fortuna's two ways to read, with everything that can come between: other
 * readers, reseeds, events, the clock.
 *
 * Stands for fortuna/fortuna.c in its locked mode (the default) or its
 * concurrent one (-DCONCURRENT), and the read path of fortuna/randomdev.c.
 * What is named as there does the same.
 *
 * Abstracted: a key is a number, see rules.pml.  A block is an atom of output;
 * a page is one block, so that a read of BLOCKS is as many pages in locked
 * mode.  A rekey takes REKEY counters: 1 as with ChaCha20, 2 as with AES.  With
 * KEY_BLOCKS, as with AES, a concurrent read changes its private key after so
 * many blocks, if any remain.  An event adds 1 to its pool, the first to pool
 * 0, others to any.  A tick of the clock is more than a reseed's distance.  A
 * reader that waits for the seed tries again when the pool has enough, rather
 * than ten times a second: tries in between change nothing.
 */
#ifndef READERS
#define READERS	2
#endif
#ifndef REQUESTS
#define REQUESTS	1
#endif
#ifndef EVENTS
#define EVENTS	2
#endif
#ifndef TICKS
#define TICKS	1
#endif
#ifndef BLOCKS
#define BLOCKS	2
#endif
#ifndef REKEY
#define REKEY	1
#endif

/* The first of them, a key for each rekey, one for each reseed. */
#define KEYS	(1 + READERS * REQUESTS * BLOCKS + EVENTS)
#define POOLS	2
#define MINPOOL	1
#define PACE	0
#define LAG	0
#define RANGES	2
#define TICKETS	(READERS + 1)

#include "rules.pml"
#include "mutex.pml"

/* struct fortuna_state, under the mutex. */
byte K, C;
byte fs_pool[POOLS];
byte fs_reseedcount, fs_lasttime;
/* Read without it. */
bool f_seeded;

byte uptime;
byte made;			/* keys so far */
byte finished;			/* readers, and the harvest thread */

/* The object holds a new one, of generation g. */
inline cipher_key_set(object, g)
{
	made++;
	rule_set(made, g);
	if
	:: object != 0 -> rule_wipe(object)
	:: else
	fi;
	object = made
}

/* What random_fortuna_seeded() reads without the mutex. */
inline publish()
{
	f_seeded = (C != 0)
}

/* K makes the K after it. */
inline rekey_global()
{
	d_step {
		rule_use(K, C, C + REKEY);
		rule_serve(me, K)
	}
	C = C + REKEY;
	d_step {
		r_g = rule_key[K].generation;
		cipher_key_set(K, r_g);
		rule_install(K, C)
	}
}

/*
 * The pools of random_fortuna_pre_read(), one after the other; then
 * random_fortuna_reseed_internal().
 */
inline reseed()
{
	fs_reseedcount++;
	i = 0;
	do
	:: i < POOLS && fs_reseedcount % (1 << i) == 0 ->
		d_step {
			RULE(events, fs_pool[i] == rule_pool[i]);
			fs_pool[i] = 0
		};
		i++
	:: else -> break
	od;
	atomic {
		d_step {
			rule_drain(fs_reseedcount, i);
			i = 0
		}
	}
	d_step {
		cipher_key_set(K, fs_reseedcount);
		rule_install(K, C)
	}
	C++;
	d_step {
		rule_reseed(fs_reseedcount, now - fs_lasttime);
		fs_lasttime = now
	}
}

/*
 * random_fortuna_pre_read().  The read's beginning is noted at its end: to know
 * of more reseeds makes the rule about them stricter, and saves states.
 */
inline pre_read()
{
	acquire();
	now = uptime;
	if
	:: fs_pool[0] >= MINPOOL &&
	    (fs_reseedcount == 0 || now - fs_lasttime > PACE) ->
		reseed();
		publish()
	:: else
	fi;
	d_step {
		now = 0;
		rule_begin(me);
		release_now()
	}
}

/* How much is asked for matters from here on only. */
inline choose_n()
{
	if
	:: n = 1
	:: n = BLOCKS
	fi
}

/* random_fortuna_read_locked() */
inline read_locked()
{
	acquire();
	RULE(unseeded, C != 0);
	choose_n();
	do
	:: n > 0 ->
		d_step {
			rule_use(K, C, C + 1);
			rule_serve(me, K)
		}
		C++;
		n--;
		rekey_global();
		RULE(kept, (rule_key[K].users & READ_BIT(me)) == 0);
		if
		:: n > 0 ->
			release();
			acquire()
		:: else -> break
		fi
	od;
	publish();
	release()
}

/* What random_fortuna_read_concurrent() does with the mutex owned. */
inline reserve()
{
	d_step {
		k = K;
		r_g = rule_key[k].generation;
		rule_set(k, r_g)
	}
	c = C;
#ifdef KEY_BLOCKS
	C = C + n + REKEY * (n / KEY_BLOCKS);
#else
	C = C + n;
#endif
	rekey_global();
	RULE(kept, (rule_key[K].users & READ_BIT(me)) == 0)
}

/*
 * random_fortuna_genblocks(), all that is made under one key at once: the key
 * and its counters are nobody else's, or a rule is broken wherever it is cut.
 */
inline generate()
{
#ifdef KEY_BLOCKS
	do
	:: n > KEY_BLOCKS ->
		d_step {
			rule_use(k, c, c + KEY_BLOCKS);
			c = c + KEY_BLOCKS;
			n = n - KEY_BLOCKS;
			rule_use(k, c, c + REKEY);
			rule_serve(me, k);
			c = c + REKEY;
			r_g = rule_key[k].generation;
			cipher_key_set(k, r_g)
		}
	:: else -> break
	od;
#endif
	atomic {
		d_step {
			rule_use(k, c, c + n);
			rule_serve(me, k);
			n = 0
		}
	}
}

/* random_fortuna_read_concurrent() */
inline read_concurrent()
{
	acquire();
	RULE(unseeded, C != 0);
	choose_n();
	reserve();
	publish();
	release();
	generate();
	/* explicit_bzero(&key_copy) */
	d_step {
		rule_wipe(k);
		k = 0;
		c = 0
	}
}

/* read_random_uio() */
proctype reader(byte me)
{
	byte n, k, c, i, now, done;
	MUTEX_LOCAL;

again:
	pre_read();
	do
	:: f_seeded -> break
	:: !f_seeded && fs_pool[0] >= MINPOOL -> pre_read()
	od;
#ifdef CONCURRENT
	read_concurrent();
#else
	read_locked();
#endif
	atomic {
		d_step {
			rule_end(me);
			done++
		}
		if
		:: done < REQUESTS -> goto again
		:: else -> finished++
		fi
	}
end:	false
}

/* random_fortuna_process_event(), called by the harvest thread. */
proctype harvest()
{
	byte p, length, given;
	MUTEX_LOCAL;

again:
	acquire();
	if
	:: p = 0
	:: given > 0 -> p = 1
	fi;
	length = fs_pool[p];
	d_step {
		fs_pool[p] = length + 1;
		rule_event(p, 1);
		length = 0;
		p = 0;
		given++
	}
	atomic {
		release_now();
		if
		:: given < EVENTS -> goto again
		:: else -> finished++
		fi
	}
end:	false
}

proctype clock()
{
end:
	do
	:: uptime < TICKS -> uptime++
	od
}

init
{
	byte t;

	atomic {
		for (t : 0 .. READERS - 1) {
			run reader(t)
		}
		t = 0;
		run harvest();
		run clock()
	}
	finished == READERS + 1;
	d_step {
		for (r_j : 0 .. POOLS - 1) {
			RULE(events, fs_pool[r_j] == rule_pool[r_j])
		}
		rule_wipe(K);
		K = 0;
		rule_finish()
	}
}
