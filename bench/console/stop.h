/*
 * Signals that ask a command to end in order.
 */
#ifndef BENCH_STOP_H
#define BENCH_STOP_H

#include <signal.h>
#include <stdbool.h>

/*
 * The signal that came, or 0; for those who look at it while they measure, by
 * __atomic_load_n(), as it may come to another thread.
 */
extern volatile sig_atomic_t stop_signal;

/*
 * Catches the signals that should end a measurement in order; a second one,
 * of whichever of them, kills.  What the caller has set to be ignored, as
 * nohup(1) does, stays so.  Call before anything is created that an end would
 * leave behind.
 */
void stop_catch_signals(void);

/*
 * Ends system calls that block with EINTR ten times a second from then on.  Who
 * looks whether to stop and then makes such a call needs that: of a signal that
 * comes in between he would not hear before the call is done.  Takes SIGALRM.
 */
void stop_interrupt_calls(void);

/*
 * All signals that the two above catch; a thread that is started with them
 * blocked leaves them to the one whose calls they are to end.
 */
void stop_signal_set(sigset_t *set);

static inline bool
stop_asked(void)
{

	return (__atomic_load_n(&stop_signal, __ATOMIC_RELAXED) != 0);
}

#endif
