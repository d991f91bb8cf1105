/*
 * FenestrasX with variants, for tests of kernel sources, by flags of the
 * compiler: FX_ONE_CPU, all reads use the first CPU's generator; FX_CHURN, each
 * read makes one of its own and frees it; FX_STORED, how much stored output is
 * claimed.
 */
#include <sys/param.h>
#include <sys/pcpu.h>

#include <random_abi.h>

#ifdef FX_ONE_CPU
#undef curcpu
#define	curcpu		0
#endif
#ifdef FX_CHURN
#define	random_alg_context	fx_context
#endif
#ifdef FX_STORED
#undef RANDOM_CLAIMS
#define	RANDOM_CLAIMS(...)						\
extern const struct random_claims random_claims;			\
const struct random_claims random_claims = { __VA_ARGS__,		\
    .rm_stored_bytes = FX_STORED }
#pragma GCC diagnostic ignored "-Woverride-init"
#endif

#include "../../fortuna/fxrng.c"

#ifdef FX_CHURN
#undef random_alg_context

static void
fx_read_churning(uint8_t *buf, size_t n)
{
	struct fx_rng *fr = fx_new();

	fx_read_of(fr, buf, n);
	/* There was memory. */
	if (fr != &fx_root)
		zfree(fr, M_ENTROPY);
}

const struct random_algorithm random_alg_context = {
	.ra_ident	= "FenestrasX",
	.ra_poolcount	= FX_POOLS,
	.ra_pre_read	= (void (*)(void))nullop,
	.ra_read	= fx_read_churning,
	.ra_seeded	= fx_seeded,
	.ra_event_processor = fx_event,
};
#endif
