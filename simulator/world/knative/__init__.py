"""Knative Serving, as its controllers behave. Source: knative/serving pkg/reconciler, 1.18-1.23."""
