/* Devices: uio.h, conf.h, module.h, selinfo.h, linker.h and fcntl.h of sys. */

struct iovec { void *iov_base; size_t iov_len; };
enum uio_rw { UIO_READ, UIO_WRITE };
enum uio_seg { UIO_USERSPACE, UIO_SYSSPACE };
struct uio {
	struct iovec	*uio_iov;
	int		 uio_iovcnt;
	off_t		 uio_offset;
	ssize_t		 uio_resid;
	enum uio_seg	 uio_segflg;
	enum uio_rw	 uio_rw;
	struct thread	*uio_td;
};
/* Of one vector.  All of a program's memory can be read and written. */
int	uiomove_nofault(void *, int, struct uio *);
#define	uiomove(buf, n, uio)						\
	((uio)->uio_segflg != UIO_USERSPACE ? (void)0 :			\
	    HOST(may_sleep, KERN_SITE(), "Calling uiomove()"),		\
	    uiomove_nofault(buf, n, uio))
#define	uiomove_frombuf(buf, size, uio)					\
	((uio)->uio_offset >= (size) ? 0 : uiomove((char *)(buf) +	\
	    (uio)->uio_offset, (int)((size) - (uio)->uio_offset), uio))
#define	KERN_FAULTS()	HOST(may_sleep, KERN_SITE(), "Kernel page fault")
#define	copyout(from, to, n)	(KERN_FAULTS(),				\
	(n) > 0 && (to) == NULL ? EFAULT : (HOST(copyout, to, from, n), 0))
#define	copyin(from, to, n)	(KERN_FAULTS(),				\
	(n) > 0 && (from) == NULL ? EFAULT : ((void)kern_memcpy(to, from, n), 0))

#define	O_NONBLOCK		4
#define	O_RDONLY		0
struct cdev;
typedef int d_read_t(struct cdev *, struct uio *, int);
typedef int d_write_t(struct cdev *, struct uio *, int);
typedef int d_poll_t(struct cdev *, int, struct thread *);
typedef int d_ioctl_t(struct cdev *, u_long, caddr_t, int, struct thread *);
enum { D_VERSION = 0x17122009 };
struct cdevsw {
	int		 d_version;
	const char	*d_name;
	d_read_t	*d_read;
	d_write_t	*d_write;
	d_poll_t	*d_poll;
	d_ioctl_t	*d_ioctl;
};
/* Programs read by a function of random(4), and write to what was made. */
extern const struct cdevsw *kern_devsw;
enum { MAKEDEV_ETERNAL_KLD, MAKEDEV_NOWAIT, MAKEDEV_WAITOK, MAKEDEV_CHECKNAME = 4,
    UID_ROOT = 0, GID_WHEEL = 0 };
#define	make_dev_credf(flags, devsw, ...)				\
	((struct cdev *)(KERN_BOOTED(SI_SUB_DEVFS, "a device is made"),	\
	    KERN_MAY_WAIT(((flags) & MAKEDEV_NOWAIT) != 0 ? 0 : M_WAITOK), \
	    kern_devsw = (devsw), NULL))
#define	make_dev(...)		make_dev_credf(0, __VA_ARGS__)
struct make_dev_args { size_t mda_size; int mda_flags, mda_uid, mda_gid, mda_mode,
    mda_unit; const struct cdevsw *mda_devsw; struct ucred *mda_cr;
    void *mda_si_drv1, *mda_si_drv2; };
#define	make_dev_args_init(a)	((void)kern_memset(a, 0, sizeof(*(a))))
#define	make_dev_s(a, dev, ...)						\
	((void)(*(dev) = make_dev_credf((a)->mda_flags, (a)->mda_devsw)), 0)
#define	make_dev_alias(dev, ...)					\
	((void)(dev), HOST(may_sleep, KERN_SITE(), "a device is changed"))

typedef void *module_t;
enum { MOD_LOAD, MOD_UNLOAD, MOD_SHUTDOWN, MOD_QUIESCE };
typedef struct { const char *name; int (*evhand)(module_t, int, void *);
    void *priv; } moduledata_t;
#define	DECLARE_MODULE(name, data, sub, order)				\
KERN_RUN(load_##name, sub, order, false,				\
    (void)data.evhand(NULL, MOD_LOAD, data.priv))
#define	DEV_MODULE(name, event, arg)					\
static moduledata_t name##_mod = { #name, event, arg };			\
DECLARE_MODULE(name, name##_mod, SI_SUB_DRIVERS, SI_ORDER_MIDDLE)

/* After a poll(2) a selinfo has a mutex of that pool. */
struct selinfo { int si_unused; };
enum { POLLIN = 1, POLLOUT = 4, POLLRDNORM = 0x40, POLLWRNORM = 4 };
enum { FIONBIO = 1, FIOASYNC = 2 };
#define	selwakeup(si)			selrecord(0, si)
#define	selwakeuppri(si, priority)	selrecord(priority, si)
#define	selrecord(td, si)	((void)(td), (void)(si), HOST(may_block,	\
	KERN_SITE(), "acquiring blockable sleep lock (sleep mutex) select mtxpool"))

/* What a loader left, by type; the pointer is its description. */
void	*kern_preload(const char *, const struct kern_site *);
#define	preload_search_by_type(type)	kern_preload(type, KERN_SITE())
extern struct kern_preloaded { void *addr; size_t size; } kern_preloaded;
#define	preload_fetch_addr(module)	((void)(module), kern_preloaded.addr)
#define	preload_fetch_size(module)	((void)(module), kern_preloaded.size)
