#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git commit compared with stock git: contents, messages, people, summary'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"

GIT_AUTHOR_DATE='1700000000 +0100' GIT_COMMITTER_DATE='1700000100 +0200'
export GIT_AUTHOR_DATE GIT_COMMITTER_DATE

# Equal history, logs, index and state.
same_state () {
	for d in ours theirs; do
		(cd $d && stock log --all --format=raw -p --no-abbrev && stock reflog --all && stock status --porcelain=v2 &&
		reflog_lines . HEAD && ref_value . HEAD && ls .git | grep -v "^COMMIT_EDITMSG$" | sort) >state.$d 2>&1
	done
	test_cmp state.theirs state.ours && peers_same_index && stock -C ours fsck --strict >/dev/null
}

commit_ok () {
	peers_git commit "$@" && same_state
}

start () {
	rm -rf ours theirs && stock init -q -b main theirs &&
	(cd theirs && mkdir d && echo 1 >a && echo 2 >b && echo 3 >d/c && seq 20 >long && stock add . && stock commit -q -m base) &&
	cp -a theirs ours
}

test_expect_success 'the first commit' '
	peers_init -b main &&
	peers_git commit -m nothing &&
	peers_do "mkdir -p d/e && echo 1 >a && echo 2 >d/e/f && stock add ." &&
	commit_ok -m first &&
	peers_git commit -m again && same_state
'

test_expect_success 'SHA-256' '
	peers_init -b main --object-format=sha256 &&
	peers_do "mkdir -p d/e && echo 1 >a && echo 2 >d/e/f && stock add ." &&
	commit_ok -m first
'

test_expect_success 'commits of the index, with -a, with paths' '
	start &&
	peers_do "echo x >>a && stock add a && echo y >>b && rm d/c" &&
	commit_ok -m staged &&
	peers_do "echo z >>b" &&
	commit_ok -a -m all &&
	peers_do "echo 1 >>a && echo 2 >>b && stock add b && echo n >n && stock add n" &&
	commit_ok -m one a &&
	peers_do "echo 3 >>a" &&
	commit_ok -i -m both a &&
	peers_do "echo 4 >>a && echo 5 >>b && rm n" &&
	commit_ok -o -m only n &&
	peers_git commit -m x nope && same_state &&
	peers_git commit -m x -o && peers_git commit -m x -i && peers_git commit -a a && same_state
'

test_expect_success 'a path that is in the work tree, but not in the index any more' '
	start &&
	peers_do "stock rm -q --cached a d/c && echo new >a && stock rm -q b && mkdir b && echo n >b/n && stock add b/n" &&
	commit_ok -m one a d &&
	peers_do "stock rm -q -r d && echo e >d" &&
	commit_ok -m two d/c
'

test_expect_success 'messages' '
	start &&
	commit_ok --allow-empty -m one -m two -m "three
lines" &&
	printf "  \nfrom file  \n\n\n\nbody\n# not a comment\n\n" >msg && cp msg ours/ && cp msg theirs/ &&
	commit_ok --allow-empty -F msg &&
	PEERS_STDIN=msg commit_ok --allow-empty -F - &&
	commit_ok --allow-empty --cleanup=strip -F msg &&
	commit_ok --allow-empty --cleanup=verbatim -F msg &&
	commit_ok --allow-empty --cleanup=whitespace -F msg &&
	commit_ok --allow-empty -C HEAD~2 &&
	commit_ok --allow-empty --fixup HEAD~1 &&
	commit_ok --allow-empty --squash HEAD~1 -m more &&
	commit_ok --allow-empty -s -m "signed" &&
	commit_ok --allow-empty -s -m "signed

Reviewed-by: X <x@y>" &&
	commit_ok --allow-empty -s -m "signed

Signed-off-by: Carl Committer <carl@example.com>" &&
	commit_ok --allow-empty -m t --trailer "Acked-by: me" --trailer Bug=12 &&
	commit_ok --allow-empty --allow-empty-message -m "" &&
	for t in "Signed-off-by: Carl Committer <carl@example.com>" "Acked-by: a"
	do
		commit_ok --allow-empty --allow-empty-message -m "" -s --trailer "$t" || return 1
	done &&
	peers_git commit --allow-empty -m "" && same_state &&
	peers_git commit --allow-empty --cleanup=strip -m "# only" && same_state &&
	peers_git commit --allow-empty -F nope && peers_git commit --allow-empty -C nope && same_state
'

test_expect_success 'people and dates' '
	start &&
	commit_ok --allow-empty -m a --author "Zoe Z <z@z>" &&
	commit_ok --allow-empty -m d --date "2001-02-03T04:05:06 +0100" &&
	commit_ok --allow-empty -m d --date "@1234567890 -0330" &&
	commit_ok --amend --allow-empty -m a2 &&
	commit_ok --amend --allow-empty --reset-author --no-edit &&
	commit_ok --allow-empty -C HEAD~1 --reset-author &&
	commit_ok --allow-empty -C HEAD~1 --author "Y <y>" &&
	peers_git commit --allow-empty -m x --author foo &&
	peers_git commit --allow-empty -m x --date "not a date" &&
	peers_git commit --allow-empty -m x --reset-author && same_state
'

test_expect_success 'amend' '
	start &&
	peers_do "echo x >>a && stock commit -q -a -m second && echo y >>a && stock add a" &&
	commit_ok --amend -m changed &&
	commit_ok --amend --no-edit &&
	peers_do "echo 1 >a && stock add a" &&
	peers_git commit --amend -m empty && same_state &&
	commit_ok --amend --allow-empty -m empty &&
	peers_init && peers_git commit --amend -m x
'

test_expect_success 'summary: renames, modes, rewrites, binary' '
	start &&
	peers_do "stock mv a moved && stock mv long d/long2 && seq 21 >d/long2 && chmod +x b && printf \"\\0\\1\" >bin && ln -s b l && stock add -A" &&
	commit_ok -m renames &&
	peers_do "rm l && printf \"\\0\\2\" >bin && seq 100 200 >d/long2 && cp b copy && stock add -A" &&
	commit_ok -m more &&
	peers_do "seq 300 >d/long2 && stock add -A" && commit_ok -q -m quiet
'

test_expect_success 'dry runs' '
	start &&
	peers_do "echo x >>a && stock add a && echo y >>b && echo u >u" &&
	for o in --dry-run --short --porcelain --long "-z" "--short --branch" "--dry-run -a" "--dry-run -uno" "--short a"
	do
		peers_git commit $o || return 1
	done &&
	same_state
'

test_expect_success 'the template that an editor gets' '
	start &&
	write_script editor <<-\EOS &&
	cat "$1" >>"$TRASH/seen.$SIDE" && echo ---- >>"$TRASH/seen.$SIDE"
	{ echo edited; cat "$1"; } >t.msg && cat t.msg >"$1" && rm t.msg
	EOS
	TRASH=$PWD && export TRASH &&
	both () {
		(cd ours && SIDE=ours GIT_EDITOR="$TRASH/editor" git commit "$@" >/dev/null 2>&1) ; echo $? >>seen.ours
		(cd theirs && SIDE=theirs GIT_EDITOR="$TRASH/editor" stock commit "$@" >/dev/null 2>&1) ; echo $? >>seen.theirs
		sed "s/theirs/ours/g" seen.theirs >seen.expect
		test_cmp seen.expect seen.ours && same_state
	} &&
	peers_do "echo x >>a && stock add a && echo y >>b && echo u >u" &&
	both &&
	both -a &&
	both --allow-empty -m given -e &&
	both --allow-empty --cleanup=whitespace &&
	both --allow-empty --cleanup=scissors &&
	both --amend &&
	both --allow-empty --author "X <x>" --date="@1 +0000" &&
	both --allow-empty --no-status &&
	both --allow-empty -c HEAD~1 &&
	echo "template text" >tmpl &&
	both --allow-empty -t "$PWD/tmpl" &&
	both --allow-empty --squash HEAD &&
	peers_do "echo v >>a && stock add a && echo w >>a" &&
	both -v &&
	peers_do "echo v >>b && stock add b" &&
	both -v -v &&
	peers_do "echo v >>b && stock add b" &&
	both -v --cleanup=scissors
'

test_expect_success 'an editor that fails, or writes nothing' '
	start &&
	peers_do "echo x >>a && stock add a" &&
	(GIT_EDITOR=false && export GIT_EDITOR && PEERS_STDERR=ignore peers_git commit) && same_state &&
	(GIT_EDITOR=true && export GIT_EDITOR && peers_git commit) && same_state &&
	echo tmpl >tmpl &&
	(GIT_EDITOR=true && export GIT_EDITOR && peers_git commit -t "$PWD/tmpl") && same_state
'

test_expect_success 'concluding a merge' '
	start &&
	peers_do "stock checkout -q -b side && echo s >a && stock commit -qam side && stock checkout -q main && echo m >a && stock commit -qam main && ! stock merge side >/dev/null" &&
	peers_git commit -m early && same_state &&
	peers_git commit -m x a && same_state &&
	peers_do "echo r >a && stock add a" &&
	peers_git commit --amend -m x && same_state &&
	(GIT_EDITOR=true && export GIT_EDITOR && commit_ok)
'

# tag NAME OBJECT TYPE [LINE...]: a tag object whose message ends in these lines, in both
tag () {
	local name=$1
	printf "object %s\ntype %s\ntag $name\ntagger T <t@example.com> 1700000000 +0000\n\nwords\n" \
		"$(stock -C theirs rev-parse $2)" $3 >text && shift 3 && printf "%s\n" "$@" >>text &&
	for side in ours theirs; do
		stock -C $side update-ref refs/tags/$name \
			$(stock -C $side hash-object -t tag -w --stdin <text) || return 1
	done
}

start_merge () { # WHAT
	peers_do "stock checkout -q -f -B main first && stock merge -q --no-commit --no-ff $1 2>/dev/null"
}

test_expect_success 'concluding the merge of a tag: its commit is the parent, a signed one is kept' '
	start && peers_do "stock branch first && stock checkout -q -b side && stock commit -q --allow-empty -m side" &&
	tag plain side commit && tag outer plain tag && begin="-----BEGIN PGP SIGNATURE-----" &&
	tag signed side commit "$begin" "" x = "-----END PGP SIGNATURE-----" "" &&
	tag nested signed tag "-----BEGIN SSH SIGNATURE-----" x &&
	for t in plain outer signed nested; do
		start_merge $t && commit_ok -m "merged $t" || return 1
	done &&
	start_merge signed && printf "%s\n" "$begin" x >words &&
	commit_ok --cleanup=verbatim -F "$PWD/words" && stock -C ours cat-file commit HEAD >text &&
	test_grep "^mergetag object" text && commit_ok --amend -m changed &&
	commit_ok --amend --no-edit -i a && stock -C ours cat-file commit HEAD >text &&
	test_grep "^mergetag object" text
'

test_expect_success 'MERGE_HEAD names an object that is no commit, or is missing' '
	for what in $ZERO_OID nonsense HEAD^{tree}; do
		start && peers_do "stock rev-parse -q --verify $what >.git/MERGE_HEAD || echo $what >.git/MERGE_HEAD" &&
		PEERS_STDERR=ignore peers_git commit -m x && same_state && test_grep "^fatal: Corrupt MERGE_HEAD file" err.ours || return 1
	done
'

test_expect_success 'concluding a merge: no parent that another one leads to, unless by --no-ff' '
	for heads in first "first~1" side "side~1 side" "side first first" "side~1 tag-of-it" last; do
		start && peers_do "stock branch zero && echo x >>a && stock commit -q -a -m two &&
			stock branch first && stock commit -q --allow-empty -m three && stock branch last &&
			stock checkout -q -b side first && stock commit -q --allow-empty -m s1 &&
			stock commit -q --allow-empty -m s2 && stock tag -m tag tag-of-it &&
			stock checkout -q -f -B main first" &&
		peers_do "for h in $heads; do stock rev-parse \$h || exit; done >.git/MERGE_HEAD" &&
		cp ours/.git/MERGE_HEAD heads &&
		commit_ok -m merged &&
		peers_do "stock reset -q --hard first && cp ../heads .git/MERGE_HEAD && printf no-ff >.git/MERGE_MODE" &&
		commit_ok -m merged || { echo "merged: $heads"; return 1; }
	done
'

test_expect_success '--amend keeps the headers that it does not know' '
	start && peers_do "stock config i18n.commitEncoding ISO-8859-1 && echo x >>a && stock commit -q -a -m second" &&
	stock -C theirs cat-file commit HEAD >old &&
	sed "s/^encoding.*/HG:extra foo\\nencoding ISO-8859-1\\nfoo bar\\n baz\\n  qux\\ngpgsig-sha256 a\\n b\\ngpgsig c/" old >new &&
	for side in ours theirs; do
		stock -C $side reset -q --hard $(stock -C $side hash-object -t commit -w --stdin <new) || return 1
	done &&
	commit_ok --amend -m changed && stock -C ours cat-file commit HEAD >text &&
	test_grep "^HG:extra foo" text && test_grep ! gpgsig text && test_grep "^encoding" text &&
	peers_do "stock config --unset i18n.commitEncoding" && commit_ok --amend --no-edit &&
	peers_do "stock commit -q --allow-empty -m next" && commit_ok --allow-empty -C HEAD~1
'

test_expect_success 'a message that is not UTF-8 is converted from Latin-1' '
	start && printf "caf\\351 \\303\\251\\n\\nbody \\377\\300\\200\\n" >words &&
	commit_ok -q --allow-empty -F "$PWD/words" && test_grep "did not conform to UTF-8" err.ours &&
	stock -C ours cat-file commit HEAD >text && printf "caf\\303\\251 \\303\\251\\n" >expect &&
	sed -n "/^caf/p" text >actual && test_cmp expect actual &&
	peers_git commit-tree -F "$PWD/words" HEAD: &&
	commit_ok -q --allow-empty -m plain --author "$(printf "J\\366rg <j@example.com>")" &&
	(GIT_AUTHOR_NAME=$(printf "J\\366rg") && export GIT_AUTHOR_NAME && peers_git commit-tree -m x HEAD:) &&
	(GIT_COMMITTER_NAME=$(printf "J\\366rg") && export GIT_COMMITTER_NAME && commit_ok -q --allow-empty -m x) &&
	peers_do "stock config i18n.commitEncoding ISO-8859-1" && commit_ok -q --allow-empty -F "$PWD/words" &&
	test_must_be_empty err.ours && peers_git commit-tree -F "$PWD/words" HEAD:
'

test_expect_success 'detached HEAD, worktree-less and unborn branches' '
	start &&
	peers_do "stock checkout -q --detach" &&
	commit_ok --allow-empty -m d &&
	peers_do "stock checkout -q --orphan new && echo z >z && stock add z" &&
	commit_ok -m orphan
'

test_expect_success 'from a subdirectory' '
	start &&
	peers_do "echo x >>a && echo y >>d/c" &&
	PEERS_DIR=d commit_ok -m c c &&
	PEERS_DIR=d commit_ok -m a ../a
'

test_expect_success 'options that do not go together' '
	start &&
	peers_git commit -m a -F b && peers_git commit -m a -C HEAD && peers_git commit -C HEAD -F x &&
	peers_git commit --squash HEAD --fixup HEAD && peers_git commit -a -i x && peers_git commit -i -o x &&
	peers_git commit --cleanup=nope -m x && peers_git commit --pathspec-file-nul &&
	PEERS_STDERR=ignore peers_git commit --nope && same_state
'

test_expect_success 'the tree of a commit without files is stored, once' '
	rm -rf empty && git init -q empty &&
	git -C empty commit -q --allow-empty -m one && stock -C empty fsck --strict &&
	stock -C empty repack -q -a -d && git -C empty commit -q --allow-empty -m two &&
	test_path_is_missing "empty/.git/objects/$(printf %s "$(git -C empty rev-parse "HEAD^{tree}")" |
		sed "s,^..,&/,")"
'

test_expect_success '--fixup=amend: and reword:' '
	write_script editor <<-\EOF &&
	{ cat "$1"; echo END; } >>"$EDITED"
	test -z "$EDIT_ADD" || echo "$EDIT_ADD" >>"$1"
	test -z "$EDIT_ALL" || printf "%b" "$EDIT_ALL" >"$1"
	EOF
	GIT_EDITOR=\"$PWD/editor\" EDITED=$PWD/edited && export GIT_EDITOR EDITED &&
	for o in "amend:HEAD" "amend:HEAD --no-edit" "reword:HEAD" "reword:HEAD --author=X<x@y>" \
		"amend:HEAD~1" "amend:HEAD~1 a" "amend:HEAD -a" "amend:HEAD --only" "amend:HEAD -s" \
		"reword:HEAD -a" "reword:HEAD --only" "reword:HEAD --include" "reword:HEAD a" \
		"reword:HEAD -p" "amend:HEAD -m x" "reword:HEAD -m x" "amend:HEAD -F a" \
		"amend:HEAD -C HEAD" "amend:nope" "amend:" "foo:HEAD" "amend:HEAD --trailer=A:b" \
		"reword:HEAD --dry-run" "amend:HEAD --cleanup=verbatim"
	do
		start &&
		peers_do "printf \"amend! base\\n\\nother\\n\\nwords\\n\" |
			stock commit -q --allow-empty -F - && echo x >>a && echo y >>b && stock add a" &&
		for add in "" more
		do
			: >edited &&
			EDIT_ADD=$add && export EDIT_ADD &&
			peers_git commit --fixup=$o && same_state || return 1
			awk "/^END/ { n++; next } { print >(\"edited.\" n % 2) }" edited &&
			if test -s edited
			then
				test_cmp edited.0 edited.1 || return 1
			fi
		done
	done &&
	unset EDIT_ADD
'

test_expect_success '--fixup=amend: needs a body' '
	for text in "amend! base\\n" "amend! base\\n\\n" "\\n" "other\\n" "amend! base\\n# c\\n\\n#d\\n"
	do
		start && peers_do "echo x >>a && stock add a" &&
		EDIT_ALL=$text && export EDIT_ALL &&
		peers_git commit --fixup=amend:HEAD && same_state &&
		peers_git commit --fixup=amend:HEAD --allow-empty-message && same_state || return 1
	done &&
	unset EDIT_ALL GIT_EDITOR
'

test_expect_success '--only without paths leaves staged changes' '
	start && peers_do "echo x >>a && stock add a" &&
	commit_ok --amend --only -m again && commit_ok --amend --only --no-edit &&
	peers_git commit --only -m x && commit_ok --only --allow-empty -m empty
'

test_expect_success '--author by a part of the name; trailers that say nothing' '
	start && peers_do "stock commit -q --allow-empty -m other --author=\"Some Body <some@body>\"" &&
	for o in --author=some --author=BODY --author=body@ "--author=some@b" --author= --author=nobody \
		"--author=Nobody <>" --author=bad --trailer=a
	do
		peers_git commit --allow-empty -m x $o && same_state || { echo "$o"; return 1; }
	done &&
	peers_do "echo \"Better Name <some@body>\" >.mailmap" &&
	commit_ok --allow-empty -m x --author=better &&
	peers_git commit --allow-empty -m x --author=nope && same_state &&
	peers_init -b main && peers_git commit --allow-empty -m x --author=some
'

test_expect_success 'paths that do not exist are reported in order' '
	start && peers_do "echo x >>a" &&
	for o in "nope --author=bad" "nope -C bad" "nope -c bad" "nope -F nofile" "nope --squash=bad" \
		"nope --fixup=bad" "a -C bad" "nope a" "nope --amend" "nope -C HEAD"
	do
		peers_git commit $o && same_state || return 1
	done
'

test_expect_success '--amend at the end of a shallow clone: no parent, as log shows it' '
	git init -q -b main boundary &&
	(cd boundary &&
	 echo 1 >f && git add f && git commit -q -m 1 && echo 2 >f && git commit -q -a -m 2 &&
	 git rev-parse HEAD >.git/shallow && git commit --amend --dry-run >out &&
	 test_grep "new file: *f" out &&
	 git commit -q --amend -m new && git cat-file commit HEAD >out && test_grep ! "^parent" out)
'

test_done
