#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='finding the repository, .git files, formats'
. "$(dirname "$0")/test-lib.sh"

# Prints which repository is found: "git config" shows the file, an alias the rest.
where () {
	git -c alias.where='!echo "$(pwd) [$GIT_PREFIX]"' where
}

test_expect_success 'found from a subdirectory' '
	git init -q r && mkdir -p r/a/b && top=$(cd r && pwd -P) && cd r/a/b &&
	test "$(where)" = "$top [a/b/]" &&
	test "$(git config --show-origin core.bare)" = "file:.git/config	false"
'

test_expect_success 'no repository' '
	mkdir none && cd none && test_expect_code 128 git count-objects 2>err &&
	test_grep "^fatal: not a git repository (or any of the parent directories): .git" err &&
	git config --global a.b c && git -c x.y=z config x.y
'

test_expect_success 'the ceiling' '
	cd r/a/b && test_expect_code 128 env GIT_CEILING_DIRECTORIES="$TRASH_DIRECTORY/r/a" \
		git count-objects &&
	GIT_CEILING_DIRECTORIES="$TRASH_DIRECTORY/r/a/b" git count-objects &&
	GIT_CEILING_DIRECTORIES="$TRASH_DIRECTORY/x:/nowhere" git count-objects
'

test_expect_success 'GIT_DIR, GIT_WORK_TREE, --git-dir, --work-tree, -C' '
	test "$(GIT_DIR=r/.git git config core.bare)" = false &&
	test "$(git --git-dir=r/.git config core.bare)" = false &&
	test "$(git -C r -C a config core.bare)" = false &&
	test "$(git --git-dir=r/.git --work-tree=r -C r/a -c alias.w="!pwd" w)" != "" &&
	test_expect_code 128 git --git-dir=none count-objects 2>err &&
	test_grep "not a git repository: .none." err &&
	test_expect_code 128 git -C none-such config x.y 2>err &&
	test_grep "cannot change to .none-such." err
'

test_expect_success 'a bare one, and inside of .git' '
	git init -q --bare b.git && cd b.git/refs && git count-objects &&
	test_expect_code 128 git add x 2>err && test_grep "must be run in a work tree" err &&
	cd ../../r/.git/objects && git count-objects &&
	test_expect_code 128 git add x 2>err && test_grep "must be run in a work tree" err
'

test_expect_success 'safe.bareRepository' '
	cd b.git && test_expect_code 128 git -c safe.bareRepository=explicit count-objects 2>err &&
	test_grep "cannot use bare repository" err &&
	git -c safe.bareRepository=explicit --git-dir=. count-objects
'

test_expect_success 'a .git file' '
	git init -q --separate-git-dir=sep w && mkdir w/s && cd w/s && git count-objects &&
	test "$(git config core.bare)" = false
'

test_expect_success 'malformed .git files' '
	mkdir f && cd f && echo foo >.git && test_expect_code 128 git count-objects 2>err &&
	test_grep "invalid gitfile format: $PWD/.git" err &&
	echo "gitdir: ../none" >.git && test_expect_code 128 git count-objects 2>err &&
	test_grep "not a git repository: $PWD/../none" err &&
	printf "gitdir: \n" >.git && test_expect_code 128 git count-objects 2>err &&
	test_grep "no path in gitfile" err &&
	rm .git && mkdir .git && test_expect_code 128 git count-objects 2>err &&
	test_grep "not a git repository (or any" err &&
	rmdir .git && mkfifo .git && test_expect_code 128 git count-objects
'

test_expect_success STOCK_GIT 'a linked work tree of stock git' '
	git init -q -b main m && cd m && stock commit -q --allow-empty -m x &&
	stock worktree add -q ../linked && cd ../linked && mkdir s && cd s &&
	test "$(git config -z --show-origin core.bare | tr "\0" "|")" = \
		"file:$TRASH_DIRECTORY/m/.git/config|false|" &&
	git count-objects && echo x >f && git add f && stock status --porcelain >../../out &&
	cd ../.. && echo "A  s/f" >expect && test_cmp expect out &&
	(cd m && stock status --porcelain) >out && test_must_be_empty out
'

test_expect_success 'core.worktree' '
	git init -q cw && mkdir -p elsewhere/d && cd cw &&
	git config core.worktree ../../elsewhere && top=$(cd ../elsewhere && pwd -P) &&
	echo x >../elsewhere/d/f && git add d/f && cd ../elsewhere/d &&
	test_expect_code 128 git count-objects &&
	test "$(GIT_DIR=../../cw/.git where)" = "$top [d/]"
'

# format VERSION LINES...: the config of repository fmt
format () {
	rm -rf fmt && git init -q --ref-format=files fmt && {
		printf "[core]\n\tbare = false\n\trepositoryformatversion = %s\n[extensions]\n" "$1" &&
		shift && for l; do printf "\t%s\n" "$l"; done
	} >fmt/.git/config
}

test_expect_success 'known versions and extensions' '
	format 0 worktreeConfig=true preciousObjects=true foo=x && git -C fmt count-objects &&
	format 1 objectFormat=sha1 refStorage=files noop && git -C fmt count-objects &&
	format 0 partialClone=o && git -C fmt count-objects && format 1 partialClone=o && git -C fmt count-objects
'

test_expect_success 'unknown ones are refused by name' '
	format 2 && test_expect_code 128 git -C fmt count-objects 2>err &&
	test_grep "Expected git repo version <= 1, found 2" err &&
	format 1 foo=x Bar && test_expect_code 128 git -C fmt count-objects 2>err &&
	test_grep "unknown repository extensions found:" err && test_grep "	foo" err &&
	test_grep "	bar" err &&
	format 1 partialClone && test_expect_code 128 git -C fmt count-objects 2>err &&
	test_grep "extensions.partialclone.*missing value" err &&
	format 0 objectFormat=sha256 && test_expect_code 128 git -C fmt count-objects 2>err &&
	test_grep "repo version is 0, but v1-only extension found:" err &&
	format 1 objectFormat=foo && test_expect_code 128 git -C fmt count-objects 2>err &&
	test_grep "invalid value for .extensions.objectformat.: .foo." err
'

# refused VERSION VALUE MESSAGE
refused () {
	format $1 "refStorage$2" && test_expect_code 128 git -C fmt for-each-ref 2>err && test_grep "$3" err
}

test_expect_success 'extensions.refStorage names the backend of refs, also as NAME://' '
	format 1 refStorage=files:// && git -C fmt symbolic-ref HEAD &&
	for value in foo FILES files:/x :// foo://x "files " fil; do
		refused 1 "=\"$value\"" "invalid value for .extensions.refstorage.: .$value." || return 1
	done &&
	for value in reftable reftable://; do
		format 1 refStorage=$value && git -C fmt count-objects && refused 0 "=$value" "	refstorage" || return 1
	done &&
	for value in reftable:///x files:///x files://x; do
		format 1 refStorage=$value && git -C fmt count-objects && refused 0 "=$value" "	refstorage" && test_grep "v1-only extension found:" err || return 1
	done &&
	refused 1 "" "missing value"
'

test_expect_success 'extensions.refStorage of a submodule counts for its HEAD' '
	rm -rf sup && git init -q sup && git init -q --ref-format=files sup/sub && test_commit -C sup/sub x && git -C sup add sub 2>/dev/null &&
	git -C sup ls-files -s >out && test_grep "^160000" out &&
	git -C sup/sub config core.repositoryFormatVersion 1 && git -C sup/sub config extensions.refStorage files:// &&
	git -C sup add sub && git -C sup/sub config extensions.refStorage reftable:// &&
	git -C sup rm -q --cached sub && test_must_fail git -C sup add sub 2>err
'

test_expect_success 'settings: unknown words of core.fsync are named' '
	cd r && git -c core.fsync=all,foo,-bar count-objects 2>err &&
	test_grep "warning: ignoring unknown core.fsync component .foo." err &&
	test_grep "warning: ignoring unknown core.fsync component .bar." err &&
	git -c core.fsyncMethod=foo count-objects 2>err &&
	test_grep "warning: ignoring unknown core.fsyncMethod value .foo." err &&
	git -c core.fsyncObjectFiles=true count-objects 2>err &&
	test_grep "warning: core.fsyncObjectFiles is deprecated; use core.fsync instead" err &&
	for w in none loose-object pack pack-metadata commit-graph index reference object-map \
		objects derived-metadata committed added all default none,index -pack
	do
		git -c core.fsync=$w count-objects 2>err && test_must_be_empty err || return 1
	done
'

test_expect_success 'settings: bad values stop a command, but not git config' '
	cd r && git config core.abbrev x && test_expect_code 128 git count-objects 2>err &&
	test_grep "bad numeric config value .x. for .core.abbrev. in file .git/config" err &&
	git config --unset core.abbrev && git count-objects
'

test_expect_success 'a config file with a syntax error' '
	git init -q bad && printf "[core\n" >>bad/.git/config &&
	test_expect_code 128 git -C bad count-objects 2>err &&
	test_grep "^fatal: bad config line [0-9]* in file " err
'

test_expect_success "a commondir that cannot be read ends the search, one that leads nowhere does not" '
	git init -q outer && git init -q outer/inner && mkdir outer/inner/.git/commondir &&
	test_expect_code 128 git -C outer/inner rev-parse --git-dir 2>err &&
	echo "fatal: failed to read $PWD/outer/inner/.git/commondir: Is a directory" >expect &&
	test_cmp expect err &&
	test_expect_code 128 git -C outer/inner --git-dir=.git rev-parse --git-dir &&
	rmdir outer/inner/.git/commondir && echo /nowhere >outer/inner/.git/commondir &&
	test "$(git -C outer/inner rev-parse --git-dir)" = "$PWD/outer/.git"
'

# No owner of a repository can make us wait for data that never comes.
test_expect_success 'pipes in the place of files' '
	git init -q whole && echo 1 >whole/a && git -C whole add a && git -C whole commit -q -m one &&
	blob=$(git -C whole rev-parse HEAD:a) && loose=$(echo $blob | sed "s,^..,&/,") &&
	refs=$(if test_have_prereq REFFILES; then echo heads/x; else cd whole/.git/refs && ls -d heads ../reftable/*; fi) &&
	for f in .gitignore .gitattributes .mailmap .git/info/exclude .git/info/attributes .git/config \
		.git/HEAD .git/index .git/packed-refs .git/commondir .git/config.worktree .git/info/grafts \
		.git/shallow .git/objects/info/alternates .git/COMMIT_EDITMSG .git/MERGE_HEAD .git/logs/HEAD \
		.git/objects/$loose .git/objects/pack/multi-pack-index $(printf ".git/refs/%s\n" $refs)
	do
		rm -rf pipes && cp -R whole pipes && mkdir -p pipes/$(dirname $f) && rm -f pipes/$f && mkfifo pipes/$f &&
		for command in status "log -1 -p --format=%aN" "add a" "commit -q --allow-empty -m two" fsck
		do
			code=0 && { timeout -k 5 500 git -C pipes $command >out 2>&1 || code=$?; } &&
			if test $code = 124 || test $code = 137; then echo "$command waits for $f" && return 1; fi
		done || return 1
	done
'

test_lazy_prereq DEV_SHM 'test -d /dev/shm && test -w /dev/shm'
test_expect_success DEV_SHM 'a pipe in a repository below /dev' '
	below=$(mktemp -d /dev/shm/sluice-XXXXXX) && test_when_finished "rm -rf $below" &&
	git init -q $below && git -C $below commit -q --allow-empty -m one && mkfifo $below/.mailmap &&
	code=0 && { timeout -k 5 500 git -C $below log -1 || code=$?; } && test $code != 124
'

test_expect_success 'a pipe that the user names is read' '
	rm -rf named && git init -q named && mkfifo named/message && { echo words >named/message & } &&
	git -C named commit -q --allow-empty -F message && git -C named log -1 --format=%s >out &&
	echo words >expect && test_cmp expect out
'

test_expect_success 'a list of shallow commits without end' '
	rm -rf endless && git init -q endless && git -C endless commit -q --allow-empty -m one &&
	truncate -s 65M endless/.git/shallow && test_must_fail git -C endless log 2>err &&
	test_grep "shallow" err
'

test_expect_success 'core.bare counts for linked worktrees that have configurations of their own' '
	git init -q wtc && git -C wtc commit -q --allow-empty -m one && mkdir -p linked wtc/.git/worktrees/l &&
	echo ../.. >wtc/.git/worktrees/l/commondir && cp wtc/.git/HEAD wtc/.git/worktrees/l && echo "$PWD/linked/.git" >wtc/.git/worktrees/l/gitdir &&
	echo "gitdir: $PWD/wtc/.git/worktrees/l" >linked/.git && git -C wtc config core.bare true &&
	test "$(git -C linked rev-parse --is-bare-repository)" = false && git -C wtc config extensions.worktreeConfig true &&
	test "$(git -C linked rev-parse --is-bare-repository)" = true && git -C linked config --worktree core.bare false &&
	test "$(git -C linked rev-parse --is-bare-repository)" = false && git -C wtc config --worktree core.bare false &&
	test "$(git -C wtc rev-parse --is-bare-repository)" = false
'

test_done
