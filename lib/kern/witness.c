/* What witness(4) and INVARIANTS check of locks and sleep, in their words. */
#include "lib/kern/impl.h"

const char *
kern_kind_name(const struct kern_lock *kl)
{
	static const char *const names[KERN_KINDS] = {
		[KERN_MTX] = "sleep mutex", [KERN_SPIN] = "spin mutex",
		[KERN_SX] = "sx", [KERN_RW] = "rw", [KERN_RM] = "rm",
		[KERN_RM_SLEEPABLE] = "sleepable rm", [KERN_EPOCH] = "epoch",
		[KERN_EPOCH_PREEMPT] = "epoch", [KERN_SMR] = "smr" };

	return (names[kl->kl_kind]);
}

/* Whether its owner may sleep, and so may a thread that waits for it. */
static bool
is_sleepable(const struct kern_lock *kl)
{
	return (kl->kl_kind == KERN_SX || kl->kl_kind == KERN_RM_SLEEPABLE);
}

unsigned
kern_class_of(struct kernel *k, const char *name)
{
	const unsigned room = k->k_class_room;
	struct order *orders;
	unsigned i;

	for (i = 0; i < k->k_classes; i++)
		if (strncmp(k->k_class[i], name, KERN_NAME_SIZE - 1) == 0)
			return (i);
	if (i == room) {
		k->k_class_room += KERN_CLASSES_MORE;
		k->k_class = xreallocarray(k->k_class, k->k_class_room,
		    sizeof(*k->k_class));
		orders = xcalloc((size_t)k->k_class_room * k->k_class_room,
		    sizeof(*orders));
		for (unsigned a = 0; a < room; a++)
			memcpy(&orders[a * k->k_class_room],
			    &k->k_order[a * room], room * sizeof(*orders));
		xfree(k->k_order);
		k->k_order = orders;
	}
	/* A copy, as its lock may end before the order. */
	TEXT_SET(k->k_class[i], name);
	return (k->k_classes++);
}

static struct order *
order_of(const struct kernel *k, unsigned first, unsigned second)
{
	return (&k->k_order[first * k->k_class_room + second]);
}

/* The first of a chain of orders from a to b; NULL: there is none. */
static const struct order *
order_between(const struct kernel *k, unsigned a, unsigned b, bool *seen)
{
	if (order_of(k, a, b)->first != 0)
		return (order_of(k, a, b));
	seen[a] = true;
	for (unsigned i = 0; i < k->k_classes; i++)
		if (order_of(k, a, i)->first != 0 && !seen[i] &&
		    order_between(k, i, b, seen) != NULL)
			return (order_of(k, a, i));
	return (NULL);
}

/* An order that was seen the other way round is an error. */
static void
check_order(struct kernel *k, const struct kern_held *hd,
    const struct kern_lock *kl, const struct kern_site *site)
{
	const struct kern_site *sites = k->k_object->ko_sites;
	const char *held = hd->hd_lock->kl_lock.lo_name;
	const char *name = kl->kl_lock.lo_name;
	const struct order *before;
	struct order *now;
	bool *seen;

	kern_tables_take(k);
	now = order_of(k, hd->hd_lock->kl_class, kl->kl_class);
	if (now->first == 0) {
		seen = xcalloc(k->k_classes, sizeof(*seen));
		before = order_between(k, kl->kl_class, hd->hd_lock->kl_class,
		    seen);
		xfree(seen);
		if (before != NULL) {
			kern_tables_drop(k);
			kernel_stop(k, site, "lock order reversal: %s (%s:%d) "
			    "then %s; before, %s (%s:%d) then %s (%s:%d)", held,
			    KERN_AT(hd->hd_site), name, name,
			    KERN_AT(&sites[before->first - 1]), held,
			    KERN_AT(&sites[before->second - 1]));
		}
		*now = (struct order){ (uint16_t)(hd->hd_site - sites + 1),
		    (uint16_t)(site - sites + 1) };
	}
	kern_tables_drop(k);
}

/* Stops where a thread is in a section, or has a lock, that forbids it. */
static void __attribute__((noreturn, format(printf, 5, 6)))
stop_held(struct kernel *k, const struct kern_site *site, const char *why,
    const struct kern_held *hd, const char *fmt, ...)
{
	const struct kern_lock *kl = hd->hd_lock;
	char what[128];

	VFORMAT(what, sizeof(what), fmt);
	kernel_stop(k, site, "%s%s: %s%s %s %s at %s:%d", what, why,
	    kern_is_section(kl) ? "" : hd->hd_shared ? "shared " :
	    "exclusive ", kern_kind_name(kl), kl->kl_lock.lo_name,
	    kern_is_section(kl) ? "entered" : "locked", KERN_AT(hd->hd_site));
}

static void __attribute__((noreturn))
stop_critical(struct kernel *k, const struct kern_thread *kt,
    const struct kern_site *site, const char *what)
{
	static const char why[] = " with spinlock or critical section held";

	for (unsigned i = 0; i < kt->kt_held; i++)
		if (kern_is_critical(kt->kt_hold[i].hd_lock))
			stop_held(k, site, why, &kt->kt_hold[i], "%s", what);
	if (kt->kt_critical + kt->kt_masked == 0)
		kernel_stop(k, site, "%s in an interrupt filter, which may own "
		    "spin mutexes alone", what);
	kernel_stop(k, site, "%s%s: critical section entered at %s:%d", what,
	    why, KERN_AT(kt->kt_critical_site));
}

bool
kern_locked(const struct kern_thread *kt)
{
	unsigned i = kt->kt_held;

	while (i > 0 && kern_is_section(kt->kt_hold[i - 1].hd_lock))
		i--;
	return (i > 0);
}

void
kernel_tested(struct kernel *k)
{
	struct kern_thread *kt = kern_thread_of(k);

	kt->kt_bare = !kern_locked(kt);
}

void
host_may_block(struct kernel *k, const struct kern_site *site, const char *what)
{
	const struct kern_thread *kt = kern_thread_of(k);

	if (__builtin_expect(kern_cannot_block(kt), 0))
		stop_critical(k, kt, site, what);
}

void
host_may_sleep(struct kernel *k, const struct kern_site *site, const char *what)
{
	const struct kern_thread *kt = kern_thread_of(k);

	host_may_block(k, site, what);
	for (unsigned i = 0; i < kt->kt_held; i++)
		if (!is_sleepable(kt->kt_hold[i].hd_lock))
			stop_held(k, site, kern_is_section(
			    kt->kt_hold[i].hd_lock) ?
			    " with sleeping prohibited" :
			    " with the following non-sleepable locks held",
			    &kt->kt_hold[i], "%s", what);
}

static void
check_again(struct kernel *k, const struct kern_held *hd,
    const struct kern_site *site, unsigned how)
{
	const struct kern_lock *kl = hd->hd_lock;
	const bool shares = (how & KERN_SHARES) != 0;
	const bool mutex = kl->kl_kind <= KERN_SPIN;

	if (shares != hd->hd_shared)
		stop_held(k, site, shares ? " while exclusively locked" :
		    " while share locked", hd, "%s lock of (%s) %s", shares ?
		    "shared" : "exclusive", kern_kind_name(kl),
		    kl->kl_lock.lo_name);
	/* Readers of an rmlock need a flag for that too. */
	if ((shares && kl->kl_kind != KERN_RM &&
	    kl->kl_kind != KERN_RM_SLEEPABLE) ||
	    ((kl->kl_flags | how << 5) & KERN_RECURSE) != 0)
		return;
	kernel_stop(k, site, "recursed on non-recursive %s %s, first taken at "
	    "%s:%d", mutex ? "mutex" : kern_kind_name(kl), kl->kl_lock.lo_name,
	    KERN_AT(hd->hd_site));
}

CTASSERT(KERN_RECURSES << 5 == KERN_RECURSE);
CTASSERT(KERN_DUPES << 5 == KERN_DUPOK);

void
kern_check_lock(struct kernel *k, const struct kern_thread *kt,
    const struct kern_lock *kl, const struct kern_site *site, unsigned how)
{
	const struct kern_held *hd;
	char what[128];

	if (kern_cannot_block(kt) && kl->kl_kind != KERN_SPIN) {
		snprintf(what, sizeof(what), "acquiring blockable sleep lock "
		    "(%s) %s", kern_kind_name(kl), kl->kl_lock.lo_name);
		stop_critical(k, kt, site, what);
	}
	for (hd = kt->kt_hold; hd < &kt->kt_hold[kt->kt_held]; hd++) {
		if (hd->hd_lock == kl) {
			check_again(k, hd, site, how);
			return;
		}
		if (is_sleepable(kl) && !is_sleepable(hd->hd_lock))
			stop_held(k, site, kern_is_section(hd->hd_lock) ?
			    " with sleeping prohibited" : "", hd, "%s %s %s",
			    kern_is_section(hd->hd_lock) ?
			    "acquiring sleepable lock" : "lock order reversal: "
			    "(sleepable after non-sleepable)",
			    kern_kind_name(kl), kl->kl_lock.lo_name);
	}
	for (hd = kt->kt_hold; hd < &kt->kt_hold[kt->kt_held]; hd++) {
		if (kern_is_section(hd->hd_lock) || ((kl->kl_flags |
		    hd->hd_lock->kl_flags) & KERN_NOWITNESS) != 0)
			continue;
		if (hd->hd_lock->kl_class != kl->kl_class)
			check_order(k, hd, kl, site);
		else if (((kl->kl_flags | how << 5) & KERN_DUPOK) == 0)
			kernel_stop(k, site, "acquiring duplicate lock of same "
			    "type: \"%s\", 1st %s at %s:%d, 2nd %s",
			    k->k_class[kl->kl_class],
			    hd->hd_lock->kl_lock.lo_name, KERN_AT(hd->hd_site),
			    kl->kl_lock.lo_name);
	}
}

struct kern_held *
kern_check_held(struct kernel *k, struct kern_thread *kt,
    const struct kern_lock *kl, const struct kern_site *site, unsigned how)
{
	const unsigned i = kern_held_at(kt, kl);
	struct kern_held *hd = &kt->kt_hold[i];

	if (__builtin_expect(kl == NULL, 0))
		kernel_stop(k, site, "a lock that was not initialized");
	if (__builtin_expect(i == kt->kt_held, 0))
		kernel_stop(k, site, kl->kl_kind <= KERN_SPIN ?
		    "mutex %s not owned%.0s" : kern_is_section(kl) ?
		    "%s: not in a section of this %s" : "lock %s (%s) not "
		    "locked", kl->kl_lock.lo_name, kern_kind_name(kl));
	if (__builtin_expect((how & KERN_EITHER) == 0 &&
	    ((how & KERN_SHARES) != 0) != hd->hd_shared, 0))
		stop_held(k, site, hd->hd_shared ? " while share locked" :
		    " while exclusively locked", hd, "%s unlock of (%s) %s",
		    hd->hd_shared ? "exclusive" : "shared", kern_kind_name(kl),
		    kl->kl_lock.lo_name);
	return (hd);
}

void
kern_check_leave(struct kernel *k, const struct kern_thread *kt)
{
	const struct kern_held *hd = &kt->kt_hold[kt->kt_outer_held];

	if (kt->kt_held > kt->kt_outer_held)
		kernel_stop(k, hd->hd_site, kern_is_section(hd->hd_lock) ?
		    "returned in a section of %s %s, entered here" :
		    hd->hd_lock->kl_kind <= KERN_SPIN ?
		    "returned with mutex %.0s%s owned" :
		    "returned with %s lock %s held",
		    kern_kind_name(hd->hd_lock), hd->hd_lock->kl_lock.lo_name);
	if (kt->kt_critical + kt->kt_masked > kt->kt_outer_critical)
		kernel_stop(k, kt->kt_critical_site, "returned %s",
		    kt->kt_critical > 0 ? "in the critical section that begins "
		    "here" : "with interrupts off since here");
	/* A process may stay where it is. */
	if (kt->kt_pinned > kt->kt_outer_pinned && !kt->kt_process)
		kernel_stop(k, kt->kt_pinned_site, "returned %s here",
		    kt->kt_bound ? "bound to a CPU" : "pinned");
}
