#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git apply: its words, exit codes and files are those of Git 2.55'
. "$(dirname "$0")/test-lib.sh"

# prologue
lines () { printf "%b\n" "$@"; }
say () { printf "%s\n" "$*"; }
# run COMMAND...: what it says, and its exit code
run () { "$@" 2>&1; echo "= $?"; }
# patch LINE...: apply them with $options, then show the file f
patch () { lines "$@" >p && run git apply $options p && cat f; }
# standard input on one line
flat () { tr "\n" " "; echo; }
# repo NAME: a new repository to work in
repo () { git init -q --object-format=sha1 "$1" && cd "$1" && options=; }
# end of prologue

test_expect_success 'binary patches, whole and damaged, without a repository' - <<\TEST
(
repo binary && printf "\0abc\001" >b && printf "\0" >empty && test_seq 500 | tr "\n" "\0" >big && git add . && git commit -qm 1 &&
printf "\0xyz\002\003" >b && { test_seq 250 && echo x && test_seq 251 500; } | tr "\n" "\0" >big && printf "\0n" >new && rm empty && git add -N new &&
git diff --binary >p && git diff --binary b >pb && git diff --binary new >pn && git diff --binary -- empty >pe && grep -v "^literal 5" pb >odd && mkdir ../kept && cp b big new ../kept && git checkout -q . && git rm -qf --cached new && rm new && rm -rf .git && cp b big empty ../kept/.. &&
run git apply p && cmp b ../kept/b && cmp big ../kept/big && cmp new ../kept/new && ls &&
run git apply -R p && cmp b ../b && cmp big ../big && cmp empty ../empty && ls &&
echo >b && run git apply pb && run git apply -R pb &&
: >b && run git apply pb &&
cp ../b b && sed "s/^index [0-9a-f]*/index $(git hash-object ../kept/b)/" pb >q && run git apply q &&
sed "s/\.\.[0-9a-f]*/..$(git hash-object empty)/" pb >q && run git apply q && cmp b ../b &&
sed "s/^index ........*\.\.........*/index 1234567..89abcde/" pb >q && run git apply q &&
sed "/^index/d" pb >q && run git apply q &&
sed -n "1,/^$/p" pb >q && run git apply q && cp ../kept/b b && run git apply -R q &&
cp ../b b && sed "s/^literal 6/literal 7/" pb >q && run git apply q &&
sed "s/^literal 6/literal x/" pb >q && run git apply q &&
sed "s/^literal 6/delta 6/" pb >q && run git apply q &&
sed "s/^GIT binary patch/GIT binary patchx/" pb >q && run git apply q &&
sed "/^GIT binary patch/{n;s/.*/odd 6/;}" pb >q && run git apply q &&
sed "/^literal 6/{n;s/^./z/;}" pb >q && run git apply q &&
sed "/^literal 6/{n;s/^./*/;}" pb >q && run git apply q &&
sed "/^literal 6/{n;s/..$/\"!/;}" pb >q && run git apply q | grep -v base85 &&
sed "/^literal 6/{n;s/.....$/~~~~~/;}" pb >q && run git apply q | grep -v base85 &&
sed "/^literal 6/{n;s/.$//;}" pb >q && run git apply q &&
sed "/^literal 6/{n;s/$/abcde/;}" pb >q && run git apply q &&
sed "/^literal 5/{n;s/^./*/;}" pb >q && run git apply q &&
run git apply --stat p && run git apply --numstat p && run git apply --summary p && run git apply --numstat -R p && run git apply --check p &&
run git apply --allow-binary-replacement --binary pb && cmp b ../kept/b && run git apply -R --include=big p && run git apply --include=big p && cmp big ../kept/big &&
printf "\0n" >new && run git apply pn && rm new && run git apply --3way pn && run git apply pe && run git apply pe
) >actual 2>&1 &&
cat >expect <<\EOF &&
= 0
b
big
new
odd
p
pb
pe
pn
= 0
b
big
empty
odd
p
pb
pe
pn
error: the patch applies to 'b' (8b137891791fe96927ad78e64b0aad7bded08bdc), which does not match the current contents.
error: b: patch does not apply
= 1
error: the patch applies to 'b' (8b137891791fe96927ad78e64b0aad7bded08bdc), which does not match the current contents.
error: b: patch does not apply
= 1
error: the patch applies to 'b' (e69de29bb2d1d6434b8b29ae775ad8c2e48c5391), which does not match the current contents.
error: b: patch does not apply
= 1
error: the patch applies to 'b' (bd8e7d99571d4a6633cc4736a5840339dda1be00), which does not match the current contents.
error: b: patch does not apply
= 1
error: binary patch to 'b' creates incorrect result (expecting f76dd238ade08917e6712764a16a22005a50573d, got 6574b30c3cc597f7ff8acd0d5cfe72b56f91e4a8)
error: b: patch does not apply
= 1
error: cannot apply binary patch to 'b' without full index line
error: b: patch does not apply
= 1
error: No valid patches in input (allow with "--allow-empty")
= 128
= 0
error: cannot reverse-apply a binary patch without the reverse hunk to 'b'
error: binary patch does not apply to 'b'
error: b: patch does not apply
= 1
error: corrupt binary patch at q:6: 
error: No valid patches in input (allow with "--allow-empty")
= 128
error: corrupt binary patch at q:6: 
error: No valid patches in input (allow with "--allow-empty")
= 128
error: binary patch does not apply to 'b'
error: b: patch does not apply
= 1
error: patch with only garbage at q:3
= 128
error: unrecognized binary patch at q:3
error: No valid patches in input (allow with "--allow-empty")
= 128
error: corrupt binary patch at q:5: zcmZRmsH|dQ1^@-O0dW8T
error: No valid patches in input (allow with "--allow-empty")
= 128
error: corrupt binary patch at q:5: *cmZRmsH|dQ1^@-O0dW8T
error: No valid patches in input (allow with "--allow-empty")
= 128
error: corrupt binary patch at q:5: NcmZRmsH|dQ1^@-O0dW"!
error: No valid patches in input (allow with "--allow-empty")
= 128
error: corrupt binary patch at q:5: NcmZRmsH|dQ1^@-O~~~~~
error: No valid patches in input (allow with "--allow-empty")
= 128
error: corrupt binary patch at q:5: NcmZRmsH|dQ1^@-O0dW8
error: No valid patches in input (allow with "--allow-empty")
= 128
error: corrupt binary patch at q:5: NcmZRmsH|dQ1^@-O0dW8Tabcde
error: No valid patches in input (allow with "--allow-empty")
= 128
error: corrupt binary patch at q:8: *cmZQbOiE@100VXbC;$Ke
error: No valid patches in input (allow with "--allow-empty")
= 128
 b     |  Bin
 big   |  Bin
 empty |  Bin
 new   |  Bin
 4 files changed, 0 insertions(+), 0 deletions(-)
= 0
-	-	b
-	-	big
-	-	empty
-	-	new
= 0
 delete mode 100644 empty
 create mode 100644 new
= 0
-	-	new
-	-	empty
-	-	big
-	-	b
= 0
= 0
= 0
error: the patch applies to 'big' (9562d6b513518d70c26e4ff4c462c76820103c4c), which does not match the current contents.
error: big: patch does not apply
= 1
= 0
error: new: already exists in working directory
= 1
error: '--3way' outside a repository
= 128
= 0
error: empty: No such file or directory
= 1
EOF
test_cmp expect actual
TEST

test_expect_success 'names and dates of traditional patches' - <<\TEST
(
repo names && lines a b c >f && mkdir d && cp f d/f &&
for tail in "	2020-01-02 03:04:05.000000000 +0100" "	Thu Jan  2 03:04:05 2020" " Thu Jan  2 03:04:05 2020" "	2020/01/02 03:04:05" "  Thu, 2 Jan 2020 03:04:05 +0100" "	1970-01-01 00:00:00.000000000 +0000" " 2020-01-02 03:04:05 +0100" "	03:04:05" " 2020-01-02" "	2020-01-02T03:04:05Z" "	+0100" "	+01:00" "   	2020-01-02 3:04:05" " 0:00:00" " x" "	x"
do
lines a b c >f && say "$tail" && patch "--- d/f$tail" "+++ d/f$tail" "@@ -1,3 +1,3 @@" " a" -b +B " c"
done &&
for tail in "1970-01-01 00:00:00 +0000" "1970-01-01 01:30:00.0000 +0130" "1969-12-31 20:00:00.00 -0400" "1969-12-31 20:30:00 -03:30" "1970-01-01 01:30:00 +01:30" "1970-01-01 00:00:01 +0000" "1970-01-01 00:00:00.1 +0000" "1970-01-01 01:00:00 +0000" "1969-12-31 00:00:00 +0000" "1970-01-02 00:00:00 +0000" "1970-01-01 00:00:00" "1970-01-01 00:00:00 0000" "1970-01-01 00:00:00 +000" "1970-01-01 00:00:00 +00000" "1970-01-01 00:60:00 +0100" "1970-01-01 30:00:00 +3000" "1970-01-01 x0:00:00 +0000" "1969-12-31 24:00:00 +0000" "1970-01-01 00:00:00.0 +0000 x"
do
rm -f n && lines "--- d/old	$tail" "+++ d/n	2020-01-02 03:04:05 +0000" "@@ -0,0 +1 @@" +n >p && say "$tail" && run git apply --summary --apply p && lines "--- d/n	2020-01-02 03:04:05 +0000" "+++ d/old	$tail" "@@ -1 +0,0 @@" -n >p && run git apply --summary --apply p
done &&
for args in "" -p0 -p1 -p2 -p3
do
lines a b c >f && lines a b c >d/f && lines "--- a/d/f	x" "+++ b/d/f	x" "@@ -1,3 +1,3 @@" " a" -b +B " c" >p && run git apply $args p && cat f d/f | flat &&
lines a b c >f && lines a b c >d/f && lines "--- \"a/d\\057f\"	x" "+++ b//d/f" "@@ -1,3 +1,3 @@" " a" -b +B " c" >p && run git apply $args p && cat f d/f | flat
done &&
for names in "\"a/f\" \"b/f" "a/f \"b/f\"" "\"a/f b/f" "a/f b/g" "a/f.orig b/f" "a/f b/f.orig" "a/fx b/fxyz" "/dev/null /dev/null" "a/f /dev/null" "/dev/null b/f" "/abs/f /abs/f" "a b"
do
lines a b c >f && say "$names" && patch "--- ${names% *}" "+++ ${names#* }" "@@ -1,3 +1,3 @@" " a" -b +B " c"
done
) >actual 2>&1 &&
cat >expect <<\EOF &&
	2020-01-02 03:04:05.000000000 +0100
= 0
a
B
c
	Thu Jan  2 03:04:05 2020
= 0
a
B
c
 Thu Jan  2 03:04:05 2020
error: f Thu Jan  2 03:04:05 2020: No such file or directory
= 1
a
b
c
	2020/01/02 03:04:05
= 0
a
B
c
  Thu, 2 Jan 2020 03:04:05 +0100
error: f  Thu, 2 Jan 2020 03:04:05 +0100: No such file or directory
= 1
a
b
c
	1970-01-01 00:00:00.000000000 +0000
error: new file f depends on old contents
= 128
a
b
c
 2020-01-02 03:04:05 +0100
= 0
a
B
c
	03:04:05
= 0
a
B
c
 2020-01-02
= 0
a
B
c
	2020-01-02T03:04:05Z
= 0
a
B
c
	+0100
= 0
a
B
c
	+01:00
= 0
a
B
c
   	2020-01-02 3:04:05
error: f   : No such file or directory
= 1
a
b
c
 0:00:00
error: f 0:00:00: No such file or directory
= 1
a
b
c
 x
error: f x: No such file or directory
= 1
a
b
c
	x
= 0
a
B
c
1970-01-01 00:00:00 +0000
 create mode 100644 n
= 0
error: old: No such file or directory
= 1
1970-01-01 01:30:00.0000 +0130
 create mode 100644 n
= 0
error: old: No such file or directory
= 1
1969-12-31 20:00:00.00 -0400
 create mode 100644 n
= 0
error: old: No such file or directory
= 1
1969-12-31 20:30:00 -03:30
 create mode 100644 n
= 0
error: old: No such file or directory
= 1
1970-01-01 01:30:00 +01:30
 create mode 100644 n
= 0
error: old: No such file or directory
= 1
1970-01-01 00:00:01 +0000
 create mode 100644 n
= 0
error: old: No such file or directory
= 1
1970-01-01 00:00:00.1 +0000
 create mode 100644 n
= 0
error: old: No such file or directory
= 1
1970-01-01 01:00:00 +0000
 create mode 100644 n
= 0
error: old: No such file or directory
= 1
1969-12-31 00:00:00 +0000
 create mode 100644 n
= 0
error: old: No such file or directory
= 1
1970-01-02 00:00:00 +0000
 create mode 100644 n
= 0
error: old: No such file or directory
= 1
1970-01-01 00:00:00
 create mode 100644 n
= 0
error: old: No such file or directory
= 1
1970-01-01 00:00:00 0000
 create mode 100644 n
= 0
error: old: No such file or directory
= 1
1970-01-01 00:00:00 +000
 create mode 100644 n
= 0
error: old: No such file or directory
= 1
1970-01-01 00:00:00 +00000
 create mode 100644 n
= 0
error: old: No such file or directory
= 1
1970-01-01 00:60:00 +0100
 create mode 100644 n
= 0
error: old: No such file or directory
= 1
1970-01-01 30:00:00 +3000
 create mode 100644 n
= 0
error: old: No such file or directory
= 1
1970-01-01 x0:00:00 +0000
 create mode 100644 n
= 0
error: old: No such file or directory
= 1
1969-12-31 24:00:00 +0000
 create mode 100644 n
= 0
error: old: No such file or directory
= 1
1970-01-01 00:00:00.0 +0000 x
 create mode 100644 n
= 0
error: old: No such file or directory
= 1
= 0
a b c a B c 
error: /d/f: No such file or directory
= 1
a b c a b c 
error: b/d/f: No such file or directory
= 1
a b c a b c 
error: b/d/f: No such file or directory
= 1
a b c a b c 
= 0
a b c a B c 
error: /d/f: No such file or directory
= 1
a b c a b c 
= 0
a B c a b c 
= 0
a b c a B c 
error: unable to find filename in patch at p:1
= 128
a b c a b c 
= 0
a B c a b c 
"a/f" "b/f
= 0
a
B
c
a/f "b/f"
= 0
a
B
c
"a/f b/f
= 0
a
B
c
a/f b/g
error: g: No such file or directory
= 1
a
b
c
a/f.orig b/f
= 0
a
B
c
a/f b/f.orig
= 0
a
B
c
a/fx b/fxyz
error: fx: No such file or directory
= 1
a
b
c
/dev/null /dev/null
error: new file dev/null depends on old contents
= 128
a
b
c
a/f /dev/null
error: deleted file f still has contents
= 128
a
b
c
/dev/null b/f
error: new file f depends on old contents
= 128
a
b
c
/abs/f /abs/f
error: abs/f: No such file or directory
= 1
a
b
c
a b
error: b: No such file or directory
= 1
a
b
c
EOF
test_cmp expect actual
TEST

test_expect_success 'names in the headers of Git' - <<\TEST
(
repo first && lines a b c >f && mkdir d && cp f d/g &&
for line in "a/f b/f" "a/f b/g" "\"a/f\" \"b/f\"" "a/d/g b/d/g" "f f" "/f /f" "a/d/g	b/d/g" "a/f  b/f"
do
for args in "" -p0 -p2 "--directory=d" "-p2 --directory=d"
do
lines "diff --git $line" "old mode 100644" "new mode 100755" >p && say "$line $args" && run git apply --numstat --summary $args p
done
done &&
for names in "a/f b/f" "a/f b/x" "a/x b/f" "a/x b/x" "/dev/null b/f" "a/f /dev/null" "/dev/null /dev/null" "f f" "a/f	 b/f"
do
for more in "index 1234567..89abcde 100644" "new file mode 100644" "deleted file mode 100644" "rename from f\nrename to x" "rename from x\nrename to f" "copy from f\ncopy to x" "similarity index 90%\nrename old f\nrename new y" "old mode 10064" "new mode 1" "old mode 100644\nnew mode 100755" "dissimilarity index 12%"
do
lines a b c >f && rm -f x y && lines "diff --git a/f b/f" "$more" "--- ${names% *}" "+++ ${names#* }" "@@ -1,3 +1,3 @@" " a" -b +B " c" >p && say "$names: $more" && run git apply --summary --apply p && ls | flat
done
done
) >actual 2>&1 &&
cat >expect <<\EOF &&
a/f b/f 
0	0	f
 mode change 100644 => 100755 f
= 0
a/f b/f -p0
error: git diff header lacks filename information when removing 0 leading pathname components at p:4
= 128
a/f b/f -p2
error: git diff header lacks filename information when removing 2 leading pathname components at p:4
= 128
a/f b/f --directory=d
0	0	d/f
 mode change 100644 => 100755 d/f
= 0
a/f b/f -p2 --directory=d
error: git diff header lacks filename information when removing 2 leading pathname components at p:4
= 128
a/f b/g 
error: git diff header lacks filename information when removing 1 leading pathname component at p:4
= 128
a/f b/g -p0
error: git diff header lacks filename information when removing 0 leading pathname components at p:4
= 128
a/f b/g -p2
error: git diff header lacks filename information when removing 2 leading pathname components at p:4
= 128
a/f b/g --directory=d
error: git diff header lacks filename information when removing 1 leading pathname component at p:4
= 128
a/f b/g -p2 --directory=d
error: git diff header lacks filename information when removing 2 leading pathname components at p:4
= 128
"a/f" "b/f" 
0	0	f
 mode change 100644 => 100755 f
= 0
"a/f" "b/f" -p0
error: git diff header lacks filename information when removing 0 leading pathname components at p:4
= 128
"a/f" "b/f" -p2
error: git diff header lacks filename information when removing 2 leading pathname components at p:4
= 128
"a/f" "b/f" --directory=d
0	0	d/f
 mode change 100644 => 100755 d/f
= 0
"a/f" "b/f" -p2 --directory=d
error: git diff header lacks filename information when removing 2 leading pathname components at p:4
= 128
a/d/g b/d/g 
0	0	d/g
 mode change 100644 => 100755 d/g
= 0
a/d/g b/d/g -p0
error: git diff header lacks filename information when removing 0 leading pathname components at p:4
= 128
a/d/g b/d/g -p2
0	0	g
 mode change 100644 => 100755 g
= 0
a/d/g b/d/g --directory=d
0	0	d/d/g
 mode change 100644 => 100755 d/d/g
= 0
a/d/g b/d/g -p2 --directory=d
0	0	d/g
 mode change 100644 => 100755 d/g
= 0
f f 
error: git diff header lacks filename information when removing 1 leading pathname component at p:4
= 128
f f -p0
0	0	f
 mode change 100644 => 100755 f
= 0
f f -p2
error: git diff header lacks filename information when removing 2 leading pathname components at p:4
= 128
f f --directory=d
error: git diff header lacks filename information when removing 1 leading pathname component at p:4
= 128
f f -p2 --directory=d
error: git diff header lacks filename information when removing 2 leading pathname components at p:4
= 128
/f /f 
error: git diff header lacks filename information when removing 1 leading pathname component at p:4
= 128
/f /f -p0
error: git diff header lacks filename information when removing 0 leading pathname components at p:4
= 128
/f /f -p2
error: git diff header lacks filename information when removing 2 leading pathname components at p:4
= 128
/f /f --directory=d
error: git diff header lacks filename information when removing 1 leading pathname component at p:4
= 128
/f /f -p2 --directory=d
error: git diff header lacks filename information when removing 2 leading pathname components at p:4
= 128
a/d/g	b/d/g 
0	0	d/g
 mode change 100644 => 100755 d/g
= 0
a/d/g	b/d/g -p0
error: git diff header lacks filename information when removing 0 leading pathname components at p:4
= 128
a/d/g	b/d/g -p2
0	0	g
 mode change 100644 => 100755 g
= 0
a/d/g	b/d/g --directory=d
0	0	d/d/g
 mode change 100644 => 100755 d/d/g
= 0
a/d/g	b/d/g -p2 --directory=d
0	0	d/g
 mode change 100644 => 100755 d/g
= 0
a/f  b/f 
0	0	f
 mode change 100644 => 100755 f
= 0
a/f  b/f -p0
error: git diff header lacks filename information when removing 0 leading pathname components at p:4
= 128
a/f  b/f -p2
error: git diff header lacks filename information when removing 2 leading pathname components at p:4
= 128
a/f  b/f --directory=d
0	0	d/f
 mode change 100644 => 100755 d/f
= 0
a/f  b/f -p2 --directory=d
error: git diff header lacks filename information when removing 2 leading pathname components at p:4
= 128
a/f b/f: index 1234567..89abcde 100644
= 0
d f p 
a/f b/f: new file mode 100644
error: git apply: bad git-diff - expected /dev/null at p:3
= 128
d f p 
a/f b/f: deleted file mode 100644
error: git apply: bad git-diff - expected /dev/null at p:4
= 128
d f p 
a/f b/f: rename from f\nrename to x
error: git apply: bad git-diff - inconsistent new filename at p:5
= 128
d f p 
a/f b/f: rename from x\nrename to f
error: git apply: bad git-diff - inconsistent old filename at p:4
= 128
d f p 
a/f b/f: copy from f\ncopy to x
error: git apply: bad git-diff - inconsistent new filename at p:5
= 128
d f p 
a/f b/f: similarity index 90%\nrename old f\nrename new y
error: git apply: bad git-diff - inconsistent new filename at p:6
= 128
d f p 
a/f b/f: old mode 10064
error: f: wrong type
= 1
d f p 
a/f b/f: new mode 1
error: new mode (160000) of f does not match old mode (100644)
= 1
d f p 
a/f b/f: old mode 100644\nnew mode 100755
 mode change 100644 => 100755 f
= 0
d f p 
a/f b/f: dissimilarity index 12%
 rewrite f (12%)
= 0
d f p 
a/f b/x: index 1234567..89abcde 100644
warning: f has type 100755, expected 100644
 mode change 100644 => 100755 x
= 0
d p x 
a/f b/x: new file mode 100644
error: git apply: bad git-diff - expected /dev/null at p:3
= 128
d f p 
a/f b/x: deleted file mode 100644
error: git apply: bad git-diff - expected /dev/null at p:4
= 128
d f p 
a/f b/x: rename from f\nrename to x
 rename f => x (0%)
= 0
d p x 
a/f b/x: rename from x\nrename to f
error: git apply: bad git-diff - inconsistent old filename at p:4
= 128
d f p 
a/f b/x: copy from f\ncopy to x
 copy f => x (0%)
= 0
d f p x 
a/f b/x: similarity index 90%\nrename old f\nrename new y
error: git apply: bad git-diff - inconsistent new filename at p:6
= 128
d f p 
a/f b/x: old mode 10064
error: f: wrong type
= 1
d f p 
a/f b/x: new mode 1
error: new mode (160000) of x does not match old mode (100644) of f
= 1
d f p 
a/f b/x: old mode 100644\nnew mode 100755
 mode change 100644 => 100755 x
= 0
d p x 
a/f b/x: dissimilarity index 12%
 rewrite x (12%)
= 0
d p x 
a/x b/f: index 1234567..89abcde 100644
error: x: No such file or directory
= 1
d f p 
a/x b/f: new file mode 100644
error: git apply: bad git-diff - expected /dev/null at p:3
= 128
d f p 
a/x b/f: deleted file mode 100644
error: git apply: bad git-diff - inconsistent old filename at p:3
= 128
d f p 
a/x b/f: rename from f\nrename to x
error: git apply: bad git-diff - inconsistent old filename at p:4
= 128
d f p 
a/x b/f: rename from x\nrename to f
error: x: No such file or directory
= 1
d f p 
a/x b/f: copy from f\ncopy to x
error: git apply: bad git-diff - inconsistent old filename at p:4
= 128
d f p 
a/x b/f: similarity index 90%\nrename old f\nrename new y
error: git apply: bad git-diff - inconsistent old filename at p:5
= 128
d f p 
a/x b/f: old mode 10064
error: x: No such file or directory
= 1
d f p 
a/x b/f: new mode 1
error: x: No such file or directory
= 1
d f p 
a/x b/f: old mode 100644\nnew mode 100755
error: x: No such file or directory
= 1
d f p 
a/x b/f: dissimilarity index 12%
error: x: No such file or directory
= 1
d f p 
a/x b/x: index 1234567..89abcde 100644
error: x: No such file or directory
= 1
d f p 
a/x b/x: new file mode 100644
error: git apply: bad git-diff - expected /dev/null at p:3
= 128
d f p 
a/x b/x: deleted file mode 100644
error: git apply: bad git-diff - inconsistent old filename at p:3
= 128
d f p 
a/x b/x: rename from f\nrename to x
error: git apply: bad git-diff - inconsistent old filename at p:4
= 128
d f p 
a/x b/x: rename from x\nrename to f
error: git apply: bad git-diff - inconsistent new filename at p:5
= 128
d f p 
a/x b/x: copy from f\ncopy to x
error: git apply: bad git-diff - inconsistent old filename at p:4
= 128
d f p 
a/x b/x: similarity index 90%\nrename old f\nrename new y
error: git apply: bad git-diff - inconsistent old filename at p:5
= 128
d f p 
a/x b/x: old mode 10064
error: x: No such file or directory
= 1
d f p 
a/x b/x: new mode 1
error: x: No such file or directory
= 1
d f p 
a/x b/x: old mode 100644\nnew mode 100755
error: x: No such file or directory
= 1
d f p 
a/x b/x: dissimilarity index 12%
error: x: No such file or directory
= 1
d f p 
/dev/null b/f: index 1234567..89abcde 100644
error: dev/null: No such file or directory
= 1
d f p 
/dev/null b/f: new file mode 100644
error: new file f depends on old contents
= 128
d f p 
/dev/null b/f: deleted file mode 100644
error: git apply: bad git-diff - inconsistent old filename at p:3
= 128
d f p 
/dev/null b/f: rename from f\nrename to x
error: git apply: bad git-diff - inconsistent old filename at p:4
= 128
d f p 
/dev/null b/f: rename from x\nrename to f
error: git apply: bad git-diff - inconsistent old filename at p:4
= 128
d f p 
/dev/null b/f: copy from f\ncopy to x
error: git apply: bad git-diff - inconsistent old filename at p:4
= 128
d f p 
/dev/null b/f: similarity index 90%\nrename old f\nrename new y
error: git apply: bad git-diff - inconsistent old filename at p:5
= 128
d f p 
/dev/null b/f: old mode 10064
error: dev/null: No such file or directory
= 1
d f p 
/dev/null b/f: new mode 1
error: dev/null: No such file or directory
= 1
d f p 
/dev/null b/f: old mode 100644\nnew mode 100755
error: dev/null: No such file or directory
= 1
d f p 
/dev/null b/f: dissimilarity index 12%
error: dev/null: No such file or directory
= 1
d f p 
a/f /dev/null: index 1234567..89abcde 100644
= 0
d dev p 
a/f /dev/null: new file mode 100644
error: git apply: bad git-diff - expected /dev/null at p:3
= 128
d dev f p 
a/f /dev/null: deleted file mode 100644
error: deleted file f still has contents
= 128
d dev f p 
a/f /dev/null: rename from f\nrename to x
error: git apply: bad git-diff - inconsistent new filename at p:5
= 128
d dev f p 
a/f /dev/null: rename from x\nrename to f
error: git apply: bad git-diff - inconsistent old filename at p:4
= 128
d dev f p 
a/f /dev/null: copy from f\ncopy to x
error: git apply: bad git-diff - inconsistent new filename at p:5
= 128
d dev f p 
a/f /dev/null: similarity index 90%\nrename old f\nrename new y
error: git apply: bad git-diff - inconsistent new filename at p:6
= 128
d dev f p 
a/f /dev/null: old mode 10064
error: f: wrong type
= 1
d dev f p 
a/f /dev/null: new mode 1
error: new mode (160000) of dev/null does not match old mode (100644) of f
= 1
d dev f p 
a/f /dev/null: old mode 100644\nnew mode 100755
 mode change 100644 => 100755 dev/null
= 0
d dev p 
a/f /dev/null: dissimilarity index 12%
 rewrite dev/null (12%)
= 0
d dev p 
/dev/null /dev/null: index 1234567..89abcde 100644
error: patch failed: dev/null:1
error: dev/null: patch does not apply
= 1
d dev f p 
/dev/null /dev/null: new file mode 100644
error: git apply: bad git-diff - inconsistent new filename at p:4
= 128
d dev f p 
/dev/null /dev/null: deleted file mode 100644
error: git apply: bad git-diff - inconsistent old filename at p:3
= 128
d dev f p 
/dev/null /dev/null: rename from f\nrename to x
error: git apply: bad git-diff - inconsistent old filename at p:4
= 128
d dev f p 
/dev/null /dev/null: rename from x\nrename to f
error: git apply: bad git-diff - inconsistent old filename at p:4
= 128
d dev f p 
/dev/null /dev/null: copy from f\ncopy to x
error: git apply: bad git-diff - inconsistent old filename at p:4
= 128
d dev f p 
/dev/null /dev/null: similarity index 90%\nrename old f\nrename new y
error: git apply: bad git-diff - inconsistent old filename at p:5
= 128
d dev f p 
/dev/null /dev/null: old mode 10064
error: dev/null: wrong type
= 1
d dev f p 
/dev/null /dev/null: new mode 1
error: new mode (160000) of dev/null does not match old mode (100644)
= 1
d dev f p 
/dev/null /dev/null: old mode 100644\nnew mode 100755
error: patch failed: dev/null:1
error: dev/null: patch does not apply
= 1
d dev f p 
/dev/null /dev/null: dissimilarity index 12%
error: patch failed: dev/null:1
error: dev/null: patch does not apply
= 1
d dev f p 
f f: index 1234567..89abcde 100644
= 0
d dev f p 
f f: new file mode 100644
error: git apply: bad git-diff - expected /dev/null at p:3
= 128
d dev f p 
f f: deleted file mode 100644
error: git apply: bad git-diff - inconsistent old filename at p:3
= 128
d dev f p 
f f: rename from f\nrename to x
error: git apply: bad git-diff - inconsistent old filename at p:4
= 128
d dev f p 
f f: rename from x\nrename to f
error: git apply: bad git-diff - inconsistent old filename at p:4
= 128
d dev f p 
f f: copy from f\ncopy to x
error: git apply: bad git-diff - inconsistent old filename at p:4
= 128
d dev f p 
f f: similarity index 90%\nrename old f\nrename new y
error: git apply: bad git-diff - inconsistent old filename at p:5
= 128
d dev f p 
f f: old mode 10064
error: f: wrong type
= 1
d dev f p 
f f: new mode 1
error: new mode (160000) of f does not match old mode (100644)
= 1
d dev f p 
f f: old mode 100644\nnew mode 100755
 mode change 100644 => 100755 f
= 0
d dev f p 
f f: dissimilarity index 12%
 rewrite f (12%)
= 0
d dev f p 
a/f	 b/f: index 1234567..89abcde 100644
warning: f has type 100755, expected 100644
 mode change 100644 => 100755 f
= 0
d dev f p 
a/f	 b/f: new file mode 100644
error: git apply: bad git-diff - expected /dev/null at p:3
= 128
d dev f p 
a/f	 b/f: deleted file mode 100644
error: git apply: bad git-diff - expected /dev/null at p:4
= 128
d dev f p 
a/f	 b/f: rename from f\nrename to x
error: git apply: bad git-diff - inconsistent new filename at p:5
= 128
d dev f p 
a/f	 b/f: rename from x\nrename to f
error: git apply: bad git-diff - inconsistent old filename at p:4
= 128
d dev f p 
a/f	 b/f: copy from f\ncopy to x
error: git apply: bad git-diff - inconsistent new filename at p:5
= 128
d dev f p 
a/f	 b/f: similarity index 90%\nrename old f\nrename new y
error: git apply: bad git-diff - inconsistent new filename at p:6
= 128
d dev f p 
a/f	 b/f: old mode 10064
error: f: wrong type
= 1
d dev f p 
a/f	 b/f: new mode 1
error: new mode (160000) of f does not match old mode (100755)
= 1
d dev f p 
a/f	 b/f: old mode 100644\nnew mode 100755
warning: f has type 100755, expected 100644
 mode change 100644 => 100755 f
= 0
d dev f p 
a/f	 b/f: dissimilarity index 12%
 rewrite f (12%)
= 0
d dev f p 
EOF
test_cmp expect actual
TEST

test_expect_success 'the directory that is given is made simpler' - <<\TEST
(
repo root && mkdir -p a/b && lines "--- a/f" "+++ b/f" "@@ -1,2 +1,2 @@" " a" -b +B >p &&
for d in a/b a//b a/b/ a/./b a/b/../b ./a/b a/b/c/.. ../a . .. "" a
do
lines a b >a/b/f && say "$d" && run git apply --directory=$d p && cat a/b/f | flat
done
) >actual 2>&1 &&
cat >expect <<\EOF &&
a/b
= 0
a B 
a//b
= 0
a B 
a/b/
= 0
a B 
a/./b
= 0
a B 
a/b/../b
= 0
a B 
./a/b
= 0
a B 
a/b/c/..
= 0
a B 
../a
error: unable to normalize directory: '../a'
= 129
a b 
.
error: f: No such file or directory
= 1
a b 
..
error: unable to normalize directory: '..'
= 129
a b 

error: f: No such file or directory
= 1
a b 
a
error: a/f: No such file or directory
= 1
a b 
EOF
test_cmp expect actual
TEST

test_expect_success 'where hunks apply, with each option' - <<\TEST
(
repo hunks && lines 1 2 3 4 5 6 7 8 9 >nine &&
for args in "" -v -q "-v -R" "-v -C1" "-v -C0" "-v --unidiff-zero" "-v --reject" --recount "--inaccurate-eof -v" "--allow-overlap -v" --no-add
do
cp nine f && options=$args && say "args $args" &&
patch "--- a/f" "+++ b/f" "@@ -3,3 +3,3 @@" " 4" -5 +five " 6" | flat &&
cp nine f && patch "--- a/f" "+++ b/f" "@@ -6,3 +6,3 @@" " 4" -5 +five " 6" | flat &&
cp nine f && patch "--- a/f" "+++ b/f" "@@ -4,5 +4,5 @@" " x" " 4" -5 +five " 6" " x" | flat &&
cp nine f && patch "--- a/f" "+++ b/f" "@@ -4,6 +4,6 @@" " x" " x" " 4" -5 +five " 6" " 7" | flat &&
cp nine f && patch "--- a/f" "+++ b/f" "@@ -1,2 +1,2 @@" " 3" -4 +four "@@ -8,2 +8,3 @@" -9 +nine +ten " 8" | flat &&
cp nine f && patch "--- a/f" "+++ b/f" "@@ -0,0 +1 @@" +zero | flat &&
cp nine f && patch "--- a/f" "+++ b/f" "@@ -5 +5 @@" -5 +five | flat &&
cp nine f && patch "--- a/f" "+++ b/f" "@@ -4,3 +4,3 @@" " 4" -5 +five " 6" "@@ -5,3 +5,3 @@" " five" -6 +six " 7" | flat &&
cp nine f && patch "--- a/f" "+++ b/f" "@@ -8,2 +8,2 @@" " 8" -9 "\\\\ No newline at end of file" +nine | flat &&
cp nine f && patch "--- a/f" "+++ b/f" "@@ -8,2 +8,2 @@" " 8" -9 +nine "\\\\ No newline at end of file" | flat &&
cp nine f && patch "--- a/f" "+++ b/f" "@@ -4,4 +4,4 @@" " 4" -5 +five " 6" | flat &&
cp nine f && patch "--- a/f" "+++ b/f" "@@ -4,2 +4,2 @@" " 4" -5 +five " 6" | flat &&
cp nine f && patch "--- a/f" "+++ b/f" "@@ -4,3 +4,3 @@" " 4" -5 +five " 6" "-- " 2.0 | flat &&
cp nine f && patch "--- a/f" "+++ b/f" "@@ -4,3 +4,3 @@" " 4" -5 +five "?6" | flat &&
lines a "" b c >f && patch "--- a/f" "+++ b/f" "@@ -1,3 +1,4 @@" " a" "" " b" +x | flat
done
) >actual 2>&1 &&
cat >expect <<\EOF &&
args 
= 0 1 2 3 4 five 6 7 8 9 
= 0 1 2 3 4 five 6 7 8 9 
error: patch failed: f:4 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
error: patch failed: f:4 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
error: patch failed: f:1 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
error: patch failed: f:0 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
error: patch failed: f:5 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
error: patch failed: f:5 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
error: patch failed: f:8 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
= 0 1 2 3 4 5 6 7 8 nine
error: corrupt patch at p:8 = 128 1 2 3 4 5 6 7 8 9 
error: patch failed: f:4 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
= 0 1 2 3 4 five 6 7 8 9 
error: corrupt patch at p:7 = 128 1 2 3 4 5 6 7 8 9 
error: patch failed: f:1 error: f: patch does not apply = 1 a  b c 
args -v
Checking patch f... Hunk #1 succeeded at 4 (offset 1 line). Applied patch f cleanly. = 0 1 2 3 4 five 6 7 8 9 
Checking patch f... Hunk #1 succeeded at 4 (offset -2 lines). Applied patch f cleanly. = 0 1 2 3 4 five 6 7 8 9 
Checking patch f... error: while searching for: x 4 5 6 x  error: patch failed: f:4 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: x x 4 5 6 7  error: patch failed: f:4 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: 3 4  error: patch failed: f:1 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for:  error: patch failed: f:0 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: 5  error: patch failed: f:5 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: five 6 7  error: patch failed: f:5 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: 8 9 error: patch failed: f:8 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... Applied patch f cleanly. = 0 1 2 3 4 5 6 7 8 nine
error: corrupt patch at p:8 = 128 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: 4 5  error: patch failed: f:4 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... Applied patch f cleanly. = 0 1 2 3 4 five 6 7 8 9 
error: corrupt patch at p:7 = 128 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: a  b  error: patch failed: f:1 error: f: patch does not apply = 1 a  b c 
args -q
= 0 1 2 3 4 five 6 7 8 9 
= 0 1 2 3 4 five 6 7 8 9 
= 1 1 2 3 4 5 6 7 8 9 
= 1 1 2 3 4 5 6 7 8 9 
= 1 1 2 3 4 5 6 7 8 9 
= 1 1 2 3 4 5 6 7 8 9 
= 1 1 2 3 4 5 6 7 8 9 
= 1 1 2 3 4 5 6 7 8 9 
= 1 1 2 3 4 5 6 7 8 9 
= 0 1 2 3 4 5 6 7 8 nine
= 128 1 2 3 4 5 6 7 8 9 
= 1 1 2 3 4 5 6 7 8 9 
= 0 1 2 3 4 five 6 7 8 9 
= 128 1 2 3 4 5 6 7 8 9 
= 1 a  b c 
args -v -R
Checking patch f... error: while searching for: 4 five 6  error: patch failed: f:3 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: 4 five 6  error: patch failed: f:6 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: x 4 five 6 x  error: patch failed: f:4 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: x x 4 five 6 7  error: patch failed: f:4 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: 3 four  error: patch failed: f:1 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: zero  error: patch failed: f:1 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: five  error: patch failed: f:5 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: 4 five 6  error: patch failed: f:4 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: 8 nine  error: patch failed: f:8 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: 8 nine error: patch failed: f:8 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
error: corrupt patch at p:8 = 128 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: 4 five  error: patch failed: f:4 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: 4 five 6  error: patch failed: f:4 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
error: corrupt patch at p:7 = 128 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: a  b x  error: patch failed: f:1 error: f: patch does not apply = 1 a  b c 
args -v -C1
Checking patch f... Hunk #1 succeeded at 4 (offset 1 line). Applied patch f cleanly. = 0 1 2 3 4 five 6 7 8 9 
Checking patch f... Hunk #1 succeeded at 4 (offset -2 lines). Applied patch f cleanly. = 0 1 2 3 4 five 6 7 8 9 
Checking patch f... Hunk #1 succeeded at 4 (offset 1 line). Context reduced to (1/1) to apply fragment at 4 Applied patch f cleanly. = 0 1 2 3 4 five 6 7 8 9 
Checking patch f... Hunk #1 succeeded at 4 (offset 2 lines). Context reduced to (1/1) to apply fragment at 4 Applied patch f cleanly. = 0 1 2 3 4 five 6 7 8 9 
Checking patch f... error: while searching for: 3 4  error: patch failed: f:1 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for:  error: patch failed: f:0 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: 5  error: patch failed: f:5 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: five 6 7  error: patch failed: f:5 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: 8 9 error: patch failed: f:8 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... Applied patch f cleanly. = 0 1 2 3 4 5 6 7 8 nine
error: corrupt patch at p:8 = 128 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: 4 5  error: patch failed: f:4 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... Applied patch f cleanly. = 0 1 2 3 4 five 6 7 8 9 
error: corrupt patch at p:7 = 128 1 2 3 4 5 6 7 8 9 
Checking patch f... Applied patch f cleanly. = 0 a  b x c 
args -v -C0
Checking patch f... Hunk #1 succeeded at 4 (offset 1 line). Applied patch f cleanly. = 0 1 2 3 4 five 6 7 8 9 
Checking patch f... Hunk #1 succeeded at 4 (offset -2 lines). Applied patch f cleanly. = 0 1 2 3 4 five 6 7 8 9 
Checking patch f... Hunk #1 succeeded at 4 (offset 1 line). Context reduced to (1/1) to apply fragment at 4 Applied patch f cleanly. = 0 1 2 3 4 five 6 7 8 9 
Checking patch f... Hunk #1 succeeded at 4 (offset 2 lines). Context reduced to (1/1) to apply fragment at 4 Applied patch f cleanly. = 0 1 2 3 4 five 6 7 8 9 
Checking patch f... Hunk #1 succeeded at 3 (offset 2 lines). Hunk #2 succeeded at 9 (offset 1 line). Context reduced to (0/0) to apply fragment at 9 Applied patch f cleanly. = 0 1 2 3 four 5 6 7 8 nine ten 
Checking patch f... error: while searching for:  error: patch failed: f:0 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: 5  error: patch failed: f:5 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: five 6 7  error: patch failed: f:5 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... Applied patch f cleanly. = 0 1 2 3 4 5 6 7 8 nine 
Checking patch f... Applied patch f cleanly. = 0 1 2 3 4 5 6 7 8 nine
error: corrupt patch at p:8 = 128 1 2 3 4 5 6 7 8 9 
Checking patch f... Applied patch f cleanly. = 0 1 2 3 4 five 6 7 8 9 
Checking patch f... Applied patch f cleanly. = 0 1 2 3 4 five 6 7 8 9 
error: corrupt patch at p:7 = 128 1 2 3 4 5 6 7 8 9 
Checking patch f... Applied patch f cleanly. = 0 a  b x c 
args -v --unidiff-zero
Checking patch f... Hunk #1 succeeded at 4 (offset 1 line). Applied patch f cleanly. = 0 1 2 3 4 five 6 7 8 9 
Checking patch f... Hunk #1 succeeded at 4 (offset -2 lines). Applied patch f cleanly. = 0 1 2 3 4 five 6 7 8 9 
Checking patch f... error: while searching for: x 4 5 6 x  error: patch failed: f:4 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: x x 4 5 6 7  error: patch failed: f:4 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... Hunk #1 succeeded at 3 (offset 2 lines). error: while searching for: 9 8  error: patch failed: f:8 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... Applied patch f cleanly. = 0 zero 1 2 3 4 5 6 7 8 9 
Checking patch f... Applied patch f cleanly. = 0 1 2 3 4 five 6 7 8 9 
Checking patch f... error: while searching for: five 6 7  error: patch failed: f:5 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... Applied patch f cleanly. = 0 1 2 3 4 5 6 7 8 nine 
Checking patch f... Applied patch f cleanly. = 0 1 2 3 4 5 6 7 8 nine
error: corrupt patch at p:8 = 128 1 2 3 4 5 6 7 8 9 
Checking patch f... Applied patch f cleanly. = 0 1 2 3 4 five 6 7 8 9 
Checking patch f... Applied patch f cleanly. = 0 1 2 3 4 five 6 7 8 9 
error: corrupt patch at p:7 = 128 1 2 3 4 5 6 7 8 9 
Checking patch f... Applied patch f cleanly. = 0 a  b x c 
args -v --reject
Checking patch f... Hunk #1 succeeded at 4 (offset 1 line). Applied patch f cleanly. = 0 1 2 3 4 five 6 7 8 9 
Checking patch f... Hunk #1 succeeded at 4 (offset -2 lines). Applied patch f cleanly. = 0 1 2 3 4 five 6 7 8 9 
Checking patch f... error: while searching for: x 4 5 6 x  error: patch failed: f:4 Applying patch f with 1 reject... Rejected hunk #1. = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: x x 4 5 6 7  error: patch failed: f:4 Applying patch f with 1 reject... Rejected hunk #1. = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: 3 4  error: patch failed: f:1 error: while searching for: 9 8  error: patch failed: f:8 Applying patch f with 2 rejects... Rejected hunk #1. Rejected hunk #2. = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for:  error: patch failed: f:0 Applying patch f with 1 reject... Rejected hunk #1. = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: 5  error: patch failed: f:5 Applying patch f with 1 reject... Rejected hunk #1. = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: five 6 7  error: patch failed: f:5 Applying patch f with 1 reject... Hunk #1 applied cleanly. Rejected hunk #2. = 1 1 2 3 4 five 6 7 8 9 
Checking patch f... error: while searching for: 8 9 error: patch failed: f:8 Applying patch f with 1 reject... Rejected hunk #1. = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... Applied patch f cleanly. = 0 1 2 3 4 5 6 7 8 nine
error: corrupt patch at p:8 = 128 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: 4 5  error: patch failed: f:4 Applying patch f with 1 reject... Rejected hunk #1. = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... Applied patch f cleanly. = 0 1 2 3 4 five 6 7 8 9 
error: corrupt patch at p:7 = 128 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: a  b  error: patch failed: f:1 Applying patch f with 1 reject... Rejected hunk #1. = 1 a  b c 
args --recount
= 0 1 2 3 4 five 6 7 8 9 
= 0 1 2 3 4 five 6 7 8 9 
error: patch failed: f:4 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
error: patch failed: f:4 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
error: patch failed: f:1 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
error: patch failed: f:0 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
error: patch failed: f:5 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
error: patch failed: f:5 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
error: patch failed: f:8 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
= 0 1 2 3 4 5 6 7 8 nine
= 0 1 2 3 4 five 6 7 8 9 
= 0 1 2 3 4 five 6 7 8 9 
warning: recount: unexpected line: 2.0  = 0 1 2 3 4 five 6 7 8 9 
warning: recount: unexpected line: ?6  error: corrupt patch at p:7 = 128 1 2 3 4 5 6 7 8 9 
error: patch failed: f:1 error: f: patch does not apply = 1 a  b c 
args --inaccurate-eof -v
Checking patch f... Hunk #1 succeeded at 4 (offset 1 line). Applied patch f cleanly. = 0 1 2 3 4 five 67 8 9 
Checking patch f... Hunk #1 succeeded at 4 (offset -2 lines). Applied patch f cleanly. = 0 1 2 3 4 five 67 8 9 
Checking patch f... error: while searching for: x 4 5 6 x error: patch failed: f:4 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: x x 4 5 6 7 error: patch failed: f:4 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: 3 4 error: patch failed: f:1 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for:  error: patch failed: f:0 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: 5 error: patch failed: f:5 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: five 6 7 error: patch failed: f:5 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: 8 9 error: patch failed: f:8 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... Applied patch f cleanly. = 0 1 2 3 4 5 6 7 8 nine
error: corrupt patch at p:8 = 128 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: 4 5 error: patch failed: f:4 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... Applied patch f cleanly. = 0 1 2 3 4 five 67 8 9 
error: corrupt patch at p:7 = 128 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: a  b error: patch failed: f:1 error: f: patch does not apply = 1 a  b c 
args --allow-overlap -v
Checking patch f... Hunk #1 succeeded at 4 (offset 1 line). Applied patch f cleanly. = 0 1 2 3 4 five 6 7 8 9 
Checking patch f... Hunk #1 succeeded at 4 (offset -2 lines). Applied patch f cleanly. = 0 1 2 3 4 five 6 7 8 9 
Checking patch f... error: while searching for: x 4 5 6 x  error: patch failed: f:4 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: x x 4 5 6 7  error: patch failed: f:4 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: 3 4  error: patch failed: f:1 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... Hunk #1 succeeded at 10 (offset 9 lines). Applied patch f cleanly. = 0 1 2 3 4 5 6 7 8 9 zero 
Checking patch f... error: while searching for: 5  error: patch failed: f:5 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... Applied patch f cleanly. = 0 1 2 3 4 five six 7 8 9 
Checking patch f... error: while searching for: 8 9 error: patch failed: f:8 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... Applied patch f cleanly. = 0 1 2 3 4 5 6 7 8 nine
error: corrupt patch at p:8 = 128 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: 4 5  error: patch failed: f:4 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
Checking patch f... Applied patch f cleanly. = 0 1 2 3 4 five 6 7 8 9 
error: corrupt patch at p:7 = 128 1 2 3 4 5 6 7 8 9 
Checking patch f... error: while searching for: a  b  error: patch failed: f:1 error: f: patch does not apply = 1 a  b c 
args --no-add
= 0 1 2 3 4 6 7 8 9 
= 0 1 2 3 4 6 7 8 9 
error: patch failed: f:4 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
error: patch failed: f:4 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
error: patch failed: f:1 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
error: patch failed: f:0 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
error: patch failed: f:5 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
error: patch failed: f:5 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
error: patch failed: f:8 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
= 0 1 2 3 4 5 6 7 8 
error: corrupt patch at p:8 = 128 1 2 3 4 5 6 7 8 9 
error: patch failed: f:4 error: f: patch does not apply = 1 1 2 3 4 5 6 7 8 9 
= 0 1 2 3 4 6 7 8 9 
error: corrupt patch at p:7 = 128 1 2 3 4 5 6 7 8 9 
error: patch failed: f:1 error: f: patch does not apply = 1 a  b c 
EOF
test_cmp expect actual
TEST

test_expect_success 'headers of hunks and files' - <<\TEST
(
repo headers && lines 1 2 3 >f &&
for text in "@@ -1,3 +1,3 @@" "@@ -1 +1 @@" "@@ -1, +1 @@" "@@ -1,3 +1,3" "@@ -1,3 +1,3 @" "@@ -1,3  +1,3 @@" "@@ -x +1 @@" "@@ -1 -1 @@" "@@ -99999999999999999999 +1 @@" "@@ -1,3 +1,3 @@ function" "@@ -1,3 +1,3x @@" "@@ +1 -1 @@"
do
lines 1 2 3 >f && say "$text" && patch "--- a/f" "+++ b/f" "$text" " 1" -2 +two " 3" && patch "$text" " 1" -2 +two " 3" && patch "diff --git a/f b/f" "--- a/f" "+++ b/f" "$text" " 1" -2 +two " 3"
done &&
lines 1 2 3 >f && patch "--- a/f" "+++ b/f" "@@ -1,3 +0,0 @@" -1 -2 -3 && ls &&
lines 1 2 3 >f && patch "diff --git a/f b/f" "--- a/f" "+++ b/f" "@@ -1,3 +0,0 @@" -1 -2 -3 && ls &&
lines 1 2 3 >f && patch "diff --git a/f b/f" "deleted file mode 100644" "--- a/f" "+++ /dev/null" "@@ -1,3 +1,1 @@" -1 -2 " 3" &&
lines 1 2 3 >f && patch "diff --git a/f b/f" "deleted file mode 100644" "--- a/f" "+++ /dev/null" "@@ -1,2 +0,0 @@" -1 -2 &&
rm -f n && patch "diff --git a/n b/n" "new file mode 100644" "--- /dev/null" "+++ b/n" "@@ -1 +1 @@" -1 +2 &&
patch "diff --git a/n b/n" "new file mode 100644" "--- /dev/null" "+++ b/n" "@@ -0,0 +1 @@" +n "@@ -0,0 +2 @@" +m && patch "--- /dev/null" "+++ b/f" "@@ -0,0 +1 @@" +n && patch "--- a/none" "+++ /dev/null" "@@ -1 +0,0 @@" -n &&
patch "--- a/f" "+++ /dev/null" "@@ -1 +0,0 @@" -1 && patch "--- a/f" "+++ b/f" "@@ -1,3 +0,0 @@" " 1" -2 -3 &&
patch "diff --git a/f b/f" "index 1234567..89abcde 100644" && patch "diff --git a/f b/f" "index 1234567..89abcde 100644" "Binary files a/f and b/f differ" && patch "diff --git a/f b/f" "index 1234567..89abcde 100644" "Files a/f and b/f differ" &&
patch "diff --git a/f b/f" "index 1234567..89abcde 100644" "Binary files a/f and b/f differ more" && patch "diff --git a/f b/f" "old mode 100644" "new mode 100755" "odd line" && patch nothing && patch "" && : >p && run git apply p && run git apply --allow-empty p && run git apply none && run git apply --allow-empty nothing &&
patch "--- a/f" "+++ b/f" "@@ -1,3 +1,3 @@" " 1" && patch "--- a/f" "+++ b/f" "@@ -1,3 +1,3 @@" " 1" " 2" " 3" && patch "--- a/f" "+++ b/f" "@@ -1,3 +1,3 @@" " 1" -2 +2 "\\\\ x" " 3" && patch "--- a/f" "+++ b/f" &&
patch "diff --git a/f b/g" "rename from f" "rename to g" "diff --git a/f b/h" "copy from f" "copy to h" "diff --git a/f b/f" "new mode 100755" "old mode 100644" && ls -l | sed "s/ .* / /" &&
lines 1 2 3 >f && patch "diff --git a/f b/f" "similarity index 100%" "rename from f" "rename to ../up" && patch "diff --git a/f b/f" "rename from f" "rename to .git/x" && patch "diff --git a/f b/f" "copy from f" "copy to f" && patch "diff --git a/f b/f" "rename from f" && patch "diff --git a/f b/e" "rename to e"
) >actual 2>&1 &&
cat >expect <<\EOF &&
@@ -1,3 +1,3 @@
= 0
1
two
3
error: patch fragment without header at p:1: @@ -1,3 +1,3 @@
= 128
1
two
3
error: patch failed: f:1
error: f: patch does not apply
= 1
1
two
3
@@ -1 +1 @@
error: corrupt patch at p:5
= 128
1
2
3
error: patch fragment without header at p:1: @@ -1 +1 @@
= 128
1
2
3
error: corrupt patch at p:6
= 128
1
2
3
@@ -1, +1 @@
error: corrupt patch at p:3
= 128
1
2
3
error: No valid patches in input (allow with "--allow-empty")
= 128
1
2
3
error: corrupt patch at p:4
= 128
1
2
3
@@ -1,3 +1,3
error: corrupt patch at p:3
= 128
1
2
3
error: No valid patches in input (allow with "--allow-empty")
= 128
1
2
3
error: corrupt patch at p:4
= 128
1
2
3
@@ -1,3 +1,3 @
error: corrupt patch at p:3
= 128
1
2
3
error: No valid patches in input (allow with "--allow-empty")
= 128
1
2
3
error: corrupt patch at p:4
= 128
1
2
3
@@ -1,3  +1,3 @@
error: corrupt patch at p:3
= 128
1
2
3
error: No valid patches in input (allow with "--allow-empty")
= 128
1
2
3
error: corrupt patch at p:4
= 128
1
2
3
@@ -x +1 @@
error: corrupt patch at p:3
= 128
1
2
3
error: No valid patches in input (allow with "--allow-empty")
= 128
1
2
3
error: corrupt patch at p:4
= 128
1
2
3
@@ -1 -1 @@
error: corrupt patch at p:3
= 128
1
2
3
error: No valid patches in input (allow with "--allow-empty")
= 128
1
2
3
error: corrupt patch at p:4
= 128
1
2
3
@@ -99999999999999999999 +1 @@
error: corrupt patch at p:3
= 128
1
2
3
error: No valid patches in input (allow with "--allow-empty")
= 128
1
2
3
error: corrupt patch at p:4
= 128
1
2
3
@@ -1,3 +1,3 @@ function
= 0
1
two
3
error: patch fragment without header at p:1: @@ -1,3 +1,3 @@ function
= 128
1
two
3
error: patch failed: f:1
error: f: patch does not apply
= 1
1
two
3
@@ -1,3 +1,3x @@
error: corrupt patch at p:3
= 128
1
2
3
error: No valid patches in input (allow with "--allow-empty")
= 128
1
2
3
error: corrupt patch at p:4
= 128
1
2
3
@@ +1 -1 @@
error: No valid patches in input (allow with "--allow-empty")
= 128
1
2
3
error: No valid patches in input (allow with "--allow-empty")
= 128
1
2
3
error: patch with only garbage at p:4
= 128
1
2
3
= 0
f
p
= 0
f
p
error: deleted file f still has contents
= 128
1
2
3
error: patch failed: f:1
error: f: patch does not apply
= 1
1
2
3
error: new file n depends on old contents
= 128
1
2
3
error: patch failed: n:0
error: n: patch does not apply
= 1
1
2
3
error: f: already exists in working directory
= 1
1
2
3
error: none: No such file or directory
= 1
1
2
3
error: patch failed: f:1
error: f: patch does not apply
= 1
1
2
3
error: corrupt patch at p:7
= 128
1
2
3
error: patch with only garbage at p:3
= 128
1
2
3
error: cannot apply binary patch to 'f' without full index line
error: f: patch does not apply
= 1
1
2
3
error: cannot apply binary patch to 'f' without full index line
error: f: patch does not apply
= 1
1
2
3
error: patch with only garbage at p:3
= 128
1
2
3
= 0
1
2
3
error: No valid patches in input (allow with "--allow-empty")
= 128
1
2
3
error: No valid patches in input (allow with "--allow-empty")
= 128
1
2
3
error: No valid patches in input (allow with "--allow-empty")
= 128
= 0
error: can't open patch 'none': No such file or directory
= 128
error: can't open patch 'nothing': No such file or directory
= 128
error: corrupt patch at p:5
= 128
1
2
3
error: corrupt patch at p:7
= 128
1
2
3
error: corrupt patch at p:7
= 128
1
2
3
error: No valid patches in input (allow with "--allow-empty")
= 128
1
2
3
error: path f has been renamed/deleted
= 1
1
2
3
total 8
-rwxr-xr-x f
-rw-r--r-- p
error: invalid path '../up'
= 128
1
2
3
error: invalid path '.git/x'
= 128
1
2
3
error: f: already exists in working directory
= 1
1
2
3
error: git diff header lacks filename information at p:3
= 128
1
2
3
error: git diff header lacks filename information at p:3
= 128
1
2
3
EOF
test_cmp expect actual
TEST

test_done
