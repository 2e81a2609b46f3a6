#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git merge-tree: files follow directories that the other side has renamed'
. "$(dirname "$0")/test-lib.sh"

TRASH=$PWD
# PATH...: files that differ from each other
mk () { for p; do mkdir -p "$(dirname "$p")" && printf "%s\n" "$p" 1 2 3 4 5 6 7 8 9 >"$p" || return 1; done; }
# BASE OURS THEIRS: commands that change the files of a new repository; one commit after each
sides () {
	cd "$TRASH" && rm -rf r && git init -q -b base r && cd r && eval "$1" && git add -A && git commit -q -m base &&
	git checkout -q -b ours && eval "$2" && git add -A && git commit -q -m ours &&
	git checkout -q -b theirs base && eval "$3" && git add -A && git commit -q -m theirs
}
# CODE, options of git: merges; prints stages without names of objects, messages with their types, and the files of the tree
merged () {
	code=$1 && shift && test_expect_code $code git "$@" merge-tree --messages -z ours theirs >../raw &&
	tr "\0" "\n" <../raw | sed -e 1d -e "s/^\(10*[0-9]*\) [0-9a-f]\{$OID_HEXLEN\} /\1 /" -e "/^$/d" &&
	git ls-tree -r --name-only $(tr "\0" "\n" <../raw | sed 1q) | tr "\n" " " && echo
}

test_expect_success 'an added file goes along, and it is a conflict by default' '
	sides "mk d/a d/b" "mv d e" "mk d/new/x d/y" && merged 1 >got && cat >want <<-\EOT &&
	100644 3	e/new/x
	100644 3	e/y
	2
	e/new/x
	d/new/x
	CONFLICT (directory rename suggested)
	CONFLICT (file location): d/new/x added in theirs inside a directory that was renamed in ours, suggesting it should perhaps be moved to e/new/x.
	2
	e/y
	d/y
	CONFLICT (directory rename suggested)
	CONFLICT (file location): d/y added in theirs inside a directory that was renamed in ours, suggesting it should perhaps be moved to e/y.
	e/a e/b e/new/x e/y 
	EOT
	test_cmp want got && merged 0 -c merge.directoryRenames=true >got && cat >want <<-\EOT &&
	2
	e/new/x
	d/new/x
	Path updated due to directory rename
	Path updated: d/new/x added in theirs inside a directory that was renamed in ours; moving it to e/new/x.
	2
	e/y
	d/y
	Path updated due to directory rename
	Path updated: d/y added in theirs inside a directory that was renamed in ours; moving it to e/y.
	e/a e/b e/new/x e/y 
	EOT
	test_cmp want got && echo "d/new/x d/y e/a e/b " >want && merged 0 -c merge.directoryRenames=false >got && test_cmp want got &&
	merged 0 -c merge.renames=false >got && test_cmp want got
'

test_expect_success 'a file that was renamed into the directory, and was changed by the other side' '
	sides "mk s/a s/b x" "mv s u && echo 1 >>x" "mv x s/x" && merged 1 >got && cat >want <<-\EOT && test_cmp want got
	100644 1	u/x
	100644 2	u/x
	100644 3	u/x
	2
	u/x
	s/x
	CONFLICT (directory rename suggested)
	CONFLICT (file location): x renamed to s/x in theirs, inside a directory that was renamed in ours, suggesting it should perhaps be moved to u/x.
	u/a u/b u/x 
	EOT
'

test_expect_success 'the majority decides; without one nothing moves' '
	sides "mk s/a s/b s/c" "mkdir t u && mv s/a t && mv s/b s/c u" "mk s/d" && merged 1 >got && tail -n 1 got >out && echo "t/a u/b u/c u/d " >want && test_cmp want out &&
	sides "mk s/a s/b" "mkdir t u && mv s/a t && mv s/b u" "mk s/d" && merged 1 >got && cat >want <<-\EOT && test_cmp want got &&
	1
	s
	CONFLICT(directory rename unclear split)
	CONFLICT (directory rename split): Unclear where to rename s to; it was renamed to multiple other directories, with no destination getting a majority of the files.
	s/d t/a u/b 
	EOT
	sides "mk s/a s/b" "mkdir t u && mv s/a t && mv s/b u" "echo 1 >>s/a" && merged 0 >got && echo "t/a u/b " >want && test_cmp want got
'

test_expect_success 'a directory that is still there was not renamed' '
	sides "mk s/a s/b s/c" "mkdir t && mv s/a s/b t" "mk s/d" && merged 0 >got && echo "s/c s/d t/a t/b " >want && test_cmp want got
'

test_expect_success 'out of the root and into it; a directory above' '
	sides "mk s/a s/b k" "mv s/* . && rmdir s" "mk s/c" && merged 0 -c merge.directoryRenames=true >got && tail -n 1 got >out && echo "a b c k " >want && test_cmp want out &&
	sides "mk a b" "mkdir s && mv a b s" "mk c" && merged 0 >got && echo "c s/a s/b " >want && test_cmp want got &&
	sides "mk p/s/a p/s/b" "mv p q" "mk p/c p/s/d" && merged 0 -c merge.directoryRenames=true >got && tail -n 1 got >out && echo "q/c q/s/a q/s/b q/s/d " >want && test_cmp want out
'

test_expect_success 'two files cannot go to one place; nor one where the side has a file or a directory' '
	sides "mk s/a s/b t/c t/d" "mkdir u && mv s/* t/* u" "mk s/z t/z" && merged 1 >got && cat >want <<-\EOT && test_cmp want got &&
	3
	u/z
	s/z
	t/z
	CONFLICT(directory rename collision)
	CONFLICT (implicit dir rename): Cannot map more than one path to u/z; implicit directory renames tried to put these paths there: s/z, t/z
	s/z t/z u/a u/b u/c u/d 
	EOT
	sides "mk s/a s/b" "mv s u && mk u/z" "mk s/z u/z" && merged 1 >got && cat >want <<-\EOT && test_cmp want got &&
	2
	u/z
	s/z
	CONFLICT (file in way of directory rename)
	CONFLICT (implicit dir rename): Existing file/dir at u/z in the way of implicit directory rename(s) putting the following path(s) there: s/z.
	s/z u/a u/b u/z 
	EOT
	sides "mk s/a s/b" "mv s u" "mk s/z u/z/y" && merged 1 >got && test_grep "Existing file/dir at u/z" got
'

test_expect_success 'the other side has a file at the new place: both are merged, under the names that they have' '
	sides "mk s/a s/b" "mv s u && mk u/z && echo 1 >>u/z" "mk s/z" && merged 1 >got && test_grep "CONFLICT (add/add): Merge conflict in u/z" got && git cat-file blob $(sed "y/\x00/\n/" ../raw | sed 1q):u/z >text && test_grep "^<<<<<<< ours:u/z$" text && test_grep "^>>>>>>> theirs:s/z$" text
'

test_expect_success 'a directory that was renamed on both sides, or whose new place was renamed' '
	sides "mk s/a s/b" "mv s u" "mv s v" && merged 1 >got && test_grep ! "location" got &&
	sides "mk s/a s/b u/c u/d" "mv s/* u && rmdir s" "mv u w && mk s/q" && merged 1 >got && grep -A 4 "^3$" got >out && cat >want <<-\EOT && test_cmp want out && tail -n 1 got >out && echo "s/q w/a w/b w/c w/d " >want && test_cmp want out
	3
	s
	s/q
	u
	Directory rename skipped since directory was renamed on both sides
	EOT
'

test_expect_success 'a file is not moved twice, nor away from the place that another one would get' '
	sides "mk a/f n/x e/b e/s" "mv a f && mv n d && mk e/x" "mk a/new && mv n/x a/x && mv e/* a" && merged 1 >got && test_grep "n/x renamed to d/x in ours and to a/x in theirs" got && test_grep "a/new added in theirs inside" got && test_grep "WARNING: Avoiding applying e -> a rename to e/x, because a itself was renamed." got
'

test_expect_success 'a rename that the directory takes back is none' '
	sides "mk s/a s/b x/z x/y" "mv s/* x && rmdir s && echo 1 >>x/z" "mv x/z s/z" && merged 1 >got && cat >want <<-\EOT && test_cmp want got
	100644 1	x/z
	100644 2	x/z
	100644 3	x/z
	2
	x/z
	s/z
	CONFLICT (directory rename suggested)
	CONFLICT (file location): x/z renamed to s/z in theirs, inside a directory that was renamed in ours, suggesting it should perhaps be moved to x/z.
	x/a x/b x/y x/z 
	EOT
'

test_expect_success 'merges of merge bases do not move files' '
	sides "mk d/a d/b" "mv d e" "mk d/y" && kept=$(git -c merge.directoryRenames=false merge-tree ours theirs) &&
	o=$(git commit-tree -p ours -p theirs -m o ours:) && t=$(git commit-tree -p theirs -p ours -m t $kept) &&
	git checkout -q ours && git branch -f theirs $t && git reset -q --hard $o && test $(git merge-base --all ours theirs | wc -l) = 2 &&
	merged 0 -c merge.directoryRenames=true >got && echo "e/a e/b " >want && test_cmp want got
'

test_done
