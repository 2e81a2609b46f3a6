#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='promisor remotes that a server offers: promisor.acceptFromServer, promisor.checkFields, --filter=auto'
. "$(dirname "$0")/test-lib.sh"

# What a client says is in the file "said".
write_script server <<-EOT
tee -a "$PWD/said" | git upload-pack "\$@"
EOT
# cloned OPTION...: into c
cloned () {
	rm -rf c said && git clone -q --no-checkout --upload-pack="$PWD/server" "$@" "file://$PWD/srv.git" c
}
# said WORDS: that, and only that, was said of promisors and filters
said () {
	tr "\0" " " <said | grep -ao "promisor-remote=[a-z;]*\|filter blob:none\|filter tree:0" | paste -sd" " >words && echo "$1" >expect && test_cmp expect words
}

test_expect_success 'a server without files, and the remote that has it' '
	git init -q -b main src && echo small >src/small && test_seq 2000 >src/big && git -C src add . && git -C src commit -q -m one &&
	git clone -q --bare src lop.git && git -C lop.git config uploadpack.allowFilter true && git -C lop.git config uploadpack.allowAnySHA1InWant true &&
	git clone -q --bare --filter=blob:none --origin=lop "file://$PWD/lop.git" srv.git && git -C srv.git config uploadpack.allowFilter true &&
	git -C srv.git config uploadpack.allowAnySHA1InWant true && git -C srv.git config promisor.advertise true && git -C srv.git config promisor.sendFields "partialCloneFilter token" &&
	git -C srv.git config remote.lop.token "a;b,c%" && LOP="-c remote.lop.promisor=true -c remote.lop.url=file://$PWD/lop.git"
'

test_expect_success 'none is accepted by default; then auto leaves out nothing, which is not there' '
	test_must_fail cloned --filter=auto && said "" && test_path_missing c &&
	test_must_fail cloned -c promisor.acceptFromServer=none $LOP --filter=auto && said ""
'

test_expect_success 'known by name, by URL, or any' '
	cloned -c promisor.acceptFromServer=knownName $LOP --filter=auto && said "promisor-remote=lop filter blob:none" && test "$(git -C c config remote.origin.partialCloneFilter)" = auto &&
	cloned -c promisor.acceptFromServer=KNOWNURL $LOP --filter=auto && said "promisor-remote=lop filter blob:none" &&
	cloned -c promisor.acceptFromServer=all $LOP --filter=auto && said "promisor-remote=lop filter blob:none" &&
	cloned -c promisor.acceptFromServer=all --filter=tree:0 && said "promisor-remote=lop filter tree:0" &&
	test_must_fail cloned -c promisor.acceptFromServer=knownName --filter=auto && said "" &&
	test_must_fail cloned -c promisor.acceptFromServer=knownName -c remote.lop.url=x --filter=auto && said "" &&
	cloned -c promisor.acceptFromServer=knownName -c remote.lop.promisor=true -c remote.lop.url=file:///else --filter=auto && said "promisor-remote=lop filter blob:none" &&
	rm -rf c said && test_must_fail git clone --upload-pack="$PWD/server" -c promisor.acceptFromServer=knownUrl -c remote.lop.promisor=true -c remote.lop.url=file:///else --filter=auto "file://$PWD/srv.git" c 2>err &&
	said "" && test_grep "known remote named .lop. but with URL .file:///else. instead of .file://$PWD/lop.git., ignoring this remote" err &&
	test_must_fail cloned -c promisor.acceptFromServer=any --filter=blob:none 2>err && test_grep "unknown .any. value for .promisor.acceptfromserver." err
'

test_expect_success 'promisor.checkFields: each is known, told, and the same' '
	accept="-c promisor.acceptFromServer=knownUrl $LOP" && F="-c remote.lop.partialCloneFilter=blob:none" &&
	cloned $accept -c "promisor.checkFields=token, partialCloneFilter" $F -c "remote.lop.token=a;b,c%" --filter=auto && said "promisor-remote=lop filter blob:none" &&
	cloned $accept -c promisor.checkFields=token -c remote.lop.token=other --filter=tree:0 && said "filter tree:0" &&
	cloned $accept -c promisor.checkFields=token --filter=tree:0 && said "filter tree:0" &&
	git -C srv.git config promisor.sendFields token && cloned $accept -c promisor.checkFields=partialCloneFilter $F --filter=tree:0 && said "filter tree:0" &&
	git -C srv.git config promisor.sendFields "partialCloneFilter token"
'

test_expect_success 'later fetches do the same; a blob comes from any remote that has it, also while cloning' '
	cloned -c promisor.acceptFromServer=knownUrl $LOP --filter=auto && rm said &&
	git -C c fetch -q --refetch --upload-pack="$PWD/server" && said "promisor-remote=lop filter blob:none" && git -C c checkout -q main && test_cmp src/big c/big &&
	rm -rf c && git clone -q -c promisor.acceptFromServer=knownUrl $LOP --filter=auto "file://$PWD/srv.git" c 2>err && test_cmp src/big c/big && git -C c fsck
'

test_expect_success 'fetch --filter=auto makes a promisor of a remote' '
	git clone -q --bare src whole.git && git -C whole.git config uploadpack.allowFilter true && git -C whole.git remote add lop "file://$PWD/lop.git" && git -C whole.git config remote.lop.promisor true &&
	git -C whole.git config remote.lop.partialCloneFilter blob:none && git -C whole.git config promisor.advertise true && git -C whole.git config promisor.sendFields partialCloneFilter &&
	git init -q f && git -C f remote add origin "file://$PWD/whole.git" && git -C f config promisor.acceptFromServer all && rm -f said &&
	git -C f $LOP fetch -q --upload-pack="$PWD/server" --filter=auto && said "promisor-remote=lop filter blob:none" && test "$(git -C f config remote.origin.partialCloneFilter)" = auto &&
	git -C f config promisor.storeFields token && git -C f fetch --refetch 2>err && test_grep "promisor.storeFields is not available yet" err
'

test_expect_success 'more than one: filters together, names as they were offered' '
	git -C whole.git remote add two "file://$PWD/lop.git" && git -C whole.git config remote.two.promisor true && git -C whole.git config remote.two.partialCloneFilter tree:3 && rm said &&
	git -C f $LOP -c remote.two.promisor=true -c remote.two.url=x fetch -q --upload-pack="$PWD/server" --refetch && tr "\0" " " <said >text && test_grep "promisor-remote=lop;two" text && test_grep "filter combine:blob:none+tree:3" text
'

test_done
