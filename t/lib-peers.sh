# SPDX-License-Identifier: GPL-2.0-only
# For scripts that run the same commands with our git and with stock git, in
# two directories with the same content: ours/ and theirs/. Source it after
# test-lib.sh.

if ! test_have_prereq PEER; then
	skip_all='no stock git to compare with'
	test_done
fi

# peers_init [OPTIONS]: two empty repositories, made by stock git.
peers_init () {
	rm -rf ours theirs &&
	stock init -q "$@" theirs &&
	cp -R theirs ours
}

# peers_do 'script': the same changes in both work trees.
peers_do () {
	(cd ours && eval "$1") && (cd theirs && eval "$1")
}

# Which hints there are is compared, not how they are turned off: that line has changed in Git.
same_hints () {
	sed -i -e "s/^hint: \$/hint:/" -e "/^hint: Turn this message off by/d" -e "/^hint: .git config advice/d" \
		-e "/^hint: Disable this message/d" -e "s/.git config set advice/\`git config advice/" "$@"
}

# Newer versions of Git begin their messages with a small letter, end them without a full stop,
# and say more in hints. The files themselves stay as they are.
same_wording () {
	same_bytes "$1" "$2" && return 0
	cp "$1" wording.theirs && cp "$2" wording.ours &&
	sed -i -e "/^hint: \(is subject to change\|of your new repos\|will change to\|to use in all of your\|call:\)/d" \
		-e "/^hint:\$/d" -e "/^hint: See .git help check-ref-format/d" -e "s/^hint: \(If you are sure you want to\)/\1/" \
		-e "s/ checked out at / used by worktree at /" -e "s/cannot update ref '[^']*': trying to write/trying to write/" \
		-e "s/\(trying to write non-commit object .* to branch\) '[^']*'/\1/" \
		-e "s/could not lookup commit '\(.*\)'/could not lookup commit \1/" \
		-e "s/unrecognized %(\([^:)]*\):[^)]*) argument/unrecognized %(\1) argument/" \
		-e "s/unrecognized \(email option\|%([*]*[a-z]*email) argument\): .*/unrecognized email option/" \
		-e "s/<newvalue>/<new-oid>/; s/<oldvalue>/<old-oid>/" -e "s/^\(fatal\|error\|warning\): [A-Z]/\L&/" \
		-e "/^\(fatal\|error\|warning\): /s/\.\$//" -e "/^If you are sure you want/s/\.\$//" wording.theirs wording.ours &&
	test_cmp wording.theirs wording.ours
}

# same_bytes A B: without a program if one of them is empty
same_bytes () {
	if test -s "$1" && test -s "$2"; then
		cmp -s "$1" "$2"
	else
		test -f "$1" && test -f "$2" && ! test -s "$1" && ! test -s "$2"
	fi
}

# peers_git ARGS: run it on both sides; compare exit code and standard output;
# standard error too unless PEERS_STDERR=ignore. Leaves out.ours, err.ours.
peers_git () {
	local ours=0 theirs=0
	(cd "ours/$PEERS_DIR" && git "$@") <"${PEERS_STDIN:-/dev/null}" \
		>out.ours 2>err.ours || ours=$?
	(cd "theirs/$PEERS_DIR" && stock "$@") <"${PEERS_STDIN:-/dev/null}" \
		>out.theirs 2>err.theirs || theirs=$?
	# Most answers are the same as they are.
	test "$ours" -eq "$theirs" && same_bytes out.theirs out.ours && same_bytes err.theirs err.ours && return 0
	# Older ones write strict ISO 8601 in UTC with +00:00, newer ones with Z.
	sed -i -e "s#/theirs\\b#/ours#g" -e "s/\(T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]\)+00:00/\1Z/g" \
		-e "s#(use \"git pull\" to merge the remote branch into yours)#(use \"git pull\" if you want to integrate the remote branch with yours)#" \
		out.theirs err.theirs
	same_hints err.theirs err.ours
	if test "$ours" -ne "$theirs"; then
		echo "exit code of git $*: $ours, stock: $theirs"
		cat err.ours
		return 1
	fi
	test_cmp out.theirs out.ours || return 1
	test "$PEERS_STDERR" = ignore || same_wording err.theirs err.ours
}

# Checks that both indexes have the same content, and that stock git finds ours sound.
peers_same_index () {
	stock -C theirs ls-files -s -t >index.theirs &&
	stock -C ours ls-files -s -t >index.ours &&
	test_cmp index.theirs index.ours
}
