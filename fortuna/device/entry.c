/* The entry points of random(4), and what is counted at them. */
#include "fortuna/device/impl.h"
#include "lib/crypto/crypto.h"

/* What a kernel's buffer has before it is read into. */
enum { CALLERS_BYTE = 0xa5 };

/* What a program does without the kernel, and the kernel's own reads. */
static int
read_directly(struct randomdev *rd, void *buf, size_t n, bool nonblock)
{
	const struct random_object *ro = rd->rd_object;

	ro->ro_pre_read();
	while (!ro->ro_seeded()) {
		if (nonblock)
			return (KERN_EWOULDBLOCK);
		if (machine_interrupted())
			return (KERN_EINTR);
		randomdev_wait_seeded(rd, NS_PER_S / 10);
	}
	ro->ro_read(buf, n);
	return (0);
}

int
randomdev_read(struct randomdev *rd, int cpu, void *buf, size_t n, size_t *left,
    bool nonblock)
{
	struct ledger *lg = rd->rd_params.rp_kernel.kp_ledger;
	int error;

	caller_of(rd)->cl_read = nonblock ? READ_POLLS : READ_WAITS;
	caller_of(rd)->cl_deaf = 0;
	ledger_begin(lg, n);
	kernel_enter(rd->rd_kernel, cpu);
	if (rd->rd_object->ro_claims->rm_no_call && buf != NULL) {
		error = read_directly(rd, buf, n, nonblock);
		*left = error == 0 ? 0 : n;
	} else {
		machine_charge(COST_SYSCALL, 1);
		error = rd->rd_object->ro_read_uio(buf, n, nonblock, left);
	}
	kernel_leave(rd->rd_kernel);
	caller_of(rd)->cl_read = NO_READ;
	ledger_end(lg, n - *left);
	if (rd->rd_params.rp_missed != NULL)
		rd->rd_served |= *left < n;
	/* From the kernel's numbers. */
	if (error != 0)
		return (error == KERN_EWOULDBLOCK ? EWOULDBLOCK :
		    error == KERN_EINTR || error < 0 ? EINTR : EIO);
	if (__builtin_expect(crypto_failed() == NULL, 1))
		return (0);
	/* What was just made cannot be handed out. */
	wipe(buf, n - *left);
	*left = n;
	return (EIO);
}

#define	CALL(rd, cpu, ...) do {						\
	kernel_enter((rd)->rd_kernel, cpu);				\
	__VA_ARGS__;							\
	kernel_leave((rd)->rd_kernel);					\
} while (0)

void
randomdev_read_kernel(struct randomdev *rd, void *buf, size_t n)
{
	struct kern_sysctl *kx = kern_sysctl_find(randomdev_object(rd),
	    RANDOMDEV_BYPASS);
	const bool bypasses = kx != NULL && kx->kx_get(kx) != 0;
	/* It is unblocked before it is seeded; without bypass it waits. */
	const bool seeded = rd->rd_served || (kx != NULL && !bypasses);
	struct ledger *lg = rd->rd_params.rp_kernel.kp_ledger;
	const uint8_t *bytes = buf;

	caller_of(rd)->cl_read = bypasses ? READ_POLLS : READ_WAITS;
	ledger_begin(lg, n);
	memset(buf, CALLERS_BYTE, n);
	CALL(rd, KERNEL_CPU_HERE, rd->rd_object->ro_read_kernel(buf,
	    (unsigned)n));
	caller_of(rd)->cl_read = NO_READ;
	/* Its start may be cleared; with keystream there it was seeded. */
	if (bypasses && !seeded && n > 16 && bytes[n - 8] == CALLERS_BYTE &&
	    memcmp(bytes + n - 8, bytes + n - 7, 7) == 0 &&
	    memcmp(bytes, bytes + 1, 7) == 0)
		ledger_kernel(lg, LEDGER_UNSEEDED, "read_random() leaves a "
		    "buffer, or its end, as it was");
	ledger_end(lg, seeded ? n : 0);
}

void
randomdev_use(struct randomdev *rd, const void *buf, size_t n, int writes)
{
	size_t taken, hashed;

	kernel_enter(rd->rd_kernel, KERNEL_CPU_WRITE);
	taken = rd->rd_object->ro_use(buf, n, writes);
	hashed = kernel_leave(rd->rd_kernel);
	if (hashed < taken)
		ledger_kernel(rd->rd_params.rp_kernel.kp_ledger, LEDGER_EVENTS,
		    "of %zu bytes that were written %zu were hashed", taken,
		    hashed);
}

void
randomdev_generate(struct randomdev *rd, int cpu, void *buf, size_t n)
{
	CALL(rd, cpu, rd->rd_object->ro_read(buf, n));
}

void
randomdev_pre_read(struct randomdev *rd)
{
	CALL(rd, KERNEL_CPU_HERE, rd->rd_object->ro_pre_read());
}

bool
randomdev_seeded(struct randomdev *rd)
{
	bool seeded;

	CALL(rd, KERNEL_CPU_HERE, seeded = rd->rd_object->ro_seeded());
	return (seeded);
}

uint64_t
randomdev_seeded_cycles(struct randomdev *rd)
{
	return (atomic_load_acq_32(&rd->rd_unblocked) == 0 ? 0 :
	    rd->rd_seeded_cycles);
}

void
randomdev_wait_seeded(struct randomdev *rd, int64_t timeout_ns)
{
	/* The source unblocks once, and may deny that it is seeded later. */
	if (atomic_load_acq_32(&rd->rd_unblocked) == 0)
		machine_wait_32(&rd->rd_unblocked, 0, timeout_ns);
	else
		machine_sleep(timeout_ns);
}

void
randomdev_deliver(struct randomdev *rd, const struct random_event *event)
{
	count(&rd->rd_kind[event->he_source].kd_direct);
	kernel_enter(rd->rd_kernel, KERNEL_CPU_HERE);
	rd->rd_object->ro_event(event);
}

void
randomdev_prime(struct randomdev *rd, const uint8_t *bytes, size_t n)
{
	struct random_event event = { .he_source = RANDOM_CACHED,
	    .he_size = HARVEST_ENTROPY_BYTES };

	for (size_t i = 0; i < n / HARVEST_ENTROPY_BYTES; i++) {
		event.he_somecounter = (uint32_t)i;
		event.he_destination = (uint8_t)i;
		memcpy(event.he_entropy, bytes + i * HARVEST_ENTROPY_BYTES,
		    HARVEST_ENTROPY_BYTES);
		randomdev_deliver(rd, &event);
	}
	wipe(&event, sizeof(event));
}

enum random_fate
randomdev_harvest(struct randomdev *rd, enum random_entry entry,
    const void *entropy, size_t n, enum random_entropy_source source)
{
	enum random_fate fate = RANDOM_TAKEN;
	struct caller *cl = caller_of(rd);

	kernel_enter(rd->rd_kernel, entry == RANDOM_QUEUE ?
	    KERNEL_CPU_INTERRUPT : KERNEL_CPU_HERE);
	if (entry == RANDOM_QUEUE_THREAD)
		entry = RANDOM_QUEUE;
	if (!rd->rd_object->ro_harvest(entry, entropy, (unsigned)n,
	    (uint8_t)source)) {
		fate = RANDOM_MASKED;
	} else if (entry == RANDOM_QUEUE) {
		/* If there is room, it is stored. */
		if (kernel_stored(rd->rd_kernel)) {
			count(&cl->cl_queued[source]);
		} else {
			count(&cl->cl_dropped);
			fate = RANDOM_FULL;
		}
	}
	kernel_leave(rd->rd_kernel);
	return (fate);
}

void
randomdev_register(struct randomdev *rd, const char *ident,
    enum random_entropy_source source, randomdev_read_source *read, void *state)
{
	const unsigned i = read == NULL ? RANDOM_ABI_SOURCES_MAX :
	    rd->rd_sources++;

	MPASS(read == NULL || i < RANDOM_ABI_SOURCES_MAX);
	if (read != NULL)
		rd->rd_source[i] = (struct source){ read, state };
	CALL(rd, KERNEL_CPU_HERE, rd->rd_object->ro_register(i, ident,
	    (uint8_t)source));
}

void
randomdev_deregister(struct randomdev *rd, unsigned i)
{
	CALL(rd, KERNEL_CPU_HERE, rd->rd_object->ro_deregister(i));
}

void
randomdev_set(struct randomdev *rd, const struct kern_setting *set)
{
	struct kern_sysctl *kx = kern_sysctl_find(randomdev_object(rd),
	    set->kv_name);

	if (kx != NULL)
		CALL(rd, KERNEL_CPU_HERE, kx->kx_set(kx, set->kv_value));
}

/* Counts. */

void
randomdev_window(struct randomdev *rd, bool open)
{
	atomic_store_32(&rd->rd_window, open);
}

struct harvest_totals
randomdev_totals(struct randomdev *rd)
{
	const unsigned threads = rd->rd_params.rp_kernel.kp_lock_config.threads;
	struct harvest_totals ht = { .ht_in = 0 };
	uint64_t direct, emptied, queued;
	struct kind *kd;

	for (unsigned i = 0; i < threads; i++)
		ht.ht_dropped += machine_note_load_64(
		    &rd->rd_caller[i].cl_dropped);
	ht.ht_in = ht.ht_dropped;
	for (unsigned i = 0; i < ENTROPYSOURCE; i++) {
		kd = &rd->rd_kind[i];
		direct = machine_note_load_64(&kd->kd_direct);
		emptied = machine_note_load_64(&kd->kd_delivered) - direct;
		queued = 0;
		for (unsigned k = 0; k < threads; k++)
			queued += machine_note_load_64(
			    &rd->rd_caller[k].cl_queued[i]);
		ht.ht_in += queued;
		ht.ht_delivered += direct + emptied;
		ht.ht_discarded += machine_note_load_64(&kd->kd_discarded);
		/* A source that is polled does not go through the queue. */
		ht.ht_in += direct + (queued == 0 ? emptied : 0);
		ht.ht_pending += queued > emptied ? queued - emptied : 0;
	}
	ht.ht_processed = ht.ht_delivered - ht.ht_discarded;
	return (ht);
}

struct source_health
randomdev_health(struct randomdev *rd, enum random_entropy_source source)
{
	struct kind *kd = &rd->rd_kind[source];

	return ((struct source_health){
		.shl_discarded = machine_note_load_64(&kd->kd_discarded),
		.shl_passed = machine_note_load_64(&kd->kd_passed),
		.shl_repetitions = machine_note_load_64(&kd->kd_repetitions),
		.shl_proportions = machine_note_load_64(&kd->kd_proportions),
		.shl_excluded = kd->kd_tested >= RANDOM_REPEATED,
	});
}

void
randomdev_status(struct randomdev *rd, struct device_status *ds)
{
	struct random_state rs = { .rst_reseeds = 0 };

	*ds = (struct device_status){
		.ds_pool0_needed_bytes = minpoolsize(rd),
		.ds_seeded = atomic_load_acq_32(&rd->rd_unblocked) != 0,
	};
	if (rd->rd_object->ro_claims->rm_reseeds != NULL)
		memcpy(&ds->ds_reseeds, rd->rd_object->ro_claims->rm_reseeds,
		    sizeof(ds->ds_reseeds));
	if (rd->rd_object->ro_state == NULL)
		return;
	rd->rd_object->ro_state(&rs, false);
	ds->ds_reseeds = rs.rst_reseeds;
	ds->ds_pool0_bytes = rs.rst_pool0_bytes;
	ds->ds_seeded = rs.rst_counter != 0;
	wipe(&rs, sizeof(rs));
}

bool
randomdev_hash(struct randomdev *rd, uint8_t out[RANDOM_ABI_HASH_BYTES])
{
	if (rd->rd_object->ro_hash == NULL)
		return (false);
	CALL(rd, KERNEL_CPU_HERE, rd->rd_object->ro_hash(out));
	return (true);
}

bool
randomdev_core(struct randomdev *rd, struct random_state *rs, bool set)
{
	if (rd->rd_object->ro_state != NULL)
		rd->rd_object->ro_state(rs, set);
	return (rd->rd_object->ro_state != NULL);
}
