/*
 * Wrong designs on the real engine, from the command line to the exit status: a
 * violation stops the run and is told with both operations.
 *
 * These designs replace the table of the program's.
 */
#include <sys/types.h>
#include <sys/wait.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cmd.h"
#include "bench/options/options.h"
#include "fortuna/fortuna.h"
#include "lib/ledger/ledger.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

enum { TEXT_SIZE = 8192, WORDS_MAX = 32 };

extern const struct random_algorithm FLAVOURED(gen_none);
extern const struct random_algorithm FLAVOURED(gen_locked);
extern const struct random_algorithm FLAVOURED(gen_concurrent);

/* Like locked, but that reseeds keep no distance. */
static struct random_algorithm hasty;

/* Like concurrent, but that a read uses a block of K beforehand. */
static struct random_algorithm reusing;

/* As it should be; sweeps come by it first. */
static struct random_algorithm right;

const struct random_algorithm *generators[] = {
	&hasty, &reusing, &right, &FLAVOURED(gen_none)
};

unsigned generator_count = nitems(generators);

bool
generator_add(const struct random_algorithm *ra)
{
	(void)ra;
	return (false);
}

const struct random_algorithm *
generator_at(unsigned i)
{
	return (i < generator_count ? generators[i] : NULL);
}

const struct random_algorithm *
generator_find(const char *name)
{
	for (unsigned i = 0; i < generator_count; i++)
		if (generators[i]->ra_ident != NULL &&
		    strcmp(generators[i]->ra_ident, name) == 0)
			return (generators[i]);
	return (NULL);
}

static void
hasty_pre_read(struct generator *g)
{
	g->g_paced = false;
	FLAVOURED(gen_locked).ra_pre_read(g);
}

static void
reusing_read(struct generator *g, struct generator_reader *gr, struct uio *uio)
{
	struct fortuna *f = fortuna_of(g);
	struct lock_node node;
	uint8_t block[4 * CIPHER_KEY_BYTES];
	uint128_t ctr;

	lock_acquire(&f->f_mtx, &node, SITE_READ);
	ctr = f->f_state.fs_counter;
	cipher_keystream(f->f_state.fs_key, &ctr, block, sizeof(block));
	lock_release(&f->f_mtx, &node);
	FLAVOURED(gen_concurrent).ra_read(g, gr, uio);
}

static void
make_designs(void)
{
	hasty = FLAVOURED(gen_locked);
	hasty.ra_pre_read = hasty_pre_read;
	reusing = FLAVOURED(gen_concurrent);
	reusing.ra_read = reusing_read;
	right = FLAVOURED(gen_locked);
	right.ra_ident = "right";
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

/* The command in a process of its own; its exit status, and what it said. */
static int
command(enum command_id cm, const char *words, char said[TEXT_SIZE])
{
	char line[512], *word;
	char *argv[WORDS_MAX] = { (char *)(uintptr_t)"rngsim" };
	int argc = 1, status;
	pid_t child;

	snprintf(line, sizeof(line), "%s --crypto native "
	    "-S rngsim.warmup_ms=0 -S rngsim.seed_timeout_ms=60000 "
	    "-S rngsim.harvest.rate_hz=500 -S rngsim.harvest.model=2019 "
	    "--seed 1",
	    words);
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
		make_designs();
		status = cpu_init() != 0 ? 98 : command_execute(cm, argc,
		    argv);
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
require_told(enum command_id cm, const char *words,
    enum ledger_property property, const char *operation)
{
	const struct ledger_property_text *lp = &ledger_properties[property];
	char said[TEXT_SIZE], want[256], *at, *then;
	int status;
	size_t n;

	status = command(cm, words, said);
	ATF_CHECK_EQ_MSG(EXIT_FAILURE, status, "%s: %d: %s", words, status,
	    said);
	snprintf(want, sizeof(want), ": ledger: %s: %s: at ", lp->lp_word,
	    lp->lp_text);
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
	char said[TEXT_SIZE];

	require_told(COMMAND_run, "run -d locked -r 2 -s 64 -t 2 --ledger",
	    LEDGER_PACE, " emptied ");
	content("out", said);
	ATF_CHECK_STREQ("", said);
	require_told(COMMAND_run, "run -d concurrent -r 1 -s 64 -t 2 --ledger",
	    LEDGER_REUSE, " used key ");
	content("out", said);
	ATF_CHECK_STREQ("", said);
	/* With a log it is the same, and the log has the second operation. */
	require_told(COMMAND_run, "run -d concurrent -r 1 -s 64 -t 2 "
	    "--ledger-log log", LEDGER_REUSE, " used key ");
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
	require_told(COMMAND_sweep, "sweep -d locked -c aes -r 1 -s 64 "
	    "-t 2 -S rngsim.sweep.controls=0 --ledger -o r.json", LEDGER_PACE,
	    " emptied ");
	content("r.json", text);
	ATF_CHECK_STREQ("earlier\n", text);
	ATF_CHECK(access("r.json.journal", F_OK) != 0);
}

TEST(ledger_engine__right, "The same way without a fault ends with 0: it is "
    "the fault that is told")
{
	char said[TEXT_SIZE];

	ATF_CHECK_EQ_MSG(0, command(COMMAND_run,
	    "run -d right -r 2 -s 64 -t 0.3 --ledger", said), "%s", said);
}

TEST_PROGRAM()
