# SPDX-License-Identifier: GPL-2.0-only
# For scripts about packs that we make: a history whose objects make deltas, and checks of packs.

# lines SEED NR: text of which little changes with the seed
lines () {
	awk -v seed="$1" -v nr="$2" 'BEGIN { for (i = 1; i <= nr; i++)
		print "line", i, (i * 7919 + (i % 29 == seed % 29 ? seed : 0)) % 104729, "of a file that changes a little" }'
}

# make_history DIR NR: so many commits, two tags; loose objects
make_history () {
	git init -q "$1" && (
		cd "$1" && mkdir -p dir/sub &&
		for n in $(seq "$2"); do
			lines $n 200 >text && lines $((n / 3)) 80 >dir/sub/text.c &&
			lines $((n + 1000)) 40 >"dir/file $((n % 7))" && echo $n >small &&
			git add . && test_tick && git commit -q -m "commit $n" || exit 1
		done &&
		git tag -a -m one one HEAD~3 && git tag -a -m two two
	)
}

# all_of REPO: all objects with their contents
all_of () {
	git -C "$1" cat-file --batch-all-objects --batch
}

# repo_of PREFIX DIR: a repository that has the packs PREFIX* and nothing else
repo_of () {
	rm -rf "$2" && git init -q "$2" && cp "$1"*.pack "$1"*.idx "$2/.git/objects/pack/"
}

# chain_depth REPO: the longest chain of deltas
chain_depth () {
	git -C "$1" cat-file --batch-all-objects "--batch-check=%(objectname) %(deltabase)" |
	awk '{ base[$1] = $2 } END { for (o in base) { n = 0
		for (b = base[o]; b in base; b = base[b]) n++
		if (n > max) max = n } print max + 0 }'
}

# pack_count FILE: how many objects its header claims
pack_count () {
	od -An -tu1 -j8 -N4 "$1" | awk '{ print (($1 * 256 + $2) * 256 + $3) * 256 + $4 }'
}
