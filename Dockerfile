# A small image of the service: built in one stage, run in another as a user without rights.
#   docker build -t tracewright .
#   docker run -d --name tracewright -p 127.0.0.1:8000:8000 -v tracewright:/data tracewright
#   docker logs tracewright | grep One-time        the administrator's first password
FROM rust:1-bookworm AS build
WORKDIR /src
COPY . .
# Half of the program is line numbers for debuggers.
RUN cargo build --release --locked --bin tracewright && strip --strip-debug target/release/tracewright

FROM debian:bookworm-slim
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /data --shell /usr/sbin/nologin tracewright \
 && install -d -o tracewright -g tracewright -m 0700 /data /media
COPY --from=build /src/target/release/tracewright /usr/local/bin/tracewright
# By number: a platform can tell that it is not root.
USER 10001:10001
WORKDIR /data
VOLUME ["/data", "/media"]
# The engine's own port stays inside unless someone opens it on purpose:
#   docker run -e TRACEWRIGHT_DATABASE__EMBEDDED_LISTEN=0.0.0.0:8529 -p 127.0.0.1:8529:8529 ...
ENV TRACEWRIGHT_LISTEN=0.0.0.0:8000 \
    TRACEWRIGHT_DATA_DIR=/data \
    TRACEWRIGHT_MEDIA_ROOT=/media \
    TRACEWRIGHT_DATABASE__EMBEDDED_LISTEN=127.0.0.1:8529 \
    TRACEWRIGHT_LOG_FORMAT=json
EXPOSE 8000
# `check` asks the database too; it reaches the running service's engine by its port.
HEALTHCHECK --interval=10s --timeout=10s --start-period=30s CMD ["tracewright", "check"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["tracewright"]
CMD ["serve"]
