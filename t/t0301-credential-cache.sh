#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git credential-cache: passwords in the memory of a daemon'
. "$(dirname "$0")/test-lib.sh"

# The name of a socket has room for some hundred bytes; ours counts in its directory.
SOCKET=$HOME/.cache/git/credential/socket
test_atexit 'git credential-cache exit'

# keep ACTION DESCRIPTION OPTIONS
keep () {
	local action=$1 text=$2
	shift 2
	printf "$text" | git credential-cache "$@" $action >out 2>err
}

BASE="protocol=https\nhost=e.com\n"

# Until the command succeeds
wait_for () {
	until "$@"; do sleep 0.1; done
}

is_gone () {
	! test -e "$1"
}

test_expect_success 'nothing is started to ask and to erase' '
	keep get "$BASE" && keep erase "$BASE" && git credential-cache exit && keep bogus "$BASE" &&
	test_must_be_empty out && test_must_be_empty err &&
	test_path_is_missing .cache
'

test_expect_success 'store, get and erase' '
	keep store "${BASE}username=u\npassword=p\npassword_expiry_utc=99999999999\noauth_refresh_token=t\n" &&
	keep get "$BASE" &&
	printf "%s\n" username=u password=p oauth_refresh_token=t password_expiry_utc=99999999999 >expect &&
	test_cmp expect out &&
	keep get "protocol=https\nhost=other\n" && test_must_be_empty out &&
	keep erase "${BASE}password=other\n" && keep get "$BASE" && test_grep password=p out &&
	keep erase "$BASE" && keep get "$BASE" && test_must_be_empty out
'

test_expect_success 'the directory is closed to others' '
	test "$(stat -c %a .cache/git/credential)" = 700 &&
	test "$(stat -c %a "$SOCKET")" = 700
'

test_expect_success 'the newest counts, one for each user' '
	keep store "${BASE}username=u\npassword=p\n" && keep store "${BASE}username=v\npassword=q\n" &&
	keep store "${BASE}username=u\npassword=r\n" &&
	keep get "${BASE}username=u\n" && test_grep password=r out &&
	keep get "${BASE}username=v\n" && test_grep password=q out
'

test_expect_success 'a credential for those who know what it is' '
	keep store "capability[]=authtype\nprotocol=https\nhost=f.com\nauthtype=Bearer\ncredential=token\n" &&
	keep get "protocol=https\nhost=f.com\n" && test_grep ! token out &&
	keep get "capability[]=authtype\nprotocol=https\nhost=f.com\n" &&
	printf "%s\n" "capability[]=authtype" authtype=Bearer credential=token >expect && test_cmp expect out &&
	keep store "capability[]=authtype\nprotocol=https\nhost=g.com\nauthtype=Digest\ncredential=once\nephemeral=1\n" &&
	keep get "capability[]=authtype\nprotocol=https\nhost=g.com\n" && test_must_be_empty out
'

test_expect_success 'exit forgets everything, and leaves no socket' '
	test -S "$SOCKET" && git credential-cache exit && test_path_is_missing "$SOCKET" &&
	keep get "$BASE" && test_must_be_empty out
'

test_expect_success 'an expired credential is forgotten, and the daemon ends' '
	keep store "${BASE}username=u\npassword=p\n" --timeout=1000 &&
	keep store "protocol=https\nhost=f.com\nusername=u\npassword=p\n" --timeout=1 &&
	forgotten () { keep get "protocol=https\nhost=f.com\n" && ! test -s out; } &&
	wait_for forgotten &&
	keep get "$BASE" && test_grep password=p out &&
	git credential-cache exit
'

test_expect_success 'the cache keeps no expired and no incomplete credential' '
	keep store "${BASE}username=u\npassword=p\n" --timeout=0 && keep get "$BASE" && test_must_be_empty out &&
	keep store "${BASE}username=u\n" && keep get "$BASE" && test_must_be_empty out &&
	git credential-cache exit
'

test_expect_success 'a long path' '
	long=$PWD/$(printf "%0120d" 0)/$(printf "%0120d" 0)/socket &&
	test_when_finished "git credential-cache --socket=\"$long\" exit" &&
	keep store "${BASE}username=u\npassword=p\n" --socket="$long" &&
	keep get "$BASE" --socket="$long" && test_grep password=p out
'

test_expect_success 'a directory that is open to others, or has another owner, is not used' '
	mkdir open && chmod 755 open &&
	test_must_fail keep store "${BASE}username=u\npassword=p\n" --socket="$PWD/open/socket" &&
	test_grep "is not private" err && test_path_is_missing open/socket &&
	test_must_fail keep get "$BASE" --socket="$PWD/open/socket" &&
	ln -s open link && test_must_fail keep get "$BASE" --socket="$PWD/link/socket" &&
	test_must_fail keep store "$BASE" --socket=relative && test_grep "must be an absolute path" err
'

test_expect_success 'the cache replaces the socket of a killed daemon' '
	mkdir -m 700 dead && python3 -c "
import socket; s = socket.socket(socket.AF_UNIX); s.bind(\"dead/socket\")" &&
	test_when_finished "git credential-cache --socket=\"$PWD/dead/socket\" exit" &&
	keep get "$BASE" --socket="$PWD/dead/socket" && test_must_be_empty out &&
	keep store "${BASE}username=u\npassword=p\n" --socket="$PWD/dead/socket" &&
	keep get "$BASE" --socket="$PWD/dead/socket" && test_grep password=p out
'

test_expect_success 'many start it at once: one lives, and has all of it' '
	for i in 1 2 3 4 5 6 7 8
	do
		printf "protocol=https\nhost=h$i\nusername=u\npassword=$i\n" | git credential-cache store &
	done &&
	wait &&
	for i in 1 2 3 4 5 6 7 8
	do
		keep get "protocol=https\nhost=h$i\n" && test_grep "password=$i" out || return 1
	done &&
	git credential-cache exit
'

test_expect_success PYTHON 'one that is about to listen is waited for, and keeps its socket' '
	mkdir -m 700 starting && cat >starting.py <<-\EOF &&
	import fcntl, os, select, socket, subprocess, sys
	path = os.path.abspath("starting/socket")
	lock = os.open("starting", os.O_RDONLY)
	fcntl.flock(lock, fcntl.LOCK_EX)
	p = subprocess.Popen(["git", "credential-cache--daemon", path], stdout=subprocess.PIPE)
	assert not select.select([p.stdout], [], [], 1)[0], "it has not waited"
	os.chdir("starting")
	s = socket.socket(socket.AF_UNIX)
	s.bind("socket")
	inode = os.stat("socket").st_ino
	s.listen(5)
	assert p.stdout.read() == b"ok\n"
	assert p.wait() == 0
	assert os.stat("socket").st_ino == inode
	EOF
	timeout 500 python3 starting.py
'

test_expect_success PYTHON 'a client that sends nonsense, nothing or too much does not block other clients' '
	keep store "${BASE}username=u\npassword=p\n" &&
	python3 - "$SOCKET" <<-\EOF &&
	import os, socket, sys
	os.chdir(os.path.dirname(sys.argv[1]))
	def say(data):
	    s = socket.socket(socket.AF_UNIX)
	    s.connect("socket")
	    try:
	        s.sendall(data)
	        s.shutdown(socket.SHUT_WR)
	        return s.recv(100)
	    except OSError:
	        return b""
	for data in (b"", b"action=get\n", b"action=bogus\ntimeout=1\n", b"\0" * 100, b"action=get\ntimeout=1\nnonsense\n",
	             b"action=get\ntimeout=1\nhost=" + b"x" * 2000000):
	    assert say(data) == b"", data[:20]
	EOF
	keep get "$BASE" && test_grep password=p out && git credential-cache exit
'

test_expect_success 'by git credential' '
	printf "${BASE}username=u\npassword=p\n" | git -c credential.helper="cache --timeout=60" credential approve &&
	printf "$BASE" | git -c credential.helper=cache credential fill >out && test_grep password=p out &&
	printf "${BASE}username=u\npassword=p\n" | git -c credential.helper=cache credential reject &&
	keep get "$BASE" && test_must_be_empty out && git credential-cache exit
'

test_expect_success 'an older place, and one of the environment' '
	test_when_finished "rm -rf .git-credential-cache" &&
	mkdir -m 700 .git-credential-cache &&
	keep store "${BASE}username=u\npassword=p\n" && test -S .git-credential-cache/socket && git credential-cache exit &&
	rmdir .git-credential-cache &&
	XDG_CACHE_HOME=$PWD/xdg && export XDG_CACHE_HOME && test_when_finished "unset XDG_CACHE_HOME" &&
	keep store "${BASE}username=u\npassword=p\n" && test -S xdg/git/credential/socket && git credential-cache exit
'

test_expect_success PYTHON 'the daemon keeps no pipe of its parent open' '
	timeout 500 python3 -c "
import os, subprocess
r, w = os.pipe()
os.set_inheritable(w, True)
subprocess.run([\"git\", \"credential-cache\", \"store\"], input=b\"protocol=https\nhost=h\nusername=u\npassword=p\n\", pass_fds=[w], check=True)
os.close(w)
os.read(r, 1)
" && keep get "protocol=https\nhost=h\n" && test_grep password=p out && git credential-cache exit
'

test_expect_success 'usage' '
	test_expect_code 129 git credential-cache && test_expect_code 129 git credential-cache get more &&
	test_expect_code 129 git credential-cache--daemon &&
	test_must_fail git credential-cache--daemon relative
'

test_expect_success PEER 'stock git and we talk to the same daemon' '
	test_when_finished "git credential-cache --socket=\"$PWD/both/socket\" exit" &&
	mkdir -m 700 both &&
	keep store "${BASE}username=u\npassword=p\n" --socket="$PWD/both/socket" &&
	printf "$BASE" >ask &&
	stock credential-cache --socket="$PWD/both/socket" get <ask >out.theirs &&
	keep get "$BASE" --socket="$PWD/both/socket" &&
	test_cmp out.theirs out
'

test_done
