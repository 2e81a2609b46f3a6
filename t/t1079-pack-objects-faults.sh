#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='pack-objects: system calls that fail, a full disk, how many calls and flushes'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-fault.sh"
. "$TEST_DIRECTORY/lib-pack-objects.sh"

GIT_TEST_FS_KIND=journal
export GIT_TEST_FS_KIND

test_expect_success 'setup' '
	make_history repo 30 && all_of repo >all &&
	git -C repo pack-objects --all --delta-base-offset "$PWD/repo/.git/objects/pack/pack" </dev/null &&
	make_history loose 8 && all_of loose >loose.all &&
	head -c 200000 /dev/urandom >repo/noise && git -C repo add noise && git -C repo commit -qm noise
'

# sweep REPO WHAT [OPTIONS]: its first, second, … call fails, until there are no more calls
sweep () {
	local repo=$1 what=$2 n=0 code plus= word
	shift 2
	case $what in *+) plus=+ what=${what%+} ;; esac
	rm -f missed
	while test ! -f missed; do
		n=$((n + 1)) && rm -rf out && mkdir out && code=0 &&
		GIT_TEST_SYSCALL_MISSED=$PWD/missed GIT_TEST_SYSCALL_FAIL=$n$plus:$what \
			"$FAULT_GIT" -C $repo pack-objects --all "$@" "$PWD/out/pack" </dev/null >names 2>err || code=$?
		word="call $n, $what$plus"
		find out $repo/.git -name "tmp_*" -o -name "*.lock" >litter &&
		test_must_be_empty litter || { echo "$word: litter" >&4; return 1; }
		case $code:$what in
		0:*)
			repo_of out/pack-$(cat names) new && all_of new >actual ||
			{ echo "$word: success, but no good pack" >&4; return 1; } ;;
		128:E*)
			find out -type f >left && test_must_be_empty left ||
			grep -q "durability is uncertain" err ||
			{ echo "$word: files are left: $(cat left err)" >&4; return 1; }
			grep -q "/\|object" err || { echo "$word: names nothing: $(cat err)" >&4; return 1; } ;;
		*)
			echo "$word: exit code $code: $(cat err)" >&4
			return 1 ;;
		esac
	done
	echo "$n calls" >&4
	test $n -gt 10
}

for what in EIO ENOSPC+ EINTR short; do
	test_expect_success "packs of a pack: $what" '
		sweep repo $what --delta-base-offset
	'
	test_expect_success "packs of loose objects, several: $what" '
		sweep loose $what --max-pack-size=1m --threads=1
	'
done

test_expect_success 'pack-objects reports an error of the disk while it copies a pack, also to a pipe' '
	for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
		code=0 && rm -f missed &&
		{ GIT_TEST_SYSCALL_MISSED=$PWD/missed GIT_TEST_SYSCALL_FAIL=$n:EIO:pread \
			"$FAULT_GIT" -C repo pack-objects --all --stdout </dev/null 2>err || echo $? >code; } | cat >x.pack &&
		if test -f missed; then break; fi
	done &&
	test -f missed && test_path_is_file code && echo 128 >want && test_cmp want code
'

# The header, pieces of at least 64 KiB, the rest.
test_expect_success 'write calls: at most one for each 65515 bytes, and two' '
	few_writes () {
		for opts in "" "--delta-base-offset" "--no-reuse-object" "--no-reuse-delta --window=0"; do
			rm -f log && GIT_TEST_SYSCALL_LOG=log "$FAULT_GIT" -C $1 pack-objects --all --stdout $opts \
				</dev/null >x.pack &&
			grep -c "^write" log >calls && test $(cat calls) -ge 1 &&
			test $(cat calls) -le $(($(wc -c <x.pack) / 65515 + 2)) || { cat log >&4; return 1; }
		done && test $(wc -c <x.pack) -gt 200000
	} &&
	cp -R repo many && for i in $(seq 80); do head -c 7000 /dev/urandom >many/noise$i || return 1; done &&
	git -C many add . && git -C many commit -qm many && few_writes repo && few_writes many && : with bitmaps, for all and for some of the objects &&
	cp -R many mapped && rm -rf mapped/.git/objects/?? &&
	git -C many pack-objects --all --delta-base-offset --write-bitmap-index "$PWD/mapped/.git/objects/pack/pack" </dev/null &&
	few_writes mapped && echo more >mapped/more && git -C mapped add more && git -C mapped commit -qm more &&
	few_writes mapped
'

test_expect_success 'copying a whole pack: one read for each piece' '
	name=$(ls repo/.git/objects/pack/*.pack) && rm -rf whole && git init -q whole &&
	cp "$name" "${name%pack}idx" whole/.git/objects/pack/ &&
	git -C whole cat-file --batch-all-objects --batch-check="%(objectname)" --unordered >list &&
	rm -f log && GIT_TEST_SYSCALL_FAIL=999:EIO:pread GIT_TEST_SYSCALL_LOG=log "$FAULT_GIT" -C whole pack-objects --delta-base-offset --stdout \
		<list >x.pack && test_cmp_bin "$name" x.pack &&
	grep -c "^pread" log >calls && test $(cat calls) -ge 2 && test $(cat calls) -le $(($(wc -c <x.pack) / 131072 + 3))
'

test_expect_success STRACE 'one flush, however many packs' '
	rm -rf out && mkdir out && head -c 3000000 /dev/urandom >loose/f && git -C loose add f &&
	head -c 900000 /dev/urandom >loose/g && git -C loose add g && git -C loose commit -qm noise &&
	n=$(count_flushes git -C loose pack-objects --all --max-pack-size=1m "$PWD/out/pack" </dev/null) &&
	test $(ls out/*.idx | wc -l) -gt 2 && test $n = 1
'

if test_have_prereq TMPFS && mount_tmpfs disk 2m >/dev/null 2>&1; then
	test_set_prereq SMALL_DISK
fi

test_expect_success SMALL_DISK 'a full disk' '
	test_must_fail git -C loose pack-objects --all "$PWD/disk/pack" </dev/null 2>err &&
	test_grep "No space left on device" err && find disk -type f >left && test_must_be_empty left &&
	git -C repo pack-objects --all "$PWD/disk/pack" </dev/null >names && repo_of disk/pack new &&
	all_of new >actual
'

test_done
