"""How many bytes an item counts, by DynamoDB's own rule.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
"""

from shared.store.values import Item, Value


def item_size(item: Item) -> int:
    """The size of an item: its names and its values."""
    return sum(len(name.encode()) + _value_size(value) for name, value in item.items())


def _value_size(value: Value) -> int:
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return len(content.encode())
        case "B":
            return len(content)
        case "N":
            return _number_size(content)
        case "BOOL" | "NULL":
            return 1
        case "L":
            return 3 + sum(1 + _value_size(element) for element in content)
    raise ValueError(kind)


def _number_size(digits: str) -> int:
    """About one byte per two significant digits and one more; one for the sign."""
    significant = digits.removeprefix("-").strip("0")
    return (len(significant) + 1) // 2 + 1 + digits.startswith("-")
