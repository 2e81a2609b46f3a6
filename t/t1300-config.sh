#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git config, compared with stock git'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"

# The same file, the same command: same exit code, output and file.
# edit TEXT ARGS: TEXT is a format of printf.
edit () {
	printf "$1" >ours/f && cp ours/f theirs/f && shift &&
	PEERS_STDERR=ignore peers_git config -f f "$@" &&
	test_cmp_bin theirs/f ours/f
}

test_expect_success 'set up' '
	peers_init -b main
'

test_expect_success 'set: new values' '
	edit "" a.b c &&
	edit "" a.S.b c &&
	edit "[a]" a.b c &&
	edit "[a]\n\tb = 1" a.c 2 &&
	edit "[a]\n\tb = 1\n\n# com\n[d]\n\te = 1\n" a.c 2 &&
	edit "[a]\n\tb = 1\n[d]\n\te=1\n[a]\n\tf=2\n[g]\n" a.c 2 &&
	edit "[a] b=1 # x\n c=2\n" a.d 3 &&
	edit "[a]\n;c0\n" a.c 2 &&
	edit "# x" a.c 2 &&
	edit "[a]\r\n\tb = 1\r\n\tc = 2\r\n" a.d 3 &&
	edit "[a \"X\"]\n  b = 1\n" a.x.b 3 &&
	edit "[a]\n[a \"x\"]\ny=1\n" --add a.b 3
'

test_expect_success 'set: values that are there' '
	edit "[A]\n\tB = 1 ; foo\n\tc=2\n" a.b 2 &&
	edit "[a] b = 1\n" a.b 2 &&
	edit "[a]\n  b = 1 \\\\\n  2\n  c=3\n" a.b 3 &&
	edit "[a]\n\tb\n" a.b x &&
	edit "[a]\n\n\n\tb = 1\n\n\n\tc=1\n" a.b 2 &&
	edit "[a]b=1\nc=1\n" a.b 2 &&
	edit "[a]\n  b = 1\n  b = 2\n" a.b 3 &&
	edit "[a]\n  b = 1\n  b = 2\n" a.b 3 1 &&
	edit "[a]\n  b = 1\n  b = 2\n" a.b 3 "!1" &&
	edit "[a]\n  b = 1\n" a.b 3 nomatch &&
	edit "[a]\n  b = 1.\n" --fixed-value a.b 3 "1." &&
	edit "[a]\n  b = 1\n" a.b 3 "[" &&
	edit "[a]\n  b = 1\n  c=1\n[a]\n  b = 2\n[d]\n" --replace-all a.b 3 &&
	edit "[a]\n  b = 1\n  b = 2\n" --add a.b 3
'

test_expect_success 'set: quoting' '
	for v in " x" "x " "a;b" "a#b" "a\"b" "a\\b" "
" "	x" "" "\"x\"" "a  b"
	do
		edit "" a.b "$v" || return 1
	done
'

test_expect_success 'an entry without value and patterns' '
	for p in ".*" "!1" 1 ""
	do
		edit "[a]\n\tb\n" a.b 3 "$p" && edit "[a]\n\tb\n" --unset a.b "$p" &&
		edit "[a]\n\tb\n" --get-all a.b "$p" && edit "[a]\n\tb\n" --fixed-value --get a.b "$p" ||
			return 1
	done
'

test_expect_success 'unset' '
	edit "[a]\n\tb = 1\n" --unset a.b &&
	edit "[a]\n\tb = 1\n[c]\n\td=1\n" --unset a.b &&
	edit "# x\n[a]\n\tb = 1\n[c]\nd=1\n" --unset a.b &&
	edit "[a]\n# x\n\tb = 1\n[c]\nd=1\n" --unset a.b &&
	edit "[a] # x\n\tb = 1\n[c]\nd=1\n" --unset a.b &&
	edit "[a]\n\tb = 1 # x\n[c]\nd=1\n" --unset a.b &&
	edit "[z]\ny=1\n\n[a]\nb=1\n[c]\nd=1\n" --unset a.b &&
	edit "[z]\ny=1\n[a]\n\tb = 1\n[a]\nb=1\n[q]\nz=1\n" --unset-all a.b &&
	edit "[a]\n\tb = 1\n\tb = 2\n" --unset a.b &&
	edit "[a]\n\tb = 1\n\tb = 2\n" --unset a.b 1 &&
	edit "[a]\n\tb = 1\n\tb = 2\n" --unset-all a.b "!2" &&
	edit "[a]\n\tb = 1\n" --unset a.c &&
	edit "[a]b=1;x\nc=1\n" --unset a.b
'

test_expect_success 'sections' '
	edit "#1\n[a]\n\tb=1\n#2\n[c]\n[a \"s\"]\nx=1\n[a]\nq=1\n" --rename-section a z &&
	edit "#1\n[a]\n\tb=1\n#2\n[c]\n[a \"s\"]\nx=1\n[a]\nq=1\n" --rename-section a.s z.y &&
	edit "#1\n[a]\n\tb=1\n#2\n[c]\n[a \"s\"]\nx=1\n[a]\nq=1\n" --remove-section a &&
	edit "#1\n[a]\n\tb=1\n#2\n[c]\n[a \"s\"]\nx=1\n[a]\nq=1\n" --remove-section a.s &&
	edit "[a] b=1 # x\nc=1\n" --rename-section a z &&
	edit "[a]\n" --rename-section nope z &&
	edit "[x]y=1 #foo\n[a] #q\nb=1\n\n#c\n[c] d=1\n" --remove-section a
'

test_expect_success 'get, list, by regular expression' '
	cat >ours/f <<-\EOF &&
	[i]
	 k = 1k
	 neg = -2M
	 hex = 0x10
	 empty =
	 novalue
	 tru = tRue
	 b = maybe
	 p = ~/x
	 col = bold red
	[i "Sub"]
	 k = two
	 k = three
	EOF
	cp ours/f theirs/f &&
	peers_git config -f f i.k && peers_git config -f f --get I.K &&
	peers_git config -f f --get i.sub.k && peers_git config -f f --get i.Sub.k &&
	peers_git config -f f --get-all i.Sub.k &&
	peers_git config -f f --get-all i.Sub.k "!o" &&
	peers_git config -f f --get-all --fixed-value i.Sub.k two &&
	peers_git config -f f --get-regexp "I.*K" &&
	peers_git config -f f --get-regexp "[" &&
	peers_git config -f f --get i.k "[" &&
	peers_git config -f f --name-only --get-regexp . &&
	peers_git config -f f -l && peers_git config -f f -l -z &&
	peers_git config -f f -l --show-origin --show-scope &&
	peers_git config -f f -l --show-origin --show-scope -z &&
	peers_git config -f f --get i.novalue && peers_git config -f f --get i.none &&
	peers_git config -f f --default d --get i.none &&
	peers_git config --local --show-scope -l &&
	peers_git config --show-origin --get-regexp "^core"
'

test_expect_success 'types' '
	for k in k neg hex empty novalue tru b p none
	do
		for type in bool int bool-or-int bool-or-str path
		do
			PEERS_STDERR=ignore peers_git config -f f --type=$type i.$k ||
				return 1
		done || return 1
	done &&
	peers_git config -f f --type=color i.col &&
	peers_git config -f f --get-color i.none red &&
	peers_git config -f f --get-color i.col &&
	peers_git config --get-colorbool color.x true &&
	peers_git config --get-colorbool color.x &&
	peers_git config --type=bool a.b 12 && peers_git config a.b &&
	peers_git config --bool-or-int a.b yes && peers_git config a.b &&
	peers_git config --int a.b 2m && peers_git config a.b &&
	peers_git config --int a.b foo && peers_git config a.b &&
	peers_git config --type=color a.b foo
'

test_expect_success 'by URL' '
	cat >ours/f <<-\EOF &&
	[http]
	 sslVerify = 1
	 x = gen
	[http "https://weak.example.com"]
	 sslVerify = 2
	 cookieFile = /tmp/c
	[http "https://*.example.com"]
	 sslVerify = 3
	[http "https://user@weak.example.com"]
	 sslVerify = 4
	[http "https://weak.example.com/a/b"]
	 sslVerify = 5
	[http "https://weak.example.com:8443"]
	 sslVerify = 6
	EOF
	cp ours/f theirs/f &&
	for u in https://weak.example.com https://good.example.com \
		https://weak.example.com/a/b https://weak.example.com/a/bc \
		https://user@weak.example.com/a/b/c https://weak.example.com:8443/x \
		https://weak.example.com:443 http://x HTTPS://WEAK.example.com/x/../a/b
	do
		peers_git config -f f --get-urlmatch http.sslverify $u &&
		peers_git config -f f --get-urlmatch http $u || return 1
	done
'

test_expect_success 'invalid keys' '
	for k in nodot .x x. a.1 a.b_c "a b.c" a_b.c "" a.-x a.b.
	do
		peers_git config --get "$k" && peers_git config "$k" v || return 1
	done
'

test_expect_success 'options that do not go together' '
	PEERS_STDERR=ignore && export PEERS_STDERR &&
	test_when_finished "unset PEERS_STDERR" &&
	peers_git config && peers_git config --get && peers_git config --get a b c &&
	peers_git config a b c d && peers_git config --list --get a &&
	peers_git config --global --system -l && peers_git config --name-only a.b &&
	peers_git config --show-origin a.b c && peers_git config --default x -l &&
	peers_git config --fixed-value a.b c && peers_git config --bool --int a.b &&
	peers_git config --type=foo a.b && peers_git config -f - a.b c
'

test_expect_success 'command line and environment' '
	peers_git -c a.b=c -c a.d -c a.e= config --show-scope --get-regexp "^a" &&
	(
		X=val && export X && peers_git --config-env=a.b=X config a.b &&
		peers_git --config-env=a.b=Y config a.b
	) &&
	(
		GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=a.b GIT_CONFIG_VALUE_0=env &&
		export GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0 &&
		peers_git config a.b && peers_git -c a.b=option config a.b
	) &&
	(
		GIT_CONFIG=f && export GIT_CONFIG && peers_git config http.x
	)
'

test_expect_success 'the newer forms' '
	git config set -f n A.b one && git config set -f n --append A.b two &&
	git config set -f n --comment "and why" c.d "#x" &&
	printf "[A]\n\tb = one\n\tb = two\n[c]\n\td = \"#x\" # and why\n" >expect &&
	test_cmp expect n &&
	test "$(git config get -f n a.b)" = two &&
	test "$(git config get -f n --all a.b | tr "\n" " ")" = "one two " &&
	test "$(git config get -f n --all --show-names --regexp "^a")" = "a.b one
a.b two" &&
	test "$(git config get -f n --value=^o a.b)" = one &&
	test "$(git config get -f n --default=9 x.y)" = 9 &&
	test_expect_code 1 git config get -f n x.y &&
	test_expect_code 5 git config set -f n a.b three &&
	git config set -f n --value=two a.b three &&
	test "$(git config list -f n | head -2 | tail -1)" = a.b=three &&
	test_expect_code 5 git config unset -f n a.b &&
	git config unset -f n --all a.b && test_expect_code 5 git config unset -f n a.b &&
	git config rename-section -f n c e.f && git config remove-section -f n e.f &&
	test_must_be_empty n &&
	EDITOR="echo \"[q]r=s\" >" git config edit -f n && test "$(git config -f n q.r)" = s &&
	test_expect_code 128 git config get --all --default=1 x.y
'

test_expect_success 'a blob' '
	printf "[a]\n\tb = blob\n" >ours/f && (cd ours && stock add f) &&
	test "$(cd ours && git config --blob :f a.b)" = blob &&
	(cd ours && test_expect_code 1 git config --blob :none a.b && test_expect_code 128 git config --blob :none -l)
'

test_expect_success 'config.lock of another process: an error, nothing changed' '
	printf "[a]\n\tb = 1\n" >f && cp f expect && : >f.lock &&
	test_expect_code 255 git config -f f a.b 2 2>err &&
	test_grep "could not lock config file f" err &&
	test_path_is_file f.lock && test_cmp expect f && rm f.lock
'

test_expect_success 'a syntax error is reported with file and line' '
	printf "[a]\n\tb = 1\n[c\n" >f &&
	test_expect_code 128 git config -f f a.b 2>err &&
	test_grep "bad config line 3 in file f" err &&
	cp f expect && test_expect_code 3 git config -f f a.b 2 2>err &&
	test_grep "bad config line 3 in file f" err &&
	test_cmp expect f && test_path_missing f.lock
'

test_expect_success STRACE,FSYNC_BATCH,JOURNAL 'an edit costs one flush' '
	on_journal journal && git init -q journal/repo && cd journal/repo &&
	test "$(count_flushes git config x.y z)" = 1 &&
	test "$(count_flushes git config --unset x.y)" = 1 &&
	test "$(count_flushes git -c core.fsync=none config x.y z)" = 0
'

test_expect_success STRACE 'an edit outside of a repository is durable too' '
	n=$(count_flushes git config -f "$TRASH_DIRECTORY/out" x.y z) &&
	{ test -n "$GIT_TEST_FSYNC_METHOD" || test "${GIT_TEST_FSYNC:-1}" = 0 || test "$n" -ge 1; }
'

test_expect_success "a value written under a section without a name can be read" '
	git config --file unnamed .a.b v && printf "[ \"a\"]\n\tb = v\n" >expect && test_cmp expect unnamed &&
	test "$(git config --file unnamed .a.b)" = v && git config --file unnamed --unset .a.b &&
	test_must_be_empty unnamed &&
	for header in "[]" "[ ]" "[\"a\"]"; do
		printf "%s\n\tb = v\n" "$header" >unnamed &&
		test_expect_code 128 git config --file unnamed -l || return 1
	done
'

test_expect_success 'a section of the old form takes new values, and its name counts as written' '
	printf "[V.A]\n\tr = one\n" >old &&
	cp old f && git config -f f V.A.r v && printf "[V.A]\n\tr = one\n\tr = v\n" >expect && test_cmp expect f &&
	cp old f && git config -f f V.a.r v && printf "[V.A]\n\tr = v\n" >expect && test_cmp expect f &&
	test_expect_code 1 git config -f old V.A.r && test_expect_code 5 git config -f old --unset V.A.r &&
	test_expect_code 128 git config -f f --rename-section V.a W.b 2>err && test_grep "no such section: V.a" err &&
	git config -f f --rename-section V.A W.b && printf "[W \"b\"]\n\tr = v\n" >expect && test_cmp expect f &&
	git config -f old --remove-section V.A && test_must_be_empty old
'

test_expect_success 'sections are renamed and removed where they are written just so' '
	printf "[Sec]\n\ta = 1\n[sec]\n\tb = 2\n[Sub \"x\"]\n\tc = 3\n" >just &&
	for name in SEC sub.x Sub.X
	do
		test_expect_code 128 git config -f just --rename-section $name new 2>err &&
		test_grep "no such section: $name" err &&
		test_expect_code 128 git config -f just --remove-section $name || return 1
	done &&
	git config -f just --rename-section sec new && git config -f just --remove-section Sub.x &&
	printf "[Sec]\n\ta = 1\n[new]\n\tb = 2\n" >expect && test_cmp expect just &&
	git config -f just --remove-section Sec && printf "[new]\n\tb = 2\n" >expect && test_cmp expect just
'

test_expect_success 'options of a subcommand end at its first argument' '
	rm -f f && git config set -f f k.x -1 && test "$(git config get -f f k.x)" = -1 &&
	git config set -f f k.x --all && test "$(git config get -f f k.x)" = --all &&
	test_expect_code 129 git config set -f f k.x -- -2 2>err &&
	echo "error: wrong number of arguments, should be 2" >expect && test_cmp expect err &&
	test_expect_code 129 git config get -f f k.x -1 2>err &&
	echo "error: wrong number of arguments, should be 1" >expect && test_cmp expect err &&
	test_expect_code 129 git config set -f f k.x 2>err &&
	test_grep "^error: missing value to set to the variable .k.x.$" err
'

test_expect_success 'rename-section to an invalid name: 255, and nothing changes' '
	printf "[a \"b\"]\nx=1\n" >names && cp names before &&
	for to in a_b 1_ "a b"; do
		test_expect_code 255 git config -f names --rename-section a.b "$to" 2>err &&
		test_grep "^error: invalid section name: $to\$" err &&
		test_expect_code 255 git config rename-section -f names a.b "$to" && test_cmp before names || return 1
	done
'

test_expect_success 'list --type: values of another type are left out' '
	printf "[a]\n\tb\n\tc = 1k\n\td = yes\n\te = foo\n\tf = ~/x\n\tg = red\n\th = never\n" >typed &&
	GIT_TEST_DATE_NOW=1700000000 && export GIT_TEST_DATE_NOW && test_when_finished "unset GIT_TEST_DATE_NOW" &&
	lists () { git config list --type=$1 -f typed >out 2>err && printf "$2" >expect && test_cmp expect out; } &&
	lists int "a.c=1024\n" && test_must_be_empty err && lists bool "a.b=true\na.c=true\na.d=true\n" && lists bool-or-int "a.b=true\na.c=1024\na.d=true\n" &&
	lists color "a.g=\033[31m\n" && lists expiry-date "a.c=$(git config --type=expiry-date -f typed a.c)\na.h=0\n" &&
	lists path "a.c=1k\na.d=yes\na.e=foo\na.f=$HOME/x\na.g=red\na.h=never\n" && test_grep "a.b.*missing value" err &&
	git config list --type=int --name-only -f typed >out && test_line_count = 7 out &&
	test_must_fail git config get --type=int --all --regexp -f typed "a\..*" >out && test_must_be_empty out
'

test_done
