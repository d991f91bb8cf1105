#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/cat/stream.h"
#include "bench/console/stop.h"
#include "lib/wipe.h"

enum {
	/*
	 * Requests are handed over together up to this size: a hand-over costs
	 * two system calls and at worst two switches.
	 */
	HALF_BYTES	= 256 * 1024
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

uint64_t
stream_memory_bytes(size_t request_bytes, uint64_t bytes)
{

	return (2 * (uint64_t)half_bytes(request_bytes, bytes));
}

/* Fills a half; short at the end of the stream or when asked to stop. */
static void
fill(struct stream *sm, struct stream_half *sh)
{
	struct uio uio;
	size_t n;

	sh->sh_error = 0;
	for (sh->sh_used = 0; sm->sm_left_bytes > 0; sh->sh_used += n) {
		n = sm->sm_request_bytes;
		if (n > sm->sm_left_bytes)
			n = (size_t)sm->sm_left_bytes;
		if (n > sm->sm_room_bytes - sh->sh_used)
			break;
		uio = uio_buffer(sh->sh_bytes + sh->sh_used, n);
		sh->sh_error = read_random_uio(sm->sm_dev, &sm->sm_reader,
		    &uio, true);
		if (sh->sh_error != 0 || uio.uio_resid > 0)
			break;
		sm->sm_left_bytes -= n;
	}
}

/* The reader's thread. */
static void
stream_main(void *arg)
{
	struct stream *sm = arg;
	struct stream_half *sh;
	unsigned i;

	for (i = 0; ; i ^= 1) {
		sh = &sm->sm_half[i];
		while (atomic_load_acq_32(&sh->sh_full) != 0)
			machine_wait_32(&sh->sh_full, 1, -1);
		if (atomic_load_acq_32(&sm->sm_stop) != 0)
			break;
		fill(sm, sh);
		atomic_store_rel_32(&sh->sh_full, 1);
		machine_wake_32(&sh->sh_full);
	}
}

/* Signals are for the thread that writes, so that they end a write(2). */
static int
spawn(struct stream *sm, unsigned index, int cpu)
{
	char name[MTHREAD_NAME_MAX + 1];
	sigset_t set, old;
	int error;

	snprintf(name, sizeof(name), "reader %u", index);
	stop_signal_set(&set);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	error = machine_spawn(&sm->sm_td, name, cpu, stream_main, sm);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	sm->sm_spawned = error == 0;
	return (error);
}

int
stream_init(struct stream *sm, struct randomdev *rd, unsigned index, int cpu,
    size_t request_bytes, uint64_t bytes)
{
	struct generator *g = rd->rd_generator;
	unsigned i;
	int error;

	sm->sm_dev = rd;
	sm->sm_request_bytes = request_bytes;
	sm->sm_room_bytes = half_bytes(request_bytes, bytes);
	sm->sm_left_bytes = bytes;
	for (i = 0; i < 2; i++) {
		/* Not its to fill before stream_go(). */
		atomic_init_32(&sm->sm_half[i].sh_full, 1);
		sm->sm_half[i].sh_bytes = malloc(sm->sm_room_bytes + 1);
		if (sm->sm_half[i].sh_bytes == NULL)
			return (ENOMEM);
	}
	atomic_init_32(&sm->sm_stop, 0);
	error = g->g_algorithm->ra_reader_init(g, &sm->sm_reader);
	if (error != 0)
		return (error);
	sm->sm_made = true;
	return (spawn(sm, index, cpu));
}

static void
give(struct stream_half *sh)
{

	atomic_store_rel_32(&sh->sh_full, 0);
	machine_wake_32(&sh->sh_full);
}

void
stream_go(struct stream *sm)
{

	/* The second as if it had just been taken. */
	sm->sm_next = 0;
	give(&sm->sm_half[0]);
}

int
stream_next(struct stream *sm, const uint8_t **bytes, size_t *n)
{
	struct stream_half *sh = &sm->sm_half[sm->sm_next];

	give(&sm->sm_half[sm->sm_next ^ 1]);
	while (atomic_load_acq_32(&sh->sh_full) == 0) {
		if (stop_asked())
			return (EINTR);
		machine_wait_32(&sh->sh_full, 0, -1);
	}
	sm->sm_next ^= 1;
	*bytes = sh->sh_bytes;
	*n = sh->sh_used;
	return (sh->sh_used == 0 ? sh->sh_error : 0);
}

/*
 * Each of its waits ends: both halves are given, after the mark that it looks
 * at behind every wait.
 */
void
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

void
stream_fini(struct stream *sm)
{
	struct generator *g = sm->sm_dev->rd_generator;
	unsigned i;

	MPASS(!sm->sm_spawned);
	if (sm->sm_made)
		g->g_algorithm->ra_reader_fini(g, &sm->sm_reader);
	for (i = 0; i < 2; i++) {
		if (sm->sm_half[i].sh_bytes != NULL)
			wipe(sm->sm_half[i].sh_bytes, sm->sm_room_bytes);
		free(sm->sm_half[i].sh_bytes);
	}
	wipe(sm, sizeof(*sm));
}
