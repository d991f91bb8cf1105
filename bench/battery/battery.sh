# Whether what designs generate deviates from random bytes, as far as exact
# checks and statistical batteries can tell: "make stat".
#
# usage: sh bench/battery/battery.sh BUILDDIR
#
# plan.sh has what is run.  Only a test's answer is judged, never its exit
# status.  Everything is kept in BUILDDIR/stat, every answer in log.
set -e

build=$1
. "$(dirname "$0")/plan.sh"
rngsim=$build/rngsim
tool=$build/rngsim-battery
all=$build/stat
log=$all/log
parts="duplicates rngtest ent xor dieharder"

for t in rngtest ent dieharder openssl; do
	command -v $t >/dev/null || {
		echo "stat: $t is not installed; try \"make stat\"" >&2; exit 1; }
done
rm -rf "$all"
mkdir -p "$all"

names() { "$rngsim" list "$1" | sed -n 's/^  \([a-z0-9_-]*\) .*/\1/p'; }
number() { echo $#; }

designs=$(names designs | grep -vx none)
ciphers=$(names ciphers)
generators=$(for d in $designs; do for c in $ciphers; do
	echo "$d/$c"; done; done)
pairs=$(awk -v n=$readers 'BEGIN { for (i = 0; i < n; i++)
    for (j = i + 1; j < n; j++) print i "," j }')

# One of rngtest, one of ent, one for each pair, dieharder's.
p_each=$((2 + $(number $pairs) +
    $(echo "$dieharder_tests" | awk -F'\t' '{ n += $4 } END { print n }')))
p_all=$((p_each * $(number $generators)))
threshold=$("$tool" sidak "$family_alpha" "$p_all")

# What one stream is examined with; a subshell of its own sets them.
name=	# broken-NAME, libcrypto, or DESIGN/CIPHER
dir=	# its files
own=	# added to the plan's seeds

# stream BYTES SEED [REQUEST]: BYTES 0 is no end.
stream() {
	case $name in
	libcrypto)
		openssl enc -aes-256-ctr -in /dev/zero -iv 0 -K \
		    "$(printf '%064x' "$2")" 2>/dev/null |
		    if [ "$1" = 0 ]; then cat; else head -c "$1"; fi;;
	broken-*)
		"$tool" broken "${name#broken-}" "$1";;
	*)
		"$rngsim" cat -d "${name%/*}" -c "${name#*/}" -r $readers \
		    --interleave $grain -s "${3:-$request_bytes}" -n "$1" \
		    --seed "$2";;
	esac 2>>"$dir/errors"
}

seed_of() {
	[ "$1" = 1 ] && echo $((seed + own)) || echo $((seed_again + own))
}

# bytes FACTOR: what is kept of the stream, or so many times as much afresh.
bytes() {
	if [ "$1" = 1 ]; then cat "$dir/stream"
	else stream $((stream_bytes * $1)) "$(seed_of "$1")"; fi
}

# answer FACTOR TEST P WORDS...
answer() {
	echo "$name x$*" >>"$dir/log"
	echo "$2 $3" >>"$dir/answers"
}

# The parts.  Each answers with one p-value or more, two-sided; they say which
# test, as one that is run again must be found.
part_rngtest() {
	bytes "$1" | rngtest >"$dir/out" 2>&1 || :
	good=$(sed -n 's/.*FIPS 140-2 successes: //p' "$dir/out")
	fail=$(sed -n 's/.*FIPS 140-2 failures: //p' "$dir/out")
	blocks=$((good + fail))
	band=$("$tool" band "$blocks" "$threshold")
	answer "$1" rngtest "$("$tool" binomial "$blocks" "$fail")" \
	    "$fail of $blocks blocks fail, ${band% *} to ${band#* } would do"
	[ "$1" != 1 ] || echo "$fail (${band% *}..${band#* })" >"$dir/rngtest"
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

# How many p-values there are is part of the plan.
part_dieharder() {
	echo "$dieharder_tests" | while IFS='	' read -r d args samples want; do
		[ -n "$d" ] || continue
		stream 0 "$(seed_of "$1")" $dieharder_request_bytes |
		    "$tool" count "$dir/count" |
		    dieharder -g 200 $args -p 1 -t $((samples * $1)) \
		    -D test_name -D ntuple -D pvalues >"$dir/out" 2>&1 || :
		cat "$dir/count" >>"$dir/eaten"
		sed -n 's/^ *\([a-z0-9_]*\) *| *\([0-9]*\) *| *\([01]\.[0-9]*\).*/\1 \2 \3/p' \
		    "$dir/out" >"$dir/values"
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

# Exact: status 1 if a block comes twice.
duplicates() {
	"$tool" duplicates $readers $grain >"$dir/out"
	twice=$?
	echo "$name x1 duplicates $(cat "$dir/out")" >>"$dir/log"
	return $twice
}

# deviates FILE LIMIT: the tests whose p-value is below.
deviates() {
	awk -v limit="$2" '$2 + 0 < limit + 0 { print $1 }' "$1"
}

smallest() { awk '{ print $2 }' "$dir/answers" | sort -g | head -n 1; }

# Whether a part finds nothing, at most at the second attempt.
passes() {
	: >"$dir/answers"
	"part_$1" 1
	cat "$dir/answers" >>"$dir/first"
	smallest >"$dir/smallest"
	[ -n "$(deviates "$dir/answers" "$threshold")" ] || return 0
	[ -z "$(deviates "$dir/answers" "$surely")" ] || return 1
	echo "$name: $1: p $(smallest) on $again_factor times as much is tried" \
	    >>"$dir/again"
	deviates "$dir/answers" "$threshold" >"$dir/doubted"
	: >"$dir/answers"
	"part_$1" $again_factor
	deviates "$dir/answers" "$threshold" >"$dir/out"
	! grep -Fqxf "$dir/doubted" "$dir/out"
}

# One row of the generators' table; which parts deviate, into bad.
examine() {
	stream $stream_bytes $((seed + own)) >"$dir/stream"
	: >"$dir/bad"
	found=0
	duplicates <"$dir/stream" || found=1
	stream $long_bytes $((seed + own)) $long_request_bytes | duplicates ||
	    found=1
	[ $found = 0 ] || echo duplicates >>"$dir/bad"
	row=$([ $found = 0 ] && echo none || echo FOUND)
	for part in ${parts#duplicates }; do
		passes $part || echo $part >>"$dir/bad"
		cell=$(cat "$dir/smallest")
		[ $part != rngtest ] || cell=$(cat "$dir/rngtest")
		row="$row|$cell"
	done
	echo "$name|$row" | awk -F'|' '{ printf "  %-20s %-10s %-14s %-10s %-10s %s\n",
	    $1, $2, $3, $4, $5, $6 }' >"$dir/row"
}

# A stream that failed and ended early would pass what looks for duplicates.
unbroken() {
	[ ! -s "$dir/errors" ] || echo "stream: $(head -n 1 "$dir/errors")" \
	    >>"$dir/bad"
}

# control NAME PARTS: one row of the controls' table; what is not as it must be,
# into bad.
control() {
	stream $stream_bytes $seed >"$dir/stream"
	: >"$dir/bad"
	row=$(printf '  %-12s' "${name#broken-}")
	for part in $parts; do
		: >"$dir/answers"
		caught=no
		if [ $part = duplicates ]; then
			duplicates <"$dir/stream" || caught=yes
		else
			"part_$part" 1
			[ -z "$(deviates "$dir/answers" "$threshold")" ] ||
			    caught=yes
		fi
		case " $1 " in
		*" $part "*) want=yes;;
		*" nothing "*) want=no;;
		*) want=any;;
		esac
		case $want:$caught in
		yes:no|no:yes) echo "$part" >>"$dir/bad"
			word="$caught!";;
		*:yes) word=caught;;
		no:no) word=-;;
		*) word="no power";;
		esac
		row="$row $(printf '%-10s' "$word")"
	done
	echo "$row" >"$dir/row"
}

# each FUNCTION <lines "NAME [ARGUMENT]": for all of them, as many at a time as
# there are CPUs, and their rows in order.
each() {
	cpus=$(getconf _NPROCESSORS_ONLN)
	i=0
	: >"$all/names"
	while IFS='	' read -r line argument; do
		[ -n "$line" ] || continue
		i=$((i + 1))
		(
			name=$line
			own=$i
			dir=$all/$(echo "$line" | tr / -)
			mkdir -p "$dir"
			"$1" "$argument" </dev/null
			unbroken
			rm -f "$dir/stream"
		) &
		echo "$line" | tr / - >>"$all/names"
		[ $((i % cpus)) != 0 ] || wait
	done
	wait
	while read -r line; do
		dir=$all/$line
		[ -s "$dir/row" ] || {
			echo "stat: $line did not finish; see $dir" >&2
			exit 1
		}
		cat "$dir/log" >>"$log"
		cat "$dir/row"
		[ ! -s "$dir/again" ] || sed 's/^/    /' "$dir/again"
		[ ! -s "$dir/bad" ] ||
		    echo "$line ($(tr '\n' ' ' <"$dir/bad" | sed 's/ $//'))" \
			>>"$all/$1.bad"
	done <"$all/names"
}

# What runs beside the shell does not hear of the terminal's interrupt: the shell
# passes it on, or batteries would go on for minutes.
trap 'trap "" TERM; kill -TERM 0; exit 130' INT

began=$(date +%s)
cat <<END
stat: $(number $designs) designs with $(number $ciphers) ciphers, $readers readers interleaved by $grain bytes
  family error $family_alpha over $p_all p-values, $p_each of each: below $threshold is a deviation
  blocks that come twice are sought in $stream_bytes bytes, $((stream_bytes / request_bytes)) requests,
    and in $long_bytes bytes, $((long_bytes / long_request_bytes)) requests

controls: what is noticed of streams broken on purpose, and of libcrypto's AES-CTR
END
printf '  %-12s' ''
printf ' %-10s' $parts
echo
echo "$controls" >"$all/plan"
each control <"$all/plan"

cat <<END

generators: blocks that come twice, blocks that rngtest fails, smallest p-values
END
printf '  %-20s %-10s %-14s %-10s %-10s %s\n' '' $parts
echo "$generators" >"$all/plan"
each examine <"$all/plan"

# The second level: one p-value of each test, as those of one test may depend on
# each other.  rngtest's takes too few values.
while read -r line; do
	grep -E '^(ent|xor-[0-9,]*|dieharder-[0-9]*-1) ' "$all/$line/first"
done <"$all/names" | awk '{ print $2 }' >"$all/second"
p=$("$tool" uniform <"$all/second")
echo "  all $(wc -l <"$all/second") p-values of independent tests: uneven with p $p"
echo "second level: p $p" >>"$log"
! awk -v p="$p" -v a="$uniform_alpha" 'BEGIN { exit !(p + 0 < a + 0) }' ||
    echo "second level" >>"$all/examine.bad"

total=$(while read -r line; do cat "$all/$line/eaten"; done <"$all/names" |
    awk -v kept=$(((stream_bytes + long_bytes) * $(number $generators))) \
    '{ n += $1 } END { printf "%.3g GB", (n + kept) / 1e9 }')
status=0
echo
if [ -s "$all/examine.bad" ]; then
	echo "DEVIATION: $(paste -s -d, "$all/examine.bad" | sed 's/,/, /g')"
	status=1
else
	echo "no deviation found in $total with battery \"$parts\" at family error $family_alpha"
fi
if [ -s "$all/control.bad" ]; then
	echo "CONTROLS are not as they must be, so that says nothing:" \
	    "$(paste -s -d, "$all/control.bad" | sed 's/,/, /g')"
	status=1
fi
echo "$(($(date +%s) - began)) s; all answers are in $log"
exit $status
