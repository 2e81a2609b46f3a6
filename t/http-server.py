#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Usage: http-server.py PORT-FILE RULES LOG [--tls CERT KEY] [--client-ca CA] -- PROGRAM [ARGUMENT...]

A web server for tests of http clients, on 127.0.0.1 at a port that the kernel chooses and that is written to PORT-FILE.
Requests are answered by the CGI program. Each line of RULES, which is read anew for each request, is

    METHOD PATH-PATTERN ACTION [ARGUMENT...]

(METHOD may be *; the pattern is a regular expression that is searched in path and query). The first that matches
counts. Actions:

    cgi                   the program's answer
    redirect CODE URL     \\1 and so on stand for groups of the pattern
    status CODE [TEXT]    text/plain
    type TYPE             the program's answer as that Content-Type
    cut N                 the program's answer ends after N bytes of body, and the connection with it
    short N               the same, but as if that were the end (a whole answer of chunks)
    stall N               after N bytes nothing more comes
    basic USER [PASS]     401 without that (PASS: empty)
    bearer TOKEN          401 without that
    digest USER [PASS [HASH]] the same with Digest (HASH: MD5, SHA-256)
    choice USER PASS      401 with Digest, Basic and a scheme that nobody knows, each with its own realm; all but the last count
    only SCHEME...        401 with these schemes alone, whatever comes
    stages N              401 N times: the i-th wants "Authorization: Stage STEP-i"
    endless               an advertisement that does not end
    text TYPE TEXT        200 with that body; \\n is a line feed, \\t a tab
    static                the file of that path below GIT_PROJECT_ROOT, as a server of files has it, or 404
    basicstatic USER PASS the same; 401 without that
    file PATH             200 with that file, with ranges
    noranges PATH         the same without
    limit N SECONDS       429 with Retry-After for the first N requests that match (SECONDS "-": without it), then cgi
    after N CODE          the program's answer to the first N requests that match, then that status
    hangup                the connection ends when the request has come, without an answer
    early N               the same when N bytes of a body have come, which is not read further
    gzip                  the program's answer, compressed where the client takes that
    cookie NAME=VALUE     the program's answer with Set-Cookie

LOG.bodies gets the body of each POST behind a line "== PATH". LOG gets a line for each request: METHOD PATH STATUS, then headers that tests ask for, each "name=value".
Requests for "http://..." (of a client that takes this for a proxy) are logged as they are and answered as if they were for us;
"proxy USER PASS" and "proxydigest USER PASS" are actions for those (407). CONNECT leads to where it says, or, with the action
"to PORT", to that port of this machine. Ends with SIGTERM.
"""
import base64
import gzip
import hashlib
import http.server
import os
import re
import select
import socket
import ssl
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
from cgi_request import CgiRequest   # noqa: E402

LOGGED = ('User-Agent', 'Git-Protocol', 'Content-Type', 'Content-Length', 'Content-Encoding', 'Transfer-Encoding',
          'Accept', 'Accept-Encoding', 'Accept-Language', 'Authorization', 'Proxy-Authorization', 'Cookie', 'Expect',
          'X-Test', 'Range', 'Host')
lock = threading.Lock()
counts = {}


class Handler(CgiRequest):
    wbufsize = 65536

    # ---- the request ----

    def body(self, most=None):
        """All of it, decompressed; or what has come when it is more than that."""
        data = b''
        if most is None:
            data = b''.join(self.pieces())
        else:
            for piece in self.pieces():
                data += piece
                if len(data) > most:
                    return data
        if self.headers.get('Content-Encoding') == 'gzip':
            data = gzip.decompress(data)
        return data

    def run_program(self):
        data = self.data
        env = self.cgi_environment(str(len(data)), ('content-encoding', 'transfer-encoding', 'content-length'))
        program = subprocess.Popen(PROGRAM, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

        def feed():
            try:
                program.stdin.write(data)
                program.stdin.close()
            except BrokenPipeError:
                pass
        feeder = threading.Thread(target=feed)
        feeder.start()
        status, head = self.cgi_head(program.stdout)
        return program, feeder, int(status.split()[0]), head

    # ---- the answer ----

    def log(self, status):
        words = ['%s %s %d' % (self.command, self.path, status)]
        words += ['%s=%s' % (n, self.headers[n]) for n in LOGGED if n in self.headers]
        with lock, open(LOG, 'a') as log:
            print(' '.join(words), file=log)

    def simple(self, status, text=b'', head=()):
        self.log(status)
        self.send_response(status)
        for name, value in head:
            self.send_header(name, value)
        self.send_header('Content-Length', str(len(text)))
        self.end_headers()
        if self.command != 'HEAD':
            self.wfile.write(text)

    def cgi(self, kind=None, limit=None, then=None, compress=False, extra=()):
        program, feeder, status, head = self.run_program()
        self.log(status)
        self.send_response(status)
        for name, value in head:
            self.send_header(name, kind if kind and name == 'Content-Type' else value)
        for name, value in extra:
            self.send_header(name, value)
        compress = compress and 'gzip' in self.headers.get('Accept-Encoding', '')
        if compress:
            self.send_header('Content-Encoding', 'gzip')
        self.send_header('Transfer-Encoding', 'chunked')
        self.end_headers()
        left = limit
        pieces = iter(lambda: program.stdout.read1(65536), b'')
        if compress:
            pieces = [gzip.compress(b''.join(pieces))]
        for data in pieces:
            if left is not None:
                data, left = data[:left], left - len(data[:left])
            if data:
                self.wfile.write(b'%x\r\n%s\r\n' % (len(data), data))
            if left == 0:
                break
        self.wfile.flush()
        program.stdout.close()
        if then == 'stall':
            time.sleep(60)
        elif left == 0 and then == 'cut':
            self.close_connection = True
        else:
            self.wfile.write(b'0\r\n\r\n')
        program.kill() if limit is not None else None
        feeder.join()
        program.wait()

    def send_file(self, path, ranges):
        with open(path, 'rb') as f:
            data = f.read()
        asked = re.match(r'bytes=(\d+)-', self.headers.get('Range', '')) if ranges else None
        if asked and int(asked[1]) >= len(data):
            return self.simple(416, b'', [('Content-Range', 'bytes */%d' % len(data))])
        if asked:
            start = int(asked[1])
            return self.simple(206, data[start:], [('Content-Range', 'bytes %d-%d/%d'
                                                    % (start, len(data) - 1, len(data)))])
        return self.simple(200, data)

    def send_static(self):
        path = os.path.normpath(os.environ['GIT_PROJECT_ROOT'] + '/' + self.path.partition('?')[0])
        return self.send_file(path, True) if os.path.isfile(path) else self.simple(404, b'not here')

    def endless(self):
        self.log(200)
        self.send_response(200)
        self.send_header('Content-Type', 'application/x-git-upload-pack-advertisement')
        self.end_headers()
        self.close_connection = True
        line = b'%s refs/heads/x' % (b'1' * 40)
        try:
            self.wfile.write(b'001e# service=git-upload-pack\n0000')
            while True:
                self.wfile.write((b'%04x%s' % (len(line) + 4, line)) * 1000)
        except OSError:
            pass

    def challenge(self, realm, algorithm='MD5'):
        return 'Digest realm="%s", nonce="abc%s", algorithm=%s, qop="auth"' % (realm, realm, algorithm)

    def knows(self, header, user, password, realm='test'):
        """Is it a right answer to that challenge?"""
        said = self.headers.get(header, '')
        if said == 'Basic ' + base64.b64encode(('%s:%s' % (user, password)).encode()).decode():
            return 'Basic'
        if not said.startswith('Digest '):
            return None
        f = {k: v.strip('"') for k, v in re.findall(r'(\w+)=("[^"]*"|[^,]*)', said[7:])}
        one = hashlib.sha256 if f.get('algorithm') == 'SHA-256' else hashlib.md5

        def h(text):
            return one(text.encode()).hexdigest()
        whole = h(':'.join([h('%s:%s:%s' % (user, realm, password)), f['nonce'], f['nc'], f['cnonce'], f['qop'],
                            h('%s:%s' % (self.command, f['uri']))]))
        right = f['username'] == user and f['realm'] == realm and f['uri'] == self.path and f['response'] == whole
        return 'Digest' if right and f['nonce'] == 'abc' + realm else None

    def tunnel(self, port):
        self.log(200)
        try:
            there = socket.create_connection(('127.0.0.1', port))
        except OSError:
            return self.simple(502)
        self.send_response(200)
        self.end_headers()
        self.wfile.flush()
        self.close_connection = True
        both = {self.connection: there, there: self.connection}
        while True:
            for end in select.select(list(both), [], [])[0]:
                data = end.recv(65536)
                if not data:
                    return there.close()
                both[end].sendall(data)

    def do_CONNECT(self):
        _, action, args, _ = self.rule()
        if action == 'proxy' and self.knows('Proxy-Authorization', *args[:2]) != 'Basic':
            return self.simple(407, b'', [('Proxy-Authenticate', 'Basic realm="proxy"')])
        if action == 'proxydigest' and self.knows('Proxy-Authorization', *args[:2]) != 'Digest':
            return self.simple(407, b'', [('Proxy-Authenticate', self.challenge('test'))])
        return self.tunnel(int(args[0] if action == 'to' else self.path.rsplit(':', 1)[1]))

    def rule(self):
        with open(RULES) as rules:
            for line in rules:
                words = line.split()
                if not words or words[0].startswith('#') or words[0] not in ('*', self.command):
                    continue
                found = re.search(words[1], self.path)
                if found:
                    return found, words[2], words[3:], line
        return None, 'cgi', [], ''

    def answer(self):
        found, action, args, line = self.rule()
        self.data = self.body(int(args[0]) if action == 'early' else None)
        if self.command == 'POST' and len(self.data) < 1000000:
            with lock, open(LOG + '.bodies', 'ab') as bodies:
                bodies.write(b'== ' + self.path.encode() + b'\n' + self.data + b'\n')
        if self.path.startswith('http://'):
            whole = self.path
            if action == 'proxy':
                secret = base64.b64encode(':'.join(args).encode()).decode()
                if self.headers.get('Proxy-Authorization') != 'Basic ' + secret:
                    return self.simple(407, b'', [('Proxy-Authenticate', 'Basic realm="proxy"')])
                action = 'cgi'
            self.log(0)
            self.path = '/' + whole.split('/', 3)[3]
        if action == 'hangup' or (action == 'early' and len(self.data) > int(args[0])):
            self.log(0)
            self.close_connection = True
            return self.connection.shutdown(socket.SHUT_RDWR)
        if action == 'redirect':
            return self.simple(int(args[0]), b'moved', [('Location', found.expand(args[1]))])
        if action == 'status':
            text = ' '.join(args[1:]).replace('\\n', '\n').replace('\\e', '\033')
            return self.simple(int(args[0]), text.encode(), [('Content-Type', 'text/plain; charset=utf-8')])
        if action == 'basic':
            secret = base64.b64encode(':'.join((args + [''])[:2]).encode()).decode()
            if self.headers.get('Authorization') != 'Basic ' + secret:
                return self.simple(401, b'', [('WWW-Authenticate', 'Basic realm="test"')])
        elif action == 'bearer':
            if self.headers.get('Authorization') != 'Bearer ' + args[0]:
                return self.simple(401, b'', [('WWW-Authenticate', 'Bearer realm="a b"'),
                                              ('WWW-Authenticate', 'FooBar param1="x",\r\n param2="y"')])
        elif action == 'digest':
            if self.knows('Authorization', *(args + [''])[:2]) != 'Digest':
                return self.simple(401, b'', [('WWW-Authenticate', self.challenge('test', *args[2:]))])
        elif action == 'choice':
            if not self.knows('Authorization', *args):
                return self.simple(401, b'', [('WWW-Authenticate', 'Strange a="b"'), ('WWW-Authenticate', self.challenge('test')),
                                              ('WWW-Authenticate', 'Basic realm="test"')])
        elif action == 'only':
            return self.simple(401, b'', [('WWW-Authenticate', scheme) for scheme in args])
        elif action == 'stages':
            step = re.match(r'Stage STEP-(\d+)$', self.headers.get('Authorization', ''))
            if not step or int(step[1]) < int(args[0]):
                return self.simple(401, b'', [('WWW-Authenticate', 'Stage next="%d"' % (int(step[1]) + 1 if step else 1))])
        elif action == 'limit':
            with lock:
                counts[line] = counts.get(line, 0) + 1
                over = counts[line] <= int(args[0])
            if over:
                return self.simple(429, b'', [] if args[1] == '-' else [('Retry-After', args[1])])
        elif action == 'after':
            with lock:
                counts[line] = counts.get(line, 0) + 1
                over = counts[line] > int(args[0])
            if over:
                return self.simple(int(args[1]), b'', [('WWW-Authenticate', 'Basic realm="test"')] if args[1] == '401' else [])
        elif action == 'text':
            text = ' '.join(args[1:]).replace('\\n', '\n').replace('\\t', '\t')
            return self.simple(200, text.encode(), [('Content-Type', args[0])])
        elif action == 'static':
            return self.send_static()
        elif action == 'basicstatic':
            if self.knows('Authorization', *args) != 'Basic':
                return self.simple(401, b'', [('WWW-Authenticate', 'Basic realm="test"')])
            return self.send_static()
        elif action in ('file', 'noranges'):
            return self.send_file(args[0], action == 'file')
        elif action == 'gzipfile':
            with open(args[0], 'rb') as f:
                return self.simple(200, gzip.compress(f.read()), [('Content-Encoding', 'gzip')])
        elif action == 'endless':
            return self.endless()
        elif action == 'type':
            return self.cgi(kind=args[0])
        elif action in ('cut', 'short', 'stall'):
            return self.cgi(limit=int(args[0]), then=action)
        elif action == 'gzip':
            return self.cgi(compress=True)
        elif action == 'cookie':
            return self.cgi(extra=[('Set-Cookie', args[0] + '; Path=/')])
        return self.cgi()

    do_GET = do_HEAD = do_POST = answer


argv = sys.argv[1:]
split = argv.index('--')
PROGRAM = argv[split + 1:]
PORT, RULES, LOG = argv[:3]
options = argv[3:split]
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
server.daemon_threads = True
if '--tls' in options:
    at = options.index('--tls')
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(options[at + 1], options[at + 2])
    if '--client-ca' in options:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(options[options.index('--client-ca') + 1])
    server.socket = context.wrap_socket(server.socket, server_side=True)
with open(PORT + '.new', 'w') as out:
    print(server.server_address[1], file=out)
os.rename(PORT + '.new', PORT)
server.serve_forever()
