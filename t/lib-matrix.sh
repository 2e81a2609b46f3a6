# SPDX-License-Identifier: GPL-2.0-only
#
# For the scripts of serve-matrix, client-matrix and push-matrix.

# make_matrix_repo DIR ALGO: branches, tags and a merge
make_matrix_repo () {
	git init -q -b main --object-format="$2" "$1" && (
		cd "$1" && for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do
			mkdir -p d$i && test_seq $((i * 50)) >d$i/file && git add . && test_tick &&
			git commit -q -m "commit $i" && { test $i -lt 13 || git tag -a -m "tag $i" "v$i"; } || exit 1
		done &&
		side=$(git commit-tree -p HEAD~3 -m side HEAD~3^{tree}) && git branch side $side &&
		merge=$(git commit-tree -p HEAD -p side -m merge HEAD^{tree}) && git update-ref HEAD $merge
	)
}
