"""The site builds without a warning, its links lead somewhere, and it needs no network."""

import re
import subprocess
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from trick_envs import GAMES, game_class, make_game
from trick_envs.core.kernel import COMPILED
from trick_envs.core.state import fields_of

pytest.importorskip("mkdocs")
pytestmark = pytest.mark.skipif(not COMPILED, reason="pages of games come from thousands of games")

ROOT = Path(__file__).resolve().parents[1]


class Page(HTMLParser):
    """What a page links to, what it loads, and its anchors."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.text = file.read_text(encoding="utf-8")
        self.feed(self.text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        self.anchors |= {value for key, value in attributes if key == "id" and value}
        if tag == "a" and given.get("href"):
            self.links.append(str(given["href"]))
        if tag in ("script", "img", "iframe", "source") and given.get("src"):
            self.loads.append(str(given["src"]))
        if tag == "link" and given.get("href"):
            self.loads.append(str(given["href"]))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site, built as `make docs` does it."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    """All pages but the one for addresses that don't exist, which has to name them from the site's root."""
    return {file: Page(file) for file in site.rglob("*.html") if file.name != "404.html"}


def test_every_link_leads_to_a_page_and_a_place_on_it(pages: dict[Path, Page]) -> None:
    num_links = 0
    for file, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            assert target.is_file(), f"{file}: {link}"
            if parts.fragment and target in pages:
                assert unquote(parts.fragment) in pages[target].anchors | {"__top"}, f"{file}: {link}"
            num_links += 1
    assert num_links > 1000


def test_nothing_is_loaded_from_the_network(site: Path, pages: dict[Path, Page]) -> None:
    for file, page in pages.items():
        for address in page.loads:
            parts = urlsplit(address)
            assert not parts.scheme or parts.scheme == "data", f"{file}: {address}"
            assert not parts.netloc, f"{file}: {address}"
            if not parts.scheme:
                assert (file.parent / unquote(parts.path)).is_file(), f"{file}: {address}"
    for style in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(https?:)?//", style.read_text(encoding="utf-8")), style


def test_the_start_page_has_the_figure_and_the_numbers_of_the_readme(
    site: Path, pages: dict[Path, Page]
) -> None:
    page = pages[site / "index.html"]
    (figure,) = (address for address in page.loads if re.fullmatch(r"\w+\.png", address))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    above = readme.partition(f"(docs/{figure})")[0].split("\n\n")[-2]
    assert all(number in page.text for number in re.findall(r"\d\.\d+", above))


@pytest.mark.parametrize("name", GAMES)
def test_the_page_of_a_game_has_its_sheet_a_table_and_its_agents(name: str, pages: dict[Path, Page]) -> None:
    (page,) = (page for file, page in pages.items() if file.parts[-2:] == ("games", f"{name}.html"))
    game = make_game(name)
    headings = {"options", "observation", "actions", "the-record"}
    assert headings | {"a-game-in-progress", "how-strong-agents-are"} <= page.anchors
    assert all(f"<code>{field}</code>" in page.text for field in ("current_player", "hands", "played"))
    assert "_padding" not in page.text
    assert all(f"<code>{phase}</code>" in page.text for phase in game.phases)
    assert f"{game.title}:" in page.text
    assert "<code>rules</code>" in page.text


@pytest.mark.parametrize("name", GAMES)
def test_the_page_of_a_game_has_every_field_of_its_record_with_its_meaning(
    name: str, pages: dict[Path, Page]
) -> None:
    (page,) = (page for file, page in pages.items() if file.parts[-2:] == ("games", f"{name}.html"))
    rows = re.findall(r"<tr>\s*((?:<td>.*?</td>\s*)+)</tr>", page.text)
    cells = {tuple(re.findall(r"<td>(.*?)</td>", row)) for row in rows}
    dtype = game_class(name).state_dtype
    for field in fields_of(dtype):
        axes = ", ".join(f"{axis} {size}" for axis, size in field.axes.items())
        (meaning,) = (
            unescape(cell[3])
            for cell in cells
            if cell[:3] == (f"<code>{field.name}</code>", str(dtype[field.name].base), axes)
            and cell[4] == field.known_to
        )
        assert meaning == field.meaning


@pytest.mark.parametrize("folder", ["games", "tournaments"])
def test_the_navigation_names_every_game(folder: str, pages: dict[Path, Page]) -> None:
    for name in GAMES:
        target = f"{name}/index.html" if folder == "tournaments" else f"{name}.html"
        (file,) = (file for file in pages if str(file).endswith(f"/{folder}/{target}"))
        pattern = r'<a href="([^"]*)" class="md-nav__link[^>]*>(.*?)</a>'
        named = {
            re.sub(r"<[^>]*>", "", text).strip()
            for link, text in re.findall(pattern, pages[file].text, re.DOTALL)
            if folder in (file.parent / link).resolve().parts[-3:]
        }
        assert {make_game(other).title for other in GAMES} <= named


def test_every_module_has_a_page_of_the_reference(pages: dict[Path, Page]) -> None:
    found = {file.stem for file in pages if file.parent.name == "reference"}
    for folder in (ROOT / "trick_envs", ROOT / "agents/trick_agents", ROOT / "experiments/trick_experiments"):
        for file in folder.rglob("*.py"):
            if file.name == "__main__.py":
                continue
            parts = file.relative_to(folder.parent).with_suffix("").parts
            assert ".".join(parts).removesuffix(".__init__") in found


def test_the_reference_has_the_docstrings(pages: dict[Path, Page]) -> None:
    (page,) = (page for file, page in pages.items() if file.stem == "trick_envs.core.game")
    assert "trick_envs.core.game.Game.resample" in page.anchors
    assert "consistent with all that the seat has seen is equally likely" in page.text
