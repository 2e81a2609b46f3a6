#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='attributes from a tree, builtin_objectmode, and pathspecs that ask for attributes'
. "$(dirname "$0")/test-lib.sh"

# attr_is FILE=VALUE...: what check-attr with $source and $options prints for the attribute foo
attr_is() {
	for pair
	do
		echo "${pair%%=*}: foo: ${pair#*=}"
	done >expect &&
	git -C repo $options check-attr $source foo -- one two >actual &&
	test_cmp expect actual
}

test_expect_success 'a repository with other attributes in HEAD~1, HEAD, index and work tree' '
	git init -q -b main repo &&
	mkdir repo/dir &&
	for f in one two dir/three
	do
		echo "$f" >repo/$f || return 1
	done &&
	echo "one foo=old" >repo/.gitattributes &&
	git -C repo add . &&
	git -C repo commit -q -m old &&
	echo "one foo=new" >repo/.gitattributes &&
	git -C repo commit -q -a -m new &&
	echo "two foo=index" >repo/.gitattributes &&
	git -C repo add . &&
	echo "two foo=file" >repo/.gitattributes
'

test_expect_success 'check-attr --source, --attr-source, GIT_ATTR_SOURCE and attr.tree read a tree' '
	options= source= attr_is one=unspecified two=file &&
	options= source=--cached attr_is one=unspecified two=index &&
	options= source="--source HEAD" attr_is one=new two=unspecified &&
	options= source="--source=HEAD~1 --cached" attr_is one=old two=unspecified &&
	options= source="--source=HEAD^{tree}" attr_is one=new two=unspecified &&
	options= source="--source=HEAD:one" attr_is one=unspecified two=unspecified &&
	options=--attr-source=HEAD~1 source= attr_is one=old two=unspecified &&
	options="-c attr.tree=HEAD" source= attr_is one=new two=unspecified &&
	options="-c attr.tree=missing" source= attr_is one=unspecified two=file &&
	options="--attr-source=HEAD -c attr.tree=HEAD~1" source= attr_is one=new two=unspecified &&
	options="--attr-source=missing" source="--source=HEAD~1" attr_is one=old two=unspecified &&
	(
		GIT_ATTR_SOURCE=HEAD~1 &&
		export GIT_ATTR_SOURCE &&
		options= source= attr_is one=old two=unspecified
	)
'

test_expect_success 'a source that is missing is an error' '
	test_expect_code 128 git -C repo check-attr --source=missing foo -- one 2>err &&
	test_grep "^fatal: missing: not a valid tree-ish source$" err &&
	test_expect_code 128 git -C repo --attr-source=missing check-attr foo -- one 2>err &&
	test_grep "^fatal: bad --attr-source or GIT_ATTR_SOURCE$" err &&
	test_expect_code 128 env GIT_ATTR_SOURCE= git -C repo check-attr foo -- one 2>err &&
	test_grep "^fatal: bad --attr-source or GIT_ATTR_SOURCE$" err
'

test_expect_success 'info/attributes count beside a tree, a symbolic link in it does not' '
	test_when_finished "rm repo/.git/info/attributes" &&
	mkdir -p repo/.git/info &&
	echo "two foo=info" >repo/.git/info/attributes &&
	options= source=--source=HEAD attr_is one=new two=info &&
	blob=$(printf other | git -C repo hash-object -w --stdin) &&
	tree=$(printf "120000 blob $blob\t.gitattributes\n" | git -C repo mktree) &&
	options= source=--source=$tree attr_is one=unspecified two=info
'

test_expect_success 'the source of a repository does not count in its submodule' '
	git init -q sub &&
	echo 1 >sub/f &&
	git -C sub add f &&
	git -C sub commit -q -m f &&
	git clone -q repo super &&
	git clone -q sub super/sub &&
	git -C super add sub 2>err &&
	git -C super commit -q -m sub &&
	echo 2 >super/sub/f &&
	git -C super --attr-source=HEAD~2 status -s >actual &&
	echo " m sub" >expect &&
	test_cmp expect actual
'

test_expect_success SYMLINKS 'builtin_objectmode is the mode of the file, with --cached that of the index' '
	echo x >super/run && chmod +x super/run && ln -s one super/link &&
	git -C super add run link &&
	rm super/link && ln -s dir/three super/link && chmod -x super/run &&
	cat >expect <<-\EOF &&
	one: builtin_objectmode: 100644
	run: builtin_objectmode: 100644
	link: builtin_objectmode: 120000
	dir: builtin_objectmode: 040000
	dir/: builtin_objectmode: 040000
	sub: builtin_objectmode: 160000
	missing: builtin_objectmode: unspecified
	EOF
	git -C super check-attr builtin_objectmode -- one run link dir dir/ sub missing >actual &&
	test_cmp expect actual &&
	sed -e "/^dir/s/ [0-9]*\$/ unspecified/" -e "/^run/s/644/755/" expect >cached &&
	git -C super check-attr --cached builtin_objectmode -- one run link dir dir/ sub missing >actual &&
	test_cmp cached actual &&
	git -C super check-attr -a one >actual &&
	test_grep ! builtin actual
'

test_expect_success SYMLINKS 'pathspecs find files by their mode' '
	chmod +x super/run &&
	for pair in 100755=run 120000=link 160000=sub 040000=
	do
		git -C super ls-files ":(attr:builtin_objectmode=${pair%=*})" >actual 2>err &&
		test_must_be_empty err &&
		echo ${pair#*=} | sed "/^\$/d" >expect &&
		test_cmp expect actual || return 1
	done &&
	git -C super ls-files ":(attr:!builtin_other)" one >actual 2>err &&
	test_must_be_empty err &&
	test_line_count = 7 actual
'

test_expect_success 'files cannot set names that begin with builtin_' '
	test_when_finished "git -C super checkout -q .gitattributes" &&
	echo "run builtin_objectmode=100644" >super/.gitattributes &&
	git -C super check-attr builtin_objectmode run >actual 2>err &&
	echo "run: builtin_objectmode: 100755" >expect &&
	test_cmp expect actual &&
	test_grep "^builtin_objectmode is not a valid attribute name: .gitattributes:1$" err
'

for cmd in 'checkout --' 'checkout HEAD --' 'restore' 'restore --source=HEAD --staged --worktree' 'reset -q HEAD --' \
	'rm -q -r --cached --' 'update-index --again' 'add -u --'
do
	test_expect_success "$cmd :(attr:…) takes the files that have the attribute" '
		git -C repo reset -q --hard &&
		printf "%s\n" "two foo" "dir/* foo" >repo/.gitattributes &&
		echo changed | tee repo/one repo/two >repo/dir/three &&
		case "$cmd" in reset*|update-index*) git -C repo add one two dir ;; esac &&
		case "$cmd" in update-index*) echo again | tee repo/one repo/two >repo/dir/three ;; esac &&
		git -C repo $cmd ":(attr:foo)" >out &&
		git -C repo status -s one two dir >actual &&
		case "$cmd" in
		reset*) printf "%s\n" " M dir/three" "M  one" " M two" ;;
		rm*) printf "%s\n" "D  dir/three" " M one" "D  two" "?? dir/" "?? two" ;;
		update-index*) printf "%s\n" "M  dir/three" "MM one" "M  two" ;;
		add*) printf "%s\n" "M  dir/three" " M one" "M  two" ;;
		*) printf "%s\n" " M one" ;;
		esac >expect &&
		test_cmp expect actual
	'
done

test_expect_success 'rm without -r names the pathspec as it was given' '
	git -C repo reset -q --hard &&
	echo "dir/* foo" >repo/.gitattributes &&
	test_expect_code 128 git -C repo rm ":(attr:foo)" 2>err &&
	echo "fatal: not removing '\'':(attr:foo)'\'' recursively without -r" >expect &&
	test_cmp expect err
'

test_expect_success 'attr without a colon asks for no attribute' '
	test_when_finished rm -rf bare-attr && git init -q bare-attr && (cd bare-attr && echo "a foo" >.gitattributes && >a && >b && git add . &&
		git ls-files ":(attr)a" >../actual && git ls-files ":(attr,icase)B" >>../actual && git ls-files ":(attr:foo,attr)" >>../actual) &&
	printf "%s\n" a b a >expect && test_cmp expect actual
'

test_done
