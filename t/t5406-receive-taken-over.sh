#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='a process that a malicious pack has taken over can do no harm: receive-pack, bundle, fetch, clone, index-pack, unpack-objects, dumb http'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-receive.sh"
. "$TEST_DIRECTORY/lib-packs.sh"
. "$TEST_DIRECTORY/lib-httpd.sh"

test_lazy_prereq PRELOAD '
	${CC:-cc} -shared -fPIC -O1 -o taken-over.so "$TEST_DIRECTORY/t5406/taken-over.c" &&
	LD_PRELOAD="$PWD/taken-over.so" git version
'
test_lazy_prereq CONFINED '
	git init -q --bare p && printf 0000 | git -c core.sandbox=true upload-pack --stateless-rpc p
'
if ! test_have_prereq PRELOAD,CONFINED,PERL,SHA1,!SANITIZE; then
	skip_all='no library can be preloaded, or the kernel cannot confine a process'
	test_done
fi
${CC:-cc} -shared -fPIC -O1 -o taken-over.so "$TEST_DIRECTORY/t5406/taken-over.c"

# files_of SERVER: the names of all that is in its object directory
files_of () {
	(cd "$1/objects" && find . -type f | sort)
}

# taken_over REF: push HEAD as REF to s; the server's children put the files of "evil" into the quarantine
nr=0
taken_over () {
	nr=$((nr + 1)) && test_commit -C work more$nr >&3 && files_of s >files &&
	env TAKEN_OVER_FILES="$PWD/evil" TAKEN_OVER_OBJECTS="$PWD/s/objects" LD_PRELOAD="$PWD/taken-over.so" git -C work push ../s "main:$1" >out 2>&1
}

# is_refused MESSAGE: with the files of "evil" such a push fails, and leaves nothing
is_refused () {
	test_must_fail taken_over refs/heads/new && grep "taken over: .*: made" out && test_grep "remote unpack failed: .*$1" out &&
	files_of s >now && test_cmp files now && unchanged s && rm -rf evil
}

# lie FILE: exchanges two offsets in an .idx, two positions in a .rev. Checksums are right.
lie () {
	perl -MDigest::SHA -e "local \$/; open F, q($1); binmode F; \$_ = <F>; close F; chmod 0644, q($1); substr(\$_, -20) = q();"'
		my $at = /^RIDX/ ? 12 : 8 + 1024 + 24 * unpack("N", substr($_, 8 + 1020, 4));
		my $first = substr($_, $at, 4);
		substr($_, $at, 4) = substr($_, $at + 4, 4);
		substr($_, $at + 4, 4) = $first;'"open F, q(>$1); binmode F; print F \$_, Digest::SHA::sha1(\$_)"
}

# honest_pack: puts one with its .idx and .rev into evil/pack
honest_pack () {
	mkdir -p evil/pack && git -C other rev-list --objects HEAD | git -C other -c pack.writeReverseIndex=true pack-objects -q "$PWD/evil/pack/pack" >name
}

test_expect_success 'a server with a pack; objects that it does not have' '
	client_work && server s && git -C s repack -a -d -q && rm -f s/objects/pack/*.rev s/objects/pack/*.bitmap && refs s >before &&
	PACK=$(basename s/objects/pack/*.pack .pack) && git init -q other && test_commit -C other elsewhere
'

test_expect_success 'a child that was taken over adds objects and packs, as it may anyway; the second process adds nothing' '
	honest_pack && X=$(cat name) && blob=$(echo loose | git -C other hash-object -w --stdin) && dir=$(echo $blob | cut -c1-2) &&
	mkdir evil/$dir && cp other/.git/objects/$dir/${blob#??} evil/$dir/ && taken_over refs/heads/ok &&
	grep -c "taken over: .*: made" out >made && echo 4 >expect && test_cmp expect made &&
	grep -c "taken over: .*: Permission denied" out >denied && test_cmp expect denied &&
	test_path_is_file s/objects/pack/pack-$X.idx && test_path_is_file s/objects/pack/pack-$X.rev &&
	git -C s cat-file -e $blob && rm -rf evil s/objects/$dir/${blob#??} s/objects/pack/pack-$X.* && git -C s update-ref -d refs/heads/ok && unchanged s
'

test_expect_success 'no file beside a pack that was there before' '
	for ext in keep promisor mtimes bitmap rev; do
		mkdir -p evil/pack && echo forged >evil/pack/$PACK.$ext && is_refused "unexpected file in quarantine" || return 1
	done
'

test_expect_success 'also if it brings that pack itself along' '
	mkdir -p evil/pack && cp s/objects/pack/$PACK.* evil/pack/ && (cd evil/pack && git index-pack --rev-index $PACK.pack && test -f $PACK.rev) &&
	taken_over refs/heads/ok && grep "$PACK.rev: made" out && test_path_is_missing s/objects/pack/$PACK.rev &&
	git -C s update-ref -d refs/heads/ok && unchanged s &&
	echo >evil/pack/$PACK.keep && is_refused "unexpected file in quarantine"
'

test_expect_success 'nothing beside a pack of its own but .idx and .rev; no half pack, and no other name' '
	for ext in keep promisor mtimes bitmap; do
		honest_pack && echo forged >evil/pack/pack-$X.$ext && is_refused "unexpected file in quarantine" || return 1
	done &&
	honest_pack && rm evil/pack/*.idx && is_refused "unexpected file in quarantine" &&
	honest_pack && rm evil/pack/*.pack && is_refused "unexpected file in quarantine" &&
	honest_pack && for ext in pack idx rev; do mv evil/pack/pack-$X.$ext evil/pack/pack-000000000000000000000000$X.$ext || return 1; done &&
	is_refused "unexpected file in quarantine" && mkdir -p evil/00 && echo >evil/00/$(printf %062d 1) && is_refused "unexpected file in quarantine"
'

test_expect_success 'no other files that a hook would read in the quarantine' '
	for file in info/alternates info/commit-graph info/grafts pack/multi-pack-index; do
		mkdir -p evil/${file%/*} && echo "$PWD/other/.git/objects" >evil/$file && is_refused "unexpected file in quarantine" || return 1
	done
'

test_expect_success 'an index that gives contents other names is found' '
	honest_pack && lie evil/pack/pack-$X.idx && git show-index <evil/pack/pack-$X.idx && is_refused "pack-$X.idx. validation error"
'

test_expect_success 'a reverse index that is none is found' '
	honest_pack && lie evil/pack/pack-$X.rev && is_refused "pack-$X.rev. validation error"
'

test_expect_success 'a pack that has the name of another is found' '
	honest_pack && Y=0$(echo $X | cut -c2-) && if test $X = $Y; then Y=1$(echo $X | cut -c2-); fi &&
	for ext in pack idx rev; do mv evil/pack/pack-$X.$ext evil/pack/pack-$Y.$ext || return 1; done && is_refused "the checksum of pack .*$Y. is $X"
'

test_expect_success 'a loose object under another name is found' '
	a=$(echo one thing | git -C other hash-object -w --stdin) && mkdir -p evil/00 &&
	cp other/.git/objects/$(echo $a | sed "s,..,&/,") evil/00/$(echo $a | cut -c3-) && is_refused "$a: hash-path mismatch"
'

# unbundles: HEAD of work into the client c, whose children put the files of "evil" into the quarantine
unbundles () {
	files_of c/.git >files && env TAKEN_OVER_FILES="$PWD/evil" TAKEN_OVER_OBJECTS="$PWD/c/.git/objects" LD_PRELOAD="$PWD/taken-over.so" \
		git -C c bundle unbundle "$PWD/bundle" >out 2>&1
}
refuses_bundle () {
	test_expect_code 1 unbundles && grep "taken over: .*: made" out && test_grep "^error: .*$1" out && files_of c/.git >now && test_cmp files now && rm -rf evil
}

test_expect_success 'bundle unbundle: a process that was taken over adds packs, and nothing beside others' '
	git clone -q --no-local s c && git -C c repack -a -d -q && C=$(basename c/.git/objects/pack/*.pack .pack) && git -C work bundle create -q ../bundle HEAD &&
	honest_pack && unbundles && grep "taken over: pack/pack-$X.idx: Permission denied" out && test_path_is_file c/.git/objects/pack/pack-$X.idx &&
	git -C c fsck && rm -rf evil c/.git/objects/pack/pack-$X.* && for ext in keep promisor mtimes bitmap; do
		mkdir -p evil/pack && echo forged >evil/pack/$C.$ext && refuses_bundle "unexpected file in quarantine" || return 1
	done &&
	honest_pack && echo forged >evil/pack/pack-$X.keep && refuses_bundle "unexpected file in quarantine"
'

test_expect_success 'bundle unbundle: an index that gives contents other names is found, and so is a loose object under another name' '
	git -C work commit -q --allow-empty -m "for a bundle" && git -C work bundle create -q ../bundle HEAD &&
	honest_pack && lie evil/pack/pack-$X.idx && refuses_bundle "pack-$X.idx. validation error" && mkdir -p evil/00 &&
	cp other/.git/objects/$(echo $a | sed "s,..,&/,") evil/00/$(echo $a | cut -c3-) && refuses_bundle "$a: hash-path mismatch"
'

# sandboxes OPTION...: how often a process was confined
sandboxes () {
	rm -f trace && git init -q --bare fresh && GIT_TRACE="$PWD/trace" git -C fresh "$@" bundle unbundle "$PWD/bundle" >out && rm -rf fresh && grep -c "sandbox: landlock" trace
}

test_expect_success 'bundle unbundle: core.sandbox' '
	git -C work bundle create -q ../bundle HEAD && sandboxes >actual && echo 2 >expect && test_cmp expect actual &&
	test_expect_code 1 sandboxes -c core.sandbox=false
'

test_expect_success 'bundle unbundle: the parent makes the .promisor of a bundle with a filter' '
	git -C work bundle create -q ../bundle --filter=blob:none HEAD && for on in true false; do
		git init -q --bare $on && git -C $on -c core.sandbox=$on bundle unbundle "$PWD/bundle" && echo from-bundle >expect && test_cmp expect $on/objects/pack/*.promisor || return 1
	done
'

# ---- fetch, clone ----

# taken ARG...: such a git command fills c
taken () {
	env TAKEN_OVER_FILES="$PWD/evil" TAKEN_OVER_OBJECTS="$PWD/c/.git/objects" LD_PRELOAD="$PWD/taken-over.so" git "$@" >out 2>&1
}
fetches () {
	rm -rf c && git init -q c && git -C c fetch -q ../s main:before && git -C c repack -a -d -q && C=$(basename c/.git/objects/pack/*.pack .pack) && files_of c/.git >files
}
way () {
	case $1 in
	few) fetches && taken -C c fetch -q ../work main:got ;;
	pack) fetches && taken -C c -c fetch.unpackLimit=1 fetch -q ../work main:got ;;
	fetch-pack) fetches && taken -C c fetch-pack -q -k ../work refs/heads/main ;;
	bundle) fetches && taken -C c fetch -q ../bundle HEAD:got ;;
	clone) rm -rf c && taken clone -q --no-local work c ;;
	index-pack) fetches && taken -C c index-pack --stdin <in.pack ;;
	dumb) fetches && taken -C c fetch -q "$web_url/dumb.git" main:got ;;
	partial) fetches && git -C c config remote.s.url ../s && git -C c config remote.s.promisor true && taken -C c fetch -q ../work main:got ;;
	unpack) fetches && taken -C c unpack-objects <in.pack ;;
	file*|stdin-*) fetches && named $1 taken ;;
	uris) rm -rf c && taken -c fetch.uriProtocols=file clone -q --no-local uris c ;;
	esac
}
# named WAY CMD...: CMD index-pack makes files in the directory n, from in.pack
named () {
	local form=$1
	shift && rm -rf n && mkdir n && cp in.pack n/f.pack && case $form in
	file) "$@" -C n index-pack --rev-index f.pack ;;
	file-o) "$@" -C c index-pack --rev-index -o ../n/x.idx ../n/f.pack ;;
	stdin-file) "$@" -C c index-pack --rev-index --stdin ../n/x.pack <in.pack ;;
	stdin-o) "$@" -C c index-pack --rev-index --stdin -o ../n/x.idx <in.pack ;;
	esac
}
# refuses WAY MESSAGE: all stays as it was
refuses () {
	test_must_fail way $1 && grep "taken over: .*: made" out && test_grep "^fatal: .*$2" out && rm -rf evil && case $1 in
	clone|uris) test ! -e c ;;
	*) files_of c/.git >now && test_cmp files now && test_must_fail git -C c rev-parse -q --verify got ;;
	esac
}

test_expect_success 'a server that names a pack by its URI' '
	git clone -q --bare work uris && U=$(git -C work rev-parse HEAD:more1.t) && mkdir packs &&
	P=$(echo $U | git -C work pack-objects -q ../packs/p) && git -C uris config uploadpack.blobPackfileUri "$U $P file://$PWD/packs/p-$P.pack" &&
	git -C work bundle create -q ../bundle HEAD && git -C work pack-objects -q --all --stdout </dev/null >in.pack
'

test_expect_success PYTHON 'a server that has only files' '
	git clone -q --bare --no-local work srv/dumb.git && git -C srv/dumb.git repack -a -d -q && git -C srv/dumb.git update-server-info &&
	start_httpd web && rules web "* . static"
'

ways="few pack fetch-pack bundle clone uris index-pack unpack partial"
if test_have_prereq PYTHON; then ways="$ways dumb"; fi
for way in $ways; do
	test_expect_success "$way: packs are added, and nothing beside others" '
		honest_pack && way $way && grep "taken over: pack/pack-$X.idx: Permission denied" out && test_path_is_file c/.git/objects/pack/pack-$X.idx &&
		git -C c fsck && rm -rf evil && honest_pack && echo forged >evil/pack/pack-$X.keep && refuses $way "unexpected file in quarantine" &&
		case $way in
		clone|uris) ;;
		*)	for ext in keep promisor mtimes bitmap; do
				mkdir -p evil/pack && echo forged >evil/pack/$C.$ext && refuses $way "unexpected file in quarantine" || return 1
			done ;;
		esac
	'
	test_expect_success "$way: an index that gives contents other names is found, and so is a loose object under another name" '
		honest_pack && lie evil/pack/pack-$X.idx && refuses $way "pack-$X.idx. validation error" && mkdir -p evil/00 &&
		cp other/.git/objects/$(echo $a | sed "s,..,&/,") evil/00/$(echo $a | cut -c3-) && refuses $way "$a: hash-path mismatch"
	'
done

test_expect_success 'a process has nothing open but its end of the pack' '
	TAKEN_OVER_DESCRIPTORS=1 && export TAKEN_OVER_DESCRIPTORS && test_when_finished "unset TAKEN_OVER_DESCRIPTORS" && echo "taken over: a socket is open" >expect && for way in few clone uris; do
		way $way && grep "is open" out >actual && test_cmp expect actual || return 1
	done &&
	if test_have_prereq PYTHON; then way dumb && grep "is open" out >actual && test_cmp expect actual; fi &&
	way partial && grep "is open" out >actual && cat expect expect >two && test_cmp two actual &&
	printf "taken over: %s is open\n" "descriptor 0" "a socket" >expect && for way in index-pack unpack; do
		way $way && grep "is open" out >actual && test_cmp expect actual || return 1
	done &&
	taken_over refs/heads/open && sed -n "s/is open *$/is open/p" out >actual && printf "remote: taken over: %s is open\n" "descriptor 0" "descriptor 1" >expect && test_cmp expect actual
'

test_expect_success 'in a partial clone it gets promised objects, and cannot ask for others' '
	git init -q -b main lim && git -C lim config uploadpack.allowFilter true && git -C lim config uploadpack.allowAnySHA1InWant true &&
	perl -e "srand 1; print chr(33 + int rand 90) x 3, qq(\n) for 1 .. 500" >lim/f && git -C lim add f && git -C lim commit -q -m 1 && big=$(git -C lim rev-parse HEAD:f) &&
	git clone -q --filter=blob:limit=1k --no-checkout "file://$PWD/lim" p.0 && head -n 225 lim/f >small && cp small lim/f && git -C lim commit -q -a -m 2 &&
	git -C lim repack -a -d -f -q && git -C lim cat-file --batch-check="%(objectname) %(deltabase)" --batch-all-objects >bases && test_grep "^$(git -C lim rev-parse HEAD:f) $big" bases &&
	partial () {
		rm -rf c && cp -R p.0 c && env GIT_TRACE="$PWD/trace" GIT_TRACE_PACKET="$PWD/trace" TAKEN_OVER_ASKS="$2" TAKEN_OVER_OBJECTS="$PWD/c/.git/objects" LD_PRELOAD="$PWD/taken-over.so" git -C c -c core.sandbox=$1 fetch -q >out 2>&1
	} &&
	for sandbox in true false; do
		>trace && partial $sandbox $ZERO_OID && git -C c cat-file -e $big && git -C c show origin/main:f >actual && test_cmp small actual &&
		grep "fetch.* --promised" trace >fetches && test_line_count -ge 1 fetches || return 1
	done &&
	echo "$(git -C lim rev-parse HEAD) ^HEAD~1" | tr " " "\n" | git -C lim pack-objects -q --revs --thin --stdout >lim.pack && for sandbox in true false; do
		rm -rf c && cp -R p.0 c && git -C c -c core.sandbox=$sandbox index-pack --stdin --fix-thin "$PWD/to.pack" <lim.pack && git verify-pack -v to.pack | grep "^$big" && rm to.* || return 1
	done &&
	>trace && partial true $big && grep "taken over: asks, answer 1" out && grep "> want $big" trace &&
	>trace && secret=$(git -C work rev-parse HEAD) && partial true $secret && grep "taken over: asks, answer 1" out && ! grep "$secret" trace
'

test_expect_success 'the second process has the limits of the first one' '
	head -c 1000000 /dev/zero >zeros && git -C other hash-object -w --stdin <zeros >name && bomb () {
		mkdir -p evil/pack && git -C other -c pack.writeReverseIndex=false pack-objects -q "$PWD/evil/pack/pack" <name >made
	} &&
	too_big="pack exceeds maximum allowed inflated size" && for limit in 400000 600000; do
		for way in index-pack unpack-objects receive-pack; do
			fetches && bomb && case $way in
			index-pack) taken -C c index-pack --stdin --max-inflated-size=$limit <in.pack ;;
			unpack-objects) taken -C c unpack-objects --max-inflated-size=$limit <in.pack ;;
			*) git -C s config receive.maxInflatedSize $limit && taken_over refs/heads/$limit ;;
			esac
			test $? = 0 || test $limit = 400000 || return 1
			grep "taken over: pack/.*: made" out && if test $limit = 400000; then grep "$too_big" out; else ! grep "$too_big" out; fi && rm -rf evil || return 1
		done
	done &&
	git -C s config --unset receive.maxInflatedSize
'

# answers FORMAT: the process that reads the pack says so; the command believes none of it
answers () {
	printf "$1" >said && (TAKEN_OVER_ANSWER="$PWD/said" && export TAKEN_OVER_ANSWER && test_must_fail way $way) && grep "taken over: answers" out &&
	test_grep "$2" out && ! grep evil out && files_of c/.git >now && test_cmp files now
}

test_expect_success 'index-pack: what the process answers is not believed, and has an end' '
	way=index-pack && none="\\0\\0\\0\\0" && no="\\0\\0\\0\\1\\0" && nonsense="^fatal: the process that reads the pack answers nonsense" &&
	answers "\\377\\377\\377\\377" "$nonsense" && answers "\\0\\0\\0\\1\\0$none" "$nonsense" && answers "$none\\0\\0\\0\\1\\2$no$none" "$nonsense" &&
	answers "$none\\0\\0\\0\\2\\0\\0$no$none" "$nonsense" && answers "$none$no$no$none\\0\\0\\0\\5evil\\n$none" "$nonsense" &&
	printf %065535d 1 >said && (TAKEN_OVER_FLOOD=1 && export TAKEN_OVER_FLOOD && answers "$(cat said)" "^fatal: index-pack answers more than")
'

test_expect_success PYTHON 'dumb http: what the process answers is not believed, and neither is that the object is there' '
	way=dumb && nonsense="^fatal: .*the process that reads the pack answers nonsense" && answers "\\0\\0\\0\\5" "$nonsense" && answers "\\0\\0\\0\\1x" "$nonsense" &&
	(TAKEN_OVER_LEAVES_NOTHING=1 && export TAKEN_OVER_LEAVES_NOTHING && test_must_fail way dumb) && grep "taken over: leaves nothing" out &&
	test_grep "its index has an object that it does not have" out && files_of c/.git >now && test_cmp files now
'

test_expect_success 'index-pack: the same output, codes and files with core.sandbox and without' '
	git -C work rev-parse HEAD~1 >base && sub=$(echo gone | git -C work hash-object --stdin) &&
	tree=$(printf "100644 blob $sub\t.gitmodules\n" | git -C work mktree --missing) && echo $tree | git -C work pack-objects -q --missing=allow-any --stdout >tree.pack &&
	(git -C work rev-parse HEAD && echo ^HEAD~1) | git -C work pack-objects -q --revs --thin --stdout >thin.pack && { cat in.pack && echo and more; } >more.pack && for on in true false; do
		rm -rf c && git init -q c && git -C c fetch -q ../work $(cat base):refs/heads/base && (
		run () { echo "$*" && code=0 && { "$@" || code=$?; } && echo "code $code"; } &&
		cd c && git config --global core.sandbox $on && for a in "--keep=why" "--keep=again" "" "--promisor=x" "--rev-index --index-version=1"; do
			run git index-pack --stdin $a <../in.pack || exit 1
		done &&
		run sh -c "cat ../more.pack | git index-pack --stdin" && run git index-pack --stdin --fix-thin --check-self-contained-and-connected <../thin.pack &&
		run git index-pack --stdin --fix-thin --promisor <../thin.pack && run git index-pack --stdin --fsck-objects <../tree.pack &&
		run git index-pack --stdin --strict <../tree.pack && run git index-pack --stdin --max-input-size=10 <../in.pack &&
		run git index-pack --stdin --max-inflated-size=10 <../in.pack && run git index-pack --stdin --object-format=sha1 <../in.pack &&
		run git index-pack --stdin --report-end-of-input <../in.pack && run git index-pack --stdin -v --threads=1 <../thin.pack &&
		cat .git/objects/pack/*.keep && (cd .git/objects/pack && for f in *; do ls -l $f | cut -c1-10 && wc -c $f || exit 1; done)) >$on.out 2>&1 || return 1
	done &&
	git config --global --unset core.sandbox && test_cmp false.out true.out && grep "^code 1$" true.out && grep "^$sub$" true.out && grep "^keep" true.out && grep "^and more" true.out
'

# forged FILE: git WAY fails, since the first process has put FILE in place of one that it may write to; nothing is left
forged () {
	(TAKEN_OVER_TABLE="$PWD/$1" && export TAKEN_OVER_TABLE && test_must_fail way $way) && grep "taken over: replaces a table" out && test_grep "^fatal: .*$2" out &&
	ls n >actual && echo f.pack >expect && test_cmp expect actual && test_cmp_bin in.pack n/f.pack && files_of c/.git >now && test_cmp files now
}

test_expect_success 'index-pack of files: packs and tables to forge' '
	cp in.pack lied.pack && git index-pack --rev-index lied.pack && lie lied.idx && lie lied.rev && git show-index <lied.idx &&
	perl -e "print qq(\$_\\n) for 1 .. 20000" | git -C work hash-object -w --stdin >large && git -C work pack-objects -q --stdout <large >large.pack && test $(wc -c <large.pack) -gt $(wc -c <in.pack)
'

for way in file file-o stdin-file stdin-o; do
	test_expect_success "index-pack, $way: tables that give contents other names are found" '
		forged lied.idx "tmp_idx_.*validation error" && forged lied.rev "tmp_rev_.*validation error" && case $way in
		stdin-*) forged large.pack "tmp_idx_.*validation error" ;;
		esac
	'
	test_expect_success "index-pack, $way: the processes can write to nothing else" '
		for path in n/evil n/f.pack c/.git/evil; do
			TAKEN_OVER_WRITES="$PWD/$path" && export TAKEN_OVER_WRITES && way $way && unset TAKEN_OVER_WRITES && grep "taken over" out >actual &&
			printf "taken over: opens: %s\n" "Permission denied" "Permission denied" >expect && test_cmp expect actual && test ! -e n/evil && test ! -e c/.git/evil || return 1
		done
	'
	test_expect_success "index-pack, $way: what the process answers is not believed" '
		answers "\\377\\377\\377\\377" "$nonsense" && answers "$none$no$no$none\\0\\0\\0\\5evil\\n$none" "$nonsense"
	'
	test_expect_success "index-pack, $way: core.sandbox; the same output and files" '
		rm -rf c && for on in true false; do
			git init -q c && rm -f trace && GIT_TRACE="$PWD/trace" named $way git -c core.sandbox=$on >$on.out && { grep -c "sandbox: landlock" trace || :; } >>$on.count &&
			(cd n && ls -l | cut -c1-10 && cksum *) >>$on.out && (cd c/.git/objects && find . -type f) >>$on.out && rm -rf c || return 1
		done &&
		test_cmp false.out true.out && echo 2 >expect && test_cmp expect true.count && echo 0 >expect && test_cmp expect false.count && rm *.count
	'
done

test_expect_success 'index-pack of files: a process has nothing else open' '
	TAKEN_OVER_DESCRIPTORS=1 && export TAKEN_OVER_DESCRIPTORS && test_when_finished "unset TAKEN_OVER_DESCRIPTORS" && for way in file-o stdin-file stdin-o; do
		case $way in
		file-o) echo "taken over: a socket is open" ;;
		*) printf "taken over: %s is open\n" "descriptor 0" "a socket" ;;
		esac >expect && way $way && grep "is open" out >actual && test_cmp expect actual || return 1
	done
'

test_expect_success 'index-pack of files: the second process has the limits of the first one' '
	bomb && mv evil/pack/*.pack bomb.pack && rm -rf evil && way=stdin-file && echo one | git -C work hash-object -w --stdin >one && mv in.pack all.pack &&
	git -C work pack-objects -q --stdout <one >in.pack && for limit in 400000 600000; do
		fetches && (TAKEN_OVER_TABLE="$PWD/bomb.pack" && export TAKEN_OVER_TABLE && test_must_fail taken -C c index-pack --max-inflated-size=$limit --stdin ../n/limited.pack <in.pack) &&
		grep "taken over: replaces a table" out && if test $limit = 400000; then grep "$too_big" out; else grep "validation error" out; fi || return 1
	done &&
	mv all.pack in.pack
'

# A thread is started for the second of these objects, unless there shall be only one.
test_expect_success 'both processes have as many threads as the command line says, or pack.threads' '
	TAKEN_OVER_THREADS=1 && export TAKEN_OVER_THREADS && test_when_finished "unset TAKEN_OVER_THREADS" && for i in 1 2 3 4; do
		{ head -c 600000 /dev/zero && echo $i; } >wide$i && git -C other hash-object -w --stdin <wide$i || return 1
	done >oids && git -C other pack-objects -q --window=0 --stdout <oids >wide.pack && git init -q threads && for threads in 1 3; do
		for form in "--stdin" "--stdin $threads.pack" "-o $threads.idx ../wide.pack"; do
			taken -C threads -c pack.threads=$((4 - threads)) index-pack --threads=$threads $form <wide.pack && { grep -c "starts a thread" out || :; } >>$threads.made &&
			taken -C threads -c pack.threads=$threads index-pack $form <wide.pack && { grep -c "starts a thread" out || :; } >>$threads.made || return 1
		done || return 1
	done &&
	printf "0\n%.0s" 1 2 3 4 5 6 >expect && test_cmp expect 1.made && printf "2\n%.0s" 1 2 3 4 5 6 >expect && test_cmp expect 3.made
'

test_expect_success 'index-pack of files: the same output, codes and files with core.sandbox and without' '
	for on in true false; do
		rm -rf c && git init -q c && git -C c fetch -q ../work $(cat base):refs/heads/base && (
		run () { echo "$*" && code=0 && { "$@" || code=$?; } && echo "code $code"; } &&
		cd c && git config --global core.sandbox $on && cp ../in.pack ../thin.pack ../tree.pack ../more.pack . &&
		for a in --no-rev-index --keep=why --keep=again --index-version=1 "-v --threads=1" --strict --fsck-objects --max-input-size=10 --max-inflated-size=10 \
			--report-end-of-input --promisor "-o in.idx" "-o in.other" "-o nowhere/in.idx" --object-format=sha256; do
			run git index-pack $a in.pack && run git index-pack --stdin $a named.pack <in.pack || exit 1
		done &&
		for pack in thin tree more none; do
			run git index-pack $pack.pack && run git index-pack --check-self-contained-and-connected --fsck-objects $pack.pack &&
			if test $pack != none; then run sh -c "cat $pack.pack | git index-pack --fix-thin --stdin --check-self-contained-and-connected to-$pack.pack"; fi || exit 1
		done &&
		run git index-pack --stdin --fix-thin --promisor=it --keep -o promised.idx <thin.pack && run git index-pack -o of-stdin.idx /dev/stdin <in.pack &&
		find . -name "*.keep" -exec cat "{}" + && git fsck && for f in $(find . -type f -name "*.[ikpr]*" ! -path "*/reftable/*" | sort); do ls -l $f | cut -c1-10 && cksum $f || exit 1; done) >$on.raw 2>&1
		test $? = 0 && sed "s/tmp_\([a-z]*\)_[A-Za-z0-9]*/tmp_\1_/" <$on.raw >$on.out || return 1
	done &&
	git config --global --unset core.sandbox && test_cmp false.out true.out && grep "^code 1$" true.out && grep "^code 128$" true.out && grep "^and more" true.out && grep "promised.idx" true.out && grep of-stdin.idx true.out && grep "to-thin.pack" true.out
'

test_expect_success 'unpack-objects: what the process answers is not believed' '
	way=unpack && none="\\0\\0\\0\\0" && answers "$none" "$nonsense" && answers "\\0\\0\\0\\1\\2$none" "$nonsense" &&
	answers "\\0\\0\\0\\1\\0\\377\\377\\377\\377" "$nonsense" && printf %065535d 1 >said &&
	(TAKEN_OVER_FLOOD=1 && export TAKEN_OVER_FLOOD && answers "$(cat said)" "^fatal: unpack-objects answers more than")
'

test_expect_success 'unpack-objects: the same output, codes and objects with core.sandbox and without' '
	size=$(wc -c <in.pack) && head -c $((size - 30)) in.pack >cut.pack && echo no commit >bad && echo file commit bad | craft bad.pack && for on in true false; do
		rm -rf c && git init -q c && git -C c fetch -q ../work $(cat base):refs/heads/base && git init -q c/r && (
		run () { echo "$*" && code=0 && { "$@" || code=$?; } && echo "code $code"; } && git config --global core.sandbox $on &&
		cd c && run git unpack-objects <../thin.pack && cd r && run git unpack-objects -n <../../in.pack && run git unpack-objects <../../thin.pack &&
		run git unpack-objects --strict <../../tree.pack && run git unpack-objects <../../cut.pack && run git count-objects &&
		run git unpack-objects -r <../../cut.pack && run git count-objects && run sh -c "cat ../../more.pack | git unpack-objects" && run git unpack-objects -q <../../bad.pack &&
		run sh -c "cat ../../more.pack | git unpack-objects -n" && run git unpack-objects -n <../../cut.pack && run git unpack-objects --strict <../../bad.pack &&
		run git unpack-objects --max-input-size=10 <../../in.pack && run git unpack-objects --max-inflated-size=10 <../../in.pack &&
		find .git/objects -type f | sort) >$on.out 2>&1 || return 1
	done &&
	git config --global --unset core.sandbox && test_cmp false.out true.out && grep "^code 1$" true.out && grep "^and more" true.out >more && test_line_count = 2 more &&
	git -C c/r cat-file -e $(git -C c hash-object -t commit --literally --stdin <bad)
'

# confined_processes ARG...: how many a git command has made
confined_processes () {
	rm -rf trace c && GIT_TRACE="$PWD/trace" git "$@" && grep -c "sandbox: landlock" trace
}

test_expect_success 'a process that only looks at a pack confines itself' '
	rm -rf c && git init -q c && cp in.pack looked.pack && git index-pack looked.pack && for on in true false; do
		if test $on = true; then echo 1; else echo 0; fi >expect && for cmd in "-C c unpack-objects -n" "index-pack --verify looked.pack" "verify-pack -v looked.idx ./looked.pack"; do
			rm -f trace && GIT_TRACE="$PWD/trace" git -c core.sandbox=$on $cmd <in.pack >$on.out && { grep -c "sandbox: landlock" trace || :; } >actual && test_cmp expect actual || return 1
		done
	done &&
	test_cmp false.out true.out && cd c && cp ../looked.* . && GIT_TRACE="$PWD/trace" git verify-pack looked.idx && grep "sandbox: landlock" trace
'

test_expect_success 'fetch and clone: core.sandbox' '
	for on in true false; do
		if test $on = true; then echo 2; else echo 0; fi >expect &&
		{ confined_processes -c core.sandbox=$on clone -q --no-local -u "env GIT_TRACE=0 git upload-pack" work c || :; } >actual && test_cmp expect actual && git -C c fsck &&
		{ confined_processes -c core.sandbox=$on clone -q "$PWD/bundle" c || :; } >actual && test_cmp expect actual && git -C c fsck &&
		if test_have_prereq PYTHON; then
			{ confined_processes -c core.sandbox=$on clone -q "$web_url/dumb.git" c || :; } >actual && test_cmp expect actual && git -C c fsck
		fi || return 1
	done
'

test_done
