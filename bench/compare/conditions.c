#include <errno.h>
#include <string.h>

#include "bench/compare/compare.h"
#include "bench/report/comparable.h"

enum { TEXTS_SHOWN = 256 };	/* bytes of tunables or sources */

enum kind {
	TEXT,
	TEXTS,
	COUNT,
	REAL
};

/* What may differ: the method, the host, and what may be compared. */
enum group {
	METHOD,
	HOST,
	BUILD,
	GROUPS
};

static const struct condition {
	const char	*cn_name;
	size_t		 cn_offset;
	enum kind	 cn_kind;
	enum group	 cn_group;
} conditions[] = {
#define	AT(member)	offsetof(struct result, member)
	{ "measured seconds of a repeat", AT(time_s), REAL, METHOD },
	{ "CPU", AT(host.cpu_model), TEXT, HOST },
	{ "usable CPUs", AT(host.cpus), COUNT, HOST },
	{ "CPUs", AT(host.cpus_machine), COUNT, HOST },
	{ "CPU quota", AT(host.cpu_quota), REAL, HOST },
	{ "kernel", AT(host.kernel), TEXT, HOST },
	{ "revision", AT(host.revision), TEXT, BUILD },
	{ "compiler", AT(host.compiler), TEXT, BUILD },
	{ "flags", AT(host.flags), TEXT, BUILD },
	{ "libcrypto", AT(host.libcrypto), TEXT, BUILD },
	{ "placement", AT(place), TEXT, BUILD },
	{ "tunables", AT(tunables), TEXTS, BUILD },
	{ "harvest model", AT(harvest_model), TEXT, BUILD },
	{ "sources", AT(sources), TEXTS, BUILD },
#undef AT
};

/* A condition's value: "name=value, name=value", "none" where empty. */
static void
value_text(struct text *t, const struct condition *cn, const struct result *r)
{
	const void *p = (const char *)r + cn->cn_offset;
	char *const *texts;

	switch (cn->cn_kind) {
	case TEXT:
		text_add(t, "\"%s\"", (const char *)p);
		break;
	case COUNT:
		text_add(t, "%u", *(const unsigned *)p);
		break;
	case REAL:
		text_add(t, "%.9g", *(const double *)p);
		break;
	case TEXTS:
		for (texts = *(char *const *const *)p; texts != NULL &&
		    *texts != NULL; texts++)
			text_list(t, "%s", *texts);
		text_clean(t);
		if (t->s[0] == '\0')
			text_add(t, "none");
		break;
	}
}

/*
 * Adds the values that two profiles of one name have different; where one lacks
 * a value, topo.* differs.  An older result has no lines.
 */
static void
add_profiles(const struct result *const r[2], struct text groups[GROUPS])
{
	const bool none = r[0]->profile_sha256[0] == '\0';
	char *const *a, *const *b;
	size_t key, n, m;

	if (none != (r[1]->profile_sha256[0] == '\0'))
		text_list(&groups[BUILD], "profile (%c does not have its "
		    "values)", none ? 'A' : 'B');
	for (a = r[0]->profile; a != NULL && *a != NULL; a++) {
		/* Sources, in quotes, may differ. */
		key = strcspn(*a, "=");
		n = strcspn(*a, "\"");
		for (b = r[1]->profile; b != NULL && *b != NULL; b++) {
			m = strcspn(*b, "\"");
			if (strncmp(*a, *b, key) == 0 && (n != m ||
			    strncmp(*a, *b, n) != 0))
				text_list(&groups[HOST], "profile's %.*s (A "
				    "%.*s, B %.*s)", (int)key - 1, *a,
				    (int)(n - key) - 3, *a + key + 2,
				    (int)(m - key) - 3, *b + key + 2);
		}
	}
}

static void
find_differences(const struct result *const r[2], struct text groups[GROUPS])
{
	const bool predicted = provenance_of(r[0]) == RESULT_PREDICTED;
	char machine[2][COMPARABLE_SIZE];
	unsigned i, side;

	for (i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++) {
		const struct condition *cn = &conditions[i];
		struct text value[2] = { { .s = "" }, { .s = "" } };

		for (side = 0; side < 2; side++)
			value_text(&value[side], cn, r[side]);
		/* A simulated machine does not depend on the host. */
		if (strcmp(value[0].s, value[1].s) == 0 ||
		    (predicted && cn->cn_group == HOST))
			continue;
		for (side = 0; side < 2 && cn->cn_kind == TEXTS; side++) {
			value[side].s[TEXTS_SHOWN] = '\0';
			utf8_truncate(value[side].s);
		}
		text_list(&groups[cn->cn_group], "%s (A %s, B %s)",
		    cn->cn_name, value[0].s, value[1].s);
	}
	for (side = 0; side < 2; side++)
		provenance_machine(r[side], machine[side]);
	if (predicted && strcmp(machine[0], machine[1]) != 0)
		text_list(&groups[HOST], "machine (A \"%s\", B \"%s\")",
		    machine[0], machine[1]);
	if (predicted && strcmp(r[0]->cells[0].profile,
	    r[1]->cells[0].profile) == 0)
		add_profiles(r, groups);
	if (r[0]->host.invariants != r[1]->host.invariants)
		text_list(&groups[METHOD], "INVARIANTS (on in %s)",
		    r[0]->host.invariants ? "A" : "B");
	if (provenance_ledgered(r[0]) != provenance_ledgered(r[1]))
		text_list(&groups[METHOD], "ledger (on in %s)",
		    provenance_ledgered(r[0]) ? "A" : "B");
}

static void
flag_conditions(struct compare *co, const struct text groups[GROUPS])
{
	static const char *const heads[GROUPS] = {
		[METHOD] = "different method", [HOST] = "different hosts",
		[BUILD] = "different"
	};
	const struct result *a = co->co_result[0];
	const bool two = co->co_by == COMPARE_RESULTS;

	for (unsigned side = 0; side < (two ? 2 : 1); side++)
		if (!co->co_result[side]->complete)
			compare_flag(co, "%sincomplete: stopped before "
			    "everything was measured", !two ? "" : side == 0 ?
			    "A is " : "B is ");
	/* The same program: its revision names one source. */
	compare_noise(co, groups[BUILD].s[0] == '\0' &&
	    strcmp(a->host.revision, "unknown") != 0 &&
	    strstr(a->host.revision, "-dirty") == NULL);
	for (unsigned group = 0; group < GROUPS; group++)
		if (groups[group].s[0] != '\0')
			compare_flag(co, "%s: %s", heads[group],
			    groups[group].s);
	if (a->host.invariants)
		compare_flag(co, "INVARIANTS is on: its checks are timed too, "
		    "no figures to quote");
	if (provenance_ledgered(a))
		compare_flag(co, "a ledger was kept: its checks are timed too");
}

int
compare_conditions(struct compare *co, bool across,
    char error[COMPARE_TEXT_SIZE])
{
	const struct result *a = co->co_result[0], *b = co->co_result[1];
	struct text groups[GROUPS] = { { .s = "" } };
	const char *host = groups[HOST].s, *method = groups[METHOD].s;

	if (provenance_of(a) != provenance_of(b)) {
		snprintf(error, COMPARE_TEXT_SIZE, "A was %s, B %s: a "
		    "prediction is no measurement to compare with; \"rngsim "
		    "validate\" sets them beside each other",
		    provenance_word(a), provenance_word(b));
		return (EINVAL);
	}
	find_differences(co->co_result, groups);
	if (!across && (method[0] != '\0' || host[0] != '\0')) {
		snprintf(error, COMPARE_TEXT_SIZE, "A and B were %s under "
		    "different conditions: %.800s%s%.1000s; --across "
		    "compares them all the same", provenance_word(a), method,
		    method[0] != '\0' && host[0] != '\0' ? ", " : "", host);
		return (EINVAL);
	}
	flag_conditions(co, groups);
	return (0);
}
