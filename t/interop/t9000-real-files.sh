#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# INTEROP_FILES: how many (2000; 20000 takes minutes).

test_description='real files, in both directions between ours and stock git: same ids, no faults, readable'
. "$(dirname "$0")/../test-lib.sh"

if ! test_have_prereq STOCK_GIT
then
	skip_all='no stock git to compare with'
	test_done
fi

GIT_AUTHOR_DATE='1700000000 +0100' GIT_COMMITTER_DATE='1700000000 -0330'
export GIT_AUTHOR_DATE GIT_COMMITTER_DATE

test_expect_success 'copy real files' '
	"$SOURCE_DIR/tools/real-files" ${INTEROP_FILES:-2000} >list &&
	"$SOURCE_DIR/tools/real-files" --copy list files &&
	find files -type f >found && test -s found &&
	ln -s "no such place" files/dangling &&
	printf "one\\r\\ntwo\\r\\n" >files/dos.txt &&
	printf "\\303\\244\\n" >"files/$(printf "\\303\\244")" &&
	printf "#!/bin/sh\\n" >files/script && chmod +x files/script
'

# both_from FORMAT: the same files, added and committed by either.
# Leaves ours/ and theirs/ as repositories beside files/.
both_from () {
	rm -rf ours theirs &&
	git init -q --bare --object-format=$1 ours &&
	stock init -q --bare --object-format=$1 theirs &&
	# Otherwise it would pack in the background while the test continues.
	stock --git-dir=theirs config gc.auto 0 &&
	for s in $2
	do
		git --git-dir=ours config "${s%%=*}" "${s#*=}" &&
		stock --git-dir=theirs config "${s%%=*}" "${s#*=}" || return 1
	done &&
	(cd files && git --git-dir=../ours --work-tree=. add . 2>../warn.ours &&
	git --git-dir=../ours --work-tree=. commit -q -m "real files") &&
	(cd files && stock --git-dir=../theirs --work-tree=. add . 2>../warn.theirs &&
	stock --git-dir=../theirs --work-tree=. commit -q -m "real files")
}

# Commit, trees and blobs have the same names; stock git finds no fault in ours and no changes.
ours_is_theirs () {
	stock --git-dir=theirs rev-parse HEAD >theirs.id &&
	git --git-dir=ours rev-parse HEAD >ours.id &&
	test_cmp theirs.id ours.id &&
	stock --git-dir=theirs ls-tree -r -t HEAD >theirs.tree &&
	git --git-dir=ours ls-tree -r -t HEAD >ours.tree &&
	test_cmp theirs.tree ours.tree &&
	stock --git-dir=ours fsck --full --strict >fsck.out 2>&1 &&
	test_must_be_empty fsck.out &&
	(cd files && stock --git-dir=../ours --work-tree=. -c core.bare=false status --porcelain >../status.out 2>&1 &&
	stock --git-dir=../ours --work-tree=. -c core.bare=false diff HEAD >../diff.out 2>&1) &&
	test_must_be_empty status.out && test_must_be_empty diff.out
}

# The other way round: stock git wrote, we read.
we_read_theirs () {
	git --git-dir=theirs fsck --full --strict >fsck.ours 2>&1 &&
	test_must_be_empty fsck.ours &&
	(cd files && git --git-dir=../theirs --work-tree=. -c core.bare=false status --porcelain >../status.ours 2>&1) &&
	test_must_be_empty status.ours &&
	stock --git-dir=theirs rev-list --objects HEAD | cut -d" " -f1 | sort >oids &&
	stock --git-dir=theirs cat-file --batch <oids >theirs.all &&
	git --git-dir=theirs cat-file --batch <oids >ours.all &&
	cmp theirs.all ours.all &&
	stock --git-dir=theirs log --format=raw --stat >theirs.log &&
	git --git-dir=theirs log --format=raw --stat >ours.log &&
	test_cmp theirs.log ours.log
}

for format in sha1 sha256
do
	test_expect_success "$format: same ids, no faults, no changes" '
		both_from '$format' core.bare=false &&
		ours_is_theirs
	'

	test_expect_success "$format: we read what stock git wrote" '
		we_read_theirs &&
		stock --git-dir=theirs repack -q -a -d --depth=50 && we_read_theirs &&
		stock --git-dir=theirs multi-pack-index write && stock --git-dir=theirs pack-refs --all && we_read_theirs
	'
done

test_expect_success 'with CRLF, ident and filters in play' '
	printf "%s\n" "*.h text eol=crlf" "*.txt text=auto ident" "*.html filter=tabs" "*.gz -text" >files/.gitattributes &&
	both_from sha1 "core.bare=false filter.tabs.clean=expand filter.tabs.smudge=cat core.autocrlf=input" &&
	ours_is_theirs && we_read_theirs &&
	sort warn.theirs >w1 && sort warn.ours >w2 && test_cmp w1 w2
'

test_expect_success 'each continues where the other stopped' '
	echo more >>files/dos.txt && rm files/script &&
	(cd files && git --git-dir=../theirs --work-tree=. -c core.bare=false commit -q -a -m "by us" &&
	echo again >new && stock --git-dir=../theirs --work-tree=. -c core.bare=false add new &&
	git --git-dir=../theirs --work-tree=. -c core.bare=false commit -q -m "staged by stock" &&
	echo x >>new && git --git-dir=../theirs --work-tree=. -c core.bare=false add new &&
	stock --git-dir=../theirs --work-tree=. -c core.bare=false commit -q -m "staged by us") &&
	stock --git-dir=theirs log --format=%s >subjects &&
	printf "%s\n" "staged by us" "staged by stock" "by us" "real files" >want && test_cmp want subjects &&
	stock --git-dir=theirs fsck --full --strict >out 2>&1 && test_must_be_empty out &&
	git --git-dir=theirs fsck --full --strict >out 2>&1 && test_must_be_empty out
'

test_done
