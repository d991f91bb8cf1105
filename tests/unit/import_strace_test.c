#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/workload/recording.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"

static char message[LINES_ERROR_SIZE];

/*
 * Imports text and compares what came of it: "NAME:AT_US+BYTES,..." for each
 * stream, blanks between.
 */
static void
expect(const char *text, const char *streams, struct import_summary *iu)
{
	struct recording rec;
	char got[1024] = "";
	size_t n;

	atf_utils_create_file("trace", "%s", text);
	message[0] = '\0';
	ATF_REQUIRE_EQ_MSG(0, import_load("trace", &rec, iu, message), "%s",
	    message);
	for (unsigned i = 0; i < rec.rec_count; i++) {
		const struct recording_stream *rm = &rec.rec_streams[i];

		n = strlen(got);
		snprintf(got + n, sizeof(got) - n, "%s%s", i == 0 ? "" : " ",
		    rm->rcs_name);
		for (size_t k = 0; k < rm->rcs_count; k++) {
			n = strlen(got);
			snprintf(got + n, sizeof(got) - n, "%c%" PRIu64 "+%"
			    PRIu32, k == 0 ? ':' : ',',
			    rm->rcs_requests[k].rq_at_ns / 1000,
			    rm->rcs_requests[k].rq_bytes);
		}
	}
	ATF_CHECK_STREQ(streams, got);
	recording_free(&rec);
}

TEST(import_strace__one_process, "A trace without -f: calls, failures, "
    "signals, other calls, and what buffers show")
{
	struct import_summary iu;

	expect("     0.000000 getrandom(\"\\x40\\x73\", 2, 0) = 2\n"
	    "     0.000100 getrandom(0x7ffd, 16, GRND_NONBLOCK) = -1 EAGAIN "
	    "(Resource temporarily unavailable)\n"
	    "     0.000010 --- SIGCHLD {si_signo=SIGCHLD, si_uid=0} ---\n"
	    "     0.000001 getrandom(\"a) = 99 \\\"b\"..., 4096, 0)     = 256\n"
	    "     0.000001 getrandom(\"\", 0, 0) = 0\n"
	    "     0.000001 getrandom(0x7ffd, 8, 0) = ? ERESTARTSYS (To be "
	    "restarted if SA_RESTART is set)\n"
	    "     0.000001 getrandom(\"\\x01\"..., 8, 0) = 8 <0.000020>\n"
	    "     0.000001 exit_group(0) = ?\r\n"
	    "     0.000886 +++ exited with 0 +++\n",
	    "pid-0:0+2,111+256,114+8", &iu);
	ATF_CHECK_EQ(3, iu.iu_count[IMPORT_RANDOM]);
	ATF_CHECK_EQ(1, iu.iu_threads);
	ATF_CHECK_EQ(3, iu.iu_count[IMPORT_FAILED]);
	ATF_CHECK_EQ(1, iu.iu_count[IMPORT_OTHER]);
}

TEST(import_strace__reads, "Reads count where -y shows the device, and only "
    "there")
{
	struct import_summary iu;

	expect("7 0.000000 read(3</dev/urandom>, \"\\x40\"..., 32) = 32\n"
	    "7 0.000001 read(4</dev/random<char 1:8>>, \"\\x40\", 1) = 1\n"
	    "7 0.000001 read(3, \"\\x40\"..., 33) = 33\n"
	    "7 0.000001 read(3</tmp/dev/urandom>, \"\\x40\"..., 34) = 34\n"
	    "7 0.000001 read(3</dev/urandom2>, \"\\x40\"..., 35) = 35\n"
	    "7 0.000001 read(3</tmp/a) = 4>, \"\\x40\"..., 36) = 36\n"
	    "7 0.000001 read(3</dev/urandom>,  <unfinished ...>\n"
	    "7 0.000001 <... read resumed>\"\\x40\"..., 37) = 37\n"
	    "7 0.000001 read(0</dev/null>,  <unfinished ...>\n"
	    "7 0.000001 <... read resumed>\"\", 38) = 0\n",
	    "pid-7:0+32,1+1,6+37", &iu);
	ATF_CHECK_EQ(1, iu.iu_count[IMPORT_READ_UNKNOWN]);
	ATF_CHECK_EQ(4, iu.iu_count[IMPORT_READ_OTHER]);
}

/* Times are since the line before, of any thread. */
TEST(import_strace__unfinished, "A call that was begun on an earlier line "
    "began then; interleaved with another's")
{
	struct import_summary iu;

	expect("10 0.000000 getrandom( <unfinished ...>\n"
	    "11 0.000010 getrandom( <unfinished ...>\n"
	    "11 0.000010 <... getrandom resumed>\"\\x00\", 1, 0) = 1\n"
	    "10 0.000010 <... getrandom resumed>0x7ff, 16, 0) = ? ERESTARTSYS "
	    "(To be restarted)\n"
	    "10 0.000010 getrandom(\"\\x00\", 3, 0) = 3\n"
	    "12 0.000010 <... getrandom resumed>\"\\x00\", 4, 0) = 4\n"
	    "10 0.000010 getrandom( <unfinished ...>\n"
	    "11 0.000005 getrandom( <unfinished ...>\n"
	    "11 0.000005 +++ killed by SIGKILL +++\n"
	    "10 0.000010 <... getrandom resumed> <unfinished ...>) = ?\n",
	    "pid-10:40+3 pid-11:10+1 pid-12:50+4", &iu);
	ATF_CHECK_EQ(2, iu.iu_count[IMPORT_FAILED]);
	/* The end of the first one's line was lost, or came late. */
	expect("10 0.000000 getrandom( <unfinished ...>\n"
	    "10 0.000010 getrandom(\"\\x00\", 3, 0) = 3\n"
	    "10 0.000010 <... getrandom resumed>\"\\x00\", 1, 0) = 1\n",
	    "pid-10:10+3,10+1", &iu);
}

TEST(import_strace__streams, "A thread goes on with the stream of one that "
    "ended before its birth; a pid may come back")
{
	struct import_summary iu;

	expect("30 0.000000 getrandom(\"\\x00\", 1, 0) = 1\n"
	    "31 0.000001 getrandom(\"\\x00\", 2, 0) = 2\n"
	    "31 0.000001 +++ exited with 0 +++\n"
	    "32 0.000001 getrandom(\"\\x00\", 3, 0) = 3\n"
	    "33 0.000001 read(3</etc/passwd>, \"\", 9) = 0\n"
	    "32 0.000001 +++ exited with 0 +++\n"
	    "33 0.000001 getrandom(\"\\x00\", 4, 0) = 4\n"
	    "31 0.000001 getrandom(\"\\x00\", 5, 0) = 5\n"
	    "33 0.000001 +++ exited with 0 +++\n"
	    "31 0.000001 +++ exited with 0 +++\n"
	    "34 0.000001 +++ exited with 0 +++\n",
	    "processes-2:1+2,3+3,7+5 pid-30:0+1 pid-33:6+4", &iu);
	ATF_CHECK_EQ(5, iu.iu_threads);
}

TEST(import_strace__refuses, "What is no trace, or of no use: file, line, and "
    "what is expected")
{
#define	OK	"9 0.000001 getrandom(\"\\x00\", 1, 0) = 1\n"
#define	BEGUN "9 0.000001 getrandom( <unfinished ...>\n"
	static const struct {
		const char *text, *say;
	} rows[] = {
		{ "", "trace: no request for random bytes" },
		{ "9 0.1 +++ exited with 0 +++\n", "trace: no request" },
		{ "hello\n", "trace:1: \"hello\": expected \"PID SECONDS" },
		{ OK "hello (world) = 5\n", "trace:2: \"hello\": expected" },
		{ OK "{\n", "trace:2: \"{\": expected" },
		{ OK "9 0.000001 hello\n", "trace:2: \"hello\": expected" },
		{ OK "9 0.000001\n", "trace:2: \"\": expected" },
		{ OK "9 0.000001 \n", "trace:2: \"\": expected" },
		{ OK "[pid 9] 0.000001 getrandom(\n", "trace:2: \"[pid\"" },
		{ OK "9 0.x getrandom(\"\", 1, 0) = 1\n", "trace:2: \"0.x\"" },
		{ "getrandom(\"\\x00\", 1, 0) = 1\n",
		    "trace:1: \"getrandom(" },
		{ "9 getrandom(\"\\x00\", 1, 0) = 1\n",
		    "trace:1: \"getrandom(" },
		{ "9 12:00:00.123456 getrandom(\"\", 1, 0) = 1\n",
		    "trace:1: \"12:00:00.123456\": expected" },
		{ "9 1763740000.123 getrandom(\"\", 1, 0) = 1\n",
		    "trace:1: later than a week" },
		{ OK "9 604800.0 getrandom(\"\", 1, 0) = 1\n",
		    "trace:2: later than a week" },
		{ "9 0.0 getrandom(\"\\x00\", 1, 0) = 1\n",
		    "trace: all of it happens at the same time" },
		{ OK "9 0.000001 getrandom(\"\\x00\\x",
		    "trace:2: result \"\": expected bytes" },
		{ OK "9 0.000001 getrandom(\"\\x00\", 1, 0) =",
		    "trace:2: result \"\"" },
		{ OK "9 0.000001 getrandom(\"\", 1, 0) = x\n",
		    "trace:2: result \"x\"" },
		{ OK "9 0.000001 getrandom(\"\", 1, 0) = 1073741825\n",
		    "trace:2: result \"1073741825\"" },
		{ OK "9 0.000001 getrandom(\"\", 1, 0) = 99999999999999999999"
		    "\n", "trace:2: result \"9999" },
		{ OK "9 0.000001 <...getrandom resumed>) = 1\n", "trace:2: " },
		{ OK BEGUN "9 0.000001 <... getrandom resumed>\n",
		    "trace:3: result \"\"" },
	};
#undef BEGUN
#undef OK
	struct import_summary iu;
	struct recording rec;
	unsigned i;

	for (i = 0; i < nitems(rows); i++) {
		atf_utils_create_file("trace", "%s", rows[i].text);
		message[0] = '\0';
		ATF_CHECK_EQ_MSG(EINVAL, import_load("trace", &rec, &iu,
		    message), "%s", rows[i].text);
		ATF_CHECK_MSG(strncmp(message, rows[i].say,
		    strlen(rows[i].say)) == 0, "%s: %s", rows[i].text, message);
		ATF_CHECK_EQ(0, rec.rec_count);
	}
	ATF_CHECK_EQ(ENOENT, import_load("nonesuch", &rec, &iu, message));
}

/* Every beginning of a trace is read or refused, and nothing worse. */
TEST(import_strace__cut_anywhere, "A trace cut off at any byte, or with a byte "
    "changed, does no harm")
{
	static const char whole[] =
	    "8 0.000001 getrandom(\"\\x00\", 1, 0) = 1\n"
	    "7 0.000001 getrandom( <unfinished ...>\n"
	    "8 0.000001 +++ exited with 0 +++\n"
	    "7 0.000001 <... getrandom resumed>\"\\x00\", 4, 0) = 4\n"
	    "7 0.000001 read(3</dev/urandom>, \"\", 4) = 4\n";
	struct import_summary iu;
	struct recording rec;
	char text[sizeof(whole)];
	uint64_t state = 1;
	size_t n;

	for (n = 0; n < 2 * sizeof(whole); n++) {
		memcpy(text, whole, sizeof(whole));
		if (n < sizeof(whole))
			text[n] = '\0';
		else
			text[n - sizeof(whole)] =
			    (char)(support_draw(&state) % 255 + 1);
		text[sizeof(text) - 1] = '\0';
		atf_utils_create_file("trace", "%s", text);
		message[0] = '\0';
		if (import_load("trace", &rec, &iu, message) == 0)
			ATF_CHECK(recording_requests(&rec) ==
			    iu.iu_count[IMPORT_RANDOM]);
		else
			ATF_CHECK(strncmp(message, "trace:", 6) == 0);
		recording_free(&rec);
	}
}

TEST_PROGRAM()
