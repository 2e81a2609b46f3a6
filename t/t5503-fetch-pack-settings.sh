#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git fetch-pack: checks of what arrives, words of the server, session ids'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'a repository with a commit that is not as it should be' '
	PATH=$GIT_BUILD_DIR/t/helper:$PATH &&
	git init -q --bare -b main src &&
	tree=$(git -C src mktree </dev/null) &&
	printf "tree %s\nauthor A <a@example.com> 1 +0000\ncommitter C 1 +0000\n\nx\n" "$tree" >commit &&
	bad=$(git -C src hash-object --literally -t commit -w --stdin <commit) &&
	git -C src update-ref refs/heads/main "$bad" &&
	echo "$bad" >skip
'

# fetch SETTINGS: into a new repository
fetch () {
	rm -rf to &&
	git init -q --bare to &&
	git -C to $1 fetch-pack -q ../src refs/heads/main >out 2>err
}

test_expect_success 'content is checked if fetch.fsckObjects or transfer.fsckObjects says so' '
	fetch "" &&
	fetch "-c transfer.fsckObjects=true -c fetch.fsckObjects=false" &&
	for key in fetch transfer
	do
		test_must_fail fetch "-c $key.fsckObjects=true" &&
		test_grep "error: object $bad: missingEmail: " err &&
		find to/objects -type f >files &&
		test_must_be_empty files || return 1
	done
'

test_expect_success 'fetch.fsck.* says how grave that is' '
	on="-c fetch.fsckObjects=true" &&
	fetch "$on -c fetch.fsck.missingEmail=ignore" &&
	test_must_be_empty err &&
	fetch "$on -c fetch.fsck.missingEmail=warn" &&
	test_grep "warning: object $bad: missingEmail: " err &&
	test_must_fail fetch "$on -c fsck.missingEmail=ignore" &&
	test_must_fail fetch "$on -c fetch.fsck.nonsense=ignore" &&
	test_grep "warning: Skipping unknown msg id .nonsense." err &&
	test_must_fail fetch "-c fetch.fsck.missingEmail=nonsense" &&
	test_grep "Unknown fsck message type: .nonsense." err &&
	test_must_fail fetch "-c fetch.fsck.missingEmail" &&
	test_grep "missing value for .fetch.fsck.missingemail." err &&
	fetch "$on -c fetch.fsck.skipList=$PWD/skip" &&
	test_must_be_empty err &&
	test_must_fail fetch "$on -c fetch.fsck.skipList=$PWD/none" &&
	test_grep "could not open object name list" err
'

# hear SETTINGS: what the server says with control characters, escape as ^, cursor sequences and so on
hear () {
	rm -rf to &&
	git init -q --bare to &&
	git -C to $1 fetch-pack --upload-pack=../play ../src refs/heads/main >out 2>err &&
	LC_ALL=C tr "\033\007\177" "!@#" <err >heard
}

test_expect_success 'words of the server: control characters are shown, colours stay' '
	words="a \033[31mred\033[m \033[2Kerase \033[3Aup \033[1;1Hhome \033]0;t\007 \177 \033[5n \033[3\n\n   \nhalf" &&
	git -C src cat-file commit "$bad" >/dev/null &&
	printf "%s\n%s\n" "$bad" "$tree" | git -C src pack-objects --stdout >all.pack &&
	{
		GIT_PROTOCOL=version=2 git upload-pack src </dev/null &&
		printf "%s refs/heads/main\n0000\npackfile\n" "$bad" | pkt encode &&
		printf "$words" >words &&
		printf "%04x\002" $(($(wc -c <words) + 5)) && cat words &&
		printf "%04x\001" $(($(wc -c <all.pack) + 5)) && cat all.pack &&
		printf "0000"
	} >answer &&
	write_script play <<-EOF &&
	cat "$PWD/answer"
	cat >/dev/null
	EOF
	hear "" &&
	cat >expect <<-\EOF &&
	remote: a ![31mred![m ^[[2Kerase ^[[3Aup ^[[1;1Hhome ^[]0;t^G ^? ^[[5n ^[[3        
	remote: 
	remote:            
	remote: half
	EOF
	test_cmp expect heard &&
	hear "-c sideband.allowControlCharacters=color" &&
	test_cmp expect heard
'

test_expect_success 'sideband.allowControlCharacters' '
	while IFS="|" read -r value line
	do
		hear "-c sideband.allowControlCharacters=$value" &&
		sed 1q heard >first &&
		printf "remote: a %s        \n" "$line" >expect &&
		test_cmp expect first || return 1
	done <<-\EOF &&
	cursor|^[[31mred^[[m ^[[2Kerase ![3Aup ![1;1Hhome ^[]0;t^G ^? ^[[5n ^[[3
	erase|^[[31mred^[[m ![2Kerase ^[[3Aup ^[[1;1Hhome ^[]0;t^G ^? ^[[5n ^[[3
	color,cursor,erase|![31mred![m ![2Kerase ![3Aup ![1;1Hhome ^[]0;t^G ^? ^[[5n ^[[3
	false|^[[31mred^[[m ^[[2Kerase ^[[3Aup ^[[1;1Hhome ^[]0;t^G ^? ^[[5n ^[[3
	cursor,false|^[[31mred^[[m ^[[2Kerase ^[[3Aup ^[[1;1Hhome ^[]0;t^G ^? ^[[5n ^[[3
	true|![31mred![m ![2Kerase ![3Aup ![1;1Hhome !]0;t@ # ![5n ![3
	EOF
	test_must_fail hear "-c sideband.allowControlCharacters=color,bogus" &&
	test_grep "unrecognized value for .sideband.allowcontrolcharacters.: .bogus." err
'

test_expect_success 'that of the URL counts before' '
	write_script fake-ssh <<-EOF &&
	exec "$PWD/play"
	EOF
	rm -rf to &&
	git init -q --bare to &&
	for host in there elsewhere
	do
		rm -rf to &&
		git init -q --bare to &&
		GIT_SSH=$PWD/fake-ssh GIT_SSH_VARIANT=simple git -C to -c sideband.ssh://there/.allowControlCharacters=true \
			fetch-pack ssh://$host/x refs/heads/main 2>err >out &&
		LC_ALL=C tr "\033\007" "!@" <err | sed "1q" >heard &&
		case $host in
		there) test_grep "t@" heard ;;
		*) test_grep "t^G" heard ;;
		esac || return 1
	done
'

test_expect_success 'client and server exchange session ids if both want it' '
	write_script keep-request <<-\EOF &&
	tee request | git upload-pack "$1"
	EOF
	for version in 0 2
	do
		for ours in true false
		do
			for theirs in true false
			do
				git -C src config transfer.advertiseSID $theirs &&
				rm -rf to &&
				git init -q --bare to &&
				git -C to -c protocol.version=$version -c transfer.advertiseSID=$ours fetch-pack -q \
					--upload-pack=../keep-request ../src refs/heads/main &&
				case $ours$theirs in
				truetrue) grep -a "session-id=" to/request ;;
				*) ! grep -a "session-id=" to/request ;;
				esac >/dev/null || return 1
			done
		done
	done
'

test_expect_success 'fetch-pack passes no variables of our repository and settings to ssh' '
	write_script env-ssh <<-EOF && rm -f ssh-env && rm -rf to && git init -q to &&
	env | grep "^GIT_" | grep "^GIT_[CDPW][A-Z_]*=" >>"$PWD/ssh-env"
	exit 1
	EOF
	for variant in auto ssh simple; do
		(cd to && test_must_fail env GIT_DIR=.git GIT_WORK_TREE=. GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=a.b GIT_CONFIG_VALUE_0=c GIT_SSH="$PWD/../env-ssh" GIT_SSH_VARIANT=$variant \
			git -c x.y=z fetch ssh://there/x) || return 1
	done &&
	test_path_is_file ssh-env && test_grep ! "^GIT_CONFIG_PARAMETERS=\|^GIT_CONFIG_COUNT=\|^GIT_DIR=\|^GIT_WORK_TREE=\|^GIT_PREFIX=" ssh-env
'

test_done
