# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC3043
#
# The test library: TAP on stdout, one fresh directory per script, a clean
# environment, our git first on PATH. See t/README for how to write a test.
#
#	test_description='the subject of this script'
#	. "$(dirname "$0")/test-lib.sh"
#
#	test_expect_success 'title' '
#		git init repo &&
#		test_path_is_dir repo/.git
#	'
#	test_done
#
# Everything whose name begins with T_ or t_ belongs to this file.

# ---- signals --------------------------------------------------------------

# Signals that the caller ignores (nohup, a background job, some programs that run tests) stay
# ignored in a shell and in all its children: start the script again with none ignored.
t_ignored=$(sed -n 's/^SigIgn:[^1-9a-f]*//p' /proc/self/status 2>/dev/null)
if test -n "$t_ignored" && test -z "$T_BEGUN_ANEW" && perl -e 1 2>/dev/null; then
	T_BEGUN_ANEW=1
	export T_BEGUN_ANEW
	exec perl -e '
		$SIG{$_} = "DEFAULT" for qw(HUP INT QUIT USR1 USR2 PIPE ALRM TERM CHLD);
		exec @ARGV' "${TEST_SHELL:-/bin/sh}" "$0" "$@"
fi
unset t_ignored T_BEGUN_ANEW

# ---- options --------------------------------------------------------------

T_VERBOSE= T_IMMEDIATE= T_TRACE= T_KEEP= T_ONLY=
T_ARGS="$*"
while test $# -gt 0; do
	case "$1" in
	-v|--verbose)	T_VERBOSE=1 ;;
	-i|--immediate)	T_IMMEDIATE=1 ;;
	-x)		T_TRACE=1 ;;
	-d|--debug)	T_KEEP=1 ;;
	--run=*)	T_ONLY=",${1#*=}," ;;
	--root=*)	GIT_TEST_ROOT=${1#*=} ;;
	*)		echo >&2 "error: unknown option '$1'"; exit 2 ;;
	esac
	shift
done

# ---- paths ----------------------------------------------------------------

unset CDPATH
TEST_DIRECTORY=$(cd "$(dirname "$0")" && pwd -P) || exit 2
while test ! -f "$TEST_DIRECTORY/test-lib.sh"; do
	TEST_DIRECTORY=${TEST_DIRECTORY%/*}
	test -n "$TEST_DIRECTORY" || { echo >&2 "error: no t/ above '$0'"; exit 2; }
done
SOURCE_DIR=${TEST_DIRECTORY%/*}
GIT_BUILD_DIR=${GIT_BUILD_DIR:-$SOURCE_DIR/build}
T_NAME=$(basename "$0" .sh)
T_ORIG_PATH=${T_ORIG_PATH:-$PATH}

# Tests need a real file system, not a tmpfs: that of the build directory.
GIT_TEST_ROOT=${GIT_TEST_ROOT:-$GIT_BUILD_DIR/trash}
mkdir -p "$GIT_TEST_ROOT" && T_ROOT=$(cd "$GIT_TEST_ROOT" && pwd -P) || exit 2
TRASH_DIRECTORY=$T_ROOT/$T_NAME

# The program under test: GIT_TEST_BIN is the directory that holds `git`.
T_BIN=${GIT_TEST_BIN:-$GIT_BUILD_DIR}
if test -n "$GIT_TEST_VALGRIND"; then
	T_REAL_GIT=$T_BIN/git
	T_BIN=$GIT_BUILD_DIR/valgrind-bin
	mkdir -p "$T_BIN"
	cat >"$T_BIN/git.$$" <<-EOS
	#!/bin/sh
	exec valgrind -q --error-exitcode=126 --trace-children=no \\
		$GIT_TEST_VALGRIND_OPTS "$T_REAL_GIT" "\$@"
	EOS
	chmod +x "$T_BIN/git.$$" && mv "$T_BIN/git.$$" "$T_BIN/git"
fi

# ---- python3 --------------------------------------------------------------

# The first python3 on PATH may be the script of a version manager, which takes ten times as long to start as a
# program. Then the first program behind it is used, by a link that is made once for a build.
t_link_python () {
	local dir script= IFS=:
	mkdir -p "$T_PYTHON"
	for dir in $T_ORIG_PATH; do
		test -f "$dir/python3" && test -x "$dir/python3" || continue
		case "$(head -c 2 "$dir/python3")" in
		'#!')	script=1 ;;
		*)	test -z "$script" || ln -s "$dir/python3" "$T_PYTHON/python3"
			return ;;
		esac
	done
}
T_PYTHON=$GIT_BUILD_DIR/t/python
test -d "$T_PYTHON" || t_link_python 2>/dev/null

# ---- the stock git, never our own -----------------------------------------

t_is_ours () {
	test "$1" -ef "$GIT_BUILD_DIR/git" || test "$1" -ef "$T_BIN/git" ||
	"$1" version --build-options 2>/dev/null | grep -qi sluice
}

t_find_stock () {
	local dir IFS=:
	for dir in $T_ORIG_PATH; do
		test -f "$dir/git" && test -x "$dir/git" || continue
		t_is_ours "$dir/git" && continue
		echo "$dir/git"
		return
	done
}

# STOCK_GIT=none: as if there were none.
if test "$STOCK_GIT" = none; then
	STOCK_GIT=
elif test -n "$STOCK_GIT"; then
	if ! test -x "$STOCK_GIT" || t_is_ours "$STOCK_GIT"; then
		echo >&2 "warning: '$STOCK_GIT' is not a stock git"
		STOCK_GIT=
	fi
else
	STOCK_GIT=$(t_find_stock)
fi
# Before 2.45 it cannot open a repository whose refs are in tables.
if test -n "$STOCK_GIT" && test "$GIT_TEST_DEFAULT_REF_FORMAT" = reftable; then
	"$STOCK_GIT" init -h 2>&1 | grep -e --ref-format >/dev/null || STOCK_GIT=
fi

# Without one, its answers are played as tools/record-peers has noted them. The first line of a
# tape lists the tests that cannot go without it. Where it is there, the tape has to have the test.
T_TAPE=$TEST_DIRECTORY/peer/$T_NAME.tape T_PLAY= T_UNPLAYABLE= T_RECORD= T_NOTED= T_ID=0
if test -n "$STOCK_GIT" && test -n "$GIT_TEST_RECORD_PEER"; then
	T_RECORD=$GIT_TEST_RECORD_PEER
elif test -r "$T_TAPE" && test "${GIT_TEST_DEFAULT_HASH:-sha1}" = sha1 && test "${GIT_TEST_DEFAULT_REF_FORMAT:-files}" = files; then
	test -n "$STOCK_GIT" && T_NOTED=1 || T_PLAY=1
	read -r T_UNPLAYABLE <"$T_TAPE"
	T_UNPLAYABLE=" ${T_UNPLAYABLE#*:} "
fi

# What stock init and stock clone copy into a repository: not the hooks that are samples, more files than all others.
# test_stock_template=: the templates of that Git.
test_stock_template=$GIT_BUILD_DIR/t/template
t_make_template () {
	local new=$test_stock_template.$$
	(umask 022 && mkdir -p "$new/branches" "$new/hooks" "$new/info" &&
	echo "Unnamed repository" >"$new/description" && echo "# patterns" >"$new/info/exclude") &&
	mv -T "$new" "$test_stock_template" 2>/dev/null || rm -r "$new"
}
if test -z "$STOCK_GIT"; then
	test_stock_template=
elif ! test -d "$test_stock_template"; then
	t_make_template
fi

# Run the stock git with the PATH that the caller of the tests had.
stock () {
	case "$test_stock_template${GIT_TEMPLATE_DIR+set}: $* " in
	/*:*" init "*|/*:*" clone "*)
		(GIT_TEMPLATE_DIR=$test_stock_template && export GIT_TEMPLATE_DIR && t_stock "$@") ;;
	*)	t_stock "$@" ;;
	esac
}

t_stock () {
	if test -n "$T_PLAY"; then
		t_tape play "$T_TAPE" "$TEST_DIRECTORY/stand-in" "$@"
	elif test -n "$T_RECORD"; then
		PATH="$T_ORIG_PATH" t_tape record "$T_RECORD" "$STOCK_GIT" "$@"
	else
		test -z "$T_NOTED" || echo $T_COUNT >"$T_PRIVATE/asked"
		PATH="$T_ORIG_PATH" "${STOCK_GIT:?no stock git is installed}" "$@"
	fi
}

t_tape () {
	TRASH_DIRECTORY=$TRASH_DIRECTORY PEER_TEST=$T_ID PEER_STATE=$T_PRIVATE/peer-state \
		"$GIT_BUILD_DIR/t/helper/peer-tape" "$@"
}

# A test is named by its title in a tape: others may come before it.
t_id () {
	set -- $(printf '%s' "$1" | cksum)
	echo "$1"
}

# Has the test that has just asked stock Git something been noted?
t_is_noted () {
	local test= id
	test -n "$T_NOTED" && test -r "$T_PRIVATE/asked" && read -r test <"$T_PRIVATE/asked"
	test "$test" = $T_COUNT || return 0
	id=$(t_id "$t_name")
	case "$T_UNPLAYABLE" in *" $id "*) return 0 ;; esac
	grep -aq "^= $id " "$T_TAPE"
}

# ---- a clean environment --------------------------------------------------

for t_var in $(env | sed -n 's/^\(GIT_[A-Za-z0-9_]*\)=.*/\1/p'); do
	case "$t_var" in
	GIT_TEST_*|GIT_BUILD_DIR)	;;
	*)				unset "$t_var" ;;
	esac
done
unset t_var GREP_OPTIONS POSIXLY_CORRECT VISUAL LANGUAGE COLUMNS \
	XDG_CONFIG_HOME XDG_CACHE_HOME SSH_ASKPASS GNUPGHOME NO_COLOR CLICOLOR

LC_ALL=C LANG=C TZ=UTC TERM=dumb EDITOR=: PAGER=cat
HOME=$TRASH_DIRECTORY
GIT_CONFIG_NOSYSTEM=1
GIT_TEST_AUTO_MAINTENANCE=0 # t7900 unsets it
GIT_CEILING_DIRECTORIES=$T_ROOT
GIT_AUTHOR_NAME='Ada Author' GIT_AUTHOR_EMAIL=ada@example.com
GIT_COMMITTER_NAME='Carl Committer' GIT_COMMITTER_EMAIL=carl@example.com
PATH=$T_BIN:$T_PYTHON:$T_ORIG_PATH
export LC_ALL LANG TZ TERM EDITOR PAGER HOME GIT_CONFIG_NOSYSTEM GIT_TEST_AUTO_MAINTENANCE \
	GIT_CEILING_DIRECTORIES GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL \
	GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_BUILD_DIR PATH STOCK_GIT \
	T_ORIG_PATH
# free_port: on standard output, a port of 127.0.0.1 where nobody listens. It lies below the ports that the kernel gives to
# connections, one of which would take it before a server does; scripts that run at the same time begin at different ones.
free_port () {
	python3 - $$ <<-\EOF
	import socket, sys
	for i in range(10000, 32768):
	    port = 10000 + (i + 37 * int(sys.argv[1])) % 22768
	    try:
	        with socket.socket() as s:
	            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
	            s.bind(("127.0.0.1", port))
	    except OSError:
	        continue
	    sys.exit(print(port))
	EOF
}

# await_socket FILE PID: until the process PID listens on the socket FILE
await_socket () {
	while ! python3 -c 'import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])' "$1" 2>/dev/null; do
		kill -0 $2 || return
		sleep 0.05
	done
}

# test_now: seconds; not so where answers are noted, which name commits.
test_now () {
	echo "${GIT_TEST_DATE_NOW:-$(date +%s)}"
}
if test -n "$T_PLAY$T_RECORD"; then
	GIT_TEST_DATE_NOW=1700000000
	GIT_AUTHOR_DATE="$GIT_TEST_DATE_NOW +0000" GIT_COMMITTER_DATE="$GIT_TEST_DATE_NOW +0000"
	export GIT_AUTHOR_DATE GIT_COMMITTER_DATE GIT_TEST_DATE_NOW
fi
umask 022

# Sanitizers end the program with a signal or 126, which no test takes for
# an ordinary failure.
export ASAN_OPTIONS="${ASAN_OPTIONS:-abort_on_error=1:detect_leaks=${GIT_TEST_LEAKS:-0}}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-abort_on_error=1:halt_on_error=1:print_stacktrace=1}"
export LSAN_OPTIONS="${LSAN_OPTIONS:-exitcode=126}"

# ---- variants of the suite ------------------------------------------------

case "${GIT_TEST_DEFAULT_HASH:-sha1}" in
sha1)
	OID_HEXLEN=40
	EMPTY_BLOB=e69de29bb2d1d6434b8b29ae775ad8c2e48c5391
	EMPTY_TREE=4b825dc642cb6eb9a060e54bf8d69288fbee4904
	;;
sha256)
	OID_HEXLEN=64
	EMPTY_BLOB=473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813
	EMPTY_TREE=6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321
	;;
*)
	echo >&2 "error: GIT_TEST_DEFAULT_HASH is sha1 or sha256"
	exit 2
esac
TEST_HASH=${GIT_TEST_DEFAULT_HASH:-sha1}
ZERO_OID=$(printf "%0${OID_HEXLEN}d" 0)
if test -n "$GIT_TEST_DEFAULT_HASH"; then
	GIT_DEFAULT_HASH=$GIT_TEST_DEFAULT_HASH
	export GIT_DEFAULT_HASH
fi

# REFFILES: init makes repositories whose refs are files.
TEST_REF_FORMAT=${GIT_TEST_DEFAULT_REF_FORMAT:-files}
case "$TEST_REF_FORMAT" in
files|reftable) ;;
*)	echo >&2 "error: GIT_TEST_DEFAULT_REF_FORMAT is files or reftable"
	exit 2 ;;
esac
if test -n "$GIT_TEST_DEFAULT_REF_FORMAT"; then
	GIT_DEFAULT_REF_FORMAT=$GIT_TEST_DEFAULT_REF_FORMAT
	export GIT_DEFAULT_REF_FORMAT
fi

# The method is set in a system-wide file, where it interferes least with tests. As many objects as with batch become
# loose files: what tests count does not depend on the method.
TEST_FSYNC_METHOD=${GIT_TEST_FSYNC_METHOD:-batch}
case "$TEST_FSYNC_METHOD" in
batch|fsync|writeout-only) ;;
*)	echo >&2 "error: GIT_TEST_FSYNC_METHOD is batch, fsync or writeout-only"
	exit 2 ;;
esac

t_write_system_config () {
	test -n "$GIT_TEST_FSYNC_METHOD" || return 0
	GIT_CONFIG_SYSTEM=$T_PRIVATE/system-config
	printf '[core]\n\tfsyncMethod = %s\n[bulkCheckin]\n\tunpackLimit = 100\n' "$TEST_FSYNC_METHOD" \
		>"$GIT_CONFIG_SYSTEM"
	export GIT_CONFIG_SYSTEM
	unset GIT_CONFIG_NOSYSTEM
}

# ---- reporting ------------------------------------------------------------

T_COUNT=0 T_FAILED=0 T_SAID_DONE= T_MOUNTS= T_ATEXIT= T_CLEANUP= T_IN_TEST=

# TAP goes to 5; what a test body prints goes to 3 and 4.
exec 5>&1

t_say () {
	printf '%s\n' "$*" >&5
}

# Reports a fault of the test script itself.
t_misuse () {
	echo >&2 "error: $T_NAME: $*"
	T_SAID_DONE=1
	t_say "Bail out! $*"
	exit 99
}

# A '#' in a title would be read as a TAP directive.
t_title () {
	case "$1" in
	*"#"*)	printf '%s\n' "$1" | sed 's/#/\\#/g' ;;
	*)	printf '%s\n' "$1" ;;
	esac
}

t_show_failure () {
	{
		printf '%s\n' "--- $T_NAME: not ok $T_COUNT - $1"
		printf '%s\n' "$2"
		if test -z "$T_VERBOSE"; then
			echo "--- its output:"
			cat "$T_PRIVATE/out"
		fi
		echo "---"
	} | sed 's/^/# /' >&2
}

# ---- prerequisites --------------------------------------------------------

T_SET=" " T_UNSET=" "

test_set_prereq () {
	T_SET="$T_SET$1 "
}

# test_lazy_prereq NAME SCRIPT: decided when first asked for, in an empty
# directory of its own, by the exit code of SCRIPT.
test_lazy_prereq () {
	eval "T_LAZY_$1=\$2"
}

t_decide_lazy () {
	local name="$1" script ok=
	eval "script=\${T_LAZY_$name-}"
	test -n "$script" || return 1
	mkdir -p "$T_PRIVATE/lazy-$name" &&
	(cd "$T_PRIVATE/lazy-$name" && eval "$script") </dev/null >/dev/null 2>&1 && ok=1
	rm -rf "$T_PRIVATE/lazy-$name"
	if test -n "$ok"; then T_SET="$T_SET$name "; else T_UNSET="$T_UNSET$name "; fi
	test -n "$ok"
}

t_have_one () {
	case "$T_SET" in *" $1 "*) return 0 ;; esac
	case "$T_UNSET" in *" $1 "*) return 1 ;; esac
	t_decide_lazy "$1"
}

# test_have_prereq A,!B: succeeds if all hold; T_MISSING is the first that does not.
test_have_prereq () {
	local one all="$1"
	case "$all" in *,*) all=$(echo "$all" | tr , ' ') ;; esac
	for one in $all; do
		T_MISSING=$one
		case "$one" in
		!*)	! t_have_one "${one#!}" || return 1 ;;
		*)	t_have_one "$one" || return 1 ;;
		esac
	done
	T_MISSING=
}

test_lazy_prereq STOCK_GIT 'test -n "$STOCK_GIT"'
# ... or its answers have been noted.
test_lazy_prereq PEER 'test -n "$STOCK_GIT$T_PLAY"'
test_lazy_prereq ROOT 'test "$(id -u)" = 0'
# "mknod FILE c 1 3" makes another /dev/null, which a test may lose.
test_lazy_prereq MKNOD 'mknod n c 1 3 && echo x >n && test -c n'
test_lazy_prereq SYMLINKS 'ln -s x y && test -h y'
test_lazy_prereq FILEMODE 'echo x >f && chmod +x f && test -x f && chmod -x f &&
	test "$(stat -c %a f)" = 644'
test_lazy_prereq XATTR 'echo x >f && setfattr -n user.sluice -v 1 f'
# One flush covers everything only on a journalling file system (compat/fskind.c).
test_lazy_prereq EXT4 'test "$(stat -f -c %T .)" = ext2/ext3 &&
	device=$(readlink "/sys/dev/block/$(stat -c %Hd:%Ld .)") &&
	grep "^[0-9]" "/sys/fs/ext4/${device##*/}/journal_task"'
# ... which can be mounted: on_journal.
test_lazy_prereq JOURNAL 'test_have_prereq EXT4 || test_have_prereq LOOPMNT'
test_lazy_prereq XFS 'test "$(stat -f -c %T .)" = xfs'
test_lazy_prereq BTRFS 'test "$(stat -f -c %T .)" = btrfs'
test_lazy_prereq CASE_INSENSITIVE 'echo a >x && test -f X'
test_lazy_prereq REFFILES 'test $TEST_REF_FORMAT = files'
test_lazy_prereq SHA1 'test $TEST_HASH = sha1'
test_lazy_prereq SHA256 'test $TEST_HASH = sha256'
test_lazy_prereq FSYNC_BATCH 'test $TEST_FSYNC_METHOD = batch &&
	test "${GIT_TEST_FSYNC:-1}" != 0'
test_lazy_prereq PERL 'perl -e 1'
test_lazy_prereq PYTHON 'python3 -c pass'
# The agent's sockets need a short path.
test_lazy_prereq GPG '
	GNUPGHOME=$(mktemp -d /tmp/sluice-gpg-XXXXXX) && export GNUPGHOME &&
	gpg --batch --passphrase "" --quick-gen-key "T <t@example.com>" default default never
	code=$?; gpgconf --kill all; rm -rf "$GNUPGHOME"; test $code = 0
'
test_lazy_prereq VALGRIND 'test -n "$GIT_TEST_VALGRIND"'
test_lazy_prereq SANITIZE 'grep -q fsanitize "$GIT_BUILD_DIR/link-flags"'
# A terminal for the child, by script(1) of util-linux.
test_lazy_prereq TTY 'script -qec true /dev/null'
# strace works and is allowed to trace (containers can forbid it).
test_lazy_prereq STRACE 'test -z "$GIT_TEST_VALGRIND" &&
	strace -o trace -e trace=execve true && grep -q execve trace'
test_lazy_prereq TMPFS 'test "$(id -u)" = 0 && mkdir m &&
	mount -t tmpfs -o size=64k none m && umount m'
test_lazy_prereq LOOPMNT 'test "$(id -u)" = 0 && mkdir m &&
	truncate -s 2M img && mkfs.ext4 -q img && mount -o loop img m && umount m'

# ---- running tests --------------------------------------------------------

t_chosen () {
	test -z "$T_ONLY" && return 0
	case "$T_ONLY" in *",$T_COUNT,"*) return 0 ;; esac
	return 1
}

# Ends the && chain of a body: if the body continues, its chain is broken.
t_chain_probe () {
	return 117
}

t_eval () {
	if test -n "$T_VERBOSE"; then
		t_eval_body "$1" </dev/null 3>&2 4>&2 >&2
	else
		t_eval_body "$1" </dev/null >>"$T_PRIVATE/out" 2>&1 3>&1 4>&1
	fi
}

# Names of local variables here must not shadow those of test bodies.
t_eval_body () {
	local t_code=0
	if test -n "$T_TRACE"; then
		eval "set -x
$1
{ t_code=\$?; set +x; } 2>/dev/null"
	else
		eval "$1
t_code=\$?"
	fi
	return $t_code
}

# Checks the && chain of the body. If it is not broken, nothing of the body runs.
t_chain_holds () {
	local T_TRACE=
	t_eval "t_chain_probe &&
$1"
	test $? = 117 && return 0
	echo "broken && chain, or a syntax error, in this test" >>"$T_PRIVATE/out"
	test -z "$T_VERBOSE" || echo >&2 "broken && chain, or a syntax error"
	return 1
}

# Run one body with its clean-up. 0: passed.
t_run () {
	local t_result=0
	: >"$T_PRIVATE/out"
	T_CLEANUP=
	T_IN_TEST=1
	t_chain_holds "$1" || t_result=1
	if test $t_result = 0; then
		: >"$T_PRIVATE/out"
		t_eval "$1" || t_result=$?
	fi
	cd "$TRASH_DIRECTORY" || t_misuse "'$TRASH_DIRECTORY' is gone"
	if test -n "$T_CLEANUP" &&
	   { test $t_result = 0 || test -z "$T_IMMEDIATE"; }; then
		t_eval "$T_CLEANUP" || {
			echo "clean-up failed" >>"$T_PRIVATE/out"
			t_result=1
		}
	fi
	T_IN_TEST=
	cd "$TRASH_DIRECTORY" || t_misuse "'$TRASH_DIRECTORY' is gone"
	return $t_result
}

# t_begin [PREREQ] TITLE SCRIPT: sets t_name, t_script; 1: skipped, and reported so.
t_begin () {
	local prereq=
	case $# in
	3)	prereq=$1; shift ;;
	2)	;;
	*)	t_misuse "a test takes 2 or 3 arguments, not $#" ;;
	esac
	test -z "$T_IN_TEST" || t_misuse "a test inside a test: '$1'"
	test -z "$T_SAID_DONE" || t_misuse "a test after test_done: '$1'"
	t_name=$(t_title "$1")
	t_script=$2
	test "$t_script" != - || t_script=$(cat)
	T_COUNT=$((T_COUNT + 1))
	if ! t_chosen; then
		t_say "ok $T_COUNT # SKIP not chosen"
		return 1
	fi
	if ! test_have_prereq "$prereq"; then
		t_say "ok $T_COUNT - $t_name # SKIP missing $T_MISSING"
		return 1
	fi
	test -z "$T_PLAY$T_RECORD" || T_ID=$(t_id "$t_name")
	case "$T_PLAY$T_UNPLAYABLE" in
	1*" $T_ID "*)
		t_say "ok $T_COUNT - $t_name # SKIP missing STOCK_GIT"
		return 1 ;;
	esac
	test -z "$T_VERBOSE" || printf 'running: %s\n%s\n' "$t_name" "$t_script" >&2
	return 0
}

# test_expect_success [PREREQ[,!PREREQ...]] TITLE SCRIPT
# SCRIPT '-' is read from standard input.
test_expect_success () {
	t_begin "$@" || return 0
	if t_run "$t_script"; then
		if t_is_noted; then
			t_say "ok $T_COUNT - $t_name"
			return 0
		fi
		echo "what it asks stock git is not noted: tools/record-peers t/$T_NAME.sh" >"$T_PRIVATE/out"
	fi
	T_FAILED=$((T_FAILED + 1))
	t_show_failure "$t_name" "$t_script"
	t_say "not ok $T_COUNT - $t_name"
	if test -n "$T_IMMEDIATE"; then
		T_SAID_DONE=1
		t_say "1..$T_COUNT"
		exit 1
	fi
	return 0
}

# The same for a known fault: reported as TODO, does not fail the script.
test_expect_failure () {
	t_begin "$@" || return 0
	if t_run "$t_script"; then
		t_say "ok $T_COUNT - $t_name # TODO known fault has vanished"
	else
		t_say "not ok $T_COUNT - $t_name # TODO known fault"
	fi
	return 0
}

test_done () {
	T_SAID_DONE=1
	if test -n "$skip_all" && test $T_COUNT = 0; then
		t_say "1..0 # SKIP $skip_all"
	else
		t_say "1..$T_COUNT"
	fi
	test $T_FAILED = 0 || exit 1
	test -n "$T_KEEP" || T_REMOVE=1
	exit 0
}

t_at_exit () {
	local code=$? dir
	trap - EXIT HUP INT TERM
	cd / || :
	eval "$T_ATEXIT"
	printf '%s' "$T_MOUNTS" | while IFS= read -r dir; do
		umount "$dir" 2>/dev/null || umount -l "$dir"
	done
	if test -z "$T_SAID_DONE"; then
		t_say "not ok $((T_COUNT + 1)) - the script ended without test_done"
		test $code != 0 || code=1
	fi
	rm -rf "$T_PRIVATE"
	test -n "$T_REMOVE" && rm -rf "$TRASH_DIRECTORY"
	exit $code
}

# ---- helpers for test bodies ----------------------------------------------

# test_when_finished SCRIPT: run after this test, also if it fails (but not
# with -i, so that the result can be examined). The last registered runs first.
test_when_finished () {
	test -n "$T_IN_TEST" || t_misuse "test_when_finished outside of a test"
	T_CLEANUP="{ $*
} && {
${T_CLEANUP:-:}
}"
}

# test_atexit SCRIPT: run when the script ends, however it ends.
test_atexit () {
	T_ATEXIT="$*
$T_ATEXIT"
}

t_complain () {
	echo >&4 "$*"
	return 1
}

# An exit status that means an ordinary failure (not a crash, not a missing program).
t_orderly_failure () {
	local code=$1
	shift
	case $code in
	0)	t_complain "test_must_fail: succeeded: $*" ;;
	126)	t_complain "test_must_fail: sanitizer, valgrind or exec error: $*" ;;
	127)	t_complain "test_must_fail: command not found: $*" ;;
	*)
		if test $code -gt 129 && test $code -le 192; then
			t_complain "test_must_fail: died by signal $((code - 128)): $*"
		fi
		;;
	esac
}

# test_must_fail [ok=sigpipe] CMD...: fails in an orderly way.
test_must_fail () {
	local t_code=0 t_pipe=
	case "$1" in ok=sigpipe) t_pipe=1; shift ;; esac
	"$@" || t_code=$?
	test -n "$t_pipe" && test $t_code = 141 && return 0
	t_orderly_failure $t_code "$@"
}

# test_might_fail CMD...: may succeed or fail, but not crash.
test_might_fail () {
	local t_code=0
	"$@" || t_code=$?
	test $t_code = 0 || t_orderly_failure $t_code "$@"
}

# test_expect_code N CMD...
test_expect_code () {
	local t_want=$1 t_code=0
	shift
	"$@" || t_code=$?
	test $t_code = "$t_want" ||
	t_complain "test_expect_code: wanted $t_want, got $t_code: $*"
}

# test_cmp EXPECT ACTUAL (texts); test_cmp_bin for others.
test_cmp () {
	test $# = 2 || t_misuse "test_cmp takes two files"
	diff -u "$1" "$2" >&4 2>&4
}

test_cmp_bin () {
	test $# = 2 || t_misuse "test_cmp_bin takes two files"
	cmp "$1" "$2" >&4 2>&4
}

# test_line_count OP N FILE: 'test_line_count = 3 out'
test_line_count () {
	test $# = 3 || t_misuse "test_line_count takes OP N FILE"
	local n
	n=$(wc -l <"$3") || return 1
	test "$n" "$1" "$2" && return 0
	t_complain "test_line_count: $3 has $n lines, wanted $1 $2:"
	cat "$3" >&4
	return 1
}

# test_grep [!] [GREP-OPTION...] PATTERN FILE
test_grep () {
	local t_not= t_file
	if test "$1" = "!"; then t_not=1; shift; fi
	eval "t_file=\${$#}"
	test -r "$t_file" || { t_complain "test_grep: cannot read '$t_file'"; return 1; }
	if test -n "$t_not"; then
		grep "$@" >&4 || return 0
		t_complain "test_grep: found, and should not be: $*"
		return 1
	fi
	grep "$@" >/dev/null && return 0
	t_complain "test_grep: not found: $*; '$t_file' has:"
	cat "$t_file" >&4
	return 1
}

test_path_is_file () {
	test -f "$1" || t_complain "no such file: '$1'"
}

test_path_is_dir () {
	test -d "$1" || t_complain "no such directory: '$1'"
}

test_path_is_symlink () {
	test -h "$1" || t_complain "no such symbolic link: '$1'"
}

test_path_exists () {
	test -e "$1" || test -h "$1" || t_complain "'$1' does not exist"
}

test_path_missing () {
	if test -e "$1" || test -h "$1"; then
		t_complain "'$1' exists, and should not"
	fi
}
test_path_is_missing () { test_path_missing "$@"; }

test_must_be_empty () {
	test_path_is_file "$1" || return 1
	test -s "$1" || return 0
	t_complain "'$1' is not empty:"
	cat "$1" >&4
	return 1
}

test_file_not_empty () {
	test -s "$1" || t_complain "'$1' is missing or empty"
}

test_seq () {
	seq "$@"
}

# test_config [-C DIR] KEY VALUE: set for this test alone.
test_config () {
	local t_dir=.
	if test "$1" = -C; then t_dir=$2; shift 2; fi
	test_when_finished "git -C '$t_dir' config --unset-all '$1' || :"
	git -C "$t_dir" config "$1" "$2"
}

# The dates of commits change only here: each call adds a minute to both.
test_tick () {
	T_TICK=$((${T_TICK:-1700000000} + 60))
	GIT_AUTHOR_DATE="$T_TICK +0200"
	GIT_COMMITTER_DATE="$T_TICK +0200"
	export GIT_AUTHOR_DATE GIT_COMMITTER_DATE
}

# test_commit [-C DIR] [--tag NAME] MESSAGE [FILE [CONTENT]]: write FILE
# (default MESSAGE.t), add it, commit it, and tag the commit if --tag is given.
test_commit () {
	local t_dir=. t_tag= t_file
	while :; do
		case "$1" in
		-C)	t_dir=$2; shift 2 ;;
		--tag)	t_tag=$2; shift 2 ;;
		*)	break ;;
		esac
	done
	t_file=${2:-$1.t}
	test_tick
	printf '%s\n' "${3:-$1}" >"$t_dir/$t_file" &&
	git -C "$t_dir" add -- "$t_file" &&
	git -C "$t_dir" commit -q -m "$1" || return 1
	test -z "$t_tag" || git -C "$t_dir" update-ref "refs/tags/$t_tag" HEAD
}

# ref_value DIR NAME: what a file of the ref would hold, an id or "ref: TARGET", whatever holds it. Fails if there is none.
ref_value () {
	local t_target
	if t_target=$(git -C "$1" symbolic-ref -q --no-recurse "$2" 2>/dev/null); then
		echo "ref: $t_target"
	else
		git -C "$1" show-ref --exists "$2" && git -C "$1" rev-parse -q --verify "$2"
	fi
}

# ref_exists DIR NAME, ref_missing DIR NAME: whatever holds refs. A file of that name is no ref where tables hold them.
ref_exists () {
	git -C "$1" show-ref --exists "$2" || t_complain "no such ref: '$2' in '$1'"
}

ref_missing () {
	test_expect_code 2 git -C "$1" show-ref --exists "$2"
}

# lost_ref DIR NAME: a ref to a commit that is missing, whatever holds refs; prints its id, which is always the same.
lost_ref () {
	(
		GIT_AUTHOR_DATE="1000000000 +0000" GIT_COMMITTER_DATE="1000000000 +0000" && export GIT_AUTHOR_DATE GIT_COMMITTER_DATE &&
		cd "$1" && oid=$(echo lost | git commit-tree $EMPTY_TREE) && git update-ref "$2" $oid &&
		rm -f "$(git rev-parse --git-path objects)/$(echo $oid | sed "s|^..|&/|")" && echo $oid
	)
}

# reflog_lines DIR [NAME]: a log as a file has it, or all logs, whatever holds them. Fails if there is none.
reflog_lines () {
	(cd "$1" && "$GIT_BUILD_DIR/t/helper/reflogs" ${2+"$2"})
}

# link_worktree GITDIR ID DIR BRANCH: a linked worktree, without an index, whose HEAD is BRANCH.
link_worktree () {
	local t_admin="$1/worktrees/$2"
	mkdir -p "$t_admin" "$3" && echo ../.. >"$t_admin/commondir" && echo "$PWD/$3/.git" >"$t_admin/gitdir" &&
	echo "gitdir: $PWD/$t_admin" >"$3/.git" && echo "ref: refs/heads/.invalid" >"$t_admin/HEAD" || return
	if test -d "$1/reftable"; then
		mkdir "$t_admin/reftable" && : >"$t_admin/reftable/tables.list" || return
	fi
	git -C "$3" symbolic-ref HEAD "refs/heads/$4"
}

# write_script FILE [INTERPRETER] <BODY: an executable script.
write_script () {
	{ echo "#!${2:-/bin/sh}" && cat; } >"$1" && chmod +x "$1"
}

# ---- counting what a command costs ----------------------------------------

# Sets t_filter: stops at no other call where strace can do that. Only for flushes: a call that the program's own
# filter denies is not seen then.
t_strace_filter () {
	t_filter=
	case $1 in fsync,*) ;; *) return ;; esac
	test -e "$T_PRIVATE/strace-filter" || {
		strace -f --seccomp-bpf -o /dev/null -e trace=fsync true >/dev/null 2>&1 && t_filter=--seccomp-bpf
		echo "$t_filter" >"$T_PRIVATE/strace-filter"
	}
	read -r t_filter <"$T_PRIVATE/strace-filter"
}

# t_strace CALLS CMD...: the record is in $T_PRIVATE/strace; CMD's exit code.
t_strace () {
	local t_calls=$1 t_filter
	shift
	t_strace_filter "$t_calls"
	ASAN_OPTIONS="${ASAN_OPTIONS}:detect_leaks=0" \
	strace -f $t_filter -qq -o "$T_PRIVATE/strace" -e trace="$t_calls" "$@" >&4
}

# count_flushes CMD...: run CMD, print how often it flushed. CMD's output
# goes where a test's output goes; if it fails, so does this.
#	n=$(count_flushes git add .) && test "$n" = 1
count_flushes () {
	t_strace fsync,fdatasync,syncfs,sync,msync "$@" || return
	grep -c -E '(fsync|fdatasync|syncfs|sync|msync)\(' "$T_PRIVATE/strace" || :
}

# count_writeouts CMD...: how many awaited writeouts (sync_file_range).
count_writeouts () {
	t_strace sync_file_range "$@" || return
	grep -c 'sync_file_range(.*SYNC_FILE_RANGE_WAIT' "$T_PRIVATE/strace" || :
}

# trace_calls FILE CALLS CMD...: strace's lines of CALLS (comma separated).
trace_calls () {
	local t_out=$1 t_calls=$2
	shift 2
	t_strace "$t_calls" "$@" || return
	cp "$T_PRIVATE/strace" "$t_out"
}

# ---- small file systems ---------------------------------------------------

# DIR is unmounted when the script ends, in reverse order.
t_mounted () {
	T_MOUNTS="$(cd "$1" && pwd -P)
$T_MOUNTS"
}

# mount_tmpfs DIR SIZE (prerequisite TMPFS): unmounted when the script ends.
mount_tmpfs () {
	mkdir -p "$1" && mount -t tmpfs -o "size=$2" none "$1" && t_mounted "$1"
}

# mount_loop DIR SIZE [TYPE] (prerequisite LOOPMNT)
mount_loop () {
	truncate -s "$2" "$1.img" && "mkfs.${3:-ext4}" -q "$1.img" &&
	mkdir -p "$1" && mount -o loop "$1.img" "$1" && t_mounted "$1"
}

# in_memory: the directory of the script becomes a tmpfs, if one can be mounted and has extended attributes where the file
# system has them. For scripts in which copies of repositories come and go by the hundred and durability does not matter.
# Not with -i and -d, which keep the directory.
in_memory () {
	test -z "$T_IMMEDIATE$T_KEEP" && test_have_prereq TMPFS &&
	mount -t tmpfs -o size=1g none "$TRASH_DIRECTORY" 2>/dev/null && cd "$TRASH_DIRECTORY" || return 0
	echo x >probe
	if ! test_have_prereq XATTR || setfattr -n user.sluice -v 1 probe 2>/dev/null; then
		rm probe && t_mounted .
	else
		cd / && umount "$TRASH_DIRECTORY" && cd "$TRASH_DIRECTORY"
	fi
}

# on_journal DIR (prerequisite JOURNAL): a new directory on an ext4 with a journal
on_journal () {
	if test_have_prereq EXT4; then
		mkdir "$1"
	else
		mount_loop "$1" 64M
	fi
}

# ---- start ----------------------------------------------------------------

test -n "$test_description" || t_misuse "test_description is not set"
rm -rf "$TRASH_DIRECTORY" && mkdir -p "$TRASH_DIRECTORY" || exit 2
T_PRIVATE=$T_ROOT/.$T_NAME.$$
mkdir -p "$T_PRIVATE" || exit 2
trap t_at_exit EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
t_write_system_config
cd "$TRASH_DIRECTORY" || exit 2

# test_without_git=1 before the library is read: this script does not need it.
if test -z "$test_without_git" && ! test -x "$T_BIN/git"; then
	t_misuse "'$T_BIN/git' is not built"
fi
