#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Usage: cgi-server.py PORT-FILE PROGRAM [ARGUMENT...]

A web server for tests, on 127.0.0.1 at a port that the kernel chooses and that is written to
PORT-FILE: each request is answered by the CGI program, whose messages go to standard error. It
takes chunked requests, keeps connections open, and wants a user name (Basic), any, for git-receive-pack.
Ends with SIGTERM.
"""
import base64
import http.server
import os
import subprocess
import sys
import threading
import urllib.parse


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *args):
        pass

    def body(self):
        """The pieces of the request's body."""
        if self.headers.get('Transfer-Encoding', '').lower() == 'chunked':
            while True:
                n = int(self.rfile.readline().split(b';')[0], 16)
                data = self.rfile.read(n)
                self.rfile.readline()
                if not n:
                    return
                yield data
        left = int(self.headers.get('Content-Length') or 0)
        while left:
            data = self.rfile.read(min(left, 65536))
            if not data:
                return
            left -= len(data)
            yield data

    def environment(self):
        path, _, query = self.path.partition('?')
        env = dict(os.environ, SERVER_PROTOCOL=self.request_version, REQUEST_METHOD=self.command,
                   PATH_INFO=urllib.parse.unquote(path), QUERY_STRING=query,
                   REMOTE_ADDR=self.client_address[0], GATEWAY_INTERFACE='CGI/1.1',
                   CONTENT_TYPE=self.headers.get('Content-Type', ''),
                   CONTENT_LENGTH=self.headers.get('Content-Length', ''))
        for name, value in self.headers.items():
            env['HTTP_' + name.upper().replace('-', '_')] = value
        kind, _, secret = self.headers.get('Authorization', '').partition(' ')
        if kind == 'Basic':
            env['REMOTE_USER'] = base64.b64decode(secret).decode().partition(':')[0]
        return env

    def feed(self, program):
        try:
            for piece in self.body():
                program.stdin.write(piece)
            program.stdin.close()
        except BrokenPipeError:
            pass

    def answer(self):
        if 'git-receive-pack' in self.path and 'Authorization' not in self.headers:
            self.send_response(401)
            self.send_header('WWW-Authenticate', 'Basic realm="test"')
            self.send_header('Content-Length', '0')
            self.end_headers()
            return
        program = subprocess.Popen(sys.argv[2:], env=self.environment(), stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        feeder = threading.Thread(target=self.feed, args=(program,))
        feeder.start()
        status, head = '200 OK', []
        for line in iter(program.stdout.readline, b''):
            if not line.strip():
                break
            name, _, value = line.decode().strip().partition(': ')
            if name == 'Status':
                status = value
            elif name not in ('Content-Length', 'Date'):
                head.append((name, value))
        code, _, reason = status.partition(' ')
        self.send_response(int(code), reason)
        for name, value in head:
            self.send_header(name, value)
        self.send_header('Transfer-Encoding', 'chunked')
        self.end_headers()
        for data in iter(lambda: program.stdout.read1(65536), b''):
            if self.command != 'HEAD':
                self.wfile.write(b'%x\r\n%s\r\n' % (len(data), data))
        if self.command != 'HEAD':
            self.wfile.write(b'0\r\n\r\n')
        feeder.join()
        program.wait()

    do_GET = do_HEAD = do_POST = do_PUT = answer


server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
server.daemon_threads = True
with open(sys.argv[1] + '.new', 'w') as out:
    print(server.server_address[1], file=out)
os.rename(sys.argv[1] + '.new', sys.argv[1])
server.serve_forever()
