# SPDX-License-Identifier: GPL-2.0-only
#
# For the scripts of serve-matrix, client-matrix and push-matrix.

# matrix_transports WORD...: sets TRANSPORTS, those of the words that can be tried here, with commas; a prerequisite for each
matrix_transports () {
	local word list
	list=$(matrix --list | sed -n "s/^transports: //p" | tr -d " ")
	TRANSPORTS=
	for word; do
		case ",$list," in
		*",$word,"*) test_set_prereq MATRIX_$word && TRANSPORTS=$TRANSPORTS${TRANSPORTS:+,}$word ;;
		esac
	done
}

# matrix_cells TRANSPORT TABLE: how many cells of its lines are ok, and what others say. The transport is the last word of the
# second column.
matrix_cells () {
	awk -F "|" -v transport="$1" '{
		n = split($3, word, " ")
		if (NF < 6 || word[n] != transport)
			next
		for (i = 5; i < NF; i++)
			if ($i ~ /^ *ok *$/)
				ok++
			else
				print "not ok:" $i
	}
	END { print ok + 0 }' "$2"
}

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
