"""Tables in files that are no text: arrays of NumPy, sparse matrices of SciPy, and spreadsheets.

No object of Python is unpickled, and no formula computed: what a spreadsheet shows is read.
"""

from __future__ import annotations

import datetime
import io
import sys
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.core.errors import InstanceError
from gpu.core.files import ARRAY_BEGINS, LARGEST_FILE, archived
from gpu.problems.document import shortened
from gpu.problems.input_file import InputFile
from gpu.problems.tables.open_document import Sheets

_ARRAY, _ZIP = ARRAY_BEGINS, b"PK\x03\x04"
_SHEET_PARTS = ("xl/workbook.xml", "xl/workbook.bin")
_OPEN_DOCUMENT = "content.xml"
_PROLOGUE = 2_000  # bytes of XML before its first element
_MOST_CELLS = 1 << 26
_SURROGATES = 0xD800, 0xDFFF  # halves of characters in UTF-16
_LISTED = ("names", "labels", "cities", "ids")  # arrays with names

Rows = Sequence[Sequence[Any]]


def is_binary_table(data: bytes) -> bool:
    """Whether the file ``data`` holds arrays or is a spreadsheet."""
    if data.startswith(_ARRAY):
        return True
    return any(
        name.endswith(".npy") or name in _SHEET_PARTS or name == _OPEN_DOCUMENT
        for name in _parts_of(data)
    )


def _parts_of(data: bytes) -> Sequence[str]:
    """Return the names of the files in a ZIP archive; none if it is none."""
    if not data.startswith(_ZIP):
        return []
    try:
        return archived(data)
    except ValueError:
        return []


def binary_rows(file: InputFile) -> Rows | NDArray[Any] | None:
    """Return the rows in ``file``; None if it is no such table. InstanceError if it is broken."""
    if file.data.startswith(_ARRAY):
        return _checked(file, _array(file, file.data), "it")
    names = _parts_of(file.data)
    if any(name.endswith(".npy") for name in names):
        return _arrays(file)
    if any(name in _SHEET_PARTS for name in names):
        return _sheet(file)
    return _open_sheet(file) if _OPEN_DOCUMENT in names else None


def sheet_names(file: InputFile) -> tuple[str, ...]:
    """Return the names that ``--sheet`` takes: of a spreadsheet's sheets, or of arrays."""
    names = _parts_of(file.data)
    arrays = tuple(one.removesuffix(".npy") for one in names if one.endswith(".npy"))
    if arrays:
        return () if {"format", "shape", "data"} <= {*arrays} else arrays
    if not any(name in _SHEET_PARTS for name in names):
        try:
            return tuple(_open_sheets(file)) if _OPEN_DOCUMENT in names else ()
        except InstanceError:  # its reader says what is wrong with it
            return ()
    try:
        import openpyxl

        book = openpyxl.load_workbook(io.BytesIO(file.data), read_only=True)
        return tuple(one.title for one in book.worksheets)
    except Exception:  # its reader says what is wrong with it
        return ()


def _array(file: InputFile, data: bytes) -> NDArray[Any]:
    try:
        found = np.load(io.BytesIO(data), allow_pickle=False)
    except Exception as error:  # whatever a broken head makes Python's own parsers raise
        raise file.error(f"it is no array of numbers that can be read: {_short(error)}") from error
    array = np.asarray(found)
    if array.dtype.kind == "U" and array.size and not _are_characters(array):
        raise file.error("it is no array that can be read: its texts are damaged")
    return array


def _are_characters(array: NDArray[Any]) -> bool:
    """Whether the texts in ``array`` have nothing but characters that there are."""
    codes = np.frombuffer(array.tobytes(), np.dtype(np.uint32).newbyteorder(array.dtype.byteorder))
    surrogates = (codes >= _SURROGATES[0]) & (codes <= _SURROGATES[1])
    return not bool((surrogates | (codes > sys.maxunicode)).any())


def _short(error: Exception) -> str:
    return shortened(str(error).partition("\n")[0] or type(error).__name__)


def _checked(file: InputFile, array: NDArray[Any], what: str) -> NDArray[Any]:
    """Return a table of numbers or names; InstanceError if ``array`` is none."""
    if array.ndim != 2 or array.dtype.kind not in "iufbUS":
        raise file.error(
            f"{what} is an array of {array.ndim} dimensions and of type {array.dtype}, but a table "
            "has rows and columns of numbers"
        )
    if array.size > _MOST_CELLS and array.dtype.kind not in "iuf":
        raise file.error(f"{what} has {array.size:,} cells; at most {_MOST_CELLS:,} are read")
    if array.dtype.kind == "b":
        return array.astype(np.int64)
    return np.char.decode(array, "utf-8", "replace") if array.dtype.kind == "S" else array


def _arrays(file: InputFile) -> Rows | NDArray[Any]:
    """Return the table among several arrays, with its names, or a sparse matrix."""
    try:
        with zipfile.ZipFile(io.BytesIO(file.data)) as archive:
            size = sum(one.file_size for one in archive.infolist())
            if size > LARGEST_FILE:
                raise file.error(f"it is too large: it unpacks to more than {LARGEST_FILE} bytes")
            arrays = {
                name.removesuffix(".npy"): _array(file, archive.read(name))
                for name in archive.namelist()
                if name.endswith(".npy")
            }
    except (
        zipfile.BadZipFile,
        ValueError,
        OSError,
        EOFError,
        NotImplementedError,
        RuntimeError,
    ) as error:
        raise file.error(f"it is a broken archive of arrays: {_short(error)}") from error
    except Exception as error:  # zlib's own
        if isinstance(error, InstanceError):
            raise
        raise file.error(f"it is a broken archive of arrays: {_short(error)}") from error
    if {"format", "shape", "data"} <= arrays.keys():
        return _sparse(file, arrays)
    tables = {name: one for name, one in arrays.items() if one.ndim == 2}
    wanted = file.read_as.sheet
    if wanted and wanted not in tables:
        raise file.error(
            f"--sheet {shortened(wanted)} is none of its tables {', '.join(tables)[:200]}"
        )
    if not tables or (len(tables) > 1 and not wanted):
        what = f"several tables: {', '.join(tables)[:200]}" if tables else "no table"
        way_out = "; --sheet says which one counts" if tables else ""
        raise file.error(f"it has {what}{way_out}")
    name = wanted or next(iter(tables))
    table = _checked(file, tables[name], f"its {shortened(name)}")
    for listed in _LISTED:
        names = arrays.get(listed)
        if names is not None and names.shape == (len(table),) == (table.shape[1],):
            texts = [str(one) for one in names.tolist()]
            return [
                ["", *texts],
                *([text, *row] for text, row in zip(texts, table.tolist(), strict=True)),
            ]
    return table


def _sparse(file: InputFile, arrays: dict[str, NDArray[Any]]) -> NDArray[Any]:
    """Return a sparse matrix of SciPy with NaN where it has nothing."""
    from scipy.sparse import coo_array, load_npz  # slow to import

    shape = arrays["shape"].tolist()
    if not (isinstance(shape, list) and len(shape) == 2 and shape[0] * shape[1] <= _MOST_CELLS):
        raise file.error("its sparse matrix has a shape that cannot be read")
    try:
        found = coo_array(load_npz(io.BytesIO(file.data)))
        values = np.full(found.shape, np.nan)
        values[found.row, found.col] = found.data
    except (ValueError, IndexError, TypeError, KeyError, OSError, NotImplementedError) as error:
        raise file.error(f"its sparse matrix cannot be read: {_short(error)}") from error
    return values


def _open_sheet(file: InputFile) -> Rows:
    """Return the rows of the sheet of an OpenDocument spreadsheet that counts."""
    return _first_of(file, {name: _square(rows) for name, rows in _open_sheets(file).items()})


def _open_sheets(file: InputFile) -> dict[str, list[list[Any]]]:
    try:
        with zipfile.ZipFile(io.BytesIO(file.data)) as archive:
            if archive.getinfo(_OPEN_DOCUMENT).file_size > LARGEST_FILE:
                raise file.error(f"it is too large: it unpacks to more than {LARGEST_FILE} bytes")
            with archive.open(_OPEN_DOCUMENT) as part:
                data = part.read(LARGEST_FILE + 1)
    except InstanceError:
        raise
    except Exception as error:  # whatever a broken archive makes zipfile and zlib raise
        raise file.error(f"it is no spreadsheet that can be read: {_short(error)}") from error
    sheets = Sheets(file, _MOST_CELLS)
    sheets.read(data)
    return sheets.rows


def _first_of(file: InputFile, sheets: Mapping[str, Rows]) -> Rows:
    """Return the rows of the sheet that the user names, or of the first with anything in it."""
    wanted = file.read_as.sheet
    if not sheets or (wanted and wanted not in sheets):
        known = ", ".join(sheets)[:200]
        raise file.error(f"--sheet {shortened(wanted)} is none of its sheets: {known or 'none'}")
    return sheets[wanted] if wanted else next(filter(None, sheets.values()), [])


def _sheet(file: InputFile) -> Rows:
    """Return the rows of the sheet that the user names, or of the first with anything in it."""
    try:
        import openpyxl
    except ImportError as error:
        raise file.error(
            "it is a spreadsheet, and openpyxl is not installed, which reads them: install "
            "formicarium[spreadsheets], or save the table as CSV"
        ) from error
    try:
        with zipfile.ZipFile(io.BytesIO(file.data)) as archive:
            parts = archive.infolist()
            if sum(one.file_size for one in parts) > LARGEST_FILE:
                raise file.error(f"it is too large: it unpacks to more than {LARGEST_FILE} bytes")
            for one in parts:  # entities may stand for texts of any size
                if one.filename.endswith((".xml", ".rels")):
                    with archive.open(one) as part:
                        if b"<!" in part.read(_PROLOGUE):
                            raise file.error(
                                "its XML declares entities, which no spreadsheet needs"
                            )
        book = openpyxl.load_workbook(io.BytesIO(file.data), read_only=True, data_only=True)
        wanted, sheets = file.read_as.sheet, {one.title: one for one in book.worksheets}
        if not sheets or (wanted and wanted not in sheets):
            known = ", ".join(sheets)[:200]
            raise file.error(
                f"--sheet {shortened(wanted)} is none of its sheets: {known or 'none'}"
            )
        for sheet in [sheets[wanted]] if wanted else sheets.values():
            if rows := _square(_rows_in(file, sheet)):
                return rows
    except InstanceError:
        raise
    except Exception as error:  # whatever a broken archive or its XML makes openpyxl raise
        raise file.error(f"it is no spreadsheet that can be read: {_short(error)}") from error
    return []


def _rows_in(file: InputFile, sheet: Any) -> list[list[Any]]:
    sheet.reset_dimensions()  # a few programs write wrong ones
    rows, count = list[list[Any]](), 0
    for row in sheet.iter_rows(values_only=True):
        cells = [_cell(one) for one in row]
        while cells and cells[-1] is None:
            del cells[-1]
        count += len(cells)
        if count > _MOST_CELLS:
            raise file.error(f"it has more than {_MOST_CELLS:,} cells")
        rows.append(cells)
    return rows


def _cell(value: Any) -> Any:
    """Return a cell as a number or a text."""
    if isinstance(value, datetime.timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}" if seconds else _clock(minutes)
    if isinstance(value, datetime.time):
        minutes = value.hour * 60 + value.minute
        return (
            f"{value.hour}:{value.minute:02}:{value.second:02}" if value.second else _clock(minutes)
        )
    if isinstance(value, bool):
        return int(value)
    return value if value is None or isinstance(value, int | float) else str(value)


def _clock(minutes: int) -> str:
    return f"{minutes // 60}:{minutes % 60:02}"


def _square(rows: list[list[Any]]) -> list[list[Any]]:
    """Return the rows with something in them, all equally long."""
    full = [row for row in rows if any(one not in (None, "") for one in row)]
    begin = min(
        (next(at for at, one in enumerate(row) if one not in (None, "")) for row in full), default=0
    )
    width = max(map(len, full), default=0)
    return [[*row[begin:], *[None] * (width - len(row))] for row in full]
