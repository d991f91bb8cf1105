#include <errno.h>
#include <stdlib.h>

#include "fortuna/place.h"

int
generator_reader_make(struct generator_reader *gr, const struct cipher *cipher)
{
	int error;

	gr->gr_place = GENERATOR_PLACE_HERE;
	gr->gr_spare = malloc(sizeof(*gr->gr_spare));
	if (gr->gr_spare == NULL)
		return (ENOMEM);
	error = cipher_key_init(gr->gr_spare, cipher);
	if (error != 0) {
		free(gr->gr_spare);
		gr->gr_spare = NULL;
	}
	return (error);
}

void
generator_reader_free(struct generator_reader *gr)
{

	cipher_key_fini(gr->gr_spare);
	free(gr->gr_spare);
	gr->gr_spare = NULL;
}
