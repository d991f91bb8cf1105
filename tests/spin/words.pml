/*
 * What a rule is: an assertion with a word, which the message about its failure
 * has in it.  The words are those of lib/ledger/ledger.tbl and the models' own.
 *
 * The words are always 0, and no part of a state.
 */
#define RULE(word, holds)	assert((holds) || word)

/* lib/ledger/ledger.tbl */
hidden byte reuse, kept, revived, torn, unseeded, stale, pace, pools, events,
    wiped;

/* One thread at a time is inside; a model's tables are large enough. */
hidden byte exclusion, bounds;

/* A log does only what the model of its design can do, in its order. */
hidden byte step;

/*
 * The queue: who fills a buffer is not in the one being emptied; a slot that is
 * filled was empty; what was queued comes out once and in order; all that was
 * offered was taken or counted as dropped.
 */
hidden byte draining, overwritten, order, conserved;
