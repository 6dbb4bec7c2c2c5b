# SPDX-License-Identifier: Apache-2.0
# karta-webhook and kartactl on Debian slim, as nobody in particular. docs/install.md says how to build
# it and what it needs at run time: nothing, not even a folder that can be written.
ARG DEBIAN=bookworm

FROM debian:${DEBIAN}-slim AS build
RUN apt-get update -q \
 && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
      gcc libc6-dev cmake ninja-build pkg-config libjansson-dev libyaml-dev libjq-dev \
      libmicrohttpd-dev libgnutls28-dev libssl-dev libcurl4-openssl-dev
WORKDIR /src
COPY . .
RUN cmake -G Ninja -S . -B /build -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_INSTALL_PREFIX=/usr -DKARTA_TESTS=OFF -DKARTA_BENCH=OFF \
 && cmake --build /build \
 && DESTDIR=/image cmake --install /build --strip \
 && rm -rf /image/usr/include /image/usr/lib/systemd /image/lib/systemd /image/usr/lib/*/pkgconfig \
      /image/usr/lib/*/*.a /image/usr/lib/*/libkarta.so* \
# what is linked says which packages are needed to run
 && ldd /image/usr/bin/karta-webhook /image/usr/bin/kartactl | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p' | sort -u \
      | xargs -n 1 readlink -f | xargs -n 1 sh -c 'dpkg-query -S "$0" || dpkg-query -S "${0#/usr}"' \
      | cut -d: -f1 | sort -u >/packages

FROM debian:${DEBIAN}-slim
ARG VERSION=0.1.0
ARG REVISION=
LABEL org.opencontainers.image.title="karta-webhook" \
      org.opencontainers.image.description="Admission webhook that makes gangs of the pods of any kind of workload" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY --from=build /packages /tmp/packages
# diffutils is part of slim: kartactl mutate -o diff
RUN apt-get update -q \
 && xargs -a /tmp/packages env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/* /tmp/packages \
 && install -d -o 65532 -g 65532 -m 0700 /var/lib/karta-webhook
COPY --from=build /image/ /
COPY LICENSE /usr/share/doc/karta-webhook/copyright
# by number, so that Kubernetes can see that it is not root
USER 65532:65532
EXPOSE 9443 8080
# Kubernetes has probes of its own; bash talks HTTP well enough for this
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["/bin/bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' >&3 && read -r answer <&3 && [[ $answer == *' 200 '* ]]"]
ENTRYPOINT ["/usr/bin/karta-webhook"]
