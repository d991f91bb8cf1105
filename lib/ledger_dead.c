/*
 * Keys that are gone, and whether any was there twice.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ledger_impl.h"

/* A thread's next slice of the keys that are gone. */
static void
dead_slice(struct ledger *lg, struct ledger_thread *lt)
{
	unsigned chunk;
	uint64_t at;

	ledger_lock(&lg->lg_dead_lock);
	at = lg->lg_dead % LEDGER_DEAD_MAX;
	chunk = (unsigned)(at / LEDGER_CHUNK);
	if (chunk == lg->lg_chunks) {
		lg->lg_chunk[chunk] = malloc(sizeof(*lg->lg_chunk[chunk]));
		if (lg->lg_chunk[chunk] == NULL) {
			ledger_unlock(&lg->lg_dead_lock);
			atomic_store(&lg->lg_error, ENOMEM);
			return;
		}
		lg->lg_chunks++;
	}
	lg->lg_dead += LEDGER_SLICE;
	ledger_unlock(&lg->lg_dead_lock);
	lt->lt_dead = &lg->lg_chunk[chunk]->lc_dead[at % LEDGER_CHUNK];
	memset(lt->lt_dead, 0, LEDGER_SLICE * sizeof(*lt->lt_dead));
	lt->lt_dead_left = LEDGER_SLICE;
}

void
ledger_bury(struct ledger_at *la, const struct ledger_print *lf,
    uint32_t number)
{
	struct ledger_thread *lt = la->la_thread;

	if (lt->lt_dead_left == 0)
		dead_slice(la->la_lg, lt);
	if (lt->lt_dead_left == 0)
		return;
	*lt->lt_dead++ = (struct ledger_dead){ .ld_a = lf->lf_a,
	    .ld_b = lf->lf_b, .ld_number = number };
	lt->lt_dead_left--;
}

/* Of all that are gone, the i-th. */
static const struct ledger_dead *
dead_at(const struct ledger *lg, uint64_t i)
{

	return (&lg->lg_chunk[i / LEDGER_CHUNK]->lc_dead[i % LEDGER_CHUNK]);
}

void
ledger_dead_check(struct ledger_at *la)
{
	struct ledger *lg = la->la_lg;
	const uint64_t n = lg->lg_dead < LEDGER_DEAD_MAX ? lg->lg_dead :
	    LEDGER_DEAD_MAX;
	const uint64_t size = n * LEDGER_SEEN, each = sizeof(
	    lg->lg_chunk[0]->lc_seen) / sizeof(lg->lg_chunk[0]->lc_seen[0]);
	const struct ledger_dead *ld, *other;
	struct ledger_record first, second;
	uint64_t at, i;
	uint32_t *seen;

	for (i = 0; i < size; i += each)
		memset(lg->lg_chunk[i / each]->lc_seen, 0,
		    (size_t)(size - i < each ? size - i : each) *
		    sizeof(*seen));
	for (i = 0; i < n; i++) {
		ld = dead_at(lg, i);
		if (ld->ld_number == 0)
			continue;
		/* The low bits chose the bucket; all are as good. */
		for (at = ld->ld_a % size;; at = at + 1 == size ? 0 : at + 1) {
			seen = &lg->lg_chunk[at / each]->lc_seen[at % each];
			if (*seen == 0)
				break;
			other = dead_at(lg, *seen - 1);
			if (other->ld_a != ld->ld_a || other->ld_b != ld->ld_b)
				continue;
			if (other->ld_number > ld->ld_number) {
				const struct ledger_dead *later = other;

				other = ld;
				ld = later;
			}
			first = (struct ledger_record){ .lr_op = LEDGER_WIPE,
			    .lr_key = other->ld_number, .lr_wiped = true };
			second = (struct ledger_record){ .lr_op = LEDGER_SET,
			    .lr_key = ld->ld_number };
			(void)ledger_search(la, ledger_same_key, &first);
			(void)ledger_search(la, ledger_same_key, &second);
			ledger_wrong(la, LEDGER_REVIVED, &first, &second);
			return;
		}
		*seen = (uint32_t)i + 1;
	}
}
