#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git for-each-ref, compared with stock git'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"

# Arguments, a line for each run, as the shell reads them.
peers_for_each_line () {
	while IFS= read -r line; do
		eval "peers_git for-each-ref $line" || {
			echo "for-each-ref $line"
			return 1
		}
	done
}

# commit NAME MESSAGE: with another author and committer, at another time.
commit () {
	test_tick &&
	GIT_COMMITTER_NAME="C O Mitter" stock -C theirs commit -q --allow-empty --author="$1 <$2@example.com>" -m "$3"
}

# Messages of unusual forms.
make_messages () {
	commit "A U Thor" author one &&
	stock -C theirs tag lightweight &&
	stock -C theirs branch old &&
	commit "B. Utor" b "Subject of two lines
 with: odd.. characters/here

Body of it
in two lines.

Key: value
Other:   spaces
  continued
Signed-off-by: B. Utor <b@example.com>" &&
	stock -C theirs branch side &&
	commit "Third" "third+tag" "$(printf "three\r\n\r\nwith carriage returns\r\n")" &&
	printf "hello\000binary\n" >theirs/blob &&
	stock -C theirs add blob &&
	commit "A U Thor" author "four: a tree with a blob" &&
	stock -C theirs update-ref refs/notes/x HEAD~1 &&
	stock -C theirs checkout -q side &&
	commit "Side" side "on the side" &&
	commit "Side" side "on the side again" &&
	stock -C theirs checkout -q main &&
	test_tick &&
	stock -C theirs merge -q -m "merge" --no-ff side~1 &&
	commit "Odd" odd "

  leading blank lines, and none at the end"
}

make_tags () {
	test_tick &&
	stock -C theirs tag -a -m "tag subject" annotated &&
	stock -C theirs tag -a -m "of a blob" blob-tag HEAD:blob &&
	stock -C theirs tag -a -m "of a tree" tree-tag HEAD^{tree} &&
	stock -C theirs tag tree HEAD^{tree} &&
	stock -C theirs tag blob HEAD:blob &&
	stock -C theirs tag -a -F - signed-like <<-\TAG &&
	Signed tag

	Body of the tag
	second line
	third line

	Acked-by: someone
	-----BEGIN PGP SIGNATURE-----

	iQEzBAABCAAdFiEE
	-----END PGP SIGNATURE-----
	TAG
	{
		stock -C theirs cat-file tag annotated | sed -e "/^tagger/d" -e "s/^tag annot.*/tag no-tagger/"
	} >no-tagger &&
	stock -C theirs update-ref refs/tags/no-tagger \
		"$(stock -C theirs hash-object --literally -t tag -w --stdin <no-tagger)" &&
	for v in 1.0 1.9 1.10 1.10-rc1 1.10-rc2 1.10-beta 1.010 1.1a 2.0-rc10 2.0 10.0; do
		stock -C theirs tag v$v HEAD~1 || return 1
	done
}

make_remotes () {
	cd theirs &&
	stock remote add origin ../nowhere &&
	stock config remote.origin.push "refs/heads/side:refs/heads/over-there" &&
	stock update-ref refs/remotes/origin/main main~2 &&
	stock update-ref refs/remotes/origin/side side &&
	stock update-ref refs/remotes/origin/over-there old &&
	stock symbolic-ref refs/remotes/origin/current refs/remotes/origin/main &&
	stock branch -q --track local main &&
	stock branch gone && stock branch diverged side && stock branch behind old &&
	for b in main side diverged; do
		stock config branch.$b.remote origin &&
		stock config branch.$b.merge refs/heads/main || return 1
	done &&
	stock config branch.side.merge refs/heads/side &&
	stock config branch.gone.remote origin &&
	stock config branch.gone.merge refs/heads/gone &&
	stock config branch.behind.remote . &&
	stock config branch.behind.merge refs/heads/main &&
	stock config branch.behind.pushRemote origin &&
	stock config branch.old.remote elsewhere &&
	cd ..
}

test_expect_success 'set up: every kind of ref' '
	stock init -q -b main theirs &&
	make_messages && make_tags && (make_remotes) &&
	stock -C theirs symbolic-ref refs/heads/alias refs/heads/main &&
	stock -C theirs branch Upper && stock -C theirs branch a/b/c side &&
	stock -C theirs branch a-b side && stock -C theirs branch main2 &&
	stock -C theirs pack-refs --all &&
	stock -C theirs branch loose && stock -C theirs branch -q -f old HEAD~2 &&
	stock -C theirs update-ref refs/tags/side HEAD~1 &&
	stock -C theirs repack -q -a -d -f --depth=5 &&
	cp -R theirs ours
'

test_expect_success 'patterns, counts' '
	peers_for_each_line <<-\END
	refs/heads
	refs/heads/
	refs/head
	refs/tags refs/heads/main
	refs/heads/main
	refs/heads/a
	refs/heads/a/
	"refs/heads/*"
	"refs/heads/**"
	"refs/*"
	"refs/*/main"
	"refs/**/main"
	"refs/tags/v1.[01]*"
	"refs/tags/v?.0"
	"refs/heads/ma*" "refs/heads/main*" refs/heads/main
	refs/tags/v refs/tags/v1.0 "refs/tags/[n]*"
	main
	heads/main
	HEAD
	"*"
	""
	/
	refs/heads/MAIN
	--ignore-case refs/HEADS
	--ignore-case "refs/HEADS/*"
	--ignore-case "refs/heads/u*"
	--ignore-case
	--count=1
	--count=3 refs/tags
	--count 2 "refs/heads/*"
	--count=0 refs/heads
	--count=100 refs/heads
	--count=2 --sort=-refname
	-- refs/heads
	END
'

test_expect_success 'fields of the ref' '
	peers_for_each_line <<-\END
	--format="%(refname)|%(refname:short)|%(refname:)|%(HEAD)|%(symref)|%(flag)|%(*refname)"
	--format="%(refname:lstrip=1)|%(refname:lstrip=2)|%(refname:lstrip=3)|%(refname:lstrip=-1)|%(refname:lstrip=-9)|%(refname:strip=2)|%(refname:lstrip=0)"
	--format="%(refname:rstrip=1)|%(refname:rstrip=2)|%(refname:rstrip=9)|%(refname:rstrip=-1)|%(refname:rstrip=-9)|%(refname:rstrip=0)"
	--format="%(symref:short)|%(symref:lstrip=2)|%(symref:rstrip=1)|%(*symref)"
	--format="%(worktreepath)"
	--format="%(upstream)|%(upstream:short)|%(upstream:track)|%(upstream:trackshort)"
	--format="%(upstream:track,nobracket)|%(upstream:nobracket,track)|%(upstream:remotename)|%(upstream:remoteref)"
	--format="%(upstream:lstrip=2)|%(upstream:rstrip=-2)|%(upstream:trackshort,track)|%(upstream:track,trackshort)"
	--format="%(push)|%(push:short)|%(push:track)|%(push:trackshort)|%(push:remotename)|%(push:remoteref)"
	--format="%(push:track,nobracket)|%(push:lstrip=2)"
	END
'

test_expect_success 'push.default and remotes of their own' '
	for mode in nothing current upstream simple matching; do
		peers_do "stock config push.default $mode" &&
		peers_git for-each-ref --format="%(refname)|%(push)|%(push:remotename)|%(push:remoteref)" ||
			return 1
	done &&
	peers_do "stock config --unset push.default && stock config remote.pushDefault other" &&
	peers_git for-each-ref --format="%(refname)|%(push)|%(push:remotename)|%(push:remoteref)" &&
	peers_do "stock config --unset remote.pushDefault"
'

test_expect_success 'core.warnAmbiguousRefs decides how short names are' '
	peers_do "stock config core.warnAmbiguousRefs false" &&
	peers_git for-each-ref --format="%(refname:short)" &&
	peers_do "stock config --unset core.warnAmbiguousRefs"
'

test_expect_success 'fields of the object' '
	peers_for_each_line <<-\END

	--format="%(objecttype) %(objectsize) %(*objecttype) %(*objectsize)"
	--format="%(objectname:short)|%(objectname:short=1)|%(objectname:short=12)|%(objectname:short=99)|%(*objectname)|%(*objectname:short)"
	--format="%(tree)|%(tree:short)|%(tree:short=10)|%(parent)|%(parent:short)|%(numparent)|%(*tree)|%(*parent:short=5)|%(*numparent)"
	--format="%(object)|%(type)|%(tag)|%(*object)|%(*type)|%(*tag)"
	--format="%(author)|%(authorname)|%(authoremail)|%(authordate)"
	--format="%(authoremail:trim)|%(authoremail:localpart)|%(authoremail:)|%(committeremail:localpart)"
	--format="%(committer)|%(committername)|%(committeremail)|%(committerdate)"
	--format="%(tagger)|%(taggername)|%(taggeremail)|%(taggerdate)|%(taggeremail:trim)"
	--format="%(creator)|%(creatordate)|%(*creator)|%(*creatordate:unix)"
	--format="%(authordate:iso)|%(authordate:iso-strict)|%(authordate:rfc2822)|%(authordate:short)|%(authordate:raw)|%(authordate:unix)"
	--format="%(creatordate:local)|%(creatordate:iso-local)|%(creatordate:format:%Y/%m %H:%M)|%(creatordate:format-local:%c)"
	--format="%(*authorname)|%(*authoremail)|%(*authordate)|%(*committerdate:short)|%(*taggerdate)"
	--format="[%(subject)][%(subject:sanitize)][%(contents:subject)]"
	--format="[%(body)][%(contents:body)][%(contents:signature)]"
	--format="[%(contents)][%(contents:size)]"
	--format="[%(contents:lines=0)][%(contents:lines=1)][%(contents:lines=2)][%(contents:lines=99)]"
	--format="[%(*subject)][%(*body)][%(*contents:size)][%(*contents:signature)]"
	--format="[%(trailers)][%(contents:trailers)][%(trailers:only)][%(trailers:unfold)]" refs/heads
	--format="[%(trailers:only,unfold)][%(trailers:key=Key)][%(trailers:key=signed-off-by:,valueonly)]" refs/heads
	--format="[%(trailers:separator=%x2C,unfold)][%(trailers:keyonly)][%(trailers:key_value_separator= is ,only)]" refs/heads
	--format="[%(*trailers:key=Key)][%(trailers:key=)][%(trailers:only=no)]" refs/heads
	--format="%(raw)|%(raw:size)"
	--format="%(*raw)|%(*raw:size)" refs/tags
	END
'

test_expect_success 'sizes on disk and delta bases' '
	peers_git for-each-ref --format="%(refname) %(objectsize:disk) %(deltabase)" &&
	peers_git for-each-ref --format="%(refname) %(*objectsize:disk) %(*deltabase)" refs/tags
'

test_expect_success 'literals, if, align, colours' '
	peers_for_each_line <<-\END
	--format="%%(refname)%%%(refname)%41%zz%4%"
	--format="a%09b%00c%0ad%xx"
	--format=
	--format="%(if)%(HEAD)%(then)%(refname)%(else)no%(end)|"
	--format="%(if)%(symref)%(then)-> %(symref)%(end)|"
	--format="%(if:equals=refs/heads/main)%(refname)%(then)main%(end)|"
	--format="%(if:notequals=commit)%(objecttype)%(then)no commit%(else)commit%(end)|"
	--format="%(if)   %(then)blank%(else)empty%(end)"
	--format="%(if)%(if)%(symref)%(then)%(else)x%(end)%(then)inner%(else)%(align:20)outer%(end)%(end)|"
	--format="%(align:30)%(refname)%(end)|"
	--format="%(align:30,right)%(refname)%(end)|"
	--format="%(align:middle,width=31)%(refname)%(end)|"
	--format="%(align:position=middle,30)%(refname)%(end)|"
	--format="%(align:3)%(refname)%(end)|%(align:0)x%(end)|%(align:5)%(end)|"
	--format="%(align:40)<%(align:20,right)%(refname:short)%(end)>%(end)|"
	--format="%(align:9)äöü%(end)|"
	--color --format="%(color:red)%(refname)"
	--color --format="%(color:red)%(refname)%(color:reset)"
	--color --format="%(color:bold blue)%(align:12)%(color:red)x%(end)|"
	--color=always --format="%(if)%(color:red)%(then)coloured%(end)"
	--no-color --format="%(color:red)%(refname)"
	--color=auto --format="%(color:red)%(refname)"
	--format="%(color:red)%(refname)"
	END
'

test_expect_success 'quoting' '
	for o in --shell -s --perl -p --python --tcl; do
		peers_git for-each-ref $o --format="%(refname) %(subject) %(contents) %(HEAD)" &&
		peers_git for-each-ref $o --color \
			--format="%(color:red)%(if)%(HEAD)%(then)%(refname)%(end)%(align:20)%(refname)%(end)" ||
			return 1
	done &&
	peers_git for-each-ref --perl --format="%(raw) %(raw:size)" &&
	for o in --shell --python --tcl; do
		peers_git for-each-ref $o --format="%(raw:size)" &&
		peers_git for-each-ref $o --format="%(raw)" &&
		peers_git for-each-ref $o --format="%(*raw)" || return 1
	done
'

test_expect_success 'sorting' '
	for key in refname objecttype objectsize objectname creatordate authordate committerdate \
		taggerdate authorname subject contents body "*objecttype" "*objectname" \
		"*committerdate" "*subject" numparent symref upstream HEAD refname:short \
		version:refname v:refname version:refname:short tag type raw \
		objectsize:disk color:red if version:objectname
	do
		peers_git for-each-ref --sort="$key" &&
		peers_git for-each-ref --sort="-$key" --format="%(refname)" &&
		peers_git for-each-ref --sort="$key" --ignore-case --count=5 || return 1
	done &&
	peers_for_each_line <<-\END
	--sort=objecttype --sort=-creatordate
	--sort=-creatordate --sort=objecttype
	--sort=-refname --sort=objecttype
	--sort=refname --sort=-objecttype
	--sort=-refname --no-sort
	--no-sort --sort=-refname
	--ignore-case --sort=-refname
	--sort=refname --sort=-refname
	END
'

test_expect_success 'versionsort.suffix' '
	for s in "-rc" "-beta -rc" "-rc -beta" "-rc1 -rc" "-rc \"\" -beta" "0" "-r -rc2 -rc"; do
		peers_do "stock config --unset-all versionsort.suffix || :" &&
		eval "set -- $s" &&
		for suffix; do
			peers_do "stock config --add versionsort.suffix \"$suffix\"" || return 1
		done &&
		peers_git for-each-ref --sort=v:refname --format="%(refname)" &&
		peers_git for-each-ref --sort=-version:refname --format="%(refname)" refs/tags || return 1
	done &&
	peers_do "stock config --unset-all versionsort.suffix" &&
	peers_do "stock config versionsort.prereleaseSuffix -rc" &&
	peers_git for-each-ref --sort=v:refname --format="%(refname)" &&
	peers_do "stock config --unset versionsort.prereleaseSuffix"
'

# Older versions of Git go one step, newer ones to the end.
test_expect_success 'with "*", fields are of the object at the end of a chain of tags' '
	for repo in ours theirs
	do
		git -C $repo tag -a -m "of a tag" nested annotated 2>err &&
		git -C $repo tag -a -m "of a nested tag" deep nested 2>err || return 1
	done &&
	fields="%(*objectname) %(*objecttype) %(*objectsize) %(*tree) %(*subject)|%(*tag)|%(*object)" &&
	git -C ours for-each-ref --format="$fields" refs/tags/annotated >expect &&
	test_grep "^$(git -C ours rev-parse annotated^0) commit " expect &&
	for tag in nested deep
	do
		git -C ours for-each-ref --format="$fields" refs/tags/$tag >actual &&
		test_cmp expect actual || return 1
	done &&
	git -C ours for-each-ref --sort=-refname --sort="*objecttype" --format="%(refname) %(*objecttype)" \
		refs/tags/nested refs/tags/blob-tag refs/tags/tree-tag >actual &&
	cat >expect <<-\EOF &&
	refs/tags/blob-tag blob
	refs/tags/nested commit
	refs/tags/tree-tag tree
	EOF
	test_cmp expect actual
'

# In older versions of Git, --points-at does not follow tags of tags.
test_expect_success 'ancestry' '
	for what in main side old HEAD~3 annotated deep lightweight alias; do
		for o in --contains --no-contains --merged --no-merged; do
			peers_git for-each-ref $o $what && peers_git for-each-ref $o=$what refs/tags ||
				return 1
		done && peers_git for-each-ref --points-at=$what refs/heads "refs/tags/[al]*" || return 1
	done &&
	git -C ours for-each-ref --points-at=annotated^{} --format="%(refname)" "refs/tags/[adn]*" >out &&
	printf "refs/tags/%s\n" annotated deep nested no-tagger >expect && test_cmp expect out &&
	peers_for_each_line <<-\END
	--contains
	--merged
	--no-merged
	--no-contains
	--contains=side --contains=old
	--merged=side --merged=old
	--no-merged=side --no-merged=old
	--contains=old --no-contains=side
	--merged=main --no-merged=old --count=2
	--merged=main --contains=lightweight --sort=-refname
	--points-at=main --points-at=side refs/heads
	--points-at=HEAD^{tree}
	--points-at=HEAD:blob
	--points-at=nested
	--contains=HEAD^{tree}
	--merged=HEAD:blob
	--no-merged=HEAD:blob
	--contains=nope
	--no-contains nope
	--merged=nope
	--no-merged=nope
	--points-at=nope
	--points-at
	--merged --no-merged
	END
'

# make_history N SEED SPREAD: of commits a minute apart, give or take SPREAD seconds, so that
# walks by date are put to the test.
make_history () {
	local i=0 n=$1 seed=$2 spread=$3 parents p
	stock init -q -b main theirs &&
	: >commits &&
	while test $i -lt $n; do
		seed=$(((seed * 1103515245 + 12345) % 2147483648)) &&
		GIT_COMMITTER_DATE="$((1700000000 + 60 * i + seed / 65536 % spread)) +0000" && export GIT_COMMITTER_DATE &&
		parents= && p=$((seed / 256 % 7)) &&
		if test $i -gt 0; then
			parents="-p $(sed -n "$((i - seed / 512 % (i < 4 ? i : 4)))p" commits)" &&
			if test $p -lt 3 && test $i -gt 3; then
				parents="$parents -p $(sed -n "$((seed / 1024 % i + 1))p" commits)"
			fi
		fi &&
		stock -C theirs commit-tree $parents -m "$i" "$EMPTY_TREE" >>commits 2>/dev/null || return 1
		i=$((i + 1))
	done &&
	i=0 &&
	while read -r oid; do
		echo "create refs/heads/b$i $oid" && i=$((i + 1))
	done <commits >instructions &&
	stock -C theirs update-ref --stdin <instructions &&
	stock -C theirs symbolic-ref HEAD refs/heads/b$((n - 1))
}

test_expect_success 'ancestry where clocks are wrong' '
	mkdir odd && cd odd &&
	for seed in 1 2 3; do
		rm -rf ours theirs && make_history 30 $seed 5000 && cp -R theirs ours &&
		for b in b0 b3 b9 b14 b20 b25 b29; do
			for o in contains no-contains merged no-merged; do
				peers_git for-each-ref --format="%(refname)" --$o=$b || return 1
			done &&
			peers_git for-each-ref --format="%(refname)" --contains=b5 --contains=$b \
				--no-merged=b10 --no-merged=$b || return 1
		done || return 1
	done &&
	cd ..
'

# Counts what one reaches and the other does not, in the simplest way.
count_only () {
	stock -C theirs rev-list "$1" | sort >count.1 &&
	stock -C theirs rev-list "$2" | sort >count.2 &&
	comm -23 count.1 count.2 | wc -l
}

test_expect_success 'ahead and behind' '
	mkdir counted && cd counted &&
	for seed in 1 2 3; do
		rm -rf ours theirs && make_history 30 $seed 300 && cp -R theirs ours &&
		git -C ours for-each-ref --format="%(ahead-behind:b20) %(refname)" >counts &&
		for b in $(stock -C theirs for-each-ref --format="%(refname)"); do
			echo "$(count_only $b b20) $(count_only b20 $b) $b" || return 1
		done >expect &&
		test_cmp expect counts || return 1
	done &&
	cd ..
'

test_expect_success 'short names of remote HEADs' '
	stock -C ours symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/main &&
	git -C ours for-each-ref --format="%(refname:short)" refs/remotes/origin/HEAD >out &&
	echo origin >expect &&
	test_cmp expect out &&
	stock -C ours symbolic-ref -d refs/remotes/origin/HEAD
'

test_expect_success 'mistakes' '
	peers_for_each_line <<-\END
	--sort=foo
	--sort=
	--sort
	--sort=version:foo
	--sort=-refname:x
	--format="%(foo)"
	--format="%(authorx)"
	--format="%()"
	--format="%(*)"
	--format="%(refname:foo)"
	--format="%(refname: short)"
	--format="%(refname:lstrip=x)"
	--format="%(symref:rstrip=x)"
	--format="%(objectname:foo)"
	--format="%(objectname:short=0)"
	--format="%(objectname:short=x)"
	--format="%(tree:x)"
	--format="%(objectsize:x)"
	--format="%(deltabase:x)"
	--format="%(subject:x)"
	--format="%(body:x)"
	--format="%(contents:x)"
	--format="%(contents:lines=x)"
	--format="%(contents:lines=-1)"
	--format="%(trailers:x)"
	--format="%(trailers:key)"
	--format="%(authoremail:x)"
	--format="%(authordate:x)"
	--format="%(authordate:)"
	--format="%(*creatordate:x)"
	--format="%(upstream:x)"
	--format="%(upstream:short,track)"
	--format="%(push:x)"
	--format="%(raw:x)"
	--format="%(rest)"
	--format="%(if)"
	--format="%(if)%(then)"
	--format="%(if:foo)"
	--format="%(if)x%(end)"
	--format="%(if)%(else)%(end)"
	--format="%(if)%(then)%(then)%(end)"
	--format="%(if)%(then)%(else)%(else)%(end)"
	--format="%(if)%(then)%(else)%(then)%(end)"
	--format="%(align:5)%(then)%(end)"
	--format="%(align:5)%(else)%(end)"
	--format="%(then)"
	--format="%(else)"
	--format="%(end)"
	--format="%(align)x%(end)"
	--format="%(align:)x%(end)"
	--format="%(align:foo)x%(end)"
	--format="%(align:5,foo)x%(end)"
	--format="%(align:left)x%(end)"
	--format="%(align:-3)x%(end)"
	--format="%(align:width=x)x%(end)"
	--format="%(align:position=x,3)x%(end)"
	--format="%(color)"
	--format="%(color:xyz)"
	--color=foo
	END
'

test_expect_success 'usage errors' '
	PEERS_STDERR=ignore &&
	peers_for_each_line <<-\END &&
	--shell --perl
	--count=-1
	--no-such
	--format="%(refname"
	--format="%(refname)%("
	END
	PEERS_STDERR= &&
	test_expect_code 129 git -C ours for-each-ref --format="%(refname" 2>err &&
	test_grep "^error: malformed format string %(refname$" err &&
	test_expect_code 129 git -C ours for-each-ref --shell --perl 2>err &&
	test_grep "^error: more than one quoting style?$" err &&
	for atom in is-base:main; do
		test_must_fail git -C ours for-each-ref --format="%($atom)" 2>err &&
		test_grep "%($atom) is not available yet" err || return 1
	done &&
	test_must_fail git -C ours for-each-ref --format="%(ahead-behind)" 2>err &&
	test_grep "expected format: %(ahead-behind:<committish>)" err &&
	test_must_fail git -C ours for-each-ref --format="%(ahead-behind:nope)" 2>err &&
	test_grep "failed to find .nope." err &&
	for arg in "%(authorname:x)" "%(HEAD:x)" "%(numparent:x)" "%(object:short)" "%(author:x)"; do
		test_expect_code 128 git -C ours for-each-ref --format="$arg" 2>err || return 1
	done
'

# ---- newer than the stock git that is here ----

test_expect_success '--exclude' '
	git -C ours for-each-ref --format="%(refname)" --exclude=refs/tags --exclude="refs/heads/a*" \
		--exclude="refs/remotes/**" >out &&
	git -C ours for-each-ref --format="%(refname)" >all &&
	grep -v -e "^refs/tags/" -e "^refs/heads/a-" -e "^refs/heads/alias" -e "^refs/remotes/" all >expect &&
	test_cmp expect out
'

test_expect_success '--omit-empty' '
	git -C ours for-each-ref --omit-empty --format="%(symref)" >out &&
	git -C ours for-each-ref --format="%(symref)" | grep . >expect &&
	test_cmp expect out
'

test_expect_success '--stdin' '
	printf "refs/heads/m*\r\nrefs/tags/tree\n" | git -C ours for-each-ref --stdin >out &&
	git -C ours for-each-ref "refs/heads/m*" refs/tags/tree >expect &&
	test_cmp expect out &&
	test_must_fail git -C ours for-each-ref --stdin refs/heads </dev/null 2>err &&
	test_grep "unknown arguments supplied with --stdin" err
'

test_expect_success '--include-root-refs' '
	cp -R ours roots &&
	stock -C roots update-ref ORIG_HEAD side && stock -C roots update-ref FOO_HEAD old &&
	echo nothing >roots/.git/BAD_HEAD && stock -C roots rev-parse side >roots/.git/FETCH_HEAD &&
	stock -C roots update-ref NOT_A_ROOT side &&
	git -C roots for-each-ref --include-root-refs --format="%(refname) %(objectname) %(symref)" >out &&
	{
		echo "FOO_HEAD $(stock -C roots rev-parse old) " &&
		echo "HEAD $(stock -C roots rev-parse HEAD) refs/heads/main" &&
		echo "ORIG_HEAD $(stock -C roots rev-parse side) " &&
		git -C roots for-each-ref --format="%(refname) %(objectname) %(symref)"
	} >expect &&
	test_cmp expect out &&
	git -C roots for-each-ref --include-root-refs --format="%(refname)" HEAD "F*" >out &&
	printf "%s\n" FOO_HEAD HEAD >expect &&
	test_cmp expect out
'

test_expect_success 'mailmap' '
	cp -R ours mapped &&
	echo "The Author <the@author> <author@example.com>" >mapped/.mailmap &&
	git -C mapped for-each-ref --format="%(authorname:mailmap)|%(authoremail:mailmap)|%(authoremail:mailmap,trim)|%(authoremail:localpart,mailmap)|%(authorname)" refs/tags/lightweight >out &&
	echo "The Author|<the@author>|the@author|the|A U Thor" >expect &&
	test_cmp expect out
'

# ---- damaged repositories ----

test_expect_success 'broken refs: a warning, the others are shown' '
	peers_do "stock symbolic-ref refs/heads/dangling refs/heads/nowhere &&
		stock symbolic-ref refs/remotes/origin/dangling refs/remotes/origin/nowhere" &&
	{ ! test_have_prereq REFFILES || peers_do "echo garbage >.git/refs/heads/broken && : >.git/refs/heads/empty &&
		echo $ZERO_OID >.git/refs/heads/null && cp .git/refs/heads/loose \".git/refs/heads/bad..name\""; } &&
	peers_git for-each-ref && peers_git for-each-ref refs/tags &&
	peers_git for-each-ref --sort=-refname --format="%(refname) %(symref)" &&
	peers_git for-each-ref --merged refs/heads &&
	peers_do "rm -f .git/refs/heads/broken .git/refs/heads/empty .git/refs/heads/null .git/refs/heads/bad..name" &&
	for side in ours theirs; do
		git -C $side symbolic-ref -d refs/heads/dangling && git -C $side symbolic-ref -d refs/remotes/origin/dangling || return 1
	done
'

# In a table a branch is known to be no tag: the object is not looked for.
test_expect_success 'missing objects' '
	if test_have_prereq REFFILES; then
		missing=$(echo $ZERO_OID | sed "s/0/7/g") && peers_do "echo $missing >.git/refs/heads/missing"
	else
		missing=$(lost_ref ours refs/heads/missing) && lost_ref theirs refs/heads/missing
	fi &&
	{ if test_have_prereq REFFILES; then cat; else grep -v "[*]objectname"; fi; } <<-\END | peers_for_each_line &&
	--format="%(refname) %(objectname)" refs/heads
	--format="%(refname) %(objecttype)" refs/heads/missing
	--format="%(refname) %(authorname)" refs/heads/missing
	--format="%(refname) %(*objectname)" refs/heads/missing
	--format="%(raw)" refs/heads/missing
	--sort=creatordate refs/heads/missing
	--contains=main --format="%(refname)"
	--merged=main --format="%(refname)"
	END
	test_must_fail git -C ours for-each-ref 2>err &&
	test_grep "^fatal: missing object $missing for refs/heads/missing$" err &&
	git -C ours update-ref -d refs/heads/missing && git -C theirs update-ref -d refs/heads/missing
'

test_expect_success 'a damaged commit' '
	bad=$(printf "tree %s\nnonsense\n" "$EMPTY_TREE" |
		stock -C ours hash-object -t commit -w --stdin --literally) &&
	git -C ours update-ref refs/x/bad $bad &&
	test_might_fail git -C ours for-each-ref --format="%(authorname)%(subject)" refs/x/bad &&
	bad=$(printf "tree nonsense\n" | stock -C ours hash-object -t commit -w --stdin --literally) && git -C ours update-ref refs/x/bad $bad &&
	test_must_fail git -C ours for-each-ref --format="%(authorname)" refs/x/bad 2>err &&
	test_grep "^fatal: parse_object_buffer failed on .* for refs/x/bad" err &&
	git -C ours update-ref -d refs/x/bad
'

test_expect_success 'parents, where grafts replace them' '
	git init -q -b main grafted &&
	(cd grafted &&
	 for i in 1 2 3; do git commit -q --allow-empty -m $i || exit; done &&
	 git rev-parse HEAD >.git/shallow &&
	 git for-each-ref --format="%(refname:short) %(numparent)[%(parent)]" refs/heads/main >actual &&
	 echo "main 0[]" >expect && test_cmp expect actual && rm .git/shallow &&
	 A=$(git rev-parse HEAD~2) B=$(git rev-parse HEAD~1) &&
	 mkdir -p .git/info && echo "$(git rev-parse HEAD) $A $B" >.git/info/grafts &&
	 git for-each-ref --format="%(refname:short) %(numparent)[%(parent)]" refs/heads/main >actual &&
	 echo "main 2[$A $B]" >expect && test_cmp expect actual)
'

test_expect_success PYTHON 'the base of a delta, whose content is not asked for' '
	cat >pack.py <<-\EOF &&
	import binascii, hashlib, struct, sys, zlib
	def digest(data):
	    return hashlib.new(sys.argv[1], data).digest()
	def blob(data):
	    return digest(b"blob %d\0" % len(data) + data)
	base, made = blob(b"12345"), blob(b"123")
	whole = b"\x35" + zlib.compress(b"12345")
	delta = b"\x74" + base + zlib.compress(b"\x05\x03\x90\x03")
	pack = b"PACK" + struct.pack(">II", 2, 2) + whole + delta
	pack += digest(pack)
	entries = sorted([(base, whole, 12), (made, delta, 12 + len(whole))])
	idx = b"\377tOc" + struct.pack(">I", 2)
	for first in range(256):
	    idx += struct.pack(">I", sum(e[0][0] <= first for e in entries))
	idx += b"".join(e[0] for e in entries)
	idx += b"".join(struct.pack(">I", binascii.crc32(e[1])) for e in entries)
	idx += b"".join(struct.pack(">I", e[2]) for e in entries) + pack[-len(base):]
	idx += digest(idx)
	for name, data in ("pack", pack), ("idx", idx):
	    with open("deltas/.git/objects/pack/pack-1." + name, "wb") as out:
	        out.write(data)
	EOF
	git init -q deltas && mkdir -p deltas/.git/objects/pack && python3 pack.py $TEST_HASH &&
	(cd deltas && BASE=$(printf 12345 | git hash-object --stdin) &&
	 git update-ref refs/blobs/made $(printf 123 | git hash-object --stdin) &&
	 echo "blob 3 $BASE" >expect &&
	 git for-each-ref --format="%(objecttype) %(objectsize) %(deltabase)" >actual && test_cmp expect actual &&
	 echo "3 $ZERO_OID" >expect &&
	 git for-each-ref --format="%(raw:size) %(deltabase)" >actual && test_cmp expect actual)
'

test_expect_success 'worktrees' '
	peers_do "stock branch wt && stock branch wt2 &&
		stock worktree add -q wt wt && stock worktree add -q --detach wt-detached" &&
	peers_git for-each-ref --format="%(refname) %(HEAD) %(worktreepath)" &&
	PEERS_DIR=wt && peers_git for-each-ref --format="%(refname) %(HEAD) %(worktreepath)" &&
	PEERS_DIR=
'

# ---- what is not read ----

test_expect_success STRACE 'names and values of packed refs: no object is read' '
	peers_do "stock pack-refs --all" &&
	trace_calls trace openat,open git -C ours for-each-ref \
		--format="%(refname) %(objectname) %(HEAD)" &&
	test_grep "packed-refs\|reftable/.*[.]ref" trace &&
	test_grep ! "objects/[p0-9a-f]" trace &&
	trace_calls trace openat,open git -C ours for-each-ref &&
	test_grep "objects/[p0-9a-f]" trace
'

test_expect_success STRACE,REFFILES 'a pattern: other directories are not read' '
	peers_do "stock branch x/y && stock tag zzz" &&
	trace_calls trace openat,open git -C ours for-each-ref refs/heads/x &&
	test_grep refs/heads/x/y trace &&
	test_grep ! "refs/tags" trace
'

test_expect_success GPG 'a signed tag' '
	GNUPGHOME=$(mktemp -d /tmp/sluice-gpg-XXXXXX) && export GNUPGHOME && # its sockets want a short path
	test_atexit "gpgconf --kill all >/dev/null 2>&1; rm -rf \"$GNUPGHOME\"" &&
	gpg --batch --quiet --passphrase "" --quick-generate-key \
		"$GIT_COMMITTER_NAME <$GIT_COMMITTER_EMAIL>" 2>/dev/null &&
	stock -C theirs tag -s -m "signed

body

Acked-by: me" signed &&
	rm -rf ours && cp -R theirs ours &&
	peers_for_each_line <<-\END
	--format="[%(contents)][%(contents:body)][%(contents:signature)][%(body)][%(contents:lines=9)]" refs/tags/signed
	--format="[%(contents:size)][%(subject)]" refs/tags/signed
	END
'

test_expect_success '--start-after goes on behind a name' '
	for format in files reftable; do
		rm -rf pages && git init -q -b main --ref-format=$format pages && test_commit -C pages one && git -C pages update-ref ORIG_HEAD HEAD &&
		for r in a b main-2; do git -C pages update-ref refs/heads/x-$r HEAD || return 1; done &&
		git -C pages for-each-ref --format="%(refname)" >all && git -C pages for-each-ref --format="%(refname)" --start-after=refs/heads/main >out &&
		grep -v "heads/main$" all >expect && test_cmp expect out && test_file_not_empty out &&
		git -C pages for-each-ref --format="%(refname)" --start-after=refs/heads/n --count=1 >out && echo refs/heads/x-a >expect && test_cmp expect out &&
		git -C pages for-each-ref --format="%(refname)" --start-after=refs/heads >out && test_cmp all out &&
		git -C pages for-each-ref --format="%(refname)" --include-root-refs --start-after=HEAD >out && { echo ORIG_HEAD && cat all; } >expect &&
		test_cmp expect out &&
		git -C pages pack-refs --all && git -C pages update-ref refs/heads/x-c HEAD && git -C pages for-each-ref --format="%(refname)" >all &&
		git -C pages for-each-ref --format="%(refname)" --start-after=refs/heads/x-a >out && sed "1,/x-a/d" all >expect && test_cmp expect out &&
		test_file_not_empty out && git -C pages for-each-ref --format="%(refname)" --start-after=refs/heads/x-c >out &&
		sed "1,/x-c/d" all >expect && test_cmp expect out || return 1
	done &&
	for arg in --sort=refname --stdin refs/heads; do
		test_expect_code 128 git -C pages for-each-ref --start-after=refs/heads/a $arg </dev/null 2>err && test_grep "cannot use --start-after with" err || return 1
	done
'

test_expect_success '--points-at reports a ref whose object is missing' '
	for format in files reftable; do
		rm -rf lost && git init -q -b main --ref-format=$format lost && test_commit -C lost one && test_commit -C lost two && git -C lost branch b &&
		git -C lost reset -q --hard HEAD^ && git -C lost tag one && two=$(git -C lost rev-parse b) &&
		file=lost/.git/objects/$(echo $two | sed "s,..,&/,") &&
		for times in 1 2; do
			git -C lost for-each-ref --points-at=one --format="%(refname)" >out && printf "refs/%s\n" heads/main tags/one >expect && test_cmp expect out &&
			mv $file saved && test_expect_code 128 git -C lost for-each-ref --points-at=one 2>err &&
			test_grep "^fatal: malformed object at .refs/heads/b.$" err && mv saved $file && git -C lost pack-refs --all || return 1
		done || return 1
	done
'

test_done
