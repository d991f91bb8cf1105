/*
 * What a journal keeps of a repeat: all of it, and exactly.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "bench/sweep/sweep.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum { READERS = 3, ELEMENTS = 2 };

static bool
is_pointer(const struct field *f)
{
	return (f->f_shape == FIELD_ARRAY || f->f_shape == FIELD_EACH);
}

static unsigned
elements_of(const struct field *f)
{
	return (f->f_shape == FIELD_EACH ? READERS :
	    f->f_shape == FIELD_ONE ? 1 : ELEMENTS);
}

/* Marks the bytes of a structure that a table describes. */
static void
cover(const struct field *f, uint8_t *covered)
{
	for (; f->f_key != NULL; f++) {
		if (f->f_count_key != NULL)
			memset(covered + f->f_count, 1, sizeof(unsigned));
		if (f->f_kind == FIELD_OBJECT && f->f_shape == FIELD_ONE)
			cover(f->f_table, covered + f->f_offset);
		else
			memset(covered + f->f_offset, 1, is_pointer(f) ?
			    sizeof(void *) : field_size(f) * elements_of(f));
	}
}

/* Sets all of a structure's bytes but its padding. */
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
#define	MEMBERS(mask, type)	do {					\
	memset((mask), 0xff, sizeof(type));				\
	__builtin_clear_padding((type *)(void *)(mask));		\
} while (0)
#endif
#endif
#if !defined(MEMBERS)
#define	MEMBERS(mask, type)	memset((mask), 0, sizeof(type))
#endif

#define	REQUIRE_COVERED(type, covered)	do {				\
	type *mask_ = aligned_alloc(_Alignof(type), sizeof(type));	\
	size_t at_;							\
									\
	ATF_REQUIRE(mask_ != NULL);					\
	MEMBERS(mask_, type);						\
	for (at_ = 0; at_ < sizeof(type); at_++)			\
		ATF_CHECK_MSG(((uint8_t *)(void *)mask_)[at_] == 0 ||	\
		    (covered)[at_] != 0, "byte %zu of %s is in no field of " \
		    "bench/sweep/record.c", at_, #type);		\
	free(mask_);							\
} while (0)

TEST(repeat_json__describes_all,
    "Each member of a measure has a field, but for those that no result needs")
{
	uint8_t *covered = calloc(1, sizeof(struct cell_measure));
	const struct field *f;

	ATF_REQUIRE(covered != NULL);
	cover(repeat_fields, covered);
	/* In the sample: summary_sample().  A failed run is not a repeat. */
	memset(covered + offsetof(struct cell_measure, cm_outcome), 1,
	    sizeof(struct machine_outcome));
	memset(covered + offsetof(struct cell_measure, cm_faults), 1,
	    sizeof(struct failpoint_outcome));
	REQUIRE_COVERED(struct cell_measure, covered);
	for (f = repeat_fields; strcmp(f->f_key, "rows") != 0; f++)
		continue;
	memset(covered, 0, sizeof(struct cell_row));
	cover(f->f_table, covered);
	/* Its sums are in the sample. */
	covered[offsetof(struct cell_row, cr_spin_mutex)] = 1;
	REQUIRE_COVERED(struct cell_row, covered);
	free(covered);
}

static void fill(const struct field *f, void *base);

/* One element with a value like no other. */
static void
fill_one(const struct field *f, void *p)
{
	static unsigned turn;

	turn++;
	switch (f->f_kind) {
	case FIELD_NAME:
	case FIELD_TEXT:
		snprintf(p, RESULT_NAME_SIZE, "name %u", turn);
		break;
	case FIELD_HEX:
		snprintf(p, RESULT_NAME_SIZE, "%016x", turn);
		break;
	case FIELD_SHA256:
		snprintf(p, RESULT_SHA256_SIZE, "%064x", turn);
		break;
	case FIELD_BOOL:
		*(bool *)p = true;
		break;
	case FIELD_COUNT:
		*(unsigned *)p = turn;
		break;
	case FIELD_SEED:
		*(uint64_t *)p = UINT64_C(15) << 60 | turn;
		break;
	case FIELD_BUCKETS:
		for (unsigned i = 0; i < f->f_room; i += 1 + i / 3)
			((uint32_t *)p)[i] = ++turn;
		break;
	case FIELD_OBJECT:
		fill(f->f_table, p);
		break;
	default:
		*(double *)p = turn / 7.0;
		break;
	}
}

static void
fill(const struct field *f, void *base)
{
	unsigned n;
	void *p;

	for (; f->f_key != NULL; f++) {
		n = elements_of(f);
		p = (char *)base + f->f_offset;
		if (f->f_shape == FIELD_ARRAY)
			*(unsigned *)(void *)((char *)base + f->f_count) = n;
		if (is_pointer(f)) {
			p = calloc(n, field_size(f));
			memcpy((char *)base + f->f_offset, &p, sizeof(p));
		}
		for (unsigned i = 0; i < n; i++)
			fill_one(f, (char *)p + i * field_size(f));
	}
}

static struct cell_measure *
filled(void)
{
	struct cell_measure *cm = calloc(1, sizeof(*cm));
	struct result_sample *rs = &cm->cm_sample;

	ATF_REQUIRE(cm != NULL);
	fill(repeat_fields, cm);
	/* Names are those of sources, and a total is a sum. */
	for (unsigned i = 0; i < ELEMENTS; i++)
		snprintf(cm->cm_health[i].source, RESULT_NAME_SIZE, "%s",
		    random_source_names[i]);
	rs->total_mb_per_s = 0;
	for (unsigned i = 0; i < READERS; i++)
		rs->total_mb_per_s += rs->reader_mb_per_s[i];
	return (cm);
}

static void
require_same(const struct field *f, const void *a, const void *b)
{
	const char *pa, *pb;

	for (; f->f_key != NULL; f++) {
		pa = field_elements(f, a);
		pb = field_elements(f, b);
		for (unsigned i = 0; i < elements_of(f); i++) {
			if (f->f_kind == FIELD_OBJECT)
				require_same(f->f_table, pa, pb);
			else if (f->f_kind <= FIELD_SHA256)
				ATF_CHECK_STREQ(pa, pb);
			else
				ATF_CHECK_EQ_MSG(0, memcmp(pa, pb,
				    field_size(f)), "%s", f->f_key);
			pa += field_size(f);
			pb += field_size(f);
		}
	}
}

TEST(repeat_json__keeps_all,
    "Every field of a measure is the same again when it is read from a "
    "journal's line")
{
	struct cell_measure *again = calloc(1, sizeof(*again)), *cm = filled();
	char error[RESULT_TEXT_SIZE], *text;
	json_t *object;

	object = field_format(repeat_fields, cm, READERS);
	text = json_dumps(object, JSON_COMPACT |
	    JSON_REAL_PRECISION(REPEAT_JSON_DIGITS));
	ATF_REQUIRE(again != NULL && text != NULL);
	json_decref(object);
	object = json_loads(text, 0, NULL);
	ATF_REQUIRE_EQ_MSG(0, repeat_load(object, READERS, again, error),
	    "%s", error);
	require_same(repeat_fields, cm, again);
	json_decref(object);
	free(text);
	cell_measure_free(cm);
	cell_measure_free(again);
	free(cm);
	free(again);
}

TEST(repeat_json__refuses,
    "A line that lacks a member, or has one of another kind, is refused with "
    "the member's name")
{
	struct cell_measure *again = calloc(1, sizeof(*again)), *cm = filled();
	json_t *object, *part, *whole;
	char error[RESULT_TEXT_SIZE];
	const char *key;

	object = field_format(repeat_fields, cm, READERS);
	ATF_REQUIRE(again != NULL && object != NULL);
	json_object_foreach(object, key, part)
		for (unsigned i = 0; i < 2; i++) {
			whole = json_copy(object);
			if (i == 0)
				json_object_del(whole, key);
			else
				json_object_set_new(whole, key,
				    json_integer(-1));
			ATF_CHECK_EQ_MSG(EINVAL, repeat_load(whole,
			    READERS, again, error), "%s", key);
			ATF_CHECK_MSG(strstr(error, key) != NULL, "%s: %s",
			    key, error);
			cell_measure_free(again);
			json_decref(whole);
		}
	json_decref(object);
	cell_measure_free(cm);
	free(cm);
	free(again);
}

TEST_PROGRAM()
