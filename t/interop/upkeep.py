#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Usage: upkeep.py OURS STOCK DIRECTORY SEED COUNT [-k] [-v] [-o COMMAND] [-i NUMBER]

Random command lines of repack, gc, prune, prune-packed, maintenance, multi-pack-index, verify-pack, show-index,
commit-graph, bundle, count-objects and fsck, by seed, over random repositories: objects loose and in several
packs, twice and thrice, unreachable ones of any age, cruft, kept and promisor packs, alternates, objects that only a
reflog, an index, a worktree or a tag needs, shallow boundaries, indexes of several packs, bitmaps and commit-graphs. Each
program gets its own copy, at the same path. Both must exit with the same code, print the same, and leave the same objects at
the same kinds of places, of the same ages, with the same kinds of files beside them; and stock must find what ours
leaves in order. Differences that are meant are listed below, with the reason. -k: go on after a difference. -v: print the
command lines. -o: this command alone. -i: this line of the seed alone, and leave both results in DIRECTORY.
"""
import getopt
import hashlib
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import time

# (regular expression for the command line, with the features of the repository behind it in brackets; one for the
# difference; reason). None of them allows for a lost object.
MEANT = [
	('', 'touched', 'A pack that takes the place of newer loose copies gets the present time, so that a prune by age does '
	 'not come earlier.'),
	('repack|gc', 'younger', 'What becomes loose is as old as the newest pack that has it, and what young unreachable objects '
	 'lead to stays for as long as these; stock takes the time of the pack that it has used last.'),
	('prune|gc|repack|maintenance', 'more', 'What ORIG_HEAD and the like name stays, and all that young objects lead to: git-prune(1).'),
	('', r'file: .*/\.tmp-1-pack-x.pack: ours none', 'A .pack without .idx goes after two weeks; other Gits leave it for ever.'),
	('', r'file: .*/\.?tmp[_-][^ ]*: ours none', 'Stock has failed and left its temporary files.'),
	('repack', 'copies', 'Without -d, -k makes a pack of unreachable objects as well; where a filter leaves something out, what an '
	 'alternate or a kept pack has, too, goes into the second pack; an identical pack is not made again.'),
	('--filter|repackFilter', 'place|fewer', 'What the index and refs name stays in the first pack; with --no-cruft what the filter '
	 'leaves out is packed, where stock makes it loose.'),
	('--geometric|geometric-repack|maintenance', 'fewer|place|copies|packs|files|stdout',
	 'Packs of alternates and kept ones are not combined into ours; packs from promisor remotes are, with each other.'),
	('--write-midx=incremental', 'fewer|place|copies|file|packs|files|stdout|bitmap',
	 'Layers stay as they are as far as they can, with their packs.'),
	(r'\(.*(keep|alternate|promisor|cruft|shallow)', r'(stderr|stdout|files|file|packs): .*(bitmap|full closure)',
	 'Whether objects outside of the pack forbid bitmaps is found out with the first commit that needs one, not with '
	 'the first object that is left out; in a shallow repository none are written for several packs, as they would '
	 'be wrong once it is deepened.'),
	(r'( -b|writeBitmaps=true|multi-pack-index write|maintenance|gc)', r'(stderr): .*(bitmap|full closure|order of bits|reverse index)',
	 'Other words.'),
	(r'( -b|writeBitmaps=true|multi-pack-index write)', r'(files|file: .*bitmap)', 'The same.'),
	('packSizeLimit|--max-pack-size', r'(stderr: .*bitmap|files)', 'No bitmaps with a limit, even if it is not reached.'),
	(r'multi-pack-index write .*shallow', '(exit|file)', 'No bitmaps of several packs in a shallow repository.'),
	('bundle create.*worktree', 'stdout|file', 'What a bundle gives away is refs, not the HEADs of worktrees.'),
	('fsck.*--root.*shallow', 'stdout', 'A commit whose parents are beyond the boundary is no root.'),
	('prune-packed|maintenance', 'younger', 'As for repack.'),
	('repackFilterTo|filter-to', 'exit|fsck', 'What has been put elsewhere is missing, which ours says.'),
	('fsck.*--lost-found', 'stdout|file', 'With --unreachable as well it is written down too; a file of each name.'),
	('bundle create.*--not', 'stdout|file', 'What a tag points to is a prerequisite, if it is excluded.'),
	('--keep-largest-pack', 'place|copies|fewer', 'What young objects in the pack that stays lead to goes into cruft, not beside it.'),
	('gc', 'copies', 'What ORIG_HEAD names stays.'),
	('verify-pack', 'stdout', 'A pack that cannot be opened is reported on stderr alone.'),
	('maintenance.*promisor', 'file|exit', 'As for repack.'),
	('--expire-to|--filter-to', 'stderr: .*unable to', 'Other words.'),
	('--expire-to', 'fewer', 'Only what goes is put there, as the manual has it; stock puts all there that is unreachable.'),
	('--path-walk', 'fewer', 'Without -a only what commits lead to that are in no pack is looked at, in whichever order.'),
	('promisor', 'fewer|packs|place|copies', 'Packs from promisor remotes become one, with what an alternate or a kept pack has, too; and '
	 'they are not made part of others: what they mention would be promised no more.'),
	('multi-pack-index write.*promisor', 'exit|file', 'No index without the bitmap that was asked for.'),
	('multi-pack-index repack', 'exit|stderr|fewer|place|copies', 'Not with layers: git-multi-pack-index(1).'),
	('', r'file: .*multi-pack-index\.d/.*: ours none', 'Layers whose packs have been removed go with them.'),
	('maintenance.*--no-quiet', 'stderr: .*objects:', 'Progress is for terminals.'),
	('--filter-to', 'fsck', 'What has been put elsewhere is missed in both.'),
	('preferred-pack', r'stderr: .*unknown preferred pack', 'Its name without a suffix, or with either, is good.'),
	('--path-walk|--name-hash-version=2', r'(stderr|files): ', 'They go together with filters and bitmaps here.'),
	('gc|maintenance', r"stderr: .*core.commitGraph", 'That one setting has an effect is no reason to warn.'),
	('gc|maintenance', r"(exit|stderr): .*not a time in the past", 'Other words; the exit code shows that a task failed.'),
	('gc|maintenance|repack', r"stdout: ours '(Nothing new to pack.\\n)?' stock '(Nothing new to pack.\\n)?'$",
	 'Said if no pack has been made.'),
	('gc.repackFilterTo', 'stderr|file', 'Found out before anything is done.'),
	('--max-cruft-size=', 'stderr: .*minimum pack size', 'Also where no pack of cruft is made.'),
	('bundle create .*shallow', 'stdout|file', 'Parents beyond the boundary are prerequisites: git-bundle(1).'),
	('bundle create', r"(stdout: ours '' stock '# v|stderr)", 'Nothing is written before it is known that there is something; other words.'),
	('bundle.*promisor', 'exit|stderr|stdout|file', 'Objects that are promised and missing cannot be fetched.'),
	('promisor', r'stderr: .*(remote repository|promisor remote|not found|missing)', 'The same.'),
	('commit-graph.*changed.*promisor', 'exit|stderr|file', 'The same.'),
	('fsck.*promisor', 'stdout', 'What came from a promisor remote is not called unreachable.'),
	('fsck.*--no-full', 'exit|stderr|stdout', 'Reflogs are checked against all objects that are there.'),
	('verify-pack|show-index|prune', 'stderr', 'Other words.'),
	('', r'file: .*/logs/', 'A message that is empty stays without a tab.'),
]

# gc.repackFilter with cruft: stock puts what has expired into the pack of what the filter leaves out, where it stays for
# ever; gc.pruneExpire is heeded here.
LOST = r'gc.repackFilter=.* gc(?!.*(--no-cruft|--no-prune|--prune=never))'

# Stock gives up where ours goes on (regular expression for its messages, reason): all is left as it was there.
GIVES_UP = [
	('failed to write bitmap index', 'The packs are good without bitmaps.'),
	('Incremental repacks are incompatible', 'repack.writeBitmaps in the configuration does not forbid other repacks.'),
	('could not find preferred pack|could not write multi-pack|compaction', 'The packs are good without an index of them.'),
	('remote repository|promisor remote', 'What is promised and missing cannot be fetched; ours does not need it.'),
	('filter-to|unable to write file|unable to rename', 'Directories that are not there: said before something is written.'),
	('Invalid gc', 'Only the tasks that need it look at it.'),
]

DAY = 86400
AGES = (600, 3600, DAY, 10 * DAY, 20 * DAY, 100 * DAY)
LINES_PER_REPOSITORY = 12
ID = re.compile(r'[0-9a-f]{40}')

ENV = {k: v for k, v in os.environ.items() if not k.startswith('GIT_') or k == 'GIT_CEILING_DIRECTORIES'}
ENV.update(GIT_CONFIG_NOSYSTEM='1', TZ='UTC', LC_ALL='C', GIT_TEST_FSYNC='0',
	   GIT_AUTHOR_NAME='A', GIT_AUTHOR_EMAIL='a@example.com', GIT_AUTHOR_DATE='1700000000 +0000',
	   GIT_COMMITTER_NAME='C', GIT_COMMITTER_EMAIL='c@example.com',
	   GIT_COMMITTER_DATE='1700000000 +0000')


def run(git, where, args, data=b'', env=None):
	p = subprocess.run([git] + args, cwd=where, env=dict(ENV, **(env or {})), input=data,
			   stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
	return p.returncode, p.stdout.decode(errors='replace'), p.stderr.decode(errors='replace')


# ---- repositories ----

class Repository:
	"""A repository and its alternate, made by stock git from random numbers, at `home`/repo and `home`/alt."""

	def __init__(self, stock, home, rng, now):
		self.stock, self.home, self.rng, self.now = stock, home, rng, now
		self.path = home + '/repo'
		self.objects = self.path + '/.git/objects'
		self.features = {f for f, p in (('promisor', .15), ('alternate', .2), ('shallow', .15), ('worktree', .3),
						('midx', .2), ('cruft', .4), ('keep', .35), ('graph', .3),
						('bitmap', .15)) if rng.random() < p}
		if 'promisor' in self.features:  # what an alternate has would be promised no more
			self.features.discard('alternate')

	def git(self, *args, data=b'', env=None, may_fail=False):
		rc, out, err = run(self.stock, self.path, ['-c', 'maintenance.auto=false'] + list(args), data, env)
		if rc and not may_fail:
			sys.exit('stock git %s: %s' % (' '.join(args), err))
		return out.strip()

	def history(self, prefix, nr):
		"""A stream for fast-import: nr commits on one to three branches."""
		rng, out, tips = self.rng, [], {}
		for i in range(nr):
			branch = 'refs/heads/%s%d' % (prefix, rng.randrange(rng.choice((1, 3))) if i else 0)
			text = ''.join('line %d %d\n' % (j, rng.randrange(60)) for j in range(rng.choice((1, 5, 40, 200))))
			links = 'from :%d\n' % tips[branch] if branch in tips else ''
			others = [m for b, m in tips.items() if b != branch]
			if links and others and rng.random() < .2:
				links += 'merge :%d\n' % rng.choice(others)
			message = '%s %d' % (prefix, i)
			out.append('commit %s\nmark :%d\ncommitter C <c@x> %d +0000\ndata %d\n%s\n%s'
				   'M 100644 inline %s\ndata %d\n%s\n' % (
				branch, i + 1, 1600000000 + i * 1000, len(message), message, links,
				rng.choice(('a', 'b', 'd/e', 'd/f', 'd/s/t')), len(text), text))
			tips[branch] = i + 1
			if rng.random() < .1:
				out.append('tag %st%d\nfrom :%d\ntagger T <t@x> 1600000000 +0000\ndata 1\nx\n' % (prefix, i, i + 1))
		return ''.join(out).encode()

	def import_history(self, prefix, nr, packed=False):
		self.git('-c', 'fastimport.unpackLimit=%d' % (1 if packed else 100000), 'fast-import', '--quiet',
			 data=self.history(prefix, nr))

	def make(self):
		rng = self.rng
		os.makedirs(self.home)
		if self.features & {'promisor', 'shallow'}:
			self.clone()
		else:
			os.makedirs(self.path)
			self.git('init', '-q', '-b', 'main0', '.')
			self.import_history('main', self.rng.choice((3, 10, 25)), self.rng.random() < .5)
		for key, value in (('core.fsync', 'none'), ('gc.autoDetach', 'false'), ('core.logAllRefUpdates', 'true'),
				   ('maintenance.autoDetach', 'false'), ('user.name', 'A'), ('user.email', 'a@x')):
			self.git('config', key, value)
		self.git('symbolic-ref', 'HEAD', 'refs/heads/main0')
		if 'alternate' in self.features:
			self.lend()
		self.import_history('more', self.rng.choice((1, 5, 12)), self.rng.random() < .3)
		self.garbage()
		self.names()
		self.spread()
		self.files()
		for name in ('expired', 'filtered'):
			if rng.random() < .9:
				os.makedirs(self.home + '/' + name)
		shutil.rmtree(self.home + '/source', ignore_errors=True)  # what is promised cannot be fetched
		self.age(self.home)
		return self

	def clone(self):
		rng, source = self.rng, self.home + '/source'
		os.makedirs(source)
		path, self.path = self.path, source
		self.git('init', '-q', '-b', 'main0', '.')
		self.import_history('main', rng.choice((6, 15)), True)
		for key in ('allowFilter', 'allowAnySHA1InWant'):
			self.git('config', 'uploadpack.' + key, 'true')
		options = []
		if 'promisor' in self.features:
			options += [rng.choice(('--filter=blob:none', '--filter=tree:0', '--filter=blob:limit=100'))]
		if 'shallow' in self.features:
			options += ['--depth=%d' % rng.randint(1, 3)]
		self.git('clone', '-q', '--no-checkout', '--no-single-branch', *options, 'file://' + source, path)
		self.path = path
		self.git('update-ref', 'refs/heads/main0', 'HEAD')

	def lend(self):
		"""Some of the objects move to another repository."""
		alt = self.home + '/alt'
		subprocess.run([self.stock, 'init', '-q', '--bare', alt], env=ENV, check=True)
		ids = [i for i in self.all_ids() if self.rng.random() < .8]
		self.pack(ids, alt + '/objects/pack/pack')
		with open(self.objects + '/info/alternates', 'w') as f:
			f.write(self.rng.choice((alt + '/objects', '../../../alt/objects')) + '\n')
		if self.rng.random() < .7:
			self.git('repack', '-adlq')

	def all_ids(self):
		return self.git('cat-file', '--batch-all-objects', '--batch-check=%(objectname)').split()

	def pack(self, ids, base=None, *options):
		return self.git('pack-objects', '-q', *options, base or self.objects + '/pack/pack',
				data=('\n'.join(ids) + '\n').encode()) if ids else None

	def garbage(self):
		"""Objects that nothing reaches, or only a reflog, a deleted branch's included."""
		rng = self.rng
		self.import_history('gone', rng.choice((1, 4, 9)), rng.random() < .4)
		for ref in self.git('for-each-ref', '--format=%(refname)', 'refs/heads/gone*', 'refs/tags/gone*').split():
			tip = self.git('rev-parse', ref + '^{commit}')
			self.git('update-ref', '-d', ref)
			if rng.random() < .3:
				self.log('refs/heads/logged', tip)
		for i in range(rng.choice((0, 2, 6))):
			blob = self.git('hash-object', '-w', '--stdin', data=b'lost %d %d\n' % (i, rng.randrange(10**6)))
			if rng.random() < .4:
				tree = self.git('mktree', data=b'100644 blob %s\tf\n' % blob.encode())
				if rng.random() < .5:
					self.git('commit-tree', '-m', 'lost', tree)

	def log(self, ref, tip):
		back = self.git('rev-parse', '-q', '--verify', ref, may_fail=True) or self.git('rev-parse', 'HEAD')
		for value in (tip, back):
			age = self.rng.choice((DAY, 40 * DAY, 100 * DAY))
			self.git('update-ref', '-m', 'moved', ref, value,
				 env={'GIT_COMMITTER_DATE': '%d +0000' % (self.now - age)})

	def names(self):
		"""An index, annotated tags of anything, worktrees, odd refs."""
		rng = self.rng
		blob = self.git('hash-object', '-w', '--stdin', data=b'only in the index %d\n' % rng.randrange(10**6))
		self.git('update-index', '--add', '--cacheinfo', '100644,%s,staged' % blob)
		if rng.random() < .5:
			blob = self.git('hash-object', '-w', '--stdin', data=b'only in a tag %d\n' % rng.randrange(10**6))
			self.git('tag', '-a', '-m', 'x', 'blob', blob)
			self.git('-c', 'advice.nestedTag=false', 'tag', '-a', '-m', 'x', 'nested', 'blob')
		if rng.random() < .3:
			self.git('update-ref', 'refs/hidden/x', self.git('rev-parse', 'HEAD'))
		if rng.random() < .4:
			self.git('pack-refs', '--all')
		if 'worktree' in self.features and 'promisor' not in self.features:
			self.worktrees()

	def worktrees(self):
		for name in ('w1', 'w2'):
			self.git('worktree', 'add', '-q', '--detach', '--no-checkout', self.home + '/' + name, 'HEAD')
			tree = self.home + '/' + name
			lost = run(self.stock, tree, ['-c', 'maintenance.auto=false', 'commit', '-q', '--allow-empty', '-m', 'on ' + name])
			assert lost[0] == 0, lost
			if self.rng.random() < .5:
				blob = self.git('hash-object', '-w', '--stdin', data=b'in %s\n' % name.encode())
				run(self.stock, tree, ['update-index', '--add', '--cacheinfo', '100644,%s,staged' % blob])
			if self.rng.random() < .5:
				run(self.stock, tree, ['reset', '-q', 'HEAD^'])
		if self.rng.random() < .5:
			shutil.rmtree(self.home + '/w2')

	def spread(self):
		"""Put objects into packs of all kinds, some of them several times."""
		rng = self.rng
		local = self.local_ids()
		for _ in range(rng.choice((0, 1, 2, 4))):
			part = rng.random()
			name = self.pack([i for i in local if rng.random() < part])
			if name and 'keep' in self.features and rng.random() < .4:
				open('%s/pack/pack-%s.keep' % (self.objects, name), 'w').close()
		if 'cruft' in self.features:
			self.cruft(local)
		if rng.random() < .6:
			self.git('prune-packed', '-q')
		if rng.random() < .2:  # loose again, beside the pack
			for i in rng.sample(local, min(len(local), 3)):
				kind, data = self.git('cat-file', '-t', i), subprocess.run(
					[self.stock, 'cat-file', self.git('cat-file', '-t', i), i], cwd=self.path,
					env=ENV, stdout=subprocess.PIPE, check=True).stdout
				self.git('hash-object', '-w', '-t', kind, '--stdin', data=data)

	def local_ids(self):
		found = set(loose_objects(self.objects))
		for idx in indexes(self.objects + '/pack'):
			found.update(index_ids(idx))
		return sorted(found)

	def cruft(self, local):
		rng = self.rng
		reached = set(self.git('rev-list', '--all', '--objects', '--no-object-names', '--missing=allow-any').split())
		lost = [i for i in local if i not in reached]
		for _ in range(rng.choice((1, 1, 2, 3))):
			ids = [i for i in lost if rng.random() < rng.choice((.4, .9))]
			if rng.random() < .3:
				ids += rng.sample(local, min(4, len(local)))
			ids = sorted(set(ids))
			name = self.pack(ids)
			if name:
				self.write_mtimes(name, ids)
		for i in lost:
			path = loose_path(self.objects, i)
			if os.path.exists(path) and rng.random() < .5 and any(
					i in index_ids(x) for x in indexes(self.objects + '/pack')):
				os.unlink(path)

	def write_mtimes(self, name, ids):
		with open('%s/pack/pack-%s.pack' % (self.objects, name), 'rb') as f:
			trailer = f.read()[-20:]
		data = b'MTME' + struct.pack('>II', 1, 1) + b''.join(
			struct.pack('>I', int(self.now) - self.rng.choice(AGES)) for _ in ids) + trailer
		with open('%s/pack/pack-%s.mtimes' % (self.objects, name), 'wb') as f:
			f.write(data + hashlib.sha1(data).digest())

	def files(self):
		"""What stock's own upkeep would have left."""
		rng = self.rng
		if 'bitmap' in self.features:
			self.git('repack', '-qbad' if rng.random() < .6 else '-qba', may_fail=True)
			if rng.random() < .5:
				self.import_history('late', 3, rng.random() < .5)
		if 'midx' in self.features:
			self.git('multi-pack-index', 'write', *rng.choice(([], ['--bitmap'], ['--incremental'])),
				 may_fail=True)
			if rng.random() < .5:
				self.import_history('newer', 2, True)
		if 'graph' in self.features:
			self.git('commit-graph', 'write', '--reachable', '--no-progress',
				 *rng.choice(([], ['--split'], ['--changed-paths'])), may_fail=True)
		if rng.random() < .3:
			self.git('update-server-info')
		if rng.random() < .2:
			for name in ('pack/tmp_pack_old', 'tmp_obj_old', 'pack/.tmp-1-pack-x.pack'):
				open(self.objects + '/' + name, 'w').close()
		self.git('bundle', 'create', '-q', self.path + '/some.bundle', '--all', *rng.choice(([], ['^main0~1'])), may_fail=True)

	def age(self, top):
		"""Give objects, packs and left-overs random ages."""
		for where, _, names in sorted(os.walk(top)):
			bases = {}
			for name in sorted(names):
				base = name.split('.')[0] if name.startswith('pack-') else name
				if base not in bases:  # no two packs of the same age: the order among these is anybody's
					bases[base] = self.rng.choice(AGES[2:] if 'tmp' in base else AGES) + len(bases)
				age = bases[base]
				if '/objects' in where or name == 'gitdir':
					path = where + '/' + name
					os.chmod(path, 0o644 if name == 'gitdir' else 0o444)
					os.utime(path, (self.now - age, self.now - age))


# ---- what is there ----

def loose_path(objects, oid):
	return '%s/%s/%s' % (objects, oid[:2], oid[2:])


def loose_objects(objects):
	found = {}
	for fan in sorted(os.listdir(objects)):
		if re.fullmatch('[0-9a-f]{2}', fan):
			for name in sorted(os.listdir(objects + '/' + fan)):
				found[fan + name] = int(os.stat('%s/%s/%s' % (objects, fan, name)).st_mtime)
	return found


def indexes(directory):
	if not os.path.isdir(directory):
		return []
	return sorted('%s/%s' % (directory, n) for n in os.listdir(directory) if n.endswith('.idx'))


def index_ids(path):
	with open(path, 'rb') as f:
		data = f.read()
	nr = struct.unpack('>I', data[8 + 255 * 4:8 + 256 * 4])[0]
	start = 8 + 256 * 4
	return [data[start + 20 * i:start + 20 * i + 20].hex() for i in range(nr)]


class State:
	"""The objects of a repository by place, and the other files of it."""

	def __init__(self, home, now):
		self.now = now
		objects = home + '/repo/.git/objects'
		self.loose = {i: self.when(m) for i, m in loose_objects(objects).items()}
		self.packs, self.extra = [], []
		for directory in (objects + '/pack', home + '/expired', home + '/filtered', home + '/alt/objects/pack'):
			self.read_packs(directory, os.path.relpath(directory, home))
		self.other = {}
		for top in ('repo', 'alt'):
			self.read_files(home, top)

	def when(self, mtime):
		return 'now' if mtime >= self.now - 60 else str(int(self.now) - int(mtime))  # all else is older than that

	def read_packs(self, directory, place):
		for idx in indexes(directory):
			ids, base = index_ids(idx), idx[:-4]
			kinds = sorted(k for k in ('keep', 'promisor', 'mtimes', 'bitmap', 'rev')
				       if os.path.exists(base + '.' + k))
			ages = []
			if 'mtimes' in kinds:
				with open(base + '.mtimes', 'rb') as f:
					data = f.read()
				ages = [self.when(struct.unpack('>I', data[12 + 4 * i:16 + 4 * i])[0])
					for i in range(len(ids))]
			self.packs.append((place, tuple(kinds), tuple(ids), tuple(ages),
					   self.when(os.stat(base + '.pack').st_mtime)))
		self.packs.sort()

	def read_files(self, home, top):
		for where, _, names in os.walk(home + '/' + top):
			for name in names:
				path = where + '/' + name
				short = os.path.relpath(path, home)
				if re.search(r'/objects/[0-9a-f]{2}/', short) or re.search(r'/pack-[0-9a-f]{40}[.][a-z]+$', short):
					continue
				with open(path, 'rb') as f:
					data = f.read()
				self.other[re.sub('[0-9a-f]{40}', 'X', short)] = self.content(short, data)

	@staticmethod
	def content(short, data):
		if '/objects/' in short or short.endswith('.bundle'):
			if short.endswith('objects/info/packs'):
				return ''
			if short.endswith('.bundle'):
				return data[:data.find(b'\n\n') + 14]
			return ''
		if '/logs/' in short:
			return re.sub(rb'[ \t]+\n', b'\n', data)
		if short.endswith('packed-refs'):
			return re.sub(rb'sorted +\n', b'sorted\n', data)  # blanks: room that ours leaves
		if short.endswith('info/refs'):
			return data
		return hashlib.sha1(data).hexdigest() if not short.endswith('/index') else ''

	def places(self):
		"""Object id -> sorted kinds of places."""
		found = {}
		for oid, age in self.loose.items():
			found.setdefault(oid, []).append('loose/%s' % age)
		for place, kinds, ids, ages, _ in self.packs:
			kind = '+'.join(k for k in kinds if k in ('keep', 'promisor', 'mtimes'))
			for nr, oid in enumerate(ids):
				found.setdefault(oid, []).append('%s/%s%s' % (place.replace('repo/.git/objects/', ''), kind,
									       '/%s' % ages[nr] if ages else ''))
		return {oid: sorted(p) for oid, p in found.items()}


def is_younger(a, b):
	"""The same kinds of places, and no copy is older in ours."""
	split = lambda p: (p.rsplit('/', 1)[0], p.rsplit('/', 1)[1])
	seconds = lambda s: 0 if s in ('now', '') or not s.lstrip('-').isdigit() else int(s)
	return len(a) == len(b) and all(split(x)[0] == split(y)[0] and seconds(split(x)[1]) <= seconds(split(y)[1])
					for x, y in zip(a, b))


def includes(a, b):
	kinds = lambda l: [re.sub('/(now|-?[0-9]+)$', '', p) for p in l]
	a = kinds(a)
	return all(kinds(b).count(p) <= a.count(p) for p in kinds(b))


def compare_states(a, b):
	"""Lists of (what, text)."""
	out = []
	pa, pb = a.places(), b.places()
	lost = [i for i in pb if i not in pa]
	more = [i for i in pa if i not in pb]
	moved = [i for i in pa if i in pb and pa[i] != pb[i]]
	younger = [i for i in moved if is_younger(pa[i], pb[i])]
	moved = [i for i in moved if i not in younger]
	copies = [i for i in moved if includes(pa[i], pb[i])]
	fewer = [i for i in moved if includes(pb[i], pa[i])]
	moved = [i for i in moved if i not in copies and i not in fewer]
	for what, ids in (('lost', lost), ('more', more), ('place', moved), ('younger', younger), ('copies', copies), ('fewer', fewer)):
		if ids:
			out.append((what, '%d: ' % len(ids) + '; '.join('%s ours %s stock %s' % (i[:8], pa.get(i), pb.get(i))
								       for i in sorted(ids)[:3])))
	if not out and a.packs != b.packs:
		for what, key in (('packs', lambda p: p[:1] + p[2:4]), ('files', lambda p: p[:4]), ('age', lambda p: p)):
			ka, kb = sorted(map(key, a.packs)), sorted(map(key, b.packs))
			if what == 'age' and all(x == y or x[:4] == y[:4] and x[4] == 'now' for x, y in zip(ka, kb)):
				what = 'touched'
			if ka != kb:
				show = lambda l: [(p[0].split('/')[-2:], p[1], len(p[2]), p[4]) for p in l]
				out.append((what, 'ours %s stock %s' % (show(a.packs), show(b.packs))))
				break
	for name in sorted(set(a.other) | set(b.other)):
		if a.other.get(name) != b.other.get(name):
			out.append(('file', '%s: ours %s stock %s' % (name, a.other.get(name, 'none'), b.other.get(name, 'none'))))
	return out


# ---- command lines ----

class Lines:
	def __init__(self, rng, repo):
		self.rng, self.repo = rng, repo
		self.packs = [os.path.basename(i)[:-4] for i in indexes(repo.objects + '/pack')]
		self.commits = repo.git('rev-list', '--all', '--max-count=20').split()
		self.ids = repo.local_ids()

	def some(self, table, most):
		out = []
		for o in self.rng.sample(table, min(len(table), self.rng.randint(0, most))):
			out += o.split(' ')
		return out

	def when(self):
		return self.rng.choice(('now', 'never', 'all', '2.weeks.ago', '5.days.ago', '1.hour.ago', '30.days.ago'))

	def past(self):
		when = self.when()
		return when if when != 'all' or self.rng.random() < .2 else 'now'

	def pack(self):
		return self.rng.choice(self.packs) if self.packs else 'pack-none'

	def config(self, table, most):
		out = []
		for o in self.rng.sample(table, min(len(table), self.rng.choice((0, 0, 0, 1, most)))):
			out += ['-c', o]
		return out

	def bool(self):
		return self.rng.choice(('true', 'false'))

	def repack(self):
		rng, home = self.rng, self.repo.home
		keys = ['repack.useDeltaBaseOffset=' + self.bool(), 'repack.packKeptObjects=' + self.bool(),
			'repack.writeBitmaps=' + self.bool(), 'repack.updateServerInfo=' + self.bool(),
			'repack.cruftWindow=%d' % rng.randint(0, 20), 'repack.cruftDepth=%d' % rng.randint(0, 20),
			'repack.midxMustContainCruft=' + self.bool(), 'pack.writeReverseIndex=' + self.bool(),
			'pack.packSizeLimit=1m', 'repack.useDeltaIslands=' + self.bool(), 'pack.useSparse=' + self.bool(),
			'pack.island=refs/heads/(.*)']
		kinds = ['', '-a', '-A', '-a', '-A', '--cruft', '--cruft', '--cruft', '-a -k', '-k', '--geometric=2', '--geometric=3',
			 '-a --unpack-unreachable=' + self.when(), '-A --unpack-unreachable=' + self.when(),
			 '--cruft --cruft-expiration=' + self.when(), '--cruft --cruft-expiration=' + self.when(),
			 '--cruft --max-cruft-size=%s' % rng.choice(('1', '1m', '600')),
			 '--cruft --combine-cruft-below-size=%s' % rng.choice(('300', '1k', '1m')),
			 '--cruft --cruft-expiration=%s --expire-to=%s/expired/pack' % (self.when(), home),
			 '-a --filter=%s' % rng.choice(('blob:none', 'blob:limit=50', 'tree:1')),
			 '-a --filter=%s --filter-to=%s/filtered/pack' % (rng.choice(('blob:none', 'tree:0')), home)]
		args = rng.choice(kinds).split()
		if rng.random() < .8:
			args.append('-d')
		args += self.some(['-l', '-l', '-f', '-F', '-b', '-b', '-m', '-m', '--write-midx', '-n', '-q', '-q', '--no-cruft',
				   '--max-pack-size=1m', '--pack-kept-objects', '--no-pack-kept-objects', '--window=3', '--depth=2',
				   '--threads=1', '--keep-pack=%s.pack' % self.pack(), '--keep-pack=%s.pack' % self.pack(),
				   '-k', '-i', '--write-midx=incremental', '--path-walk', '--name-hash-version=2',
				   '--window-memory=1m', '--no-write-bitmap-index'], 4)
		return self.config(keys, 2) + ['repack'] + args

	def gc(self):
		rng, home = self.rng, self.repo.home
		keys = ['gc.pruneExpire=' + self.past(), 'gc.packRefs=' + self.bool(),
			'gc.reflogExpireUnreachable=' + self.when(), 'gc.cruftPacks=' + self.bool(), 'gc.packRefs=notbare',
			'gc.worktreePruneExpire=' + self.past(), 'gc.bigPackThreshold=%s' % rng.choice(('1', '500', '1m')),
			'gc.auto=%d' % rng.choice((0, 1, 10)), 'gc.autoPackLimit=%d' % rng.choice((0, 1, 3)),
			'gc.writeCommitGraph=' + self.bool(), 'gc.maxCruftSize=%s' % rng.choice(('1', '1m')),
			'gc.refs/heads/logged.reflogExpire=' + self.when(), 'gc.refs/heads/*.reflogExpireUnreachable=' + self.when(),
			'gc.rerereResolved=1', 'gc.aggressiveDepth=3', 'gc.aggressiveWindow=7', 'gc.recentObjectsHook=echo ' +
			rng.choice(self.ids), 'gc.repackFilter=blob:none', 'gc.repackFilterTo=%s/filtered/pack' % home,
			'repack.writeBitmaps=' + self.bool(), 'core.commitGraph=' + self.bool(), 'gc.logExpiry=now',
			'repack.packKeptObjects=' + self.bool()]
		reflogs = [] if rng.random() < .8 else [  # alone, 2.55 lets unreachable entries stay for ever, unlike its manual
			'-c', 'gc.reflogExpire=' + self.when(), '-c', 'gc.reflogExpireUnreachable=' + self.when()]
		args = self.some(['--auto', '--aggressive', '--prune=' + self.when(), '--prune=' + self.when(), '--no-prune', '--prune',
				  '--cruft', '--no-cruft', '--no-cruft', '--keep-largest-pack', '--force', '-q', '--no-detach',
				  '--max-cruft-size=1m', '--expire-to=%s/expired/pack' % home], 4)
		return reflogs + self.config(keys, 3) + ['gc'] + args

	def prune(self):
		args = self.some(['-n', '-n', '-v', '--expire=' + self.when(), '--expire=' + self.when(), '--expire=' + self.when(),
				  '--no-progress', '--exclude-promisor-objects'], 4)
		if self.rng.random() < .2:
			args += ['--'] * self.rng.randint(0, 1) + self.rng.sample(self.ids, 1)
		return self.config(['gc.recentObjectsHook=echo ' + self.rng.choice(self.ids)], 1) + ['prune'] + args

	def prune_packed(self):
		return ['prune-packed'] + self.some(['-n', '-q', '--dry-run', '--quiet'], 2)

	def maintenance(self):
		rng = self.rng
		tasks = ['gc', 'commit-graph', 'loose-objects', 'incremental-repack', 'geometric-repack', 'pack-refs',
			 'reflog-expire', 'worktree-prune', 'rerere-gc']
		keys = ['maintenance.%s.enabled=%s' % (rng.choice(tasks), self.bool()),
			'maintenance.loose-objects.auto=%d' % rng.choice((-1, 0, 1, 1000)),
			'maintenance.loose-objects.batchSize=%d' % rng.choice((0, 1, 5)),
			'maintenance.incremental-repack.auto=%d' % rng.choice((-1, 0, 1, 3)),
			'maintenance.geometric-repack.auto=%d' % rng.choice((-1, 0, 1, 3)),
			'maintenance.geometric-repack.splitFactor=%d' % rng.choice((2, 3)),
			'maintenance.commit-graph.auto=%d' % rng.choice((-1, 0, 1, 100)),
			'maintenance.reflog-expire.auto=%d' % rng.choice((-1, 0, 1)),
			'maintenance.worktree-prune.auto=%d' % rng.choice((-1, 0, 1)),
			'maintenance.strategy=' + rng.choice(('none', 'gc', 'incremental', 'geometric', 'bad')),
			'gc.pruneExpire=' + self.past(), 'gc.cruftPacks=' + self.bool(), 'gc.auto=1', 'gc.worktreePruneExpire=' + self.past()]
		args = ['--task=' + t for t in rng.sample(tasks, rng.choice((0, 1, 1, 1, 1, 2, 3)))]
		args += self.some(['--auto', '--quiet', '--no-quiet', '--no-detach'], 2)
		if rng.random() < .15:
			args.append('--schedule=' + rng.choice(('hourly', 'daily', 'weekly', 'bad')))
		return self.config(keys, 3) + ['maintenance', 'run'] + args

	def multi_pack_index(self):
		rng = self.rng
		what = rng.choice(('write', 'write', 'write', 'verify', 'repack', 'repack', 'expire'))
		args, data = [], b''
		if what == 'write':
			args = self.some(['--bitmap', '--bitmap', '--preferred-pack=%s.pack' % self.pack(), '--no-bitmap', '--incremental',
					  '--preferred-pack=%s.idx' % self.pack(), '--preferred-pack=' + self.pack(), '--no-progress'], 3)
			if rng.random() < .25:
				args.append('--stdin-packs')
				data = ''.join('%s.idx\n' % p for p in self.packs if rng.random() < .6).encode()
		if what == 'repack':
			args = self.some(['--batch-size=0', '--batch-size=%d' % rng.choice((1, 300, 2000, 10**6)), '--no-progress'], 2)
		keys = ['pack.writeBitmapHashCache=' + self.bool(), 'pack.writeBitmapLookupTable=' + self.bool(),
			'repack.packKeptObjects=' + self.bool(), 'repack.useDeltaBaseOffset=false', 'pack.preferBitmapTips=refs/heads']
		line = self.config(keys, 2) + ['multi-pack-index', what] + args
		return (line, data) if data or '--stdin-packs' in args else line

	def verify_pack(self):
		names = [self.repo.objects + '/pack/%s%s' % (self.pack(), self.rng.choice(('.idx', '.pack', '')))
			 for _ in range(self.rng.choice((1, 1, 2)))]
		return ['verify-pack'] + self.some(['-v', '-s', '--verbose', '--stat-only', '--'], 1) + names

	def show_index(self):
		with open(self.repo.objects + '/pack/%s.idx' % self.pack(), 'rb') as f:
			data = f.read()
		if self.rng.random() < .2:
			data = data[:self.rng.randrange(len(data))]
		return ['show-index'] + self.some(['--object-format=sha1'], 1), data

	def commit_graph(self):
		rng = self.rng
		if rng.random() < .2:
			return ['commit-graph', 'verify'] + self.some(['--shallow', '--no-progress'], 2)
		data, source = b'', rng.choice(('--reachable', '--reachable', '--stdin-packs', '--stdin-commits', ''))
		if source == '--stdin-packs':
			data = ''.join('%s.idx\n' % p for p in self.packs if rng.random() < .6).encode()
		if source == '--stdin-commits':
			data = ''.join(c + '\n' for c in rng.sample(self.commits, min(3, len(self.commits)))).encode()
		args = [source] if source else []
		args += self.some(['--append', '--split', '--split=no-merge', '--split=replace', '--changed-paths', '--no-changed-paths',
				   '--max-commits=3', '--size-multiple=1', '--expire-time=' + self.when().replace('all', 'now'),
				   '--max-new-filters=%d' % rng.randint(0, 4), '--no-progress'], 3)
		return self.config(['commitGraph.generationVersion=1', 'commitGraph.maxNewFilters=1', 'commitGraph.changedPaths=true',
				    'core.commitGraph=false'], 1) + ['commit-graph', 'write'] + args, data

	def bundle(self):
		rng = self.rng
		what = rng.choice(('create', 'create', 'create', 'verify', 'list-heads', 'unbundle'))
		if what == 'create':
			args = self.some(['-q', '--version=2', '--version=3', '--quiet'], 1) + [rng.choice(('new.bundle', 'new.bundle', '-'))]
			args += rng.choice((['--all'], ['main0'], ['--branches', '--tags'], ['HEAD', 'main0'], ['--all', '^main0~1'],
					    ['-2', 'main0'], ['main0~2..main0'], ['--since=1600003000', '--all'], ['main0..main0'],
					    ['--all', '--filter=blob:none'], ['--filter=tree:0', 'main0'], [rng.choice(self.commits)],
					    ['--tags', '--not', 'main0'], ['blob'], ['nested', 'main0'], ['none'], ['--objects', 'main0'],
					    ['--max-count=1', '--branches'], ['--ignore-missing', 'main0'], ['--reflog']))
			return ['bundle', 'create'] + args
		if what == 'verify':
			return ['bundle', 'verify'] + self.some(['-q'], 1) + ['some.bundle']
		return ['bundle', what, 'some.bundle'] + self.some(['refs/heads/main0', 'main0', 'HEAD', 'refs/tags/none'], 2)

	def count_objects(self):
		return ['count-objects'] + self.some(['-v', '-H', '-vH', '--verbose'], 2)

	def fsck(self):
		rng = self.rng
		args = self.some(['--unreachable', '--unreachable', '--dangling', '--no-dangling', '--lost-found', '--connectivity-only',
				  '--connectivity-only', '--no-reflogs', '--no-reflogs', '--cache', '--root', '--tags', '--strict',
				  '--no-full', '--full', '--name-objects', '--no-progress', '--references', '--no-references'], 4)
		if rng.random() < .15:
			args += rng.sample(self.ids, rng.randint(1, 2))
		return ['fsck'] + args

	def line(self, only=None):
		"""(arguments, standard input)"""
		table = (('repack', 34), ('gc', 14), ('prune', 7), ('prune_packed', 2), ('maintenance', 10), ('multi_pack_index', 10),
			 ('verify_pack', 2), ('show_index', 1), ('commit_graph', 8), ('bundle', 8), ('count_objects', 1), ('fsck', 8))
		made = getattr(self, only or self.rng.choices([t[0] for t in table], [t[1] for t in table])[0])()
		return made if isinstance(made, tuple) else (made, b'')


# ---- comparing ----

def normalise(text, args):
	text = re.sub(r'pack-[0-9a-f]{40}', 'pack-X', text)
	if 'fsck' in args or 'prune' in args:
		text = ''.join(sorted(text.splitlines(True)))
	if 'bundle' in args and '-' in args:
		end = text.find('\n\n')
		text = text[:end]
	return text


def is_meant(args, features, what, said):
	line = '%s (%s)' % (' '.join(args), ' '.join(sorted(features)))
	if what == 'lost':
		return re.search(LOST, line) is not None
	return any(re.search(p, line) and re.match('(' + w + ')', what + ': ' + said) for p, w, _ in MEANT)


class Result:
	def __init__(self, git, stock, master, home, line, now):
		shutil.rmtree(home, ignore_errors=True)
		subprocess.run(['cp', '-a', master, home], check=True)
		args, data = line
		self.rc, self.out, self.err = run(git, home + '/repo', args, data)
		self.state = State(home, now)
		self.check = self.checks(stock, home + '/repo')

	def checks(self, stock, path):
		out = []
		rc, text, err = run(stock, path, ['fsck', '--no-progress'])
		# Which objects are there is compared, so this is about what is broken.
		out.append(('fsck', rc, ''.join(sorted(l for l in (text + err).splitlines(True) if not re.match('dangling|notice', l)))))
		objects = path + '/.git/objects'
		names = os.listdir(objects + '/pack')
		if 'multi-pack-index' in names or 'multi-pack-index.d' in names:
			out.append(('midx', run(stock, path, ['multi-pack-index', 'verify', '--no-progress'])))
		chain = objects + '/pack/multi-pack-index.d'
		if any(n.endswith('.bitmap') for n in names + (os.listdir(chain) if os.path.isdir(chain) else [])):
			rc, text, err = run(stock, path, ['rev-list', '--use-bitmap-index', '--test-bitmap', 'HEAD'])
			if "doesn't have an indexed bitmap" in err:
				rc = 0
			listed = [run(stock, path, ['rev-list', '--objects', '--all', '--missing=allow-any', '--no-object-names'] + o)
				  for o in ([], ['--use-bitmap-index'])]
			same = [(r[0], sorted(r[1].split())) for r in listed]
			out.append(('bitmap', rc or same[0] != same[1], err + listed[1][2]))
		info = objects + '/info'
		if os.path.exists(info + '/commit-graph') or os.path.exists(info + '/commit-graphs'):
			out.append(('graph', run(stock, path, ['commit-graph', 'verify', '--no-progress'])))
		return out


def differences(a, b, args):
	out = []
	if a.rc != b.rc:
		out.append(('exit', 'ours %d %r stock %d %r' % (a.rc, a.err[-200:], b.rc, b.err[-200:])))
	for what, x, y in (('stdout', a.out, b.out), ('stderr', a.err, b.err)):
		x, y = normalise(x, args), normalise(y, args)
		if x != y:
			out.append((what, 'ours %r stock %r' % (x[-600:], y[-600:])))
	out += compare_states(a.state, b.state)
	theirs = dict((c[0], c) for c in b.check)
	for c in a.check:
		if theirs.get(c[0]) != c and not (c[0] == 'bitmap' and theirs.get(c[0], c)[1] and c[0] in theirs) and (c[0] == 'fsck' and c[1] or c[1] != 0 and (not isinstance(c[1], tuple) or c[1][0] != 0)):
			out.append((c[0], 'ours %s stock %s' % (c, theirs.get(c[0]))))
	return out


def main():
	options, (ours, stock, directory, seed, count) = getopt.gnu_getopt(sys.argv[1:], 'kvo:i:')
	options = dict(options)
	only, single = options.get('-o'), int(options.get('-i', -1))
	ENV['HOME'] = directory
	master, home = directory + '/master', directory + '/w'
	compared = left_out = failed = bad = 0
	for i in range(int(count)):
		if single >= 0 and i != single:
			continue
		if single >= 0 or i % LINES_PER_REPOSITORY == 0:
			first = i // LINES_PER_REPOSITORY
			now = int(time.time())
			for d in (master, home):
				shutil.rmtree(d, ignore_errors=True)
			repo = Repository(stock, home, random.Random('%s/%d/repo' % (seed, first)), now).make()
			subprocess.run(['cp', '-a', home, master], check=True)
			lines = None
		if not lines:
			repo.home, repo.path = home, home + '/repo'
			lines = Lines(None, repo)
		lines.rng = random.Random('%s/%d' % (seed, i))
		shutil.rmtree(home)
		subprocess.run(['cp', '-a', master, home], check=True)
		line = lines.line(only)
		text = ' '.join(line[0]).replace(home, 'HOME')
		if '-v' in options:
			print('%d: %s' % (i, text), flush=True)
		b = Result(stock, stock, master, home, line, now)
		if single >= 0:
			shutil.rmtree(directory + '/stock', ignore_errors=True)
			subprocess.run(['cp', '-a', home, directory + '/stock'], check=True)
		a = Result(ours, stock, master, home, line, now)
		found = differences(a, b, line[0])
		gave_up = not a.rc and b.rc and any(re.search(p, b.err) for p, _ in GIVES_UP)
		listed = [d for d in found if gave_up and d[0] != 'lost' or is_meant(line[0], repo.features, *d)]
		found = [d for d in found if d not in listed]
		compared += 1
		left_out += bool(listed)
		failed += b.rc != 0
		if not found:
			continue
		bad += 1
		print('# %s/%d (%s): git %s' % (seed, i, ' '.join(sorted(repo.features)), text))
		for what, said in found:
			print('#   %s: %s' % (what, said.replace(home, 'HOME')), flush=True)
		if '-k' not in options:
			break
	print('# %d command lines compared (%d fail), %d with listed differences, %d differences' % (compared, failed, left_out, bad))
	return bad != 0


sys.exit(main())
