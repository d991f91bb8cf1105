/*
 * Timelines: from notes as a machine tells them to files.  Some machines are
 * made up, a note at a time; one is the virtual machine.
 */
#define	MACHINE_VIRTUAL
#define	FLAVOUR	virtual

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <atf-c.h>
#include <jansson.h>

#include "bench/timeline/timeline.h"
#include "lib/lock.h"

#define	NS	UINT64_C(1000)
#define	US	(1000 * NS)

#ifndef nitems
#define	nitems(x)	(sizeof(x) / sizeof((x)[0]))
#endif

static const struct timeline_span all = { 0, 1000 * US };

static struct timeline *
open_timeline(const char *path, unsigned cpus, const struct timeline_span *ts,
    uint32_t slices)
{
	struct timeline *tl;
	int error;

	error = timeline_open(&tl, path, cpus, ts, slices);
	ATF_REQUIRE_MSG(error == 0, "%s: %s", path, strerror(error));
	return (tl);
}

static void
tell(struct timeline *tl, uint64_t ps, enum vm_event_kind kind, unsigned thread,
    const void *lock, uint64_t took_ps, const char *detail)
{
	const struct vm_observer *vo = timeline_observer(tl);
	const struct vm_note vn = { .vn_kind = kind, .vn_time_ps = ps,
	    .vn_thread = thread, .vn_cpu = -1, .vn_lock = lock,
	    .vn_ps = took_ps, .vn_detail = detail };

	vo->vo_note(vo->vo_context, &vn);
}

static void
tell_on(struct timeline *tl, uint64_t ps, unsigned thread, int cpu)
{
	const struct vm_observer *vo = timeline_observer(tl);
	const struct vm_note vn = { .vn_kind = VM_CPU_ON, .vn_time_ps = ps,
	    .vn_thread = thread, .vn_cpu = cpu };

	vo->vo_note(vo->vo_context, &vn);
}

static struct timeline_outcome
close_timeline(struct timeline *tl)
{
	const struct timeline_fact facts[] = { { "profile", "made \"up\"\n" } };
	struct timeline_outcome to;

	ATF_REQUIRE_EQ(0, timeline_close(tl, facts, nitems(facts), &to));
	return (to);
}

/* Threads 1 and 2, named, each on a CPU; the window opens at 1 us. */
static void
tell_two(struct timeline *tl)
{

	tell(tl, 0, VM_THREAD_START, 1, NULL, 0, "reader0");
	tell(tl, 0, VM_THREAD_START, 2, NULL, 0, "reader1");
	tell_on(tl, 0, 1, 0);
	tell_on(tl, 0, 2, 1);
	tell(tl, 1 * US, VM_MARK, 0, NULL, 0, "window");
}

/*
 * reader1 waits for reader0, loses its CPU meanwhile and gets the other; each
 * holds for 2 us and works.  Two locks' holds cross.
 */
static void
tell_story(struct timeline *tl, const char *first, const char *second)
{
	const void *a = first, *b = second;

	tell_two(tl);
	tell(tl, 1 * US + 100 * NS, VM_LOCK_WAIT, 1, a, 0, first);
	tell(tl, 1 * US + 200 * NS, VM_LOCK_HELD, 1, a, 0, first);
	tell(tl, 1 * US + 200 * NS, VM_WORK, 1, NULL, 500 * NS, "keystream");
	tell(tl, 1 * US + 300 * NS, VM_LOCK_WAIT, 2, a, 0, first);
	tell(tl, 1 * US + 900 * NS, VM_CPU_OFF, 2, NULL, 0, "sleeps");
	tell(tl, 2 * US, VM_LOCK_WAIT, 1, b, 0, second);
	tell(tl, 2 * US, VM_LOCK_HELD, 1, b, 0, second);
	tell(tl, 2 * US + 200 * NS, VM_LOCK_FREE, 1, a, 0, first);
	tell(tl, 2 * US + 500 * NS, VM_LOCK_FREE, 1, b, 0, second);
	tell(tl, 2 * US + 600 * NS, VM_CPU_OFF, 1, NULL, 0, "sleeps");
	tell_on(tl, 3 * US, 2, 0);
	tell(tl, 3 * US + 100 * NS, VM_LOCK_HELD, 2, a, 0, first);
	tell(tl, 3 * US + 100 * NS, VM_WORK, 2, NULL, 300 * NS, "rekey");
	tell(tl, 3 * US + 200 * NS, VM_CPU_OFF, 2, NULL, 0, "preempted");
	tell_on(tl, 4 * US, 2, 1);
	tell(tl, 5 * US, VM_LOCK_FREE, 2, a, 0, first);
	tell(tl, 6 * US, VM_THREAD_END, 2, NULL, 0, NULL);
}

static json_t *
load(const char *path)
{
	json_error_t why;
	json_t *root;

	root = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
	ATF_REQUIRE_MSG(root != NULL, "%s:%d: %s", path, why.line, why.text);
	ATF_REQUIRE_STREQ("ns", json_string_value(json_object_get(root,
	    "displayTimeUnit")));
	return (root);
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

static bool
is_slice(const json_t *event)
{

	return (strcmp(text_of(event, "ph"), "X") == 0);
}

/* Slices of a category and name, or any name. */
static unsigned
count_slices(json_t *root, const char *cat, const char *name)
{
	json_t *event, *events = json_object_get(root, "traceEvents");
	unsigned n = 0;
	size_t i;

	json_array_foreach(events, i, event)
		n += is_slice(event) && strcmp(text_of(event, "cat"),
		    cat) == 0 && (name == NULL ||
		    strcmp(text_of(event, "name"), name) == 0);
	return (n);
}

/* The number of partial overlaps on one track. */
static unsigned
misnested(json_t *events, long track)
{
	long end, start, stack[64];
	unsigned bad = 0, depth = 0;
	json_t *event;
	long last = 0;
	size_t i;

	json_array_foreach(events, i, event) {
		if (!is_slice(event) || track_of(event) != track)
			continue;
		start = ns_of(event, "ts");
		end = start + ns_of(event, "dur");
		bad += start < last || end <= start;
		last = start;
		while (depth > 0 && stack[depth - 1] <= start)
			depth--;
		bad += depth > 0 && end > stack[depth - 1];
		ATF_REQUIRE(depth < nitems(stack));
		stack[depth++] = end;
	}
	return (bad);
}

/* Every track nests; locks' do not even nest, they exclude. */
static void
check_tracks(json_t *root)
{
	json_t *event, *events = json_object_get(root, "traceEvents");
	long last[64], track, tracks[64];
	size_t i, k, n = 0;

	json_array_foreach(events, i, event) {
		if (!is_slice(event))
			continue;
		track = track_of(event);
		for (k = 0; k < n && tracks[k] != track; k++)
			continue;
		ATF_REQUIRE(k < nitems(tracks));
		if (k == n) {
			tracks[n] = track;
			last[n++] = 0;
			ATF_CHECK_EQ_MSG(0, misnested(events, track),
			    "track %ld", track);
		}
		if (strcmp(text_of(event, "cat"), "held") != 0 &&
		    strcmp(text_of(event, "cat"), "waiter") != 0)
			continue;
		ATF_CHECK_MSG(ns_of(event, "ts") >= last[k],
		    "track %ld: %s overlaps", track, text_of(event, "name"));
		last[k] = ns_of(event, "ts") + ns_of(event, "dur");
	}
	ATF_CHECK(n > 0);
}

/*
 * Every wait ends where its thread's hold begins, or where the trace ends.
 *
 * Returns: how many waits there are.
 */
static unsigned
check_waits(json_t *root, long until_ns)
{
	json_t *event, *events = json_object_get(root, "traceEvents"), *other;
	unsigned waits = 0;
	size_t i, k;
	long end;

	json_array_foreach(events, i, event) {
		bool found = false;

		if (!is_slice(event) || strcmp(text_of(event, "cat"),
		    "waiter") != 0)
			continue;
		waits++;
		end = ns_of(event, "ts") + ns_of(event, "dur");
		json_array_foreach(events, k, other)
			found |= is_slice(other) && strcmp(text_of(other,
			    "cat"), "held") == 0 && strcmp(text_of(other,
			    "name"), text_of(event, "name")) == 0 &&
			    ns_of(other, "ts") == end;
		ATF_CHECK_MSG(found || end == until_ns, "%s waits until %ld",
		    text_of(event, "name"), end);
	}
	return (waits);
}

/*
 * The last value of each counter is 0, and none is below.
 *
 * Returns: the largest.
 */
static long
check_counters(json_t *root)
{
	json_t *event, *events = json_object_get(root, "traceEvents");
	long last = 0, most = 0, value = 0;
	size_t i;

	json_array_foreach(events, i, event) {
		if (strcmp(text_of(event, "ph"), "C") != 0)
			continue;
		ATF_CHECK(ns_of(event, "ts") >= last);
		last = ns_of(event, "ts");
		value = (long)json_integer_value(json_object_get(
		    json_object_get(event, "args"), "waiters"));
		ATF_CHECK(value >= 0 && value < 100);
		most = value > most ? value : most;
	}
	ATF_CHECK_EQ(0, value);
	return (most);
}

static long
other_data(json_t *root, const char *key)
{

	return ((long)json_integer_value(json_object_get(json_object_get(root,
	    "otherData"), key)));
}

ATF_TC_WITHOUT_HEAD(timeline_json__shows_what_was_told);
ATF_TC_BODY(timeline_json__shows_what_was_told, tc)
{
	struct timeline *tl = open_timeline("t.json", 2, &all, 1000);
	struct timeline_outcome to;
	json_t *root;

	tell_story(tl, "lock a", "lock b");
	to = close_timeline(tl);
	ATF_CHECK(to.to_opened);
	ATF_CHECK_EQ(5 * US, to.to_until_ps);
	ATF_CHECK_EQ(0, to.to_left_out);
	ATF_CHECK_STREQ("", to.to_fault);
	root = load("t.json");
	check_tracks(root);
	ATF_CHECK_EQ(1, check_waits(root, -1));
	check_counters(root);
	/* A piece for each time on a CPU. */
	ATF_CHECK_EQ(2, count_slices(root, "run", "reader1") - 1);
	ATF_CHECK_EQ(1, count_slices(root, "take", "take lock a"));
	ATF_CHECK_EQ(2, count_slices(root, "wait", "wait lock a"));
	ATF_CHECK_EQ(1, count_slices(root, "held", "reader0") - 1);
	ATF_CHECK_EQ(1, count_slices(root, "held", "reader1"));
	/* Work goes on where it was interrupted, for what was left of it. */
	ATF_CHECK_EQ(2, count_slices(root, "work", "rekey"));
	ATF_CHECK_EQ(1, count_slices(root, "work", "keystream"));
	json_decref(root);
}

/* Of an event found by category and name, the i-th. */
static json_t *
find_slice(json_t *root, const char *cat, const char *name, unsigned skip)
{
	json_t *event, *events = json_object_get(root, "traceEvents");
	size_t i;

	json_array_foreach(events, i, event)
		if (is_slice(event) && strcmp(text_of(event, "cat"),
		    cat) == 0 && strcmp(text_of(event, "name"), name) == 0 &&
		    skip-- == 0)
			return (event);
	atf_tc_fail("no %s %s", cat, name);
}

ATF_TC_WITHOUT_HEAD(timeline_json__times_and_holders);
ATF_TC_BODY(timeline_json__times_and_holders, tc)
{
	struct timeline *tl = open_timeline("t.json", 2, &all, 1000);
	json_t *event, *root;

	tell_story(tl, "lock a", "lock b");
	close_timeline(tl);
	root = load("t.json");
	event = find_slice(root, "waiter", "reader1", 0);
	ATF_CHECK_EQ(300, ns_of(event, "ts"));
	ATF_CHECK_EQ(1800, ns_of(event, "dur"));
	ATF_CHECK_STREQ("reader0", text_of(json_object_get(event, "args"),
	    "held by"));
	event = find_slice(root, "wait", "wait lock a", 1);
	ATF_CHECK_EQ(2000, ns_of(event, "ts"));
	ATF_CHECK_EQ(100, ns_of(event, "dur"));
	event = find_slice(root, "work", "rekey", 1);
	ATF_CHECK_EQ(3000, ns_of(event, "ts"));
	ATF_CHECK_EQ(200, ns_of(event, "dur"));
	event = find_slice(root, "held", "reader0", 0);
	ATF_CHECK_EQ(200, ns_of(event, "ts"));
	ATF_CHECK_EQ(1000, ns_of(event, "dur"));
	event = find_slice(root, "run", "reader1", 0);
	ATF_CHECK_STREQ("sleeps", text_of(json_object_get(event, "args"),
	    "left"));
	json_decref(root);
}

/* Of two that find a lock free one gets it, and the other waits for that. */
ATF_TC_WITHOUT_HEAD(timeline_json__who_comes_too_late);
ATF_TC_BODY(timeline_json__who_comes_too_late, tc)
{
	struct timeline *tl = open_timeline("t.json", 3, &all, 1000);
	json_t *event, *root;
	unsigned i;
	int a;

	tell_two(tl);
	tell(tl, 1 * US, VM_THREAD_START, 3, NULL, 0, "reader2");
	tell_on(tl, 1 * US, 3, 2);
	for (i = 1; i <= 3; i++)
		tell(tl, 2 * US, VM_LOCK_WAIT, i, &a, 0, "a");
	tell(tl, 3 * US, VM_LOCK_HELD, 1, &a, 0, "a");
	tell(tl, 4 * US, VM_LOCK_FREE, 1, &a, 0, "a");
	/* Nobody has it, but others were first. */
	tell(tl, 4 * US, VM_LOCK_WAIT, 1, &a, 0, "a");
	tell(tl, 5 * US, VM_LOCK_HELD, 2, &a, 0, "a");
	tell(tl, 6 * US, VM_LOCK_FREE, 2, &a, 0, "a");
	tell(tl, 6 * US, VM_LOCK_HELD, 3, &a, 0, "a");
	tell(tl, 7 * US, VM_LOCK_FREE, 3, &a, 0, "a");
	tell(tl, 7 * US, VM_LOCK_HELD, 1, &a, 0, "a");
	/* One waits no longer as another begins to. */
	tell(tl, 7 * US, VM_LOCK_WAIT, 2, &a, 0, "a");
	tell(tl, 8 * US, VM_LOCK_FREE, 1, &a, 0, "a");
	tell(tl, 8 * US, VM_LOCK_HELD, 2, &a, 0, "a");
	tell(tl, 9 * US, VM_LOCK_FREE, 2, &a, 0, "a");
	tell(tl, 9 * US, VM_LOCK_WAIT, 1, &a, 0, "a");
	tell(tl, 9 * US + 50 * NS, VM_LOCK_HELD, 1, &a, 0, "a");
	tell(tl, 10 * US, VM_LOCK_FREE, 1, &a, 0, "a");
	close_timeline(tl);
	root = load("t.json");
	check_tracks(root);
	ATF_CHECK_EQ(4, check_waits(root, -1));
	ATF_CHECK_EQ(3, check_counters(root));
	ATF_CHECK_EQ(2, count_slices(root, "take", "take a"));
	ATF_CHECK_EQ(4, count_slices(root, "wait", "wait a"));
	event = find_slice(root, "waiter", "reader1", 0);
	ATF_CHECK_EQ(2000, ns_of(event, "ts"));
	ATF_CHECK_EQ(2000, ns_of(event, "dur"));
	ATF_CHECK_STREQ("reader0", text_of(json_object_get(event, "args"),
	    "held by"));
	event = find_slice(root, "waiter", "reader0", 0);
	ATF_CHECK(json_object_get(json_object_get(event, "args"), "held by") ==
	    NULL);
	event = json_object_get(find_slice(root, "held", "reader2", 0), "args");
	ATF_CHECK_EQ(1, json_integer_value(json_object_get(event, "waiting")));
	event = json_object_get(find_slice(root, "held", "reader0", 2), "args");
	ATF_CHECK_EQ(0, json_integer_value(json_object_get(event, "waiting")));
	json_decref(root);
}

/* Rounding start and duration apart would make neighbours overlap. */
ATF_TC_WITHOUT_HEAD(timeline_json__nests_below_a_ns);
ATF_TC_BODY(timeline_json__nests_below_a_ns, tc)
{
	struct timeline *tl = open_timeline("t.json", 2, &all, 10000);
	uint64_t now = 1 * US;
	unsigned i;
	json_t *root;
	int a;

	tell_two(tl);
	for (i = 0; i < 500; i++) {
		now += 1700 + i % 7 * 333;
		tell(tl, now, VM_LOCK_WAIT, 1, &a, 0, "a");
		now += 1 + i % 5 * 421;
		tell(tl, now, VM_LOCK_HELD, 1, &a, 0, "a");
		tell(tl, now, VM_WORK, 1, NULL, 2501, "work");
		now += 2501 + i % 3 * 499;
		tell(tl, now, VM_LOCK_FREE, 1, &a, 0, "a");
	}
	close_timeline(tl);
	root = load("t.json");
	check_tracks(root);
	ATF_CHECK_EQ(500, count_slices(root, "held", NULL));
	json_decref(root);
}

ATF_TC_WITHOUT_HEAD(timeline_json__escapes);
ATF_TC_BODY(timeline_json__escapes, tc)
{
	static const char nasty[] = "a\"\\\n\x01\xff</\t%s";
	struct timeline *tl = open_timeline("t.json", 2, &all, 1000);
	json_t *root;
	int a;

	tell(tl, 0, VM_THREAD_START, 1, NULL, 0, nasty);
	tell_on(tl, 0, 1, 0);
	tell(tl, 0, VM_MARK, 0, NULL, 0, "window");
	tell(tl, 1 * US, VM_LOCK_HELD, 1, &a, 0, nasty);
	tell(tl, 1 * US, VM_WORK, 1, NULL, US, nasty);
	tell(tl, 3 * US, VM_LOCK_FREE, 1, &a, 0, nasty);
	tell(tl, 4 * US, VM_CPU_OFF, 1, NULL, 0, nasty);
	close_timeline(tl);
	root = load("t.json");
	/* What is no UTF-8 cannot be kept. */
	ATF_CHECK_EQ(1, count_slices(root, "held",
	    "a\"\\\n\x01?</\t%s"));
	ATF_CHECK_EQ(1, count_slices(root, "work",
	    "a\"\\\n\x01?</\t%s"));
	ATF_CHECK_STREQ("made \"up\"\n", text_of(json_object_get(root,
	    "otherData"), "profile"));
	json_decref(root);
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

ATF_TC_WITHOUT_HEAD(timeline_text__golden);
ATF_TC_BODY(timeline_text__golden, tc)
{
	static const char want[] =
	    "profile made \"up\"?\n"
	    "\n"
	    "        us  CPU0        CPU1        off CPU\n"
	    "     0.000  r0          r1\n"
	    "     0.100  r0 +A       r1\n"
	    "     0.200  r0 A:k      r1\n"
	    "     0.300  r0 A:k      r1 ?A\n"
	    "     0.700  r0 A        r1 ?A\n"
	    "     0.900  r0 A        .           A?r1\n"
	    "     1.000  r0 AB       .           A?r1\n"
	    "     1.200  r0 B        .           A?r1\n"
	    "     1.500  r0          .           A?r1\n"
	    "     1.600  .           .           A?r1\n"
	    "     2.000  r1 ?A       .\n"
	    "     2.100  r1 A:r      .\n"
	    "     2.200  .           .\n"
	    "     3.000  .           r1 A:r\n"
	    "     3.200  .           r1 A\n"
	    "     4.000  .           r1\n"
	    "\n"
	    "A cell has who runs, the locks it holds, ?A for one it waits "
	    "for, +A for one\n"
	    "it takes, :w for its work; \".\" is idle.  Off CPU are others "
	    "that wait.\n"
	    "Times count from the opening of the measured window.\n"
	    "  threads   r0 reader0, r1 reader1\n"
	    "  locks     A lock a, B lock b\n"
	    "  work      k keystream, r rekey\n";
	struct timeline *tl = open_timeline("t.txt", 2, &all, 1000);

	tell_story(tl, "lock a", "lock b");
	close_timeline(tl);
	ATF_CHECK_STREQ(want, slurp("t.txt"));
}

/* Each has its own column, however many do nothing beside and between them. */
ATF_TC_WITHOUT_HEAD(timeline_text__leaves_out_idle_cpus);
ATF_TC_BODY(timeline_text__leaves_out_idle_cpus, tc)
{
	static const int cpu[] = { 2, 190 };
	static const char want[] =
	    "        us  CPU2        CPU190      off CPU\n"
	    "     0.000  r0          .\n"
	    "     1.000  r0          r1\n"
	    "     2.000  r0          .\n"
	    "\n";
	struct timeline *tl = open_timeline("t.txt", 192, &all, 1000);
	const char *text;
	unsigned i;

	tell(tl, 0, VM_MARK, 0, NULL, 0, "window");
	for (i = 0; i < nitems(cpu); i++) {
		tell(tl, i * US, VM_THREAD_START, i + 1, NULL, 0,
		    i == 0 ? "reader0" : "reader1");
		tell_on(tl, i * US, i + 1, cpu[i]);
	}
	tell(tl, 2 * US, VM_CPU_OFF, 2, NULL, 0, "done");
	tell(tl, 3 * US, VM_CPU_OFF, 1, NULL, 0, "done");
	close_timeline(tl);
	text = slurp("t.txt");
	ATF_CHECK_MSG(strstr(text, want) != NULL, "%s", text);
	ATF_CHECK_MSG(strstr(text, "190 of 192 CPUs ran nothing and have no "
	    "column.\n") != NULL, "%s", text);
}

ATF_TC_WITHOUT_HEAD(timeline_text__tells_names_apart);
ATF_TC_BODY(timeline_text__tells_names_apart, tc)
{
	struct timeline *tl = open_timeline("t.txt", 4, &all, 1000);
	static const char *const name[] = { "rand_harvestq", "red hat", "h" };
	const char *text;
	int lock[3];
	unsigned i;

	tell(tl, 0, VM_MARK, 0, NULL, 0, "window");
	for (i = 0; i < nitems(name); i++) {
		tell(tl, 0, VM_THREAD_START, i + 1, NULL, 0, name[i]);
		tell_on(tl, 0, i + 1, (int)i);
		tell(tl, i * US, VM_LOCK_HELD, i + 1, &lock[i], 0, "same");
	}
	tell(tl, 5 * US, VM_THREAD_END, 1, NULL, 0, NULL);
	close_timeline(tl);
	text = slurp("t.txt");
	ATF_CHECK(strstr(text, "rh rand_harvestq, t2 red hat, h h") != NULL);
	ATF_CHECK(strstr(text, "A same, B same #2, C same #3") != NULL);
}

/* What is under way as the span begins and ends is cut there. */
ATF_TC_WITHOUT_HEAD(timeline_span__cuts);
ATF_TC_BODY(timeline_span__cuts, tc)
{
	static const struct timeline_span span = { 500 * NS, 2500 * NS };
	struct timeline *tl = open_timeline("t.json", 2, &span, 1000);
	struct timeline_outcome to;
	json_t *event, *root;

	tell_story(tl, "lock a", "lock b");
	to = close_timeline(tl);
	ATF_CHECK_EQ(2500 * NS, to.to_until_ps);
	root = load("t.json");
	check_tracks(root);
	check_waits(root, 2500);
	check_counters(root);
	event = find_slice(root, "held", "reader0", 0);
	ATF_CHECK_EQ(500, ns_of(event, "ts"));
	ATF_CHECK_EQ(700, ns_of(event, "dur"));
	event = find_slice(root, "work", "keystream", 0);
	ATF_CHECK_EQ(500, ns_of(event, "ts"));
	ATF_CHECK_EQ(200, ns_of(event, "dur"));
	event = find_slice(root, "waiter", "reader1", 0);
	ATF_CHECK_EQ(500, ns_of(event, "ts"));
	event = find_slice(root, "held", "reader1", 0);
	ATF_CHECK_EQ(2100, ns_of(event, "ts"));
	ATF_CHECK_EQ(400, ns_of(event, "dur"));
	json_decref(root);
}

ATF_TC_WITHOUT_HEAD(timeline_limit__says_what_is_missing);
ATF_TC_BODY(timeline_limit__says_what_is_missing, tc)
{
	struct timeline_outcome full, some;
	struct timeline *tl;
	char text[256];
	uint32_t limit;
	json_t *root;

	tl = open_timeline("t.json", 2, &all, 1000);
	tell_story(tl, "lock a", "lock b");
	full = close_timeline(tl);
	ATF_CHECK(!timeline_remark(&full, text, sizeof(text)));
	for (limit = 1; limit < full.to_slices; limit++) {
		tl = open_timeline("t.json", 2, &all, limit);
		tell_story(tl, "lock a", "lock b");
		some = close_timeline(tl);
		ATF_CHECK_EQ(limit, some.to_slices);
		ATF_CHECK(some.to_left_out >= 1);
		ATF_CHECK(some.to_until_ps < full.to_until_ps);
		ATF_REQUIRE(timeline_remark(&some, text, sizeof(text)));
		ATF_CHECK(strstr(text, "left out") != NULL);
		root = load("t.json");
		ATF_CHECK_EQ((long)some.to_left_out, other_data(root,
		    "slices_left_out"));
		if (some.to_until_ps > 0)
			check_tracks(root);
		check_counters(root);
		json_decref(root);
	}
	/* The first slice that is missing is where it ends. */
	ATF_CHECK_EQ(some.to_left_out, 1);
}

ATF_TC_WITHOUT_HEAD(timeline_early_end__is_valid);
ATF_TC_BODY(timeline_early_end__is_valid, tc)
{
	struct timeline_outcome to;
	struct timeline *tl;
	char text[256];
	json_t *root;
	int a;

	/* Before the window. */
	tl = open_timeline("t.json", 2, &all, 1000);
	tell(tl, 0, VM_THREAD_START, 1, NULL, 0, "reader0");
	tell_on(tl, 0, 1, 0);
	to = close_timeline(tl);
	ATF_CHECK(!to.to_opened);
	ATF_REQUIRE(timeline_remark(&to, text, sizeof(text)));
	ATF_CHECK(strstr(text, "empty") != NULL);
	json_decref(load("t.json"));
	/* In a hold, with somebody waiting. */
	tl = open_timeline("t.json", 2, &all, 1000);
	tell_two(tl);
	tell(tl, 2 * US, VM_LOCK_HELD, 1, &a, 0, "a");
	tell(tl, 2 * US, VM_WORK, 1, NULL, 100 * US, "work");
	tell(tl, 3 * US, VM_LOCK_WAIT, 2, &a, 0, "a");
	tell(tl, 4 * US, VM_CPU_OFF, 2, NULL, 0, "sleeps");
	close_timeline(tl);
	root = load("t.json");
	check_tracks(root);
	check_counters(root);
	ATF_CHECK_EQ(1, check_waits(root, 3000));
	ATF_CHECK_EQ(2000, ns_of(find_slice(root, "work", "work", 0), "dur"));
	json_decref(root);
	/* Nobody said anything at all. */
	tl = open_timeline("t.txt", 2, &all, 1000);
	close_timeline(tl);
	tl = open_timeline("t.txt", 2, &all, 1000);
	timeline_abort(tl);
}

/* A bad order, what is said of it, and when it is told. */
struct bad {
	enum vm_event_kind kind;
	unsigned	thread;
	int		cpu;
	unsigned	lock;
	const char	*want;
};

ATF_TC_WITHOUT_HEAD(timeline_fault__bad_orders);
ATF_TC_BODY(timeline_fault__bad_orders, tc)
{
	static const struct bad bads[] = {
		{ VM_LOCK_HELD, 2, 0, 0, "reader1 got a while reader0 held" },
		{ VM_LOCK_HELD, 1, 0, 0, "reader0 got a while reader0 held" },
		{ VM_LOCK_WAIT, 1, 0, 0, "reader0 asks for a, which it holds" },
		{ VM_LOCK_FREE, 2, 0, 0, "reader1 released a, which reader0" },
		{ VM_LOCK_FREE, 1, 0, 1, "reader0 released b, which nobody" },
		{ VM_CPU_ON, 3, 0, 0, "begins to run on CPU 0, where reader0" },
		{ VM_CPU_ON, 1, 2, 0, "reader0 begins to run on CPU 2" },
		{ VM_CPU_ON, 3, 3, 0, "runs on CPU 3" },
		{ VM_CPU_ON, 3, -1, 0, "runs on CPU -1" },
		{ VM_CPU_OFF, 3, 0, 0, "leaves a CPU and had none" },
		{ VM_THREAD_END, VM_THREADS_MAX, 0, 0, "has the number 4096" },
	};
	static const char *const name[] = { "a", "b" };
	struct timeline_outcome to;
	struct timeline *tl;
	json_t *root;
	unsigned i;

	for (i = 0; i < nitems(bads); i++) {
		const struct bad *b = &bads[i];
		const struct vm_observer *vo;

		tl = open_timeline("t.json", 3, &all, 1000);
		vo = timeline_observer(tl);
		tell_two(tl);
		tell(tl, 2 * US, VM_LOCK_HELD, 1, name[0], 0, "a");
		vo->vo_note(vo->vo_context, &(struct vm_note){
		    .vn_kind = b->kind, .vn_time_ps = 3 * US,
		    .vn_thread = b->thread, .vn_cpu = b->cpu,
		    .vn_lock = name[b->lock], .vn_detail = name[b->lock] });
		/* Nothing after that counts. */
		tell(tl, 9 * US, VM_LOCK_FREE, 1, name[0], 0, "a");
		to = close_timeline(tl);
		ATF_CHECK_MSG(strstr(to.to_fault, b->want) != NULL,
		    "%u: \"%s\"", i, to.to_fault);
		ATF_CHECK_EQ(2 * US, to.to_until_ps);
		root = load("t.json");
		check_tracks(root);
		ATF_CHECK_STREQ(to.to_fault, text_of(json_object_get(root,
		    "otherData"), "fault"));
		json_decref(root);
	}
}

ATF_TC_WITHOUT_HEAD(timeline_fault__time_goes_back);
ATF_TC_BODY(timeline_fault__time_goes_back, tc)
{
	struct timeline_outcome to;
	struct timeline *tl;
	json_t *root;
	int a;

	/* By what a thread may be ahead: no fault, and things nest. */
	tl = open_timeline("t.json", 2, &all, 1000);
	tell_two(tl);
	tell(tl, 2 * US + 20 * NS, VM_LOCK_HELD, 1, &a, 0, "a");
	tell(tl, 2 * US, VM_LOCK_WAIT, 2, &a, 0, "a");
	tell(tl, 2 * US + 5 * NS, VM_CPU_OFF, 1, NULL, 0, "preempted");
	tell_on(tl, 2 * US + 5 * NS, 1, 0);
	tell(tl, 3 * US + 20 * NS, VM_LOCK_FREE, 1, &a, 0, "a");
	tell(tl, 3 * US + 10 * NS, VM_LOCK_HELD, 2, &a, 0, "a");
	tell(tl, 4 * US, VM_LOCK_FREE, 2, &a, 0, "a");
	to = close_timeline(tl);
	ATF_CHECK_STREQ("", to.to_fault);
	root = load("t.json");
	check_tracks(root);
	json_decref(root);
	tl = open_timeline("t.json", 2, &all, 1000);
	tell_two(tl);
	tell(tl, 9 * US, VM_LOCK_HELD, 1, &a, 0, "a");
	tell(tl, 7 * US, VM_LOCK_FREE, 1, &a, 0, "a");
	to = close_timeline(tl);
	ATF_CHECK(strstr(to.to_fault, "time went back by 2000000 ps") != NULL);
}

ATF_TC_WITHOUT_HEAD(timeline_open__bad_path);
ATF_TC_BODY(timeline_open__bad_path, tc)
{
	struct timeline *tl = NULL;

	ATF_CHECK_EQ(ENOENT, timeline_open(&tl, "no/such/file", 1, &all, 1));
	ATF_CHECK_EQ(EISDIR, timeline_open(&tl, ".", 1, &all, 1));
	ATF_CHECK(tl == NULL);
	ATF_CHECK(timeline_is_text("a.txt") && timeline_is_text(".txt"));
	ATF_CHECK(!timeline_is_text("a.json") && !timeline_is_text("txt"));
}

/* A full disk is called that, however much is written after it was full. */
ATF_TC_WITHOUT_HEAD(timeline_close__full_disk);
ATF_TC_BODY(timeline_close__full_disk, tc)
{
	static const char *const link[] = { "full.json", "full.txt" };
	struct timeline_outcome to;
	struct timeline *tl;
	unsigned i, k;

	for (i = 0; i < nitems(link); i++) {
		if (symlink("/dev/full", link[i]) != 0 ||
		    access(link[i], W_OK) != 0)
			atf_tc_skip("no /dev/full");
		tl = open_timeline(link[i], 2, &all, 100000);
		tell_two(tl);
		/* More than a buffer. */
		for (k = 0; k < 2000; k++) {
			tell(tl, (2 + 2 * k) * US, VM_CPU_OFF, 1, NULL, 0,
			    "preempted");
			tell_on(tl, (3 + 2 * k) * US, 1, 0);
		}
		ATF_CHECK_EQ(ENOSPC, timeline_close(tl, NULL, 0, &to));
		ATF_CHECK_EQ(0, unlink(link[i]));
		tl = open_timeline(i == 0 ? "/dev/full" : "f.txt", 2, &all, 1);
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
	unsigned i;

	for (i = 0; i < ROUNDS; i++) {
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
	unsigned i;
	int error;

	machine_attach(&td, "test");
	error = lock_init(&sh->sh_lock, lock_class_find(sh->sh_kind), "shared",
	    &config, NULL);
	ATF_REQUIRE_EQ(0, error);
	machine_mark("window");
	for (i = 0; i < SHARERS; i++) {
		error = machine_spawn(&sh->sh_td[i], "sharer",
		    MACHINE_CPU_ANY, sharer_main, sh);
		ATF_REQUIRE_EQ(0, error);
		sh->sh_td[i].mt_index = i;
	}
	for (i = 0; i < SHARERS; i++)
		machine_join(&sh->sh_td[i]);
	lock_fini(&sh->sh_lock);
	machine_detach();
}

static void
make_machine(struct machine_config *mc)
{
	unsigned i;

	memset(mc, 0, sizeof(*mc));
	mc->mc_topology = (struct vm_topology){ 2, 2, 1, 2 };
	mc->mc_seed = 1;
	for (i = 0; i < VM_DISTANCES; i++) {
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

ATF_TC_WITHOUT_HEAD(timeline_machine__every_lock_kind);
ATF_TC_BODY(timeline_machine__every_lock_kind, tc)
{
	static const struct timeline_span span = { 0, 1000 * 1000 * US };
	struct machine_outcome mo;
	struct timeline_outcome to;
	struct machine_config mc;
	struct sharing *sh;
	struct timeline *tl;
	unsigned i, waits;
	json_t *root;
	int error;

	sh = aligned_alloc(MACHINE_CACHE_LINE, (sizeof(*sh) +
	    MACHINE_CACHE_LINE - 1) / MACHINE_CACHE_LINE * MACHINE_CACHE_LINE);
	ATF_REQUIRE(sh != NULL);
	for (i = 0; i < lock_class_count; i++) {
		if ((lock_classes[i]->lc_flags & LC_EXCLUDES) == 0)
			continue;
		memset(sh, 0, sizeof(*sh));
		sh->sh_kind = lock_classes[i]->lc_name;
		tl = open_timeline("t.json", 2, &span, 100000);
		make_machine(&mc);
		mc.mc_observer = timeline_observer(tl);
		error = machine_run(&mc, sharing_main, sh, &mo);
		ATF_REQUIRE_EQ_MSG(0, error, "%s: %s", sh->sh_kind,
		    error == EDEADLK ? mo.mo_stuck : strerror(error));
		to = close_timeline(tl);
		ATF_CHECK_STREQ_MSG("", to.to_fault, "%s", sh->sh_kind);
		root = load("t.json");
		check_tracks(root);
		check_counters(root);
		waits = check_waits(root, -1);
		ATF_CHECK_EQ_MSG(SHARERS * ROUNDS, count_slices(root, "held",
		    NULL), "%s", sh->sh_kind);
		ATF_CHECK_MSG(waits > 0, "%s: nobody waited", sh->sh_kind);
		ATF_CHECK(count_slices(root, "work", "keystream") >=
		    SHARERS * ROUNDS);
		json_decref(root);
	}
	free(sh);
}

/* A lock that excludes nobody is found out. */
ATF_TC_WITHOUT_HEAD(timeline_machine__broken_lock);
ATF_TC_BODY(timeline_machine__broken_lock, tc)
{
	struct machine_outcome mo;
	struct timeline_outcome to;
	struct machine_config mc;
	struct sharing *sh;
	struct timeline *tl;

	sh = aligned_alloc(MACHINE_CACHE_LINE, (sizeof(*sh) +
	    MACHINE_CACHE_LINE - 1) / MACHINE_CACHE_LINE * MACHINE_CACHE_LINE);
	ATF_REQUIRE(sh != NULL);
	memset(sh, 0, sizeof(*sh));
	sh->sh_kind = "none";
	tl = open_timeline("t.txt", 2, &all, 100000);
	make_machine(&mc);
	mc.mc_observer = timeline_observer(tl);
	ATF_REQUIRE_EQ(0, machine_run(&mc, sharing_main, sh, &mo));
	to = close_timeline(tl);
	ATF_CHECK_MSG(strstr(to.to_fault, "got shared while sharer held it") !=
	    NULL, "\"%s\"", to.to_fault);
	ATF_CHECK(strstr(slurp("t.txt"), "It ends here: ") != NULL);
	free(sh);
}

ATF_TP_ADD_TCS(tp)
{

	ATF_TP_ADD_TC(tp, timeline_json__shows_what_was_told);
	ATF_TP_ADD_TC(tp, timeline_json__times_and_holders);
	ATF_TP_ADD_TC(tp, timeline_json__who_comes_too_late);
	ATF_TP_ADD_TC(tp, timeline_json__nests_below_a_ns);
	ATF_TP_ADD_TC(tp, timeline_json__escapes);
	ATF_TP_ADD_TC(tp, timeline_text__golden);
	ATF_TP_ADD_TC(tp, timeline_text__leaves_out_idle_cpus);
	ATF_TP_ADD_TC(tp, timeline_text__tells_names_apart);
	ATF_TP_ADD_TC(tp, timeline_span__cuts);
	ATF_TP_ADD_TC(tp, timeline_limit__says_what_is_missing);
	ATF_TP_ADD_TC(tp, timeline_early_end__is_valid);
	ATF_TP_ADD_TC(tp, timeline_fault__bad_orders);
	ATF_TP_ADD_TC(tp, timeline_fault__time_goes_back);
	ATF_TP_ADD_TC(tp, timeline_open__bad_path);
	ATF_TP_ADD_TC(tp, timeline_close__full_disk);
	ATF_TP_ADD_TC(tp, timeline_machine__every_lock_kind);
	ATF_TP_ADD_TC(tp, timeline_machine__broken_lock);
	return (atf_no_error());
}
