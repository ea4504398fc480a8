# SPDX-License-Identifier: MIT
# The front door; Meson does the work.
#
# PREFIX is /usr/local unless it is given, or the prefix that $(BUILD) has already. STATIC=1 also
# builds and installs libtally.a. DESTDIR stages an installation.
BUILD ?= build

.PHONY: all deps deps-vm deps-page deps-clients deps-fleet deps-packages deps-site build site packages run test test-vm test-page test-clients test-fleet test-packages test-all test-long mutation fuzz fuzz-check check abi-update bench install uninstall clean

all: build

deps: ## install what the build lacks (apt)
	@tools/deps build

deps-vm: ## what `tally vm` needs: QEMU, busybox, and a kernel that is unpacked but not installed
	@tools/deps vm

deps-page: ## what the tests of pages need: Chromium, and playwright-core from npm
	@tools/deps page

deps-fleet: ## what the tests of a fleet need: ClickHouse, ZooKeeper
	@tools/deps fleet

deps-clients: ## what the tests of clients need: Mesa's drivers, Vulkan's and OpenCL's tools
	@tools/deps clients

deps-packages: ## what the Debian packages and their tests need: debhelper, lintian, debootstrap
	@tools/deps build packages site

deps-site: ## what the documentation as a site needs: python3-markdown-it, mandoc
	@tools/deps site

build: deps ## the command (build/tally), the library, the preloaded library, manual pages
	@PREFIX='$(PREFIX)' STATIC='$(STATIC)' tools/build $(BUILD)

site: build deps-site ## the documentation as HTML, in $(BUILD)/site: index.html
	@tools/site $(BUILD) $(BUILD)/site

packages: deps-packages ## Debian packages of the tree, in $(BUILD)/packages
	@tools/package $(BUILD)

run: build ## the main job: records a modelled GPU; a table, and CSV beside it
	@tools/run $(BUILD)

test: build ## every test that needs no GPU
	@tools/deps test
	@tools/test $(BUILD)

test-long: build ## the same with 50 times as many random cases: hours
	@tools/deps test
	@tools/test --long $(BUILD)

test-vm: build ## boots a kernel on virtual machines, several at once (TESTS="test_boot.py", JOBS=1)
	@tools/deps test
	@JOBS='$(JOBS)' tools/test-vm $(BUILD) $(TESTS)

test-page: build ## opens exported pages in a headless Chromium (TESTS=cursor_values_equal_the_export)
	@tools/test-page $(BUILD) $(TESTS)

test-fleet: build deps-fleet ## a store in ClickHouse servers on loopback: two shards, then two shards of two replicas
	@tools/test-fleet $(BUILD)

test-clients: build deps-clients ## programs of Debian on emulated GPUs: intel_gpu_top, perf, Mesa (PLATFORMS="skl tgl")
	@tools/deps test
	@tools/test-clients $(BUILD) $(PLATFORMS)

test-packages: deps-packages ## builds Debian packages, and installs and uses them in a bare Debian (needs root)
	@tools/test-packages $(BUILD)

test-all: build ## make test and make test-vm, with one total
	@tools/deps test
	@tools/deps vm || echo "no machines can be booted: their tests are skipped"
	@tools/test --vm $(BUILD)

mutation: ## changes a line at a time and runs the tests: hours (MUTATION="--count 100 --resume")
	@tools/deps test
	@tools/mutation $(BUILD) $(MUTATION)

FUZZ_TIME ?= 60
fuzz: ## runs each fuzz target for FUZZ_TIME seconds (needs clang; FUZZ="workload xml": only these)
	@tools/deps build
	@tools/fuzz $(BUILD) $(FUZZ_TIME) $(FUZZ)

fuzz-check: ## plants a bug in each parser and checks that its fuzz target finds it (FUZZ_TIME=300 FUZZ="xml")
	@tools/deps build
	@tools/fuzz-check $(BUILD) $(FUZZ_TIME) $(FUZZ)

check: build ## the slow checks (CHECK="tidy abi threads memory bigendian coverage install options")
	@tools/deps check
	@tools/check $(BUILD) $(CHECK)

abi-update: build ## stores the library's public interface, with which `make check` compares
	@tools/deps check
	@tools/abi $(BUILD) --update

bench: build ## the measured figures
	@tools/deps bench
	@tools/bench $(BUILD)

install: build
	@DESTDIR='$(DESTDIR)' meson install -C $(BUILD) --no-rebuild --quiet

uninstall: ## what `make install` installed from $(BUILD); the same DESTDIR
	@DESTDIR='$(DESTDIR)' tools/uninstall $(BUILD)

clean:
	rm -rf $(BUILD) $(BUILD)-*/
