#include <inttypes.h>
#include <stdlib.h>

#include "bench/campaign/campaign.h"
#include "bench/cli/format.h"
#include "bench/cli/memory.h"
#include "bench/explore/document.h"
#include "bench/explore/print.h"
#include "bench/result/result.h"

static const char *
text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return (text != NULL ? text : "");
}

static json_t *
words_new(char *const words[])
{
	json_t *array = json_array();

	for (unsigned i = 0; words[i] != NULL; i++)
		json_array_append_new(array, json_text_new(words[i]));
	return (array);
}

json_t *
document_new(char *const argv[], uint64_t seed)
{
	struct result_host *host = xcalloc(1, sizeof(*host));
	char now[RESULT_NAME_SIZE];
	json_t *doc;

	result_now(now);
	result_host_fill(host);
	doc = json_pack("{s:s, s:o, s:I, s:b, s:s, s:s, s:[], s:[]}",
	    "schema", EXPLORE_SCHEMA, "argv", words_new(argv), "seed",
	    (json_int_t)seed, "complete", 0, "started", now, "revision",
	    host->revision, "rows", "failures");
	free(host);
	return (doc);
}

void
document_row(json_t *doc, const struct campaign *cn,
    const struct campaign_result *ce)
{
	const struct subject *tb = &cn->cn_subject;

	json_array_append_new(json_object_get(doc, "rows"), json_pack("{s:s, "
	    "s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:f}",
	    "design", tb->tb_design->de_ident, "lock", tb->tb_lock->lc_name,
	    "cipher", tb->tb_cipher->ci_name,
	    "schedules", (json_int_t)ce->ce_schedules,
	    "steps", (json_int_t)ce->ce_steps,
	    "steps_most", (json_int_t)ce->ce_steps_most,
	    "reads", (json_int_t)ce->ce_reads,
	    "reseeds", (json_int_t)ce->ce_reseeds,
	    "blocks", (json_int_t)ce->ce_blocks, "cpu_s", ce->ce_seconds));
}

void
document_failure(json_t *doc, const struct counterexample *cx,
    const struct outcome *to)
{
	const struct subject *tb = &cx->cx_subject;
	char *text = counterexample_text(cx);

	json_array_append_new(json_object_get(doc, "failures"), json_pack(
	    "{s:s, s:s, s:s, s:s, s:s, s:I, s:o}", "design",
	    tb->tb_design->de_ident, "lock", tb->tb_lock->lc_name, "cipher",
	    tb->tb_cipher->ci_name, "word", to->to_word, "sentence",
	    to->to_sentence, "number", (json_int_t)cx->cx_number, "schedule",
	    json_text_new(text)));
	free(text);
}

int
document_write(json_t *doc, const char *path, struct atomic_file *of)
{
	char *text = json_document(doc, JSON_INDENT(2));
	int error;

	error = path == NULL ? 0 : atomic_file_commit(of, text, strlen(text));
	free(text);
	return (error == 0 ? 0 : run_error("%s: %s", path, strerror(error)));
}

bool
document_again(const struct options *op, char *const argv[], int *status)
{
	json_t *doc, *words;
	bool again;

	if (op->op_part_of == 0 || op->op_json == NULL)
		return (false);
	doc = json_load_file(op->op_json, 0, NULL);
	words = words_new(argv);
	again = json_is_true(json_object_get(doc, "complete")) &&
	    json_equal(words, json_object_get(doc, "argv"));
	*status = json_array_size(json_object_get(doc, "failures")) > 0 ?
	    EXIT_FAILURE : EXIT_SUCCESS;
	if (again)
		run_note("%s is complete: nothing was run", op->op_json);
	json_decref(words);
	json_decref(doc);
	return (again);
}

/* The row or failure of the same subject and property, or NULL. */
static json_t *
find(json_t *array, const json_t *it)
{
	static const char *const keys[] = { "design", "lock", "cipher", "word",
	    "sentence", NULL };
	json_t *known;
	unsigned i;
	size_t k;

	json_array_foreach(array, k, known) {
		for (i = 0; keys[i] != NULL && strcmp(text_of(known, keys[i]),
		    text_of(it, keys[i])) == 0; i++)
			continue;
		if (keys[i] == NULL)
			return (known);
	}
	return (NULL);
}

/* Adds the counts of a row. */
static void
add_counts(json_t *to, const json_t *from)
{
	json_int_t added, had;
	const char *key;
	json_t *a, *b;

	json_object_foreach(to, key, a) {
		b = json_object_get(from, key);
		had = json_integer_value(a);
		added = json_integer_value(b);
		if (json_is_real(a))
			json_real_set(a, json_real_value(a) +
			    json_real_value(b));
		else if (strcmp(key, "steps_most") != 0)
			json_integer_set(a, had + added);
		else if (added > had)
			json_integer_set(a, added);
	}
}

/* Adds a file's rows and failures, each subject and failure once. */
static void
add_document(json_t *sum, json_t *doc)
{
	json_t *it, *known, *to = json_object_get(sum, "rows");
	size_t i;

	json_array_foreach(json_object_get(doc, "rows"), i, it) {
		known = find(to, it);
		if (known != NULL)
			add_counts(known, it);
		else
			json_array_append(to, it);
	}
	to = json_object_get(sum, "failures");
	json_array_foreach(json_object_get(doc, "failures"), i, it)
		if (find(to, it) == NULL)
			json_array_append(to, it);
}

static char **
read_argv(const json_t *doc)
{
	const json_t *words = json_object_get(doc, "argv");
	char **argv = xcalloc(json_array_size(words) + 1, sizeof(*argv));

	for (size_t i = 0; i < json_array_size(words); i++) {
		const char *word = json_string_value(json_array_get(words, i));

		argv[i] = xstrdup(word == NULL ? "" : word);
	}
	return (argv);
}

/* Adds one file to the sum. */
static void
take(struct merge *mg, const char *file, json_t *sum)
{
	struct result r = { .argv = NULL };
	json_error_t why;
	json_t *doc = json_load_file(file, JSON_REJECT_DUPLICATES, &why);

	if (strcmp(text_of(doc, "schema"), EXPLORE_SCHEMA) != 0) {
		mg->mg_refused++;
		(void)run_error("%s: %s", file, doc == NULL ? why.text :
		    "expected schema " EXPLORE_SCHEMA);
		json_decref(doc);
		return;
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
		add_document(sum, doc);
	}
	result_free(&r);
	json_decref(doc);
}

static void
print(const json_t *sum)
{
	json_t *row;
	json_int_t n, least = 0;
	size_t i;

	printf("%-10s %-12s %-8s %13s\n", "design", "lock", "cipher",
	    "schedules");
	json_array_foreach(json_object_get(sum, "rows"), i, row) {
		n = json_integer_value(json_object_get(row, "schedules"));
		least = i == 0 || n < least ? n : least;
		printf("%-10s %-12s %-8s %13" JSON_INTEGER_FORMAT "\n",
		    text_of(row, "design"), text_of(row, "lock"),
		    text_of(row, "cipher"), n);
	}
	putchar('\n');
	json_array_foreach(json_object_get(sum, "failures"), i, row)
		format_wrapf(stdout, FORMATF("FAILED %s:", text_of(row,
		    "word")), 2, "%s; design %s, lock %s, %s, schedule %"
		    JSON_INTEGER_FORMAT ".", text_of(row, "sentence"),
		    text_of(row, "design"), text_of(row, "lock"),
		    text_of(row, "cipher"), json_integer_value(
		    json_object_get(row, "number")));
	if (i == 0 && least > 0)
		explore_print_excluded(stdout, (uint64_t)least, true);
}

int
merge_campaigns(const struct options *op, struct atomic_file *of)
{
	struct merge mg = { .mg_across = GIVEN(op, ACROSS) };
	json_t *sum = json_object();
	int status;

	for (int i = 0; i < op->op_operands; i++)
		take(&mg, op->op_operand[i], sum);
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
