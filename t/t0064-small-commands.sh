#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='small commands that tools call: stage, stripspace, check-mailmap, get-tar-commit-id, column, hook

What they print is what Git 2.55 prints.'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'setup' '
	git init -q r && mkdir r/sub
'

test_expect_success 'stage: add, with its options' '
	echo a >r/a && echo b >r/sub/b && git -C r stage -n . >out &&
	printf "add \047%s\047\n" a sub/b >expect && test_cmp expect out &&
	git -C r/sub stage b && git -C r ls-files >out && echo sub/b >expect && test_cmp expect out &&
	echo "No changes." >expect && git -C r stage -p sub >out 2>&1 </dev/null && test_cmp expect out
'

# ---- stripspace ----

noisy="a\r\n\tb \v\n\n \n#c  \n #d\n\0x \0\n\n\n"

test_expect_success 'stripspace: white space and empty lines' '
	printf "\n \n$noisy" | git stripspace >out &&
	printf "a\n\tb \v\n\n#c\n #d\n\0x \0\n" >expect && test_cmp_bin expect out &&
	printf "\f\n" | git stripspace >out && printf "\f\n" >expect && test_cmp_bin expect out &&
	printf x | git stripspace >out && echo x >expect && test_cmp expect out &&
	printf "\n \t\n\r\n" | git stripspace >out && test_must_be_empty out &&
	git stripspace </dev/null >out && test_must_be_empty out
'

test_expect_success 'stripspace -s, -c, and the comment character' '
	printf "$noisy" | git stripspace -s >out && printf "a\n\tb \v\n\n #d\n\0x \0\n" >expect && test_cmp_bin expect out &&
	printf "a\n\tb \n\n#c\n\r\nx" | git stripspace -c >out &&
	printf "# a\n#\tb \n#\n# #c\n# \r\n# x\n" >expect && test_cmp_bin expect out &&
	printf "#x\n;y\n" | git -c core.commentChar=";" stripspace --strip-comments >out && echo "#x" >expect && test_cmp expect out &&
	printf "#x\n;y\n" | (cd r/sub && git config core.commentChar ";" && git stripspace --comment-lines) >out &&
	printf "; #x\n; ;y\n" >expect && test_cmp expect out && git -C r config --unset core.commentChar &&
	printf "#x\n;y\n" | git -c core.commentString=// stripspace >out && printf "#x\n;y\n" >expect && test_cmp expect out &&
	test_expect_code 128 git -c core.commentString=// stripspace -s </dev/null &&
	test_expect_code 129 git stripspace -s -c </dev/null && test_expect_code 129 git stripspace file </dev/null
'

test_expect_success 'messages of commits keep the white space that stripspace keeps' '
	git -C r commit -q --allow-empty -m "$(printf "a \f\n\nb\v\nc  ")" && git -C r log -1 --format=%B >out &&
	printf "a \f\n\nb\v\nc\n\n" >expect && test_cmp expect out
'

# ---- check-mailmap ----

test_expect_success 'check-mailmap: names and addresses' '
	printf "%s\n" "New Name <new@x> <old@x>" "Only <o@x>" "<m2@x> <m1@x>" "By Name <bn@x> Old <share@x>" >r/.mailmap &&
	git -C r/sub check-mailmap "A <old@x>" "<old@x>" old@x OLD@X o@x m1@x "<m1@x>" "Z <m1@x>" q@x "<q@x>" " Q  <q@x>" \
		"Old <share@x>" share@x bad "a <b" "" "a <b> c" "x<y@z>" "<>" "trail@x " "a <b <c>" "a > b <c>" >out &&
	cat >expect <<-\EOF &&
	New Name <new@x>
	New Name <new@x>
	New Name <new@x>
	New Name <new@x>
	Only <o@x>
	<m2@x>
	<m2@x>
	Z <m2@x>
	<q@x>
	<q@x>
	 Q <q@x>
	By Name <bn@x>
	<share@x>
	<bad>
	<a <b>
	<>
	a <b>
	x <y@z>
	<>
	<trail@x >
	a <b <c>
	a > b <c>
	EOF
	test_cmp expect out &&
	test_expect_code 128 git -C r check-mailmap 2>err && test_grep "^fatal: no contacts specified\$" err
'

test_expect_success 'check-mailmap: standard input, more files and blobs' '
	printf "A <old@x>\r\nq@x\n\nlast <o@x>" | git -C r check-mailmap --stdin m1@x >out &&
	printf "%s\n" "<m2@x>" "New Name <new@x>" "<q@x>" "<>" "Only <o@x>" >expect && test_cmp expect out &&
	echo "File <f@x> <old@x>" >r/sub/map &&
	blob=$(printf "%s\n" "Blob <b@x> <old@x>" "Blob2 <b2@x> <q@x>" | git -C r hash-object -w --stdin) &&
	git -C r/sub check-mailmap --mailmap-file=map --mailmap-blob=$blob old@x q@x >out &&
	printf "%s\n" "File <f@x>" "Blob2 <b2@x>" >expect && test_cmp expect out &&
	git -C r check-mailmap --mailmap-file="$PWD/r/sub/map" old@x >out && echo "File <f@x>" >expect && test_cmp expect out &&
	git -C r -c mailmap.file="$PWD/r/sub/map" check-mailmap --mailmap-blob=$blob old@x >out &&
	echo "Blob <b@x>" >expect && test_cmp expect out &&
	git -C r check-mailmap --mailmap-file=nope --mailmap-blob=HEAD old@x >out 2>err &&
	echo "New Name <new@x>" >expect && test_cmp expect out &&
	echo "error: mailmap is not a blob: HEAD" >expect && test_cmp expect err
'

test_expect_success 'a name in a mailmap loses blanks and carriage returns at both ends, and no other control characters' '
	printf " \t\rN \r <n@x> <a@x>\n\vO\f<o@x> <b@x>\n\r\t<m@x> <c@x>\n\f <p@x> <d@x>\n" >map &&
	git -C r -c mailmap.file="$PWD/map" check-mailmap "A <a@x>" "B <b@x>" "C <c@x>" "D <d@x>" >out &&
	printf "N <n@x>\n\vO\f <o@x>\nC <m@x>\n\f <p@x>\n" >expect && test_cmp expect out
'

test_expect_success PYTHON 'check-mailmap: a program gets each answer before its next question' '
	python3 - r <<-\EOF
	import subprocess, sys
	p = subprocess.Popen(["git", "check-mailmap", "--stdin"], cwd=sys.argv[1], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
	for question, answer in ((b"o@x\n", b"Only <o@x>\n"), (b"q@x\n", b"<q@x>\n")):
	    p.stdin.write(question); p.stdin.flush()
	    assert p.stdout.readline() == answer
	p.stdin.close()
	assert p.wait() == 0
	EOF
'

# ---- get-tar-commit-id ----

test_expect_success 'get-tar-commit-id' '
	git -C r archive HEAD >tar && git get-tar-commit-id <tar >out && git -C r rev-parse HEAD >expect && test_cmp expect out &&
	git -C r archive "HEAD^{tree}" | test_expect_code 1 git get-tar-commit-id >out && test_must_be_empty out &&
	sed "s/comment=/commend=/" tar | test_expect_code 1 git get-tar-commit-id &&
	sed "s/[57][26] comment=/72 comment=/" tar | test_expect_code 1 git get-tar-commit-id &&
	cp tar other.tar && printf x | dd of=other.tar bs=1 seek=156 conv=notrunc 2>/dev/null &&
	test_expect_code 1 git get-tar-commit-id <other.tar &&
	head -c 1024 /dev/zero | test_expect_code 1 git get-tar-commit-id &&
	head -c 1023 tar | test_expect_code 128 git get-tar-commit-id 2>err && test_grep "EOF before reading tar header" err &&
	{ head -c 100 tar; tail -c +101 tar; } | git get-tar-commit-id >out && git -C r rev-parse HEAD >expect &&
	test_cmp expect out && test_expect_code 129 git get-tar-commit-id x
'

test_expect_success 'get-tar-commit-id: the other hash' '
	case $TEST_HASH in sha1) other=sha256 ;; *) other=sha1 ;; esac &&
	git init -q --object-format=$other other && git -C other commit -q --allow-empty -m one &&
	git -C other archive HEAD | git get-tar-commit-id >out && git -C other rev-parse HEAD >expect && test_cmp expect out
'

# ---- column ----

column () {
	git column "$@" <lines >out
}

test_expect_success 'column: modes, width, indent, padding' '
	printf "%s\n" alpha bb c dddddddddd e ff ggg hhhh i >lines &&
	column && test_cmp lines out && column --indent=X --nl=Y && test_cmp lines out && column --mode=auto && test_cmp lines out &&
	column --mode=column --width=30 --indent="> " --nl="|
" && cat >expect <<-\EOF && test_cmp expect out &&
	> alpha      ff|
	> bb         ggg|
	> c          hhhh|
	> dddddddddd i|
	> e|
	EOF
	column --mode=row --width=30 --padding=0 && cat >expect <<-\EOF && test_cmp expect out &&
	alpha     bb        c
	dddddddddde         ff
	ggg       hhhh      i
	EOF
	column --mode=column,dense --width=20 --padding=3 && cat >expect <<-\EOF && test_cmp expect out &&
	alpha        ff
	bb           ggg
	c            hhhh
	dddddddddd   i
	e
	EOF
	column --mode=plain --indent="> " && sed "s/^/> /" lines >expect && test_cmp expect out &&
	column --mode=row --width=-5 && test_line_count = 1 out
'

test_expect_success 'column: numbers of modes' '
	for n in 0 1 15 32 48 128; do column --raw-mode=$n --indent=X && test_cmp lines out || return; done &&
	column --raw-mode=144 --width=22 --indent="> " && cat >expect <<-\EOF && test_cmp expect out &&
	> alpha      e    i
	> bb         ff
	> c          ggg
	> dddddddddd hhhh
	EOF
	column --raw-mode=145 --width=22 && column --mode=row,dense --width=22 && cp out expect &&
	column --raw-mode=145 --width=22 && test_cmp expect out &&
	column --raw-mode=31 --indent=X && sed "s/^/X/" lines >expect && test_cmp expect out &&
	test_expect_code 129 git column --raw-mode=x <lines && test_expect_code 129 git column --raw-mode=18 <lines
'

test_expect_success 'column: configuration, and lines' '
	column --mode=row --width=30 && cp out rows &&
	git -c column.ui=row column --width=30 <lines >out && test_cmp rows out &&
	git -c column.x=row column --command=x --width=30 <lines >out && test_cmp rows out &&
	git -c column.x=row column --width=30 <lines >out && test_cmp lines out &&
	git -c column.ui=row column --no-mode --width=30 <lines >out && test_cmp lines out &&
	test_expect_code 128 git column --width=30 --command=x <lines 2>err &&
	test_grep "^fatal: --command must be the first argument\$" err &&
	test_expect_code 128 git column --padding=-1 <lines && test_expect_code 129 git column x <lines &&
	printf "a\n\nb\r\nc" | git column --mode=column >out && echo "a   b c" >expect && test_cmp expect out &&
	git column --mode=row </dev/null >out && test_must_be_empty out
'

# ---- hook ----

test_expect_success 'hook: none there' '
	rm -f r/.git/hooks/* && test_expect_code 1 git -C r hook run pre-commit 2>err &&
	echo "error: cannot find a hook named pre-commit" >expect && test_cmp expect err &&
	git -C r hook run --ignore-missing pre-commit 2>err && test_must_be_empty err &&
	test_expect_code 1 git -C r hook list pre-commit 2>err &&
	test_grep "^warning: no hooks found for event .pre-commit.\$" err &&
	test_expect_code 1 git -C r hook run precommit 2>err && test_grep "^error: unknown hook event" err &&
	test_expect_code 1 git -C r hook run --allow-unknown-hook-name precommit 2>err && test_grep "cannot find" err &&
	test_expect_code 1 git -C / hook run pre-commit && test_expect_code 129 git -C r hook && test_expect_code 129 git -C r hook x &&
	test_expect_code 129 git -C r hook run && test_expect_code 129 git -C r hook list
'

test_expect_success 'hook run: arguments, directory, input, output, exit code' '
	write_script r/.git/hooks/pre-commit <<-\EOF &&
	printf "%s|" "$@" && echo && pwd -P && echo "$GIT_PREFIX" && cat && exit 7
	EOF
	test_expect_code 7 git -C r/sub hook run pre-commit -- a "b c" <lines >out 2>err && test_must_be_empty out &&
	{ echo "a|b c|" && (cd r && pwd -P) && echo sub/; } >expect && test_cmp expect err &&
	test_expect_code 7 git -C r/sub hook run --to-stdin="$PWD/lines" -j 2 pre-commit 2>err &&
	{ echo "|" && (cd r && pwd -P) && echo sub/ && cat lines; } >expect && test_cmp expect err &&
	test_expect_code 128 git -C r hook run --to-stdin=nope pre-commit 2>err &&
	test_grep "^fatal: could not open .nope. for reading: No such file" err &&
	test_expect_code 129 git -C r hook run pre-commit a && test_expect_code 129 git -C r hook run -- pre-commit &&
	test_expect_code 128 git -C r hook run -j -3 pre-commit &&
	git -C r hook list pre-commit >out && echo "hook from hookdir" >expect && test_cmp expect out &&
	git -C r hook list -z --show-scope pre-commit >out && printf "hook from hookdir\0" >expect && test_cmp_bin expect out &&
	write_script r/.git/hooks/pre-commit <<-\EOF && test_expect_code 137 git -C r hook run pre-commit 2>err &&
	kill -9 $$
	EOF
	echo "error: .git/hooks/pre-commit died of signal 9" >expect && test_cmp expect err &&
	mv r/.git/hooks r/other && test_expect_code 137 git -C r -c core.hooksPath=other hook run pre-commit && mv r/other r/.git/hooks
'

test_expect_success 'hook: those of the configuration are refused, not passed over' '
	for sub in run list; do
		test_expect_code 128 git -C r -c hook.lint.event=pre-push -c hook.lint.event=pre-commit hook $sub pre-commit 2>err &&
		test_grep "not available" err || return
	done &&
	git -C r -c hook.lint.event=pre-push hook list pre-commit &&
	git -C r -c hook.lint.event=pre-commit -c hook.lint.event= hook list pre-commit
'

test_done
