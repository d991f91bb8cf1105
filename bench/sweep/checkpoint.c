/*
 * The journal of a run, beside the file of its result: JSON Lines.  The first
 * line describes the run: arguments, seed, host.  Each other line is a finished
 * repeat, figures with a drawn profile or a note that the run was resumed.  A
 * line is written before the next repeat begins, never while a window is open;
 * it is on disk then if the repeat was measured, within 0.1 s if simulated.
 */
#include "bench/sweep/sweep.h"

static const int64_t simulated_patience_ns = 100 * NS_PER_MS;

/* A larger difference is another counter, not an error of measurement. */
static const double cycles_max_share = 0.05;

/* Writes a message about the journal and, if ckp_line is set, that line. */
#define	refuse(ck, ...)							\
	((void)snprintf((ck)->ckp_why, CELL_ERROR_SIZE, (ck)->ckp_line > 0 ? \
	    "%.600s: line %u: " : "%.600s: ", (ck)->ckp_journal.jo_path, \
	    (ck)->ckp_line),						\
	    APPEND((ck)->ckp_why, CELL_ERROR_SIZE, __VA_ARGS__), EINVAL)

/* The next whole line, without its newline; NULL behind the last. */
static const char *
next_line(struct checkpoint *ck, size_t *len)
{
	const char *line = ck->ckp_journal.jo_text + ck->ckp_at;
	size_t size = (size_t)ck->ckp_journal.jo_end - ck->ckp_at;

	if (size == 0)
		return (NULL);
	*len = (size_t)((const char *)memchr(line, '\n', size) - line);
	ck->ckp_line++;
	ck->ckp_at += *len + 1;
	return (line);
}

int
checkpoint_read(struct checkpoint *ck, struct result *begun)
{
	char why[RESULT_TEXT_SIZE];
	const char *line;
	size_t len;

	if ((line = next_line(ck, &len)) == NULL) {
		(void)refuse(ck, "the run ended before anything was measured: "
		    "begin it again");
		return (ENOMSG);
	}
	ck->ckp_head = head_load(line, len, begun, why);
	return (ck->ckp_head != NULL ? 0 : refuse(ck, "%s", why));
}

int
checkpoint_claim(struct checkpoint *ck, const char *file,
    struct result *begun, char why[CELL_ERROR_SIZE])
{
	char *path, *real;
	pid_t other = 0;
	int error;

	*ck = (struct checkpoint){ .ckp_file = file, .ckp_why = why,
	    .ckp_journal.jo_fd = -1 };
	error = atomic_file_resolve(file, &real);
	if (error == 0 && real == NULL)
		error = ENOTSUP;
	if (error != 0) {
		snprintf(why, CELL_ERROR_SIZE, "%.600s: %s", file, error ==
		    ENOTSUP ? "not a regular file, and so without a journal" :
		    strerror(error));
		return (error);
	}
	path = journal_name(real, ".journal");
	error = journal_claim(&ck->ckp_journal, path, begun == NULL, &other);
	free(path);
	free(real);
	if (error == 0)
		return (begun == NULL ? 0 : checkpoint_read(ck, begun));
	if (error == EBUSY)
		(void)refuse(ck, "%s is measuring for this file: wait for it, "
		    "or name another file", other > 0 ? FORMATF("process %ld",
		    (long)other) : "another process");
	else if (error == EINVAL || error == ELOOP || error == EMLINK ||
	    error == EISDIR || error == ENXIO)
		(void)refuse(ck, "not a regular file, but repeats are to be "
		    "kept there: move it away");
	else
		snprintf(why, CELL_ERROR_SIZE, "%.600s: %s", begun == NULL ?
		    file : ck->ckp_journal.jo_path, strerror(error));
	return (error);
}

/* Refuses what is otherwise than it was; names the first key. */
static int
check_same(struct checkpoint *ck, json_t *now, const json_t *before,
    const char *what)
{
	char *is, *old;
	const char *key;
	json_t *value;
	int error = 0;
	size_t n = 0;

	json_object_foreach(now, key, value) {
		if (json_equal(value, json_object_get(before, key)))
			continue;
		is = json_dumps(value, JSON_ENCODE_ANY);
		old = json_dumps(json_object_get(before, key), JSON_ENCODE_ANY);
		/* Of long texts the place where they differ. */
		while (old != NULL && is[n] != '\0' && is[n] == old[n])
			n++;
		n = n > 120 ? n - 60 : 0;
		error = refuse(ck, "%s: %s is %.255s, was %.255s: expected to "
		    "go on as it began, or no --resume", what, key, is + n,
		    old == NULL ? "unknown" : old + n);
		free(is);
		free(old);
		break;
	}
	return (error);
}

/* Compares the first line with this run. */
static int
check_head(struct checkpoint *ck)
{
	struct result *r = ck->ckp_run->sw_result;
	const char *started = "";
	json_t *now;
	double is, was;
	int error;

	/* Measured, and so never twice the same. */
	json_unpack(ck->ckp_head, "{s:F, s:s, s:{s?F, s?F}}", "cycles_per_us",
	    &was, "started", &started, "host", "clock_ns", &r->host.clock_ns,
	    "profile_ns", &r->host.profile_ns);
	TEXT_SET(r->started, started);
	now = head_format(ck->ckp_run->sw_options, r);
	is = json_number_value(json_object_get(now, "cycles_per_us"));
	json_object_del(now, "cycles_per_us");
	ck->ckp_line = 0;
	error = check_same(ck, json_object_get(now, "host"),
	    json_object_get(ck->ckp_head, "host"),
	    "begun on another host, or by another program");
	if (error == 0)
		error = check_same(ck, now, ck->ckp_head,
		    "the same arguments mean something else now");
	if (error == 0 && fabs(is - was) > cycles_max_share * was)
		error = refuse(ck, "begun on another host: its cycle counter "
		    "ran at %.1f MHz, this one runs at %.1f", was, is);
	json_decref(now);
	ck->ckp_line = 1;
	return (error);
}

static int
take_repeat(struct checkpoint *ck, struct sweep_cell *sc, const json_t *measure)
{
	struct cell_measure *cm = xmalloc(sizeof(*cm));
	char why[RESULT_TEXT_SIZE];
	int error = repeat_load(measure, sc->sc_cell.ce_readers, cm, why);

	if (error == 0)
		summary_add(sc, cm);
	else {
		(void)refuse(ck, "%s", why);
		cell_measure_free(cm);
	}
	free(cm);
	ck->ckp_before += error == 0;
	return (error);
}

static int
take_drawn(struct checkpoint *ck, const json_t *figures, double *drawn)
{
	const struct field_type *ft = &field_types[FIELD_REAL];
	json_t *v;
	size_t q;

	json_array_foreach(figures, q, v) {
		if (q == QUANTITIES || !json_is_number(v) ||
		    json_number_value(v) < ft->ft_low ||
		    json_number_value(v) > ft->ft_high)
			break;
		drawn[q] = json_number_value(v);
	}
	if (q != QUANTITIES || json_array_size(figures) != QUANTITIES)
		return (refuse(ck, "drawn: not %d figures", QUANTITIES));
	ck->ckp_drawn++;
	return (0);
}

static int
take_line(struct checkpoint *ck, json_t *record)
{
	const struct sweeping *sw = ck->ckp_run;
	struct result *r = sw->sw_result;
	const json_t *resumed = json_object_get(record, "resumed");
	const json_t *drawn = NULL, *measure = NULL;
	struct result_resumed rr = { .order = 0 };
	json_int_t cell = -1, round = -1;
	char why[RESULT_TEXT_SIZE];
	int error;

	if (resumed != NULL) {
		if (field_read(result_resumed_fields, resumed, &rr, 0, why) !=
		    0)
			return (refuse(ck, "%s", why));
		*ARRAY_ADD(r->resumed, r->resumed_count) = rr;
		return (0);
	}
	(void)json_unpack(record, "{s?I, s?I, s?o, s?o}", "cell", &cell,
	    "repeat", &round, "measure", &measure, "drawn", &drawn);
	if (drawn == NULL && measure == NULL)
		return (refuse(ck, "of no known kind"));
	if (cell < 0 || cell >= (drawn != NULL ? sw->sw_grid : sw->sw_count) ||
	    round < 0 || round >= sw->sw_rounds ||
	    (drawn != NULL) != (round >= sw->sw_options->op_repeats) ||
	    sw->sw_cells[cell].sc_result.samples == NULL ||
	    *grid_has(sw, (unsigned)cell, (unsigned)round))
		return (refuse(ck, "a repeat that this run does not have"));
	error = drawn != NULL ? take_drawn(ck, drawn, grid_drawn(sw,
	    (unsigned)cell, (unsigned)round)) :
	    take_repeat(ck, &sw->sw_cells[cell], measure);
	*grid_has(sw, (unsigned)cell, (unsigned)round) = error == 0;
	return (error);
}

/* Frees record; kept is for the first line only. */
static int
add(struct checkpoint *ck, json_t *record, bool *kept)
{
	char *text = json_document(record, JSON_COMPACT |
	    JSON_REAL_PRECISION(REPEAT_JSON_DIGITS));
	const int error = kept != NULL ? journal_begin(&ck->ckp_journal, text,
	    kept) : journal_add(&ck->ckp_journal, text);

	free(text);
	if (error != 0)
		snprintf(ck->ckp_why, CELL_ERROR_SIZE, "%.600s: %s, writing "
		    "its journal", ck->ckp_file, strerror(error));
	return (error);
}

int
checkpoint_begin(struct checkpoint *ck, struct sweeping *sw)
{
	const struct options *op = sw->sw_options;
	const char *line, *path = ck->ckp_journal.jo_path;
	json_error_t where;
	bool kept = false;
	json_t *record;
	unsigned own = 0;
	size_t len;
	int error;

	ck->ckp_why = sw->sw_error;
	ck->ckp_run = sw;
	/* A simulation can be repeated, and takes less time than a sync. */
	if (op->op_simulated)
		ck->ckp_journal.jo_patience_ns = simulated_patience_ns;
	if (ck->ckp_head == NULL) {
		error = add(ck, head_format(op, sw->sw_result), &kept);
		if (error == 0 && kept)
			run_note("%s of a run that was not finished is kept as "
			    "%s.old; --resume %s would have continued it", path,
			    path, ck->ckp_file);
		return (error);
	}
	error = check_head(ck);
	while (error == 0 && (line = next_line(ck, &len)) != NULL) {
		record = json_read(line, len, &where);
		error = record == NULL ? refuse(ck, "damaged: the run cannot "
		    "be resumed") : take_line(ck, record);
		json_decref(record);
	}
	if (error == 0 && (error = journal_continue(&ck->ckp_journal)) != 0)
		(void)refuse(ck, "%s", strerror(error));
	for (unsigned i = 0; i < sw->sw_count; i++)
		own += sw->sw_cells[i].sc_result.samples != NULL;
	if (error == 0)
		run_note("%s: %u of %u repeats were there%s", ck->ckp_file,
		    ck->ckp_before, own * op->op_repeats,
		    op->op_uncertainty == 0 ? "" : FORMATF(", and %u runs with "
		    "drawn profiles", ck->ckp_drawn));
	return (error);
}

/* Frees record.  Notes before it, once, that the run was resumed. */
static int
add_done(struct checkpoint *ck, json_t *record)
{
	struct result_resumed now = { .order = ck->ckp_before };
	struct result *r = ck->ckp_run->sw_result;
	int error = 0;

	if (ck->ckp_head != NULL && ck->ckp_done == 0) {
		result_now(now.at);
		error = add(ck, json_pack("{s:o}", "resumed", field_format(
		    result_resumed_fields, &now, 0)), NULL);
		*ARRAY_ADD(r->resumed, r->resumed_count) = now;
	}
	if (error == 0)
		error = add(ck, json_incref(record), NULL);
	json_decref(record);
	ck->ckp_done += error == 0;
	return (error);
}

int
checkpoint_take(struct sweeping *sw, unsigned cell, unsigned round,
    unsigned order, struct cell_measure *cm)
{
	const bool repeat = round < sw->sw_options->op_repeats;
	struct sweep_cell *sc = &sw->sw_cells[cell];
	const unsigned readers = sc->sc_cell.ce_readers;
	struct checkpoint *ck = sw->sw_checkpoint;
	json_t *figures = json_array();
	int error = 0;

	if (repeat)
		summary_sample(&sc->sc_cell, cm, order);
	/* A run with a drawn profile leaves its figures only. */
	for (unsigned q = 0; !repeat && q < QUANTITIES; q++) {
		grid_drawn(sw, cell, round)[q] = quantity_raw(&quantities[q],
		    &cm->cm_sample, readers);
		json_array_append_new(figures,
		    json_real(grid_drawn(sw, cell, round)[q]));
	}
	if (ck != NULL)
		error = add_done(ck, json_pack("{s:i, s:i, s:o}", "cell",
		    (int)cell, "repeat", (int)round, repeat ? "measure" :
		    "drawn", repeat ? field_format(repeat_fields, cm, readers) :
		    json_incref(figures)));
	json_decref(figures);
	if (error == 0 && repeat)
		summary_add(sc, cm);
	else
		cell_measure_free(cm);
	*grid_has(sw, cell, round) = error == 0;
	return (error);
}

int
checkpoint_close(struct checkpoint *ck, bool keep)
{
	int error = 0;

	if (!keep && ck->ckp_journal.jo_fd != -1)
		error = journal_remove(&ck->ckp_journal);
	journal_close(&ck->ckp_journal);
	json_decref(ck->ckp_head);
	*ck = (struct checkpoint){ .ckp_journal.jo_fd = -1 };
	return (error);
}
