#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git notes: list, add, append, edit, copy, show, remove, prune, get-ref'
. "$(dirname "$0")/test-lib.sh"

GIT_AUTHOR_DATE='1700000000 +0100' GIT_COMMITTER_DATE='1700000100 +0200'
GIT_TEST_FS_KIND=journal
export GIT_AUTHOR_DATE GIT_COMMITTER_DATE GIT_TEST_FS_KIND
unset GIT_NOTES_REF GIT_NOTES_REWRITE_REF GIT_NOTES_REWRITE_MODE
SQ="'"

# notes_say TEXT...: the note of HEAD has these lines
notes_say () {
	git notes show >out && printf "%s\n" "$@" >expect && test_cmp expect out
}

test_expect_success 'set up' '
	git init -q -b main && for i in 1 2 3 4 5
	do
		echo $i >f && git add f && git commit -q -m c$i || return 1
	done &&
	write_script words <<-\EOF &&
	cp "$1" "$HOME/asked" && printf "%s\n" "$WORDS" >"$1"
	EOF
	HOME=$PWD && export HOME && head=$(git rev-parse HEAD)
'

test_expect_success 'a note is added, listed and shown' '
	git notes >out && test_must_be_empty out &&
	test_expect_code 1 git notes show 2>err && grep "error: no note found for object $head." err &&
	git notes add -m one && notes_say one &&
	blob=$(echo one | git hash-object --stdin) &&
	echo "$blob $head" >expect && git notes >out && test_cmp expect out &&
	git notes list >out && test_cmp expect out &&
	echo $blob >expect && git notes list HEAD >out && test_cmp expect out
'

test_expect_success 'the commit of notes, its message and reflog' '
	git log -1 --format="%an %at %cn %ct %B" refs/notes/commits >out &&
	printf "%s\n" "Ada Author 1700000000 Carl Committer 1700000100 Notes added by ${SQ}git notes add${SQ}" "" >expect &&
	test_cmp expect out &&
	git log -g -1 --format=%gs refs/notes/commits >out && echo "notes: Notes added by ${SQ}git notes add${SQ}" >expect &&
	test_cmp expect out
'

test_expect_success 'a second note needs -f' '
	git rev-parse refs/notes/commits >before &&
	test_expect_code 1 git notes add -m two 2>err && grep "Cannot add notes. Found existing notes for object $head" err &&
	git rev-parse refs/notes/commits >after && test_cmp before after && notes_say one &&
	git notes add -f -m two 2>err && echo "Overwriting existing notes for object $head" >expect && test_cmp expect err &&
	notes_say two
'

test_expect_success 'an empty note removes the note, unless --allow-empty' '
	git notes add -f -m "" 2>err && grep "^Removing note for object $head" err &&
	git log -1 --format=%s refs/notes/commits >out && echo "Notes removed by ${SQ}git notes add${SQ}" >expect &&
	test_cmp expect out && git rev-parse refs/notes/commits >before &&
	git notes add -m "" 2>err && grep "^Removing" err &&
	git rev-parse refs/notes/commits >after && test_cmp before after &&
	git notes add --allow-empty -m "" && git notes list HEAD >out &&
	git hash-object --stdin </dev/null >expect && test_cmp expect out && git notes remove
'

test_expect_success 'paragraphs, and separators between them' '
	git notes add -m a -m b && notes_say a "" b &&
	git notes append -m c && notes_say a "" b "" c &&
	git notes add -f --no-separator -m a -m b && notes_say a b &&
	git notes add -f --separator=--- -m a -m b && notes_say a --- b &&
	git notes append --separator="x
" -m c && notes_say a --- b x c &&
	git notes add -f --separator -m a -m b && notes_say a "" b
'

test_expect_success 'texts are cleaned up, reused blobs are not' '
	git notes add -f -m "  a  

b" && notes_say "  a" "" b &&
	git notes add -f --no-stripspace -m "a  " && printf "a  " >expect && git notes show >out && test_cmp expect out &&
	blob=$(printf "x  \n\n\ny" | git hash-object -w --stdin) &&
	git notes add -f -C $blob && git notes list HEAD >out && echo $blob >expect && test_cmp expect out &&
	git notes add -f --stripspace -C $blob && notes_say x "" y &&
	printf "# a\nb" >file && git notes add -f -F file && notes_say "# a" b &&
	git notes add -f -F - <file && notes_say "# a" b &&
	mkdir -p sub && (cd sub && echo here >file && git notes add -f -F file) && notes_say here
'

test_expect_success 'options that cannot be used' '
	test_must_fail git notes add -f -C HEAD 2>err && grep "cannot read note data from non-blob object ${SQ}HEAD${SQ}" err &&
	test_must_fail git notes add -f -F missing 2>err && grep "could not open or read ${SQ}missing${SQ}: No such file" err &&
	test_must_fail git notes add -f -m x missing 2>err && grep "failed to resolve ${SQ}missing${SQ} as a valid ref" err &&
	test_expect_code 129 git notes add a b && test_expect_code 129 git notes unknown && test_expect_code 129 git notes get-ref x &&
	test_expect_code 129 git notes copy && test_expect_code 129 git notes copy --stdin a
'

test_expect_success 'the editor gets the note and the object' '
	git notes add -f -m old && WORDS=new GIT_EDITOR=./words git notes edit && notes_say new &&
	{ printf "old\n\n#\n# Write/edit the notes for the following object:\n#\n# commit $head\n" &&
		printf "# %s\n" "Author: Ada Author <ada@example.com>" ; } >expect &&
	head -n 7 asked >out && test_cmp expect out && cp asked kept && WORDS="# kept" GIT_EDITOR=./words git notes edit --no-stripspace && notes_say "# kept" &&
	git notes edit -m new && mv kept asked && grep "^# *f | 2 +-" asked &&
	test_path_is_missing .git/NOTES_EDITMSG &&
	git log -1 --format=%s refs/notes/commits >out && echo "Notes added by ${SQ}git notes edit${SQ}" >expect && test_cmp expect out
'

test_expect_success 'add without a text edits a note that is there' '
	WORDS=again GIT_EDITOR=./words git notes add && notes_say again && head -n 1 asked >out && echo new >expect && test_cmp expect out &&
	git log -1 --format=%s refs/notes/commits >out && echo "Notes added by ${SQ}git notes edit${SQ}" >expect && test_cmp expect out &&
	WORDS="# comment" GIT_EDITOR=./words git notes edit 2>err && grep "^Removing note" err && test_must_fail git notes show
'

test_expect_success '-e and -c edit a text that is given; append does not show the old one' '
	WORDS=x GIT_EDITOR=./words git notes add -e -m given && head -n 1 asked >out && echo given >expect && test_cmp expect out &&
	blob=$(git notes list HEAD) && WORDS=y GIT_EDITOR=./words git notes add -f -c $blob && notes_say y && head -n 1 asked >out &&
	echo x >expect && test_cmp expect out &&
	WORDS=z GIT_EDITOR=./words git notes append && notes_say y "" z && head -n 2 asked >out && printf "\n#\n" >expect &&
	test_cmp expect out
'

test_expect_success 'an editor that fails leaves the note' '
	test_expect_code 128 env GIT_EDITOR=false git notes edit 2>err &&
	grep "fatal: please supply the note contents using either -m or -F option" err && notes_say y "" z
'

test_expect_success 'edit -m is deprecated and works' '
	git notes edit -m words 2>err && grep "have been deprecated for the ${SQ}edit${SQ} subcommand" err && notes_say words
'

test_expect_success 'copy' '
	git notes copy HEAD HEAD~1 && git notes show HEAD~1 >out && echo words >expect && test_cmp expect out &&
	git notes add -f -m other && test_expect_code 1 git notes copy HEAD HEAD~1 2>err && grep "Cannot copy notes. Found existing" err &&
	git notes copy -f HEAD HEAD~1 2>err && grep ^Overwriting err && git notes show HEAD~1 >out && echo other >expect &&
	test_cmp expect out &&
	test_expect_code 1 git notes copy HEAD~2 HEAD~3 2>err && grep "missing notes on source object" err &&
	test_expect_code 1 git notes copy HEAD~1 && git notes remove && git notes copy HEAD~1 && notes_say other
'

test_expect_success 'copy --stdin makes one commit of all lines' '
	old=$(git rev-parse refs/notes/commits) && printf "%s\n" "HEAD HEAD~2 rest" "HEAD HEAD~3" | git notes copy --stdin &&
	test $(git rev-parse refs/notes/commits^) = $old && git notes show HEAD~3 >out && echo other >expect && test_cmp expect out &&
	echo "HEAD HEAD~2" >lines && test_expect_code 1 git notes copy --stdin <lines 2>err &&
	grep "failed to copy notes from ${SQ}HEAD${SQ} to ${SQ}HEAD~2${SQ}" err && git notes copy -f --stdin <lines &&
	echo one | test_expect_code 128 git notes copy --stdin 2>err && grep "malformed input line: ${SQ}one${SQ}" err
'

test_expect_success 'copy -f --stdin from an object without a note removes the note' '
	echo "HEAD~4 HEAD~3" | git notes copy -f --stdin && test_must_fail git notes show HEAD~3
'

test_expect_success 'copy --for-rewrite follows notes.rewrite.*' '
	git notes list >before && echo "HEAD HEAD~4" >lines && git notes copy --for-rewrite=amend <lines && git notes list >out &&
	test_cmp before out &&
	git config notes.rewriteRef "refs/notes/*" && git notes copy --for-rewrite=amend <lines && git notes show HEAD~4 >out &&
	echo other >expect && test_cmp expect out &&
	git notes add -f -m more HEAD && git -c notes.rewrite.amend=false notes copy --for-rewrite=amend <lines &&
	git notes show HEAD~4 >out && test_cmp expect out && git notes copy --for-rewrite=amend <lines &&
	git notes show HEAD~4 >out && printf "%s\n" other "" more >expect && test_cmp expect out && git config --unset notes.rewriteRef
'

test_expect_success 'remove removes all of them or none' '
	git notes list >before && test_expect_code 1 git notes remove HEAD missing 2>err && git notes list >out && test_cmp before out &&
	grep "error: Failed to resolve ${SQ}missing${SQ} as a valid ref." err &&
	git notes remove HEAD HEAD~1 2>err && printf "Removing note for object %s\n" HEAD HEAD~1 >expect && test_cmp expect err &&
	test_expect_code 1 git notes remove 2>err && echo "Object HEAD has no note" >expect && test_cmp expect err &&
	git notes remove --ignore-missing && printf "%s\n" HEAD~2 "HEAD~4 " | git notes remove --stdin && git notes >out &&
	test_must_be_empty out && git log -1 --format=%s refs/notes/commits >out &&
	echo "Notes removed by ${SQ}git notes remove${SQ}" >expect && test_cmp expect out
'

test_expect_success 'prune removes notes of objects that are gone' '
	blob=$(echo gone | git hash-object -w --stdin) && git notes add -m x $blob && git notes add -m y HEAD &&
	git notes prune -n >out && test_must_be_empty out && rm -f .git/objects/$(echo $blob | sed "s/^../&\//") &&
	git rev-parse refs/notes/commits >before && git notes prune -n >out && echo $blob >expect && test_cmp expect out &&
	git rev-parse refs/notes/commits >after && test_cmp before after && git notes prune -v >out && test_cmp expect out &&
	git notes list >out && test_line_count = 1 out && git notes prune -v >out && test_must_be_empty out
'

test_expect_success 'the ref' '
	git notes get-ref >out && echo refs/notes/commits >expect && test_cmp expect out &&
	for name in x notes/x refs/notes/x
	do
		git notes --ref=$name get-ref >out && echo refs/notes/x >expect && test_cmp expect out || return 1
	done &&
	git -c core.notesRef=refs/notes/y notes get-ref >out && echo refs/notes/y >expect && test_cmp expect out &&
	GIT_NOTES_REF=refs/notes/z git -c core.notesRef=refs/notes/y notes get-ref >out && echo refs/notes/z >expect && test_cmp expect out &&
	git notes --ref=x add -m x && git notes --ref=x show >out && echo x >expect && test_cmp expect out &&
	test_must_fail env GIT_NOTES_REF=refs/heads/main git notes add -m x 2>err &&
	grep "refusing to add notes in refs/heads/main (outside of refs/notes/)" err &&
	test_must_fail git notes --ref=a..b add -m x 2>err && grep "update_ref failed for ref ${SQ}refs/notes/a..b${SQ}" err
'

test_expect_success 'refs that hold no notes' '
	git update-ref refs/notes/tree HEAD^{tree} && test_must_fail git notes --ref=tree add -m x 2>err &&
	grep "Failed to find/parse commit refs/notes/tree" err && git notes --ref=tree list >out && test_must_be_empty out &&
	git update-ref refs/notes/blob HEAD:f && test_must_fail git notes --ref=blob list 2>err &&
	grep "Failed to read notes tree referenced by refs/notes/blob" err
'

test_expect_success 'many notes get directories; one command is one flush' '
	i=0 && while test $i -lt 300
	do
		i=$((i + 1)) && echo "blob $i" || return 1
	done >texts && git init -q -b main many && cd many && git config core.fsyncMethod batch &&
	for i in $(seq 300); do echo $i >b$i; done && git hash-object -w $(seq -f b%g 300) >oids &&
	git notes add -m x $(head -n 1 oids) && head -n 1 oids >one && sed "s/^/$(cat one) /; 1d" oids >pairs &&
	test "$(count_flushes git notes copy --stdin <pairs)" = 1 && git ls-tree refs/notes/commits >out &&
	grep "^040000" out && git notes list >out && test_line_count = 300 out && git fsck && cd ..
'

test_expect_success 'rebase copies the notes of all commits' '
	git checkout -q -b topic && echo t >t && git add t && git commit -q -m t1 && git notes add -m n1 && echo t >t2 && git add t2 &&
	git commit -q -m t2 && git notes add -m n2 && git checkout -q -b base HEAD~2 && git commit -q --allow-empty -m base &&
	git -c notes.rewriteRef=refs/notes/commits rebase -q base topic && git notes show >out && echo n2 >expect && test_cmp expect out &&
	git notes show HEAD~1 >out && echo n1 >expect && test_cmp expect out
'

test_expect_success 'a ref that cannot be changed' '
	git init -q -b main locked && cd locked && git commit -q --allow-empty -m one && git update-ref refs/notes/commits/x HEAD &&
	test_expect_code 128 git notes add -m y 2>err &&
	test_grep "^fatal: update_ref failed for ref .refs/notes/commits.: .*refs/notes/commits/x. exists; cannot create .refs/notes/commits.$" err &&
	git update-ref -d refs/notes/commits/x && git notes add -m y && test_when_finished "rm locked/.git/refs/notes/commits.lock" && >.git/refs/notes/commits.lock &&
	for args in "add -f -m z" "append -m z" remove
	do
		test_expect_code 128 git notes $args 2>err && test_grep "^fatal: update_ref failed for ref .refs/notes/commits.: cannot lock ref" err || return 1
	done && test "$(git notes show)" = y
'

test_expect_success 'add without -f and a text edits a note that is there, without its other options' '
	git init -q again && cd again && git commit -q --allow-empty -m c && git notes add -m first && GIT_EDITOR="printf \"# no\\n\\n\\nmore\\n\" >>" git notes add --no-stripspace &&
	printf "first\n\nmore\n" >want && git notes show >got && test_cmp want got && git log -1 --format=%s refs/notes/commits >got && test_grep "notes edit" got &&
	GIT_EDITOR="echo >" git notes add --allow-empty && test_must_fail git notes show
'

test_done
