#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git branch --list and status --column, compared with stock git'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"
. "$TEST_DIRECTORY/lib-branch-peers.sh"

TERM=vt100
export TERM

# list_each: as peers_each, but nothing changes
list_each () {
	peers_each true
}

test_expect_success 'setup' '
	peers_init -b main &&
	peers_do "
		stock commit -q --allow-empty -m one &&
		stock commit -q --allow-empty -m \"two: a subject
in two lines\" &&
		stock branch side HEAD~1 && stock branch Upper && stock tag v1 &&
		stock tag -a -m ann v2 &&
		stock update-ref refs/remotes/o/main main &&
		stock symbolic-ref refs/remotes/o/HEAD refs/remotes/o/main &&
		stock symbolic-ref refs/heads/alias refs/heads/main &&
		stock config remote.o.url x &&
		stock config remote.o.fetch \"+refs/heads/*:refs/remotes/o/*\" &&
		stock branch -q t1 o/main && stock branch -q t2 o/main &&
		stock checkout -q t2 && stock commit -q --allow-empty -m ahead &&
		stock update-ref refs/remotes/o/main \
			\$(stock commit-tree -p o/main -m behind HEAD^{tree} </dev/null) &&
		stock branch -q -u main side && stock update-ref refs/heads/üöä HEAD &&
		stock branch -q gone o/main && stock config branch.gone.merge refs/heads/nosuch
	"
'

test_expect_success 'options' '
	list_each <<-\EOF
	branch
	branch -a
	branch -r
	branch -v
	branch -v -a
	branch -v -r
	branch -vv
	branch -vv -a
	branch -vv --abbrev=12
	branch -v --no-abbrev
	branch -v --abbrev=0
	branch --abbrev=3 -v
	branch --list "s*"
	branch -l "s*" "t*"
	branch -a --list "o/*"
	branch -r -l "o/m*"
	branch -i -l "S*"
	branch --list upper
	branch --list -i upper
	branch -v --list main
	branch --list nosuch
	branch --sort=-committerdate
	branch --sort=objectname
	branch --sort=refname --sort=-v:refname
	branch -i --sort=refname
	branch --sort=bad
	branch --contains t2
	branch --no-contains t2
	branch --merged main
	branch --no-merged main
	branch --merged
	branch --no-merged
	branch --contains
	branch --contains side --no-contains t2
	branch --merged HEAD --no-merged main
	branch -r --contains main
	branch --points-at v2
	branch --points-at HEAD
	branch -a --points-at o/main
	branch --merged nosuch
	branch --contains nosuch
	branch --points-at nosuch
	branch --contains HEAD^{tree}
	branch --format="%(refname)"
	branch --format="%(refname:short)|%(HEAD)|%(upstream)"
	branch --format="%(bad)"
	branch --show-current
	branch -q
	EOF
'

test_expect_success 'settings' '
	list_each <<-\EOF
	-c branch.sort=-objectname branch
	-c branch.sort=-objectname branch --sort=refname
	-c branch.sort=-refname branch --sort=objecttype
	-c branch.sort=-refname branch --no-sort
	-c branch.sort=bad branch
	-c branch.sort=bad branch --sort=refname
	-c core.abbrev=12 branch -v
	-c core.abbrev=12 branch -v --abbrev=5
	-c core.abbrev=no branch -vv
	-c core.abbrev=12 for-each-ref --format="%(objectname:short)"
	branch --color=always
	branch --color=always -a -vv
	branch --no-color
	!branch --color=bad
	-c color.ui=always branch --no-color
	-c color.ui=always branch --color=auto
	-c color.branch=always branch -a
	-c color.ui=always -c color.branch=never branch
	-c color.ui=always -c color.branch.current=yellow branch -vv
	-c color.ui=always -c color.branch.local=bold branch -a
	-c color.ui=always -c color.branch.remote=blue branch -a -v
	-c color.ui=always -c color.branch.upstream=red branch -vv
	-c color.ui=always -c color.branch.reset=dim branch
	!-c color.branch.current=bad branch
	EOF
'

test_expect_success 'columns' '
	for i in 1 2 3 4 5 6 7 8 9 10 11; do
		name=c$i-$(printf "%$((i * 7 % 13))s" | tr " " x) &&
		peers_do "stock branch $name main" || return 1
	done &&
	for COLUMNS in 10 40 60 80 133; do
		export COLUMNS &&
		list_each <<-\EOF || return 1
		branch --column
		branch --column=row
		branch --column=dense
		branch --column=row,dense
		branch --column=plain
		branch --column=never
		branch --column=auto
		branch -a --column="column nodense"
		branch --column --list "c1*"
		branch --color=always --column=dense
		branch --column --format="%(refname)"
		-c column.ui=always branch
		-c column.ui=row branch
		-c column.ui=dense branch
		-c column.ui=always branch --no-column
		-c column.ui=always branch -v
		-c column.ui=never -c column.branch=always branch
		-c column.branch=always -c column.ui=never branch
		-c column.branch=row,dense branch --column
		branch --column -v
		!branch --column=bad
		!-c column.ui=bad branch
		EOF
	done
'

test_expect_success 'status in columns' '
	peers_do "
		echo \"*.o\" >.gitignore && mkdir sub && touch sub/x a.o b.o c.o dd.o \"q q\" ä &&
		for i in 1 2 3 4 5 6 7 8 9; do
			touch file-\$i-\$(printf %\$((i * 7 % 13))s | tr \" \" x) || exit
		done
	" &&
	for COLUMNS in 10 45 80; do
		export COLUMNS &&
		list_each <<-\EOF || return 1
		status --column --ignored
		status --column=row
		status --column=row,dense -uall
		status --column=plain
		-c column.status=dense,always status
		-c column.ui=column -c color.ui=always status --ignored
		-c column.ui=always status --no-column
		-c column.ui=always status -s
		-c column.ui=always -c advice.statusHints=false commit --dry-run
		EOF
	done
'
unset COLUMNS

test_expect_success 'a detached HEAD' '
	for at in main v1 v2 o/main main~0 HEAD refs/heads/side; do
		peers_do "stock checkout -q --detach $at" &&
		list_each <<-\EOF || return 1
		branch
		branch -a -v
		branch --sort=-refname
		branch --list "(HEAD*"
		branch --format="%(refname)|%(refname:short)|%(HEAD)"
		branch -r
		status
		EOF
	done &&
	peers_do "stock commit -q --allow-empty -m away" &&
	peers_git branch -v &&
	peers_git status &&
	peers_do "rm .git/logs/HEAD" &&
	peers_git branch
'

test_expect_success 'in a bisection, in a rebase' '
	peers_do "
		stock checkout -q main &&
		stock bisect start >/dev/null 2>&1 && stock bisect good HEAD~1 >/dev/null &&
		stock checkout -q HEAD~1
	" &&
	peers_git branch &&
	peers_do "stock bisect reset >/dev/null 2>&1; stock checkout -q --detach main;
		mkdir .git/rebase-merge && echo refs/heads/main >.git/rebase-merge/head-name &&
		stock rev-parse HEAD >.git/rebase-merge/onto" &&
	peers_git branch &&
	peers_do "echo detached HEAD >.git/rebase-merge/head-name" &&
	peers_git branch &&
	peers_do "rm -r .git/rebase-merge"
'

test_expect_success 'no commit yet' '
	peers_do "stock checkout -q --orphan new" &&
	peers_git branch -a &&
	peers_git branch -v
'

test_expect_success 'symbolic refs: what they finally point to' '
	peers_do "stock symbolic-ref refs/heads/alias2 refs/heads/alias &&
		stock symbolic-ref refs/heads/alias3 HEAD" &&
	list_each <<-\EOF &&
	branch
	branch -v
	branch --sort=-symref
	for-each-ref --format="%(refname) %(symref) %(symref:short) %(symref:lstrip=2)"
	EOF
	peers_do "stock symbolic-ref -d refs/heads/alias2 && stock symbolic-ref -d refs/heads/alias3"
'

test_expect_success 'an upstream that is a tag' '
	peers_do "
		stock branch -q tagged v1~1 && stock config branch.tagged.remote . &&
		stock config branch.tagged.merge refs/tags/v2 &&
		stock branch -q same v1 && stock config branch.same.remote . &&
		stock config branch.same.merge refs/tags/v2 &&
		stock symbolic-ref HEAD refs/heads/tagged
	" &&
	list_each <<-\EOF &&
	branch -vv
	branch --format="%(refname:short) %(upstream:track) %(upstream:trackshort)"
	status -s -b
	status -uno
	EOF
	peers_do "stock symbolic-ref HEAD refs/heads/new && stock branch -q -D tagged same"
'

test_expect_success '-v: commits only, none that is missing' '
	peers_do "stock rev-parse main^{tree} >.git/refs/heads/tree &&
		stock rev-parse main | tr 0-9a-f 1 >.git/refs/heads/missing" &&
	list_each <<-\EOF &&
	!branch -v
	!branch -vv
	!branch -v --format="%(refname)"
	!branch -v --contains main
	EOF
	peers_do "rm .git/refs/heads/tree .git/refs/heads/missing"
'

test_expect_success 'other work trees' '
	rm -rf ours-wt theirs-wt &&
	(cd ours && stock worktree add -q ../wt-x side) &&
	(cd ours && git branch && git branch -vv && git branch --color=always) >out.ours &&
	(cd ours && stock branch && stock branch -vv && stock branch --color=always) >out.theirs &&
	test_cmp out.theirs out.ours &&
	(cd wt-x && git branch -vv && git branch --format="%(refname) %(worktreepath)") >out.ours &&
	(cd wt-x && stock branch -vv && stock branch --format="%(refname) %(worktreepath)") >out.theirs &&
	test_cmp out.theirs out.ours
'

test_expect_success '--omit-empty' '
	git -C ours branch --omit-empty --format="%(if:equals=refs/heads/main)%(refname)%(then)x%(end)" >out &&
	echo x >expect && test_cmp expect out
'

test_expect_success TTY 'the pager is for lists alone' '
	paged () { script -qec "git -C ours -c core.pager=\"sed s/^/P:/\" $*" /dev/null >out && grep ^P: out; } &&
	paged branch && paged tag -l && paged --paginate branch --show-current &&
	! paged branch --show-current && ! paged --no-pager branch &&
	! paged -c pager.branch=false branch && ! paged -c pager.tag=false tag
'

test_done
