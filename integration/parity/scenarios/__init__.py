"""All scenarios, in files by area; importing this package registers them."""

from importlib import import_module
from pkgutil import iter_modules

from integration.parity.scenario import SCENARIOS as SCENARIOS

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
