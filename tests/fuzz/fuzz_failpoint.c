/*
 * What --failpoint takes, an option for each line.  A specification printed
 * from what was understood means the same, and executes the same.
 */
#include "bench/cell/failpoints.h"
#include "tests/fuzz/words.h"

enum {
	/* A term with all there can be, and "->" before it. */
	TERM_SIZE	= 64,
	SPEC_SIZE	= FAILPOINT_TERMS_MAX * TERM_SIZE,
	EVALUATIONS	= 64,
	SEED		= 1
};

/* Actions are counted, by how long they were asked to take. */
static uint64_t acted;

static void
act(int64_t ns)
{
	FUZZ_CHECK(ns >= 0);
	acted = acted * 31 + (uint64_t)ns + 1;
}

static int
act_sleep(int64_t ns)
{
	act(ns);
	return (0);
}

static void
act_yield(void)
{
	act(0);
}

static void
act_wait(uint32_t *gate, int64_t ns)
{
	FUZZ_CHECK(ns == -1);
	act(*gate);
}

static void
act_open(uint32_t *gate)
{
	*gate = 1;
}

static const struct failpoint_machine machine = { act_sleep, act, act_yield,
    act_wait, act_open };

static void
print(const struct failpoint_spec *fs, char text[SPEC_SIZE])
{
	const struct failpoint_term *ft;
	FILE *out = fmemopen(text, SPEC_SIZE, "w");

	FUZZ_CHECK(out != NULL);
	for (unsigned i = 0; i < fs->fps_terms; i++) {
		ft = &fs->fps_term[i];
		if (i > 0)
			fputs("->", out);
		if (ft->fpt_probability != FAILPOINT_ALWAYS)
			fprintf(out, "%u.%04u%%", ft->fpt_probability / 10000,
			    ft->fpt_probability % 10000);
		if (ft->fpt_count > 0)
			fprintf(out, "%u*", ft->fpt_count);
		fputs(failpoint_action_names[ft->fpt_action], out);
		if (ft->fpt_argument != 0)
			fprintf(out, "(%d)", ft->fpt_argument);
	}
	FUZZ_CHECK(fclose(out) == 0);
}

static bool
equals(const struct failpoint_spec *a, const struct failpoint_spec *b)
{
	const struct failpoint_term *s, *t;

	for (unsigned i = 0; i < a->fps_terms && i < b->fps_terms; i++) {
		s = &a->fps_term[i];
		t = &b->fps_term[i];
		if (s->fpt_action != t->fpt_action ||
		    s->fpt_argument != t->fpt_argument ||
		    s->fpt_probability != t->fpt_probability ||
		    s->fpt_count != t->fpt_count)
			return (false);
	}
	return (a->fps_terms == b->fps_terms);
}

/* Whether a specification ends the program where it executes. */
static bool
deadly(const struct failpoint_spec *fs)
{
	for (unsigned i = 0; i < fs->fps_terms; i++)
		if (fs->fps_term[i].fpt_action == FAILPOINT_PANIC ||
		    fs->fps_term[i].fpt_action == FAILPOINT_BREAK)
			return (true);
	return (false);
}

/* A number for all that comes of asking a point. */
static uint64_t
outcome(const struct failpoint_def *def, const struct failpoint_spec *fs)
{
	struct failpoint fp;

	acted = 0;
	failpoint_init(&fp, def, fs, &machine, SEED);
	for (unsigned i = 0; i < EVALUATIONS; i++) {
		acted = acted * 31 + (uint64_t)(uint32_t)failpoint_eval(&fp);
		if (i == EVALUATIONS / 2)
			failpoint_release(&fp);
	}
	FUZZ_CHECK(atomic_load(&fp.fp_evaluated) == EVALUATIONS);
	return (acted * 31 + atomic_load(&fp.fp_executed));
}

static void
check_point(const struct failpoint_list *fl, unsigned i)
{
	const struct failpoint_spec *fs = &fl->fl_spec[i];
	char error[FAILPOINT_ERROR_SIZE], once[SPEC_SIZE], twice[SPEC_SIZE];
	struct failpoint_spec again;

	FUZZ_CHECK(fs->fps_terms > 0);
	FUZZ_CHECK(failpoint_parse(&again, fl->fl_text[i], error) == 0);
	FUZZ_CHECK(equals(fs, &again));
	print(fs, once);
	FUZZ_CHECK(failpoint_parse(&again, once, error) == 0);
	FUZZ_CHECK(equals(fs, &again));
	print(&again, twice);
	FUZZ_CHECK(strcmp(once, twice) == 0);
	if (!deadly(fs))
		FUZZ_CHECK(outcome(&failpoint_defs[i], fs) ==
		    outcome(&failpoint_defs[i], &again));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[WORDS_MAX + 1], error[FAILPOINTS_ERROR_SIZE], *text;
	struct failpoint_list fl = { .fl_count = 0 };
	unsigned points = 0;
	int argc, taken = 0;

	fuzz_begin();
	text = fuzz_text(data, size);
	argc = words_split(text, argv);
	for (int k = 0; k < argc; k++) {
		error[0] = '\0';
		if (failpoints_parse(&fl, argv[k], error) == 0)
			taken++;
		else
			FUZZ_CHECK(error[0] != '\0');
	}
	for (unsigned i = 0; i < FAILPOINTS; i++)
		if (fl.fl_text[i] != NULL) {
			points++;
			check_point(&fl, i);
		}
	FUZZ_CHECK(taken == (int)points && fl.fl_count == points);
	free(text);
	return (0);
}
