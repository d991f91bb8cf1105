/*
 * The forms in which a result goes to standard output.
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stdio.h>

#include "bench/result/result.h"

enum report_format {
	REPORT_TABLE,
	REPORT_CSV,
	REPORT_JSON,
	REPORT_MINISTAT,
	REPORT_WILL_IT_SCALE,
	REPORT_FORMATS
};

/* Their names, as --format takes them. */
extern const char *const report_format_names[REPORT_FORMATS];

/*
 * Prints r.
 *
 * Returns: 0; ENOMEM, with nothing printed; else why out could not be written,
 * EIO when the system did not say.
 */
int report_emit(FILE *out, const struct result *r, enum report_format format);

#endif
