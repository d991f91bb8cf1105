/*
 * random(4)'s read path above the generator.
 *
 * Stands for read_random_uio() and read_random() of sys/dev/random/randomdev.c,
 * FreeBSD 14; the read rate is FreeBSD 12's.
 */
#ifndef FORTUNA_RANDOMDEV_H
#define FORTUNA_RANDOMDEV_H

#include "fortuna/generator.h"

enum {
	/* What one read of the generator makes at most, and between signals. */
	RANDOMDEV_BUFFER_BYTES	= 16 * 1024 * 1024,
	/* How long a blocked reader sleeps between two tries: hz / 10. */
	RANDOMDEV_SLEEP_NS	= 100 * 1000 * 1000
};

/* The device: a generator, and the count of reads for the harvest thread. */
struct randomdev {
	struct generator *rd_generator;
	/*
	 * Words read since the harvest thread last reset it; NULL in models
	 * that do not count (FreeBSD 13 and later).
	 */
	struct m32	*rd_read_rate;
	/* Monitors when a request begins and when it returns; or NULL. */
	struct ledger	*rd_ledger;
};

#define	read_random_uio	FLAVOURED(read_random_uio)
#define	read_random	FLAVOURED(read_random)

/*
 * read(2) of /dev/random, getrandom(2).
 *
 *   gr        in   the calling thread's
 *   uio       in   uio_resid bytes wanted; uio_resid is what was not read
 *   nonblock  in   do not wait for seeding
 *
 * Returns: 0, also after a part when interrupted; EWOULDBLOCK when unseeded and
 * nonblock; EINTR when interrupted while waiting; EIO, with nothing left in the
 * buffer, once crypto_failed().
 * Departs: output goes to the caller's memory without a copy in between; a
 * machine that simulates charges for the copy.
 */
int read_random_uio(struct randomdev *rd, struct generator_reader *gr,
    struct uio *uio, bool nonblock);

/*
 * The kernel's own reads, read_random(9).
 *
 *   bypass  in   when unseeded, hand out zeros instead of waiting:
 *                kern.random.initial_seeding.bypass_before_seeding
 *
 * Returns: 0; EINTR when interrupted while waiting, which the kernel cannot be;
 * EIO as above.
 */
int read_random(struct randomdev *rd, struct generator_reader *gr, void *buf,
    size_t n, bool bypass);

#endif
