#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='diff, diff-index, diff-files, diff-tree and show, compared with stock git'
. "$(dirname "$0")/test-lib.sh"

if ! test_have_prereq PEER; then
	skip_all='no stock git to compare with'
	test_done
fi

# same ARGS: both print the same in the repository r
same () {
	stock -C r "$@" >expect 2>/dev/null && git -C r "$@" >actual && cmp -s expect actual && return
	echo "$*:" && test_cmp expect actual
}

# same_state ARGS: in all the ways to look at the index and files
same_state () {
	same diff "$@" && same diff --cached "$@" && same diff HEAD "$@" && same diff-files "$@" &&
	same diff-index HEAD "$@" && same diff-index --cached HEAD "$@"
}

test_expect_success 'a repository with all kinds of changes' '
	git init -q -b main r && git -C r config core.filemode true && mkdir -p r/dir/sub && seq 30 >r/a && seq 20 >r/dir/b && printf "x\0y" >r/bin && echo s >r/script &&
	printf "one\r\ntwo\r\n" >r/crlf && echo "é" >"r/u é" && ln -s a r/link && seq 5 >r/dir/sub/c && echo gone >r/gone && seq 40 60 >r/moved && : >r/empty &&
	echo "crlf text eol=crlf" >r/.gitattributes && find r -path r/.git -prune -o -type f -exec touch -d 2020-01-01 {} + && git -C r add -A && test_tick && git -C r commit -q -m one &&
	sed "s/^7$/seven/" r/a >new && cp new r/a && git -C r add a && echo 31 >>r/a && rm r/gone && chmod +x r/script && printf "x\0z" >r/bin && rm r/link && ln -s b r/link &&
	mkdir r/to && sed "s/^50$/fifty/" r/moved >r/to/moved && rm r/moved && git -C r add -A to moved && echo new >r/dir/new && git -C r add -N dir/new &&
	touch -d 2021-01-01 r/crlf && rm r/dir/sub/c && mkdir r/dir/sub/c && echo below >r/dir/sub/c/d && git -C r add dir/sub
'

test_expect_success 'forms' '
	same_state --raw && same_state -p && same_state --stat --summary && same_state --numstat && same_state --name-status -z && same_state --name-only &&
	same_state --shortstat && same_state --compact-summary && same_state -p --raw --abbrev=9
'

test_expect_success 'renames, copies, direction, white space, words' '
	same_state -M --name-status && same_state -C -p && same_state -B -M -p && same_state -R -p && same_state -w -p && same_state --word-diff -p &&
	same_state --diff-filter=M --name-only && same_state -Sseven --name-only && same_state -U1 -p --function-context
'

test_expect_success 'paths' '
	same_state --raw -- dir && same_state --raw -- ":!dir" && same_state --raw -- ":(glob)**/c" && same_state -p --relative=dir && same_state --raw -- a nothing
'

test_expect_success 'letters of diff.mnemonicPrefix' '
	git -C r config diff.mnemonicPrefix true && same diff && same diff HEAD && same diff --cached && same diff -R && same diff HEAD:a HEAD:moved &&
	git -C r config --unset diff.mnemonicPrefix
'

test_expect_success 'conflicts' '
	one=$(seq 10 | git -C r hash-object -w --stdin) && two=$(seq 10 | sed "s/^4$/ours/" | git -C r hash-object -w --stdin) &&
	three=$(seq 10 | sed "s/^4$/theirs/; s/^9$/nine/" | git -C r hash-object -w --stdin) &&
	printf "100644 $one 1\tq\n100644 $two 2\tq\n100755 $three 3\tq\n100644 $one 1\tp\n100644 $two 2\tp\n" | git -C r update-index --index-info &&
	seq 10 | sed "s/^4$/both/" >r/q && echo p >r/p && same diff && same diff -c && same diff --cc --raw && same diff-files && same diff-files -p && same diff-files -2 &&
	same diff --base && same diff --ours -p && same diff --theirs && same diff-files -0 && same diff --cached && same diff HEAD && same diff -U0 && same diff -w &&
	same diff --color=always && same diff-index --cc HEAD && same diff-index HEAD && same diff --name-status
'

test_expect_success 'submodules' '
	rm -rf r && git init -q -b main r && git init -q r/m && echo s >r/m/s && git -C r/m add s && test_tick && git -C r/m commit -q -m m1 && git -C r add m 2>/dev/null &&
	git -C r commit -q -m one && same diff && git -C r/m commit -q --allow-empty -m m2 && same_state -p && echo x >>r/m/s && same_state -p && same diff --ignore-submodules=dirty &&
	same diff --ignore-submodules && same diff-files --ignore-submodules=untracked
'

test_expect_success 'merges: log, show, diff-tree' '
	rm -rf r && git init -q -b main r && seq 20 >r/f && echo g >r/g && git -C r add . && test_tick && git -C r commit -q -m base && base=$(git -C r rev-parse HEAD) &&
	sed "s/^5$/side/" r/f >side && sed "s/^15$/main/" r/f >main && cp side r/f && echo h >r/g && git -C r add . && test_tick && git -C r commit -q -m side && side=$(git -C r rev-parse HEAD) &&
	git -C r update-ref refs/heads/main $base && cp main r/f && echo g >r/g && git -C r add . && test_tick && git -C r commit -q -m main && main=$(git -C r rev-parse HEAD) &&
	sed "s/^5$/side/; s/^10$/merge/" main >r/f && echo h >r/g && git -C r add . && test_tick &&
	merge=$(git -C r commit-tree -p $main -p $side -m merge $(git -C r write-tree)) && git -C r update-ref refs/heads/main $merge && git -C r tag -a -m tagged v1 &&
	for o in -c --cc "--cc --stat" "-c --raw" "--cc --name-status" "--cc -U1 -p" "-m -p" "--cc -w" "-c --stat --summary -p" "--cc -M --combined-all-paths"
	do
		same log $o && same show $o $merge && same show $o --oneline $merge && same diff-tree $o $merge && same diff-tree $o --pretty $merge || return 1
	done &&
	same show && same show v1 && same show v1 HEAD: HEAD:f && same show --oneline v1 $base && same show -s $side $merge && same show $base..$merge &&
	same diff $merge $main $side && same diff $main...$side && same diff-tree $base $merge && same diff-tree --root -r $base && same diff-tree -t $merge $base
'

test_done
