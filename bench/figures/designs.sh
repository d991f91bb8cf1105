# All designs beside each other: predicted for machines of several sizes, and
# measured here.  Prints the tables that README has.
#
#	designs.sh BUILDDIR

rngsim=$1/rngsim
designs=$("$rngsim" list designs |
    awk 'NR > 1 && $1 != "none" { printf "%s%s", n++ ? "," : "", $1 }')
# The newest harvest thread: FreeBSD 12's counts all reads in one word.
cells='-c chacha20 -s 32,4k -S rngsim.harvest.model=newest'
predicted='--engine virtual --profile epyc-9654-2s -n 3 -t 0.2 --seed 1'
measured='-n 7 -t 0.5'

csv=$(mktemp)
trap 'rm -f "$csv"' EXIT

# table: from rows of CSV with its header; the readers are its columns.
table() {
	awk -F, '
	FNR == 1 {
		for (i = 1; i <= NF; i++)
			column[$i] = i
		next
	}
	function keep(what, value) {
		if ((d, what) in cell)
			value = cell[d, what] " / " value
		cell[d, what] = value
	}
	function ns(v) {
		if (v < 1e3)
			return sprintf("%.0f ns", v)
		if (v < 1e6)
			return sprintf("%.1f us", v / 1e3)
		return sprintf("%.1f ms", v / 1e6)
	}
	{
		d = $column["design"]
		if (!(d in seen)) {
			seen[d] = 1
			order[n++] = d
		}
		mb = $column["reader_mb_per_s_mean"]
		if ($column["request_bytes"] == 32) {
			keep("reads", sprintf("%.3g", mb / 32))
			keep("p50", ns($column["latency_p50_ns"]))
			p99[d] = ns($column["latency_p99_ns"])
		} else {
			keep("mb", sprintf("%.0f", mb))
			keep("harvest", sprintf("%.2g",
			    $column["harvest_cpu_percent"]))
		}
	}
	END {
		print "| design | 4 KiB: MB/s a reader | harvest CPU, % |" \
		    " 32 B: million reads/s a reader | p50 | last p99 |"
		print "|---|---|---|---|---|---|"
		for (i = 0; i < n; i++) {
			d = order[i]
			print "| `" d "` | " cell[d, "mb"] " | " \
			    cell[d, "harvest"] " | " cell[d, "reads"] \
			    " | " cell[d, "p50"] " | " p99[d] " |"
		}
	}' "$csv"
}

: >"$csv"
echo "predicted, with as many readers as CPUs: 1 / 4 / 16 / 64 CPUs," \
    "2 nodes from 16 on"
for cpus in 1 4 16 64; do
	nodes=$((cpus >= 16 ? 2 : 1))
	"$rngsim" sweep $predicted $cells -d "$designs" --cpus $cpus \
	    --nodes $nodes -r $cpus --format csv >"$csv.part" || exit 1
	sed "$([ -s "$csv" ] && echo 1d)" "$csv.part" >>"$csv"
	rm -f "$csv.part"
done
table
echo
echo "measured here: 1 / 2 readers"
"$rngsim" sweep $measured $cells -d "$designs" -r 1,2 --format csv \
    >"$csv" || exit 1
table
