/*
 * One window of time in which threads read numbers.
 */
#ifndef BENCH_WINDOW_H
#define BENCH_WINDOW_H

#include <stdbool.h>

#include "bench/sources/sources.h"

/*
 * Starts threads, lets them read for a while unmeasured, then all together for
 * a window, and ends them.  A signal that asks for an end shortens it.
 *
 *   warmup_ns  in   the time unmeasured
 *   window_ns  in   1 or more
 *   sm         out  all but ss_order and ss_tries
 *   unbound    out  set, never cleared, when binding a thread was refused
 *
 * Returns: 0; EIO when the source gave no number any more; else what the
 * system said.
 */
int window_measure(const struct number_source *ns, enum number_width width,
    unsigned threads, int64_t warmup_ns, int64_t window_ns,
    struct sources_sample *sm, bool *unbound);

#endif
