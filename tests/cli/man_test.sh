# The manual pages: sound mdoc(7), one page per command, nothing left out.

# A page as text, without what mdoc(7) puts between words.
page() {
	sed -e 's/^\.\\".*//' -e 's/\\&//g' -e 's/\\-/-/g' \
	    "$(source_folder)/man/$1"
}

# has_words PAGE: fails with the words of standard input that it lacks.
has_words() {
	page "$1" >page.txt
	missing=
	while read -r word; do
		grep -Eq -- "(^|[^A-Za-z0-9_.-])$word([^A-Za-z0-9_-]|\$)" page.txt ||
		    missing="$missing $word"
	done
	[ -z "$missing" ] || atf_fail "$1 lacks:$missing"
}

# listed TOPIC PAGE LEAST: the page has each name of "rngsim list TOPIC".
listed() {
	"$(program)" list "$1" >list.txt || atf_fail "list $1"
	sed -n -e 's/^  \([a-z][a-z0-9-]*\) .*/\1/p' \
	    -e 's/^  \([a-z_]*\)$/\1/p' list.txt >names.txt
	[ "$(wc -l <names.txt)" -ge "$3" ] || atf_fail "too few $1"
	has_words "$2" <names.txt
}

commands() {
	sed -n 's/^COMMAND(\([a-z]*\),.*/\1/p' "$(source_folder)/bench/options/command.tbl"
}

test_case man__lints "mandoc(1) has no warning about any page"
man__lints_body() {
	command -v mandoc >/dev/null || atf_skip "mandoc is not installed"
	atf_check -o empty -e ignore mandoc -T lint -W warning \
	    "$(source_folder)"/man/*.[157]
}

test_case man__is_found "rngsim(1) names every page with a sentence, and no" \
    "other"
man__is_found_body() {
	cd "$(source_folder)/man" || atf_fail "no man"
	for f in *.[157]; do
		grep -q "^\.Nd ..........*" "$f" || atf_fail "$f: no .Nd"
		[ "$f" = rngsim.1 ] ||
		    grep -Fq ".It Xr ${f%.*} ${f##*.}" rngsim.1 ||
		    atf_fail "rngsim.1 does not name $f"
	done
	for f in $(sed -n \
	    's/^\.It Xr \(rngsim[a-z-]*\) \([157]\)$/\1.\2/p' rngsim.1); do
		[ -f "$f" ] || atf_fail "rngsim.1 names $f"
	done
	[ "$(wc -l <rngsim.1)" -le 200 ] || atf_fail "rngsim.1 is long"
}

test_case man__names_every_option "each command has a page with every option" \
    "of its --help, and no other"
man__names_every_option_body() {
	# mdoc(7) writes -o as "Fl o" and --output as "Fl -output".
	[ -n "$(commands)" ] || atf_fail "no commands"
	for c in $(commands); do
		man=$(source_folder)/man/rngsim-$c.1
		[ -f "$man" ] || atf_fail "$c has no page"
		"$(program)" "$c" --help >help.txt || atf_fail "$c --help"
		sed -n 's/^  \(-[A-Za-z]\), --.*/\1/p' help.txt >options.txt
		sed -n 's/^  [- ][A-Za-z ][, ] \(--[a-z-]*\).*/\1/p' \
		    help.txt >>options.txt
		[ "$(wc -l <options.txt)" -ge 2 ] ||
		    atf_fail "$c --help lists too few options"
		while read -r o; do
			grep -Eq "^\.It (.* )?Fl ${o#-}( |\$)" "$man" ||
			    atf_fail "rngsim-$c.1 lacks $o"
		done <options.txt
		grep '^\.It.* *Fl ' "$man" | tr ',' '\n' |
		    sed -n 's/.*Fl \([A-Za-z-]*\).*/-\1/p' >shown.txt
		while read -r o; do
			[ "$o" = --part ] || grep -Fqx -- "$o" options.txt ||
			    atf_fail "rngsim-$c.1: $c has no $o"
		done <shown.txt
	done
}

test_case man__names_every_tunable "rngsim-tunables(7) has an entry for every" \
    "tunable"
man__names_every_tunable_body() {
	"$(program)" list tunables >list.txt || atf_fail "list tunables"
	sed -n 's/^  \([a-z][a-z0-9_.]*\)=.*/\1/p' list.txt >names.txt
	[ "$(wc -l <names.txt)" -ge 10 ] || atf_fail "too few tunables"
	while read -r name; do
		grep -Fqx -- ".It Va $name" \
		    "$(source_folder)/man/rngsim-tunables.7" ||
		    atf_fail "rngsim-tunables.7 lacks $name"
	done <names.txt
}

test_case man__names_every_choice "pages have every design, lock, cipher," \
    "digest, source, fail point and safety property"
man__names_every_choice_body() {
	listed designs rngsim-designs.7 8
	listed designs rngsim-run.1 8
	listed locks rngsim-lock.7 20
	listed ciphers rngsim-run.1 2
	listed hashes rngsim-hash.1 20
	listed sources rngsim-tunables.7 4
	listed failpoints rngsim-failpoints.7 8
	sed -n 's/^[A-Z_]*PROPERTY([A-Z]*, "\([a-z]*\)".*/\1/p' \
	    "$(source_folder)/lib/ledger/ledger.tbl" \
	    "$(source_folder)/bench/explore/explore.tbl" >names.txt
	[ "$(wc -l <names.txt)" -ge 20 ] || atf_fail "too few properties"
	has_words rngsim-ledger.7 <names.txt
}

test_case man__names_every_note "rngsim-run(1) has every note and gate of a row"
man__names_every_note_body() {
	# As far as the first figure in them.
	tr -d '\n' <"$(source_folder)/bench/sweep/summary.c" |
	    sed 's/"[ 	]*"//g; s/note(rc, "/\n/g; s/rc->gate), "/\n/g' |
	    sed -n '2,$s/^\([^%"]*\)[%"].*/\1/p' | sed 's/ *$//' >notes.txt
	[ "$(wc -l <notes.txt)" -ge 8 ] || atf_fail "too few notes"
	page rngsim-run.1 | grep '^\.It "' >page.txt
	while read -r words; do
		grep -Fq -- "\"$words" page.txt ||
		    atf_fail "rngsim-run.1 lacks \"$words\""
	done <notes.txt
}

test_case man__names_every_key "rngsim-result(5) has every key and column of" \
    "a result and of a comparison, rngsim-compare(1) every quantity"
man__names_every_key_body() {
	"$(program)" run -t 0.05 -r 1 --format json \
	    -S kern.random.nist_healthtest_enabled=1 >result.json ||
	    atf_fail "run"
	"$(program)" sweep --engine virtual --profile epyc-9654-2s -r 2 -n 1 \
	    -c aes -t 0.01 --verify --uncertainty 10 --format json \
	    >>result.json || atf_fail "sweep of a simulated machine"
	"$(program)" sweep --engine virtual --profile graviton3 \
	    -r 1 -c aes -n 3 -t 0.02 -o r.json \
	    >/dev/null || atf_fail "sweep"
	"$(program)" compare r.json --by design --format csv >c.csv ||
	    atf_fail "csv"
	"$(program)" report r.json --format csv >r.csv || atf_fail "csv"
	{
		grep -o '"[a-z_0-9]*":' result.json | tr -d '":'
		head -n 1 c.csv | tr ',' '\n'
		head -n 1 r.csv | tr ',' '\n'
	} | sort -u >names.txt
	[ "$(wc -l <names.txt)" -ge 100 ] || atf_fail "too few names"
	has_words rngsim-result.5 <names.txt
	"$(program)" compare --help |
	    sed -n '/^Quantities/,$s/^  \([a-z_0-9]*\) .*/\1/p' >quantities.txt
	[ -s quantities.txt ] || atf_fail "no quantities"
	has_words rngsim-compare.1 <quantities.txt
}

test_case man__fields_are_current "rngsim-result(5) has the fields and CSV" \
    "columns of the table, in the order of the program"
man__fields_are_current_body() {
	top=$(source_folder)
	cp "$top/man/rngsim-result.5" page
	sh "$top/.ci/result-fields.sh" "$top/bench/result/result.tbl" page ||
	    atf_fail "result-fields.sh"
	cmp page "$top/man/rngsim-result.5" ||
	    atf_fail "run .ci/result-fields.sh bench/result/result.tbl \
man/rngsim-result.5"
	"$(program)" run --engine virtual --profile graviton3 -r 1 \
	    --producers 1 --producer swi:work=1us,rate=9 --until-seeded \
	    --format csv \
	    >result.csv || atf_fail "run"
	sed -n '/^\.Ss Columns of CSV/,/^\.El/s/^\.Li \([a-z_0-9]*\).*/\1/p' \
	    page >columns.txt
	head -n 1 result.csv | tr ',' '\n' | diff columns.txt - ||
	    atf_fail "columns"
}

test_case man__names_every_profile_key "rngsim-profile(5) has every key with" \
    "its unit and range, no other key, every profile, and the first lines of" \
    "one"
man__names_every_profile_key_body() {
	lib=$(source_folder)/lib/profile
	page rngsim-profile.5 >page.txt
	sed -n 's/^VALUE(\(.*\))$/\1/p' "$lib/profile.tbl" | tr -d '" ' |
	    awk -F, '
		BEGIN { unit["NS"] = "ns"; unit["US"] = "us"
		    unit["MS"] = "ms"; unit["NS_PER_BYTE"] = "ns/B" }
		{ printf "%s %s %.10g..%.10g\n", $2,
		    $3 in unit ? unit[$3] : "-", $4, $5 }' >keys.txt
	[ "$(wc -l <keys.txt)" -ge 30 ] || atf_fail "too few keys"
	awk '$3 ~ /^[0-9.]*\.\.[0-9]*$/ { print $1, $2, $3 }' page.txt >shown.txt
	atf_check -o empty diff keys.txt shown.txt
	sed -n 's/^PROFILE(.*"\(.*\)")/\1/p' "$lib/shipped.tbl" >names.txt
	while read -r name; do
		grep -Fqx ".It Cm $name" page.txt ||
		    atf_fail "rngsim-profile.5 lacks $name"
	done <names.txt
	sed -n '/^name = /,/^\.Ed/p' page.txt | sed '/^\.Ed/d' >example.txt
	n=$(wc -l <example.txt)
	[ "$n" -ge 6 ] || atf_fail "no example"
	head -n "$n" "$lib/epyc-9654-2s.conf" >file.txt
	atf_check -o empty diff file.txt example.txt
}

needs=python3
test_case man__transcripts "transcripts that are the same on every machine" \
    "are what the program prints now; tests/transcripts.py takes them again"
man__transcripts_body() {
	src=$(source_folder)
	grep -l '^\.\\" transcript exact' "$src"/man/*.[157] >pages
	[ "$(wc -l <pages)" -ge 5 ] || atf_fail "too few transcripts"
	# A build in a build's folder has none beside it.
	export RNGSIM_WORKLOADS="$(cd "$src" && pwd)/bench/workload"
	xargs python3 -B "$src/tests/transcripts.py" \
	    "$(dirname "$(program)")" --check <pages >out ||
	    atf_fail "$(cat out)"
}

# skeleton PAGE FIRST: the code of a page compiles without a warning.
skeleton() {
	page "$1" | sed -n "\,^#include \"$2\",,/^\.Ed/p" |
	    sed 's/\\e/\\/g; /^\.Ed/d' >skeleton.c
	[ "$(wc -l <skeleton.c)" -ge 50 ] || atf_fail "$1 has no skeleton"
	src=$(source_folder)
	obj=$(cd "$(atf_get_srcdir)/../obj" && pwd)
	for flavour in real virtual; do
		machine=
		[ $flavour = real ] || machine=-DMACHINE_VIRTUAL
		atf_check -o empty -e empty ${CC:-cc} -std=c11 -D_GNU_SOURCE \
		    -Wall -Wextra -Wshadow -Wconversion -I"$src" -I"$obj" \
		    -DFLAVOUR=$flavour $machine -fsyntax-only skeleton.c
	done
}

test_case man__skeleton "the skeleton of a lock compiles"
man__skeleton_body() {
	command -v ${CC:-cc} >/dev/null || atf_skip "no C compiler"
	skeleton rngsim-lock.7 lib/lock/lock.h
}

# Skips, or there is all to compile what is patched.
patching()
{
	command -v patch >/dev/null || atf_skip "patch is not installed"
	command -v ${CC:-cc} >/dev/null || atf_skip "no C compiler"
	src=$(cd "$(source_folder)" && pwd)
	kernel_cache
}

test_case man__patches "the patches of rngsim-designs(7) apply to the file of" \
    "this tree, compile, read Fortuna's bytes and survive schedules"
man__patches_body() {
	patching
	page rngsim-designs.7 | sed 's/\\e/\\/g' >page.txt
	sed -n 's/^+++ \(.*\)$/\1/p' page.txt >names.txt
	[ "$(wc -l <names.txt)" -ge 2 ] || atf_fail "too few patches"
	while read -r name; do
		{ echo "--- fortuna.c"
		    sed -n "/^+++ $name\$/,/^\.Ed/p" page.txt |
		    grep -v '^\.Ed'; } >patch.txt
		[ "$(wc -l <patch.txt)" -le 80 ] || atf_fail "$name is long"
		cp "$src/fortuna/fortuna.c" "$name"
		atf_check patch -s "$name" patch.txt
		"$(program)" explore -d "kernel:$name" -c all --schedules 500 \
		    --seed 1 </dev/null >out 2>&1 ||
		    atf_fail "$name: $(cat out)"
		script=$src/tests/vectors/aes-concurrent-01-small-sizes
		"$(program)" kat -d "kernel:$name" "$script.script" >out 2>&1 ||
		    atf_fail "$name: $(cat out)"
		atf_check cmp out "$script.expected"
	done <names.txt
}

needs=python3
test_case man__harvest "the patch of rngsim-harvest(7) applies by its command," \
    "is the one of tests/patches, and gives back packets and interrupts"
man__harvest_body() {
	patching
	ln -s "$src/man" man
	cp -R "$src/harvest" .
	sed 's/\\e/\\/g' man/rngsim-harvest.7 |
	    sed -n 's/^\$ \(mkdir .*\)/\1/p; /^\$ sed -n/,/patch -p1/s/^[$>] *//p' \
	    >commands
	atf_check -o ignore sh -e commands
	[ -s share/random_harvestq.c ] || atf_fail "$(cat commands)"
	sed -n '/^Subject: share:/,/^Subject: share-two/p' \
	    "$src/tests/patches/producers.mbox" >share.mbox
	atf_check patch -s -p1 -i share.mbox
	atf_check cmp share/random_harvestq.c harvest/random_harvestq.c
	for d in concurrent kernel:share; do
		saves $d.json run --engine virtual --profile xeon-e5-2699v4-2s \
		    --place scatter -d $d --producers 12 --producer \
		    ether:work=658ns,cv=0.25 -S rngsim.harvest.record=$d.events \
		    -t 0.1 --seed 1 --format json
	done
	python3 -c '
import json
def run(d):
    s = json.load(open(d + ".json"))["cells"][0]["samples"][0]
    with open(d + ".events") as f:
        lines = f.read().split("\n")
    return (s["production"]["events_per_s"], s["harvest"]["events_per_s"],
            sum(" INTERRUPT" in line for line in lines))
today, share = run("concurrent"), run("kernel:share")
work = 12e9 / 658
assert today[0] < 0.6 * work and share[0] > 0.95 * work, (today, share)
assert share[1] >= today[1] > 0, (today, share)
assert today[2] < 20 and share[2] >= 32, (today, share)' ||
	    atf_fail "it gives back too little"
}
