/* The reader loop: the only timed code. */
#include "bench/cell/cell_run.h"

enum {
	WAIT_AWAKE_NS	= 100 * 1000,	/* more than a sleep ends late */
	WAIT_PAUSES	= 8
};

static bool
is_open(const struct cell_run *run)
{
	const struct workload *wl = run->run_params->cp_cell.ce_workload;

	return (wl != NULL && wl->wl_arrivals != ARRIVALS_CLOSED);
}

/*
 * Notes a request across an edge of the window: due at due, begun at last,
 * ended now with made of n bytes.  It counts by the share of its time that lies
 * in the window: all readers are measured over the same wall-clock time.
 */
static void
note_edge(struct reader *r, enum phase seen, uint64_t due, uint64_t last,
    uint64_t now, size_t made, size_t n)
{
	const struct cell_run *run = r->r_run;
	const uint64_t from = MAX(last, run->run_open_cycles);
	const uint64_t to = seen == PHASE_STOP && now > run->run_close_cycles ?
	    run->run_close_cycles : now;
	double share = to > from && now > last ? (double)(to - from) /
	    (double)(now - last) : 0;

	r->r_edge_bytes += share * (double)made;
	r->r_edge_requests += share * (double)made / (double)n;
	/* An interrupted request ends short. */
	if (share <= 0 || made != n)
		return;
	r->r_edge_requests -= 1;
	hist_add(&r->r_latency, machine_cycles_since(due, now));
	if (is_open(run))
		hist_add(&r->r_uncorrected, machine_cycles_since(last, now));
}

/* One request of n bytes; *made of them were made until *now. */
static inline int
request(struct reader *r, size_t n, size_t *made, uint64_t *now)
{
	size_t left = 0;
	int error = 0;

	if (r->r_run->run_params->cp_cell.ce_lock_loop)
		randomdev_generate(r->r_dev, KERNEL_CPU_HERE, r->r_buf, n);
	else
		error = randomdev_read(r->r_dev, KERNEL_CPU_HERE, r->r_buf, n,
		    &left, false);
	*made = n - left;
	*now = machine_cycles();
	/* Where bytes are made to be compared; takes no time there. */
	if (MACHINE_SIMULATED && r->r_hashed)
		digest_update(&r->r_digest, r->r_buf, *made);
	return (error);
}

/* Sleep ends late: its last stretch is spent awake, or offered to others. */
uint64_t
cell_wait_until(struct cell_run *run, uint64_t until, enum phase phase)
{
	bool crowded = run->run_params->cp_cell.ce_readers > machine_cpus();
	uint64_t now;
	int64_t left_ns;

	while ((now = machine_cycles()) < until &&
	    atomic_load_acq_32(&run->run_phase) == (uint32_t)phase) {
		left_ns = machine_cycles_to_ns(until - now);
		/* Pauses of lock loops are shorter than a few polls. */
		if (run->run_params->cp_cell.ce_lock_loop &&
		    left_ns <= WAIT_AWAKE_NS)
			machine_work((uint64_t)left_ns);
		else if (left_ns > WAIT_AWAKE_NS)
			machine_wait_32(&run->run_phase, phase,
			    left_ns - WAIT_AWAKE_NS);
		else if (crowded)
			machine_yield();
		else
			machine_pause(WAIT_PAUSES);
	}
	return (now);
}

/* A reader's workload from its beginning. */
static void
begin(struct reader *r)
{
	const struct cell_params *cp = r->r_run->run_params;

	workload_begin(&r->r_player, cp->cp_cell.ce_workload,
	    cp->cp_cell.ce_request_bytes, cp->cp_seed, r->r_index);
}

/* The next request, and when it is due: since a reader began, or now. */
static inline uint64_t
next_due(struct reader *r, struct workload_step *st, uint64_t began,
    uint64_t now)
{
	workload_next(&r->r_player, st);
	return (st->st_start == START_NOW ? now :
	    machine_ns_to_cycles(st->st_ns) +
	    (st->st_start == START_AT ? began : now));
}

/*
 * The measured loop.  One time stamp a request: the end of one is the start of
 * the next.  A workload begins anew with the window, and in open loop a
 * request's latency counts from when it was due.  plain: without a workload.
 */
static inline __attribute__((always_inline)) int
reader_loop(struct reader *r, const bool plain)
{
	struct cell_run *run = r->r_run;
	struct workload_step st = { .st_bytes =
	    run->run_params->cp_cell.ce_request_bytes };
	const bool open = !plain && is_open(run);
	uint64_t began, bytes = 0, due, last, now;
	enum phase phase = PHASE_WARM, seen;
	bool waiting = false;
	size_t made = 0;
	int error;

	if (!plain)
		begin(r);
	began = now = machine_cycles();
	for (;;) {
		due = last = now;
		if (!plain) {
			due = next_due(r, &st, began, now);
			if (now < due)
				last = cell_wait_until(run, due, phase);
			waiting = last < due;
		}
		if (waiting) {
			now = last;
		} else {
			error = request(r, (size_t)st.st_bytes, &made, &now);
			/* It waited for the seed up to the end. */
			if (error == EINTR && run->run_faults == NULL &&
			    atomic_load_acq_32(&run->run_phase) == PHASE_STOP)
				break;
			if (error != 0)
				return (error);
			due = open ? due : last;
		}
		seen = (enum phase)atomic_load_acq_32(&run->run_phase);
		if (phase == seen && phase == PHASE_MEASURE) {
			bytes += made;
			hist_add(&r->r_latency, machine_cycles_since(due, now));
			if (open)
				hist_add(&r->r_uncorrected,
				    machine_cycles_since(last, now));
			machine_note_store_64(&r->r_bytes, bytes);
		} else if (phase != seen) {
			if (!waiting)
				note_edge(r, seen, due, last, now, made,
				    (size_t)st.st_bytes);
			if (seen == PHASE_STOP)
				break;
			phase = seen;
			r->r_start_cycles = now;
			r->r_cpu_ns = -machine_thread_cpu_ns(&r->r_td);
			if (!plain)
				begin(r);
			began = run->run_open_cycles;
		}
	}
	/* What the plan had due in the window and is not begun. */
	if (open && phase == PHASE_MEASURE)
		r->r_backlog = workload_due(&r->r_player,
		    (uint64_t)machine_cycles_to_ns(run->run_close_cycles -
		    began)) + (waiting && due <= run->run_close_cycles);
	r->r_stop_cycles = now;
	if (phase == PHASE_MEASURE)
		r->r_cpu_ns += machine_thread_cpu_ns(&r->r_td);
	return (0);
}

/* From boot to the first seed: a request that is made before it blocks. */
static int
seeding_loop(struct reader *r)
{
	struct cell_run *run = r->r_run;
	const struct cell *ce = &run->run_params->cp_cell;
	struct workload_step st = { .st_bytes = ce->ce_request_bytes };
	uint64_t due, last, now = run->run_open_cycles;
	size_t made;
	int error;

	r->r_start_cycles = run->run_open_cycles;
	if (ce->ce_workload != NULL)
		begin(r);
	for (;;) {
		due = now;
		if (ce->ce_workload != NULL)
			due = next_due(r, &st, run->run_open_cycles, now);
		last = cell_wait_until(run, due, PHASE_MEASURE);
		if (atomic_load_acq_32(&run->run_phase) != PHASE_MEASURE)
			return (0);
		if ((error = request(r, (size_t)st.st_bytes, &made, &now)) != 0)
			return (error);
		if (last >= randomdev_seeded_cycles(r->r_dev))
			continue;
		r->r_blocked_cycles = machine_cycles_since(last, now);
		hist_add(&r->r_latency, r->r_blocked_cycles);
	}
}

void
cell_wait_start(struct cell_run *run)
{
	atomic_fetchadd_rel_32(&run->run_ready, 1);
	machine_wake_32(&run->run_ready);
	cell_wait_open(run);
}

void
cell_wait_open(struct cell_run *run)
{
	while (atomic_load_acq_32(&run->run_phase) == PHASE_START)
		machine_wait_32(&run->run_phase, PHASE_START, -1);
}

void
cell_reader_main(void *arg)
{
	struct reader *r = arg;
	struct cell_run *run = r->r_run;

	machine_curthread()->mt_index = r->r_index;
	cell_wait_start(run);
	r->r_error = run->run_params->cp_cell.ce_until_seeded ?
	    seeding_loop(r) : run->run_params->cp_cell.ce_workload == NULL ?
	    reader_loop(r, true) : reader_loop(r, false);
	r->r_cpu = machine_cpu();
	r->r_node = machine_node();
	r->r_displaced = machine_displaced();
	r->r_delayed = machine_thread_delayed();
	/* measure_seeding() waits for that. */
	atomic_fetchadd_rel_32(&run->run_ready, 1);
	machine_wake_32(&run->run_ready);
}
