#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='upload-pack: the capability promisor-remote'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-serve.sh"

advertised () {
	GIT_PROTOCOL=version=2 git -c promisor.advertise=true "$@" upload-pack --http-backend-info-refs repo >raw 2>err &&
	"$PKT" decode <raw >answer
}

# offers VALUE OPTIONS: just that
offers () {
	echo "promisor-remote=$1" >expect && shift && advertised "$@" &&
	grep "^promisor-remote" answer >actual && test_cmp expect actual
}

test_expect_success 'nothing is offered without remotes, or if it is not switched on' '
	git init -q repo && (cd repo && test_commit one) && advertised && test_grep ! promisor answer &&
	git -C repo config remote.origin.url https://host/a && advertised && test_grep ! promisor answer &&
	git -C repo config remote.origin.promisor true &&
	advertised -c promisor.advertise=false && test_grep ! promisor answer &&
	offers "name=origin,url=https://host/a" && advertised -c remote.origin.url= && test_grep ! promisor answer
'

test_expect_success 'several remotes, in their order; the last URL counts' '
	offers "name=origin,url=https://host/a;name=b,url=u2;name=a.c,url=z" -c remote.b.promisor=1 -c remote.b.url=u1 \
		-c remote.b.url=u2 -c remote.a.c.url=z -c remote.a.c.partialCloneFilter=blob:none -c remote.b.promisor=yes \
		-c remote.no.url=k -c remote.no.promisor=false -c remote.without.promisor=true &&
	offers "name=origin,url=https://host/a" -c remote./x.promisor=true -c remote./x.url=y &&
	test_grep "warning: promisor remote name cannot begin with ./.: /x" err
'

test_expect_success 'values are encoded' '
	offers "name=origin,url=https://host/a;name=we%20ird%3b%2c,url=%01!\"#\$%25&()*+%2c-./09:%3b<=>?@AZ[]^_\`az{|}~%7f%c3%a9" \
		-c "remote.we ird;,.promisor=true" -c "remote.we ird;,.url=$(printf "\\001!\"#\$%%&()*+,-./09:;<=>?@AZ[]^_\`az{|}~\\177\\303\\251")"
'

test_expect_success 'promisor.sendFields' '
	git -C repo config remote.origin.partialCloneFilter blob:limit=20k && git -C repo config remote.origin.token "a b" &&
	offers "name=origin,url=https://host/a" &&
	offers "name=origin,url=https://host/a,token=a%20b" -c promisor.sendFields=token &&
	for list in "token,partialCloneFilter" "Token , PARTIALCLONEFILTER" "partialCloneFilter token token"; do
		offers "name=origin,url=https://host/a,partialCloneFilter=blob:limit=20k,token=a%20b" -c promisor.sendFields="$list" || return 1
	done &&
	offers "name=origin,url=https://host/a,partialCloneFilter=blob:limit=20k" -c promisor.sendFields="partialCloneFilter token x" \
		-c remote.origin.token= && test_grep "warning: unsupported field .x. in .promisor.sendFields." err
'

test_expect_success 'upload-pack sends the same pack whatever remotes the client accepts' '
	MAIN=$(git -C repo rev-parse HEAD) && git -C repo rev-list --objects HEAD | cut -d" " -f1 >all &&
	fetch_request "want $MAIN" done | sed "s/^0001/promisor-remote=origin;other\n&/" >lines &&
	serve repo -c promisor.advertise=true <lines && pack_holds all &&
	test_expect_code 128 serve repo <lines && test_grep "^ERR upload-pack: unknown capability .promisor-remote" answer
'

test_done
