/*
 * Pages: one HTML file that needs no network and no script to be read.
 *
 * What a terminal shows is printed by the same functions, which give it to
 * tables and paragraphs here: format_divert().  All text is escaped.  Functions
 * print to a stream that they do not check.
 */
#pragma once

#include "bench/result/describe.h"

/* Prints all before the first section: the claim; what was done, and where. */
void page_begin(FILE *out, const char *title, enum result_kind claim,
    const char *line);
void page_end(FILE *out);

/* Begins a section, which ends the one before.  id is in links. */
void page_section(FILE *out, const char *id, const char *title);

/* Prints text with nothing in it that HTML could read. */
void page_escape(FILE *out, const char *text, size_t len);
void page_paragraph(FILE *out, const char *element, const char *text);

/* Prints what a function prints as tables and paragraphs. */
typedef void page_printer(FILE *out, const void *of);
void page_printed(FILE *out, page_printer *print, const void *of);

struct page_results {
	const char	*pgr_file;	/* the page's, for messages */
	const struct result *pgr_result;	/* 1 or 2 */
	const char	*pgr_path[2];
	unsigned	 pgr_count;
};

/* Prints the page of a struct page_results: one result, or two compared. */
page_printer page_results;
