#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cat/cat.h"
#include "bench/cat/interleave.h"
#include "bench/cat/output.h"
#include "bench/cat/stream.h"
#include "bench/cell/prime.h"
#include "bench/console/stop.h"

struct cat {
	const struct options *ct_options;
	struct randomdev ct_dev;
	struct stream	*ct_streams;
	unsigned	 ct_started;	/* of them */
	struct interleave ct_interleave;
	struct output	 ct_output;
};

/* What a reader is to read. */
static uint64_t
share(const struct options *op, unsigned reader)
{

	return (interleave_share((unsigned)op->op_readers.ol_value[0],
	    op->op_interleave_bytes, op->op_bytes == 0 ? UINT64_MAX :
	    op->op_bytes, op->op_stream, reader));
}

uint64_t
cat_memory_bytes(const struct options *op)
{
	uint64_t sum = 0;
	unsigned i;

	for (i = 0; i < op->op_readers.ol_value[0]; i++)
		sum += stream_memory_bytes((size_t)op->op_sizes.ol_value[0],
		    share(op, i));
	return (sum);
}

static int
fetch(void *context, unsigned reader, const uint8_t **bytes, size_t *n)
{
	struct cat *ct = context;

	return (stream_next(&ct->ct_streams[reader], bytes, n));
}

static int
start(struct cat *ct)
{
	const struct options *op = ct->ct_options;
	unsigned i, readers = (unsigned)op->op_readers.ol_value[0];
	size_t size = readers * sizeof(*ct->ct_streams);
	int error;

	ct->ct_streams = aligned_alloc(MACHINE_CACHE_LINE, size);
	if (ct->ct_streams == NULL)
		return (ENOMEM);
	memset(ct->ct_streams, 0, size);
	error = interleave_init(&ct->ct_interleave, readers,
	    op->op_interleave_bytes, fetch, ct);
	if (error == 0)
		error = output_init(&ct->ct_output, STDOUT_FILENO);
	for (i = 0; error == 0 && i < readers; i++) {
		error = stream_init(&ct->ct_streams[i], &ct->ct_dev, i,
		    place_reader(&op->op_place, i),
		    (size_t)op->op_sizes.ol_value[0], share(op, i));
		ct->ct_started++;
	}
	for (i = 0; error == 0 && i < readers; i++)
		stream_go(&ct->ct_streams[i]);
	return (error);
}

static void
finish(struct cat *ct)
{
	unsigned i;

	/* Who waits for a lock may still look at an owner of it. */
	for (i = 0; i < ct->ct_started; i++)
		stream_end(&ct->ct_streams[i]);
	while (ct->ct_started > 0)
		stream_fini(&ct->ct_streams[--ct->ct_started]);
	output_fini(&ct->ct_output);
	interleave_fini(&ct->ct_interleave);
	free(ct->ct_streams);
}

/*
 * Passes on what is read.  *where is what an error is of.
 *
 * Returns: 0 or an errno value.
 */
static int
copy(struct cat *ct, const char **where)
{
	const struct options *op = ct->ct_options;
	uint64_t left = op->op_bytes == 0 ? UINT64_MAX : op->op_bytes;
	const uint8_t *bytes;
	unsigned reader;
	size_t n;
	int error;

	while (left > 0) {
		*where = "reading";
		error = interleave_next(&ct->ct_interleave, left, &reader,
		    &bytes, &n);
		if (error != 0)
			return (error);
		KASSERT(n > 0, ("reader %u ended early", reader));
		if (op->op_stream >= 0 && reader != (unsigned)op->op_stream)
			continue;
		*where = "stdout";
		error = output_put(&ct->ct_output, bytes, n);
		if (error != 0)
			return (error);
		left -= n;
	}
	*where = "stdout";
	return (output_flush(&ct->ct_output));
}

/* That nobody reads on is how a pipe into head(1) ends and no failure. */
static int
verdict(const struct options *op, int error, const char *where)
{

	if (error == 0 || error == EPIPE)
		return (EXIT_SUCCESS);
	if (error == EINTR)
		return (EXIT_FAILURE);
	if (error == EWOULDBLOCK && strcmp(where, "reading") == 0)
		return (run_error(op->op_command, "not seeded; see "
		    "rngsim.harvest.boot_entropy_bytes"));
	return (run_error(op->op_command, "%s: %s", where, strerror(error)));
}

int
cat(const struct options *op)
{
	const struct random_algorithm *ra =
	    generators[op->op_designs.ol_value[0]];
	struct generator_params gp = {
		.gp_cipher = ciphers[op->op_ciphers.ol_value[0]],
		.gp_lock = lock_classes[op->op_locks.ol_value[0]],
		.gp_lock_config = op->op_config.bc_lock,
		.gp_config = op->op_config.bc_generator,
	};
	struct cat ct = { .ct_options = op };
	struct generator *g;
	const char *where;
	int error;

	error = ra->ra_init(&g, &gp);
	if (error != 0)
		return (run_error(op->op_command, "cannot make design %s: %s",
		    ra->ra_ident, strerror(error)));
	ct.ct_dev.rd_generator = g;
	where = "no boot entropy";
	error = prime_generator(g, op->op_config.bc_harvest.boot_entropy_bytes,
	    op->op_seed_given ? &op->op_seed : NULL);
	if (error == 0) {
		where = "cannot start the readers";
		error = start(&ct);
		if (error == 0)
			error = copy(&ct, &where);
		finish(&ct);
	}
	ra->ra_fini(g);
	return (verdict(op, error, where));
}
