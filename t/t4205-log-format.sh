#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git log: formats, decorations, diffs, reflogs, notes, compared with stock git'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"
. "$TEST_DIRECTORY/lib-history.sh"

test_expect_success 'set up: notes and reflogs too' '
	make_history theirs 2>/dev/null &&
	(cd theirs &&
	 stock notes add -m "a note" main && stock notes add -m "two
lines" main~3 && stock notes --ref=build add -m "build ok" main &&
	 stock checkout -q side && stock checkout -q main &&
	 stock commit -q --allow-empty -m empty &&
	 stock update-ref -m "forced  update" refs/heads/side main~2) &&
	cp -R theirs ours
'

each_log () {
	while read -r line
	do
		eval "peers_git log $* $line" || { echo "log $* $line"; return 1; }
	done
}

test_expect_success 'named formats, plain and coloured' '
	for f in "" --oneline --pretty --pretty=short --pretty=full --pretty=fuller --pretty=raw \
		--pretty=reference --pretty=medium --pretty=oneline --pretty=ful --abbrev-commit \
		--format=format:%h --pretty=tformat:%h --format=
	do
		peers_git log $f --all &&
		peers_git log --color=always $f -8 || return 1
	done
'

# Formats are data: every line is one.
test_expect_success 'placeholders' '
	cat >formats <<-\EOS &&
	%H %h %T %t %P %p
	%an|%aN|%ae|%aE|%al|%aL
	%ad|%aD|%at|%ai|%aI|%as
	%cn|%cN|%ce|%cE|%cl|%cL
	%cd|%cD|%ct|%ci|%cI|%cs
	%d|%D|%S|%e|%s|%f
	%b
	%B
	%+s|%-s|% s
	%+b|%-b|% b
	%n%n%-e
	%x41%x0a%xzz%x4
	%%%n%q%
	%m
	%<(10)%s|%<(10,trunc)%s|%<(10,ltrunc)%s|%<(10,mtrunc)%s|
	%>(20)%s|%>(20,trunc)%s|%><(30)%an|
	%h %>>(20)%an|     %>>(5)%h|
	%<|(30)%an|%s
	%an%>|(60)%ae|%><|(90)%an|
	%<(0)%h%<(abc)%h%<(5,foo)%h
	%w(20)%s%w()|%h
	%w(30,4,2)%s%n%b
	%w(20
	%C(red)%h%Creset%Cgreen%an%Cblue%ae%Creset
	%C(auto)%h %C(bold)%s%Creset
	%C(always,red)x%C(auto,green)y%C
	%(trailers)
	%(trailers:only)
	%(trailers:key=Signed-off-by)
	%(trailers:key=signed-off-by,key=Fixes:,unfold)
	%(trailers:valueonly,separator=%x2C )
	%(trailers:keyonly,separator=|,key_value_separator==>)
	%(trailers:nope)%(trailers%(nope)
	%G?|%GG|%GS|%GK|%GF|%GP|%GT
	%a%ax%c%g
	%gs|%gd|%gn
	%N
	%<(8,trunc)%d|%<(20)%C(red)%h%Creset|
	%s %<(6)%ae%<(6)%ce|%+d%- d
	EOS
	while read -r f
	do
		peers_git log --all --format="$f" &&
		peers_git log -9 --color=always --decorate=full --format="format:$f" || return 1
	done <formats
'

test_expect_success 'dates' '
	for d in iso iso-strict rfc raw unix short default local iso-local format:%Y-%m-%d \
		format-local:%H:%M%Z
	do
		peers_git log -5 --date=$d && peers_git log -3 --format="%ad %cd" --date=$d odd &&
		peers_git log -2 --pretty=reference --date=$d || return 1
	done
'

test_expect_success 'encodings' '
	for e in ISO-8859-1 none UTF-8
	do
		peers_git log --encoding=$e --all && peers_git log --encoding=$e --all --pretty=raw &&
		peers_git log --encoding=$e --all --format=%an%s%e || return 1
	done &&
	peers_git -c i18n.logOutputEncoding=latin1 log --all
'

test_expect_success 'decorations' '
	each_log --oneline --all <<-\EOS &&
	--decorate
	--decorate=full
	--decorate=short
	--decorate=no
	--decorate=auto
	--decorate --no-decorate
	--decorate --decorate-refs=tags
	--decorate --decorate-refs-exclude="refs/tags/*"
	--decorate --decorate-refs="heads/t*"
	--decorate --clear-decorations
	--decorate --source
	--decorate --decorate-refs tags
	--decorate --decorate-refs
	--decorate --decorate-refs=HEAD
	--decorate --decorate-refs-exclude tags/
	--decorate --decorate-refs=heads --decorate-refs=tags
	--decorate --decorate-refs=tags --no-decorate-refs
	--decorate --decorate-refs-exclude=tags --no-decorate-refs-exclude
	--decorate --decorate-refs=tags --clear-decorations
	--decorate --clear-decorations --decorate-refs=tags
	EOS
	peers_git -c log.excludeDecoration=refs/tags log --oneline --decorate --clear-decorations &&
	peers_git -c log.excludeDecoration=refs/tags log --oneline --decorate --decorate-refs=tags &&
	peers_git -c log.decorate=full log -3 &&
	peers_git -c log.excludeDecoration="refs/tags/*" log --oneline --decorate &&
	peers_git -c log.initialDecorationSet=all log --oneline --decorate
'

test_expect_success 'configuration and other options' '
	for kv in format.pretty=oneline format.pretty=%h log.abbrevCommit=true log.date=iso log.date=foo \
		log.showRoot=false log.mailmap=false color.ui=always color.diff.commit=red core.abbrev=12 \
		core.abbrev=no "pretty.foo=format:%h,%s" "notes.displayRef=refs/notes/*"
	do
		peers_git -c "$kv" log -4 && peers_git -c "$kv" log -4 --pretty=foo || return 1
	done &&
	each_log <<-\EOS
	--expand-tabs
	--no-expand-tabs
	--expand-tabs=4
	--abbrev=10 --oneline
	--no-abbrev --oneline
	--no-mailmap
	--log-size -3
	-z --oneline
	-z --format=%h
	-z --format=format:%h
	-z
	EOS
'

test_expect_success 'diffs' '
	each_log <<-\EOS
	-p
	-p --stat
	--raw
	--name-only
	--name-status --format=%h
	--stat --format=%h
	--stat --format=format:%h
	--stat --format=
	--stat --summary --oneline
	--shortstat --oneline
	--numstat --oneline
	-p --oneline --color=always -4
	-s
	-m --stat --oneline
	-m -p -9
	--first-parent --stat --oneline
	--no-diff-merges -p -3
	--diff-merges=first-parent --stat --oneline
	-z --raw
	-z --name-only --oneline
	--no-renames --name-status --oneline
	-p --oneline -- dir
	--full-diff --oneline --name-status -- dir
	-S three --oneline
	-G changed --oneline --stat
	--diff-filter=A --name-status --oneline
	--relative=dir --name-only --oneline
	--boundary --stat --oneline main~2..
	EOS
'

test_expect_success '-g: reflogs' '
	each_log -g <<-\EOS
	--oneline
	""
	--oneline main
	side
	--date=iso
	--oneline --date=iso side
	"main@{1}"
	--oneline "main@{now}"
	"--format=%gd|%gD|%gs|%gn|%ge|%gN|%gE|%h" side main
	"refs/heads/main --format=%gd|%gD"
	-n1
	--skip=1 --oneline
	--grep-reflog=checkout --oneline
	--all --oneline
	--pretty=fuller
	--stat --oneline
	--grep=empty --oneline
	"@{1}" --oneline
	--author=R --oneline
	--oneline HEAD -- file
	EOS
'

test_expect_success 'notes' '
	each_log -5 <<-\EOS
	--notes
	--no-notes
	--notes=build
	--notes --notes=build
	"--notes=*"
	--format=%h%N
	--format=%h%N --notes=build
	--oneline --notes
	--pretty=short --notes
	--pretty=full
	EOS
'

test_expect_success 'decorations: each part has a colour, %(decorate) its own words' '
	git init -q -b main decorated && cd decorated && git commit -q --allow-empty -m one &&
	git tag v1 && git update-ref refs/remotes/o/main HEAD && git config color.decorate.branch red &&
	esc=$(printf "\033") && y="$esc[33m" n="$esc[m" &&
	echo "$esc[1;36mHEAD$n$y -> $n$esc[31mmain$n$y, $n$esc[1;33mtag: $n$esc[1;33mv1$n$y, $n$esc[1;31mo/main$n" >bare &&
	git log --color=always --format="%C(auto)%D" >out && test_cmp bare out &&
	echo "$y ($n$(cat bare)$y)$n" >expect && git log --color=always --format="%C(auto)%d" >out &&
	test_cmp expect out && git log --color=always --format="%C(auto)%(decorate)" >out && test_cmp expect out &&
	git log --color=always --decorate --format=oneline >out && test_grep -F -e "$n$(cat expect) one" out &&
	while IFS="|" read -r options expect
	do
		echo "$expect" >expect && git log --format="%(decorate$options)" >out &&
		test_cmp expect out || return 1
	done <<-\EOF
	| (HEAD -> main, tag: v1, o/main)
	:prefix=,suffix=|HEAD -> main, tag: v1, o/main
	:prefix=[%x5b,suffix=%x29%%|[[HEAD -> main, tag: v1, o/main)%
	:separator= ,pointer==>,tag=T:| (HEAD=>main T:v1 o/main)
	:separator,prefix=a,prefix=b|bHEAD -> maintag: v1o/main)
	:none=1|%(decorate:none=1)
	EOF
'

test_expect_success '%(trailers) without separators' '
	git -C decorated commit -q --allow-empty -m "two

A: b
C: d" && git -C decorated log -1 --format="%(trailers:separator,key_value_separator)" >out &&
	echo AbCd >expect && test_cmp expect out
'

test_expect_success '%(trailers) heeds trailer.separators' '
	git -C decorated commit -q --allow-empty -m "three

Bug= 42
Sign#x
A: b" && printf "Bug= 42\nSign= x\nA= b\n\n" >expect &&
	git -C decorated -c trailer.separators="=:#" log -1 --format="%(trailers:only)" >out && test_cmp expect out &&
	git -C decorated -c trailer.separators="=:#" for-each-ref --format="%(trailers:only)" refs/heads >out &&
	test_cmp expect out && git -C decorated log -1 --format="%(trailers:only)" >out && echo >expect &&
	test_cmp expect out
'

test_expect_success 'blanks before a name are shown' '
	git init -q blanks && tree=$(git -C blanks mktree </dev/null) &&
	printf "tree %s\nauthor   Ada  <a@b> 1000 +0000\ncommitter \tCarl <c@d> 2000 +0000\n\nx\n" $tree >raw &&
	c=$(git -C blanks hash-object -w -t commit ../raw) &&
	git -C blanks log --format="%an|%ae|%cn|%aN" $c >out && printf "  Ada|a@b|\tCarl|  Ada\n" >expect &&
	test_cmp expect out && git -C blanks log $c >out && test_grep "^Author:   Ada <a@b>$" out &&
	git -C blanks log --author="^  Ada" --format=%H $c >out && test_grep $c out
'

test_expect_success '--show-notes=REF adds to the default notes, --notes=REF takes their place' '
	git init -q noted && test_commit -C noted one &&
	for n in commits x y
	do
		blob=$(echo of-$n | git -C noted hash-object -w --stdin) &&
		tree=$(printf "100644 blob $blob\t%s\n" "$(git -C noted rev-parse HEAD)" | git -C noted mktree) &&
		git -C noted update-ref refs/notes/$n $(git -C noted commit-tree -m n $tree) || return 1
	done &&
	notes () {
		git -C noted log -1 --format=%N "$@" | sed -n "s/^of-//p" | tr "\n" " "
	} &&
	test "$(notes --notes)" = "commits " && test "$(notes --notes=x)" = "x " &&
	test "$(notes --show-notes)" = "commits " && test "$(notes --show-notes=x)" = "commits x " &&
	test "$(notes --show-notes=x --show-notes=y)" = "commits x y " &&
	test "$(notes --notes=x --show-notes=y)" = "commits x y " &&
	test "$(notes --show-notes=x --notes=y)" = "commits x y " &&
	test "$(notes --no-notes --show-notes=x)" = "commits x " && test "$(notes --no-notes --notes=x)" = "x " &&
	test "$(notes --show-notes=x --no-notes)" = "" &&
	test "$(notes --no-standard-notes --show-notes=x)" = "x " && test "$(notes --show-notes=x --no-standard-notes)" = "x " &&
	test "$(notes --notes=x --standard-notes)" = "commits x " && test "$(notes --no-standard-notes)" = "" &&
	test "$(notes --show-notes-by-default)" = "commits "
'

test_done
