"""Wheels in the folder WHEELS: tags, checksums, size, licences, and a program of the platform that the tag names."""

import base64
import csv
import hashlib
import os
import shutil
import stat
import subprocess
import zipfile
from pathlib import Path

import pytest

WHEELS = sorted(Path(os.environ.get("WHEELS", "none")).glob("*.whl"))
MAGIC = {  # the head of a program, and the two bytes that name the processor, with where they stand
    "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64": (b"\x7fELF", 18, b"\x3e\x00"),
    "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64": (b"\x7fELF", 18, b"\xb7\x00"),
    "macosx_12_0_x86_64": (b"\xcf\xfa\xed\xfe", 4, b"\x07\x00\x00\x01"),
    "macosx_12_0_arm64": (b"\xcf\xfa\xed\xfe", 4, b"\x0c\x00\x00\x01"),
    "win_amd64": (b"MZ", None, b"\x64\x86"),
}


@pytest.mark.skipif(not WHEELS, reason="WHEELS names no folder of wheels")
@pytest.mark.parametrize("at", WHEELS, ids=lambda p: p.stem.split("-")[-1])
def test_wheel(at, tmp_path):
    name, version, python, abi, tags = at.stem.split("-")
    assert (name, python, abi) == ("resolwe", "py3", "none")
    assert at.stat().st_size < 25e6
    with zipfile.ZipFile(at) as wheel:
        files = {entry.filename: wheel.read(entry) for entry in wheel.infolist()}
        modes = {entry.filename: entry.external_attr >> 16 for entry in wheel.infolist()}
    info = f"resolwe-{version}.dist-info/"
    recorded = {row[0]: row[1:] for row in csv.reader(files[info + "RECORD"].decode().splitlines())}
    assert recorded.keys() == files.keys()
    for file, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        assert recorded[file] == (["", ""] if file.endswith("/RECORD") else [f"sha256={digest}", str(len(data))]), file
    said = files[info + "WHEEL"].decode().splitlines()
    assert [line[len("Tag: "):] for line in said if line.startswith("Tag: ")] == [f"py3-none-{t}" for t in tags.split(".")]
    assert "Root-Is-Purelib: false" in said
    for field in (f"Version: {version}", "License-File: LICENSE", "License-File: LICENSES"):
        assert field in files[info + "METADATA"].decode().splitlines()
    assert b"Apache License" in files[info + "licenses/LICENSE"]
    assert b"parquet" in files[info + "licenses/LICENSES"]

    (program,) = (f for f in files if f.startswith("resolwe/bin/"))
    assert program.endswith(".exe") == tags.startswith("win")
    assert stat.S_ISREG(modes[program])
    assert modes[program] & 0o111 == 0o111
    data, (magic, offset, processor) = files[program], MAGIC[tags]
    if offset is None:  # the head of a Windows program states where the part of the processor begins
        offset = int.from_bytes(data[60:64], "little")
        assert data[offset:offset + 4] == b"PE\0\0"
        offset += 4
    assert data.startswith(magic)
    assert data[offset:offset + len(processor)] == processor
    if "aarch64" in tags and (qemu := shutil.which("qemu-aarch64")):
        (tmp_path / "resolwe").write_bytes(data)
        (tmp_path / "resolwe").chmod(0o755)
        assert "arm64" in subprocess.run([qemu, tmp_path / "resolwe", "version"], check=True, capture_output=True, text=True).stdout
