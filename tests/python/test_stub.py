"""The stub of the compiled module names what the module has, and nothing else."""

import ast
import inspect
import pathlib

import scree
from scree import _scree

STUB = pathlib.Path(scree.__file__).resolve().parent / "_scree.pyi"


def named(body):
    names = {}
    for node in body:
        if isinstance(node, ast.ClassDef):
            names[node.name] = node
        elif isinstance(node, ast.FunctionDef):
            names[node.name] = node
        elif isinstance(node, ast.AnnAssign):
            names[node.target.id] = node
    return names


def test_the_stub_names_what_the_module_has():
    stub = named(ast.parse(STUB.read_text()).body)
    public = {name for name in dir(_scree) if not name.startswith("_")}
    assert {name for name in stub if not name.startswith("_")} == public
    boxes = set(named(stub["_Boxes"].body))
    for name in sorted(public):
        cls = getattr(_scree, name)
        if not inspect.isclass(cls):
            continue
        told = set(named(stub[name].body)) or boxes
        has = {each for each in dir(cls) if not each.startswith("_")}
        assert {each for each in told if not each.startswith("_")} == has, name


def test_what_everybody_may_call_has_hints_and_says_what_it_does():
    for name in scree.__all__:
        if name.startswith("__"):
            continue
        thing = getattr(scree, name)
        assert inspect.getdoc(thing), name
        functions = {name: thing} if inspect.isfunction(thing) else {}
        if inspect.isclass(thing) and thing.__module__.startswith("scree") and not issubclass(thing, Exception):
            functions = {f"{name}.{each}": member for each, member in vars(thing).items()
                         if inspect.isfunction(member) and not each.startswith("_")}
        for each, function in functions.items():
            assert "return" in function.__annotations__, each
            parameters = list(inspect.signature(function).parameters.values())
            for parameter in parameters:
                assert parameter.name == "self" or parameter.annotation is not parameter.empty, (each, parameter.name)
