# Completion of rngsim(1) for fish: the program has the words.
function __rngsim_words
	set -l words (commandline -opc)
	$words[1] --complete $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c rngsim -n 'count (__rngsim_words) >/dev/null' -f -a '(__rngsim_words)'
