#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Usage: helper-push.py [OPTION...] URL REF=NEW... [<pack]

Pushes by a remote helper's "stateless-connect git-receive-pack", as git push does it, and prints the report: the words of the
server on standard error, the packets of report-status on standard output, one a line. Old values are those of the advertisement.

    --git PATH        "git" (its remote-http is started)
    --option TEXT     for the helper, "verbosity 2"; more than one can be given
    --pieces N        bytes of the body in a packet of the frame (60000)
    --sent FILE       the body goes there, too
    --advertised FILE the advertisement, without lengths
    --memory FILE     how much memory the helper has had at most, in kB
    --frame TEXT      this instead of a framed request, as it is, and no more
    --no-any          without "stateless-rpc-any"
    --pad N           so many MiB of zeros behind the pack
    --caps TEXT       capabilities (report-status side-band-64k); of SHA-256 values, object-format comes along
"""
import argparse
import subprocess
import sys

sys.dont_write_bytecode = True


def read_exactly(f, n):
    data = f.read(n)
    if len(data) != n:
        raise SystemExit('the helper has gone')
    return data


def packets(f):
    """Payloads; for others than those of data: 0, 1, 2."""
    while True:
        n = int(read_exactly(f, 4), 16)
        yield read_exactly(f, n - 4) if n >= 4 else n


def pkt(data):
    return b'%04x%s' % (len(data) + 4, data)


def options():
    p = argparse.ArgumentParser()
    for name in ('--git', '--sent', '--advertised', '--memory', '--frame'):
        p.add_argument(name, default='git' if name == '--git' else None)
    p.add_argument('--option', action='append', default=[])
    p.add_argument('--pieces', type=int, default=60000)
    p.add_argument('--pad', type=int, default=0)
    p.add_argument('--no-any', action='store_true')
    p.add_argument('--caps', default='report-status side-band-64k')
    p.add_argument('url')
    p.add_argument('refs', nargs='*')
    return p.parse_args()


def advertisement(helper, a):
    refs, lines = {}, []
    for line in packets(helper.stdout):
        if line == 0:
            break
        lines.append(line)
        head = line.split(b'\0')[0].rstrip(b'\n').split(b' ')
        if len(head) == 2 and len(head[0]) >= 40:
            refs[head[1].decode()] = head[0].decode()
    if a.advertised:
        with open(a.advertised, 'wb') as out:
            out.writelines(lines)
    return refs


def body(a, refs):
    """In pieces."""
    commands = b''
    for n, ref in enumerate(a.refs):
        name, new = ref.split('=')
        line = '%s %s %s' % (refs.get(name, '0' * len(new)), new, name)
        caps = a.caps + (' object-format=sha256' if len(new) == 64 else '')
        commands += pkt(line.encode() + (b'\0 ' + caps.encode() if n == 0 else b''))
    yield commands + b'0000'
    pack = sys.stdin.buffer
    while True:
        data = pack.read(1 << 20)
        if not data:
            break
        yield data
    for _ in range(a.pad):
        yield bytes(1 << 20)


def send(helper, a, refs):
    sent = open(a.sent, 'wb') if a.sent else None
    if a.frame is not None:
        helper.stdin.write(a.frame.encode())
        helper.stdin.close()
    else:
        for data in body(a, refs):
            if sent:
                sent.write(data)
            for at in range(0, len(data), a.pieces):
                helper.stdin.write(pkt(data[at:at + a.pieces]))
        helper.stdin.write(b'0002')
        helper.stdin.flush()


def show(report):
    lines = iter(lambda: report[:4], b'')
    for head in lines:
        n = int(head, 16)
        if n >= 4:
            print(report[4:n].decode().rstrip('\n'))
        report = report[max(n, 4):]


def answer(helper, a):
    report = b''
    for data in packets(helper.stdout):
        if data == 2:
            break
        if data == 0:
            continue
        if 'side-band' not in a.caps:
            report += pkt(data)
        elif data[:1] == b'\1':
            report += data[1:]
        else:
            sys.stderr.write(data[1:].decode(errors='replace'))
    show(report)


def main():
    a = options()
    helper = subprocess.Popen([a.git, 'remote-http', 'origin', a.url], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for option in a.option + ([] if a.no_any else ['stateless-rpc-any true']):
        helper.stdin.write(b'option ' + option.encode() + b'\n')
        helper.stdin.flush()
        if helper.stdout.readline() != b'ok\n':
            raise SystemExit('option %s was not taken' % option)
    helper.stdin.write(b'stateless-connect git-receive-pack\n')
    helper.stdin.flush()
    said = helper.stdout.readline()
    if said != b'\n':
        helper.stdin.close()
        helper.wait()
        raise SystemExit('the helper says: %s' % said.decode().strip())
    try:
        send(helper, a, advertisement(helper, a))
        answer(helper, a)
    except BrokenPipeError:
        print('the helper does not read on', file=sys.stderr)
    if a.memory:
        with open('/proc/%d/status' % helper.pid) as status, open(a.memory, 'w') as out:
            out.writelines(line.split()[1] + '\n' for line in status if line.startswith('VmHWM'))
    try:
        helper.stdin.close()
    except BrokenPipeError:
        pass
    return helper.wait()


sys.exit(main())
