#include <sys/resource.h>
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <atf-c.h>

#include "bench/console/outfile.h"

static const char path[] = "result.json";

static void
write_old(const char *text)
{
	FILE *out;

	out = fopen(path, "w");
	ATF_REQUIRE(out != NULL);
	fputs(text, out);
	ATF_REQUIRE(fclose(out) == 0);
}

static void
require_content(const char *want)
{
	char text[64] = "";
	FILE *in;

	in = fopen(path, "r");
	ATF_REQUIRE(in != NULL);
	ATF_REQUIRE(fread(text, 1, sizeof(text) - 1, in) == strlen(want));
	fclose(in);
	ATF_CHECK_STREQ(want, text);
}

/* Temporary files lying about. */
static unsigned
leftovers(void)
{
	struct dirent *entry;
	unsigned n = 0;
	DIR *dir;

	dir = opendir(".");
	ATF_REQUIRE(dir != NULL);
	while ((entry = readdir(dir)) != NULL)
		n += strstr(entry->d_name, ".tmp.") != NULL;
	closedir(dir);
	return (n);
}

ATF_TC(outfile_commit__replaces_at_once);
ATF_TC_HEAD(outfile_commit__replaces_at_once, tc)
{

	atf_tc_set_md_var(tc, "descr", "Until the end the old content stands; "
	    "then the new one, with the old one's permissions");
}
ATF_TC_BODY(outfile_commit__replaces_at_once, tc)
{
	struct outfile of;
	struct stat sb;

	(void)tc;
	write_old("old");
	ATF_REQUIRE(chmod(path, 0640) == 0);
	ATF_REQUIRE_EQ(0, outfile_open(&of, path));
	require_content("old");
	ATF_CHECK_EQ(1, leftovers());
	ATF_REQUIRE_EQ(0, outfile_commit(&of, "new text", 8));
	require_content("new text");
	ATF_CHECK_EQ(0, leftovers());
	ATF_REQUIRE(stat(path, &sb) == 0);
	ATF_CHECK_EQ(0640, sb.st_mode & 07777);
	outfile_abort(&of);
	require_content("new text");
}

ATF_TC(outfile_commit__keeps_the_old_when_the_disk_is_full);
ATF_TC_HEAD(outfile_commit__keeps_the_old_when_the_disk_is_full, tc)
{

	atf_tc_set_md_var(tc, "descr", "A write that fails half way leaves "
	    "the old content whole and nothing beside it");
}
ATF_TC_BODY(outfile_commit__keeps_the_old_when_the_disk_is_full, tc)
{
	static char text[100000];
	struct rlimit limit = { 4096, 4096 };
	struct outfile of;

	(void)tc;
	write_old("old");
	memset(text, 'x', sizeof(text));
	/* A file that may not grow stands for a disk that is full. */
	ATF_REQUIRE(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	ATF_REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	ATF_REQUIRE_EQ(0, outfile_open(&of, path));
	ATF_CHECK_EQ(EFBIG, outfile_commit(&of, text, sizeof(text)));
	require_content("old");
	ATF_CHECK_EQ(0, leftovers());
}

ATF_TC(outfile_abort__leaves_nothing);
ATF_TC_HEAD(outfile_abort__leaves_nothing, tc)
{

	atf_tc_set_md_var(tc, "descr", "A run that failed neither makes nor "
	    "changes a file");
}
ATF_TC_BODY(outfile_abort__leaves_nothing, tc)
{
	struct outfile of;

	(void)tc;
	ATF_REQUIRE_EQ(0, outfile_open(&of, path));
	outfile_abort(&of);
	outfile_abort(&of);
	ATF_CHECK(access(path, F_OK) != 0);
	ATF_CHECK_EQ(0, leftovers());
}

ATF_TC(outfile_open__refuses_early);
ATF_TC_HEAD(outfile_open__refuses_early, tc)
{

	atf_tc_set_md_var(tc, "descr", "What cannot become a file is refused "
	    "before anything is measured");
}
ATF_TC_BODY(outfile_open__refuses_early, tc)
{
	struct outfile of = { .of_fd = -5 };

	(void)tc;
	ATF_CHECK_EQ(EISDIR, outfile_open(&of, "."));
	ATF_CHECK_EQ(ENOENT, outfile_open(&of, "absent/result.json"));
	ATF_CHECK_EQ(ENOENT, outfile_open(&of, ""));
	write_old("old");
	ATF_CHECK_EQ(ENOTDIR, outfile_open(&of, "result.json/x"));
	ATF_CHECK_EQ(-5, of.of_fd);
}

ATF_TC(outfile_open__passes_by_what_a_killed_run_left);
ATF_TC_HEAD(outfile_open__passes_by_what_a_killed_run_left, tc)
{

	atf_tc_set_md_var(tc, "descr", "In a container every run may have the "
	    "same process id, and so the same name for its file");
}
ATF_TC_BODY(outfile_open__passes_by_what_a_killed_run_left, tc)
{
	struct outfile killed, of;

	(void)tc;
	ATF_REQUIRE_EQ(0, outfile_open(&killed, path));
	ATF_REQUIRE_EQ(0, outfile_open(&of, path));
	ATF_REQUIRE_EQ(0, outfile_commit(&of, "new", 3));
	require_content("new");
	outfile_abort(&killed);
	require_content("new");
}

ATF_TC(outfile_commit__follows_links);
ATF_TC_HEAD(outfile_commit__follows_links, tc)
{

	atf_tc_set_md_var(tc, "descr", "The file that a symbolic link names is "
	    "replaced, not the link");
}
ATF_TC_BODY(outfile_commit__follows_links, tc)
{
	struct outfile of;
	struct stat sb;

	(void)tc;
	write_old("old");
	ATF_REQUIRE(symlink(path, "link") == 0);
	ATF_REQUIRE_EQ(0, outfile_open(&of, "link"));
	ATF_REQUIRE_EQ(0, outfile_commit(&of, "new", 3));
	require_content("new");
	ATF_REQUIRE(lstat("link", &sb) == 0);
	ATF_CHECK(S_ISLNK(sb.st_mode));
}

ATF_TC(outfile_commit__writes_devices_directly);
ATF_TC_HEAD(outfile_commit__writes_devices_directly, tc)
{

	atf_tc_set_md_var(tc, "descr", "Devices are not replaced by files");
}
ATF_TC_BODY(outfile_commit__writes_devices_directly, tc)
{
	struct outfile of;
	struct stat sb;

	(void)tc;
	ATF_REQUIRE_EQ(0, outfile_open(&of, "/dev/null"));
	ATF_REQUIRE_EQ(0, outfile_commit(&of, "text", 4));
	ATF_REQUIRE(stat("/dev/null", &sb) == 0);
	ATF_CHECK(S_ISCHR(sb.st_mode));
	ATF_REQUIRE_EQ(0, outfile_open(&of, "/dev/stdout"));
	ATF_REQUIRE_EQ(0, outfile_commit(&of, "", 0));
	ATF_CHECK(fcntl(STDOUT_FILENO, F_GETFD) != -1);
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, outfile_commit__replaces_at_once);
	ATF_TP_ADD_TC(tp, outfile_commit__keeps_the_old_when_the_disk_is_full);
	ATF_TP_ADD_TC(tp, outfile_abort__leaves_nothing);
	ATF_TP_ADD_TC(tp, outfile_open__refuses_early);
	ATF_TP_ADD_TC(tp, outfile_open__passes_by_what_a_killed_run_left);
	ATF_TP_ADD_TC(tp, outfile_commit__follows_links);
	ATF_TP_ADD_TC(tp, outfile_commit__writes_devices_directly);
	return (atf_no_error());
}
