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
	struct duplicates_block db = { .db_byte = byte };

	memcpy(db.db_word, block, sizeof(db.db_word));
	if (du->du_count == du->du_room) {
		du->du_room = 2 * du->du_room + FIRST_BLOCKS;
		du->du_blocks = xreallocarray(du->du_blocks, du->du_room,
		    sizeof(db));
	}
	du->du_blocks[du->du_count++] = db;
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
	const int c = memcmp(x->db_word, y->db_word, sizeof(x->db_word));

	return (c != 0 ? c : (x->db_byte > y->db_byte) -
	    (x->db_byte < y->db_byte));
}

void
duplicates_find(struct duplicates *du, struct duplicates_found *df)
{
	const struct duplicates_block *db = du->du_blocks;

	memset(df, 0, sizeof(*df));
	if (du->du_count > 0)
		qsort(du->du_blocks, du->du_count, sizeof(*db), compare);
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
