#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/options/option_resume.h"
#include "bench/result/json_text.h"
#include "bench/result/result_part.h"
#include "bench/sweep/checkpoint.h"
#include "bench/sweep/checkpoint_read.h"
#include "bench/sweep/repeat_json.h"
#include "lib/kassert.h"
#include "lib/tick.h"

static const char suffix_temp[] = ".tmp";

static const int64_t simulated_patience_ns = 100 * NS_PER_MS;

static char *
record_text(json_t *record)
{
	char *text = NULL;

	if (record != NULL)
		text = json_text(record, JSON_COMPACT |
		    JSON_REAL_PRECISION(REPEAT_JSON_DIGITS));
	json_decref(record);
	return (text);
}

/* A word of a command line; what is not UTF-8 as its bytes in hexadecimal. */
static json_t *
word_format(const char *word)
{
	size_t i, len = strlen(word);
	json_t *text = json_string(word);
	char *hex;

	if (text != NULL)
		return (text);
	hex = malloc(2 * len + 1);
	for (i = 0; hex != NULL && i < len; i++)
		snprintf(hex + 2 * i, 3, "%02x", (unsigned char)word[i]);
	if (hex != NULL)
		text = json_pack("{s:s}", "bytes", hex);
	free(hex);
	return (text);
}

static json_t *
words_format(char *const *words)
{
	json_t *array = json_array();

	for (; array != NULL && words != NULL && *words != NULL; words++)
		if (json_array_append_new(array, word_format(*words)) != 0) {
			json_decref(array);
			return (NULL);
		}
	return (array);
}

/* How the cycle counter goes on the machine that measures. */
static double
cycles_per_us(const struct options *op)
{

	return (op->op_simulated ? 0 :
	    (double)tick_ns_to_cycles(NS_PER_S) / 1e6);
}

static json_t *
head_format(const struct options *op, const struct result *r)
{

	return (json_pack("{s:s, s:o, s:o, s:s, s:o, s:f, s:o}",
	    "schema", CHECKPOINT_SCHEMA, "argv", words_format(r->argv),
	    "seed", repeat_json_word(op->op_seed), "started", r->started,
	    "host", result_part_format(result_field_host, &r->host),
	    "cycles_per_us", cycles_per_us(op), "options",
	    options_describe(op)));
}

int
checkpoint_claim(struct checkpoint *ck, const char *file, const char *real,
    const struct checkpoint_head *head, char why[CHECKPOINT_ERROR_SIZE])
{
	char *path = journal_path(real);
	pid_t other;
	int error;

	*ck = (struct checkpoint){ .ck_file = file, .ck_journal.jo_fd = -1 };
	if (path == NULL) {
		snprintf(why, CHECKPOINT_ERROR_SIZE, "no memory");
		return (ENOMEM);
	}
	if (head != NULL)
		ck->ck_head = head->ch_record;
	error = journal_claim(&ck->ck_journal, path, head == NULL, &other);
	if (error == EBUSY && other > 0)
		snprintf(why, CHECKPOINT_ERROR_SIZE, "%s: process %ld is "
		    "measuring for this file: wait for it, or name another "
		    "file", path, (long)other);
	else if (error == EBUSY)
		snprintf(why, CHECKPOINT_ERROR_SIZE, "%s: another process is "
		    "measuring for this file", path);
	else if (error == EINVAL || error == ELOOP || error == EMLINK ||
	    error == EISDIR || error == ENXIO)
		snprintf(why, CHECKPOINT_ERROR_SIZE, "%s: not a regular file, "
		    "and what is measured should be kept there: move it away",
		    path);
	else if (error != 0)
		snprintf(why, CHECKPOINT_ERROR_SIZE, "%s: %s", file,
		    strerror(error));
	free(path);
	return (error);
}

char *
checkpoint_temp(const struct checkpoint *ck)
{
	size_t size = strlen(ck->ck_journal.jo_path) + sizeof(suffix_temp);
	char *name = malloc(size);

	if (name != NULL)
		snprintf(name, size, "%s%s", ck->ck_journal.jo_path,
		    suffix_temp);
	return (name);
}

/* Says why a journal cannot be written. */
static int
failed(const struct checkpoint *ck, int error, char text[CELL_ERROR_SIZE])
{

	snprintf(text, CELL_ERROR_SIZE, "%.200s: %s, writing its journal",
	    ck->ck_file, strerror(error));
	return (error);
}

static int
begin_new(struct checkpoint *ck, const struct options *op, struct result *r,
    char error_text[CELL_ERROR_SIZE])
{
	char *text = record_text(head_format(op, r));
	bool kept;
	int error;

	if (text == NULL)
		return (failed(ck, ENOMEM, error_text));
	error = journal_begin(&ck->ck_journal, text, &kept);
	free(text);
	if (error == 0 && kept)
		fprintf(stderr, "rngsim: %s: %s of a run that was not finished "
		    "is kept as %s.old; --resume %s would have gone on with "
		    "it\n", op->op_command, ck->ck_journal.jo_path,
		    ck->ck_journal.jo_path, ck->ck_file);
	return (error == 0 ? 0 : failed(ck, error, error_text));
}

static int
go_on(struct checkpoint *ck, const struct options *op, struct result *r,
    struct sweep_cell *cells, unsigned count, char error_text[CELL_ERROR_SIZE])
{
	char draws[64] = "";
	int error;

	error = checkpoint_take_up(ck, op, r, cycles_per_us(op), cells, count,
	    error_text);
	if (error != 0)
		return (error);
	if (op->op_uncertainty > 0)
		snprintf(draws, sizeof(draws), ", and %u runs with drawn "
		    "profiles", ck->ck_draw_count);
	fprintf(stderr, "rngsim: %s: %s: %u of %u repeats were there%s\n",
	    op->op_command, ck->ck_file, ck->ck_before,
	    count * op->op_repeats, draws);
	return (0);
}

int
checkpoint_begin(struct checkpoint *ck, const struct options *op,
    struct result *r, struct sweep_cell *cells, unsigned count,
    char error[CELL_ERROR_SIZE])
{

	ck->ck_result = r;
	ck->ck_repeats = op->op_repeats;
	/* What was simulated can be had again, and took less than a sync. */
	if (op->op_simulated)
		ck->ck_journal.jo_patience_ns = simulated_patience_ns;
	ck->ck_has = calloc((size_t)count * op->op_repeats + 1,
	    sizeof(*ck->ck_has));
	if (ck->ck_has == NULL)
		return (failed(ck, ENOMEM, error));
	return (ck->ck_head == NULL ? begin_new(ck, op, r, error) :
	    go_on(ck, op, r, cells, count, error));
}

bool
checkpoint_has(const struct checkpoint *ck, unsigned cell, unsigned repeat)
{

	return (ck != NULL && ck->ck_has[(size_t)cell * ck->ck_repeats +
	    repeat]);
}

unsigned
checkpoint_repeats_before(const struct checkpoint *ck)
{

	return (ck == NULL ? 0 : ck->ck_before);
}

const struct checkpoint_draw *
checkpoint_draws(const struct checkpoint *ck, unsigned *count)
{

	*count = ck == NULL ? 0 : ck->ck_draw_count;
	return (ck == NULL ? NULL : ck->ck_draws);
}

static int
add(struct checkpoint *ck, json_t *record, char error_text[CELL_ERROR_SIZE])
{
	char *text = record_text(record);
	int error;

	if (text == NULL)
		return (failed(ck, ENOMEM, error_text));
	error = journal_add(&ck->ck_journal, text);
	free(text);
	return (error == 0 ? 0 : failed(ck, error, error_text));
}

/* That what comes now was measured in another sitting than what was there. */
static int
note_sitting(struct checkpoint *ck, char error_text[CELL_ERROR_SIZE])
{
	struct result_resumed now = { .order = ck->ck_before };
	int error;

	if (ck->ck_head == NULL || ck->ck_noted)
		return (0);
	result_now(now.at);
	error = add(ck, json_pack("{s:o}", "resumed", result_part_format(
	    result_field_resumed, &now)), error_text);
	if (error == 0 && checkpoint_note(ck->ck_result, &now) != 0)
		error = failed(ck, ENOMEM, error_text);
	ck->ck_noted = error == 0;
	return (error);
}

/* What has been measured. */
static int
add_done(struct checkpoint *ck, json_t *record,
    char error_text[CELL_ERROR_SIZE])
{
	int error;

	error = note_sitting(ck, error_text);
	if (error != 0) {
		json_decref(record);
		return (error);
	}
	error = add(ck, record, error_text);
	ck->ck_done += error == 0;
	return (error);
}

int
checkpoint_add(struct checkpoint *ck, const struct cell *ce, unsigned cell,
    unsigned repeat, unsigned order, struct cell_measure *cm,
    char error_text[CELL_ERROR_SIZE])
{
	char what[CHECKPOINT_WHAT_SIZE];

	if (ck == NULL)
		return (0);
	cm->cm_sample.order = order;
	checkpoint_what(ce, what);
	return (add_done(ck, json_pack("{s:s, s:i, s:i, s:o}", "what", what,
	    "cell", (int)cell, "repeat", (int)repeat, "measure",
	    repeat_json_format(cm, ce->ce_readers)), error_text));
}

int
checkpoint_add_draw(struct checkpoint *ck, const struct checkpoint_draw *cd,
    char error_text[CELL_ERROR_SIZE])
{

	if (ck == NULL)
		return (0);
	return (add_done(ck, json_pack("{s:{s:i, s:i, s:f, s:f}}", "draw",
	    "cell", (int)cd->cd_cell, "sample", (int)cd->cd_sample,
	    "total_mb_per_s", cd->cd_total, "harvest_cpu_percent",
	    cd->cd_harvest), error_text));
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
