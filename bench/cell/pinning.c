#include "bench/cell/cell.h"

static const char *const order_names[CPU_ORDERS] = { [CPU_COMPACT] = "compact",
    [CPU_SCATTER] = "scatter", [CPU_SMT_FIRST] = "smt-first" };

enum { RANGES_SHOWN = 60 };

static const char expected[] = "expected compact, scatter, smt-first, none, or "
    "CPUs such as 0-3,8 with the harvest thread's after a slash";

#define	REFUSE(...)	format_wrong(error, PINNING_ERROR_SIZE, __VA_ARGS__)

/* The rank of a CPU, and its number; vt is NULL for the host. */
static int
rank_of(const struct vm_topology *vt, uint64_t number)
{
	if (number > INT32_MAX)
		return (-1);
	return (vt == NULL ? cpu_rank((unsigned)number) :
	    number < vt->tp_cpus ? (int)number : -1);
}

static int
not_there(const struct vm_topology *vt, uint64_t number,
    char error[PINNING_ERROR_SIZE])
{
	struct text ranges = { .s = "" };
	unsigned end;

	if (vt != NULL)
		return (REFUSE("CPU %" PRIu64 " is not among the simulated "
		    "machine's, 0..%u", number, vt->tp_cpus - 1));
	for (unsigned first = 0; first < cpu_ids(); first = end + 1) {
		for (end = first; end < cpu_ids() && cpu_rank(end) >= 0; end++)
			continue;
		if (end == first)
			continue;
		text_add(&ranges, end - first == 1 ? "%s%u" : "%s%u-%u",
		    ranges.s[0] == '\0' ? "" : ",", first, end - 1);
	}
	return (REFUSE("CPU %" PRIu64 " is not among the %u that this process "
	    "may use: %.*s%s", number, cpu_count(), RANGES_SHOWN, ranges.s,
	    strlen(ranges.s) > RANGES_SHOWN ? "..." : ""));
}

static int
add_cpu(struct pinning *pl, const struct vm_topology *vt, uint64_t number,
    char error[PINNING_ERROR_SIZE])
{
	const int rank = rank_of(vt, number);

	if (rank < 0)
		return (not_there(vt, number, error));
	for (unsigned i = 0; i < pl->pl_count; i++)
		if (pl->pl_ranks[i] == (unsigned)rank)
			return (REFUSE("CPU %" PRIu64 " is named twice",
			    number));
	pl->pl_ranks[pl->pl_count++] = (unsigned)rank;
	return (0);
}

/* CPUs such as 3 and 3-5, and after a slash the harvest thread's. */
static int
parse_list(struct pinning *pl, const struct vm_topology *vt, char *text,
    char error[PINNING_ERROR_SIZE])
{
	char *item, *list = strsep(&text, "/"), *low;
	uint64_t first, last;
	int status = 0;

	while (status == 0 && (item = strsep(&list, ",")) != NULL) {
		low = strsep(&item, "-");
		if (parse_number(low, &first) != 0 || parse_number(item !=
		    NULL ? item : low, &last) != 0 || last < first)
			return (REFUSE("%s", expected));
		for (; status == 0 && first <= last; first++)
			status = add_cpu(pl, vt, first, error);
	}
	if (status != 0 || text == NULL)
		return (status);
	if (parse_number(text, &first) != 0)
		return (REFUSE("%s", expected));
	pl->pl_harvest = rank_of(vt, first);
	return (pl->pl_harvest < 0 ? not_there(vt, first, error) : 0);
}

int
pinning_parse(struct pinning *pl, const char *text,
    const struct vm_topology *vt, char error[PINNING_ERROR_SIZE])
{
	char *list;
	int status;

	*pl = (struct pinning){ .pl_harvest = -1, .pl_cpus = vt == NULL ?
	    cpu_count() : vt->tp_cpus };
	if (strcmp(text, "none") == 0)
		return (0);
	pl->pl_ranks = xcalloc(pl->pl_cpus, sizeof(*pl->pl_ranks));
	for (enum cpu_order i = 0; i < CPU_ORDERS; i++) {
		if (strcmp(text, order_names[i]) != 0)
			continue;
		if (vt == NULL)
			cpu_ranks(i, pl->pl_ranks);
		else
			vm_topology_ranks(vt, i, pl->pl_ranks);
		pl->pl_count = pl->pl_cpus;
		return (0);
	}
	list = xstrdup(text);
	if ((status = parse_list(pl, vt, list, error)) != 0)
		pinning_free(pl);
	free(list);
	return (status);
}

void
pinning_free(struct pinning *pl)
{
	free(pl->pl_ranks);
	*pl = (struct pinning){ .pl_harvest = -1 };
}

int
pinning_reader(const struct pinning *pl, unsigned i)
{
	return (pl->pl_count == 0 ? MACHINE_CPU_ANY :
	    (int)pl->pl_ranks[i % pl->pl_count]);
}

int
pinning_harvest(const struct pinning *pl, unsigned readers)
{
	unsigned i;

	if (pl->pl_count == 0)
		return (MACHINE_CPU_ANY);
	if (pl->pl_harvest >= 0)
		return (pl->pl_harvest);
	if (readers < pl->pl_count)
		return ((int)pl->pl_ranks[readers]);
	for (unsigned rank = 0; rank < pl->pl_cpus; rank++) {
		for (i = 0; i < pl->pl_count && pl->pl_ranks[i] != rank; i++)
			continue;
		if (i == pl->pl_count)
			return ((int)rank);
	}
	return (MACHINE_CPU_ANY);
}
