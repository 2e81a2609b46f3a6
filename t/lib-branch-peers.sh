# SPDX-License-Identifier: GPL-2.0-only
# After lib-peers.sh: for scripts that compare what commands do to refs.

GIT_AUTHOR_DATE='1700000000 +0000'
GIT_COMMITTER_DATE='1700000000 +0000'
export GIT_AUTHOR_DATE GIT_COMMITTER_DATE

# files_below DIR: adds the files there to $files, one a line, in the order of their names. No program runs.
files_below () {
	local file
	for file in "$1"/* "$1"/.[!.]*; do
		if test -h "$file"; then
			:
		elif test -d "$file"; then
			files_below "$file"
		elif test -f "$file"; then
			files="$files$file
"
		fi
	done
}

# ref_state DIR: refs, HEADs, logs, configuration. The log of HEAD without the lines of
# a branch that is renamed or copied, of which we write one and stock git two.
ref_state () {
	(
		cd "$1" &&
		stock for-each-ref --format='%(refname) %(objectname) %(symref)' || exit
		head_log=.git/logs/HEAD
		if test -f $head_log; then
			echo "== $head_log"
			grep -v 'Branch: ' $head_log
		fi
		files=
		files_below .git/logs
		set -f
		IFS='
'
		set -- .git/HEAD $files
		set +f
		for file; do
			shift
			test "$file" = $head_log || set -- "$@" "$file"
		done
		for file in .git/worktrees/*/HEAD; do
			test ! -f "$file" || set -- "$@" "$file"
		done
		tail -v -n +1 -- "$@" .git/config
	)
}

# Checks that both are in the same state, and that no lock is left in ours.
peers_same_refs () {
	ref_state theirs >state.theirs &&
	ref_state ours >state.ours &&
	test_cmp state.theirs state.ours &&
	find ours/.git -name '*.lock' >locks &&
	test_must_be_empty locks
}

# peers_each: each line of standard input is a command line of git; with '!' in front standard
# error is not compared (usage, where options are newer). After each line CHECK has to succeed;
# without CHECK, both have to have the same refs.
peers_each () {
	local line PEERS_STDERR check="${1:-peers_same_refs}"
	while read -r line; do
		PEERS_STDERR=
		case $line in
		'!'*) PEERS_STDERR=ignore line=${line#!} ;;
		esac
		eval "peers_git $line" </dev/null || {
			echo "in: git $line"
			return 1
		}
		$check || {
			echo "after: git $line"
			return 1
		}
	done
}
