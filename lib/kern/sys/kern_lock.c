/* What locks and sections have that is no macro; kern.c includes it. */

KERN_PLAIN void
sema_init(struct sema *s, int value, const char *description)
{
	MPASS(value >= 0);
	mtx_init(&s->sema_mtx, description, "sema backing lock",
	    MTX_DEF | MTX_NOWITNESS);
	cv_init(&s->sema_cv, description);
	s->sema_value = value;
}

KERN_PLAIN int
kern_sema(struct sema *s, int64_t ns, bool tries, const struct kern_site *site)
{
	struct lock_object *lo = &s->sema_mtx.lock_object;
	int error = 0;

	(void)kern_lock(lo, site, 0);
	while (s->sema_value == 0 && error == 0 && !tries) {
		s->sema_waiters++;
		error = HOST(sleep, &s->sema_cv, lo->lo_witness, 0, ns,
		    s->sema_cv.cv_description, site);
		s->sema_waiters--;
	}
	if (s->sema_value > 0) {
		s->sema_value--;
		error = 0;
	} else if (error == 0)
		error = EBUSY;
	kern_unlock(lo, site, 0);
	return (error);
}

KERN_PLAIN void
kern_sema_post(struct sema *s, const struct kern_site *site)
{
	(void)kern_lock(&s->sema_mtx.lock_object, site, 0);
	if (++s->sema_value > 0 && s->sema_waiters > 0)
		cv_signal(&s->sema_cv);
	kern_unlock(&s->sema_mtx.lock_object, site, 0);
}

static bool kern_epochs;
KERN_RUN(epochs, SI_SUB_EPOCH, SI_ORDER_FIRST, false, kern_epochs = true);

KERN_PLAIN void *
kern_section(const char *name, int flags, u_int kind,
    const struct kern_site *site)
{
	epoch_t ep = malloc(sizeof(*ep), NULL, M_WAITOK | M_ZERO);

	if (kind != KERN_SMR && !kern_epochs)
		kern_panic(site->kw_file, site->kw_line, "epoch_alloc called "
		    "too early in boot");
	kern_lock_init(&ep->lock_object, name, NULL, kind, site);
	ep->ep_flags = flags;
	return (ep);
}

KERN_PLAIN static bool
kern_epoch_poll(epoch_t ep, const struct kern_site *site)
{
	void *lock = ep->lock_object.lo_witness;
	const uint32_t goal = HOST(advance, lock, false);

	return (HOST(poll, lock, goal, true, site));
}

KERN_PLAIN void
kern_epoch_wait(epoch_t ep, bool preempt, const struct kern_site *site)
{
	if (preempt != ((ep->ep_flags & EPOCH_PREEMPT) != 0))
		kern_panic(site->kw_file, site->kw_line,
		    "epoch_wait%s() of epoch %s with%s EPOCH_PREEMPT", preempt ?
		    "_preempt" : "", ep->lock_object.lo_name, preempt ? "out" :
		    "");
	if ((ep->ep_flags & EPOCH_LOCKED) == 0 && !in_epoch(ep))
		HOST(may_sleep, site, "epoch_wait() can be long running.");
	(void)kern_epoch_poll(ep, site);
}

/* Of all epochs; the program's timer calls what is there. */
struct kern_epoch_call { epoch_callback_t *func; epoch_t ep; void *next; };
static uintptr_t kern_epoch_calls;
CTASSERT(sizeof(struct kern_epoch_call) == sizeof(struct epoch_context));

KERN_PLAIN void
epoch_call(epoch_t ep, epoch_callback_t *func, epoch_context_t context)
{
	struct kern_epoch_call *ec = (void *)context;
	uintptr_t first = atomic_load_ptr(&kern_epoch_calls);

	*ec = (struct kern_epoch_call){ func, ep, NULL };
	do
		ec->next = (void *)first;
	while (!atomic_fcmpset_ptr(&kern_epoch_calls, &first, (uintptr_t)ec));
}

KERN_PLAIN void
kern_epoch_drain(epoch_t ep, const struct kern_site *site)
{
	static u_int running;	/* threads that call some */
	struct kern_epoch_call *ec, *next;
	u_int others;

	if (ep != NULL)
		HOST(may_sleep, site, "epoch_drain_callbacks()");
	if (__atomic_load_n(&kern_epoch_calls, __ATOMIC_RELAXED) != 0) {
		atomic_add_acq_int(&running, 1);
		ec = (void *)atomic_swap_ptr(&kern_epoch_calls, 0);
		for (; ec != NULL; ec = next) {
			next = ec->next;
			(void)kern_epoch_poll(ec->ep, site);
			ec->func((epoch_context_t)(void *)ec);
		}
		atomic_subtract_rel_int(&running, 1);
	}
	while (ep != NULL && (others = atomic_load_acq_int(&running)) != 0)
		kern_host->kh_await(&running, others);
}

KERN_PLAIN void
kern_smr_enter(smr_t s, bool lazy, const struct kern_site *site)
{
	if (((s->ep_flags & SMR_LAZY) != 0) != lazy)
		kern_panic(site->kw_file, site->kw_line, lazy ?
		    "smr_lazy_enter(%s) non-lazy smr." :
		    "smr_enter(%s) lazy smr.", s->lock_object.lo_name);
	(void)HOST(lock, s->lock_object.lo_witness, site, KERN_SHARES);
}
