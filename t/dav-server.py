#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Usage: dav-server.py PORT ROOT RULES LOG

A WebDAV server of classes 1 and 2 (RFC 4918) for tests, on 127.0.0.1, with files below ROOT. Each line of RULES, which is read anew for each
request, is

    METHOD PATH-PATTERN ACTION [ARGUMENT]

(METHOD may be *; the pattern is a regular expression that is searched in the path). The first that matches counts. Actions:

    status CODE      that, with nothing done
    after CODE       the same, but it is done
    body FILE        the answer (as of the method) with that content instead of its own
    hangup           the connection ends when the request has come, with nothing done
    lost             the same, but it is done
    class1           as one without locks
    nodav            as a server that does not speak WebDAV
    basic USER:PASS  401 without that
    seconds N        locks of that many seconds
    run COMMAND      before the answer, by sh, in ROOT
    signal NAME      that signal goes to the process whose id is in the file "pid" beside RULES, and nothing is answered until it hangs up

LOG gets "METHOD PATH STATUS" of each request; LOG.headers its headers If, Lock-Token, Timeout, Destination and Depth as well.
"""
import base64
import http.server
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.parse
import uuid

PORT, ROOT, RULES, LOG = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
locks, guard = {}, threading.Lock()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    wbufsize = 65536

    def log_message(self, *args):
        pass

    # ---- the request ----

    def rule(self):
        with open(RULES) as f:
            for line in f:
                method, pattern, action, *argument = line.rstrip('\n').split(' ', 3)
                if method in ('*', self.command) and re.search(pattern, self.path):
                    return action, argument[0] if argument else ''
        return None, ''

    def where(self, url):
        path = urllib.parse.unquote(urllib.parse.urlsplit(url).path)
        full = os.path.normpath(ROOT + path)
        return full if full.startswith(ROOT) else ROOT + '/nowhere'

    def answer(self, status, body=b'', headers=()):
        with open(LOG, 'a') as f:
            f.write('%s %s %d\n' % (self.command, self.path, status))
        with open(LOG + '.headers', 'a') as f:
            said = ' '.join('%s=%s' % (k, self.headers[k]) for k in ('If', 'Lock-Token', 'Timeout', 'Destination', 'Depth')
                            if k in self.headers)
            f.write('%s %s %d %s\n' % (self.command, self.path, status, said))
        if self.mute:
            self.close_connection = True
            return
        self.send_response(status)
        for k, v in headers:
            self.send_header(k, v)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def may_write(self, path):
        """Its lock, if there is one, has to be named."""
        token = locks.get(path)
        return not token or token in self.headers.get('If', '')

    def handle_request(self):
        self.mute = False
        self.body = self.rfile.read(int(self.headers.get('Content-Length', 0)))
        self.action, self.argument = self.rule()
        if self.action == 'basic' and self.headers.get('Authorization') != 'Basic ' + base64.b64encode(self.argument.encode()).decode():
            return self.answer(401, b'', [('WWW-Authenticate', 'Basic realm="test"')])
        if self.action == 'status':
            return self.answer(int(self.argument), b'no', [('Content-Type', 'text/html')])
        if self.action == 'nodav' and self.command not in ('GET', 'HEAD'):
            return self.answer(200 if self.command == 'OPTIONS' else 405)
        if self.action == 'hangup':
            self.close_connection = True
            return None
        if self.action == 'signal':
            with open(os.path.dirname(RULES) + '/pid') as f:
                os.kill(int(f.read()), getattr(signal, 'SIG' + self.argument))
            time.sleep(2)
            self.close_connection = True
            return None
        if self.action == 'run':
            subprocess.run(['sh', '-c', self.argument], cwd=ROOT, check=False)
        with guard:
            if self.action == 'lost':
                self.mute = True
            elif self.action == 'after':
                real, self.answer = self.answer, lambda *a: real(int(self.argument), b'no')
            try:
                getattr(self, 'dav_' + self.command.lower())(self.where(self.path))
            except OSError as e:
                self.answer(507 if e.errno == 28 else 409)
            self.__dict__.pop('answer', None)
        return None

    do_GET = do_HEAD = do_OPTIONS = do_PROPFIND = do_LOCK = do_UNLOCK = do_PUT = do_MKCOL = do_MOVE = do_DELETE = handle_request

    def content(self, own):
        if self.action != 'body':
            return own
        with open(self.argument, 'rb') as f:
            return f.read()

    # ---- methods ----

    def dav_get(self, path):
        if not os.path.isfile(path):
            return self.answer(404)
        with open(path, 'rb') as f:
            return self.answer(200, self.content(f.read()))

    dav_head = dav_get

    def dav_options(self, path):
        self.answer(200, b'', [('DAV', '1')] + ([('DAV', '2,<http://example.com/x>')] if self.action != 'class1' else []))

    def dav_propfind(self, path):
        if not os.path.exists(path):
            return self.answer(404)
        entries = [''] + (sorted(os.listdir(path)) if os.path.isdir(path) else [])
        out = ['<?xml version="1.0"?>\n<D:multistatus xmlns:D="DAV:" xmlns:x="urn:x">']
        for name in entries:
            full = os.path.join(path, name) if name else path
            href = urllib.parse.quote(full[len(ROOT):]) + ('/' if os.path.isdir(full) else '')
            out.append('<D:response><D:href>%s</D:href><D:propstat><D:prop><x:collection/><D:resourcetype>%s</D:resourcetype></D:prop>'
                       '<D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>'
                       % (href, '<D:collection/>' if os.path.isdir(full) else ''))
        out.append('</D:multistatus>')
        return self.answer(207, self.content('\n'.join(out).encode()), [('Content-Type', 'application/xml')])

    def dav_lock(self, path):
        token = locks.get(path)
        if token and token not in self.headers.get('If', ''):
            return self.answer(423)
        if not token:
            token = locks[path] = 'opaquelocktoken:%s' % uuid.uuid4()
        new = not os.path.exists(path)
        if new:
            open(path, 'w').close()
        seconds = 'Second-' + (self.argument if self.action == 'seconds' else '600')
        xml = ('<?xml version="1.0"?><D:prop xmlns:D="DAV:"><D:lockdiscovery><D:activelock><D:locktype><D:write/></D:locktype>'
               '<D:lockscope><D:exclusive/></D:lockscope><D:depth>0</D:depth><D:owner><D:href>me</D:href></D:owner>'
               '<D:timeout>%s</D:timeout><D:locktoken><D:href>%s</D:href></D:locktoken></D:activelock></D:lockdiscovery></D:prop>'
               % (seconds, token))
        return self.answer(201 if new else 200, self.content(xml.encode()), [('Lock-Token', '<%s>' % token)])

    def dav_unlock(self, path):
        if locks.get(path, 'x') not in self.headers.get('Lock-Token', ''):
            return self.answer(409)
        del locks[path]
        return self.answer(204)

    def dav_put(self, path):
        if not self.may_write(path):
            return self.answer(423)
        if os.path.isdir(path):
            return self.answer(405)
        new = not os.path.exists(path)
        with open(path + '.put', 'wb') as f:
            f.write(self.body)
        os.rename(path + '.put', path)
        return self.answer(201 if new else 204)

    def dav_mkcol(self, path):
        if os.path.exists(path):
            return self.answer(405)
        os.mkdir(path)
        return self.answer(201)

    def dav_move(self, path):
        to = self.where(self.headers['Destination'])
        if not self.may_write(to) or not self.may_write(path):
            return self.answer(423)
        if not os.path.exists(path):
            return self.answer(404)
        os.rename(path, to)
        return self.answer(204)

    def dav_delete(self, path):
        if not self.may_write(path):
            return self.answer(423)
        if not os.path.exists(path):
            return self.answer(404)
        if os.path.isdir(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)
        locks.pop(path, None)
        return self.answer(204)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True


Server(('127.0.0.1', PORT), Handler).serve_forever()
