#include <sys/resource.h>

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench/calibrate/calibrate_host.h"
#include "bench/calibrate/calibrate_probe.h"
#include "bench/console/stop.h"

enum {
	BATCHES_LEAST	= 20,
	DISTURBED_MOST	= 20,		/* in a row, thrown away */
	BATCH_NS	= 20000,	/* many times what a clock costs */
	PAGE		= 4096,		/* what a locked read holds it for */
	LOOK_NS		= 250 * 1000 * 1000	/* at the machine at rest */
};

static const double speed_s = 0.06;

/* How long to wait for a machine to come to rest. */
#define	REST_NS	(5 * NS_PER_S)

/* Times that the thread lost its CPU without asking for it. */
static long
switches(void)
{
	struct rusage ru;

	getrusage(RUSAGE_THREAD, &ru);
	return (ru.ru_nivcsw);
}

long
calibrate_batch_begin(struct calibration *cb)
{

	cb->cb_batches++;
	return (switches());
}

bool
calibrate_batch_end(struct calibration *cb, long begun)
{

	if (switches() == begun) {
		cb->cb_in_a_row = 0;
		return (true);
	}
	cb->cb_disturbed++;
	/* A machine that is never quiet is measured as it is, and marked. */
	return (++cb->cb_in_a_row >= DISTURBED_MOST);
}

bool
calibrate_more(unsigned count, int64_t end_ns)
{

	return (count < CALIBRATE_SAMPLES_MAX && !stop_asked() &&
	    (count == 0 || tick_ns() < end_ns));
}

/* How many operations a clock can be trusted with. */
static unsigned
batch_size(void (*fn)(void *arg, unsigned n), void *arg)
{
	int64_t start_ns;
	unsigned n;

	for (n = 1; n < UINT32_MAX / 4; n *= 2) {
		start_ns = tick_ns();
		fn(arg, n);
		if (tick_ns() - start_ns >= BATCH_NS)
			break;
	}
	return (n);
}

struct calibrate_spread
calibrate_batches(struct calibration *cb, void (*fn)(void *arg, unsigned n),
    void *arg, int64_t budget_ns)
{
	int64_t end_ns = tick_ns() + budget_ns, now_ns, start_ns;
	unsigned begun_batches = 0, count = 0, n;
	long begun;

	n = batch_size(fn, arg);
	do {
		begun = calibrate_batch_begin(cb);
		start_ns = tick_ns();
		fn(arg, n);
		now_ns = tick_ns();
		cb->cb_samples[count] = (double)(now_ns - start_ns) / n;
		if (calibrate_batch_end(cb, begun))
			count++;
		begun_batches++;
	} while (count < CALIBRATE_SAMPLES_MAX && !stop_asked() &&
	    (now_ns < end_ns || begun_batches < BATCHES_LEAST || count == 0));
	return (calibrate_spread(cb->cb_samples, count));
}

static double
within(enum profile_key key, double v)
{

	return (fmin(profile_fields[key].pf_most,
	    fmax(profile_fields[key].pf_least, v)));
}

void
calibrate_enter(struct calibration *cb, enum profile_key key,
    const struct calibrate_spread *sp, double scale, double offset,
    const char *fmt, ...)
{
	struct calibrate_reading *rd = &cb->cb_reading[key];
	va_list ap;

	rd->rd_value = within(key, sp->sp_p50 * scale + offset);
	rd->rd_p5 = within(key, sp->sp_p5 * scale + offset);
	rd->rd_p95 = within(key, sp->sp_p95 * scale + offset);
	rd->rd_count = sp->sp_count;
	rd->rd_from = PROVENANCE_MEASURED;
	va_start(ap, fmt);
	vsnprintf(rd->rd_note, sizeof(rd->rd_note), fmt, ap);
	va_end(ap);
}

void
calibrate_enter_value(struct calibration *cb, enum profile_key key,
    enum provenance from, double value, const char *fmt, ...)
{
	struct calibrate_reading *rd = &cb->cb_reading[key];
	va_list ap;

	rd->rd_value = rd->rd_p5 = rd->rd_p95 = within(key, value);
	rd->rd_count = 0;
	rd->rd_from = from;
	va_start(ap, fmt);
	vsnprintf(rd->rd_note, sizeof(rd->rd_note), fmt, ap);
	va_end(ap);
}

unsigned
calibrate_weight(const struct calibrate_probe *probes)
{
	unsigned sum = 0;

	for (; probes->pb_label != NULL; probes++)
		sum += probes->pb_weight;
	return (sum);
}

/* A probe's thread. */
struct probe_run {
	struct mthread	 pn_td;
	struct calibration *pn_cb;
	void		(*pn_run)(struct calibration *cb, int64_t budget_ns);
	int64_t		 pn_budget_ns;
};

static void
probe_main(void *arg)
{
	struct probe_run *pn = arg;

	pn->pn_run(pn->pn_cb, pn->pn_budget_ns);
}

static int
run_probe(struct calibration *cb,
    void (*run)(struct calibration *cb, int64_t budget_ns), double seconds)
{
	static struct probe_run pn;
	int error;

	pn.pn_cb = cb;
	pn.pn_run = run;
	pn.pn_budget_ns = (int64_t)(seconds * (double)NS_PER_S);
	error = machine_spawn(&pn.pn_td, "calibrate", 0, probe_main, &pn);
	if (error != 0)
		return (error);
	machine_join(&pn.pn_td);
	cb->cb_conditions.cc_unbound |= !pn.pn_td.mt_bound;
	return (stop_asked() ? EINTR : cb->cb_error);
}

int
calibrate_run(struct calibration *cb, const struct calibrate_probe *probes,
    double seconds, struct progress *p, uint64_t *done)
{
	double weights = calibrate_weight(probes);
	int error = 0;

	for (; probes->pb_label != NULL && error == 0; probes++) {
		if (p != NULL)
			progress_update(p, *done, probes->pb_label);
		error = run_probe(cb, probes->pb_run,
		    seconds * probes->pb_weight / weights);
		if (p != NULL)
			*done += probes->pb_weight;
	}
	return (error);
}

/* A computation that nothing but the CPU's speed can change. */
static void
compute_loop(void *arg, unsigned n)
{
	volatile uint64_t *sink = arg;
	uint64_t x = *sink | 1;

	for (; n > 0; n--) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	*sink = x;
}

static void
probe_speed(struct calibration *cb, int64_t budget_ns)
{
	uint64_t state = 1;

	cb->cb_speed_ns = calibrate_batches(cb, compute_loop, &state,
	    budget_ns).sp_p50;
}

/* The probes of this process and the parts, each its share of the time. */
static int
run_families(struct calibration *cb, const struct calibrate_params *params)
{
	unsigned line = calibrate_weight(calibrate_line_probes);
	unsigned os = calibrate_weight(calibrate_os_probes), mode, part, total;
	struct progress p;
	uint64_t done = 0;
	double each;
	int error;

	total = line + os;
	for (mode = 0; mode < CRYPTO_MODES; mode++)
		total += calibrate_part_weight((enum crypto_mode)mode);
	each = params->cp_seconds / total;
	progress_init(&p, total);
	error = calibrate_run(cb, calibrate_line_probes, line * each, &p,
	    &done);
	if (error == 0)
		error = calibrate_run(cb, calibrate_os_probes, os * each, &p,
		    &done);
	for (mode = 0; mode < CRYPTO_MODES && error == 0; mode++) {
		part = calibrate_part_weight((enum crypto_mode)mode);
		progress_update(&p, done, mode == CRYPTO_KERNEL ?
		    "ciphers as random(4) runs them" : "ciphers, native");
		error = calibrate_part_run(cb, params->cp_argv,
		    (enum crypto_mode)mode, part * each);
		done += part;
	}
	progress_fini(&p);
	return (error);
}

/* The same with the speed of the CPU taken before and after. */
static int
run_all(struct calibration *cb, const struct calibrate_params *params)
{
	double first_ns;
	int error;

	/* A CPU that was idle needs a while to reach its speed. */
	error = run_probe(cb, probe_speed, speed_s);
	if (error == 0)
		error = run_probe(cb, probe_speed, speed_s);
	first_ns = cb->cb_speed_ns;
	if (error == 0)
		error = run_families(cb, params);
	if (error == 0)
		error = run_probe(cb, probe_speed, speed_s);
	if (error == 0)
		cb->cb_conditions.cc_drift = cb->cb_speed_ns / first_ns - 1;
	return (error);
}

/*
 * Waits for the machine to come to rest: what was started just before, a build
 * or a shell's start-up files, should not count.
 */
static void
await_rest(struct calibrate_conditions *cc, bool wait)
{
	int64_t end_ns = tick_ns() + REST_NS;
	char text[CALIBRATE_TEXT_SIZE];
	struct calibrate_usage before;

	do {
		calibrate_usage(&before);
		machine_sleep(LOOK_NS);
		calibrate_usage_since(&before, cc);
	} while (wait && calibrate_objections(cc, text, sizeof(text)) > 0 &&
	    cc->cc_quota == 0 && tick_ns() < end_ns && !stop_asked());
}

int
calibrate_measure(struct calibration *cb, const struct calibrate_params *params,
    char error_text[CALIBRATE_TEXT_SIZE])
{
	struct calibrate_conditions *cc = &cb->cb_conditions;
	struct calibrate_usage before;
	unsigned i;
	int error;

	memset(cb, 0, sizeof(*cb));
	for (i = 0; i < PROFILE_VALUES; i++)
		cb->cb_reading[i].rd_from = PROVENANCE_ABSENT;
	cc->cc_quota = cpu_quota();
	cc->cc_load = calibrate_load();
	await_rest(cc, !params->cp_force);
	if (calibrate_objections(cc, error_text, CALIBRATE_TEXT_SIZE) > 0 &&
	    !params->cp_force)
		return (EBUSY);
	calibrate_usage(&before);
	error = run_all(cb, params);
	if (error != 0) {
		snprintf(error_text, CALIBRATE_TEXT_SIZE, "%s",
		    error == EINTR ? "interrupted" : error == ECHILD ?
		    "measuring the ciphers failed" : strerror(error));
		return (error);
	}
	calibrate_usage_since(&before, cc);
	cc->cc_disturbed = (double)cb->cb_disturbed / cb->cb_batches;
	calibrate_predict(cb);
	if (calibrate_objections(cc, error_text, CALIBRATE_TEXT_SIZE) > 0 &&
	    !params->cp_force)
		return (EBUSY);
	return (0);
}

/* One acquisition and its release, nobody else there. */
static double
lock_ns(const struct calibration *cb)
{

	return (2 * calibrate_value(cb, PROFILE_LAT_RMW) +
	    calibrate_value(cb, PROFILE_OP_LOCK_PAIR) +
	    calibrate_value(cb, PROFILE_OP_LOCK_AFTER));
}

void
calibrate_predict(struct calibration *cb)
{
	double locks, pages, wipes;
	struct calibrate_check *ck;
	unsigned i;

	for (i = 0; i < cb->cb_checks; i++) {
		ck = &cb->cb_check[i];
		/* Whether it is time to reseed is asked under the lock. */
		locks = 1;
		pages = wipes = 1;
		if (strcmp(ck->ck_design, "locked") == 0) {
			pages = ceil((double)ck->ck_bytes / PAGE);
			wipes = 0;
		}
		locks += pages;
		ck->ck_predicted_ns = calibrate_value(cb, PROFILE_OS_READ) +
		    calibrate_value(cb, PROFILE_LAT_HIT) +
		    locks * lock_ns(cb) + calibrate_read_ns(cb, ck->ck_cipher,
		    ck->ck_mode, ck->ck_bytes, pages) + wipes *
		    calibrate_value(cb, calibrate_cipher_key(ck->ck_cipher,
		    ck->ck_mode, "wipe")) + ck->ck_bytes *
		    calibrate_value(cb, PROFILE_MEM_COPY);
	}
}
