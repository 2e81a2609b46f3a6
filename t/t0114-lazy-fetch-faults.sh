#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='every system call of a lazy fetch fails in turn; a disk that is full; the child that fetches is killed

As in t0102. Whatever fails: a partial clone has the objects that it had, or all that were asked for, with the .promisor of their
pack; nothing else is left.'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-sweep.sh"

# Children are the real git.
GIT_EXEC_PATH=$GIT_BUILD_DIR
export GIT_EXEC_PATH

# packs DIR: the files in objects/pack; extensions identify a new pack
packs () {
	ls "$1/.git/objects/pack" | grep -v -F -f old.packs | sed "s/.*\.//" | sort | paste -sd" "
}
# Once the first file has its name the others may be missing, with an error; without its .idx a pack does not count.
still_good () {
	case "$(packs copy)" in
	"") test $code != 0 ;;
	"idx pack promisor rev") git -C copy rev-list --objects --all --missing=print >now && { cmp -s now after || test -n "$some"; } ;;
	*idx*) false ;;
	pack*) test $code = 128 && grep -q "its durability is uncertain" err ;;
	*) false ;;
	esac && ls copy/.git/objects >now && test "$(grep -c . now)" = 2 && git -C copy fsck --no-dangling >fsck 2>&1
}

test_expect_success 'a partial clone that lacks all files' '
	git init -q -b main src && git -C src config uploadpack.allowFilter true && git -C src config uploadpack.allowAnySHA1InWant true &&
	for i in 1 2 3; do test_commit -C src c$i f$i || return 1; done &&
	git clone -q --no-checkout --filter=blob:none "file://$PWD/src" few && ls few/.git/objects/pack >old.packs &&
	git -C src rev-parse main:f1 main:f2 main:f3 >oids && cp -a few done && git -C done fetch -q --promised -- origin <oids &&
	git -C done rev-list --objects --all --missing=print >after && ! grep "^?" after
'

for what in EIO ENOSPC+ EINTR; do
	sweep_step $what 8
	test_expect_success "the child that fetches: $what" '
		SWEEP_STDIN=$PWD/oids && some= && sweep few $what "git cat-file -e main:f1 && git cat-file -e main:f3" fetch -q --promised -- origin
	'
	test_expect_success "a command that reads one object: $what" '
		SWEEP_STDIN=/dev/null && some=1 && MIN_CALLS=-1 && sweep few $what "git cat-file -e main:f2 && grep c2 ../out" cat-file -p main:f2
	'
	# Full disks are looked at in t0110.
	test $what = ENOSPC+ ||
	test_expect_success "a command that writes the files: $what" '
		MIN_CALLS=10 && some= && sweep few $what "git cat-file -e main:f1 && cmp f3 ../src/f3 && test -z \"\$(git status --porcelain)\"" checkout -q main
	'
done

# Without a sandbox the pack is read by another program, which counts its own calls: the end is a fetch that succeeds.
test_expect_success 'the child is killed at any call: the next one finds nothing in its way' '
	n=0 && while :; do
		n=$((n + 1)) && rm -rf copy missed && cp -a few copy || return
		if (cd copy && GIT_TEST_SYSCALL_MISSED=$TRASH_DIRECTORY/missed GIT_TEST_SYSCALL_FAIL=$n:KILL "$FAULT_GIT" fetch -q --promised -- origin <../oids >/dev/null 2>&1)
		then
			test_path_is_file missed && break || return
		fi
		git -C copy fsck --no-dangling >/dev/null 2>&1 && git -C copy checkout -q main 2>err && cmp copy/f3 src/f3 && git -C copy gc -q 2>/dev/null && test -z "$(litter copy)" || { echo "call $n: $(cat err)"; return 1; }
	done && test $n -gt 10
'

test_done
