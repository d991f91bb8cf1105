#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "bench/options/option_resume.h"
#include "bench/options/option_set.h"
#include "bench/result/result_part.h"

enum { CHUNK = 1 << 14 };

static json_t *
names(const struct option_list *ol, const char *(*name)(unsigned))
{
	json_t *array = json_array();
	unsigned i;

	for (i = 0; array != NULL && i < ol->ol_count; i++)
		if (json_array_append_new(array, json_string(
		    name((unsigned)ol->ol_value[i]))) != 0) {
			json_decref(array);
			return (NULL);
		}
	return (array);
}

static json_t *
numbers(const struct option_list *ol)
{
	json_t *array = json_array();
	unsigned i;

	for (i = 0; array != NULL && i < ol->ol_count; i++)
		if (json_array_append_new(array, json_integer(
		    (json_int_t)ol->ol_value[i])) != 0) {
			json_decref(array);
			return (NULL);
		}
	return (array);
}

/* A text and what a file of its holds: the name stays, the file may not. */
static json_t *
text_and_sum(const char *text, uLong sum)
{
	char both[1024];

	snprintf(both, sizeof(both), "%s#%08lx", text, sum);
	return (result_text_format(both));
}

static json_t *
profile(const struct options *op)
{
	const struct profile *pr = &op->op_machine.vi_profile;

	if (!op->op_simulated)
		return (json_null());
	return (text_and_sum(pr->pr_name, crc32(0, (const Bytef *)
	    pr->pr_value, sizeof(pr->pr_value))));
}

static json_t *
replay(const struct options *op)
{
	const char *path = op->op_config.bc_harvest.replay_file;
	Bytef buf[CHUNK];
	uLong sum = 0;
	ssize_t n;
	int fd;

	if (path[0] == '\0')
		return (json_null());
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd == -1)
		return (json_null());
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		sum = crc32(sum, buf, (uInt)n);
	close(fd);
	return (text_and_sum(path, sum));
}

static json_t *
tunables(const struct options *op)
{
	json_t *array = json_array();
	unsigned i;

	for (i = 0; array != NULL && i < op->op_tunable_count; i++)
		if (json_array_append_new(array,
		    result_text_format(op->op_tunables[i])) != 0) {
			json_decref(array);
			return (NULL);
		}
	return (array);
}

json_t *
options_describe(const struct options *op)
{
	const struct vm_topology *vt = &op->op_machine.vi_topology;

	return (json_pack("{s:s, s:o, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, "
	    "s:f, s:s, s:f, s:i, s:s, s:s, s:b, s:b, s:i, s:o, s:o}",
	    "engine", op->op_simulated ? VIRTUAL_NAME : "real",
	    "profile", profile(op),
	    "cpus", (int)(op->op_simulated ? vt->vt_cpus : 0),
	    "nodes", (int)(op->op_simulated ? vt->vt_nodes : op->op_nodes),
	    "design", names(&op->op_designs, option_design_name),
	    "lock", names(&op->op_locks, option_lock_name),
	    "cipher", names(&op->op_ciphers, option_cipher_name),
	    "readers", numbers(&op->op_readers),
	    "size", numbers(&op->op_sizes),
	    "workload", result_text_format(op->op_workload.wl_text),
	    "rate", op->op_rate_per_s,
	    "arrivals", workload_arrivals_names[op->op_arrivals],
	    "time", op->op_time_s,
	    "repeats", (int)op->op_repeats,
	    "crypto", crypto_mode_names[op->op_crypto],
	    "place", op->op_place_text,
	    "verify", op->op_verify,
	    "ledger", op->op_ledger,
	    "uncertainty", (int)op->op_uncertainty,
	    "set", tunables(op),
	    "replayed events", replay(op)));
}
