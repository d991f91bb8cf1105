/*
 * Streams: taken apart, and broken on purpose.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "bench/battery/battery.h"

enum {
	READERS		= 4,
	GRAIN_BYTES	= 64,
	PAGE_BYTES	= 4096,
	ROUND_BYTES	= READERS * GRAIN_BYTES,
	RARE		= 1000,		/* one range in so many comes twice */
	KEY_BYTES	= 32,
	COPY_BYTES	= 1 << 16,
	READERS_MAX	= 1024
};

/* Makes the next round of all readers from what each would have read. */
typedef void breakage(uint8_t round[READERS][GRAIN_BYTES], uint64_t number);

/* The second reader got what the first one got. */
static void
break_copied(uint8_t round[READERS][GRAIN_BYTES], uint64_t number)
{

	(void)number;
	memcpy(round[1], round[0], GRAIN_BYTES);
}

static void
break_rare(uint8_t round[READERS][GRAIN_BYTES], uint64_t number)
{

	if (number % RARE == RARE - 1)
		memcpy(round[1], round[0], GRAIN_BYTES);
}

/* One page again and again. */
static void
break_page(uint8_t round[READERS][GRAIN_BYTES], uint64_t number)
{
	static uint8_t page[PAGE_BYTES / ROUND_BYTES][ROUND_BYTES];
	const uint64_t rounds = PAGE_BYTES / ROUND_BYTES;

	if (number < rounds)
		memcpy(page[number], round, ROUND_BYTES);
	else
		memcpy(round, page[number % rounds], ROUND_BYTES);
}

/* The upper 16 bits of RANDU, x = 65539 x modulo 2^31. */
static void
break_randu(uint8_t round[READERS][GRAIN_BYTES], uint64_t number)
{
	static uint32_t x = 1;
	uint8_t *byte = (uint8_t *)round;
	unsigned i;

	(void)number;
	for (i = 0; i < ROUND_BYTES; i += 2) {
		x = x * 65539u & 0x7fffffffu;
		byte[i] = (uint8_t)(x >> 15);
		byte[i + 1] = (uint8_t)(x >> 23);
	}
}

static const struct {
	const char	*name;
	breakage	*apply;
} breakages[] = {
	{ "copied", break_copied },
	{ "rare", break_rare },
	{ "page", break_page },
	{ "randu", break_randu },
};

enum { BREAKAGES = sizeof(breakages) / sizeof(breakages[0]) };

/* AES-256-CTR with the same key in every run: what is broken repeats. */
static void
keystream(uint8_t *out, int n)
{
	static const uint8_t key[KEY_BYTES] = "rngsim-battery", iv[16];
	static EVP_CIPHER_CTX *ctx;
	int made;

	if (ctx == NULL) {
		ctx = EVP_CIPHER_CTX_new();
		if (ctx == NULL || EVP_EncryptInit_ex(ctx, EVP_aes_256_ctr(),
		    NULL, key, iv) != 1)
			battery_die(EXIT_FAILURE, "no AES-256-CTR");
	}
	memset(out, 0, (size_t)n);
	if (EVP_EncryptUpdate(ctx, out, &made, out, n) != 1 || made != n)
		battery_die(EXIT_FAILURE, "AES-256-CTR failed");
}

/* Writes a broken stream of four readers, interleaved by 64; 0 is endless. */
int
battery_broken(int argc, char *argv[])
{
	uint64_t left = UINT64_MAX, number;
	uint8_t round[READERS][GRAIN_BYTES];
	size_t n;
	unsigned i;

	for (i = 0; i < BREAKAGES; i++)
		if (strcmp(breakages[i].name, argv[0]) == 0)
			break;
	if (i == BREAKAGES)
		battery_die(BATTERY_USAGE, "\"%s\": expected copied, rare, "
		    "page or randu", argv[0]);
	if (argc > 1)
		left = battery_size(argv[1], 0, UINT64_MAX);
	if (left == 0)
		left = UINT64_MAX;
	for (number = 0; left > 0; number++, left -= n) {
		keystream((uint8_t *)round, ROUND_BYTES);
		breakages[i].apply(round, number);
		n = left < ROUND_BYTES ? (size_t)left : ROUND_BYTES;
		if (!battery_write(round, n))
			break;
	}
	return (EXIT_SUCCESS);
}

/* Writes readers I and J's streams, taken from their interleaving, XORed. */
int
battery_xor(int argc, char *argv[])
{
	uint64_t readers = battery_size(argv[0], 2, READERS_MAX);
	uint64_t grain = battery_size(argv[1], 1, COPY_BYTES);
	uint64_t a = battery_size(argv[2], 0, readers - 1);
	uint64_t b = battery_size(argv[3], 0, readers - 1);
	uint8_t *round;
	size_t i;

	(void)argc;
	round = malloc(readers * grain);
	if (round == NULL)
		battery_die(EXIT_FAILURE, "no memory");
	while (battery_read(round, readers * grain) == readers * grain) {
		for (i = 0; i < grain; i++)
			round[i] = (uint8_t)(round[a * grain + i] ^
			    round[b * grain + i]);
		if (!battery_write(round, grain))
			break;
	}
	free(round);
	return (EXIT_SUCCESS);
}

/* Copies stdin to stdout until either ends, and writes how much into a file. */
int
battery_count(int argc, char *argv[])
{
	static uint8_t bytes[COPY_BYTES];
	uint64_t count = 0;
	FILE *out;
	size_t n;

	(void)argc;
	while ((n = battery_read(bytes, sizeof(bytes))) > 0) {
		if (!battery_write(bytes, n))
			break;
		count += n;
	}
	out = fopen(argv[0], "w");
	if (out == NULL || fprintf(out, "%ju\n", (uintmax_t)count) < 0 ||
	    fclose(out) != 0)
		battery_die(EXIT_FAILURE, "%s: cannot write", argv[0]);
	return (EXIT_SUCCESS);
}
