# SPDX-License-Identifier: GPL-2.0-only
#
# For scripts about packs that arrive. Sourced after test-lib.sh.

CRAFT="$GIT_BUILD_DIR/t/helper/craft-pack"
test "$TEST_HASH" = sha1 || CRAFT="$CRAFT sha256"

# craft FILE <lines: a pack of these entries; fails if the helper does
craft () {
	$CRAFT >"$1"
}

# new NAME: an empty bare repository
new () {
	rm -rf "$1" && git init -q --bare "$1"
}

# nothing_in REPO: no file that has to do with objects
nothing_in () {
	find "$1/objects" -type f -o -name "tmp_*" >left && test_must_be_empty left
}
