# Machine profiles as the program shows them.

program() { echo "$(atf_get_srcdir)/../rngsim"; }

source_dir() { atf_config_get source "$(atf_get_srcdir)/../.."; }

# No profile of whoever runs the tests.
RNGSIM_HOST_PROFILE=/nonexistent/host.conf
export RNGSIM_HOST_PROFILE

# Keys of the table.
keys() {
	sed -n 's/^PROFILE_VALUE([A-Z0-9_]*, "\([a-z0-9_.]*\)".*/\1/p' \
	    "$(source_dir)/lib/profile.tbl"
}

atf_test_case profile__files
profile__files_head() {
	atf_set descr "the profiles listed are those in lib/profiles, and say \
what the files say"
}
profile__files_body() {
	"$(program)" list profiles >list.txt || atf_fail "list profiles"
	sed -n 's/^  \([a-z][^ ]*\) .*/\1/p' list.txt | sort >names.txt
	(cd "$(source_dir)/lib/profiles" && ls | sed -n 's/\.conf$//p') |
	    sort >files.txt
	atf_check -o empty diff names.txt files.txt
	while read -r name; do
		"$(program)" list profiles $name >embedded.txt ||
		    atf_fail "$name"
		atf_check -o file:embedded.txt "$(program)" list profiles \
		    "$(source_dir)/lib/profiles/$name.conf"
		sed -n '2,$s/^  \([a-z][^ ]*\) .*/\1/p' embedded.txt >got.txt
		keys >keys.txt
		atf_check -o empty diff keys.txt got.txt
	done <names.txt
	# Machine, share of guesses, and a value with all that is said of it.
	grep -q '^  epyc-9654-2s  *192  *2  *[0-9]* %$' list.txt ||
	    atf_fail "$(cat list.txt)"
	"$(program)" list profiles epyc-9654-2s >one.txt
	grep -q '^  lat.remote  *192 ns  *published  *[a-z]' one.txt ||
	    atf_fail "$(cat one.txt)"
	"$(program)" list profiles graviton3 >one.txt
	grep -q '^  lat.remote  *-  *absent$' one.txt ||
	    atf_fail "$(cat one.txt)"
}

atf_test_case profile__host
profile__host_head() {
	atf_set descr "the user's own host profile takes the shipped one's \
place, and what is wrong with it is said"
}
profile__host_body() {
	conf=$(source_dir)/lib/profiles/graviton3.conf
	"$(program)" list profiles host >shipped.txt || atf_fail "shipped"
	sed 's/^descr.*/descr = "my own";/' "$conf" >own.conf
	RNGSIM_HOST_PROFILE=own.conf
	atf_check -o match:'^graviton3: my own$' "$(program)" list profiles host
	atf_check -o match:'^  host  *64  *1  ' -o match:'^      my own$' \
	    "$(program)" list profiles
	unset RNGSIM_HOST_PROFILE
	mkdir -p config/rngsim
	mv own.conf config/rngsim/host.conf
	XDG_CONFIG_HOME=config
	export XDG_CONFIG_HOME
	atf_check -o match:'^graviton3: my own$' "$(program)" list profiles host
	echo 'name = 5;' >config/rngsim/host.conf
	atf_check -s exit:1 -o empty \
	    -e match:'^rngsim: list: config/rngsim/host.conf:1: name: is a num' \
	    "$(program)" list profiles host
	complains 2 'name: is a number|calibrate this machine again' run \
	    --engine virtual -t 0.01
	# The others are listed all the same.
	atf_check -o match:'^  host .*host.conf:1: name: is a number' \
	    -o match:'^  graviton3 ' "$(program)" list profiles
	XDG_CONFIG_HOME=nowhere
	atf_check -o file:shipped.txt "$(program)" list profiles host
}

atf_test_case profile__refused
profile__refused_head() {
	atf_set descr "profiles that are none, and a NAME where none belongs"
}
profile__refused_body() {
	atf_check -s exit:2 -o empty -e match:'"nope": expected host, ' \
	    "$(program)" list profiles nope
	atf_check -s exit:2 -o empty -e match:'none.conf: No such file' \
	    "$(program)" list profiles ./none.conf
	atf_check -s exit:2 -o empty -e match:'surplus operand "aes"' \
	    "$(program)" list ciphers aes
	atf_check -s exit:2 -o empty -e match:'surplus operand "host"' \
	    "$(program)" list profiles host host
	mkdir d.conf
	atf_check -s exit:1 -o empty -e match:'d.conf: Is a directory' \
	    "$(program)" list profiles d.conf
	sed 's/rmw = (5,/rmw = (-5,/' \
	    "$(source_dir)/lib/profiles/epyc-9654-2s.conf" >bad.conf
	line=$(grep -n 'rmw = ' bad.conf | cut -d: -f1)
	atf_check -s exit:1 -o empty \
	    -e match:"list: bad.conf:$line: lat.rmw: -5 is neg.*expected 0" \
	    "$(program)" list profiles bad.conf
}

atf_init_test_cases() {
	atf_add_test_case profile__files
	atf_add_test_case profile__host
	atf_add_test_case profile__refused
}
