#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git tag: create, list, delete, sign and verify, compared with stock git'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"
. "$TEST_DIRECTORY/lib-branch-peers.sh"

start_over () {
	peers_init -b main &&
	peers_do '
		echo one >file && stock add file && stock commit -q -m "one
with a body" &&
		stock commit -q --allow-empty -m two
	'
}

# ---- creating -------------------------------------------------------------

test_expect_success 'lightweight tags' '
	start_over &&
	peers_each <<-\EOF
	tag l1
	tag l1
	tag -f l1
	tag -f l1 HEAD~1
	tag l2 HEAD~1
	tag -e l3
	tag tree HEAD^{tree}
	tag blob HEAD:file
	tag l1/x
	tag a/b
	tag a
	tag "a b"
	tag -- -x
	tag ""
	tag x..y
	tag @
	tag x HEAD HEAD
	tag x nosuch
	tag x 1111111111111111111111111111111111111111
	tag --create-reflog r1
	tag --create-reflog r2 HEAD^{tree}
	tag --create-reflog r3 HEAD:file
	tag -f --create-reflog r1 HEAD~1
	-c core.logallrefupdates=always tag r4
	-c tag.gpgsign=bad tag y
	-c tag.sort=bad tag y
	tag --sort=bad y
	EOF
'

test_expect_success 'reflog messages' '
	GIT_REFLOG_ACTION=why && export GIT_REFLOG_ACTION &&
	peers_git tag --create-reflog r9 && peers_same_refs
'
unset GIT_REFLOG_ACTION

test_expect_success 'annotated tags, messages' '
	start_over &&
	printf "\n\n\nfile msg  \n#comment\n\n\n" >msg && cp msg ours/f && cp msg theirs/f &&
	>ours/empty && >theirs/empty &&
	peers_each <<-\EOF &&
	tag -m hello a1
	tag -m hello -m world a2
	tag -a -m "  x  " a3
	tag -F f a4
	tag -F f --cleanup=verbatim a5
	tag -F f --cleanup=whitespace a6
	tag -F f --cleanup=strip a7
	tag -F f --cleanup=bad a8
	tag -F f --cleanup=scissors a8
	tag -F nosuch a8
	tag -F f -m x a8
	tag -a -m "" a9
	tag -F empty a10
	tag -f -m other a1
	tag -f -m other a1
	tag -m nested n1 a1
	tag n2 a1
	tag -m x t HEAD^{tree}
	tag -m x b HEAD:file
	tag -m x --create-reflog r1
	tag -m x --create-reflog r2 a1
	tag --no-edit -a -m x ee
	-c advice.nestedTag=false tag -m y n3 n1
	-c core.commentchar=% tag -m "% x" c
	!tag -m x
	!tag -a
	!tag -l -a
	!tag -d -m x a1
	!tag -v -f a1
	!tag -m x -n
	EOF
	for side in ours theirs; do
		echo from stdin | (
			cd $side && case $side in ours) git tag -F - in ;; *) stock tag -F - in ;; esac
		) || return 1
	done &&
	peers_same_refs &&
	mkdir ours/sub theirs/sub && echo below >ours/sub/m && cp ours/sub/m theirs/sub/m &&
	PEERS_DIR=sub && peers_git tag -F m below && PEERS_DIR= && peers_same_refs &&
	stock -C ours fsck --strict
'

test_expect_success 'the editor' '
	start_over &&
	write_script ed <<-\EOF &&
	cp "$1" "$SEEN"
	cat "$ADD" >>"$1"
	EOF
	SEEN=$PWD/seen ADD=$PWD/add GIT_EDITOR=\"$PWD/ed\" && export SEEN ADD GIT_EDITOR &&
	echo edited >add &&
	for args in "-a e1" "-a e2 -m msg -e" "-a -f e1" "--cleanup=verbatim -a e3" \
		"--cleanup=whitespace -a e4" "-F file -e e5" "-a -f e1 HEAD~1"; do
		rm -f seen &&
		(cd ours && git tag $args) >out.ours 2>&1 && mv seen seen.ours &&
		(cd theirs && stock tag $args) >out.theirs 2>&1 && mv seen seen.theirs &&
		test_cmp seen.theirs seen.ours && test_cmp out.theirs out.ours &&
		peers_same_refs || return 1
	done &&
	test_path_is_missing ours/.git/TAG_EDITMSG &&
	echo >add && peers_git tag -a e9 &&
	test_path_is_file ours/.git/TAG_EDITMSG &&
	GIT_EDITOR=false && peers_git tag -a e9 &&
	GIT_EDITOR=true && peers_git tag -a e9 && peers_same_refs
'
unset GIT_EDITOR

test_expect_success '--trailer' '
	git -C ours tag -m subject --trailer "A: b" --trailer c=d tr &&
	git -C ours cat-file tag tr | sed 1,/^$/d >out &&
	printf "subject\n\nA: b\nc: d\n" >expect &&
	test_cmp expect out &&
	git -C ours tag -F file --trailer x=y tr2 &&
	git -C ours cat-file tag tr2 | sed 1,/^$/d >out &&
	printf "one\n\nx: y\n" >expect &&
	test_cmp expect out
'

test_expect_success 'no identity' '
	(
		unset GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL EMAIL
		peers_do "stock config user.useConfigOnly true" &&
		test_must_fail git -C ours tag -m x nobody 2>err
	) &&
	test_must_fail git -C ours rev-parse -q --verify refs/tags/nobody &&
	peers_do "stock config --unset user.useConfigOnly"
'

# ---- listing --------------------------------------------------------------

test_expect_success 'list' '
	start_over &&
	peers_do "
		stock tag v1.0 HEAD~1 && stock tag v1.10 && stock tag v1.2 && stock tag V2 &&
		stock tag -m \"first line
second line

body\" ann && stock tag -m \"of a tag\" nested ann 2>/dev/null && stock tag tree HEAD^{tree} &&
		stock tag -m long a-tag-whose-name-is-long
	" &&
	peers_each <<-\EOF
	tag
	tag -l
	tag --list "v*"
	tag -l "v*" "a*"
	tag -i -l "v*"
	tag -l nosuch
	tag -n
	tag -n1
	tag -n2
	tag -n99
	tag -n0
	tag -n3 "a*"
	tag -nx
	tag --sort=v:refname
	tag --sort=-version:refname
	tag --sort=-refname
	tag -i --sort=refname
	tag --sort=bad
	tag --sort=objecttype --sort=taggerdate
	-c tag.sort=-v:refname tag
	-c tag.sort=-v:refname tag --sort=refname
	-c tag.sort=-refname tag --sort=objecttype
	-c versionsort.suffix=-rc tag --sort=v:refname
	tag --format="%(refname:short) %(objecttype) %(subject)"
	tag --format="%(bad)"
	tag --format="%(color:red)%(refname)" --color
	tag --format="%(color:red)%(refname)" --no-color
	tag --format="%(color:red)%(refname)" --color=auto
	tag --contains
	tag --contains HEAD~1
	tag --no-contains HEAD
	tag --merged
	tag --merged HEAD~1
	tag --no-merged HEAD~1
	tag --points-at HEAD "[aVv]*"
	tag --points-at HEAD~1
	tag --points-at ann
	tag --contains nosuch
	tag --merged nosuch
	tag --points-at nosuch
	tag --contains HEAD^{tree}
	tag -d --contains HEAD
	tag -d -n v1.0
	tag -v --merged HEAD v1.0
	tag --column
	tag --column=row
	tag --column -l "v*"
	-c column.tag=always tag
	-c column.ui=dense,always tag
	-c column.tag=always tag -n
	tag --column -n
	tag --column=plain
	EOF
'

test_expect_success '--omit-empty' '
	git -C ours tag --omit-empty --format="%(if:equals=V2)%(refname:short)%(then)x%(end)" >out &&
	echo x >expect && test_cmp expect out
'

# ---- deleting -------------------------------------------------------------

test_expect_success 'delete' '
	start_over &&
	peers_do "stock tag a && stock tag -m x b && stock tag c && stock pack-refs --all &&
		stock tag d && stock tag e/f" &&
	peers_each <<-\EOF &&
	tag -d
	tag -d nosuch
	tag -d a nosuch d
	tag -d e/f b
	tag -d ""
	tag -d x..y
	tag -d HEAD
	EOF
	git -C ours tag -d c c >out && test_line_count = 1 out
'

test_expect_success STRACE 'each costs one flush' '
	GIT_TEST_FS_KIND=journal && export GIT_TEST_FS_KIND &&
	test_when_finished "unset GIT_TEST_FS_KIND" &&
	once () {
		n=$(count_flushes git -C ours "$@") && test "$n" = 1 || { echo "git $*: $n"; return 1; }
	} &&
	if test "${GIT_TEST_FSYNC:-1}" = 1 && test "${TEST_FSYNC_METHOD:-batch}" = batch; then
		once tag l && once tag -m x ann && once tag -f -m y ann &&
		i=0 &&
		while test $i -lt 100; do
			echo "create refs/tags/n$i HEAD"
			i=$((i + 1))
		done >input &&
		git -C ours update-ref --stdin <input &&
		once tag -d $(seq -f n%g 0 99) &&
		git -C ours tag -l "n*" >out && test_must_be_empty out
	fi
'

FAULT_GIT=$GIT_BUILD_DIR/t/helper/fault-git

test_expect_success XATTR 'an annotated tag at every call that fails or is killed: there with its object, or not' '
	rm -rf model && git init -q -b main model &&
	git -C model commit -q --allow-empty -m one &&
	for kind in KILL EIO; do
		n=0 && rm -f missed &&
		while test ! -f missed; do
			n=$((n + 1)) code=0 &&
			rm -rf copy && cp -a model copy &&
			{
				(
					cd copy &&
					GIT_TEST_SYSCALL_MISSED=$TRASH_DIRECTORY/missed GIT_TEST_SYSCALL_FLUSH=0 \
					GIT_TEST_SYSCALL_FAIL=$n:$kind "$FAULT_GIT" tag -m x ann >../out 2>&1
				) || code=$?
			} &&
			if test $code = 0 && ! stock -C copy cat-file tag ann >/dev/null; then
				echo "call $n: $kind: it is not there"
				return 1
			fi &&
			stock -C copy fsck --strict >fsck.out 2>&1 &&
			git -C copy tag -f -m y ann >out 2>&1 || {
				echo "call $n: $kind: exit code $code"
				cat out fsck.out
				return 1
			}
		done &&
		test $n -gt 10 || return 1
	done
'

# ---- signing --------------------------------------------------------------

test_expect_success 'a program that does not sign' '
	start_over &&
	peers_do "stock config gpg.program false" &&
	peers_each <<-\EOF &&
	-c tag.gpgsign=true tag --no-sign -m x s2
	-c tag.gpgsign=true tag --no-sign s3
	-c tag.forcesignannotated=true tag -a -m x s5
	-c tag.forcesignannotated=true tag s6
	-c gpg.program=/nowhere tag -v s2
	tag -v
	tag -v s2
	tag -v s3 s2 nosuch
	tag -v --format="%(tag)" s2
	EOF
	printf "error: gpg failed to sign the data:\n(no gpg output)\nerror: unable to sign the tag\n" >expect &&
	for o in "tag -s" "tag -u key" "-c tag.gpgsign=true tag" "-c tag.forcesignannotated=true tag"
	do
		test_expect_code 128 git -C ours $o -m x s1 2>err && test_cmp expect err || return 1
	done && test_must_fail git -C ours rev-parse -q --verify refs/tags/s1
'

test_lazy_prereq SIGNS '
	GNUPGHOME=$HOME/gnupg-trial && export GNUPGHOME &&
	mkdir "$GNUPGHOME" && chmod 700 "$GNUPGHOME" &&
	gpg --batch --passphrase "" --quick-gen-key "Trial <trial@example.com>" default default never
'

test_expect_success GPG,SIGNS 'sign and verify' '
	GNUPGHOME=$HOME/gnupg && export GNUPGHOME &&
	test_atexit "gpgconf --homedir \"$GNUPGHOME\" --kill all" &&
	mkdir "$GNUPGHOME" && chmod 700 "$GNUPGHOME" &&
	gpg --batch --passphrase "" --quick-gen-key \
		"$GIT_COMMITTER_NAME <$GIT_COMMITTER_EMAIL>" default default never 2>/dev/null &&
	start_over &&
	git -C ours tag -s -m "signed" s1 &&
	git -C ours tag -u "$GIT_COMMITTER_EMAIL" -m "by key" s2 &&
	git -C ours -c tag.gpgsign=true tag -m "all" s3 &&
	stock -C ours tag -m plain p &&
	stock -C ours tag -v s1 s2 s3 &&
	rm -rf theirs && cp -R ours theirs &&
	peers_git tag -v s1 && test_grep "Good signature" err.ours &&
	peers_git tag -v s1 s2 nosuch &&
	peers_git tag -v p &&
	peers_git tag -v --format="%(tag)|%(contents:subject)" s1 s2 &&
	peers_git tag -v --format="%(tag)" p s1 &&
	peers_git -c gpg.minTrustLevel=fully tag -v s1 &&
	stock -C ours cat-file tag s1 | sed s/signed/forged/ >forged &&
	for side in ours theirs; do
		oid=$(stock -C $side hash-object -t tag -w --stdin <forged) &&
		stock -C $side update-ref refs/tags/forged $oid || return 1
	done &&
	peers_git tag -v forged && test_grep "BAD signature" err.ours &&
	test_must_fail git -C ours -c gpg.minTrustLevel=bad tag -v s1 &&
	git -C ours tag -f -s -m "again" s1 >out && test_grep "Updated tag .s1." out &&
	GIT_EDITOR=cat git -C ours tag -f -s s1 >text && test_grep "again" text &&
	test_grep ! "BEGIN PGP" text
'

test_done
