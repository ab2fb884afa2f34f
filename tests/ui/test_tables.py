"""Tables: a heading for head and card, each cell escaped, odd items in rows of their own."""

from html.parser import HTMLParser
from types import SimpleNamespace

from django.utils.safestring import SafeString

from lendingadmin.lending.values import Malformed
from lendingadmin.ui import tables
from lendingadmin.ui.tables import Column

EVIL = '<script>"x"</script>'


class Parts(HTMLParser):
    """The tags with their attributes, and the text, of a piece of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def drawn(*items: object) -> Parts:
    columns = (
        Column("Name", lambda item: item.name),
        Column("Owed (KES)", lambda item: item.owed, number=True),
    )
    return Parts(tables.render_table(columns, items))


def test_the_first_column_heads_the_row_and_the_heading_labels_the_card() -> None:
    tags = drawn(SimpleNamespace(name="A", owed="1")).tags
    assert ("th", {"scope": "row"}) in tags
    assert ("th", {"scope": "col", "class": "number"}) in tags
    assert ("td", {"data-label": "Owed", "class": "number"}) in tags


def test_text_is_escaped_and_html_is_left() -> None:
    found = drawn(SimpleNamespace(name=EVIL, owed=SafeString("<b>1</b>")))
    assert EVIL in found.text
    assert [tag for tag, _ in found.tags if tag in ("script", "b")] == ["b"]


def test_an_odd_item_is_one_cell_across_the_table() -> None:
    found = drawn(Malformed(EVIL))
    assert ("th", {"scope": "row", "colspan": "2", "class": "soft"}) in found.tags
    assert EVIL in found.text


def test_links_and_second_lines_escape_what_they_are_given() -> None:
    address = '/a/"><script>'
    for html in (
        tables.row_link(address, EVIL),
        tables.row_id(address, EVIL),
        tables.id_link(address, EVIL),
    ):
        found = Parts(html)
        assert found.tags[0][1]["href"] == address
        assert found.text == EVIL
    assert Parts(tables.two_lines(EVIL, EVIL)).tags == [("small", {})]
    assert tables.two_lines("A", "") == "A"
    assert Parts(tables.side_by_side(EVIL, SafeString("<i></i>"))).tags == [
        ("span", {"class": "row"}),
        ("i", {}),
    ]


def test_only_a_very_long_word_may_break() -> None:
    def spans(text: str) -> list[str]:
        return [attrs["class"] or "" for tag, attrs in Parts(tables.breakable(text)).tags]

    assert spans("W" * 60) == ["long"]
    assert spans("a long text " + "W" * 25) == ["long"]
    assert spans("a text of many words, none of them long") == []
    assert tables.breakable(SafeString("<b>" + "W" * 60)) == "<b>" + "W" * 60
    assert Parts(tables.breakable(EVIL * 9)).text == EVIL * 9
    for cell in (
        tables.two_lines("W" * 60, ""),
        tables.two_lines("A", "W" * 60),
        tables.side_by_side("W" * 60),
    ):
        assert '<span class="long">' in cell
    assert tables.side_by_side("", "") == ""


def test_a_day_that_is_not_there_leaves_no_word_behind() -> None:
    assert tables.labelled_day("since", "\N{EM DASH}") == ""
    assert (
        tables.labelled_day("since", SafeString("<time>1 May</time>")) == "since <time>1 May</time>"
    )
    assert tables.labelled_day("since", "<soon>") == "since &lt;soon&gt;"


def test_digging_ends_where_the_way_ends() -> None:
    dig = tables.make_getter("a.b")
    assert dig(SimpleNamespace(a=SimpleNamespace(b=1))) == 1
    assert dig(SimpleNamespace(a=Malformed("x"))) is None
    assert dig(None) is None
