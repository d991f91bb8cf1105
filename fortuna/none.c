/*
 * The null algorithm: a fixed pattern, no state, and the mutex around nothing,
 * once for each read and each event; or around work, as sysctls say.
 *
 * What it measures is the mutex; without that, what is around random(4).
 */
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/kernel.h>
#include <sys/lock.h>
#include <sys/mutex.h>
#include <sys/random.h>
#include <sys/sysctl.h>

#include <dev/random/random_harvestq.h>
#include <dev/random/randomdev.h>

#define	NONE_LINES_MAX	64
#define	NONE_HOLD_MAX	1000000000

static struct mtx none_mtx;
MTX_SYSINIT(none, &none_mtx, "reseed mutex", MTX_DEF);

SYSCTL_NODE(_rngsim, OID_AUTO, none, CTLFLAG_RW, 0, "The null algorithm");
static u_int none_hold_ns;
RANDOM_CHECK_UINT(hold_ns, 0, NONE_HOLD_MAX)
SYSCTL_PROC(_rngsim_none, OID_AUTO, hold_ns, CTLTYPE_UINT | CTLFLAG_RWTUN,
    &none_hold_ns, 0, random_check_uint_hold_ns, "IU",
    "ns that a read holds the mutex");
static bool none_hold_drawn;
SYSCTL_BOOL(_rngsim_none, OID_AUTO, hold_drawn, CTLFLAG_RWTUN,
    &none_hold_drawn, 0, "Draw hold_ns, exponentially distributed");
static u_int none_lines;
RANDOM_CHECK_UINT(lines, 0, NONE_LINES_MAX)
SYSCTL_PROC(_rngsim_none, OID_AUTO, lines, CTLTYPE_UINT | CTLFLAG_RWTUN,
    &none_lines, 0, random_check_uint_lines, "IU",
    "Cache lines that a read writes under the mutex");

/* Some mutexes of rngsim exclude no thread: the lines are only fetched. */
static struct {
	uint8_t		line[CACHE_LINE_SIZE];
} none_data[NONE_LINES_MAX] __aligned(CACHE_LINE_SIZE);

static void
none_pre_read(void)
{
}

static bool
none_seeded(void)
{
	return (true);
}

static void
none_read(uint8_t *buf, size_t n)
{
	mtx_lock(&none_mtx);
	kern_touch(none_data, none_lines);
	kern_hold(none_hold_ns, none_hold_drawn);
	mtx_unlock(&none_mtx);
	memset(buf, 0x5a, n);
}

static void
none_process_event(struct harvest_event *event)
{
	mtx_lock(&none_mtx);
	(void)random_harvest_healthtest(event);
	mtx_unlock(&none_mtx);
}

const struct random_algorithm random_alg_context = {
	.ra_ident	= "None",
	.ra_pre_read	= none_pre_read,
	.ra_read	= none_read,
	.ra_seeded	= none_seeded,
	.ra_event_processor = none_process_event,
};
