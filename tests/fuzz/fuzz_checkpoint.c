/*
 * What journals of sweeps say, a record for each line of the input, as --resume
 * takes it up: it is refused, or makes a result that can be read again, and
 * nothing that was in the journal is lost.
 */
#include <fcntl.h>

#include "bench/options/option_resume.h"
#include "bench/report/report.h"
#include "bench/result/json_text.h"
#include "bench/result/result_part.h"
#include "bench/sweep/checkpoint_read.h"
#include "bench/sweep/grid.h"
#include "bench/sweep/repeat_json.h"
#include "tests/fuzz/words.h"

enum {
	CELLS_MAX	= 32,
	REPEATS_MAX	= 32,
	READERS_MAX	= 32,
	RECORD_FLAGS	= JSON_COMPACT | JSON_REAL_PRECISION(REPEAT_JSON_DIGITS)
};

/* A run that goes on. */
struct resumed {
	struct options	 re_options;
	struct checkpoint_head re_head;
	struct result	 re_result;
	struct sweep_cell *re_cells;
	unsigned	 re_count;	/* cells and controls */
	unsigned	 re_grid;	/* of them cells */
};

/* This host, asked once: who is on another is only told so. */
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

static void
write_journal(struct journal *jo, char *const records[])
{
	const char *path = fuzz_file(0, (const uint8_t *)"", 0);

	*jo = (struct journal){ .jo_path = strdup(path),
	    .jo_fd = open(path, O_RDWR), .jo_patience_ns = INT64_MAX };
	FUZZ_CHECK(jo->jo_path != NULL && jo->jo_fd != -1);
	for (; *records != NULL; records++)
		FUZZ_CHECK(journal_add(jo, *records) == 0);
}

static char *
measure_text(const json_t *measure, unsigned readers)
{
	char error[RESULT_TEXT_SIZE] = "", *text = NULL;
	struct cell_measure *cm = malloc(sizeof(*cm));
	json_t *again;

	FUZZ_CHECK(cm != NULL);
	if (repeat_json_load(measure, readers, cm, error) == 0) {
		again = repeat_json_format(cm, readers);
		text = json_text(again, RECORD_FLAGS);
		FUZZ_CHECK(text != NULL);
		json_decref(again);
	} else {
		FUZZ_CHECK(error[0] != '\0');
	}
	cell_measure_free(cm);
	free(cm);
	return (text);
}

/* A repeat that is taken is written so that the same is taken again. */
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

/* Cells of the options' grid that nothing has been measured of. */
static void
begin(struct resumed *re)
{
	const struct options *op = &re->re_options;
	struct result *r = &re->re_result;
	unsigned i, n = grid_cells(op);

	re->re_cells = calloc(n + grid_controls(op), sizeof(*re->re_cells));
	memset(r, 0, sizeof(*r));
	r->host = *host();
	r->cells = calloc(n, sizeof(*r->cells));
	r->controls = calloc(grid_controls(op) + 1, sizeof(*r->controls));
	FUZZ_CHECK(re->re_cells != NULL && r->cells != NULL &&
	    r->controls != NULL);
	r->argv = no_words();
	r->tunables = no_words();
	r->sources = no_words();
	r->sources_skipped = no_words();
	re->re_grid = grid_expand(op, re->re_cells);
	re->re_count = n + grid_expand_controls(op, &re->re_cells[n]);
	for (i = 0; i < re->re_count; i++) {
		re->re_cells[i].sc_samples = calloc(op->op_repeats,
		    sizeof(*re->re_cells->sc_samples));
		FUZZ_CHECK(re->re_cells[i].sc_samples != NULL);
	}
}

/* The result cells of those that have a repeat. */
static void
finish(struct resumed *re, unsigned from, unsigned to,
    struct result_cell *out, unsigned *count)
{
	const struct options *op = &re->re_options;
	unsigned i;

	for (i = from; i < to; i++) {
		if (re->re_cells[i].sc_count > 0) {
			FUZZ_CHECK(summary_finish(&re->re_cells[i],
			    crypto_mode_names[op->op_crypto], op->op_seed,
			    &re->re_result.host, grid_engine(op),
			    &op->op_config.bc_lock, &out[*count]) == 0);
			if (op->op_simulated)
				virtual_describe(&op->op_machine,
				    &out[*count]);
			(*count)++;
		}
		summary_free(&re->re_cells[i]);
	}
	FUZZ_CHECK(summary_gate_trend(out, *count) == 0);
}

/* What was taken up makes a file that can be read. */
static void
check_result(struct resumed *re)
{
	char error[RESULT_TEXT_SIZE] = "", *text = NULL;
	struct result again, *r = &re->re_result;
	size_t length;
	FILE *f;

	finish(re, 0, re->re_grid, r->cells, &r->cell_count);
	finish(re, re->re_grid, re->re_count, r->controls, &r->control_count);
	f = open_memstream(&text, &length);
	FUZZ_CHECK(f != NULL);
	FUZZ_CHECK(report_emit(f, r, REPORT_JSON) == 0);
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
	const struct checkpoint_draw cd = { .cd_total = 1 };
	const uint64_t records = ck->ck_journal.jo_records;
	char error[CELL_ERROR_SIZE], *after;
	size_t now;

	FUZZ_CHECK(checkpoint_add_draw(ck, &cd, error) == 0);
	FUZZ_CHECK(ck->ck_journal.jo_records == records + 2);
	after = contents(&ck->ck_journal, &now);
	FUZZ_CHECK(now > size && memcmp(after, before, size) == 0);
	free(after);
}

/* Takes up a journal of these records; returns whether it was not refused. */
static bool
take_up(struct resumed *re, char *const records[])
{
	struct checkpoint ck = { .ck_file = "in",
	    .ck_head = re->re_head.ch_record };
	char *after, *before, error[CELL_ERROR_SIZE] = "";
	size_t now, size;
	unsigned i;
	bool taken;

	write_journal(&ck.ck_journal, records);
	before = contents(&ck.ck_journal, &size);
	begin(re);
	taken = checkpoint_begin(&ck, &re->re_options, &re->re_result,
	    re->re_cells, re->re_count, error) == 0;
	after = contents(&ck.ck_journal, &now);
	FUZZ_CHECK(size == now && memcmp(before, after, size) == 0);
	free(after);
	FUZZ_CHECK(taken == (error[0] == '\0'));
	if (taken) {
		check_going_on(&ck, before, size);
		check_result(re);
	} else {
		for (i = 0; i < re->re_count; i++)
			summary_free(&re->re_cells[i]);
	}
	result_free(&re->re_result);
	free(re->re_cells);
	free(before);
	FUZZ_CHECK(checkpoint_close(&ck, true) == 0);
	return (taken);
}

/* The first record as this program on this host would have written it. */
static char *
fitting_head(struct resumed *re)
{
	json_t *head = re->re_head.ch_record;
	const double mhz = (double)tick_ns_to_cycles(NS_PER_S) / 1e6;

	json_object_set_new(head, "options",
	    options_describe(&re->re_options));
	json_object_set_new(head, "host",
	    result_part_format(result_field_host, host()));
	json_object_set_new(head, "cycles_per_us",
	    json_real(re->re_options.op_simulated ? 0 : mhz));
	return (json_text(head, RECORD_FLAGS));
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
	    op->op_faults.fl_count == 0);
}

static void
resume(struct resumed *re, char *records[])
{
	char *argv[] = { (char *)(uintptr_t)"sweep",
	    (char *)(uintptr_t)"--resume", (char *)(uintptr_t)"in", NULL };
	const struct options_begun ob = { .ob_argv = re->re_head.ch_argv,
	    .ob_seed = re->re_head.ch_seed };
	char *head;

	if (options_parse_resumed(&re->re_options, OPTIONS_SWEEP, 3, argv,
	    "in", &ob) == 0 && is_small(&re->re_options) &&
	    !take_up(re, records)) {
		head = fitting_head(re);
		if (head != NULL) {
			records[0] = head;
			(void)take_up(re, records);
		}
		free(head);
	}
	options_free(&re->re_options);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *records[WORDS_MAX + 1], *text, why[CHECKPOINT_ERROR_SIZE] = "";
	static struct resumed re;
	struct journal jo;
	int error, i, n;

	fuzz_begin();
	text = fuzz_text(data, size);
	n = words_split(text, records);
	for (i = 1; i < n; i++)
		check_measure(records[i]);
	write_journal(&jo, records);
	error = checkpoint_peek_open(jo.jo_fd, "in", &re.re_head, why);
	FUZZ_CHECK((error == 0) == (why[0] == '\0'));
	close(jo.jo_fd);
	free(jo.jo_path);
	if (error == 0)
		resume(&re, records);
	checkpoint_head_free(&re.re_head);
	free(text);
	return (0);
}
