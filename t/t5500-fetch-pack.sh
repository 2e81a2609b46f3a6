#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git fetch-pack and ls-remote: version 2 of the protocol'
. "$(dirname "$0")/test-lib.sh"
SQ="'"

test_expect_success 'a repository to fetch from' '
	git init -q -b main src &&
	for i in 1 2 3 4 5 6 7 8
	do
		test_commit -C src "c$i" "file$i" || return 1
	done &&
	git -C src tag -a -m annotated v1 &&
	head=$(git -C src rev-parse main)
'

test_expect_success 'ls-remote lists refs, peeled tags, and what HEAD is' '
	git ls-remote src >out &&
	test_grep "^$head	HEAD\$" out &&
	test_grep "^$head	refs/tags/v1^{}\$" out &&
	git ls-remote --symref src HEAD >out &&
	test_grep "^ref: refs/heads/main	HEAD\$" out &&
	git ls-remote --refs --tags src >out &&
	test_grep ! "\\^{}" out &&
	test_line_count = 1 out &&
	git ls-remote --branches src "m*" >out &&
	test_line_count = 1 out &&
	test_expect_code 2 git ls-remote --exit-code src nothing
'

test_expect_success 'versions 0 and 1 tell the same refs' '
	git ls-remote --symref src >expect &&
	git -c protocol.version=0 ls-remote --symref src >out &&
	test_cmp expect out &&
	git -c protocol.version=1 ls-remote --symref src >out &&
	test_cmp expect out
'

test_expect_success 'everything, then nothing more' '
	git init -q --bare all &&
	git -C all fetch-pack -q --all ../src >out &&
	test_grep "^$head refs/heads/main\$" out &&
	git -C all update-ref refs/heads/main "$head" &&
	git -C all fsck --strict &&
	find all/objects -type f >before &&
	git -C all fetch-pack -q ../src refs/heads/main &&
	find all/objects -type f >after &&
	test_cmp before after
'

test_expect_success 'few objects go loose, and -k keeps a pack' '
	find all/objects/pack -name "*.pack" >packs &&
	test_must_be_empty packs &&
	git init -q --bare kept &&
	git -C kept fetch-pack -q -k ../src refs/heads/main &&
	find kept/objects/pack -name "*.pack" >packs &&
	test_line_count = 1 packs &&
	git init -q --bare limit &&
	git -C limit -c fetch.unpackLimit=1 fetch-pack -q ../src refs/heads/main &&
	find limit/objects/pack -name "*.pack" >packs &&
	test_line_count = 1 packs
'

test_expect_success 'the limit is what the settings say, be it more than a hundred' '
	git init -q -b main many &&
	for i in $(seq 120)
	do
		echo "$i" >"many/$i" || return 1
	done &&
	git -C many add . &&
	test_tick &&
	git -C many commit -qm many &&
	while read -r packs settings
	do
		rm -rf to &&
		git init -q --bare to &&
		git -C to $settings fetch-pack -q ../many refs/heads/main &&
		find to/objects/pack -name "*.pack" >list &&
		test_line_count = "$packs" list || return 1
	done <<-\EOF
	1
	0 -c fetch.unpackLimit=500
	0 -c transfer.unpackLimit=500
	1 -c fetch.unpackLimit=3 -c transfer.unpackLimit=500
	0 -c fetch.unpackLimit=-1 -c transfer.unpackLimit=500
	1 -c fetch.unpackLimit=-1
	0 -c fetch.unpackLimit=0
	EOF
'

test_expect_success 'only new objects are sent' '
	test_commit -C src c9 file9 &&
	new=$(git -C src rev-parse main) &&
	git -C all fetch-pack -q --thin -k ../src refs/heads/main &&
	git -C all update-ref refs/heads/main "$new" &&
	git -C all fsck --strict &&
	git verify-pack --object-format=$TEST_HASH -v all/objects/pack/*.idx >list &&
	grep -c "^[0-9a-f]* commit" list >nr &&
	test "$(cat nr)" = 1
'

test_expect_success 'shallow, deepened, unshallowed' '
	git init -q --bare shallow &&
	git -C shallow fetch-pack -q --depth=2 ../src refs/heads/main &&
	git -C shallow update-ref refs/heads/main "$new" &&
	git -C src rev-parse main~1 >expect &&
	test_cmp expect shallow/shallow &&
	git -C shallow fsck --strict &&
	git -C shallow fetch-pack -q --depth=4 ../src refs/heads/main &&
	git -C src rev-parse main~3 >expect &&
	test_cmp expect shallow/shallow &&
	git -C shallow fetch-pack -q --depth=2147483647 ../src refs/heads/main &&
	test_path_is_missing shallow/shallow &&
	git -C shallow rev-list main >out &&
	test_line_count = 9 out &&
	git -C shallow fsck --strict
'

test_expect_success 'a filter leaves blobs out, and the pack is a promise' '
	git -C src config uploadpack.allowFilter true &&
	git init -q --bare partial &&
	git -C partial fetch-pack -q --filter=blob:none --from-promisor ../src refs/heads/main &&
	find partial/objects/pack -name "*.promisor" >marks &&
	test_line_count = 1 marks &&
	echo "$new refs/heads/main" >expect &&
	test_cmp expect "$(cat marks)" &&
	git verify-pack --object-format=$TEST_HASH -v partial/objects/pack/*.idx >list &&
	test_grep ! " blob " list
'

test_expect_success 'no such ref, no such repository' '
	test_expect_code 1 git -C all fetch-pack -q ../src refs/heads/none 2>err &&
	test_grep "no such remote ref refs/heads/none" err &&
	test_expect_code 128 git ls-remote ./nowhere 2>err &&
	test_grep "Could not read from remote repository" err
'

test_expect_success 'an answer that is cut at any byte changes nothing' '
	write_script keep-answer <<-\EOF &&
	git upload-pack "$1" | tee answer-of-all
	EOF
	write_script give-part <<-\EOF &&
	exec 3<&0; cat <&3 >/dev/null 2>&1 &
	head -c "$CUT" "$ANSWER"
	EOF
	git init -q --bare whole &&
	(cd whole && git fetch-pack -q --upload-pack=../keep-answer ../src refs/heads/main) &&
	ANSWER=$PWD/whole/answer-of-all && export ANSWER &&
	size=$(wc -c <"$ANSWER") &&
	git init -q --bare cut &&
	(cd cut && find . | sort) >before &&
	for n in $(seq 0 29 "$size") $((size - 1)) $((size - 4)) $((size - 5))
	do
		test_must_fail env CUT=$n git -C cut fetch-pack -q \
			--upload-pack=../give-part ../src refs/heads/main 2>err >out &&
		test_file_not_empty err &&
		test_must_be_empty out || return 1
	done &&
	(cd cut && find . | sort) >after &&
	test_cmp before after
'

test_expect_success 'ssh: the host, its port, the command, the version' '
	write_script fake-ssh <<-\EOF &&
	printf "%s\n" "$@" "P=$GIT_PROTOCOL" >ssh-args
	for last; do :; done
	exec sh -c "git ${last#git-}"
	EOF
	GIT_SSH=./fake-ssh GIT_SSH_VARIANT=ssh git ls-remote "ssh://me@host:2222$PWD/src" >out &&
	git ls-remote src >expect &&
	test_cmp expect out &&
	cat >expect <<-EOF &&
	-o
	SendEnv=GIT_PROTOCOL
	-p
	2222
	me@host
	git-upload-pack $SQ$PWD/src$SQ
	P=version=2
	EOF
	test_cmp expect ssh-args &&
	GIT_SSH=./fake-ssh GIT_SSH_VARIANT=putty git ls-remote "ssh://host:2222$PWD/src" >out &&
	test_grep "^-P\$" ssh-args &&
	GIT_SSH=./fake-ssh GIT_SSH_VARIANT=simple test_must_fail git ls-remote "ssh://host:2222/x" 2>err &&
	test_grep "does not support setting port" err &&
	test_must_fail git ls-remote "ssh://-oProxyCommand=x/y" 2>err &&
	test_grep "strange hostname" err
'

test_expect_success 'a pack that lacks what it leads to is refused' '
	git init -q --bare less &&
	(cd less && git fetch-pack -q --filter=blob:none --from-promisor --upload-pack=../keep-answer \
		../src refs/heads/main) &&
	ANSWER=$PWD/less/answer-of-all && export ANSWER &&
	test_must_fail env CUT=100000000 git -C cut fetch-pack -q --upload-pack=../give-part \
		../src refs/heads/main 2>err &&
	test_grep "did not receive expected object" err &&
	(cd cut && find . | sort) >after &&
	test_cmp before after
'

test_expect_success FSYNC_BATCH,STRACE,JOURNAL 'one flush, as a pack and as loose objects' '
	on_journal j &&
	git init -q --bare j/one &&
	n=$(count_flushes git -C j/one fetch-pack -q -k "$PWD/src" refs/heads/main) &&
	test "$n" = 1 &&
	git init -q --bare j/two &&
	n=$(count_flushes git -C j/two fetch-pack -q --depth=1 "$PWD/src" refs/heads/main) &&
	test "$n" = 1
'

test_expect_success 'outside of a repository' '
	mkdir -p outside && GIT_CEILING_DIRECTORIES=$PWD && export GIT_CEILING_DIRECTORIES &&
	test_when_finished "unset GIT_CEILING_DIRECTORIES" &&
	(cd outside && test_expect_code 128 git fetch-pack --all .. 2>err && test_grep "^fatal: not a git repository" err)
'

test_done
