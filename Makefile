# SPDX-License-Identifier: MIT
# The front door; Meson does the work.
BUILD ?= build
PREFIX ?= /usr/local

.PHONY: all deps build run test bench install clean

all: build

deps: ## install what is missing (apt)
	@tools/deps

build: deps ## into build/, the command at build/tally
	@test -f $(BUILD)/build.ninja || meson setup $(BUILD) --prefix=$(PREFIX) >$(BUILD).log 2>&1 || \
	    { cat $(BUILD).log; exit 1; }
	@rm -f $(BUILD).log
	@ninja -C $(BUILD) $(NINJAFLAGS)

run: build ## the main job: records a modelled GPU; a table, and CSV beside it
	@tools/run $(BUILD)

test: build ## every test that needs no GPU
	@tools/test $(BUILD)

bench: build ## the numbers that the project promises
	@tools/bench $(BUILD)

install: build
	@meson install -C $(BUILD)

clean:
	rm -rf $(BUILD)
