#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/options/option_resume.h"
#include "bench/result/json_text.h"
#include "bench/result/result_part.h"
#include "bench/sweep/checkpoint_read.h"
#include "bench/sweep/repeat_json.h"
#include "lib/kassert.h"

/* More is another counter, less what measuring it is off by. */
static const double cycles_max_share = 0.05;

/* A journal being taken up. */
struct taking_up {
	struct checkpoint *tu_checkpoint;
	struct result	*tu_result;
	struct sweep_cell *tu_cells;
	unsigned	 tu_count;
	struct journal_reader tu_reader;
	char		*tu_error;	/* CELL_ERROR_SIZE bytes */
};

void
checkpoint_what(const struct cell *ce, char what[CHECKPOINT_WHAT_SIZE])
{

	snprintf(what, CHECKPOINT_WHAT_SIZE, "%s %s %s, %u readers, %" PRIu64
	    " bytes", ce->ce_design, ce->ce_lock, ce->ce_cipher->ci_name,
	    ce->ce_readers, ce->ce_request_bytes);
}

int
checkpoint_note(struct result *r, const struct result_resumed *rr)
{
	struct result_resumed *grown;

	grown = realloc(r->resumed, (r->resumed_count + 1) * sizeof(*grown));
	if (grown == NULL)
		return (ENOMEM);
	r->resumed = grown;
	grown[r->resumed_count++] = *rr;
	return (0);
}

void
checkpoint_head_free(struct checkpoint_head *head)
{

	json_decref(head->ch_record);
	options_free_words(head->ch_argv);
	memset(head, 0, sizeof(*head));
}

/* What word_format() made; NULL for anything else. */
static char *
word_load(const json_t *j)
{
	const char *hex, *text = json_string_value(j);
	unsigned byte;
	size_t i, n;
	char *word;

	if (text != NULL)
		return (strdup(text));
	hex = json_string_value(json_object_get(j, "bytes"));
	n = hex == NULL ? 1 : strlen(hex);
	if (n % 2 != 0 || strspn(hex, "0123456789abcdef") != n)
		return (NULL);
	word = calloc(n / 2 + 1, 1);
	for (i = 0; word != NULL && i < n / 2; i++) {
		if (sscanf(hex + 2 * i, "%2x", &byte) != 1 || byte == 0) {
			free(word);
			return (NULL);
		}
		word[i] = (char)byte;
	}
	return (word);
}

static char **
words_load(const json_t *array)
{
	size_t i, n = json_array_size(array);
	char **words;

	words = calloc(n + 1, sizeof(*words));
	for (i = 0; words != NULL && i < n; i++) {
		words[i] = word_load(json_array_get(array, i));
		if (words[i] == NULL) {
			options_free_words(words);
			return (NULL);
		}
	}
	return (words);
}

/* The first record as what it should be. */
static int
head_load(const char *text, struct checkpoint_head *head, const char *path,
    char why[CHECKPOINT_ERROR_SIZE])
{
	const char *schema;

	head->ch_record = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	schema = json_string_value(json_object_get(head->ch_record,
	    "schema"));
	if (schema == NULL || strcmp(schema, CHECKPOINT_SCHEMA) != 0) {
		snprintf(why, CHECKPOINT_ERROR_SIZE, "%.600s: line 1: schema "
		    "\"%.32s\", expected \"%s\": what another version of the "
		    "program began it can finish", path, schema == NULL ? "" :
		    schema, CHECKPOINT_SCHEMA);
		return (EINVAL);
	}
	head->ch_argv = words_load(json_object_get(head->ch_record, "argv"));
	if (head->ch_argv == NULL || head->ch_argv[0] == NULL ||
	    repeat_json_load_word(head->ch_record, "seed", &head->ch_seed) !=
	    0) {
		snprintf(why, CHECKPOINT_ERROR_SIZE, "%.600s: line 1: argv or "
		    "seed is missing", path);
		return (EINVAL);
	}
	return (0);
}

int
checkpoint_peek_open(int fd, const char *path, struct checkpoint_head *head,
    char why[CHECKPOINT_ERROR_SIZE])
{
	struct journal_reader jr;
	bool more = false;
	int error;

	memset(head, 0, sizeof(*head));
	journal_rewind(&jr, fd);
	error = journal_next(&jr, &more);
	if (error == EINVAL)
		snprintf(why, CHECKPOINT_ERROR_SIZE, "%.600s: line 1 is "
		    "damaged", path);
	else if (error != 0)
		snprintf(why, CHECKPOINT_ERROR_SIZE, "%.600s: %s", path,
		    strerror(error));
	else if (!more)
		snprintf(why, CHECKPOINT_ERROR_SIZE, "%.600s: the run ended "
		    "before anything was measured: begin it again", path);
	else
		error = head_load(jr.jr_text, head, path, why);
	journal_reader_free(&jr);
	if (error == 0 && !more)
		error = EINVAL;
	if (error != 0)
		checkpoint_head_free(head);
	return (error);
}

int
checkpoint_peek(const char *real, struct checkpoint_head *head,
    char why[CHECKPOINT_ERROR_SIZE])
{
	char *path = journal_path(real);
	int error, fd;

	memset(head, 0, sizeof(*head));
	if (path == NULL) {
		snprintf(why, CHECKPOINT_ERROR_SIZE, "no memory");
		return (ENOMEM);
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd == -1) {
		error = errno;
		snprintf(why, CHECKPOINT_ERROR_SIZE, "%.600s: %s", path,
		    strerror(error));
	} else {
		error = checkpoint_peek_open(fd, path, head, why);
		close(fd);
	}
	free(path);
	return (error);
}

static int __attribute__((format(printf, 2, 3)))
refuse(const struct taking_up *tu, const char *fmt, ...)
{
	const char *path = tu->tu_checkpoint->ck_journal.jo_path;
	va_list ap;
	int n;

	n = snprintf(tu->tu_error, CELL_ERROR_SIZE, "%.300s: ", path);
	va_start(ap, fmt);
	vsnprintf(tu->tu_error + n, (size_t)(CELL_ERROR_SIZE - n), fmt, ap);
	va_end(ap);
	return (EINVAL);
}

static int
damaged(const struct taking_up *tu, const char *what)
{

	return (refuse(tu, "line %" PRIu64 "%s%s", tu->tu_reader.jr_line,
	    what[0] == '\0' ? " is damaged" : ": ", what));
}

/* The first key whose values are not the same in both; or NULL. */
static const char *
first_difference(json_t *a, json_t *b, char va[RESULT_TEXT_SIZE],
    char vb[RESULT_TEXT_SIZE])
{
	const char *key;
	json_t *value;
	char *text;

	json_object_foreach(a, key, value) {
		if (json_equal(value, json_object_get(b, key)))
			continue;
		text = json_text(value, JSON_ENCODE_ANY | JSON_COMPACT);
		snprintf(va, RESULT_TEXT_SIZE, "%s", text == NULL ? "" : text);
		free(text);
		text = json_text(json_object_get(b, key), JSON_ENCODE_ANY |
		    JSON_COMPACT);
		snprintf(vb, RESULT_TEXT_SIZE, "%s", text == NULL ? "unknown" :
		    text);
		free(text);
		return (key);
	}
	return (NULL);
}

/* What it was measured on must be what it goes on being measured on. */
static int
check_host(const struct taking_up *tu, const json_t *head)
{
	char then[RESULT_TEXT_SIZE], now[RESULT_TEXT_SIZE];
	json_t *was = json_object_get(head, "host");
	struct value_at at = { .va_error = now };
	struct result *r = tu->tu_result;
	struct result_host host;
	const char *key;
	json_t *is;
	int error = 0;

	memset(&host, 0, sizeof(host));
	if (value_fields(&at, was, result_field_host, &host) != 0)
		return (refuse(tu, "line 1: host.%s", now));
	/* Measured, and so never twice the same. */
	r->host.clock_ns = host.clock_ns;
	r->host.profile_ns = host.profile_ns;
	is = result_part_format(result_field_host, &r->host);
	if (is == NULL)
		return (refuse(tu, "no memory"));
	key = first_difference(is, was, now, then);
	if (key != NULL)
		error = refuse(tu, "begun on another host, or by another "
		    "program: %s is %s, was %s", key, now, then);
	/* The key is in it. */
	json_decref(is);
	return (error);
}

static int
check_options(const struct taking_up *tu, const struct options *op,
    json_t *head)
{
	char then[RESULT_TEXT_SIZE], now[RESULT_TEXT_SIZE];
	json_t *is = options_describe(op);
	const char *key;
	int error = 0;

	if (is == NULL)
		return (refuse(tu, "no memory"));
	key = first_difference(is, json_object_get(head, "options"), now,
	    then);
	if (key != NULL)
		error = refuse(tu, "the same arguments mean something else "
		    "now: %s is %s, was %s", key, now, then);
	json_decref(is);
	return (error);
}

static int
check_head(const struct taking_up *tu, const struct options *op,
    double cycles_per_us, json_t *head)
{
	double was = json_number_value(json_object_get(head, "cycles_per_us"));
	const char *started = json_string_value(json_object_get(head,
	    "started"));
	int error;

	if (!json_equal(head, tu->tu_checkpoint->ck_head))
		return (refuse(tu, "another run began in the meantime"));
	error = check_host(tu, head);
	if (error == 0)
		error = check_options(tu, op, head);
	if (error == 0 && started == NULL)
		error = refuse(tu, "line 1: started is missing");
	if (error == 0 && fabs(cycles_per_us - was) > cycles_max_share * was)
		error = refuse(tu, "begun on another host: its cycle counter "
		    "goes at %.1f MHz, not at %.1f", was, cycles_per_us);
	if (error == 0)
		snprintf(tu->tu_result->started, RESULT_NAME_SIZE, "%s",
		    started);
	return (error);
}

/* A member that numbers something, from 0; or -1. */
static json_int_t
number_of(const json_t *object, const char *key)
{
	const json_t *j = json_object_get(object, key);

	return (json_is_integer(j) ? json_integer_value(j) : -1);
}

static int
take_repeat(struct taking_up *tu, const json_t *record)
{
	struct checkpoint *ck = tu->tu_checkpoint;
	const char *what = json_string_value(json_object_get(record, "what"));
	json_int_t cell, repeat;
	char text[CHECKPOINT_WHAT_SIZE], why[RESULT_TEXT_SIZE];
	struct sweep_cell *sc;
	struct cell_measure *cm;
	int error;

	cell = number_of(record, "cell");
	repeat = number_of(record, "repeat");
	if (cell < 0 || cell >= (json_int_t)tu->tu_count || repeat < 0 ||
	    repeat >= (json_int_t)ck->ck_repeats ||
	    checkpoint_has(ck, (unsigned)cell, (unsigned)repeat))
		return (damaged(tu, "a repeat that this run does not have"));
	sc = &tu->tu_cells[cell];
	checkpoint_what(&sc->sc_cell, text);
	if (what == NULL || strcmp(what, text) != 0)
		return (damaged(tu, "of another cell than its number says"));
	cm = malloc(sizeof(*cm));
	if (cm == NULL)
		return (refuse(tu, "no memory"));
	error = repeat_json_load(json_object_get(record, "measure"),
	    sc->sc_cell.ce_readers, cm, why);
	if (error == 0) {
		error = summary_add(sc, cm, cm->cm_sample.order);
		if (error != 0)
			refuse(tu, "no memory");
	} else {
		cell_measure_free(cm);
		damaged(tu, why);
	}
	free(cm);
	if (error != 0)
		return (error);
	ck->ck_has[(size_t)cell * ck->ck_repeats + (size_t)repeat] = true;
	ck->ck_before++;
	return (0);
}

static int
take_draw(struct taking_up *tu, const json_t *draw)
{
	struct checkpoint *ck = tu->tu_checkpoint;
	json_int_t cell, sample;
	double total, harvest;
	char why[RESULT_TEXT_SIZE];
	struct value_at at = { .va_error = why };
	struct checkpoint_draw *grown;

	cell = number_of(draw, "cell");
	sample = number_of(draw, "sample");
	if (cell < 0 || cell >= (json_int_t)tu->tu_count || sample < 0 ||
	    sample > INT32_MAX)
		return (damaged(tu, "a draw that this run does not have"));
	if (value_real(&at, json_object_get(draw, "total_mb_per_s"),
	    "total_mb_per_s", &total) != 0 ||
	    value_real(&at, json_object_get(draw, "harvest_cpu_percent"),
	    "harvest_cpu_percent", &harvest) != 0)
		return (damaged(tu, why));
	if (ck->ck_draw_count == ck->ck_draw_room) {
		ck->ck_draw_room = 2 * ck->ck_draw_room + 64;
		grown = realloc(ck->ck_draws, ck->ck_draw_room *
		    sizeof(*grown));
		if (grown == NULL)
			return (refuse(tu, "no memory"));
		ck->ck_draws = grown;
	}
	ck->ck_draws[ck->ck_draw_count++] = (struct checkpoint_draw){
		.cd_cell = (unsigned)cell,
		.cd_sample = (unsigned)sample,
		.cd_total = total,
		.cd_harvest = harvest,
	};
	return (0);
}

static int
take_sitting(struct taking_up *tu, const json_t *object)
{
	char why[RESULT_TEXT_SIZE];
	struct value_at at = { .va_error = why };
	struct result_resumed rr;

	memset(&rr, 0, sizeof(rr));
	if (value_fields(&at, object, result_field_resumed, &rr) != 0)
		return (damaged(tu, why));
	return (checkpoint_note(tu->tu_result, &rr) == 0 ? 0 :
	    refuse(tu, "no memory"));
}

static int
take_record(struct taking_up *tu, const char *text)
{
	json_t *record = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	const json_t *part;
	int error;

	if (record == NULL)
		return (damaged(tu, "no JSON"));
	if (json_object_get(record, "measure") != NULL)
		error = take_repeat(tu, record);
	else if ((part = json_object_get(record, "draw")) != NULL)
		error = take_draw(tu, part);
	else if ((part = json_object_get(record, "resumed")) != NULL)
		error = take_sitting(tu, part);
	else
		error = damaged(tu, "of no known kind");
	json_decref(record);
	return (error);
}

static int
take_first(struct taking_up *tu, const struct options *op,
    double cycles_per_us)
{
	json_t *head = json_loads(tu->tu_reader.jr_text,
	    JSON_REJECT_DUPLICATES, NULL);
	int error;

	error = check_head(tu, op, cycles_per_us, head);
	json_decref(head);
	return (error);
}

int
checkpoint_take_up(struct checkpoint *ck, const struct options *op,
    struct result *r, double cycles_per_us, struct sweep_cell *cells,
    unsigned count, char error_text[CELL_ERROR_SIZE])
{
	struct taking_up tu = { .tu_checkpoint = ck, .tu_result = r,
	    .tu_cells = cells, .tu_count = count, .tu_error = error_text };
	struct journal_reader *jr = &tu.tu_reader;
	bool more = true;
	int error = 0;

	journal_rewind(jr, ck->ck_journal.jo_fd);
	while (error == 0 && more) {
		error = journal_next(jr, &more);
		if (error == EINVAL)
			refuse(&tu, "line %" PRIu64 " is damaged: the run "
			    "cannot be gone on with", jr->jr_line + 1);
		else if (error != 0)
			refuse(&tu, "%s", strerror(error));
		else if (more)
			error = jr->jr_line == 1 ? take_first(&tu, op,
			    cycles_per_us) : take_record(&tu, jr->jr_text);
	}
	if (error == 0 && jr->jr_line == 0)
		error = refuse(&tu, "another run began in the meantime");
	if (error == 0) {
		error = journal_settle(&ck->ck_journal, jr);
		if (error != 0)
			refuse(&tu, "%s", strerror(error));
	}
	journal_reader_free(jr);
	return (error);
}
