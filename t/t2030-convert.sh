#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='line ends, ident, encodings and filters on the way into the index'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"

make_files () {
	printf 'a\nb\n' >lf.txt &&
	printf 'a\r\nb\r\n' >crlf.txt &&
	printf 'a\r\nb\n' >mixed.txt &&
	printf 'a\rb\r' >cr.txt &&
	printf 'a\r\nb\rc\n' >lonecr.txt &&
	printf 'a\0b\r\n' >nul.bin &&
	printf '\001\002\003\004a\r\n' >ctl.bin &&
	printf 'a\r\n\032' >eof.txt &&
	printf '' >empty.txt &&
	printf '$Id: 123 $ x $Id$ $Id: a b c $\n$Id: open\n$Identity$ $Id:$\r\n' >id.txt
}

for autocrlf in false true input
do
	for attr in '' '* text' '* text=auto' '* -text' '* text eol=crlf' '* text=auto eol=lf' \
		'* text=auto eol=crlf' '* eol=crlf' '* eol=lf' '* crlf' '* -crlf' '* crlf=input' \
		'* ident' '* text ident' '* binary'
	do
		test_expect_success "add with autocrlf=$autocrlf and '$attr'" '
			peers_init &&
			peers_do make_files &&
			peers_do "stock config core.autocrlf $autocrlf" &&
			peers_do "echo \"$attr\" >.gitattributes" &&
			PEERS_STDERR=ignore peers_git add . &&
			peers_same_index &&
			sort err.theirs >e1 && sort err.ours >e2 && test_cmp e1 e2
		'
	done
done

test_expect_success 'core.eol decides about line ends in the working tree' '
	for eol in lf crlf native
	do
		peers_init &&
		peers_do make_files &&
		peers_do "stock config core.eol $eol && echo \"* text=auto\" >.gitattributes" &&
		PEERS_STDERR=ignore peers_git add . &&
		peers_same_index || return 1
	done
'

test_expect_success 'core.safecrlf=true refuses, and nothing changes' '
	peers_init &&
	peers_do "stock config core.safecrlf true && stock config core.autocrlf input" &&
	peers_do make_files &&
	PEERS_STDERR=ignore peers_git add crlf.txt &&
	test_grep "CRLF would be replaced by LF in crlf.txt" err.ours &&
	peers_same_index
'

test_expect_success 'a warning is whole, also about a path with a newline' '
	git init -q newline &&
	git -C newline config core.autocrlf true &&
	printf "a\n" >"newline/one
two" &&
	printf "a\n" >newline/plain &&
	git -C newline add . 2>err &&
	test_line_count = 3 err &&
	test_grep "^warning: in the working copy of .one$" err &&
	test_grep "^two., LF will be replaced by CRLF the next time Git touches it$" err &&
	test_grep "^warning: in the working copy of .plain., LF will be" err
'

test_expect_success 'text=auto leaves CRLF that is in the index, --renormalize does not' '
	peers_init &&
	peers_do make_files &&
	peers_do "stock add crlf.txt mixed.txt && echo \"* text=auto\" >.gitattributes" &&
	peers_do "printf \"a\\r\\nb\\r\\nc\\r\\n\" >crlf.txt" &&
	PEERS_STDERR=ignore peers_git add . &&
	peers_same_index &&
	PEERS_STDERR=ignore peers_git add --renormalize . &&
	peers_same_index
'

test_expect_success 'working-tree-encoding' '
	peers_init &&
	peers_do "printf \"*.u16 text working-tree-encoding=UTF-16\\n*.le text working-tree-encoding=UTF-16LE\\n*.l1 text working-tree-encoding=ISO-8859-1\\n\" >.gitattributes" &&
	peers_do "printf \"h\\344llo\\n\" >x.l1" &&
	peers_do "printf \"h\\303\\244llo\\n\" | iconv -f UTF-8 -t UTF-16 >x.u16" &&
	peers_do "printf \"h\\303\\244llo\\n\" | iconv -f UTF-8 -t UTF-16LE >x.le" &&
	peers_git add . &&
	peers_same_index
'

test_expect_success 'encodings that do not fit are refused' '
	peers_init &&
	peers_do "printf \"*.u16 working-tree-encoding=UTF-16\\n*.bool working-tree-encoding\\n*.le working-tree-encoding=UTF-16LE\\n\" >.gitattributes" &&
	peers_do "printf \"ab\" >no-bom.u16; printf \"\\377\\376a\\0\" >bom.le; echo x >x.bool" &&
	for f in no-bom.u16 bom.le x.bool
	do
		PEERS_STDERR=ignore peers_git add $f || return 1
	done &&
	peers_same_index
'

test_expect_success 'clean filters, %f, required' '
	peers_init &&
	peers_do "printf \"*.up filter=up\\n*.req filter=req\\n*.none filter=none\\n*.name filter=name\\n\" >.gitattributes" &&
	peers_do "stock config filter.up.clean \"tr a-z A-Z\" && stock config filter.req.clean false && stock config filter.req.required true" &&
	peers_do "stock config filter.name.clean \"sed s,x,%f,\"" &&
	peers_do "echo hello >a.up && echo hello >b.none && mkdir d && echo x >\"d/it s.name\"" &&
	peers_git add . &&
	peers_same_index &&
	peers_do "echo x >c.req" &&
	PEERS_STDERR=ignore peers_git add c.req &&
	test_grep "c.req: clean filter .req. failed" err.ours &&
	peers_same_index
'

test_expect_success 'a filter that fails but is not required leaves the content' '
	peers_init &&
	peers_do "echo \"* filter=f\" >.gitattributes && stock config filter.f.clean \"exit 3\" && echo x >file" &&
	PEERS_STDERR=ignore peers_git add . &&
	test_grep "external filter .exit 3. failed 3" err.ours &&
	peers_same_index
'

test_expect_success 'a filter that does not read its input' '
	peers_init &&
	peers_do "echo \"*.t filter=f\" >.gitattributes && stock config filter.f.clean \"echo constant\"" &&
	peers_do "yes | head -c 300000 >big.t" &&
	PEERS_STDERR=ignore peers_git add . &&
	peers_same_index
'

write_script rot13-filter /usr/bin/perl <<'EOS'
use strict;
binmode STDIN; binmode STDOUT; $| = 1;
open my $log, '>>', $ENV{ROT13_LOG} or die;
sub rpkt { my $h; read(STDIN, $h, 4) == 4 or return; my $n = hex $h; return '' if !$n;
	my $b; read(STDIN, $b, $n - 4); return $b }
sub wpkt { print sprintf('%04x', 4 + length $_[0]), $_[0] }
sub flushp { print '0000' }
rpkt(); rpkt(); rpkt();
wpkt("git-filter-server\n"); wpkt("version=2\n"); flushp();
while (my $c = rpkt()) { } 
wpkt("capability=clean\n"); wpkt("capability=smudge\n"); flushp();
print $log "start\n";
while (defined(my $l = rpkt())) {
	my %r;
	while ($l ne '') { chomp $l; my ($k, $v) = split /=/, $l, 2; $r{$k} = $v; $l = rpkt() }
	my $data = '';
	while ((my $p = rpkt()) ne '') { $data .= $p }
	print $log "$r{command} $r{pathname} " . length($data) . "\n"; $log->flush;
	if ($r{pathname} =~ /fail/) { wpkt("status=error\n"); flushp(); next }
	if ($r{pathname} =~ /die/) { exit 1 }
	$data =~ tr/a-zA-Z/n-za-mN-ZA-M/;
	wpkt("status=success\n"); flushp();
	while (length $data) { wpkt(substr($data, 0, 65516, '')) }
	flushp(); flushp();
}
EOS

test_expect_success 'one long-running filter process handles all files' '
	peers_init &&
	peers_do "echo \"*.r filter=rot\" >.gitattributes" &&
	peers_do "stock config filter.rot.process \"ROT13_LOG=log \\\"$PWD/rot13-filter\\\"\" && stock config filter.rot.required true" &&
	peers_do "echo log >.gitignore && echo hello >a.r && echo world >b.r && yes abc | head -c 200000 >c.r" &&
	peers_git add . &&
	peers_same_index &&
	sort theirs/log >l1 && sort ours/log >l2 && test_cmp l1 l2 &&
	test "$(grep -c start ours/log)" = 1
'

test_expect_success 'a filter process that fails or dies is reported; if required, add stops' '
	peers_do "echo x >fail.r" &&
	PEERS_STDERR=ignore peers_git add fail.r &&
	peers_do "echo x >die.r" &&
	PEERS_STDERR=ignore peers_git add die.r &&
	peers_do "stock config filter.rot.required false" &&
	PEERS_STDERR=ignore peers_git add fail.r &&
	peers_same_index
'

test_done
