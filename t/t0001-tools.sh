#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='the checks of `make check` find the faults that they look for'
test_without_git=1
. "$(dirname "$0")/test-lib.sh"

TOOLS=$SOURCE_DIR/tools

# A small tree without faults; each test puts a fault into a copy of it.
fresh_tree () {
	rm -rf tree &&
	mkdir -p tree/compat tree/util tree/fs tree/pack tree/refs tree/builtin &&
	printf '#ifndef P\n#define P\n#include <stdio.h>\n#endif\n' \
		>tree/compat/posix.h &&
	printf '#ifndef E\n#define E\n#include "compat/posix.h"\nint e(FILE *f);\n#endif\n' \
		>tree/util/err.h &&
	printf '#include "compat/posix.h"\n' >tree/fs/lock.c &&
	printf '#include "compat/posix.h"\n#include "util/err.h"\n' \
		>tree/odb.c &&
	printf '#ifndef O\n#define O\n#include "util/err.h"\n#endif\n' >tree/odb.h &&
	printf '#ifndef I\n#define I\n#endif\n' >tree/pack/pack-internal.h &&
	printf '#include "compat/posix.h"\n#include "odb.h"\n' >tree/builtin/add.c
}

# caught TOOL WHERE: TOOL fails and names WHERE
caught () {
	test_must_fail "$TOOLS/$1" tree >out 2>err &&
	test_grep -F "$2" err
}

test_expect_success PERL 'a tree without faults passes' '
	fresh_tree &&
	"$TOOLS/check-layers" tree &&
	"$TOOLS/check-calls" tree
'

test_expect_success PERL 'layers: upward' '
	fresh_tree &&
	echo "#include \"odb.h\"" >>tree/fs/lock.c &&
	caught check-layers "fs/lock.c:2: fs includes" &&
	test_grep upward err
'

test_expect_success PERL 'layers: to the right within a layer' '
	fresh_tree &&
	printf "#include \"compat/posix.h\"\n\n#include \"odb.h\"\n" >tree/pack/read.c &&
	caught check-layers "pack/read.c:3: pack includes" &&
	test_grep "to the right" err
'

test_expect_success PERL 'layers: between groups beside each other' '
	fresh_tree &&
	printf "#include \"compat/posix.h\"\n#include \"odb.h\"\n" >tree/refs/files.c &&
	caught check-layers "refs/files.c:2: refs includes" &&
	test_grep beside err
'

test_expect_success PERL 'layers: a circle of files' '
	fresh_tree &&
	printf "#include \"util/b.h\"\n" >tree/util/a.h &&
	printf "#include \"util/c.h\"\n" >tree/util/b.h &&
	printf "#include \"util/a.h\"\n" >tree/util/c.h &&
	caught check-layers "util/c.h:1: a circle: util/a.h -> util/b.h -> util/c.h"
'

test_expect_success PERL 'layers: internal headers, roots, first includes, places' '
	fresh_tree &&
	echo "#include \"pack/pack-internal.h\"" >>tree/builtin/add.c &&
	echo "#include \"lock.h\"" >>tree/fs/lock.c &&
	echo "#include <stdio.h>" >tree/util/late.c &&
	: >tree/stray.c &&
	caught check-layers "builtin/add.c:3: " &&
	test_grep "stays in its folder" err &&
	test_grep "^fs/lock.c:2: no such file from the root" err &&
	test_grep "^util/late.c:1: the first include" err &&
	test_grep "^stray.c:1: in no layer" err
'

test_expect_success PERL 'layers: folders with too many files' '
	fresh_tree &&
	for i in $(test_seq 70); do : >tree/util/file$i.h && : >tree/fsck$i.h || return 1; done &&
	caught check-layers "util: 71 source files; at most 60" &&
	test_grep "^the root: 72 source files; at most 25" err
'

test_expect_success PERL 'layers: the headers of a backend, outside of the place that chooses it' '
	fresh_tree && mkdir -p tree/refs/files tree/repo && echo "#define FILES" >tree/refs/files/files.h &&
	for file in refs/files/files.c repo/ref-storage.c; do
		printf "%s\n" "#include \"compat/posix.h\"" "#include \"refs/files/files.h\"" >tree/$file || return 1
	done &&
	"$TOOLS/check-layers" tree && cp tree/repo/ref-storage.c tree/repo/setup.c &&
	caught check-layers "repo/setup.c:2: " && test_grep "only repo/ref-storage.c chooses it" err
'

# source FILE LINE...: a source file of these lines
source_file () {
	file=$1 && shift &&
	printf "#include \"compat/posix.h\"\n" >tree/$file && printf "%s\n" "$@" >>tree/$file
}

test_expect_success PERL 'layers: a call upward, to the right, into a group beside' '
	fresh_tree &&
	source_file odb.c "int odb_read(void)" "{" "}" &&
	source_file refs/files.c "int ref_read(void)" "{" "}" &&
	source_file util/low.c "void low(void)" "{" "	odb_read();" "}" &&
	source_file pack/read.c "void r(void)" "{" "	if (x)" "		return (odb_read)();" "}" &&
	source_file pack/refs.c "static const fn fns[] = { ref_read };" &&
	caught check-layers "util/low.c:4: util calls odb_read() of " &&
	test_grep "^util/low.c:4: .* of .odb.c.: upward" err &&
	test_grep "^pack/read.c:5: pack calls odb_read() of .odb.c.: to the right" err &&
	test_grep "^pack/refs.c:2: pack calls ref_read() of .refs/files.c.: into a group" err &&
	test_grep "^check-layers: 3 faults" err
'

test_expect_success PERL 'layers: a circle of calls in a folder' '
	fresh_tree &&
	source_file util/a.c "int a(void)" "{" "	return b();" "}" &&
	source_file util/b.c "int b(void)" "{" "	return sort(c);" "}" &&
	source_file util/c.c "int c(void)" "{" "	return VIA_MACRO(1);" "}" &&
	echo "#define VIA_MACRO(x) \\" >>tree/util/err.h && echo "	a()" >>tree/util/err.h &&
	source_file util/outside.c "int outside(void)" "{" "	return a();" "}" &&
	sed -i "1a#include \"util/err.h\"" tree/util/c.c &&
	caught check-layers "a circle of calls: util/a.c util/b.c util/c.c" &&
	test_grep "^  util/a.c:4: b() of util/b.c" err &&
	test_grep "^  util/b.c:4: c() of util/c.c" err &&
	test_grep "^  util/c.c:5: a() of util/a.c" err &&
	test_grep "^check-layers: 1 faults" err
'

test_expect_success PERL 'layers: variables and members with the name of a function are not calls' '
	fresh_tree &&
	source_file odb.c "int odb_read(void)" "{" "}" &&
	source_file util/low.c "struct odb_read {" "	int x, odb_read;" "};" \
		"/* odb_read() */" "static int own(int odb_read)" "{" \
		"	p->odb_read(\"odb_read()\", v.odb_read);" "	return odb_read;" "}" &&
	source_file util/own.c "static int odb_read(void)" "{" "}" "int o(void)" "{" \
		"	return odb_read();" "}" &&
	"$TOOLS/check-layers" tree
'

test_expect_success PERL 'layers: a function that no command reaches' '
	fresh_tree &&
	cat >tree/util/list.h <<-\EOF &&
	#ifndef L
	#define L
	#include "util/err.h"
	int by_call(void);
	int by_table(void);
	int by_macro(void);
	int by_nobody(void);
	int by_unused(void);
	#define USE_MACRO(x) ((x) + by_macro())
	#endif
	EOF
	printf "#include \"compat/posix.h\"\n#include \"util/list.h\"\n" >tree/util/list.c &&
	for f in call table macro unused
	do
		printf "int by_$f(void)\n{\n\treturn 1;\n}\n" >>tree/util/list.c || return 1
	done &&
	printf "int by_nobody(void)\n{\n\tint by_call = 0;\n\n\treturn by_unused() + by_call;\n}\n" >>tree/util/list.c &&
	cat >tree/builtin/add.c <<-\EOF &&
	#include "compat/posix.h"
	#include "util/list.h"
	static const struct {
		int (*run)(void);
	} table[] = {
		{ by_table },
	};
	int cmd_add(void)
	{
		return USE_MACRO(table[0].run()) + by_call();
	}
	EOF
	"$TOOLS/check-layers" tree &&
	printf "#include \"compat/posix.h\"\nint main(void)\n{\n\treturn cmd_add();\n}\n" >tree/git.c &&
	caught check-layers "util/list.c:19: no command reaches by_nobody()" &&
	test_grep "no command reaches by_unused()" err &&
	test_grep "2 faults" err
'

test_expect_success PERL 'calls: each kind is found, with its line' '
	fresh_tree &&
	cat >tree/odb.c <<-\EOF &&
	#include "compat/posix.h"
	void f(void)
	{
		rename("a", "b");
		if (fsync(3) < 0 || (unlink)("x"))
			mkdir("d", 0777);
		open("f", O_WRONLY |
			O_CREAT, 0666);
		fopen("f", "w");
		fopen("f", mode);
		x = open(p, flags);
	}
	EOF
	caught check-calls "odb.c:4: direct call of rename()" &&
	test_grep "^odb.c:5: direct call of fsync()" err &&
	test_grep "^odb.c:6: direct call of mkdir()" err &&
	test_grep "^odb.c:7: direct call of open()" err &&
	test_grep "^odb.c:9: direct call of fopen()" err &&
	test_grep "^odb.c:10: direct call of fopen()" err &&
	test_grep "^odb.c:11: direct call of open()" err &&
	test_grep "7 faults" err
'

test_expect_success PERL 'calls: a command leaves staging and committing to its operation' '
	fresh_tree && mkdir -p tree/builtin &&
	cat >tree/builtin/x.c <<-\EOF &&
	#include "compat/posix.h"
	void f(void)
	{
		repo_operation_commit(op, err); /* never fsync_batch_commit(b, err) */
		odb_stage_batch(odb, err);
		fsync_batch_publish(repo_operation_batch(op), err);
		ref_transaction_prepare(t, b, err);
	}
	EOF
	caught check-calls "builtin/x.c:5: odb_stage_batch() is for the operation to call" &&
	test_grep "^builtin/x.c:6: fsync_batch_publish()" err &&
	test_grep "^builtin/x.c:7: ref_transaction_prepare()" err &&
	test_grep "3 faults" err
'

test_expect_success PERL 'calls: a commit that is composed outside of commit/ is caught' '
	fresh_tree &&
	mkdir -p tree/commit tree/builtin &&
	printf "int f(void)\n{\n\treturn commit_compose(out, d, err);\n}\n" >tree/commit/create.c &&
	"$TOOLS/check-calls" tree &&
	cp tree/commit/create.c tree/builtin/x.c &&
	caught check-calls "builtin/x.c:3: commit_create() alone makes commits"
'

test_expect_success PERL 'calls: the packs of a store, and names of state files, outside of their place' '
	fresh_tree &&
	mkdir tree/odb tree/maintain tree/repo &&
	printf "int f(void)\n{\n\treturn odb_local_packs(odb, 0);\n}\n" >tree/odb/upkeep.c &&
	printf "#define NAME \"rebase-merge/done\"\n" >tree/repo/state.h &&
	printf "int f(void)\n{\n\treturn err_set(err, 1, \"MERGE_HEAD exists\");\n}\n" >tree/maintain/text.c &&
	"$TOOLS/check-calls" tree &&
	cp tree/odb/upkeep.c tree/maintain/x.c && cp tree/repo/state.h tree/maintain/y.h &&
	printf "const char *n = \"MERGE_HEAD\";\n" >tree/maintain/z.c &&
	caught check-calls "maintain/x.c:3: the packs of a store are for odb/ and pack/" &&
	test_grep "maintain/y.h:1: refs/root-refs.h and repo/state.h alone name .rebase-merge/done" err &&
	test_grep "maintain/z.c:1: refs/root-refs.h and repo/state.h alone name .MERGE_HEAD" err &&
	test_grep "3 faults" err
'

test_expect_success PERL 'calls: reading, calls through the table, comments and names are allowed' '
	fresh_tree &&
	cat >tree/odb.c <<-\EOF &&
	#include "compat/posix.h"
	/* never call rename(a, b) here, nor unlink(p) */
	int (*fsync)(int fd); // fsync(3)
	void f(void)
	{
		sys->rename("a", "b");
		table.unlink("x");
		open("f", O_RDONLY | O_CLOEXEC);
		fopen("f", "r");
		do_unlink("f");
		err_set(err, "cannot fsync(2) it");
		mkdir("d", 0777); /* check-calls: a reason */
	}
	EOF
	"$TOOLS/check-calls" tree
'

test_expect_success 'headers: one that needs another is caught' '
	fresh_tree &&
	(cd tree && "$TOOLS/check-headers" build) &&
	echo "struct strbuf; size_t f(struct strbuf *sb, bool b);" >tree/util/needy.h &&
	(cd tree && test_must_fail "$TOOLS/check-headers" build) >out 2>err &&
	test_grep "util/needy.h:1: does not compile alone" err
'

test_expect_success 'shell: a syntax error and a missing licence are caught' '
	rm -rf tree &&
	mkdir -p tree/t &&
	printf "#!/bin/sh\n# SPDX-License-Identifier: GPL-2.0-only\ntrue\n" \
		>tree/t/good.sh &&
	"$TOOLS/check-shell" tree &&
	printf "#!/bin/sh\n# SPDX-License-Identifier: GPL-2.0-only\nif true\n" \
		>tree/t/bad.sh &&
	echo "int x;" >tree/x.c &&
	caught check-shell "t/bad.sh:1: sh cannot parse it" &&
	test_grep "^x.c:1: no SPDX" err
'

test_expect_success PERL 'words: patterns are found in comments, messages, documents and titles' '
	rm -rf tree &&
	mkdir -p tree/util tree/t tree/Documentation &&
	cat >tree/util/a.c <<-\EOF &&
	/* Reads the file. With nothing to read
	 * it returns what
	 * is there. */
	static int add_item(int x)
	{
		return err_set("nobody knows /* what is */ it", x); // Those that follow
	}
	EOF
	cat >tree/util/b.c <<-\EOF &&
	/* Adds one number. */
	static void add_item(void)
	{
		f("ok");
	}
	EOF
	printf "%s\n" "test_expect_success '\''what is there'\'' true" "test_expect_success A,B2 '\''what it prints'\'' true" \
		"# an error is told" >tree/t/a.sh &&
	printf "%0101d\nSomebody\nkey:: Whether\nkey::\nHow long\nThe user is told.\n" 0 >tree/Documentation/x.adoc &&
	test_must_fail "$TOOLS/check-words" --limit 0 --list tree >out 2>err &&
	test_grep "^util/a.c:1: a sentence begins with" out &&
	test_grep "^util/a.c:2: what is/was" out &&
	test_grep "^util/a.c:6: those that" out &&
	test_grep "^util/a.c:6: words like these in messages" out &&
	test_grep "^t/a.sh:1: words like these in titles" out &&
	test_grep "^t/a.sh:1: titles that begin with what" out &&
	test_grep "^t/a.sh:2: titles that begin with what" out &&
	test_grep "^t/a.sh:3: is told" out &&
	test_grep "^Documentation/x.adoc:3: definitions that begin with How" out &&
	test_grep "^Documentation/x.adoc:4: definitions that begin with How" out &&
	test_grep "^Documentation/x.adoc:6: is told" out &&
	test_grep "^Documentation/x.adoc:2: words like these in documents" out &&
	test_grep "^Documentation/x.adoc:1: longer than 100" out &&
	test_grep "^util/b.c:2: another file of util/ has a static .add_item." out &&
	test_grep "1 times: what is/was; at most 0" err &&
	test_grep "2 times: static names" err &&
	"$TOOLS/check-words" --limit 2 tree
'

# a_commit SUBJECT BODY LINES: as the format of check-words has it.
a_commit () {
	printf '\001%s\002%s\002%s\002\n\n%d\t0\tf\n' 1234567890abcdef "$1" "$2" "$3" >>log
}

test_expect_success PERL 'words: subjects and bodies of commits' '
	rm -rf tree && mkdir -p tree/.git bin && >log &&
	a_commit "f: add twenty numbers" "They are needed." 20 &&
	a_commit "f: feed more numbers" "" 10 &&
	write_script bin/git <<-EOF &&
	test "\$1" != log || cat "$PWD/log"
	EOF
	PATH="$PWD/bin:$PATH" "$TOOLS/check-words" --limit 0 --commits HEAD tree >out &&
	test_grep "2 commits" out &&
	a_commit "f: added a file" "" 1 &&
	a_commit "no area" "" 1 &&
	a_commit "f: $(printf %080d 1)" "" 1 &&
	a_commit "f: add eleven" "" 11 &&
	a_commit "f: end with a full stop." "" 1 &&
	(PATH="$PWD/bin:$PATH" && test_must_fail "$TOOLS/check-words" --limit 0 --commits HEAD tree) 2>err &&
	test_grep "is not imperative: f: added a file" err &&
	test_grep "names no area: no area" err &&
	test_grep "more than 72 characters: f: 0" err &&
	test_grep "11 lines change, and no body gives the reason: f: add eleven" err &&
	test_grep "ends with a full stop: f: end" err &&
	test_grep "5 faults" err
'

test_done
