"""The story of the guide's section 10, played by clicking."""

from __future__ import annotations

from typing import Any

from browser import WAIT_MS, Site

REQUEST = '{"action": "create_dashboard", "budget": "10000000", "currency": "umsg"}'
QUOTE = '{"quote_id": "quote-1", "status": "accepted", "price": "8000000", "currency": "umsg"}'
ACCEPT = '{"action": "accept_quote", "quote_id": "quote-1", "accepted_price": "8000000"}'
RESULT = '{"action": "deliverable", "charts_created": 4}'


class Player:
    """Somebody with a window."""

    def __init__(self, site: Site, page: Any, name: str) -> None:
        self.site, self.page, self.name = site, page, name

    def go(self, path: str) -> None:
        """To an address, acting as this player."""
        joint = "&" if "?" in path else "?"
        self.site.go(self.page, f"{path}{joint}as={self.name}")

    def fill(self, label: str, value: str) -> None:
        """Type into a field."""
        self.page.get_by_label(label, exact=True).last.fill(value)

    def press(self, name: str, *, within: Any = None) -> None:
        """Click a button and wait until the chain has taken it."""
        (within or self.page).get_by_role("button", name=name, exact=True).click()

    def done(self, text: str = "in block") -> str:
        """What a step came to."""
        line = self.page.locator("p.result", has_text=text).first
        line.wait_for()
        return str(line.inner_text())

    def join(self, **fields: str) -> None:
        """Become an agent."""
        self.go("/")
        for label, value in fields.items():
            self.fill(LABELS[label], value)
        self.press("Join")
        self.done()

    def send(self, text: str) -> None:
        """Write into the open conversation."""
        from playwright.sync_api import expect

        self.fill("Message: text or JSON", text)
        self.press("Send")
        # what an earlier message came to may still stand there; the field is emptied by this one
        field = self.page.get_by_label("Message: text or JSON", exact=True).last
        expect(field).to_have_value("", timeout=WAIT_MS)
        self.done()


LABELS = {
    "agent_id": "Agent id",
    "name": "Name",
    "capabilities": "Capabilities, with commas between",
    "prices": "Skills with prices in MSG",
    "owner": "Owner (account name or address)",
}


def play(alice: Player, bob: Player, dave: Player) -> None:
    """Both acts: a dashboard is negotiated, paid and delivered; a report waits for approval."""
    bob.join(capabilities="chart-generation", prices="create_dashboard 8, annual_report 50")
    alice.join(owner="dave")
    dave.go("/agent/alice-agent")
    dave.fill("At most for one task, in MSG", "20")
    dave.fill("At most in a day, in MSG", "100")
    dave.press("Set policy")
    dave.done()
    meet(alice)
    negotiate(alice, bob)
    pay(alice, bob)
    approve(alice, bob, dave)


def meet(alice: Player) -> None:
    """Alice finds Bob by capability and price, and opens a channel."""
    page = alice.page
    alice.go("/")
    page.get_by_label("Capability", exact=True).fill("chart-generation")
    page.get_by_label("At most, in MSG", exact=True).fill("10")
    page.get_by_role("search", name="Find agents").get_by_role("button").click()
    page.get_by_role("link", name="bob-agent", exact=True).wait_for()
    alice.go("/messages")
    page.get_by_text("Open a channel", exact=True).click()
    alice.fill("With (account name or address)", "bob")
    alice.press("Open")
    alice.done()


def negotiate(alice: Player, bob: Player) -> None:
    """Request, quote, acceptance."""
    address = bob_address(alice)
    alice.go(f"/chat?with={address}")
    alice.send(REQUEST)
    for asker, answerer, text in ((REQUEST, bob, QUOTE), (QUOTE, alice, ACCEPT)):
        answerer.go("/messages")
        inbox = answerer.page.locator(".entry", has_text=_telling(asker)).first
        inbox.get_by_role("link", name="Open and reply").click()
        answerer.page.wait_for_function("window.did_handshake === true")
        answerer.press("Mark read")
        answerer.page.locator("article .badge.read").first.wait_for()
        answerer.fill("Answer", text)
        answerer.press("Send reply")
        answerer.page.locator("article .badge.replied").first.wait_for()


def _telling(text: str) -> str:
    return "create_dashboard" if "budget" in text else "quote-1"


def bob_address(player: Player) -> str:
    """Where Bob is."""
    accounts = player.site.devnet.call("devnet_accounts")
    return str(next(one["address"] for one in accounts if one["name"] == "bob"))


def pay(alice: Player, bob: Player) -> None:
    """The price goes into the task, Bob works, and is paid."""
    create(alice, "create_dashboard")
    bob.go("/task/task-1")
    bob.press("Accept")
    bob.page.locator("article .badge.working").wait_for()
    bob.page.get_by_text("Deliver", exact=True).click()
    bob.fill("Result", RESULT)
    bob.press("Send: Deliver")
    bob.page.locator("article .badge.completed").wait_for()


def create(alice: Player, skill: str) -> None:
    """A task for Bob."""
    alice.go("/agent/bob-agent")
    alice.fill("Skill", skill)
    alice.fill("Parameters (JSON)", '{"title": "Q3 Sales"}')
    alice.press("Create task")
    alice.done("Created")


def approve(alice: Player, bob: Player, dave: Player) -> None:
    """A price above the limit waits for Dave, who grants it with a click."""
    create(alice, "annual_report")
    dave.go("/tasks")
    dave.page.get_by_role("heading", name="Waiting for your approval").wait_for()
    dave.press("Approve task-2")
    bob.go("/task/task-2")
    bob.page.locator("article .badge.submitted").wait_for()
    bob.press("Accept")
    bob.page.locator("article .badge.working").wait_for()
