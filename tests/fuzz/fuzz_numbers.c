/*
 * Numbers, sizes, bytes in hexadecimal, percentages, and lists of them.  What
 * is taken is what the C library takes that for.
 */
#include <errno.h>

#include "bench/cell/place.h"
#include "bench/compare/compare_gate.h"
#include "bench/console/choice.h"
#include "bench/result/select.h"
#include "lib/number.h"
#include "tests/fuzz/fuzz.h"

static void
check_whole(const char *text)
{
	uint64_t size, v;
	char *end;

	if (number_parse(text, &v) == 0) {
		errno = 0;
		FUZZ_CHECK(strtoull(text, &end, 0) == v && errno == 0 &&
		    *end == '\0' && *text != '-' && *text != '+');
		FUZZ_CHECK(number_parse_size(text, &size) == 0 && size == v);
	}
	if (number_parse_size(text, &size) == 0 && size != 0)
		FUZZ_CHECK(size >= strtoull(text, NULL, 0));
}

static void
check_real(const char *text)
{
	double v;
	char *end;

	if (number_parse_real(text, &v) == 0)
		FUZZ_CHECK(strtod(text, &end) == v && *end == '\0' && v >= 0);
	(void)compare_percentage(text, &v);
}

static void
check_hex(const char *text)
{
	uint8_t bytes[16], digits[2];
	size_t i, n;

	if (number_parse_hex(text, bytes, sizeof(bytes), &n) != 0)
		return;
	FUZZ_CHECK(n > 0 && n <= sizeof(bytes) && strlen(text) == 2 * n);
	for (i = 0; i < n; i++) {
		FUZZ_CHECK(sscanf(text + 2 * i, "%2hhx", &digits[0]) == 1);
		FUZZ_CHECK(digits[0] == bytes[i]);
	}
}

static void
check_place(const char *text)
{
	const struct vm_topology vt = { .vt_cpus = 8, .vt_cores = 4,
	    .vt_nodes = 2, .vt_ccx_cores = 2 };
	char error[PLACE_ERROR_SIZE];
	struct place pl;
	unsigned i;

	if (place_parse(&pl, text, error) == 0)
		place_free(&pl);
	if (place_parse_virtual(&pl, text, &vt, error) != 0)
		return;
	for (i = 0; i < 8; i++)
		FUZZ_CHECK(place_reader(&pl, i) < (int)vt.vt_cpus);
	FUZZ_CHECK(place_harvest(&pl, 8) < (int)vt.vt_cpus);
	place_free(&pl);
}

static int
add(void *context, const char *label, const char *item)
{
	size_t *left = context;

	FUZZ_CHECK(label != NULL && strchr(item, ',') == NULL);
	FUZZ_CHECK(strlen(item) <= *left);
	*left -= strlen(item);
	return (0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char compared[COMPARE_TEXT_SIZE], why[SELECT_TEXT_SIZE];
	struct compare_gate cg;
	size_t left;
	unsigned key;
	char *text;

	fuzz_begin();
	text = fuzz_text(data, size);
	left = strlen(text);
	check_whole(text);
	check_real(text);
	check_hex(text);
	check_place(text);
	for (key = 0; key < SELECT_KEYS; key++)
		(void)select_check(key, text, why);
	(void)compare_gate_parse(&cg, text, compared);
	(void)choice_each("fuzz", "-x", text, add, &left);
	free(text);
	return (0);
}
