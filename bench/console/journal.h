/*
 * A file that only grows, a record at a time, and of which a record is on disk
 * once it was added, or soon after: what a run has done so far, for one that
 * goes on after it was killed.
 *
 * A record is a line: its text's length and CRC-32 (zlib's), 8 hexadecimal
 * digits each, the text and a newline, with blanks between.  The text has no
 * newline.  A last line without its newline is what was being written when the
 * end came, and does not count; any other line that is not as it should be is
 * damage.
 *
 * One process at a time has a journal; whoever comes second is told which.
 */
#ifndef BENCH_JOURNAL_H
#define BENCH_JOURNAL_H

#include <sys/types.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define	JOURNAL_SUFFIX	".journal"

enum { JOURNAL_RECORD_MAX = 64 << 20 };	/* bytes of text */

struct journal {
	int	 jo_fd;		/* -1: not open */
	char	*jo_path;
	off_t	 jo_end;	/* of what is whole */
	uint64_t jo_records;	/* up to there */
	/*
	 * How long a record may wait until it is on disk, by whoever can do
	 * without those of the last moments before the power fails; a process
	 * that is killed has written all the same.  0: not at all.
	 */
	int64_t	 jo_patience_ns;
	int64_t	 jo_synced_ns;	/* tick_ns() */
	bool	 jo_dirty;
};

/* Where a reader of a journal is. */
struct journal_reader {
	int	 jr_fd;
	off_t	 jr_at;		/* behind the record read last */
	uint64_t jr_line;	/* of it, from 1 */
	char	*jr_text;	/* its text, NUL-terminated; or NULL */
	size_t	 jr_size;	/* of the text */
	size_t	 jr_room;
};

/* The name of the journal of a file; NULL when there is no memory. */
char *journal_path(const char *path);

/*
 * Makes a journal this process's, without a change to what is in it.
 *
 *   jo      out  journal_close() it, also after a failure
 *   create  in   make an empty one where there is none
 *   other   out  with EBUSY: the process that has it; 0: not known
 *
 * Returns: 0; EBUSY; ENOENT where there is none; EINVAL when the path is no
 * regular file; else what the system said.
 */
int journal_claim(struct journal *jo, const char *path, bool create,
    pid_t *other);

/*
 * Begins anew.  What had more than its first record is kept in a file beside
 * it, whose name ends in ".old".
 *
 *   first  in   the text of its first record
 *   kept   out  whether an earlier one is kept
 *
 * Returns: 0, or what the system said.
 */
int journal_begin(struct journal *jo, const char *first, bool *kept);

/* Cuts off what is behind jr_at, where the next record will be. */
int journal_settle(struct journal *jo, const struct journal_reader *jr);

/*
 * Adds a record.  On failure nothing of it is left, as far as that can be had.
 *
 * Returns: 0, or what the system said.
 */
int journal_add(struct journal *jo, const char *text);

/* Removes an open journal, and closes it. */
int journal_remove(struct journal *jo);

/* Closes it, if it is open; it stays where it is, unless it is empty. */
void journal_close(struct journal *jo);

/*
 * Begins to read from the beginning.  The file stays the caller's, who may not
 * close another descriptor of it while he has the journal.
 */
void journal_rewind(struct journal_reader *jr, int fd);

/*
 * Reads the next record.
 *
 *   more  out  whether there was one; false behind the last whole one
 *
 * Returns: 0; EINVAL when line jr_line + 1 is damaged; else what the system
 * said.
 */
int journal_next(struct journal_reader *jr, bool *more);

/* Frees the text. */
void journal_reader_free(struct journal_reader *jr);

#endif
