#include <errno.h>

#include "harvest/harvest.h"

void
harvest_record(void *hv, const struct random_event *event)
{
	record_add(&((struct harvest *)hv)->hv_record, event);
}

/* Starts the tests anew that are due before the next pass. */
static void
test_anew(struct harvest *hv)
{
	const struct kern_setting ondemand = {
		.kv_name = NIST_HEALTHTEST_ONDEMAND,
		.kv_value = hv->hv_config.nist_healthtest_ondemand };

	if (++hv->hv_pass == hv->hv_config.ondemand_pass &&
	    ondemand.kv_value != 0)
		randomdev_set(hv->hv_device, &ondemand);
}

/* What the harvest thread does between two passes. */
static void
between_passes(void *arg, int64_t *timeout_ns)
{
	struct harvest *hv = arg;
	const struct random_source *rs;

	for (unsigned i = 0; i < hv->hv_sources.ss_list.sl_count; i++) {
		rs = hv->hv_sources.ss_list.sl_source[i];
		if (rs->rs_feed != NULL)
			rs->rs_feed(hv->hv_sources.ss_state[i], hv->hv_device);
	}
	test_anew(hv);
	if (hv->hv_config.rate_hz != 0)
		*timeout_ns = NS_PER_S / hv->hv_config.rate_hz;
}

/* The kernel tests what a driver delivers. */
static int
add_drivers(struct harvest *hv, const struct random_source *rs, void *state)
{
	const uint32_t kinds = rs->rs_kinds(state);
	int error = 0;

	for (unsigned i = RANDOM_PURE_START; error == 0 && i < ENTROPYSOURCE;
	    i++)
		if ((kinds >> i & 1) != 0)
			error = randomdev_register(hv->hv_device, rs->rs_ident,
			    (enum random_entropy_source)i, NULL, NULL);
	return (error);
}

static int
add_source(struct harvest *hv, const struct random_source *rs, void *state)
{
	if (rs->rs_kinds != NULL)
		return (add_drivers(hv, rs, state));
	if (rs->rs_run != NULL)
		hv->hv_producer[hv->hv_producers++] = (struct harvest_producer){
		    .pd_harvest = hv, .pd_source = rs, .pd_state = state };
	return (rs->rs_read == NULL ? 0 : randomdev_register(hv->hv_device,
	    rs->rs_ident, rs->rs_source, rs->rs_read, state));
}

int
harvest_init(struct harvest *hv, const struct harvest_config *config,
    struct harvest_error *error)
{
	int rc;

	memset(hv, 0, sizeof(*hv));
	hv->hv_config = *config;
	atomic_init_32(&hv->hv_stop, 0);
	rc = random_sources_init(&hv->hv_sources, config, error);
	if (rc == 0 && config->record_file[0] != '\0')
		rc = record_create(&hv->hv_record, config->record_file,
		    RECORD_EVENTS_MAX, error);
	if (rc != 0)
		harvest_fini(hv);
	return (rc);
}

int
harvest_attach(struct harvest *hv, struct randomdev *rd,
    struct harvest_error *error)
{
	const struct random_source_list *sl = &hv->hv_sources.ss_list;
	int rc = 0;

	hv->hv_device = rd;
	for (unsigned i = 0; rc == 0 && i < sl->sl_count; i++) {
		rc = add_source(hv, sl->sl_source[i],
		    hv->hv_sources.ss_state[i]);
		if (rc != 0)
			snprintf(error->text, sizeof(error->text),
			    "more than %d polled sources",
			    RANDOM_ABI_SOURCES_MAX);
	}
	if (rc != 0)
		return (rc);
	test_anew(hv);
	randomdev_idle(rd, between_passes, hv);
	return (0);
}

void
harvest_fini(struct harvest *hv)
{
	record_fini(&hv->hv_record);
	random_sources_fini(&hv->hv_sources);
}

void
harvest_producer_run(void *producer)
{
	struct harvest_producer *pd = producer;

	pd->pd_source->rs_run(pd->pd_state, pd->pd_harvest);
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
