# Pilot Light: one image for web, workers, migrate and the simulated clusters.
FROM python:3.11-slim-bookworm AS packages
WORKDIR /app
COPY requirements-run.lock .
RUN python -m venv /venv \
    && /venv/bin/pip install --no-cache-dir --require-hashes --no-deps -r requirements-run.lock

FROM python:3.11-slim-bookworm
RUN groupadd --gid 10001 pilotlight \
    && useradd --uid 10001 --gid 10001 --no-create-home --shell /usr/sbin/nologin pilotlight \
    && install -d -o pilotlight -g pilotlight -m 0700 /var/lib/pilotlight /clusters
ENV PATH=/venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    DJANGO_SETTINGS_MODULE=dashboard.settings \
    PILOTLIGHT_STATE_DIR=/var/lib/pilotlight
WORKDIR /app
COPY --from=packages /venv /venv
COPY . .
USER 10001:10001
VOLUME /var/lib/pilotlight
EXPOSE 8000
# No shell between the signal and the program; compose adds an init (`init: true`) and
# Kubernetes a pause container that reaps.
CMD ["uvicorn", "dashboard.asgi:application", "--host", "0.0.0.0", "--port", "8000", \
     "--no-access-log", "--lifespan", "off", "--no-server-header", \
     "--timeout-graceful-shutdown", "3"]
