"""How long AWS is waited for: within a function's time, which is within API Gateway's."""

import re

import pytest

from shared.delivery.clients import PATIENCE
from shared.store import reach
from tests.contract.expansion import TEMPLATE, Resources, expand, of_type

OPERATING = TEMPLATE.parent / "docs" / "operating.md"
INTEGRATION_S = 29
"""API Gateway waits no longer for a function."""
MINUTE_S = 60
REST_S = 2
"""What the rest of a function takes at most, where everything else answers at its usual speed."""
WAITS_S = (1, 2, 4)
"""Before each further attempt botocore's standard mode waits, at random, up to this."""
ATTEMPTS = 1 + len(reach.LONGEST_WAITS_S)
LONGEST_S = {
    "DynamoDB": ATTEMPTS * (reach.CONNECT_TIMEOUT_S + reach.READ_TIMEOUT_S)
    + sum(reach.LONGEST_WAITS_S),
    **{
        name: PATIENCE[service].attempts * (PATIENCE[service].connect_s + PATIENCE[service].read_s)
        + sum(WAITS_S[: PATIENCE[service].attempts - 1])
        for name, service in {"SQS": "sqs", "@connections": "apigatewaymanagementapi"}.items()
    },
}


@pytest.fixture(scope="module")
def resources() -> Resources:
    return expand(TEMPLATE.read_text())


@pytest.mark.parametrize("service", LONGEST_S)
def test_a_function_outlives_any_one_call_that_is_never_answered(
    resources: Resources, service: str
) -> None:
    for function in of_type(resources, "AWS::Lambda::Function").values():
        assert LONGEST_S[service] + REST_S <= function["Timeout"]


def test_api_gateway_hears_the_end_of_every_function_it_waits_for(resources: Resources) -> None:
    functions = of_type(resources, "AWS::Lambda::Function")
    waited_for = functions.keys() - {"SweepFunction", "TimeoutFunction"}
    assert len(waited_for) > 5
    for name in waited_for:
        assert functions[name]["Timeout"] < INTEGRATION_S


def test_a_sweep_is_over_before_the_next(resources: Resources) -> None:
    assert of_type(resources, "AWS::Lambda::Function")["SweepFunction"]["Timeout"] < MINUTE_S


def test_the_page_for_operators_says_how_long_aws_is_waited_for() -> None:
    rows = re.findall(
        r"^\| (DynamoDB|SQS|@connections) \|.* ([\d.]+) s \|$", OPERATING.read_text(), re.MULTILINE
    )
    assert {name: float(longest) for name, longest in rows} == LONGEST_S
