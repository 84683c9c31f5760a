"""The tests; where they share an assertion, pytest shows what was compared as it does inside a test."""

import pytest

pytest.register_assert_rewrite("tests.comparison")
