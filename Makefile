# Builds and installs the program. Everything else is done by scripts in scripts/.
#
#   make                          builds the program in release mode
#   make install [PREFIX=/usr/local] [DESTDIR=]       installs it; builds it first if it is missing
#   make install-strip            installs it without symbols: less than half the size
#   make uninstall                removes what 'make install' with the same variables installed
#   make check                    runs the tests
#
# PROGRAM=path installs an existing program and builds nothing. The folders have their GNU names (bindir, mandir, …), and
# each can be set.

PREFIX ?= /usr/local
prefix = $(PREFIX)
bindir = $(prefix)/bin
datadir = $(prefix)/share
mandir = $(datadir)/man
bashdir = $(datadir)/bash-completion/completions
zshdir = $(datadir)/zsh/site-functions
fishdir = $(datadir)/fish/vendor_completions.d
docdir = $(datadir)/doc/afcache
# systemd also reads units below /usr/local/lib.
unitdir = $(prefix)/lib/systemd/system

INSTALL ?= install
INSTALL_PROGRAM ?= $(INSTALL)
INSTALL_DATA ?= $(INSTALL) -m 644
SWIFT ?= swift

# Links Swift's libraries into the program, so that it runs without Swift, and leaves out what nothing calls.
ifeq ($(shell uname),Linux)
SWIFT_FLAGS ?= --static-swift-stdlib -Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections \
    -Xcc -fdata-sections
endif
scratch ?= .build
built = $(scratch)/release/afcache

PROGRAM ?=
ifeq ($(PROGRAM),)
program = $(built)
needed = $(built)
else
program = $(PROGRAM)
needed =
endif

installed = $(bindir)/afcache $(mandir)/man1/afcache.1 $(bashdir)/afcache $(zshdir)/_afcache $(fishdir)/afcache.fish
unit_names = afcache.service afcache.socket afcache-sync.service afcache-sync.timer
# A double click opens a package, also where desktops look for programs of /usr/local.
desktopdir = $(datadir)/applications
mimedir = $(datadir)/mime/packages
desktop = $(desktopdir)/afcache.desktop
mime = $(mimedir)/afcache.xml
units = $(addprefix $(unitdir)/,$(unit_names))
# The documentation, with its pictures, keeps its folders below docdir.
pages = $(wildcard docs/*.md docs/*/*.md docs/*/*/*.md docs/pictures/*.* docs/pictures/*/*.*)
installed_pages = $(patsubst docs/%,$(docdir)/%,$(pages))

all: build

build:
	$(SWIFT) build --disable-index-store -c release --product afcache --scratch-path $(scratch) $(SWIFT_FLAGS)

# Prints the path of the built program.
where:
	@echo $(built)

# Builds only if the program is missing, so 'sudo make install' after 'make' builds nothing.
$(built):
	$(MAKE) build

# The program itself writes its manual page and completions, to a temporary folder.
install: $(needed)
	@test -x "$(program)" || { echo "install: there is no program at '$(program)'; run 'make' first" >&2; exit 1; }
	$(INSTALL) -d "$(DESTDIR)$(bindir)" "$(DESTDIR)$(mandir)/man1" "$(DESTDIR)$(bashdir)" "$(DESTDIR)$(zshdir)" \
	    "$(DESTDIR)$(fishdir)"
	set -e; made=$$(mktemp -d); trap 'rm -rf "$$made"' EXIT; \
	"$(program)" manual >"$$made/afcache.1"; \
	"$(program)" --generate-completion-script bash >"$$made/bash"; \
	"$(program)" --generate-completion-script zsh >"$$made/zsh"; \
	"$(program)" --generate-completion-script fish >"$$made/fish"; \
	$(INSTALL_PROGRAM) "$(program)" "$(DESTDIR)$(bindir)/afcache"; \
	$(INSTALL_DATA) "$$made/afcache.1" "$(DESTDIR)$(mandir)/man1/afcache.1"; \
	$(INSTALL_DATA) "$$made/bash" "$(DESTDIR)$(bashdir)/afcache"; \
	$(INSTALL_DATA) "$$made/zsh" "$(DESTDIR)$(zshdir)/_afcache"; \
	$(INSTALL_DATA) "$$made/fish" "$(DESTDIR)$(fishdir)/afcache.fish"; \
	for page in $(patsubst docs/%,%,$(pages)); do \
	    $(INSTALL) -d "$(DESTDIR)$(docdir)/$$(dirname "$$page")"; \
	    $(INSTALL_DATA) "docs/$$page" "$(DESTDIR)$(docdir)/$$page"; \
	done; \
	if [ "$$(uname)" = Linux ]; then \
	    $(INSTALL) -d "$(DESTDIR)$(unitdir)" "$(DESTDIR)$(desktopdir)" "$(DESTDIR)$(mimedir)"; \
	    $(INSTALL_DATA) support/desktop/afcache.desktop "$(DESTDIR)$(desktop)"; \
	    $(INSTALL_DATA) support/desktop/afcache.xml "$(DESTDIR)$(mime)"; \
	    for unit in $(unit_names); do \
	        sed "s|^ExecStart=/usr/bin/|ExecStart=$(bindir)/|" "support/systemd/$$unit" >"$$made/unit"; \
	        $(INSTALL_DATA) "$$made/unit" "$(DESTDIR)$(unitdir)/$$unit"; \
	    done; \
	fi

install-strip:
	$(MAKE) install INSTALL_PROGRAM='$(INSTALL) -s'

# Folders that no system has by itself are removed, too, if they are empty; the deepest first.
own_folders = $(docdir)/pictures/sites $(docdir)/pictures $(docdir)/developers/decisions \
    $(addprefix $(docdir)/,tutorial how-to reference explanation developers) $(docdir) $(bashdir) $(dir $(bashdir)) \
    $(zshdir) $(dir $(zshdir)) $(fishdir) $(dir $(fishdir)) $(unitdir) $(dir $(unitdir)) \
    $(desktopdir) $(mimedir) $(datadir)/mime

uninstall:
	for file in $(installed) $(units) $(desktop) $(mime) $(installed_pages); do rm -f "$(DESTDIR)$$file"; done
	for folder in $(own_folders); do rmdir "$(DESTDIR)$$folder" 2>/dev/null || true; done

check:
	scripts/test

.PHONY: all build where install install-strip uninstall check
