#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='gc: everything in its order, the options, --auto, one at a time'
. "$(dirname "$0")/test-lib.sh"

if git repack -h 2>&1 | grep -q "not available here"; then
	skip_all='there is no repack yet, which gc needs'
	test_done
fi

P=.git/objects/pack

where () {
	echo ".git/objects/$(echo "$1" | sed "s|^..|&/|")"
}

age () {
	local s=$1 path
	shift
	for path; do
		touch -d "@$(($(date +%s) - s))" "$path" || return
	done
}

blob () {
	echo "$*" | git hash-object -w --stdin
}

commit_of () {
	local b t
	b=$(blob "in commit $1") && t=$(printf "100644 blob $b\tfile\n" | git mktree) &&
	echo "$1" | git commit-tree -p HEAD $t
}

has () {
	for oid; do git cat-file -e "$oid" || return; done
}

has_not () {
	for oid; do test_must_fail git cat-file -e "$oid" 2>/dev/null || return; done
}

# packs: how many; without .keep and .mtimes
packs () {
	ls $P | grep -c "\.pack$" || :
}

test_expect_success 'setup' '
	git init -q repo && cd repo &&
	for i in 1 2 3 4 5; do test_commit -C . --tag t$i $i || return; done &&
	git branch side HEAD~2 && git reflog drop --all && { test_have_prereq REFFILES || git pack-refs; } &&
	git update-ref refs/tags/last HEAD && cd .. && cp -a repo template
'

begin () {
	cd "$TRASH_DIRECTORY" && rm -rf repo && cp -a template repo && cd repo
}

# packed_refs: all refs are packed, or in one table. loose_refs DIR: they are not
packed_refs () {
	if test_have_prereq REFFILES; then
		test "$(find .git/refs -type f | wc -l)" = 0 && test_path_is_file .git/packed-refs
	else
		test_line_count = 1 .git/reftable/tables.list
	fi
}

loose_refs () {
	if test_have_prereq REFFILES; then
		test_path_is_missing "$1/packed-refs"
	else
		test_line_count -gt 1 "$1/reftable/tables.list"
	fi
}

# ---- all of it -------------------------------------------------------------

test_expect_success 'refs, objects, commit-graph' '
	begin && git for-each-ref >../refs && git gc 2>err &&
	git for-each-ref >after && test_cmp ../refs after &&
	packed_refs && test $(packs) = 1 && find .git/objects -path "*/??/*" -type f >loose && test_must_be_empty loose &&
	git commit-graph verify && test_path_is_file .git/objects/info/commit-graph && git fsck --strict &&
	test_path_is_missing .git/gc.pid && test_path_is_missing .git/gc.log
'

test_expect_success 'a second one has nothing to pack' '
	begin && git gc -q && git gc >out && test $(packs) = 1 && test ! -e .git/gc.pid && git fsck
'

test_expect_success 'settings that are bad stop it before anything is done' '
	git init -q settings && for s in gc.auto=junk gc.logExpiry=junk gc.autoPackLimit=junk gc.pruneExpire=junk gc.worktreePruneExpire=junk gc.packRefs=junk gc.cruftPacks=junk gc.maxCruftSize=junk gc.bigPackThreshold=junk; do
		test_expect_code 128 git -C settings -c $s gc -q 2>err && test_grep "$(echo ${s%=*} | tr A-Z a-z)" err || return
	done
'

test_expect_success '-q says nothing, other words are wrong' '
	begin && git gc -q >out 2>&1 && test_must_be_empty out &&
	test_expect_code 129 git gc --no-such-option 2>err && test_expect_code 129 git gc word 2>err &&
	test_expect_code 128 git gc --prune=nonsense 2>err && test_grep "failed to parse prune expiry value nonsense" err
'

test_expect_success 'in an empty repository, and in a bare one' '
	rm -rf ../empty && git init -q --bare ../empty && git -C ../empty gc && git -C ../empty fsck
'

test_expect_success 'gc removes objects of reflog entries that it expires' '
	begin && GIT_COMMITTER_DATE="$(date +%s) +0000" && c=$(commit_of gone) && git update-ref --create-reflog refs/heads/x $c && git update-ref -d refs/heads/x &&
	git update-ref HEAD $c && git update-ref HEAD HEAD~ && f=$(git rev-parse $c:file) &&
	git gc -q --prune=now && has $c $f &&
	git -c gc.reflogExpire=now -c gc.reflogExpireUnreachable=now gc -q --prune=now && has_not $c $f && git fsck --strict
'

test_expect_success 'gc.<pattern>.reflogExpire keeps some' '
	begin && GIT_COMMITTER_DATE="$(date +%s) +0000" && c=$(commit_of kept) && git update-ref --create-reflog refs/heads/x $c && git update-ref refs/heads/x HEAD &&
	git -c gc.reflogExpire=now -c gc.reflogExpireUnreachable=now -c gc.refs/heads/x.reflogExpire=never \
		-c gc.refs/heads/x.reflogExpireUnreachable=never gc -q --prune=now && has $c
'

# ---- what is not reachable -------------------------------------------------

test_expect_success 'by default it goes into a cruft pack until it is two weeks old' '
	begin && c=$(commit_of young) && old=$(blob old) && age $((15 * 86400)) "$(where $old)" &&
	git gc -q && has $c && has_not $old && ls $P/*.mtimes && test ! -e "$(where $c)" &&
	age $((15 * 86400)) $P/* && git gc -q && has $c &&
	git gc -q --prune=now && has_not $c && test_must_fail ls $P/*.mtimes && git fsck --strict
'

test_expect_success 'gc.pruneExpire, and --prune over it; never; --no-prune' '
	begin && old=$(blob old) && age 86400 "$(where $old)" && git config gc.pruneExpire never &&
	git gc -q && has $old && git gc -q --prune && has $old && git gc -q --prune=now --prune && has $old && git gc -q --no-cruft --prune=now --prune && has $old && git gc -q --no-prune --prune=now && has_not $old &&
	old=$(blob old) && age 86400 "$(where $old)" && git config gc.pruneExpire 1.hour.ago && git gc -q --no-prune && has $old &&
	for bad in nonsense all false 2099-01-01; do
		git config gc.pruneExpire $bad && test_expect_code 128 git gc 2>err && test_grep -i "gc.pruneexpire" err && has $old || return
	done
'

test_expect_success '--auto: few loose refs stay as they are' '
	begin && for i in 1 2 3; do echo $(blob $i) | git pack-objects -q $P/pack || return; done && git -c gc.autoPackLimit=1 gc --auto --no-detach -q &&
	test $(ls $P/*.pack | grep -c .) -lt 3 && loose_refs .git && git gc -q && packed_refs
'

test_expect_success 'gc.maxCruftSize, --max-cruft-size: at least 1 MiB, with a warning' '
	for how in "-c gc.maxCruftSize=1 gc" "gc --max-cruft-size=1"; do
		begin && c=$(commit_of young) && old=$(blob old) && git $how 2>err && echo "warning: minimum pack size limit is 1 MiB" >want && test_cmp want err &&
		test $(ls $P/*.mtimes | wc -l) = 1 || return
	done
'

test_expect_success '--no-cruft and gc.cruftPacks=false: loose, until they are old' '
	begin && c=$(commit_of young) && old=$(blob old) && age $((15 * 86400)) "$(where $old)" &&
	git gc -q && has $c && git gc -q --no-cruft && test_path_is_file "$(where $c)" && has_not $old &&
	test_must_fail ls $P/*.mtimes && git -c gc.cruftPacks=false gc -q && test_path_is_file "$(where $c)" &&
	git -c gc.cruftPacks=false gc -q --cruft && ls $P/*.mtimes && test_path_is_missing "$(where $c)"
'

test_expect_success '--expire-to: a pack of what goes' '
	begin && c=$(commit_of gone) && age 100 "$(where $c)" && git gc -q --prune=now --expire-to="$PWD/../expired" &&
	has_not $c && git show-index <$(echo ../expired-*.idx) >list && test_grep $c list
'

test_expect_success 'extensions.preciousObjects: objects are left alone, the rest is done' '
	begin && git config extensions.preciousObjects true && old=$(blob old) && age 9999999 "$(where $old)" &&
	git gc -q --prune=now && has $old && test_path_is_file "$(where $old)" && test $(packs) = 0 &&
	packed_refs
'

test_expect_success 'gc keeps objects that gc.recentObjectsHook names, and objects reachable from them' '
	begin && c=$(commit_of hooked) && f=$(git rev-parse $c:file) && d=$(commit_of gone) && age 9999999 .git/objects/??/* &&
	git config gc.recentObjectsHook "echo $c" && git gc -q && has $c $f && has_not $d &&
	git config gc.recentObjectsHook false && d=$(commit_of gone) && age 9999999 "$(where $d)" &&
	test_expect_code 128 git gc -q 2>err && has $d $c
'

test_expect_success 'gc keeps objects of a borrower that is an alternate' '
	begin && c=$(commit_of lent) && f=$(git rev-parse $c:file) && d=$(commit_of gone) && age 9999999 .git/objects/??/* &&
	rm -rf ../fork && git init -q ../fork && echo "$PWD/.git/objects" >../fork/.git/objects/info/alternates &&
	git -C ../fork update-ref refs/heads/b $c && echo "$TRASH_DIRECTORY/fork/.git/objects" >.git/objects/info/alternates &&
	git gc -q && has $c $f && has_not $d && git -C ../fork fsck --strict &&
	age 9999999 $P/* && git gc -q && has $c $f && git gc -q --prune=now && has $c $f && git -C ../fork fsck --strict
'

test_expect_success 'a reachable object is missing: nothing is removed' '
	begin && old=$(blob old) && age 9999999 "$(where $old)" && rm -f "$(where $(git rev-parse HEAD~2^{tree}))" &&
	test_expect_code 128 git gc -q 2>err && test_path_is_file "$(where $old)" && test_path_is_file "$(where $(git rev-parse HEAD))"
'

# ---- options and configuration ---------------------------------------------

test_expect_success '--keep-largest-pack and gc.bigPackThreshold' '
	begin && for i in 1 2 3 4 5 6 7 8 9; do seq $((i * 1000)) $((i * 1000 + 900)) | sed "s/.*/& & $i/" | sha256sum; seq $i 999; done >big &&
	git add big && git commit -q -m big && git gc -q && large=$(ls $P/*.pack) && test_commit -C . more &&
	git gc -q --keep-largest-pack && test_path_is_file $large && test $(packs) = 2 && test_commit -C . again &&
	git gc -q --keep-largest-pack && test_path_is_file $large && test $(packs) = 2 &&
	git -c gc.bigPackThreshold=1k gc -q && test_path_is_file $large &&
	git -c gc.bigPackThreshold=1g gc -q && test_path_is_missing $large && test $(packs) = 1
'

test_expect_success 'a pack with a .keep stays' '
	begin && git gc -q && kept=$(ls $P/*.pack) && >${kept%pack}keep && test_commit -C . more && git gc -q &&
	test_path_is_file $kept && test $(packs) = 2
'

test_expect_success 'gc.packRefs=false, notbare; gc.writeCommitGraph=false; core.commitGraph=false' '
	begin && git -c gc.packRefs=false -c gc.writeCommitGraph=false gc -q && loose_refs .git &&
	test_path_is_missing .git/objects/info/commit-graph &&
	git -c gc.packRefs=notbare -c core.commitGraph=false gc -q && packed_refs &&
	test_path_is_missing .git/objects/info/commit-graph && cd .. && rm -rf bare && cp -a template/.git bare &&
	git -C bare config core.bare true && git -C bare -c gc.packRefs=notbare gc -q && loose_refs bare
'

test_expect_success '--aggressive' '
	begin && git gc -q --aggressive && git fsck --strict && test $(packs) = 1
'

test_expect_success 'worktrees that are gone; gc.worktreePruneExpire' '
	begin && for w in gone locked there fresh; do
		mkdir -p .git/worktrees/$w ../wt-$w && echo ../.. >.git/worktrees/$w/commondir &&
		echo "ref: refs/heads/side" >.git/worktrees/$w/HEAD && echo "$TRASH_DIRECTORY/wt-$w/.git" >.git/worktrees/$w/gitdir &&
		echo "gitdir: $PWD/.git/worktrees/$w" >../wt-$w/.git && cp .git/index .git/worktrees/$w/index &&
		age $((100 * 86400)) .git/worktrees/$w/index || return
	done &&
	>.git/worktrees/locked/locked && touch .git/worktrees/fresh/index &&
	rm -rf ../wt-gone ../wt-locked ../wt-fresh && git -c gc.worktreePruneExpire=never gc -q &&
	test_path_is_dir .git/worktrees/gone && git gc -q && test_path_is_missing .git/worktrees/gone &&
	for w in locked there fresh; do test_path_is_file .git/worktrees/$w/gitdir || return; done &&
	rm .git/worktrees/locked/locked && rm -rf ../wt-there && git -c gc.worktreePruneExpire=now gc -q &&
	test_path_is_missing .git/worktrees && git fsck
'

test_expect_success 'a worktree without gitdir, and a second entry for one place' '
	begin && for w in a b c; do
		mkdir -p .git/worktrees/$w ../wt-a && echo ../.. >.git/worktrees/$w/commondir &&
		echo "ref: refs/heads/side" >.git/worktrees/$w/HEAD && echo "$TRASH_DIRECTORY/wt-a/.git" >.git/worktrees/$w/gitdir || return
	done && echo "gitdir: $PWD/.git/worktrees/a" >../wt-a/.git && rm .git/worktrees/c/gitdir &&
	git gc -q && ls .git/worktrees >left && echo a >want && test_cmp want left && rm -rf ../wt-a
'

test_expect_success 'recorded resolutions that are old' '
	begin && for d in young old resolved gone; do mkdir -p .git/rr-cache/$d && echo x >.git/rr-cache/$d/preimage || return; done &&
	for d in resolved gone; do echo y >.git/rr-cache/$d/postimage || return; done &&
	echo x >.git/rr-cache/young/preimage.1 &&
	age $((20 * 86400)) .git/rr-cache/*/* && touch .git/rr-cache/young/preimage && age $((70 * 86400)) .git/rr-cache/gone/* &&
	git gc -q && ls .git/rr-cache/* >left && printf "%s\n" .git/rr-cache/resolved: postimage preimage "" .git/rr-cache/young: preimage >want &&
	test_cmp want left && git -c gc.rerereResolved=10 -c gc.rerereUnresolved=never gc -q && ls .git/rr-cache >left && echo young >want && test_cmp want left
'

test_expect_success 'an index without its pack goes' '
	begin && git gc -q && cp $P/*.idx $P/pack-$ZERO_OID.idx && git gc -q && test_path_is_missing $P/pack-$ZERO_OID.idx && git fsck
'

# ---- one at a time ---------------------------------------------------------

test_expect_success 'gc.pid of a running process, or of another host' '
	begin && echo "$$ $(uname -n)" >.git/gc.pid && test_expect_code 128 git gc 2>err &&
	test_grep "gc is already running on machine .$(uname -n). pid $$ (use --force if not)" err &&
	git -c gc.auto=1 gc --auto --no-detach && echo "1 elsewhere" >.git/gc.pid && test_expect_code 128 git gc 2>err &&
	test_grep "machine .elsewhere. pid 1" err && test_path_is_file .git/gc.pid &&
	git gc -q --force && test_path_is_missing .git/gc.pid && test $(packs) = 1
'

test_expect_success 'gc.pid of a dead process, or an old one, is ignored' '
	begin && echo "1 elsewhere" >.git/gc.pid && age 43300 .git/gc.pid && git gc -q &&
	sh -c "echo \$\$" >pid && echo "$(cat pid) $(uname -n)" >.git/gc.pid && git gc -q && echo garbage >.git/gc.pid && git gc -q
'

test_expect_success 'while it runs, gc.pid names it' '
	begin && git config gc.recentObjectsHook "cp .git/gc.pid ../pid; true" && rm -f ../pid && blob stray && age 9999999 .git/objects/??/* &&
	git gc -q --no-cruft && test_grep "^[0-9][0-9]* $(uname -n)$" ../pid && test_path_is_missing .git/gc.pid
'

# ---- --auto ----------------------------------------------------------------

# fill N: loose objects; two of them are in objects/17
fill () {
	test -f ../seventeen || for i in $(seq 1 3000); do echo "17 $i" | git hash-object --stdin | grep -q ^17 && echo "17 $i"; done >../seventeen
	while read -r line; do echo "$line" | git hash-object -w --stdin >/dev/null || return; done <../seventeen
}

test_expect_success '--auto does nothing unless it is needed' '
	begin && git gc --auto 2>err && test_must_be_empty err && test $(packs) = 0 && fill &&
	nr=$(ls .git/objects/17 | wc -l) && test $nr -ge 3 &&
	git -c gc.auto=$((nr * 256)) gc --auto 2>err && test_must_be_empty err && test $(packs) = 0 &&
	git -c gc.auto=0 gc --auto 2>err && test_must_be_empty err && test $(packs) = 0 &&
	git -c gc.auto=$((nr * 256 - 256)) -c gc.autoDetach=false gc --auto 2>err && test $(packs) -ge 1 &&
	test_grep "Auto packing the repository for optimum performance" err &&
	test_grep "There are too many unreachable loose objects; run .git prune. to remove them" err
'

test_expect_success '... or there are many packs' '
	begin && for i in 1 2 3 4; do git rev-parse HEAD~$i | git pack-objects --revs $P/pack >/dev/null || return; done &&
	git -c gc.autoPackLimit=4 gc --auto 2>err && test_must_be_empty err && test $(packs) = 4 &&
	git -c gc.autoPackLimit=0 gc --auto 2>err && test_must_be_empty err &&
	>$(ls $P/*.pack | head -n 1 | sed "s/pack$/keep/") && git -c gc.autoPackLimit=3 gc --auto && test $(packs) = 4 && rm $P/*.keep &&
	git -c gc.autoPackLimit=3 gc --auto --no-detach -q 2>err && test_must_be_empty err && test $(packs) = 1 && git fsck
'

test_expect_success 'the hook pre-auto-gc can refuse' '
	begin && fill && write_script .git/hooks/pre-auto-gc <<-\EOS &&
	exit 1
	EOS
	git -c gc.auto=1 gc --auto --no-detach && test $(packs) = 0 && rm .git/hooks/pre-auto-gc &&
	git -c gc.auto=1 gc --auto --no-detach -q 2>err && test $(packs) = 1
'

# await CMD...: until it succeeds
await () {
	until "$@"; do sleep 0.05; done
}

is_idle () {
	! test -e .git/gc.pid && ! test -e .git/gc.pid.lock && ! test -e .git/gc.log.lock
}

test_expect_success 'in the background: the caller does not wait, not even for the end of its output' '
	begin && fill && rm -f ../go && mkfifo ../go && write_script slow <<-\EOS &&
	cat ../go >/dev/null
	EOS
	git config gc.recentObjectsHook ./slow && blob stray && age 9999999 .git/objects/??/* && git config gc.cruftPacks false &&
	(git -c gc.auto=1 gc --auto; echo $? >../code) 2>&1 | cat >../said && test "$(cat ../code)" = 0 &&
	test_grep "Auto packing the repository in background for optimum performance" ../said &&
	await test -f .git/gc.pid && echo >../go && await is_idle && test $(packs) = 1 && test_path_is_missing .git/gc.log && git fsck
'

test_expect_success 'gc --auto writes its errors to gc.log, and then does nothing for a day' '
	begin && fill && t=$(git rev-parse HEAD~2^{tree}) && mv "$(where $t)" ../missing && git config gc.auto 1 && git gc --auto 2>err &&
	await test -f .git/gc.log && await is_idle && test_grep $t .git/gc.log &&
	git gc --auto 2>err && test_grep "The last gc run reported the following" err && test_grep $t err &&
	mv ../missing "$(where $t)" && git gc --auto 2>err && test_grep "last gc run" err && test $(packs) = 0 &&
	age 90000 .git/gc.log && git -c gc.logExpiry=3.days.ago gc --auto 2>err && test_grep "last gc run" err &&
	git gc --auto 2>err && test_grep ! "last gc run" err && : these are still loose, and that is said there, too &&
	await grep -q "too many unreachable loose objects" .git/gc.log && await is_idle && test $(packs) = 1
'

test_expect_success 'one that succeeds in the foreground removes gc.log' '
	begin && echo text >.git/gc.log && git gc -q && test_path_is_missing .git/gc.log
'

# ---- beside others ---------------------------------------------------------

commits () {
	local i=0
	while test $i -lt 25; do
		i=$((i + 1))
		echo "$i" >file && echo same >same && git add . && git commit -q -m "$i" || break
	done
	>../done
}

test_expect_success 'commits at the same time lose nothing' '
	begin && rm -f ../done && { commits & pid=$!; } && while ! test -f ../done; do
		git gc -q --prune=now || break
	done && wait $pid && git gc -q --prune=now && git fsck --strict && test $(git rev-list --count HEAD) = 30
'

test_expect_success 'gc goes on without logs that another process has locked' '
	for format in files reftable; do
		cd "$TRASH_DIRECTORY" && rm -rf logs && git init -q --ref-format=$format logs && cd logs && test_commit -C . one && reflog_lines . >before &&
		case $format in
		files) locks=".git/HEAD.lock .git/$(git symbolic-ref HEAD).lock" ;;
		*) locks=.git/reftable/tables.list.lock ;;
		esac && for lock in $locks; do : >$lock || return 1; done &&
		git -c gc.packRefs=false -c core.filesRefLockTimeout=0 -c reftable.lockTimeout=0 gc -q 2>err && test_grep "^warning: cannot lock re.*File exists" err &&
		reflog_lines . >after && test_cmp before after && test $(packs) = 1 && rm $locks && git gc -q 2>err && test_must_be_empty err &&
		reflog_lines . >after && ! grep one after || return 1
	done
'

test_expect_success 'gc goes on where another process writes packed refs' '
	cd "$TRASH_DIRECTORY" && rm -rf names && git init -q --ref-format=files names && cd names && test_commit -C . one && >.git/packed-refs.lock &&
	git gc -q 2>err && test_grep "^warning: Unable to create .*packed-refs.lock.*File exists" err && test $(packs) = 1 &&
	! test -e .git/packed-refs && test_must_fail git pack-refs && rm .git/packed-refs.lock && git gc -q && grep refs/heads/ .git/packed-refs
'

test_expect_success 'gc keeps objects of a commit that waits for a hook' '
	begin && rm -f ../asked && >../wait && write_script .git/hooks/reference-transaction <<-\EOS &&
	test "$1" = prepared || exit 0
	exec <&-
	grep -q . ../wait && exit 0
	>../asked
	while test -f ../wait; do sleep 0.05; done
	EOS
	old=$(blob found) && age 9999999 "$(where $old)" && echo found >1.t && { git commit -q -a -m slow & pid=$!; } &&
	while ! test -f ../asked; do sleep 0.05; done &&
	git -c gc.packRefs=false gc -q --no-cruft --prune=1.hour.ago && git prune --expire=now &&
	rm ../wait && wait $pid && git fsck --strict && test "$(git cat-file blob HEAD:1.t)" = found
'

test_done
