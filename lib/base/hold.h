/*
 * Parts of a thread's work in which lib/machine/freezer.h is not to stop it, as
 * others may wait for what it holds: the locks of malloc(3).
 */
#pragma once

#include <signal.h>

struct hold {
	volatile sig_atomic_t ho_depth;
	volatile sig_atomic_t ho_signal; /* that came meanwhile, or 0 */
};

extern _Thread_local struct hold hold_self;

static inline void
hold_begin(void)
{
	hold_self.ho_depth++;
}

/* At the end of the outermost part the signal comes again. */
void hold_end(void);

/* From a signal's handler: whether it is to return, and comes again. */
static inline int
hold_defers(int sig)
{
	if (hold_self.ho_depth == 0)
		return (0);
	hold_self.ho_signal = sig;
	return (1);
}
