"""Of which tests a text speaks: those whose numbers it tells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace

from experiments.reports.estimates import Estimate
from experiments.reports.report import Findings


@dataclass(frozen=True)
class HeardEstimate(Estimate):
    """An estimate that notes how it was written."""

    texts: set[str] = field(default_factory=set, compare=False)

    def written(self, form: str = "+.1f") -> str:
        text = super().written(form)
        self.texts.add(text)
        return text


class Listener:
    """Hears what is told of findings."""

    def __init__(self, found: Findings) -> None:
        self._heard = {test: HeardEstimate(**asdict(verdict.estimate)) for test, verdict in found.verdicts.items()}
        told = {test: replace(verdict, estimate=self._heard[test]) for test, verdict in found.verdicts.items()}
        self._found = replace(found, verdicts=told)

    def tell(self, say: Callable[[Findings], str]) -> tuple[str, list[list[str]]]:
        """What is said of the findings, and of each of its lines the tests whose numbers it tells."""
        for estimate in self._heard.values():
            estimate.texts.clear()
        text = say(self._found)
        return text, [self._tests(line) for line in text.splitlines()]

    def _tests(self, line: str) -> list[str]:
        return [test for test, estimate in self._heard.items() if any(text in line for text in estimate.texts)]
