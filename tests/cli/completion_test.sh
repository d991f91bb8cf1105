# Completion: each shell is asked for what a tab makes of a line.

needs=python3

# typed SHELL LINE...: the line that each LINE, and a tab, become in the shell
# on a terminal of its own.
typed() {
	PATH="$(cd "$(atf_get_srcdir)/.." && pwd):$PATH" \
	    folder=$(cd "$(source_folder)" && pwd)/packaging/completion \
	    timeout -s KILL 60 python3 - "$@" <<'PYTHON' || atf_fail "$1"
import os, pty, re, sys

shell, lines = sys.argv[1], sys.argv[2:]
folder = os.environ["folder"]
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "dumb"
    os.execlp(shell, shell, *{"bash": ["--norc", "--noprofile", "-i"],
                              "zsh": ["-f", "-i"]}[shell])
begin = {"bash": f""". {folder}/rngsim.bash
show() {{ printf '\\nLINE[%s]\\n' "$READLINE_LINE"; READLINE_LINE=; }}
bind 'set bell-style none'; bind -x '"\\C-xl": show'
""", "zsh": f"""fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D
unsetopt zle_bracketed_paste beep; PS1=; zstyle ':completion:*' menu no
show() {{ print; print -r "LINE[$BUFFER]"; BUFFER=; }}; zle -N show
bindkey '^Xl' show; bindkey '^I' complete-word
"""}[shell]
seen = b""

def wait(text):
    global seen
    while text not in seen:
        seen += os.read(fd, 4096)
    at = seen.index(text)
    head, seen = seen[:at], seen[at + len(text):]
    return head

os.write(fd, (begin + "echo READ''Y\n").encode())
wait(b"READY")
for line in lines:
    os.write(fd, line.encode() + b"\t\x18l")
    wait(b"LINE[")
    print(wait(b"]").decode())
os.kill(pid, 9)
PYTHON
}

# becomes SHELL: what the lines below become, each after its "=>".
becomes() {
	cat >table
	sed 's/ *=>.*//' table >lines
	sed 's/.*=> //; s/|$//' table >expected
	set -- "$1"
	while read -r line; do
		set -- "$@" "$line"
	done <lines
	typed "$@" >out
	diff expected out || atf_fail "$1 completes otherwise"
}

# Lines that either shell completes alike; | ends a line with a blank.
both() {
	touch a-result.json
	last=$("$(program)" list locks | sed -n '$s/^  \([^ ]*\).*/\1/p')
	becomes "$1" <<-END
	rngsim sw => rngsim sweep |
	rngsim sweep --unc => rngsim sweep --uncertainty |
	rngsim sweep -l mtx,$last => rngsim sweep -l mtx,$last |
	rngsim sweep -d locked,conc => rngsim sweep -d locked,concurrent |
	rngsim run --engine=v => rngsim run --engine=virtual |
	rngsim run -S kern.random.fortuna.minp => rngsim run -S kern.random.fortuna.minpoolsize=
	rngsim run --profile epyc-9654-2 => rngsim run --profile epyc-9654-2s |
	rngsim explore -l al => rngsim explore -l all |
	rngsim list designs loc => rngsim list designs locked |
	rngsim kernel che => rngsim kernel check |
	rngsim report a-r => rngsim report a-result.json |
	END
}

test_case completion__words "the program offers the members of each family," \
    "the options of each command, and nothing of its own"
completion__words_body() {
	for topic in designs:-d locks:-l ciphers:-c; do
		saves out list ${topic%:*}
		sed -n 's/^  \([a-z][a-z0-9-]*\) .*/\1/p' out >names
		"$(program)" --complete sweep "${topic#*:}" "" | cut -f 1 |
		    diff names - || atf_fail "$topic"
	done
	"$(program)" --complete "" | cut -f 1 >out
	for c in $(grep -v '^--' out); do
		"$(program)" --complete $c -- | cut -f 1 | sort >offered
		"$(program)" $c --help | sed -n \
		    's/^  [- ][A-Za-z ][, ] \(--[a-z-]*\).*/\1/p' | sort |
		    diff - offered || atf_fail "$c"
	done
	atf_check "$(program)" --complete frob -d ""
	atf_check "$(program)" --complete sweep -o ""
}

needs=bash\ python3
test_case completion__bash "bash"
completion__bash_body() { both bash; }

needs=zsh\ python3
test_case completion__zsh "zsh"
completion__zsh_body() { both zsh; }

needs=fish
test_case completion__fish "fish"
completion__fish_body() {
	export HOME="$PWD"
	PATH="$(cd "$(atf_get_srcdir)/.." && pwd):$PATH"
	src=$(cd "$(source_folder)" && pwd)
	for line in 'sweep -d locked,conc' 'sweep --engine=v' 'sw'; do
		fish -c "source $src/packaging/completion/rngsim.fish
		    complete -C 'rngsim $line'" | cut -f 1
	done >out
	printf '%s\n' locked,concurrent --engine=virtual sweep | diff - out ||
	    atf_fail fish
}
