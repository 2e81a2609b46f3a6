# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC3043
#
# A web server for tests of the client: t/http-server.py, whose CGI program is our git http-backend. Repositories are below
# "srv" of the script's directory.

HTTPD_ROOT=$PWD/srv
mkdir -p "$HTTPD_ROOT"

# start_httpd NAME [OPTION...]: its URL is $NAME_url, its rules are in the file NAME.rules, its log is NAME.log,
# the bodies of requests are in NAME.log.bodies. HTTPD_PROGRAM: another git for http-backend.
start_httpd () {
	local name=$1 i=0 scheme=http
	shift
	case " $* " in *" --tls "*) scheme=https ;; esac
	: >>"$name.rules" && : >>"$name.log" && rm -f "$name.port"
	env GIT_PROJECT_ROOT="$HTTPD_ROOT" GIT_HTTP_EXPORT_ALL=1 python3 "$TEST_DIRECTORY/http-server.py" \
		"$PWD/$name.port" "$PWD/$name.rules" "$PWD/$name.log" "$@" -- \
		${HTTPD_PROGRAM:-"$GIT_BUILD_DIR/git"} http-backend >/dev/null 2>"$name.err" &
	eval "${name}_pid=$!"
	test_atexit "kill $! 2>/dev/null || :"
	while test ! -f "$name.port"; do
		kill -0 $! 2>/dev/null || { cat "$name.err" >&2; return 1; }
		sleep 0.05
	done
	eval "${name}_port=\$(cat $name.port) ${name}_url=$scheme://127.0.0.1:\$(cat $name.port)"
}

# rules NAME LINE...: the server's rules from now on; its log is emptied.
rules () {
	local name=$1
	shift
	: >"$name.log" && : >"$name.log.bodies" &&
	if test $# -gt 0; then printf '%s\n' "$@"; fi >"$name.rules"
}

# requests NAME: "METHOD PATH STATUS" of all that have come
requests () {
	sed 's/^\([^ ]* [^ ]* [^ ]*\).*/\1/' "$1.log"
}

# A helper that gives user and password to one host, and notes what it is asked.
# credential_helper HOST USER PASSWORD
credential_helper () {
	write_script helper <<-EOF &&
	{ echo "-- \$1"; tee -a "$PWD/helper.last"; } >>"$PWD/helper.log"
	if test "\$1" = get && grep -q "^host=$1\$" "$PWD/helper.last"; then
		echo username=$2
		echo password=$3
	fi
	: >"$PWD/helper.last"
	EOF
	: >helper.last && : >helper.log && git config --global credential.helper "$PWD/helper"
}

# lists [GIT-OPTION...]: git ls-remote of the server "web" (or of $URL) shows the content of the file refs
lists () {
	git "$@" ls-remote "${URL:-$web_url/repo.git}" >actual 2>err && test_cmp refs actual || { cat err >&4; return 1; }
}
# fails PATTERN [GIT-OPTION...]: it does not, and says PATTERN
fails () {
	local pattern=$1
	shift
	test_must_fail git "$@" ls-remote "${URL:-$web_url/repo.git}" 2>err && test_grep "$pattern" err
}
