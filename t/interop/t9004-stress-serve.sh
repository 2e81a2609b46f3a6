#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='stock Git clones, fetches and commits while our server and our upkeep are at work

A moment of t/stress-serve, which runs as long as one likes. Upkeep by stock Git is left out: among
fast writers it loses an object now and then that nothing leads to yet.'
. "$(dirname "$0")/../test-lib.sh"

if ! test_have_prereq STOCK_GIT || ! test_have_prereq PYTHON
then
	skip_all='needs a stock git as a client, and python3'
	test_done
fi

seconds=5
test -z "$GIT_TEST_LONG" || seconds=600

stress () {
	"$TEST_DIRECTORY/stress-serve" --stock "$STOCK_GIT" --upkeep "$GIT_BUILD_DIR/git" --dir "$PWD" \
		--commits 4 "$@"
}

test_expect_success 'no fetch fails and no object is lost' '
	stress --git "$GIT_BUILD_DIR/git" --seconds $seconds >out &&
	test_grep "[1-9][0-9]* clones, .* [1-9][0-9]* commits, .* upkeeps" out
'

# It answers, but with the state at its first request; or not every time.
test_expect_success 'a server that is wrong is seen' '
	write_script old <<-EOF &&
	exec 9>"$PWD/old.lock" && flock 9
	test -d "$PWD/old.git" || "$STOCK_GIT" clone -q --mirror --no-local "\$2" "$PWD/old.git" || exit
	exec "$GIT_BUILD_DIR/git" upload-pack "$PWD/old.git" 9>&-
	EOF
	test_expect_code 1 stress --git "$PWD/old" --seconds 60 >out && test_grep "stale: " out &&
	write_script fails <<-EOF &&
	test -e "$PWD/once" || { >"$PWD/once"; exec "$GIT_BUILD_DIR/git" "\$@"; }
	exit 1
	EOF
	test_expect_code 1 stress --git "$PWD/fails" --seconds 60 >out && test_grep "failed: " out
'

# What has been acknowledged must be there: upkeep that loses a branch, an object.
test_expect_success 'upkeep that loses something is seen' '
	write_script loses <<-EOF &&
	rm -f "\$2"/objects/pack/*.pack
	EOF
	test_expect_code 1 stress --git "$GIT_BUILD_DIR/git" --upkeep "$PWD/loses" --seconds 60 >out &&
	test_grep "broken: the served repository" out
'

test_done
