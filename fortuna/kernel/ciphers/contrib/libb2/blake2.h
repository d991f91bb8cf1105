#include <kern.h>

/* A source may have macros of these names. */
int	blake2b_init(blake2b_state *, size_t);
int	blake2b_update(blake2b_state *, const void *, size_t);
int	blake2b_final(blake2b_state *, void *, size_t);
