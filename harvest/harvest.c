/* The family of sources, and those of a run. */
#include "harvest/harvest.h"

enum { SOURCE_RETRIES = 10 };

const struct random_source *const random_sources[RANDOM_SOURCES] = {
#define	SOURCE(name)	&FLAVOURED(src_##name),
#include "harvest/source.tbl"
};

int
random_source_list_parse(struct random_source_list *sl, const char *names,
    char why[HARVEST_ERROR_SIZE])
{
	char list[TUNABLE_STRING_SIZE], *name, *rest = list;
	const struct random_source *rs;
	bool listed[RANDOM_SOURCES] = { false };
	unsigned i;

	KASSERT(strlen(names) < sizeof(list), ("list of %zu characters",
	    strlen(names)));
	memset(sl, 0, sizeof(*sl));
	strcpy(list, names);
	while ((name = strsep(&rest, ",")) != NULL) {
		for (i = 0; i < RANDOM_SOURCES && strcmp(name,
		    random_sources[i]->rs_ident) != 0; i++)
			continue;
		if (i == RANDOM_SOURCES || listed[i]) {
			snprintf(why, HARVEST_ERROR_SIZE, "%s source \"%s\"; "
			    "accepted: ", i == RANDOM_SOURCES ? "unknown" :
			    "repeated", name);
			for (i = 0; i < RANDOM_SOURCES; i++)
				APPEND(why, HARVEST_ERROR_SIZE, "%s%s", i == 0 ?
				    "" : ", ", random_sources[i]->rs_ident);
			return (EINVAL);
		}
		listed[i] = true;
		rs = random_sources[i];
		if (MACHINE_SIMULATED || random_source_present(rs))
			sl->rsl_source[sl->rsl_count++] = rs;
		else
			sl->rsl_skipped[sl->rsl_skipped_count++] = rs;
	}
	return (0);
}

size_t
random_source_words(bool (*step)(uint64_t *), void *buf, size_t len)
{
	uint8_t *p = buf;
	uint64_t word;
	size_t done, n;
	unsigned tries;

	for (done = 0; done < len; done += n) {
		for (tries = 0; tries < SOURCE_RETRIES; tries++)
			if (machine_draw(&word) || step(&word))
				break;
		if (tries == SOURCE_RETRIES)
			break;
		n = len - done < sizeof(word) ? len - done : sizeof(word);
		memcpy(p + done, &word, n);
	}
	wipe(&word, sizeof(word));
	return (done);
}

static void
note_event(void *hv, const struct random_event *event)
{
	record_add(&((struct harvest *)hv)->hv_record, event);
}

/* What the harvest thread does between two passes. */
static void
between_passes(void *arg, int64_t *timeout_ns)
{
	const struct harvest *hv = arg;

	if (hv->hv_config.rate_hz != 0)
		*timeout_ns = NS_PER_S / hv->hv_config.rate_hz;
}

int
harvest_init(struct harvest *hv, const struct harvest_config *config,
    char why[HARVEST_ERROR_SIZE])
{
	struct random_source_list *sl = &hv->hv_sources;
	int rc;

	memset(hv, 0, sizeof(*hv));
	hv->hv_config = *config;
	atomic_init_32(&hv->hv_stop, 0);
	rc = random_source_list_parse(sl, config->sources, why);
	for (unsigned i = 0; rc == 0 && i < sl->rsl_count; i++)
		if (sl->rsl_source[i]->rs_init != NULL)
			sl->rsl_state[i] = sl->rsl_source[i]->rs_init(config);
	if (rc == 0 && config->record_file[0] != '\0')
		rc = record_create(&hv->hv_record, config->record_file,
		    RECORD_EVENTS_MAX, why);
	if (rc != 0)
		harvest_fini(hv);
	return (rc);
}

void
harvest_params(struct harvest *hv, struct randomdev_params *rp)
{
	rp->rp_arg = hv;
	rp->rp_idle = between_passes;
	if (hv->hv_record.rc_file != NULL)
		rp->rp_record = note_event;
}

void
harvest_attach(struct harvest *hv, struct randomdev *rd)
{
	const struct random_source_list *sl = &hv->hv_sources;
	const struct random_source *rs;

	CTASSERT((int)RANDOM_SOURCES <= (int)RANDOM_ABI_SOURCES_MAX);
	hv->hv_device = rd;
	for (unsigned i = 0; i < sl->rsl_count; i++) {
		rs = sl->rsl_source[i];
		if (rs->rs_run != NULL)
			hv->hv_producer[hv->hv_producers++] = i;
		else
			randomdev_register(rd, rs->rs_ident, rs->rs_source,
			    rs->rs_read, sl->rsl_state[i]);
	}
}

void
harvest_fini(struct harvest *hv)
{
	struct random_source_list *sl = &hv->hv_sources;

	record_fini(&hv->hv_record);
	for (unsigned i = 0; i < sl->rsl_count; i++)
		if (sl->rsl_state[i] != NULL)
			sl->rsl_source[i]->rs_fini(sl->rsl_state[i]);
	memset(sl, 0, sizeof(*sl));
}

void
harvest_run(struct harvest *hv, unsigned i)
{
	const struct random_source_list *sl = &hv->hv_sources;
	const unsigned s = hv->hv_producer[i];

	sl->rsl_source[s]->rs_run(sl->rsl_state[s], hv);
}

void
harvest_stop(struct harvest *hv)
{
	atomic_store_rel_32(&hv->hv_stop, 1);
}

bool
harvest_stopping(struct harvest *hv)
{
	return (atomic_load_acq_32(&hv->hv_stop) != 0 || machine_interrupted());
}
