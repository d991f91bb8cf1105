#include "lib/machine/machine.h"

enum { DELAY_PAUSES = 16 };

CTASSERT(sizeof(struct m32) == sizeof(uint32_t));
CTASSERT(_Alignof(struct m32) == _Alignof(uint32_t));

/* A point's gate as a word of this machine. */
static struct m32 *
word(uint32_t *gate)
{
	return ((struct m32 *)(void *)gate);
}

static void
point_delay(int64_t ns)
{
	int64_t end_ns = machine_uptime_ns() + ns;

	while (machine_uptime_ns() < end_ns)
		machine_pause(DELAY_PAUSES);
}

static void
point_wait(uint32_t *gate, int64_t ns)
{
	int64_t end_ns = ns < 0 ? 0 : machine_uptime_ns() + ns;

	while (atomic_load_acq_32(word(gate)) == 0) {
		if (ns >= 0 && (ns = end_ns - machine_uptime_ns()) <= 0)
			break;
		machine_wait_32(word(gate), 0, ns);
	}
}

static void
point_open(uint32_t *gate)
{
	machine_set_32(word(gate), 1);
}

const struct failpoint_machine FLAVOURED(failpoint_machine) = {
	.fpm_sleep	= machine_sleep,
	.fpm_delay	= point_delay,
	.fpm_yield	= machine_yield,
	.fpm_wait	= point_wait,
	.fpm_open	= point_open,
};
