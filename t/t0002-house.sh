#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='the sources follow the rules of the project'
test_without_git=1
. "$(dirname "$0")/test-lib.sh"

test_expect_success PERL 'includes and calls go downward, without circles' '
	"$SOURCE_DIR/tools/check-layers" "$SOURCE_DIR"
'

test_expect_success PERL 'calls that change the disk are made through the table' '
	"$SOURCE_DIR/tools/check-calls" "$SOURCE_DIR"
'

test_expect_success 'every header compiles alone' '
	(cd "$SOURCE_DIR" && tools/check-headers "$GIT_BUILD_DIR")
'

test_expect_success 'every script can be parsed, every source names its licence' '
	"$SOURCE_DIR/tools/check-shell" "$SOURCE_DIR"
'

test_done
