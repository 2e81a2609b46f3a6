#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='remote helpers that push by themselves: gitremote-helpers(7)'
. "$(dirname "$0")/test-lib.sh"

# The names of refs tell the helper how to treat them.
write_script git-remote-own <<\EOT
url=$2 answer=
while read -r line; do
	echo "$line" >>"$HELPER_LOG"
	case "$line" in
	capabilities) printf "option\npush\n\n" ;;
	"option verbosity"*|"option dry-run"*) echo ok ;;
	option*) echo unsupported ;;
	list*) GIT_DIR=$url git for-each-ref --format="%(objectname) %(refname)"; echo ;;
	push*)
		spec=${line#push } force=
		case "$spec" in +*) force=+ spec=${spec#+} ;; esac
		dst=${spec#*:}
		case "$dst" in
		*/refuse) answer="$answer|error $dst because of it" ;;
		*/late) answer="$answer|error $dst fetch first" ;;
		*/silent) ;;
		*)	answer="$answer|ok $dst"
			git push -q "$url" "$force$spec" </dev/null 2>>"$HELPER_LOG.err" ;;
		esac ;;
	"")	test -n "$answer" || exit 0
		echo "${answer#|}" | tr "|" "\n"; echo
		answer= ;;
	esac
done
EOT
write_script git-remote-out <<\EOT
while read -r line; do case "$line" in capabilities) printf "export\n\n" ;; esac; done
EOT
write_script git-remote-none <<\EOT
while read -r line; do case "$line" in capabilities) printf "fetch\n\n" ;; esac; done
EOT
PATH=$PWD:$PATH
export PATH

test_expect_success 'repositories' '
	HELPER_LOG=$PWD/log && export HELPER_LOG && git init -q --bare s && git init -q -b main l && test_commit -C l one f && test_commit -C l two f &&
	git -C l config remote.origin.url "own::$PWD/s" && git -C l config remote.origin.fetch "+refs/heads/*:refs/remotes/origin/*"
'

test_expect_success 'create, update, force, delete; remote-tracking refs follow' '
	git -C l push -q origin main main~1:refs/heads/x main:gone && test "$(git -C s rev-parse main x)" = "$(git -C l rev-parse main main~1)" &&
	grep "^list for-push$" log && git -C l push -q origin main:x :gone && rm log && git -C l push -q origin +main~1:main && grep "^push +" log &&
	test "$(git -C l rev-parse origin/x origin/main)" = "$(git -C l rev-parse main main~1)" && test_must_fail git -C l rev-parse -q --verify origin/gone &&
	test_must_fail git -C s rev-parse -q --verify gone
'

test_expect_success 'push reports refs that the helper refuses or does not mention' '
	test_must_fail git -C l push origin main:refs/heads/refuse main:refs/heads/late main:refs/heads/silent main:refs/heads/fine 2>err &&
	grep "refuse (because of it)" err && grep "late (fetch first)" err && grep "silent (remote failed to report status)" err && grep "new branch.*fine" err &&
	git -C s rev-parse -q --verify fine
'

test_expect_success 'push refuses options that the helper does not support' '
	test_must_fail git -C l push -o x origin main:y 2>err && grep "does not support .push-option x." err &&
	test_must_fail git -C l push --atomic origin main:y 2>err && grep "does not support .atomic true." err &&
	test_must_fail git -C l push out::x main 2>err && grep "can only export" err &&
	test_must_fail git -C l push none::x main 2>err && grep "operation not supported" err
'

test_done
