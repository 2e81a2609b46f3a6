#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git interpret-trailers'
. "$(dirname "$0")/test-lib.sh"

# edits INPUT EXPECTED ARGUMENT...: interpret-trailers makes EXPECTED of INPUT; both for printf
edits () {
	printf "$1" >in && printf "$2" >expect && shift 2 && git "$@" <in >out && test_cmp expect out
}

test_expect_success 'a new trailer goes behind the block, or makes one' '
	edits "s\n" "s\n\na: b\n" interpret-trailers --trailer a=b &&
	edits "s" "s\n\na: b\n" interpret-trailers --trailer "a : b " &&
	edits "" "\na: b\n" interpret-trailers --trailer a:b &&
	edits "s\n\nx: y\n" "s\n\nx: y\na: b\nc: \n" interpret-trailers --trailer a:b --trailer c &&
	edits "s\n\nx: y\n\n# c\n" "s\n\nx: y\na: b\n\n# c\n" interpret-trailers --trailer a:b &&
	edits "s\n\nx: y\n  \n" "s\n\nx: y\na: b\n" interpret-trailers --trailer a:b &&
	edits "s\n\nx: y\n\nConflicts:\n\tf\n" "s\n\nx: y\na: b\n\nConflicts:\n\tf\n" interpret-trailers --trailer a:b &&
	edits "s\n" "s\n\n" interpret-trailers && edits "A: b\n" "A: b\n\n" interpret-trailers
'

test_expect_success 'a line --- ends the message, unless --no-divider' '
	edits "s\n\nx: y\n---\nd\n" "s\n\nx: y\na: b\n---\nd\n" interpret-trailers --trailer a:b &&
	edits "s\n\nx: y\n---z\n" "s\n\nx: y\n---z\n\na: b\n" interpret-trailers --trailer a:b &&
	edits "s\n\nx: y\n---\nd\n" "s\n\nx: y\n---\nd\n\na: b\n" interpret-trailers --trailer a:b --no-divider
'

test_expect_success '--only-trailers, --only-input, --unfold, --parse, --trim-empty' '
	in="s\n\nb : c\n  d\n\te\nSigned-off-by: x\nno trailer\nz:\n" &&
	edits "$in" "b: c\n  d\n\te\nSigned-off-by: x\nz: \nq: 1\n" interpret-trailers --only-trailers --trailer q=1 &&
	edits "$in" "b: c d e\nSigned-off-by: x\nz: \n" interpret-trailers --parse &&
	edits "$in" "s\n\nb: c d e\nSigned-off-by: x\nno trailer\nz: \n" interpret-trailers --unfold &&
	edits "$in" "s\n\nb: c\n  d\n\te\nSigned-off-by: x\nno trailer\n" interpret-trailers --trim-empty --trailer y= &&
	edits "s\n\nx: y\n" "x: y\nn: 0\n" -c trailer.n.command="echo 0" interpret-trailers --only-trailers &&
	edits "s\n\nx: y\n" "x: y\n" -c trailer.n.command="echo 0" interpret-trailers --only-trailers --only-input &&
	test_expect_code 129 git interpret-trailers --only-input --trailer a 2>err && test_grep "does not make sense" err
'

test_expect_success '--where, --if-exists and --if-missing hold for the trailers behind them' '
	edits "s\n\na: 1\nb: 2\n" "s\n\nc: 0\na: 1\na: 3\nb: 2\nd: 4\n" interpret-trailers \
		--where start --trailer c:0 --where after --trailer a:3 --no-where --trailer d:4 &&
	edits "s\n\na: 1\nb: 2\n" "s\n\nb: 2\na: 3\n" interpret-trailers --if-exists replace --trailer a:3 &&
	edits "s\n\na: 1\nb: 2\n" "s\n\na: 1\nb: 2\nb: 2\n" interpret-trailers --if-exists doNothing --trailer a:3 \
		--no-if-exists --trailer b:2 --if-exists ADD --trailer b:2 &&
	edits "s\n\na: 1\n" "s\n\na: 1\na: 2\n" interpret-trailers --if-missing doNothing --trailer b:1 --trailer a:2 &&
	edits "s\n\na: 1\n" "s\n\na: 1\nb: 3\n" -c trailer.where=start -c trailer.a.ifexists=doNothing interpret-trailers \
		--trailer a:2 --where end --trailer b:3 &&
	edits "s\n\na: 1\n" "s\n\na: 1\nc: 3\n" interpret-trailers --trailer b:2 --no-trailer --trailer c:3 &&
	test_expect_code 129 git interpret-trailers --where nowhere 2>err
'

test_expect_success 'an argument without a key is reported, and ignored' '
	edits "s\n" "s\n\n\na: b\n" interpret-trailers --trailer "=x " --trailer "" --trailer a:b 2>err &&
	test_line_count = 1 err && test_grep "^error: empty trailer token in trailer .=x.$" err
'

test_expect_success 'commands get the value: .cmd as argument, .command in place of the first $ARG' '
	edits "s\n\nx: y\n" "s\n\nx: y\nn: 1-v\n" -c trailer.n.cmd="echo \$#-\$1; :" interpret-trailers --trailer n=v &&
	edits "s\n\nx: y\n" "s\n\nx: y\nn: \nn: v,\n" -c trailer.n.command="echo \$ARG\${ARG:+,}\${NO},\$ARG | sed s/^,// " \
		interpret-trailers --trailer n=v
'

test_expect_success '--in-place replaces the file, and keeps its mode' '
	printf "s\n" >f && chmod 640 f && git interpret-trailers --in-place --trailer a:b f && printf "s\n\na: b\n" >expect &&
	test_cmp expect f && case $(ls -l f) in -rw-r-----*) ;; *) false ;; esac &&
	mkdir sub && cp f sub/g && git -C sub interpret-trailers --in-place --trailer c:d g && test_grep "c: d" sub/g &&
	test -z "$(ls -A | grep interpret-trailers-)" &&
	test_expect_code 128 git interpret-trailers --in-place 2>err && test_grep "no input file given" err &&
	test_expect_code 128 git interpret-trailers missing 2>err && test_grep "^fatal: could not read input file .missing.: No such file" err
'

test_expect_success 'files come one after the other' '
	echo one >1 && echo two >2 && git interpret-trailers --trailer a:b 1 2 >out &&
	printf "one\n\na: b\ntwo\n\na: b\n" >expect && test_cmp expect out
'

test_expect_success MKNOD '--in-place: a device is refused' '
	mknod null c 1 3 && test_expect_code 128 git interpret-trailers --in-place --trailer a=b null 2>err && test -c null &&
	echo "error: file null is not a regular file" >expect && test_cmp expect err
'

test_expect_success 'a blank --trailer is the shortest abbreviation of a configured key; without any, a blank line' '
	printf "subject\n\nbody\n" >blank && git -c trailer.ack.key=Acked-by interpret-trailers --trailer= --trailer=ack <blank >out && printf "subject\n\nbody\n\nAcked-by: \n" >want && test_cmp want out &&
	git -c trailer.ack.key=Acked-by interpret-trailers --trailer==x <blank >out 2>err && test_grep ! x out && test_grep "empty trailer token" err &&
	printf "subject\n\nA: b\n" >block && git interpret-trailers --trailer= --trailer=A:b <block >out && printf "subject\n\nA: b\n\nA: b\n" >want && test_cmp want out
'

test_done
