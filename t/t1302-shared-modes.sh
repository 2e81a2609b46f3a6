#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='core.sharedRepository: the mode of every file that we write'
. "$(dirname "$0")/test-lib.sh"

# modes SHARED UMASK: each kind of file and directory of a repository in which all were written
modes () {
	rm -rf shared && (umask $2 && git init -q -b main --shared=$1 shared && cd shared &&
	for i in 1 2 3 4 5 6 7 8; do echo $i >$i || exit 1; done &&
	git add 1 && git -c bulkCheckin.unpackLimit=2 add . &&
	echo message >m && git commit -qF m && git commit -q --allow-empty -F m &&
	git tag -a -m t v1 && git branch x/y && git pack-refs --all && git update-ref refs/notes/z HEAD &&
	printf "create refs/a/1 HEAD\ncreate refs/a/2 HEAD\n" |
		GIT_TEST_REF_COMMIT=journal git update-ref --stdin &&
	printf "create refs/a/3 HEAD\ncreate refs/a/4 HEAD\n" |
		GIT_TEST_REF_COMMIT=packed git update-ref --stdin &&
	git config a.b c && git reflog expire --all --expire=now && git status >/dev/null) &&
	(cd shared/.git && find . | while read -r f; do
		case $f in
		./COMMIT_EDITMSG) continue ;; # for one user, as with stock Git
		./objects/??) kind=objects/XX ;;
		./objects/??/*) kind=objects/XX/FILE ;;
		./objects/pack/*.*) kind=objects/pack/*.${f##*.} ;;
		./reftable/*.ref) kind=./reftable/TABLE ;;
		*) kind=$f ;;
		esac
		stat -c "%a $kind" "$f"
	done) | sort -u
}

# Directories and files of refs and reflogs
if test_have_prereq REFFILES; then
	ref_dirs="logs logs/refs logs/refs/heads logs/refs/heads/x logs/refs/notes ref-journal refs/a refs/heads refs/notes refs/tags"
	ref_files="logs/HEAD logs/refs/heads/main logs/refs/heads/x/y logs/refs/notes/z packed-refs refs/a/1 refs/a/2 refs/notes/z"
else
	ref_dirs=reftable
	ref_files="refs/heads reftable/tables.list reftable/TABLE"
fi

# expect DIRECTORY FILE READ-ONLY
expect () {
	(echo "$1 ." && for d in hooks info objects objects/info objects/pack refs $ref_dirs; do
		echo "$1 ./$d"
	done && echo "$1 objects/XX" && echo "$3 objects/XX/FILE" &&
	for e in idx pack rev; do echo "$3 objects/pack/*.$e"; done &&
	for f in HEAD config description index info/exclude $ref_files; do
		echo "$2 ./$f"
	done) | sort >expect
}

while read -r shared mask dir file object; do
	test_expect_success FILEMODE "--shared=$shared with a umask of $mask" '
		modes $shared $mask >actual && expect $dir $file $object && test_cmp expect actual
	'
done <<\EOF
umask 022 755 644 444
umask 077 700 600 400
group 022 2775 664 444
group 077 2770 660 440
all   022 2775 664 444
all   077 2775 664 444
0640  022 2750 640 440
0660  002 2770 660 440
0600  022 700 600 400
EOF

test_expect_success 'core.sharedRepository of a template, and of a file that includeIf names' '
	mkdir template && printf "[core]\n\tsharedRepository = 0666\n" >template/config &&
	git init -q --template=template of-template && test "$(stat -c %a of-template/.git/config)" = 666 &&
	test "$(git -C of-template config receive.denyNonFastforwards)" = true &&
	git init -q --template=template --shared=group by-option && test "$(stat -c %a by-option/.git/config)" = 664 &&
	git init -q conditional && printf "[core]\n\tsharedRepository = group\n" >shared.inc &&
	git -c "includeIf.onbranch:*.path=$PWD/shared.inc" init conditional >out && test_grep "existing shared" out &&
	test "$(git -C conditional config core.sharedRepository)" = 1 &&
	echo "[core" >shared.inc && test_expect_code 128 git -c "includeIf.onbranch:*.path=$PWD/shared.inc" init conditional &&
	git -c "includeIf.onbranch:*.path=$PWD/shared.inc" init -q other
'

test_done
