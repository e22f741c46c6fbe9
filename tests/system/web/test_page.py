"""The page in a real browser."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from browser import NARROW, Site
from web_story import Player, play
from web_world import HOSTILE, MSG, World

from chain.client.agent_calls import send_message
from chain.client.envelope import PAYLOAD_MAX_BYTES

pytestmark = [pytest.mark.browser, pytest.mark.long]

Shown = tuple[Site, World]
#: at once: a block of 200 ms, its news, and a second; or what the sender's own window takes
SEEN_SECONDS = 1.0


@pytest.fixture(name="world_of")
def _world_of() -> Iterator[Callable[[Site], World]]:
    """Makes programs on a site's chain, and ends their connections."""
    made: list[World] = []

    def make(site: Site) -> World:
        made.append(World(site.devnet.url))
        return made[-1]

    yield make
    for world in made:
        world.source.close()


# --- the story ------------------------------------------------------------------------------------


def test_the_story_of_the_guide_is_played_by_clicking(
    browser: Any, fresh: Site, world_of: Callable[[Site], World]
) -> None:
    alice, bob, dave = (
        Player(fresh, fresh.window(browser), name) for name in ("alice", "bob", "dave")
    )
    play(alice, bob, dave)
    alice.go("/task/task-1")
    steps = alice.page.locator("ol.timeline li").all_inner_texts()
    assert [text.split()[1] for text in steps] == ["create_task", "accept_task", "complete_task"]
    assert "8 MSG" in alice.page.locator("dl", has_text="Paid to the provider").inner_text()
    dave.page.get_by_text("Waiting for your approval").wait_for(state="detached")
    world = world_of(fresh)
    task = world.source.requester(world.alice).task("task-2")
    assert task is not None
    assert (task.state, task.price) == ("working", 50 * MSG)
    talk = world.source.agent(world.alice).conversation(world.bob.address)
    assert [one.field("action") for one in talk if one.field("action")] == [
        "accept_quote", "create_dashboard",
    ]  # fmt: skip


def test_two_windows_see_each_others_messages_at_once(
    browser: Any, fresh: Site, world_of: Callable[[Site], World]
) -> None:
    world = world_of(fresh)
    one, other = (
        Player(fresh, fresh.window(browser), "alice"),
        Player(fresh, fresh.window(browser), "bob"),
    )
    one.go(f"/chat?with={world.bob.address}")
    other.go(f"/chat?with={world.alice.address}")
    for sender, reader in ((one, other), (other, one)):
        assert any(took < bound for took, bound in delays(sender, reader))
    one.page.locator("article .badge.pending").last.wait_for()
    other.press("Mark read")
    one.page.locator("article .badge.read").first.wait_for()


def delays(sender: Player, reader: Player) -> Iterator[tuple[float, float]]:
    """How long messages take from their block to the other window, and how long they may.

    All of them arrive; what else this machine does may hold a single one up.
    """
    for number in range(6):
        text = f"Hello from {sender.name}, {number}"
        began = time.monotonic()
        sender.send(text)
        sent = time.monotonic()
        reader.page.locator("article", has_text=text).wait_for()
        yield time.monotonic() - sent, max(SEEN_SECONDS, sent - began)


def test_going_back_to_a_snapshot_is_shown(
    browser: Any, fresh: Site, world_of: Callable[[Site], World]
) -> None:
    world = world_of(fresh)
    alice = Player(fresh, fresh.window(browser), "alice")
    clock = Player(fresh, fresh.window(browser), "alice")
    clock.go("/time")
    clock.press("Take a snapshot")
    number = clock.done("Take a snapshot").rpartition(" ")[2]
    alice.go(f"/chat?with={world.bob.address}")
    alice.send("soon forgotten")
    alice.page.locator("article", has_text="soon forgotten").wait_for()
    clock.fill("Number of the snapshot", number)
    clock.press("Go back")
    clock.done("Go back")
    alice.page.locator("article", has_text="soon forgotten").wait_for(state="detached")


# --- what is shown --------------------------------------------------------------------------------


def test_a_proof_is_shown_and_checked(browser: Any, shown: Shown) -> None:
    site, world = shown
    tasks = world.source.addresses().tasks
    page = site.window(browser, f"/contract/{tasks}?from={b'config'.hex()}")
    page.get_by_role("link", name=f"Prove {b'config'.hex()}").click()
    page.get_by_role("region", name="Proof", exact=True).get_by_text("The proof holds").wait_for()
    absent = site.window(browser, f"/contract/{tasks}?key={b'no such key'.hex()}")
    absent.get_by_text("The proof holds").wait_for()
    absent.get_by_text("There is nothing at this key").wait_for()


def test_a_failed_transaction_says_why(browser: Any, shown: Shown) -> None:
    site, world = shown
    page = site.window(browser, f"/tx/{world.fail()}")
    page.locator(".badge.urgent", has_text="failed").first.wait_for()
    assert "message not found" in page.locator("p.alert").first.inner_text().lower()
    assert page.locator("details.call").count() >= 1


def test_a_generated_form_asks_and_sends(browser: Any, shown: Shown) -> None:
    site, world = shown
    contract = world.source.addresses().registry
    page = site.window(browser, f"/contract/{contract}?query=get_agent&execute=update_agent&as=bob")
    page.get_by_label("agent_id", exact=True).last.fill("bob-agent")
    page.get_by_role("button", name="Ask the contract").click()
    page.locator("pre", has_text=world.bob.address).first.wait_for()
    page.get_by_label("agent_id", exact=True).first.fill("bob-agent")
    page.get_by_label("name (optional)", exact=True).first.fill("Robert")
    page.get_by_role("button", name="Send as bob").click()
    page.locator("p.result", has_text="in block").wait_for()
    page.get_by_label("agent_id", exact=True).first.fill("no-agent")
    page.get_by_role("button", name="Send as bob").click()
    page.locator("p.result.failed").wait_for()


@pytest.mark.parametrize("what", ["height", "hash", "address", "name", "message", "task", "agent"])
def test_the_search_finds(browser: Any, shown: Shown, what: str) -> None:
    site, world = shown
    hash_ = world.source.client.tx_search("message.sender EXISTS").txs[0].outcome.hash
    wanted, place = {
        "height": ("2", "/block/2"),
        "hash": (hash_.lower(), f"/tx/{hash_}"),
        "address": (world.bob.address, f"/address/{world.bob.address}"),
        "name": ("bob", f"/address/{world.bob.address}"),
        "message": (world.words, f"/message/{world.words}"),
        "task": (world.task, f"/task/{world.task}"),
        "agent": ("bob-agent", "/agent/bob-agent"),
    }[what]
    page = site.window(browser, "/blocks")
    box = page.get_by_label("Search the chain")
    box.fill(wanted)
    box.press("Enter")
    page.wait_for_url(lambda url: url.replace("%3A", ":").endswith(place), wait_until="commit")


def test_text_of_the_chain_is_only_text(browser: Any, shown: Shown) -> None:
    site, world = shown
    paths = [
        *world.views().values(),
        "/messages",
        f"/message/{world.spoiled}",
        f"/chat?with={world.carol.address}",
        "/agent/carol-agent",
        f"/task/{world.spoiled_task}",
        f"/search?q={HOSTILE}",
        f"/?capability={HOSTILE}",
        f"/log?type={HOSTILE}&address={HOSTILE}",
        f"/address/{HOSTILE.replace('/', '')}",
    ]
    page = site.window(browser)
    for path in paths:
        site.go(page, path.replace("\u202e", "%E2%80%AE").replace("#", "%23"))
        assert page.evaluate("window.hacked") is None, path
        assert page.locator("img[src=x]").count() == 0, path
        assert "\u202e" not in page.locator("body").inner_text(), path
    site.go(page, "/agent/carol-agent")
    assert "<img src=x" in page.locator("body").inner_text()


def test_the_largest_payload_is_shown_whole(browser: Any, shown: Shown) -> None:
    site, world = shown
    page = site.window(browser, f"/message/{world.big}")
    text = page.locator("article .words").first.text_content()
    assert len(text) > PAYLOAD_MAX_BYTES - 1_000
    assert page.evaluate("window.hacked") is None


def test_D15_08_a_talk_reads_from_top_to_bottom(browser: Any, shown: Shown) -> None:
    site, world = shown
    page = site.window(browser, f"/chat?with={world.alice.address}&as=bob")
    talk = world.source.agent(world.bob).conversation(world.alice.address)
    oldest_first = [one.msg_id for one in reversed(talk)]
    assert page.locator("[role=log] article a.id").all_inner_texts() == oldest_first


def test_D15_10_the_number_at_a_box_counts_all_and_not_a_page(browser: Any, shown: Shown) -> None:
    site, world = shown
    for account in (world.carol, world.alice):  # each below its rate limit
        actor = world.source.actor(account)
        call = send_message(
            actor.contracts,
            world.dave.address,
            b"one of many",
            message_type="notification",
            priority=50,
            ttl=3600,
        )
        actor.submit(*[call] * 15)
    page = site.window(browser, "/messages?as=dave&status=pending")
    to = world.source.addresses()
    total = world.source.ask(to.a2a, "list_messages", address=world.dave.address, limit=1)["total"]
    assert total >= 30
    page.get_by_role("link", name=f"Inbox ({total})", exact=True).wait_for()
    assert page.locator("article.message").count() == 20
    page.get_by_role("link", name="Older", exact=True).click()
    page.wait_for_url("**after=**", wait_until="commit")


def test_D15_12_what_was_found_belongs_to_what_was_searched(browser: Any, shown: Shown) -> None:
    site, _ = shown
    page = site.window(browser, "/?capability=chart-generation")
    box = page.get_by_label("Capability", exact=True).first
    box.fill("something-else")
    page.get_by_role("link", name="bob-agent", exact=True).wait_for()
    page.get_by_text("Agents that can do chart-generation: 1").wait_for()


# --- for everybody --------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["wide", "narrow"])
def test_a_checker_finds_no_serious_fault(
    browser: Any, shown: Shown, scheme: str, size: str
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    site, world = shown
    options = {"viewport": NARROW} if size == "narrow" else {}
    page = site.window(browser, color_scheme=scheme, **options)
    faults = []
    for name, path in world.views().items():
        site.go(page, path)
        page.wait_for_timeout(200)
        for found in Axe().run(page).response["violations"]:
            if found["impact"] in ("serious", "critical"):
                faults.append(
                    (name, found["id"], [one["html"][:120] for one in found["nodes"]][:3])
                )
        inner = page.evaluate("document.documentElement.scrollWidth")
        if inner > page.viewport_size["width"]:
            faults.append((name, "wider than the window", inner))
    assert not faults


def test_the_browsers_language_decides(browser: Any, shown: Shown) -> None:
    site, _ = shown
    page = site.window(browser, "/messages", locale="zh-CN")
    assert page.locator("html").get_attribute("lang") == "zh-CN"
    page.get_by_role("heading", name="新消息").wait_for()
    page.get_by_role("button", name="发送").wait_for()


def test_it_is_used_by_keyboard(browser: Any, shown: Shown) -> None:
    site, _ = shown
    page = site.window(browser, "/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "To the content"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "capability"
    page.keyboard.type("chart-generation")
    page.keyboard.press("Enter")
    page.wait_for_url("**capability=chart-generation**")
    page.get_by_role("link", name="bob-agent", exact=True).focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/agent/bob-agent", wait_until="commit")


def test_nothing_comes_from_elsewhere(browser: Any, shown: Shown) -> None:
    site, world = shown
    context = browser.new_context()
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for path in world.views().values():
        site.go(page, path)
    host = site.url.partition("//")[2]
    assert all(host in url or url.startswith("data:") for url in asked)
