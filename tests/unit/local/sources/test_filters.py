"""Event filters: patterns as EventBridge knows them, on messages and on changes of a table."""

import json
from typing import Any

import pytest

from infra.local.cloudformation.intrinsics import TemplateError
from infra.local.cloudformation.template import Resource
from infra.local.sources.filters import Filters, read_change_filters, read_filters
from infra.local.sources.patterns import PatternError, pattern
from infra.local.sources.written import document


def matches(wanted: Any, seen: Any) -> bool:  # noqa: ANN401 - JSON
    return pattern(json.dumps(wanted)).matches(document(json.dumps(seen)))


def mapping(*patterns: Any) -> Resource:  # noqa: ANN401 - JSON, or the text of it
    texts = [one if isinstance(one, str) else json.dumps(one) for one in patterns]
    filters = [{"Pattern": text} for text in texts]
    return Resource(
        "M", "AWS::Lambda::EventSourceMapping", {"FilterCriteria": {"Filters": filters}}
    )


def filters(*patterns: Any) -> Filters:  # noqa: ANN401 - JSON
    return read_filters(mapping(*patterns))


def message(body: str) -> dict[str, Any]:
    return {"messageId": "m", "body": body, "messageAttributes": {}, "eventSource": "aws:sqs"}


@pytest.mark.fact("C.filter.operators")
@pytest.mark.parametrize(
    ("wanted", "matching", "other"),
    [
        (["Alice"], "Alice", "alice"),
        (["Credit", "Debit"], "Debit", "Cash"),
        ([None], None, "null"),
        ([""], "", " "),
        ([None], None, "None"),
        ([True], True, "true"),
        ([True], True, "True"),
        ([1], 1, True),
        ([{"equals-ignore-case": "alice"}], "ALICE", "Bob"),
        ([{"prefix": "us-"}], "us-east-1", "eu-us-1"),
        ([{"suffix": ".png"}], "a.png", "a.PNG"),
        ([{"prefix": {"equals-ignore-case": "EventB"}}], "eventbridge", "event"),
        ([{"suffix": {"equals-ignore-case": ".PNG"}}], "a.png", "a.gif"),
        ([{"anything-but": ["Raining"]}], "Sunny", "Raining"),
        ([{"anything-but": "Raining"}], "Sunny", "Raining"),
        ([{"anything-but": [1, 2]}], 3, 2),
        ([{"anything-but": {"prefix": "us-"}}], "eu-west-1", "us-east-1"),
        ([{"numeric": ["=", 100]}], 100.0, 101),
        ([{"numeric": [">", 10, "<=", 20]}], 20, 10),
        ([{"numeric": [">=", 10]}], 10, 9.99),
        ([{"numeric": ["<", 0]}], -0.5, 0),
    ],
)
def test_an_operator_tells_values_apart(wanted: Any, matching: Any, other: Any) -> None:  # noqa: ANN401 - JSON
    assert matches({"a": wanted}, {"a": matching, "more": 1})
    assert not matches({"a": wanted}, {"a": other, "more": 1})
    assert not matches({"a": wanted}, {"more": 1})


@pytest.mark.fact("C.filter.and-or")
def test_every_key_must_match_and_one_of_its_values() -> None:
    wanted = {"city": ["New York", "Boston"], "day": ["Monday"]}
    assert matches(wanted, {"city": "Boston", "day": "Monday"})
    assert not matches(wanted, {"city": "Boston", "day": "Sunday"})
    assert not matches(wanted, {"city": "Paris", "day": "Monday"})


@pytest.mark.fact("C.filter.and-or")
def test_or_needs_one_of_its_patterns_and_what_stands_beside_it() -> None:
    wanted = {"$or": [{"city": ["New York"]}, {"day": ["Monday"]}], "open": [True]}
    assert matches(wanted, {"city": "New York", "day": "Friday", "open": True})
    assert matches(wanted, {"city": "Paris", "day": "Monday", "open": True})
    assert not matches(wanted, {"city": "Paris", "day": "Friday", "open": True})
    assert not matches(wanted, {"city": "New York", "open": False})


@pytest.mark.fact("C.filter.and-or")
def test_a_key_that_is_there_twice_asks_for_both() -> None:
    twice = pattern('{"d": {"new": ["x"]}, "d": {"old": ["y"]}}')
    assert twice.matches({"d": {"new": "x", "old": "y"}})
    assert not twice.matches({"d": {"new": "x", "old": "x"}})
    assert not twice.matches({"d": {"new": "y", "old": "y"}})


@pytest.mark.fact("C.filter.numbers-as-written")
def test_equal_numbers_are_those_that_are_written_alike() -> None:
    wanted = pattern('{"a": [300]}')
    assert wanted.matches(document('{"a": 300}'))
    for text in ('{"a": 300.0}', '{"a": 3.0e2}', '{"a": "300"}'):
        assert not wanted.matches(document(text))


@pytest.mark.fact("C.filter.exists-on-leaves")
def test_only_a_plain_value_exists() -> None:
    there = {"person": {"address": [{"exists": True}]}}
    assert matches(there, {"person": {"address": "Main St"}})
    assert matches(there, {"person": {"address": None}})
    assert not matches(there, {"person": {"address": {"street": "Main St"}}})
    assert not matches(there, {"person": {}})


@pytest.mark.fact("C.filter.exists-on-leaves")
@pytest.mark.parametrize("seen", [{}, {"person": {}}, {"person": 5}, {"person": {"age": 3}}])
def test_what_is_not_there_is_absent_also_where_its_parent_is(seen: Any) -> None:  # noqa: ANN401 - JSON
    absent = {"person": {"address": [{"exists": False}]}}
    assert matches(absent, seen)
    assert not matches(absent, {"person": {"address": "Main St"}})


def test_absence_may_be_one_of_several() -> None:
    wanted = {"state": ["done", {"exists": False}]}
    assert matches(wanted, {"state": "done"})
    assert matches(wanted, {})
    assert not matches(wanted, {"state": "open"})


@pytest.mark.fact("C.filter.lists")
def test_a_list_matches_when_one_of_its_members_does() -> None:
    assert matches({"tags": ["b"]}, {"tags": ["a", "b"]})
    assert not matches({"tags": ["c"]}, {"tags": ["a", "b"]})
    members = {"L": [{"S": "Sales", "n": 1}, {"S": "Support", "n": 2}]}
    assert matches({"L": {"S": [{"exists": True}]}}, members)
    assert matches({"L": {"S": ["Support"], "n": [2]}}, members)
    assert not matches({"L": {"S": ["Support"], "n": [1]}}, members)


def test_no_member_of_a_list_may_hold_what_must_be_absent() -> None:
    assert not matches({"L": {"S": [{"exists": False}]}}, {"L": [{"N": "1"}, {"S": "x"}]})
    assert matches({"L": {"S": [{"exists": False}]}}, {"L": [{"N": "1"}]})


@pytest.mark.parametrize(
    "text",
    [
        "not JSON",
        "[]",
        "{}",
        '{"a": {}}',
        '{"a": []}',
        '{"a": "x"}',
        '{"a": [["x"]]}',
        '{"a": [{"wildcard": "*"}]}',
        '{"a": [{"anything-but": {"wildcard": "*"}}]}',
        '{"a": [{"anything-but": ["x", 1]}]}',
        '{"a": [{"numeric": ["=", "5"]}]}',
        '{"a": [{"numeric": ["!", 5]}]}',
        '{"a": [{"numeric": ["<", 5, ">", 1]}]}',
        '{"a": [{"numeric": ["=", 5000000001]}]}',
        '{"a": [{"numeric": []}]}',
        '{"a": [{"exists": "yes"}]}',
        '{"a": [{"prefix": 5}]}',
        '{"a": [{"prefix": "x", "suffix": "y"}]}',
        '{"$or": [{"a": ["x"]}]}',
    ],
)
def test_what_is_no_pattern_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(PatternError) as refused:
        pattern(text)
    assert "\n" not in str(refused.value)


# -- filter criteria -------------------------------------------------------------------


@pytest.mark.fact("C.filter.any-of-five")
def test_a_record_passes_when_one_filter_matches() -> None:
    either = filters({"body": {"a": ["1"]}}, {"body": {"a": ["2"]}})
    assert either.pass_message(message('{"a": "2"}'))
    assert not either.pass_message(message('{"a": "3"}'))


@pytest.mark.fact("C.filter.any-of-five")
def test_a_sixth_filter_is_refused_when_the_template_is_read() -> None:
    assert len(filters(*[{"body": ["x"]}] * 5).patterns) == 5
    with pytest.raises(TemplateError, match="M has 6 filters"):
        filters(*[{"body": ["x"]}] * 6)


@pytest.mark.parametrize("criteria", [None, {}, {"Filters": []}])
def test_without_filters_everything_passes(criteria: Any) -> None:  # noqa: ANN401 - JSON
    resource = Resource("M", "AWS::Lambda::EventSourceMapping", {"FilterCriteria": criteria})
    assert read_filters(resource).pass_message(message("x"))
    assert read_filters(resource).pass_change({"dynamodb": {}})


def test_a_bad_filter_is_refused_when_the_template_is_read() -> None:
    with pytest.raises(TemplateError, match="a filter of M"):
        filters('{"body": "x"}')
    with pytest.raises(TemplateError, match="longer than 4096"):
        filters({"body": ["x" * 4096]})


@pytest.mark.fact("C.filter.sqs.formats")
@pytest.mark.parametrize(
    ("body", "wanted", "passes"),
    [
        ("BBBB", {"body": ["BBBB"]}, True),
        ("AAAA", {"body": ["BBBB"]}, False),
        ("BBBB", {"body": {"code": ["BBBB"]}}, False),
        ('{"code": "BBBB"}', {"body": {"code": ["BBBB"]}}, True),
        ('{"code": "AAAA"}', {"body": {"code": ["BBBB"]}}, False),
        ('{"code": "BBBB"}', {"body": [{"prefix": "{"}]}, False),
        ('{"code": "BBBB"}', {"eventSource": ["aws:sqs"]}, True),
        ("BBBB", {"eventSource": ["aws:sqs"]}, True),
        ("BBBB", {"eventSource": ["other"]}, False),
    ],
)
def test_a_body_and_its_filter_are_both_text_or_both_json(
    body: str,
    wanted: Any,  # noqa: ANN401 - JSON
    passes: bool,  # noqa: FBT001 - an example
) -> None:
    assert filters(wanted).pass_message(message(body)) is passes


@pytest.mark.fact("C.filter.sqs.scalar-json")
@pytest.mark.parametrize("body", ["5", '"text"', "true", "null"])
def test_a_body_that_is_one_plain_json_value_counts_as_text(body: str) -> None:
    assert filters({"body": [body]}).pass_message(message(body))
    assert not filters({"body": {"a": [{"exists": False}]}}).pass_message(message(body))


@pytest.mark.fact("C.filter.metadata-keys")
def test_other_keys_of_a_record_are_matched_as_well() -> None:
    inserted = read_change_filters(mapping({"eventName": ["INSERT"]}))
    assert inserted.pass_change({"eventName": "INSERT", "dynamodb": {}})
    assert not inserted.pass_change({"eventName": "REMOVE", "dynamodb": {}})


@pytest.mark.fact("C.filter.dynamodb.no-numbers")
def test_numbers_of_dynamodb_are_strings_to_a_filter(capsys: pytest.CaptureFixture[str]) -> None:
    record = {"dynamodb": {"NewImage": {"age": {"N": "60"}}}}

    def wanted(*values: Any) -> Resource:  # noqa: ANN401 - JSON
        return mapping({"dynamodb": {"NewImage": {"age": {"N": list(values)}}}})

    assert read_change_filters(wanted("60")).pass_change(record)
    assert not read_change_filters(wanted(60)).pass_change(record)
    assert not read_change_filters(wanted({"numeric": [">", 5]})).pass_change(record)
    assert "numeric filters never match" in capsys.readouterr().err


@pytest.mark.fact("C.filter.dynamodb.json-only")
def test_a_filter_of_text_for_the_data_of_a_change_is_refused() -> None:
    with pytest.raises(TemplateError, match="dynamodb in a filter is an object"):
        read_change_filters(mapping({"dynamodb": ["text"]}))
