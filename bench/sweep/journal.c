#include <fcntl.h>

#include "bench/sweep/sweep.h"

enum { TRIES = 100 };

char *
journal_name(const char *path, const char *suffix)
{
	char *name = xmalloc(strlen(path) + strlen(suffix) + 1);

	return (strcat(strcpy(name, path), suffix));
}

static int
take_lock(int fd, pid_t *other)
{
	struct flock fl = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (fcntl(fd, F_SETLK, &fl) == 0)
		return (0);
	/* A file system without locks can hold a journal all the same. */
	if (errno != EAGAIN && errno != EACCES)
		return (errno == ENOLCK || errno == EOPNOTSUPP ||
		    errno == EINVAL ? 0 : errno);
	if (fcntl(fd, F_GETLK, &fl) == 0 && fl.l_type != F_UNLCK)
		*other = fl.l_pid;
	return (EBUSY);
}

/* Opens and locks it; looks its name up again, which may be another file's. */
static int
open_locked(const char *path, int flags, int *out, pid_t *other)
{
	struct stat named, opened;
	int error, fd;

	for (int i = 0; i < TRIES; i++) {
		if ((fd = open(path, flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW |
		    O_NOCTTY | O_NONBLOCK, 0666)) == -1)
			return (errno);
		error = fstat(fd, &opened) != 0 ? errno :
		    !S_ISREG(opened.st_mode) ? EINVAL : take_lock(fd, other);
		if (error == 0 && stat(path, &named) == 0 && named.st_dev ==
		    opened.st_dev && named.st_ino == opened.st_ino) {
			*out = fd;
			return (0);
		}
		close(fd);
		if (error != 0)
			return (error);
	}
	return (EBUSY);
}

int
journal_claim(struct journal *jo, const char *path, bool create, pid_t *other)
{
	int error;

	*jo = (struct journal){ .jo_fd = -1, .jo_new = create,
	    .jo_path = xstrdup(path) };
	*other = 0;
	error = open_locked(path, create ? O_CREAT : 0, &jo->jo_fd, other);
	return (error != 0 ? error : journal_read(jo));
}

int
journal_read(struct journal *jo)
{
	size_t size;
	int error = read_file(jo->jo_fd, JOURNAL_MAX, &jo->jo_text, &size);

	while (error == 0 && size > 0 && jo->jo_text[size - 1] != '\n')
		jo->jo_text[--size] = '\0';
	jo->jo_end = error == 0 ? (off_t)size : 0;
	return (error);
}

static int
sync_now(struct journal *jo)
{
	while (fsync(jo->jo_fd) != 0)
		if (errno != EINTR)
			return (errno);
	jo->jo_synced_ns = tick_ns();
	jo->jo_dirty = false;
	return (0);
}

int
journal_begin(struct journal *jo, const char *first, bool *kept)
{
	const char *newline = memchr(jo->jo_text, '\n', (size_t)jo->jo_end);
	char *old;
	pid_t other;
	int error = 0;

	*kept = newline != NULL && newline + 1 < jo->jo_text + jo->jo_end;
	if (*kept) {
		old = journal_name(jo->jo_path, ".old");
		error = rename(jo->jo_path, old) == 0 ? 0 : errno;
		free(old);
	}
	if (*kept && error == 0) {
		close(jo->jo_fd);
		jo->jo_fd = -1;
		error = open_locked(jo->jo_path, O_CREAT, &jo->jo_fd, &other);
	}
	jo->jo_end = 0;
	if (error == 0)
		error = journal_continue(jo);
	if (error == 0)
		error = journal_add(jo, first);
	if (error == 0 && jo->jo_dirty)
		error = sync_now(jo);
	return (error != 0 ? error : atomic_file_sync_directory(jo->jo_path));
}

int
journal_continue(struct journal *jo)
{
	free(jo->jo_text);
	jo->jo_text = NULL;
	return (ftruncate(jo->jo_fd, jo->jo_end) == 0 ? 0 : errno);
}

int
journal_add(struct journal *jo, const char *line)
{
	const size_t len = strlen(line);
	int error;

	KASSERT(strchr(line, '\n') == line + len - 1, ("not one line"));
	if ((size_t)jo->jo_end + len > JOURNAL_MAX)
		return (EFBIG);
	jo->jo_dirty = true;
	error = lseek(jo->jo_fd, jo->jo_end, SEEK_SET) == -1 ? errno :
	    atomic_file_write_all(jo->jo_fd, line, len);
	if (error == 0 && tick_ns() - jo->jo_synced_ns >= jo->jo_patience_ns)
		error = sync_now(jo);
	if (error == 0)
		jo->jo_end += (off_t)len;
	/* If this fails: it has no newline, or the next line replaces it. */
	else
		(void)!ftruncate(jo->jo_fd, jo->jo_end);
	return (error);
}

int
journal_remove(struct journal *jo)
{
	int error;

	/* The directory may be gone, and the file with it. */
	jo->jo_dirty = false;
	error = unlink(jo->jo_path) == 0 ?
	    atomic_file_sync_directory(jo->jo_path) :
	    errno == ENOENT ? 0 : errno;
	journal_close(jo);
	return (error);
}

void
journal_close(struct journal *jo)
{
	struct stat sb;

	if (jo->jo_fd != -1) {
		/* Still locked, so no other process has begun to use it. */
		if (jo->jo_new && fstat(jo->jo_fd, &sb) == 0 &&
		    sb.st_size == 0 && sb.st_nlink > 0)
			(void)unlink(jo->jo_path);
		/* It may be all there is of a run that failed. */
		else if (jo->jo_dirty)
			(void)sync_now(jo);
		close(jo->jo_fd);
	}
	free(jo->jo_path);
	free(jo->jo_text);
	*jo = (struct journal){ .jo_fd = -1 };
}
