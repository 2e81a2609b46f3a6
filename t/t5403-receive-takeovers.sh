#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='receive-pack: refs that proc-receive takes over, work trees that follow, signed pushes'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-receive.sh"

test_expect_success 'a client' '
	client_work
'

# proc_hook: proc-receive of "s"; it answers by the names of refs
proc_hook () {
	mkdir -p s/hooks && cat >s/hooks/proc-receive <<-\EOF && chmod +x s/hooks/proc-receive
	#!/usr/bin/env perl
	use strict;
	$| = 1;
	sub get { my ($h, $b); read(STDIN, $h, 4) == 4 or exit 9; my $n = hex $h or return; read(STDIN, $b, $n - 4); chomp $b; $b }
	sub put { printf "%04x%s\n", length($_[0]) + 5, $_[0] }
	while (defined(my $l = get())) { $l =~ s/\0/ NUL /; print STDERR "hello $l\n" }
	put("version=1\0push-options");
	print "0000";
	my @names;
	while (defined(my $l = get())) { print STDERR "command $l\n"; push @names, (split / /, $l)[2] }
	if ($ENV{GIT_PUSH_OPTION_COUNT}) { while (defined(my $l = get())) { print STDERR "option $l\n" } }
	for (@names) {
		if (/bad/) { put("ng $_ because of it") }
		elsif (/fall/) { put("ok $_"); put("option fall-through") }
		elsif (/two/) { put("ok $_"); put("option refname refs/pull/1/head"); put("ok $_"); put("option refname refs/pull/2/head") }
		elsif (/hangup/) { exit 0 }
		elsif (!/silent/) { put("ok $_"); put("option refname refs/pull/9/head") }
	}
	put("ok refs/for/stranger");
	print "0000";
	EOF
}
proc_server () {
	server s && git -C s config receive.procReceiveRefs "$1" && git -C s config receive.advertisePushOptions true && proc_hook
}

test_expect_success PERL 'refs that the hook takes over' '
	proc_server refs/for && refs s >before && test_must_fail push s main:refs/for/x main:refs/for/bad main:refs/for/two main:refs/for/silent main:normal &&
	grep "main -> refs/pull/9/head" out && grep "main -> refs/pull/1/head" out && grep "main -> refs/pull/2/head" out &&
	grep "bad (because of it)" out && grep "silent (proc-receive failed to report status)" out &&
	grep "unknown ref: refs/for/stranger" out && refs s >now &&
	sort before | comm -13 - now >lines && test_line_count = 1 lines && grep "refs/heads/normal" lines
'

test_expect_success PERL 'refs that proc-receive hands back; push options; input of post-receive' '
	proc_server refs/for && cat >s/hooks/post-receive <<-EOF && chmod +x s/hooks/post-receive &&
	#!/bin/sh
	cut -d" " -f3 >"$PWD/heard"
	EOF
	push s -o opt main:refs/for/fall main:refs/for/x && grep "remote: option opt" out && git -C s rev-parse -q --verify refs/for/fall &&
	printf "refs/for/fall\nrefs/pull/9/head\n" >expect && test_cmp expect heard
'

test_expect_success PERL 'proc-receive gets the commands that its kinds, prefixes and exceptions select' '
	proc_server ad:refs/for && git -C s update-ref refs/for/x main~1 && push s main:refs/for/x && ! grep remote: out &&
	push s :refs/for/x && grep "remote: command" out && push s main:refs/forest/x && ! grep remote: out &&
	proc_server "!:refs/heads" && push s main:new && ! grep remote: out && push s main:refs/other/new && grep "remote: command" out
'

test_expect_success PERL 'a hook that is missing, that fails, that hangs up, in an atomic push' '
	proc_server refs/for && refs s >before && test_must_fail push s --atomic main:refs/for/bad main:new && unchanged s &&
	test_must_fail push s main:refs/for/hangup && grep "fail to run proc-receive hook" out && unchanged s &&
	write_script s/hooks/proc-receive <<-\EOF && test_must_fail push s main:refs/for/x && unchanged s &&
	exit 1
	EOF
	rm s/hooks/proc-receive && test_must_fail push s main:refs/for/x && grep "cannot find hook" out && unchanged s
'

test_expect_success PERL 'proc-receive: its answers stand if it fails later or other refs are refused' '
	proc_server refs/for && sed -i "\$s/.*/exit 3;/" s/hooks/proc-receive && test_must_fail push s main:refs/for/x main:refs/for/silent &&
	grep "main -> refs/pull/9/head" out && grep "silent (fail to run proc-receive hook)" out &&
	proc_server refs/for && write_script s/hooks/update <<-\EOF && test_must_fail push s --atomic main:refs/for/x main:new main:other && grep "main -> refs/pull/9/head" out &&
	test "$1" != refs/heads/new
	EOF
	grep "new (hook declined)" out && grep "other (atomic push failure)" out && test_must_fail git -C s rev-parse -q --verify other &&
	rm s/hooks/update && sed -i "s/^my @names;\$/put(\"option forced-update\"); put(\"strange\"); my @names;/; s/^put(.ok refs.for.stranger.);/put(\"strange\");/" s/hooks/proc-receive &&
	push s main:refs/for/y && grep "incomplete status line: strange" out
'

test_expect_success PERL 'a hook that answers while it reads' '
	proc_server refs/for && sed -i "s/push @names, (split .*/put(\"ok \" . (split \/ \/, \$l)[2]); }/; s/print STDERR \"command .l.n\";//" s/hooks/proc-receive &&
	oid=$(git -C work rev-parse main) && for i in $(test_seq 4000); do echo "create refs/heads/n$i $oid"; done | git -C work update-ref --stdin &&
	timeout 500 git -C work push -q ../s "refs/heads/n*:refs/for/n*" 2>err && ! grep "rejected" err
'

test_expect_success PERL,STRACE,JOURNAL,FSYNC_BATCH 'one flush, also if the hook takes all refs, or the others fail' '
	proc_server refs/for && on_journal disk && cp -r s disk/s && test_commit -C work proc1 &&
	n=$(count_flushes git -C work push -q "$PWD/disk/s" main:refs/for/x) && test "$n" = 1 && test_commit -C work proc2 &&
	write_script disk/s/hooks/update <<-\EOF && n=$(count_flushes sh -c "! git -C work push -q --atomic \"$PWD/disk/s\" main:refs/for/x main:new") && test "$n" = 1 &&
	exit 1
	EOF
	rm disk/s/hooks/update && test_commit -C work proc3 && write_script disk/s/hooks/reference-transaction <<-\EOF &&
	test "$1" != prepared
	EOF
	n=$(count_flushes sh -c "! git -C work push -q \"$PWD/disk/s\" main:refs/for/x main:new") && test "$n" = 1
'

deployed () {
	test "$(git -C tree rev-parse HEAD)" = "$(git -C work rev-parse "$1")" && test -z "$(git -C tree status --porcelain)"
}

test_expect_success 'a clean work tree follows the push' '
	git clone -q work tree && git -C tree reset -q --hard HEAD~1 && git -C tree config receive.denyCurrentBranch updateInstead &&
	echo dirty >>tree/f1 && test_must_fail push tree main && grep "Working directory has unstaged changes" out &&
	git -C tree add . && test_must_fail push tree main && grep "Working directory has staged changes" out &&
	git -C tree reset -q --hard && push tree main && deployed main && push tree +main~2:main && deployed main~2 &&
	rm -rf tree && git init -q -b main tree && git -C tree config receive.denyCurrentBranch updateInstead && push tree main && deployed main
'

test_expect_success 'a linked one, too' '
	git -C tree branch side main~1 && link_worktree tree/.git wt linked side &&
	git -C linked reset -q --hard && push tree main:side && test "$(git -C linked rev-parse HEAD)" = "$(git -C work rev-parse main)" &&
	test -z "$(git -C linked status --porcelain)"
'

test_expect_success 'push-to-checkout does it instead' '
	git -C tree reset -q --hard HEAD~1 && write_script tree/.git/hooks/push-to-checkout <<-\EOF && push tree main && deployed main &&
	echo "dir $GIT_DIR tree $GIT_WORK_TREE" && git read-tree -u -m HEAD "$1"
	EOF
	grep "remote: dir $PWD/tree/.git tree $PWD/tree" out && write_script tree/.git/hooks/push-to-checkout <<-\EOF &&
	exit 1
	EOF
	test_must_fail push tree +main~1:main && grep "push-to-checkout hook declined" out && deployed main
'

test_lazy_prereq SSHSIGN 'ssh-keygen -q -t ed25519 -N "" -f k && echo x >f && ssh-keygen -Y sign -n git -f k f'

test_expect_success SSHSIGN 'signed pushes: hooks get the certificate, and decide' '
	server s && git -C s config receive.certNonceSeed secret && ssh-keygen -q -t ed25519 -N "" -f "$HOME/key" &&
	echo "me@example.com $(cat "$HOME/key.pub")" >"$HOME/allowed" && git config --global gpg.format ssh &&
	git config --global gpg.ssh.allowedSignersFile "$HOME/allowed" && git config --global user.signingKey "$HOME/key" &&
	write_script s/hooks/pre-receive <<-EOF &&
	env | grep ^GIT_PUSH_CERT | sort >"$PWD/cert" && { test -z "\$GIT_PUSH_CERT" || git cat-file blob \$GIT_PUSH_CERT >"$PWD/blob"; }
	EOF
	push s --signed main:signed && grep "^GIT_PUSH_CERT_STATUS=G" cert && grep "^GIT_PUSH_CERT_NONCE_STATUS=OK" cert &&
	grep "^GIT_PUSH_CERT_SIGNER=me@example.com" cert && grep "^certificate version 0.1" blob && grep "^nonce " blob &&
	grep " refs/heads/signed$" blob && push s main:unsigned && test_must_be_empty cert &&
	push s --signed=if-asked main:asked && grep STATUS=G cert
'

test_expect_success SSHSIGN 'a certificate that was changed, or used before, is not good' '
	record s --signed main:again && sed "s,refs/heads/again,refs/heads/other," request >changed && say s changed &&
	grep "^GIT_PUSH_CERT_STATUS=[BN]" cert && grep "^GIT_PUSH_CERT_NONCE_STATUS=BAD" cert
'

test_expect_success SSHSIGN 'push options must equal the signed ones' '
	git -C s config receive.advertisePushOptions true && push s --signed -o one -o "two words" main:with-options && grep STATUS=G cert &&
	record s --signed -o one -o "two words" main:options && : >cert && refs s >before &&
	for change in s/0007one/0007two/ s/0007one// s/0007one/0007one0007one/ "s/0007one000dtwo words/000dtwo words0007one/" \
		s/0007one/0008one1/ "s/\(000dtwo words\)0000/\10007one0000/" "s/0007one000dtwo words//"
	do
		LC_ALL=C sed "$change" request >changed && ! cmp -s request changed && test_might_fail say s changed && grep -a "ng refs/heads/options inconsistent push options" answer &&
		test_must_be_empty cert && refs s >now && test_cmp before now || { echo "$change" >&4; return 1; }
	done &&
	git -C s config --unset receive.advertisePushOptions
'

test_expect_success 'an atomic push that has failed here is not signed' '
	rm -rf atomic && git init -q --bare atomic && git -C atomic config receive.certNonceSeed secret && push atomic main &&
	write_script signer <<-EOF && test_must_fail git -C work -c gpg.format=openpgp -c gpg.program="$PWD/signer" push --atomic --signed ../atomic main~1:main main:new >out 2>&1 &&
	: >"$PWD/was-asked"
	exit 1
	EOF
	grep "atomic push failed" out && test_path_is_missing was-asked &&
	test_must_fail git -C work -c gpg.format=openpgp -c gpg.program="$PWD/signer" push --atomic --signed ../atomic main:new >out 2>&1 && test_path_is_file was-asked
'

test_expect_success SSHSIGN 'without a secret there are no certificates' '
	git -C s config --unset receive.certNonceSeed && test_must_fail push s --signed main:no && grep "does not support --signed push" out
'

test_expect_success GPG 'signed by gpg' '
	GNUPGHOME=$(mktemp -d /tmp/sluice-gpg-XXXXXX) && export GNUPGHOME && test_when_finished "gpgconf --kill all; rm -rf $GNUPGHOME; unset GNUPGHOME" &&
	gpg --batch -q --passphrase "" --quick-gen-key "T <t@example.com>" default default never 2>/dev/null && server s &&
	git -C s config receive.certNonceSeed secret && git -C s config gpg.format openpgp &&
	git -C work config gpg.format openpgp && git -C work config user.signingKey t@example.com && write_script s/hooks/pre-receive <<-EOF &&
	env | grep ^GIT_PUSH_CERT | sort >"$PWD/cert"
	EOF
	push s --signed main:signed && grep "^GIT_PUSH_CERT_STATUS=G" cert && grep "^GIT_PUSH_CERT_NONCE_STATUS=OK" cert &&
	grep "^GIT_PUSH_CERT_SIGNER=T <t@example.com>" cert && grep "^GIT_PUSH_CERT_KEY=." cert && git -C s rev-parse -q --verify signed
'

test_done
