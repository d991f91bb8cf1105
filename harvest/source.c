/*
 * The family of sources: its table, choosing from it, and what sources share.
 */
#include <errno.h>
#include <stdio.h>

#include "harvest/source.h"
#include "lib/machine/machine.h"
#include "lib/crypto/wipe.h"

enum { SOURCE_RETRIES = 10 };

const struct random_source *const random_sources[RANDOM_SOURCES] = {
#define	SOURCE(name)	&FLAVOURED(src_##name),
#include "harvest/source.tbl"
#undef SOURCE
};

const struct random_source *
random_source_find(const char *name)
{
	for (unsigned i = 0; i < RANDOM_SOURCES; i++)
		if (strcmp(random_sources[i]->rs_ident, name) == 0)
			return (random_sources[i]);
	return (NULL);
}

static bool
listed(const struct random_source_list *sl, const struct random_source *rs)
{
	for (unsigned i = 0; i < sl->sl_count; i++)
		if (sl->sl_source[i] == rs)
			return (true);
	for (unsigned i = 0; i < sl->sl_skipped_count; i++)
		if (sl->sl_skipped[i] == rs)
			return (true);
	return (false);
}

static void
complain(struct harvest_error *error, const char *what, const char *name)
{
	size_t used;

	used = (size_t)snprintf(error->text, sizeof(error->text),
	    "%s source \"%s\"; accepted: ", what, name);
	for (unsigned i = 0; i < RANDOM_SOURCES && used < sizeof(error->text);
	    i++)
		used += (size_t)snprintf(error->text + used,
		    sizeof(error->text) - used, "%s%s", i == 0 ? "" : ", ",
		    random_sources[i]->rs_ident);
}

int
random_source_list_parse(struct random_source_list *sl, const char *names,
    struct harvest_error *error)
{
	char list[TUNABLE_STRING_SIZE], *name, *rest = list;
	const struct random_source *rs;

	KASSERT(strlen(names) < sizeof(list), ("list of %zu characters",
	    strlen(names)));
	memset(sl, 0, sizeof(*sl));
	strcpy(list, names);
	while ((name = strsep(&rest, ",")) != NULL) {
		rs = random_source_find(name);
		if (rs == NULL) {
			complain(error, "unknown", name);
			return (EINVAL);
		}
		if (listed(sl, rs)) {
			complain(error, "repeated", name);
			return (EINVAL);
		}
		if (MACHINE_SIMULATED || random_source_present(rs))
			sl->sl_source[sl->sl_count++] = rs;
		else
			sl->sl_skipped[sl->sl_skipped_count++] = rs;
	}
	return (0);
}

int
random_sources_init(struct random_source_list *sl,
    const struct harvest_config *config, struct harvest_error *error)
{
	int rc = random_source_list_parse(sl, config->sources, error);

	for (unsigned i = 0; rc == 0 && i < sl->sl_count; i++)
		if (sl->sl_source[i]->rs_init != NULL)
			rc = sl->sl_source[i]->rs_init(&sl->sl_state[i], config,
			    error);
	if (rc != 0)
		random_sources_fini(sl);
	return (rc);
}

void
random_sources_fini(struct random_source_list *sl)
{
	for (unsigned i = 0; i < sl->sl_count; i++)
		if (sl->sl_state[i] != NULL)
			sl->sl_source[i]->rs_fini(sl->sl_state[i]);
	memset(sl, 0, sizeof(*sl));
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
