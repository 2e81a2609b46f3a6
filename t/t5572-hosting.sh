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
		kill -0 $! 2>/dev/null || { cat "$name.log" >&4; return 1; }
		sleep 0.05
	done
}

# serves URL: it can be cloned and pushed to
serves () {
	rm -rf clone && git clone -q "$1" clone && test_commit -C clone new$((n += 1)) f$n && git -C clone push -q origin HEAD:refs/heads/pushed$n &&
	test "$(git -C srv/project.git rev-parse pushed$n)" = "$(git -C clone rev-parse HEAD)"
}
n=0
sq=\'

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

# A ref that fetches do not see. Pushes do, since only uploadpack.hideRefs hides it.
hide_a_ref () {
	local blob tree
	blob=$(echo topsecret | git -C srv/project.git hash-object -w --stdin) &&
	tree=$(printf "100644 blob %s\tf\n" "$blob" | git -C srv/project.git mktree) &&
	git -C srv/project.git update-ref refs/secret/x "$(git -C srv/project.git commit-tree -m secret "$tree")" &&
	git -C srv/project.git config uploadpack.hideRefs refs/secret && secret=$(git -C srv/project.git rev-parse refs/secret/x)
}

test_expect_success 'an installation and a repository' '
	install_it && PORT=0 && recipe new-repository && (PATH=$PWD/usr/bin:$PATH && . ./new-repository >/dev/null) &&
	git init -q -b main seed && test_commit -C seed one one && git -C seed push -q "$PWD/srv/project.git" main:refs/heads/main main:refs/heads/master &&
	hide_a_ref
'

test_expect_success 'the configuration' '
	recipe gitconfig && cp gitconfig "$HOME/.gitconfig" && git config --global user.name me && git config --global user.email me@x &&
	test "$(git config --type=int receive.maxInputSize)" = 2147483648 && git -C srv/project.git config core.fsyncMethod
'

test_lazy_prereq SSHD 'command -v sshd && command -v ssh && command -v ssh-keygen && { test "$(id -u)" != 0 || mkdir -p /run/sshd; }'

test_expect_success SSHD 'ssh' '
	PORT=$(free_port) && recipe sshd_config && ssh-keygen -q -t ed25519 -N "" -f key && ssh-keygen -q -t ed25519 -N "" -f host && cat >sshd <<-EOF &&
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

# A socket of the machine whose server says "inside"; read.pl prints what a server says.
start_target () {
	cat >target.pl <<-\EOF || return
	use IO::Socket::UNIX;
	my $l = IO::Socket::UNIX->new(Listen => 5, Local => shift) or die;
	alarm 600;
	while (my $s = $l->accept) { print $s "inside\n"; close $s; }
	EOF
	cat >read.pl <<-\EOF || return
	use IO::Socket::UNIX;
	my ($s, $path) = (undef, shift);
	for (1 .. 600) { last if $s = IO::Socket::UNIX->new($path); select(undef, undef, undef, 0.05); }
	die if !$s;
	print while <$s>;
	EOF
	perl target.pl "$PWD/target.sock" &
	test_atexit "kill $! 2>/dev/null || :"
}

test_expect_success SSHD 'ssh: another key, forwarding, and commands in other forms' '
	ssh-keygen -q -t ed25519 -N "" -f other && sed "s,$PWD/key,$PWD/other," ssh >ssh-other && chmod +x ssh-other && p=$PWD/srv/project.git &&
	test_must_fail env GIT_SSH="$PWD/ssh-other" git ls-remote "ssh://$USER_NAME@127.0.0.1:$PORT$p" 2>err && test_grep "Permission denied" err &&
	start_target && { ./ssh -p $PORT -N -L "$PWD/here.sock:$PWD/target.sock" $USER_NAME@127.0.0.1 </dev/null >fwd.log 2>&1 & fwd=$!; } &&
	test_atexit "kill $fwd 2>/dev/null || :" && perl read.pl "$PWD/target.sock" >out && test_grep inside out && perl read.pl "$PWD/here.sock" >out && { kill $fwd || :; } && test_must_be_empty out &&
	test_must_fail ./ssh -p $PORT -o ExitOnForwardFailure=yes -R "127.0.0.1:0:127.0.0.1:$PORT" -N $USER_NAME@127.0.0.1 </dev/null 2>err &&
	for command in "git-upload-pack $p; git-receive-pack $p" "git-receive-pack ${sq}$p${sq} ${sq}$p${sq}" "git-receive%2dpack ${sq}$p${sq}" \
		"git-upload-pack ${sq}$p${sq} git-receive-pack ${sq}$p${sq}" "git-upload-pack --strict ${sq}$p${sq}" "git-http-backend" "git config -l" "git-shell -c touch"
	do
		test_must_fail ./ssh -p $PORT $USER_NAME@127.0.0.1 "$command" </dev/null >out 2>err && test_must_be_empty out || { echo "$command" >&4; return 1; }
	done
'

test_expect_success SSHD 'ssh: archives, and hidden refs' '
	ask_archive () { printf "%04xargument %s0000" $((13 + ${#1})) "$1" | ./ssh -p $PORT $USER_NAME@127.0.0.1 "git-upload-archive ${sq}$PWD/srv/project.git${sq}" >out; } &&
	ask_archive main && grep -a one out && for name in refs/secret/x secret/x $secret; do
		test_must_fail ask_archive $name && ! grep -a topsecret out && grep -a "no such ref" out || return 1
	done && url=ssh://$USER_NAME@127.0.0.1:$PORT$PWD/srv/project.git &&
	git ls-remote "$url" >out && test_grep refs/heads/main out && ! grep "$secret" out
'

# http USER:PASSWORD METHOD URL [SERVICE]: the status on standard output, the reply in "reply". The URL is sent as it stands.
# SERVICE: the file "request" is sent as its request.
http () {
	perl -MIO::Socket::INET -MMIME::Base64 -e '
		my ($user, $method, $url, $service) = @ARGV;
		my ($place, $path) = $url =~ m,^http://([^/]*)(/.*), or die;
		my $s = IO::Socket::INET->new($place) or die;
		my $body = "";
		if ($service) { local $/; open(my $f, "<:raw", "request") or die; $body = <$f>; }
		print $s "$method $path HTTP/1.0\r\nHost: $place\r\n", $user ? "Authorization: Basic " . encode_base64($user, "") . "\r\n" : "",
			$service ? "Content-Type: application/x-git-$service-request\r\nContent-Length: " . length($body) . "\r\n" : "", "\r\n", $body;
		local $/; my $reply = <$s>;
		open(my $out, ">:raw", "reply") or die; print $out $reply; close $out;
		print $reply =~ m,^HTTP/\S+ (\d+), ? "$1\n" : "none\n"
	' "$@"
}

# shut STATUSES USER:PASSWORD METHOD URL [SERVICE]: the answer has one of these statuses, and nothing of the hidden ref
shut () {
	local want=$1 got
	shift
	got=$(http "$@") && case " $want " in *" $got "*) ;; *) echo "$got: $*" >&4; return 1 ;; esac &&
	! grep -a -q "$secret\|topsecret" reply
}

# doors URL: without a right password there is no way to pushing, to archives and to hidden refs, also where repositories would let everybody in
doors () {
	local url=$1 user query path
	test_config -C srv/project.git http.receivepack true &&
	for user in "" anna:wrong; do
		for query in service=git-receive-pack service=%67it-receive-pack service=git%2dreceive-pack "service=git-upload-pack&service=git-receive-pack" \
			"service=git-receive-pack&service=git-upload-pack" "SERVICE=git-upload-pack&service=git-receive-pack" %73ervice=git-receive-pack \
			"service=git-upload-pack&%73ervice=git-receive-pack" "x=/git-upload-pack?&service=git-receive-pack" "service=git-receive-pack;service=git-upload-pack"
		do
			shut "401" "$user" GET "$url/info/refs?$query" || return 1
		done &&
		printf 0000 >request &&
		for path in /git-receive-pack //git-receive-pack /git-receive-pac%6b /./git-receive-pack /x/../git-receive-pack "/git-receive-pack?x=/git-upload-pack" \
			"/git-receive-pack?/git-upload-pack?" /git-receive-pack%3f/git-upload-pack /git-receive-pack/ /git-receive-pack%0a /git-receive-pack%0a/git-upload-pack \
			"/git-receive-pack?service=git-upload-pack" /git-upload-pack/../git-receive-pack /git-upload-pack%3f/../git-receive-pack
		do
			shut "401 400 404" "$user" POST "$url$path" receive-pack || return 1
		done &&
		printf "001aargument refs/secret/x0000" >request &&
		for path in /git-upload-archive /git-upload-archiv%65; do
			shut "401" "$user" POST "$url$path" upload-archive || return 1
		done || return 1
	done
}

# known_user URL: with the right password, too, a query means one thing, and archives and hidden refs are shut
known_user () {
	local url=$1
	shut "403" anna:secret GET "$url/info/refs?service=%67it-receive-pack" && shut "400" anna:secret GET "$url/info/refs?service=git-upload-pack&service=git-receive-pack" &&
	printf "001aargument refs/secret/x0000" >request && shut "403" anna:secret POST "$url/git-upload-archive" upload-archive &&
	test_config -C srv/project.git http.uploadarchive true && shut "200" anna:secret POST "$url/git-upload-archive" upload-archive &&
	printf "0011argument HEAD0000" >request && test "$(http anna:secret POST "$url/git-upload-archive" upload-archive)" = 200 && grep -a -q one reply &&
	test "$(http "" GET "$url/info/refs?service=git-upload-pack")" = 200 && ! grep -a refs/secret reply &&
	test "$(http anna:secret GET "$url/info/refs?service=git-receive-pack")" = 200
}

# web_rules URL: everybody reads, anna pushes, nobody else does
web_rules () {
	local url=$1
	git ls-remote "$url" >out && test_grep refs/heads/main out && serves "$(echo "$url" | sed "s,//,//anna:secret@,")" &&
	test_must_fail env GIT_TERMINAL_PROMPT=0 git -C clone push -q "$url" HEAD:refs/heads/anybody 2>err &&
	test_must_fail git -C srv/project.git rev-parse -q --verify anybody &&
	test_must_fail git -C clone push -q "$(echo "$url" | sed "s,//,//anna:wrong@,")" HEAD:refs/heads/wrong 2>err &&
	doors "$url" && known_user "$url"
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
	await_socket fcgi $! && start nginx nginx -p "$PWD/run" -c "$PWD/nginx.main"
}

test_expect_success NGINX 'nginx' '
	PORT=$(free_port) && recipe nginx.conf && users && start_nginx && web_rules "http://127.0.0.1:$PORT/project.git"
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
	PORT=$(free_port) && recipe apache.conf && users && start_apache && web_rules "http://127.0.0.1:$PORT/git/project.git"
'

# The example of git-http-backend(1) knows no users: everybody reads, nobody gets to pushing, to archives and to hidden refs.
test_lazy_prereq LIGHTTPD 'command -v lighttpd && ls /usr/lib*/lighttpd/mod_cgi.so'

start_lighttpd () {
	local PAGE=$SOURCE_DIR/Documentation/git-http-backend.adoc
	mkdir -p lighttpd && recipe lighttpd.conf && cat >lighttpd.main <<-EOF &&
	server.modules = ("mod_alias", "mod_cgi", "mod_setenv")
	server.document-root = "$PWD/lighttpd"
	server.bind = "127.0.0.1"
	server.port = $PORT
	server.upload-dirs = ("$PWD/lighttpd")
	EOF
	cat lighttpd.conf >>lighttpd.main && start lighttpd lighttpd -D -f "$PWD/lighttpd.main"
}

test_expect_success LIGHTTPD 'lighttpd, in the page of git-http-backend' '
	PORT=$(free_port) && start_lighttpd && url=http://127.0.0.1:$PORT/git/project.git && git ls-remote "$url" >out && test_grep refs/heads/main out &&
	test_grep ! refs/secret out && test_must_fail env GIT_TERMINAL_PROMPT=0 git -C clone push -q "$url" HEAD:refs/heads/anybody 2>err &&
	for user in "" anna:wrong anna:secret; do
		for query in service=git-receive-pack service=%67it-receive-pack "service=git-upload-pack&service=git-receive-pack" \
			"service=git-receive-pack&service=git-upload-pack" %73ervice=git-receive-pack "service=git-upload-pack&%73ervice=git-receive-pack"
		do
			shut "403 400" "$user" GET "$url/info/refs?$query" || return 1
		done &&
		printf 0000 >request && shut "403" "$user" POST "$url/git-receive-pack" receive-pack &&
		shut "403 400 404" "$user" POST "$url/git-receive-pac%6b" receive-pack &&
		printf "001aargument refs/secret/x0000" >request && shut "403" "$user" POST "$url/git-upload-archive" upload-archive || return 1
	done
'

# exec_start UNIT: what systemd would run
exec_start () {
	sed -e ":more" -e "/\\\\\$/{ N; s/\\\\\n//; b more" -e "}" "$1" | sed -n "s/^ExecStart=//p" | sed "s/\\\$\\\$/\$/g"
}

test_expect_success 'git daemon, as its unit starts it' '
	PORT=$(free_port) && recipe git-daemon.service && start daemon sh -c "exec $(exec_start git-daemon.service)" &&
	test_must_fail git ls-remote git://127.0.0.1:$PORT/project.git && : >srv/project.git/git-daemon-export-ok &&
	git ls-remote git://127.0.0.1:$PORT/project.git >out && test_grep refs/heads/main out &&
	test_must_fail git -C clone push -q git://127.0.0.1:$PORT/project.git HEAD:refs/heads/by-daemon &&
	! grep "$secret" out
'

# The request is "SERVICE PATH\0host=HOST\0": each of its parts has one meaning.
test_expect_success 'git daemon: doubled and encoded services' '
	cat >ask.pl <<-\EOF &&
	use IO::Socket::INET;
	my ($port, $request, $more) = @ARGV;
	$request =~ s/\\0/\0/g;
	my $s = IO::Socket::INET->new("127.0.0.1:$port") or die;
	printf $s "%04x%s", 4 + length $request, $request;
	print $s $more;
	shutdown($s, 1);
	local $/; print <$s>;
	EOF
	for request in "git-receive-pack /project.git" "git-upload-pack git-receive-pack /project.git" "git-%75pload-pack /project.git" "git-upload-pack /project.git\0git-receive-pack /project.git" \
		"git-upload-pack  /project.git" "git-upload-pack /project%2egit" "git-upload-pack --strict /project.git"
	do
		perl ask.pl $PORT "$request" >out && ! grep -a "refs/" out || { echo "$request" >&4; return 1; }
	done &&
	perl ask.pl $PORT "git-upload-pack /project.git" >out && grep -a refs/heads/main out && ! grep -a "$secret" out
'

test_expect_success 'git daemon: archives, and hidden refs' '
	perl ask.pl $PORT "git-upload-archive /project.git" "0011argument main0000" >out && grep -a "ERR access denied" out &&
	test_config -C srv/project.git daemon.uploadarch true &&
	perl ask.pl $PORT "git-upload-archive /project.git" "0011argument main0000" >out && grep -a one out &&
	perl ask.pl $PORT "git-upload-archive /project.git" "001aargument refs/secret/x0000" >out && ! grep -a topsecret out && grep -a "no such ref" out
'

test_expect_success 'git daemon: silent connections have limits of time' '
	exec_start git-daemon.service | grep " --init-timeout=[1-9][0-9]* --timeout=[1-9]"
'

test_expect_success 'upkeep, as its unit starts it' '
	recipe git-maintenance.service && eval "$(exec_start git-maintenance.service)" && git -C srv/project.git fsck --strict
'

test_lazy_prereq SYSTEMD 'systemd-analyze verify /dev/null || systemd-analyze --version'

test_expect_success SYSTEMD 'units that systemd understands' '
	recipe git-maintenance.timer && test_might_fail systemd-analyze verify ./git-daemon.service ./git-maintenance.service ./git-maintenance.timer >out 2>&1 &&
	! grep -i "unknown\|failed to parse\|bad unit" out
'

test_expect_success 'the page shows how to watch flushes' '
	blob=$(echo watched | git -C srv/project.git hash-object -w --stdin) && seq -f "create refs/tags/n%.0f $blob" 50 | git -C srv/project.git update-ref --stdin &&
	git -C srv/project.git pack-refs --all && git -C srv/project.git update-ref refs/tags/watched $blob &&
	recipe watch && (unset GIT_TEST_FSYNC && PATH=$PWD/usr/bin:$PATH && . ./watch) && cat trace/* >events && grep hardware-flush events
'

test_done
