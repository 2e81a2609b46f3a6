// SPDX-License-Identifier: GPL-2.0-only

// Fetches all branches and tags with go-git, for t/interop/serve-matrix, or pushes, for push-matrix; the options are those of
// dulwich-client.
package main

import (
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"

	git "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing/transport/client"
	"github.com/go-git/go-git/v5/plumbing/transport/file"
	"github.com/go-git/go-git/v5/plumbing/transport/ssh"
)

const noSuchThing = 3

var (
	dir       = flag.String("dir", "", "")
	version   = flag.Int("version", 0, "")
	depth     = flag.Int("depth", 0, "")
	since     = flag.String("since", "", "")
	unshallow = flag.Bool("unshallow", false, "")
	filter    = flag.String("filter", "", "")
	program   = flag.String("git", "", "")
	sshDir    = flag.String("ssh-dir", "", "")
	pushed    []config.RefSpec
)

func notOffered(what string) {
	fmt.Fprintln(os.Stderr, "not offered: "+what)
	os.Exit(noSuchThing)
}

func isShallow() bool {
	_, err := os.Stat(*dir + "/shallow")
	return err == nil
}

func fetch() error {
	options := &git.FetchOptions{
		RefSpecs: []config.RefSpec{"+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"},
		Tags:     git.NoTags,
		Depth:    *depth,
	}
	if *program != "" {
		client.InstallProtocol("file", file.NewClient(*program+"-upload-pack", *program+"-receive-pack"))
	}
	if *sshDir != "" {
		at, err := url.Parse(flag.Arg(0))
		if err != nil {
			return err
		}
		keys, err := ssh.NewPublicKeysFromFile(at.User.Username(), *sshDir+"/id_ed25519", "")
		if err != nil {
			return err
		}
		if keys.HostKeyCallback, err = ssh.NewKnownHostsCallback(*sshDir + "/known_hosts"); err != nil {
			return err
		}
		options.Auth = keys
	}
	repo, err := git.PlainOpen(*dir)
	if err != nil {
		return err
	}
	remote := git.NewRemote(repo.Storer, &config.RemoteConfig{Name: "origin", URLs: []string{flag.Arg(0)}})
	if pushed != nil {
		return remote.Push(&git.PushOptions{RefSpecs: pushed, Auth: options.Auth})
	}
	if err = remote.Fetch(options); errors.Is(err, git.NoErrAlreadyUpToDate) {
		return nil
	}
	return err
}

func main() {
	flag.Func("push", "", func(spec string) error {
		pushed = append(pushed, config.RefSpec(spec))
		return nil
	})
	flag.Parse()
	switch {
	case *version != 0:
		notOffered("versions but 0")
	case *since != "":
		notOffered("shallow by date")
	case *unshallow:
		notOffered("unshallow")
	case *depth != 0 && isShallow():
		// Old commits stay in its file "shallow", from Git's server too.
		notOffered("deepening")
	case *filter != "":
		notOffered("filters")
	}
	if err := fetch(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
