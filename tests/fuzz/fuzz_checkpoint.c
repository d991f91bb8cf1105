/*
 * Journals of sweeps, as --resume reads them: one is refused, or makes a result
 * that can be read again, and no whole line of it is lost.
 */
#include <fcntl.h>

#include "bench/options/options.h"
#include "bench/report/report.h"
#include "bench/result/result.h"
#include "bench/sweep/sweep.h"
#include "tests/fuzz/fuzz.h"

enum {
	CELLS_MAX	= 32,
	REPEATS_MAX	= 32,
	READERS_MAX	= 32,
	DRAWN_MAX	= 16,
	RECORD_FLAGS	= JSON_COMPACT | JSON_REAL_PRECISION(REPEAT_JSON_DIGITS)
};

/* A run that goes on. */
struct resumed {
	struct options	 re_options;
	struct result	 re_begun;	/* what the first line has */
	struct result	 re_result;
	struct sweeping	 re_sweep;
};

/* This host, looked up once. */
static const struct result_host *
host(void)
{
	static struct result_host here;
	static bool asked;

	if (!asked)
		result_host_fill(&here);
	asked = true;
	return (&here);
}

static struct journal
journal_of(const char *text, size_t size)
{
	const char *path = fuzz_file(0, (const uint8_t *)text, size);
	struct journal jo = { .jo_path = strdup(path),
	    .jo_fd = open(path, O_RDWR), .jo_patience_ns = INT64_MAX };

	FUZZ_CHECK(jo.jo_path != NULL && jo.jo_fd != -1);
	FUZZ_CHECK(journal_read(&jo) == 0);
	return (jo);
}

/* An open journal, its first line read; result_free() what is left of it. */
static int
open_journal(const char *text, size_t size, struct checkpoint *ck,
    struct result *begun, char why[CELL_ERROR_SIZE])
{
	int error;

	why[0] = '\0';
	*ck = (struct checkpoint){ .ckp_file = "in", .ckp_why = why,
	    .ckp_journal = journal_of(text, size) };
	memset(begun, 0, sizeof(*begun));
	error = checkpoint_read(ck, begun);
	FUZZ_CHECK((error == 0) == (why[0] == '\0'));
	return (error);
}

/* The first line of a journal, as --resume looks at it. */
static int
peek(const char *text, size_t size, struct result *begun)
{
	char why[CELL_ERROR_SIZE];
	struct checkpoint ck;
	int error;

	error = open_journal(text, size, &ck, begun, why);
	FUZZ_CHECK(checkpoint_close(&ck, true) == 0);
	return (error);
}

static char *
measure_text(const json_t *measure, unsigned readers)
{
	char error[RESULT_TEXT_SIZE] = "", *text = NULL;
	struct cell_measure *cm = malloc(sizeof(*cm));
	json_t *again;

	FUZZ_CHECK(cm != NULL);
	if (repeat_load(measure, readers, cm, error) == 0) {
		again = field_format(repeat_fields, cm, readers);
		text = json_dumps(again, RECORD_FLAGS);
		FUZZ_CHECK(text != NULL);
		json_decref(again);
	} else {
		FUZZ_CHECK(error[0] != '\0');
	}
	cell_measure_free(cm);
	free(cm);
	return (text);
}

/* A repeat that is read is written so that the same is read again. */
static void
check_measure(const char *line)
{
	json_t *record = json_loads(line, JSON_REJECT_DUPLICATES, NULL), *j;
	char *first, *second;
	unsigned readers;

	readers = (unsigned)json_array_size(json_object_get(json_object_get(
	    json_object_get(record, "measure"), "sample"), "reader_cpu"));
	/* A cell has some. */
	first = readers == 0 ? NULL :
	    measure_text(json_object_get(record, "measure"), readers);
	if (first != NULL) {
		j = json_loads(first, JSON_REJECT_DUPLICATES, NULL);
		second = measure_text(j, readers);
		FUZZ_CHECK(second != NULL && strcmp(first, second) == 0);
		json_decref(j);
		free(second);
	}
	free(first);
	json_decref(record);
}

/* A journal's text, for the caller to free. */
static char *
contents(const struct journal *jo, size_t *size)
{
	off_t end = lseek(jo->jo_fd, 0, SEEK_END);
	char *text = malloc((size_t)end + 1);

	FUZZ_CHECK(end >= 0 && text != NULL);
	FUZZ_CHECK(pread(jo->jo_fd, text, (size_t)end, 0) == end);
	*size = (size_t)end;
	return (text);
}

static char **
no_words(void)
{
	char **words = calloc(1, sizeof(*words));

	FUZZ_CHECK(words != NULL);
	return (words);
}

/* The cells of the options' grid, without any repeat. */
static void
begin(struct resumed *re, char *error)
{
	struct result *r = &re->re_result;
	struct sweeping *sw = &re->re_sweep;

	*sw = (struct sweeping){ .sw_options = &re->re_options,
	    .sw_result = r, .sw_error = error };
	grid_make(sw);
	memset(r, 0, sizeof(*r));
	r->host = *host();
	r->cells = calloc(sw->sw_grid, sizeof(*r->cells));
	r->controls = calloc(sw->sw_count - sw->sw_grid + 1,
	    sizeof(*r->controls));
	FUZZ_CHECK(r->cells != NULL && r->controls != NULL);
	r->argv = no_words();
	r->tunables = no_words();
	r->sources = no_words();
	r->sources_skipped = no_words();
}

/* The result cells of those that have a repeat. */
static void
finish(struct resumed *re, unsigned from, unsigned to,
    struct result_cell *out, unsigned *count)
{
	const struct sweeping *sw = &re->re_sweep;

	for (unsigned i = from; i < to; i++)
		if (sw->sw_cells[i].sc_result.repeats > 0)
			summary_finish(&sw->sw_cells[i], &re->re_options,
			    &re->re_result.host, &out[(*count)++]);
}

/* What was taken up makes a file that can be read. */
static void
check_result(struct resumed *re)
{
	char error[RESULT_TEXT_SIZE] = "", *text = NULL;
	struct result again, *r = &re->re_result;
	size_t length;
	FILE *f;

	finish(re, 0, re->re_sweep.sw_grid, r->cells, &r->cell_count);
	finish(re, re->re_sweep.sw_grid, re->re_sweep.sw_count, r->controls,
	    &r->control_count);
	f = open_memstream(&text, &length);
	FUZZ_CHECK(f != NULL);
	report_json(f, r);
	FUZZ_CHECK(fclose(f) == 0);
	if (result_load(fuzz_file(1, (uint8_t *)text, length), &again,
	    error) != 0) {
		dprintf(STDERR_FILENO, "%s\n", error);
		abort();
	}
	FUZZ_CHECK(again.cell_count == r->cell_count &&
	    again.control_count == r->control_count &&
	    again.resumed_count == r->resumed_count);
	result_free(&again);
	free(text);
}

/* What is measured now goes behind what was there. */
static void
check_going_on(struct checkpoint *ck, const char *before, size_t size)
{
	char *after;
	size_t now;

	FUZZ_CHECK(journal_add(&ck->ckp_journal, "{}\n") == 0);
	after = contents(&ck->ckp_journal, &now);
	FUZZ_CHECK(now > size && memcmp(after, before, size) == 0);
	free(after);
}

/* Resumes from a journal; returns whether it was not refused. */
static bool
take_up(struct resumed *re, const char *text, size_t size)
{
	char *after, error[CELL_ERROR_SIZE];
	struct checkpoint ck;
	struct result begun;
	size_t now;
	bool taken;

	FUZZ_CHECK(open_journal(text, size, &ck, &begun, error) == 0);
	begin(re, error);
	taken = checkpoint_begin(&ck, &re->re_sweep) == 0;
	after = contents(&ck.ckp_journal, &now);
	/* Only a torn last line is cut off. */
	FUZZ_CHECK(now <= size && memcmp(text, after, now) == 0 &&
	    (now == size || (taken && memchr(text + now, '\n', size - now) ==
	    NULL)));
	free(after);
	FUZZ_CHECK(taken == (error[0] == '\0'));
	if (taken) {
		check_going_on(&ck, text, now);
		check_result(re);
	}
	result_free(&re->re_result);
	grid_free(&re->re_sweep);
	FUZZ_CHECK(checkpoint_close(&ck, true) == 0);
	result_free(&begun);
	return (taken);
}

/* The journal with the first line of this program on this host. */
static char *
fitting(const struct resumed *re, const char *text)
{
	struct result r = { .argv = re->re_begun.argv, .host = *host() };
	const char *rest = text + strcspn(text, "\n");
	char *head, *whole;
	json_t *record;
	size_t size;

	record = head_format(&re->re_options, &r);
	head = json_dumps(record, RECORD_FLAGS);
	FUZZ_CHECK(head != NULL);
	size = strlen(head) + strlen(rest) + 1;
	whole = malloc(size);
	FUZZ_CHECK(whole != NULL);
	snprintf(whole, size, "%s%s", head, rest);
	free(head);
	json_decref(record);
	return (whole);
}

static bool
is_small(const struct options *op)
{
	uint64_t cells = (uint64_t)op->op_designs.ol_count *
	    op->op_locks.ol_count * op->op_ciphers.ol_count *
	    op->op_readers.ol_count * op->op_sizes.ol_count;
	unsigned i;

	for (i = 0; i < op->op_readers.ol_count; i++)
		if (op->op_readers.ol_value[i] > READERS_MAX)
			return (false);
	return (cells <= CELLS_MAX && op->op_repeats <= REPEATS_MAX &&
	    op->op_uncertainty <= DRAWN_MAX && op->op_faults.fl_count == 0);
}

static void
resume(struct resumed *re, const char *data, size_t size, const char *text)
{
	char *argv[] = { (char *)(uintptr_t)"sweep",
	    (char *)(uintptr_t)"--resume", (char *)(uintptr_t)"in", NULL };
	struct result first = re->re_begun;
	static struct options given;
	char *whole = NULL;
	int status;

	FUZZ_CHECK(options_read(&given, COMMAND_sweep, argv) == 0);
	status = options_resume(&re->re_options, &given, first.argv,
	    first.seed);
	if (status == 0 && is_small(&re->re_options) &&
	    !take_up(re, data, size))
		whole = fitting(re, text);
	if (whole != NULL) {
		/* The options point into the first one's arguments. */
		FUZZ_CHECK(peek(whole, strlen(whole), &re->re_begun) == 0);
		(void)take_up(re, whole, strlen(whole));
	}
	free(whole);
	options_free(&re->re_options);
	if (whole != NULL)
		result_free(&first);
	options_free(&given);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct resumed re;
	char *line, *rest, *text;

	fuzz_begin();
	rest = text = fuzz_text(data, size);
	while ((line = strsep(&rest, "\n")) != NULL)
		check_measure(line);
	free(text);
	text = fuzz_text(data, size);
	if (peek((const char *)data, size, &re.re_begun) == 0)
		resume(&re, (const char *)data, size, text);
	result_free(&re.re_begun);
	free(text);
	return (0);
}
