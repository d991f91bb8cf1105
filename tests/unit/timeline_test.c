/*
 * Timelines: from a machine's events to a file.  Most events are written out
 * here; those of the last cases are the virtual machine's.
 */
#define	MACHINE_VIRTUAL
#define	FLAVOUR	virtual

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "bench/timeline/timeline.h"
#include "lib/lock/lock.h"
#include "tests/unit/test.h"
#include "tests/unit/vm_fixture.h"

#define	NS	UINT64_C(1000)
#define	US	(1000 * NS)

static const struct timeline_span all = { 0, 1000 * US };

/* The timeline that is made, what is missing from it, and its file. */
static const struct vm_observer *vb;
static char remark[TIMELINE_REMARK_SIZE];
static json_t *root;

static void
open_timeline(unsigned cpus, const struct timeline_span *ts, uint32_t events)
{
	vb = timeline_new(cpus, ts, events);
}

static void
tell(uint64_t ps, enum vm_event_kind kind, unsigned thread, int cpu,
    const void *lock, const char *detail)
{
	const struct vm_note vn = { .vn_kind = kind, .vn_time_ps = ps,
	    .vn_thread = thread, .vn_cpu = cpu, .vn_lock = lock,
	    .vn_detail = detail };

	vb->vb_note(vb->vb_context, &vn);
}

/*
 * Events, each "NS THREAD VERB [WORD]" and separated by ";".  The word is a
 * thread's name, a CPU, why it is left, or a lock.
 */
static void
script(const char *text)
{
	static const char *const verbs[] = { [VM_THREAD_START] = "start",
	    [VM_THREAD_END] = "end", [VM_CPU_ON] = "on", [VM_CPU_OFF] = "off",
	    [VM_LOCK_WAIT] = "ask", [VM_LOCK_HELD] = "get",
	    [VM_LOCK_FREE] = "free", [VM_MARK] = "mark" };
	static const char locks[128];
	char verb[8], word[32];
	unsigned kind, ns, thread;

	for (; *text != '\0'; text += *text == ';') {
		word[0] = '\0';
		ATF_REQUIRE(sscanf(text, "%u %u %7[a-z] %31[^; ]", &ns,
		    &thread, verb, word) >= 3);
		for (kind = 0; strcmp(verbs[kind], verb) != 0; kind++)
			ATF_REQUIRE(kind + 1 < nitems(verbs));
		tell(ns * NS, (enum vm_event_kind)kind, thread, kind ==
		    VM_CPU_ON ? atoi(word) : -1, &locks[(unsigned char)word[0]],
		    word);
		text += strcspn(text, ";");
	}
}

/* Threads 1 and 2, each on a CPU; the window opens at 1 us. */
static const char two[] = "0 1 start reader0; 0 2 start reader1;"
    "0 1 on 0; 0 2 on 1; 1000 0 mark window;";

/*
 * reader1 waits for reader0, loses its CPU meanwhile and gets the other; each
 * holds for 2 us.  Two locks' holds cross.
 */
static const char story[] =
    "1100 1 ask a; 1200 1 get a; 1300 2 ask a;"
    "1900 2 off sleeps; 2000 1 ask b; 2000 1 get b; 2200 1 free a;"
    "2500 1 free b; 2600 1 off sleeps; 3000 2 on 0; 3100 2 get a;"
    "3200 2 off preempted; 4000 2 on 1; 5000 2 free a;"
    "6000 2 end";

/* The story, with room for so many events. */
static void
tell_story(const struct timeline_span *ts, uint32_t events)
{
	open_timeline(2, ts, events);
	script(two);
	script(story);
}

static const char *
text_of(const json_t *event, const char *key)
{
	const char *text = json_string_value(json_object_get(event, key));

	return (text == NULL ? "" : text);
}

/* A number of us, as readers of the format take it: rounded to ns. */
static long
ns_of(const json_t *event, const char *key)
{
	const json_t *number = json_object_get(event, key);

	ATF_REQUIRE_MSG(json_is_number(number), "no %s", key);
	return ((long)(json_number_value(number) * 1000 + 0.5));
}

static long
track_of(const json_t *event)
{
	return ((long)json_integer_value(json_object_get(event, "tid")));
}

/* A process of the trace. */
enum { CPUS = 1, LOCKS, ASKS };

struct slice {
	long		 sl_pid;
	long		 sl_track;
	long		 sl_ts;
	long		 sl_dur;
	const char	*sl_name;
	const char	*sl_holder;
};

static struct slice slices[1 << 14];
static unsigned slice_count;

/* Collects the slices in order of beginning; all must end, at their depth. */
static void
read_slices(void)
{
	json_t *event, *events = json_object_get(root, "traceEvents");
	struct slice *open[64][64], *sl;
	long track[64], last = 0;
	unsigned depth[64] = { 0 };
	size_t i, k, n = 0;

	slice_count = 0;
	json_array_foreach(events, i, event) {
		if (strcmp(text_of(event, "ph"), "M") == 0)
			continue;
		for (k = 0; k < n && track[k] != track_of(event); k++)
			continue;
		ATF_REQUIRE(k < 64);
		if (k == n)
			track[n++] = track_of(event);
		ATF_CHECK(ns_of(event, "ts") >= last);
		last = ns_of(event, "ts");
		if (strcmp(text_of(event, "ph"), "E") == 0) {
			ATF_REQUIRE(depth[k] > 0);
			sl = open[k][--depth[k]];
			sl->sl_dur = last - sl->sl_ts;
			continue;
		}
		ATF_REQUIRE(slice_count < nitems(slices) && depth[k] < 64);
		sl = open[k][depth[k]++] = &slices[slice_count++];
		*sl = (struct slice){ (long)json_integer_value(
		    json_object_get(event, "pid")), track[k], last, -1,
		    text_of(event, "name"), text_of(json_object_get(event,
		    "args"), "held by") };
		ATF_CHECK(sl->sl_pid != LOCKS || depth[k] == 1);
	}
	for (k = 0; k < n; k++)
		ATF_CHECK_EQ(0, depth[k]);
}

/* Slices of a process and name, or any name. */
static unsigned
count_slices(long pid, const char *name)
{
	unsigned n = 0;

	for (unsigned i = 0; i < slice_count; i++)
		n += slices[i].sl_pid == pid && (name == NULL ||
		    strcmp(slices[i].sl_name, name) == 0);
	return (n);
}

/* The slice of a process and name, after so many others, has these times. */
static const struct slice *
check_slice(long pid, const char *name, unsigned skip, long ts_ns, long dur_ns)
{
	for (const struct slice *sl = slices; sl < slices + slice_count; sl++) {
		if (sl->sl_pid != pid || strcmp(sl->sl_name, name) != 0 ||
		    skip-- > 0)
			continue;
		ATF_CHECK_EQ_MSG(ts_ns, sl->sl_ts, "%s", name);
		ATF_CHECK_EQ_MSG(dur_ns, sl->sl_dur, "%s", name);
		return (sl);
	}
	atf_tc_fail("no %s", name);
}

static double
figure(const char *key)
{
	return (json_number_value(json_object_get(json_object_get(root,
	    "otherData"), key)));
}

/* Closes the file, loads it and checks what holds of every trace. */
static void
finish(void)
{
	char *text = timeline_end(vb, json_pack("{s:s}", "profile",
	    "made \"up\"\n"), remark);
	json_error_t why;

	json_decref(root);
	root = json_loads(text, JSON_REJECT_DUPLICATES, &why);
	free(text);
	ATF_REQUIRE_MSG(root != NULL, "%d: %s", why.line, why.text);
	ATF_REQUIRE_STREQ("ns", text_of(root, "displayTimeUnit"));
	ATF_CHECK_STREQ("made \"up\"\n", text_of(json_object_get(root,
	    "otherData"), "profile"));
	read_slices();
}

TEST(timeline_json__shows_events, "slices of runs, asking and holds, with "
    "their times and holders")
{
	const struct slice *sl;

	tell_story(&all, 1000);
	finish();
	ATF_CHECK_STREQ("", remark);
	ATF_CHECK_EQ(5, figure("until_us"));
	ATF_CHECK_EQ(0, figure("events_left_out"));
	/* A piece for each time on a CPU. */
	ATF_CHECK_EQ(3, count_slices(CPUS, "reader1"));
	ATF_CHECK_EQ(3, count_slices(CPUS, "ask a"));
	check_slice(CPUS, "ask a", 0, 100, 100);
	check_slice(CPUS, "ask a", 2, 2000, 100);
	ATF_CHECK_EQ(2, count_slices(LOCKS, "reader0"));
	check_slice(LOCKS, "reader0", 0, 200, 1000);
	check_slice(LOCKS, "reader1", 0, 2100, 1900);
	sl = check_slice(ASKS, "a", 1, 300, 1800);
	ATF_CHECK_STREQ("reader0", sl->sl_holder);
	sl = check_slice(ASKS, "a", 0, 100, 100);
	ATF_CHECK_STREQ("", sl->sl_holder);
	/* The outer hold ends first: the inner one begins anew. */
	check_slice(CPUS, "hold b", 0, 1000, 200);
	check_slice(CPUS, "hold b", 1, 1200, 300);
}

TEST(timeline_json__names, "names hold anything, and locks of one name differ")
{
	static const char nasty[] = "a\"\\\n\x01\xff</\t%s";
	json_t *event;
	size_t i;
	unsigned found = 0;

	open_timeline(2, &all, 1000);
	tell(0, VM_THREAD_START, 1, -1, NULL, nasty);
	script("0 1 on 0; 0 0 mark window");
	tell(1 * US, VM_LOCK_HELD, 1, -1, nasty, nasty);
	tell(1 * US, VM_LOCK_HELD, 1, -1, nasty + 1, "same");
	tell(1 * US, VM_LOCK_HELD, 1, -1, nasty + 2, "same");
	tell(3 * US, VM_LOCK_FREE, 1, -1, nasty, nasty);
	tell(4 * US, VM_CPU_OFF, 1, -1, NULL, nasty);
	finish();
	/* What is no UTF-8 cannot be kept. */
	ATF_CHECK_EQ(3, count_slices(LOCKS, "a\"\\\n\x01?</\t%s"));
	ATF_CHECK_EQ(2, count_slices(CPUS, "hold same"));
	ATF_CHECK_EQ(2, count_slices(CPUS, "hold same #2"));
	json_array_foreach(json_object_get(root, "traceEvents"), i, event)
		found += strcmp(text_of(json_object_get(event, "args"),
		    "name"), "same #2") == 0;
	ATF_CHECK_EQ(1, found);
}

TEST(timeline_span__cuts, "slices are cut where the span begins and ends")
{
	static const struct timeline_span span = { 500 * NS, 2500 * NS };

	tell_story(&span, 1000);
	finish();
	ATF_CHECK_EQ(0.5, figure("from_us"));
	ATF_CHECK_EQ(2.5, figure("until_us"));
	check_slice(LOCKS, "reader0", 0, 500, 700);
	check_slice(ASKS, "a", 0, 500, 1600);
	check_slice(LOCKS, "reader1", 0, 2100, 400);
}

TEST(timeline_limit__remarks, "the remark and the file count what is left "
    "out")
{
	for (uint32_t limit = 1; limit < 14; limit++) {
		tell_story(&all, limit);
		finish();
		ATF_CHECK_EQ(14 - limit, figure("events_left_out"));
		ATF_CHECK(figure("until_us") < 5);
		ATF_CHECK(strstr(remark, "left out") != NULL);
	}
}

TEST(timeline_early_end__is_valid, "a run that ends early leaves a valid file")
{
	/* Before the window. */
	open_timeline(2, &all, 1000);
	script("0 1 start reader0; 0 1 on 0");
	finish();
	ATF_CHECK(strstr(remark, "empty") != NULL);
	/* During a hold and a wait. */
	open_timeline(2, &all, 1000);
	script(two);
	script("2000 1 get a; 3000 2 ask a; 4000 2 off sleeps");
	finish();
	check_slice(LOCKS, "reader0", 0, 1000, 2000);
	check_slice(ASKS, "a", 0, 2000, 1000);
	/* Without any event. */
	open_timeline(2, &all, 1000);
	finish();
}

static void
assertion(const char *file, int line, const char *func, const char *expr,
    const char *msg)
{
	printf("%s:%d: %s: %s: %s\n", file, line, func, expr, msg);
	exit(EXIT_SUCCESS);
}

TEST(timeline_lock__two_holders, "of two holders of a lock the last has it; "
    "a release by a thread without it changes nothing")
{
	open_timeline(3, &all, 1000);
	script(two);
	script("2000 1 get a; 2500 3 free a; 3000 2 get a; 4000 1 free a;"
	    "5000 2 free a; 6000 1 ask a; 7000 1 ask b; 8000 1 get b");
	finish();
	ATF_CHECK_EQ(3, count_slices(LOCKS, NULL));
	check_slice(LOCKS, "reader0", 0, 1000, 1000);
	check_slice(LOCKS, "reader1", 0, 2000, 2000);
	check_slice(CPUS, "hold a", 0, 1000, 2000);
	check_slice(CPUS, "hold a", 1, 2000, 2000);
	check_slice(ASKS, "a", 0, 5000, 1000);
	check_slice(ASKS, "b", 0, 6000, 1000);
}

TEST(timeline_fault__bad_machine, "events of CPUs that contradict each other "
    "fail an assertion")
{
	static const char *const bads[] = { "3000 3 on 0", "3000 1 on 2",
	    "3000 3 off sleeps", "900 1 get a" };
	int status;
	pid_t pid;

	for (unsigned i = 0; i < nitems(bads); i++) {
		open_timeline(3, &all, 1000);
		script(two);
		script("2000 2 get b");
		pid = fork();
		if (pid == 0) {
			kassert_failed = assertion;
			script(bads[i]);
			_exit(EXIT_FAILURE);
		}
		ATF_REQUIRE_EQ(pid, waitpid(pid, &status, 0));
		ATF_CHECK_EQ_MSG(0, status, "%s", bads[i]);
		finish();
	}
}

TEST(timeline_fault__time_goes_back, "time may go back by what a thread may be "
    "ahead, and things nest")
{
	open_timeline(2, &all, 1000);
	script(two);
	script("2020 1 get a; 2000 2 ask a; 2005 1 off preempted;"
	    "2005 1 on 0; 3020 1 free a; 3010 2 get a; 4000 2 free a");
	finish();
	ATF_CHECK_STREQ("", remark);
}

/* A virtual machine of two CPUs, whose three threads share a lock. */
enum { SHARERS = 3, ROUNDS = 40 };

struct sharing {
	struct lock	 shd_lock;
	struct mthread	 sh_td[SHARERS];
	const char	*sh_kind;
};

static void
sharer_main(void *arg)
{
	struct sharing *sh = arg;
	struct lock_node node;

	for (unsigned i = 0; i < ROUNDS; i++) {
		lock_acquire(&sh->shd_lock, &node, 0);
		machine_charge(COST_WORK, 1000);
		lock_release(&sh->shd_lock, &node);
		machine_charge(COST_WORK, 300);
	}
}

static void
sharing_main(void *arg)
{
	struct lock_config config = lock_config_default(2);
	struct sharing *sh = arg;
	struct mthread td;
	int error;

	machine_attach(&td, "test");
	lock_init(&sh->shd_lock, lock_class_find(sh->sh_kind), "shared",
	    &config, NULL);
	machine_event(VM_MARK, NULL, "window");
	for (unsigned i = 0; i < SHARERS; i++) {
		error = machine_spawn(&sh->sh_td[i], "sharer",
		    MACHINE_CPU_ANY, sharer_main, sh);
		ATF_REQUIRE_EQ(0, error);
		sh->sh_td[i].mt_index = i;
	}
	for (unsigned i = 0; i < SHARERS; i++)
		machine_join(&sh->sh_td[i]);
	lock_fini(&sh->shd_lock);
	machine_detach();
}

/* Runs that machine with a kind of lock. */
static void
run_sharing(const char *kind)
{
	static _Alignas(MACHINE_CACHE_LINE) struct sharing sh;
	struct machine_outcome mo;
	struct machine_config mc = fixture_config(2, 1);
	int error;

	memset(&sh, 0, sizeof(sh));
	sh.sh_kind = kind;
	mc.mc_costs.vc_ps[PROFILE_OS_QUANTUM] = 20 * US;
	mc.mc_limit_ps = UINT64_C(1000) * 1000 * US;
	mc.mc_observer = vb;
	error = machine_run(&mc, sharing_main, &sh, &mo);
	ATF_REQUIRE_EQ_MSG(0, error, "%s: %s", kind, error == EDEADLK ?
	    mo.mo_stuck : strerror(error));
}

TEST(timeline_machine__every_lock_kind, "each lock kind gives a trace "
    "without contradiction")
{
	static const struct timeline_span span = { 0, 1000 * 1000 * US };
	const char *kind;

	for (unsigned i = 0; i < lock_class_count; i++) {
		if ((lock_classes[i]->lc_flags & LC_EXCLUDES) == 0)
			continue;
		kind = lock_classes[i]->lc_name;
		open_timeline(2, &span, 100000);
		run_sharing(kind);
		finish();
		ATF_CHECK_STREQ_MSG("", remark, "%s", kind);
		ATF_CHECK_EQ_MSG(SHARERS * ROUNDS, count_slices(LOCKS, NULL),
		    "%s", kind);
		ATF_CHECK_EQ_MSG(SHARERS * ROUNDS, count_slices(ASKS, NULL),
		    "%s", kind);
	}
}

/* Nothing is wrong with a trace whose lock has two holders: finish(). */
TEST(timeline_machine__broken_lock, "a lock without exclusion gives a valid "
    "trace, which shows the holds of all threads")
{
	unsigned holds = 0;

	open_timeline(2, &all, 100000);
	run_sharing("none");
	finish();
	for (unsigned i = 0; i < slice_count; i++)
		holds += slices[i].sl_pid == CPUS &&
		    strncmp(slices[i].sl_name, "hold ", 5) == 0;
	ATF_CHECK(holds >= SHARERS * ROUNDS);
}

TEST_PROGRAM()
