#include "bench/workload/workload.h"

static const double ns_per_s = 1e9;

const char *const workload_arrivals_names[ARRIVALS_KINDS] = { "", "constant",
    "poisson", "recorded" };

void
workload_init(struct workload *wl)
{
	memset(wl, 0, sizeof(*wl));
	wl->wl_speed = 1;
}

void
workload_free(struct workload *wl)
{
	recording_free(&wl->wl_recording);
	workload_init(wl);
}

bool
workload_is_plain(const struct workload *wl)
{
	return (wl->wl_size_count == 0 && wl->wl_pause_ns == 0 &&
	    wl->wl_arrivals == ARRIVALS_CLOSED);
}

bool
workload_varies(const struct workload *wl)
{
	return (wl->wl_size_count > 1 || wl->wl_pause_drawn ||
	    wl->wl_burst > 1 || wl->wl_arrivals == ARRIVALS_POISSON ||
	    wl->wl_arrivals == ARRIVALS_RECORDED);
}

uint64_t
workload_max_bytes(const struct workload *wl, uint64_t bytes)
{
	const struct recording *rec = &wl->wl_recording;
	uint64_t max = 0, n;

	for (unsigned i = 0; i < rec->rec_count; i++)
		for (size_t k = 0; k < rec->rec_streams[i].rcs_count; k++) {
			n = rec->rec_streams[i].rcs_requests[k].rq_bytes;
			max = MAX(n, max);
		}
	for (unsigned i = 0; i < wl->wl_size_count; i++)
		max = MAX(max, wl->wl_sizes[i].ws_bytes);
	return (max > 0 ? max : bytes);
}

double
workload_mean_bytes(const struct workload *wl, uint64_t bytes)
{
	const struct recording *rec = &wl->wl_recording;
	double sum = 0, weights = wl->wl_weights;

	for (unsigned i = 0; i < rec->rec_count; i++) {
		const struct recording_stream *rm = &rec->rec_streams[i];

		for (size_t k = 0; k < rm->rcs_count; k++)
			sum += (double)rm->rcs_requests[k].rq_bytes;
		weights += (double)rm->rcs_count;
	}
	for (unsigned i = 0; i < wl->wl_size_count; i++)
		sum += (double)wl->wl_sizes[i].ws_bytes *
		    wl->wl_sizes[i].ws_weight;
	return (weights > 0 ? sum / weights : (double)bytes);
}

double
workload_rate(const struct workload *wl)
{
	const struct recording *rec = &wl->wl_recording;

	if (wl->wl_arrivals != ARRIVALS_RECORDED)
		return (wl->wl_rate_per_s);
	return ((double)recording_requests(rec) / rec->rec_count * ns_per_s /
	    (double)rec->rec_length_ns * wl->wl_speed);
}

/* Uniform in [0, 1). */
static double
draw_share(struct workload_player *wp)
{
	return ((double)(splitmix_next(&wp->wp_draw) >> 11) * 0x1p-53);
}

static uint64_t
draw_size(struct workload_player *wp)
{
	const struct workload *wl = wp->wp_workload;
	const struct workload_size *ws = wl->wl_sizes;
	uint64_t point;		/* of a line: each size is its weight long */

	if (wl->wl_size_count == 0)
		return (wp->wp_bytes);
	point = (splitmix_next(&wp->wp_draw) >> 32) * wl->wl_weights >> 32;
	for (; point >= ws->ws_weight; ws++)
		point -= ws->ws_weight;
	return (ws->ws_bytes);
}

void
workload_begin(struct workload_player *wp, const struct workload *wl,
    uint64_t bytes, uint64_t seed, unsigned reader)
{
	const struct recording *rec = &wl->wl_recording;

	*wp = (struct workload_player){ .wp_workload = wl, .wp_bytes = bytes };
	/* Neighbouring seeds and readers are to have nothing in common. */
	wp->wp_draw = splitmix_out(splitmix_out(seed) + reader);
	/* Readers in step would meet at the lock each time. */
	if (wl->wl_arrivals == ARRIVALS_CONSTANT)
		wp->wp_phase_ns = draw_share(wp) * ns_per_s / wl->wl_rate_per_s;
	if (wl->wl_arrivals != ARRIVALS_RECORDED)
		return;
	KASSERT(rec->rec_count > 0, ("a recording of nothing"));
	wp->wp_stream = &rec->rec_streams[reader % rec->rec_count];
	/* Nor should two play the same requests at the same time. */
	if (reader >= rec->rec_count) {
		/* As many are far below 2^32, so the bias is too. */
		wp->wp_next = (size_t)(draw_share(wp) *
		    (double)wp->wp_stream->rcs_count);
		wp->wp_loop_ns = -(double)
		    wp->wp_stream->rcs_requests[wp->wp_next].rq_at_ns;
	}
}

static void
next_recorded(struct workload_player *wp, struct workload_step *st)
{
	const struct recording_stream *rm = wp->wp_stream;
	const struct recording_request *rq = &rm->rcs_requests[wp->wp_next];

	st->st_bytes = rq->rq_bytes;
	st->st_ns = (uint64_t)((wp->wp_loop_ns + (double)rq->rq_at_ns) /
	    wp->wp_workload->wl_speed);
	if (++wp->wp_next == rm->rcs_count) {
		wp->wp_next = 0;
		wp->wp_loop_ns +=
		    (double)wp->wp_workload->wl_recording.rec_length_ns;
	}
}

/* The pause before a request of a closed loop. */
static void
next_closed(struct workload_player *wp, struct workload_step *st)
{
	const struct workload *wl = wp->wp_workload;
	double share = 1;

	st->st_start = START_NOW;
	if (wl->wl_pause_ns == 0 ||
	    (wl->wl_burst > 1 && wp->wp_count % wl->wl_burst != 0))
		return;
	if (wl->wl_pause_drawn)
		share = splitmix_exponential(&wp->wp_draw);
	else if (wp->wp_count == 0)
		share = draw_share(wp);	/* as with constant arrivals */
	st->st_start = START_AFTER;
	st->st_ns = (uint64_t)((double)wl->wl_pause_ns * share);
}

void
workload_next(struct workload_player *wp, struct workload_step *st)
{
	const struct workload *wl = wp->wp_workload;

	st->st_start = START_AT;
	if (wl->wl_arrivals == ARRIVALS_RECORDED)
		next_recorded(wp, st);
	else
		st->st_bytes = draw_size(wp);
	if (wl->wl_arrivals == ARRIVALS_CLOSED)
		next_closed(wp, st);
	if (wl->wl_arrivals == ARRIVALS_CONSTANT)
		st->st_ns = (uint64_t)(wp->wp_phase_ns +
		    (double)wp->wp_count * ns_per_s / wl->wl_rate_per_s);
	if (wl->wl_arrivals == ARRIVALS_POISSON) {
		wp->wp_at_ns += splitmix_exponential(&wp->wp_draw) * ns_per_s /
		    wl->wl_rate_per_s;
		st->st_ns = (uint64_t)wp->wp_at_ns;
	}
	wp->wp_count++;
}

double
workload_due(const struct workload_player *wp, uint64_t at_ns)
{
	struct workload_player ahead = *wp;
	struct workload_step st;
	uint64_t first_ns = 0;
	unsigned n;

	for (n = 0; n < WORKLOAD_DUE_MAX; n++) {
		workload_next(&ahead, &st);
		if (st.st_start != START_AT || st.st_ns > at_ns)
			return (n);
		if (n == 0)
			first_ns = st.st_ns;
	}
	return (st.st_ns == first_ns ? n : (double)n *
	    (double)(at_ns - first_ns) / (double)(st.st_ns - first_ns));
}
