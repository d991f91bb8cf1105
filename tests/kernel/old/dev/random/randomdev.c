#include <sys/param.h>
#include <sys/systm.h>
#include <sys/kernel.h>
#include <sys/lock.h>
#include <sys/malloc.h>
#include <sys/module.h>
#include <sys/queue.h>
#include <sys/random.h>
#include <sys/sysctl.h>
#include <sys/uio.h>

#include <crypto/rijndael/rijndael-api-fst.h>
#include <crypto/sha2/sha256.h>

#include <dev/random/hash.h>
#include <dev/random/randomdev.h>
#include <dev/random/random_harvestq.h>

static void
random_alg_context_ra_init_alg(void *data)
{
	p_random_alg_context = &random_alg_context;
	p_random_alg_context->ra_init_alg(data);
}
SYSINIT(random_device, SI_SUB_RANDOM, SI_ORDER_THIRD,
    random_alg_context_ra_init_alg, NULL);

static void
random_alg_context_ra_deinit_alg(void *data)
{
	p_random_alg_context->ra_deinit_alg(data);
	p_random_alg_context = NULL;
}
SYSUNINIT(random_device, SI_SUB_RANDOM, SI_ORDER_THIRD,
    random_alg_context_ra_deinit_alg, NULL);

/* A page at most at a time, of whole blocks. */
int
read_random_uio(struct uio *uio, bool nonblock)
{
	uint8_t *buf;
	u_int n;
	int error = 0;

	p_random_alg_context->ra_pre_read();
	while (!p_random_alg_context->ra_seeded()) {
		if (nonblock)
			return (EWOULDBLOCK);
		error = tsleep(&random_alg_context, PCATCH, "randseed",
		    hz / 10);
		if (error == ERESTART || error == EINTR)
			return (error);
		p_random_alg_context->ra_pre_read();
		error = 0;
	}
	read_rate_increment((uio->uio_resid + sizeof(uint32_t)) /
	    sizeof(uint32_t));
	buf = malloc(PAGE_SIZE, M_ENTROPY, M_WAITOK);
	while (uio->uio_resid > 0 && error == 0) {
		n = MIN(uio->uio_resid, PAGE_SIZE);
		p_random_alg_context->ra_read(buf,
		    roundup(n, RANDOM_BLOCKSIZE));
		error = uiomove(buf, n, uio);
	}
	explicit_bzero(buf, PAGE_SIZE);
	free(buf, M_ENTROPY);
	return (error);
}

u_int
read_random(void *random_buf, u_int len)
{
	uint8_t block[RANDOM_BLOCKSIZE];
	u_int n;

	p_random_alg_context->ra_pre_read();
	if (!p_random_alg_context->ra_seeded())
		return (0);
	for (u_int done = 0; done < len; done += n) {
		n = MIN(len - done, sizeof(block));
		p_random_alg_context->ra_read(block, sizeof(block));
		memcpy((uint8_t *)random_buf + done, block, n);
	}
	explicit_bzero(block, sizeof(block));
	return (len);
}

void
randomdev_unblock(void)
{
	wakeup(&random_alg_context);
}

void
random_source_register(struct random_source *rsource)
{
	struct random_sources *rrs;

	rrs = malloc(sizeof(*rrs), M_ENTROPY, M_WAITOK);
	rrs->rrs_source = rsource;
	mtx_lock(&source_mtx);
	LIST_INSERT_HEAD(&source_list, rrs, rrs_entries);
	mtx_unlock(&source_mtx);
}

void
random_source_deregister(struct random_source *rsource)
{
	struct random_sources *rrs, *next;

	mtx_lock(&source_mtx);
	LIST_FOREACH_SAFE(rrs, &source_list, rrs_entries, next)
		if (rrs->rrs_source == rsource) {
			LIST_REMOVE(rrs, rrs_entries);
			free(rrs, M_ENTROPY);
		}
	mtx_unlock(&source_mtx);
}

static int
randomdev_modevent(module_t mod __unused, int type __unused,
    void *data __unused)
{
	return (0);
}

DEV_MODULE(random_device, randomdev_modevent, NULL);
MODULE_VERSION(random_device, 1);
MODULE_DEPEND(random_device, crypto, 1, 1, 1);
