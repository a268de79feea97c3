# check=skip=SecretsUsedInArgOrEnv
# (PORTICO_SECRET_FILE is a path.)
#
# Portico alone: one static binary, without a shell, run by a user of its own.
# `make image` builds it with the version; docs/operating/containers.md shows how to run it.

FROM --platform=$BUILDPLATFORM node:22.23.3-bookworm-slim AS screens
WORKDIR /src
COPY clients/js/src clients/js/src
COPY web/package.json web/package-lock.json web/
RUN cd web && npm ci --no-audit --no-fund
COPY web web
RUN cd web && npm run build

FROM --platform=$BUILDPLATFORM golang:1.26.8-bookworm AS server
WORKDIR /src
COPY go.mod go.sum ./
COPY clients/go/go.mod clients/go/go.sum clients/go/
RUN go mod download
COPY . .
COPY --from=screens /src/web/dist web/dist
ARG TARGETOS TARGETARCH VERSION= REVISION=unknown DATE=unknown
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -buildvcs=false \
	-ldflags="-s -w -X portico/internal/cli.version=$VERSION -X portico/internal/cli.revision=$REVISION -X portico/internal/cli.date=$DATE" \
	-o /out/portico ./cmd/portico \
	&& install -d -m 0700 /out/data

FROM scratch
ARG VERSION= REVISION=unknown DATE=unknown
LABEL org.opencontainers.image.title=Portico \
	org.opencontainers.image.licenses=Apache-2.0 \
	org.opencontainers.image.version=$VERSION \
	org.opencontainers.image.revision=$REVISION \
	org.opencontainers.image.created=$DATE
COPY --from=server /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=server /usr/share/doc/ca-certificates/copyright /usr/share/doc/ca-certificates/
COPY --from=server /out/portico /portico
COPY --from=server --chown=65532:65532 /out/data /data
USER 65532:65532
WORKDIR /data
VOLUME /data
ENV PORTICO_LISTEN=0.0.0.0:8080 \
	PORTICO_DATABASE_URL=sqlite:/data/portico.db \
	PORTICO_SECRET_FILE=/data/secret.key
EXPOSE 8080 9080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["/portico", "ready"]
ENTRYPOINT ["/portico"]
CMD ["serve"]
