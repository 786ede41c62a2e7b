"""Makes matplotlib's SVG small: short numbers, one path for neighbours of one style, and no names, groups or spaces without a use."""

import re
from xml.etree import ElementTree

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
PATH, USE, GROUP, TEXT, STYLE = (f"{{{SVG}}}{name}" for name in ("path", "use", "g", "text", "style"))
HREF = f"{{{XLINK}}}href"
FONT = "font-family: 'DejaVu Sans', 'Arial', 'Helvetica', sans-serif"
CLIP = {"clip-path"}
NUMBERS = ("d", "x", "y", "width", "height", "transform", "viewBox", "points")


def compact_svg(content: bytes) -> bytes:
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", XLINK)
    root = ElementTree.fromstring(content)
    for metadata in root.findall(f"{{{SVG}}}metadata"):
        root.remove(metadata)
    _shorten_names(root)
    _unwrap(root)
    for element in root.iter():
        _shorten(element)
    _move_styles(root)
    _join_neighbours(root)
    root.set("style", re.sub(r"\s*([:,])\s*", r"\1", FONT))
    text = ElementTree.tostring(root, encoding="unicode").replace(" />", "/>")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'.encode()


def _shorten_names(root) -> None:
    """Keeps the names that something refers to and numbers them."""
    text = ElementTree.tostring(root, encoding="unicode")
    used = set(re.findall(r'href="#([^"]+)"', text)) | set(re.findall(r"url\(#([^)]+)\)", text))
    names = {name: f"i{place}" for place, name in enumerate(e.get("id") for e in root.iter() if e.get("id") in used)}
    for element in root.iter():
        if (name := element.attrib.pop("id", None)) in names:
            element.set("id", names[name])
        for key, value in element.attrib.items():
            if key == HREF:
                element.set(key, f"#{names[value[1:]]}")
            elif "url(#" in value:
                element.set(key, re.sub(r"url\(#([^)]+)\)", lambda match: f"url(#{names[match[1]]})", value))


def _unwrap(element) -> None:
    """Puts the children of each group without attributes in the group's place."""
    children = []
    for child in list(element):
        _unwrap(child)
        children.extend(list(child) if child.tag == GROUP and not child.attrib else [child])
    element[:] = children


def _shorten(element) -> None:
    if element.tag != TEXT:
        element.text = (element.text or "").strip() if element.tag == STYLE else None
    element.tail = None
    digits = 2 if element.get("id") or element.tag == TEXT else 1  # a marker is small and a letter may be turned
    for name in NUMBERS:
        if name in element.attrib:
            element.set(name, _rounded(element.attrib[name], digits))
    if element.tag == PATH and "d" in element.attrib and "id" not in element.attrib:
        element.set("d", _level_and_upright(element.get("d")))
    if element.get("transform", "").startswith("rotate(-0"):
        del element.attrib["transform"]
    if "style" in element.attrib:
        style = element.attrib["style"].replace(f"{FONT};", "").replace(FONT, "")
        style = re.sub(r"\s*([:;])\s*", r"\1", style).strip("; ")
        element.set("style", re.sub(r"#(\w)\1(\w)\2(\w)\3\b", r"#\1\2\3", style))


def _rounded(numbers: str, digits: int) -> str:
    def short(number: re.Match) -> str:
        text = f"{float(number[0]):.{digits}f}".rstrip("0").rstrip(".")
        return "0" if text == "-0" else text

    return re.sub(r"\s*([MLCQZz])\s*", r"\1", re.sub(r"-?\d+\.\d+", short, numbers)).strip()


def _level_and_upright(d: str) -> str:
    """Writes level and upright lines with one number each."""
    if re.search(r"[^MLz\d. -]", d):
        return d
    written, at = [], (None, None)
    for command, x, y in re.findall(r"([MLz])(?:(-?[\d.]+) (-?[\d.]+))?", d):
        if command == "L" and at == (x, y):
            continue
        written.append(f"H{x}" if command == "L" and y == at[1] else f"V{y}" if command == "L" and x == at[0] else
                       "z" if command == "z" else f"{command}{x} {y}")
        at = (x, y)
    return "".join(written)


def _move_styles(root) -> None:
    """A marker has the style of all its uses, so that they need none. matplotlib makes one marker for each style."""
    markers = {f"#{element.get('id')}": element for element in root.iter(PATH) if element.get("id")}
    for element in root.iter(USE):
        if element.get("style") and element.get(HREF) in markers:
            markers[element.get(HREF)].set("style", element.attrib.pop("style"))


def _join_neighbours(element) -> None:
    """Makes one path of neighbours with one style, and one group of neighbours that are clipped alike."""
    joined = []
    for child in list(element):
        _join_neighbours(child)
        if child.tag == PATH and not child.get("d"):
            continue  # nothing of it lies inside the axes
        before = joined[-1] if joined else child
        alike = before is not child and before.tag == child.tag
        if alike and child.tag == PATH and _like(child) == _like(before):
            before.set("d", before.get("d") + child.get("d"))
        elif alike and child.tag == GROUP and set(child.attrib) == CLIP and child.attrib == before.attrib:
            before.extend(list(child))
        else:
            joined.append(child)
    element[:] = joined


def _like(path) -> tuple:
    """What paths that become one have in common; one with a name stays apart."""
    return path.get("id"), path.get("style"), path.get("clip-path"), path.get("transform"), "opacity" in path.get("style", "") and id(path)
