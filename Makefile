# Every target first installs missing packages (Scripts/install-dependencies), so that each works on a fresh Debian with the Swift toolchain.
SWIFT_RELEASE = swift build -c release --static-swift-stdlib --product deskgate

.PHONY: run test build install deb test-deb image test-image check-arm64 release bench soak faults check sanitize format openapi configuration-tables test-api test-page test-traces test-clients test-proxies check-deploy

# Options for `make bench`, such as --part webhooks or --quick.
BENCH ?=

# How long `make soak` runs, in seconds.
SECONDS ?= 600

# How often `make faults` plays each scene (20), and how often `make flakes` runs the tests (10).
ROUNDS ?=

# The sanitizers under which `make sanitize` runs every test.
SANITIZERS ?= thread address

# Options for `make test`, such as --filter StorageTests; Scripts/test --help lists them.
TEST ?=

# The parts of `make full`; without it, those that have not passed on this commit yet.
PARTS ?=

# The port of the public listener of `make run`; the admin listener gets the next one. Without it, 8080 and 9090, or others if they are taken.
PORT ?=

# Where `make install` puts the binary, its manual page and the shells' completions; DESTDIR stands before it.
PREFIX ?= /usr/local

run:
	Scripts/install-dependencies run
	$(SWIFT_RELEASE)
	.build/release/deskgate demo $(if $(PORT),--port $(PORT))

# Shows a bot at work, in a new directory among the temporary files; fails when something does not happen as expected.
.PHONY: bot-demo
bot-demo:
	Scripts/install-dependencies run
	$(SWIFT_RELEASE)
	.build/release/deskgate bots demo

build:
	Scripts/install-dependencies build
	$(SWIFT_RELEASE)

install: build
	Scripts/install-binary .build/release/deskgate "$(DESTDIR)$(PREFIX)"

# The Debian package, in .build/deb.
deb:
	Scripts/install-dependencies deb
	$(SWIFT_RELEASE)
	Scripts/deb .build/release/deskgate

# Tests the package in a clean Debian. REBUILD=--rebuild also builds the binary a second time, in another directory.
REBUILD ?=

test-deb: deb
	Scripts/test-deb $(REBUILD) .build/release/deskgate

# The container image, in .build/image, made from Debian's packages; needs root. With Docker: docker build .
image: build
	Scripts/install-dependencies image
	Scripts/image .build/release/deskgate

# Tests the image and runs it.
test-image: build
	Scripts/install-dependencies image
	Scripts/test-image "$$(Scripts/image .build/release/deskgate)"

# Checks what arm64 needs of Debian and of the C modules, on a machine of any architecture.
check-arm64:
	Scripts/install-dependencies arm64
	Scripts/check-arm64

# Builds, and runs every test once.
test:
	@Scripts/install-dependencies test
	@Scripts/test $(TEST)

# Checks format, imports, documentation, docs/openapi.json and secrets, in half a minute.
check:
	@Scripts/install-dependencies rules
	@Scripts/check

# Runs everything that can be checked, which takes hours. Resumes with what has not passed on this commit.
.PHONY: full
full:
	@Scripts/full $(PARTS)

# Tests the operators' page in a browser; part of `make full`. PAGE names scenes, such as PAGE=shows_every_view.
PAGE ?=

test-page:
	Scripts/install-dependencies check
	swift build --product deskgate
	Scripts/test-page $(PAGE)

# Tests the export of traces with OpenTelemetry's messages; part of `make full`. SCENES names some of Tests/Traces/traces_test.py.
SCENES ?=

test-traces:
	Scripts/install-dependencies check
	swift build --product deskgate
	Scripts/test-traces $(SCENES)

# Checks the alerts and the dashboard, and proves that these checks and the release script notice mistakes; part of `make full`.
.PHONY: check-rules
check-rules:
	Scripts/install-dependencies check
	Scripts/check-alerts
	Scripts/check-self-test
	Scripts/test-release

bench: build
	Scripts/install-dependencies bench
	Scripts/bench $(BENCH)

soak: build
	Scripts/install-dependencies soak
	Scripts/soak $(SECONDS)

faults:
	Scripts/install-dependencies test
	Scripts/faults $(ROUNDS)

# Repeats the tests beside load, and counts failures.
.PHONY: flakes
flakes:
	@Scripts/install-dependencies test
	@Scripts/flakes $(ROUNDS)

sanitize:
	Scripts/install-dependencies test
	for kind in $(SANITIZERS); do Scripts/test --sanitize $$kind || exit 1; done

# Writes docs/openapi.json as the code describes the listeners.
openapi:
	Scripts/install-dependencies check
	swift build --product deskgate
	Scripts/test-api --write

# Writes the tables of docs/CONFIGURATION.md as Sources/Configuration/Keys has them.
configuration-tables:
	Scripts/install-dependencies test
	DESKGATE_WRITE_TABLES=1 Scripts/test --filter ConfigurationTableTests

# Drives both listeners with what docs/openapi.json allows and forbids; part of `make full`.
test-api:
	Scripts/install-dependencies check
	swift build --product deskgate
	Scripts/test-api

# Runs the files of clients/ in their languages. CLIENTS names some, such as CLIENTS="go php". Scripts/test-clients --available installs nothing.
CLIENTS ?=

test-clients:
	Scripts/install-dependencies clients $(CLIENTS)
	swift build --product deskgate
	Scripts/test-clients $(CLIENTS)

# Runs nginx, HAProxy and Caddy from their samples before the service; part of `make full`. PROXY names some of them, or scenes.
PROXY ?=

test-proxies:
	Scripts/install-dependencies check
	swift build --product deskgate
	Scripts/test-proxies $(PROXY)

# Runs the commands of the documentation; part of `make full`. STORY names some of them, as the marks in the pages do.
STORY ?=

.PHONY: test-docs
test-docs:
	Scripts/install-dependencies check
	swift build --product deskgate
	Scripts/check-docs
	Scripts/test-docs $(STORY)

# Checks compose files and Kubernetes manifests; part of `make full`.
check-deploy:
	Scripts/install-dependencies check
	swift build --product deskgate
	Scripts/check-deploy

# Makes the release of the tag that is checked out, in .build/release-VERSION; CONTRIBUTING.md says how. Scripts/release --check VERSION is quick.
release:
	Scripts/release $(VERSION)

format:
	swift format --in-place --recursive Package.swift Sources Tests Benchmarks clients
