/*
 * Pages: one HTML file that needs no network and no script to be read.
 *
 * What a terminal shows is printed by the same functions, marked by
 * format_mark() and turned into tables and paragraphs here.  All text is
 * escaped.  Functions print to a stream that they do not check.
 */
#ifndef BENCH_PAGE_PAGE_H
#define BENCH_PAGE_PAGE_H

#include "bench/compare/compare.h"

/* As enum result_kind, and a run of checks. */
enum page_claim {
	PAGE_EMPTY,
	PAGE_MEASURED,
	PAGE_PREDICTED,
	PAGE_BOTH,
	PAGE_CHECKED
};

/*
 * Prints all before the first section.
 *
 *   claim  in  shown first, so that nobody takes one for another
 *   line   in  what was measured, predicted or checked, and where
 */
void page_begin(FILE *out, const char *title, enum page_claim claim,
    const char *line);
void page_end(FILE *out);

/* Begins a section, which ends the one before.  id is in links. */
void page_section(FILE *out, const char *id, const char *title);

/* Prints text with nothing in it that HTML could read. */
void page_escape(FILE *out, const char *text, size_t len);
void page_paragraph(FILE *out, const char *element, const char *text);

/* Begins and ends what a reader has to open. */
void page_fold(FILE *out, const char *summary);
void page_unfold(FILE *out);

/* Turns marked text into tables and paragraphs. */
void page_marked(FILE *out, const char *text);

/* The same with what a function prints. */
typedef void page_printer(FILE *out, const void *of);
void page_printed(FILE *out, page_printer *print, const void *of);

/*
 * Prints the panels that plot_pictures() draws.
 *
 *   shapes  in  with the shapes of points, which a page has once
 */
void page_pictures(FILE *out, const char *pictures, const char *legend,
    bool shapes);

/* Puts a document into the page; result_load() finds it. */
void page_data(FILE *out, const char *name, const char *json);

/* A page of one result, or of two that are compared. */
struct page_results {
	const struct result *ps_result[2];	/* the second may be NULL */
	const char	*ps_path[2];
	bool		 ps_charts;	/* some were printed */
	/* Why the page has no charts, for a message; empty: it has them. */
	char		 ps_chartless[RESULT_TEXT_SIZE];
};

void page_results(FILE *out, struct page_results *ps);

/* Prints which designs, or results, did better: words, then a table. */
void page_words(FILE *out, const struct compare *co);
void page_differences(FILE *out, const struct compare *co);

#endif
