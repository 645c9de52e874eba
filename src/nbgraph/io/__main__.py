"""Command line for files of records: `python -m nbgraph.io pack | list | show | index`."""

import argparse
import os
import sys
from pathlib import Path

import numpy as np

from nbgraph.errors import ArgumentError, DataError, NbgraphError
from nbgraph.io import images, packer, records
from nbgraph.io.appender import Appender
from nbgraph.io.files import Bytes, open_bytes
from nbgraph.io.packing import IRHeader, unpack
from nbgraph.io.terminal import hexadecimal, picture


def main(arguments: list[str] | None = None) -> int:
    """Run the command that the arguments name, and return the exit status."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except NbgraphError as error:
        sys.stderr.write(f"nbgraph.io {options.command}: {error}\n")
        return 1
    except BrokenPipeError:  # the reader of the pipe, such as `head`, has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        sys.stderr.write(f"nbgraph.io {options.command}: interrupted\n")
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m nbgraph.io", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    pack = commands.add_parser("pack", help="pack images into a file of records")
    pack.set_defaults(run=_pack)
    pack.add_argument(
        "source",
        help="a folder with a folder of images for each class, or a list: lines of a number, "
        "labels and a path, with tabs between",
    )
    pack.add_argument("out", help="the file of records; its places go to the same name with .idx")
    pack.add_argument("--root", help="the folder that paths of a list are relative to (its own)")
    pack.add_argument(
        "--resize", type=int, metavar="N", help="shorter sides longer than N become N"
    )
    pack.add_argument("--quality", type=int, metavar="Q", help="encode anew, as JPEG of 1 to 100")
    pack.add_argument("--shuffle", action="store_true", help="pack in a random order")
    pack.add_argument("--seed", type=int, default=0, help="of that order (0)")
    pack.add_argument("--workers", type=int, default=0, metavar="N", help="threads (all cores)")
    pack.add_argument(
        "--verify", action="store_true", help="read all of it again when it is packed"
    )
    pack.add_argument("--resume", action="store_true", help="go on where the same call was stopped")
    pack.add_argument("--skip", action="store_true", help="leave out images that cannot be read")
    listing = commands.add_parser("list", help="list the records of a file")
    listing.set_defaults(run=_list)
    listing.add_argument("file")
    show = commands.add_parser("show", help="show a record: its header, and the picture")
    show.set_defaults(run=_show)
    show.add_argument("file")
    show.add_argument("number", type=int, help="of the record, from 0; -1 is the last one")
    show.add_argument("--out", metavar="FILE", help="write the picture, or the payload, to a file")
    show.add_argument("--width", type=int, default=0, help="of the picture in characters")
    index = commands.add_parser("index", help="write the places of a file's records to an .idx")
    index.set_defaults(run=_index)
    index.add_argument("file")
    return parser


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")


# pack --------------------------------------------------------------------------------------------


def _pack(options: argparse.Namespace) -> None:
    for name, value, high in (
        ("resize", options.resize, 1 << 16),
        ("quality", options.quality, 100),
    ):
        if value is not None and not 1 <= value <= high:
            raise ArgumentError(f"--{name} {value}: expected 1 to {high}")
    entries, classes = packer.entries(options.source, options.root)
    if options.shuffle:
        entries = packer.shuffled(entries, options.seed)
    make = packer.Recipe(options.resize, options.quality)
    try:
        lost = packer.pack_files(
            entries,
            options.out,
            make=make,
            workers=options.workers,
            resume=options.resume,
            skip=options.skip,
        )
    except (NbgraphError, KeyboardInterrupt):
        part = packer.parts_of(options.out, entries, make)[0]
        if part.exists():
            sys.stderr.write(f"{part} has what was packed; --resume goes on with it\n")
        raise
    for k, name in enumerate(classes):
        _say(f"class {k}: {name}")
    for line in lost:
        sys.stderr.write(f"left out: {line}\n")
    if options.verify:
        packer.verify(entries, options.out)
    size = Path(options.out).stat().st_size
    text = ", verified" if options.verify else ""
    _say(f"{options.out}: {len(entries) - len(lost)} records, {size} bytes{text}")


# list, show, index -------------------------------------------------------------------------------


def _list(options: argparse.Namespace) -> None:
    file = open_bytes(options.file)
    index = records.scan(file)
    _say(f"{'number':>8} {'offset':>12} {'bytes':>10} parts  what it is")
    for number, (at, size, parts) in enumerate(zip(*[column.tolist() for column in index])):
        text = _described(*_unpacked(records.decode(file, at, number)[0]))
        _say(f"{number:>8} {at:>12} {size:>10} {parts:>5}  {text}")
    _say(f"{len(index.starts)} records, {file.size} bytes")


def _show(options: argparse.Namespace) -> None:
    file = open_bytes(options.file)
    at, number = _place(file, options.number)
    header, payload = _unpacked(records.decode(file, at, number)[0])
    _say(f"record {number} at byte {at}: {_described(header, payload)}")
    kind = _kind(payload)
    if options.out is not None:
        _write(payload, kind is not None, Path(options.out))
    elif kind is None:
        _say(hexadecimal(payload))
    else:
        _say(picture(images.decode(payload), options.width))


def _write(payload: bytes, is_image: bool, out: Path) -> None:
    if is_image and out.suffix:
        payload = images.converted(payload, out.suffix)
    target = Appender(out, 0)
    target.append(payload)
    target.close()
    _say(f"{out}: {len(payload)} bytes")


def _index(options: argparse.Namespace) -> None:
    """Write an index whose keys are the ids of packed records if those are unique, else numbers."""
    file = open_bytes(options.file)
    starts = records.scan(file).starts.tolist()
    heads = [_unpacked(records.decode(file, at, n)[0])[0] for n, at in enumerate(starts)]
    keys = [n if head is None else head.id for n, head in enumerate(heads)]
    if len(set(keys)) < len(keys):
        keys = list(range(len(keys)))
    out = Path(options.file).with_suffix(".idx")
    target = Appender(out, 0)
    target.append("".join(f"{key}\t{at}\n" for key, at in zip(keys, starts)).encode())
    target.close()
    _say(f"{out}: {len(keys)} places")


def _place(file: Bytes, number: int) -> tuple[int, int]:
    starts = records.scan(file).starts
    if not -len(starts) <= number < len(starts):
        raise DataError(f"there is no record {number}; it has {len(starts)}", file=file.name)
    return int(starts[number]), number % len(starts)


def _unpacked(record: bytes) -> tuple[IRHeader | None, bytes]:
    """Return header and payload of a record; None and the record if it has no header."""
    try:
        return unpack(record)
    except DataError:
        return None, record


def _kind(payload: bytes) -> tuple[str, str, tuple[int, int]] | None:
    try:
        return images.described(payload)
    except DataError:
        return None


def _described(header: IRHeader | None, payload: bytes) -> str:
    kind = _kind(payload)
    if header is None:
        return f"{len(payload)} bytes without a header"
    labels = " ".join(f"{label:g}" for label in np.atleast_1d(header.label))
    what = f"{len(payload)} bytes" if kind is None else f"{kind[0]} {kind[2][0]} x {kind[2][1]}"
    return f"id {header.id}, label {labels}: {what}"


if __name__ == "__main__":
    sys.exit(main())
