# An image with everything installed and built:
#   docker build -t brickwork .
#   docker run brickwork scripts/test
#   docker run --name measured brickwork scripts/reproduce
#   docker cp measured:/brickwork/results .
FROM debian:12

RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends ca-certificates git \
    && useradd --create-home brickwork \
    && install -d -o brickwork -g brickwork /brickwork
WORKDIR /brickwork

# Set-up comes before the sources, so that a change of the sources installs nothing anew. It needs root.
COPY --chown=brickwork scripts/setup scripts/debian-packages.txt scripts/requirements*.txt scripts/
RUN scripts/setup && chown -R brickwork .deps

COPY --chown=brickwork . .
USER brickwork
RUN cmake --preset release && cmake --build --preset release

CMD ["scripts/reproduce"]
