#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git update-server-info'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'both files' '
	git init -q repo && git -C repo commit -q --allow-empty -m one && git -C repo tag -a -m x v1 &&
	git -C repo symbolic-ref refs/heads/link "$(git -C repo symbolic-ref HEAD)" &&
	one=$(git -C repo rev-parse HEAD) && tag=$(git -C repo rev-parse v1) &&
	rm -rf repo/.git/info && git -C repo update-server-info &&
	{
		git -C repo for-each-ref --format="%(objectname)	%(refname)" refs/heads &&
		printf "%s\t%s\n" "$tag" refs/tags/v1 "$one" "refs/tags/v1^{}"
	} >expect && test_cmp expect repo/.git/info/refs && test_line_count = 4 expect &&
	echo >expect && test_cmp expect repo/.git/objects/info/packs
'

test_expect_success 'a ref whose object is missing: the list stays as it was' '
	cp repo/.git/info/refs expect && lost_ref repo refs/heads/missing &&
	test_must_fail git -C repo update-server-info -f 2>err && test_grep "bad object refs/heads/missing" err && test_cmp expect repo/.git/info/refs && git -C repo update-ref -d refs/heads/missing
'

test_expect_success 'packs, the newest first' '
	for n in 1 2 3; do
		git -C repo -c bulkCheckin.unpackLimit=1 hash-object -w --stdin <<-EOF || return 1
		content $n
		EOF
	done >/dev/null &&
	set -- $(cd repo/.git/objects/pack && ls *.pack) && test $# = 3 &&
	touch -d "2020-01-01 12:00" repo/.git/objects/pack/$2 &&
	touch -d "2020-01-02 12:00" repo/.git/objects/pack/$1 &&
	touch -d "2020-01-03 12:00" repo/.git/objects/pack/$3 &&
	git -C repo update-server-info &&
	{ printf "P %s\n" "$3" "$1" "$2"; echo; } >expect && test_cmp expect repo/.git/objects/info/packs
'

test_expect_success 'files that would not change are left alone, but for --force' '
	touch -d "2020-01-01" repo/.git/info/refs repo/.git/objects/info/packs && : >mark && touch -d "2021-01-01" mark &&
	git -C repo update-server-info && test repo/.git/info/refs -ot mark && test repo/.git/objects/info/packs -ot mark &&
	git -C repo branch new && git -C repo update-server-info && test repo/.git/info/refs -nt mark &&
	test repo/.git/objects/info/packs -ot mark && test_grep refs/heads/new repo/.git/info/refs &&
	git -C repo update-server-info --force && test repo/.git/objects/info/packs -nt mark &&
	git -C repo update-server-info -f && test_expect_code 129 git -C repo update-server-info x
'

test_expect_success 'a lock of another process' '
	: >repo/.git/info/refs.lock && test_when_finished "rm repo/.git/info/refs.lock" &&
	git -C repo branch other && cp repo/.git/info/refs before &&
	test_expect_code 128 git -C repo update-server-info 2>err && test_grep "refs.lock" err &&
	test_cmp before repo/.git/info/refs
'

test_done
