#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='clone and fetch over http: versions 0, 1 and 2, whole, shallow, filtered and incremental

Servers that misbehave: t5551; credentials, redirects and settings: t5552.'
. "$(dirname "$0")/test-lib.sh"
test_have_prereq PYTHON || { skip_all='no python3' && test_done; }
. "$TEST_DIRECTORY/lib-httpd.sh"

test_expect_success 'a server with a repository' '
	git init -q -b main work && (
		cd work && test_commit one && test_commit two && git tag -a -m "a tag" v1 &&
		git branch side HEAD~1 && mkdir dir && head -c 200000 /dev/urandom >dir/big && git add . && git commit -q -m big
	) && git clone -q --bare work srv/repo.git && git -C srv/repo.git config uploadpack.allowFilter true &&
	git -C srv/repo.git config uploadpack.allowAnySHA1InWant true &&
	start_httpd web
'

# same REPOSITORY: all branches of the server are there, and it is whole
same () {
	git -C srv/repo.git for-each-ref --format="%(objectname) %(refname:lstrip=2)" refs/heads >expect &&
	git -C "$1" for-each-ref --format="%(objectname) %(refname:lstrip=3)" refs/remotes/origin |
	grep -v " HEAD$" >actual && test_cmp expect actual && git -C "$1" fsck --full
}

for v in 2 1 0
do
	test_expect_success "version $v: clone" '
		rules web && rm -rf clone && git -c protocol.version='$v' clone -q "$web_url/repo.git" clone &&
		same clone && test_cmp work/dir/big clone/dir/big &&
		git -C clone rev-parse v1 >actual && git -C work rev-parse v1 >expect && test_cmp expect actual &&
		if test '$v' = 0; then ! grep Git-Protocol web.log
		else grep "^GET .*Git-Protocol=version='$v' " web.log; fi
	'
	test_expect_success "version $v: incremental fetch" '
		git -C work checkout -q -B new'$v' main && test_commit -C work more'$v' &&
		git -C srv/repo.git fetch -q "$PWD/work" new'$v':new'$v' &&
		git -C clone -c protocol.version='$v' fetch -q && same clone
	'
	test_expect_success "version $v: shallow, deepened, unshallowed" '
		rm -rf shallow && git -c protocol.version='$v' clone -q --depth=1 "$web_url/repo.git" shallow &&
		git -C shallow rev-list --count origin/main >actual && echo 1 >expect && test_cmp expect actual &&
		git -C shallow fsck &&
		git -C shallow -c protocol.version='$v' fetch -q --deepen=1 &&
		git -C shallow rev-list --count origin/main >actual && echo 2 >expect && test_cmp expect actual &&
		git -C shallow -c protocol.version='$v' fetch -q --unshallow &&
		test_path_missing shallow/.git/shallow && git -C shallow fsck &&
		git -C shallow rev-list --count origin/main >actual && echo 3 >expect && test_cmp expect actual
	'
	test_expect_success "version $v: filtered" '
		rm -rf partial && git -c protocol.version='$v' clone -q --bare --filter=blob:none "$web_url/repo.git" partial &&
		git -C partial rev-list --all --objects --missing=print >actual && grep "^?$(git -C work rev-parse main:dir/big)" actual &&
		git -C partial -c protocol.version='$v' cat-file blob main:dir/big >actual && test_cmp work/dir/big actual
	'
	test_expect_success "version $v: ls-remote, outside of a repository" '
		git -c protocol.version='$v' ls-remote --symref "$web_url/repo.git" >actual &&
		git ls-remote --symref srv/repo.git >expect && test_cmp expect actual
	'
	test_expect_success "version $v: many rounds of negotiation" '
		rm -rf far srv/far.git && git clone -q --bare --single-branch --no-tags work srv/far.git -b main &&
		git -c protocol.version='$v' clone -q "$web_url/far.git" far && (
			cd far && for i in $(seq 1 60); do
				echo $i >file && git add file && test_tick && git commit -q -m "ours $i" || return 1
			done
		) && git -C work checkout -q -B far'$v' main && test_commit -C work far'$v' &&
		git -C srv/far.git fetch -q "$PWD/work" +far'$v':main && rules web &&
		git -C far -c protocol.version='$v' fetch -q && git -C far rev-parse origin/main >actual &&
		git -C work rev-parse HEAD >expect && test_cmp expect actual && git -C far fsck &&
		requests web >actual && grep -c "^POST" actual >count && test "$(cat count)" -ge 3
	'
	test_expect_success "version $v: common commits are sent again in each request, once" '
		rm -rf two two-work srv/two.git && git init -q -b main two-work && (
			cd two-work && echo a >a && git add a && GIT_COMMITTER_DATE="2000000000 +0000" git commit -q -m shared &&
			git checkout -q --orphan other && test_commit root
		) && git clone -q --bare two-work srv/two.git && git -c protocol.version='$v' clone -q "$web_url/two.git" two && (
			cd two && for i in $(seq 1 60); do
				echo $i >file && git add file && test_tick && git commit -q -m "ours $i" || return 1
			done
		) && (
			cd two-work && test_commit next && git checkout -q main && test_commit more &&
			git -C ../srv/two.git fetch -q "$PWD" main:main other:other
		) && rules web && git -C two -c protocol.version='$v' fetch -q && git -C two fsck &&
		shared=$(git -C two-work rev-parse main~1) &&
		sed -n "/^== /{h;d;};H;\${g;p;}" web.log.bodies >last &&
		grep -a -o "have $shared" last >actual && test_line_count = 1 actual &&
		requests web >actual && grep -c "^POST" actual >count && test "$(cat count)" -ge 3
	'
done

test_expect_success JOURNAL,STRACE,FSYNC_BATCH 'a clone and a fetch are one flush each' '
	on_journal journal && n=$(count_flushes git clone -q --bare "$web_url/repo.git" journal/clone) && test "$n" = 1 &&
	git -C work checkout -q -B flushes main && test_commit -C work flushes &&
	git -C srv/repo.git fetch -q "$PWD/work" flushes:flushes &&
	n=$(count_flushes git -C journal/clone fetch -q origin "+refs/heads/*:refs/heads/*") && test "$n" = 1
'

test_expect_success STRACE 'the pack goes on in large pieces' '
	head -c 8000000 /dev/urandom >work/large && git -C work add large && git -C work commit -q -m large &&
	git -C srv/repo.git fetch -q "$PWD/work" HEAD:large &&
	rm -rf large && trace_calls calls write git clone -q --bare "$web_url/repo.git" large &&
	grep "write(1, .* = [0-9]\{5,\}$" calls >large.calls && test "$(wc -l <large.calls)" -lt 400
'

test_expect_success 'a request that does not fit into http.postBuffer is chunked, and smaller ones are compressed' '
	rm -rf tags && git init -q --bare srv/tags.git && git -C srv/tags.git fetch -q "$PWD/work" main:main &&
	(
		cd work && tree=$(git rev-parse main^{tree}) && for i in $(seq 1 1500); do
			printf "tree $tree\nauthor A <a@example.com> $i +0000\ncommitter A <a@example.com> $i +0000\n\n$i\n" >"c$i" &&
			echo "c$i"
		done
	) >names && (cd work && git hash-object -t commit -w --stdin-paths <../names >../oids && rm -f c[0-9]*) &&
	git -C work rev-parse main >>oids && cp -r work/.git/objects srv/tags.git/ && n=0 &&
	while read -r oid; do n=$((n + 1)); echo "create refs/heads/t$n $oid"; done <oids >updates &&
	git -C srv/tags.git update-ref --stdin <updates && rules web &&
	git -c http.postBuffer=1 clone -q --bare "$web_url/tags.git" tags && git -C tags fsck &&
	grep "^POST .*Content-Length=4 " web.log && grep "^POST .*Transfer-Encoding=chunked" web.log &&
	rm -rf tags && rules web && git clone -q --bare "$web_url/tags.git" tags && git -C tags fsck &&
	! grep chunked web.log && grep "^POST .*Content-Encoding=gzip" web.log && ! grep "Expect" web.log
'

test_done
