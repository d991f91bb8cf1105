#include <sys/queue.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <libgen.h>

#include "bench/cli/atomic_file.h"
#include "lib/base/base.h"

enum { TRIES = 100 };

struct atomic_file {
	const char *of_given;	/* the caller's */
	int	 of_fd;		/* open for writing */
	char	*of_path;	/* final name, symbolic links followed */
	char	*of_temp;	/* temporary name; NULL: written directly */
	LIST_ENTRY(atomic_file) of_started;
};

/* Those that are open: a program that ends leaves none behind. */
static LIST_HEAD(, atomic_file) started = LIST_HEAD_INITIALIZER(started);
static pid_t owner;

static void
release(struct atomic_file *of)
{
	free(of->of_path);
	free(of->of_temp);
	free(of);
}

void
atomic_file_abort_all(void)
{
	struct atomic_file *of;

	while (getpid() == owner && (of = LIST_FIRST(&started)) != NULL) {
		LIST_REMOVE(of, of_started);
		close(of->of_fd);
		if (of->of_temp != NULL)
			unlink(of->of_temp);
		release(of);
	}
}

/* The standard stream that path names, or -1. */
static int
standard_stream(const char *path)
{
	return (strcmp(path, "/dev/stdout") == 0 ? STDOUT_FILENO :
	    strcmp(path, "/dev/stderr") == 0 ? STDERR_FILENO : -1);
}

int
atomic_file_resolve(const char *path, char **real)
{
	struct stat sb = { .st_mode = S_IFREG };

	*real = NULL;
	if (standard_stream(path) != -1)
		return (0);
	/* No name; one with a suffix would be. */
	if (path[0] == '\0')
		return (ENOENT);
	if (stat(path, &sb) == 0) {
		if (S_ISDIR(sb.st_mode))
			return (EISDIR);
		if (!S_ISREG(sb.st_mode) && !S_ISCHR(sb.st_mode) &&
		    !S_ISFIFO(sb.st_mode))
			return (EINVAL);
		/* rename(2) does not check this. */
		if (access(path, W_OK) != 0)
			return (errno);
	} else if (errno != ENOENT)
		return (errno);
	if (!S_ISREG(sb.st_mode))
		return (0);
	*real = realpath(path, NULL);
	if (*real == NULL)
		*real = xstrdup(path);
	return (0);
}

/*
 * Creates a temporary file: a new one in place of temp, or one with a name of
 * its own.  Such a name may be taken by a file that a killed run left: process
 * ids repeat, in containers at every run.
 */
static int
create_temp(struct atomic_file *of, const char *temp)
{
	for (unsigned i = 0; i < TRIES; i++) {
		free(of->of_temp);
		if (temp != NULL) {
			of->of_temp = xstrdup(temp);
			(void)unlink(temp);
		} else if (asprintf(&of->of_temp, "%s.tmp.%ld.%u", of->of_path,
		    (long)getpid(), i) == -1)
			no_memory();
		if ((of->of_fd = open(of->of_temp, O_WRONLY | O_CREAT | O_EXCL |
		    O_CLOEXEC, 0666)) != -1)
			return (0);
		if (errno != EEXIST)
			return (errno);
	}
	return (EEXIST);
}

int
atomic_file_open(const char *path, const char *temp)
{
	const int stream = standard_stream(path);
	struct atomic_file *of = xcalloc(1, sizeof(*of));
	struct stat sb;
	int error = atomic_file_resolve(path, &of->of_path);

	of->of_given = path;
	if (error == 0 && of->of_path == NULL) {
		/* Opening a standard stream anew would overwrite its file. */
		of->of_fd = stream != -1 ? fcntl(stream, F_DUPFD_CLOEXEC, 0) :
		    open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		error = of->of_fd == -1 ? errno : 0;
	} else if (error == 0)
		error = create_temp(of, temp);
	if (error != 0) {
		release(of);
		return (error);
	}
	/* The new content may be read by all that could read the old. */
	if (of->of_path != NULL && stat(of->of_path, &sb) == 0)
		(void)fchmod(of->of_fd, sb.st_mode & 07777);
	if (owner == 0 && atexit(atomic_file_abort_all) == 0)
		owner = getpid();
	LIST_INSERT_HEAD(&started, of, of_started);
	return (0);
}

int
atomic_file_write_all(int fd, const char *text, size_t len)
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

int
atomic_file_sync_directory(const char *path)
{
	char *dir = xstrdup(path);
	int error = 0;
	int fd = open(dirname(dir), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	free(dir);
	/* It may be written but not read. */
	if (fd == -1)
		return (errno == EACCES ? 0 : errno);
	/* Some file systems cannot sync a directory. */
	if (fsync(fd) != 0 && errno != EINVAL && errno != EROFS)
		error = errno;
	close(fd);
	return (error);
}

int
atomic_file_commit(const char *path, const char *text, size_t len)
{
	struct atomic_file *of;
	int error;

	LIST_FOREACH(of, &started, of_started)
		if (of->of_given == path)
			break;
	KASSERT(of != NULL, ("%s: not open", path));
	error = atomic_file_write_all(of->of_fd, text, len);
	if (error == 0 && of->of_temp != NULL && fsync(of->of_fd) != 0)
		error = errno;
	if (close(of->of_fd) != 0 && error == 0)
		error = errno;
	if (error == 0 && of->of_temp != NULL)
		error = rename(of->of_temp, of->of_path) != 0 ? errno :
		    atomic_file_sync_directory(of->of_path);
	/* It has the final name where only the last sync failed. */
	if (error != 0 && of->of_temp != NULL)
		unlink(of->of_temp);
	LIST_REMOVE(of, of_started);
	release(of);
	return (error);
}
