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

sys.dont_write_bytecode = True
from cgi_request import CgiRequest   # noqa: E402


class Handler(CgiRequest):
    def environment(self):
        env = self.cgi_environment(self.headers.get('Content-Length', ''))
        kind, _, secret = self.headers.get('Authorization', '').partition(' ')
        if kind == 'Basic':
            env['REMOTE_USER'] = base64.b64decode(secret).decode().partition(':')[0]
        return env

    def feed(self, program):
        try:
            for piece in self.pieces():
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
        status, head = self.cgi_head(program.stdout)
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
