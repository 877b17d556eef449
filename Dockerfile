# Cortex as a container: `cortex serve` on port 8300, the memory in the volume /data. See docs/deploying.md.
#
#   docker build -t cortex .                   with the local models (70 MB): recalls by meaning, and needs no network
#   docker build -t cortex --target lean .     without them; `cortex models fetch` brings them into the volume
#
# The server listens on every address of the container, so it wants a token before it starts:
#
#   docker run --rm -v cortex:/data cortex admin tokens create --rights admin
#   docker run -d --name cortex -v cortex:/data -p 127.0.0.1:8300:8300 cortex

ARG PYTHON=3.12

# --- build: the package and what it needs, in an environment that can be moved as a whole ----------------------------
FROM python:${PYTHON}-slim AS build
ARG EXTRAS=local,serve,mcp
ENV PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /source
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY src/ src/
COPY plugins/ plugins/
RUN python -m venv /opt/cortex \
    && /opt/cortex/bin/pip install --no-cache-dir ".[${EXTRAS}]"

# --- models: fetched once, at their exact bytes ----------------------------------------------------------------------
FROM build AS models
ENV ORT_DISABLE_TELEMETRY=1
RUN CORTEX_HOME=/tmp/cortex CORTEX_MODELS=/models /opt/cortex/bin/cortex models fetch \
    && rm -f /models/.lock

# --- lean: all but the models ----------------------------------------------------------------------------------------
FROM python:${PYTHON}-slim AS lean
LABEL org.opencontainers.image.title="Cortex" \
      org.opencontainers.image.description="Long-term memory for AI agents" \
      org.opencontainers.image.licenses="Apache-2.0"
# A number rather than a name, so that an orchestrator can tell that it is not root.
RUN groupadd --gid 10001 cortex \
    && useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin cortex \
    && install --directory --owner=10001 --group=10001 --mode=0700 /data
COPY --from=build /opt/cortex /opt/cortex
# pip brings the models, and would keep a copy of them. onnxruntime reports to its maker unless it is told not to.
ENV PATH=/opt/cortex/bin:$PATH \
    HOME=/data \
    CORTEX_HOME=/data \
    CORTEX_MODELS=/data/models \
    ORT_DISABLE_TELEMETRY=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1
USER 10001:10001
WORKDIR /data
VOLUME ["/data"]
EXPOSE 8300
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import http.client, os, sys; server = http.client.HTTPConnection('127.0.0.1', os.environ.get('CORTEX_SERVE__PORT', '8300'), timeout=4); server.request('GET', '/health'); sys.exit(server.getresponse().status != 200)"]
# Both without a shell: the signal that stops the container reaches the server itself.
ENTRYPOINT ["cortex"]
CMD ["serve", "--host", "0.0.0.0"]

# --- what `docker build` makes unless it is told otherwise -----------------------------------------------------------
FROM lean
COPY --from=models /models /opt/models
ENV CORTEX_MODELS=/opt/models
