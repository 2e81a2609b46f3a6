#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git shell: services, commands of the account, and nothing else'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-daemon.sh"

test_expect_success 'an account' '
	make_service && mkdir home && HOME=$PWD/home && export HOME &&
	write_script "$SERVICE_BIN/git-upload-pack" <<-\EOF &&
	shift
	printf "<%s>" served "$@"
	EOF
	cp "$SERVICE_BIN/git-upload-pack" "$SERVICE_BIN/git-receive-pack"
'

shell () {
	GIT_EXEC_PATH=$SERVICE_BIN git shell "$@" >out 2>err
}
served () {
	printf "<served><%s>" "$1" >expect && test_cmp expect out
}

test_expect_success 'services' '
	shell -c "git-upload-pack '\''/srv/a.git'\''" && served /srv/a.git &&
	shell -c "git upload-pack '\''/srv/a b.git'\''" && served "/srv/a b.git" &&
	shell -c "git-upload-pack '\''it'\''\\'\'''\''s; ls \$HOME'\''" && served "it'\''s; ls \$HOME" &&
	shell -c "git-upload-pack '\''~/x'\''" && served "~/x" &&
	shell -c "git-receive-pack '\''/srv/a.git'\''" && served /srv/a.git
'

test_expect_success 'a bad argument' '
	test_expect_code 128 shell -c "git-receive-pack --x" && test_grep "bad argument" err
'

test_expect_success 'arguments that are refused' '
	for args in "" " " " /srv/a.git" " --help" " '\''--help'\''" " '\''-x'\''" " '\''a'\'' '\''b'\''" \
		" '\''a" " '\''a'\'';ls" " '\''a'\''&" " '\''a'\'' " " \"a\"" "  '\''a'\''" " --strict '\''a'\''" \
		" '\''a'\''\\''b"
	do
		test_expect_code 128 shell -c "git-upload-pack$args" && test_must_be_empty out &&
		test_grep "bad argument" err || { echo "accepted: $args" >&4; return 1; }
	done
'

test_expect_success 'commands that are refused' '
	for command in "" ls "git" "git log" "git-log" "git-upload-packx '\''a'\''" "git  upload-pack '\''a'\''" \
		"GIT-upload-pack '\''a'\''" "/bin/ls" "sh -c ls" "git-shell" "git shell" "--help" "cvs server"
	do
		test_expect_code 128 shell -c "$command" && test_must_be_empty out &&
		test_grep "unrecognized command" err || { echo "accepted: $command" >&4; return 1; }
	done &&
	test_expect_code 128 shell -x && test_expect_code 128 shell -c && test_expect_code 128 shell -c a b &&
	test_grep "no arguments or with -c" err
'

test_expect_success 'no interactive use by default' '
	test_expect_code 128 shell </dev/null && test_grep "Interactive git shell is not enabled" err
'

test_expect_success 'commands of the account' '
	mkdir home/git-shell-commands &&
	write_script home/git-shell-commands/show <<-\EOF &&
	printf "<%s>" "$PWD" "$@"; echo; exit 3
	EOF
	test_expect_code 3 shell -c "show a '\''b c'\'' \"d\"" &&
	echo "<$HOME><a><b c><d>" >expect && test_cmp expect out &&
	test_expect_code 3 shell -c "show ;ls" && echo "<$HOME><;ls>" >expect && test_cmp expect out &&
	test_expect_code 128 shell -c "show '\''a" && test_grep "unclosed quote" err &&
	test_expect_code 128 shell -c "show a\\" && test_grep "cmdline ends with" err
'

# A shell that waits for it would say 143.
test_expect_success PERL 'a command takes the place of the shell' '
	write_script home/git-shell-commands/die <<-\EOF &&
	kill -TERM $$
	EOF
	GIT_EXEC_PATH=$SERVICE_BIN perl -e "system @ARGV; print \$? & 127" git shell -c die >out &&
	printf 15 >expect && test_cmp expect out
'

test_expect_success 'commands of other places' '
	echo "echo wrong" >home/wrong && chmod +x home/wrong && : >home/git-shell-commands/text &&
	mkdir home/git-shell-commands/dir && cp home/wrong home/git-shell-commands/dir/ &&
	cp home/wrong home/git-shell-commands/with.dot && ln -s ../wrong home/git-shell-commands/-x &&
	for command in ../wrong ./show dir/wrong /bin/ls "$HOME/wrong" text . .. with.dot "sh&ow" "none"; do
		test_expect_code 128 shell -c "$command" && test_must_be_empty out &&
		test_grep "unrecognized command" err || return 1
	done
'

test_expect_success 'without a home' '
	test_expect_code 128 env -u HOME git shell -c show 2>err && test_grep "HOME is unset" err &&
	test_expect_code 128 env HOME="$PWD/none" git shell -c show 2>err && test_grep "could not chdir" err
'

test_expect_success 'interactive use' '
	printf "show 1\n\n nope x\nshow \"\n../wrong\nshow 2\n exit now\nshow 3\n" >input && shell <input &&
	printf "<$HOME><%s>\n" 1 2 >expect && test_cmp expect out &&
	test_grep "unrecognized command .nope" err && test_grep "invalid command format .[.][.]/wrong.$" err && test_grep "unclosed quote" err && test_grep "^git> " err &&
	for word in quit logout bye; do
		printf "$word\nshow 1\n" | shell && test_must_be_empty out || return 1
	done &&
	printf "show 1" | shell && test_grep "<1>" out
'

test_expect_success 'a command reads its own input' '
	write_script home/git-shell-commands/echo-line <<-\EOF &&
	read -r line && echo "line: $line"
	EOF
	printf "echo-line\nfor it\nshow 1\n" | shell &&
	printf "line: for it\n<$HOME><1>\n" >expect && test_cmp expect out
'

test_expect_success 'help and no-interactive-login' '
	write_script home/git-shell-commands/help <<-\EOF && shell </dev/null && echo overview >expect && test_cmp expect out &&
	echo overview
	EOF
	write_script home/git-shell-commands/no-interactive-login <<-\EOF &&
	echo not here; exit 5
	EOF
	echo "show 1" >input && test_expect_code 5 shell <input && echo "not here" >expect && test_cmp expect out &&
	test_expect_code 3 shell -c "show 1"
'

test_expect_success 'as a login shell, whose name begins with a dash' '
	rm home/git-shell-commands/no-interactive-login && ln -s "$GIT_BUILD_DIR/git" git-shell &&
	perl -e "exec { \$ARGV[0] } \"-git-shell\"" "$PWD/git-shell" </dev/null >out 2>err &&
	echo overview >expect && test_cmp expect out &&
	test_expect_code 3 "$PWD/git-shell" -c "show 1"
'

test_expect_success 'a line that has no end' '
	head -c 2000000 /dev/zero | tr "\0" a >input &&
	test_expect_code 128 shell <input && test_grep "longer than" err
'

test_done
