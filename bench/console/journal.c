#include <sys/stat.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "bench/console/journal.h"
#include "bench/console/outfile.h"
#include "lib/kassert.h"
#include "lib/tick.h"

enum {
	DIGITS		= 8,
	HEAD_SIZE	= 2 * (DIGITS + 1),	/* length, CRC, blanks */
	CHUNK		= 1 << 16,
	TRIES		= 100
};

static const char suffix_old[] = ".old";

static char *
with_suffix(const char *path, const char *suffix)
{
	size_t size = strlen(path) + strlen(suffix) + 1;
	char *name = malloc(size);

	if (name != NULL)
		snprintf(name, size, "%s%s", path, suffix);
	return (name);
}

char *
journal_path(const char *path)
{

	return (with_suffix(path, JOURNAL_SUFFIX));
}

static uint32_t
checksum(const char *text, size_t len)
{

	return ((uint32_t)crc32_z(crc32_z(0, NULL, 0), (const Bytef *)text,
	    len));
}

/* Makes the journal this process's, or finds out whose it is. */
static int
take(int fd, pid_t *other)
{
	struct flock fl = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	*other = 0;
	if (fcntl(fd, F_SETLK, &fl) == 0)
		return (0);
	/* File systems without locks have journals, too. */
	if (errno != EAGAIN && errno != EACCES)
		return (errno == ENOLCK || errno == EOPNOTSUPP ||
		    errno == EINVAL ? 0 : errno);
	if (fcntl(fd, F_GETLK, &fl) == 0 && fl.l_type != F_UNLCK)
		*other = fl.l_pid;
	return (EBUSY);
}

/*
 * Opens the file that path names once it is this process's: by then another may
 * have removed it or put another in its place.
 */
static int
open_own(const char *path, int flags, int *out, pid_t *other)
{
	struct stat named, opened;
	int error, fd, i;

	for (i = 0; i < TRIES; i++) {
		fd = open(path, flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW |
		    O_NOCTTY | O_NONBLOCK, 0666);
		if (fd == -1)
			return (errno);
		error = fstat(fd, &opened) != 0 ? errno :
		    !S_ISREG(opened.st_mode) ? EINVAL : take(fd, other);
		if (error == 0 && stat(path, &named) == 0 &&
		    named.st_dev == opened.st_dev &&
		    named.st_ino == opened.st_ino) {
			*out = fd;
			return (0);
		}
		close(fd);
		if (error != 0)
			return (error);
	}
	return (EBUSY);
}

/* Whether a journal has more than its first record. */
static bool
has_done(int fd)
{
	struct journal_reader jr;
	bool more = true;
	int error = 0;

	journal_rewind(&jr, fd);
	while (error == 0 && more && jr.jr_line < 2)
		error = journal_next(&jr, &more);
	journal_reader_free(&jr);
	return (jr.jr_line == 2 || error != 0);
}

static int
keep_old(const char *path)
{
	char *old = with_suffix(path, suffix_old);
	int error;

	if (old == NULL)
		return (ENOMEM);
	error = rename(path, old) == 0 ? 0 : errno;
	free(old);
	return (error);
}

int
journal_claim(struct journal *jo, const char *path, bool create, pid_t *other)
{

	*jo = (struct journal){ .jo_fd = -1 };
	*other = 0;
	jo->jo_path = strdup(path);
	return (jo->jo_path == NULL ? ENOMEM :
	    open_own(path, create ? O_CREAT : 0, &jo->jo_fd, other));
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
	pid_t other;
	int error = 0;

	KASSERT(jo->jo_fd != -1, ("not claimed"));
	*kept = false;
	if (has_done(jo->jo_fd)) {
		error = keep_old(jo->jo_path);
		if (error != 0)
			return (error);
		*kept = true;
		close(jo->jo_fd);
		jo->jo_fd = -1;
		error = open_own(jo->jo_path, O_CREAT, &jo->jo_fd, &other);
	}
	jo->jo_end = 0;
	jo->jo_records = 0;
	if (error == 0 && ftruncate(jo->jo_fd, 0) != 0)
		error = errno;
	if (error == 0)
		error = journal_add(jo, first);
	if (error == 0 && jo->jo_dirty)
		error = sync_now(jo);
	return (error != 0 ? error : outfile_sync_directory(jo->jo_path));
}

int
journal_settle(struct journal *jo, const struct journal_reader *jr)
{

	jo->jo_end = jr->jr_at;
	jo->jo_records = jr->jr_line;
	return (ftruncate(jo->jo_fd, jo->jo_end) == 0 ? 0 : errno);
}

static int
write_at(int fd, const char *text, size_t len, off_t at)
{
	ssize_t n;

	while (len > 0) {
		n = pwrite(fd, text, len, at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return (errno);
		text += n;
		at += n;
		len -= (size_t)n;
	}
	return (0);
}

int
journal_add(struct journal *jo, const char *text)
{
	size_t len = strlen(text);
	int error;
	char *line;

	KASSERT(jo->jo_fd != -1, ("not open"));
	KASSERT(strchr(text, '\n') == NULL, ("a record of several lines"));
	if (len > JOURNAL_RECORD_MAX)
		return (EFBIG);
	line = malloc(HEAD_SIZE + len + 2);
	if (line == NULL)
		return (ENOMEM);
	snprintf(line, HEAD_SIZE + 1, "%08zx %08" PRIx32 " ", len,
	    checksum(text, len));
	memcpy(line + HEAD_SIZE, text, len);
	memcpy(line + HEAD_SIZE + len, "\n", 2);
	len += HEAD_SIZE + 1;
	error = write_at(jo->jo_fd, line, len, jo->jo_end);
	free(line);
	jo->jo_dirty = true;
	if (error == 0 && tick_ns() - jo->jo_synced_ns >= jo->jo_patience_ns)
		error = sync_now(jo);
	if (error == 0) {
		jo->jo_end += (off_t)len;
		jo->jo_records++;
	} else if (ftruncate(jo->jo_fd, jo->jo_end) != 0) {
		/* It is a line without an end, and so no record. */
		return (error);
	}
	return (error);
}

int
journal_remove(struct journal *jo)
{
	int error;

	/* Its directory may be gone, and with it all there was. */
	jo->jo_dirty = false;
	error = unlink(jo->jo_path) == 0 ?
	    outfile_sync_directory(jo->jo_path) :
	    errno == ENOENT ? 0 : errno;
	journal_close(jo);
	return (error);
}

void
journal_close(struct journal *jo)
{
	struct stat sb;

	if (jo->jo_fd != -1) {
		/* Still this process's, so nobody has begun to use it. */
		if (fstat(jo->jo_fd, &sb) == 0 && sb.st_size == 0 &&
		    sb.st_nlink > 0)
			(void)unlink(jo->jo_path);
		/* It may be all there is of a run that failed. */
		else if (jo->jo_dirty)
			(void)sync_now(jo);
		close(jo->jo_fd);
	}
	free(jo->jo_path);
	*jo = (struct journal){ .jo_fd = -1 };
}

void
journal_rewind(struct journal_reader *jr, int fd)
{

	*jr = (struct journal_reader){ .jr_fd = fd };
}

void
journal_reader_free(struct journal_reader *jr)
{

	free(jr->jr_text);
	jr->jr_text = NULL;
	jr->jr_room = 0;
}

/* Reads len bytes, or as many as there are. */
static int
read_at(int fd, char *text, size_t len, off_t at, size_t *got)
{
	ssize_t n;

	for (*got = 0; *got < len; *got += (size_t)n) {
		n = pread(fd, text + *got, len - *got, at + (off_t)*got);
		if (n == 0)
			break;
		if (n < 0 && errno == EINTR) {
			n = 0;
			continue;
		}
		if (n < 0)
			return (errno);
	}
	return (0);
}

/* EINVAL when a line that is no record has an end. */
static int
torn_or_damaged(const struct journal_reader *jr)
{
	off_t at = jr->jr_at;
	char text[4096];
	size_t got;
	int error;

	do {
		error = read_at(jr->jr_fd, text, sizeof(text), at, &got);
		if (error == 0 && memchr(text, '\n', got) != NULL)
			error = EINVAL;
		at += (off_t)got;
	} while (error == 0 && got == sizeof(text));
	return (error);
}

/* DIGITS hexadecimal digits and a blank. */
static bool
read_hex(const char *text, uint32_t *out)
{
	static const char digits[] = "0123456789abcdef";
	const char *digit;
	unsigned i;

	*out = 0;
	for (i = 0; i < DIGITS; i++) {
		digit = text[i] == '\0' ? NULL : strchr(digits, text[i]);
		if (digit == NULL)
			return (false);
		*out = *out << 4 | (uint32_t)(digit - digits);
	}
	return (text[DIGITS] == ' ');
}

int
journal_next(struct journal_reader *jr, bool *more)
{
	char head[HEAD_SIZE], *grown;
	uint32_t crc, len;
	size_t got;
	int error;

	*more = false;
	error = read_at(jr->jr_fd, head, sizeof(head), jr->jr_at, &got);
	if (error != 0)
		return (error);
	if (got < sizeof(head) || !read_hex(head, &len) ||
	    !read_hex(head + DIGITS + 1, &crc) || len > JOURNAL_RECORD_MAX)
		return (torn_or_damaged(jr));
	if (jr->jr_room < (size_t)len + 1) {
		grown = realloc(jr->jr_text, (size_t)len + CHUNK);
		if (grown == NULL)
			return (ENOMEM);
		jr->jr_text = grown;
		jr->jr_room = (size_t)len + CHUNK;
	}
	error = read_at(jr->jr_fd, jr->jr_text, (size_t)len + 1, jr->jr_at +
	    HEAD_SIZE, &got);
	if (error != 0)
		return (error);
	if (got < (size_t)len + 1 || jr->jr_text[len] != '\n' ||
	    checksum(jr->jr_text, len) != crc)
		return (torn_or_damaged(jr));
	jr->jr_text[len] = '\0';
	/* As it was written, it has neither. */
	if (strlen(jr->jr_text) != len || strchr(jr->jr_text, '\n') != NULL)
		return (EINVAL);
	jr->jr_size = len;
	jr->jr_at += HEAD_SIZE + (off_t)len + 1;
	jr->jr_line++;
	*more = true;
	return (0);
}
