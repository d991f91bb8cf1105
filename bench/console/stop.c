#include <sys/time.h>

#include <string.h>

#include "bench/console/stop.h"

volatile sig_atomic_t stop_signal;

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

enum {
	SIGNALS		= sizeof(signals) / sizeof(signals[0]),
	INTERRUPT_US	= 100 * 1000
};

static void on_signal(int sig);

/* From the first on all of them kill, but those that are ignored. */
static void
kill_next(void)
{
	struct sigaction deadly, old;
	unsigned i;

	memset(&deadly, 0, sizeof(deadly));
	deadly.sa_handler = SIG_DFL;
	for (i = 0; i < SIGNALS; i++)
		if (sigaction(signals[i], NULL, &old) == 0 &&
		    old.sa_handler == on_signal)
			sigaction(signals[i], &deadly, NULL);
}

static void
on_signal(int sig)
{

	__atomic_store_n(&stop_signal, sig, __ATOMIC_RELAXED);
	kill_next();
}

void
stop_catch_signals(void)
{
	struct sigaction old, sa;
	unsigned i;

	memset(&sa, 0, sizeof(sa));
	sigemptyset(&sa.sa_mask);
	sa.sa_handler = on_signal;
	/* Two at once are a first and a second. */
	for (i = 0; i < SIGNALS; i++)
		sigaddset(&sa.sa_mask, signals[i]);
	for (i = 0; i < SIGNALS; i++)
		if (sigaction(signals[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaction(signals[i], &sa, NULL);
}

static void
on_alarm(int sig)
{

	(void)sig;
}

void
stop_interrupt_calls(void)
{
	const struct itimerval often = {
		.it_interval.tv_usec = INTERRUPT_US,
		.it_value.tv_usec = INTERRUPT_US,
	};
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_alarm;
	if (sigaction(SIGALRM, &sa, NULL) == 0)
		setitimer(ITIMER_REAL, &often, NULL);
}

void
stop_signal_set(sigset_t *set)
{
	unsigned i;

	sigemptyset(set);
	sigaddset(set, SIGALRM);
	for (i = 0; i < SIGNALS; i++)
		sigaddset(set, signals[i]);
}
