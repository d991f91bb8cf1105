/*
 * Follows random_harvestq.c in its unit: which health test a source failed.  A
 * queue without tests, or of other names, is compiled without.
 */
#if defined(RANDOM_SELFTEST_APT_WINDOW) && !defined(KERN_NO_PROBE)
#include <random_abi.h>

/* The repetition count comes first, and is said of a fail point, too. */
KERN_PLAIN enum random_tested
kern_probe_tested(u_int source)
{
	const struct health_test_softc *ht = &healthtest[source];

	if (ht->ht_state != FAILED)
		return (RANDOM_REFUSED);
	return (ht->ht_rct_count < ht->ht_rct_limit && ht->ht_apt_count >=
	    ht->ht_apt_cutoff ? RANDOM_FREQUENT : RANDOM_REPEATED);
}
#endif
