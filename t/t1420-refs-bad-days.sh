#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='damaged refs, full disks, several processes, compared with stock git

Messages about unreadable files have the same words or, where stock git says less, in better ones; the exit
codes are equal, and nothing that can be read is lost.'
. "$(dirname "$0")/test-lib.sh"
test_have_prereq REFFILES || { skip_all="about refs in files, and packed-refs"; test_done; }
. "$TEST_DIRECTORY/lib-peers.sh"
in_memory

GIT_COMMITTER_DATE='1700000000 +0100'
GIT_AUTHOR_DATE='1700000000 +0100'
export GIT_COMMITTER_DATE GIT_AUTHOR_DATE
PEERS_STDERR=ignore

start () {
	rm -rf ours theirs &&
	stock init -q -b main ${TEST_HASH:+--object-format=$TEST_HASH} theirs &&
	(cd theirs && stock commit -q --allow-empty -m one && stock commit -q --allow-empty -m two &&
	 stock branch good && stock tag -a -m x ann) &&
	H=$(stock -C theirs rev-parse main) && P=$(stock -C theirs rev-parse main~1) &&
	for r in "$@"; do
		make_bad $r >theirs/.git/refs/heads/$r || return
	done &&
	cp -R theirs ours
}

make_bad () {
	case $1 in
	empty) : ;;
	binary) printf '\001\002\000\377' ;;
	short) printf '%s' "$H" | cut -c 1-12 ;;
	upper) echo "$H" | tr a-f A-F ;;
	longer) echo "${H}0" ;;
	junk) printf '%s and more\nlines\n' "$H" ;;
	huge) head -c 200000 /dev/zero | tr '\0' a ;;
	huge-after) echo "$H"; head -c 200000 /dev/zero | tr '\0' ' ' ;;
	nul) printf '%s\000\n' "$H" ;;
	no-lf) printf '%s' "$H" ;;
	crlf) printf '%s\r\n' "$H" ;;
	null) echo "$ZERO_OID" ;;
	missing) echo "$H" | tr 0-9a-f 1-9a-f0 ;;
	dangling) echo "ref: refs/heads/nowhere" ;;
	loop) echo "ref: refs/heads/loop" ;;
	sym-bad) echo "ref: refs/heads/bad..name" ;;
	sym-out) echo "ref: ../../../etc/passwd" ;;
	sym-none) echo "ref: " ;;
	sym-spaces) printf 'ref:    refs/heads/good  \n' ;;
	esac
}

state () {
	(cd $1/.git && find . -name "*.lock" -o -path ./refs/\* -type f | sort | xargs cksum)
}

BAD='empty binary short upper longer junk huge no-lf crlf missing dangling loop
	sym-none sym-spaces'

for bad in $BAD; do
	test "$bad" = sym-none || # show-ref of stock git passes over it, as over no other
	test_expect_success "a loose ref is $bad: read" '
		start $bad &&
		peers_git rev-parse --verify -q refs/heads/$bad &&
		peers_git show-ref && peers_git show-ref --verify refs/heads/$bad &&
		peers_git symbolic-ref -q refs/heads/$bad &&
		peers_git for-each-ref --format="%(refname) %(objectname)" refs/heads/good refs/tags
	'

	test_expect_success "a loose ref is $bad: changed, removed, beside others" '
		for cmd in "update refs/heads/$bad $P" "update refs/heads/$bad $P $H" \
			"create refs/heads/$bad $H" "delete refs/heads/$bad" "verify refs/heads/$bad $H" \
			"update refs/heads/good $P\nupdate refs/heads/$bad $P\ncreate refs/heads/new $H" \
			"delete refs/heads/good $H\ndelete refs/heads/$bad"
		do
			start $bad && printf "$cmd\n" >input &&
			PEERS_STDIN=input peers_git update-ref --stdin || return
			for r in good $bad new nowhere; do
				peers_git rev-parse --verify -q refs/heads/$r || return
			done
			test -z "$(find ours/.git -name "*.lock" -o -name "*.new")" || return
		done
	'

	test_expect_success "a loose ref is $bad: pack-refs leaves it" '
		start $bad && peers_git pack-refs --all &&
		state theirs >s.theirs && state ours >s.ours && test_cmp s.theirs s.ours &&
		sed "s/ *$//" theirs/.git/packed-refs >packed.theirs &&
		sed "s/ *$//" ours/.git/packed-refs >packed.ours &&
		test_cmp packed.theirs packed.ours
	'
done

# Stock git reads a name before a NUL and before 200 kB of spaces, shows the null id as a value,
# and makes the ref with the bad name; ours calls all of them broken and touches nothing.
for bad in nul null huge-after sym-bad sym-out; do
	test_expect_success "a loose ref is $bad: refused, and nothing else is changed" '
		start $bad &&
		test_must_fail git -C ours rev-parse --verify -q refs/heads/$bad &&
		git -C ours for-each-ref refs/heads/good refs/heads/main >before &&
		printf "update refs/heads/good $P\nupdate refs/heads/$bad $P $H\n" >input &&
		test_must_fail git -C ours update-ref --stdin <input 2>err &&
		test_grep "cannot lock ref .refs/heads/$bad" err &&
		git -C ours for-each-ref refs/heads/good refs/heads/main >after &&
		test_cmp before after && git -C ours pack-refs --all &&
		test_path_is_file ours/.git/refs/heads/$bad &&
		test -z "$(find ours/.git -name "*.lock" -o -name "*.new")"
	'
done

# What is not a ref but in refs/ itself is read as a file, which a packed ref does not have.
test_expect_success SYMLINKS 'symbolic links' '
	for to in refs/heads/good ../../nowhere refs/heads/nowhere /etc/hostname; do
		start && peers_do "ln -s $to .git/refs/heads/link" &&
		peers_git rev-parse --verify -q refs/heads/link &&
		peers_git symbolic-ref -q refs/heads/link &&
		peers_git pack-refs --all || return
		start && peers_do "ln -s $to .git/refs/heads/link" &&
		printf "update refs/heads/good $P\nupdate refs/heads/main $P\n" >input &&
		PEERS_STDIN=input peers_git update-ref --stdin &&
		peers_git rev-parse good main || return
	done &&
	start && ln -s link ours/.git/refs/heads/link &&
	test_must_fail git -C ours rev-parse -q --verify refs/heads/link &&
	PEERS_STDIN=input git -C ours update-ref --stdin <input &&
	git -C ours pack-refs --all && test_path_is_symlink ours/.git/refs/heads/link
'

test_expect_success 'a directory where a ref goes' '
	start && peers_do "mkdir -p .git/refs/heads/dir/empty/deep" &&
	printf "create refs/heads/dir $H\ncreate refs/heads/x $H\n" >input &&
	PEERS_STDIN=input peers_git update-ref --stdin && peers_git show-ref &&
	peers_do "stock update-ref -d refs/heads/dir && mkdir -p .git/refs/heads/dir && : >.git/refs/heads/dir/file" &&
	PEERS_STDIN=input peers_git update-ref --stdin && peers_git show-ref &&
	start && peers_do "mkdir -p .git/refs/heads/dir && : >.git/refs/heads/dir/other.lock" &&
	PEERS_STDIN=input peers_git update-ref --stdin && peers_git rev-parse -q --verify refs/heads/x
'


# same_code ARGS: stock git dies before it shows anything, ours at the bad line
same_code () {
	local ours=0 theirs=0
	git -C ours "$@" >out.ours 2>&1 || ours=$?
	stock -C theirs "$@" >out.theirs 2>&1 || theirs=$?
	test $ours = $theirs && return
	echo "exit code of git $*: $ours, stock: $theirs"
	return 1
}

# packed_case CONTENT: of packed-refs
packed_case () {
	start && printf "$1" >ours/.git/packed-refs && printf "$1" >theirs/.git/packed-refs &&
	same_code show-ref && peers_git show-ref --verify refs/heads/p &&
	printf "update refs/heads/good $P\nupdate refs/heads/p $H\n" >input &&
	PEERS_STDIN=input peers_git update-ref --stdin &&
	same_code show-ref && peers_git pack-refs --all &&
	test -z "$(find ours/.git -name "*.lock" -o -name "*.new")"
}

test_expect_success 'packed-refs: unsorted, without header, peeled' '
	start &&
	head="# pack-refs with: peeled fully-peeled sorted \n" &&
	packed_case "$H refs/heads/z\n$P refs/heads/p\n$H refs/heads/a\n" &&
	packed_case "# pack-refs with: peeled \n$H refs/heads/z\n$P refs/heads/p\n" &&
	packed_case "$head" && packed_case "" &&
	packed_case "$head$P refs/heads/p\n^$H\n"
'

test_expect_success 'packed-refs: truncated, without a final newline, rubbish' '
	head="# pack-refs with: peeled fully-peeled sorted \n" &&
	packed_case "$head$P refs/heads/p" &&
	packed_case "$head$P refs/heads/o\n$(echo $P | cut -c 1-20)" &&
	packed_case "# something else\n$P refs/heads/p\n"
'

# Stock git takes what stands before a NUL for the name. Ours finds a ref without a look at the
# lines that the search does not meet, but copies no bad line.
test_expect_success 'packed-refs: a NUL in a line, or rubbish: refused, and nothing is changed' '
	for line in "$P refs/heads/p\000q" "rubbish" "${P}0 refs/heads/p" "^$P"; do
		start &&
		printf "# pack-refs with: peeled fully-peeled sorted \n$line\n" >ours/.git/packed-refs &&
		cp ours/.git/packed-refs before &&
		printf "update refs/heads/good $P\nupdate refs/heads/p $H\n" >input &&
		test_must_fail git -C ours update-ref --stdin <input 2>err &&
		test_grep "unexpected line in .*packed-refs" err &&
		test_must_fail git -C ours pack-refs --all &&
		test_cmp before ours/.git/packed-refs &&
		test "$(git -C ours rev-parse good)" = $H &&
		test -z "$(find ours/.git -name "*.lock" -o -name "*.new")" || return
	done
'

test_expect_success 'packed-refs: a bad line is found before a name or a log has changed' '
	for command in "branch -m p moved" "branch -D p" "update-ref -d refs/heads/p"; do
		start &&
		printf "# pack-refs with: peeled fully-peeled sorted \n$H refs/heads/p\n$H refs/heads/q\nrubbish\n" \
			>ours/.git/packed-refs &&
		mkdir -p ours/.git/logs/refs/heads && echo "$H $H A <a@b.c> 1 +0000	x" >ours/.git/logs/refs/heads/p &&
		(cd ours/.git && find . -type f ! -name "*.lock" -exec cksum {} + | sort) >before &&
		test_must_fail git -C ours $command 2>err && test_grep "unexpected line in .*packed-refs" err &&
		(cd ours/.git && find . -type f -exec cksum {} + | sort) >after && test_cmp before after || return
	done
'

test_expect_success 'packed-refs is a directory' '
	start && peers_do "mkdir .git/packed-refs" &&
	printf "update refs/heads/good $P\nupdate refs/heads/main $P\n" >input &&
	test_must_fail git -C ours update-ref --stdin <input 2>err &&
	test_grep "packed-refs" err && rmdir ours/.git/packed-refs &&
	test "$(git -C ours rev-parse good main)" = "$(printf "%s\n" $H $H)"
'

# ---- a full disk ---------------------------------------------------------

if test_have_prereq TMPFS && mount_tmpfs disk 4m >/dev/null 2>&1; then
	test_set_prereq SMALL_DISK
fi

leave_room () {
	rm -f disk/ballast &&
	free=$(df -k --output=avail disk | tail -n 1) &&
	if test "$free" -gt "$1"; then
		dd if=/dev/zero of=disk/ballast bs=1k count=$((free - $1)) 2>/dev/null
	fi
}

test_expect_success SMALL_DISK 'a full disk within a transaction of 1,000 refs' '
	git init -q --bare disk/repo &&
	C=$(git -C disk/repo commit-tree -m x $(git -C disk/repo mktree </dev/null)) &&
	for i in $(seq 1000); do echo "create refs/heads/n$((i % 7))/r$i $C"; done >create &&
	git -C disk/repo update-ref refs/heads/before $C &&
	git -C disk/repo show-ref >before && room=0 failures=0 &&
	while :; do
		leave_room $room || return
		code=0
		git -C disk/repo update-ref --stdin <create 2>err || code=$?
		rm -f disk/ballast
		test -z "$(find disk/repo -name "*.lock" -o -name "*.new")" || return
		test $code != 0 || break
		failures=$((failures + 1))
		test_grep "refs/heads/.*No space left on device" err &&
		git -C disk/repo show-ref >after && test_cmp before after &&
		test -z "$(find disk/repo/refs/heads -mindepth 1 -type d)" || return
		room=$((room + 16))
		test $room -lt 2000 || return
	done &&
	test $failures -gt 1 && test "$(git -C disk/repo show-ref | wc -l)" = 1001
'

# ---- several processes -----------------------------------------------------


test_expect_success PYTHON,STOCK_GIT 'two processes at the same refs for some seconds' '
	GIT_TEST_FSYNC=0 "$TEST_DIRECTORY/stress-refs" --seconds 4 --dir . --git "$GIT_BUILD_DIR/git" >&4 &&
	GIT_TEST_FSYNC=0 "$TEST_DIRECTORY/stress-refs" --seconds 4 --dir . --git "$GIT_BUILD_DIR/git" \
		--beside "$STOCK_GIT" >&4
'

test_expect_success 'a reflog among refs that have none is written to' '
	git init -q --bare logs.git && T=$(git -C logs.git mktree </dev/null) &&
	O=$(git -C logs.git commit-tree -m one $T) && C=$(git -C logs.git commit-tree -m two -p $O $T) &&
	for n in a c d/x; do echo "create refs/heads/l/$n $C"; done >orders &&
	git -C logs.git update-ref --stdin <orders &&
	git -C logs.git update-ref --create-reflog refs/heads/l/b $C &&
	git -C logs.git update-ref --create-reflog refs/heads/l/d/y $C &&
	for n in a b c d/x d/y; do echo "update refs/heads/l/$n $O $C"; done >orders &&
	git -C logs.git update-ref --stdin <orders &&
	(cd logs.git/logs && find . -type f | sort) >out &&
	printf "./refs/heads/l/%s\n" b d/y >expect && test_cmp expect out &&
	test_line_count = 2 logs.git/logs/refs/heads/l/b &&
	test_line_count = 2 logs.git/logs/refs/heads/l/d/y
'

test_expect_success 'a ref rests on its object, not on a replacement' '
	missing=$(echo missing | git -C logs.git hash-object --stdin) &&
	git -C logs.git update-ref refs/replace/$missing refs/heads/l/a &&
	test_must_fail git -C logs.git update-ref refs/heads/missing $missing 2>err &&
	test_grep "nonexistent object $missing" err && git -C logs.git update-ref -d refs/replace/$missing
'

test_done
