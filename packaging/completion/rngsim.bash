# Completion of rngsim(1) for bash: the program has the words.
_rngsim()
{
	local line=${COMP_LINE:0:COMP_POINT} words IFS
	read -ra words <<<"$line"
	[[ $line != *[[:space:]] ]] || words+=("")
	# bash replaces only what follows "=" or ":".
	local typed=${words[-1]}
	local kept=${typed%"$2"}
	IFS=$'\n'
	COMPREPLY=($("$1" --complete "${words[@]:1}" 2>/dev/null | cut -f 1))
	COMPREPLY=("${COMPREPLY[@]#"$kept"}")
	[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace
}
complete -o default -F _rngsim rngsim
