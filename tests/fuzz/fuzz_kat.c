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
	char *message = NULL;
	size_t length;
	FILE *err, *in;
	int error;

	fuzz_begin();
	if (size == 0 || reads_much((const char *)data, size))
		return (0);
	in = fmemopen((void *)(uintptr_t)data, size, "r");
	err = open_memstream(&message, &length);
	FUZZ_CHECK(in != NULL && err != NULL);
	error = kat_run("fuzz", in, NULL, fuzz_sink(), err);
	fclose(in);
	fclose(err);
	/* One line, and only for what is no command. */
	FUZZ_CHECK((length > 0) == (error == EINVAL));
	FUZZ_CHECK(length == 0 ||
	    strchr(message, '\n') == message + length - 1);
	free(message);
	return (0);
}
