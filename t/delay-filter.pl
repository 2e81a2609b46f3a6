#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# delay-filter.pl [OPTIONS] LOG: a long-running filter (gitattributes(5)) that turns letters by
# 13 places and may delay its answers. What it was asked goes to LOG, a line each. The name of
# a file says what becomes of it:
#
#	NAME.dN		delayed; offered in the N-th list, or in the next one after that
#	NAME.never	delayed, but never offered
#	NAME.error, NAME.abort, NAME.die, NAME.junk
#			answered with this status; death; bytes that are no packet
#	NAME.d1.error, ...	the same, but only when it is asked for the second time
#	NAME.half	success, then half of the content, then the status error
#	NAME.wait	answered when there is a file of the name in --await
#	anything else	answered at once
#
#	--no-delay	does not offer the capability
#	--tag=TEXT	written in front of each content
#	--stranger=PATH	the first list offers PATH as well
#	--list=error|abort|die|junk|nostatus	what becomes of the first list
#	--await=PATH	the first list is not answered until there is such a file
#	--run=COMMAND	run before the first list is answered
use strict;
use warnings;

my (%o, $asked, %delayed);
while (@ARGV && $ARGV[0] =~ /^--([a-z-]+)(?:=(.*))?$/) {
	$o{$1} = $2 // 1;
	shift @ARGV;
}
binmode STDIN;
binmode STDOUT;
$| = 1;
open my $log, '>>', $ARGV[0] or die "no log: $!";
$log->autoflush(1);

# A packet; '' for a flush packet; undef at the end.
sub packet {
	my ($head, $text) = ('', '');
	read(STDIN, $head, 4) == 4 or return undef;
	my $len = hex $head or return '';
	read(STDIN, $text, $len - 4) if $len > 4;
	return $text;
}

# Packets up to a flush packet, in one piece. The end of the input ends the program.
sub section {
	my $text = '';
	for (;;) {
		my $p = packet();
		defined $p or exit 0;
		$p eq '' and return $text;
		$text .= $p;
	}
}

sub put { printf '%04x%s', 4 + length $_, $_ for @_ }
sub end { print '0000' }
sub status { put("status=$_[0]\n"); end() }

sub misbehave {
	my ($how) = @_;
	exit 3 if $how eq 'die';
	if ($how eq 'junk') {
		print "zzzzThis is no packet";
		exit 3;
	}
	status($how);
}

sub answer {
	my ($path, $data) = @_;
	$data =~ tr/a-zA-Z/n-za-mN-ZA-M/;
	$data = $o{tag} . $data if $o{tag};
	status('success');
	$data = substr $data, 0, length($data) / 2 if $path =~ /\.half$/;
	put(substr $data, 0, 65516, '') while length $data;
	end();
	if ($path =~ /\.half$/) { status('error') } else { end() }
}

sub smudge {
	my ($path, $can_delay, $data) = @_;
	my ($delay) = $path =~ /\.(d\d+|never)\b/;
	my ($fault) = $path =~ /\.(error|abort|die|junk)$/;

	if (exists $delayed{$path}) {
		$data = delete($delayed{$path})->{data};
	} elsif ($can_delay && $delay) {
		my ($round) = $delay =~ /(\d+)/;
		$delayed{$path} = { data => $data, round => $round };
		return status('delayed');
	}
	wait_until(sub { -e $o{await} }) if $path =~ /\.wait$/;
	return misbehave($fault) if $fault;
	answer($path, $data);
}

sub wait_until {
	my ($done) = @_;
	for (1 .. 1000) {
		return if $done->();
		select undef, undef, undef, 0.01;
	}
	print $log "waited in vain\n";
}

sub list {
	my $first = !$asked++;
	my $how = $first ? $o{list} // '' : '';
	wait_until(sub { -e $o{await} }) if $first && $o{await};
	system $o{run} if $first && $o{run};
	return misbehave($how) if $how eq 'die' || $how eq 'junk';
	# Nobody is kept waiting for a later list: the next one to come is it.
	my @waiting = grep { defined $delayed{$_}{round} && !$delayed{$_}{offered} } sort keys %delayed;
	my ($round) = sort { $a <=> $b } map { $delayed{$_}{round} } @waiting;
	for my $path (@waiting) {
		next if $delayed{$path}{round} > ($round > $asked ? $round : $asked);
		$delayed{$path}{offered} = 1;
		put("pathname=$path\n");
	}
	put("pathname=$o{stranger}\n") if $first && $o{stranger};
	end();
	return end() if $how eq 'nostatus';
	status($how || 'success');
}

section() =~ /^git-filter-client\nversion=2\n$/ or die 'not welcomed';
put("git-filter-server\n", "version=2\n");
end();
print $log "start ", join(' ', sort grep { s/^capability=// } split /\n/, section()), "\n";
put("capability=clean\n", "capability=smudge\n");
put("capability=delay\n") unless $o{'no-delay'};
end();
for (;;) {
	my @lines = split /\n/, section();
	my %r = map { split /=/, $_, 2 } @lines;
	my ($command, $path) = ($r{command}, $r{pathname});
	if ($command eq 'list_available_blobs') {
		print $log "list\n";
		list();
		next;
	}
	my $data = section();
	my @more = grep { /^(can-delay|ref|treeish|blob)=/ } @lines;
	print $log join(' ', $command, $path, length $data, @more), "\n";
	if ($command eq 'smudge') { smudge($path, $r{'can-delay'}, $data) }
	else { answer($path, $data) }
}
