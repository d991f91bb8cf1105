#include <hwloc.h>

#include "lib/machine/cpu.h"

/* Written by cpu_init(), read-only while threads run. */
static hwloc_topology_t topology;	/* of the allowed CPUs */
static struct cpu {
	unsigned	c_os;		/* the operating system's number */
	unsigned	c_core;
	unsigned	c_nth;		/* which of its core's threads */
	unsigned	c_cache;	/* the last-level one */
} *cpus;				/* by rank */
static unsigned count, count_machine, nodes = 1;
static unsigned *node_of;	/* by c_os; only nodes with an allowed CPU */
static unsigned node_of_count;	/* more than any c_os */

/* The first CPU behind the same last-level cache, or of the same core. */
static unsigned
cache_number(hwloc_obj_t pu)
{
	hwloc_obj_t last = pu;
	int first;

	for (hwloc_obj_t obj = pu->parent; obj != NULL; obj = obj->parent)
		if (obj->type == HWLOC_OBJ_CORE ||
		    hwloc_obj_type_is_dcache(obj->type))
			last = obj;
	first = hwloc_bitmap_first(last->cpuset);
	return (first < 0 ? pu->os_index : (unsigned)first);
}

/* The n-th thread of every core: all cores come before any second thread. */
static void
collect(unsigned nth)
{
	hwloc_obj_t pu = NULL, core, node;

	while ((pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu)) !=
	    NULL) {
		core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE,
		    pu);
		/* A machine that reports no cores: each CPU is one. */
		if (core == NULL)
			core = pu;
		if (hwloc_get_obj_inside_cpuset_by_type(topology, core->cpuset,
		    HWLOC_OBJ_PU, nth) != pu)
			continue;
		node = hwloc_get_numanode_obj_by_os_index(topology,
		    (unsigned)hwloc_bitmap_last(pu->nodeset));
		cpus[count++] = (struct cpu){ .c_os = pu->os_index,
		    .c_core = core->logical_index, .c_nth = nth,
		    .c_cache = cache_number(pu) };
		node_of[pu->os_index] = node->logical_index;
	}
}

static unsigned
objects(hwloc_obj_type_t type)
{
	const int n = hwloc_get_nbobjs_by_type(topology, type);

	return (n < 1 ? 1 : (unsigned)n);
}

int
cpu_init(void)
{
	hwloc_bitmap_t allowed;
	unsigned n;

	if (hwloc_topology_init(&topology) != 0 ||
	    hwloc_topology_load(topology) != 0)
		return (errno);
	count_machine = objects(HWLOC_OBJ_PU);
	if ((allowed = hwloc_bitmap_alloc()) == NULL)
		no_memory();
	if (hwloc_get_cpubind(topology, allowed, HWLOC_CPUBIND_PROCESS) == 0 &&
	    hwloc_topology_restrict(topology, allowed,
	    HWLOC_RESTRICT_FLAG_REMOVE_CPULESS) != 0)
		return (errno);
	node_of_count = 1 + (unsigned)hwloc_bitmap_last(
	    hwloc_topology_get_topology_cpuset(topology));
	hwloc_bitmap_free(allowed);
	nodes = objects(HWLOC_OBJ_NUMANODE);
	node_of = xcalloc(node_of_count, sizeof(*node_of));
	n = objects(HWLOC_OBJ_PU);
	cpus = xcalloc(n, sizeof(*cpus));
	for (unsigned nth = 0; count < n; nth++)
		collect(nth);
	return (0);
}

void
cpu_fini(void)
{
	hwloc_topology_destroy(topology);
	free(cpus);
	free(node_of);
	cpus = NULL;
	node_of = NULL;
	count = node_of_count = 0;
	nodes = 1;
}

unsigned
cpu_count(void)
{
	KASSERT(count > 0, ("cpu_init() was not called"));
	return (count);
}

unsigned
system_numbers(double *numbers, unsigned most, const char *fmt, ...)
{
	char path[PATH_MAX];
	unsigned n = 0;
	FILE *f;

	VFORMAT(path, sizeof(path), fmt);
	f = fopen(path, "re");
	while (f != NULL && n < most && fscanf(f, "%lf", &numbers[n]) == 1)
		n++;
	if (f != NULL)
		fclose(f);
	return (n);
}

/*
 * The tightest quota, in CPUs, of a cgroup and its ancestors; 0 when none has
 * one.  Version 2 has "quota period" in cpu.max; 1 two files.  Trims the path.
 */
static double
cgroup_quota(const char *root, char *group)
{
	double best = 0, period = 0, quota[2];
	char *slash;

	for (;;) {
		if (system_numbers(quota, 2, "%s%s/cpu.max", root, group) == 2)
			period = quota[1];
		else if (system_numbers(quota, 1, "%s%s/cpu.cfs_quota_us",
		    root, group) != 1 || system_numbers(&period, 1,
		    "%s%s/cpu.cfs_period_us", root, group) != 1)
			quota[0] = 0;
		if (quota[0] > 0 && period > 0 &&
		    (best == 0 || quota[0] / period < best))
			best = quota[0] / period;
		if ((slash = strrchr(group, '/')) == NULL)
			return (best);
		*slash = '\0';
	}
}

double
cpu_quota(void)
{
	char line[512], *group;
	double best = 0, q = 0;
	FILE *f;

	if ((f = fopen("/proc/self/cgroup", "re")) == NULL)
		return (0);
	while (fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if ((group = strstr(line, ":/")) == NULL)
			continue;
		if (strncmp(line, "0::", 3) == 0)
			q = cgroup_quota("/sys/fs/cgroup", group + 1);
		else if (strstr(line, "cpu,") != NULL ||
		    strstr(line, "cpu:") != NULL)
			q = cgroup_quota("/sys/fs/cgroup/cpu", group + 1);
		if (q > 0 && (best == 0 || q < best))
			best = q;
	}
	fclose(f);
	return (best > 0 && best < cpu_count() ? best : 0);
}

void
cpu_ranks(enum cpu_order order, unsigned *ranks)
{
	struct cpu_spot *spots = xcalloc(count, sizeof(*spots));
	const struct cpu *a, *b;

	for (unsigned i = 0; i < count; i++) {
		a = &cpus[i];
		spots[i].cs_core = a->c_core;
		spots[i].cs_nth = a->c_nth;
		for (b = cpus; b < cpus + count; b++)
			spots[i].cs_place += b->c_nth == a->c_nth && b->c_core <
			    a->c_core && node_of[b->c_os] == node_of[a->c_os];
	}
	cpu_order_ranks(order, spots, count, ranks);
	free(spots);
}

int
cpu_rank(unsigned os)
{
	for (unsigned i = 0; i < count; i++)
		if (cpus[i].c_os == os)
			return ((int)i);
	return (-1);
}

static const struct cpu *
cpu_of(unsigned rank)
{
	KASSERT(rank < count, ("rank %u of %u", rank, count));
	return (&cpus[rank]);
}

#define	CPU_CALL(name, parameter, value)				\
unsigned								\
name(parameter)								\
{									\
	return (value);							\
}

CPU_CALL(cpu_count_machine, void, count_machine)
CPU_CALL(cpu_ids, void, node_of_count)
CPU_CALL(cpu_nodes, void, nodes)
CPU_CALL(cpu_node, unsigned os, os < node_of_count ? node_of[os] : 0)
CPU_CALL(cpu_os_index, unsigned rank, cpu_of(rank)->c_os)
CPU_CALL(cpu_core, unsigned rank, cpu_of(rank)->c_core)
CPU_CALL(cpu_cache, unsigned rank, cpu_of(rank)->c_cache)

unsigned
cpu_kind(unsigned os)
{
	const hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(topology, os);
	const int kind = pu == NULL ? 0 :
	    hwloc_cpukinds_get_by_cpuset(topology, pu->cpuset, 0);

	return (kind < 0 ? 0 : (unsigned)kind);
}

int
cpu_bind(pthread_t thread, unsigned rank)
{
	const hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(topology,
	    cpus[rank % cpu_count()].c_os);

	return (pu == NULL ? ENODEV : hwloc_set_thread_cpubind(topology, thread,
	    pu->cpuset, 0) == 0 ? 0 : errno);
}

unsigned
cpu_current(void)
{
	int c = sched_getcpu();

	return (c < 0 ? 0 : (unsigned)c);
}

void
cpu_model(char *buf, size_t size)
{
	const hwloc_obj_t package = hwloc_get_obj_by_type(topology,
	    HWLOC_OBJ_PACKAGE, 0);
	const char *name = package == NULL ? NULL :
	    hwloc_obj_get_info_by_name(package, "CPUModel");

	if (name == NULL)
		name = hwloc_obj_get_info_by_name(
		    hwloc_get_root_obj(topology), "CPUModel");
	snprintf(buf, size, "%s", name == NULL ? "unknown" : name);
}
