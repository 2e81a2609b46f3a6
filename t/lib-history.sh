# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC3043
#
# A history with everything that log and rev-parse have to handle: merges
# (octopus, criss-cross, of unrelated roots), tags of all kinds, names and messages
# that are not ASCII, other encodings, broken idents, clocks that go backwards.
# Made by stock git's fast-import, so that both programs read the same objects.
#
#	. "$TEST_DIRECTORY/lib-history.sh"
#	make_history DIR
#
# Objects that are made in addition have later, but constant, dates.

GIT_COMMITTER_DATE='1600700000 +0000'
GIT_AUTHOR_DATE='1600700000 +0000'
export GIT_COMMITTER_DATE GIT_AUTHOR_DATE

h_now=1600000000
h_mark=0

# Print one commit: branch, author, message; then lines of fast-import follow.
h_commit () {
	h_mark=$((h_mark + 1))
	h_now=$((h_now + ${h_step:-3600}))
	printf 'commit refs/heads/%s\nmark :%s\n' "$1" "$h_mark"
	printf 'author %s %s %s\n' "$2" "$((h_now - 600))" "${h_zone:-+0100}"
	printf 'committer %s %s %s\n' "${h_committer:-C O Mitter <c@example.com>}" "$h_now" +0000
	printf '%s' "$3" >h_msg
	printf 'data %s\n' "$(wc -c <h_msg | tr -d ' ')"
	cat h_msg
	printf '\n'
}

h_file () {
	printf 'M %s inline %s\n' "${3:-100644}" "$1"
	printf '%s\n' "$2" >h_blob
	printf 'data %s\n' "$(wc -c <h_blob | tr -d ' ')"
	cat h_blob
	printf '\n'
}

h_tag () {
	printf 'tag %s\nfrom :%s\ntagger %s %s +0200\n' "$1" "$2" 'T Agger <t@example.com>' "$h_now"
	printf 'data %s\n%s\n' "$(printf '%s' "$3" | wc -c | tr -d ' ')" "$3"
}

h_stream () {
	local a='A U Thor <author@example.com>' i
	local u='Ünïcödé Näme <ü@example.com>'

	h_commit main "$a" 'root commit

with a body
'
	h_file file 'one'
	h_file dir/a 'a'
	h_commit main "$a" 'second: a subject
that goes on in a second line

Body with	a tab,
	and one at the start.

Signed-off-by: A U Thor <author@example.com>
Reviewed-by: Some Body <s@example.com>
Fixes: #12
 and more of it
'
	printf 'from :1\n'
	h_file file 'two'
	h_commit side "$u" 'äöü: ein Betreff mit Umlauten — und Strichen

日本語の本文
'
	printf 'from :1\n'
	h_file dir/b 'b'
	h_commit side "$u" 'no newline at the end'
	h_file dir/b 'b2'
	h_zone=-0730
	h_commit main "$a" 'merge of side
'
	printf 'merge :4\n'
	h_file dir/b 'b2'
	h_zone=
	h_commit main "$a" ''
	h_file file 'three'
	h_commit main "$a" '

   leading blank lines and blanks   


two empty lines before this, trailing blanks here   


'
	h_file new 'new file'
	for i in x y z; do
		h_commit "topic-$i" "Topic $i <$i@example.com>" "topic $i: first
"
		printf 'from :2\n'
		h_file "t-$i" "$i 1"
		h_commit "topic-$i" "Topic $i <$i@example.com>" "topic $i: second %s %H
"
		h_file "t-$i" "$i 2"
	done
	h_commit main "$a" 'octopus
'
	printf 'merge :9\nmerge :11\nmerge :13\n'
	h_file t-x 'x 2'
	h_file t-y 'y 2'
	h_file t-z 'z 2'
	# criss-cross
	h_commit left "$a" 'left 1
'
	printf 'from :14\n'
	h_file left '1'
	h_commit right "$a" 'right 1
'
	printf 'from :14\n'
	h_file right '1'
	h_commit left "$a" 'left merges right
'
	printf 'merge :16\n'
	h_file right '1'
	h_commit right "$a" 'right merges left
'
	printf 'merge :15\n'
	h_file left '1'
	h_commit main "$a" 'main merges left
'
	printf 'merge :17\n'
	h_file left '1'
	h_file right '1'
	h_commit main "$a" 'main merges right
'
	printf 'merge :18\n'
	# an unrelated root, older than all
	h_step=-9000000
	h_commit other "$a" 'another root, from the past
'
	h_file other 'other'
	h_step=3600
	h_commit other "$a" 'other: second, skewed clock
'
	h_file other 'other 2'
	h_step=9003600
	h_commit main "$a" 'merge an unrelated history
'
	printf 'merge :22\n'
	h_file other 'other 2'
	h_step=0
	h_commit main "$a" 'same second 1
'
	h_file file 'same 1'
	h_commit main "$a" 'same second 2
'
	h_file file 'same 2'
	h_step=3600
	h_commit main 'Mixed Case <MiXed@Example.COM>' 'mapped by mailmap
'
	printf 'D t-x\n'
	h_file dir/c 'c' 100755
	h_file long "$(seq 1 60)"
	h_commit main 'Nick <nick@example.com>' 'rename and change

Change-Id: I0123456789
Co-authored-by: Ünïcödé <ü@example.com>
'
	printf 'R new dir/renamed\n'
	h_file long "$(seq 1 30; echo changed; seq 32 61)"
	h_tag v1.0 14 'version 1.0'
	h_tag v2.0 25 'version 2.0'
	printf 'reset refs/tags/light\nfrom :20\n\n'
	printf 'reset refs/remotes/origin/main\nfrom :19\n\n'
	printf 'reset refs/stash\nfrom :6\n\n'
	printf 'reset refs/other/ref\nfrom :7\n\n'
}

# Commits that fast-import would not make.
h_odd_commits () {
	local tree parent c
	tree=$(stock -C "$1" rev-parse 'main^{tree}') || return
	parent=$(stock -C "$1" rev-parse main) || return
	c=$(printf 'tree %s\nparent %s\nauthor no mail at all\ncommitter Broken <b@x> notadate\n\nodd idents\n' \
		"$tree" "$parent" | stock -C "$1" hash-object -t commit -w --literally --stdin) || return
	c=$(printf 'tree %s\nparent %s\nauthor  <> 1600500000 +0000\ncommitter <c@x>  1600500000 +9999\nencoding ISO-8859-1\nextra header\n folded\n\nlatin1: \344\366\374\n\nbody \337\n' \
		"$tree" "$c" | stock -C "$1" hash-object -t commit -w --literally --stdin) || return
	c=$(printf 'tree %s\nparent %s\nauthor A <a@x> 1600600000 -1200\ncommitter A <a@x> 1600600000 +1400\n\n' \
		"$tree" "$c" | stock -C "$1" hash-object -t commit -w --literally --stdin) || return
	stock -C "$1" update-ref refs/heads/odd "$c"
}

make_history () {
	h_now=1600000000 h_mark=0 h_step=3600
	stock init -q -b main "$1" &&
	h_stream >h_stream.txt &&
	stock -C "$1" fast-import --quiet <h_stream.txt &&
	h_odd_commits "$1" &&
	stock -C "$1" tag -a -m 'a tag of a tag' tag-of-tag v1.0 &&
	stock -C "$1" symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/main &&
	stock -C "$1" reset -q --hard main &&
	printf '%s\n' 'Proper Name <proper@example.com> <mixed@example.com>' \
		'# a comment' 'Nicholas <nicholas@example.com> Nick <nick@example.com>' \
		'<new@example.com> <x@example.com>' >"$1/.mailmap" &&
	rm -f h_msg h_blob h_stream.txt
}
