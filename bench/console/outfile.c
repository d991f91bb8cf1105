#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/console/outfile.h"
#include "lib/kassert.h"

enum {
	OUTFILE_TRIES		= 100,
	OUTFILE_SUFFIX_SIZE	= 40	/* ".tmp.PID.N" */
};

/*
 * A descriptor of its own for what is no file.  Standard output is duplicated,
 * because opening its name again would start at the beginning of the file that
 * it may be.
 */
static int
open_directly(const char *path)
{

	if (strcmp(path, "/dev/stdout") == 0)
		return (fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0));
	if (strcmp(path, "/dev/stderr") == 0)
		return (fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0));
	return (open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY));
}

/* Whether path is written in place, or why it cannot be written. */
static int
classify(const char *path, bool *direct, mode_t *mode)
{
	struct stat sb;

	*direct = strcmp(path, "/dev/stdout") == 0 ||
	    strcmp(path, "/dev/stderr") == 0;
	*mode = 0;
	if (*direct)
		return (0);
	/* No name; one with a suffix would be. */
	if (path[0] == '\0')
		return (ENOENT);
	if (stat(path, &sb) != 0)
		return (errno == ENOENT ? 0 : errno);
	if (S_ISDIR(sb.st_mode))
		return (EISDIR);
	*direct = S_ISCHR(sb.st_mode) || S_ISFIFO(sb.st_mode);
	if (!*direct && !S_ISREG(sb.st_mode))
		return (EINVAL);
	/* rename(2) would not ask. */
	if (access(path, W_OK) != 0)
		return (errno);
	*mode = sb.st_mode & 07777;
	return (0);
}

/*
 * Creates the file beside of_path.  A name may be taken by what a killed run
 * left: where process ids repeat, as in containers, that would be every run.
 */
static int
create_temp(struct outfile *of)
{
	size_t size = strlen(of->of_path) + OUTFILE_SUFFIX_SIZE;
	unsigned i;

	of->of_temp = malloc(size);
	if (of->of_temp == NULL)
		return (ENOMEM);
	for (i = 0; i < OUTFILE_TRIES; i++) {
		int n = snprintf(of->of_temp, size, "%s.tmp.%ld", of->of_path,
		    (long)getpid());

		KASSERT(n > 0 && (size_t)n < size, ("name of %d bytes", n));
		if (i > 0)
			snprintf(of->of_temp + n, size - (size_t)n, ".%u", i);
		of->of_fd = open(of->of_temp,
		    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (of->of_fd != -1)
			return (0);
		if (errno != EEXIST)
			return (errno);
	}
	return (EEXIST);
}

static void
release(struct outfile *of)
{

	free(of->of_path);
	free(of->of_temp);
	*of = (struct outfile){ .of_fd = -1 };
}

/* Uses a name that nobody else does. */
static int
reuse_temp(struct outfile *of, const char *temp)
{

	of->of_temp = strdup(temp);
	if (of->of_temp == NULL)
		return (ENOMEM);
	of->of_fd = open(of->of_temp, O_WRONLY | O_CREAT | O_TRUNC |
	    O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, 0666);
	return (of->of_fd == -1 ? errno : 0);
}

/* What a symbolic link names, where that is there; else path. */
static char *
resolve(const char *path)
{
	char *real = realpath(path, NULL);

	return (real != NULL ? real : strdup(path));
}

int
outfile_resolve(const char *path, char **real)
{
	bool direct;
	mode_t mode;
	int error;

	*real = NULL;
	error = classify(path, &direct, &mode);
	if (error != 0 || direct)
		return (error);
	*real = resolve(path);
	return (*real == NULL ? ENOMEM : 0);
}

int
outfile_open(struct outfile *of, const char *path)
{

	return (outfile_open_as(of, path, NULL));
}

int
outfile_open_as(struct outfile *of, const char *path, const char *temp)
{
	struct outfile new = { .of_fd = -1 };
	bool direct;
	mode_t mode;
	int error;

	KASSERT(path != NULL, ("no path"));
	error = classify(path, &direct, &mode);
	if (error != 0)
		return (error);
	if (direct) {
		new.of_fd = open_directly(path);
		if (new.of_fd == -1)
			return (errno);
		*of = new;
		return (0);
	}
	new.of_path = resolve(path);
	error = new.of_path == NULL ? ENOMEM : temp != NULL ?
	    reuse_temp(&new, temp) : create_temp(&new);
	if (error != 0) {
		release(&new);
		return (error);
	}
	/* Who could read the old content should be able to read the new. */
	if (mode != 0)
		(void)fchmod(new.of_fd, mode);
	*of = new;
	return (0);
}

static int
write_all(int fd, const char *text, size_t len)
{
	ssize_t n;

	while (len > 0) {
		n = write(fd, text, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return (errno);
		text += n;
		len -= (size_t)n;
	}
	return (0);
}

/* The directory that path is in; *fd is -1 where it may not be read. */
static int
open_directory(const char *path, int *fd)
{
	const char *slash = strrchr(path, '/');
	char *dir;

	dir = slash == NULL ? strdup(".") : slash == path ? strdup("/") :
	    strndup(path, (size_t)(slash - path));
	if (dir == NULL)
		return (ENOMEM);
	*fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(dir);
	/* A directory that may be written but not read cannot be synced. */
	return (*fd == -1 && errno != EACCES ? errno : 0);
}

/* Of -1 nothing. */
static int
sync_directory(int dir)
{
	int error = 0;

	if (dir == -1)
		return (0);
	/* Some file systems have nothing to sync there and say so. */
	if (fsync(dir) != 0 && errno != EINVAL && errno != EROFS)
		error = errno;
	close(dir);
	return (error);
}

int
outfile_sync_directory(const char *path)
{
	int dir, error;

	error = open_directory(path, &dir);
	return (error != 0 ? error : sync_directory(dir));
}

/*
 * Puts the file in its place.  That is on disk when the directory is, which is
 * opened first: without a descriptor for it nothing has happened yet.
 */
static int
take_place(const struct outfile *of)
{
	int dir, error;

	error = open_directory(of->of_path, &dir);
	if (error != 0)
		return (error);
	if (rename(of->of_temp, of->of_path) == 0)
		return (sync_directory(dir));
	error = errno;
	if (dir != -1)
		close(dir);
	return (error);
}

int
outfile_commit(struct outfile *of, const char *text, size_t len)
{
	int error;

	KASSERT(of->of_fd != -1, ("not open"));
	error = write_all(of->of_fd, text, len);
	if (error == 0 && of->of_temp != NULL && fsync(of->of_fd) != 0)
		error = errno;
	if (close(of->of_fd) != 0 && error == 0)
		error = errno;
	of->of_fd = -1;
	if (error == 0 && of->of_temp != NULL)
		error = take_place(of);
	/* Gone already if all that failed was to make its name last. */
	if (error != 0 && of->of_temp != NULL)
		unlink(of->of_temp);
	release(of);
	return (error);
}

void
outfile_abort(struct outfile *of)
{

	if (of->of_fd == -1)
		return;
	close(of->of_fd);
	if (of->of_temp != NULL)
		unlink(of->of_temp);
	release(of);
}
