# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC3043,SC2034
#
# Pushes over http by the remote helper itself (t/helper-push.py), to our git http-backend behind t/http-server.py.

. "$TEST_DIRECTORY/lib-httpd.sh"

# to [OPTION...]: push the pack $PACK to $URL or the server "web"; its report is in out, other words in err
to () {
	"$TEST_DIRECTORY/helper-push.py" --git "$GIT_BUILD_DIR/git" --sent sent --advertised advertised "$@" \
		"${URL:-$web_url/repo.git}" "refs/heads/new=$new" <"$PACK" >out 2>err ||
	{ cat err >&4; return 1; }
}
# The server has it, and forgets it.
pushed () {
	printf "%s\n" "unpack ok" "ok refs/heads/new" >expect && test_cmp expect out &&
	git -C srv/repo.git rev-parse refs/heads/new >actual && echo "$new" >expect && test_cmp expect actual &&
	git -C srv/repo.git fsck --no-dangling && git -C srv/repo.git update-ref -d refs/heads/new
}
# refused PATTERN [OPTION...]: it has got nothing, and why is said
refused () {
	local pattern=$1
	shift
	test_must_fail to "$@" && test_grep "$pattern" err && ! grep -i "signal\|BUG\|Traceback" err && ! grep "^ok" out &&
	git -C srv/repo.git for-each-ref >actual && test_cmp refs actual
}
# The last body that the server has seen is the file.
body_is () {
	python3 -c 'import sys; sys.stdout.buffer.write(open(sys.argv[1], "rb").read().rpartition(b"== /repo.git/git-receive-pack\n")[2][:-1])' \
		web.log.bodies >got && test_cmp_bin "$1" got
}
# Pushes are small: sent with their length; or large: streamed.
small () {
	PACK=small.pack new=$(git -C work rev-parse two)
}
large () {
	PACK=large.pack new=$(git -C work rev-parse large)
}
INFO="GET /repo.git/info/refs?service=git-receive-pack"
POST="POST /repo.git/git-receive-pack"
streamed () {
	printf "%s\n" "$INFO 200" "$POST 200" "$POST 200" >expect && requests web >actual && test_cmp expect actual
}

test_expect_success 'a repository, a commit that it has not, and a large one' '
	git config --global http.postBuffer 65536 && git init -q -b main work && test_commit -C work one && git -C work tag one &&
	git clone -q --bare work srv/repo.git && git -C srv/repo.git config http.receivepack true &&
	git -C srv/repo.git for-each-ref >refs && test_commit -C work two && git -C work tag two &&
	head -c 300000 /dev/urandom >work/big && git -C work add big && git -C work commit -q -m large && git -C work tag large &&
	printf "%s\n" two ^one >revs && git -C work pack-objects -q --revs --stdout <revs >small.pack &&
	printf "%s\n" large ^one >revs && git -C work pack-objects -q --revs --stdout <revs >large.pack &&
	start_httpd web && start_httpd other && small && to && pushed && large && to && pushed
'
