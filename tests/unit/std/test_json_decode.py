"""Typed decoding: variants, fields, numbers, binaries, and the texts of refusals."""

import pytest

from chain.std import (
    U8,
    U128,
    Addr,
    Answer,
    Binary,
    Coin,
    ContractError,
    Empty,
    Expiration,
    Message,
    OneOf,
    OpenMessage,
    ParseError,
    Record,
    Timestamp,
    Uint128,
    Words,
    coin,
    coins,
    decode,
    decode_variant,
    json,
)


class Transfer(Message):
    recipient: Addr
    amount: Uint128
    memo: str | None = None


class Burn(Message):
    amount: Uint128


class Refund(Message):
    pass


class Never(Message):
    unit_variant = True


class CreateTask(Message):
    count: U8
    type: str = "plain"
    field_aliases = (("type_", "type"), ("kind", "type"))


class Loose(OpenMessage):
    amount: Uint128


class Status(Words):
    PENDING = "pending"
    IN_PROGRESS = "in_progress"


EXECUTE = (Transfer, Burn, Refund, Never, CreateTask)


def read(raw, name="ExecuteMsg"):
    return decode_variant(raw, EXECUTE, name)


def refusal(raw, name="ExecuteMsg"):
    with pytest.raises(ParseError) as caught:
        read(raw, name)
    prefix = f"Error parsing into type {name}: "
    assert str(caught.value).startswith(prefix)
    return str(caught.value)[len(prefix) :]


class TestVariants:
    def test_JSON_1_variants_are_externally_tagged_in_snake_case(self):
        assert read(b'{"transfer":{"recipient":"x","amount":"5"}}') == Transfer("x", Uint128(5))
        assert read(b'{"refund":{}}') == Refund()
        assert read(b'"never"') == Never()
        assert CreateTask.variant == "create_task"

    def test_names_of_variants(self):
        class ListDids(Message):
            pass

        class CreateDID(Message):
            pass

        class Renamed(Message):
            variant = "other_name"

        class A2aSend(Message):
            pass

        assert ListDids.variant == "list_dids"
        assert CreateDID.variant == "create_did"
        assert Renamed.variant == "other_name"
        assert A2aSend.variant == "a2a_send"

    @pytest.mark.parametrize(
        "raw",
        [
            b'{"transfer":{"recipient":"x","amount":"5"},"burn":{"amount":"5"}}',
            b"{}",
            b'"transfer"',
            b'{"unknown":{}}',
            b"[]",
            b"null",
            b"5",
            b'{"never":{}}',
            b'{"never":null}',
            b'{"burn":null}',
            b'{"burn":[]}',
            b'{"Transfer":{"recipient":"x","amount":"5"}}',
        ],
    )
    def test_C177_JSON_5_anything_but_one_known_variant_is_refused(self, raw):
        assert refusal(raw)

    def test_JSON_5_an_unknown_variant_is_named(self):
        assert refusal(b'{"steal":{}}') == (
            "unknown variant `steal`, expected one of `transfer`, `burn`, `refund`, `never`,"
            " `create_task`"
        )

    def test_two_variants_are_named(self):
        raw = b'{"transfer":{"recipient":"x","amount":"5"},"burn":{"amount":"5"}}'
        assert refusal(raw) == "expected one variant, got `transfer`, `burn`"

    def test_tables_of_variants_are_per_tuple(self):
        for round_ in range(3):
            made = tuple([Transfer] if round_ % 2 else [Burn])
            with pytest.raises(ParseError):
                decode_variant(b'{"refund":{}}', made, "E")
            assert decode_variant(b'{"refund":{}}', [Refund], "E") == Refund()


class TestFields:
    def test_JSON_3_missing_and_null_options_are_none(self):
        assert read(b'{"transfer":{"recipient":"x","amount":"5"}}').memo is None
        assert read(b'{"transfer":{"recipient":"x","amount":"5","memo":null}}').memo is None

    def test_JSON_3_a_missing_field_is_named(self):
        assert refusal(b'{"transfer":{"recipient":"x"}}') == "missing field `amount`"

    def test_JSON_4_unknown_fields_are_refused_by_default(self):
        assert refusal(b'{"burn":{"amount":"1","x":1}}') == "unknown field `x`, expected `amount`"
        assert refusal(b'{"refund":{"x":1}}') == "unknown field `x`, there are no fields"
        assert refusal(b'{"transfer":{"recipient":"x","amount":"1","nemo":""}}') == (
            "unknown field `nemo`, expected one of `recipient`, `amount`, `memo`"
        )

    def test_JSON_4_an_open_message_ignores_them(self):
        assert decode(b'{"amount":"1","x":{"y":[]}}', Loose) == Loose(Uint128(1))

    def test_JSON_6_a_field_under_two_spellings_is_a_duplicate(self):
        assert "duplicate field `type`" in refusal(
            b'{"create_task":{"count":1,"type":"a","type_":"b"}}'
        )

    def test_other_spellings_of_a_field(self):
        for spelling in (b"type", b"type_", b"kind"):
            raw = b'{"create_task":{"count":1,"' + spelling + b'":"a"}}'
            assert read(raw) == CreateTask(1, "a")

    def test_a_wrong_type_names_the_field(self):
        assert "`amount`" in refusal(b'{"burn":{"amount":5}}')
        assert "`recipient`" in refusal(b'{"transfer":{"recipient":5,"amount":"5"}}')
        assert refusal(b'{"create_task":{"count":"1"}}') == (
            "Invalid type: expected integer, got string at `count`"
        )

    @pytest.mark.parametrize(
        ("body", "reason"),
        [
            (b'{"burn":{"amount":5}}', "Invalid type: expected string, got integer at `amount`"),
            (b'{"burn":{"amount":null}}', "Invalid type: expected string, got null at `amount`"),
            (b'{"burn":{"amount":[]}}', "Invalid type: expected string, got array at `amount`"),
            (b'{"burn":{"amount":{}}}', "Invalid type: expected string, got object at `amount`"),
            (b'{"burn":{"amount":true}}', "Invalid type: expected string, got bool at `amount`"),
            (b'{"burn":{"amount":1.5}}', "Invalid number. Expected integer, got 1.5 at `amount`"),
            (
                b'{"create_task":{"count":1e3}}',
                "Invalid number. Expected integer, got 1e3 at `count`",
            ),
            (
                b'{"create_task":{"count":256}}',
                "Invalid number. Expected integer <= 255 at `count`",
            ),
            (b'{"create_task":{"count":-1}}', "Invalid number. Expected integer >= 0 at `count`"),
            (b"-1.5", "Invalid number. Expected integer, got -1.5"),
            (
                b'{"transfer":{"memo":{"deep":[0,[7,2.50]]}}}',
                "Invalid number. Expected integer, got 2.50 at `memo.deep[1][1]`",
            ),
            (b'{"burn":{"amount":"\\ud800"}}', "lone surrogate found"),
            (b'{"burn":{"amount":"\\ud800', "EOF while parsing a JSON value."),
        ],
    )
    def test_JSON_7_the_text_says_what_is_wrong_and_where(self, body, reason):
        assert refusal(body) == reason

    def test_a_long_number_is_cut_in_the_text(self):
        reason = refusal(b'{"create_task":{"count":' + b"1" * 600 + b".5}}")
        assert reason == f"Invalid number. Expected integer, got {'1' * 64}… at `count`"

    def test_JSON_12_with_a_rust_type_name_the_texts_are_serdes_own(self):
        name = "hackatom::msg::ExecuteMsg"
        assert refusal(b'{"burn":{"amount":5}}', name) == "Invalid type"
        assert refusal(b'{"burn":null}', name) == "Invalid type"
        assert refusal(b"{}", name) == "Invalid type"
        assert refusal(b'{"create_task":{"count":-1}}', name) == "Invalid number."
        assert refusal(b'{"create_task":{"count":256}}', name) == "Invalid number."
        assert refusal(b'{"create_task":{"count":1.5}}', name) == "Invalid number."
        assert refusal(b'{"burn":{"amount":"0x10"}}', name) == (
            "invalid $t '0x10' - Generic error: Parsing u128: invalid digit found in string"
        )

    def test_JSON_12_a_plain_message_takes_a_type_name_too(self):
        with pytest.raises(ParseError) as caught:
            decode(b"{}", Burn, "burner::msg::MigrateMsg")
        assert str(caught.value) == (
            "Error parsing into type burner::msg::MigrateMsg: missing field `amount`"
        )

    def test_a_parse_error_is_a_contract_error(self):
        with pytest.raises(ContractError):
            decode(b"{}", Burn)

    def test_JSON_10_bool_is_only_true_and_false(self):
        class Flag(Message):
            on: bool

        assert decode(b'{"on":true}', Flag).on is True
        for raw in (b'{"on":1}', b'{"on":"true"}', b'{"on":null}', b'{"on":0}'):
            with pytest.raises(ParseError):
                decode(raw, Flag)

    def test_without_a_type_plain_values_come_back(self):
        assert decode(b'{"a":[1,"x",null]}') == {"a": [1, "x", None]}

    def test_messages_are_frozen(self):
        with pytest.raises(AttributeError):
            Burn(Uint128(1)).amount = 2


class Holder(Message):
    expires: Expiration | None = None
    status: Status = Status.PENDING
    coins: list[Coin] = []


class TestShapes:
    def test_JSON_10_coin(self):
        value = decode(b'{"coins":[{"denom":"amsg","amount":"12"}]}', Holder)
        assert value.coins == [Coin("amsg", 12)]
        with pytest.raises(ParseError, match="missing field `amount`"):
            decode(b'{"coins":[{"denom":"amsg"}]}', Holder)

    @pytest.mark.parametrize(
        ("raw", "value", "text"),
        [
            (b'{"at_height":5}', Expiration(at_height=5), "expiration height: 5"),
            (
                b'{"at_time":"1500000000000000001"}',
                Expiration(at_time=Timestamp(1_500_000_000_000_000_001)),
                "expiration time: 1500000000.000000001",
            ),
            (b'{"never":{}}', Expiration(never=Empty()), "expiration: never"),
        ],
    )
    def test_JSON_11_expiration(self, raw, value, text):
        assert decode(b'{"expires":' + raw + b"}", Holder).expires == value
        assert str(value) == text

    @pytest.mark.parametrize(
        "raw",
        [
            b"{}",
            b'{"at_height":5,"never":{}}',
            b'{"at_week":5}',
            b'{"at_height":null}',
            b'{"at_height":"5"}',
            b'{"at_time":5}',
            b'{"at_height":-1}',
            b'"never"',
            b'{"never":{"x":1}}',
        ],
    )
    def test_JSON_5_a_nested_enum_has_exactly_one_variant(self, raw):
        with pytest.raises(ParseError):
            decode(b'{"expires":' + raw + b"}", Holder)

    def test_an_unknown_nested_variant_reads_as_serde_says(self):
        with pytest.raises(ParseError) as caught:
            decode(b'{"expires":{"at_week":5}}', Holder, "cw20::msg::Cw20ExecuteMsg")
        assert str(caught.value).endswith(
            "unknown variant `at_week`, expected one of `at_height`, `at_time`, `never`"
        )

    @pytest.mark.parametrize(
        "word", ["in_progress", "IN_PROGRESS", "InProgress", "inProgress", "In-Progress"]
    )
    def test_status_words_are_read_in_any_case(self, word):
        assert decode(f'{{"status":"{word}"}}'.encode(), Holder).status is Status.IN_PROGRESS

    @pytest.mark.parametrize("word", ["", "done", "pendıng", "PENDİNG", "in progress"])
    def test_other_status_words_are_refused(self, word):
        with pytest.raises(ParseError):
            decode(f'{{"status":"{word}"}}'.encode(), Holder)

    def test_an_answer_ignores_unknown_fields(self):
        class Count(Answer):
            count: int

        assert decode(b'{"count":5,"more":1}', Count) == Count(5)

    def test_a_record_is_an_object_in_json(self):
        class Task(Record):
            id: str
            fee: Uint128
            tags: list[str] = []

        assert decode(b'{"fee":"5","id":"a"}', Task) == Task("a", Uint128(5))
        with pytest.raises(ParseError, match="missing field `fee`"):
            decode(b'{"id":"a"}', Task)
        with pytest.raises(ParseError, match="unknown field `x`"):
            decode(b'{"id":"a","fee":"5","x":1}', Task)

    def test_one_of_refuses_two_at_construction(self):
        class Choice(OneOf):
            a: int | None = None
            b: str | None = None

        assert Choice(a=1).variant_of() == "a"
        with pytest.raises(ValueError, match="exactly one"):
            Choice(a=1, b="x")


class Mixed(Message):
    n: int
    data: dict
    wide: U128 | None = None


def test_numbers_beyond_64_bits_beside_fields_of_any_type_are_refused():
    assert decode(b'{"n":1,"data":{"a":[1]}}', Mixed) == Mixed(1, {"a": [1]})
    for raw in (b'{"n":1,"data":{"a":%d}}' % 2**70, b'{"n":%d,"data":{}}' % 2**64):
        with pytest.raises(ParseError, match=r"Invalid number\."):
            decode(raw, Mixed)


def test_an_unknown_word_reads_as_serde_says():
    with pytest.raises(ParseError) as caught:
        decode(b'{"status":"gone"}', Holder, "a::B")
    assert str(caught.value).endswith("unknown variant `gone`, expected `pending` or `in_progress`")
    with pytest.raises(ParseError, match="Invalid type"):
        decode(b'{"status":5}', Holder, "a::B")


def test_nested_unknown_fields_list_the_fields_of_their_own_type():
    class Outer(Message):
        burns: list[Burn]
        by_name: dict[str, Burn] = {}

    for raw in (b'{"burns":[{"amount":"1","x":1}]}', b'{"burns":[],"by_name":{"k":{"x":1}}}'):
        with pytest.raises(ParseError, match="unknown field `x`, expected `amount` at `b"):
            decode(raw, Outer)


def test_expiration_ends_at_its_height_or_time():
    class Block:
        height = 10
        time = Timestamp(100)

    assert Expiration(at_height=10).is_expired(Block)
    assert not Expiration(at_height=11).is_expired(Block)
    assert Expiration(at_time=Timestamp(100)).is_expired(Block)
    assert not Expiration(at_time=Timestamp(101)).is_expired(Block)
    assert not Expiration(never=Empty()).is_expired(Block)


def test_coins_have_a_text_and_short_makers():
    assert str(Coin("amsg", 5)) == "5amsg"
    assert coin(5, "a") == Coin("a", 5)
    assert coins(5, "a") == (Coin("a", 5),)


def test_binaries_have_their_text():
    assert Binary(b"abc").to_base64() == "YWJj"
    assert Binary.from_base64("YWJj") == b"abc"


def test_everything_about_json_can_be_imported_from_one_place():
    for name in json.__all__:
        assert getattr(json, name) is not None
