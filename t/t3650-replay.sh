#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='replay: commits are made again elsewhere, and refs follow'
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
	git init -q -b main . && commit a A && commit b B && git checkout -q -b topic && commit c C && git branch mid && commit d D &&
	git checkout -q main && commit e E && commit f F && git checkout -q -b other main~2 && commit c OTHER && git checkout -q main &&
	git config user.name Someone && for r in main topic mid; do git tag keep-$r $r || return 1; done
'

# restore: all refs as they were
restore () {
	for r in main topic mid
	do
		git update-ref refs/heads/$r keep-$r || return 1
	done && git reset -q --hard
}

test_expect_success '--onto moves the branch of the range, and nothing else' '
	git replay --onto=main main..topic >out && test_must_be_empty out && test "$(subjects topic)" = "D C F E B A" &&
	git diff --quiet HEAD && test "$(git rev-parse main)" = "$(git rev-parse keep-main)" && test "$(git rev-parse mid)" = "$(git rev-parse keep-mid)" &&
	test "$(git log -1 --format=%an,%ad topic)" = "$(git log -1 --format=%an,%ad keep-topic)" && git log -1 --format=%cn topic >out && ! test_cmp out /dev/null &&
	git log -g -1 --format=%gs topic >out && echo "replay --onto $(git rev-parse main)" >expect && test_cmp expect out
'

test_expect_success '--contained moves all branches of the range, print only says so' '
	restore && git for-each-ref >before && git replay --ref-action=print --contained --onto main main..topic >updates && git for-each-ref >after &&
	test_cmp before after && sed "s/ [0-9a-f]* / NEW /" updates >out &&
	printf "update refs/heads/%s NEW %s\n" mid $(git rev-parse mid) topic $(git rev-parse topic) >expect && test_cmp expect out &&
	git update-ref --stdin <updates && test "$(subjects topic)" = "D C F E B A" && test "$(subjects mid)" = "C F E B A"
'

test_expect_success 'several ranges, and commits that are named by no ref' '
	restore && git replay --onto main ^main topic mid && test "$(subjects mid)" = "C F E B A" && test "$(git rev-parse topic~1)" = "$(git rev-parse mid)" &&
	restore && git replay --onto main --ref-action=print main..$(git rev-parse topic) >out && test_must_be_empty out &&
	git replay --onto main --ref refs/heads/new main..$(git rev-parse topic) && test "$(subjects new)" = "D C F E B A" && git update-ref -d refs/heads/new &&
	git replay --onto main --ref refs/heads/mid main..topic && test "$(subjects mid)" = "D C F E B A" && test "$(git rev-parse topic)" = "$(git rev-parse keep-topic)"
'

test_expect_success '--advance moves the branch that is named' '
	restore && git replay --advance main main..topic && test "$(subjects main)" = "D C F E B A" && test "$(git rev-parse topic)" = "$(git rev-parse keep-topic)" &&
	git log -g -1 --format=%gs main >out && echo "replay --advance main" >expect && test_cmp expect out && restore &&
	git replay --ref-action=print --advance HEAD topic..topic >out && echo "update refs/heads/main $(git rev-parse main main | tr "\n" " " | sed "s/ $//")" >expect && test_cmp expect out
'

test_expect_success '--revert undoes commits, the last one first, in the name of the user' '
	restore && git replay --revert main main~2..main && git log -2 --format=%s%n%b main >out &&
	printf "Revert \"%s\"\nThis reverts commit %s.\n\n" E $(git rev-parse keep-main~1) F $(git rev-parse keep-main) >expect && test_cmp expect out &&
	test "$(git ls-tree --name-only main | tr "\n" " ")" = "a b " && git log -1 --format=%an main >out && git var GIT_AUTHOR_IDENT | sed "s/ <.*//" >expect && test_cmp expect out &&
	git replay --revert=main main~1..main && test "$(git log -1 --format=%s main)" = "Reapply \"E\"" && git log -g -1 --format=%gs main >out &&
	echo "replay --revert main" >expect && test_cmp expect out
'

test_expect_success 'a change that is there already is left out, an empty commit is kept' '
	restore && git checkout -q mid && git commit -q --allow-empty -m empty && git checkout -q main && git replay --advance main topic~2..topic~1 &&
	git replay --onto main --ref-action=update main..mid && test "$(subjects mid)" = "empty C F E B A"
'

test_expect_success 'a conflict changes nothing, and is exit code 1' '
	restore && git for-each-ref >before && git count-objects >objects && test_expect_code 1 git replay --onto other main..topic >out 2>err && test_must_be_empty out &&
	test_must_be_empty err && git for-each-ref >after && test_cmp before after && git count-objects >out && test_cmp objects out
'

test_expect_success 'other headers stay, signatures go' '
	{ git cat-file commit topic | sed "/^$/q" | sed "\$d" && printf "extra one\ngpgsig x\n y\n\nD\n"; } >c && signed=$(git hash-object -t commit -w --stdin --literally <c) &&
	git replay --onto main --ref refs/heads/signed main..$signed && git cat-file commit signed >out && test_grep "^extra one" out && ! grep gpgsig out
'

test_expect_success 'it works in a bare repository, and moves a HEAD that is detached and named' '
	git clone -q --bare . bare.git && git -C bare.git replay --onto main main..topic && test "$(git -C bare.git log --format=%s topic | head -n 3 | tr "\n" " ")" = "D C F " &&
	restore && rm -f c d && git checkout -q --detach topic && git replay --onto main main..HEAD && test "$(subjects HEAD)" = "D C F E B A" && git checkout -q -f main
'

test_expect_success 'replay.refAction is the default of --ref-action' '
	restore && test_config replay.refAction print && git replay --onto main main..topic >out && test_grep "^update refs/heads/topic" out &&
	git replay --onto main --ref-action=update main..topic >out && test_must_be_empty out && git config replay.refAction odd &&
	test_expect_code 128 git replay --onto main main..topic 2>err && test_grep "invalid replay.refAction value: .odd." err
'

# refuses MESSAGE ARGUMENT...
refuses () {
	message=$1 && shift && test_expect_code ${code:-128} git replay "$@" 2>err && test_grep -e "$message" err
}

test_expect_success 'it says why it cannot go on' '
	restore && (code=129 && refuses "exactly one of --onto" main..topic) && refuses "need some commits to replay" --onto main &&
	refuses "options .--onto. and .--advance. cannot be used together" --onto main --advance main topic &&
	refuses "options .--advance. and .--revert. cannot" --advance main --revert main topic && refuses "options .--revert. and .--contained. cannot" --revert main --contained topic &&
	refuses "options .--ref. and .--contained. cannot" --onto main --contained --ref refs/heads/x main..topic &&
	refuses "invalid --ref-action value: .odd." --onto main --ref-action=odd main..topic && refuses ".nope. is not a valid commit-ish for --onto" --onto nope main..topic &&
	refuses "argument to --advance must be a reference" --advance HEAD~1 main..topic && refuses "is not a valid refname" --onto main --ref new main..topic &&
	refuses ".--ref. cannot be used with multiple revision ranges" --onto main --ref refs/heads/x ^main topic mid &&
	refuses ".--advance. cannot be used with multiple revision ranges" --advance main ^main topic mid &&
	git checkout -q -f -b merged topic && git merge -q -m merge main && git checkout -q main && refuses "replaying merge commits is not supported yet" --onto main main..merged
'

test_expect_success 'options of log are taken, names in full; messages of errors' '
	restore && git replay --onto=main --oneline --stat main..topic && test "$(subjects topic)" = "D C F E B A" && restore && git tag -a -m annotated annotated main &&
	git replay --onto=annotated main..topic && git log -g -1 --format=%gs topic >out && echo "replay --onto $(git rev-parse annotated)" >expect && test_cmp expect out && restore &&
	(code=129 && refuses "exactly one of --onto" --ont=main main..topic) && refuses "^error: unrecognized argument: --contain$" --onto=main --contain main..topic &&
	refuses "options .--onto., .--advance., and .--revert. cannot be used together" --onto=main --advance=main --revert=main topic &&
	refuses "^error: failed to commit ref transaction: \(cannot lock ref .refs/heads/topic/x.: \)\{0,1\}.refs/heads/topic. exists" --onto=main --ref=refs/heads/topic/x main..topic
'

test_expect_success 'a hook that does not want the refs to move is fatal' '
	restore && write_script .git/hooks/reference-transaction <<-\EOF && refuses "^fatal: in .preparing. phase, update aborted by the reference-transaction hook" --onto=main main..topic &&
	exit 1
	EOF
	rm .git/hooks/reference-transaction && test "$(git rev-parse topic)" = "$(git rev-parse keep-topic)"
'

test_done
