#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git rerere: conflicts and resolutions are recorded and used again'
. "$(dirname "$0")/test-lib.sh"

conflict_id=fc0a4c96c8b8b3ddb0e8ef14a905732bbba699e9	# sha1 of "main\n\0side\n\0"
test "$TEST_HASH" = sha256 && conflict_id=$(printf 'main\n\0side\n\0' | sha256sum | cut -c1-64)

# A repository whose branches main and side conflict in the file f.
make_conflict () {
	git init -q -b main "$1" &&
	git -C "$1" config rerere.enabled true &&
	printf "a\nb\nc\n" >"$1/f" &&
	git -C "$1" add f &&
	git -C "$1" commit -q -m base &&
	git -C "$1" checkout -q -b side &&
	printf "a\nside\nc\n" >"$1/f" &&
	git -C "$1" commit -q -a -m side &&
	git -C "$1" checkout -q main &&
	printf "a\nmain\nc\n" >"$1/f" &&
	git -C "$1" commit -q -a -m main
}

# record DIR TEXT: merge, resolve, and go back
record () {
	test_expect_code 1 git -C "$1" merge side &&
	echo "$2" >"$1/f" &&
	git -C "$1" commit -q -a -m merge &&
	git -C "$1" reset -q --hard HEAD^
}

test_expect_success 'a merge records its conflict, a commit the resolution' '
	make_conflict record &&
	test_expect_code 1 git -C record merge side 2>err &&
	echo "Recorded preimage for '\''f'\''" >expect &&
	test_cmp expect err &&
	printf "a\n<<<<<<<\nmain\n=======\nside\n>>>>>>>\nc\n" >expect &&
	test_cmp expect record/.git/rr-cache/$conflict_id/preimage &&
	printf "$conflict_id\tf\0" >expect &&
	test_cmp_bin expect record/.git/MERGE_RR &&
	printf "a\nboth\nc\n" >record/f &&
	git -C record commit -q -a -m merge 2>err &&
	echo "Recorded resolution for '\''f'\''." >expect &&
	test_cmp expect err &&
	test_cmp record/f record/.git/rr-cache/$conflict_id/postimage &&
	test_must_be_empty record/.git/MERGE_RR
'

test_expect_success 'the next merge uses the resolution, and leaves the index alone' '
	git -C record reset -q --hard HEAD^ &&
	test_expect_code 1 git -C record merge side 2>err &&
	echo "Resolved '\''f'\'' using previous resolution." >expect &&
	test_cmp expect err &&
	printf "a\nboth\nc\n" >expect &&
	test_cmp expect record/f &&
	git -C record ls-files -u >unmerged &&
	test_line_count = 3 unmerged &&
	git -C record reset -q --hard
'

test_expect_success 'the sides may change places, and lines around them may change' '
	git -C record checkout -q side &&
	printf "0\na\nside\nc\n" >record/f &&
	git -C record commit -q -a -m more &&
	test_expect_code 1 git -C record merge main &&
	printf "0\na\nboth\nc\n" >expect &&
	test_cmp expect record/f &&
	git -C record reset -q --hard &&
	git -C record checkout -q main
'

test_expect_success 'rerere.autoUpdate and --rerere-autoupdate stage the file' '
	make_conflict auto &&
	record auto resolved &&
	test_expect_code 1 git -C auto merge --rerere-autoupdate side 2>err &&
	echo "Staged '\''f'\'' using previous resolution." >expect &&
	test_cmp expect err &&
	git -C auto ls-files -s >out &&
	test_line_count = 1 out &&
	git -C auto ls-files --resolve-undo >out &&
	test_line_count = 3 out &&
	echo "M  f" >expect &&
	git -C auto status --short >out &&
	test_cmp expect out &&
	git -C auto reset -q --hard &&
	git -C auto config rerere.autoUpdate true &&
	test_expect_code 1 git -C auto merge --no-rerere-autoupdate side &&
	git -C auto ls-files -u >out &&
	test_line_count = 3 out &&
	git -C auto merge --abort &&
	test_expect_code 1 git -C auto merge side &&
	git -C auto commit -q -m merge &&
	git -C auto show HEAD:f >out &&
	echo resolved >expect &&
	test_cmp expect out
'

test_expect_success 'status, diff and remaining show the conflict' '
	make_conflict show &&
	test_expect_code 1 git -C show merge side &&
	echo f >expect &&
	git -C show rerere status >out &&
	test_cmp expect out &&
	git -C show rerere remaining >out &&
	test_cmp expect out &&
	printf "a\nboth\nc\n" >show/f &&
	cat >expect <<-\EOF &&
	--- a/f
	+++ b/f
	@@ -1,7 +1,3 @@
	 a
	-<<<<<<<
	-main
	-=======
	-side
	->>>>>>>
	+both
	 c
	EOF
	git -C show rerere diff >out &&
	test_cmp expect out &&
	git -C show add f &&
	git -C show rerere remaining >out &&
	test_must_be_empty out
'

test_expect_success 'a conflict that cannot be recorded remains' '
	make_conflict odd &&
	git -C odd checkout -q side &&
	git -C odd rm -q f &&
	git -C odd commit -q -m gone &&
	git -C odd checkout -q main &&
	test_expect_code 1 git -C odd merge side 2>err &&
	test_must_be_empty err &&
	echo f >expect &&
	git -C odd rerere remaining >out &&
	test_cmp expect out &&
	git -C odd rerere status >out &&
	test_must_be_empty out
'

test_expect_success 'forget brings the conflict back, clear forgets it' '
	make_conflict forget &&
	record forget wrong &&
	test_expect_code 1 git -C forget merge side &&
	git -C forget add f &&
	git -C forget rerere forget f 2>err &&
	printf "Updated preimage for %s\nForgot resolution for %s\n" "'\''f'\''" "'\''f'\''" >expect &&
	test_cmp expect err &&
	test_path_is_missing forget/.git/rr-cache/$conflict_id/postimage &&
	echo f >expect &&
	git -C forget rerere status >out &&
	test_cmp expect out &&
	git -C forget rerere forget f 2>err &&
	echo "error: no remembered resolution for '\''f'\''" >expect &&
	test_cmp expect err &&
	echo right >forget/f &&
	git -C forget rerere &&
	echo right >expect &&
	test_cmp expect forget/.git/rr-cache/$conflict_id/postimage &&
	git -C forget reset -q --hard &&
	rm forget/.git/rr-cache/$conflict_id/* &&
	test_expect_code 1 git -C forget merge side &&
	git -C forget rerere clear &&
	test_path_is_missing forget/.git/rr-cache/$conflict_id &&
	test_path_is_missing forget/.git/MERGE_RR
'

test_expect_success 'the same conflict in two files has two variants' '
	make_conflict twice &&
	cp twice/f twice/h &&
	git -C twice add h &&
	git -C twice commit -q -m h &&
	git -C twice checkout -q side &&
	cp twice/f twice/h &&
	git -C twice add h &&
	git -C twice commit -q -m h &&
	git -C twice checkout -q main &&
	test_expect_code 1 git -C twice merge side &&
	tr "\0" "\n" <twice/.git/MERGE_RR >out &&
	printf "$conflict_id\tf\n$conflict_id.1\th\n" >expect &&
	test_cmp expect out &&
	ls twice/.git/rr-cache/$conflict_id >out &&
	printf "preimage\npreimage.1\n" >expect &&
	test_cmp expect out
'

test_expect_success 'a conflict within a conflict, and a base, are part of the id as Git has it' '
	git init -q nested &&
	git -C nested config rerere.enabled true &&
	blob=$(echo x | git -C nested hash-object -w --stdin) &&
	for stage in 1 2 3
	do
		printf "100644 $blob $stage\tf\n"
	done | git -C nested update-index --index-info &&
	cat >nested/f <<-\EOF &&
	<<<<<<< HEAD
	z
	<<<<<<< HEAD
	b
	=======
	a
	>>>>>>> x
	||||||| base
	gone
	=======
	c
	>>>>>>> side
	EOF
	cat >expect <<-\EOF &&
	<<<<<<<
	c
	=======
	z
	<<<<<<<
	a
	=======
	b
	>>>>>>>
	>>>>>>>
	EOF
	git -C nested rerere &&
	test_cmp expect nested/.git/rr-cache/*/preimage &&
	if test "$TEST_HASH" = sha1
	then
		test_path_is_dir nested/.git/rr-cache/$(printf "c\n\0z\n<<<<<<<\na\n=======\nb\n>>>>>>>\n\0" | sha1sum | cut -c1-40)
	fi
'

test_expect_success 'bad markers, a missing file and a bad MERGE_RR' '
	make_conflict bad &&
	test_expect_code 1 git -C bad merge side &&
	printf "<<<<<<< x\nfoo\n" >bad/f &&
	git -C bad rerere 2>err &&
	echo "error: could not parse conflict hunks in '\''f'\''" >expect &&
	test_cmp expect err &&
	rm bad/f &&
	git -C bad rerere 2>err &&
	echo "error: could not open '\''f'\'': No such file or directory" >expect &&
	test_cmp expect err &&
	printf zzz >bad/.git/MERGE_RR &&
	test_expect_code 128 git -C bad rerere 2>err &&
	echo "fatal: corrupt MERGE_RR" >expect &&
	test_cmp expect err &&
	echo done >bad/f &&
	git -C bad commit -q -a -m merge 2>err &&
	echo "error: corrupt MERGE_RR" >expect &&
	test_cmp expect err
'

test_expect_success SYMLINKS 'MERGE_RR cannot name a file outside of the working tree' '
	make_conflict outside &&
	echo secret >secret &&
	mkdir elsewhere && echo secret >elsewhere/x &&
	ln -s ../elsewhere outside/dir &&
	printf "$conflict_id\t../secret\000$conflict_id\tdir/x\0" >outside/.git/MERGE_RR &&
	git -C outside rerere 2>err &&
	test_grep "invalid path .\.\./secret" err &&
	test_grep "dir/x. is beyond a symbolic link" err &&
	test_path_is_missing outside/.git/rr-cache
'

test_expect_success 'a directory rr-cache enables it, rerere.enabled=false does not' '
	make_conflict off &&
	git -C off config rerere.enabled false &&
	mkdir off/.git/rr-cache &&
	test_expect_code 1 git -C off merge side 2>err &&
	test_must_be_empty err &&
	git -C off rerere status >out &&
	test_must_be_empty out &&
	git -C off merge --abort &&
	git -C off config --unset rerere.enabled &&
	test_expect_code 1 git -C off merge side 2>err &&
	test_grep "Recorded preimage" err &&
	rm -r off/.git/rr-cache off/.git/MERGE_RR &&
	git -C off rerere 2>err &&
	test_must_be_empty err
'

test_expect_success STRACE,FSYNC_BATCH 'recording costs no flush of its own' '
	for enabled in false true
	do
		make_conflict flush-$enabled &&
		git -C flush-$enabled config rerere.enabled $enabled &&
		(
			cd flush-$enabled &&
			{ count_flushes git merge side >../merge.$enabled || :; } &&
			echo resolved >f &&
			git add f &&
			count_flushes git commit -q -m merge >../commit.$enabled
		) || return 1
	done &&
	test_cmp merge.false merge.true &&
	test_cmp commit.false commit.true &&
	test_path_is_file flush-true/.git/rr-cache/$conflict_id/postimage
'

test_expect_success 'rebase and cherry-pick record resolutions, and use them' '
	make_conflict seq && cd seq && git config rerere.enabled true && git checkout -q side &&
	test_must_fail git rebase main 2>err && test_grep "Recorded preimage for .f." err &&
	echo resolved >f && git add f && GIT_EDITOR=: git rebase --continue 2>err && test_grep "Recorded resolution for .f." err &&
	git reset -q --hard ORIG_HEAD && test_must_fail git rebase main 2>err && test_grep "Resolved .f. using previous resolution" err &&
	echo resolved >../expect && test_cmp ../expect f && git ls-files -u >../unmerged && test_line_count = 3 ../unmerged &&
	git rebase --abort && test_path_is_missing .git/MERGE_RR &&
	test_must_fail git rebase --rerere-autoupdate main 2>err && test_grep "Staged .f. using previous resolution" err &&
	git ls-files -u >../unmerged && test_must_be_empty ../unmerged && git rebase --abort &&
	git checkout -q main && test_must_fail git cherry-pick --rerere-autoupdate side 2>err && test_grep "Staged .f. using" err &&
	git cherry-pick --abort && git commit -q --allow-empty -m none && test_must_fail git cherry-pick --rerere-autoupdate side HEAD &&
	git config -f .git/sequencer/opts options.allow-rerere-auto >../have && echo true >../expect && test_cmp ../expect ../have &&
	git cherry-pick --abort && test_path_is_missing .git/MERGE_RR
'

test_expect_success 'usage' '
	test_expect_code 129 git -C record rerere bogus 2>err &&
	test_grep "usage: git rerere" err
'

test_expect_success 'stash apply and pop record conflicts, and use resolutions' '
	git init -q -b main stashed && git -C stashed config rerere.enabled true && (
		cd stashed && echo 1 >f && git add f && git commit -q -m one && echo 2 >f && git stash -q && echo 3 >f && git commit -q -a -m two &&
		test_expect_code 1 git stash apply 2>err && test_grep "^Recorded preimage for .f.$" err && echo resolved >f && git rerere &&
		git reset -q --hard && test_expect_code 1 git stash pop 2>err && test_grep "^Resolved .f. using previous resolution.$" err &&
		test_grep resolved f && git ls-files -u >unmerged && test_file_not_empty unmerged && git reset -q --hard &&
		test_expect_code 1 git -c rerere.autoUpdate=true stash apply -q 2>err && test_grep "^Staged .f. using previous" err &&
		git ls-files -u >unmerged && test_must_be_empty unmerged && git diff --quiet && test_grep resolved f
	)
'

test_done
