# Verdicts of "rngsim compare" whose truth is known, and how long the analysis
# of a large sweep takes: parts of "make bench".
#
# usage: sh bench/figures/verdict.sh BUILDDIR [SECONDS [REPEATS]]
set -e

build=$1
seconds=${2:-0.5}
repeats=${3:-20}
preload=
dir=$build/verdict
mkdir -p "$dir"

# Shows a command of rngsim as its user types it, runs it, and leaves what it
# prints in a file.
rngsim()
{
	echo "    \$ ${preload:+LD_PRELOAD=$preload }rngsim $*" |
	    sed "s,$build/,,g"
	LD_PRELOAD=$preload "$build/rngsim" "$@" >"$dir/out"
}

# The same where status 1 is an answer: all rows may be refused.
compare()
{
	rngsim compare "$@" || [ $? = 1 ]
}

indented()
{
	sed 's/^/      /'
}

cat <<END

verdict: a program beside itself (aim: at least 95 % of rows show no difference)
END
for side in a b; do
	rngsim sweep -r 1-2 -l mtx,mcs -n "$repeats" -t "$seconds" \
	    -o "$dir/$side.json"
done
compare "$dir/a.json" "$dir/b.json" --format csv
for verdict in better worse "no difference shown" refused; do
	echo "$(grep -c ",$verdict,\"" "$dir/out" || :) rows: $verdict"
done | indented

cat <<END

verdict: one of four cells 3 % slower: a preloaded library makes ChaCha20 so in
  calls of more than a page (aim: it is worse, and nothing else is); without
  controls, as it would slow one of them too
END
planted="-r 1 -n $repeats -t $seconds -S rngsim.sweep.controls=0"
rngsim sweep $planted -o "$dir/a.json"
preload=$build/plant.so
rngsim sweep $planted -o "$dir/b.json"
preload=
compare "$dir/a.json" "$dir/b.json" -q total_mb_per_s --format sentences
indented <"$dir/out"

cat <<END

analysis: of 200 cells (aim: less than 5 s)
END
rngsim sweep -r 1-5 -s 4k,64k -l mtx,mtx-spin,pthread,futex,mcs -n 5 -t 0.03 \
    -S rngsim.warmup_ms=10 -o "$dir/large.json"
start=$(date +%s)
compare "$dir/large.json" "$dir/large.json"
rngsim report "$dir/large.json" --usl
rngsim report "$dir/large.json" --plot "$dir/large.png"
end=$(date +%s)
echo "      less than $((end - start + 1)) s"
