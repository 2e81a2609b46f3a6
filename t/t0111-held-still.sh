#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='readers that are held still while upkeep takes away what they are about to read

At each call by which a reader opens or looks at a file it is stopped. Then several upkeeps run one after the other: all
packs, indexes of several packs, bitmaps, layers of the commit-graph, loose objects and loose refs are replaced, again
and again. Then it goes on, and says what it would have said without them.'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-serve.sh"
in_memory

test_have_prereq STRACE || {
	skip_all='needs strace'
	test_done
}
# Programs that are traced cannot look for their leaks.
ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0
export ASAN_OPTIONS

cat >held.py <<-\EOF
import os, re, signal, subprocess, sys, time

# held.py N UPKEEP COMMAND...: the command, stopped at its N-th call of this kind while UPKEEP runs. 3: it has fewer
n, upkeep, command = sys.argv[1], sys.argv[2], sys.argv[3:]
if os.path.exists("calls"):
    os.unlink("calls")
p = subprocess.Popen(["strace", "-f", "-qq", "-o", "calls", "-e", "trace=%file,getdents64", "-e", "signal=SIGSTOP",
                      "-e", "inject=%file,getdents64:signal=SIGSTOP:when=" + n] + command,
                     stdin=open("input", "rb"), stdout=open("said", "wb"), stderr=open("err", "wb"))
told = 0
while p.poll() is None:
    time.sleep(0.002)
    try:
        stopped = re.findall(r"^(\d+) .*stopped by SIGSTOP", open("calls").read(), re.M)
    except FileNotFoundError:
        continue
    if len(stopped) > told:
        if not told and subprocess.call(["sh", "-c", upkeep]):
            p.kill()
            sys.exit(4)
        # threads and children have calls of their own
        for pid in set(stopped[told:]):
            try:
                os.kill(int(pid), signal.SIGCONT)
            except ProcessLookupError:
                pass
        told = len(stopped)
sys.exit(p.returncode if told or p.returncode else 3)
EOF

test_expect_success 'a repository with one of everything' '
	git init -q -b main one && (
		cd one && git config gc.auto 0 && git config maintenance.auto false && git config core.logAllRefUpdates true &&
		"$GIT_BUILD_DIR/t/helper/random-history" 5 40 x && git repack -dq && git commit-graph write --reachable --split=no-merge &&
		for i in 1 2 3; do
			seq $((i * 100)) >f$i && git add . && git commit -qm $i && git tag -m $i v$i && git repack -dq &&
			git commit-graph write --reachable --split=no-merge || exit
		done && git pack-refs --all && git multi-pack-index write --bitmap &&
		for i in 4 5; do seq $i 90 >f$i && git add . && git commit -qm $i && git branch b$i || exit; done &&
		test $(wc -l <.git/objects/info/commit-graphs/commit-graph-chain) -ge 3 &&
		find .git/objects -path "*/??/*" -type f >loose && test $(wc -l <loose) -gt 5 && rm loose
	) && MAIN=$(git -C one rev-parse main)
'

# Each has other packs than the one before: what a reader finds when it looks again may go, too.
UPKEEP='cd copy && git gc -q && git repack -adfq --depth=3 --no-write-bitmap-index && git commit-graph write --reachable &&
	git -c pack.compression=1 repack -adFq --write-midx'

# names <PACK: the objects in it
names () {
	rm -rf got.git && git init -q --bare got.git && git -C got.git index-pack --stdin >/dev/null &&
	git -C got.git cat-file --batch-all-objects --batch-check
}
# Names of files come with a walk, and none with bitmaps.
first_words () {
	cut -d" " -f1 | sort
}
answer_names () {
	"$PKT" decode pack >/dev/null && names <pack
}
# What nothing leads to may have been packed or not. A multi-pack-index may name packs that went while it was made: what it
# says of these is passed over.
all () {
	git -C copy -c core.multiPackIndex=false fsck --strict --no-dangling --no-reflogs && git -C copy rev-list --objects --all --reflog | sort && git -C copy for-each-ref
}

# held VIEW COMMAND...: at each call, and each time the same answer, seen through VIEW; as a rule only at some calls
case $GIT_TEST_LONG in '') STEP=37 ;; *) STEP=1 ;; esac
FIRST=0
held () {
	local n view=$1 code
	shift
	FIRST=$((FIRST % STEP + 1)) && n=$FIRST
	rm -rf copy && cp -a one copy && "$@" <input >wanted && $view <wanted >wanted.view || return
	while :; do
		rm -rf copy && cp -a one copy && code=0 && { python3 held.py $n "$UPKEEP" "$@" || code=$?; }
		test $code = 3 && break
		if test "${MAY_FAIL:-$code}" != 0 || ! $view <said >said.view || ! cmp wanted.view said.view; then
			echo "held at $n: $code" >&4 && cat err >&4; grep -B3 -A3 "stopped by" calls >&4
			return 1
		fi
		n=$((n + STEP))
	done
	echo "$n calls" >&4 && test $n -gt 30
}

: >input
for cmd in "log -p --all --format=%H%d%s" "for-each-ref --format=%(objectname)%(refname)%(subject)%(*subject)" \
	"fsck --no-dangling --no-reflogs --no-progress" "archive main" "status" "describe --all --contains HEAD~3" "branch -vv --contains main~4"
do
	test_expect_success "$cmd" '
		held cat git -C copy $cmd
	'
done

for cmd in "rev-list --objects --all" "rev-list --use-bitmap-index --objects --all" "cat-file --batch-all-objects --batch-check --unordered"
do
	test_expect_success "$cmd" '
		held first_words git -C copy $cmd
	'
done

for cmd in "pack-objects --all --stdout" "pack-objects --all --stdout --use-bitmap-index"
do
	test_expect_success "$cmd" '
		held names git -C copy $cmd
	'
done

test_expect_success 'upload-pack' '
	fetch_request "want $MAIN" done | "$PKT" encode >input && GIT_PROTOCOL=version=2 && export GIT_PROTOCOL &&
	sandboxes=false && { test_have_prereq SANITIZE || ! git -c core.sandbox=true upload-pack --stateless-rpc copy <input >answer || sandboxes="true false"; } &&
	for sandbox in $sandboxes; do held answer_names git -c core.sandbox=$sandbox upload-pack --stateless-rpc copy || return 1; done &&
	: >input && unset GIT_PROTOCOL
'

# Those that write, too: they, or the upkeep, may find a lock or miss something, but nothing is lost.
UPKEEP="( $UPKEEP ) 2>/dev/null || :" MAY_FAIL=0
for cmd in "repack -adq" "repack -dq --geometric=2 --write-midx" "gc -q" "commit-graph write --reachable" "multi-pack-index write --bitmap" "pack-refs --all"
do
	test_expect_success "$cmd" '
		held all git -C copy $cmd
	'
done

# Each call that opens a table or the list of tables, or looks at it; strace counts each kind of call of each process by itself.
UPKEEP='cd copy && for i in 1 2 3; do
	git update-ref refs/heads/comes main && git pack-refs && git update-ref -d refs/heads/comes && git reflog expire --expire=now refs/heads/x$i &&
	git pack-refs || exit
done'
held_at_tables () {
	local n numbers
	rm -rf copy && cp -a one copy && "$@" <input >wanted && strace -f -qq -o calls -e trace=%file,getdents64 "$@" <input >said &&
	numbers=$(awk "{ split(\$2, call, \"(\"); n = ++nr[\$1, call[1]] } /reftable\// { print n }" calls | sort -nu) && test -n "$numbers" || return
	for n in $numbers; do
		rm -rf copy && cp -a one copy && python3 held.py $n "$UPKEEP" "$@" && cmp wanted said && continue
		echo "held at $n: $(cat err)" >&4 && return 1
	done
	echo $numbers >&4
}

test_expect_success 'refs in tables' '
	rm -rf one && git init -q -b main --ref-format=reftable one && git -C one commit -q --allow-empty -m one &&
	for i in 1 2 3; do git -C one branch x$i && git -C one commit -q --allow-empty -m $i || return 1; done &&
	seq 3000 | sed "s,.*,create refs/many/&-and-a-longer-name $(git -C one rev-parse main)," | git -C one update-ref --stdin &&
	test_commit -C one last && test_line_count -gt 1 one/.git/reftable/tables.list
'

for cmd in for-each-ref "rev-parse main x1 HEAD~1" "log -g --format=%gd%gs main" "ls-remote ." "branch -v"
do
	test_expect_success "refs in tables: $cmd" '
		held_at_tables git -C copy $cmd
	'
done

test_done
