#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git clone: its result, its sources, and that a failure leaves nothing'
. "$(dirname "$0")/test-lib.sh"
SQ="'"

test_expect_success 'a repository to clone from' '
	git init -q -b main src &&
	test_commit -C src one &&
	git -C src tag -a -m annotated v1 &&
	git -C src branch topic &&
	git -C src tag one &&
	test_commit -C src two &&
	git -C src tag two &&
	mkdir src/dir &&
	test_commit -C src three dir/three &&
	head=$(git -C src rev-parse main) &&
	topic=$(git -C src rev-parse topic) &&
	git init -q -b trunk empty
'

# ---- what is made ----------------------------------------------------------

test_expect_success 'files, configuration, refs, HEAD and reflogs' '
	git clone src full 2>err &&
	printf "Cloning into ${SQ}full${SQ}...\ndone.\n" >expect && test_cmp expect err &&
	test_cmp src/dir/three full/dir/three &&
	git -C full status --porcelain >out && test_must_be_empty out &&
	{ test_have_prereq SHA1 || echo extensions.objectformat=$TEST_HASH; } >expect &&
	{ test_have_prereq REFFILES || echo extensions.refstorage=reftable; } >>expect &&
	cat >>expect <<-EOF &&
	remote.origin.url=$TRASH_DIRECTORY/src
	remote.origin.fetch=+refs/heads/*:refs/remotes/origin/*
	branch.main.remote=origin
	branch.main.merge=refs/heads/main
	EOF
	git config --file full/.git/config --list >out && grep -v ^core out >config && test_cmp expect config &&
	cat >expect <<-EOF &&
	$head refs/heads/main
	$head refs/remotes/origin/HEAD
	$head refs/remotes/origin/main
	$topic refs/remotes/origin/topic
	$topic refs/tags/one
	$(git -C src rev-parse two) refs/tags/two
	$(git -C src rev-parse v1) refs/tags/v1
	EOF
	git -C full for-each-ref --format="%(objectname) %(refname)" >out && test_cmp expect out &&
	test "$(git -C full symbolic-ref HEAD)" = refs/heads/main &&
	test "$(git -C full symbolic-ref refs/remotes/origin/HEAD)" = refs/remotes/origin/main &&
	for log in HEAD refs/heads/main refs/remotes/origin/HEAD; do
		reflog_lines full $log >log && test_line_count = 1 log &&
		test_grep "^0* $head .*	clone: from $TRASH_DIRECTORY/src$" log || return 1
	done &&
	test_expect_code $(test_have_prereq REFFILES && echo 1 || echo 0) git -C full reflog exists refs/remotes/origin/main && test ! -e full/.git/FETCH_HEAD &&
	git -C full fsck --strict
'

test_expect_success 'the same by file://, in one pack' '
	git clone "file://$TRASH_DIRECTORY/src" byfile 2>err &&
	echo "Cloning into ${SQ}byfile${SQ}..." >expect && test_cmp expect err &&
	git -C full for-each-ref >expect && git -C byfile for-each-ref >out && test_cmp expect out &&
	git -C byfile status --porcelain >out && test_must_be_empty out &&
	ls byfile/.git/objects/pack/*.pack >packs && test_line_count = 1 packs &&
	git -C byfile fsck --strict
'

test_expect_success 'a bare one and a mirror' '
	git -C src update-ref refs/notes/x topic &&
	git clone -q --bare src && test -d src.git &&
	test "$(git -C src.git config remote.origin.url)" = "$TRASH_DIRECTORY/src" &&
	test_must_fail git -C src.git config remote.origin.fetch &&
	test_must_fail git -C src.git config branch.main.remote &&
	git -C src for-each-ref refs/heads refs/tags >expect &&
	git -C src.git for-each-ref >out && test_cmp expect out &&
	git clone -q --mirror src mirror &&
	git -C src for-each-ref >expect && git -C mirror for-each-ref >out && test_cmp expect out &&
	test "$(git -C mirror config remote.origin.fetch)" = "+refs/*:refs/*" &&
	test "$(git -C mirror config remote.origin.tagOpt)" = --no-tags &&
	test "$(git -C mirror config --type=bool remote.origin.mirror)" = true
'

test_expect_success 'an empty repository: its branch, and a warning' '
	git clone empty from-empty 2>err &&
	test_grep "warning: You appear to have cloned an empty repository." err &&
	test "$(git -C from-empty symbolic-ref HEAD)" = refs/heads/trunk &&
	test "$(git -C from-empty config branch.trunk.merge)" = refs/heads/trunk &&
	git clone -q --bare empty from-empty.git 2>err && test_grep "an empty repository" err &&
	test "$(git -C from-empty.git symbolic-ref HEAD)" = refs/heads/trunk
'

test_expect_success 'many refs are one file' '
	git init -q --bare many && git -C many fetch -q ../src main:main &&
	for i in $(test_seq 300); do echo "create refs/heads/b/$i $head"; done >input &&
	git -C many update-ref --stdin <input &&
	git clone -q --bare many many2 &&
	if test_have_prereq REFFILES; then
		find many2/refs -type f >out && test_must_be_empty out
	else
		test_line_count = 1 many2/reftable/tables.list
	fi &&
	git -C many for-each-ref >expect && git -C many2 for-each-ref >out && test_cmp expect out
'

test_expect_success 'a branch, a tag, one branch alone' '
	git clone -q -b topic src b1 && test "$(git -C b1 symbolic-ref HEAD)" = refs/heads/topic &&
	test "$(git -C b1 config branch.topic.merge)" = refs/heads/topic &&
	test "$(git -C b1 symbolic-ref refs/remotes/origin/HEAD)" = refs/remotes/origin/main &&
	git clone -b v1 src b2 2>err && test_grep "^Note: switching to ${SQ}$topic${SQ}" err &&
	test "$(ref_value b2 HEAD)" = "$topic" && test_must_fail git -C b2 config branch.main.remote &&
	git clone -q -c advice.detachedHead=false -b v1 src b3 2>err && test_must_be_empty err &&
	git clone -q --single-branch -b topic "file://$PWD/src" b4 &&
	printf "refs/%s\n" heads/topic remotes/origin/topic tags/one tags/v1 >expect &&
	git -C b4 for-each-ref --format="%(refname)" >out && test_cmp expect out &&
	test "$(git -C b4 config remote.origin.fetch)" = +refs/heads/topic:refs/remotes/origin/topic &&
	git clone -q --single-branch "file://$PWD/src" b5 &&
	test "$(git -C b5 config remote.origin.fetch)" = +refs/heads/main:refs/remotes/origin/main &&
	test_must_fail git clone -b nothere src b6 2>err &&
	test_grep "fatal: Remote branch nothere not found in upstream origin" err && test ! -e b6
'

test_expect_success 'a detached HEAD: a branch of the same commit, or none' '
	cp -R src det && git -C det update-ref --no-deref HEAD "$topic" &&
	git clone -q det d1 && test "$(git -C d1 symbolic-ref HEAD)" = refs/heads/topic &&
	git -C det update-ref --no-deref HEAD "$(git -C src rev-parse two)" &&
	git clone -q det d2 && test "$(ref_value d2 HEAD)" = "$(git -C src rev-parse two)" &&
	git clone -q --bare "file://$PWD/det" d3 && test "$(ref_value d3 HEAD)" = "$(git -C src rev-parse two)" &&
	git -C d3 fsck
'

test_expect_success 'a HEAD that leads nowhere' '
	cp -R src.git lost.git && git -C lost.git symbolic-ref HEAD refs/heads/none &&
	git clone -q lost.git lost 2>err &&
	test_grep "warning: remote HEAD refers to nonexistent ref, unable to checkout" err &&
	test "$(git -C lost symbolic-ref HEAD)" = refs/heads/none &&
	git -C lost rev-parse -q --verify origin/main
'

test_expect_success '--revision: a ref or an object, and nothing else' '
	git clone -q --revision=refs/heads/topic "file://$PWD/src" r1 &&
	test "$(ref_value r1 HEAD)" = "$topic" && git -C r1 for-each-ref >out && test_must_be_empty out &&
	test_must_fail git -C r1 config remote.origin.fetch &&
	git clone -q --bare --revision="$head" "file://$PWD/src" r2 && test "$(ref_value r2 HEAD)" = "$head" &&
	test_must_fail git clone --revision=nothere src r3 2>err &&
	test_grep "Remote revision nothere not found in upstream origin" err &&
	test_must_fail git clone --revision=HEAD --branch x src r3 2>err &&
	test_grep "options ${SQ}--revision${SQ} and ${SQ}--branch${SQ} cannot be used together" err && test ! -e r3
'

test_expect_success '--depth, and options that local clones ignore' '
	git clone -q --depth 1 "file://$PWD/src" s1 && test "$(git -C s1 rev-list --count HEAD)" = 1 &&
	test "$(cat s1/.git/shallow)" = "$head" &&
	test "$(git -C s1 config remote.origin.fetch)" = +refs/heads/main:refs/remotes/origin/main &&
	git clone -q --depth 1 --no-single-branch "file://$PWD/src" s2 &&
	test "$(git -C s2 config remote.origin.fetch)" = "+refs/heads/*:refs/remotes/origin/*" &&
	git clone -q --depth 1 src s3 2>err && test_grep "warning: --depth is ignored in local clones; use file:// instead." err &&
	test "$(git -C s3 rev-list --count HEAD)" = 3 &&
	test_must_fail git clone --depth x "file://$PWD/src" s4 2>err && test_grep "depth x is not a positive number" err &&
	git clone -q s1 s5 && test_cmp s1/.git/shallow s5/.git/shallow && git -C s5 fsck &&
	for opt in --reject-shallow "-c clone.rejectShallow=true"; do
		test_must_fail git clone -q $opt s1 s6 2>err && test_grep "source repository is shallow, reject to clone." err &&
		test_must_fail git clone -q $opt "file://$PWD/s1" s6 2>err &&
		test_grep "source repository is shallow, reject to clone." err && test ! -e s6 || return 1
	done
'

test_expect_success '--filter makes the remote a promisor' '
	git -C src config uploadpack.allowFilter true &&
	git clone -q -n --filter=blob:none "file://$PWD/src" partial &&
	test "$(git -C partial config --type=bool remote.origin.promisor)" = true &&
	test "$(git -C partial config remote.origin.partialclonefilter)" = blob:none &&
	test "$(git -C partial config core.repositoryformatversion)" = 1 &&
	ls partial/.git/objects/pack/*.promisor &&
	git -C partial rev-list --objects --missing=print HEAD >out && test_grep "^?" out
'

test_expect_success '--origin, --config, --no-tags, --no-checkout, --separate-git-dir, --template' '
	git clone -q -o up -c core.foo=bar -c remote.up.fetch=+refs/notes/*:refs/notes/* --no-tags -n src o1 &&
	test "$(git -C o1 config core.foo)" = bar && test "$(git -C o1 rev-parse refs/notes/x)" = "$topic" &&
	test "$(git -C o1 config branch.main.remote)" = up && test "$(git -C o1 config remote.up.tagOpt)" = --no-tags &&
	git -C o1 for-each-ref refs/tags >out && test_must_be_empty out &&
	ls o1 >out && test_must_be_empty out && test ! -e o1/.git/index &&
	test_must_fail git clone -o a..b src o2 2>err && test_grep "${SQ}a..b${SQ} is not a valid remote name" err &&
	git -c clone.defaultRemoteName=zz clone -q src o3 && git -C o3 rev-parse -q --verify zz/main &&
	test_must_fail git clone -q -c nosection src o4 2>err && test_grep "key does not contain a section: nosection" err &&
	git clone -q --separate-git-dir=sep src o5 && test "$(cat o5/.git)" = "gitdir: $TRASH_DIRECTORY/sep" &&
	git -C o5 status --porcelain >out && test_must_be_empty out &&
	mkdir -p tpl/hooks && printf "#!/bin/sh\necho \"\$@\" >ran\n" >tpl/hooks/post-checkout && chmod +x tpl/hooks/post-checkout &&
	git clone -q --template=tpl src o6 && echo "$(git -C src rev-parse --verify HEAD | tr 0-9a-f 0) $head 1" >expect &&
	test_cmp expect o6/ran && git -c init.templateDir="$PWD/tpl" clone -q src o7 && test_cmp expect o7/ran
'

test_expect_success 'a missing template directory: only --template warns' '
	git clone -q --template="$PWD/none" src m1 2>err && echo "warning: templates not found in $PWD/none" >expect && test_cmp expect err &&
	git init -q -b main --template="$PWD/none" m2 2>err && test_cmp expect err &&
	git -c init.templateDir="$PWD/none" clone -q src m3 2>err && test_must_be_empty err &&
	GIT_TEMPLATE_DIR="$PWD/none" git init -q -b main m4 2>err && test_must_be_empty err && test_path_is_missing m4/.git/info
'

test_expect_success 'the directory is named after the source' '
	mkdir names && cd names && git clone -q --bare ../src/.git && git clone -q ../src/ && test -d src.git && test -d src/.git &&
	cp -R src.git "a  b.git" && git clone -q "a  b.git" && test -d "a b/.git" &&
	test_must_fail git clone -q "file://$PWD/src.git/" 2>err && test_grep "${SQ}src${SQ} already exists and is not an empty" err &&
	cd .. && test_must_fail git clone "" 2>err && test_grep "The empty string is not a valid path" err &&
	test_must_fail git clone nothere 2>err && test_grep "repository ${SQ}nothere${SQ} does not exist" err && test ! -e nothere
'

test_expect_success 'SHA-256, as the server has it' '
	git init -q -b main --object-format=sha256 s256 && test_commit -C s256 x &&
	git clone -q "file://$PWD/s256" c256 && test "$(git -C c256 rev-parse --show-object-format)" = sha256 &&
	git -C c256 fsck && git clone -q --bare s256 c256.git && git -C c256.git fsck
'

test_expect_success 'clone and init refuse unknown ref formats before they make anything' '
	for cmd in "clone src" "init -q"; do
		test_expect_code 128 git ${cmd%% *} --ref-format=x ${cmd#* } no 2>err &&
		test_grep "^fatal: unknown ref storage format .x.$" err && test ! -e no || return 1
	done &&
	for format in files reftable; do
		git clone -q --ref-format=$format src $format.cl && test "$(git -C $format.cl rev-parse --show-ref-format)" = $format &&
		git -C $format.cl rev-parse HEAD && git -C $format.cl fsck || return 1
	done
'

test_expect_success 'tables log the refs of a clone, files only those of HEAD and its branch' '
	for format in files reftable; do
		git clone -q --ref-format=$format src $format.log && git -C $format.log reflog list >$format.out &&
		git clone -q --bare --ref-format=$format src $format.log.git && git -C $format.log.git reflog list >out &&
		test_must_be_empty out || return 1
	done &&
	test_grep ! refs/remotes/origin/main files.out && test_grep refs/remotes/origin/main reftable.out &&
	git -C reftable.log reflog show --format="%gs" refs/remotes/origin/main >out && echo >expect && test_cmp expect out
'

# ---- repositories of this machine ------------------------------------------

test_expect_success 'files are linked, or copied where that is asked for' '
	f=$(cd src/.git/objects && find ?? -type f | head -n 1) &&
	test "$(stat -c %i src/.git/objects/$f)" = "$(stat -c %i full/.git/objects/$f)" &&
	git clone -q --no-hardlinks src copied && test_cmp_bin src/.git/objects/$f copied/.git/objects/$f &&
	test "$(stat -c %i src/.git/objects/$f)" != "$(stat -c %i copied/.git/objects/$f)" && git -C copied fsck --strict &&
	git clone -q --no-local src piped && ls piped/.git/objects/pack/*.pack
'

test_expect_success 'temporary files of the source are not copied' '
	cp -R src busy && touch busy/.git/objects/pack/tmp_pack_x busy/.git/objects/tmp_obj_x busy/.git/objects/x.lock &&
	mkdir busy/.git/objects/tmp_objdir-in-x && touch busy/.git/objects/tmp_objdir-in-x/y &&
	git clone -q busy quiet && find quiet/.git/objects -name "*tmp*" -o -name "*.lock" >out && test_must_be_empty out
'

test_expect_success 'symbolic links are refused' '
	for where in objects objects/pack objects/info/x objects/ab/cd; do
		rm -rf evil && cp -R src evil && mkdir -p evil/.git/$(dirname $where) &&
		rm -rf evil/.git/moved && { test ! -e evil/.git/$where || mv evil/.git/$where evil/.git/moved; } &&
		ln -s "$PWD/evil/.git/moved" evil/.git/$where && mkdir -p evil/.git/moved &&
		test_must_fail git clone evil victim 2>err && test_grep "symlink" err && test ! -e victim || return 1
	done
'

test_expect_success 'a repository of another owner is refused' '
	test_must_fail env GIT_TEST_ASSUME_DIFFERENT_OWNER=1 git clone src other 2>err &&
	test_grep "detected dubious ownership in repository at" err && test ! -e other
'

test_expect_success '--shared, --reference, --dissociate' '
	git clone -q -s src sh && echo "$PWD/src/.git/objects" >expect && test_cmp expect sh/.git/objects/info/alternates &&
	find sh/.git/objects -type f >out && test_line_count = 1 out &&
	git clone -q sh sh2 && test_cmp expect sh2/.git/objects/info/alternates && git -C sh2 fsck &&
	mkdir -p rel && cp -R sh/.git rel/x.git && echo ../../../src/.git/objects >rel/x.git/objects/info/alternates &&
	git clone -q --bare rel/x.git sh3 && test_cmp expect sh3/objects/info/alternates &&
	git clone -q --reference src "file://$PWD/src" ref1 && test_cmp expect ref1/.git/objects/info/alternates &&
	find ref1/.git/objects -type f >out && test_line_count = 1 out &&
	cp -R src newer && test_commit -C newer four &&
	git clone -q --reference src "file://$PWD/newer" ref2 && git -C ref2 fsck &&
	test "$(git -C ref2 count-objects -v | sed -n "s/in-pack: //p")" -lt 5 &&
	git clone -q --reference src --dissociate "file://$PWD/newer" ref3 && test ! -e ref3/.git/objects/info/alternates &&
	git -C ref3 fsck --strict && test_must_fail git clone --reference nothere src ref4 2>err &&
	test_grep "reference repository ${SQ}nothere${SQ} is not a local repository." err && test ! -e ref4 &&
	git clone --reference-if-able nothere src ref4 2>err && test_grep "info: Could not add alternate for ${SQ}nothere${SQ}" err
'

# ---- failures leave nothing --------------------------------------------------

test_expect_success 'existing files stay unchanged' '
	mkdir there && test_must_fail git clone -b nothere src there && ls -A there >out && test_must_be_empty out &&
	test_must_fail git clone "file://$PWD/nothere" there 2>/dev/null && ls -A there >out && test_must_be_empty out &&
	test_must_fail git clone -b nothere src a/b/c && test ! -e a && mkdir a && touch a/file &&
	test_must_fail git clone -b nothere src a/b/c && ls -A a >out && echo file >expect && test_cmp expect out &&
	test_must_fail git clone src a 2>err &&
	test_grep "destination path ${SQ}a${SQ} already exists and is not an empty directory." err && test -f a/file &&
	test_must_fail git clone --separate-git-dir=a src b 2>err && test_grep "repository path ${SQ}a${SQ} already exists" err &&
	test ! -e b && git clone -q src there && git -C there fsck
'

# cut BYTES [THEN]: an upload-pack whose answers end after so many bytes, when that perl has been run
cut () {
	cat >cut-upload-pack <<-EOF &&
	#!$(command -v perl)
	my \$left = $1;
	my \$pid = open(my \$from, "-|", "git", "upload-pack", @ARGV) or die;
	while (\$left and my \$n = sysread(\$from, my \$buf, \$left)) {
		syswrite(STDOUT, \$buf);
		\$left -= \$n;
	}
	${2-}
	kill TERM => \$pid;
	EOF
	chmod +x cut-upload-pack
}

test_expect_success 'a connection that is cut at any place' '
	for n in 0 3 50 300 500 600 700 800 1000 1200 1400; do
		cut $n && mkdir -p cutdir &&
		test_must_fail git clone -u "$PWD/cut-upload-pack" "file://$PWD/src" cutdir/x 2>err && test ! -e cutdir/x &&
		test_must_fail git clone --bare -u "$PWD/cut-upload-pack" "file://$PWD/src" cutdir 2>err &&
		ls -A cutdir >out && test_must_be_empty out || return 1
	done
'

# interrupt SIGNAL: a clone into killed/, in the middle of the pack
interrupt () {
	rm -f started
	perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' git clone -q -u "$PWD/cut-upload-pack" "file://$PWD/src" killed 2>err &
	pid=$!
	until test -e started; do kill -0 $pid && sleep 0.05 || return; done
	ls killed/.git/objects && kill -$1 $pid || return
	code=0
	wait $pid || code=$?
	test $code -gt 128
}

for sig in TERM HUP INT; do
	test_expect_success "SIG$sig in the middle" '
		cut 1200 "open(my \$f, q(>), q($PWD/started)); sleep 20;" && mkdir -p killed &&
		interrupt $sig && ls -A killed >out && test_must_be_empty out
	'
done

test_expect_success 'files that cannot be written: the repository stays' '
	write_script fail-filter <<-\EOF &&
	exit 1
	EOF
	cp -R src filtered && echo "two* filter=f" >filtered/.gitattributes && git -C filtered add .gitattributes &&
	git -C filtered commit -q -m attributes &&
	test_expect_code 128 git clone -c filter.f.smudge="$PWD/fail-filter" -c filter.f.required=true filtered cannot 2>err &&
	test_grep "warning: Clone succeeded, but checkout failed." err &&
	git -C cannot rev-parse -q --verify HEAD && git -C cannot fsck && test ! -e cannot/.git/index.lock
'

test_expect_success 'thin-pack is sent, since some servers require it' '
	for v in 0 2; do
		GIT_TRACE_PACKET=$PWD/trace git -c protocol.version=$v clone -q --bare "file://$PWD/src" thin$v.git &&
		test_grep "> .*thin-pack" trace && rm trace || return 1
	done
'

test_expect_success 'GIT_TRACE_PACKET: what goes both ways, and nothing of packs' '
	GIT_TRACE_PACKET=$PWD/trace git -c protocol.version=2 clone -q --bare "file://$PWD/src" traced.git &&
	sed "s/.* packet: *//" trace >lines && grep "^clone> " lines >sent && grep "^upload-pack< " lines | sed "s/^upload-pack</clone>/" >got &&
	test_cmp sent got && test_grep "^clone> command=fetch$" sent && test_grep "^clone> 0001$" sent &&
	test "$(grep -c "^sideband< PACK \.\.\.$" lines)" = 1 && ! grep -av "^[ -~]*$" lines && ! grep "< .1" lines && test_grep "^sideband< 0000$" lines &&
	GIT_TRACE_PACKET=$PWD/trace2 git -C src send-pack ../traced.git HEAD:refs/heads/sent && sed "s/.* packet: *//; s/[<>].*//" trace2 | sort -u >idents &&
	printf "%s\n" git receive-pack sideband >expect && test_cmp expect idents &&
	git -c protocol.version=0 clone -q --bare "file://$PWD/src" quiet.git 2>err && test_must_be_empty err
'

test_expect_success 'clone asks for branches, tags and HEAD, and for what the configuration wants' '
	asks () {
		rm -rf asked trace && GIT_TRACE_PACKET=$PWD/trace git clone -q "$@" "file://$PWD/src" asked &&
		sed -n "s/.*clone> ref-prefix //p" trace | sort | tr "\n" " " >actual
	} &&
	asks && echo "HEAD refs/heads/ refs/tags/ " >expect && tr -d "\n" <expect >want && test_cmp want actual &&
	asks --no-tags && printf "HEAD refs/heads/ " >want && test_cmp want actual &&
	asks -c "remote.origin.fetch=+refs/pull/*:refs/pull/*" && test_grep "refs/heads/ refs/pull/ refs/tags/" actual &&
	asks -c "remote.origin.fetch=+*:refs/x/*" && test_must_be_empty actual &&
	asks --mirror && test_grep "HEAD refs/ " actual
'

test_expect_success '--sparse: the files of the top directory; checkout and switch keep to it' '
	git init -q -b main sp && mkdir -p sp/d/e && echo 1 >sp/top && echo 2 >sp/d/f && echo 3 >sp/d/e/g && git -C sp add . && git -C sp commit -q -m one &&
	git clone -q --sparse sp spc && (cd spc && ls) >actual && echo top >expect && test_cmp expect actual && git -C spc ls-files -t >actual &&
	printf "%s\n" "S d/e/g" "S d/f" "H top" >expect && test_cmp expect actual && git -C spc status --porcelain >actual && test_must_be_empty actual &&
	printf "/*\n!/*/\n" >expect && test_cmp expect spc/.git/info/sparse-checkout && test "$(git -C spc config core.sparseCheckout)" = true &&
	test "$(git -C spc config extensions.worktreeConfig)" = true && test_must_fail git config -f spc/.git/config core.sparseCheckout &&
	echo 4 >sp/d/new && echo 5 >sp/top2 && git -C sp add . && git -C sp commit -q -m two && git -C spc fetch -q && git -C spc switch -q --detach origin/main &&
	(cd spc && ls) >actual && printf "%s\n" top top2 >expect && test_cmp expect actual &&
	git clone -q --sparse --no-checkout "file://$PWD/sp" spn && git -C spn checkout -q && (cd spn && ls) >actual && test_cmp expect actual &&
	git clone -q --sparse --template= sp spt && test -f spt/top && test ! -e spt/d &&
	test_must_fail git clone --sparse --bare sp no 2>err && test_grep "cannot be used together" err && test ! -e no
'

test_expect_success JOURNAL,STRACE,FSYNC_BATCH '--sparse costs one flush call' '
	on_journal js && n=$(count_flushes git clone -q --sparse "file://$PWD/sp" js/c) && test "$n" = 1
'

test_expect_success 'fetch.fsck.<msg-id>, fetch.fsck.skipList and transfer.fsckObjects count for a clone' '
	git init -q -b main odd && printf "tree %s\nauthor x <x> bad\ncommitter x <x> 0 +0000\n\nm\n" $EMPTY_TREE >commit && git -C odd hash-object -w -t tree /dev/null &&
	o=$(git -C odd hash-object -w -t commit --literally ../commit) && git -C odd update-ref refs/heads/main $o && echo $o >skip &&
	test_must_fail git -c transfer.fsckObjects=true clone -q "file://$PWD/odd" fs1 2>err && test_grep badDate err && test ! -e fs1 &&
	git -c transfer.fsckObjects=true -c fetch.fsckObjects=false clone -q "file://$PWD/odd" fs2 && git -c fetch.fsckObjects=true -c fetch.fsck.badDate=ignore clone -q "file://$PWD/odd" fs3 &&
	git -c fetch.fsckObjects=true -c fetch.fsck.skipList="$PWD/skip" clone -q "file://$PWD/odd" fs4 && git -c fetch.fsck.nonsense=warn clone -q "file://$PWD/odd" fs5 2>err && test_grep "unknown msg id" err
'

test_expect_success '--progress shows the files, too, if that takes longer than the delay' '
	GIT_PROGRESS_DELAY=0 git clone --progress src pr 2>err && tr "\r" "\n" <err | grep "^Updating files: 100%" &&
	GIT_PROGRESS_DELAY=60 git clone --progress src pr4 2>err && test_must_fail grep Updating err && git clone src pr2 2>err && test_must_fail grep Updating err &&
	GIT_PROGRESS_DELAY=0 git clone --progress --no-checkout src pr3 2>err && test_must_fail grep Updating err
'

test_done
