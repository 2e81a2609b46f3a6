#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='options of fetch: FETCH_HEAD, --prune-tags, --refmap, negotiation, --set-upstream'
. "$(dirname "$0")/test-lib.sh"

SQ="'"

test_expect_success 'a repository with tags of all kinds' '
	git init -q up &&
	(cd up && echo hi >f && git add f && git commit -q -m one && git tag light && git tag -a -m x note &&
	 git tag tree HEAD^{tree} && git tag blob HEAD:f && git tag -a -m x note-of-tree tree && git branch topic) &&
	branch=$(git -C up symbolic-ref --short HEAD) &&
	git init -q c && git -C c commit -q --allow-empty -m own && git -C c remote add origin ../up
'

test_expect_success 'an object that is no commit is not for merge' '
	git -C c fetch -q --no-tags ../up note tree light note-of-tree refs/tags/blob:refs/x/blob &&
	sed "s/^[0-9a-f]*//" c/.git/FETCH_HEAD >out &&
	{ printf "\t\ttag %s of ../up\n" "'\''note'\''" "'\''light'\''" &&
	  printf "\tnot-for-merge\ttag %s of ../up\n" "'\''tree'\''" "'\''note-of-tree'\''" "'\''blob'\''"; } >expect &&
	test_cmp expect out
'

test_expect_success '--prune-tags with a URL takes all tags, and with --prune deletes the others' '
	git -C c tag own HEAD && git -C c fetch -q --prune-tags ../up && git -C c rev-parse -q --verify own && git -C c rev-parse -q --verify light &&
	git -C c fetch -q --prune --prune-tags ../up && git -C c tag >out && git -C up tag >expect && test_cmp expect out &&
	git -C c tag own && git -C c -c fetch.prune=true -c fetch.pruneTags=true fetch -q ../up &&
	git -C c tag >out && test_cmp expect out &&
	git -C c rev-parse -q --verify HEAD
'

test_expect_success '--prune-tags leaves tags alone where refspecs are given' '
	git -C c tag own && git -C c fetch -q --prune --prune-tags ../up $branch && git -C c rev-parse -q --verify own &&
	git -C c fetch -q --prune --prune-tags origin && test_must_fail git -C c rev-parse -q --verify own
'

test_expect_success '--refmap needs refspecs' '
	for args in --refmap= --refmap=refs/heads/*:refs/o/* "--refmap= --all" "--refmap= --tags origin"; do
		test_expect_code 128 git -C c fetch $args 2>err &&
		test_grep "only meaningful with command-line refspec" err || return 1
	done &&
	echo $branch | git -C c fetch -q --refmap=refs/heads/*:refs/o/* --stdin origin &&
	git -C c rev-parse -q --verify refs/o/$branch
'

# Told haves of a fetch, sorted.
haves () {
	git -C up commit -q --allow-empty -m more &&
	rm -f trace && GIT_TRACE_PACKET="$PWD/trace" git -C c fetch -q "$@" origin &&
	sed -n "s/.*fetch> have //p" trace | sort >told
}

test_expect_success 'a pattern of negotiation crosses slashes' '
	git -C c branch deep/er/name &&
	haves --negotiation-tip="refs/heads/*name" && git -C c rev-list deep/er/name | sort >expect && test_cmp expect told
'

test_expect_success 'an object that is not there is no tip' '
	missing=$(echo no such thing | git -C c hash-object --stdin) &&
	for option in tip restrict include; do
		test_must_fail git -C c fetch --negotiation-$option=$missing origin 2>err &&
		test_grep "the object $missing does not exist" err || return 1
	done
'

test_expect_success 'fetch sends each --negotiation-include once' '
	git -C c commit -q --allow-empty -m newer && git -C c rev-parse HEAD >expect &&
	haves --negotiation-include=HEAD --negotiation-include=HEAD --negotiation-tip=HEAD &&
	grep -f expect told >once && test_cmp expect once
'

upstream () {
	git -C c config unset --all branch.$branch.merge
	git -C c fetch -q --set-upstream "$@" 2>err
	git -C c config --default none branch.$branch.merge >out
}

test_expect_success '--set-upstream takes the one branch that has no place of its own here' '
	upstream origin $branch tag light && echo refs/heads/$branch >expect && test_cmp expect out &&
	upstream origin $branch topic:x && test_cmp expect out &&
	echo none >expect &&
	upstream origin tag light && test_cmp expect out && test_grep "no source branch found" err &&
	upstream origin $branch:y && test_cmp expect out && test_grep "no source branch found" err &&
	upstream origin light && test_cmp expect out && test_grep "not setting upstream for a remote tag" err &&
	upstream origin tree && test_cmp expect out && test_grep "not setting upstream for a remote tag" err &&
	upstream origin $branch topic && test_cmp expect out && test_grep "multiple branches" err &&
	upstream origin $(git -C up rev-parse topic) && test_cmp expect out && test_grep "unknown branch type" err
'

test_expect_success '--set-upstream with a detached HEAD says what it could not set' '
	test_when_finished "git -C c checkout -q -" && git -C c checkout -q --detach &&
	git -C c fetch -q --set-upstream origin $branch 2>err &&
	echo "warning: could not set upstream of HEAD to '\''$branch'\'' from '\''origin'\'' when it does not point to any branch." >expect &&
	test_cmp expect err
'

test_expect_success '--no-write-fetch-head has no rows for FETCH_HEAD' '
	git -C c fetch --no-write-fetch-head --no-tags ../up HEAD 2>err && test_must_be_empty err &&
	git -C c fetch --porcelain --no-write-fetch-head --no-tags ../up HEAD >out && test_must_be_empty out
'

test_expect_success 'several remotes, or none, begin with an empty FETCH_HEAD' '
	git init -q none && echo old >none/.git/FETCH_HEAD && git -C none fetch --all && test_must_be_empty none/.git/FETCH_HEAD &&
	echo old >none/.git/FETCH_HEAD && git -C none fetch --all --append && test_grep old none/.git/FETCH_HEAD
'

test_expect_success '--porcelain with --all' '
	git init -q several && git -C several remote add one ../up && git -C several remote add two ../up &&
	git -C several fetch --porcelain --all >out && test_grep " refs/remotes/one/topic$" out && test_grep " refs/remotes/two/topic$" out &&
	test_grep ! Fetching out
'

# follows <config>...: is there a HEAD of the remote after a fetch? $here: its branch is here before.
follows () {
	rm -rf f && git init -q f && git -C f remote add o ../up && git -C f config unset remote.o.fetch &&
	git -C f fetch -q ../up $branch && { test -z "$here" || git -C f update-ref refs/remotes/o/$branch FETCH_HEAD; } &&
	for set in "$@"; do git -C f config set --append remote.o."${set%%=*}" "${set#*=}" || return 2; done &&
	git -C f fetch -q o && git -C f symbolic-ref -q refs/remotes/o/HEAD >out
}

test_expect_success 'HEAD of a remote follows a branch that any refspec brings' '
	here= && follows "fetch=+refs/heads/*:refs/remotes/o/*" && follows fetch=refs/heads/$branch "fetch=+refs/heads/*:refs/remotes/o/*"
'

test_expect_success 'HEAD of a remote follows the only branch at a detached HEAD' '
	test_when_finished "git -C up checkout -q -" && git -C up checkout -q --detach && here= &&
	git -C up branch -f topic HEAD && test_expect_code 1 follows "fetch=+refs/heads/*:refs/remotes/o/*" &&
	git -C up branch -f topic $(git -C up commit-tree -m topic HEAD^{tree}) && follows "fetch=+refs/heads/*:refs/remotes/o/*"
'

test_expect_success 'HEAD of a remote does not follow into a bare mirror, nor to a branch that is not asked for' '
	git init -q --bare m && git -C m remote add o ../up && git -C m config remote.o.mirror true && git -C m fetch -q o &&
	test_expect_code 1 git -C m symbolic-ref -q refs/remotes/o/HEAD &&
	here=yes && test_expect_code 1 follows "fetch=refs/heads/t*:refs/remotes/o/t*"
'

test_expect_success 'a short name in branch.<name>.merge finds what a refspec lists' '
	rm -rf f && git init -q f && git -C f remote add o ../up && b=$(git -C f symbolic-ref --short HEAD) &&
	git -C f config branch.$b.remote o && git -C f config branch.$b.merge topic &&
	git -C f fetch -q && grep -v not-for-merge f/.git/FETCH_HEAD >out && test_grep topic out &&
	git -C f config unset remote.o.fetch && git -C f fetch -q --no-tags && test_must_be_empty f/.git/FETCH_HEAD
'

test_expect_success 'a branch to merge has one row, and a short name means a ref that a refspec brings' '
	rm -rf f && git init -q f && git -C f remote add o ../up && b=$(git -C f symbolic-ref --short HEAD) &&
	git -C f config branch.$b.remote o && git -C f config branch.$b.merge light && git -C f config --add branch.$b.merge refs/tags/light &&
	git -C f fetch -q && grep -v not-for-merge f/.git/FETCH_HEAD >out && test_line_count = 1 out && test_grep "tag .light" out &&
	git -C up branch light && test_when_finished "git -C up branch -D light" &&
	git -C f fetch -q && grep -v not-for-merge f/.git/FETCH_HEAD >out && test_grep "branch .light" out &&
	git -C f config set remote.o.fetch ^refs/heads/topic && git -C f fetch -q --no-tags && grep -v not-for-merge f/.git/FETCH_HEAD >out &&
	test_line_count = 1 out && test_grep "tag .light" out
'

test_expect_success 'a rejected ref keeps HEAD of the remote and the upstream from following' '
	rm -rf f && git init -q f && git -C f commit -q --allow-empty -m own && git -C f tag light && git -C f remote add o ../up &&
	b=$(git -C f symbolic-ref --short HEAD) &&
	test_expect_code 1 git -C f fetch -q --set-upstream --tags o && test_expect_code 1 git -C f symbolic-ref -q refs/remotes/o/HEAD &&
	test_expect_code 1 git -C f fetch -q --set-upstream o $branch "refs/tags/*:refs/tags/*" &&
	test_expect_code 1 git -C f config branch.$b.merge &&
	git -C f fetch -q --set-upstream o $branch && git -C f config branch.$b.merge
'

test_expect_success 'HEAD of a remote follows no branch that is left out, and asks for a refspec with a place' '
	here= && test_expect_code 1 follows "fetch=+refs/heads/*:refs/remotes/o/*" fetch=^refs/heads/$branch &&
	here=yes && test_expect_code 1 follows fetch=^refs/heads/topic
'

test_expect_success 'a hint says how HEAD of a remote can follow' '
	rm -rf f && git init -q f && git -C f remote add o ../up && git -C f config remote.o.followRemoteHEAD warn &&
	git -C f symbolic-ref refs/remotes/o/HEAD refs/remotes/o/other && git -C f fetch o >out 2>err &&
	test_grep "HEAD. at .o. is .$branch., but we have .other. locally" out && test_grep "^hint: Run .git remote set-head o $branch. to follow" err &&
	git -C f -c advice.fetchRemoteHEADWarn=false fetch o 2>err && test_grep ! hint: err
'

test_expect_success 'fetch --prune tells of symbolic refs that dangle' '
	rm -rf f && git init -q f && git -C f remote add o ../up && git -C f fetch -q o && git -C f update-ref refs/remotes/o/gone refs/remotes/o/topic &&
	git -C f symbolic-ref refs/one refs/remotes/o/gone && git -C f symbolic-ref refs/two refs/one &&
	git -C f fetch --dry-run --prune o 2>err && test_grep "^   refs/one will become dangling after refs/remotes/o/gone is deleted" err &&
	git -C f fetch --prune o 2>err && grep dangling err >out && test_line_count = 2 out &&
	test_grep "^   refs/two has become dangling after refs/remotes/o/gone was deleted" out
'

test_expect_success 'the last one of -v and -q counts, also with several remotes, and -q tells of no rejection' '
	rm -rf f && git init -q f && git -C f commit -q --allow-empty -m own && git -C f tag light && git -C f remote add o ../up &&
	test_expect_code 1 git -C f fetch -v -q --tags o 2>err && test_must_be_empty err &&
	test_expect_code 1 git -C f fetch -q -q -v --tags o 2>err && test_grep "would clobber" err &&
	git -C f fetch -v -q --multiple o o 2>err && test_must_be_empty err &&
	git clone -v -q up g 2>err && test_must_be_empty err && git -C g push -v -q origin HEAD:refs/heads/pushed 2>err && test_must_be_empty err &&
	git -C up branch -D pushed
'

test_expect_success '--prefetch takes the upstream, and tags of refs/*' '
	rm -rf f && git init -q f && git -C f remote add o ../up && b=$(git -C f symbolic-ref --short HEAD) &&
	git -C f config set remote.o.fetch "refs/*:refs/*" && git -C f config branch.$b.remote o && git -C f config branch.$b.merge HEAD &&
	git -C f fetch -q --prefetch && git -C f rev-parse -q --verify refs/prefetch/tags/light && cut -f2- f/.git/FETCH_HEAD >out &&
	test_grep "^	../up$" out
'

test_expect_success 'rows: dry runs show FETCH_HEAD, deleted refs stay aligned, refspecs without a place count, tags follow excluded branches' '
	rm -rf f && git init -q f && git -C f commit -q --allow-empty -m own && git -C f tag light && git -C f remote add o ../up &&
	git -C f fetch --dry-run --no-write-fetch-head ../up 2>err && test_grep "HEAD *-> FETCH_HEAD" err &&
	git -C f update-ref refs/remotes/o/gone HEAD && test_expect_code 1 git -C f fetch --prune --tags o 2>err &&
	test_grep "^ - .deleted.         (none) " err && test_grep "^ ! .rejected. light " err &&
	git -C f config set remote.o.fetch $branch && git -C f fetch o $branch 2>err && grep -c "$branch *-> FETCH_HEAD" err >out && echo 2 >expect && test_cmp expect out &&
	git -C f tag -d light && git -C f fetch -q o $branch:x ^refs/heads/$branch && git -C f rev-parse -q --verify refs/tags/light
'

test_expect_success 'tags follow out of a pack that is kept, too' '
	git init -q h && (cd h && git commit -q --allow-empty -m 1 && git commit -q --allow-empty -m 2 && git tag mid && git tag -a -m x note &&
	 git commit -q --allow-empty -m 3) && printf "mid\nnote\n" >expect &&
	for option in fetch.unpackLimit=100 fetch.unpackLimit=1; do
		rm -rf f && git init -q f && git -C f -c $option fetch -q ../h "refs/heads/*:refs/remotes/o/*" &&
		git -C f tag >out && test_cmp expect out && git -C f rev-parse -q --verify "note^{commit}" || return 1
	done
'

# A remote with a tag beside its branch, a tag behind it and a client that has none of them: tagged -> new -> main.
test_expect_success 'a server with tags on the way' '
	git init -q -b main way && git -C way commit -q --allow-empty -m 1 && git -C way tag -a -m x behind &&
	git -C way commit -q --allow-empty -m 2 && git -C way tag beside && git -C way commit -q --allow-empty -m 3 && git -C way tag -a -m x named
'

# What a fetch with these arguments shows, without the summary.
rows_of () {
	rm -rf w && git init -q -b other w && git -C w remote add o ../way && git -C w config remote.o.fetch "$1" && shift &&
	git -C w config --add remote.o.fetch "+refs/tags/*:refs/tags/*" && git -C w fetch "$@" 2>err &&
	sed -n "s/^.*\] *\|^ \* tag *\|^ \* branch */ /p" err | tr -s " " >rows && sed "s/^[0-9a-f]*//" w/.git/FETCH_HEAD >head
}

test_expect_success 'a tag that follows is in FETCH_HEAD also where a refspec of the remote brings it' '
	rows_of "+refs/heads/*:refs/remotes/o/*" o named main:x &&
	printf "%s\n" " named -> FETCH_HEAD" " main -> x" " named -> named" " main -> o/main" " behind -> behind" " beside -> beside" >expect && test_cmp expect rows &&
	{ printf "\t\t%s\n" "tag ${SQ}named$SQ of ../way" "branch ${SQ}main$SQ of ../way" &&
	  printf "\tnot-for-merge\ttag ${SQ}%s$SQ of ../way\n" named behind beside; } >expect && test_cmp expect head &&
	rows_of "+refs/heads/*:refs/remotes/o/*" o behind beside:refs/x/y &&
	printf "%s\n" " behind -> FETCH_HEAD" " beside -> refs/x/y" " behind -> behind" " beside -> beside" >expect && test_cmp expect rows
'

test_expect_success 'a remote whose refspecs have no destinations has a HEAD, too' '
	for spec in refs/heads/main HEAD ^refs/heads/topic; do
		rm -rf w && git init -q w && git -C w remote add o ../way && git -C w fetch -q o && git -C w update-ref --no-deref -d refs/remotes/o/HEAD &&
		git -C w config remote.o.fetch $spec && git -C w config branch.$(git -C w symbolic-ref --short HEAD).remote o &&
		git -C w config branch.$(git -C w symbolic-ref --short HEAD).merge refs/heads/main && git -C w fetch -q o &&
		echo refs/remotes/o/main >expect && git -C w symbolic-ref refs/remotes/o/HEAD >out && test_cmp expect out || return 1
	done &&
	git -C w config --unset remote.o.fetch && git -C w update-ref --no-deref -d refs/remotes/o/HEAD && git -C w -c protocol.version=0 fetch -q o &&
	test_must_fail git -C w symbolic-ref -q refs/remotes/o/HEAD
'

test_expect_success '<remote>/HEAD does not lead to a branch that the fetch prunes' '
	rm -rf w && git init -q w && git -C w remote add o ../way && git -C w fetch -q ../way main:refs/remotes/o/main &&
	git -C w config remote.o.fetch "+refs/*:refs/*" && git -C w fetch -q --prune -u o && git -C w rev-parse -q --verify refs/heads/main &&
	test_must_fail git -C w symbolic-ref -q refs/remotes/o/HEAD
'

test_expect_success '--refmap with the refspec that --prune-tags adds for a URL; and an unreachable remote is the first error' '
	rm -rf w && git init -q w && git -C w fetch -q --refmap= --prune-tags ../way && git -C w rev-parse -q --verify beside &&
	test_expect_code 128 git -C w fetch --refmap= ../nowhere 2>err && test_grep "^fatal: .*nowhere" err && test_grep ! refmap err
'

test_expect_success '--atomic over a name in the way shows the table, and changes nothing' '
	rm -rf w && git init -q -b other w && git -C w fetch -q --no-tags ../way main:refs/heads/a/b &&
	test_expect_code 254 git -C w fetch --no-tags --atomic ../way main:t main:a 2>err && tail -n 2 err >last &&
	{ ! test_have_prereq REFFILES || printf "cannot lock ref ${SQ}refs/heads/a$SQ: "; } >lock &&
	printf "%s\n" " * [new branch]      main       -> a" "error: $(cat lock)${SQ}refs/heads/a/b$SQ exists; cannot create ${SQ}refs/heads/a$SQ" >expect &&
	test_cmp expect last && test_must_fail git -C w rev-parse -q --verify t && git -C w pack-refs --all &&
	echo "error: ${SQ}refs/heads/a/b$SQ exists; cannot create ${SQ}refs/heads/a$SQ" >expect &&
	test_expect_code 254 git -C w fetch -q --no-tags --atomic ../way main:a 2>err && test_cmp expect err &&
	echo "error: ${SQ}refs/heads/a/b$SQ exists; cannot create ${SQ}refs/heads/a/b/c$SQ" >expect &&
	test_expect_code 254 git -C w fetch -q --no-tags --atomic ../way main:a/b/c 2>err && test_cmp expect err
'

test_expect_success 'why --set-upstream had no effect comes after the rows of pruned refs, in a dry run, too' '
	for dry in --no-dry-run --dry-run; do
		rm -rf w && git init -q -b other w && git -C w remote add o ../way && git -C w fetch -q --no-tags o && git -C w update-ref refs/remotes/o/old o/main &&
		git -C w update-ref -d refs/remotes/o/main && git -C w config >before -l && git -C w fetch $dry --no-tags --prune --set-upstream o 2>err && git -C w config -l >after &&
		sed -n "s/^ - .*-> /-/p; s/^warning: .*/warning/p; s/^ \* .*-> /+/p" err >out && printf "%s\n" -o/old warning +o/main >expect && test_cmp expect out &&
		test_cmp before after || return 1
	done
'

test_expect_success 'a fetch of which a ref is rejected brings no tags that its objects make known' '
	rm -rf w && git init -q -b other w && git -C w remote add o ../way && git -C w commit -q --allow-empty -m own && git -C w branch taken &&
	test_expect_code 1 git -C w fetch -q o main:taken main:new && git -C w tag >out && echo named >expect && test_cmp expect out &&
	git -C w rev-parse -q --verify new && git -C w fetch -q o main:other2 && git -C w tag >out && printf "%s\n" behind beside named >expect && test_cmp expect out
'

test_expect_success '--set-upstream at a detached HEAD, whatever is fetched' '
	git -C w update-ref --no-deref HEAD new &&
	for name in refs/tags/named main refs/heads/main; do
		git -C w fetch -q --set-upstream o $name 2>err &&
		echo "warning: could not set upstream of HEAD to $SQ${name#refs/heads/}$SQ from ${SQ}o$SQ when it does not point to any branch." >expect &&
		test_cmp expect err || return 1
	done
'

test_expect_success '--atomic over a lock ends with 253, or 251 where refs are in tables, and changes nothing' '
	for format in files reftable; do
		rm -rf w && git init -q --ref-format=$format -b other w &&
		if test $format = files; then lock=w/.git/refs/heads/a.lock code=253; else lock=w/.git/reftable/tables.list.lock code=251; fi && : >$lock &&
		test_expect_code $code git -C w -c core.filesRefLockTimeout=0 -c reftable.lockTimeout=0 fetch --no-tags --atomic ../way main:t main:a &&
		test_must_fail git -C w rev-parse -q --verify t && rm $lock && git -C w fetch -q --no-tags --atomic ../way main:t main:a || return 1
	done
'

test_done
