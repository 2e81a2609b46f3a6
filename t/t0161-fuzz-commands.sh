#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='whole commands on damaged repositories, for a moment

A fixed seed, so that every run does the same. To search for faults: make fuzz FUZZ_TIME=600.'
. "$(dirname "$0")/test-lib.sh"

FUZZ=$TEST_DIRECTORY/fuzz/commands
test_have_prereq PYTHON || {
	skip_all='python3 is missing'
	test_done
}
test -z "$GIT_TEST_VALGRIND" || {
	skip_all='valgrind needs more memory than the commands may have'
	test_done
}
in_memory
REAL=$(command -v git)
rounds=24
test -z "$GIT_TEST_LONG" || rounds=2000

test_expect_success 'no finding' '
	"$FUZZ" --git "$REAL" --dir . --limit 120 --seed 7 --rounds $rounds
'

# Each fault in a command that is otherwise the real one. The template is made with fixed dates.
test_expect_success 'each kind of fault is found' '
	write_script faulty <<-EOS &&
	# $(grep -ao __asan_init "$REAL" | head -n 1): by this word it is known that memory is not to be limited
	test -n "\$GIT_COMMITTER_DATE" || case "\$1" in
	cat-file)	kill -SEGV \$\$ ;;
	fsck)		echo "x.c:1:2: runtime error: of UBSan" >&2 ;;
	var)		sleep 100 ;;
	show-ref)	touch .git/HEAD ;;
	branch)		echo x >>../outside/victim ;;
	commit)		>.git/index.lock ;;
	tag)		exit 0 ;;
	update-ref)	touch .git/config; exit 128 ;;
	pack-refs)	rm -f .git/refs/heads/loose/deep ;;
	esac
	exec "$REAL" "\$@"
	EOS
	test_expect_code 1 "$FUZZ" --git faulty --dir . --limit 10 --rounds 0 >out &&
	test_grep "git cat-file .*: signal: 11" out &&
	test_grep "git fsck.*: sanitizer" out &&
	test_grep "git var .*: time: " out &&
	test_grep "git show-ref .*: changed: repo/.git/HEAD" out &&
	test_grep "git branch .*: outside: outside/victim" out &&
	test_grep "git commit -q .*: left: repo/.git/index.lock" out &&
	test_grep "git tag -a .*: lost: " out &&
	test_grep "git update-ref .*: half: repo/.git/config" out &&
	test_grep "git pack-refs --all: lost: refs were" out &&
	test_grep "to repeat: t/fuzz/commands --git faulty --rounds 0" out
'

test_done
