#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git log --graph, compared with stock git'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"
. "$TEST_DIRECTORY/lib-history.sh"

test_expect_success 'a history of all kinds of commits' '
	make_history theirs 2>/dev/null && cp -R theirs ours &&
	for o in --all "" "--oneline --all" "--oneline --date-order --all" "--oneline --first-parent" \
		"--oneline -n 5" "--oneline left...right --boundary" \
		"--oneline --left-right left...right" "--stat --all" "-p -12 --all" "--format=%h --all" \
		"--format=%h%n%s%n --all" "--format=format:%h --all" "--pretty=raw -9 --all" \
		"--color=always --oneline --all" "--decorate --all" \
		"--oneline --all -- file" "--oneline --all --full-history -- dir" \
		"--oneline --no-merges --all" "--oneline --merges --all" "--grep=merge --oneline --all" \
		"--oneline --stat --all" "-m --stat -9" "--oneline main~3..main" \
		"--all --author-date-order --oneline" "--all --parents --oneline" \
		"--max-count=7 --all --boundary --oneline" "--source --all --oneline" --reverse --no-walk
	do
		peers_git log --graph $o || { echo "log --graph $o"; return 1; }
	done &&
	peers_git -c log.graphColors="red, bold blue" log --graph --color=always --oneline --all
'

# random_history SEED: branches that merge each other at random, two to six at a time.
random_history () {
	awk -v seed="$1" '
	function commit(branch, from,	i) {
		t += 60
		printf "commit refs/heads/%s\nmark :%d\n", branch, ++n
		printf "committer A <a@x> %d +0000\ndata 5\nc%04d\n", t, n
		if (from)
			printf "from :%d\n", from
	}
	BEGIN {
		srand(seed); t = 1500000000; branches = 1
		for (i = 1; i <= 70; i++) {
			b = int(rand() * branches) + 1
			if (rand() < 0.12 && branches < 9 && i > 2) {
				b = ++branches
				tip[b] = rand() < 0.9 ? int(rand() * (i - 1)) + 1 : 0
			}
			commit("b" b, tip[b])
			if (tip[b] && rand() < 0.35) {
				delete used
				used[tip[b]] = 1
				parents = rand() < 0.8 ? 1 : int(rand() * 5) + 1
				for (j = 1; j <= branches && parents; j++) {
					o = tip[j]
					if (o && !(o in used) && rand() < 0.6) {
						printf "merge :%d\n", o
						used[o] = 1
						parents--
					}
				}
			}
			printf "M 100644 inline f%d\ndata %d\n%d\n\n", i % 4, length(i), i
			tip[b] = n
		}
	}'
}

test_expect_success 'random histories' '
	for seed in 1 2 3 4 5 6
	do
		rm -rf ours theirs && stock init -q theirs &&
		random_history $seed >input && stock -C theirs fast-import --quiet <input &&
		cp -R theirs ours &&
		peers_git log --graph --oneline --all &&
		peers_git log --graph --date-order --format=%h%n%s --all &&
		peers_git log --graph --color=always --oneline --all -- f1 &&
		peers_git log --graph --boundary --oneline b1~2..b2 || return 1
	done
'

test_done
