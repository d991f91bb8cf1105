/*
 * rngsim cat: the output of generators on standard output.  Each reader is a
 * thread with two buffers: it fills one with whole requests while the other is
 * written.  A grain of bytes is written of each reader in turn, from reader 0.
 */
#include <fcntl.h>

#include "bench/cmd.h"
#include "bench/sweep/sweep.h"

enum {
	/* Of requests handed over together, as that costs system calls. */
	HALF_BYTES	= 256 * 1024,
	/* Smaller pieces are collected before they are written. */
	OUTPUT_BYTES	= 64 * 1024,
	PIPE_BYTES	= 256 * 1024
};

struct half {
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	 hlf_full;	/* 1: the writer's, 0: the reader's */
	size_t		 hlf_used;
	uint8_t		*hlf_bytes;
	int		 hlf_error;	/* that ended it, short or empty */
};

struct stream {
	struct half	 sm_half[2];
	_Alignas(MACHINE_CACHE_LINE) struct m32 sm_stop;
	struct randomdev *sm_dev;
	size_t		 sm_request_bytes;
	size_t		 sm_room_bytes;	/* of each half */
	unsigned	 sm_next;	/* the half that is taken next */
	const uint8_t	*sm_rest;	/* of the half taken, not yet written */
	size_t		 sm_rest_bytes;
	unsigned	 sm_index;	/* from 0 */
	struct mthread	 sm_td;
};

static unsigned
readers_of(const struct options *op)
{
	return ((unsigned)op->op_readers.ol_value[0]);
}

/* Fills a half; short after an error or when asked to stop. */
static void
fill(struct stream *sm, struct half *ha)
{
	const size_t n = sm->sm_request_bytes;
	size_t left;

	ha->hlf_used = 0;
	do {
		ha->hlf_error = randomdev_read(sm->sm_dev, KERNEL_CPU_HERE,
		    ha->hlf_bytes + ha->hlf_used, n, &left, true);
		if (ha->hlf_error != 0 || left > 0)
			break;
		ha->hlf_used += n;
	} while (ha->hlf_used < sm->sm_room_bytes);
}

static void
stream_main(void *arg)
{
	struct stream *sm = arg;
	struct half *ha;

	machine_curthread()->mt_index = sm->sm_index + 1;
	for (unsigned i = 0; ; i ^= 1) {
		ha = &sm->sm_half[i];
		while (atomic_load_acq_32(&ha->hlf_full) != 0)
			machine_wait_32(&ha->hlf_full, 1, -1);
		if (atomic_load_acq_32(&sm->sm_stop) != 0)
			break;
		fill(sm, ha);
		machine_set_32(&ha->hlf_full, 1);
	}
}

/* Gives back the half that was taken before and waits for the next one. */
static int
stream_next(struct stream *sm)
{
	struct half *ha = &sm->sm_half[sm->sm_next];

	machine_set_32(&sm->sm_half[sm->sm_next ^ 1].hlf_full, 0);
	while (atomic_load_acq_32(&ha->hlf_full) == 0)
		machine_wait_32(&ha->hlf_full, 0, -1);
	sm->sm_next ^= 1;
	sm->sm_rest = ha->hlf_bytes;
	sm->sm_rest_bytes = ha->hlf_used;
	return (ha->hlf_used == 0 ? ha->hlf_error : 0);
}

/* Of a request: no more than are written. */
static size_t
request_bytes(const struct options *op)
{
	const uint64_t n = op->op_sizes.ol_value[0];

	return ((size_t)(op->op_bytes > 0 ? MIN(n, op->op_bytes) : n));
}

/* Of a half: whole requests, about as many as a reader needs. */
static size_t
half_bytes(const struct options *op)
{
	const size_t n = request_bytes(op);
	uint64_t most = HALF_BYTES;

	if (op->op_bytes > 0)
		most = MIN(most, op->op_bytes / readers_of(op));
	return (most < n ? n : (size_t)most / n * n);
}

/* Starts threads that wait for their half; *started have, if it fails, too. */
static int
start(const struct options *op, struct randomdev *rd, struct stream *streams,
    unsigned *started)
{
	int error = 0;

	for (unsigned i = 0; i < readers_of(op) && error == 0; i++) {
		struct stream *sm = &streams[i];

		sm->sm_dev = rd;
		sm->sm_index = i;
		sm->sm_request_bytes = request_bytes(op);
		sm->sm_room_bytes = half_bytes(op);
		for (unsigned k = 0; k < 2; k++) {
			atomic_init_32(&sm->sm_half[k].hlf_full, 1);
			sm->sm_half[k].hlf_bytes =
			    xmalloc(sm->sm_room_bytes + 1);
		}
		atomic_init_32(&sm->sm_stop, 0);
		error = machine_spawn(&sm->sm_td, FORMATF("reader %u", i),
		    pinning_reader(&op->op_place, i), stream_main, sm);
		*started += error == 0;
	}
	return (error);
}

static void
finish(const struct options *op, struct stream *streams, unsigned started)
{
	/* With both halves given each wait ends, and it checks sm_stop. */
	for (struct stream *sm = streams; sm < streams + started; sm++) {
		atomic_store_rel_32(&sm->sm_stop, 1);
		machine_interrupt(&sm->sm_td);
		machine_set_32(&sm->sm_half[0].hlf_full, 0);
		machine_set_32(&sm->sm_half[1].hlf_full, 0);
		machine_join(&sm->sm_td);
	}
	/* A waiter for a lock may still have read its owner. */
	for (struct stream *sm = streams; sm < streams + readers_of(op); sm++)
		for (unsigned k = 0; k < 2; k++) {
			if (sm->sm_half[k].hlf_bytes != NULL)
				wipe(sm->sm_half[k].hlf_bytes,
				    sm->sm_room_bytes);
			free(sm->sm_half[k].hlf_bytes);
		}
	wipe(streams, readers_of(op) * sizeof(*streams));
	free(streams);
}

/* Writes what the readers read; *where names what an error is of. */
static int
copy(const struct options *op, struct stream *streams, const char **where)
{
	static char buffer[OUTPUT_BYTES];
	const unsigned readers = readers_of(op);
	uint64_t grain, left = op->op_bytes == 0 ? UINT64_MAX : op->op_bytes;
	int error = 0;
	size_t n;

	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	*where = "reading";
	/* Lets them read; stream_next() gives each the second half. */
	for (unsigned i = 0; i < readers; i++)
		machine_set_32(&streams[i].sm_half[0].hlf_full, 0);
	for (unsigned i = 0; left > 0 && error == 0 && !ferror(stdout);
	    i = (i + 1) % readers) {
		struct stream *sm = &streams[i];

		grain = readers == 1 || left < op->op_interleave_bytes ? left :
		    op->op_interleave_bytes;
		for (; grain > 0 && !ferror(stdout); grain -= n, left -= n) {
			if (sm->sm_rest_bytes == 0 &&
			    (error = stream_next(sm)) != 0)
				break;
			n = (size_t)MIN(sm->sm_rest_bytes, grain);
			KASSERT(n > 0, ("reader %u ended early", i));
			fwrite(sm->sm_rest, 1, n, stdout);
			sm->sm_rest += n;
			sm->sm_rest_bytes -= n;
		}
	}
	if (error == 0 && (ferror(stdout) || fflush(stdout) != 0)) {
		error = errno;
		*where = "stdout";
	}
	/* What is left is not of use. */
	if (error != 0 && freopen("/dev/null", "w", stdout) == NULL)
		abort();
	wipe(buffer, sizeof(buffer));
	return (error);
}

/* Writes the readers' output.  Returns: a status; 0 if the pipe was closed. */
static int
cat(const struct options *op)
{
	const struct bench_config *bc = &op->op_config;
	const size_t boot = bc->bc_harvest.boot_entropy_bytes;
	uint8_t *bytes = prime_bytes(boot, op->op_seed_given ? &op->op_seed :
	    NULL);
	struct randomdev_params rp = {
		.rp_design = design_at(op->op_designs.ol_value[0]),
		.rp_queue = bc->bc_harvest.queue,
		.rp_kernel.kp_cipher = ciphers[op->op_ciphers.ol_value[0]],
		.rp_kernel.kp_pool_hash = hash_find(bc->bc_program.pool_hash),
		.rp_kernel.kp_lock = lock_classes[op->op_locks.ol_value[0]],
		.rp_kernel.kp_lock_config = bc->bc_lock,
		.rp_kernel.kp_settings = bc->bc_setting,
		.rp_kernel.kp_setting_count = bc->bc_settings,
	};
	const char *where = "cannot start the readers";
	struct randomdev *rd;
	struct stream *streams;
	unsigned started = 0;
	int error;

	if (bytes == NULL)
		return (run_error("no boot entropy: %s", strerror(errno)));
	rp.rp_kernel.kp_lock_config.threads = readers_of(op) + 1;
	if ((error = randomdev_new(&rd, &rp)) == 0)
		randomdev_prime(rd, bytes, boot);
	wipe(bytes, boot);
	free(bytes);
	if (error != 0)
		return (run_error("cannot make design %s: %s",
		    rp.rp_design->de_ident, strerror(error)));
	/* Another process may have made the descriptor so. */
	(void)fcntl(STDOUT_FILENO, F_SETFL, fcntl(STDOUT_FILENO, F_GETFL) &
	    ~O_NONBLOCK);
#ifdef F_SETPIPE_SZ
	/* With a larger pipe both ends switch less often. */
	if (fcntl(STDOUT_FILENO, F_GETPIPE_SZ) < PIPE_BYTES)
		(void)fcntl(STDOUT_FILENO, F_SETPIPE_SZ, PIPE_BYTES);
#endif
	streams = xaligned(MACHINE_CACHE_LINE, readers_of(op) *
	    sizeof(*streams));
	if ((error = start(op, rd, streams, &started)) == 0)
		error = copy(op, streams, &where);
	finish(op, streams, started);
	randomdev_free(rd);
	/* A closed pipe is the normal end of a pipe into head(1). */
	if (error == 0 || error == EPIPE)
		return (EXIT_SUCCESS);
	if (error == EWOULDBLOCK && strcmp(where, "reading") == 0)
		return (run_error("not seeded; see "
		    "rngsim.harvest.boot_entropy_bytes"));
	return (run_error("%s: %s", where, strerror(error)));
}

static int
run(struct options *op)
{
	const uint64_t memory = replicate_memory_bytes();
	const uint64_t needed = 2 * (uint64_t)half_bytes(op) * readers_of(op);
	int status;

	if (needed > memory / 4 * 3)
		return (run_error("the readers' buffers need %.3g GB, this "
		    "machine has %.3g: use fewer readers (-r) or smaller "
		    "requests (-s)", (double)needed / 1e9,
		    (double)memory / 1e9));
	if ((status = options_load_hash(op)) != 0)
		return (status);
	/* There is no file to complete. */
	stop_at_once = true;
	stop_catch_signals();
	return (cat(op));
}

const struct command cmd_cat = { options_finish, run,
    NEEDS_MODE | NEEDS_CRYPTO | NEEDS_THREAD };
