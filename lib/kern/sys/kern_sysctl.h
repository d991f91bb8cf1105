/*
 * sys/sysctl.h, of kern.h: numbers; texts cannot be read.
 */
#ifndef KERN_SYSCTL_H
#define	KERN_SYSCTL_H

#define	OID_AUTO		(-1)
enum { CTLTYPE_NODE = 1, CTLTYPE_INT = 2, CTLTYPE_STRING = 3, CTLTYPE_U8 = 0xa,
    CTLTYPE_UINT = 6, CTLTYPE = 0xf, CTLFLAG_RD = 0x80000000u,
    CTLFLAG_WR = 0x40000000, CTLFLAG_RW = 0xc0000000u, CTLFLAG_TUN = 0x80000,
    CTLFLAG_RDTUN = 0x80080000u, CTLFLAG_RWTUN = 0xc0080000u,
    CTLFLAG_MPSAFE = 0x40000, CTLFLAG_NOFETCH = 0x200, CTLFLAG_SKIP = 0x1000000,
    CTLFLAG_STATS = 0x2000 };
struct sysctl_ctx_list { int unused; };
struct sysctl_oid_list { const char *path; };
struct sysctl_req {
	const int64_t	*newptr;	/* NULL: only reads */
	int64_t		 oldval;	/* out */
};
struct sysctl_oid;
#define	SYSCTL_HANDLER_ARGS						\
	struct sysctl_oid *oidp, void *arg1, intmax_t arg2,		\
	struct sysctl_req *req
struct sysctl_oid {
	const char	*oid_parent;	/* as in _kern_random, or a path */
	const char	*oid_name;
	unsigned	 oid_kind;
	void		*oid_arg1;
	intmax_t	 oid_arg2;
	int		(*oid_handler)(SYSCTL_HANDLER_ARGS);
	const char	*oid_descr;
	const char	*oid_path;	/* in full; NULL: not made yet */
};
#define	SYSCTL_DECL(name)	extern struct sysctl_oid_list sysctl_##name
#define	SYSCTL_STATIC_CHILDREN(name)	(&(struct sysctl_oid_list){ #name })
#define	SYSCTL_CHILDREN(oid)						\
	(&(struct sysctl_oid_list){ kern_sysctl_path(oid) })
#define	KERN_SYSCTL(parent, name, kind, arg1, arg2, handler, descr)	\
static struct sysctl_oid kern_sysctl_##parent##_##name			\
    __section("kern_sysctls") __used __aligned(8) = {			\
	#parent, #name, (unsigned)(kind), arg1, arg2, handler, descr }
#define	SYSCTL_NODE(parent, nbr, name, access, handler, descr)		\
	KERN_SYSCTL(parent, name, CTLTYPE_NODE, NULL, 0, NULL, descr)
#define	KERN_SYSCTL_OF(parent, name, type, access, ptr, handler, descr)	\
	KERN_SYSCTL(parent, name, CTLTYPE_##type | (unsigned)(access), ptr, 0, \
	    sysctl_handle_##handler, descr)
#define	SYSCTL_BOOL(parent, nbr, name, access, ptr, val, descr)		\
	KERN_SYSCTL_OF(parent, name, U8, access, ptr, bool, descr)
#define	SYSCTL_INT(parent, nbr, name, access, ptr, val, descr)		\
	KERN_SYSCTL_OF(parent, name, INT, access, ptr, int, descr)
#define	SYSCTL_UINT(parent, nbr, name, access, ptr, val, descr)		\
	KERN_SYSCTL_OF(parent, name, UINT, access, ptr, int, descr)
#define	SYSCTL_PROC(parent, nbr, name, access, ptr, arg, handler, fmt, descr) \
	KERN_SYSCTL(parent, name, access, ptr, arg, handler, descr)
#define	SYSCTL_ADD_NODE(ctx, parent, nbr, name, access, handler, descr)	\
	kern_sysctl_add(parent, name, CTLTYPE_NODE, NULL, 0, NULL, descr)
#define	KERN_SYSCTL_ADD(parent, name, type, access, ptr, handler, descr) \
	kern_sysctl_add(parent, name, CTLTYPE_##type | (unsigned)(access), \
	    ptr, 0, sysctl_handle_##handler, descr)
#define	SYSCTL_ADD_BOOL(ctx, parent, nbr, name, access, ptr, val, descr) \
	KERN_SYSCTL_ADD(parent, name, U8, access, ptr, bool, descr)
#define	SYSCTL_ADD_INT(ctx, parent, nbr, name, access, ptr, val, descr)	\
	KERN_SYSCTL_ADD(parent, name, INT, access, ptr, int, descr)
#define	SYSCTL_ADD_UINT(ctx, parent, nbr, name, access, ptr, val, descr) \
	KERN_SYSCTL_ADD(parent, name, UINT, access, ptr, int, descr)
#define	SYSCTL_ADD_PROC(ctx, parent, nbr, name, access, ptr, arg, handler, \
	    fmt, descr)							\
	kern_sysctl_add(parent, name, (unsigned)(access), ptr, arg, handler, \
	    descr)
#define	sysctl_ctx_init(ctx)	(0)
#define	sysctl_ctx_free(ctx)	(0)
int	sysctl_handle_int(SYSCTL_HANDLER_ARGS);
int	sysctl_handle_bool(SYSCTL_HANDLER_ARGS);
#define	sysctl_wire_old_buffer(req, len)	((void)(req), EOPNOTSUPP)
const char *kern_sysctl_path(struct sysctl_oid *);
struct sysctl_oid *kern_sysctl_add(struct sysctl_oid_list *, const char *,
	    unsigned, void *, intmax_t, int (*)(SYSCTL_HANDLER_ARGS),
	    const char *);
#define	TUNABLE_INT(path, ptr)						\
static struct sysctl_oid __CONCAT(kern_tunable_, __LINE__)		\
    __section("kern_sysctls") __used __aligned(8) = {			\
	"", path, CTLTYPE_INT | CTLFLAG_RDTUN, ptr, 0, sysctl_handle_int, "" }

/* sys/sbuf.h: what only texts need. */
struct sbuf { int s_unused; };
#define	sbuf_new_for_sysctl(s, buf, length, req)	((void)(s))
#define	sbuf_cat(s, text)	((void)(s), (void)(text))
#define	sbuf_finish(s)		((void)(s), 0)
#define	sbuf_delete(s)		((void)(s))

#endif
