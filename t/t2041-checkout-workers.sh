#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='checkout.workers and checkout.thresholdForParallelism

However many threads write: the same files, modes and entries; and what cannot be written is
told, and ends the command.'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-sweep.sh"

git config --global init.defaultBranch main
git config --global advice.detachedHead false

# All that a tree may ask for. 400 plain files, so that each of eight threads has some to write.
test_expect_success 'setup' '
	git init -q repo && cd repo && git config filter.up.smudge "tr a-z A-Z" && git config filter.up.clean "tr A-Z a-z" &&
	git config filter.rot.process "perl \"$TEST_DIRECTORY/delay-filter.pl\" \"$TRASH_DIRECTORY/log\"" &&
	printf "*.crlf text eol=crlf\n*.id ident\n*.up filter=up\n*.d1 filter=rot\n*.u16 text working-tree-encoding=UTF-16LE\n" >.gitattributes &&
	mkdir was-dir sub && echo 1 >was-dir/file && echo 1 >was-file && echo 1 >sub/file && echo 1 >same && git add . && git commit -q -m one && git branch one &&
	rm -r was-dir was-file && echo 2 >was-dir && mkdir -p was-file/deep/er && echo 2 >was-file/deep/er/file && ln -s ../sub sub/link && ln -s nowhere dangling &&
	: >empty && echo 2 >sub/exec && chmod +x sub/exec && printf "a\nb\n" >lines.crlf && echo "\$Id\$" >x.id && echo text >y.up && echo text >z.d1 && echo text >sub/z.d1 &&
	printf "a\0b\0\n\0" >w.u16 && rm sub/file && for i in $(test_seq 400)
	do
		d=many/$((i % 23))/$((i % 3)) && mkdir -p $d && echo "content of $i" >$d/$i || return 1
	done && git add . && git commit -q -m two && git checkout -q one && git config core.fileMode true
'

# state: names, kinds, modes, targets and content of all files; entries, sizes and modes of the index
state () {
	find . -path ./.git -prune -o -printf "%P %y %m %l\n" | sort &&
	find . -path ./.git -prune -o -type f -print | sort | xargs cksum &&
	git ls-files -s && git ls-files --debug | grep "size:" && git status --porcelain
}

# changes to the commit, and back, with these settings
there_and_back () {
	git checkout -q one && git "$@" checkout -q main && state >../state.main && git "$@" checkout -q one && state >../state.one
}

test_expect_success 'any number of threads makes the same' '
	cd repo && git -c checkout.workers=1 checkout -q main && printf "a\r\nb\r\n" >../expect && test_cmp_bin ../expect lines.crlf &&
	echo TEXT >../expect && test_cmp ../expect y.up && echo text >../expect && test_cmp ../expect sub/z.d1 && test -x sub/exec && test_must_be_empty empty &&
	echo 2 >../expect && test_cmp ../expect was-dir && test_cmp ../expect was-file/deep/er/file && test "$(readlink sub/link)" = ../sub &&
	there_and_back -c checkout.workers=1 && mv ../state.main ../main && mv ../state.one ../one && test_line_count -gt 800 ../main &&
	for case in 2:0 8:0 1000:0 8:100000
	do
		there_and_back -c checkout.workers=${case%:*} -c checkout.thresholdForParallelism=${case#*:} &&
		test_cmp ../main ../state.main && test_cmp ../one ../state.one || return 1
	done
'

test_expect_success 'clone, reset, restore and read-tree as well' '
	for w in 1 8
	do
		rm -rf c && git -c checkout.workers=$w clone -q --no-checkout repo c && cp repo/.git/config c/.git/config && cd c &&
		git -c checkout.workers=$w reset -q --hard origin/main && state >../state.main && test_cmp ../main ../state.main &&
		rm -rf many was-dir empty sub && git -c checkout.workers=$w restore . && state >../state.main && test_cmp ../main ../state.main &&
		git rm -q -r . && git -c checkout.workers=$w read-tree -m -u origin/main && git update-index -q --refresh &&
		git reset -q && state >../state.main && test_cmp ../main ../state.main && cd .. || return 1
	done
'

test_expect_success PEER 'stock Git makes the same files' '
	cd repo && git checkout -q one && cp -R . ../stock && cd ../stock && stock checkout -q main && state >../state.main && test_cmp ../main ../state.main
'

# calls COMMAND...: how often it looks files up and opens them, and how often it tries to remove directories
calls () {
	strace -f -o trace -e trace=%file git -c checkout.workers=2 -c checkout.thresholdForParallelism=0 "$@" &&
	lookups=$(grep -c "stat(\|statat(\|statx(\|lstat(" trace) opens=$(grep -c "openat(\|open(" trace) rmdirs=$(grep "rmdir(" trace | wc -l)
}

# 400 files in ten directories, each ten levels down
test_expect_success STRACE,!SANITIZE 'the calls do not grow with the depth of directories' '
	git init -q deep && cd deep && echo 1 >top && git add top && git commit -q -m zero && git branch zero &&
	for d in $(test_seq 10); do p=1/2/3/4/5/6/7/8/9/$d && mkdir -p $p && for i in $(test_seq 40); do echo $i >$p/$i || return 1; done; done && git add . && git commit -q -m one && git branch one &&
	for d in $(test_seq 10); do for i in $(test_seq 40); do echo more >>1/2/3/4/5/6/7/8/9/$d/$i || return 1; done; done && git commit -q -a -m two && git branch two &&
	git status >out && calls checkout -q one && echo "$lookups lookups, $opens opens" && test $lookups -lt 1800 && test $opens -lt 1200 &&
	calls checkout -q zero && echo "$lookups lookups, $opens opens, $rmdirs" && test $lookups -lt 1800 && test $rmdirs -lt 60 && test_path_is_missing 1 &&
	calls checkout -q two && echo "$lookups lookups, $opens opens" && test $lookups -lt 1800 && test $opens -lt 1200 && git status --porcelain -uno >out && test_must_be_empty out
'

# threads [SETTING...]: how many more threads than with one worker. There are two passes, which remove
# obstacles in the places of files and write them; the thread that started the others works as well.
threads () {
	git -C deep checkout -q zero && strace -f -o trace -e trace=clone,clone3 git -C deep "$@" checkout -q one &&
	echo $(($(grep -c "CLONE_THREAD" trace) - one_worker)) >actual
}

test_expect_success STRACE,!SANITIZE 'how many there are' '
	one_worker=0 && threads -c checkout.workers=1 && one_worker=$(cat actual) &&
	for case in 2:2 8:14
	do
		echo ${case#*:} >expect && threads -c checkout.workers=${case%:*} && test_cmp expect actual || return 1
	done &&
	echo $((2 * ($(nproc) - 1))) >expect &&
	for w in 0 -1
	do
		threads -c checkout.workers=$w && test_cmp expect actual || return 1
	done &&
	threads && test_cmp expect actual &&
	echo 0 >expect && threads -c checkout.workers=8 -c checkout.thresholdForParallelism=500 && test_cmp expect actual &&
	echo 14 >expect && threads -c checkout.workers=8 -c checkout.thresholdForParallelism=0 && test_cmp expect actual
'

test_expect_success 'values that are no numbers are errors' '
	for s in workers thresholdForParallelism
	do
		git -C repo checkout -q one && test_must_fail git -C repo -c checkout.$s=many checkout -q main 2>err && test_grep -i "checkout.$s" err &&
		git -C repo status --porcelain >out && test_must_be_empty out || return 1
	done
'

test_expect_success TMPFS 'a full disk' '
	mount_tmpfs small 2m && git init -q big && cd big && for i in $(test_seq 300); do test_seq 4000 >f$i || return 1; done &&
	git add . && git commit -q -m big && cd .. && for w in 1 8
	do
		cp big/.git/index saved && test_must_fail timeout 500 git -C small --git-dir="$PWD/big/.git" --work-tree=. -c checkout.workers=$w checkout -q -f main -- . 2>err &&
		test_grep "f[0-9]*.: No space left on device" err && test_line_count -le 2 err && cp saved big/.git/index &&
		find small -type f -size -18000c >partial && test_must_be_empty partial && find small -mindepth 1 -delete || return 1
	done
'

test_expect_success 'a directory in which nothing can be written' '
	git -C repo checkout -q one && mkdir -p repo/many/7/1 && if test "$(id -u)" = 0; then chattr +i repo/many/7/1 || return 0; else chmod a-w repo/many/7/1; fi &&
	test_when_finished "chattr -i repo/many/7/1 || chmod u+w repo/many/7/1" &&
	for w in 1 8
	do
		test_must_fail timeout 500 git -C repo -c checkout.workers=$w checkout -q -f main 2>err && test_grep "many/7/1/[0-9]*: \(Operation not permitted\|Permission denied\)" err &&
		test_path_is_file repo/many/8/1/31 && ! test -e repo/many/7/1/7 && git -C repo reset -q one && git -C repo clean -q -f 2>/dev/null
		(cd repo && rm -rf sub was-dir was-file empty && find many -mindepth 1 -not -path "many/7*" -delete); git -C repo checkout -q -f one 2>err || return 1
	done
'

# Four threads, each of whose calls fails in turn.
still_good () {
	case "$(git -C copy rev-parse HEAD)" in $one|$two) ;; *) return 1 ;; esac && git -C copy ls-files -s >ls && test -s ls
}
for what in EIO ENOSPC+ EINTR short; do
	test_expect_success "calls fail in threads: $what" '
		rm -rf few && git init -q few && (cd few && echo 1 >same && git add . && git commit -q -m one && git branch one && mkdir d e &&
		for i in 1 2 3 4 5 6; do echo $i >d/$i && echo $i >e/$i || return 1; done && git add . && git commit -q -m two && git checkout -q one) &&
		one=$(git -C few rev-parse one) two=$(git -C few rev-parse main) SWEEP_STEP=5 &&
		git -C few config checkout.workers 4 && git -C few config checkout.thresholdForParallelism 0 &&
		sweep few $what "test \$(git rev-parse HEAD) = $two && test -z \"\$(git status --porcelain)\"" checkout -q main
	'
done

test_done
