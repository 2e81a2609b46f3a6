# SPDX-License-Identifier: GPL-2.0-only
#
# For scripts about many clients of upload-pack at once. Sourced after lib-serve.sh. `lines` is the request of
# all of them.

# start_client N [OPTIONS...]: in the background; its answer will be in raw.N, its exit code in code.N
start_client () {
	local n=$1
	shift
	rm -f raw.$n code.$n err.$n trace.$n
	"$PKT" encode <lines >request.$n || return 1
	(
		GIT_PROTOCOL=${PROTOCOL-version=2} GIT_TRACE2_EVENT="$PWD/trace.$n" \
			git "$@" upload-pack --stateless-rpc ${REPO:-repo} <request.$n >raw.$n 2>err.$n &
		echo $! >pid.$n
		wait $!
		echo $? >code.$n
	) &
}

# end_client N: wait for it, and take its answer apart: answer.N, pack.N; fails as it did
end_client () {
	wait_until test -s code.$1 && rm -f pack.$1 &&
	"$PKT" decode pack.$1 ${BANDS:+--bands} <raw.$1 >answer.$1 2>decode.err.$1 || return 124
	return $(cat code.$1)
}

client () {
	start_client "$@" && end_client $1
}

# Until the command, which is evaluated each time, succeeds.
wait_until () {
	until eval "$*" 2>/dev/null; do sleep 0.1; done
}

# A hook that makes the pack as it always is made, and notes each run.
counting_hook () {
	write_script "$1" <<-\EOF
	echo run >>"$TRASH_DIRECTORY/runs"; exec "$@"
	EOF
}

# One that prints the first $HEAD bytes of the file "whole", and the rest once there is a file "go".
halting_hook () {
	write_script "$1" <<-\EOF
	cat >/dev/null; cd "$TRASH_DIRECTORY" && echo run >>runs && head -c ${HEAD:-0} whole &&
	until test -e go; do sleep 0.1; done && tail -c +$((${HEAD:-0} + 1)) whole
	EOF
}

runs () {
	wc -l <runs | tr -d " "
}

# What the trace of client N says: of what key, or the sum of a counter.
traced () {
	sed -n "s/.*\"category\":\"share\",\"key\":\"$2\",\"value\":\"\{0,1\}\([^\"}]*\).*/\1/p" trace.$1
}
counted () {
	sed -n "s/.*\"category\":\"share\",\"name\":\"$2\",\"count\":\([0-9]*\).*/\1/p" trace.$1
}
# The process that fills the only shared file.
filler () {
	od -An -tu4 -j140 -N4 cache/pack-* | tr -d " "
}
is_gone () {
	! kill -0 $1
}
received_some () {
	test $(wc -c <raw.$1) -gt $2
}
