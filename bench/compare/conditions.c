#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/compare/compare.h"
#include "bench/result/describe.h"
#include "bench/result/field.h"

enum { VALUE_SIZE = 256 };	/* of a value's text; more is cut */

/* What may differ: the method, the host, and what may be compared. */
enum group {
	METHOD,
	HOST,
	BUILD,
	GROUPS
};

static const struct condition {
	const char	*cn_name;
	const char	*cn_key;	/* of result_format_head() */
	enum group	 cn_group;
} conditions[] = {
	{ "measured seconds of a repeat", "time_s", METHOD },
	{ "INVARIANTS", "invariants", METHOD },
	{ "CPU", "cpu_model", HOST },
	{ "usable CPUs", "cpus", HOST },
	{ "CPUs", "cpus_machine", HOST },
	{ "CPU quota", "cpu_quota", HOST },
	{ "kernel", "kernel", HOST },
	{ "revision", "revision", BUILD },
	{ "compiler", "compiler", BUILD },
	{ "flags", "flags", BUILD },
	{ "libcrypto", "libcrypto", BUILD },
	{ "placement", "place", BUILD },
	{ "tunables", "tunables", BUILD },
	{ "harvest model", "harvest_model", BUILD },
	{ "sources", "sources", BUILD },
};

static const char *
value_text(char buf[VALUE_SIZE], const json_t *value)
{
	char *text = json_dumps(value, JSON_ENCODE_ANY |
	    JSON_REAL_PRECISION(9));

	snprintf(buf, VALUE_SIZE, "%s", text);
	utf8_truncate(buf);
	free(text);
	return (buf);
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
	json_t *head[2] = { result_format_head(r[0]),
	    result_format_head(r[1]) };
	struct text machine[2] = { { .s = "" } };
	char a[VALUE_SIZE], b[VALUE_SIZE];
	const json_t *values[2];

	for (unsigned i = 0; i < sizeof(conditions) / sizeof(conditions[0]);
	    i++) {
		const struct condition *cn = &conditions[i];

		values[0] = json_object_get(head[0], cn->cn_key);
		values[1] = json_object_get(head[1], cn->cn_key);
		/* A simulated machine does not depend on the host. */
		if (json_equal(values[0], values[1]) ||
		    (predicted && cn->cn_group == HOST))
			continue;
		text_list(&groups[cn->cn_group], "%s (A %s, B %s)",
		    cn->cn_name, value_text(a, values[0]),
		    value_text(b, values[1]));
	}
	json_decref(head[0]);
	json_decref(head[1]);
	provenance_machine(&machine[0], r[0]);
	provenance_machine(&machine[1], r[1]);
	if (predicted && strcmp(machine[0].s, machine[1].s) != 0)
		text_list(&groups[HOST], "machine (A \"%s\", B \"%s\")",
		    machine[0].s, machine[1].s);
	if (predicted && strcmp(r[0]->cells[0].profile,
	    r[1]->cells[0].profile) == 0)
		add_profiles(r, groups);
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
