"""Fetch OpenSearch's jars from a public Maven repository, each by its coordinates and checked (DESIGN "Local system").

Nothing is resolved: ``artifacts.lock`` is the flat list that starts. A jar that is there and has its checksum is kept,
so a fetch that broke off goes on where it stopped.
"""

import hashlib
import shutil
import zipfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

LOCK = Path(__file__).with_name("artifacts.lock")
PARALLEL = 8
TRIES = 3


class FetchFailed(Exception):
    """An artifact could not be had, or is not what the lock says."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """One file of a Maven repository."""

    sha256: str
    group: str
    name: str
    version: str
    packaging: str

    @property
    def filename(self) -> str:
        """Its name in the folder of jars."""
        return f"{self.name}-{self.version}.{self.packaging}"


def locked() -> list[Artifact]:
    """The artifacts of the lock file."""
    found = []
    for line in LOCK.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            sha256, coordinates = line.split()
            group, name, version, *packaging = coordinates.split(":")
            found.append(Artifact(sha256, group, name, version, packaging[0] if packaging else "jar"))
    return found


def class_path(cache: Path, say: Callable[[str], None]) -> list[Path]:
    """The jars that OpenSearch runs from, fetched if they are not there.

    Args:
        cache: Folder that keeps them between runs.
        say: Told what is being done.

    Raises:
        FetchFailed: With what to do.
    """
    wanted = locked()
    folder = cache / f"opensearch-{hashlib.sha256(LOCK.read_bytes()).hexdigest()[:12]}"
    done = folder / "complete"
    if not done.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _fetch_all(wanted, folder, say)
        for artifact in wanted:
            if artifact.packaging == "zip":
                _unpack(folder / artifact.filename, folder)
        done.touch()
    return sorted(folder.glob("*.jar"))


def _fetch_all(wanted: Sequence[Artifact], folder: Path, say: Callable[[str], None]) -> None:
    missing = [one for one in wanted if not _good(folder / one.filename, one)]
    say(f"fetching OpenSearch, {len(missing)} files, about 53 MB; once")
    with ThreadPoolExecutor(PARALLEL) as pool:
        for count, _ in enumerate(pool.map(lambda one: _fetch(one, folder), missing), 1):
            if count % 10 == 0 or count == len(missing):
                say(f"{count} of {len(missing)} files fetched and checked")


def _fetch(artifact: Artifact, folder: Path) -> None:
    from jgo.maven import MavenContext, PythonResolver

    context = MavenContext(repo_cache=folder / "maven", resolver=PythonResolver())
    target = folder / artifact.filename
    for tried in range(1, TRIES + 1):
        try:
            project = context.project(artifact.group, artifact.name).at_version(artifact.version)
            found = project.artifact(packaging=artifact.packaging).resolve()
        except Exception as error:
            if tried == TRIES:
                raise FetchFailed(
                    f"{artifact.filename} could not be fetched ({error}): check the network and run again, it goes on "
                    'where it stopped; or set OPENSEARCH_URL, or run with ARGS="--no-opensearch"'
                ) from error
            continue
        if _sha256(Path(found)) == artifact.sha256:
            shutil.move(found, target)
            return
        Path(found).unlink()
    raise FetchFailed(f"{artifact.filename} is not the file that artifacts.lock names: its checksum differs")


def _good(path: Path, artifact: Artifact) -> bool:
    return path.exists() and _sha256(path) == artifact.sha256


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _unpack(archive: Path, folder: Path) -> None:
    """Put a plugin's jars beside the others."""
    with zipfile.ZipFile(archive) as files:
        for name in files.namelist():
            if name.endswith(".jar"):
                target = folder / Path(name).name
                if not target.exists():
                    target.write_bytes(files.read(name))
