/*
 * What a journal keeps of a repeat: all of it, and exactly.
 *
 * A measure is filled member by member, and every byte of it that is no padding
 * must have been: a member that is new fails here until it is filled, and then
 * until the journal keeps it.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "bench/result/result_field.h"
#include "bench/sweep/repeat_json.h"
#include "harvest/mask.h"
#include "tests/support.h"

enum { READERS = 3, ROWS = 2, WAITS = 3, INTERVALS = 4, SOURCES = 2 };

/* The next value of those that are filled in; none is like another. */
static unsigned turn;

/* A structure, and which of its bytes were filled. */
struct filled {
	void	*fi_base;
	size_t	 fi_size;
	uint8_t	*fi_done;
};

static void
begin(struct filled *fi, void *base, size_t size)
{

	*fi = (struct filled){ .fi_base = base, .fi_size = size,
	    .fi_done = calloc(size, 1) };
	ATF_REQUIRE(fi->fi_done != NULL);
}

static void
done(struct filled *fi, const void *member, size_t size)
{
	size_t at = (size_t)((const char *)member - (char *)fi->fi_base);

	ATF_REQUIRE(at + size <= fi->fi_size);
	memset(fi->fi_done + at, 1, size);
}

#define	DONE(fi, member)	done((fi), &(member), sizeof(member))

/* Whatever the tables describe, objects in objects included. */
static void
fill_fields(struct filled *fi, const struct result_field *f, void *base)
{

	for (; f->rf_key != NULL; f++) {
		void *p = (char *)base + f->rf_offset;

		turn++;
		switch (f->rf_kind) {
		case RESULT_FIELD_NAME:
			snprintf(p, RESULT_NAME_SIZE, "name %u", turn);
			done(fi, p, RESULT_NAME_SIZE);
			break;
		case RESULT_FIELD_TEXT:
			snprintf(p, RESULT_TEXT_SIZE, "text %u", turn);
			done(fi, p, RESULT_TEXT_SIZE);
			break;
		case RESULT_FIELD_BOOL:
			*(bool *)p = true;
			done(fi, p, sizeof(bool));
			break;
		case RESULT_FIELD_COUNT:
			*(unsigned *)p = turn;
			done(fi, p, sizeof(unsigned));
			break;
		case RESULT_FIELD_BYTES:
			*(uint64_t *)p = turn;
			done(fi, p, sizeof(uint64_t));
			break;
		case RESULT_FIELD_REAL:
			*(double *)p = turn / 7.0;
			done(fi, p, sizeof(double));
			break;
		case RESULT_FIELD_OBJECT:
			fill_fields(fi, f->rf_table, p);
			break;
		}
	}
}

/*
 * Sets all of a structure's bytes but its padding.  GCC 12 clears other bytes
 * where an array of structures is followed by anything.
 */
CTASSERT(offsetof(struct cell_measure, cm_health) + sizeof(
    struct result_health[ENTROPYSOURCE]) == sizeof(struct cell_measure));

#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
#define	MEMBERS(mask, type)	do {					\
	memset((mask), 0xff, sizeof(type));				\
	__builtin_clear_padding((type *)(void *)(mask));		\
} while (0)
#endif
#endif

/* Every byte was filled; fails with the place of the first that was not. */
static void
require_all(struct filled *fi, const uint8_t *mask, const char *type)
{
	size_t i;

	for (i = 0; i < fi->fi_size; i++)
		ATF_CHECK_MSG(mask[i] == 0 || fi->fi_done[i] != 0,
		    "byte %zu of %s is in no member that is filled: fill it, "
		    "and have bench/sweep/repeat_json.c keep it", i, type);
	free(fi->fi_done);
}

#if defined(MEMBERS)
#define	REQUIRE_ALL(fi, type)	do {					\
	type *mask_ = aligned_alloc(_Alignof(type), sizeof(type));	\
									\
	ATF_REQUIRE(mask_ != NULL);					\
	MEMBERS(mask_, type);						\
	require_all((fi), (const void *)mask_, #type);			\
	free(mask_);							\
} while (0)
#else
/* Who cannot tell padding leaves it to those who can. */
#define	REQUIRE_ALL(fi, type)	do {					\
	(void)require_all;						\
	free((fi)->fi_done);						\
} while (0)
#endif

static void
fill_hist(struct filled *fi, struct hist *h)
{
	unsigned i;

	for (i = 0; i < HIST_BUCKETS; i += 1 + i / 3)
		h->hi_bucket[i] = ++turn;
	h->hi_count = ++turn;
	h->hi_max = UINT64_C(1) << 60 | ++turn;
	h->hi_total = ++turn;
	DONE(fi, h->hi_bucket);
	DONE(fi, h->hi_count);
	DONE(fi, h->hi_max);
	DONE(fi, h->hi_total);
}

static void
fill_small(struct filled *fi, struct hist_small *hs)
{
	unsigned i;

	for (i = 0; i < HIST_SMALL_BUCKETS; i += 1 + i / 3)
		hs->hs_bucket[i] = ++turn;
	DONE(fi, hs->hs_bucket);
}

static void
fill_sample(struct result_sample *rs)
{
	struct filled fi;
	unsigned i;

	begin(&fi, rs, sizeof(*rs));
	fill_fields(&fi, result_field_sample, rs);
	fill_fields(&fi, result_field_sample_ledger, rs);
	rs->reader_mb_per_s = calloc(READERS, sizeof(double));
	rs->reader_cpu = calloc(READERS, sizeof(unsigned));
	rs->interval_mb_per_s = calloc(INTERVALS, sizeof(double));
	rs->output_sha256 = calloc(READERS, sizeof(*rs->output_sha256));
	for (i = 0; i < READERS; i++) {
		rs->reader_mb_per_s[i] = ++turn / 7.0;
		rs->reader_cpu[i] = ++turn;
		snprintf(rs->output_sha256[i], RESULT_SHA256_SIZE, "%064x",
		    ++turn);
	}
	rs->intervals = INTERVALS;
	for (i = 0; i < INTERVALS; i++)
		rs->interval_mb_per_s[i] = ++turn / 7.0;
	DONE(&fi, rs->reader_mb_per_s);
	DONE(&fi, rs->reader_cpu);
	DONE(&fi, rs->output_sha256);
	DONE(&fi, rs->intervals);
	DONE(&fi, rs->interval_mb_per_s);
	/* Made of the outcome, when the repeat is added to its cell. */
	DONE(&fi, rs->virtual_events);
	DONE(&fi, rs->trace_hash);
	REQUIRE_ALL(&fi, struct result_sample);
}

static void
fill_row(struct cell_row *cr)
{
	struct result_row *row = &cr->cr_row;
	struct filled fi;

	begin(&fi, cr, sizeof(*cr));
	fill_fields(&fi, result_field_row, row);
	fill_small(&fi, &cr->cr_hold);
	fill_small(&fi, &cr->cr_spin);
	fill_small(&fi, &cr->cr_block);
	/* Made of the histograms, when all repeats are there. */
	DONE(&fi, row->hold_log2);
	DONE(&fi, row->spin_log2);
	DONE(&fi, row->block_log2);
	REQUIRE_ALL(&fi, struct cell_row);
}

static void
fill_arrays(struct filled *all, struct cell_measure *cm)
{
	struct filled fi;
	unsigned i;

	cm->cm_rows = calloc(ROWS, sizeof(*cm->cm_rows));
	cm->cm_waits = calloc(WAITS, sizeof(*cm->cm_waits));
	cm->cm_row_count = ROWS;
	cm->cm_wait_count = WAITS;
	cm->cm_health_count = SOURCES;
	for (i = 0; i < ROWS; i++)
		fill_row(&cm->cm_rows[i]);
	for (i = 0; i < WAITS; i++) {
		begin(&fi, &cm->cm_waits[i], sizeof(cm->cm_waits[i]));
		fill_fields(&fi, result_field_wait, &cm->cm_waits[i]);
		REQUIRE_ALL(&fi, struct result_wait);
	}
	for (i = 0; i < SOURCES; i++) {
		begin(&fi, &cm->cm_health[i], sizeof(cm->cm_health[i]));
		fill_fields(&fi, result_field_health, &cm->cm_health[i]);
		REQUIRE_ALL(&fi, struct result_health);
	}
	DONE(all, cm->cm_rows);
	DONE(all, cm->cm_row_count);
	DONE(all, cm->cm_waits);
	DONE(all, cm->cm_wait_count);
	DONE(all, cm->cm_health);
	DONE(all, cm->cm_health_count);
}

static void
fill(struct cell_measure *cm)
{
	struct result_sample *rs = &cm->cm_sample;
	struct filled all, fi;
	unsigned i;

	memset(cm, 0, sizeof(*cm));
	begin(&all, cm, sizeof(*cm));
	fill_sample(&cm->cm_sample);
	DONE(&all, cm->cm_sample);
	fill_arrays(&all, cm);
	fill_hist(&all, &cm->cm_latency);
	fill_hist(&all, &cm->cm_uncorrected);
	fill_hist(&all, &cm->cm_harvest_latency);
	begin(&fi, &cm->cm_ledger, sizeof(cm->cm_ledger));
	fill_fields(&fi, result_field_ledger, &cm->cm_ledger);
	REQUIRE_ALL(&fi, struct result_ledger);
	DONE(&all, cm->cm_ledger);
	cm->cm_acquisitions = ++turn / 7.0;
	cm->cm_backlog = ++turn / 7.0;
	cm->cm_unbound = cm->cm_displaced = true;
	cm->cm_outcome.mo_events = UINT64_MAX;
	cm->cm_outcome.mo_hash = ++turn;
	DONE(&all, cm->cm_acquisitions);
	DONE(&all, cm->cm_backlog);
	DONE(&all, cm->cm_unbound);
	DONE(&all, cm->cm_displaced);
	DONE(&all, cm->cm_outcome.mo_events);
	DONE(&all, cm->cm_outcome.mo_hash);
	/* No result says when a simulated machine's clock stopped. */
	DONE(&all, cm->cm_outcome.mo_time_ps);
	/* What failed is no repeat, and what had fail points none either. */
	DONE(&all, cm->cm_outcome.mo_stuck);
	DONE(&all, cm->cm_faults);
	REQUIRE_ALL(&all, struct cell_measure);
	/* Names are sources', and a total is what is summed. */
	for (i = 0; i < SOURCES; i++) {
		memset(cm->cm_health[i].source, 0,
		    sizeof(cm->cm_health[i].source));
		snprintf(cm->cm_health[i].source,
		    sizeof(cm->cm_health[i].source), "%s",
		    random_source_names[i]);
	}
	rs->total_mb_per_s = 0;
	for (i = 0; i < READERS; i++)
		rs->total_mb_per_s += rs->reader_mb_per_s[i];
}

static void
free_arrays(struct cell_measure *cm)
{
	struct cell_measure arrays = *cm;
	struct result_sample *rs = &cm->cm_sample;

	cell_measure_free(&arrays);
	rs->reader_mb_per_s = rs->interval_mb_per_s = NULL;
	rs->reader_cpu = NULL;
	rs->output_sha256 = NULL;
	cm->cm_rows = NULL;
	cm->cm_waits = NULL;
}

/* The same, once what they point to is. */
static void
require_same(struct cell_measure *a, struct cell_measure *b)
{
	struct result_sample *as = &a->cm_sample, *bs = &b->cm_sample;
	unsigned i;

	ATF_CHECK_EQ(0, memcmp(as->reader_mb_per_s, bs->reader_mb_per_s,
	    READERS * sizeof(double)));
	ATF_CHECK_EQ(0, memcmp(as->reader_cpu, bs->reader_cpu,
	    READERS * sizeof(unsigned)));
	ATF_CHECK_EQ(0, memcmp(as->interval_mb_per_s, bs->interval_mb_per_s,
	    INTERVALS * sizeof(double)));
	ATF_CHECK_EQ(0, memcmp(as->output_sha256, bs->output_sha256,
	    READERS * sizeof(*as->output_sha256)));
	ATF_REQUIRE_EQ(a->cm_row_count, b->cm_row_count);
	for (i = 0; i < a->cm_row_count; i++)
		ATF_CHECK_EQ(0, memcmp(&a->cm_rows[i], &b->cm_rows[i],
		    sizeof(a->cm_rows[i])));
	ATF_REQUIRE_EQ(a->cm_wait_count, b->cm_wait_count);
	for (i = 0; i < a->cm_wait_count; i++)
		ATF_CHECK_EQ(0, memcmp(&a->cm_waits[i], &b->cm_waits[i],
		    sizeof(a->cm_waits[i])));
	free_arrays(a);
	free_arrays(b);
	/* Neither has any now; and there was no padding but zeroes in both. */
	ATF_CHECK_EQ(0, memcmp(&a->cm_sample, &b->cm_sample,
	    sizeof(a->cm_sample)));
	ATF_CHECK_EQ(0, memcmp(a->cm_health, b->cm_health,
	    sizeof(a->cm_health)));
	ATF_CHECK_EQ(0, memcmp(&a->cm_ledger, &b->cm_ledger,
	    sizeof(a->cm_ledger)));
	ATF_CHECK_EQ(0, memcmp(a, b, sizeof(*a)));
}

ATF_TC(repeat_json__keeps_all);
ATF_TC_HEAD(repeat_json__keeps_all, tc)
{

	atf_tc_set_md_var(tc, "descr", "Every member of a measure is the same "
	    "again when it is read from a journal's line");
}
ATF_TC_BODY(repeat_json__keeps_all, tc)
{
	struct cell_measure *cm = calloc(1, sizeof(*cm));
	struct cell_measure *again = calloc(1, sizeof(*again));
	char error[RESULT_TEXT_SIZE], *text;
	json_t *object;

	ATF_REQUIRE(cm != NULL && again != NULL);
	fill(cm);
	object = repeat_json_format(cm, READERS);
	ATF_REQUIRE(object != NULL);
	text = json_dumps(object, JSON_COMPACT |
	    JSON_REAL_PRECISION(REPEAT_JSON_DIGITS));
	ATF_REQUIRE(text != NULL);
	json_decref(object);
	object = json_loads(text, 0, NULL);
	ATF_REQUIRE_EQ_MSG(0, repeat_json_load(object, READERS, again, error),
	    "%s", error);
	json_decref(object);
	free(text);
	require_same(cm, again);
	free(cm);
	free(again);
}

ATF_TC(repeat_json__refuses);
ATF_TC_HEAD(repeat_json__refuses, tc)
{

	atf_tc_set_md_var(tc, "descr", "A line that lacks a member, or has one "
	    "of another kind, is refused with the member's name");
}
ATF_TC_BODY(repeat_json__refuses, tc)
{
	struct cell_measure *cm = calloc(1, sizeof(*cm));
	struct cell_measure *again = calloc(1, sizeof(*again));
	char error[RESULT_TEXT_SIZE];
	json_t *object, *part;
	const char *key;
	void *next;

	ATF_REQUIRE(cm != NULL && again != NULL);
	fill(cm);
	object = repeat_json_format(cm, READERS);
	ATF_REQUIRE(object != NULL);
	json_object_foreach_safe(object, next, key, part) {
		json_t *whole = json_deep_copy(object);

		json_object_set_new(whole, key, json_integer(-1));
		ATF_CHECK_EQ_MSG(EINVAL, repeat_json_load(whole, READERS, again,
		    error), "%s", key);
		ATF_CHECK_MSG(error[0] != '\0', "%s", key);
		cell_measure_free(again);
		json_decref(whole);
	}
	json_object_foreach_safe(json_object_get(object, "rest"), next, key,
	    part) {
		json_t *whole = json_deep_copy(object);

		json_object_del(json_object_get(whole, "rest"), key);
		ATF_CHECK_EQ_MSG(EINVAL, repeat_json_load(whole, READERS, again,
		    error), "%s", key);
		ATF_CHECK_MSG(strstr(error, key) != NULL, "%s: %s", key, error);
		cell_measure_free(again);
		json_decref(whole);
	}
	json_decref(object);
	cell_measure_free(cm);
	free(cm);
	free(again);
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, repeat_json__keeps_all);
	ATF_TP_ADD_TC(tp, repeat_json__refuses);
	return (atf_no_error());
}
