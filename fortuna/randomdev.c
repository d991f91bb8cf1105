#include <errno.h>

#include "fortuna/randomdev.h"
#include "lib/crypto/crypto.h"

/* Whether a fail point answers "not seeded" in the generator's place. */
static bool
denied(const struct generator *g)
{
	return (failpoint_ask(g->g_failpoints,
	    FAILPOINT_random_fortuna_seeded) != 0);
}

/* Tries and sleeps until the generator is seeded; EINTR ends it. */
static int
wait_seeded(struct generator *g, bool no)
{
	const struct random_algorithm *ra = g->g_algorithm;

	while (no || !ra->ra_seeded(g)) {
		if (machine_interrupted())
			return (EINTR);
		/* One that is seeded would wake at once. */
		if (no)
			(void)machine_sleep(RANDOMDEV_SLEEP_NS);
		else
			ra->ra_wait_seeded(g, RANDOMDEV_SLEEP_NS);
		no = denied(g);
	}
	return (0);
}

/* Whether what was just made can be handed out; if not, nothing is left. */
static int
check(void *buf, size_t n)
{
	if (__builtin_expect(crypto_failed() == NULL, 1))
		return (0);
	wipe(buf, n);
	return (EIO);
}

static int
read_uio(struct randomdev *rd, struct generator_reader *gr, struct uio *uio,
    bool nonblock)
{
	struct generator *g = rd->rd_generator;
	const struct random_algorithm *ra = g->g_algorithm;
	uint64_t resid;
	uint8_t *const base = uio->uio_base;
	const uint64_t wanted = uio->uio_resid;
	struct uio part;
	int error;
	bool no;

	KASSERT(uio->uio_drain == NULL, ("a device reads into memory"));
	machine_charge(COST_SYSCALL, (ra->ra_flags & RA_NO_CALL) == 0);
	ra->ra_pre_read(g);
	no = denied(g);
	if (no || !ra->ra_seeded(g)) {
		if (nonblock)
			return (EWOULDBLOCK);
		error = wait_seeded(g, no);
		if (error != 0)
			return (error);
	}
	if (rd->rd_read_rate != NULL)
		atomic_fetchadd_32(rd->rd_read_rate,
		    (uint32_t)((uio->uio_resid + sizeof(uint32_t)) /
		    sizeof(uint32_t)));
	while (uio->uio_resid > 0) {
		resid = uio->uio_resid;
		part = *uio;
		if (part.uio_resid > RANDOMDEV_BUFFER_BYTES)
			part.uio_resid = RANDOMDEV_BUFFER_BYTES;
		resid -= part.uio_resid;
		machine_charge(COST_COPYOUT, (size_t)part.uio_resid);
		ra->ra_read(g, gr, &part);
		*uio = part;
		uio->uio_resid = resid;
		/* A part that leaves some is a whole buffer. */
		if (resid > 0 && machine_interrupted())
			break;
	}
	error = check(base, (size_t)(wanted - uio->uio_resid));
	if (error != 0)
		uio->uio_resid = wanted;
	return (error);
}

int
read_random_uio(struct randomdev *rd, struct generator_reader *gr,
    struct uio *uio, bool nonblock)
{
	const uint64_t n = uio->uio_resid;
	int error;

	ledger_begin(rd->rd_ledger, n);
	error = read_uio(rd, gr, uio, nonblock);
	ledger_end(rd->rd_ledger, n - uio->uio_resid);
	return (error);
}

/* The zeros that are handed out before seeding are not the generator's. */
static int
read_kernel(struct randomdev *rd, struct generator_reader *gr, void *buf,
    size_t n, bool bypass, uint64_t *made)
{
	struct generator *g = rd->rd_generator;
	const struct random_algorithm *ra = g->g_algorithm;
	struct uio uio = uio_buffer(buf, n);
	int error;
	bool no;

	ra->ra_pre_read(g);
	if (n == 0)
		return (0);
	no = denied(g);
	if (no || !ra->ra_seeded(g)) {
		if (bypass) {
			memset(buf, 0, n);
			return (0);
		}
		error = wait_seeded(g, no);
		if (error != 0)
			return (error);
	}
	ra->ra_read(g, gr, &uio);
	*made = n;
	return (check(buf, n));
}

int
read_random(struct randomdev *rd, struct generator_reader *gr, void *buf,
    size_t n, bool bypass)
{
	uint64_t made = 0;
	int error;

	ledger_begin(rd->rd_ledger, n);
	error = read_kernel(rd, gr, buf, n, bypass, &made);
	ledger_end(rd->rd_ledger, made);
	return (error);
}
