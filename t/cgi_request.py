# SPDX-License-Identifier: GPL-2.0-only
"""What the web servers for tests share: a request as it comes, and what a CGI program gets and says."""
import http.server
import os
import urllib.parse


class CgiRequest(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *args):
        pass

    def pieces(self):
        """Those of the body, as they come."""
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

    def cgi_environment(self, content_length, without=()):
        """without: headers, in lower case."""
        path, _, query = self.path.partition('?')
        env = dict(os.environ, SERVER_PROTOCOL=self.request_version, REQUEST_METHOD=self.command,
                   PATH_INFO=urllib.parse.unquote(path), QUERY_STRING=query, REMOTE_ADDR=self.client_address[0],
                   GATEWAY_INTERFACE='CGI/1.1', CONTENT_TYPE=self.headers.get('Content-Type', ''),
                   CONTENT_LENGTH=content_length)
        for name, value in self.headers.items():
            if name.lower() not in without:
                env['HTTP_' + name.upper().replace('-', '_')] = value
        return env

    @staticmethod
    def cgi_head(output):
        """(status, the other headers) of a program's answer."""
        status, head = '200 OK', []
        for line in iter(output.readline, b''):
            if not line.strip():
                break
            name, _, value = line.decode().strip().partition(': ')
            if name == 'Status':
                status = value
            elif name not in ('Content-Length', 'Date'):
                head.append((name, value))
        return status, head
