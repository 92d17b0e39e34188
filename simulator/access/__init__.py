"""Who may do what on a simulated cluster: certificates, tokens, roles, kubeconfig."""
