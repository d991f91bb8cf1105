/*
 * Result files, shown in every form.  What is taken is printed as JSON that is
 * taken again.
 */
#include "bench/report/report.h"
#include "tests/fuzz/fuzz.h"

static void
show(const struct result *r)
{
	for (unsigned f = 0; f < REPORTS; f++)
		report_printers[f](fuzz_sink(), r);
	if (r->cell_count > 0)
		plot_print(fuzz_sink(), r, &(struct plot){
		    .plt_panels = PLOT_USUAL, .plt_width = 828 });
}

static void
check_again(const struct result *r)
{
	char error[RESULT_TEXT_SIZE] = "";
	struct result again;
	char *printed = NULL;
	size_t length;
	FILE *f;

	f = open_memstream(&printed, &length);
	FUZZ_CHECK(f != NULL);
	report_json(f, r);
	FUZZ_CHECK(fclose(f) == 0);
	FUZZ_CHECK(result_load(fuzz_file(1, (uint8_t *)printed, length),
	    &again, error) == 0);
	FUZZ_CHECK(again.cell_count == r->cell_count);
	free(printed);
	result_free(&again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char error[RESULT_TEXT_SIZE] = "";
	struct result r;

	fuzz_begin();
	if (result_load(fuzz_file(0, data, size), &r, error) != 0) {
		FUZZ_CHECK(error[0] != '\0');
		return (0);
	}
	show(&r);
	check_again(&r);
	result_free(&r);
	return (0);
}
