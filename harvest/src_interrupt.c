/*
 * Interrupts: timed events at a set rate, from a producer thread.
 *
 * Stands for the call in sys/kern/kern_intr.c intr_event_schedule_thread(),
 * FreeBSD 14, which queues two words that name interrupt and thread; being more
 * than an event holds, they are hashed under the queue's mutex.
 *
 * Departs: a user program gets no interrupts.  An event holds the host's count
 * of interrupts, read a few times a second, and the cycle counter; without
 * /proc/stat the cycle counter alone.
 */
#include "harvest/harvest.h"

enum { HOST_READS_PER_S = 4 };

static const char host_counters[] = "/proc/stat";

struct interrupt {
	int64_t		 in_rate_hz;
	FILE		*in_host;	/* NULL: there is none */
	int64_t		 in_host_next_ns;
	uint64_t	 in_host_count;
	char		 in_buffer[BUFSIZ];	/* of in_host */
};

/* What is queued. */
struct interrupt_entropy {
	uint64_t	ie_host_count, ie_cycles;
};

static void *
interrupt_init(const struct harvest_config *config)
{
	struct interrupt *in = xcalloc(1, sizeof(*in));

	in->in_rate_hz = config->interrupt_rate_hz;
	if (!MACHINE_SIMULATED)
		in->in_host = fopen(host_counters, "re");
	/* The library would allocate one while the thread is measured. */
	if (in->in_host != NULL)
		setvbuf(in->in_host, in->in_buffer, _IOFBF,
		    sizeof(in->in_buffer));
	return (in);
}

static void
interrupt_fini(void *state)
{
	struct interrupt *in = state;

	if (in->in_host != NULL)
		fclose(in->in_host);
	free(in);
}

/* The line "intr TOTAL ..."; others are skipped. */
static void
interrupt_read_host(struct interrupt *in)
{
	rewind(in->in_host);
	/* Else what is in the buffer would be read again. */
	fflush(in->in_host);
	while (fscanf(in->in_host, "intr %" SCNu64, &in->in_host_count) == 0) {
		(void)!fscanf(in->in_host, "%*[^\n]");
		getc(in->in_host);
	}
}

static void
interrupt_run(void *state, struct harvest *hv)
{
	int64_t due_ns = 0, n = 0, now_ns, start_ns = machine_uptime_ns();
	struct interrupt_entropy entropy;
	struct interrupt *in = state;

	while (!harvest_stopping(hv)) {
		now_ns = machine_uptime_ns() - start_ns;
		if (in->in_host != NULL && now_ns >= in->in_host_next_ns) {
			interrupt_read_host(in);
			in->in_host_next_ns = now_ns +
			    NS_PER_S / HOST_READS_PER_S;
		}
		while (due_ns <= now_ns && !harvest_stopping(hv)) {
			entropy.ie_host_count = in->in_host_count;
			entropy.ie_cycles = machine_cycles();
			randomdev_harvest(hv->hv_device, RANDOM_QUEUE,
			    &entropy, sizeof(entropy), RANDOM_INTERRUPT);
			/* Without overflow, however long the run. */
			n++;
			due_ns = n / in->in_rate_hz * NS_PER_S +
			    n % in->in_rate_hz * NS_PER_S / in->in_rate_hz;
		}
		now_ns = machine_uptime_ns() - start_ns;
		if (due_ns > now_ns)
			machine_sleep(due_ns - now_ns);
	}
}

RANDOM_SOURCE(interrupt) = {
	.rs_ident	= "interrupt",
	.rs_descr	= "timed events at rngsim.source.interrupt.rate_hz",
	.rs_source	= RANDOM_INTERRUPT,
	.rs_init	= interrupt_init,
	.rs_fini	= interrupt_fini,
	.rs_run		= interrupt_run,
};
