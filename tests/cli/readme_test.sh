# README's own commands, targets, files and size.

# The indented lines of README that begin with a word.
lines()
{
	sed -n "s;^    \($1 .*\);\1;p" "$(source_folder)/README.md"
}

test_case readme__commands "Each rngsim command that README shows works as" \
    "written, but repeats are few and short"
readme__commands_body()
{
	mkdir build
	ln -s "$(cd "$(atf_get_srcdir)/.." && pwd)/rngsim" build/rngsim
	for folder in fortuna man tests; do
		ln -s "$(cd "$(source_folder)" && pwd)/$folder" $folder
	done
	# patch(1) follows no link.
	cp -R "$(source_folder)/harvest" .
	lines '\(build/rngsim\|sed\|mkdir\)' | sed -e 's/ -n \(5\|10\) / -n 3 /' \
	    -e 's/ -t 0\.[0-9]*/ -t 0.02/' -e 's/--budget 5/--budget 1/' >commands
	[ "$(wc -l <commands)" -ge 10 ] || atf_fail "README shows few commands"
	while read -r line; do
		echo "$line"
		# A pipe has the status of its last command alone.
		case $line in
		*\|*)	sh -c "${line%%|*}" </dev/null >out 2>err ||
			    atf_fail "${line%%|*}: exit $?: $(cat err)";;
		esac
		# What a busy machine measures, compare may refuse.
		sh -c "$line" </dev/null >out 2>err ||
		    grep -q 'every row was refused' err ||
		    atf_fail "$line: exit $?: $(cat err)"
		[ -s out ] || [ "${line%> *}" != "$line" ] ||
		    atf_fail "$line printed nothing"
		for word in $line; do
			case $word in
			build/*.*) [ -s "$word" ] || atf_fail "$line: no $word";;
			esac
		done
	done <commands
}

needs=make
test_case readme__names "Each make target, page, file and function that" \
    "README names exists"
readme__names_body()
{
	src=$(cd "$(source_folder)" && pwd)
	readme=$src/README.md
	{ grep -o '`make [a-z-]*' "$readme" | sed 's/`make //'
	    lines make | sed 's/^make //'; } | sort -u >names
	[ "$(wc -l <names)" -ge 4 ] || atf_fail "few targets"
	while read -r name; do
		[ -z "$name" ] ||
		    grep -q "^\([a-z-]* \)*$name\( [a-z-]*\)*:" "$src/Makefile" ||
		    atf_fail "there is no target $name"
	done <names
	grep -o '`rngsim[a-z-]*([157])`' "$readme" |
	    sed 's,`\(.*\)(\(.\))`,man/\1.\2,' >names
	grep -o '`\(bench\|fortuna\|harvest\|lib\|tests\|man\|\.ci\)/[^` ]*`' \
	    "$readme" | tr -d '`' | grep -v 'NAME\|\*' >>names
	[ "$(wc -l <names)" -ge 20 ] || atf_fail "few files"
	while read -r name; do
		[ -e "$src/$name" ] || atf_fail "there is no file $name"
	done <names
	# "`function()` in `file`"
	grep -o '`[a-z_]*()` [a-z ]*in `[^`]*`' "$readme" | tr -d '`()' >names
	[ "$(wc -l <names)" -ge 3 ] || atf_fail "few functions"
	while read -r name rest; do
		grep -q "^$name(" "$src/${rest##* }" ||
		    atf_fail "${rest##* } has no $name()"
	done <names
}

needs=make
test_case readme__make_stops "make says that no build can be in a folder with a" \
    "blank, and nothing else"
readme__make_stops_body()
{
	unset MAKEFLAGS MAKELEVEL MFLAGS
	for make in make bmake; do
		command -v $make >path || continue
		case $($make --version 2>/dev/null) in
		GNU*)	want=2 ;;
		*)	want=1 ;;
		esac
		$make -C "$(source_folder)" BUILDDIR='a b' >out 2>&1
		status=$?
		[ $status = $want ] || atf_fail "$make: exit $status: $(cat out)"
		sed '/directory/d; /^$/d; /: stopped in/d' out >said
		[ "$(wc -l <said)" = 2 ] || atf_fail "$make: $(cat out)"
		sed -n 1p said | grep -q 'a b: .* no blanks' &&
		    sed -n 2p said | grep -q 'stop.mk.*rules.sh failed' ||
		    atf_fail "$make: $(cat out)"
	done
}

test_case readme__is_short "README has at most 250 lines, 2,500 words and one" \
    "picture"
readme__is_short_body()
{
	readme=$(source_folder)/README.md
	[ "$(wc -l <"$readme")" -le 250 ] || atf_fail "too many lines"
	[ "$(wc -w <"$readme")" -le 2500 ] || atf_fail "too many words"
	[ "$(grep -c '^!\[' "$readme")" = 1 ] || atf_fail "pictures"
}
