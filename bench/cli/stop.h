/* Signals that end a command in order: SIGINT, SIGTERM and SIGHUP. */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* The first signal that came, or 0.  Read it with __atomic_load_n(). */
extern volatile sig_atomic_t stop_signal;

/* Set before stop_catch_signals(): the first signal ends the process. */
extern bool stop_at_once;

/*
 * Catches the signals, but not those that the caller of the program ignores, as
 * nohup(1) does.  The second to arrive ends the process as if none were caught.
 * Call before creating files that must not be left behind.
 */
void stop_catch_signals(void);

static inline bool
stop_asked(void)
{
	return (__atomic_load_n(&stop_signal, __ATOMIC_RELAXED) != 0);
}
