# The build needs the Swift toolchain; what runs is Debian with eight libraries and one binary.
# Both are pinned by their version; give digests to pin them by content.
# Scripts/image builds the last stage alone, with a directory that holds the binary in place of the first (--build-context build=DIR).
ARG TOOLCHAIN=swift:6.3.1-bookworm
ARG BASE=debian:12.11-slim
FROM ${TOOLCHAIN} AS build
RUN apt-get update && apt-get install --yes --no-install-recommends libmicrohttpd-dev libgnutls28-dev libssl-dev libjansson-dev libsqlite3-dev libcurl4-openssl-dev libnghttp2-dev libpq-dev libxml2-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY Package.swift .
COPY Sources Sources
COPY Tests Tests
COPY Benchmarks Benchmarks
RUN swift build -c release --static-swift-stdlib --product deskgate && strip -o /deskgate .build/release/deskgate

FROM ${BASE}
# The user's number never changes, so that mounted files can belong to it.
RUN apt-get update && apt-get install --yes --no-install-recommends libmicrohttpd12 libgnutls30 libssl3 libjansson4 libsqlite3-0 libcurl4 libnghttp2-14 libpq5 ca-certificates \
    && groupadd --system --gid 10001 deskgate \
    && useradd --system --uid 10001 --gid 10001 --home-dir /var/lib/deskgate --no-create-home --shell /usr/sbin/nologin deskgate \
    && install --directory --owner 10001 --group 10001 --mode 700 /var/lib/deskgate \
    && apt-get clean && rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/*.log
COPY --from=build /deskgate /usr/bin/deskgate
LABEL org.opencontainers.image.title=deskgate \
      org.opencontainers.image.description="Server half of an embedded support chat" \
      org.opencontainers.image.licenses=Apache-2.0
USER 10001:10001
# Previews of URLs need libxml2, which brings 39 MB: an image of yours may begin FROM this one and install it.
# Mount config.json and its secrets at /etc/deskgate, readable by user 10001, and a volume at /var/lib/deskgate. In the configuration
# listen.host is 0.0.0.0 and store.path /var/lib/deskgate/deskgate.db.
WORKDIR /var/lib/deskgate
VOLUME /var/lib/deskgate
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=10s CMD ["deskgate", "health"]
ENTRYPOINT ["deskgate"]
CMD ["serve"]
