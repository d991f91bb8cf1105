/* Functions of kern_lib.h, kern_mem.h and kern_bits.h.  A part of kern.c. */

/* Without a mark: each object has these, and most have no use for CPUs. */
#undef	critical_enter
#undef	critical_exit
#undef	cpu_spinwait
#define	critical_enter()	HOST(nest, KERN_CRITICAL, 1, KERN_SITE())
#define	critical_exit()		HOST(nest, KERN_CRITICAL, -1, KERN_SITE())
#define	cpu_spinwait()		kern_host->kh_pause(1)

MALLOC_DEFINE(M_TEMP, "temp", "");
MALLOC_DEFINE(M_DEVBUF, "devbuf", "");
MALLOC_DEFINE(M_CACHE, "cache", "");

size_t
strlcpy(char *to, const char *from, size_t size)
{
	const size_t n = strlen(from);

	if (size > 0) {
		memcpy(to, from, MIN(n, size - 1));
		to[MIN(n, size - 1)] = '\0';
	}
	return (n);
}

size_t
strlcat(char *to, const char *from, size_t size)
{
	const size_t n = strnlen(to, size);

	return (n + strlcpy(to + n, from, size - n));
}

char *
strdup(const char *s, struct malloc_type *type)
{
	const size_t size = strlen(s) + 1;

	return (memcpy(malloc(size, type, M_WAITOK), s, size));
}

int
timingsafe_bcmp(const void *a, const void *b, size_t n)
{
	u_char differs = 0;

	for (size_t i = 0; i < n; i++)
		differs |= ((const u_char *)a)[i] ^ ((const u_char *)b)[i];
	return (differs != 0);
}

/* Steele, Lea and Flood's splitmix64. */
KERN_PLAIN uint32_t
prng32(void)
{
	static uint64_t state;
	uint64_t x = __atomic_add_fetch(&state, 0x9e3779b97f4a7c15,
	    __ATOMIC_RELAXED);

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return ((uint32_t)(x >> 32));
}

/* As the kernel's it has a mutex, and at times reads a new key. */
KERN_PLAIN uint32_t
arc4random(void)
{
	static u_int calls;
	extern void read_random(void *, u_int);
	uint64_t key[4];

	HOST(may_block, KERN_SITE(), "arc4random()");
	if (__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED) % 16 == 0) {
		read_random(key, sizeof(key));
		explicit_bzero(key, sizeof(key));
	}
	return (prng32());
}

void
arc4random_buf(void *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((u_char *)p)[i] = (u_char)arc4random();
}

/* Handlers; those of a name are in the order of their priorities. */
static eventhandler_tag kern_handlers;

eventhandler_tag
kern_handler_add(const char *name, void (*func)(void), void *arg, int priority)
{
	struct kern_handler **at = &kern_handlers;
	eventhandler_tag eh = malloc(sizeof(*eh), NULL, M_WAITOK);

	while (*at != NULL && (*at)->eh_priority <= priority)
		at = &(*at)->eh_next;
	*eh = (struct kern_handler){ *at, name, func, arg, priority };
	KERN_PUBLISH(*at, eh);
	return (eh);
}

eventhandler_tag
kern_handler_next(const char *name, eventhandler_tag eh)
{
	do
		eh = eh == NULL ? kern_handlers : eh->eh_next;
	while (eh != NULL && strcmp(eh->eh_name, name) != 0);
	return (eh);
}

void
kern_handler_remove(eventhandler_tag eh)
{
	struct kern_handler **at = &kern_handlers;

	while (*at != NULL && *at != eh)
		at = &(*at)->eh_next;
	if (*at != NULL) {
		*at = eh->eh_next;
		free(eh, NULL);
	}
}

/* uma(9). */

uma_zone_t
uma_zcreate(const char *name, size_t size, uma_ctor ctor, uma_dtor dtor,
    uma_init init, uma_fini fini, int align __unused, uint32_t flags)
{
	uma_zone_t zone = malloc(sizeof(*zone), NULL, M_WAITOK);

	MPASS((flags & UMA_ZONE_PCPU) == 0 || size <= UMA_PCPU_ALLOC_SIZE);
	if ((flags & UMA_ZONE_PCPU) != 0)
		size = UMA_PCPU_ALLOC_SIZE * (size_t)mp_ncpus;
	*zone = (struct uma_zone){ name, size, ctor, dtor, init, fini,
	    KERN_ITEM | ((flags & UMA_ZONE_ZINIT) != 0 ? M_ZERO : 0) };
	return (zone);
}

uma_zone_t
kern_pcpu_zone(void)
{
	static struct uma_zone zone = { .uz_name = "pcpu",
	    .uz_flags = KERN_ITEM };

	zone.uz_size = UMA_PCPU_ALLOC_SIZE * (size_t)mp_ncpus;
	return (&zone);
}

void *
kern_uma_made(uma_zone_t zone, void *p, void *arg, int flags)
{
	const int size = (int)zone->uz_size;
	const bool made = p != NULL && (zone->uz_init == NULL ||
	    zone->uz_init(p, size, flags) == 0);

	if (p == NULL || (made && (zone->uz_ctor == NULL ||
	    zone->uz_ctor(p, size, arg, flags) == 0)))
		return (p);
	if (made && zone->uz_fini != NULL)
		zone->uz_fini(p, size);
	HOST(free, p, KERN_ITEM, KERN_SITE());
	return (NULL);
}

void
kern_uma_given(uma_zone_t zone, void *p, void *arg)
{
	if (p != NULL && zone->uz_dtor != NULL)
		zone->uz_dtor(p, (int)zone->uz_size, arg);
	if (p != NULL && zone->uz_fini != NULL)
		zone->uz_fini(p, (int)zone->uz_size);
}

/*
 * With n > 0 takes n references, else gives -n back; neither if there are fewer
 * than least.  Returns: how many there were, where it took them or gave the last
 * ones back; or 0.
 */
u_int
kern_refcount(volatile u_int *c, u_int least, int n, const char *file,
    int line, const char *name)
{
	u_int was = atomic_load_int(c);

	do {
		if (was < least)
			return (0);
		if (n < 0 && was < (u_int)-n)
			kern_panic(file, line, "refcount %s wraparound: %u",
			    name, was);
	} while (!(n > 0 ? atomic_fcmpset_int(c, &was, was + (u_int)n) :
	    atomic_fcmpset_rel_int(c, &was, was + (u_int)n)));
	if (n > 0 || least > 0)
		return (was);
	if (was != (u_int)-n)
		return (0);
	atomic_thread_fence_acq();
	return (was);
}

uint64_t
counter_u64_fetch(counter_u64_t c)
{
	uint64_t sum = 0;

	for (int i = 0; i < mp_ncpus; i++)
		sum += atomic_load_64(&c[KERN_COUNTER_WORDS * i]);
	return (sum);
}

void
counter_u64_zero(counter_u64_t c)
{
	for (int i = 0; i < mp_ncpus; i++)
		atomic_store_64(&c[KERN_COUNTER_WORDS * i], 0);
}

/*
 * buf_ring(9): a head is taken, then the tail follows in the same order.  They
 * are counts: a late thread takes no place of another round.  A head is loaded
 * before the other side's tail: beside a newer head an old tail looks as if
 * there were something to take.  It is stored with release, so that who loads it
 * has that tail, too.  On the kernel's CPUs two loads with acquire are enough, in
 * C11 they are not.
 */

struct buf_ring *
kern_ring_made(void *p, u_int count)
{
	struct buf_ring *br = p;

	KASSERT(powerof2(count), ("buf ring must be size power of 2"));
	if (br != NULL)
		br->br_mask = count - 1;
	return (br);
}

static void
kern_ring_follow(volatile u_int *tail, u_int from)
{
	while (atomic_load_acq_int(tail) != from)
		cpu_spinwait();
	atomic_store_rel_int(tail, from + 1);
}

int
(buf_ring_enqueue)(struct buf_ring *br, void *buf)
{
	u_int head;

	critical_enter();
	do {
		head = atomic_load_acq_int(&br->br_prod_head);
		if (head - atomic_load_acq_int(&br->br_cons_tail) ==
		    br->br_mask) {
			critical_exit();
			return (ENOBUFS);
		}
	} while (!atomic_cmpset_rel_int(&br->br_prod_head, head, head + 1));
	atomic_store_ptr(&br->br_ring[head & br->br_mask], (uintptr_t)buf);
	kern_ring_follow(&br->br_prod_tail, head);
	critical_exit();
	return (0);
}

void *
(buf_ring_dequeue_mc)(struct buf_ring *br)
{
	uintptr_t buf;
	u_int head;

	critical_enter();
	do {
		head = atomic_load_acq_int(&br->br_cons_head);
		if (head == atomic_load_acq_int(&br->br_prod_tail)) {
			critical_exit();
			return (NULL);
		}
	} while (!atomic_cmpset_rel_int(&br->br_cons_head, head, head + 1));
	buf = atomic_load_ptr(&br->br_ring[head & br->br_mask]);
	kern_ring_follow(&br->br_cons_tail, head);
	critical_exit();
	return ((void *)buf);
}

void
buf_ring_advance_sc(struct buf_ring *br)
{
	const u_int head = atomic_load_int(&br->br_cons_head);

	if (buf_ring_peek(br) == NULL)
		return;
	atomic_store_int(&br->br_cons_head, head + 1);
	atomic_store_rel_int(&br->br_cons_tail, head + 1);
}

/* Bits. */

int
kern_bits_find(const u_long *b, int n, int i, bool set)
{
	while (i < n && bit_test(b, i) != set)
		i++;
	return (i < n ? i : -1);
}

int
kern_bits_count(const u_long *b, int from, int n)
{
	int count = 0;

	for (int i = from; i < from + n; i++)
		count += bit_test(b, i);
	return (count);
}

void
kern_bits_fill(u_long *b, int i, int n, bool set)
{
	for (; n > 0; n--, i++)
		set ? bit_set(b, i) : bit_clear(b, i);
}
