#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='merge, cherry-pick, rebase, rerere: corners that other scripts pass by'
. "$(dirname "$0")/test-lib.sh"

lines () {
	printf "%s\n" "$@"
}

# main and side change line 3 of f; new adds n
test_expect_success 'set up' '
	git init -q -b main r && (
		cd r && lines 1 2 3 4 5 >f && git add f && git commit -qm base && git branch new && git checkout -q -b side &&
		lines 1 2 side 4 5 >f && git commit -qam side && git checkout -q new && echo n >n && git add n && git commit -qm new &&
		git checkout -q main && lines 1 2 main 4 5 >f && git commit -qam main && git tag start
	)
'
back () {
	git -C r checkout -q -f main && git -C r reset -q --hard start
}

test_expect_success 'merge --abort, --quit and --continue take no arguments' '
	for o in abort quit continue; do
		test_expect_code 129 git -C r merge --$o x 2>err && test_grep "^fatal: --$o expects no arguments$" err || return 1
	done
'

test_expect_success 'a merge that is signed ends' '
	write_script gpg-ok <<-\EOF &&
	cat >/dev/null
	echo "[GNUPG:] SIG_CREATED " >&2
	echo "-----BEGIN PGP SIGNATURE-----"
	EOF
	git -C r -c gpg.program="$PWD/gpg-ok" merge -q -S new 2>err && test_must_be_empty err && test_path_is_missing r/.git/MERGE_HEAD &&
	git -C r cat-file commit HEAD >commit && test_grep "^gpgsig" commit && back
'

test_expect_success 'a strategy whose program cannot be run fails' '
	mkdir bin && printf "#!/nonexistent\n" >bin/git-merge-broken && chmod +x bin/git-merge-broken &&
	PATH=$PWD/bin:$PATH test_expect_code 2 git -C r merge -s broken new 2>err && test_grep "^Merge with strategy broken failed.$" err &&
	test_path_is_missing r/.git/MERGE_HEAD && git -C r diff --quiet HEAD
'

test_expect_success 'rebase onto its own base detaches HEAD at a commit that is named' '
	git -C r rebase -q main~ new~0 && test_expect_code 1 git -C r symbolic-ref -q HEAD &&
	test "$(git -C r rev-parse HEAD)" = "$(git -C r rev-parse new)" && back
'

test_expect_success 'cherry-pick obeys --cleanup, and keeps it over a stop' '
	git -C r checkout -q -b talk new && printf "talk\n\n# a line\n\nend\n" >msg && git -C r commit -q --allow-empty --cleanup=verbatim -F ../msg &&
	back && git -C r cherry-pick --allow-empty --cleanup=strip talk && git -C r log -1 --format=%B >out && ! test_grep "a line" out &&
	back && git -C r cherry-pick --allow-empty talk && git -C r log -1 --format=%B >out && test_grep "^# a line$" out && back &&
	test_expect_code 1 git -C r cherry-pick --cleanup=scissors side talk && test_grep "default-msg-cleanup = scissors" r/.git/sequencer/opts &&
	test_grep ">8" r/.git/MERGE_MSG && git -C r cherry-pick --abort && test_expect_code 1 git -C r cherry-pick -x side talk &&
	! test_grep cleanup r/.git/sequencer/opts && git -C r cherry-pick --abort
'

test_expect_success 'rebase knows old options' '
	test_expect_code 128 git -C r rebase --preserve-merges 2>err && test_grep "^fatal: --preserve-merges was replaced by --rebase-merges" err &&
	git -C r rebase -q --allow-empty-message main new && back
'

test_expect_success '--edit-todo of a list with errors explains it once' '
	test_expect_code 1 env GIT_SEQUENCE_EDITOR="sed -i 1ibogus" git -C r rebase -i main new 2>err && test_grep "bogus" err &&
	printf "#!/bin/sh\ncp \"\$1\" ../seen && sed -i /bogus/d \"\$1\"\n" >editor && chmod +x editor &&
	GIT_SEQUENCE_EDITOR="$PWD/editor" git -C r rebase --edit-todo && test_grep bogus seen &&
	test 1 = $(grep -c "^# Commands:" seen) && git -C r rebase --abort && back
'

test_expect_success 'rerere records no conflict with a marker too many' '
	test_expect_code 1 git -C r merge -q side && sed "/^side/a =======" r/f >f && mv f r/f && git -C r -c rerere.enabled=true rerere 2>err &&
	test_grep "could not parse conflict hunks in .f." err && ! test_grep Recorded err && git -C r merge --abort
'

test_expect_success 'rerere keeps the conflict beside a resolution that it uses' '
	git -C r config rerere.enabled true && test_expect_code 1 git -C r merge -q side && lines 1 2 both 4 5 >r/f && git -C r commit -qam m &&
	back && test_expect_code 1 git -C r merge -q side 2>err && test_grep "^Resolved .f. using previous resolution.$" err &&
	lines 1 2 both 4 5 >expect && test_cmp expect r/f && ls r/.git/rr-cache/*/thisimage >out && test_line_count = 1 out && git -C r merge --abort
'

test_done
