#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='ls-tree, compared with stock git'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"

make_tree () {
	mkdir -p d/e d2 && echo a >a && echo b >d/b && echo c >d/e/c && echo x >'d/q"x' &&
	echo y >d2/y && chmod +x a && ln -s a l &&
	stock add . &&
	stock update-index --add --cacheinfo 160000,$(stock hash-object a),sub &&
	stock commit -q -m x
}

test_expect_success 'set up' '
	peers_init &&
	peers_do make_tree
'

test_expect_success 'options and paths, at the top and below' '
	for o in "" -r -t -d "-r -t" "-r -d" -l --name-only --object-only -z --abbrev --abbrev=4 \
		"-r -l" --full-tree --full-name "--name-status -r"
	do
		for p in "" d/ "d d/e" "d/e/c d/b nope" . "d2 a l sub"
		do
			peers_git ls-tree $o HEAD $p || return 1
		done &&
		for p in "" e ../d2
		do
			PEERS_DIR=d peers_git ls-tree $o HEAD $p || return 1
		done
	done &&
	for abbrev in 12 no auto
	do
		peers_git -c core.abbrev=$abbrev ls-tree --abbrev HEAD || return 1
	done
'

test_expect_success 'paths that lead up' '
	for p in .. ../ ../d ../d/ ../../x ../a e/../../a
	do
		PEERS_DIR=d peers_git ls-tree HEAD $p || return 1
	done
'

test_expect_success 'formats' '
	peers_git ls-tree -r --format="%(objectmode) %(objecttype) %(objectname)|%(path)%x09%%%n" HEAD &&
	peers_git ls-tree --format="%(objectsize)|%(objectsize:padded)" HEAD &&
	PEERS_DIR=d/e peers_git ls-tree --format="%(path)" --full-name HEAD &&
	peers_git ls-tree --format="%(foo)" HEAD &&
	peers_git ls-tree --format="%a" HEAD &&
	peers_git ls-tree --format="%(objectname" HEAD
'

test_expect_success 'errors' '
	peers_git ls-tree nope &&
	peers_git ls-tree HEAD:d &&
	peers_git ls-tree HEAD:a &&
	peers_git ls-tree HEAD ":(glob)*" &&
	peers_git ls-tree HEAD ":!d" &&
	peers_git ls-tree HEAD ":/d" &&
	PEERS_STDERR=ignore peers_git ls-tree &&
	PEERS_STDERR=ignore peers_git ls-tree --format=x --name-only HEAD
'

test_expect_success 'a blob that is missing spoils only --long' '
	b=$(stock -C ours rev-parse HEAD:a) &&
	f=ours/.git/objects/$(echo $b | sed "s#^..#&/#") &&
	mv $f saved && test_when_finished "mv saved $f" &&
	git -C ours ls-tree -r HEAD >actual &&
	test_must_fail git -C ours ls-tree -l HEAD 2>err &&
	test_grep $b err
'

test_done
