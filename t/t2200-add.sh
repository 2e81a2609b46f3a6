#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git add, compared with stock git'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"

make_tree () {
	mkdir -p d/e .hid && echo 1 >a && echo 2 >b && echo 3 >d/c && echo 4 >d/e/f &&
	echo 5 >.hid/x && ln -s a link && ln -s nowhere dangling && echo x >exe && chmod +x exe &&
	: >empty && mkdir none
}

test_expect_success 'everything, verbose' '
	peers_init &&
	peers_do make_tree &&
	peers_git add -v . &&
	peers_same_index &&
	peers_git add -v . &&
	stock -C ours fsck --strict
'

test_expect_success 'single files, directories, globs, from a subdirectory' '
	peers_init &&
	peers_do make_tree &&
	peers_git add -v a d/e && peers_same_index &&
	peers_git add -v "d*" && peers_same_index &&
	PEERS_DIR=d peers_git add -v ../b . && peers_same_index &&
	peers_git add -v none && peers_same_index &&
	peers_git add -v ":(exclude)exe" . && peers_same_index
'

test_expect_success 'changes and removals' '
	peers_init &&
	peers_do make_tree &&
	peers_git add . &&
	peers_do "echo more >>a && rm b && rm -r d && echo d >d && rm link && mkdir link && echo z >link/z && echo n >new" &&
	peers_git add -n -v -u && peers_same_index &&
	peers_git add -v -u && peers_same_index &&
	peers_git add -v --ignore-removal . && peers_same_index &&
	peers_git add -v -A && peers_same_index
'

test_expect_success 'a removal within the pathspec' '
	peers_init &&
	peers_do make_tree && peers_git add . &&
	peers_do "rm d/c b" &&
	peers_git add -v --no-all d && peers_same_index &&
	peers_git add -v -u --no-all d/c && peers_same_index &&
	peers_git add -v d && peers_same_index
'

test_expect_success '--chmod where not all are files' '
	peers_init &&
	peers_do make_tree &&
	peers_git add -n --chmod=+x a link && peers_same_index &&
	peers_git add --chmod=+x . && peers_same_index &&
	peers_do "rm b && echo new >new" &&
	peers_git add -n -A --chmod=-x && peers_same_index &&
	peers_git add -N --chmod=-x a new exe && peers_same_index &&
	peers_git add -v --chmod=-x d/e && peers_same_index
'

test_expect_success '-N with -A or -u records removals too' '
	peers_init &&
	peers_do make_tree && peers_git add . &&
	peers_do "rm d/c b && echo new >new && echo more >>a" &&
	peers_git add -N d && peers_same_index &&
	peers_do "rm d/e/f" &&
	peers_git add -N -u && peers_same_index &&
	peers_do "rm exe" &&
	peers_git add -N -A && peers_same_index
'

test_expect_success 'ignored paths: each once, and not with -u' '
	peers_init &&
	peers_do make_tree && peers_git add a d/c && peers_do "echo d >.gitignore && echo \".git*\" >>.gitignore && echo x >>d/c" &&
	peers_git add d/e d/e/f && peers_same_index &&
	peers_git add -u d/c && peers_same_index &&
	peers_git add --renormalize d/c && peers_same_index &&
	peers_git add b .git && peers_same_index &&
	: stock git says nothing of a name that might be a pattern &&
	peers_do "echo \"[n]*\" >.gitignore && echo n >\"n*\"" &&
	(cd ours && test_expect_code 1 git add "n*") 2>err && test_grep "^n.$" err
'

test_expect_success '--renormalize leaves conflicts and submodules alone' '
	git init -q renormalize && (
		cd renormalize && echo a >a && git add a && git commit -q -m one && mkdir sub &&
		blob=$(git rev-parse :a) && commit=$(git rev-parse HEAD) &&
		printf "100644 $blob 1\tb\n100644 $blob 2\tb\n100644 $blob 3\tb\n160000 $commit 0\tsub\n" |
		git update-index --index-info && echo b >b && git ls-files -s >../expect &&
		git add --renormalize . && git ls-files -s >../actual
	) && test_cmp expect actual
'

test_expect_success 'a repository inside without a commit' '
	peers_init &&
	peers_do "echo a >a && stock init -q sub" &&
	PEERS_STDERR=ignore peers_git add . && peers_same_index &&
	test_grep "sub/. does not have a commit checked out" err.ours && test_line_count = 3 err.ours &&
	PEERS_STDERR=ignore peers_git add sub/ &&
	PEERS_STDERR=ignore peers_git add --ignore-errors . && peers_same_index
'

test_expect_success 'executable bit, --chmod' '
	peers_init &&
	peers_do make_tree && peers_git add . &&
	peers_do "chmod +x a && chmod -x exe" &&
	peers_git add -v . && peers_same_index &&
	peers_git add --chmod=+x b d && peers_same_index &&
	peers_git add --chmod=-x a && peers_same_index &&
	peers_git add --chmod=x a &&
	peers_do "stock config core.fileMode false && chmod +x empty && echo y >empty" &&
	peers_git add . && peers_same_index
'

test_expect_success 'ignored paths' '
	peers_init &&
	peers_do make_tree && peers_do "printf \"*.o\\nbuild\\n\" >.gitignore && mkdir build && echo x >build/y && echo o >f.o" &&
	peers_git add f.o &&
	peers_git add build/y a &&
	peers_same_index &&
	peers_git add -v . && peers_same_index &&
	peers_git add -f -v f.o build && peers_same_index &&
	peers_git add -n --ignore-missing gone.o x
'

test_expect_success 'add refuses paths that match no file' '
	peers_init &&
	peers_do make_tree &&
	peers_git add nope &&
	peers_git add "*.nope" &&
	peers_git add &&
	peers_git add "" &&
	peers_git add ../.. &&
	peers_git add /etc/hostname &&
	peers_do "ln -s d ld" &&
	peers_git add ld/c &&
	peers_git add -A -u . &&
	peers_git add --ignore-missing a &&
	peers_git add --pathspec-from-file=x a &&
	peers_git add --pathspec-file-nul a &&
	PEERS_STDERR=ignore peers_git add --no-such-option &&
	peers_same_index
'

test_expect_success 'pathspecs from a file' '
	peers_init &&
	peers_do make_tree &&
	printf "a\\n\"\\\\142\"\\nd/e\\n" >list &&
	PEERS_STDIN=list peers_git add -v --pathspec-from-file=- && peers_same_index &&
	printf "exe\\0empty\\0" >list &&
	PEERS_STDIN=list peers_git add -v --pathspec-from-file=- --pathspec-file-nul && peers_same_index
'

test_expect_success 'intent to add' '
	peers_init &&
	peers_do make_tree &&
	peers_git add -N a d && peers_same_index &&
	stock -C theirs status --porcelain >s1 && stock -C ours status --porcelain >s2 && test_cmp s1 s2 &&
	peers_git add -v a && peers_same_index
'

test_expect_success 'file to directory and back' '
	peers_init &&
	peers_do make_tree && peers_git add . &&
	peers_do "rm a && mkdir -p a/b && echo x >a/b/c" &&
	peers_git add -v a && peers_same_index &&
	peers_do "rm -r a && echo y >a" &&
	peers_git add -v a && peers_same_index
'

test_expect_success 'a repository inside' '
	peers_init &&
	peers_do "stock init -q sub && stock -C sub commit -q --allow-empty --date=@1700000000 -m x" &&
	rm -rf ours/sub && cp -R theirs/sub ours/sub &&
	peers_git add . && peers_same_index &&
	peers_git add sub && peers_same_index &&
	peers_do "stock init -q fresh" &&
	PEERS_STDERR=ignore peers_git add fresh
'

test_expect_success 'odd names' '
	peers_init &&
	peers_do "for f in \"sp ace\" \"quo\\\"te\" \"new
line\" \"tab	x\" \"back\\\\slash\" \"$(printf "\\303\\244")\" -dash \"*star\" \":colon\"; do echo x >\"./\$f\" || return 1; done" &&
	peers_git add -v . && peers_same_index &&
	peers_do "echo y >:colon && echo y >\"*star\"" &&
	peers_git add -v :colon &&
	peers_git --literal-pathspecs add -v "*star" && peers_same_index
'

test_expect_success 'paths that must not get into the index are refused' '
	peers_init &&
	peers_do "mkdir -p d/.git.bad && echo x >d/git~1 && echo y >d/.git.bad/x" &&
	PEERS_STDERR=ignore peers_git add . &&
	peers_same_index
'

test_expect_success '--refresh touches stat data only' '
	peers_init &&
	peers_do make_tree && peers_git add . &&
	peers_do "touch -d 2001-01-01 a && echo changed >b" &&
	peers_git add --refresh . &&
	peers_same_index &&
	peers_git add --refresh nope
'

# Root may read everything: give the files to another user, and become that user.
as_nobody () {
	if test_have_prereq ROOT
	then
		setpriv --reuid 65534 --clear-groups "$@"
	else
		"$@"
	fi
}

# That user must be able to get here, which a closed directory above prevents.
test_lazy_prereq UNREADABLE 'test_have_prereq !ROOT ||
	setpriv --reuid 65534 --clear-groups git -C "$PWD" version'

test_expect_success UNREADABLE 'an unreadable file stops everything, unless told otherwise' '
	git init -q bad && (
		cd bad && echo x >ok && echo secret >closed && echo y >z && chmod 0 closed &&
		if test_have_prereq ROOT; then chown -R 65534 .; fi &&
		test_expect_code 128 as_nobody git add . 2>../err &&
		test_path_is_missing .git/index.lock &&
		test_path_is_missing .git/index &&
		test "$(find .git/objects -type f | wc -l)" = 0 &&
		test "$(ls .git/objects | grep -c tmp)" = 0 &&
		test_expect_code 1 as_nobody git add --ignore-errors . 2>../err2 &&
		stock -c safe.directory="*" ls-files >../list
	) &&
	test_grep "open(.closed.): Permission denied" err &&
	test_grep "unable to index file .closed." err &&
	test_grep "adding files failed" err &&
	test_grep "closed" err2 &&
	printf "ok\nz\n" >want && test_cmp want list
'

test_expect_success 'index.lock of another process is respected' '
	git init -q locked && (
		cd locked && echo x >a && : >.git/index.lock &&
		test_expect_code 128 git add a 2>err &&
		test_grep "Unable to create .*index.lock.: File exists" err &&
		test_path_is_file .git/index.lock
	)
'

test_expect_success 'a hundred new objects and more become one pack' '
	git init -q many && (
		cd many && for i in $(test_seq 150); do echo "file $i" >f$i || return 1; done &&
		git add . &&
		test "$(ls .git/objects/pack/*.pack | wc -l)" = 1 &&
		test "$(find .git/objects -path "*/pack" -prune -o -type f -print | wc -l)" = 0 &&
		stock fsck --full --strict && stock ls-files >list && test_line_count = 150 list &&
		stock cat-file blob :f42 >out && echo "file 42" >want && test_cmp want out
	)
'

test_expect_success 'SHA-256' '
	peers_init --object-format=sha256 &&
	peers_do make_tree &&
	peers_git add -v . && peers_same_index && stock -C ours fsck --strict
'

# ---- without a peer ----

test_expect_success 'the parent of a gitdir that was given is not a repository of its own' '
	git init -q given/repo && mkdir given/repo/d && echo 1 >given/repo/f &&
	echo 2 >given/repo/d/x && (
		cd given && GIT_DIR=$PWD/repo/.git && GIT_WORK_TREE=$PWD &&
		export GIT_DIR GIT_WORK_TREE && git add repo/f &&
		git ls-files >out && echo repo/f >expect && test_cmp expect out &&
		git ls-files -o repo >out && echo repo/d/x >expect && test_cmp expect out
	) &&
	git init -q given/other && echo 3 >given/other/y && (
		cd given && git --git-dir=repo/.git --work-tree=. add repo &&
		git --git-dir=repo/.git --work-tree=. ls-files >out &&
		printf "repo/d/x\nrepo/f\n" >expect && test_cmp expect out &&
		test_must_fail git --git-dir=repo/.git --work-tree=. add other 2>err &&
		test_grep "does not have a commit checked out" err
	)
'

test_expect_success 'a missing, unmerged file is neither added nor removed by --no-all' '
	git init -q unmerged && (
		cd unmerged && blob=$(echo base | git hash-object -w --stdin) &&
		for stage in 1 2 3
		do
			printf "100644 %s %s\tp\n" $blob $stage || exit 1
		done >stages && git update-index --index-info <stages && git ls-files -s >before &&
		for args in "--no-all p" "--ignore-removal ." "-n --no-all p" \
			    "--ignore-errors --no-all ."
		do
			test_expect_code 128 git add $args 2>err || exit 1
			test_grep "^fatal: unable to stat .p.: No such file or directory$" err &&
			git ls-files -s >after && test_cmp before after || exit 1
		done &&
		mkdir p && echo x >p/y && test_expect_code 128 git add --no-all p 2>err &&
		test_grep "^error: .p. does not have a commit checked out$" err &&
		test_grep "^fatal: updating files failed$" err &&
		git add p && git ls-files >out && echo p/y >expect && test_cmp expect out
	)
'

test_expect_success 'an ignored directory is named, also if tracked files are in it' '
	git init -q ignored && cd ignored && test_when_finished "cd .." && git config advice.addIgnoredFile false &&
	mkdir -p a/b d f && : >a/t && : >a/b/t && : >d/t && : >f/y && printf "a\nd/t\n" >.gitignore && git add -f a/t a/b/t d/t && echo 1 >a/t &&
	printf "%s\n" "The following paths are ignored by one of your .gitignore files:" a >../expect &&
	for p in a a/ a/b "a*" "a/*" "f a/t" "a/t a/b"; do
		(set -f && test_expect_code 1 git add -n $p) 2>../err && test_cmp ../expect ../err || return 1
	done && git add -n a/t && git add -n . && git add -n d f && git add -n -u a && git add -n -f a
'

test_expect_success '-u: paths that are not known' '
	git init -q unknown && cd unknown && test_when_finished "cd .." && : >t && git add t && echo 1 >t && : >q && : >r &&
	test_expect_code 128 git add -u t q r 2>../err &&
	printf "error: pathspec \047%s\047 did not match any file(s) known to git\n" q r >../expect && test_cmp ../expect ../err &&
	echo "AM t" >../expect && git status --porcelain -uno >../out && test_cmp ../expect ../out
'

test_expect_success 'a repository without a commit' '
	git init -q outer && git init -q outer/n/r && test_expect_code 128 git -C outer add . 2>err &&
	printf "%b\n" "error: \047n/r/\047 does not have a commit checked out" "error: unable to index file \047n/r/\047" \
		"fatal: adding files failed" >expect && test_cmp expect err
'

test_expect_success 'an intent to add leaves the empty blob that its entry names' '
	git init -q intent && cd intent && echo a >a && git add -N -n a && test_must_fail git cat-file -e $EMPTY_BLOB &&
	git add -N a && git cat-file -e $EMPTY_BLOB && git checkout a && test_must_be_empty a &&
	rm -rf .git && git init -q && git add a && git commit -qm a && echo b >b && git add b && git reset -q -N HEAD && git cat-file -e $EMPTY_BLOB &&
	git diff --cached --quiet HEAD && test "$(git status -s)" = " A b" && git prune && git checkout . && test_must_be_empty b &&
	rm -rf .git b && git init -q && printf "diff --git a/b b/b\nnew file mode 100644\n--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+b\n" >p &&
	git apply -N p && test "$(cat b)" = b && git cat-file -e $EMPTY_BLOB && test "$(git ls-files -s)" = "100644 $EMPTY_BLOB 0	b" && git checkout . && test_must_be_empty b
'

test_done
