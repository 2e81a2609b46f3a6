#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='color.remote: keywords in what a server says'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'a server that says many things' '
	git init -q --bare server &&
	write_script server/hooks/post-receive <<-\EOF &&
	printf "error: a\nErRoR: b\nerrors d\n  warning: e\n\thint f\nsuccess!\nsuccess_1\nxerror: y\nerror\n\nhint\303\266\n"
	printf "warning: x\rhint: y\n\033[31merror: z\n\013error: v\nHint: half"
	EOF
	git init -q client &&
	tree=$(git -C client mktree </dev/null) &&
	git -C client update-ref HEAD $(git -C client commit-tree -m 1 $tree) &&
	counter=0
'

# told OPTIONS...: what the server has said, to a push that has these options
told() {
	counter=$((counter + 1)) &&
	git -C client "$@" push -q ../server HEAD:refs/heads/$counter 2>err &&
	sed -n "s/^remote: //p" err | sed "s/        \$//" >actual
}

# expected COLOR...: of hint, warning, success, error
expected() {
	esc=$(printf "\033[") &&
	sed -e "s/{h}/$esc$1/g; s/{w}/$esc$2/g; s/{s}/$esc$3/g; s/{e}/$esc$4/g; s/{}/${esc}m/g" >expect <<-EOF
	{e}error{}: a
	{e}ErRoR{}: b
	errors d
	  {w}warning{}: e
	$(printf "\t"){h}hint{} f
	{s}success{}!
	{s}success{}_1
	xerror: y
	{e}error{}

	{h}hint{}$(printf "\303\266")
	{w}warning{}: x        $(printf "\r")remote: {h}hint{}: y
	$(printf "\033")[31merror: z
	^Kerror: v
	{h}Hint{}: half
	EOF
}

test_expect_success 'the colours are those of Git, or of color.remote.<slot>' '
	expected 33m "1;33m" "1;32m" "1;31m" &&
	for when in color.remote=always color.ui=always
	do
		told -c $when &&
		test_cmp expect actual || return 1
	done &&
	expected "34m" "1;33m" "1;32m" "3;31m" &&
	told -c color.remote=always -c color.remote.hint=blue -c color.remote.error="italic red" \
		-c color.remote.warning=colourful &&
	test_cmp expect actual
'

test_expect_success 'none where standard error is no terminal' '
	for when in color.remote=auto color.remote=true color.remote=false color.ui=auto
	do
		told -c $when -c color.remote.hint=blue &&
		test_grep "^hint" actual &&
		sed "s/[^m]\[31m//" actual >rest &&
		test_grep ! "\[" rest || return 1
	done &&
	told -c color.remote=never -c color.ui=always &&
	test_grep "^hint" actual
'

test_done
