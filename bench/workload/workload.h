/*
 * The sizes and times of readers' requests.  In a closed loop a request begins
 * when the one before has ended, or a pause later.  In an open loop requests
 * are due at planned times; a reader that falls behind still makes all of them.
 * Nothing here reads a clock or sleeps.  A seed and a reader give all draws.
 */
#pragma once

#include <sys/stat.h>

#include "bench/workload/recording.h"
#include "fortuna/device/event.h"

enum {
	WORKLOAD_SIZES_MAX	= 32,
	WORKLOAD_WEIGHT_MAX	= 1000000,
	WORKLOAD_BURST_MAX	= 1000000,
	WORKLOAD_TEXT_SIZE	= 192,
	WORKLOAD_ERROR_SIZE	= LINES_ERROR_SIZE + 256,
	WORKLOAD_DUE_MAX	= 1000 * 1000,	/* requests that are counted */
	WORKLOAD_RATE_MAX_PER_S	= 10 * 1000 * 1000,
	WORKLOAD_SPEED_MAX	= 1000 * 1000
};

/* An hour. */
#define	WORKLOAD_PAUSE_MAX_NS	(UINT64_C(3600) * 1000000000)

/* No plan; equal distances; exponentially distributed ones; a recording's. */
enum workload_arrivals { ARRIVALS_CLOSED, ARRIVALS_CONSTANT, ARRIVALS_POISSON,
    ARRIVALS_RECORDED, ARRIVALS_KINDS };

/* As --arrivals and results call them; "" is the closed loop. */
extern const char *const workload_arrivals_names[ARRIVALS_KINDS];

/* Constant once made; any number of players may share one. */
struct workload {
	char		 wl_text[WORKLOAD_TEXT_SIZE];	/* canonical; or "" */
	struct workload_size {
		uint64_t	 ws_bytes;
		uint32_t	 ws_weight;
	}		 wl_sizes[WORKLOAD_SIZES_MAX];	/* of a mix */
	unsigned	 wl_size_count;	/* 0: as the cell says */
	uint32_t	 wl_weights;	/* the sizes' sum */
	uint64_t	 wl_pause_ns;	/* between requests or bursts */
	bool		 wl_pause_drawn;	/* with that mean */
	unsigned	 wl_burst;	/* requests in each; 0: none */
	enum workload_arrivals wl_arrivals;
	double		 wl_rate_per_s;	/* of each reader */
	struct recording wl_recording;
	char		 wl_path[256];	/* the recording's; "": none */
	double		 wl_speed;	/* the recording is played at */
};

struct workload_step {
	uint64_t	 st_bytes;
	enum {
		START_NOW,	/* after the one before */
		START_AFTER,	/* st_ns after the end of the one before */
		START_AT	/* st_ns after the player began */
	}		 st_start;
	uint64_t	 st_ns;
};

/* The state of one reader. */
struct workload_player {
	const struct workload *wp_workload;
	uint64_t	 wp_bytes;	/* where there is no mix */
	uint64_t	 wp_draw;	/* the generator's state */
	uint64_t	 wp_count;	/* steps played */
	double		 wp_at_ns;	/* Poisson: when the last was due */
	double		 wp_phase_ns;	/* constant: when the first is due */
	const struct recording_stream *wp_stream;
	size_t		 wp_next;	/* of the stream's requests */
	double		 wp_loop_ns;	/* recorded time at its first one */
};

/*
 * Parses the argument of --workload; wl is for workload_free(), plain on
 * failure.  Returns: 0; EINVAL, EBADMSG for a wrong text, file; another error.
 */
int workload_parse(const char *text, struct workload *wl,
    char error[WORKLOAD_ERROR_SIZE]);

/* A part of it: a time with its unit, more than 0.  Returns: 0; EINVAL. */
int workload_time(const char *what, const char *text, uint64_t *ns, char *why);

/* Make a workload without sizes and pauses; the second frees what it had. */
void workload_init(struct workload *wl);
void workload_free(struct workload *wl);

/* Prints the names and files of recorded workloads.  Returns: their number. */
unsigned workload_list(FILE *out);

/*
 * Whether it has one size, a closed loop and no pause; whether requests, or
 * their times, are not all alike.
 */
bool workload_is_plain(const struct workload *wl);
bool workload_varies(const struct workload *wl);

/*
 * The largest request, the mean one, and, in an open loop, each reader's
 * requests per second; of a recording over all its streams.  bytes: a request's
 * size where the workload has none.
 */
uint64_t workload_max_bytes(const struct workload *wl, uint64_t bytes);
double workload_mean_bytes(const struct workload *wl, uint64_t bytes);
double workload_rate(const struct workload *wl);

/*
 * Begins a reader's part of a workload, which must outlive the player; of a
 * recording that is stream reader % streams.
 */
void workload_begin(struct workload_player *wp, const struct workload *wl,
    uint64_t bytes, uint64_t seed, unsigned reader);

/* The next request; there is always one. */
void workload_next(struct workload_player *wp, struct workload_step *st);

/*
 * In an open loop, the requests that workload_next() has not returned and that
 * are due until at_ns after the player began; above WORKLOAD_DUE_MAX, as many
 * as there would be at the rate of the first so many.
 */
double workload_due(const struct workload_player *wp, uint64_t at_ns);

/*
 * What producers of entropy events do: threads in interrupt context that work,
 * as a packet's way through the stack does, and then queue an event.  In a
 * closed loop there is always a packet.  In an open loop packets arrive at a
 * rate, singly or in bursts, and those that find the NIC's queue full are lost.
 */

enum {
	PRODUCERS_MAX		= 1024,
	PRODUCING_QUEUE		= 512,	/* packets, as drivers of NICs have */
	PRODUCING_QUEUE_MAX	= 65536,
	PRODUCING_BYTES_MAX	= 4096,
	PRODUCING_RATE_MAX_PER_S = 100 * 1000 * 1000
};

/* Constant once made. */
struct producing {
	char		 prw_text[WORKLOAD_TEXT_SIZE];	/* canonical */
	const char	*prw_name;	/* of its kind */
	enum random_entropy_source prw_source;
	unsigned	 prw_bytes;	/* of an event */
	uint64_t	 prw_work_ns;	/* before each; 0: the curve's */
	/* Standard deviation of the work over its mean, 0..1. */
	double		 prw_cv;
	char		 prw_path[256];	/* of the curve; "": none */
	/* Work by number of producers; 0: not in the file. */
	uint64_t	 prw_curve_ns[PRODUCERS_MAX + 1];
	double		 prw_rate_per_s;	/* of each; 0: closed loop */
	bool		 prw_rate_drawn;	/* distances are exponential */
	unsigned	 prw_burst;	/* packets that arrive together */
	unsigned	 prw_queue;	/* packets that can wait */
};

/*
 * Parses the argument of --producer.  Returns: 0; EINVAL, EBADMSG for a wrong
 * text, file; another error; with what is wrong in why.
 */
int producing_parse(const char *text, struct producing *pg,
    char why[WORKLOAD_ERROR_SIZE]);

/* The mean work of each of n producers; 0: the curve lacks that. */
static inline uint64_t
producing_work_ns(const struct producing *pg, unsigned n)
{
	return (pg->prw_path[0] == '\0' ? pg->prw_work_ns :
	    pg->prw_curve_ns[n]);
}
