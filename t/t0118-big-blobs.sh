#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='a blob above core.bigFileThreshold, within 20 MB of data

The limit (ulimit -d) counts what a process has for itself: its heap and the stacks of its threads, not pages of files.
It holds for each process. The blob of 48 MB is half random, so neither it nor its half fits, packed or not.'
. "$(dirname "$0")/test-lib.sh"

test_lazy_prereq LIMIT '
	( ulimit -d 20000 && "$GIT_BUILD_DIR/git" version ) && ! ( ulimit -d 20000 && head -c 30000000 /dev/zero | sort )
'
if ! test_have_prereq LIMIT,!SANITIZE; then
	skip_all='data of a process cannot be limited'
	test_done
fi
. "$TEST_DIRECTORY/lib-httpd.sh"

limited () {
	( ulimit -d 20000 && "$@" )
}

test_expect_success 'add, status, commit' '
	git config --global core.bigFileThreshold 1m && git config --global pack.threads 2 && git init -q -b main srv/r && cd srv/r &&
	{ head -c 24000000 /dev/urandom && head -c 24000000 /dev/zero; } >../../big && cp ../../big f && echo small >small &&
	limited git add . && limited git commit -q -m big && limited git status -uno --porcelain >out && test_must_be_empty out
'

for command in "cat-file -p HEAD:f" "cat-file blob HEAD:f" "show HEAD:f"; do
	test_expect_success "$command" '
		limited git -C srv/r '"$command"' >out && test_cmp_bin big out
	'
done

test_expect_success 'cat-file --batch' '
	echo HEAD:f | limited git -C srv/r cat-file --batch >out && test $(wc -c <out) -gt 48000000 &&
	tail -c 48000001 out | head -c 48000000 >actual && test_cmp_bin big actual
'

test_expect_success 'archive: tar and zip, into a file and into a pipe' '
	for format in tar zip tar.gz; do
		limited git -C srv/r archive --format=$format -o "$PWD/x.$format" HEAD &&
		{ limited git -C srv/r archive --format=$format HEAD || echo failed; } | cat >y && test_cmp_bin x.$format y || return 1
	done &&
	tar xOf x.tar f >actual && test_cmp_bin big actual
'

test_expect_success 'checkout' '
	cd srv/r && rm f && limited git checkout -q -f && test_cmp_bin ../../big f
'

test_expect_success 'differences: of commits, of the index, and of files' '
	cd srv/r && limited git show --stat >out && test_grep "f     | Bin 0 -> 48000000 bytes" out && limited git show >out &&
	test_grep "Binary files /dev/null and b/f differ" out && echo more >>f && oid=$(git hash-object f) &&
	limited git status -uno --porcelain >out && test "$(cat out)" = " M f" && limited git diff --stat >out &&
	test_grep "f | Bin 48000000 -> 48000005 bytes" out && limited git diff --full-index >out && test_grep "^index $(git rev-parse :f)\.\.$oid 100644" out &&
	limited git diff --numstat HEAD >out && test "$(cat out)" = "-	-	f" && limited git diff -M --name-status HEAD >out && test "$(cat out)" = "M	f" &&
	limited git status -vv >out && test_grep "^Binary files" out && git add f && limited git diff --cached --stat >out && test_grep "48000005" out && limited git commit -q -v -m more
'

test_expect_success 'a file that was renamed in the work tree' '
	cd srv/r && mv f g && git add -N g && limited git status -uno --porcelain >out && test "$(cat out)" = " R f -> g" &&
	limited git diff -M --stat >out && test_grep "f => g | Bin" out && mv g f && git reset -q
'

test_expect_success 'clone: from a path, a pack, a bundle; fsck, repack' '
	cd srv && limited git clone -q --no-local r ../c && test_cmp_bin r/f ../c/f && git -C r bundle create ../../b HEAD main && limited git clone -q ../b ../d &&
	test_cmp_bin r/f ../d/f && limited git clone -q --bare r ../e && limited git -C ../c fsck && limited git -C ../c repack -a -d -f -q &&
	limited git -C ../c gc -q && limited git -C ../c push -q ../e HEAD:refs/heads/pushed && limited git -C ../e fsck
'

test_expect_success PYTHON 'clone over http: server and client' '
	write_script limited-git <<-EOF &&
	ulimit -d 20000 && exec "$GIT_BUILD_DIR/git" "\$@"
	EOF
	HTTPD_PROGRAM=$PWD/limited-git && start_httpd web && limited git clone -q "$web_url/r" http && test_cmp_bin srv/r/f http/f
'

test_done
