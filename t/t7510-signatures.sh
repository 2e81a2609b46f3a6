#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='signatures by ssh-keygen, gpg and gpgsm: made and checked compared with stock git'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"
. "$TEST_DIRECTORY/lib-branch-peers.sh"

unset SSH_AUTH_SOCK SSH_AGENT_PID
mkdir "$HOME/tmp"
TMPDIR=$HOME/tmp
export TMPDIR

test_lazy_prereq SSH '
	ssh-keygen -q -t ed25519 -N "" -f k && echo "x $(cat k.pub)" >allowed && echo x >f &&
	ssh-keygen -Y sign -n git -f k f && ssh-keygen -Y find-principals -f allowed -s f.sig &&
	ssh-keygen -Y verify -n git -f allowed -I x -s f.sig -Overify-time=20231114221320 <f
'

if ! test_have_prereq SSH; then
	skip_all='no ssh-keygen that signs'
	test_done
fi

case $TEST_HASH in
sha256) SIG=gpgsig-sha256 OTHER=gpgsig ;;
*) SIG=gpgsig OTHER=gpgsig-sha256 ;;
esac

key () { # NAME [OPTIONS IN ALLOWED]: a key that may sign; without options, one that may not
	ssh-keygen -q -t ed25519 -N "" -C "$1" -f "$HOME/$1" &&
	if test $# -gt 1; then
		echo "$1@example.com $2 $(cat "$HOME/$1.pub")" >>"$HOME/allowed"
	fi
}

# Stock 2.39 leaves its files with literal keys and signatures; nobody else leaves anything.
no_temp_files () {
	ls -A "$TMPDIR" | grep -v "^\.git_signing_[bk]" >left
	test_must_be_empty left
}

# object TYPE NAME SED-SCRIPT: the object, changed, in both; prints its name.
object () {
	stock -C theirs cat-file $1 $2 | sed "$3" >object.text &&
	for side in ours theirs; do
		stock -C $side hash-object -t $1 -w --literally --stdin <object.text || return 1
	done | tail -n 1
}

# Programs may end before they have read what they check; stock git may then be ended by
# SIGPIPE. Through these it never is. What has been asked before is not asked again: both have the same answer.
test_expect_success 'set up: programs' '
	mkdir answers && write_script drain <<-\EOF && write_script gdrain <<-\EOF
	case $2 in
	verify|check-novalidate|find-principals) exec "$GIT_BUILD_DIR/t/helper/remember" "$HOME/answers" ssh-keygen "$@" ;;
	esac
	exec ssh-keygen "$@"
	EOF
	case " $* " in
	*" --verify "*) exec "$GIT_BUILD_DIR/t/helper/remember" "$HOME/answers" gpg "$@" ;;
	esac
	exec gpg "$@"
	EOF
'

test_expect_success 'set up: keys, and a history that is signed by them' '
	key one "" && key two "namespaces=\"git\"" && key late "valid-after=\"20300101\"" &&
	key old "valid-before=\"20200101\"" && key other "namespaces=\"file\"" &&
	key gone "" && key stranger && key "with space" && cp "$HOME/gone.pub" "$HOME/revoked" &&
	echo "second@example.com $(cat "$HOME/two.pub")" >>allowed &&
	peers_init -b main && cd theirs &&
	stock config gpg.format ssh && stock config gpg.ssh.program ../drain && stock config user.signingkey "~/one" &&
	stock config gpg.ssh.allowedSignersFile "~/allowed" &&
	stock config gpg.ssh.revocationFile "~/revoked" &&
	for k in one two late old other gone stranger; do
		stock commit -q --allow-empty -S"$HOME/$k" -m "by $k" -m "body" &&
		stock branch "by-$k" &&
		stock tag -u "$HOME/$k" -m "tag by $k" "t-$k" || return 1
	done &&
	stock commit -q --allow-empty -m unsigned && stock tag -m unsigned t-none &&
	stock tag light && stock checkout -q -b side main~2 &&
	stock commit -q --allow-empty -S -m "on the side" && stock tag -s -m "side tag" t-side &&
	stock checkout -q -b fourth main~4 && stock commit -q --allow-empty -m fourth &&
	stock checkout -q -b third main~3 && stock commit -q --allow-empty -m third &&
	stock tag -u "$HOME/stranger" -m "third tag" t-third && stock checkout -q main &&
	stock merge -q -S -m merged t-side && stock merge -q -m octopus t-third fourth &&
	stock branch octopus && cd .. && rm -rf ours && cp -R theirs ours
'

# ---- signing ----------------------------------------------------------------

# Signatures of these keys are the same each time: so are the objects.
test_expect_success 'the same objects: path, path with blanks, ~, literal keys' '
	T=$EMPTY_TREE &&
	for key in "$HOME/one" "~/one" ../one "../with space" ../two.pub; do
		peers_git commit-tree -S"$key" -m x $T &&
		peers_git -c user.signingkey="$key" commit-tree -S -m x $T || return 1
	done &&
	peers_git commit-tree -S -m x -p main $T &&
	stock -C theirs verify-commit $(cat out.ours) 2>err && test_grep "Good .git. signature for one" err &&
	peers_each <<-\EOF &&
	tag -s -m one s1
	tag -u "../with space" -m two s2
	-c tag.gpgSign=true tag -m three s3
	-c user.signingkey=../two tag -s -F ../allowed s4
	-c commit.gpgSign=true commit -q --allow-empty -m "signed by default"
	-c gpg.ssh.defaultKeyCommand=false commit -q -S --allow-empty -m "not asked for"
	commit -q --allow-empty -S../two -m again
	EOF
	stock -C ours verify-commit HEAD HEAD~1 HEAD~2 && stock -C ours verify-tag s1 s3 s4 &&
	stock -C ours fsck && no_temp_files
'

# both ARGS: in ours, by us and by stock git; both ask the same of ssh-keygen and say the same.
both () {
	rm -f asked && stock -C ours -c gpg.ssh.program=../fake "$@" >out.s 2>err.s
	mv asked asked.s && git -C ours -c gpg.ssh.program=../fake "$@" >out.o 2>err.o
	test_cmp asked.s asked && test_cmp out.s out.o && no_temp_files
}

test_expect_success 'commit and verify-commit run ssh-keygen with these arguments' '
	write_script fake <<-\EOF &&
	echo "$@" | sed "s#$TMPDIR/[^ ]*#FILE#g" >>"$HOME/asked"
	for file; do :; done
	if test "$2" = sign; then
		cp "$file" "$HOME/payload"
		ls -l "$file" $(test "${6#$TMPDIR}" = "$6" || echo "$6") | cut -c1-10 >>"$HOME/asked"
	fi
	exec "$HOME/drain" "$@"
	EOF
	both commit-tree -S -m x $EMPTY_TREE && test_grep "^-rw-------" asked &&
	stock -C ours cat-file commit $(cat out.o) | sed "/^$SIG/,/^ -----END/d" >expect &&
	test_cmp expect payload && both commit-tree -S"$(cat one.pub)" -m x $EMPTY_TREE &&
	test_grep "FILE FILE" asked &&
	for c in by-one by-two by-stranger by-gone by-late main; do
		both log -1 --format=%G? $c && both verify-commit $c || return 1
	done && both verify-commit by-one && test_grep "Overify-time=2023" asked && cp asked utc &&
	(TZ=JST-9 && export TZ && both verify-commit by-one) && ! cmp asked utc
'

test_expect_success 'a key that an agent holds: literal, by command; one that refuses' '
	sock=$(mktemp -d /tmp/sluice-agent-XXXXXX) && test_when_finished "rm -rf $sock" &&
	eval "$(ssh-agent -a $sock/a)" >/dev/null &&
	test_when_finished "kill $SSH_AGENT_PID; unset SSH_AUTH_SOCK SSH_AGENT_PID" &&
	ssh-add -q "$HOME/one" && cp one.pub pub && public=$(cat one.pub) && T=$EMPTY_TREE &&
	peers_git commit-tree -S"$public" -m x $T &&
	peers_git commit-tree -S"key::$public" -m x $T &&
	peers_git commit-tree -S../pub -m x $T &&
	peers_do "stock config --unset user.signingkey" &&
	peers_git -c gpg.ssh.defaultKeyCommand="cat ../one.pub" commit-tree -S -m x $T &&
	PEERS_STDERR=ignore peers_git -c gpg.ssh.defaultKeyCommand="cat \"../with space.pub\" ../one.pub" \
		commit-tree -S -m x $T &&
	peers_do "stock config user.signingkey \"~/one\"" &&
	ssh-add -q -D && SSH_ASKPASS=false ssh-add -q -c "$HOME/one" &&
	PEERS_STDERR=ignore peers_git commit-tree -S"$public" -m x $T &&
	test_grep "agent refused" err.ours &&
	stock -C ours rev-parse main >before && stock -C ours count-objects >>before &&
	test_must_fail git -C ours -c user.signingkey="$public" commit -S --allow-empty -m x &&
	test_must_fail git -C ours -c user.signingkey="$public" tag -s -m x refused &&
	stock -C ours rev-parse main >after && stock -C ours count-objects >>after &&
	test_cmp before after && test_must_fail stock -C ours rev-parse -q --verify refs/tags/refused &&
	no_temp_files
'

# Left out: tags that stock 2.39 makes without a signature when ssh-keygen fails.
test_expect_success 'signing that fails, with the same messages' '
	peers_do "stock config --unset user.signingkey" && stock -C ours count-objects -v >before &&
	write_script usage <<-\EOF && write_script garbage <<-\EOF &&
	echo "unknown option -- Y" >&2; echo "usage: ssh-keygen" >&2; exit 1
	EOF
	for last; do :; done; echo junk >$last.sig; exit 3
	EOF
	T=$EMPTY_TREE &&
	peers_each true <<-EOF &&
	commit --allow-empty -S -m x
	commit-tree -S -m x $T
	tag -s -m x none
	-c user.signingkey= commit-tree -S -m x $T
	-c user.signingkey=../nosuch commit --allow-empty -S -m x
	-c user.signingkey=../nosuch commit-tree -S -m x $T
	-c user.signingkey=../one -c gpg.ssh.program=../usage commit-tree -S -m x $T
	-c user.signingkey=../one -c gpg.ssh.program=../garbage commit-tree -S -m x $T
	-c user.signingkey=../one -c gpg.ssh.program=false commit-tree -S -m x $T
	!-c user.signingkey=../one -c gpg.ssh.program=true commit-tree -S -m x $T
	!-c user.signingkey=../one -c gpg.ssh.program=nosuch commit-tree -S -m x $T
	!-c user.signingkey=../one -c gpg.ssh.program=/nosuch commit --allow-empty -S -m x
	!-c user.signingkey=ssh-rsa commit-tree -S -m x $T
	!-c user.signingkey=key:: commit-tree -S -m x $T
	-c gpg.ssh.defaultKeyCommand=false commit-tree -S -m x $T
	-c gpg.ssh.defaultKeyCommand="echo words" commit-tree -S -m x $T
	-c gpg.ssh.defaultKeyCommand=nosuch commit-tree -S -m x $T
	!-c gpg.ssh.defaultKeyCommand="echo \"x" commit-tree -S -m x $T
	-c user.signingkey=../one -c gpg.format=SSH commit-tree -S -m x $T
	-c user.signingkey=../one -c gpg.minTrustLevel=most commit-tree -S -m x $T
	EOF
	for key in foo ssh.foo openpgp.foo strange.program; do
		peers_git -c gpg.$key -c user.signingkey=../one commit-tree -S -m x $T || return 1
	done &&
	for key in gpg.format gpg.minTrustLevel gpg.program gpg.ssh.program user.signingkey; do
		test_expect_code 128 git -C ours -c $key commit-tree -S -m x $T 2>err && test_grep "missing value" err || return 1
	done &&
	peers_do "stock config gpg.format pgp" && peers_git commit --allow-empty -S -m x &&
	test_grep "^fatal: bad config variable .gpg.format. in file" err.ours &&
	peers_do "stock config gpg.format ssh; stock config user.signingkey \"~/one\"" &&
	for program in true false ../usage nosuch; do
		test_must_fail git -C ours -c gpg.ssh.program=$program tag -s -m x none || return 1
	done &&
	test_must_fail git -C ours -c user.signingkey=../nosuch tag -s -m x none &&
	test_must_fail git -C ours rev-parse -q --verify refs/tags/none &&
	stock -C ours count-objects -v >after && test_cmp before after && no_temp_files
'

test_expect_success 'no directory for temporary files' '
	(TMPDIR=$HOME/nosuch && export TMPDIR &&
	 test_must_fail git -C ours commit-tree -S -m x $EMPTY_TREE 2>err &&
	 test_grep "nosuch/.git_signing_tmp" err &&
	 test_must_fail git -C ours verify-commit by-one 2>err &&
	 test_grep "^error: .*nosuch/.git_vtag_tmp" err &&
	 git -C ours log -1 --format=%G? by-one >out 2>/dev/null && echo N >expect && test_cmp expect out)
'

test_expect_success 'ended by a signal: no temporary file is left' '
	write_script killer <<-\EOF &&
	ls -A "$TMPDIR" >"$HOME/there"
	kill -TERM $PPID
	EOF
	for args in "commit-tree -S -m x $EMPTY_TREE" "verify-commit by-one" "log --format=%G? by-one" \
		"-c user.signingkey=ssh-x tag -s -m x none"; do
		rm -f there && test_expect_code 143 git -C ours -c gpg.ssh.program=../killer $args &&
		test_file_not_empty there && no_temp_files || return 1
	done
'

# ---- checking ---------------------------------------------------------------

test_expect_success 'verify-commit' '
	for c in by-one by-two by-late by-old by-other by-gone by-stranger main~2 main side nosuch t-one \
		HEAD: $ZERO_OID; do
		for o in "" --verbose "-v --raw"; do
			peers_git verify-commit $o $c || return 1
		done
	done &&
	peers_git verify-commit by-one nosuch by-gone by-two && peers_git verify-commit &&
	peers_git verify-commit -h && peers_git verify-commit --nosuch by-one && no_temp_files
'

test_expect_success 'verify-tag, tag -v' '
	for t in t-one t-two t-late t-old t-other t-gone t-stranger t-none light nosuch HEAD: main; do
		for o in "" "-v --raw" --format="%(refname)|%(tag)%(objectname)" \
			--format= "-v --format=%(tag)" "--format=%(tag" "--format=%(nosuch)"; do
			peers_git verify-tag $o $t || return 1
		done &&
		peers_git tag -v $t && peers_git tag -v --format="%(refname) %(taggername)" $t || return 1
	done &&
	peers_git verify-tag t-one nosuch t-gone t-two && peers_git verify-tag &&
	peers_git verify-tag -h && PEERS_STDERR=ignore peers_git tag -v --format="%(tag" t-one &&
	peers_git tag -v --format="%(nosuch)" t-one &&
	git -C ours -c color.ui=always verify-tag --format="%(color:red)%(tag)" t-one >out &&
	echo t-one >expect && test_cmp expect out && # only git tag heeds color.ui
	git -C ours -c color.ui=always tag -v --format="%(color:red)%(tag)" t-one >out &&
	printf "\033[31mt-one\033[m\n" >expect && test_cmp expect out && no_temp_files
'

test_expect_success 'log: placeholders' '
	format="%h %G?|%GS|%GK|%GF|%GP|%GT|%GG|%Gx" &&
	write_script deaf <<-\EOF &&
	cat >/dev/null; exit 1
	EOF
	peers_git log --format="$format" && test_grep "G|one@example.com|SHA256:" out.ours &&
	test_grep " B|||||never|" out.ours && test_grep " U||SHA256" out.ours &&
	for c in allowedSignersFile=../one.pub allowedSignersFile=/nosuch allowedSignersFile= \
		revocationFile=nosuch revocationFile=../allowed program=../deaf; do
		peers_git -c gpg.ssh.$c log --format="$format" || return 1
	done &&
	peers_git -c gpg.ssh.program=nosuch log --format="%h %G? %GT" &&
	peers_git -c gpg.minTrustLevel=most log --format=%G? &&
	peers_git log --format="%<(5)%G?|%>(30)%GS|%+GS%-GP" by-one &&
	peers_do "stock config --unset gpg.ssh.allowedSignersFile" &&
	peers_git log --format="%h %G?%GS%GG" && test_grep "needs to be configured" err.ours &&
	peers_git verify-commit by-one && peers_git log --show-signature by-one &&
	git -C ours log -1 --format=%GT by-one >out && echo undefined >expect && test_cmp expect out &&
	peers_do "stock config gpg.ssh.allowedSignersFile \"~/allowed\"" && no_temp_files
'

test_expect_success 'log --show-signature, with tags that were merged' '
	for o in "" --oneline --graph "--graph --oneline" --format=%h "--format=%h --graph" \
		"--color=always" "--graph --color=always --oneline" "-p --stat" -g "-g --oneline" \
		"--graph --log-size" "-m --raw" --format= "-z --format=%s" --no-show-signature \
		"--reverse --oneline"; do
		peers_git log --show-signature $o main by-late by-gone || return 1
	done &&
	peers_git log --show-signature main && test_grep "^merged tag .t-side." out.ours &&
	test_grep "^parent #2, tagged .t-third." out.ours &&
	peers_git -c log.showSignature=true log -2 by-one &&
	peers_git -c log.showSignature=true log --no-show-signature -2 by-one &&
	peers_git -c log.showSignature=maybe log -2 by-one &&
	moved=$(object commit octopus "s/^mergetag object .*/mergetag object $(stock -C theirs rev-parse by-one)/") &&
	peers_git log -1 --show-signature $moved && test_grep "names a non-parent" out.ours &&
	for script in "s/^mergetag object .*/mergetag object x/" \
		"/^ -----BEGIN/,/^ -----END/d" "s/^ tagger/ x-extra y\\n&/" "s/^ tagger.*/ tagger nobody/"; do
		c=$(object commit octopus "$script") && git -C ours log -1 --show-signature $c >out &&
		case $script in
		*"object x/"*) test_grep "^malformed mergetag" out ;;
		*) peers_git log -1 --show-signature --color=always $c ;;
		esac || { echo "$script"; return 1; }
	done && no_temp_files
'

test_expect_success 'for-each-ref, branch, tag: %(signature)' '
	format="%(refname:short) %(signature:grade)|%(signature:signer)|%(signature:key)" &&
	format="$format|%(signature:fingerprint)|%(signature:primarykeyfingerprint)" &&
	format="$format|%(signature:trustlevel)|%(signature)" &&
	git -C ours for-each-ref --format="$format" refs/heads >actual &&
	for b in $(stock -C ours for-each-ref --format="%(refname:short)" refs/heads); do
		stock -C ours log -1 --format="$b %G?|%GS|%GK|%GF|%GP|%GT|%GG" $b || return 1
	done >expect &&
	test_cmp expect actual &&
	git -C ours branch --format="%(refname:short) %(signature:grade)" --list "by-*" >actual &&
	test_grep "by-gone B" actual && test_grep "by-one G" actual && test_grep "by-stranger U" actual &&
	git -C ours tag --list --format="[%(signature:grade)%(signature)] %(*signature:grade)" t-one >actual &&
	echo "[] G" >expect && test_cmp expect actual &&
	git -C ours for-each-ref --format="%(if:equals=G)%(signature:grade)%(then)%(refname)%(end)" \
		--omit-empty --sort=signature:signer refs/heads/by-* >actual &&
	printf "refs/heads/by-%s\n" one two >expect && test_cmp expect actual &&
	test_expect_code 128 git -C ours for-each-ref --format="%(signature:nosuch)" 2>err &&
	test_grep "unrecognized %(signature) argument: nosuch" err && no_temp_files
'

test_expect_success 'gpg.minTrustLevel' '
	for level in undefined never marginal fully Ultimate; do
		peers_git -c gpg.minTrustLevel=$level verify-commit by-one &&
		peers_git -c gpg.minTrustLevel=$level verify-commit by-stranger &&
		peers_git -c gpg.minTrustLevel=$level tag -v t-one || return 1
	done &&
	test_expect_code 0 git -C ours -c gpg.minTrustLevel=fully verify-commit by-one 2>err &&
	test_expect_code 1 git -C ours -c gpg.minTrustLevel=ultimate verify-commit by-one 2>err
'

test_expect_success 'a key with a certificate' '
	ssh-keygen -q -t ed25519 -N "" -f authority && key cert && cp allowed kept &&
	ssh-keygen -q -s authority -I id -n cert@example.com cert.pub &&
	echo "*@example.com cert-authority $(cat authority.pub)" >>allowed &&
	peers_git commit-tree -S../cert-cert.pub -m x $EMPTY_TREE && c=$(cat out.ours) &&
	peers_git verify-commit $c && peers_git log -1 --format="%G?|%GS|%GK" $c &&
	test_grep "^G|cert@example.com|SHA256" out.ours && cp kept allowed &&
	peers_git log -1 --format="%G?|%GS|%GK" $c && test_grep "^U||SHA256" out.ours && no_temp_files
'

# ---- malformed objects ------------------------------------------------------

same_of_commit () {
	for o in "" -v --raw; do
		peers_git verify-commit $o $1 || return 1
	done &&
	PEERS_STDERR=ignore peers_git log -1 --format="%G?|%GS|%GF|%GG" $1 &&
	PEERS_STDERR=ignore peers_git log -1 --show-signature $1
}

test_expect_success 'forged, broken and strange commits' '
	a=$(printf "\001") && { gpg -k 2>/dev/null || :; } &&
	for script in "s/^by one/forged/" "s/^committer.*/committer nobody/" "/^committer/d" \
		"s/^$SIG.*/$SIG -----BEGIN SSH SIGNATURE-----/; /^ U1N/,/^ -----END/d" \
		"s/^ U1N.*/ garbage/" "s/^ U1N.*/ $a&/" "s/^$SIG/$OTHER/" \
		"s/^$SIG/$OTHER something\\n else\\n&/" "s/^$SIG/x-extra y\\n&/" "s/^committer/x-extra y\\n&/" \
		"s/ SSH SIGN/ PGP SIGN/" "s/ -----END.*/&\\n trailing/" "s/ -----END.*/&\\r/" \
		"s/^committer.*> /committer C <c> -1/" "s/^by one/$SIG -----BEGIN SSH SIGNATURE-----/"; do
		c=$(object commit by-one "$script") && same_of_commit $c || { echo "$script"; return 1; }
	done &&
	for script in "s/^$SIG .*/$SIG garbage/" "s/^$SIG .*/$SIG /" "s/^$SIG .*/$SIG one\\n&/"; do
		c=$(object commit by-one "$script") && peers_git verify-commit $c &&
		test_grep "^fatal: bad/incompatible signature" err.ours &&
		peers_git log -1 --format=%G? $c || { echo "$script"; return 1; }
	done && no_temp_files
'

test_expect_success 'forged, broken and strange tags' '
	for script in "s/^tag by one/forged/" "s/^tagger.*/tagger nobody/" "/^tagger/d" "s/^tagger/x-extra y\\n&/" \
		"s/^U1N.*/garbage/" "s/^tagger.*/&\\n$OTHER x\\n y/" "s/^tagger.*/&\\n$SIG x\\n y/" \
		"s/^tag by one/-----BEGIN PGP SIGNATURE-----/" "s/^-----END.*/&\\ntrailing/" \
		"s/ SSH SIGN/ FOO SIGN/"; do
		t=$(object tag t-one "$script") &&
		for o in "" -v --raw; do
			peers_git verify-tag $o $t || { echo "$script"; return 1; }
		done
	done && no_temp_files
'

test_expect_success 'a huge signature' '
	{
		stock -C theirs cat-file commit by-one | sed "/^$SIG/,\$d" &&
		echo "$SIG -----BEGIN SSH SIGNATURE-----" &&
		awk "BEGIN { for (i = 0; i < 20000; i++) print \" U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgqfzzNBOU6P5\" }" &&
		echo " -----END SSH SIGNATURE-----" && echo && echo huge
	} >huge &&
	for side in ours theirs; do
		c=$(stock -C $side hash-object -t commit -w --stdin <huge) || return 1
	done &&
	peers_git verify-commit $c && test_grep "Could not verify" err.ours &&
	peers_git log -1 --format=%G? $c && no_temp_files &&
	sed "s/^$SIG.*/$SIG garbage/" huge >huger && c=$(stock -C ours hash-object -t commit -w --stdin <huger) &&
	test_expect_code 128 git -C ours verify-commit $c 2>err && test_grep "bad/incompatible signature" err
'

test_expect_success 'a program that does not read what it checks' '
	t=$(object tag t-one "s/^U1N.*/garbage/") &&
	for i in 1 2 3 4 5 6 7 8 9 10; do
		test_expect_code 1 git -C ours -c gpg.ssh.program=ssh-keygen verify-tag $t 2>err &&
		test_expect_code 1 git -C ours -c gpg.ssh.program=false verify-commit by-one 2>err ||
		return 1
	done && no_temp_files
'

test_expect_success 'a program that never stops printing' '
	write_script noisy <<-\EOF && before=$(stock -C ours rev-parse main) &&
	exec yes words >&2
	EOF
	test_expect_code 128 git -C ours -c gpg.ssh.program=../noisy commit -S --allow-empty -m x 2>err &&
	test_grep "output of ../noisy is larger than" err &&
	test "$(stock -C ours rev-parse main)" = $before &&
	test_must_fail git -C ours -c gpg.ssh.program=../noisy verify-commit by-one 2>err &&
	test_grep "output of ../noisy is larger than" err &&
	test_must_fail git -C ours -c gpg.format=openpgp -c gpg.program=../noisy tag -s -m x none 2>err &&
	test_grep "output of ../noisy is larger than" err && no_temp_files
'

test_expect_success 'no ssh-keygen at all' '
	mkdir bin && for p in sh sed cat git ls; do ln -s "$(command -v $p)" bin/$p || return 1; done &&
	(PATH=$HOME/bin && test_must_fail git -C ours -c gpg.ssh.program= verify-commit by-one 2>err1 &&
	 test_must_fail git -C ours -c gpg.ssh.program= tag -s -m x none 2>err2 &&
	 git -C ours -c gpg.ssh.program= log -2 --format="%h %G?" by-two >out 2>err3) &&
	for n in 1 2 3; do
		test_grep "^error: cannot run ssh-keygen: No such file" err$n || return 1
	done && test_grep "unable to sign the tag" err2 && test_line_count = 2 out && no_temp_files
'

test_expect_success STRACE,FSYNC_BATCH,JOURNAL 'a signature costs no flush' '
	on_journal journal && cp -R ours journal/repo && cp drain journal/ &&
	n=$(count_flushes git -C journal/repo commit -q -S --allow-empty -m flushed) && test "$n" = 1 &&
	n=$(count_flushes git -C journal/repo tag -s -m flushed flushed) && test "$n" = 1 &&
	n=$(count_flushes git -C journal/repo verify-tag flushed) && test "$n" = 0
'

. "$TEST_DIRECTORY/lib-fault.sh"

# After success there is a good tag, after failure none, and never a temporary file.
sweep () { # ERRNO
	local n=0 code SWEEP_STEP=4
	rm -rf missed copy && cp -R few copy && cd copy && calls_of $1 tag -s -m x swept && cd .. || return
	for n in $CHOSEN; do
		code=0
		rm -rf copy && cp -R few copy || return 1
		(cd copy && GIT_TEST_SYSCALL_MISSED=$HOME/missed GIT_TEST_SYSCALL_FLUSH=0 GIT_TEST_SYSCALL_FAIL=$n:$1 \
			"$GIT_BUILD_DIR/t/helper/fault-git" tag -s -m x swept) 2>err || code=$?
		no_temp_files || { echo "call $n"; return 1; }
		if test $code = 0; then
			stock -C copy verify-tag -v swept >out 2>&1 && grep -q Good out
		else
			grep -q "durability is uncertain" err ||
			{ test -s err && ! stock -C copy rev-parse -q --verify refs/tags/swept; }
		fi || { echo "call $n: $code: $(cat err)"; return 1; }
		test ! -f missed || break
	done
	test $CALLS -gt 10
}

test_expect_success 'every system call of a signed tag fails in turn' '
	git init -q few && cp ours/.git/config few/.git/config && test_commit -C few one &&
	sweep EIO && sweep ENOSPC && sweep EINTR
'

# ---- output of gpg, by a substitute -----------------------------------------

test_expect_success 'status lines' '
	write_script gfake <<-\EOF &&
	cat >/dev/null; echo "$@" | sed "s#$TMPDIR/[^ ]*#FILE#" >"$HOME/asked"
	cat "$HOME/status"; echo words >&2; exit $(cat "$HOME/code")
	EOF
	peers_do "stock config gpg.program ../gfake" && echo 0 >code &&
	c=$(object commit by-one "s/SSH SIG/PGP SIG/") && g="[GNUPG:]" && first="x\\n$g" &&
	for status in "$first GOODSIG KEY A B <c>\\n$g TRUST_FULLY\\n" "$first GOODSIG KEY A B\\n$g TRUST_FULLY 0 pgp\\n" \
		"$first GOODSIG KEY A\\n$g TRUST_NEVER\\n" "$first GOODSIG KEY A\\n$g TRUST_UNDEFINED\\n" \
		"$first GOODSIG KEY A\\n$g GOODSIG KEY B\\n$g TRUST_ULTIMATE\\n" \
		"$first GOODSIG KEY A\\n$g TRUST_BOGUS\\n" \
		"$first EXPKEYSIG KEY A\\n$g VALIDSIG FP 2 3 4 5 6 7 8 9 PRIM\\n$g TRUST_NEVER\\n" \
		"$first VALIDSIG FP 2 3 4 5 6 7 8 9 PRIM\\n$g EXPSIG KEY A\\n$g TRUST_NEVER\\n" \
		"$first ERRSIG KEY A\\n$g VALIDSIG FP 2 3 4 5 6 7 8 PRIM\\n" \
		"$first REVKEYSIG KEY A\\n$g TRUST_MARGINAL" "$first BADSIG KEY A\\n$g TRUST_ULTIMATE\\n" \
		"$g BADSIG KEY A\\n" "" "nothing\\n" "[GNUPG:]" "$first GOODSIG\\n"; do
		printf "$status" >status &&
		peers_git verify-commit $c && peers_git verify-commit --raw $c &&
		peers_git log -1 --format="%G?|%GS|%GK|%GF|%GP|%GG" $c || { echo "$status"; return 1; }
		case $status in
		*GOOD*TRUST*) peers_git -c gpg.minTrustLevel=marginal verify-commit $c || return 1 ;;
		esac
	done &&
	printf "$first GOODSIG KEY A\\n" >status && peers_git verify-commit $c &&
	test_must_fail git -C ours -c gpg.minTrustLevel=marginal verify-commit $c &&
	printf "$first GOODSIG KEY A\\n$g TRUST_MARGINAL\\n" >status &&
	peers_git log -1 --format=%GT $c && echo 3 >code && peers_git verify-commit $c &&
	peers_git -c gpg.openpgp.program=nosuch verify-commit $c &&
	peers_git -c gpg.program=nosuch verify-commit $c &&
	test_grep "^--keyid-format=long --status-fd=1 --verify FILE -" asked &&
	peers_git -c gpg.openpgp.program=nosuch -c gpg.program=../gfake verify-commit $c &&
	no_temp_files
'

# ---- gpg and gpgsm ----------------------------------------------------------

test_expect_success GPG 'gpg: both ways; an expired key, an expired signature, no key' '
	GNUPGHOME=$(mktemp -d /tmp/sluice-gpg-XXXXXX) && export GNUPGHOME && # sockets want short paths
	test_when_finished "gpgconf --kill all; rm -rf $GNUPGHOME; unset GNUPGHOME" &&
	gpg --batch --passphrase "" --quick-gen-key \
		"$GIT_COMMITTER_NAME <$GIT_COMMITTER_EMAIL>" default default never 2>/dev/null &&
	gpg --batch --faked-system-time 20200101T000000 --passphrase "" --quick-gen-key \
		"Old <old@example.com>" default default 20200301T000000 2>/dev/null &&
	write_script back-then <<-\EOF && write_script short <<-\EOF &&
	exec gpg --faked-system-time 20200201T000000 "$@"
	EOF
	exec gpg --batch --faked-system-time 20200201T000000 --default-sig-expire 20200202T000000 "$@"
	EOF
	peers_do "stock config --unset gpg.format; stock config --unset user.signingkey;
		stock config --unset gpg.program" &&
	T=$EMPTY_TREE && c0=$(git -C ours commit-tree -S -m ours $T) &&
	c1=$(stock -C ours commit-tree -S -m theirs $T) &&
	c2=$(git -C ours -c gpg.program=../back-then commit-tree -Sold@example.com -m old $T) &&
	c3=$(git -C ours -c gpg.program=../short commit-tree -Sold@example.com -m short $T) &&
	git -C ours tag -s -m "by us" g1 && stock -C ours tag -s -m "by them" g2 &&
	stock -C ours verify-commit $c0 && git -C ours verify-commit $c1 && stock -C ours verify-tag g1 &&
	git -C ours verify-tag g2 && git -C ours cat-file commit $c0 | sed "s/^ours/hers/" >forged &&
	c4=$(stock -C ours hash-object -t commit -w --stdin <forged) &&
	stock -C ours config gpg.program ../gdrain && rm -rf theirs && cp -R ours theirs &&
	all () {
		for c in $c0 $c1 $c2 $c3 $c4; do
			peers_git verify-commit $c && peers_git verify-commit -v --raw $c &&
			peers_git log -1 --format="%G?|%GS|%GK|%GF|%GP|%GG" $c &&
			peers_git -c gpg.minTrustLevel=fully verify-commit $c &&
			peers_git log -1 --show-signature $c || return 1
		done &&
		for t in g1 g2; do
			peers_git verify-tag $t && peers_git verify-tag --raw -v $t && peers_git tag -v $t || return 1
		done
	} &&
	all && git -C ours log --no-walk --format=%G? $c0 $c2 $c4 >out && test_grep Y out &&
	test_grep G out && test_grep B out && peers_git log -1 --format="%GT" $c0 &&
	test_must_fail git -C ours commit-tree -Snobody@nowhere -m x $T 2>err &&
	test_grep "gpg failed to sign the data" err &&
	empty=$(mktemp -d /tmp/sluice-gpg-XXXXXX) && test_when_finished "rm -rf $empty" &&
	(GNUPGHOME=$empty && gpg -k >/dev/null 2>&1; all && git -C ours log -1 --format=%G? $c0 >out && test_grep E out;
	 code=$?; gpgconf --kill all; exit $code) && no_temp_files
'

test_lazy_prereq GPGSM 'gpgsm --version && openssl version && gpg-connect-agent --version'

# A trusted self-signed certificate.
make_certificate () {
	echo disable-crl-checks >"$GNUPGHOME/gpgsm.conf" &&
	openssl req -x509 -newkey rsa:2048 -nodes -keyout k.pem -out c.pem -days 3650 \
		-subj "/CN=Trial/emailAddress=$GIT_COMMITTER_EMAIL" \
		-addext keyUsage=digitalSignature,keyCertSign 2>/dev/null &&
	openssl pkcs12 -export -in c.pem -inkey k.pem -passout pass: -out k.p12 -legacy &&
	gpgsm --batch --pinentry-mode loopback --passphrase-fd 0 --import k.p12 </dev/null 2>/dev/null &&
	fpr=$(gpgsm -K --with-colons 2>/dev/null | sed -n "s/^fpr:*\([0-9A-F]*\):.*/\1/p" | head -n 1) &&
	echo "$fpr S relax" >"$GNUPGHOME/trustlist.txt" && gpgconf --kill gpg-agent &&
	echo x | gpgsm --batch -bsau "$GIT_COMMITTER_EMAIL" >/dev/null 2>&1
}

test_expect_success GPGSM 'gpgsm: both ways' '
	GNUPGHOME=$(mktemp -d /tmp/sluice-gpg-XXXXXX) && export GNUPGHOME &&
	test_when_finished "gpgconf --kill all; rm -rf $GNUPGHOME; unset GNUPGHOME" &&
	if ! make_certificate; then echo "no certificate here"; return 0; fi &&
	peers_do "stock config gpg.format x509; stock config user.signingkey $GIT_COMMITTER_EMAIL" &&
	T=$EMPTY_TREE && c0=$(git -C ours commit-tree -S -m ours $T) &&
	c1=$(stock -C ours commit-tree -S -m theirs $T) && git -C ours tag -s -m "by us" x1 &&
	stock -C ours tag -s -m "by them" x2 && stock -C ours cat-file tag x1 >text &&
	test_grep "BEGIN SIGNED MESSAGE" text && stock -C ours verify-commit $c0 &&
	git -C ours verify-commit $c1 && stock -C ours verify-tag x1 && git -C ours verify-tag x2 &&
	git -C ours cat-file commit $c0 | sed "s/^ours/hers/" >forged &&
	c2=$(stock -C ours hash-object -t commit -w --stdin <forged) &&
	rm -rf theirs && cp -R ours theirs &&
	for c in $c0 $c1 $c2; do
		peers_git verify-commit $c && peers_git verify-commit -v --raw $c &&
		peers_git log -1 --format="%G?|%GS|%GK|%GF|%GP|%GG" $c || return 1
	done &&
	peers_git log -1 --format="%G? %GT" $c0 && test_grep "G fully" out.ours &&
	for t in x1 x2; do
		peers_git verify-tag $t && peers_git tag -v $t || return 1
	done && no_temp_files
'

test_done
