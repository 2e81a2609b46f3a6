#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git request-pull'
. "$(dirname "$0")/test-lib.sh"

export GIT_AUTHOR_DATE='1500000000 +0000' GIT_COMMITTER_DATE='1500000000 +0000'

test_expect_success 'a repository, and one to pull from' '
	git init -q -b main . && printf "%s\n" out err expect pub.git >.git/info/exclude && test_seq 5 >a && git add a && git commit -q -m base && git tag base &&
	git checkout -q -b topic && test_seq 9 >b && git add b && git commit -q -m "a new file" && git tag -a -m "about it

text" v1 && git tag light && git init -q -b main --bare pub.git && git push -q pub.git topic main v1 light && git remote add pub "$PWD/pub.git"
'

test_expect_success 'the text says where changes begin, where they are, and what they are' '
	git request-pull base pub.git topic >out && cat >expect <<-EOF &&
	The following changes since commit $(git rev-parse base):

	  base (2017-07-14 02:40:00 +0000)

	are available in the Git repository at:

	  pub.git topic

	for you to fetch changes up to $(git rev-parse topic):

	  a new file (2017-07-14 02:40:00 +0000)

	----------------------------------------------------------------
	$GIT_AUTHOR_NAME (1):
	      a new file

	 b | 9 +++++++++
	 1 file changed, 9 insertions(+)
	 create mode 100644 b
	EOF
	test_cmp expect out && git request-pull -p base pub.git topic >out && test_grep "^+9$" out && test_grep "^ create mode" out
'

test_expect_success 'a remote stands for its URL; HEAD is the end by default' '
	git request-pull base pub topic >out && test_grep "^  $PWD/pub.git topic$" out && git push -q pub.git +topic:main && git request-pull base pub.git >out && test_grep "^  pub.git $" out
'

test_expect_success 'a tag brings its message, a branch its description' '
	git request-pull base pub.git v1 >out && test_grep "^  pub.git tags/v1$" out && sed -n "/^-----/,/^$GIT_AUTHOR_NAME/p" out >got && rule=$(sed -n 1p got) &&
	printf "%s\nabout it\n\ntext\n\n%s\n%s (1):\n" "$rule" "$rule" "$GIT_AUTHOR_NAME" >expect && test_cmp expect got &&
	git request-pull base pub.git light >out && test_grep "^  pub.git tags/light$" out && test_grep ! "about it" out &&
	git config branch.topic.description "what it is" && git request-pull base pub.git topic >out && test_grep "^(from the branch description for topic local branch)$" out && test_grep "^what it is$" out
'

test_expect_success 'a warning and an exit code: the commit is not there, or not under that name' '
	git branch other topic && test_expect_code 1 git request-pull base pub.git other >out 2>err && test_grep "^  pub.git other$" out && test_grep "^warn: No match for commit $(git rev-parse topic) found at pub.git$" err &&
	test_grep "Are you sure you pushed .other. there" err && git request-pull base pub.git other:topic >out && test_grep "^  pub.git topic$" out &&
	git commit -q --allow-empty -m more && test_expect_code 1 git request-pull base pub.git topic >out 2>err && test_grep "No match for commit" err &&
	test_expect_code 1 git request-pull base pub.git v1:topic >out 2>err && test_grep "refs/tags/v1 found at pub.git but points to a different object" err
'

test_expect_success 'arguments that mean nothing' '
	test_expect_code 1 git request-pull base 2>err && test_grep "^usage: git request-pull" err &&
	test_expect_code 1 git request-pull nonsense pub.git topic 2>err && test_grep "Not a valid revision: nonsense" err &&
	test_expect_code 1 git request-pull base pub.git nonsense 2>err && test_grep "Not a valid revision: nonsense" err &&
	git tag topic base && test_expect_code 1 git request-pull base pub.git topic 2>err && test_grep "Ambiguous revision: topic" err && git tag -d topic &&
	git checkout -q --orphan alone && git commit -q -m alone && test_expect_code 1 git request-pull base pub.git 2>err && test_grep "No commits in common between base and refs/heads/alone" err
'

test_done
