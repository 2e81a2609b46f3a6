#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git upload-archive: what clients may ask for, and what they get on which band'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-daemon.sh"

# args WORD...: the request that git archive --remote would send
args () {
	local word
	for word; do
		pkt "argument %s\n" "$word" || return
	done
	printf 0000
}

# band N FILE: the bytes of a band in a reply (perl: dd would take a minute)
band () {
	perl -e '
		my ($band, $file) = @ARGV;
		open(my $in, "<:raw", $file) or die;
		local $/; my $d = <$in>; my $at = 0;
		die "no ACK" if $d !~ /^0008ACK\n0000/; $at = 12;
		while ($at < length $d) {
			my $n = hex substr($d, $at, 4);
			if (!$n) { exit($at + 4 == length $d ? 0 : 9) }
			die "bad length $n" if $n < 6 || $at + $n > length $d;
			print substr($d, $at + 5, $n - 5) if ord(substr($d, $at + 4, 1)) == $band;
			$at += $n;
		}
		exit 3; # no flush at the end
	' "$1" "$2"
}

# whole_lines FILE: each packet of band 2 in a reply ends a line
whole_lines () {
	perl -e '
		open(my $in, "<:raw", $ARGV[0]) or die;
		local $/; my $d = <$in>; my $words = 0;
		for (my $at = 12; $at < length $d; ) {
			my $n = hex substr($d, $at, 4) || 4;
			if ($n > 4 && substr($d, $at + 4, 1) eq "\002") {
				$words++;
				die "half a line" if substr($d, $at + $n - 1, 1) ne "\n";
			}
			$at += $n;
		}
		die "no words" if !$words;
	' "$1"
}

# ask WORD...: the archive in "out", words in "words", band 3 in "failure"
ask () {
	local code=0
	args "$@" >request || return
	git upload-archive repo <request >reply 2>err || code=$?
	band 1 reply >out; flush=$?
	band 2 reply >words; band 3 reply >failure
	return $code
}
refused () {
	test_expect_code 128 ask "$@" && test $flush = 3 && test_must_be_empty out &&
	test "$(cat failure)" = "git upload-archive: archiver died with error"
}

test_have_prereq PERL || {
	skip_all='perl is missing'
	test_done
}

test_expect_success 'a repository' '
	git init -q repo && (
		cd repo && mkdir dir && echo 1 >dir/f && echo 2 >g && git add . && git commit -q -m one && git tag v1 &&
		git tag -a -m x v2 && echo hidden >secret && git add . && git commit -q -m two &&
		git rev-parse HEAD >../unreachable && git update-ref HEAD HEAD~1
	) && branch=$(git -C repo symbolic-ref --short HEAD) && unreachable=$(cat unreachable)
'

test_expect_success 'upload-archive serves names that refs make reachable' '
	# A tree has no time of its own.
	for name in HEAD @ "--mtime=@1234567890 @:" v1 v2 "$branch" "refs/tags/v1" "--mtime=@1234567890 v1:" ; do
		ask $name && test $flush = 0 && test_must_be_empty failure &&
		git -C repo archive $name >expect 2>/dev/null && test_cmp_bin expect out || return 1
	done &&
	ask --mtime=@1234567890 v1:dir && git -C repo archive --mtime=@1234567890 v1:dir >expect && test_cmp_bin expect out &&
	ask --format=zip --prefix=x/ -v HEAD dir && git -C repo archive --format=zip --prefix=x/ HEAD dir >expect &&
	test_cmp_bin expect out && printf "%s\n" x/ x/dir/ x/dir/f >expect && test_cmp expect words
'

test_expect_success 'upload-archive refuses objects that no ref names' '
	for name in "$unreachable" "$(echo "$unreachable" | cut -c1-8)" HEAD^ HEAD~0 "HEAD@{1}" "HEAD^{tree}" :g ":/one" \
		"$(git -C repo rev-parse HEAD)" "HEAD:../x" "" "none" "v1:none" "v1:g/x" "$unreachable:"
	do
		refused -- "$name" && test_file_not_empty words || { echo "accepted: $name" >&4; return 1; }
	done &&
	test_grep "no such ref: $unreachable" words
'

test_expect_success 'a ref that looks like an object' '
	test_when_finished "git -C repo update-ref -d refs/heads/$unreachable" &&
	git -C repo update-ref "refs/heads/$unreachable" HEAD &&
	ask "$unreachable" && git -C repo archive HEAD >expect && test_cmp_bin expect out && test_grep ! -a hidden out
'

test_expect_success 'a hidden ref is a missing one, by each of its names' '
	git -C repo update-ref refs/hidden/x $unreachable && git -C repo update-ref refs/hidden/v1 $unreachable &&
	git -C repo update-ref ORIG_HEAD $unreachable && ask refs/hidden/x && test_file_not_empty out &&
	for section in transfer uploadpack; do
		test_config -C repo $section.hideRefs refs/hidden &&
		for name in refs/hidden/x hidden/x hidden/x:secret main-worktree/refs/hidden/x ORIG_HEAD; do
			refused "$name" && test_grep "no such ref: ${name%:*}$" words || return 1
		done &&
		git -C repo config --unset $section.hideRefs || return 1
	done &&
	test_config -C repo receive.hideRefs refs/hidden && ask hidden/x &&
	test_config -C repo transfer.hideRefs refs/tags && refused v1 && refused refs/tags/v1 && ask HEAD &&
	test_config -C repo uploadpack.hideRefs "!refs/tags/v1" && ask v1 && refused v2
'

test_expect_success 'a name that a hidden ref has, too, is the visible ref' '
	git -C repo update-ref refs/heads/both HEAD && git -C repo update-ref refs/tags/both $unreachable &&
	test_config -C repo transfer.hideRefs refs/tags/both && ask both && tar tf out >list && ! grep secret list
'

test_expect_success 'uploadArchive.allowUnreachable' '
	test_config -C repo uploadArchive.allowUnreachable true &&
	ask "$unreachable" && test_grep -a hidden out && ask "HEAD^{tree}" && test $flush = 0
'

test_expect_success 'files of the server' '
	echo private >private && for option in "--add-file=$PWD/private" --add-virtual-file=a:b --output=x -ox --remote=. --exec=x; do
		{ test_might_fail ask "$option" HEAD; } && test $flush = 3 && test_must_be_empty out &&
		test_file_not_empty failure && test_path_missing x && test_path_missing repo/.git/x || return 1
	done &&
	test_grep "fatal: the option .--exec. requires .--remote." words && refused --add-file=x HEAD &&
	test_grep "fatal: options .--add-file. and .--remote. cannot be used together" words
'

test_expect_success 'formats' '
	git -C repo config tar.up.command "tr a-z A-Z #" && ask --list && printf "%s\n" tar tgz tar.gz zip >expect &&
	test_cmp expect out && refused --format=up HEAD && test_grep "Unknown archive format" words &&
	git -C repo config tar.up.remote true && git -C repo config tar.tgz.remote false && ask --list &&
	printf "%s\n" tar tar.gz up zip >expect && test_cmp expect out &&
	ask --format=up HEAD && test_grep -a PAX_GLOBAL out && refused --format=tgz HEAD
'

test_expect_success 'usage goes to the client' '
	test_expect_code 128 ask --nonsense HEAD && test_grep "unknown option" words && test_grep "usage: git archive" words &&
	test_expect_code 128 ask && test_grep "usage: git archive" words && whole_lines reply
'

test_expect_success 'requests that are malformed' '
	for bytes in "" 0000000 zzzz 0003 0001 "0010argument HEA" "0006xx0000" "0010argumentxHEAD0000" "000dargument\0000000"; do
		printf "$bytes" >request && test_might_fail git upload-archive repo <request >reply 2>err &&
		test_grep -a "NACK\|usage" reply || test_grep -a "usage" reply || return 1
	done &&
	pkt "argument HE\0AD\n" >request && printf 0000 >>request &&
	test_expect_code 128 git upload-archive repo <request >reply 2>err && test_grep "NACK .argument. token" reply &&
	for i in $(test_seq 65); do pkt "argument -v\n"; done >request && printf 0000 >>request &&
	test_expect_code 128 git upload-archive repo <request >reply 2>err && test_grep "NACK Too many options (>63)" reply
'

test_expect_success 'a larger archive' '
	head -c 3000000 /dev/zero >repo/zeros && git -C repo add zeros && git -C repo commit -q -m zeros &&
	ask HEAD && git -C repo archive HEAD >expect && test_cmp_bin expect out
'

# Each process that the command starts holds the pipe open: it ends when the last of them has.
test_expect_success 'a client that goes away ends it all' '
	args HEAD >request && mkfifo hold && { cat hold >/dev/null & reader=$!; } &&
	{ git upload-archive repo <request 2>err 9>hold; echo $? >code; } | head -c 100 >reply &&
	while kill -0 $reader 2>/dev/null; do sleep 0.05; done && test "$(cat code)" != 0
'

test_expect_success 'directories that are no repository' '
	test_expect_code 128 git upload-archive none </dev/null >reply 2>err && test_grep "archiver died with error" err &&
	{ pkt "ACK\n" && printf 0000 && pkt "\002fatal: '\''none'\'' does not appear to be a git repository\n" &&
		pkt "\003git upload-archive: archiver died with error"; } >expect && test_cmp_bin expect reply &&
	test_expect_code 129 git upload-archive && test_expect_code 129 git upload-archive --x repo
'

test_expect_success STOCK_GIT 'stock Git as the client' '
	write_script server <<-EOF &&
	exec "$GIT_BUILD_DIR/git" upload-archive "\$@"
	EOF
	stock archive --remote="$PWD/repo" --exec="$PWD/server" --format=zip HEAD >out &&
	git -C repo archive --format=zip HEAD >expect && test_cmp_bin expect out &&
	test_must_fail stock archive --remote="$PWD/repo" --exec="$PWD/server" HEAD^ 2>err && test_grep "no such ref" err
'

# ---- confined ----

# sandbox OPTION...: what the trace says of it
sandbox () {
	args HEAD >request && rm -f trace && GIT_TRACE2_EVENT="$PWD/trace" git "$@" upload-archive repo <request >reply 2>err
	sed -n "s/.*\"category\":\"sandbox\",\"key\":\"state\",\"value\":\"\([^\"]*\)\".*/\1/p" trace
}
sandbox >state
grep -q "^landlock [0-9].*, seccomp$" state && test_set_prereq CONFINED

test_expect_success 'core.sandbox' '
	echo "off (core.sandbox)" >expect && sandbox -c core.sandbox=false >actual && test_cmp expect actual && band 1 reply >free &&
	sandbox >actual && test_cmp state actual && band 1 reply >out && test_cmp_bin free out && test_config -C repo core.sandbox false &&
	sandbox >actual && test_cmp state actual && args HEAD >request &&
	test_expect_code 128 git -c core.sandbox=nonsense upload-archive repo <request >reply 2>err && test_grep "bad boolean.*core.sandbox" err && test_must_be_empty reply
'

test_expect_success STRACE,CONFINED 'all rights are given up before the first byte of the request is read' '
	args HEAD >request && strace -f -o calls -e trace=read,execve,landlock_restrict_self,seccomp git upload-archive repo <request >reply &&
	sed -n "s/^[0-9]* *\(landlock_restrict_self\)(.*= 0$/\1/p; s/^[0-9]* *\(seccomp\)(SECCOMP_SET_MODE_FILTER.*= 0$/\1/p; s/^[0-9]* *\(read\)(0,.*/\1/p" calls |
	head -n 3 >actual && printf "%s\n" landlock_restrict_self seccomp read >expect && test_cmp expect actual &&
	confined=$(sed -n "s/^\([0-9]*\) .*SECCOMP_SET_MODE_FILTER.*/\1/p" calls) && ! grep -av "^$confined " calls | grep -a "read(0, \"00" && test $(grep -c execve calls) = 1
'

test_expect_success 'attributes and names of the host are read there' '
	mkdir -p home && echo "g export-ignore" >home/attributes && test_config -C repo core.attributesFile "$PWD/home/attributes" && ask v1 && tar tf out >names && printf "%s\n" dir/ dir/f >expect &&
	test_cmp expect names && git -C repo archive v1 >expect && test_cmp_bin expect out &&
	git -C repo config --unset core.attributesFile && mkdir -p home/xdg/git && cp home/attributes home/xdg/git && export XDG_CONFIG_HOME="$PWD/home/xdg" && { ask v1; unset XDG_CONFIG_HOME; } && test_cmp_bin expect out
'

test_expect_success 'encodings of work trees, substitutions' '
	cp -R repo texts && (cd texts && printf "u working-tree-encoding=UTF-16\ns export-subst\n" >.gitattributes && printf "h\303\251\n" | iconv -f UTF-8 -t UTF-16 >u && echo "\$Format:%H %aN %(describe)\$" >s &&
	git add . && git commit -q -m texts) && mv repo plain && mv texts repo && { ask HEAD; code=$?; mv repo texts; mv plain repo; } && test $code = 0 && git -C texts archive HEAD >expect && test_cmp_bin expect out &&
	test_grep -a "$(git -C texts rev-parse HEAD)" out
'

test_expect_success 'programs of formats: the parent starts them, by number, with the level' '
	write_script upper <<-\EOF &&
	echo "called with: $*" >&2; tr a-z A-Z
	EOF
	git -C repo config tar.up.command "$PWD/upper" && git -C repo config tar.mine.command "$PWD/upper" && args --format=up -7 HEAD >request &&
	ask --format=up -7 HEAD && git -C repo archive --format=up -7 HEAD >expect && test_cmp_bin expect out && echo "called with: -7" >expect && test_cmp expect words && test_grep -a PAX_GLOBAL out &&
	refused --format=mine HEAD && git -C repo config tar.up.command "cat >/dev/null; exit 3" && test_expect_code 128 ask --format=up HEAD && test $flush = 3 && test_file_not_empty failure &&
	git -C repo config tar.up.command "$PWD/none" && test_expect_code 128 ask --format=up HEAD && test_file_not_empty failure && test_grep "none" words &&
	git -C repo config tar.up.command "exit 0" && cp -R repo large && mv repo plain && mv large repo && head -c 3000000 /dev/urandom >repo/zeros && git -C repo add . && git -C repo commit -q -m more &&
	{ test_expect_code 128 ask --format=up HEAD; code=$?; rm -rf repo; mv plain repo; } && test $code = 0 && test_file_not_empty failure
'

# They are programs for contents: an archive of them cannot be made in there.
test_expect_success 'with filter.<driver>.smudge it is not confined, and the archive has what it says' '
	cp -R repo smudged && echo "g filter=x" >smudged/.git/info/attributes && git -C smudged config filter.x.smudge "tr 0-9 a-j" && git -C smudged archive v1 >expect && echo c >want && tar xOf expect g >got && test_cmp want got &&
	args v1 >request && GIT_TRACE2_EVENT="$PWD/trace" git upload-archive smudged <request >reply && band 1 reply >out && test_cmp_bin expect out && test_grep "off (filter" trace
'

test_expect_success STRACE,CONFINED,!SANITIZE 'core.sandbox=true where the kernel has no Landlock' '
	args HEAD >request && test_expect_code 128 strace -f -o /dev/null -e inject=landlock_create_ruleset:error=ENOSYS git -c core.sandbox=true upload-archive repo <request >reply 2>err &&
	test_grep "core.sandbox is true, but there is no Landlock" err && test_must_be_empty reply
'

# ---- git archive --remote, for repositories of this machine ----

test_expect_success '--remote: paths, file://, --exec, output, formats' '
	git -C repo archive v1 >expect && git archive --remote=repo v1 >out && test_cmp_bin expect out && git archive --remote "file://$PWD/repo" v1 >out && test_cmp_bin expect out &&
	GIT_DIR=/nowhere git archive --remote=repo v1 >out && test_cmp_bin expect out && rm -f used && write_script server <<-EOF && GIT_DIR=/nowhere git archive --remote=repo --exec="$PWD/server" v1 >out && test_cmp_bin expect out && test_path_is_file used &&
	test -z "\$GIT_DIR" && >"$PWD/used" && exec git upload-archive "\$@"
	EOF
	git archive --remote=repo -o o.zip v1 dir && git -C repo archive --format=zip v1 dir >expect && test_cmp_bin expect o.zip && git archive --remote=repo --output=o2.zip --format=tar v1 && git -C repo archive v1 >expect &&
	test_cmp_bin expect o2.zip && git archive --remote=repo --list >formats && test_grep "^tar.gz$" formats && git archive --remote=repo --prefix=x/ -v v1 >out 2>err && test_grep "^remote: x/dir/f$" err &&
	mkdir -p "it${SQ:-'"'"'}s" && cp -R repo "it${SQ:-'"'"'}s/r" && git archive --remote="it${SQ:-'"'"'}s/r" --exec="$PWD/server" v1 >out && test_cmp_bin expect out
'

test_expect_success '--remote: what the server refuses, and servers that are none' '
	test_expect_code 1 git archive --remote=repo HEAD^ >out 2>err && test_must_be_empty out && test_grep "^remote: .*no such ref" err && test_expect_code 1 git archive --remote=repo -- >out 2>err &&
	test_expect_code 1 git archive --remote=none HEAD 2>err && test_grep "^remote: fatal: .none. does not appear to be" err &&
	grep "^remote: .*archiver died" err >died && test_line_count = 1 died && test_expect_code 128 git archive --remote=repo --exec=false HEAD 2>err && test_grep "git archive:" err &&
	for answer in "0004" "0009NACK " "000dNACK why" "0008ACK\n" "0008ACK\n00000006" "0008ACK\n00000006\004x0000" "0008ACK\n0000zzzz"; do
		test_expect_code 128 git archive --remote=repo --exec="cat >/dev/null; printf \"$answer\"; :" HEAD 2>err || return 1
	done
'

test_done
