/*
 * Timelines: from a machine's events to files.  Most events are written out
 * here; those of the last cases are the virtual machine's.
 */
#define	MACHINE_VIRTUAL
#define	FLAVOUR	virtual

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "bench/timeline/timeline.h"
#include "lib/lock/lock.h"
#include "tests/unit/test.h"

#define	NS	UINT64_C(1000)
#define	US	(1000 * NS)

#ifndef nitems
#define	nitems(x)	(sizeof(x) / sizeof((x)[0]))
#endif

static const struct timeline_span all = { 0, 1000 * US };

/* The timeline that is made, what came of it, and its file. */
static struct timeline *tl;
static struct timeline_outcome to;
static json_t *root;

static void
open_timeline(const char *path, unsigned cpus, const struct timeline_span *ts,
    uint32_t slices)
{
	int error;

	error = timeline_open(&tl, path, cpus, ts, slices);
	ATF_REQUIRE_MSG(error == 0, "%s: %s", path, strerror(error));
}

static void
tell(uint64_t ps, enum vm_event_kind kind, unsigned thread, int cpu,
    const void *lock, uint64_t took_ps, const char *detail)
{
	const struct vm_observer *vo = timeline_observer(tl);
	const struct vm_note vn = { .vn_kind = kind, .vn_time_ps = ps,
	    .vn_thread = thread, .vn_cpu = cpu, .vn_lock = lock,
	    .vn_ps = took_ps, .vn_detail = detail };

	vo->vo_note(vo->vo_context, &vn);
}

/*
 * Events, each "NS THREAD VERB [WORD [NS]]" and separated by ";".  The word is
 * a thread's name, a CPU, why it is left, a lock or a kind of work.
 */
static void
script(const char *text)
{
	static const char *const verbs[] = { [VM_THREAD_START] = "start",
	    [VM_THREAD_END] = "end", [VM_CPU_ON] = "on", [VM_CPU_OFF] = "off",
	    [VM_LOCK_WAIT] = "ask", [VM_LOCK_HELD] = "get",
	    [VM_LOCK_FREE] = "free", [VM_WORK] = "work", [VM_MARK] = "mark" };
	static const char locks[128];
	char verb[8], word[32];
	unsigned kind, ns, thread, took;

	for (; *text != '\0'; text += *text == ';') {
		took = 0;
		word[0] = '\0';
		ATF_REQUIRE(sscanf(text, "%u %u %7[a-z] %31[^; ] %u", &ns,
		    &thread, verb, word, &took) >= 3);
		for (kind = 0; strcmp(verbs[kind], verb) != 0; kind++)
			ATF_REQUIRE(kind + 1 < nitems(verbs));
		tell(ns * NS, (enum vm_event_kind)kind, thread, kind ==
		    VM_CPU_ON ? atoi(word) : -1, &locks[(unsigned char)word[0]],
		    took * NS, word);
		text += strcspn(text, ";");
	}
}

static void
close_timeline(void)
{
	const struct timeline_fact facts[] = { { "profile", "made \"up\"\n" } };

	ATF_REQUIRE_EQ(0, timeline_close(tl, facts, nitems(facts), &to));
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

/* The story, with room for so many slices. */
static void
tell_story(const char *path, const struct timeline_span *ts, uint32_t slices)
{
	open_timeline(path, 2, ts, slices);
	script(two);
	script(story);
}

static void
load(const char *path)
{
	json_error_t why;

	json_decref(root);
	root = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
	ATF_REQUIRE_MSG(root != NULL, "%s:%d: %s", path, why.line, why.text);
	ATF_REQUIRE_STREQ("ns", json_string_value(json_object_get(root,
	    "displayTimeUnit")));
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

/* Closes t.json, loads it and checks what holds of every trace. */
static void
finish(void)
{
	close_timeline();
	load("t.json");
	read_slices();
}

TEST(timeline_json__shows_events, "slices of runs, asking and holds, with "
    "their times and holders")
{
	const struct slice *sl;

	tell_story("t.json", &all, 1000);
	finish();
	ATF_CHECK_STREQ("", to.to_remark);
	ATF_CHECK_EQ(5 * US, to.to_until_ps);
	ATF_CHECK_EQ(0, to.to_left_out);
	ATF_CHECK_STREQ("", to.to_fault);
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

TEST(timeline_json__escapes, "names hold anything")
{
	static const char nasty[] = "a\"\\\n\x01\xff</\t%s";

	open_timeline("t.json", 2, &all, 1000);
	tell(0, VM_THREAD_START, 1, -1, NULL, 0, nasty);
	script("0 1 on 0; 0 0 mark window");
	tell(1 * US, VM_LOCK_HELD, 1, -1, nasty, 0, nasty);
	tell(3 * US, VM_LOCK_FREE, 1, -1, nasty, 0, nasty);
	tell(4 * US, VM_CPU_OFF, 1, -1, NULL, 0, nasty);
	finish();
	/* What is no UTF-8 cannot be kept. */
	ATF_CHECK_EQ(1, count_slices(LOCKS, "a\"\\\n\x01?</\t%s"));
	ATF_CHECK_STREQ("made \"up\"\n", text_of(json_object_get(root,
	    "otherData"), "profile"));
}

static char *
slurp(const char *path)
{
	static char text[16384];
	size_t n;
	FILE *in;

	in = fopen(path, "r");
	ATF_REQUIRE(in != NULL);
	n = fread(text, 1, sizeof(text) - 1, in);
	text[n] = '\0';
	fclose(in);
	return (text);
}

TEST(timeline_text__golden, "a text's every line")
{
	static const char want[] =
	    "profile made \"up\"\n"
	    "\n"
	    "        us  CPU0        CPU1        off CPU\n"
	    "     0.000  r0          r1\n"
	    "     0.100  r0 ?A       r1\n"
	    "     0.200  r0 A        r1\n"
	    "     0.300  r0 A        r1 ?A\n"
	    "     0.900  r0 A        .           A?r1\n"
	    "     1.000  r0 AB       .           A?r1\n"
	    "     1.200  r0 B        .           A?r1\n"
	    "     1.500  r0          .           A?r1\n"
	    "     1.600  .           .           A?r1\n"
	    "     2.000  r1 ?A       .\n"
	    "     2.100  r1 A        .\n"
	    "     2.200  .           .\n"
	    "     3.000  .           r1 A\n"
	    "     4.000  .           r1\n"
	    "\n"
	    "A cell has the thread that runs, the locks it holds, and ?A for "
	    "one it asks for;\n\".\" is idle.  Off CPU are others that "
	    "ask.\n"
	    "Times count from the opening of the measured window.\n"
	    "  threads   m main, r0 reader0, r1 reader1\n"
	    "  locks     A a, B b\n";

	tell_story("t.txt", &all, 1000);
	close_timeline();
	ATF_CHECK_STREQ(want, slurp("t.txt"));
}

/* Each has its own column, however many do nothing beside and between them. */
TEST(timeline_text__leaves_out_idle_cpus, "idle CPUs have no column")
{
	static const char want[] =
	    "        us  CPU2        CPU190      off CPU\n"
	    "     0.000  r0          .\n"
	    "     1.000  r0          r1\n"
	    "     2.000  r0          .\n"
	    "\n";
	const char *text;

	open_timeline("t.txt", 192, &all, 1000);
	script("0 0 mark window; 0 1 start reader0; 0 1 on 2;"
	    "1000 2 start reader1; 1000 2 on 190; 2000 2 off done;"
	    "3000 1 off done");
	close_timeline();
	text = slurp("t.txt");
	ATF_CHECK_MSG(strstr(text, want) != NULL, "%s", text);
	ATF_CHECK_MSG(strstr(text, "190 of 192 CPUs ran nothing and have no "
	    "column.\n") != NULL, "%s", text);
}

TEST(timeline_text__codes_differ, "each name has a code of its own")
{
	static const char *const name[] = { "rand_harvestq", "red hat", "h" };
	const char *text;

	open_timeline("t.txt", 4, &all, 1000);
	script("0 0 mark window; 0 1 on 0; 0 2 on 1; 0 3 on 2");
	for (unsigned i = 0; i < nitems(name); i++) {
		tell(0, VM_THREAD_START, i + 1, -1, NULL, 0, name[i]);
		tell(i * US, VM_LOCK_HELD, i + 1, -1, name[i], 0, "same");
	}
	script("5000 1 end");
	close_timeline();
	text = slurp("t.txt");
	ATF_CHECK(strstr(text, "rh rand_harvestq, t2 red hat, h h") != NULL);
	ATF_CHECK(strstr(text, "A same, B same #2, C same #3") != NULL);
}

TEST(timeline_span__cuts, "slices are cut where the span begins and ends")
{
	static const struct timeline_span span = { 500 * NS, 2500 * NS };

	tell_story("t.json", &span, 1000);
	finish();
	ATF_CHECK_EQ(2500 * NS, to.to_until_ps);
	check_slice(LOCKS, "reader0", 0, 500, 700);
	check_slice(ASKS, "a", 0, 500, 1600);
	check_slice(LOCKS, "reader1", 0, 2100, 400);
}

TEST(timeline_limit__remarks, "the remark and the file count what is left "
    "out")
{
	uint64_t whole;

	tell_story("t.json", &all, 1000);
	close_timeline();
	whole = to.to_until_ps;
	ATF_CHECK_STREQ("", to.to_remark);
	for (uint32_t limit = 1; limit < 14; limit++) {
		tell_story("t.json", &all, limit);
		finish();
		ATF_CHECK_EQ(14 - limit, to.to_left_out);
		ATF_CHECK(to.to_until_ps < whole);
		ATF_CHECK(strstr(to.to_remark, "left out") != NULL);
		ATF_CHECK_EQ((long)to.to_left_out, json_integer_value(
		    json_object_get(json_object_get(root, "otherData"),
		    "events_left_out")));
	}
}

TEST(timeline_early_end__is_valid, "a run that ends early leaves a valid file")
{
	/* Before the window. */
	open_timeline("t.json", 2, &all, 1000);
	script("0 1 start reader0; 0 1 on 0");
	close_timeline();
	ATF_CHECK(strstr(to.to_remark, "empty") != NULL);
	load("t.json");
	/* During a hold and a wait. */
	open_timeline("t.json", 2, &all, 1000);
	script(two);
	script("2000 1 get a; 3000 2 ask a; 4000 2 off sleeps");
	finish();
	check_slice(LOCKS, "reader0", 0, 1000, 2000);
	check_slice(ASKS, "a", 0, 2000, 1000);
	/* Without any event. */
	open_timeline("t.txt", 2, &all, 1000);
	close_timeline();
}

/* An event that cannot be, and what the fault says. */
struct bad {
	enum vm_event_kind kind;
	unsigned	thread;
	int		cpu;
	unsigned	lock;
	const char	*want;
};

TEST(timeline_fault__bad_orders, "events that contradict each other end the "
    "trace")
{
	static const struct bad bads[] = {
		{ VM_LOCK_HELD, 2, 0, 0, "reader1 got a while reader0 held" },
		{ VM_LOCK_HELD, 1, 0, 0, "reader0 got a while reader0 held" },
		{ VM_LOCK_WAIT, 1, 0, 0, "reader0 asks for a, which it holds" },
		{ VM_LOCK_FREE, 2, 0, 0, "reader1 released a, which reader0" },
		{ VM_LOCK_FREE, 1, 0, 1, "reader0 released b, which no" },
		{ VM_CPU_ON, 3, 0, 0, "begins to run on CPU 0, where reader0" },
		{ VM_CPU_ON, 1, 2, 0, "reader0 begins to run on CPU 2" },
		{ VM_CPU_ON, 3, 3, 0, "runs on CPU 3" },
		{ VM_CPU_ON, 3, -1, 0, "runs on CPU -1" },
		{ VM_CPU_OFF, 3, 0, 0, "leaves a CPU and had none" },
		{ VM_THREAD_END, VM_THREADS_MAX, 0, 0, "has the number 4096" },
	};
	static const char *const name[] = { "a", "b" };

	for (unsigned i = 0; i < nitems(bads); i++) {
		const struct bad *b = &bads[i];

		open_timeline("t.json", 3, &all, 1000);
		script(two);
		tell(2 * US, VM_LOCK_HELD, 1, -1, name[0], 0, "a");
		tell(3 * US, b->kind, b->thread, b->cpu, name[b->lock], 0,
		    name[b->lock]);
		/* Nothing after that counts. */
		tell(9 * US, VM_LOCK_FREE, 1, -1, name[0], 0, "a");
		finish();
		ATF_CHECK_MSG(strstr(to.to_fault, b->want) != NULL,
		    "%u: \"%s\"", i, to.to_fault);
		ATF_CHECK_EQ(2 * US, to.to_until_ps);
		ATF_CHECK_STREQ(to.to_fault, text_of(json_object_get(root,
		    "otherData"), "fault"));
	}
}

TEST(timeline_fault__time_goes_back, "time may go back a little, not "
    "far")
{
	/* By what a thread may be ahead: no fault, and things nest. */
	open_timeline("t.json", 2, &all, 1000);
	script(two);
	script("2020 1 get a; 2000 2 ask a; 2005 1 off preempted;"
	    "2005 1 on 0; 3020 1 free a; 3010 2 get a; 4000 2 free a");
	finish();
	ATF_CHECK_STREQ("", to.to_fault);
	open_timeline("t.json", 2, &all, 1000);
	script(two);
	script("9000 1 get a; 7000 1 free a");
	close_timeline();
	ATF_CHECK(strstr(to.to_fault, "time went back by 2000000 ps") != NULL);
}

TEST(timeline_open__bad_path, "a path that cannot be written is refused")
{
	tl = NULL;
	ATF_CHECK_EQ(ENOENT, timeline_open(&tl, "no/such/file", 1, &all, 1));
	ATF_CHECK_EQ(EISDIR, timeline_open(&tl, ".", 1, &all, 1));
	ATF_CHECK(tl == NULL);
	/* Text only behind a dot. */
	open_timeline("txt", 1, &all, 1);
	close_timeline();
	load("txt");
}

/* A full disk is called that, however much is written after it was full. */
TEST(timeline_close__full_disk, "a full disk is reported")
{
	static const char *const link[] = { "full.json", "full.txt" };

	for (unsigned i = 0; i < nitems(link); i++) {
		if (symlink("/dev/full", link[i]) != 0 ||
		    access(link[i], W_OK) != 0)
			atf_tc_skip("no /dev/full");
		open_timeline(link[i], 2, &all, 100000);
		script(two);
		/* More than a buffer. */
		for (unsigned k = 0; k < 2000; k++) {
			tell((2 + 2 * k) * US, VM_CPU_OFF, 1, -1, NULL, 0,
			    "preempted");
			tell((3 + 2 * k) * US, VM_CPU_ON, 1, 0, NULL, 0,
			    NULL);
		}
		ATF_CHECK_EQ(ENOSPC, timeline_close(tl, NULL, 0, &to));
		ATF_CHECK_EQ(0, unlink(link[i]));
		open_timeline(i == 0 ? "/dev/full" : "f.txt", 2, &all, 1);
		ATF_CHECK_EQ(i == 0 ? ENOSPC : 0,
		    timeline_close(tl, NULL, 0, &to));
	}
}

/* A virtual machine of two CPUs, whose three threads share a lock. */
enum { SHARERS = 3, ROUNDS = 40 };

struct sharing {
	struct lock	 sh_lock;
	struct mthread	 sh_td[SHARERS];
	const char	*sh_kind;
};

static void
sharer_main(void *arg)
{
	struct sharing *sh = arg;
	struct lock_node node;

	for (unsigned i = 0; i < ROUNDS; i++) {
		lock_acquire(&sh->sh_lock, &node, 0);
		machine_charge(COST_KEYSTREAM, 100);
		lock_release(&sh->sh_lock, &node);
		machine_charge(COST_REKEY, 1);
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
	error = lock_init(&sh->sh_lock, lock_class_find(sh->sh_kind), "shared",
	    &config, NULL);
	ATF_REQUIRE_EQ(0, error);
	machine_mark("window");
	for (unsigned i = 0; i < SHARERS; i++) {
		error = machine_spawn(&sh->sh_td[i], "sharer",
		    MACHINE_CPU_ANY, sharer_main, sh);
		ATF_REQUIRE_EQ(0, error);
		sh->sh_td[i].mt_index = i;
	}
	for (unsigned i = 0; i < SHARERS; i++)
		machine_join(&sh->sh_td[i]);
	lock_fini(&sh->sh_lock);
	machine_detach();
}

static void
make_machine(struct machine_config *mc)
{
	memset(mc, 0, sizeof(*mc));
	mc->mc_topology = (struct vm_topology){ 2, 2, 1, 2 };
	mc->mc_seed = 1;
	for (unsigned i = 0; i < VM_DISTANCES; i++) {
		mc->mc_costs.vc_lat_ps[i] = i == VM_SELF ? NS : 50 * NS;
		mc->mc_costs.vc_service_ps[i] = i == VM_SELF ? 0 : 10 * NS;
	}
	mc->mc_costs.vc_ps[PROFILE_LAT_HIT] = NS;
	mc->mc_costs.vc_ps[PROFILE_LAT_RMW] = 5 * NS;
	mc->mc_costs.vc_ps[PROFILE_CPU_PAUSE] = 10 * NS;
	mc->mc_costs.vc_ps[PROFILE_OS_SYSCALL] = 100 * NS;
	mc->mc_costs.vc_ps[PROFILE_OS_SWITCH] = US;
	mc->mc_costs.vc_ps[PROFILE_OS_QUANTUM] = 20 * US;
	mc->mc_costs.vc_ps[PROFILE_OS_WAKE_SAME_P50] = US;
	mc->mc_costs.vc_ps[PROFILE_OS_WAKE_CROSS_P50] = 2 * US;
	mc->mc_costs.vc_ps[PROFILE_OS_TICK] = 1000 * US;
	mc->mc_costs.vc_unit_fs[COST_KEYSTREAM] = 10 * 1000 * NS;
	mc->mc_costs.vc_cost_ps[COST_REKEY] = 300 * NS;
	mc->mc_costs.vc_preempt = true;
	mc->mc_limit_ps = UINT64_C(1000) * 1000 * US;
}

/* Runs that machine with a kind of lock. */
static void
run_sharing(const char *kind)
{
	static _Alignas(MACHINE_CACHE_LINE) struct sharing sh;
	struct machine_outcome mo;
	struct machine_config mc;
	int error;

	memset(&sh, 0, sizeof(sh));
	sh.sh_kind = kind;
	make_machine(&mc);
	mc.mc_observer = timeline_observer(tl);
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
		open_timeline("t.json", 2, &span, 100000);
		run_sharing(kind);
		finish();
		ATF_CHECK_STREQ_MSG("", to.to_fault, "%s", kind);
		ATF_CHECK_EQ_MSG(SHARERS * ROUNDS, count_slices(LOCKS, NULL),
		    "%s", kind);
		ATF_CHECK_EQ_MSG(SHARERS * ROUNDS, count_slices(ASKS, NULL),
		    "%s", kind);
	}
}

/* Two holders of a are reported. */
TEST(timeline_machine__broken_lock, "two holders of a lock are reported")
{
	open_timeline("t.txt", 2, &all, 100000);
	run_sharing("none");
	close_timeline();
	ATF_CHECK_MSG(strstr(to.to_fault, "got shared while sharer held it") !=
	    NULL, "\"%s\"", to.to_fault);
	ATF_CHECK(strstr(slurp("t.txt"), "It ends here: ") != NULL);
}

TEST_PROGRAM()
