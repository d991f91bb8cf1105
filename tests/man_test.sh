# The manual pages: sound mdoc(7), and nothing that the program has is left out.

program() { echo "$(atf_get_srcdir)/../rngsim"; }

pages() { echo "$(atf_config_get source "$(atf_get_srcdir)/../..")/man"; }

# A page as text, without what mdoc(7) puts between words.
page() {
	sed -e 's/^\.\\".*//' -e 's/\\&//g' -e 's/\\-/-/g' "$(pages)/$1"
}

# Fails with all words of standard input that the page does not have.
has_words() {
	page "$1" >page.txt
	missing=
	while read -r word; do
		grep -Eq -- "(^|[^A-Za-z0-9_.-])$word([^A-Za-z0-9_-]|\$)" page.txt ||
		    missing="$missing $word"
	done
	[ -z "$missing" ] || atf_fail "$1 lacks:$missing"
}

atf_test_case man__lints
man__lints_head() {
	atf_set descr "mandoc(1) has no warning about any page"
}
man__lints_body() {
	command -v mandoc >/dev/null || atf_skip "mandoc is not installed"
	for f in rngsim.1 rngsim-profile.5 rngsim-result.5 \
	    rngsim-workload.5 rngsim.7; do
		[ -f "$(pages)/$f" ] || atf_fail "$f is not there"
	done
	for f in "$(pages)"/*.[0-9]; do
		atf_check -o empty -e ignore mandoc -T lint -W warning "$f"
	done
}

atf_test_case man__names_every_option
man__names_every_option_head() {
	atf_set descr "rngsim(1) has every option that --help lists"
}
man__names_every_option_body() {
	# mdoc(7) writes -o as "Fl o" and --output as "Fl -output".
	commands=$(sed -n 's/^COMMAND(\(.*\))$/\1/p' \
	    "$(pages)/../bench/cmd.tbl")
	[ -n "$commands" ] || atf_fail "no commands"
	for c in $commands; do
		"$(program)" $c --help >help.txt || atf_fail "$c --help"
		sed -n 's/^  \(-[A-Za-z]\), --.*/\1/p' help.txt >options.txt
		sed -n 's/^  [- ][A-Za-z ][, ] \(--[a-z-]*\).*/\1/p' \
		    help.txt >>options.txt
		[ "$(wc -l <options.txt)" -ge 2 ] ||
		    atf_fail "$c --help lists too few options"
		while read -r o; do
			grep -Eq "^\.It (.* )?Fl ${o#-}( |\$)" \
			    "$(pages)/rngsim.1" ||
			    atf_fail "rngsim.1 lacks $o of $c"
		done <options.txt
	done
}

atf_test_case man__names_every_tunable
man__names_every_tunable_head() {
	atf_set descr "rngsim(1) has an entry for every tunable"
}
man__names_every_tunable_body() {
	"$(program)" list tunables >list.txt || atf_fail "list tunables"
	sed -n 's/^  \([a-z][a-z0-9_.]*\)=.*/\1/p' list.txt >names.txt
	[ "$(wc -l <names.txt)" -ge 10 ] || atf_fail "too few tunables"
	while read -r name; do
		grep -Fqx -- ".It Va $name" "$(pages)/rngsim.1" ||
		    atf_fail "rngsim.1 lacks $name"
	done <names.txt
}

atf_test_case man__names_every_choice
man__names_every_choice_head() {
	atf_set descr "rngsim(1) has every design, lock, cipher, \
hash, source and fail point"
}
man__names_every_choice_body() {
	for topic in designs locks ciphers hashes sources failpoints; do
		"$(program)" list $topic >list.txt || atf_fail "list $topic"
		sed -n -e 's/^  \([a-z][a-z0-9-]*\) .*/\1/p' \
		    -e 's/^  \([a-z_]*\)$/\1/p' list.txt >names.txt
		[ -s names.txt ] || atf_fail "no $topic"
		has_words rngsim.1 <names.txt
	done
}

atf_test_case man__names_every_note
man__names_every_note_head() {
	atf_set descr "rngsim(1) has every note and gate of a row"
}
man__names_every_note_body() {
	# As far as the first figure in them.
	tr -d '\n' <"$(pages)/../bench/sweep/summary.c" |
	    sed 's/"[ 	]*"//g; s/note(rc, "/\n/g; s/rc->gate), "/\n/g' |
	    sed -n '2,$s/^\([^%"]*\)[%"].*/\1/p' | sed 's/ *$//' >notes.txt
	[ "$(wc -l <notes.txt)" -ge 8 ] || atf_fail "too few notes"
	page rngsim.1 | grep '^\.It "' >page.txt
	while read -r words; do
		grep -Fq -- "\"$words" page.txt ||
		    atf_fail "rngsim.1 lacks \"$words\""
	done <notes.txt
}

atf_test_case man__names_every_result_key
man__names_every_result_key_head() {
	atf_set descr "rngsim-result(5) has every key of a result"
}
man__names_every_result_key_body() {
	"$(program)" run -t 0.05 -r 1 --format json \
	    -S kern.random.nist_healthtest_enabled=1 >result.json ||
	    atf_fail "run"
	"$(program)" sweep --engine virtual --profile epyc-9654-2s -r 2 -n 1 \
	    -c aes -t 0.01 --verify --uncertainty 10 --format json \
	    >>result.json || atf_fail "sweep of a simulated machine"
	grep -o '"[a-z_0-9]*":' result.json | tr -d '":' | sort -u >keys.txt
	[ "$(wc -l <keys.txt)" -ge 50 ] || atf_fail "too few keys"
	has_words rngsim-result.5 <keys.txt
}

atf_test_case man__names_every_column
man__names_every_column_head() {
	atf_set descr "rngsim-result(5) has every column of CSV"
}
man__names_every_column_body() {
	"$(program)" run -t 0.05 -r 1 --format csv >result.csv ||
	    atf_fail "run"
	head -n 1 result.csv | tr ',' '\n' >columns.txt
	has_words rngsim-result.5 <columns.txt
}

atf_test_case man__names_every_comparison_key
man__names_every_comparison_key_head() {
	atf_set descr "rngsim-result(5) has every column and key of a \
comparison, rngsim(1) every quantity"
}
man__names_every_comparison_key_body() {
	"$(program)" sweep -r 1 -c aes -n 3 -t 0.02 -o r.json >/dev/null ||
	    atf_fail "sweep"
	"$(program)" compare r.json --by design --format csv >c.csv ||
	    atf_fail "csv"
	head -n 1 c.csv | tr ',' '\n' >names.txt
	"$(program)" compare r.json --by design --format json >c.json ||
	    atf_fail "json"
	grep -o '"[a-z_0-9]*":' c.json | tr -d '":' | sort -u >>names.txt
	[ "$(wc -l <names.txt)" -ge 40 ] || atf_fail "too few names"
	has_words rngsim-result.5 <names.txt
	"$(program)" compare --help | sed -n '/^Quantities/,$s/^  //p' \
	    >quantities.txt
	[ -s quantities.txt ] || atf_fail "no quantities"
	has_words rngsim.1 <quantities.txt
}

atf_test_case man__names_every_profile_key
man__names_every_profile_key_head() {
	atf_set descr "rngsim-profile(5) has every key with its unit and range, \
no other key, every profile, and a piece of one as it is"
}
man__names_every_profile_key_body() {
	lib="$(pages)/../lib"
	sed 's,^ *\*.*,,' "$lib/profile.tbl" | tr '\n' ' ' |
	    sed 's/PROFILE_VALUE(/\n/g' | tr -d '" ' | awk -F, '
		BEGIN { unit["NS"] = "ns, "; unit["US"] = "us, "
		    unit["MS"] = "ms, "; unit["NS_PER_BYTE"] = "ns/B, " }
		NF >= 6 { printf ".It Cm %s Pq %s%.10g..%.10g\n", $2,
		    unit[$3], $4, $5 }' >keys.txt
	[ "$(wc -l <keys.txt)" -ge 30 ] || atf_fail "too few keys"
	grep '^\.It Cm [a-z0-9_.]* Pq' "$(pages)/rngsim-profile.5" >page.txt
	atf_check -o empty diff keys.txt page.txt
	for f in "$lib"/profiles/*.conf; do
		name=${f##*/}
		grep -Fqx ".It Cm ${name%.conf}" "$(pages)/rngsim-profile.5" ||
		    atf_fail "rngsim-profile.5 lacks $name"
	done
	page rngsim-profile.5 | sed -n '/^name = /,/^\.Ed/p' |
	    sed 's/\\(dq/"/g; /^\.Ed/d' >example.txt
	n=$(wc -l <example.txt)
	[ "$n" -ge 10 ] || atf_fail "no example"
	expand "$lib/profiles/epyc-9654-2s.conf" | head -n "$n" >file.txt
	atf_check -o empty diff file.txt example.txt
}

atf_init_test_cases() {
	atf_add_test_case man__lints
	atf_add_test_case man__names_every_option
	atf_add_test_case man__names_every_tunable
	atf_add_test_case man__names_every_choice
	atf_add_test_case man__names_every_note
	atf_add_test_case man__names_every_result_key
	atf_add_test_case man__names_every_column
	atf_add_test_case man__names_every_comparison_key
	atf_add_test_case man__names_every_profile_key
}
