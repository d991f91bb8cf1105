# Do generators' streams deviate from random bytes?  Exact checks and
# statistical batteries: "make stat", and dieharder -a: "make stat-full".
#
# usage: sh tests/streams/stat.sh BUILDDIR
#        sh tests/streams/stat.sh BUILDDIR full [DESIGN/CIPHER...]
#
# Only a test's p-value is judged, never an exit status.  BUILDDIR/stat keeps
# everything; every p-value is in log.
set -e

# The plan, fixed before it runs; a file PLAN can replace parts of it.
readers=4
grain=64		# bytes: small, so that batteries see shared state
stream_bytes=67108864
request_bytes=64	# small: some faults need many requests
long_bytes=33554432	# duplicates only, requests of more than a page
long_request_bytes=4160
# Probability of a deviation in a run on perfect generators, all tests together.
family_alpha=0.01
# A p-value between this and the threshold is tried once more, on fresh bytes,
# again_factor times as many, and must pass.
surely=1e-6
again_factor=10
uniform_alpha=1e-4	# of the second level, over each test's first p-value
seed=20190623		# of the boot entropy; a generator's number is added
seed_again=20191226
# dieharder: number, arguments, samples, p-values.  Rank of 32x32 matrices, ones
# in a stream, runs, STS serial, minimum distance, DAB monobit.  Each with one
# large sample: p-values that dieharder combines tend to lie too close to 1.
dieharder_tests='2|-d 2|400000|1
8|-d 8|25600000|1
15|-d 15|10000000|2
102|-d 102|2000000|30
201|-d 201 -n 3|100000|1
209|-d 209|10000000|1'
# Broken streams and the parts that must find them; in libcrypto's none may.
controls='broken/copied|duplicates rngtest xor dieharder
broken/rare|duplicates
broken/page|duplicates rngtest ent dieharder
broken/randu|dieharder
libcrypto/aes|nothing'
full_bytes=246448205824	# that dieharder -a reads
full_p=114		# its p-values
full_minutes=46
parts="duplicates rngtest ent xor dieharder"

build=$1
what=$2
[ -z "$PLAN" ] || . "$PLAN"
rngsim=$build/rngsim
tool=$build/rngsim-battery
all=$build/stat
log=$all/log

for t in rngtest ent dieharder openssl; do
	command -v $t >/dev/null || {
		echo "stat: $t is not installed; try \"make stat\"" >&2; exit 1; }
done
rm -rf "$all"
mkdir -p "$all"

names() { "$rngsim" list "$1" | sed -n 's/^  \([a-z0-9_-]*\) .*/\1/p'; }
number() { echo $#; }

generators=$(for d in $(names designs | grep -vx none); do
	for c in $(names ciphers); do echo "$d/$c"; done; done)

# stream BYTES SEED [REQUEST]: of $name; BYTES 0 is endless.
stream() {
	case $name in
	libcrypto/*)
		openssl enc -aes-256-ctr -in /dev/zero -iv 0 -K \
		    "$(printf '%064x' "$2")" 2>/dev/null |
		    if [ "$1" = 0 ]; then cat; else head -c "$1"; fi;;
	broken/*)
		"$tool" broken "${name#*/}" "$1";;
	*)
		"$rngsim" cat -d "${name%/*}" -c "${name#*/}" -r $readers \
		    --interleave $grain -s "${3:-$request_bytes}" -n "$1" \
		    --seed "$2";;
	esac 2>>"$dir/errors"
}

# dieharder's output as "TEST NTUPLE P".
p_values() {
	sed -n 's/^ *\([a-z0-9_]*\) *| *\([0-9]*\) *| *\([01]\.[0-9]*\).*/\1 \2 \3/p'
}

if [ "$what" = full ]; then
	shift 2
	[ $# != 0 ] || set -- $generators
	threshold=$("$tool" sidak "$family_alpha" $(($# * full_p)))
	cat <<-END
	stat-full: dieharder -a for $# generators: $*
	  each reads $full_bytes bytes; with 2 CPUs that took $full_minutes minutes,
	  all of them about $(($# * full_minutes / 60 + 1)) hours
	  family error $family_alpha over $(($# * full_p)) p-values: below $threshold is a deviation;
	  run a test between that and $surely again by hand, with -p $again_factor and another --seed
	END
	own=0
	status=0
	for name; do
		own=$((own + 1))
		dir=$all/$(echo "$name" | tr / -)
		mkdir -p "$dir"
		stream 0 $((seed + own)) 256 | dieharder -g 200 -a \
		    -D test_name -D ntuple -D pvalues >"$dir/out" 2>&1 || :
		p_values <"$dir/out" | sort -g -k 3 >"$dir/values"
		low=$(awk -v t="$threshold" '$3 + 0 < t + 0' "$dir/values")
		got=$(wc -l <"$dir/values")
		echo "$name: $got p-values, smallest $(head -n 1 "$dir/values")"
		[ "$got" = "$full_p" ] || {
			echo "  expected $full_p p-values: see $dir/out"
			status=1
		}
		[ -z "$low" ] || {
			echo "$low" | sed 's/^/  DEVIATION: /'
			status=1
		}
	done
	[ $status != 0 ] || echo "no deviation found with dieharder -a at" \
	    "family error $family_alpha"
	exit $status
fi

pairs=$(awk -v n=$readers 'BEGIN { for (i = 0; i < n; i++)
    for (j = i + 1; j < n; j++) print i "," j }')
p_each=$((2 + $(number $pairs) +
    $(echo "$dieharder_tests" | awk -F'|' '{ n += $4 } END { print n + 0 }')))
p_all=$((p_each * $(number $generators)))
threshold=$("$tool" sidak "$family_alpha" $p_all)

# bytes FACTOR: the kept stream, or so many times as much of a fresh one.
bytes() {
	if [ "$1" = 1 ]; then cat "$dir/stream"
	else stream $((stream_bytes * $1)) $((seed_again + own)); fi
}

# answer FACTOR TEST P WORDS...
answer() {
	echo "$name x$*" >>"$dir/log"
	echo "$2 $3" >>"$dir/answers"
}

# The parts: each answers with two-sided p-values.
part_rngtest() {
	bytes "$1" | rngtest >"$dir/out" 2>&1 || :
	good=$(sed -n 's/.*FIPS 140-2 successes: //p' "$dir/out")
	fail=$(sed -n 's/.*FIPS 140-2 failures: //p' "$dir/out")
	answer "$1" rngtest "$("$tool" binomial $((good + fail)) "$fail")" \
	    "$fail of $((good + fail)) blocks fail"
}

# chi_square FACTOR TEST <bytes
chi_square() {
	chi=$(ent -t | awk -F, '$1 == 1 { print $4 }')
	answer "$1" "$2" "$("$tool" chisq 255 "$chi")" "chi-square $chi"
}

part_ent() { bytes "$1" | chi_square "$1" ent; }

part_xor() {
	for pair in $pairs; do
		bytes "$1" | "$tool" xor $readers $grain ${pair%,*} \
		    ${pair#*,} | chi_square "$1" "xor-$pair"
	done
}

part_dieharder() {
	echo "$dieharder_tests" | while IFS='|' read -r d args samples want; do
		[ -n "$d" ] || continue
		stream 0 $(($([ "$1" = 1 ] && echo $seed || echo $seed_again) +
		    own)) 256 | dieharder -g 200 $args -p 1 \
		    -t $((samples * $1)) -D test_name -D ntuple -D pvalues \
		    >"$dir/out" 2>&1 || :
		p_values <"$dir/out" >"$dir/values"
		got=$(wc -l <"$dir/values")
		[ "$got" -eq "$want" ] || answer "$1" "dieharder-$d" 0 \
		    "$got p-values, not $want: $(tail -n 1 "$dir/out")"
		i=0
		while read -r test ntuple p; do
			i=$((i + 1))
			answer "$1" "dieharder-$d-$i" "$(echo "$p" | awk '{
			    printf "%.6g", 2 * ($1 > 0.5 ? 1 - $1 : $1) }')" \
			    "$test $ntuple p $p"
		done <"$dir/values"
	done
}

# Exact: status 1 when a block of the stream on stdin comes twice.
duplicates() {
	"$tool" duplicates $readers $grain >"$dir/out"
	status=$?
	echo "$name x1 duplicates $(cat "$dir/out")" >>"$dir/log"
	return $status
}

# below LIMIT: the tests of the last part with a smaller p-value.
below() { awk -v limit="$1" '$2 + 0 < limit + 0 { print $1 }' "$dir/answers"; }

# finds PART FACTOR: whether it finds anything.
finds() {
	: >"$dir/answers"
	"part_$1" "$2"
	[ -n "$(below "$threshold")" ]
}

# passes PART: nothing is found, at most at the second attempt.
passes() {
	if ! finds $1 1; then found=no; else found=yes; fi
	cat "$dir/answers" >>"$dir/first"
	smallest=$(awk '{ print $2 }' "$dir/answers" | sort -g | head -n 1)
	[ $found = yes ] || return 0
	[ -z "$(below "$surely")" ] || return 1
	echo "    $1: p $smallest: tried on $again_factor times as much" \
	    >>"$dir/again"
	below "$threshold" >"$dir/doubted"
	finds $1 $again_factor || return 0
	below "$threshold" >"$dir/again_below"
	! grep -Fqxf "$dir/doubted" "$dir/again_below"
}

# One row of the generators' table; the parts that deviate, into bad.
examine() {
	: >"$dir/again"
	twice=none
	duplicates <"$dir/stream" || twice=FOUND
	stream $long_bytes $((seed + own)) $long_request_bytes | duplicates ||
	    twice=FOUND
	[ $twice = none ] || echo duplicates >>"$dir/bad"
	printf '  %-20s %-10s' "$name" $twice >"$dir/row"
	for part in ${parts#duplicates }; do
		passes $part || echo $part >>"$dir/bad"
		printf ' %-10s' "$smallest" >>"$dir/row"
	done
	{ echo; cat "$dir/again"; } >>"$dir/row"
}

# control PARTS: one row of the controls' table; what is wrong, into bad.
control() {
	printf '  %-20s' "$name" >"$dir/row"
	for part in $parts; do
		caught=no
		if [ $part = duplicates ]; then
			duplicates <"$dir/stream" || caught=yes
		elif finds $part 1; then
			caught=yes
		fi
		case " $1 " in
		*" $part "*) want=yes;;
		*" nothing "*) want=no;;
		*) want=$caught;;
		esac
		[ $caught = $want ] || echo $part >>"$dir/bad"
		printf ' %-10s' $caught >>"$dir/row"
	done
	echo >>"$dir/row"
}

# each FUNCTION <lines "NAME|ARGUMENT": as many at a time as there are CPUs.
each() {
	cpus=$(getconf _NPROCESSORS_ONLN)
	own=0
	cat >"$all/plan"
	printf '  %-20s' ''
	printf ' %-10s' $parts
	echo
	while IFS='|' read -r name argument; do
		own=$((own + 1))
		dir=$all/$(echo "$name" | tr / -)
		mkdir -p "$dir"
		(
			stream $stream_bytes $((seed + own)) >"$dir/stream"
			: >"$dir/bad"
			"$1" "$argument" </dev/null && touch "$dir/done"
			# A stream that failed can end without duplicates.
			[ ! -s "$dir/errors" ] || echo "stream:" \
			    "$(head -n 1 "$dir/errors")" >>"$dir/bad"
			rm -f "$dir/stream"
		) &
		[ $((own % cpus)) != 0 ] || wait
	done <"$all/plan"
	wait
	while IFS='|' read -r name argument; do
		dir=$all/$(echo "$name" | tr / -)
		[ -e "$dir/done" ] || {
			echo "stat: $name did not finish; see $dir" >&2
			exit 1
		}
		cat "$dir/log" >>"$log"
		cat "$dir/row"
		[ ! -s "$dir/bad" ] || echo "$name ($(paste -s -d' ' \
		    "$dir/bad"))" >>"$all/$1.bad"
	done <"$all/plan"
}

# Background jobs ignore the terminal's interrupt: the shell passes it on.
trap 'trap "" TERM; kill -TERM 0; exit 130' INT

cat <<END
stat: $(number $generators) generators, $readers readers interleaved by $grain bytes
  family error $family_alpha over $p_all p-values, $p_each of each: below $threshold is a deviation
  duplicates are searched in $stream_bytes bytes, $((stream_bytes / request_bytes)) requests,
    and in $long_bytes bytes, $((long_bytes / long_request_bytes)) requests

controls: which parts find streams broken on purpose, and libcrypto's AES-CTR
END
echo "$controls" | each control
echo
echo "generators: duplicate blocks; the smallest p-value of each part"
echo "$generators" | each examine

# The second level: one p-value of each independent test.  rngtest's takes too
# few values.
while IFS='|' read -r name argument; do
	grep -E '^(ent|xor-[0-9,]*|dieharder-[0-9]*-1) ' \
	    "$all/$(echo "$name" | tr / -)/first"
done <"$all/plan" | awk '{ print $2 }' >"$all/second"
p=$("$tool" uniform <"$all/second")
echo "  all $(wc -l <"$all/second") p-values of independent tests: uneven with p $p"
echo "second level: p $p" >>"$log"
! awk -v p="$p" -v a="$uniform_alpha" 'BEGIN { exit !(p + 0 < a + 0) }' ||
    echo "second level" >>"$all/examine.bad"

status=0
echo
if [ -s "$all/examine.bad" ]; then
	echo "DEVIATION: $(paste -s -d, "$all/examine.bad" | sed 's/,/, /g')"
	status=1
else
	echo "no deviation found with battery \"$parts\" at family error $family_alpha"
fi
if [ -s "$all/control.bad" ]; then
	echo "CONTROLS failed, so the result is not valid:" \
	    "$(paste -s -d, "$all/control.bad" | sed 's/,/, /g')"
	status=1
fi
echo "all p-values are in $log"
exit $status
