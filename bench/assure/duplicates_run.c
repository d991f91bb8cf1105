/*
 * Readers on threads of their own, whose blocks are all kept.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/assure/duplicates.h"
#include "bench/cat/stream.h"
#include "bench/cell/prime.h"
#include "harvest/harvest_config.h"

struct run {
	const struct duplicates_run *ru_params;
	struct randomdev ru_dev;
	struct stream	*ru_streams;
	unsigned	 ru_started;	/* of them */
	struct duplicates ru_blocks;
};

static int
start(struct run *ru)
{
	const struct duplicates_run *dr = ru->ru_params;
	size_t size = dr->dr_readers * sizeof(*ru->ru_streams);
	unsigned i;
	int error = 0;

	ru->ru_streams = aligned_alloc(MACHINE_CACHE_LINE, size);
	if (ru->ru_streams == NULL)
		return (ENOMEM);
	memset(ru->ru_streams, 0, size);
	for (i = 0; error == 0 && i < dr->dr_readers; i++) {
		error = stream_init(&ru->ru_streams[i], &ru->ru_dev, i,
		    MACHINE_CPU_ANY, dr->dr_request_bytes,
		    dr->dr_requests * dr->dr_request_bytes);
		ru->ru_started++;
	}
	for (i = 0; error == 0 && i < dr->dr_readers; i++)
		stream_go(&ru->ru_streams[i]);
	return (error);
}

static void
finish(struct run *ru)
{
	unsigned i;

	/* Who waits for a lock may still look at an owner of it. */
	for (i = 0; i < ru->ru_started; i++)
		stream_end(&ru->ru_streams[i]);
	while (ru->ru_started > 0)
		stream_fini(&ru->ru_streams[--ru->ru_started]);
	free(ru->ru_streams);
}

/* What a reader has now: whole requests. */
static int
take(struct run *ru, unsigned reader, uint64_t *byte)
{
	const size_t request = ru->ru_params->dr_request_bytes;
	struct duplicates_place place = { .dp_reader = reader };
	const uint8_t *bytes;
	size_t at, n;
	int error;

	error = stream_next(&ru->ru_streams[reader], &bytes, &n);
	KASSERT(error != 0 || n % request == 0, ("%zu bytes of requests of "
	    "%zu", n, request));
	for (at = 0; error == 0 && at < n; at += request) {
		place.dp_byte = *byte;
		error = duplicates_add(&ru->ru_blocks, place, bytes + at,
		    request);
		*byte += request;
	}
	return (error);
}

/* In turns, so that no reader waits for another to end. */
static int
take_all(struct run *ru)
{
	const struct duplicates_run *dr = ru->ru_params;
	uint64_t all = dr->dr_requests * dr->dr_request_bytes, *bytes, left;
	unsigned i;
	int error = 0;

	bytes = calloc(dr->dr_readers, sizeof(*bytes));
	if (bytes == NULL)
		return (ENOMEM);
	do {
		for (i = 0, left = 0; error == 0 && i < dr->dr_readers; i++) {
			if (bytes[i] < all)
				error = take(ru, i, &bytes[i]);
			left += all - bytes[i];
		}
	} while (error == 0 && left > 0);
	free(bytes);
	return (error);
}

/* A copy of the block in the middle, at the end of the last reader's. */
static int
plant(struct run *ru, struct duplicates_found *planted)
{
	const struct duplicates_run *dr = ru->ru_params;
	struct duplicates *du = &ru->ru_blocks;
	struct duplicates_place place = {
		.dp_reader = dr->dr_readers - 1,
		.dp_byte = dr->dr_requests * dr->dr_request_bytes,
	};
	uint8_t copy[CIPHER_BLOCK_MAX_BYTES] = { 0 };
	int error;

	if (du->du_count > 0)
		memcpy(copy, du->du_blocks[du->du_count / 2].db_word,
		    DUPLICATES_KEPT_BYTES);
	error = duplicates_add(du, place, copy, du->du_block_bytes);
	if (error == 0)
		duplicates_find(du, planted);
	return (error);
}

int
duplicates_run(const struct duplicates_run *dr,
    struct duplicates_found *df, struct duplicates_found *planted)
{
	struct generator_params gp = {
		.gp_cipher = dr->dr_cipher,
		.gp_lock = dr->dr_lock,
		.gp_lock_config = lock_config_default(machine_cpus()),
		.gp_config = generator_config_default(),
	};
	struct run ru = { .ru_params = dr };
	size_t block_bytes = dr->dr_cipher->ci_block_bytes;
	int error;

	KASSERT(dr->dr_readers >= 1 && dr->dr_requests >= 1 &&
	    dr->dr_request_bytes >= DUPLICATES_KEPT_BYTES,
	    ("%u readers, %ju requests of %zu bytes", dr->dr_readers,
	    (uintmax_t)dr->dr_requests, dr->dr_request_bytes));
	gp.gp_lock_config.threads = dr->dr_readers + 1;
	error = dr->dr_design->ra_init(&ru.ru_dev.rd_generator, &gp);
	if (error != 0)
		return (error);
	if (block_bytes > dr->dr_request_bytes)
		block_bytes = dr->dr_request_bytes;
	duplicates_init(&ru.ru_blocks, block_bytes);
	error = prime_generator(ru.ru_dev.rd_generator, BOOT_ENTROPY_BYTES,
	    NULL);
	if (error == 0) {
		error = start(&ru);
		if (error == 0)
			error = take_all(&ru);
		finish(&ru);
	}
	if (error == 0) {
		duplicates_find(&ru.ru_blocks, df);
		error = plant(&ru, planted);
	}
	duplicates_fini(&ru.ru_blocks);
	dr->dr_design->ra_fini(ru.ru_dev.rd_generator);
	return (error);
}
