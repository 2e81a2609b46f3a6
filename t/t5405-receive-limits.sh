#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='receive-pack: limits against pushes that make much of little'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-receive.sh"

pkt () {
	"$GIT_BUILD_DIR/t/helper/pkt" "$@"
}
craft () {
	"$GIT_BUILD_DIR/t/helper/craft-pack" $TEST_HASH
}

# request PACK LINE...: a push of these lines and that pack in "req"; report-status is asked for
request () {
	local pack=$1 cap="$2"
	shift 2
	{
		printf "%s\0 report-status push-options\n" "$cap"
		for line; do
			echo "$line"
		done
	} >lines && frame <lines >req && cat $pack >>req
}

# pkt encode takes no NUL
frame () {
	perl -ne 'chomp; printf "%04x%s", 4 + length, $_; END { print "0000" }'
}

test_expect_success PERL 'a repository and its objects' '
	client_work && tip=$(git -C work rev-parse main) && server s && refs s >before &&
	head -c 65536 /dev/zero >zeros && printf "blob %s\n" "$(printf "%0100d" 0)" >base &&
	blob=$(printf "%0100d" 0 | git -C work hash-object --stdin)
'

# refused REASON ARG...: a push of s.pack to a fresh server with these settings; nothing is left
refused () {
	local why="$1"
	shift
	server s && for setting; do
		git -C s config "${setting%%=*}" "${setting#*=}" || return 1
	done &&
	request s.pack "$ZERO_OID $blob refs/tags/x" && say s req && test_grep "^unpack $why" answer &&
	test_grep "^ng refs/tags/x unpacker error" answer && unchanged s && ! git -C s cat-file -e $blob
}
accepted () {
	server s && for setting; do
		git -C s config "${setting%%=*}" "${setting#*=}" || return 1
	done &&
	request s.pack "$ZERO_OID $blob refs/tags/x" && say s req && test_grep "^unpack ok" answer && test_grep "^ok refs/tags/x" answer
}

# 100 bytes, then 40 times a delta of 6 bytes whose result has 101
test_expect_success PERL 'receive.maxInflatedSize counts results of deltas' '
	{ cat base && for i in $(test_seq 40); do echo "ofs 0 $(expr $i % 10)"; done; } | craft >s.pack &&
	n=$((100 + 40 * (6 + 101))) && accepted receive.maxInflatedSize=$n && accepted receive.maxInflatedSize=0 &&
	refused "pack exceeds maximum allowed inflated size" receive.maxInflatedSize=$((n - 1)) &&
	refused "pack exceeds maximum allowed inflated size" receive.maxInflatedSize=$((n - 1)) receive.unpackLimit=1 &&
	refused "pack exceeds maximum allowed inflated size" receive.maxInflatedSize=50 &&
	test_must_fail git -C s index-pack --stdin --max-inflated-size=$((n - 1)) <s.pack 2>err &&
	test_grep "pack exceeds maximum allowed inflated size" err &&
	test_must_fail git -C s unpack-objects -q --max-inflated-size=$((n - 1)) <s.pack 2>err &&
	test_grep "pack exceeds maximum allowed inflated size" err && clean s &&
	git -C s index-pack --stdin --max-inflated-size=$n <s.pack
'

# The base is too large to be kept until the delta comes: it is inflated again, and so are the 471 bytes of the delta.
test_expect_success PERL 'receive.maxInflatedSize counts bytes that are inflated again' '
	head -c 5000000 /dev/zero >five && { cat base && echo "file blob five" && echo "ofs 1 more"; } | craft >s.pack &&
	blob=$(printf "%0100d" 0 | git -C work hash-object --stdin) &&
	n=$((100 + 5000000 + 471 + 5000000 + 471 + 5000004)) && accepted receive.maxInflatedSize=$n &&
	refused "pack exceeds maximum allowed inflated size" receive.maxInflatedSize=$((n - 1))
'

# Some hundred bytes make 16 MiB, and then 2 GiB, which are refused before they are made: little memory is enough. The sum
# is beyond 2 GiB and 10,000 times the bytes of the pack by less than 17 MiB.
test_expect_success PERL 'without a setting, some bytes cannot become gigabytes' '
	blob=$(git -C work hash-object "$PWD/zeros") && { echo "file blob zeros" && echo "times 0 256" && echo "times 1 128"; } | craft >s.pack &&
	test $(wc -c <s.pack) -lt 1600 && refused "pack exceeds maximum allowed inflated size" &&
	{ echo "file blob zeros" && echo "times 0 256"; } | craft >s.pack && accepted
'

test_expect_success PERL 'trees, commits and tags have limits, blobs have none' '
	blob=$(printf "%0100d" 0 | git -C work hash-object --stdin) && git -C work cat-file commit main >commit &&
	{ cat base && echo "file commit commit"; } | craft >s.pack && n=$(wc -c <commit) &&
	accepted receive.maxCommitSize=$n && refused "commit exceeds maximum allowed size" receive.maxCommitSize=$((n - 1)) &&
	{ cat base && echo "file commit commit" && echo "ofs 1 more"; } | craft >s.pack &&
	accepted receive.maxCommitSize=$((n + 4)) && refused "commit exceeds maximum allowed size" receive.maxCommitSize=$((n + 3)) &&
	git -C work cat-file tree main^{tree} >tree && n=$(wc -c <tree) && { cat base && echo "file tree tree"; } | craft >s.pack &&
	accepted receive.maxTreeSize=$n receive.maxCommitSize=1 && refused "tree exceeds maximum allowed size" receive.maxTreeSize=$((n - 1))
'

test_expect_success PERL 'the defaults: 128 MiB for a tree, 32 MiB for a commit' '
	for type in "tree:1:2:134217729" "commit:1:1:33554433" "tag:1:4:33554433"; do
		{ cat base && echo "raw ${type#*:*:} x" | tr : " "; } | craft >s.pack && refused "${type%%:*} exceeds maximum allowed size" || return 1
	done
'

# push_commits NR MISSING: push so many commits as refs r1, ...; the parents of the last so many are missing
push_commits () {
	rm -rf commits && mkdir commits && : >empty && perl -e '
		my ($dir, $nr, $missing, $tree, $len) = @ARGV;
		for my $i (1 .. $nr) {
			open my $f, ">", "$dir/$i" or die;
			my $parent = $i > $nr - $missing ? sprintf("parent %0${len}d\n", $i) : "";
			my $who = "a <a\@x> $i +0000";
			print $f "tree $tree\n${parent}author $who\ncommitter $who\n\n$i\n";
			print "$dir/$i\n";
		}' "$PWD/commits" $1 $2 $EMPTY_TREE $OID_HEXLEN >list &&
	{ sed "s/^/file commit /" list && echo "file tree empty"; } | craft >s.pack &&
	git -C work hash-object --literally -t commit --stdin-paths <list >oids && server s &&
	{ perl -ne 'chomp; printf "%s %s refs/heads/r%d%s\n", 0 x length, $_, $., $. > 1 ? "" : "\0report-status"' oids | frame && cat s.pack; } >req &&
	GIT_TRACE2_EVENT="$PWD/trace" say s req
}

test_expect_success PERL 'a few refs whose objects are missing cost a few walks, many cost no more than 256' '
	rm -f trace && push_commits 40 1 && test $(grep -c "^ok refs/heads/r" answer) = 39 &&
	test_grep "^ng refs/heads/r40 missing necessary objects" answer &&
	walks=$(sed -n "s/.*connectivity-walks\",\"value\":\"\([0-9]*\).*/\1/p" trace) && test $walks -le 13 &&
	rm -f trace && push_commits 300 300 && test $(grep -c "^ng refs/heads/r.* missing necessary objects" answer) = 300 &&
	test_grep "connectivity-walks\",\"value\":\"256\"" trace
'

test_expect_success PERL 'a name of a ref that no file can have is refused alone' '
	server s && printf "blob x\n" | craft >s.pack && long=refs/heads/$(printf "%04086d" 0) &&
	request s.pack "$ZERO_OID $tip $long" "$ZERO_OID $tip refs/heads/good" && say s req && test_grep "^unpack ok" answer &&
	test_grep "^ng $long refname is too long" answer && test_grep "^ok refs/heads/good" answer && clean s &&
	request s.pack "$ZERO_OID $tip ${long%0}" && say s req && test_grep ! "refname is too long" answer &&
	if test_have_prereq REFFILES; then
		test_grep "^ng ${long%0} " answer
	else
		test_grep "^ok ${long%0}" answer && ref_exists s ${long%0}
	fi
'

test_expect_success PERL 'names of refs, and push options, have a limit in bytes' '
	server s && git -C s config receive.advertisePushOptions true &&
	perl -e "\$t = shift; printf \"%s %s refs/heads/%060000d%s\\n\", 0 x $OID_HEXLEN, \$t, \$_, \$_ ? q() : qq(\\0 report-status)
		for 0 .. 2300" $tip | frame >req && test_expect_code 128 say s req &&
	test_grep "ERR too many bytes of ref names in one push" answer &&
	{ printf "%s %s refs/heads/x\0 report-status push-options\n" $ZERO_OID $tip | frame &&
		perl -e "printf \"%060000d\\n\", \$_ for 1 .. 75" | frame; } >req && test_expect_code 128 say s req &&
	test_grep "ERR too many push options" answer && unchanged s
'

test_done
