#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git mktree, mktag, commit-tree, unpack-file, compared with stock git'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"

none=1111111111111111111111111111111111111111
test "$TEST_HASH" = sha1 || none=$none$(echo $none | cut -c1-24)

test_expect_success 'set-up' '
	test_tick &&
	peers_init &&
	peers_do "echo hi >f && mkdir d && echo x >d/g && stock add . && stock commit -qm one && stock tag -a -m t v1" &&
	B=$(stock -C ours rev-parse HEAD:f) T=$(stock -C ours rev-parse HEAD^{tree}) &&
	D=$(stock -C ours rev-parse HEAD:d) C=$(stock -C ours rev-parse HEAD)
'

feed () { # INPUT COMMAND...
	printf "$1" >in && shift && PEERS_STDIN=in peers_git "$@"
}

test_expect_success 'trees' '
	feed "100644 blob $B\tb\n100644 blob $B\ta\n" mktree &&
	feed "040000 tree $D\ta\n100644 blob $B\ta.x\n100755 blob $B\ta-x\n" mktree &&
	feed "100644 blob $B\t\"b\\\\\\\\tc\"\n" mktree &&
	feed "100644 blob $B\t\"b\"\\0" mktree -z &&
	feed "160000 commit $none\tb\n" mktree &&
	feed "100644 blob $none\tb\n" mktree --missing && feed "100644 blob $none\t\"b\"\\0" mktree --missing -z &&
	feed "100644 blob $none\t\"b\"\\0\\0" mktree --batch --missing -z && feed "100644 blob $none\tb\n\n" mktree -z --no-z --missing --batch &&
	feed "" mktree && feed "" mktree --batch &&
	feed "100644 blob $B\ta\n\n100644 blob $B\tb\n\n\n" mktree --batch &&
	feed "100644 blob $B\ta" mktree --batch &&
	stock -C ours ls-tree -z HEAD >in && PEERS_STDIN=in peers_git mktree -z &&
	stock -C ours ls-tree HEAD >in && PEERS_STDIN=in peers_git mktree
'

test_expect_success 'trees that are refused' '
	feed "100644 blob $B\tb/c\n" mktree &&
	feed "100644 tree $B\tb\n" mktree && feed "100644 commit $B\tb\n" mktree &&
	feed "100644 blob $none\tb\n" mktree && feed "100644 tree $none\tb\n" mktree --missing &&
	feed "100644 blob $B b\n" mktree && feed "100644 blob $B\n" mktree &&
	feed "100644 $B\tb\n" mktree && feed "xx blob $B\tb\n" mktree &&
	feed "100644 blob $B\t\"b\n" mktree && feed "\n" mktree &&
	feed "100644 blob $C\ta\n" mktree && feed "040000 tree $B\ta\n" mktree &&
	feed "160000 commit $B\ta\n" mktree && feed "999 blob $B\tb\n" mktree
'

test_expect_success 'a program that waits for each tree finds it' '
	mkfifo to from &&
	{ (cd ours && git mktree --batch) <to >from & } &&
	exec 8>to 9<from &&
	for name in x y
	do
		printf "100644 blob %s\t%s\n\n" $B $name >&8 && read -r oid <&9 &&
		stock -C ours ls-tree $oid >actual &&
		printf "100644 blob %s\t%s\n" $B $name >expect && test_cmp expect actual || return 1
	done &&
	exec 8>&- 9<&- && wait
'

tag () { # OBJECT TYPE REST OPTIONS
	local text="object $1\ntype $2\ntag t\n$3"
	shift 3 && feed "$text" "$@"
}

test_expect_success 'tags' '
	P="tagger T <t@x> 1 +0000\n" &&
	tag $B blob "$P\nm\n" mktag &&
	tag $B blob "$P" mktag &&
	tag $B tree "$P\nm\n" mktag &&
	tag $none blob "$P\nm\n" mktag &&
	tag $B blob "${P}extra\n\nm\n" mktag &&
	tag $B blob "${P}extra\n\nm\n" mktag --no-strict &&
	tag $B blob "${P}extra\n\nm\n" -c fsck.extraHeaderEntry=ignore mktag &&
	tag $B blob "\nm\n" mktag && tag $B blob "\nm\n" mktag --no-strict &&
	tag $B blob "tagger T <t@x> 01 +0000\n" -c fsck.zeroPaddedDate=ignore mktag &&
	feed "" mktag
'

test_expect_success 'commits' '
	peers_git commit-tree $T -m x &&
	peers_git commit-tree -m x -p HEAD -m y -F f -m "" $T &&
	peers_git commit-tree $T -p HEAD -p HEAD -m x &&
	feed "from stdin, no end" commit-tree $T &&
	feed "from stdin" commit-tree $T -F - &&
	peers_git commit-tree $T &&
	peers_git -c i18n.commitEncoding=latin1 commit-tree $T -m x &&
	peers_git -c commit.gpgSign=true commit-tree $T -m x &&
	feed "caf\\351 \\377\\303\\251 \\303(" commit-tree $T &&
	GIT_AUTHOR_DATE="2005-04-07T22:13:13 +0200" GIT_AUTHOR_NAME=" X. <y> " \
		peers_git commit-tree $T -m x &&
	git -C ours commit-tree $T -m z >oid &&
	stock -C ours cat-file commit $(cat oid) >actual && test_grep "^z$" actual
'

test_expect_success 'commits that are refused' '
	peers_git commit-tree nope -m x &&
	peers_git commit-tree HEAD:f -m x && peers_git commit-tree HEAD -m x &&
	peers_git commit-tree $T -p nope -m x && peers_git commit-tree $T -p HEAD:f -m x &&
	peers_git commit-tree $T -p v1 -m x && peers_git commit-tree $T $T -m x &&
	peers_git commit-tree $T -F nope &&
	PEERS_STDERR=ignore feed "a\\000b" commit-tree $T &&
	GIT_AUTHOR_DATE=foo peers_git commit-tree $T -m x
'

test_expect_success 'signed' '
	write_script fake-gpg <<-\EOT &&
	cat >signed-text
	echo "[GNUPG:] SIG_CREATED D" >&2
	printf "%s\n" "-----BEGIN PGP SIGNATURE-----" "" abc "-----END PGP SIGNATURE-----"
	EOT
	git -C ours -c gpg.program="$PWD/fake-gpg" commit-tree -S $T -m signed >oid &&
	stock -C ours cat-file commit $(cat oid) >actual &&
	test_grep "^gpgsig.* -----BEGIN PGP SIGNATURE-----\$" actual &&
	test_grep "^ -----END" actual &&
	sed -e "/^gpgsig/,/^ -----END/d" actual >expect && test_cmp expect ours/signed-text
'

test_expect_success 'unpack-file' '
	name=$(git -C ours unpack-file HEAD:f) &&
	test_cmp ours/f "ours/$name" &&
	peers_git unpack-file HEAD && peers_git unpack-file nope
'

test_expect_success 'stock git finds no fault in what we wrote' '
	stock -C ours -c fsck.zeroPaddedDate=ignore fsck
'

test_done
