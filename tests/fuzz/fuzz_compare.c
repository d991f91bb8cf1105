/*
 * Comparisons: two result files with a NUL between, or one by its designs,
 * locks and ciphers, in every form.
 */
#include "bench/compare/compare.h"
#include "tests/fuzz/fuzz.h"

static void
show(const struct compare *co)
{
	char text[COMPARE_TEXT_SIZE];
	struct compare_gate cg;

	verdict_print(fuzz_sink(), co);
	verdict_print_sentences(fuzz_sink(), co);
	verdict_print_flags(fuzz_sink(), co, "x: ");
	verdict_print_csv(fuzz_sink(), co);
	FUZZ_CHECK(compare_gate_parse(&cg, "total_mb_per_s<-5%", text) == 0);
	(void)compare_fail_if(co, &cg, true);
	(void)compare_fail_unjudged(co);
}

static void
compare(const struct result *a, const struct result *b, enum compare_by by)
{
	struct compare co = { .co_result = { a, b }, .co_path = { "a", "b" },
	    .co_by = by, .co_wanted = (1u << QUANTITIES) - 1,
	    .co_margin = 0.01 };
	char why[COMPARE_TEXT_SIZE] = "";

	if (compare_conditions(&co, true, why) == 0 &&
	    compare_match(&co, NULL, why) == 0) {
		compare_judge(&co);
		show(&co);
	} else {
		FUZZ_CHECK(why[0] != '\0');
	}
	compare_free(&co);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *second = size == 0 ? NULL : memchr(data, '\0', size);
	size_t n = second == NULL ? size : (size_t)(second - data);
	char why[RESULT_TEXT_SIZE] = "";
	struct result a, b;

	fuzz_begin();
	if (result_load(fuzz_file(0, data, n), &a, why) != 0)
		return (0);
	for (unsigned by = COMPARE_DESIGN;
	    by <= COMPARE_HOST && a.cell_count > 0;
	    by++)
		compare(&a, &a, by);
	if (second == NULL)
		compare(&a, &a, COMPARE_RESULTS);
	else if (result_load(fuzz_file(1, second + 1, size - n - 1), &b,
	    why) == 0) {
		if (a.cell_count > 0 && b.cell_count > 0)
			compare(&a, &b, COMPARE_RESULTS);
		result_free(&b);
	}
	result_free(&a);
	return (0);
}
