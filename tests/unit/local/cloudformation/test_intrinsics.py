"""Intrinsic functions give what CloudFormation gives."""

from typing import Any

import pytest

from infra.local.cloudformation.intrinsics import Place, Resolver, TemplateError


class Names:
    """A naming that shows what it was asked."""

    def ref(self, logical_id: str) -> str:
        return f"ref:{logical_id}"

    def attribute(self, logical_id: str, attribute: str) -> str:
        return f"{logical_id}.{attribute}"


RESOLVER = Resolver(
    place=Place(region="eu-west-1", account="123456789012", stack="chat"),
    parameters={"Stage": "live", "Kinds": ["a", "b"]},
    mappings={"Sizes": {"live": {"memory": 512}}},
    conditions={
        "IsLive": {"Fn::Equals": [{"Ref": "Stage"}, "live"]},
        "IsNot": {"Fn::Not": [{"Condition": "IsLive"}]},
        "Both": {"Fn::And": [{"Condition": "IsLive"}, {"Condition": "IsNot"}]},
        "Either": {"Fn::Or": [{"Condition": "IsLive"}, {"Condition": "IsNot"}]},
    },
    naming=Names(),
)


@pytest.mark.parametrize(
    ("node", "value"),
    [
        ({"Ref": "Stage"}, "live"),
        ({"Ref": "Thing"}, "ref:Thing"),
        ({"Ref": "AWS::Region"}, "eu-west-1"),
        ({"Fn::GetAtt": ["Thing", "Arn"]}, "Thing.Arn"),
        ({"Fn::GetAtt": "Thing.Outputs.Url"}, "Thing.Outputs.Url"),
        (
            {"Fn::Sub": "${Stage}-${Thing}-${Thing.Arn}-${!Kept}"},
            "live-ref:Thing-Thing.Arn-${Kept}",
        ),
        ({"Fn::Sub": ["${x}:${Stage}", {"x": {"Ref": "AWS::AccountId"}}]}, "123456789012:live"),
        ({"Fn::Join": ["/", ["integrations", {"Ref": "Call"}]]}, "integrations/ref:Call"),
        ({"Fn::Join": [",", {"Ref": "Kinds"}]}, "a,b"),
        ({"Fn::Select": [1, {"Ref": "Kinds"}]}, "b"),
        ({"Fn::Split": ["-", "a-b-c"]}, ["a", "b", "c"]),
        ({"Fn::If": ["IsLive", "yes", "no"]}, "yes"),
        ({"Fn::If": ["Both", "yes", "no"]}, "no"),
        ({"Fn::If": ["Either", "yes", "no"]}, "yes"),
        ({"Fn::FindInMap": ["Sizes", {"Ref": "Stage"}, "memory"]}, 512),
        ({"Fn::Base64": "hello"}, "aGVsbG8="),
        ({"a": 1, "b": {"Ref": "AWS::NoValue"}}, {"a": 1}),
        ([1, {"Fn::If": ["IsNot", 2, {"Ref": "AWS::NoValue"}]}], [1]),
    ],
)
def test_an_intrinsic_function_gives_its_value(node: Any, value: Any) -> None:  # noqa: ANN401 - template fragments
    assert RESOLVER.resolve(node) == value


@pytest.mark.parametrize(
    "node",
    [
        {"Fn::Transform": {}},
        {"Ref": "AWS::Nonsense"},
        {"Fn::If": ["Unknown", 1, 2]},
        {"Fn::FindInMap": ["Sizes", "live", "colour"]},
    ],
)
def test_what_cannot_be_resolved_is_refused(node: Any) -> None:  # noqa: ANN401 - the same
    with pytest.raises(TemplateError):
        RESOLVER.resolve(node)
