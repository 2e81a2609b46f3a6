#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='working-tree-encoding: names that Git treats specially

What Git 2.55 makes of each name, with each kind of byte order mark. What goes in comes out again.'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'setup' '
	git init -q .
'

hex () {
	od -An -v -tx1 "$1" | tr -d ' \n'
}

unhex () {
	printf "$(echo "$1" | sed 's/../\\x&/g')"
}

# Escapes of printf in hex are not POSIX.
printf '\x41' | grep -q '^A$' || unhex () {
	printf "$(for b in $(echo "$1" | sed 's/../& /g'); do printf '\\%03o' 0x$b; done)"
}

# NAME|in the work tree|in the blob|after a checkout (=: as it was)
while IFS='|' read -r name work blob out
do
	test_expect_success "$name: $work" '
		rm -f f.t .git/index && echo "*.t working-tree-encoding=$name" >.gitattributes && unhex $work >f.t &&
		git add f.t && git cat-file blob :f.t >blob && echo "$(hex blob)" >actual && echo $blob >want &&
		test_cmp want actual && git diff-files --exit-code && rm f.t && git checkout -q -- f.t &&
		if test "$out" = "="; then out=$work; fi && echo "$(hex f.t)" >actual && echo $out >want && test_cmp want actual
	'
done <<\EOF
UTF-8|c3a40a|c3a40a|=
utf8|c3a4ff|c3a4ff|=
Utf-8|efbbbf61|efbbbf61|=
UTF-16|fffe6800e4000a00|68c3a40a|=
UTF-16|feff006800e4000a|68c3a40a|fffe6800e4000a00
utf16|fffe6800ac20|68e282ac|=
Utf-16|fffefffe6800|efbbbf68|=
UTF-16LE|6800e4000a00|68c3a40a|=
utf16le|3dd800de|f09f9880|=
Utf-16Le|6800fffe|68efbbbf|=
UTF-16BE|006800e4000a|68c3a40a|=
utf16be|d83dde00|f09f9880|=
UTF-16LE-BOM|fffe68000a00|680a|=
utf-16le-bom|fffee4003dd800de|c3a4f09f9880|=
UTF16LE-BOM|fffefffe6800|efbbbf68|=
UTF-16LE-BOM|feff0068000a|680a|fffe68000a00
UTF-16LE-BOM|68000a00|680a|fffe68000a00
UTF-32|fffe000068000000e4000000|68c3a4|=
utf32|0000feff00000068|68|fffe000068000000
UTF-32LE|6800000000f60100|68f09f9880|=
utf32be|000000680001f600|68f09f9880|=
SHIFT-JIS|82a0835c0a|e38182e382bd0a|=
shift-jis|82a0|e38182|=
SJIS|82a0|e38182|=
latin-1|e468|c3a468|=
ISO-8859-1|e468|c3a468|=
EOF

# NAME|in the work tree|message|hint
while IFS='|' read -r name work message hint
do
	test_expect_success "$name: $work: $message" '
		rm -f f.t .git/index && echo "*.t working-tree-encoding=$name" >.gitattributes && unhex $work >f.t &&
		test_must_fail git add f.t 2>err && test_grep "$message" err && { test -z "$hint" || test_grep "^hint: $hint" err; } &&
		git ls-files f.t >out && test_must_be_empty out && test_must_fail git hash-object -w f.t 2>err &&
		test_grep "^fatal: $message" err
	'
done <<\EOF
UTF-16|68000a00|BOM is required in 'f.t' if encoded as UTF-16|The file 'f.t' is missing a byte order mark (BOM). Please use UTF-16BE or UTF-16LE (depending on the byte order) as working-tree-encoding.
utf16|efbbbf68|BOM is required in 'f.t' if encoded as utf16|The file 'f.t' is missing a byte order mark
UTF-32|68000000|BOM is required in 'f.t' if encoded as UTF-32|The file 'f.t' is missing a byte order mark (BOM). Please use UTF-32BE or UTF-32LE (depending on the byte order) as working-tree-encoding.
UTF-16LE|fffe6800|BOM is prohibited in 'f.t' if encoded as UTF-16LE|The file 'f.t' contains a byte order mark (BOM). Please use UTF-16 as working-tree-encoding.
utf16be|fffe6800|BOM is prohibited in 'f.t' if encoded as utf16be|The file 'f.t' contains a byte order mark
UTF-32LE|fffe000068000000|BOM is prohibited in 'f.t' if encoded as UTF-32LE|The file 'f.t' contains a byte order mark (BOM). Please use UTF-32 as working-tree-encoding.
utf32be|0000feff|BOM is prohibited in 'f.t' if encoded as utf32be|
UTF-16LE|68|failed to encode 'f.t' from UTF-16LE to UTF-8|
UTF-16LE-BOM|fffe00d8|failed to encode 'f.t' from UTF-16LE-BOM to UTF-8|
UTF-16BE-BOM|feff0068|failed to encode 'f.t' from UTF-16BE-BOM to UTF-8|
UTF-32LE-BOM|fffe000068000000|failed to encode 'f.t' from UTF-32LE-BOM to UTF-8|
UTF-8-BOM|efbbbf68|failed to encode 'f.t' from UTF-8-BOM to UTF-8|
nonsense|68|failed to encode 'f.t' from nonsense to UTF-8|
EOF

test_expect_success 'UTF-16BE-BOM is written with its mark' '
	rm -f .git/index f.t && echo "*.t working-tree-encoding=UTF-16BE-BOM" >.gitattributes &&
	b=$(printf "h\303\244" | git hash-object -w --stdin) && git update-index --add --cacheinfo 100644,$b,f.t &&
	git checkout -q -- f.t && test "$(hex f.t)" = feff006800e4
'

test_expect_success 'core.checkRoundtripEncoding: by default SHIFT-JIS' '
	echo "*.t working-tree-encoding=UTF-16" >.gitattributes && unhex feff0068 >f.t && rm -f .git/index && git add f.t &&
	rm -f .git/index && test_must_fail git -c core.checkRoundtripEncoding="latin-1, utf-16" add f.t 2>err &&
	test_grep "encoding .f.t. from UTF-16 to UTF-8 and back is not the same" err &&
	unhex fffe6800 >f.t && git -c core.checkRoundtripEncoding=UTF-16 add f.t &&
	echo "*.t working-tree-encoding=UTF-16LE-BOM" >.gitattributes && rm -f .git/index &&
	git -c core.checkRoundtripEncoding=utf-16le-bom add f.t && unhex feff0068 >f.t && rm -f .git/index &&
	test_must_fail git -c core.checkRoundtripEncoding=utf-16le-bom add f.t
'

test_expect_success 'hash-object takes the file unconverted after an encoding error' '
	echo "*.t working-tree-encoding=UTF-16" >.gitattributes && echo plain >f.t &&
	git hash-object f.t >actual 2>err && git hash-object --no-filters f.t >want && test_cmp want actual &&
	test_grep "^error: BOM is required in .f.t. if encoded as UTF-16" err
'

test_done
