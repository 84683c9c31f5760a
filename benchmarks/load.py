"""The audit service under load: many clients at once, some of them slow, broken or greedy.

A server is started as ``auditor serve`` starts it, with an empty database, and asked for a while by as many clients as
are wanted. Each client goes on for ever with one habit. What must hold: every verdict is the one that ``auditor audit``
gives, byte for byte; every refusal is one that docs/service.md lists; memory does not grow; the front page answers. The
exit code is 1 if anything else was seen. ``python benchmarks/load.py --help``.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import httpx2 as httpx
import msgspec

from auditor import faults, generate
from auditor.audit import verdict_on
from auditor.games import FORMS, GAMES
from auditor.log import read_bytes
from auditor.verdict import to_json

AUDIT = "/-/auditor/audit"
OK, BAD, TOO_LARGE, BUSY = 200, 400, 413, 503
#: How many of every eight clients have which habit.
HABITS = ("single", "single", "single", "stream", "stream", "slow", "broken", "greedy")
_LOGS_PER_RULESET = 6
_STREAM_LOGS = 12
_TOO_MANY_BYTES = 33_000_000
_SECONDS_BETWEEN_LOOKS = 5.0


@dataclass
class Seen:
    """What the clients saw."""

    answers: Counter[tuple[str, int]] = field(default_factory=Counter)
    verdicts: int = 0
    wrong: list[str] = field(default_factory=list)
    front_ms: list[float] = field(default_factory=list)
    memory_mb: list[float] = field(default_factory=list)
    answer_ms: list[float] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=64, help="clients at once (default 64)")
    parser.add_argument("--seconds", type=float, default=300, help="how long (default 300)")
    parser.add_argument("--store", action="store_true", help="let every single log be stored too")
    options = parser.parse_args()
    logs = _logs()
    with tempfile.TemporaryDirectory() as folder:
        seen = asyncio.run(_run(Path(folder), logs, options.clients, options.seconds, options.store))
    _tell(seen, options.seconds)
    sys.exit(bool(seen.wrong))


def _logs() -> list[tuple[bytes, bytes]]:
    """Logs, legal and faulty, each with the verdict that the audit gives."""
    logs = []
    for number, (ruleset, game) in enumerate(GAMES.items()):
        legal = list(generate.matches(game, _LOGS_PER_RULESET, 31))
        chance = random.Random(number)
        kinds = itertools.cycle(faults.faults_of(ruleset))
        damaged = [faults.plant(game, document, next(kinds), chance) for document in legal]
        for document in (*legal, *(made.document for made in damaged if made is not None)):
            text = msgspec.json.encode(document)
            logs.append((text, to_json(verdict_on(read_bytes(text, FORMS, "upload")))))
        assert logs, ruleset
    return logs


async def _run(folder: Path, logs: list[tuple[bytes, bytes]], clients: int, seconds: float, stores: bool) -> Seen:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    database = folder / "audit.db"
    start = (
        "from auditor.store import Store; from pathlib import Path; import sys; Store.open(Path(sys.argv[1])).close()"
    )
    subprocess.run([sys.executable, "-c", start, str(database)], check=True)
    program = "from auditor.cli import main; main(prog_name='auditor')"
    arguments = ["serve", str(database), "--port", str(port), *(["--accept-uploads"] if stores else [])]
    server = subprocess.Popen(
        [sys.executable, "-c", program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    seen = Seen()
    try:
        base = f"http://127.0.0.1:{port}"
        await _until_it_answers(base)
        end = time.monotonic() + seconds
        tasks = [
            asyncio.create_task(_client(number, HABITS[number % len(HABITS)], base, logs, end, seen, stores))
            for number in range(clients)
        ]
        tasks.append(asyncio.create_task(_watch(base, server.pid, end, seen)))
        await asyncio.gather(*tasks)
        await asyncio.sleep(1)
        seen.memory_mb.append(_memory_mb(server.pid))
        if server.poll() is not None:
            seen.wrong.append(f"the server ended: {server.returncode}")
    finally:
        server.send_signal(signal.SIGINT)
        _, complaints = server.communicate(timeout=30)
    if b"Traceback" in complaints:
        seen.wrong.append(complaints.decode(errors="replace")[-2000:])
    return seen


async def _until_it_answers(base: str) -> None:
    async with httpx.AsyncClient() as client:
        for _ in range(300):
            with contextlib.suppress(httpx.TransportError):
                await client.get(base + "/")
                return
            await asyncio.sleep(0.2)
    raise SystemExit("the server does not answer")


async def _client(
    number: int, habit: str, base: str, logs: list[tuple[bytes, bytes]], end: float, seen: Seen, stores: bool
) -> None:
    chance = random.Random(number)
    act: dict[str, Callable[[httpx.AsyncClient], Awaitable[None]]] = {
        "single": lambda client: _single(client, base, chance.choice(logs), seen, stores),
        "stream": lambda client: _stream(client, base, chance.sample(logs, _STREAM_LOGS), seen, 0.0),
        "slow": lambda client: _stream(client, base, chance.sample(logs, _STREAM_LOGS), seen, 0.5),
        "broken": lambda client: _broken(base, chance.choice(logs)[0], chance, seen),
        "greedy": lambda client: _greedy(client, base, chance, seen),
    }
    async with httpx.AsyncClient(timeout=150) as client:
        while time.monotonic() < end:
            try:
                await act[habit](client)
            except httpx.TransportError as error:
                # A body that is too large may be refused while it is still being sent.
                if habit != "greedy":
                    seen.wrong.append(f"{habit}: {type(error).__name__}: {error}")
                seen.answers[habit, 0] += 1
            await asyncio.sleep(chance.random() * 0.2)


async def _single(client: httpx.AsyncClient, base: str, log: tuple[bytes, bytes], seen: Seen, stores: bool) -> None:
    """Sends one match, again and again until there is a place."""
    address = base + AUDIT + ("?store=1" if stores else "")
    while True:
        started = time.perf_counter()
        answer = await client.post(address, content=log[0], headers={"Content-Type": "application/json"})
        seen.answers["single", answer.status_code] += 1
        if answer.status_code == BUSY:
            await asyncio.sleep(min(2.0, float(answer.headers["retry-after"])))
            continue
        seen.answer_ms.append(1000 * (time.perf_counter() - started))
        is_right = answer.status_code == OK and answer.content.strip() == log[1]
        if answer.status_code == BAD:  # planted faults of form; the whole verdict is inside
            is_right = json.loads(answer.content)["verdict"] == json.loads(log[1])
        seen.verdicts += is_right
        if not is_right:
            seen.wrong.append(f"single: {answer.status_code} {answer.content[:300]!r} expected {log[1][:300]!r}")
        return


async def _stream(
    client: httpx.AsyncClient, base: str, logs: list[tuple[bytes, bytes]], seen: Seen, pause: float
) -> None:
    """Sends several matches, one a line; with a ``pause`` in ten pieces that come slowly."""
    body = b"".join(text + b"\n" for text, _ in logs)
    habit = "slow" if pause else "stream"

    async def pieces():  # type: ignore[no-untyped-def]
        size = len(body) // 10 + 1
        for start in range(0, len(body), size):
            yield body[start : start + size]
            await asyncio.sleep(pause)

    answer = await client.post(
        base + AUDIT, content=pieces() if pause else body, headers={"Content-Type": "application/x-ndjson"}
    )
    seen.answers[habit, answer.status_code] += 1
    if answer.status_code == BUSY:
        await asyncio.sleep(1)
        return
    lines = answer.content.splitlines()
    if lines and b'"ok"' in lines[-1][:20] and json.loads(lines[-1]).get("ok") is False:
        seen.answers[habit, json.loads(lines[-1])["status"]] += (
            1  # no time left: documented, and the rest must be right
        )
        lines = lines[:-1]
    elif len(lines) != len(logs):
        seen.wrong.append(f"{habit}: {answer.status_code}, {len(lines)} lines for {len(logs)} matches")
    for line, (_, verdict) in zip(lines, logs, strict=False):
        if _without_place(line) == _without_place(verdict):
            seen.verdicts += 1
        else:
            seen.wrong.append(f"{habit}: {line[:300]!r} expected {verdict[:300]!r}")


def _without_place(verdict: bytes) -> bytes:
    """A verdict without the places of faults of form, which hang on what else was sent."""
    document = json.loads(verdict)
    for finding in document["findings"]:
        finding.pop("place", None)
    return json.dumps(document).encode()


async def _broken(base: str, body: bytes, chance: random.Random, seen: Seen) -> None:
    """Promises a body and hangs up in the middle of it."""
    host, port = base.removeprefix("http://").split(":")
    _, writer = await asyncio.open_connection(host, int(port))
    lines = (f"POST {AUDIT} HTTP/1.1", f"Host: {host}:{port}", "Content-Type: application/json")
    head = "\r\n".join((*lines, f"Content-Length: {len(body)}", "", ""))
    writer.write(head.encode() + body[: chance.randrange(len(body))])
    with contextlib.suppress(ConnectionError):
        await writer.drain()
    await asyncio.sleep(chance.random())
    writer.close()
    seen.answers["broken", 0] += 1
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()


async def _greedy(client: httpx.AsyncClient, base: str, chance: random.Random, seen: Seen) -> None:
    """Sends more than is taken on."""
    answer = await client.post(
        base + AUDIT, content=b" " * _TOO_MANY_BYTES, headers={"Content-Type": "application/json"}
    )
    seen.answers["greedy", answer.status_code] += 1
    if answer.status_code not in (TOO_LARGE, BUSY):
        seen.wrong.append(f"greedy: {answer.status_code} {answer.content[:300]!r}")
    await asyncio.sleep(1 + chance.random())


async def _watch(base: str, process: int, end: float, seen: Seen) -> None:
    """Asks for the front page and looks at the memory of the server."""
    async with httpx.AsyncClient(timeout=60) as client:
        while time.monotonic() < end:
            started = time.perf_counter()
            answer = await client.get(base + "/")
            seen.front_ms.append(1000 * (time.perf_counter() - started))
            if answer.status_code != OK:
                seen.wrong.append(f"front page: {answer.status_code}")
            seen.memory_mb.append(_memory_mb(process))
            await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)


def _memory_mb(process: int) -> float:
    for line in Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise ValueError(process)


def _tell(seen: Seen, seconds: float) -> None:
    print(f"{'client':>8} {'answer':>7} {'times':>8}")
    for (habit, status), count in sorted(seen.answers.items()):
        print(f"{habit:>8} {status or 'none':>7} {count:>8}")
    print(f"right verdicts {seen.verdicts}, {seen.verdicts / seconds:.0f} a second")
    print(f"wrong verdicts and answers that are not documented: {len(seen.wrong)}")
    for told, values in (("one match", seen.answer_ms), ("front page", seen.front_ms)):
        if values:
            print(
                f"{told}: median {statistics.median(values):.0f} ms, worst {max(values):.0f} ms, {len(values)} answers"
            )
    looks = seen.memory_mb
    tenth = max(1, len(looks) // 10)
    begin, end = statistics.median(looks[tenth : 2 * tenth] or looks), statistics.median(looks[-tenth:])
    print(f"memory of the server: {begin:.0f} MB after a tenth of the time, {end:.0f} MB in the end")
    for wrong in seen.wrong[:20]:
        print("WRONG", wrong)


if __name__ == "__main__":
    main()
