/*
 * What producers of entropy events do: threads in interrupt context that work,
 * as a packet's way through the stack does, and then queue an event.  In a
 * closed loop there is always a packet.  In an open loop packets arrive at a
 * rate, singly or in bursts, and those that find the NIC's queue full are lost.
 */
#pragma once

#include "bench/workload/workload.h"
#include "fortuna/device/event.h"

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
