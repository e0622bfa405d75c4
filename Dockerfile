# A small image of the service: built in one stage, run in another as a user without rights.
#   docker build -t tracewright .
#   docker run --name tracewright -p 8000:8000 -v tracewright:/data tracewright
#   docker logs tracewright | grep One-time        the administrator's first password
FROM rust:1-bookworm AS build
WORKDIR /src
COPY . .
# Half of the program is line numbers for debuggers.
RUN cargo build --release --locked --bin tracewright && strip --strip-debug target/release/tracewright

FROM debian:bookworm-slim
RUN useradd --system --uid 10001 --home-dir /data tracewright \
 && install -d -o tracewright -g tracewright -m 0700 /data
COPY --from=build /src/target/release/tracewright /usr/local/bin/tracewright
USER tracewright
WORKDIR /data
VOLUME /data
# The engine's own port stays inside unless someone opens it on purpose:
#   docker run -e TRACEWRIGHT_DATABASE__EMBEDDED_LISTEN=0.0.0.0:8529 -p 127.0.0.1:8529:8529 ...
ENV TRACEWRIGHT_LISTEN=0.0.0.0:8000 \
    TRACEWRIGHT_DATA_DIR=/data \
    TRACEWRIGHT_DATABASE__EMBEDDED_LISTEN=127.0.0.1:8529 \
    TRACEWRIGHT_LOG_FORMAT=json
EXPOSE 8000
# `check` asks the database too; it reaches the running service's engine by its port.
HEALTHCHECK --interval=30s --timeout=10s --start-period=20s CMD ["tracewright", "check"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["tracewright"]
CMD ["serve"]
