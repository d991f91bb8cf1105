/*
 * CPUs of made-up machines: hwloc takes a topology from its environment.
 */
#include <hwloc.h>
#include <stdlib.h>

#include "tests/unit/support.h"
#include "tests/unit/test.h"

/* A machine of four cores, of which the last two are of another kind. */
static void
write_two_kinds(const char *path)
{
	hwloc_topology_t t;
	hwloc_bitmap_t set;

	ATF_REQUIRE_EQ(0, hwloc_topology_init(&t));
	ATF_REQUIRE_EQ(0, hwloc_topology_set_synthetic(t,
	    "node:1 core:4 pu:1"));
	ATF_REQUIRE_EQ(0, hwloc_topology_load(t));
	set = hwloc_bitmap_alloc();
	ATF_REQUIRE(set != NULL);
	hwloc_bitmap_set_range(set, 0, 1);
	ATF_REQUIRE_EQ(0, hwloc_cpukinds_register(t, set, 1, 0, NULL, 0));
	hwloc_bitmap_zero(set);
	hwloc_bitmap_set_range(set, 2, 3);
	ATF_REQUIRE_EQ(0, hwloc_cpukinds_register(t, set, 2, 0, NULL, 0));
	ATF_REQUIRE_EQ(0, hwloc_topology_export_xml(t, path, 0));
	hwloc_bitmap_free(set);
	hwloc_topology_destroy(t);
}

TEST(cpu_kind__told_apart, "Cores of two kinds differ, the faster has the "
    "greater number; what is no CPU is of none")
{
	write_two_kinds("kinds.xml");
	ATF_REQUIRE_EQ(0, setenv("HWLOC_XMLFILE", "kinds.xml", 1));
	ATF_REQUIRE_EQ(0, setenv("HWLOC_THISSYSTEM", "0", 1));
	ATF_REQUIRE_EQ(0, cpu_init());
	ATF_CHECK_EQ(4, cpu_count());
	ATF_CHECK_EQ(0, cpu_kind(0));
	ATF_CHECK_EQ(0, cpu_kind(1));
	ATF_CHECK_EQ(1, cpu_kind(2));
	ATF_CHECK_EQ(1, cpu_kind(3));
	ATF_CHECK_EQ(0, cpu_kind(4));
	cpu_fini();
}

TEST(cpu_kind__all_alike, "A machine that says nothing of kinds has one")
{
	ATF_REQUIRE_EQ(0, setenv("HWLOC_SYNTHETIC", "node:2 core:2 pu:1", 1));
	ATF_REQUIRE_EQ(0, setenv("HWLOC_THISSYSTEM", "0", 1));
	ATF_REQUIRE_EQ(0, cpu_init());
	ATF_REQUIRE_EQ(4, cpu_count());
	for (unsigned i = 0; i < cpu_count(); i++)
		ATF_CHECK_EQ(0, cpu_kind(cpu_os_index(i)));
	cpu_fini();
}

TEST_PROGRAM()
