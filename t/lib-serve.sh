# SPDX-License-Identifier: GPL-2.0-only
#
# For scripts that talk to upload-pack by hand (t/helper/pkt). Sourced after test-lib.sh.

PKT=$GIT_BUILD_DIR/t/helper/pkt

# serve REPO [OPTIONS...] <LINES: sends them to the server, with version 2; the answer is in `answer`
# as lines of text, the pack in `pack`, messages in `err`. The server's exit code.
serve () {
	local t_repo=$1
	shift
	rm -f pack answer err &&
	"$PKT" encode >request || return 125
	GIT_PROTOCOL=${PROTOCOL-version=2} git "$@" upload-pack ${STATELESS---stateless-rpc} "$t_repo" \
		<request >raw 2>err
	local t_code=$?
	"$PKT" decode pack ${BANDS:+--bands} <raw >answer 2>decode.err || return 124
	return $t_code
}

# fetch_request [ARGUMENT...]: a "fetch" of version 2, as lines
fetch_request () {
	echo "command=fetch" && echo "object-format=$TEST_HASH" && echo 0001 &&
	printf "%s\n" ofs-delta "$@" && echo 0000
}

# fetched REPO: the pack holds just what this prints, and is whole
pack_holds () {
	rm -rf got.git && git init -q --bare got.git &&
	git -C got.git index-pack --stdin <pack >/dev/null &&
	git -C got.git cat-file --batch-all-objects --batch-check="%(objectname)" | sort >got &&
	sort "$1" >expect.objects && test_cmp expect.objects got
}
