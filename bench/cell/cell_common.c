/* What engines of all machines take and hand back. */
#include "bench/cell/cell.h"

struct result_latency
cell_latency(const struct engine *en, const struct hist *cycles)
{
#define	Q(q)	((double)en->en_cycles_to_ns(hist_quantile(cycles, q)))
	return ((struct result_latency){ .p50 = Q(0.5), .p90 = Q(0.9),
	    .p99 = Q(0.99), .p999 = Q(0.999), .max = Q(1) });
#undef Q
}

bool
cell_apart(const char *design, const char *lock)
{
	const struct design *de = design_find(design);
	const struct lock_class *lc = lock_class_find(lock);

	return (lc != NULL && (lc->lc_flags & LC_EXCLUDES) == 0 && (strcmp(lock,
	    "none") == 0 || de == NULL || (de->de_flags & DE_NULL) == 0));
}

void
cell_measure_free(struct cell_measure *cm)
{
	field_free(result_sample_fields, &cm->cm_sample);
	free(cm->cm_rows);
	free(cm->cm_waits);
	free(cm->cm_health);
	memset(cm, 0, sizeof(*cm));
}

uint8_t *
prime_bytes(size_t n, const uint64_t *seed)
{
	uint8_t block[DIGEST_BYTES], *bytes = xmalloc(n + 1);
	struct digest dg = { .dg_hash = NULL };
	int error = seed == NULL ? 0 : digest_init(&dg, hash_sha256());

	for (uint64_t i = 0, at = 0; error == 0 && at < n;
	    i++, at += sizeof(block)) {
		if (seed == NULL) {
			error = getentropy(block, sizeof(block)) == 0 ? 0 :
			    errno;
		} else {
			/* SHA-256 of seed and a running number. */
			digest_reset(&dg);
			digest_update(&dg, seed, sizeof(*seed));
			digest_update(&dg, &i, sizeof(i));
			digest_finish(&dg, block);
		}
		memcpy(bytes + at, block, MIN(n - at, sizeof(block)));
	}
	digest_fini(&dg);
	wipe(block, sizeof(block));
	if (error == 0)
		return (bytes);
	free(bytes);
	errno = error;
	return (NULL);
}
