#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='include.path and includeIf, compared with stock git'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"

# Compares the value of x.y in both.
peers_value () {
	peers_git config x.y
}

# Set up a condition in both; a clean file each time.
condition () {
	for side in ours theirs
	do
		cp plain-config $side/.git/config &&
		printf '[includeIf "%s"]\n\tpath = %s\n' "$1" "${2:-$TRASH_DIRECTORY/inc}" \
			>>$side/.git/config || return 1
	done
}

# Compares x.y as seen from one directory.
same_in () {
	local ours=0 theirs=0
	(cd "$1" && git config x.y) >o1 || ours=$?
	(cd "$1" && stock config x.y) >o2 || theirs=$?
	test $ours = $theirs && test_cmp o2 o1
}

test_expect_success 'set up' '
	peers_init -b main && printf "[x]\n\ty = yes\n" >inc && cp ours/.git/config plain-config &&
	mkdir ours/sub theirs/sub
'

test_expect_success 'include: relative, absolute, home; order' '
	peers_do "printf \"[x]\\n\\ty = before\\n[include]\\n\\tpath = ../../inc\\n\" >>.git/config" &&
	peers_value && test "$(cat out.ours)" = yes &&
	peers_git config --show-scope --get-all x.y &&
	peers_do "printf \"[x]\\n\\ty = after\\n\" >>.git/config" && peers_value &&
	peers_git config --no-includes --get-all x.y &&
	peers_git config -f .git/config --get-all x.y &&
	peers_git config -f .git/config --includes --get-all x.y &&
	cp inc "$HOME/home-inc" && peers_git -c "include.path=~/home-inc" config x.y &&
	peers_git -c "include.path=$TRASH_DIRECTORY/inc" config --get-all x.y &&
	peers_git -c "include.path=$TRASH_DIRECTORY/none" config --get-all x.y &&
	PEERS_STDERR=ignore peers_git -c include.path=rel config x.y
'

test_expect_success 'gitdir' '
	top=$(pwd) &&
	for c in "gitdir:$top/" "gitdir:ours/" "gitdir:none/" "gitdir:$top/**/.git" \
		"gitdir:~/" "gitdir:./" "gitdir:OURS/" "gitdir/i:OURS/" "gitdir:**/.git" \
		"gitdir:.git" "gitdir:$top/*/.git" "gitdir:$top"
	do
		condition "$c" && same_in ours/sub || return 1
	done
'

test_expect_success SYMLINKS 'gitdir through a symlink' '
	ln -s ours link && for c in gitdir:link/ gitdir:ours/ "gitdir:**/link/.git"
	do
		condition "$c" && same_in link || return 1
	done
'

test_expect_success 'onbranch' '
	for c in onbranch:main "onbranch:m*" onbranch:other onbranch:a/ "onbranch:a/*"
	do
		condition "$c" && peers_value &&
		for b in a/b a/b/c
		do
			peers_do "stock symbolic-ref HEAD refs/heads/$b" && peers_value ||
				return 1
		done &&
		peers_do "stock symbolic-ref HEAD refs/heads/main" || return 1
	done
'

test_expect_success 'hasconfig' '
	add_url="printf \"[remote \\\"o\\\"]\n\turl = https://h/a\n\" >>.git/config" &&
	for c in "https://h/**" "https://g/**" "*"
	do
		condition "hasconfig:remote.*.url:$c" &&
		peers_do "$add_url" && peers_value || return 1
	done &&
	printf "[remote \"p\"]\n\turl = x\n" >inc-url &&
	condition "hasconfig:remote.*.url:https://h/**" "$TRASH_DIRECTORY/inc-url" &&
	peers_do "$add_url" &&
	PEERS_STDERR=ignore peers_value && test_grep "remote URLs cannot be configured" err.ours
'

test_expect_success 'a loop of includes is reported' '
	printf "[include]\n\tpath = b\n" >a && printf "[include]\n\tpath = a\n" >b &&
	test_expect_code 128 git config -f a --includes x.y 2>err &&
	test_grep "exceeded maximum include depth (10)" err
'

test_expect_success 'an error in an included file names that file' '
	printf "[include]\n\tpath = b\n" >a && printf "[x]\n\n!\n" >b &&
	test_expect_code 128 git config -f a --includes x.y 2>err &&
	test_grep "bad config line 3 in file b" err
'

test_expect_success 'system, both global files, local, worktree, in this order' '
	mkdir -p scopes/xdg/git && (
		cd scopes && git init -q -b main r &&
		HOME=$PWD XDG_CONFIG_HOME=$PWD/xdg GIT_CONFIG_SYSTEM=$PWD/sys &&
		export HOME XDG_CONFIG_HOME GIT_CONFIG_SYSTEM && unset GIT_CONFIG_NOSYSTEM &&
		git config -f sys x.y 1 && git config -f xdg/git/config x.y 2 &&
		git config --global x.y 3 && cat xdg/git/config && cd r &&
		git config extensions.worktreeConfig true &&
		git config x.y 4 && git config --worktree x.y 5 &&
		git -c x.y=6 config --show-scope --get-all x.y >../out
	) &&
	printf "%s\t%s\n" system 1 global 3 local 4 worktree 5 command 6 >expect &&
	test_cmp expect scopes/out &&
	test_path_is_file scopes/r/.git/config.worktree
'

test_expect_success 'git config --global goes to the file that is there' '
	mkdir h && (
		HOME=$PWD/h && export HOME && git config --global a.b 1 &&
		test_path_is_file h/.gitconfig && rm h/.gitconfig &&
		mkdir -p h/.config/git && : >h/.config/git/config &&
		git config --global a.b 2 && test_path_missing h/.gitconfig &&
		test "$(git config --global a.b)" = 2 &&
		GIT_CONFIG_GLOBAL=$PWD/g git config --global a.b 3 && test_path_is_file g
	)
'

test_expect_success 'a file that hasconfig includes has no remote URL, whether the condition holds or not' '
	git init -q has && printf "[remote \"b\"]\n\turl = x\n" >has/.git/direct && printf "[include]\n\tpath = direct\n" >has/.git/nested &&
	printf "[includeIf \"hasconfig:remote.*.url:%s\"]\n\tpath = direct\n" foo >has/.git/again &&
	printf "[includeIf \"onbranch:**\"]\n\tpath = direct\n" >has/.git/branch &&
	printf "[remote \"b\"]\n\tpushurl = x\n[url \"a\"]\n\tinsteadOf = q\n[user]\n\tname = z\n" >has/.git/good && cp has/.git/config plain-config &&
	echo "fatal: remote URLs cannot be configured in file directly or indirectly included by includeIf.hasconfig:remote.*.url" >expect &&
	for pattern in foo other
	do
		for file in direct nested again branch
		do
			cp plain-config has/.git/config && printf "[remote \"a\"]\n\turl = foo\n[includeIf \"hasconfig:remote.*.url:%s\"]\n\tpath = %s\n" \
				$pattern $file >>has/.git/config && for c in "config core.bare" status "remote -v" "fetch a"
			do
				test_expect_code 128 git -C has $c >out 2>err && test_cmp expect err && test_must_be_empty out || return 1
			done
		done &&
		sed "s/branch$/good/" has/.git/config >new && cp new has/.git/config && git -C has remote -v >out &&
		if test $pattern = foo; then test "$(git -C has config user.name)" = z; else test "$(git -C has config user.name)" != z; fi || return 1
	done
'

# What a cloned repository brings must not become the configuration of the user.
plant () {
	rm -rf planted && git init -q planted && (
		cd planted && mkdir -p .config/git rel/.config/git git h && for f in .gitconfig .config/git/config git/config rel/.gitconfig
		do
			printf "[user]\n\tname = intruder\n[alias]\n\tx = !echo RAN\n[core]\n\thooksPath = h\n" >$f || exit
		done && for f in .config/git git rel/.config/git
		do
			echo ignored >$f/ignore && echo "* foo=bar" >$f/attributes && echo https://u:p@h >$f/credentials || exit
		done && cp git/credentials .git-credentials && >ignored
	)
}

test_expect_success 'an empty HOME is the root directory, never the current one' '
	plant && (
		cd planted && unset GIT_CONFIG_GLOBAL XDG_CONFIG_HOME && HOME= && export HOME &&
		test_must_fail git config user.name && test_expect_code 1 git x && git config --list --show-origin >../out &&
		test_grep ! intruder ../out && test_must_fail git config --global --list >../out &&
		test_grep ! intruder ../out &&
		printf "/.config/git/config\n/.gitconfig\n" >../expect && git var GIT_CONFIG_GLOBAL >../out && test_cmp ../expect ../out &&
		test "$(git var GIT_ATTR_GLOBAL)" = /.config/git/attributes && test_expect_code 1 git check-ignore ignored &&
		git check-attr foo x >../out && test_grep unspecified ../out &&
		printf "protocol=https\nhost=h\n\n" | git credential-store get >../out && test_must_be_empty ../out &&
		test "$(git config --type=path --default "~/q" x.y)" = /q && test_expect_code 128 git shell 2>../err
	)
'

# strace shows where it would write: nothing may be written to the root directory of the machine.
test_expect_success STRACE 'an empty HOME: the file that --global writes' '
	plant && (
		cd planted && unset GIT_CONFIG_GLOBAL XDG_CONFIG_HOME && HOME= && export HOME && cp .gitconfig ../before &&
		strace -f -o ../calls -e trace=openat,rename,link,linkat,renameat,renameat2 \
			-e inject=rename,renameat,renameat2,link,linkat:error=EACCES git config --global a.b c || : &&
		test_cmp ../before .gitconfig && test_grep ! "\"[.]gitconfig" ../calls && test_grep "\"/[.]gitconfig" ../calls
	)
'

test_expect_success 'an empty XDG_CONFIG_HOME or XDG_CACHE_HOME is not set' '
	plant && (
		cd planted && unset GIT_CONFIG_GLOBAL && XDG_CONFIG_HOME= HOME=/nonexistent && export HOME XDG_CONFIG_HOME &&
		test_must_fail git config user.name && test "$(git var GIT_ATTR_GLOBAL)" = /nonexistent/.config/git/attributes &&
		test_expect_code 1 git check-ignore ignored && unset HOME && test_must_fail git config user.name &&
		test_must_fail git var GIT_ATTR_GLOBAL
	)
'

test_expect_success 'an empty path in the environment is not the current directory' '
	mkdir empty && (
		cd empty && for v in GIT_DIR= GIT_OBJECT_DIRECTORY= "GIT_DIR=x GIT_WORK_TREE="
		do
			test_must_fail env $v git init -q n 2>../err && test_grep "The empty string is not a valid path" ../err || exit
		done && rm -rf n && ls -A >../out && test_must_be_empty ../out && git init -q r && cd r &&
		for v in GIT_DIR= GIT_WORK_TREE= GIT_COMMON_DIR= GIT_OBJECT_DIRECTORY=
		do
			test_expect_code 128 env $v git status || exit
		done
	)
'

test_expect_success 'a home directory that is not there: conditions do not hold, hooks do not run and are not skipped' '
	plant && write_script planted/.git/hooks/pre-commit <<-\EOF &&
	echo RAN >&2
	EOF
	mkdir -p "planted/~/h" "planted/~none/h" && cp planted/.git/hooks/pre-commit "planted/~/h" && cp planted/.git/hooks/pre-commit "planted/~none/h" &&
	(
		cd planted && unset HOME && >f && git add f && for dir in "~/h" "~none/h"
		do
			test_expect_code 1 git -c "includeIf.gitdir:$dir/.path=/x" config x.y 2>../err && test_must_be_empty ../err &&
			test_must_fail git -c core.hooksPath="$dir" commit -m x 2>../err && test_grep ! RAN ../err &&
			test_must_fail git rev-parse -q --verify HEAD || exit
		done && git -c core.hooksPath=.git/hooks commit -q -m x 2>../err && test_grep RAN ../err
	)
'

# no_place WHY COMMAND: the reason in a line of its own, and no file that would be to blame
no_place () {
	why=$1 && shift &&
	test_expect_code 128 "$@" 2>err &&
	{ echo "error: $why" && echo "fatal: unable to parse command-line config"; } >expect &&
	test_cmp expect err
}

SQ="'"
test_expect_success 'faults of the command line and the environment blame no file' '
	git init -q places && printf "[a]\n\tb = 1\n[include]\n\tpath = more\n" >>places/.git/config && >places/.git/more &&
	no_place "bogus count in GIT_CONFIG_COUNT" env GIT_CONFIG_COUNT=x git -C places config a.b &&
	no_place "missing config key GIT_CONFIG_KEY_0" env GIT_CONFIG_COUNT=1 git -C places config a.b &&
	no_place "missing config value GIT_CONFIG_VALUE_0" env GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=a.b git -C places config a.b &&
	no_place "key does not contain a section: x" env GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=x GIT_CONFIG_VALUE_0=y git -C places status &&
	no_place "bogus format in GIT_CONFIG_PARAMETERS" env GIT_CONFIG_PARAMETERS=x git -C places status &&
	no_place "relative config includes must come from files" git -C places -c include.path=more status &&
	no_place "missing value for ${SQ}include.path${SQ}" git -C places -c include.path config a.b &&
	no_place "could not expand include path ${SQ}~nosuch/x${SQ}" git -C places -c include.path=~nosuch/x status &&
	echo "[[[" >bad &&
	test_expect_code 128 git -C places -c "include.path=$PWD/bad" status 2>err &&
	echo "fatal: bad config line 1 in file $PWD/bad" >expect && test_cmp expect err
'

test_expect_success 'includes in a blob and on standard input are followed, in a file only with --includes' '
	rm -rf in && git init -q in && printf "[u]\nv=2\n" >in/inc && printf "[include]\npath=%s\n" "$(pwd)/in/inc" >in/file &&
	blob=$(git -C in hash-object -w file) && echo 2 >expect &&
	git -C in config --blob $blob u.v >out && test_cmp expect out &&
	git config --file - u.v <in/file >out && test_cmp expect out &&
	git config --file in/file --includes u.v >out && test_cmp expect out &&
	test_expect_code 1 git -C in config --blob $blob --no-includes u.v &&
	test_expect_code 1 git config --file - --no-includes u.v <in/file &&
	test_expect_code 1 git config --file in/file u.v
'

test_expect_success 'a path that is optional and missing counts as not set' '
	git init -q optional && (cd optional && git commit -q --allow-empty -m x && echo ignored >list && touch ignored &&
	 test_expect_code 1 git -c a.b=":(optional)none" config get --type=path a.b >out && test_must_be_empty out &&
	 echo q >expect && git -c a.b=":(optional)none" config get --type=path --default=q a.b >out && test_cmp expect out &&
	 echo list >expect && git -c a.b=":(optional)none" -c a.b=":(optional)list" config get --all --type=path a.b >out && test_cmp expect out &&
	 git -c core.excludesFile=":(optional)list" status -s >out && test_grep ! ignored out && git -c core.excludesFile=":(optional)none" status -s >out && test_grep ignored out &&
	 git -c init.templateDir=":(optional)none" init -q tmpl 2>err && test_must_be_empty err && test_path_is_dir tmpl/.git/info &&
	 git -c fsck.skipList=":(optional)none" fsck && git -c commit.template=":(optional)none" commit -q --allow-empty -m y &&
	 test_must_fail git -c commit.template=none commit -q --allow-empty 2>err && test_must_fail git -c fsck.skipList=none fsck 2>err)
'

test_expect_success 'a locked file ends config with 255; a name without a section and a value' '
	(cd optional && touch .git/config.lock && test_expect_code 255 git config a.b c 2>err && test_grep "^error: could not lock config file .git/config: " err && test_expect_code 255 git config --unset a.b 2>err &&
	 rm .git/config.lock && test_expect_code 129 git config set a 2>err && echo "error: missing value to set to a variable with an invalid name ${SQ}a$SQ" >expect && test_cmp expect err)
'

test_expect_success MKNOD 'no file takes the place of a device: config, an index, a bundle' '
	mkdir devices && cd devices && mknod null c 1 3 && ln -s null link && for f in null link; do
		test_expect_code 255 git config -f $f a.b c 2>err && test_grep "^error: could not lock config file $f: .*null. is not a regular file$" err &&
		GIT_CONFIG_GLOBAL="$PWD/$f" test_expect_code 255 git config --global a.b c || return 1
	done && git init -q -b main d && (cd d && git commit -q --allow-empty -m 1 && test_expect_code 128 git bundle create ../null HEAD &&
	test_expect_code 128 env GIT_INDEX_FILE="$PWD/../null" git read-tree HEAD && test_expect_code 128 git read-tree --index-output=../null HEAD) &&
	test -c null && test -h link && git config -f null -l >out && test_must_be_empty out
'

test_expect_success 'a config file that cannot be locked ends config with 255, whatever the reason' '
	test_expect_code 255 git config -f missing/x a.b c 2>err && test_grep "^error: could not lock config file missing/x: " err &&
	: >plain && test_expect_code 255 git config -f plain/x --unset a.b
'

test_done
