/*
 * Append-only files of lines.  A last line without a newline was torn when the
 * program ended, and is ignored.  A lock keeps other processes from writing.
 *
 * Functions return 0 or the system's error.
 */
#ifndef BENCH_SWEEP_JOURNAL_H
#define BENCH_SWEEP_JOURNAL_H

#include <sys/types.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JOURNAL_MAX = 1 << 30 };	/* bytes */

struct journal {
	int	 jo_fd;		/* -1: not open */
	char	*jo_path;
	bool	 jo_new;	/* remove the file if it stays empty */
	char	*jo_text;	/* its whole lines when it was claimed */
	off_t	 jo_end;	/* behind the last whole line, bytes */
	/*
	 * Longest time between two fsync(2); 0: one for each line.  A killed
	 * process loses no line, but a power failure may lose those since.
	 */
	int64_t	 jo_patience_ns;
	int64_t	 jo_synced_ns;	/* tick_ns() of the last one */
	bool	 jo_dirty;	/* lines were written since */
};

/* path with a suffix, to be freed. */
char *journal_name(const char *path, const char *suffix);

/*
 * Opens, locks and reads a journal; the file stays as it is.  Close no other
 * descriptor of the file: that would release this process's lock.
 *
 *   jo      out  journal_close() it, also after a failure
 *   create  in   make an empty file if there is none
 *   other   out  on EBUSY: the process that has the lock; 0: unknown
 */
int journal_claim(struct journal *jo, const char *path, bool create,
    pid_t *other);

/*
 * Empties a journal and writes its first line.  A journal of two or more lines
 * is first renamed to its path with ".old" behind it.
 *
 *   kept  out  whether it was
 */
int journal_begin(struct journal *jo, const char *first, bool *kept);

/* Reads the whole lines of an open journal; a part of journal_claim(). */
int journal_read(struct journal *jo);

/* Cuts off a torn last line, and frees jo_text; journal_add() follows. */
int journal_continue(struct journal *jo);

/* Adds a line, given without newline.  On failure the file is as before. */
int journal_add(struct journal *jo, const char *line);

/* Removes an open journal's file, and closes it. */
int journal_remove(struct journal *jo);

/* Closes a journal, if it is open. */
void journal_close(struct journal *jo);

#endif
