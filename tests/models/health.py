"""Cut-offs of SP 800-90B's health tests, and how often they fail a good source.

Exact integer arithmetic throughout; logarithms only to print.

    health.py cutoffs    BITS RCT APT, a line for each min-entropy
    health.py alarms     what rngsim.7 states, a line for each case
"""
import sys
from fractions import Fraction
from math import comb, log2

ERROR_LOG2 = 34
WINDOW = 512
ENTROPY_MAX = 64
YEAR_S = 365.25 * 86400


def rct_limit(bits):
    """1 + ceil(-log2(alpha) / H), section 4.4.1."""
    return 1 + -(-ERROR_LOG2 // bits)


def ways(bits, k):
    """P(k of the window's other samples are the first) * 2^(bits * 511)."""
    n = WINDOW - 1
    return comb(n, k) * (2 ** bits - 1) ** (n - k)


def critical(bits):
    """The smallest k with P(X <= k) >= 1 - alpha, X of 511 trials."""
    left = total = 2 ** (bits * (WINDOW - 1))
    for k in range(WINDOW):
        left -= ways(bits, k)
        if left << ERROR_LOG2 <= total:
            return k
    raise AssertionError


def apt_cutoff(bits):
    """1 + the critical value, section 4.4.2; the first sample counts too."""
    return 1 + critical(bits)


def rct_alarm(bits):
    """A bound on P(failure) per sample: the sample and those before it."""
    return Fraction(1, 2 ** (bits * (rct_limit(bits) - 1)))


def apt_alarm(bits):
    """P(failure) per window; a cut-off of 1 is met by the first repetition."""
    fail = max(apt_cutoff(bits), 2) - 1
    return Fraction(sum(ways(bits, k) for k in range(fail, WINDOW)),
                    2 ** (bits * (WINDOW - 1)))


def alarm(bits):
    """A bound on P(either fails) per sample."""
    return rct_alarm(bits) + apt_alarm(bits) / WINDOW


def years(bits, per_s):
    """Mean time between false alarms, at least."""
    return float(1 / alarm(bits)) / per_s / YEAR_S


def two_digits(v):
    return "%.2g" % v if v < 100 else "%d" % float("%.2g" % v)


# Who, bits of min-entropy, samples per second.
RATES = (
    ("any environmental source", 1, 10),
    ("interrupt, as it is", 1, 1000),
    ("RDRAND, model newest", 8, 40),
    ("RDRAND, model 2019, no reader", 8, 320),
    ("RDRAND, model 2019, busy readers", 8, 2560),
)


def main(what):
    if what == "cutoffs":
        for bits in range(1, ENTROPY_MAX + 1):
            print(bits, rct_limit(bits), apt_cutoff(bits))
    elif what == "alarms":
        for bits in (1, 8):
            print("H=%d: 2^%.2f per sample, 2^%.2f per window" % (
                bits, log2(rct_alarm(bits)), log2(apt_alarm(bits))))
        for who, bits, per_s in RATES:
            print("%s: %d/s, %s years" % (who, per_s,
                                          two_digits(years(bits, per_s))))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
