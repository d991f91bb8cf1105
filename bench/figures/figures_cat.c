/*
 * Raw streams into a pipe, beside the fastest keystream a shell offers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/figures/figures.h"
#include "lib/tick.h"

enum {
	ROUNDS		= 15,
	READ_BYTES	= 128 * KIB,	/* as cat(1) does */
	COMMAND_SIZE	= 512
};

#define	WINDOW_NS	(NS_PER_S / 2)

static const char openssl[] = "exec openssl enc -aes-256-ctr -in /dev/zero "
    "-iv 0 -K 0102030405060708 2>/dev/null";

static const char *const cats[] = { "-c aes", "-c chacha20",
    "-c aes -r 4", "-c chacha20 -r 4", "-d locked -c aes -r 4" };

enum { CATS = sizeof(cats) / sizeof(cats[0]) };

static void
fail(const char *command, const char *why)
{

	fprintf(stderr, "rngsim-figures: %s: %s\n", command, why);
	exit(EXIT_FAILURE);
}

/* What a command writes into a pipe, in MB/s, from its first bytes on. */
static double
pipe_mb_per_s(const char *command)
{
	static uint8_t buf[READ_BYTES];
	int64_t now_ns, start_ns;
	double bytes = 0;
	ssize_t n;
	FILE *in;

	in = popen(command, "r");
	if (in == NULL || read(fileno(in), buf, sizeof(buf)) <= 0)
		fail(command, "writes nothing");
	start_ns = tick_ns();
	do {
		n = read(fileno(in), buf, sizeof(buf));
		if (n <= 0)
			fail(command, "ended early");
		bytes += (double)n;
		now_ns = tick_ns();
	} while (now_ns - start_ns < WINDOW_NS);
	(void)pclose(in);
	return (bytes / (double)(now_ns - start_ns) * 1e3);
}

int
figures_cat(void)
{
	double beside[CATS][ROUNDS], rate[CATS][ROUNDS], rival[ROUNDS];
	const char *rngsim = getenv("FIGURES_RNGSIM");
	char command[COMMAND_SIZE], text[64], text2[64];
	unsigned i, round;

	if (rngsim == NULL)
		rngsim = "build/rngsim";
	figures_heading("cat: rngsim cat into a pipe, beside openssl enc "
	    "-aes-256-ctr of /dev/zero into\n  the same (aim: at least 0.8 of "
	    "it)");
	for (round = 0; round < ROUNDS; round++) {
		rival[round] = pipe_mb_per_s(openssl);
		for (i = 0; i < CATS; i++) {
			snprintf(command, sizeof(command), "exec '%s' cat %s",
			    rngsim, cats[i]);
			rate[i][round] = pipe_mb_per_s(command);
			beside[i][round] = rate[i][round] / rival[round];
		}
	}
	printf("  %-28s %s MB/s\n", "openssl enc",
	    figures_spread(rival, ROUNDS, "%.0f", text));
	for (i = 0; i < CATS; i++) {
		snprintf(command, sizeof(command), "cat %s", cats[i]);
		printf("  %-28s %s MB/s, ratio %s\n", command,
		    figures_spread(rate[i], ROUNDS, "%.0f", text),
		    figures_spread(beside[i], ROUNDS, "%.2f", text2));
	}
	return (EXIT_SUCCESS);
}
