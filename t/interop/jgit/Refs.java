/* SPDX-License-Identifier: GPL-2.0-only */

import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jgit.lib.BatchRefUpdate;
import org.eclipse.jgit.lib.NullProgressMonitor;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.PersonIdent;
import org.eclipse.jgit.lib.Ref;
import org.eclipse.jgit.lib.RefRename;
import org.eclipse.jgit.lib.RefUpdate;
import org.eclipse.jgit.lib.ReflogEntry;
import org.eclipse.jgit.lib.ReflogReader;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.revwalk.RevWalk;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.eclipse.jgit.transport.ReceiveCommand;

/**
 * JGit at a repository with refs in tables. Each line of standard input is a command, its arguments are parted by tabs;
 * the answer ends with a line "." alone.
 *
 * <pre>
 * transaction SECONDS MESSAGE (NAME NEW OLD)...   all or nothing; NEW of zeros deletes
 * link NAME TARGET                                a symbolic ref
 * rename SECONDS OLD NEW                          a branch with its log
 * refs                                            NAME VALUE [TARGET], sorted
 * log NAME                                        OLD NEW SECONDS MESSAGE, the newest first
 * compact                                         all tables become one
 * </pre>
 */
public final class Refs {
	private final Repository repository;
	private final PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);

	private Refs(String directory) throws Exception {
		repository = new FileRepositoryBuilder().setGitDir(new File(directory)).setMustExist(true).build();
	}

	private static PersonIdent ident(String seconds) {
		return new PersonIdent("C O", "c@x", Long.parseLong(seconds) * 1000, 0);
	}

	private void transaction(String[] words) throws Exception {
		BatchRefUpdate batch = repository.getRefDatabase().newBatchUpdate();

		batch.setAtomic(true);
		batch.setAllowNonFastForwards(true);
		batch.setRefLogIdent(ident(words[1]));
		batch.setRefLogMessage(words[2], false);
		for (int i = 3; i + 2 < words.length; i += 3)
			batch.addCommand(new ReceiveCommand(ObjectId.fromString(words[i + 2]), ObjectId.fromString(words[i + 1]),
					words[i]));
		try (RevWalk walk = new RevWalk(repository)) {
			batch.execute(walk, NullProgressMonitor.INSTANCE);
		}
		for (ReceiveCommand c : batch.getCommands())
			out.println(c.getRefName() + "\t" + (c.getMessage() == null ? "" : c.getMessage() + " ") + c.getResult());
	}

	private void link(String name, String target) throws Exception {
		RefUpdate update = repository.getRefDatabase().newUpdate(name, true);

		update.disableRefLog();
		out.println(update.link(target));
	}

	private void rename(String seconds, String from, String to) throws Exception {
		RefRename rename = repository.renameRef(from, to);

		rename.setRefLogIdent(ident(seconds));
		out.println(rename.rename());
	}

	private void refs() throws Exception {
		List<String> lines = new ArrayList<>();

		for (Ref ref : repository.getRefDatabase().getRefs()) {
			String value = ref.getObjectId() == null ? "" : ref.getObjectId().name();

			lines.add(ref.getName() + "\t" + value + "\t" + (ref.isSymbolic() ? ref.getTarget().getName() : ""));
		}
		lines.sort(null);
		lines.forEach(out::println);
	}

	private void log(String name) throws Exception {
		ReflogReader reader = repository.getReflogReader(name);

		for (ReflogEntry e : reader == null ? List.<ReflogEntry>of() : reader.getReverseEntries())
			out.println(e.getOldId().name() + "\t" + e.getNewId().name() + "\t"
					+ e.getWho().getWhen().getTime() / 1000 + "\t" + e.getComment().stripTrailing());
	}

	private void obey(String[] words) throws Exception {
		repository.getRefDatabase().refresh(); /* others write, too */
		switch (words[0]) {
		case "transaction" -> transaction(words);
		case "link" -> link(words[1], words[2]);
		case "rename" -> rename(words[1], words[2], words[3]);
		case "refs" -> refs();
		case "log" -> log(words[1]);
		case "compact" -> ((org.eclipse.jgit.internal.storage.file.FileReftableDatabase) repository.getRefDatabase()).compactFully();
		default -> throw new IllegalArgumentException(words[0]);
		}
	}

	public static void main(String[] args) throws Exception {
		Refs refs = new Refs(args[0]);
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

		for (String line; (line = in.readLine()) != null; ) {
			try {
				refs.obey(line.split("\t", -1));
			} catch (Exception e) {
				refs.out.println("failed: " + e);
			}
			refs.out.println(".");
			refs.out.flush();
		}
	}
}
