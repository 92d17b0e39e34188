"""Why a model fails: rules over typed evidence, from evidence to findings, best first."""
