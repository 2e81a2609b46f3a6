# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC3043
#
# For tests of receive-pack: a client that is ours, and what it says, to be said again.

# server NAME: a bare repository with main (three commits of "work")
server () {
	rm -rf "$1" && git init -q --bare -b main "$1" && git -C work push -q "../$1" main
}

client_work () {
	git init -q -b main work && for i in 1 2 3; do
		test_commit -C work c$i f$i || return 1
	done
}

# push SERVER ARG...: as git push; its output is in "out"
push () {
	local to=$1
	shift
	git -C work push "../$to" "$@" >out 2>&1
}

# record SERVER ARG...: what the client of such a push says to the server is in the file "request"; nothing is changed
record () {
	local to=$1
	shift
	rm -rf recorded request && cp -a "$to" recorded && write_script tee-receive-pack <<-EOF &&
	tee "$PWD/request" | git receive-pack "\$@"
	EOF
	git -C work push -q --receive-pack="$PWD/tee-receive-pack" ../recorded "$@"
}

# say SERVER FILE: that to a server; its answer, in lines, is in "answer"
say () {
	local code=0
	git receive-pack "$1" <"$2" >raw 2>err || code=$?
	"$GIT_BUILD_DIR/t/helper/pkt" decode <raw | tr '\000' ' ' >answer
	return $code
}

refs () {
	git -C "$1" for-each-ref --format="%(refname) %(objectname)"
}

# unchanged SERVER: as "before" has it, with nothing left
unchanged () {
	refs "$1" >now && test_cmp before now && clean "$1"
}
clean () {
	find "$1" -name "tmp_*" -o -name "*.lock" >litter && test_must_be_empty litter && git -C "$1" fsck --strict --no-dangling >fsck 2>&1 || {
		cat fsck >&4
		return 1
	}
}
