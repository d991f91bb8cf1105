/*
 * rngsim cat: the output of generators on standard output.
 *
 * Each reader is a thread with two buffers: it fills one with whole requests
 * while the other is written.  A grain of bytes of reader 0 is written, of
 * reader 1, to the last, and again.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/cell/prime.h"
#include "bench/cli/memory.h"
#include "bench/cli/stop.h"
#include "bench/cmd.h"
#include "bench/sweep/sweep.h"
#include "fortuna/device/randomdev.h"
#include "lib/crypto/wipe.h"

enum {
	/*
	 * Requests are handed over together up to this size: a hand-over costs
	 * two system calls and at worst two switches.
	 */
	HALF_BYTES	= 256 * 1024,
	/* Smaller pieces are collected before they are written. */
	DIRECT_BYTES	= 16 * 1024,
	OUTPUT_BYTES	= 64 * 1024,
	PIPE_BYTES	= 256 * 1024
};

/* One of a reader's buffers. */
struct half {
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	 ha_full;	/* 1: the writer's, 0: the reader's */
	size_t		 ha_used;
	uint8_t		*ha_bytes;
	int		 ha_error;	/* that ended it, short or empty */
};

struct stream {
	struct half	 sm_half[2];
	_Alignas(MACHINE_CACHE_LINE)
	struct m32	 sm_stop;
	struct randomdev *sm_dev;
	size_t		 sm_request_bytes;
	size_t		 sm_room_bytes;	/* of each half */
	uint64_t	 sm_left_bytes;	/* to be read; UINT64_MAX: no end */
	unsigned	 sm_next;	/* the half that is taken next */
	const uint8_t	*sm_rest;	/* of the half taken, not yet written */
	size_t		 sm_rest_bytes;
	unsigned	 sm_index;	/* from 0 */
	bool		 sm_spawned;
	struct mthread	 sm_td;
};

struct cat {
	const struct options *ct_options;
	struct randomdev *ct_dev;
	struct stream	*ct_streams;
	unsigned	 ct_started;	/* of them */
	unsigned	 ct_turn;	/* the stream that is written */
	uint64_t	 ct_grain;
	uint64_t	 ct_left;	/* of the grain of ct_turn */
	size_t		 ct_used;	/* of ct_output */
	uint8_t		*ct_output;
};

/* As many whole requests as fit, at least one; no more than is wanted. */
static size_t
half_bytes(size_t request_bytes, uint64_t bytes)
{
	size_t n = request_bytes;

	if (n < HALF_BYTES)
		n = HALF_BYTES / n * n;
	return (bytes < n ? (size_t)bytes : n);
}

/* Fills a half; short at the end of the stream or when asked to stop. */
static void
fill(struct stream *sm, struct half *ha)
{
	size_t left, n;

	ha->ha_error = 0;
	for (ha->ha_used = 0; sm->sm_left_bytes > 0; ha->ha_used += n) {
		n = sm->sm_request_bytes;
		if (n > sm->sm_left_bytes)
			n = (size_t)sm->sm_left_bytes;
		if (n > sm->sm_room_bytes - ha->ha_used)
			break;
		ha->ha_error = randomdev_read(sm->sm_dev, KERNEL_CPU_HERE,
		    ha->ha_bytes + ha->ha_used, n, &left, true);
		if (ha->ha_error != 0 || left > 0)
			break;
		sm->sm_left_bytes -= n;
	}
}

/* The reader's thread. */
static void
stream_main(void *arg)
{
	struct stream *sm = arg;
	struct half *ha;

	machine_curthread()->mt_index = sm->sm_index + 1;
	for (unsigned i = 0; ; i ^= 1) {
		ha = &sm->sm_half[i];
		while (atomic_load_acq_32(&ha->ha_full) != 0)
			machine_wait_32(&ha->ha_full, 1, -1);
		if (atomic_load_acq_32(&sm->sm_stop) != 0)
			break;
		fill(sm, ha);
		atomic_store_rel_32(&ha->ha_full, 1);
		machine_wake_32(&ha->ha_full);
	}
}

/* Signals are for the thread that writes, so that they end a write(2). */
static int
spawn(struct stream *sm, unsigned index, int cpu)
{
	char name[32];
	sigset_t set, old;
	int error;

	snprintf(name, sizeof(name), "reader %u", index);
	sm->sm_index = index;
	stop_signal_set(&set);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	error = machine_spawn(&sm->sm_td, name, cpu, stream_main, sm);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	sm->sm_spawned = error == 0;
	return (error);
}

/* stream_fini() is due, whatever it returns. */
static int
stream_init(struct stream *sm, struct randomdev *rd, unsigned index, int cpu,
    size_t request_bytes, uint64_t bytes)
{
	sm->sm_dev = rd;
	sm->sm_request_bytes = request_bytes;
	sm->sm_room_bytes = half_bytes(request_bytes, bytes);
	sm->sm_left_bytes = bytes;
	for (unsigned i = 0; i < 2; i++) {
		/* The reader waits for stream_go(). */
		atomic_init_32(&sm->sm_half[i].ha_full, 1);
		sm->sm_half[i].ha_bytes = xmalloc(sm->sm_room_bytes + 1);
	}
	atomic_init_32(&sm->sm_stop, 0);
	return (spawn(sm, index, cpu));
}

static void
give(struct half *ha)
{
	atomic_store_rel_32(&ha->ha_full, 0);
	machine_wake_32(&ha->ha_full);
}

/*
 * Gives back the half that was taken before and waits for the next one; nothing
 * rests at the end.
 */
static int
stream_next(struct stream *sm)
{
	struct half *ha = &sm->sm_half[sm->sm_next];

	give(&sm->sm_half[sm->sm_next ^ 1]);
	while (atomic_load_acq_32(&ha->ha_full) == 0) {
		if (stop_asked())
			return (EINTR);
		machine_wait_32(&ha->ha_full, 0, -1);
	}
	sm->sm_next ^= 1;
	sm->sm_rest = ha->ha_bytes;
	sm->sm_rest_bytes = ha->ha_used;
	return (ha->ha_used == 0 ? ha->ha_error : 0);
}

/* Both halves are given, so that each wait ends, and it checks sm_stop then. */
static void
stream_end(struct stream *sm)
{
	if (!sm->sm_spawned)
		return;
	sm->sm_spawned = false;
	atomic_store_rel_32(&sm->sm_stop, 1);
	machine_interrupt(&sm->sm_td);
	give(&sm->sm_half[0]);
	give(&sm->sm_half[1]);
	machine_join(&sm->sm_td);
}

static void
stream_fini(struct stream *sm)
{
	MPASS(!sm->sm_spawned);
	for (unsigned i = 0; i < 2; i++) {
		if (sm->sm_half[i].ha_bytes != NULL)
			wipe(sm->sm_half[i].ha_bytes, sm->sm_room_bytes);
		free(sm->sm_half[i].ha_bytes);
	}
	wipe(sm, sizeof(*sm));
}

static int
write_all(const uint8_t *bytes, size_t n)
{
	struct pollfd pfd = { .fd = STDOUT_FILENO, .events = POLLOUT };
	ssize_t k;

	while (n > 0) {
		if (stop_asked())
			return (EINTR);
		k = write(STDOUT_FILENO, bytes, n);
		if (k >= 0) {
			bytes += k;
			n -= (size_t)k;
		} else if (errno == EAGAIN) {
			/* Another process made the descriptor so. */
			(void)poll(&pfd, 1, -1);
		} else if (errno != EINTR) {
			return (errno);
		}
	}
	return (0);
}

static int
flush(struct cat *ct)
{
	size_t n = ct->ct_used;

	ct->ct_used = 0;
	return (write_all(ct->ct_output, n));
}

/* Writes n bytes, at once or with later ones. */
static int
put(struct cat *ct, const uint8_t *bytes, size_t n)
{
	size_t room;
	int error = 0;

	if (ct->ct_used == 0 && n >= DIRECT_BYTES)
		return (write_all(bytes, n));
	while (n > 0 && error == 0) {
		room = OUTPUT_BYTES - ct->ct_used;
		if (room > n)
			room = n;
		memcpy(ct->ct_output + ct->ct_used, bytes, room);
		ct->ct_used += room;
		bytes += room;
		n -= room;
		if (ct->ct_used == OUTPUT_BYTES)
			error = flush(ct);
	}
	return (error);
}

/* The bytes of a reader that are among the first n of the whole. */
static uint64_t
share(const struct options *op, unsigned reader)
{
	const uint64_t grain = op->op_interleave_bytes, n = op->op_bytes;
	const uint64_t readers = op->op_readers.ol_value[0];
	uint64_t before = reader * grain, rest, rounds;

	if (n == 0 || readers == 1)
		return (n == 0 ? UINT64_MAX : n);
	rounds = n / grain / readers;
	rest = n - rounds * grain * readers;
	rest = rest > before ? rest - before : 0;
	return (rounds * grain + (rest < grain ? rest : grain));
}

/* The memory of all buffers. */
static uint64_t
cat_memory_bytes(const struct options *op)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < op->op_readers.ol_value[0]; i++)
		sum += 2 * (uint64_t)half_bytes((size_t)op->op_sizes.
		    ol_value[0], share(op, i));
	return (sum);
}

/* Takes the next 1..most bytes, all of one reader; *n is 0 where it ended. */
static int
take(struct cat *ct, uint64_t most, const uint8_t **bytes, size_t *n)
{
	struct stream *sm = &ct->ct_streams[ct->ct_turn];
	int error;

	if (sm->sm_rest_bytes == 0) {
		error = stream_next(sm);
		if (error != 0)
			return (error);
	}
	*bytes = sm->sm_rest;
	*n = sm->sm_rest_bytes;
	if (*n > most)
		*n = (size_t)most;
	if (*n > ct->ct_left)
		*n = (size_t)ct->ct_left;
	sm->sm_rest += *n;
	sm->sm_rest_bytes -= *n;
	ct->ct_left -= *n;
	if (ct->ct_left == 0) {
		ct->ct_left = ct->ct_grain;
		ct->ct_turn = (ct->ct_turn + 1) % ct->ct_started;
	}
	return (0);
}

static int
start(struct cat *ct)
{
	const struct options *op = ct->ct_options;
	unsigned readers = (unsigned)op->op_readers.ol_value[0];
	int error = 0;

	ct->ct_streams = xaligned(MACHINE_CACHE_LINE, readers *
	    sizeof(*ct->ct_streams));
	ct->ct_grain = readers == 1 ? UINT64_MAX : op->op_interleave_bytes;
	ct->ct_left = ct->ct_grain;
	ct->ct_output = xmalloc(OUTPUT_BYTES);
#ifdef F_SETPIPE_SZ
	/* With a larger pipe both ends switch less often. */
	if (fcntl(STDOUT_FILENO, F_GETPIPE_SZ) < PIPE_BYTES)
		(void)fcntl(STDOUT_FILENO, F_SETPIPE_SZ, PIPE_BYTES);
#endif
	for (unsigned i = 0; error == 0 && i < readers; i++) {
		error = stream_init(&ct->ct_streams[i], ct->ct_dev, i,
		    pinning_reader(&op->op_place, i),
		    (size_t)op->op_sizes.ol_value[0], share(op, i));
		ct->ct_started++;
	}
	/* Lets them read; stream_next() gives each the second half. */
	for (unsigned i = 0; error == 0 && i < readers; i++)
		give(&ct->ct_streams[i].sm_half[0]);
	return (error);
}

static void
finish(struct cat *ct)
{
	/* A waiter for a lock may still read its owner. */
	for (unsigned i = 0; i < ct->ct_started; i++)
		stream_end(&ct->ct_streams[i]);
	while (ct->ct_started > 0)
		stream_fini(&ct->ct_streams[--ct->ct_started]);
	if (ct->ct_output != NULL)
		wipe(ct->ct_output, OUTPUT_BYTES);
	free(ct->ct_output);
	free(ct->ct_streams);
}

/* Writes what the readers read; *where names what an error is of. */
static int
copy(struct cat *ct, const char **where)
{
	const struct options *op = ct->ct_options;
	uint64_t left = op->op_bytes == 0 ? UINT64_MAX : op->op_bytes;
	const uint8_t *bytes;
	size_t n;
	int error;

	while (left > 0) {
		*where = "reading";
		error = take(ct, left, &bytes, &n);
		if (error != 0)
			return (error);
		KASSERT(n > 0, ("reader %u ended early", ct->ct_turn));
		*where = "stdout";
		error = put(ct, bytes, n);
		if (error != 0)
			return (error);
		left -= n;
	}
	*where = "stdout";
	return (flush(ct));
}

/* A closed pipe is the normal end of a pipe into head(1). */
static int
verdict(int error, const char *where)
{
	if (error == 0 || error == EPIPE)
		return (EXIT_SUCCESS);
	if (error == EINTR)
		return (EXIT_FAILURE);
	if (error == EWOULDBLOCK && strcmp(where, "reading") == 0)
		return (run_error("not seeded; see "
		    "rngsim.harvest.boot_entropy_bytes"));
	return (run_error("%s: %s", where, strerror(error)));
}

static int
prime(const struct options *op, struct randomdev *rd)
{
	const size_t n = op->op_config.bc_harvest.boot_entropy_bytes;
	uint8_t *bytes = prime_bytes(n, op->op_seed_given ? &op->op_seed :
	    NULL);

	if (bytes == NULL)
		return (errno);
	randomdev_prime(rd, bytes, n);
	wipe(bytes, n);
	free(bytes);
	return (0);
}

/*
 * Makes and seeds a device, starts op_readers reader threads and writes their
 * output, interleaved.
 *
 * Returns: the exit status; EXIT_SUCCESS also when the pipe's reader ended.
 */
static int
cat(const struct options *op)
{
	const struct bench_config *bc = &op->op_config;
	struct randomdev_params rp = {
		.rp_design = design_at(op->op_designs.ol_value[0]),
		.rp_queue = bc->bc_harvest.queue,
		.rp_cipher = ciphers[op->op_ciphers.ol_value[0]],
		.rp_pool_hash = hash_find(bc->bc_program.pool_hash),
		.rp_lock = lock_classes[op->op_locks.ol_value[0]],
		.rp_lock_config = bc->bc_lock,
		.rp_settings = bc->bc_setting,
		.rp_setting_count = bc->bc_settings,
	};
	struct cat ct = { .ct_options = op };
	const char *where;
	int error;

	rp.rp_lock_config.threads = (unsigned)op->op_readers.ol_value[0] + 1;
	error = randomdev_new(&ct.ct_dev, &rp);
	if (error != 0)
		return (run_error("cannot make design %s: %s",
		    rp.rp_design->de_ident, strerror(error)));
	where = "no boot entropy";
	error = prime(op, ct.ct_dev);
	if (error == 0) {
		where = "cannot start the readers";
		error = start(&ct);
		if (error == 0)
			error = copy(&ct, &where);
		finish(&ct);
	}
	randomdev_free(ct.ct_dev);
	return (verdict(error, where));
}

/* Whether this machine has the memory for it. */
static int
check_memory(const struct options *op)
{
	uint64_t memory = replicate_memory_bytes();
	uint64_t needed = cat_memory_bytes(op);

	if (needed <= memory / 4 * 3)
		return (0);
	return (run_error("the readers' buffers need %.3g GB, this "
	    "machine has %.3g: use fewer readers (-r) or smaller requests (-s)",
	    (double)needed / 1e9, (double)memory / 1e9));
}

static int
run(struct options *op)
{
	int status;

	status = check_memory(op);
	if (status == 0)
		status = command_crypto_mode(op->op_crypto);
	if (status == 0)
		status = command_crypto();
	if (status == 0)
		status = options_load_hash(op);
	if (status != 0)
		return (status);
	stop_catch_signals();
	stop_interrupt_calls();
	return (cat(op));
}

const struct command cmd_cat = { options_finish, run, NEEDS_THREAD };
