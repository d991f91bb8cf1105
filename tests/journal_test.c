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
#include <string.h>
#include <unistd.h>

#include <atf-c.h>

#include "bench/console/journal.h"
#include "tests/support.h"

static const char path[] = "r.json.journal";
static const char *const records[] = {
	"{\"first\":1}",
	"{}",
	"{\"third\":\"a longer one, so that lengths differ\"}",
	""
};

/* A journal of all records; its size at the end of each. */
static void
make(off_t ends[nitems(records)])
{
	struct journal jo;
	pid_t other;
	bool kept;
	unsigned i;

	unlink(path);
	ATF_REQUIRE_EQ(0, journal_claim(&jo, path, true, &other));
	ATF_REQUIRE_EQ(0, journal_begin(&jo, records[0], &kept));
	ATF_CHECK(!kept);
	ends[0] = jo.jo_end;
	for (i = 1; i < nitems(records); i++) {
		ATF_REQUIRE_EQ(0, journal_add(&jo, records[i]));
		ends[i] = jo.jo_end;
	}
	ATF_CHECK_EQ(nitems(records), jo.jo_records);
	journal_close(&jo);
}

/* Reads as far as it goes. */
static int
read_all(int fd, struct journal_reader *jr)
{
	bool more = true;
	int error = 0;

	journal_rewind(jr, fd);
	while (error == 0 && more) {
		error = journal_next(jr, &more);
		if (error == 0 && more)
			ATF_CHECK_STREQ(records[jr->jr_line - 1], jr->jr_text);
	}
	journal_reader_free(jr);
	return (error);
}

ATF_TC(journal__cut_anywhere);
ATF_TC_HEAD(journal__cut_anywhere, tc)
{

	atf_tc_set_md_var(tc, "descr", "Of a journal cut at any byte the whole "
	    "records are read, and the next is written behind them");
}
ATF_TC_BODY(journal__cut_anywhere, tc)
{
	off_t ends[nitems(records)], length;
	struct journal_reader jr;
	struct journal jo;
	unsigned whole;
	pid_t other;
	int fd;

	(void)tc;
	make(ends);
	for (length = ends[nitems(records) - 1]; length >= 0; length--) {
		/* From the longest to the shortest, each cut of the last. */
		ATF_REQUIRE(truncate(path, length) == 0);
		for (whole = 0; whole < nitems(records) &&
		    ends[whole] <= length; whole++)
			continue;
		fd = open(path, O_RDONLY);
		ATF_REQUIRE(fd != -1);
		ATF_CHECK_EQ(0, read_all(fd, &jr));
		close(fd);
		ATF_CHECK_EQ_MSG(whole, jr.jr_line, "cut at %ld: %u, not %u",
		    (long)length, (unsigned)jr.jr_line, whole);
		if (whole == 0 || whole == nitems(records))
			continue;
		ATF_REQUIRE_EQ(0, journal_claim(&jo, path, false, &other));
		ATF_REQUIRE_EQ(0, read_all(jo.jo_fd, &jr));
		ATF_REQUIRE_EQ(0, journal_settle(&jo, &jr));
		ATF_REQUIRE_EQ(0, journal_add(&jo, records[whole]));
		ATF_CHECK_EQ(ends[whole], jo.jo_end);
		journal_close(&jo);
	}
}

ATF_TC(journal__damage_is_seen);
ATF_TC_HEAD(journal__damage_is_seen, tc)
{

	atf_tc_set_md_var(tc, "descr", "A change of any bit is damage, and the "
	    "line is told; but for that of the last newline, which cuts");
}
ATF_TC_BODY(journal__damage_is_seen, tc)
{
	off_t ends[nitems(records)], at;
	struct journal_reader jr;
	unsigned bit, line;
	char byte, other;
	int error, fd;

	(void)tc;
	make(ends);
	fd = open(path, O_RDWR);
	ATF_REQUIRE(fd != -1);
	for (at = 0; at < ends[nitems(records) - 1]; at++) {
		ATF_REQUIRE_EQ(1, pread(fd, &byte, 1, at));
		for (line = 0; ends[line] <= at; line++)
			continue;
		for (bit = 0; bit < 8; bit++) {
			other = (char)(byte ^ 1 << bit);
			ATF_REQUIRE_EQ(1, pwrite(fd, &other, 1, at));
			error = read_all(fd, &jr);
			ATF_CHECK_EQ_MSG(at == ends[nitems(records) - 1] - 1 ?
			    0 : EINVAL, error, "byte %ld, bit %u: %d",
			    (long)at, bit, error);
			ATF_CHECK_EQ(line, jr.jr_line);
		}
		ATF_REQUIRE_EQ(1, pwrite(fd, &byte, 1, at));
	}
	ATF_CHECK_EQ(0, read_all(fd, &jr));
	ATF_CHECK_EQ(nitems(records), jr.jr_line);
	close(fd);
}

ATF_TC(journal__full_disk);
ATF_TC_HEAD(journal__full_disk, tc)
{

	atf_tc_set_md_var(tc, "descr", "A record that does not fit leaves "
	    "those before it, and later ones can be added");
}
ATF_TC_BODY(journal__full_disk, tc)
{
	off_t ends[nitems(records)];
	struct journal_reader jr;
	struct rlimit limit;
	struct journal jo;
	pid_t other;

	(void)tc;
	make(ends);
	ATF_REQUIRE(truncate(path, ends[1]) == 0);
	ATF_REQUIRE_EQ(0, journal_claim(&jo, path, false, &other));
	ATF_REQUIRE_EQ(0, read_all(jo.jo_fd, &jr));
	ATF_REQUIRE_EQ(0, journal_settle(&jo, &jr));
	/* A file that may not grow stands for a disk that is full. */
	ATF_REQUIRE(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	ATF_REQUIRE(getrlimit(RLIMIT_FSIZE, &limit) == 0);
	limit.rlim_cur = (rlim_t)ends[1] + 10;
	ATF_REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	ATF_CHECK_EQ(EFBIG, journal_add(&jo, records[2]));
	ATF_CHECK_EQ(2, jo.jo_records);
	ATF_CHECK_EQ(0, read_all(jo.jo_fd, &jr));
	ATF_CHECK_EQ(2, jr.jr_line);
	limit.rlim_cur = limit.rlim_max;
	ATF_REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	ATF_CHECK_EQ(0, journal_add(&jo, records[2]));
	ATF_CHECK_EQ(0, read_all(jo.jo_fd, &jr));
	ATF_CHECK_EQ(3, jr.jr_line);
	journal_close(&jo);
}

ATF_TC(journal__belongs_to_one);
ATF_TC_HEAD(journal__belongs_to_one, tc)
{

	atf_tc_set_md_var(tc, "descr", "Another process is told who has it, "
	    "and has it when that has ended");
}
ATF_TC_BODY(journal__belongs_to_one, tc)
{
	struct journal jo;
	pid_t child, other, parent = getpid();
	int status;

	(void)tc;
	ATF_REQUIRE_EQ(0, journal_claim(&jo, path, true, &other));
	child = fork();
	ATF_REQUIRE(child != -1);
	if (child == 0) {
		struct journal its;

		_exit(journal_claim(&its, path, true, &other) == EBUSY &&
		    other == parent ? 0 : 1);
	}
	ATF_REQUIRE_EQ(child, waitpid(child, &status, 0));
	ATF_CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	/* An empty one is of no use to anybody. */
	journal_close(&jo);
	ATF_CHECK(access(path, F_OK) != 0);
	ATF_CHECK_EQ(ENOENT, journal_claim(&jo, path, false, &other));
	journal_close(&jo);
}

ATF_TC(journal__what_was_done_is_kept);
ATF_TC_HEAD(journal__what_was_done_is_kept, tc)
{

	atf_tc_set_md_var(tc, "descr", "Beginning anew keeps a journal that "
	    "has more than its first record, and no other");
}
ATF_TC_BODY(journal__what_was_done_is_kept, tc)
{
	off_t ends[nitems(records)];
	struct journal jo;
	struct stat sb;
	pid_t other;
	bool kept;

	(void)tc;
	make(ends);
	ATF_REQUIRE_EQ(0, journal_claim(&jo, path, true, &other));
	ATF_REQUIRE_EQ(0, journal_begin(&jo, records[0], &kept));
	ATF_CHECK(kept);
	journal_close(&jo);
	ATF_REQUIRE(stat("r.json.journal.old", &sb) == 0);
	ATF_CHECK_EQ(ends[nitems(records) - 1], sb.st_size);
	ATF_REQUIRE(stat(path, &sb) == 0);
	ATF_CHECK_EQ(ends[0], sb.st_size);
	ATF_REQUIRE(unlink("r.json.journal.old") == 0);
	ATF_REQUIRE_EQ(0, journal_claim(&jo, path, true, &other));
	ATF_REQUIRE_EQ(0, journal_begin(&jo, records[0], &kept));
	ATF_CHECK(!kept);
	ATF_REQUIRE_EQ(0, journal_remove(&jo));
	ATF_CHECK(access("r.json.journal.old", F_OK) != 0);
	ATF_CHECK(access(path, F_OK) != 0);
}

ATF_TC(journal__only_in_regular_files);
ATF_TC_HEAD(journal__only_in_regular_files, tc)
{

	atf_tc_set_md_var(tc, "descr", "Folders, links and pipes in its place "
	    "are refused and stay");
}
ATF_TC_BODY(journal__only_in_regular_files, tc)
{
	struct journal jo;
	struct stat sb;
	pid_t other;

	(void)tc;
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

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, journal__cut_anywhere);
	ATF_TP_ADD_TC(tp, journal__damage_is_seen);
	ATF_TP_ADD_TC(tp, journal__full_disk);
	ATF_TP_ADD_TC(tp, journal__belongs_to_one);
	ATF_TP_ADD_TC(tp, journal__what_was_done_is_kept);
	ATF_TP_ADD_TC(tp, journal__only_in_regular_files);
	return (atf_no_error());
}
