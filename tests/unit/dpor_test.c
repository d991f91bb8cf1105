/*
 * All schedules but equivalent ones: against all schedules, and against what
 * is known of litmus tests.
 */
#define	FLAVOUR		virtual
#define	MACHINE_VIRTUAL

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bench/explore/strategy.h"
#include "lib/vm/impl.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"
#include "tests/unit/vm_fixture.h"

enum {
	CPUS		= 8,
	THREADS		= 4,
	OPS		= 4,
	WORDS		= 2,
	STATES_MAX	= 4096,
	PROGRAMS	= 200,
	RUNS_MAX	= 300 * 1000
};

/*
 * ADD is an atomic update, SET a compare-and-set from 0, PLAIN not atomic; EVER
 * awaits without a limit.
 */
enum what { NOTHING, STORE, LOAD, ADD, SET, PLAIN_STORE, PLAIN_LOAD, AWAIT,
    SLEEP, WAKE, LOCKED, EVER, CRITICAL, WHATS };

static const char letters[] = "-slacpqAZWLEC";

struct op {
	enum what	 what;
	unsigned	 word;
};

static struct op program[THREADS][OPS];
static struct m32 words[WORDS], locks[WORDS];
static uint32_t seen[THREADS][OPS];	/* what each operation has read */
static struct mthread threads[THREADS];
static uint64_t state;		/* of a run, at its end */

static void
act(unsigned thread, unsigned i)
{
	const struct op *op = &program[thread][i];
	struct m32 *p = &words[op->word];
	uint32_t *got = &seen[thread][i], v = thread * OPS + i + 1;

	switch (op->what) {
	case STORE:
		atomic_store_32(p, v);
		break;
	case LOAD:
		*got = atomic_load_32(p);
		break;
	case ADD:
		*got = atomic_fetchadd_32(p, 1);
		break;
	case SET:
		*got = atomic_cmpset_acq_32(p, 0, v);
		break;
	case PLAIN_STORE:
		machine_access(p, sizeof(*p), true);
		p->m_value = v;
		break;
	case PLAIN_LOAD:
		machine_access(p, sizeof(*p), false);
		*got = p->m_value;
		break;
	case AWAIT:
		if (atomic_load_32(p) == 0)
			(void)machine_await_32(p, 0, 3);
		*got = atomic_load_32(p);
		break;
	case SLEEP:
		*got = (uint32_t)machine_wait_32(p, 0, NS_PER_MS);
		break;
	case WAKE:
		machine_wake_32(p);
		break;
	case LOCKED:
		do
			machine_await_32(&locks[op->word], 1, 0);
		while (atomic_swap_acq_32(&locks[op->word], 1) != 0);
		*got = atomic_load_32(p);
		atomic_store_32(p, v);
		atomic_store_rel_32(&locks[op->word], 0);
		break;
	case EVER:
		machine_await_32(p, 0, 0);
		*got = atomic_load_32(p);
		break;
	case CRITICAL:
		(void)machine_hold(2, VM_CRITICAL, VM_CPU_ANY);
		*got = machine_kernel_cpu(2);
		machine_access(p, sizeof(*p), true);
		p->m_value += v;
		(void)machine_hold(2, 0, VM_CPU_ANY);
		break;
	default:
		break;
	}
}

static void
thread_main(void *arg)
{
	const unsigned thread = (unsigned)(uintptr_t)arg;

	for (unsigned i = 0; i < OPS; i++)
		act(thread, i);
}

static void
first_main(void *arg)
{
	struct mthread self;
	unsigned n;

	(void)arg;
	machine_attach(&self, "first");
	memset(seen, 0, sizeof(seen));
	for (unsigned i = 0; i < WORDS; i++) {
		atomic_init_32(&words[i], 0);
		atomic_init_32(&locks[i], 0);
	}
	state = 1;
	for (n = 0; n < THREADS && program[n][0].what != NOTHING; n++)
		support_spawn(&threads[n], "thread", (int)n, thread_main,
		    (void *)(uintptr_t)n);
	for (unsigned i = 0; i < n; i++)
		machine_join(&threads[i]);
	state = 0;
	for (unsigned i = 0; i < WORDS; i++)
		state = state * 31 + machine_note_load_32(&words[i]);
	for (unsigned t = 0; t < THREADS; t++)
		for (unsigned i = 0; i < OPS; i++)
			state = state * 131 + seen[t][i];
	machine_detach();
}

/* The final states of all runs. */
struct states {
	unsigned	 count;
	unsigned	 runs;
	bool		 all;
	uint64_t	 state[STATES_MAX];
};

static void
note_state(struct states *ss)
{
	unsigned i;

	ss->runs++;
	for (i = 0; i < ss->count && ss->state[i] != state; i++)
		continue;
	ATF_REQUIRE(i < STATES_MAX);
	if (i == ss->count)
		ss->state[ss->count++] = state;
}

/* Every choice in turn, and no reduction. */
enum { DEPTH_MAX = 256 };

struct path {
	unsigned	 depth;
	unsigned	 known;
	bool		 deep;	/* it waits without an end */
	unsigned	 choice[DEPTH_MAX];
	unsigned	 count[DEPTH_MAX];
};

static unsigned
path_way(struct path *pa, unsigned ways)
{
	pa->deep |= pa->depth == DEPTH_MAX;
	if (pa->deep)
		return (0);
	if (pa->depth == pa->known) {
		pa->choice[pa->known] = 0;
		pa->count[pa->known++] = ways;
	}
	ATF_REQUIRE_EQ(pa->count[pa->depth], ways);
	return (pa->choice[pa->depth++]);
}

static unsigned
path_choose(void *context, const struct vm_choice *vo)
{
	return (path_way(context, vo->vo_count));
}

static bool
path_next(struct path *pa)
{
	pa->depth = 0;
	while (pa->known > 0 && ++pa->choice[pa->known - 1] ==
	    pa->count[pa->known - 1])
		pa->known--;
	return (pa->known > 0);
}

static void
run_once(const struct vm_control *vh, struct vm *store, struct states *ss)
{
	struct machine_config mc = fixture_config(CPUS, 1);
	struct machine_outcome mo;
	int error;

	mc.mc_control = vh;
	mc.mc_store = store;
	error = vm_run(&mc, first_main, NULL, &mo);
	ATF_REQUIRE(error == 0 || error == EDEADLK);
	note_state(ss);
}

static void
run_all(enum vm_memory memory, struct vm *store, struct states *ss)
{
	struct path path = { 0 };
	const struct vm_control vh = { .vh_choose = path_choose, .vh_context =
	    &path, .vh_memory = memory, .vh_polls = VM_POLLS_ONCE };

	*ss = (struct states){ 0 };
	do {
		run_once(&vh, store, ss);
	} while (path_next(&path) && ss->runs < RUNS_MAX && !path.deep);
	ss->all = ss->runs < RUNS_MAX && !path.deep;
}

static uint64_t
run_reduced(enum vm_memory memory, struct vm *store, struct states *ss)
{
	struct strategy sg;
	const struct vm_control vh = { .vh_choose = strategy_choose,
	    .vh_running = strategy_dpor.sy_running,
	    .vh_access = strategy_dpor.sy_access, .vh_context = &sg,
	    .vh_memory = memory, .vh_polls = VM_POLLS_ONCE };
	uint64_t redundant;

	*ss = (struct states){ 0 };
	strategy_init(&sg, &strategy_dpor, 0);
	while (strategy_begin(&sg, 0)) {
		run_once(&vh, store, ss);
		ATF_REQUIRE(ss->runs < RUNS_MAX);
	}
	ATF_REQUIRE_EQ(0, sg.sg_error);
	redundant = sg.sg_redundant;
	strategy_fini(&sg);
	return (redundant);
}

static const char *
words_of(char text[THREADS * (2 * OPS + 1) + 1])
{
	char *p = text;

	for (unsigned t = 0; t < THREADS; t++) {
		for (unsigned i = 0; i < OPS && program[t][i].what != NOTHING;
		    i++) {
			*p++ = letters[program[t][i].what];
			*p++ = (char)('x' + program[t][i].word);
		}
		*p++ = ' ';
	}
	*p = '\0';
	return (text);
}

static int
compare_states(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y ? -1 : x > y);
}

/* The same states with and without reduction; whether all were run. */
static bool
same_states(enum vm_memory memory, struct vm *store)
{
	static struct states all, reduced;
	char text[THREADS * (2 * OPS + 1) + 1];
	uint64_t redundant;

	run_all(memory, store, &all);
	if (!all.all)
		return (false);
	redundant = run_reduced(memory, store, &reduced);
	qsort(all.state, all.count, sizeof(all.state[0]), compare_states);
	qsort(reduced.state, reduced.count, sizeof(all.state[0]),
	    compare_states);
	printf("%s %-4s %6u runs, %5u reduced, %ju redundant, %u states\n",
	    words_of(text), vm_memory_names[memory], all.runs, reduced.runs,
	    (uintmax_t)redundant, all.count);
	ATF_CHECK_MSG(all.count == reduced.count && memcmp(all.state,
	    reduced.state, all.count * sizeof(all.state[0])) == 0,
	    "%s%s: %u states of %u", words_of(text), vm_memory_names[memory],
	    reduced.count, all.count);
	ATF_CHECK(reduced.runs <= all.runs);
	return (true);
}

/* From what words_of() prints. */
static void
program_of(const char *text)
{
	unsigned t = 0, i = 0;

	memset(program, 0, sizeof(program));
	for (; *text != '\0'; text++) {
		if (*text == ' ') {
			t++;
			i = 0;
			continue;
		}
		program[t][i++] = (struct op){
		    (enum what)(strchr(letters, text[0]) - letters),
		    (unsigned)(text[1] - 'x') };
		text++;
	}
}

TEST(dpor__known, "programs of which states were once left out")
{
	/* The last one writes a word plainly, beside an atomic update. */
	static const char *const texts[] = { "cy lysycx lx", "Lxsy lyax",
	    "sxpy sxsy", "sylx LxEy sx", "LxLy LyLx", "aycx Zypxly" };
	struct vm *store = vm_store_new();

	ATF_REQUIRE(store != NULL);
	for (unsigned i = 0; i < nitems(texts) * VM_MEMORIES; i++) {
		program_of(texts[i / VM_MEMORIES]);
		(void)same_states(i % VM_MEMORIES, store);
	}
	vm_store_free(store);
}

TEST(dpor__random, "random programs end in the same states with and without "
    "reduction, in each memory")
{
	struct vm *store = vm_store_new();
	unsigned done[VM_MEMORIES] = { 0 };
	uint64_t random = 1;

	ATF_REQUIRE(store != NULL);
	for (unsigned n = 0; n < PROGRAMS; n++) {
		memset(program, 0, sizeof(program));
		for (unsigned t = 0; t < 2 + n % 2; t++)
			for (unsigned i = 0; i < 1 + strategy_below(&random,
			    n % 2 == 0 ? 3 : 2); i++)
				program[t][i] = (struct op){ STORE +
				    strategy_below(&random, (n % 4 < 2 ?
				    WHATS : CRITICAL) - STORE),
				    strategy_below(&random, WORDS) };
		/* Stores are committed where a CPU changes hands. */
		for (unsigned m = VM_SC; m < (n % 4 < 2 ? VM_TSO :
		    VM_MEMORIES); m++)
			done[m] += same_states((enum vm_memory)m, store);
	}
	for (unsigned m = VM_SC; m < VM_MEMORIES; m++)
		ATF_CHECK_MSG(done[m] > PROGRAMS / 3, "%s: %u",
		    vm_memory_names[m], done[m]);
	vm_store_free(store);
}

#define	S(w)	{ STORE, w }
#define	L(w)	{ LOAD, w }

TEST(dpor__litmus, "each class of executions is run once")
{
	static const struct {
		const char	*name;
		struct op	 op[THREADS][OPS];
		unsigned	 classes;
	} litmus[] = {
		{ "SB", { { S(0), L(1) }, { S(1), L(0) } }, 3 },
		{ "MP", { { S(0), S(1) }, { L(1), L(0) } }, 3 },
		{ "LB", { { L(0), S(1) }, { L(1), S(0) } }, 3 },
		{ "2+2W", { { S(0), S(1) }, { S(1), S(0) } }, 3 },
		{ "IRIW", { { S(0) }, { S(1) }, { L(0), L(1) },
		    { L(1), L(0) } }, 15 },
		{ "readers", { { L(0), L(1) }, { L(0) }, { L(1) } }, 1 },
		{ "writers", { { S(0) }, { S(0) }, { S(0) } }, 6 },
	};
	struct vm *store = vm_store_new();
	static struct states ss;
	uint64_t redundant;

	ATF_REQUIRE(store != NULL);
	for (unsigned i = 0; i < nitems(litmus); i++) {
		memcpy(program, litmus[i].op, sizeof(program));
		redundant = run_reduced(VM_SC, store, &ss);
		ATF_CHECK_MSG(ss.runs - redundant == litmus[i].classes &&
		    redundant == 0, "%s: %u runs, %ju redundant, %u expected",
		    litmus[i].name, ss.runs, (uintmax_t)redundant,
		    litmus[i].classes);
	}
	vm_store_free(store);
}

#define	K(w)	{ LOCKED, w }

TEST(dpor__locks, "each order of the owners of locks is found")
{
	static const struct {
		const char	*name;
		struct op	 op[THREADS][OPS];
		unsigned	 orders;
	} cases[] = {
		{ "three", { { K(0) }, { K(0) }, { K(0) } }, 6 },
		{ "four", { { K(0), K(0) }, { K(0) }, { K(0) } }, 12 },
		{ "two and two", { { K(0), K(0) }, { K(0), K(0) } }, 6 },
		{ "two locks", { { K(0), K(1) }, { K(1) }, { K(0) } }, 4 },
		{ "crossed", { { K(0), K(1) }, { K(1), K(0) } }, 3 },
	};
	struct vm *store = vm_store_new();
	static struct states ss;

	ATF_REQUIRE(store != NULL);
	for (unsigned i = 0; i < nitems(cases) * VM_MEMORIES; i++) {
		memcpy(program, cases[i / VM_MEMORIES].op, sizeof(program));
		(void)run_reduced(i % VM_MEMORIES, store, &ss);
		ATF_CHECK_MSG(ss.count == cases[i / VM_MEMORIES].orders,
		    "%s, %s: %u orders in %u runs",
		    cases[i / VM_MEMORIES].name,
		    vm_memory_names[i % VM_MEMORIES], ss.count, ss.runs);
	}
	vm_store_free(store);
}

TEST_PROGRAM()
