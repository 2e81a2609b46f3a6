#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='diff, diff-index, diff-files: the index, files of the work tree, trees and blobs'
. "$(dirname "$0")/test-lib.sh"

# repo NAME: with files a, b, dir/c in one commit, whose times are long past
repo () {
	rm -rf "$1" && git init -q -b main "$1" && mkdir "$1/dir" &&
	seq 5 >"$1/a" && echo b >"$1/b" && echo c >"$1/dir/c" &&
	touch -d "2020-01-01" "$1/a" "$1/b" "$1/dir/c" &&
	git -C "$1" add . && git -C "$1" commit -q -m one
}

# shows EXPECT DIR ARGS: what git ARGS prints there, words joined by blanks, lines by "|"
shows () {
	local expect="$1" dir="$2" && shift 2 &&
	git -C "$dir" "$@" >out && actual=$(tr "\t" " " <out | sed "s/:.* \([A-Z][0-9]*\) /\1 /" | tr "\n" "|") &&
	test "$actual" = "$expect" && return
	echo "$*: expected '$expect', got '$actual'" && return 1
}

# refuses CODE MESSAGE DIR ARGS
refuses () {
	local code="$1" msg="$2" dir="$3" && shift 3 &&
	test_expect_code "$code" git -C "$dir" "$@" >out 2>err && test_grep -e "$msg" err
}

# ---- what has changed ----

test_expect_success 'nothing has changed' '
	repo r && for cmd in diff "diff --cached" "diff HEAD" diff-files "diff-index HEAD"
	do
		shows "" r $cmd --exit-code || return 1
	done
'

test_expect_success 'a file, the index, both' '
	repo r && echo 6 >>r/a && git -C r add a && echo 7 >>r/a && rm r/b && echo new >r/dir/n &&
	git -C r add dir &&
	shows "M a|D b|" r diff --name-status && shows "M a|A dir/n|" r diff --cached --name-status &&
	shows "M a|A dir/n|" r diff --staged --name-status &&
	shows "M a|D b|A dir/n|" r diff --name-status HEAD &&
	shows "M a|D b|" r diff-files && shows "M a|A dir/n|" r diff-index --cached HEAD &&
	shows "M a|D b|A dir/n|" r diff-index HEAD &&
	git -C r diff a >out && cat >expect <<-\EOT &&
	diff --git a/a b/a
	index b414108..06e567b 100644
	--- a/a
	+++ b/a
	@@ -4,3 +4,4 @@
	 4
	 5
	 6
	+7
	EOT
	if test "$TEST_HASH" = sha1; then test_cmp expect out; fi
'

test_expect_success 'before the first commit' '
	git init -q fresh && echo x >fresh/f && git -C fresh add f &&
	shows "A f|" fresh diff --cached --name-status && shows "" fresh diff &&
	refuses 128 "ambiguous argument .HEAD." fresh diff HEAD
'

test_expect_success 'raw: no object name for a file, unless a step needed it' '
	repo r && echo x >r/b && git -C r diff-files >out &&
	test_grep "^:100644 100644 $(git -C r rev-parse :b) $ZERO_OID M.b$" out &&
	git -C r diff-files -w >out &&
	test_grep "^:100644 100644 $(git -C r rev-parse :b) $(git -C r hash-object b) M.b$" out &&
	git -C r diff --raw >out && test_grep "^:100644 100644 $(git -C r rev-parse --short :b) 0000000 M.b$" out
'

test_expect_success 'modes, links and other types' '
	repo r && git -C r config core.filemode true && chmod +x r/a && rm r/b && ln -s a r/b &&
	git -C r diff --summary >out && test_grep "^ mode change 100644 => 100755 a$" out &&
	test_grep "^ mode change 100644 => 120000 b$" out &&
	shows "M a|T b|" r diff-files &&
	git -C r config core.filemode false && shows "T b|" r diff --name-status && shows "T b|" r diff-index HEAD
'

test_expect_success 'files that are to be added' '
	repo r && echo n >r/n && git -C r add -N n &&
	shows "A n|" r diff --name-status && shows "" r diff --cached && shows "A n|" r diff --name-status HEAD &&
	shows "A n|" r diff-files && shows "A n|" r diff-index --cached HEAD &&
	shows "" r diff-index --cached --ita-invisible-in-index HEAD &&
	shows "M n|" r diff --ita-visible-in-index --name-status &&
	shows "A n|" r diff --ita-visible-in-index --cached --name-status &&
	git -C r diff-index --cached --stat -p HEAD >out && test_grep "^new file mode" out && git -C r diff --ita-visible-in-index >out && test_grep "^+n$" out &&
	rm r/n && shows "D n|" r diff --name-status
'

test_expect_success 'entries that are assumed to be unchanged, or not in the work tree' '
	repo r && git -C r update-index --assume-unchanged a --skip-worktree b && git -C r update-index --skip-worktree b &&
	echo x >r/a && rm r/b && shows "" r diff --name-only && shows "" r diff-index HEAD
'

test_expect_success 'diff-index -m: missing files are as in the index' '
	repo r && rm r/a && echo x >r/b && echo y >r/dir/c && git -C r add dir/c && rm r/dir/c && shows "D a|M b|D dir/c|" r diff-index HEAD &&
	shows "M b|M dir/c|" r diff-index -m HEAD && shows "M dir/c|" r diff-index -m --cached HEAD
'

test_expect_success 'renames and copies in the work tree' '
	repo r && mv r/a r/new && git -C r rm -q --cached a && git -C r add new && echo x >>r/new &&
	shows "R083 a new|" r diff --name-status HEAD && shows "D a|A new|" r diff --name-status --no-renames HEAD &&
	shows "D a|A new|" r diff-index HEAD && shows "R083 a new|" r diff-index -M HEAD &&
	repo r && cp r/a r/copy && git -C r add copy && shows "C100 a copy|" r diff-index --cached --find-copies-harder HEAD
'

# ---- content and times ----

test_expect_success 'a file that was only touched: no difference, and the index learns it' '
	repo r && touch -d 2021-01-01 r/a && shows "M a|" r diff-files && shows "M a|" r diff-index HEAD &&
	shows "" r -c diff.autoRefreshIndex=false diff && shows "a|" r -c diff.autoRefreshIndex=false diff --name-only &&
	shows "" r diff --exit-code && shows "" r diff-files
'

test_expect_success 'a file that is as in the commit, though not as in the index' '
	repo r && echo x >r/b && git -C r add b && echo b >r/b && shows "b|" r diff --name-only && shows "" r diff --name-only HEAD && shows "M b|" r diff-index HEAD
'

test_expect_success 'a touched binary file has no difference' '
	repo r && printf "a\0b" >r/bin && git -C r add bin && touch -d 2021-01-01 r/bin &&
	shows "" r diff-files -p && shows "M bin|" r diff-files && shows "" r diff-files -w
'

test_expect_success 'a file of the same size and time is compared by its content' '
	repo r && git -C r config core.trustctime false && echo x >r/b && touch -d 2020-01-01 r/b r/.git/index &&
	shows "M b|" r diff-files && shows "b|" r diff --name-only
'

test_expect_success 'the index is left alone where it is locked, and where nothing was learned' '
	repo r && touch -d 2021-01-01 r/a && echo mine >r/.git/index.lock && cp r/.git/index before &&
	echo y >r/b && shows "b|" r diff --name-only && test_cmp_bin before r/.git/index &&
	echo mine >expect && test_cmp expect r/.git/index.lock && rm r/.git/index.lock &&
	git -C r diff >/dev/null && ! cmp -s before r/.git/index && cp r/.git/index before &&
	ls -i r/.git/index >inode && git -C r diff >/dev/null && ls -i r/.git/index >again && test_cmp inode again
'

test_expect_success STRACE,FSYNC_BATCH 'comparing flushes nothing, not even with the index' '
	repo r && touch -d 2021-01-01 r/a && echo y >r/b && cp r/.git/index before &&
	n=$(GIT_TEST_FS_KIND=journal count_flushes git -C r diff --output=out) &&
	test "$n" = 0 && ! cmp -s before r/.git/index
'

test_expect_success 'no file behind a symbolic link is read' '
	repo r && mv r/dir r/other && ln -s other r/dir && echo changed >r/other/c &&
	shows "D dir/c|" r diff-files && shows "D dir/c|" r diff --name-status && git -C r diff HEAD >out &&
	test_grep "^deleted file" out && test_grep ! "^+changed" out
'

test_expect_success 'diff compares files after filters and conversion of line ends' '
	repo r && git -C r config filter.up.clean "tr A-Z a-z" && printf "*.u filter=up\n*.t text eol=crlf\n" >r/.gitattributes &&
	echo LOUD >r/x.u && printf "one\r\ntwo\r\n" >r/y.t && git -C r add . && git -C r commit -q -m two &&
	touch -d 2021-01-01 r/x.u r/y.t && shows "" r diff && echo MORE >>r/x.u && printf "three\r\n" >>r/y.t &&
	git -C r diff -U0 >out && test_grep "^+more$" out && test_grep "^+three$" out
'

# ---- conflicts ----

# conflict REPO: b with three stages
conflict () {
	one=$(echo one | git -C "$1" hash-object -w --stdin) && two=$(echo two | git -C "$1" hash-object -w --stdin) &&
	three=$(echo three | git -C "$1" hash-object -w --stdin) &&
	printf "0 $ZERO_OID\tb\n100644 $one 1\tb\n100644 $two 2\tb\n100644 $three 3\tb\n" |
	git -C "$1" update-index --index-info
}

test_expect_success 'stages of a conflict' '
	repo r && conflict r && shows "U b|M b|" r diff-files && shows "U b|" r diff-files -0 &&
	for n in 1 2 3
	do
		git -C r diff-files -$n >out && test_grep "^:100644 100644 $(git -C r rev-parse :$n:b) $ZERO_OID M.b$" out || return 1
	done &&
	for pair in base:one ours:two theirs:three
	do
		git -C r diff --${pair%:*} >out && test_grep "^[*] Unmerged path b$" out && test_grep "^-${pair#*:}$" out &&
		test_grep "^+b$" out || return 1
	done &&
	shows "U b|" r diff --cached --name-status && git -C r diff --cached >out && echo "* Unmerged path b" >expect &&
	test_cmp expect out && shows "" r diff-index -p HEAD && shows "U b|" r diff-index --cached HEAD
'

test_expect_success 'without core.fileMode a file in conflict has the mode of what it is compared with' '
	repo r && git -C r config core.filemode false && one=$(git -C r rev-parse :b) && two=$(echo two | git -C r hash-object -w --stdin) &&
	printf "0 $ZERO_OID\tb\n100755 $one 1\tb\n100644 $two 2\tb\n" | git -C r update-index --index-info && git -C r diff-files -2 >out &&
	test_grep "^:000000 100755 .* U.b$" out && test_grep "^:100644 100644 .* M.b$" out && git -C r diff-files -1 >out && test_grep "^:100755 100755 .* M.b$" out
'

# ---- submodules ----

# submodule REPO: a repository "m" in it, with two commits; the second one is in the index
submodule () {
	git init -q "$1/m" && git -C "$1/m" commit -q --allow-empty -m m1 && echo s >"$1/m/s" && git -C "$1/m" add s &&
	git -C "$1/m" commit -q -m m2 && git -C "$1" add m 2>/dev/null && git -C "$1" commit -q -m m
}

test_expect_success 'submodules: commits, changes, untracked files' '
	repo r && submodule r && shows "" r diff && old=$(git -C r rev-parse :m) &&
	git -C r/m commit -q --allow-empty -m m3 && new=$(git -C r/m rev-parse HEAD) && git -C r diff >out &&
	printf "%s\n" "-Subproject commit $old" "+Subproject commit $new" >expect && grep "^[-+]S" out >actual && test_cmp expect actual &&
	git -C r add m && echo x >r/m/s && git -C r diff >out && test_grep "^+Subproject commit $new-dirty$" out &&
	shows "" r diff --ignore-submodules=dirty && shows "" r diff --ignore-submodules && echo s >r/m/s &&
	echo x >r/m/untracked && shows "" r diff && git -C r diff --ignore-submodules=none >out &&
	test_grep "^+Subproject commit $new-dirty$" out && shows "M m|" r diff-files --ignore-submodules=none &&
	shows "" r diff-files && shows "" r diff-index HEAD -- a
'

test_expect_success 'submodules that settings ignore' '
	repo r && submodule r && git -C r/m commit -q --allow-empty -m m3 && shows "m|" r diff --name-only &&
	shows "" r -c diff.ignoreSubmodules=all diff && printf "[submodule \"m\"]\n\tpath = m\n\turl = ./m\n\tignore = all\n" >r/.gitmodules &&
	shows "" r diff && shows "m|" r diff --ignore-submodules=none --name-only && shows "" r diff HEAD
'

# ---- trees and blobs ----

# history REPO: two branches from one commit
history () {
	repo "$1" && git -C "$1" branch side && echo m >"$1/m" && git -C "$1" add m && git -C "$1" commit -q -m m &&
	git -C "$1" symbolic-ref HEAD refs/heads/side && git -C "$1" read-tree side && rm "$1/m" && echo s >"$1/s" &&
	git -C "$1" add s && git -C "$1" commit -q -m s
}

test_expect_success 'two commits, and what two branches have in common' '
	history r && shows "D m|A s|" r diff --name-status main side && shows "D m|A s|" r diff --name-status main..side &&
	shows "A s|" r diff --name-status main...side && shows "A m|" r diff --name-status side...main &&
	shows "A m|D s|" r diff --name-status -R main side && shows "A s|" r diff --name-status --merge-base main side &&
	shows "A s|" r diff --name-status --merge-base main && shows "A s|" r diff-index --cached --merge-base main &&
	shows "A s|" r diff --cached --merge-base main --name-status && shows "D m|A s|" r diff --name-status side ^main &&
	shows "A c|D s|" r diff --name-status side: main:dir -- c s
'

test_expect_success 'no common ancestor' '
	history r && git -C r commit-tree -m apart HEAD^{tree} >apart && refuses 128 "no merge base" r diff "main...$(cat apart)" &&
	refuses 128 "no merge base found" r diff --merge-base "$(cat apart)"
'

test_expect_success 'blobs with each other and with a file' '
	repo r && echo x >r/b && git -C r diff HEAD:b HEAD:dir/c >out && test_grep "^diff --git a/b b/dir/c$" out &&
	test_grep "^-b$" out && test_grep "^+c$" out && git -C r diff HEAD:dir/c b >out && test_grep "^--- a/dir/c$" out &&
	test_grep "^+++ b/b$" out && test_grep "^+x$" out && refuses 128 "failed to stat .nofile." r diff HEAD:b -- nofile
'

test_expect_success 'prefixes that name the two sides of the comparison' '
	repo r && echo x >r/b && git -C r config diff.mnemonicPrefix true && git -C r diff >out && test_grep "^diff --git i/b w/b$" out &&
	git -C r diff HEAD >out && test_grep "^diff --git c/b w/b$" out && git -C r diff -R >out && test_grep "^diff --git w/b i/b$" out &&
	git -C r add b && git -C r diff --cached >out && test_grep "^diff --git c/b i/b$" out &&
	git -C r diff HEAD:b HEAD:a >out && test_grep "^diff --git a/b b/a$" out && git -C r diff HEAD:a b >out && test_grep "^diff --git o/a w/b$" out && git -C r diff --default-prefix --cached >out &&
	test_grep "^diff --git a/b b/b$" out && git -C r diff-index -p HEAD >out && test_grep "^diff --git a/b b/b$" out
'

# ---- which files ----

test_expect_success 'paths' '
	repo r && echo x >r/a && echo x >r/b && echo x >r/dir/c && echo "b mark" >r/.gitattributes &&
	shows "dir/c|" r diff --name-only dir && shows "dir/c|" r/dir diff --name-only . && shows "a|b|" r diff --name-only ":!dir" &&
	shows "b|" r diff --name-only ":(attr:mark)" && shows "a|" r diff --name-only ":(icase)A" && shows "dir/c|" r diff-files --name-only "*c" &&
	shows "c|" r/dir diff --relative --name-only && shows "c|" r diff --relative=dir/ --name-only && shows "" r diff -- nothing &&
	shows "a|" r diff-index --name-only HEAD a
'

test_expect_success 'order' '
	repo r && echo x >r/a && echo x >r/b && echo x >r/dir/c && echo "dir/*" >order && shows "dir/c|a|b|" r diff --name-only -O"$PWD/order" &&
	shows "b|dir/c|a|" r diff --name-only --rotate-to=b && shows "b|dir/c|" r diff --name-only --skip-to=b &&
	refuses 128 "No such path .nofile. in the diff" r diff --rotate-to=nofile && refuses 128 "failed to read orderfile .none." r diff -Onone &&
	repo r && shows "" r diff -Onone
'

# ---- exit codes, programs, output ----

test_expect_success 'exit codes' '
	repo r && echo "b " >r/b && for cmd in diff "diff HEAD" diff-files "diff-index HEAD"
	do
		test_expect_code 1 git -C r $cmd --exit-code >out && test_file_not_empty out && test_expect_code 1 git -C r $cmd --quiet >out &&
		test_must_be_empty out && git -C r $cmd --quiet -w && git -C r $cmd >/dev/null && test_expect_code 2 git -C r $cmd --check >out &&
		test_grep "^b:1: trailing whitespace" out && test_expect_code 3 git -C r $cmd --check --exit-code >out || return 1
	done && test_expect_code 0 git -C r diff --quiet --cached
'

test_expect_success 'an external program gets the file itself' '
	repo r && echo x >r/b && write_script show <<-\EOT &&
	echo "$1 $5" && cat "$2" "$5"
	EOT
	GIT_EXTERNAL_DIFF="$PWD/show" git -C r diff >out && printf "%s\n" "b b" b x >expect && test_cmp expect out &&
	git -C r diff --no-ext-diff >out && test_grep "^+x$" out &&
	GIT_EXTERNAL_DIFF="$PWD/show" git -C r diff-files -p >out && test_grep "^+x$" out
'

test_expect_success 'programs get objects as they are in the work tree' '
	repo r && git -C r config filter.up.clean "tr A-Z a-z" && git -C r config filter.up.smudge "tr a-z A-Z" &&
	git -C r config diff.conv.textconv "sed s/^/conv:/" && echo "*.u filter=up diff=conv" >r/.gitattributes && echo LOUD >r/x.u &&
	git -C r add . && git -C r commit -q -m u && echo QUIET >r/x.u && git -C r diff >out && test_grep "^-conv:LOUD$" out &&
	test_grep "^+conv:QUIET$" out && git -C r diff --no-textconv >out && test_grep "^-loud$" out && test_grep "^+quiet$" out
'

test_expect_success 'into a file' '
	repo r && echo x >r/b && git -C r/dir diff --output=../patch >out && test_must_be_empty out && test_grep "^+x$" r/patch
'

test_expect_success 'settings that are for people do not count for plumbing' '
	repo r && mv r/a r/n && git -C r rm -q --cached a && git -C r add n && git -C r config diff.renames true && git -C r config diff.noprefix true && git -C r config diff.mnemonicPrefix true &&
	shows "D a|A n|" r diff-index HEAD && git -C r diff-index -p HEAD >out && test_grep "^--- a/a$" out
'

# ---- errors ----

test_expect_success 'diff refuses bare repositories, unknown revisions and wrong options' '
	repo r && git init -q --bare bare && refuses 128 "must be run in a work tree" bare diff && refuses 128 "must be run in a work tree" bare diff-files &&
	refuses 128 "bad revision .nothing." r diff nothing -- && refuses 129 "error: invalid option: --what" r diff --what &&
	refuses 129 "usage: git diff-index" r diff-index && refuses 129 "usage: git diff-files" r diff-files HEAD &&
	refuses 129 "usage: git diff " r diff --cached HEAD HEAD && refuses 128 "bad --ignore-submodules argument: x" r diff --ignore-submodules=x &&
	test_expect_code 129 git -C r diff -h 2>out && test_grep "^usage: git diff " out
'

test_expect_success 'a file that cannot be read, an object that is not there' '
	repo r && echo x >r/b && git -C r add b && obj=$(git -C r rev-parse :b) && echo y >r/b &&
	rm "r/.git/objects/$(echo $obj | cut -c1-2)/$(echo $obj | cut -c3-)" && refuses 128 "$obj" r diff && shows "M b|" r diff-files
'

test_expect_success 'options of history browsers, which mean nothing here' '
	git init -q browsed && echo 1 >browsed/f && git -C browsed add f && git -C browsed commit -q -m 1 && echo 2 >>browsed/f &&
	git -C browsed diff-files -p >expect && test_file_not_empty expect &&
	git -C browsed diff-files --encoding=UTF-8 --root -p >actual && test_cmp expect actual &&
	git -C browsed diff-index --encoding=UTF-8 --root -p HEAD >actual && test_cmp expect actual &&
	git -C browsed diff --encoding=UTF-8 --root >actual && test_cmp expect actual &&
	test_expect_code 129 git -C browsed diff-index --roots HEAD
'

test_done
