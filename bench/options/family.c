#include <stdio.h>
#include <string.h>

#include "bench/options/family.h"
#include "bench/workload/workload.h"
#include "fortuna/device/design.h"
#include "lib/crypto/cipher.h"
#include "lib/crypto/crypto.h"
#include "lib/crypto/hash.h"
#include "lib/lock/lock.h"

/* A family whose names are words of a table of its own. */
#define	WORDS(which, ...)						\
	static const char *						\
	name_##which(unsigned i)					\
	{								\
		static const char *const words[] = { __VA_ARGS__ };	\
									\
		return (i < sizeof(words) / sizeof(words[0]) ?		\
		    words[i] : NULL);					\
	}								\
	const struct family family_##which = {				\
	    .fa_name = name_##which }

WORDS(bits, "32", "64");
WORDS(comparisons, "design", "lock", "cipher", "host");
WORDS(engines, "real", "virtual");
WORDS(loops, "read", "lock");
WORDS(formats, "table", "csv", "json", "ministat", "sentences");

/* Those that can be chosen. */
FAMILY(family_arrivals, ARRIVALS_RECORDED - ARRIVALS_CONSTANT,
    workload_arrivals_names[ARRIVALS_CONSTANT + i], .fa_title = NULL);
FAMILY(family_ciphers, cipher_count, ciphers[i]->ci_name, .fa_title = "cipher");
FAMILY(family_crypto, CRYPTO_CHOICES, crypto_mode_names[i],
    .fa_title = NULL);
FAMILY(family_designs, design_at(i) == NULL ? 0 : i + 1, design_at(i)->de_ident,
    .fa_title = "design");
FAMILY(family_hashes, hash_count(), hash_get(i)->ha_name, .fa_topic = "hashes");
FAMILY(family_locks, lock_class_count, lock_classes[i]->lc_name,
    .fa_title = "lock");
FAMILY(family_memories, VM_MEMORIES, vm_memory_names[i], .fa_title = NULL);

struct family family_benchmarks, family_evidences, family_number_sources;
struct family family_quantities, family_simulated_locks, family_strategies;
struct family family_units;

int
family_find(const struct family *fa, const char *name)
{
	const char *member;

	for (unsigned i = 0; (member = fa->fa_name(i)) != NULL; i++)
		if (strcmp(member, name) == 0)
			return ((int)i);
	return (-1);
}

void
family_join(const struct family *fa, unsigned mask, const char *also, char *buf,
    size_t size)
{
	unsigned left = also != NULL;
	const char *name;
	size_t used = 0;

	if (fa->fa_topic != NULL) {
		snprintf(buf, size, "a name that \"rngsim list %s\" prints",
		    fa->fa_topic);
		return;
	}
	for (unsigned i = 0; fa->fa_name(i) != NULL; i++)
		left += mask == 0 || (mask & 1u << i) != 0;
	for (unsigned i = 0; left > 0; i++) {
		name = fa->fa_name(i);
		if (name != NULL && mask != 0 && (mask & 1u << i) == 0)
			continue;
		left--;
		if (used < size)
			used += (size_t)snprintf(buf + used, size - used,
			    "%s%s", used == 0 ? "" : left == 0 ? " or " : ", ",
			    name != NULL ? name : also);
	}
}
