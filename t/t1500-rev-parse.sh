#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git rev-parse: gitrevisions(7) and all that scripts ask for, compared with stock git'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"

GIT_COMMITTER_DATE='1700000000 +0100'
GIT_AUTHOR_DATE='1700000000 +0100'
export GIT_COMMITTER_DATE GIT_AUTHOR_DATE

test_expect_success 'set up' '
	stock init -q -b main theirs &&
	(cd theirs &&
	 mkdir d && for i in 1 2 3; do
		echo $i >f && echo $i >d/g && stock add . && stock commit -q -m c$i || exit
	 done &&
	 stock tag -a -m v1 v1.0 && stock branch b1 && stock checkout -q b1 && stock checkout -q main &&
	 stock update-ref refs/remotes/o/main HEAD~1 && stock update-ref refs/remotes/o/b1 HEAD &&
	 stock symbolic-ref refs/remotes/o/HEAD refs/remotes/o/main &&
	 stock config remote.o.url nowhere && stock config remote.o.fetch "+refs/heads/*:refs/remotes/o/*" &&
	 stock config branch.main.remote o && stock config branch.main.merge refs/heads/main &&
	 stock update-ref refs/heads/v1.0 HEAD~1) &&
	cp -R theirs ours &&
	SHORT=$(stock -C theirs rev-parse --short HEAD) &&
	FULL=$(stock -C theirs rev-parse HEAD)
'

# each: every line of standard input is an argument list for rev-parse.
each () {
	while read -r line
	do
		eval "peers_git rev-parse $line" || { echo "rev-parse $line"; return 1; }
	done
}

test_expect_success 'parents, ancestors, types' '
	each <<-\EOS
	HEAD~3
	HEAD^2
	HEAD^0
	HEAD~0
	HEAD~99999999999
	HEAD^^^^
	HEAD^a
	HEAD~a
	"HEAD^{tree}"
	"HEAD^{}"
	"HEAD^{object}"
	"HEAD^{commit}^{tree}:d"
	"tags/v1.0^{}"
	"tags/v1.0^{tag}"
	"tags/v1.0^{foo}"
	tags/v1.0^
	"HEAD^{"
	"HEAD^{tree"
	"HEAD^!"
	HEAD^@
	HEAD^-
	HEAD^-1
	HEAD^-2
	@
	@~1
	^
	""
	0
	abc
	EOS
'

test_expect_success 'messages' '
	each <<-\EOS
	"HEAD^{/c2}"
	"HEAD^{/zz}"
	"HEAD^{/}"
	":/c1"
	":/zz"
	":/"
	":/!x"
	":/!-c3"
	":/!!x"
	"HEAD^{/!-c3}"
	":/^c2$"
	EOS
'

test_expect_success 'paths in trees and in the index, and why there is none' '
	for PEERS_DIR in "" d
	do
		each <<-\EOS || return 1
		HEAD:f
		HEAD:
		HEAD:nope
		HEAD:d/nope
		HEAD:./f
		HEAD:./g
		HEAD:d/
		HEAD:./
		HEAD:../f
		HEAD:../../f
		HEAD:f/x
		:f
		:0:f
		:1:f
		:nope
		:d
		:g
		:./g
		HEAD:g
		nope:f
		v1.0:f
		EOS
	done &&
	PEERS_DIR=
'

test_expect_success 'reflogs' '
	each <<-\EOS
	"@{0}"
	"main@{1}"
	"main@{9}"
	"@{9}"
	"HEAD@{99}"
	"main@{yesterday}"
	"main@{5 years ago}"
	"main@{2020-01-01}"
	"HEAD@{zzz}"
	"HEAD@{}"
	"HEAD@{ 1}"
	"HEAD@{1"
	"@{+1}"
	"nope@{1}"
	"v1.0@{0}"
	"HEAD@{1}~1"
	"@{-1}"
	"@{-5}"
	"@{-1}@{0}"
	"@{-1}~1"
	"@{-0}"
	"main@{-1}"
	"HEAD@{-2}"
	"main@{-1.day}"
	"@{99999999}"
	"@{100000000}"
	"main@{100000001}"
	-q --verify "main@{9}"
	EOS
'

test_expect_success 'upstream and push' '
	each <<-\EOS &&
	"@{u}"
	"@{upstream}"
	"main@{U}"
	"@{push}"
	"b1@{u}"
	"nope@{u}"
	"HEAD@{u}"
	--symbolic-full-name "@{u}"
	--abbrev-ref "@{u}"
	"@{u}~1"
	EOS
	stock -C theirs update-ref refs/remotes/o/out HEAD && stock -C ours update-ref refs/remotes/o/out HEAD &&
	for d in ours theirs
	do
		cp $d/.git/config config.$d &&
		stock -C $d config --add remote.o.fetch "^refs/heads/ou*" &&
		stock -C $d branch -q out && stock -C $d branch -q several && stock -C $d branch -q local &&
		stock -C $d config branch.out.remote o && stock -C $d config branch.out.merge refs/heads/out &&
		stock -C $d config branch.several.remote o && stock -C $d config branch.several.merge refs/heads/b1 &&
		stock -C $d config --add branch.several.merge refs/heads/main &&
		stock -C $d config branch.local.remote . && stock -C $d config branch.local.merge b1 || return 1
	done &&
	each <<-\EOS &&
	out@{u}
	--symbolic-full-name several@{u}
	--symbolic-full-name local@{u}
	EOS
	peers_git -c push.default=current rev-parse out@{push} &&
	peers_git for-each-ref --format="%(upstream) %(upstream:remoteref) %(upstream:track) %(push)" refs/heads &&
	for d in ours theirs
	do
		stock -C $d branch -q -D out several local &&
		stock -C $d update-ref -d refs/remotes/o/out &&
		mv config.$d $d/.git/config || return 1
	done &&
	for mode in nothing current upstream simple matching
	do
		stock -C theirs config push.default $mode && stock -C ours config push.default $mode &&
		peers_git rev-parse --symbolic-full-name "@{push}" &&
		peers_git rev-parse --symbolic-full-name "b1@{push}" || return 1
	done &&
	for d in ours theirs
	do
		stock -C $d config remote.o.push "refs/heads/main:refs/heads/b1" || return 1
	done &&
	peers_git rev-parse --symbolic-full-name "main@{push}" &&
	peers_git rev-parse --symbolic-full-name "b1@{push}"
'

test_expect_success 'short names, ambiguous names, full names, describe output' '
	cat >cases <<-EOS &&
	main
	heads/main
	refs/heads/main
	v1.0
	tags/v1.0
	heads/v1.0
	o
	o/main
	config
	index
	$SHORT
	$FULL
	v1.0-0-g$SHORT
	foo-1-g$SHORT
	1234567890123456789012345678901234567890
	x..y..z
	EOS
	each <cases &&
	peers_git -c core.warnAmbiguousRefs=false rev-parse v1.0 &&
	peers_git -c core.warnAmbiguousRefs=false rev-parse --symbolic-full-name v1.0 &&
	peers_git -c core.warnAmbiguousRefs=false rev-parse --abbrev-ref v1.0 &&
	peers_git -c core.warnAmbiguousRefs=false rev-parse --symbolic-full-name --branches
'

test_expect_success 'ranges' '
	each <<-\EOS
	HEAD..b1
	HEAD~2..b1
	b1...
	..main
	...
	..
	^HEAD
	^nope
	HEAD~2..nope
	HEAD~1...HEAD~2
	--symbolic HEAD~1..b1
	--not HEAD ^HEAD~1
	EOS
'

test_expect_success 'modes' '
	each <<-\EOS
	--verify HEAD
	--verify nope
	--verify -q nope
	--verify HEAD main
	--verify
	--verify --default HEAD
	-q --verify nope HEAD
	--verify ^HEAD
	--verify HEAD..b1
	--verify --end-of-options --foo
	--short HEAD
	--short=5 HEAD
	--short=1 HEAD
	--short=40 HEAD
	--short nope
	--short HEAD main
	--default HEAD
	--default nope
	--default
	--sq --verify HEAD
	--sq HEAD --foo f
	--flags HEAD --foo b1 -y
	--no-flags HEAD --foo -y f
	--revs-only HEAD --foo -n3 --max-count=3 f -- f
	--revs-only nowhere
	--default HEAD --revs-only nowhere main
	--revs-only f nowhere
	--no-flags --revs-only main nowhere main
	--no-revs HEAD --foo -n3 --max-count=3 f -- f
	--symbolic HEAD ^main HEAD~1..main
	--symbolic-full-name HEAD ^main "HEAD@{0}" main~1 nope
	--abbrev-ref HEAD main HEAD~1
	--abbrev-ref=strict v1.0
	--abbrev-ref=loose v1.0
	--abbrev-ref=foo main
	HEAD -- nope
	nope --
	HEAD nope
	HEAD f
	f HEAD
	f --foo
	--disambiguate=xyz
	-n 3 HEAD
	-n
	EOS
'

test_expect_success 'groups of refs' '
	each <<-\EOS &&
	--all
	--symbolic --all
	--symbolic-full-name --branches
	--symbolic --branches --tags --remotes
	--abbrev-ref --branches
	--symbolic --glob="heads/*"
	--symbolic --glob=remotes
	--symbolic --exclude=refs/heads/b1 --all
	--symbolic --exclude="b*" --branches
	--symbolic --branches=ma
	--symbolic --branches="m*"
	--exclude-hidden=foo --all
	--symbolic --exclude-hidden=receive --all
	EOS
	for d in ours theirs
	do
		stock -C $d update-ref refs/bisect/bad HEAD && stock -C $d update-ref refs/bisect/good-1 HEAD~1 || return 1
	done &&
	each <<-\EOS &&
	--bisect
	--symbolic --bisect
	--symbolic-full-name --bisect
	--exclude="*a*" --bisect
	--symbolic --exclude="*oo*" --bisect --all
	EOS
	for d in ours theirs
	do
		stock -C $d update-ref -d refs/bisect/bad && stock -C $d update-ref -d refs/bisect/good-1 || return 1
	done
'

test_expect_success 'places' '
	for PEERS_DIR in "" d .git .git/refs
	do
		each <<-\EOS || return 1
		--is-inside-work-tree --is-bare-repository --is-inside-git-dir --is-shallow-repository
		--show-cdup
		--show-prefix
		--show-toplevel
		--git-dir
		--absolute-git-dir
		--git-common-dir
		--show-superproject-working-tree
		--git-path objects/x --git-path index --git-path hooks
		--path-format=relative --git-dir --git-common-dir --git-path x
		--path-format=absolute --git-dir --git-common-dir --git-path x
		--path-format=x
		--resolve-git-dir .git
		--resolve-git-dir nope
		EOS
	done &&
	PEERS_DIR= &&
	each <<-\EOS
	--show-object-format --show-object-format=input
	--show-object-format=foo
	--git-path
	--since=2020-01-01T00:00:00Z --until=@1234567890
	EOS
'

test_expect_success '--parseopt and --sq-quote' '
	cat >spec <<-\EOS &&
	some-command [<options>] <args>...

	some-command does foo and bar!
	--
	h,help    show the help

	foo       some nifty option --foo
	bar=      some cool option --bar with an argument
	baz=arg   another cool option --baz with a named argument
	qux?path  qux may take a path argument but has meaning by itself

	  An option group Header
	C?        option C with an optional argument
	d!,x!neg  no neg
	k*hid     hidden
	EOS
	PEERS_STDIN=$PWD/spec && export PEERS_STDIN &&
	each <<-\EOS &&
	--parseopt -- --foo --bar=ham --baz x -C -Czz --qux --qux=a "b c" --no-foo
	--parseopt -- -h
	--parseopt -- --help-all
	--parseopt -- --nope
	--parseopt -- --no-foo a -- b
	--parseopt --keep-dashdash -- --foo -- b
	--parseopt --stop-at-non-option -- a --foo
	--parseopt --stuck-long -- -C -Cx --bar z --foo
	--parseopt -- --no-neg
	--parseopt -- -d --bar
	--parseopt --
	--parseopt -- --fo
	--parseopt -- --ba 1
	--parseopt -- -k
	EOS
	unset PEERS_STDIN &&
	each <<-\EOS
	--sq-quote a "b c" "d'"'"'e" "!"
	--sq-quote
	--parseopt
	EOS
'

test_expect_success 'ambiguous abbreviations, with their candidates' '
	for i in $(seq 1000); do printf "blob\ndata %s\n%s\n" ${#i} $i; done >input &&
	stock -C theirs fast-import --quiet <input && cp -Rf theirs/.git/objects/. ours/.git/objects &&
	for p in $(stock -C theirs cat-file --batch-all-objects --batch-check="%(objectname)" |
		cut -c1-4 | uniq -d)
	do
		for form in $p "$p^{commit}" "$p^{tree}" $p:f --disambiguate=$p
		do
			peers_git rev-parse $form || return 1
		done
	done &&
	test -n "$p"
'

test_expect_success 'numbers that do not fit into 32 or 64 bits' '
	git init -q wide && git -C wide commit -q --allow-empty -m 1 && git -C wide commit -q --allow-empty -m 2 &&
	for op in "~" "^"; do
		git -C wide rev-parse HEAD${op}1 &&
		for n in 4294967296 4294967297 18446744073709551616 18446744073709551617; do
			test_must_fail git -C wide rev-parse -q --verify HEAD$op$n || return 1
		done
	done
'

# log_says VALUE NAME [WARNING]
log_says () {
	echo "$1" >expect && git rev-parse "$2" >out 2>err && test_cmp expect out &&
	printf "${3:+warning: log for ref refs/heads/main $3\\n}" >expect && test_cmp expect err
}

test_expect_success 'reflogs that do not tell all of a ref' '
	git init -q -b main logs &&
	(cd logs && LOG=.git/logs/refs/heads/main &&
	 for i in 1 2 3; do
		GIT_COMMITTER_DATE="160000${i}000 +0000" git commit -q --allow-empty -m $i || exit
	 done &&
	 A=$(git rev-parse HEAD~2) B=$(git rev-parse HEAD~1) C=$(git rev-parse HEAD) && cp $LOG whole &&

	 log_says $C "main@{now}" && log_says $C "main@{0}" &&
	 echo $A >.git/refs/heads/main && ENDED="unexpectedly ended on Sun, 13 Sep 2020" &&
	 log_says $A "main@{now}" "$ENDED 13:16:40 +0000" &&
	 log_says $A "@{0}" "$ENDED 13:16:40 +0000" &&
	 log_says $C "main@{1600003000}" && log_says $B "main@{1600002999}" && log_says $B "main@{1}" &&

	 echo $C >.git/refs/heads/main && sed 2d whole >$LOG &&
	 log_says $A "main@{1}" "has gap after Sun, 13 Sep 2020 12:43:20 +0000" &&
	 log_says $A "main@{1600002999}" "has gap after Sun, 13 Sep 2020 12:43:20 +0000" &&
	 log_says $C "main@{now}" &&

	 sed "3s/^$B/$ZERO_OID/" whole >$LOG &&
	 log_says $C "main@{1600002999}" "$ENDED 13:00:00 +0000" && log_says $B "main@{1600002000}" &&

	 : >$LOG && log_says $C "main@{0}" && test_expect_code 128 git rev-parse "main@{now}" 2>err &&
	 test_grep "^fatal: log for refs/heads/main is empty$" err &&
	 rm $LOG && log_says $C "@{0}")
'

test_expect_success 'grafts and the boundary of a shallow clone count as parents' '
	git init -q -b main boundary &&
	(cd boundary &&
	 for i in 1 2 3 4; do git commit -q --allow-empty -m $i || exit; done &&
	 A=$(git rev-parse HEAD~3) && git rev-parse HEAD~2 >.git/shallow &&
	 for name in HEAD~3 HEAD~2^ HEAD~2^1~0 HEAD~9 HEAD~3^{tree}; do
		test_must_fail git rev-parse -q --verify "$name" &&
		test_expect_code 128 git cat-file -e "$name" || exit
	 done &&
	 git cat-file -e "$A" && mkdir -p .git/info &&
	 echo "$(git rev-parse HEAD) $(git rev-parse HEAD~2) $A" >.git/info/grafts &&
	 git rev-parse HEAD^2 >actual && echo $A >expect && test_cmp expect actual &&
	 test_must_fail git rev-parse -q --verify HEAD~2)
'

# One tree, a blob that has its first five digits, and a commit that has the first four.
case $TEST_HASH in
sha1) BLOB_TEXT=2090040 COMMIT_TEXT=195807 ;;
*) BLOB_TEXT=157665 COMMIT_TEXT=73295 ;;
esac

test_expect_success 'short names, where the type decides' '
	git init -q -b main types &&
	(cd types &&
	 git commit -q --allow-empty -m x && H=$(git rev-parse HEAD) && : >f && git hash-object -w f &&
	 T=$(printf "100644 blob $EMPTY_BLOB\tf\n" | git mktree) && P=$(echo $T | cut -c1-4) &&
	 B=$(echo $BLOB_TEXT | git hash-object -w --stdin) && P5=$(echo $T | cut -c1-5) &&
	 I="A <a@b> 1 +0000" && printf "tree $EMPTY_TREE\nauthor $I\ncommitter $I\n\n$COMMIT_TEXT\n" >raw &&
	 C=$(git hash-object -w -t commit raw) &&
	 case $B,$C in $P5*,$P*) ;; *) false ;; esac &&

	 git commit-tree -m made -p $P $P >out && git cat-file commit $(cat out) >made &&
	 test_grep "^tree $T$" made && test_grep "^parent $C$" made &&
	 printf "$H\n^$C\n" >expect && git rev-parse $P..main >out && test_cmp expect out &&
	 printf "$H\n$C\n" >expect && git rev-parse $P...main >out && test_cmp expect out &&
	 printf "$C\n^$H\n" >expect && git rev-parse main..$P >out && test_cmp expect out &&
	 echo $C >expect && git rev-parse $P^! >out && test_cmp expect out &&
	 git rev-parse $P^{commit} >out && test_cmp expect out &&
	 echo $T >expect && git rev-parse $P5^{tree} >out && test_cmp expect out &&

	 for name in $P $P5 $P^{tree}; do
		test_must_fail git rev-parse --verify $name 2>err && test_grep "is ambiguous$" err || exit
	 done &&
	 test_expect_code 128 git cat-file -t $P5 2>err &&
	 test_grep "^hint:   $P5.* blob$" err && test_grep "^hint:   $P5.* tree$" err &&
	 test_grep "^fatal: Not a valid object name $P5$" err && test_grep ! "ambiguous argument" err)
'

test_expect_success 'short names, where commands take objects of any type' '
	(cd types &&
	 T=$(printf "100644 blob $EMPTY_BLOB\tf\n" | git mktree) &&
	 P=$(echo $T | cut -c1-4) && P5=$(echo $T | cut -c1-5) &&
	 for command in "ls-tree $P5" "read-tree $P5" "ls-files --with-tree=$P5" "branch new $P"; do
		test_expect_code 128 git $command 2>err &&
		test_grep "^error: short object ID .* is ambiguous$" err && test_grep "^hint:   $P5.* tree$" err &&
		test_grep -i "^fatal: .*\(not a valid object name\|not found\)" err || exit
	 done &&
	 test_must_fail git rev-parse -q --verify new)
'

test_expect_success 'short names that log does not understand are named as they were given' '
	(cd types &&
	 T=$(printf "100644 blob $EMPTY_BLOB\tf\n" | git mktree) &&
	 P=$(echo $T | cut -c1-4) && P5=$(echo $T | cut -c1-5) &&
	 for arg in $P5 main..$P5 $P5.. $P5^@; do
		test_expect_code 128 git log $arg 2>err && test_grep "^hint:   $P5.* blob$" err &&
		test_grep "^fatal: ambiguous argument .$arg.: unknown revision or path" err || exit
	 done &&
	 test_expect_code 128 git log $P5 -- 2>err && test_grep "^hint:   $P5.* blob$" err &&
	 test_grep "^fatal: bad revision .$P5.$" err &&
	 test_expect_code 128 git log ^$P5 2>err && test_grep "^hint:   $P5.* blob$" err &&
	 test_grep "^fatal: bad revision .^$P5.$" err)
'

test_expect_success 'parents of a missing object; no base where a commit is missing' '
	git init -q missing && (cd missing && T=$(git mktree </dev/null) &&
	 P=$(git commit-tree -m root $T) && A=$(git commit-tree -m a -p $P $T) &&
	 B=$(git commit-tree -m b -p $P $T) && rm -f .git/objects/$(echo $P | sed "s,..,&/,") &&
	 for arg in nosuch^@ nosuch^! nosuch^-; do
		test_expect_code 128 git rev-parse $arg 2>err &&
		test_grep "^fatal: ambiguous argument .nosuch" err || exit
	 done &&
	 test_expect_code 128 git rev-parse $A...$B 2>err && test_grep "^fatal: .*$P" err)
'

test_expect_success '--local-env-vars among other arguments' '
	git init -q among && git -C among commit -q --allow-empty -m one &&
	git rev-parse --local-env-vars >vars && git -C among rev-parse HEAD >head &&
	git -C among rev-parse HEAD --local-env-vars >out && cat head vars >expect &&
	test_cmp expect out &&
	git -C among rev-parse --local-env-vars HEAD >out && cat vars head >expect &&
	test_cmp expect out &&
	cat >expect <<-\EOF &&
	GIT_ALTERNATE_OBJECT_DIRECTORIES
	GIT_CONFIG
	GIT_CONFIG_PARAMETERS
	GIT_CONFIG_COUNT
	GIT_OBJECT_DIRECTORY
	GIT_DIR
	GIT_WORK_TREE
	GIT_IMPLICIT_WORK_TREE
	GIT_GRAFT_FILE
	GIT_INDEX_FILE
	GIT_NO_REPLACE_OBJECTS
	GIT_REPLACE_REF_BASE
	GIT_PREFIX
	GIT_SHALLOW_FILE
	GIT_COMMON_DIR
	EOF
	test_cmp expect vars
'

test_expect_success 'outside of a repository' '
	mkdir outside &&
	(cd outside &&
	 test_must_fail git rev-parse HEAD 2>../err && test_grep "not a git repository" ../err &&
	 git rev-parse --sq-quote x && git rev-parse --local-env-vars >/dev/null)
'

test_expect_success 'info/grafts: a hint, once, unless advice.graftFileDeprecated is false' '
	git init -q -b main grafted && test_commit -C grafted one && test_commit -C grafted two &&
	git -C grafted rev-parse HEAD >grafted/.git/info/grafts &&
	cat >expect <<-\EOF &&
	hint: Support for <GIT_DIR>/info/grafts is deprecated
	hint: and will be removed in a future Git version.
	hint:
	hint: Please use "git replace --convert-graft-file"
	hint: to convert the grafts into replace refs.
	hint:
	hint: Turn this message off by running
	hint: "git config set advice.graftFileDeprecated false"
	EOF
	for args in "log --format=%s" "branch -v" "branch --contains HEAD"; do
		git -C grafted $args >out 2>err && test_cmp expect err || return
	done &&
	test_must_fail git -C grafted rev-parse -q --verify HEAD^ 2>err && test_cmp expect err &&
	test_config -C grafted advice.graftFileDeprecated false &&
	git -C grafted log --format=%s >out 2>err && test_must_be_empty err && test_line_count = 1 out &&
	git -C grafted config list 2>err && test_must_be_empty err
'

test_expect_success 'an ambiguous name: every command lists what it can mean' '
	git init -q short && cd short && for i in $(seq 1500); do echo $i >f$i; done &&
	ls f* | git hash-object -w --stdin-paths | cut -c1-4 | sort | uniq -d | head -n 1 >prefix &&
	p=$(cat prefix) && git commit -q --allow-empty -m x && rm -f f* &&
	git rev-parse --disambiguate=$p | sort >oids && test $(wc -l <oids) -gt 1 &&
	{
		echo "error: short object ID $p is ambiguous" && echo "hint: The candidates are:" &&
		while read oid
		do
			echo "hint:   $(git rev-parse --short $oid) blob" || return
		done <oids
	} >expect &&
	for cmd in "rev-parse $p" "rev-parse --verify $p" "cat-file -t $p" "commit-tree -m x $p" "tag x $p" \
		"branch x $p" "update-ref refs/heads/x $p" "update-ref refs/heads/x HEAD $p" "log $p"
	do
		test_expect_code 128 git $cmd 2>err && head -n $(wc -l <expect) err >start &&
		test_cmp expect start && test "$(grep -c candidates err)" = 1 || return 1
	done &&
	echo "create refs/heads/x $p" >in && test_expect_code 128 git update-ref --stdin <in 2>err &&
	test_grep candidates err && test_must_fail git rev-parse -q --verify $p 2>err && test_must_be_empty err
'

test_done
