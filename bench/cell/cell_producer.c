/* Producers of entropy events: threads that work and queue, as interrupts. */
#include "bench/cell/cell_run.h"
#include "bench/stats/stats.h"

enum { WAIT_MAX_NS = 10 * 1000 * 1000 };

static const double ns_per_s = 1e9;

static void
plan(struct event_producer *evp)
{
	const struct producing *pg = evp->evp_producing;
	double ns = ns_per_s / pg->prw_rate_per_s * pg->prw_burst;

	if (pg->prw_rate_drawn)
		ns *= splitmix_exponential(&evp->evp_draw);
	evp->evp_plan_ns += ns;
	/* The first one may have come before the producer began. */
	evp->evp_next_ns = (uint64_t)fmax(0, evp->evp_plan_ns);
}

/*
 * What has arrived until now; waits for a packet if there is none.  Nothing
 * leaves the queue between two calls.  Returns: false when the phase changed.
 */
static bool
take_packet(struct event_producer *evp, uint64_t began, enum phase phase)
{
	const struct producing *pg = evp->evp_producing;
	uint64_t left_ns, now = machine_cycles();
	unsigned room;

	for (;;) {
		while ((uint64_t)machine_cycles_to_ns(now - began) >=
		    evp->evp_next_ns) {
			room = MIN(pg->prw_queue - evp->evp_queued,
			    pg->prw_burst);
			evp->evp_queued += room;
			evp->evp_lost += pg->prw_burst - room;
			plan(evp);
		}
		if (evp->evp_queued > 0)
			break;
		/* Looks at the phase now and then. */
		left_ns = evp->evp_next_ns + 1 -
		    (uint64_t)machine_cycles_to_ns(now - began);
		left_ns = left_ns < WAIT_MAX_NS ? left_ns : WAIT_MAX_NS;
		now = machine_interrupt_wait(left_ns) ? machine_cycles() :
		    cell_wait_until(evp->evp_run, now +
		    machine_ns_to_cycles(left_ns), phase);
		if (atomic_load_acq_32(&evp->evp_run->run_phase) !=
		    (uint32_t)phase)
			return (false);
	}
	evp->evp_queued--;
	return (true);
}

/*
 * Works from the end of the last event on, or from now if that is 0.  What this
 * loop does for itself is a part of it; a simulated machine takes none for it.
 */
static void
work(struct event_producer *evp, uint64_t last)
{
	const double cv = evp->evp_producing->prw_cv;
	/* A part of it is drawn. */
	const uint64_t ns = cv <= 0 ? evp->evp_work_ns : (uint64_t)((double)
	    evp->evp_work_ns * (1 - cv + cv *
	    splitmix_exponential(&evp->evp_draw)));
	const uint64_t spent_ns = MACHINE_SIMULATED || last == 0 ? 0 :
	    (uint64_t)machine_cycles_to_ns(machine_cycles_since(last,
	    machine_cycles()));

	machine_work(ns - MIN(ns, spent_ns));
}

static void
producer_loop(struct event_producer *evp)
{
	const struct producing *pg = evp->evp_producing;
	struct cell_run *run = evp->evp_run;
	enum phase phase = PHASE_WARM, seen;
	const uint64_t origin = machine_cycles();
	uint64_t began, last, now = 0, counted = 0;
	enum random_fate fate;
	bool packet;

	if (pg->prw_rate_per_s > 0)
		plan(evp);
	for (;;) {
		packet = pg->prw_rate_per_s <= 0 ||
		    take_packet(evp, origin, phase);
		last = pg->prw_rate_per_s <= 0 ? now : 0;
		began = now = 0;
		fate = RANDOM_FATES;
		if (packet) {
			work(evp, last);
			began = machine_cycles();
			evp->evp_entropy[0] = began;
			fate = randomdev_harvest(run->run_dev, pg->prw_source ==
			    RANDOM_UMA ? RANDOM_FAST : RANDOM_QUEUE,
			    evp->evp_entropy, pg->prw_bytes, pg->prw_source);
			now = machine_cycles();
		}
		seen = (enum phase)atomic_load_acq_32(&run->run_phase);
		if (phase != seen) {
			if (seen == PHASE_STOP)
				break;
			phase = seen;
			evp->evp_lost = 0;
			evp->evp_cpu_ns = -machine_thread_cpu_ns(&evp->evp_td);
		} else if (packet && phase == PHASE_MEASURE) {
			evp->evp_fate[fate]++;
			hist_add(&evp->evp_call, machine_cycles_since(began,
			    now));
			machine_note_store_64(&evp->evp_events, ++counted);
		}
	}
	if (phase == PHASE_MEASURE)
		evp->evp_cpu_ns += machine_thread_cpu_ns(&evp->evp_td);
}

void
cell_producer_main(void *arg)
{
	struct event_producer *evp = arg;
	struct cell_run *run = evp->evp_run;

	machine_curthread()->mt_index = index_producers(run) + evp->evp_index;
	machine_interrupt_context();
	cell_wait_start(run);
	producer_loop(evp);
	evp->evp_displaced = machine_displaced();
}

void
cell_producers_setup(struct cell_run *run)
{
	const struct cell *ce = &run->run_params->cp_cell;
	struct event_producer *evp;

	run->run_event_producers = xaligned(MACHINE_CACHE_LINE,
	    ce->ce_producers * sizeof(*run->run_event_producers));
	for (unsigned i = 0; i < ce->ce_producers; i++) {
		evp = &run->run_event_producers[i];
		evp->evp_run = run;
		evp->evp_index = i;
		evp->evp_producing = ce->ce_producing;
		evp->evp_work_ns = producing_work_ns(ce->ce_producing,
		    ce->ce_producers);
		evp->evp_draw = splitmix_out(splitmix_out(
		    run->run_params->cp_seed) + PRODUCERS_MAX + i);
		/* Arrivals in step would meet at the mutex each time. */
		evp->evp_plan_ns = -(double)(splitmix_next(&evp->evp_draw) >>
		    11) * 0x1p-53 * ns_per_s / fmax(1,
		    ce->ce_producing->prw_rate_per_s);
		for (unsigned k = 0; k < PRODUCING_BYTES_MAX / 8; k++)
			evp->evp_entropy[k] = splitmix_next(&evp->evp_draw);
		atomic_init_64(&evp->evp_events, 0);
	}
}

void
cell_producers_collect(struct cell_run *run, struct cell_measure *cm)
{
	const unsigned first = index_producers(run);
	const double ns = (double)machine_cycles_to_ns(run->run_close_cycles -
	    run->run_open_cycles);
	struct result_sample *rs = &cm->cm_sample;
	struct result_production *pn = &rs->production;
	uint64_t fate[RANDOM_FATES] = { 0 };
	struct event_producer *evp;
	struct lockprof_row row;
	double all = 0, lost = 0, off = 0;

	rs->producer_count = run->run_params->cp_cell.ce_producers;
	if (rs->producer_count == 0)
		return;
	rs->producer_per_s = xcalloc(rs->producer_count, sizeof(double));
	for (unsigned i = 0; i < rs->producer_count; i++) {
		evp = &run->run_event_producers[i];
		cm->cm_unbound |= evp->evp_td.mt_cpu != MACHINE_CPU_ANY &&
		    !evp->evp_td.mt_bound;
		cm->cm_displaced |= evp->evp_displaced;
		rs->producer_per_s[i] = (double)
		    machine_note_load_64(&evp->evp_events) * 1e9 / ns;
		pn->events_per_s += rs->producer_per_s[i];
		pn->cpu_percent += 100 * (double)evp->evp_cpu_ns / ns;
		lost += (double)evp->evp_lost;
		for (unsigned k = 0; k < RANDOM_FATES; k++)
			fate[k] += evp->evp_fate[k];
		hist_merge(&cm->cm_call, &evp->evp_call);
	}
	for (unsigned k = 0; k < RANDOM_FATES; k++)
		all += (double)fate[k];
	pn->taken_percent = 100 * (double)fate[RANDOM_TAKEN] / fmax(1, all);
	pn->full_percent = 100 * (double)fate[RANDOM_FULL] / fmax(1, all);
	pn->masked_percent = 100 * (double)fate[RANDOM_MASKED] / fmax(1, all);
	pn->lost_percent = 100 * lost / fmax(1, all + lost);
	/* mtx_lock_spin(9) waits with interrupts on. */
	for (unsigned site = 0; site < run->run_prof.lp_sites; site++) {
		lockprof_sum(&run->run_prof, site, first, first +
		    rs->producer_count - 1, &row);
		if (run->run_prof.lp_site_spins[site])
			off += (double)machine_cycles_to_ns(row.lr_hold_cycles);
	}
	pn->off_percent = 100 * off / ns / rs->producer_count;
	pn->min_max = stats_min_max(rs->producer_per_s, rs->producer_count);
	pn->jain = stats_jain(rs->producer_per_s, rs->producer_count);
	rs->call_ns = cell_latency(&FLAVOURED(engine), &cm->cm_call);
}
