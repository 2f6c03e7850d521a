# Replaces python:X-slim, where docker/Dockerfile needs it and no image can be pulled. Python is
# Debian's. pip has the settings and the certificates of the machine that builds the image.
ARG DEBIAN
FROM $DEBIAN
COPY certificates.pem /etc/ssl/certs/ca-certificates.crt
COPY pip.conf /etc/pip.conf
ENV PIP_CERT=/etc/ssl/certs/ca-certificates.crt SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt
RUN python3 -m venv /usr/local
