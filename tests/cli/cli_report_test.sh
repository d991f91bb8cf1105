# rngsim report: views, filters, and what is wrong with a command line.
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
	shows fairness --fairness
	shows lock-prof --lock-prof
	shows lockstat --lockstat
	shows lockstat-H --lockstat -H
	shows lockstat-H --histogram --lockstat
	shows waits --waits
}

test_case report__filters "lists choose the cells that any output shows"
report__filters_body() {
	r=$(result)
	shows cell -r 2 -d locked
	shows cell --readers=2 --design locked
	shows cell -r2 -dlocked -l mtx,pthread -c aes -s 64k,1g
	shows cell -d locked -r 1-2,4
	shows table -r 2-3 -d concurrent,locked
	shows table -s 0x10000
	atf_check -o save:out.json "$(program)" report "$r" --format json -r 3
	atf_check -o inline:"3\n" grep -c '"readers": 3' out.json
	atf_check -s exit:1 grep -q '"readers": 2' out.json
	atf_check -o save:out.csv "$(program)" report "$r" --format csv -d locked
	atf_check -o inline:"3\n" grep -c . out.csv
	atf_check -o not-match:'locked' -o match:'concurrent' \
	    "$(program)" report "$r" --fairness -d concurrent
}

test_case report__nothing_left "when no cell is left the message says what" \
    "there is"
report__nothing_left_body() {
	there="-c aes -d locked,concurrent -l mtx -r 2,3 -s 64k"
	for o in '-c chacha20' '-d lock' '-l pthread' '-r 1,4-9' '-s 4k' \
	    '-d locked -r 4'; do
		atf_check -s exit:1 -e match:"no such cell: .*$there\$" \
		    "$(program)" report "$(result)" $o
		atf_check -s exit:1 -e match:"no such cell" \
		    "$(program)" report "$(result)" $o --waits
	done
	atf_check -s exit:1 -e match:"no such cell" "$(program)" report \
	    "$(result)" -r 4 --plot out.png
	[ ! -e out.png ] || atf_fail "a picture of nothing"
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
	for v in fairness lock-prof lockstat waits; do
		atf_check -o inline:'no cells\n' "$(program)" report empty.json \
		    --$v
	done
	atf_check -s exit:1 -e match:'no such cell: .*that has any$' \
	    "$(program)" report empty.json -r 1
}

test_case report__bad_usage "lists that are none, outputs that exclude each" \
    "other"
report__bad_usage_body() {
	for v in '' 0 x 1, ,1 1,,2 3-1 1- -2 1.5 1-2-3; do
		refused "-r: .*expected" x "-r$v"
		refused "-r: .*expected" x --readers="$v"
	done
	for v in '' 0 4q k 1,; do
		refused "-s: .*expected" x --size="$v"
	done
	for o in design lock cipher; do
		for v in '' , aes, ,mtx a,,b; do
			refused ": empty item in \"$v\"" x --$o="$v"
		done
	done
	refused '-d: expected LIST' x -d
	refused '-d is given twice' x -d locked --design=concurrent
	refused '--waits is given twice' x --waits --waits
	refused '--lockstat and --waits: expected one' x --waits --lockstat
	refused '--format and --waits: expected one' --format csv x --waits
	refused '--plot and --waits: expected one' --waits x --plot a.png
	refused '--waits takes no value' x --waits=1
	refused 'unknown option -x' x --lockstat -Hx
	refused '-H: expected --lockstat' x -H
	refused '-H: expected --lockstat' x -H --waits
	refused 'unknown option --lock-pro;' x --lock-pro
	refused 'surplus operand "--waits"' x -- --waits
	refused 'unknown option -x;' x -x
	refused 'missing operand' --waits -r 1
}

test_case report__full_disk "a view that cannot be written is a failure"
report__full_disk_body() {
	[ -c /dev/full ] || atf_skip "no /dev/full here"
	for v in fairness lock-prof lockstat waits; do
		"$(program)" report "$(result)" --$v >/dev/full 2>err.txt &&
		    atf_fail "--$v succeeded"
		atf_check -o match:'^rngsim: report: stdout: ' cat err.txt
	done
}
