#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='text of the other side in tables, reports and messages drives no terminal and forges no line'
. "$(dirname "$0")/test-lib.sh"

if ! test_have_prereq PERL; then
	skip_all='needs perl'
	test_done
fi

# A receive-pack that reports $UNPACK ("ok"), and for each ref $LINES, in which NAME stands for it; or one packet $PACKET instead.
test_expect_success 'a server and a client' '
	git init -q -b main work && test_commit -C work one && git init -q --bare dst.git && write_script play "$(command -v perl)" <<-\EOF
	use strict;
	binmode STDIN; binmode STDOUT; $| = 1;
	sub pkt { return sprintf("%04x", 4 + length $_[0]) . $_[0]; }
	sub bytes { my $t = $_[0]; $t =~ s/\\x(..)/chr hex $1/ge; return $t; }
	print pkt("0" x 40 . " capabilities^{}\0report-status report-status-v2 side-band-64k delete-refs object-format=sha1\n"), "0000";
	my $report = pkt("unpack " . bytes($ENV{UNPACK} || "ok") . "\n");
	my ($head, $n, $line);
	while (read(STDIN, $head, 4) == 4 && ($n = hex $head)) {
		read(STDIN, $line, $n - 4);
		my $name = (split / /, (split /\0/, $line)[0])[2];
		chomp $name;
		$report .= pkt(bytes($_ =~ s/NAME/$name/r)) for split /,/, $ENV{LINES_OF_REF} || "ok NAME";
	}
	print $ENV{PACKET} ? pkt(bytes($ENV{PACKET})) . "0000" : pkt("\1" . $report . "0000") . "0000";
	close STDOUT;
	1 while read STDIN, my $rest, 65536;
	EOF
'
test_have_prereq SHA1 || {
	say 'the server of these tests has SHA-1'
	test_done
}

evil='a\x1b[31mb\x07c\x1b]0;t\x07\xc2\x9b2J\x9b1m\x08\x0d\x09d\x0a!\x7f\xc3\xa9'
clean='a^[[31mb^Gc^[]0;t^G^[[2J^[[1m^H^M^Id^J!^?é'

# told [OPTION...]: what a push prints, in "out"
told () {
	test_might_fail git -C work "$@" --receive-pack=../play ../dst.git main:refs/heads/main >out 2>&1
}
no_control () {
	! LC_ALL=C grep -a -n "[$(printf '\001-\010\013-\037\177')]" out && ! LC_ALL=C grep -a "$(printf '\302\233')" out && ! LC_ALL=C grep -a "[^$(printf '\302')]$(printf '\233')" out
}

test_expect_success 'reasons of refused refs' '
	LINES_OF_REF="ng NAME $evil" && export LINES_OF_REF && told push && no_control && grep -F "[remote rejected] main -> main ($clean)" out &&
	told push --porcelain && no_control && grep -F "[remote rejected] ($clean)" out && test "$(grep -c "^!" out)" = 1 &&
	told send-pack && no_control && grep -F "$clean" out
'

test_expect_success 'names that the server gives to refs' '
	LINES_OF_REF="ok NAME,option refname refs/heads/$evil" && told push && no_control && grep -F -e "main -> $clean" out &&
	told push --porcelain && no_control && grep -F "main:refs/heads/$clean" out
'

test_expect_success 'sideband.allowControlCharacters holds for them, but lines and fields stay ours' '
	LINES_OF_REF="ng NAME $evil" && told -c sideband.allowControlCharacters=true push --porcelain && grep -a "$(printf "\007")" out &&
	grep -F "^M^Id^J!" out && told -c sideband.allowControlCharacters=color push && grep -a "$(printf "a\033\\[31mb^Gc")" out && ! grep -a "$(printf "\007")" out &&
	unset LINES_OF_REF
'

test_expect_success 'status of unpacking, odd lines, bands, errors' '
	UNPACK=$evil told push && no_control && grep "remote unpack failed" out && LINES_OF_REF="$evil" told push && no_control && grep "invalid ref status" out &&
	for packet in "\\x03$evil" "\\x02\\xc2\\x9b2J\\x9b1m\\x07" "ERR $evil" "\\x07$evil"; do
		PACKET=$packet told push && no_control || { echo "$packet" >&4; return 1; }
	done &&
	PACKET="\\x02\\xc2\\x9b2Jx\\x9b1m\\xc3\\xa9\\xe2\\x9b\\x84" told push && grep -F "remote: ^[[2Jx^[[1mé⛄" out
'

test_expect_success 'names of refs with C1 in the table of a fetch' '
	c1=$(printf "\302\2332J") && git -C work update-ref "refs/heads/x$c1" main && git init -q got && git -C got fetch ../work "refs/heads/*:refs/remotes/o/*" >out 2>&1 &&
	no_control && grep -F "x?2J" out && git -C got rev-parse --verify -q "refs/remotes/o/x$c1"
'

test_expect_success 'archive --remote masks control characters of the server' '
	write_script say <<-\EOF &&
	printf "0008ACK\n0000"
	printf "0012\002a\302\2332Jb\033[2J\ac\n"
	printf "000b\003d\2331m\033e"
	cat >/dev/null
	EOF
	test_must_fail git archive --remote=work --exec="$PWD/say" HEAD >out 2>&1 && no_control && grep -F "remote: a?2Jb?[2J?c" out && grep "remote: d?1m?e" out
'

test_expect_success 'a helper that pushes by itself' '
	write_script git-remote-evil "$(command -v perl)" <<-\EOF &&
	$| = 1;
	while (<STDIN>) {
		chomp;
		print "push\noption\n\n" if $_ eq "capabilities";
		print "unsupported\n" if /^option/;
		print "\n" if /^list/;
		$push = 1 if /^push/;
		print "error refs/heads/main a\033]0;t\a\302\2332J\tb\n\n" if $push && $_ eq "";
		$push = 0 if $_ eq "";
	}
	EOF
	PATH=$PWD:$PATH && test_might_fail git -C work push evil::x main >out 2>&1 && no_control && grep -F "(a^[]0;t^G^[[2J^Ib)" out
'

test_done
