"""Marketing information and the logo."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from token_world import TokenWorld

from chain.testing import QueryFailed

PNG = b"\x89PNG\r\n\x1a\n"
SVG = b'<?xml version="1.0"?><svg/>'


def b64(raw: bytes) -> str:
    """As JSON has bytes."""
    return base64.b64encode(raw).decode()


@pytest.fixture
def world() -> TokenWorld:
    """A token whose marketing account is ``marketer``."""
    account = TokenWorld().account("marketer")
    return TokenWorld(
        marketing={"project": "P", "description": "D", "marketing": account, "logo": None}
    )


def embed(world: TokenWorld, kind: str, raw: bytes, sender: str = "marketer") -> Any:
    """Upload an image."""
    return world.run(sender, "upload_logo", embedded={kind: b64(raw)})


def test_fields_are_changed_kept_and_cleared(world: TokenWorld) -> None:
    world.run("marketer", "update_marketing", project="Q", description=" \u3000")
    assert world.ask("marketing_info") == {
        "project": "Q",
        "description": None,
        "logo": None,
        "marketing": world.account("marketer"),
    }


@pytest.mark.parametrize("blank", ["", " ", "\u3000", "\x85", "\u00a0\t"])
def test_blank_text_clears_a_field(world: TokenWorld, blank: str) -> None:
    world.run("marketer", "update_marketing", project=blank)
    assert world.ask("marketing_info")["project"] is None


@pytest.mark.parametrize("kept", ["\x1c", "\u200b"])
def test_what_rust_does_not_trim_is_kept(world: TokenWorld, kept: str) -> None:
    world.run("marketer", "update_marketing", project=kept)
    assert world.ask("marketing_info")["project"] == kept


def test_with_nothing_left_the_record_is_gone(world: TokenWorld) -> None:
    world.run("marketer", "update_marketing", project="", description="", marketing=" ")
    assert "Unauthorized" in world.run("marketer", "update_marketing", project="x").log
    assert world.ask("marketing_info")["marketing"] is None


def test_only_the_marketing_account_may(world: TokenWorld) -> None:
    assert "Unauthorized" in world.run("addr1", "update_marketing", project="x").log
    assert "Unauthorized" in world.run("addr1", "upload_logo", url="u").log
    bare = TokenWorld()
    assert "Unauthorized" in bare.run("addr1", "update_marketing", project="x").log
    assert "Unauthorized" in bare.run("addr1", "upload_logo", url="u").log


def test_a_logo_is_a_url(world: TokenWorld) -> None:
    world.run("marketer", "upload_logo", url="https://example.org/l.png")
    assert world.ask("marketing_info")["logo"] == {"url": "https://example.org/l.png"}
    with pytest.raises(QueryFailed, match="not found"):
        world.ask("download_logo")


@pytest.mark.parametrize(
    ("kind", "raw", "mime"), [("svg", SVG, "image/svg+xml"), ("png", PNG + b"x", "image/png")]
)
def test_an_embedded_logo_is_downloaded(
    world: TokenWorld, kind: str, raw: bytes, mime: str
) -> None:
    assert embed(world, kind, raw).code == 0
    assert world.ask("marketing_info")["logo"] == "embedded"
    assert world.ask("download_logo") == {"mime_type": mime, "data": b64(raw)}


@pytest.mark.parametrize(
    ("kind", "raw", "text"),
    [
        ("svg", b"", "Invalid xml preamble for SVG"),
        ("svg", b"<svg/>", "Invalid xml preamble for SVG"),
        ("svg", b'<?xml version="1.0">', "Invalid xml preamble for SVG"),
        ("svg", b"<?xml ", "Invalid xml preamble for SVG"),
        ("svg", SVG + b" " * (5121 - len(SVG)), "Logo binary data exceeds 5KB limit"),
        ("png", PNG + b"x" * (5121 - 8), "Logo binary data exceeds 5KB limit"),
        ("png", b"x" * 5121, "Logo binary data exceeds 5KB limit"),
        ("png", PNG[:7], "Invalid png header"),
    ],
)
def test_images_that_are_none_are_refused(
    world: TokenWorld, kind: str, raw: bytes, text: str
) -> None:
    assert text in embed(world, kind, raw).log
    assert text in embed(world, kind, raw, sender="addr1").log


@pytest.mark.parametrize(("kind", "head"), [("svg", SVG), ("png", PNG)])
def test_5120_bytes_are_allowed(world: TokenWorld, kind: str, head: bytes) -> None:
    assert embed(world, kind, head + b" " * (5120 - len(head))).code == 0


@pytest.mark.parametrize(
    "fields",
    [{}, {"url": "u", "embedded": {"png": ""}}, {"embedded": {}}, {"embedded": {"gif": ""}}],
)
def test_a_logo_is_one_thing(world: TokenWorld, fields: dict[str, Any]) -> None:
    assert "Error parsing" in world.run("marketer", "upload_logo", **fields).log


def test_a_logo_may_come_with_the_token() -> None:
    world = TokenWorld(marketing={"logo": {"embedded": {"png": b64(PNG)}}})
    assert world.ask("marketing_info") == {
        "project": None,
        "description": None,
        "logo": "embedded",
        "marketing": None,
    }
    refused = TokenWorld(marketing={"logo": {"embedded": {"png": b64(b"x")}}})
    assert "Invalid png header" in refused.made.log


def test_the_marketing_account_hands_over(world: TokenWorld) -> None:
    world.run("marketer", "update_marketing", marketing="addr1")
    assert world.ask("marketing_info")["marketing"] == world.account("addr1")
    assert "Unauthorized" in world.run("marketer", "update_marketing", project="x").log
    assert world.run("addr1", "update_marketing", marketing="").code == 0
