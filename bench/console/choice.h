/*
 * Values that are words of a family, and lists of values.
 */
#ifndef BENCH_CHOICE_H
#define BENCH_CHOICE_H

#include <stddef.h>

/* The name of a family's member i. */
typedef const char *choice_name(unsigned i);

/* Joins the names of all count members: "a, b or c"; cut where buf is full. */
void choice_join(char *buf, size_t size, unsigned count, choice_name *name);

/*
 * Finds a member by its name.
 *
 *   command, label  in   whom a complaint is from, and of what: "hash", "-d"
 *   index           out  0..count - 1
 *
 * Returns: 0, or an exit status after saying what there is.
 */
int choice_find(const char *command, const char *label, const char *text,
    unsigned count, choice_name *name, unsigned *index);

/*
 * Splits a list at commas and hands each item to add, empty ones too, with a
 * label that says so.  The first that add refuses ends it.
 *
 * Returns: 0; what add returned; or an exit status after saying that an item is
 * too long.
 */
int choice_each(const char *command, const char *label, const char *text,
    int (*add)(void *context, const char *label, const char *item),
    void *context);

#endif
