/* What nearly every file needs: C's headers, names of FreeBSD's, assertions. */
#pragma once

#include <sys/param.h>

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/kassert.h"
#include "lib/base/memory.h"
#include "lib/base/parse_number.h"
#include "lib/base/read_file.h"
#include "lib/base/splitmix.h"

#define	CTASSERT(x)	_Static_assert(x, #x)
#ifndef __unused
#define	__unused		__attribute__((unused))
#endif
#ifndef nitems
#define	nitems(x)	(sizeof(x) / sizeof((x)[0]))
#endif

/* Appends what printf(3) would print to the text in so many bytes; cuts it. */
#define	APPEND(text, size, ...)						\
	((void)snprintf((text) + strlen(text), (size) - strlen(text),	\
	    __VA_ARGS__))

/* As vsnprintf(3), of the arguments behind fmt of a function. */
#define	VFORMAT(text, size, fmt) do {					\
	va_list vformat_ap;						\
									\
	va_start(vformat_ap, fmt);					\
	(void)vsnprintf(text, size, fmt, vformat_ap);			\
	va_end(vformat_ap);						\
} while (0)
