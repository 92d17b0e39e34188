"""A pin that holds a version back fails here when its reason is gone: docs/decisions/0016."""

from __future__ import annotations

from importlib.metadata import requires

from tests.tooling.tree import ROOT, project


def needs(package: str, dependency: str) -> list[str]:
    """What an installed package asks of a dependency, without extras."""
    lines = requires(package) or []
    return [line for line in lines if line.startswith(dependency) and "extra ==" not in line]


def test_kubernetes_is_held_back_because_celery_pins_dateutil() -> None:
    assert needs("celery", "python-dateutil") == ["python-dateutil==2.9.0.post0"], (
        "celery no longer pins python-dateutil 2.9: kubernetes may go beyond 37.0.1"
    )
    assert "kubernetes>=37.0.1,<37.0.2" in project()["project"]["dependencies"]


def test_the_lock_files_are_pinned_by_hash_and_name_no_host() -> None:
    for name in ("requirements.lock", "requirements-run.lock"):
        lines = (ROOT / name).read_text().splitlines()
        pins = [line for line in lines if "==" in line.split("#")[0]]
        assert len(pins) > 50
        assert all(line.endswith("\\") for line in pins), f"a pin without a hash in {name}"
        assert not any("://" in line for line in lines)


def test_the_image_gets_the_same_versions_as_the_tests() -> None:
    def pins(name: str) -> set[str]:
        lines = (ROOT / name).read_text().splitlines()
        return {line.split(" ")[0] for line in lines if "==" in line.split("#")[0]}

    assert pins("requirements-run.lock") <= pins("requirements.lock")
