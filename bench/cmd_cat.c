#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cell/prime.h"
#include "bench/cmd.h"
#include "bench/options/options.h"
#include "fortuna/randomdev.h"
#include "lib/wipe.h"

/* Writes all n bytes; false with errno set when that is not possible. */
static bool
write_all(const uint8_t *buf, size_t n)
{
	ssize_t k;

	while (n > 0) {
		k = write(STDOUT_FILENO, buf, n);
		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return (false);
		buf += k;
		n -= (size_t)k;
	}
	return (true);
}

/*
 * Reads and writes until enough, or until nobody reads on: that is how a pipe
 * into head(1) ends and no failure.
 */
static int
copy_out(const struct options *op, struct randomdev *rd,
    struct generator_reader *gr, uint8_t *buf)
{
	uint64_t left = op->op_bytes, size = op->op_sizes.ol_value[0];
	struct uio uio;
	size_t n;
	int error;

	while (op->op_bytes == 0 || left > 0) {
		n = (size_t)(op->op_bytes != 0 && left < size ? left : size);
		uio = uio_buffer(buf, n);
		error = read_random_uio(rd, gr, &uio, true);
		if (error != 0) {
			fprintf(stderr, "rngsim: cat: not seeded; see "
			    "rngsim.harvest.boot_entropy_bytes\n");
			return (EXIT_FAILURE);
		}
		if (!write_all(buf, n)) {
			if (errno == EPIPE)
				return (EXIT_SUCCESS);
			fprintf(stderr, "rngsim: cat: stdout: %s\n",
			    strerror(errno));
			return (EXIT_FAILURE);
		}
		left -= n;
	}
	return (EXIT_SUCCESS);
}

static int
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
	struct randomdev rd = { .rd_read_rate = NULL };
	size_t size = (size_t)op->op_sizes.ol_value[0];
	struct generator_reader gr;
	uint8_t *buf;
	int error, status = EXIT_FAILURE;

	buf = malloc(size);
	if (buf == NULL || ra->ra_init(&rd.rd_generator, &gp) != 0) {
		fprintf(stderr, "rngsim: cat: cannot make design %s: no "
		    "memory\n", ra->ra_ident);
		free(buf);
		return (EXIT_FAILURE);
	}
	error = prime_generator(rd.rd_generator,
	    op->op_config.bc_harvest.boot_entropy_bytes,
	    op->op_seed_given ? &op->op_seed : NULL);
	if (error != 0) {
		fprintf(stderr, "rngsim: cat: no boot entropy: %s\n",
		    strerror(error));
	} else if (ra->ra_reader_init(rd.rd_generator, &gr) == 0) {
		status = copy_out(op, &rd, &gr, buf);
		ra->ra_reader_fini(rd.rd_generator, &gr);
	}
	ra->ra_fini(rd.rd_generator);
	wipe(buf, size);
	free(buf);
	return (status);
}

static int
run(int argc, char *argv[], char *const whole[])
{
	struct mthread self;
	struct options op;
	const char *missing;
	int error, status;

	status = options_parse(&op, OPTIONS_CAT, argc, argv);
	if (status != 0 || op.op_help) {
		if (status == 0) {
			puts("Usage: rngsim cat [OPTIONS]\n\nWrites raw "
			    "generator output to stdout.\n");
			options_help(OPTIONS_CAT);
		}
		options_free(&op);
		return (status);
	}
	error = crypto_mode_enter(op.op_crypto, whole);
	if (error != 0) {
		fprintf(stderr, "rngsim: cat: cannot execute the program anew "
		    "for --crypto: %s\n", strerror(error));
		status = EXIT_FAILURE;
	} else if (crypto_init(&missing) != 0) {
		fprintf(stderr, "rngsim: cat: %s does not offer a working "
		    "%s\n", crypto_version(), missing);
		status = EXIT_FAILURE;
	} else {
		machine_attach(&self, "cat");
		status = cat(&op);
		machine_detach();
		crypto_fini();
	}
	options_free(&op);
	return (status);
}

const struct command cmd_cat = {
	.cmd_name	= "cat",
	.cmd_args	= "[-n BYTES] [OPTIONS]",
	.cmd_descr	= "raw generator output on stdout",
	.cmd_run	= run,
};
