#include <sys/resource.h>
#include <sys/stat.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/cli/atomic_file.h"
#include "tests/unit/test.h"

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

TEST(atomic_file_commit__replaces_at_once, "Until the end the old content "
    "stands; then the new one, with the old one's permissions")
{
	struct stat sb;

	(void)tc;
	write_old("old");
	ATF_REQUIRE(chmod(path, 0640) == 0);
	ATF_REQUIRE_EQ(0, atomic_file_open(path, NULL));
	require_content("old");
	ATF_CHECK_EQ(1, leftovers());
	ATF_REQUIRE_EQ(0, atomic_file_commit(path, "new text", 8));
	require_content("new text");
	ATF_CHECK_EQ(0, leftovers());
	ATF_REQUIRE(stat(path, &sb) == 0);
	ATF_CHECK_EQ(0640, sb.st_mode & 07777);
	atomic_file_abort_all();
	require_content("new text");
}

TEST(atomic_file_commit__keeps_the_old_when_the_disk_is_full,
    "A write that fails half way leaves the old content whole and nothing "
    "beside it")
{
	static char text[100000];
	struct rlimit limit = { 4096, 4096 };

	(void)tc;
	write_old("old");
	memset(text, 'x', sizeof(text));
	/* A file that may not grow stands for a disk that is full. */
	ATF_REQUIRE(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	ATF_REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	ATF_REQUIRE_EQ(0, atomic_file_open(path, NULL));
	ATF_CHECK_EQ(EFBIG, atomic_file_commit(path, text, sizeof(text)));
	require_content("old");
	ATF_CHECK_EQ(0, leftovers());
}

TEST(atomic_file_abort__leaves_nothing, "A run that failed neither makes nor "
    "changes a file")
{

	(void)tc;
	ATF_REQUIRE_EQ(0, atomic_file_open(path, NULL));
	atomic_file_abort_all();
	atomic_file_abort_all();
	ATF_CHECK(access(path, F_OK) != 0);
	ATF_CHECK_EQ(0, leftovers());
}

TEST(atomic_file_open__refuses_early, "What cannot become a file is refused "
    "before anything is measured")
{

	(void)tc;
	ATF_CHECK_EQ(EISDIR, atomic_file_open(".", NULL));
	ATF_CHECK_EQ(ENOENT, atomic_file_open("absent/result.json", NULL));
	ATF_CHECK_EQ(ENOENT, atomic_file_open("", NULL));
	write_old("old");
	ATF_CHECK_EQ(ENOTDIR, atomic_file_open("result.json/x", NULL));
}

TEST(atomic_file_open__passes_by_what_a_killed_run_left, "In a container every "
    "run may have the same process id, and so the same name for its file")
{

	(void)tc;
	ATF_REQUIRE_EQ(0, atomic_file_open(path, NULL));
	ATF_REQUIRE_EQ(0, atomic_file_open(path, NULL));
	ATF_REQUIRE_EQ(0, atomic_file_commit(path, "new", 3));
	require_content("new");
	atomic_file_abort_all();
	require_content("new");
}

TEST(atomic_file_commit__follows_links, "The file that a symbolic link names "
    "is replaced, not the link")
{
	static const char name[] = "link";
	struct stat sb;

	(void)tc;
	write_old("old");
	ATF_REQUIRE(symlink(path, name) == 0);
	ATF_REQUIRE_EQ(0, atomic_file_open(name, NULL));
	ATF_REQUIRE_EQ(0, atomic_file_commit(name, "new", 3));
	require_content("new");
	ATF_REQUIRE(lstat(name, &sb) == 0);
	ATF_CHECK(S_ISLNK(sb.st_mode));
}

TEST(atomic_file_commit__writes_devices_directly, "Devices are not replaced by "
    "files")
{
	static const char null[] = "/dev/null", out[] = "/dev/stdout";
	struct stat sb;

	(void)tc;
	ATF_REQUIRE_EQ(0, atomic_file_open(null, NULL));
	ATF_REQUIRE_EQ(0, atomic_file_commit(null, "text", 4));
	ATF_REQUIRE(stat(null, &sb) == 0);
	ATF_CHECK(S_ISCHR(sb.st_mode));
	ATF_REQUIRE_EQ(0, atomic_file_open(out, NULL));
	ATF_REQUIRE_EQ(0, atomic_file_commit(out, "", 0));
	ATF_CHECK(fcntl(STDOUT_FILENO, F_GETFD) != -1);
}

TEST_PROGRAM()
