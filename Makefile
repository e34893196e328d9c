# Every target installs what it is missing first (Scripts/install), so that each works on a fresh Debian with the Swift toolchain.
SWIFT_RELEASE = swift build -c release --static-swift-stdlib --product deskgate

.PHONY: run test build bench soak check sanitize format

# What `make bench` is given, such as --part webhooks or --quick.
BENCH ?=

# How long `make soak` loads the service.
SECONDS ?= 600

# Which sanitizers `make sanitize` runs every test under.
SANITIZERS ?= thread address

# The port of the configuration that `make run` makes the first time.
PORT ?=

run:
	Scripts/install run
	$(SWIFT_RELEASE)
	PORT=$(PORT) Scripts/run

build:
	Scripts/install build
	$(SWIFT_RELEASE)

test:
	Scripts/install test
	Scripts/test

check:
	Scripts/install check
	Scripts/check

bench: build
	Scripts/install bench
	Scripts/bench $(BENCH)

soak: build
	Scripts/install soak
	Scripts/soak $(SECONDS)

sanitize:
	Scripts/install test
	for kind in $(SANITIZERS); do Scripts/sanitize $$kind || exit 1; done

format:
	swift format --in-place --recursive Package.swift Sources Tests Benchmarks
