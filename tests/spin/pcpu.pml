/*
 * A generator for each CPU under Fortuna: reads, migration, reseeds, events.
 *
 * Stands for fortuna/pcpu.c; what is named as there does the same.  Rules and
 * keys are those of fortuna.pml: a key is a number.
 *
 * Abstracted: an answer is a block of the leaf's key, the next key another.  A
 * read is on any CPU, so every migration is there.  A published seed is copied
 * in two halves.  A half is the generation that it was generated for.
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
#ifndef LEAVES
#define LEAVES	1
#endif

/* Of the root, two a reseed and two a draw; of leaves, two a read. */
#define KEYS	(2 + 2 * EVENTS + 2 * LEAVES + 2 * READERS * REQUESTS)
#define POOLS	1
#define MINPOOL	1
#ifndef PACE
#define PACE	0		/* -1: reseeds need no distance */
#endif
#define LAG	0
#define RANGES	2
#define TICKETS	(READERS + 1)
#define NOT_DUE	255

#include "rules.pml"
#include "mutex.pml"

/* The root, under the mutex. */
byte K, C;
byte fs_pool, fs_reseedcount, fs_lasttime;
/* Shared: fh_due is the first time at which a reseed is due. */
byte fh_due = NOT_DUE;
byte fh_generation;
byte fh_seed[4];
/* Leaves. */
byte fl_owners[LEAVES];
byte fl_generation[LEAVES];
byte fl_key[LEAVES];
byte fl_counter[LEAVES];

byte uptime;
byte made;			/* keys so far */
byte finished;			/* readers, and the harvest thread */

/* The object holds a new key, of generation g. */
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

/* randomdev_keystream() and random_fortuna_rekey() of K */
inline root_draw()
{
	d_step {
		rule_use(K, C, C + 2);
		C = C + 2;
		r_g = rule_key[K].generation;
		cipher_key_set(K, r_g);
		rule_install(K, C)
	}
}

inline publish()
{
	i = fs_reseedcount;
	fh_seed[2 * (i % 2)] = i;
	fh_seed[2 * (i % 2) + 1] = i;
	root_draw();
	d_step {
		fh_generation = i;
		rule_reseed(i, now - fs_lasttime);
		fs_lasttime = now;
		i = 0
	}
}

inline reseed()
{
	now = uptime;
	if
	:: fs_pool >= MINPOOL &&
	    (fs_reseedcount == 0 || now - fs_lasttime > PACE) ->
		fs_reseedcount++;
		d_step {
			RULE(events, fs_pool == rule_pool[0]);
			fs_pool = 0;
			rule_drain(fs_reseedcount, 1)
		};
		d_step {
			cipher_key_set(K, fs_reseedcount);
			rule_install(K, C);
			C++
		}
		publish()
	:: else
	fi
}

/* random_fortuna_due() */
inline set_due()
{
	if
	:: fs_pool < MINPOOL -> fh_due = NOT_DUE
	:: fs_pool >= MINPOOL && fs_reseedcount == 0 -> fh_due = 0
	:: else -> fh_due = fs_lasttime + PACE + 1
	fi
}

/* As in fortuna.pml, the read's beginning is noted at its end. */
inline pre_read()
{
	i = fh_due;
	if
	:: uptime >= i ->
		atomic {
			if
			:: fh_due == i -> fh_due = NOT_DUE; i = 0
			:: else -> i = NOT_DUE
			fi
		}
		if
		:: i == 0 ->
			acquire();
			reseed();
			atomic {
				set_due();
				now = 0
			}
			release()
		:: else
		fi
	:: else
	fi;
	d_step {
		i = 0;
		rule_begin(me)
	}
}

/* random_fortuna_draw(): a leaf's first key */
inline draw()
{
	acquire();
	RULE(unseeded, fh_generation != 0);
	root_draw();
	d_step {
		r_g = rule_key[K].generation;
		cipher_key_set(fl_key[l], r_g)
	}
	fl_generation[l] = fh_generation;
	release()
}

inline follow()
{
	do
	:: true ->
		g = fh_generation;
		s = fh_seed[2 * (g % 2)];
		i = fh_seed[2 * (g % 2) + 1];
		if
		:: g == fh_generation -> break
		:: else
		fi
	od;
	atomic {
		d_step {
			RULE(torn, s == i && s == g);
			cipher_key_set(fl_key[l], s);
			s = 0;
			i = 0
		}
	}
	fl_generation[l] = g
}

inline leaf_lock()
{
	atomic {
		fl_owners[l] == 0;
		fl_owners[l]++;
		RULE(exclusion, fl_owners[l] == 1)
	}
}

inline leaf_unlock()
{
	d_step {
		fl_owners[l]--;
		l = 0;
		g = 0
	}
}

inline read()
{
	if
	:: l = 0
	:: l = LEAVES - 1
	fi;
	leaf_lock();
	g = fh_generation;
	if
	:: fl_generation[l] == 0 -> draw()
	:: fl_generation[l] != 0 && fl_generation[l] != g -> follow()
	:: else
	fi;
	d_step {
		rule_use(fl_key[l], fl_counter[l], fl_counter[l] + 1);
		rule_serve(me, fl_key[l])
	}
	fl_counter[l]++;
	d_step {
		r_g = rule_key[fl_key[l]].generation;
		cipher_key_set(fl_key[l], r_g)
	}
	leaf_unlock()
}

proctype reader(byte me)
{
	byte i, now, g, s, l, done;
	MUTEX_LOCAL;

again:
	pre_read();
	do
	:: fh_generation != 0 -> break
	:: fh_generation == 0 && fh_due != NOT_DUE -> pre_read()
	od;
	read();
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
	byte given;
	MUTEX_LOCAL;

again:
	acquire();
	d_step {
		fs_pool++;
		rule_event(0, 1);
		given++
	}
	set_due();
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
		RULE(events, fs_pool == rule_pool[0]);
		rule_wipe(K);
		K = 0;
		for (t : 0 .. LEAVES - 1) {
			if
			:: fl_key[t] != 0 -> rule_wipe(fl_key[t])
			:: else
			fi;
			fl_key[t] = 0
		}
		rule_finish()
	}
}
