# Runs the suite of a build with a sanitizer.  check.sh asan|tsan|ubsan BUILDDIR
# [PROGRAM[:CASE]...]
#
# What the sanitizer says is written to files, so that no test hides it, and any
# word of it fails the run.  tests/sanitizers/KIND.without has the cases that
# mean nothing in such a build, or take too long, each with the reason.
kind=$1 build=$2
shift 2
source=$(pwd)
here=$source/tests/sanitizers
build=$(cd "$build" && pwd) || exit 1
rm -f "$build"/report.* "$build/kyua.db"

log="log_path=$build/report"
export ASAN_OPTIONS="$log:abort_on_error=1:allocator_may_return_null=1"
export LSAN_OPTIONS="$log:suppressions=$here/lsan.supp:print_suppressions=0"
export TSAN_OPTIONS="$log:suppressions=$here/tsan.supp:abort_on_error=1:halt_on_error=1"
export UBSAN_OPTIONS="$log:print_stacktrace=1:abort_on_error=1"
[ "$kind" = coverage ] || export RNGSIM_SANITIZER=$kind

cd "$build" || exit 1
kyua --config=none --logfile=kyua.log list -k tests/Kyuafile "$@" >cases.txt ||
    exit 1
sed -n 's/^\([a-z][^ 	]*\).*/\1/p' "$here/$kind.without" 2>/dev/null |
    sed 's/^[^:]*$/&:/; s/:$/:.*/; s/^/^/; s/$/$/' >without.txt
grep -v -f without.txt cases.txt >chosen.txt
jobs=$(getconf _NPROCESSORS_ONLN)
[ "$jobs" -le 4 ] || jobs=4
began=$(date +%s)
xargs -n 100000 kyua --config=none --logfile=kyua.log -v parallelism="$jobs" \
    -v test_suites.rngsim.source="$source" \
    test -k tests/Kyuafile -r kyua.db <chosen.txt
status=$?
[ $status = 0 ] || kyua --logfile=kyua.log report -r kyua.db \
    --verbose --results-filter=broken,failed | tail -n 300
for report in report.*; do
	[ -f "$report" ] || continue
	echo "$build/$report:"
	head -n 40 "$report"
	status=1
done
echo "$kind: $(wc -l <chosen.txt) of $(wc -l <cases.txt) cases," \
    "$(($(date +%s) - began)) s, $([ $status = 0 ] && echo well || echo NOT WELL)"
exit $status
