/*
 * Blocks that come twice.  A repeated block of 16 bytes is a fault for certain:
 * among n random ones there is one with probability n^2 / 2^129.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/battery/battery.h"

enum {
	BLOCK_BYTES	= 16,
	STEP_BLOCKS	= 1 << 16
};

struct block {
	uint64_t bl_word[2];
	uint64_t bl_index;
};

static int
block_compare(const void *a, const void *b)
{
	const struct block *x = a, *y = b;
	unsigned i;

	for (i = 0; i < 2; i++)
		if (x->bl_word[i] != y->bl_word[i])
			return (x->bl_word[i] < y->bl_word[i] ? -1 : 1);
	return (x->bl_index < y->bl_index ? -1 : x->bl_index > y->bl_index);
}

static bool
block_same(const struct block *a, const struct block *b)
{

	return (a->bl_word[0] == b->bl_word[0] &&
	    a->bl_word[1] == b->bl_word[1]);
}

/* All of stdin but what does not fill a block. */
static struct block *
read_blocks(size_t *count)
{
	static uint8_t bytes[STEP_BLOCKS][BLOCK_BYTES];
	struct block *blocks = NULL;
	size_t i, n, got, room = 0;

	*count = 0;
	do {
		n = *count;
		if (n + STEP_BLOCKS > room) {
			room = 2 * room + STEP_BLOCKS;
			blocks = realloc(blocks, room * sizeof(*blocks));
			if (blocks == NULL)
				battery_die(EXIT_FAILURE, "no memory for %zu "
				    "blocks", room);
		}
		got = battery_read(bytes, sizeof(bytes));
		for (i = 0; i < got / BLOCK_BYTES; i++) {
			memcpy(blocks[n + i].bl_word, bytes[i], BLOCK_BYTES);
			blocks[n + i].bl_index = n + i;
		}
		*count = n + i;
	} while (got == sizeof(bytes));
	return (blocks);
}

/* Whose block it is, and where in that reader's stream. */
static void
print_place(uint64_t index, uint64_t readers, uint64_t grain)
{
	uint64_t at = index * BLOCK_BYTES;

	printf("reader %ju byte %ju", (uintmax_t)(at / grain % readers),
	    (uintmax_t)(at / grain / readers * grain + at % grain));
}

/*
 * Prints "BLOCKS blocks, N duplicates" and where the first of them are.  N is
 * how many fewer blocks there are when each is counted once.  Status 1 if there
 * are any.
 */
int
battery_duplicates(int argc, char *argv[])
{
	uint64_t readers = battery_size(argv[0], 1, 1024);
	uint64_t grain = battery_size(argv[1], 1, 1 << 30);
	struct block *blocks;
	size_t count, duplicates = 0, first = 0, i;

	(void)argc;
	blocks = read_blocks(&count);
	qsort(blocks, count, sizeof(*blocks), block_compare);
	for (i = 1; i < count; i++) {
		if (!block_same(&blocks[i - 1], &blocks[i]))
			continue;
		if (duplicates++ == 0 ||
		    blocks[i].bl_index < blocks[first].bl_index)
			first = i;
	}
	printf("%zu blocks, %zu duplicates", count, duplicates);
	if (duplicates > 0) {
		printf("; first: ");
		print_place(blocks[first - 1].bl_index, readers, grain);
		printf(", ");
		print_place(blocks[first].bl_index, readers, grain);
	}
	putchar('\n');
	free(blocks);
	return (duplicates > 0 ? EXIT_FAILURE : EXIT_SUCCESS);
}
