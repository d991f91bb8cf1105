/*
 * Wrong designs on the real engine, from the command line to the exit status: a
 * violation stops the run and is told with both operations.
 */
#include <sys/types.h>
#include <sys/wait.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cmd.h"
#include "bench/options/options.h"
#include "lib/ledger/ledger.h"
#include "tests/unit/patched.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum { TEXT_SIZE = 8192, WORDS_MAX = 32 };

/* Like locked, but that reseeds keep no distance. */
static const struct patch hasty[] = {
	{ .p_from = "SBT_1S / 10", .p_to = "0" }
};

/* Like concurrent, but that a read uses a block of K beforehand. */
static const struct patch reusing[] = {
	{ .p_from = "	counter_copy = fortuna_state.fs_counter;\n",
	    .p_to = "	counter_copy = fortuna_state.fs_counter;\n"
	    "	uint8_t block[128];\n"
	    "	random_fortuna_genbytes(block, sizeof(block), newkey, "
	    "&counter_copy, &fortuna_state.fs_key, false);\n"
	    "	counter_copy = fortuna_state.fs_counter;\n" }
};

/* What -d takes for fortuna.c with a patch. */
static const char *
wrong(const atf_tc_t *tc, const struct patch *p)
{
	return (ksource_spec(patched(tc, "fortuna/fortuna.c", p, 1)->de_ident));
}

static void
content(const char *path, char text[TEXT_SIZE])
{
	FILE *in = fopen(path, "r");
	size_t n;

	ATF_REQUIRE(in != NULL);
	n = fread(text, 1, TEXT_SIZE - 1, in);
	text[n] = '\0';
	fclose(in);
}

/* A command in a process of its own; its exit status, and what it said. */
static int
command(enum command_id cm, const char *words, const char *design,
    char said[TEXT_SIZE])
{
	char line[1024], *word;
	char *argv[WORDS_MAX] = { (char *)(uintptr_t)"rngsim" };
	int argc = 1, status;
	pid_t child;

	snprintf(line, sizeof(line), "%s -d %s --crypto native "
	    "-S rngsim.warmup_ms=0 -S rngsim.seed_timeout_ms=60000 "
	    "-S rngsim.harvest.rate_hz=500 -S rngsim.harvest.model=2019 "
	    "--seed 1", words, design);
	for (word = strtok(line, " "); word != NULL; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	fflush(NULL);
	child = fork();
	ATF_REQUIRE(child != -1);
	if (child == 0) {
		unsetenv("OPENSSL_ia32cap");
		unsetenv("OPENSSL_armcap");
		if (freopen("out", "w", stdout) == NULL ||
		    freopen("said", "w", stderr) == NULL)
			_exit(99);
		status = cpu_init() != 0 ? 98 : command_execute(cm, argv);
		fflush(NULL);
		_exit(status);
	}
	ATF_REQUIRE_EQ(child, waitpid(child, &status, 0));
	content("said", said);
	ATF_REQUIRE_MSG(WIFEXITED(status), "%s: %d: %s", words, status, said);
	return (WEXITSTATUS(status));
}

/* Ends with 1, the property in its words, and two operations of that kind. */
static void
require_told(enum command_id cm, const char *words, const char *design,
    enum ledger_property property, const char *operation)
{
	const struct ledger_property_text *lp = &ledger_properties[property];
	char said[TEXT_SIZE], want[256], *at, *then;
	int status;
	size_t n;

	status = command(cm, words, design, said);
	ATF_CHECK_EQ_MSG(EXIT_FAILURE, status, "%s: %d: %s", words, status,
	    said);
	snprintf(want, sizeof(want), ": ledger: %s: %s: at ", lp->lgp_word,
	    lp->lgp_text);
	at = strstr(said, want);
	ATF_REQUIRE_MSG(at != NULL, "%s: no \"%s\" in %s", words, want, said);
	at = strstr(at, operation);
	ATF_REQUIRE_MSG(at != NULL, "%s: %s", words, said);
	n = strcspn(at, ";");
	then = strstr(at, "; then at ");
	ATF_REQUIRE_MSG(then != NULL, "%s: %s", words, said);
	then = strstr(then, operation);
	ATF_REQUIRE_MSG(then != NULL, "%s: %s", words, said);
	ATF_CHECK_MSG(strncmp(at, then, n) != 0, "%s: twice the same: %s",
	    words, said);
}

TEST(ledger_engine__told, "run --ledger of a wrong design exits with 1, "
    "names the property and both operations, and shows no figures")
{
	const char *reuses;
	char said[TEXT_SIZE];

	require_told(COMMAND_run, "run -S kern.random.fortuna.concurrent_read=0"
	    " -r 2 -s 64 -t 2 --ledger", wrong(tc, hasty), LEDGER_PACE,
	    " emptied ");
	content("out", said);
	ATF_CHECK_STREQ("", said);
	reuses = wrong(tc, reusing);
	require_told(COMMAND_run, "run -r 1 -s 64 -t 2 --ledger", reuses,
	    LEDGER_REUSE, " used key ");
	content("out", said);
	ATF_CHECK_STREQ("", said);
	/* With a log it is the same, and the log has the second operation. */
	require_told(COMMAND_run, "run -r 1 -s 64 -t 2 --ledger-log log",
	    reuses, LEDGER_REUSE, " used key ");
	ATF_CHECK_EQ(0, access("log", F_OK));
}

TEST(ledger_engine__keeps_what_was, "An earlier result stays where a wrong "
    "design ends the run before it has another")
{
	char text[TEXT_SIZE];
	FILE *out = fopen("r.json", "w");

	ATF_REQUIRE(out != NULL);
	fputs("earlier\n", out);
	ATF_REQUIRE(fclose(out) == 0);
	require_told(COMMAND_sweep, "sweep -c aes -r 1 -s 64 -t 2 "
	    "-S rngsim.sweep.controls=0 --ledger -o r.json", wrong(tc, hasty),
	    LEDGER_PACE, " emptied ");
	content("r.json", text);
	ATF_CHECK_STREQ("earlier\n", text);
	ATF_CHECK(access("r.json.journal", F_OK) != 0);
}

TEST(ledger_engine__right, "The same way without a fault ends with 0: it is "
    "the fault that is told")
{
	char said[TEXT_SIZE];

	ATF_CHECK_EQ_MSG(0, command(COMMAND_run, "run -r 2 -s 64 -t 0.3 "
	    "--ledger", "locked", said), "%s", said);
}

TEST_PROGRAM()
