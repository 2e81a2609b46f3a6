#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='hooks and signatures of git commit, compared with stock git'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"

GIT_AUTHOR_DATE='1700000000 +0100' GIT_COMMITTER_DATE='1700000100 +0200'
export GIT_AUTHOR_DATE GIT_COMMITTER_DATE

# In the background it would change a repository that is being copied.
git config --global maintenance.auto false

start () {
	rm -rf ours theirs && stock init -q -b main theirs &&
	(cd theirs && rm -f .git/hooks/* && echo 1 >a && echo 2 >b && mkdir d &&
	stock add . && stock commit -q -m base) && cp -a theirs ours
}

# hook NAMES: each writes down its name, arguments, directory and environment.
hook () {
	for side in ours theirs; do
		for name in "$@"; do
			write_script $side/.git/hooks/$name <<-\EOS || return 1
			echo "[$0 $*] $(pwd | sed "s#.*/##")"
			env | grep "^GIT_INDEX_FILE\|^GIT_EDITOR\|^GIT_DIR\|^GIT_PREFIX" | sort
			case $0 in *post-rewrite) cat ;; esac
			exit ${HOOK_CODE:-0}
			EOS
		done
	done
}

# The same but for ids of processes and the name of the directory.
same_told () {
	PEERS_STDERR=ignore peers_git commit "$@" &&
	sed "s/next-index-[0-9]*/next-index-N/; s/theirs/ours/g" err.ours >told.ours &&
	sed "s/next-index-[0-9]*/next-index-N/; s/theirs/ours/g" err.theirs >told.theirs &&
	test_cmp told.theirs told.ours && test_cmp out.theirs out.ours
}

ALL='pre-commit prepare-commit-msg commit-msg post-commit post-rewrite'

test_expect_success 'all hooks, commit of the index' '
	start && hook $ALL && peers_do "echo x >>a && stock add a" &&
	same_told -m one && test_grep "hooks/post-commit" err.ours &&
	same_told --amend -m two && test_grep "hooks/post-rewrite" err.ours &&
	same_told --amend --no-edit --no-post-rewrite && same_told -n --allow-empty -m three &&
	peers_do "cd d" && PEERS_DIR=d same_told --allow-empty -m four
'

test_expect_success 'with -a, paths and an editor' '
	start && hook $ALL && EDITOR="echo words >" && export EDITOR &&
	test_when_finished "EDITOR=:" && peers_do "echo x >>a" && same_told -a &&
	peers_do "echo x >>a && echo y >>b" && same_told a && same_told -i b -m more &&
	same_told --amend --allow-empty
'

test_expect_success 'one that fails stops the commit, the index stays' '
	for name in pre-commit prepare-commit-msg commit-msg
	do
		start && hook $name && peers_do "echo x >>a" &&
		(HOOK_CODE=3 && export HOOK_CODE && same_told -a -m one) &&
		peers_git -C . rev-parse HEAD && peers_git status --porcelain &&
		test_path_missing ours/.git/index.lock || return 1
	done &&
	start && hook post-commit && (HOOK_CODE=3 && export HOOK_CODE &&
		same_told --allow-empty -m one)
'

test_expect_success 'killed, not executable, without interpreter' '
	start && for side in ours theirs; do
		write_script $side/.git/hooks/pre-commit <<-\EOS || return 1
		kill -9 $$
		EOS
	done && same_told --allow-empty -m one &&
	peers_do "chmod -x .git/hooks/pre-commit" && same_told --allow-empty -m two &&
	test_grep "was ignored because it.s not set as executable" err.ours &&
	same_told --allow-empty -n -m three &&
	(cd ours && test_config advice.ignoredHook false && git commit --allow-empty -m four 2>err &&
		test_must_be_empty err)
'

test_expect_success 'core.hooksPath' '
	start && hook pre-commit && peers_do "mv .git/hooks hk" &&
	peers_git -c core.hooksPath=hk -C . config core.hooksPath &&
	(GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=hk &&
		export GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0 &&
		same_told --allow-empty -m one && test_grep "hk/pre-commit" err.ours) &&
	same_told --allow-empty -m two && test_must_be_empty err.ours
'

test_expect_success 'hooks that change the index and the message' '
	start && for side in ours theirs; do
		write_script $side/.git/hooks/pre-commit <<-\EOS &&
		echo new >added && git add added
		EOS
		write_script $side/.git/hooks/commit-msg <<-\EOS || return 1
		echo "changed by $(basename "$0")" >"$1"
		EOS
	done && peers_do "echo x >>a" && same_told -m words a && peers_git status --porcelain &&
	peers_do "echo y >>a" && same_told -a -m words && peers_git status --porcelain &&
	(cd ours && stock log --format="%T %B") >l1 && (cd theirs && stock log --format="%T %B") >l2 &&
	test_cmp l2 l1
'

# ---- new objects are published before a hook: one flush more on some file systems ----

# as_on KIND: the rest of this test as on such a file system.
as_on () {
	GIT_TEST_FS_KIND=$1 && export GIT_TEST_FS_KIND STOCK_GIT &&
	test_when_finished 'unset GIT_TEST_FS_KIND'
}

# Checks that no object is missing and no temporary file is left.
all_there () {
	stock -C ours fsck --full --strict >fsck 2>&1 && test_grep ! "missing\|broken\|error" fsck &&
	ls -d ours/.git/objects/tmp_* ours/.git/*.lock >litter 2>/dev/null
	test_must_be_empty litter
}

# flushes_of_failure ARGS: sets $flushes
flushes_of_failure () {
	! t_strace fsync,syncfs git -C ours "$@" &&
	flushes=$(grep -c "fsync(\|syncfs(" "$T_PRIVATE/strace" || :)
}

# What is staged is read by both programs, from here and from elsewhere.
reading_hook () {
	write_script ours/.git/hooks/$1 <<-\EOF
	git ls-files -s >.git/staged && cut -d" " -f2 .git/staged | cut -f1 >.git/oids && top=$PWD &&
	git cat-file --batch="" <.git/oids | sed "/^$/d" >.git/contents && cut -f2 .git/staged | xargs cat | cmp - .git/contents &&
	(cd / && "$STOCK_GIT" --git-dir="$top/.git" cat-file --batch-check <"$top/.git/oids") >.git/there &&
	! grep -v " blob " .git/there && "$STOCK_GIT" diff --cached --stat HEAD >>.git/seen
	EOF
}

# A table and the list of tables are one step more than a file of a ref.
if test_have_prereq REFFILES; then on_local=14; else on_local=16; fi
for kind in journal:1 btrfs:1 local:$on_local full:4; do
	for files in 1 150; do
		test_expect_success STRACE,FSYNC_BATCH "$files files on ${kind%:*}, hooks and an editor: flushes" '
			start && as_on ${kind%:*} &&
			for name in pre-commit prepare-commit-msg commit-msg
			do
				reading_hook $name || return 1
			done &&
			write_script ours/.git/hooks/reference-transaction <<-\EOF &&
			while read old new ref; do "$STOCK_GIT" ls-tree -r "$new" || exit; done >/dev/null
			EOF
			seq -f %.0f $files | while read i; do echo new $i >ours/n$i; done &&
			git -C ours add -N . && git -C ours config core.editor "test -s .git/seen && echo words >" &&
			test "$(count_flushes git -C ours commit -q -a)" = ${kind#*:} &&
			test_grep " $files files* changed" ours/.git/seen && all_there &&
			git -C ours ls-tree -r HEAD >tree && test_line_count = $((files + 2)) tree
		'
	done
done

# The hook ends the command that runs it, after it has created refs.
for how in "exit 1" "kill -9 \$PPID"; do
	for style in "-a" "b n1" "-i n1"; do
		test_expect_success "a hook that makes refs, then $how: commit $style" '
			start && as_on local && echo x >>ours/b && echo new >ours/n1 && git -C ours add n1 &&
			echo newer >ours/n1 &&
			write_script ours/.git/hooks/pre-commit <<-EOF &&
			oid=\$(git rev-parse :n1) && git cat-file -e \$oid && git update-ref refs/blobs/n1 \$oid &&
			c=\$(git commit-tree -m side -p HEAD \$(git write-tree)) && git tag -m side side \$c &&
			$how
			EOF
			! git -C ours commit -q -m one $style &&
			# only another commit uses the index that hooks saw
			{ test_have_prereq XATTR || rm -f ours/.git/*.lock; } &&
			rm -f ours/.git/next-index-* && git -C ours add b && test "$(git -C ours cat-file -p refs/blobs/n1)" = newer &&
			test "$(stock -C ours cat-file -p side:n1)" = newer && all_there
		'
	done
done

test_expect_success XATTR 'commit of paths, killed in its hook: the next commit removes its temporary files' '
	start && echo x >>ours/b && write_script ours/.git/hooks/pre-commit <<-\EOF &&
	kill -9 $PPID
	EOF
	! git -C ours commit -q -m one b && ls ours/.git/next-index-*.lock &&
	rm ours/.git/hooks/pre-commit && git -C ours commit -q -m two b 2>err &&
	test_grep "removed stale lock .*next-index-" err && test_grep "removed stale lock .*/index.lock" err &&
	test -z "$(find ours/.git -name "*.lock")" && test "$(git -C ours log --format=%s -1)" = two &&
	all_there
'

test_expect_success 'refs that another program makes in a hook that fails keep their objects, too' '
	start && as_on local && echo x >>ours/b && write_script ours/.git/hooks/commit-msg <<-\EOF &&
	"$STOCK_GIT" update-ref refs/blobs/b $("$STOCK_GIT" rev-parse :b)
	exit 1
	EOF
	test_must_fail git -C ours commit -q -a -m one && all_there &&
	test "$(stock -C ours cat-file -p refs/blobs/b)" = "$(cat ours/b)"
'

# A signal from the terminal, for example; the clean-up at exit is the same.
for files in 1 150; do
	test_expect_success "... and in one whose commit is ended by a signal: $files files" '
		start && as_on local && seq -f %.0f $files | while read i; do echo new $i >ours/n$i; done &&
		git -C ours add -N . && write_script ours/.git/hooks/pre-commit <<-\EOF &&
		"$STOCK_GIT" update-ref refs/blobs/n1 $("$STOCK_GIT" rev-parse :n1)
		kill -TERM $PPID
		EOF
		! git -C ours commit -q -a -m one && test "$(stock -C ours cat-file -p refs/blobs/n1)" = "new 1" &&
		rm -f ours/.git/index && stock -C ours reset -q && all_there
	'
done

test_expect_success 'an editor that makes refs, and no message' '
	start && as_on local && echo x >>ours/b &&
	git -C ours config core.editor "git update-ref refs/blobs/b :b; : >" &&
	test_must_fail git -C ours commit -q -a && all_there &&
	test "$(stock -C ours cat-file -p refs/blobs/b)" = "$(cat ours/b)"
'

test_expect_success STRACE,FSYNC_BATCH 'a hook that fails, and a ref that is locked: the flush before the hook' '
	start && as_on local && echo x >>ours/b && hook pre-commit && HOOK_CODE=1 && export HOOK_CODE &&
	test_when_finished "unset HOOK_CODE" &&
	flushes_of_failure commit -q -a -m one && test $flushes = 4 &&
	oid=$(git -C ours hash-object b) && git -C ours cat-file -e $oid && echo y >>ours/b &&
	if test_have_prereq REFFILES; then lock=refs/heads/main.lock; else lock=reftable/tables.list.lock; fi &&
	HOOK_CODE=0 && echo >ours/.git/$lock &&
	flushes_of_failure commit -q -a -m one && test $flushes = 4 &&
	rm ours/.git/$lock && all_there && git -C ours cat-file -e $(git -C ours hash-object b)
'

test_expect_success 'a commit in a hook, a worktree, a path with a colon' '
	start && as_on local && mkdir a:b && mv ours a:b && (
		cd a:b/ours && stock worktree add -q ../wt -b side && cd ../wt && echo x >>b && echo y >>a &&
		write_script ../ours/.git/hooks/pre-commit <<-\EOF &&
		test -n "$INNER" || {
			INNER=1 && export INNER && git ls-files -s >>"$LOG" &&
			GIT_INDEX_FILE=$(git rev-parse --git-dir)/inner && export GIT_INDEX_FILE &&
			git read-tree HEAD && git commit -q -m inner a && git update-ref refs/inner HEAD &&
			git update-ref HEAD HEAD~1
		}
		EOF
		LOG=$PWD/../log && export LOG && git commit -q -m outer b && cat ../log &&
		test "$(stock show refs/inner:a)" = "$(cat a)" && test "$(stock show HEAD:b)" = "$(cat b)" &&
		test "$(stock show HEAD:a)" != "$(cat a)"
	) && mv a:b/ours . && rm -rf a:b && stock -C ours worktree prune && all_there
'

test_expect_success 'another repository that a hook works in gets objects of its own' '
	start && as_on local && rm -rf other && git init -q other && echo x >>ours/b &&
	write_script ours/.git/hooks/pre-commit <<-\EOF &&
	unset GIT_INDEX_FILE
	cp b ../other && git -C ../other add b && git -C ../other commit -q -m copy
	EOF
	git -C ours commit -q -a -m one && all_there && stock -C other fsck --full --strict
'

# calls_before_hook KIND METHOD [HOOK]: those of a commit in ours until its hook runs, which fails
calls_before_hook () {
	write_script ours/.git/hooks/${3:-pre-commit} <<-\EOF &&
	cp "$GIT_TEST_SYSCALL_LOG" .git/before
	exit 1
	EOF
	(
		cd ours && as_on $1 && unset GIT_TEST_FSYNC && echo x >>b && rm -f .git/calls &&
		GIT_TEST_SYSCALL_LOG=$PWD/.git/calls && export GIT_TEST_SYSCALL_LOG &&
		test_must_fail "$GIT_BUILD_DIR/t/helper/fault-git" -c core.fsyncMethod=$2 \
			commit -q -a -m one
	) && sed -n "/^rename .*objects.*objects/,\$p" ours/.git/before >calls
}

for how in "each batch fsync" "local batch syncfs" "local fsync fsync" "btrfs fsync syncfs"; do
	test_expect_success FSYNC_BATCH "objects that a hook may refer to are sealed where names have no order: $how" '
		start && calls_before_hook ${how% *} && test_grep "^${how##* } .*objects" calls &&
		start && calls_before_hook ${how% *} reference-transaction &&
		test_grep "^${how##* } .*objects" calls
	'
done

test_expect_success FSYNC_BATCH 'where names have an order, one flush for both is enough' '
	start && calls_before_hook journal fsync && test_file_not_empty calls &&
	test_grep ! "^fsync " calls
'

if test_have_prereq TMPFS && mount_tmpfs elsewhere 4m >/dev/null 2>&1; then
	test_set_prereq ELSEWHERE
fi

test_expect_success FSYNC_BATCH,SYMLINKS,ELSEWHERE 'new objects are also sealed where refs are on another file system' '
	start && mv ours/.git/objects elsewhere/ && ln -s "$PWD/elsewhere/objects" ours/.git/objects &&
	calls_before_hook journal batch && test_grep "^fsync .*objects" calls &&
	rm ours/.git/hooks/pre-commit && calls_before_hook journal batch reference-transaction &&
	test_grep "^fsync .*objects" calls
'

# merge_calls KIND [OPTION...]: a commit that concludes a merge, in ours; its calls
merge_calls () {
	local kind=$1
	shift
	start && git -C ours rev-parse HEAD >ours/.git/MERGE_HEAD && (
		cd ours && as_on $kind && unset GIT_TEST_FSYNC && GIT_TEST_SYSCALL_LOG=../calls &&
		export GIT_TEST_SYSCALL_LOG && rm -f ../calls &&
		"$GIT_BUILD_DIR/t/helper/fault-git" "$@" commit -q --allow-empty -m merge
	) && test_path_missing ours/.git/MERGE_HEAD
}

test_expect_success FSYNC_BATCH 'MERGE_HEAD and the like are removed after the ref has moved, before the seal' '
	merge_calls journal && sed -n "/^rename .*\(refs.heads.main\|tables.list\)\$/,\$p" calls >after &&
	sed -n "/^unlink .*MERGE_HEAD/,\$p" after >sealed && test_grep "^fsync " sealed
'

test_expect_success FSYNC_BATCH 'the removal of MERGE_HEAD is durable, also if nothing else in the directory changes' '
	merge_calls each -c core.fsync=all,-index -c core.logAllRefUpdates=false &&
	sed -n "/^unlink .*MERGE_HEAD/,\$p" calls >after && test_grep "^fsync [.]git\$" after
'

test_expect_success 'signed' '
	start && write_script fakegpg <<-\EOF &&
	echo "$@" >&2
	cat >/dev/null
	echo "[GNUPG:] SIG_CREATED D 1 8 00 1 X" >&2
	printf -- "-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----\n"
	EOF
	peers_do "stock config gpg.program \"$PWD/fakegpg\"" &&
	same_told -S --allow-empty -m one && same_told -Skey --allow-empty -m two &&
	peers_do "stock config commit.gpgSign true" && same_told --allow-empty -m three &&
	same_told --no-gpg-sign --allow-empty -m four &&
	(cd ours && stock rev-parse HEAD) >h1 && (cd theirs && stock rev-parse HEAD) >h2 && test_cmp h2 h1 &&
	git -C ours config gpg.program false && test_expect_code 128 git -C ours commit --allow-empty -m five 2>err &&
	printf "%s\n" "error: gpg failed to sign the data:" "(no gpg output)" "fatal: failed to write commit object" >expect &&
	test_cmp expect err
'

# plain: a repository of its own, without stock git; the author of its commit is given.
plain () {
	rm -rf plain && git init -q -b main plain && git -C plain commit -q --allow-empty -m one
}
message () {
	git -C plain cat-file commit HEAD | sed "1,/^\$/d"
}

test_expect_success 'hooks find the author in the environment, wherever it is from' '
	plain && for name in $ALL
	do
		write_script plain/.git/hooks/$name <<-\EOS || return 1
		echo "${0##*/} $GIT_AUTHOR_NAME $GIT_AUTHOR_EMAIL $GIT_AUTHOR_DATE" >>../told
		EOS
	done &&
	(cd plain && git commit -q --allow-empty -m two --author="N <n@x>" --date="1600000000 -0130") &&
	(cd plain && git commit -q --allow-empty --amend -m three) &&
	for name in pre-commit prepare-commit-msg commit-msg post-commit pre-commit prepare-commit-msg \
		commit-msg post-commit post-rewrite
	do
		echo "$name N n@x @1600000000 -0130" || return 1
	done >expect &&
	test_cmp expect told && rm told
'

test_expect_success 'commit warns about a hook post-rewrite that is not executable' '
	plain && echo exit 1 >plain/.git/hooks/post-rewrite && chmod -x plain/.git/hooks/post-rewrite &&
	git -C plain commit -q --allow-empty --amend -m two 2>err &&
	test_grep "post-rewrite. hook was ignored" err
'

test_expect_success 'an author without a name is not used again' '
	plain && for author in " <>" " <e@x>"
	do
		git -C plain cat-file commit HEAD | sed "s/^author [^0-9]*>/author $author/" >broken &&
		id=$(git -C plain hash-object -t commit -w --stdin <broken) &&
		git -C plain update-ref HEAD $id &&
		test_expect_code 128 git -C plain commit -q --allow-empty --amend -m two 2>err &&
		test_grep "empty ident name (for <.*>) not allowed" err &&
		test_expect_code 128 git -C plain commit -q --allow-empty -C HEAD &&
		test "$(git -C plain rev-parse HEAD)" = $id || return 1
	done &&
	git -C plain commit -q --allow-empty --amend -m two --author="N <n@x>" &&
	git -C plain cat-file commit HEAD >out && test_grep "^author N <n@x> 1700000000 +0100" out
'

test_expect_success '--cleanup=verbatim: a line feed is a message, nothing is none' '
	plain && echo >line && >nothing &&
	git -C plain commit -q --allow-empty --cleanup=verbatim -F ../line &&
	message >out && test_cmp line out &&
	test_expect_code 1 git -C plain commit -q --allow-empty --cleanup=verbatim -F ../nothing &&
	test_expect_code 1 git -C plain commit -q --allow-empty --cleanup=whitespace -F ../line
'

test_expect_success '--squash with the same commit for -C: its subject comes once' '
	plain && git -C plain commit -q --allow-empty -m subject -m body && git -C plain tag X &&
	git -C plain commit -q --allow-empty --squash X -C X &&
	printf "%s\n" "squash! subject" "" body >expect && message >out && test_cmp expect out &&
	git -C plain commit -q --allow-empty --squash X -C X^ &&
	printf "%s\n" "squash! subject" "" one >expect && message >out && test_cmp expect out
'

test_expect_success 'core.commentChar=auto: a character that starts no line' '
	plain && git -C plain config core.commentChar auto &&
	printf "%s\n" s "" "#a" ";b" "@c" "!d" "\$e" "%f" "^g" "&h" "|i" " :j" "" "# end" >text &&
	write_script editor <<-\EOF &&
	grep "^:" "$1" >told
	EOF
	(cd plain && GIT_EDITOR="../editor" git commit -q --allow-empty -F ../text -e) &&
	test_grep "^: Please enter the commit message" plain/told &&
	message >out && test_cmp text out &&
	echo ":j" | cat text - >full &&
	git -C plain commit -q --allow-empty -m x 2>err &&
	test_grep "^warning: Support for .core.commentChar=auto. is deprecated and will be removed in Git 3.0\$" err &&
	printf "hint: %s\n" "" "To use the default comment string (#) please run" "" \
		"    git config unset core.commentChar" "" "To set a custom comment string please run" "" \
		"    git config set core.commentChar <comment string>" "" \
		"where <comment string> is the string you wish to use." | tr -d "\047" |
		sed "s/ *\$//" >expect && sed "1d; s/ *\$//" err | tr -d "\047" >out && test_cmp expect out &&
	git -C plain -c core.commentChar=% commit -q --allow-empty -m x 2>err && test_must_be_empty err &&
	printf "[core]\n\tcommentString = %s\n" "!" auto >included && git -C plain config include.path ../../included &&
	git -C plain -c core.commentString=auto commit -q --allow-empty -m x 2>err &&
	test_grep "^warning: Support for .core.commentString=auto." err &&
	sed -n "s/^hint:     git //p" err >out && printf "config %s\n" "unset core.commentChar" \
		"unset --file .git/../../included --all core.commentString" \
		"set --file .git/../../included core.commentString <comment string>" >expect && test_cmp expect out &&
	git -C plain config --unset include.path && git -C plain config core.commentString ";" &&
	git -C plain -c core.commentChar=auto commit -q --allow-empty -m x 2>err && test_line_count = 1 err &&
	git -C plain config --unset core.commentString &&
	test_expect_code 128 git -C plain commit -q --allow-empty -F ../full 2>err &&
	test_grep "unable to select a comment character that is not used" err
'

# trailers ARGS: the block of "One: 1, Acked-by: X, Two: 2" after --trailer, in one line.
trailers () {
	git -C plain commit -q --allow-empty -m subject -m "One: 1
Acked-by: X
Two: 2" "$@" && message | sed "1,2d" | tr "\n" "|"
}

test_expect_success 'trailer.NAME.key, and where it goes' '
	plain && git -C plain config trailer.ack.key Acked-by &&
	test "$(trailers --trailer ack=Y)" = "One: 1|Acked-by: X|Two: 2|Acked-by: Y|" &&
	test "$(trailers --trailer "AC: Y" --trailer n=1)" = "One: 1|Acked-by: X|Two: 2|Acked-by: Y|n: 1|" &&
	git -C plain config trailer.where start &&
	test "$(trailers --trailer ack=Y --trailer n=1)" = "n: 1|Acked-by: Y|One: 1|Acked-by: X|Two: 2|" &&
	git -C plain config trailer.ack.where before &&
	test "$(trailers --trailer ack=Y)" = "One: 1|Acked-by: Y|Acked-by: X|Two: 2|" &&
	git -C plain config trailer.ack.where after &&
	test "$(trailers --trailer ack=Y)" = "One: 1|Acked-by: X|Acked-by: Y|Two: 2|" &&
	git -C plain config trailer.ack.where end && git -C plain config trailer.ack.key "Ack #" &&
	git -C plain config trailer.separators ":#" &&
	test "$(trailers --trailer ack=7 --trailer "n#1")" = "n: 1|One: 1|Acked-by: X|Two: 2|Ack #7|"
'

# block CONFIG ARGS: what is made of the message in `text`, in one line
block () {
	local config="$1" && shift &&
	git -C plain -c $config commit -q --allow-empty -F ../text "$@" && message | tr "\n" "|"
}

test_expect_success 'trailer.separators and rules tell what a block of trailers is' '
	plain && printf "%s\n" s "" "Bug #12" "Fix #13" >text &&
	test "$(block trailer.separators=:# --trailer "Bug #14")" = "s||Bug: 12|Fix: 13|Bug: 14|" &&
	test "$(block trailer.separators=: --trailer "Bug: 14")" = "s||Bug #12|Fix #13||Bug: 14|" &&
	test "$(block trailer.separators=:# -s | sed "s,by:.*,,")" = "s||Bug #12|Fix #13|Signed-off-" &&
	printf "%s\n" s "" "Bug: 12" >text &&
	test "$(block trailer.separators== --trailer "Bug=14")" = "s||Bug: 12||Bug= 14|" &&
	printf "%s\n" s "" words more " more" "Bug: 12" >text &&
	test "$(block trailer.fix.key=Fix --trailer "Fix: 1")" = "s||words|more| more|Bug: 12||Fix: 1|" &&
	test "$(block trailer.x.key=Bug --trailer "Fix: 1")" = "s||words|more| more|Bug: 12|Fix: 1|" &&
	test "$(block trailer.bug.where=end --trailer "Fix: 1")" = "s||words|more| more|Bug: 12|Fix: 1|"
'

test_expect_success 'a trailer behind a verbatim message that ends without a line end' '
	plain && printf "s\n\nbody" >text &&
	test "$(block a.b=c --cleanup=verbatim --trailer A:b)" = "s||body|A: b|" &&
	printf "s" >text && test "$(block a.b=c --cleanup=verbatim --trailer A:b)" = "s|A: b|" &&
	printf "s\n\nX: y" >text && test "$(block a.b=c --cleanup=verbatim --trailer A:b)" = "s||X: y|A: b|" &&
	printf "s\n\nbody\n" >text && test "$(block a.b=c --cleanup=verbatim --trailer A:b)" = "s||body||A: b|"
'

# concludes KIND CLEANUP: the editor's text about a merge or cherry-pick
concludes () {
	plain && case $1 in MERGE_HEAD) git -C plain rev-parse HEAD >plain/.git/$1 ;; *) git -C plain update-ref $1 HEAD ;; esac &&
	echo "the words" >plain/.git/MERGE_MSG && write_script editor <<-\EOF &&
	cp "$1" ../shown
	EOF
	(cd plain && GIT_EDITOR=../editor git commit -q --allow-empty --cleanup=$2) &&
	sed "/^# \(Please\|Author:\|Date:\|On branch\)/,\$d" shown
}

test_expect_success 'the template says what a commit concludes' '
	cat >hint <<-\EOF &&
	#
	# It looks like you may be committing a merge.
	# If this is not correct, please run
	#	git update-ref -d MERGE_HEAD
	# and try again.


	EOF
	echo "the words" | cat - hint >expect && concludes MERGE_HEAD strip >out && test_cmp expect out &&
	sed "s/a merge/a cherry-pick/; s/MERGE_HEAD/CHERRY_PICK_HEAD/" expect >picked &&
	concludes CHERRY_PICK_HEAD strip >out && test_cmp picked out &&
	cat - hint >expect <<-\EOF && echo "#" >>expect &&
	the words
	# ------------------------ >8 ------------------------
	# Do not modify or remove the line above.
	# Everything below it will be ignored.
	EOF
	concludes MERGE_HEAD scissors >out && test_cmp expect out
'

test_expect_success 'trailer.ifExists, trailer.ifMissing' '
	plain && git -C plain config trailer.ack.key Acked-by &&
	while read action same other
	do
		git -C plain config trailer.ifExists $action &&
		test "$(trailers --trailer ack=X | tr " " @)" = "$same" &&
		test "$(trailers --trailer ack=Y --trailer ack=Y | tr " " @)" = "$other" || return 1
	done <<-\EOF &&
	addIfDifferent One:@1|Acked-by:@X|Two:@2| One:@1|Acked-by:@X|Two:@2|Acked-by:@Y|
	addIfDifferentNeighbor One:@1|Acked-by:@X|Two:@2|Acked-by:@X| One:@1|Acked-by:@X|Two:@2|Acked-by:@Y|
	add One:@1|Acked-by:@X|Two:@2|Acked-by:@X| One:@1|Acked-by:@X|Two:@2|Acked-by:@Y|Acked-by:@Y|
	replace One:@1|Two:@2|Acked-by:@X| One:@1|Two:@2|Acked-by:@Y|
	doNothing One:@1|Acked-by:@X|Two:@2| One:@1|Acked-by:@X|Two:@2|
	EOF
	git -C plain config trailer.ifMissing doNothing &&
	test "$(trailers --trailer n=1)" = "One: 1|Acked-by: X|Two: 2|" &&
	git -C plain config trailer.ifMissing junk &&
	test "$(trailers --trailer n=1 2>err)" = "One: 1|Acked-by: X|Two: 2|n: 1|" &&
	test_grep "unknown value .junk. for key .trailer.ifmissing." err
'

test_expect_success 'trailer.NAME.cmd and .command make the value' '
	plain && git -C plain config trailer.sign.key "Sign: " && git -C plain config trailer.sign.cmd "echo by" &&
	test "$(trailers --trailer "sign=a b")" = "One: 1|Acked-by: X|Two: 2|Sign: by a b|" &&
	test "$(trailers --trailer n=1)" = "One: 1|Acked-by: X|Two: 2|n: 1|" &&
	git -C plain config trailer.old.command "echo \$ARG-\$ARG" &&
	test "$(trailers --trailer old=v)" = "One: 1|Acked-by: X|Two: 2|old: -|old: v-|" &&
	git -C plain config trailer.old.command "exit 1" &&
	test "$(trailers --trailer n=1 2>err)" = "One: 1|Acked-by: X|Two: 2|old:|n: 1|" &&
	test_grep "running trailer command .exit 1. failed" err
'

test_expect_success '--trailer without a key, and in tags' '
	plain && head=$(git -C plain rev-parse HEAD) && for arg in "" : =x
	do
		test_expect_code 128 git -C plain commit -q --allow-empty -m x --trailer "$arg" 2>err &&
		test_grep "unable to pass trailers to --trailers" err || return 1
	done &&
	test "$(git -C plain rev-parse HEAD)" = $head &&
	git -C plain config trailer.ack.key Acked-by &&
	git -C plain tag -m subject --trailer ack=X t && git -C plain cat-file tag t >out && test_grep "^Acked-by: X\$" out
'

test_expect_success 'a directory in the place of a state file is left alone' '
	plain && mkdir plain/.git/MERGE_MSG plain/.git/SQUASH_MSG &&
	git -C plain commit -q --allow-empty -m x && test "$(git -C plain log -1 --format=%s)" = x &&
	test_path_is_dir plain/.git/MERGE_MSG
'

test_expect_success '--pathspec-from-file does not go with -a, nor with paths' '
	plain && echo f >paths && head=$(git -C plain rev-parse HEAD) &&
	for with in -a "-- f"; do
		test_expect_code 128 git -C plain commit --pathspec-from-file=../paths -m x $with 2>err &&
		test_grep -e "--pathspec-from-file" err && test "$(git -C plain rev-parse HEAD)" = $head || return 1
	done
'

test_done
