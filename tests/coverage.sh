# Runs the suite of a build with --coverage, then prints what share of lines and
# branches it reached: by folder, in total, and where most is missing.
# coverage.sh BUILDDIR [PROGRAM[:CASE]...]
#
# A line that is compiled for several flavours of the machine counts once, as
# reached if any of them was.  Left out are the tests themselves.
#
# Branches are those that the compiler has behind early optimization: each way
# that an if, a loop, a switch or one operand of && and || can go.  Left out are
# those of KASSERT, MPASS and CTASSERT, of which a sound program takes one way
# only, and those that the compiler makes on lines without a statement.  Branches
# that only a failure takes count: tests make calls fail one by one.
# A child that a signal ends takes its counts with it; one that calls _exit(2)
# writes them first: coverage.h.
[ "${PART-}" != 0 ] || exit 0
build=$1
shift
find "$build" -name '*.gcda' -exec rm -f {} +
sh tests/suite.sh coverage "$build" "$@" >"$build/suite.txt" 2>&1
status=$?
tail -n 1 "$build/suite.txt"
gcovr -r . "$build/obj" --exclude 'tests/' \
    --exclude-branches-by-pattern '.*\b(KASSERT|MPASS|CTASSERT)\(.*' \
    --exclude-unreachable-branches \
    --gcov-ignore-parse-errors -j 2 --csv "$build/coverage.csv" \
    >"$build/gcovr.log" 2>&1 || { tail "$build/gcovr.log"; exit 1; }
awk -F, 'NR > 1 {
	n = split($1, part, "/")
	folder = n > 2 ? part[1] "/" part[2] : part[1]
	for (r = 0; r < 2; r++) {
		key = r == 0 ? folder : "~ total"
		lines[key] += $2; reached[key] += $3
		branches[key] += $5; taken[key] += $6
	}
	missing[$1] = $2 - $3
	text[$1] = sprintf("%5d of %4d lines, %5d of %4d branches", $2 - $3,
	    $2, $5 - $6, $5)
}
function share(a, b) { return b == 0 ? 100 : 100 * a / b }
END {
	sort = "sort"
	printf "%-18s %8s %7s %10s %7s\n", "folder", "lines", "%", "branches", "%"
	for (key in lines)
		printf "%-18s %8d %7.1f %10d %7.1f\n", key, lines[key],
		    share(reached[key], lines[key]), branches[key],
		    share(taken[key], branches[key]) | sort
	close(sort)
	print "Without branches of assertions, and those on lines without a " \
	    "statement."
	print "\nnot reached, the 25 files with most lines of it:"
	sort = "sort -k2,2nr | head -n 25"
	for (file in missing)
		printf "%-40s %s\n", file, text[file] | sort
	close(sort)
}' "$build/coverage.csv"
exit $status
