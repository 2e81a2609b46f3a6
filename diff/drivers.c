/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The built-in drivers of the attribute "diff": which lines name the part of a file that follows
 * them, and the form of words. Each list begins with negative patterns ("!"): the first pattern that
 * matches a line decides. If it has a group, the group is shown.
 */
#include "compat/posix.h"
#include "diff/drivers.h"

/* Behind the words of each language: any other character, of one byte or of several. */
#define OTHER "|[^[:space:]]|[\xc0-\xff][\x80-\xbf]+"

#define NAME "[A-Za-z_][A-Za-z0-9_]*"
#define GAP "[ \t]+"
#define MAYBE "[ \t]*"
/* Numbers as the languages of C's family write them. */
#define HEX_NUMBER "0[xXbB][0-9a-fA-F]+[lLuU]*"
#define NUMBER "[0-9][0-9.]*([eE][-+]?[0-9]+)?[fFlLuU]*"
#define FRACTION "\\.[0-9]+([eE][-+]?[0-9]+)?[a-zA-Z]?"

static const struct builtin_driver drivers[] = {
	{ "ada", true,
	  "!([ \t]is" GAP "new|[ \t]renames)([ \t;(]|$)\n"
	  "!^" MAYBE "with" GAP "[^;]*;\n"
	  "^" MAYBE "((overriding" GAP "|not overriding" GAP ")?(procedure|function)[ \t].*)$\n"
	  "^" MAYBE "((package|protected|task)[ \t].*)$",
	  NAME "|[0-9][0-9_#a-f.]*(e[-+]?[0-9]+)?|=>|\\.\\.|\\*\\*|:=|/=|>=|<=|<<|>>|<>" OTHER },
	{ "bash", false,
	  "^" MAYBE "((" NAME MAYBE "\\(" MAYBE "\\)|function" GAP NAME "(" MAYBE "\\(" MAYBE
	  "\\))?)" MAYBE "(([{(]|\\[\\[).*)?)$",
	  "\\$?[A-Za-z0-9_]+(-[A-Za-z0-9_]+)*|--?[a-zA-Z0-9]+|\\$[{]|%%|##|//|&&|\\|\\||;;&?|;&|<<<|<<-?|>>|[<>]&|"
	  "[<>=]=|!=|=~|[-+*/%]=" OTHER },
	{ "bibtex", false,
	  "^" MAYBE "(@[A-Za-z]+" MAYBE "[{]?" MAYBE "[^ \t\"@',\\#}{~%]*)",
	  "[={}\"]|[^={}\" \t]+" OTHER },
	{ "cpp", false,
	  "!^" NAME ":[[:space:]]*($|/[/*])\n"
	  "^((::" MAYBE ")?[A-Za-z_].*)$",
	  NAME "|" HEX_NUMBER "|" NUMBER "|" FRACTION
	  "|[-+*/%&|^!=<>]=|--|\\+\\+|<<=?|>>=?|&&|\\|\\||::|->\\*?|\\.\\*|<=>" OTHER },
	{ "csharp", false,
	  "!(^|[ \t])(do|while|for|foreach|if|else|new|return|switch|case|throw|catch|using|lock|"
	  "await)([ \t(]|$)\n"
	  "!;[ \t]*$\n"
	  "^" MAYBE "((" NAME GAP ")*(class|enum|interface|struct|record)" GAP ".*)$\n"
	  "^" MAYBE "(namespace" GAP ".*)$\n"
	  "^" MAYBE "([][A-Za-z_0-9<>.,@?]+" GAP "[][A-Za-z_0-9<>.,@? \t]*[A-Za-z_0-9>]" MAYBE
	  "\\([^;]*)$\n"
	  "^" MAYBE "((" NAME GAP ")+[A-Za-z_0-9<>.@?]+)$",
	  NAME "|" HEX_NUMBER "|" NUMBER "|" FRACTION
	  "|[-+*/%&|^!=<>]=|--|\\+\\+|<<=?|>>=?|&&|\\|\\||::|->|=>|\\?\\?" OTHER },
	{ "css", true,
	  "![:;][[:space:]]*$\n"
	  "^[[@.#:_a-z0-9].*$",
	  "-?[_a-z][-_a-z0-9]*|-?[0-9]+(\\.[0-9]+)?[a-z%]*|#[0-9a-f]+" OTHER },
	{ "dts", false,
	  "!;\n!=\n"
	  "^" MAYBE "((/[ \t]*[{]|&?[A-Za-z_].*[{]).*|" NAME ":" MAYBE ")$",
	  "[a-zA-Z0-9,._+?#-]+|[0-9a-fA-FxX]+|[-+*/%&^|!~<>=]=|<<|>>|&&|\\|\\|" OTHER },
	{ "elixir", false,
	  "^" MAYBE "((def(macro|module|impl|protocol|p)?|test)[ \t].*)$",
	  "[@:]?[a-zA-Z0-9@_?!]+|[0-9][0-9_]*(\\.[0-9_]+)?|\\|>|<>|->|<-|=>|[!=]==?|<=|>=|&&&?|"
	  "\\|\\|\\|?|\\+\\+|--|\\.\\.|=~|::|\\\\\\\\" OTHER },
	{ "fortran", true,
	  "!^([c*]|" MAYBE "!)\n"
	  "!^" MAYBE "module" GAP "procedure[ \t]\n"
	  "^" MAYBE "((end" GAP ")?(program|module|block" GAP "data|"
	  "([^!'\" \t]+" GAP ")*(subroutine|function))" GAP NAME ".*)$",
	  NAME "|\\.[a-z]+\\.|[0-9]+(\\.[0-9]*)?([ed][-+]?[0-9]+)?|\\.[0-9]+([ed][-+]?[0-9]+)?|"
	  "\\*\\*|::|//|[/<>=]=|=>" OTHER },
	{ "fountain", true,
	  "^((\\.[^.]|(int|ext|est|int\\.?/ext|i/e)[. ]).*)$",
	  "[^ \t-]+" OTHER },
	{ "golang", false,
	  "^" MAYBE "(func" MAYBE ".*([{]" MAYBE ")?)$\n"
	  "^" MAYBE "(type[ \t].*(struct|interface)" MAYBE "[{]?)",
	  NAME "|" HEX_NUMBER "|" NUMBER "|" FRACTION
	  "|[-+*/%&|^!=<>:]=|--|\\+\\+|<<=?|>>=?|&\\^=?|&&|\\|\\||<-|\\.\\.\\." OTHER },
	{ "html", false,
	  "^[ \t]*(<[Hh][1-6]([ \t].*)?>.*)$",
	  "[^<>= \t]+" OTHER },
	{ "ini", false,
	  "^" MAYBE "(\\[[^]]+\\])",
	  NULL },
	{ "java", false,
	  "!^" MAYBE "(catch|do|else|for|if|import|instanceof|new|package|return|switch|synchronized|"
	  "throw|while)([ \t(;]|$)\n"
	  "^" MAYBE "((" NAME "(-" NAME ")?" GAP ")*(class|enum|interface|record)" GAP ".*)$\n"
	  "^" MAYBE "(([A-Za-z_<>&][][?&<>.,A-Za-z_0-9]*" GAP ")+" NAME MAYBE "\\([^;]*)$",
	  NAME "|" HEX_NUMBER "|" NUMBER "|" FRACTION
	  "|[-+*/%&|^!=<>]=|--|\\+\\+|<<=?|>>>?=?|&&|\\|\\|" OTHER },
	{ "kotlin", false,
	  "^" MAYBE "(([a-z]+" GAP ")*(fun|class|interface)[ \t].*)$",
	  NAME "|" HEX_NUMBER "|" NUMBER "|" FRACTION
	  "|[-+*/%!=<>]=|[!=]==|--|\\+\\+|&&|\\|\\||->|\\.\\.<?|\\?[.:]|!!|::" OTHER },
	{ "markdown", false,
	  "^ {0,3}(#{1,6}[ \t].*)$",
	  "[^<>= \t]+" OTHER },
	{ "matlab", false,
	  "^" MAYBE "((classdef|function)[ \t].*)$\n"
	  "^((%%%?|##)[ \t].*)$",
	  NAME "|[0-9]+(\\.[0-9]*)?([eE][-+]?[0-9]+)?|\\.[0-9]+([eE][-+]?[0-9]+)?|\\.[*/\\^']|"
	  "[~=<>]=|&&|\\|\\|" OTHER },
	{ "objc", false,
	  "!^" MAYBE "(do|for|if|else|return|switch|while)([ \t(]|$)\n"
	  "^" MAYBE "([-+]" MAYBE "\\(.*)$\n"
	  "^" MAYBE "(([A-Za-z_][A-Za-z_0-9]*" GAP "[*]?)+[A-Za-z_][A-Za-z_0-9]*" MAYBE "\\([^;]*)$\n"
	  "^(@(implementation|interface|protocol)[ \t].*)$",
	  NAME "|" HEX_NUMBER "|" NUMBER "|" FRACTION
	  "|[-+*/%&|^!=<>]=|--|\\+\\+|<<=?|>>=?|&&|\\|\\||::|->" OTHER },
	{ "pascal", false,
	  "^(((class[ \t]+)?(procedure|function)|constructor|destructor|interface|implementation|"
	  "initialization|finalization)[ \t]*.*)$\n"
	  "^(.*=[ \t]*(class|record).*)$",
	  NAME "|[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]+)?|\\$[0-9a-fA-F]+|<>|<=|>=|:=|\\.\\." OTHER },
	{ "perl", false,
	  "^(package[ \t].*)$\n"
	  "^(sub" GAP "[A-Za-z_0-9:']+" "(" MAYBE "\\([^()]*\\))?(" MAYBE ":[^;{#]*)?" MAYBE "([{]" MAYBE "|#.*)?)$\n"
	  "^(BEGIN|END|INIT|CHECK|UNITCHECK|AUTOLOAD|DESTROY)" MAYBE "([{]" MAYBE "|#.*)?$\n"
	  "^(=head[0-9][ \t].*)$",
	  "[A-Za-z_\x80-\xff]([A-Za-z0-9_\x80-\xff]|::)*|" HEX_NUMBER
	  "|[0-9][0-9_]*(\\.[0-9_]+)?([eE][-+]?[0-9]+)?"
	  "|=~|!~|<=>|=>|->|\\*\\*=?|\\.\\.\\.?|[-+*/%&|^!=<>.x]=|--|\\+\\+|<<=?|>>=?|&&=?|\\|\\|=?|"
	  "//=?|::" OTHER },
	{ "php", false,
	  "^" MAYBE "(((public|protected|private|static|abstract|final)" GAP ")*function([ \t&].*)?)$\n"
	  "^" MAYBE "(((final|abstract|readonly)" GAP ")*class[ \t].*)$\n"
	  "^" MAYBE "((enum|interface|trait)[ \t].*)$",
	  NAME "|" HEX_NUMBER "|" NUMBER "|" FRACTION
	  "|[-+*/%&|^!=<>.]=|[!=]==|--|\\+\\+|<<=?|>>=?|&&|\\|\\||::|->|=>" OTHER },
	{ "python", false,
	  "^" MAYBE "((class|(async" GAP ")?def)[ \t].*)$",
	  NAME "|" HEX_NUMBER "|" NUMBER "|" FRACTION
	  "|[-+*/%&|^!=<>@:]=|//=?|<<=?|>>=?|\\*\\*=?|->" OTHER },
	{ "ruby", false,
	  "^" MAYBE "((class|module|def)[ \t].*)$",
	  "([$]|@@?)?" NAME "|" HEX_NUMBER "|" NUMBER "|" FRACTION
	  "|\\?.|[-+*/%&|^!=<>]=|===|<=>|=~|!~|=>|<<=?|>>=?|&&=?|\\|\\|=?|\\*\\*=?|\\.\\.\\.?|::"
	  OTHER },
	{ "rust", false,
	  "^" MAYBE "((pub(\\([^)]+\\))?" GAP ")?((async|const|default|unsafe|extern(" GAP "\"[^\"]+\")?)" GAP
	  ")*(fn|struct|enum|union|mod|trait|impl|macro_rules!)[< \t]+[^;]*)$",
	  NAME "|[0-9][0-9A-Za-z_]*(\\.[0-9][0-9A-Za-z_]*)?([eE][-+]?[0-9_]+)?"
	  "|[-+*/%&|^!=<>]=|<<=?|>>=?|&&|\\|\\||->|=>|::|\\.\\.[.=]?" OTHER },
	{ "scheme", false,
	  "^(\\([^ \t].*)$\n"
	  "^" MAYBE "(\\((def|struct|class|module|library|unit|package)[^ \t]*[ \t].*)$",
	  "\\|[^|]*\\||[^][(){}[:space:]]+" OTHER },
	{ "tex", false,
	  "^(\\\\((sub)*section|chapter|part)[*]?[{].*)$",
	  "\\\\([a-zA-Z@]+|.)|[a-zA-Z0-9\x80-\xff]+" OTHER },
};

const struct builtin_driver *diff_builtin_driver(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(drivers); i++)
		if (!strcmp(name, drivers[i].name))
			return &drivers[i];
	return NULL;
}
