# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC3043
#
# Servers that speak WebDAV, for repositories below "srv" of the script's directory: t/dav-server.py, which can also have bad days, and
# apache and lighttpd, where they are installed.

PATH=$PATH:/usr/sbin:/sbin
mkdir -p srv

# dav_listen NAME CMD...: starts CMD and waits until it listens on $PORT; ended with the script
dav_listen () {
	local name=$1
	shift
	setsid "$@" >"$name.out" 2>&1 &
	test_atexit "kill -- -$! 2>/dev/null || :"
	while ! python3 -c "import socket; socket.create_connection(('127.0.0.1', $PORT))" 2>/dev/null; do
		kill -0 $! 2>/dev/null || { cat "$name.out" >&4; return 1; }
		sleep 0.05
	done
	URL=http://127.0.0.1:$PORT
}

# ours: with rules in the file dav.rules; its log is dav.log
start_dav_ours () {
	: >>dav.rules && : >>dav.log && PORT=$(free_port) && dav_listen ours python3 "$TEST_DIRECTORY/dav-server.py" $PORT "$PWD/srv" "$PWD/dav.rules" "$PWD/dav.log"
}

apache=$(command -v apache2 || command -v httpd)
for modules in /usr/lib/apache2/modules /usr/lib64/httpd/modules /usr/libexec/apache2; do
	test ! -f $modules/mod_dav_fs.so || break
done
test_lazy_prereq APACHE_DAV 'test -n "$apache" && test -f $modules/mod_dav_fs.so && command -v setsid'
start_dav_apache () {
	PORT=$(free_port) && mkdir -p apache && cat >apache.conf <<-EOF
	ServerRoot $PWD/apache
	ServerName localhost
	Listen 127.0.0.1:$PORT
	PidFile $PWD/apache/pid
	DefaultRuntimeDir $PWD/apache
	ErrorLog $PWD/apache/log
	$(for m in mpm_prefork authn_core authz_core unixd dav dav_fs dav_lock; do
		test ! -f $modules/mod_$m.so || echo "LoadModule ${m}_module $modules/mod_$m.so"
	done)
	DocumentRoot $PWD/srv
	DavLockDB $PWD/apache/locks
	<Directory $PWD/srv>
		Dav On
		Require all granted
	</Directory>
	$(test "$(id -u)" != 0 || printf "User www-data\nGroup www-data\n")
	EOF
	chmod -R a+rwX srv apache && chmod a+rx . && dav_listen apache "$apache" -D FOREGROUND -f "$PWD/apache.conf"
}

test_lazy_prereq LIGHTTPD_DAV 'command -v lighttpd && command -v setsid && ls /usr/lib*/lighttpd/mod_webdav.so'
start_dav_lighttpd () {
	PORT=$(free_port) && mkdir -p lighttpd && cat >lighttpd.conf <<-EOF
	server.document-root = "$PWD/srv"
	server.bind = "127.0.0.1"
	server.port = $PORT
	server.modules = ("mod_webdav")
	server.upload-dirs = ("$PWD/lighttpd")
	webdav.activate = "enable"
	webdav.is-readonly = "disable"
	webdav.sqlite-db-name = "$PWD/lighttpd/locks.db"
	EOF
	chmod -R a+rwX srv lighttpd && dav_listen lighttpd lighttpd -D -f "$PWD/lighttpd.conf"
}
