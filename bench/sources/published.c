#include "bench/sources/published.h"

const char *const published_sources[PUBLISHED_SOURCES] = {
	"lcg", "tinymt32", "rdrand", "rdseed"
};

const char published_machines_from[] = "hrng; pseudo generators 10^8 calls, "
    "hardware 10^6";

const struct published_machine published_machines[] = {
	{ "i5-10210U Linux, SRBDS on",
	    { { 1.16, 0.14 }, { 3.36, 0.70 }, { 1164, 975 }, { 1164, 977 } },
	    { 0, 0 } },
	{ "i5-10210U Linux, SRBDS off",
	    { { 1.18, 0.15 }, { 3.35, 0.70 }, { 123, 25 }, { 439, 473 } },
	    { 12.6, 132.7 } },
	{ "i5-10210U Windows 10",
	    { { 0.93, 0.21 }, { 4.10, 3.59 }, { 144, 34 }, { 487, 573 } },
	    { 12.5, 113.9 } },
	{ "i5-10500T Windows 11",
	    { { 0.98, 0.10 }, { 4.14, 1.91 }, { 115, 23 }, { 972, 382 } },
	    { 29.9, 142.3 } },
};

const unsigned published_machine_count = sizeof(published_machines) /
    sizeof(published_machines[0]);

const double published_peak_reads_per_s = 99.6e6;
const double published_peak_gbit_per_s = 6.374;
const char published_peak_from[] = "rdrand on Ivy Bridge, October 2012, with "
    "4 threads on an i5-3210M (2 cores) and already with 3 on an i7-3770: the "
    "generator's bus saturates (theory: 6.4 Gbit/s), not the cores; below, a "
    "read takes about 9 cycles";
