/* Simulated threads and their accesses to memory, for lib/machine/machine.h. */
#pragma once

#include "lib/base/base.h"

enum {
	VM_CPU_ANY	= -1,
	VM_LINE_BYTES	= 64,
	VM_NAME_SIZE	= 16,
	VM_PS_PER_NS	= 1000
};

/* A thread in its starter's storage; the simulated state is mt_thread's. */
struct mthread {
	struct vm_thread *mt_thread;
	int		mt_cpu;		/* rank it is bound to, or ANY */
	bool		mt_bound;	/* the binding was granted */
	bool		mt_spawned;	/* and so must be joined */
	uint32_t	mt_signalled;	/* machine_interrupt() was called */
	void		(*mt_fn)(void *);
	void		*mt_arg;
	unsigned	mt_index;	/* its row in lock profiles */
	bool		mt_aside;	/* what it does shows no progress */
	char		mt_name[VM_NAME_SIZE];
};

/* An access: what it is, how it is ordered, and above that the word's bytes. */
enum vm_access {
	VM_LOAD		= 0,
	VM_STORE	= 1 << 0,	/* with VM_RMW: to a part of a word */
	VM_RMW		= 1 << 1,
	VM_ACQUIRE	= 1 << 2,
	VM_RELEASE	= 1 << 3,
	VM_SIZE_SHIFT	= 4
};

/*
 * Before a load: gets a copy of the word's line, which takes time.  Returns:
 * where the value is; without access it is not wanted.
 */
const void *vm_load(const void *p, unsigned access);

/* Before a store or read-modify-write: gets the line for the caller alone. */
struct vm_line *vm_own(const void *p, unsigned access);

/* After it: the line's waiters see the new value. */
void vm_written(struct vm_line *line);

/* In place of it: a compare-and-set has failed. */
void vm_compared(void);

/*
 * Before a word is set up: no thread waits.  Returns: vm_written()'s, or NULL.
 */
struct vm_line *vm_forget(const void *p, unsigned access);

/* The number of the caller's run: no two of the program have the same. */
uint64_t vm_run_number(void);

/* Fetches that many lines of an object at once, to own. */
void vm_touch(const void *object, unsigned lines);

/*
 * Before a plain access: by line, loads share and stores own.  What the CPU has
 * takes no time.  Lines are fetched side by side if no time passes between.
 */
void vm_plain(const void *p, size_t n, bool store);

/*
 * An atomic, enum machine_op, on a word of 1, 2, 4 or 8 bytes, which must be
 * old for MACHINE_OP_CMPSET.  Returns: what the word was, for the caller.
 */
uint64_t vm_atomic(void *p, unsigned how, uint64_t v, uint64_t old);

/*
 * Spins until a word of 4 or 8 bytes is a value, or another one, or for that
 * many polls (0: without a limit).  Returns: the polls that took.
 */
unsigned vm_await(const void *p, size_t size, uint64_t value, bool until_is,
    unsigned most);
