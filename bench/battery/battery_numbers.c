/*
 * How probable an answer is.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>

#include "bench/battery/battery.h"

enum {
	BINS		= 10,		/* of p-values */
	BLOCKS_MAX	= 1000000000
};

/*
 * The probability that rngtest(1) fails a block of 2500 random bytes: measured
 * on AES-256-CTR, 1,298 of 1,600,000 blocks, +/- 0.23e-4.  Theory gives
 * 1.035e-4 (monobit) + 0.992e-4 (poker) + 2.98e-4 (long run), and what is left
 * to the run counts.
 */
#define	BLOCK_FAILS	8.11e-4

/* Of that many failures, or of fewer; of that many, or of more. */
static double
at_most(unsigned blocks, unsigned failures)
{

	return (gsl_cdf_binomial_P(failures, BLOCK_FAILS, blocks));
}

static double
at_least(unsigned blocks, unsigned failures)
{

	return (failures == 0 ? 1 :
	    gsl_cdf_binomial_Q(failures - 1, BLOCK_FAILS, blocks));
}

/*
 * Prints "LOW HIGH": the numbers of failing blocks that are no accident have
 * probability ALPHA in all, half of it on each side.
 */
int
battery_band(int argc, char *argv[])
{
	unsigned blocks = (unsigned)battery_size(argv[0], 1, BLOCKS_MAX);
	double alpha = battery_real(argv[1], 0, 1);
	unsigned high, low = 0;

	(void)argc;
	while (low < blocks && at_most(blocks, low) < alpha / 2)
		low++;
	for (high = low; high < blocks; high++)
		if (at_least(blocks, high + 1) < alpha / 2)
			break;
	printf("%u %u\n", low, high);
	return (EXIT_SUCCESS);
}

/* Prints the two-sided probability of that many failing blocks. */
int
battery_binomial(int argc, char *argv[])
{
	unsigned blocks = (unsigned)battery_size(argv[0], 1, BLOCKS_MAX);
	unsigned failures = (unsigned)battery_size(argv[1], 0, blocks);

	(void)argc;
	printf("%.6g\n", fmin(1, 2 * fmin(at_most(blocks, failures),
	    at_least(blocks, failures))));
	return (EXIT_SUCCESS);
}

/* Prints the two-sided probability of a chi-square statistic. */
int
battery_chisq(int argc, char *argv[])
{
	double degrees = battery_real(argv[0], 1, 1e9);
	double statistic = battery_real(argv[1], 0, 1e300);

	(void)argc;
	printf("%.6g\n", 2 * fmin(gsl_cdf_chisq_P(statistic, degrees),
	    gsl_cdf_chisq_Q(statistic, degrees)));
	return (EXIT_SUCCESS);
}

/* Prints what each of NUMBER tests may err for all to err by ALPHA. */
int
battery_sidak(int argc, char *argv[])
{
	double alpha = battery_real(argv[0], 0, 1);
	double number = battery_real(argv[1], 1, 1e9);

	(void)argc;
	printf("%.6g\n", -expm1(log1p(-alpha) / number));
	return (EXIT_SUCCESS);
}

/*
 * Reads p-values and prints how probable it is that they are as uneven as they
 * are: the second level, a chi-square over bins of equal width.
 */
int
battery_uniform(int argc, char *argv[])
{
	double bins[BINS] = { 0 }, chisq = 0, count = 0, p;
	unsigned i;
	int items;

	(void)argc;
	(void)argv;
	while ((items = scanf("%lf", &p)) == 1) {
		if (!(p >= 0 && p <= 1))
			battery_die(BATTERY_USAGE, "\"%g\": expected 0..1", p);
		bins[p < 1 ? (unsigned)(p * BINS) : BINS - 1]++;
		count++;
	}
	if (items != EOF || count == 0)
		battery_die(BATTERY_USAGE, "expected p-values on stdin");
	for (i = 0; i < BINS; i++)
		chisq += (bins[i] - count / BINS) * (bins[i] - count / BINS) /
		    (count / BINS);
	printf("%.6g\n", gsl_cdf_chisq_Q(chisq, BINS - 1));
	return (EXIT_SUCCESS);
}
