/*
 * From a command line to a result: what run and sweep share.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cell/prime.h"
#include "bench/cmd.h"
#include "bench/console/outfile.h"
#include "bench/console/stop.h"
#include "bench/options/options.h"
#include "bench/report/report.h"
#include "bench/sweep/replicate.h"
#include "bench/sweep/sweep.h"
#include "bench/sweep/trace.h"
#include "lib/tick.h"

/* The largest sum of buffers that a cell of the grid would need, in bytes. */
static uint64_t
buffers_bytes(const struct options *op)
{
	uint64_t readers = 0, size = 0;
	unsigned i;

	for (i = 0; i < op->op_readers.ol_count; i++)
		if (op->op_readers.ol_value[i] > readers)
			readers = op->op_readers.ol_value[i];
	for (i = 0; i < op->op_sizes.ol_count; i++)
		if (op->op_sizes.ol_value[i] > size)
			size = op->op_sizes.ol_value[i];
	return (readers * workload_max_bytes(&op->op_workload, size));
}

/* Whether this machine has the memory for it. */
static int
check_memory(const struct options *op)
{
	uint64_t memory = replicate_memory_bytes(), needed;

	if (op->op_simulated) {
		if (replicate_threads(op, &needed) > 0)
			return (0);
		return (run_error(op->op_command, "the simulated machine and "
		    "its readers need up to %.3g GB, this machine has %.3g for "
		    "them: use fewer readers (-r)%s", (double)needed / 1e9,
		    (double)memory / 1e9, op->op_verify ? ", smaller requests "
		    "(-s, --workload) or no --verify" : " or fewer --cpus"));
	}
	if (buffers_bytes(op) > memory / 4 * 3) {
		return (run_error(op->op_command, "the readers' buffers need "
		    "%.3g GB, this machine has %.3g: use fewer readers (-r) "
		    "or smaller requests (-s, --workload)",
		    (double)buffers_bytes(op) / 1e9, (double)memory / 1e9));
	}
	return (0);
}

/* Everything that can be found wrong before anything is measured. */
static int
prepare(struct options *op, char *const whole[])
{
	const char *missing;
	uint64_t seed;
	int error;

	error = check_memory(op);
	if (error != 0)
		return (error);
	/* What is simulated takes as long whatever libcrypto may use here. */
	error = crypto_mode_enter(op->op_simulated ? CRYPTO_NATIVE :
	    op->op_crypto, whole);
	if (error != 0) {
		fprintf(stderr, "rngsim: %s: cannot execute the program anew "
		    "for --crypto: %s\n", op->op_command, strerror(error));
		return (EXIT_FAILURE);
	}
	tick_calibrate();
	if (crypto_init(&missing) != 0) {
		fprintf(stderr, "rngsim: %s: %s does not offer a working %s; "
		    "check OPENSSL_CONF and the loaded providers\n",
		    op->op_command, crypto_version(), missing);
		return (EXIT_FAILURE);
	}
	error = options_load_hash(op);
	if (error != 0)
		return (error);
	if (!op->op_seed_given) {
		error = prime_fill((uint8_t *)&seed, sizeof(seed), NULL);
		if (error != 0) {
			fprintf(stderr, "rngsim: %s: no seed: %s\n",
			    op->op_command, strerror(error));
			return (EXIT_FAILURE);
		}
		/* Short enough to be typed in again. */
		op->op_seed = seed & UINT32_MAX;
	}
	return (0);
}

static int
write_result(const struct options *op, struct outfile *of,
    const struct result *r)
{
	char *text;
	int error;

	text = result_format_json(r);
	if (text == NULL) {
		outfile_abort(of);
		fprintf(stderr, "rngsim: %s: no memory for the result\n",
		    op->op_output);
		return (EXIT_FAILURE);
	}
	error = outfile_commit(of, text, strlen(text));
	free(text);
	if (error != 0) {
		fprintf(stderr, "rngsim: %s: %s\n", op->op_output,
		    strerror(error));
		return (EXIT_FAILURE);
	}
	return (0);
}

static int
measure(struct options *op, char *const whole[])
{
	char why[CELL_ERROR_SIZE] = "";
	struct timeline *tl;
	struct outfile of;
	struct result r;
	int error, status = EXIT_SUCCESS;

	stop_catch_signals();
	if (op->op_output != NULL) {
		error = outfile_open(&of, op->op_output);
		if (error != 0) {
			fprintf(stderr, "rngsim: %s: %s\n", op->op_output,
			    strerror(error));
			return (EXIT_FAILURE);
		}
	}
	if (trace_begin(op, &tl) != 0) {
		if (op->op_output != NULL)
			outfile_abort(&of);
		return (EXIT_FAILURE);
	}
	error = sweep_run(op, whole, &r, why);
	if (error != 0) {
		fprintf(stderr, "rngsim: %s: %s\n", op->op_command, why);
		status = EXIT_FAILURE;
	}
	if (trace_end(op, tl) != 0)
		status = EXIT_FAILURE;
	/* A failure before the first cell leaves an earlier file alone. */
	if (op->op_output != NULL && error != 0 && error != EINTR &&
	    r.cell_count == 0)
		outfile_abort(&of);
	else if (op->op_output != NULL && write_result(op, &of, &r) != 0)
		status = EXIT_FAILURE;
	if (r.cell_count > 0 || error == 0) {
		error = report_emit(stdout, &r, op->op_format);
		if (error != 0) {
			fprintf(stderr, "rngsim: stdout: %s\n",
			    strerror(error));
			status = EXIT_FAILURE;
		}
	}
	result_free(&r);
	return (status);
}

int
cmd_measure(unsigned kind, int argc, char *argv[], char *const whole[],
    const struct command *self)
{
	struct options op;
	int status;

	status = options_parse(&op, (enum options_kind)kind, argc, argv);
	if (status == 0 && op.op_help) {
		printf("Usage: rngsim %s %s\n\n%c%s.\n\n", self->cmd_name,
		    self->cmd_args, self->cmd_descr[0] - 'a' + 'A',
		    self->cmd_descr + 1);
		options_help((enum options_kind)kind);
	} else if (status == 0) {
		status = prepare(&op, whole);
		if (status == 0)
			status = measure(&op, whole);
		crypto_fini();
	}
	options_free(&op);
	return (status);
}
