"""A file is written whole, where the path says, and nothing else is touched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from auditor.desks.outfile import write_whole


def test_a_link_stays_a_link_and_a_file_keeps_its_permissions(tmp_path: Path) -> None:
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_bytes(b"old")
    real.chmod(0o640)
    link.symlink_to(real)
    write_whole(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert real.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.json", "real.json"]


def test_a_file_that_nobody_may_write_stays(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    path.write_bytes(b"old")
    path.chmod(0o444)
    with pytest.raises(PermissionError):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"


def test_what_is_no_file_is_written_to(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    pipe = tmp_path / "pipe"
    pipe.symlink_to(f"/proc/self/fd/{writing}")
    write_whole(pipe, b"new")
    os.close(writing)
    assert os.read(reading, 10) == b"new"
    os.close(reading)
    assert pipe.is_symlink()


def test_a_folder_that_is_not_there_is_told_by_the_path_that_was_given(tmp_path: Path) -> None:
    path = tmp_path / "none" / "x.json"
    with pytest.raises(FileNotFoundError) as caught:
        write_whole(path, b"new")
    assert caught.value.filename == str(path)
