// SPDX-License-Identifier: GPL-2.0-only

import java.io.File;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.eclipse.jgit.transport.FilterSpec;
import org.eclipse.jgit.transport.RefSpec;
import org.eclipse.jgit.transport.RemoteRefUpdate;
import org.eclipse.jgit.transport.SshSessionFactory;
import org.eclipse.jgit.transport.TagOpt;
import org.eclipse.jgit.transport.Transport;
import org.eclipse.jgit.transport.sshd.SshdSessionFactoryBuilder;

/**
 * Fetches all branches and tags with JGit, for t/interop/serve-matrix, or pushes, for push-matrix; the options are
 * those of dulwich-client.
 */
public class JGitClient {
	private static final int DEPTH_INFINITE = Integer.MAX_VALUE;

	private static Map<String, String> options(String[] args) {
		Map<String, String> found = new HashMap<>();
		for (String arg : args) {
			int equals = arg.indexOf('=');
			if (!arg.startsWith("--"))
				found.put("url", arg);
			else if (equals < 0)
				found.put(arg.substring(2), "");
			else
				found.put(arg.substring(2, equals), arg.substring(equals + 1));
		}
		return found;
	}

	private static void useKeys(String dir) {
		File place = new File(dir);
		SshSessionFactory.setInstance(new SshdSessionFactoryBuilder()
				.setPreferredAuthentications("publickey")
				.setHomeDirectory(place)
				.setSshDirectory(place)
				.build(null));
	}

	private static void choose(Transport transport, Map<String, String> given) throws Exception {
		if (given.containsKey("git"))
			transport.setOptionUploadPack("'" + given.get("git") + "' 'upload-pack'");
		if (given.containsKey("git"))
			transport.setOptionReceivePack("'" + given.get("git") + "' 'receive-pack'");
		if (given.containsKey("depth"))
			transport.setDepth(Integer.parseInt(given.get("depth")));
		if (given.containsKey("unshallow"))
			transport.setDepth(DEPTH_INFINITE);
		if (given.containsKey("since"))
			transport.setDeepenSince(Instant.ofEpochSecond(Long.parseLong(given.get("since"))));
		if (given.containsKey("filter"))
			transport.setFilterSpec(FilterSpec.fromFilterLine(given.get("filter")));
		transport.setTagOpt(TagOpt.NO_TAGS);
	}

	private static List<RefSpec> pushed(String[] args) {
		List<RefSpec> found = new ArrayList<>();
		for (String arg : args)
			if (arg.startsWith("--push="))
				found.add(new RefSpec(arg.substring("--push=".length())));
		return found;
	}

	private static void push(Transport transport, List<RefSpec> specs) throws Exception {
		for (RemoteRefUpdate u : transport.push(NullProgressMonitor.INSTANCE,
				transport.findRemoteRefUpdatesFor(specs)).getRemoteUpdates()) {
			if (u.getStatus() == RemoteRefUpdate.Status.OK ||
					u.getStatus() == RemoteRefUpdate.Status.UP_TO_DATE)
				continue;
			System.err.println("refused: " + u);
			System.exit(1);
		}
	}

	private static void notOffered(String what) {
		System.err.println("not offered: " + what);
		System.exit(3);
	}

	public static void main(String[] args) throws Exception {
		Map<String, String> given = options(args);

		if (given.get("version").equals("1"))
			notOffered("version 1");
		// It does not read the boundary before the first acknowledgement, from Git's server neither.
		if (given.get("version").equals("0") && new File(given.get("dir"), "shallow").exists())
			notOffered("deepening in version 0");
		if (given.containsKey("ssh-dir"))
			useKeys(given.get("ssh-dir"));
		try (Repository repo = new FileRepositoryBuilder().setGitDir(new File(given.get("dir"))).build()) {
			repo.getConfig().setString("protocol", null, "version", given.get("version"));
			try (Transport transport = Transport.open(repo, given.get("url"))) {
				choose(transport, given);
				if (given.containsKey("push")) {
					push(transport, pushed(args));
					System.exit(0);
				}
				transport.fetch(NullProgressMonitor.INSTANCE, List.of(
						new RefSpec("+refs/heads/*:refs/heads/*"),
						new RefSpec("+refs/tags/*:refs/tags/*")));
			}
		}
		System.exit(0);
	}
}
