/* The one place where a broken assumption ends the program. */
#include "lib/base/base.h"

static kassert_handler kassert_abort;

/* Replaceable by tests; see the header. */
kassert_handler *kassert_failed = kassert_abort;

static void
kassert_abort(const char *file, int line, const char *func, const char *expr,
    const char *msg)
{
	fprintf(stderr, "rngsim: %s:%d: %s: assertion \"%s\" failed: %s\n",
	    file, line, func, expr, msg);
	abort();
}

void
kassert_panic(const char *file, int line, const char *who, const char *text)
{
	if (kassert_failed != kassert_abort)
		kassert_failed(file, line, who, "panic", text);
	fprintf(stderr, "rngsim: %s:%d: %s: panic: %s\n", file, line, who,
	    text);
	_exit(EXIT_FAILURE);
}

const char *
kassert_msg(const char *fmt, ...)
{
	static char buf[256];

	VFORMAT(buf, sizeof(buf), fmt);
	return (buf);
}
