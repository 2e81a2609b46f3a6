# SPDX-License-Identifier: GPL-2.0-only
# Tables of commands that join histories: t7656/run runs each line in a copy of the repository r.

GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@x GIT_COMMITTER_NAME=C GIT_COMMITTER_EMAIL=c@x
GIT_AUTHOR_DATE="1112912053 +0000" GIT_COMMITTER_DATE="1112912053 +0000" GIT_EDITOR=: GIT_MERGE_AUTOEDIT=no
export GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_DATE GIT_EDITOR GIT_MERGE_AUTOEDIT

# main and side change line 3 of f; new adds n, in two commits; joined is a merge of new; alone has no ancestor; void changes nothing
join_set_up () {
	git init -q -b main r && (
		cd r && printf "%s\n" 1 2 3 4 5 6 7 8 9 >f && echo a note >note && git add . && git commit -qm base && git tag base && git branch new && git branch side &&
		git branch void && git checkout -q --orphan alone && git rm -qf note && git commit -qm alone && git checkout -q side && sed s/3/side/ f >g && mv g f && git commit -qam side &&
		git checkout -q void && git commit -q --allow-empty -m void && git checkout -q new && echo n >n && git add n && git commit -qm "new file" -m "with a body" &&
		echo m >n && git commit -qam newer && git checkout -q -b joined base && git merge -q --no-ff -m joined new && git checkout -q main && sed s/3/main/ f >g && mv g f &&
		git commit -qam "main line"
	)
}

# DIRECTORY TABLE...: one test for each; the expected words are those of Git 2.55
join_tables () {
	T_TABLES=$TEST_DIRECTORY/$1 && shift
	test_expect_success 'set up' 'join_set_up'
	for t_table
	do
		test_expect_success "$t_table" "
			sh \"\$TEST_DIRECTORY/t7656/run\" r \"\$T_TABLES/$t_table\" >got && test_cmp \"\$T_TABLES/$t_table.expect\" got
		"
	done
}
