#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='checkout -m and switch -m: local changes are carried over to another commit

When it is killed, or a call fails: t0110.'
. "$(dirname "$0")/test-lib.sh"

SQ=\'

# The lines 1 to 9, each changed as the arguments say: 5=five
lines () {
	local script= a
	for a; do script="$script;s/^${a%%=*}\$/${a#*=}/"; done
	printf "%s\n" 1 2 3 4 5 6 7 8 9 | sed "$script"
}

test_expect_success 'set up' '
	git init -q -b main base && (
		cd base && lines >f && echo g >g && echo h >h && mkdir d && echo k >d/k && git add . && test_tick && git commit -q -m one &&
		git switch -q -c other && lines 2=two >f && echo g2 >g && echo n >n && git add . && test_tick && git commit -q -m two &&
		git switch -q -c moved && mv f ff && git add -A . && git rm -q h && test_tick && git commit -q -m three && git switch -q main
	)
'

# a fresh copy, in which the arguments are run
fresh () {
	rm -rf r && cp -R base r && (cd r && eval "$1")
}
carry () {
	(cd r && git "$@") >out 2>err
}
status_is () {
	printf "%s" "$1" >expect && git -C r status --porcelain >status && test_cmp expect status
}
no_trace () {
	test_must_fail git -C r rev-parse -q --verify refs/stash && test_must_fail git -C r rev-parse -q --verify CHECKOUT_AUTOSTASH_HEAD
}
# Nothing happened: HEAD, index and files are what they were.
refused () {
	local code=$1
	shift
	(cd r && git ls-files -s && git status --porcelain && cat $(git ls-files -co)) >before 2>/dev/null
	test_expect_code $code carry "$@" && no_trace && test "$(git -C r symbolic-ref HEAD)" = refs/heads/main &&
	(cd r && git ls-files -s && git status --porcelain && cat $(git ls-files -co)) >after 2>/dev/null
	test_cmp before after
}

test_expect_success 'changes that do not meet: merged, not staged, and no stash is left' '
	fresh "lines 8=eight >f && echo h2 >h && git add h && chmod +x g" && carry checkout -m other && lines 2=two 8=eight >expect && test_cmp expect r/f &&
	status_is " M f
 M g
 M h
" && test -x r/g && test "$(cat r/g r/n)" = "g2
n" && no_trace && test "$(git -C r symbolic-ref HEAD)" = refs/heads/other && git -C r reflog -1 >log && test_grep "moving from main to other" log &&
	printf "%s\n" "The following paths have local changes:" "M	f" "M	g" "M	h" >expect && test_cmp expect out &&
	printf "%s\n" "Applied autostash." "Switched to branch ${SQ}other${SQ}" >expect && test_cmp expect err && git -C r fsck --no-dangling
'

test_expect_success 'without conflicting changes nothing is merged, and staged changes stay staged' '
	fresh "echo h2 >h && git add h" && carry switch -m other && status_is "M  h
" && echo "M	h" >expect && test_cmp expect out && ! grep Applied err && fresh "lines 2=two >f" && carry switch -q -m other &&
	status_is "" && test_must_be_empty out && echo "Applied autostash." >expect && test_cmp expect err
'

test_expect_success 'new files stay in the index, deleted ones are deleted in the work tree; other files are not touched' '
	fresh "lines 8=eight >f && echo new >new && git add new && git rm -q d/k && echo u >u && echo h2 >h" && touch -d 2001-01-01 r/h &&
	carry switch -m -c topic other && status_is " D d/k
 M f
 M h
A  new
?? u
" && test "$(stat -c %Y r/h)" = "$(date -d 2001-01-01 +%s)" && test_path_is_missing r/d && git -C r rev-parse topic other >ids && test "$(sort -u ids | wc -l)" = 1 && no_trace
'

test_expect_success 'a conflict: stages, markers, a stash of all; what could be merged is staged' '
	fresh "lines 2=TWO >f && echo h2 >h && git add h && lines 2=TWO 8=eight >f && echo new >new && git add new && chmod +x d/k" && head=$(git -C r rev-parse HEAD) && carry checkout -m other &&
	printf "%s\n" 1 "<<<<<<< other" two ======= TWO ">>>>>>> local" 3 4 5 6 7 eight 9 >expect && test_cmp expect r/f &&
	status_is "M  d/k
UU f
M  h
A  new
" && printf "%s\n" "The following paths have local changes:" "M	d/k" "M	f" "M	h" "A	new" >expect && test_cmp expect out && test_grep "resulted in conflicts" err && test_grep "Switched to branch" err &&
	test_must_fail git -C r rev-parse -q --verify CHECKOUT_AUTOSTASH_HEAD &&
	git -C r rev-parse stash^ stash^2^ >ids && test "$(sort -u ids)" = $head && test "$(git -C r log -1 --format=%B stash)" = "On main: autostash while switching to ${SQ}other${SQ}" &&
	git -C r log -1 --format=%B stash^2 >msg && test_grep "^index on main: $(git -C r rev-parse --short main) one" msg && git -C r reflog refs/stash >log && test_grep "stash@{0}: autostash while switching to ${SQ}other${SQ}" log &&
	lines 2=TWO 8=eight >expect && git -C r cat-file blob stash:f >actual && test_cmp expect actual && lines >expect && git -C r cat-file blob stash^2:f >actual && test_cmp expect actual &&
	git -C r diff --name-status main stash >out && printf "%s\n" "M	d/k" "M	f" "M	h" "A	new" >expect && test_cmp expect out && git -C r diff --name-status main stash^2 >out && printf "%s\n" "M	h" "A	new" >expect && test_cmp expect out
'

test_expect_success 'checkout of a branch that only a remote has reports the upstream first' '
	fresh "git update-ref refs/remotes/o/far other && git config remote.o.url x && git config remote.o.fetch \"+refs/heads/*:refs/remotes/o/*\" && lines 2=TWO >f" && carry checkout -m far &&
	printf "%s\n" "branch ${SQ}far${SQ} set up to track ${SQ}o/far${SQ}." "The following paths have local changes:" "M	f" >expect && test_cmp expect out && test_grep "^<<<<<<< refs/remotes/o/far" r/f
'

test_expect_success 'the newest of several stashes' '
	git -C r reset -q --hard && git -C r switch -q main && first=$(git -C r rev-parse stash) && lines 2=zwei >r/f && carry switch -q -m other && git -C r rev-parse stash@{1} >out &&
	test "$(cat out)" = $first && git -C r reflog refs/stash >log && test_line_count = 2 log
'

test_expect_success 'styles of conflicts, and their labels' '
	fresh "lines 2=TWO >f" && carry checkout --conflict=diff3 other && printf "%s\n" 1 "<<<<<<< other" two "||||||| main" 2 ======= TWO ">>>>>>> local" 3 4 5 6 7 8 9 >expect && test_cmp expect r/f &&
	fresh "lines 2=TWO >f && git switch -q --detach" && carry -c merge.conflictStyle=zdiff3 checkout -m other~0 && test_grep "^<<<<<<< other~0" r/f && test_grep "^||||||| $(git -C base rev-parse --short main)\$" r/f &&
	git -C r log -1 --format=%s stash >out && test_grep "^On (no branch): autostash" out && test_expect_code 128 carry checkout --conflict=junk other && test_expect_code 128 carry checkout -m -f other
'

test_expect_success 'the attributes of the new commit count' '
	fresh "git switch -q other && echo \"f merge=union\" >.gitattributes && git add . && git commit -q -m attr && git switch -q main && lines 2=TWO >f" && carry switch -m other &&
	printf "%s\n" 1 two TWO 3 4 5 6 7 8 9 >expect && test_cmp expect r/f && no_trace
'

test_expect_success 'one side has deleted a file, the other changed it; both have added one; binary files; links' '
	fresh "echo h2 >h" && carry switch -m moved && test "$(cat r/h)" = h2 && status_is "DU h
" && fresh "git rm -q g" && carry switch -m other && test "$(cat r/g)" = g2 && status_is "UD g
" && fresh "echo mine >n && git add n" && carry switch -m other && printf "%s\n" "<<<<<<< other" n ======= mine ">>>>>>> local" >expect && test_cmp expect r/n && status_is "AA n
" && fresh "printf \"a\\0b\" >g" && carry switch -m other && test "$(cat r/g)" = g2 && status_is "UU g
" && fresh "git switch -q other && ln -s b l && git add l && git commit -q -m l && git switch -q main && ln -s c l && git add l" && carry switch -m other && test "$(readlink r/l)" = b && status_is "AA l
"
'

test_expect_success 'a rename by the new commit, or here, is followed' '
	fresh "lines 8=eight >f" && carry switch -m moved && lines 2=two 8=eight >expect && test_cmp expect r/ff && test_path_is_missing r/f && status_is " M ff
" && fresh "mv f fff && git add -A . && lines 8=eight >fff" && carry switch -m other && lines 2=two 8=eight >expect && test_cmp expect r/fff && status_is " D f
A  fff
" && fresh "lines 2=TWO >f" && carry checkout --conflict=diff3 moved && printf "%s\n" "<<<<<<< moved:ff" "||||||| main:f" ">>>>>>> local:f" >expect && grep "[<|>]\{7\}" r/ff >actual && test_cmp expect actual && status_is "UU ff
" && fresh "mv f ff && git add -A . && lines 8=eight >ff" && carry switch -m moved && lines 2=two 8=eight >expect && test_cmp expect r/ff && status_is " M ff
" && fresh "lines 8=eight >f" && carry -c merge.renames=false switch -m moved && status_is "DU f
" && fresh "lines 8=eight >f" && carry -c diff.renames=false switch -m moved && status_is "DU f
"
'

test_expect_success 'refused, and nothing is changed: untracked files in the way' '
	fresh "lines 8=eight >f && echo mine >n" && refused 1 checkout -m other && test_grep "untracked working tree files would be overwritten" err && test_grep "^	n$" err && ! grep "^	f$" err &&
	fresh "lines 8=eight >f && git rm -q --cached h" && refused 1 switch -m other && test_grep "^	h$" err && fresh "lines 8=eight >f && echo n >.git/info/exclude && echo mine >n" &&
	refused 1 checkout -m --no-overwrite-ignore other && carry checkout -m other && test "$(cat r/n)" = n
'

test_expect_success 'refused, and nothing is changed: what cannot be merged, or not be saved' '
	fresh "lines 8=eight >f && echo i >i && git add -N i" && refused 128 switch -m other && test_grep "only intended to be added" err && fresh "rm g && ln -s h g" && refused 128 switch -m other && test_grep "symbolic link" err &&
	fresh "git rm -q g && mkdir g && echo x >g/x && git add g" && refused 128 switch -m other && test_grep "a directory" err && fresh "lines 8=eight >f && echo ff >ff && git add ff" && refused 128 switch -m moved && test_grep "another file" err &&
	fresh "lines 2=TWO >f" && refused 128 -c merge.x.driver="exit 129" -c merge.default=x switch -m other && test_grep "failed to execute internal merge for f" err &&
	fresh "lines 2=TWO >f && git update-ref CHECKOUT_AUTOSTASH_HEAD other" && test_expect_code 128 carry switch -m other && test_grep "earlier switch" err && test_grep "git restore --source=CHECKOUT_AUTOSTASH_HEAD" err &&
	lines 2=TWO >expect && test_cmp expect r/f && git init -q -b main r/new && (cd r/new && git fetch -q .. other:other && echo g >g && git add g && test_expect_code 128 git switch -m other 2>err && test_grep "before the first commit" err)
'

test_expect_success 'without a name; converted files; many files' '
	fresh "lines 2=TWO >f" && (cd r && unset GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL && git -c user.name= -c user.email= switch -q -m other) 2>err && git -C r log -1 --format="%an <%ae>" stash >out && echo "git stash <git@stash>" >expect && test_cmp expect out &&
	fresh "echo \"f text eol=crlf\" >.git/info/attributes && rm f && git checkout f && lines 8=eight | sed \"s/\$/\r/\" >f" && carry switch -m other && lines 2=two 8=eight | sed "s/\$/\r/" >expect && test_cmp_bin expect r/f &&
	fresh "for i in \$(seq 150); do echo \$i >m\$i; done && lines 8=eight >f && git add ." && carry switch -m other && test_grep "^A	m150" out && git -C r ls-files m1 m150 >out && test_line_count = 2 out
'

test_expect_success STRACE,JOURNAL,FSYNC_BATCH 'two flushes: of the stash, before any file changes, and of all else' '
	on_journal disk && cp -R base disk/r && lines 8=eight >disk/r/f && n=$(count_flushes git -C disk/r switch -m other) && test "$n" = 2
'

test_done
