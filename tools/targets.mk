# SPDX-License-Identifier: GPL-2.0-only
#
# Used by tools/check-targets: compiles each source file for one target with clang's -fsyntax-only.
# A stamp and a list of the headers that were read stay in $(OUT), so that the next run compiles
# only what has changed.
#
# Variables: OUT, FLAGS (of the target), SOURCES.

MAKEFLAGS += -rR
.SUFFIXES:
.SECONDEXPANSION:

OK := $(SOURCES:%.c=$(OUT)/%.ok)
all: $(OK)

# Depends on the flags, too: they name the target and the directory of its headers.
FLAGS_NOW = $(FLAGS) $(COMMON)
COMMON := -std=gnu11 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Werror -fsyntax-only -I. -I$(INFO)

$(OUT)/flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(FLAGS_NOW)' >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
.PHONY: all FORCE

$(OUT)/%.ok: %.c $(OUT)/flags
	@mkdir -p $(@D)
	@$(CLANG) $(FLAGS_NOW) -MMD -MP -MF $(OUT)/$*.d -MT $@ $< || { echo >&2 "$<:1: does not compile for $(notdir $(OUT))"; exit 1; }
	@touch $@

-include $(OK:.ok=.d)
