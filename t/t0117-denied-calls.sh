#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='system calls that a container or a service forbids (EPERM): one after the other, and all flushes

systemd has SystemCallFilter=~@sync; profiles of containers forbid clone3, fchmod and others.'
. "$(dirname "$0")/test-lib.sh"

DENY=$GIT_BUILD_DIR/t/helper/deny
test_lazy_prereq DENY '
	"$DENY" sync true && ! "$DENY" fsync python3 -c "import os; os.fsync(1)" 2>err && grep "not permitted" err
'
if ! test_have_prereq DENY,PYTHON,!SANITIZE; then
	skip_all='system calls cannot be denied'
	test_done
fi
unset GIT_TEST_FSYNC GIT_CONFIG_SYSTEM

test_expect_success 'the scenario' '
	write_script scenario <<-\EOF
	set -e
	git init -q -b main a && cd a
	echo 1 >f && git add f && git commit -q -m one
	for i in 1 2 3 4 5 6 7 8 9 10; do for j in 1 2 3 4 5 6 7 8 9 10 11 12; do echo $i $j >$i-$j; done; done
	git add . && git commit -q -m two && git branch b && git tag -m tag v1 && git update-ref refs/heads/x HEAD
	git checkout -q b && echo 3 >f && git commit -q -a -m three && git switch -q main && git status -s && git diff --stat HEAD b
	git pack-refs --all && git repack -a -d -q && git commit-graph write --reachable && git multi-pack-index write --bitmap
	git reset -q --hard b && git reset -q --hard HEAD~1 && git config user.x y && git bundle create -q all.bundle --all
	git clone -q --no-local . ../c && git clone -q --bare . ../s.git && git clone -q all.bundle ../d
	git -C ../c commit -q --allow-empty -m four
	git -C ../c push -q ../s.git main:new main:new2
	git fetch -q ../c main:got && git hash-object -w f && git gc -q && git rm -q f && git archive -o x.tar HEAD
	git -c core.sharedRepository=group init -q ../sh && git -c core.fsyncMethod=fsync commit -q -m five
	git -c core.fsyncMethod=writeout-only commit -q --allow-empty -m six
	git -c core.fsync=all -c core.fsyncMethod=batch commit -q --allow-empty -m seven
	for r in . ../c ../s.git ../d; do git -C $r fsck --strict --no-dangling; done
	git rev-list --all --count
	EOF
'

# denied CALLS: runs the scenario without them
denied () {
	rm -rf a c s.git d sh && "$DENY" $1 ./scenario >out 2>err || { cat err; return 1; } && echo 7 >expect && tail -n 1 out >actual && test_cmp expect actual
}

for call in fsync fdatasync syncfs sync_file_range fchmod fsetxattr linkat flock setsid utimensat getrandom copy_file_range \
	landlock_create_ruleset statx fallocate sysinfo sched_getaffinity clone3 \
	${GIT_TEST_LONG:+fadvise64 fchmodat fgetxattr getxattr ioctl lgetxattr madvise memfd_create pidfd_open prlimit64 readahead renameat2 sendfile splice \
	sync umask vmsplice}
do
	test_expect_success "without $call" '
		denied $call && test_grep ! "permits no flush" err
	'
done

test_expect_success 'a push to a hook proc-receive, which is written to and read at once' '
	git init -q --bare hooked.git && git -C hooked.git config receive.procReceiveRefs refs/for && mkdir -p hooked.git/hooks &&
	write_script hooked.git/hooks/proc-receive "$(command -v python3)" <<-\EOF &&
	import sys
	i, o = sys.stdin.buffer, sys.stdout.buffer
	def line():
	    n = int(i.read(4), 16)
	    return i.read(n - 4).decode().rstrip() if n else None
	def say(text):
	    o.write(b"%04x%s" % (len(text) + 4, text.encode()) if text else b"0000")
	    o.flush()
	while line(): pass
	say("version=1\n"); say("")
	while True:
	    command = line()
	    if not command: break
	    say("ok " + command.split(" ")[2] + "\n")
	say("")
	EOF
	git -C a push ../hooked.git main:refs/for/main && "$DENY" clone3 git -C a push ../hooked.git main:refs/for/main main 2>err &&
	test_grep "new reference. *main -> refs/for/main" err
'

test_expect_success 'without any flush: each command says so, once' '
	denied fsync,fdatasync,sync,syncfs,sync_file_range && test_grep "^warning: this system permits no flush" err &&
	echo more >a/f && git -C a add f && "$DENY" fsync,fdatasync,sync,syncfs,sync_file_range git -C a -c core.fsync=all -c core.fsyncMethod=fsync commit -q -m more 2>err &&
	test_line_count = 1 err
'

test_done
