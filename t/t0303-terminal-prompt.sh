#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='questions for a user name and a password on a terminal'
. "$(dirname "$0")/test-lib.sh"

if ! test_have_prereq PYTHON
then
	skip_all='no Python'
	test_done
fi

SQ="'"

# on_terminal STEP...: runs "git credential fill" on a terminal of its own. A STEP is "expect:TEXT", "echo:on", "echo:off",
# "send:TEXT", "int" (Ctrl-C) or "end:CODE". What git printed on the terminal is in screen, its standard output in out.
cat >on-terminal.py <<'EOF'
import os, pty, select, sys, termios

def echoes(fd):
    return bool(termios.tcgetattr(fd)[3] & termios.ECHO)

out = os.open("out", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
request = os.open("request", os.O_RDONLY)
keep, terminal = pty.openpty() # the settings of this terminal outlive git
pid = os.fork()
if not pid:
    os.setsid()
    os.close(os.open(os.ttyname(terminal), os.O_RDWR)) # the controlling terminal
    os.dup2(request, 0); os.dup2(out, 1); os.dup2(terminal, 2)
    os.execvp("git", ["git", "credential", "fill"])
screen = b""
for step in sys.argv[1:]:
    what, _, text = step.partition(":")
    if what == "expect":
        while text.encode() not in screen:
            if not select.select([keep], [], [], 60)[0]:
                sys.exit("no %r in %r" % (text, screen))
            screen += os.read(keep, 4096)
    elif what == "echo":
        if echoes(terminal) != (text == "on"):
            sys.exit("echo is not %s" % text)
    elif what == "send":
        os.write(keep, text.encode() + b"\n")
    elif what == "int":
        os.write(keep, b"\x03")
    elif what == "end":
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if code != int(text):
            sys.exit("ended with %d, not %s" % (code, text))
while select.select([keep], [], [], 0)[0]:
    screen += os.read(keep, 4096)
open("screen", "wb").write(screen)
EOF
on_terminal() {
	python3 on-terminal.py "$@"
}

test_expect_success 'set up' '
	printf "protocol=https\nhost=h.example\n\n" >request &&
	unset GIT_TERMINAL_PROMPT GIT_ASKPASS SSH_ASKPASS
'

test_expect_success 'both questions are asked on the terminal; the password is not echoed, and echo comes back' '
	on_terminal "expect:Username for ${SQ}https://h.example${SQ}: " echo:on send:ann \
		"expect:Password for ${SQ}https://ann@h.example${SQ}: " echo:off send:secret end:0 echo:on &&
	printf "protocol=https\nhost=h.example\nusername=ann\npassword=secret\n" >expect && test_cmp expect out &&
	test_grep ann screen && test_grep ! secret screen
'

test_expect_success 'an interrupt at the password brings echo back' '
	on_terminal "expect:Username" send:ann "expect:Password" echo:off int end:-2 echo:on && test_must_be_empty out
'

test_expect_success 'GIT_TERMINAL_PROMPT=0: no question' '
	GIT_TERMINAL_PROMPT=0 && export GIT_TERMINAL_PROMPT &&
	on_terminal "expect:could not read Username" "expect:terminal prompts disabled" end:128 echo:on &&
	test_grep ! "Username for .*: $" screen && test_must_be_empty out
'

test_done
