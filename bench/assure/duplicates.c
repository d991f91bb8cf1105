#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/assure/duplicates.h"
#include "lib/kassert.h"
#include "lib/wipe.h"

enum {
	FIRST_BLOCKS	= 1 << 12,
	/* A place in one word: the reader above, its byte below. */
	BYTE_BITS	= 48
};

CTASSERT(DUPLICATES_READERS_MAX <= 1 << (64 - BYTE_BITS));

void
duplicates_init(struct duplicates *du, size_t block_bytes)
{

	MPASS(block_bytes >= DUPLICATES_KEPT_BYTES);
	memset(du, 0, sizeof(*du));
	du->du_block_bytes = block_bytes;
}

void
duplicates_fini(struct duplicates *du)
{

	if (du->du_blocks != NULL)
		wipe(du->du_blocks, du->du_room * sizeof(*du->du_blocks));
	free(du->du_blocks);
	du->du_blocks = NULL;
}

static int
grow(struct duplicates *du, size_t more)
{
	size_t room = du->du_room == 0 ? FIRST_BLOCKS : du->du_room;
	struct duplicates_block *blocks;

	while (room < du->du_count + more)
		room *= 2;
	if (room == du->du_room)
		return (0);
	blocks = realloc(du->du_blocks, room * sizeof(*blocks));
	if (blocks == NULL)
		return (ENOMEM);
	memset(blocks + du->du_room, 0,
	    (room - du->du_room) * sizeof(*blocks));
	du->du_blocks = blocks;
	du->du_room = room;
	return (0);
}

int
duplicates_add(struct duplicates *du, struct duplicates_place place,
    const void *bytes, size_t n)
{
	const size_t count = n / du->du_block_bytes;
	struct duplicates_block *db;
	const uint8_t *p = bytes;
	size_t i;

	KASSERT(place.dp_reader < DUPLICATES_READERS_MAX &&
	    (place.dp_byte + n) >> BYTE_BITS == 0, ("reader %u byte %ju",
	    place.dp_reader, (uintmax_t)place.dp_byte));
	if (grow(du, count) != 0)
		return (ENOMEM);
	for (i = 0; i < count; i++) {
		db = &du->du_blocks[du->du_count++];
		memcpy(db->db_word, p + i * du->du_block_bytes,
		    sizeof(db->db_word));
		db->db_place = (uint64_t)place.dp_reader << BYTE_BITS |
		    (place.dp_byte + i * du->du_block_bytes);
	}
	du->du_pieces++;
	return (0);
}

static int
compare(const void *a, const void *b)
{
	const struct duplicates_block *x = a, *y = b;
	unsigned i;

	for (i = 0; i < 2; i++)
		if (x->db_word[i] != y->db_word[i])
			return (x->db_word[i] < y->db_word[i] ? -1 : 1);
	return ((x->db_place > y->db_place) - (x->db_place < y->db_place));
}

static struct duplicates_place
place_of(uint64_t place)
{

	return ((struct duplicates_place){
		.dp_reader = (unsigned)(place >> BYTE_BITS),
		.dp_byte = place & ((UINT64_C(1) << BYTE_BITS) - 1),
	});
}

void
duplicates_find(struct duplicates *du, struct duplicates_found *df)
{
	const struct duplicates_block *db = du->du_blocks;
	size_t first = 0, i;

	memset(df, 0, sizeof(*df));
	df->df_pieces = du->du_pieces;
	df->df_blocks = du->du_count;
	if (du->du_count == 0)
		return;
	qsort(du->du_blocks, du->du_count, sizeof(*du->du_blocks), compare);
	for (i = 1; i < du->du_count; i++) {
		if (memcmp(db[i - 1].db_word, db[i].db_word,
		    sizeof(db[i].db_word)) != 0)
			continue;
		if (df->df_duplicates++ == 0 ||
		    db[i].db_place < db[first].db_place)
			first = i;
	}
	if (df->df_duplicates == 0)
		return;
	df->df_first = place_of(db[first - 1].db_place);
	df->df_again = place_of(db[first].db_place);
}
