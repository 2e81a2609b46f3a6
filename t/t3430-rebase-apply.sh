#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git rebase --apply: commits are applied as patches, by the engine of git am'
. "$(dirname "$0")/test-lib.sh"

# main: base, m1, m2 (line 8); topic, from base: one (line 2), two (a file, a body), three (line 8)
test_expect_success 'set-up' '
	git init -q -b main start &&
	(cd start && for i in 1 2 3 4 5 6 7 8 9; do echo l$i; done >f && git add f && test_tick && git commit -qm base &&
	 git checkout -q -b topic && sed "s/l2/t2/" f >g && mv g f && git commit -qam one &&
	 echo g >g && git add g && git commit -q -m two -m body && sed "s/l8/t8/" f >h && mv h f && git commit -qam three &&
	 git checkout -q main && echo m >m && git add m && git commit -qm m1 && git branch m1 &&
	 sed "s/l8/m8/" f >h && mv h f && git commit -qam m2 && git checkout -q topic)
'

copy() { rm -rf repo && cp -R start repo; }
head_log() { git -C repo reflog show --format=%gs "$@"; }
stop() { copy && test_expect_code 1 git -C repo rebase --apply "$@" main >out 2>err; }
resolve() { git -C repo checkout -q --theirs f && git -C repo add f; }

test_expect_success 'commits are made again: output, logs, refs, files' '
	copy && git -C repo rebase --apply m1 >out 2>err && test_must_be_empty err &&
	cat >expect <<-\EOF &&
	First, rewinding head to replay your work on top of it...
	Applying: one
	Applying: two
	Applying: three
	EOF
	test_cmp expect out && head_log -5 >log &&
	cat >expect <<-\EOF &&
	rebase (finish): returning to refs/heads/topic
	rebase (pick): three
	rebase (pick): two
	rebase (pick): one
	rebase (start): checkout m1
	EOF
	test_cmp expect log && head_log -1 topic >log &&
	echo "rebase (finish): refs/heads/topic onto $(git -C repo rev-parse m1)" >expect && test_cmp expect log &&
	git -C repo log --format=%B m1..topic~1 >log && git -C start log --format=%B main..topic~1 >expect && test_cmp expect log &&
	git -C repo log --format="%an %ae %ad" m1.. >log && git -C start log --format="%an %ae %ad" main..topic >expect && test_cmp expect log &&
	test "$(git -C repo rev-parse ORIG_HEAD)" = "$(git -C start rev-parse topic)" &&
	test "$(git -C repo symbolic-ref HEAD)" = refs/heads/topic && git -C repo status --porcelain >out && test_must_be_empty out &&
	test_path_is_file repo/m && test_path_is_file repo/g && test_path_is_missing repo/.git/rebase-apply &&
	test_must_fail git -C repo rev-parse -q --verify REBASE_HEAD
'

test_expect_success 'both backends make the same commits' '
	all="log --format=%T%n%an%n%ae%n%ad%n%B m1..topic" && git -C repo $all >expect && copy && git -C repo rebase -q --merge m1 && git -C repo $all >out &&
	test_cmp expect out &&
	copy && git -C repo -c rebase.backend=apply rebase m1 >out && test_grep "^Applying: one" out &&
	copy && GIT_SEQUENCE_EDITOR=: git -C repo -c rebase.backend=apply rebase -i m1 2>err >out && test_grep ! Applying out
'

test_expect_success 'nothing is left to apply: fast-forward, or all is there already' '
	copy && git -C repo checkout -q -b low topic~2 && git -C repo rebase --apply topic >out &&
	echo "Fast-forwarded low to topic." >expect && sed 1d out >text && test_cmp expect text &&
	head_log -2 >log && printf "rebase (finish): returning to refs/heads/low\nrebase (start): checkout topic\n" >expect && test_cmp expect log &&
	git -C repo checkout -q -b picked m1 && git -C repo cherry-pick topic~2 >/dev/null && git -C repo checkout -q low && git -C repo reset -q --hard topic~2 &&
	git -C repo rebase --apply picked >out && test 1 = $(wc -l <out) && test "$(git -C repo rev-parse low)" = "$(git -C repo rev-parse picked)" &&
	git -C repo rebase --apply picked >out && echo "Current branch low is up to date." >expect && test_cmp expect out &&
	git -C repo rebase --apply -f --onto low m1 low >out && test_grep "^Fast-forwarded low to low.$" out
'

test_expect_success 'a conflict stops: words, state files, refs, status' '
	stop -v && test_grep "^Applying: three$" out && test_grep "^Patch failed at 0003 three$" out &&
	test_grep "^error: Failed to merge in the changes.$" err && test_grep "run \"git rebase --continue\"" err &&
	(
		cd repo/.git/rebase-apply && echo refs/heads/topic >expect && test_cmp expect head-name &&
		git rev-parse m1~0 >/dev/null && git rev-parse main >expect && test_cmp expect onto && git rev-parse topic >expect && test_cmp expect orig-head &&
		test_cmp expect original-commit && echo 3 >expect && test_cmp expect next && test_cmp expect last && echo t >expect && test_cmp expect threeway &&
		echo f >expect && test_cmp expect quiet && test_path_is_file verbose && test_path_is_file rebasing && test_path_is_missing applying &&
		echo three >expect && test_cmp expect final-commit && git rev-parse HEAD >expect && test_cmp expect abort-safety &&
		{ echo "$(git rev-parse topic~2) $(git rev-parse HEAD~1)" && echo "$(git rev-parse topic~1) $(git rev-parse HEAD)"; } >expect && test_cmp expect rewritten &&
		echo "From $(git rev-parse topic~1) Mon Sep 17 00:00:00 2001" >expect && head -n 1 0002 >line && test_cmp expect line
	) &&
	test "$(git -C repo rev-parse REBASE_HEAD)" = "$(git -C start rev-parse topic)" && test_must_fail git -C repo symbolic-ref -q HEAD &&
	git -C repo status >out && test_grep "^You are currently rebasing branch .topic. on" out &&
	git -C repo rebase --show-current-patch >out && git -C repo show topic >expect && test_cmp expect out &&
	git -C repo am --show-current-patch >out && test_cmp expect out
'

test_expect_success '--continue wants a resolved index, then finishes' '
	test_expect_code 1 git -C repo rebase --continue >out && printf "f: needs merge\nYou must edit all merge conflicts and then\nmark them as resolved using git add\n" >expect &&
	test_cmp expect out && resolve && git -C repo rebase --continue >out && echo "Applying: three" >expect && test_cmp expect out &&
	head_log -2 >log && printf "rebase (finish): returning to refs/heads/topic\nrebase (pick): three\n" >expect && test_cmp expect log &&
	test "$(git -C repo symbolic-ref HEAD)" = refs/heads/topic && test_path_is_missing repo/.git/rebase-apply
'

test_expect_success '--skip, --abort, --quit' '
	stop && git -C repo rebase --skip && git -C repo log --format=%s main..topic >log && printf "two\none\n" >expect && test_cmp expect log &&
	stop && git -C repo rebase --abort && test "$(git -C repo rev-parse topic)" = "$(git -C start rev-parse topic)" && head_log -1 >log &&
	echo "rebase (abort): returning to refs/heads/topic" >expect && test_cmp expect log && git -C repo status --porcelain >out && test_must_be_empty out &&
	test_path_is_missing repo/.git/rebase-apply &&
	stop && git -C repo rebase --quit && test_path_is_missing repo/.git/rebase-apply && test_must_fail git -C repo symbolic-ref -q HEAD
'

test_expect_success 'a patch whose index has no change: --continue stops again' '
	stop && git -C repo checkout -q --ours f && git -C repo add f && test_expect_code 1 git -C repo rebase --continue >out && test_grep "^No changes - did you forget" out
'

test_expect_success 'git am goes on with it; git rebase ends it' '
	stop && resolve && git -C repo am --continue >out && test_path_is_dir repo/.git/rebase-apply && test_must_fail git -C repo symbolic-ref -q HEAD &&
	head_log -1 >log && echo "am: three" >expect && test_cmp expect log && git -C repo rebase --continue && test "$(git -C repo symbolic-ref HEAD)" = refs/heads/topic &&
	git -C repo log --format=%s main..topic >log && printf "three\ntwo\none\n" >expect && test_cmp expect log &&
	stop && git -C repo am --abort && test_path_is_missing repo/.git/rebase-apply && test "$(git -C repo rev-parse HEAD)" = "$(git -C start rev-parse topic)"
'

test_expect_success 'an am in progress is no rebase; --edit-todo has no list' '
	stop && test_expect_code 128 git -C repo rebase --edit-todo 2>err &&
	echo "fatal: The --edit-todo action can only be used during interactive rebase." >expect && test_cmp expect err &&
	test_expect_code 128 git -C repo rebase --apply m1 2>err && test_grep "already a rebase-apply directory" err &&
	copy && git -C repo format-patch -1 --stdout topic >mail && git -C repo checkout -q main && test_must_fail git -C repo am ../mail >out 2>err &&
	for mode in m1 --continue --skip --abort --quit
	do
		test_expect_code 128 git -C repo rebase $mode 2>err && echo "fatal: It looks like '\''git am'\'' is in progress. Cannot rebase." >expect && test_cmp expect err || return
	done
'

test_expect_success 'options of git apply, and of changed commits' '
	copy && (cd repo && printf "x \n" >w && git add w && git commit -qm white) && git -C repo rebase --whitespace=fix topic~1 >out 2>err &&
	echo x >expect && test_cmp expect repo/w &&
	copy && git -C repo rebase --apply --signoff --committer-date-is-author-date m1 >out && git -C repo log -1 --format="%B" >msg && test_grep "^Signed-off-by:" msg &&
	git -C repo log -1 --format=%cd >out && git -C start log -1 --format=%ad topic >expect && test_cmp expect out &&
	stop -C1 --whitespace=fix --ignore-whitespace --signoff -q --rerere-autoupdate && test_grep "^Patch failed" out && test 1 = $(wc -l <out) &&
	echo " '\''-C1'\'' '\''--whitespace=fix'\'' '\''--ignore-whitespace'\''" >expect && test_cmp expect repo/.git/rebase-apply/apply-opt &&
	echo t >expect && test_cmp expect repo/.git/rebase-apply/sign && test_must_be_empty repo/.git/rebase-apply/quiet &&
	echo --rerere-autoupdate >expect && test_cmp expect repo/.git/rebase-apply/allow_rerere_autoupdate &&
	resolve && git -C repo rebase --continue >out && git -C repo log -1 --format="%B" >msg && test_grep "^Signed-off-by:" msg
'

refused() { local text=$1; shift; test_expect_code 128 git -C repo "$@" m1 2>err && echo "fatal: $text" >expect && test_cmp expect err; }

test_expect_success 'options of the other backend are refused, in the words of Git' '
	copy && both="apply options and merge options cannot be used together" &&
	for o in --exec=true --empty=drop --strategy=ort --trailer=a:b --keep-empty --reapply-cherry-picks --update-refs --rebase-merges --autosquash
	do
		refused "${o%=*} requires the merge backend" rebase --apply $o || return
	done &&
	for o in --apply -C1 "-c rebase.backend=apply"
	do
		case $o in -c*) set -- $o rebase ;; *) set -- rebase $o ;; esac
		refused "--reschedule-failed-exec requires --exec or --interactive" "$@" --reschedule-failed-exec || return
	done &&
	refused "--strategy requires the merge backend" rebase --apply -Xours && refused "$both" rebase --apply -i && refused "$both" rebase -C1 -m &&
	refused "$both" rebase --whitespace=fix -x true && refused "--update-refs requires the merge backend" rebase -C1 --update-refs &&
	refused "switch \`C'\'' expects a numerical value" rebase -Cx && refused "Invalid whitespace option: '\''bad'\''" rebase --whitespace=bad &&
	refused "apply options are incompatible with rebase.updateRefs.  Consider adding --no-update-refs" -c rebase.updateRefs rebase --apply &&
	refused "apply options are incompatible with rebase.rebaseMerges.  Consider adding --no-rebase-merges" -c rebase.rebaseMerges rebase --apply &&
	git -C repo -c rebase.updateRefs -c rebase.rescheduleFailedExec rebase -q --apply --no-update-refs m1 && copy &&
	git -C repo -c rebase.updateRefs -c rebase.backend=apply rebase m1 >out && test_grep Applying out &&
	test_expect_code 128 git -C repo rebase --apply --root 2>err && test_grep "^fatal: --root without --onto requires the merge backend$" err
'

# signed MESSAGE: what --signoff makes of it
signed() {
	copy && (cd repo && echo s >s && git add s && printf "$1" | git commit -q --cleanup=verbatim -F - && git rebase -q --apply --signoff topic~1 >/dev/null &&
		 git cat-file commit HEAD | sed "1,/^$/d")
}

test_expect_success 'blank lines and comments at the end of a message stay where --signoff adds a line' '
	by=$(git -C start var GIT_COMMITTER_IDENT | sed "s/>.*/>/;s/^/Signed-off-by: /") &&
	signed "a\n" >out && printf "a\n\n$by\n" >expect && test_cmp expect out &&
	signed "a\n\n\n" >out && printf "a\n\n\n$by\n" >expect && test_cmp expect out &&
	signed "a\n \n" >out && printf "a\n \n\n$by\n" >expect && test_cmp expect out &&
	signed "a\n\nb: c\n \n" >out && printf "a\n\nb: c\n \n$by\n" >expect && test_cmp expect out &&
	signed "a\n\nb\n# c\n" >out && printf "a\n\nb\n# c\n\n$by\n" >expect && test_cmp expect out &&
	signed "a\n\nb: c\n\n# c" >out && printf "a\n\nb: c\n\n# c\n$by\n" >expect && test_cmp expect out &&
	signed "a\n\n$by\n\n" >out && printf "a\n\n$by\n\n" >expect && test_cmp expect out
'

test_expect_success '--root with --onto; empty and merge commits' '
	copy && git -C repo rebase -q --apply --root --onto m1 && git -C repo log --format=%s m1..topic >log && printf "three\ntwo\none\n" >expect && test_cmp expect log &&
	copy && (cd repo && git checkout -q topic~1 && git commit -q --allow-empty -m empty && git checkout -q -B topic && git merge -q --no-ff -m merge m1) &&
	test_expect_code 1 git -C repo rebase --apply m1 >out && test_grep "^Patch is empty.$" out && git -C repo rebase --skip && git -C repo log --format=%s m1..topic >log &&
	printf "two\none\n" >expect && test_cmp expect log
'

test_expect_success 'binary files, modes, links; an empty commit where upstream has one' '
	copy && (cd repo && git checkout -q topic~1 && printf "a\0b" >bin && git add bin && git commit -qm bin && printf "c\0d" >bin && chmod +x f && ln -s f link &&
		 git add . && git commit -qm other && git commit -q --allow-empty -m empty && git checkout -q -B topic && git rev-parse HEAD: >../tree &&
		 git checkout -q -b with m1 && git commit -q --allow-empty -m "empty, too" && git checkout -q topic) &&
	git -C repo rebase -q --apply with && git -C repo log --format=%s with..topic >log && printf "other\nbin\ntwo\none\n" >expect && test_cmp expect log &&
	git -C repo rm -q --cached m && git -C repo write-tree >out && test_cmp tree out
'

test_expect_success 'a file that is of another type now is not listed before the merge' '
	copy && (cd repo && git checkout -q -B m1 m1 && rm f && ln -s g f && git commit -qam link && git checkout -q topic) &&
	test_expect_code 1 git -C repo rebase --apply m1 >out 2>err && test_grep "^Using index info" out && test_grep ! "	f$" out
'

test_expect_success 'a branch that is named: ORIG_HEAD is its tip, --abort leads there' '
	copy && git -C repo checkout -q m1 && test_expect_code 1 git -C repo rebase --apply main topic >out 2>err &&
	test "$(git -C repo rev-parse ORIG_HEAD)" = "$(git -C start rev-parse topic)" && git -C repo rebase --abort && test "$(git -C repo symbolic-ref HEAD)" = refs/heads/topic
'

test_expect_success 'local changes come back after --autostash' '
	copy && echo local >>repo/g && git -C repo rebase --apply --autostash m1 >out 2>err && test_grep "^Applied autostash" err && test_grep local repo/g &&
	copy && echo local >>repo/g && test_expect_code 1 git -C repo rebase --apply --autostash main >out 2>err && test_path_is_file repo/.git/rebase-apply/autostash && test_grep ! local repo/g &&
	resolve && git -C repo rebase --continue >out 2>err && test_grep "^Applied autostash" err && test_grep local repo/g &&
	copy && echo local >>repo/g && test_expect_code 1 git -C repo rebase --apply --autostash main >out 2>err && git -C repo am --quit 2>err && git -C repo stash list >out && test_grep autostash out
'

test_expect_success 'an untracked file is in the way of the new base' '
	copy && echo mine >repo/m && test_expect_code 1 git -C repo rebase --apply m1 2>err && test_grep "^error: Could not detach HEAD$" err &&
	test_grep "would be overwritten by checkout" err && test "$(cat repo/m)" = mine && test "$(git -C repo symbolic-ref HEAD)" = refs/heads/topic &&
	test_path_is_missing repo/.git/rebase-apply && echo local >>repo/g && test_expect_code 1 git -C repo rebase --apply --autostash m1 2>err &&
	test_grep "^error: Could not detach HEAD$" err && test_grep "^Applied autostash" err && test_grep local repo/g && test_path_is_missing repo/.git/rebase-apply &&
	git -C repo checkout -q -f -b low topic~3 && echo local >>repo/f && test_expect_code 1 git -C repo rebase --apply --autostash m1 2>err &&
	test_grep "^error: Could not detach HEAD$" err && test_grep "^Applied autostash" err && test_grep local repo/f && test_path_is_missing repo/.git/rebase-apply
'

test_expect_success 'hooks, and what they see' '
	copy && for h in pre-rebase post-checkout applypatch-msg pre-applypatch post-applypatch post-rewrite pre-commit post-commit
	do
		write_script repo/.git/hooks/$h <<-END || return
		echo "$h \$* (\$GIT_REFLOG_ACTION)" >>"$PWD/hooks"
		test $h != post-rewrite || cat >"$PWD/rewritten"
		test $h != post-checkout || git log -1 --format=%s >"$PWD/at"
		END
	done && git -C repo checkout -q -B topic topic~1 && rm -f hooks &&
	from=$(git -C repo rev-parse topic) && git -C repo rebase -q --apply m1 && onto=$(git -C repo rev-parse m1) &&
	cat >expect <<-EOF &&
	pre-rebase m1 ()
	post-checkout $from $onto 1 ()
	applypatch-msg .git/rebase-apply/final-commit (rebase (pick))
	pre-applypatch  (rebase (pick))
	post-applypatch  (rebase (pick))
	applypatch-msg .git/rebase-apply/final-commit (rebase (pick))
	pre-applypatch  (rebase (pick))
	post-applypatch  (rebase (pick))
	post-rewrite rebase (rebase (pick))
	EOF
	test_cmp expect hooks && echo m1 >expect && test_cmp expect at &&
	{ echo "$(git -C start rev-parse topic~2) $(git -C repo rev-parse topic~1)" && echo "$(git -C start rev-parse topic~1) $(git -C repo rev-parse topic)"; } >expect &&
	test_cmp expect rewritten
'

test_expect_success 'notes follow their commits' '
	copy && git -C repo notes add -m noted topic && GIT_AUTHOR_NAME=Ann git -C repo -c notes.rewriteRef=refs/notes/commits rebase -q --apply m1 && git -C repo notes show topic >out &&
	echo noted >expect && test_cmp expect out && git -C repo log -1 --format="%an, %cn" refs/notes/commits >out && echo "Ann, $GIT_COMMITTER_NAME" >expect && test_cmp expect out
'

test_expect_success 'am --retry in a rebase: what the commits became is not lost, and told once' '
	copy && mkdir -p repo/.git/hooks && printf "#!/bin/sh\ncat >\"$PWD/rewritten\"\n" >repo/.git/hooks/post-rewrite && chmod +x repo/.git/hooks/post-rewrite &&
	(cd repo && git checkout -q topic && test_expect_code 1 git rebase --apply main && git reset -q --hard &&
	 sed "s/m8/l8/" f >g && mv g f && git commit -qam back && git am --retry && git rebase --continue && test_line_count = 3 ../rewritten &&
	 printf "%s\n" $(git rev-list --reverse -2 HEAD~2) $(git rev-parse HEAD) >new && cut -d" " -f2 ../rewritten >told && test_cmp new told)
'

test_done
