/*
 * The file that a run keeps its repeats in.
 */
#include <sys/stat.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <atf-c.h>

#include "bench/sweep/sweep.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

static const char path[] = "r.json.journal";
static const char *const lines[] = {
	"{\"first\":1}\n",
	"{}\n",
	"{\"third\":\"a longer one, so that lengths differ\"}\n",
	"\n"
};

static void
claim(struct journal *jo, bool create)
{
	pid_t other;

	ATF_REQUIRE_EQ(0, journal_claim(jo, path, create, &other));
}

/* A journal of all lines; its size at the end of each. */
static void
make(off_t ends[nitems(lines)])
{
	struct journal jo;
	bool kept;

	unlink(path);
	claim(&jo, true);
	ATF_REQUIRE_EQ(0, journal_begin(&jo, lines[0], &kept));
	ATF_CHECK(!kept);
	ends[0] = jo.jo_end;
	for (unsigned i = 1; i < nitems(lines); i++) {
		ATF_REQUIRE_EQ(0, journal_add(&jo, lines[i]));
		ends[i] = jo.jo_end;
	}
	journal_close(&jo);
}

/* Fails unless the file has the first count lines and nothing else. */
static void
require_lines(unsigned count)
{
	char expected[512] = "", text[512] = "";
	FILE *f = fopen(path, "r");

	for (unsigned i = 0; i < count; i++)
		strcat(expected, lines[i]);
	ATF_REQUIRE(f != NULL);
	ATF_REQUIRE_EQ(strlen(expected), fread(text, 1, sizeof(text) - 1, f));
	ATF_CHECK_STREQ(expected, text);
	/* Locks end with any descriptor. */
	fclose(f);
}

TEST(journal__cut_anywhere,
    "Of a journal cut at any byte the whole lines are read, and the next is "
    "written behind them")
{
	off_t ends[nitems(lines)];
	struct journal jo;
	unsigned whole;

	make(ends);
	for (off_t length = ends[nitems(lines) - 1]; length >= 0; length--) {
		/* From the longest to the shortest, each cut of the last. */
		ATF_REQUIRE(truncate(path, length) == 0);
		for (whole = 0; whole < nitems(lines) &&
		    ends[whole] <= length; whole++)
			continue;
		claim(&jo, true);
		ATF_CHECK_EQ(whole == 0 ? 0 : ends[whole - 1], jo.jo_end);
		ATF_CHECK_EQ((size_t)jo.jo_end, strlen(jo.jo_text));
		if (whole > 0 && whole < nitems(lines)) {
			ATF_REQUIRE_EQ(0, journal_continue(&jo));
			require_lines(whole);
			ATF_REQUIRE_EQ(0, journal_add(&jo, lines[whole]));
			require_lines(whole + 1);
		}
		journal_close(&jo);
	}
}

TEST(journal__full_disk,
    "A line that does not fit leaves those before it, and later ones can be "
    "added")
{
	off_t ends[nitems(lines)];
	struct rlimit limit;
	struct journal jo;

	make(ends);
	ATF_REQUIRE(truncate(path, ends[1]) == 0);
	claim(&jo, false);
	ATF_REQUIRE_EQ(0, journal_continue(&jo));
	/* A file that may not grow stands for a disk that is full. */
	ATF_REQUIRE(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	ATF_REQUIRE(getrlimit(RLIMIT_FSIZE, &limit) == 0);
	limit.rlim_cur = (rlim_t)ends[1] + 10;
	ATF_REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	ATF_CHECK_EQ(EFBIG, journal_add(&jo, lines[2]));
	require_lines(2);
	limit.rlim_cur = limit.rlim_max;
	ATF_REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	ATF_CHECK_EQ(0, journal_add(&jo, lines[2]));
	require_lines(3);
	journal_close(&jo);
}

TEST(journal__belongs_to_one,
    "A second process gets the first one's number, and the journal when that "
    "has ended")
{
	struct journal jo;
	pid_t child, other, parent = getpid();
	int status;

	claim(&jo, true);
	child = fork();
	ATF_REQUIRE(child != -1);
	if (child == 0) {
		struct journal its;

		_exit(journal_claim(&its, path, true, &other) == EBUSY &&
		    other == parent ? 0 : 1);
	}
	ATF_REQUIRE_EQ(child, waitpid(child, &status, 0));
	ATF_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	/* An empty one is removed. */
	journal_close(&jo);
	ATF_CHECK_EQ(ENOENT, journal_claim(&jo, path, false, &other));
	journal_close(&jo);
}

TEST(journal__what_was_done_is_kept,
    "Beginning anew keeps a journal that has more than its first line, and no "
    "other")
{
	off_t ends[nitems(lines)];
	struct journal jo;
	struct stat sb;
	bool kept;

	make(ends);
	claim(&jo, true);
	ATF_REQUIRE_EQ(0, journal_begin(&jo, lines[0], &kept));
	ATF_CHECK(kept);
	require_lines(1);
	journal_close(&jo);
	ATF_REQUIRE(stat("r.json.journal.old", &sb) == 0);
	ATF_CHECK_EQ(ends[nitems(lines) - 1], sb.st_size);
	ATF_REQUIRE(unlink("r.json.journal.old") == 0);
	claim(&jo, true);
	ATF_REQUIRE_EQ(0, journal_begin(&jo, lines[0], &kept));
	ATF_CHECK(!kept);
	ATF_REQUIRE_EQ(0, journal_remove(&jo));
	ATF_CHECK(access("r.json.journal.old", F_OK) != 0);
	ATF_CHECK(access(path, F_OK) != 0);
}

TEST(journal__only_in_regular_files,
    "Folders, links and pipes in its place are refused and stay")
{
	struct journal jo;
	struct stat sb;
	pid_t other;

	ATF_REQUIRE(mkdir(path, 0755) == 0);
	ATF_CHECK_EQ(EISDIR, journal_claim(&jo, path, true, &other));
	journal_close(&jo);
	ATF_REQUIRE(rmdir(path) == 0);
	ATF_REQUIRE(mkfifo(path, 0644) == 0);
	ATF_CHECK_EQ(EINVAL, journal_claim(&jo, path, true, &other));
	journal_close(&jo);
	ATF_REQUIRE(stat(path, &sb) == 0 && S_ISFIFO(sb.st_mode));
	ATF_REQUIRE(unlink(path) == 0);
	ATF_REQUIRE(symlink("elsewhere", path) == 0);
	/* EMLINK on FreeBSD. */
	ATF_CHECK(journal_claim(&jo, path, true, &other) != 0);
	journal_close(&jo);
	ATF_CHECK(access("elsewhere", F_OK) != 0);
}

TEST_PROGRAM()
