# Machine profiles as the program shows them.

# Not the user's own profile.
RNGSIM_HOST_PROFILE=/nonexistent/host.conf
export RNGSIM_HOST_PROFILE

# Keys of the table.
keys() {
	sed -n 's/^VALUE([A-Z0-9_]*, "\([a-z0-9_.]*\)".*/\1/p' \
	    "$(source_folder)/lib/profile/profile.tbl"
}

test_case profile__files "the listed profiles are those in lib/profile, with" \
    "the values of the files"
profile__files_body() {
	"$(program)" list profiles >list.txt || atf_fail "list profiles"
	grep -q '^  host  *this machine, after "rngsim calibrate"$' list.txt ||
	    atf_fail "$(cat list.txt)"
	sed -n '/^  host /d; s/^  \([a-z][^ ]*\) .*/\1/p' list.txt |
	    sort >names.txt
	(cd "$(source_folder)/lib/profile" && ls | sed -n '/^common/d; s/\.conf$//p') |
	    sort >files.txt
	atf_check -o empty diff names.txt files.txt
	while read -r name; do
		"$(program)" list profiles $name >embedded.txt ||
		    atf_fail "$name"
		atf_check -o file:embedded.txt "$(program)" list profiles \
		    "$(source_folder)/lib/profile/$name.conf"
		# Without what is printed no other folder is needed.
		cp embedded.txt copy.conf
		atf_check -o file:embedded.txt "$(program)" list profiles \
		    copy.conf
		sed -n 's/^\([a-z][^ ]*\) = .*/\1/p' embedded.txt |
		    sort >got.txt
		(echo name; echo descr; keys) | sort >keys.txt
		atf_check -o empty comm -13 keys.txt got.txt
	done <names.txt
	# Machine, share of guesses, and a value with its provenance.
	grep -q '^  epyc-9654-2s  *192  *2  *[0-9]* %$' list.txt ||
	    atf_fail "$(cat list.txt)"
	"$(program)" list profiles epyc-9654-2s >one.txt
	grep -q '^lat.remote = 192 ns published "[a-z]' one.txt ||
	    atf_fail "$(cat one.txt)"
	# It predicts as the shipped one does.
	for p in epyc-9654-2s ./one.conf; do
		saves $p.json run --engine virtual --profile $p -r 2 -t 0.01 \
		    --seed 1 --format json
		cp one.txt one.conf
	done
	grep trace_hash epyc-9654-2s.json >hash.txt
	atf_check -o file:hash.txt grep trace_hash one.conf.json
}

test_case profile__host "there is no profile of the host until the user has" \
    "one, and its errors are reported"
profile__host_body() {
	conf=$(source_folder)/lib/profile/graviton3.conf
	missing='no profile of this machine: run "rngsim calibrate"|graviton3'
	complains 2 "$missing" run --engine virtual -t 0.01
	complains 2 "$missing" sweep --engine virtual --profile host -t 0.01
	complains 2 "$missing" validate
	complains 2 "$missing" list profiles host
	sed 's/^descr.*/descr = "my own"/' "$conf" >own.conf
	RNGSIM_HOST_PROFILE=own.conf
	shows '^descr = "my own"$' list profiles host
	shows 'for graviton3' run --engine virtual -r 1 -t 0.01
	atf_check -o match:'^  host  *64  *1  ' -o match:'^      my own$' \
	    "$(program)" list profiles
	unset RNGSIM_HOST_PROFILE
	mkdir -p config/rngsim
	mv own.conf config/rngsim/host.conf
	XDG_CONFIG_HOME=config
	export XDG_CONFIG_HOME
	shows '^descr = "my own"$' list profiles host
	echo 'name = 5' >config/rngsim/host.conf
	fails 1 '^rngsim: list: config/rngsim/host.conf:1: name: the text is' \
	    list profiles host
	complains 2 'name: the text is|calibrate this machine again' run \
	    --engine virtual -t 0.01
	# The others are listed all the same.
	atf_check -o match:'^  host .*host.conf:1: name: the text is' \
	    -o match:'^  graviton3 ' "$(program)" list profiles
	XDG_CONFIG_HOME=nowhere
	complains 2 "$missing" list profiles host
}

test_case profile__refused "what is not a profile, and a surplus NAME"
profile__refused_body() {
	fails 2 '"nope": expected host, ' list profiles nope
	fails 2 'none.conf: No such file' list profiles ./none.conf
	fails 2 'surplus operand "aes"' list ciphers aes
	fails 2 'surplus operand "host"' list profiles host host
	mkdir d.conf
	fails 1 'd.conf: Is a directory' list profiles d.conf
	sed 's/rmw = 5/rmw = -5/' \
	    "$(source_folder)/lib/profile/epyc-9654-2s.conf" >bad.conf
	line=$(grep -n 'rmw = ' bad.conf | cut -d: -f1)
	fails 1 "list: bad.conf:$line: lat.rmw: .-5. is neg.*expected 0" list \
	    profiles bad.conf
}
