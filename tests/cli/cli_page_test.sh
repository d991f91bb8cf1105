# --html: pages, what they hold and what they do not let through.  A browser
# looks at them where there is one; "make check-page" installs it.

result() { echo "$(source_folder)/tests/cli/report/sweep.json"; }

# page FILE ARGUMENT...: rngsim writes the page FILE, without a message.
page() {
	page_file=$1
	shift
	atf_check -o ignore "$(program)" "$@" --html "$page_file"
	[ "$(tail -n 1 "$page_file")" = '</html>' ] || atf_fail "a part"
}

# hostile NAME: a result whose texts are HTML, script and gnuplot.
hostile() {
	python3 -B - "$(result)" "$1" <<-'EOF'
	import json, sys
	d = json.load(open(sys.argv[1]))
	names = {'design': '<img src=x onerror=injected=1>',
	         'cipher': '</script><script>injected=1',
	         'lock': "'\"><svg/onload=injected=1>"}
	for c in d['cells']:
	    for key, text in names.items():
	        c[key] = text if c[key] != 'concurrent' else c[key]
	    c['notes'] = '</td></table><script>injected=1</script>'
	    c['gate'] = '<!--<script>' if c['readers'] > 1 else ''
	    for w in c.get('waits', []) + c.get('lock_profile', []):
	        w['lock'] = '</pre><script>injected=1</script>'[:31]
	        w['site'] = '</text></svg><script>x'
	d['argv'] = ['</script><script>injected=1</script>', '<!--', ']]>',
	             '`touch broken`', '"; system("touch broken")']
	d['host']['cpu_model'] = '--><script>injected=1</script>'
	json.dump(d, open(sys.argv[2], 'w'))
	EOF
}

# grid: v.json, the result of six simulated cells.
grid() {
	runs sweep --engine virtual --profile graviton3 --seed 1 -n 5 -t 0.01 \
	    -d locked,concurrent,percpu -c aes -r 1-2 -s 4k -o v.json
}

# many N FILE: the cells of v.json N times, with other locks, ciphers and sizes.
many() {
	python3 -B - "$@" <<-'EOF'
	import copy, json, sys
	d = json.load(open('v.json'))
	cells = []
	for i in range(int(sys.argv[1])):
	    for c in copy.deepcopy(d['cells']):
	        c['lock'] = ('mtx', 'ticket', 'mcs')[i % 3]
	        c['cipher'] = ('aes', 'chacha20')[i // 3 % 2]
	        c['request_bytes'] = 1024 * (1 + i // 6)
	        cells.append(c)
	d['cells'] = cells
	json.dump(d, open(sys.argv[2], 'w'))
	EOF
}

needs=gnuplot
test_case page__says "the verdict comes first, then charts; what was predicted" \
    "says so; gates are named"
page__says_body() {
	page r.html report "$(result)"
	[ "$(grep -c '<svg viewBox' r.html)" = 4 ] || atf_fail "no charts"
	grid
	page v.html report v.json
	atf_check -o ignore grep 'class="predicted"' v.html
	atf_check -o ignore grep 'Predicted, not measured' v.html
	atf_check -o match:'concurrent instead of locked<' grep '<strong>concurrent' v.html
	atf_check -o ignore grep '<h1>concurrent, percpu instead of l' v.html
	for s in differences charts-a cells-a each-a provenance-a; do
		grep -n "<section id=\"$s\"" v.html | cut -d : -f 1
	done >order
	sort -n order | cmp - order || atf_fail "order of sections"
	[ "$(wc -l <order)" = 5 ] || atf_fail "sections"
	# Its window is shorter than three passes of the harvest thread.
	atf_check -o ignore grep '<b>harvest<.*CPU [0-9.]*? %, 95' v.html
	# Each design is one row at each number of readers.
	atf_check -o match:'^6$' grep -c '<th scope="row">[12]</th><td class="l">[lcp]' \
	    v.html
	# One table has all differences, of what readers get first.
	sed -n '/id="differences"/,/id="charts-a"/p' v.html >d
	[ "$(grep -c '<table>' d)" = 1 ] || atf_fail "tables of differences"
	atf_check -o inline:'total MB/s\nread p99\nharvest CPU\n' sh -c 'sed -n \
	    "s,.*</th><td class=.l.>\([^<]*\).*,\1,p" d | uniq'
	hostile h.json
	page h.html report h.json
	atf_check -o ignore grep 'failed a gate: do not rank it' h.html
	page two.html report v.json v.json
	for s in differences charts-a cells-a charts-b; do
		grep -n "<section id=\"$s\"" two.html | cut -d : -f 1
	done >order
	sort -n order | cmp - order || atf_fail "order of two"
}

needs="gnuplot python3"
test_case page__charts "each chart has its text, each point its values; of many" \
    "cells, a row of charts for each lock and size"
page__charts_body() {
	grid
	page v.html report v.json
	atf_check -o match:'^4$' grep -c '^<svg viewBox.*<title>aes, .*; locked: .*; percpu: ' \
	    v.html
	# Six cells in four charts.
	atf_check -o match:'^24$' grep -c '^<circle .*<title>.* readers*: ' v.html
	atf_check -o ignore grep \
	    '<title>concurrent, 2 readers: [0-9.]* ([0-9.]* to [0-9.]*)</title>' v.html
	atf_check -o ignore grep '<title>percpu, 1 reader: p50 .* us, p90 .*, p99.9 ' v.html
	# The least is the most.
	many 2 m.json
	page m.html report m.json
	atf_check -o ignore grep 'better in 2 of 4 ([+0-9.]* %[:)]' m.html
	! grep -E '\(([-+][0-9.]+ %) to \1\)' m.html || atf_fail "a range of one"
	many 12 m.json
	page m.html report m.json
	atf_check -o inline:'12\n' grep -c '<figcaption>' m.html
	atf_check -o ignore grep '<b>chacha20, lock mcs, requests of 2 KiB</b> <span' m.html
}

test_case page__lets_nothing_through "texts of files are texts of the page," \
    "in names, notes and charts"
page__lets_nothing_through_body() {
	hostile h.json
	cp h.json '<b onclick=injected>.json'
	atf_check -o ignore -e ignore "$(program)" report \
	    '<b onclick=injected>.json' --html h.html
	# One script of ours.
	tr '<' '\n' <h.html | grep -c '^script' >n
	[ "$(cat n)" = 1 ] || atf_fail "$(cat n) scripts"
	! tr '<' '\n' <h.html | grep -e '^img src' -e '^b onclick' -e '^svg/' ||
	    atf_fail "an element of the file's"
	[ ! -e broken ] || atf_fail "a command was run"
}

test_case page__bad_input "what cannot be written, drawn or read"
page__bad_input_body() {
	r=$(result)
	mkdir folder.html bin
	fails 1 'missing/x.html: ' report "$r" --html missing/x.html
	fails 1 'folder.html: Is a directory' report "$r" --html folder.html
	fails 2 'surplus operand "b"' report a b
	fails 2 'surplus operand "c"' report a b c --html x.html
	fails 2 '-: expected stdin once' report - - --html x.html
	fails 2 '--html and --lock-prof: expected one' report a --lock-prof --html x
	cp "$r" r.json
	fails 2 'name the same file' report r.json --html ./r.json
	fails 2 'name the same file' report "$r" r.json --html r.json
	fails 2 '--html: expected --replay' explore --html x.html
	atf_check -e match:'x.html: a page without charts: gnuplot is not' \
	    env PATH="$PWD/bin" "$(program)" report "$r" --html x.html
	atf_check -o ignore grep 'No charts: gnuplot is not installed' x.html
	page page.html report r.json
	fails 1 "page.html: line 1, column 1: .* expected near '<'" report page.html
	printf '{"seed":1\0}' >nul.json
	fails 1 'nul.json: line 1, column 0: a NUL byte' report nul.json
	sed 's,rngsim-result/1,rngsim-result/2,' r.json >newer.json
	rm x.html
	fails 1 'newer.json: schema: "rngsim-result/2", expected' report \
	    newer.json --html x.html
	[ ! -e x.html ] || atf_fail "a page of nothing"
	sed '/"cells"/q' r.json | sed 's/"cells".*/"cells": []}/' >empty.json
	page x.html report empty.json
	atf_check -o ignore grep 'There are no cells' x.html
}

needs=prlimit
test_case page__full_disk "a page that does not fit: exit 1, and the one before" \
    "it stays"
page__full_disk_body() {
	[ -z "$RNGSIM_SANITIZER" ] || atf_skip "a sanitizer writes files too"
	echo before >x.html
	atf_check -s exit:1 -e match:'x.html: File too large' prlimit \
	    --fsize=10000 env PATH=/nowhere "$(program)" report "$(result)" \
	    --html x.html
	[ "$(cat x.html)" = before ] || atf_fail "x.html was replaced"
	[ "$(echo *)" = x.html ] || atf_fail "left: $(echo *)"
}

# others: pages of explore, assure and reproduce, in files of those names.
others() {
	"$(program)" explore -l none -c aes -r 2 -s 16 --seed 9 -j 1 \
	    -o x.schedule >/dev/null
	atf_check -s exit:1 -o ignore "$(program)" explore \
	    --replay x.schedule --html explore.html
	page assure.html assure -d concurrent --only answers --budget 1
	page reproduce.html reproduce fbsd-2019
}

test_case page__of_other_commands "explore, assure and reproduce have pages"
page__of_other_commands_body() {
	others
	atf_check -o ignore grep 'class="held"' explore.html
	# A failure is red.
	atf_check -o ignore grep '<body class="failed">' explore.html
	atf_check -o ignore grep '<strong>Failed</strong>' explore.html
	atf_check -o ignore grep '<body class="checked">' assure.html
	atf_check -o ignore grep 'rngsim-schedule/1' explore.html
	atf_check -o ignore grep '<b>Not shown</b>' assure.html
	atf_check -o ignore grep 'Predicted, not measured' reproduce.html
}

test_case page__in_a_browser "Chromium finds nothing to complain of, sorts and" \
    "filters, and shows the page without script and on a phone"
page__in_a_browser_body() {
	# The program itself, not a script around it.
	for b in /usr/lib/chromium/chromium /usr/local/bin/chrome chromium; do
		browser=$(command -v $b) && break
	done || atf_skip "no chromium; make check-page installs it"
	command -v python3 >/dev/null || atf_skip "no python3"
	hostile h.json
	page hostile.html report h.json
	page r.html report "$(result)"
	page two.html report "$(result)" "$(result)"
	grid
	many 84 many.json
	page many.html report many.json
	page v.html report v.json
	runs sweep -n 3 -t 0.3 -d locked,concurrent -c aes -r 1 -s 4k -o s.json
	page slices.html report s.json
	others
	atf_check timeout 400 python3 -B \
	    "$(source_folder)/tests/page/browser.py" "$browser" check *.html
}
