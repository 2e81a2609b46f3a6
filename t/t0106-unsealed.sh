#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='existing objects and refs are acknowledged only after a flush has sealed them

A command that is killed at its seal, or whose seal fails, has published names that may not be
durable. The same command once more finds them, and must not say yes before they are sealed.
(Documentation/Durability, "What is there already".)'
. "$(dirname "$0")/test-lib.sh"

if ! test_have_prereq STRACE || ! test_have_prereq FSYNC_BATCH
then
	skip_all='needs strace, and counts what the method batch does'
	test_done
fi

unset GIT_TEST_FSYNC

# start KIND: a repository with a commit, two trees and files that are not added yet
start () {
	GIT_TEST_FS_KIND=$1 && export GIT_TEST_FS_KIND && rm -rf r && git init -q r &&
	echo one >r/f && git -C r add f && git -C r commit -q -m one && echo two >r/g &&
	C=$(git -C r rev-parse HEAD) && T=$(git -C r rev-parse "HEAD^{tree}")
}

# dies HOW CMD...: HOW is what becomes of the last flush
dies () {
	local how=$1 n
	shift
	cp -R r copy && n=$(cd copy && count_flushes git "$@") && rm -rf copy &&
	! (cd r && GIT_TEST_SYSCALL_FAIL="$n:$how:$FLUSH" "$GIT_BUILD_DIR/t/helper/fault-git" "$@")
}

unsealed () {
	find r/.git -maxdepth 1 -name ".git-owner-*" -size +0 | wc -l
}

while read kind FLUSH
do
	for how in KILL EIO
	do
		for cmd in "update-ref refs/heads/new HEAD" "hash-object -w g" "add g" \
			   "tag -f t HEAD" "branch -f b HEAD"
		do
			test_expect_success "$kind, $how at the seal: $cmd" '
				start $kind && dies $how $cmd && test "$(unsealed)" = 1 &&
				n=$(cd r && count_flushes git $cmd) && test "$n" = 1 &&
				grep "syncfs(" "$T_PRIVATE/strace" && test "$(unsealed)" = 0 &&
				n=$(cd r && count_flushes git $cmd) && test "$n" = 0
			'
		done
	done
done <<\EOF
journal fsync
btrfs syncfs
EOF

# The owner lives: a process has its file locked.
test_expect_success PYTHON "an answer does not depend on changes that a living process has not sealed" '
	start journal && FLUSH=fsync && dies KILL update-ref refs/heads/new HEAD &&
	file=$(find r/.git -maxdepth 1 -name ".git-owner-*" -size +0) && mkfifo locked &&
	{ python3 - "$file" <<-\EOF & } &&
	import fcntl, struct, sys, time
	f = open(sys.argv[1], "r+")
	fcntl.fcntl(f, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 1, 0))
	open("locked", "w").close()
	time.sleep(60)
	EOF
	locker=$! && test_when_finished "kill $locker" && : <locked &&
	for i in 1 2
	do
		n=$(cd r && count_flushes git update-ref refs/heads/new HEAD) && test "$n" = 1 &&
		test "$(unsealed)" = 1 || return 1
	done
'

test_expect_success "every command seals the existing data that its answer depends on" '
	start journal && FLUSH=fsync && git -C r add g && git -C r write-tree && git -C r tag t &&
	git -C r branch b && git -C r pack-refs --all &&
	while read cmd
	do
		echo x >r/.git/.git-owner-d000000000000 &&
		n=$(cd r && count_flushes git $cmd) && echo "$n $(unsealed) $cmd" >>out || return 1
	done <<-\EOF &&
	add .
	add f g
	write-tree
	hash-object -w f
	update-ref refs/tags/t HEAD
	tag -f t HEAD
	branch -f b HEAD
	reflog expire --all
	EOF
	sed "s/^[0-9]* [0-9]* /1 0 /" out >expect && test_cmp expect out
'

# core.fsync=none promises nothing, and with a journal a seal of our own brings others along.
test_expect_success "update-ref looks for no unsealed operation if it has nothing to seal" '
	start journal && echo x >r/.git/.git-owner-d000000000000 &&
	n=$(cd r && count_flushes git -c core.fsync=none update-ref refs/heads/main HEAD) &&
	test "$n" = 0 && test "$(unsealed)" = 1 &&
	n=$(cd r && count_flushes git update-ref refs/heads/other HEAD) && test "$n" = 1 &&
	! grep "syncfs(" "$T_PRIVATE/strace" && test "$(unsealed)" = 0
'

# Without a journal a file that is replaced has a second name until its replacement is sealed.
for method in batch fsync
do
	test_expect_success "second names that a dead owner has left go after a seal: $method" '
		start local && : >r/.git/.git-owner-d000000000000.0 && : >r/.git/.git-owner-o000000000000.0 &&
		echo x >r/.git/.git-owner-d111111111111 && : >r/.git/.git-owner-d111111111111.0 &&
		git -C r -c core.fsyncMethod=writeout-only update-ref refs/heads/other HEAD &&
		test_path_is_file r/.git/.git-owner-d000000000000.0 &&
		test_path_is_file r/.git/.git-owner-d111111111111.0 &&
		git -C r -c core.fsyncMethod=$method update-ref refs/heads/new HEAD &&
		find r/.git -maxdepth 1 -name ".git-owner-*" >left &&
		echo r/.git/.git-owner-o000000000000.0 >expect && test_cmp expect left
	'
done

test_expect_success ROOT "a seal of our own objects does not stand for refs on another file system" '
	start journal && mkdir other && mount -t tmpfs none other && test_when_finished "umount other" &&
	echo x >r/.git/.git-owner-d000000000000 && cp -R r/.git/objects other/ &&
	n=$(cd r && GIT_OBJECT_DIRECTORY="$PWD/../other/objects" count_flushes git hash-object -w g) &&
	test "$n" = 3 && test "$(unsealed)" = 0
'

test_lazy_prereq OVERLAY 'mkdir l u w m && mount -t overlay -o lowerdir=l,upperdir=u,workdir=w none m && umount m'
test_expect_success ROOT,OVERLAY "where a seal of our own is one of single directories, others are sealed as well" '
	mkdir low up work over && unset GIT_TEST_FS_KIND &&
	mount -t overlay -o lowerdir=low,upperdir=up,workdir=work none over &&
	test_when_finished "umount over" && cd over && git init -q r && echo x >r/f &&
	git -C r add f && git -C r commit -q -m f && echo x >r/.git/.git-owner-o000000000000 &&
	(cd r && count_flushes git update-ref refs/heads/other HEAD) &&
	grep "syncfs(" "$T_PRIVATE/strace" && test "$(unsealed)" = 0 &&
	(cd r && count_flushes git update-ref refs/heads/another HEAD) &&
	! grep "syncfs(" "$T_PRIVATE/strace"
'

test_done
