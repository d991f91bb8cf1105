#include "bench/campaign/campaign.h"
#include "bench/explore/print.h"
#include "bench/kernel/ksource.h"

#define	AT(member)	offsetof(struct document, member)
#define	ONE(of, member, kind)						\
	{ .f_key = #member, .f_kind = FIELD_##kind, .f_offset = AT(of member) }
#define	LIST(of, member, n, structure, optional)			\
	{ .f_key = #member, .f_kind = FIELD_OBJECT, .f_offset = AT(of member), \
	    .f_shape = FIELD_ARRAY, .f_count_key = #n, .f_count = AT(of n), \
	    .f_size = sizeof(struct structure),				\
	    .f_table = structure##_fields, .f_optional = optional }

/* All but the failures, which follow. */
static const struct field document_fields[] = {
	ONE(, schema, NAME), ONE(head., argv, WORDS), ONE(head., seed, SEED),
	ONE(head., complete, BOOL), ONE(head., started, NAME),
	ONE(head.host., revision, NAME),
	LIST(, rows, row_count, campaign_row, false),
	LIST(head., kernels, kernel_count, result_kernel, true),
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
	*doc = (struct document){ .schema = EXPLORE_SCHEMA, .head.seed = seed,
	    .failures = json_array() };
	result_host_fill(&doc->head.host);
	ksource_describe(&doc->head);
	result_now(doc->head.started);
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
document_end(struct document *doc, char *const argv[], const char *path)
{
	int status = 0;
	json_t *top;
	char *text;

	if (path != NULL) {
		doc->head.argv = (char **)(uintptr_t)argv;
		top = field_format(document_fields, doc, 0);
		json_object_set(top, "failures", doc->failures);
		text = json_document(top, JSON_INDENT(2));
		status = command_commit(path, text, strlen(text));
		free(text);
	}
	doc->head.argv = NULL;
	field_free(document_fields, doc);
	json_decref(doc->failures);
	return (status);
}

bool
document_again(const struct options *op, char *const argv[], int *status)
{
	struct document doc = { .failures = NULL };
	char why[RESULT_TEXT_SIZE];
	json_t *top;
	bool again;

	if (op->op_part_of == 0 || op->op_json == NULL)
		return (false);
	top = json_load_file(op->op_json, 0, NULL);
	again = field_read(document_fields, top, &doc, 0, why) == 0 &&
	    doc.head.complete && field_same_words(argv, doc.head.argv);
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
	struct document doc = { .failures = NULL };
	char why[RESULT_TEXT_SIZE] = "";
	json_error_t wrong;
	json_t *it, *top = json_load_file(file, JSON_REJECT_DUPLICATES, &wrong);
	size_t i;

	if (top == NULL)
		TEXT_SET(why, wrong.text);
	else if (strcmp(text_of(top, "schema"), EXPLORE_SCHEMA) != 0)
		snprintf(why, sizeof(why), "expected schema " EXPLORE_SCHEMA);
	else
		(void)field_read(document_fields, top, &doc, 0, why);
	if (why[0] != '\0') {
		mg->mg_refused++;
		(void)run_error("%s: %s", file, why);
	} else if (merge_take(mg, file, &doc.head, 0) == 0) {
		result_free(&doc.head);
		field_merge(document_fields, sum, &doc);
		json_array_foreach(json_object_get(top, "failures"), i, it)
			add_failure(sum->failures, it);
	}
	field_free(document_fields, &doc);
	json_decref(top);
}

int
merge_campaigns(const struct options *op)
{
	struct merge mg = { .mg_across = GIVEN(op, ACROSS) };
	struct document sum = { .schema = EXPLORE_SCHEMA,
	    .failures = json_array() };
	uint64_t least = UINT64_MAX;
	char **argv = NULL;
	int status;
	json_t *it;
	size_t i;

	for (int k = 0; k < op->op_operands; k++)
		take(&mg, op->op_operand[k], &sum);
	if ((status = merge_missing(&mg)) == 0) {
		argv = mg.mg_all.argv;
		result_free(&sum.head);
		sum.head = mg.mg_all;
		mg.mg_all = (struct result){ .argv = argv };
		printf("%-10s %-12s %-8s %13s\n", "design", "lock", "cipher",
		    "schedules");
		for (i = 0; i < sum.row_count; i++) {
			printf("%-10s %-12s %-8s %13" PRIu64 "\n",
			    sum.rows[i].design, sum.rows[i].lock,
			    sum.rows[i].cipher, sum.rows[i].schedules);
			least = MIN(least, sum.rows[i].schedules);
		}
		putchar('\n');
		json_array_foreach(sum.failures, i, it)
			format_wrapf(stdout, FORMATF("FAILED %s:", text_of(it,
			    "word")), 2, "broken rule: %s; design %s, lock %s, "
			    "%s, schedule %" JSON_INTEGER_FORMAT ".",
			    text_of(it, "sentence"), text_of(it, "design"),
			    text_of(it, "lock"), text_of(it, "cipher"),
			    json_integer_value(json_object_get(it, "number")));
		if (i > 0)
			status = EXIT_FAILURE;
		else if (sum.row_count > 0 && least > 0)
			explore_print_excluded(stdout, least, true);
	}
	if (document_end(&sum, argv, argv == NULL ? NULL : op->op_output) != 0)
		status = EXIT_FAILURE;
	merge_free(&mg);
	return (status);
}
