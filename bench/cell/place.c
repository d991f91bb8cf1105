#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cell/place.h"
#include "lib/cpu.h"
#include "lib/machine.h"
#include "lib/number.h"

static const char *const order_names[CPU_ORDERS] = {
	[CPU_COMPACT] = "compact",
	[CPU_SCATTER] = "scatter",
	[CPU_SMT_FIRST] = "smt-first",
};

enum { ALLOWED_SIZE = 64 };

static const char expected[] = "expected compact, scatter, smt-first, none, or "
    "CPUs such as 0-3,8 with the harvest thread's after a slash";

/*
 * The CPUs of a machine, by its own numbers and by rank; vt is NULL for the
 * host.
 */
static unsigned
count(const struct vm_topology *vt)
{

	return (vt == NULL ? cpu_count() : vt->vt_cpus);
}

static int
rank_of(const struct vm_topology *vt, uint64_t number)
{

	if (number > INT32_MAX)
		return (-1);
	if (vt == NULL)
		return (cpu_rank((unsigned)number));
	return (number < vt->vt_cpus ? (int)number : -1);
}

static unsigned
number_of(const struct vm_topology *vt, unsigned rank)
{

	return (vt == NULL ? cpu_os_index(rank) : rank);
}

/* The numbers of the CPUs that this process may use: "0-3,8"; cut if long. */
static const char *
allowed(char list[ALLOWED_SIZE])
{
	unsigned end, first;
	size_t n = 0;

	list[0] = '\0';
	for (first = 0; first < cpu_ids() && n < ALLOWED_SIZE; first = end) {
		end = first + 1;
		if (cpu_rank(first) < 0)
			continue;
		while (end < cpu_ids() && cpu_rank(end) >= 0)
			end++;
		n += (size_t)snprintf(list + n, ALLOWED_SIZE - n,
		    end - first == 1 ? "%s%u" : "%s%u-%u",
		    n == 0 ? "" : ",", first, end - 1);
	}
	if (n >= ALLOWED_SIZE)
		strcpy(list + ALLOWED_SIZE - 4, "...");
	return (list);
}

static int
not_there(const struct vm_topology *vt, uint64_t number,
    char error[PLACE_ERROR_SIZE])
{
	char list[ALLOWED_SIZE];

	if (vt == NULL)
		snprintf(error, PLACE_ERROR_SIZE, "CPU %" PRIu64 " is not "
		    "among the %u that this process may use: %s", number,
		    cpu_count(), allowed(list));
	else
		snprintf(error, PLACE_ERROR_SIZE, "CPU %" PRIu64 " is not "
		    "among the simulated machine's, 0..%u", number,
		    vt->vt_cpus - 1);
	return (EINVAL);
}

/* The rank of the CPU whose number is text[0..n - 1]. */
static int
parse_cpu(const struct vm_topology *vt, const char *text, size_t n,
    unsigned *rank, char error[PLACE_ERROR_SIZE])
{
	char number[16];
	uint64_t os;
	int found;

	snprintf(number, sizeof(number), "%.*s", (int)n, text);
	if (n == 0 || n >= sizeof(number) || number_parse(number, &os) != 0) {
		snprintf(error, PLACE_ERROR_SIZE, "%s", expected);
		return (EINVAL);
	}
	found = rank_of(vt, os);
	if (found < 0)
		return (not_there(vt, os, error));
	*rank = (unsigned)found;
	return (0);
}

static int
add_rank(struct place *pl, const struct vm_topology *vt, unsigned rank,
    char error[PLACE_ERROR_SIZE])
{
	unsigned i;

	for (i = 0; i < pl->pl_count; i++) {
		if (pl->pl_ranks[i] == rank) {
			snprintf(error, PLACE_ERROR_SIZE, "CPU %u is named "
			    "twice", number_of(vt, rank));
			return (EINVAL);
		}
	}
	pl->pl_ranks[pl->pl_count++] = rank;
	return (0);
}

/* "3" or "3-5". */
static int
parse_range(struct place *pl, const struct vm_topology *vt, const char *text,
    size_t n, char error[PLACE_ERROR_SIZE])
{
	const char *dash = memchr(text, '-', n);
	unsigned first, last, os;
	size_t head = dash == NULL ? n : (size_t)(dash - text);
	int error2, rank;

	error2 = parse_cpu(vt, text, head, &first, error);
	if (error2 != 0)
		return (error2);
	last = first;
	if (dash != NULL)
		error2 = parse_cpu(vt, dash + 1, n - head - 1, &last,
		    error);
	if (error2 != 0)
		return (error2);
	if (number_of(vt, last) < number_of(vt, first)) {
		snprintf(error, PLACE_ERROR_SIZE, "\"%.*s\" descends: expected "
		    "the smaller number first", (int)n, text);
		return (EINVAL);
	}
	for (os = number_of(vt, first); os <= number_of(vt, last); os++) {
		rank = rank_of(vt, os);
		if (rank < 0)
			return (not_there(vt, os, error));
		error2 = add_rank(pl, vt, (unsigned)rank, error);
		if (error2 != 0)
			return (error2);
	}
	return (0);
}

static int
parse_list(struct place *pl, const struct vm_topology *vt, const char *text,
    char error[PLACE_ERROR_SIZE])
{
	const char *slash = strchr(text, '/');
	size_t n, left = slash == NULL ? strlen(text) :
	    (size_t)(slash - text);
	unsigned rank;
	int status;

	for (;;) {
		n = strcspn(text, ",/");
		status = parse_range(pl, vt, text, n, error);
		if (status != 0)
			return (status);
		if (n >= left)
			break;
		text += n + 1;
		left -= n + 1;
	}
	if (slash == NULL)
		return (0);
	status = parse_cpu(vt, slash + 1, strlen(slash + 1), &rank, error);
	if (status == 0)
		pl->pl_harvest = (int)rank;
	return (status);
}

static int
parse(struct place *pl, const char *text, const struct vm_topology *vt,
    char error[PLACE_ERROR_SIZE])
{
	unsigned i;
	int status;

	*pl = (struct place){ .pl_harvest = -1, .pl_cpus = count(vt) };
	if (strcmp(text, "none") == 0)
		return (0);
	pl->pl_ranks = calloc(pl->pl_cpus, sizeof(*pl->pl_ranks));
	if (pl->pl_ranks == NULL) {
		snprintf(error, PLACE_ERROR_SIZE, "no memory");
		return (ENOMEM);
	}
	for (i = 0; i < CPU_ORDERS; i++) {
		if (strcmp(text, order_names[i]) == 0) {
			if (vt == NULL)
				cpu_ranks((enum cpu_order)i, pl->pl_ranks);
			else
				vm_topology_ranks(vt, (enum cpu_order)i,
				    pl->pl_ranks);
			pl->pl_count = pl->pl_cpus;
			return (0);
		}
	}
	status = parse_list(pl, vt, text, error);
	if (status != 0)
		place_free(pl);
	return (status);
}

int
place_parse(struct place *pl, const char *text, char error[PLACE_ERROR_SIZE])
{

	return (parse(pl, text, NULL, error));
}

int
place_parse_virtual(struct place *pl, const char *text,
    const struct vm_topology *vt, char error[PLACE_ERROR_SIZE])
{

	return (parse(pl, text, vt, error));
}

void
place_free(struct place *pl)
{

	free(pl->pl_ranks);
	*pl = (struct place){ .pl_harvest = -1 };
}

bool
place_binds(const struct place *pl)
{

	return (pl->pl_count > 0);
}

int
place_reader(const struct place *pl, unsigned i)
{

	return (pl->pl_count == 0 ? MACHINE_CPU_ANY :
	    (int)pl->pl_ranks[i % pl->pl_count]);
}

int
place_harvest(const struct place *pl, unsigned readers)
{
	unsigned i, rank;

	if (!place_binds(pl))
		return (MACHINE_CPU_ANY);
	if (pl->pl_harvest >= 0)
		return (pl->pl_harvest);
	if (readers < pl->pl_count)
		return ((int)pl->pl_ranks[readers]);
	for (rank = 0; rank < pl->pl_cpus; rank++) {
		for (i = 0; i < pl->pl_count; i++)
			if (pl->pl_ranks[i] == rank)
				break;
		if (i == pl->pl_count)
			return ((int)rank);
	}
	return (MACHINE_CPU_ANY);
}
