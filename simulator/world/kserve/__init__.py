"""KServe's controllers. Source: kserve/kserve pkg/controller, 0.16 to 0.20."""
