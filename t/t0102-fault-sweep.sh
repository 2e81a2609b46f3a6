#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='every system call of add and commit fails in turn

ENOSPC, ENOSPC from then on (a disk that stays full), EIO, EINTR and short
writes: no litter, the right exit code, a message that names the path, and a
repository that is whole afterwards.'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-sweep.sh"

# The files below .git, without their times.
listing () {
	(cd "$1/.git" && find . -type f -exec cksum {} + | sort -k3)
}

chain=.git/objects/pack/multi-pack-index.d/multi-pack-index-chain

test_expect_success 'setup' '
	git init -q few && (
		cd few &&
		echo one >one &&
		mkdir sub &&
		echo two >sub/two &&
		echo three >sub/three
	) &&
	git init -q many && (
		cd many &&
		i=0 &&
		while test $i -lt 120; do
			echo $i >f$i || exit
			i=$((i + 1))
		done
	) &&
	cp -a few added && git -C added add . &&
	cp -a added committed && git -C committed commit -q -m first &&
	echo more >>committed/one && echo new >committed/new && git -C committed add new &&
	cp -a few big && git -C big config core.bigFileThreshold 1k &&
	head -c 300000 /dev/urandom >big/large &&
	cp -a committed branched && git -C branched update-ref refs/heads/a/b HEAD &&
	cp -a branched moved && moved=$(git -C branched rev-parse HEAD) &&
	git -C moved update-ref refs/heads/a/b \
		"$(git -C moved commit-tree -m other "HEAD^{tree}" -p HEAD)" &&
	cp -a few packs && (
		cd packs &&
		git config bulkCheckin.unpackLimit 1 &&
		git add . && git commit -q -m one && echo more >>one && git commit -q -a -m two &&
		cp -a . ../layers && cd .git/objects/pack &&
		for f in "$(ls -- *.idx | head -n 1)"; do
			for e in pack idx; do cp -p "${f%.idx}.$e" pack-$ZERO_OID.$e; done
		done &&
		touch -d "2001-01-01 00:00" pack-$ZERO_OID.pack && git multi-pack-index write
	) &&
	(
		cd layers && git multi-pack-index write --bitmap &&
		echo more >>one && git commit -q -a -m three && cp -a . ../chain
	) &&
	(
		cd chain && git config gc.auto 0 && git multi-pack-index write --incremental --bitmap &&
		echo more >>one && git commit -q -a -m four && git multi-pack-index write --incremental --bitmap &&
		echo more >>one && git commit -q -a -m five && git config bulkCheckin.unpackLimit 1000 && echo more >>one && git commit -q -a -m six
	) &&
	cp -a committed hooked &&
	mkdir -p hooked/.git/hooks &&
	write_script hooked/.git/hooks/pre-commit <<-\EOF
	git ls-files -s >/dev/null && git write-tree >/dev/null
	EOF
'

# A single ENOSPC differs little from EIO: only with GIT_TEST_LONG.
for what in EIO ${GIT_TEST_LONG:+ENOSPC} ENOSPC+ EINTR short; do
	sweep_step $what 12
	test_expect_success "add of few files: $what" '
		sweep few $what "test \"\$(git ls-files | wc -l)\" = 3" add .
	'
	test_expect_success "add of many files, as a pack: $what" '
		sweep many $what "test \"\$(git ls-files | wc -l)\" = 120" add .
	'
	test_expect_success "first commit: $what" '
		sweep added $what "git rev-parse -q --verify HEAD" \
			commit -q -m message
	'
	test_expect_success "commit -a: $what" '
		sweep committed $what "git rev-parse -q --verify HEAD^" \
			commit -q -a -m message
	'
	test_expect_success "config: $what" '
		MIN_CALLS=5 &&
		sweep few $what "test \"\$(git config x.y)\" = z" config x.y z
	'
	test_expect_success "update-ref: $what" '
		MIN_CALLS=5 &&
		sweep committed $what "git rev-parse -q --verify refs/heads/a/b" \
			update-ref refs/heads/a/b HEAD
	'
done

for what in EIO ENOSPC+ EINTR; do
	sweep_step $what 12
	test_expect_success "add of a big file, as a stream: $what" '
		sweep big $what "git cat-file -e :large" add large
	'
	test_expect_success "rm: $what" '
		MIN_CALLS=5 &&
		sweep committed $what "test \"\$(git ls-files sub)\" = \"\"" rm -rq sub
	'
	test_expect_success "commit-graph write, one file: $what" '
		MIN_CALLS=5 &&
		sweep committed $what "git commit-graph verify" commit-graph write --reachable --changed-paths
	'
	test_expect_success "commit-graph write, a chain after one file: $what" '
		MIN_CALLS=8 && rm -rf graphed && cp -a committed graphed &&
		git -C graphed commit-graph write --reachable &&
		git -C graphed update-ref refs/heads/next \
			"$(git -C graphed commit-tree -m next "HEAD^{tree}" -p HEAD)" &&
		sweep graphed $what "git commit-graph verify" commit-graph write --reachable --split=no-merge
	'
	test_expect_success "bundle create: $what" '
		MIN_CALLS=5 &&
		sweep committed $what "git bundle verify -q .git/all.bundle" bundle create -q .git/all.bundle --all
	'
	test_expect_success "symbolic-ref: $what" '
		MIN_CALLS=5 &&
		sweep committed $what "git symbolic-ref refs/heads/s" \
			symbolic-ref refs/heads/s "$(git -C committed symbolic-ref HEAD)"
	'
	test_expect_success "update-ref -d: $what" '
		MIN_CALLS=5 &&
		sweep branched $what "! git rev-parse -q --verify refs/heads/a/b" \
			update-ref -d refs/heads/a/b
	'
	test_expect_success "reflog expire: $what" '
		MIN_CALLS=10 &&
		sweep branched $what "test -z \"\$(git reflog)\"" reflog expire --expire=now --all
	'
	test_expect_success "reflog delete --updateref: $what" '
		MIN_CALLS=10 &&
		sweep moved $what "test \$(git rev-parse refs/heads/a/b) = $moved" \
			reflog delete --updateref a/b@{0}
	'
	test_expect_success "prune: $what" '
		MIN_CALLS=10 && rm -rf strays && cp -a committed strays && (
			cd strays && for i in 1 2 3; do
				echo "stray $i" | git hash-object -w --stdin || exit
			done && git commit-tree -m gone "HEAD^{tree}" >.git/shallow
		) >gone &&
		sweep strays $what "
			git fsck --unreachable | grep unreachable && exit 1
			test ! -e .git/shallow
		" prune
	'
	test_expect_success "repack -adb: $what" '
		MIN_CALLS=10 && sweep packs $what "
			git fsck --strict && test \$(ls .git/objects/pack/*.pack | wc -l) = 1 && test -f .git/objects/pack/*.bitmap
		" repack -adbq
	'
	test_expect_success "gc: $what" '
		packed="test -f .git/packed-refs" && { test_have_prereq REFFILES || packed="test 1 = \$(wc -l <.git/reftable/tables.list)"; } &&
		MIN_CALLS=10 && sweep packs $what "git fsck --strict && $packed" gc -q --prune=now
	'
	test_expect_success "multi-pack-index write --bitmap: $what" '
		sweep packs $what "git multi-pack-index verify && test -f .git/objects/pack/multi*.bitmap" \
			multi-pack-index write --bitmap
	'
	test_expect_success "multi-pack-index write --incremental: $what" '
		sweep layers $what "git multi-pack-index verify && test ! -f .git/objects/pack/multi-pack-index" \
			multi-pack-index write --bitmap --incremental
	'
	test_expect_success "multi-pack-index compact: $what" '
		sweep chain $what "git multi-pack-index verify && test \$(wc -l <$chain) = 2" \
			multi-pack-index compact --bitmap --incremental $(head -n 2 chain/$chain)
	'
	test_expect_success "repack --write-midx=incremental: $what" '
		MIN_CALLS=10 && sweep chain $what "git fsck --strict && git multi-pack-index verify && test \$(wc -l <$chain) = 4" \
			repack -dbqn --write-midx=incremental
	'
	test_expect_success "multi-pack-index expire: $what" '
		sweep packs $what "git multi-pack-index verify && test ! -f .git/objects/pack/pack-$ZERO_OID.pack" \
			multi-pack-index expire
	'
	test_expect_success "commit with hooks that look at the index: $what" '
		sweep hooked $what "git rev-parse -q --verify HEAD^" commit -q -a -m message
	'
	test_expect_success "the same where objects are shown to them: $what" '
		(GIT_TEST_FS_KIND=local &&
		sweep hooked $what "git rev-parse -q --verify HEAD^" commit -q -a -m message)
	'
done

# craft PACK: some objects, deltas of them, and one of an object of `committed`
craft () {
	{
		for i in $(seq 200); do echo "blob object $i"; done
		for i in $(seq 0 199); do echo "ofs $i more"; done
		echo "ref $(cd committed && git rev-parse HEAD:one) $(git -C committed cat-file -s HEAD:one) more"
	} | "$GIT_BUILD_DIR/t/helper/craft-pack" $(test "$TEST_HASH" = sha1 || echo sha256) >"$1"
}

# The pack that comes is thin: it is written, read back, completed.
for what in EIO ENOSPC+ EINTR short; do
	sweep_step $what 12
	test_expect_success "index-pack: $what" '
		craft in.pack && SWEEP_STDIN=$TRASH_DIRECTORY/in.pack &&
		sweep committed $what "
			git verify-pack .git/objects/pack/pack-\$(sed \"s/^....	//\" ../out).idx &&
			test -e .git/objects/pack/pack-*.keep
		" index-pack --stdin --fix-thin --keep=why
	'
	test_expect_success "unpack-objects: $what" '
		sweep committed $what "
			git cat-file -e \$(printf \"object 7more\" | git hash-object --stdin)
		" unpack-objects -q
	'
done
# A thread of its own writes the copy of a large pack.
test_expect_success 'set up a large pack' '
	git init -q large && for i in 1 2 3; do head -c 3000000 /dev/urandom >large/f$i; done && git -C large add . &&
	git -C large pack-objects --stdout --revs >large.pack <<-EOF
	$(git -C large write-tree)
	EOF
'
SWEEP_STEP=1
for what in EIO:write ENOSPC:write short:write; do
	test_expect_success "index-pack of a large one: $what" '
		SWEEP_STDIN=$TRASH_DIRECTORY/large.pack && sweep committed $what "
			git verify-pack .git/objects/pack/pack-\$(sed \"s/^....	//\" ../out).idx
		" index-pack --stdin --threads=2
	'
done
SWEEP_STDIN=/dev/null

for format in files reftable; do
test_expect_success "init, refs in $format: nothing stays of one that failed" '
	n=0 && rm -f missed &&
	while test ! -f missed; do
		n=$((n + 1))
		rm -rf new
		code=0
		GIT_TEST_SYSCALL_MISSED=$PWD/missed GIT_TEST_SYSCALL_FAIL=$n:EIO \
			"$FAULT_GIT" init -q --ref-format=$format new 2>err || code=$?
		case $code in
		0)	test -z "$(find new -name "*probe*")" &&
			git -C new fsck || return ;;
		*)	test_grep "new" err &&
			# after a failed seal the repository exists, but may not be durable
			if test -e new; then test_grep flush err && test_grep uncertain err; else test_grep ! uncertain err; fi || return ;;
		esac
	done &&
	test $n -gt 30
'
done

test_expect_success 'a failure before anything is named changes nothing' '
	listing few >before &&
	rm -rf copy && cp -a few copy &&
	(
		cd copy &&
		test_must_fail env GIT_TEST_SYSCALL_FAIL=1:ENOSPC:writeout_wait \
			"$FAULT_GIT" add .
	) &&
	listing copy >after &&
	test_cmp before after &&

	listing committed >before && rm -rf copy && cp -a committed copy &&
	(
		cd copy &&
		test_must_fail env GIT_TEST_SYSCALL_FAIL=1:ENOSPC:writeout_wait \
			"$FAULT_GIT" index-pack --stdin --fix-thin --keep <../in.pack
	) &&
	listing copy >after &&
	test_cmp before after
'

test_done
