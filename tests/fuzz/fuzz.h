/*
 * What fuzz targets have in common.
 *
 * A target is one file tests/fuzz/fuzz_NAME.c, which defines
 * LLVMFuzzerTestOneInput(), and a folder tests/fuzz/corpus/NAME of inputs; the
 * Makefile finds both.  "make fuzz" links it with libFuzzer, the suite with
 * standalone.c.  A target includes this file once; it aborts where something
 * that must hold does not.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include "lib/machine/cpu.h"
#include "lib/crypto/crypto.h"
#include "lib/machine/machine.h"
#include "lib/machine/tick.h"

/* libFuzzer's name for it; what it returns is 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Aborts unless true. */
#define	FUZZ_CHECK(truth) fuzz_check((truth), #truth, __FILE__, __LINE__)

static inline void
fuzz_check(int truth, const char *text, const char *file, int line)
{
	if (truth)
		return;
	dprintf(STDERR_FILENO, "%s:%d: does not hold: %s\n", file, line, text);
	abort();
}

/*
 * Before the first input: what main() does, and what commands do before they
 * parse.  Output is discarded.
 */
static inline void
fuzz_begin(void)
{
	static struct mthread self;
	static int begun;
	const char *missing;

	if (begun)
		return;
	begun = 1;
	FUZZ_CHECK(cpu_init() == 0);
	tick_calibrate();
	FUZZ_CHECK(crypto_init(&missing) == 0);
	machine_attach(&self, "fuzz");
	FUZZ_CHECK(freopen("/dev/null", "r", stdin) != NULL);
	stdout = fopen("/dev/null", "w");
	stderr = fopen("/dev/null", "w");
	FUZZ_CHECK(stdout != NULL && stderr != NULL);
}

/*
 * The input as text that ends at its first NUL; for the caller to free, in a
 * block of that size, so that a sanitizer sees reads beyond it.
 */
static inline char *
fuzz_text(const uint8_t *data, size_t size)
{
	char *text;
	size_t n = 0;

	while (n < size && data[n] != '\0')
		n++;
	text = malloc(n + 1);
	FUZZ_CHECK(text != NULL);
	if (n > 0)
		memcpy(text, data, n);
	text[n] = '\0';
	return (text);
}

/*
 * The input as a file.
 *
 *   i  in  0 or 1: two inputs may be files at a time
 *
 * Returns: its path, until the next call for the same i.
 */
static inline const char *
fuzz_file(unsigned i, const uint8_t *data, size_t size)
{
	static char path[2][64];
	static int fds[2];

	if (path[i][0] == '\0') {
#ifdef __linux__
		fds[i] = memfd_create("input", MFD_CLOEXEC);
		snprintf(path[i], sizeof(path[i]), "/proc/self/fd/%d", fds[i]);
#else
		snprintf(path[i], sizeof(path[i]), "/tmp/fuzz.XXXXXX");
		fds[i] = mkstemp(path[i]);
#endif
		FUZZ_CHECK(fds[i] != -1);
	}
	FUZZ_CHECK(ftruncate(fds[i], 0) == 0);
	FUZZ_CHECK(pwrite(fds[i], data, size, 0) == (ssize_t)size);
	return (path[i]);
}

/* Where what is printed about inputs goes. */
static inline FILE *
fuzz_sink(void)
{
	return (stdout);
}

#endif
