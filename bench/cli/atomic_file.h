/*
 * A file that is written whole or not at all.
 *
 * The text goes to a temporary file beside the path, which takes the path's
 * place when it is complete and on disk.  A reader sees the old content or the
 * new one, even after a crash.  Open it before measuring: a path that cannot be
 * written must not cost a run.  Devices, pipes and /dev/stdout are written
 * directly.  Functions return 0 or an errno value.
 */
#pragma once

#include <stddef.h>

/*
 * Starts a file, which has no name but this pointer until its end.  Returns
 * also EISDIR for a directory, EINVAL for another path that is no regular file,
 * device or pipe, and EACCES for a file that may not be written.  temp is NULL,
 * or a temporary name beside what atomic_file_resolve() returns, that no other
 * process uses: a file of this name is overwritten.
 */
int atomic_file_open(const char *path, const char *temp);

/*
 * Finds the file that atomic_file_open() would replace; fails as it does.
 * *real is to be freed; NULL for what is written directly.
 */
int atomic_file_resolve(const char *path, char **real);

/* Makes the creation or removal of path's name durable, where that can be. */
int atomic_file_sync_directory(const char *path);

/* Writes all of it, as write(2). */
int atomic_file_write_all(int fd, const char *text, size_t len);

/*
 * Writes len bytes of text to the file that was started with this pointer, and
 * puts it in its place.  On failure path has its old content, or, where only
 * the directory could not be synced, the new one, whole.
 */
int atomic_file_commit(const char *path, const char *text, size_t len);

/* Gives up all that were started, as exit(3) does: for _exit(2). */
void atomic_file_abort_all(void);
