#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='the order in which add, commit and others make things durable

The recorded calls of real commands keep D1 to D7 (Documentation/Durability). Which
test fails when a rule is taken out:

	D1 contents before names        "add: contents before names", "commit: ...", "fetch: ..."
	D2 names before success         "...: the seal comes last"
	D3 .pack and .rev before .idx   "add: a pack is whole before its idx", "index-pack: ..."
	D4 objects before refs, index   "...: objects first", "...: index last"
	D5 updates before deletions     t/unit/test-fsync-batch d5_...
	D6 a failed flush is final      "...: a failed writeback", "...: a failed seal"
	D7 the writer awaits            "...: awaited by the one that wrote"'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-fault.sh"

# record FILE KIND CMD...: the calls of git CMD in ./repo, with paths as below it
record () {
	local out=$PWD/$1 kind=$2
	shift 2
	rm -f "$out" &&
	(
		cd repo &&
		GIT_TEST_FS_KIND=$kind GIT_TEST_SYSCALL_LOG=$out "$FAULT_GIT" "$@"
	) || return
	sed "s|$PWD/repo/||g; s|tmp_objdir-[^/ ]*|TMP|g" "$out" >"$out.new" &&
	mv "$out.new" "$out"
}

# check_log RULE FILE: does the record keep the rule? Complains about lines.
check_log () {
	awk -v rule="$1" -v kind="${3:-journal}" '
	function bad(why) { print rule ": " why ": line " NR ": " $0; failed = 1 }
	/ = E[A-Z]*/ { next } # did not happen
	$2 ~ /\.git-owner-/ { next } # of no use after a power cut
	function class(path) {
		if (path ~ /^\.git\/objects\//) return path ~ /\.idx$/ ? 2 : path ~ /pack-/ ? 1 : 3
		if (path ~ /^\.git\/reftable\/0x.*\.ref$/) return 7
		if (path ~ /^\.git\/(refs\/|HEAD$|reftable\/tables\.list$)/) return 8
		if (path == ".git/index") return 10
		return 0
	}
	function dir(path) { sub(/\/[^\/]*$/, "", path); return path }

	$1 == "write" || $1 == "writev" || $1 == "pwrite" { written[$2] = NR; awaited[$2] = 0 }
	$1 == "writeout_wait" || $1 == "fsync" { awaited[$2] = NR }
	$1 == "close" {
		if (!($2 in written) || $2 ~ /COMMIT_EDITMSG/) next
		if (rule == "D7" && !awaited[$2]) bad("closed before it was awaited")
		closed++
	}
	$1 == "syncfs" { synced = NR }
	$1 ~ /^(fsync|syncfs|full_fsync)$/ { flushed = NR; flushed_path = $2; flushes++ }
	$1 == "rename" {
		renames++
		# A name in a quarantine is none yet.
		if (rule == "D1" && $3 !~ /^\.git\/objects\/TMP\//) {
			for (path in written)
				if (!awaited[path] && path !~ /COMMIT_EDITMSG|^socket:/)
					bad(path " was not awaited")
			if (kind == "local" && !synced) bad("no syncfs before it")
		}
		if (rule == "D3" && $3 ~ /\.idx$/) {
			idx++
			base = $3
			sub(/\.idx$/, "", base)
			if (!(base ".pack" in named) || !(base ".rev" in named))
				bad("the pack is not whole yet")
		}
		if (rule == "D4" && class($3)) {
			if (class($3) < highest) bad("too late")
			else highest = class($3)
		}
		named[$3] = NR
		last_name = NR
		last_dir = dir($3)
	}
	END {
		if (!renames) bad("nothing was named")
		if (rule == "D1" && !length(written)) bad("nothing was written")
		if (rule == "D2" && flushed < last_name) bad("no seal after the last name")
		if (rule == "D2" && kind == "journal" && flushed_path != last_dir)
			bad("sealed " flushed_path ", not " last_dir)
		if (rule == "D3" && !idx) bad("no idx")
		if (rule == "D4" && highest < 10) bad("no index")
		if (rule == "D7" && !closed) bad("nothing was closed")
		exit failed
	}' "$2" >&4
}

check_rules () {
	local log=$1 kind=$2 rule
	shift 2
	for rule; do
		check_log $rule "$log" "$kind" || {
			cat "$log" >&4
			return 1
		}
	done
}

new_repo () {
	rm -rf repo && git init -q repo && echo one >repo/one && mkdir repo/sub &&
	echo two >repo/sub/two
}

fill () {
	i=0
	while test $i -lt 150; do
		echo "file $i" >repo/sub/f$i || return
		i=$((i + 1))
	done
}

# ---- the checker itself ---------------------------------------------------

test_expect_success 'the checker sees each rule broken' '
	cat >good <<-\EOF &&
	write .git/objects/TMP/t @0 5
	writeout_start .git/objects/TMP/t
	write .git/index.lock @0 5
	writeout_start .git/index.lock
	writeout_wait .git/objects/TMP/t
	writeout_wait .git/index.lock
	close .git/objects/TMP/t
	close .git/index.lock
	rename .git/objects/TMP/t .git/objects/ab/cd
	rename .git/index.lock .git/index
	fsync .git
	EOF
	for rule in D1 D2 D4 D7; do check_log $rule good || return; done &&
	sed "/^writeout_wait .git.index/d" good >bad &&
	! check_log D1 bad 4>/dev/null &&
	! check_log D1 good local 4>/dev/null &&
	sed "/^fsync/d" good >bad &&
	! check_log D2 bad 4>/dev/null &&
	sed "s/^fsync .git/fsync .git.objects/" good >bad &&
	! check_log D2 bad 4>/dev/null &&
	sed -e "/^rename .git.index/d" -e "/^rename/i rename .git/index.lock .git/index" good >bad &&
	! check_log D4 bad 4>/dev/null &&
	sed -e "/^close .git.index/d" -e "/^writeout_wait .git.obj/i close .git/index.lock" good >bad &&
	! check_log D7 bad 4>/dev/null &&
	echo "rename .git/objects/TMP/x .git/objects/pack/pack-1.idx" >bad &&
	! check_log D3 bad 4>/dev/null
'

# ---- add ------------------------------------------------------------------

for kind in journal btrfs local each; do
	test_expect_success "add ($kind): contents before names, objects first, the seal comes last" '
		new_repo &&
		record log $kind add . &&
		check_rules log $kind D1 D2 D4 D7
	'
	test_expect_success "add ($kind): a pack is whole before its idx" '
		new_repo &&
		fill &&
		record log $kind add . &&
		check_rules log $kind D1 D2 D3 D4 D7
	'
done

test_expect_success 'add: writebacks are all started before the first is awaited' '
	new_repo &&
	record log journal add . &&
	sed -n "/^writeout/s/ .*//p" log | uniq -c | sed "s/^ *//" >actual &&
	printf "%s\n" "3 writeout_start" "3 writeout_wait" >expect &&
	test_cmp expect actual
'

# ---- packs and what belongs to them ---------------------------------------

# packed_repo: a history in ./repo, in one pack; and that pack as ./a.pack
packed_repo () {
	new_repo && fill && git -C repo add . && git -C repo commit -q -m one &&
	for i in 1 2 3; do
		echo "$i" >repo/one && git -C repo commit -q -a -m "$i" || return
	done &&
	echo HEAD | git -C repo pack-objects -q --revs --stdout >a.pack
}

test_expect_success 'a history for packs' '
	packed_repo && mv repo source
'

# layers_in_order LOG: .bitmap, .midx, chain, and only then a layer is removed; all of it before the last flush
layers_in_order () {
	awk '$1 == "rename" && $NF ~ /[.]bitmap$/ { if (midx || chain || gone) bad = 1; bitmap = NR }
	     $1 == "rename" && $NF ~ /[.]midx$/ { if (chain || gone) bad = 1; midx = NR }
	     $1 == "rename" && $NF ~ /-chain$/ { if (!midx || gone) bad = 1; chain = NR }
	     $1 == "unlink" && $NF ~ /[.]midx$/ { if (!chain) bad = 1; gone = NR }
	     $1 ~ /^(fsync|syncfs)$/ { flushed = NR }
	     END { exit bad || !bitmap || !chain || flushed < chain || flushed < gone }' "$1"
}

for kind in journal btrfs local each; do
	test_expect_success "index-pack ($kind): a pack is whole before its idx" '
		rm -rf repo && git init -q repo &&
		: the pack is read through a second descriptor of its own, whose end is none of the first &&
		record log $kind index-pack --stdin --rev-index --keep <a.pack &&
		check_rules log $kind D1 D2 D3
	'
	test_expect_success "pack-objects ($kind): each pack is whole before its idx" '
		rm -rf repo && cp -R source repo &&
		echo HEAD | record log $kind pack-objects -q --revs --max-pack-size=1m .git/objects/pack/pack &&
		check_rules log $kind D1 D2 D3 D7
	'
	test_expect_success "bundle create ($kind): content before the name, then the seal" '
		rm -rf repo && cp -R source repo &&
		record log $kind bundle create -q .git/all.bundle --all &&
		check_rules log $kind D1 D2 D7 && test_grep "^rename .*all.bundle.lock.*all.bundle$" log
	'
	test_expect_success "unpack-objects, commit-graph, multi-pack-index ($kind): contents before names, then the seal" '
		rm -rf repo && git init -q repo &&
		: what arrives is written first, as a file that never gets a name &&
		record log $kind unpack-objects -q <a.pack && check_rules log $kind D2 D3 &&
		rm -rf repo && cp -R source repo && git -C repo index-pack --stdin <a.pack &&
		record log $kind commit-graph write --reachable && check_rules log $kind D1 D2 D7 &&
		record log $kind multi-pack-index write --bitmap && check_rules log $kind D1 D2 &&
		for i in 1 2; do
			echo "$i" | git -C repo hash-object -w --stdin | (cd repo && git pack-objects -q .git/objects/pack/pack) || return 1
		done &&
		git -C repo multi-pack-index write &&
		record log $kind multi-pack-index repack && check_rules log $kind D1 D2 D3 &&
		grep "^rename .*/multi-pack-index$" log && record log $kind multi-pack-index expire &&
		grep "^unlink .*[.]pack$" log
	'
	test_expect_success "layers of the multi-pack-index ($kind): a layer before the chain that names it, and then what it replaces goes" '
		rm -rf repo && cp -R source repo && chain=.git/objects/pack/multi-pack-index.d/multi-pack-index-chain &&
		git -C repo multi-pack-index write --incremental --bitmap &&
		for i in 1 2 3; do
			echo "$i" >repo/layer$i && git -C repo add . && git -C repo commit -q -m $i && git -C repo repack -dq || return 1
			if test $i = 3; then
				record log $kind repack -dbq --write-midx=incremental
			else
				record log $kind multi-pack-index write --incremental --bitmap
			fi && check_rules log $kind D1 D2 && layers_in_order log || return 1
		done &&
		record log $kind multi-pack-index compact --incremental --bitmap $(sed -n "2,3p" repo/$chain) && check_rules log $kind D1 D2 &&
		layers_in_order log && grep "^unlink .*[.]midx$" log
	'
	test_expect_success "maintenance ($kind): loose objects go after their pack, and then the seal" '
		rm -rf repo && git init -q repo && echo x | git -C repo hash-object -w --stdin &&
		record log $kind maintenance run --task=loose-objects && check_rules log $kind D1 D2 D3 &&
		grep "^rename .*/loose-.*[.]idx$" log && ! grep "^unlink .git/objects/[0-9a-f][0-9a-f]/" log &&
		record log $kind maintenance run --task=loose-objects &&
		gone=$(grep -n "^unlink .git/objects/[0-9a-f][0-9a-f]/" log | sed "s/:.*//") &&
		flushed=$(grep -n -E "^(fsync|syncfs) " log | tail -n 1 | sed "s/:.*//") && test "$gone" -lt "$flushed"
	'
done

# removed_last LOG: the first pack file is unlinked after the last .idx has got its name
removed_last () {
	awk "/pack-[0-9a-f]*[.]idx/ && /rename/ { named = NR } /unlink.*pack-[0-9a-f]*[.]idx/ && !gone { gone = NR }
		END { exit !(named && gone > named) }" "$1"
}

for kind in journal btrfs local each; do
	test_expect_success "repack ($kind): packs are whole before their idx; what they replace goes last" '
		rm -rf repo && cp -R source repo && git -C repo repack -q -d && git -C repo commit -q --allow-empty -m more &&
		record log $kind repack -adbq && check_rules log $kind D1 D3 && removed_last log &&
		: what a dead one leaves lies in a directory that tells so &&
		test_grep ! "objects/pack/tmp_" log && test_grep "TMP/tmp_bitmap_" log &&
		: the last name is one that goes, so that the directory of that is sealed &&
		test_grep "^\(fsync\|syncfs\|full_fsync\) " log
	'
done

# upkeep KIND CMD...: git CMD in a copy of ./source-2; what it replaces goes after all that is new, before the last flush
upkeep () {
	local kind=$1
	shift
	rm -rf repo && cp -R source-2 repo && record log $kind "$@" && check_rules log $kind D1 &&
	{ ! grep -q "^rename .*[.]idx$" log || check_rules log $kind D3; } &&
	awk "/ = E/ || /[.]git-owner-/ { next } /^rename.*\/pack\/[^ ]*$/ { named = NR } \$1 ~ /^(fsync|syncfs|full_fsync)\$/ { flushed = NR }
		/^unlink.*pack-[0-9a-f]*[.](idx|pack)/ { gone = NR; if (!first) first = NR }
		END { exit !(named && flushed > named && (!gone || (first > named && flushed > gone))) }" log
}

test_expect_success 'a history in packs, with what nothing leads to' '
	packed_repo && git -C repo config gc.auto 0 && git -C repo repack -dq && for i in 1 2 3; do
		echo "$i again" >repo/one && git -C repo commit -q -a -m "$i" && git -C repo repack -dq || return
	done && for i in 1 2 3; do echo "stray $i" | git -C repo hash-object -w --stdin || return; done &&
	git -C repo commit -q --allow-empty -m more && mkdir -p repo/.git/away/pack && echo ../away >repo/.git/objects/info/alternates &&
	(cd repo/.git/objects/pack && ls -- *.pack) >packs && rm -rf source-2 && mv repo source-2
'

for kind in journal btrfs local each; do
	test_expect_success "repack --filter, --cruft, --geometric ($kind): what they replace goes last" '
		upkeep $kind repack -adq --filter=blob:none && test $(grep -c "^rename .*[.]idx$" log) = 2 &&
		upkeep $kind repack -adq --filter=blob:none --filter-to=.git/away/pack/pack &&
		test $(grep -c "^rename .*[.]idx$" log) = 2 && grep "^rename .*away/pack/pack-.*[.]idx$" log &&
		upkeep $kind repack -dq --cruft && grep "^rename .*[.]mtimes$" log &&
		upkeep $kind repack -dq --geometric=2 --write-midx && grep "^rename .*/multi-pack-index$" log
	'
	test_expect_success "pack-objects --cruft ($kind): its times are there before its index" '
		upkeep $kind pack-objects -q --cruft .git/objects/pack/pack <packs &&
		awk "/^rename.*[.]mtimes/ { times = NR } /^rename.*[.]idx/ { idx = NR } END { exit !(times && times < idx) }" log
	'
	test_expect_success "promisor packs ($kind): .promisor before the index" '
		for i in source-2/.git/objects/pack/*.idx; do : >"${i%idx}promisor" || return 1; done &&
		git -C source-2 config extensions.partialClone origin && upkeep $kind repack -adq &&
		awk "/^(rename|open|link).*[.]promisor/ { promisor = NR } /^rename.*[.]idx/ && !idx { idx = NR } END { exit !(promisor && promisor < idx) }" log &&
		rm -f source-2/.git/objects/pack/*.promisor && git -C source-2 config --unset extensions.partialClone
	'
	test_expect_success "maintenance, geometric-repack and incremental-repack ($kind): what they replace goes last" '
		upkeep $kind maintenance run --quiet --task=geometric-repack && grep "^unlink .*[.]pack$" log &&
		git -C source-2 multi-pack-index write && upkeep $kind maintenance run --quiet --task=incremental-repack &&
		grep "^rename .*/multi-pack-index$" log && rm -f source-2/.git/objects/pack/multi-pack-index
	'
	test_expect_success "pseudo-merges ($kind): as other bitmaps, before their index" '
		upkeep $kind -c bitmapPseudoMerge.all.pattern=refs/ -c bitmapPseudoMerge.all.threshold=now \
			-c bitmapPseudoMerge.all.stableThreshold=now multi-pack-index write --bitmap &&
		awk "/^rename.*[.]bitmap/ { bitmap = NR } /^rename.*multi-pack-index\$/ { midx = NR } END { exit !(bitmap && bitmap < midx) }" log
	'
	test_expect_success "commit-graph write --split=replace ($kind): the new file, the chain, and then the old ones go" '
		rm -rf repo && cp -R source repo && for n in 2 1 0; do
			git -C repo rev-parse HEAD~$n | git -C repo commit-graph write --stdin-commits --split=no-merge || return
		done && record log $kind commit-graph write --reachable --split=replace && check_rules log $kind D1 D2 D7 &&
		awk "/^rename.*[.]graph\$/ { graph = NR } /^rename.*-chain\$/ { chain = NR } /^unlink.*[.]graph\$/ && !gone { gone = NR }
			END { exit !(graph && graph < chain && (!gone || gone > chain)) }" log
	'
done

# ---- commit ---------------------------------------------------------------

for kind in journal btrfs local each; do
	test_expect_success "commit ($kind): contents before names, objects first, index last" '
		new_repo &&
		git -C repo add . &&
		record log $kind commit -q -m message &&
		check_rules log $kind D1 D2 D4 D7
	'
	test_expect_success "commit -a ($kind): the same" '
		echo more >>repo/one &&
		record log $kind commit -q -a -m message &&
		check_rules log $kind D1 D2 D4 D7
	'
done

# ---- commands that move HEAD and write files ------------------------------

# moves FILE KIND CMD...: recorded without the files of the working tree, which are not flushed
moves () {
	record "$@" && awk "/^syncfs / || !/^[a-z_]* [^.]/" "$1" >"$1.git" && test "$(wc -l <"$1")" -gt "$(wc -l <"$1.git")" &&
	mv "$1.git" "$1"
}
for kind in journal btrfs local; do
	test_expect_success "reset --hard ($kind): contents before names, HEAD before the index, then the seal" '
		new_repo && git -C repo add . && git -C repo commit -q -m one && fill && git -C repo add . &&
		git -C repo commit -q -m two && git -C repo reset -q --hard HEAD^ &&
		moves log $kind reset -q --hard ORIG_HEAD && check_rules log $kind D1 D2 D4 D7
	'
	test_expect_success "checkout -b ($kind): the same" '
		git -C repo branch next && git -C repo reset -q --hard HEAD^ &&
		moves log $kind checkout -q -b new next && check_rules log $kind D1 D2 D4 D7
	'
done

test_expect_success 'commit: reflogs are awaited before the branch moves' '
	echo more >>repo/one &&
	record log journal commit -q -a -m message &&
	log=logs/HEAD ref=refs/heads/ && { test_have_prereq REFFILES || log=reftable/0x ref=reftable/tables.list; } &&
	grep -n "^writeout_wait .git/$log" log >wait &&
	grep -n "^rename .*$ref" log >name && test_line_count = 1 wait && test_line_count = 1 name &&
	test "$(sed "s/:.*//" wait)" -lt "$(sed "s/:.*//" name)"
'

# names: published and removed names, in order, without locks
names () {
	awk "/ = E/ { next }
		\$1 == \"rename\" { print \$1, \$3 }
		\$1 ~ /^(unlink|fsync)\$/ { print \$1, \$2 }" log | grep -v "\.lock$" |
	sed "s,ref-journal/[0-9a-f]*,ref-journal/ID,; s,reftable/0x.*,reftable/TABLE,; /^fsync/,\${ /^unlink .*TABLE/d; }"
}

# In tables, a transaction with refs and their logs. Tables that it replaces go after the seal (D8).
one_table () {
	cat <<-\EOF
	rename .git/reftable/TABLE
	rename .git/reftable/tables.list
	rename .git/config
	fsync .git
	EOF
}

test_expect_success 'branch -m: log; record (P6), ref, HEAD, the old ones go (D5), no record; settings; or one table' '
	git -C repo branch -m before &&
	git -C repo config branch.before.remote . &&
	record log journal branch -m after &&
	names >out &&
	cat >expect <<-\EOF &&
	rename .git/logs/refs/heads/after
	rename .git/ref-journal/ID
	rename .git/refs/heads/after
	rename .git/HEAD
	unlink .git/refs/heads/before
	unlink .git/logs/refs/heads/before
	unlink .git/ref-journal/ID
	rename .git/config
	fsync .git
	EOF
	{ test_have_prereq REFFILES || one_table >expect; } &&
	test_cmp expect out &&
	check_log D1 log
'

test_expect_success 'branch -D: record (P6), refs and their logs, no record; settings; or one table' '
	git -C repo branch x && git -C repo branch y &&
	git -C repo config branch.x.remote . &&
	record log journal branch -q -D x y &&
	names >out &&
	cat >expect <<-\EOF &&
	rename .git/ref-journal/ID
	unlink .git/refs/heads/x
	unlink .git/logs/refs/heads/x
	unlink .git/refs/heads/y
	unlink .git/logs/refs/heads/y
	unlink .git/ref-journal/ID
	rename .git/config
	fsync .git
	EOF
	{ test_have_prereq REFFILES || one_table >expect; } &&
	test_cmp expect out
'

# ---- fetch, clone -----------------------------------------------------------

# refs_after_objects LOG: each name of an object, before the first of a ref that is no HEAD of an empty repository (in a table
# from 1 to 1)
refs_after_objects () {
	awk '$1 ~ /^(rename|link|linkat)$/ && $NF ~ /^[.]git.objects/ { objects++; if (refs) bad = 1 }
	     $1 ~ /^(rename|link|linkat)$/ && $NF ~ /^[.]git.(packed-refs$|refs\/.*\/|reftable.0x)/ && $NF !~ /0x0*1-0x0*1-/ { refs++ }
	     END { exit bad || !objects || !refs }' "$1"
}

for kind in journal btrfs local each; do
	test_expect_success "fetch ($kind): the pack is whole before its idx, and all of it before the refs" '
		for head in create never; do
			: the seal comes with origin/HEAD, or with the refs &&
			rm -rf repo && git init -q repo && git -C repo remote add origin ../source &&
			git -C repo config remote.origin.followRemoteHEAD $head &&
			record all $kind -c fetch.unpackLimit=1 fetch -q origin && : but for the connection && sed "/ pipe:/d" all >log &&
			check_rules log $kind D1 D2 D3 && refs_after_objects log || return 1
		done
	'
	test_expect_success "clone ($kind): the pack, the refs, the index; the seal comes last" '
		for from in "file://$PWD/source" "$PWD/source"; do
			rm -rf repo && mkdir repo && record all $kind clone -q "$from" . &&
			: files of the work tree are not flushed, and links keep what has been && sed -n "/^[a-z_]* [.]git/p; /^[a-z_]*sync/p" all >log &&
			check_rules log $kind D2 && { refs_after_objects log || test "$from" = "$PWD/source"; } || return 1
		done
	'
done

# ---- D6 -------------------------------------------------------------------

# failing KIND WHAT CMD...: git CMD, with a call that fails; code in $code
failing () {
	local kind=$1 what=$2
	shift 2
	rm -f log
	code=0
	(
		cd repo &&
		GIT_TEST_FS_KIND=$kind GIT_TEST_SYSCALL_LOG=../log GIT_TEST_SYSCALL_FAIL=$what \
			"$FAULT_GIT" "$@" 2>../err
	) || code=$?
	cat err >&4
	grep -q "(injected)" log
}

no_litter () {
	find repo/.git \( -name "*.lock" -o -name "tmp_*" \) >litter &&
	test_must_be_empty litter
}

for cmd in "add ." "commit -q -m message"; do
	test_expect_success "${cmd%% *}: a failed writeback ends it, nothing is named" '
		new_repo &&
		case "$cmd" in commit*) git -C repo add . ;; esac &&
		failing journal 1:EIO:writeout_wait $cmd &&
		test "$code" != 0 &&
		test_grep "Input/output error" err &&
		test_grep "\\.git/" err &&
		test_grep ! "^rename" log &&
		test_grep ! "^fsync" log &&
		no_litter
	'
	test_expect_success "${cmd%% *} reports a failed seal, and does not try again" '
		new_repo &&
		case "$cmd" in commit*) git -C repo add . ;; esac &&
		failing journal 1:EIO:fsync $cmd &&
		test "$code" != 0 &&
		test_grep "Input/output error" err &&
		grep "^fsync" log >flushes &&
		test_line_count = 1 flushes &&
		no_litter
	'
	test_expect_success "${cmd%% *}: a failed syncfs before the names ends it" '
		new_repo &&
		case "$cmd" in commit*) git -C repo add . ;; esac &&
		failing local 1:EIO:syncfs $cmd &&
		test "$code" != 0 &&
		test_grep ! "^rename" log &&
		no_litter
	'
done

test_done
