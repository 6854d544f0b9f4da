# pksk: one non-recursive Makefile.
#
# `make run` and `make test` first run `make deps`, which installs what is missing, and then call
# this file again to build: pkg-config is asked only at build time, so that one command takes a bare
# machine to a prompt.

CONFIG  ?= release
BUILD   := build/$(CONFIG)
ifeq ($(origin CC),default)
CC      := gcc
endif
PREFIX  ?= /usr/local
VERSION := 0.1

DEBS := gcc make libc6-dev pkg-config libreadline-dev libncurses-dev libleveldb-dev libcjson-dev \
        libssl-dev libyaml-dev zlib1g-dev libmicrohttpd-dev libcurl4-openssl-dev
TEST_DEBS := libcriterion-dev tmux less python3 git

LEVELDB_LIBS ?= -lleveldb
# flags of readline and curses redefine feature macros and add nothing we need
PKGS := readline ncursesw libcjson libcrypto zlib yaml-0.1 libmicrohttpd

# Flags -----------------------------------------------------------------------------------------
WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes \
        -Wmissing-prototypes -Wold-style-definition -Wformat=2 -Wundef -Wvla -Wcast-qual \
        -Wwrite-strings -Wpointer-arith -Wswitch-enum -Wnull-dereference -Wdouble-promotion \
        -Wimplicit-fallthrough -fno-common
IS_GCC := $(shell $(CC) --version 2>/dev/null | grep -qi clang || echo yes)
ifeq ($(IS_GCC),yes)
WARN += -Wlogical-op -Wduplicated-cond -Wduplicated-branches
endif
ifeq ($(CI)-$(filter-out fuzz coverage,$(CONFIG)),true-$(CONFIG))
WARN += -Werror
endif

OPT_release  := -O2 -g -D_FORTIFY_SOURCE=2 -fstack-protector-strong
OPT_asan     := -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
OPT_tsan     := -O1 -g1 -fsanitize=thread
OPT_coverage := -O0 -g --coverage
OPT_fuzz     := -O1 -g1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
OPT_clang    := -O1
OPT          := $(OPT_$(CONFIG))

ALL_CFLAGS  = -std=c11 -D_GNU_SOURCE -DPKSK_VERSION='"$(VERSION)"' -I. $(WARN) $(OPT) -pthread $(CFLAGS)
ALL_LDFLAGS = $(OPT) -pthread $(LDFLAGS)

# Sources ---------------------------------------------------------------------------------------
ENGINE_SRC   := $(sort $(wildcard engine/*.c engine/*/*.c))
COMMANDS_SRC := $(sort $(wildcard commands/*.c commands/*/*.c))
SHELL_SRC    := $(filter-out shell/main.c,$(sort $(wildcard shell/*.c shell/*/*.c)))
SUPPORT_SRC  := $(sort $(wildcard tests/support/*.c))
HEADERS      := $(sort $(wildcard engine/*.h engine/*/*.h commands/*.h commands/*/*.h shell/*.h shell/*/*.h))

obj = $(patsubst %.c,$(BUILD)/%.o,$(1))
ENGINE_LIB   := $(BUILD)/libengine.a
COMMANDS_LIB := $(BUILD)/libcommands.a
SHELL_LIB    := $(BUILD)/libshell.a
SUPPORT_LIB  := $(BUILD)/libsupport.a

# tests/<layer>/test_*.c: one criterion program a file; tests/<layer>/race_*.c: plain main()
TEST_SRC   := $(sort $(wildcard tests/engine/test_*.c tests/commands/test_*.c tests/shell/test_*.c))
RACE_SRC   := $(sort $(wildcard tests/*/race_*.c))
BENCH_SRC  := $(sort $(wildcard tests/bench/bench_*.c))
BENCH_HTTP_SRC := $(sort $(wildcard tests/bench/http/*.c))
CRASH_SRC  := $(sort $(wildcard tests/crash/crash_*.c))
FUZZ_SRC   := $(sort $(wildcard tests/fuzz/fuzz_*.c))
bin = $(patsubst %.c,$(BUILD)/%,$(1))

# The two commands of the README use all processors, unless they were given -j.
PARALLEL = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

.DEFAULT_GOAL := all
.PHONY: all run deps test-deps test check bench bench-http bench-panel panel-monkey asan tsan tidy fmt headers layering \
        coverage fuzz fuzz-merge crash clients clients-gui install clean help build-tests

all: pksk ## build ./pksk (needs the packages of `make deps`)
	@:

pksk: $(BUILD)/pksk
	@cp -f $< $@

run: deps ## install what is needed, build, open the shell
	@$(MAKE) --no-print-directory $(PARALLEL) all
	@./pksk $(ARGS)

deps: ## install the Debian packages that building needs
	@sh tests/support/deps.sh $(DEBS)

test-deps:
	@sh tests/support/deps.sh $(DEBS) $(TEST_DEBS)

test: test-deps ## install what is needed, build, run every test
	@$(MAKE) --no-print-directory $(PARALLEL) check

# Rules -----------------------------------------------------------------------------------------
$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(PKG_CFLAGS) -MMD -MP -c -o $@ $<

# Third-party flags are asked for once, and not by the goals that install or only call make again.
$(BUILD)/pkg.mk: Makefile
	@mkdir -p $(@D)
	@{ pkg-config --exists $(PKGS); } 2>/dev/null || { echo "libraries are missing: 'make deps' installs them" >&2; exit 1; }
	@printf 'PKG_CFLAGS := %s\nPKG_LIBS := %s\n' \
	    "$$(pkg-config --cflags $(filter-out readline ncursesw,$(PKGS)))" "$$(pkg-config --libs $(PKGS)) $(LEVELDB_LIBS) -lm" > $@
NO_PKG_GOALS := run deps test-deps test asan tsan bench bench-http bench-panel panel-monkey coverage fuzz fuzz-merge tidy \
                clean help fmt layering
ifneq ($(filter-out $(NO_PKG_GOALS),$(or $(MAKECMDGOALS),all)),)
include $(BUILD)/pkg.mk
endif

# An archive is made anew when its list of files changes, too.
SOURCE_LIST := $(ENGINE_SRC) $(COMMANDS_SRC) $(SHELL_SRC) $(SUPPORT_SRC)
$(BUILD)/sources: FORCE
	@mkdir -p $(@D)
	@echo '$(SOURCE_LIST)' | cmp -s - $@ || echo '$(SOURCE_LIST)' > $@
FORCE:

$(ENGINE_LIB): $(call obj,$(ENGINE_SRC)) $(BUILD)/sources
	@rm -f $@; $(AR) rcs $@ $(filter %.o,$^)
$(COMMANDS_LIB): $(call obj,$(COMMANDS_SRC)) $(BUILD)/sources
	@rm -f $@; $(AR) rcs $@ $(filter %.o,$^)
$(SHELL_LIB): $(call obj,$(SHELL_SRC)) $(BUILD)/sources
	@rm -f $@; $(AR) rcs $@ $(filter %.o,$^)
$(SUPPORT_LIB): $(call obj,$(SUPPORT_SRC)) $(BUILD)/sources
	@rm -f $@; $(AR) rcs $@ $(filter %.o,$^)

$(BUILD)/pksk: $(BUILD)/shell/main.o $(SHELL_LIB) $(COMMANDS_LIB) $(ENGINE_LIB)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PKG_LIBS)

# A test links its own layer and what lies below it, nothing above.
$(BUILD)/tests/engine/%: $(BUILD)/tests/engine/%.o $(SUPPORT_LIB) $(ENGINE_LIB)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PKG_LIBS) $(if $(findstring /test_,$@),-lcriterion)
$(BUILD)/tests/commands/%: $(BUILD)/tests/commands/%.o $(SUPPORT_LIB) $(COMMANDS_LIB) $(ENGINE_LIB)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PKG_LIBS) $(if $(findstring /test_,$@),-lcriterion)
$(BUILD)/tests/shell/%: $(BUILD)/tests/shell/%.o $(SUPPORT_LIB) $(SHELL_LIB) $(COMMANDS_LIB) $(ENGINE_LIB)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PKG_LIBS) $(if $(findstring /test_,$@),-lcriterion)
$(BUILD)/tests/bench/%: $(BUILD)/tests/bench/%.o $(SUPPORT_LIB) $(COMMANDS_LIB) $(ENGINE_LIB)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PKG_LIBS)
$(BUILD)/bench_http: $(call obj,$(BENCH_HTTP_SRC)) $(SUPPORT_LIB) $(ENGINE_LIB)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PKG_LIBS)
$(BUILD)/tests/crash/%: $(BUILD)/tests/crash/%.o $(SUPPORT_LIB) $(COMMANDS_LIB) $(ENGINE_LIB)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PKG_LIBS)
$(BUILD)/tests/fuzz/%: $(BUILD)/tests/fuzz/%.o $(SUPPORT_LIB) $(SHELL_LIB) $(COMMANDS_LIB) $(ENGINE_LIB)
	$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(PKG_LIBS)

build-tests: pksk $(call bin,$(TEST_SRC) $(RACE_SRC))

check: build-tests ## run every test (no installing)
	@CONFIG=$(CONFIG) sh tests/run-tests.sh $(call bin,$(TEST_SRC) $(RACE_SRC))
	@sh tests/shell/run-tmux.sh
	@sh tests/shell/run-tmux-panel.sh
	@sh tests/shell/run-tmux-watch.sh
	@sh tests/check-docs.sh
	@sh tests/check-layering.sh

asan: test-deps ## run the criterion tests under ASan and UBSan
	@$(MAKE) --no-print-directory CONFIG=asan asan-check
asan-build: $(call bin,$(TEST_SRC)) $(BUILD)/pksk
asan-check: asan-build
	@CONFIG=asan sh tests/run-tests.sh $(call bin,$(TEST_SRC))

tsan: test-deps ## run the race tests under ThreadSanitizer
	@$(MAKE) --no-print-directory CONFIG=tsan tsan-check
tsan-check: $(call bin,$(RACE_SRC))
	@CONFIG=tsan sh tests/run-tests.sh $(call bin,$(RACE_SRC))

headers: $(patsubst %.h,$(BUILD)/%.h.ok,$(HEADERS)) ## every header compiles alone
	@echo "headers: $(words $(HEADERS)) compile alone"
$(BUILD)/%.h.ok: %.h
	@mkdir -p $(@D)
	@$(CC) $(ALL_CFLAGS) $(PKG_CFLAGS) -fsyntax-only -x c $< && touch $@

layering: ## includes go only to the left
	@sh tests/check-layering.sh

.PHONY: http
http: $(BUILD)/pksk ## the HTTP rules over raw sockets
	@python3 tests/clients/test_http.py $<

bench: deps ## ratios against raw LevelDB
	@$(MAKE) --no-print-directory bench-run
bench-run: $(call bin,$(BENCH_SRC))
	@for b in $(call bin,$(BENCH_SRC)); do $$b || exit 1; done

bench-http: deps ## the endpoint beside an echo server, raw LevelDB and dynalite
	@$(MAKE) --no-print-directory bench-http-run
bench-http-run: $(BUILD)/bench_http $(BUILD)/pksk
	@$< $(BUILD)/pksk

bench-panel: deps ## the panel's CPU, the echo of a key, and what it costs the engine
	@$(MAKE) --no-print-directory bench-panel-run
bench-panel-run: $(BUILD)/pksk
	@python3 tests/bench/bench_panel.py $< $(PANEL_SECONDS)

PANEL_SECONDS ?= 5
MONKEY_SECONDS ?= 600
panel-monkey: test-deps ## random keys and sizes against the panel, with sanitizers (MONKEY_SECONDS)
	@$(MAKE) --no-print-directory CONFIG=asan panel-monkey-run
panel-monkey-run: $(BUILD)/pksk
	@python3 tests/shell/panel-monkey.py $< $(MONKEY_SECONDS)

crash: $(call bin,$(CRASH_SRC)) pksk ## kills under load, full disk, repair (CRASH_ROUNDS=200)
	@CRASH_ROUNDS=$(CRASH_ROUNDS) sh tests/crash/run.sh $(BUILD)

# CLIENTS="boto3 electrodb" runs these only
clients: $(BUILD)/pksk ## SDKs, modelling libraries and the AWS CLI against a served store
	@sh tests/clients/run.sh $< $(CLIENTS)
clients-gui: $(BUILD)/pksk ## dynamodb-admin in a browser against a served store
	@sh tests/clients/run.sh $< admin_gui

CRASH_ROUNDS ?= 200
FUZZ_SECONDS ?= 600
# FUZZ_TARGETS="fuzz_json fuzz_expr" runs these only; FUZZ_REPLAY=1 the kept corpora only
FUZZ_TARGETS ?= $(notdir $(basename $(FUZZ_SRC)))
fuzz: test-deps ## fuzz every parser and decoder, FUZZ_SECONDS each
	@sh tests/support/deps.sh clang libclang-rt-14-dev
	@$(MAKE) --no-print-directory CC=clang CONFIG=fuzz fuzz-run
fuzz-merge: ## make the kept corpora of seeds and of what was found
	@FUZZ_MERGE=1 $(MAKE) --no-print-directory CC=clang CONFIG=fuzz fuzz-run
fuzz-run: $(FUZZ_TARGETS:%=$(BUILD)/tests/fuzz/%)
	@FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_REPLAY=$(FUZZ_REPLAY) sh tests/fuzz/run.sh $^

tidy: deps ## clang-tidy, which takes minutes
	@sh tests/support/deps.sh clang-tidy
	@$(MAKE) --no-print-directory tidy-run
tidy-run:
	@printf '%s\n' $(ENGINE_SRC) $(COMMANDS_SRC) $(SHELL_SRC) shell/main.c | xargs -P $$(nproc) -n 8 \
	    sh -c 'clang-tidy --quiet "$$@" -- -std=c11 -D_GNU_SOURCE -DPKSK_VERSION=\"$(VERSION)\" -I. \
	    $(PKG_CFLAGS)' clang-tidy

fmt: ## format every source file
	@sh tests/support/deps.sh clang-format
	@clang-format -i $$(git ls-files '*.c' '*.h')

coverage: test-deps ## line coverage of the tests (gcovr)
	@sh tests/support/deps.sh gcovr
	@$(MAKE) --no-print-directory CONFIG=coverage check
	@gcovr -r . --object-directory build/coverage -e 'tests/.*' --print-summary

install: all ## install pksk, its manual and its completion below $(PREFIX)
	install -D -m 755 pksk $(DESTDIR)$(PREFIX)/bin/pksk
	install -D -m 644 docs/man/pksk.1 $(DESTDIR)$(PREFIX)/share/man/man1/pksk.1
	install -D -m 644 docs/man/pksk.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/pksk

clean: ## remove what was built
	rm -rf build pksk tests/clients/node_modules

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{ printf "  %-10s %s\n", $$1, $$2 }'

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
.SECONDARY:
