/*
 * A read of more than a page returns a page.
 */
#define	MUTANT	mutant_short_read
#include "tests/mutants/mutant_concurrent.h"

static size_t
page_of(struct uio *uio)
{
	size_t n = uio_room(uio);

	if (n <= RANDOM_FORTUNA_PAGE)
		return (n);
	uio->uio_resid = n = RANDOM_FORTUNA_PAGE;
	return (n);
}

#define	uio_room	page_of
#include "fortuna/gen_concurrent.c"
