# What "make stat" runs and what it takes for an accident, fixed before it runs.
# Sourced by battery.sh; sizes are bytes.

# Readers and grain: batteries see what readers share at small grains only.
readers=4
grain=64

# What is kept of each generator, and the requests it is read by.  Small ones are
# many: a fault that needs two requests to meet shows in requests, not in bytes.
stream_bytes=67108864
request_bytes=64
# Requests of more than a page, in whole blocks: duplicates only.
long_bytes=33554432
long_request_bytes=4160

# The probability that a run of "make stat" on perfect generators reports a
# deviation, all tests of all generators together.
family_alpha=0.01
# Below this a p-value is not tried again.  Between the two a test is run once
# more, on fresh bytes and so many times as much, and must pass.
surely=1e-6
again_factor=10
# The second level, over the first p-value of each test.
uniform_alpha=1e-4

# Of the boot entropy, and of the second attempt's; a generator's number in the
# table is added, as designs that promise the same bytes would give them.
seed=20190623
seed_again=20191226

# dieharder's tests: number, arguments, samples (-t), p-values.  2 is the rank of
# 32x32 matrices, 8 counts ones in a stream, 15 runs, 102 STS serial, 201 minimum
# distance (without -n it fails whatever it reads), 209 DAB monobit.
# Each with one large sample, -p 1: what dieharder makes of several p-values by
# Kolmogorov-Smirnov tends to lie too close to 1.  Of 150 answers of 102 with
# -p 20, of libcrypto's AES-CTR and four generators, 18 were above 0.99.
dieharder_tests='
2	-d 2	400000	1
8	-d 8	25600000	1
15	-d 15	10000000	2
102	-d 102	2000000	30
201	-d 201 -n 3	100000	1
209	-d 209	10000000	1
'
dieharder_request_bytes=256

# Broken streams, and which parts must notice; what else notices is printed.  Of
# the last nothing may.
controls='
broken-copied	duplicates rngtest xor dieharder
broken-rare	duplicates
broken-page	duplicates rngtest ent dieharder
broken-randu	dieharder
libcrypto	nothing
'

# "make stat-full": what dieharder -a reads and answers, and how long it took.
full_bytes=246448205824
full_p=114
full_minutes=46
