# rngsim report: views, and what is wrong with a command line.
# tests/cli/report has a result made by hand, and what each view prints of it.

reports() { echo "$(source_folder)/tests/cli/report"; }

result() { echo "$(reports)/sweep.json"; }

# shows EXPECTED [ARGUMENT...]: the arguments print the file EXPECTED.txt.
shows() {
	expected=$(reports)/$1.txt
	shift
	atf_check -o "file:$expected" "$(program)" report "$(result)" "$@"
}

# refused PATTERN [ARGUMENT...]: bad usage, one line that matches.
refused() {
	pattern=$1
	shift
	atf_check -s exit:2 -e match:"^rngsim: report: .*$pattern" \
	    "$(program)" report "$@"
}

test_case report__views "every view, the text in full"
report__views_body() {
	shows table
	shows lock-prof --lock-prof
}

test_case report__no_cells "a result without cells is none of the file's fault"
report__no_cells_body() {
	cat >empty.json <<-'EOF'
	{ "schema": "rngsim-result/1", "complete": false, "argv": ["rngsim"],
	  "seed": 1, "started": "2026-01-02T03:04:05Z", "cells": [],
	  "host": { "cpu_model": "x", "cpus": 1, "numa_nodes": 1,
	    "kernel": "x", "compiler": "x", "flags": "", "libcrypto": "x",
	    "invariants": false } }
	EOF
	atf_check -o match:'^no cells' "$(program)" report empty.json
	atf_check -o match:'^no cells$' "$(program)" report empty.json \
	    --lock-prof
}

test_case report__bad_usage "lists that are none, outputs that exclude each" \
    "other"
report__bad_usage_body() {
	refused '--lock-prof is given twice' x --lock-prof --lock-prof
	refused '--lock-prof and --format: expected one' --format csv x \
	    --lock-prof
	refused '--plot and --lock-prof: expected one' --lock-prof x \
	    --plot a.png
	refused '--lock-prof takes no value' x --lock-prof=1
	refused 'unknown option --lock-pro;' x --lock-pro
	refused 'surplus operand "--lock-prof"' x -- --lock-prof
	refused 'unknown option -x;' x -x
	refused 'missing operand' --lock-prof
}

test_case report__full_disk "a view that cannot be written is a failure"
report__full_disk_body() {
	[ -c /dev/full ] || atf_skip "no /dev/full here"
	"$(program)" report "$(result)" --lock-prof >/dev/full 2>err.txt &&
	    atf_fail "--lock-prof succeeded"
	atf_check -o match:'^rngsim: report: stdout: ' cat err.txt
}
