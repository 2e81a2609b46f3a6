#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Usage: walks.py OURS STOCK DIRECTORY SEED COUNT [-k]

Random command lines of rev-list, log, merge-base, cherry and for-each-ref, by seed, over a random history with
merges, renames, copied changes, tags of all kinds and clocks that go wrong; also with a shallow boundary, with
replaced commits, and with a commit-graph. Both programs must print the same and exit with the same code. Differences that
are meant are listed below, with the reason. With a commit-graph, what stock prints without it is right as well: the graph
must make no difference, and with --author-date-order, --remove-empty, or --objects in topological order it does for
stock, as it meets commits at other times. -k: go on after a difference.
"""
import os
import random
import re
import subprocess
import sys

# (regular expression for the command line, kinds of histories, reason): these are not compared.
MEANT = [
	(r'^(?=.*--filter).*(--all|--tags|--indexed|\b(tree|blob|spec)\b)', '',
	 'What was named is listed whatever filters say, as the manual has it. Stock forgets that it was '
	 'named once it is met at another place.'),
	(r'--ancestry-path=(ann|nested)', '', 'Stock marks the tag instead of the commit, and misses its ancestors.'),
	(r'--ancestry-path=', 'replaced', 'As for skewed ones: grafts join commits of any age.'),
	(r'--ancestry-path=', 'skewed',
	 'Where a parent is younger than its child, stock visits it before it knows that it is an ancestor.'),
	(r'--bisect-all.*=.*%[_a-z]*d|=.*%d.*--bisect-all', '',
	 'For stock the distance is one of the names of a commit.'),
	(r'--bisect-vars.* -- .', '',
	 'Where no commit changes the paths, stock tells of a weight that it has not computed.'),
	(r'--no-walk.*--maximal-only|--maximal-only.*--no-walk', '', 'Starts without an order: the same.'),
	(r'--max-count-oldest.*--bisect|--bisect.*--max-count-oldest', '', 'Stock shows nothing.'),
	(r'--simplify-(merges|by-decoration)', 'skewed',
	 'What is excluded is found late there; the two do not find it at the same time.'),
	(r'--maximal-only', 'skewed',
	 'Where a parent is younger than its child, stock shows it before it visits the child.'),
	(r'(--objects|--indexed-objects).* -- .*[*]', '',
	 'A path with wildcards can match below any directory, where stock does not look for trees and blobs.'),
	(r'^cherry ', 'skewed', 'A walk ends too early there; stock has walked the same commits before.'),
	(r'--exclude-first-parent-only', '',
	 'Stock goes on to the second parent where it has met the first one before.'),
	(r'--simplify-by-decoration.*--bisect', '', 'Stock counts by a list that is not in order; it crashes.'),
	(r'--objects-edge-aggressive', 'skewed',
	 'Excluded commits that were taken for included ones at first are edges as well.'),
	(r'--no-walk.*--(since|max-age)|--(since|max-age).*--no-walk', '',
	 'Stock forgets the date with --ancestry-path and the like.'),
	(r'^(?=.*--first-parent)(?=.*--boundary)', '',
	 'Stock has not read later parents of merges, and so knows neither their parents, which give them '
	 'their place, nor their trees.'),
	(r'--no-walk.*--boundary|--boundary.*--no-walk', '',
	 'Stock has not read the boundary commits, and so does not know their dates.'),
	(r'--no-walk.*--bisect|--bisect.*--no-walk', '', 'Stock crashes.'),
	(r'--graph.*--count|--count.*--graph', '', 'Stock prints the graph, without line ends, too.'),
]

ENV = {k: v for k, v in os.environ.items() if not k.startswith('GIT_') or k == 'GIT_CEILING_DIRECTORIES'}
ENV.update(GIT_CONFIG_NOSYSTEM='1', HOME='/nonexistent', TZ='UTC', LC_ALL='C',
	   GIT_AUTHOR_NAME='A', GIT_AUTHOR_EMAIL='a@example.com', GIT_AUTHOR_DATE='1700000000 +0000',
	   GIT_COMMITTER_NAME='C', GIT_COMMITTER_EMAIL='c@example.com',
	   GIT_COMMITTER_DATE='1700000000 +0000')


KINDS = ('plain', 'skewed-packed', 'shallow', 'skewed-replaced', 'packed-graph', 'replaced', 'skewed',
	 'packed', 'skewed-graph')

# ---- a history ----

class History:
	"""A stream for fast-import."""

	def __init__(self, rng, skewed):
		self.rng = rng
		self.skew = 0.08 if skewed else 0
		self.out = []
		self.trees = {}    # mark -> {path: content}
		self.changes = []  # (path, content), to be copied to other branches
		self.mark = 0
		self.now = 1500000000
		self.branches = {}

	def text(self, nr):
		return ''.join('line %d %s\n' % (i, self.rng.choice('abcdefg')) for i in range(nr))

	def edit(self, files):
		"""Change some files; returns the commands."""
		rng, cmds = self.rng, []
		for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
			kind = rng.random()
			paths = sorted(files)
			if kind < 0.25 or not paths:
				path = rng.choice(('a', 'b', 'd/e', 'd/f', 'd/s/t', 'x/y', 'x/z', 'g.c', 'd/h.c'))
				files[path] = self.text(rng.randint(1, 12))
			elif kind < 0.35 and len(paths) > 1:  # the empty tree has no size for stock
				path = rng.choice(paths)
				cmds.append('D %s\n' % path)
				del files[path]
				continue
			elif kind < 0.45:
				path, new = rng.choice(paths), rng.choice(('moved', 'd/moved', 'n/m'))
				if path == new or any(p.startswith(new + '/') for p in files):
					continue
				cmds.append('R %s %s\n' % (path, new))
				files[new] = files.pop(path)
				continue
			elif kind < 0.6 and self.changes:
				path, content = rng.choice(self.changes[-30:])
				files[path] = content
			else:
				path = rng.choice(paths)
				lines = files[path].splitlines(True) or ['x\n']
				lines[rng.randrange(len(lines))] = 'changed %d\n' % rng.randrange(50)
				files[path] = ''.join(lines)
			data = files[path]
			self.changes.append((path, data))
			cmds.append('M 100644 inline %s\ndata %d\n%s\n' % (path, len(data), data))
		return cmds

	def commit(self, branch, parents):
		rng = self.rng
		self.mark += 1
		files = dict(self.trees[parents[0]]) if parents else {}
		start = ''
		if not parents:
			start = 'reset %s\n\n' % branch
		links = ''.join('%s :%d\n' % ('from' if i == 0 else 'merge', p)
				for i, p in enumerate(parents))
		cmds = []
		if len(parents) > 1 and rng.random() < 0.7:
			other = self.trees[parents[-1]]
			pick = rng.random()
			if pick < 0.3:  # all of the other side
				files = dict(other)
				cmds = ['deleteall\n'] + ['M 100644 inline %s\ndata %d\n%s\n' % (p, len(c), c)
							  for p, c in sorted(files.items())]
			else:
				for p in sorted(other):
					if rng.random() < 0.7 and files.get(p) != other[p] and not any(
							q.startswith(p + '/') or p.startswith(q + '/') for q in files):
						files[p] = other[p]
						cmds.append('M 100644 inline %s\ndata %d\n%s\n' %
							    (p, len(other[p]), other[p]))
		if len(parents) < 2 or rng.random() < 0.2:
			cmds += self.edit(files)
		if not files:
			files['a'] = 'a\n'
			cmds.append('M 100644 inline a\ndata 2\na\n\n')
		self.now += rng.choice((0 if self.skew else 2, 1, 30, 60, 3600))
		date = self.now - (rng.choice((100, 5000, 100000)) if rng.random() < self.skew else 0)
		author = date - rng.choice((0, 0, 10, 20000))
		msg = '%s %d\n\nbody %s\n' % (rng.choice(('fix', 'add', 'drop')), self.mark,
					    rng.choice('uvw'))
		self.out.append('%scommit %s\nmark :%d\nauthor %s <%s@x> %d +0000\n'
				'committer C <c@x> %d %s\ndata %d\n%s\n%s%s\n' % (
			start, branch, self.mark, rng.choice(('Ann', 'Bob')), rng.choice('ab'), author,
			date, rng.choice(('+0000', '-0700')), len(msg), msg, links, ''.join(cmds)))
		self.trees[self.mark] = files
		self.branches[branch] = self.mark

	def build(self, nr):
		rng = self.rng
		self.commit('refs/heads/main', [])
		for i in range(nr):
			names = sorted(self.branches)
			kind = rng.random()
			if kind < 0.1 and len(names) < 7:
				name = 'refs/heads/b%d' % i
				self.commit(name, [rng.randint(1, self.mark)])
			elif kind < 0.12 and len(names) < 7:
				self.commit('refs/heads/root%d' % i, [])
			elif kind < 0.35 and len(names) > 1:
				name = rng.choice(names)
				others = rng.sample([n for n in names if n != name],
						    1 if rng.random() < 0.85 or len(names) < 3 else 2)
				parents = [self.branches[name]]
				for o in others:
					if self.branches[o] not in parents:
						parents.append(self.branches[o])
				self.commit(name, parents)
			else:
				name = rng.choice(names)
				self.commit(name, [self.branches[name]])
		return ''.join(self.out).encode()


def run(git, repo, args, stdin=None):
	p = subprocess.run([git] + args, cwd=repo, env=ENV, input=stdin if stdin is not None else b'',
			   stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
	return p.returncode, p.stdout, p.stderr


def must(git, repo, *args, stdin=None):
	rc, out, err = run(git, repo, list(args), stdin)
	if rc:
		sys.exit('%s: %s' % (' '.join(args), err.decode()))
	return out.decode().strip()


def no_circle(stock, path, a, b):
	"""May a lead to b?"""
	return run(stock, path, ['merge-base', '--is-ancestor', a, b])[0] == 1


def make_repo(stock, path, rng, kind):
	h = History(rng, 'skewed' in kind)
	stream = h.build(rng.choice((12, 40, 90)))
	os.makedirs(path)
	must(stock, path, 'init', '-q', '-b', 'main', '.')
	must(stock, path, 'fast-import', '--quiet', stdin=stream)
	must(stock, path, 'reset', '-q', '--hard')
	commits = must(stock, path, 'rev-list', '--all').split()
	for i in range(4):
		must(stock, path, 'tag', 'light%d' % i, rng.choice(commits))
		must(stock, path, 'tag', '-a', '-m', 'msg', 'ann%d' % i, rng.choice(commits))
	must(stock, path, '-c', 'advice.nestedTag=false', 'tag', '-a', '-m', 'n', 'nested', 'ann0')
	must(stock, path, 'tag', '-a', '-m', 't', 'tree', 'main^{tree}')
	blobs = [l.split() for l in must(stock, path, 'ls-tree', '-r', 'main').splitlines()]
	if blobs:
		must(stock, path, 'tag', 'blob', rng.choice(blobs)[2])
	spec = must(stock, path, 'hash-object', '-w', '--stdin', stdin=b'd/\n!d/e\n/a\n*.c\n')
	must(stock, path, 'tag', 'spec', spec)
	must(stock, path, 'update-ref', 'refs/remotes/o/main', rng.choice(commits))
	must(stock, path, 'update-ref', 'refs/meta/x', rng.choice(commits))
	must(stock, path, 'config', 'uploadpack.hideRefs', 'refs/meta')
	for _ in range(3):  # something for reflogs
		must(stock, path, 'update-ref', '-m', 'moved', 'refs/heads/logged', rng.choice(commits))
	if 'shallow' in kind:
		with open(path + '/.git/shallow', 'w') as f:
			for c in sorted(set(rng.choice(commits) for _ in range(2))):
				f.write(c + '\n')
	if 'replaced' in kind:
		for _ in range(2):
			a, b = rng.sample(commits, 2)
			if no_circle(stock, path, a, b):
				run(stock, path, ['replace', '--graft', a, b])
		a, b = rng.sample(commits, 2)
		if no_circle(stock, path, a, b):
			run(stock, path, ['replace', a, b])
	if 'packed' in kind:
		must(stock, path, 'repack', '-adq')
		must(stock, path, 'pack-refs', '--all')
	if 'graph' in kind:
		must(stock, path, 'commit-graph', 'write', '--reachable', '--changed-paths')
	return commits


# ---- command lines ----

class Lines:
	def __init__(self, rng, commits, refs, newer):
		self.rng, self.commits, self.refs, self.newer = rng, commits, refs, newer

	def rev(self, commits_only=False):
		rng = self.rng
		r = rng.random()
		if r < 0.5:
			names = [n for n in self.refs if not commits_only or n not in ('tree', 'blob', 'spec')]
			return rng.choice(names)
		if r < 0.75:
			return rng.choice(self.commits)
		return rng.choice(('HEAD', 'main', 'logged')) + rng.choice(('', '~1', '~2', '^', '~5', '^2'))

	def revs(self):
		rng = self.rng
		kind = rng.random()
		if kind < 0.25:
			return [rng.choice(('--all', '--all', '--branches', '--tags', '--remotes',
					    '--branches=b*', '--glob=heads/*', '--glob=refs/tags/ann*'))]
		if kind < 0.45:
			return ['%s..%s' % (self.rev(True), self.rev(True))]
		if kind < 0.65:
			return ['%s...%s' % (self.rev(True), self.rev(True))]
		out = [self.rev() for _ in range(rng.choice((1, 1, 2, 3)))]
		if rng.random() < 0.5:
			out.append('^' + self.rev(True))
		if rng.random() < 0.1:
			out += ['--not', self.rev(True)]
		if rng.random() < 0.08:
			out.append(self.rev(True) + rng.choice(('^@', '^!', '^-')))
		return out

	def choose(self, table, most):
		out = []
		for _ in range(self.rng.choice(range(most + 1))):
			o = self.rng.choice(table)
			out += o.split(' ') if isinstance(o, str) else o()
		return out

	def date(self):
		return str(1500000000 + self.rng.randrange(0, 200000))

	def limits(self):
		rng = self.rng
		return [
			'--max-count=%d' % rng.randint(0, 12), '-n 3', '-5', '--skip=%d' % rng.randint(0, 5),
			'--since=' + self.date(), '--until=' + self.date(), '--since-as-filter=' + self.date(),
			'--max-age=' + self.date(), '--min-age=' + self.date(),
			'--merges', '--no-merges', '--min-parents=2', '--max-parents=0', '--no-min-parents',
			'--first-parent', '--exclude-first-parent-only', '--boundary', '--boundary',
			'--left-right', '--left-right', '--left-only', '--right-only', '--cherry-pick',
			'--cherry-mark', '--cherry', '--ancestry-path', '--ancestry-path=' + self.rev(True),
			'--topo-order', '--date-order', '--author-date-order', '--reverse',
			'--full-history', '--sparse', '--dense', '--simplify-merges', '--show-pulls',
			'--simplify-by-decoration', '--remove-empty', '--parents', '--children',
			'--author=Ann', '--grep=fix', '--grep=body.u', '--invert-grep', '-i',
			'--no-walk', '--no-walk=unsorted', '--do-walk', '--reflog',
			'--exclude=refs/heads/b* --all', '--exclude-hidden=uploadpack --all', '--ignore-missing',
		] + (['--maximal-only', '--max-count-oldest=%d' % rng.randint(0, 9)] if self.newer else [])

	def paths(self):
		rng = self.rng
		if rng.random() < 0.65:
			return []
		return ['--'] + rng.sample(('a', 'b', 'd', 'd/e', 'x', '*.c', 'd/s/', ':(exclude)d/f', 'moved',
					    'nothing', ':(glob)**/f', ':(icase)A'), rng.choice((1, 1, 2)))

	def rev_list(self):
		rng = self.rng
		args = ['rev-list'] + self.choose(self.limits(), 3)
		if rng.random() < 0.35:
			args += [rng.choice(('--objects', '--objects', '--objects-edge',
					     '--objects-edge-aggressive'))]
			args += self.choose(['--in-commit-order', '--no-object-names', '--unpacked',
				'--filter=blob:none', '--filter=blob:limit=%d' % rng.choice((0, 20, 60, 100)),
				'--filter=tree:%d' % rng.randint(0, 3), '--filter=object:type=' +
				rng.choice(('blob', 'tree', 'tag', 'commit')), '--filter=sparse:oid=spec',
				'--filter-print-omitted', '--filter-provided-objects', '--missing=print',
				'--missing=allow-any', '--indexed-objects'], 2)
		args += self.choose(['--count', '--timestamp', '--header', '--oneline', '--graph', '--pretty',
			'--pretty=raw', '--format=%h_%p_%m_%d', '--no-commit-header', '--abbrev-commit', '--abbrev=5',
			'--quiet', '--disk-usage', '-z', '--bisect', '--bisect-all', '--bisect-vars',
			'--pretty=short', '--pretty=fuller'], rng.choice((0, 1, 2)))
		return args + self.revs() + self.paths()

	def log(self):
		args = ['log', '--no-decorate'] + self.choose(self.limits(), 3)
		args += self.choose(['--oneline', '--graph', '--format=%H_%m', '--pretty=raw', '--stat', '--name-status',
				     '--raw', '--abbrev-commit', '--source', '--format=%h %s%n%b', '-p', '-m'], 2)
		return args + self.revs() + self.paths()

	def merge_base(self):
		rng = self.rng
		revs = [self.rev(True) for _ in range(rng.choice((2, 2, 2, 3, 4, 6)))]
		kind = rng.choice(([], ['--all'], ['--all'], ['--octopus'], ['--octopus', '--all'],
				   ['--independent'], ['--is-ancestor'], ['--fork-point']))
		if kind == ['--is-ancestor']:
			revs = revs[:2]
		if kind == ['--fork-point']:
			revs = [rng.choice(('logged', 'main', 'HEAD')), revs[0]]
		return ['merge-base'] + kind + revs

	def cherry(self):
		return ['cherry'] + self.rng.choice(([], ['-v'], ['--abbrev'])) + \
			[self.rev(True) for _ in range(self.rng.choice((1, 2, 2, 3)))]

	def for_each_ref(self):
		asked = self.rng.choices(('--contains', '--no-contains', '--merged', '--no-merged'),
					 k=self.rng.choice((1, 1, 2)))
		return ['for-each-ref', '--format=%(refname)'] + [a + '=' + self.rev(True) for a in asked]

	def line(self):
		r = self.rng.random()
		if r < 0.57:
			return self.rev_list()
		if r < 0.77:
			return self.log()
		if r < 0.9:
			return self.merge_base()
		return self.for_each_ref() if r < 0.95 else self.cherry()


# ---- comparing ----

def normalise(args, rc, out):
	"""What has no order of its own is sorted: omitted and missing objects."""
	if '--filter-print-omitted' in args or any(a.startswith('--missing') for a in args):
		lines = out.split(b'\n')
		plain = [l for l in lines if l[:1] not in (b'~', b'?')]
		out = b'\n'.join(plain + sorted(l for l in lines if l[:1] in (b'~', b'?')))
	return rc, out


def meant(line, kind):
	return any(re.search(pattern, line) and kinds in kind for pattern, kinds, _ in MEANT)


def fatal(err):
	return [l for l in err.decode(errors='replace').splitlines() if l.startswith('fatal: ')]


def agrees_without_graph(stock, repo, line, ours):
	b = run(stock, repo, ['-c', 'core.commitGraph=false'] + line)
	return normalise(line, *ours[:2]) == normalise(line, *b[:2])


def main():
	args = [a for a in sys.argv[1:] if a != '-k']
	keep_going = '-k' in sys.argv
	ours, stock, directory, seed, count = args[0], args[1], args[2], int(args[3]), int(args[4])
	version = subprocess.check_output([stock, 'version']).decode().split()[2].split('.')
	newer = (int(version[0]), int(version[1])) >= (2, 55)
	compared = differences = failed = skipped = by_graph = 0
	lines = None
	for i in range(count):
		rng = random.Random('%d/%d' % (seed, i))
		if lines is None or i % 50 == 0:
			kind = KINDS[i // 50 % len(KINDS)]
			repo = '%s/%d-%s' % (directory, i, kind)
			commits = make_repo(stock, repo, random.Random('%d/%d/repo' % (seed, i)), kind)
			refs = must(stock, repo, 'for-each-ref', '--format=%(refname:short)').split()
			lines = Lines(rng, commits, [r for r in refs if not r.startswith('replace/')], newer)
		lines.rng = rng
		line = lines.line()
		text = ' '.join(line)
		if meant(text, kind):
			skipped += 1
			continue
		a = run(ours, repo, line)
		b = run(stock, repo, line)
		if b[0] < 0:  # stock crashed
			skipped += 1
			continue
		compared += 1
		failed += b[0] != 0
		if normalise(line, *a[:2]) == normalise(line, *b[:2]):
			continue
		if 'graph' in kind and agrees_without_graph(stock, repo, line, a):
			by_graph += 1
			continue
		differences += 1
		print('# %s: git %s' % (repo, text))
		print('#   ours %d %s, stock %d %s' % (a[0], fatal(a[2]), b[0], fatal(b[2])))
		if not keep_going:
			break
	print('# %d command lines compared (%d fail), %d left out, %d as stock without its commit-graph, %d differences' % (
		compared, failed, skipped, by_graph, differences))
	return differences != 0


sys.exit(main())
