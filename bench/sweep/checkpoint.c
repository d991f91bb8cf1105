/*
 * The journal of a run, beside the file that will be the result: JSON Lines.
 * The first line describes the run: arguments, seed, host.  Each other line is
 * a finished repeat, a run with a drawn profile or a note that the run was
 * resumed.  A line is written before the next repeat begins, never while a
 * window is open; it is on disk then where the repeat was measured, and within
 * 0.1 s where it was simulated.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "bench/cli/memory.h"
#include "bench/sweep/sweep.h"
#include "lib/machine/tick.h"

enum { WHAT_SIZE = GRID_TEXT_SIZE + 32 };

static const int64_t simulated_patience_ns = 100 * NS_PER_MS;

/* A larger difference is another counter, not an error of measurement. */
static const double cycles_max_share = 0.05;

/* Writes a message about the journal and, if ck_line is set, that line. */
static int __attribute__((format(printf, 2, 3)))
refuse(struct checkpoint *ck, const char *fmt, ...)
{
	va_list ap;
	int n;

	n = snprintf(ck->ck_why, CELL_ERROR_SIZE, "%.600s: ",
	    ck->ck_journal.jo_path);
	if (ck->ck_line > 0)
		n += snprintf(ck->ck_why + n, (size_t)(CELL_ERROR_SIZE - n),
		    "line %u: ", ck->ck_line);
	va_start(ap, fmt);
	vsnprintf(ck->ck_why + n, (size_t)(CELL_ERROR_SIZE - n), fmt, ap);
	va_end(ap);
	return (EINVAL);
}

/* The next whole line, without its newline; NULL behind the last. */
static const char *
next_line(struct checkpoint *ck, size_t *len)
{
	const char *line = ck->ck_journal.jo_text + ck->ck_at;
	size_t size = (size_t)ck->ck_journal.jo_end - ck->ck_at;

	if (size == 0)
		return (NULL);
	*len = (size_t)((const char *)memchr(line, '\n', size) - line);
	ck->ck_line++;
	ck->ck_at += *len + 1;
	return (line);
}

int
checkpoint_read(struct checkpoint *ck, struct checkpoint_head *head)
{
	char why[RESULT_TEXT_SIZE];
	const char *line;
	size_t len;

	memset(head, 0, sizeof(*head));
	line = next_line(ck, &len);
	if (line == NULL)
		return (refuse(ck, "the run ended before anything was "
		    "measured: begin it again"));
	if (head_load(line, len, head, why) != 0) {
		head_free(head);
		return (refuse(ck, "%s", why));
	}
	ck->ck_head = head;
	return (0);
}

int
checkpoint_claim(struct checkpoint *ck, const char *file, const char *real,
    struct checkpoint_head *head, char why[CELL_ERROR_SIZE])
{
	char *path = journal_name(real, ".journal");
	pid_t other = 0;
	int error;

	*ck = (struct checkpoint){ .ck_file = file, .ck_why = why,
	    .ck_journal.jo_fd = -1 };
	error = journal_claim(&ck->ck_journal, path, head == NULL, &other);
	free(path);
	if (error == 0)
		return (head == NULL ? 0 : checkpoint_read(ck, head));
	if (error == EBUSY && other > 0)
		refuse(ck, "process %ld is measuring for this file: wait for "
		    "it, or name another file", (long)other);
	else if (error == EBUSY)
		refuse(ck, "another process is measuring for this file");
	else if (error == EINVAL || error == ELOOP || error == EMLINK ||
	    error == EISDIR || error == ENXIO)
		refuse(ck, "not a regular file, but repeats are to be kept "
		    "there: move it away");
	else
		snprintf(why, CELL_ERROR_SIZE, "%.600s: %s", head == NULL ||
		    ck->ck_journal.jo_path == NULL ? file :
		    ck->ck_journal.jo_path, strerror(error));
	return (error);
}

/*
 * Refuses a first line whose part is not that of this run, and names the first
 * key with another value.
 */
static int
check_same(struct checkpoint *ck, const json_t *now, const char *part,
    const char *what)
{
	const json_t *before = json_object_get(ck->ck_head->ch_record, part);
	const size_t flags = JSON_ENCODE_ANY | JSON_COMPACT;
	char *is_text, *was_text;
	json_t *value, *was;
	const char *key;

	json_object_foreach(json_object_get(now, part), key, value) {
		was = json_object_get(before, key);
		if (json_equal(value, was))
			continue;
		is_text = json_dumps(value, flags);
		was_text = json_dumps(was, flags);
		refuse(ck, "%s: %s is %.255s, was %.255s", what, key, is_text,
		    was_text == NULL ? "unknown" : was_text);
		free(is_text);
		free(was_text);
		return (EINVAL);
	}
	return (0);
}

/* Compares the first line with this run. */
static int
check_head(struct checkpoint *ck, const struct options *op)
{
	const double was = ck->ck_head->ch_cycles_per_us;
	struct result *r = ck->ck_result;
	json_t *now;
	double is;
	int error;

	ck->ck_line = 0;
	/* Measured, and so never twice the same. */
	r->host.clock_ns = ck->ck_head->ch_host.clock_ns;
	r->host.profile_ns = ck->ck_head->ch_host.profile_ns;
	memcpy(r->started, ck->ck_head->ch_started, sizeof(r->started));
	now = head_format(op, r);
	is = json_number_value(json_object_get(now, "cycles_per_us"));
	error = check_same(ck, now, "host", "begun on another host, or by "
	    "another program");
	if (error == 0)
		error = check_same(ck, now, "options", "the same arguments "
		    "mean something else now");
	if (error == 0 && fabs(is - was) > cycles_max_share * was)
		error = refuse(ck, "begun on another host: its cycle counter "
		    "ran at %.1f MHz, this one runs at %.1f", was, is);
	json_decref(now);
	ck->ck_line = 1;
	return (error);
}

/* The text by which a repeat's line names its cell. */
static void
describe(const struct cell *ce, char what[WHAT_SIZE])
{
	char text[GRID_TEXT_SIZE];

	snprintf(what, WHAT_SIZE, "%s, %" PRIu64 " bytes", grid_text(ce, text),
	    ce->ce_request_bytes);
}

static int
take_repeat(struct checkpoint *ck, json_t *record)
{
	char text[WHAT_SIZE], why[RESULT_TEXT_SIZE];
	json_int_t cell = -1, repeat = -1;
	struct cell_measure *cm;
	struct sweep_cell *sc;
	const char *what;
	json_t *measure;
	int error = 0;

	if (json_unpack(record, "{s:s, s:I, s:I, s:o}", "what", &what, "cell",
	    &cell, "repeat", &repeat, "measure", &measure) != 0 || cell < 0 ||
	    cell >= (json_int_t)ck->ck_count || repeat < 0 ||
	    repeat >= (json_int_t)ck->ck_repeats ||
	    checkpoint_has(ck, (unsigned)cell, (unsigned)repeat))
		return (refuse(ck, "a repeat that this run does not have"));
	sc = &ck->ck_cells[cell];
	describe(&sc->sc_cell, text);
	if (strcmp(what, text) != 0)
		return (refuse(ck, "its number is of another cell"));
	cm = xmalloc(sizeof(*cm));
	if (repeat_load(measure, sc->sc_cell.ce_readers, cm, why) != 0) {
		error = refuse(ck, "%s", why);
		cell_measure_free(cm);
	} else {
		summary_add(sc, cm);
		ck->ck_has[cell * ck->ck_repeats + repeat] = true;
		ck->ck_before++;
	}
	free(cm);
	return (error);
}

/* Adds an element to an array. */
static void
append(void *array, unsigned *count, const void *element, size_t size)
{
	char *grown;

	memcpy(&grown, array, sizeof(grown));
	grown = xreallocarray(grown, *count + 1, size);
	memcpy(array, &grown, sizeof(grown));
	memcpy(grown + (*count)++ * size, element, size);
}

static void
note(struct checkpoint *ck, const struct result_resumed *rr)
{
	append(&ck->ck_result->resumed, &ck->ck_result->resumed_count, rr,
	    sizeof(*rr));
}

static int
take_line(struct checkpoint *ck, json_t *record)
{
	const json_t *drawn = json_object_get(record, "draw");
	const json_t *resumed = json_object_get(record, "resumed");
	struct checkpoint_draw draw = { .cd_cell = 0 };
	struct result_resumed rr = { .order = 0 };
	char why[RESULT_TEXT_SIZE];
	int error;

	if (json_object_get(record, "measure") != NULL)
		return (take_repeat(ck, record));
	if (drawn == NULL && resumed == NULL)
		return (refuse(ck, "of no known kind"));
	error = drawn != NULL ? field_read(draw_fields, drawn, &draw, 0, why) :
	    field_read(result_resumed_fields, resumed, &rr, 0, why);
	if (error != 0)
		return (refuse(ck, "%s", why));
	if (draw.cd_cell >= ck->ck_count)
		return (refuse(ck, "a draw that this run does not have"));
	if (drawn == NULL)
		note(ck, &rr);
	else
		append(&ck->ck_draws, &ck->ck_draw_count, &draw, sizeof(draw));
	return (0);
}

/* Takes what the lines behind the first have. */
static int
take_lines(struct checkpoint *ck)
{
	json_error_t where;
	const char *line;
	json_t *record;
	int error = 0;
	size_t len;

	while (error == 0 && (line = next_line(ck, &len)) != NULL) {
		record = json_loadb(line, len, JSON_REJECT_DUPLICATES, &where);
		error = record == NULL ? refuse(ck, "damaged: the run cannot "
		    "be resumed") : take_line(ck, record);
		json_decref(record);
	}
	if (error == 0 && (error = journal_continue(&ck->ck_journal)) != 0)
		refuse(ck, "%s", strerror(error));
	return (error);
}

/* Frees record; kept is for the first line only. */
static int
add(struct checkpoint *ck, json_t *record, bool *kept)
{
	char *text;
	int error;

	text = json_dumps(record, JSON_COMPACT |
	    JSON_REAL_PRECISION(REPEAT_JSON_DIGITS));
	json_decref(record);
	error = kept != NULL ? journal_begin(&ck->ck_journal, text, kept) :
	    journal_add(&ck->ck_journal, text);
	free(text);
	if (error != 0)
		snprintf(ck->ck_why, CELL_ERROR_SIZE, "%.600s: %s, writing "
		    "its journal", ck->ck_file, strerror(error));
	return (error);
}

int
checkpoint_begin(struct checkpoint *ck, const struct options *op,
    struct result *r, struct sweep_cell *cells, unsigned count,
    char why[CELL_ERROR_SIZE])
{
	const char *path = ck->ck_journal.jo_path;
	bool kept = false;
	int error;

	ck->ck_why = why;
	ck->ck_result = r;
	ck->ck_cells = cells;
	ck->ck_count = count;
	ck->ck_repeats = op->op_repeats;
	/* A simulation can be repeated, and takes less time than a sync. */
	if (op->op_simulated)
		ck->ck_journal.jo_patience_ns = simulated_patience_ns;
	ck->ck_has = xcalloc((size_t)count * op->op_repeats + 1,
	    sizeof(*ck->ck_has));
	if (ck->ck_head == NULL) {
		error = add(ck, head_format(op, r), &kept);
		if (error == 0 && kept)
			run_note("%s of a run that was not finished is kept as "
			    "%s.old; --resume %s would have continued it", path,
			    path, ck->ck_file);
		return (error);
	}
	error = check_head(ck, op);
	if (error == 0)
		error = take_lines(ck);
	if (error != 0)
		return (error);
	run_note("%s: %u of %u repeats were there%s", ck->ck_file,
	    ck->ck_before, count * op->op_repeats, op->op_uncertainty == 0 ?
	    "" : FORMATF(", and %u runs with drawn profiles",
	    ck->ck_draw_count));
	return (0);
}

bool
checkpoint_has(const struct checkpoint *ck, unsigned cell, unsigned repeat)
{
	return (ck != NULL && ck->ck_has[(size_t)cell * ck->ck_repeats +
	    repeat]);
}

/* Frees record.  Writes before it, once, a note that the run was resumed. */
static int
add_done(struct checkpoint *ck, json_t *record)
{
	struct result_resumed now = { .order = ck->ck_before };
	int error;

	if (ck->ck_head != NULL && !ck->ck_noted) {
		result_now(now.at);
		error = add(ck, json_pack("{s:o}", "resumed", field_format(
		    result_resumed_fields, &now, 0)), NULL);
		if (error != 0) {
			json_decref(record);
			return (error);
		}
		note(ck, &now);
		ck->ck_noted = true;
	}
	error = add(ck, record, NULL);
	ck->ck_done += error == 0;
	return (error);
}

int
checkpoint_add(struct checkpoint *ck, unsigned cell, unsigned repeat,
    const struct cell_measure *cm)
{
	const struct cell *ce;
	char what[WHAT_SIZE];

	if (ck == NULL)
		return (0);
	ce = &ck->ck_cells[cell].sc_cell;
	describe(ce, what);
	return (add_done(ck, json_pack("{s:s, s:i, s:i, s:o}", "what", what,
	    "cell", (int)cell, "repeat", (int)repeat, "measure",
	    field_format(repeat_fields, cm, ce->ce_readers))));
}

int
checkpoint_add_draw(struct checkpoint *ck, const struct checkpoint_draw *cd)
{
	return (ck == NULL ? 0 : add_done(ck, json_pack("{s:o}", "draw",
	    field_format(draw_fields, cd, 0))));
}

int
checkpoint_close(struct checkpoint *ck, bool keep)
{
	int error = 0;

	if (!keep && ck->ck_journal.jo_fd != -1)
		error = journal_remove(&ck->ck_journal);
	journal_close(&ck->ck_journal);
	free(ck->ck_has);
	free(ck->ck_draws);
	*ck = (struct checkpoint){ .ck_journal.jo_fd = -1 };
	return (error);
}
