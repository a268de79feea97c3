# Completion of portico for fish. Portico itself knows the words.
function __portico_words
	set -l words (commandline -opc) (commandline -ct)
	$words[1] complete -- $words[2..-1] 2>/dev/null
end
complete -c portico -f -a '(__portico_words)'
complete -c portico -n 'test -z "$(__portico_words)"' -F
