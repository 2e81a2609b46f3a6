#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git cat-file, compared with stock git'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"

make_history () {
	echo hi >f && mkdir d && echo x >d/g && ln -s f l && ln -s ../f d/up &&
	ln -s ../../out d/out && ln -s /etc/passwd abs && ln -s l ll && ln -s loop loop &&
	ln -s nope dang && ln -s f/x nd && ln -s d dd && ln -s dang dang2 && ln -s d/../f dotdot &&
	ln -s d/out oo && ln -s .. par && printf "a\nb\n" >c.txt && echo "*.txt eol=crlf" >.gitattributes &&
	echo tab >"a	b" && stock add . && stock commit -qm one && stock tag -a -m t v1 &&
	stock tag -a -m b vb HEAD:f
}

none=1111111111111111111111111111111111111111
test "$TEST_HASH" = sha1 || none=$none$(echo $none | cut -c1-24)

test_expect_success 'set-up' '
	test_tick &&
	peers_init && peers_do make_history
'

single () {
	for object in HEAD HEAD: HEAD:f HEAD:d v1 vb "v1^{}" nope $none HEAD:l HEAD:nope :f $EMPTY_TREE
	do
		for mode in -e -t -s -p blob tree commit tag foo
		do
			PEERS_STDERR=$1 peers_git cat-file $mode "$object" || return 1
		done
	done
}

test_expect_success 'one loose object' 'single'

test_expect_success 'filters' '
	peers_git cat-file --filters HEAD:c.txt &&
	peers_git cat-file blob HEAD:c.txt &&
	peers_git cat-file --filters --path=x.txt HEAD:f &&
	peers_git cat-file --filters HEAD &&
	peers_git cat-file --filters HEAD: &&
	echo "HEAD:c.txt c.txt" >in && PEERS_STDIN=in peers_git cat-file --batch --filters
'

test_expect_success 'wrong usage' '
	PEERS_STDERR=ignore && export PEERS_STDERR &&
	peers_git cat-file "--batch=%(foo)" &&
	peers_git cat-file "--batch=%(foo" &&
	peers_git cat-file && peers_git cat-file -t && peers_git cat-file -t a b &&
	peers_git cat-file --buffer && peers_git cat-file -z && peers_git cat-file -e -p HEAD &&
	peers_git cat-file --follow-symlinks -t HEAD && peers_git cat-file --batch-all-objects &&
	peers_git cat-file --batch x && peers_git cat-file --batch --batch-check &&
	peers_git cat-file --batch -t && peers_git cat-file --path=x -t HEAD &&
	peers_git cat-file one two three && peers_git cat-file HEAD &&
	unset PEERS_STDERR
'

batch () {
	printf "HEAD\nHEAD:f\nnope\n%s\nv1 x\n\nHEAD:d/g" $none >in &&
	PEERS_STDIN=in && export PEERS_STDIN &&
	peers_git cat-file --batch &&
	peers_git cat-file --batch-check &&
	peers_git cat-file --batch --buffer &&
	peers_git cat-file "--batch-check=%(objectname) %%%(objecttype)%x %(objectsize)%(objectsize)" &&
	peers_git cat-file "--batch=%(objecttype) [%(rest)]" &&
	peers_git cat-file "--batch-check=%(deltabase) %(objectname)" &&
	tr "\\n" "\\0" <in >in0 && PEERS_STDIN=in0 peers_git cat-file --batch -z &&
	unset PEERS_STDIN &&
	peers_git cat-file --batch-all-objects --batch-check &&
	peers_git cat-file --batch-all-objects --batch &&
	peers_git cat-file --batch-all-objects "--batch-check=%(objectname)" &&
	peers_git cat-file --batch-all-objects "--batch-check=%(objectname) %(objectsize:disk) %(deltabase)" &&
	(cd ours && git cat-file --batch-all-objects --batch-check --unordered | sort) >unordered &&
	(cd theirs && stock cat-file --batch-all-objects --batch-check) >expect &&
	test_cmp expect unordered
}

test_expect_success 'batches of loose objects' 'batch'

command () {
	printf "$1" >in && shift &&
	PEERS_STDIN=in peers_git cat-file --batch-command "$@"
}

test_expect_success 'batch commands' '
	command "info HEAD\ncontents HEAD:f\ninfo nope\ninfo  HEAD\n" &&
	command "info HEAD\nflush\ncontents HEAD:f\nflush\n" --buffer &&
	command "info HEAD\ncontents HEAD:f" --buffer &&
	command "info HEAD\\0contents HEAD:f\\0" -z &&
	for bad in "foo HEAD\n" "\n" " info HEAD\n" "info\n" "info \n" "contents\n" "flush\n" "infoHEAD\n"
	do
		command "$bad" || return 1
	done &&
	command "flush x\n" --buffer
'

test_expect_success 'with --buffer commands wait for the flush' '
	mkfifo to from &&
	{ (cd ours && git cat-file --batch-command --buffer) <to >from & } &&
	exec 8>to 9<from &&
	i=0 &&
	while test $i -lt 3000; do echo "info HEAD:f"; i=$((i+1)); done >&8 &&
	echo flush >&8 &&
	i=0 &&
	while test $i -lt 3000; do read -r line <&9 || return 1; i=$((i+1)); done &&
	exec 8>&- 9<&- && wait &&
	test "${line#* }" = "blob 3"
'

test_expect_success 'a repack replaces the packs that were found' '
	rm -rf packs && stock init -q --object-format=$TEST_HASH packs && rm -f to from && mkfifo to from && (
		cd packs && for i in 1 2
		do
			echo $i >f$i && stock add f$i && stock commit -q -m $i && stock repack -dq || exit
		done
	) && first=$(stock -C packs rev-parse HEAD:f1) && second=$(stock -C packs rev-parse HEAD:f2) &&
	{ (cd packs && git cat-file --batch) <to >from 2>err & } &&
	exec 8>to 9<from && printf "%s\n" $ZERO_OID $first >&8 &&
	read -r none <&9 && read -r head <&9 && read -r content <&9 && read -r end <&9 &&
	stock -C packs repack -adq && echo $second >&8 && read -r head <&9 && read -r content <&9 &&
	exec 8>&- 9<&- && wait && test "$head:$content" = "$second blob 2:2" && test_must_be_empty err
'

test_expect_success 'links are followed' '
	for l in f l d/up d/out abs ll loop dang nd dd/g dang2 dotdot oo par f/x d nope dd dd/up \
		dd/out "" abs/x par/x d/out/x dd/..
	do
		echo "HEAD:$l"
	done >in &&
	printf "HEAD\nv1:ll\nHEAD^{tree}:ll\nnope:ll\n:ll\nHEAD:/f\n" >>in &&
	PEERS_STDIN=in && export PEERS_STDIN &&
	peers_git cat-file --batch-check --follow-symlinks &&
	peers_git cat-file "--batch=%(objectname)" --follow-symlinks &&
	unset PEERS_STDIN
'

test_expect_success 'ambiguous names' '
	i=0 &&
	while test $i -lt 600; do echo $i; i=$((i+1)); done >numbers &&
	(cd theirs && while read -r n; do echo $n >n$n && echo n$n; done <../numbers | stock hash-object -w --stdin-paths >../oids) &&
	rm -rf ours/.git/objects && cp -R theirs/.git/objects ours/.git/ &&
	cut -c1-4 oids | sort | uniq -d | head -n 3 >in &&
	test_file_not_empty in &&
	PEERS_STDIN=in PEERS_STDERR=ignore peers_git cat-file --batch-check
'

test_expect_success 'packed' '
	stock -C theirs repack -adq && rm -rf ours/.git/objects && cp -R theirs/.git/objects ours/.git/ &&
	batch && single
'

test_expect_success 'an output that is closed or full is reported' '
	test_expect_code 128 git -C ours cat-file -p HEAD >/dev/full 2>err &&
	test_grep "write failure on standard output" err &&
	echo HEAD >in && test_must_fail git -C ours cat-file --batch <in >/dev/full 2>err &&
	test_grep "write failure on standard output" err
'

test_expect_success 'searches are for the batch modes' '
	git init -q searches && git -C searches commit -q --allow-empty -m one &&
	for mode in -e -t -p commit; do
		test_expect_code 128 git -C searches cat-file $mode :/one 2>err &&
		test_grep "^fatal: Not a valid object name :/one$" err &&
		git -C searches cat-file $mode "HEAD^{/one}" || return 1
	done &&
	echo :/one | git -C searches cat-file --batch-check >actual && test_grep " commit " actual
'

test_expect_success '--unordered lists an object once, however many copies there are' '
	git init -q copies && git init -q more && echo 1 >copies/1 && echo 2 >copies/2 && cp copies/1 more &&
	git -C copies -c bulkCheckin.unpackLimit=1 add . && git -C more -c bulkCheckin.unpackLimit=1 add . &&
	git -C more -c bulkCheckin.unpackLimit=0 hash-object -w --stdin <copies/2 &&
	git init -q third && git -C third -c bulkCheckin.unpackLimit=0 hash-object -w --stdin <copies/1 &&
	cp -R more/.git/objects/. copies/.git/objects/ && cp -R third/.git/objects/. copies/.git/objects/ &&
	git -C copies count-objects -v >counts && test_grep "^count: 2$" counts && test_grep "^in-pack: 3$" counts &&
	for format in "%(objectname)" "%(objectname) %(objectsize)"; do
		git -C copies cat-file --batch-all-objects "--batch-check=$format" >expect &&
		git -C copies cat-file --batch-all-objects "--batch-check=$format" --unordered >actual &&
		test_line_count = 2 actual && sort actual >sorted && test_cmp expect sorted || return 1
	done
'

test_expect_success 'a format names an element that Git does not know, or one without an end' '
	for mode in --batch --batch-check --batch-command; do
		echo "info HEAD" >in &&
		test_expect_code 128 git -C searches cat-file "$mode=%(objectname) %(foo)" <in 2>err &&
		test_grep "^fatal: bad cat-file format: %(foo)\$" err &&
		test_expect_code 128 git -C searches cat-file "$mode=%(foo" <in 2>err &&
		test_grep "^fatal: bad cat-file format: element .(foo. does not end in .).\$" err || return 1
	done
'

test_expect_success '--batch-command takes blanks as a part of the name, also with %(rest)' '
	for o in "" --textconv; do
		echo "info HEAD x" | git -C searches cat-file "--batch-command=%(objectname) %(rest)" $o >actual && echo "HEAD x missing" >expect && test_cmp expect actual || return 1
	done &&
	echo "HEAD x" | git -C searches cat-file "--batch-check=%(objecttype) %(rest)" >actual && echo "commit x" >expect && test_cmp expect actual
'

test_expect_success 'an object is written in one call: who reads its beginning alone does not stop it' '
	write_script pieces python3 <<-\EOS &&
	import socket, subprocess, sys
	ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
	subprocess.run(["git", *sys.argv[1:]], stdout=theirs, check=True)
	theirs.close()
	print(len(ours.recv(1 << 20)))
	EOS
	head -c 10001 /dev/zero >large && for o in blob -p; do
		python3 ./pieces -C searches cat-file $o $(git -C searches hash-object -w "$PWD/large") >actual && echo 10001 >expect && test_cmp expect actual || return 1
	done
'

test_done
