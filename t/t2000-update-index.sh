#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='update-index, compared with stock git'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"

E=$EMPTY_BLOB

# ui ARGS: update-index on both sides; same output, same index.
ui () {
	peers_git update-index "$@" && peers_same_index
}

# ui_in 'printf format' ARGS: the same with standard input.
ui_in () {
	printf "$1" >stdin &&
	shift &&
	PEERS_STDIN=stdin ui "$@"
}

test_expect_success 'set up' '
	peers_init &&
	peers_do "echo a >a && mkdir d && echo b >d/b && ln -s d ld && mkfifo ff && git init -q sub"
'

test_expect_success 'update-index adds files and links, and refuses directories and bad paths' '
	ui a &&
	ui --add a d/b &&
	ui --add d &&
	ui --add ld/b &&
	ui --add ff &&
	ui --add nope &&
	ui nope &&
	ui --remove nope &&
	ui --add .git/config &&
	ui --add ../x &&
	ui --add ./a &&
	ui --add d//b &&
	ui --add d/
'

test_expect_success '--cacheinfo in both forms' '
	ui --cacheinfo "100644,$E,zz" &&
	ui --add --cacheinfo "100644,$E,zz" &&
	ui --add --cacheinfo 100644 "$E" zz2 &&
	ui --add --cacheinfo 100664,$E,m &&
	ui --add --cacheinfo 120000,$E,link &&
	ui --add --cacheinfo 160000,$E,gitlink &&
	ui --add --cacheinfo "100644,e69de29,zz" &&
	ui --cacheinfo 1 &&
	ui --add --cacheinfo "999999,$E,y" &&
	ui --add --cacheinfo "100644,$E,../x"
'

test_expect_success 'files and directories in each other'\''s way' '
	ui --add --cacheinfo "100644,$E,a/b" &&
	ui --add --replace --cacheinfo "100644,$E,a/b" &&
	ui --verbose --add a &&
	ui --verbose --add --replace a
'

test_expect_success '--chmod, --force-remove' '
	ui --chmod=+x d/b &&
	ui --chmod=+x nope &&
	ui --chmod=x d/b &&
	ui --verbose --chmod=-x a --chmod=+x a &&
	ui --verbose --force-remove d/b zz gitlink
'

test_expect_success '--refresh names the files that need an update' '
	ui --refresh &&
	peers_do "echo q >>a" &&
	ui --refresh &&
	ui -q --refresh &&
	ui --refresh -q &&
	peers_do "rm a" &&
	ui --refresh &&
	ui --ignore-missing --refresh
'

test_expect_success 'assume-unchanged and skip-worktree' '
	peers_do "echo zz2 >zz2; echo m >m" &&
	ui --assume-unchanged zz2 &&
	ui --refresh &&
	ui --really-refresh &&
	ui --refresh &&
	ui --assume-unchanged nope &&
	ui --skip-worktree m &&
	ui --skip-worktree nope &&
	ui --refresh &&
	ui m &&
	ui --no-skip-worktree m &&
	ui --refresh
'

test_expect_success '--stdin, lines and NULs' '
	ui_in "zz3\n" --add --stdin &&
	ui_in "a\nd/b\n\"d\\\\057b\"\n" --add --remove --stdin &&
	ui_in "d/b\0m\0" --add --remove -z --stdin &&
	ui --stdin foo
'

test_expect_success '--index-info in its three forms' '
	ui_in "100644 $E\tq1\n100644 $E 1\tq2\n100644 blob $E\tq3\nbad line\n" --index-info &&
	ui_in "100644 $E\tq1\n0 $ZERO_OID\tq1\n100644 $E 2\tu\n100644 $E 3\tu\n" --index-info &&
	ui_in "100755 blob $E\tq2\n100644 $E\t\"q\\\\t3\"\n" --verbose --index-info &&
	ui_in "100644 $E\tz1\0000100755 $E 0\tz2\0000" -z --index-info &&
	ui --index-info x
'

test_expect_success 'unmerged entries' '
	ui --refresh &&
	ui --unmerged --refresh &&
	peers_do "echo u >u" &&
	ui u &&
	git -C ours ls-files --resolve-undo >undo &&
	test_line_count = 2 undo &&
	git -C ours update-index --unresolve u &&
	git -C ours ls-files -u >unmerged &&
	test_line_count = 2 unmerged &&
	git -C ours update-index u
'

test_expect_success 'gitlinks' '
	ui --add sub &&
	peers_do "cd sub && test_tick && git commit -q --allow-empty -m x" &&
	ui --add sub/x &&
	ui --add sub &&
	ui --refresh &&
	peers_do "cd sub && test_tick && test_tick && git commit -q --allow-empty -m x2" &&
	ui --refresh &&
	ui --ignore-submodules --refresh &&
	ui sub &&
	ui --refresh
'

test_expect_success 'a file becomes a directory, a directory a file' '
	peers_do "mkdir repl && touch repl/x" &&
	ui --add repl/x &&
	peers_do "rm -r repl; echo >repl" &&
	ui --add repl &&
	ui --remove repl/x &&
	ui --add repl &&
	peers_do "rm repl; mkdir repl; touch repl/x" &&
	ui --remove repl &&
	ui --add repl/x
'

test_expect_success '--again updates what differs from HEAD' '
	peers_do "git read-tree --empty && git add d u && git commit -q -m 1" &&
	peers_do "echo 2 >d/b && git add d/b && echo 3 >d/b && echo 3 >u" &&
	ui --again &&
	ui -g d
'

test_expect_success '--index-version' '
	for v in 4 2 4
	do
		ui --index-version $v &&
		git -C ours update-index --show-index-version >actual &&
		echo $v >expect &&
		test_cmp expect actual || return 1
	done &&
	ui --index-version 7 &&
	ui --add --cacheinfo "100644,$E,v4/a/b" --cacheinfo "100644,$E,v4/a/c" &&
	stock -C ours fsck
'

test_expect_success '--info-only writes no object' '
	echo info >ours/info &&
	git -C ours update-index --add --info-only info &&
	test_must_fail stock -C ours cat-file -e :info
'

test_expect_success 'an option that is not available is an error that says so' '
	for o in --split-index --untracked-cache --fsmonitor
	do
		test_must_fail git -C ours update-index $o 2>err &&
		test_grep "update-index $o is not supported" err || return 1
	done
'

test_expect_success '--again, with paths, abbreviated' '
	rm -rf saved.ours && mv ours saved.ours && rm -rf saved.theirs &&
	if test -d theirs; then mv theirs saved.theirs; fi &&
	stock init -q -b main base && (
		cd base && mkdir d &&
		for f in a b c d/x d/y; do echo 1 >$f || exit; done &&
		stock add . && stock commit -q -m one &&
		echo 2 >a && echo 2 >d/x && stock add a d/x &&
		echo 3 >a && echo 3 >b && echo 3 >d/x && echo n >new && stock add -N new && rm c
	) &&
	while read -r o
	do
		rm -rf ours theirs && cp -a base theirs && cp -a base ours &&
		eval "PEERS_STDERR=ignore peers_git update-index $o" && peers_same_index ||
		{ echo "$o"; return 1; }
	done <<-\EOF &&
	--again
	-g
	-g --
	--again a
	--again d
	--again nope
	--again -- a d
	b --again
	--again b
	--ag
	--verbose --again
	--again --verbose
	--remove --again
	--chmod=+x --again a
	--no-again
	--no-again a
	--no-stdin
	--again=1
	EOF
	PEERS_DIR=d && export PEERS_DIR &&
	for o in "" x . :/
	do
		rm -rf ours theirs && cp -a base theirs && cp -a base ours &&
		peers_git update-index --again $o && peers_same_index || return 1
	done &&
	unset PEERS_DIR &&
	rm -rf ours theirs && mv saved.ours ours
'

test_expect_success 'a lock in the way: nothing is changed' '
	stock -C ours ls-files -s >before &&
	>ours/.git/index.lock &&
	test_when_finished "rm -f ours/.git/index.lock" &&
	echo locked >ours/info &&
	test_must_fail git -C ours update-index --add info 2>err &&
	test_grep "Unable to create .*index.lock.: File exists" err &&
	stock -C ours ls-files -s >after &&
	test_cmp before after
'

test_expect_success STRACE,FSYNC_BATCH 'one flush, however many files' '
	mkdir ours/many &&
	(cd ours/many && for i in 1 2 3 4 5 6 7 8 9; do echo $i >$i; done) &&
	(cd ours && find many -type f) >list &&
	n=$(GIT_TEST_FS_KIND=journal count_flushes git -C ours update-index --add --stdin <list) &&
	test "$n" = 1 &&
	n=$(count_flushes git -C ours -c core.fsync=none update-index --force-remove many/1) &&
	test "$n" = 0
'

test_expect_success 'an entry with the null id is refused, and the index stays' '
	git init -q null && echo x >null/f && git -C null add f && git -C null ls-files -s >before &&
	test_must_fail git -C null update-index --add --cacheinfo 100644,$(git -C null hash-object --stdin </dev/null | tr 0-9a-f 0),g 2>err &&
	test_grep "cache entry has null sha1: g" err && git -C null ls-files -s >after &&
	test_cmp before after && test ! -e null/.git/index.lock
'

test_expect_success 'entries as text need no work tree, all else does' '
	git init -q --bare bare && E=$(echo x | git -C bare hash-object -w --stdin) &&
	git -C bare update-index --add --cacheinfo 100644,$E,x &&
	printf "100644 $E\ty\n" | git -C bare update-index --index-info &&
	git -C bare ls-files >out && printf "x\ny\n" >expect && test_cmp expect out &&
	for args in x --refresh --really-refresh --again --stdin "--unresolve x" "--remove x"; do
		test_expect_code 128 git -C bare update-index $args 2>err </dev/null &&
		test_grep "this operation must be run in a work tree" err || return 1
	done
'

test_expect_success 'without core.fileMode a conflict is resolved with the mode of stage 2, or of the first' '
	git init -q modes && cd modes && test_when_finished "cd .." &&
	E=$(echo x | git hash-object -w --stdin) &&
	git update-index --index-info <<-EOS &&
	100755 $E 2	a
	100644 $E 3	a
	100644 $E 1	b
	100755 $E 2	b
	100755 $E 1	c
	100644 $E 3	c
	EOS
	echo y | tee a b c >d && chmod 644 a b c &&
	git -c core.fileMode=false add a && git -c core.fileMode=false update-index b c &&
	git ls-files -s >out && test $(grep -c ^100755 out) = 3
'

test_expect_success '--clear-resolve-undo forgets what had been in conflict' '
	git init -q forget && E=$(echo x | git -C forget hash-object -w --stdin) &&
	printf "100644 $E 2\tf\n100644 $E 3\tf\n" | git -C forget update-index --index-info &&
	echo y >forget/f && git -C forget add f && git -C forget ls-files --resolve-undo >out && test_line_count = 2 out &&
	git -C forget update-index --clear-resolve-undo && git -C forget ls-files --resolve-undo >out &&
	test_must_be_empty out && git -C forget ls-files -s >out && test_line_count = 1 out
'

test_expect_success 'an entry of zeros ends the command, with the reason before' '
	git init -q zeros && (cd zeros && test_expect_code 128 git update-index --add --cacheinfo 100644,$ZERO_OID,f 2>err &&
	 printf "%s\n" "error: cache entry has null sha1: f" "fatal: Unable to write new index file" >expect && test_cmp expect err && git ls-files >out && test_must_be_empty out)
'

test_done
