/*
 * random(4): reads and writes of the device, and the kernel's own reads.
 */
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/conf.h>
#include <sys/fail.h>
#include <sys/fcntl.h>
#include <sys/kernel.h>
#include <sys/malloc.h>
#include <sys/module.h>
#include <sys/proc.h>
#include <sys/random.h>
#include <sys/sysctl.h>
#include <sys/uio.h>

#include <dev/random/hash.h>
#include <dev/random/random_harvestq.h>
#include <dev/random/randomdev.h>

/* What one read of the algorithm makes at most, and between two signals. */
#define	RANDOM_SIGCHK_PERIOD	(16 * 1024 * 1024)

CTASSERT(RANDOM_SIGCHK_PERIOD % PAGE_SIZE == 0);

static d_read_t randomdev_read;
static d_write_t randomdev_write;

static struct cdevsw random_cdevsw = {
	.d_version = D_VERSION,
	.d_name = "random",
	.d_read = randomdev_read,
	.d_write = randomdev_write,
};

static struct cdev *random_dev;

/*
 * Whether a kernel reads zeros until it is seeded, instead of waiting.
 */
static bool random_bypass_before_seeding = true;
SYSCTL_NODE(_kern_random, OID_AUTO, initial_seeding,
    CTLFLAG_RW | CTLFLAG_MPSAFE, 0, "Before the first seed");
SYSCTL_BOOL(_kern_random_initial_seeding, OID_AUTO, bypass_before_seeding,
    CTLFLAG_RDTUN, &random_bypass_before_seeding, 0,
    "The kernel's own reads do not wait for it");

bool
is_random_seeded(void)
{
	return (p_random_alg_context->ra_seeded());
}

/* Tries to seed until that succeeds or, with interruptible, a signal comes. */
static int
randomdev_wait_until_seeded(bool interruptible)
{
	int error = 0;

	while (!p_random_alg_context->ra_seeded()) {
		p_random_alg_context->ra_pre_read();
		error = tsleep(&random_alg_context, interruptible ? PCATCH : 0,
		    "randseed", hz / 10);
		if (error == ERESTART || error == EINTR)
			return (error);
		KASSERT(error == 0 || error == EWOULDBLOCK,
		    ("tsleep returned %d", error));
	}
	return (0);
}

static int
randomdev_read(struct cdev *dev __unused, struct uio *uio, int flags)
{
	return (read_random_uio(uio, (flags & O_NONBLOCK) != 0));
}

/* Copies output to a program, a buffer at a time. */
static int
randomdev_copy(struct uio *uio)
{
	size_t size = MIN((size_t)uio->uio_resid, RANDOM_SIGCHK_PERIOD);
	size_t n, total = 0;
	uint8_t *buf;
	int error = 0;

	buf = malloc(size, M_ENTROPY, M_NOWAIT);
	if (buf == NULL) {
		size = PAGE_SIZE;
		buf = malloc(size, M_ENTROPY, M_WAITOK);
	}
	while (uio->uio_resid > 0 && error == 0) {
		n = MIN((size_t)uio->uio_resid, size);
		p_random_alg_context->ra_read(buf, n);
		error = uiomove(buf, n, uio);
		total += n;
		/* Do not keep signals waiting for long. */
		if (error == 0 && uio->uio_resid > 0 &&
		    total % RANDOM_SIGCHK_PERIOD == 0) {
			error = tsleep_sbt(&random_alg_context, PCATCH,
			    "randrd", SBT_1NS, 0, C_HARDCLOCK);
			if (error == EWOULDBLOCK)
				error = 0;
		}
	}
	zfree(buf, M_ENTROPY);
	/* A part was read. */
	return (error == ERESTART || error == EINTR ? 0 : error);
}

int
read_random_uio(struct uio *uio, bool nonblock)
{
	int error;

	p_random_alg_context->ra_pre_read();
	if (!p_random_alg_context->ra_seeded()) {
		if (nonblock)
			return (EWOULDBLOCK);
		error = randomdev_wait_until_seeded(true);
		if (error != 0)
			return (error);
	}
#ifdef RANDOM_READ_RATE
	read_rate_increment((uio->uio_resid + sizeof(uint32_t)) /
	    sizeof(uint32_t));
#endif
	return (uio->uio_resid == 0 ? 0 : randomdev_copy(uio));
}

void
read_random(void *buf, u_int len)
{
	p_random_alg_context->ra_pre_read();
	if (len == 0)
		return;
	if (!p_random_alg_context->ra_seeded()) {
		if (random_bypass_before_seeding) {
			memset(buf, 0, len);
			return;
		}
		(void)randomdev_wait_until_seeded(false);
	}
	p_random_alg_context->ra_read(buf, len);
}

/* What was written becomes events: the hash of it and of two times. */
static void
randomdev_accumulate(const uint8_t *buf, size_t n)
{
	static u_int destination;
	struct harvest_event event = { .he_size = sizeof(event.he_entropy),
	    .he_source = RANDOM_RANDOMDEV };
	uint32_t digest[RANDOM_KEYSIZE_WORDS], now;
	struct randomdev_hash hash;

	randomdev_hash_init(&hash);
	now = random_get_cyclecount();
	randomdev_hash_iterate(&hash, &now, sizeof(now));
	randomdev_hash_iterate(&hash, buf, n);
	now = random_get_cyclecount();
	randomdev_hash_iterate(&hash, &now, sizeof(now));
	randomdev_hash_finish(&hash, digest);
	for (u_int i = 0; i < RANDOM_KEYSIZE_WORDS; i += HARVESTSIZE) {
		event.he_somecounter = random_get_cyclecount();
		/* Writers may take the same pool, which does no harm. */
		event.he_destination = destination++;
		memcpy(event.he_entropy, digest + i, sizeof(event.he_entropy));
		p_random_alg_context->ra_event_processor(&event);
	}
	explicit_bzero(digest, sizeof(digest));
	explicit_bzero(&event, sizeof(event));
}

static int
randomdev_write(struct cdev *dev __unused, struct uio *uio, int flags __unused)
{
	const ssize_t all = uio->uio_resid;
	uint8_t *buf = malloc(PAGE_SIZE, M_ENTROPY, M_WAITOK);
	int error = 0;
	size_t n;

	while (uio->uio_resid > 0 && error == 0) {
		n = MIN((size_t)uio->uio_resid, PAGE_SIZE);
		error = uiomove(buf, n, uio);
		if (error == 0)
			randomdev_accumulate(buf, n);
	}
	zfree(buf, M_ENTROPY);
	if (uio->uio_resid != all && (error == ERESTART || error == EINTR))
		error = 0;
	return (error);
}

/* Of programs in poll(2), which is not imitated. */
static struct selinfo rsel;

void
randomdev_unblock(void)
{
	wakeup(&random_alg_context);
	printf("random: unblocking device.\n");
	selwakeuppri(&rsel, PUSER);
}

static int
randomdev_modevent(module_t mod __unused, int type, void *data __unused)
{
	switch (type) {
	case MOD_LOAD:
		random_dev = make_dev_credf(MAKEDEV_ETERNAL_KLD,
		    &random_cdevsw, 0, NULL, UID_ROOT, GID_WHEEL, 0644,
		    "random");
		return (0);
	case MOD_SHUTDOWN:
		return (0);
	default:
		return (EOPNOTSUPP);
	}
}
DEV_MODULE(random, randomdev_modevent, NULL);
MODULE_VERSION(random, 1);
