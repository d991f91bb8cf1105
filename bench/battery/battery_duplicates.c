/*
 * Blocks of 16 bytes that come twice, in a stream of several readers.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench/assure/duplicates.h"
#include "bench/battery/battery.h"

enum { STEP_BYTES = DUPLICATES_KEPT_BYTES << 16 };

/* All of stdin but what does not fill a block. */
static void
read_blocks(struct duplicates *du)
{
	static uint8_t bytes[STEP_BYTES];
	/* Taken apart when it is printed. */
	struct duplicates_place place = { .dp_reader = 0 };
	size_t got;

	do {
		got = battery_read(bytes, sizeof(bytes));
		if (duplicates_add(du, place, bytes, got) != 0)
			battery_die(EXIT_FAILURE, "no memory for more than "
			    "%zu blocks", du->du_count);
		place.dp_byte += got;
	} while (got == sizeof(bytes));
}

/* Whose block it is, and where in that reader's stream. */
static void
print_place(uint64_t at, uint64_t readers, uint64_t grain)
{

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
	struct duplicates_found df;
	struct duplicates du;

	(void)argc;
	duplicates_init(&du, DUPLICATES_KEPT_BYTES);
	read_blocks(&du);
	duplicates_find(&du, &df);
	duplicates_fini(&du);
	printf("%ju blocks, %ju duplicates", (uintmax_t)df.df_blocks,
	    (uintmax_t)df.df_duplicates);
	if (df.df_duplicates > 0) {
		printf("; first: ");
		print_place(df.df_first.dp_byte, readers, grain);
		printf(", ");
		print_place(df.df_again.dp_byte, readers, grain);
	}
	putchar('\n');
	return (df.df_duplicates > 0 ? EXIT_FAILURE : EXIT_SUCCESS);
}
