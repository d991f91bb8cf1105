/*
 * lib/vm/topology.h: shapes of simulated machines.
 */
#include <errno.h>

#include "lib/vm/topology.h"
#include "tests/unit/profile_fixture.h"
#include "tests/unit/test.h"

/* How far CPU a is from b. */
#define	DISTANCE(tp, a, b)						\
	vm_place_distance(vm_topology_place(tp, a), vm_topology_place(tp, b))

enum { CPUS_MAX = 1024 };

/* A machine with all distances. */
static void
machine(struct profile *pr, unsigned cpus, unsigned smt, unsigned nodes,
    unsigned ccx)
{
	profile_fixture(pr);
	pr->pr_value[PROFILE_TOPO_CPUS] = cpus;
	pr->pr_value[PROFILE_TOPO_SMT] = smt;
	pr->pr_value[PROFILE_TOPO_NODES] = nodes;
	pr->pr_value[PROFILE_TOPO_CCX] = ccx;
}

struct shape {
	unsigned	cpus, smt, nodes, ccx;		/* of the profile */
	unsigned	ask_cpus, ask_nodes;
	unsigned	tp_cpus, tp_cores, tp_nodes;	/* 0: refused */
};

static const struct shape shapes[] = {
	/* 4 sockets of 18 cores of 2 threads. */
	{ 144, 2, 4, 18,	0, 0,		144, 72, 4 },
	{ 144, 2, 4, 18,	144, 0,		144, 72, 4 },
	{ 144, 2, 4, 18,	144, 4,		144, 72, 4 },
	{ 144, 2, 4, 18,	72, 4,		72, 72, 4 },
	{ 144, 2, 4, 18,	73, 4,		73, 72, 4 },
	{ 144, 2, 4, 18,	74, 4,		74, 72, 4 },
	{ 144, 2, 4, 18,	36, 0,		36, 18, 1 },
	{ 144, 2, 4, 18,	18, 0,		18, 18, 1 },
	{ 144, 2, 4, 18,	37, 0,		37, 36, 2 },
	{ 144, 2, 4, 18,	72, 0,		72, 36, 2 },
	{ 144, 2, 4, 18,	1, 0,		1, 1, 1 },
	{ 144, 2, 4, 18,	0, 1,		144, 72, 1 },
	{ 144, 2, 4, 18,	0, 8,		144, 144, 8 },
	{ 144, 2, 4, 18,	288, 8,		288, 144, 8 },
	{ 144, 2, 4, 18,	1024, 0,	1024, 522, 29 },
	{ 144, 2, 4, 18,	1025, 0,	0, 0, 0 },
	{ 144, 2, 4, 18,	0, 65,		0, 0, 0 },
	/* Nodes of 2: more than there may be nodes. */
	{ 8, 1, 4, 2,		1024, 0,	1024, 1024, 64 },
	/* More nodes than cores. */
	{ 4, 1, 1, 4,		4, 4,		4, 4, 4 },
	{ 4, 1, 1, 4,		4, 5,		0, 0, 0 },
	{ 4, 1, 1, 4,		0, 5,		0, 0, 0 },
	/* Nodes of different size. */
	{ 6, 1, 4, 2,		0, 0,		6, 6, 4 },
	{ 6, 1, 4, 2,		5, 3,		5, 5, 3 },
};

TEST(vm_topology__shapes, "cores fill before their second threads, nodes as "
    "the profile's have room")
{
	char error[PROFILE_ERROR_SIZE];
	struct vm_topology vt;
	struct profile pr;
	int want;

	for (size_t i = 0; i < nitems(shapes); i++) {
		const struct shape *s = &shapes[i];

		machine(&pr, s->cpus, s->smt, s->nodes, s->ccx);
		memset(&vt, 0, sizeof(vt));
		want = s->tp_cpus == 0 ? EINVAL : 0;
		error[0] = '\0';
		ATF_CHECK_EQ_MSG(want, vm_topology_make(&pr, s->ask_cpus,
		    s->ask_nodes, &vt, error), "row %zu: %s", i, error);
		if (want != 0) {
			ATF_CHECK_MSG(strstr(error, "expected ") != NULL,
			    "row %zu: \"%s\"", i, error);
			continue;
		}
		ATF_CHECK_MSG(vt.tp_cpus == s->tp_cpus &&
		    vt.tp_cores == s->tp_cores && vt.tp_nodes == s->tp_nodes &&
		    vt.tp_ccx_cores == s->ccx, "row %zu: %u CPUs, %u cores, "
		    "%u nodes, %u to a cache", i, vt.tp_cpus, vt.tp_cores,
		    vt.tp_nodes, vt.tp_ccx_cores);
	}
}

TEST(vm_topology__absent, "a shape whose costs the profile does not have is "
    "refused by the key's name, any other is not")
{
	/* Of a profile of 8 CPUs: 2 nodes of 2 cores of 2, all caches apart. */
	static const struct {
		enum profile_key key;
		unsigned	 bad_cpus, bad_nodes;
		unsigned	 good_cpus, good_nodes;
	} rows[] = {
		{ PROFILE_LAT_SMT, 0, 0, 4, 2 },
		{ PROFILE_LAT_SOCK, 0, 0, 2, 2 },
		{ PROFILE_LAT_REMOTE, 0, 0, 4, 1 },
		{ PROFILE_LAT_CONG, 5, 0, 4, 0 },
		{ PROFILE_LINE_INVALIDATE, 2, 2, 2, 1 },
	};
	char error[PROFILE_ERROR_SIZE];
	struct vm_topology vt;
	struct profile pr;

	for (size_t i = 0; i < nitems(rows); i++) {
		machine(&pr, 8, 2, 2, 1);
		ATF_CHECK_EQ(0, vm_topology_make(&pr, rows[i].bad_cpus,
		    rows[i].bad_nodes, &vt, error));
		pr.pr_from[rows[i].key] = PROVENANCE_ABSENT;
		ATF_CHECK_EQ(EINVAL, vm_topology_make(&pr, rows[i].bad_cpus,
		    rows[i].bad_nodes, &vt, error));
		ATF_CHECK_MSG(strstr(error,
		    profile_fields[rows[i].key].pf_key) != NULL &&
		    strstr(error, "made-up") != NULL &&
		    strstr(error, "expected ") != NULL, "%s", error);
		ATF_CHECK_EQ_MSG(0, vm_topology_make(&pr, rows[i].good_cpus,
		    rows[i].good_nodes, &vt, error), "%s", error);
	}
}

TEST(vm_topology__near, "nodes in groups need the latency within a group")
{
	char error[PROFILE_ERROR_SIZE];
	struct vm_topology vt;
	struct profile pr;

	machine(&pr, 8, 2, 4, 1);
	pr.pr_value[PROFILE_TOPO_NEAR] = 2;
	pr.pr_from[PROFILE_TOPO_NEAR] = PROVENANCE_PUBLISHED;
	pr.pr_from[PROFILE_LAT_NEAR] = PROVENANCE_PUBLISHED;
	ATF_CHECK_EQ(0, vm_topology_make(&pr, 0, 0, &vt, error));
	ATF_CHECK_EQ(2, vt.tp_near);
	pr.pr_from[PROFILE_LAT_NEAR] = PROVENANCE_ABSENT;
	ATF_CHECK_EQ(EINVAL, vm_topology_make(&pr, 0, 0, &vt, error));
	ATF_CHECK_MSG(strstr(error, "has no lat.near, which topo.near needs; "
	    "expected it or no topo.near") != NULL, "%s", error);
}

TEST(vm_topology__shipped, "each shipped profile has its own shape and every "
    "distance that occurs in it")
{
	static const enum profile_key keys[VM_DISTANCES] = {
		[VM_SELF] = PROFILE_LAT_HIT,
		[VM_SMT] = PROFILE_LAT_SMT,
		[VM_CCX] = PROFILE_LAT_CCX,
		[VM_SOCK] = PROFILE_LAT_SOCK,
		[VM_NEAR] = PROFILE_LAT_NEAR,
		[VM_REMOTE] = PROFILE_LAT_REMOTE,
	};
	char error[PROFILE_ERROR_SIZE];
	struct vm_topology vt;
	struct profile pr;

	for (const struct profile_shipped *ps = profile_shipped;
	    ps->ps_name != NULL; ps++) {
		ATF_REQUIRE_EQ(0, profile_parse(&pr, "p", ps->ps_text,
		    error));
		ATF_REQUIRE_MSG(vm_topology_make(&pr, 0, 0, &vt, error) == 0,
		    "%s", error);
		ATF_CHECK_EQ(pr.pr_value[PROFILE_TOPO_CPUS], vt.tp_cpus);
		ATF_CHECK_EQ(pr.pr_value[PROFILE_TOPO_NODES], vt.tp_nodes);
		ATF_CHECK_EQ(pr.pr_value[PROFILE_TOPO_SMT],
		    vt.tp_cpus / vt.tp_cores);
		for (unsigned a = 0; a < vt.tp_cpus; a++)
			for (unsigned b = 0; b < vt.tp_cpus; b++)
				ATF_REQUIRE(pr.pr_from[keys[
				    DISTANCE(&vt, a, b)]] !=
				    PROVENANCE_ABSENT);
	}
}

TEST(vm_topology__distances, "how far each CPU is from CPU 0 and CPU 5")
{
	/* 2 nodes of 4 cores of 2 threads, 2 cores to a cache. */
	static const struct vm_topology vt = { .tp_cpus = 16, .tp_cores = 8,
	    .tp_nodes = 2, .tp_ccx_cores = 2 };
	static const char from_0[] = "=cssrrrrtcssrrrr";
	static const char from_5[] = "rrrrc=ssrrrrctss";
	/* 4 nodes of 2 cores, in pairs. */
	static const struct vm_topology pairs = { .tp_cpus = 8, .tp_cores = 8,
	    .tp_nodes = 4, .tp_ccx_cores = 2, .tp_near = 2 };
	static const char pairs_from_5[] = "rrrrc=nn";
	static const char letters[] = "=tcsnr";
	unsigned i;

	for (i = 0; i < pairs.tp_cpus; i++)
		ATF_CHECK_EQ_MSG(pairs_from_5[i],
		    letters[DISTANCE(&pairs, 5, i)], "CPU %u", i);

	for (i = 0; i < vt.tp_cpus; i++) {
		ATF_CHECK_EQ_MSG(from_0[i],
		    letters[DISTANCE(&vt, 0, i)], "CPU %u", i);
		ATF_CHECK_EQ_MSG(from_5[i],
		    letters[DISTANCE(&vt, 5, i)], "CPU %u", i);
		ATF_CHECK_EQ(DISTANCE(&vt, 5, i),
		    DISTANCE(&vt, i, 5));
	}
}

static void
check_ranks(const struct vm_topology *vt, enum cpu_order order,
    const unsigned *want)
{
	unsigned ranks[CPUS_MAX];

	vm_topology_ranks(vt, order, ranks);
	for (unsigned i = 0; i < vt->tp_cpus; i++)
		ATF_CHECK_EQ_MSG(want[i], ranks[i], "order %d, place %u: %u",
		    (int)order, i, ranks[i]);
}

TEST(vm_topology__orders, "the three ways of filling a machine, one with nodes "
    "of different size too")
{
	static const struct vm_topology even = { .tp_cpus = 12, .tp_cores = 6,
	    .tp_nodes = 2, .tp_ccx_cores = 3 };
	static const struct vm_topology uneven = { .tp_cpus = 5, .tp_cores = 5,
	    .tp_nodes = 2, .tp_ccx_cores = 3 };

	check_ranks(&even, CPU_COMPACT, (const unsigned[]){ 0, 1, 2, 3, 4, 5,
	    6, 7, 8, 9, 10, 11 });
	check_ranks(&even, CPU_SCATTER, (const unsigned[]){ 0, 3, 1, 4, 2, 5,
	    6, 9, 7, 10, 8, 11 });
	check_ranks(&even, CPU_SMT_FIRST, (const unsigned[]){ 0, 6, 1, 7, 2, 8,
	    3, 9, 4, 10, 5, 11 });
	/* Cores 0 to 2 are in the first node. */
	check_ranks(&uneven, CPU_SCATTER, (const unsigned[]){ 0, 3, 1, 4, 2 });
	check_ranks(&uneven, CPU_SMT_FIRST,
	    (const unsigned[]){ 0, 1, 2, 3, 4 });
}

TEST(vm_topology__all_shapes, "whatever the shape, nodes are filled evenly and "
    "each order has every CPU once")
{
	static unsigned cores_of[64], ranks[CPUS_MAX], seen[CPUS_MAX];
	char error[PROFILE_ERROR_SIZE];
	struct vm_topology vt;
	struct profile pr;
	unsigned n, turn = 0;

	machine(&pr, 144, 2, 4, 18);
	for (unsigned cpus = 1; cpus <= CPUS_MAX; cpus += cpus < 40 ? 1 : 41)
		for (unsigned nodes = 1; nodes <= 64; nodes++) {
			if (vm_topology_make(&pr, cpus, nodes, &vt, error) != 0)
				continue;
			memset(cores_of, 0, sizeof(cores_of));
			for (unsigned c = 0; c < vt.tp_cores; c++) {
				n = vm_topology_node(&vt, c);
				ATF_REQUIRE(n < nodes);
				ATF_REQUIRE(c >=
				    vm_topology_first_core(&vt, n));
				cores_of[n]++;
			}
			for (n = 0; n < nodes; n++)
				ATF_CHECK(cores_of[n] >= vt.tp_cores / nodes &&
				    cores_of[n] <= (vt.tp_cores + nodes - 1) /
				    nodes);
			for (unsigned o = 0; o < CPU_ORDERS; o++) {
				vm_topology_ranks(&vt, o, ranks);
				turn++;
				for (unsigned c = 0; c < cpus; c++) {
					ATF_REQUIRE(ranks[c] < cpus);
					ATF_REQUIRE(seen[ranks[c]] != turn);
					seen[ranks[c]] = turn;
				}
			}
		}
	ATF_CHECK(turn > 1000);
}

TEST_PROGRAM()
