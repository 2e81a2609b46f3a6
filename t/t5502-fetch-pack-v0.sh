#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git fetch-pack by versions 0 and 1 of the protocol, from servers that can much or little'
. "$(dirname "$0")/test-lib.sh"

# fetch DIR ARGS: with the version of this turn
fetch () {
	local dir="$1" &&
	shift &&
	git -C "$dir" -c protocol.version="$version" fetch-pack -q "$@"
}

# take_refs DIR: what fetch-pack has printed become refs
take_refs () {
	sed -n "s/^\([0-9a-f]*\) \(refs.*\)/update \2 \1/p" out >updates &&
	git -C "$1" update-ref --stdin <updates
}

test_expect_success 'a repository to fetch from' '
	git init -q -b main src &&
	for i in 1 2 3 4 5 6 7 8
	do
		test_commit -C src --tag "c$i" "c$i" "file$i" || return 1
	done &&
	git -C src tag -a -m annotated v1 &&
	git -C src config uploadpack.allowFilter true &&
	c8=$(git -C src rev-parse main)
'

for version in 0 1
do
	test_expect_success "version $version: everything, then new objects, then nothing" '
		git init -q --bare all-$version &&
		fetch all-$version --all ../src >out &&
		take_refs all-$version &&
		git -C all-$version fsck --strict &&
		test_commit -C src "n$version" &&
		new=$(git -C src rev-parse main) &&
		fetch all-$version -k --thin ../src refs/heads/main >out &&
		take_refs all-$version &&
		git verify-pack --object-format=$TEST_HASH -v all-$version/objects/pack/*.idx >list &&
		grep -c "^[0-9a-f]* commit" list >nr &&
		test "$(cat nr)" = 1 &&
		fetch all-$version ../src refs/heads/main >out &&
		echo "$new refs/heads/main" >expect &&
		test_cmp expect out &&
		git -C all-$version fsck --strict
	'

	test_expect_success "version $version: shallow, deepened, whole" '
		git init -q --bare depth-$version &&
		fetch depth-$version --depth=1 ../src refs/heads/main >out &&
		take_refs depth-$version &&
		git -C src rev-parse main >expect &&
		test_cmp expect depth-$version/shallow &&
		fetch depth-$version --depth=2 --deepen-relative ../src refs/heads/main &&
		git -C src rev-parse main~2 >expect &&
		test_cmp expect depth-$version/shallow &&
		fetch depth-$version --shallow-exclude=refs/tags/c3 ../src refs/heads/main &&
		git -C src rev-parse c4 >expect &&
		test_cmp expect depth-$version/shallow &&
		git -C depth-$version fsck --strict &&
		fetch depth-$version --depth=2147483647 ../src refs/heads/main &&
		test_path_is_missing depth-$version/shallow &&
		git -C depth-$version fsck --strict
	'

	test_expect_success "version $version: shallow since a time" '
		git init -q --bare since-$version &&
		when=$(git -C src log -1 --format=%ct c5) &&
		fetch since-$version --shallow-since="$when" ../src refs/heads/main >out &&
		take_refs since-$version &&
		git -C src rev-parse c5 >expect &&
		test_cmp expect since-$version/shallow
	'

	test_expect_success "version $version: a filter, tags that come along" '
		git init -q --bare part-$version &&
		fetch part-$version --filter=blob:none --from-promisor --include-tag ../src refs/heads/main &&
		git verify-pack --object-format=$TEST_HASH -v part-$version/objects/pack/*.idx >list &&
		test_grep ! " blob " list &&
		test_grep "^$(git -C src rev-parse v1) tag" list
	'

	test_expect_success "version $version: a server that is shallow itself" '
		git init -q --bare server-$version &&
		git -C server-$version fetch-pack -q --depth=2 ../src refs/heads/main >out &&
		take_refs server-$version &&
		git init -q --bare taken-$version &&
		test_expect_code 1 git -C taken-$version -c protocol.version=$version fetch-pack -q \
			../server-$version refs/heads/main >out 2>err &&
		test_must_be_empty out &&
		test_grep "rejected refs/heads/main because shallow roots are not allowed" err &&
		test_path_is_missing taken-$version/shallow &&
		fetch taken-$version --update-shallow ../server-$version refs/heads/main >out &&
		take_refs taken-$version &&
		test_cmp server-$version/shallow taken-$version/shallow &&
		git -C taken-$version fsck --strict
	'
done

test_expect_success 'many rounds of haves' '
	git init -q --bare rounds &&
	fetch rounds ../src refs/heads/main >out &&
	take_refs rounds &&
	tree=$(git -C rounds mktree </dev/null) &&
	parent=$(git -C rounds rev-parse refs/heads/main) &&
	GIT_AUTHOR_DATE="2000000000 +0000" && GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE &&
	export GIT_AUTHOR_DATE GIT_COMMITTER_DATE &&
	for i in $(seq 300)
	do
		parent=$(git -C rounds commit-tree -p "$parent" -m "$i" "$tree") || return 1
	done &&
	git -C rounds update-ref refs/heads/own "$parent" &&
	test_commit -C src after &&
	for version in 0 1
	do
		rm -rf again &&
		cp -R rounds again &&
		fetch again -k ../src refs/heads/main &&
		git verify-pack --object-format=$TEST_HASH -v again/objects/pack/*.idx >list &&
		grep -c "^[0-9a-f]* commit" list >nr &&
		test "$(cat nr)" = 1 || return 1
	done
'

# A server that has never heard of these words.
write_server () {
	write_script "$1" "$(command -v python3)" <<-EOF
	import os, subprocess, sys
	words = "$2".split()
	server = subprocess.Popen(["git", "upload-pack", sys.argv[1]], stdout=subprocess.PIPE)
	first = True
	while True:
	    some = os.read(server.stdout.fileno(), 65536)
	    if not some:
	        break
	    if first:
	        for word in words:
	            some = some.replace((" " + word).encode(), (" " + "x" * len(word)).encode(), 1)
	    first = False
	    os.write(1, some)
	sys.exit(server.wait())
	EOF
}

test_expect_success PYTHON 'servers that can little' '
	version=0 &&
	fetch all-0 ../src refs/heads/main >out &&
	take_refs all-0 &&
	test_commit -C src late &&
	late=$(git -C src rev-parse main) &&
	while read -r words
	do
		write_server little "$words" &&
		rm -rf to more &&
		git init -q --bare to &&
		fetch to --upload-pack=../little ../src refs/heads/main >out &&
		take_refs to &&
		git -C to fsck --strict &&
		cp -R all-0 more &&
		fetch more --upload-pack=../little ../src refs/heads/main >out &&
		take_refs more &&
		test "$(git -C more rev-parse refs/heads/main)" = "$late" &&
		git -C more fsck --strict || return 1
	done <<-\EOF
	side-band-64k
	side-band-64k side-band
	multi_ack_detailed
	multi_ack_detailed multi_ack
	multi_ack_detailed multi_ack side-band-64k side-band ofs-delta thin-pack no-progress
	EOF
'

test_expect_success PYTHON 'a message names the capability that the server lacks' '
	write_server none "shallow deepen-since deepen-not deepen-relative filter" &&
	while read -r option message
	do
		rm -rf to &&
		git init -q --bare to &&
		test_must_fail git -C to -c protocol.version=0 fetch-pack -q $option --upload-pack=../none ../src \
			refs/heads/main 2>err &&
		test_grep "Server does not support $message\$" err || return 1
	done <<-\EOF &&
	--depth=1 shallow clients
	--shallow-since=2005-04-07 --shallow-since
	--shallow-exclude=c3 --shallow-exclude
	--deepen-relative --deepen
	EOF
	fetch to --filter=blob:none --upload-pack=../none ../src refs/heads/main 2>err &&
	test_grep "filtering not recognized by server, ignoring" err
'

test_expect_success STOCK_GIT 'from stock Git, too, by each version' '
	write_script stock-server <<-EOF &&
	PATH=$T_ORIG_PATH exec "$STOCK_GIT" upload-pack "\$1"
	EOF
	for version in 0 1 2
	do
		rm -rf to &&
		cp -R rounds to &&
		fetch to --thin -k --upload-pack=../stock-server ../src refs/heads/main refs/tags/v1 >out &&
		take_refs to &&
		git -C to fsck --strict &&
		rm -rf to &&
		git init -q --bare to &&
		fetch to --depth=2 --upload-pack=../stock-server ../src refs/heads/main >out &&
		take_refs to &&
		git -C src rev-parse main~1 >expect &&
		test_cmp expect to/shallow &&
		fetch to --depth=2147483647 --upload-pack=../stock-server ../src refs/heads/main &&
		test_path_is_missing to/shallow &&
		git -C to fsck --strict || return 1
	done
'

test_expect_success 'an answer that is cut at any byte changes nothing' '
	write_script keep-answer <<-\EOF &&
	git upload-pack "$1" | tee answer-of-all
	EOF
	write_script give-part <<-\EOF &&
	head -c "$CUT" "$ANSWER"
	EOF
	git init -q --bare whole &&
	version=0 &&
	fetch whole --depth=3 --upload-pack=../keep-answer ../src refs/heads/main &&
	ANSWER=$PWD/whole/answer-of-all && export ANSWER &&
	size=$(wc -c <"$ANSWER") &&
	git init -q --bare cut &&
	(cd cut && find . | sort) >before &&
	for n in $(seq 0 23 $((size - 1))) $((size - 1)) $((size - 4)) $((size - 5))
	do
		test_must_fail env CUT=$n git -C cut -c protocol.version=0 fetch-pack -q --depth=3 \
			--upload-pack=../give-part ../src refs/heads/main 2>err >out &&
		test_file_not_empty err &&
		test_must_be_empty out || return 1
	done &&
	(cd cut && find . | sort) >after &&
	test_cmp before after
'

test_done
