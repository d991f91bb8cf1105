#include <errno.h>
#include <hwloc.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cpu.h"
#include "lib/kassert.h"

/* Written by cpu_init(), read-only while threads run. */
static hwloc_topology_t topology;
static unsigned *os_index;
static unsigned *core_of;	/* by rank: a number for each core */
static unsigned *nth_of;	/* by rank: which of its hardware threads */
static unsigned *cache_of;	/* by rank: a number for each last-level one */
static unsigned os_index_count;
static unsigned *node_of;	/* by os_index; only nodes with a CPU */
static unsigned node_of_count;
static unsigned nodes = 1;

/* The first CPU behind the same last-level cache, or of the same core. */
static unsigned
cache_number(hwloc_obj_t pu)
{
	hwloc_obj_t last = pu, obj;
	int first;

	for (obj = pu->parent; obj != NULL; obj = obj->parent)
		if (obj->type == HWLOC_OBJ_CORE ||
		    hwloc_obj_type_is_dcache(obj->type))
			last = obj;
	first = hwloc_bitmap_first(last->cpuset);
	return (first < 0 ? pu->os_index : (unsigned)first);
}

/*
 * Appends the n-th hardware thread of every core, so that ranks use all cores
 * before any core's second thread.
 */
static unsigned
collect(hwloc_const_bitmap_t allowed, unsigned nth, unsigned count)
{
	unsigned before = count;
	int c, cores;

	cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
	for (c = 0; c < cores; c++) {
		hwloc_obj_t core, pu;

		core = hwloc_get_obj_by_type(topology, HWLOC_OBJ_CORE,
		    (unsigned)c);
		pu = hwloc_get_obj_inside_cpuset_by_type(topology,
		    core->cpuset, HWLOC_OBJ_PU, nth);
		if (pu == NULL || !hwloc_bitmap_isset(allowed, pu->os_index))
			continue;
		core_of[count] = (unsigned)c;
		nth_of[count] = nth;
		cache_of[count] = cache_number(pu);
		os_index[count++] = pu->os_index;
	}
	return (count - before);
}

/* Numbers the NUMA nodes of allowed CPUs in the topology's order. */
static int
collect_nodes(void)
{
	unsigned i, n, next = 0, seen;
	int count;

	for (i = 0; i < os_index_count; i++)
		if (os_index[i] >= node_of_count)
			node_of_count = os_index[i] + 1;
	node_of = calloc(node_of_count, sizeof(*node_of));
	if (node_of == NULL)
		return (ENOMEM);
	count = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
	for (n = 0; count > 0 && n < (unsigned)count; n++) {
		hwloc_obj_t node;

		node = hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, n);
		seen = 0;
		for (i = 0; i < os_index_count; i++) {
			if (!hwloc_bitmap_isset(node->cpuset, os_index[i]))
				continue;
			node_of[os_index[i]] = next;
			seen = 1;
		}
		next += seen;
	}
	nodes = next < 1 ? 1 : next;
	return (0);
}

int
cpu_init(void)
{
	hwloc_bitmap_t allowed;
	unsigned nth, weight;
	int w;

	if (hwloc_topology_init(&topology) != 0)
		return (errno);
	if (hwloc_topology_load(topology) != 0)
		return (errno);
	allowed = hwloc_bitmap_alloc();
	if (allowed == NULL)
		return (ENOMEM);
	if (hwloc_get_cpubind(topology, allowed, HWLOC_CPUBIND_PROCESS) != 0)
		hwloc_bitmap_copy(allowed,
		    hwloc_topology_get_allowed_cpuset(topology));
	w = hwloc_bitmap_weight(allowed);
	weight = w < 1 ? 1 : (unsigned)w;
	os_index = calloc(weight, sizeof(*os_index));
	core_of = calloc(weight, sizeof(*core_of));
	nth_of = calloc(weight, sizeof(*nth_of));
	cache_of = calloc(weight, sizeof(*cache_of));
	if (os_index == NULL || core_of == NULL || nth_of == NULL ||
	    cache_of == NULL) {
		hwloc_bitmap_free(allowed);
		return (ENOMEM);
	}
	for (nth = 0; os_index_count < weight && nth < 8; nth++)
		os_index_count += collect(allowed, nth, os_index_count);
	/* A machine that reports no cores: take the mask as it is. */
	if (os_index_count == 0) {
		int i = -1;

		while ((i = hwloc_bitmap_next(allowed, i)) != -1 &&
		    os_index_count < weight) {
			core_of[os_index_count] = os_index_count;
			cache_of[os_index_count] = (unsigned)i;
			os_index[os_index_count++] = (unsigned)i;
		}
	}
	hwloc_bitmap_free(allowed);
	return (os_index_count == 0 ? ENXIO : collect_nodes());
}

void
cpu_fini(void)
{

	hwloc_topology_destroy(topology);
	free(os_index);
	free(core_of);
	free(nth_of);
	free(cache_of);
	free(node_of);
	os_index = core_of = nth_of = cache_of = node_of = NULL;
	os_index_count = node_of_count = 0;
	nodes = 1;
}

unsigned
cpu_count(void)
{

	KASSERT(os_index_count > 0, ("cpu_init() was not called"));
	return (os_index_count);
}

unsigned
cpu_count_machine(void)
{
	int n;

	n = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
	return (n < 1 ? 1 : (unsigned)n);
}

/* Reads the first line of a small file; false when there is none. */
static bool
first_line(const char *path, char *buf, size_t size)
{
	FILE *f;
	bool ok;

	f = fopen(path, "re");
	if (f == NULL)
		return (false);
	ok = fgets(buf, (int)size, f) != NULL;
	fclose(f);
	return (ok);
}

/*
 * The quota of one cgroup directory, in CPUs; 0 when it sets none.  Version 2
 * has "quota period" in cpu.max, version 1 two files.
 */
static double
cgroup_quota(const char *dir)
{
	char path[600], line[128], *end;
	double period, quota;

	snprintf(path, sizeof(path), "%s/cpu.max", dir);
	if (first_line(path, line, sizeof(line))) {
		quota = strtod(line, &end);
		if (end == line)
			return (0);	/* "max" */
		period = strtod(end, NULL);
		return (quota > 0 && period > 0 ? quota / period : 0);
	}
	snprintf(path, sizeof(path), "%s/cpu.cfs_quota_us", dir);
	if (!first_line(path, line, sizeof(line)))
		return (0);
	quota = strtod(line, NULL);
	snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", dir);
	if (!first_line(path, line, sizeof(line)))
		return (0);
	period = strtod(line, NULL);
	return (quota > 0 && period > 0 ? quota / period : 0);
}

/* The tightest quota of a cgroup and its ancestors; trims path. */
static double
cgroup_quota_upwards(const char *root, char *path)
{
	char dir[560], *slash;
	double best = 0, q;

	for (;;) {
		snprintf(dir, sizeof(dir), "%s%s", root, path);
		q = cgroup_quota(dir);
		if (q > 0 && (best == 0 || q < best))
			best = q;
		slash = strrchr(path, '/');
		if (slash == NULL)
			return (best);
		*slash = '\0';
	}
}

double
cpu_quota(void)
{
	char line[512], *path;
	double best = 0, q;
	FILE *f;

	f = fopen("/proc/self/cgroup", "re");
	if (f == NULL)
		return (0);
	while (fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		path = strrchr(line, ':');
		if (path == NULL)
			continue;
		path++;
		if (strncmp(line, "0::", 3) == 0)
			q = cgroup_quota_upwards("/sys/fs/cgroup", path);
		else if (strstr(line, "cpu,") != NULL ||
		    strstr(line, ":cpu:") != NULL)
			q = cgroup_quota_upwards("/sys/fs/cgroup/cpu", path);
		else
			continue;
		if (q > 0 && (best == 0 || q < best))
			best = q;
	}
	fclose(f);
	return (best > 0 && best < cpu_count() ? best : 0);
}

/* How many cores of its node come before a rank's. */
static unsigned
place_in_node(unsigned rank)
{
	unsigned before = 0, i;

	for (i = 0; i < os_index_count; i++)
		before += nth_of[i] == nth_of[rank] &&
		    core_of[i] < core_of[rank] &&
		    cpu_node(os_index[i]) == cpu_node(os_index[rank]);
	return (before);
}

/* Whether a comes before b. */
static bool
rank_before(enum cpu_order order, unsigned a, unsigned b)
{
	unsigned pa, pb;

	if (order == CPU_SMT_FIRST && core_of[a] != core_of[b])
		return (core_of[a] < core_of[b]);
	if (order != CPU_SCATTER || nth_of[a] != nth_of[b])
		return (a < b);
	pa = place_in_node(a);
	pb = place_in_node(b);
	return (pa != pb ? pa < pb : a < b);
}

void
cpu_ranks(enum cpu_order order, unsigned *ranks)
{
	unsigned i, k;

	for (i = 0; i < os_index_count; i++) {
		for (k = i; k > 0 && rank_before(order, i, ranks[k - 1]); k--)
			ranks[k] = ranks[k - 1];
		ranks[k] = i;
	}
}

int
cpu_rank(unsigned os)
{
	unsigned i;

	for (i = 0; i < os_index_count; i++)
		if (os_index[i] == os)
			return ((int)i);
	return (-1);
}

unsigned
cpu_ids(void)
{
	unsigned i, ids = 1;

	for (i = 0; i < os_index_count; i++)
		if (os_index[i] >= ids)
			ids = os_index[i] + 1;
	return (ids);
}

unsigned
cpu_nodes(void)
{

	return (nodes);
}

unsigned
cpu_node(unsigned os)
{

	return (os < node_of_count ? node_of[os] : 0);
}

unsigned
cpu_os_index(unsigned rank)
{

	KASSERT(rank < os_index_count, ("rank %u of %u", rank, os_index_count));
	return (os_index[rank]);
}

unsigned
cpu_core(unsigned rank)
{

	KASSERT(rank < os_index_count, ("rank %u of %u", rank, os_index_count));
	return (core_of[rank]);
}

unsigned
cpu_cache(unsigned rank)
{

	KASSERT(rank < os_index_count, ("rank %u of %u", rank, os_index_count));
	return (cache_of[rank]);
}

unsigned
cpu_kind(unsigned os)
{
	hwloc_bitmap_t set;
	int kind;

	/* A set is as large as the number of what is in it. */
	if (!hwloc_bitmap_isset(hwloc_topology_get_complete_cpuset(topology),
	    os))
		return (0);
	set = hwloc_bitmap_alloc();
	if (set == NULL)
		return (0);
	hwloc_bitmap_set(set, os);
	kind = hwloc_cpukinds_get_by_cpuset(topology, set, 0);
	hwloc_bitmap_free(set);
	return (kind < 0 ? 0 : (unsigned)kind);
}

int
cpu_bind(pthread_t thread, unsigned rank)
{
	hwloc_bitmap_t set;
	int error;

	set = hwloc_bitmap_alloc();
	if (set == NULL)
		return (ENOMEM);
	hwloc_bitmap_only(set, os_index[rank % cpu_count()]);
	error = hwloc_set_thread_cpubind(topology, thread, set, 0) == 0 ? 0 :
	    errno;
	hwloc_bitmap_free(set);
	return (error);
}

unsigned
cpu_current(void)
{
	int c;

	c = sched_getcpu();
	return (c < 0 ? 0 : (unsigned)c);
}

void
cpu_model(char *buf, size_t size)
{
	hwloc_obj_t package;
	const char *name = NULL;

	package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
	if (package != NULL)
		name = hwloc_obj_get_info_by_name(package, "CPUModel");
	if (name == NULL)
		name = hwloc_obj_get_info_by_name(
		    hwloc_get_root_obj(topology), "CPUModel");
	snprintf(buf, size, "%s", name == NULL ? "unknown" : name);
}
