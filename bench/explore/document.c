#include <inttypes.h>
#include <stdlib.h>

#include "bench/campaign/campaign.h"
#include "bench/cli/format.h"
#include "bench/cli/memory.h"
#include "bench/explore/print.h"
#include "bench/result/result.h"

#define	HEAD(member, kind)						\
	{ .f_key = #member, .f_kind = FIELD_##kind,			\
	    .f_offset = offsetof(struct document, member) }

/* All but the failures, which follow. */
static const struct field document_fields[] = {
	HEAD(schema, NAME),
	HEAD(argv, WORDS),
	HEAD(seed, SEED),
	HEAD(complete, BOOL),
	HEAD(started, NAME),
	HEAD(revision, NAME),
	{ .f_key = "rows", .f_kind = FIELD_OBJECT, .f_shape = FIELD_ARRAY,
	    .f_offset = offsetof(struct document, rows),
	    .f_count_key = "row_count",
	    .f_count = offsetof(struct document, row_count),
	    .f_size = sizeof(struct campaign_row),
	    .f_table = campaign_row_fields },
	{ .f_key = NULL }
};

static const char *
text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return (text != NULL ? text : "");
}

void
document_begin(struct document *doc, uint64_t seed)
{
	struct result_host *host = xcalloc(1, sizeof(*host));

	result_host_fill(host);
	*doc = (struct document){ .schema = EXPLORE_SCHEMA, .seed = seed,
	    .failures = json_array() };
	result_now(doc->started);
	memcpy(doc->revision, host->revision, sizeof(doc->revision));
	free(host);
}

void
document_row(struct document *doc, const struct campaign_row *row)
{
	doc->rows = xreallocarray(doc->rows, doc->row_count + 1, sizeof(*row));
	doc->rows[doc->row_count++] = *row;
}

void
document_failure(struct document *doc, const struct counterexample *cx,
    const struct outcome *to)
{
	const struct subject *tb = &cx->cx_subject;
	char *text = counterexample_text(cx);

	json_array_append_new(doc->failures, json_pack("{s:s, s:s, s:s, s:s, "
	    "s:s, s:I, s:o}", "design", tb->tb_design->de_ident, "lock",
	    tb->tb_lock->lc_name, "cipher", tb->tb_cipher->ci_name, "word",
	    to->to_word, "sentence", to->to_sentence, "number",
	    (json_int_t)cx->cx_number, "schedule", json_text_new(text)));
	free(text);
}

int
document_end(struct document *doc, char *const argv[], const char *path,
    struct atomic_file *of)
{
	int error = 0;
	json_t *top;
	char *text;

	if (path != NULL) {
		doc->argv = (char **)(uintptr_t)argv;
		top = field_format(document_fields, doc, 0);
		json_object_set(top, "failures", doc->failures);
		text = json_document(top, JSON_INDENT(2));
		error = atomic_file_commit(of, text, strlen(text));
		free(text);
	}
	doc->argv = NULL;
	field_free(document_fields, doc);
	json_decref(doc->failures);
	return (error == 0 ? 0 : run_error("%s: %s", path, strerror(error)));
}

bool
document_again(const struct options *op, char *const argv[], int *status)
{
	struct document doc = { .failures = NULL };
	char why[RESULT_TEXT_SIZE];
	bool again = false;
	json_t *top;
	unsigned i;

	if (op->op_part_of == 0 || op->op_json == NULL)
		return (false);
	top = json_load_file(op->op_json, 0, NULL);
	if (field_read(document_fields, top, &doc, 0, why) == 0) {
		for (i = 0; argv[i] != NULL && doc.argv[i] != NULL &&
		    strcmp(argv[i], doc.argv[i]) == 0; i++)
			continue;
		again = doc.complete && argv[i] == doc.argv[i];
	}
	*status = json_array_size(json_object_get(top, "failures")) > 0 ?
	    EXIT_FAILURE : EXIT_SUCCESS;
	if (again)
		run_note("%s is complete: nothing was run", op->op_json);
	field_free(document_fields, &doc);
	json_decref(top);
	return (again);
}

/* Adds a failure, unless there is one of the same subject and property. */
static void
add_failure(json_t *failures, json_t *it)
{
	static const char *const keys[] = { "design", "lock", "cipher", "word",
	    "sentence", NULL };
	json_t *known;
	unsigned i;
	size_t k;

	json_array_foreach(failures, k, known) {
		for (i = 0; keys[i] != NULL && strcmp(text_of(known, keys[i]),
		    text_of(it, keys[i])) == 0; i++)
			continue;
		if (keys[i] == NULL)
			return;
	}
	json_array_append(failures, it);
}

/* Adds one file to the sum. */
static void
take(struct merge *mg, const char *file, struct document *sum)
{
	struct result r = { .argv = NULL };
	json_error_t why;
	json_t *doc = json_load_file(file, JSON_REJECT_DUPLICATES, &why);

	top = json_load_file(file, JSON_REJECT_DUPLICATES, &wrong);
	if (top == NULL)
		snprintf(why, sizeof(why), "%s", wrong.text);
	else if (strcmp(text_of(top, "schema"), EXPLORE_SCHEMA) != 0)
		snprintf(why, sizeof(why), "expected schema " EXPLORE_SCHEMA);
	else
		(void)field_read(document_fields, top, &doc, 0, why);
	if (why[0] != '\0') {
		mg->mg_refused++;
		(void)run_error("%s: %s", file, why);
	} else {
		mh.mh_argv = doc.argv;
		doc.argv = NULL;
		mh.mh_seed = doc.seed;
		mh.mh_started = doc.started;
		mh.mh_revision = doc.revision;
		mh.mh_complete = doc.complete;
	}
	r.argv = read_argv(doc);
	r.seed = (uint64_t)json_integer_value(json_object_get(doc, "seed"));
	r.complete = json_is_true(json_object_get(doc, "complete"));
	snprintf(r.started, sizeof(r.started), "%s", text_of(doc, "started"));
	snprintf(r.host.revision, sizeof(r.host.revision), "%s",
	    text_of(doc, "revision"));
	if (merge_take(mg, file, &r, 0) == 0) {
		if (json_object_size(sum) == 0) {
			json_object_update(sum, doc);
			json_object_set_new(sum, "rows", json_array());
			json_object_set_new(sum, "failures", json_array());
		}
		field_merge(document_fields, sum, &doc);
		json_array_foreach(json_object_get(top, "failures"), i, it)
			add_failure(sum->failures, it);
	}
	result_free(&r);
	json_decref(doc);
}

static void
print(const struct document *sum)
{
	const struct campaign_row *row = sum->rows;
	uint64_t least = UINT64_MAX;
	json_t *it;
	size_t i;

	printf("%-10s %-12s %-8s %13s\n", "design", "lock", "cipher",
	    "schedules");
	for (; row < sum->rows + sum->row_count; row++) {
		least = row->schedules < least ? row->schedules : least;
		printf("%-10s %-12s %-8s %13" PRIu64 "\n", row->design,
		    row->lock, row->cipher, row->schedules);
	}
	putchar('\n');
	json_array_foreach(sum->failures, i, it)
		format_wrapf(stdout, FORMATF("FAILED %s:", text_of(it,
		    "word")), 2, "%s; design %s, lock %s, %s, schedule %"
		    JSON_INTEGER_FORMAT ".", text_of(it, "sentence"),
		    text_of(it, "design"), text_of(it, "lock"),
		    text_of(it, "cipher"), json_integer_value(
		    json_object_get(it, "number")));
	if (i == 0 && sum->row_count > 0 && least > 0)
		explore_print_excluded(stdout, least, true);
}

int
merge_campaigns(const struct options *op, struct atomic_file *of)
{
	struct merge mg = { .mg_across = GIVEN(op, ACROSS) };
	json_t *sum = json_object();
	int status;

	for (int i = 0; i < op->op_operands; i++)
		take(&mg, op->op_operand[i], &sum);
	status = merge_missing(&mg);
	if (status == 0) {
		json_object_set_new(sum, "argv", words_new(mg.mg_all.argv));
		json_object_set_new(sum, "started",
		    json_text_new(mg.mg_all.started));
		print(sum);
		if (json_array_size(json_object_get(sum, "failures")) > 0)
			status = EXIT_FAILURE;
		if (document_write(json_incref(sum), op->op_output, of) != 0)
			status = EXIT_FAILURE;
	}
	json_decref(sum);
	merge_free(&mg);
	return (status);
}
