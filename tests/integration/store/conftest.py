"""The store against a real engine."""

from tests.support.ministack import ministack, table_names

__all__ = ["ministack", "table_names"]
