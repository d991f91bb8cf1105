#include <stdlib.h>

#include "bench/assure/duplicates.h"
#include "bench/cli/memory.h"
#include "lib/base/kassert.h"
#include "lib/crypto/wipe.h"

enum { FIRST_BLOCKS = 1 << 12, BLOCK_MAX_BYTES = 1 << 12 };

void
duplicates_fini(struct duplicates *du)
{
	if (du->du_blocks != NULL)
		wipe(du->du_blocks, du->du_count * sizeof(*du->du_blocks));
	free(du->du_blocks);
	memset(du, 0, sizeof(*du));
}

void
duplicates_add(struct duplicates *du, uint64_t byte, const void *block)
{
	struct duplicates_block *blocks;

	if (du->du_count == du->du_room) {
		du->du_room = du->du_room == 0 ? FIRST_BLOCKS : 2 * du->du_room;
		du->du_blocks = xreallocarray(du->du_blocks, du->du_room,
		    sizeof(*blocks));
	}
	blocks = &du->du_blocks[du->du_count++];
	memcpy(blocks->db_word, block, sizeof(blocks->db_word));
	blocks->db_byte = byte;
}

void
duplicates_read(struct duplicates *du, FILE *in)
{
	uint8_t block[BLOCK_MAX_BYTES];
	uint64_t byte = 0;

	MPASS(du->du_block_bytes >= DUPLICATES_KEPT_BYTES &&
	    du->du_block_bytes <= sizeof(block));
	for (; fread(block, du->du_block_bytes, 1, in) == 1;
	    byte += du->du_block_bytes)
		duplicates_add(du, byte, block);
	wipe(block, sizeof(block));
}

static int
compare(const void *a, const void *b)
{
	const struct duplicates_block *x = a, *y = b;

	for (unsigned i = 0; i < 2; i++)
		if (x->db_word[i] != y->db_word[i])
			return (x->db_word[i] < y->db_word[i] ? -1 : 1);
	return ((x->db_byte > y->db_byte) - (x->db_byte < y->db_byte));
}

void
duplicates_find(struct duplicates *du, struct duplicates_found *df)
{
	const struct duplicates_block *db = du->du_blocks;

	memset(df, 0, sizeof(*df));
	if (du->du_count == 0)
		return;
	qsort(du->du_blocks, du->du_count, sizeof(*du->du_blocks), compare);
	for (size_t i = 1; i < du->du_count; i++) {
		if (memcmp(db[i - 1].db_word, db[i].db_word,
		    sizeof(db[i].db_word)) != 0)
			continue;
		if (df->df_duplicates++ == 0 || db[i].db_byte < df->df_again) {
			df->df_first = db[i - 1].db_byte;
			df->df_again = db[i].db_byte;
		}
	}
}
