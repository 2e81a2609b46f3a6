#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git credential-store: a file of passwords, changed whole and for good'
. "$(dirname "$0")/test-lib.sh"

# keep ACTION DESCRIPTION OPTIONS
keep () {
	local action=$1 text=$2
	shift 2
	printf "$text" | git credential-store "$@" $action >out 2>err
}

FILE=.git-credentials

test_expect_success 'store, get and erase' '
	keep get "protocol=https\nhost=e.com\n" && test_must_be_empty out &&
	test_path_is_missing $FILE &&
	keep store "protocol=https\nhost=e.com\nusername=u@\npassword=p/ %%:\n" &&
	echo "https://u%40:p%2f%20%25%3a@e.com" >expect && test_cmp expect $FILE &&
	keep get "protocol=https\nhost=e.com\n" &&
	printf "%s\n" username=u@ "password=p/ %:" >expect && test_cmp expect out &&
	keep erase "protocol=https\nhost=e.com\npassword=other\n" && test_file_not_empty $FILE &&
	keep erase "protocol=https\nhost=e.com\n" && test_must_be_empty $FILE
'

test_expect_success 'only the owner may read the file' '
	rm -f $FILE && (umask 0 && keep store "protocol=https\nhost=e.com\nusername=u\npassword=p\n") &&
	test "$(stat -c %a $FILE)" = 600 &&
	chmod 644 $FILE && keep store "protocol=https\nhost=e.com\nusername=u\npassword=q\n" &&
	test "$(stat -c %a $FILE)" = 600
'

test_expect_success 'the last one comes first, and replaces its like' '
	rm -f $FILE &&
	keep store "protocol=https\nhost=e.com\nusername=a\npassword=1\n" &&
	keep store "protocol=https\nhost=e.com\nusername=b\npassword=2\n" &&
	keep store "protocol=https\nhost=e.com\nusername=a\npassword=3\n" &&
	printf "%s\n" https://a:3@e.com https://b:2@e.com >expect && test_cmp expect $FILE &&
	keep get "protocol=https\nhost=e.com\nusername=b\n" && test_grep password=2 out
'

test_expect_success 'an incomplete credential is not stored; an empty pattern erases nothing' '
	cp $FILE before &&
	keep store "protocol=https\nhost=e.com\npassword=x\n" &&
	keep store "protocol=https\nusername=u\npassword=x\n" &&
	keep erase "" && keep erase "password=3\n" && keep bogus "protocol=https\n" &&
	test_cmp before $FILE
'

test_expect_success 'lines that are something else stay as they are' '
	printf "%s\n" "" "# mine" nonsense https://e.com https://a:1@e.com >$FILE &&
	printf "https://b:2@e.com" >>$FILE &&
	keep erase "protocol=https\nhost=e.com\nusername=a\n" &&
	printf "%s\n" "" "# mine" nonsense https://e.com https://b:2@e.com >expect && test_cmp expect $FILE
'

test_expect_success 'a port, a path, an encoded line feed' '
	rm -f $FILE &&
	keep store "protocol=https\nhost=e.com:80\npath=a/b c\nusername=u\npassword=p\n" &&
	keep get "protocol=https\nhost=e.com:80\npath=a/b c\n" && test_grep password=p out &&
	keep get "protocol=https\nhost=e.com:80\npath=a\n" && test_must_be_empty out &&
	keep get "protocol=https\nhost=e.com\n" && test_must_be_empty out &&
	echo "https://u:p%0ahost=x@f.com" >$FILE &&
	keep get "protocol=https\nhost=f.com\n" && test_must_be_empty out
'

test_expect_success 'two files: the first counts, the first that is there is written, both are erased from' '
	rm -f $FILE && mkdir -p .config/git && echo "https://x:1@e.com" >.config/git/credentials &&
	keep store "protocol=https\nhost=f.com\nusername=u\npassword=2\n" &&
	test_path_is_missing $FILE && test_line_count = 2 .config/git/credentials &&
	echo "https://y:3@e.com" >$FILE &&
	keep get "protocol=https\nhost=e.com\n" && test_grep username=y out &&
	keep get "protocol=https\nhost=f.com\n" && test_grep username=u out &&
	keep erase "protocol=https\nhost=e.com\n" &&
	test_must_be_empty $FILE && test_line_count = 1 .config/git/credentials &&
	rm -r .config
'

test_expect_success '--file' '
	mkdir -p sub && rm -f $FILE && (cd sub && keep store "protocol=https\nhost=e.com\nusername=u\npassword=p\n" --file=mine) &&
	test_path_is_file sub/mine && test_path_is_missing $FILE &&
	test_expect_code 129 git credential-store --file=x && test_expect_code 129 git credential-store get more </dev/null
'

test_expect_success 'set up descriptions of credentials' '
	printf "protocol=https\nhost=e.com\nusername=u\npassword=p\n" >one &&
	printf "protocol=https\nhost=other\n" >other
'

test_expect_success STRACE,FSYNC_BATCH,JOURNAL 'one flush to store and to erase, none for what changes nothing' '
	on_journal journal &&
	test "$(count_flushes git credential-store --file=journal/f store <one)" = 1 &&
	test "$(count_flushes git credential-store --file=journal/f get <one)" = 0 &&
	test "$(count_flushes git credential-store --file=journal/f erase <other)" = 0 &&
	test "$(count_flushes git credential-store --file=journal/f erase <one)" = 1
'

test_expect_success 'another process holds the lock' '
	echo "https://x:1@e.com" >$FILE && cp $FILE before && : >$FILE.lock && test_when_finished "rm -f $FILE.lock" &&
	test_must_fail git -c credentialStore.lockTimeoutMS=1 credential-store store <one 2>err &&
	test_grep "unable to get credential storage lock in 1 ms" err &&
	test_cmp before $FILE && test_path_is_file $FILE.lock
'

test_expect_success ROOT,TMPFS 'a full disk: an error, and the file as it was' '
	mkdir -p full && mount_tmpfs full 64k &&
	echo "https://x:1@e.com" >full/file && cp full/file before &&
	test_might_fail dd if=/dev/zero of=full/fill bs=1k 2>/dev/null &&
	test_must_fail git credential-store --file=full/file store <one 2>err &&
	test_grep "No space left" err && test_cmp before full/file && test_path_is_missing full/file.lock
'

test_expect_success 'by git credential' '
	rm -f $FILE &&
	git -c credential.helper=store credential approve <one &&
	printf "protocol=https\nhost=e.com\n" | git -c credential.helper=store credential fill >out &&
	test_grep password=p out &&
	git -c credential.helper=store credential reject <one && test_must_be_empty $FILE
'


test_expect_success PEER 'stock git reads our file, and we read its file' '
	git credential-store --file=ours store <one && cp ours theirs &&
	printf "protocol=https\nhost=e.com\n" >ask &&
	stock credential-store --file=ours get <ask >out.theirs &&
	git credential-store --file=ours get <ask >out.ours &&
	test_cmp out.theirs out.ours && test_file_not_empty out.ours
'

test_done
