#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git credential: helpers, the configuration, and the user asked for a password'
. "$(dirname "$0")/test-lib.sh"

GIT_TERMINAL_PROMPT=0
export GIT_TERMINAL_PROMPT

# fill, approve, reject: the lines of standard input, joined by \n; options of git follow.
cred () {
	local action=$1 text=$2
	shift 2
	printf "$text" | git "$@" credential "$action" >out 2>err
}

# Helpers that note what they get in FILE.ACTION.
test_expect_success 'helpers and a program that asks' '
	write_script git-credential-note <<-\EOF &&
	cat >"$NOTES/note.$1"
	EOF
	write_script git-credential-say <<-\EOF &&
	cat >"$NOTES/say.$2"
	test "$2" = get || exit 0
	printf "$1"
	EOF
	write_script ask <<-\EOF &&
	echo "$1" >>"$NOTES/asked"
	case "$1" in
	Username*) echo me ;;
	*) printf "secret\nmore" ;;
	esac
	EOF
	PATH="$PWD:$PATH" NOTES=$PWD &&
	export PATH NOTES &&
	BASE="protocol=https\nhost=example.com\n"
'

test_expect_success 'a complete credential is printed, in a fixed order' '
	cred fill "password=p\nhost=example.com\npath=a/b\nunknown=x\nprotocol=https\nusername=u\npassword_expiry_utc=99999999999\noauth_refresh_token=t\nwwwauth[]=Basic\n" &&
	cat >expect <<-\EOF &&
	protocol=https
	host=example.com
	path=a/b
	username=u
	password=p
	oauth_refresh_token=t
	password_expiry_utc=99999999999
	wwwauth[]=Basic
	EOF
	test_cmp expect out
'

test_expect_success 'a url is split and decoded, and replaces attributes given before' '
	cred fill "path=gone\nurl=https://us%%40r:pa%%2fss@example.com:80//a/b%%20c/\n" &&
	cat >expect <<-\EOF &&
	protocol=https
	host=example.com:80
	path=a/b c
	username=us@r
	password=pa/ss
	EOF
	test_cmp expect out &&
	cred fill "url=cert:///a@b:c\nusername=u\npassword=p\n" &&
	printf "%s\n" protocol=cert host= path=a@b:c username=u password=p >expect &&
	test_cmp expect out
'

test_expect_success 'a url with an encoded line feed, or none at all, is refused' '
	for url in https://x%%0ahost=evil@example.com/ https://u:p%%0a@example.com/ https://exam%%0aple.com/ https://example.com/%%0a
	do
		test_must_fail cred fill "url=$url\nusername=u\npassword=p\n" &&
		test_must_be_empty out &&
		test_grep "contains a newline" err || return 1
	done &&
	test_must_fail cred fill "url=example.com\n" &&
	test_grep "url has no scheme: example.com" err
'

test_expect_success 'malformed descriptions' '
	test_must_fail cred fill "protocol\n" &&
	test_grep "invalid credential line: protocol" err &&
	test_must_fail cred fill "${BASE}username=a\\0b\npassword=p\n" &&
	test_grep NUL err &&
	test_must_fail cred fill "protocol=https\nusername=u\npassword=p\n" &&
	test_grep "missing host field" err &&
	test_must_fail cred fill "host=h\nusername=u\npassword=p\n" &&
	test_grep "missing protocol field" err &&
	test_must_fail cred fill "${BASE}ephemeral=perhaps\n" &&
	test_grep "bad boolean" err &&
	{ printf "$BASE" && yes "wwwauth[]=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" | head -n 30000; } >many &&
	test_must_fail git credential fill <many 2>err &&
	test_grep "more than 1048576 bytes" err
'

test_expect_success 'an empty line ends it; line ends may be CR LF' '
	cred fill "protocol=https\r\nhost=example.com\r\nusername=u\r\npassword=p\r\n\r\nhost=other\r\n" &&
	printf "%s\n" protocol=https host=example.com username=u password=p >expect &&
	test_cmp expect out
'

test_expect_success PYTHON 'an empty line is enough: the caller need not close the pipe' '
	timeout 500 python3 -c "
import subprocess, sys
p = subprocess.Popen([\"git\", \"credential\", \"fill\"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
p.stdin.write(b\"protocol=https\nhost=h\nusername=u\npassword=p\n\n\")
p.stdin.flush()
sys.stdout.write(p.stdout.read().decode())
" >out &&
	test_line_count = 4 out
'

test_expect_success 'a carriage return in a value reaches neither helper nor caller' '
	rm -f note.* &&
	test_must_fail cred fill "protocol=https\nhost=exam\rple.com\n" -c credential.helper=note &&
	test_grep "value for host contains carriage return" err &&
	test_grep "credential.protectProtocol=false" err &&
	test_path_is_missing note.get &&
	test_must_fail cred fill "url=https://u:p%%0dq@example.com/\n" &&
	test_must_be_empty out &&
	test_must_fail cred approve "${BASE}username=u\rv\npassword=p\n" -c credential.helper=note &&
	test_path_is_missing note.store &&
	test_must_fail cred fill "protocol=https\nhost=exam\rple.com\nusername=u\n" -c credential.helper=note -c credential.protectProtocol=false &&
	printf "protocol=https\nhost=exam\rple.com\nusername=u\n" >expect &&
	test_cmp expect note.get
'

test_expect_success 'helpers are asked in order until both are known' '
	rm -f say.* note.* &&
	cred fill "${BASE}path=x\n" -c credential.helper="say username=u" \
		-c credential.helper="say password=p" -c credential.helper=note &&
	printf "%s\n" protocol=https host=example.com username=u password=p >expect &&
	test_cmp expect out &&
	printf "%s\n" protocol=https host=example.com username=u >expect &&
	test_cmp expect say.get &&
	test_path_is_missing note.get
'

test_expect_success 'the three forms of a helper; one that fails does not matter' '
	cred fill "$BASE" -c credential.helper="!false" -c credential.helper=is-not-there \
		-c credential.helper="!f() { test \$1 = get && echo username=u; }; f" \
		-c credential.helper="$PWD/git-credential-say password=p" &&
	test_grep "^username=u" out &&
	test_grep "^password=p" out
'

test_expect_success 'fill warns about malformed lines of a helper and ignores them' '
	test_must_fail cred fill "$BASE" -c credential.helper="!echo bogus;:" &&
	test_grep "warning: invalid credential line: bogus" err &&
	test_must_fail cred fill "$BASE" -c credential.helper="!yes username=x | head -n 200000;:" &&
	test_grep "warning: .*1048576" err
'

test_expect_success 'a helper can end it' '
	rm -f asked &&
	test_must_fail env GIT_ASKPASS="$PWD/ask" git -c credential.helper="!echo quit=1;:" \
		-c credential.helper="say username=u" credential fill <<-\EOF 2>err &&
	protocol=https
	host=example.com
	EOF
	test_grep "told us to quit" err &&
	test_path_is_missing asked
'

test_expect_success 'an empty helper forgets those before it; an absent value is an error' '
	rm -f say.* &&
	test_must_fail cred fill "$BASE" -c credential.helper="say username=u" -c credential.https://example.com.helper= &&
	test_path_is_missing say.get &&
	test_must_fail cred fill "$BASE" -c credential.helper &&
	test_grep "credential.helper" err
'

test_expect_success 'an expired password is none' '
	cred fill "$BASE" -c credential.helper="say username=u\\\\npassword=old\\\\npassword_expiry_utc=5\\\\n" \
		-c credential.helper="!echo password=new;:" &&
	printf "%s\n" protocol=https host=example.com username=u password=new >expect &&
	test_cmp expect out &&
	for never in 0 -1 abc 99999999999999999999
	do
		cred fill "$BASE" -c credential.helper="!echo username=u;echo password=p;echo password_expiry_utc=$never;:" &&
		test_grep "^password=p" out && test_grep ! expiry out || return 1
	done
'

# fits YES|NO DESCRIPTION URL: does credential.URL fit?
fits () {
	test_might_fail cred fill "$2" -c "credential.$3.helper=!echo username=u;echo password=p;:" &&
	case $1 in
	yes) test_grep "password=p" out ;;
	no) test_must_be_empty out ;;
	esac
}

test_expect_success 'credential.<url> applies to URLs that match it' '
	fits yes "${BASE}" https://example.com &&
	fits yes "${BASE}" https://EXAMPLE.com:443/ &&
	fits yes "${BASE}" "https://*.com" &&
	fits no "${BASE}" http://example.com &&
	fits no "${BASE}" https://www.example.com &&
	fits no "${BASE}" https://example.com:8443 &&
	fits no "${BASE}" https://other@example.com &&
	fits yes "${BASE}username=other\n" https://other@example.com &&
	fits yes "${BASE}path=a/b\n" https://example.com/a &&
	fits no "${BASE}path=ab\n" https://example.com/a &&
	fits yes "${BASE}" example.com &&
	fits yes "${BASE}" https:// &&
	fits no "${BASE}" http:// &&
	fits no "${BASE}" other.com &&
	fits no "${BASE}" "*.com" &&
	fits yes "${BASE}path=a\n" /a &&
	fits no "${BASE}path=a/b\n" /a
'

test_expect_success 'a username of the configuration, for whom none is given' '
	cred fill "$BASE" -c credential.username=one -c credential.https://example.com.username=two \
		-c credential.helper="!echo password=p;:" &&
	test_grep "^username=two" out &&
	cred fill "${BASE}username=mine\n" -c credential.username=one -c credential.helper="!echo password=p;:" &&
	test_grep "^username=mine" out
'

test_expect_success 'the path is for helpers only where it is wanted' '
	cred fill "${BASE}path=a\n" -c credential.helper="say username=u\\\\npassword=p" &&
	test_grep ! path say.get &&
	cred fill "${BASE}path=a\n" -c credential.helper="say username=u\\\\npassword=p" -c credential.useHttpPath=true &&
	test_grep path=a say.get &&
	cred fill "protocol=ftp\nhost=h\npath=a\n" -c credential.helper="say username=u\\\\npassword=p" &&
	test_grep path=a say.get &&
	test_must_fail cred fill "${BASE}path=a\n" -c credential.useHttpPath=perhaps
'

test_expect_success 'capabilities: only a client that announced one gets its attributes' '
	cat >answer <<-\EOF &&
	capability[]=authtype
	capability[]=state
	authtype=Bearer
	credential=token
	ephemeral=1
	continue=1
	state[]=note:1
	username=u
	password=p
	EOF
	cred fill "$BASE" -c credential.helper="!cat >asked.by; cat answer;:" &&
	printf "%s\n" protocol=https host=example.com username=u password=p >expect &&
	test_cmp expect out &&
	printf "%s\n" protocol=https host=example.com >expect &&
	test_cmp expect asked.by &&

	cred fill "capability[]=authtype\n$BASE" -c credential.helper="!cat >asked.by; cat answer;:" &&
	printf "%s\n" "capability[]=authtype" authtype=Bearer credential=token ephemeral=1 protocol=https host=example.com username=u password=p >expect &&
	test_cmp expect out &&
	printf "%s\n" "capability[]=authtype" protocol=https host=example.com >expect &&
	test_cmp expect asked.by &&

	cred fill "capability[]=state\ncapability[]=authtype\n${BASE}state[]=note:0\nwwwauth[]=A\nwwwauth[]=\nwwwauth[]=B\n" \
		-c credential.helper="!cat >asked.by; cat answer;:" &&
	test_grep "^state\[\]=note:1" out &&
	test_grep ! "note:0" out &&
	test_grep "^continue=1" out &&
	test_grep "^state\[\]=note:0" asked.by &&
	test_grep "wwwauth\[\]=B" asked.by &&
	test_grep ! "wwwauth\[\]=A" asked.by
'

test_expect_success 'fill ignores authtype from a helper that did not announce it' '
	rm -f note.get &&
	test_must_fail cred fill "capability[]=authtype\n$BASE" -c credential.helper="!echo authtype=x;echo credential=y;:" \
		-c credential.helper=note &&
	test_path_is_file note.get &&
	test_grep ! "credential=y" note.get
'

test_expect_success 'approve and reject tell every helper' '
	rm -f note.* say.* &&
	cred approve "capability[]=authtype\n${BASE}path=a\nusername=u\npassword=p\n" -c credential.helper="say -" -c credential.helper=note &&
	printf "%s\n" "capability[]=authtype" protocol=https host=example.com username=u password=p >expect &&
	test_cmp expect note.store &&
	test_cmp expect say.store &&
	cred reject "${BASE}username=u\npassword=p\n" -c credential.helper="say -" -c credential.helper=note &&
	printf "%s\n" protocol=https host=example.com username=u password=p >expect &&
	test_cmp expect note.erase &&
	test_cmp expect say.erase &&
	test_must_be_empty out &&
	rm -f note.* &&
	cred approve "${BASE}username=u\n" -c credential.helper=note &&
	cred approve "${BASE}username=u\npassword=p\npassword_expiry_utc=3\n" -c credential.helper=note &&
	test_path_is_missing note.store
'

test_expect_success 'output of helpers for store and erase is ignored' '
	cred approve "${BASE}username=u\npassword=p\n" -c credential.helper="!echo host=evil;:" &&
	test_must_be_empty out
'

test_expect_success 'the program that asks' '
	test_when_finished "unset GIT_ASKPASS SSH_ASKPASS" &&
	rm -f asked &&
	GIT_ASKPASS=$PWD/ask && export GIT_ASKPASS &&
	cred fill "${BASE}path=a b\n" &&
	printf "%s\n" protocol=https host=example.com username=me password=secret >expect &&
	test_cmp expect out &&
	cat >expect <<-\EOF &&
	Username for '\''https://example.com'\'':
	Password for '\''https://me@example.com'\'':
	EOF
	sed "s/ \$//" asked >actual &&
	test_cmp expect actual &&
	GIT_ASKPASS= SSH_ASKPASS=$PWD/ask && export SSH_ASKPASS &&
	test_must_fail cred fill "$BASE" &&
	unset GIT_ASKPASS &&
	test_must_fail cred fill "$BASE" -c core.askPass= &&
	cred fill "$BASE" &&
	unset SSH_ASKPASS &&
	cred fill "$BASE" -c core.askPass="$PWD/ask" &&
	GIT_ASKPASS=false && export GIT_ASKPASS &&
	test_must_fail cred fill "$BASE" &&
	test_grep "unable to read askpass response from .false" err &&
	test_grep "terminal prompts disabled" err
'

test_expect_success 'control characters are encoded in prompts' '
	test_when_finished "unset GIT_ASKPASS" &&
	rm -f asked &&
	GIT_ASKPASS=$PWD/ask && export GIT_ASKPASS &&
	cred fill "protocol=https\nhost=ex\033[1mample.com\nusername=a\001%%\n" &&
	test_grep "https://a%01%25@ex%1B\[1mample.com" asked &&
	rm asked &&
	cred fill "protocol=https\nhost=ex\033[1mample.com\nusername=a\n" -c credential.sanitizePrompt=false &&
	test_grep "https://a@ex$(printf "\033")\[1mample.com" asked
'

test_expect_success 'credential.interactive=false or never: no prompt' '
	test_when_finished "unset GIT_ASKPASS" &&
	rm -f asked &&
	GIT_ASKPASS=$PWD/ask && export GIT_ASKPASS &&
	for no in false never
	do
		test_must_fail cred fill "$BASE" -c credential.interactive=$no || return 1
	done &&
	test_path_is_missing asked &&
	cred fill "$BASE" -c credential.interactive=true &&
	unset GIT_ASKPASS &&
	test_must_fail cred fill "$BASE" &&
	test_grep "could not read Username for .https://example.com.: terminal prompts disabled" err &&
	test_must_fail env GIT_TERMINAL_PROMPT=x git credential fill <<-\EOF 2>err &&
	url=https://example.com
	EOF
	test_grep "bad boolean environment value .x." err
'

cat >on-terminal.py <<\SCRIPT_END
# Runs a command on a terminal of its own; SCRIPT: what to wait for, what to type, and so on.
import os, pty, select, signal, sys, termios, time
pid, fd = pty.fork()
if pid == 0:
    os.execvp("sh", ["sh", "-c", sys.argv[1]])
seen = b""
def wait(text):
    global seen
    end = time.time() + 500
    while text not in seen:
        if time.time() > end:
            sys.exit("timeout; seen: %r" % seen)
        if not select.select([fd], [], [], 1)[0]:
            continue
        try:
            data = os.read(fd, 1000)
        except OSError:
            break
        if not data:
            break
        seen += data
def echo():
    return bool(termios.tcgetattr(fd)[3] & termios.ECHO)
for what in sys.argv[2:]:
    if what.startswith("wait:"):
        wait(what[5:].encode())
    elif what == "echo" or what == "noecho":
        if echo() != (what == "echo"):
            sys.exit("echo is %s" % echo())
    elif what.startswith("type:"):
        os.write(fd, what[5:].encode().decode("unicode_escape").encode())
sys.stdout.write(seen.decode())
_, status = os.waitpid(pid, 0)
SCRIPT_END

test_expect_success PYTHON 'the terminal: a password is not shown while it is typed' '
	unset GIT_TERMINAL_PROMPT &&
	test_when_finished "GIT_TERMINAL_PROMPT=0 && export GIT_TERMINAL_PROMPT" &&
	python3 on-terminal.py "printf \"protocol=https\nhost=h\n\" | git credential fill >answer; echo rc=\$?" \
		"wait:Username for '\''https://h'\'': " echo "type:me\n" \
		"wait:Password for '\''https://me@h'\'': " noecho "type:secret\n" wait:rc=0 >seen &&
	test_grep me seen &&
	test_grep ! secret seen &&
	printf "%s\n" protocol=https host=h username=me password=secret >expect &&
	test_cmp expect answer
'

test_expect_success PYTHON 'Ctrl-C ends the question, and turns the echo of the terminal on again' '
	unset GIT_TERMINAL_PROMPT &&
	test_when_finished "GIT_TERMINAL_PROMPT=0 && export GIT_TERMINAL_PROMPT" &&
	python3 on-terminal.py "trap : INT; printf \"protocol=https\nhost=h\nusername=u\n\" | git credential fill >answer; echo rc=\$?; read line" \
		"wait:Password for" noecho "type:\003" wait:rc=130 echo "type:\n" >seen &&
	test_must_be_empty answer
'

test_expect_success PYTHON 'Ctrl-D is no answer' '
	unset GIT_TERMINAL_PROMPT &&
	test_when_finished "GIT_TERMINAL_PROMPT=0 && export GIT_TERMINAL_PROMPT" &&
	python3 on-terminal.py "printf \"protocol=https\nhost=h\nusername=u\n\" | git credential fill >answer; echo rc=\$?" \
		"wait:Password for" noecho "type:\004" wait:rc=128 >seen &&
	test_grep "could not read Password" seen
'

test_expect_success 'usage and capabilities' '
	test_expect_code 129 git credential &&
	test_expect_code 129 git credential bogus </dev/null &&
	test_expect_code 129 git credential fill more </dev/null &&
	git credential capability >out &&
	printf "%s\n" "version 0" "capability authtype" "capability state" >expect &&
	test_cmp expect out
'

# same ACTION DESCRIPTION OPTIONS: as stock git, in output and exit code
same () {
	local action=$1 text=$2 ours=0 theirs=0
	shift 2
	printf "$text" | git "$@" credential $action >out.ours 2>err.ours || ours=$?
	printf "$text" | stock "$@" credential $action >out.theirs 2>err.theirs || theirs=$?
	test "$ours" = "$theirs" && test_cmp out.theirs out.ours
}

test_expect_success PEER 'as stock git' '
	for url in "https://us%%40r:pa%%2fss@e.com:80/a/b%%20c/" cert:///a/b "http://u:p@" nope "http://u:p@e.com/%%0a" \
		"http://u%%00x:p@e.com/" "://u:p@e.com/" "https://u:p@e.com//a/b//" "https://u:p@e.com/a?x=1/y" \
		"https://u@v:p:q@e.com?x=1/y" "https://e.com/a@b:c" "https://@e.com/" "https://:@e.com/" "https://:p@e.com" \
		"https://u:@e.com/" "https://u:p@[::1]:80/" "ht%%74ps://u%%zz:p%%4@e%%2ecom/%%"
	do
		same fill "url=$url\n" && same fill "url=$url\nusername=yy\npassword=xx\n" || return 1
	done &&
	same fill "${BASE}path=foo\nusername=k\n" -c credential.helper="!echo password=9;:" -c credential.https://example.com/foo.usehttppath=false -c credential.useHttpPath=true &&
	same fill "${BASE}" -c credential.helper="!echo host=f.com;echo username=a;echo password=b;echo path=zz;echo protocol=x;:" &&
	same fill "${BASE}" -c credential.helper="!echo username=a;echo password=b;echo quit=1;:" &&
	same fill "${BASE}" -c credential.helper="!echo username=a;echo password=b;exit 3;:" &&
	same fill "${BASE}" -c credential.username= -c credential.helper="!echo password=b;:"
'

test_done
