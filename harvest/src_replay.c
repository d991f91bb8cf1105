/*
 * Replay: the events of a recorded run, each exactly as it was, in order.
 *
 * They have been through the mask and the queue before: the harvest thread
 * delivers them, at most as many in a pass as a queue holds.
 */
#include "harvest/harvest.h"

enum { PASS_EVENTS_MAX = 1024 };

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
	re = xcalloc(1, sizeof(*re));
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
replay_feed(void *state, struct randomdev *rd)
{
	struct replay *re = state;

	for (unsigned n = 0; n < PASS_EVENTS_MAX &&
	    re->re_next < re->re_record.rc_count; n++)
		randomdev_deliver(rd, &re->re_record.rc_events[re->re_next++]);
}

static uint32_t
replay_kinds(const void *state)
{
	const struct replay *re = state;
	uint32_t kinds = 0;

	for (size_t i = 0; i < re->re_record.rc_count; i++)
		kinds |= 1u << re->re_record.rc_events[i].he_source;
	return (kinds);
}

RANDOM_SOURCE(replay) = {
	.rs_ident	= "replay",
	.rs_descr	= "the events recorded in rngsim.source.replay.file",
	.rs_source	= RANDOM_CACHED,
	.rs_init	= replay_init,
	.rs_fini	= replay_fini,
	.rs_feed	= replay_feed,
	.rs_kinds	= replay_kinds,
};
