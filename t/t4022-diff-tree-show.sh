#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='diff-tree and show; merges in them and in log: separate, first parent, combined'
. "$(dirname "$0")/test-lib.sh"

commit () {
	test_tick && git -C r commit -q -m "$1"
}

#	base - side -\
#	     \- main - merge (with a change of its own) - last     f: lines 1 to 20
test_expect_success 'a history' '
	git init -q -b main r && seq 20 >r/f && git -C r add f && commit base && base=$(git -C r rev-parse HEAD) &&
	sed "s/^5$/side/" r/f >side && sed "s/^15$/main/" r/f >main && cp side r/f && git -C r add f && commit side && side=$(git -C r rev-parse HEAD) &&
	git -C r update-ref refs/heads/main $base && cp main r/f && git -C r add f && commit main && main=$(git -C r rev-parse HEAD) &&
	sed "s/^5$/side/; s/^10$/merge/" main >r/f && git -C r add f && test_tick &&
	merge=$(git -C r commit-tree -p $main -p $side -m merge $(git -C r write-tree)) && git -C r update-ref refs/heads/main $merge &&
	mkdir r/d && echo x >r/d/x && git -C r add d && commit last && last=$(git -C r rev-parse HEAD) && tree=$(git -C r rev-parse HEAD:d)
'

# prints ARGS, compared with standard input
prints () {
	cat >expect && git -C r "$@" >actual && test_cmp expect actual
}

test_expect_success 'diff-tree: a commit, with and without its directories' '
	prints diff-tree HEAD <<-EOT && prints diff-tree -r --no-commit-id --name-status HEAD <<-EOT && prints diff-tree -t --name-only HEAD <<-EOT
	$last
	:000000 040000 $ZERO_OID $tree A	d
	EOT
	A	d/x
	EOT
	$last
	d
	d/x
	EOT
'

test_expect_success 'diff-tree: the first commit' '
	prints diff-tree $base </dev/null && prints diff-tree --root --name-only $base <<-EOT
	$base
	f
	EOT
'

test_expect_success 'diff-tree: two trees' '
	prints diff-tree --name-only $main HEAD <<-\EOT && prints diff-tree -r --name-only HEAD $main d <<-\EOT && prints diff-tree --name-status HEAD ^$main -- d <<-\EOT &&
	d
	f
	EOT
	d/x
	EOT
	A	d
	EOT
	prints diff-tree --merge-base --name-only $side $main <<-\EOT && test_expect_code 128 git -C r diff-tree --merge-base $side
	f
	EOT
'

test_expect_success 'diff-tree: merges' '
	prints diff-tree $merge </dev/null && prints diff-tree -m --name-only $merge <<-EOT && prints diff-tree -c --name-status $merge <<-EOT &&
	$merge
	f
	$merge
	f
	EOT
	$merge
	MM	f
	EOT
	git -C r diff-tree -c $merge >out && test_grep "^::100644 100644 100644 .* MM.f$" out &&
	prints diff-tree --cc -U1 --no-commit-id $merge <<-EOT && prints diff-tree --no-commit-id -c --combined-all-paths --name-only $merge <<-EOT &&
	diff --cc f
	index $(git -C r rev-parse --short $main:f),$(git -C r rev-parse --short $side:f)..$(git -C r rev-parse --short $merge:f)
	--- a/f
	+++ b/f
	@@@ -9,3 -9,3 +9,3 @@@ sid
	  9
	--10
	++merge
	  11
	EOT
	f	f	f
	EOT
	prints diff-tree --cc --no-commit-id --shortstat --raw $merge <<-EOT
	 1 file changed, 2 insertions(+), 2 deletions(-)
	::100644 100644 100644 $(git -C r rev-parse $main:f $side:f $merge:f | tr "\n" " ")MM	f
	EOT
'

test_expect_success 'diff-tree: the parts of a commit that it shows' '
	git -C r diff-tree --pretty HEAD >out && test_grep "^commit $last$" out && test_grep "^    last$" out && test_grep "^:000000 040000" out &&
	git -C r diff-tree -v HEAD >actual && test_cmp out actual && prints diff-tree --format=%s --name-only -s HEAD <<-EOT &&
	last
	EOT
	prints diff-tree --always $merge <<-EOT && prints diff-tree --parents --name-only HEAD <<-EOT
	$merge
	EOT
	$last $merge
	d
	EOT
'

test_expect_success 'diff-tree --stdin' '
	printf "%s\n" $last "$merge $base" "hello" "$tree $(git -C r rev-parse $base^{tree})" >in &&
	git -C r diff-tree --stdin -r --name-only <in >actual && cat >expect <<-EOT && test_cmp expect actual &&
	$last
	d/x
	$merge
	f
	hello
	$tree $(git -C r rev-parse $base^{tree})
	f
	x
	EOT
	git -C r rev-parse HEAD:f >in && git -C r diff-tree --stdin <in >out 2>err && test_must_be_empty out && test_grep "is a blob, not a commit or tree" err &&
	test_expect_code 128 git -C r diff-tree --stdin --merge-base </dev/null
'

test_expect_success 'diff-tree: exit codes and errors' '
	test_expect_code 1 git -C r diff-tree --quiet $main HEAD >out && test_must_be_empty out && git -C r diff-tree --exit-code HEAD HEAD &&
	git -C r diff-tree HEAD:f >out 2>err && test_must_be_empty out && test_grep "is a blob, not a commit" err && test_expect_code 129 git -C r diff-tree && git -C r diff-tree $base $main HEAD >out && test_must_be_empty out &&
	test_expect_code 128 git -C r diff-tree --combined-all-paths HEAD 2>err && test_grep "makes no sense without" err
'

test_expect_success 'log: merges with all parents at once' '
	git -C r log --format=%s --cc >all && git -C r log --format=%s -p >plain && test_grep "^diff --cc f$" all && test_grep ! "^diff --cc" plain &&
	test $(grep -c "^diff --git" all) = $(grep -c "^diff --git" plain) && git -C r log --format=%s --diff-merges=dense-combined >out &&
	test_grep "^diff --cc f$" out && test_grep ! "^diff --git" out && git -C r log --format=%s -c -1 $merge >out && test_grep "^diff --combined f$" out &&
	prints log --format=%s --cc --stat -1 $merge <<-EOT && git -C r log --format=%s --cc --graph -1 $merge >out && test_grep "^| | diff --cc f$" out
	merge

	 f | 4 ++--
	 1 file changed, 2 insertions(+), 2 deletions(-)
	EOT
'

test_expect_success 'diff: a merge with its parents' '
	git -C r diff $merge $main $side >out && git -C r diff-tree --no-commit-id --cc $merge >expect && test_cmp expect out &&
	prints diff --stat $merge $main $side <<-\EOT && prints diff -c --name-status $merge $main $side <<-\EOT &&
	 f | 4 ++--
	 1 file changed, 2 insertions(+), 2 deletions(-)
	EOT
	MM	f
	EOT
	test_expect_code 1 git -C r diff --quiet $merge $main $side && test_expect_code 129 git -C r diff --cached $merge $main $side
'

test_expect_success 'only what differs from all of them' '
	prints diff -c --name-only $last $merge $main <<-\EOT && prints diff -c --name-only $last $merge $base $last </dev/null
	d/x
	EOT
'

test_expect_success 'diff-tree -c enters directories' '
	echo y >r/d/x && git -C r add d && commit y && one=$(git -C r rev-parse HEAD) && echo z >r/d/x && git -C r add d && commit z && two=$(git -C r rev-parse HEAD) &&
	m=$(git -C r commit-tree -p $one -p $two -m m $last^{tree}) && prints diff-tree -c --name-only --no-commit-id $m <<-\EOT && git -C r update-ref refs/heads/main $last && git -C r read-tree $last
	d/x
	EOT
'

test_expect_success '--ignore-submodules' '
	git init -q s && git -C s commit -q --allow-empty -m s1 && git init -q -b main top && git -C top update-index --add --cacheinfo 160000,$(git -C s rev-parse HEAD),s &&
	git -C top commit -q -m one && git -C s commit -q --allow-empty -m s2 && git -C top update-index --cacheinfo 160000,$(git -C s rev-parse HEAD),s && git -C top commit -q -m two &&
	git -C top show --format=%s --name-only >out && test_grep "^s$" out && git -C top show --format=%s --name-only --ignore-submodules >out && test_grep ! "^s$" out &&
	git -C top diff-tree --no-commit-id --name-only --ignore-submodules=all HEAD >out && test_must_be_empty out && git -C top log -1 --format= --name-only --ignore-submodules=none >out &&
	echo s >expect && test_cmp expect out && test_expect_code 128 git -C top log --ignore-submodules=what 2>err && test_grep "bad --ignore-submodules argument: what" err
'

test_expect_success 'show: commits' '
	git -C r show --format=%s >out && test_grep "^last$" out && test_grep "^diff --git a/d/x b/d/x$" out &&
	git -C r show --format=%s $merge >out && test_grep "^diff --cc f$" out && git -C r show --format=%s --first-parent $merge >out && test_grep "^diff --git a/f b/f$" out &&
	git -C r show --format=%s -m $merge >out && test $(grep -c "^diff --git" out) = 2 &&
	prints show -s --format=%s $base HEAD <<-EOT && prints show -s --format=%s $main..HEAD <<-EOT && prints show --format=%s --name-only HEAD -- nothing <<-EOT
	base
	last
	EOT
	last
	merge
	side
	EOT
	last
	EOT
'

test_expect_success 'show: tags, trees and blobs' '
	test_tick && git -C r tag -a -m "about it" v1 $base && git -C r tag -a -m outer v2 v1 && prints show -s --format=%s v2 <<-EOT && prints show HEAD:d/x HEAD: <<-\EOT &&
	tag v2
	Tagger: $GIT_COMMITTER_NAME <$GIT_COMMITTER_EMAIL>

	outer

	tag v1
	Tagger: $GIT_COMMITTER_NAME <$GIT_COMMITTER_EMAIL>

	about it
	base
	EOT
	x
	tree HEAD:

	d/
	f
	EOT
	git -C r show -s v1 >out && test_grep "^Date:   " out && test_grep "^commit $base$" out && git -C r show HEAD:d v1 $base >out && test $(grep -c "^commit" out) = 1 &&
	test_expect_code 128 git -C r show HEAD:nothing && test_expect_code 128 git -C r show nothing
'

test_expect_success 'a lone tree has nothing to be compared with' '
	tree=$(git -C r rev-parse "HEAD^{tree}") && git -C r diff-tree $tree >out 2>err && test_must_be_empty out &&
	echo "error: object $tree is a tree, not a commit" >expect && test_cmp expect err
'

test_expect_success 'log and rev-list take options that say how differences are shown' '
	git -C r log --oneline >expect && git -C r log --always --no-ext-diff --oneline >out && test_cmp expect out &&
	git -C r rev-list HEAD >expect && git -C r rev-list --always --root -m --no-ext-diff -M --no-renames -w HEAD >out && test_cmp expect out &&
	git -C r rev-list --line-prefix=">" -1 HEAD >out && test_grep "^>[0-9a-f]*$" out &&
	for o in -p --stat -r -t -Sx --diff-filter=A --name-only; do test_expect_code 129 git -C r rev-list $o HEAD || return 1; done
'

test_done
