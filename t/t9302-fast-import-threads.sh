#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git fast-import: threads make deltas, and the pack is the same'
. "$(dirname "$0")/test-lib.sh"

test_lazy_prereq TWO_CPUS 'test "$(nproc)" -gt 1'

# on_one: on one processor, where there is no thread
on_one () { taskset -c "$(taskset -cp $$ | sed "s/.* //; s/[,-].*//")" "$@"; }
# blob NUMBER [MARK]: a text that differs from the one before by a line
blob () {
	{ echo "number $1" && seq -f "line %03.0f of a text that is long enough for deltas" 1 40; } >text &&
	echo blob && if test $# = 2; then echo "mark :$2"; fi && echo "data $(wc -c <text)" && cat text
}
# pack_of COMMAND...: the name of the pack, and the statistics
pack_of () { rm -rf r && git init -q --bare r && "$@" 2>said && (cd r/objects/pack && echo *.pack) && grep "deltas\|Total" said; }
import () { git -C r -c fastimport.unpackLimit=1 -c core.bigFileThreshold=1m fast-import --stats "$@" <stream; }

test_expect_success 'set up' '
	i=0 && while test $((i += 1)) -le 300
	do
		blob $((i % 290)) $i && echo "commit refs/heads/main" && echo "committer C <c@x> $((1000000000 + i)) +0000" && printf "data 2\nc\n" && echo "M 100644 :$i dir/f$((i % 17))" && echo "M 100644 :$i top" || return
	done >stream && printf "blob\ndata 1500000\n" >>stream && head -c 1500000 /dev/zero | tr "\0" x >>stream
'

for options in "" --depth=0 --depth=1 --depth=3
do
	test_expect_success "the same pack by several threads and by one${options:+, $options}" '
		pack_of import $options >several && pack_of on_one git -C r -c fastimport.unpackLimit=1 -c core.bigFileThreshold=1m fast-import --stats $options <stream >one && test_cmp one several && git -C r fsck --strict &&
		depth=${options#--depth=} && git verify-pack -v r/objects/pack/*.idx >v && if test -n "$options"; then ! grep "^chain length = $((depth + 1)):" v; fi
	'
done

test_expect_success STRACE,TWO_CPUS 'there are threads' '
	git init -q --bare traced && ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -f -e trace=clone,clone3 -o trace git -C traced -c fastimport.unpackLimit=1 fast-import --quiet <stream && grep clone trace
'

test_expect_success 'an object is there at once, though a thread has it still: cat-blob, and the same once more' '
	n=1000 && while test $((n += 1)) -le 1040; do blob $n $n && echo "cat-blob :$n" && blob $n || return; done >asks && while test $((n += 1)) -le 1051; do blob $n && blob $n || return; done >>asks && sed "/^data 1500000/,\$d" stream | sed "\$d" | cat - asks >both &&
	git init -q --bare asked && git -C asked -c fastimport.unpackLimit=1 fast-import --stats <both >answers 2>said && grep "^number" answers >got && seq -f "number %.0f" 1001 1040 >want && test_cmp want got &&
	test_grep "blobs  : *340 ( *60 duplicates" said && git -C asked fsck --strict
'

test_expect_success 'a disk that is full is reported, and nothing is left' '
	git init -q --bare full && test_must_fail sh -c "ulimit -f 4 && trap \"\" XFSZ && git -C full -c fastimport.unpackLimit=1 fast-import --quiet <stream" 2>err && test_grep "^fatal: " err &&
	test_must_fail git -C full rev-parse --verify -q main && git -C full count-objects -v >count && test_grep "^in-pack: 0" count
'

test_done
