#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='history: reword, fix up and split commits, and all that is built on them'
. "$(dirname "$0")/test-lib.sh"

# commit FILE SUBJECT
commit () {
	echo "$2" >"$1" && git add "$1" && test_tick && git commit -qm "$2"
}

# subjects RANGE
subjects () {
	git log --format=%s "$@" | tr "\n" " " | sed "s/ $//"
}

test_expect_success 'set up' '
	git init -q -b main . && commit a A && git branch side && commit b B && git branch mid && test_seq 20 >f && echo g >g && git add f g &&
	test_tick && git commit -qm C && commit d D && for r in main mid side; do git tag keep-$r $r || return 1; done &&
	printf "#!/bin/sh\ncp \"\$1\" \"$PWD/.git/seen\"\necho new message >\"\$1\"\n" >.git/write-message && chmod +x .git/write-message
'

# restore: all as it was
restore () {
	for r in main mid side
	do
		git update-ref refs/heads/$r keep-$r || return 1
	done && git reset -q --hard
}

test_expect_success 'reword: a new message; branches that are built on the commit follow' '
	GIT_EDITOR=.git/write-message git history reword HEAD~2 >out && test_must_be_empty out && test "$(subjects main)" = "D C new message A" &&
	test "$(git rev-parse mid)" = "$(git rev-parse main~2)" && test "$(git rev-parse side)" = "$(git rev-parse keep-side)" && git diff --quiet HEAD &&
	test "$(git log -1 --format=%an%ad mid)" = "$(git log -1 --format=%an%ad keep-mid)" && cat >expect <<-EOF && test_cmp expect .git/seen &&
	B

	# Please enter the commit message for the reworded changes. Lines starting
	# with '\''#'\'' will be ignored, and an empty message aborts the commit.
	# Changes to be committed:
	#	new file:   b
	#
	EOF
	git log -g -1 --format=%gs >out && echo "reword: updating HEAD~2" >expect && test_cmp expect out
'

test_expect_success 'reword: --dry-run prints, --update-refs=head leaves other branches' '
	restore && git for-each-ref >before && GIT_EDITOR=.git/write-message git history reword --dry-run keep-mid >updates && git for-each-ref >after && test_cmp before after &&
	sed "s/ [0-9a-f]* / NEW /" updates >out && printf "update refs/heads/%s NEW %s\n" main $(git rev-parse main) mid $(git rev-parse mid) >expect && test_cmp expect out &&
	git update-ref --stdin <updates && test "$(subjects main)" = "D C new message A" && restore &&
	GIT_EDITOR=.git/write-message git history reword --update-refs=head mid && test "$(subjects main)" = "D C new message A" && test "$(git rev-parse mid)" = "$(git rev-parse keep-mid)" &&
	restore && GIT_EDITOR=.git/write-message git history reword --dry-run --update-refs=head HEAD >out && test_grep "^update HEAD " out &&
	GIT_EDITOR=.git/write-message git history reword --update-refs=head HEAD && test "$(subjects main)" = "new message C B A" && git checkout -q --detach keep-main &&
	restore && GIT_EDITOR=.git/write-message git history reword keep-mid && test "$(git rev-parse HEAD)" = "$(git rev-parse main)" && git checkout -q main
'

# refuses MESSAGE ARGUMENT...: nothing changes
refuses () {
	message=$1 && shift && git for-each-ref >before && test_expect_code ${code:-255} git history "$@" 2>err && test_grep -e "$message" err &&
	git for-each-ref >after && test_cmp before after
}

test_expect_success 'reword says why it cannot go on' '
	restore && refuses "command expects a single revision" reword && refuses "command expects a single revision" reword HEAD HEAD~1 &&
	refuses "commit cannot be found: nope" reword nope && (GIT_EDITOR=false && export GIT_EDITOR && refuses "failed writing reworded commit" reword HEAD) &&
	(GIT_EDITOR="echo \"# x\" >" && export GIT_EDITOR && refuses "Aborting commit due to empty commit message" reword HEAD) &&
	(code=129 && refuses "update-refs expects one of" reword --update-refs=odd HEAD && refuses "need a subcommand" && refuses "unknown subcommand: .odd." odd) &&
	git checkout -q side && refuses "must be an ancestor of HEAD when using --update-refs=head" reword --update-refs=head main && git checkout -q -b m side &&
	commit m M && git merge -q -m merge main && git checkout -q main && refuses "replaying merge commits is not supported yet" reword main &&
	git branch -q -D m
'

test_expect_success 'fixup: staged changes become part of the commit' '
	restore && echo more >>b && git add b && git history fixup mid && git diff --quiet HEAD && git diff --cached --quiet && test "$(subjects main)" = "D C B A" &&
	test "$(git show mid:b)" = "$(printf "B\nmore")" && test "$(git rev-parse mid)" = "$(git rev-parse main~2)" && git log -g -1 --format=%gs >out && echo "fixup: updating mid" >expect &&
	test_cmp expect out && echo x >x && git add x && GIT_EDITOR=.git/write-message git history fixup --reedit-message HEAD && test "$(subjects -1)" = "new message" &&
	test_grep "the fixup changes" .git/seen && test_grep "new file:   x" .git/seen && ! grep "file:   d" .git/seen
'

test_expect_success 'fixup: commits that become empty are dropped or kept, or an error' '
	restore && git rm -q --cached b && refuses "fixup makes commit mid empty" fixup --empty=abort mid && git history fixup --empty=keep --dry-run mid >out && test_grep "refs/heads/main" out &&
	git history fixup mid && test "$(subjects main)" = "D C A" && test "$(git rev-parse mid)" = "$(git rev-parse side)" && restore &&
	git rm -q --cached a && refuses "cannot drop root commit" fixup side && (code=128 && refuses "unrecognized .--empty=. action .odd." fixup --empty=odd side) && restore &&
	commit d DD && echo D2 >e && git add e && git commit -qm same && git rm -q e && git commit -qm again && echo D2 >e && git add e &&
	refuses "became empty after replay" fixup --empty=abort HEAD~2 && git tag fixed-before && git history fixup --empty=keep HEAD~2 && test "$(subjects -3)" = "again same DD" &&
	git reset -q --soft fixed-before && git tag -d fixed-before >out && git history fixup HEAD~2 && test "$(subjects -3)" = "again DD D"
'

test_expect_success 'fixup: conflicts and missing changes are errors' '
	restore && refuses "nothing to fixup: no staged changes" fixup HEAD && echo other >d && git add d && refuses "fixup would produce conflicts; aborting" fixup mid &&
	restore && commit b BB && echo b >b && git add b && git stash -q && git checkout -q HEAD && git stash pop -q --index && refuses "fixup would produce conflicts" fixup mid &&
	restore && echo E >d && git add d && git commit -qm E && git rm -q d && git commit -qm gone && echo new >d && git add d && refuses "merge conflict while replaying commit" fixup HEAD~3
'

test_expect_success 'split: chosen hunks become a commit before the rest' '
	restore && sed -i "s/^2\$/two/; s/^18\$/eighteen/" f && echo G >g && echo n >n && git add f g n && git commit -qm "change" && git branch -f mid && commit z Z &&
	printf "y\nn\nn\ny\n" | GIT_EDITOR=.git/write-message git history split HEAD~1 >out && test_grep "^(1/2) Stage this hunk .y,n,q,a,d,k,K,j,J,g,/,p,P,?.?" out && test_grep "^--- a/f" out &&
	test_grep "Stage addition" out && test "$(subjects -3)" = "Z new message new message" && git diff --quiet HEAD && git show --format= --name-only HEAD~2 >out && printf "%s\n" f n >expect && test_cmp expect out &&
	git show HEAD~2 >out && test_grep "^+two" out && ! grep eighteen out && git show --format= --name-only HEAD~1 >out && printf "%s\n" f g >expect && test_cmp expect out &&
	test "$(git rev-parse mid)" = "$(git rev-parse HEAD~1)" && test_grep "split-out changes" .git/seen && git tag split && git log -g -1 --format=%gs >out && echo "split: updating HEAD~1" >expect && test_cmp expect out
'

test_expect_success 'split: only some paths, the root commit, and no edits' '
	echo y | GIT_EDITOR=: git history split HEAD~1 -- g >out && test_grep "^+G" out && ! grep eighteen out && git show --format= --name-only HEAD~2 >out && echo g >expect && test_cmp expect out &&
	git checkout -q --orphan root && git commit -qm root && printf "e\ny\nq\n" | GIT_EDITOR=: git history split HEAD >out 2>&1 && test_grep "Sorry, cannot edit this hunk" out &&
	git show --format= --name-only HEAD~1 >out && echo a >expect && test_cmp expect out && git checkout -q main
'

test_expect_success 'split: both parts have to have a change' '
	printf "n\nn\nn\nn\n" >none && printf "a\na\na\na\n" >all && refuses "split commit is empty" split HEAD~1 <none && refuses "split commit tree matches original commit" split HEAD~1 <all &&
	refuses "split commit is empty" split HEAD nothing <all && refuses "command expects a committish" split &&
	(GIT_EDITOR=false && export GIT_EDITOR && echo y >one && refuses "failed writing first commit" split split~1 -- f <one)
'

test_expect_success 'a bare repository has no index for fixup' '
	git clone -q --bare . bare.git && GIT_EDITOR=../.git/write-message git -C bare.git history reword main~1 && test "$(git -C bare.git log -1 --format=%s main~1)" = "new message" &&
	test_expect_code 255 git -C bare.git history fixup main 2>err && test_grep "cannot run fixup in a bare repository" err && echo y | GIT_EDITOR=: git -C bare.git history split split~1 -- f >out && test_grep "^+eighteen" out
'

test_expect_success 'fixup: faults of the staged changes come before those of the descendants' '
	restore && git checkout -q -b merged side && commit m M && git merge -q -m merge main && refuses "nothing to fixup: no staged changes" fixup side && echo other >d && git add d &&
	refuses "fixup would produce conflicts; aborting" fixup side && git reset -q --hard && git rm -q --cached b && refuses "fixup makes commit mid empty" fixup --empty=abort mid &&
	git reset -q && echo n >n && git add n && refuses "replaying merge commits is not supported yet" fixup side && git reset -q --hard && git checkout -q main && git branch -q -D merged
'

test_expect_success 'refs that cannot be moved, no HEAD, and names of something else' '
	restore && git symbolic-ref refs/heads/other refs/heads/main && (GIT_EDITOR=true && export GIT_EDITOR && refuses "^error: failed to commit ref transaction: multiple updates for .refs/heads/main." reword HEAD) &&
	tail -n 1 err >actual && echo "error: failed replaying descendants" >expect && test_cmp expect actual && git symbolic-ref -d refs/heads/other && write_script .git/hooks/reference-transaction <<-\EOF &&
	exit 1
	EOF
	(code=128 && GIT_EDITOR=true && export GIT_EDITOR && refuses "^fatal: in .preparing. phase, update aborted by the reference-transaction hook" reword HEAD) && rm .git/hooks/reference-transaction &&
	refuses "commit cannot be found: HEAD:d" reword HEAD:d && head -n 1 err >actual && echo "error: object $(git rev-parse HEAD:d) is a blob, not a commit" >expect && test_cmp expect actual &&
	git symbolic-ref HEAD refs/heads/void && refuses "^error: cannot look up HEAD$" fixup main && refuses "^error: cannot look up HEAD$" reword --update-refs=head main && git symbolic-ref HEAD refs/heads/main
'

test_done
