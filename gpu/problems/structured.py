"""Values in files as programs write them: JSON, also line by line, literals of Python, matrices.

Matrices are those that NumPy shows, and those that MATLAB takes.
"""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

from gpu.core.errors import InstanceError
from gpu.problems.document import decoded

_NAME = r"(?:[A-Za-z_][\w.]*(?:\[\s*['\"]\w+['\"]\s*\])*\s*=\s*)"
_ARRAYS = ("array", "asarray", "matrix")
_BEGINS = re.compile(
    rf"\s*(?:(?:import|from)\s[^\n]*\n\s*)*{_NAME}?"
    rf"(?:(?:[A-Za-z_]\w*\.)?(?:{'|'.join(_ARRAYS)})\s*\(\s*)?[\[({{]"
)
_PRINTED = re.compile(r"\s*\[\s*\[[-+0-9.eEnaif\s\[\]]*\]\s*\]\s*")  # as NumPy shows a matrix
_PRINTED_ROW = re.compile(r"\[([^\[\]]*)\]")
_OF_MATLAB = re.compile(rf"\s*{_NAME}?\[([-+0-9.,;eEInNaf\s]*)\][\s;]*")
_LEFT_OUT = re.compile(r"\s*(?:array\()?\[\s*\[[^\[\]]*\.\.\.")
_PYTHON_LONGEST = 50 << 20  # characters of a literal: Python takes some 40 bytes for each


def begins_as_value(start: bytes) -> bool:
    """Whether a file that begins with ``start`` begins as such a value."""
    text = decoded(start)
    return text is not None and _BEGINS.match(text) is not None


def structured(path: Path, data: bytes) -> Any | None:
    """Return the value in the file ``data`` at ``path``; None if it does not begin as one.

    Of Python there may be names and "=" before values, imports, and arrays of NumPy.
    InstanceError if it begins as a value and is none: broken off, too deep, or with something
    behind it.
    """
    text = decoded(data)
    if text is None or not _BEGINS.match(text):
        return None
    try:
        return json.loads(text)
    except RecursionError as error:
        raise InstanceError(f"{path}: its lists are too deep") from error
    except ValueError as error:
        whole = isinstance(error, json.JSONDecodeError)
        broken = str(error) if whole else "a number in it has too many digits"
    if lines := _lines_of_json(text):
        return lines
    if _LEFT_OUT.match(text):
        raise InstanceError(
            f"{path}: NumPy has left numbers out (...): write all of them, as with numpy.savetxt"
        )
    if _PRINTED.fullmatch(text) and (rows := _printed(text)):
        return rows
    if (matlab := _OF_MATLAB.fullmatch(text)) and (rows := _of_matlab(matlab[1])):
        return rows
    if len(text) > _PYTHON_LONGEST:
        raise InstanceError(f"{path}: it is no whole JSON ({broken})")
    try:
        return _of_python(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError) as error:
        if text.lstrip()[0] not in "[{(":
            why = error.msg if isinstance(error, SyntaxError) else "a part of it is computed"
            raise InstanceError(f"{path}: it is no whole value of Python ({why})") from error
        if text.lstrip()[0] in "[{":
            raise InstanceError(f"{path}: it is no whole JSON ({broken})") from error
        return None


def _printed(text: str) -> list[list[float]] | None:
    """Return the rows of a matrix as NumPy shows it, with blanks between its numbers."""
    try:
        rows = [[_number(word) for word in row.split()] for row in _PRINTED_ROW.findall(text)]
    except ValueError:
        return None
    return rows if len(rows) > 1 else None


def _of_matlab(text: str) -> list[list[float]] | None:
    """Return the rows of a matrix as MATLAB writes it, with semicolons or line ends after them."""
    lines = filter(str.strip, re.split(r"[;\r\n]", text))
    try:
        rows = [[_number(word) for word in re.split(r"[\s,]+", row.strip())] for row in lines]
    except ValueError:
        return None
    return rows if len({*map(len, rows)}) == 1 < len(rows) else None


def _number(word: str) -> float:
    return int(word) if word.isdigit() and len(word) < 19 else float(word)


def _of_python(text: str) -> Any:
    """Return the value that ``text`` writes, or those that it gives names to, by these names.

    ValueError, or SyntaxError, if it is something else.
    """
    found = dict[str, Any]()
    body = ast.parse(text).body
    for line in body:
        if isinstance(line, ast.Import | ast.ImportFrom):
            continue
        if isinstance(line, ast.Expr) and len(body) == 1:
            return _literal(line.value)
        if not isinstance(line, ast.Assign | ast.AnnAssign) or line.value is None:
            raise ValueError("it is more than values")
        target = line.targets[0] if isinstance(line, ast.Assign) else line.target
        found[_called(target)] = _literal(line.value)
    found = {name: value for name, value in found.items() if value not in ({}, [])}
    return next(iter(found.values())) if len(found) == 1 else found


def _called(target: ast.expr) -> str:
    """Return the last name of what gets a value: "d" of x.d and of x["d"]."""
    if isinstance(target, ast.Subscript):
        return str(_literal(target.slice))
    if isinstance(target, ast.Attribute):
        return target.attr
    if isinstance(target, ast.Name):
        return target.id
    raise ValueError("a name is none")


def _literal(node: ast.expr) -> Any:
    """Return the value of ``node``, in which there may be arrays and infinities."""
    try:
        return ast.literal_eval(node)
    except ValueError:
        return ast.literal_eval(_Plain().visit(node))


class _Plain(ast.NodeTransformer):
    """Writes arrays of NumPy as the lists that they are made of, and infinities as numbers."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Return the first argument of what makes an array or a number."""
        called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        called = node.func.id if isinstance(node.func, ast.Name) else called
        if called in _ARRAYS and node.args:
            return self.generic_visit(node.args[0])
        if called == "float" and len(node.args) == 1 and isinstance(node.args[0], ast.Constant):
            return ast.Constant(float(str(node.args[0].value)))
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Return the number that, for example, math.inf is."""
        return ast.Constant(float(node.attr)) if node.attr in ("inf", "nan") else node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Return the number that inf or nan is."""
        return ast.Constant(float(node.id)) if node.id in ("inf", "nan") else node


def _lines_of_json(text: str) -> list[Any] | None:
    """Return the values of a file with one in each line; None if it is no such file."""
    found = []
    for line in filter(str.strip, text.splitlines()):
        try:
            found.append(json.loads(line.rstrip().removesuffix(",")))
        except (ValueError, RecursionError):
            return None
    return found if len(found) > 1 else None
