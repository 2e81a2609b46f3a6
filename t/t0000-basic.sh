#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='the test library itself: what fails is reported as failed'
test_without_git=1
. "$(dirname "$0")/test-lib.sh"

# sub NAME [OPTION...] <BODY: run a script of its own with the library; its
# output is in NAME.out and NAME.err, its exit code in NAME.code.
sub () {
	local name=$1 code=0
	shift
	mkdir -p "$name.d" &&
	{
		echo "test_description='sub-script'"
		echo "test_without_git=1"
		echo ". \"$TEST_DIRECTORY/test-lib.sh\""
		cat
	} >"$name.d/t9999-sub.sh" &&
	cp "$TEST_DIRECTORY/test-lib.sh" "$TEST_DIRECTORY/stand-in" "$name.d/" &&
	(
		unset GIT_TEST_DEFAULT_HASH GIT_TEST_DEFAULT_REF_FORMAT GIT_TEST_FSYNC_METHOD
		GIT_TEST_ROOT=$PWD/$name.d/trash "${TEST_SHELL:-/bin/sh}" \
			"$name.d/t9999-sub.sh" "$@"
	) >"$name.out" 2>"$name.err" || code=$?
	echo "$code" >"$name.code"
}

sub_code () {
	test "$(cat "$1.code")" = "$2" || {
		echo "$1 ended with $(cat "$1.code"), not $2"
		cat "$1.out" "$1.err"
		return 1
	}
}

test_expect_success 'a script of passing tests passes and leaves nothing' '
	sub pass <<-\EOS &&
	test_expect_success "one" "true"
	test_expect_success "two" "
		true &&
		echo said
	"
	test_done
	EOS
	sub_code pass 0 &&
	cat >expect <<-\EOS &&
	ok 1 - one
	ok 2 - two
	1..2
	EOS
	test_cmp expect pass.out &&
	test_must_be_empty pass.err &&
	ls -A pass.d/trash >left &&
	test_must_be_empty left
'

test_expect_success 'a failing test is reported, shown, and fails the script' '
	sub fail <<-\EOS &&
	test_expect_success "good" "true"
	test_expect_success "bad" "echo why-it-failed && false"
	test_expect_success "after" "true"
	test_done
	EOS
	sub_code fail 1 &&
	cat >expect <<-\EOS &&
	ok 1 - good
	not ok 2 - bad
	ok 3 - after
	1..3
	EOS
	test_cmp expect fail.out &&
	grep "^# why-it-failed" fail.err &&
	test -d fail.d/trash/t9999-sub
'

test_expect_success PERL 'prove sees the failure' '
	test_expect_code 1 env GIT_TEST_ROOT="$PWD/prove-trash" \
		prove --exec /bin/sh fail.d/t9999-sub.sh >out 2>&1 &&
	test_grep "Failed test:  *2" out &&
	test_grep "Result: FAIL" out
'

test_expect_success 'a script that does not reach test_done fails' '
	sub early <<-\EOS &&
	test_expect_success "one" "true"
	exit 0
	EOS
	sub_code early 1 &&
	test_grep "^not ok 2 - the script ended" early.out
'

test_expect_success 'exit in a body fails the script' '
	sub exits <<-\EOS &&
	test_expect_success "one" "exit 0"
	test_done
	EOS
	sub_code exits 1 &&
	test_grep "^not ok" exits.out
'

test_expect_success 'a broken && chain fails, whatever the commands do' '
	sub chain <<-\EOS &&
	test_expect_success "broken" "
		false
		true
	"
	test_done
	EOS
	sub_code chain 1 &&
	test_grep "^not ok 1" chain.out &&
	test_grep "broken && chain" chain.err
'

test_expect_success 'a syntax error in a body is not a pass' '
	sub syntax <<-\EOS &&
	test_expect_success "broken" "if true; then"
	test_done
	EOS
	! sub_code syntax 0 >/dev/null
'

test_expect_success 'known faults do not fail the script' '
	sub todo <<-\EOS &&
	test_expect_failure "still there" "false"
	test_expect_failure "gone" "true"
	test_done
	EOS
	sub_code todo 0 &&
	test_grep "^not ok 1 - still there # TODO" todo.out &&
	test_grep "^ok 2 - gone # TODO" todo.out
'

test_expect_success 'prerequisites: set, lazy, missing, negated' '
	sub prereq <<-\EOS &&
	test_set_prereq HAVE
	test_lazy_prereq YES "true"
	test_lazy_prereq NO "false"
	test_lazy_prereq INNER "true"
	test_lazy_prereq OUTER "echo x >f && test_have_prereq INNER && test -f f"
	test_expect_success OUTER "nested" "true"
	test_expect_success HAVE,YES,!NO "runs" "true"
	test_expect_success HAVE,NO "no" "false"
	test_expect_success !YES "not-yes" "false"
	test_expect_success UNHEARD_OF "unknown" "false"
	test_done
	EOS
	sub_code prereq 0 &&
	cat >expect <<-\EOS &&
	ok 1 - nested
	ok 2 - runs
	ok 3 - no # SKIP missing NO
	ok 4 - not-yes # SKIP missing !YES
	ok 5 - unknown # SKIP missing UNHEARD_OF
	1..5
	EOS
	test_cmp expect prereq.out
'

test_expect_success 'skip_all' '
	sub skip <<-\EOS &&
	skip_all="no such thing here"
	test_done
	EOS
	sub_code skip 0 &&
	echo "1..0 # SKIP no such thing here" >expect &&
	test_cmp expect skip.out
'

test_expect_success '-i stops at the first failure and keeps the directory' '
	sub stop -i <<-\EOS &&
	test_expect_success "bad" "
		test_when_finished \"rm -f left\" &&
		>left &&
		false
	"
	test_expect_success "never" "true"
	test_done
	EOS
	sub_code stop 1 &&
	test_grep ! never stop.out &&
	test_path_is_file stop.d/trash/t9999-sub/left
'

test_expect_success '-v shows what a test prints, -x what it runs' '
	sub verbose -v -x <<-\EOS &&
	test_expect_success "talks" "echo hello-\$((1 + 1))"
	test_done
	EOS
	sub_code verbose 0 &&
	test_grep "^hello-2" verbose.err &&
	test_grep "^+ echo hello-2" verbose.err &&
	test_grep ! hello verbose.out
'

test_expect_success '--run chooses' '
	sub chosen --run=2 <<-\EOS &&
	test_expect_success "one" "false"
	test_expect_success "two" "true"
	test_done
	EOS
	sub_code chosen 0 &&
	test_grep "^ok 2 - two" chosen.out
'

test_expect_success 'test_when_finished: runs last-in first-out, also on failure' '
	sub finish <<-\EOS &&
	test_expect_success "bad" "
		test_when_finished \"echo a >>../../order\" &&
		test_when_finished \"echo b >>../../order\" &&
		false
	"
	test_expect_success "clean-up fails" "
		test_when_finished false
	"
	test_done
	EOS
	sub_code finish 1 &&
	printf "b\na\n" >expect &&
	test_cmp expect finish.d/order &&
	test_grep "^not ok 2" finish.out
'

test_expect_success 'variables set in a body are kept, its current directory is not' '
	mkdir sub &&
	cd sub &&
	kept=yes
'
test_expect_success '... as seen by the next body' '
	test "$kept" = yes &&
	test "$PWD" = "$TRASH_DIRECTORY"
'

test_expect_success 'test_must_fail: accepts failure, but not success, a crash or a missing program' '
	test_must_fail false &&
	test_must_fail sh -c "exit 128" &&
	test_must_fail sh -c "exit 129" &&
	! test_must_fail true &&
	! test_must_fail no-such-command-at-all &&
	! test_must_fail sh -c "kill -SEGV \$\$" &&
	! test_must_fail sh -c "kill -ABRT \$\$" &&
	! test_must_fail sh -c "exit 126" &&
	! test_must_fail sh -c "kill -PIPE \$\$" &&
	test_must_fail ok=sigpipe sh -c "kill -PIPE \$\$"
'

test_expect_success 'test_might_fail: accepts success and failure, but no crash' '
	test_might_fail true &&
	test_might_fail false &&
	! test_might_fail sh -c "kill -SEGV \$\$"
'

test_expect_success 'test_expect_code' '
	test_expect_code 3 sh -c "exit 3" &&
	test_expect_code 0 true &&
	! test_expect_code 3 true &&
	! test_expect_code 0 false
'

test_expect_success 'comparing files' '
	printf "a\nb\n" >one &&
	cp one same &&
	echo c >other &&
	: >empty &&
	test_cmp one same &&
	! test_cmp one other &&
	! test_cmp one missing &&
	! test_cmp missing missing &&
	test_cmp_bin one same &&
	! test_cmp_bin one other &&
	test_line_count = 2 one &&
	test_line_count -lt 2 other &&
	! test_line_count = 1 one &&
	! test_line_count = 0 missing &&
	test_must_be_empty empty &&
	! test_must_be_empty one &&
	! test_must_be_empty missing &&
	test_file_not_empty one &&
	! test_file_not_empty empty
'

test_expect_success 'test_grep' '
	printf "apple\npear\n" >fruit &&
	test_grep pear fruit &&
	test_grep -E "^(pear|plum)$" fruit &&
	! test_grep plum fruit &&
	test_grep ! plum fruit &&
	! test_grep ! pear fruit &&
	! test_grep pear missing &&
	! test_grep ! pear missing
'

test_expect_success SYMLINKS 'paths' '
	mkdir dir &&
	: >file &&
	ln -s nowhere dangling &&
	test_path_is_file file && ! test_path_is_file dir &&
	test_path_is_dir dir && ! test_path_is_dir file &&
	test_path_is_symlink dangling && ! test_path_is_symlink file &&
	test_path_exists dangling && ! test_path_exists absent &&
	test_path_missing absent && ! test_path_missing file &&
	! test_path_missing dangling
'

test_expect_success 'the environment is clean' '
	env | sed -n "s/^\(GIT_[A-Z_]*\)=.*/\1/p" | sort >vars &&
	test_grep ! "^GIT_DIR$" vars &&
	test_grep GIT_AUTHOR_NAME vars &&
	test "$HOME" = "$TRASH_DIRECTORY" &&
	test "$(date -d @0 +%H:%Z)" = 00:UTC
'

test_expect_success 'variables GIT_* of the caller are not seen by tests' '
	GIT_DIR=/nowhere GIT_INDEX_FILE=/nowhere sub leak <<-\EOS &&
	test_expect_success "unset" "
		test -z \"\${GIT_DIR-}\${GIT_INDEX_FILE-}\"
	"
	test_done
	EOS
	sub_code leak 0
'

test_expect_success 'test_tick adds a minute' '
	test_tick &&
	one=${GIT_AUTHOR_DATE% *} &&
	test_tick &&
	test $((${GIT_AUTHOR_DATE% *} - one)) = 60 &&
	test "$GIT_AUTHOR_DATE" = "$GIT_COMMITTER_DATE"
'

test_expect_success STOCK_GIT 'the stock git is not ours' '
	stock version >out &&
	test_grep ! -i sluice out &&
	if test -e "$GIT_BUILD_DIR/git"
	then
		! test "$STOCK_GIT" -ef "$GIT_BUILD_DIR/git"
	fi
'

test_expect_success STOCK_GIT 'our git named as the stock one is refused' '
	test_when_finished "rm -rf fake" &&
	mkdir fake &&
	write_script fake/git <<-\EOS &&
	echo "git version 2.39 (Sluice)"
	EOS
	STOCK_GIT=$PWD/fake/git sub fake <<-\EOS &&
	test_expect_success "not the fake" "
		test -z \"\$STOCK_GIT\"
	"
	test_done
	EOS
	sub_code fake 0 &&
	test_grep "is not a stock git" fake.err
'

title_id () {
	set -- $(printf "%s" "$1" | cksum) && echo "$1"
}

test_expect_success 'noted answers of stock git' '
	played=$(title_id played) && listed=$(title_id listed) && paths=$(title_id paths) &&
	mkdir -p played.d/peer && cat >played.d/peer/t9999-sub.tape <<-EOS &&
	# not without it: $listed
	= $played .: nosuch one
	>an answer
	!an error
	? 3
	= $played .: nosuch one
	>"the second time\\001, without an end of line"
	= $played .: init -q sub
	& 1
	= $paths sub: rev-parse --git-dir
	>@TRASH@/sub/.git
	EOS
	printf "the second time\001, without an end of line" >second && TOP=$PWD && export TOP &&
	STOCK_GIT=none sub played <<-\EOS &&
	test_expect_success PEER,!STOCK_GIT "played" - <<\X
		test_expect_code 3 stock nosuch one >out 2>err && echo an answer | test_cmp - out &&
		echo an error | test_cmp - err && stock nosuch one >out && test_cmp "$TOP/second" out &&
		test_expect_code 3 stock init -q sub && test -d sub/.git
	X
	test_expect_success "listed" "false"
	test_expect_success "not noted" "test_expect_code 125 stock nosuch one"
	test_expect_success "paths" - <<\X
		(cd sub && stock rev-parse --git-dir) >out && echo "$PWD/sub/.git" | test_cmp - out
	X
	test_done
	EOS
	sub_code played 0 && grep "^ok 2.*SKIP" played.out
'

test_expect_success 'noting answers' '
	write_script fake-git <<-\EOS &&
	test "$1" != version || exec echo "git version 2"
	printf "a\001b\nlast" && pwd && seq 50 && echo "\"quoted\"" >&2 && exit $1
	EOS
	TOP=$PWD && export TOP && cat >body <<-\EOS &&
	test_expect_success "noted" - <<\X
		for code in 0 7 0; do
			stock $code x >>"$TOP/answers" 2>&1 || echo $? >>"$TOP/answers"
		done && sed -i "s,$PWD,here," "$TOP/answers"
	X
	test_done
	EOS
	STOCK_GIT=$PWD/fake-git GIT_TEST_RECORD_PEER=$PWD/noted sub noted <body && sub_code noted 0 &&
	mv answers expect && test_line_count = 160 expect && tape=noted.d/peer/t9999-sub.tape &&
	mkdir noted.d/peer && { echo "# not without it:" && cat noted; } >$tape &&
	"$GIT_BUILD_DIR/t/helper/peer-tape" fold $tape && grep "^& 1$" $tape && grep "@TRASH@" $tape &&
	STOCK_GIT=none sub noted <body && sub_code noted 0 && test_cmp expect answers &&
	STOCK_GIT=$PWD/fake-git sub noted <body && sub_code noted 0 && sed -i "s/\"noted\"/\"other\"/" body &&
	STOCK_GIT=$PWD/fake-git sub noted <body && sub_code noted 1 && test_grep "is not noted" noted.err
'

test_expect_success STRACE,PYTHON 'count_flushes and count_writeouts' '
	write_script flush python3 <<-\EOS &&
	import os, sys, ctypes
	fd = os.open("f", os.O_CREAT | os.O_WRONLY)
	for i in range(int(sys.argv[1])):
	    os.write(fd, b"x")
	    os.fsync(fd)
	os.fdatasync(fd)
	libc = ctypes.CDLL(None)
	for i in range(3):
	    libc.sync_file_range(fd, ctypes.c_long(0), ctypes.c_long(0), 2)
	libc.sync_file_range(fd, ctypes.c_long(0), ctypes.c_long(0), 7)
	print("output of the command")
	sys.exit(int(sys.argv[2]))
	EOS
	n=$(count_flushes python3 ./flush 4 0) &&
	test "$n" = 5 &&
	n=$(count_flushes python3 ./flush 0 0) &&
	test "$n" = 1 &&
	n=$(count_flushes true) &&
	test "$n" = 0 &&
	n=$(count_writeouts python3 ./flush 4 0) &&
	test "$n" = 1 &&
	test_expect_code 3 count_flushes python3 ./flush 1 3
'

test_expect_success TMPFS 'mount_tmpfs fills up; it is gone at the end' '
	sub full <<-\EOS &&
	test_expect_success "full" "
		mount_tmpfs small 64k &&
		test_must_fail dd if=/dev/zero of=small/f bs=1k count=128
	"
	test_done
	EOS
	sub_code full 0 &&
	! mountpoint full.d/trash/t9999-sub/small
'

test_lazy_prereq SESSION 'setsid true && test -x "$GIT_BUILD_DIR/t/helper/within"'

test_expect_success SESSION 'run-test ends processes that a test leaves running, and tests that hang' '
	write_script left.sh <<-\EOF && write_script hangs.sh <<-\EOF2 &&
	(sleep 60; echo late) &
	echo ok 1; echo 1..1; exit 3
	EOF
	sh -c "sleep 60; echo late"; echo ok 1; echo 1..1
	EOF2
	out=$(sh -c "\"$SOURCE_DIR/t/run-test\" ./left.sh; echo \$?") && test "$(echo $out)" = "ok 1 1..1 3" &&
	out=$(GIT_TEST_TIMEOUT=1 sh -c "\"$SOURCE_DIR/t/run-test\" ./hangs.sh; echo \$?") && test "$out" = 124 &&
	for code in 0 3; do test_expect_code $code "$GIT_BUILD_DIR/t/helper/within" 60 sh -c "exit $code" || return 1; done &&
	test_expect_code 143 "$GIT_BUILD_DIR/t/helper/within" 60 sh -c "kill -TERM \$\$" &&
	"$GIT_BUILD_DIR/t/helper/within" 60 sleep 2 &&
	blocked="grep ^SigBlk: /proc/self/status" &&
	test "$($blocked)" = "$("$GIT_BUILD_DIR/t/helper/within" 60 $blocked)" &&
	test_expect_code 124 "$GIT_BUILD_DIR/t/helper/within" 2 sh -c "trap \"kill \\\$!; echo yes >ended; exit\" TERM; sleep 60 & wait" &&
	test_file_not_empty ended
'

test_done
