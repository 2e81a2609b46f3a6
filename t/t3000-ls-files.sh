#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='ls-files, compared with stock git'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"

# lf 'OPTIONS' [PATHSPEC...]: options are split, pathspecs are not.
lf () {
	local o="$1"
	shift
	peers_git ls-files $o -- "$@"
}

# lf_all 'OPTIONS'...: with every pathspec of the list.
lf_all () {
	local o p
	for o
	do
		lf "$o" || return 1
		for p in "un/*" "*f" build/x "k*" nested/ ":(glob)un/*/*" ":!un"
		do
			lf "$o" "$p" || return 1
		done
		lf "$o" d a "*.o" || return 1
	done
}

make_tree () {
	printf '*.o\nbuild/\nigdir\nigempty\n' >.gitignore &&
	mkdir -p tracked/sub un/deep/er onlyig/a empty emptyig/build build/x igdir mixed/build \
		emptyd/e2/e3 allbuild/build igempty d/e d2 &&
	touch tracked/f un/a un/a.o un/deep/er/b un/deep/c.o onlyig/x.o onlyig/a/y.o build/x/f \
		build/g igdir/f mixed/m mixed/build/q top.o allbuild/build/z &&
	stock init -q nested && stock init -q un/nested2 &&
	mkfifo fifo && ln -s un linkdir && echo a >a && echo b >d/b && printf 'c\r\nd\n' >d/e/c &&
	echo x >'d/q"x' && printf 'y\r\n' >d2/y && chmod +x a && ln -s a l &&
	touch 'sp ace' "$(printf 'uml\303\244ut')" "$(printf 'new\nline')" d/del &&
	echo k >kdir && echo m >md &&
	printf 'd text=auto eol=lf\n*.x -text\n' >.gitattributes &&
	stock add .gitignore tracked/f d d2 a l kdir md 'sp ace' uml* new* &&
	stock commit -q -m x
}

change_tree () {
	rm d/del kdir && mkdir kdir && echo >kdir/x && echo changed >md && chmod -x a &&
	rm -r d2 && echo >d2 && echo new >d/new && stock add d/new && rm -f d/e/c &&
	ln -s x d/e/c && touch build/forced tracked/sub/u && stock add -f build/forced &&
	echo ita >ita && stock add -N ita && stock update-index --assume-unchanged md &&
	stock update-index --skip-worktree d/b
}

test_expect_success 'set up' '
	peers_init &&
	peers_do make_tree &&
	peers_do change_tree
'

test_expect_success 'entries of the index' '
	lf_all "" "-s -z" &&
	for o in "-t -c" "-v -s" -f --abbrev "-s --abbrev=5" "--full-name -z" --sparse -s
	do
		lf "$o" || return 1
	done
'

test_expect_success 'ls-files -d and -m list deleted and changed files' '
	lf_all "-c -d -m -t" &&
	for o in -d -m "-d -m" "-d -m --deduplicate" "-c -d -m --deduplicate"
	do
		lf "$o" || return 1
	done
'

test_expect_success 'files that are not in the index' '
	lf_all -o "-o --exclude-standard" -k &&
	for o in "-o -x *.o" "-o -X .gitignore" "-o --exclude-per-directory=.gitignore" \
		"-t -c -o" "-k -o -t"
	do
		lf "$o" || return 1
	done
'

test_expect_success 'directories' '
	lf_all "-o --directory" "-o --exclude-standard --directory --no-empty-directory" &&
	lf "-o --directory --no-empty-directory" &&
	lf "-o --exclude-standard --directory"
'

test_expect_success 'ignored files' '
	for p in "" un "un/*" build build/x mixed nope
	do
		lf "-o -i --exclude-standard" ${p:+"$p"} &&
		lf "-c -i --exclude-standard" ${p:+"$p"} &&
		lf "-c -i -x *f" ${p:+"$p"} || return 1
	done &&
	lf -i && lf "-i -o"
'

test_expect_success 'line ends, formats' '
	lf --eol && lf "--eol -o -c" &&
	lf "--format=%(objectmode)_%(objectname)_%(stage)_%(path)%x09|%%" &&
	lf "--format=%(eolinfo:index)|%(eolinfo:worktree)|%(eolattr)|%(path)" &&
	PEERS_STDERR=ignore &&
	lf "--format=%(foo)" && lf "--format=%a" && lf "--format=x -s" && lf "--format=x -o"
	r=$?; PEERS_STDERR=; return $r
'

test_expect_success 'from a subdirectory' '
	for o in "" "-o --directory" -s "-o --full-name"
	do
		for p in "" . .. ../a e nope :/a ../../x
		do
			PEERS_DIR=d peers_git ls-files $o $p || return 1
		done
	done
'

test_expect_success '--error-unmatch' '
	lf --error-unmatch a nope &&
	lf --error-unmatch a &&
	lf "-o --error-unmatch" un/a nope &&
	lf "--error-unmatch --with-tree=HEAD" d/del
'

test_expect_success '--with-tree' '
	peers_do "stock rm -q --cached d/e/c l" &&
	lf_all "--with-tree=HEAD -t" &&
	lf --with-tree=HEAD &&
	lf "--with-tree=HEAD -s" &&
	lf "--with-tree=nope"
'

test_expect_success 'unmerged and resolved' '
	peers_do "b=\$(stock hash-object -w a) &&
		{ echo \"0 $ZERO_OID	a\"; for i in 1 2 3; do echo \"100644 \$b \$i	a\"; done; } |
		stock update-index --index-info" &&
	for o in -u "-s -u" "" "-m --deduplicate" "-t -d -m" --resolve-undo
	do
		lf "$o" && lf "$o" a || return 1
	done &&
	peers_do "stock add a" &&
	lf --resolve-undo && lf "--resolve-undo -t" a
'

test_expect_success '--debug shows what stat says' '
	git -C ours ls-files --debug >ours.debug &&
	stock -C ours ls-files --debug >stock.debug &&
	test_cmp stock.debug ours.debug
'

# ---- without a peer ----

test_expect_success 'ls-files ranks patterns: -x, files of directories, the last -X' '
	git init -q order && (
		cd order && echo 1 >b.o && echo 1 >t && echo 1 >u.o &&
		printf "*.o\nt\n" >../X && echo u.o >../X2 && echo "!u.o" >../X3 &&
		echo "!b.o" >.gitignore && printf ".gitignore\nb.o\n" >expect.b &&
		printf ".gitignore\n" >expect.none && printf ".gitignore\nu.o\n" >expect.u &&
		printf "!t\n.gitignore\n" >.git/info/exclude &&
		others () {
			git ls-files -o "$@" | grep -v "^expect\|^actual" >actual
		} &&
		others -X ../X --exclude-per-directory=.gitignore && test_cmp expect.b actual &&
		others -X ../X -x "b.*" --exclude-per-directory=.gitignore &&
		test_cmp expect.none actual &&
		others -X ../X -X ../X3 && printf ".gitignore\nu.o\n" >expect.u &&
		test_cmp expect.u actual &&
		others -X ../X3 -X ../X && test_cmp expect.none actual &&
		others -X ../X --exclude-standard && printf "b.o\nt\n" >expect.std &&
		test_cmp expect.std actual &&
		others --exclude-standard -X ../X && printf "b.o\n" >expect.std &&
		test_cmp expect.std actual
	)
'

test_expect_success '--error-unmatch: a path that is not listed is not matched' '
	git init -q unmatched && (
		cd unmatched && echo 1 >clean && echo 1 >dirty && git add . && echo 22 >dirty &&
		git ls-files -m --error-unmatch dirty >out && echo dirty >expect &&
		test_cmp expect out && git ls-files --error-unmatch clean &&
		for o in -m -d -u "-m -d"
		do
			test_expect_code 1 git ls-files $o --error-unmatch clean 2>err || exit 1
			test_grep "pathspec .clean. did not match any file" err || exit 1
		done
	)
'

test_expect_success '-u leaves -m and -d alone' '
	git init -q both && (
		cd both && echo 1 >a && echo 1 >gone && echo 1 >same && git add . &&
		blob=$(git rev-parse :a) && echo 22 >a && rm gone &&
		printf "100644 $blob 1\tc\n100644 $blob 2\tc\n" | git update-index --index-info &&
		git ls-files -t -m -u >out && cat >expect <<-EOF &&
		C 100644 $blob 0	a
		M 100644 $blob 1	c
		C 100644 $blob 1	c
		M 100644 $blob 2	c
		C 100644 $blob 2	c
		C 100644 $blob 0	gone
		EOF
		test_cmp expect out &&
		git ls-files -t -d -u >out && cat >expect <<-EOF &&
		M 100644 $blob 1	c
		R 100644 $blob 1	c
		M 100644 $blob 2	c
		R 100644 $blob 2	c
		R 100644 $blob 0	gone
		EOF
		test_cmp expect out &&
		git ls-files -u >out && test_line_count = 2 out
	)
'

test_expect_success 'options that have no negated form' '
	for o in full-name exclude-standard exclude-from format
	do
		test_expect_code 129 git -C both ls-files --no-$o 2>err || return 1
		test_grep "unknown option .no-$o" err || return 1
	done
'

test_expect_success '-i -o --directory: in untracked directories, everything or nothing' '
	git init -q ign && (
		cd ign &&
		mkdir -p build/sub empty/ign un/tr only/deep tr mix/ign nothing &&
		>build/f && >build/sub/g && >un/tr/x.o && >un/u && >only/deep/x.o &&
		>tr/k && >tr/x.o && >mix/ign/h && >mix/u &&
		printf "ign\n*.o\nbuild\n" >.git/info/exclude &&
		git add tr/k &&
		git ls-files -i -o --exclude-standard --directory >out &&
		cat >expect <<-\EOF &&
		build/
		empty/
		empty/ign/
		mix/ign/
		only/
		only/deep/
		only/deep/x.o
		tr/x.o
		un/tr/
		un/tr/x.o
		EOF
		test_cmp expect out &&
		git ls-files -i -o --exclude-standard --directory --no-empty-directory >out &&
		cat >expect <<-\EOF &&
		build/
		only/
		tr/x.o
		EOF
		test_cmp expect out &&
		git ls-files -i -o --exclude-standard --directory un only/ nothing >out &&
		cat >expect <<-\EOF &&
		only/
		only/deep/
		only/deep/x.o
		un/tr/
		un/tr/x.o
		EOF
		test_cmp expect out
	)
'

test_done
