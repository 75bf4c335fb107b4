"""OpenSearch comes from packages once, checked, and a fetch that broke off goes on where it stopped (DESIGN)."""

from pathlib import Path

import pytest

from infra.local.opensearch import fetch
from infra.local.opensearch.fetch import FetchFailed, class_path, locked

SMALL = ("opensearch-cli", "t-digest")
"""Two of the smallest artifacts."""


@pytest.fixture
def lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A lock of two small artifacts."""
    lines = [line for line in fetch.LOCK.read_text().splitlines() if any(f":{name}:" in line for name in SMALL)]
    assert len(lines) == len(SMALL)
    file = tmp_path / "artifacts.lock"
    file.write_text("# two of them\n" + "\n".join(lines) + "\n")
    monkeypatch.setattr(fetch, "LOCK", file)
    return file


def test_every_artifact_is_locked_by_its_checksum() -> None:
    artifacts = locked()
    assert len({one.filename for one in artifacts}) == len(artifacts) > 50
    assert all(len(one.sha256) == 64 for one in artifacts)


def test_what_is_there_and_whole_is_kept_and_the_rest_is_fetched(lock: Path, tmp_path: Path) -> None:
    told: list[str] = []
    jars = class_path(tmp_path / "cache", told.append)
    assert [one.name.rsplit("-", 1)[0] for one in jars] == sorted(SMALL)
    assert any("2 of 2" in line for line in told)
    kept, broken = jars
    before = kept.stat().st_mtime_ns
    broken.write_bytes(b"half a jar")
    (kept.parent / "complete").unlink()
    assert class_path(tmp_path / "cache", told.append) == jars
    assert kept.stat().st_mtime_ns == before
    assert broken.stat().st_size > 1_000
    assert any("1 of 1" in line for line in told)
    told.clear()
    assert class_path(tmp_path / "cache", told.append) == jars
    assert told == []


def test_a_file_with_another_checksum_is_refused_by_name(lock: Path, tmp_path: Path) -> None:
    lock.write_text("".join("0" * 64 + line[64:] + "\n" for line in lock.read_text().splitlines() if line[0] != "#"))
    with pytest.raises(FetchFailed, match="checksum differs"):
        class_path(tmp_path / "cache", lambda _: None)


def test_what_cannot_be_had_says_what_to_do(lock: Path, tmp_path: Path) -> None:
    lock.write_text("0" * 64 + " org.opensearch:there-is-no-such-thing:9.9.9\n")
    with pytest.raises(FetchFailed, match="OPENSEARCH_URL"):
        class_path(tmp_path / "cache", lambda _: None)
