#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git clean

What it prints and removes is as with Git 2.55, but for excluding pathspecs (ud ":!ud/in" removes all of
ud there), and the paths that it prints when it was started in a directory that goes.'
. "$(dirname "$0")/test-lib.sh"

start () {
	rm -rf w && cp -a template w && git -C w update-index -q --refresh
}

# prints ARGS...: git clean ARGS, in w/$DIR, prints standard input.
prints () {
	cat >expect && (cd "w/$DIR" && git clean "$@") >out 2>err && test_cmp expect out && test_must_be_empty err
}

# would ARGS...: -n prints "Would remove" lines for the paths on standard input; -f then removes these.
would () {
	cat >paths && start && sed "s/^skip /Would skip repository /; t; s/^/Would remove /" paths >lines &&
	prints -n "$@" <lines && (cd w && find . | sort) >before && (cd template && find . | sort) >after && test_cmp after before &&
	sed "s/^Would remove /Removing /; s/^Would skip/Skipping/" lines >removed && prints -f "$@" <removed &&
	(cd "w/$DIR" && while read -r path; do case $path in skip*) test -d "${path#skip }" ;; *) test ! -e "$path" ;; esac || exit; done) <paths &&
	git -C w diff-files --exit-code --name-only
}

test_expect_success 'setup' '
	git init -q template && (
		cd template && mkdir -p d/e x ud/in emp sub2 ig/er mix onlyo && echo a >a && echo c >d/c && git add . &&
		printf "*.o\nig/\n/nest2\n" >.gitignore && git add .gitignore && git commit -q -m one &&
		for f in u d/v ud/z ud/in/y o.o d/o.o ig/q ig/er/r mix/k.o mix/k.c sub2/f onlyo/z.o "sp ace"; do echo x >"$f" || exit; done &&
		git init -q sub && echo x >sub/f && git init -q sub2/rep && git init -q nest2
	) && start
'

test_expect_success 'nothing without -f, -n or the setting' '
	(cd w && find . | sort) >before && test_expect_code 128 git -C w clean 2>err &&
	echo "fatal: clean.requireForce is true and -f not given: refusing to clean" >expect && test_cmp expect err &&
	test_expect_code 128 git -C w -c clean.requireForce clean -d && (cd w && find . | sort) >after && test_cmp before after &&
	git -C w -c clean.requireForce=false clean -q && test_path_is_missing w/u && test_path_is_file w/ud/z &&
	test_expect_code 128 git -C w clean -n -x -X 2>err && test_grep "cannot be used together" err
'

test_expect_success 'untracked files in directories with tracked ones' '
	printf "%s\n" d/v "sp ace" u | would && printf "%s\n" d/o.o d/v o.o "sp ace" u | would -x &&
	printf "%s\n" d/o.o mix/k.o o.o | would -X && prints -f -q </dev/null && start && prints -n -q -d </dev/null
'

test_expect_success '-d: directories, as a whole unless something in them stays' '
	would -d <<-\EOF &&
	d/e/
	d/v
	emp/
	mix/k.c
	sp ace
	skip sub2/rep
	sub2/f
	u
	ud/
	x/
	EOF
	test_path_is_dir w/sub/.git && test_path_is_dir w/nest2/.git && test_path_is_file w/mix/k.o &&
	test_path_is_file w/ig/er/r && test_path_is_file w/onlyo/z.o
'

test_expect_success '-d -x, -d -X' '
	would -d -x <<-\EOF &&
	d/e/
	d/o.o
	d/v
	emp/
	ig/
	mix/
	o.o
	onlyo/
	sp ace
	skip sub2/rep
	sub2/f
	u
	ud/
	x/
	EOF
	test_path_is_dir w/sub/.git && printf "%s\n" d/o.o ig/ mix/k.o o.o onlyo/ | would -d -X &&
	test_path_is_file w/mix/k.c && test_path_is_dir w/emp && test_path_is_dir w/nest2/.git
'

test_expect_success '-ff: repositories, too' '
	start && git -C w clean -ffdx >out && test_grep "^Removing nest2/\$" out && test_grep "^Removing sub/\$" out &&
	test_grep "^Removing sub2/\$" out && (cd w && find . -name .git -prune -o -print | sort) >out &&
	printf "%s\n" . ./.gitignore ./a ./d ./d/c >expect && test_cmp expect out &&
	start && git -C w clean -ffdX >out && printf "Removing %s\n" d/o.o ig/ mix/k.o nest2/ o.o onlyo/ >expect && test_cmp expect out
'

test_expect_success 'a work tree whose .git is a file is a repository' '
	start && git init -q --separate-git-dir="$PWD/elsewhere" w/wt && echo x >w/wt/f && git -C w clean -fdxq && test_path_is_file w/wt/f &&
	git -C w clean -ffdxq && test_path_is_missing w/wt
'

test_expect_success 'pathspecs, without -d' '
	echo ud/ | would ud && echo ud/ | would ud/ && printf "%s\n" d/e/ d/v | would d && echo emp/ | would emp &&
	printf "%s\n" "skip sub2/rep" sub2/f | would sub2 && would sub </dev/null && would sub/f </dev/null && would ig </dev/null &&
	would nope a </dev/null && echo mix/k.c | would "*.c" && echo ud/in/ | would ud/in && echo ig/er/ | would -x ig/er &&
	printf "%s\n" d/o.o mix/k.o o.o onlyo/z.o | would -x "*.o" && echo ig/ | would -X ig && echo ud/z | would ud ":!ud/in" &&
	printf "%s\n" d/e/ d/v u | would u a d && test_path_is_file w/ud/in/y && echo sub/ >list && start && git -C w clean -nff sub >out &&
	echo "Would remove sub/" >expect && test_cmp expect out
'

test_expect_success '-e: more rules' '
	would -d -e "*.c" -e e -e x/ -e emp -e sub2 -e "sp*" <<-\EOF && test_path_is_file w/mix/k.c &&
	d/v
	u
	ud/
	EOF
	printf "%s\n" d/v ig/ mix/k.c onlyo/ | would -x -e "k.o" -e "!k.o" -e k.o -- d/v ig mix onlyo &&
	printf "%s\n" ig/er/ | would -x -e /ig/q ig && printf "%s\n" ud/z | would -e in/ ud && echo u | would -X -e u u &&
	printf "%s\n" mix/ | would -e "!*.o" mix
'

test_expect_success 'from a directory, and the directory itself' '
	DIR=d && printf "%s\n" v | would && printf "%s\n" e/ v | would -d && printf "%s\n" ../ud/ | would ../ud &&
	printf "%s\n" e/ v ../u | would . ../u && DIR= &&
	start && (cd w/ud/in && git clean -fdx ..) >out && printf "%s\n" "Refusing to remove current working directory" "Removing y" "Removing ../z" >expect &&
	test_cmp expect out && test_path_is_dir w/ud/in
'

test_expect_success SYMLINKS 'links go, what they lead to stays' '
	start && mkdir -p outside && echo x >outside/f && ln -s ../outside w/link && ln -s ../../outside w/ud/link && git -C w clean -fdq &&
	test_path_is_missing w/link && test_path_is_missing w/ud && test_path_is_file outside/f
'

test_expect_success 'names are quoted as in other commands' '
	start && printf x >"w/ta	b" && git -C w clean -n ta* >out && printf "Would remove \"ta\\\\tb\"\n" >expect && test_cmp expect out
'

test_expect_success !ROOT 'clean reports files that it cannot remove, and removes the rest' '
	start && chmod a-w w/ud && test_when_finished "chmod u+w w/ud" && test_expect_code 1 git -C w clean -fd >out 2>err &&
	test_grep "^warning: failed to remove ud/" err && test_grep "^Removing u\$" out && test_path_is_missing w/x
'

# ---- -i ----

# dialogue INPUT LEFT: the answers, as for printf; the files that are left. The output is in out.
dialogue () {
	rm -rf i && git init -q i && (cd i && mkdir k && for f in a.c b.c c.h d.h e.txt k/z; do echo x >$f || exit; done) &&
	printf "$1" | git -C i clean -d -i >out 2>err && test_must_be_empty err && (cd i && echo *) >left && echo "$2" >expect && test_cmp expect left
}

test_expect_success '-i: its output' '
	dialogue "3\n1-2 4\n\nhelp\n2\nd*\nzz\n\n?\nx\n1\n" "c.h d.h e.txt k" && cat >expect <<-\EOF && test_cmp expect out
	Would remove the following items:
	  a.c    b.c    c.h    d.h    e.txt  k/
	*** Commands ***
	    1: clean                2: filter by pattern    3: select by numbers
	    4: ask each             5: quit                 6: help
	What now>     1: a.c      2: b.c      3: c.h      4: d.h      5: e.txt    6: k/
	Select items to delete>>   * 1: a.c    * 2: b.c      3: c.h    * 4: d.h      5: e.txt    6: k/
	Select items to delete>> Would remove the following items:
	  a.c  b.c  d.h
	*** Commands ***
	    1: clean                2: filter by pattern    3: select by numbers
	    4: ask each             5: quit                 6: help
	What now> clean               - start cleaning
	filter by pattern   - exclude items from deletion
	select by numbers   - select items to be deleted by numbers
	ask each            - confirm each deletion (like "rm -i")
	quit                - stop cleaning
	help                - this screen
	?                   - help for prompt selection
	Would remove the following items:
	  a.c  b.c  d.h
	*** Commands ***
	    1: clean                2: filter by pattern    3: select by numbers
	    4: ask each             5: quit                 6: help
	What now>   a.c  b.c  d.h
	Input ignore patterns>>   a.c  b.c
	Input ignore patterns>> WARNING: Cannot find items matched by: zz
	Input ignore patterns>> Would remove the following items:
	  a.c  b.c
	*** Commands ***
	    1: clean                2: filter by pattern    3: select by numbers
	    4: ask each             5: quit                 6: help
	What now> Prompt help:
	1          - select a numbered item
	foo        - select item based on unique prefix
	           - (empty) select nothing
	*** Commands ***
	    1: clean                2: filter by pattern    3: select by numbers
	    4: ask each             5: quit                 6: help
	What now> Huh (x)?
	*** Commands ***
	    1: clean                2: filter by pattern    3: select by numbers
	    4: ask each             5: quit                 6: help
	What now> Removing a.c
	Removing b.c
	EOF
'

test_expect_success '-i: what goes' '
	all="a.c b.c c.h d.h e.txt k" && dialogue "" "$all" && test_grep "^What now> Bye.\$" out && dialogue "q\n" "$all" && dialogue "Q\n" "$all" &&
	dialogue "c\n" "*" && dialogue "3\n*\n-2,-4-5\n\n1\n" "b.c d.h e.txt" && dialogue "3\n4-\n\n1\n" "a.c b.c c.h" &&
	dialogue "3\na k B.C\n\n1\n" "c.h d.h e.txt" && dialogue "3\n0 7 5-2 1-9 - x 2\n\n1\n" "a.c c.h d.h e.txt k" &&
	test_grep "^Select items to delete>> Huh (0)?\$" out && dialogue "3\n1\n" "$all" && test_grep "No more files to clean, exiting.\$" out &&
	dialogue "3\n\n" "$all" && dialogue "4\ny\nn\nyes\n\nYE\n y\n" "b.c d.h k" && dialogue "4\ny\n" "b.c c.h d.h e.txt k" &&
	dialogue "2\n*.c k\n\n1\n" "a.c b.c k" && dialogue "2\n*\n1\n" "$all" && dialogue "1-2\n*\n\n-1\nq\n" "$all"
'

test_done
