/*
 * Replay: the events of a recorded run, each exactly as it was, in order.
 *
 * They go through the queue, past the mask and the destination counters, which
 * they have been through before.  None is dropped: a full queue is waited for.
 */
#include <errno.h>
#include <stdlib.h>

#include "harvest/harvestq.h"

struct replay {
	struct record	re_record;
	size_t		re_next;	/* first event not delivered */
};

static int
replay_init(void **state, const struct harvest_config *config,
    struct harvest_error *error)
{
	struct replay *re;
	int rc;

	if (config->replay_file[0] == '\0') {
		snprintf(error->text, sizeof(error->text), "source \"replay\" "
		    "needs rngsim.source.replay.file=FILE");
		return (EINVAL);
	}
	re = calloc(1, sizeof(*re));
	if (re == NULL) {
		snprintf(error->text, sizeof(error->text), "%s: %s",
		    config->replay_file, strerror(ENOMEM));
		return (ENOMEM);
	}
	rc = record_load(&re->re_record, config->replay_file, error);
	if (rc != 0) {
		free(re);
		return (rc);
	}
	*state = re;
	return (0);
}

static void
replay_fini(void *state)
{
	struct replay *re = state;

	record_fini(&re->re_record);
	free(re);
}

static void
replay_run(void *state, struct harvestq *hq)
{
	struct replay *re = state;

	while (re->re_next < re->re_record.r_count && !harvestq_stopping(hq)) {
		if (harvestq_put(hq, &re->re_record.r_events[re->re_next]) == 0)
			re->re_next++;
		else
			machine_sleep(NS_PER_MS);
	}
}

RANDOM_SOURCE(replay) = {
	.rs_ident	= "replay",
	.rs_descr	= "the events recorded in rngsim.source.replay.file",
	.rs_source	= RANDOM_CACHED,
	.rs_flags	= RS_PUSHED,
	.rs_init	= replay_init,
	.rs_fini	= replay_fini,
	.rs_run		= replay_run,
};
