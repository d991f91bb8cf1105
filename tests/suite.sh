# Runs the suite of a build.  suite.sh KIND BUILDDIR [PROGRAM[:CASE]...]
#
# KIND is plain, every (all calls fail, one at a time), coverage, asan, tsan or
# ubsan.  What a sanitizer reports is written to files, so that no test hides it,
# and any report fails the run.  tests/sanitizers/KIND.without has the cases that
# mean nothing in such a build, or take too long, each with the reason.  With
# PART=I/N in the environment each Nth case runs, from the Ith; with PART=0 none.
[ "${PART-}" != 0 ] || exit 0
kind=$1 build=$2
shift 2
source=$(pwd)
here=$source/tests/sanitizers
build=$(cd "$build" && pwd) || exit 1
cd "$build" || exit 1
rm -f report.* kyua.db without.txt

log="log_path=$build/report"
export ASAN_OPTIONS="$log:abort_on_error=1:allocator_may_return_null=1"
export LSAN_OPTIONS="$log:suppressions=$here/lsan.supp:print_suppressions=0"
export TSAN_OPTIONS="$log:suppressions=$here/tsan.supp:abort_on_error=1:halt_on_error=1"
export UBSAN_OPTIONS="$log:print_stacktrace=1:abort_on_error=1"
case $kind in
*san) export RNGSIM_SANITIZER="$kind" ;;
esac
every=false
[ "$kind" != every ] || every=true

if [ -f "$here/$kind.without" ] || [ -n "${PART-}" ]; then
	sed -n 's/^\([a-z][^ 	]*\).*/\1/p' "$here/$kind.without" 2>/dev/null |
	    sed 's/^[^:]*$/&:/; s/:$/:.*/; s/^/^/; s/$/$/' >without.txt
	# No case has a space in its name.
	set -- $(kyua --config=none --logfile=kyua.log list \
	    -k tests/Kyuafile "$@" | grep -v -f without.txt |
	    awk -v part="${PART:-1/1}" 'BEGIN { split(part, p, "/") }
		NR % p[2] == p[1] % p[2]')
	[ $# != 0 ] || exit 1
fi
jobs=$(getconf _NPROCESSORS_ONLN)
[ "$jobs" -le 4 ] || jobs=4
began=$(date +%s)
kyua --config=none --logfile=kyua.log -v parallelism="$jobs" \
    -v test_suites.rngsim.source="$source" -v test_suites.rngsim.every=$every \
    test -k tests/Kyuafile -r kyua.db "$@"
status=$?
[ $status = 0 ] || kyua --logfile=kyua.log report -r kyua.db \
    --verbose --results-filter=broken,failed | tail -n 300
echo
kyua --logfile=kyua.log report -r kyua.db --results-filter=skipped |
    grep -e ' -> ' -e '^Test cases'
for report in report.*; do
	[ -f "$report" ] || continue
	echo "$build/$report:"
	head -n 40 "$report"
	status=1
done
[ $status = 0 ] && end=passed || end=FAILED
echo "$kind: $end, $(($(date +%s) - began)) s"
exit $status
