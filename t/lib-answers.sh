# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Commands whose output, exit codes and files are those of Git 2.55: a script of them is a file t/tNNNN/NAME, what Git says
# to it is NAME.expect beside it. Repositories there are made with SHA-1 and names and dates that never change.

GIT_AUTHOR_DATE='1700000000 +0100' GIT_COMMITTER_DATE='1700000100 +0200'
export GIT_AUTHOR_DATE GIT_COMMITTER_DATE
SQ="'"

# say WORD...: on a line, as it is; lines LINE...: each with escapes as those of printf
say () { printf "%s\n" "$*"; }
lines () { printf "%b\n" "$@"; }
# flat: standard input on one line
flat () { tr "\n" " "; echo; }
# run COMMAND...: its output, its exit code, its messages without a usage
run () { "$@" 2>"$HOME/.said"; echo "= $?"; sed "/^usage:/,\$d; s/crash_[0-9]*$/crash_N/; s/^/! /" "$HOME/.said"; }
# show COMMAND...: the command, too
show () { say "\$ $*"; run "$@"; }
# repo NAME: a new repository to work in
repo () { git init -q -b main --object-format=sha1 --ref-format=files "$1" && cd "$1" || exit; }

# answers NAME: run the script in an empty directory of its own, and compare
answers () {
	mkdir "$1" && (cd "$1" && . "$T_ANSWERS/$1") >"$1.actual" 2>&1
	test_cmp "$T_ANSWERS/$1.expect" "$1.actual"
}
