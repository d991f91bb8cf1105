/*
 * Weak memory under the controlled scheduler: stores that others see later,
 * and, in VM_WEAK, loads that return older values.
 *
 * The store of a thread waits in the thread's buffer until it is committed, to
 * memory; the thread's own loads see it at once.  VM_TSO commits in order, and
 * atomics that read and write empty the buffer first, as an x86 does.  VM_WEAK
 * commits stores to different words in any order, but a release store and what
 * follows it only after all before it.
 *
 * In VM_WEAK each word keeps its latest values, and each thread has a view: for
 * each word the oldest value that it may still read, and for each thread how
 * much of its past happens-before now.  A release store takes the view of its
 * thread along; an acquire load of it merges that view into its own.  An atomic
 * that reads and writes acts on the latest value and passes on the view that is
 * there, so a release sequence continues.  This is the view-based semantics of
 * J. Kang et al., "A promising semantics for relaxed-memory concurrency", POPL
 * 2017, without its promises: no load sees a store that follows it in program
 * order in a cycle (load buffering).
 *
 * A relaxed store takes the view of the last release fence along; what relaxed
 * loads found is merged by the next acquire fence.
 *
 * Plain memory has one value.  What a lock guards is checked instead: a thread
 * that acquires a lock, or touches data that was guarded by one, must have the
 * last thread's release, or touch, in its view.
 */
#include "lib/vm/memory.h"

const char *const vm_memory_names[VM_MEMORIES + 1] = { [VM_SC] = "sc",
    [VM_TSO] = "tso", [VM_WEAK] = "weak" };

CTASSERT(VM_STORES <= VM_CONTROLLED_MAX);
CTASSERT((MEMORY_SLOTS & (MEMORY_SLOTS - 1)) == 0);
CTASSERT(MEMORY_SLOTS > MEMORY_WORDS);

void
memory_init(struct vm *vm)
{
	struct memory *me = vm->vm_memory_kept;
	struct memory_thread *mt;

	if (me == NULL)
		me = vm->vm_memory_kept = xcalloc(1, sizeof(*me));
	me->me_kind = vm->vm_config->mc_control->vh_memory;
	me->me_words = me->me_guarded = 0;
	memset(me->me_slot, 0, sizeof(me->me_slot));
	me->me_fence.mv_count = 0;
	me->me_low = UINTPTR_MAX;
	me->me_high = 0;
	for (unsigned i = 0; i < VM_STORES; i++) {
		mt = &me->me_thread[i];
		mt->met_issued = mt->met_awaited = mt->met_settled = 0;
		mt->met_pending = mt->met_view.mv_count =
		    mt->met_acquires.mv_count = mt->met_released.mv_count = 0;
	}
	vm->vm_controlled.vx_memory = me;
}

static const void *
returned(struct memory *me, unsigned size, uint64_t v)
{
	memory_put(&me->me_read, size, v);
	return (&me->me_read);
}

/* Where the index of a word is, or belongs. */
static uint16_t *
slot_of(struct memory *me, const void *p)
{
	const uint64_t key = (uintptr_t)p * UINT64_C(0x9e3779b97f4a7c15);
	unsigned i;

	for (i = (unsigned)(key >> 48) % MEMORY_SLOTS; me->me_slot[i] != 0 &&
	    me->me_word[me->me_slot[i] - 1].mw_word != p;
	    i = (i + 1) % MEMORY_SLOTS)
		;
	return (&me->me_slot[i]);
}

/* Values are left before memory_age() or after it, each of which counts. */
static void
note_value(struct vm *vm, unsigned as)
{
	const struct memory *me = vm->vm_controlled.vx_memory;

	if (me->me_kind == VM_WEAK)
		vm_uses_as(vm, as, &me->me_kind, 1, VM_USE_LOAD);
}

/* The value that a word has becomes its latest. */
static void
append(struct memory_word *mw, const struct memory_view *mv)
{
	const unsigned i = ++mw->mw_newest % MEMORY_VALUES;

	mw->mw_value[i] = memory_get(mw->mw_word, mw->mw_size);
	mw->mw_view[i].mv_count = 0;
	if (mv != NULL)
		view_copy(&mw->mw_view[i], mv);
	if (mw->mw_newest - mw->mw_oldest >= MEMORY_VALUES)
		mw->mw_oldest++;
}

/* Memory was used for something else, or the first thread has written it. */
static bool
is_other(const struct memory_word *mw, unsigned size)
{
	return (mw->mw_size != size || memory_get(mw->mw_word, size) !=
	    mw->mw_value[mw->mw_newest % MEMORY_VALUES]);
}

static void
start_again(struct memory_word *mw, unsigned size)
{
	mw->mw_size = (uint8_t)size;
	append(mw, NULL);
	mw->mw_oldest = mw->mw_newest;
}

/* A word's history, from now on; NULL: there are too many. */
static struct memory_word *
word_make(struct memory *me, const void *p, unsigned size)
{
	uint16_t *slot = slot_of(me, p);
	struct memory_word *mw;

	if (*slot == 0) {
		if (me->me_words == MEMORY_WORDS)
			return (NULL);
		mw = &me->me_word[me->me_words++];
		*slot = (uint16_t)me->me_words;
		mw->mw_word = p;
		mw->mw_newest = 0;
		start_again(mw, size);
	}
	return (&me->me_word[*slot - 1]);
}

/* A word without a history, of too many, orders all before it. */
static void
see_all(struct vm *vm)
{
	const struct memory *me = vm->vm_controlled.vx_memory;
	struct memory_view *mv = &memory_self(vm)->met_view;

	for (unsigned i = 1; i < VM_STORES; i++)
		view_set(mv, i, view_at(&me->me_thread[i].met_view, i));
	for (unsigned i = 0; i < MEMORY_WORDS; i++)
		view_set(mv, MEMORY_FIRST + i, me->me_word[i].mw_newest);
}

const void *
memory_load(struct vm *vm, const void *p, unsigned access)
{
	struct memory *me = vm->vm_controlled.vx_memory;
	struct memory_thread *mt = memory_self(vm);
	const unsigned size = access >> VM_SIZE_SHIFT;
	struct memory_word *mw;
	uint32_t at, oldest;
	unsigned i;

	if (vm->vm_self->vt_host)
		return (p);
	for (i = mt->met_pending; i-- > 0;)
		if (mt->met_store[i].ms_word == p)
			return (returned(me, size, mt->met_store[i].ms_value));
	i = *slot_of(me, p);
	if (me->me_kind == VM_WEAK && i == 0 && me->me_words == MEMORY_WORDS)
		see_all(vm);
	if (me->me_kind != VM_WEAK || i == 0)
		return (p);
	mw = &me->me_word[i - 1];
	if (is_other(mw, size))
		start_again(mw, size);
	oldest = view_at(&mt->met_view, memory_place(me, mw));
	oldest = MAX(oldest, mw->mw_oldest);
	at = mw->mw_newest;
	if (oldest < at && !vm->vm_self->vt_newest)
		at -= vm_controlled_pick(vm, VM_POINT_VALUE, at - oldest + 1);
	if (at < mw->mw_newest)
		VM_TELL(vm, vm->vm_self, .vn_kind = VM_OLD_VALUE, .vn_word = i,
		    .vn_value = mw->mw_value[at % MEMORY_VALUES]);
	view_set(&mt->met_view, memory_place(me, mw), at);
	view_join((access & VM_ACQUIRE) != 0 ? &mt->met_view :
	    &mt->met_acquires, &mw->mw_view[at % MEMORY_VALUES]);
	return (returned(me, size, mw->mw_value[at % MEMORY_VALUES]));
}

/* Commits the i-th store of a thread, in a step of its own or of another. */
static void
commit(struct vm *vm, unsigned as, unsigned thread, unsigned i)
{
	struct memory *me = vm->vm_controlled.vx_memory;
	struct memory_thread *mt = &me->me_thread[thread];
	struct memory_store *ms = &mt->met_store[i];
	struct memory_word *mw = word_make(me, ms->ms_word, ms->ms_size);

	note_value(vm, as);
	vm_uses_as(vm, as, ms->ms_word, ms->ms_size, VM_USE_VALUE);
	vm_uses_as(vm, as, memory_store_place(thread, ms->ms_issue), 1,
	    VM_USE_AFTER);
	vm_uses_as(vm, as, memory_store_place(thread, ms->ms_issue), 1,
	    VM_USE_STORE);
	if (mw != NULL && is_other(mw, ms->ms_size)) {
		/* Memory is no longer that word: the store is dropped. */
		start_again(mw, ms->ms_size);
	} else {
		memory_put(ms->ms_word, ms->ms_size, ms->ms_value);
		VM_TELL(vm, vm->vm_thread[thread], .vn_kind = VM_STORE_SEEN,
		    .vn_value = ms->ms_value,
		    .vn_word = mw == NULL ? 0 : *slot_of(me, ms->ms_word));
		if (mw != NULL)
			append(mw, &ms->ms_view);
	}
	if (mw != NULL)
		view_set(&mt->met_view, memory_place(me, mw), mw->mw_newest);
	mt->met_pending--;
	memmove(ms, ms + 1, (mt->met_pending - i) * sizeof(*ms));
	if (mt->met_pending == 0)
		vm->vm_controlled.vx_storing &= ~(UINT64_C(1) << (thread - 1));
	if (vm->vm_controlled.vx_storing == 0)
		vm->vm_controlled.vx_tried = 0;
	memory_drained(vm);
	vm_controlled_changed(vm);
}

void
memory_drain(struct vm *vm, unsigned thread)
{
	while (vm->vm_controlled.vx_memory->me_thread[thread].met_pending > 0)
		commit(vm, vm->vm_self->vt_id, thread, 0);
}

void
memory_commit(struct vm *vm, unsigned number)
{
	struct memory *me = vm->vm_controlled.vx_memory;
	const unsigned thread = number > VM_EACH ? vm_owner(number) :
	    number - VM_STORES;
	const struct memory_thread *mt = &me->me_thread[thread];
	unsigned count = 0, i, may[MEMORY_PENDING] = { 0 };

	for (i = 0; i < mt->met_pending; i++)
		if (memory_may_commit(me, mt, i))
			may[count++] = i;
	if (number < VM_EACH)
		i = count == 1 ? 0 : vm_controlled_pick(vm, VM_POINT_VALUE,
		    count);
	else
		for (i = 0; me->me_kind == VM_WEAK &&
		    mt->met_store[may[i]].ms_issue % VM_EACH_STORES !=
		    number % VM_EACH_STORES; i++)
			continue;
	commit(vm, number, thread, may[i]);
}

void
memory_follow(struct vm *vm, unsigned thread, unsigned other)
{
	struct memory_thread *mt = vm->vm_controlled.vx_memory->me_thread;

	memory_drain(vm, other);
	view_join(&mt[thread].met_view, &mt[other].met_view);
}

void
memory_start(struct vm *vm, const struct vm_thread *vt)
{
	MPASS(vm->vm_self->vt_host);
	view_set(&vm->vm_controlled.vx_memory->me_thread[vt->vt_id].met_view,
	    vt->vt_id, 1);
}

void
memory_flush(struct vm *vm, const void *p)
{
	const struct memory_thread *mt = memory_self(vm);
	unsigned n;

	if (memory_await(vm, p))
		return;
	for (n = mt->met_pending; n > 0; n--)
		if (mt->met_store[n - 1].ms_word == p)
			break;
	for (; n > 0; n--)
		commit(vm, vm->vm_self->vt_id, vm->vm_self->vt_id, 0);
}

void
memory_age(struct vm *vm, unsigned as)
{
	struct memory *me = vm->vm_controlled.vx_memory;
	struct memory_word *mw;

	if (me->me_kind == VM_WEAK)
		vm_uses_as(vm, as, &me->me_kind, 1, VM_USE_STORE);
	for (mw = me->me_word; mw < &me->me_word[me->me_words]; mw++) {
		if (me->me_kind == VM_WEAK && mw->mw_oldest < mw->mw_newest)
			vm_uses_as(vm, as, mw->mw_word, mw->mw_size,
			    VM_USE_STORE);
		mw->mw_oldest = mw->mw_newest;
	}
}

void
vm_settle(void)
{
	struct vm *vm = vm_get();

	if (!vm_is_weak(vm))
		return;
	if (!memory_await(vm, MEMORY_ALL))
		for (unsigned i = 1; i < VM_STORES; i++)
			memory_drain(vm, i);
	memory_age(vm, vm->vm_self->vt_id);
}

void
memory_own(struct vm *vm, const void *p, unsigned access)
{
	struct memory *me = vm->vm_controlled.vx_memory;
	const unsigned size = access >> VM_SIZE_SHIFT;
	struct memory_word *mw;

	me->me_access = vm->vm_self->vt_host ? 0 : access;
	if (me->me_access == 0)
		return;
	if ((access & VM_RMW) != 0 && me->me_kind == VM_TSO)
		vm_barrier(vm);
	else if ((access & VM_RMW) != 0)
		memory_flush(vm, p);
	/* Before the access, as others may run meanwhile. */
	if ((access & VM_RELEASE) != 0 && me->me_kind == VM_WEAK)
		(void)memory_await(vm, MEMORY_OWN);
	vm_uses(vm, memory_defers(access) ? memory_begin_place(p) : p, size,
	    VM_USE_LOAD);
	me->me_access = access;
	mw = word_make(me, p, size);
	if (mw != NULL && is_other(mw, size))
		start_again(mw, size);
	me->me_writes = (void *)(uintptr_t)p;
	me->me_before = memory_get(p, size);
}

/* The store is put back into the caller's buffer. */
static void
defer_store(struct vm *vm, unsigned size)
{
	struct memory *me = vm->vm_controlled.vx_memory;
	struct memory_thread *mt = memory_self(vm);
	const unsigned id = vm->vm_self->vt_id;
	const bool release = (me->me_access & VM_RELEASE) != 0;
	const uint64_t v = memory_get(me->me_writes, size);
	struct memory_store *ms;

	memory_put(me->me_writes, size, me->me_before);
	if (mt->met_pending == MEMORY_PENDING)
		commit(vm, id, id, 0);
	if (release && me->me_kind == VM_WEAK)
		vm_barrier(vm);
	vm_uses(vm, memory_store_place(id, ++mt->met_issued), 1, VM_USE_STORE);
	vm_uses(vm, &vm->vm_controlled.vx_storing, 1, VM_USE_LOAD);
	ms = &mt->met_store[mt->met_pending++];
	ms->ms_word = me->me_writes;
	ms->ms_value = v;
	ms->ms_size = (uint8_t)size;
	ms->ms_issue = mt->met_issued;
	view_copy(&ms->ms_view, release ? &mt->met_view : &mt->met_released);
	vm->vm_controlled.vx_storing |= vm->vm_self->vt_bit;
}

struct memory_word *
memory_latest(struct vm *vm, const void *p, unsigned access)
{
	struct memory *me = vm->vm_controlled.vx_memory;
	struct memory_thread *mt;
	struct memory_word *mw;

	if (!vm_is_weak(vm) || vm->vm_self->vt_host)
		return (NULL);
	mt = memory_self(vm);
	if ((mw = word_make(me, p, access >> VM_SIZE_SHIFT)) != NULL) {
		view_join((access & VM_ACQUIRE) != 0 ? &mt->met_view :
		    &mt->met_acquires,
		    &mw->mw_view[mw->mw_newest % MEMORY_VALUES]);
		view_set(&mt->met_view, memory_place(me, mw), mw->mw_newest);
	} else
		see_all(vm);
	return (mw);
}

/* An atomic reads the latest value, and others see the new one at once. */
static void
update(struct vm *vm)
{
	struct memory *me = vm->vm_controlled.vx_memory;
	struct memory_thread *mt = memory_self(vm);
	const bool release = (me->me_access & VM_RELEASE) != 0;
	const struct memory_view *before;
	struct memory_word *mw;

	if (release)
		vm_barrier(vm);
	note_value(vm, vm->vm_self->vt_id);
	if ((mw = memory_latest(vm, me->me_writes, me->me_access)) == NULL)
		return;
	before = &mw->mw_view[mw->mw_newest % MEMORY_VALUES];
	append(mw, release ? &mt->met_view : &mt->met_released);
	view_join(&mw->mw_view[mw->mw_newest % MEMORY_VALUES], before);
	view_set(&mt->met_view, memory_place(me, mw), mw->mw_newest);
}

bool
memory_written(struct vm *vm)
{
	struct memory *me = vm->vm_controlled.vx_memory;

	if ((me->me_access & VM_RMW) != 0)
		update(vm);
	else if (me->me_access != 0)
		defer_store(vm, me->me_access >> VM_SIZE_SHIFT);
	return (me->me_access == 0 || (me->me_access & VM_RMW) != 0);
}

void
vm_compared(void)
{
	struct vm *vm = vm_get();
	const struct memory *me = vm->vm_controlled.vx_memory;

	if (me != NULL)
		(void)memory_latest(vm, me->me_writes, me->me_access &
		    ~(unsigned)VM_ACQUIRE);
}

void
memory_guard(struct vm *vm, const void *object, const char *what,
    unsigned access)
{
	struct memory *me = vm->vm_controlled.vx_memory;
	const struct vm_control *vh = vm->vm_controlled.vx_control;
	const unsigned id = vm->vm_self->vt_id;
	struct memory_view *mv = &memory_self(vm)->met_view;
	struct memory_guarded *mg = me->me_guard;

	while (mg < &me->me_guard[me->me_guarded] && mg->meg_object != object)
		mg++;
	if (mg == &me->me_guard[MEMORY_GUARDED] || me->me_kind != VM_WEAK)
		return;
	vm_uses(vm, object, 1, VM_USE_STORE);
	if (mg == &me->me_guard[me->me_guarded])
		me->me_guard[me->me_guarded++] = (struct memory_guarded){
		    .meg_object = object };
	if ((access & VM_ACQUIRE) != 0 && !vm->vm_self->vt_host &&
	    view_at(mv, mg->meg_thread) < mg->meg_clock)
		vh->vh_unordered(vh->vh_context, object, what, id,
		    mg->meg_thread);
	if ((access & VM_RELEASE) == 0)
		return;
	/* A release before this one must not pass it on. */
	view_set(mv, id, view_at(mv, id) + 1);
	mg->meg_thread = id;
	mg->meg_clock = vm->vm_self->vt_host ? 0 : view_at(mv, id);
}
