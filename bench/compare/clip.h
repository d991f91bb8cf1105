/*
 * Texts that were cut to fit.
 */
#ifndef BENCH_CLIP_H
#define BENCH_CLIP_H

/*
 * Takes the beginning of a UTF-8 character that lacks its end from the end of a
 * text; what is no UTF-8 stays.
 */
void clip_utf8(char *text);

#endif
