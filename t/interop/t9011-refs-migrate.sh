#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='migrations of refs by ours and by stock Git: both see the same refs and reflogs'
. "$(dirname "$0")/../test-lib.sh"

if ! test_have_prereq STOCK_GIT || ! git init -q probe || ! stock -C probe refs migrate -h 2>&1 | grep -q "refs migrate"
then
	skip_all='needs a stock git with refs migrate'
	test_done
fi

# Git 2.55 does not store to what tags lead in the formats that it makes; its packed-refs says that it did.
# state GIT REPO: every ref, and every entry of every reflog, as this Git sees it
state () {
	$1 -C "$2" for-each-ref --include-root-refs --format="%(refname) %(objectname) %(symref)" &&
	$1 -C "$2" symbolic-ref HEAD &&
	for log in $($1 -C "$2" reflog list); do
		echo "$log" && $1 -C "$2" log -g --date=raw --format="%H %gd %gs %gn %ge" "$log" -- || return
	done
}

# same_state: both see it as before
same_state () {
	for by in git stock; do
		state $by repo >now && test_cmp before now && $by -C repo fsck --strict && $by -C repo refs verify || return
	done
}

for hash in sha1 sha256; do
	test_expect_success "$hash: each converts, and both see the same" '
		rm -rf repo && git init -q -b main --object-format=$hash --ref-format=files repo && test_commit -C repo one && test_commit -C repo two &&
		git -C repo branch side HEAD~1 && git -C repo tag -a -m t annotated && git -C repo symbolic-ref refs/heads/alias refs/heads/main &&
		git -C repo update-ref refs/notes/x annotated && git -C repo update-ref ORIG_HEAD HEAD~1 && git -C repo pack-refs && git -C repo checkout -q side && git -C repo checkout -q main &&
		state git repo >before && same_state &&
		git -C repo refs migrate --ref-format=reftable && same_state && stock -C repo refs migrate --ref-format=files && same_state &&
		stock -C repo refs migrate --ref-format=reftable && same_state &&
		git -C repo for-each-ref --format="%(*objectname)" refs/tags/annotated >out && git -C repo rev-parse main >expect && test_cmp expect out &&
		git -C repo refs migrate --ref-format=files && same_state && git -C repo for-each-ref --format="%(*objectname)" refs/tags/annotated >out && test_cmp expect out
	'

	test_expect_success "$hash: each goes on with the tables of the other" '
		git -C repo refs migrate --ref-format=reftable && stock -C repo update-ref -m by-stock refs/heads/side main && git -C repo update-ref -m by-ours refs/heads/side main~1 &&
		stock -C repo pack-refs && git -C repo update-ref -m last refs/heads/side main && git -C repo reflog show --format=%gs side -4 >out &&
		stock -C repo reflog show --format=%gs side -4 >expect && test_cmp expect out && head -n 3 out >top && printf "%s\n" last by-ours by-stock >expect && test_cmp expect top &&
		stock -C repo refs migrate --ref-format=files && state git repo >before && same_state
	'
done

test_done
