# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Histories made of single objects: the shape and the dates are what a test says, and nothing else.
# Everything is made in the current directory.

# node NAME SECONDS [PARENT...]: a commit with the message NAME, at that time after a fixed day.
# Its id is in $NAME afterwards. The tree is $NODE_TREE, or empty.
node () {
	node_name=$1 node_date="$((1600000000 + $2)) +0000" node_parents=
	shift 2
	for node_parent in "$@"
	do
		eval "node_parents=\"\$node_parents -p \$$node_parent\""
	done
	node_id=$(echo "$node_name" | GIT_AUTHOR_DATE="$node_date" GIT_COMMITTER_DATE="$node_date" \
		git commit-tree "${NODE_TREE:-$EMPTY_TREE}" $node_parents) &&
	eval "$node_name=\$node_id"
}

# annotate NAME SECONDS TARGET [CALLED]: an annotated tag of $TARGET (a commit or a tag), refs/tags/NAME;
# CALLED: the name within the object. Its id is in $tag_NAME.
annotate () {
	eval "tag_target=\$$3"
	tag_id=$(printf 'object %s\ntype %s\ntag %s\ntagger T <t@x> %d +0000\n\nmessage\n' "$tag_target" \
		"$(git cat-file -t "$tag_target")" "${4:-$1}" "$((1600000000 + $2))" |
		git hash-object -t tag -w --stdin) &&
	git update-ref "refs/tags/$1" "$tag_id" &&
	eval "tag_$(echo "$1" | tr -c 'A-Za-z0-9\n' _)=\$tag_id"
}
