# conformance as a program without an installation of its own:
#   docker build -t conformance .
#   docker run --rm --network none -v "$PWD:/work" conformance run --model tokenizer.json --subject mine.py:Mine --out run
FROM python:3.12.11-slim-bookworm AS build
WORKDIR /source
COPY . .
RUN python -m venv /opt/conformance \
    && /opt/conformance/bin/python -m pip install --no-cache-dir '.[hub,tiktoken]'

FROM python:3.12.11-slim-bookworm
RUN groupadd --gid 10001 conformance \
    && useradd --uid 10001 --gid 10001 --create-home --shell /usr/sbin/nologin conformance
COPY --from=build /opt/conformance /opt/conformance
ENV PATH=/opt/conformance/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1
USER 10001:10001
WORKDIR /work
ENTRYPOINT ["conformance"]
CMD ["--help"]
