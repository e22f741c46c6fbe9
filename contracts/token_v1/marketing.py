"""Who stands behind the token, and its logo."""

from chain.std import Addr, DepsMut, Env, MessageInfo, Response
from contracts.token_v1.error import (
    InvalidMessage,
    InvalidPngHeader,
    InvalidXmlPreamble,
    LogoTooBig,
    Unauthorized,
)
from contracts.token_v1.msg import Logo, UpdateMarketing, UploadLogo
from contracts.token_v1.state import LOGO, MARKETING_INFO, LogoRecord, MarketingInfo

#: cw20-base's limit for an embedded image.
LOGO_SIZE_MAX_BYTES = 5 * 1024
PNG_HEADER = b"\x89PNG\r\n\x1a\n"
XML_PREFIX = b"<?xml "
XML_POSTFIX = b"?>"
#: Unicode's White_Space property, which Rust's ``trim`` takes; listed, so that no Unicode table
#: decides.
WHITE_SPACE = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
    "\u200a\u2028\u2029\u202f\u205f\u3000"
)


def execute_update_marketing(
    deps: DepsMut, env: Env, info: MessageInfo, msg: UpdateMarketing
) -> Response:
    """Change the named fields; blank text clears one, and with nothing left the record goes."""
    current = MARKETING_INFO.may_load(deps.storage)
    if current is None or current.marketing_addr is None or current.marketing_addr != info.sender:
        raise Unauthorized
    marketing_addr: Addr | None = current.marketing_addr
    if msg.marketing is not None:
        marketing_addr = None
        if not is_blank(msg.marketing):
            marketing_addr = deps.api.addr_validate(msg.marketing)
    changed = MarketingInfo(
        changed_text(current.project, msg.project),
        changed_text(current.description, msg.description),
        marketing_addr,
        current.has_logo,
        current.logo_url,
    )
    if (
        changed.project is None
        and changed.description is None
        and changed.marketing_addr is None
        and not changed.has_logo
    ):
        MARKETING_INFO.remove(deps.storage)
    else:
        MARKETING_INFO.save(deps.storage, changed)
    return Response().add_attribute("action", "update_marketing")


def execute_upload_logo(deps: DepsMut, env: Env, info: MessageInfo, msg: UploadLogo) -> Response:
    """Set the logo. Order: a marketing record, the logo itself, the sender."""
    if (msg.url is None) == (msg.embedded is None):
        raise InvalidMessage("Cw20ExecuteMsg", "expected one of `url`, `embedded`")
    current = MARKETING_INFO.may_load(deps.storage)
    if current is None:
        raise Unauthorized
    logo = checked_logo(msg)
    if current.marketing_addr is None or current.marketing_addr != info.sender:
        raise Unauthorized
    LOGO.save(deps.storage, logo)
    MARKETING_INFO.save(
        deps.storage,
        MarketingInfo(current.project, current.description, current.marketing_addr, True, logo.url),
    )
    return Response().add_attribute("action", "upload_logo")


def changed_text(current: str | None, given: str | None) -> str | None:
    """Nothing given keeps, blank clears, text replaces."""
    if given is None:
        return current
    return None if is_blank(given) else given


def is_blank(text: str) -> bool:
    """Nothing but white space."""
    return text.strip(WHITE_SPACE) == ""


def checked_logo(logo: Logo | UploadLogo) -> LogoRecord:
    """Refuse an image that is not what it says. SVG: preamble, then size; PNG.

    Size, then header.
    """
    image = logo.embedded
    if image is None:
        return LogoRecord(logo.url, None, b"")
    if image.svg is not None:
        check_xml_preamble(image.svg)
        check_size(image.svg)
        return LogoRecord(None, "image/svg+xml", image.svg)
    png = image.png or b""
    check_size(png)
    if not png.startswith(PNG_HEADER):
        raise InvalidPngHeader
    return LogoRecord(None, "image/png", png)


def check_xml_preamble(data: bytes) -> None:
    """The bytes up to the first ``>`` begin and end as an XML declaration."""
    end = data.find(b">")
    preamble = data if end < 0 else data[: end + 1]
    if not (preamble.startswith(XML_PREFIX) and preamble.endswith(XML_POSTFIX)):
        raise InvalidXmlPreamble


def check_size(data: bytes) -> None:
    """At most 5 KiB."""
    if len(data) > LOGO_SIZE_MAX_BYTES:
        raise LogoTooBig
