# SPDX-License-Identifier: GPL-2.0-only
# A partial clone, made without a client: what a promisor remote has sent is put into ./r.

# partial_source: a history of four commits with a tag in ./source, and its objects but for blobs in ./sent
partial_source () {
	git init -q -b main source && (
		cd source && for i in 1 2 3 4; do
			mkdir -p d && echo "$i" >"f$i" && echo "$i" >d/same && seq 1 $((i * 60)) >list && git add . &&
			git commit -q -m "$i" || exit
		done && git tag -a -m t v1
	) && git -C source pack-objects --all --filter=blob:none --stdout -q </dev/null >sent
}

# partial_clone: what the remote has sent, in ./r, in one pack; its refs; no remote that could be asked
partial_clone () {
	rm -rf r && git init -q -b main r && git -C r config gc.auto 0 && git -C r config core.repositoryFormatVersion 1 &&
	git -C r config extensions.partialClone origin && git -C r config remote.origin.url "file://$PWD/nowhere" &&
	git -C r config remote.origin.promisor true && git -C r config remote.origin.partialCloneFilter blob:none &&
	git -C r index-pack --stdin --promisor="from origin" <sent >/dev/null &&
	for ref in refs/heads/main refs/tags/v1; do git -C r update-ref $ref "$(git -C source rev-parse $ref)" || return; done
}

# partial_commit NAME: a commit of ours upon main, with a file of that name, as loose objects; $commit, $blob
partial_commit () {
	blob=$(echo "$1" | git -C r hash-object -w --stdin) &&
	commit=$(printf '100644 blob %s\t%s\n' "$blob" "$1" | git -C r mktree) &&
	commit=$(git -C r commit-tree -m "$1" -p main "$commit") && git -C r update-ref refs/heads/main "$commit"
}

# partial_objects: every object that is there, each once
partial_objects () {
	git -C r cat-file --batch-all-objects --batch-check='%(objectname)' | sort -u
}

# partial_packs EXTENSION: .idx files of packs with such a file
partial_packs () {
	for i in r/.git/objects/pack/*."$1"; do
		test -f "$i" && echo "${i%.*}.idx"
	done
}

# partial_names IDX...: the objects of these packs
partial_names () {
	for i; do git -C r show-index <"$i"; done | cut -d' ' -f2 | sort
}
