/*
 * Known-answer scripts, run.
 */
#include <ctype.h>
#include <errno.h>

#include "bench/survey/kat.h"
#include "tests/fuzz/fuzz.h"

enum { READ_DIGITS = 5 };

/* Whether a script reads more than one has time for. */
static int
reads_much(const char *text, size_t size)
{
	size_t digits;

	for (size_t i = 0; i + 4 < size; i++) {
		if (memcmp(text + i, "read", 4) != 0)
			continue;
		for (i += 4; i < size && (text[i] == ' ' || text[i] == '\t' ||
		    text[i] == '\r'); i++)
			;
		for (digits = 0; i < size && isalnum((unsigned char)text[i]);
		    i++)
			digits++;
		if (digits > READ_DIGITS)
			return (1);
	}
	return (0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char message[LINES_ERROR_SIZE] = "";
	struct lines li = { .li_name = "fuzz", .li_message = message };
	int error;

	fuzz_begin();
	if (size == 0 || reads_much((const char *)data, size))
		return (0);
	li.li_in = fmemopen((void *)(uintptr_t)data, size, "r");
	li.li_text = malloc(LINES_BYTES_MAX);
	FUZZ_CHECK(li.li_in != NULL && li.li_text != NULL);
	error = kat_run(&li, NULL, fuzz_sink());
	lines_close(&li);
	/* One line, and only for what is no command. */
	FUZZ_CHECK(error == 0 || error == EINVAL);
	FUZZ_CHECK((message[0] != '\0') == (error == EINVAL));
	FUZZ_CHECK(strchr(message, '\n') == NULL);
	return (0);
}
