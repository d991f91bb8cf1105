/*
 * A descriptor that takes much, in pieces of any size.
 */
#ifndef BENCH_OUTPUT_H
#define BENCH_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

struct output {
	int	 ou_fd;
	size_t	 ou_used;	/* of ou_buffer */
	uint8_t	*ou_buffer;
};

/*
 * Asks for a larger pipe where fd is one and the system grants it: who reads
 * and who writes then switch less often.
 *
 * Returns: 0 or ENOMEM.
 */
int output_init(struct output *ou, int fd);

/*
 * Writes n bytes, at once or with later ones.
 *
 * Returns: 0; EINTR when the program is asked to stop (bench/console/stop.h);
 * what write(2) said.
 */
int output_put(struct output *ou, const uint8_t *bytes, size_t n);

/* Writes what output_put() kept; returns the same. */
int output_flush(struct output *ou);

/* Wipes and releases; what was kept is lost. */
void output_fini(struct output *ou);

#endif
