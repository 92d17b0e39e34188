"""What lives in a simulated cluster: controllers, kubelets, model servers and their callers."""
