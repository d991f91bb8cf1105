/*
 * The reader loop: the only timed code.
 */
#include "bench/cell_run.h"

/*
 * The share of a request that ran from last to now which lies in the window.
 * A request across an edge counts by time, so that all readers are measured
 * over the same wall-clock window, whoever was waiting at its ends.
 */
static double
share_in_window(const struct cell_run *run, enum phase seen, uint64_t last,
    uint64_t now)
{
	uint64_t from = last, to = now;

	if (from < run->run_open_cycles)
		from = run->run_open_cycles;
	if (seen == PHASE_STOP && to > run->run_close_cycles)
		to = run->run_close_cycles;
	return (to > from && now > last ? (double)(to - from) /
	    (double)(now - last) : 0);
}

/*
 * The measured loop.  One time stamp a request: the end of one is the start of
 * the next.
 */
static int
reader_loop(struct reader *r)
{
	struct cell_run *run = r->r_run;
	size_t made, n = (size_t)run->run_params->cp_cell.ce_request_bytes;
	uint64_t bytes = 0, last, now;
	enum phase phase = PHASE_WARM, seen;
	int error;

	last = machine_cycles();
	for (;;) {
		struct uio uio = uio_buffer(r->r_buf, n);

		error = read_random_uio(&r->r_dev, &r->r_gr, &uio, false);
		if (error != 0)
			return (error);
		/* An interrupted request ends short. */
		made = n - (size_t)uio.uio_resid;
		now = machine_cycles();
		seen = (enum phase)atomic_load_acq_32(&run->run_phase);
		if (phase == seen && phase == PHASE_MEASURE) {
			bytes += made;
			hist_add(&r->r_latency, now - last);
			atomic_store_64(&r->r_bytes, bytes);
		} else if (phase != seen) {
			double share = share_in_window(run, seen, last, now);

			r->r_edge_bytes += share * (double)made;
			if (share > 0 && made == n)
				hist_add(&r->r_latency, now - last);
			if (seen == PHASE_STOP)
				break;
			phase = seen;
			r->r_start_cycles = now;
			r->r_cpu_ns = -machine_thread_cpu_ns(&r->r_td);
		}
		last = now;
	}
	r->r_stop_cycles = now;
	if (phase == PHASE_MEASURE)
		r->r_cpu_ns += machine_thread_cpu_ns(&r->r_td);
	return (0);
}

void
cell_reader_main(void *arg)
{
	struct reader *r = arg;
	struct cell_run *run = r->r_run;

	machine_curthread()->mt_index = r->r_index;
	atomic_fetchadd_rel_32(&run->run_ready, 1);
	machine_wake_32(&run->run_ready);
	while (atomic_load_acq_32(&run->run_phase) == PHASE_START)
		machine_wait_32(&run->run_phase, PHASE_START, -1);
	r->r_error = reader_loop(r);
	r->r_cpu = machine_cpu();
}
