"""Texts to copy: what switches metrics on, and how they are scraped.

Source: knative/serving config/core/configmaps/observability.yaml (1.19 and newer), ports of
pkg/networking/constants.go; the Prometheus operator's PodMonitor.
"""

CONTROL_PLANE = """\
kubectl -n knative-serving patch configmap config-observability --type merge \\
  -p '{"data":{"metrics-protocol":"prometheus"}}'
kubectl -n knative-serving rollout restart deployment activator autoscaler
"""

REQUEST_METRICS = """\
kubectl -n knative-serving patch configmap config-observability --type merge \\
  -p '{"data":{"request-metrics-protocol":"prometheus"}}'
"""

ACTIVATOR_MONITOR = """\
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata:
  name: knative-activator
  namespace: knative-serving
spec:
  selector:
    matchLabels:
      app: activator
  podMetricsEndpoints:
    - portNumber: 9090
      metricRelabelings:
        - sourceLabels: [__name__]
          regex: http_(server|client)_(request|response)_body_size_bytes.*
          action: drop
"""

QUEUE_PROXY_MONITOR = """\
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata:
  name: knative-queue-proxy
  namespace: knative-serving
spec:
  namespaceSelector:
    any: true
  selector:
    matchExpressions:
      - {key: serving.knative.dev/revision, operator: Exists}
  podMetricsEndpoints:
    - port: http-usermetric
      relabelings:
        - sourceLabels: [__meta_kubernetes_pod_label_serving_knative_dev_revision]
          targetLabel: kn_revision_name
        - sourceLabels: [__meta_kubernetes_namespace]
          targetLabel: k8s_namespace_name
      metricRelabelings:
        - sourceLabels: [__name__]
          regex: http_(server|client)_(request|response)_body_size_bytes.*
          action: drop
"""

VLLM_MONITOR = """\
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata:
  name: vllm
  namespace: knative-serving
spec:
  namespaceSelector:
    any: true
  selector:
    matchExpressions:
      - {key: serving.kserve.io/inferenceservice, operator: Exists}
  podMetricsEndpoints:
    - portNumber: 8080
      path: /metrics
"""
