#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='built-in drivers of the attribute diff: what hunks are in, what words are'
. "$(dirname "$0")/test-lib.sh"

# DRIVER, then lines "= what a hunk below the line has in its header", or "! line that names nothing"
names () {
	cat >lines && git init -q "h-$1" && echo "* diff=$1" >"h-$1/.gitattributes" && while IFS= read -r line
	do
		text=${line#? } && { printf "%s\n" "$text" && seq -f "~%g;" 4; } >"h-$1/f" && git -C "h-$1" add f && echo "~5;" >>"h-$1/f" &&
		git -C "h-$1" diff -U0 f >out && sed -n "s/^@@ -5,0 +6 @@ *//p" out >name && case $line in
		"= "*) printf "%s\n" "$text" | sed "s/^[ 	]*//" >want ;;
		"! "*) echo >want ;;
		esac && test_cmp want name || { echo "driver $1: $line"; return 1; }
	done <lines
}

# DRIVER OLD NEW WANTED
words () {
	echo "* diff=$1" >w/.gitattributes && printf "%s\n" "$2" >w/f && git -C w add f && printf "%s\n" "$3" >w/f && git -C w diff --word-diff f >out && tail -n 1 out >last && printf "%s\n" "$4" >want && test_cmp want last
}

test_expect_success 'cpp, objc, csharp, java, kotlin' '
	names cpp <<-\EOF && names objc <<-\EOF2 && names csharp <<-\EOF3 && names java <<-\EOF4 && names kotlin <<-\EOF5
	= int main(int argc, char **argv)
	= class Foo : public Bar {
	= Foo::~Foo()
	= ::foo::bar()
	! public:
	! label:
	!   int indented;
	! #define X 1
	EOF
	= - (void)foo:(int)x
	= @implementation Foo
	= int main(int argc)
	!     if (x) {
	!     [self foo];
	EOF2
	=     public void Method(int a)
	=     protected internal sealed override string ToString()
	= public class Bar : Baz
	= namespace Foo
	=     public int Prop
	!     return foo(x);
	!     using (var x = y)
	EOF3
	=     public void foo(int x) {
	=     public <T> List<T> foo(T x) throws Foo {
	= public class Foo {
	= non-sealed class X {
	!     int x = foo(3);
	!     while (x) {
	!     throw new X();
	EOF4
	=     fun foo(x: Int): Int {
	= data class Foo(val x: Int)
	!     val x = 3
	!     foo(x)
	EOF5
'

test_expect_success 'python, ruby, perl, php, bash, elixir' '
	names python <<-\EOF && names ruby <<-\EOF2 && names perl <<-\EOF3 && names php <<-\EOF4 && names bash <<-\EOF5 && names elixir <<-\EOF6
	= def foo(x):
	=     async def bar():
	= class Foo(Bar):
	!     return x
	! definition = 3
	EOF
	=   def self.bar(x)
	= module M
	!   attr_reader :x
	EOF2
	= sub foo {
	= package Foo;
	= =head1 NAME
	! sub foo;
	! =item x
	EOF3
	=     private static function bar($x)
	= abstract class A extends B
	= trait T {
	!     if ($x) {
	!     public $x;
	EOF4
	= foo() {
	= function foo {
	=   nested() {
	! foo
	! if foo; then
	EOF5
	=   def foo(x) do
	= defmodule Foo do
	!   if x do
	EOF6
'

test_expect_success 'rust, golang, ada, pascal, fortran, matlab, scheme, dts' '
	names rust <<-\EOF && names golang <<-\EOF2 && names ada <<-\EOF3 && names pascal <<-\EOF4 && names fortran <<-\EOF5 && names matlab <<-\EOF6 && names scheme <<-\EOF7 && names dts <<-\EOF8
	= pub fn foo(x: i32) -> i32 {
	= impl<T> Foo<T> for X {
	= macro_rules! foo {
	!     let x = 3;
	! mod m;
	EOF
	= func (t *T) Foo(x int) error {
	= type Foo struct {
	! type Baz int
	! var x = 1
	EOF2
	= procedure Foo is
	= PROCEDURE Upper IS
	= package body Stack is
	! package Int_IO is new Ada.Text_IO.Integer_IO (Integer);
	! procedure P renames Q;
	EOF3
	= procedure TFoo.Bar(x: Integer);
	=   TFoo = class(TBar)
	!   x := 3;
	EOF4
	=       subroutine bar(x)
	=       real(kind=8) function f(x)
	= SUBROUTINE Upper
	! C     comment function
	!       module procedure x
	!       call foo(x)
	EOF5
	= function y = foo(x)
	= %% cell
	! % comment
	EOF6
	= (define (foo x)
	=   (define (nested x)
	! ; (define foo
	EOF7
	= label: node@123 {
	= &ref {
	! 	prop = <1>;
	EOF8
'

test_expect_success 'markdown, html, css, tex, bibtex, fountain, ini' '
	names markdown <<-\EOF && names html <<-\EOF2 && names css <<-\EOF3 && names tex <<-\EOF4 && names fountain <<-\EOF5 && names ini <<-\EOF6 && names bibtex <<-\EOF7
	= ## Two
	! ####### Seven
	! #NoSpace
	! text # x
	EOF
	= <h2 class="x">Foo</h2>
	! <p>x</p>
	EOF2
	= .foo {
	= h1, h2
	!   color: red;
	EOF3
	= \subsubsection*{X}
	! text \section{X}
	EOF4
	= INT. HOUSE - DAY
	= .FORCED HEADING
	! Some action
	EOF5
	= [a "b"]
	! key = value
	EOF6
	= @article{aab
	!   title={Y}
	EOF7
'

test_expect_success 'words' '
	git init -q w && words cpp "a->b+=0x1F;" "a->c+=0x2F;" "a->[-b-]{+c+}+=[-0x1F-]{+0x2F+};" && words python "self.foo(x==1)" "self.bar(x!=1)" "self.[-foo-]{+bar+}(x[-==-]{+!=+}1)" &&
	words css "color: #fff;" "color: #eee;" "color: [-#fff-]{+#eee+};" && words tex "a \\foo{b}" "a \\bar{b}" "a [-\\foo-]{+\\bar+}{b}" &&
	words html "<p>one two" "<p>one six" "<p>one [-two-]{+six+}" && words rust "x..=y" "x..y" "x[-..=-]{+..+}y" && words ada "X := 1" "Y := 1" "[-X-]{+Y+} := 1" &&
	words php "f(\$ab)" "f(\$cd)" "f(\$[-ab-]{+cd+})" && words cpp "x(é);" "x(è);" "x([-é-]{+è+});"
'

test_expect_success 'a setting for such a driver replaces that part of it; other names have nothing' '
	echo "f diff=python" >w/.gitattributes && printf "%s\n" "def x" "sub y" 1 2 3 4 5 >w/f && git -C w add f && echo 6 >>w/f && git -C w diff -U0 >out && test_grep "@@ def x$" out &&
	test_config -C w diff.python.xfuncname "^sub (.*)$" && git -C w diff -U0 >out && test_grep "@@ y$" out && echo "f diff=nothing" >w/.gitattributes && git -C w diff -U0 >out && test_grep "@@ sub y$" out &&
	echo "f diff=ada" >w/.gitattributes && printf "%s\n" "PROCEDURE X" 1 2 3 4 5 >w/f && git -C w add f && echo 6 >>w/f && git -C w diff -U0 >out && test_grep "@@ PROCEDURE X" out &&
	test_config -C w diff.ada.xfuncname "^procedure" && git -C w diff -U0 >out && ! grep "@@ P" out
'

test_done
