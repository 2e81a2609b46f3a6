// SPDX-License-Identifier: GPL-2.0-only

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.concurrent.Executors;
import java.util.zip.GZIPInputStream;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.eclipse.jgit.transport.Daemon;
import org.eclipse.jgit.transport.DaemonClient;
import org.eclipse.jgit.transport.PacketLineOut;
import org.eclipse.jgit.transport.RefAdvertiser.PacketLineOutRefAdvertiser;
import org.eclipse.jgit.transport.UploadPack;
import org.eclipse.jgit.transport.resolver.FileResolver;

/**
 * Gives repositories out with JGit, for t/interop/client-matrix; the arguments are those of
 * dulwich-server.
 */
public class JGitServer {
	private static final String SERVICE = "git-upload-pack";

	private static Repository open(File dir) throws IOException {
		return new FileRepositoryBuilder().setGitDir(dir).setMustExist(true).build();
	}

	private static UploadPack uploadPack(Repository db, String protocol) {
		UploadPack up = new UploadPack(db);
		if (protocol != null)
			up.setExtraParameters(Collections.singleton(protocol));
		return up;
	}

	private static void serveOne(String dir) throws Exception {
		File place = new File(dir, ".git");
		try (Repository db = open(place.isDirectory() ? place : new File(dir))) {
			uploadPack(db, System.getenv("GIT_PROTOCOL")).upload(System.in, System.out, System.err);
		}
	}

	private static void serveGit(int port, File root) throws Exception {
		Daemon daemon = new Daemon(new InetSocketAddress("127.0.0.1", port));
		daemon.setRepositoryResolver(new FileResolver<DaemonClient>(root, true));
		daemon.getService(SERVICE).setEnabled(true);
		daemon.start();
		Thread.currentThread().join();
	}

	private static void answer(HttpExchange x, File root) throws Exception {
		String path = x.getRequestURI().getPath();
		boolean refs = path.endsWith("/info/refs");
		String name = path.substring(1, path.length() - (refs ? "/info/refs" : "/" + SERVICE).length());
		x.getResponseHeaders().set("Content-Type",
				"application/x-git-upload-pack-" + (refs ? "advertisement" : "result"));
		x.getResponseHeaders().set("Cache-Control", "no-cache");
		InputStream in = x.getRequestBody();
		if ("gzip".equals(x.getRequestHeaders().getFirst("Content-Encoding")))
			in = new GZIPInputStream(in);
		in = new ByteArrayInputStream(in.readAllBytes());
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		try (Repository db = open(new File(root, name))) {
			UploadPack up = uploadPack(db, x.getRequestHeaders().getFirst("Git-Protocol"));
			up.setBiDirectionalPipe(false);
			if (refs)
				up.sendAdvertisedRefs(new PacketLineOutRefAdvertiser(new PacketLineOut(out)), SERVICE);
			else
				up.upload(in, out, System.err);
		}
		x.sendResponseHeaders(200, out.size());
		out.writeTo(x.getResponseBody());
	}

	private static void serveHttp(int port, File root) throws Exception {
		HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
		server.setExecutor(Executors.newCachedThreadPool());
		server.createContext("/", x -> {
			try {
				answer(x, root);
			} catch (Exception e) {
				e.printStackTrace();
			} finally {
				x.close();
			}
		});
		server.start();
	}

	public static void main(String[] args) throws Exception {
		if (args.length == 2 && args[0].equals("upload-pack"))
			serveOne(args[1]);
		else if (args.length == 3 && args[0].equals("git"))
			serveGit(Integer.parseInt(args[1]), new File(args[2]));
		else if (args.length == 3 && args[0].equals("http"))
			serveHttp(Integer.parseInt(args[1]), new File(args[2]));
		else
			System.exit(129);
	}
}
