#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git grep --recurse-submodules: bad repositories, paths in trees, attributes'
. "$(dirname "$0")/test-lib.sh"

# submodule DIR NAME PATH: a new repository at DIR/PATH, with a file f, as an active submodule of DIR
submodule () {
	git init -q -b main "$1/$3" && echo "foo $3" >"$1/$3/f" && git -C "$1/$3" add . && git -C "$1/$3" commit -q -m one &&
	link "$1" "$3" && git config -f "$1/.gitmodules" "submodule.$2.path" "$3" && git -C "$1" config "submodule.$2.url" x
}
# link DIR PATH: the index has the commit of the submodule
link () {
	git -C "$1" update-index --add --cacheinfo "160000,$(git -C "$1/$2" rev-parse HEAD),$2"
}
# finds ARG...: `git grep -l --recurse-submodules foo ARG...` prints the lines on standard input and nothing else.
finds () {
	cat >expect && git -C r grep -l --recurse-submodules foo "$@" >out 2>err && test_cmp expect out && test_must_be_empty err
}
# warns TEXT ARG...: the same, with a warning
warns () {
	text=$1 && shift && cat >expect && git -C r grep -l --recurse-submodules foo "$@" >out 2>err && test_cmp expect out &&
	test_grep "^warning: not looking into submodule .*$text" err
}

test_expect_success 'a submodule in a submodule' '
	git init -q -b main r && echo foo >r/a && submodule r one sub && mkdir r/sub/d && cp r/a r/sub/d/f && submodule r/sub two in &&
	git -C r/sub add d .gitmodules && git -C r/sub commit -q -m two && link r sub && git -C r add a .gitmodules && git -C r commit -q -m one &&
	printf "%s\\n" a sub/d/f sub/f sub/in/f | finds && printf "HEAD:%s\\n" a sub/d/f sub/f sub/in/f | finds HEAD
'

test_expect_success 'trees: paths in a submodule; names from where the user is' '
	printf "HEAD:%s\\n" sub/d/f | finds HEAD -- sub/d && printf "HEAD:%s\\n" sub/in/f | finds HEAD -- sub/in/f "sub/none*" &&
	printf "HEAD:%s\\n" sub/d/f | finds HEAD -- "sub/d*" && mkdir -p r/e && echo HEAD:../sub/in/f >expect &&
	git -C r/e grep -l --recurse-submodules foo HEAD -- ../sub/in >out && test_cmp expect out
'

test_expect_success 'attributes are those of the submodule' '
	echo "f -diff" >r/.gitattributes && echo "foo sub" >expect && git -C r grep --recurse-submodules -h "foo s" -- sub >out && test_cmp expect out &&
	git -C r grep --recurse-submodules -h "foo s" HEAD -- sub >out && test_cmp expect out && rm r/.gitattributes &&
	echo "f -diff" >r/sub/.git/info/attributes && echo "Binary file sub/f matches" >expect &&
	git -C r grep --recurse-submodules "foo s" -- sub >out && test_cmp expect out && rm r/sub/.git/info/attributes &&
	echo "f -diff" >r/sub/d/.gitattributes && echo "Binary file sub/d/f matches" >expect &&
	git -C r grep --recurse-submodules foo -- sub/d >out && test_cmp expect out && rm r/sub/d/.gitattributes
'

test_expect_success 'drivers are those of the settings around it' '
	echo "f diff=up" >r/sub/.gitattributes && git -C r config diff.up.textconv "tr a-z A-Z <" && echo "FOO SUB" >expect &&
	git -C r/sub config diff.up.textconv false && git -C r grep --recurse-submodules --textconv -h "FOO S" -- sub >out && test_cmp expect out &&
	git -C r grep --recurse-submodules --textconv -h "FOO S" HEAD -- sub >out && test_cmp expect out && rm r/sub/.gitattributes
'

test_expect_success 'a repository that cannot be opened is passed over, with a warning' '
	git -C r/sub/in config core.repositoryFormatVersion 9 && printf "%s\\n" a sub/d/f sub/f | warns "sub/in.*version" &&
	git -C r/sub config core.repositoryFormatVersion 9 && echo a | warns "sub.: .*version" &&
	for d in sub sub/in; do git config -f r/$d/.git/config core.repositoryFormatVersion 0 || return 1; done &&
	echo a | GIT_TEST_ASSUME_DIFFERENT_OWNER=1 GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0="$PWD/r" \
		warns "dubious ownership" && mkdir -p r/.git/modules && mv r/sub/.git r/.git/modules/one &&
	echo a | GIT_TEST_ASSUME_DIFFERENT_OWNER=1 GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0="$PWD/r" \
		warns "dubious ownership" && mv r/.git/modules/one r/sub/.git && printf "%s\\n" a sub/d/f sub/f sub/in/f | finds
'

test_expect_success 'a symbolic link in the place of a submodule is not followed' '
	mv r/sub moved && ln -s ../moved r/sub && echo a | finds && echo HEAD:a | finds HEAD && rm r/sub && mv moved r/sub
'

test_expect_success 'a broken .gitmodules of the work tree does not matter for trees' '
	echo "[x" >>r/.gitmodules && test_expect_code 128 git -C r grep --recurse-submodules foo 2>err && test_grep "bad config line .* in file .*/r/.gitmodules$" err &&
	printf "HEAD:%s\\n" a sub/d/f sub/f sub/in/f | finds HEAD && git -C r checkout -q .gitmodules
'

test_expect_success 'an object that a submodule lacks' '
	git -C r update-index --cacheinfo "160000,$(git -C r rev-parse HEAD),sub" && git -C r commit -q -m other &&
	test_expect_code 128 git -C r grep --recurse-submodules foo HEAD 2>err && test_grep "^fatal: unable to read tree ($(git -C r rev-parse HEAD~1))" err &&
	printf "HEAD~1:%s\\n" a sub/d/f sub/f sub/in/f | finds HEAD~1 && git -C r reset -q --hard HEAD~1
'

test_expect_success 'a tree whose submodule is outside, or whose .gitmodules is a link' '
	git init -q -b main r/sub/inner && blob=$(git -C r/sub/inner hash-object -w --stdin <r/.gitmodules) && (
		cd r/sub/inner && sed "s/path = .*/path = ../" ../../.gitmodules >.gitmodules && git config submodule.one.url x &&
		outside=$(printf "100644 blob %s\\t.gitmodules\\n160000 commit %s\\tnn\\n" "$(git hash-object -w .gitmodules)" "$(git -C .. rev-parse HEAD)" |
			git mktree --missing) && git cat-file tree $outside | sed "s/nn/../" >raw &&
		outside=$(git hash-object --literally -t tree -w raw) && test_expect_code 1 git grep --recurse-submodules foo $outside
	) && rm -rf r/sub/inner &&
	linked=$(printf "120000 blob %s\\t.gitmodules\\n160000 commit %s\\tsub\\n" "$(git -C r rev-parse HEAD:.gitmodules)" "$(git -C r rev-parse HEAD:sub)" |
		git -C r mktree --missing) && test_expect_code 1 git -C r grep --recurse-submodules foo $linked &&
	plain=$(printf "100644 blob %s\\t.gitmodules\\n160000 commit %s\\tsub\\n" "$(git -C r rev-parse HEAD:.gitmodules)" "$(git -C r rev-parse HEAD:sub)" |
		git -C r mktree --missing) && git -C r grep -q --recurse-submodules foo $plain
'

test_expect_success 'after a match --quiet looks into no submodule' '
	git init -q -b main q && (
		cd q && i=0 && while test $i -lt 70
		do
			echo foo >f$i && i=$((i + 1)) || exit 1
		done
	) && git -C q add . && submodule q x x && git -C q/x config core.repositoryFormatVersion 9 &&
	git -C q grep --threads=1 --recurse-submodules -q foo 2>err && test_must_be_empty err &&
	test_expect_code 1 git -C q grep --threads=1 --recurse-submodules -q none 2>err && test_grep "not looking into submodule" err
'

test_expect_success 'submodules that lead in a circle end' '
	git init -q -b main circle && (
		cd circle && echo foo >f && git add f && git config -f .gitmodules submodule.x.path x && git config submodule.x.url x &&
		git add .gitmodules && git commit -q -m one && git update-index --add --cacheinfo "160000,$(git rev-parse HEAD),x" && git commit -q -m two &&
		mkdir -p .git/modules && ln -s .. .git/modules/x && echo f >expect && git grep -l --recurse-submodules foo >out && test_cmp expect out &&
		mkdir x && echo "gitdir: $PWD/.git" >x/.git && i=0 && p=x && while test $i -lt 20
		do
			p=$p/x && mkdir $p && cp x/.git $p/.git && i=$((i + 1)) || exit 1
		done &&
		test_expect_code 128 git grep --recurse-submodules foo 2>err && test_grep "is more than 16 levels deep$" err
	)
'

test_done
