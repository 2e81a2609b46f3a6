# SPDX-License-Identifier: GPL-2.0-only
#
# The everyday build: it needs only make, has exact dependencies and nothing to
# configure. meson.build describes the same build (same lists, same flags, same
# results) for distributors and for cross compiling; `make meson` runs it and its
# tests. Neither lists source files: both use every *.c of the root and of the
# folders named below.
#
#   make                       build/git, build/git-remote-http and build/libsluice.a
#   make test [T='t0000* ..']  build, unit tests and shell tests, one prove run
#   make sweep [T=..]          the tests that take samples in `make test`, in full: each call fails in each way,
#                              more random command lines (hours)
#   make check                 layers, raw calls, headers, other systems, shell syntax, words
#   make sanitize              the tests under ASan and UBSan (in build-asan; REPORT=1: UBSan says what it found)
#   make tsan [T=..]           the tests of code that runs in threads, under TSan (in build-tsan)
#   make variants              the tests with SHA-256, with refs in tables, with both, with each fsyncMethod
#   make sample-variants       some scripts with the first three of these variants (minutes)
#   make variants-arch [T=..]  the tests as i386; unit tests and t10xx to t14xx as s390x (qemu)
#   make coverage              which lines the tests reach (gcovr; pages in build-coverage/html)
#   make compile_commands      compile_commands.json, for editors
#   make target-headers        headers by which `make check` compiles for other systems, too (PyPI's ziglang)
#   make valgrind              a sample of the shell tests under valgrind
#   make install prefix=/usr/local DESTDIR=
#                              (manual pages too, where asciidoctor is installed)
#   make uninstall prefix=/usr/local DESTDIR=
#                              removes what `make install` has made there
#   make lean                  builds without expat, and without libcurl; a few tests of them (build-lean)
#   make mutate                would the tests notice a wrong line? (hours; needs root)
#   make fuzz                  fuzzing targets, build/t/fuzz/fuzz-*
#   make fuzz FUZZ_TIME=600    run them and whole commands on damaged repositories, under the
#                              sanitizers, for so many seconds in all [FUZZ_TARGETS=..]
#   make compare-walks STOCK_GIT=/path/git [SEED=1] [COUNT=2000]
#                              command lines of rev-list, log, merge-base and others by chance, compared
#                              with a stock git of version 2.55
#   make compare-upkeep STOCK_GIT=/path/git [SEED=1] [COUNT=1200]
#                              repack, gc, prune, maintenance and others by chance, over random
#                              repositories: the same objects stay, at the same places
#   make differential STOCK_GIT=/path/git [SEED=1] [COUNT=500] [TURNS=100] [STEPS=2000] [EXPRESSIONS=1000]
#                              merges, rebases, cherry-picks, reverts, stashes, notes, patches, mails, exports, expressions of grep by
#                              chance: both get the same results
#   make merges STOCK_GIT=/path/git REPOSITORY=path
#                              each merge of a history, made again by both
#   make interop [OTHERS=DIR] [REPOSITORY=path] [INTEROP_OPTS=..]
#                              stock Git, and other clients (t/interop/get-clients DIR), fetch from our
#                              server over file, ssh, git:// and http, and our client from theirs and ours; prints
#                              three tables (pushes: both ways)
#   make crash                 the power-failure laboratory (hours; needs root)
#   make bench-serve REPOSITORY=path [BENCH_OPTS=..]
#                              what fetches cost the server, beside stock Git
#   make bench-walks REPOSITORY=path [BENCH_OPTS=..]
#                              what walks through history and all objects cost, beside stock Git
#   make bench-client REPOSITORY=path [BENCH_OPTS=..]
#                              clones, fetches, checkout, reset, diff and status, beside stock Git
#   make doc | bench | bench-refs | bench-push | demo | meson | clean
#
# Variables: B (build directory), CC, CFLAGS, LDFLAGS, DEVELOPER (1: warnings
# are errors; the default in a checkout), JOBS (tests at a time), TEST_OPTS.
# NO_CURL=1: without libcurl and expat. There is no client for http then (git-remote-http); servers, http-backend
# too, need none. NO_EXPAT=1: without expat. Such a client does not push to servers that know only files (WebDAV).
# NO_PCRE2=1: without PCRE2. There is no `grep -P` then, and `grep -i` is slower.

# (-R below removes make's own values of these.)
ifneq ($(filter default undefined,$(origin CC)),)
CC := gcc
endif
ifneq ($(filter default undefined,$(origin AR)),)
AR := ar
endif
B ?= build
# Three times as many as processors: tests wait as well, for the disk and for each other.
JOBS ?= $(shell echo $$((3 * $$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2))))
CFLAGS ?= -g -O2
ifneq ($(wildcard .git),)
DEVELOPER ?= 1
endif

prefix ?= /usr/local
bindir ?= $(prefix)/bin
libexecdir ?= $(prefix)/libexec
execdir ?= $(libexecdir)/git-core
datadir ?= $(prefix)/share
mandir ?= $(datadir)/man
# The system's own settings: filters and credential helpers that packages put there.
ifneq ($(filter /usr /usr/local,$(prefix)),)
sysconfdir ?= /etc
else
sysconfdir ?= $(prefix)/etc
endif

# ---- what is built --------------------------------------------------------

DIRS := compat util hash fs fsync config object pack pack/receive pack/write refs refs/files refs/reftable odb \
	odb/stage repo sign operation history history/graph history/names history/bitmap history/revision \
	history/describe history/reach history/blame history/lines grep pretty reflist maintain maintain/tasks index diff merge attr \
	packing submodule worktree worktree/linked apply mail hunks archive fastimport wire intake credential transport transport/fetch transport/push \
	transport/http upload relay receive commit cli notes porcelain porcelain/clone sequence cli/choose builtin builtin/branch builtin/cat-file \
	builtin/checkout builtin/config builtin/credential builtin/diff builtin/fsck builtin/log \
	builtin/maintenance builtin/pack builtin/fetch builtin/push builtin/refs builtin/remote \
	builtin/remote-http builtin/rev-list builtin/rev-parse builtin/server builtin/daemon \
	builtin/http-backend builtin/tag builtin/commit builtin/merge builtin/pull builtin/pick builtin/am builtin/stash \
	builtin/rebase builtin/notes builtin/replace builtin/bisect builtin/linked builtin/grep builtin/range-diff builtin/repo builtin/format-patch builtin/stream \

# The file with main(); all others are in the library.
MAIN     := $(firstword $(wildcard git-main.c git.c))
# A program of its own, since it needs libcurl and expat, which would cost each other command milliseconds at its start.
HTTP_MAIN := git-remote-http.c
# Sources that need libcurl.
CURL_SRC := $(wildcard transport/http/*.c builtin/remote-http/*.c)
LIB_SRC  := $(filter-out $(MAIN) $(HTTP_MAIN) $(if $(NO_CURL),$(CURL_SRC)),$(wildcard *.c) $(wildcard $(DIRS:=/*.c)))
LIB_OBJ  := $(LIB_SRC:%.c=$(B)/%.o)
LIB      := $(B)/libsluice.a
GIT      := $(if $(MAIN),$(B)/git)
HTTP_NAMES := $(if $(NO_CURL),,git-remote-https git-http-fetch $(if $(NO_EXPAT),,git-http-push))
HTTP_LINKS := $(HTTP_NAMES:%=$(B)/%)
HTTP     := $(if $(NO_CURL),,$(B)/git-remote-http $(HTTP_LINKS))

# Makes system calls fail; for unit tests and helpers.
FAULT    := $(B)/t/fault.o
# Makes packs by hand; for both, too.
CRAFT    := $(B)/t/pack-craft.o
# t/unit/test-*.c are programs; other files there are linked into each.
UNIT_SRC := $(filter-out $(if $(NO_CURL),$(wildcard t/unit/test-http-*.c)),$(wildcard t/unit/test-*.c))
UNIT_AUX := $(patsubst %.c,$(B)/%.o,$(filter-out $(wildcard t/unit/test-*.c),$(wildcard t/unit/*.c))) \
	$(B)/t/crash/replay.o $(FAULT) $(CRAFT)
UNIT     := $(UNIT_SRC:%.c=$(B)/%)
# t/helper/*.c are programs that shell tests call.
HELPER   := $(patsubst %.c,$(B)/%,$(wildcard t/helper/*.c))
# t/fuzz/fuzz-*.c are fuzzing targets; t0160 runs each of them for a moment.
FUZZ     := $(patsubst %.c,$(B)/%,$(filter-out $(if $(NO_CURL),$(wildcard t/fuzz/fuzz-http-*.c)),$(wildcard t/fuzz/fuzz-*.c)))
# t/crash: the power-failure laboratory. Only its disk and fold-fs need libfuse3, and only
# `make crash`, the smoke test and t2040 need them.
CRASH      := $(addprefix $(B)/t/crash/,disk replay tiny beside fold-fs)
CRASH_TEST := $(if $(shell pkg-config --exists fuse3 2>/dev/null && echo yes),$(CRASH))
# The longest ones come first, then the unit tests: none of them is alone at the end, beside idle processors.
LONGEST  := $(wildcard $(addprefix t/,interop/t9009-*.sh t3200-*.sh t0100-*.sh t5537-*.sh t7510-*.sh t0002-*.sh t1410-*.sh \
	interop/t9010-*.sh t1420-*.sh t5406-*.sh t0110-*.sh t0102-*.sh t0109-*.sh t0111-*.sh t7501-*.sh t1078-*.sh \
	t5534-upload-share.sh t5520-*.sh t0112-*.sh t0113-*.sh t0161-*.sh t7502-*.sh interop/t9003-*.sh t2040-*.sh))
SHELL_TESTS := $(LONGEST) $(filter-out $(LONGEST),$(sort $(wildcard t/t[0-9]*.sh) $(wildcard t/interop/t[0-9]*.sh)))

# ---- flags ----------------------------------------------------------------

# No built-in rules: every rule is in this file.
MAKEFLAGS += -rR
.SUFFIXES:
.DELETE_ON_ERROR:

STD    := -std=gnu11
WARN   := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith
ifeq ($(DEVELOPER),1)
WARN   += -Werror
endif
# A sanitizer's checks give gcc paths that nothing takes (a null pointer that has been reported, and is used), and it warns of
# them. clang does not know these options.
ifneq ($(findstring -fsanitize,$(CC) $(CFLAGS)),)
WARN   += -Wno-format-overflow -Wno-array-bounds -Wno-maybe-uninitialized -Wno-unknown-warning-option
endif
# Each shared library costs every command a tenth of a millisecond at its start, and libcrypto, of
# which we use the SHA functions alone (40 kB), a whole one for its relocations. So archives are
# linked where there are some; CRYPTO_LIB=-lcrypto DEFLATE_LIB=-ldeflate Z_LIB=-lz links shared ones.
comma   := ,
archive = $(or $(filter /%,$(shell $(CC) -print-file-name=lib$(1).a)),-l$(1))
CRYPTO_LIB  ?= $(call archive,crypto)
DEFLATE_LIB ?= $(call archive,deflate)
Z_LIB       ?= $(call archive,z)
PCRE2_LIB   ?= $(if $(NO_PCRE2),,$(call archive,pcre2-8))
# What libcrypto.a does before main() waits for the first hash: hash/hash.c. (The names of an archive are at its beginning.)
TARGET := $(shell $(CC) -dumpmachine)
ifneq ($(and $(filter %.a,$(CRYPTO_LIB)),$(filter x86_64-%,$(TARGET)),$(findstring linux,$(TARGET))),)
LATE_CPUID := $(shell head -c 1000000 $(CRYPTO_LIB) | grep -aqw OPENSSL_cpuid_setup && echo yes)
endif
LIBS   := $(if $(LATE_CPUID),-Wl$(comma)--wrap=OPENSSL_cpuid_setup) $(CRYPTO_LIB) $(DEFLATE_LIB) $(Z_LIB) $(PCRE2_LIB) -lpthread
CURL_LIBS ?= -lcurl $(if $(NO_EXPAT),,-lexpat)
# For folders of later work: EXPAT_LIBS and so on go here.
EXTRA_LIBS ?=
UNIT_LIBS  := -lcmocka

ALL_CFLAGS = $(STD) $(CFLAGS) $(WARN) $(if $(NO_EXPAT),-DNO_EXPAT) $(if $(LATE_CPUID),-DLATE_CPUID) -I. -I$(B) -MMD -MP
COMPILE    = $(CC) $(ALL_CFLAGS) $(if $(NO_PCRE2),-DNO_PCRE2) $(CPPFLAGS)
LINK       = $(CC) $(STD) $(CFLAGS) $(LDFLAGS)

ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @echo "  $(1)	$@"
endif

# ---- rules ----------------------------------------------------------------

.PHONY: all unit
all: $(LIB) $(GIT) $(HTTP) $(B)/links
unit: $(UNIT) $(HELPER) $(FUZZ) $(CRASH_TEST)

# Writes the file only if its text changes, so that other flags rebuild everything
# and the same flags nothing.
define write_if_changed
@mkdir -p $(@D)
@printf '%s\n' $(1) >$@.new
@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
endef

.PHONY: FORCE
FORCE:
$(B)/flags: FORCE
	$(call write_if_changed,'$(filter-out ccache,$(COMPILE))')
$(B)/link-flags: FORCE
	$(call write_if_changed,'$(LINK) $(CURL_LIBS) $(LIBS) $(EXTRA_LIBS)')
$(B)/lib-objects: FORCE
	$(call write_if_changed,'$(LIB_OBJ)')

# Paths and the version, compiled into the program.
$(B)/build-info.h: FORCE
	$(call write_if_changed,\
		'/* Generated by the build. */' \
		'#define SLUICE_VERSION "$(VERSION)"' \
		'#define SLUICE_PREFIX "$(prefix)"' \
		'#define SLUICE_EXEC_PATH "$(execdir)"' \
		'#define SLUICE_DATA_DIR "$(datadir)"' \
		'#define SLUICE_MAN_DIR "$(mandir)"' \
		'#define SLUICE_SYSCONF_DIR "$(sysconfdir)"')
VERSION := $(shell cat VERSION 2>/dev/null || echo 0)

$(B)/%.o: %.c $(B)/flags | $(B)/build-info.h
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(COMPILE) -c -o $@ $<

# Removed first, so that no object stays inside whose source has been deleted.
$(LIB): $(LIB_OBJ) $(B)/lib-objects
	$(call say,AR)
	@rm -f $@
	$(Q)$(AR) rcs $@ $(LIB_OBJ)

$(B)/git: $(MAIN:%.c=$(B)/%.o) $(LIB) $(B)/link-flags
	$(call say,LINK)
	$(Q)$(LINK) -o $@ $(MAIN:%.c=$(B)/%.o) $(LIB) $(LIBS) $(EXTRA_LIBS)

# The names of the installed links. From the source, so that one system can build for another.
$(B)/links: git.c tools/list-links Makefile $(B)/link-names
	$(Q)tools/list-links $(HTTP_NAMES) >$@
$(B)/link-names: FORCE
	$(call write_if_changed,'$(HTTP_NAMES)')

$(B)/git-remote-http: $(HTTP_MAIN:%.c=$(B)/%.o) $(LIB) $(B)/link-flags
	$(call say,LINK)
	$(Q)$(LINK) -o $@ $(HTTP_MAIN:%.c=$(B)/%.o) $(LIB) $(CURL_LIBS) $(LIBS) $(EXTRA_LIBS)
$(HTTP_LINKS): $(B)/git-remote-http
	$(Q)ln -sf git-remote-http $@

$(UNIT): $(B)/t/unit/%: $(B)/t/unit/%.o $(UNIT_AUX) $(LIB) $(B)/link-flags
	$(call say,LINK)
	$(Q)$(LINK) -o $@ $< $(UNIT_AUX) $(LIB) $(UNIT_LIBS) $(LIBS) $(EXTRA_LIBS)

$(HELPER): $(B)/t/helper/%: $(B)/t/helper/%.o $(FAULT) $(CRAFT) $(LIB) $(B)/link-flags
	$(call say,LINK)
	$(Q)$(LINK) -o $@ $< $(FAULT) $(CRAFT) $(LIB) $(LIBS) $(EXTRA_LIBS)

# Fuzzing targets. FUZZ_ENGINE=-fsanitize=fuzzer (clang) has a main() of its own;
# without it t/fuzz/main.c runs them on files and on random input.
FUZZ_AUX  = $(B)/t/fuzz/scratch.o $(CRAFT) $(if $(FUZZ_ENGINE),,$(B)/t/fuzz/main.o)
FUZZ_CURL = $(addprefix $(B)/t/fuzz/fuzz-http-,redirect walk)
FUZZ_TIME ?=
FUZZ_TARGETS ?=
.PHONY: fuzz
ifeq ($(FUZZ_TIME),)
fuzz: $(FUZZ)
else
fuzz: FUZZ_BUILD = $(if $(FUZZ_ENGINE),build-fuzz,build-asan)
fuzz:
	$(Q)$(MAKE) B=$(FUZZ_BUILD) FUZZ_TIME= \
		CFLAGS='$(SAN_FLAGS)$(if $(FUZZ_ENGINE), -fsanitize=fuzzer-no-link)' all fuzz
	$(Q)nice t/fuzz/run --build $(FUZZ_BUILD) --time $(FUZZ_TIME) \
		$(if $(FUZZ_ENGINE),--libfuzzer) $(FUZZ_TARGETS)
endif
$(FUZZ): $(B)/t/fuzz/%: $(B)/t/fuzz/%.o $(FUZZ_AUX) $(LIB) $(B)/link-flags
	$(call say,LINK)
	$(Q)$(LINK) $(FUZZ_ENGINE) -o $@ $< $(FUZZ_AUX) $(LIB) $(if $(filter $@,$(FUZZ_CURL)),$(CURL_LIBS)) $(LIBS) $(EXTRA_LIBS)

-include $(FUZZ:=.d) $(FUZZ_AUX:.o=.d)
-include $(LIB_OBJ:.o=.d) $(MAIN:%.c=$(B)/%.d) $(HTTP_MAIN:%.c=$(B)/%.d) $(UNIT:=.d) $(UNIT_AUX:.o=.d) $(HELPER:=.d)

# Objects of tests are kept: make would remove them as intermediate files.
.SECONDARY:

# ---- tests ----------------------------------------------------------------

# T names tests: 't1000-foo.sh', 't1*', 'test-strbuf', or paths under t/.
TESTS = $(if $(T),$(call pick,$(T)),$(LONGEST) $(UNIT) $(filter-out $(LONGEST),$(SHELL_TESTS)))
pick  = $(or $(sort $(foreach t,$(1),\
	$(wildcard t/$(t) t/interop/$(t)) \
	$(filter $(B)/t/unit/$(subst *,%,$(notdir $(t:.c=))),$(UNIT)))),\
	$(error no test is called '$(1)'))

PROVE_OPTS ?=
# If tests are named, only what they need is built.
.PHONY: test
test: all $(if $(T),$(filter $(UNIT),$(TESTS)) $(HELPER) \
		$(if $(findstring fuzz,$(TESTS)),$(FUZZ)) \
		$(if $(findstring crash,$(TESTS))$(findstring t0108,$(TESTS))$(findstring t2040,$(TESTS)),$(CRASH_TEST)),unit)
	$(Q)CMOCKA_MESSAGE_OUTPUT=TAP GIT_BUILD_DIR='$(abspath $(B))' \
	prove --jobs $(JOBS) $(PROVE_OPTS) --exec t/run-test \
		$(filter-out t/test-lib.sh,$(TESTS)) $(if $(TEST_OPTS),:: $(TEST_OPTS))

# Scripts that are shorter without GIT_TEST_LONG.
SWEEPS = $(sort $(notdir $(shell grep -lE 'GIT_TEST_LONG|lib-sweep[.]sh|calls_of' $(SHELL_TESTS))))
.PHONY: sweep
sweep:
	$(Q)GIT_TEST_LONG=1 $(MAKE) test T='$(or $(T),$(SWEEPS))'

.PHONY: compare-walks
compare-walks: all
	$(Q)dir=$$(mktemp -d) && t/interop/walks.py $(abspath $(GIT)) '$(STOCK_GIT)' "$$dir" \
		$(or $(SEED),1) $(or $(COUNT),2000) -k; rc=$$?; rm -rf "$$dir"; exit $$rc

.PHONY: compare-upkeep
compare-upkeep: all
	$(Q)dir=$$(mktemp -d) && t/interop/upkeep.py $(abspath $(GIT)) '$(STOCK_GIT)' "$$dir" \
		$(or $(SEED),1) $(or $(COUNT),1200) -k; rc=$$?; rm -rf "$$dir"; exit $$rc

# By seed, beside STOCK_GIT: COUNT histories with and without renamed files and directories and several merge bases, each
# merged in seven ways; then TURNS merges in a working tree, rebases, sequences of picks, series of patches, and stashes; then PATCHES that
# are applied, and as many series as mails; then STEPS changes of refs in tables.
.PHONY: differential
differential: all
	$(Q)dir=$$(mktemp -d) && rc=0 && for o in r rdm rdmT rc; do mkdir "$$dir/$$o" && t/interop/merges.py -k -$$o \
		$(abspath $(GIT)) '$(STOCK_GIT)' "$$dir/$$o" $(or $(COUNT),500) $(or $(SEED),1) || rc=1; done; \
		t/interop/email-format.py $(abspath $(GIT)) '$(STOCK_GIT)' $(or $(COUNT),500) $(or $(SEED),1) || rc=1; \
	for script in 'merge-command.py -k -r -d' rebase-turns.py 'rebase-turns.py --apply' pick-turns.py am.py; do t/interop/$$script \
		$(abspath $(GIT)) '$(STOCK_GIT)' "$$dir/turns" $(or $(TURNS),100) $(or $(SEED),1) || rc=1; done; \
	for run in $(foreach t,stash notes replace history-tools bisect-steps add-patch fast-export,$t:$(or $(TURNS),100)) \
		replay:$(or $(COUNT),50) \
		$(foreach t,apply format-patch range-diff,$t:$(or $(PATCHES),500)) \
		grep:$(or $(EXPRESSIONS),1000) blame:$(or $(RANGES),300) mail:$(or $(COUNT),500); do \
		OUR_GIT=$(abspath $(GIT)) PEER_GIT='$(STOCK_GIT)' t/interop/$${run%:*}.py $(or $(SEED),1) $${run#*:} || rc=1; done; \
	for hash in sha1 sha256; do OUR_GIT=$(abspath $(GIT)) PEER_GIT='$(STOCK_GIT)' t/interop/reftable.py $(or $(SEED),1) \
		$(or $(STEPS),2000) $$hash || rc=1; done; \
	rm -rf "$$dir"; exit $$rc

# The parents of each merge in the history of REPOSITORY, merged anew. The repository itself is not changed.
.PHONY: merges
merges: all
	$(Q)dir=$$(mktemp -d) && '$(STOCK_GIT)' clone -q --bare --shared '$(REPOSITORY)' "$$dir/r" && \
		t/interop/merges.py -R $(abspath $(GIT)) '$(STOCK_GIT)' "$$dir/r"; rc=$$?; rm -rf "$$dir"; exit $$rc

.PHONY: interop
interop: all
	$(Q)t/interop/serve-matrix --git='$(or $(GIT_PROGRAM),$(abspath $(B))/git)' $(if $(OTHERS),--others='$(OTHERS)') \
		$(INTEROP_OPTS) $(REPOSITORY)
	$(Q)t/interop/client-matrix --git='$(or $(GIT_PROGRAM),$(abspath $(B))/git)' $(if $(OTHERS),--others='$(OTHERS)') \
		$(INTEROP_OPTS) $(REPOSITORY)
	$(Q)t/interop/push-matrix --git='$(or $(GIT_PROGRAM),$(abspath $(B))/git)' $(if $(OTHERS),--others='$(OTHERS)') \
		$(INTEROP_OPTS) $(REPOSITORY)

.PHONY: check
check:
	$(Q)tools/check-layers
	$(Q)tools/check-calls
	$(Q)CC='$(CC)' tools/check-headers $(B)
	$(Q)JOBS='$(or $(CHECK_JOBS),2)' tools/check-targets $(B)
	$(Q)tools/check-shell
	$(Q)tools/check-words
	$(Q)tools/without-rule --check

# Headers of other systems' C libraries, for tools/check-targets. About 100 MB are fetched.
.PHONY: target-headers
target-headers:
	$(Q)python3 -m pip install --quiet --target '$(B)/ziglang' ziglang

# ---- test variants --------------------------------------------------------

SAN_FLAGS := -g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined \
	-fno-sanitize-recover=undefined
# A test starts thousands of processes. Without the texts of the undefined-behaviour sanitizer, 9 MB of data, and at
# a fixed address, each starts in a third of the time. A check that fails ends the process by SIGILL; REPORT=1
# builds with the texts.
SUITE_SAN_FLAGS = $(SAN_FLAGS)$(if $(REPORT),, -fsanitize-undefined-trap-on-error)
LEAKS ?= 1
.PHONY: sanitize
sanitize:
	$(Q)GIT_TEST_TIMEOUT=3600 GIT_TEST_LEAKS=$(LEAKS) \
	$(MAKE) B=build-asan CFLAGS='$(SUITE_SAN_FLAGS)' LDFLAGS='$(LDFLAGS) -no-pie' test

# Code that runs in threads: the unit tests, objects, the index, files that are read or written, and refs with
# several writers.
TSAN_FLAGS := -g -O1 -fno-omit-frame-pointer -fsanitize=thread
TSAN_TESTS := test-* t0102* t1040* t1415* t1530* t2032* t2041* t2200* t7508* t781* t8005* t8006* t9302*
.PHONY: tsan
tsan:
	$(Q)GIT_TEST_TIMEOUT=3600 TSAN_OPTIONS=halt_on_error=1:abort_on_error=1 \
	$(MAKE) B=build-tsan CFLAGS='$(TSAN_FLAGS)' test T='$(or $(T),$(TSAN_TESTS))'

# The lines that tests reach: a table for each file, and pages in build-coverage/html.
.PHONY: coverage
coverage:
	$(Q)command -v gcovr >/dev/null || { echo >&2 "error: gcovr is missing: './dev coverage' installs it"; exit 1; }
	$(Q)$(MAKE) B=build-coverage CFLAGS='-g -O0 --coverage -fprofile-update=atomic' test
	$(Q)mkdir -p build-coverage/html
	$(Q)gcovr --root . --object-directory build-coverage --exclude 't/' --exclude 'build' \
		--html-details build-coverage/html/index.html --txt

# For editors and clang tools: how each source is compiled.
.PHONY: compile_commands
compile_commands: $(B)/build-info.h
	$(Q){ echo '['; \
	for f in $(LIB_SRC) $(MAIN) $(if $(NO_CURL),,$(HTTP_MAIN)) $(UNIT_SRC); do \
		printf '%s{"directory": "%s", "file": "%s", "command": "%s -c -o %s %s"}' "$$comma" '$(CURDIR)' "$$f" \
			"$$(printf '%s' '$(COMPILE)' | sed 's/["\\]/\\&/g')" "$(B)/$${f%.c}.o" "$$f"; \
		comma=",$$(printf '\nx')"; comma=$${comma%x}; \
	done; echo; echo ']'; } >compile_commands.json

# One script of each kind; V_TESTS or T choose others.
V_TESTS ?= $(patsubst t/%,%,$(wildcard t/t[1234]*0-*.sh))
.PHONY: valgrind
valgrind: all
	$(Q)GIT_TEST_TIMEOUT=3600 GIT_TEST_VALGRIND=1 $(MAKE) test T='$(or $(T),$(V_TESTS))'

# The whole suite in each variant that an environment variable chooses.
# Commas stand for blanks. SHA-1 with refs in files is the plain run.
VARIANTS ?= GIT_TEST_DEFAULT_HASH=sha256 GIT_TEST_DEFAULT_REF_FORMAT=reftable \
	GIT_TEST_DEFAULT_HASH=sha256,GIT_TEST_DEFAULT_REF_FORMAT=reftable \
	GIT_TEST_FSYNC_METHOD=fsync GIT_TEST_FSYNC_METHOD=writeout-only
VARIANTS_ALSO ?= lean
.PHONY: variants
variants: all $(VARIANTS_ALSO)
	$(Q)for v in $(VARIANTS); do \
		echo "== $$v"; env $$(echo "$$v" | tr , " ") $(MAKE) test || exit 1; \
	done

# In continuous integration, after the plain run: scripts about refs and what changes them, with the first three variants.
# Those that compare with stock Git need 2.45 or later where refs are in tables. Minutes, not hours.
SAMPLE ?= t0100* t0103* t1433* t1400* t1417* t1421* t143[01456]* t1500* t1530* t2400* t3200* t5304* t5305* t540[01]* t5500* \
	t5510* t5516* t5530* t5538* t5601* t5700* t6300* t6500* t7004* t7600* t7601* t7611* t7620* t7630* t7900* test-refs*
.PHONY: sample-variants
sample-variants:
	$(Q)$(MAKE) variants VARIANTS='$(wordlist 1,3,$(VARIANTS))' T='$(or $(T),$(SAMPLE))' VARIANTS_ALSO=

# Without expat and PCRE2, then without libcurl: each links, and says what it lacks.
.PHONY: lean
lean:
	$(Q)$(MAKE) B=build-lean NO_EXPAT=1 NO_PCRE2=1 all && tools/check-lean build-lean expat pcre2
	$(Q)rm -f build-lean/git-*http*
	$(Q)$(MAKE) B=build-lean NO_CURL=1 NO_EXPAT= NO_PCRE2= all && tools/check-lean build-lean curl expat

# Other architectures, from Debian's cross compilers and a root of their libraries (tools/arch-root). 32 bits: this
# machine runs them itself. Big endian: qemu runs them, without seccomp and Landlock.
ARCH_TRIPLET_i386  := i686-linux-gnu
ARCH_LIB_i386      := i386-linux-gnu
ARCH_LOADER_i386   := ld-linux.so.2
ARCH_TESTS_i386    :=
ARCH_TRIPLET_s390x := s390x-linux-gnu
ARCH_LIB_s390x     := s390x-linux-gnu
ARCH_LOADER_s390x  := ld64.so.1
ARCH_TESTS_s390x   := test-* t10* t11* t12* t13* t14*
ARCHITECTURES ?= i386 s390x
.PHONY: variants-arch $(ARCHITECTURES:%=variant-%)
variants-arch: $(ARCHITECTURES:%=variant-%)
$(ARCHITECTURES:%=variant-%): variant-%:
	$(Q)command -v $(ARCH_TRIPLET_$*)-gcc >/dev/null || \
		{ echo >&2 "error: $(ARCH_TRIPLET_$*)-gcc is missing: './dev $@' installs it"; exit 1; }
	$(Q)test $* != s390x || test -e /proc/sys/fs/binfmt_misc/qemu-s390x || \
		{ echo >&2 "error: this kernel runs no s390x programs: './dev $@' installs qemu-user-static; binfmt_misc has to be mounted"; exit 1; }
	$(Q)tools/arch-root $* build-$*/root
	$(Q)root='$(abspath build-$*)/root'; lib=$(ARCH_LIB_$*); \
	GIT_TEST_TIMEOUT=3600 GCONV_PATH="$$root/gconv" \
	$(MAKE) B=build-$* CC="$(CCACHE) $(ARCH_TRIPLET_$*)-gcc --sysroot=$$root -Wno-psabi" \
		LDFLAGS="-Wl,--dynamic-linker=$$root/lib/$(ARCH_LOADER_$*) -Wl,--disable-new-dtags -Wl,-rpath,$$root/usr/lib/$$lib:$$root/lib/$$lib -Wl,-rpath-link,$$root/usr/lib/$$lib:$$root/lib/$$lib" \
		CRASH_TEST= test T='$(or $(T),$(ARCH_TESTS_$*))'

.PHONY: meson
meson:
	$(Q)test -f build-meson/build.ninja || meson setup build-meson
	$(Q)meson setup --reconfigure build-meson >/dev/null
	$(Q)meson test -C build-meson --num-processes $(JOBS) --print-errorlogs

# Options: MUTATE_OPTS='--files refs/* --count 50', see tools/mutate.
.PHONY: mutate
mutate: $(B)/build-info.h
	$(Q)tools/mutate $(MUTATE_OPTS)

# ---- demo, benchmarks -----------------------------------------------------

.PHONY: demo bench bench-refs bench-push bench-serve bench-walks bench-client
demo: all
	$(Q)GIT='$(or $(GIT_PROGRAM),$(abspath $(B))/git)' tools/demo $(DEMO_OPTS)
bench: all
	$(Q)GIT='$(or $(GIT_PROGRAM),$(abspath $(B))/git)' t/perf/run $(BENCH_OPTS)
bench-refs: all
	$(Q)GIT='$(or $(GIT_PROGRAM),$(abspath $(B))/git)' t/perf/refs $(BENCH_OPTS)
bench-push: all
	$(Q)GIT='$(or $(GIT_PROGRAM),$(abspath $(B))/git)' t/perf/push $(BENCH_OPTS)
bench-serve: all
	$(Q)GIT='$(or $(GIT_PROGRAM),$(abspath $(B))/git)' t/perf/serve $(BENCH_OPTS) '$(REPOSITORY)'
bench-walks: all
	$(Q)GIT='$(or $(GIT_PROGRAM),$(abspath $(B))/git)' t/perf/walks $(BENCH_OPTS) '$(REPOSITORY)'
bench-client: all
	$(Q)t/perf/client --git='$(or $(GIT_PROGRAM),$(abspath $(B))/git)' $(BENCH_OPTS) '$(REPOSITORY)'

# ---- the power-failure laboratory -----------------------------------------

# CRASH_OPTS: options of t/crash/run; the default is the whole list (see t/crash/README).
CRASH_OPTS ?= --all --jobs=2
FUSE_CFLAGS = $(shell pkg-config --cflags fuse3)
FUSE_LIBS   = $(shell pkg-config --libs fuse3)

# For benchmarks: the least that a durable write can cost.
FLOOR := $(addprefix $(B)/t/perf/,floor refs-floor reftable-floor files-floor)
$(FLOOR): $(B)/t/perf/%: $(B)/t/perf/%.o $(LIB) $(B)/link-flags
	$(call say,LINK)
	$(Q)$(LINK) -o $@ $< $(LIB) $(LIBS) $(EXTRA_LIBS)

.PHONY: crash crash-programs
crash-programs: $(CRASH) $(FLOOR) $(B)/t/helper/fault-git
crash: all crash-programs
	$(Q)t/crash/run --bin='$(abspath $(B))/t/crash' --results='$(abspath $(B))/crash' $(CRASH_OPTS)

$(B)/t/crash/disk.o $(B)/t/crash/fold-fs.o: private COMPILE += $(FUSE_CFLAGS)
$(CRASH): $(B)/t/crash/%: $(B)/t/crash/%.o $(B)/link-flags
	$(call say,LINK)
	$(Q)$(LINK) -o $@ $(filter %.o,$^) -lpthread $(if $(filter %/disk %/fold-fs,$@),$(FUSE_LIBS))
$(B)/t/crash/replay: $(B)/t/crash/replay-main.o

-include $(CRASH:=.d) $(B)/t/crash/replay-main.d $(FLOOR:=.d)

# ---- documentation --------------------------------------------------------

MAN_ADOC := $(wildcard Documentation/git*.adoc)
PAGES    := $(filter-out $(MAN_ADOC),$(wildcard Documentation/*.adoc))
HTML     := $(PAGES:Documentation/%.adoc=$(B)/html/%.html)

ASCIIDOCTOR ?= asciidoctor
HAVE_ASCIIDOCTOR := $(shell command -v $(ASCIIDOCTOR) 2>/dev/null)
MAN_FLAGS := -d manpage -a manmanual='Sluice manual' -a mansource='Sluice' \
	--failure-level WARN

.PHONY: doc
doc: $(B)/man/made $(B)/html/made $(HTML)

# All manual pages in one run: starting asciidoctor takes longer than a page.
$(B)/man/made: $(MAN_ADOC)
	@mkdir -p $(@D)
	$(call say,MAN)
	$(Q)$(ASCIIDOCTOR) -b manpage $(MAN_FLAGS) -D $(@D) $^
	@touch $@
$(B)/html/made: $(MAN_ADOC)
	@mkdir -p $(@D)
	$(call say,HTML)
	$(Q)$(ASCIIDOCTOR) -b html5 $(MAN_FLAGS) -D $(@D) $^
	@touch $@
$(B)/html/%.html: Documentation/%.adoc
	@mkdir -p $(@D)
	$(call say,HTML)
	$(Q)$(ASCIIDOCTOR) -b html5 --failure-level WARN -o $@ $<

# ---- installation ---------------------------------------------------------

INSTALL ?= install
.PHONY: install install-man
install: all install-man
	$(Q)test -x $(B)/git || { echo >&2 "error: '$(B)/git' is not built"; exit 1; }
	$(Q)$(INSTALL) -d '$(DESTDIR)$(bindir)'
	$(Q)$(INSTALL) -m 755 $(B)/git '$(DESTDIR)$(bindir)/git'
	$(Q)$(INSTALL) -d '$(DESTDIR)$(execdir)'
ifeq ($(NO_CURL),)
	$(Q)$(INSTALL) -m 755 $(B)/git-remote-http '$(DESTDIR)$(execdir)/git-remote-http'
endif
	$(Q)DESTDIR='$(DESTDIR)' tools/install-links '$(bindir)' '$(execdir)' $(B)/links
	@echo "installed in $(DESTDIR)$(prefix)"

.PHONY: uninstall
uninstall: $(B)/links
	$(Q)DESTDIR='$(DESTDIR)' tools/install-links --remove '$(bindir)' '$(execdir)' $(B)/links
	$(Q)rm -f $(MAN_ADOC:Documentation/%.adoc='$(DESTDIR)$(mandir)/man1/%.1')

ifneq ($(HAVE_ASCIIDOCTOR),)
install-man: $(B)/man/made
	$(Q)$(INSTALL) -d '$(DESTDIR)$(mandir)/man1'
	$(Q)$(INSTALL) -m 644 $(MAN_ADOC:Documentation/%.adoc=$(B)/man/%.1) \
		'$(DESTDIR)$(mandir)/man1/'
else
install-man:
	@echo >&2 "manual pages not installed: asciidoctor is missing"
endif

.PHONY: clean
clean:
	rm -rf $(B) build-asan build-tsan build-lean build-coverage build-meson
