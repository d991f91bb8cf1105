#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/place.h"
#include "lib/cpu.h"
#include "lib/machine.h"
#include "lib/number.h"

static const char *const order_names[CPU_ORDERS] = {
	[CPU_COMPACT] = "compact",
	[CPU_SCATTER] = "scatter",
	[CPU_SMT_FIRST] = "smt-first",
};

static const char expected[] = "expected compact, scatter, smt-first, none, or "
    "CPUs such as 0-3,8 with the harvest thread's after a slash";

/* The rank of the CPU whose number is text[0..n - 1]. */
static int
parse_cpu(const char *text, size_t n, unsigned *rank,
    char error[PLACE_ERROR_SIZE])
{
	char number[16];
	uint64_t os;
	int found;

	snprintf(number, sizeof(number), "%.*s", (int)n, text);
	if (n == 0 || n >= sizeof(number) || number_parse(number, &os) != 0) {
		snprintf(error, PLACE_ERROR_SIZE, "%s", expected);
		return (EINVAL);
	}
	found = os > INT32_MAX ? -1 : cpu_rank((unsigned)os);
	if (found < 0) {
		snprintf(error, PLACE_ERROR_SIZE, "CPU %s is not among the %u "
		    "that this process may use", number, cpu_count());
		return (EINVAL);
	}
	*rank = (unsigned)found;
	return (0);
}

static int
add_rank(struct place *pl, unsigned rank, char error[PLACE_ERROR_SIZE])
{
	unsigned i;

	for (i = 0; i < pl->pl_count; i++) {
		if (pl->pl_ranks[i] == rank) {
			snprintf(error, PLACE_ERROR_SIZE, "CPU %u is named "
			    "twice", cpu_os_index(rank));
			return (EINVAL);
		}
	}
	pl->pl_ranks[pl->pl_count++] = rank;
	return (0);
}

/* "3" or "3-5". */
static int
parse_range(struct place *pl, const char *text, size_t n,
    char error[PLACE_ERROR_SIZE])
{
	const char *dash = memchr(text, '-', n);
	unsigned first, last, os;
	size_t head = dash == NULL ? n : (size_t)(dash - text);
	int error2, rank;

	error2 = parse_cpu(text, head, &first, error);
	if (error2 != 0)
		return (error2);
	last = first;
	if (dash != NULL)
		error2 = parse_cpu(dash + 1, n - head - 1, &last, error);
	if (error2 != 0)
		return (error2);
	if (cpu_os_index(last) < cpu_os_index(first)) {
		snprintf(error, PLACE_ERROR_SIZE, "\"%.*s\" descends: expected "
		    "the smaller number first", (int)n, text);
		return (EINVAL);
	}
	for (os = cpu_os_index(first); os <= cpu_os_index(last); os++) {
		rank = cpu_rank(os);
		if (rank < 0) {
			snprintf(error, PLACE_ERROR_SIZE, "CPU %u is not among "
			    "the %u that this process may use", os,
			    cpu_count());
			return (EINVAL);
		}
		error2 = add_rank(pl, (unsigned)rank, error);
		if (error2 != 0)
			return (error2);
	}
	return (0);
}

static int
parse_list(struct place *pl, const char *text, char error[PLACE_ERROR_SIZE])
{
	const char *slash = strchr(text, '/');
	size_t n, left = slash == NULL ? strlen(text) :
	    (size_t)(slash - text);
	unsigned rank;
	int status;

	for (;;) {
		n = strcspn(text, ",/");
		status = parse_range(pl, text, n, error);
		if (status != 0)
			return (status);
		if (n >= left)
			break;
		text += n + 1;
		left -= n + 1;
	}
	if (slash == NULL)
		return (0);
	status = parse_cpu(slash + 1, strlen(slash + 1), &rank, error);
	if (status == 0)
		pl->pl_harvest = (int)rank;
	return (status);
}

int
place_parse(struct place *pl, const char *text, char error[PLACE_ERROR_SIZE])
{
	unsigned i;
	int status;

	*pl = (struct place){ .pl_harvest = -1 };
	if (strcmp(text, "none") == 0)
		return (0);
	pl->pl_ranks = calloc(cpu_count(), sizeof(*pl->pl_ranks));
	if (pl->pl_ranks == NULL) {
		snprintf(error, PLACE_ERROR_SIZE, "no memory");
		return (ENOMEM);
	}
	for (i = 0; i < CPU_ORDERS; i++) {
		if (strcmp(text, order_names[i]) == 0) {
			cpu_ranks((enum cpu_order)i, pl->pl_ranks);
			pl->pl_count = cpu_count();
			return (0);
		}
	}
	status = parse_list(pl, text, error);
	if (status != 0)
		place_free(pl);
	return (status);
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
	for (rank = 0; rank < cpu_count(); rank++) {
		for (i = 0; i < pl->pl_count; i++)
			if (pl->pl_ranks[i] == rank)
				break;
		if (i == pl->pl_count)
			return ((int)rank);
	}
	return (MACHINE_CPU_ANY);
}
