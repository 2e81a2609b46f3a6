#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git log: which commits, in which order, compared with stock git'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"
. "$TEST_DIRECTORY/lib-history.sh"

test_expect_success 'set up' '
	make_history theirs 2>/dev/null && cp -R theirs ours
'

# each_log ARGS: every line of standard input is the rest of a log command.
each_log () {
	while read -r line
	do
		eval "peers_git log $* $line" || { echo "log $* $line"; return 1; }
	done
}

test_expect_success 'orders, counts, parents' '
	each_log --oneline <<-\EOS
	--all
	odd
	--topo-order --all
	--date-order --all
	--author-date-order --all
	--reverse
	--topo-order --reverse
	--merges
	--no-merges --all
	--min-parents=3
	--max-parents=0 --all
	--first-parent
	-n 3
	-3
	--max-count=2
	--max-count=-1
	--skip=2 -n2
	--skip=100
	--parents
	--parents --no-abbrev
	--source --all
	--source main side
	--source --boundary main...side
	--source --branches
	--source --tags --remotes
	--source --branches="m*"
	--source --glob="heads/m*"
	-g --branches --format="%gD %gd"
	--pretty=raw --abbrev-commit -1
	--pretty=raw --decorate -1
	EOS
'

test_expect_success '--name-only excludes other formats' '
	each_log "-2 --oneline" <<-\EOS
	--name-only -p --stat
	--stat --raw --summary --name-status
	-U0 --name-status
	--name-only --name-status
	--stat -s
	-s -p
	EOS
'

test_expect_success 'ranges and groups of refs' '
	each_log "--format=\"%m %h %s\"" <<-\EOS
	main~3..main
	main^{/^root}^@
	main^{/^root}^@ side
	left...right
	--left-right left...right
	--left-only left...right
	--right-only --left-right left...right
	^main~4 main
	main --not side
	main --not --all
	--branches
	--tags
	--remotes
	--glob=heads/topic*
	--branches="topic*"
	--branches=nope
	--exclude=refs/heads/main --all
	--branches --not main
	--boundary main~3..main
	--boundary left...right
	--boundary --topo-order left...right
	--boundary --reverse main~4..main
	--boundary -n 3
	--ancestry-path main~8..main
	--ancestry-path=right main~8..main
	--ancestry-path=right --ancestry-path main~8..main
	--ancestry-path --ancestry-path=right main~8..main
	--ancestry-path=right --ancestry-path main
	"main^!"
	main^@
	main~9^-
	main~9^-2
	v1.0 v2.0 tag-of-tag
	"main^{tree}"
	HEAD:file
	--exclude-first-parent-only main ^side
	--no-walk main side
	--no-walk --all
	--no-walk=unsorted main side odd
	--no-walk main~2..main
	EOS
'

test_expect_success 'dates' '
	each_log --oneline <<-\EOS
	--since=2020-09-14
	--until=2020-09-13T20:00:00Z
	--since=2020-09-13T15:00:00Z --until=2020-09-14
	--since=2020-09-13T18:00:00Z main~2..main
	--since-as-filter=2020-09-13T20:00:00Z
	--max-age=1600050000
	--min-age=1600050000
	EOS
'

test_expect_success 'patterns' '
	each_log --oneline <<-\EOS
	--grep=merge
	--grep=MERGE -i
	--grep=^merge
	--grep="topic" --grep=second --all-match --all
	--invert-grep --grep=merge
	--author=Thor
	--author=Nick
	--author=nicholas
	--author=Nick --no-mailmap
	--committer=Mitter
	--author=Topic --grep=second --all
	-E --grep="(left|right)"
	-F --grep=%H --all
	--grep="a.*b"
	--author=Thor --author=Topic --all
	--grep=Umlauten --all
	--grep=nothing
	--author="a["
	EOS
'

test_expect_success 'paths, and how they simplify the history' '
	for p in dir/ dir/renamed other nope "file dir/c" ":!file" "*x" ":(icase)FILE"
	do
		for o in "" --full-history "--full-history --all --parents --topo-order"
		do
			peers_git log --oneline $o -- $p || { echo "log $o -- $p"; return 1; }
		done
	done &&
	for p in file dir t-x left
	do
		for o in --parents --first-parent --sparse "--boundary main~6.." "--merges --full-history"
		do
			peers_git log --oneline $o -- $p || { echo "log $o -- $p"; return 1; }
		done
	done
'

test_expect_success 'from a subdirectory' '
	PEERS_DIR=dir &&
	each_log --oneline <<-\EOS &&
	--
	-- a
	-- .
	-- ../file b
	a
	nope
	EOS
	PEERS_DIR=
'

test_expect_success 'errors' '
	for d in ours theirs
	do
		: >$d/side || return 1
	done &&
	each_log <<-\EOS &&
	main nope
	nope --
	^nope
	main..nope
	--foo
	--since
	side
	side --
	-- side
	-g --reverse
	-g main..side
	--ancestry-path
	1234567890123456789012345678901234567890
	-5x
	--pretty=foo
	--date=foo
	--decorate=foo
	file main
	--oneline=x
	--graph=x
	--reverse=1
	--mailmap=1
	--source=1
	--quiet=1
	--follow=1
	--no-decorate=1
	--clear-decorations=1
	--patch=1
	--no-patch=1
	--name-only=1
	--summary=1
	--full-index=1
	--no-renames=1
	--foo=1
	EOS
	rm ours/side theirs/side
'

test_expect_success 'a repository without commits' '
	rm -rf ours theirs && stock init -q -b main theirs && cp -R theirs ours &&
	peers_git log && peers_git log --all && peers_git log main && peers_git log HEAD --
'

test_expect_success 'the end of a shallow clone' '
	rm -rf full ours theirs && make_history full 2>/dev/null &&
	stock clone -q --depth 3 "file://$PWD/full" theirs 2>/dev/null && cp -R theirs ours &&
	peers_git log --oneline && peers_git log --pretty=raw && peers_git rev-parse --is-shallow-repository &&
	peers_git rev-parse HEAD~9
'

test_expect_success 'the end of a shallow clone is marked' '
	git init -q -b main boundary &&
	(cd boundary &&
	 for i in 1 2 3; do git commit -q --allow-empty -m $i || exit; done &&
	 git tag two HEAD~1 && git rev-parse two >.git/shallow &&
	 git log --format="%s%d" --decorate-refs="refs/tags/*" >actual &&
	 printf "3\n2 (grafted, tag: two)\n" >expect && test_cmp expect actual)
'

test_expect_success 'a ref that names a missing object' '
	git init -q -b main gone && git -C gone commit -q --allow-empty -m one &&
	NONE=$(echo none | git -C gone hash-object --stdin) && echo $NONE >gone/.git/refs/heads/gone &&
	for args in --all "main --not --all" "--branches=g*" gone; do
		test_expect_code 128 git -C gone log $args 2>err &&
		test_grep "^fatal: bad object .*gone$" err || return 1
	done &&
	for range in main..gone gone..main; do
		test_expect_code 128 git -C gone log $range 2>err &&
		test_grep "^fatal: Invalid revision range $range$" err || return 1
	done &&
	test_expect_code 128 git -C gone log main...gone 2>err &&
	test_grep "^fatal: Invalid symmetric difference expression main...gone$" err &&
	blob=$(echo b | git -C gone hash-object -w --stdin) &&
	for command in diff log; do
		for range in $blob...$blob main...$blob $blob...main; do
			test_expect_code 128 git -C gone $command $range 2>err && test_grep "^fatal: Invalid symmetric difference expression $range$" err || return 1
		done
	done &&
	for range in main..gone main...gone; do
		git -C gone log --ignore-missing $range >out && test_must_be_empty out || return 1
	done &&
	git -C gone log --ignore-missing --format=%s --all >out && echo one >expect && test_cmp expect out &&
	git -C gone rev-parse --all >out && printf "%s\n" $NONE $(git -C gone rev-parse main) >expect &&
	test_cmp expect out
'

test_expect_success 'a missing parent is reported' '
	rm -rf ours && stock init -q -b main ours &&
	stock -C full cat-file commit main~1 >raw &&
	id=$(stock -C ours hash-object -t commit -w --stdin --literally <raw) &&
	echo $id >ours/.git/refs/heads/main &&
	test_must_fail git -C ours log 2>err &&
	test_grep "^fatal: .*$(stock -C full rev-parse main~2)" err
'

test_expect_success "-n counts what -S, -G and --diff-filter let through" '
	git init -q picked && (cd picked &&
	for i in 1 2 3 4 5 6 7 8 9; do
		case $i in 2|5) echo "needle $i" >>f ;; *) echo $i >>f ;; esac &&
		if test $i = 7; then git rm -q --cached gone; fi &&
		if test $i = 6; then echo >gone; fi &&
		git add . && git commit -qm $i || exit 1
	done &&
	git log --format=%s -S needle -1 >out && echo 5 >expect && test_cmp expect out &&
	git log --format=%s -G needle -2 >out && printf "5\n2\n" >expect && test_cmp expect out &&
	git log --format=%s -S needle -5 >out && test_cmp expect out &&
	git log --format=%s -S needle --skip=5 -1 >out && echo 2 >expect && test_cmp expect out &&
	git log --format=%s --diff-filter=A -2 -- f gone >out && printf "6\n1\n" >expect && test_cmp expect out &&
	git log --format=%s --reverse -2 >out && printf "8\n9\n" >expect && test_cmp expect out)
'

# Commits 1 to 4, at 1700000000 plus as many hours; the branch side and the reflog as well.
test_expect_success 'a commit exactly at the date is within --since and --until' '
	git init -q -b main exact && (cd exact &&
	for i in 1 2 3 4; do
		GIT_COMMITTER_DATE="$((1700000000 + 3600 * i)) +0000" git commit -q --allow-empty -m $i || exit 1
	done &&
	second="1700007200 +0000" third="1700010800 +0000" &&
	for o in "" --topo-order --date-order -g "--graph --format=%s" "--no-walk main main~1 main~2 main~3"
	do
		for limit in --since --after --since-as-filter
		do
			git log --format=%s $limit="$third" $o >out && tr -d "* " <out >actual &&
			printf "4\n3\n" >expect && test_cmp expect actual || { echo "$limit $o"; exit 1; }
		done &&
		for limit in --until --before
		do
			git log --format=%s $limit="$second" $o >out && tr -d "* " <out >actual &&
			printf "2\n1\n" >expect && test_cmp expect actual || { echo "$limit $o"; exit 1; }
		done &&
		git log --format=%s --max-age=1700007200 --min-age=1700010800 $o >out && tr -d "* " <out >actual &&
		printf "3\n2\n" >expect && test_cmp expect actual || { echo "$o"; exit 1; }
	done)
'

test_expect_success '-g and --no-walk apply to revisions after them' '
	git init -q -b main places && (
		cd places &&
		for n in 1 2 3; do
			git commit -q --allow-empty -m $n || exit
		done &&
		git branch old main~2 && shown="git log --format=%s" &&
		$shown main -g >out && test_must_be_empty out &&
		$shown --all --walk-reflogs >out && test_must_be_empty out &&
		$shown main -g old >out && echo 1 >expect && test_cmp expect out &&
		$shown -g >out && test_line_count = 3 out &&
		printf "3\n2\n" >expect &&
		$shown old.. >out && test_cmp expect out &&
		$shown --no-walk old.. >out && test_cmp expect out &&
		echo 3 >expect &&
		$shown old.. --no-walk >out && test_cmp expect out &&
		$shown ^old --no-walk=unsorted main >out && test_cmp expect out &&
		$shown ^main --no-walk main~1 >out && test_must_be_empty out
	)
'

test_expect_success '--abbrev and core.abbrev: lengths out of range, text that is no number' '
	git init -q -b main lengths && (
		cd lengths &&
		git commit -q --allow-empty -m 1 && git rev-parse HEAD >full &&
		for option in -c\ core.abbrev=64 -c\ core.abbrev=1000; do
			git $option log -1 --format=%h >out && test_cmp full out &&
			git $option rev-parse --short HEAD >out && test_cmp full out || exit
		done &&
		git log -1 --format=%h --abbrev=-1 >out && test_cmp full out &&
		git log -1 --format=%h --abbrev=64 >out && test_cmp full out &&
		cut -c1-4 full >expect &&
		for abbrev in x "" 0 3 4x 0x8; do
			git log -1 --format=%h --abbrev="$abbrev" >out && test_cmp expect out || exit
		done &&
		git branch -v --abbrev=-1 >out && echo "* main $(cat expect) 1" >expect && test_cmp expect out &&
		test_expect_code 128 git -c core.abbrev=3 log 2>err &&
		test_grep "abbrev length out of range" err
	)
'

test_done
