#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='clone and fetch: an unborn or corrupt ref there, names of hosts, --reference and --bundle-uri'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'repositories' '
	git init -q up && git -C up commit -q --allow-empty -m one && git -C up branch topic &&
	git init -q unborn && git -C unborn commit -q --allow-empty -m x && git -C unborn branch other &&
	git -C unborn symbolic-ref HEAD refs/heads/gone
'

test_expect_success 'an unborn HEAD there makes no HEAD of the remote here' '
	git init -q f && git -C f remote add origin ../unborn && git -C f fetch -q &&
	test_must_fail git -C f symbolic-ref -q refs/remotes/origin/HEAD &&
	git clone -q unborn c 2>err && test_must_fail git -C c symbolic-ref -q refs/remotes/origin/HEAD
'

test_expect_success 'a branch that is not fetched makes no HEAD of the remote here' '
	git init -q part && git -C part remote add -t topic origin ../up && git -C part -c protocol.version=0 fetch -q &&
	git -C part rev-parse -q --verify origin/topic && test_must_fail git -C part symbolic-ref -q refs/remotes/origin/HEAD
'

test_expect_success 'refs below refs/remotes are fetched beside the HEAD there' '
	git clone -q up mid && git init -q g && git -C g remote add up ../mid &&
	git -C g fetch -q up "refs/remotes/*:refs/remotes/*" &&
	git -C up commit -q --allow-empty -m two && git -C mid fetch -q &&
	git -C g fetch -q up "refs/remotes/*:refs/remotes/*" &&
	git -C mid rev-parse origin/HEAD >expect && git -C g rev-parse refs/remotes/origin/HEAD >out && test_cmp expect out
'

test_expect_success 'a pattern leaves symbolic refs here alone, a name does not' '
	rm -rf mid g && b=$(git -C up symbolic-ref --short HEAD) && git clone -q up mid && git clone -q up g && git -C g remote remove origin && git -C g fetch -q ../up "refs/heads/*:refs/remotes/origin/*" &&
	git -C g symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/$b && git -C up commit -q --allow-empty -m three && git -C mid fetch -q &&
	git -C g fetch ../mid "refs/remotes/*:refs/remotes/*" 2>err && test_grep ! HEAD err && git -C up rev-parse HEAD >expect &&
	git -C g rev-parse origin/$b >out && test_cmp expect out && test "$(git -C g symbolic-ref refs/remotes/origin/HEAD)" = refs/remotes/origin/$b &&
	git -C g symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/nowhere && git -C g fetch -q ../mid "+refs/remotes/*:refs/remotes/*" &&
	test_must_fail git -C g rev-parse -q --verify origin/nowhere && git -C g config remote.m.url ../mid && git -C g config remote.m.fetch "refs/remotes/*:refs/remotes/*" &&
	git -C g fetch -q m refs/remotes/origin/HEAD && test_must_fail git -C g rev-parse -q --verify origin/nowhere &&
	git -C g fetch -q ../mid refs/remotes/origin/HEAD:refs/remotes/origin/HEAD && git -C g rev-parse origin/nowhere >out && test_cmp expect out
'

test_expect_success 'a clone of a corrupt ref fails' '
	git clone -q up corrupt && lost_ref corrupt refs/heads/bad &&
	for how in --local --no-local --bare; do
		test_must_fail git clone $how corrupt copy && test_path_is_missing copy || return 1
	done &&
	if test_have_prereq REFFILES; then files=corrupt/.git/refs/heads/bad; else files=$(echo corrupt/.git/reftable/*.ref); fi &&
	for file in $files; do echo garbage >"$file" || return 1; done && test_must_fail git clone corrupt copy && test_path_is_missing copy
'

test_expect_success 'the name of the host is that of the clone, if there is no path' '
	printf "#!/bin/sh\nexit 1\n" >no-ssh && chmod +x no-ssh &&
	for pair in host:/ host: user@host:/ host:/.git host:1234 user@host:1234/; do
		test_must_fail env GIT_SSH="$PWD/no-ssh" git clone $pair 2>err &&
		test_grep "Cloning into .host." err || return 1
	done &&
	test_must_fail env GIT_SSH="$PWD/no-ssh" git clone host:foo:12 2>err && test_grep "Cloning into .foo." err
'

test_expect_success 'a repository to borrow from is named once' '
	git clone -q --reference up --reference up/.git --reference-if-able up mid r &&
	test_line_count = 1 r/.git/objects/info/alternates &&
	git clone -q -s --reference up up s && test_line_count = 1 s/.git/objects/info/alternates
'

test_expect_success 'a clone of a directory uses --bundle-uri, or warns' '
	git -C up bundle create -q ../b --all &&
	git clone -q --bundle-uri=b up with && git -C with rev-parse -q --verify refs/bundles/heads/topic &&
	git -C with fsck && git clone -q --bundle-uri=nosuch up without 2>err &&
	test_grep "warning: failed to fetch objects from bundle URI" err && git -C without rev-parse -q --verify HEAD
'

test_expect_success 'the depth of uploadpackfilter.tree.maxDepth needs a value' '
	git clone -q up u && git -C u config uploadpack.allowFilter true &&
	printf "[uploadpackfilter \"tree\"]\n\tmaxdepth\n" >>u/.git/config &&
	test_must_fail git clone --no-local --filter=tree:1 u v 2>err && test_grep "uploadpackfilter.tree.maxdepth.*: missing value" err
'

test_expect_success 'upload-pack checks uploadpackfilter.<filter>.allow before it answers' '
	git -C u config --unset uploadpackfilter.tree.maxdepth && git ls-remote u &&
	for filter in tree other; do
		git -C u config uploadpackfilter.$filter.allow odd && test_must_fail git ls-remote u 2>err &&
		test_grep "bad boolean config value .odd. for .uploadpackfilter.$filter.allow." err &&
		git -C u config uploadpackfilter.$filter.allow true && git ls-remote u || return 1
	done
'

test_expect_success 'an empty string: no repository, and no bundle' '
	test_expect_code 128 git clone "" empty 2>err && echo "fatal: The empty string is not a valid path" >expect && test_cmp expect err &&
	git clone -q --bundle-uri= up unbundled 2>err && test_must_be_empty err
'

test_expect_success 'clone -q of a tag gives the advice about a detached HEAD' '
	git -C up tag v1 && git clone -q -b v1 up at-tag 2>err && test_grep "^Note: switching to .$(git -C up rev-parse v1^0)." err &&
	git -c advice.detachedHead=false clone -q -b v1 up at-tag2 2>err && test_must_be_empty err
'

test_expect_success 'a bad setting ends clone before it begins' '
	test_expect_code 128 git -c branch.autoSetupRebase=junk clone up badly 2>err && test_grep "^fatal: .*malformed value for branch.autosetuprebase" err &&
	test_grep ! Cloning err && test_path_is_missing badly
'

test_expect_success 'a bad value of core.autocrlf or core.safecrlf ends clone before it begins' '
	git init -q crlf && git -C crlf commit -q --allow-empty -m x &&
	for key in core.autocrlf core.safecrlf; do
		test_expect_code 128 git -c $key=junk clone crlf crlf.out 2>err && test_grep "^fatal: bad boolean config value .junk. for .$key." err &&
		test_line_count = 1 err && test_path_is_missing crlf.out || return 1
	done &&
	git -c core.autocrlf=input -c core.safecrlf=warn clone -q crlf crlf.out
'

test_done
