// SPDX-License-Identifier: GPL-2.0-only
// Calls what simple-git offers, in TREE, and writes {name: outcome} as JSON. Each outcome has the calls of git in CALLS.
// Usage: node simple-git.js MODULE TREE CALLS
const [module_, tree, callsFile] = process.argv.slice(2);
const { simpleGit, CleanOptions, ResetMode, grepQueryBuilder } = require(module_);
const fs = require("fs");
const path = require("path");

const found = {};
let git;

function write(name, text) {
	fs.mkdirSync(path.dirname(path.join(tree, name)), { recursive: true });
	fs.writeFileSync(path.join(tree, name), text);
}

function lines(first, last) {
	let text = "";
	for (let i = first; i < last; i++)
		text += "line " + i + "\n";
	return text;
}

function plain(key, value) {
	if (value && value.type === "Buffer")
		return Buffer.from(value.data).toString("latin1");
	if (value instanceof Map)
		return [...value];
	if (value instanceof Set)
		return [...value].sort();
	return value;
}

async function step(name, call) {
	fs.writeFileSync(callsFile, "");
	let text;
	try {
		text = JSON.stringify(await call(), plain, 1);
	} catch (error) {
		text = "error: " + error.message + "\n" + JSON.stringify(error.git || null, plain, 1);
	}
	found[name] = text + "\n-- calls\n" + fs.readFileSync(callsFile, "utf8").split("\n").sort().join("\n");
}

async function main() {
	fs.mkdirSync(tree, { recursive: true });
	git = simpleGit(tree);
	await step("version", async () => (await git.version()).installed);
	await step("checkIsRepo without", () => git.checkIsRepo());
	await step("status without", () => git.status());
	await step("init", () => git.init());
	await step("init again", () => git.init());
	await step("init bare", () => simpleGit(path.dirname(tree)).init(true, ["other.git"]));
	for (const kind of ["bare", "root", "tree"])
		await step("checkIsRepo " + kind, () => git.checkIsRepo(kind));
	await step("status empty", () => git.status());
	await step("log empty", () => git.log());
	write("a.txt", lines(1, 30));
	write("dir/b.txt", "b\n");
	write(".gitignore", "*.log\n");
	write("x.log", "log\n");
	await step("status untracked", () => git.status());
	await step("status -uno", () => git.status(["--untracked-files=no"]));
	await step("status ignored", () => git.status(["--ignored"]));
	await step("checkIgnore", () => git.checkIgnore(["x.log", "a.txt"]));
	await step("add", () => git.add("."));
	await step("add missing", () => git.add("missing"));
	await step("commit root", () => git.commit("first"));
	await step("commit nothing", () => git.commit("nothing"));
	await step("commit empty", () => git.commit(["subject", "body", "more body"], { "--allow-empty": null }));
	write("a.txt", lines(3, 33));
	await step("diff", () => git.diff());
	await step("diffSummary", () => git.diffSummary());
	for (const way of ["--stat", "--numstat", "--name-only", "--name-status"])
		await step("diffSummary " + way, () => git.diffSummary([way]));
	await step("commit file", () => git.commit("second", ["a.txt"]));
	await step("commit author", () => git.commit("third", { "--author": "Some One <one@example.com>", "--allow-empty": null }));
	await step("firstCommit", () => git.firstCommit());
	await step("addTag", () => git.addTag("v1.0.0"));
	await step("addTag again", () => git.addTag("v1.0.0"));
	await step("addAnnotatedTag", () => git.addAnnotatedTag("v1.10.0", "annotated"));
	await step("addAnnotatedTag two", () => git.addAnnotatedTag("v1.2.0", "annotated\n\nwith body"));
	await step("tags", () => git.tags());
	await step("tags sorted", () => git.tags(["--sort=-creatordate"]));
	await step("tag", () => git.tag(["-n"]));
	await step("tag -d", () => git.tag(["-d", "v1.2.0"]));
	await step("mv", () => git.mv("dir/b.txt", "dir/c.txt"));
	await step("mv missing", () => git.mv("missing", "dir"));
	await step("mv several", () => git.mv(["a.txt", "dir/c.txt"], "."));
	await step("status renamed", () => git.status());
	await step("diffSummary renamed", () => git.diffSummary(["--cached", "-M"]));
	await step("commit rename", () => git.commit("rename"));
	await step("rmKeepLocal", () => git.rmKeepLocal("c.txt"));
	await step("rm", () => git.rm("a.txt"));
	await step("rm missing", () => git.rm("missing"));
	await step("status removed", () => git.status());
	await step("reset hard", () => git.reset(ResetMode.HARD));
	await step("reset soft", () => git.reset(ResetMode.SOFT, ["HEAD~1"]));
	await step("commit again", () => git.commit("rename again"));
	await step("reset bad", () => git.reset(["--hard", "nothing"]));
	await step("checkoutLocalBranch", () => git.checkoutLocalBranch("topic"));
	write("topic.txt", "topic\n");
	await step("add topic", () => git.add(["topic.txt"]));
	await step("commit topic", () => git.commit("on topic"));
	await step("branch", () => git.branch());
	await step("branchLocal", () => git.branchLocal());
	await step("branch -vv", () => git.branch(["-vv", "--sort=refname"]));
	await step("checkout", () => git.checkout("main"));
	await step("checkout missing", () => git.checkout("missing"));
	await step("checkout file", () => git.checkout(["topic", "--", "topic.txt"]));
	await step("reset merge", () => git.reset(ResetMode.MERGE));
	await step("checkoutBranch", () => git.checkoutBranch("side", "HEAD~1"));
	await step("checkoutBranch again", () => git.checkoutBranch("side", "HEAD~1"));
	write("a.txt", lines(3, 20) + "changed on side\n" + lines(21, 33));
	await step("commit -a", () => git.commit("on side", { "-a": null }));
	await step("checkout main", () => git.checkout("main"));
	await step("merge ff", () => git.merge(["topic"]));
	await step("merge none", () => git.merge(["topic"]));
	await step("merge side", () => git.merge(["side", "--no-ff", "-m", "merge side"]));
	await step("mergeFromTo", () => git.mergeFromTo("side", "main"));
	await step("log", () => git.log());
	await step("log range", () => git.log({ from: "v1.0.0", to: "HEAD" }));
	await step("log symmetric", () => git.log({ from: "topic", to: "side", symmetric: true }));
	await step("log file", () => git.log({ file: "a.txt", maxCount: 2 }));
	await step("log stat", () => git.log(["--stat"]));
	for (const way of ["--shortstat", "--numstat", "--name-only", "--name-status", "--stat=4096", "--merges", "--reverse"])
		await step("log " + way, () => git.log([way]));
	await step("log format", () => git.log({ format: { hash: "%H", refs: "%D", who: "%aN" }, multiLine: true, splitter: "|", "--all": null }));
	await step("log bad", () => git.log(["nothing"]));
	await step("show", () => git.show(["HEAD~1"]));
	await step("show blob", () => git.show("HEAD:a.txt"));
	await step("showBuffer", () => git.showBuffer(["HEAD:a.txt"]));
	await step("catFile", () => git.catFile(["-p", "HEAD"]));
	await step("catFile -t", () => git.catFile(["-t", "v1.10.0"]));
	await step("binaryCatFile", () => git.binaryCatFile(["-p", "HEAD:a.txt"]));
	await step("hashObject", () => git.hashObject("a.txt"));
	await step("hashObject write", () => git.hashObject("x.log", true));
	await step("countObjects", () => git.countObjects());
	await step("grep", () => git.grep("line 1"));
	await step("grep all", () => git.grep(grepQueryBuilder("line").and("1", "2"), ["-i", "-c"]));
	await step("grep none", () => git.grep("nothing at all"));
	await step("revparse", () => git.revparse("HEAD"));
	await step("revparse top", () => git.revparse(["--show-toplevel", "--git-dir", "--is-inside-work-tree", "--abbrev-ref", "HEAD"]));
	await step("revparse bad", () => git.revparse(["--verify", "nothing"]));
	await step("interpretTrailers", () => git.interpretTrailers("subject\n\nbody\n\nSigned-off-by: A <a@b>\nAcked-by: C <c@d>\n"));
	await step("addConfig", () => git.addConfig("some.key", "value"));
	await step("addConfig append", () => git.addConfig("some.key", "other", true));
	await step("addConfig global", () => git.addConfig("some.global", "x", false, "global"));
	await step("getConfig", () => git.getConfig("some.key"));
	await step("getConfig missing", () => git.getConfig("some.missing"));
	await step("listConfig", () => git.listConfig("local"));
	await step("listConfig all", () => git.listConfig());
	await step("revert", () => git.revert("HEAD", ["-m", "1", "--no-edit"]));
	await step("revert merge", () => git.revert("HEAD~1"));
	write("a.txt", "not staged\n");
	write("new.txt", "new\n");
	await step("stash", () => git.stash(["push", "-u", "-m", "kept"]));
	await step("stash none", () => git.stash());
	await step("stashList", () => git.stashList());
	await step("stashList stat", () => git.stashList(["--stat"]));
	await step("stash show", () => git.stash(["show", "-p"]));
	await step("stash pop", () => git.stash(["pop"]));
	await step("stash pop none", () => git.stash(["pop"]));
	const patch = await git.diff(["HEAD"]);
	await step("checkout -f", () => git.checkout(["-f"]));
	await step("clean dry", () => git.clean(CleanOptions.DRY_RUN));
	await step("clean", () => git.clean([CleanOptions.FORCE, CleanOptions.RECURSIVE, CleanOptions.IGNORED_INCLUDED]));
	await step("clean bad", () => git.clean("i"));
	fs.writeFileSync(tree + ".patch", patch);
	await step("applyPatch", () => git.applyPatch(tree + ".patch"));
	await step("applyPatch again", () => git.applyPatch(tree + ".patch", ["--check", "-v"]));
	await step("applyPatch stat", () => git.applyPatch([tree + ".patch"], ["--stat"]));
	await step("applyPatch reverse", () => git.applyPatch(tree + ".patch", ["-R"]));
	await step("conflict", async () => {
		await git.checkoutBranch("clash", "main~1");
		write("a.txt", "mine\n");
		await git.commit("clash", { "-a": null });
		await git.checkout("main");
		write("a.txt", "theirs\n");
		await git.commit("clash too", { "-a": null });
		return git.merge(["clash"]);
	});
	await step("status conflict", () => git.status());
	await step("diff conflict", () => git.diff());
	await step("diffSummary conflict", () => git.diffSummary());
	await step("commit conflict", () => git.commit("no"));
	await step("merge abort", () => git.merge(["--abort"]));
	await step("rebase conflict", () => git.rebase(["main", "clash"]));
	await step("status rebase", () => git.status());
	await step("rebase abort", () => git.rebase(["--abort"]));
	await step("rebase", () => git.rebase(["main", "side"]));
	await step("rebase bad", () => git.rebase(["nothing"]));
	await step("checkout back", () => git.checkout("main"));
	const remote = path.join(path.dirname(tree), "other.git");
	await step("addRemote", () => git.addRemote("origin", remote));
	await step("addRemote again", () => git.addRemote("origin", remote));
	await step("addRemote bad", () => git.addRemote("bad", remote + ".missing"));
	await step("getRemotes", () => git.getRemotes());
	await step("getRemotes verbose", () => git.getRemotes(true));
	await step("removeRemote", () => git.removeRemote("bad"));
	await step("remote", () => git.remote(["get-url", "origin"]));
	await step("push", () => git.push("origin", "main", ["--set-upstream"]));
	await step("push again", () => git.push());
	await step("push all", () => git.push(["--all", "origin"]));
	await step("pushTags", () => git.pushTags("origin"));
	await step("push delete", () => git.push("origin", ":side"));
	await step("push bad", () => git.push("origin", "nothing"));
	await step("remote show", () => git.remote(["show", "origin"]));
	await step("listRemote", () => git.listRemote());
	await step("listRemote heads", () => git.listRemote(["--heads", "--tags", remote]));
	await step("listRemote symref", () => git.listRemote(["--symref", "origin", "HEAD"]));
	await step("clone", () => simpleGit(path.dirname(tree)).clone(remote, tree + "2"));
	await step("clone again", () => simpleGit(path.dirname(tree)).clone(remote, tree + "2"));
	await step("clone missing", () => simpleGit(path.dirname(tree)).clone(remote + ".missing", tree + "3"));
	await step("mirror", () => simpleGit(path.dirname(tree)).mirror(remote, tree + "-mirror"));
	const second = simpleGit(tree + "2");
	await step("second", async () => {
		fs.writeFileSync(tree + "2/second.txt", "second\n");
		await second.add("second.txt");
		await second.commit("second clone");
		await second.addTag("v2.0.0");
		await second.branch(["fresh"]);
		await second.push("origin", "main");
		await second.push(["origin", "fresh", "--tags"]);
		return second.push("origin", ":topic");
	});
	await step("fetch", () => git.fetch());
	await step("fetch prune", () => git.fetch(["--prune", "--tags"]));
	await step("fetch branch", () => git.fetch("origin", "fresh"));
	await step("fetch bad", () => git.fetch("origin", "nothing"));
	await step("fetch missing", () => git.fetch("missing"));
	await step("status behind", () => git.status());
	await step("branch remote", () => git.branch(["-r", "-v"]));
	await step("branch all", () => git.branch(["-a", "-v"]));
	await step("pull", () => git.pull());
	await step("pull again", () => git.pull("origin", "main", ["--no-rebase"]));
	await step("pull diverged", async () => {
		fs.writeFileSync(tree + "2/second.txt", lines(1, 9));
		await second.commit("in the second", ["second.txt"]);
		await second.push();
		write("third.txt", "third\n");
		await git.add("third.txt");
		await git.commit("in the first");
		return git.pull();
	});
	await step("status diverged", () => git.status());
	await step("push rejected", () => git.push());
	await step("pull rebase", () => git.pull("origin", "main", { "--rebase": "true" }));
	await step("push at last", () => git.push());
	await step("pull bad", () => git.pull("origin", "nothing"));
	await step("checkoutLatestTag", async () => {
		await git.checkoutLatestTag();   // comes back before it has called git
		while (!/^0: checkout v/m.test(fs.readFileSync(callsFile, "utf8")))
			await new Promise((done) => setTimeout(done, 100));
	});
	await step("status detached", () => git.status());
	await step("branch detached", () => git.branch());
	await step("checkout -b", () => git.checkout(["-b", "tracking", "--track", "origin/fresh"]));
	await step("deleteLocalBranch", () => git.deleteLocalBranch("topic"));
	await step("deleteLocalBranch not merged", () => git.deleteLocalBranch("clash"));
	await step("deleteLocalBranches", () => git.deleteLocalBranches(["clash", "missing"], true));
	await step("deleteLocalBranch own", () => git.deleteLocalBranch("tracking"));
	await step("updateServerInfo", () => git.updateServerInfo());
	await step("raw", () => git.raw("ls-files", "-s"));
	await step("raw reflog", () => git.raw(["reflog", "-n", "5"]));
	await step("raw bad", () => git.raw("nonsense"));
	await step("raw bad option", () => git.raw("status", "--porcelain=9"));
	await step("bisect", () => git.raw("bisect", "start", "HEAD", "v1.0.0"));
	await step("bisect bad", () => git.raw("bisect", "bad"));
	await step("status bisect", () => git.status());
	await step("bisect reset", () => git.raw("bisect", "reset"));
	await step("worktree", () => git.raw("worktree", "add", "-b", "linked", tree + "-linked"));
	await step("branch worktree", () => git.branch());
	await step("progress", async () => {
		const seen = new Set();
		const done = simpleGit(path.dirname(tree), { progress: (event) => seen.add(event.stage) });
		await done.clone("file://" + remote, tree + "4", ["--no-local"]);
		return seen;
	});
	found.progress = String(found.progress.includes("remote:"));   // which more stages are seen is a matter of time
	await step("env", () => simpleGit(tree).env("GIT_COMMITTER_NAME", "Other").raw("var", "GIT_COMMITTER_IDENT"));
	await step("config", () => simpleGit(tree, { config: ["user.name=Configured"] }).raw("config", "user.name"));
	await step("timeout", () => simpleGit(tree, { timeout: { block: 5000 } }).status());
}

main().then(() => process.stdout.write(JSON.stringify(found)));
