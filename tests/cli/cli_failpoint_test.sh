# run --failpoint: every point that there is has an expectation here and is hit.

machine="--engine virtual --profile epyc-9654-2s --cpus 2"

# faulted ARGUMENT...: runs a small cell of a simulated machine; for how long,
# by which seed and with how many readers may be said in front.
seconds=0.4 seed=7 readers=2
faulted() {
	saves out run $machine -r $readers -t $seconds --seed $seed \
	    -S rngsim.seed_timeout_ms=300 "$@"
	conserved
}

# is WORDS CONDITION: the number in the line that WORDS begin is so; awk(1)'s.
is() {
	value=$(sed -n "s/^ *$1  *\([0-9]*\)\$/\1/p" out)
	[ -n "$value" ] || atf_fail "no line \"$1\""
	awk "BEGIN { exit !($value $2) }" || {
		cat out
		atf_fail "$1: $value, not $2"
	}
}

# executed NAME CONDITION: so often the point did something.
executed() {
	value=$(awk -v n="$1" '$1 == n { print $3 }' out)
	awk "BEGIN { exit !($value $2) }" || {
		cat out
		atf_fail "$1 executed $value times, not $2"
	}
}

number() { sed -n "s/^ *$1  *\([0-9]*\)\$/\1/p" out; }

# Every event is somewhere.
conserved() {
	in=$(number events)
	sum=$(($(number delivered) + $(number pending) + $(number dropped) +
	    $(number discarded)))
	[ "$in" = "$sum" ] || atf_fail "$in events in, $sum accounted for"
}

expect_random_fortuna_pre_read() {
	for d in $("$(program)" list designs | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
		case $d in
		none|fxrng) continue;;	# is seeded without
		esac
		# Never: it stays unseeded, and readers wait.
		faulted -d $d --failpoint "$1=return(1)"
		is "of them seeded" "== 0"
		is reseeds "== 0"
		is reads "== 0"
		is "readers left waiting" "== 2"
		executed $1 "> 0"
		# Refused so often, and then not.
		faulted -d $d --failpoint "$1=5*return(1)"
		executed $1 "== 5"
		is reseeds "> 0"
		is reads "> 0"
	done
	# Output goes on with the generation it has.
	faulted --failpoint "$1=1*off->return(1)"
	is reseeds "== 1"
	is reads "> 100"
	# Flaky: each time that it is asked it reseeds or is refused.
	seconds=5 faulted -s 1m --failpoint "$1=50%return(1)"
	asked=$(awk -v n=$1 '$1 == n { print $2 - $3 }' out)
	executed $1 "> 5"
	is reseeds "== $asked"
	is reseeds "> 5"
	# An answer of 0 is none.
	faulted --failpoint "$1=return(0)"
	executed $1 "> 0"
	is reseeds "> 1"
}

expect_random_fortuna_seeded() {
	for d in $("$(program)" list designs | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
		[ $d != none ] || continue	# has no state
		faulted -d $d --failpoint "$1=return(1)"
		is reads "== 0"
		is "readers left waiting" "== 2"
		# The state is not touched: it is seeded, whatever readers hear;
		# but for fxrng, which the first check that succeeds seeds.
		[ $d = fxrng ] || is "of them seeded" "== 1"
		# Served once they are let.
		faulted -d $d --failpoint "$1=3*return(1)"
		executed $1 "== 3"
		is reads "> 100"
		is "readers left waiting" "== 0"
	done
}

expect_fortuna_snapshot_pause() {
	faulted --failpoint "$1=3*sleep(30)"
	executed $1 "== 3"
	is reads "> 100"
	# Held to the end: no other thread reads, nothing is reseeded.
	faulted --failpoint "$1=pause"
	executed $1 "== 1"
	is reads "<= 2"
}

expect_fortuna_unlock_pause() {
	readers=1 faulted --failpoint "$1=1*pause"
	executed $1 "== 1"
	is reads "<= 1"
	# The lock is free: other threads read, and reseed.
	seconds=1 faulted --failpoint "$1=1*pause"
	is reads "> 100"
	is reseeds "> 2"
}

expect_clock_step() {
	# Once ahead by a minute: the next reseed is a minute away.
	faulted --failpoint "$1=1*off->1*return(60000)"
	executed $1 "== 1"
	is reseeds "== 2"
	# Once back: no burst makes up for it.
	seconds=1 faulted --failpoint "$1=5%return(-50)"
	executed $1 "> 0"
	is reseeds "> 1"
	is reseeds "<= 13"
	# To a standstill.
	faulted --failpoint "$1=return(-600000)"
	is reseeds "<= 1"
}

# Whose events go through the queue, all but what the loader hands over.
pushed="-S rngsim.harvest.sources=interrupt
    -S rngsim.harvest.boot_entropy_bytes=2048" loaded=256

expect_harvest_ring_full() {
	for model in 2019 newest; do
		faulted $pushed -S rngsim.harvest.model=$model \
		    --failpoint "$1=return(1)"
		is events "> 100"
		is delivered "== $loaded"
		is pending "== 0"
		faulted $pushed -S rngsim.harvest.model=$model \
		    --failpoint "$1=17*return(1)"
		is dropped "== 17"
		is delivered "> $loaded"
	done
}

expect_harvest_swap_pause() {
	# What the queue holds, and what the thread has of it; the rest is lost.
	for model in 2019:1023 newest:2048; do
		faulted $pushed -S rngsim.harvest.model=${model%:*} \
		    -S rngsim.source.interrupt.rate_hz=50000 \
		    --failpoint "$1=1*pause->off"
		executed $1 "== 1"
		is delivered "<= $((${model#*:} + loaded))"
		is dropped "> 1000"
		is reads "> 100"
	done
}

expect_healthtest_force_fail() {
	# Nothing is tested, so nothing can fail.
	faulted --failpoint "$1=return(1)"
	executed $1 "== 0"
	is discarded "== 0"
	tested="-S kern.random.nist_healthtest_enabled=1
	    -S rngsim.source.interrupt.rate_hz=50000"
	# Sources that fail are left out: if all do, nothing seeds.
	faulted $tested -S rngsim.harvest.boot_entropy_bytes=0 \
	    --failpoint "$1=return(1)"
	executed $1 "== 2"
	is delivered "== 0"
	is reads "== 0"
	is "of them seeded" "== 0"
	# One does, and the other goes on.
	faulted $tested --failpoint "$1=off"
	all=$(number delivered)
	faulted $tested --failpoint "$1=2000*off->1*return(1)"
	executed $1 "== 1"
	is reads "> 100"
	is delivered "> $loaded"
	is delivered "< $all"
}

expect_lock_owner_preempt() {
	for lock in mtx ticket mcs; do
		faulted -l $lock -s 4k --failpoint "$1=1%20*sleep(5)"
		executed $1 "== 20"
		is reads "> 100"
	done
}

test_case failpoint__every_point "each declared point is hit, and what" \
    "follows is what should"
failpoint__every_point_body() {
	"$(program)" list failpoints | sed -n 's/^  \([a-z_]*\)$/\1/p' >points
	[ "$(wc -l <points)" -ge 5 ] || atf_fail "too few points"
	while read -r point <&3; do
		type expect_$point >/dev/null 2>&1 ||
		    atf_fail "nothing is expected of $point"
		expect_$point $point
	done 3<points
}

test_case failpoint__asked_everywhere "every design's readers and locks come" \
    "by the points, on both engines"
failpoint__asked_everywhere_body() {
	for d in $("$(program)" list designs | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
	for engine in "$machine" ""; do
		saves out run $engine -d $d -r 2 -s 64 -t 0.01 \
		    -S rngsim.warmup_ms=0 \
		    --failpoint "lock_owner_preempt=1%yield" \
		    --failpoint "fortuna_snapshot_pause=1%yield" \
		    --failpoint "fortuna_unlock_pause=1%yield" \
		    --failpoint "random_fortuna_seeded=off"
		conserved
		for point in lock_owner_preempt fortuna_snapshot_pause \
		    fortuna_unlock_pause random_fortuna_seeded; do
			case $d-$point in
			none-random_*) continue;;
			esac
			awk -v n=$point '$1 == n && $2 > 0 { found = 1 }
			    END { exit !found }' out || {
				cat out
				atf_fail "$d${engine:+, simulated}: $point"
			}
		done
	done
	done
}

test_case failpoint__repeats "the seed decides all that is drawn, each point" \
    "for itself"
failpoint__repeats_body() {
	set -- --failpoint "random_fortuna_pre_read=50%return(1)" -s 1m
	seconds=2
	faulted "$@"
	grep '^random_fortuna_pre_read' out >first
	mv out all
	faulted "$@"
	cmp all out || atf_fail "not the same again"
	# Another point draws, and this one draws what it drew.
	faulted "$@" --failpoint "harvest_swap_pause=50%off"
	grep '^random_fortuna_pre_read' out | cmp - first ||
	    atf_fail "one point shifts another"
	seed=8
	faulted "$@"
	cmp -s all out && atf_fail "another seed draws the same"
	return 0
}

test_case failpoint__panics "panic ends the program, print says so, break traps"
failpoint__panics_body() {
	set -- run $machine -r 1 -t 0.01 -s 64
	atf_check -s signal:abrt -e match:"fail point clock_step panicking" \
	    "$(program)" "$@" --failpoint "clock_step=panic"
	atf_check -s signal:trap -e match:"clock_step breaking to debugger" \
	    "$(program)" "$@" --failpoint "clock_step=break"
	atf_check -o ignore -e inline:"fail point clock_step executing\n" \
	    "$(program)" "$@" --failpoint "clock_step=1*print"
}

test_case failpoint__refuses "what is no point, no specification or no result"
failpoint__refuses_body() {
	p=random_fortuna_pre_read
	complains 2 "--failpoint|\"nosuch\"|$p|harvest_ring_full" \
	    run --failpoint "nosuch=off"
	complains 2 "--failpoint|\"off\"|NAME=SPEC" run --failpoint off
	complains 2 "--failpoint|\"=off\"|NAME=SPEC" run --failpoint "=off"
	complains 2 "$p|character 1,|yield" run --failpoint "$p="
	complains 2 "$p|character 4,|fly|sleep" run --failpoint "$p=50%fly"
	complains 2 "$p|character 10,|->" run --failpoint "$p=return(1);off"
	complains 2 "$p|character 8,|a number" run --failpoint "$p=return()"
	complains 2 "$p|character 1,|a percentage, 0..100" \
	    run --failpoint "$p=100.0001%off"
	complains 2 "$p|character 1,|a count" run --failpoint "$p=0*off"
	complains 2 "$p|set twice|->" run --failpoint "$p=off" \
	    --failpoint "$p=off"
	for option in "-o x" "--format json" "--format table" \
	    "--verify $machine" "--uncertainty 10 $machine" \
	    "--trace x $machine" "--ledger-log x"; do
		complains 2 "--failpoint and ${option%% *}: expected one" \
		    run --failpoint "$p=off" $option
	done
	[ ! -e x ] || atf_fail "a file was written"
	complains 2 "--failpoint" sweep --failpoint "$p=off"
	complains 2 "--failpoint" cat --failpoint "$p=off"
}
