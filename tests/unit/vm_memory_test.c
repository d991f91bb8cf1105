/*
 * Weak memory: litmus tests, and which of their outcomes each memory has.
 * Those of two threads are run in all orders there are, others in many.
 */
#define	FLAVOUR		virtual
#define	MACHINE_VIRTUAL

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/lock/lock.h"
#include "lib/vm/impl.h"
#include "tests/unit/support.h"
#include "tests/unit/test.h"
#include "tests/unit/vm_fixture.h"

enum {
	CPUS		= 8,
	THREADS		= 4,
	OPS		= 3,
	WORDS		= 2,
	DEPTH_MAX	= 64,
	RUNS_MAX	= 1000 * 1000,
	RANDOM_RUNS	= 40 * 1000,
	/* What a load or a final value is not asked for. */
	ANY		= 99
};

/* Relaxed unless said; SWAP is acquire and release, MISS fails to set. */
enum what { NOTHING, STORE, STORE_REL, LOAD, LOAD_ACQ, SWAP, ADD, MISS, NAP,
    FENCE, FENCE_ACQ, FENCE_REL };

struct op {
	enum what	 what;
	unsigned	 word;
	uint32_t	 v;	/* stored; or what a load must return */
};

static const struct litmus {
	const char	*name;
	struct op	 op[THREADS][OPS];
	uint32_t	 end[WORDS];	/* final values, or ANY */
	const char	*seen;	/* memories that have the outcome */
} litmus[] = {
#define	END_ANY	{ ANY, ANY }
	{ "SB", { { { STORE, 0, 1 }, { LOAD, 1, 0 } },
	    { { STORE, 1, 1 }, { LOAD, 0, 0 } } }, END_ANY, "tso weak" },
	{ "SB, release and acquire", { { { STORE_REL, 0, 1 },
	    { LOAD_ACQ, 1, 0 } }, { { STORE_REL, 1, 1 }, { LOAD_ACQ, 0, 0 } } },
	    END_ANY, "tso weak" },
	/* C11 has it; an x86 does not, as its atomics are full barriers. */
	{ "SB, swaps", { { { SWAP, 0, 1 }, { LOAD_ACQ, 1, 0 } },
	    { { SWAP, 1, 1 }, { LOAD_ACQ, 0, 0 } } }, END_ANY, "weak" },
	/* Each reads its own store, which the other does not see. */
	{ "SB, forwarded", { { { STORE, 0, 1 }, { LOAD, 0, 1 },
	    { LOAD, 1, 0 } }, { { STORE, 1, 1 }, { LOAD, 1, 1 },
	    { LOAD, 0, 0 } } }, END_ANY, "tso weak" },
	{ "SB, one sleeps", { { { STORE, 0, 1 }, { NAP, 0, 0 },
	    { LOAD, 1, 0 } }, { { STORE, 1, 1 }, { NAP, 0, 0 },
	    { LOAD, 0, 0 } } }, END_ANY, "" },
	{ "MP", { { { STORE, 0, 1 }, { STORE, 1, 1 } },
	    { { LOAD, 1, 1 }, { LOAD, 0, 0 } } }, END_ANY, "weak" },
	{ "MP, release alone", { { { STORE, 0, 1 }, { STORE_REL, 1, 1 } },
	    { { LOAD, 1, 1 }, { LOAD, 0, 0 } } }, END_ANY, "weak" },
	{ "MP, acquire alone", { { { STORE, 0, 1 }, { STORE, 1, 1 } },
	    { { LOAD_ACQ, 1, 1 }, { LOAD, 0, 0 } } }, END_ANY, "weak" },
	{ "MP, release and acquire", { { { STORE, 0, 1 },
	    { STORE_REL, 1, 1 } }, { { LOAD_ACQ, 1, 1 }, { LOAD, 0, 0 } } },
	    END_ANY, "" },
	{ "MP, release sequence", { { { STORE, 0, 1 }, { STORE_REL, 1, 1 } },
	    { { ADD, 1, 1 } }, { { LOAD_ACQ, 1, 2 }, { LOAD, 0, 0 } } },
	    END_ANY, "" },
	{ "MP, store behind the release", { { { STORE_REL, 0, 1 },
	    { STORE, 1, 1 } }, { { LOAD_ACQ, 1, 1 }, { LOAD, 0, 0 } } },
	    END_ANY, "weak" },
	/* Arm and C11 have it, this model does not. */
	{ "LB", { { { LOAD, 0, 1 }, { STORE, 1, 1 } },
	    { { LOAD, 1, 1 }, { STORE, 0, 1 } } }, END_ANY, "" },
	{ "CoRR", { { { STORE, 0, 1 } }, { { LOAD, 0, 1 }, { LOAD, 0, 0 } } },
	    END_ANY, "" },
	{ "CoRR, compare-and-set fails", { { { STORE, 0, 1 } },
	    { { MISS, 0, 1 }, { LOAD, 0, 0 } } }, END_ANY, "" },
	{ "CoWR", { { { STORE, 0, 1 }, { LOAD, 0, 0 } } }, END_ANY, "" },
	{ "CoWW", { { { STORE, 0, 1 }, { STORE, 0, 2 } } }, { 1, ANY }, "" },
	{ "CoRR, three values", { { { STORE, 0, 1 }, { STORE, 0, 2 } },
	    { { LOAD, 0, 2 }, { LOAD, 0, 1 } } }, END_ANY, "" },
	{ "IRIW", { { { STORE, 0, 1 } }, { { STORE, 1, 1 } },
	    { { LOAD, 0, 1 }, { LOAD, 1, 0 } },
	    { { LOAD, 1, 1 }, { LOAD, 0, 0 } } }, END_ANY, "weak" },
	/* C11 has it, Arm does not. */
	{ "IRIW, release and acquire", { { { STORE_REL, 0, 1 } },
	    { { STORE_REL, 1, 1 } }, { { LOAD_ACQ, 0, 1 }, { LOAD_ACQ, 1, 0 } },
	    { { LOAD_ACQ, 1, 1 }, { LOAD_ACQ, 0, 0 } } }, END_ANY, "weak" },
	{ "WRC", { { { STORE, 0, 1 } }, { { LOAD_ACQ, 0, 1 },
	    { STORE_REL, 1, 1 } }, { { LOAD_ACQ, 1, 1 }, { LOAD, 0, 0 } } },
	    END_ANY, "" },
	{ "WRC, relaxed", { { { STORE, 0, 1 } }, { { LOAD, 0, 1 },
	    { STORE, 1, 1 } }, { { LOAD, 1, 1 }, { LOAD, 0, 0 } } },
	    END_ANY, "weak" },
	/* C11 has it, Arm does not: there the acquire orders the store, too. */
	{ "WRC, acquire and no release", { { { STORE, 0, 1 } },
	    { { LOAD_ACQ, 0, 1 }, { STORE, 1, 1 } },
	    { { LOAD_ACQ, 1, 1 }, { LOAD_ACQ, 0, 0 } } }, END_ANY, "weak" },
	{ "2+2W", { { { STORE, 0, 1 }, { STORE, 1, 2 } },
	    { { STORE, 1, 1 }, { STORE, 0, 2 } } }, { 1, 1 }, "weak" },
	/* C11 has it, Arm does not, and this model does not. */
	{ "2+2W, release", { { { STORE, 0, 1 }, { STORE_REL, 1, 2 } },
	    { { STORE, 1, 1 }, { STORE_REL, 0, 2 } } }, { 1, 1 }, "" },
	{ "S", { { { STORE, 0, 2 }, { STORE, 1, 1 } },
	    { { LOAD, 1, 1 }, { STORE, 0, 1 } } }, { 2, ANY }, "weak" },
	{ "S, release and acquire", { { { STORE, 0, 2 }, { STORE_REL, 1, 1 } },
	    { { LOAD_ACQ, 1, 1 }, { STORE, 0, 1 } } }, { 2, ANY }, "" },
	{ "R", { { { STORE, 0, 1 }, { STORE, 1, 1 } },
	    { { STORE, 1, 2 }, { LOAD, 0, 0 } } }, { ANY, 2 }, "tso weak" },
	{ "R, swap", { { { STORE, 0, 1 }, { STORE, 1, 1 } },
	    { { SWAP, 1, 2 }, { LOAD, 0, 0 } } }, { ANY, 2 }, "weak" },
	{ "SB, fences", { { { STORE, 0, 1 }, { FENCE, 0, 0 }, { LOAD, 1, 0 } },
	    { { STORE, 1, 1 }, { FENCE, 0, 0 }, { LOAD, 0, 0 } } }, END_ANY,
	    "" },
	{ "SB, one fence", { { { STORE, 0, 1 }, { FENCE, 0, 0 },
	    { LOAD, 1, 0 } }, { { STORE, 1, 1 }, { LOAD, 0, 0 } } }, END_ANY,
	    "tso weak" },
	{ "SB, acquire fences", { { { STORE, 0, 1 }, { FENCE_ACQ, 0, 0 },
	    { LOAD, 1, 0 } }, { { STORE, 1, 1 }, { FENCE_ACQ, 0, 0 },
	    { LOAD, 0, 0 } } }, END_ANY, "tso weak" },
	{ "MP, fences", { { { STORE, 0, 1 }, { FENCE_REL, 0, 0 },
	    { STORE, 1, 1 } }, { { LOAD, 1, 1 }, { FENCE_ACQ, 0, 0 },
	    { LOAD, 0, 0 } } }, END_ANY, "" },
	{ "MP, release fence alone", { { { STORE, 0, 1 }, { FENCE_REL, 0, 0 },
	    { STORE, 1, 1 } }, { { LOAD, 1, 1 }, { LOAD, 0, 0 } } }, END_ANY,
	    "weak" },
	{ "MP, acquire fence alone", { { { STORE, 0, 1 }, { STORE, 1, 1 } },
	    { { LOAD, 1, 1 }, { FENCE_ACQ, 0, 0 }, { LOAD, 0, 0 } } }, END_ANY,
	    "weak" },
	{ "MP, fence and acquire", { { { STORE, 0, 1 }, { FENCE_REL, 0, 0 },
	    { ADD, 1, 1 } }, { { LOAD_ACQ, 1, 1 }, { LOAD, 0, 0 } } }, END_ANY,
	    "" },
	/* Of what each memory has, all is seen. */
	{ "0 0", { { { STORE, 0, 1 }, { STORE, 1, 1 } },
	    { { LOAD, 1, 0 }, { LOAD, 0, 0 } } }, END_ANY, "sc tso weak" },
	{ "0 1", { { { STORE, 0, 1 }, { STORE, 1, 1 } },
	    { { LOAD, 1, 0 }, { LOAD, 0, 1 } } }, END_ANY, "sc tso weak" },
};

#define	names	vm_memory_names

static const struct litmus *now;
static struct m32 words[WORDS];
static unsigned size;	/* of the words of a source; 0: those above are used */
static _Alignas(MACHINE_CACHE_LINE) uint8_t bytes[WORDS][MACHINE_CACHE_LINE];
static struct mthread threads[THREADS];
static bool outcome;	/* so far it is the one that is asked for */

static uint32_t
source_act(const struct op *op)
{
	static const struct { enum machine_op op; int order; } how[] = {
		[STORE] = { MACHINE_OP_STORE, __ATOMIC_RELAXED },
		[STORE_REL] = { MACHINE_OP_STORE, __ATOMIC_RELEASE },
		[LOAD] = { MACHINE_OP_LOAD, __ATOMIC_RELAXED },
		[LOAD_ACQ] = { MACHINE_OP_LOAD, __ATOMIC_ACQUIRE },
		[SWAP] = { MACHINE_OP_SWAP, __ATOMIC_ACQ_REL },
		[ADD] = { MACHINE_OP_ADD, __ATOMIC_RELAXED },
		[MISS] = { MACHINE_OP_CMPSET, __ATOMIC_RELAXED },
		[FENCE] = { MACHINE_OP_FENCE, __ATOMIC_SEQ_CST },
		[FENCE_ACQ] = { MACHINE_OP_FENCE, __ATOMIC_ACQUIRE },
		[FENCE_REL] = { MACHINE_OP_FENCE, __ATOMIC_RELEASE },
	};
	const bool loads = op->what == LOAD || op->what == LOAD_ACQ ||
	    op->what == MISS;
	uint64_t v = machine_atomic(bytes[op->word], how[op->what].op |
	    (unsigned)how[op->what].order << MACHINE_OP_BITS |
	    size << MACHINE_SIZE_BITS, op->v, ANY);

	return (loads ? (uint32_t)v : op->v);
}

static void
act(const struct op *op)
{
	struct m32 *p = &words[op->word];
	uint32_t v = op->v;

	if (op->what >= FENCE || (size != 0 && op->what != NAP &&
	    op->what != NOTHING)) {
		outcome = source_act(op) == v && outcome;
		return;
	}
	switch (op->what) {
	default:
		break;
	case STORE:
		atomic_store_32(p, v);
		break;
	case STORE_REL:
		atomic_store_rel_32(p, v);
		break;
	case LOAD:
		v = atomic_load_32(p);
		break;
	case LOAD_ACQ:
		v = atomic_load_acq_32(p);
		break;
	case SWAP:
		(void)atomic_swap_acq_rel_32(p, v);
		break;
	case ADD:
		(void)atomic_fetchadd_32(p, v);
		break;
	case MISS:
		v = ANY;
		(void)atomic_fcmpset_acq_32(p, &v, 0);
		break;
	case NAP:
		ATF_CHECK_EQ(0, machine_sleep(NS_PER_MS));
		break;
	}
	outcome = outcome && v == op->v;
}

static void
thread_main(void *arg)
{
	const struct op *op = arg;

	for (unsigned i = 0; i < OPS; i++)
		act(&op[i]);
}

static void
litmus_main(void *arg __unused)
{
	struct mthread self;
	unsigned n;

	machine_attach(&self, "first");
	outcome = true;
	memset(bytes, 0, sizeof(bytes));
	for (unsigned i = 0; i < WORDS; i++)
		atomic_init_32(&words[i], 0);
	for (n = 0; n < THREADS && now->op[n][0].what != NOTHING; n++)
		support_spawn(&threads[n], "thread", (int)n, thread_main,
		    (void *)(uintptr_t)now->op[n]);
	for (unsigned i = 0; i < n; i++)
		machine_join(&threads[i]);
	for (unsigned i = 0; i < WORDS; i++)
		if (now->end[i] != ANY)
			outcome = outcome && now->end[i] == (size != 0 ?
			    bytes[i][0] : machine_note_load_32(&words[i]));
	machine_detach();
}

/* A path of choices: all of them, one after the other, or drawn ones. */
static struct path {
	bool		 drawn;
	uint64_t	 draws;
	unsigned	 depth;
	unsigned	 known;
	unsigned	 choice[DEPTH_MAX];
	unsigned	 count[DEPTH_MAX];
} path;

static unsigned
path_choose(void *context, const struct vm_choice *vo)
{
	struct path *pa = context;

	for (unsigned i = 1; i < vo->vo_count; i++)
		ATF_REQUIRE(vo->vo_thread[i] > vo->vo_thread[i - 1]);
	if (pa->drawn)
		return ((unsigned)(splitmix_next(&pa->draws) % vo->vo_count));
	ATF_REQUIRE(pa->depth < DEPTH_MAX);
	if (pa->depth == pa->known) {
		pa->choice[pa->known] = 0;
		pa->count[pa->known++] = vo->vo_count;
	}
	ATF_REQUIRE_EQ(pa->count[pa->depth], vo->vo_count);
	return (pa->choice[pa->depth++]);
}

static bool
path_next(struct path *pa, unsigned runs)
{
	pa->depth = 0;
	if (pa->drawn)
		return (runs < RANDOM_RUNS);
	while (pa->known > 0 && ++pa->choice[pa->known - 1] ==
	    pa->count[pa->known - 1])
		pa->known--;
	return (pa->known > 0);
}

/* In how many of the runs the outcome is seen. */
static unsigned
count_seen(const struct litmus *li, enum vm_memory memory, struct vm *store)
{
	struct machine_config mc = fixture_config(CPUS, 1);
	const struct vm_control vh = { .vh_choose = path_choose,
	    .vh_context = &path, .vh_memory = memory };
	struct machine_outcome mo;
	unsigned runs = 0, seen = 0;

	mc.mc_control = &vh;
	mc.mc_store = store;
	now = li;
	memset(&path, 0, sizeof(path));
	path.drawn = li->op[2][0].what != NOTHING;
	do {
		ATF_REQUIRE_EQ(0, vm_run(&mc, litmus_main, NULL, &mo));
		seen += outcome;
		ATF_REQUIRE(++runs < RUNS_MAX);
	} while (path_next(&path, runs));
	printf("%-28s %u %-4s %6u runs, seen %u\n", li->name, size,
	    names[memory], runs, seen);
	return (seen);
}

/* Words of the machine, or of a source. */
static void
check_litmus(unsigned of_size)
{
	struct vm *store = vm_store_new();
	bool seen;

	ATF_REQUIRE(store != NULL);
	size = of_size;
	for (unsigned i = 0; i < nitems(litmus); i++)
		for (unsigned m = VM_SC; m <= VM_WEAK; m++) {
			seen = count_seen(&litmus[i], (enum vm_memory)m,
			    store) > 0;
			ATF_CHECK_EQ_MSG(strstr(litmus[i].seen, names[m]) !=
			    NULL, seen, "%s, %s, words of %u", litmus[i].name,
			    names[m], size);
		}
	vm_store_free(store);
}

TEST(vm_memory__litmus, "each memory has the outcomes that it should have, and "
    "no others")
{
	check_litmus(0);
}

TEST(vm_memory__source, "so have atomics of kernel sources")
{
	check_litmus(1);
	check_litmus(8);
}

/* Stores through words of other sizes, and plain accesses. */
static void
mixed_main(void *arg)
{
	const unsigned store = MACHINE_OP_STORE, load = MACHINE_OP_LOAD;
	const bool first = arg == NULL;

	(void)machine_atomic(bytes[0] + (first ? 0 : 4), store | 4u <<
	    MACHINE_SIZE_BITS, first ? 0x01010101 : 0x02020202, 0);
	(void)machine_atomic(bytes[0] + (first ? 1 : 7), store | 1u <<
	    MACHINE_SIZE_BITS, first ? 3 : 4, 0);
	/* Its own last store is in the word, whatever the size. */
	if ((machine_atomic(bytes[0], load | 8u << MACHINE_SIZE_BITS, 0, 0) >>
	    (first ? 8 : 56) & 0xff) != (first ? 3 : 4))
		outcome = false;
	(void)machine_atomic(bytes[1], store | 8u << MACHINE_SIZE_BITS, 5, 0);
	machine_access(bytes[1], 8, false);
	if (bytes[1][0] != 5)
		outcome = false;
	machine_access(bytes[1] + 8 + !first, 1, true);
	bytes[1][8 + !first]++;
}

static void
mixed_first(void *arg __unused)
{
	struct mthread self;

	machine_attach(&self, "first");
	outcome = true;
	memset(bytes, 0, sizeof(bytes));
	for (unsigned i = 0; i < 2; i++)
		support_spawn(&threads[i], "thread", (int)i, mixed_main,
		    i == 0 ? NULL : &threads);
	for (unsigned i = 0; i < 2; i++)
		machine_join(&threads[i]);
	outcome = outcome &&
	    memcmp(bytes[0], "\1\3\1\1\2\2\2\4", 8) == 0;
	machine_detach();
}

/* In each memory, with drawn choices. */
static void
run_drawn(void (*first)(void *))
{
	struct machine_config mc = fixture_config(CPUS, 1);
	struct vm_control vh = { .vh_choose = path_choose,
	    .vh_context = &path };
	struct vm *store = vm_store_new();
	struct machine_outcome mo;

	ATF_REQUIRE(store != NULL);
	mc.mc_control = &vh;
	mc.mc_store = store;
	memset(&path, 0, sizeof(path));
	path.drawn = true;
	for (unsigned m = VM_SC; m <= VM_WEAK; m++)
		for (unsigned seed = 0; seed < 3000; seed++) {
			vh.vh_memory = (enum vm_memory)m;
			path.draws = seed;
			ATF_REQUIRE_EQ(0, vm_run(&mc, first, NULL, &mo));
			ATF_REQUIRE_MSG(outcome, "%s, %u", names[m], seed);
		}
	vm_store_free(store);
}

TEST(vm_memory__mixed, "words that overlap, and plain accesses to them, lose "
    "no store")
{
	run_drawn(mixed_first);
}

/* A thread counts on its kernel's only CPU, where others count before it. */
static void
count_main(void *arg __unused)
{
	const unsigned word = 4u << MACHINE_SIZE_BITS;
	uint64_t v;

	for (unsigned k = 0; k < 2; k++) {
		(void)machine_hold(1, VM_CRITICAL | VM_MASKED, VM_CPU_ANY);
		v = machine_atomic(bytes[0], MACHINE_OP_LOAD | word, 0, 0);
		(void)machine_atomic(bytes[0], MACHINE_OP_STORE | word, v + 1,
		    0);
		(void)machine_hold(1, 0, VM_CPU_ANY);
	}
}

static void
count_first(void *arg __unused)
{
	struct mthread self;

	machine_attach(&self, "first");
	memset(bytes, 0, sizeof(bytes));
	for (unsigned i = 0; i < 2; i++)
		support_spawn(&threads[i], "thread", (int)i, count_main, NULL);
	for (unsigned i = 0; i < 2; i++)
		machine_join(&threads[i]);
	outcome = bytes[0][0] == 4;
	machine_detach();
}

TEST(vm_memory__one_cpu, "a CPU sees what other threads stored there")
{
	run_drawn(count_first);
}

/* Locks under random choices, and what is found to be unordered. */
static const struct lock_class *class;
static struct lock lock;
static unsigned plain, unordered;
static bool crowded;	/* no word of a lock has a history */

/* Uses all words that can have one. */
static void
crowd(void *arg __unused)
{
	static uint32_t others[512];

	for (unsigned i = 0; i < nitems(others); i++)
		(void)machine_atomic(&others[i], MACHINE_OP_ADD |
		    4u << MACHINE_SIZE_BITS, 1, 0);
}

/* A flag without a history is found by what fails to set it. */
static void
miss_main(void *arg)
{
	const unsigned word = 4u << MACHINE_SIZE_BITS;
	const unsigned release = __ATOMIC_RELEASE << MACHINE_OP_BITS;

	if (arg == NULL) {
		(void)machine_atomic(bytes[0], MACHINE_OP_STORE | word, 1, 0);
		(void)machine_atomic(bytes[1], MACHINE_OP_ADD | release | word,
		    1, 0);
	} else if (machine_atomic(bytes[1], MACHINE_OP_CMPSET |
	    __ATOMIC_ACQUIRE << MACHINE_OP_BITS | word, 0, ANY) == 1)
		outcome = machine_atomic(bytes[0], MACHINE_OP_LOAD | word, 0,
		    0) == 1;
}

static void
make_history(void *arg)
{
	(void)machine_atomic(bytes[0], MACHINE_OP_ADD |
	    4u << MACHINE_SIZE_BITS, 0, 0);
	crowd(arg);
}

static void
miss_first(void *arg __unused)
{
	struct mthread self;

	machine_attach(&self, "first");
	outcome = true;
	memset(bytes, 0, sizeof(bytes));
	support_spawn(&threads[2], "crowd", 2, make_history, NULL);
	machine_join(&threads[2]);
	for (unsigned i = 0; i < 2; i++)
		support_spawn(&threads[i], "thread", (int)i, miss_main,
		    i == 0 ? NULL : &threads);
	for (unsigned i = 0; i < 2; i++)
		machine_join(&threads[i]);
	machine_detach();
}

static void
critical(void *arg __unused)
{
	_Alignas(MACHINE_CACHE_LINE) struct lock_node n;
	unsigned v;

	for (unsigned k = 0; k < 2; k++) {
		lock_acquire(&lock, &n, 0);
		machine_touch(&plain, 1);
		v = plain;
		machine_charge(COST_WORK, 1);
		plain = v + 1;
		lock_release(&lock, &n);
	}
}

static void
lock_main(void *arg __unused)
{
	struct lock_config config = lock_config_default(CPUS);
	struct mthread self;

	machine_attach(&self, "first");
	config.threads = CPUS;
	plain = 0;
	if (crowded) {
		support_spawn(&threads[3], "crowd", 3, crowd, NULL);
		machine_join(&threads[3]);
	}
	lock_init(&lock, class, "L", &config, NULL);
	for (unsigned i = 0; i < 3; i++) {
		support_spawn(&threads[i], "thread", (int)i, critical, NULL);
		threads[i].mt_index = i;
	}
	for (unsigned i = 0; i < 3; i++)
		machine_join(&threads[i]);
	lock_fini(&lock);
	machine_detach();
}

static void
note_unordered(void *context __unused, const void *object __unused,
    const char *what __unused,
    unsigned thread, unsigned before)
{
	ATF_CHECK(thread != before);
	unordered++;
}

static void
ignore(void *context __unused, const struct vm_note *vn __unused)
{
}

static void
check_locks(bool in_crowd, unsigned seeds)
{
	struct machine_config mc = fixture_config(CPUS, 1);
	struct vm_control vh = { .vh_choose = path_choose,
	    .vh_context = &path, .vh_unordered = note_unordered,
	    .vh_steps_max = 100 * 1000 };
	const struct vm_observer vo = { .vb_note = ignore };
	struct vm *store = vm_store_new();
	struct machine_outcome mo;
	unsigned excluded, i, m, seed;
	bool excludes;

	ATF_REQUIRE(store != NULL);
	crowded = in_crowd;
	mc.mc_control = &vh;
	mc.mc_store = store;
	mc.mc_observer = &vo;
	path.drawn = true;
	for (i = 0; i < lock_class_count; i++)
		for (m = VM_TSO; m <= VM_WEAK; m++) {
			class = lock_classes[i];
			vh.vh_memory = (enum vm_memory)m;
			excludes = (class->lc_flags & LC_EXCLUDES) != 0;
			excluded = unordered = 0;
			for (seed = 0; seed < seeds; seed++) {
				path.draws = seed;
				ATF_REQUIRE_EQ_MSG(0, vm_run(&mc, lock_main,
				    NULL, &mo), "%s, %s, %u: %s",
				    class->lc_name, names[m], seed,
				    mo.mo_stuck);
				excluded += plain == 6;
			}
			ATF_CHECK_EQ_MSG(excludes, excluded == seed, "%s, %s",
			    class->lc_name, names[m]);
			ATF_CHECK_EQ_MSG(excludes || m == VM_TSO,
			    unordered == 0, "%s, %s: %u", class->lc_name,
			    names[m], unordered);
		}
	vm_store_free(store);
}

TEST(vm_memory__locks, "every lock excludes in each memory, is not stuck, and "
    "orders what it guards; none does not")
{
	check_locks(false, 1000);
}

TEST(vm_memory__crowded, "so does a lock whose words are too many for weak "
    "memory; such a word orders others where it is not set, too")
{
	check_locks(true, 100);
	run_drawn(miss_first);
}

TEST_PROGRAM()
