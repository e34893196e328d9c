"""The pages of the documentation: their headings, links and fenced blocks, and what is marked about each block.

A block whose language is none of QUIET is something that a reader runs or copies. The line above it says who runs it:

    <!-- run: STORY -->          Scripts/test-docs: all blocks of a page with this word, in order, in one shell and one new directory
    <!-- run: STORY as FILE -->  the same, but the block is not run: it is the contents of a file there
    <!-- run by: FILE -->        a test of its own, which names the page
    <!-- not run: REASON -->     nobody, because it cannot be run here

At the end of a command of a story, `# => TEXT` promises what it says.

NAME.ru.md, and docs/ru/NAME.md of docs/NAME.md, are translations: the same headings, the same blocks with the same marks. Only the original is run.
"""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PLACES = ["*.md", "docs/*.md", "docs/ru/*.md", "clients/*.md", "deploy/*/*.md", "examples/*.md", "Benchmarks/*.md"]
# Languages of blocks that only show something.
QUIET = {"text", "json", "http", "ini"}
MARK = re.compile(r"\s*<!-- (run|run by|not run): (.+) -->\s*")
FENCE = re.compile(r"^( *)```(\w*)\s*$")
HEADING = re.compile(r"^#{1,6} +(.*?)\s*$")
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)\)")


class Block:
    """A fenced block: its first line's number, language, mark (kind and text, or None) and lines."""

    def __init__(self, line, language, mark):
        self.line, self.language, self.mark, self.lines = line, language, mark, []


class Page:
    """A page, read into blocks, anchors, links and the levels of headings; `links` are pairs of a line's number and a target."""

    def __init__(self, path):
        self.path = path
        self.name = str(path.relative_to(ROOT))
        self.blocks, self.anchors, self.links, self.levels = [], set(), [], []
        block, indent, previous = None, "", ""
        for number, line in enumerate(path.read_text().splitlines(), 1):
            fence = FENCE.match(line)
            if block is not None:
                if fence and not fence[2]:
                    block = None
                else:
                    block.lines.append(line.removeprefix(indent))
            elif fence:
                mark = MARK.fullmatch(previous)
                indent = fence[1]
                block = Block(number, fence[2], mark and (mark[1], mark[2]))
                self.blocks.append(block)
            else:
                if heading := HEADING.match(line):
                    self.anchors.add(self.anchor(heading[1]))
                    self.levels.append(line.index(" "))
                # What stands in code is no link.
                self.links += [(number, target) for target in LINK.findall(re.sub(r"`[^`]*`", "`", line))]
            previous = line

    @property
    def original(self):
        """The path of the page that this one translates, or None."""
        if self.path.parent.name == "ru":
            return self.path.parent.parent / self.path.name
        return self.path.with_name(self.path.name.replace(".ru.", ".")) if self.path.name.endswith(".ru.md") else None

    def anchor(self, heading):
        """The anchor that GitHub gives a heading; a repeated one gets a number."""
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        text = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        number, anchor = 0, text
        while anchor in self.anchors:
            number += 1
            anchor = f"{text}-{number}"
        return anchor


def pages():
    """All pages, in the order of PLACES."""
    return [Page(path) for place in PLACES for path in sorted(ROOT.glob(place))]
