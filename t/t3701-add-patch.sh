#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='choosing hunks: add -p, -i, -e; commit, reset, checkout, restore, stash with -p'
. "$(dirname "$0")/test-lib.sh"

SQ="'"

# f has three hunks; the first one has two parts
fresh() {
	rm -rf repo && git init -q -b main repo && (
		cd repo && test_seq 40 >f && echo gone >gone && echo mode >mode && printf "a\0b" >bin && git add . && git commit -qm one &&
		sed "s/^3\$/three/;s/^5\$/five/;s/^20\$/twenty/;35d" f >g && mv g f
	)
}

# keys KEYS COMMAND...: the answers are lines; output in out and err
keys() {
	local answers=$1
	shift
	printf "$answers" | git -C repo "$@" >out 2>err
}

editor() {
	GIT_EDITOR=$1
	export GIT_EDITOR
}

# staged LINE...: lines that the staged patch of f adds or removes
staged() {
	git -C repo diff --no-color --cached f | sed -n "/^@@/,\$s/^\([-+].*\)/\1/p" >actual && printf "%s\n" "$@" | sed "/^\$/d" >expect && test_cmp expect actual
}

unstaged() {
	git -C repo diff --no-color f | sed -n "/^@@/,\$s/^\([-+].*\)/\1/p" >actual && printf "%s\n" "$@" | sed "/^\$/d" >expect && test_cmp expect actual
}

prompts() {
	grep -o "([0-9]*/[0-9]*) .*?\]? " out | sed "s/? .*/?/" >actual && printf "%s\n" "$@" >expect && test_cmp expect actual
}

test_expect_success 'y, n, and the end of the input' '
	fresh && keys "n\ny\n" add -p && staged -20 +twenty && prompts "(1/3) Stage this hunk [y,n,q,a,d,k,K,j,J,g,/,s,e,p,P,?]?" \
		"(2/3) Stage this hunk [y,n,q,a,d,k,K,j,J,g,/,e,p,P,?]?" "(3/3) Stage this hunk [y,n,q,a,d,K,J,g,/,e,p,P,?]?" &&
	test_must_be_empty err && keys "" add -p && staged -20 +twenty
'

test_expect_success 'a and d decide all hunks behind, q decides none' '
	fresh && keys "n\na\n" add -p && staged -20 +twenty -35 && git -C repo reset -q && keys "y\nd\n" add -p && staged -3 +three -5 +five &&
	git -C repo reset -q && keys "y\nq\n" add -p && staged -3 +three -5 +five
'

test_expect_success 's splits a hunk, and chosen parts are joined' '
	fresh && keys "s\ny\nn\nq\n" add -p && test_grep "Split into 2 hunks." out && test_grep "@@ -4,5 +4,5 @@" out && staged -3 +three &&
	git -C repo reset -q && keys "s\nn\ny\nq\n" add -p && staged -5 +five && git -C repo reset -q && keys "s\ny\ny\nq\n" add -p && staged -3 +three -5 +five &&
	keys "s\nq\n" add -p && test_grep "Sorry, cannot split this hunk" out
'

test_expect_success 'keys that go to other hunks' '
	fresh && keys "J\nj\nK\nk\ny\n" add -p && staged -3 +three -5 +five && git -C repo reset -q && keys "K\ny\n" add -p && staged -35 && git -C repo reset -q &&
	sed 1d repo/f >g && cp repo/f keep && cp g repo/f && keys "s\ny\ny\nq\n" add -p f && staged -1 -3 +three && git -C repo reset -q && cp keep repo/f &&
	keys "g\n" add -p && test_grep "go to which hunk? Invalid number: $SQ$SQ" out &&
	keys "g 2\ny\ng\n1\ng9\ng x\n/nothing\n/[\n/twenty\nn\n" add -p && staged "" && test_grep "+ 2:  -17,7 +17,7        -20" out && test_grep "go to which hunk? @@ -1,8 +1,8 @@" out &&
	test_grep "Sorry, only 3 hunks available." out && test_grep "Invalid number: .x." out && test_grep "No hunk matches the given pattern" out &&
	test_grep "Malformed search regexp \[:" out && keys "j\nJ\ng\n/\n" add -p -U40 && test_grep "No other undecided hunk" out && test_grep "No other hunks to goto" out && test_grep "No other hunks to search" out
'

test_expect_success 'unknown and long answers; help' '
	fresh && keys "x\nyy\n\n?\nq\n" add -p && test_grep "Unknown command .x. (use .?. for help)" out && test_grep "Only one letter is expected, got .yy." out &&
	test_grep "^s - split the current hunk into smaller hunks" out && test_grep "y - stage this hunk" out && staged "" &&
	git -C repo add f && keys "J\n?\n" reset -p && test_grep "y - unstage this hunk" out && test_grep "n - do not unstage this hunk" out && ! grep "^s - split" out
'

test_expect_success 'e: lines of a hunk' '
	fresh && editor "sed -i s/three/drei/" && keys "e\nq\n" add -p && staged -3 +drei -5 +five &&
	git -C repo reset -q && editor "sed -i /^.five/d\;s/^-5/\\ 5/" && keys "e\na\n" add -p && staged -3 +three -20 +twenty -35 &&
	git -C repo reset -q && editor "sed -i d" && keys "e\nq\n" add -p && staged "" &&
	editor "sed -i s/^.[12]\$/\\ x/" && keys "e\nn\ny\n" add -p && test_grep "Your edited hunk does not apply. Edit again" out && staged -3 +three -5 +five &&
	test_path_is_missing repo/.git/addp-hunk-edit.diff
'

test_expect_success 'modes, deletions, additions and binary files' '
	fresh && (cd repo && git checkout -q f && rm gone && chmod +x mode && echo more >>mode && printf "a\0c" >bin && echo new >new && git add -N new) &&
	keys "n\ny\nn\ny\n" add -p && test_grep "(1/1) Stage deletion" out && test_grep "(1/2) Stage mode change" out && test_grep "(1/1) Stage addition" out && ! grep bin out &&
	git -C repo diff --cached --summary >actual && printf " mode change 100644 => 100755 mode\n create mode 100644 new\n" >expect && test_cmp expect actual &&
	git -C repo diff --cached --numstat mode >actual && printf "0\t0\tmode\n" >expect && test_cmp expect actual && keys "y\nn\n" add -p && git -C repo diff --cached --summary -- gone >actual &&
	test_grep "delete mode 100644 gone" actual && keys "" add -p bin && test_grep "Only binary files changed." out && keys "" add -p nosuch && test_grep "No changes." out
'

test_expect_success 'p and P of a file that goes: all lines behind the first one' '
	fresh && (cd repo && rm gone && git rev-parse --short HEAD:gone >../id && printf "" >void && git add void && git commit -qm void void && rm void) && keys "p\nP\nq\n" add -p gone &&
	printf "%s\n" "deleted file mode 100644" "index $(cat id)..0000000" "--- a/gone" "+++ /dev/null" "@@ -1 +0,0 @@" "-gone" >lines && prompt="(1/1) Stage deletion [y,n,q,a,d,p,P,?]? " &&
	(echo "diff --git a/gone b/gone" && cat lines && printf "%s" "$prompt" && cat lines && printf "%s" "$prompt" && cat lines && printf "%s" "$prompt") >expect && echo >>expect && test_cmp expect out &&
	keys "p\nq\n" add -p void && grep -c "deleted file mode" out >actual && echo 2 >expect && test_cmp expect actual && git -C repo checkout -q void
'

test_expect_success 'the letters of the prompt are not searched; lines that are only added keep their place with -U0' '
	fresh && keys "/k,K\nq\n" add -p f && test_grep "No hunk matches the given pattern" out && (cd repo && git checkout -q f && sed "10a\\
ins" f >g && mv g f) && keys "y\n" add -p -U0 f && git -C repo diff --quiet f
'

test_expect_success 'e: a hunk that has no lines left is corrupt' '
	fresh && (cd repo && git checkout -q f && echo new >new && git add -N new) && editor "sed -i /^[-+]/d" && keys "e\nn\n" add -p new && test_grep "Your edited hunk does not apply. Edit again" out &&
	printf "%s\n" "error: corrupt patch at <stdin>:7" "error: ${SQ}git apply --cached${SQ} failed" >expect && test_cmp expect err && git -C repo diff --cached --quiet
'

test_expect_success 'warnings of a file come before the next file, also where index and files change' '
	fresh && (cd repo && git checkout -q f && cp mode other && git add other && git commit -qm other && chmod +x mode other) && keys "y\ny\n" checkout -p HEAD mode other &&
	printf "warning: %s has type 100644, expected 100755\n" mode mode other other >expect && test_cmp expect err && git -C repo diff --quiet HEAD
'

test_expect_success 'stash -p tells of the entry, even if files keep what it has' '
	fresh && (cd repo && git checkout -q f && sed "s/^20\$/twenty/;s/^21\$/more/" f >g && mv g f) && editor "sed -i /^+twenty/d" && (keys "e\n" stash -p || test $? = 1) &&
	test_grep "^Saved working directory and index state WIP on main: " out && tail -n 1 err >actual && echo "Cannot remove worktree changes" >expect && test_cmp expect actual &&
	git -C repo stash list >list && test_line_count = 1 list && unstaged -20 -21 +twenty +more
'

test_expect_success 'a file that is replaced by a link' '
	fresh && rm repo/f && ln -s gone repo/f && keys "y\ny\n" add -p && git -C repo diff --quiet && git -C repo ls-files -s f >actual && test_grep "^120000" actual
'

test_expect_success 'a file in conflict has no hunks' '
	fresh && (cd repo && git checkout -q f && git checkout -q -b side && echo side >>f && git commit -qam side && git checkout -q main && echo main >>f && git commit -qam main &&
	test_must_fail git merge -q side >/dev/null && echo more >>mode) && keys "y\n" add -p && test_grep "^f: needs merge" out && prompts "(1/1) Stage this hunk [y,n,q,a,d,e,p,P,?]?" &&
	git -C repo ls-files -u >actual && test_line_count = 3 actual && git -C repo diff --cached --name-only --diff-filter=M >actual && echo mode >expect && test_cmp expect actual
'

test_expect_success '--no-auto-advance stays, and goes to files' '
	fresh && echo more >>repo/mode && keys "a\n>\ny\n<\nq\n" add -p --no-auto-advance && staged -3 +three -5 +five -20 +twenty -35 &&
	git -C repo diff --quiet && test_grep "(was: y) \[y,n,q,a,d,K,J,g,/,s,e,>,<,p,P,?\]" out
'

test_expect_success 'a file without a hunk: p and P show nothing' '
	fresh && (cd repo && >empty && git add -N empty) && keys "p\nP\ny\n" add -p empty && git -C repo diff --cached --name-only >actual && echo empty >expect && test_cmp expect actual
'

test_expect_success 'add -i: files that are intended to be added' '
	fresh && (cd repo && git checkout -q f && >empty && echo more >more && git add -N empty more) && keys "s\nd\n*\n\nq\n" add -i && ! grep "^diff" out &&
	grep "[0-9]: .*nothing\|[0-9]: .*more" out | sed -n 1,2p >actual && printf "%s\n" "  1:        +0/-0      nothing empty" "  2:        +0/-0        +1/-0 more" >expect && test_cmp expect actual
'

test_expect_success 'after a and d comes the first hunk that is undecided' '
	fresh && keys "s\nn\nJ\na\n" add -p -U1 f && grep -o "^([0-9/]*)" out >actual && printf "(%s/%s)\n" 1 3 1 4 2 4 3 4 2 4 >expect && test_cmp expect actual &&
	fresh && keys "n\nJ\nd\ny\n" add -p -U1 f && staged -20 +twenty
'

test_expect_success 'white space that a hunk adds is warned of at once, counted in the patch of its file' '
	fresh && (cd repo && seq 9 >second && git add second && git commit -qm second && echo "end " >>second && sed "s/^twenty\$/twenty  /" f >g && mv g f) &&
	keys "n\ny\nn\ny\n" add -p f second && printf "%s\n" "<stdin>:10: trailing whitespace." "twenty  " "warning: 1 line adds whitespace errors." \
		"<stdin>:9: trailing whitespace." "end " "warning: 1 line adds whitespace errors." >expect && test_cmp expect err
'

test_expect_success '? counts the hunks once all are decided' '
	fresh && keys "y\n?\nn\ny\n?\nq\n" add -p --no-auto-advance f && grep -A1 SUMMARY out >actual &&
	printf "HUNKS SUMMARY - Hunks: 3, USE: 2, SKIP: 1\n\n" >expect && test_cmp expect actual
'

test_expect_success 'numbers of context lines' '
	fresh && keys "y\nd\n" add -p -U0 && staged -3 +three && git -C repo reset -q && keys "y\n" -c diff.interHunkContext=30 add -p && test_grep "(1/1)" out && git -C repo diff --quiet &&
	git -C repo reset -q && keys "" -c diff.context=1 add -p && test_grep "(1/3)" out && test_grep "^@@ -2,5 +2,5 @@" out && test_must_fail git -C repo add -p -U-2 2>err && test_grep "cannot be negative" err
'

test_expect_success 'colours, and a filter that must keep the number of lines' '
	fresh && git -C repo config color.ui always && keys "s\nq\n" add -p && test_grep "$(printf "\033\[36m@@ -1,8 +1,8 @@\033\[m")" out && test_grep "$(printf "\033\[1;34m(1/3) Stage")" out &&
	test_grep "$(printf "\033\[1mSplit into 2 hunks.\033\[m")" out && git -C repo config interactive.diffFilter "sed s/^/x/" && keys "y\nq\n" add -p && test_grep "^x.*diff --git" out &&
	rm repo/gone && keys "n\n" add -p gone && test_grep "^x.*@@ -1 +0,0 @@" out &&
	staged -3 +three -5 +five && git -C repo config interactive.diffFilter "sed 1d" && test_expect_code 1 git -C repo add -p </dev/null 2>err && test_grep "mismatched output from interactive.diffFilter" err
'

test_expect_success 'reset -p takes hunks out of the index, or brings those of a tree in' '
	fresh && git -C repo add f && keys "y\nn\nq\n" reset -p && test_grep "(1/3) Unstage this hunk" out && staged -20 +twenty -35 && git -C repo add f && git -C repo commit -qm two &&
	keys "n\ny\nq\n" reset -p HEAD^ f && test_grep "(1/3) Apply this hunk to index" out && staged -twenty +20 && test_must_fail git -C repo reset -p --hard 2>err &&
	test_grep "options .--patch. and .--{hard,mixed,soft}. cannot be used together" err
'

test_expect_success 'checkout -p and restore -p discard hunks' '
	fresh && keys "y\nq\n" checkout -p && test_grep "(1/3) Discard this hunk from worktree" out && unstaged -20 +twenty -35 && git -C repo add f &&
	keys "y\nq\n" checkout -p HEAD && test_grep "(1/2) Discard this hunk from index and worktree" out && staged -35 && unstaged "" &&
	keys "y\n" restore -p --staged f && staged "" && unstaged -35 && keys "y\n" restore -p && unstaged "" && fresh && git -C repo commit -qam two &&
	keys "y\nd\n" restore -p --source HEAD^ && test_grep "Apply this hunk to worktree" out && unstaged -three +3 -five +5 && staged "" &&
	git -C repo checkout -q f && keys "n\ny\nd\n" checkout -p HEAD^ && test_grep "Apply this hunk to index and worktree" out && staged -twenty +20 && unstaged ""
'

test_expect_success 'checkout -p: hunks that apply to files alone' '
	fresh && git -C repo add f && sed s/three/3a/ repo/f >tmp && cp tmp repo/f && keys "y\nq\nn\n" checkout -p HEAD && test_grep "The selected hunks do not apply to the index!" out &&
	test_grep "Nothing was applied." out && keys "y\nq\nn\n" -c color.ui=always checkout -p HEAD && printf "\033[1;31mNothing was applied.\n\033[m\n" >expect && grep -A1 Nothing out >lines &&
	sed "s/.*anyway? .\[m//" lines >actual && test_cmp expect actual && keys "y\nq\ny\n" checkout -p HEAD && unstaged -three +3 -five +5
'

test_expect_success 'commit -p and --interactive commit the chosen hunks' '
	fresh && keys "y\nd\n" commit -qm two -p && git -C repo show --format= --stat >actual && test_grep "2 insertions(+), 2 deletions(-)" actual && unstaged -20 +twenty -35 &&
	keys "u\n1\n\nq\n" commit -qm three --interactive && git -C repo diff --quiet && git -C repo show --format=%s -s >actual && echo three >expect && test_cmp expect actual &&
	test_must_fail git -C repo commit -p -a 2>err && test_grep "options .-a/--all. and .--interactive/-p/--patch. cannot be used together" err
'

test_expect_success 'stash -p takes hunks out of the files' '
	fresh && keys "n\ny\nd\n" stash -p && test_grep "Stash this hunk" out && unstaged -3 +three -5 +five -35 && git -C repo stash show -p >actual && test_grep "^+twenty" actual && ! grep +three actual &&
	git -C repo checkout -q f && git -C repo stash pop -q && unstaged -20 +twenty && test_must_fail git -C repo stash -p </dev/null 2>err >out && test_grep "No changes selected" err &&
	test_expect_code 1 git -C repo -c color.ui=always -c interactive.diffFilter="sed 1d" stash -p </dev/null 2>err && test_grep "No changes selected" err &&
	sed 39d repo/f >tmp && cp tmp repo/f && git -C repo add f && keys "n\ny\n" stash push -q -p --no-keep-index && staged "" && unstaged -20 +twenty &&
	fresh && editor "sed -i /^.five/d\;s/^-5/\\ 5/" && keys "e\nd\n" stash -p && unstaged -5 +five -20 +twenty -35
'

test_expect_success 'the menu: update, revert, add untracked, patch, diff' '
	fresh && echo new >repo/new && keys "u\n?\n1-\n\ns\nr\nf\n\na\n*\np\n1\n\nn\ny\nd\nd\n*\nh\nx\nq\n" add -i && test_grep "  1:    unchanged        +3/-4 f" out && test_grep "updated 1 path" out && test_grep "reverted 1 path" out &&
	test_grep "added 1 path" out && test_grep "^Bye.\|> Bye." out && test_grep "^Huh (x)?" err && staged -20 +twenty && git -C repo diff --cached --name-only >actual &&
	printf "f\nnew\n" >expect && test_cmp expect actual && keys "r\n1-2\n-1\n\n" add -i && test_grep "note: new is untracked now." out && staged -20 +twenty
'

test_expect_success 'add -e applies the edited patch' '
	fresh && editor "sed -i s/three/drei/" && git -C repo add -e && staged -3 +drei -5 +five -20 +twenty -35 && test_path_is_missing repo/.git/ADD_EDIT.patch &&
	editor "sed -i d" && test_must_fail git -C repo add -e 2>err && echo "fatal: empty patch. aborted" >expect && test_cmp expect err &&
	editor false && test_must_fail git -C repo add -e 2>err && test_grep "fatal: editing patch failed" err
'

test_expect_success 'options that need each other' '
	fresh && for o in --no-auto-advance -U3 --inter-hunk-context=3
	do
		test_must_fail git -C repo add $o f 2>err && test_grep "requires .--interactive/--patch." err || return 1
	done && test_must_fail git -C repo add -p -n 2>err && test_grep "options .--dry-run. and .--interactive/--patch. cannot be used together" err &&
	test_must_fail git -C repo checkout -p -f 2>err && test_grep ".--force. cannot be used with updating paths" err &&
	test_must_fail git -C repo stash -p -u 2>err && test_grep "Can.t use --patch and --include-untracked" err
'

test_expect_success 'the list for diff takes one line, understood or not' '
	fresh && git -C repo add f && keys "d\nnothing\nq\n" add -i && test_grep "Huh (nothing)?" err && test_grep "What now> Bye" out && test 1 = $(grep -c "Review diff" out) &&
	keys "d\n1 nothing\nq\n" add -i && test_grep "^+three" out
'

test_done
