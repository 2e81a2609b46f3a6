#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='upload-pack: no work goes on for a client that has gone away'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-serve.sh"
in_memory

# Programs that are traced cannot look for their leaks.
ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0
export ASAN_OPTIONS

# Whether somebody is there is asked at every 1024 commits and trees. All objects are loose: each that is read is opened.
STEPS=1024

test_expect_success 'set up a history of loose objects' '
	git init -q -b main repo && git -C repo config uploadpack.keepAlive 0 && git -C repo config bulkCheckin.unpackLimit 10000000 && git -C repo hash-object -w -t tree /dev/null &&
	(cd repo && "$GIT_BUILD_DIR/t/helper/random-history" 1 4000 x) &&
	ls repo/.git/objects/?? | grep -c . >n && test $(cat n) -gt 10000 && test_path_is_missing repo/.git/objects/pack/pack-* &&
	TIP=$(git -C repo commit-tree -m top $(git -C repo for-each-ref --format="-p %(objectname)" refs/heads/) $EMPTY_TREE) &&
	git -C repo update-ref refs/heads/top $TIP &&
	git -C repo rev-list --count $TIP >n && test $(cat n) -gt $((STEPS * 3)) &&
	ROOT=$(git -C repo rev-list --max-parents=0 $TIP | tail -n 1) &&
	git -C repo for-each-ref --format="want %(objectname)" refs/heads/ refs/tags/ | sort -u >wants
'

cat >gone.py <<-\EOF
import os, socket, subprocess, sys

# A client that has closed: "pipe" or "socket"; "half": it only writes no more.
kind, request, answer = sys.argv[1:4]
with open(request, "rb") as f:
    data = f.read()
if kind == "pipe":
    r, out = os.pipe()
    os.close(r)
    p = subprocess.Popen(sys.argv[4:], stdin=subprocess.PIPE, stdout=out)
    os.close(out)
    p.communicate(data)
    sys.exit(p.returncode)
ours, theirs = socket.socketpair()
ours.sendall(data)
if kind == "socket":
    # both ends of it, as a program that has been killed leaves them
    ours.close()
else:
    ours.shutdown(socket.SHUT_WR)
p = subprocess.Popen(sys.argv[4:], stdin=theirs, stdout=theirs)
theirs.close()
if kind == "half":
    with open(answer, "wb") as f:
        while True:
            got = ours.recv(1 << 16)
            if not got:
                break
            f.write(got)
sys.exit(p.wait())
EOF

# gone KIND LINES [OPTIONS...]: asked by a client that has gone already; the exit code. `opened`: objects that were read
gone () {
	local t_kind=$1 t_lines=$2 t_code=0
	shift 2
	"$PKT" encode <"$t_lines" >request || return 125
	GIT_PROTOCOL=${PROTOCOL-version=2} strace -f --seccomp-bpf -qq -o calls -e trace=openat,open python3 gone.py $t_kind request raw \
		git "$@" upload-pack ${STATELESS---stateless-rpc} repo 2>err || t_code=$?
	opened=$(grep -c "objects/[0-9a-f][0-9a-f]/[0-9a-f]" calls)
	return $t_code
}

# What comes before the walk: the wants, and what they are.
few () {
	test $opened -le $((STEPS + 100)) && test $opened -ge $((STEPS / 2)) && test_grep "the client is gone" err
}

# stops KIND LINES: nothing is done for such a client beyond that
stops () {
	gone "$@"
	test $? = 128 && few
}

{ echo command=fetch && echo object-format=$TEST_HASH && echo 0001; } >begin

test_expect_success PYTHON,STRACE 'walks of many objects go on as long as the client waits' '
	{ cat begin && echo "want $TIP" && echo "have $ROOT" && echo 0000; } >ready.lines &&
	{ cat begin && echo "want $TIP" && echo "deepen 1000000" && echo done && echo 0000; } >deepen.lines &&
	{ cat begin && echo "want $TIP" && echo "deepen-since 1" && echo done && echo 0000; } >since.lines &&
	{ cat begin && sort -u wants && echo done && echo 0000; } >whole.lines &&
	for k in ready deepen since; do gone half $k.lines && test $opened -gt $((STEPS * 2)) || return 1; done &&
	gone half whole.lines && test $opened -gt 10000 &&
	"$PKT" decode pack <raw >answer && git -C repo rev-list --objects --all | cut -d" " -f1 | sort -u >wanted && pack_holds wanted
'

for kind in pipe socket
do
	test_expect_success PYTHON,STRACE "a $kind that is closed: negotiation" '
		stops '$kind' ready.lines
	'
	test_expect_success PYTHON,STRACE "a $kind that is closed: boundaries" '
		stops '$kind' deepen.lines && stops '$kind' since.lines
	'
	test_expect_success PYTHON,STRACE "a $kind that is closed: is it reachable?" '
		printf "%s\n" "want $ROOT" 0000 done >reach.lines &&
		(PROTOCOL=version=0 && stops '$kind' reach.lines -c transfer.hideRefs=refs -c transfer.hideRefs=!refs/heads/top)
	'
done

# The first thing that is written is the head of the section; the server is stopped there, until its client has gone.
cat >stopped.py <<-\EOF
import os, re, signal, subprocess, sys, time

request = open(sys.argv[1], "rb")
p = subprocess.Popen(["strace", "-f", "-qq", "-o", "calls", "-e", "trace=open,openat,write,writev",
                      "-e", "inject=write:signal=SIGSTOP:when=1"] + sys.argv[2:],
                     stdin=request, stdout=subprocess.PIPE)
head = os.read(p.stdout.fileno(), 13)
while True:
    with open("calls") as f:
        stopped = re.search(r"^(\d+) .*stopped by SIGSTOP", f.read(), re.M)
    if stopped or p.poll() is not None:
        break
    time.sleep(0.01)
p.stdout.close()
if stopped:
    os.kill(int(stopped.group(1)), signal.SIGCONT)
code = p.wait()
sys.exit(125 if head != b"000dpackfile\n" or not stopped else code)
EOF

# What was read after that
count_opened () {
	opened=$(sed "1,/stopped by SIGSTOP/d" calls | grep -c "objects/[0-9a-f][0-9a-f]/[0-9a-f]")
}

test_expect_success PYTHON,STRACE 'a client that goes while objects are counted' '
	for f in "" "filter tree:0" "filter tree:1"; do
		{ cat begin && echo no-progress && echo "want $TIP" && echo "${f:-ofs-delta}" && echo done && echo 0000; } >lines &&
		"$PKT" encode <lines >request &&
		test_expect_code 128 env GIT_PROTOCOL=version=2 python3 stopped.py request \
			git -c uploadpack.allowFilter=true upload-pack --stateless-rpc repo 2>err &&
		count_opened && few || return 1
	done
'

test_done
