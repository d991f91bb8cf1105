/*
 * An algorithm that is started through its structure; sources in a LIST.
 */
#ifndef DEV_RANDOM_RANDOMDEV_H
#define	DEV_RANDOM_RANDOMDEV_H

SYSCTL_DECL(_kern_random);
MALLOC_DECLARE(M_ENTROPY);

struct harvest_event;

typedef void random_alg_pre_read_t(void);
typedef void random_alg_read_t(uint8_t *, u_int);
typedef bool random_alg_seeded_t(void);
typedef void random_alg_eventprocessor_t(struct harvest_event *);
typedef u_int random_source_read_t(void *, u_int);

struct random_algorithm {
	const char	*ra_ident;
	u_int		 ra_poolcount;
	void		 (*ra_init_alg)(void *);
	void		 (*ra_deinit_alg)(void *);
	random_alg_pre_read_t *ra_pre_read;
	random_alg_read_t *ra_read;
	random_alg_seeded_t *ra_seeded;
	random_alg_eventprocessor_t *ra_event_processor;
};

extern struct random_algorithm random_alg_context, *p_random_alg_context;

struct random_source {
	const char	*rs_ident;
	enum random_entropy_source rs_source;
	random_source_read_t *rs_read;
};

struct random_sources {
	LIST_ENTRY(random_sources) rrs_entries;
	struct random_source *rrs_source;
};

LIST_HEAD(sources_head, random_sources);
extern struct sources_head source_list;
extern struct mtx source_mtx;

void random_source_register(struct random_source *);
void random_source_deregister(struct random_source *);
void randomdev_unblock(void);

#endif
