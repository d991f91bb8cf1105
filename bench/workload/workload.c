#include <math.h>
#include <string.h>

#include "bench/workload/workload.h"
#include "lib/base/kassert.h"
#include "lib/base/splitmix.h"

static const double ns_per_s = 1e9;

const char *const workload_arrivals_names[ARRIVALS_KINDS] = {
	[ARRIVALS_CLOSED] = "",
	[ARRIVALS_CONSTANT] = "constant",
	[ARRIVALS_POISSON] = "poisson",
	[ARRIVALS_RECORDED] = "recorded"
};

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
	    !workload_is_open(wl));
}

bool
workload_varies(const struct workload *wl)
{
	return (wl->wl_size_count > 1 || wl->wl_pause_drawn ||
	    wl->wl_burst > 1 || wl->wl_arrivals == ARRIVALS_POISSON ||
	    wl->wl_arrivals == ARRIVALS_RECORDED);
}

static const struct recording_stream *
stream_of(const struct workload *wl, unsigned reader)
{
	const struct recording *rec = &wl->wl_recording;

	KASSERT(rec->rec_count > 0, ("a recording of nothing"));
	return (&rec->rec_streams[reader % rec->rec_count]);
}

uint64_t
workload_max_bytes(const struct workload *wl, uint64_t bytes)
{
	const struct recording *rec = &wl->wl_recording;
	uint64_t max = 0;

	for (unsigned i = 0; i < rec->rec_count; i++)
		for (size_t k = 0; k < rec->rec_streams[i].rm_count; k++)
			if (rec->rec_streams[i].rm_requests[k].rq_bytes > max)
				max = rec->rec_streams[i].rm_requests[k].
				    rq_bytes;
	for (unsigned i = 0; i < wl->wl_size_count; i++)
		if (wl->wl_sizes[i].ws_bytes > max)
			max = wl->wl_sizes[i].ws_bytes;
	return (max > 0 ? max : bytes);
}

double
workload_mean_bytes(const struct workload *wl, uint64_t bytes)
{
	const struct recording *rec = &wl->wl_recording;
	double sum = 0, weights = 0;

	for (unsigned i = 0; i < rec->rec_count; i++) {
		const struct recording_stream *rm = &rec->rec_streams[i];

		for (size_t k = 0; k < rm->rm_count; k++)
			sum += (double)rm->rm_requests[k].rq_bytes;
		weights += (double)rm->rm_count;
	}
	for (unsigned i = 0; i < wl->wl_size_count; i++) {
		sum += (double)wl->wl_sizes[i].ws_bytes *
		    wl->wl_sizes[i].ws_weight;
		weights += wl->wl_sizes[i].ws_weight;
	}
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
	const struct workload_size *ws;
	uint64_t v;

	if (wl->wl_size_count == 0)
		return (wp->wp_bytes);
	v = splitmix_next(&wp->wp_draw);
	/* High half: which column; low half: it or its alias. */
	ws = &wl->wl_sizes[(v >> 32) * wl->wl_size_count >> 32];
	if ((uint32_t)v >= ws->ws_keep)
		ws = &wl->wl_sizes[ws->ws_alias];
	return (ws->ws_bytes);
}

void
workload_begin(struct workload_player *wp, const struct workload *wl,
    uint64_t bytes, uint64_t seed, unsigned reader)
{
	*wp = (struct workload_player){ .wp_workload = wl, .wp_bytes = bytes };
	/* Neighbouring seeds and readers are to have nothing in common. */
	wp->wp_draw = splitmix_out(splitmix_out(seed) + reader);
	switch (wl->wl_arrivals) {
	case ARRIVALS_CONSTANT:
		/* Readers in step would meet at the lock each time. */
		wp->wp_phase_ns = draw_share(wp) * ns_per_s / wl->wl_rate_per_s;
		break;
	case ARRIVALS_RECORDED:
		wp->wp_stream = stream_of(wl, reader);
		/* Nor should two play the same requests at the same time. */
		if (reader >= wl->wl_recording.rec_count) {
			/* As many are far below 2^32, so the bias is too. */
			wp->wp_next = (size_t)(draw_share(wp) *
			    (double)wp->wp_stream->rm_count);
			wp->wp_loop_ns = -(double)wp->wp_stream->
			    rm_requests[wp->wp_next].rq_at_ns;
		}
		break;
	case ARRIVALS_CLOSED:
	case ARRIVALS_POISSON:
	case ARRIVALS_KINDS:
		break;
	}
}

static void
next_recorded(struct workload_player *wp, struct workload_step *st)
{
	const struct recording_stream *rm = wp->wp_stream;
	const struct recording_request *rq = &rm->rm_requests[wp->wp_next];

	st->st_bytes = rq->rq_bytes;
	st->st_start = START_AT;
	st->st_ns = (uint64_t)((wp->wp_loop_ns + (double)rq->rq_at_ns) /
	    wp->wp_workload->wl_speed);
	if (++wp->wp_next == rm->rm_count) {
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

	if (wl->wl_arrivals == ARRIVALS_RECORDED) {
		next_recorded(wp, st);
		wp->wp_count++;
		return;
	}
	st->st_bytes = draw_size(wp);
	switch (wl->wl_arrivals) {
	case ARRIVALS_CONSTANT:
		st->st_start = START_AT;
		st->st_ns = (uint64_t)(wp->wp_phase_ns +
		    (double)wp->wp_count * ns_per_s / wl->wl_rate_per_s);
		break;
	case ARRIVALS_POISSON:
		wp->wp_at_ns += splitmix_exponential(&wp->wp_draw) * ns_per_s /
		    wl->wl_rate_per_s;
		st->st_start = START_AT;
		st->st_ns = (uint64_t)wp->wp_at_ns;
		break;
	case ARRIVALS_CLOSED:
	case ARRIVALS_RECORDED:
	case ARRIVALS_KINDS:
		next_closed(wp, st);
		break;
	}
	wp->wp_count++;
}

/* Whole turns first, so that a long plan does not take long to count. */
static double
due_recorded(const struct workload_player *wp, uint64_t at_ns)
{
	const struct workload *wl = wp->wp_workload;
	struct workload_player ahead = *wp;
	double length = (double)wl->wl_recording.rec_length_ns, turns;
	double count = 0, left;
	struct workload_step st;

	left = (double)at_ns * wl->wl_speed - wp->wp_loop_ns;
	if (left > length) {
		turns = floor(left / length) - 1;
		count = turns * (double)wp->wp_stream->rm_count;
		ahead.wp_loop_ns += turns * length;
	}
	for (;;) {
		next_recorded(&ahead, &st);
		if (st.st_ns > at_ns)
			return (count);
		count++;
	}
}

double
workload_due(const struct workload_player *wp, uint64_t at_ns)
{
	const struct workload *wl = wp->wp_workload;
	double n;

	switch (wl->wl_arrivals) {
	case ARRIVALS_CONSTANT:
		n = floor(((double)at_ns - wp->wp_phase_ns) / ns_per_s *
		    wl->wl_rate_per_s) + 1 - (double)wp->wp_count;
		return (fmax(0, n));
	case ARRIVALS_POISSON:
		n = ((double)at_ns - wp->wp_at_ns) / ns_per_s *
		    wl->wl_rate_per_s;
		return (fmax(0, floor(n)));
	case ARRIVALS_RECORDED:
		return (due_recorded(wp, at_ns));
	case ARRIVALS_CLOSED:
	case ARRIVALS_KINDS:
		break;
	}
	return (0);
}
