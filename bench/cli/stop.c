#include "bench/cli/stop.h"
#include "lib/base/base.h"

volatile sig_atomic_t stop_signal;
bool stop_at_once;

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

static void
on_signal(int sig)
{
	if (stop_at_once)
		_exit(EXIT_FAILURE);
	if (__atomic_exchange_n(&stop_signal, sig, __ATOMIC_RELAXED) == 0)
		return;
	/* Delivered when the handler returns, which unblocks it. */
	signal(sig, SIG_DFL);
	raise(sig);
}

void
stop_catch_signals(void)
{
	const struct sigaction sa = { .sa_handler = on_signal };
	struct sigaction old;

	for (unsigned i = 0; i < nitems(signals); i++)
		if (sigaction(signals[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaction(signals[i], &sa, NULL);
}
