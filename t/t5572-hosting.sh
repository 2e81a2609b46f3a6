#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='the recipes of Documentation/Hosting, as they stand there

Only directories, ports and users are replaced (see `recipe`).'
. "$(dirname "$0")/test-lib.sh"

PATH=$PATH:/usr/sbin:/sbin
PAGE=$SOURCE_DIR/Documentation/Hosting.adoc
USER_NAME=$(id -un)

# recipe NAME: the listing behind the line "// recipe: NAME" of the page, with this test's places
recipe () {
	awk -v name="$1" '$0 == "// recipe: " name { found = 1; next } found && /^----$/ { if (inside) exit; inside = 1; next } inside' "$PAGE" |
	sed -e "s,/usr/local,$PWD/usr,g" -e "s,/srv/git,$PWD/srv,g" -e "s,/etc/git-users,$PWD/git-users,g" -e "s,/var/cache/git-packs,$PWD/packs,g" \
		-e "s,/var/log/git-trace2,$PWD/trace,g" -e "s,unix:/run/fcgiwrap.socket,unix:$PWD/fcgi,g" -e "s,listen 80;,listen 127.0.0.1:$PORT;,g" \
		-e "s,--port=9418,--listen=127.0.0.1 --port=$PORT,g" -e "s,Match User git,Match User $USER_NAME,g" >"$1" && test -s "$1"
}

# start NAME CMD...: until somebody listens on $PORT; ended with the script. In a process group of its own: apache ends all of its group.
start () {
	local name=$1 i=0
	shift
	perl -MPOSIX=setsid -e 'setsid(); exec @ARGV' "$@" >"$name.log" 2>&1 &
	eval "${name}_pid=$!"
	test_atexit "kill -- -$! 2>/dev/null || :"
	while ! perl -MIO::Socket::INET -e 'exit !IO::Socket::INET->new("127.0.0.1:$ARGV[0]")' "$PORT"; do
		i=$((i + 1))
		kill -0 $! 2>/dev/null && test $i -lt 200 || { cat "$name.log" >&4; return 1; }
		sleep 0.05
	done
}
free_port () {
	PORT=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1")->sockport')
}

# serves URL: it can be cloned and pushed to
serves () {
	rm -rf clone && git clone -q "$1" clone && test_commit -C clone new$((n += 1)) f$n && git -C clone push -q origin HEAD:refs/heads/pushed$n &&
	test "$(git -C srv/project.git rev-parse pushed$n)" = "$(git -C clone rev-parse HEAD)"
}
n=0

if ! test_have_prereq PERL; then
	skip_all='needs perl'
	test_done
fi

install_it () {
	mkdir -p usr/bin usr/libexec/git-core srv packs trace && chmod 700 packs && cp "$GIT_BUILD_DIR/git" usr/bin/git || return
	for p in git-shell git-upload-pack git-receive-pack git-upload-archive; do
		ln -s git usr/bin/$p || return
	done
	for p in git git-http-backend git-upload-pack git-receive-pack; do
		ln -s ../../bin/git usr/libexec/git-core/$p || return
	done
}

test_expect_success 'an installation and a repository' '
	install_it && PORT=0 && recipe new-repository && (PATH=$PWD/usr/bin:$PATH && . ./new-repository >/dev/null) &&
	git init -q -b main seed && test_commit -C seed one one && git -C seed push -q "$PWD/srv/project.git" main:refs/heads/main main:refs/heads/master
'

test_expect_success 'the configuration' '
	recipe gitconfig && cp gitconfig "$HOME/.gitconfig" && git config --global user.name me && git config --global user.email me@x &&
	test "$(git config --type=int receive.maxInputSize)" = 2147483648 && git -C srv/project.git config core.fsyncMethod
'

test_lazy_prereq SSHD 'command -v sshd && command -v ssh && command -v ssh-keygen && { test "$(id -u)" != 0 || mkdir -p /run/sshd; }'

test_expect_success SSHD 'ssh' '
	free_port && recipe sshd_config && ssh-keygen -q -t ed25519 -N "" -f key && ssh-keygen -q -t ed25519 -N "" -f host && cat >sshd <<-EOF &&
	ListenAddress 127.0.0.1:$PORT
	HostKey $PWD/host
	PidFile none
	StrictModes no
	UsePAM no
	AuthorizedKeysFile $PWD/key.pub
	PermitRootLogin prohibit-password
	SetEnv HOME=$HOME GIT_EXEC_PATH=$PWD/usr/libexec/git-core
	EOF
	cat sshd_config >>sshd && start sshd "$(command -v sshd)" -D -e -f "$PWD/sshd" && write_script ssh <<-EOF &&
	exec $(command -v ssh) -F none -i "$PWD/key" -o IdentitiesOnly=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR "\$@"
	EOF
	GIT_SSH=$PWD/ssh && GIT_SSH_VARIANT=ssh && export GIT_SSH GIT_SSH_VARIANT && serves "ssh://$USER_NAME@127.0.0.1:$PORT$PWD/srv/project.git"
'

test_expect_success SSHD 'ssh: nothing else' '
	test_must_fail ./ssh -p $PORT $USER_NAME@127.0.0.1 </dev/null >out 2>&1 && test_must_fail ./ssh -p $PORT $USER_NAME@127.0.0.1 "touch $PWD/was-here" &&
	test_path_is_missing was-here
'

# web_rules URL: everybody reads, anna pushes, nobody else does
web_rules () {
	local url=$1
	git ls-remote "$url" >out && test_grep refs/heads/main out && serves "$(echo "$url" | sed "s,//,//anna:secret@,")" &&
	test_must_fail env GIT_TERMINAL_PROMPT=0 git -C clone push -q "$url" HEAD:refs/heads/anybody 2>err &&
	test_must_fail git -C srv/project.git rev-parse -q --verify anybody &&
	test_must_fail git -C clone push -q "$(echo "$url" | sed "s,//,//anna:wrong@,")" HEAD:refs/heads/wrong 2>err
}
users () {
	printf "anna:%s\n" "$(openssl passwd -apr1 secret)" >git-users
}

test_lazy_prereq NGINX 'command -v nginx && command -v fcgiwrap && command -v openssl'

start_nginx () {
	mkdir run && cat >nginx.main <<-EOF
	daemon off;
	pid $PWD/run/pid;
	error_log stderr;
	$(test "$(id -u)" != 0 || echo "user root;")
	events { }
	http {
	access_log off;
	$(for t in client_body proxy fastcgi uwsgi scgi; do echo "${t}_temp_path $PWD/run/$t;"; done)
	include $PWD/nginx.conf;
	}
	EOF
	perl -MPOSIX=setsid -e 'setsid(); exec @ARGV' fcgiwrap -c 4 -s "unix:$PWD/fcgi" >fcgi.log 2>&1 &
	test_atexit "kill -- -$! 2>/dev/null || :"
	start nginx nginx -p "$PWD/run" -c "$PWD/nginx.main"
}

test_expect_success NGINX 'nginx' '
	free_port && recipe nginx.conf && users && start_nginx && web_rules "http://127.0.0.1:$PORT/project.git"
'

apache=$(command -v apache2 || command -v httpd)
for modules in /usr/lib/apache2/modules /usr/lib64/httpd/modules /usr/libexec/apache2; do
	test ! -f $modules/mod_cgi.so || break
done
test_lazy_prereq APACHE 'test -n "$apache" && test -f $modules/mod_cgi.so && command -v openssl'

start_apache () {
	mkdir apache && cat >apache.main <<-EOF
	ServerRoot $PWD/apache
	ServerName localhost
	Listen 127.0.0.1:$PORT
	PidFile $PWD/apache/pid
	DefaultRuntimeDir $PWD/apache
	ErrorLog $PWD/apache/log
	$(for m in mpm_prefork authn_core authz_core unixd alias env cgi auth_basic authn_file authz_user; do
		test ! -f $modules/mod_$m.so || echo "LoadModule ${m}_module $modules/mod_$m.so"
	done)
	DocumentRoot $PWD/apache
	SetEnv HOME $HOME
	$(test "$(id -u)" != 0 || printf "User www-data\nGroup www-data\n")
	EOF
	cat apache.conf >>apache.main
	# Its user is another one.
	if test "$(id -u)" = 0; then
		chmod -R a+rwX srv && chmod a+rx . "$HOME" && chmod a+r "$HOME/.gitconfig" git-users || return
	fi
	start apache "$apache" -D FOREGROUND -f "$PWD/apache.main"
}

test_expect_success APACHE 'apache' '
	free_port && recipe apache.conf && users && start_apache && web_rules "http://127.0.0.1:$PORT/git/project.git"
'

# exec_start UNIT: what systemd would run
exec_start () {
	sed -n "s/^ExecStart=//p" "$1" | sed "s/\\\$\\\$/\$/g"
}

test_expect_success 'git daemon, as its unit starts it' '
	free_port && recipe git-daemon.service && start daemon sh -c "exec $(exec_start git-daemon.service)" &&
	test_must_fail git ls-remote git://127.0.0.1:$PORT/project.git && : >srv/project.git/git-daemon-export-ok &&
	git ls-remote git://127.0.0.1:$PORT/project.git >out && test_grep refs/heads/main out &&
	test_must_fail git -C clone push -q git://127.0.0.1:$PORT/project.git HEAD:refs/heads/by-daemon
'

test_expect_success 'upkeep, as its unit starts it' '
	recipe git-maintenance.service && eval "$(exec_start git-maintenance.service)" && git -C srv/project.git fsck --strict
'

test_lazy_prereq SYSTEMD 'systemd-analyze verify /dev/null || systemd-analyze --version'

test_expect_success SYSTEMD 'units that systemd understands' '
	recipe git-maintenance.timer && test_might_fail systemd-analyze verify ./git-daemon.service ./git-maintenance.service ./git-maintenance.timer >out 2>&1 &&
	! grep -i "unknown\|failed to parse\|bad unit" out
'

test_expect_success 'what to watch' '
	blob=$(echo watched | git -C srv/project.git hash-object -w --stdin) && git -C srv/project.git update-ref refs/tags/watched $blob &&
	recipe watch && (unset GIT_TEST_FSYNC && PATH=$PWD/usr/bin:$PATH && . ./watch) && cat trace/* >events && grep hardware-flush events
'

test_done
