# The build needs the Swift toolchain; what runs is Debian with three libraries and one binary.
FROM swift:6.3-bookworm AS build
RUN apt-get update && apt-get install --yes --no-install-recommends libmicrohttpd-dev libssl-dev libjansson-dev libsqlite3-dev libcurl4-openssl-dev libnghttp2-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY Package.swift .
COPY Sources Sources
COPY Tests Tests
COPY Benchmarks Benchmarks
RUN swift build -c release --static-swift-stdlib --product deskgate && strip .build/release/deskgate

FROM debian:12-slim
RUN apt-get update && apt-get install --yes --no-install-recommends libmicrohttpd12 libssl3 libjansson4 libsqlite3-0 libcurl4 libnghttp2-14 ca-certificates && rm -rf /var/lib/apt/lists/* \
    && useradd --system --home-dir /var/lib/deskgate --create-home --shell /usr/sbin/nologin deskgate
COPY --from=build /source/.build/release/deskgate /usr/bin/deskgate
USER deskgate
# Mount a directory with config.json and its secrets here; let it listen on 0.0.0.0 inside the container.
WORKDIR /var/lib/deskgate
EXPOSE 8080 9090
ENTRYPOINT ["deskgate"]
CMD ["serve", "--config", "config.json"]
