/*
 * What the kernel says of the mitigation that makes RDRAND and RDSEED slow:
 * SRBDS, "special register buffer data sampling", CVE-2020-0543, "CrossTalk".
 */
#ifndef BENCH_MITIGATION_H
#define BENCH_MITIGATION_H

#include <stdbool.h>

enum { MITIGATION_TEXT_SIZE = 128 };

enum mitigation_state {
	MITIGATION_NOT_KNOWN,	/* the kernel does not say, or not plainly */
	MITIGATION_NOT_AFFECTED,
	MITIGATION_OFF,		/* affected, reads at full speed */
	MITIGATION_ON,		/* reads wait for each other */
	MITIGATION_STATES
};

/* As JSON has them. */
extern const char *const mitigation_state_names[MITIGATION_STATES];

struct mitigation {
	enum mitigation_state mi_state;
	char	mi_text[MITIGATION_TEXT_SIZE];	/* the kernel's; or why none */
};

/*
 * Asks the kernel.
 *
 *   path  in  a file with its words, for tests; NULL: where this system has
 *             them
 */
void mitigation_read(const char *path, struct mitigation *mi);

/* Says in words what the state means for what is measured. */
const char *mitigation_meaning(enum mitigation_state state);

#endif
