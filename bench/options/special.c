/*
 * Options with a syntax of their own.
 */
#include <errno.h>

#include "bench/cli/memory.h"
#include "bench/options/options.h"
#include "lib/base/parse_number.h"

#define	PS_PER_MS	1e9

enum { TRACE_MS_MAX = 86400 * 1000 };

bool
options_tunable_seen(const struct options *op, const char *name)
{
	size_t n = strlen(name);

	for (unsigned i = 0; i < op->op_tunable_count; i++)
		if (strncmp(op->op_tunables[i], name, n) == 0 &&
		    op->op_tunables[i][n] == '=')
			return (true);
	return (false);
}

void
options_sysctls(void (*each)(void *context, const struct design *de,
    const struct design_sysctl *dy), void *context)
{
	struct design_sysctl seen[2 * DESIGN_SYSCTLS_MAX];
	struct tunable_set sets[BENCH_TUNABLE_SETS];
	const struct tunable_set *set;
	struct bench_config config;
	const struct design *de;
	unsigned count = 0, k, n;

	bench_config_sets(&config, sets);
	for (size_t d = 0; (de = design_at(d)) != NULL && count <=
	    DESIGN_SYSCTLS_MAX; d++) {
		n = design_sysctls(de, &seen[count], DESIGN_SYSCTLS_MAX);
		if (n == 0 && errno != 0)
			each(context, de, NULL);
		for (unsigned i = count; n-- > 0; i++) {
			for (k = 0; k < count && strcmp(seen[k].dy_name,
			    seen[i].dy_name) != 0;)
				k++;
			if (k < count || tunable_find(sets, BENCH_TUNABLE_SETS,
			    seen[i].dy_name, &set) != NULL)
				continue;
			seen[count] = seen[i];
			each(context, de, &seen[count++]);
		}
	}
}

int
option_tunable(struct options *op, const char *label, const char *text)
{
	char range[OPTION_TEXT_SIZE];
	const struct tunable *tn;
	const char *value;
	int error;

	tn = bench_config_set(&op->op_config, text, &value, &error);
	if (value == NULL)
		return (usage_error("%s: \"%s\": expected name=value; \"rngsim "
		    "list tunables\" has the names", label, text));
	/* Another name may be a kernel source's: finish_tunables(). */
	snprintf(range, sizeof(range), "%.*s", (int)(value - 1 - text), text);
	if (options_tunable_seen(op, range))
		return (usage_error("%s: %s is set twice", label, range));
	if (tn != NULL && error != 0) {
		tunable_range(tn, range, sizeof(range));
		return (usage_error("%s: %s: \"%s\": expected %s", label,
		    tn->tn_name, value, range));
	}
	op->op_tunables = xreallocarray(op->op_tunables,
	    op->op_tunable_count + 2, sizeof(*op->op_tunables));
	op->op_tunables[op->op_tunable_count++] = xstrdup(text);
	op->op_tunables[op->op_tunable_count] = NULL;
	return (0);
}

int
option_failpoint(struct options *op, const char *label, const char *text)
{
	char why[FAILPOINTS_ERROR_SIZE];

	return (failpoints_parse(&op->op_faults, text, why) == 0 ? 0 :
	    usage_error("%s: %s", label, why));
}

int
option_fail_if(struct options *op, const char *label, const char *text)
{
	if (op->op_fail_ifs == OPTIONS_FAIL_IF_MAX)
		return (usage_error("%s is given more than %d times", label,
		    OPTIONS_FAIL_IF_MAX));
	op->op_fail_if[op->op_fail_ifs++] = text;
	return (0);
}

int
option_trace_time(struct options *op, const char *label, const char *text)
{
	const char *dash = strchr(text, '-');
	char from[64] = "0";
	double ms[2];

	if (dash != NULL)
		snprintf(from, sizeof(from), "%.*s", (int)(dash - text), text);
	if (parse_real(from, &ms[0]) == 0 && ms[0] <= TRACE_MS_MAX &&
	    parse_real(dash == NULL ? text : dash + 1, &ms[1]) == 0 &&
	    ms[1] <= TRACE_MS_MAX) {
		op->op_trace_from_ps = (uint64_t)(ms[0] * PS_PER_MS + 0.5);
		op->op_trace_to_ps = (uint64_t)(ms[1] * PS_PER_MS + 0.5);
		if (op->op_trace_to_ps > op->op_trace_from_ps)
			return (0);
	}
	return (usage_error("%s: \"%s\": expected milliseconds of the window, "
	    "more than 0, or from when to when, such as 5-7.5, at most %d",
	    label, text, TRACE_MS_MAX));
}

bool
option_read_part(const char *text, unsigned *part, unsigned *parts)
{
	char first[32];
	const char *of = strchr(text, '/');
	uint64_t v[2];

	snprintf(first, sizeof(first), "%.*s", (int)strcspn(text, "/"), text);
	if (of == NULL || parse_number(first, &v[0]) != 0 ||
	    parse_number(of + 1, &v[1]) != 0 || v[0] < 1 || v[0] > v[1] ||
	    v[1] > OPTIONS_PARTS_MAX)
		return (false);
	*part = (unsigned)v[0];
	*parts = (unsigned)v[1];
	return (true);
}

int
option_part(struct options *op, const char *label, const char *text)
{
	return (option_read_part(text, &op->op_part, &op->op_part_of) ? 0 :
	    usage_error("%s: \"%s\": expected I/N, 1 <= I <= N <= %d", label,
	    text, OPTIONS_PARTS_MAX));
}

int
option_workload(struct options *op, const char *label, const char *text)
{
	char why[WORKLOAD_ERROR_SIZE] = "";
	const int error = workload_parse(text, &op->op_workload, why);

	return (error == 0 ? 0 : complain(error == EINVAL ? EXIT_USAGE :
	    EXIT_FAILURE, "%s: %s", label, why));
}
