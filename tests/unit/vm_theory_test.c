/*
 * The virtual machine against queueing theory.
 *
 * All runs have a fixed seed, so a test fails always or never.
 */
#include <math.h>

#include "tests/unit/test.h"
#include "tests/unit/vm_section.h"

/* Exact mean-value analysis of the machine repairman: acquisitions a ns. */
static double
repairman(unsigned n, double think, double hold)
{
	double queue = 0, response, x = 0;

	for (unsigned i = 1; i <= n; i++) {
		response = hold * (1 + queue);
		x = i / (think + response);
		queue = x * response;
	}
	return (x);
}

/*
 * The Markov chain of S. Boyd-Wickizer et al., "Non-scalable locks are
 * dangerous", OLS 2012: with k at the lock one leaves after s + c k / 2.
 */
static double
chain(unsigned n, double a, double s, double c)
{
	double p = 1, service, sum = 1, x = 0;

	for (unsigned k = 1; k <= n; k++) {
		service = s + c * k / 2;
		p *= (n - k + 1) / a * service;
		sum += p;
		x += p / service;
	}
	return (x / sum);
}

/* The number of threads from which one more costs most. */
static unsigned
knee_of(unsigned most, double a, double s, double c)
{
	double loss, worst = 0;
	unsigned knee = 0;

	for (unsigned n = 1; n < most; n++) {
		loss = chain(n, a, s, c) - chain(n + 1, a, s, c);
		if (loss > worst) {
			worst = loss;
			knee = n;
		}
	}
	return (knee);
}

/* Runs a section for about so many acquisitions, at per_ns of them. */
static double
measure(struct critical_section *se, const struct machine_config *mc,
    double per_ns, double acquisitions)
{
	se->se_exponential = true;
	se->se_time_s = acquisitions / per_ns / 1e9;
	se->se_warmup_s = se->se_time_s / 10;
	return (vm_section_rate(se, mc) / 1e9);
}

static void
check_near(const char *what, unsigned n, double is, double should,
    double tolerance)
{
	ATF_CHECK_MSG(fabs(is / should - 1) <= tolerance, "%s, %u threads: %g "
	    "acquisitions/us and not %g, %+.2f %%", what, n, is * 1e3,
	    should * 1e3, 100 * (is / should - 1));
}

static const unsigned repairmen[] = { 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48,
    64 };

static void
check_repairman(const char *lock, unsigned most, double think, double hold)
{
	struct machine_config mc;
	struct critical_section se;
	double should;
	unsigned i, n;

	for (i = 0; i < nitems(repairmen) && repairmen[i] <= most; i++) {
		n = repairmen[i];
		vm_section_machine(&mc, n, 1);
		vm_section_make(&se, lock, n, think, hold);
		should = repairman(n, think, hold);
		check_near(lock, n, measure(&se, &mc, should, 100000), should,
		    0.01);
	}
}

TEST(repairman__fifo, "Queues with exponential think and hold times yield what "
    "mean-value analysis says")
{
	check_repairman("ticket", 64, 2000, 100);
	check_repairman("mcs", 64, 500, 250);
	check_repairman("clh", 64, 20000, 400);
}

/*
 * Holds are drawn anew for each owner: as long as a thread
 * gets a free lock that is awaited, order changes waits but not throughput.
 */
TEST(repairman__any_order, "So do locks that serve in another order, when "
    "handing over costs nothing")
{
	/* Each release resumes all, so that few threads must do. */
	check_repairman("tas", 16, 900, 100);
	check_repairman("futex", 64, 2000, 100);
}

/*
 * A waiter that backs off finds a free lock late, by half its delay if it is
 * alone and less if others poll too: with delays of at most gap the lock does
 * no better than with holds as they are, no worse than with holds longer by
 * that.
 */
TEST(repairman__backoff, "mtx is between the repairmen with and without a "
    "delay added to each hold")
{
	const double gap = 256, hold = 5000, think = 20000;
	double best, is, worst;
	struct machine_config mc;
	struct critical_section se;

	for (unsigned n = 1; n <= 8; n *= 2) {
		vm_section_machine(&mc, n, 1);
		vm_section_make(&se, "mtx", n, think, hold);
		se.se_lock_config.delay_base = (unsigned)gap / 2;
		se.se_lock_config.delay_max = (unsigned)gap;
		best = repairman(n, think, hold);
		worst = repairman(n, think, hold + gap);
		is = measure(&se, &mc, best, 40000);
		ATF_CHECK_MSG(is < best * 1.01 && is > worst * 0.99,
		    "%u threads: %g acquisitions/us, not %g to %g", n,
		    is * 1e3, worst * 1e3, best * 1e3);
	}
}

/*
 * The chain counts the owner among the k, the machine only the waiters:
 * c / 2 less, against c k / 2 and more.  But a thread that draws during the
 * release takes the line, and the owner has to read it again.  Near the
 * knee both are bistable, and the chain lets the service that has begun change
 * with each arrival, which the machine does not.
 */
TEST(ticket_chain, "A ticket lock collapses as Boyd-Wickizer's Markov chain "
    "does")
{
	static const struct {
		double a, s, c;
	} cases[] = { { 5000, 100, 20 }, { 3000, 50, 10 },
	    { 10000, 400, 20 } };
	static const unsigned threads[] = { 1, 2, 4, 8, 12, 16, 20, 48, 52,
	    56, 60, 64 };
	struct machine_config mc;
	struct critical_section se;
	unsigned i, k, knee, n, used;
	double should;

	for (i = 0; i < nitems(cases); i++) {
		knee = knee_of(128, cases[i].a, cases[i].s, cases[i].c);
		used = 0;
		for (k = 0; k < nitems(threads); k++) {
			n = threads[k];
			if (fabs((double)n - knee) <= 0.25 * knee)
				continue;
			vm_section_machine(&mc, n, 1);
			mc.mc_costs.vc_service_ps[VM_CCX] =
			    (uint64_t)cases[i].c * PS_PER_NS;
			vm_section_make(&se, "ticket", n, cases[i].a,
			    cases[i].s);
			should = chain(n, cases[i].a, cases[i].s, cases[i].c);
			check_near("ticket", n, measure(&se, &mc, should,
			    100000), should, 0.01);
			used |= n < knee ? 1 : 2;
		}
		ATF_CHECK_EQ_MSG(used, 3, "nothing on one side of %u", knee);
	}
}

/* Constant times: N / (Z + S) until the lock is always busy, then 1 / S. */
TEST(constant__bounds, "Constant think and hold times reach the bounds exactly")
{
	static const char *const locks[] = { "ticket", "mcs", "clh", "qspin",
	    "cohort", "cna", "tas" };
	const unsigned cycles = 100, hold = 100, think = 900;
	struct critical_section_outcome so;
	struct machine_config mc;
	struct critical_section se;
	uint64_t should;
	unsigned i, n;

	for (i = 0; i < nitems(locks); i++) {
		for (n = 1; n <= 24; n++) {
			vm_section_machine(&mc, n, 1);
			vm_section_make(&se, locks[i], n, think, hold);
			se.se_warmup_s = 100 * (think + hold) / 1e9;
			se.se_time_s = cycles * (think + hold) / 1e9;
			vm_section_run(&se, &mc, &so);
			should = cycles * (n * hold <= think + hold ? n :
			    (think + hold) / hold);
			ATF_CHECK_EQ_MSG(so.so_count, should, "%s, %u threads: "
			    "%ju acquisitions and not %ju", locks[i], n,
			    (uintmax_t)so.so_count, (uintmax_t)should);
			free(so.so_thread);
		}
	}
}

TEST(section__common_writes, "A word that all threads write in each hold takes "
    "from their rate once there is a second node")
{
	struct machine_config mc;
	struct critical_section se;
	double rate, with;

	for (unsigned nodes = 1; nodes <= 2; nodes++) {
		vm_section_machine(&mc, 6 * nodes, nodes);
		mc.mc_topology.tp_ccx_cores = 6;
		mc.mc_costs.vc_lat_ps[VM_REMOTE] = 100 * PS_PER_NS;
		vm_section_make(&se, "ticket", 6 * nodes, 500, 1000);
		se.se_lines = 1;
		se.se_time_s = 0.01;
		rate = vm_section_rate(&se, &mc);
		se.se_common_writes = 2;
		with = vm_section_rate(&se, &mc) / rate;
		ATF_CHECK_MSG(nodes == 1 ? with > 0.995 : with < 0.99,
		    "%u nodes: %g of it", nodes, with);
	}
}

TEST_PROGRAM()
