/* sys/sysctl.h, of kern.h: numbers; texts cannot be read. */

#define	OID_AUTO		(-1)
enum { CTLTYPE_NODE = 1, CTLTYPE_INT, CTLTYPE_STRING, CTLTYPE_S64,
    CTLTYPE_OPAQUE, CTLTYPE_UINT, CTLTYPE_LONG, CTLTYPE_ULONG, CTLTYPE_U64,
    CTLTYPE_U8, CTLTYPE_U16, CTLTYPE_S8, CTLTYPE_S16, CTLTYPE_S32, CTLTYPE_U32,
    CTLTYPE = 0xf, CTLTYPE_STRUCT = CTLTYPE_OPAQUE, CTLFLAG_RD = 0x80000000u,
    CTLFLAG_WR = 0x40000000, CTLFLAG_RW = 0xc0000000u,
    CTLFLAG_DORMANT = 0x20000000, CTLFLAG_ANYBODY = 0x10000000,
    CTLFLAG_SECURE = 0x8000000, CTLFLAG_PRISON = 0x4000000,
    CTLFLAG_DYN = 0x2000000, CTLFLAG_SKIP = 0x1000000, CTLFLAG_TUN = 0x80000,
    CTLFLAG_RDTUN = 0x80080000u, CTLFLAG_RWTUN = 0xc0080000u,
    CTLFLAG_MPSAFE = 0x40000, CTLFLAG_NEEDGIANT = 0x800,
    CTLFLAG_NOFETCH = 0x200, CTLFLAG_CAPRD = 0x8000, CTLFLAG_CAPWR = 0x4000,
    CTLFLAG_CAPRW = 0xc000, CTLFLAG_STATS = 0x2000, CTLFLAG_NOWRITE = 0 };
struct sysctl_ctx_list { int unused; };
struct sysctl_oid_list { const char *path; };
struct sysctl_req {
	const int64_t	*newptr;	/* NULL: only reads */
	int64_t		 oldval;	/* out */
	bool		 lock;		/* that is wired */
};
struct sysctl_oid;
#define	SYSCTL_HANDLER_ARGS						\
	struct sysctl_oid *oidp, void *arg1, intmax_t arg2,		\
	struct sysctl_req *req
typedef int kern_handle_t(SYSCTL_HANDLER_ARGS);
struct sysctl_oid {
	const char	*oid_parent;	/* as in _kern_random, or a path */
	const char	*oid_name;
	unsigned	 oid_kind;
	void		*oid_arg1;
	intmax_t	 oid_arg2;
	kern_handle_t	*oid_handler;
	const char	*oid_descr;
	const char	*oid_path;	/* in full; NULL: not made yet */
};
#define	SYSCTL_DECL(name)	extern struct sysctl_oid_list sysctl_##name
#define	SYSCTL_STATIC_CHILDREN(name)	(&(struct sysctl_oid_list){ #name })
#define	SYSCTL_CHILDREN(oid)						\
	(&(struct sysctl_oid_list){ kern_sysctl_path(oid) })
#define	KERN_OID(oid, parent, name, kind, arg1, arg2, handler, descr)	\
static struct sysctl_oid oid __section("kern_sysctls") __used __aligned(8) = {	\
	parent, name, (unsigned)(kind), __DECONST(void *, arg1), arg2,	\
	handler, descr, NULL }
#define	KERN_SYSCTL(parent, name, ...)					\
	KERN_OID(kern_sysctl_##parent##_##name, #parent, #name, __VA_ARGS__)
#define	KERN_NODE_ARGS		CTLTYPE_NODE, NULL, 0, NULL
#define	SYSCTL_NODE(parent, nbr, name, access, handler, descr)		\
	KERN_SYSCTL(parent, name, KERN_NODE_ARGS, descr)
#define	SYSCTL_PROC(parent, nbr, name, access, ptr, arg, handler, fmt, descr) \
	KERN_SYSCTL(parent, name, access, ptr, arg, handler, descr)
#define	SYSCTL_ADD_NODE(ctx, parent, nbr, name, access, handler, descr)	\
	kern_sysctl_add(parent, name, KERN_NODE_ARGS, descr)
/* A type's arguments, and its two forms; alias.tbl has the types. */
#define	KERN_TYPED(type, access, ptr, arg, handler)			\
	CTLTYPE_##type | CTLFLAG_MPSAFE | (unsigned)(access), ptr, arg,	\
	sysctl_handle_##handler
#define	KERN_STATIC(type, handler, parent, nbr, name, access, ptr, val, descr) \
	KERN_SYSCTL(parent, name, KERN_TYPED(type, access, ptr, val, handler), \
	    descr)
#define	KERN_ADDED(type, handler, ctx, parent, nbr, name, access, ptr, val, \
	    descr)							\
	kern_sysctl_add(parent, name, KERN_TYPED(type, access, ptr, val, \
	    handler), descr)
#define	SYSCTL_OPAQUE(parent, nbr, name, access, ptr, len, fmt, descr)	\
	KERN_STATIC(OPAQUE, opaque, parent, nbr, name, access, ptr, len, descr)
#define	SYSCTL_ADD_OPAQUE(ctx, parent, nbr, name, access, ptr, len, fmt, \
	    descr)							\
	KERN_ADDED(OPAQUE, opaque, ctx, parent, nbr, name, access, ptr, len, \
	    descr)
#define	SYSCTL_STRUCT(parent, nbr, name, access, ptr, type, descr)	\
	SYSCTL_OPAQUE(parent, nbr, name, access, ptr, sizeof(struct type), \
	    "S," #type, descr)
#define	SYSCTL_COUNTER_U64(parent, nbr, name, access, ptr, descr)	\
	KERN_STATIC(U64, counter_u64, parent, nbr, name, access, ptr, 0, descr)
#define	SYSCTL_ADD_COUNTER_U64(ctx, parent, nbr, name, access, ptr, descr) \
	KERN_ADDED(U64, counter_u64, ctx, parent, nbr, name, access, ptr, 0, \
	    descr)
#define	SYSCTL_SBINTIME_USEC(parent, nbr, name, access, ptr, descr)	\
	KERN_STATIC(INT, sbintime, parent, nbr, name, access, ptr, 1000, descr)
#define	SYSCTL_SBINTIME_MSEC(parent, nbr, name, access, ptr, descr)	\
	KERN_STATIC(INT, sbintime, parent, nbr, name, access, ptr, 1000000, \
	    descr)
#define	SYSCTL_ADD_SBINTIME_USEC(ctx, parent, nbr, name, access, ptr, descr) \
	KERN_ADDED(INT, sbintime, ctx, parent, nbr, name, access, ptr, 1000, \
	    descr)
#define	SYSCTL_ADD_SBINTIME_MSEC(ctx, parent, nbr, name, access, ptr, descr) \
	KERN_ADDED(INT, sbintime, ctx, parent, nbr, name, access, ptr, 1000000, \
	    descr)
#define	SYSCTL_ADD_PROC(ctx, parent, nbr, name, access, ptr, arg, handler, \
	    fmt, descr)							\
	kern_sysctl_add(parent, name, (unsigned)(access), ptr, arg, handler, \
	    descr)
#define	sysctl_ctx_init(ctx)	(0)
#define	sysctl_ctx_free(ctx)						\
	(HOST(may_sleep, KERN_SITE(), "sysctl_ctx_free()"), 0)
/* As programs use what is MPSAFE: as randomdev_use() has it. */
void	kern_sysctls_use(int writes);
kern_handle_t sysctl_handle_int, sysctl_handle_bool, sysctl_handle_8,
    sysctl_handle_16, sysctl_handle_32, sysctl_handle_64, sysctl_handle_long,
    sysctl_handle_string, sysctl_handle_counter_u64, sysctl_handle_sbintime;
/* Ends the run if the object, if there is one, is smaller than the handler's. */
#define	KERN_HANDLES(handler, n, oid, p, ...)				\
	(KERN_HOLDS(1 ? (p) : NULL, n) ? (handler)(oid, p, __VA_ARGS__) :	\
	(kern_panic(__FILE__, __LINE__, #handler "() of too few bytes"), 0))
#define	KERN_HOLDS(p, n)						\
	_Generic((p), void *: true, default: sizeof(*(p)) >= (n))
#define	sysctl_handle_64(...)	KERN_HANDLES(sysctl_handle_64, 8, __VA_ARGS__)
#define	sysctl_handle_int(...)	KERN_HANDLES(sysctl_handle_int, 4, __VA_ARGS__)
#define	sysctl_handle_long(...)	KERN_HANDLES(sysctl_handle_long, 8, __VA_ARGS__)
#define	sysctl_usec_to_sbintime(oid, arg1, arg2, req)			\
	sysctl_handle_sbintime(oid, arg1, 1000, req)
#define	sysctl_msec_to_sbintime(oid, arg1, arg2, req)			\
	sysctl_handle_sbintime(oid, arg1, 1000000, req)
/* Numbers of 1, 2, 4 or 8 bytes; others may have secrets. */
int	kern_sysctl_in(struct sysctl_req *, void *, size_t);
int	kern_sysctl_out(struct sysctl_req *, const void *, size_t);
#define	SYSCTL_OUT_STR(req, p)	kern_sysctl_out(req, p, 0)
#define	sysctl_wire_old_buffer(req, len)	((req)->lock = true, 0)
const char *kern_sysctl_path(struct sysctl_oid *);
struct sysctl_oid *kern_sysctl_add(struct sysctl_oid_list *, const char *,
	    unsigned, void *, intmax_t, kern_handle_t *, const char *);
#define	kern_sysctl_add(...)						\
	(HOST(may_sleep, KERN_SITE(), "sysctl_add_oid()"),		\
	(kern_sysctl_add)(__VA_ARGS__))
#define	KERN_TUNABLE(type, handler, path, ptr)				\
	KERN_TUNED(path, KERN_TYPED(type, CTLFLAG_RDTUN, ptr, 0, handler), "")
#define	KERN_TUNED(path, ...)						\
	KERN_OID(__CONCAT(kern_tunable_, __LINE__), "", path, __VA_ARGS__)
#define	TUNABLE_STR(path, ptr, size)	struct kern_hack
#define	TUNABLE_INT_FETCH(path, ptr) ({				\
	int64_t kern_set = 0;						\
	const bool kern_is_set = HOST(tunable, path, &kern_set);	\
									\
	if (kern_is_set)						\
		*(ptr) = (__typeof__(*(ptr)))kern_set;			\
	(int)kern_is_set;						\
})
#define	TUNABLE_STR_FETCH(path, ptr, size)	((void)(ptr), 0)
#define	freeenv(value)		((void)(value))

/* sys/sbuf.h: how long a text is, for when its buffer is full. */
struct sbuf { struct sysctl_req *s_req; int s_size, s_length; bool s_made; };
struct sbuf *kern_sbuf_new(struct sbuf *, const void *, int,
	    struct sysctl_req *, const struct kern_site *);
int	kern_sbuf_add(struct sbuf *, int, const struct kern_site *);
#define	sbuf_new_for_sysctl(s, buf, length, req)			\
	kern_sbuf_new(s, buf, length, req, KERN_SITE())
enum { SBUF_FIXEDLEN, SBUF_AUTOEXTEND };	/* the former: as if large */
#define	sbuf_new(s, buf, length, flags)	kern_sbuf_new(s, buf,		\
	(flags) == SBUF_AUTOEXTEND ? 16 : INT_MAX, NULL, KERN_SITE())
#define	sbuf_new_auto()		sbuf_new(NULL, NULL, 0, SBUF_AUTOEXTEND)
#define	sbuf_data(s)		((void)(s), __DECONST(char *, zero_region))
#define	sbuf_len(s)		((ssize_t)(s)->s_length % (INT_MAX / 2))
#define	sbuf_printf(s, ...)						\
	kern_sbuf_add(s, snprintf(NULL, 0, __VA_ARGS__), KERN_SITE())
#define	sbuf_cat(s, text)	kern_sbuf_add(s, (int)strlen(text), KERN_SITE())
#define	sbuf_bcat(s, p, n)	((void)(p), kern_sbuf_add(s, (int)(n), KERN_SITE()))
#define	sbuf_putc(s, c)		((void)(c), kern_sbuf_add(s, 1, KERN_SITE()))
#define	sbuf_finish(s)		kern_sbuf_add(s, INT_MAX / 2, KERN_SITE())
#define	sbuf_delete(s)		((s)->s_made ? free(s, M_TEMP) : (void)0)
