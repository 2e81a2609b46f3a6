#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='filters that delay their answers

A long-running filter may put a file off (gitattributes(5), "Delay"). It must hold up no other
file, and what it does wrong must neither be lost nor do harm. delay-filter.pl says what the
names of the files mean.'
. "$(dirname "$0")/test-lib.sh"

git config --global init.defaultBranch main
FILTER="perl '$TEST_DIRECTORY/delay-filter.pl'"
LOG=$TRASH_DIRECTORY/log

# content PATH: what the object of that file has
content () {
	echo "Content of $1"
}

# smudged PATH: and what the filter makes of it
smudged () {
	content "$1" | tr a-zA-Z n-za-mN-ZA-M
}

# start PATH...: r/ has a commit with these files, all but "plain*" and "link*" filtered, on main, and
# is on an empty one
start () {
	rm -rf "$LOG" r && git init -q r && cd r &&
	printf "* filter=f\nplain* -filter\nplain/* -filter\n.gitattributes -filter\n" >.gitattributes && git add .gitattributes &&
	git commit -q --allow-empty -m zero && git branch empty &&
	for f in "$@"
	do
		case $f in */*) mkdir -p "${f%/*}" ;; esac
		case ${f##*/} in link*) ln -s target "$f" ;; *) content "$f" >"$f" ;; esac
	done &&
	git -c filter.f.clean=cat add . && git commit -q -m one && git checkout -q --detach empty &&
	git config filter.f.process "$FILTER $OPTIONS '$LOG'" && git config filter.f.required ${REQUIRED:-false}
}

# asked: the log without the names of objects
asked () {
	sed "s/ \(ref\|treeish\|blob\)=[^ ]*//g" "$LOG"
}

# are COMMAND PATH...: these have the text that COMMAND gives for them
are () {
	local make=$1 f
	shift
	for f in "$@"
	do
		$make "$f" >"$TRASH_DIRECTORY/expect" && test_cmp "$TRASH_DIRECTORY/expect" "$f" || return 1
	done
}

test_expect_success 'delayed files are asked for again as they are offered' '
	start a.now b.d1 c.d2 d/e.d1 plain && git checkout -q main && are smudged a.now b.d1 c.d2 d/e.d1 && are content plain &&
	cat >expect <<-\EOF &&
	start clean delay smudge
	smudge a.now 17 can-delay=1
	smudge b.d1 16 can-delay=1
	smudge c.d2 16 can-delay=1
	smudge d/e.d1 18 can-delay=1
	list
	smudge b.d1 0
	smudge d/e.d1 0
	list
	smudge c.d2 0
	list
	EOF
	asked >actual && test_cmp expect actual
'

test_expect_success 'delayed files get modes and stat data as all files do' '
	start a.d1 b.d1 && git checkout -q main && chmod +x b.d1 && git add b.d1 && git commit -q -m x &&
	git checkout -q empty && rm "$LOG" && git checkout -q main && test -x b.d1 && ! test -x a.d1 &&
	git ls-files --debug >debug && grep -c "size: 16" debug >count && echo 2 >expect && test_cmp expect count &&
	sleep 1 && touch -d "now - 5 seconds" .git/index && git update-index -q --refresh && rm "$LOG" &&
	git diff-files --exit-code && test_path_is_missing "$LOG"
'

test_expect_success 'a filter without the capability is not told that it may delay' '
	OPTIONS=--no-delay start a.d1 && git checkout -q main && are smudged a.d1 &&
	printf "start clean delay smudge\nsmudge a.d1 16\n" >expect && asked >actual && test_cmp expect actual
'

delays () {
	printf "smudge a.d1 16 can-delay=1\nsmudge b.d1 16 can-delay=1\nlist\nsmudge a.d1 0\nsmudge b.d1 0\nlist\n" >expect &&
	asked | grep "^smudge\|^list" >actual && test_cmp expect actual && are smudged a.d1 b.d1 && rm "$LOG"
}

test_expect_success 'all commands that write files let filters delay' '
	start a.d1 b.d1 && git switch -q main && delays &&
	git switch -q --detach empty && git reset -q --hard main && delays &&
	git reset -q --hard empty && git read-tree -m -u HEAD main && delays &&
	git reset -q --hard empty && git read-tree --reset -u main && delays &&
	git reset -q --hard empty && git checkout -q main -- . && delays &&
	rm a.d1 b.d1 && git restore . && delays &&
	rm a.d1 b.d1 && git checkout -q -- a.d1 b.d1 && delays &&
	cd .. && git clone -q -b main -c "filter.f.process=$FILTER $OPTIONS \"$LOG\"" r c && cd c && delays
'

test_expect_success 'commands that print files do not delay them' '
	start a.d1 && smudged a.d1 >expect && git cat-file --filters main:a.d1 >actual && test_cmp expect actual &&
	git archive main a.d1 | tar xOf - >actual && test_cmp expect actual && asked >log && ! grep "can-delay\|list" log
'

test_expect_success 'a filter that is slow with its list holds up no file and no link' '
	plain=$(for i in $(test_seq 150); do echo plain/$i; done) &&
	start a.d1 linkz $plain plainz && git config checkout.workers 2 &&
	git config filter.f.process "$FILTER --await=linkz \"$LOG\"" && >target && git checkout -q main &&
	are smudged a.d1 && are content $plain plainz && test "$(readlink linkz)" = target && ! grep vain "$LOG" &&
	git checkout -q --detach empty && rm target &&
	git config filter.f.process "$FILTER --await=plainz \"$LOG\"" && git checkout -q main && ! grep vain "$LOG"
'

test_expect_success 'a filter that is slow with its first answer does not hold up other files' '
	plain=$(for i in $(test_seq 150); do echo plain/$i; done) &&
	OPTIONS="--await=plainz" start a.wait b.d1 $plain plainz && git checkout -q main && are smudged a.wait b.d1 &&
	are content $plain plainz && ! grep vain "$LOG" && git status --porcelain -uno >out && test_must_be_empty out &&
	OPTIONS="--await=plainz" start a.wait plainz && git checkout -q main && ! grep vain "$LOG"
'

test_expect_success 'several filters: each goes at its own pace' '
	start a.d1 b.d1 c.d1 && git checkout -q empty && printf "b* filter=g\nc* filter=h\n* -filter\na* filter=f\n" >.git/info/attributes &&
	git config filter.f.process "$FILTER --tag=f- --await=b.d1 \"$LOG.f\"" &&
	git config filter.g.process "$FILTER --tag=g- --await=c.d1 \"$LOG.g\"" &&
	git config filter.h.process "$FILTER --tag=h- \"$LOG.h\"" && printf "b* filter=g\nc* filter=h\n" >.git/info/attributes &&
	git checkout -q main && cat "$LOG".? >logs && ! grep vain logs && test_line_count = 15 logs &&
	for f in a:f b:g c:h; do printf "${f#*:}-" >expect && smudged ${f%:*}.d1 >>expect && test_cmp expect ${f%:*}.d1 || return 1; done
'

test_expect_success 'a file that is never offered is an error, and none of the others is lost' '
	for REQUIRED in true false
	do
		start a.d1 b.never c.now d.never plain && test_must_fail git checkout -q main 2>err &&
		are smudged a.d1 c.now && are content plain && test_path_is_missing b.never && test_path_is_missing d.never &&
		test_grep "^error: .b.never. was not filtered properly$" err && test_grep "^error: .d.never. was not filtered properly$" err &&
		test_grep "2 delayed files did not come" err &&
		git read-tree main && rm -f a.d1 c.now && test_must_fail git restore . 2>err && test_grep "b.never. was not" err && are smudged a.d1 ||
		return 1
	done
'

test_expect_success 'a clone that misses a file says that its checkout has failed' '
	start a.d1 b.never && cd .. && rm -rf c &&
	test_must_fail git clone -q -b main -c "filter.f.process=$FILTER \"$LOG\"" r c 2>err && test_grep "b.never. was not" err &&
	test_grep "Clone succeeded, but checkout failed" err && cd c && are smudged a.d1
'

test_expect_success 'a filter that offers a file that was not delayed is not asked again' '
	for s in plain a.now nowhere ../escape .git/config
	do
		OPTIONS="--stranger=$s" start a.now b.d1 c.d2 plain && test_must_fail git checkout -q main 2>err &&
		are smudged a.now b.d1 && are content plain && test_path_is_missing c.d2 && test_path_is_missing ../escape &&
		test_grep "signaled that .$s. is now available although it has not been delayed earlier" err &&
		test_grep "c.d2. was not filtered properly" err && grep -c list "$LOG" >actual && echo 1 >expect && test_cmp expect actual ||
		return 1
	done
'

test_expect_success 'a filter that offers a file twice is not asked again' '
	OPTIONS=--stranger=b.d1 start b.d1 c.d2 && test_must_fail git checkout -q main 2>err && are smudged b.d1 &&
	test_grep "signaled that .b.d1. is now" err && test_grep "c.d2. was not" err
'

test_expect_success 'error, abort, death, nonsense and half an answer: the file stays unfiltered' '
	for how in error abort die junk half
	do
		start a.$how b.now c.d1.$how d.d1 && git checkout -q main 2>err && are content a.$how c.d1.$how || return 1
	done &&
	start a.error b.now c.d1.error d.d1 && git checkout -q main 2>err && are smudged b.now d.d1 && test_must_be_empty err
'

test_expect_success 'after an abort, nothing more is asked of the filter' '
	start a.now b.abort c.now d.d1 && git checkout -q main && are smudged a.now && are content b.abort c.now d.d1 &&
	test_line_count = 3 "$LOG" && start a.d1.abort b.d1 && git checkout -q main && are content a.d1.abort b.d1 && asked >actual &&
	printf "start clean delay smudge\nsmudge a.d1.abort 22 can-delay=1\nsmudge b.d1 16 can-delay=1\nlist\nsmudge a.d1.abort 0\nlist\n" >expect &&
	test_cmp expect actual
'

test_expect_success 'after a death, the next file starts the filter anew; what it had delayed is lost' '
	start a.now b.die c.now d.d1 && git checkout -q main 2>err && test_grep "external filter .*delay-filter.* failed" err &&
	are smudged a.now c.now d.d1 && are content b.die && grep -c start "$LOG" >actual && echo 2 >expect && test_cmp expect actual &&
	start a.d1 b.die c.d1 && test_must_fail git checkout -q main 2>err && test_grep "a.d1. was not filtered properly" err &&
	test_path_is_missing a.d1 && are content b.die && are smudged c.d1 &&
	start a.d1 b.d1.die c.d1 && git checkout -q main 2>err && are smudged a.d1 && are content b.d1.die c.d1
'

test_expect_success 'the same of a filter that is required: the command fails, the file is not written' '
	for how in error abort die junk half
	do
		REQUIRED=true start a.$how && test_must_fail git checkout -q main 2>err && test_grep "a.$how: smudge filter .f. failed" err &&
		test_path_is_missing a.$how &&
		REQUIRED=true start a.d1.$how && test_must_fail git checkout -q main 2>err && test_grep "a.d1.$how: smudge filter .f. failed" err &&
		test_path_is_missing a.d1.$how || return 1
	done
'

test_expect_success 'a list that fails, ends early or has no status' '
	for how in error abort die junk nostatus
	do
		OPTIONS=--list=$how start a.d1 b.now plain && test_must_fail git checkout -q main 2>err && are smudged b.now &&
		are content plain && test_path_is_missing a.d1 && test_grep "a.d1. was not filtered properly" err &&
		{ test $how = error || test_grep "external filter .* failed" err; } || return 1
	done
'

test_expect_success 'while files are delayed, others may have made something in their places: it stays' '
	mkdir outside && OPTIONS="--run=\"mv d d.old && ln -s ../outside d && echo mine >f.d1\"" start d/a.d1 e.d1 f.d1 d/b.now &&
	test_must_fail git checkout -q main 2>err && test_path_is_missing ../outside/a.d1 && are smudged e.d1 && (smudged d/b.now) >expect && test_cmp expect d.old/b.now &&
	test_grep "d/a.d1. is beyond a symbolic link" err && echo mine >expect && test_cmp expect f.d1
'

test_expect_success 'progress' '
	start a.d1 b.d2 c.now && GIT_PROGRESS_DELAY=60 git checkout --progress main 2>err && ! grep -E "Updating|Filtering" err &&
	GIT_PROGRESS_DELAY=0 && export GIT_PROGRESS_DELAY && rm -f a.d1 b.d2 c.now && git checkout --progress -f main 2>err && test_grep "Updating files: 100% (3/3), done" err &&
	test_grep "Filtering content: 100% (2/2), done" err && rm a.d1 &&
	git restore --progress . 2>err && test_grep "Filtering content: 100% (1/1), done" err &&
	rm a.d1 && git restore . 2>err && test_must_be_empty err && rm a.d1 && git reset --hard 2>err && test_must_be_empty err &&
	git checkout -q --detach empty && git checkout --progress -B other 2>err && ! grep Filtering err &&
	cd .. && rm -rf c && git clone --progress -b main -c "filter.f.process=$FILTER \"$LOG\"" r c 2>err &&
	test_grep "Filtering content: 100% (2/2), done" err
'

test_expect_success 'many large files' '
	# A file as young as the index would be read again, and these filters have not stored it.
	start a.d1 && git switch -q main && touch -d @1000000000 $(git ls-files) && git update-index -q --refresh &&
	for i in $(test_seq 40); do test_seq 20000 | sed "s/^/$i line /" >big$i.d$((i % 5)) || return 1; done &&
	touch -d @1000000000 big* &&
	git -c filter.f.process= -c filter.f.clean=cat add . && git commit -q -m big && mkdir ../sums && for f in big*; do tr a-z n-za-m <$f >../sums/$f || return 1; done &&
	git switch -q --detach empty && git checkout -q main && for f in big*; do cmp $f ../sums/$f || return 1; done &&
	git status --porcelain -uno >out && test_must_be_empty out
'

# same COMMAND...: stock Git asks the filter the same, in the same order, and makes the same files
same () {
	rm -rf ../theirs ../ours && cp -R . ../theirs && cp -R . ../ours && rm -f "$LOG" &&
	(cd ../theirs && { stock "$@" || :; } 2>err.stock && asked >../log.theirs && git ls-files -s >index && mv index err.stock .git) &&
	rm -f "$LOG" && (cd ../ours && { git "$@" || :; } 2>err.ours && asked >../log.ours && git ls-files -s >index && mv index err.ours .git) &&
	test_cmp ../log.theirs ../log.ours && diff -r --exclude=.git ../theirs ../ours
}

test_expect_success PEER 'stock Git asks the same' '
	for command in "checkout -q main" "switch -q main" "reset -q --hard main" "read-tree -m -u HEAD main" "read-tree --reset -u main" "checkout main -- ."
	do
		start a.now b.d1 c.d2 d/e.d1 plain f.never g.d3 && same $command || return 1
	done
'

test_expect_success PEER 'the same of filters that fail' '
	for files in "a.error b.now c.d1" "a.abort b.now" "a.now b.abort c.now d.d1" "a.die b.now" "a.half b.now"
	do
		start $files && sed -i s/never// .gitattributes && same checkout -q main || return 1
	done &&
	for options in --no-delay --stranger=plain --list=error --list=abort --list=nostatus
	do
		OPTIONS=$options start a.now b.d1 c.d2 plain && same checkout -q main || return 1
	done
'

test_done
