/*
 * The family of evidence; rows that crash, hang or leave something behind; the
 * page; the search for duplicates.
 */
#include <sys/stat.h>

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/assure/duplicates.h"
#include "bench/assure/evidence.h"
#include "bench/cli/stop.h"
#include "tests/unit/patched.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

static const double short_s = 0.3, long_s = 100;

/* Open for writing in a row's process and in all that it starts. */
static int alive[2];

static void
say_so(const struct assure_params *ap, struct evidence_row *row)
{
	evidence_say(row->er_text, "%s is ", ap->ap_design->de_ident);
	evidence_say(row->er_text, "looked at.");
	evidence_say(row->er_bounds, "%u jobs.", ap->ap_jobs);
}

static void
crash(const struct assure_params *ap __unused, struct evidence_row *row)
{
	volatile int *volatile p = NULL;

	row->er_state = (enum evidence_state)*p;
}

static void
be_killed(const struct assure_params *ap __unused,
    struct evidence_row *row __unused)
{
	raise(SIGKILL);
}

static void
say_and_abort(const struct assure_params *ap __unused,
    struct evidence_row *row __unused)
{
	KASSERT(false, ("a %s word", "plain"));
}

static void
end(const struct assure_params *ap __unused, struct evidence_row *row __unused)
{
	_exit(42);
}

/* With a file in its folder and a process of its own. */
static void
hang(const struct assure_params *ap, struct evidence_row *row __unused)
{
	char path[EVIDENCE_PATH_SIZE + 8];
	int fd;

	if (ap->ap_scratch[0] != '\0') {
		snprintf(path, sizeof(path), "%s/left", ap->ap_scratch);
		fd = open(path, O_WRONLY | O_CREAT, 0600);
		if (fd == -1)
			_exit(EXIT_FAILURE);
		close(fd);
	}
	(void)!fork();
	for (;;)
		pause();
}

static void
gather(const struct evidence *ev, double patience_s, struct evidence_row *row)
{
	struct assure_params ap = { .ap_design = design_find("concurrent"),
	    .ap_jobs = 3 };

	memset(row, 0, sizeof(*row));
	ATF_REQUIRE_EQ(0, evidence_gather(ev, &ap, patience_s, row));
}

/* All processes of a row have ended, or this waits for ever. */
static void
check_gone(void)
{
	char c;

	close(alive[1]);
	ATF_CHECK_EQ(0, read(alive[0], &c, 1));
	close(alive[0]);
}

TEST(evidence__family, "Rows have names for --only, each its own, and share "
    "the whole of the time")
{
	const struct evidence *ev;
	double sum[2] = { 0 };

	for (unsigned i = 0; i < EVIDENCE_ROWS; i++) {
		ev = &evidences[i];
		ATF_CHECK_MSG(ev->ev_share > 0, "%s", ev->ev_name);
		ATF_CHECK_MSG(ev->ev_descr[0] != '\0', "%s", ev->ev_name);
		sum[ev->ev_lock] += ev->ev_share;
		for (const char *p = ev->ev_name; *p != '\0'; p++)
			ATF_CHECK_MSG(islower((unsigned char)*p), "%s",
			    ev->ev_name);
		for (unsigned k = 0; k < i; k++)
			ATF_CHECK(strcmp(ev->ev_name, evidences[k].ev_name) !=
			    0);
	}
	ATF_CHECK_MSG(fabs(sum[0] - 1) < 1e-9 && fabs(sum[1] - 1) < 1e-9,
	    "all shares: %g and %g", sum[0], sum[1]);
}

TEST(evidence_gather__answer, "A row has what its process said")
{
	static const struct evidence ev = { .ev_gather = say_so };
	static struct evidence_row row;

	gather(&ev, long_s, &row);
	ATF_CHECK_EQ(EVIDENCE_HOLDS, row.er_state);
	ATF_CHECK_STREQ("concurrent is looked at.", row.er_text);
	ATF_CHECK_STREQ("3 jobs.", row.er_bounds);
	ATF_CHECK_STREQ("", row.er_replay);
}

TEST(evidence_gather__dies, "A design that crashes or ends the program fails; "
    "of a tool that does, the evidence is missing")
{
	struct evidence ev = { .ev_gather = crash };
	static struct evidence_row row;

	gather(&ev, long_s, &row);
	ATF_CHECK_EQ(EVIDENCE_FAILS, row.er_state);
	ATF_CHECK(strncmp(row.er_text, "It ", 3) == 0);
	ev.ev_gather = be_killed;
	gather(&ev, long_s, &row);
	ATF_CHECK_EQ(EVIDENCE_FAILS, row.er_state);
	ATF_CHECK_MSG(strstr(row.er_text, "signal 9") != NULL, "%s",
	    row.er_text);
	ev.ev_gather = say_and_abort;
	gather(&ev, long_s, &row);
	ATF_CHECK_EQ(EVIDENCE_FAILS, row.er_state);
	ATF_CHECK_MSG(strstr(row.er_text, "signal 6") != NULL &&
	    strstr(row.er_text, "It said: rngsim: ") != NULL &&
	    strstr(row.er_text, "failed: a plain word. ") != NULL, "%s",
	    row.er_text);
	ev.ev_gather = be_killed;
	ev.ev_tool = true;
	gather(&ev, long_s, &row);
	ATF_CHECK_EQ(EVIDENCE_MISSING, row.er_state);
	ev.ev_gather = end;
	gather(&ev, long_s, &row);
	ATF_CHECK_EQ(EVIDENCE_MISSING, row.er_state);
	ATF_CHECK_MSG(strstr(row.er_text, "status 42") != NULL, "%s",
	    row.er_text);
	ev.ev_tool = false;
	gather(&ev, long_s, &row);
	ATF_CHECK_EQ(EVIDENCE_FAILS, row.er_state);
}

/* How many entries there are in a folder. */
static unsigned
entries(const char *path)
{
	struct dirent *de;
	unsigned n = 0;
	DIR *d;

	d = opendir(path);
	ATF_REQUIRE(d != NULL);
	while ((de = readdir(d)) != NULL)
		n += de->d_name[0] != '.';
	closedir(d);
	return (n);
}

TEST(evidence_gather__hangs, "A row's process that does not end is ended, with "
    "what it has started and its folder; a design fails, a tool does not")
{
	struct evidence ev = { .ev_gather = hang, .ev_scratch = true };
	static struct evidence_row row;

	ATF_REQUIRE_EQ(0, mkdir("temp", 0700));
	ATF_REQUIRE_EQ(0, setenv("TMPDIR", "temp", 1));
	ATF_REQUIRE_EQ(0, pipe(alive));
	gather(&ev, short_s, &row);
	ATF_CHECK_EQ(EVIDENCE_FAILS, row.er_state);
	ATF_CHECK_MSG(strstr(row.er_text, "hangs") != NULL, "%s", row.er_text);
	ev.ev_tool = true;
	gather(&ev, short_s, &row);
	ATF_CHECK_EQ(EVIDENCE_MISSING, row.er_state);
	ATF_CHECK_MSG(strstr(row.er_text, "did not end") != NULL &&
	    strstr(row.er_text, "hangs") == NULL, "%s", row.er_text);
	ATF_CHECK_EQ(0, entries("temp"));
	check_gone();
	/* Where there can be no folder. */
	ATF_REQUIRE_EQ(0, setenv("TMPDIR", "temp/nowhere", 1));
	ATF_CHECK_EQ(EALREADY, evidence_gather(&ev, &(struct assure_params){
	    .ap_jobs = 1 }, long_s, &row));
}

static unsigned waited;

/* As if the user had pressed ^C then. */
static void
ask_to_stop(void *context, double elapsed_s)
{
	ATF_CHECK(context == &waited && elapsed_s >= 0);
	waited++;
	stop_signal = SIGINT;
}

TEST(evidence_gather__stops, "A signal ends it, and leaves nothing")
{
	static const struct evidence ev = { .ev_gather = hang,
	    .ev_scratch = true };
	static struct evidence_row row;

	ATF_REQUIRE_EQ(0, mkdir("temp", 0700));
	ATF_REQUIRE_EQ(0, setenv("TMPDIR", "temp", 1));
	ATF_REQUIRE_EQ(0, pipe(alive));
	ATF_CHECK_EQ(EINTR, evidence_gather(&ev, &(struct assure_params){
	    .ap_waiting = ask_to_stop, .ap_context = &waited }, long_s, &row));
	ATF_CHECK_EQ(1, waited);
	ATF_CHECK_EQ(0, entries("temp"));
	check_gone();
}

/* Prints a page of a design whose first row is in that state; its verdict. */
static enum evidence_state
print_design(const struct design *de, enum evidence_state state,
    bool all, char *text, size_t size)
{
	static struct evidence_row rows[EVIDENCE_ROWS];
	const struct assure_params ap = { .ap_seed = 9, .ap_jobs = 2 };
	struct page pg = { .pg_params = &ap,
	    .pg_design = de, .pg_subject = de->de_ident, .pg_budget_s = 60,
	    .pg_revision = "1", .pg_when = "now", .pg_host = "here" };
	char line[256];
	unsigned i;
	FILE *out;

	memset(rows, 0, sizeof(rows));
	for (i = 0; i < EVIDENCE_ROWS; i++) {
		pg.pg_rows[i] = all || i == 0 ? &rows[i] : NULL;
		snprintf(rows[i].er_text, sizeof(rows[i].er_text), "Found.");
		snprintf(rows[i].er_bounds, sizeof(rows[i].er_bounds),
		    "readers of row %u.", i);
	}
	rows[0].er_state = state;
	if (state == EVIDENCE_NONE)
		evidence_say(rows[0].er_unshown, "whether it is %s.", "so");
	snprintf(rows[0].er_replay, sizeof(rows[0].er_replay), "rngsim one "
	    "--failpoint 'random_fortuna_pre_read=50%%return(250)' --seed 9 "
	    "--only 12345\nrngsim two");
	pg.pg_command = "rngsim assure -d concurrent --budget 60 --seed "
	    "18446744073709551615 --only model,schedules,ledger,faults";
	out = tmpfile();
	ATF_REQUIRE(out != NULL);
	page_print(out, &pg);
	rewind(out);
	for (text[0] = '\0'; fgets(line, sizeof(line), out) != NULL;) {
		ATF_CHECK_MSG(strlen(line) <= 81, "%s", line);
		strncat(text, line, size - strlen(text) - 1);
	}
	fclose(out);
	return (page_verdict(&pg));
}

static enum evidence_state
print(enum evidence_state state, bool all, char *text, size_t size)
{
	return (print_design(design_find("concurrent"), state, all, text,
	    size));
}

/* Whether a page has these words, wherever its lines end. */
static bool
says(const char *page, const char *words)
{
	const char *p, *w;

	for (; *page != '\0'; page++) {
		for (p = page, w = words; *w != '\0'; w++) {
			if (*w == ' ' && isspace((unsigned char)*p))
				while (isspace((unsigned char)*p))
					p++;
			else if (*p++ != *w)
				break;
		}
		if (*w == '\0')
			return (true);
	}
	return (false);
}

TEST(page__verdict, "The claim is the worst of the rows; commands can be "
    "pasted; no line is wider than 80")
{
	static char text[16384];
	char name[32], want[256];

	ATF_CHECK_EQ(EVIDENCE_HOLDS, print(EVIDENCE_HOLDS, true, text,
	    sizeof(text)));
	ATF_CHECK_MSG(strstr(text, "\nClaim         Design concurrent holds "
	    "within the bounds below.\nBounds        Seed 9, a budget of 60 "
	    "s") != NULL, "%s", text);
	ATF_CHECK_MSG(strstr(text, " --only 12345\n") != NULL &&
	    strstr(text, "\n              rngsim two\n") != NULL &&
	    strstr(text, " \\\n                  --") != NULL, "%s", text);
	ATF_CHECK_EQ(EVIDENCE_HOLDS, print(EVIDENCE_NONE, true, text,
	    sizeof(text)));
	ATF_CHECK(strstr(text, "None. Found.") != NULL);
	snprintf(name, sizeof(name), "%s", evidences[0].ev_name);
	name[0] = (char)toupper((unsigned char)name[0]);
	snprintf(want, sizeof(want), "Design concurrent holds within the "
	    "bounds below. There is no evidence for it under %s.", name);
	ATF_CHECK_MSG(says(text, want), "no \"%s\" in %s", want, text);
	snprintf(want, sizeof(want), "Not shown %s: whether it is so. ", name);
	ATF_CHECK_MSG(says(text, want), "no \"%s\" in %s", want, text);
	ATF_CHECK_EQ(EVIDENCE_MISSING, print(EVIDENCE_NONE, false, text,
	    sizeof(text)));
	ATF_CHECK_MSG(says(text, "Claim NONE: no row supports design "
	    "concurrent. Bounds"), "%s", text);
	ATF_CHECK_EQ(EVIDENCE_MISSING, print(EVIDENCE_MISSING, true, text,
	    sizeof(text)));
	ATF_CHECK(strstr(text, "Not run. Found.") != NULL &&
	    strstr(text, "not all") != NULL);
	ATF_CHECK_EQ(EVIDENCE_MISSING, print(EVIDENCE_HOLDS, false, text,
	    sizeof(text)));
	ATF_CHECK(strstr(text, "Not selected.") != NULL);
	ATF_CHECK_EQ(EVIDENCE_FAILS, print(EVIDENCE_FAILS, false, text,
	    sizeof(text)));
	ATF_CHECK(strstr(text, "FAILS. Found.") != NULL &&
	    strstr(text, "NONE: design concurrent does not hold.") != NULL);
}

TEST(page__allowed, "A design that lets its keys lag or keeps output says how "
    "far, on its page")
{
	static const char before[] = "static bool block_seeded_status;";
	static const struct {
		const char	*claims;
		const char	*words[2];
	} promises[] = {
		{ ".rm_lag = 1, .rm_stored_bytes = 777", { "Allowed A read's "
		    "keys may be 1 reseed behind", "(rm_lag). Up to 777 bytes "
		    "that a read returns" } },
		{ ".rm_lag = 3, .rm_stored_bytes = RANDOM_ANY", { "Allowed A "
		    "read's keys may be 3 reseeds behind", "All bytes that a "
		    "read" } },
		{ ".rm_lag = RANDOM_ANY", { "may be any number of reseeds "
		    "old. The", "Allowed A read" } },
		{ ".rm_stored_bytes = 9", { "Allowed Up to 9 bytes",
		    "The design says so itself" } },
	};
	static char text[16384];
	const struct design *de;
	char claims[256];

	print_design(design_find("concurrent"), EVIDENCE_HOLDS, true, text,
	    sizeof(text));
	ATF_CHECK_MSG(!says(text, "Allowed"), "%s", text);
	for (unsigned i = 0; i < nitems(promises); i++) {
		snprintf(claims, sizeof(claims), "%s\n"
		    "#include <random_abi.h>\nRANDOM_CLAIMS(%s);",
		    before, promises[i].claims);
		de = patched(tc, "fortuna/fortuna.c", &(struct patch){
		    .p_from = before, .p_to = claims }, 1);
		print_design(de, EVIDENCE_HOLDS, true, text, sizeof(text));
		for (unsigned k = 0; k < 2; k++)
			ATF_CHECK_MSG(says(text, promises[i].words[k]),
			    "no \"%s\" in %s", promises[i].words[k], text);
	}
}

/* Adds the blocks of a stream that begins at that byte. */
static void
add(struct duplicates *du, uint64_t byte, const char *text)
{
	for (size_t i = 0; i + du->du_block_bytes <= strlen(text);
	    i += du->du_block_bytes)
		duplicates_add(du, byte + i, text + i);
}

TEST(duplicates__find, "Duplicates are counted to the block and the first is "
    "named; halves, other alignments and an incomplete last block are none")
{
	char stream[] = "0123456789abcdef................................"
	    "................0123456789abcdee................................"
	    "................0123456789abcdef";
	struct duplicates du = { .du_block_bytes = 16 };
	struct duplicates_found df;
	FILE *in;

	duplicates_find(&du, &df);
	ATF_CHECK_EQ(0, du.du_count + df.df_duplicates);
	add(&du, 0, "aaaaaaaabbbbbbbbaaaaaaaaccccccccrest");
	add(&du, 100, "ddddddddbbbbbbbbxaaaaaaaabbbbbbbb");
	duplicates_find(&du, &df);
	ATF_CHECK_EQ(4, du.du_count);
	ATF_CHECK_EQ(0, df.df_duplicates);
	add(&du, 200, "aaaaaaaaccccccccaaaaaaaabbbbbbbb");
	add(&du, 300, "aaaaaaaabbbbbbbb");
	duplicates_find(&du, &df);
	ATF_CHECK_EQ(7, du.du_count);
	ATF_CHECK_EQ(3, df.df_duplicates);
	ATF_CHECK_EQ(16, df.df_first);
	ATF_CHECK_EQ(200, df.df_again);
	duplicates_fini(&du);
	/* Of longer blocks the beginnings count; and one is incomplete. */
	du.du_block_bytes = 64;
	in = fmemopen(stream, strlen(stream), "r");
	ATF_REQUIRE(in != NULL);
	duplicates_read(&du, in);
	fclose(in);
	duplicates_find(&du, &df);
	ATF_CHECK_EQ(2, du.du_count);
	ATF_CHECK_EQ(0, df.df_duplicates);
	duplicates_fini(&du);
}

TEST_PROGRAM()
