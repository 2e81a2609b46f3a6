#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git rebase -i: the list and its commands, autosquash, exec, merges, update-refs'
. "$(dirname "$0")/test-lib.sh"

# The list is edited by the sed script $TODO, messages by $MSG.
test_expect_success 'set-up' '
	write_script todo-editor <<-\EOF &&
	cp "$1" ../todo.seen && sed "$TODO" "$1" >../todo.new && cat ../todo.new >"$1"
	EOF
	write_script msg-editor <<-\EOF &&
	cat "$1" >>../msg.seen && sed "$MSG" "$1" >../msg.new && cat ../msg.new >"$1"
	EOF
	git init -q -b main start &&
	(cd start && for i in 1 2 3 4 5 6 7 8 9; do echo l$i; done >f && git add f && test_tick && git commit -qm base &&
	 git checkout -q -b topic && sed "s/l2/t2/" f >g && mv g f && git commit -qam one &&
	 echo g >g && git add g && git commit -q -m two -m body && sed "s/l8/t8/" f >h && mv h f && git commit -qam three &&
	 git checkout -q main && echo m >m && git add m && git commit -qm m1 && git checkout -q topic)
'
here=$(pwd)
GIT_SEQUENCE_EDITOR=$here/todo-editor GIT_EDITOR=$here/msg-editor
export GIT_SEQUENCE_EDITOR GIT_EDITOR
copy() { rm -rf repo msg.seen && cp -R start repo; }
edit() { TODO=$1 MSG=$2 && shift 2 && TODO=$TODO MSG=$MSG git -C repo rebase -i "$@"; }
subjects() { git -C repo log --format=%s ${1:-main}.. >subjects && printf "$2" >expect && test_cmp expect subjects; }

test_expect_success 'the list has the commits and explains itself' '
	copy && edit "" "" main && sed -n "1,6p" todo.seen >list &&
	cat >expect <<-EOF &&
	pick $(git -C start rev-parse --short topic~2) # one
	pick $(git -C start rev-parse --short topic~1) # two
	pick $(git -C start rev-parse --short topic) # three

	# Rebase $(git -C start rev-parse --short main)..$(git -C start rev-parse --short topic) onto $(git -C start rev-parse --short main) (3 commands)
	#
	EOF
	test_cmp expect list && test_grep "^# However, if you remove everything, the rebase will be aborted.$" todo.seen &&
	subjects main "three\ntwo\none\n" &&
	git -C repo reset -q --hard ORIG_HEAD && git -C repo commit -q --allow-empty -m none &&
	TODO= git -C repo -c rebase.instructionFormat="%an: %s" -c rebase.abbreviateCommands=true rebase -qi main &&
	test_grep "^p [0-9a-f]* # A.*: one$" todo.seen && test_grep "^p .* none # empty$" todo.seen
'

test_expect_success 'lines move, go and are dropped; an empty list changes nothing' '
	copy && edit "1h;1d;2G;3s/pick/drop/" "" main && subjects main "one\ntwo\n" &&
	copy && test_expect_code 1 edit "1,\$d" "" main 2>err && echo "error: nothing to do" >expect && test_cmp expect err &&
	test "$(git -C repo rev-parse HEAD)" = "$(git -C start rev-parse topic)" && test_path_is_missing repo/.git/rebase-merge &&
	test_expect_code 1 env GIT_SEQUENCE_EDITOR=false git -C repo rebase -i main 2>err &&
	test_grep "there was a problem with the editor" err && test_path_is_missing repo/.git/rebase-merge
'

test_expect_success 'revert undoes a commit, in the name of the user' '
	copy && one=$(git -C repo rev-parse topic~2) && GIT_AUTHOR_NAME=Me edit "3a revert $one" "" main &&
	subjects main "Revert \"one\"\nthree\ntwo\none\n" && git -C repo log -1 --format="%an%n%b" >out && printf "Me\nThis reverts commit $one.\n\n" >expect && test_cmp expect out &&
	git -C repo log -g -2 --format=%gs >out && sed -n 2p out >line && echo "rebase (revert): Revert \"one\"" >expect && test_cmp expect line &&
	test_grep l2 repo/f && ref_missing repo REVERT_HEAD
'

test_expect_success 'revert stops at a conflict, and at an empty result' '
	copy && one=$(git -C repo rev-parse topic~2) && sed s/t2/u2/ repo/f >f && mv f repo/f && git -C repo commit -qam other &&
	test_expect_code 1 edit "4a revert $one" "" main 2>err && test_grep "error: could not revert $(git -C repo rev-parse --short $one)\.\.\. one$" err &&
	test "$(ref_value repo REVERT_HEAD)" = $one && ref_missing repo CHERRY_PICK_HEAD && test_grep "^>>>>>>> parent of .* (one)$" repo/f &&
	git -C repo checkout -q --theirs f && git -C repo add f && MSG= git -C repo rebase --continue >out 2>&1 && subjects main "Revert \"one\"\nother\nthree\ntwo\none\n" && ref_missing repo REVERT_HEAD &&
	copy && one=$(git -C repo rev-parse topic~2) && test_expect_code 1 edit "2s/.*/revert $one/;3s/.*/revert $one/" "" main >out 2>err && test_grep ! "previous cherry-pick" err && ref_missing repo CHERRY_PICK_HEAD &&
	git -C repo rebase --skip 2>err && subjects main "Revert \"one\"\none\n"
'

test_expect_success 'revert refuses a merge; what comes after a revert is a pick again' '
	copy && git -C repo checkout -q -b side main && git -C repo merge -q --no-edit topic && m=$(git -C repo rev-parse HEAD) && git -C repo checkout -q topic && test_expect_code 128 edit "3a revert $m" "" main 2>err && test_grep "is a merge but no -m option was given" err &&
	copy && one=$(git -C repo rev-parse topic~2) && edit "1a revert $one" "" main && subjects main "three\ntwo\nRevert \"one\"\none\n" && test_path_is_file repo/g
'

# signs N: gpg signs N times, and then fails
signs() {
	echo $1 >gpg-left && write_script gpg <<-EOF && git -C repo config gpg.program "$here/gpg"
	n=\$(cat "$here/gpg-left") && test \$n -gt 0 && echo \$((n - 1)) >"$here/gpg-left" && cat >/dev/null && echo "[GNUPG:] SIG_CREATED " >&2 && echo "-----BEGIN PGP SIGNATURE-----"
	EOF
}

test_expect_success 'a commit that cannot be signed stops the rebase before it, and --continue makes it' '
	copy && signs 1 && test_expect_code 1 git -C repo rebase -S main 2>err && test_grep "^error: failed to write commit object" err && test_grep "It has been rescheduled" err &&
	subjects main "one\n" && git -C repo diff --quiet HEAD && test_must_fail git -C repo rebase --continue && subjects main "one\n" && signs 9 && git -C repo rebase --continue && subjects main "three\ntwo\none\n" &&
	for c in HEAD HEAD~1 HEAD~2; do git -C repo cat-file commit $c >commit && test_grep "^gpgsig" commit || return 1; done
'

test_expect_success 'a fixup that cannot be signed is done anew' '
	copy && signs 1 && test_expect_code 1 edit "2,3s/pick/squash/" "" -S main 2>err && test "$(git -C repo log -1 --format=%s)" = one && signs 9 && MSG= git -C repo rebase --continue && subjects main "one\n" &&
	git -C repo log -1 --format=%B >out && printf "one\n\ntwo\n\nbody\n\nthree\n\n" >expect && test_cmp expect out && git -C repo diff --quiet HEAD && test_path_is_file repo/g &&
	copy && signs 1 && test_expect_code 1 git -C repo rebase -S main && git -C repo rebase --abort && test "$(git -C repo rev-parse HEAD)" = "$(git -C start rev-parse topic)"
'

# octopus: repo, where topic merges x and y, and has a commit behind that
octopus() {
	copy && (
		cd repo && git checkout -q -b x topic~2 && echo x >x && git add x && git commit -qm x && git checkout -q -b y topic~2 && echo y >y && git add y && git commit -qm y &&
		git checkout -q topic && printf "octo\n\n# body\n" >../text && GIT_AUTHOR_NAME=Oc GIT_AUTHOR_DATE=@1234567890 git merge -q -F ../text --cleanup=verbatim x y && echo t >t && git add t && git commit -qm t
	)
}

test_expect_success 'merges of more than two commits are made again' '
	octopus && git -C repo rebase -q --rebase-merges main && git -C repo log -1 --format="%an|%s|%P" HEAD~ >out &&
	echo "Oc|octo|$(git -C repo rev-parse HEAD~2) $(git -C repo rev-parse HEAD~^2) $(git -C repo rev-parse HEAD~^3)" >expect && test_cmp expect out && git -C repo log -1 --format=%B HEAD~ >out && test_grep "^# body" out &&
	test "$(git -C repo log -1 --format=%s main..HEAD~^3)" = y && test "$(git -C repo ls-files x y t)" = "$(printf "t\nx\ny")" && test_path_is_missing repo/.git/rebase-merge &&
	octopus && edit "/^merge/s/-C/-c/" "s/^octo/OCTO/" -r main && test "$(git -C repo log -1 --format=%s HEAD~)" = OCTO &&
	octopus && git -C repo rebase -q -r --committer-date-is-author-date main && test "$(git -C repo log -1 --format="%at %ct" HEAD~)" = "1234567890 1234567890"
'

test_expect_success 'a merge of more than two commits that conflicts stays in the list' '
	octopus && git -C repo branch other topic~2 && git -C repo checkout -q other && for b in x y; do git -C repo checkout -q $b && echo $b >repo/z && git -C repo add z && git -C repo commit -qm z || return 1; done && git -C repo checkout -q topic &&
	test_expect_code 1 edit "/^merge/s/ [^ ]* [^ ]* # / $(git -C repo rev-parse x) $(git -C repo rev-parse y) # /" "" -r main 2>err && test_grep "Should not be doing an octopus\|rescheduled" err &&
	git -C repo diff --quiet HEAD && test_path_is_missing repo/.git/MERGE_HEAD && head -n 1 repo/.git/rebase-merge/git-rebase-todo >line && test_grep "^merge -C" line &&
	sed 1d repo/.git/rebase-merge/git-rebase-todo >list && cat list >repo/.git/rebase-merge/git-rebase-todo && git -C repo rebase --continue && test_path_is_file repo/t
'

test_expect_success 'squash and fixup: one commit, the messages of both' '
	copy && edit "2s/pick/squash/;3s/pick/fixup/" "s/^one/ONE/" main && subjects main "ONE\n" &&
	cat >expect <<-\EOF &&
	# This is a combination of 3 commits.
	# This is the 1st commit message:

	one

	# This is the commit message #2:

	two

	body

	# The commit message #3 will be skipped:

	# three

	EOF
	sed -n 1,15p msg.seen >out && test_cmp expect out &&
	git -C repo log -1 --format=%B >out && printf "ONE\n\ntwo\n\nbody\n\n" >expect && test_cmp expect out &&
	test_path_is_file repo/g && test_grep t8 repo/f &&
	copy && edit "2,3s/pick/fixup/" "" main && subjects main "one\n" && test_path_is_missing msg.seen &&
	copy && edit "2,3s/pick/fixup -C/" "" main && subjects main "three\n" && test_path_is_missing msg.seen
'

test_expect_success 'a conflict in a chain: the messages stay together' '
	copy && git -C repo checkout -q main && sed "s/l8/m8/" repo/f >f && mv f repo/f && git -C repo commit -qam m2 &&
	git -C repo checkout -q topic && test_expect_code 1 edit "2,3s/pick/squash/" "" main &&
	test_grep "^squash" repo/.git/rebase-merge/current-fixups && test_grep "combination of 3" repo/.git/rebase-merge/message &&
	test "$(cat repo/.git/rebase-merge/amend)" = "$(git -C repo rev-parse HEAD)" &&
	test_line_count = 2 repo/.git/rebase-merge/rewritten-pending &&
	sed "/^[<=>]/d" repo/f >f && mv f repo/f && git -C repo add f && MSG= git -C repo rebase --continue &&
	subjects main "one\n" && git -C repo log -1 --format=%B >out && test_grep "^three$" out && test_grep "^body$" out
'

test_expect_success 'the last commit of a chain brings nothing: it counts as rewritten' '
	copy && git -C repo checkout -q main && sed "s/l8/m8/" repo/f >f && mv f repo/f && git -C repo commit -qam m2 &&
	git -C repo checkout -q topic && test_expect_code 1 edit "2,3s/pick/fixup -C/;3a exec false" "" main &&
	git -C repo checkout -q --ours f && git -C repo add f && test_expect_code 1 git -C repo rebase --continue &&
	for c in topic~2 topic~1 topic; do echo "$(git -C start rev-parse $c) $(git -C repo rev-parse HEAD)" || return 1; done >expect &&
	test_cmp expect repo/.git/rebase-merge/rewritten-list && test_path_is_missing repo/.git/rebase-merge/rewritten-pending &&
	git -C repo rebase --continue
'

test_expect_success 'a conflict ends a chain: the next fixup begins a new one' '
	copy && git -C repo checkout -q main && sed "s/l2/m2/" repo/f >f && mv f repo/f && git -C repo commit -qam m2 &&
	git -C repo checkout -q topic && test_expect_code 1 edit "1{h;d};2{G;s/\npick/\nsquash/};3s/pick/fixup -C/" "" main &&
	test_path_is_missing msg.seen && git -C repo checkout -q --theirs f && git -C repo add f &&
	MSG= git -C repo rebase --continue && subjects main "three\n" && grep "^# Th.* message\|^# This is a comb" msg.seen >headers &&
	cat >expect <<-\EOF &&
	# This is a combination of 2 commits.
	# This is the 1st commit message:
	# This is the commit message #2:
	# This is a combination of 2 commits.
	# The 1st commit message will be skipped:
	# This is the commit message #2:
	EOF
	test_cmp expect headers && git -C repo reflog --format=%gs -5 >log && test_grep "^rebase (continue): two$" log &&
	git -C repo reset -q --hard ORIG_HEAD && rm msg.seen &&
	test_expect_code 1 edit "1{h;d};2{G;s/\npick/\nsquash/};3s/pick/fixup -C/" "" main && git -C repo checkout -q --ours f &&
	git -C repo add f && MSG= git -C repo rebase --continue && grep "^# Th.* message\|^# This is a comb" msg.seen >headers &&
	tail -n 3 expect >expect3 && test_cmp expect3 headers && subjects main "three\n"
'

test_expect_success 'a fixup that takes back the whole commit is a stop' '
	for command in fixup squash
	do
		copy && git -C repo checkout -q -B topic topic~2 && git -C repo checkout -q HEAD^ -- f && git -C repo commit -qm "take back" &&
		test_expect_code 1 edit "2s/pick/$command/" "" main >out 2>&1 && test_grep "You asked to amend the most recent" out &&
		test_grep "^Could not apply .* # take back$" out && git -C repo rev-parse topic >expect &&
		test_cmp expect repo/.git/rebase-merge/stopped-sha && git -C repo rebase --skip && subjects main "one\n" || return 1
	done
'

test_expect_success 'a commit, or a fixup, that is upstream: --empty' '
	copy && git -C repo checkout -q main && git -C repo show topic:f | sed "s/t2/l2/" >f && mv f repo/f &&
	git -C repo commit -qam "three, too" && git -C repo checkout -q topic && cp -R repo made &&
	test_expect_code 1 edit "" "" --reapply-cherry-picks --empty=stop main >out 2>&1 && test_grep "^nothing to commit, working tree clean" out &&
	git -C repo rev-parse topic >expect && git -C repo rev-parse CHERRY_PICK_HEAD >actual && test_cmp expect actual &&
	git -C repo commit -q --allow-empty --no-edit && git -C repo rebase --continue && subjects main "three\ntwo\none\n" &&
	test_must_fail git -C repo rev-parse -q --verify CHERRY_PICK_HEAD &&
	rm -rf repo && cp -R made repo && edit "3s/pick/fixup/" "" --reapply-cherry-picks --empty=drop main 2>err &&
	test_grep "dropping $(git -C start rev-parse topic) three -- patch contents already upstream" err && subjects main "two\none\n" &&
	rm -rf repo && cp -R made repo &&
	test_expect_code 1 edit "2{h;d};3{G;s/\npick/\nsquash/}" "" --reapply-cherry-picks --empty=stop main &&
	ref_exists repo CHERRY_PICK_HEAD && MSG= git -C repo rebase --continue && subjects main "one\n" &&
	rm -rf repo && mv made repo && edit "3s/pick/fixup/" "" --reapply-cherry-picks --empty=stop main && subjects main "two\none\n"
'

test_expect_success 'fixup -c, -C: which subjects become comments' '
	copy && for m in "amend! one" "#x" "squash! one" "fixup! one"; do
		printf "%s\n\nof $m\n" "$m" >m && git -C repo commit -q --allow-empty --cleanup=verbatim -F ../m || return 1; done &&
	edit "2,3s/pick/fixup/;4,5s/pick/fixup -c/;6s/pick/fixup -C/;7s/pick/fixup/" "" main &&
	sed -n "/#4 will/,/^# Please/p" msg.seen >out && sed -n "1,21p" out >lines &&
	cat >expect <<-\EOF &&
	# The commit message #4 will be skipped:

	# amend! one
	#
	# of amend! one

	# The commit message #5 will be skipped:

	#x
	#
	# of #x

	# This is the commit message #6:

	squash! one

	of squash! one

	# The commit message #7 will be skipped:

	# fixup! one
	EOF
	test_cmp expect lines && subjects main "squash! one\n" &&
	rm msg.seen && git -C repo reset -q --hard ORIG_HEAD && edit "2s/pick/squash/;3,7s/pick/fixup -C/" "" main &&
	test_grep "^# squash! one" msg.seen && test_grep "^# fixup! one" msg.seen && test_grep "^#x" msg.seen
'

test_expect_success 'reword and edit' '
	copy && edit "1s/pick/reword/;2s/pick/edit/" "s/^one/ONE/" main 2>err && test_grep "Stopped at .*# two" err &&
	git -C repo reflog -3 --format=%gs >log &&
	printf "rebase (edit): two\nrebase (reword): ONE\nrebase (reword): one\n" >expect && test_cmp expect log &&
	test "$(cat repo/.git/rebase-merge/amend)" = "$(git -C repo rev-parse HEAD)" && echo more >>repo/g && git -C repo add g &&
	MSG= git -C repo rebase --continue && subjects main "three\ntwo\nONE\n" && git -C repo show HEAD~1:g >out && test_grep more out
'

test_expect_success 'an editor that fails is a stop; empty commits go together' '
	copy && test_expect_code 1 env TODO="1s/pick/reword/" GIT_EDITOR=false git -C repo rebase -i main 2>err &&
	test_grep "^Could not apply .* # one$" err && git -C repo rebase --continue && subjects main "three\ntwo\none\n" &&
	copy && test_expect_code 1 env TODO="2s/pick/squash/" GIT_EDITOR=false git -C repo rebase -i main &&
	MSG= git -C repo rebase --continue && subjects main "three\none\n" &&
	copy && for n in a b; do git -C repo commit -q --allow-empty -m $n; done && git -C repo branch up topic~2 &&
	git -C repo checkout -q main && git -C repo commit -q --allow-empty -m up && git -C repo checkout -q topic &&
	edit "5s/pick/squash/" "" main && subjects main "a\nthree\ntwo\none\n"
'

test_expect_success 'exec and break' '
	copy && test_expect_code 1 git -C repo rebase -x "test -f g || exit 7" main 2>err && test_grep "execution failed: test -f g" err &&
	test "$(cat repo/.git/rebase-merge/msgnum)" = 2 && git -C repo rebase --continue && subjects main "three\ntwo\none\n" &&
	copy && edit "1a break" "" main 2>err && test_grep "Stopped at .*(one)" err && git -C repo rebase --continue &&
	copy && edit "s/^pick \([0-9a-f]*\).*/p \1/; 1a b" "" main && { echo "pick $(git -C repo rev-parse topic~2)"; echo break; } >expect &&
	sed "s/ #.*//" repo/.git/rebase-merge/done >actual && test_cmp expect actual && git -C repo rebase --continue &&
	copy && test_expect_code 1 edit "1a exec echo x >>f" "" main 2>err && test_grep "but left changes" err &&
	git -C repo checkout -q f && git -C repo rebase --continue && subjects main "three\ntwo\none\n" &&
	copy && test_expect_code 1 edit "1a exec false" "" --reschedule-failed-exec main 2>err &&
	test_grep "^exec false" repo/.git/rebase-merge/git-rebase-todo && git -C repo rebase --abort
'

test_expect_success 'a bad line, a missing commit: the list is mended by --edit-todo' '
	copy && test_expect_code 1 edit "1s/pick/pock/" "" main 2>err && test_grep "^error: invalid line 1: pock" err &&
	test_grep "You can fix this with" err && test_expect_code 1 git -C repo rebase --continue &&
	TODO="s/pock/pick/" git -C repo rebase --edit-todo && git -C repo rebase --continue && subjects main "three\ntwo\none\n" &&
	copy && git -C repo config rebase.missingCommitsCheck error && test_expect_code 1 edit 1d "" main 2>err &&
	test_grep "^ - .* # one$" err && test_expect_code 1 git -C repo rebase --continue && git -C repo rebase --abort &&
	test "$(git -C repo rev-parse HEAD)" = "$(git -C start rev-parse topic)"
'

test_expect_success '--autosquash' '
	copy && (cd repo && echo 1 >>g && git commit -qam "fixup! two" && git commit -q --allow-empty -m "amend! one

	ONE" && echo 2 >>g && git commit -qam "squash! $(git rev-parse --short HEAD~3)") &&
	edit "" "" --autosquash main && sed -n 1,6p todo.seen | sed "s/ [0-9a-f]* # / # /" >out &&
	cat >expect <<-\EOF &&
	pick # one
	fixup -C # amend! one # empty
	pick # two
	fixup # fixup! two
	EOF
	sed -n 1,4p out >four && test_cmp expect four && test_grep "^squash # squash!" out && subjects main "three\ntwo\n	ONE\n"
'

test_expect_success '--update-refs' '
	copy && git -C repo branch mid topic~1 && git -C repo branch low topic~2 && git -C repo rebase --update-refs main 2>err &&
	printf "Updated the following refs with --update-refs:\n\trefs/heads/low\n\trefs/heads/mid\n" >expect && tail -3 err >out &&
	test_cmp expect out && test "$(git -C repo rev-parse mid low)" = "$(git -C repo rev-parse topic~1 topic~2)" &&
	git -C repo reset -q --hard ORIG_HEAD && git -C repo branch -f mid topic~1 &&
	edit "1a break" "" --update-refs main && test_grep "^refs/heads/mid$" repo/.git/rebase-merge/update-refs &&
	git -C repo rebase --continue && test "$(git -C repo rev-parse mid)" = "$(git -C repo rev-parse topic~1)"
'

test_expect_success '--rebase-merges: branches and merges are made again' '
	copy && (cd repo && git checkout -q -b side topic~1 && echo s >s && git add s && git commit -qm s1 &&
	 git checkout -q topic && git merge -q side && echo 4 >>g && git commit -qam last) &&
	edit "" "" -r main && sed -n "1,/^pick .*last/p" todo.seen | sed "s/ [0-9a-f]* # / # /; s/-C [0-9a-f]*/-C/" >out &&
	cat >expect <<-\EOF &&
	label onto

	# Branch side
	reset onto
	pick # one
	pick # two
	label branch-point
	pick # s1
	label side

	reset branch-point # two
	pick # three
	merge -C side # Merge branch ${SQ}side${SQ} into topic
	pick # last
	EOF
	sed "s/\${SQ}/$(printf "\\047")/g" expect >expect2 && test_cmp expect2 out &&
	git -C repo log --format=%p -1 HEAD~1 >parents && test "$(wc -w <parents)" -eq 2 &&
	test "$(git -C repo merge-base HEAD main)" = "$(git -C repo rev-parse main)" && test_path_is_file repo/s &&
	git -C repo reset -q --hard ORIG_HEAD && edit "/^label side/a break" "" -r main &&
	git -C repo rev-parse refs/rewritten/side && git -C repo rebase --continue && git -C repo for-each-ref refs/rewritten >out &&
	test_must_be_empty out && test_path_is_file repo/s
'

# progress ARGS...: the numbers that a rebase prints
progress () {
	edit "$@" 2>err && tr "\r" "\n" <err | sed -n "s/^Rebasing (\(.*\))$/\1/p" >numbers
}

test_expect_success 'commands that do nothing are done before the rebase begins' '
	copy && progress "1inoop" "" main~ && test_must_be_empty numbers && git -C repo log --format=%s >out && git -C start log --format=%s >expect &&
	test_cmp expect out && progress "1s/pick/drop/" "" main~ && printf "%s\n" 2/3 3/3 >expect && test_cmp expect numbers &&
	copy && progress "2s/pick/drop/" "" main~ && echo 3/3 >expect && test_cmp expect numbers && git -C repo log -1 -g --format=%gs HEAD@{2} >out &&
	echo "rebase (start): checkout main~" >expect && test_cmp expect out && subjects main~ "three\none\n" &&
	copy && progress "s/pick/drop/" "" main && test_must_be_empty numbers && subjects main "" &&
	copy && progress "2inoop" "" -f main~ && printf "%s\n" 1/4 2/4 3/4 4/4 >expect && test_cmp expect numbers
'

test_expect_success '--edit-todo takes blanks away; squash-onto and MERGE_MODE are there if they are needed' '
	copy && edit 1ibreak "" main && test_path_is_missing repo/.git/rebase-merge/squash-onto &&
	GIT_SEQUENCE_EDITOR="printf \"  \\n# x\\nexec true   \\n  break  \\n\" >>" git -C repo rebase --edit-todo &&
	tail -n 2 repo/.git/rebase-merge/git-rebase-todo >out && printf "%s\n" "exec true" break >expect && test_cmp expect out &&
	git -C repo rebase --abort && edit 1ibreak "" --root && test_path_is_file repo/.git/rebase-merge/squash-onto && git -C repo rebase --continue &&
	copy && git -C repo checkout -q -b clash topic~3 && sed s/l2/c2/ repo/f >f && mv f repo/f && git -C repo commit -qam clash &&
	git -C repo checkout -q topic && test_expect_code 1 edit "/ one/a merge clash # joined" "" main &&
	test no-ff = "$(cat repo/.git/MERGE_MODE)" && test "$(git -C repo rev-parse clash)" = "$(cat repo/.git/MERGE_HEAD)" && git -C repo rebase --abort &&
	test_expect_code 1 edit "" "" clash && test_path_is_missing repo/.git/MERGE_MODE && test_path_is_missing repo/.git/MERGE_HEAD && git -C repo rebase --abort
'

test_expect_success '--autosquash finds the first commit by its name' '
	copy && git -C repo commit -q --allow-empty -m "fixup! $(git -C repo rev-parse topic~2)" && edit "" "" --autosquash main &&
	sed -n "1,2s/ .*#/ #/p" todo.seen >out && printf "%s\n" "pick # one" "fixup # empty" >expect && test_cmp expect out
'

test_expect_success '--continue and the like are the only argument' '
	git init -q alone && (cd alone && git commit -q --allow-empty -m x && for o in "-q --continue" "--abort -v" "--skip x" "--edit-todo -i" "--quit --autostash" "--show-current-patch -q"; do
		test_expect_code 129 git rebase $o 2>err && test_grep "^usage: git rebase" err || return 1
	done && test_expect_code 128 git rebase --edit-todo 2>err && test_grep "no rebase in progress" err)
'

test_done
