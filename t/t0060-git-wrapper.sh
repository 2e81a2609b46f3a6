#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='the git command: options, aliases, other programs'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'version, help, list of commands' '
	git --version >out && test_grep "^git version 2[.]" out && git -v >out2 && test_cmp out out2 &&
	git version --build-options >out && test_grep "^sluice: " out &&
	git --list-cmds=builtins >list && sort -c list && test_grep "^init$" list &&
	git help -a >out && test_grep "^   config " out &&
	test_expect_code 1 git >out && test_grep "^usage: git " out && test_grep "^   init " out &&
	test_expect_code 129 git --no-such-option 2>err && test_grep "unknown option: --no-such-option" err &&
	test_expect_code 129 git -c 2>err && test_expect_code 129 git -C 2>err &&
	git --namespace=x version
'

test_expect_success 'every command prints its usage for -h' '
	for c in $(git --list-cmds=builtins)
	do
		code=129 stream=out
		case $c in
		shell|http-backend) continue ;;
		submodule|merge-one-file) code=0 ;;
		daemon) stream=err ;;
		esac
		test_expect_code $code git $c -h >out 2>err && test_grep "^usage: git" $stream &&
		case $stream in out) test_must_be_empty err ;; *) test_must_be_empty out ;; esac || return 1
	done &&
	test_expect_code 128 git shell -h 2>err && test_grep "^fatal: Run with no arguments or with -c cmd" err &&
	(unset REQUEST_METHOD && git http-backend -h >out) && test_grep "^Status: 500 " out
'

test_expect_success 'NAME --help knows commands and aliases, no guides' '
	for name in nosuch attributes; do
		test_expect_code 1 git $name --help 2>err && test_grep "^git: .$name. is not a git command" err || return 1
	done &&
	test "$(git -c alias.nosuch=log nosuch --help)" = "'\''nosuch'\'' is aliased to '\''log'\''"
'

test_expect_success 'a command that does not exist, and one that is not available yet' '
	test_expect_code 1 git nosuch 2>err &&
	echo "git: '\''nosuch'\'' is not a git command. See '\''git --help'\''." >expect &&
	test_cmp expect err &&
	test_expect_code 128 git filter-branch 2>err && test_grep "git: .filter-branch. is a Git command" err
'

test_expect_success 'programs on PATH, but never another Git'\''s commands' '
	mkdir bin && write_script bin/git-hello <<-\EOF &&
	echo "hello $*"
	exit 7
	EOF
	write_script bin/git-svn <<-\EOF &&
	echo "from PATH"
	EOF
	PATH=$PWD/bin:$PATH && test_expect_code 7 git hello a b >out && test "$(cat out)" = "hello a b" &&
	test_expect_code 128 git svn && git --list-cmds=others >out && test_grep "^hello$" out &&
	mkdir ep && cp bin/git-svn ep && test "$(git --exec-path="$PWD/ep" svn)" = "from PATH" &&
	test "$(git --exec-path="$PWD/ep" --exec-path)" = "$PWD/ep"
'

test_expect_success 'GIT_FALLBACK' '
	write_script other-git <<-\EOF &&
	echo "other: $*"
	git config x.y
	EOF
	test "$(GIT_FALLBACK=$PWD/other-git git -c x.y=z filter-branch -a b)" = "other: filter-branch -a b
z" &&
	test_expect_code 128 env GIT_FALLBACK=/no/such git filter-branch 2>err &&
	test_grep "cannot run GIT_FALLBACK ./no/such." err &&
	test_expect_code 128 env GIT_FALLBACK="$(command -v git)" git filter-branch 2>err
'

test_expect_success 'aliases' '
	git init -q r && cd r && mkdir s && git config alias.v "config core.bare" && test "$(git v)" = false &&
	git config alias.w v && test "$(git w)" = false &&
	git config alias.q "config \"a.b c.d\"" && test_expect_code 1 git q &&
	git config alias.sh "!echo \"\$PWD [\$GIT_PREFIX]\"" && cd s &&
	test "$(git sh 1 "2 3")" = "$TRASH_DIRECTORY/r [s/] 1 2 3" &&
	git config alias.x "!exit 5" && test_expect_code 5 git x &&
	git config alias.c "-c a.b=c config" && test "$(git c a.b)" = c &&
	git config alias.version "!echo no" && git version >out && test_grep "git version" out
'

test_expect_success 'invalid aliases' '
	cd r && git config alias.l1 l2 && git config alias.l2 l1 &&
	test_expect_code 128 git l1 2>err && test_grep "alias loop detected: expansion of .l1. does not terminate:" err &&
	git config alias.me me && test_expect_code 128 git me 2>err && test_grep "recursive alias: me" err &&
	git config alias.open "config \"a" && test_expect_code 128 git open 2>err &&
	test_grep "bad alias.open string: unclosed quote" err &&
	git config alias.env "--git-dir=x config" && test_expect_code 128 git env 2>err &&
	test_grep "changes environment variables" err &&
	git config alias.gone nosuch && test_expect_code 1 git gone 2>err &&
	test_grep "expansion of alias .gone. failed; .nosuch. is not a git command" err &&
	test_expect_code 128 git -c alias.n n 2>err && test_grep "missing value" err
'

test_expect_success 'called as git-CMD' '
	ln -s "$(command -v git)" git-version && ./git-version >out && test_grep "^git version" out
'

# Processes of ours that CMD has started, itself among them.
count_starts () {
	rm -f starts &&
	GIT_TRACE2_EVENT=$PWD/starts "$@" >out 2>err
	code=$?
	nr=$(grep -c "\"event\":\"start\"" starts)
}

test_expect_success 'git-NAME ends at once where NAME is no command of ours' '
	mkdir links && for c in nothing remote-nothing credential-nothing svn remote-http
	do
		ln -s "$(command -v git)" links/git-$c &&
		count_starts links/git-$c && test $code = 128 && test $nr = 1 &&
		echo "fatal: cannot handle $c as a builtin" >expect && test_cmp expect err &&
		count_starts links/git-$c -h && test $code = 128 && test $nr = 1 && test_cmp expect err || return 1
	done &&
	test_expect_code 128 sh -c "exec links/git-nothing help" 2>err &&
	test_grep "cannot handle nothing as a builtin" err
'

test_expect_success 'links to ours on PATH and in the exec-path' '
	(
		PATH=$PWD/links:$PATH && count_starts git -c alias.nothing=version nothing && test $code = 128 && test $nr = 2 &&
		test_grep "^fatal: cannot handle nothing as a builtin" err &&
		count_starts git ls-remote nothing::x && test $code = 128 && test $nr = 3 &&
		test_grep "^fatal: cannot handle remote-nothing as a builtin" err &&
		echo url=http://x.invalid/ >in && count_starts git -c credential.helper=nothing credential fill <in &&
		test $nr = 3 && test_grep "cannot handle credential-nothing as a builtin" err &&
		count_starts git --exec-path="$PWD/links" svn && test $code = 128 && test $nr = 2 &&
		test_grep "^fatal: cannot handle svn as a builtin" err
	)
'

test_expect_success 'GIT_FALLBACK leads back to this program: by a link, a copy, a script' '
	mkdir copied && cp "$(command -v git)" copied/git && for f in links/git-svn copied/git
	do
		count_starts env GIT_FALLBACK=$PWD/$f git svn && test $code = 128 && test $nr -le 2 &&
		test_grep "GIT_FALLBACK names this program itself" err &&
		count_starts env GIT_FALLBACK=$PWD/$f links/git-svn && test $code = 128 && test $nr -le 2 || return 1
	done &&
	write_script back <<-\EOF &&
	exec git "$@"
	EOF
	count_starts env GIT_FALLBACK=$PWD/back git svn && test $code = 128 && test $nr = 101 &&
	test_grep "100 programs have started each other" err &&
	test "$(GIT_FALLBACK=$PWD/other-git links/git-svn a)" = "other: svn a"
'

test_expect_success 'an alias, a helper and a hook that lead back to themselves end' '
	count_starts git -c "alias.loop=!git loop" loop && test $code = 128 && test $nr = 101 &&
	test_grep "cannot run git loop: 100 programs have started each other" err &&
	count_starts git -c "credential.helper=!git credential fill; :" credential fill <in && test $nr -le 101 &&
	git init -q loop && write_script loop/.git/hooks/reference-transaction <<-\EOF &&
	test "$1" = prepared || exit 0
	git update-ref "refs/x/n$$" HEAD
	EOF
	tree=$(git -C loop write-tree) && c=$(git -C loop commit-tree -m x $tree) &&
	count_starts git -C loop update-ref refs/heads/main $c && test $code != 0 && test $nr -le 102 &&
	test_must_fail git -C loop show-ref
'

test_expect_success 'git var' '
	test "$(GIT_EDITOR=ed git var GIT_EDITOR)" = ed &&
	test "$(git -c core.editor=ed2 var GIT_EDITOR)" = ed2 &&
	test "$(GIT_PAGER=pg git var GIT_PAGER)" = pg &&
	test "$(git -c core.pager=pg2 var GIT_PAGER)" = pg2 &&
	test "$(git -c init.defaultBranch=x var GIT_DEFAULT_BRANCH)" = x &&
	test "$(GIT_AUTHOR_DATE="1700000000 +0130" git var GIT_AUTHOR_IDENT)" = \
		"Ada Author <ada@example.com> 1700000000 +0130" &&
	git -c a.b=c var -l >out && test_grep "^a.b=c$" out && test_grep "^GIT_COMMITTER_IDENT=Carl" out &&
	test_expect_code 129 git var NOPE && test_expect_code 129 git var
'

test_expect_success 'identity' '
	unset GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL EMAIL &&
	test_expect_code 128 git -c user.useConfigOnly=true var GIT_AUTHOR_IDENT 2>err &&
	test_grep "^Author identity unknown" err && test_grep "Please tell me who you are" err &&
	test_grep "^fatal: no email was given and auto-detection is disabled" err &&
	test_expect_code 128 git -c user.useConfigOnly=true -c user.email=x@y var GIT_AUTHOR_IDENT 2>err &&
	test_grep "^fatal: no name was given and auto-detection is disabled" err &&
	git -c user.name=N -c user.email=m@x -c author.email=a@x var GIT_AUTHOR_IDENT >out &&
	test_grep "^N <a@x> [0-9]* +0000" out &&
	test_expect_code 128 git -c user.name="" -c user.email=m@x var GIT_AUTHOR_IDENT 2>err &&
	test_grep "empty ident name (for <m@x>) not allowed" err &&
	test_expect_code 128 git -c user.name="<>" -c user.email=m@x var GIT_AUTHOR_IDENT 2>err &&
	test_grep "name consists only of disallowed characters" err &&
	test_expect_code 128 env GIT_AUTHOR_DATE=gibberish git -c user.name=N -c user.email=m@x \
		var GIT_AUTHOR_IDENT 2>err && test_grep "invalid date format: gibberish" err
'

test_expect_success 'check-ref-format' '
	git check-ref-format a/b && test_expect_code 1 git check-ref-format a &&
	git check-ref-format --allow-onelevel a && test_expect_code 1 git check-ref-format a..b/c &&
	test "$(git check-ref-format --normalize //a//b)" = a/b &&
	test "$(git check-ref-format --branch x)" = x &&
	test_expect_code 128 git check-ref-format --branch -x 2>err && test_grep "is not a valid branch name" err &&
	git check-ref-format --refspec-pattern "a/*" && test_expect_code 129 git check-ref-format
'

test_expect_success TTY 'the pager, on a terminal only' '
	git init -q p && cd p && git -c core.pager="sed s/^/P:/" config -l >out && ! grep ^P: out &&
	script -qec "git -c core.pager=\"sed s/^/P:/\" config -l" /dev/null >out && test_grep "^P:core.bare" out &&
	script -qec "git -P -c core.pager=\"sed s/^/P:/\" config -l" /dev/null >out && ! grep ^P: out &&
	script -qec "git -c pager.config=false -c core.pager=\"sed s/^/P:/\" config -l" /dev/null >out && ! grep ^P: out &&
	script -qec "git -c pager.config=\"sed s/^/Q:/\" config -l" /dev/null >out && test_grep "^Q:core.bare" out &&
	script -qec "git -p -c core.pager=\"sed s/^/P:/\" config core.bare" /dev/null >out && test_grep "^P:false" out
'

test_expect_success 'the exit code is written to trace2' '
	GIT_TRACE2_EVENT=$PWD/tr test_expect_code 1 git nosuch && test_grep "\"event\":\"exit\".*\"code\":1" tr &&
	rm tr && GIT_TRACE2_EVENT=$PWD/tr test_expect_code 128 git -C none config x.y && test_grep "\"code\":128" tr
'

test_expect_success 'a full disk is reported' '
	test_expect_code 128 git help -a >/dev/full 2>err && test_grep "write failure on standard output" err
'

test_expect_success '-h among other arguments' '
	git init -q -b main help-among && cd help-among && echo x >f && git add f &&
	git -c user.name=A -c user.email=a@b commit -q -m one && test_when_finished "cd .." &&
	for args in "log HEAD -h" "log -h -1" "show -h HEAD" "reflog HEAD -h" "reflog show HEAD -h"; do
		test_expect_code 129 git $args >out && test_grep "^usage: git" out || return 1
	done &&
	for args in "diff -h HEAD" "diff-tree HEAD -h" "rev-list -h HEAD" "daemon -h /"; do
		test_expect_code 129 git $args 2>err && sed -n 1p err >first && test_grep "^usage: git" first || return 1
	done &&
	git log --grep -h && git show-ref -h main >out && sed -n "s/.* //p" out >names && printf "%s\n" HEAD refs/heads/main >expect &&
	test_cmp expect names
'

test_done
