# Runs fuzz targets with libFuzzer, one after the other, and prints how each ended.
# "make fuzz"; run.sh BUILDDIR SECONDS PROGRAM...
#
# The corpus grows in BUILDDIR/found/TARGET for the next time; an input that ended
# a target is kept in BUILDDIR/crashed.
build=$1 seconds=$2
shift 2
status=0
mkdir -p "$build/crashed"
table=$build/fuzz.txt
printf '%-12s %9s %12s %9s %7s  %s\n' target seconds inputs covered 'MB' end \
    >"$table"
for program; do
	t=${program##*/}
	mkdir -p "$build/found/$t"
	log=$build/found/$t.log
	"$program" -max_total_time="$seconds" -timeout=10 \
	    -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
	    -artifact_prefix="$build/crashed/$t-" "$build/found/$t" \
	    "tests/fuzz/corpus/$t" >"$log" 2>&1 &&
		end=passed || { end="crashed: see $log"; status=1; }
	took=$(sed -n 's/^Done [0-9]* runs in \([0-9]*\) .*/\1/p' "$log")
	number() { sed -n "s/^stat::$1: *//p" "$log"; }
	covered=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
	printf '%-12s %9s %12s %9s %7s  %s\n' "$t" "${took:-?}" \
	    "$(number number_of_executed_units)" "$covered" \
	    "$(number peak_rss_mb)" "$end" >>"$table"
	tail -n 1 "$table"
done
echo
cat "$table"
exit $status
