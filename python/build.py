"""Build wheels that carry the program: `python build.py [-o FOLDER] [PLATFORM ..]`, or as pip's backend, for this machine.

Wheels are the same bytes for the same sources and compiler.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import platform
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
VERSION = "0.1.0"
PLATFORMS = {  # the compiler's name: tags. The program is static on Linux.
    "linux/amd64": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
    "windows/amd64": "win_amd64",
}
METADATA = f"""Metadata-Version: 2.4
Name: resolwe
Version: {VERSION}
Summary: Relational features and predictions with reasons, from linked tables
License-Expression: Apache-2.0
License-File: LICENSE
License-File: LICENSES
Requires-Python: >=3.10
Requires-Dist: pyarrow>=14
Description-Content-Type: text/markdown

"""


def wheel(target: str, folder: Path) -> Path:
    """Build the wheel of a platform into a folder, and return its path."""
    system, arch = target.split("/")
    tags = PLATFORMS[target]
    info, program = f"resolwe-{VERSION}.dist-info", "resolwe.exe" if system == "windows" else "resolwe"
    with tempfile.TemporaryDirectory() as scratch:
        env = {**os.environ, "CGO_ENABLED": "0", "GOOS": system, "GOARCH": arch, "GOAMD64": "v1"}
        command = ["go", "build", "-trimpath", "-ldflags", "-s -w -buildid=", "-o", os.path.join(scratch, program), "./cmd/resolwe"]
        subprocess.run(command, cwd=HERE.parent, env=env, check=True)
        files = {f"resolwe/bin/{program}": Path(scratch, program).read_bytes()}
    files |= {f"resolwe/{f.name}": f.read_bytes() for f in sorted((HERE / "resolwe").iterdir()) if f.is_file()}
    files |= {f"{info}/licenses/{name}": (HERE.parent / name).read_bytes() for name in ("LICENSE", "LICENSES")}
    files[f"{info}/METADATA"] = METADATA.encode() + (HERE.parent / "docs" / "python.md").read_bytes()
    files[f"{info}/entry_points.txt"] = b"[console_scripts]\nresolwe = resolwe._program:main\n"
    each = "".join(f"Tag: py3-none-{tag}\n" for tag in tags.split("."))
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: resolwe\nRoot-Is-Purelib: false\n{each}".encode()
    record = f"{info}/RECORD"
    lines = [f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in files.items()]
    files[record] = "".join([*lines, f"{record},,\n"]).encode()
    folder.mkdir(parents=True, exist_ok=True)
    at = folder / f"resolwe-{VERSION}-py3-none-{tags}.whl"
    with zipfile.ZipFile(at, "w") as out:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if "/bin/" in name else 0o100644) << 16
            out.writestr(entry, data, compresslevel=6)
    return at


def build_wheel(wheel_directory: str, config_settings: dict | None = None, metadata_directory: str | None = None) -> str:
    """Build the wheel for this machine, as pip asks for it."""
    machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine().lower(), platform.machine().lower())
    return wheel(f"{platform.system().lower()}/{machine}", Path(wheel_directory)).name


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def main() -> int:
    """Build the wheels that the command line names, by default all."""
    parser = argparse.ArgumentParser(description="Build wheels.")
    parser.add_argument("-o", "--output", type=Path, default=HERE / "dist")
    parser.add_argument("platform", nargs="*", metavar="PLATFORM", help=", ".join(PLATFORMS))
    args = parser.parse_args()
    for target in args.platform or PLATFORMS:
        if target not in PLATFORMS:
            parser.error(f"no platform {target}: take one of {', '.join(PLATFORMS)}")
        at = wheel(target, args.output)
        print(f"{at.stat().st_size / 1e6:6.1f} MB  {at}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
