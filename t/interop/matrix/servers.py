# SPDX-License-Identifier: GPL-2.0-only
"""
The ways to a repository: programs that serve a scratch directory on 127.0.0.1, started here and ended
by their process ids.

Each class has `name`, `missing()` (why it cannot run here, or None), `start()`, `stop()`, and
`url(repository)`. `Place` has what all of them share.
"""
import getpass
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import time

# Programs of servers are often outside of a user's PATH.
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin:/sbin"
START_SECONDS = 20


class ServerTrouble(Exception):
    pass


def program(*names):
    for name in names:
        found = shutil.which(name, path=PATH)
        if found:
            return found
    return None


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def write(path, text, mode=0o644):
    with open(path, "w") as out:
        out.write(text)
    os.chmod(path, mode)


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


class Place:
    """
    A scratch directory: `srv` has what is served, `bin` a copy of the program, `exec` what starts it
    and notes the version of the protocol of each request in `versions`. Repositories that are made there have their refs
    in `ref_format`.
    """
    ref_format = "files"

    def __init__(self, top, git):
        self.top, self.git = top, os.path.abspath(git)
        self.srv, self.bin, self.exec, self.home, self.log, self.ssh = (
            self.path(name) for name in ("srv", "bin", "exec", "home", "log", "ssh"))
        for name in (self.top, self.srv, self.bin, self.exec, self.home, self.log):
            os.makedirs(name, exist_ok=True)
        os.mkdir(self.ssh, 0o700)
        os.chmod(top, 0o755)   # a web server can have a user of its own
        os.chmod(self.log, 0o777)
        self.make_program()
        write(self.home + "/.gitconfig", "[safe]\n\tdirectory = *\n"
              "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[init]\n\tdefaultRefFormat = " + self.ref_format + "\n")
        self.versions = self.path("versions")
        write(self.versions, "", 0o666)
        self.make_exec()

    def path(self, name):
        return os.path.join(self.top, name)

    def make_program(self):
        shutil.copy(self.git, self.bin + "/git")

    def make_exec(self):
        real, note = quoted(self.bin + "/git"), quoted(self.versions)
        write(self.exec + "/git", "#!/bin/sh\n"
              'case "$1" in upload-pack|receive-pack) echo "${GIT_PROTOCOL:-version=0}" >>%s ;; esac\n'
              'exec %s "$@"\n' % (note, real), 0o755)
        for name in ("upload-pack", "receive-pack", "http-backend"):
            write("%s/git-%s" % (self.exec, name), '#!/bin/sh\nexec %s %s "$@"\n' %
                  (quoted(self.exec + "/git"), name), 0o755)

    def cgi_environment(self):
        return {"GIT_PROJECT_ROOT": self.srv, "GIT_HTTP_EXPORT_ALL": "1", "HOME": self.home,
                "GIT_EXEC_PATH": self.exec, "GIT_CONFIG_NOSYSTEM": "1"}

    def environment(self):
        """For clients and servers: nothing of the user's. A git that fails to make a repository finds none above."""
        keep = {k: v for k, v in os.environ.items()
                if not k.startswith(("GIT_", "SSH_")) and not k.lower().endswith("_proxy")}
        keep.update(HOME=self.home, PATH=PATH, LC_ALL="C", GIT_CONFIG_NOSYSTEM="1",
                    GIT_TERMINAL_PROMPT="0", GIT_CEILING_DIRECTORIES=os.path.dirname(os.path.abspath(self.top)))
        return keep

    def is_open_to_all(self):
        """Can any user of the machine come here?"""
        at = self.top
        while at != "/":
            if not os.stat(at).st_mode & 0o001:
                return False
            at = os.path.dirname(at)
        return True


class StockPlace(Place):
    """Stock Git where it is installed; some of its commands are programs beside it."""
    def make_program(self):
        there = subprocess.run([self.git, "--exec-path"], env=self.environment(), capture_output=True,
                               text=True, check=True).stdout.strip()
        write(self.bin + "/git", '#!/bin/sh\nname=$1\ncase "$name" in\ndaemon|shell|http-backend)\n'
              '\tshift\n\texec %s/"git-$name" "$@" ;;\nesac\nexec %s "$@"\n' % (
                  quoted(there), quoted(self.git)), 0o755)


class OtherPlace(Place):
    """
    A server that is not Git: a program with `upload-pack DIRECTORY` (standard input and output), and
    `git PORT DIRECTORY` and `http PORT DIRECTORY`, which listen on 127.0.0.1. Here it is called as Git is.
    """
    def make_program(self):
        write(self.bin + "/git", '#!/bin/sh\ncase "$1" in\n'
              'shell)\teval "set -- $3" && shift && exec %s upload-pack "$1" ;;\n'
              'upload-pack)\tfor last; do :; done && exec %s upload-pack "$last" ;;\nesac\nexit 1\n' % (
                  quoted(self.git), quoted(self.git)), 0o755)


class Server:
    """One program in the foreground; `command()` says which, after its files have been written."""
    needs = ()
    tells_version = True   # of the protocol, in place.versions

    def __init__(self, place):
        self.place = place
        self.children = []

    def missing(self):
        for names in self.needs:
            if not program(*names):
                return "no %s here" % " or ".join(names)
        if self.needs and not re.fullmatch("[-+.,@/0-9A-Za-z_]+", self.place.top):
            return "its configuration cannot have the name %s" % self.place.top
        return None

    def spawn(self, argv, env=None, label=None):
        log = open("%s/%s" % (self.place.log, label or self.name), "ab")
        child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                 env=env or self.place.environment(), start_new_session=True)
        log.close()
        self.children.append(child)
        return child

    def start(self):
        # The port may be taken by somebody else before the program has it.
        for left in (2, 1, 0):
            self.port = free_port()
            child = self.spawn(self.command())
            if self.answers(child):
                return
            self.stop()
        raise ServerTrouble("%s does not start; see %s/%s" % (self.name, self.place.log, self.name))

    def answers(self, child):
        return self.await_port(self.port) and child.poll() is None

    def await_port(self, port):
        """Until somebody listens, or a program that should has ended."""
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and all(child.poll() is None for child in self.children):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return True
            except OSError:
                time.sleep(0.05)
        return False

    def stop(self):
        for child in reversed(self.children):
            if child.poll() is None:
                child.terminate()
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
            try:
                os.killpg(child.pid, signal.SIGKILL)   # what it has left behind
            except ProcessLookupError:
                pass
        self.children = []

    def client_options(self):
        """More for clients that are not Git."""
        return []


class File(Server):
    """No server: the client starts ours."""
    name = "file"

    def start(self):
        pass

    def url(self, repository):
        return "file://%s/%s" % (self.place.srv, repository)

    def client_options(self):
        return ["--git=%s/git" % self.place.exec]


class Daemon(Server):
    name = "git"

    def command(self):
        return ["env", "GIT_EXEC_PATH=" + self.place.exec, "PATH=%s:%s" % (self.place.exec, PATH),
                self.place.bin + "/git", "daemon",
                "--verbose", "--export-all", "--reuseaddr", "--listen=127.0.0.1",
                "--port=%d" % self.port, "--base-path=" + self.place.srv]

    def url(self, repository):
        return "git://127.0.0.1:%d/%s" % (self.port, repository)


class Ssh(Server):
    """sshd with a key of its own, and git shell as the only command."""
    name = "ssh"
    needs = (("sshd",), ("ssh",), ("ssh-keygen",))
    # The system's own, empty; it stays, since another sshd may have started in it meanwhile.
    PRIVILEGE_SEPARATION = "/run/sshd"

    def keys(self):
        for name in ("id_ed25519", "host"):
            path = self.place.ssh + "/" + name
            if not os.path.exists(path):
                subprocess.run([program("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-f", path],
                               check=True)

    def command(self):
        self.keys()
        ssh = self.place.ssh
        with open(ssh + "/host.pub") as f:
            write(ssh + "/known_hosts", "[127.0.0.1]:%d %s" % (self.port, f.read()), 0o600)
        write(ssh + "/config", "Host *\n\tIdentityFile %s/id_ed25519\n\tIdentitiesOnly yes\n"
              "\tUserKnownHostsFile %s/known_hosts\n\tStrictHostKeyChecking yes\n\tBatchMode yes\n"
              "\tKexAlgorithms curve25519-sha256\n" %  # the default, against quantum computers, takes longer
              (ssh, ssh), 0o600)
        write(ssh + "/sshd_config",
              "ListenAddress 127.0.0.1:%d\nHostKey %s/host\nPidFile none\nStrictModes no\nUsePAM no\n"
              "AuthorizedKeysFile %s/id_ed25519.pub\nAcceptEnv GIT_PROTOCOL\nMaxStartups 1000\n"
              "PasswordAuthentication no\nKbdInteractiveAuthentication no\n"
              "PermitRootLogin prohibit-password\nPermitTTY no\n"
              'ForceCommand env GIT_EXEC_PATH=%s HOME=%s %s shell -c "$SSH_ORIGINAL_COMMAND"\n' %
              (self.port, ssh, ssh, quoted(self.place.exec), quoted(self.place.home),
               quoted(self.place.bin + "/git")))
        if os.getuid() == 0:
            os.makedirs(self.PRIVILEGE_SEPARATION, 0o755, exist_ok=True)
        return [program("sshd"), "-D", "-e", "-f", ssh + "/sshd_config"]

    def url(self, repository):
        return "ssh://%s@127.0.0.1:%d%s/%s" % (getpass.getuser(), self.port, self.place.srv, repository)

    def client_options(self):
        return ["--ssh-dir=" + self.place.ssh]


class Web(Server):
    def url(self, repository):
        return "http://127.0.0.1:%d/%s" % (self.port, repository)

    def backend(self):
        return self.place.exec + "/git-http-backend"


class Nginx(Web):
    """nginx, with fcgiwrap beside it, which runs the CGI program."""
    name = "nginx"
    needs = (("nginx",), ("fcgiwrap",))

    def listen(self, run):
        """Lines of the configuration."""
        return "listen 127.0.0.1:%d;\n" % self.port

    def command(self):
        run = self.place.path("nginx-%d" % self.port)
        os.mkdir(run)
        backend = free_port()   # the name of a socket might be too long
        self.spawn([program("fcgiwrap"), "-c", "8", "-s", "tcp:127.0.0.1:%d" % backend],
                   label="fcgiwrap")
        self.await_port(backend)
        handed = dict(self.place.cgi_environment(), SCRIPT_FILENAME=self.backend(), PATH_INFO="$uri",
                      REQUEST_METHOD="$request_method", QUERY_STRING="$query_string",
                      CONTENT_TYPE="$content_type", CONTENT_LENGTH="$content_length",
                      REMOTE_ADDR="$remote_addr", SERVER_PROTOCOL="$server_protocol")
        temporary = "".join("%s_temp_path %s/%s;\n" % (kind, run, kind) for kind in
                            ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        write(run + "/conf", "daemon off;\nworker_processes 2;\npid %s/pid;\nerror_log stderr;\n%s"
              "events { }\nhttp {\naccess_log off;\nclient_max_body_size 0;\n%s"
              "server {\n%slocation / {\nfastcgi_pass 127.0.0.1:%d;\n%s"
              "fastcgi_max_temp_file_size 0;\nfastcgi_read_timeout 1h;\nsend_timeout 1h;\n}\n}\n}\n" % (
                  run, "user root;\n" if os.getuid() == 0 else "", temporary, self.listen(run), backend,
                  "".join('fastcgi_param %s "%s";\n' % item for item in handed.items())))
        return [program("nginx"), "-p", run, "-c", run + "/conf"]


class Https(Nginx):
    """With a certificate of an authority that nobody else knows."""
    name = "https"
    needs = Nginx.needs + (("openssl",),)
    # Made, and used for each connection, in a tenth of the time that RSA takes.
    KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1")

    def listen(self, run):
        def openssl(*argv):
            subprocess.run([program("openssl"), *argv], cwd=run, check=True, capture_output=True)
        openssl("req", "-x509", *self.KEY, "-nodes", "-days", "2", "-subj", "/CN=authority",
                "-keyout", "ca.key", "-out", "ca.crt")
        openssl("req", *self.KEY, "-nodes", "-subj", "/CN=localhost", "-keyout", "key",
                "-out", "request")
        write(run + "/names", "subjectAltName=IP:127.0.0.1\n")
        openssl("x509", "-req", "-in", "request", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial",
                "-days", "2", "-extfile", "names", "-out", "crt")
        self.authority = run + "/ca.crt"
        return "listen 127.0.0.1:%d ssl;\nssl_certificate %s/crt;\nssl_certificate_key %s/key;\n" % (
            self.port, run, run)

    def url(self, repository):
        return "https://127.0.0.1:%d/%s" % (self.port, repository)


class Lighttpd(Web):
    name = "lighttpd"
    needs = (("lighttpd",),)

    def command(self):
        conf = self.place.path("lighttpd-%d.conf" % self.port)
        write(conf, 'server.modules = ("mod_alias", "mod_cgi", "mod_setenv")\n'
              'server.bind = "127.0.0.1"\nserver.port = %d\nserver.document-root = "%s"\n'
              'server.upload-dirs = ("%s")\nserver.stream-response-body = 2\n'
              'server.max-read-idle = 3600\nserver.max-write-idle = 3600\n'
              'alias.url = ("/git" => "%s")\ncgi.assign = ("" => "")\nsetenv.set-environment = (%s)\n' % (
                  self.port, self.place.home, self.place.log, self.backend(),
                  ", ".join('"%s" => "%s"' % item
                            for item in self.place.cgi_environment().items())))
        return [program("lighttpd"), "-D", "-f", conf]

    def url(self, repository):
        return "http://127.0.0.1:%d/git/%s" % (self.port, repository)


class Apache(Web):
    """Started by root its requests have another user, as it demands."""
    name = "apache"
    needs = (("apache2", "httpd"),)
    MODULES = ("/usr/lib/apache2/modules", "/usr/lib64/httpd/modules", "/usr/libexec/apache2")
    USERS = ("www-data", "apache", "nobody")

    def missing(self):
        why = super().missing()
        if not why and not self.modules():
            why = "no modules of apache found"
        if not why and os.getuid() == 0 and not self.place.is_open_to_all():
            why = "its user cannot come to %s" % self.place.top
        return why

    def modules(self):
        return next((d for d in self.MODULES if os.path.exists(d + "/mod_cgi.so")), None)

    def user(self):
        """Lines of its configuration."""
        if os.getuid():
            return ""
        entry = next(e for name in self.USERS for e in pwd.getpwall() if e.pw_name == name)
        return "User %s\nGroup #%d\n" % (entry.pw_name, entry.pw_gid)

    def command(self):
        run = self.place.path("apache-%d" % self.port)
        os.mkdir(run)
        load = "".join("LoadModule %s_module %s/mod_%s.so\n" % (name, self.modules(), name)
                       for name in ("mpm_prefork", "authz_core", "unixd", "alias", "env", "cgi")
                       if os.path.exists("%s/mod_%s.so" % (self.modules(), name)))
        write(run + "/conf", 'ServerRoot "%s"\nServerName localhost\nListen 127.0.0.1:%d\nPidFile %s/pid\n'
              'DefaultRuntimeDir %s\nErrorLog %s/apache\n%s%sTimeout 3600\nDocumentRoot "%s"\n'
              'ScriptAlias /git "%s"\n<Directory "%s">\nRequire all granted\n</Directory>\n%s' % (
                  run, self.port, run, run, self.place.log, load,
                  self.user(), run, self.backend(),
                  self.place.exec, "".join('SetEnv %s "%s"\n' % item for item in
                                           self.place.cgi_environment().items())))
        return [program(*self.needs[0]), "-D", "FOREGROUND", "-f", run + "/conf"]

    def url(self, repository):
        return "http://127.0.0.1:%d/git/%s" % (self.port, repository)


class OtherDaemon(Daemon):
    """Of an OtherPlace."""
    tells_version = False

    def command(self):
        return [self.place.git, self.name, str(self.port), self.place.srv]


class OtherWeb(OtherDaemon):
    name = "http"

    def url(self, repository):
        return "http://127.0.0.1:%d/%s" % (self.port, repository)


ALL = (File, Ssh, Daemon, Nginx, Lighttpd, Apache)
FOR_OUR_CLIENT = (File, Ssh, Daemon, Nginx, Https)
OTHERS = (File, Ssh, OtherDaemon, OtherWeb)
