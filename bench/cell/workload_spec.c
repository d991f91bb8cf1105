/*
 * What --workload takes.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/cell/workload.h"
#include "bench/cell/workload_folder.h"
#include "lib/kassert.h"
#include "lib/number.h"

enum { ITEM_SIZE = 64 };

static const char suffix[] = WORKLOAD_SUFFIX;
static const char speed_part[] = "/speed=";

/* What to say of a text in which nothing can be recognised. */
#define	RECORDED	"@FILE or the name of a recorded workload; \"rngsim " \
			"workload list\" has them"
static const char expected_any[] = "expected sizes such as 16:70,32:20,4k:10, "
    "think=TIME, think~TIME, burst=N:TIME, " RECORDED;
static const char expected_recorded[] = "expected " RECORDED;

/* A text being read. */
struct parsing {
	struct workload	*pa_wl;
	char		*pa_error;
	const char	*pa_expected;
};

static int __attribute__((format(printf, 2, 3)))
refuse(const struct parsing *pa, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(pa->pa_error, WORKLOAD_ERROR_SIZE, fmt, ap);
	va_end(ap);
	return (EINVAL);
}

static const struct unit {
	const char	*un_name;
	uint64_t	 un_ns;
} units[] = {		/* from the largest, for printing */
	{ "s",	1000000000 },
	{ "ms",	1000000 },
	{ "us",	1000 },
	{ "ns",	1 }
};

enum { UNITS = sizeof(units) / sizeof(units[0]) };

static int
parse_time(const struct parsing *pa, const char *what, const char *text,
    uint64_t *ns)
{
	char number[ITEM_SIZE];
	size_t n = strspn(text, "0123456789.");
	double v;
	unsigned i;

	for (i = 0; i < UNITS; i++)
		if (strcmp(text + n, units[i].un_name) == 0)
			break;
	if (i < UNITS && n < sizeof(number)) {
		snprintf(number, sizeof(number), "%.*s", (int)n, text);
		if (number_parse_real(number, &v) == 0) {
			v *= (double)units[i].un_ns;
			if (v >= 1 && v <= (double)WORKLOAD_PAUSE_MAX_NS) {
				*ns = (uint64_t)v;
				return (0);
			}
		}
	}
	return (refuse(pa, "%s: \"%.40s\": expected a time with its unit, ns, "
	    "us, ms or s, from 1ns to 3600s", what, text));
}

static int
parse_size(const struct parsing *pa, const char *item)
{
	struct workload *wl = pa->pa_wl;
	char bytes[ITEM_SIZE];
	const char *colon = strchr(item, ':');
	uint64_t v, weight;
	unsigned i;

	if (colon == NULL || (size_t)(colon - item) >= sizeof(bytes))
		return (refuse(pa, "\"%.40s\": expected SIZE:WEIGHT", item));
	snprintf(bytes, sizeof(bytes), "%.*s", (int)(colon - item), item);
	if (number_parse_size(bytes, &v) != 0 || v < 1 ||
	    v > RECORDING_BYTES_MAX)
		return (refuse(pa, "\"%.40s\": size \"%.40s\": expected bytes, "
		    "1..1g, with k, m or g for 2^10, 2^20, 2^30", item, bytes));
	if (number_parse(colon + 1, &weight) != 0 || weight < 1 ||
	    weight > WORKLOAD_WEIGHT_MAX)
		return (refuse(pa, "\"%.40s\": weight \"%.40s\": expected "
		    "1..%d", item, colon + 1, WORKLOAD_WEIGHT_MAX));
	for (i = 0; i < wl->wl_size_count; i++)
		if (wl->wl_sizes[i].ws_bytes == v)
			return (refuse(pa, "size \"%.40s\" is there twice",
			    bytes));
	if (wl->wl_size_count == WORKLOAD_SIZES_MAX)
		return (refuse(pa, "more than %d sizes", WORKLOAD_SIZES_MAX));
	wl->wl_sizes[wl->wl_size_count++] = (struct workload_size){
	    .ws_bytes = v, .ws_weight = (uint32_t)weight };
	return (0);
}

/*
 * Vose's alias method, in whole numbers: every column is as high as the sum of
 * weights; what one lacks is filled from one that has too much.
 */
static void
make_aliases(struct workload *wl)
{
	uint64_t height[WORKLOAD_SIZES_MAX], sum = 0;
	unsigned high, i, low, n = wl->wl_size_count;

	for (i = 0; i < n; i++)
		sum += wl->wl_sizes[i].ws_weight;
	for (i = 0; i < n; i++) {
		height[i] = (uint64_t)wl->wl_sizes[i].ws_weight * n;
		wl->wl_sizes[i].ws_keep = UINT32_MAX;
		wl->wl_sizes[i].ws_alias = i;
	}
	for (;;) {
		for (low = 0; low < n; low++)
			if (height[low] < sum &&
			    wl->wl_sizes[low].ws_alias == low)
				break;
		for (high = 0; high < n; high++)
			if (height[high] > sum)
				break;
		if (low == n || high == n)
			return;
		wl->wl_sizes[low].ws_keep = (uint32_t)((height[low] << 32) /
		    sum);
		wl->wl_sizes[low].ws_alias = high;
		height[high] -= sum - height[low];
		height[low] = sum;
	}
}

static int
parse_sizes(const struct parsing *pa, const char *text)
{
	char item[ITEM_SIZE];
	size_t n;
	int error;

	if (pa->pa_wl->wl_size_count > 0)
		return (refuse(pa, "two size mixes: expected one"));
	for (;;) {
		n = strcspn(text, ",");
		if (n >= sizeof(item))
			return (refuse(pa, "\"%.40s...\": expected "
			    "SIZE:WEIGHT", text));
		snprintf(item, sizeof(item), "%.*s", (int)n, text);
		error = parse_size(pa, item);
		if (error != 0)
			return (error);
		if (text[n] == '\0')
			break;
		text += n + 1;
	}
	make_aliases(pa->pa_wl);
	return (0);
}

static int
parse_pause(const struct parsing *pa, const char *text)
{
	struct workload *wl = pa->pa_wl;
	char count[ITEM_SIZE];
	const char *colon;
	uint64_t v;

	if (wl->wl_pause_ns != 0)
		return (refuse(pa, "think and burst both say what follows a "
		    "request: expected one of them"));
	if (strncmp(text, "burst", 5) != 0) {
		wl->wl_pause_drawn = text[5] == '~';
		return (parse_time(pa, "think", text + 6, &wl->wl_pause_ns));
	}
	text += 6;
	colon = strchr(text, ':');
	if (colon == NULL || (size_t)(colon - text) >= sizeof(count))
		return (refuse(pa, "burst: \"%.40s\": expected N:TIME", text));
	snprintf(count, sizeof(count), "%.*s", (int)(colon - text), text);
	if (number_parse(count, &v) != 0 || v < 1 || v > WORKLOAD_BURST_MAX)
		return (refuse(pa, "burst: \"%.40s\": expected requests, "
		    "1..%d", count, WORKLOAD_BURST_MAX));
	wl->wl_burst = (unsigned)v;
	return (parse_time(pa, "burst", colon + 1, &wl->wl_pause_ns));
}

static int
parse_part(const struct parsing *pa, const char *part)
{

	if (strncmp(part, "think=", 6) == 0 ||
	    strncmp(part, "think~", 6) == 0 || strncmp(part, "burst=", 6) == 0)
		return (parse_pause(pa, part));
	if (strncmp(part, "speed=", 6) == 0)
		return (refuse(pa, "\"%.40s\": expected a recorded workload "
		    "before it: only that has a speed", part));
	if (part[0] >= '0' && part[0] <= '9')
		return (parse_sizes(pa, part));
	return (refuse(pa, "\"%.40s\": %s", part, pa->pa_expected));
}

static size_t __attribute__((format(printf, 3, 4)))
append(struct workload *wl, size_t used, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (used >= sizeof(wl->wl_text))
		return (used);
	va_start(ap, fmt);
	n = vsnprintf(wl->wl_text + used, sizeof(wl->wl_text) - used, fmt, ap);
	va_end(ap);
	return (n < 0 ? sizeof(wl->wl_text) : used + (size_t)n);
}

static size_t
append_time(struct workload *wl, size_t used, uint64_t ns)
{
	unsigned i;

	for (i = 0; ns % units[i].un_ns != 0; i++)
		continue;
	return (append(wl, used, "%" PRIu64 "%s", ns / units[i].un_ns,
	    units[i].un_name));
}

static size_t
append_bytes(struct workload *wl, size_t used, uint64_t bytes)
{
	static const char letters[] = "gmk";
	unsigned i;

	for (i = 0; i < 3; i++)
		if (bytes % (UINT64_C(1) << (30 - 10 * i)) == 0)
			return (append(wl, used, "%" PRIu64 "%c",
			    bytes >> (30 - 10 * i), letters[i]));
	return (append(wl, used, "%" PRIu64, bytes));
}

/* What was understood, so that two spellings of it are one workload. */
static int
canonical(const struct parsing *pa)
{
	struct workload *wl = pa->pa_wl;
	size_t used = 0;
	unsigned i;

	for (i = 0; i < wl->wl_size_count; i++) {
		used = append(wl, used, "%s", i == 0 ? "" : ",");
		used = append_bytes(wl, used, wl->wl_sizes[i].ws_bytes);
		used = append(wl, used, ":%" PRIu32, wl->wl_sizes[i].ws_weight);
	}
	if (wl->wl_pause_ns != 0) {
		used = append(wl, used, "%s", used > 0 ? "/" : "");
		if (wl->wl_burst != 0)
			used = append(wl, used, "burst=%u:", wl->wl_burst);
		else
			used = append(wl, used, "think%c",
			    wl->wl_pause_drawn ? '~' : '=');
		used = append_time(wl, used, wl->wl_pause_ns);
	}
	if (used >= sizeof(wl->wl_text))
		return (refuse(pa, "too long: expected at most %zu characters",
		    sizeof(wl->wl_text) - 1));
	return (0);
}

/* The file's name without its folder, as far as it can be printed. */
static void
name_recording(struct workload *wl, const char *path)
{
	const char *base = strrchr(path, '/');
	char name[64], *c;
	size_t n;

	snprintf(name, sizeof(name), "%s", base == NULL ? path : base + 1);
	n = strlen(name);
	if (n >= sizeof(suffix) && strcmp(name + n - (sizeof(suffix) - 1),
	    suffix) == 0)
		name[n - (sizeof(suffix) - 1)] = '\0';
	for (c = name; *c != '\0'; c++)
		if (*c <= ' ' || *c > '~')
			*c = '_';
	n = append(wl, 0, "%s#%08" PRIx32, name,
	    recording_hash(&wl->wl_recording));
	if (wl->wl_speed < 1 || wl->wl_speed > 1)
		append(wl, n, "%s%.9g", speed_part, wl->wl_speed);
}

static int
load(const struct parsing *pa, const char *path)
{
	struct workload *wl = pa->pa_wl;
	char message[LINES_ERROR_SIZE] = "";
	struct stat sb;
	int error;

	/* It may have to be read again, by the program executed anew. */
	if (stat(path, &sb) == 0 && !S_ISREG(sb.st_mode)) {
		refuse(pa, "%s: expected a regular file", path);
		return (EBADMSG);
	}
	error = recording_load(path, &wl->wl_recording, message);
	if (error != 0) {
		refuse(pa, "%s", message);
		return (error == EINVAL ? EBADMSG : error);
	}
	wl->wl_arrivals = ARRIVALS_RECORDED;
	name_recording(wl, path);
	return (0);
}

/* "@FILE" or "NAME", and "/speed=N" behind it. */
static int
parse_recorded(const struct parsing *pa, const char *text)
{
	struct workload *wl = pa->pa_wl;
	char file[WORKLOAD_PATH_SIZE], path[WORKLOAD_PATH_SIZE];
	const char *next, *speed = NULL;

	for (next = text; (next = strstr(next, speed_part)) != NULL; next++)
		speed = next;
	if (speed != NULL && (number_parse_real(speed + sizeof(speed_part) - 1,
	    &wl->wl_speed) != 0 || wl->wl_speed < 1e-6 ||
	    wl->wl_speed > WORKLOAD_SPEED_MAX))
		return (refuse(pa, "\"%.40s\": expected a speed, "
		    "0.000001..%d", speed + 1, WORKLOAD_SPEED_MAX));
	if ((size_t)snprintf(path, sizeof(path), "%.*s", speed == NULL ?
	    (int)strlen(text) : (int)(speed - text), text) >= sizeof(path))
		return (refuse(pa, "\"%.40s...\": too long", text));
	if (path[0] != '@' && workload_find(path, file))
		return (load(pa, file));
	if (path[0] != '@')
		return (refuse(pa, "\"%.40s\": %s", path, pa->pa_expected));
	if (path[1] == '\0')
		return (refuse(pa, "\"@\": expected a file name after it"));
	/* The program executed anew would find stdin at its end. */
	if (strcmp(path, "@-") == 0)
		return (refuse(pa, "\"@-\": expected a file, not stdin; a "
		    "file of this name is @./-"));
	return (load(pa, path + 1));
}

static int
parse_parts(const struct parsing *pa, const char *text)
{
	char part[1024];
	size_t n;
	int error;

	for (;;) {
		n = strcspn(text, "/");
		if (n >= sizeof(part))
			return (refuse(pa, "\"%.40s...\": too long", text));
		snprintf(part, sizeof(part), "%.*s", (int)n, text);
		error = parse_part(pa, part);
		if (error != 0)
			return (error);
		if (text[n] == '\0')
			return (canonical(pa));
		text += n + 1;
	}
}

int
workload_parse(const char *text, struct workload *wl,
    char error_text[WORKLOAD_ERROR_SIZE])
{
	struct parsing pa = { .pa_wl = wl, .pa_error = error_text,
	    .pa_expected = expected_any };
	size_t n = strcspn(text, "/");
	int error;

	workload_init(wl);
	if (text[0] == '@' || (n > 0 && memchr(text, ':', n) == NULL &&
	    memchr(text, '=', n) == NULL && memchr(text, '~', n) == NULL))
		error = parse_recorded(&pa, text);
	else
		error = parse_parts(&pa, text);
	if (error != 0)
		workload_free(wl);
	return (error);
}

int
workload_parse_recorded(const char *text, struct workload *wl,
    char error_text[WORKLOAD_ERROR_SIZE])
{
	const struct parsing pa = { .pa_wl = wl, .pa_error = error_text,
	    .pa_expected = expected_recorded };
	int error;

	workload_init(wl);
	error = parse_recorded(&pa, text);
	if (error != 0)
		workload_free(wl);
	return (error);
}
