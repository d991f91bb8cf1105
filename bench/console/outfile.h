/*
 * A file that is written whole or not at all.
 *
 * The text goes to a file of its own beside the path and takes the path's place
 * when it is complete and on disk, so whoever looks sees the old content or the
 * new, never a part, whatever happens to the program or the machine.  Opening
 * comes before measuring: a path that cannot be written should not cost a run.
 *
 * Devices and pipes, /dev/stdout included, have no old content to keep and are
 * written directly.
 */
#ifndef BENCH_OUTFILE_H
#define BENCH_OUTFILE_H

#include <stddef.h>

struct outfile {
	int	 of_fd;		/* open for writing; -1 after commit, abort */
	char	*of_path;	/* what it becomes, symbolic links followed */
	char	*of_temp;	/* what it is until then; NULL: no file */
};

/*
 * Starts a file.
 *
 *   of  out  untouched on failure
 *
 * Returns: 0; EISDIR for a directory; EINVAL for another path that is no
 * regular file, device or pipe; EACCES for a file that may not be written;
 * else what the system said.
 */
int outfile_open(struct outfile *of, const char *path);

/*
 * The same with a name for the file until it is complete, which nobody else
 * uses: one that a killed run left there is used again.
 *
 *   temp  in  in the directory of what outfile_resolve() says
 */
int outfile_open_as(struct outfile *of, const char *path, const char *temp);

/*
 * Finds out what outfile_open() would replace, and whether it could.
 *
 *   real  out  path, symbolic links followed, to be freed; NULL for what is
 *              written directly
 *
 * Returns: as outfile_open(), or ENOMEM.
 */
int outfile_resolve(const char *path, char **real);

/*
 * Brings to disk that a name came into path's directory, or left it.
 *
 * Returns: 0, also where that cannot be asked for; or what the system said.
 */
int outfile_sync_directory(const char *path);

/*
 * Adds len bytes, which may be none, and makes the file what path names.  A
 * caller that wrote to of_fd itself adds none.
 *
 * Returns: 0, or what the system said; path is then what it was, or, when the
 * directory could not be synced, the new file, whole; nothing is left beside
 * it.
 */
int outfile_commit(struct outfile *of, const char *text, size_t len);

/* Gives up; path stays what it was.  Harmless after outfile_commit(). */
void outfile_abort(struct outfile *of);

#endif
