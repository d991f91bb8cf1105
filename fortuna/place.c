#include "fortuna/place.h"

CTASSERT((int)CIPHER_KEY_ALIGN == (int)MACHINE_CACHE_LINE);
CTASSERT(sizeof(struct cipher_key) <= CIPHER_KEY_ALIGN);

int
generator_reader_make(struct generator_reader *gr, const struct cipher *cipher)
{

	gr->gr_place = GENERATOR_PLACE_HERE;
	return (cipher_key_new(&gr->gr_spare, cipher));
}

void
generator_reader_free(struct generator_reader *gr)
{

	cipher_key_free(gr->gr_spare);
	gr->gr_spare = NULL;
}
