/* What FreeBSD's routers lose to the harvest, as published and predicted. */
#pragma once

#include "bench/options/options.h"
#include "bench/predict/reproduce.h"

enum { FORWARDING_TEXT_SIZE = 64, FORWARDING_ROWS_MAX = 1024 };

/* A row of the file: machine, nic, release, mask, queues, packets a second. */
struct forwarding_row {
	char		 fw_text[3][FORWARDING_TEXT_SIZE];
	unsigned	 fw_mask, fw_queues;
	double		 fw_value;
	double		 fw_least, fw_most;
	/* The row alike with fewer sources; NULL: it is not predicted. */
	const struct forwarding_row *fw_base;
	/* The same of a release that is less limited by locks; or NULL. */
	const struct forwarding_row *fw_freer;
	const char	*fw_profile;
	bool		 fw_nearest;	/* of a like machine */
	bool		 fw_backoff;	/* of its spin mutexes */
	double		 fw_predicted;
	double		 fw_band[2];	/* 10 and 90 % of drawn profiles */
};

struct forwarding {
	const struct options *fwd_op;
	const char	*fwd_design;
	unsigned	 fwd_draws, fwd_count;
	struct forwarding_row fwd_row[FORWARDING_ROWS_MAX];
};

/* Reads a file.  Returns: an exit status, after a message. */
int forwarding_open(struct forwarding *fo, const struct options *op,
    const char *path);

/* Returns: an exit status, after a message. */
int forwarding_predict(struct forwarding *fo);

reproduce_printer forwarding_print, forwarding_print_csv, forwarding_print_json;
