/*
 * Numbers, sizes, bytes in hexadecimal and percentages.  What is taken
 * is what the C library takes that for.
 */
#include <errno.h>

#include "bench/cell/cell.h"
#include "bench/compare/compare.h"
#include "lib/base/base.h"
#include "tests/fuzz/fuzz.h"

static void
check_whole(const char *text)
{
	uint64_t size, v;
	char *end;

	if (parse_number(text, &v) == 0) {
		errno = 0;
		FUZZ_CHECK(strtoull(text, &end, 0) == v && errno == 0 &&
		    *end == '\0' && *text != '-' && *text != '+');
		FUZZ_CHECK(parse_size(text, &size) == 0 && size == v);
	}
	if (parse_size(text, &size) == 0 && size != 0)
		FUZZ_CHECK(size >= strtoull(text, NULL, 0));
}

static void
check_real(const char *text)
{
	char error[COMPARE_TEXT_SIZE];
	struct compare_gate cg;
	double v;
	char *end;

	if (parse_real(text, &v) == 0)
		FUZZ_CHECK(strtod(text, &end) == v && *end == '\0' && v >= 0);
	(void)compare_gate_parse(&cg, text, error);
}

static void
check_hex(const char *text)
{
	uint8_t bytes[16], digits[2];
	size_t n;

	if (parse_hex(text, bytes, sizeof(bytes), &n) != 0)
		return;
	FUZZ_CHECK(n > 0 && n <= sizeof(bytes) && strlen(text) == 2 * n);
	for (size_t i = 0; i < n; i++) {
		FUZZ_CHECK(sscanf(text + 2 * i, "%2hhx", &digits[0]) == 1);
		FUZZ_CHECK(digits[0] == bytes[i]);
	}
}

static void
check_place(const char *text)
{
	const struct vm_topology vt = { .tp_cpus = 8, .tp_cores = 4,
	    .tp_nodes = 2, .tp_ccx_cores = 2 };
	char error[PINNING_ERROR_SIZE];
	struct pinning pl;
	unsigned i;

	if (pinning_parse(&pl, text, NULL, error) == 0)
		pinning_free(&pl);
	if (pinning_parse(&pl, text, &vt, error) != 0)
		return;
	for (i = 0; i < 8; i++)
		FUZZ_CHECK(pinning_reader(&pl, i) < (int)vt.tp_cpus);
	FUZZ_CHECK(pinning_harvest(&pl, 8) < (int)vt.tp_cpus);
	pinning_free(&pl);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char compared[COMPARE_TEXT_SIZE];
	struct compare_gate cg;
	char *text;

	fuzz_begin();
	text = fuzz_text(data, size);
	check_whole(text);
	check_real(text);
	check_hex(text);
	check_place(text);
	(void)compare_gate_parse(&cg, text, compared);
	free(text);
	return (0);
}
